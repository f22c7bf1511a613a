/* The parts of fbplot, in the order they work: what the columns of a table are (fbplot_units.c),
 * the curves that a grid of two coordinates holds (fbplot_grid.c),
 * which of them share a panel (fbplot_panels.c), the curves of all tables in them
 * (fbplot_curves.c), where everything goes on the page (fbplot_layout.c), drawing it
 * (fbplot_draw.c) onto SVG or PNG (fbplot_canvas.c). */
#ifndef FB_TOOLS_FBPLOT_H
#define FB_TOOLS_FBPLOT_H

#include "formats/sto.h"
#include "tools/cli.h"
#include "tools/fbplot_canvas.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- what columns are ------------------------------------------------------------------------ */

/* What a column of fbsim sweep --against holds. */
typedef enum fb_plot_role {
    FB_PLOT_PLAIN,
    FB_PLOT_AGAINST,   /* the other model's value, drawn dashed */
    FB_PLOT_DIFFERENCE /* drawn only if it is named */
} fb_plot_role;

/* A column of a table. */
typedef struct fb_plot_column {
    const char *name;   /* as the table has it, made valid UTF-8 */
    const char *object; /* what it belongs to: "triceps_long" */
    const char *part;   /* of a vector or the like: "x"; or NULL */
    const char *curve;  /* of a family in one panel: "activation 0.1"; or NULL */
    fb_plot_role role;
    const char *base;     /* the name of the column that it goes with; NULL: of a plain one */
    const char *quantity; /* "moment arm"; NULL: not known */
    const char *unit;     /* "N"; "": none; NULL: not known */
    double factor;        /* numbers times this are in `unit` */
} fb_plot_column;

typedef struct fb_plot_table {
    fb_sto data;
    const char *file; /* as the user named it */
    bool is_csv;      /* a plain table: its names follow no convention */
    fb_plot_column *columns;
    int x;                 /* the column of the horizontal axis */
    const char *models[2]; /* of fbsim sweep --against: what they are called */
    bool is_sweep;         /* fbsim sweep made it */
    bool is_grid;          /* of fbsim sweep --and: the first two columns are coordinates */
    const char *parameter; /* of a grid: the coordinate that has a curve for each value */
    int n_parameters;
    const double *parameters; /* those values that are drawn */
} fb_plot_table;

/* What helps to tell units. */
typedef struct fb_plot_hints {
    const fb_model *model; /* says which coordinates turn, or NULL */
    bool degrees;          /* draw radians as degrees */
    const fb_cli *cli;     /* the values of --unit */
} fb_plot_hints;

/* Fills table->columns from names, header and hints; a unit that is not certain is NULL. */
void fb_plot_describe(fb_plot_table *table, const fb_plot_hints *hints, fb_arena *arena);
/* Makes of a table with is_grid one whose horizontal axis is one of the coordinates, by `x`, and
 * whose columns are curves, one for each of up to seven values of the other. Says how many of them;
 * returns an exit status, with a message. In fbplot_grid.c. */
int fb_plot_unfold(fb_plot_table *table, const fb_cli *cli, fb_arena *arena);
/* Bytes that are no UTF-8, or no character that a document may hold, become U+FFFD; in the arena.
 */
const char *fb_plot_clean(fb_arena *arena, const char *text);
/* Whether two tables are grids with the same curves, or neither is a grid. */
bool fb_plot_same_grid(const fb_plot_table *a, const fb_plot_table *b);
/* The factor from one unit to another: pi/180 or such, 1 for equal ones, 0 if there is none. */
double fb_plot_convert(const char *from, const char *to);

/* Whether two texts, either of which may be NULL, are the same. */
bool fb_plot_same(const char *a, const char *b);

/* ---- curves and panels ----------------------------------------------------------------------- */

