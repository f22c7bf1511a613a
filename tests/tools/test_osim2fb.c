#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "tests/help.h"
#include "tools/cli.h"

#define ELBOW "models/elbow/elbow.osim"

#define RUN(INPUT, ...) FB_RUN(fb_osim2fb_main, (INPUT), "osim2fb", __VA_ARGS__)

static json_t *parse(const char *text) {
    json_error_t error;
    json_t *json = json_loads(text ? text : "", JSON_REJECT_DUPLICATES, &error);
    FB_TRUE(json != NULL, "JSON: line %d: %s", error.line, error.text);
    return json;
}

static const char *member(const json_t *object, const char *key) {
    return json_string_value(json_object_get(object, key));
}

static void converts_a_file(void) {
    fb_run run = RUN(NULL, ELBOW);
    FB_EQUAL_INT(run.status, 0);
    FB_HOLDS(run.err, "osim2fb: fb_elbow: ");
    FB_HOLDS(run.err, " elements exact, 0 approximated, 0 kept, 0 ignored, 0 warnings");
    json_t *document = parse(run.out), *steps = json_object_get(document, "steps");
    FB_EQUAL_STR(member(document, "fb"), "1.0");
    FB_EQUAL_STR(member(document, "name"), "fb_elbow");
    FB_EQUAL_INT(json_array_size(steps), 1);
    const json_t *step = json_array_get(steps, 0);
    FB_EQUAL_STR(member(step, "tool"), "osim2fb");
    FB_EQUAL_STR(member(step, "input"), "elbow.osim");
    FB_TRUE(member(step, "sha256") && strlen(member(step, "sha256")) == 64, "64 digits");
    FB_TRUE(member(step, "version") != NULL, "a version");
    json_decref(document);
    fb_run_free(&run);
}

static void the_step_has_the_sha256_of_the_input(void) {
    fb_run run = RUN("<Model name=\"m\"/>", "-q");
    json_t *document = parse(run.out);
    const json_t *step = json_array_get(json_object_get(document, "steps"), 0);
    /* printf '<Model name="m"/>' | sha256sum */
    FB_EQUAL_STR(member(step, "sha256"),
                 "be020cbffb2d44c8398d11dccd1e1ae58488793fbbc178a3ac79c30171e178dc");
    FB_EQUAL_STR(member(step, "input"), "-");
    json_decref(document);
    fb_run_free(&run);
}

static void the_step_has_the_options(void) {
    fb_run run = RUN(NULL, "-q", "--geometry", "a b", "-g", "c\"d", "--max-size=3", ELBOW);
    json_t *document = parse(run.out);
    const json_t *options = json_object_get(json_array_get(json_object_get(document, "steps"), 0),
                                            "options");
    FB_EQUAL_INT(json_array_size(options), 3);
    FB_EQUAL_STR(json_string_value(json_array_get(options, 0)), "--geometry=a b");
    FB_EQUAL_STR(json_string_value(json_array_get(options, 1)), "--geometry=c\"d");
    FB_EQUAL_STR(json_string_value(json_array_get(options, 2)), "--max-size=3");
    json_decref(document);
    fb_run_free(&run);
    char endless[2000];
    memset(endless, 'g', sizeof endless);
    endless[1999] = 0;
    run = RUN(NULL, "-q", "-g", endless, ELBOW);
    FB_EQUAL_INT(run.status, 0);
    document = parse(run.out);
    json_decref(document);
    fb_run_free(&run);
}

static void reads_standard_input(void) {
    fb_run run = RUN("<Model name=\"m\"/>", "-");
    FB_EQUAL_INT(run.status, 0);
    FB_HOLDS(run.out, "\"name\": \"m\"");
    fb_run_free(&run);
}

static void reads_fb_documents_too(void) {
    fb_run run = RUN("{\"fb\": \"1.0\", \"name\": \"m\", \"steps\": [{\"tool\": \"t\"}]}", "-q");
    FB_EQUAL_INT(run.status, 0);
    json_t *document = parse(run.out);
    FB_EQUAL_INT(json_array_size(json_object_get(document, "steps")), 2);
    json_decref(document);
    fb_run_free(&run);
}

static void the_same_input_gives_the_same_bytes(void) {
    fb_run a = RUN(NULL, ELBOW), b = RUN(NULL, ELBOW);
    FB_EQUAL_STR(a.out, b.out);
    FB_EQUAL_STR(a.err, b.err);
    fb_run_free(&a);
    fb_run_free(&b);
}

