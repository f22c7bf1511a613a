/* fbplot: ranges, ticks and the places of panels on the page, and drawing them. All lengths are in
 * points. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/number.h"
#include "tools/fbplot.h"

#define MM (72 / 25.4)
#define SMALL 7.0  /* font sizes: of numbers and legends */
#define LABEL 8.0  /* of axes and titles of panels */
#define TITLE 10.0 /* of the figure */
#define FINE 5.0   /* the smallest that is still read */
#define LINE 1.25  /* height of a line of text over its font size */
#define MARGIN 5.0
#define TICK 2.5
#define PAD 3.0       /* between a tick and its number, a number and a label */
#define GUTTER 9.0    /* between panels, at least */
#define SAMPLE 15.0   /* of a line in the legend */
#define BETWEEN 9.0   /* entries of a legend */
#define SMALLEST 24.0 /* side of a plot area */
#define FINEST 0.1    /* what no eye sees apart: 0.035 mm */
#define DECIMALS 6
#define FEW_PANELS 6 /* so few need no titles if their axes are named */

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

/* ---- ticks -------------------------------------------------------------------------------------
 */

void fb_plot_ticks(fb_plot_axis *axis, int most) {
    static const double mantissas[] = {1, 2, 5};
    const double slack = 1e-9; /* a tick on the end of the axis is a tick */
    double span = axis->high - axis->low, step = 0;
    int power = (int)floor(log10(span)) - 2;
    /* from fine to coarse: the first that has few enough, but two if any has two */
    for (int i = 0; i < 12; i++) {
        double s = mantissas[i % 3] * pow(10, power + i / 3);
        double first = ceil(axis->low / s - slack), last = floor(axis->high / s + slack);
        int n = (int)(last - first) + 1;
        if (n < 2 && step > 0) {
            break;
        }
        step = s;
        axis->first = first * s;
        axis->n_ticks = n;
        if (n <= most) {
            break;
        }
    }
    axis->step = step;
    /* numbers that would be long are divided by a power of ten, which the label names */
    double largest = fmax(fabs(axis->low), fabs(axis->high));
    int exponent = largest > 0 ? (int)floor(log10(largest)) : 0;
    axis->power = exponent >= 5 || exponent < -3 ? exponent : 0;
    int place = (int)floor(log10(step * (1 + 1e-9)));
    axis->decimals = axis->power - place > 0 ? axis->power - place : 0;
    if (axis->decimals > DECIMALS + 8) {
        axis->decimals = DECIMALS + 8;
    }
}

void fb_plot_tick_text(const fb_plot_axis *axis, int i, char *text, size_t n) {
    double x = (axis->first + i * axis->step) / pow(10, axis->power);
    double smallest = 0.5 * pow(10, -axis->decimals);
    char digits[40];
    snprintf(digits, sizeof digits, "%.*f", axis->decimals, fabs(x));
    snprintf(text, n, "%s%s", x <= -smallest ? "\xE2\x88\x92" : "", digits);
}

