/* fbsim eval: tables of what a model does in the states of a table. */
#include <math.h>
#include <string.h>

#include "formats/loads.h"
#include "libcore/base/number.h"
#include "libcore/muscle/moment_arm.h"
#include "libcore/version.h"
#include "tools/fbsim_states.h"

#define ROUNDING 1e-14 /* of the largest number: what counts as zero in a mass matrix */

/* ---- the tables ----------------------------------------------------------------------------- */

enum {
    BODY_POSE,
    MARKER,
    COM,
    PATH_LENGTH,
    PATH_SPEED,
    MOMENT_ARM,
    MUSCLE,
    MASS_MATRIX,
    INVERSE_DYNAMICS,
    ACCELERATION,
    VIRTUAL_LINK,
    N_TABLES
};
static const char *const table_names[N_TABLES] = {"body_pose",    "marker",      "com",
                                                  "path_length",  "path_speed",  "moment_arm",
                                                  "muscle",       "mass_matrix", "inverse_dynamics",
                                                  "acceleration", "virtual_link"};

/* What an evaluation needs and makes. */
typedef struct evaluation {
    fb_cli *cli;
    fb_simulation *s;
    bool as_opensim4;
    bool wanted[N_TABLES];
    bool alone; /* one table, which goes to -o or standard output */
    fb_sto tables[N_TABLES];
    fb_states states;
    fb_loads_file loads;
    bool has_time; /* `time` instead of the table's times */
    double time;
    double *scratch; /* n_q x n_q, and n_q */
    long singular, unlinked, not_finite[N_TABLES];
    const char *first_column[N_TABLES]; /* of those that are not finite */
    double first_time[N_TABLES];
    bool geometric;      /* --moment-arms */
    const char *motions; /* lines of headers, see fb_fbsim_motions */
    const char *set;     /* likewise, fb_fbsim_set_line */
    double *arms;        /* geometric: n_paths x n_q */
    bool *differenced;   /* n_paths: which of them by differences */
    bool *told;          /* n_paths: what is odd of it was told */
} evaluation;

/* The name of the i-th coordinate in the order of columns, which is the model's. */
static const char *coordinate_name(const evaluation *e, int i) {
    return fb_path_name(e->s->system->coordinates[e->s->system->file_order[i]].path);
}

static void add_columns(fb_sto *t, const char *path, const char *const *parts) {
    for (; *parts; parts++) {
        fb_sto_add_column(t, fb_arena_printf(&t->arena, "%s|%s", path, *parts));
    }
}

/* Whether a body has columns; a copy that cuts a loop has them only in OpenSim. */
static bool shows(const evaluation *e, int body) {
    const fb_mobod *m = &e->s->system->mobods[body];
    return m->path && (m->copy_of < 0 || e->as_opensim4);
}

