/* What all tools share: options, streams, exit statuses, messages, output that is whole or not
 * there. */
#include "tools/cli.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/help.h"

#define ELBOW "models/elbow/elbow.osim"

static const struct {
    const char *name;
    fb_tool_main *main;
} tools[] = {{"osim2fb", fb_osim2fb_main},
             {"fb2osim", fb_fb2osim_main},
             {"fbinfo", fb_fbinfo_main}};
#define N_TOOLS 3

/* Runs every tool with the same arguments, and checks status and messages. */
static void run_all(const char *input, const char *a, const char *b, int status, const char *err) {
    for (int i = 0; i < N_TOOLS; i++) {
        const char *args[] = {tools[i].name, a, b, NULL};
        fb_run run = fb_test_run(tools[i].main, input, args);
        FB_TRUE(run.status == status, "%s %s %s: status %d, want %d: %s", tools[i].name, a ? a : "",
                a && b ? b : "", run.status, status, run.err);
        if (err) {
            FB_HOLDS(run.err, err);
        }
        if (status != 0) {
            FB_EQUAL_STR(run.out, "");
        }
        fb_run_free(&run);
    }
}

static void help_and_version_go_to_standard_output(void) {
    static const char *const options[] = {"--help", "-h", "--version", "-V"};
    for (int i = 0; i < N_TOOLS; i++) {
        for (int k = 0; k < 4; k++) {
            fb_run run = FB_RUN(tools[i].main, NULL, tools[i].name, options[k]);
            FB_EQUAL_INT(run.status, 0);
            FB_EQUAL_STR(run.err, "");
            FB_HOLDS(run.out, tools[i].name);
            if (k < 2) {
                static const char *const parts[] = {"usage: ",       "exit status: 0 done",
                                                    "examples:",     "--output FILE",
                                                    "--report FILE", "--strict",
                                                    "--quiet",       "--verbose",
                                                    "--help",        "--version",
                                                    "70 internal"};
                for (int p = 0; p < 11; p++) {
                    FB_HOLDS(run.out, parts[p]);
                }
                for (const char *line = run.out; line;
                     line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
                    FB_TRUE(strcspn(line, "\n") <= 100, "a line of %zu columns: %.60s",
                            strcspn(line, "\n"), line);
                }
            } else {
                FB_TRUE(strchr(run.out, '\n') == run.out + strlen(run.out) - 1, "one line");
                FB_HOLDS(run.out, "(fbtools) ");
            }
            fb_run_free(&run);
        }
    }
}

static void wrong_usage_is_told(void) {
    run_all(NULL, "--no-such-option", NULL, FB_EXIT_USAGE, "no such option: --no-such-option");
    run_all(NULL, "-Z", NULL, FB_EXIT_USAGE, "no such option");
    run_all(NULL, "-o", NULL, FB_EXIT_USAGE, "an argument is missing after -o");
    run_all(NULL, "--report", NULL, FB_EXIT_USAGE, "an argument is missing after --report");
    run_all(NULL, "a.osim", "b.osim", FB_EXIT_USAGE, "one operand too many: b.osim");
    run_all(NULL, "--strict=yes", NULL, FB_EXIT_USAGE, "--strict");
    run_all(NULL, "--max-size=many", ELBOW, FB_EXIT_USAGE,
            "--max-size must be a number from 0 to 2000, got 'many'");
    run_all(NULL, "--max-size=-1", ELBOW, FB_EXIT_USAGE, "got '-1'");
    run_all(NULL, "--max-size=nan", ELBOW, FB_EXIT_USAGE, "got 'nan'");
    run_all(NULL, "--max-size=1,5", ELBOW, FB_EXIT_USAGE, "got '1,5'");
}

static void usage_messages_begin_with_the_tool(void) {
    for (int i = 0; i < N_TOOLS; i++) {
        fb_run run = FB_RUN(tools[i].main, NULL, tools[i].name, "--odd");
        FB_TRUE(strncmp(run.err, tools[i].name, strlen(tools[i].name)) == 0, "%s", run.err);
        FB_HOLDS(run.err, "--help' shows what there is");
        fb_run_free(&run);
    }
}

static void long_options_may_be_cut_and_operands_may_follow_two_dashes(void) {
    fb_run run = FB_RUN(fb_osim2fb_main, NULL, "osim2fb", "--qui", "--", ELBOW);
    FB_EQUAL_INT(run.status, 0);
    FB_EQUAL_STR(run.err, "");
    fb_run_free(&run);
    run_all(NULL, "--", "--help", FB_EXIT_INPUT, "--help: error:");
}

