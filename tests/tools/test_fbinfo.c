#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "tests/help.h"
#include "tools/cli.h"

#define ELBOW "models/elbow/elbow.osim"

#define RUN(INPUT, ...) FB_RUN(fb_fbinfo_main, (INPUT), "fbinfo", __VA_ARGS__)

#define DOCUMENT(MASS, MORE) \
    "{\"fb\": \"1.0\", \"name\": \"m\", \"bodies\": [{\"name\": \"b\", \"mass\": " MASS "}],\n" \
    "\"joints\": [{\"name\": \"j\", \"type\": \"pin\", \"parent\": \"ground\", \"child\": \"b\", " \
    "\"coordinates\": [{\"name\": \"q\", " \
    "\"default\": 0.5, \"range\": [-1, 3.141592653589793]}]}]" MORE "}"

static json_t *parse(const char *text) {
    json_error_t error;
    json_t *json = json_loads(text ? text : "", JSON_REJECT_DUPLICATES, &error);
    FB_TRUE(json != NULL, "JSON: line %d: %s", error.line, error.text);
    return json;
}

static const char *member(const json_t *object, const char *key) {
    return json_string_value(json_object_get(object, key));
}

static void prints_what_is_in_a_model(void) {
    fb_run run = RUN(NULL, ELBOW);
    FB_EQUAL_INT(run.status, 0);
    FB_EQUAL_STR(run.err, "");
    static const char *const parts[] = {"fb_elbow",       "3 bodies",
                                        "3 joints",       "6 muscles",
                                        "elbow_flexion",  "biceps_long",
                                        "total 3.606 kg", "Millard2012Equilibrium",
                                        "markers: 7"};
    for (int i = 0; i < 9; i++) {
        FB_HOLDS(run.out, parts[i]);
    }
    fb_run_free(&run);
}

static void the_same_of_either_kind(void) {
    fb_run fb = FB_RUN(fb_osim2fb_main, NULL, "osim2fb", "-q", ELBOW);
    fb_run a = RUN(NULL, ELBOW), b = RUN(fb.out, "-");
    FB_EQUAL_STR(b.out, a.out);
    fb_run_free(&fb);
    fb_run_free(&a);
    fb_run_free(&b);
}

static void degrees_are_those_of_turning_coordinates(void) {
    fb_run run = RUN(DOCUMENT("1", ""), "--degrees");
    FB_HOLDS(run.out, "from -57.3 to 180 deg");
    fb_run_free(&run);
    run = RUN(DOCUMENT("1", ""), "-");
    FB_HOLDS(run.out, "from -1 to 3.142 rad");
    fb_run_free(&run);
}

static void json_is_for_programs(void) {
    fb_run run = RUN(DOCUMENT("2.5", ""), "--json");
    FB_EQUAL_INT(run.status, 0);
    json_t *info = parse(run.out), *counts = json_object_get(info, "counts");
    FB_EQUAL_STR(member(info, "tool"), "fbinfo");
    FB_EQUAL_STR(member(info, "name"), "m");
    FB_EQUAL_STR(member(info, "format_version"), "1.0");
    FB_SAME(json_number_value(json_object_get(info, "mass_kg")), 2.5);
    FB_EQUAL_INT(json_integer_value(json_object_get(counts, "bodies")), 1);
    FB_EQUAL_INT(json_integer_value(json_object_get(counts, "coordinates")), 1);
    const json_t *q = json_array_get(json_object_get(info, "coordinates"), 0);
    FB_EQUAL_STR(member(q, "name"), "q");
    FB_EQUAL_STR(member(q, "joint"), "j");
    FB_EQUAL_STR(member(q, "motion"), "rotational");
    FB_SAME(json_number_value(json_object_get(q, "default")), 0.5);
    json_decref(info);
    fb_run_free(&run);
    run = RUN(NULL, "--json", ELBOW);
    info = parse(run.out);
    FB_EQUAL_INT(json_array_size(json_object_get(info, "muscles")), 6);
    json_decref(info);
    fb_run_free(&run);
}

static void json_of_every_model_of_the_gallery(void) {
    for (int i = 0; fb_test_glob("models/*/*.osim", i); i++) {
        static const char *const options[] = {"--json", "--degrees", "--check", "--history"};
        for (int k = 0; k < 4; k++) {
            fb_run run = RUN(NULL, options[k], fb_test_glob("models/*/*.osim", i));
            FB_TRUE(run.status == 0 || (k == 2 && run.status == 1), "%s %s: status %d: %s",
                    options[k], fb_test_glob("models/*/*.osim", i), run.status, run.err);
            if (k == 0) {
                json_decref(parse(run.out));
            }
            fb_run_free(&run);
        }
    }
}

/* ---- --check --------------------------------------------------------------------------------- */

