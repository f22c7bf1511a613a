/* What fbplot's layout and drawing share: sizes in points, and legends, which are measured by the
 * one and drawn by the other. */
#ifndef FB_TOOLS_FBPLOT_PAGE_H
#define FB_TOOLS_FBPLOT_PAGE_H

#include "tools/fbplot.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SMALL 7.0  /* font sizes: of numbers and legends */
#define LABEL 8.0  /* of axes and titles of panels */
#define TITLE 10.0 /* of the figure */
#define FINE 5.0   /* the smallest that is still read */
#define LINE 1.25  /* height of a line of text over its font size */
#define MARGIN 5.0
#define TICK 2.5
#define PAD 3.0     /* between a tick and its number, a number and a label */
#define GUTTER 9.0  /* between panels, at least */
#define SAMPLE 15.0 /* of a line in the legend */

/* The panel at a place, or NULL. */
fb_plot_panel *fb_plot_at(const fb_plot_figure *f, int row, int column);
/* The lowest panel of a column shows the numbers of the shared axis. */
bool fb_plot_shows_x(const fb_plot_figure *f, int row, int column);
/* The font size, from `size` down to FINE, at which a text has a width at most. */
double fb_plot_fit_size(const char *text, double size, double width, fb_canvas *canvas);
/* A legend of a panel's curves (or NULL) and of styles, in lines of a width, from a corner down;
 * returns the height of all. Without `draw` it is measured only. */
double fb_plot_legend(const fb_plot_panel *panel, const fb_plot_style *styles, int n_styles,
                      fb_canvas *canvas, double left, double top, double width, bool draw);

#ifdef __cplusplus
}
#endif
#endif
