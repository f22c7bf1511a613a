/* fbsim ik, and InverseKinematicsTool of fbsim run. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/number.h"
#include "libcore/version.h"
#include "tools/fbsim_ik.h"
#include "tools/fbsim_run.h"

/* ---- fbsim run ------------------------------------------------------------------------------- */

/* Set-ups before 2.3 had a set of trials; the first holds the files. */
static fb_setup_node *node_of(const fb_run *run, const char *tag) {
    fb_setup_node *trial = fb_setup_objects(run->tool, "IKTrialSet");
    return trial && !fb_setup_text(run->tool, tag) ? trial : run->tool;
}

static fb_status read_setup(fb_run *run, fb_ik_job *job) {
    fb_setup *setup = run->setup;
    job->options.constraint_weight = fb_setup_number(setup, run->tool, "constraint_weight",
                                                     FB_INFINITY);
    fb_setup_number(setup, run->tool, "accuracy", 1e-5); /* ours is always below */
    fb_setup_text(run->tool, "input_directory");
    job->range[0] = -FB_INFINITY;
    job->range[1] = FB_INFINITY;
    fb_setup_numbers(setup, node_of(run, "time_range"), "time_range", job->range, 2);
    job->want_errors = fb_setup_bool(setup, run->tool, "report_errors", true);
    job->want_places = fb_setup_bool(setup, run->tool, "report_marker_locations", false);
    if (!(job->options.constraint_weight >= 0)) {
        fb_cli_say(run->cli, "<constraint_weight> of %s is negative", setup->file);
        return FB_E_INPUT;
    }
    fb_status status = fb_ik_job_tasks(job, setup, run->tool);
    const char *file = NULL;
    if (status == FB_OK) {
        file = fb_setup_file(setup, node_of(run, "marker_file"), "marker_file", true);
        if (!file && !fb_setup_text(node_of(run, "marker_file"), "marker_file")) {
            fb_cli_say(run->cli, "%s names no <marker_file>", setup->file);
        }
        status = file ? fb_trc_read_file(&job->trc, file, run->max_bytes, &run->cli->diag)
                      : FB_E_INPUT;
    }
    return status == FB_OK
               ? fb_ik_job_coordinates(job, setup, node_of(run, "coordinate_file"), run->max_bytes)
               : status;
}

static fb_status write_results(fb_run *run, const fb_ik_job *job) {
    const char *motion = fb_setup_text(node_of(run, "output_motion_file"), "output_motion_file");
    char name[1024];
    fb_status status = FB_OK;
    if (motion) {
        status = fb_run_write(run, &job->motion, FB_STORAGE_UNITS, FB_STORAGE_DECIMALS, motion,
                              false);
    } else {
        fb_diag_add(&run->cli->diag, FB_WARNING, FB1415,
                    (fb_place){run->setup->file, 0, NULL, NULL}, "the motion is not written",
                    "it names no <output_motion_file>");
    }
    if (status == FB_OK && job->want_errors) {
        snprintf(name, sizeof name, "%s_ik_marker_errors.sto", run->setup->name);
        status = fb_run_write(run, &job->errors, NULL, FB_STORAGE_DECIMALS, name, true);
    }
    if (status == FB_OK && job->want_places) {
        snprintf(name, sizeof name, "%s_ik_model_marker_locations.sto", run->setup->name);
        status = fb_run_write(run, &job->places, NULL, FB_STORAGE_DECIMALS, name, true);
    }
    return status;
}

int fb_run_ik(fb_run *run) {
    fb_ik_job job;
    memset(&job, 0, sizeof job);
    fb_arena_init(&job.arena);
    job.cli = run->cli;
    job.options = fb_ik_options_default();
    fb_system_options options = {.as_opensim4 = run->as_opensim4};
    fb_status status = read_setup(run, &job);
    if (status == FB_OK && run->cli->diag.counts[FB_ERROR] > 0) {
        status = FB_E_INPUT;
    }
    if (status == FB_OK) {
        status = fb_run_model(run, NULL);
    }
    if (status == FB_OK) {
        job.model = run->model;
        status = fb_system_compile(&job.system, run->model, &options, &run->cli->diag);
    }
    if (status == FB_OK) {
        status = fb_ik_job_match(&job);
    }
    if (status == FB_OK) {
        status = fb_ik_job_run(&job);
    }
    if (status == FB_OK) {
        status = write_results(run, &job);
    }
    if (status == FB_OK) {
        fb_ik_job_summary(&job);
    }
    fb_ik_job_free(&job);
    return fb_exit_of(status);
}

/* ---- fbsim ik -------------------------------------------------------------------------------- */

