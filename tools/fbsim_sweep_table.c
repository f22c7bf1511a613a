/* fbsim sweep: the columns, rows and header of its table, and what is told of it. */
#include <math.h>
#include <string.h>

#include "libcore/base/number.h"
#include "tools/fbsim_sweep.h"

#define MOST_NAMES 5 /* of muscles that only one of the models has */
#define SLACK 0.05   /* of a coordinate's range: so far beyond is not worth a word */

/* ---- which muscles and paths ----------------------------------------------------------------- */

static int muscle_of(const fb_simulation *s, int path) {
    for (int i = 0; path >= 0 && i < s->muscles->n; i++) {
        if (s->muscles->muscles[i].path == path) {
            return i;
        }
    }
    return -1;
}

/* Whether a path is asked for: a muscle's, or with --paths any. */
static bool is_wanted(const fb_sweep *w, const fb_simulation *s, int path) {
    return (w->paths || muscle_of(s, path) >= 0) &&
           fb_fbsim_is_wanted(w->cli, s, s->paths->paths[path].owner);
}

/* The path of a muscle, or of no muscle, with the same name; -1 if there is none. */
static int namesake(const fb_simulation *s, const char *name, bool of_muscle) {
    for (int i = 0; i < s->paths->n_paths; i++) {
        if (strcmp(fb_path_name(s->paths->paths[i].owner->path), name) == 0 &&
            (muscle_of(s, i) >= 0) == of_muscle) {
            return i;
        }
    }
    return -1;
}

static void tell_unmatched(const fb_sweep *w, const fb_sweep_side *in,
                           const fb_sweep_side *missing) {
    int n = 0;
    for (int i = 0; i < in->s->paths->n_paths && !w->cli->quiet; i++) {
        const fb_element *owner = in->s->paths->paths[i].owner;
        const char *name = fb_path_name(owner->path);
        bool of_muscle = muscle_of(in->s, i) >= 0;
        if (is_wanted(w, in->s, i) && namesake(missing->s, name, of_muscle) < 0 &&
            n++ < MOST_NAMES) {
            fb_cli_say(w->cli, "%s '%s' is in %s only", of_muscle ? "muscle" : owner->cls->name,
                       name, in->file);
        }
    }
    if (n > MOST_NAMES) {
        fb_cli_say(w->cli, "and %d more are in %s only", n - MOST_NAMES, in->file);
    }
}

/* Classes whose tension follows from length and speed alone. */
static bool is_passive(const fb_element *element) {
    static const char *const classes[] = {"PathSpring", "Ligament", "Blankevoort1991Ligament",
                                          "ExpressionBasedPathForce"};
    for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++) {
        if (strcmp(element->cls->name, classes[i]) == 0) {
            return true;
        }
    }
    return false;
}

static const fb_force *force_of(const fb_simulation *s, int path) {
    for (int i = 0; path >= 0 && i < s->forces->n_forces; i++) {
        const fb_force *force = &s->forces->forces[i];
        if (force->path == path && is_passive(force->element)) {
            return force;
        }
    }
    return NULL;
}

static void describe_parts(const fb_sweep *w, fb_sweep_item *item, const char *about_second) {
    item->part[item->n_parts++] = "length";
    item->part[item->n_parts++] = "moment_arm";
    if (w->n_coordinates == 2) {
        item->part[item->n_parts++] = about_second;
    }
    if (item->muscle[0] >= 0) {
        item->part[item->n_parts++] = "tendon_force";
    } else if (item->has_tension) {
        item->part[item->n_parts++] = "tension";
    }
}

