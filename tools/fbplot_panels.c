/* fbplot: which columns are drawn, and which of them share a panel. */
#include <fnmatch.h>
#include <math.h>
#include <string.h>

#include "tools/fbplot_plan.h"

#define FEW 7 /* curves that a panel holds unless the user asks for more */
#define FEW_BANDS 3
#define MOST 14       /* curves that can be told apart */
#define PANELS 200    /* panels that a page can hold */
#define ROUNDING 1e-9 /* of the largest moment arm */

const char *fb_plot_base_name(const char *file) {
    const char *slash = strrchr(file, '/');
    return strcmp(file, "-") == 0 ? "<stdin>" : slash && slash[1] ? slash + 1 : file;
}

/* ---- columns that the user names ------------------------------------------------------------- */

static const char *column_name(const void *context, int i) {
    const fb_plot_table *table = context;
    return i < table->data.n_columns ? table->columns[i].name : NULL;
}

static const char *column_object(const void *context, int i) {
    const fb_plot_table *table = context;
    return i < table->data.n_columns ? table->columns[i].object : NULL;
}

/* Whether a pattern asks for a column: by its whole name, or by what it belongs to. Differences of
 * two models must be meant. */
static bool is_named(const fb_plot_column *column, const char *pattern, size_t n, fb_arena *arena) {
    const char *glob = fb_arena_text(arena, pattern, n);
    if (column->role == FB_PLOT_DIFFERENCE && !strstr(glob, "diff")) {
        return false;
    }
    return strcmp(glob, column->name) == 0 || fnmatch(glob, column->name, 0) == 0 ||
           fnmatch(glob, column->object, 0) == 0;
}

static int say_no_column(const fb_plot_plan *p, const char *pattern, size_t n) {
    const char *word = fb_arena_text(p->arena, pattern, n);
    const char *near = fb_nearest_word(word, column_name, p->lead);
    near = near ? near : fb_nearest_word(word, column_object, p->lead);
    fb_cli_say(p->cli, "%s has no column '%s'%s%s%s", fb_plot_base_name(p->lead->file), word,
               near ? "; is '" : "", near ? near : "", near ? "' meant?" : "");
    return FB_EXIT_USAGE;
}

/* Marks the columns of a list of patterns with commas between them; an exit status. A name that
 * holds commas itself may stand alone. */