/* "×10⁻³" before a unit. */
static const char *power_text(int power, fb_arena *arena) {
    static const char *const raised[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    char digits[16];
    snprintf(digits, sizeof digits, "%d", abs(power));
    const char *text = power < 0 ? "×10⁻" : "×10";
    for (const char *d = digits; *d; d++) {
        text = fb_arena_printf(arena, "%s%s", text, raised[*d - '0']);
    }
    return text;
}

/* "Moment arm (m)"; the first letter of a quantity that we name is raised. */
static const char *axis_label(const char *quantity, const char *unit, int power, bool raise,
                              fb_arena *arena) {
    char *name = fb_arena_dup(arena, quantity);
    if (raise && name[0] >= 'a' && name[0] <= 'z') {
        name[0] = (char)(name[0] - 'a' + 'A');
    }
    bool has_unit = unit && *unit;
    if (!power) {
        return has_unit ? fb_arena_printf(arena, "%s (%s)", name, unit) : name;
    }
    return fb_arena_printf(arena, "%s (%s%s%s)", name, power_text(power, arena),
                           has_unit ? " " : "", has_unit ? unit : "");
}

/* ---- texts that must fit -----------------------------------------------------------------------
 */

/* A text of a width at most: the middle left out where it is too long. */
static const char *fit(const char *text, double size, double width, fb_canvas *canvas,
                       fb_arena *arena) {
    size_t n = strlen(text);
    if (fb_canvas_width(canvas, size, text) <= width) {
        return text;
    }
    for (size_t cut = 1; cut < n; cut++) {
        size_t left = (n - cut) / 2, right = n - (n - cut - left);
        while (left > 0 && ((unsigned char)text[left] & 0xC0) == 0x80) {
            left--;
        }
        while (right < n && ((unsigned char)text[right] & 0xC0) == 0x80) {
            right++;
        }
        const char *shorter = fb_arena_printf(arena, "%.*s…%s", (int)left, text, text + right);
        if (fb_canvas_width(canvas, size, shorter) <= width) {
            return shorter;
        }
    }
    return "…";
}

/* The font size at which a text has a width at most, not below the finest. */
static double fit_size(const char *text, double size, double width, fb_canvas *canvas) {
    double w = fb_canvas_width(canvas, size, text);
    return w <= width ? size : fmax(FINE, size * width / w);
}

/* ---- ranges ------------------------------------------------------------------------------------
 */

static void include(fb_plot_axis *axis, double x) {
    if (isfinite(x)) {
        axis->low = fmin(axis->low, x);
        axis->high = fmax(axis->high, x);
    }
}

/* A range of some width: the least that `least` allows, about its middle. */
static void widen(fb_plot_axis *axis, double least) {
    if (!(axis->high >= axis->low)) { /* nothing but gaps */
        axis->low = 0;
        axis->high = 1;
    }
    double middle = axis->low / 2 + axis->high / 2, span = axis->high - axis->low;
    least = fmax(least, 1e-9 * fmax(fabs(axis->low), fabs(axis->high)));
    if (span < least || span == 0) {
        double half = fmax(least / 2, middle != 0 ? 0.1 * fabs(middle) : 1);
        axis->low = middle - half;
        axis->high = middle + half;
    }
}

/* Room above and below the data; an axis that nearly begins at zero begins there. */
static void add_room(fb_plot_axis *axis) {
    double room = 0.05 * (axis->high - axis->low);
    bool positive = axis->low >= 0 && axis->low < 0.25 * axis->high;
    bool negative = axis->high <= 0 && axis->high > 0.25 * axis->low;
    axis->low = positive ? 0 : axis->low - room;
    axis->high = negative ? 0 : axis->high + room;
}

static bool same(const char *a, const char *b) {
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool same_quantity(const fb_plot_panel *a, const fb_plot_panel *b) {
    return same(a->quantity, b->quantity) && same(a->unit, b->unit);
}

/* The range of a panel's data. */
static fb_plot_axis range_of(const fb_plot_panel *panel, fb_plot_axis *x) {
    fb_plot_axis y = {.low = FB_INFINITY, .high = -FB_INFINITY};
    for (int j = 0; j < panel->n_series; j++) {
        const fb_plot_series *s = &panel->series[j];
        for (int i = 0; i < s->n; i++) {
            include(x, s->x[i]);
            if (isfinite(s->x[i])) {
                double sd = s->sd && isfinite(s->sd[i]) ? s->sd[i] : 0;
                include(&y, s->y[i] - sd);
                include(&y, s->y[i] + sd);
            }
        }
    }
    return y;
}

/* Ranges of all axes. A panel whose numbers hardly change beside those of its quantity shows that,
 * instead of its rounding errors. */
static void find_ranges(fb_plot_figure *f, fb_arena *arena) {
    const double nothing = 1e-4;
    fb_plot_axis *data = fb_arena_array(arena, (size_t)f->n_panels, sizeof *data);
    f->x.low = FB_INFINITY;
    f->x.high = -FB_INFINITY;
    for (int k = 0; k < f->n_panels; k++) {
        data[k] = range_of(&f->panels[k], &f->x);
    }
    widen(&f->x, 0);
    for (int k = 0; k < f->n_panels; k++) {
        fb_plot_panel *panel = &f->panels[k];
        double largest = 0;
        fb_plot_axis all = data[k];
        for (int j = 0; j < f->n_panels && panel->unit; j++) {
            if (same_quantity(&f->panels[j], panel) && data[j].high >= data[j].low) {
                largest = fmax(largest, data[j].high - data[j].low);
                include(&all, data[j].low);
                include(&all, data[j].high);
            }
        }
        panel->y = f->same_scale ? all : data[k];
        if (!(panel->y.high - panel->y.low > nothing * largest)) {
            widen(&panel->y, 0.1 * largest);
        }
        add_room(&panel->y);
    }
}

/* ---- places ------------------------------------------------------------------------------------
 */

static fb_plot_panel *panel_at(const fb_plot_figure *f, int row, int column) {
    return row < f->rows ? f->grid[row * f->columns + column] : NULL;
}

/* A label stands at the left of a row, and where it differs from the one before. */
static bool shows_label(const fb_plot_figure *f, int row, int column) {
    const fb_plot_panel *panel = panel_at(f, row, column);
    return column == 0 || strcmp(panel->y_label, panel_at(f, row, column - 1)->y_label) != 0;
}

/* The lowest panel of a column shows the numbers of the shared axis. */
static bool shows_x(const fb_plot_figure *f, int row, int column) {
    return panel_at(f, row + 1, column) == NULL;
}

static double number_width(const fb_plot_axis *axis, fb_canvas *canvas) {
    double widest = 0;
    char text[64];
    for (int i = 0; i < axis->n_ticks; i++) {
        fb_plot_tick_text(axis, i, text, sizeof text);
        widest = fmax(widest, fb_canvas_width(canvas, SMALL, text));
    }
    return widest;
}

/* Room for a column's numbers and labels, left of its plot areas. */
static double left_of(const fb_plot_figure *f, int column, fb_canvas *canvas) {
    double most = 0;
    for (int row = 0; row < f->rows; row++) {
        const fb_plot_panel *panel = panel_at(f, row, column);
        if (panel) {
            double label = shows_label(f, row, column) ? PAD + LABEL * LINE : 0;
            most = fmax(most, TICK + PAD + number_width(&panel->y, canvas) + label);
        }
    }
    return most;
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

/* Entries in lines of a width, from a corner down; returns the height of all. */
static double legend(const fb_plot_panel *panel, const fb_plot_style *styles, int n_styles,
                     fb_canvas *canvas, double left, double top, double width, bool draw) {
    double x = left, y = top + SMALL;
    int n = (panel ? panel->n_columns : 0) + n_styles;
    int curves = panel ? panel->n_columns : 0;
    for (int i = 0; i < n; i++) {
        const fb_plot_series *s = i < curves ? &panel->series[i] : NULL;
        const fb_plot_style *style = s ? NULL : &styles[i - curves];
        const char *label = s ? s->label : style->label;
        unsigned rgb = s ? colour_of(s) : frame;
        int dash = s ? 0 : style->dash;
        bool band = style && style->band;
        double w = legend_entry(canvas, x, y, label, rgb, dash, band, false);
        if (x > left && x + w - BETWEEN > left + width) {
            x = left;
            y += SMALL * LINE + 1;
        }
        x += legend_entry(canvas, x, y, label, rgb, dash, band, draw);
    }
    return n ? y + SMALL * 0.3 + PAD - top : 0;
}

/* Title and legend above a row's plot areas. */
static double head_of(const fb_plot_figure *f, int row, fb_canvas *canvas) {
    double most = SMALL / 2; /* half a number */
    for (int column = 0; column < f->columns; column++) {
        const fb_plot_panel *panel = panel_at(f, row, column);
        if (panel) {
            double h = panel->title ? LABEL * LINE + PAD : 0;
            if (panel->has_legend) {
                h += legend(panel, NULL, 0, canvas, 0, 0, f->plot_width, false) + 1;
            }
            most = fmax(most, h);
        }
    }
    return most;
}

/* Gives each panel a place, from left to right and down. A quantity that fills a row or more begins
 * one. */
static void place_panels(fb_plot_figure *f, fb_arena *arena) {
    f->grid = fb_arena_array(arena, (size_t)(2 * f->n_panels * f->columns), sizeof *f->grid);
    int at = 0;
    for (int k = 0; k < f->n_panels;) {
        int n = 1;
        while (k + n < f->n_panels && same_quantity(&f->panels[k], &f->panels[k + n])) {
            n++;
        }
        bool is_long = n >= f->columns && f->panels[k].quantity;
        if (is_long && at % f->columns != 0) {
            at += f->columns - at % f->columns;
        }
        for (int i = 0; i < n; i++) {
            f->grid[at++] = &f->panels[k++];
        }
    }
    f->rows = (at + f->columns - 1) / f->columns;
}

static void choose_grid(fb_plot_figure *f, fb_arena *arena) {
    int n = f->n_panels;
    f->columns = n == 1 ? 1 : n <= 4 ? 2 : n <= 9 ? 3 : n <= 48 ? 4 : 6;
    if (f->width > 0) {
        int fitting = (int)(f->width / (38 * MM));
        f->columns = f->columns > fitting ? fitting : f->columns;
        f->columns = f->columns < 1 ? 1 : f->columns;
    } else {
        f->width = MM * (n == 1 ? 100 : n <= 4 ? 160 : n <= 48 ? 180 : 260);
    }
    place_panels(f, arena);
}

/* Ticks of the shared axis: as many as leave room between their numbers. */
static void tick_x(fb_plot_figure *f, fb_canvas *canvas) {
    for (int most = (int)(f->plot_width / 22); most >= 2; most--) {
        fb_plot_ticks(&f->x, most > 9 ? 9 : most);
        double room = f->plot_width * f->x.step / (f->x.high - f->x.low);
        if (number_width(&f->x, canvas) + 6 <= room) {
            return;
        }
    }
}

static void tick_y(fb_plot_figure *f, double height) {
    int most = (int)(height / 15);
    for (int k = 0; k < f->n_panels; k++) {
        fb_plot_ticks(&f->panels[k].y, most > 7 ? 7 : most < 3 ? 3 : most);
    }
}

static void name_axes(fb_plot_figure *f, fb_arena *arena) {
    f->x_label = f->x_label ? f->x_label
                            : axis_label(f->x_name, f->x_unit, f->x.power,
                                         strcmp(f->x_name, "time") == 0, arena);
    for (int k = 0; k < f->n_panels; k++) {
        fb_plot_panel *panel = &f->panels[k];
        if (!panel->y_label) {
            /* a curve of which nothing else is known is called by its name */
            bool alone = !panel->quantity && panel->n_columns == 1 && f->n_panels <= FEW_PANELS;
            const char *what = panel->quantity ? panel->quantity
                               : alone         ? panel->series[0].label
                                               : "value";
            panel->title = alone ? NULL : panel->title;
            panel->y_label = axis_label(what, panel->unit, panel->y.power, !alone, arena);
        } else if (panel->y.power) {
            panel->y_label = fb_arena_printf(arena, "%s (%s)", panel->y_label,
                                             power_text(panel->y.power, arena));
        }
    }
}

/* Titles and legends that would be wider than their panels are shortened. */
static void fit_texts(fb_plot_figure *f, double left, fb_canvas *canvas, fb_arena *arena) {
    double entry = SAMPLE + PAD, whole = f->width - 2 * MARGIN - left;
    for (int k = 0; k < f->n_panels; k++) {
        fb_plot_panel *panel = &f->panels[k];
        double width = panel->has_legend ? f->plot_width : whole;
        panel->title = panel->title
                           ? fit(panel->title, FINE, f->plot_width + GUTTER / 2, canvas, arena)
                           : NULL;
        for (int j = 0; j < panel->n_series; j++) {
            panel->series[j].label = fit(panel->series[j].label, SMALL, width - entry, canvas,
                                         arena);
        }
    }
    for (int i = 0; i < f->n_styles; i++) {
        f->styles[i].label = fit(f->styles[i].label, SMALL, whole - entry, canvas, arena);
    }
}

/* A label that rows below one another share stands beside all of them. */
static void join_labels(fb_plot_figure *f, fb_canvas *canvas, fb_arena *arena) {
    for (int column = 0; column < f->columns; column++) {
        for (int row = 0; row < f->rows;) {
            fb_plot_panel *panel = panel_at(f, row, column), *last = panel;
            int rows = 1;
            if (!panel) {
                row++;
                continue;
            }
            while (shows_label(f, row, column) && panel_at(f, row + rows, column) &&
                   shows_label(f, row + rows, column) &&
                   strcmp(panel_at(f, row + rows, column)->y_label, panel->y_label) == 0) {
                last = panel_at(f, row + rows++, column);
            }
            panel->label_rows = shows_label(f, row, column) ? rows : 0;
            panel->drawn_label = fit(panel->y_label, FINE,
                                     last->top + f->plot_height - panel->top + GUTTER, canvas,
                                     arena);
            row += rows;
        }
    }
}

bool fb_plot_layout(fb_plot_figure *f, fb_canvas *canvas, fb_arena *arena) {
    bool given = f->height > 0;
    choose_grid(f, arena);
    find_ranges(f, arena);
    double guess = given          ? f->height / f->rows - 20
                   : f->rows == 1 ? (f->columns == 1 ? 55 : 45) * MM
                   : f->rows == 2 ? 38 * MM
                   : f->rows == 3 ? 30 * MM
                                  : 25 * MM;
    tick_y(f, guess);
    name_axes(f, arena);
    double left[8], sum = 0;
    for (int column = 0; column < f->columns; column++) {
        left[column] = left_of(f, column, canvas);
        sum += left[column];
    }
    f->plot_width = (f->width - 2 * MARGIN - GUTTER * f->columns - sum) / f->columns;
    if (f->plot_width < SMALLEST) {
        return false;
    }
    tick_x(f, canvas);
    fit_texts(f, left[0], canvas, arena);
    double top = MARGIN + (f->title ? TITLE * LINE + PAD : 0);
    f->legend_top = top;
    top += legend(f->common, f->styles, f->n_styles, canvas, 0, 0, f->width - 2 * MARGIN - left[0],
                  false);
    double heads = 0, foot = TICK + PAD + SMALL + PAD + LABEL + PAD;
    for (int row = 0; row < f->rows; row++) {
        heads += head_of(f, row, canvas);
    }
    double gaps = GUTTER * (f->rows - 1), rest = top + heads + gaps + foot + MARGIN;
    f->plot_height = given ? (f->height - rest) / f->rows : guess;
    f->height = given ? f->height : rest + guess * f->rows;
    if (f->plot_height < SMALLEST) {
        return false;
    }
    int longest = 0;
    for (int k = 0; k < f->n_panels; k++) {
        for (int j = 0; j < f->panels[k].n_series; j++) {
            longest = f->panels[k].series[j].n > longest ? f->panels[k].series[j].n : longest;
        }
    }
    f->points = fb_arena_array(arena, 2 * (size_t)longest, sizeof *f->points);
    for (int row = 0; row < f->rows; row++) {
        top += head_of(f, row, canvas);
        double x = MARGIN;
        for (int column = 0; column < f->columns; column++) {
            fb_plot_panel *panel = panel_at(f, row, column);
            x += left[column];
            if (panel) {
                panel->left = x;
                panel->label_left = x - left[column] + LABEL * 0.8;
                panel->top = top;
            }
            x += f->plot_width + GUTTER;
        }
        top += f->plot_height + GUTTER;
    }
    join_labels(f, canvas, arena);
    return true;
}

/* ---- drawing -----------------------------------------------------------------------------------
 */

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
    bool numbers = shows_x(f, row, column);
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
        double below = panel_at(f, row + panel->label_rows - 1, column)->top + f->plot_height;
        double size = fit_size(panel->drawn_label, LABEL, below - top + GUTTER, canvas);
        fb_canvas_text(canvas, (fb_point){panel->label_left, (top + below) / 2}, size, 0.5, true,
                       panel->drawn_label);
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
    const fb_plot_panel *panel = panel_at(f, row, column);
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
        double h = legend(panel, NULL, 0, canvas, 0, 0, f->plot_width, false) + 1;
        legend(panel, NULL, 0, canvas, panel->left, y - h, f->plot_width, true);
        y -= h;
    }
    if (panel->title) {
        double size = fit_size(panel->title, LABEL, f->plot_width + GUTTER / 2, canvas);
        fb_canvas_text(canvas, (fb_point){panel->left, y - PAD - LABEL * 0.2}, size, 0, false,
                       panel->title);
    }
}

void fb_plot_draw(const fb_plot_figure *f, fb_canvas *canvas) {
    double left = f->panels[0].left;
    if (f->title) {
        fb_canvas_text(canvas, (fb_point){left, MARGIN + TITLE * 0.8}, TITLE, 0, false, f->title);
    }
    legend(f->common, f->styles, f->n_styles, canvas, left, f->legend_top, f->width - MARGIN - left,
           true);
    for (int k = 0; k < f->rows * f->columns; k++) {
        if (f->grid[k]) {
            draw_panel(f, k / f->columns, k % f->columns, canvas);
        }
    }
}
