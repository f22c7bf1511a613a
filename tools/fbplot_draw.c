/* fbplot: drawing a figure whose places are known. All lengths are in points. */
#include <math.h>

#include "tools/fbplot_page.h"

#define BETWEEN 9.0 /* entries of a legend */
#define FINEST 0.1  /* what no eye sees apart: 0.035 mm */

static const unsigned black = 0x000000, frame = 0x333333, faint = 0xBBBBBB;

/* Seven colours that the colour-blind can tell apart, after Okabe and Ito (2008), "Color Universal
 * Design", without their yellow, which is too light for lines; then the same, mixed with white. */
static const unsigned palette[] = {
    0x0072B2, 0xD55E00, 0x009E73, 0xCC79A7, 0xE69F00, 0x56B4E9, 0x5A5A5A,
    0x80B9D9, 0xEAAF80, 0x80CFB9, 0xE6BCD3, 0xF3CF80, 0xABDAF4, 0xADADAD,
};

static unsigned colour_of(const fb_plot_series *s) {
    return s->color < 0 ? black : palette[s->color % (int)(sizeof palette / sizeof palette[0])];
}

/* ---- texts and legends ----------------------------------------------------------------------- */

double fb_plot_fit_size(const char *text, double size, double width, fb_canvas *canvas) {
    double w = fb_canvas_width(canvas, size, text);
    return w <= width ? size : fmax(FINE, size * width / w);
}

/* Draws an entry of a legend, or only measures it: the width it takes. */
static double legend_entry(fb_canvas *canvas, double x, double y, const char *label, unsigned rgb,
                           int dash, bool band, bool draw) {
    if (draw) {
        double middle = y - SMALL * 0.35;
        if (band) {
            const fb_point box[] = {{x, middle - 2.5},
                                    {x + SAMPLE, middle - 2.5},
                                    {x + SAMPLE, middle + 2.5},
                                    {x, middle + 2.5}};
            fb_canvas_area(canvas, box, 4, rgb, 0.25);
        }
        const fb_point line[] = {{x, middle}, {x + SAMPLE, middle}};
        fb_canvas_line(canvas, line, 2, rgb, 1.2, dash, NULL);
        fb_canvas_text(canvas, (fb_point){x + SAMPLE + PAD, y}, SMALL, 0, false, label);
    }
    return SAMPLE + PAD + fb_canvas_width(canvas, SMALL, label) + BETWEEN;
}

double fb_plot_legend(const fb_plot_panel *panel, const fb_plot_style *styles, int n_styles,
                      fb_canvas *canvas, double left, double top, double width, bool draw) {
    double x = left, y = top + SMALL;
    int n = (panel ? panel->n_columns : 0) + n_styles;
    int curves = panel ? panel->n_columns : 0;
    double together = 0; /* line styles stay together if they can */
    for (int k = 0; k < n_styles; k++) {
        together += legend_entry(canvas, x, y, styles[k].label, frame, 0, false, false);
    }
    if (panel && panel->legend_heading) {
        if (draw) {
            fb_canvas_text(canvas, (fb_point){x, y}, SMALL, 0, false, panel->legend_heading);
        }
        x += fb_canvas_width(canvas, SMALL, panel->legend_heading) + BETWEEN;
    }
    for (int i = 0; i < n; i++) {
        const fb_plot_series *s = i < curves ? &panel->series[i] : NULL;
        const fb_plot_style *style = s ? NULL : &styles[i - curves];
        const char *label = s ? s->label : style->label;
        unsigned rgb = s ? colour_of(s) : frame;
        int dash = s ? 0 : style->dash;
        bool band = style && style->band;
        double w = legend_entry(canvas, x, y, label, rgb, dash, band, false);
        double needed = style && style == styles ? together : w;
        needed = needed - BETWEEN > width ? w : needed;
        if (x > left && x + needed - BETWEEN > left + width) {
            x = left;
            y += SMALL * LINE + 1;
        }
        x += legend_entry(canvas, x, y, label, rgb, dash, band, draw);
    }
    return n ? y + SMALL * 0.3 + PAD - top : 0;
}

/* ---- drawing --------------------------------------------------------------------------------- */

