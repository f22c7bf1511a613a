#include "tools/fbsim_states.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#include "formats/csv.h"
#include "libcore/base/number.h"

#define ASSEMBLY 1e-10 /* what constraints are met to */
#define SLACK 0.05     /* of a coordinate's range: so far beyond is not worth a word */
#define RADIANS (M_PI / 180)

/* ---- reading -------------------------------------------------------------------------------- */

int fb_states_read(fb_states *states, fb_cli *cli, size_t max_bytes) {
    const char *file = fb_cli_value(cli, "states"), *fibers = fb_cli_value(cli, "fibers");
    states->cli = cli;
    states->fibers = fibers && strcmp(fibers, "states") == 0;
    if (fibers && !states->fibers && strcmp(fibers, "equilibrium") != 0) {
        fb_cli_say(cli, "--fibers is 'equilibrium' or 'states', not '%s'", fibers);
        return FB_EXIT_USAGE;
    }
    return file ? fb_states_read_file(states, cli, file, max_bytes) : FB_EXIT_OK;
}

int fb_states_read_file(fb_states *states, fb_cli *cli, const char *file, size_t max_bytes) {
    states->cli = cli;
    char *bytes;
    size_t size;
    bool standard = strcmp(file, "-") == 0;
    if (standard && (cli->n_operands < 2 || strcmp(cli->operands[1], "-") == 0)) {
        fb_cli_say(cli, "standard input can be the model or the states, not both");
        return FB_EXIT_USAGE;
    }
    states->file = standard ? "<stdin>" : file;
    fb_status status = standard ? fb_read_stream(cli->in, states->file, max_bytes, &bytes, &size,
                                                 &cli->diag)
                                : fb_read_file(file, max_bytes, &bytes, &size, &cli->diag);
    if (status != FB_OK) {
        return fb_exit_of(status);
    }
    bool csv = fb_file_ends_with(file, ".csv");
    status = (csv ? fb_csv_read : fb_sto_read)(&states->table, bytes, size, states->file,
                                               &cli->diag);
    fb_free(bytes);
    return fb_exit_of(status);
}

void fb_states_free(fb_states *states) {
    fb_sto_free(&states->table);
}

int fb_states_count(const fb_states *states) {
    return states->file ? states->table.n_rows : 1;
}

static const double *row_of(const fb_states *states, int row) {
    return states->table.values + (size_t)row * (size_t)states->table.n_columns;
}

double fb_states_time(const fb_states *states, int row) {
    return states->file ? row_of(states, row)[0] : 0;
}

/* ---- columns -------------------------------------------------------------------------------- */

/* What a table can say of a coordinate or muscle: by OpenSim 4's name of it, path/NOW, or the one
 * that it had before, nameBEFORE. */
typedef struct variable {
    const char *now, *before;
} variable;

static const variable of_coordinates[] = {{"value", ""}, {"speed", "_u"}};
static const variable of_muscles[] = {{"activation", ".activation"},
                                      {"fiber_length", ".fiber_length"},
                                      {"fiber_velocity", ".fiber_velocity"}};
static const variable of_forces[] = {{"activation", ".activation"}, {"stretch", ".stretch"}};

static const variable *own_variable(const fb_force *force) {
    return &of_forces[force->kind == FB_FORCE_CLUTCHED_SPRING];
}

static bool names(const char *column, const char *path, const variable *v) {
    size_t n = strlen(path);
    const char *tail = fb_path_name(path);
    size_t m = strlen(tail);
    return (strncmp(column, path, n) == 0 && column[n] == '/' &&
            strcmp(column + n + 1, v->now) == 0) ||
           (strncmp(column, tail, m) == 0 && strcmp(column + m, v->before) == 0);
}

/* The first column that names a variable, OpenSim 4's name before the old one; or -1. */
static int column_of(const fb_states *states, const char *path, const variable *v) {
    char name[1024];
    if (!states->file) {
        return -1;
    }
    snprintf(name, sizeof name, "%s/%s", path, v->now);
    int column = fb_sto_column(&states->table, name);
    if (column < 0) {
        snprintf(name, sizeof name, "%s%s", fb_path_name(path), v->before);
        column = fb_sto_column(&states->table, name);
    }
    return column;
}

static const char *muscle_path(const fb_states *states, int i) {
    return states->s->muscles->muscles[i].element->path;
}

/* Which of the variables that a column names; true if it names one. */
static bool is_known(const fb_states *states, const char *column) {
    for (int i = 0; i < states->s->system->n_q; i++) {
        for (int k = 0; k < 2; k++) {
            if (names(column, states->s->system->coordinates[i].path, &of_coordinates[k])) {
                return true;
            }
        }
    }
    for (int i = 0; i < states->s->muscles->n; i++) {
        for (int k = 0; k < 3; k++) {
            if (names(column, muscle_path(states, i), &of_muscles[k])) {
                return true;
            }
        }
    }
    for (int i = 0; i < states->s->forces->n_forces; i++) {
        const fb_force *force = &states->s->forces->forces[i];
        if (force->state >= 0 && names(column, force->element->path, own_variable(force))) {
            return true;
        }
    }
    return false;
}

