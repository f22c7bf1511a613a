/* fbsim so, and the StaticOptimization of fbsim run's AnalyzeTool. */
#include "tools/fbsim_so.h"

#include <math.h>
#include <string.h>

#include "libcore/version.h"

static void add_columns(fb_sto *table, const fb_so_job *j, bool loads) {
    fb_sto_add_column(table, "time");
    for (int i = 0; i < j->so.n; i++) {
        fb_sto_add_column(table, j->so.actuators[i].name);
    }
    static const char *const parts[] = {"Fx", "Fy", "Fz", "px", "py", "pz", "Tx", "Ty", "Tz"};
    for (int i = 0; loads && i < j->loads.loads.n; i++) {
        const fb_load *load = &j->loads.loads.loads[i];
        const char *body = fb_path_name(j->s->system->mobods[load->body].path);
        for (int k = 0; k < 9; k++) {
            fb_sto_add_column(table, fb_arena_printf(&table->arena, "%s_%s_%s", body, load->name,
                                                     parts[k]));
        }
    }
}

/* Speeds at the rows are the motion's derivatives; accelerations are those of quintic splines
 * through these speeds, as OpenSim has it, or exactly the motion's. */
static bool prepare_speeds(fb_so_job *j) {
    const fb_signal *q = &j->motion.series;
    double *value = fb_arena_array(&j->motion.arena, (size_t)q->n_columns, sizeof *value);
    fb_signal_start(&j->speeds, q->n, q->n_columns, &j->motion.arena);
    for (int i = 0; i < q->n; i++) {
        j->speeds.time[i] = q->time[i];
        fb_splines_value(&j->motion.splines, q->time[i], value,
                         j->speeds.y + (size_t)i * (size_t)q->n_columns, NULL);
    }
    return fb_splines_make(&j->speed_splines, 5, &j->speeds, &j->motion.arena);
}

static void put_state(fb_so_job *j, double time, double *value, double *d1, double *d2,
                      double *udot) {
    fb_state *state = j->s->state;
    fb_splines_value(&j->motion.splines, time, value, d1, d2);
    if (j->as_opensim4) {
        double *u = value + j->motion.series.n_columns;
        fb_splines_value(&j->speed_splines, time, u, d2, NULL);
    }
    for (int i = 0; i < j->s->system->n_q; i++) {
        int c = j->motion.column[i];
        state->q[i] = c >= 0 ? value[c] : j->s->system->coordinates[i].initial;
        state->u[i] = c >= 0 ? d1[c] : 0;
        udot[i] = c >= 0 ? d2[c] : 0;
    }
}

static void tell_weak(fb_so_job *j, double time) {
    double lack = 0;
    int c = fb_so_weakest(&j->so, &lack);
    if (c < 0) {
        return;
    }
    const fb_coordinate *coordinate = &j->s->system->coordinates[c];
    bool turns = fb_fbsim_motion(coordinate) == FB_ROTATIONAL;
    bool force = j->s->system->n_constraint == 0;
    fb_diag_add(&j->cli->diag, FB_WARNING, FB4009, (fb_place){j->motion.file, 0, NULL, NULL},
                "its row comes as near as the actuators allow",
                "at %g s '%s' lacks %.4g %s: its muscles and actuators are too weak", time,
                fb_path_name(coordinate->path), lack,
                force   ? turns ? "N m" : "N"
                : turns ? "rad/s^2"
                        : "m/s^2");
}

static void put_rows(fb_so_job *j, double time) {
    double *a = fb_sto_row(&j->activation), *f = fb_sto_row(&j->force);
    a[0] = f[0] = time;
    for (int i = 0; i < j->so.n; i++) {
        a[1 + i] = j->so.problem.x[i];
        f[1 + i] = j->so.problem.x[i] * j->so.actuators[i].unit;
    }
    f += 1 + j->so.n;
    for (int i = 0; i < j->loads.loads.n; i++, f += 9) {
        fb_load_at(&j->loads.loads.loads[i], j->s->state, time, f, f + 3, f + 6);
    }
}

