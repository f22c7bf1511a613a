/* AnalyzeTool of fbsim run: reading its set-up, and the analyses it asks for. */
#include <math.h>
#include <string.h>

#include "formats/osim.h"
#include "libcore/base/number.h"
#include "tools/fbsim_so.h"

typedef struct analyze {
    fb_run *run;
    const char *motion, *loads;
    double range[2], frequency;
    int decimals;
} analyze;

static fb_place place_of(const fb_run *run, const fb_setup_node *node) {
    return (fb_place){run->setup->file, fb_setup_line(node), NULL, NULL};
}

/* Files of <force_set_files>, in the set-up's arena. False with an error if one is not there. */
static bool force_files(fb_run *run, const char ***files) {
    const char **words = fb_setup_words(run->setup, run->tool, "force_set_files");
    bool good = true;
    jmp_buf oom;
    if (setjmp(oom)) {
        run->cli->diag.out_of_memory = 1;
        run->setup->arena.oom = NULL;
        return false;
    }
    run->setup->arena.oom = &oom;
    for (int i = 0; words && words[i]; i++) {
        const char *name = words[i];
        words[i] = fb_file_beside(&run->setup->arena, run->setup->file, name);
        FILE *there = fopen(words[i], "rb");
        if (there) {
            fclose(there);
        } else {
            fb_diag_add(&run->cli->diag, FB_ERROR, FB1415, place_of(run, run->tool), NULL,
                        "%s, which <force_set_files> of %s names, is not there", words[i],
                        fb_path_name(run->setup->file));
            good = false;
        }
    }
    run->setup->arena.oom = NULL;
    *files = words && words[0] && strcmp(words[0], "Unassigned") != 0 ? words : NULL;
    return good;
}

/* The model with the forces that the set-up adds. */
static fb_status read_model(fb_run *run) {
    const char **files = NULL;
    bool replace = fb_setup_bool(run->setup, run->tool, "replace_force_set", false);
    if (!force_files(run, &files)) {
        return FB_E_INPUT;
    }
    if (!files) {
        return fb_run_model(run, NULL);
    }
    if (!fb_setup_text(run->tool, "model_file")) {
        fb_cli_say(run->cli, "%s names no <model_file>", run->setup->file);
        return FB_E_INPUT;
    }
    const char *file = fb_setup_file(run->setup, run->tool, "model_file", true);
    char *bytes;
    size_t size;
    if (!file) {
        return FB_E_INPUT;
    }
    fb_status status = fb_read_file(file, run->max_bytes, &bytes, &size, &run->cli->diag);
    if (status != FB_OK) {
        return status;
    }
    fb_osim_options options = {.max_bytes = run->max_bytes,
                               .force_files = files,
                               .replace_forces = replace};
    return fb_osim_read(&run->model, bytes, size, file, &options, &run->cli->diag);
}

static fb_status optimise(analyze *a, const fb_setup_node *node) {
    fb_run *run = a->run;
    fb_setup *setup = run->setup;
    fb_so_job j;
    double range[2] = {a->range[0], a->range[1]};
    memset(&j, 0, sizeof j);
    fb_arena_init(&j.motion.arena);
    j.cli = run->cli;
    j.s = run->simulation;
    j.as_opensim4 = run->as_opensim4;
    j.max_bytes = run->max_bytes;
    j.frequency = a->frequency;
    range[0] = fmax(range[0], fb_setup_number(setup, node, "start_time", -FB_INFINITY));
    range[1] = fmin(range[1], fb_setup_number(setup, node, "end_time", FB_INFINITY));
    memcpy(j.range, range, sizeof range);
    j.interval = (int)fmax(1, fb_setup_number(setup, node, "step_interval", 1));
    j.options.exponent = fb_setup_number(setup, node, "activation_exponent", 2);
    j.options.physiology = fb_setup_bool(setup, node, "use_muscle_physiology", true);
    fb_setup_text(node, "in_degrees");                      /* nothing here turns */
    fb_setup_text(node, "optimizer_convergence_criterion"); /* the optimum is exact */
    fb_setup_text(node, "optimizer_max_iterations");
    if (!fb_setup_bool(setup, node, "use_model_force_set", true)) {
        fb_diag_add(&run->cli->diag, FB_WARNING, FB1415, place_of(run, node),
                    "the model's forces are used", "<use_model_force_set> false is not honoured");
    }
    if (!(j.options.exponent > 1)) {
        fb_diag_add(&run->cli->diag, FB_ERROR, FB1415, place_of(run, node), NULL,
                    "<activation_exponent> must be above 1, not %g", j.options.exponent);
        return FB_E_INPUT;
    }
    fb_status status = fb_so_work(&j, a->motion, a->loads);
    static const char *const about[] = {
        " This file contains static optimization results.\n",
        "This file contains the forces exerted on a model during a simulation.\n\n"
        "A force is a generalized force, meaning that it can be either a force (N) or a torque "
        "(Nm).\n\n" FB_STORAGE_UNITS};
    for (int k = 0; k < 2 && status == FB_OK; k++) {
        char name[1024];
        snprintf(name, sizeof name, "%s_StaticOptimization_%s.sto", setup->name,
                 k ? "force" : "activation");
        status = fb_run_write(run, k ? &j.force : &j.activation, about[k], a->decimals, name, true);
    }
    if (status == FB_OK) {
        fb_so_tell(&j);
        status = j.n_weak ? FB_E_NUMERIC : FB_OK;
    }
    fb_so_job_clear(&j);
    return status;
}

