/* fbsim id, and InverseDynamicsTool of fbsim run. */
#include <math.h>
#include <string.h>
#include <strings.h>

#include "formats/loads.h"
#include "libcore/base/number.h"
#include "libcore/solve/id.h"
#include "libcore/version.h"
#include "tools/fbsim_motion.h"
#include "tools/fbsim_run.h"

/* What Hicks et al. 2015 advise residuals to keep below: root mean square, peak, N. */
#define GOOD_RMS 10.0
#define GOOD_PEAK 25.0

typedef struct job {
    fb_cli *cli;
    fb_simulation *s;
    fb_coordinates motion;
    fb_loads_file loads;
    double range[2];
    double frequency;
    bool rates; /* as OpenSim has it, see fb_id */
    size_t max_bytes;
    fb_sto table;
    int root[6], n_root[2]; /* coordinates at the root: forces, then moments */
    double square[2], peak[2], peak_time[2], external; /* of both; largest external force, N */
} job;

/* ---- what is left out ------------------------------------------------------------------------ */

static const char *const lists[] = {"muscles",   "ligaments", "springs",
                                    "actuators", "forces",    "contact_forces"};
enum { N_LISTS = sizeof lists / sizeof lists[0] };

static const fb_group *group_named(const fb_model *model, const char *name) {
    for (size_t i = 0; i < model->n_groups; i++) {
        if (strcmp(model->groups[i].set, "/forceset") == 0 &&
            strcmp(model->groups[i].name, name) == 0) {
            return &model->groups[i];
        }
    }
    return NULL;
}

static bool is_meant(const fb_element *e, int list, const char *word, const fb_group *group) {
    if (strcasecmp(word, "all") == 0 || (strcasecmp(word, "muscles") == 0 && list == 0) ||
        (strcasecmp(word, "actuators") == 0 && (list == 0 || list == 3))) {
        return true;
    }
    for (int i = 0; group && i < group->n_members; i++) {
        if (strcmp(group->members[i], fb_osim_name(e)) == 0) {
            return true;
        }
    }
    return strcmp(word, fb_osim_name(e)) == 0 || (e->path && strcmp(word, e->path) == 0);
}

/* Turns off the forces of a word: one's name, a group's, All, Actuators, Muscles. */
static void leave_out(fb_cli *cli, fb_model *model, const char *word, const char *file) {
    const fb_group *group = group_named(model, word);
    bool found = strcasecmp(word, "all") == 0 || strcasecmp(word, "muscles") == 0 ||
                 strcasecmp(word, "actuators") == 0;
    for (int k = 0; k < N_LISTS; k++) {
        const fb_list *list = fb_model_items(model, lists[k]);
        for (size_t i = 0; list && i < list->n; i++) {
            fb_value *enabled = fb_value_of(list->items[i], "enabled");
            if (enabled && is_meant(list->items[i], k, word, group)) {
                enabled->as.truth = false;
                found = true;
            }
        }
    }
    if (!found) {
        fb_diag_add(&cli->diag, FB_WARNING, FB1415, (fb_place){file, 0, NULL, NULL}, NULL,
                    "the model has no force or group of forces '%s' to exclude", word);
    }
}

/* ---- the work -------------------------------------------------------------------------------- */

static void start_table(job *j) {
    const fb_system *s = j->s->system;
    fb_sto_start(&j->table, "Inverse Dynamics Generalized Forces");
    j->table.arena.oom = j->motion.arena.oom;
    fb_sto_add_column(&j->table, "time");
    for (int i = 0; i < s->n_q; i++) {
        const fb_coordinate *c = &s->coordinates[i];
        fb_sto_add_column(&j->table,
                          fb_arena_printf(&j->table.arena, "%s_%s", fb_path_name(c->path),
                                          fb_fbsim_motion(c) == FB_ROTATIONAL ? "moment"
                                                                              : "force"));
    }
}

/* Coordinates of the one joint at ground, if it leaves its body free in space or in a plane. */
static void find_root(job *j) {
    const fb_system *s = j->s->system;
    for (int i = 1; i < s->n_body; i++) {
        const fb_mobod *m = &s->mobods[i];
        if (m->parent != 0 || (m->n_q != 6 && m->n_q != 3)) {
            continue;
        }
        int n = 0;
        for (int kind = 0; kind < 2; kind++) {
            j->n_root[kind] = 0;
            for (int k = 0; k < m->n_q; k++) {
                bool turns = fb_fbsim_motion(&s->coordinates[m->q + k]) == FB_ROTATIONAL;
                if (turns == (kind == 1)) {
                    j->root[n++] = m->q + k;
                    j->n_root[kind]++;
                }
            }
        }
        if (j->n_root[0] >= 2) {
            return;
        }
    }
    j->n_root[0] = j->n_root[1] = 0;
}