/* ---- inputs ---------------------------------------------------------------------------------- */

static void inputs_that_cannot_be_read_are_told(void) {
    run_all(NULL, "no/such/file.osim", NULL, FB_EXIT_INPUT,
            "no/such/file.osim: error: No such file or directory [FB1001]");
    run_all(NULL, "models", NULL, FB_EXIT_INPUT,
            "models: error: this is a directory, not a file [FB1001]");
    run_all(NULL, "", NULL, FB_EXIT_INPUT, "[FB1001]");
    run_all("", NULL, NULL, FB_EXIT_INPUT, "<stdin>: error: the file is empty [FB1004]");
    run_all("", "-", NULL, FB_EXIT_INPUT, "<stdin>: error: the file is empty [FB1004]");
    run_all("hello", NULL, NULL, FB_EXIT_INPUT, "<stdin>:1: error: not well-formed XML");
    run_all("<html/>", NULL, NULL, FB_EXIT_INPUT, "<stdin>:1: error: not an OpenSim model");
    run_all("{\"fb\": \"9.0\"}", NULL, NULL, FB_EXIT_INPUT, "[FB1302]");
    run_all("\x1f\x8b\x08 not text", NULL, NULL, FB_EXIT_INPUT, "[FB1101]");
}

static void unreadable_files_are_told(void) {
    if (geteuid() == 0) {
        puts("    (root may read everything: skipped)");
        return;
    }
    const char *file = fb_test_path(fb_test_folder(), "secret.osim");
    fb_test_write_file(file, "<Model/>", 8);
    chmod(file, 0);
    run_all(NULL, file, NULL, FB_EXIT_INPUT, "Permission denied [FB1001]");
}

static void large_files_are_refused(void) {
    run_all(NULL, "--max-size=0.001", ELBOW, FB_EXIT_INPUT,
            ELBOW ": error: the file is larger than");
    run_all(NULL, "--max-size=0.001", ELBOW, FB_EXIT_INPUT, "[FB1002]");
    char *large = malloc(3000001);
    memset(large, ' ', 3000000);
    large[3000000] = 0;
    run_all(large, "--max-size=1", NULL, FB_EXIT_INPUT,
            "<stdin>: error: the file is larger than 1 MB; --max-size MB allows more [FB1002]");
    free(large);
    run_all(NULL, "--max-size=1", ELBOW, FB_EXIT_OK, NULL);
}

static void small_inputs_from_pipes_can_be_too_large(void) {
    static const struct {
        const char *option;
        int status;
    } cases[] = {{"--max-size=0.00001", FB_EXIT_INPUT}, {"--max-size=0.0001", FB_EXIT_OK}};
    for (int i = 0; i < 2 * N_TOOLS; i++) {
        int ends[2];
        if (pipe(ends) != 0) {
            return;
        }
        FB_EQUAL_INT(write(ends[1], "<Model name=\"m\"/>", 17), 17);
        close(ends[1]);
        FILE *in = fdopen(ends[0], "rb"), *out = tmpfile(), *err = tmpfile();
        char *argv[] = {(char *)(size_t)tools[i / 2].name, (char *)(size_t)cases[i % 2].option,
                        NULL};
        FB_EQUAL_INT(tools[i / 2].main(2, argv, in, out, err), cases[i % 2].status);
        FB_TRUE(cases[i % 2].status == FB_EXIT_OK || ftell(out) == 0, "nothing is written");
        fclose(in);
        fclose(out);
        fclose(err);
    }
}

static void endless_inputs_are_refused(void) {
    struct stat info;
    if (stat("/dev/zero", &info) == 0) {
        run_all(NULL, "--max-size=2", "/dev/zero", FB_EXIT_INPUT, "[FB1002]");
    }
}

/* ---- outputs --------------------------------------------------------------------------------- */

/* Runs a tool whose output goes to a stream of our own. */
static int run_to(fb_tool_main *tool, const char *name, FILE *out, char **err) {
    char *argv[] = {(char *)(size_t)name, (char *)(size_t)ELBOW, NULL};
    FILE *in = tmpfile(), *messages = tmpfile();
    int status = tool(2, argv, in, out, messages);
    static char text[4000];
    rewind(messages);
    text[fread(text, 1, sizeof text - 1, messages)] = 0;
    *err = text;
    fclose(in);
    fclose(messages);
    return status;
}

