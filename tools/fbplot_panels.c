/* fbplot: which columns share a panel, and the curves that makes of one or several tables. */
#include <fnmatch.h>
#include <math.h>
#include <string.h>

#include "libcore/base/number.h"
#include "tools/fbplot.h"

#define FEW 7 /* curves that a panel holds unless the user asks for more */
#define FEW_BANDS 3
#define MOST 14 /* curves that can be told apart */
#define LARGEST \
    1e300 /* numbers beyond it are as good as infinite: ranges could not be computed \
           */
#define SMALLEST 1e-300
#define PANELS 200 /* panels that a page can hold */

typedef struct plan {
    fb_plot_figure *figure;
    fb_cli *cli;
    const fb_plot_set *sets;
    int n_sets;
    const fb_plot_choice *choice;
    fb_arena *arena;
    const fb_plot_table *lead;
    bool *wanted; /* of the lead's columns */
    int *panel;   /* which panel a column is in, -1: none yet */
    const char **labels;
    size_t n_panels, capacity_panels;
    fb_plot_panel *panels;
    long gaps;             /* points that are missing in what is drawn */
    const char *first_gap; /* the column of the first */
    const char *first_gap_file;
} plan;

static const char *base_name(const char *file) {
    const char *slash = strrchr(file, '/');
    return strcmp(file, "-") == 0 ? "<stdin>" : slash && slash[1] ? slash + 1 : file;
}

