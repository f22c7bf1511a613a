/* fb2osim: models to OpenSim files. */
#include <string.h>

#include "tools/fb2osim.h"

static const fb_option options[] = {
    {0, "to", "VERSION", "document version to write: 40500 (the default) or 40000"},
    {0, "bundles", "K", "each muscle with bundles (of fbgen) as K sub-muscles"},
    {0, "max-size", "MB", "refuse larger files; 256 unless given"},
    {0, NULL, NULL, NULL},
};

static const fb_tool tool = {
    .name = "fb2osim",
    .summary = "Writes a model as an OpenSim file. What OpenSim has no word for travels in it as a "
               "comment\n"
               "that OpenSim skips and osim2fb reads back.",
    .operands = "[MODEL]",
    .max_operands = 1,
    .options = options,
    .examples = "  fb2osim arm.fb -o arm.osim\n"
                "  fb2osim --to 40000 --report cost.json arm.fb -o arm40.osim\n"
                "  fbgen leg.osim | fb2osim --bundles 4 -o leg4.osim\n",
};

static int convert(fb_cli *cli) {
    const char *to = fb_cli_value(cli, "to");
    int version = !to || strcmp(to, "40500") == 0 ? 40500 : strcmp(to, "40000") == 0 ? 40000 : 0;
    double megabytes, bundles;
    if (!version) {
        fb_cli_say(cli, "--to must be 40500 or 40000, got '%s'", to);
        return FB_EXIT_USAGE;
    }
    if (!fb_cli_number(cli, "max-size", 0, 2000, 256, &megabytes)) {
        return FB_EXIT_USAGE;
    }
    if (!fb_cli_number(cli, "bundles", 1, 1000, 0, &bundles)) {
        return FB_EXIT_USAGE;
    }
    if (bundles != (int)bundles) {
        fb_cli_say(cli, "--bundles is a whole number, got '%s'", fb_cli_value(cli, "bundles"));
        return FB_EXIT_USAGE;
    }
    const char *file = cli->n_operands ? cli->operands[0] : "-";
    fb_model *model;
    char sha[65];
    fb_status status = fb_cli_read_model(cli, file, (size_t)(megabytes * 1024 * 1024), &model, sha);
    fb_text text;
    fb_text_init(&text, NULL);
    if (status == FB_OK && bundles > 0) {
        status = fb_fb2osim_bundles(cli, model, (int)bundles);
    }
    if (status == FB_OK) {
        fb_cli_add_step(cli, model, file, sha);
        status = fb_osim_write(model, version, &text, &cli->diag);
    }
    int code = fb_cli_report(cli, model, fb_exit_of(status));
    if (code == FB_EXIT_OK) {
        fb_output output;
        status = fb_cli_open(cli, cli->output, &output);
        if (status == FB_OK) {
            fb_text_add(&output.text, text.bytes, text.n);
            status = fb_cli_close(cli, cli->output, &output, true);
        }
        code = fb_exit_of(status);
    }
    fb_text_free(&text);
    fb_model_free(model);
    return code;
}

int fb_fb2osim_main(int argc, char **argv, FILE *in, FILE *out, FILE *err) {
    fb_cli cli;
    int status = fb_cli_begin(&cli, &tool, argc, argv, in, out, err);
    if (status < 0) {
        status = convert(&cli);
    }
    return fb_cli_end(&cli, status);
}