static void a_full_disk_is_told(void) {
    for (int i = 0; i < N_TOOLS; i++) {
        FILE *full = fopen("/dev/full", "wb");
        if (!full) {
            return;
        }
        char *err;
        FB_EQUAL_INT(run_to(tools[i].main, tools[i].name, full, &err), FB_EXIT_OUTPUT);
        FB_HOLDS(err, "<stdout>: error: cannot be written: No space left on device [FB3001]");
        fclose(full);
        fb_run run = FB_RUN(tools[i].main, NULL, tools[i].name, ELBOW, "-o", "/dev/full");
        FB_EQUAL_INT(run.status, FB_EXIT_OUTPUT);
        FB_HOLDS(run.err, "/dev/full: error: cannot be written: No space left on device [FB3001]");
        fb_run_free(&run);
        full = fopen("/dev/full", "wb");
        char *argv[] = {(char *)(size_t)tools[i].name, (char *)(size_t) "--help", NULL};
        FB_EQUAL_INT(tools[i].main(2, argv, stdin, full, stderr), FB_EXIT_OUTPUT);
        fclose(full);
    }
}

static void a_closed_pipe_is_an_error_without_a_message(void) {
    signal(SIGPIPE, SIG_IGN);
    for (int i = 0; i < N_TOOLS; i++) {
        int ends[2];
        if (pipe(ends) != 0) {
            return;
        }
        close(ends[0]);
        FILE *out = fdopen(ends[1], "wb");
        char *err;
        FB_EQUAL_INT(run_to(tools[i].main, tools[i].name, out, &err), FB_EXIT_OUTPUT);
        FB_TRUE(strstr(err, "FB3001") == NULL, "who reads has had enough: %s", err);
        fclose(out);
    }
}

/* A process that is ended while it writes leaves nothing beside its output. */
static void signals_leave_no_temporary_file(void) {
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < 3; i++) {
        const char *folder = fb_test_folder();
        const char *file = fb_test_path(folder, "out.fb");
        fflush(NULL);
        pid_t child = fork();
        if (child == 0) {
            signal(signals[i], SIG_DFL); // even if whoever runs the tests ignores it
            fb_cli cli;
            fb_output output;
            memset(&cli, 0, sizeof cli);
            fb_diag_init(&cli.diag);
            cli.err = stderr;
            if (fb_cli_open(&cli, file, &output) == FB_OK) {
                fb_text_puts(&output.text, "half");
                raise(signals[i]);
            }
            _exit(1);
        }
        int status = 0;
        FB_TRUE(child > 0 && waitpid(child, &status, 0) == child, "a child");
        FB_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == signals[i], "status %d", status);
        FB_TRUE(rmdir(folder) == 0, "nothing is left in %s", folder);
        FB_TRUE(mkdir(folder, 0777) == 0, "as it was");
    }
}

static void output_files_are_whole_or_not_there(void) {
    for (int i = 0; i < N_TOOLS; i++) {
        const char *folder = fb_test_folder(), *file = fb_test_path(folder, "out"),
                   *bad = fb_test_path(folder, "bad.osim");
        fb_test_write_file(bad, "<Model>", 7);
        fb_run run = FB_RUN(tools[i].main, NULL, tools[i].name, bad, "-o", file);
        FB_EQUAL_INT(run.status, FB_EXIT_INPUT);
        FB_EQUAL_INT(fb_test_count_files(folder), 1);
        fb_run_free(&run);
        fb_test_write_file(file, "old", 3);
        run = FB_RUN(tools[i].main, NULL, tools[i].name, bad, "-o", file);
        FB_EQUAL_INT(run.status, FB_EXIT_INPUT);
        size_t size = 0;
        char *bytes = fb_test_read_file(file, &size);
        FB_TRUE(size == 3 && memcmp(bytes, "old", 3) == 0, "the old file is left as it was");
        fb_free(bytes);
        fb_run_free(&run);
        run = FB_RUN(tools[i].main, NULL, tools[i].name, ELBOW, "-q", "-o", file);
        FB_EQUAL_INT(run.status, FB_EXIT_OK);
        FB_EQUAL_STR(run.out, "");
        FB_EQUAL_STR(run.err, "");
        fb_run_free(&run);
        run = FB_RUN(tools[i].main, NULL, tools[i].name, ELBOW, "-q");
        bytes = fb_test_read_file(file, &size);
        FB_TRUE(bytes && size == run.n_out && memcmp(bytes, run.out, size) == 0,
                "the same as on standard output");
        fb_free(bytes);
        FB_EQUAL_INT(fb_test_count_files(folder), 2);
        struct stat info;
        mode_t mask = umask(0);
        umask(mask);
        FB_TRUE(stat(file, &info) == 0 && (info.st_mode & 0777) == (0666 & ~mask),
                "with the usual rights");
        fb_run_free(&run);
    }
}

