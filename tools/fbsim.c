/* fbsim: the mechanics of models. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "formats/sto.h"
#include "libcore/base/number.h"
#include "libcore/muscle/simulation.h"
#include "libcore/version.h"
#include "tools/fbsim.h"

#define ASSEMBLY 1e-10 /* what constraints are met to */

static const fb_option options[] = {
    {'s', "states", "FILE",
     "a table of states (.sto, .mot); the model's default state unless given"},
    {'d', "out", "DIR", "folder of the tables; '.' unless given, or --output for one table alone"},
    {0, "tables", "LIST", "which tables, with commas between: body_pose,path_length,.."},
    {'c', "coordinate", "NAME", "sweep: which coordinate"},
    {'m', "muscle", "GLOB", "sweep: which muscles; all unless given"},
    {0, "steps", "N", "sweep: how many values over the range; 51 unless given"},
    {0, "activation", "A", "sweep: of all muscles; 1 unless given"},
    {0, "compat", "WHICH", "opensim4: reproduce OpenSim 4.5.2 where it is known to be wrong"},
    {0, "ignore-kept", NULL, "compute accelerations without forces that are not computed"},
    {0, "max-size", "MB", "refuse larger files; 256 unless given"},
    {0, NULL, NULL, NULL},
};

static const fb_tool tool = {
    .name = "fbsim",
    .summary = "Computes what a model does. 'fbsim eval' evaluates it in the states of a table and "
               "writes the\n"
               "tables body_pose, marker, com, path_length, path_speed, moment_arm, muscle, "
               "mass_matrix,\n"
               "inverse_dynamics and acceleration (.sto). 'fbsim sweep' writes lengths, moment "
               "arms and forces of\n"
               "muscles, and the joint's strength, over the range of a coordinate.",
    .operands = "eval|sweep [MODEL]",
    .max_operands = 2,
    .options = options,
    .examples = "  fbsim sweep arm.osim --coordinate r_elbow_flex --muscle 'BIC*' -o biceps.sto\n"
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
    N_TABLES
};
static const char *const table_names[N_TABLES] = {"body_pose",   "marker",      "com",
                                                  "path_length", "path_speed",  "moment_arm",
                                                  "muscle",      "mass_matrix", "inverse_dynamics",
                                                  "acceleration"};

/* What an evaluation needs and makes. */
typedef struct evaluation {
    fb_cli *cli;
    fb_simulation *s;
    bool as_opensim4;
    bool wanted[N_TABLES];
    bool alone; /* one table, which goes to -o or standard output */
    fb_sto tables[N_TABLES];
    fb_sto states;
    int *value, *speed, *activation; /* columns of the states, -1 for none */
    double *scratch;                 /* n_q x n_q, and n_q */
    bool *told;                      /* n_paths: what is odd of it was told */
    long unbalanced, unmet, singular;
} evaluation;

static const char *coordinate_name(const evaluation *e, int i) {
    const fb_element *element = e->s->system->coordinates[i].element;
    return element ? fb_path_name(element->path) : "free";
}

