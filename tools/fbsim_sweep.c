/* fbsim sweep: lengths, moment arms and forces of muscles over the range of a coordinate, or over a
 * grid of two; of one model, or of two beside each other. */
#include <math.h>
#include <string.h>

#include "libcore/base/number.h"
#include "libcore/muscle/moment_arm.h"
#include "tools/fbsim.h"

#define ASSEMBLY 1e-10
#define HALF_TURN 3.14159265358979323846
#define MOST_ROWS 1000000
#define MOST_PARTS 4 /* of a muscle: length, one or two arms, force */

/* A model that is swept, and what it gives in one pose. */
typedef struct side {
    const char *file;
    fb_simulation *s;
    int coordinate[2];
    double *dq[2]; /* n_q: how all coordinates move with each */
    double *last;  /* n_q: the last pose that met the constraints */
    double *arms;  /* geometric: n_paths x n_q, and which of them come from differences */
    bool *differenced, *ever_differenced;
    int *muscle; /* of each of the sweep's muscles, -1 for none */
    double *parts;
    double strength[2][2]; /* of each coordinate: positive, negative */
    double *moment[2];     /* of each group of virtual links about each coordinate */
    long unlinked;
    int unmet, *unbalanced;
    double unmet_at[2], (*unbalanced_at)[2];
} side;

typedef struct sweep {
    fb_cli *cli;
    side sides[2];
    int n_sides, n_coordinates, steps[2];
    double low[2], high[2];
    bool geometric;
    int n_muscles, n_parts;
    const char *part[MOST_PARTS];
    fb_sto table;
} sweep;

static const char *coordinate_name(const side *of, int which) {
    return fb_path_name(of->s->system->coordinates[of->coordinate[which]].element->path);
}

/* ---- what is asked for ----------------------------------------------------------------------- */

/* The coordinate of a name or component path; -1 with a message if there is none. */
static int find_coordinate(const fb_cli *cli, const side *of, const char *name) {
    for (int i = 0; name && i < of->s->system->n_q; i++) {
        const fb_element *element = of->s->system->coordinates[i].element;
        if (element &&
            (strcmp(name, element->path) == 0 || strcmp(name, fb_path_name(element->path)) == 0)) {
            return i;
        }
    }
    if (name) {
        fb_cli_say(cli, "%s has no coordinate '%s'", of->file, name);
    } else {
        fb_cli_say(cli, "--coordinate NAME says what to sweep");
    }
    return -1;
}

static bool find_coordinates(sweep *w) {
    const char *names[2] = {fb_cli_value(w->cli, "coordinate"), fb_cli_value(w->cli, "and")};
    w->n_coordinates = names[1] ? 2 : 1;
    for (int i = 0; i < w->n_sides; i++) {
        side *of = &w->sides[i];
        for (int k = 0; k < w->n_coordinates; k++) {
            of->coordinate[k] = find_coordinate(w->cli, of, names[k]);
            if (of->coordinate[k] < 0) {
                return false;
            }
            if (i == 0) { /* in the other model by its name: its joint may have another */
                names[k] = coordinate_name(of, k);
            }
        }
        if (names[1] && of->coordinate[0] == of->coordinate[1]) {
            fb_cli_say(w->cli, "--coordinate and --and must be two coordinates, not '%s' twice",
                       names[0]);
            return false;
        }
    }
    return true;
}

/* Its range, or half a turn, or a metre, about the default where it has none. */
static void range_of(const side *of, int which, double *low, double *high) {
    const fb_coordinate *c = &of->s->system->coordinates[of->coordinate[which]];
    *low = c->range[0];
    *high = c->range[1];
    if (!(*high > *low) || !isfinite(*high - *low) || *high - *low > 100) {
        double half = fb_coordinate_motion(c->element) == FB_ROTATIONAL ? HALF_TURN / 2 : 0.5;
        *low = c->initial - half;
        *high = c->initial + half;
    }
}

static bool read_steps(sweep *w) {
    const char *text = fb_cli_value(w->cli, "steps");
    w->steps[0] = w->n_coordinates == 1 ? 51 : 21;
    w->steps[1] = w->n_coordinates == 1 ? 1 : 21;
    if (!text) {
        return true;
    }
    size_t n = strcspn(text, ",");
    double first, second;
    bool good = fb_number_parse(text, n, &first), both = text[n] == ',';
    second = w->n_coordinates == 1 ? 1 : first;
    if (both) {
        good = good && w->n_coordinates == 2 &&
               fb_number_parse(text + n + 1, strlen(text + n + 1), &second);
    }
    if (!good || !(first >= 2 && first <= MOST_ROWS) || !(second >= (both ? 2 : 1)) ||
        !(first * second <= MOST_ROWS)) {
        fb_cli_say(w->cli,
                   "--steps must be a number from 2 to %d, or with --and two of them with a comma "
                   "between and that product at most; got '%s'",
                   MOST_ROWS, text);
        return false;
    }
    w->steps[0] = (int)first;
    w->steps[1] = (int)second;
    return true;
}