void fb_sweep_find_items(fb_sweep *w) {
    fb_arena *arena = &w->table.arena;
    const fb_paths *paths = w->sides[0].s->paths;
    const char *about = w->n_coordinates == 2
                            ? fb_arena_printf(arena, "moment_arm_about_%s",
                                              fb_sweep_coordinate(&w->sides[0], 1))
                            : NULL;
    w->items = fb_arena_array(arena, (size_t)paths->n_paths, sizeof *w->items);
    for (int pass = 0; pass < 2; pass++) { /* muscles, then the rest */
        for (int i = 0; i < paths->n_paths; i++) {
            bool of_muscle = muscle_of(w->sides[0].s, i) >= 0;
            if (of_muscle != (pass == 0) || !is_wanted(w, w->sides[0].s, i)) {
                continue;
            }
            fb_sweep_item *item = &w->items[w->n_items++];
            item->element = paths->paths[i].owner;
            item->has_tension = !of_muscle && is_passive(item->element);
            item->path[1] = item->muscle[1] = -1;
            item->path[0] = i;
            if (w->n_sides == 2) {
                item->path[1] = namesake(w->sides[1].s, fb_path_name(item->element->path),
                                         of_muscle);
            }
            for (int k = 0; k < w->n_sides; k++) {
                item->muscle[k] = muscle_of(w->sides[k].s, item->path[k]);
                item->force[k] = force_of(w->sides[k].s, item->path[k]);
            }
            describe_parts(w, item, about);
        }
    }
    for (int k = 0; k < w->n_sides; k++) {
        const fb_simulation *s = w->sides[k].s;
        for (int i = 0; i < s->muscles->n; i++) {
            w->sides[k].n_wanted += fb_fbsim_is_wanted(w->cli, s, s->muscles->muscles[i].element);
        }
        w->has_strength |= w->sides[k].n_wanted > 0;
    }
    if (w->n_sides == 2) {
        tell_unmatched(w, &w->sides[0], &w->sides[1]);
        tell_unmatched(w, &w->sides[1], &w->sides[0]);
    }
}

/* ---- the table ------------------------------------------------------------------------------- */

static void add_column(fb_sto *t, const char *name, bool both) {
    fb_sto_add_column(t, name);
    if (both) {
        fb_sto_add_column(t, fb_arena_printf(&t->arena, "%s|against", name));
        fb_sto_add_column(t, fb_arena_printf(&t->arena, "%s|difference", name));
    }
}

void fb_sweep_start_table(fb_sweep *w) {
    fb_sto *t = &w->table;
    const fb_sweep_side *first = &w->sides[0];
    for (int k = 0; k < w->n_coordinates; k++) {
        fb_sto_add_column(t, fb_sweep_coordinate(first, k));
    }
    for (int i = 0; i < w->n_items; i++) {
        const fb_sweep_item *item = &w->items[i];
        for (int k = 0; k < item->n_parts; k++) {
            add_column(t, fb_arena_printf(&t->arena, "%s|%s", item->element->path, item->part[k]),
                       item->path[1] >= 0);
        }
    }
    for (int k = 0; k < 2 * w->n_coordinates && w->has_strength; k++) {
        add_column(t,
                   fb_arena_printf(&t->arena, "strength_%s%s%s", k % 2 ? "negative" : "positive",
                                   k > 1 ? "_about_" : "",
                                   k > 1 ? fb_sweep_coordinate(first, 1) : ""),
                   w->n_sides == 2);
    }
}

static double *put(double *to, const double *values, bool both) {
    *to++ = values[0];
    if (both) {
        *to++ = values[1];
        *to++ = values[1] - values[0];
    }
    return to;
}

void fb_sweep_put_row(fb_sweep *w, const double *at) {
    const fb_sweep_side *a = &w->sides[0], *b = &w->sides[1];
    double *to = fb_sto_row(&w->table), pair[2] = {0, 0};
    for (int k = 0; k < w->n_coordinates; k++) {
        *to++ = at[k];
    }
    for (int i = 0; i < w->n_items; i++) {
        bool both = w->items[i].path[1] >= 0;
        for (int k = 0; k < w->items[i].n_parts; k++) {
            pair[0] = a->parts[i * FB_SWEEP_PARTS + k];
            pair[1] = both ? b->parts[i * FB_SWEEP_PARTS + k] : 0;
            to = put(to, pair, both);
        }
    }
    for (int k = 0; k < 2 * w->n_coordinates && w->has_strength; k++) {
        pair[0] = a->strength[k / 2][k % 2];
        pair[1] = b->strength[k / 2][k % 2];
        to = put(to, pair, w->n_sides == 2);
    }
}

