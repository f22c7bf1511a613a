/* What the files of fbsim sweep share: fbsim_sweep.c computes, fbsim_sweep_table.c makes the table
 * and tells what is to be told. */
#ifndef FB_TOOLS_FBSIM_SWEEP_H
#define FB_TOOLS_FBSIM_SWEEP_H

#include "tools/fbsim.h"

#define FB_SWEEP_PARTS 4 /* at most, of an item: length, one or two arms, force */

/* A muscle or another path that has columns: its number in each model, -1 for none. */
typedef struct fb_sweep_item {
    const fb_element *element; /* the first model's */
    int path[2], muscle[2];
    const fb_force *force[2]; /* whose tension follows from the pose, or NULL */
    bool has_tension;         /* no muscle, but of a class with such a tension */
    int n_parts;
    const char *part[FB_SWEEP_PARTS]; /* ends of the columns' names */
} fb_sweep_item;

/* A model that is swept, and what it gives in one pose. */
typedef struct fb_sweep_side {
    const char *file;
    fb_simulation *s;
    int coordinate[2];
    double scale[2];                         /* of the table's values */
    int held[FB_FBSIM_MOST_SET + 2], n_held; /* swept coordinates, then --set's */
    double *dq[2];                           /* n_q: how all coordinates move with each */
    double *last;                            /* n_q: the last pose that met constraints */
    double *arms;                            /* geometric: n_paths x n_q, and which of
                                                them come from differences */
    bool *differenced, *ever_differenced;
    bool *wanted; /* n of muscles: those whose moments are the strengths */
    int n_wanted;
    double *force;         /* n of muscles: of those, N */
    double *parts;         /* n_items x FB_SWEEP_PARTS */
    double strength[2][2]; /* of each coordinate: positive, negative */
    double *moment[2];     /* of each group of virtual links about each coordinate */
    long unlinked;
    long not_finite; /* muscles' lengths or forces, and where first */
    double not_finite_at;
    const char *not_finite_name;
    int unmet, *unbalanced;
    double unmet_at[2], (*unbalanced_at)[2];
} fb_sweep_side;

typedef struct fb_sweep {
    fb_cli *cli;
    fb_sweep_side sides[2];
    int n_sides, n_coordinates, steps[2];
    double low[2], high[2];
    bool geometric, paths; /* paths: all kinds of them */
    double activation;
    int n_items;
    fb_sweep_item *items;
    bool has_strength;
    fb_sto table;
} fb_sweep;

/* The name of a swept coordinate. */
const char *fb_sweep_coordinate(const fb_sweep_side *of, int which);

/* Which muscles and paths the table has; tells of those that only one model has. Memory is the
 * table's. */
void fb_sweep_find_items(fb_sweep *w);
/* The table's columns, after fb_sweep_find_items. */
void fb_sweep_start_table(fb_sweep *w);
/* A row, of what the sides have at the coordinates' values. */
void fb_sweep_put_row(fb_sweep *w, const double *at);
/* The header's lines, when all rows are there; in the table's arena. */
const char *fb_sweep_header(fb_sweep *w);

/* Warns of values beyond the range of a side's coordinate. */
void fb_sweep_tell_range(const fb_sweep *w, const fb_sweep_side *of, int which);
/* Says how often, and where first, there are no numbers: every nan has a word. */
void fb_sweep_tell_missing(const fb_sweep *w, const fb_sweep_side *of);
/* Says by how much the models differ. */
void fb_sweep_tell_differences(const fb_sweep *w);

#endif