fb_status fb_so_rows(const fb_coordinates *motion, fb_cli *cli, const double range[2],
                     bool as_opensim4, int *first, int *last) {
    const double slack = 1e-9, *time = motion->series.time;
    fb_status status = fb_coordinates_rows(motion, cli, range, false, first, last);
    while (status == FB_OK && as_opensim4 && *first > 0 && isfinite(range[0]) &&
           time[*first] > range[0] + slack) {
        --*first;
    }
    while (status == FB_OK && as_opensim4 && *last > *first && time[*last] > range[1] + slack) {
        --*last;
    }
    return status;
}

static fb_status fill(fb_so_job *j) {
    fb_arena *arena = &j->motion.arena;
    int first = 0, last = 0, columns = j->motion.series.n_columns;
    fb_status status = fb_so_rows(&j->motion, j->cli, j->range, j->as_opensim4, &first, &last);
    if (status != FB_OK) {
        return status;
    }
    if (!prepare_speeds(j)) {
        return FB_E_INPUT;
    }
    j->s->loads = j->loads.loads.n ? &j->loads.loads : NULL;
    fb_so_make(&j->so, j->s, &j->options, arena);
    double *value = fb_arena_array(arena, 2 * (size_t)columns, sizeof *value);
    double *d1 = fb_arena_array(arena, (size_t)columns, sizeof *d1);
    double *d2 = fb_arena_array(arena, (size_t)columns, sizeof *d2);
    double *udot = fb_arena_array(arena, (size_t)j->s->system->n_q, sizeof *udot);
    fb_sto_start(&j->activation, "Static Optimization");
    fb_sto_start(&j->force, "ModelForces");
    j->activation.arena.oom = j->force.arena.oom = arena->oom;
    add_columns(&j->activation, j, false);
    add_columns(&j->force, j, true);
    for (int i = first; i <= last; i += j->interval) {
        double time = j->motion.series.time[i];
        put_state(j, time, value, d1, d2, udot);
        status = fb_so_at(&j->so, time, udot);
        if (status == FB_E_MEMORY) {
            return status;
        }
        if (status != FB_OK && !isfinite(j->so.problem.x[0])) {
            fb_diag_add(&j->cli->diag, FB_ERROR, FB4006, (fb_place){j->motion.file, 0, NULL, NULL},
                        NULL, "accelerations cannot be computed at %g s", time);
            return FB_E_NUMERIC;
        }
        if (status != FB_OK) {
            tell_weak(j, time);
            j->n_weak++;
        } else {
            j->gap = fmax(j->gap, j->so.problem.gap);
        }
        put_rows(j, time);
    }
    return FB_OK;
}

fb_status fb_so_work(fb_so_job *j, const char *coordinates, const char *loads) {
    jmp_buf oom;
    fb_status status = fb_coordinates_read(&j->motion, j->cli, coordinates, j->max_bytes,
                                           j->s->system, j->frequency);
    if (status == FB_OK && loads) {
        status = fb_loads_read(&j->loads, loads, j->s->system, j->max_bytes, &j->cli->diag);
    }
    if (status != FB_OK) {
        return status;
    }
    if (setjmp(oom)) {
        j->cli->diag.out_of_memory = 1;
        status = FB_E_MEMORY;
    } else {
        j->motion.arena.oom = &oom;
        status = fill(j);
    }
    j->motion.arena.oom = j->activation.arena.oom = j->force.arena.oom = NULL;
    return status;
}