static void note_residuals(job *j, const fb_id *id, double time, const double *tau) {
    double wrench[6];
    const int *at = j->root;
    fb_id_external(id, wrench);
    j->external = fmax(j->external, sqrt(fb_v3_dot(wrench + 3, wrench + 3)));
    for (int kind = 0; kind < 2; kind++) {
        double sum = 0;
        for (int k = 0; k < j->n_root[kind]; k++, at++) {
            sum += tau[*at] * tau[*at];
        }
        j->square[kind] += sum;
        if (sqrt(sum) > j->peak[kind]) {
            j->peak[kind] = sqrt(sum);
            j->peak_time[kind] = time;
        }
    }
}

static void tell(job *j) {
    const fb_loads *loads = &j->loads.loads;
    double first = j->table.values[0];
    double last = fb_sto_value(&j->table, j->table.n_rows - 1, 0);
    double slack = 1e-3 * (last - first);
    if (loads->n && (first < loads->first - slack || last > loads->last + slack)) {
        fb_diag_add(&j->cli->diag, FB_WARNING, FB1403,
                    (fb_place){j->loads.data_file, 0, NULL, NULL},
                    "outside, the loads are extrapolated",
                    "the loads are known from %g to %g s, the motion goes from %g to %g s",
                    loads->first, loads->last, first, last);
    }
    if (j->cli->quiet || j->n_root[0] == 0) {
        return;
    }
    double n = j->table.n_rows, rms = sqrt(j->square[0] / n);
    char share[64] = "";
    if (j->external > 0) {
        snprintf(share, sizeof share, ", %.1f %% of the largest external force",
                 100 * j->peak[0] / j->external);
    }
    fb_cli_say(j->cli,
               "%d rows; residual force at the root %.3g N root mean square, at most %.3g N (at %g "
               "s%s)%s; moment %.3g N m, at most %.3g N m (at %g s)",
               j->table.n_rows, rms, j->peak[0], j->peak_time[0], share,
               rms <= GOOD_RMS && j->peak[0] <= GOOD_PEAK ? ""
               : loads->n                                 ? "; below 10 and 25 N are advised"
                          : ", which hold the weight, for there are no external loads",
               sqrt(j->square[1] / n), j->peak[1], j->peak_time[1]);
}

/* Rows of results. */
static fb_status fill(job *j) {
    fb_id id;
    int first, last, n = j->s->system->n_q;
    fb_status status = fb_coordinates_rows(&j->motion, j->cli, j->range, j->rates, &first, &last);
    if (status != FB_OK) {
        return status;
    }
    j->s->loads = j->loads.loads.n ? &j->loads.loads : NULL;
    fb_id_make(&id, j->s, &j->motion.splines, j->motion.column, &j->motion.arena);
    id.rates = j->rates;
    start_table(j);
    find_root(j);
    for (int i = first; i <= last; i++) {
        double *row = fb_sto_row(&j->table);
        row[0] = j->motion.series.time[i];
        fb_id_at(&id, row[0], row + 1);
        note_residuals(j, &id, row[0], row + 1);
        for (int k = 1; k <= n; k++) {
            if (!isfinite(row[k])) {
                fb_diag_add(&j->cli->diag, FB_ERROR, FB4006,
                            (fb_place){j->motion.file, 0, NULL, NULL}, NULL,
                            "'%s' is not finite at time %g", j->table.columns[k], row[0]);
                return FB_E_NUMERIC;
            }
        }
    }
    return FB_OK;
}

/* Reads the motion and the loads (either file may be NULL for none of the latter), then works. */
static fb_status work(job *j, const char *coordinates, const char *loads) {
    jmp_buf oom;
    fb_status status = fb_coordinates_read(&j->motion, j->cli, coordinates, j->max_bytes,
                                           j->s->system, j->frequency);
    if (status == FB_OK && loads) {
        status = fb_loads_read(&j->loads, loads, j->s->system, j->max_bytes, &j->cli->diag);
    }
    if (status != FB_OK) {
        return status;
    }
    if (fb_simulation_skipped(j->s) > 0) {
        fb_diag_add(&j->cli->diag, FB_WARNING, FB2308, (fb_place){j->motion.file, 0, NULL, NULL},
                    NULL, "not all that acts on the model is computed");
    }
    if (setjmp(oom)) {
        j->cli->diag.out_of_memory = 1;
        status = FB_E_MEMORY;
    } else {
        j->motion.arena.oom = &oom;
        status = fill(j);
    }
    j->motion.arena.oom = j->table.arena.oom = NULL;
    return status;
}

static void clear(job *j) {
    if (j->s) {
        j->s->loads = NULL;
    }
    fb_loads_free(&j->loads);
    fb_coordinates_free(&j->motion);
    fb_sto_free(&j->table);
}

/* ---- fbsim run ------------------------------------------------------------------------------- */