/* ---- preparing ------------------------------------------------------------------------------- */

/* The muscle of the same name in a model, or -1. */
static int namesake(const fb_muscles *muscles, const char *path) {
    for (int i = 0; i < muscles->n; i++) {
        if (strcmp(fb_path_name(muscles->muscles[i].element->path), fb_path_name(path)) == 0) {
            return i;
        }
    }
    return -1;
}

static void tell_unmatched(const sweep *w, const side *in, const side *missing) {
    const fb_muscles *have = in->s->muscles;
    for (int i = 0; i < have->n && !w->cli->quiet; i++) {
        const fb_muscle *m = &have->muscles[i];
        if (fb_fbsim_is_wanted(w->cli, m) && namesake(missing->s->muscles, m->element->path) < 0) {
            fb_cli_say(w->cli, "muscle '%s' is in %s only", fb_path_name(m->element->path),
                       in->file);
        }
    }
}

static void find_muscles(sweep *w) {
    const fb_muscles *first = w->sides[0].s->muscles;
    fb_arena *arena = &w->table.arena;
    for (int i = 0; i < w->n_sides; i++) {
        w->sides[i].muscle = fb_arena_array(arena, (size_t)first->n, sizeof(int));
    }
    for (int i = 0; i < first->n; i++) {
        if (fb_fbsim_is_wanted(w->cli, &first->muscles[i])) {
            w->sides[0].muscle[w->n_muscles] = i;
            if (w->n_sides == 2) {
                w->sides[1].muscle[w->n_muscles] = namesake(w->sides[1].s->muscles,
                                                            first->muscles[i].element->path);
            }
            w->n_muscles++;
        }
    }
    if (w->n_sides == 2) {
        tell_unmatched(w, &w->sides[0], &w->sides[1]);
        tell_unmatched(w, &w->sides[1], &w->sides[0]);
    }
}

static void prepare_side(sweep *w, side *of, double activation) {
    fb_arena *arena = &w->table.arena;
    size_t n = (size_t)of->s->system->n_q, paths = (size_t)of->s->paths->n_paths;
    size_t muscles = (size_t)of->s->muscles->n;
    of->dq[0] = fb_arena_array(arena, n, sizeof(double));
    of->dq[1] = fb_arena_array(arena, n, sizeof(double));
    of->last = fb_arena_array(arena, n, sizeof(double));
    of->arms = fb_arena_array(arena, n * paths, sizeof(double));
    of->differenced = fb_arena_array(arena, paths, sizeof(bool));
    of->ever_differenced = fb_arena_array(arena, paths, sizeof(bool));
    for (int k = 0; k < 2 && of->s->links; k++) {
        of->moment[k] = fb_arena_array(arena, (size_t)of->s->links->n, sizeof(double));
    }
    of->parts = fb_arena_array(arena, (size_t)w->n_muscles * MOST_PARTS, sizeof(double));
    of->unbalanced = fb_arena_array(arena, muscles, sizeof(int));
    of->unbalanced_at = fb_arena_array(arena, muscles, sizeof *of->unbalanced_at);
    for (size_t i = 0; i < muscles; i++) {
        of->s->activation[i] = activation;
    }
    fb_state_defaults(of->s->state);
    memcpy(of->last, of->s->state->q, n * sizeof(double));
}

/* Says what is odd about a coordinate, and frees it: the sweep moves it whatever holds it. */
static void free_coordinate(const sweep *w, const side *of, int which) {
    fb_system *system = of->s->system;
    fb_coordinate *c = &system->coordinates[of->coordinate[which]];
    const char *name = coordinate_name(of, which);
    if ((c->locked || c->prescribed) && !w->cli->quiet) {
        fb_cli_say(w->cli, "note: '%s' is %s in %s; it is moved all the same", name,
                   c->prescribed ? "prescribed" : "locked", of->file);
    }
    c->prescribed = false; /* then it counts as locked: right where it is */
    for (int i = 0; i < system->n_constraint && !w->cli->quiet; i++) {
        const fb_constraint *k = &system->constraints[i];
        if (k->kind == FB_CONSTRAINT_COUPLER && k->coordinate == of->coordinate[which]) {
            fb_cli_say(w->cli, "note: '%s' depends on other coordinates in %s; they follow it",
                       name, of->file);
        }
    }
}

