/* fbgen: what is written where, and specs at the edge of what has a body. */
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/help.h"
#include "tools/cli.h"

#define ELBOW "models/elbow/elbow.osim"
#define OWN_CORE \
    "{\"muscles\": [{\"name\": \"own\", \"volume\": 1e-4, \"cores\": [{\"points\": " \
    "[[0, 0, 0], [0, 0.3, 0]]}]}]}"

/* A new file with a text; its name is the caller's to unlink. */
static void make_file(char *name, const char *text) {
    strcpy(name, "/tmp/fbgen_XXXXXX");
    FILE *file = fdopen(mkstemp(name), "w");
    fputs(text, file);
    fclose(file);
}

/* A muscle that is no line of the model is not put in the place of one that is. */
static void muscles_of_ones_own_have_no_place_in_the_document(void) {
    char spec[32];
    make_file(spec, OWN_CORE);
    fb_run run = FB_RUN(fb_fbgen_main, NULL, "fbgen", "--no-arms", "--bundles", "12", "--spec",
                        spec, ELBOW);
    FB_EQUAL_INT(run.status, 0);
    FB_HOLDS(run.err, "own is no line of the model");
    FB_HOLDS(run.out, "\"muscle\": \"triceps\"");
    FB_TRUE(!strstr(run.out, "\"muscle\": \"own\""), "own is in the document");
    fb_run_free(&run);
    run = FB_RUN(fb_fbgen_main, "{\"fb\": \"1.0\", \"name\": \"m\"}", "fbgen", "--spec", spec);
    FB_EQUAL_INT(run.status, 0);
    FB_TRUE(!strstr(run.out, "bundles\": {"), "bundles without a muscle");
    fb_run_free(&run);
    unlink(spec);
}

/* An outline of which the area overflows is refused, and not tried for ever. */
static void outlines_without_end_are_refused(void) {
    char spec[32];
    make_file(spec, "{\"muscles\": [{\"name\": \"brachialis\", \"outline\": [[-1e300, -1e300], "
                    "[1e300, -1e300], [0, 1e300]]}]}");
    fb_run run = FB_RUN(fb_fbgen_main, NULL, "fbgen", "-q", "--no-arms", "--muscle", "brachialis",
                        "--spec", spec, ELBOW);
    FB_EQUAL_INT(run.status, 1);
    FB_HOLDS(run.err, "the outline's area is not finite");
    FB_EQUAL_STR(run.out, "");
    fb_run_free(&run);
    unlink(spec);
}

/* Mistakes of what is written are told before anything is made, and nothing is written over. */
static void files_are_kept_apart(void) {
    char spec[32], kept[32];
    make_file(spec, OWN_CORE);
    make_file(kept, "");
    const char *const cases[][5] = {
        {"--mesh", "a.xyz", NULL, NULL, ".obj, .ply or .stl"},
        {"--mesh-of", "all", NULL, NULL, "--mesh-of is"},
        {"--sides", "2", NULL, NULL, "--sides must be"},
        {"--layers-per-bundle", "4294967298", NULL, NULL, "from 2 to 1024"},
        {"--layers", kept, "--table", kept, "--layers and --table name the same file"},
        {"--layers", kept, "--output", kept, "--layers and --output name the same file"},
        {"--table", kept, "--report", kept, "--table and --report name the same file"},
        {"--layers", "-", NULL, NULL, "--layers and --output name the same file"},
        {"--layers", ELBOW, NULL, NULL, "--layers would overwrite the input"},
        {"--spec", spec, "--table", spec, "--table would overwrite the input"},
        {"--spec", spec, "--output", spec, "--output would overwrite the input"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fb_run run = FB_RUN(fb_fbgen_main, NULL, "fbgen", ELBOW, cases[i][0], cases[i][1],
                            cases[i][2], cases[i][3]);
        FB_EQUAL_INT(run.status, 2);
        FB_HOLDS(run.err, cases[i][4]);
        FB_EQUAL_STR(run.out, "");
        fb_run_free(&run);
    }
    unlink(spec);
    unlink(kept);
}

/* No muscle has a body: that is the answer, with or without a mesh. */
static void a_mesh_of_nothing_is_no_mistake(void) {
    char mesh[40], spec[32];
    make_file(spec, "{\"muscles\": [{\"name\": \"brachialis\", \"volume\": 1e-12}]}");
    snprintf(mesh, sizeof mesh, "%s.ply", spec);
    fb_run run = FB_RUN(fb_fbgen_main, NULL, "fbgen", "--muscle", "brachialis", "--spec", spec,
                        "--mesh", mesh, ELBOW);
    FB_EQUAL_INT(run.status, 1);
    FB_HOLDS(run.err, "that of no muscle");
    FB_TRUE(access(mesh, F_OK) != 0, "a mesh of nothing");
    fb_run_free(&run);
    unlink(spec);
}

static const fb_test tests[] = {
    FB_TEST(muscles_of_ones_own_have_no_place_in_the_document),
    FB_TEST(outlines_without_end_are_refused),
    FB_TEST(files_are_kept_apart),
    FB_TEST(a_mesh_of_nothing_is_no_mistake),
    FB_TEST_END,
};

int main(int argc, char **argv) {
    return fb_test_main("fbgen_refusals", tests, argc, argv);
}