/* What the strengths are the sums of. */
static const char *strength_line(const fb_sweep *w, fb_arena *arena) {
    const fb_sweep_side *a = &w->sides[0];
    return !w->has_strength ? ""
           : fb_cli_value(w->cli, "muscle")
               ? fb_arena_printf(arena, "strength=of the chosen muscles alone, %d of %d\n",
                                 a->n_wanted, a->s->muscles->n)
               : "strength=of all muscles\n";
}

const char *fb_sweep_header(fb_sweep *w) {
    fb_arena *arena = &w->table.arena;
    const fb_sweep_side *a = &w->sides[0], *b = &w->sides[1];
    char number[FB_NUMBER_MAX];
    const char *header = fb_fbsim_header(&w->table, a->s), *differenced = "";
    if (w->n_sides == 2) {
        header = fb_arena_printf(arena, "%sfile=%s\nagainst=%s\nagainst_model=%s\n", header,
                                 fb_fbsim_plain(arena, a->file), fb_fbsim_plain(arena, b->file),
                                 fb_fbsim_plain(arena, b->s->system->model->root->name));
    }
    if (fb_cli_value(w->cli, "against-scale")) {
        header = fb_arena_printf(arena, "%sagainst_scale=%s\n", header,
                                 fb_cli_value(w->cli, "against-scale"));
    }
    header = fb_arena_printf(arena, "%s%s%s", header, fb_fbsim_motions(arena, a->s),
                             fb_fbsim_set_line(arena, a->s, a->held + w->n_coordinates,
                                               a->n_held - w->n_coordinates));
    for (int i = 0; i < w->n_items; i++) {
        if (a->ever_differenced[w->items[i].path[0]]) {
            differenced = fb_arena_printf(arena, "%s%s%s", differenced, *differenced ? "," : "",
                                          fb_path_name(w->items[i].element->path));
        }
    }
    fb_number_print(number, w->activation);
    header = fb_arena_printf(arena, "%sunits=m, rad, N, N m\nactivation=%s\nmoment_arms=%s\n%s",
                             header, number, w->geometric ? FB_FBSIM_GEOMETRIC : "generalized",
                             strength_line(w, arena));
    return *differenced ? fb_arena_printf(arena, "%scentral_differences=%s\n", header, differenced)
                        : header;
}

/* ---- what is told ---------------------------------------------------------------------------- */

/* How much of low .. high is in a range. */
static double overlap(double low, double high, const double *range) {
    return fmax(0, fmin(high, range[1]) - fmax(low, range[0]));
}

void fb_sweep_tell_range(const fb_sweep *w, const fb_sweep_side *of, int which) {
    const fb_coordinate *c = &of->s->system->coordinates[of->coordinate[which]];
    double a = of->scale[which] * w->low[which], b = of->scale[which] * w->high[which];
    double low = fmin(a, b) + 0.0, high = fmax(a, b) + 0.0 /* no -0 */,
           width = c->range[1] - c->range[0];
    if (!c->element || !(width > 0) || !isfinite(width) ||
        (low >= c->range[0] - SLACK * width && high <= c->range[1] + SLACK * width)) {
        return;
    }
    bool turn = of != &w->sides[0] && overlap(-high, -low, c->range) > overlap(low, high, c->range);
    fb_diag_add(&w->cli->diag, FB_WARNING, FB1404,
                (fb_place){of->file, c->element->line, c->path, NULL}, "it is swept all the same",
                "'%s' is swept from %.6g to %.6g, beyond its range, %.6g to %.6g%s",
                fb_path_name(c->path), low, high, c->range[0], c->range[1],
                turn ? "; --against-scale can turn its sign" : "");
}

/* "elbow = 1.2", or both. */
static void print_place(const fb_sweep *w, const double *at, char *text, size_t n) {
    const fb_sweep_side *a = &w->sides[0];
    if (w->n_coordinates == 1) {
        snprintf(text, n, "%s = %.6g", fb_sweep_coordinate(a, 0), at[0]);
    } else {
        snprintf(text, n, "%s = %.6g, %s = %.6g", fb_sweep_coordinate(a, 0), at[0],
                 fb_sweep_coordinate(a, 1), at[1]);
    }
}

