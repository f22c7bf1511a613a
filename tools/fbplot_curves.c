/* fbplot: the curves of one or several tables, what is told about them, and legends. */
#include <math.h>
#include <string.h>
#include <strings.h>

#include "libcore/base/number.h"
#include "tools/fbplot_plan.h"

/* Beyond the first, numbers are as good as infinite: ranges could not be computed. Below the second
 * they are zero. */
#define LARGEST 1e300
#define SMALLEST 1e-300

/* ---- curves ---------------------------------------------------------------------------------- */

static double value_at(const fb_plot_table *t, int row, int column) {
    double x = fb_sto_value(&t->data, row, column);
    x *= t->columns[column].factor;
    return fabs(x) < SMALLEST ? 0 : fabs(x) < LARGEST ? x : FB_NAN;
}

/* Whether a table's horizontal axis can be drawn over the lead's. */
static bool fits_x(const fb_plot_plan *p, const fb_plot_table *t) {
    const fb_plot_column *mine = &p->lead->columns[p->lead->x], *other = &t->columns[t->x];
    if (fb_plot_convert(other->unit, mine->unit) != 0) {
        return true;
    }
    fb_cli_say(p->cli, "'%s' of %s is in %s, '%s' of %s in %s", mine->name,
               fb_plot_base_name(p->lead->file), mine->unit, other->name,
               fb_plot_base_name(t->file), other->unit);
    return false;
}

/* The horizontal axis of a table, converted to the lead's unit; NaN where it has none. */
static double *take_x(const fb_plot_plan *p, const fb_plot_table *t) {
    int n = t->data.n_rows;
    double *x = fb_arena_array(p->arena, (size_t)n + 1, sizeof *x);
    double factor = fb_plot_convert(t->columns[t->x].unit, p->lead->columns[p->lead->x].unit);
    for (int i = 0; i < n; i++) {
        x[i] = value_at(t, i, t->x) * factor;
    }
    if (p->choice->normalize) {
        double low = FB_INFINITY, high = -FB_INFINITY;
        for (int i = 0; i < n; i++) {
            low = fmin(low, x[i]);
            high = fmax(high, x[i]);
        }
        for (int i = 0; i < n; i++) {
            x[i] = high > low ? 100 * (x[i] - low) / (high - low) : 0;
        }
    }
    return x;
}

static double *take_y(fb_plot_plan *p, const fb_plot_table *t, int column, double factor) {
    int n = t->data.n_rows;
    double *y = fb_arena_array(p->arena, (size_t)n + 1, sizeof *y);
    for (int i = 0; i < n; i++) {
        y[i] = value_at(t, i, column) * factor;
        if (isnan(y[i]) || isnan(value_at(t, i, t->x))) {
            if (!p->gaps++) {
                p->first_gap = t->columns[column].name;
                p->first_gap_file = t->file;
            }
        }
    }
    return y;
}

/* The value at x by straight lines between points; `at` remembers the place. */
static double interpolate(const double *xs, const double *ys, int n, double x, int *at) {
    while (*at + 2 < n && xs[*at + 1] < x) {
        ++*at;
    }
    int i = *at;
    if (n == 1 || x == xs[i]) {
        return ys[i];
    }
    if (x == xs[i + 1]) {
        return ys[i + 1];
    }
    return ys[i] + (ys[i + 1] - ys[i]) * (x - xs[i]) / (xs[i + 1] - xs[i]);
}

/* Tables that are averaged must have an axis that increases, and ranges that meet: in *low, *high.
 */
static int find_common(const fb_plot_plan *p, const fb_plot_set *set, double **xs, double *low,
                       double *high) {
    *low = -FB_INFINITY;
    *high = FB_INFINITY;
    for (int k = 0; k < set->n; k++) {
        int n = set->tables[k].data.n_rows;
        xs[k] = take_x(p, &set->tables[k]);
        for (int i = 0; i < n; i++) {
            if (isnan(xs[k][i]) || (i > 0 && !(xs[k][i] > xs[k][i - 1]))) {
                fb_diag_add(&p->cli->diag, FB_ERROR, FB1401,
                            (fb_place){set->tables[k].file, 0, NULL, NULL}, NULL,
                            "--mean: '%s' does not increase in row %d",
                            set->tables[k].columns[set->tables[k].x].name, i + 1);
                return FB_EXIT_INPUT;
            }
        }
        *low = fmax(*low, xs[k][0]);
        *high = fmin(*high, xs[k][n - 1]);
    }
    if (*low > *high) {
        fb_cli_say(p->cli, "--mean: the tables have no range of '%s' in common",
                   p->lead->columns[p->lead->x].name);
        return FB_EXIT_INPUT;
    }
    return FB_EXIT_OK;
}

