/* MuscleAnalysis of fbsim run's AnalyzeTool: lengths, speeds, forces, powers, moment arms and
 * moments of muscles over a motion, a table of each. */
#include <math.h>
#include <string.h>

#include "libcore/muscle/moment_arm.h"
#include "tools/fbsim_so.h"

static const char *const quantities[] = {"PennationAngle",
                                         "Length",
                                         "FiberLength",
                                         "NormalizedFiberLength",
                                         "TendonLength",
                                         "FiberVelocity",
                                         "NormFiberVelocity",
                                         "PennationAngularVelocity",
                                         "TendonForce",
                                         "FiberForce",
                                         "ActiveFiberForce",
                                         "PassiveFiberForce",
                                         "ActiveFiberForceAlongTendon",
                                         "PassiveFiberForceAlongTendon",
                                         "FiberActivePower",
                                         "FiberPassivePower",
                                         "TendonPower",
                                         "MuscleActuatorPower"};
enum { N_QUANTITIES = sizeof quantities / sizeof quantities[0] };

typedef struct work {
    fb_muscle_tables *job;
    fb_simulation *s;
    fb_coordinates motion;
    fb_sto *tables; /* quantities, then an arm of each coordinate, then a moment of each */
    int n_tables, *coordinate, n_coordinates;
    double *arms;
} work;

/* In the order of quantities. */
static void look(const fb_muscle *m, const fb_muscle_point *p, double length, double speed,
                 double *x) {
    double cosine = cos(p->pennation), v = p->fiber_velocity;
    double active = p->active_fiber_force, passive = p->passive_fiber_force;
    const double all[N_QUANTITIES] = {p->pennation,
                                      length,
                                      p->fiber_length,
                                      p->normalized_fiber_length,
                                      length - p->fiber_length * cosine,
                                      v,
                                      v / (m->optimal_length * m->max_velocity),
                                      -v * tan(p->pennation) / p->fiber_length,
                                      p->tendon_force,
                                      active + passive,
                                      active,
                                      passive,
                                      active * cosine,
                                      passive * cosine,
                                      -active * v,
                                      -passive * v,
                                      -p->tendon_force * (speed - v / cosine),
                                      -p->tendon_force * speed};
    memcpy(x, all, sizeof all);
}

static bool is_asked(const work *w, const char *name) {
    const char **words = w->job->coordinates;
    bool found = !words || !words[0];
    for (int i = 0; words && words[i]; i++) {
        found |= strcmp(words[i], "all") == 0 || strcmp(words[i], name) == 0;
    }
    return found;
}

static void start_tables(work *w) {
    fb_arena *arena = &w->motion.arena;
    const fb_system *system = w->s->system;
    w->coordinate = fb_arena_array(arena, (size_t)system->n_q, sizeof *w->coordinate);
    for (int i = 0; i < system->n_q; i++) {
        if (is_asked(w, fb_path_name(system->coordinates[i].path))) {
            w->coordinate[w->n_coordinates++] = i;
        }
    }
    int most = N_QUANTITIES + w->n_coordinates * (w->job->moments ? 2 : 1);
    w->arms = fb_arena_array(arena, (size_t)w->s->paths->n_paths * (size_t)system->n_q,
                             sizeof *w->arms);
    w->tables = fb_arena_array(arena, (size_t)most, sizeof *w->tables);
    for (int k = 0; k < most; k++) {
        int c = k - N_QUANTITIES;
        const char *name = k < N_QUANTITIES ? quantities[k] : NULL;
        if (!name) {
            const fb_coordinate *q = &system->coordinates[w->coordinate[c % w->n_coordinates]];
            name = fb_arena_printf(arena, "%s_%s", c < w->n_coordinates ? "MomentArm" : "Moment",
                                   fb_path_name(q->path));
        }
        fb_sto_start(&w->tables[k], name);
        w->n_tables = k + 1;
        w->tables[k].arena.oom = arena->oom;
        fb_sto_add_column(&w->tables[k], "time");
        for (int i = 0; i < w->s->muscles->n; i++) {
            fb_sto_add_column(&w->tables[k], fb_osim_name(w->s->muscles->muscles[i].element));
        }
    }
}