static int mark_columns(const fb_plot_plan *p, const char *list, bool *marks) {
    bool is_name = fb_sto_column(&p->lead->data, list) >= 0;
    for (const char *at = list; *at;) {
        size_t n = is_name ? strlen(at) : strcspn(at, ",");
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

int fb_plot_counterpart(const fb_plot_plan *p, const fb_plot_table *t, int column) {
    if (t == p->lead) {
        return column;
    }
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

int fb_plot_band_of(const fb_plot_plan *p, const fb_plot_table *table, int column) {
    const char *name = table->data.columns[column], *end = p->choice->mean_suffix;
    size_t n = strlen(name), m = end ? strlen(end) : 0;
    if (!end || n <= m || strcmp(name + n - m, end) != 0) {
        return -1;
    }
    return fb_sto_column(&table->data, fb_arena_printf(p->arena, "%.*s%s", (int)(n - m), name,
                                                       p->choice->sd_suffix));
}

/* The largest size of a column's numbers. */
static double largest_of(const fb_plot_plan *p, int column) {
    const fb_sto *data = &p->lead->data;
    double largest = 0;
    for (int i = 0; i < data->n_rows; i++) {
        largest = fmax(largest, fabs(fb_sto_value(data, i, column))); /* fmax passes over nan */
    }
    return largest;
}

/* The end of the run of columns that share their names' first n bytes with the column `begin`. */
static int end_of_run(const fb_plot_plan *p, int begin, size_t n) {
    const fb_plot_column *columns = p->lead->columns;
    int end = begin + 1;
    while (end < p->lead->data.n_columns &&
           strncmp(columns[end].name, columns[begin].name, n) == 0 &&
           strchr("|", columns[end].name[n])) {
        end++;
    }
    return end;
}

static int leave_out(fb_plot_plan *p, int begin, int end) {
    int n = 0;
    for (int j = begin; j < end; j++) {
        n += p->wanted[j];
        p->wanted[j] = false;
    }
    return n;
}

/* Leaves out, of a sweep, the moment arms that are zero but for rounding, in all models and at all
 * values of another coordinate; and all of the muscles that have no others. */
static void leave_out_idle(fb_plot_plan *p) {
    const fb_plot_column *columns = p->lead->columns;
    int n = p->lead->data.n_columns, left_out = 0;
    double *arm = fb_arena_array(p->arena, (size_t)n, sizeof *arm), least = 0;
    for (int j = 0; j < n; j++) {
        bool is_arm = strstr(columns[j].name, "|moment_arm") != NULL;
        arm[j] = is_arm && columns[j].role != FB_PLOT_DIFFERENCE ? largest_of(p, j) : 0;
        least = fmax(least, ROUNDING * arm[j]);
    }
    for (int j = 0, end; j < n; j = end) {
        const char *bar = strchr(columns[j].base ? columns[j].base : columns[j].name, '|');
        double most = 0;
        size_t path = strcspn(columns[j].name, "|");
        end = bar ? end_of_run(p, j, path) : j + 1;
        for (int i = j, next; i < end && bar; i = next) { /* X, X|against and so on */
            double largest = 0;
            next = end_of_run(p, i, strlen(columns[i].name));
            for (int k = i; k < next; k++) {
                largest = fmax(largest, arm[k]);
            }
            if (strstr(columns[i].name, "|moment_arm") && largest <= least) {
                left_out += leave_out(p, i, next);
            }
            most = fmax(most, largest);
        }
        if (bar && most <= least) {
            left_out += leave_out(p, j, end);
        }
    }
    if (left_out && !p->cli->quiet) {
        fb_cli_say(p->cli,
                   "note: %d columns of muscles without a moment arm are left out; --columns draws "
                   "them",
                   left_out);
    }
}

/* Columns of two models: the second model's is drawn beside the first's where that is drawn. */
static void find_partners(fb_plot_plan *p) {
    const fb_plot_column *columns = p->lead->columns;
    int n = p->lead->data.n_columns;
    bool alone = p->n_sets == 1 && !p->choice->mean, left_out = false;
    for (int j = 0; j < n; j++) {
        const fb_plot_column *c = &columns[j];
        for (int k = j + 1; k < n && c->role == FB_PLOT_PLAIN && p->wanted[j] && alone; k++) {
            if (columns[k].role == FB_PLOT_AGAINST && strcmp(columns[k].base, c->name) == 0 &&
                fb_plot_same(columns[k].curve, c->curve)) {
                p->partner[j] = k;
                p->wanted[k] = false;
                p->has_partner = true;
                break;
            }
        }
        if (!alone && c->role == FB_PLOT_AGAINST && !fb_cli_value(p->cli, "columns") &&
            !fb_cli_value(p->cli, "group")) {
            left_out = true;
            p->wanted[j] = false;
        }
    }
    if (left_out && !p->cli->quiet) {
        fb_cli_say(p->cli, "note: beside other tables, columns NAME|against are left out; "
                           "--columns '*|against' draws them");
    }
}

/* Which columns are drawn: those of --columns, or all; of fbsim's sparse tables without those that
 * are zero throughout; columns that are a band's height are no curves. */
static int choose_columns(fb_plot_plan *p) {
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
        double least = 0;
        bool are_arms = sparse && strcmp(data->name, "moment_arm") == 0;
        for (int j = 0; j < data->n_columns && are_arms; j++) {
            least = j == p->lead->x ? least : fmax(least, ROUNDING * largest_of(p, j));
        }
        for (int j = 0; j < data->n_columns; j++) {
            bool zero = sparse && largest_of(p, j) <= least;
            bool is_time = j == 0 && fb_plot_same(p->lead->columns[j].quantity, "time");
            p->wanted[j] = j != p->lead->x && !zero && !is_time &&
                           p->lead->columns[j].role != FB_PLOT_DIFFERENCE;
            left_out += zero && j != p->lead->x;
        }
        if (left_out && !p->cli->quiet) {
            fb_cli_say(p->cli, "%d columns are zero throughout and left out; --columns draws them",
                       left_out);
        }
        if (p->lead->is_sweep && !grouped) {
            leave_out_idle(p);
        }
    }
    find_partners(p);
    for (int j = 0; j < data->n_columns; j++) {
        int band = p->wanted[j] ? fb_plot_band_of(p, p->lead, j) : -1;
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
        n_bands += p->wanted[j] && fb_plot_band_of(p, p->lead, j) >= 0;
    }
    if (p->choice->mean_suffix && n_bands == 0) {
        fb_cli_say(p->cli, "--band: no columns are called NAME%s and NAME%s",
                   p->choice->mean_suffix, p->choice->sd_suffix);
        return FB_EXIT_USAGE;
    }
    if (n == 0) {
        fb_cli_say(p->cli, "%s has no column to draw over '%s'", fb_plot_base_name(p->lead->file),
                   p->lead->columns[p->lead->x].name);
        return FB_EXIT_INPUT;
    }
    return FB_EXIT_OK;
}

/* ---- panels ---------------------------------------------------------------------------------- */

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
static bool split_side(const fb_plot_plan *p, int column, const char **stem, const char **side) {
    const fb_plot_column *c = &p->lead->columns[column];
    const char *other;
    if (!find_side(c->object, p->arena, stem, side, &other)) {
        return false;
    }
    for (int j = 0; j < p->lead->data.n_columns; j++) {
        const fb_plot_column *d = &p->lead->columns[j];
        if (p->wanted[j] && strcmp(d->object, other) == 0 &&
            fb_plot_same(d->quantity, c->quantity) && fb_plot_same(d->unit, c->unit)) {
            return true;
        }
    }
    return false;
}

static int add_panel(fb_plot_plan *p, const char *title, const char *quantity, const char *unit) {
    fb_plot_panel panel = {.title = title, .quantity = quantity, .unit = unit};
    FB_PUSH(p->arena, p->panels, p->n_panels, p->capacity_panels, panel);
    return (int)p->n_panels - 1;
}

static void put(fb_plot_plan *p, int column, int panel, const char *label) {
    p->panel[column] = panel;
    p->panels[panel].n_columns++;
    p->labels[column] = label;
}

/* What a column is called beside others of its quantity. */
static const char *short_label(const fb_plot_plan *p, int column) {
    const fb_plot_column *c = &p->lead->columns[column];
    for (int j = 0; j < p->lead->data.n_columns; j++) {
        const fb_plot_column *d = &p->lead->columns[j];
        if (j != column && p->wanted[j] && strcmp(c->object, d->object) == 0 &&
            fb_plot_same(c->part, d->part) && fb_plot_same(c->quantity, d->quantity) &&
            fb_plot_same(c->curve, d->curve) && c->role == d->role) {
            return c->name;
        }
    }
    if (c->curve || c->role == FB_PLOT_AGAINST) {
        return fb_arena_printf(p->arena, "%s%s%s%s%s", c->object, c->curve ? ", " : "",
                               c->curve ? c->curve : "", c->role == FB_PLOT_AGAINST ? ", " : "",
                               c->role == FB_PLOT_AGAINST ? p->lead->models[1] : "");
    }
    return c->part ? fb_arena_printf(p->arena, "%s %s", c->object, c->part) : c->object;
}

/* Panels of --group: each takes all the columns it names. */
static int make_groups(fb_plot_plan *p) {
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
            if (!fb_plot_same(p->panels[panel].quantity, c->quantity)) {
                p->panels[panel].quantity = NULL;
            }
            if (!fb_plot_same(p->panels[panel].unit, c->unit)) {
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

static bool is_alike(const fb_plot_column *a, const fb_plot_column *b) {
    return fb_plot_same(a->quantity, b->quantity) && fb_plot_same(a->unit, b->unit);
}

/* Columns of one quantity that are too many for one panel: the sides of a thing, or the parts of a
 * vector, share one; others have their own. */
static void split_group(fb_plot_plan *p, int first) {
    int n = p->lead->data.n_columns;
    const fb_plot_column *lead = &p->lead->columns[first];
    for (int i = first; i < n; i++) {
        const fb_plot_column *c = &p->lead->columns[i];
        const char *stem = c->object, *label = c->part;
        if (!p->wanted[i] || p->panel[i] >= 0 || !is_alike(c, lead)) {
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
            if (p->wanted[j] && p->panel[j] < 0 && is_alike(c, d) &&
                (d->part != NULL) == (c->part != NULL) &&
                (d->part || split_side(p, j, &other, &side)) && strcmp(stem, other) == 0) {
                put(p, j, panel, side);
            }
        }
        if (p->panel[i] < 0) {
            put(p, i, panel, short_label(p, i));
        }
    }
}

/* Families of curves: each thing has a panel for each quantity, as many as it takes. */
static void split_families(fb_plot_plan *p, int first) {
    int n = p->lead->data.n_columns;
    const fb_plot_column *lead = &p->lead->columns[first];
    for (int i = first; i < n; i++) {
        const fb_plot_column *c = &p->lead->columns[i];
        int panel = -1;
        if (!p->wanted[i] || p->panel[i] >= 0 || !c->curve || !is_alike(c, lead)) {
            continue;
        }
        for (int j = i; j < n; j++) {
            const fb_plot_column *d = &p->lead->columns[j];
            if (!p->wanted[j] || p->panel[j] >= 0 || !d->curve || !is_alike(c, d) ||
                c->role != d->role || strcmp(c->object, d->object) != 0) {
                continue;
            }
            if (panel < 0 || p->panels[panel].n_columns == MOST) {
                const char *title = c->role == FB_PLOT_AGAINST
                                        ? fb_arena_printf(p->arena, "%s, %s", c->object,
                                                          p->lead->models[1])
                                        : c->object;
                panel = add_panel(p, title, c->quantity, c->unit);
                p->panels[panel].legend_heading = p->lead->parameter;
            }
            put(p, j, panel, d->curve);
        }
    }
}

/* One panel for each quantity with its unit, or several if it has many columns. Columns of unknown
 * quantities may be of any magnitude, so that they share only what split_group shares. */
static void make_default_panels(fb_plot_plan *p) {
    int n = p->lead->data.n_columns;
    int few = p->choice->mean || p->choice->mean_suffix ? FEW_BANDS : FEW;
    for (int k = 0; k < n; k++) { /* quantities in the table's order, whatever is left out */
        int count = 0, first = -1;
        for (int j = k; j < n && (p->lead->columns[k].quantity || p->wanted[k]); j++) {
            if (p->wanted[j] && p->panel[j] < 0 &&
                is_alike(&p->lead->columns[k], &p->lead->columns[j])) {
                first = count++ ? first : j;
            }
        }
        if (count == 0) {
            continue;
        }
        const fb_plot_column *c = &p->lead->columns[first];
        if (c->curve) {
            split_families(p, first);
            continue;
        }
        if (count > few || !c->quantity) {
            split_group(p, first);
            continue;
        }
        int panel = add_panel(p, count == 1 ? short_label(p, first) : NULL, c->quantity, c->unit);
        for (int j = first; j < n; j++) {
            if (p->wanted[j] && p->panel[j] < 0 && is_alike(c, &p->lead->columns[j])) {
                put(p, j, panel, short_label(p, j));
            }
        }
    }
}

static int check_count(const fb_plot_plan *p) {
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

int fb_plot_panels(fb_plot_figure *figure, fb_cli *cli, const fb_plot_set *sets, int n_sets,
                   const fb_plot_choice *choice, fb_arena *arena) {
    fb_plot_plan p = {.figure = figure,
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
    p.partner = fb_arena_array(arena, n, sizeof *p.partner);
    for (size_t i = 0; i < n; i++) {
        p.panel[i] = p.partner[i] = -1;
    }
    int status = choose_columns(&p);
    if (status == FB_EXIT_OK && fb_cli_value(cli, "group")) {
        status = make_groups(&p);
    } else if (status == FB_EXIT_OK) {
        make_default_panels(&p);
        status = check_count(&p);
    }
    return status == FB_EXIT_OK ? fb_plot_curves(&p) : status;
}