/* True if the second coordinate can be held while the first moves. */
static bool are_independent(const sweep *w, const side *of) {
    fb_state *state = of->s->state;
    fb_state_defaults(state);
    fb_state_position(state);
    fb_assemble_held(state, of->coordinate, 1, ASSEMBLY);
    fb_coordinate_follow(state, of->coordinate[0], of->dq[0]);
    if (fabs(of->dq[0][of->coordinate[1]]) < 1e-6) {
        return true;
    }
    fb_cli_say(w->cli, "'%s' moves with '%s' in %s: a grid takes coordinates that do not",
               coordinate_name(of, 1), coordinate_name(of, 0), of->file);
    return false;
}

static void start_table(sweep *w) {
    fb_sto *t = &w->table;
    const side *first = &w->sides[0], *other = &w->sides[1];
    const char *second = w->n_coordinates == 2 ? coordinate_name(first, 1) : NULL;
    w->part[w->n_parts++] = "length";
    w->part[w->n_parts++] = "moment_arm";
    if (second) {
        w->part[w->n_parts++] = fb_arena_printf(&t->arena, "moment_arm_about_%s", second);
    }
    w->part[w->n_parts++] = "tendon_force";
    for (int k = 0; k < w->n_coordinates; k++) {
        fb_sto_add_column(t, coordinate_name(first, k));
    }
    for (int i = 0; i < w->n_muscles; i++) {
        const char *path = first->s->muscles->muscles[first->muscle[i]].element->path;
        for (int k = 0; k < w->n_parts; k++) {
            const char *name = fb_arena_printf(&t->arena, "%s|%s", path, w->part[k]);
            fb_sto_add_column(t, name);
            if (w->n_sides == 2 && other->muscle[i] >= 0) {
                fb_sto_add_column(t, fb_arena_printf(&t->arena, "%s|against", name));
                fb_sto_add_column(t, fb_arena_printf(&t->arena, "%s|difference", name));
            }
        }
    }
    for (int k = 0; k < 2 * w->n_coordinates; k++) {
        const char *name = fb_arena_printf(&t->arena, "strength_%s%s%s",
                                           k % 2 ? "negative" : "positive", k > 1 ? "_about_" : "",
                                           k > 1 ? second : "");
        fb_sto_add_column(t, name);
        if (w->n_sides == 2) {
            fb_sto_add_column(t, fb_arena_printf(&t->arena, "%s|against", name));
            fb_sto_add_column(t, fb_arena_printf(&t->arena, "%s|difference", name));
        }
    }
}

/* ---- a pose ---------------------------------------------------------------------------------- */

/* The defaults, or else the last good pose, moved so that constraints hold at the coordinates. */
static bool assemble(const sweep *w, side *of, const double *at) {
    fb_state *state = of->s->state;
    size_t bytes = (size_t)of->s->system->n_q * sizeof *state->q;
    for (int attempt = 0; attempt < 2; attempt++) {
        fb_state_defaults(state);
        if (attempt == 1) {
            memcpy(state->q, of->last, bytes);
        }
        for (int k = 0; k < w->n_coordinates; k++) {
            state->q[of->coordinate[k]] = at[k];
        }
        bool met = fb_assemble_held(state, of->coordinate, w->n_coordinates, ASSEMBLY) == FB_OK;
        for (int k = 0; k < w->n_coordinates; k++) {
            met = met && fabs(state->q[of->coordinate[k]] - at[k]) <= ASSEMBLY;
        }
        if (met) {
            memcpy(of->last, state->q, bytes);
            return true;
        }
    }
    return false;
}

static void find_arms(const sweep *w, side *of) {
    fb_simulation *s = of->s;
    for (int k = 0; k < w->n_coordinates; k++) {
        if (w->geometric) {
            fb_coordinate_follow(s->state, of->coordinate[k], of->dq[k]);
        } else {
            fb_coordinate_coupling(s->state, of->coordinate[k], of->dq[k]);
        }
    }
    if (w->geometric) {
        fb_moment_arms_geometric(s, of->arms, of->differenced);
        for (int i = 0; i < s->paths->n_paths; i++) {
            of->ever_differenced[i] |= of->differenced[i];
        }
    } else {
        memcpy(of->arms, s->path_arms,
               (size_t)s->paths->n_paths * (size_t)s->system->n_q * sizeof *of->arms);
    }
}