static bool is_used(const fb_states *states, int column) {
    bool used = false;
    for (int i = 0; i < states->s->system->n_q && !used; i++) {
        used = states->value[i] == column || states->speed[i] == column;
    }
    for (int i = 0; i < states->s->muscles->n && !used; i++) {
        used = states->activation[i] == column || states->fiber[i] == column ||
               states->fiber_speed[i] == column;
    }
    for (int i = 0; i < states->s->forces->n_states && !used; i++) {
        used = states->own[i] == column;
    }
    return used;
}

/* Names of coordinates, for fb_nearest_word. */
static const char *next_coordinate(const void *context, int i) {
    const fb_states *states = context;
    return i < states->s->system->n_q ? fb_path_name(states->s->system->coordinates[i].path) : NULL;
}

static fb_place place_of(const fb_states *states) {
    return (fb_place){states->file, 0, NULL, NULL};
}

/* A column that names nothing here, often misspelt, must not pass for one that was used. FB_E_INPUT
 * if none is. */
static fb_status tell_unused(const fb_states *states) {
    int unknown = 0, twice = 0, used = 0;
    const char *first = NULL, *second = NULL;
    fb_diag *diag = &states->cli->diag;
    for (int j = 1; j < states->table.n_columns; j++) {
        const char *column = states->table.columns[j];
        if (is_used(states, j)) {
            used++;
        } else if (is_known(states, column)) {
            second = twice++ ? second : column;
        } else {
            first = unknown++ ? first : column;
        }
    }
    const char *near = first ? fb_nearest_word(first, next_coordinate, states) : NULL;
    if (unknown && !used) {
        fb_diag_add(diag, FB_ERROR, FB1404, place_of(states), NULL,
                    "no column names anything in the model; the first is '%s'%s%s%s", first,
                    near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
        return FB_E_INPUT;
    }
    if (unknown) {
        fb_diag_add(diag, FB_WARNING, FB1404, place_of(states), NULL,
                    "%d of the columns name%s nothing in the model; the first is '%s'%s%s%s",
                    unknown, unknown == 1 ? "s" : "", first, near ? "; did you mean '" : "",
                    near ? near : "", near ? "'?" : "");
    }
    if (twice) {
        fb_diag_add(diag, FB_WARNING, FB1404, place_of(states), "the others are used",
                    "%d of the columns give%s what another one gives; the first is '%s'", twice,
                    twice == 1 ? "s" : "", second);
    }
    return FB_OK;
}

/* Fiber lengths that are there but not asked for. */
static void tell_fibers(fb_states *states) {
    bool any = false;
    for (int i = 0; i < states->s->muscles->n; i++) {
        any |= states->fiber[i] >= 0;
        if (!states->fibers) {
            states->fiber[i] = states->fiber_speed[i] = -1;
        }
    }
    if (any && !states->fibers) {
        fb_diag_add(&states->cli->diag, FB_WARNING, FB1404, place_of(states),
                    "muscles are put into equilibrium; '--fibers states' takes the table's",
                    "fiber lengths in a table of states are not used");
    }
}

/* A number that is none, in a column that is used. */
static fb_status check_numbers(const fb_states *states) {
    for (int j = 0; j < states->table.n_columns; j++) {
        for (int i = 0; i < states->table.n_rows && (j == 0 || is_used(states, j)); i++) {
            if (!isfinite(row_of(states, i)[j])) {
                fb_diag_add(&states->cli->diag, FB_ERROR, FB1404, place_of(states), NULL,
                            "row %d has no number for '%s'", i + 1, states->table.columns[j]);
                return FB_E_INPUT;
            }
        }
    }
    return FB_OK;
}

fb_status fb_states_find(fb_states *states, fb_simulation *s, fb_arena *arena) {
    size_t n = (size_t)s->system->n_q, m = (size_t)s->muscles->n;
    states->s = s;
    states->value = fb_arena_array(arena, n, sizeof *states->value);
    states->speed = fb_arena_array(arena, n, sizeof *states->speed);
    states->outside = fb_arena_array(arena, n, sizeof *states->outside);
    states->furthest = fb_arena_array(arena, n, sizeof *states->furthest);
    states->activation = fb_arena_array(arena, m, sizeof *states->activation);
    states->fiber = fb_arena_array(arena, m, sizeof *states->fiber);
    states->fiber_speed = fb_arena_array(arena, m, sizeof *states->fiber_speed);
    for (size_t i = 0; i < n; i++) {
        states->value[i] = column_of(states, s->system->coordinates[i].path, &of_coordinates[0]);
        states->speed[i] = column_of(states, s->system->coordinates[i].path, &of_coordinates[1]);
    }
    for (size_t i = 0; i < m; i++) {
        const char *path = muscle_path(states, (int)i);
        states->activation[i] = column_of(states, path, &of_muscles[0]);
        states->fiber[i] = column_of(states, path, &of_muscles[1]);
        states->fiber_speed[i] = column_of(states, path, &of_muscles[2]);
    }
    states->own = fb_arena_array(arena, (size_t)s->forces->n_states, sizeof *states->own);
    for (int i = 0; i < s->forces->n_forces; i++) {
        const fb_force *force = &s->forces->forces[i];
        if (force->state >= 0) {
            states->own[force->state] = column_of(states, force->element->path,
                                                  own_variable(force));
        }
    }
    if (!states->file) {
        return FB_OK;
    }
    const fb_sto *t = &states->table;
    if (strcasecmp(t->columns[0], "time") != 0) {
        fb_diag_add(&states->cli->diag, FB_ERROR, FB1404, place_of(states), NULL,
                    "the first column of a table of states must be 'time', not '%s'",
                    t->columns[0]);
        return FB_E_INPUT;
    }
    if (t->n_rows == 0) {
        fb_diag_add(&states->cli->diag, FB_ERROR, FB1404, place_of(states), NULL,
                    "there are no rows of numbers");
        return FB_E_INPUT;
    }
    fb_status status = tell_unused(states);
    tell_fibers(states);
    return status == FB_OK ? check_numbers(states) : status;
}

/* ---- states --------------------------------------------------------------------------------- */

static void set_coordinate(fb_states *states, int i, const double *x) {
    const fb_coordinate *c = &states->s->system->coordinates[i];
    fb_state *state = states->s->state;
    bool turns = fb_fbsim_motion(c) == FB_ROTATIONAL;
    double unit = states->table.in_degrees && turns ? RADIANS : 1;
    if (states->value[i] >= 0) {
        double q = state->q[i] = x[states->value[i]] * unit;
        double slack = SLACK * (c->range[1] - c->range[0]);
        double off = fmax(c->range[0] - q, q - c->range[1]);
        double most = fmax(c->range[0] - states->furthest[i], states->furthest[i] - c->range[1]);
        if (c->element && off > slack) {
            states->furthest[i] = states->outside[i] == 0 || off > most ? q : states->furthest[i];
            states->outside[i]++;
        }
    }
    state->u[i] = states->speed[i] >= 0 ? x[states->speed[i]] * unit : c->initial_speed;
}

void fb_states_set(fb_states *states, int row, double moment) {
    fb_simulation *s = states->s;
    const fb_system *system = s->system;
    const double *x = states->file ? row_of(states, row) : NULL;
    s->state->time = moment;
    fb_state_defaults(s->state);
    for (int i = 0; i < system->n_q; i++) {
        set_coordinate(states, i, x);
    }
    for (int i = 0; i < s->muscles->n; i++) {
        const fb_muscle *m = &s->muscles->muscles[i];
        double given = states->activation[i] >= 0 ? x[states->activation[i]] : 0;
        states->inactive += given < 0 || given > 1;
        s->activation[i] = states->activation[i] >= 0 ? given
                           : m->activation_is_control ? 0
                                                      : m->default_activation;
        if (states->fibers) { /* what has none is put into equilibrium */
            s->points[i].fiber_length = 0;
        }
        if (states->fiber[i] >= 0) {
            states->no_fibers += !(x[states->fiber[i]] > 0);
            s->points[i].fiber_length = x[states->fiber[i]];
            s->points[i].fiber_velocity = states->fiber_speed[i] >= 0 ? x[states->fiber_speed[i]]
                                                                      : 0;
        }
    }
    for (int i = 0; i < s->forces->n_states; i++) {
        s->force_state[i] = states->own[i] >= 0 ? x[states->own[i]] : s->forces->default_states[i];
    }
    if (s->paths->as_opensim4 && states->file) {
        return;
    }
    fb_state_position(s->state);
    fb_status met = states->n_held
                        ? fb_assemble_held(s->state, states->held, states->n_held, ASSEMBLY)
                        : fb_assemble(s->state, ASSEMBLY);
    if (met != FB_OK) {
        states->unmet++;
        fb_diag_add(
            &states->cli->diag, FB_WARNING, FB4002, (fb_place){system->model->file, 0, NULL, NULL},
            "the nearest pose is used",
            "the constraints cannot be met, or not without moving what is locked, in row %d",
            row + 1);
    }
    fb_state_position(s->state);
    fb_project_velocity(s->state);
}

void fb_states_tell(const fb_states *states) {
    for (int i = 0; i < states->s->system->n_q; i++) {
        const fb_coordinate *c = &states->s->system->coordinates[i];
        if (states->outside[i]) {
            fb_diag_add(
                &states->cli->diag, FB_WARNING, FB1404, place_of(states), NULL,
                "'%s' is outside its range, %g to %g, in %d of %d states; the furthest is %g",
                fb_path_name(c->path), c->range[0], c->range[1], states->outside[i],
                fb_states_count(states), states->furthest[i]);
        }
    }
    if (states->no_fibers) {
        fb_diag_add(&states->cli->diag, FB_WARNING, FB1404, place_of(states), NULL,
                    "%d fiber lengths are not above 0", states->no_fibers);
    }
    if (states->inactive) {
        fb_diag_add(&states->cli->diag, FB_WARNING, FB1404, place_of(states),
                    "muscles keep them within", "%d activations are not between 0 and 1",
                    states->inactive);
    }
}