static void put_row(work *w, double time) {
    fb_simulation *s = w->s;
    size_t n_q = (size_t)s->system->n_q;
    double x[N_QUANTITIES];
    for (int k = 0; k < w->n_tables; k++) {
        fb_sto_row(&w->tables[k])[0] = time;
    }
    for (int i = 0; i < s->muscles->n; i++) {
        const fb_muscle *m = &s->muscles->muscles[i];
        look(m, &s->points[i], s->path_length[m->path], s->path_speed[m->path], x);
        for (int k = 0; k < w->n_tables; k++) {
            fb_sto *t = &w->tables[k];
            int c = k - N_QUANTITIES;
            double arm =
                c < 0
                    ? 0
                    : w->arms[(size_t)m->path * n_q + (size_t)w->coordinate[c % w->n_coordinates]];
            t->values[(size_t)(t->n_rows - 1) * (size_t)t->n_columns + 1 + (size_t)i] =
                c < 0                  ? x[k]
                : c < w->n_coordinates ? arm
                                       : arm * s->points[i].tendon_force;
        }
    }
}

static fb_status fill(work *w) {
    fb_simulation *s = w->s;
    int first, last, columns = w->motion.series.n_columns, n_bad = 0;
    fb_arena *arena = &w->motion.arena;
    fb_status status = fb_so_rows(&w->motion, w->job->run->cli, w->job->range,
                                  w->job->run->as_opensim4, &first, &last);
    if (status != FB_OK) {
        return status;
    }
    start_tables(w);
    double *value = fb_arena_array(arena, (size_t)columns, sizeof *value);
    double *d1 = fb_arena_array(arena, (size_t)columns, sizeof *d1);
    for (int row = first; row <= last && status == FB_OK; row += w->job->interval) {
        double time = w->motion.series.time[row];
        fb_splines_value(&w->motion.splines, time, value, d1, NULL);
        for (int i = 0; i < s->system->n_q; i++) {
            int c = w->motion.column[i];
            s->state->q[i] = c >= 0 ? value[c] : s->system->coordinates[i].initial;
            s->state->u[i] = c >= 0 ? d1[c] : 0;
        }
        s->state->time = time;
        if (s->system->n_constraint > 0) {
            status = fb_assemble(s->state, 1e-10);
            fb_state_position(s->state);
            fb_project_velocity(s->state);
        }
        for (int i = 0; i < s->muscles->n; i++) {
            s->activation[i] = s->muscles->muscles[i].default_activation;
            s->points[i].fiber_length = s->muscles->muscles[i].default_fiber_length;
            s->points[i].fiber_velocity = s->muscles->muscles[i].default_fiber_velocity;
        }
        fb_simulation_move(s);
        for (int i = 0; i < s->muscles->n && w->job->equilibrium; i++) {
            n_bad += !fb_simulation_equilibrate(s, i, FB_EQUILIBRIUM_OPENSIM4);
        }
        if (!w->job->equilibrium) {
            fb_simulation_evaluate(s);
        }
        status = status == FB_OK ? fb_moment_arms(s, w->arms) : status;
        put_row(w, time);
    }
    if (n_bad) {
        fb_diag_add(&w->job->run->cli->diag, FB_WARNING, FB1404,
                    (fb_place){w->motion.file, 0, NULL, NULL}, NULL,
                    "%d times a muscle finds no equilibrium of its fibers and tendon", n_bad);
    }
    return status;
}

fb_status fb_muscle_tables_write(fb_muscle_tables *job) {
    fb_run *run = job->run;
    work w = {.job = job, .s = run->simulation};
    jmp_buf oom;
    fb_arena_init(&w.motion.arena);
    fb_status status = fb_coordinates_read(&w.motion, run->cli, job->motion, run->max_bytes,
                                           w.s->system, job->frequency);
    if (status == FB_OK && setjmp(oom)) {
        run->cli->diag.out_of_memory = 1;
        status = FB_E_MEMORY;
    } else if (status == FB_OK) {
        w.motion.arena.oom = &oom;
        status = fill(&w);
    }
    w.motion.arena.oom = NULL;
    for (int k = 0; k < w.n_tables; k++) {
        char name[1024];
        w.tables[k].arena.oom = NULL;
        snprintf(name, sizeof name, "%s_MuscleAnalysis_%s.sto", run->setup->name, w.tables[k].name);
        if (status == FB_OK) {
            status = fb_run_write(run, &w.tables[k],
                                  "This analysis gathers basic information about muscles during a "
                                  "simulation (e.g., forces, tendon lengths, moment arms, "
                                  "etc).\n" FB_STORAGE_UNITS,
                                  job->decimals, name, true);
        }
        fb_sto_free(&w.tables[k]);
    }
    fb_coordinates_free(&w.motion);
    return status;
}
