/* How fbplot's panels come about: which columns are drawn, in which panels (fbplot_panels.c), and
 * the curves of all tables in them (fbplot_curves.c). */
#ifndef FB_TOOLS_FBPLOT_PLAN_H
#define FB_TOOLS_FBPLOT_PLAN_H

#include "tools/fbplot.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fb_plot_plan {
    fb_plot_figure *figure;
    fb_cli *cli;
    const fb_plot_set *sets;
    int n_sets;
    const fb_plot_choice *choice;
    fb_arena *arena;
    const fb_plot_table *lead;
    bool *wanted;     /* of the lead's columns */
    int *partner;     /* the column that is drawn dashed beside one, the other model's; or -1 */
    bool has_partner; /* any column has */
    int *panel;       /* which panel a column is in, -1: none yet */
    const char **labels;
    size_t n_panels, capacity_panels;
    fb_plot_panel *panels;
    long gaps;             /* points that are missing in what is drawn */
    const char *first_gap; /* the column of the first */
    const char *first_gap_file;
} fb_plot_plan;

/* A file's name without its folder. */
const char *fb_plot_base_name(const char *file);
/* The column of a table that is called as the lead's is. Of several with one name, the first goes
 * with the first; -1 if there is none. */
int fb_plot_counterpart(const fb_plot_plan *p, const fb_plot_table *t, int column);
/* The column of a band: called as the curve's is, with the other suffix; -1 if there is none. */
int fb_plot_band_of(const fb_plot_plan *p, const fb_plot_table *table, int column);

/* Fills the panels with curves, and the figure with panels and legends; says what is missing.
 * Returns an exit status. */
int fb_plot_curves(fb_plot_plan *p);

#ifdef __cplusplus
}
#endif
#endif
