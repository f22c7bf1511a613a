/* The command line that all tools share: options from one table, streams, messages, exit statuses.
 *
 * A tool is a function fb_<tool>_main(argc, argv, in, out, err) that returns the exit status; a
 * main of three lines calls it, and so do tests. Nothing in a tool calls exit or keeps global
 * state. */
#ifndef FB_TOOLS_CLI_H
#define FB_TOOLS_CLI_H

#include <stdbool.h>
#include <stdio.h>

#include "formats/fb.h"
#include "formats/osim.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Exit statuses, the same in every tool. */
enum {
    FB_EXIT_OK = 0,
    FB_EXIT_NO = 1, /* done, but the answer is no */
    FB_EXIT_USAGE = 2,
    FB_EXIT_INPUT = 3,       /* input unreadable or invalid */
    FB_EXIT_UNSUPPORTED = 4, /* something unsupported that matters */
    FB_EXIT_NUMERIC = 5,
    FB_EXIT_OUTPUT = 6,
    FB_EXIT_INTERNAL = 70
};
int fb_exit_of(fb_status status);

/* One option of a tool. */
typedef struct fb_option {
    char letter;          /* 0: none */
    const char *name;     /* long name */
    const char *argument; /* what it takes, in capitals; NULL: nothing */
    const char *help;     /* one line */
} fb_option;

typedef struct fb_tool {
    const char *name;
    const char *summary;  /* one sentence */
    const char *operands; /* "[MODEL]" */
    int max_operands;
    const fb_option
        *options;         /* its own, ending with a NULL name; those of every tool come besides */
    const char *examples; /* lines of shell, each ending with \n */
} fb_tool;

/* What the user said. */
typedef struct fb_cli {
    const fb_tool *tool;
    FILE *in, *out, *err;
    int argc;
    char **argv;
    const char *output; /* -o, or NULL for standard output */
    const char *report; /* --report, or NULL */
    bool strict, quiet, verbose;
    const char *operands[64];
    int n_operands;
    fb_diag diag;
    struct {
        const fb_option *option;
        const char *value;
    } given[64]; /* the tool's own options in their order */
    int n_given;
} fb_cli;

/* Parses the command line. Returns -1 to go on, else the exit status to end with (--help,
 * --version, wrong usage). Call fb_cli_end in either case. */
int fb_cli_begin(fb_cli *cli, const fb_tool *tool, int argc, char **argv, FILE *in, FILE *out,
                 FILE *err);
/* Writes the report of --report, and applies --strict; returns the exit status. `model` may be
 * NULL. */
int fb_cli_report(fb_cli *cli, const fb_model *model, int status);
/* Prints the messages; returns the exit status. */
int fb_cli_end(fb_cli *cli, int status);

/* The last value of an option of the tool, "" for one without argument, NULL if it was not given.
 */
const char *fb_cli_value(const fb_cli *cli, const char *name);
/* The i-th value of an option that may be given several times, or NULL. */
const char *fb_cli_values(const fb_cli *cli, const char *name, int i);
/* A message on standard error: "tool: ...". */
void fb_cli_say(const fb_cli *cli, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The number an option has, in bounds; false with a message otherwise. `missing` if it is not
 * given. */
bool fb_cli_number(fb_cli *cli, const char *name, double low, double high, double missing,
                   double *x);

/* Whether the files of these options, which a tool writes beside its output (a list that ends with
 * NULL), are neither what it reads nor each other, the output or the report; a message if not. */
bool fb_cli_separate(fb_cli *cli, const char *const *names);

/* Reads the model named by an operand ("-" or NULL: standard input). The SHA-256 of what was read
 * goes to `sha`, 65 bytes, unless NULL. */
fb_status fb_cli_read_model(fb_cli *cli, const char *file, size_t max_bytes, fb_model **model,
                            char *sha);
/* Adds a step to the model: this tool, its options, the input's name and SHA-256. */
void fb_cli_add_step(fb_cli *cli, fb_model *model, const char *input, const char *sha);

/* Output that appears whole or not at all: a temporary file beside -o FILE that is renamed, or
 * standard output. fb_cli_close returns FB_E_OUTPUT with a record if anything failed. */
typedef struct fb_output {
    FILE *file;
    char *temporary; /* NULL: standard output, or no plain file */
    fb_text text;
} fb_output;
fb_status fb_cli_open(fb_cli *cli, const char *file, fb_output *output);
fb_status fb_cli_close(fb_cli *cli, const char *file, fb_output *output, bool keep);

/* The tools. */
int fb_osim2fb_main(int argc, char **argv, FILE *in, FILE *out, FILE *err);
int fb_fb2osim_main(int argc, char **argv, FILE *in, FILE *out, FILE *err);
int fb_fbinfo_main(int argc, char **argv, FILE *in, FILE *out, FILE *err);
int fb_fbgen_main(int argc, char **argv, FILE *in, FILE *out, FILE *err);
int fb_retarget_main(int argc, char **argv, FILE *in, FILE *out, FILE *err);
int fb_fbsim_main(int argc, char **argv, FILE *in, FILE *out, FILE *err);
int fb_fbplot_main(int argc, char **argv, FILE *in, FILE *out, FILE *err);

#ifdef __cplusplus
}
#endif
#endif
