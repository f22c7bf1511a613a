#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "tests/help.h"
#include "tools/cli.h"

#define ELBOW "models/elbow/elbow.osim"

#define RUN(INPUT, ...) FB_RUN(fb_fb2osim_main, (INPUT), "fb2osim", __VA_ARGS__)

static fb_run to_fb(const char *input) {
    return FB_RUN(fb_osim2fb_main, input, "osim2fb", "-q", "-");
}

/* Documents without their steps, as one sorted text: free() it. */
static char *without_steps(const char *text) {
    json_t *document = json_loads(text, 0, NULL);
    FB_TRUE(document != NULL, "it is JSON");
    json_object_del(document, "steps");
    char *dump = json_dumps(document, JSON_SORT_KEYS | JSON_INDENT(1));
    json_decref(document);
    return dump ? dump : strdup("");
}

static void writes_both_versions(void) {
    static const struct {
        const char *option, *head;
    } cases[] = {{"-q", "<OpenSimDocument Version=\"40500\">"},
                 {"--to=40500", "<OpenSimDocument Version=\"40500\">"},
                 {"--to=40000", "<OpenSimDocument Version=\"40000\">"}};
    for (int i = 0; i < 3; i++) {
        fb_run run = RUN(NULL, cases[i].option, ELBOW);
        FB_EQUAL_INT(run.status, 0);
        FB_TRUE(strncmp(run.out, "<?xml version=\"1.0\" encoding=\"UTF-8\" ?>\n", 40) == 0,
                "it begins: %.60s", run.out);
        FB_HOLDS(run.out, cases[i].head);
        fb_run_free(&run);
    }
}

static void other_versions_are_wrong_usage(void) {
    static const char *const options[] = {"--to=30000", "--to=4.5", "--to=", "--to=40500 ",
                                          "--to=latest"};
    for (int i = 0; i < 5; i++) {
        fb_run run = RUN(NULL, options[i], ELBOW);
        FB_EQUAL_INT(run.status, 2);
        FB_HOLDS(run.err, "fb2osim: --to must be 40500 or 40000, got '");
        FB_EQUAL_STR(run.out, "");
        fb_run_free(&run);
    }
}

static void there_and_back_is_the_same_document(void) {
    fb_run first = FB_RUN(fb_osim2fb_main, NULL, "osim2fb", "-q", ELBOW);
    fb_run osim = RUN(first.out, "-");
    FB_EQUAL_INT(osim.status, 0);
    FB_EQUAL_STR(osim.err, "");
    fb_run second = to_fb(osim.out);
    char *a = without_steps(first.out), *b = without_steps(second.out);
    FB_TRUE(strcmp(a, b) == 0, "the documents are the same");
    json_t *document = json_loads(second.out, 0, NULL);
    FB_EQUAL_INT(json_array_size(json_object_get(document, "steps")),
                 3); /* osim2fb, fb2osim, osim2fb */
    json_decref(document);
    free(a);
    free(b);
    fb_run_free(&first);
    fb_run_free(&osim);
    fb_run_free(&second);
}

/* Members that OpenSim has no word for survive the way through an .osim. */
static void what_opensim_lacks_travels_along(void) {
    const char *text =
        "{\"fb\": \"1.0\", \"name\": \"m\", \"bundles\": {\"deep\": [1, 2.5, \"--\", \"a -- b "
        "--- c-\", {\"x\": null}]},"
        "\"bodies\": [{\"name\": \"b\", \"mass\": 1, \"note\": \"<&> \\\" \\u00e9 -- ]]>\"}],"
        "\"muscles\": [{\"name\": \"k\", \"type\": \"Thelen2003\", \"path\": {\"points\": "
        "[{\"frame\": \"b\", \"seen\": true},{\"frame\": \"ground\"}]}}]}";
    fb_run first = FB_RUN(fb_osim2fb_main, text, "osim2fb", "-q", "-");
    FB_EQUAL_INT(first.status, 0);
    fb_run osim = RUN(first.out, "-");
    FB_EQUAL_INT(osim.status, 0);
    fb_run second = to_fb(osim.out);
    FB_EQUAL_INT(second.status, 0);
    char *a = without_steps(first.out), *b = without_steps(second.out);
    FB_EQUAL_STR(b, a);
    free(a);
    free(b);
    fb_run_free(&first);
    fb_run_free(&osim);
    fb_run_free(&second);
}

