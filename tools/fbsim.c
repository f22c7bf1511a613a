/* fbsim: the mechanics of models. */
#include <errno.h>
#include <fnmatch.h>
#include <string.h>
#include <sys/stat.h>

#include "formats/loads.h"
#include "formats/resources.h"
#include "formats/sto.h"
#include "libcore/base/number.h"
#include "libcore/muscle/moment_arm.h"
#include "libcore/version.h"
#include "tools/fbsim.h"

#define ASSEMBLY 1e-10 /* what constraints are met to */
#define ROUNDING 1e-14 /* of the largest number: what counts as zero in a mass matrix */

static const fb_option options[] = {
    {'s', "states", "FILE",
     "a table of states (.sto, .mot); the model's default state unless given"},
    {'d', "out", "DIR", "folder of the tables; '.' unless given, or --output for one table alone"},
    {0, "external-loads", "FILE",
     "measured forces that act too, at each state's time: OpenSim's ExternalLoads (.xml), or a "
     "table for the model's own ExternalForces"},
    {0, "time", "T", "the time of every state (s), instead of the table's"},
    {'g', "geometry", "DIR", "look for contact meshes in DIR too; may be given several times"},
    {0, "tables", "LIST", "which tables, with commas between: body_pose,path_length,.."},
    {'c', "coordinate", "NAME", "sweep: which coordinate"},
    {0, "and", "NAME", "sweep: a second coordinate, on a grid"},
    {'m', "muscle", "GLOB", "sweep: which muscles, all unless given; curves: of which muscles"},
    {0, "against", "MODEL", "sweep: another model beside the first, and how they differ"},
    {0, "steps", "N[,M]", "sweep: values of each coordinate; 51, of two 21; curves: points, 101"},
    {0, "activation", "A[,..]", "sweep: of all muscles, 1 unless given; curves: 0.1,0.5,1"},
    {0, "moment-arms", "KIND",
     "eval, sweep: generalized, as OpenSim defines them, or geometric, -dL/dq"},
    {0, "curve", "NAME",
     "curves: active, passive, tendon, velocity, total, activation, or all, the default"},
    {0, "unit", "UNIT", "curves: normalized, unless given, or si"},
    {0, "compat", "WHICH", "opensim4: reproduce OpenSim 4.5.2 where it is known to be wrong"},
    {0, "ignore-kept", NULL,
     "compute accelerations without forces and controllers that are not computed"},
    {0, "max-size", "MB", "refuse larger files; 256 unless given"},
    {0, NULL, NULL, NULL},
};

static const fb_tool tool = {
    .name = "fbsim",
    .summary = "Computes what a model does. 'fbsim eval' evaluates it in the states of a table and "
               "writes the\n"
               "tables body_pose, marker, com, path_length, path_speed, moment_arm, muscle, "
               "mass_matrix,\n"
               "inverse_dynamics, acceleration and virtual_link (.sto). 'fbsim sweep' writes "
               "lengths, moment "
               "arms and forces of\n"
               "muscles, and the joint's strength, over the range of a coordinate or two. 'fbsim "
               "curves' writes the\n"
               "curves of Hill-type muscles.",
    .operands = "eval|sweep|curves [MODEL]",
    .max_operands = 2,
    .options = options,
    .examples = "  fbsim sweep arm.osim --coordinate r_elbow_flex --muscle 'BIC*' -o biceps.sto\n"
                "  fbsim curves arm.osim --muscle BIClong --curve total > force_length.sto\n"
                "  fbsim eval arm.osim --states arm_states.sto --out results\n"
                "  osim2fb arm.osim | fbsim eval --tables moment_arm > arms.sto\n",
};

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
    fb_sto states;
    fb_loads_file loads;
    bool has_time; /* `time` instead of the table's times */
    double time;
    int *value, *speed, *activation; /* columns of the states, -1 for none */
    double *scratch;                 /* n_q x n_q, and n_q */
    long unbalanced, unmet, singular, unlinked;
    bool geometric;      /* --moment-arms */
    const char *motions; /* lines of headers, see fb_fbsim_motions */
    double *arms;        /* geometric: n_paths x n_q */
    bool *differenced;   /* n_paths: which of them by differences */
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
    /* a moment arm follows the coordinates that constraints make move along */
    for (int j = 0; arm && j < n; j++) {
        if (e->geometric) {
            fb_coordinate_follow(s->state, j, e->scratch + (size_t)j * (size_t)n);
        } else {
            fb_coordinate_coupling(s->state, j, e->scratch + (size_t)j * (size_t)n);
        }
    }
    if (arm && e->geometric) {
        fb_moment_arms_geometric(s, e->arms, e->differenced);
    }
    for (int i = 0; arm && i < paths; i++) {
        const double *arms = (e->geometric ? e->arms : s->path_arms) + (size_t)i * (size_t)n;
        for (int j = 0; j < n; j++) {
            const double *coupling = e->scratch + (size_t)order[j] * (size_t)n;
            for (int k = 0; k < n; k++) {
                arm[(size_t)i * (size_t)n + (size_t)j] += coupling[k] * arms[k];
            }
        }
    }
}