/* A path's arm about the k-th coordinate, what moves along with it included. */
static double arm_of(const side *of, int path, int k) {
    int n = of->s->system->n_q;
    const double *arms = of->arms + (size_t)path * (size_t)n;
    double arm = 0;
    for (int j = 0; j < n; j++) {
        arm += of->dq[k][j] * arms[j];
    }
    return arm;
}

/* One muscle: its arms, and its force at rest (nan if it finds no balance). */
static double pull(const sweep *w, side *of, int i, const double *at, double *arm) {
    fb_simulation *s = of->s;
    const fb_muscle *m = &s->muscles->muscles[i];
    for (int k = 0; k < w->n_coordinates; k++) {
        arm[k] = arm_of(of, m->path, k);
    }
    if (fb_simulation_equilibrate(s, i, FB_EQUILIBRIUM_STATIC)) {
        return s->points[i].tendon_force;
    }
    if (of->unbalanced[i]++ == 0) {
        memcpy(of->unbalanced_at[i], at, sizeof of->unbalanced_at[i]);
    }
    return FB_NAN;
}

/* Adds a muscle's moments to the strengths; those of muscles at virtual links are put together
 * first. */
static void add_moments(const sweep *w, side *of, const fb_muscle *m, const double *arm,
                        double force) {
    int group = of->s->links ? fb_links_group(of->s->links, m->path) : -1;
    for (int k = 0; k < w->n_coordinates && m->enabled && !isnan(force); k++) {
        *(group < 0 ? &of->strength[k][arm[k] < 0] : &of->moment[k][group]) += arm[k] * force;
    }
}

/* Muscles that meet at virtual links, and the other wires there, make one moment. */
static void add_links(const sweep *w, side *of, const double *at) {
    const fb_links *l = of->s->links;
    for (int k = 0; l && k < w->n_coordinates; k++) {
        for (int i = 0; i < l->n_wires; i++) {
            const fb_wire *wire = &l->wires[i];
            if (wire->muscle < 0) {
                of->moment[k][wire->group] += arm_of(of, wire->path, k) * wire->tension;
            }
        }
        for (int i = 0; i < l->n; i++) {
            of->strength[k][of->moment[k][i] < 0] += of->moment[k][i];
            of->moment[k][i] = 0;
        }
    }
    if (l) {
        fb_links_tell(l, w->table.columns[0], at[0], &w->cli->diag);
        of->unlinked += l->n_failed;
    }
}

/* A model at the coordinates' values: parts of its muscles, and strengths. Where constraints cannot
 * be met all is nan. */
static void evaluate(const sweep *w, side *of, const double *at) {
    fb_simulation *s = of->s;
    bool met = assemble(w, of, at);
    if (!met && of->unmet++ == 0) {
        memcpy(of->unmet_at, at, sizeof of->unmet_at);
    }
    for (int k = 0; k < 4; k++) {
        of->strength[k / 2][k % 2] = met ? 0 : FB_NAN;
    }
    for (int i = 0; i < w->n_muscles * MOST_PARTS; i++) {
        of->parts[i] = FB_NAN;
    }
    if (!met) {
        return;
    }
    fb_simulation_move(s);
    find_arms(w, of);
    for (int i = 0; i < s->muscles->n; i++) { /* the other model may have more than the table */
        const fb_muscle *m = &s->muscles->muscles[i];
        double arm[2];
        if (!fb_fbsim_is_wanted(w->cli, m)) {
            continue;
        }
        double force = pull(w, of, i, at, arm);
        add_moments(w, of, m, arm, force);
        for (int j = 0; j < w->n_muscles; j++) {
            if (of->muscle[j] == i) {
                double *part = of->parts + j * MOST_PARTS;
                *part++ = s->path_length[m->path];
                for (int k = 0; k < w->n_coordinates; k++) {
                    *part++ = arm[k];
                }
                *part = force;
            }
        }
    }
    add_links(w, of, at);
}

/* ---- the table ------------------------------------------------------------------------------- */

static double *put(const sweep *w, double *to, const double *values, bool both) {
    *to++ = values[0];
    if (both && w->n_sides == 2) {
        *to++ = values[1];
        *to++ = values[1] - values[0];
    }
    return to;
}