#define QUADRICEPS "models/quadriceps/quadriceps.fb"
#define JUNCTION "<location>0.0365 -0.3107 0.0165</location>"

/* OpenSim gets fixed points in place of virtual links; osim2fb puts the links back. */
static void virtual_links_come_back(void) {
    fb_run osim = RUN(NULL, QUADRICEPS);
    FB_EQUAL_INT(osim.status, 0);
    FB_HOLDS(osim.err, "OpenSim has no virtual link: the wires that meet at 'quadriceps_junction' "
                       "end at a point fixed to 'femur'");
    FB_HOLDS(osim.out, "<PathPoint name=\"junction\">\n\t\t\t\t\t\t\t\t\t<socket_parent_frame>"
                       "/bodyset/femur</socket_parent_frame>\n\t\t\t\t\t\t\t\t\t" JUNCTION);
    FB_TRUE(!strstr(osim.out, "virtual link>") && !strstr(osim.out, "link point"),
            "as points only");
    const char *folder = fb_test_folder();
    const char *file = fb_test_path(folder, "q.osim");
    fb_test_write_file(file, osim.out, strlen(osim.out));
    fb_run diff = FB_RUN(fb_fbinfo_main, NULL, "fbinfo", "--diff", QUADRICEPS, file);
    FB_EQUAL_INT(diff.status, 0);
    fb_run_free(&diff);
    /* one of the points moved since: it stays where it is, the others go back */
    char *at = strstr(osim.out, JUNCTION);
    if (at) {
        memcpy(at, "<location>0.0366", 16);
        fb_run second = FB_RUN(fb_osim2fb_main, osim.out, "osim2fb", "-");
        FB_EQUAL_INT(second.status, 0);
        FB_HOLDS(second.err,
                 "'/forceset/rectus_femoris#path#0#points#1' was a point at the virtual "
                 "link 'quadriceps_junction', but is no longer where that begins");
        FB_HOLDS(second.out, "\"location\": [0.0366, -0.3107, 0.0165]");
        FB_HOLDS(second.out, "\"virtual_link\": \"quadriceps_junction\"");
        fb_run_free(&second);
    }
    fb_run_free(&osim);
    osim = RUN(NULL, "--strict", QUADRICEPS);
    FB_EQUAL_INT(osim.status, 4);
    fb_run_free(&osim);
}

/* Characters that XML cannot hold must not make a file that nobody can read. */
static void characters_that_xml_lacks_do_not_break_the_file(void) {
    static const char *const names[] = {"a\\u0001b", "a\\u001fb", "a\\uffffb", "a\\u007fb",
                                        "a\\ufffeb"};
    for (int i = 0; i < 5; i++) {
        char text[300];
        snprintf(text, sizeof text,
                 "{\"fb\": \"1.0\", \"name\": \"m\", \"credits\": \"%s\", \"bodies\": [{\"name\": "
                 "\"%s\", "
                 "\"mass\": 1}]}",
                 names[i], names[i]);
        fb_run osim = RUN(text, "-");
        if (osim.status == 0) {
            fb_run back = to_fb(osim.out);
            FB_TRUE(back.status == 0, "%s: what was written is read: %s", names[i], back.err);
            fb_run_free(&back);
        } else { /* to refuse it is as well */
            FB_EQUAL_INT(osim.status, 3);
            FB_HOLDS(osim.err, "error");
        }
        fb_run_free(&osim);
    }
}

