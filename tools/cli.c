#include "tools/cli.h"

#include <errno.h>
#include <getopt.h>
#include <nettle/sha2.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/report.h"
#include "libcore/base/number.h"
#include "libcore/version.h"

#define FEW 5         /* messages of one kind that are printed without --verbose */
#define NO_LETTER 256 /* getopt codes of options without a letter begin here */

static const fb_option common[] = {
    {'o', "output", "FILE", "write to FILE instead of standard output"},
    {0, "report", "FILE", "write what happened to each part, as JSON (FILE.html: a page)"},
    {0, "strict", NULL, "exit with status 4 if any part is approximated or ignored"},
    {'q', "quiet", NULL, "print errors only"},
    {'v', "verbose", NULL, "print every message, not only the first few of a kind"},
    {'h', "help", NULL, "show this help"},
    {'V', "version", NULL, "show the version"},
    {0, NULL, NULL, NULL},
};

int fb_exit_of(fb_status status) {
    switch (status) {
    case FB_OK: return FB_EXIT_OK;
    case FB_E_INPUT: return FB_EXIT_INPUT;
    case FB_E_UNSUPPORTED: return FB_EXIT_UNSUPPORTED;
    case FB_E_NUMERIC: return FB_EXIT_NUMERIC;
    case FB_E_OUTPUT: return FB_EXIT_OUTPUT;
    case FB_E_MEMORY: return FB_EXIT_INTERNAL;
    }
    return FB_EXIT_INTERNAL;
}

void fb_cli_say(const fb_cli *cli, const char *format, ...) {
    va_list args;
    fprintf(cli->err, "%s: ", cli->tool->name);
    va_start(args, format);
    vfprintf(cli->err, format, args);
    va_end(args);
    fputc('\n', cli->err);
}

/* ---- options -------------------------------------------------------------------------------- */

static void print_options(FILE *out, const fb_option *options) {
    for (; options->name; options++) {
        char left[80];
        snprintf(left, sizeof left, "%c%c%s --%s%s%s", options->letter ? '-' : ' ',
                 options->letter ? options->letter : ' ', options->letter ? "," : " ",
                 options->name, options->argument ? " " : "",
                 options->argument ? options->argument : "");
        fprintf(out, "  %-26s %s\n", left, options->help);
    }
}

static void print_help(const fb_tool *tool, FILE *out) {
    fprintf(out, "usage: %s [options] %s\n\n%s\n\noptions:\n", tool->name, tool->operands,
            tool->summary);
    print_options(out, tool->options);
    print_options(out, common);
    fprintf(out,
            "\nexit status: 0 done; 1 done, but the answer is no; 2 usage; 3 input unreadable or\n"
            "invalid; 4 something unsupported that matters; 5 numerical failure; 6 output error;\n"
            "70 internal.\n\nexamples:\n%s",
            tool->examples);
}

/* The tables as getopt wants them; returns the number of entries. */
static int fill_getopt(const fb_tool *tool, struct option *all, const fb_option **which,
                       char *letters) {
    const fb_option *tables[2] = {tool->options, common};
    int n = 0;
    char *letter = letters;
    *letter++ = ':';
    for (int t = 0; t < 2; t++) {
        for (const fb_option *o = tables[t]; o->name; o++) {
            which[n] = o;
            all[n] = (struct option){o->name, o->argument ? required_argument : no_argument, NULL,
                                     NO_LETTER + n};
            if (o->letter) {
                *letter++ = o->letter;
                if (o->argument) {
                    *letter++ = ':';
                }
            }
            n++;
        }
    }
    *letter = 0;
    all[n] = (struct option){0};
    return n;
}

static int usage(fb_cli *cli, const char *what, const char *detail) {
    fb_cli_say(cli, "%s%s; '%s --help' shows what there is", what, detail, cli->tool->name);
    return FB_EXIT_USAGE;
}

