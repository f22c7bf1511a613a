#include "tools/fbsim_run.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

/* Tools by their class in a set-up. */
static const struct {
    const char *kind;
    int (*run)(fb_run *run);
} kinds[] = {
    {"InverseKinematicsTool", fb_run_ik},
    {"ScaleTool", fb_run_scale},
    {"InverseDynamicsTool", fb_run_id},
    {"AnalyzeTool", fb_run_analyze},
    {NULL, NULL},
};

fb_status fb_run_model(fb_run *run, const char *file) {
    if (!file && !fb_setup_text(run->tool, "model_file")) {
        fb_cli_say(run->cli, "%s names no <model_file>", run->setup->file);
        return FB_E_INPUT;
    }
    if (!file) {
        file = fb_setup_file(run->setup, run->tool, "model_file", true);
    }
    return file ? fb_cli_read_model(run->cli, file, run->max_bytes, &run->model, NULL) : FB_E_INPUT;
}

fb_status fb_run_compile(fb_run *run) {
    int n = 0;
    while (n < 64 && (run->folders[n] = fb_cli_values(run->cli, "geometry", n))) {
        n++;
    }
    fb_file_resources_init(&run->files, run->model, run->folders, n, run->max_bytes);
    return fb_simulation_new_from(&run->simulation, run->model, run->as_opensim4,
                                  &run->files.resources, &run->cli->diag);
}

fb_status fb_run_simulation(fb_run *run, const char *file) {
    fb_status status = fb_run_model(run, file);
    return status == FB_OK ? fb_run_compile(run) : status;
}

/* Runs it in the set-up's arena; false when memory runs out. */
static char *joined(fb_run *run, const char *folder, const char *name) {
    jmp_buf oom;
    if (setjmp(oom)) {
        run->cli->diag.out_of_memory = 1;
        run->setup->arena.oom = NULL;
        return NULL;
    }
    run->setup->arena.oom = &oom;
    char *path = fb_arena_printf(&run->setup->arena, "%s/%s", folder, name);
    for (char *c = path; *c; c++) {
        *c = *c == '\\' ? '/' : *c;
    }
    run->setup->arena.oom = NULL;
    return path;
}

static char *beside(fb_run *run, const char *name) {
    jmp_buf oom;
    if (setjmp(oom)) {
        run->cli->diag.out_of_memory = 1;
        run->setup->arena.oom = NULL;
        return NULL;
    }
    run->setup->arena.oom = &oom;
    char *path = fb_file_beside(&run->setup->arena, run->setup->file, name);
    run->setup->arena.oom = NULL;
    return path;
}

const char *fb_run_place(fb_run *run, const char *name, bool result) {
    const char *out = fb_cli_value(run->cli, "out");
    const char *results = fb_setup_text(run->tool, "results_directory");
    if (!out) {
        const char *folder = result && name[0] != '/' && results ? beside(run, results) : NULL;
        return folder ? joined(run, folder, name) : beside(run, name);
    }
    if (name[0] == '/' || strstr(name, "..") || strchr(name, '\\') || strchr(name, ':')) {
        name += strlen(name);
        for (const char *c; (c = name - 1, *c != '/' && *c != '\\' && *c != ':');) {
            name = c;
        }
    }
    return joined(run, out, name);
}

/* Makes the folders above a file. */
static fb_status make_folders(const fb_cli *cli, const char *file) {
    char path[4096];
    for (size_t n = 1; n <= strlen(file) && n < sizeof path; n++) {
        if (file[n] == '/') {
            snprintf(path, sizeof path, "%.*s", (int)n, file);
            if (mkdir(path, 0777) != 0 && errno != EEXIST) {
                fb_cli_say(cli, "%s: %s", path, strerror(errno));
                return FB_E_OUTPUT;
            }
        }
    }
    return FB_OK;
}

fb_status fb_run_open(fb_run *run, const char *name, bool result, fb_output *output) {
    const char *file = fb_run_place(run, name, result);
    fb_status status = file ? make_folders(run->cli, file) : FB_E_MEMORY;
    return status == FB_OK ? fb_cli_open(run->cli, file, output) : status;
}

fb_status fb_run_write(fb_run *run, const fb_sto *table, const char *description, int decimals,
                       const char *name, bool result) {
    fb_output output;
    fb_status status = fb_run_open(run, name, result, &output);
    if (status == FB_OK) {
        fb_storage_write(table, description, decimals, &output.text);
        status = fb_cli_close(run->cli, fb_run_place(run, name, result), &output, true);
    }
    return status;
}

/* ---- the command ----------------------------------------------------------------------------- */

static int dispatch(fb_run *run) {
    for (size_t i = 0; kinds[i].kind; i++) {
        if (strcmp(kinds[i].kind, run->setup->kind) == 0) {
            int status = kinds[i].run(run);
            fb_setup_tell_unused(run->setup, run->tool);
            return status;
        }
    }
    fb_diag_add(&run->cli->diag, FB_ERROR, FB1415,
                (fb_place){run->setup->file, fb_setup_line(run->setup->tool), NULL, NULL}, NULL,
                "<%s> is no tool that fbsim runs", run->setup->kind);
    return FB_EXIT_UNSUPPORTED;
}

int fb_fbsim_run(fb_cli *cli) {
    double megabytes;
    fb_setup setup;
    bool as_opensim4 = true;
    if (cli->n_operands < 2) {
        fb_cli_say(cli, "run needs a set-up file");
        return FB_EXIT_USAGE;
    }
    if (!fb_fbsim_compat(cli, &as_opensim4) ||
        !fb_cli_number(cli, "max-size", 0, 2000, 256, &megabytes)) {
        return FB_EXIT_USAGE;
    }
    fb_run run = {.cli = cli,
                  .setup = &setup,
                  .as_opensim4 = as_opensim4,
                  .max_bytes = (size_t)(megabytes * 1024 * 1024)};
    fb_status status = fb_setup_read(&setup, cli->operands[1], run.max_bytes, &cli->diag);
    run.tool = setup.tool;
    int code = status == FB_OK ? dispatch(&run) : fb_exit_of(status);
    if (code == FB_EXIT_OK && cli->diag.counts[FB_ERROR] > 0) {
        code = FB_EXIT_INPUT;
    }
    fb_simulation_free(run.simulation);
    fb_file_resources_clear(&run.files);
    code = fb_cli_report(cli, run.model, code);
    fb_model_free(run.model);
    fb_setup_free(&setup);
    return code;
}
