/* fbsim scale: a model scaled by factors that are given. */
#include <math.h>
#include <string.h>

#include "libcore/base/number.h"
#include "libcore/solve/scale.h"
#include "tools/fbsim_run.h"

#define MOST_FACTORS 64 /* no more options are read */

static const char *next_body(const void *context, int i) {
    const fb_list *bodies = context;
    return i < (int)bodies->n ? fb_osim_name(bodies->items[i]) : NULL;
}

/* "X" or "X,Y,Z". */
static bool read_numbers(const char *text, double *x) {
    const char *end = text + strlen(text);
    for (int i = 0; i < 3; i++) {
        if (!fb_number_scan(&text, end, &x[i]) || !(x[i] > 0) || !isfinite(x[i])) {
            return false;
        }
        if (i == 0 && text == end) {
            x[1] = x[2] = x[0];
            return true;
        }
        if (i < 2 && (text == end || *text++ != ',')) {
            return false;
        }
    }
    return text == end;
}

/* --factor BODY=X[,Y,Z]; BODY '*': all that are not named. */
static int read_factors(const fb_cli *cli, const fb_model *model, fb_body_scale *scales) {
    const fb_list *bodies = fb_model_items(model, "bodies");
    const char *text;
    for (size_t i = 0; i < bodies->n; i++) {
        scales[i] = (fb_body_scale){fb_osim_name(bodies->items[i]), {1, 1, 1}};
    }
    for (int pass = 0; pass < 2; pass++) { /* '*' first */
        for (int i = 0; i < MOST_FACTORS && (text = fb_cli_values(cli, "factor", i)); i++) {
            const char *equals = strrchr(text, '=');
            size_t n = equals ? (size_t)(equals - text) : 0, found = 0;
            bool all = n == 1 && *text == '*';
            double x[3];
            if (n == 0 || !read_numbers(equals + 1, x)) {
                fb_cli_say(cli, "--factor is BODY=FACTOR or BODY=X,Y,Z, above 0, not '%s'", text);
                return FB_EXIT_USAGE;
            }
            for (size_t k = 0; k < bodies->n; k++) {
                bool it = strlen(scales[k].body) == n && strncmp(scales[k].body, text, n) == 0;
                if (all ? pass == 0 : it && pass == 1) {
                    memcpy(scales[k].factor, x, sizeof x);
                }
                found += it;
            }
            if (!all && !found) {
                char name[256];
                snprintf(name, sizeof name, "%.*s", (int)n, text);
                const char *near = fb_nearest_word(name, next_body, bodies);
                fb_cli_say(cli, "the model has no body '%s'%s%s%s", name,
                           near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
                return FB_EXIT_INPUT;
            }
        }
    }
    return FB_EXIT_OK;
}

static fb_status write_model(fb_cli *cli, const fb_model *model) {
    fb_output output;
    fb_text text;
    fb_text_init(&text, NULL);
    fb_status status = fb_osim_write(model, FB_OSIM_WRITTEN, &text, &cli->diag);
    if (status == FB_OK) {
        status = fb_cli_open(cli, cli->output, &output);
    }
    if (status == FB_OK) {
        fb_text_add(&output.text, text.bytes, text.n);
        status = fb_cli_close(cli, cli->output, &output, true);
    }
    fb_text_free(&text);
    return status;
}

int fb_fbsim_scale(fb_cli *cli) {
    double megabytes;
    fb_scale_options options = {
        .preserve_mass_distribution = fb_cli_value(cli, "keep-mass-ratios") != NULL};
    if (!fb_fbsim_compat(cli, &options.as_opensim4) ||
        !fb_cli_number(cli, "max-size", 0, 2000, 256, &megabytes) ||
        !fb_cli_number(cli, "mass", 0, 1e6, 0, &options.mass)) {
        return FB_EXIT_USAGE;
    }
    const char *file = cli->n_operands > 1 ? cli->operands[1] : "-";
    char sha[65];
    fb_model *model = NULL;
    fb_status status = fb_cli_read_model(cli, file, (size_t)(megabytes * 1024 * 1024), &model, sha);
    int code = fb_exit_of(status), n = model ? (int)fb_model_items(model, "bodies")->n : 0;
    fb_body_scale *scales = fb_alloc((size_t)n * sizeof *scales + 1);
    if (status == FB_OK && !scales) {
        code = fb_exit_of(FB_E_MEMORY);
    } else if (status == FB_OK) {
        code = read_factors(cli, model, scales);
    }
    if (code == FB_EXIT_OK) {
        status = fb_scale_model(model, scales, n, &options, &cli->diag);
        if (status == FB_OK) {
            fb_cli_add_step(cli, model, file, sha);
            status = write_model(cli, model);
        }
        code = fb_exit_of(status);
    }
    fb_free(scales);
    code = fb_cli_report(cli, model, code);
    fb_model_free(model);
    return code;
}