static void start_tables(evaluation *e) {
    static const char *const pose[] = {"px",  "py",  "pz",  "r00", "r01", "r02", "r10",
                                       "r11", "r12", "r20", "r21", "r22", NULL};
    static const char *const place[] = {"x", "y", "z", NULL};
    static const char *const com[] = {"com_x",  "com_y",  "com_z",          "vcom_x",
                                      "vcom_y", "vcom_z", "kinetic_energy", NULL};
    static const char *const hill[] = {"fiber_length",
                                       "fiber_velocity",
                                       "pennation",
                                       "tendon_force",
                                       "active_fiber_force",
                                       "passive_fiber_force",
                                       "normalized_fiber_length",
                                       NULL};
    const fb_system *system = e->s->system;
    const fb_list *markers = fb_model_items(system->model, "markers");
    for (int i = 0; i < N_TABLES; i++) {
        fb_sto_add_column(&e->tables[i], "time");
    }
    for (int i = 1; i < system->n_body; i++) {
        if (shows(e, i)) {
            add_columns(&e->tables[BODY_POSE], system->mobods[i].path, pose);
        }
    }
    for (size_t i = 0; i < markers->n; i++) {
        add_columns(&e->tables[MARKER], markers->items[i]->path, place);
    }
    for (int i = 0; com[i]; i++) {
        fb_sto_add_column(&e->tables[COM], com[i]);
    }
    for (int i = 0; i < e->s->paths->n_paths; i++) {
        const char *path = e->s->paths->paths[i].owner->path;
        fb_sto_add_column(&e->tables[PATH_LENGTH], path);
        fb_sto_add_column(&e->tables[PATH_SPEED], path);
        for (int j = 0; j < system->n_q && e->wanted[MOMENT_ARM]; j++) {
            fb_sto *t = &e->tables[MOMENT_ARM];
            fb_sto_add_column(t, fb_arena_printf(&t->arena, "%s|%s", path, coordinate_name(e, j)));
        }
    }
    for (int i = 0; i < e->s->muscles->n; i++) {
        add_columns(&e->tables[MUSCLE], e->s->muscles->muscles[i].element->path, hill);
    }
    for (int i = 0; i < system->n_q; i++) {
        fb_sto_add_column(&e->tables[INVERSE_DYNAMICS], coordinate_name(e, i));
        fb_sto_add_column(&e->tables[ACCELERATION], coordinate_name(e, i));
        for (int j = 0; j <= i && e->wanted[MASS_MATRIX]; j++) {
            fb_sto *t = &e->tables[MASS_MATRIX];
            fb_sto_add_column(t, fb_arena_printf(&t->arena, "%s|%s", coordinate_name(e, i),
                                                 coordinate_name(e, j)));
        }
    }
}

/* Of each virtual link: its place, what is left of the tensions, and the tension of each wire. */
static void start_links(evaluation *e) {
    static const char *const parts[] = {"x", "y", "z", "residual", NULL};
    const fb_links *l = e->s->links;
    fb_sto *t = &e->tables[VIRTUAL_LINK];
    for (int i = 0; l && i < l->n; i++) {
        const fb_link *link = &l->links[i];
        add_columns(t, link->element->path, parts);
        for (int k = 0; k < link->n_wires; k++) {
            const fb_wire *wire = &l->wires[l->at[link->wires + k]];
            fb_sto_add_column(t, fb_arena_printf(&t->arena, "%s|%s", link->element->path,
                                                 l->paths->paths[wire->path].owner->path));
        }
    }
}

/* A new row of a table after its time; NULL if the table is not wanted. */
static double *row_of(evaluation *e, int table, double time) {
    if (!e->wanted[table]) {
        return NULL;
    }
    double *row = fb_sto_row(&e->tables[table]);
    row[0] = time;
    return row + 1;
}

static void put_links(evaluation *e, double time) {
    const fb_links *l = e->s->links;
    double *to = row_of(e, VIRTUAL_LINK, time);
    for (int i = 0; to && l && i < l->n; i++) {
        const fb_link *link = &l->links[i];
        fb_v3_copy(to, l->place[i]);
        to[3] = link->residual;
        for (int k = 0; k < link->n_wires; k++) {
            to[4 + k] = l->wires[l->at[link->wires + k]].tension;
        }
        to += 4 + link->n_wires;
    }
    if (l) {
        fb_links_tell(l, "time", time, &e->cli->diag);
        e->unlinked += l->n_failed;
    }
}