/* The points of the first table within the common range, and its ends. */
static int make_grid(const fb_plot_plan *p, const double *x, int n, double low, double high,
                     double **grid) {
    *grid = fb_arena_array(p->arena, (size_t)n + 2, sizeof **grid);
    int count = 0;
    (*grid)[count++] = low;
    for (int i = 0; i < n; i++) {
        if (x[i] > low && x[i] < high) {
            (*grid)[count++] = x[i];
        }
    }
    if (high > low) {
        (*grid)[count++] = high;
    }
    return count;
}

/* The mean curve and the sample standard deviation (divided by n - 1). */
static void average(fb_plot_plan *p, const fb_plot_set *set, double **xs, int lead_column, int n,
                    const double *grid, fb_plot_series *series) {
    const char *unit = p->lead->columns[lead_column].unit;
    double *sum = fb_arena_array(p->arena, (size_t)n, sizeof *sum);
    double *values = fb_arena_array(p->arena, (size_t)n * (size_t)set->n, sizeof *values);
    double *sd = fb_arena_array(p->arena, (size_t)n, sizeof *sd);
    for (int k = 0; k < set->n; k++) {
        const fb_plot_table *t = &set->tables[k];
        int column = fb_plot_counterpart(p, t, lead_column), at = 0;
        const double *y = take_y(p, t, column, fb_plot_convert(t->columns[column].unit, unit));
        for (int i = 0; i < n; i++) {
            double v = interpolate(xs[k], y, t->data.n_rows, grid[i], &at);
            values[(size_t)i * (size_t)set->n + (size_t)k] = v;
            sum[i] += v;
        }
    }
    for (int i = 0; i < n; i++) {
        double mean = sum[i] / set->n, squares = 0;
        for (int k = 0; k < set->n; k++) {
            double d = values[(size_t)i * (size_t)set->n + (size_t)k] - mean;
            squares += d * d;
        }
        sum[i] = mean;
        sd[i] = sqrt(squares / (set->n - 1));
    }
    series->n = n;
    series->x = grid;
    series->y = sum;
    series->sd = sd;
}

/* Whether every table of a set has the lead's column, in a unit that fits. */
static bool set_has(const fb_plot_plan *p, const fb_plot_set *set, int column) {
    for (int k = 0; k < set->n; k++) {
        int j = fb_plot_counterpart(p, &set->tables[k], column);
        if (j < 0 || j == set->tables[k].x ||
            fb_plot_convert(set->tables[k].columns[j].unit, p->lead->columns[column].unit) == 0) {
            return false;
        }
    }
    return true;
}

/* The colour of a column's curve: black alone in its panel, else by its number there. */
static int colour_of(const fb_plot_plan *p, int column) {
    int colour = 0;
    if (p->panels[p->panel[column]].n_columns == 1) {
        return -1;
    }
    for (int j = 0; j < column; j++) {
        colour += p->panel[j] == p->panel[column];
    }
    return colour;
}

/* What a curve is called in an SVG: the column's name, and the parameter where it has many. */
static const char *title_of(const fb_plot_plan *p, int column) {
    const fb_plot_column *c = &p->lead->columns[column];
    return p->lead->parameter
               ? fb_arena_printf(p->arena, "%s, %s = %s", c->name, p->lead->parameter, c->curve)
               : c->name;
}

/* The other model's curves of a sweep --against, dashed. */
static void add_partners(fb_plot_plan *p) {
    const fb_plot_table *t = p->lead;
    double *x = p->has_partner ? take_x(p, t) : NULL;
    for (int i = 0; i < t->data.n_columns; i++) {
        int column = p->partner[i];
        if (column < 0 || p->panel[i] < 0) {
            continue;
        }
        fb_plot_panel *panel = &p->panels[p->panel[i]];
        double factor = fb_plot_convert(t->columns[column].unit, t->columns[i].unit);
        panel->series[panel->n_series++] = (fb_plot_series){.name = title_of(p, column),
                                                            .label = p->labels[i],
                                                            .color = colour_of(p, i),
                                                            .dash = 1,
                                                            .n = t->data.n_rows,
                                                            .x = x,
                                                            .y = take_y(p, t, column, factor)};
    }
}

