/* fbplot: ranges, ticks and the places of panels on the page. All lengths are in points. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/number.h"
#include "tools/fbplot_page.h"

#define MM (72 / 25.4)
#define SMALLEST 24.0 /* side of a plot area */
#define DECIMALS 6
#define FEW_PANELS 6 /* so few need no titles if their axes are named */

/* ---- ticks ----------------------------------------------------------------------------------- */

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

/* ---- texts that must fit --------------------------------------------------------------------- */

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

/* ---- ranges ---------------------------------------------------------------------------------- */

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
        double half = fmax(least / 2, middle != 0 ? 0.1 * fabs(middle) : least > 0 ? 0 : 1);
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

static bool same_quantity(const fb_plot_panel *a, const fb_plot_panel *b) {
    return fb_plot_same(a->quantity, b->quantity) && fb_plot_same(a->unit, b->unit);
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

/* ---- places ---------------------------------------------------------------------------------- */

fb_plot_panel *fb_plot_at(const fb_plot_figure *f, int row, int column) {
    return row < f->rows ? f->grid[row * f->columns + column] : NULL;
}

/* A label stands at the left of a row, and where it differs from the one before. */
static bool shows_label(const fb_plot_figure *f, int row, int column) {
    const fb_plot_panel *panel = fb_plot_at(f, row, column);
    return column == 0 || strcmp(panel->y_label, fb_plot_at(f, row, column - 1)->y_label) != 0;
}

bool fb_plot_shows_x(const fb_plot_figure *f, int row, int column) {
    return fb_plot_at(f, row + 1, column) == NULL;
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
        const fb_plot_panel *panel = fb_plot_at(f, row, column);
        if (panel) {
            double label = panel->label_rows ? PAD + LABEL * LINE * (panel->lines[1] ? 2 : 1) : 0;
            most = fmax(most, TICK + PAD + number_width(&panel->y, canvas) + label);
        }
    }
    return most;
}

/* Title and legend above a row's plot areas. */
static double head_of(const fb_plot_figure *f, int row, fb_canvas *canvas) {
    double most = SMALL / 2; /* half a number */
    for (int column = 0; column < f->columns; column++) {
        const fb_plot_panel *panel = fb_plot_at(f, row, column);
        if (panel) {
            double h = panel->title ? LABEL * LINE + PAD : 0;
            if (panel->has_legend) {
                h += fb_plot_legend(panel, NULL, 0, canvas, 0, 0, f->plot_width, false) + 1;
            }
            most = fmax(most, h);
        }
    }
    return most;
}

/* How many panels from the k-th on are of one quantity. */
static int run_at(const fb_plot_figure *f, int k) {
    int n = 1;
    while (k + n < f->n_panels && same_quantity(&f->panels[k], &f->panels[k + n])) {
        n++;
    }
    return n;
}

/* Gives each panel a place, from left to right and down. A quantity that fills more than half
 * a row begins one; in a matrix each does that has several panels. */
static void place_panels(fb_plot_figure *f, bool is_matrix, fb_arena *arena) {
    f->grid = fb_arena_array(arena, (size_t)(2 * f->n_panels * f->columns), sizeof *f->grid);
    int at = 0;
    for (int k = 0; k < f->n_panels;) {
        int n = run_at(f, k);
        bool is_long = (2 * n > f->columns || is_matrix) && n > 1 && f->panels[k].quantity;
        if (is_long && at % f->columns != 0) {
            at += f->columns - at % f->columns;
        }
        for (int i = 0; i < n; i++) {
            f->grid[at++] = &f->panels[k++];
        }
    }
    f->rows = (at + f->columns - 1) / f->columns;
}

/* Quantities of nearly as many panels each, a row's at most, make a matrix: how many columns it
 * has, or 0. */
static int matrix_columns(const fb_plot_figure *f, int most) {
    int runs = 0, longest = 0;
    for (int k = 0, n; k < f->n_panels; k += n) {
        n = run_at(f, k);
        longest = n > longest ? n : longest;
        runs++;
    }
    return runs > 1 && longest > 1 && longest <= most && 4 * f->n_panels >= 3 * longest * runs
               ? longest
               : 0;
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
    int matrix = matrix_columns(f, f->columns);
    f->columns = matrix ? matrix : f->columns;
    place_panels(f, matrix > 0, arena);
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
                                         f->x_is_quantity || strcmp(f->x_name, "time") == 0, arena);
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

/* Breaks a label at the space that leaves the shorter lines. */
static void break_label(fb_plot_panel *panel, fb_canvas *canvas, fb_arena *arena) {
    const char *text = panel->y_label;
    double best = FB_INFINITY;
    for (const char *at = strchr(text, ' '); at; at = strchr(at + 1, ' ')) {
        const char *first = fb_arena_text(arena, text, (size_t)(at - text));
        double longer = fmax(fb_canvas_width(canvas, LABEL, first),
                             fb_canvas_width(canvas, LABEL, at + 1));
        if (longer < best) {
            best = longer;
            panel->lines[0] = first;
            panel->lines[1] = at + 1;
        }
    }
}

/* A label that rows below one another share stands beside all of them; one that is longer than its
 * rows are high, by `height` each, is broken into two lines. */
static void join_labels(fb_plot_figure *f, double height, fb_canvas *canvas, fb_arena *arena) {
    for (int column = 0; column < f->columns; column++) {
        for (int row = 0; row < f->rows;) {
            fb_plot_panel *panel = fb_plot_at(f, row, column);
            int rows = 1;
            if (!panel) {
                row++;
                continue;
            }
            while (shows_label(f, row, column) && fb_plot_at(f, row + rows, column) &&
                   shows_label(f, row + rows, column) &&
                   strcmp(fb_plot_at(f, row + rows, column)->y_label, panel->y_label) == 0) {
                rows++;
            }
            panel->label_rows = shows_label(f, row, column) ? rows : 0;
            panel->lines[0] = panel->y_label;
            if (fb_canvas_width(canvas, LABEL, panel->y_label) > rows * (height + GUTTER)) {
                break_label(panel, canvas, arena);
            }
            row += rows;
        }
    }
}

/* Labels that are too long even so are shortened. */
static void fit_labels(fb_plot_figure *f, fb_canvas *canvas, fb_arena *arena) {
    for (int i = 0; i < f->rows * f->columns; i++) {
        fb_plot_panel *panel = f->grid[i];
        if (panel && panel->label_rows > 0) {
            const fb_plot_panel *last = f->grid[i + (panel->label_rows - 1) * f->columns];
            double height = last->top + f->plot_height - panel->top + GUTTER;
            for (int k = 0; k < 2 && panel->lines[k]; k++) {
                panel->lines[k] = fit(panel->lines[k], FINE, height, canvas, arena);
            }
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
    join_labels(f, guess, canvas, arena);
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
    top += fb_plot_legend(f->common, f->styles, f->n_styles, canvas, 0, 0,
                          f->width - 2 * MARGIN - left[0], false);
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
            fb_plot_panel *panel = fb_plot_at(f, row, column);
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
    fit_labels(f, canvas, arena);
    return true;
}