void fb_so_tell(const fb_so_job *j) {
    if (j->cli->quiet || j->activation.n_rows == 0) {
        return;
    }
    double most = 0;
    const char *who = "";
    for (int i = 0; i < j->so.n; i++) {
        for (int r = 0; r < j->force.n_rows && j->so.actuators[i].muscle < 0; r++) {
            double f = fabs(fb_sto_value(&j->force, r, 1 + i));
            if (f > most) {
                most = f;
                who = j->so.actuators[i].name;
            }
        }
    }
    char used[256] = "";
    if (most > 0) {
        snprintf(used, sizeof used, "; of actuators besides muscles '%s' gives most, %.3g", who,
                 most);
    }
    fb_cli_say(j->cli,
               "%d rows, %d beyond the actuators' strength; cost within %.1g of the least%s",
               j->activation.n_rows, j->n_weak, j->gap, used);
}

void fb_so_job_clear(fb_so_job *j) {
    if (j->s) {
        j->s->loads = NULL;
    }
    fb_so_clear(&j->so);
    fb_loads_free(&j->loads);
    fb_coordinates_free(&j->motion);
    fb_sto_free(&j->activation);
    fb_sto_free(&j->force);
}

/* ---- fbsim so -------------------------------------------------------------------------------- */

static fb_status write_tables(fb_cli *cli, fb_so_job *j) {
    char header[1024];
    snprintf(header, sizeof header,
             "tool=fbsim %s\nmodel=%s\ngeometry=%s\ncoordinates=%s\nexternal_loads=%s\n"
             "exponent=%g\ninDegrees=no\n",
             FB_VERSION, j->s->system->model->root->name ? j->s->system->model->root->name : "",
             j->as_opensim4 ? "as OpenSim 4.5.2" : "exact", fb_path_name(j->motion.file),
             j->loads.data_file ? fb_path_name(j->loads.data_file) : "", j->options.exponent);
    for (char *c = header; *c; c++) {
        *c = (unsigned char)*c < ' ' && *c != '\n' ? ' ' : *c;
    }
    const char *forces = fb_cli_value(cli, "forces");
    fb_status status = fb_fbsim_write(cli, &j->activation, header, cli->output);
    return status == FB_OK && forces ? fb_fbsim_write(cli, &j->force, header, forces) : status;
}

int fb_fbsim_so(fb_cli *cli) {
    double megabytes;
    fb_so_job j;
    const char *motion, *model;
    memset(&j, 0, sizeof j);
    fb_arena_init(&j.motion.arena);
    j.cli = cli;
    j.interval = 1;
    j.options.physiology = true;
    if (!fb_fbsim_motion_files(cli, "so", &motion, &model) ||
        !fb_fbsim_compat(cli, &j.as_opensim4) ||
        !fb_cli_number(cli, "max-size", 0, 2000, 256, &megabytes) ||
        !fb_cli_number(cli, "filter", 0, 1e6, 0, &j.frequency) ||
        !fb_cli_number(cli, "exponent", 1.01, 100, 2, &j.options.exponent) ||
        !fb_cli_number(cli, "reserves", 0, 1e9, 0, &j.options.reserves) ||
        !fb_cli_number(cli, "residuals", 0, 1e9, 0, &j.options.residuals) ||
        !fb_fbsim_time_range(cli, j.range)) {
        return FB_EXIT_USAGE;
    }
    j.max_bytes = (size_t)(megabytes * 1024 * 1024);
    fb_run run = {.cli = cli, .as_opensim4 = j.as_opensim4, .max_bytes = j.max_bytes};
    fb_status status = fb_run_simulation(&run, model);
    if (status == FB_OK) {
        j.s = run.simulation;
        status = fb_so_work(&j, motion, fb_cli_value(cli, "external-loads"));
    }
    if (status == FB_OK) {
        status = write_tables(cli, &j);
    }
    if (status == FB_OK) {
        fb_so_tell(&j);
        status = j.n_weak ? FB_E_NUMERIC : FB_OK;
    }
    fb_so_job_clear(&j);
    fb_simulation_free(run.simulation);
    fb_file_resources_clear(&run.files);
    int code = fb_cli_report(cli, run.model, fb_exit_of(status));
    fb_model_free(run.model);
    return code;
}