/* Acts on one option; -1 to go on. */
static int take_option(fb_cli *cli, const fb_option *option, const char *value) {
    if (strcmp(option->name, "help") == 0) {
        print_help(cli->tool, cli->out);
        return fflush(cli->out) ? FB_EXIT_OUTPUT : FB_EXIT_OK;
    }
    if (strcmp(option->name, "version") == 0) {
        fprintf(cli->out, "%s (fbtools) %s\n", cli->tool->name, FB_VERSION);
        return fflush(cli->out) ? FB_EXIT_OUTPUT : FB_EXIT_OK;
    }
    if (strcmp(option->name, "output") == 0) {
        cli->output = value;
    } else if (strcmp(option->name, "report") == 0) {
        cli->report = value;
    } else if (strcmp(option->name, "strict") == 0) {
        cli->strict = true;
    } else if (strcmp(option->name, "quiet") == 0) {
        cli->quiet = true;
    } else if (strcmp(option->name, "verbose") == 0) {
        cli->verbose = true;
    } else {
        if (cli->n_given == (int)(sizeof cli->given / sizeof cli->given[0])) {
            return usage(cli, "too many options", "");
        }
        cli->given[cli->n_given].option = option;
        cli->given[cli->n_given++].value = value ? value : "";
    }
    return -1;
}

static bool is_same_file(const char *a, const char *b) {
    struct stat x, y;
    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino &&
           S_ISREG(x.st_mode);
}

/* Two names of one file that need not be there yet. */
static bool is_same_place(const char *a, const char *b) {
    const char *slash_a = strrchr(a, '/'), *slash_b = strrchr(b, '/');
    const char *base_a = slash_a ? slash_a + 1 : a, *base_b = slash_b ? slash_b + 1 : b;
    char folder_a[4096], folder_b[4096];
    snprintf(folder_a, sizeof folder_a, "%.*s.", (int)(base_a - a), a);
    snprintf(folder_b, sizeof folder_b, "%.*s.", (int)(base_b - b), b);
    struct stat x, y;
    return is_same_file(a, b) ||
           (strcmp(base_a, base_b) == 0 && stat(folder_a, &x) == 0 && stat(folder_b, &y) == 0 &&
            x.st_dev == y.st_dev && x.st_ino == y.st_ino);
}

/* Whether a file that is written would go over something that is read. */
static bool spoils_input(const fb_cli *cli, const char *file) {
    static const char *const inputs[] = {"diff",           "states", "against",  "model",
                                         "external-loads", "spec",   "measured", "motion"};
    for (int i = 0; i < cli->n_operands; i++) {
        if (is_same_file(file, cli->operands[i])) {
            return true;
        }
    }
    for (size_t i = 0; i < sizeof inputs / sizeof inputs[0]; i++) {
        const char *input;
        for (int k = 0; (input = fb_cli_values(cli, inputs[i], k)); k++) {
            if (is_same_file(file, input)) {
                return true;
            }
        }
    }
    struct stat in, out;
    return fstat(fileno(cli->in), &in) == 0 && S_ISREG(in.st_mode) && stat(file, &out) == 0 &&
           in.st_dev == out.st_dev && in.st_ino == out.st_ino;
}

int fb_cli_begin(fb_cli *cli, const fb_tool *tool, int argc, char **argv, FILE *in, FILE *out,
                 FILE *err) {
    memset(cli, 0, sizeof *cli);
    cli->tool = tool;
    cli->in = in;
    cli->out = out;
    cli->err = err;
    cli->argc = argc;
    cli->argv = argv;
    fb_diag_init(&cli->diag);
    struct option all[64];
    const fb_option *which[64];
    char letters[140];
    int n = fill_getopt(tool, all, which, letters), code;
    optind = 0; /* GNU: start afresh, also when called again */
    opterr = 0;
    while ((code = getopt_long(argc, argv, letters, all, NULL)) != -1) {
        if (code == ':') {
            return usage(cli, "an argument is missing after ", argv[optind - 1]);
        }
        if (code == '?') {
            return usage(cli, "no such option: ", argv[optind - 1]);
        }
        const fb_option *option = code >= NO_LETTER ? which[code - NO_LETTER] : NULL;
        for (int i = 0; i < n && !option; i++) {
            if (which[i]->letter == code) {
                option = which[i];
            }
        }
        int status = take_option(cli, option, optarg);
        if (status >= 0) {
            return status;
        }
    }
    for (; optind < argc; optind++) {
        if (cli->n_operands == tool->max_operands) {
            return usage(cli, "one operand too many: ", argv[optind]);
        }
        cli->operands[cli->n_operands++] = argv[optind];
    }
    if (cli->report && spoils_input(cli, cli->report)) {
        return usage(cli, "--report would overwrite the input: ", cli->report);
    }
    if (cli->output && spoils_input(cli, cli->output)) {
        return usage(cli, "--output would overwrite the input: ", cli->output);
    }
    if (cli->report && cli->output && is_same_place(cli->report, cli->output)) {
        return usage(cli, "--report and --output name the same file: ", cli->report);
    }
    return -1;
}