static void put_muscles(evaluation *e, double time) {
    fb_simulation *s = e->s;
    double *to = row_of(e, MUSCLE, time);
    for (int i = 0; i < s->muscles->n; i++) {
        const fb_element *element = s->muscles->muscles[i].element;
        if (!fb_simulation_equilibrate(s, i, FB_EQUILIBRIUM_OPENSIM4)) {
            e->unbalanced++;
            fb_diag_add(&e->cli->diag, FB_WARNING, FB4001,
                        (fb_place){element->file, element->line, element->path, element->cls->name},
                        "what comes nearest is used",
                        "%s '%s': no fiber length at time %g balances fibers and tendon",
                        element->cls->name, element->name, time);
        }
        const fb_muscle_point *p = &s->points[i];
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

/* ---- states --------------------------------------------------------------------------------- */

/* A column by the name that OpenSim 4 gives it, or the one that it had before. */
static int column_of(const evaluation *e, const char *path, const char *now, const char *before) {
    if (e->states.n_columns == 0) {
        return -1;
    }
    char name[1024];
    snprintf(name, sizeof name, "%s/%s", path, now);
    int column = fb_sto_column(&e->states, name);
    if (column < 0) {
        snprintf(name, sizeof name, "%s%s", fb_path_name(path), before);
        column = fb_sto_column(&e->states, name);
    }
    return column;
}

static void find_columns(evaluation *e, fb_arena *arena) {
    const fb_system *system = e->s->system;
    size_t n = (size_t)system->n_q, m = (size_t)e->s->muscles->n;
    e->value = fb_arena_array(arena, n, sizeof *e->value);
    e->speed = fb_arena_array(arena, n, sizeof *e->speed);
    e->activation = fb_arena_array(arena, m, sizeof *e->activation);
    e->scratch = fb_arena_array(arena, n * n + n, sizeof *e->scratch);
    e->arms = fb_arena_array(arena, n * (size_t)e->s->paths->n_paths, sizeof *e->arms);
    e->differenced = fb_arena_array(arena, (size_t)e->s->paths->n_paths, sizeof *e->differenced);
    for (size_t i = 0; i < n; i++) {
        e->value[i] = column_of(e, system->coordinates[i].path, "value", "");
        e->speed[i] = column_of(e, system->coordinates[i].path, "speed", "_u");
    }
    for (size_t i = 0; i < m; i++) {
        e->activation[i] = column_of(e, e->s->muscles->muscles[i].element->path, "activation",
                                     ".activation");
    }
}

/* A column that names nothing here, often misspelt, must not pass for one that was used. */
static void tell_unused(const evaluation *e) {
    int unused = 0;
    const char *first = NULL;
    for (int j = 1; j < e->states.n_columns; j++) {
        bool used = false;
        for (int i = 0; i < e->s->system->n_q && !used; i++) {
            used = e->value[i] == j || e->speed[i] == j;
        }
        for (int i = 0; i < e->s->muscles->n && !used; i++) {
            used = e->activation[i] == j;
        }
        if (!used) {
            first = unused++ ? first : e->states.columns[j];
        }
    }
    if (unused && !e->cli->quiet) {
        fb_cli_say(
            e->cli,
            "warning: of the states' columns %d name%s nothing in the model; the first is '%s'",
            unused, unused == 1 ? "s" : "", first);
    }
}

/* Sets the state of a row, and moves it onto the constraints unless OpenSim 4 is reproduced. */
static void set_state(evaluation *e, int row) {
    fb_simulation *s = e->s;
    const fb_system *system = s->system;
    const double *x = e->states.values + (size_t)row * (size_t)e->states.n_columns;
    fb_state_defaults(s->state);
    for (int i = 0; i < system->n_q; i++) {
        const fb_element *element = system->coordinates[i].element;
        bool turns = element ? fb_coordinate_motion(element) == FB_ROTATIONAL
                             : system->coordinates[i].slot < 3; /* of an added free joint */
        double unit = e->states.in_degrees && turns ? 3.14159265358979323846 / 180 : 1;
        if (e->value[i] >= 0) {
            s->state->q[i] = x[e->value[i]] * unit;
        }
        if (e->speed[i] >= 0) {
            s->state->u[i] = x[e->speed[i]] * unit;
        }
    }
    for (int i = 0; i < s->muscles->n; i++) {
        const fb_muscle *m = &s->muscles->muscles[i];
        s->activation[i] = e->activation[i] >= 0      ? x[e->activation[i]]
                           : m->activation_is_control ? 0
                                                      : m->default_activation;
    }
    if (e->as_opensim4 && e->states.n_rows) {
        return; /* OpenSim takes a table's states as they stand */
    }
    fb_state_position(s->state);
    if (fb_assemble(s->state, ASSEMBLY) != FB_OK) {
        e->unmet++;
        fb_diag_add(&e->cli->diag, FB_WARNING, FB4002,
                    (fb_place){system->model->file, 0, NULL, NULL}, "the nearest pose is used",
                    "the constraints cannot be met in row %d", row + 1);
    }
    fb_state_position(s->state);
    fb_project_velocity(s->state);
}

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
        if (s->muscles->muscles[i].activation_is_control && e->activation[i] < 0) {
            s->activation[i] = s->excitation[i];
        }
    }
}