bool fb_fbsim_time_range(const fb_cli *cli, double range[2]) {
    const char *text = fb_cli_value(cli, "time-range"), *comma = text ? strchr(text, ',') : NULL;
    range[0] = -FB_INFINITY;
    range[1] = FB_INFINITY;
    if (text &&
        (!comma || (comma > text && !fb_number_parse(text, (size_t)(comma - text), &range[0])) ||
         (comma[1] && !fb_number_parse(comma + 1, strlen(comma + 1), &range[1])) ||
         !(range[0] <= range[1]))) {
        fb_cli_say(cli, "--time-range is two times in s with a comma between, not '%s'", text);
        return false;
    }
    return true;
}

/* --weight NAME=W: of one marker. */
static bool weights(fb_ik_job *job) {
    const char *text;
    for (int i = 0; (text = fb_cli_values(job->cli, "weight", i)); i++) {
        const char *equals = strrchr(text, '=');
        double weight = 0;
        size_t n = equals ? (size_t)(equals - text) : 0, found = 0;
        if (n == 0 || !fb_number_parse(equals + 1, strlen(equals + 1), &weight) || !(weight >= 0) ||
            !isfinite(weight)) {
            fb_cli_say(job->cli, "--weight is MARKER=NUMBER, the number not negative, not '%s'",
                       text);
            return false;
        }
        for (size_t k = 0; k < job->n_targets; k++) {
            fb_ik_target *t = &job->targets[k];
            if (strlen(t->name) == n && strncmp(t->name, text, n) == 0) {
                t->weight = weight;
                found++;
            }
        }
        if (!found) {
            fb_cli_say(job->cli, "--weight: model and markers share no '%.*s'", (int)n, text);
            return false;
        }
    }
    return true;
}

static fb_status write_table(fb_cli *cli, const fb_ik_job *job, const fb_sto *table,
                             const char *file) {
    char header[1024];
    snprintf(header, sizeof header, "tool=fbsim %s\nmodel=%s\nmarkers=%s\n", FB_VERSION,
             job->model->root->name ? job->model->root->name : "", fb_path_name(job->trc.file));
    for (char *c = header; *c; c++) {
        *c = (unsigned char)*c < ' ' && *c != '\n' ? ' ' : *c;
    }
    return fb_fbsim_write(cli, table, header, file);
}

int fb_fbsim_ik(fb_cli *cli) {
    static const char *const beside[] = {"marker-errors", "marker-locations", NULL};
    const char *file = fb_cli_value(cli, "markers"), *errors = fb_cli_value(cli, beside[0]),
               *places = fb_cli_value(cli, beside[1]);
    fb_system_options options = {.as_opensim4 = false};
    double megabytes;
    fb_ik_job job;
    fb_model *model = NULL;
    memset(&job, 0, sizeof job);
    fb_arena_init(&job.arena);
    job.cli = cli;
    job.options = fb_ik_options_default();
    job.want_errors = errors != NULL;
    job.want_places = places != NULL;
    if (!file) {
        fb_cli_say(cli, "ik needs --markers FILE.trc");
        return FB_EXIT_USAGE;
    }
    if (!fb_fbsim_compat(cli, &options.as_opensim4) ||
        !fb_cli_number(cli, "max-size", 0, 2000, 256, &megabytes) ||
        !fb_cli_number(cli, "constraint-weight", 0, FB_INFINITY, FB_INFINITY,
                       &job.options.constraint_weight) ||
        !fb_fbsim_time_range(cli, job.range) || !fb_cli_separate(cli, beside)) {
        return FB_EXIT_USAGE;
    }
    size_t max_bytes = (size_t)(megabytes * 1024 * 1024);
    fb_status status = fb_cli_read_model(cli, cli->n_operands > 1 ? cli->operands[1] : "-",
                                         max_bytes, &model, NULL);
    if (status == FB_OK) {
        job.model = model;
        status = fb_trc_read_file(&job.trc, file, max_bytes, &cli->diag);
    }
    if (status == FB_OK) {
        status = fb_system_compile(&job.system, model, &options, &cli->diag);
    }
    if (status == FB_OK) {
        status = fb_ik_job_match(&job);
    }
    int code = fb_exit_of(status);
    if (status == FB_OK && !weights(&job)) {
        code = FB_EXIT_USAGE;
    } else if (status == FB_OK) {
        status = fb_ik_job_run(&job);
        if (status == FB_OK) {
            status = write_table(cli, &job, &job.motion, cli->output);
        }
        if (status == FB_OK && errors) {
            status = write_table(cli, &job, &job.errors, errors);
        }
        if (status == FB_OK && places) {
            status = write_table(cli, &job, &job.places, places);
        }
        if (status == FB_OK) {
            fb_ik_job_summary(&job);
        }
        code = fb_exit_of(status);
        if (code == FB_EXIT_OK && job.n_failed > 0) {
            code = FB_EXIT_NUMERIC;
        }
    }
    fb_ik_job_free(&job);
    code = fb_cli_report(cli, model, code);
    fb_model_free(model);
    return code;
}