const char *fb_cli_values(const fb_cli *cli, const char *name, int i) {
    for (int j = 0; j < cli->n_given; j++) {
        if (strcmp(cli->given[j].option->name, name) == 0 && i-- == 0) {
            return cli->given[j].value;
        }
    }
    return NULL;
}

const char *fb_cli_value(const fb_cli *cli, const char *name) {
    for (int j = cli->n_given - 1; j >= 0; j--) {
        if (strcmp(cli->given[j].option->name, name) == 0) {
            return cli->given[j].value;
        }
    }
    return NULL;
}

/* What is written in one piece after the other: streams and devices. */
static bool is_stream(const char *file) {
    struct stat info;
    return strcmp(file, "-") != 0 && stat(file, &info) == 0 && !S_ISREG(info.st_mode);
}

bool fb_cli_separate(fb_cli *cli, const char *const *names) {
    for (const char *const *name = names; *name; name++) {
        const char *file = fb_cli_value(cli, *name);
        if (!file) {
            continue;
        }
        if (spoils_input(cli, file)) {
            fb_cli_say(cli, "--%s would overwrite the input: %s", *name, file);
            return false;
        }
        const char *other = cli->output ? cli->output : "-", *whose = "output";
        for (const char *const *next = name; *next; next++) { /* the output, then later ones */
            if (next > name) {
                other = fb_cli_value(cli, *next);
                whose = *next;
            }
            if (other && !is_stream(file) && is_same_place(file, other)) {
                fb_cli_say(cli, "--%s and --%s name the same file: %s", *name, whose, file);
                return false;
            }
        }
        if (cli->report && !is_stream(file) && is_same_place(file, cli->report)) {
            fb_cli_say(cli, "--%s and --report name the same file: %s", *name, file);
            return false;
        }
    }
    return true;
}

bool fb_cli_number(fb_cli *cli, const char *name, double low, double high, double missing,
                   double *x) {
    const char *text = fb_cli_value(cli, name);
    *x = missing;
    if (!text) {
        return true;
    }
    if (fb_number_parse(text, strlen(text), x) && *x >= low && *x <= high) {
        return true;
    }
    fb_cli_say(cli, "--%s must be a number from %g to %g, got '%s'", name, low, high, text);
    return false;
}

/* ---- messages and the report ---------------------------------------------------------------- */

static void print_record(FILE *err, const fb_record *record) {
    if (record->file) {
        fprintf(err, "%s:", record->file);
    }
    if (record->line) {
        fprintf(err, "%d:", record->line);
    }
    fprintf(err, "%s%s: %s [%s]\n", record->file ? " " : "",
            record->action == FB_ERROR     ? "error"
            : record->action == FB_WARNING ? "warning"
                                           : fb_action_word(record->action),
            record->message, fb_diag_name(record->id));
}

static void print_records(const fb_cli *cli) {
    const fb_diag *diag = &cli->diag;
    int shown[FB_DIAG_ID_COUNT] = {0}, hidden = 0;
    for (size_t i = 0; i < diag->n; i++) {
        const fb_record *record = &diag->records[i];
        if (cli->quiet && record->action != FB_ERROR) {
            continue;
        }
        if (shown[record->id]++ < FEW || cli->verbose) {
            print_record(cli->err, record);
        } else {
            hidden++;
        }
    }
    long all = 0;
    for (int i = 0; i < FB_ACTION_COUNT; i++) {
        all += i == FB_EXACT ? 0 : diag->counts[i];
    }
    if (all > (long)diag->n) {
        fprintf(cli->err, "%s: %ld messages were too many to keep\n", cli->tool->name,
                all - (long)diag->n);
    }
    if (hidden) {
        fprintf(cli->err,
                "%s: %d more messages like these; --verbose or --report FILE shows them all\n",
                cli->tool->name, hidden);
    }
}