int fb_run_id(fb_run *run) {
    job j;
    fb_setup *setup = run->setup;
    memset(&j, 0, sizeof j);
    fb_arena_init(&j.motion.arena);
    j.cli = run->cli;
    j.rates = run->as_opensim4;
    j.max_bytes = run->max_bytes;
    j.range[0] = -FB_INFINITY;
    j.range[1] = FB_INFINITY;
    fb_setup_numbers(setup, run->tool, "time_range", j.range, 2);
    fb_setup_text(run->tool, "input_directory");
    fb_setup_text(run->tool, "results_directory");
    fb_setup_text(run->tool, "model_file");
    j.frequency = fb_setup_number(setup, run->tool, "lowpass_cutoff_frequency_for_coordinates", -1);
    const char **excluded = fb_setup_words(setup, run->tool, "forces_to_exclude");
    const char *motion = fb_setup_file(setup, run->tool, "coordinates_file", true);
    const char *loads = fb_setup_file(setup, run->tool, "external_loads_file", true);
    const char *name = fb_setup_text(run->tool, "output_gen_force_file");
    const char *joints = fb_setup_text(run->tool, "joints_to_report_body_forces");
    fb_place place = {setup->file, fb_setup_line(run->tool), NULL, NULL};
    if (!motion && !fb_setup_text(run->tool, "coordinates_file")) {
        fb_diag_add(&run->cli->diag, FB_ERROR, FB1415, place, NULL,
                    "it names no <coordinates_file>");
    }
    fb_setup_text(run->tool, "output_body_forces_file");
    if (joints) {
        fb_diag_add(&run->cli->diag, FB_WARNING, FB1415, place, "they are not written",
                    "body forces at joints (<joints_to_report_body_forces> '%s') are not computed; "
                    "a JointReaction analysis gives what joints carry",
                    joints);
    }
    fb_status status = run->cli->diag.counts[FB_ERROR] > 0 ? FB_E_INPUT : fb_run_model(run, NULL);
    for (int i = 0; status == FB_OK && excluded && excluded[i]; i++) {
        leave_out(run->cli, run->model, excluded[i], setup->file);
    }
    if (status == FB_OK) {
        status = fb_run_compile(run);
    }
    if (status == FB_OK) {
        j.s = run->simulation;
        status = work(&j, motion, loads);
    }
    if (status == FB_OK) {
        status = fb_run_write(run, &j.table, NULL, FB_STORAGE_DECIMALS,
                              name ? name : "inverse_dynamics.sto", true);
    }
    if (status == FB_OK) {
        tell(&j);
    }
    clear(&j);
    return fb_exit_of(status);
}

/* ---- fbsim id -------------------------------------------------------------------------------- */

/* What --exclude names, with commas between; muscles unless given. */
static void exclude(fb_cli *cli, fb_model *model) {
    const char *list = fb_cli_value(cli, "exclude");
    char word[256];
    for (list = list ? list : "muscles"; *list; list += *list == ',') {
        size_t n = strcspn(list, ",");
        snprintf(word, sizeof word, "%.*s", (int)n, list);
        list += n;
        if (n) {
            leave_out(cli, model, word, model->file);
        }
    }
}

static fb_status write_table(fb_cli *cli, job *j) {
    char header[1024], filter[64] = "none";
    if (j->motion.frequency > 0) {
        snprintf(filter, sizeof filter, "%g Hz", j->motion.frequency);
    }
    snprintf(header, sizeof header,
             "tool=fbsim %s\nmodel=%s\ngeometry=%s\ncoordinates=%s\nfilter=%s\n"
             "external_loads=%s\n",
             FB_VERSION, j->s->system->model->root->name ? j->s->system->model->root->name : "",
             j->rates ? "as OpenSim 4.5.2" : "exact", fb_path_name(j->motion.file), filter,
             j->loads.data_file ? fb_path_name(j->loads.data_file) : "");
    for (char *c = header; *c; c++) {
        *c = (unsigned char)*c < ' ' && *c != '\n' ? ' ' : *c;
    }
    return fb_fbsim_write(cli, &j->table, header, cli->output);
}

int fb_fbsim_id(fb_cli *cli) {
    double megabytes;
    job j;
    const char *motion, *model;
    memset(&j, 0, sizeof j);
    fb_arena_init(&j.motion.arena);
    j.cli = cli;
    if (!fb_fbsim_motion_files(cli, "id", &motion, &model) || !fb_fbsim_compat(cli, &j.rates) ||
        !fb_cli_number(cli, "max-size", 0, 2000, 256, &megabytes) ||
        !fb_cli_number(cli, "filter", 0, 1e6, 0, &j.frequency) ||
        !fb_fbsim_time_range(cli, j.range)) {
        return FB_EXIT_USAGE;
    }
    j.max_bytes = (size_t)(megabytes * 1024 * 1024);
    fb_run run = {.cli = cli, .as_opensim4 = j.rates, .max_bytes = j.max_bytes};
    fb_status status = fb_run_model(&run, model);
    if (status == FB_OK) {
        exclude(cli, run.model);
        status = fb_run_compile(&run);
    }
    if (status == FB_OK) {
        j.s = run.simulation;
        status = work(&j, motion, fb_cli_value(cli, "external-loads"));
    }
    if (status == FB_OK) {
        status = write_table(cli, &j);
    }
    if (status == FB_OK) {
        tell(&j);
    }
    clear(&j);
    fb_simulation_free(run.simulation);
    fb_file_resources_clear(&run.files);
    int code = fb_cli_report(cli, run.model, fb_exit_of(status));
    fb_model_free(run.model);
    return code;
}