void fb_sweep_tell_missing(const fb_sweep *w, const fb_sweep_side *of) {
    char place[400];
    int rows = w->table.n_rows;
    if (of->not_finite) {
        fb_diag_add(&w->cli->diag, FB_WARNING, FB4006,
                    (fb_place){of->s->system->model->file, 0, NULL, NULL}, NULL,
                    "%ld lengths or forces are not finite; the first is of '%s' at %s = %g",
                    of->not_finite, of->not_finite_name, fb_sweep_coordinate(of, 0),
                    of->not_finite_at);
    }
    if (of->unmet) {
        print_place(w, of->unmet_at, place, sizeof place);
        fb_diag_add(&w->cli->diag, FB_WARNING, FB4002,
                    (fb_place){of->s->system->model->file, 0, NULL, NULL}, "their numbers are nan",
                    "the constraints cannot be met in %d of %d poses; the first is %s", of->unmet,
                    rows, place);
    }
    for (int i = 0; i < of->s->muscles->n; i++) {
        const fb_element *e = of->s->muscles->muscles[i].element;
        if (of->unbalanced[i]) {
            print_place(w, of->unbalanced_at[i], place, sizeof place);
            fb_diag_add(&w->cli->diag, FB_WARNING, FB4001,
                        (fb_place){e->file, e->line, e->path, e->cls->name},
                        "its force is nan and adds nothing to the strength",
                        "%s '%s': no fiber length balances fibers and tendon in %d of %d poses; "
                        "the first is %s",
                        e->cls->name, e->name, of->unbalanced[i], rows, place);
        }
    }
}

/* Root mean square and greatest size of a column's numbers; false if it has none. */
static bool summarize(const fb_sto *t, int column, double *rms, double *most) {
    double sum = 0;
    int n = 0;
    *most = 0;
    for (int i = 0; i < t->n_rows; i++) {
        double x = t->values[(size_t)i * (size_t)t->n_columns + (size_t)column];
        if (!isnan(x)) {
            sum += x * x;
            *most = fmax(*most, fabs(x));
            n++;
        }
    }
    *rms = n ? sqrt(sum / n) : 0;
    return n > 0;
}

/* Adds "WHAT RMS GREATEST" for a column of differences to a line; true unless they are all 0. */
static bool add_summary(const fb_sweep *w, int column, const char *what, char *line, size_t size) {
    size_t n = strlen(line);
    double rms, most;
    if (!summarize(&w->table, column, &rms, &most)) {
        snprintf(line + n, size - n, "%s%s known nowhere", n ? ", " : " ", what);
        return true;
    }
    snprintf(line + n, size - n, "%s%s %.4g %.4g", n ? ", " : " ", what, rms, most);
    return most > 0;
}

/* A line for each muscle and path of both models that differs, and one for each strength. */
void fb_sweep_tell_differences(const fb_sweep *w) {
    int column = w->n_coordinates, alike = 0;
    for (int i = 0; i < w->n_items; i++) {
        const fb_sweep_item *item = &w->items[i];
        char line[1000] = "";
        bool differs = false;
        if (item->path[1] < 0) {
            column += item->n_parts;
            continue;
        }
        for (int k = 0; k < item->n_parts; k++, column += 3) {
            differs |= add_summary(w, column + 2, item->part[k], line, sizeof line);
        }
        if (differs) {
            fb_cli_say(w->cli, "%s differs by (rms, greatest)%s", fb_path_name(item->element->path),
                       line);
        } else {
            alike++;
        }
    }
    if (alike) {
        fb_cli_say(w->cli, "%d %s%s not differ", alike,
                   w->paths ? (alike == 1 ? "path" : "paths") : (alike == 1 ? "muscle" : "muscles"),
                   alike == 1 ? " does" : " do");
    }
    for (int k = 0; k < 2 * w->n_coordinates && w->has_strength; k++, column += 3) {
        char line[200] = "";
        add_summary(w, column + 2, "moment", line, sizeof line);
        fb_cli_say(w->cli, "%s differs by (rms, greatest)%s", w->table.columns[column], line);
    }
}