static bool same(const char *a, const char *b) {
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* ---- columns that the user names ---------------------------------------------------------------
 */

static const char *column_name(const void *context, int i) {
    const fb_plot_table *table = context;
    return i < table->data.n_columns ? table->columns[i].name : NULL;
}

static const char *column_object(const void *context, int i) {
    const fb_plot_table *table = context;
    return i < table->data.n_columns ? table->columns[i].object : NULL;
}

/* Whether a name is what a list of patterns with commas between them asks for: whole names, or
 * what the column belongs to. A name that holds commas itself may stand alone. */
static bool is_named(const fb_plot_column *column, const char *pattern, size_t n, fb_arena *arena) {
    const char *glob = fb_arena_text(arena, pattern, n);
    return strcmp(glob, column->name) == 0 || fnmatch(glob, column->name, 0) == 0 ||
           fnmatch(glob, column->object, 0) == 0;
}

static int say_no_column(const plan *p, const char *pattern, size_t n) {
    const char *word = fb_arena_text(p->arena, pattern, n);
    const char *near = fb_nearest_word(word, column_name, p->lead);
    near = near ? near : fb_nearest_word(word, column_object, p->lead);
    fb_cli_say(p->cli, "%s has no column '%s'%s%s%s", base_name(p->lead->file), word,
               near ? "; is '" : "", near ? near : "", near ? "' meant?" : "");
    return FB_EXIT_USAGE;
}

/* Marks the columns of a list of patterns; an exit status. */
static int mark_columns(const plan *p, const char *list, bool *marks) {
    for (const char *at = list; *at;) {
        size_t n = strcspn(at, ",");
        bool any = false;
        for (int i = 0; n > 0 && i < p->lead->data.n_columns; i++) {
            if (i != p->lead->x && is_named(&p->lead->columns[i], at, n, p->arena)) {
                marks[i] = any = true;
            }
        }
        if (n > 0 && !any) {
            return say_no_column(p, at, n);
        }
        at += n + (at[n] == ',');
    }
    return FB_EXIT_OK;
}

/* The column of a table that is called as the lead's is. Of several with one name, the first goes
 * with the first; -1 if there is none. */
static int counterpart(const plan *p, const fb_plot_table *t, int column) {
    const char *name = p->lead->data.columns[column];
    int before = 0;
    for (int j = 0; j < column; j++) {
        before += strcmp(p->lead->data.columns[j], name) == 0;
    }
    for (int j = 0; j < t->data.n_columns; j++) {
        if (strcmp(t->data.columns[j], name) == 0 && before-- == 0) {
            return j;
        }
    }
    return -1;
}

/* The column of a band: called as the curve's is, with the other suffix; -1 if it is no such. */
static int band_of(const plan *p, const fb_plot_table *table, int column) {
    const char *name = table->data.columns[column], *end = p->choice->mean_suffix;
    size_t n = strlen(name), m = end ? strlen(end) : 0;
    if (!end || n <= m || strcmp(name + n - m, end) != 0) {
        return -1;
    }
    return fb_sto_column(&table->data, fb_arena_printf(p->arena, "%.*s%s", (int)(n - m), name,
                                                       p->choice->sd_suffix));
}

/* Which columns are drawn: those of --columns, or all; of fbsim's sparse tables without those that
 * are zero throughout; columns that are a band's height are no curves. */
static int choose_columns(plan *p) {
    const fb_sto *data = &p->lead->data;
    const char *list = fb_cli_value(p->cli, "columns");
    bool grouped = fb_cli_value(p->cli, "group") != NULL;
    int status = FB_EXIT_OK;
    for (int i = 0; (list = fb_cli_values(p->cli, "columns", i)) != NULL; i++) {
        status = status == FB_EXIT_OK ? mark_columns(p, list, p->wanted) : status;
    }
    if (status != FB_EXIT_OK) {
        return status;
    }
    if (!fb_cli_value(p->cli, "columns")) {
        bool sparse = data->name && !grouped &&
                      (strcmp(data->name, "moment_arm") == 0 ||
                       strcmp(data->name, "mass_matrix") == 0);
        int left_out = 0;
        for (int j = 0; j < data->n_columns; j++) {
            bool zero = sparse;
            for (int i = 0; i < data->n_rows && zero; i++) {
                zero = data->values[(size_t)i * (size_t)data->n_columns + (size_t)j] == 0;
            }
            bool is_time = j == 0 && same(p->lead->columns[j].quantity, "time");
            p->wanted[j] = j != p->lead->x && !zero && !is_time;
            left_out += zero && j != p->lead->x;
        }
        if (left_out && !p->cli->quiet) {
            fb_cli_say(p->cli, "%d columns are zero throughout and left out; --columns draws them",
                       left_out);
        }
    }
    for (int j = 0; j < data->n_columns; j++) {
        int band = p->wanted[j] ? band_of(p, p->lead, j) : -1;
        if (band >= 0) {
            fb_plot_column *c = &p->lead->columns[j];
            size_t n = strlen(c->object), m = strlen(p->choice->mean_suffix);
            bool ends = n > m && strcmp(c->object + n - m, p->choice->mean_suffix) == 0;
            c->object = ends ? fb_arena_text(p->arena, c->object, n - m) : c->object;
            p->wanted[band] = false;
        }
    }
    int n = 0, n_bands = 0;
    for (int j = 0; j < data->n_columns; j++) {
        n += p->wanted[j];
        n_bands += p->wanted[j] && band_of(p, p->lead, j) >= 0;
    }
    if (p->choice->mean_suffix && n_bands == 0) {
        fb_cli_say(p->cli, "--band: no columns are called NAME%s and NAME%s",
                   p->choice->mean_suffix, p->choice->sd_suffix);
        return FB_EXIT_USAGE;
    }
    if (n == 0) {
        fb_cli_say(p->cli, "%s has no column to draw over '%s'", base_name(p->lead->file),
                   p->lead->columns[p->lead->x].name);
        return FB_EXIT_INPUT;
    }
    return FB_EXIT_OK;
}

/* ---- panels ------------------------------------------------------------------------------------
 */

/* A name without its side, its side, and the name of the other side: "hip_flexion_r",
 * "hip_flexion_r_reserve", "r_elbow"; false if it has none. */
static bool find_side(const char *name, fb_arena *arena, const char **stem, const char **side,
                      const char **other) {
    static const char *const pairs[][2] = {{"_r", "_l"},        {"_R", "_L"}, {"_right", "_left"},
                                           {".R", ".L"},        {"r_", "l_"}, {"R_", "L_"},
                                           {"right_", "left_"}, {"R.", "L."}};
    enum { ENDS = 4, N = 8 }; /* the first are ends or stand within, the others begin a name */
    size_t n = strlen(name);
    for (int k = 0; k < 2 * N; k++) {
        const char *mark = pairs[k / 2][k % 2], *partner = pairs[k / 2][1 - k % 2];
        size_t m = strlen(mark);
        if (k / 2 >= ENDS) {
            if (n > m && strncmp(name, mark, m) == 0) {
                *stem = name + m;
                *side = fb_arena_text(arena, mark, m - 1);
                *other = fb_arena_printf(arena, "%s%s", partner, *stem);
                return true;
            }
            continue;
        }
        for (const char *at = strstr(name, mark); at; at = strstr(at + 1, mark)) {
            if (at > name && (!at[m] || at[m] == '_' || at[m] == '.')) {
                *stem = fb_arena_printf(arena, "%.*s%s", (int)(at - name), name, at + m);
                *side = mark + 1;
                *other = fb_arena_printf(arena, "%.*s%s%s", (int)(at - name), name, partner,
                                         at + m);
                return true;
            }
        }
    }
    return false;
}

/* Splits a column's object; false also if its other side is none of the columns drawn. */
static bool split_side(const plan *p, int column, const char **stem, const char **side) {
    const fb_plot_column *c = &p->lead->columns[column];
    const char *other;
    if (!find_side(c->object, p->arena, stem, side, &other)) {
        return false;
    }
    for (int j = 0; j < p->lead->data.n_columns; j++) {
        const fb_plot_column *d = &p->lead->columns[j];
        if (p->wanted[j] && strcmp(d->object, other) == 0 && same(d->quantity, c->quantity) &&
            same(d->unit, c->unit)) {
            return true;
        }
    }
    return false;
}

static int add_panel(plan *p, const char *title, const char *quantity, const char *unit) {
    fb_plot_panel panel = {.title = title, .quantity = quantity, .unit = unit};
    FB_PUSH(p->arena, p->panels, p->n_panels, p->capacity_panels, panel);
    return (int)p->n_panels - 1;
}

static void put(plan *p, int column, int panel, const char *label) {
    p->panel[column] = panel;
    p->panels[panel].n_columns++;
    p->labels[column] = label;
}

/* What a column is called beside others of its quantity. */
static const char *short_label(const plan *p, int column) {
    const fb_plot_column *c = &p->lead->columns[column];
    for (int j = 0; j < p->lead->data.n_columns; j++) {
        const fb_plot_column *d = &p->lead->columns[j];
        if (j != column && p->wanted[j] && strcmp(c->object, d->object) == 0 &&
            same(c->part, d->part) && same(c->quantity, d->quantity)) {
            return c->name;
        }
    }
    return c->part ? fb_arena_printf(p->arena, "%s %s", c->object, c->part) : c->object;
}

/* Panels of --group: each takes all the columns it names. */
static int make_groups(plan *p) {
    const char *glob;
    int n = p->lead->data.n_columns;
    bool *marks = fb_arena_array(p->arena, (size_t)n, sizeof *marks);
    for (int k = 0; (glob = fb_cli_values(p->cli, "group", k)) != NULL; k++) {
        memset(marks, 0, (size_t)n * sizeof *marks);
        int status = mark_columns(p, glob, marks), panel = -1;
        if (status != FB_EXIT_OK) {
            return status;
        }
        for (int j = 0; j < n; j++) {
            const fb_plot_column *c = &p->lead->columns[j];
            if (!marks[j] || !p->wanted[j] || p->panel[j] >= 0) {
                continue;
            }
            if (panel < 0) {
                panel = add_panel(p, NULL, c->quantity, c->unit);
            }
            if (!same(p->panels[panel].quantity, c->quantity)) {
                p->panels[panel].quantity = NULL;
            }
            if (!same(p->panels[panel].unit, c->unit)) {
                p->panels[panel].unit = NULL;
            }
            put(p, j, panel, short_label(p, j));
        }
        if (panel >= 0 && p->panels[panel].n_columns > MOST) {
            fb_cli_say(p->cli,
                       "--group '%s' takes %d columns; more than %d in one panel cannot be told "
                       "apart",
                       glob, p->panels[panel].n_columns, MOST);
            return FB_EXIT_USAGE;
        }
        if (panel < 0) {
            fb_cli_say(p->cli, "--group '%s' takes no column that is drawn and in no other group",
                       glob);
            return FB_EXIT_USAGE;
        }
    }
    return FB_EXIT_OK;
}

/* Columns of one quantity that are too many for one panel: the sides of a thing, or the parts of a
 * vector, share one; others have their own. */
static void split_group(plan *p, int first) {
    int n = p->lead->data.n_columns;
    const fb_plot_column *lead = &p->lead->columns[first];
    for (int i = first; i < n; i++) {
        const fb_plot_column *c = &p->lead->columns[i];
        const char *stem = c->object, *label = c->part;
        if (!p->wanted[i] || p->panel[i] >= 0 || !same(c->quantity, lead->quantity) ||
            !same(c->unit, lead->unit)) {
            continue;
        }
        if (!c->part && !split_side(p, i, &stem, &label)) {
            stem = c->object;
            label = NULL;
        }
        int panel = add_panel(p, stem, c->quantity, c->unit);
        for (int j = i; label && j < n && p->panels[panel].n_columns < MOST; j++) {
            const fb_plot_column *d = &p->lead->columns[j];
            const char *other = d->object, *side = d->part;
            if (p->wanted[j] && p->panel[j] < 0 && same(c->quantity, d->quantity) &&
                same(c->unit, d->unit) && (d->part != NULL) == (c->part != NULL) &&
                (d->part || split_side(p, j, &other, &side)) && strcmp(stem, other) == 0) {
                put(p, j, panel, side);
            }
        }
        if (p->panel[i] < 0) {
            put(p, i, panel, short_label(p, i));
        }
    }
}

/* One panel for each quantity with its unit, or several if it has many columns. Columns of unknown
 * quantities may be of any magnitude, so that they share only what split_group shares. */
static void make_default_panels(plan *p) {
    int n = p->lead->data.n_columns;
    int few = p->choice->mean || p->choice->mean_suffix ? FEW_BANDS : FEW;
    for (int i = 0; i < n; i++) {
        const fb_plot_column *c = &p->lead->columns[i];
        if (!p->wanted[i] || p->panel[i] >= 0) {
            continue;
        }
        int count = 0;
        for (int j = i; j < n; j++) {
            const fb_plot_column *d = &p->lead->columns[j];
            count += p->wanted[j] && p->panel[j] < 0 && same(c->quantity, d->quantity) &&
                     same(c->unit, d->unit);
        }
        if (count > few || !c->quantity) {
            split_group(p, i);
            continue;
        }
        int panel = add_panel(p, count == 1 ? short_label(p, i) : NULL, c->quantity, c->unit);
        for (int j = i; j < n; j++) {
            const fb_plot_column *d = &p->lead->columns[j];
            if (p->wanted[j] && p->panel[j] < 0 && same(c->quantity, d->quantity) &&
                same(c->unit, d->unit)) {
                put(p, j, panel, short_label(p, j));
            }
        }
    }
}

static int check_count(const plan *p) {
    if (p->n_panels <= PANELS) {
        return FB_EXIT_OK;
    }
    const fb_plot_column *c = NULL;
    for (int j = p->lead->data.n_columns - 1; j >= 0; j--) {
        c = p->wanted[j] ? &p->lead->columns[j] : c;
    }
    const char *bar = c ? strrchr(c->name, '|') : NULL;
    fb_cli_say(p->cli, "%zu panels are too many for a page; --columns '%s%s' or so draws fewer",
               p->n_panels, bar ? "*" : "",
               bar ? bar
               : c ? c->name
                   : "");
    return FB_EXIT_USAGE;
}

/* ---- curves ------------------------------------------------------------------------------------
 */

static double value_at(const fb_plot_table *t, int row, int column) {
    double x = t->data.values[(size_t)row * (size_t)t->data.n_columns + (size_t)column];
    x *= t->columns[column].factor;
    return fabs(x) < SMALLEST ? 0 : fabs(x) < LARGEST ? x : FB_NAN;
}

/* Whether a table's horizontal axis can be drawn over the lead's. */
static bool fits_x(const plan *p, const fb_plot_table *t) {
    const fb_plot_column *mine = &p->lead->columns[p->lead->x], *other = &t->columns[t->x];
    if (fb_plot_convert(other->unit, mine->unit) != 0) {
        return true;
    }
    fb_cli_say(p->cli, "'%s' of %s is in %s, '%s' of %s in %s", mine->name,
               base_name(p->lead->file), mine->unit, other->name, base_name(t->file), other->unit);
    return false;
}

/* The horizontal axis of a table, converted to the lead's unit; NaN where it has none. */
static double *take_x(const plan *p, const fb_plot_table *t) {
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

static double *take_y(plan *p, const fb_plot_table *t, int column, double factor) {
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
static int find_common(const plan *p, const fb_plot_set *set, double **xs, double *low,
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
static int make_grid(const plan *p, const double *x, int n, double low, double high,
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
static void average(plan *p, const fb_plot_set *set, double **xs, int lead_column, int n,
                    const double *grid, fb_plot_series *series) {
    const char *unit = p->lead->columns[lead_column].unit;
    double *sum = fb_arena_array(p->arena, (size_t)n, sizeof *sum);
    double *values = fb_arena_array(p->arena, (size_t)n * (size_t)set->n, sizeof *values);
    double *sd = fb_arena_array(p->arena, (size_t)n, sizeof *sd);
    for (int k = 0; k < set->n; k++) {
        const fb_plot_table *t = &set->tables[k];
        int column = counterpart(p, t, lead_column), at = 0;
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
static bool set_has(const plan *p, const fb_plot_set *set, int column) {
    for (int k = 0; k < set->n; k++) {
        int j = counterpart(p, &set->tables[k], column);
        if (j < 0 || j == set->tables[k].x ||
            fb_plot_convert(set->tables[k].columns[j].unit, p->lead->columns[column].unit) == 0) {
            return false;
        }
    }
    return true;
}

/* The curves of one set, in all panels. */
static int add_curves(plan *p, int number) {
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
        fb_plot_series s = {.name = c->name, .label = p->labels[i], .dash = number, .color = -1};
        if (panel->n_columns > 1) {
            s.color = 0;
            for (int j = 0; j < i; j++) {
                s.color += p->panel[j] == p->panel[i];
            }
        }
        if (p->choice->mean) {
            average(p, set, xs, i, n, grid, &s);
        } else {
            const fb_plot_table *t = &set->tables[0];
            int column = counterpart(p, t, i), band = band_of(p, t, column);
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

/* ---- what is told ------------------------------------------------------------------------------
 */

/* Columns that only one of two sets has. */
static void tell_unmatched(const plan *p, int number) {
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
                   number || set->n == 1 ? base_name(t->file) : "one of the tables", lacking,
                   first);
    }
    if (more && !fb_cli_value(p->cli, "columns") && !fb_cli_value(p->cli, "group")) {
        fb_cli_say(p->cli, "warning: %d columns of %s are not in %s; the first is '%s'", more,
                   base_name(t->file), base_name(p->lead->file), other);
    }
}

static void tell_units(const plan *p) {
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

static void tell_gaps(const plan *p) {
    if (p->gaps) {
        fb_cli_say(p->cli,
                   "warning: %ld point%s missing (nan), where lines are broken; the first is in "
                   "'%s' of %s",
                   p->gaps, p->gaps == 1 ? " is" : "s are", p->first_gap,
                   base_name(p->first_gap_file));
    }
}

/* ---- legends -----------------------------------------------------------------------------------
 */

static bool same_curves(const fb_plot_panel *a, const fb_plot_panel *b) {
    bool same_labels = a->n_columns == b->n_columns;
    for (int i = 0; i < a->n_columns && same_labels; i++) {
        same_labels = same(a->series[i].label, b->series[i].label);
    }
    return same_labels;
}

/* The curves that most panels have in common need one legend only, if there are two such panels;
 * those of the only panel stand beside the line styles. */
static void share_legend(plan *p) {
    int most = p->n_panels == 1 ? 0 : 1;
    const fb_plot_panel *common = NULL;
    for (size_t k = 0; k < p->n_panels; k++) {
        int count = 0;
        for (size_t j = 0; j < p->n_panels && p->panels[k].n_columns > 1; j++) {
            count += same_curves(&p->panels[k], &p->panels[j]);
        }
        if (count > most) {
            most = count;
            common = &p->panels[k];
        }
    }
    p->figure->common = common;
    for (size_t k = 0; k < p->n_panels; k++) {
        fb_plot_panel *panel = &p->panels[k];
        panel->has_legend = panel->n_columns > 1 && !(common && same_curves(panel, common));
    }
}

static void name_styles(plan *p) {
    fb_plot_figure *figure = p->figure;
    bool clash = false;
    for (int i = 1; i < p->n_sets; i++) {
        clash = clash || strcmp(base_name(p->sets[i].tables[0].file),
                                base_name(p->sets[0].tables[0].file)) == 0;
    }
    if (p->choice->sd_suffix && p->n_sets == 1) {
        const char *what = p->choice->sd_suffix + strspn(p->choice->sd_suffix, "_.-| ");
        const char *label = fb_arena_printf(p->arena, "± %s", what);
        figure->styles[figure->n_styles++] = (fb_plot_style){.label = label, .band = true};
    }
    for (int i = 0; i < p->n_sets && (p->n_sets > 1 || p->choice->mean); i++) {
        const fb_plot_set *set = &p->sets[i];
        const char *file = set->tables[0].file;
        const char *name = fb_cli_values(p->cli, "label", i);
        bool is_one = name || set->n == 1;
        name = name ? name : clash ? file : base_name(file);
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
static int drop_empty(plan *p) {
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

int fb_plot_panels(fb_plot_figure *figure, fb_cli *cli, const fb_plot_set *sets, int n_sets,
                   const fb_plot_choice *choice, fb_arena *arena) {
    plan p = {.figure = figure,
              .cli = cli,
              .sets = sets,
              .n_sets = n_sets,
              .choice = choice,
              .arena = arena,
              .lead = &sets[0].tables[0]};
    size_t n = (size_t)p.lead->data.n_columns;
    p.wanted = fb_arena_array(arena, n, sizeof *p.wanted);
    p.panel = fb_arena_array(arena, n, sizeof *p.panel);
    p.labels = fb_arena_array(arena, n, sizeof *p.labels);
    for (size_t i = 0; i < n; i++) {
        p.panel[i] = -1;
    }
    int status = choose_columns(&p);
    if (status == FB_EXIT_OK && fb_cli_value(cli, "group")) {
        status = make_groups(&p);
    } else if (status == FB_EXIT_OK) {
        make_default_panels(&p);
        status = check_count(&p);
    }
    for (size_t k = 0; k < p.n_panels; k++) {
        p.panels[k].series = fb_arena_array(arena, (size_t)p.panels[k].n_columns * (size_t)n_sets,
                                            sizeof *p.panels[k].series);
    }
    for (int i = 0; i < n_sets && status == FB_EXIT_OK; i++) {
        if (!cli->quiet && (i > 0 || choice->mean)) {
            tell_unmatched(&p, i);
        }
        status = add_curves(&p, i);
        if (i == 0 && status == FB_EXIT_OK) {
            status = drop_empty(&p);
        }
    }
    if (status != FB_EXIT_OK) {
        return status;
    }
    figure->panels = p.panels;
    figure->n_panels = (int)p.n_panels;
    share_legend(&p);
    const fb_plot_column *x = &p.lead->columns[p.lead->x];
    figure->x_name = x->object;
    figure->x_unit = x->unit;
    name_styles(&p);
    if (!cli->quiet) {
        tell_units(&p);
        tell_gaps(&p);
    }
    return FB_EXIT_OK;
}