static void comments_with_two_dashes_are_written(void) {
    const char *text =
        "{\"fb\": \"1.0\", \"name\": \"m\", \"comments\": [{\"text\": \"a -- b -\"}, "
        "{\"text\": \"--\"}, {\"text\": \"-\"}]}";
    fb_run osim = RUN(text, "-");
    FB_EQUAL_INT(osim.status, 0);
    fb_run back = to_fb(osim.out);
    FB_EQUAL_INT(back.status, 0);
    json_t *document = json_loads(back.out, 0, NULL);
    FB_EQUAL_INT(json_array_size(json_object_get(document, "comments")), 3);
    json_decref(document);
    fb_run_free(&osim);
    fb_run_free(&back);
}

static void reads_osim_as_well(void) {
    fb_run run = RUN(
        "<Model name=\"m\"><BodySet><objects><Body "
        "name=\"b\"><mass>1</mass><inertia_xx>1</inertia_xx></Body></objects></BodySet></Model>",
        "-");
    FB_EQUAL_INT(run.status, 0);
    FB_HOLDS(run.out, "<inertia>1 0 0 0 0 0</inertia>");
    fb_run_free(&run);
}

static void strict_refuses_what_a_version_lacks(void) {
    const char *text =
        "{\"fb\": \"1.0\", \"name\": \"m\", \"contact_geometry\": [{\"name\": \"t\", "
        "\"type\": \"torus\", \"frame\": \"ground\"}]}";
    const char *folder = fb_test_folder(), *out = fb_test_path(folder, "out.osim");
    fb_run run = RUN(text, "--to=40500", "--strict", "-o", out, "-");
    FB_EQUAL_INT(run.status, 4);
    FB_HOLDS(run.err, "[FB2501]");
    FB_EQUAL_INT(fb_test_count_files(folder), 0);
    fb_run_free(&run);
    run = RUN(text, "-");
    FB_EQUAL_INT(run.status, 0);
    FB_HOLDS(run.err, "ContactTorus");
    fb_run_free(&run);
}

static void errors_have_their_line(void) {
    fb_run run = RUN("{\"fb\": \"1.0\",\n\"bodies\": [\n{\"name\": \"b\", \"mass\": \"heavy\"}]}",
                     "-");
    FB_EQUAL_INT(run.status, 3);
    FB_HOLDS(run.err, "<stdin>:3: error: /bodies/0/mass: must be a number");
    fb_run_free(&run);
    run = RUN("{\"fb\": \"1.0\",\n\"bodies\": [\n{\"name\": \"b\" \"mass\": 1}]}", "-");
    FB_EQUAL_INT(run.status, 3);
    FB_HOLDS(run.err, "<stdin>:3: error: not well-formed JSON at column");
    fb_run_free(&run);
}

static void truncated_documents_are_refused(void) {
    fb_run whole = FB_RUN(fb_osim2fb_main, NULL, "osim2fb", "-q", ELBOW);
    size_t n = strlen(whole.out);
    for (size_t i = 1; i < n - 1; i += n / 30) {
        char *cut = strndup(whole.out, i);
        fb_run run = RUN(cut, "-");
        FB_EQUAL_INT(run.status, 3);
        FB_EQUAL_STR(run.out, "");
        FB_HOLDS(run.err, "[FB1301]");
        fb_run_free(&run);
        free(cut);
    }
    fb_run_free(&whole);
}

static const fb_test tests[] = {
    FB_TEST(writes_both_versions),
    FB_TEST(other_versions_are_wrong_usage),
    FB_TEST(there_and_back_is_the_same_document),
    FB_TEST(what_opensim_lacks_travels_along),
    FB_TEST(virtual_links_come_back),
    FB_TEST(characters_that_xml_lacks_do_not_break_the_file),
    FB_TEST(comments_with_two_dashes_are_written),
    FB_TEST(reads_osim_as_well),
    FB_TEST(strict_refuses_what_a_version_lacks),
    FB_TEST(errors_have_their_line),
    FB_TEST(truncated_documents_are_refused),
    FB_TEST_END,
};

int main(int argc, char **argv) {
    return fb_test_main("fb2osim", tests, argc, argv);
}
