/* fbsim sweep: lengths, moment arms and forces of muscles over the range of a coordinate, or over a
 * grid of two; of one model, or of two beside each other. */
#include "tools/fbsim_sweep.h"

#include <math.h>
#include <string.h>

#include "libcore/base/number.h"
#include "libcore/muscle/moment_arm.h"

#define ASSEMBLY 1e-10
#define HALF_TURN 3.14159265358979323846
#define MOST_ROWS 1000000

typedef fb_sweep sweep;
typedef fb_sweep_side side;

const char *fb_sweep_coordinate(const fb_sweep_side *of, int which) {
    return fb_path_name(of->s->system->coordinates[of->coordinate[which]].path);
}

/* ---- what is asked for ----------------------------------------------------------------------- */

/* The coordinate with a component path, or -1. */
static int find_path(const fb_simulation *s, const char *path) {
    for (int i = 0; i < s->system->n_q; i++) {
        if (strcmp(s->system->coordinates[i].path, path) == 0) {
            return i;
        }
    }
    return -1;
}

static bool find_coordinates(sweep *w) {
    const char *names[2] = {fb_cli_value(w->cli, "coordinate"), fb_cli_value(w->cli, "and")};
    w->n_coordinates = names[1] ? 2 : 1;
    if (!names[0]) {
        fb_cli_say(w->cli, "--coordinate NAME says what to sweep");
        return false;
    }
    for (int i = 0; i < w->n_sides; i++) {
        side *of = &w->sides[i];
        for (int k = 0; k < w->n_coordinates; k++) {
            const fb_system *first = w->sides[0].s->system;
            int same = i == 0
                           ? -1
                           : find_path(of->s, first->coordinates[w->sides[0].coordinate[k]].path);
            of->coordinate[k] = same >= 0 ? same
                                          : fb_fbsim_coordinate(w->cli, of->s, of->file, names[k]);
            if (of->coordinate[k] < 0) {
                return false;
            }
            if (i == 0) { /* in the other model by its name: its joint may have another */
                names[k] = fb_sweep_coordinate(of, k);
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

/* --set, whose coordinates are held besides those that are swept. */
static bool set_others(sweep *w) {
    for (int i = 0; i < w->n_sides; i++) {
        side *of = &w->sides[i];
        int *set = of->held + w->n_coordinates, n = 0;
        if (!fb_fbsim_set(w->cli, of->s, of->file, i == 0, set, &n)) {
            return false;
        }
        for (int k = 0; k < w->n_coordinates; k++) {
            of->held[k] = of->coordinate[k];
            for (int j = 0; j < n; j++) {
                if (set[j] == of->coordinate[k]) {
                    fb_cli_say(w->cli, "'%s' is swept: --set is for others",
                               fb_sweep_coordinate(of, k));
                    return false;
                }
            }
        }
        of->n_held = w->n_coordinates + n;
    }
    return true;
}

/* Its range, or half a turn, or a metre, about the default where it has none. */
static void range_of(const side *of, int which, double *low, double *high) {
    const fb_coordinate *c = &of->s->system->coordinates[of->coordinate[which]];
    *low = c->range[0];
    *high = c->range[1];
    if (!(*high > *low) || !isfinite(*high - *low) || *high - *low > 100) {
        double half = fb_fbsim_motion(c) == FB_ROTATIONAL ? HALF_TURN / 2 : 0.5;
        *low = c->initial - half;
        *high = c->initial + half;
    }
}

/* LOW,HIGH of --range, in degrees if HIGH is. */
static bool read_range(const sweep *w, int which, const char *text, double *low, double *high) {
    const side *of = &w->sides[0];
    const fb_coordinate *c = &of->s->system->coordinates[of->coordinate[which]];
    size_t comma = strcspn(text, ","), n = strlen(text);
    bool degrees = n > 3 && strcmp(text + n - 3, "deg") == 0;
    if (text[comma] &&
        (!fb_fbsim_coordinate_value(w->cli, c, text, comma, degrees, low) ||
         !fb_fbsim_coordinate_value(w->cli, c, text + comma + 1, n - comma - 1, false, high))) {
        return false;
    }
    if (!text[comma] || !(*low < *high)) {
        fb_cli_say(w->cli, "--range must be LOW,HIGH, HIGH being the larger; got '%s'", text);
        return false;
    }
    return true;
}

static bool read_ranges(sweep *w) {
    const char *text;
    for (int k = 0; k < w->n_coordinates; k++) {
        range_of(&w->sides[0], k, &w->low[k], &w->high[k]);
    }
    for (int i = 0; (text = fb_cli_values(w->cli, "range", i)); i++) {
        if (i >= w->n_coordinates) {
            fb_cli_say(w->cli, "--range is given more often than there are coordinates to sweep");
            return false;
        }
        if (!read_range(w, i, text, &w->low[i], &w->high[i])) {
            return false;
        }
    }
    return true;
}

/* K[,K] of --against-scale. */
static bool read_scales(sweep *w) {
    const char *text = fb_cli_value(w->cli, "against-scale");
    for (int k = 0; k < 2; k++) {
        w->sides[0].scale[k] = w->sides[1].scale[k] = 1;
    }
    if (!text) {
        return true;
    }
    size_t n = strcspn(text, ",");
    double *scale = w->sides[1].scale;
    bool good = fb_number_parse(text, n, &scale[0]);
    if (text[n]) {
        good = good && w->n_coordinates == 2 &&
               fb_number_parse(text + n + 1, strlen(text + n + 1), &scale[1]);
    }
    good = good && scale[0] != 0 && scale[1] != 0 && isfinite(scale[0]) && isfinite(scale[1]);
    if (!good || w->n_sides == 1) {
        fb_cli_say(w->cli,
                   good ? "--against-scale is for the model of --against"
                        : "--against-scale must be a number other than 0, or with --and two "
                          "of them with a comma between; got '%s'",
                   text);
    }
    return good && w->n_sides == 2;
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

static void prepare_side(sweep *w, side *of) {
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
    of->parts = fb_arena_array(arena, (size_t)w->n_items * FB_SWEEP_PARTS, sizeof(double));
    of->force = fb_arena_array(arena, muscles, sizeof(double));
    of->wanted = fb_arena_array(arena, muscles, sizeof(bool));
    of->unbalanced = fb_arena_array(arena, muscles, sizeof(int));
    of->unbalanced_at = fb_arena_array(arena, muscles, sizeof *of->unbalanced_at);
    for (size_t i = 0; i < muscles; i++) {
        of->s->activation[i] = w->activation;
        of->wanted[i] = fb_fbsim_is_wanted(w->cli, of->s, of->s->muscles->muscles[i].element);
    }
    fb_state_defaults(of->s->state);
    memcpy(of->last, of->s->state->q, n * sizeof(double));
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
               fb_sweep_coordinate(of, 1), fb_sweep_coordinate(of, 0), of->file);
    return false;
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
            state->q[of->coordinate[k]] = of->scale[k] * at[k];
        }
        bool met = fb_assemble_held(state, of->held, of->n_held, ASSEMBLY) == FB_OK;
        for (int k = 0; k < w->n_coordinates; k++) {
            met = met && fabs(state->q[of->coordinate[k]] - of->scale[k] * at[k]) <= ASSEMBLY;
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

/* A path's arm about the k-th coordinate, what moves along with it included; about the first
 * model's, of which this one's is a multiple. */
static double arm_of(const side *of, int path, int k) {
    int n = of->s->system->n_q;
    const double *arms = of->arms + (size_t)path * (size_t)n;
    double arm = 0;
    for (int j = 0; j < n; j++) {
        arm += of->dq[k][j] * arms[j];
    }
    return of->scale[k] * arm;
}

/* A muscle's force at rest (nan if it finds no balance). */
static double pull(side *of, int i, const double *at) {
    if (fb_simulation_equilibrate(of->s, i, FB_EQUILIBRIUM_STATIC)) {
        return of->s->points[i].tendon_force;
    }
    if (of->unbalanced[i]++ == 0) {
        memcpy(of->unbalanced_at[i], at, sizeof of->unbalanced_at[i]);
    }
    return FB_NAN;
}

/* Adds a muscle's moments to the strengths; those of muscles at virtual links are put together
 * first. */
static void add_moments(const sweep *w, side *of, const fb_muscle *m, double force) {
    int group = of->s->links ? fb_links_group(of->s->links, m->path) : -1;
    for (int k = 0; k < w->n_coordinates && m->enabled && !isnan(force); k++) {
        double arm = arm_of(of, m->path, k);
        *(group < 0 ? &of->strength[k][arm < 0] : &of->moment[k][group]) += arm * force;
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

/* Length, arms and force of an item, where the side has it. */
static void fill_parts(const sweep *w, side *of, int which) {
    const fb_simulation *s = of->s;
    const fb_sweep_item *item = &w->items[which];
    int i = of == &w->sides[1], path = item->path[i];
    double *part = of->parts + which * FB_SWEEP_PARTS;
    if (path < 0) {
        return;
    }
    *part++ = s->path_length[path];
    for (int k = 0; k < w->n_coordinates; k++) {
        *part++ = arm_of(of, path, k);
    }
    if (item->muscle[i] >= 0) {
        *part = of->force[item->muscle[i]];
    } else if (item->force[i]) {
        *part = fb_force_tension(s->forces, item->force[i], NULL, NULL, s->path_length[path], 0);
    } else if (item->has_tension && !fb_get_bool(s->paths->paths[path].owner, "enabled")) {
        *part = 0;
    }
}

/* A model at the coordinates' values: parts of its items, and strengths. Where constraints cannot
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
    for (int i = 0; i < w->n_items * FB_SWEEP_PARTS; i++) {
        of->parts[i] = FB_NAN;
    }
    if (!met) {
        return;
    }
    fb_simulation_move(s);
    find_arms(w, of);
    for (int i = 0; i < s->muscles->n; i++) { /* the other model may have more than the table */
        const fb_muscle *m = &s->muscles->muscles[i];
        if (of->wanted[i]) {
            of->force[i] = pull(of, i, at);
            add_moments(w, of, m, of->force[i]);
            bool finite = isfinite(s->path_length[m->path]) && !isinf(of->force[i]);
            if (!finite && !m->lacking && of->not_finite++ == 0) {
                of->not_finite_at = at[0];
                of->not_finite_name = m->element->name;
            }
        }
    }
    for (int i = 0; i < w->n_items; i++) {
        fill_parts(w, of, i);
    }
    add_links(w, of, at);
}

/* ---- the command ----------------------------------------------------------------------------- */

static double value_at(const sweep *w, int which, int i) {
    return w->low[which] + (w->high[which] - w->low[which]) * i / (w->steps[which] - 1);
}

/* The exit status; *header is set if it is 0. */
static int fill(sweep *w, const char **header) {
    jmp_buf oom;
    fb_sto_start(&w->table, "sweep");
    if (setjmp(oom)) {
        return fb_exit_of(FB_E_MEMORY);
    }
    w->table.arena.oom = &oom;
    fb_sweep_find_items(w);
    if (w->n_items == 0) {
        const char *name = fb_cli_value(w->cli, "muscle");
        fb_cli_say(w->cli, name ? "%s has no muscle '%s'" : "%s has no muscle and no other path",
                   w->sides[0].file, name);
        return name ? FB_EXIT_USAGE : FB_EXIT_NO;
    }
    for (int i = 0; i < w->n_sides; i++) {
        side *of = &w->sides[i];
        prepare_side(w, of);
        for (int k = 0; k < w->n_coordinates; k++) {
            fb_sweep_tell_range(w, of, k);
            fb_fbsim_tell_held(w->cli, of->s, of->file, of->coordinate[k]);
        }
        if (w->n_coordinates == 2 && !are_independent(w, of)) {
            return FB_EXIT_USAGE;
        }
    }
    fb_sweep_start_table(w);
    for (int i = 0; i < w->steps[0]; i++) {
        for (int j = 0; j < w->steps[1]; j++) {
            double at[2] = {value_at(w, 0, i), w->n_coordinates == 2 ? value_at(w, 1, j) : 0};
            for (int k = 0; k < w->n_sides; k++) {
                evaluate(w, &w->sides[k], at);
            }
            fb_sweep_put_row(w, at);
        }
    }
    *header = fb_sweep_header(w);
    w->table.arena.oom = NULL;
    return FB_EXIT_OK;
}

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

static int run(sweep *w) {
    const fb_simulation *first = w->sides[0].s, *second = w->sides[1].s;
    w->paths = fb_cli_value(w->cli, "paths") || first->muscles->n == 0;
    if (!find_coordinates(w) || !read_steps(w) || !read_scales(w) || !set_others(w) ||
        !read_ranges(w) || !fb_fbsim_find_all(w->cli, first, second, w->sides[0].file, w->paths)) {
        return FB_EXIT_USAGE;
    }
    const char *header = NULL;
    int status = fill(w, &header);
    if (status == FB_EXIT_OK) {
        for (int i = 0; i < w->n_sides; i++) {
            fb_sweep_tell_missing(w, &w->sides[i]);
        }
        status = fb_exit_of(fb_fbsim_write(w->cli, &w->table, header, w->cli->output));
    }
    if (status == FB_EXIT_OK && w->n_sides == 2 && !w->cli->quiet) {
        fb_sweep_tell_differences(w);
    }
    fb_sto_free(&w->table);
    long bad = 0;
    for (int i = 0; i < w->n_sides; i++) {
        bad += w->sides[i].unlinked + w->sides[i].not_finite;
    }
    return status == FB_EXIT_OK && bad > 0 ? FB_EXIT_NUMERIC : status;
}

int fb_fbsim_sweep(fb_cli *cli, fb_simulation *s) {
    const char *against = fb_cli_value(cli, "against");
    sweep w = {.cli = cli, .n_sides = 1};
    fb_model *other = NULL;
    w.sides[0].s = s;
    w.sides[0].file = cli->n_operands > 1 ? cli->operands[1] : "-";
    if (!fb_cli_number(cli, "activation", 0, 1, 1, &w.activation) ||
        !fb_fbsim_moment_arms(cli, &w.geometric)) {
        return FB_EXIT_USAGE;
    }
    int status = against ? read_other(&w, against, &other) : FB_EXIT_OK;
    if (status == FB_EXIT_OK) {
        status = run(&w);
    }
    fb_simulation_free(w.sides[1].s);
    fb_model_free(other);
    return status;
}