static void put_bodies(evaluation *e, double time) {
    const fb_system *system = e->s->system;
    const fb_state *state = e->s->state;
    double *to = row_of(e, BODY_POSE, time);
    for (int i = 1; to && i < system->n_body; i++) {
        if (shows(e, i)) {
            memcpy(to, state->pose[i].p, sizeof state->pose[i].p);
            memcpy(to + 3, state->pose[i].R, sizeof state->pose[i].R);
            to += 12;
        }
    }
    to = row_of(e, MARKER, time);
    const fb_list *markers = fb_model_items(system->model, "markers");
    for (size_t i = 0; to && i < markers->n; i++, to += 3) {
        fb_pose frame;
        double location[3] = {0, 0, 0}, local[3];
        int body = fb_system_body(system, fb_get_target(markers->items[i], "frame"), &frame);
        fb_get_vector(markers->items[i], "location", location, 3);
        if (body >= 0) {
            fb_pose_point(local, &frame, location);
            fb_pose_point(to, &state->pose[body], local);
        } else {
            fb_v3_set(to, FB_NAN, FB_NAN, FB_NAN);
        }
    }
    if ((to = row_of(e, COM, time)) != NULL) {
        fb_center_of_mass(state, to, to + 3);
        to[6] = fb_kinetic_energy(state);
    }
}

/* With the coordinates moving along that couplers make dependent. */
static void put_geometric_arms(evaluation *e, double *arm) {
    fb_simulation *s = e->s;
    int n = s->system->n_q;
    for (int j = 0; j < n; j++) {
        fb_coordinate_follow(s->state, j, e->scratch + (size_t)j * (size_t)n);
    }
    fb_moment_arms_geometric(s, e->arms, e->differenced);
    for (int i = 0; i < s->paths->n_paths; i++) {
        const double *arms = e->arms + (size_t)i * (size_t)n;
        for (int j = 0; j < n; j++, arm++) {
            const double *dq = e->scratch + (size_t)s->system->file_order[j] * (size_t)n;
            for (int k = 0; k < n; k++) {
                *arm += dq[k] * arms[k];
            }
        }
    }
}

static void put_paths(evaluation *e, double time) {
    fb_simulation *s = e->s;
    int n = s->system->n_q, paths = s->paths->n_paths;
    const int *order = s->system->file_order;
    double *length = row_of(e, PATH_LENGTH, time), *speed = row_of(e, PATH_SPEED, time);
    double *arm = row_of(e, MOMENT_ARM, time);
    if (length) {
        memcpy(length, s->path_length, (size_t)paths * sizeof *length);
    }
    if (speed) {
        memcpy(speed, s->path_speed, (size_t)paths * sizeof *speed);
    }
    if (arm && e->geometric) {
        put_geometric_arms(e, arm);
    } else if (arm && fb_moment_arms(s, e->arms) == FB_OK) {
        for (int i = 0; i < paths * n; i++) {
            arm[i] = e->arms[i / n * n + order[i % n]];
        }
    }
}

/* Tells of paths at places where their geometry says little, of each once. */
static void tell_paths(evaluation *e, double time) {
    fb_simulation *s = e->s;
    for (int i = 0; i < s->paths->n_paths; i++) {
        const fb_path *path = &s->paths->paths[i];
        const char *what = NULL, *name = "", *then = NULL;
        if (e->told[i] || path->length || path->n_points == 0) {
            continue;
        }
        fb_path_course(s->paths, i, s->state, &s->course);
        if (s->course.length == 0) {
            what = "all its points are at one place";
            then = "its arms and speed are 0";
        } else if (s->course.inside >= 0) {
            what = "a point is inside what it wraps, ";
            name = s->paths->wraps[s->course.inside].element->name;
            then = "it goes straight there";
        } else if (s->course.unsettled) {
            what = "no way over all that it wraps was found";
            then = "the last one that was tried is used";
        } else {
            continue;
        }
        e->told[i] = true;
        fb_diag_add(&e->cli->diag, FB_WARNING, FB4005, fb_element_place(path->owner), then,
                    "%s '%s': %s%s (time %g)", path->owner->cls->name, path->owner->name, what,
                    name ? name : "", time);
    }
}