static void put_row(sweep *w, const double *at) {
    side *a = &w->sides[0], *b = &w->sides[1];
    for (int i = 0; i < w->n_sides; i++) {
        evaluate(w, &w->sides[i], at);
    }
    double *to = fb_sto_row(&w->table), pair[2] = {0, 0};
    for (int k = 0; k < w->n_coordinates; k++) {
        *to++ = at[k];
    }
    for (int i = 0; i < w->n_muscles; i++) {
        for (int k = 0; k < w->n_parts; k++) {
            pair[0] = a->parts[i * MOST_PARTS + k];
            pair[1] = w->n_sides == 2 ? b->parts[i * MOST_PARTS + k] : 0;
            to = put(w, to, pair, w->n_sides == 2 && b->muscle[i] >= 0);
        }
    }
    for (int k = 0; k < 2 * w->n_coordinates; k++) {
        pair[0] = a->strength[k / 2][k % 2];
        pair[1] = b->strength[k / 2][k % 2];
        to = put(w, to, pair, true);
    }
}

static double value_at(const sweep *w, int which, int i) {
    return w->low[which] + (w->high[which] - w->low[which]) * i / (w->steps[which] - 1);
}

static const char *make_header(sweep *w, double activation) {
    fb_arena *arena = &w->table.arena;
    const side *a = &w->sides[0];
    char number[FB_NUMBER_MAX];
    fb_number_print(number, activation);
    const char *header = fb_fbsim_header(&w->table, a->s), *differenced = "";
    if (w->n_sides == 2) {
        header = fb_arena_printf(arena, "%sfile=%s\nagainst=%s\nagainst_model=%s\n", header,
                                 fb_fbsim_plain(arena, a->file),
                                 fb_fbsim_plain(arena, w->sides[1].file),
                                 fb_fbsim_plain(arena, w->sides[1].s->system->model->root->name));
    }
    header = fb_arena_printf(arena, "%s%s", header, fb_fbsim_motions(arena, a->s));
    for (int i = 0; i < w->n_muscles; i++) {
        const fb_muscle *m = &a->s->muscles->muscles[a->muscle[i]];
        if (a->ever_differenced[m->path]) {
            differenced = fb_arena_printf(arena, "%s%s%s", differenced, *differenced ? "," : "",
                                          fb_path_name(m->element->path));
        }
    }
    header = fb_arena_printf(arena, "%sunits=m, rad, N, N m\nactivation=%s\nmoment_arms=%s\n",
                             header, number, w->geometric ? FB_FBSIM_GEOMETRIC : "generalized");
    return *differenced ? fb_arena_printf(arena, "%scentral_differences=%s\n", header, differenced)
                        : header;
}

/* The exit status; *header is set if it is 0. */
static int fill(sweep *w, double activation, const char **header) {
    jmp_buf oom;
    fb_sto_start(&w->table, "sweep");
    if (setjmp(oom)) {
        return fb_exit_of(FB_E_MEMORY);
    }
    w->table.arena.oom = &oom;
    find_muscles(w);
    if (w->n_muscles == 0 && fb_cli_value(w->cli, "muscle")) {
        fb_cli_say(w->cli, "%s has no muscle '%s'", w->sides[0].file,
                   fb_cli_value(w->cli, "muscle"));
        return FB_EXIT_USAGE;
    }
    for (int i = 0; i < w->n_sides; i++) {
        side *of = &w->sides[i];
        prepare_side(w, of, activation);
        for (int k = 0; k < w->n_coordinates; k++) {
            free_coordinate(w, of, k);
        }
        if (w->n_coordinates == 2 && !are_independent(w, of)) {
            return FB_EXIT_USAGE;
        }
    }
    start_table(w);
    for (int i = 0; i < w->steps[0]; i++) {
        for (int j = 0; j < w->steps[1]; j++) {
            double at[2] = {value_at(w, 0, i), w->n_coordinates == 2 ? value_at(w, 1, j) : 0};
            put_row(w, at);
        }
    }
    *header = make_header(w, activation);
    w->table.arena.oom = NULL;
    return FB_EXIT_OK;
}

/* ---- what is told ---------------------------------------------------------------------------- */

/* "elbow = 1.2", or both. */
static void print_place(const sweep *w, const double *at, char *text, size_t n) {
    const side *a = &w->sides[0];
    if (w->n_coordinates == 1) {
        snprintf(text, n, "%s = %.6g", coordinate_name(a, 0), at[0]);
    } else {
        snprintf(text, n, "%s = %.6g, %s = %.6g", coordinate_name(a, 0), at[0],
                 coordinate_name(a, 1), at[1]);
    }
}