static void places_that_cannot_be_written_are_told(void) {
    run_all(NULL, "-o/no/such/folder/x", ELBOW, FB_EXIT_OUTPUT,
            "/no/such/folder/x: error: cannot be written: No such file or directory [FB3001]");
    run_all(NULL, "-omodels", ELBOW, FB_EXIT_OUTPUT,
            "models: error: cannot be written: Is a directory [FB3001]");
    run_all(NULL, "--report=/no/such/folder/x", ELBOW, FB_EXIT_OUTPUT,
            "/no/such/folder/x: error: cannot be written");
    for (int i = 0; i < N_TOOLS; i++) {
        fb_run run = FB_RUN(tools[i].main, NULL, tools[i].name, ELBOW, "-o", "x", "--report", "x");
        FB_EQUAL_INT(run.status, FB_EXIT_USAGE);
        FB_HOLDS(run.err, "--report and --output name the same file: x");
        fb_run_free(&run);
    }
}

static void reports_do_not_overwrite_the_input(void) {
    size_t size;
    char *bytes = fb_test_read_file(ELBOW, &size);
    for (int i = 0; i < N_TOOLS; i++) {
        const char *folder = fb_test_folder(), *file = fb_test_path(folder, "in.osim"),
                   *link = fb_test_path(folder, "link.osim");
        fb_test_write_file(file, bytes, size);
        const char *reports[] = {file, link};
        for (int k = 0; k < (symlink("in.osim", link) == 0 ? 2 : 1); k++) {
            fb_run run = FB_RUN(tools[i].main, NULL, tools[i].name, file, "--report", reports[k]);
            FB_EQUAL_INT(run.status, FB_EXIT_USAGE);
            FB_HOLDS(run.err, "--report would overwrite the input");
            fb_run_free(&run);
            size_t n = 0;
            char *now = fb_test_read_file(file, &n);
            FB_TRUE(now && n == size && memcmp(now, bytes, n) == 0, "the input is untouched");
            fb_free(now);
        }
    }
    fb_free(bytes);
}

static void files_that_are_replaced_keep_their_mode(void) {
    for (int i = 0; i < N_TOOLS; i++) {
        const char *folder = fb_test_folder(), *file = fb_test_path(folder, "out"),
                   *report = fb_test_path(folder, "report.json");
        fb_test_write_file(file, "old", 3);
        fb_test_write_file(report, "old", 3);
        chmod(file, 0600);
        chmod(report, 0640);
        fb_run run = FB_RUN(tools[i].main, NULL, tools[i].name, "-q", ELBOW, "-o", file, "--report",
                            report);
        FB_EQUAL_INT(run.status, 0);
        fb_run_free(&run);
        struct stat info = {0};
        FB_EQUAL_INT(stat(file, &info), 0);
        FB_EQUAL_INT(info.st_mode & 07777, 0600);
        FB_TRUE(info.st_size > 3, "it was written");
        FB_EQUAL_INT(stat(report, &info), 0);
        FB_EQUAL_INT(info.st_mode & 07777, 0640);
    }
}

static void links_stay_links(void) {
    const char *folder = fb_test_folder(), *file = fb_test_path(folder, "real"),
               *link = fb_test_path(folder, "link");
    fb_test_write_file(file, "old", 3);
    if (symlink("real", link) != 0) {
        return;
    }
    fb_run run = FB_RUN(fb_osim2fb_main, NULL, "osim2fb", "-q", ELBOW, "-o", link);
    FB_EQUAL_INT(run.status, 0);
    struct stat info;
    FB_TRUE(lstat(link, &info) == 0 && S_ISLNK(info.st_mode), "the link is still one");
    FB_TRUE(stat(file, &info) == 0 && info.st_size > 3, "what it points to was written");
    fb_run_free(&run);
}

/* ---- messages -------------------------------------------------------------------------------- */

/* A document with ten kept properties. */
static char *many_messages(void) {
    char inside[2000] = "", *p = inside;
    p += sprintf(p, "<BodySet><objects>");
    for (int i = 0; i < 10; i++) {
        p += sprintf(p, "<Body name=\"b%d\"><mass>1</mass><odd>%d</odd></Body>", i, i);
    }
    sprintf(p, "</objects></BodySet>");
    return fb_test_document(40500, inside);
}