static void evaluate(evaluation *e) {
    for (int i = 0; i < e->states.n_rows || i == 0; i++) {
        double time = 0;
        if (e->states.n_rows) {
            time = e->states.values[(size_t)i * (size_t)e->states.n_columns];
        }
        double moment = moment_of(e, time);
        set_state(e, i);
        fb_simulation_move(e->s);
        control(e, moment);
        put_bodies(e, time);
        put_links(e, time);
        put_paths(e, time);
        put_muscles(e, time);
        put_dynamics(e, time, moment);
        if (e->states.n_rows == 0) {
            break;
        }
    }
}

/* ---- the command ----------------------------------------------------------------------------- */

static bool choose_tables(evaluation *e) {
    const char *list = fb_cli_value(e->cli, "tables");
    for (int i = 0; i < N_TABLES; i++) {
        e->wanted[i] = !list;
    }
    while (list && *list) {
        size_t n = strcspn(list, ",");
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
        list += n + (list[n] == ',');
    }
    int n_wanted = 0;
    for (int i = 0; i < N_TABLES; i++) {
        n_wanted += e->wanted[i];
    }
    e->alone = n_wanted == 1 && !fb_cli_value(e->cli, "out");
    if (e->cli->output && !e->alone) {
        fb_cli_say(e->cli, "--output is for one table; --out DIR is for several");
        return false;
    }
    return true;
}