/* The curves of one set, in all panels. */
static int add_curves(fb_plot_plan *p, int number) {
    const fb_plot_set *set = &p->sets[number];
    double **xs = fb_arena_array(p->arena, (size_t)set->n, sizeof *xs), *grid = NULL;
    double *x = NULL, low, high;
    int n = 0, status = FB_EXIT_OK;
    for (int k = 0; k < set->n; k++) {
        if (!fits_x(p, &set->tables[k])) {
            return FB_EXIT_INPUT;
        }
    }
    if (p->choice->mean) {
        status = find_common(p, set, xs, &low, &high);
        if (status == FB_EXIT_OK) {
            n = make_grid(p, xs[0], set->tables[0].data.n_rows, low, high, &grid);
        }
    } else {
        x = take_x(p, &set->tables[0]);
    }
    for (int i = 0; i < p->lead->data.n_columns && status == FB_EXIT_OK; i++) {
        if (p->panel[i] < 0 || !set_has(p, set, i)) {
            continue;
        }
        fb_plot_panel *panel = &p->panels[p->panel[i]];
        const fb_plot_column *c = &p->lead->columns[i];
        fb_plot_series s = {.name = title_of(p, i),
                            .label = p->labels[i],
                            .dash = number,
                            .color = colour_of(p, i)};
        if (p->choice->mean) {
            average(p, set, xs, i, n, grid, &s);
        } else {
            const fb_plot_table *t = &set->tables[0];
            int column = fb_plot_counterpart(p, t, i), band = fb_plot_band_of(p, t, column);
            double factor = fb_plot_convert(t->columns[column].unit, c->unit);
            s.n = t->data.n_rows;
            s.x = x;
            s.y = take_y(p, t, column, factor);
            if (band >= 0) { /* a height is in the unit of its curve */
                t->columns[band].factor = t->columns[column].factor;
                s.sd = take_y(p, t, band, factor);
            }
        }
        panel->series[panel->n_series++] = s;
    }
    return status;
}

/* ---- what is told ---------------------------------------------------------------------------- */

/* Columns that only one of two sets has. */
static void tell_unmatched(const fb_plot_plan *p, int number) {
    const fb_plot_set *set = &p->sets[number];
    int lacking = 0, more = 0;
    const char *first = NULL, *other = NULL;
    for (int i = 0; i < p->lead->data.n_columns; i++) {
        if (p->panel[i] >= 0 && !set_has(p, set, i)) {
            first = lacking++ ? first : p->lead->columns[i].name;
        }
    }
    const fb_plot_table *t = &set->tables[0];
    for (int j = 0; number > 0 && j < t->data.n_columns; j++) {
        if (j != t->x && fb_sto_column(&p->lead->data, t->data.columns[j]) < 0) {
            other = more++ ? other : t->columns[j].name;
        }
    }
    if (lacking) {
        fb_cli_say(p->cli,
                   "warning: %s lacks %d of the columns drawn, or has them in other units; the "
                   "first is '%s'",
                   number || set->n == 1 ? fb_plot_base_name(t->file) : "one of the tables",
                   lacking, first);
    }
    if (more && !fb_cli_value(p->cli, "columns") && !fb_cli_value(p->cli, "group")) {
        fb_cli_say(p->cli, "warning: %d columns of %s are not in %s; the first is '%s'", more,
                   fb_plot_base_name(t->file), fb_plot_base_name(p->lead->file), other);
    }
}

static void tell_units(const fb_plot_plan *p) {
    int unknown = 0;
    const char *first = NULL;
    for (int i = 0; i < p->lead->data.n_columns; i++) {
        if (p->panel[i] >= 0 && !p->lead->columns[i].unit) {
            first = unknown++ ? first : p->lead->columns[i].name;
        }
    }
    if (unknown && !fb_cli_value(p->cli, "ylabel")) {
        fb_cli_say(p->cli,
                   "the units of %d column%s are not known, the first is '%s'; --unit '%s=UNIT' or "
                   "so says them",
                   unknown, unknown == 1 ? "" : "s", first, first);
    }
    if (!p->lead->columns[p->lead->x].unit && !fb_cli_value(p->cli, "xlabel")) {
        fb_cli_say(p->cli, "the unit of '%s' is not known; --unit '%s=UNIT' says it",
                   p->lead->columns[p->lead->x].name, p->lead->columns[p->lead->x].name);
    }
}

static void tell_gaps(const fb_plot_plan *p) {
    if (p->gaps) {
        fb_cli_say(p->cli,
                   "warning: %ld point%s missing (nan), where lines are broken; the first is in "
                   "'%s' of %s",
                   p->gaps, p->gaps == 1 ? " is" : "s are", p->first_gap,
                   fb_plot_base_name(p->first_gap_file));
    }
}

/* ---- legends --------------------------------------------------------------------------------- */

static bool same_curves(const fb_plot_panel *a, const fb_plot_panel *b) {
    bool same_labels = a->n_columns == b->n_columns;
    for (int i = 0; i < a->n_columns && same_labels; i++) {
        same_labels = fb_plot_same(a->series[i].label, b->series[i].label);
    }
    return same_labels;
}

/* The curves that most panels have in common need one legend only, if there are two such panels:
 * those that would take most room. Those of the only panel stand beside the line styles. */