static void put_muscles(evaluation *e, double time) {
    fb_simulation *s = e->s;
    double *to = row_of(e, MUSCLE, time);
    for (int i = 0; i < s->muscles->n; i++) {
        const fb_muscle *m = &s->muscles->muscles[i];
        const fb_element *element = m->element;
        fb_muscle_point *p = &s->points[i];
        if (e->states.fiber[i] >= 0) {
            fb_muscle_evaluate(m, s->activation[i], s->path_length[m->path], s->path_speed[m->path],
                               p->fiber_length, p->fiber_velocity, p);
        } else if (!fb_simulation_equilibrate(s, i, FB_EQUILIBRIUM_OPENSIM4)) {
            fb_diag_add(&e->cli->diag, FB_WARNING, FB4001, fb_element_place(element),
                        "what comes nearest is used",
                        "%s '%s': no fiber length at time %g balances fibers and tendon",
                        element->cls->name, element->name, time);
        }
        if (!(p->fiber_length > 0) && !m->lacking && !e->told[m->path]) {
            e->told[m->path] = true;
            fb_diag_add(&e->cli->diag, FB_WARNING, FB4001, fb_element_place(element), NULL,
                        "%s '%s': its path leaves no length to the fibers at time %g",
                        element->cls->name, element->name, time);
        }
        if (to) {
            const double x[7] = {
                p->fiber_length,           p->fiber_velocity,     p->pennation,
                p->tendon_force,           p->active_fiber_force, p->passive_fiber_force,
                p->normalized_fiber_length};
            memcpy(to + 7 * i, x, sizeof x);
        }
    }
}

/* `time` is the row's, `moment` that of forces and controllers. */
static void put_dynamics(evaluation *e, double time, double moment) {
    fb_simulation *s = e->s;
    int n = s->system->n_q;
    const int *order = s->system->file_order;
    double *to = row_of(e, MASS_MATRIX, time);
    if (to) {
        fb_mass_matrix(s->state, e->scratch);
        for (int i = 0; i < n; i++) {
            for (int j = 0; j <= i; j++) {
                *to++ = e->scratch[order[i] * n + order[j]];
            }
        }
    }
    if ((to = row_of(e, INVERSE_DYNAMICS, time)) != NULL) {
        memset(s->external, 0, (size_t)s->system->n_body * sizeof *s->external);
        if (s->loads) {
            fb_loads_apply(s->loads, s->state, moment, s->external);
        }
        fb_inverse_dynamics(s->state, NULL, s->external, e->scratch);
        for (int i = 0; i < n; i++) {
            to[i] = e->scratch[order[i]];
        }
    }
    if ((to = row_of(e, ACCELERATION, time)) != NULL) {
        if (fb_simulation_accelerate(s, moment) == FB_OK) {
            for (int i = 0; i < n; i++) {
                to[i] = s->acceleration[order[i]];
            }
            return;
        }
        e->singular++;
        fb_diag_add(&e->cli->diag, FB_WARNING, FB4003, (fb_place){s->system->model->file, 0, 0, 0},
                    "they are nan", "no accelerations at time %g: a motion moves no mass", time);
        for (int i = 0; i < n; i++) {
            to[i] = FB_NAN;
        }
    }
}

static void find_room(evaluation *e, fb_arena *arena) {
    size_t n = (size_t)e->s->system->n_q, paths = (size_t)e->s->paths->n_paths;
    e->scratch = fb_arena_array(arena, n * n + n, sizeof *e->scratch);
    e->arms = fb_arena_array(arena, n * paths, sizeof *e->arms);
    e->differenced = fb_arena_array(arena, paths, sizeof *e->differenced);
    e->told = fb_arena_array(arena, paths, sizeof *e->told);
}

/* ---- rows ---------------------------------------------------------------------------------- */

/* The time of forces and controllers. OpenSim's states have time 0 unless a program sets it, and so
 * have they where OpenSim 4 is reproduced; measured forces are meaningless without their times. */
static double moment_of(const evaluation *e, double time) {
    return e->has_time ? e->time : e->as_opensim4 && !e->s->loads ? 0 : time;
}

/* What controllers do. A muscle without activation dynamics follows its excitation, unless the
 * states have an activation of it. */