static bool ends_with(const char *text, const char *end) {
    size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

static const char *input_name(const fb_cli *cli) {
    const char *name = cli->n_operands ? cli->operands[0] : "-";
    return strcmp(name, "-") == 0 ? "<stdin>" : name;
}

static fb_status write_report(fb_cli *cli, const fb_model *model) {
    fb_output output;
    fb_status status = fb_cli_open(cli, cli->report, &output);
    if (status != FB_OK) {
        return status;
    }
    (ends_with(cli->report, ".html")
         ? fb_report_html
         : fb_report_json)(&output.text, cli->tool->name, input_name(cli), model, &cli->diag);
    return fb_cli_close(cli, cli->report, &output, true);
}

int fb_cli_end(fb_cli *cli, int status) {
    if (cli->diag.out_of_memory && status == FB_EXIT_OK) {
        status = FB_EXIT_INTERNAL;
    }
    print_records(cli);
    fb_diag_clear(&cli->diag);
    return status;
}

int fb_cli_report(fb_cli *cli, const fb_model *model, int status) {
    if (cli->report && write_report(cli, model) != FB_OK && status == FB_EXIT_OK) {
        status = FB_EXIT_OUTPUT;
    }
    long bad = cli->diag.counts[FB_APPROXIMATED] + cli->diag.counts[FB_IGNORED];
    if (status == FB_EXIT_OK && cli->strict && bad > 0) {
        fb_cli_say(cli, "--strict: %ld part%s approximated or ignored", bad,
                   bad == 1 ? " is" : "s are");
        status = FB_EXIT_UNSUPPORTED;
    }
    return status;
}

/* ---- input ---------------------------------------------------------------------------------- */

static void hash(const char *bytes, size_t size, char *sha) {
    struct sha256_ctx context;
    uint8_t digest[SHA256_DIGEST_SIZE];
    sha256_init(&context);
    sha256_update(&context, size, (const uint8_t *)bytes);
    sha256_digest(&context, sizeof digest, digest);
    for (size_t i = 0; i < sizeof digest; i++) {
        sprintf(sha + 2 * i, "%02x", digest[i]);
    }
}

fb_status fb_cli_read_model(fb_cli *cli, const char *file, size_t max_bytes, fb_model **model,
                            char *sha) {
    char *bytes;
    size_t size;
    *model = NULL;
    bool standard = !file || strcmp(file, "-") == 0;
    fb_status status = standard ? fb_read_stream(cli->in, "<stdin>", max_bytes, &bytes, &size,
                                                 &cli->diag)
                                : fb_read_file(file, max_bytes, &bytes, &size, &cli->diag);
    if (status != FB_OK) {
        return status;
    }
    if (sha) {
        hash(bytes, size, sha);
    }
    return fb_model_read(model, bytes, size, standard ? "<stdin>" : file, max_bytes, &cli->diag);
}

void fb_cli_add_step(fb_cli *cli, fb_model *model, const char *input, const char *sha) {
    fb_text text;
    fb_text_init(&text, NULL);
    fb_text_puts(&text, "{\"tool\": ");
    fb_json_string(&text, cli->tool->name);
    fb_text_puts(&text, ", \"version\": ");
    fb_json_string(&text, FB_VERSION);
    fb_text_puts(&text, ", \"options\": [");
    for (int i = 0; i < cli->n_given; i++) {
        char option[256];
        snprintf(option, sizeof option, "--%s%s%s", cli->given[i].option->name,
                 cli->given[i].option->argument ? "=" : "", cli->given[i].value);
        if (i) {
            fb_text_puts(&text, ", ");
        }
        fb_json_string(&text, option);
    }
    fb_text_puts(&text, "], \"input\": ");
    fb_json_string(&text, input ? fb_path_name(input) : "-");
    fb_text_puts(&text, ", \"sha256\": ");
    fb_json_string(&text, sha);
    fb_text_puts(&text, "}");
    const char *json = fb_text_string(&text);
    jmp_buf oom;
    if (setjmp(oom)) {
        cli->diag.out_of_memory = 1;
    } else if (json) {
        model->arena.oom = &oom;
        fb_model_add_step(model, json);
    } else {
        cli->diag.out_of_memory = 1;
    }
    model->arena.oom = NULL;
    fb_text_free(&text);
}

/* ---- output --------------------------------------------------------------------------------- */

static fb_status output_failed(fb_cli *cli, const char *file, int error) {
    if (error == EPIPE) { /* who reads has had enough */
        return FB_E_OUTPUT;
    }
    fb_diag_add(&cli->diag, FB_ERROR, FB3001, (fb_place){file ? file : "<stdout>", 0, NULL, NULL},
                NULL, "cannot be written: %s", strerror(error ? error : EIO));
    return FB_E_OUTPUT;
}

static bool is_link(const char *file) {
    struct stat info;
    return lstat(file, &info) == 0 && S_ISLNK(info.st_mode);
}

/* A new file beside `file`, to be renamed to it; plain files and new names only. */
/* What is half written when a signal ends the process; one output is open at a time. */
static char *volatile unfinished;

static void clean_up(int number) {
    char *file = unfinished;
    if (file) {
        unlink(file);
    }
    signal(number, SIG_DFL);
    raise(number);
}

/* Remembers a temporary file, NULL for none. Signals that are ignored stay so. */
static void remember(char *temporary) {
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    unfinished = temporary;
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        struct sigaction old;
        void (*from)(int) = temporary ? SIG_DFL : clean_up;
        if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler == from) {
            signal(signals[i], temporary ? clean_up : SIG_DFL);
        }
    }
}