static void errors_have_their_line(void) {
    static const struct {
        const char *inside, *message;
    } cases[] = {
        {"<BodySet><objects>\n<Body name=\"b\">\n<mass>1,5</mass></Body></objects></BodySet>",
         "<stdin>:4: error: Body 'b': <mass> holds '1,5', which is not a number"},
        {"<BodySet><objects>\n<Body name=\"b\"/>\n</BodySet>",
         "<stdin>:4: error: not well-formed XML at column"},
        {"<MarkerSet><objects>\n\n<Marker "
         "name=\"m\"><socket_parent_frame>/bodyset/a</socket_parent_frame></Marker></objects></"
         "MarkerSet>",
         "<stdin>:4: error: Marker 'm': socket_parent_frame names no frame: '/bodyset/a'"}};
    for (int i = 0; i < 3; i++) {
        char *text = fb_test_document(40500, cases[i].inside);
        fb_run run = RUN(text, "-");
        FB_EQUAL_INT(run.status, 3);
        FB_EQUAL_STR(run.out, "");
        FB_HOLDS(run.err, cases[i].message);
        fb_run_free(&run);
        free(text);
    }
}

static void truncated_and_garbled_files_are_refused(void) {
    size_t size;
    char *bytes = fb_test_read_file(ELBOW, &size);
    const char *folder = fb_test_folder(), *file = fb_test_path(folder, "cut.osim"),
               *out = fb_test_path(folder, "out.fb");
    for (size_t n = 1; n < size; n += size / 20) {
        fb_test_write_file(file, bytes, n);
        fb_run run = RUN(NULL, file, "-o", out);
        FB_EQUAL_INT(run.status, 3);
        FB_HOLDS(run.err, "cut.osim:");
        FB_HOLDS(run.err, "error: ");
        FB_EQUAL_INT(fb_test_count_files(folder), 1);
        fb_run_free(&run);
    }
    unsigned long long state = fb_test_seed();
    for (size_t i = size / 2; i < size / 2 + 2000; i++) {
        bytes[i] = (char)fb_random(&state);
    }
    fb_test_write_file(file, bytes, size);
    fb_run run = RUN(NULL, file, "-o", out);
    FB_EQUAL_INT(run.status, 3);
    fb_run_free(&run);
    fb_free(bytes);
}

/* ---- --report and --strict ------------------------------------------------------------------- */

#define ODD \
    "<BodySet><objects>\n<Body name=\"b\" odd=\"1\"><mass>1</mass></Body></objects></BodySet>"

static json_t *read_report(const char *file) {
    size_t size = 0;
    char *bytes = fb_test_read_file(file, &size);
    json_t *report = json_loadb(bytes ? bytes : "", size, JSON_REJECT_DUPLICATES, NULL);
    FB_TRUE(report != NULL, "the report is JSON");
    fb_free(bytes);
    return report;
}

static void report_is_written_beside_the_document(void) {
    const char *file = fb_test_path(fb_test_folder(), "report.json");
    char *text = fb_test_document(40500, ODD);
    fb_run run = RUN(text, "--report", file, "-");
    FB_EQUAL_INT(run.status, 0);
    json_t *report = read_report(file), *rows = json_object_get(report, "rows");
    FB_EQUAL_STR(member(report, "tool"), "osim2fb");
    FB_EQUAL_STR(member(report, "input"), "<stdin>");
    FB_EQUAL_INT(json_integer_value(json_object_get(json_object_get(report, "counts"), "ignored")),
                 1);
    bool found = false;
    for (size_t i = 0; i < json_array_size(rows); i++) {
        const json_t *row = json_array_get(rows, i);
        if (strcmp(member(row, "id"), "FB2004") == 0) {
            found = true;
            FB_EQUAL_INT(json_integer_value(json_object_get(row, "line")), 3);
            FB_EQUAL_STR(member(row, "action"), "ignored");
            FB_EQUAL_STR(member(row, "path"), "/bodyset/b");
        }
    }
    FB_TRUE(found, "the attribute is in the report");
    json_decref(report);
    fb_run_free(&run);
    free(text);
}

static void report_is_written_for_failures_too(void) {
    const char *file = fb_test_path(fb_test_folder(), "report.json");
    fb_run run = RUN("<Model>\n<a>", "--report", file, "-");
    FB_EQUAL_INT(run.status, 3);
    json_t *report = read_report(file);
    const json_t *row = json_array_get(json_object_get(report, "rows"), 0);
    FB_EQUAL_STR(member(row, "action"), "error");
    FB_EQUAL_STR(member(row, "id"), "FB1101");
    FB_EQUAL_INT(json_integer_value(json_object_get(row, "line")), 2);
    json_decref(report);
    fb_run_free(&run);
}