static void control(evaluation *e, double moment) {
    fb_simulation *s = e->s;
    fb_simulation_control(s, moment);
    for (int i = 0; i < s->muscles->n; i++) {
        if (s->muscles->muscles[i].activation_is_control && e->states.activation[i] < 0) {
            s->activation[i] = s->excitation[i];
        }
    }
}

/* True if a column is of something that is not computed, which was told. */
static bool is_lacking(const evaluation *e, int table, int column) {
    const fb_paths *paths = e->s->paths;
    if (table == MUSCLE) {
        return e->s->muscles->muscles[(column - 1) / 7].lacking;
    }
    int path = table == MOMENT_ARM ? (column - 1) / e->s->system->n_q : column - 1;
    return (table == PATH_LENGTH || table == PATH_SPEED || table == MOMENT_ARM) &&
           paths->paths[path].lacking;
}

/* Looks for numbers in the last row of a table that are none. */
static void check_row(evaluation *e, int table) {
    const fb_sto *t = &e->tables[table];
    if (!e->wanted[table] || t->n_rows == 0) {
        return;
    }
    const double *row = t->values + (size_t)(t->n_rows - 1) * (size_t)t->n_columns;
    for (int j = 1; j < t->n_columns; j++) {
        if (isfinite(row[j]) || is_lacking(e, table, j)) {
            continue;
        }
        if (e->not_finite[table]++ == 0) {
            e->first_column[table] = t->columns[j];
            e->first_time[table] = row[0];
        }
    }
}

static void tell_not_finite(evaluation *e) {
    for (int i = 0; i < N_TABLES; i++) {
        if (e->not_finite[i]) {
            fb_diag_add(&e->cli->diag, FB_WARNING, FB4006,
                        (fb_place){e->s->system->model->file, 0, NULL, NULL}, NULL,
                        "%ld numbers of %s are not finite; the first is '%s' at time %g",
                        e->not_finite[i], table_names[i], e->first_column[i], e->first_time[i]);
        }
    }
}

static void evaluate(evaluation *e) {
    for (int i = 0; i < fb_states_count(&e->states); i++) {
        double time = fb_states_time(&e->states, i), moment = moment_of(e, time);
        fb_states_set(&e->states, i, moment);
        long singular = e->singular;
        fb_simulation_move(e->s);
        control(e, moment);
        put_bodies(e, time);
        put_links(e, time);
        tell_paths(e, time);
        put_paths(e, time);
        put_muscles(e, time);
        put_dynamics(e, time, moment);
        for (int k = 0; k < N_TABLES; k++) {
            if (k != ACCELERATION || e->singular == singular) { /* that was told */
                check_row(e, k);
            }
        }
    }
}

/* ---- the command ----------------------------------------------------------------------------- */

/* Takes the tables of one list: names with commas, and blanks, between. */
static bool add_tables(evaluation *e, const char *list) {
    while (*list) {
        size_t n = strcspn(list, ", ");
        int found = -1;
        for (int i = 0; i < N_TABLES; i++) {
            if (strlen(table_names[i]) == n && strncmp(list, table_names[i], n) == 0) {
                found = i;
            }
        }
        if (found < 0) {
            fb_cli_say(e->cli, "there is no table '%.*s'; 'fbsim --help' names them", (int)n, list);
            return false;
        }
        e->wanted[found] = true;
        list += n;
        list += strspn(list, ", ");
    }
    return true;
}

static bool choose_tables(evaluation *e) {
    const char *list;
    for (int i = 0; i < N_TABLES; i++) {
        e->wanted[i] = !fb_cli_value(e->cli, "tables");
    }
    for (int i = 0; (list = fb_cli_values(e->cli, "tables", i)); i++) {
        if (!add_tables(e, list)) {
            return false;
        }
    }
    int n_wanted = 0; /* --tables may name none */
    for (int i = 0; i < N_TABLES; i++) {
        n_wanted += e->wanted[i];
    }
    if (n_wanted == 0) {
        fb_cli_say(e->cli, "--tables names none; 'fbsim --help' names them");
        return false;
    }
    e->alone = n_wanted == 1 && !fb_cli_value(e->cli, "out");
    if (e->cli->output && !e->alone) {
        fb_cli_say(e->cli, "--output is for one table; --out DIR is for several");
        return false;
    }
    return true;
}