/* Points of one curve; NaN breaks it. */
typedef struct fb_plot_series {
    const char *name;  /* the whole name of the column */
    const char *label; /* in the legend */
    int color;         /* a number of the palette; -1: black */
    int dash;          /* a number of the line styles; 0: solid */
    int n;
    const double *x, *y;
    const double *sd; /* half the height of the band; NULL: no band */
} fb_plot_series;

/* What carries a range and ticks. */
typedef struct fb_plot_axis {
    double low, high;
    double first, step; /* of the ticks */
    int n_ticks, decimals;
    int power; /* labels are numbers / 10^power */
} fb_plot_axis;

typedef struct fb_plot_panel {
    const char *title; /* or NULL */
    const char *quantity, *unit;
    const char *y_label;  /* made by the layout unless given */
    const char *lines[2]; /* the same, broken into two lines or shortened if need be */
    int label_rows;       /* how many rows down the label stands beside; 0: it is not drawn */
    double label_left;    /* of the first line's baseline */
    fb_plot_series *series;
    int n_series;
    int n_columns; /* series of the first table, which come first: those in the legend */
    const char *legend_heading; /* before the curves' names, or NULL */
    bool has_legend;            /* of its own */
    fb_plot_axis y;
    double left, top; /* of the plot area, in points */
} fb_plot_panel;

/* An entry of the legend that says what a line style, or a band, is. */
typedef struct fb_plot_style {
    const char *label;
    int dash;
    bool band;
} fb_plot_style;

#define FB_PLOT_STYLES 4 /* solid, dashed, dotted, dash-dot */

typedef struct fb_plot_figure {
    const char *title;   /* or NULL */
    const char *x_name;  /* of the horizontal axis */
    bool x_is_quantity;  /* that is what x_name is, not the name of a thing */
    const char *x_unit;  /* "" or NULL: none is written */
    const char *x_label; /* with unit; made by the layout */
    fb_plot_panel *panels;
    int n_panels, columns, rows;
    fb_plot_panel **grid;        /* rows x columns, NULL where there is none */
    const fb_plot_panel *common; /* whose curves' legend stands above all; or NULL */
    bool same_scale;
    fb_plot_style styles[FB_PLOT_STYLES];
    int n_styles;
    fb_plot_axis x;
    double width, height;           /* of the page, in points; 0: chosen by the layout */
    double plot_width, plot_height; /* of each plot area */
    double legend_top;
    fb_point *points; /* scratch of drawing: twice the longest curve's */
} fb_plot_figure;

/* A set of tables that is drawn with one line style: one table, or several under --mean. */
typedef struct fb_plot_set {
    fb_plot_table *tables;
    int n;
} fb_plot_set;

/* What the user chose. */
typedef struct fb_plot_choice {
    bool mean;
    bool normalize;
    const char *mean_suffix, *sd_suffix; /* of --band, or NULL */
} fb_plot_choice;

/* Makes panels and curves of the sets, of which the first leads: its columns are drawn, those of
 * others under the same names are drawn beside them. Messages go to the tool's standard error.
 * Returns an exit status. */
int fb_plot_panels(fb_plot_figure *figure, fb_cli *cli, const fb_plot_set *sets, int n_sets,
                   const fb_plot_choice *choice, fb_arena *arena);

/* ---- the page -------------------------------------------------------------------------------- */

/* Ticks at multiples of 1, 2 or 5 times a power of ten, at most `most` of them between low and
 * high. */
void fb_plot_ticks(fb_plot_axis *axis, int most);
/* The text of a tick's number, with a real minus sign: at least 40 bytes. */
void fb_plot_tick_text(const fb_plot_axis *axis, int i, char *text, size_t n);
/* Ranges, ticks and places. False if the page is too small for the panels. */
bool fb_plot_layout(fb_plot_figure *figure, fb_canvas *canvas, fb_arena *arena);
void fb_plot_draw(const fb_plot_figure *figure, fb_canvas *canvas);

#ifdef __cplusplus
}
#endif
#endif