/* Every nan has a word. */
static void tell_missing(const sweep *w, const side *of) {
    char place[400];
    int rows = w->table.n_rows;
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

/* Adds "WHAT RMS GREATEST" for a column of differences to a line. */
static void add_summary(const sweep *w, int column, const char *what, char *line, size_t size) {
    size_t n = strlen(line);
    double rms, most;
    if (summarize(&w->table, column, &rms, &most)) {
        snprintf(line + n, size - n, "%s%s %.4g %.4g", n ? ", " : " ", what, rms, most);
    } else {
        snprintf(line + n, size - n, "%s%s known nowhere", n ? ", " : " ", what);
    }
}

/* A line for each muscle of both models, and one for each strength. */
static void tell_differences(const sweep *w) {
    const side *a = &w->sides[0], *b = &w->sides[1];
    int column = w->n_coordinates;
    for (int i = 0; i < w->n_muscles; i++) {
        char line[1000] = "";
        if (b->muscle[i] < 0) {
            column += w->n_parts;
            continue;
        }
        for (int k = 0; k < w->n_parts; k++, column += 3) {
            add_summary(w, column + 2, w->part[k], line, sizeof line);
        }
        fb_cli_say(w->cli, "%s differs by (rms, greatest)%s",
                   fb_path_name(a->s->muscles->muscles[a->muscle[i]].element->path), line);
    }
    for (int k = 0; k < 2 * w->n_coordinates; k++, column += 3) {
        char line[200] = "";
        add_summary(w, column + 2, "moment", line, sizeof line);
        fb_cli_say(w->cli, "%s differs by (rms, greatest)%s", w->table.columns[column], line);
    }
}

/* ---- the command ----------------------------------------------------------------------------- */

static int read_other(sweep *w, const char *file, fb_model **model) {
    double megabytes;
    if (!fb_cli_number(w->cli, "max-size", 0, 2000, 256, &megabytes)) {
        return FB_EXIT_USAGE;
    }
    if (strcmp(file, "-") == 0 && strcmp(w->sides[0].file, "-") == 0) {
        fb_cli_say(w->cli, "standard input can be only one of the two models");
        return FB_EXIT_USAGE;
    }
    fb_status status = fb_cli_read_model(w->cli, file, (size_t)(megabytes * 1024 * 1024), model,
                                         NULL);
    if (status == FB_OK) {
        status = fb_simulation_new(&w->sides[1].s, *model, w->sides[0].s->paths->as_opensim4,
                                   &w->cli->diag);
    }
    w->sides[1].file = file;
    w->n_sides = 2;
    return fb_exit_of(status);
}

static int run(sweep *w, double activation) {
    if (!find_coordinates(w) || !read_steps(w)) {
        return FB_EXIT_USAGE;
    }
    for (int k = 0; k < w->n_coordinates; k++) {
        range_of(&w->sides[0], k, &w->low[k], &w->high[k]);
    }
    const char *header = NULL;
    int status = fill(w, activation, &header);
    if (status == FB_EXIT_OK) {
        for (int i = 0; i < w->n_sides; i++) {
            tell_missing(w, &w->sides[i]);
        }
        status = fb_exit_of(fb_fbsim_write(w->cli, &w->table, header, w->cli->output));
    }
    if (status == FB_EXIT_OK && w->n_sides == 2 && !w->cli->quiet) {
        tell_differences(w);
    }
    fb_sto_free(&w->table);
    return status == FB_EXIT_OK && w->sides[0].unlinked + w->sides[1].unlinked > 0 ? FB_EXIT_NUMERIC
                                                                                   : status;
}

int fb_fbsim_sweep(fb_cli *cli, fb_simulation *s) {
    const char *against = fb_cli_value(cli, "against");
    sweep w = {.cli = cli, .n_sides = 1};
    fb_model *other = NULL;
    double activation;
    w.sides[0].s = s;
    w.sides[0].file = cli->n_operands > 1 ? cli->operands[1] : "-";
    if (!fb_cli_number(cli, "activation", 0, 1, 1, &activation) ||
        !fb_fbsim_moment_arms(cli, &w.geometric)) {
        return FB_EXIT_USAGE;
    }
    int status = against ? read_other(&w, against, &other) : FB_EXIT_OK;
    if (status == FB_EXIT_OK) {
        status = run(&w, activation);
    }
    fb_simulation_free(w.sides[1].s);
    fb_model_free(other);
    return status;
}