/* Measured forces; a warning if some states are before or after them. */
static fb_status read_loads(evaluation *e, size_t max_bytes) {
    const char *file = fb_cli_value(e->cli, "external-loads");
    if (!file) {
        return FB_OK;
    }
    fb_status status = fb_loads_read(&e->loads, file, e->s->system, max_bytes, &e->cli->diag);
    if (status != FB_OK) {
        return status;
    }
    const fb_loads *loads = e->s->loads = &e->loads.loads;
    int outside = 0, n = fb_states_count(&e->states);
    for (int i = 0; i < n; i++) {
        double time = moment_of(e, fb_states_time(&e->states, i));
        outside += time < loads->first || time > loads->last;
    }
    if (outside && loads->last > loads->first) {
        fb_diag_add(&e->cli->diag, FB_WARNING, FB1403, (fb_place){file, 0, NULL, NULL},
                    "they are extrapolated",
                    "%d of %d states are outside the times of its data, %g to %g s", outside, n,
                    loads->first, loads->last);
    }
    return FB_OK;
}

/* The header's lines: what computed the tables, how, and under which loads. */
static void describe(const evaluation *e, int table, fb_text *header) {
    fb_text_printf(header, "tool=fbsim %s\ngeometry=%s\n", FB_VERSION,
                   e->as_opensim4 ? "as OpenSim 4.5.2" : "exact");
    if (table == INVERSE_DYNAMICS) {
        fb_text_puts(header, "accelerations=zero\n");
    }
    fb_text_puts(header, e->set);
    if (e->has_time) {
        fb_text_printf(header, "forces_at_time=%.17g\n", e->time);
    }
    if (e->states.fibers) {
        fb_text_puts(header, "fiber_lengths=of the states\n");
    }
    if (table == MOMENT_ARM && e->geometric) {
        fb_text_puts(header, "moment_arms=" FB_FBSIM_GEOMETRIC "\n");
    }
    if (table == MOMENT_ARM || table == MASS_MATRIX || table == INVERSE_DYNAMICS ||
        table == ACCELERATION) {
        fb_text_puts(header, e->motions);
    }
    if (!e->s->loads) {
        return;
    }
    fb_text_printf(header,
                   "external_loads=%s:", fb_path_name(fb_cli_value(e->cli, "external-loads")));
    for (int i = 0; i < e->s->loads->n; i++) {
        fb_text_printf(header, "%s %s", i ? "," : "", e->s->loads->loads[i].name);
    }
    fb_text_puts(header, "\n");
}

/* ---- writing --------------------------------------------------------------------------------- */

static fb_status write_tables(evaluation *e) {
    const char *folder = fb_cli_value(e->cli, "out");
    fb_status status = fb_fbsim_make_folder(e->cli);
    int n = 0;
    for (int i = 0; i < N_TABLES && status == FB_OK; i++) {
        char path[4096];
        fb_text header;
        if (!e->wanted[i]) {
            continue;
        }
        fb_text_init(&header, NULL);
        describe(e, i, &header);
        const char *text = fb_text_string(&header);
        snprintf(path, sizeof path, "%s/%s.sto", folder ? folder : ".", table_names[i]);
        n += !e->alone;
        status = text
                     ? fb_fbsim_write(e->cli, &e->tables[i], text, e->alone ? e->cli->output : path)
                     : FB_E_MEMORY;
        fb_text_free(&header);
    }
    if (n > 0 && status == FB_OK && !folder && !e->cli->quiet) { /* nobody said where */
        fb_cli_say(e->cli, "wrote %d table%s to the current folder", n, n == 1 ? "" : "s");
    }
    return status;
}