static void check_answers_yes_or_no(void) {
    fb_run run = RUN(DOCUMENT("1", ""), "--check");
    FB_EQUAL_INT(run.status, 0);
    FB_EQUAL_STR(run.out, "0 errors, 0 other findings\n");
    FB_EQUAL_STR(run.err, "");
    fb_run_free(&run);
    run = RUN(DOCUMENT("-1", ""), "--check");
    FB_EQUAL_INT(run.status, 1);
    FB_HOLDS(run.out, "<stdin>:1: error: Body 'b': the mass must be 0 or more, got -1 kg [FB2302]");
    FB_HOLDS(run.out, "1 error, 0 other findings\n");
    FB_EQUAL_STR(run.err, "");
    fb_run_free(&run);
    run = RUN(DOCUMENT("-1", ""), "--check", "--json");
    FB_EQUAL_INT(run.status, 1);
    json_t *info = parse(run.out);
    FB_EQUAL_STR(member(json_array_get(json_object_get(info, "findings"), 0), "id"), "FB2302");
    json_decref(info);
    fb_run_free(&run);
}

static void check_of_a_file_that_is_no_model_answers_no(void) {
    fb_run run = RUN("<Model><BodySet><objects>\n<Body "
                     "name=\"b\"><mass>x</mass></Body></objects></BodySet></Model>",
                     "--check");
    FB_EQUAL_INT(run.status, 1);
    FB_HOLDS(run.out,
             "<stdin>:2: error: Body 'b': <mass> holds 'x', which is not a number [FB2101]");
    FB_HOLDS(run.out, "1 error, ");
    fb_run_free(&run);
    run = RUN("<Model>", "--check"); /* but one that is no XML cannot be read */
    FB_EQUAL_INT(run.status, 3);
    FB_EQUAL_STR(run.out, "");
    FB_HOLDS(run.err, "[FB1101]");
    fb_run_free(&run);
}

static void findings_are_part_of_the_page(void) {
    fb_run run = RUN(DOCUMENT("-1", ""), "-");
    FB_EQUAL_INT(run.status, 0);
    FB_HOLDS(run.out, "unusual: 1 thing\n");
    FB_HOLDS(run.out, "the mass must be 0 or more");
    fb_run_free(&run);
}

/* ---- --diff ---------------------------------------------------------------------------------- */

static const char *put(const char *text) {
    const char *file = fb_test_path(fb_test_folder(), "other.fb");
    fb_test_write_file(file, text, strlen(text));
    return file;
}

static void diff_of_equal_models(void) {
    fb_run run = RUN(DOCUMENT("1", ""), "--diff", put(DOCUMENT("1", "")));
    FB_EQUAL_INT(run.status, 0);
    FB_EQUAL_STR(run.out, "the models are the same\n");
    fb_run_free(&run);
    run = RUN(NULL, ELBOW, "--diff", ELBOW);
    FB_EQUAL_INT(run.status, 0);
    fb_run_free(&run);
    run = RUN(NULL, ELBOW, "--json", "--diff", ELBOW);
    json_t *diff = parse(run.out);
    FB_EQUAL_INT(json_array_size(json_object_get(diff, "differences")), 0);
    json_decref(diff);
    fb_run_free(&run);
}

static void diff_tells_what_differs(void) {
    fb_run run = RUN(DOCUMENT("1", ""), "--diff",
                     put(DOCUMENT("1.5", ", \"markers\": [{\"name\": \"k\", \"frame\": \"b\"}]")));
    FB_EQUAL_INT(run.status, 1);
    FB_HOLDS(run.out, "mass is 1 in <stdin>, 1.5 in other.fb (0.5 kg apart)");
    FB_HOLDS(run.out, "only in other.fb");
    FB_HOLDS(run.out, "2 differences\n");
    FB_EQUAL_STR(run.err, "");
    fb_run_free(&run);
    run = RUN(DOCUMENT("1", ""), "--json", "--diff", put(DOCUMENT("1.5", "")));
    FB_EQUAL_INT(run.status, 1);
    json_t *diff = parse(run.out);
    const json_t *one = json_array_get(json_object_get(diff, "differences"), 0);
    FB_EQUAL_STR(member(one, "kind"), "changed");
    FB_EQUAL_STR(member(one, "path"), "/bodyset/b");
    FB_EQUAL_STR(member(one, "member"), "mass");
    FB_SAME(json_number_value(json_object_get(one, "distance")), 0.5);
    json_decref(diff);
    fb_run_free(&run);
}