static void report_may_be_a_page(void) {
    const char *file = fb_test_path(fb_test_folder(), "report.html");
    fb_run run = RUN(NULL, "--report", file, ELBOW);
    FB_EQUAL_INT(run.status, 0);
    size_t size = 0;
    char *bytes = fb_test_read_file(file, &size);
    FB_TRUE(bytes && strncmp(bytes, "<!DOCTYPE html>", 15) == 0, "a page");
    fb_free(bytes);
    fb_run_free(&run);
}

static void strict_refuses_what_is_ignored(void) {
    const char *folder = fb_test_folder(), *out = fb_test_path(folder, "out.fb");
    char *text = fb_test_document(40500, ODD);
    fb_run run = RUN(text, "--strict", "-o", out);
    FB_EQUAL_INT(run.status, 4);
    FB_HOLDS(run.err, "osim2fb: --strict: 1 part is approximated or ignored");
    FB_EQUAL_INT(fb_test_count_files(folder), 0);
    fb_run_free(&run);
    free(text);
    run = RUN(NULL, "--strict", "-q", ELBOW);
    FB_EQUAL_INT(run.status, 0);
    fb_run_free(&run);
    text = fb_test_document(
        40500,
        "<BodySet><objects><Body name=\"b\"><mass>1</mass><odd>1</odd></Body></objects></BodySet>");
    run = RUN(text, "--strict", "-q"); /* what is kept is not lost */
    FB_EQUAL_INT(run.status, 0);
    fb_run_free(&run);
    free(text);
}

/* ---- meshes ---------------------------------------------------------------------------------- */

static void missing_meshes_are_told_once(void) {
    const char *folder = fb_test_folder(), *file = fb_test_path(folder, "m.osim");
    char *text = fb_test_document(
        40500,
        "<Ground><attached_geometry><Mesh name=\"a\"><mesh_file>there.vtp</mesh_file></Mesh>\n"
        "<Mesh name=\"b\"><mesh_file>gone.vtp</mesh_file></Mesh><Mesh "
        "name=\"c\"><mesh_file>gone.vtp</mesh_file></Mesh></attached_geometry></Ground>");
    fb_test_write_file(file, text, strlen(text));
    fb_test_write_file(fb_test_path(folder, "there.vtp"), "x", 1);
    fb_run run = RUN(NULL, file);
    FB_EQUAL_INT(run.status, 0);
    FB_HOLDS(run.err, "m.osim:3: warning: the mesh 'gone.vtp' is in none of:");
    FB_TRUE(strstr(run.err, "there.vtp") == NULL, "that one is there");
    FB_HOLDS(run.err, "1 warning\n");
    fb_run_free(&run);
    const char *other = fb_test_folder();
    fb_test_write_file(fb_test_path(other, "gone.vtp"), "x", 1);
    run = RUN(NULL, "-g", other, file);
    FB_TRUE(strstr(run.err, "gone.vtp") == NULL, "found in --geometry: %s", run.err);
    fb_run_free(&run);
    free(text);
}

static void lints_are_printed_as_warnings(void) {
    char *text = fb_test_document(
        40500, "<BodySet><objects>\n<Body name=\"b\"><mass>-1</mass></Body></objects></BodySet>");
    fb_run run = RUN(text, "-");
    FB_EQUAL_INT(run.status, 0);
    FB_HOLDS(run.err,
             "<stdin>:3: warning: Body 'b': the mass must be 0 or more, got -1 kg [FB2302]");
    fb_run_free(&run);
    free(text);
}

static const fb_test tests[] = {
    FB_TEST(converts_a_file),
    FB_TEST(the_step_has_the_sha256_of_the_input),
    FB_TEST(the_step_has_the_options),
    FB_TEST(reads_standard_input),
    FB_TEST(reads_fb_documents_too),
    FB_TEST(the_same_input_gives_the_same_bytes),
    FB_TEST(errors_have_their_line),
    FB_TEST(truncated_and_garbled_files_are_refused),
    FB_TEST(report_is_written_beside_the_document),
    FB_TEST(report_is_written_for_failures_too),
    FB_TEST(report_may_be_a_page),
    FB_TEST(strict_refuses_what_is_ignored),
    FB_TEST(missing_meshes_are_told_once),
    FB_TEST(lints_are_printed_as_warnings),
    FB_TEST_END,
};

int main(int argc, char **argv) {
    return fb_test_main("osim2fb", tests, argc, argv);
}