static FILE *open_temporary(const char *file, char **name) {
    struct stat info;
    bool exists = stat(file, &info) == 0;
    if (exists && (!S_ISREG(info.st_mode) || is_link(file))) {
        return fopen(file, "wb"); /* a device, a pipe or a link: written as it is */
    }
    size_t n = strlen(file);
    char *temporary = fb_alloc(n + 8);
    if (!temporary) {
        errno = ENOMEM;
        return NULL;
    }
    memcpy(temporary, file, n);
    memcpy(temporary + n, ".XXXXXX", 8);
    int fd = mkstemp(temporary);
    FILE *stream = fd < 0 ? NULL : fdopen(fd, "wb");
    if (!stream) {
        int error = errno;
        if (fd >= 0) {
            close(fd);
            unlink(temporary);
        }
        fb_free(temporary);
        errno = error;
        return NULL;
    }
    mode_t mask = umask(0);
    umask(mask);
    /* the mode of the file that is replaced, or that of a new one */
    if (fchmod(fd, exists ? info.st_mode & 07777 : 0666 & ~mask) != 0) {
        int error = errno;
        fclose(stream);
        unlink(temporary);
        fb_free(temporary);
        errno = error;
        return NULL;
    }
    *name = temporary;
    remember(temporary);
    return stream;
}

fb_status fb_cli_open(fb_cli *cli, const char *file, fb_output *output) {
    memset(output, 0, sizeof *output);
    if (!file || strcmp(file, "-") == 0) {
        output->file = cli->out;
    } else {
        output->file = open_temporary(file, &output->temporary);
        if (!output->file) {
            return output_failed(cli, file, errno);
        }
    }
    fb_text_init(&output->text, output->file);
    return FB_OK;
}

fb_status fb_cli_close(fb_cli *cli, const char *file, fb_output *output, bool keep) {
    fb_status status = keep ? fb_text_flush(&output->text) : FB_OK;
    int error = output->text.error;
    errno = 0;
    if (status == FB_OK && fflush(output->file) != 0) {
        status = FB_E_OUTPUT;
        error = errno;
    }
    fb_text_free(&output->text);
    bool standard = output->file == cli->out;
    if (!standard && fclose(output->file) != 0 && status == FB_OK) {
        status = FB_E_OUTPUT;
        error = errno;
    }
    if (output->temporary) {
        if (status == FB_OK && keep && rename(output->temporary, file) != 0) {
            status = FB_E_OUTPUT;
            error = errno;
        }
        if (status != FB_OK || !keep) {
            unlink(output->temporary);
        }
        remember(NULL);
        fb_free(output->temporary);
    }
    if (status == FB_E_MEMORY) {
        fb_diag_add(&cli->diag, FB_ERROR, FB1003, (fb_place){file, 0, NULL, NULL}, NULL,
                    "out of memory");
    }
    return status == FB_E_OUTPUT ? output_failed(cli, standard ? NULL : file, error) : status;
}