static void add_columns(fb_sto *t, const char *path, const char *const *parts) {
    for (; *parts; parts++) {
        fb_sto_add_column(t, fb_arena_printf(&t->arena, "%s|%s", path, *parts));
    }
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
        if (system->mobods[i].body->path) {
            add_columns(&e->tables[BODY_POSE], system->mobods[i].body->path, pose);
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

/* A new row of a table after its time; NULL if the table is not wanted. */
static double *row_of(evaluation *e, int table, double time) {
    if (!e->wanted[table]) {
        return NULL;
    }
    double *row = fb_sto_row(&e->tables[table]);
    row[0] = time;
    return row + 1;
}

static void put_bodies(evaluation *e, double time) {
    const fb_system *system = e->s->system;
    const fb_state *state = e->s->state;
    double *to = row_of(e, BODY_POSE, time);
    for (int i = 1; to && i < system->n_body; i++) {
        if (system->mobods[i].body->path) {
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
        fb_coordinate_coupling(s->state, j, e->scratch + (size_t)j * (size_t)n);
    }
    for (int i = 0; arm && i < paths; i++) {
        const double *arms = s->path_arms + (size_t)i * (size_t)n;
        for (int j = 0; j < n; j++) {
            const double *coupling = e->scratch + (size_t)j * (size_t)n;
            for (int k = 0; k < n; k++) {
                arm[(size_t)i * (size_t)n + (size_t)j] += coupling[k] * arms[k];
            }
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
        fb_diag_add(&e->cli->diag, FB_WARNING, FB4005,
                    (fb_place){path->owner->file, path->owner->line, path->owner->path,
                               path->owner->cls->name},
                    then, "%s '%s': %s%s (time %g)", path->owner->cls->name, path->owner->name,
                    what, name ? name : "", time);
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
        if (!(p->fiber_length > 0) && !e->told[s->muscles->muscles[i].path]) {
            e->told[s->muscles->muscles[i].path] = true;
            fb_diag_add(&e->cli->diag, FB_WARNING, FB4001,
                        (fb_place){element->file, element->line, element->path, element->cls->name},
                        NULL, "%s '%s': its path leaves no length to the fibers at time %g",
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

static void put_dynamics(evaluation *e, double time) {
    fb_simulation *s = e->s;
    int n = s->system->n_q;
    double *to = row_of(e, MASS_MATRIX, time);
    if (to) {
        fb_mass_matrix(s->state, e->scratch);
        for (int i = 0; i < n; i++) {
            for (int j = 0; j <= i; j++) {
                *to++ = e->scratch[i * n + j];
            }
        }
    }
    if ((to = row_of(e, INVERSE_DYNAMICS, time)) != NULL) {
        fb_inverse_dynamics(s->state, NULL, NULL, to);
    }
    if ((to = row_of(e, ACCELERATION, time)) != NULL) {
        if (fb_simulation_accelerate(s, 0) == FB_OK) {
            memcpy(to, s->acceleration, (size_t)n * sizeof *to);
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
static int column_of(const evaluation *e, const fb_element *element, const char *now,
                     const char *before) {
    if (!element || e->states.n_columns == 0) {
        return -1;
    }
    char name[1024];
    snprintf(name, sizeof name, "%s/%s", element->path, now);
    int column = fb_sto_column(&e->states, name);
    if (column < 0) {
        snprintf(name, sizeof name, "%s%s", fb_path_name(element->path), before);
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
    e->told = fb_arena_array(arena, (size_t)e->s->paths->n_paths, sizeof *e->told);
    for (size_t i = 0; i < n; i++) {
        e->value[i] = column_of(e, system->coordinates[i].element, "value", "");
        e->speed[i] = column_of(e, system->coordinates[i].element, "speed", "_u");
    }
    for (size_t i = 0; i < m; i++) {
        e->activation[i] = column_of(e, e->s->muscles->muscles[i].element, "activation",
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
        double unit = e->states.in_degrees && fb_coordinate_motion(element) == FB_ROTATIONAL
                          ? 3.14159265358979323846 / 180
                          : 1;
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

static void evaluate(evaluation *e) {
    for (int i = 0; i < e->states.n_rows || i == 0; i++) {
        double time = 0;
        if (e->states.n_rows) {
            time = e->states.values[(size_t)i * (size_t)e->states.n_columns];
        }
        set_state(e, i);
        fb_simulation_move(e->s);
        put_bodies(e, time);
        tell_paths(e, time);
        put_paths(e, time);
        put_muscles(e, time);
        put_dynamics(e, time);
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

static fb_status write_tables(evaluation *e) {
    const char *folder = fb_cli_value(e->cli, "out");
    char header[200];
    snprintf(header, sizeof header, "tool=fbsim %s\ngeometry=%s\n", FB_VERSION,
             e->as_opensim4 ? "as OpenSim 4.5.2" : "exact");
    if (folder && mkdir(folder, 0777) != 0 && errno != EEXIST) {
        fb_cli_say(e->cli, "%s: %s", folder, strerror(errno));
        return FB_E_OUTPUT;
    }
    for (int i = 0; i < N_TABLES; i++) {
        if (!e->wanted[i]) {
            continue;
        }
        char path[4096];
        const char *file = path;
        snprintf(path, sizeof path, "%s/%s.sto", folder ? folder : ".", table_names[i]);
        if (e->alone) {
            file = e->cli->output;
        }
        fb_output output;
        fb_status status = fb_cli_open(e->cli, file, &output);
        if (status != FB_OK) {
            return status;
        }
        fb_sto_write(&e->tables[i], header, &output.text);
        status = fb_cli_close(e->cli, file, &output, true);
        if (status != FB_OK) {
            return status;
        }
    }
    return FB_OK;
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
        find_columns(e, &arena);
        tell_unused(e);
        evaluate(e);
        fb_sto_drop_zeros(&e->tables[MASS_MATRIX]);
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
    if (status != FB_OK) {
        return fb_exit_of(status);
    }
    bool lacking = fb_forces_skipped(e->s->forces) > 0 && e->wanted[ACCELERATION] &&
                   !fb_cli_value(cli, "ignore-kept");
    if (lacking) {
        e->wanted[ACCELERATION] = false;
        fb_cli_say(cli, "no accelerations: forces that act are not computed; --ignore-kept "
                        "computes them without");
    }
    int code = fb_exit_of(run(e));
    fb_sto_free(&e->states);
    return code == FB_EXIT_OK && lacking ? FB_EXIT_UNSUPPORTED : code;
}

/* Reads the model and compiles it, for any command. */
static int simulate(fb_cli *cli, bool sweeps) {
    evaluation e = {.cli = cli};
    double megabytes;
    const char *compat = fb_cli_value(cli, "compat");
    if (!fb_cli_number(cli, "max-size", 0, 2000, 256, &megabytes) ||
        (!sweeps && !choose_tables(&e))) {
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
    if (status == FB_OK) {
        status = fb_simulation_new(&e.s, model, e.as_opensim4, &cli->diag);
    }
    int code = fb_exit_of(status);
    if (status == FB_OK) {
        code = sweeps ? fb_fbsim_sweep(cli, e.s) : eval(cli, &e, max_bytes);
    }
    fb_simulation_free(e.s);
    code = fb_cli_report(cli, model, code);
    fb_model_free(model);
    return code;
}

int fb_fbsim_main(int argc, char **argv, FILE *in, FILE *out, FILE *err) {
    fb_cli cli;
    int status = fb_cli_begin(&cli, &tool, argc, argv, in, out, err);
    const char *command = cli.n_operands ? cli.operands[0] : "";
    bool sweeps = strcmp(command, "sweep") == 0;
    if (status < 0 && !sweeps && strcmp(command, "eval") != 0) {
        fb_cli_say(&cli, "the commands are 'eval' and 'sweep'; 'fbsim --help' shows what there is");
        status = FB_EXIT_USAGE;
    }
    if (status < 0) {
        status = simulate(&cli, sweeps);
    }
    return fb_cli_end(&cli, status);
}