static fb_status analyse_muscles(analyze *a, const fb_setup_node *node) {
    fb_setup *setup = a->run->setup;
    fb_muscle_tables t = {.run = a->run,
                          .motion = a->motion,
                          .frequency = a->frequency,
                          .decimals = a->decimals};
    t.range[0] = fmax(a->range[0], fb_setup_number(setup, node, "start_time", -FB_INFINITY));
    t.range[1] = fmin(a->range[1], fb_setup_number(setup, node, "end_time", FB_INFINITY));
    t.interval = (int)fmax(1, fb_setup_number(setup, node, "step_interval", 1));
    t.equilibrium = fb_setup_bool(setup, a->run->tool, "solve_for_equilibrium_for_auxiliary_states",
                                  false);
    t.moments = fb_setup_bool(setup, node, "compute_moments", true);
    t.coordinates = fb_setup_words(setup, node, "moment_arm_coordinate_list");
    fb_setup_text(node, "in_degrees"); /* OpenSim's tables of muscles are in rad all the same */
    const char *muscles = fb_setup_text(node, "muscle_list");
    if (muscles && strcmp(muscles, "all") != 0) {
        fb_diag_add(&a->run->cli->diag, FB_WARNING, FB1415, place_of(a->run, node),
                    "tables have all muscles", "<muscle_list> '%s' is not honoured", muscles);
    }
    return fb_muscle_tables_write(&t);
}

int fb_run_analyze(fb_run *run) {
    fb_setup *setup = run->setup;
    analyze a = {.run = run};
    a.range[0] = fb_setup_number(setup, run->tool, "initial_time", -FB_INFINITY);
    a.range[1] = fb_setup_number(setup, run->tool, "final_time", FB_INFINITY);
    a.frequency = fb_setup_number(setup, run->tool, "lowpass_cutoff_frequency_for_coordinates", -1);
    a.decimals = (int)fmin(20, fmax(0, fb_setup_number(setup, run->tool, "output_precision",
                                                       FB_STORAGE_DECIMALS)));
    a.loads = fb_setup_file(setup, run->tool, "external_loads_file", true);
    a.motion = fb_setup_file(setup, run->tool, "coordinates_file", true);
    fb_setup_text(run->tool, "results_directory");
    /* of integrators, which nothing here needs */
    fb_setup_text(run->tool, "maximum_number_of_integrator_steps");
    fb_setup_text(run->tool, "maximum_integrator_step_size");
    fb_setup_text(run->tool, "minimum_integrator_step_size");
    fb_setup_text(run->tool, "integrator_error_tolerance");
    fb_setup_text(run->tool, "solve_for_equilibrium_for_auxiliary_states"); /* SO has none */
    if (!a.motion && !fb_setup_text(run->tool, "coordinates_file")) {
        fb_diag_add(&run->cli->diag, FB_ERROR, FB1415, place_of(run, run->tool), NULL,
                    "it names no <coordinates_file>%s",
                    fb_setup_text(run->tool, "states_file") ? "; states files are not read yet"
                                                            : "");
    }
    fb_status status = run->cli->diag.counts[FB_ERROR] > 0 ? FB_E_INPUT : read_model(run);
    if (status == FB_OK) {
        status = fb_run_compile(run);
    }
    int left_out = 0;
    fb_setup_node *node = fb_setup_objects(run->tool, "AnalysisSet");
    for (; node && status == FB_OK; node = fb_setup_after(node)) {
        if (!fb_setup_bool(setup, node, "on", true)) {
            continue;
        }
        if (strcmp(fb_setup_tag(node), "StaticOptimization") == 0) {
            status = optimise(&a, node);
        } else if (strcmp(fb_setup_tag(node), "MuscleAnalysis") == 0) {
            status = analyse_muscles(&a, node);
        } else {
            fb_diag_add(&run->cli->diag, FB_WARNING, FB1415, place_of(run, node), "it is left out",
                        "the analysis %s is not computed yet", fb_setup_tag(node));
            left_out++;
        }
    }
    return status == FB_OK && left_out ? FB_EXIT_UNSUPPORTED : fb_exit_of(status);
}