static void tolerance_forgives(void) {
    static const struct {
        const char *tolerance;
        int status;
    } cases[] = {{"1e-9", 1}, {"1e-3", 0}, {"0", 1}, {"inf", 0}};
    for (int i = 0; i < 4; i++) {
        fb_run run = RUN(DOCUMENT("1", ""), "--tolerance", cases[i].tolerance, "--diff",
                         put(DOCUMENT("1.0001", "")));
        FB_TRUE(run.status == cases[i].status, "--tolerance %s: status %d", cases[i].tolerance,
                run.status);
        fb_run_free(&run);
    }
    fb_run run = RUN(DOCUMENT("1", ""), "--tolerance=-1", "--diff", put(DOCUMENT("1", "")));
    FB_EQUAL_INT(run.status, 2);
    fb_run_free(&run);
}

static void diff_with_a_file_that_cannot_be_read(void) {
    fb_run run = RUN(DOCUMENT("1", ""), "--diff", "no/such/file");
    FB_EQUAL_INT(run.status, 3);
    FB_EQUAL_STR(run.out, "");
    FB_HOLDS(run.err, "no/such/file: error: No such file or directory [FB1001]");
    fb_run_free(&run);
    run = RUN(DOCUMENT("1", ""), "--diff", put("{\"fb\": 1"));
    FB_EQUAL_INT(run.status, 3);
    FB_HOLDS(run.err, "other.fb:1: error:");
    fb_run_free(&run);
}

static void two_questions_at_once_are_wrong_usage(void) {
    static const char *const cases[][3] = {{"--check", "--diff", ELBOW},
                                           {"--check", "--history", "-q"},
                                           {"--history", "--diff", ELBOW}};
    for (int i = 0; i < 3; i++) {
        fb_run run = RUN(NULL, cases[i][0], cases[i][1], cases[i][2], ELBOW);
        FB_EQUAL_INT(run.status, 2);
        FB_EQUAL_STR(run.out, "");
        FB_HOLDS(run.err, "ask one");
        fb_run_free(&run);
    }
}

/* ---- --history, --report --------------------------------------------------------------------- */

static void history_tells_the_steps(void) {
    fb_run fb = FB_RUN(fb_osim2fb_main, NULL, "osim2fb", "-q", "-g", "x", ELBOW);
    fb_run run = RUN(fb.out, "--history");
    FB_EQUAL_INT(run.status, 0);
    FB_HOLDS(run.out, "osim2fb --geometry=x elbow.osim  # fbtools ");
    FB_HOLDS(run.out, "SHA-256");
    fb_run_free(&run);
    fb_run_free(&fb);
    run = RUN(DOCUMENT("1", ""), "--history");
    FB_EQUAL_STR(run.out, "the document does not say how it was made\n");
    fb_run_free(&run);
    run =
        RUN(DOCUMENT("1", ", \"steps\": [3, {}, {\"tool\": [], \"options\": 4, \"input\": null}]"),
            "--history");
    FB_EQUAL_INT(run.status, 0);
    fb_run_free(&run);
}

static void report_lists_the_findings(void) {
    const char *file = fb_test_path(fb_test_folder(), "r.json");
    fb_run run = RUN(DOCUMENT("-1", ""), "--report", file, "-");
    FB_EQUAL_INT(run.status, 0);
    size_t size = 0;
    char *bytes = fb_test_read_file(file, &size);
    FB_HOLDS(bytes, "\"FB2302\"");
    fb_free(bytes);
    fb_run_free(&run);
}

static void kept_elements_need_no_class(void) {
    fb_run run = RUN("{\"fb\": \"1.0\", \"name\": \"m\", \"kept\": [{\"name\": \"a\", \"xml\": "
                     "\"<Odd/>\"}]}",
                     "-");
    FB_EQUAL_INT(run.status, 0);
    FB_HOLDS(run.out, "kept: 1 (1 Odd)");
    fb_run_free(&run);
}

static const fb_test tests[] = {
    FB_TEST(prints_what_is_in_a_model),
    FB_TEST(the_same_of_either_kind),
    FB_TEST(degrees_are_those_of_turning_coordinates),
    FB_TEST(json_is_for_programs),
    FB_TEST(json_of_every_model_of_the_gallery),
    FB_TEST(check_answers_yes_or_no),
    FB_TEST(check_of_a_file_that_is_no_model_answers_no),
    FB_TEST(findings_are_part_of_the_page),
    FB_TEST(diff_of_equal_models),
    FB_TEST(diff_tells_what_differs),
    FB_TEST(tolerance_forgives),
    FB_TEST(diff_with_a_file_that_cannot_be_read),
    FB_TEST(history_tells_the_steps),
    FB_TEST(report_lists_the_findings),
    FB_TEST(kept_elements_need_no_class),
    FB_TEST(two_questions_at_once_are_wrong_usage),
    FB_TEST_END,
};

int main(int argc, char **argv) {
    return fb_test_main("fbinfo", tests, argc, argv);
}