/* Everything that allocates with jumps on failure. */
static fb_status run(evaluation *e, size_t max_bytes) {
    fb_arena arena;
    fb_arena_init(&arena);
    fb_status status;
    jmp_buf oom;
    for (int i = 0; i < N_TABLES; i++) {
        fb_sto_start(&e->tables[i], table_names[i]);
    }
    if (setjmp(oom)) {
        status = FB_E_MEMORY;
    } else {
        arena.oom = &oom;
        for (int i = 0; i < N_TABLES; i++) {
            e->tables[i].arena.oom = &oom;
        }
        status = fb_states_find(&e->states, e->s, &arena);
        if (status == FB_OK) {
            status = read_loads(e, max_bytes);
        }
        if (status == FB_OK) {
            if (e->s->links) {
                e->s->links->fibers_held = e->states.fibers;
            }
            find_room(e, &arena);
            start_tables(e);
            start_links(e);
            for (int i = 0; i < N_TABLES; i++) {
                if (e->wanted[i]) {
                    fb_sto_reserve(&e->tables[i], fb_states_count(&e->states));
                }
            }
            evaluate(e);
            fb_states_tell(&e->states);
            tell_not_finite(e);
            fb_sto_drop_zeros(&e->tables[MASS_MATRIX], ROUNDING);
            e->motions = fb_fbsim_motions(&arena, e->s);
            e->set = fb_fbsim_set_line(&arena, e->s, e->states.held, e->states.n_held);
        }
    }
    if (status == FB_OK) {
        status = write_tables(e);
    }
    for (int i = 0; i < N_TABLES; i++) {
        fb_sto_free(&e->tables[i]);
    }
    fb_arena_clear(&arena);
    return status;
}

int fb_fbsim_eval(fb_cli *cli, fb_simulation *s, size_t max_bytes) {
    evaluation e = {.cli = cli, .s = s, .as_opensim4 = s->paths->as_opensim4};
    e.has_time = fb_cli_value(cli, "time") != NULL;
    if (!fb_cli_number(cli, "time", -1e9, 1e9, 0, &e.time) ||
        !fb_fbsim_moment_arms(cli, &e.geometric) || !choose_tables(&e)) {
        return FB_EXIT_USAGE;
    }
    const char *file = cli->n_operands > 1 ? cli->operands[1] : "-";
    if (fb_cli_value(cli, "set") && fb_cli_value(cli, "states")) {
        fb_cli_say(cli, "--set changes the default state, which --states replaces");
        return FB_EXIT_USAGE;
    }
    if (!fb_fbsim_set(cli, s, file, true, e.states.held, &e.states.n_held)) {
        return FB_EXIT_USAGE;
    }
    int code = fb_states_read(&e.states, cli, max_bytes);
    if (code != FB_EXIT_OK) {
        return code;
    }
    bool lacking = fb_simulation_skipped(s) > 0 && e.wanted[ACCELERATION] &&
                   !fb_cli_value(cli, "ignore-kept");
    if (lacking) {
        e.wanted[ACCELERATION] = false;
        fb_cli_say(cli, "no accelerations: not all that acts is computed; --ignore-kept "
                        "computes them without");
    }
    if (s->links) {
        s->links->how = FB_EQUILIBRIUM_OPENSIM4; /* as the muscles' table */
    } else if (!fb_cli_value(cli, "tables")) {
        e.wanted[VIRTUAL_LINK] = false;
    }
    code = fb_exit_of(run(&e, max_bytes));
    fb_states_free(&e.states);
    s->loads = NULL;
    fb_loads_free(&e.loads);
    if (code == FB_EXIT_OK && lacking) {
        return FB_EXIT_UNSUPPORTED;
    }
    long bad = e.unlinked + e.singular;
    for (int i = 0; i < N_TABLES; i++) {
        bad += e.not_finite[i];
    }
    return code == FB_EXIT_OK && bad > 0 ? FB_EXIT_NUMERIC : code;
}