static double map_x(const fb_plot_figure *f, const fb_plot_panel *panel, double x) {
    return panel->left + f->plot_width * (x - f->x.low) / (f->x.high - f->x.low);
}

static double map_y(const fb_plot_figure *f, const fb_plot_panel *panel, double y) {
    return panel->top + f->plot_height * (panel->y.high - y) / (panel->y.high - panel->y.low);
}

static void segment(fb_canvas *canvas, double x0, double y0, double x1, double y1, unsigned rgb) {
    const fb_point points[] = {{x0, y0}, {x1, y1}};
    fb_canvas_line(canvas, points, 2, rgb, 0.6, 0, NULL);
}

static void draw_axes(const fb_plot_figure *f, const fb_plot_panel *panel, fb_canvas *canvas,
                      int row, int column) {
    double left = panel->left, right = left + f->plot_width;
    double top = panel->top, bottom = top + f->plot_height;
    char text[64];
    if (panel->y.low < 0 && panel->y.high > 0) {
        double zero = map_y(f, panel, 0);
        segment(canvas, left, zero, right, zero, faint);
    }
    segment(canvas, left, top, left, bottom, frame);
    segment(canvas, left, bottom, right, bottom, frame);
    for (int i = 0; i < panel->y.n_ticks; i++) {
        double y = map_y(f, panel, panel->y.first + i * panel->y.step);
        segment(canvas, left - TICK, y, left, y, frame);
        fb_plot_tick_text(&panel->y, i, text, sizeof text);
        fb_canvas_text(canvas, (fb_point){left - TICK - PAD, y + SMALL * 0.36}, SMALL, 1, false,
                       text);
    }
    bool numbers = fb_plot_shows_x(f, row, column);
    for (int i = 0; i < f->x.n_ticks; i++) {
        double x = map_x(f, panel, f->x.first + i * f->x.step);
        segment(canvas, x, bottom, x, bottom + TICK, frame);
        if (numbers) {
            fb_plot_tick_text(&f->x, i, text, sizeof text);
            fb_canvas_text(canvas, (fb_point){x, bottom + TICK + PAD + SMALL * 0.75}, SMALL, 0.5,
                           false, text);
        }
    }
    if (numbers) {
        double y = bottom + TICK + PAD + SMALL + PAD + LABEL * 0.75;
        fb_canvas_text(canvas, (fb_point){left + f->plot_width / 2, y}, LABEL, 0.5, false,
                       f->x_label);
    }
    if (panel->label_rows > 0) {
        double below = fb_plot_at(f, row + panel->label_rows - 1, column)->top + f->plot_height;
        double size = LABEL;
        for (int k = 0; k < 2 && panel->lines[k]; k++) {
            size = fb_plot_fit_size(panel->lines[k], size, below - top + GUTTER, canvas);
        }
        for (int k = 0; k < 2 && panel->lines[k]; k++) {
            const char *line = panel->lines[k];
            double x = panel->label_left + k * LABEL * LINE;
            fb_canvas_text(canvas, (fb_point){x, (top + below) / 2}, size, 0.5, true, line);
        }
    }
}

/* Points so near to one another, sideways, that only the first, the last, the highest and the
 * lowest of them show. */
typedef struct cluster {
    fb_point first, low, high, last;
    bool low_came_first;
    int n;
} cluster;

static int add_point(fb_point *points, int n, fb_point p) {
    if (n == 0 || p.x != points[n - 1].x || p.y != points[n - 1].y) {
        points[n++] = p;
    }
    return n;
}

/* Writes out what shows of a cluster; returns how many points there then are. */
static int end_cluster(cluster *c, fb_point *points, int n) {
    if (c->n == 0) {
        return n;
    }
    n = add_point(points, n, c->first);
    if (c->n > 2) {
        n = add_point(points, n, c->low_came_first ? c->low : c->high);
        n = add_point(points, n, c->low_came_first ? c->high : c->low);
    }
    if (c->n > 1) {
        n = add_point(points, n, c->last);
    }
    c->n = 0;
    return n;
}

static void add_to_cluster(cluster *c, fb_point p) {
    if (c->n++ == 0) {
        c->first = c->low = c->high = p;
    } else if (p.y < c->low.y) {
        c->low = p;
        c->low_came_first = false;
    } else if (p.y > c->high.y) {
        c->high = p;
        c->low_came_first = true;
    }
    c->last = p;
}