static void share_legend(fb_plot_plan *p) {
    int least = p->n_panels == 1 ? 0 : 1, most = 0;
    const fb_plot_panel *common = NULL;
    for (size_t k = 0; k < p->n_panels; k++) {
        int count = 0;
        for (size_t j = 0; j < p->n_panels && p->panels[k].n_columns > 1; j++) {
            count += same_curves(&p->panels[k], &p->panels[j]);
        }
        if (count > least && count * p->panels[k].n_columns > most) {
            most = count * p->panels[k].n_columns;
            common = &p->panels[k];
        }
    }
    p->figure->common = common;
    for (size_t k = 0; k < p->n_panels; k++) {
        fb_plot_panel *panel = &p->panels[k];
        panel->has_legend = panel->n_columns > 1 && !(common && same_curves(panel, common));
    }
}

/* The i-th --label, fit for a document; NULL if it is not given. */
static const char *label_of(const fb_plot_plan *p, int i) {
    const char *label = fb_cli_values(p->cli, "label", i);
    return label ? fb_plot_clean(p->arena, label) : NULL;
}

static void name_styles(fb_plot_plan *p) {
    fb_plot_figure *figure = p->figure;
    bool clash = false;
    for (int i = 0; i < 2 && p->has_partner; i++) {
        const char *name = label_of(p, i);
        figure->styles[figure->n_styles++] =
            (fb_plot_style){.label = name ? name : p->lead->models[i], .dash = i};
    }
    for (int i = 1; i < p->n_sets; i++) {
        clash = clash || strcmp(fb_plot_base_name(p->sets[i].tables[0].file),
                                fb_plot_base_name(p->sets[0].tables[0].file)) == 0;
    }
    if (p->choice->sd_suffix && p->n_sets == 1) {
        const char *what = p->choice->sd_suffix + strspn(p->choice->sd_suffix, "_.-| ");
        const char *label = fb_arena_printf(p->arena, "± %s", what);
        figure->styles[figure->n_styles++] = (fb_plot_style){.label = label, .band = true};
    }
    for (int i = 0; i < p->n_sets && (p->n_sets > 1 || p->choice->mean); i++) {
        const fb_plot_set *set = &p->sets[i];
        const char *file = set->tables[0].file;
        const char *name = label_of(p, i);
        bool is_one = name || set->n == 1;
        name = name ? name : clash ? file : fb_plot_base_name(file);
        if (p->choice->mean) {
            name = fb_arena_printf(p->arena, "%s%s%smean ± SD, n = %d", p->n_sets > 1 ? name : "",
                                   p->n_sets > 1 && !is_one ? " .." : "", p->n_sets > 1 ? ": " : "",
                                   set->n);
        }
        figure->styles[figure->n_styles++] =
            (fb_plot_style){.label = name, .dash = i, .band = p->choice->mean};
    }
}

/* Forgets columns that the first set's tables do not all have, and panels of such columns alone. */
static int drop_empty(fb_plot_plan *p) {
    size_t kept = 0;
    for (size_t k = 0; k < p->n_panels; k++) {
        p->panels[k].n_columns = p->panels[k].n_series;
        for (int j = 0; j < p->lead->data.n_columns; j++) {
            if (p->panel[j] == (int)k) {
                p->panel[j] = p->panels[k].n_series ? (int)kept : -1;
            }
        }
        if (p->panels[k].n_series) {
            p->panels[kept++] = p->panels[k];
        }
    }
    p->n_panels = kept;
    if (kept == 0) {
        fb_cli_say(p->cli, "the tables have no column in common");
        return FB_EXIT_INPUT;
    }
    return FB_EXIT_OK;
}
int fb_plot_curves(fb_plot_plan *p) {
    fb_plot_figure *figure = p->figure;
    int status = FB_EXIT_OK;
    for (size_t k = 0; k < p->n_panels; k++) {
        size_t most = (size_t)p->panels[k].n_columns * (size_t)(p->has_partner ? 2 : p->n_sets);
        p->panels[k].series = fb_arena_array(p->arena, most, sizeof *p->panels[k].series);
    }
    for (int i = 0; i < p->n_sets && status == FB_EXIT_OK; i++) {
        if (!p->cli->quiet && (i > 0 || p->choice->mean)) {
            tell_unmatched(p, i);
        }
        status = add_curves(p, i);
        if (i == 0 && status == FB_EXIT_OK) {
            status = drop_empty(p);
        }
    }
    if (status != FB_EXIT_OK) {
        return status;
    }
    add_partners(p);
    figure->panels = p->panels;
    figure->n_panels = (int)p->n_panels;
    share_legend(p);
    name_styles(p);
    if (!p->cli->quiet) {
        tell_units(p);
        tell_gaps(p);
    }
    const fb_plot_column *x = &p->lead->columns[p->lead->x];
    figure->x_name = x->object;
    figure->x_is_quantity = x->quantity && strcasecmp(x->object, x->quantity) == 0;
    figure->x_unit = x->unit;
    return FB_EXIT_OK;
}