static fb_status read_states(evaluation *e, size_t max_bytes) {
    const char *file = fb_cli_value(e->cli, "states");
    if (!file) {
        return FB_OK;
    }
    char *bytes;
    size_t size;
    fb_status status = fb_read_file(file, max_bytes, &bytes, &size, &e->cli->diag);
    if (status != FB_OK) {
        return status;
    }
    status = fb_sto_read(&e->states, bytes, size, file, &e->cli->diag);
    fb_free(bytes);
    return status;
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
    int outside = 0, n = e->states.n_rows > 0 ? e->states.n_rows : 1;
    for (int i = 0; i < n; i++) {
        double time = moment_of(e, e->states.n_rows
                                       ? e->states.values[(size_t)i * (size_t)e->states.n_columns]
                                       : 0);
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

/* ---- what all commands share ------------------------------------------------------------------
 */

bool fb_fbsim_moment_arms(fb_cli *cli, bool *geometric) {
    const char *kind = fb_cli_value(cli, "moment-arms");
    *geometric = kind && strcmp(kind, "geometric") == 0;
    if (kind && !*geometric && strcmp(kind, "generalized") != 0) {
        fb_cli_say(cli, "--moment-arms is 'generalized' or 'geometric', not '%s'", kind);
        return false;
    }
    return true;
}

bool fb_fbsim_is_wanted(const fb_cli *cli, const fb_muscle *muscle) {
    const char *glob = fb_cli_value(cli, "muscle"), *path = muscle->element->path;
    return !glob || fnmatch(glob, fb_path_name(path), 0) == 0 || fnmatch(glob, path, 0) == 0;
}

const char *fb_fbsim_plain(fb_arena *arena, const char *text) {
    char *line = fb_arena_dup(arena, text ? text : "");
    for (char *c = line; *c; c++) {
        *c = (unsigned char)*c < ' ' ? ' ' : *c;
    }
    return line;
}

const char *fb_fbsim_motions(fb_arena *arena, const fb_simulation *s) {
    const char *names[3] = {"", "", ""};
    for (int i = 0; i < s->system->n_q; i++) {
        const fb_coordinate *c = &s->system->coordinates[i];
        fb_motion m = c->element    ? fb_coordinate_motion(c->element)
                      : c->slot < 3 ? FB_ROTATIONAL /* of an added free joint */
                                    : FB_TRANSLATIONAL;
        if (m != FB_ROTATIONAL) {
            names[m] = fb_arena_printf(arena, "%s%s%s", names[m], *names[m] ? "," : "",
                                       fb_fbsim_plain(arena, fb_path_name(c->path)));
        }
    }
    return fb_arena_printf(arena, "translational=%s\ncoupled=%s\n", names[FB_TRANSLATIONAL],
                           names[FB_COUPLED]);
}

const char *fb_fbsim_header(fb_sto *table, const fb_simulation *s) {
    return fb_arena_printf(&table->arena, "tool=fbsim %s\nmodel=%s\ngeometry=%s\n", FB_VERSION,
                           fb_fbsim_plain(&table->arena, s->system->model->root->name),
                           s->paths->as_opensim4 ? "as OpenSim 4.5.2" : "exact");
}

fb_status fb_fbsim_make_folder(const fb_cli *cli) {
    const char *folder = fb_cli_value(cli, "out");
    if (folder && mkdir(folder, 0777) != 0 && errno != EEXIST) {
        fb_cli_say(cli, "%s: %s", folder, strerror(errno));
        return FB_E_OUTPUT;
    }
    return FB_OK;
}

fb_status fb_fbsim_write(fb_cli *cli, const fb_sto *table, const char *header, const char *file) {
    fb_output output;
    fb_status status = fb_cli_open(cli, file, &output);
    if (status == FB_OK) {
        fb_sto_write(table, header, &output.text);
        status = fb_cli_close(cli, file, &output, true);
    }
    return status;
}

/* ---- writing --------------------------------------------------------------------------------- */

static fb_status write_tables(evaluation *e) {
    const char *folder = fb_cli_value(e->cli, "out");
    fb_status status = fb_fbsim_make_folder(e->cli);
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
        status = text
                     ? fb_fbsim_write(e->cli, &e->tables[i], text, e->alone ? e->cli->output : path)
                     : FB_E_MEMORY;
        fb_text_free(&header);
    }
    return status;
}

/* Everything that allocates with jumps on failure. */
static fb_status run(evaluation *e) {
    fb_arena arena;
    fb_arena_init(&arena);
    fb_status status = FB_OK;
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
        start_tables(e);
        start_links(e);
        find_columns(e, &arena);
        tell_unused(e);
        evaluate(e);
        fb_sto_drop_zeros(&e->tables[MASS_MATRIX], ROUNDING);
        e->motions = fb_fbsim_motions(&arena, e->s);
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

static int eval(fb_cli *cli, evaluation *e, size_t max_bytes) {
    fb_status status = read_states(e, max_bytes);
    if (status == FB_OK) {
        status = read_loads(e, max_bytes);
    }
    if (status != FB_OK) {
        fb_sto_free(&e->states);
        return fb_exit_of(status);
    }
    bool lacking = fb_simulation_skipped(e->s) > 0 && e->wanted[ACCELERATION] &&
                   !fb_cli_value(cli, "ignore-kept");
    if (lacking) {
        e->wanted[ACCELERATION] = false;
        fb_cli_say(cli, "no accelerations: not all that acts is computed; --ignore-kept "
                        "computes them without");
    }
    if (e->s->links) {
        e->s->links->how = FB_EQUILIBRIUM_OPENSIM4; /* as the muscles' table */
    } else if (!fb_cli_value(cli, "tables")) {
        e->wanted[VIRTUAL_LINK] = false;
    }
    int code = fb_exit_of(run(e));
    fb_sto_free(&e->states);
    e->s->loads = NULL;
    fb_loads_free(&e->loads);
    if (code == FB_EXIT_OK && e->unlinked) {
        return FB_EXIT_NUMERIC;
    }
    return code == FB_EXIT_OK && lacking ? FB_EXIT_UNSUPPORTED : code;
}

typedef int fb_command(fb_cli *cli, fb_simulation *simulation);

/* Reads the model and compiles it, for any command; NULL: eval. */
static int simulate(fb_cli *cli, fb_command *command) {
    evaluation e = {.cli = cli};
    double megabytes;
    const char *compat = fb_cli_value(cli, "compat"), *folders[64];
    int n_folders = 0;
    fb_file_resources files;
    while (n_folders < 64 && (folders[n_folders] = fb_cli_values(cli, "geometry", n_folders))) {
        n_folders++;
    }
    e.has_time = fb_cli_value(cli, "time") != NULL;
    if (!fb_cli_number(cli, "time", -1e9, 1e9, 0, &e.time) ||
        !fb_cli_number(cli, "max-size", 0, 2000, 256, &megabytes) ||
        !fb_fbsim_moment_arms(cli, &e.geometric) || (!command && !choose_tables(&e))) {
        return FB_EXIT_USAGE;
    }
    e.as_opensim4 = compat && strcmp(compat, "opensim4") == 0;
    if (compat && !e.as_opensim4 && strcmp(compat, "none") != 0) {
        fb_cli_say(cli, "--compat is 'opensim4' or 'none', not '%s'", compat);
        return FB_EXIT_USAGE;
    }
    size_t max_bytes = (size_t)(megabytes * 1024 * 1024);
    fb_model *model = NULL;
    fb_status status = fb_cli_read_model(cli, cli->n_operands > 1 ? cli->operands[1] : "-",
                                         max_bytes, &model, NULL);
    fb_file_resources_init(&files, model, folders, n_folders, max_bytes);
    const char *loads = fb_cli_value(cli, "external-loads");
    files.resources.has_external_forces = loads && fb_loads_is_table(loads);
    if (status == FB_OK) {
        status = fb_simulation_new_from(&e.s, model, e.as_opensim4, &files.resources, &cli->diag);
    }
    int code = fb_exit_of(status);
    if (status == FB_OK) {
        code = command ? command(cli, e.s) : eval(cli, &e, max_bytes);
    }
    fb_simulation_free(e.s);
    fb_file_resources_clear(&files);
    code = fb_cli_report(cli, model, code);
    fb_model_free(model);
    return code;
}

int fb_fbsim_main(int argc, char **argv, FILE *in, FILE *out, FILE *err) {
    fb_cli cli;
    int status = fb_cli_begin(&cli, &tool, argc, argv, in, out, err);
    const char *command = cli.n_operands ? cli.operands[0] : "";
    fb_command *run_it = strcmp(command, "sweep") == 0    ? fb_fbsim_sweep
                         : strcmp(command, "curves") == 0 ? fb_fbsim_curves
                                                          : NULL;
    if (status < 0 && !run_it && strcmp(command, "eval") != 0) {
        fb_cli_say(&cli, "the commands are 'eval', 'sweep' and 'curves'; 'fbsim --help' shows what "
                         "there is");
        status = FB_EXIT_USAGE;
    }
    if (status < 0) {
        status = simulate(&cli, run_it);
    }
    return fb_cli_end(&cli, status);
}
