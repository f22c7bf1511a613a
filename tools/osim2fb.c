/* osim2fb: OpenSim models to .fb documents. */

#include "formats/meshes.h"
#include "formats/report.h"
#include "libcore/model/check.h"
#include "tools/cli.h"

static const fb_option options[] = {
    {'g', "geometry", "DIR", "look for meshes in DIR too; may be given several times"},
    {0, "max-size", "MB", "refuse larger files; 256 unless given"},
    {0, NULL, NULL, NULL},
};

static const fb_tool tool = {
    .name = "osim2fb",
    .summary = "Reads an OpenSim model of any version and writes it as a .fb document (JSON). A "
               "summary of\n"
               "what happened to it goes to standard error, the details to --report FILE.",
    .operands = "[MODEL.osim]",
    .max_operands = 1,
    .options = options,
    .examples = "  osim2fb arm.osim -o arm.fb\n"
                "  osim2fb --report arm.html arm.osim | fbinfo\n",
};

static void say_summary(const fb_cli *cli, const fb_model *model) {
    const fb_diag *diag = &cli->diag;
    if (cli->quiet) {
        return;
    }
    fb_cli_say(cli,
               "%s: %ld elements exact, %ld approximated, %ld kept, %ld ignored, %ld warning%s",
               model->root->name, fb_report_exact(model, diag), diag->counts[FB_APPROXIMATED],
               diag->counts[FB_KEPT], diag->counts[FB_IGNORED], diag->counts[FB_WARNING],
               diag->counts[FB_WARNING] == 1 ? "" : "s");
}

static void look_closely(fb_cli *cli, const fb_model *model) {
    const char *folders[64];
    int n = 0;
    while (n < 64 && (folders[n] = fb_cli_values(cli, "geometry", n)) != NULL) {
        n++;
    }
    fb_model_check(model, &cli->diag);
    fb_meshes_check(model, folders, n, &cli->diag);
}

static int convert(fb_cli *cli) {
    double megabytes;
    if (!fb_cli_number(cli, "max-size", 0, 2000, 256, &megabytes)) {
        return FB_EXIT_USAGE;
    }
    const char *file = cli->n_operands ? cli->operands[0] : "-";
    fb_model *model;
    char sha[65];
    fb_status status = fb_cli_read_model(cli, file, (size_t)(megabytes * 1024 * 1024), &model, sha);
    if (status == FB_OK) {
        look_closely(cli, model);
        if (cli->diag.counts[FB_ERROR] > 0) {
            status = FB_E_INPUT;
        }
    }
    int code = fb_cli_report(cli, model, fb_exit_of(status));
    if (code == FB_EXIT_OK) {
        fb_cli_add_step(cli, model, file, sha);
        fb_output output;
        status = fb_cli_open(cli, cli->output, &output);
        if (status == FB_OK) {
            fb_document_write(model, &output.text);
            status = fb_cli_close(cli, cli->output, &output, true);
        }
        code = fb_exit_of(status);
        if (code == FB_EXIT_OK) {
            say_summary(cli, model);
        }
    }
    fb_model_free(model);
    return code;
}

int fb_osim2fb_main(int argc, char **argv, FILE *in, FILE *out, FILE *err) {
    fb_cli cli;
    int status = fb_cli_begin(&cli, &tool, argc, argv, in, out, err);
    if (status < 0) {
        status = convert(&cli);
    }
    return fb_cli_end(&cli, status);
}