static int count(const char *text, const char *part) {
    int n = 0;
    for (; (text = strstr(text, part)) != NULL; text++) {
        n++;
    }
    return n;
}

static void messages_of_one_kind_are_cut_short(void) {
    char *text = many_messages();
    fb_run run = FB_RUN(fb_osim2fb_main, text, "osim2fb");
    FB_EQUAL_INT(run.status, 0);
    FB_EQUAL_INT(count(run.err, "[FB2002]"), 5);
    FB_HOLDS(run.err, "more messages like these; --verbose or --report FILE shows them all");
    fb_run_free(&run);
    run = FB_RUN(fb_osim2fb_main, text, "osim2fb", "-v");
    FB_EQUAL_INT(count(run.err, "[FB2002]"), 10);
    FB_TRUE(strstr(run.err, "more messages") == NULL, "all are there");
    fb_run_free(&run);
    run = FB_RUN(fb_osim2fb_main, text, "osim2fb", "-q");
    FB_EQUAL_STR(run.err, "");
    fb_run_free(&run);
    free(text);
}

static void quiet_still_prints_errors(void) {
    for (int i = 0; i < N_TOOLS; i++) {
        fb_run run = FB_RUN(tools[i].main, "<Model>\n<a>", tools[i].name, "-q");
        FB_EQUAL_INT(run.status, FB_EXIT_INPUT);
        FB_HOLDS(run.err, "<stdin>:2: error:");
        fb_run_free(&run);
    }
}

static void statuses_map_to_exit_codes(void) {
    FB_EQUAL_INT(fb_exit_of(FB_OK), 0);
    FB_EQUAL_INT(fb_exit_of(FB_E_INPUT), 3);
    FB_EQUAL_INT(fb_exit_of(FB_E_UNSUPPORTED), 4);
    FB_EQUAL_INT(fb_exit_of(FB_E_NUMERIC), 5);
    FB_EQUAL_INT(fb_exit_of(FB_E_OUTPUT), 6);
    FB_EQUAL_INT(fb_exit_of(FB_E_MEMORY), 70);
    FB_EQUAL_INT(fb_exit_of((fb_status)-99), 70);
}

static void lack_of_memory_is_an_internal_error(void) {
    for (int i = 0; i < N_TOOLS; i++) {
        for (long n = 1; n < 2000; n += n < 50 ? 1 : 97) {
            FILE *in = tmpfile(), *out = tmpfile(), *err = tmpfile();
            char *argv[] = {(char *)(size_t)tools[i].name, (char *)(size_t)ELBOW, NULL};
            fb_alloc_fail_at(n);
            int status = tools[i].main(2, argv, in, out, err);
            long asked = fb_alloc_fail_at(0);
            if (asked >= n && status != FB_EXIT_INTERNAL) {
                FB_TRUE(false, "%s: allocation %ld fails: status %d, want 70", tools[i].name, n,
                        status);
            }
            fclose(in);
            fclose(out);
            fclose(err);
        }
    }
}

static const fb_test tests[] = {
    FB_TEST(help_and_version_go_to_standard_output),
    FB_TEST(wrong_usage_is_told),
    FB_TEST(usage_messages_begin_with_the_tool),
    FB_TEST(long_options_may_be_cut_and_operands_may_follow_two_dashes),
    FB_TEST(inputs_that_cannot_be_read_are_told),
    FB_TEST(unreadable_files_are_told),
    FB_TEST(large_files_are_refused),
    FB_TEST(endless_inputs_are_refused),
    FB_TEST(a_full_disk_is_told),
    FB_TEST(a_closed_pipe_is_an_error_without_a_message),
    FB_TEST(signals_leave_no_temporary_file),
    FB_TEST(output_files_are_whole_or_not_there),
    FB_TEST(places_that_cannot_be_written_are_told),
    FB_TEST(links_stay_links),
    FB_TEST(messages_of_one_kind_are_cut_short),
    FB_TEST(quiet_still_prints_errors),
    FB_TEST(statuses_map_to_exit_codes),
    FB_TEST(lack_of_memory_is_an_internal_error),
    FB_TEST(small_inputs_from_pipes_can_be_too_large),
    FB_TEST(reports_do_not_overwrite_the_input),
    FB_TEST(files_that_are_replaced_keep_their_mode),
    FB_TEST_END,
};

int main(int argc, char **argv) {
    return fb_test_main("cli", tests, argc, argv);
}