/* The next stretch of a curve without gaps, from *at on: its points, and how many rows it has. */
static int next_stretch(const fb_plot_figure *f, const fb_plot_panel *panel,
                        const fb_plot_series *s, int *at, double sign, fb_point *points) {
    int n = 0;
    cluster c = {.n = 0};
    while (*at < s->n && (isnan(s->x[*at]) || isnan(s->y[*at]))) {
        ++*at;
    }
    for (; *at < s->n && !isnan(s->x[*at]) && !isnan(s->y[*at]); ++*at) {
        double sd = sign != 0 && isfinite(s->sd[*at]) ? sign * s->sd[*at] : 0;
        fb_point p = {map_x(f, panel, s->x[*at]), map_y(f, panel, s->y[*at] + sd)};
        if (c.n > 0 && fabs(p.x - c.first.x) >= FINEST) {
            n = end_cluster(&c, points, n);
        }
        add_to_cluster(&c, p);
    }
    return end_cluster(&c, points, n);
}

static void draw_band(const fb_plot_figure *f, const fb_plot_panel *panel, const fb_plot_series *s,
                      fb_point *points, fb_canvas *canvas) {
    for (int at = 0; at < s->n;) {
        int begin = at;
        int n = next_stretch(f, panel, s, &at, 1, points);
        int m = next_stretch(f, panel, s, &begin, -1, points + n);
        for (int i = 0; i < m / 2; i++) { /* back along the lower edge */
            fb_point swap = points[n + i];
            points[n + i] = points[n + m - 1 - i];
            points[n + m - 1 - i] = swap;
        }
        if (n > 1) {
            fb_canvas_area(canvas, points, n + m, colour_of(s), 0.22);
        }
    }
}

static void draw_curve(const fb_plot_figure *f, const fb_plot_panel *panel, const fb_plot_series *s,
                       fb_point *points, fb_canvas *canvas) {
    for (int at = 0; at < s->n;) {
        int n = next_stretch(f, panel, s, &at, 0, points);
        if (n == 1) {
            fb_canvas_dot(canvas, points[0], 1.3, colour_of(s));
        } else if (n > 1) {
            fb_canvas_line(canvas, points, n, colour_of(s), f->n_panels > 9 ? 0.9 : 1.2, s->dash,
                           s->name);
        }
    }
}

static void draw_panel(const fb_plot_figure *f, int row, int column, fb_canvas *canvas) {
    const fb_plot_panel *panel = fb_plot_at(f, row, column);
    draw_axes(f, panel, canvas, row, column);
    for (int j = 0; j < panel->n_series; j++) {
        if (panel->series[j].sd) {
            draw_band(f, panel, &panel->series[j], f->points, canvas);
        }
    }
    for (int j = 0; j < panel->n_series; j++) {
        draw_curve(f, panel, &panel->series[j], f->points, canvas);
    }
    double y = panel->top;
    if (panel->has_legend) {
        double h = fb_plot_legend(panel, NULL, 0, canvas, 0, 0, f->plot_width, false) + 1;
        fb_plot_legend(panel, NULL, 0, canvas, panel->left, y - h, f->plot_width, true);
        y -= h;
    }
    if (panel->title) {
        double size = fb_plot_fit_size(panel->title, LABEL, f->plot_width + GUTTER / 2, canvas);
        fb_canvas_text(canvas, (fb_point){panel->left, y - PAD - LABEL * 0.2}, size, 0, false,
                       panel->title);
    }
}

void fb_plot_draw(const fb_plot_figure *f, fb_canvas *canvas) {
    double left = f->panels[0].left;
    if (f->title) {
        fb_canvas_text(canvas, (fb_point){left, MARGIN + TITLE * 0.8}, TITLE, 0, false, f->title);
    }
    fb_plot_legend(f->common, f->styles, f->n_styles, canvas, left, f->legend_top,
                   f->width - MARGIN - left, true);
    for (int k = 0; k < f->rows * f->columns; k++) {
        if (f->grid[k]) {
            draw_panel(f, k / f->columns, k % f->columns, canvas);
        }
    }
}
