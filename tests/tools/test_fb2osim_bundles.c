/* fb2osim --bundles: muscles as sub-muscles, from the bundles that fbgen stores. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/bundle_stored.h"
#include "formats/layers.h"
#include "libcore/base/arena.h"
#include "libcore/base/spatial.h"
#include "libcore/muscle/path.h"
#include "tests/tools/tables.h"
#include "tools/cli.h"

#define ARM "models/arm/arm25.osim"
#define SPEC "models/arm/arm25.json"
#define ELBOW "models/elbow/elbow.osim"
#define CONTROLLERS "models/gallery/controllers.osim"
#define K 3

/* ---- helpers --------------------------------------------------------------------------------- */

/* A model with bundles, as .fb. */
static fb_run generate(const char *model, const char *more, const char *value) {
    fb_run run = FB_RUN(fb_fbgen_main, NULL, "fbgen", "-q", "--no-arms", "--bundles", "60",
                        "--layers-per-bundle", "12", model, more, value);
    FB_TRUE(run.status == 0, "fbgen %s: %s", model, run.err);
    return run;
}

static fb_run split(const char *fb, const char *k) {
    return FB_RUN(fb_fb2osim_main, fb, "fb2osim", "-q", "--bundles", k, "-");
}

static fb_model *read_model(const char *text, fb_diag *diag) {
    fb_model *model = *text == '{' ? fb_test_fb(text, diag, NULL) : fb_test_osim(text, diag, NULL);
    return fb_test_must(model, diag);
}

/* The i-th sub-muscle of a line; NULL past the last. */
static const fb_element *part_of(const fb_model *model, const char *line, int i) {
    char name[200];
    snprintf(name, sizeof name, "%s_b%d", line, i + 1);
    return fb_model_find(model, FB_FORCE, name);
}

static int count(const fb_element *element, const char *key) {
    const fb_value *value = fb_get(element, key);
    return value ? value->n : 0;
}

static fb_sto arms_of(const char *text, const char *compat) {
    fb_sto table;
    fb_run run = FB_RUN(fb_fbsim_main, text, "fbsim", "eval", "-q", "--tables", "moment_arm", "-",
                        compat);
    memset(&table, 0, sizeof table);
    fb_test_table(&table, run.out, strlen(run.out), "moment arms");
    fb_run_free(&run);
    return table;
}

/* ---- the stored member ----------------------------------------------------------------------- */

/* Compares a body with the one of its name among those that fbgen wrote; returns the greatest
 * distance of rings' centres and axes. */
static double difference(const fb_body *body, const fb_body *written, size_t n) {
    double most = HUGE_VAL;
    for (size_t i = 0; i < n; i++) {
        const fb_body *other = written + i;
        if (strcmp(other->name, body->name) != 0) {
            continue;
        }
        FB_EQUAL_INT(body->n_bundles, other->n_bundles);
        FB_EQUAL_INT(body->n_rings, other->n_rings);
        most = 0;
        for (size_t r = 0; r < body->n_rings && r < other->n_rings; r++) {
            const fb_ring *a = body->rings + r, *b = other->rings + r;
            most = fmax(most, fb_v3_distance(a->c, b->c));
            most = fmax(most, fmax(fb_v3_distance(a->u, b->u), fb_v3_distance(a->w, b->w)));
        }
    }
    return most;
}

/* fbgen -> .fb -> a body again: the rings are those that fbgen wrote. Returns how many bodies. */
static int rebuild(const char *model_file, const char *spec) {
    const char *folder = fb_test_folder(), *layers = fb_test_path(folder, "rings.jsonl");
    fb_run fb = FB_RUN(fb_fbgen_main, NULL, "fbgen", "-q", "--no-arms", "--bundles", "60",
                       "--layers-per-bundle", "12", "--layers", layers, model_file,
                       spec ? "--spec" : NULL, spec);
    size_t size = 0, n_written = 0;
    char *bytes = fb_test_read_file(layers, &size);
    fb_body *written = NULL;
    fb_diag diag;
    fb_model *model = read_model(fb.out, &diag);
    FB_EQUAL_INT(fb_layers_read(&written, &n_written, bytes, size, layers, &diag), FB_OK);
    fb_arena arena;
    fb_arena_init(&arena);
    jmp_buf oom;
    arena.oom = &oom;
    FB_TRUE(!setjmp(oom), "there is memory");
    fb_stored *stored;
    int n = 0, laid = 0;
    FB_EQUAL_INT(fb_stored_read(&stored, &n, model, &arena, &diag), FB_OK);
    FB_EQUAL_INT(n, n_written);
    fb_system *system;
    fb_paths *paths;
    fb_system_options options = {false};
    FB_EQUAL_INT(fb_system_compile(&system, model, &options, &diag), FB_OK);
    FB_EQUAL_INT(fb_paths_compile(&paths, system, false, &diag), FB_OK);
    fb_state *state = fb_state_new(system);
    fb_state_position(state);
    FB_EQUAL_INT(fb_assemble(state, 1e-10), FB_OK);
    fb_state_position(state);
    fb_spec spec_again = {0};
    fb_arena_init(&spec_again.arena);
    spec_again.arena.oom = &oom;
    fb_stored_spec(&spec_again, stored, n);
    fb_recipe_options how = fb_recipe_options_default();
    fb_recipes *recipes = NULL;
    fb_scratch scratch = {0};
    how.spec = &spec_again;
    FB_EQUAL_INT(fb_recipes_make(&recipes, paths, state, &how, &diag), FB_OK);
    for (int i = 0; i < n; i++) {
        fb_build build;
        fb_body body = {0};
        fb_recipe *recipe = NULL;
        for (int r = 0; r < recipes->n; r++) {
            recipe = recipes->recipes[r].spec == spec_again.muscles + i ? recipes->recipes + r
                                                                        : recipe;
        }
        const char *why = recipe ? fb_stored_build(&build, recipe, stored + i, state) : "none";
        why = why ? why : fb_build_place(&build, recipe, &body, &scratch);
        FB_TRUE(!why, "%s: %s", stored[i].muscle, why);
        if (!why) {
            double off = difference(&body, written, n_written);
            FB_TRUE(off < 1e-9, "%s: rings are %g m off", stored[i].muscle, off);
            laid++;
        }
        fb_body_free(&body);
        fb_build_free(&build);
    }
    fb_scratch_clear(&scratch);
    fb_recipes_free(recipes);
    fb_arena_clear(&spec_again.arena);
    fb_state_free(state);
    fb_paths_free(paths);
    fb_system_free(system);
    fb_arena_clear(&arena);
    fb_layers_free(written, n_written);
    fb_free(bytes);
    fb_model_free(model);
    fb_diag_clear(&diag);
    fb_run_free(&fb);
    return laid;
}

static void stored_bundles_make_the_same_body(void) {
    FB_TRUE(rebuild(ARM, SPEC) >= 15, "most of the arm's muscles");
    FB_TRUE(rebuild(ELBOW, NULL) >= 2, "the elbow's muscles");
}

/* Cores with courses of their own travel with the document too. */
static void courses_of_their_own_travel_along(void) {
    const char *spec =
        "{\"muscles\": [{\"name\": \"BRA\", \"lines\": [\"brachialis\"], \"cores\": ["
        "{\"name\": \"in\", \"line\": \"brachialis\", \"frame\": \"ground\", \"points\": "
        "[[0, 0, 0], [0.01, -0.1, 0], [0, -0.2, 0.01]]}, "
        "{\"name\": \"out\", \"line\": \"brachialis\", \"frame\": \"ground\", \"points\": "
        "[[0, 0, 0.03], [0.01, -0.1, 0.03], [0, -0.2, 0.02]]}], "
        "\"volume\": 0.0001, \"twist\": 0.3, \"height_direction\": [1, 0, 0]}]}";
    const char *file = fb_test_path(fb_test_folder(), "spec.json");
    fb_test_write_file(file, spec, strlen(spec));
    FB_TRUE(rebuild(ELBOW, file) >= 2, "the elbow's muscles, with one that has two courses");
}

/* ---- sub-muscles ----------------------------------------------------------------------------- */

/* Mean moment arms, weighted with forces, against the lines' own; and all other numbers. Returns
 * how many lines were split. */
static int compare(const char *before_text, const char *after_text, int k, double tolerance,
                   double off) {
    fb_diag diag[2];
    fb_model *before = read_model(before_text, diag), *after = read_model(after_text, diag + 1);
    fb_sto was = arms_of(before_text, NULL), is = arms_of(after_text, NULL);
    const fb_list *muscles = fb_model_items(before, "muscles");
    int lines = 0;
    for (size_t m = 0; m < muscles->n; m++) {
        const fb_element *line = muscles->items[m];
        double force = 0, offset = 0;
        if (!part_of(after, line->name, 0)) {
            FB_TRUE(fb_model_find(after, FB_FORCE, line->name) != NULL, "%s is whole", line->name);
            continue;
        }
        lines++;
        FB_TRUE(!fb_model_find(after, FB_FORCE, line->name), "%s is gone", line->name);
        FB_TRUE(!part_of(after, line->name, k), "%s has no more than %d", line->name, k);
        const fb_element *path = fb_get_object(line, "path");
        int n_points = count(path, "points");
        for (int g = 0; g < k; g++) {
            const fb_element *part = part_of(after, line->name, g);
            const fb_element *own = fb_get_object(part, "path");
            FB_TRUE(part->cls == line->cls, "%s: the same class", part->name);
            force += fb_get_number(part, "max_isometric_force");
            FB_NEAR(fb_get_number(part, "max_isometric_force"),
                    fb_get_number(line, "max_isometric_force") / k, 0, 0.51);
            FB_SAME(fb_get_number(part, "pennation_angle"), fb_get_number(line, "pennation_angle"));
            FB_NEAR(fb_get_number(part, "tendon_slack_length") /
                        fb_get_number(part, "optimal_fiber_length"),
                    fb_get_number(line, "tendon_slack_length") /
                        fb_get_number(line, "optimal_fiber_length"),
                    0, 1e-12);
            FB_EQUAL_INT(count(own, "points"), n_points);
            FB_EQUAL_INT(count(own, "wraps"), count(path, "wraps"));
            for (int p = 0; p < n_points; p++) {
                const fb_element *a = fb_test_item(path, "points", p);
                const fb_element *b = fb_test_item(own, "points", p);
                double x[3] = {0, 0, 0}, y[3] = {0, 0, 0};
                FB_TRUE(a->cls == b->cls, "%s: the same kind of points", part->name);
                FB_EQUAL_STR(fb_test_target(b, "frame"), fb_test_target(a, "frame"));
                fb_get_vector(a, "location", x, 3);
                fb_get_vector(b, "location", y, 3);
                offset = fmax(offset, fb_v3_distance(x, y));
            }
            FB_TRUE(!fb_get_extra(part, "bundles"), "bundles are those of the whole");
        }
        FB_NEAR(force, fb_get_number(line, "max_isometric_force"), 0, 1e-15);
        FB_TRUE(off > 0 ? offset > off : offset < 1e-9, "%s: parts are %g m off", line->name,
                offset);
        for (int c = 0; c < was.n_columns; c++) { /* "/forceset/NAME|coordinate" */
            size_t n = strlen(line->path);
            const char *label = was.columns[c];
            if (strncmp(label, line->path, n) != 0 || label[n] != '|') {
                continue;
            }
            double sum = 0;
            for (int g = 0; g < k; g++) {
                char column[400];
                snprintf(column, sizeof column, "%s_b%d%s", line->path, g + 1, label + n);
                sum += fb_get_number(part_of(after, line->name, g), "max_isometric_force") *
                       fb_test_cell(&is, 0, column);
            }
            FB_NEAR(sum / force, fb_sto_value(&was, 0, c), tolerance, 0);
        }
    }
    fb_sto_free(&was);
    fb_sto_free(&is);
    fb_model_free(before);
    fb_model_free(after);
    fb_diag_clear(diag);
    fb_diag_clear(diag + 1);
    return lines;
}

static void sub_muscles_act_as_their_muscle(void) {
    fb_run fb = generate(ARM, "--spec", SPEC), parts = split(fb.out, "3");
    FB_EQUAL_INT(parts.status, 0);
    FB_TRUE(compare(fb.out, parts.out, K, 1e-4, 1e-4) >= 15, "most lines of the arm");
    fb_run_free(&fb);
    fb_run_free(&parts);
    fb = generate(ELBOW, NULL, NULL);
    parts = split(fb.out, "4");
    FB_TRUE(compare(fb.out, parts.out, 4, 1e-4, 1e-4) >= 2, "lines of the elbow");
    fb_run_free(&parts);
    parts = split(fb.out, "1"); /* one group of all is where the line is */
    FB_TRUE(compare(fb.out, parts.out, 1, 1e-9, 0) >= 2, "lines of the elbow");
    fb_run_free(&fb);
    fb_run_free(&parts);
}

/* Two muscles between two points each, without wraps: exact but for rounding. */
static void straight_lines_are_exact(void) {
    fb_run fb = generate(CONTROLLERS, NULL, NULL), parts = split(fb.out, "5");
    FB_EQUAL_INT(parts.status, 0);
    FB_EQUAL_INT(compare(fb.out, parts.out, 5, 1e-9, 1e-3), 2);
    fb_run_free(&fb);
    fb_run_free(&parts);
}

static void lengths_follow_the_paths(void) {
    fb_run fb = generate(ELBOW, NULL, NULL), parts = split(fb.out, "4"), runs[2];
    const char *text[2] = {fb.out, parts.out};
    fb_sto table[2];
    fb_diag diag[2];
    fb_model *model[2];
    for (int i = 0; i < 2; i++) {
        memset(table + i, 0, sizeof *table);
        model[i] = read_model(text[i], diag + i);
        runs[i] = FB_RUN(fb_fbsim_main, text[i], "fbsim", "eval", "-q", "--tables", "path_length",
                         "-");
        fb_test_table(table + i, runs[i].out, strlen(runs[i].out), "lengths");
    }
    double optimal = fb_get_number(fb_test_find(model[0], "/forceset/triceps_long"),
                                   "optimal_fiber_length");
    double length = fb_test_cell(table, 0, "/forceset/triceps_long"), least = 9, most = 0;
    for (int g = 0; g < 4; g++) {
        char column[100];
        snprintf(column, sizeof column, "/forceset/triceps_long_b%d", g + 1);
        double own = fb_test_cell(table + 1, 0, column);
        FB_NEAR(fb_get_number(fb_test_find(model[1], column), "optimal_fiber_length"),
                optimal * own / length, 0, 1e-12);
        least = fmin(least, own);
        most = fmax(most, own);
    }
    FB_TRUE(most - least > 1e-6, "they differ: %g to %g m", least, most);
    for (int i = 0; i < 2; i++) {
        fb_sto_free(table + i);
        fb_model_free(model[i]);
        fb_diag_clear(diag + i);
        fb_run_free(runs + i);
    }
    fb_run_free(&fb);
    fb_run_free(&parts);
}

/* ---- what refers to muscles ------------------------------------------------------------------ */

static void controllers_and_groups_follow(void) {
    fb_run fb = generate(CONTROLLERS, NULL, NULL);
    fb_run parts = FB_RUN(fb_fb2osim_main, fb.out, "fb2osim", "--bundles", "2", "-");
    FB_EQUAL_INT(parts.status, 0);
    FB_HOLDS(parts.err, "2 muscles are written as 4 sub-muscles");
    FB_HOLDS(parts.out, "<synergy_weights>0.9 0.9 0.1 0.1</synergy_weights>");
    FB_HOLDS(parts.out, "flexor_b1 flexor_b2 extensor_b1 extensor_b2<");
    FB_HOLDS(parts.err, "'recipe_from_file' has a file of controls in which may be 'flexor', of "
                        "which there are 2 parts now");
    fb_diag diag;
    fb_model *model = read_model(parts.out, &diag);
    FB_NO_RECORD(&diag, FB2201); /* no reference is left that points to nothing */
    FB_EQUAL_INT(fb_get(fb_test_find(model, "/controllerset/tracking"), "actuators")->n, 4);
    fb_model_free(model);
    fb_diag_clear(&diag);
    fb_run_free(&parts);
    parts = FB_RUN(fb_fb2osim_main, fb.out, "fb2osim", "--strict", "--bundles", "2", "-");
    FB_EQUAL_INT(parts.status, 4);
    FB_EQUAL_STR(parts.out, "");
    fb_run_free(&parts);
    fb_run_free(&fb);
}

/* ---- bad input ------------------------------------------------------------------------------- */

static void nonsense_is_refused(void) {
    static const char *const wrong[] = {"0", "-1", "1.5", "x", "1e9", ""};
    for (int i = 0; i < 6; i++) {
        fb_run run = FB_RUN(fb_fb2osim_main, NULL, "fb2osim", "--bundles", wrong[i], ELBOW);
        FB_EQUAL_INT(run.status, 2);
        FB_HOLDS(run.err, "--bundles");
        fb_run_free(&run);
    }
    fb_run run = FB_RUN(fb_fb2osim_main, NULL, "fb2osim", "--bundles", "2", ELBOW);
    FB_EQUAL_INT(run.status, 3);
    FB_HOLDS(run.err, "no muscle of the model has bundles: fbgen makes them");
    FB_EQUAL_STR(run.out, "");
    fb_run_free(&run);
}

/* Puts a value in the place of a member of the first muscle's bundles and converts. */
static fb_run with_member(const char *fb, const char *key, const char *value) {
    json_t *document = json_loads(fb, 0, NULL), *muscle, *bundles = NULL;
    size_t i;
    json_array_foreach(json_object_get(document, "muscles"), i, muscle) {
        json_t *own = json_object_get(muscle, "bundles");
        bundles = !bundles && json_object_get(own, "cells") ? own : bundles;
    }
    json_object_set_new(bundles, key, json_loads(value, JSON_DECODE_ANY, NULL));
    char *text = json_dumps(document, 0);
    fb_run run = FB_RUN(fb_fb2osim_main, text, "fb2osim", "--bundles", "2", "-");
    free(text);
    json_decref(document);
    return run;
}

static void members_that_make_no_sense_are_refused(void) {
    static const char *const cases[][3] = {
        {"volume", "0", "its volume, ratio, cut, curve or part of fibers is not possible"},
        {"volume", "\"much\"", "'volume' is missing, or has a wrong type or value"},
        {"cells", "[[0, 0, 0]]", "fewer than 4"},
        {"cells", "[[0, 0, 0], [1, 0.5, 0], [0, 1, 0], [1, 1, 0]]", "'cells' is missing"},
        {"cells", "[[0, 0, 9], [-1, 0, 0], [-1, -1, 0], [0, -1, 0]]", "of a core that it does not"},
        {"lines", "[]", "'lines' is missing"},
        {"lines", "[\"nobody\"]", "a core is of a line that is not among the muscle's"},
        {"width_law", "\"square\"", "'width_law' is missing"},
        {"cores", "[{\"name\": \"a\"}]", "'share' is missing"},
        {"height_direction", "[0, 0, 0]", "its height has no direction"},
        {"layers", "1", "number of layers is not possible"},
        {"fiber_part", "1e-9", "its volume, ratio, cut, curve or part of fibers is not possible"},
        {"strength", "1e300", "its strength is not possible"},
    };
    fb_run fb = generate(CONTROLLERS, NULL, NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fb_run run = with_member(fb.out, cases[i][0], cases[i][1]);
        FB_EQUAL_INT(run.status, 3);
        FB_HOLDS(run.err, cases[i][2]);
        FB_EQUAL_STR(run.out, "");
        fb_run_free(&run);
    }
    /* cells that are no lattice: the muscle stays whole, and it is told */
    fb_run run = with_member(fb.out, "cells", "[[0, 0, 0], [0, 0, 0], [-1, -1, 0], [0, -1, 0]]");
    FB_EQUAL_INT(run.status, 0);
    FB_HOLDS(run.err, "is not written as sub-muscles: two of its bundles have one cell");
    fb_run_free(&run);
    fb_run_free(&fb);
}

/* A muscle whose bundles were with a line that is no more stays whole, and it is told; bundles that
 * are no object are refused. */
static void bundles_that_are_gone_are_told(void) {
    static const char *const filters[][2] = {
        {"{\"of\": \"nobody\"}", "no muscle with bundles has it among its lines"},
        {"5", "must be an object"},
    };
    fb_run fb = generate(CONTROLLERS, NULL, NULL);
    for (int k = 0; k < 2; k++) {
        json_t *document = json_loads(fb.out, 0, NULL);
        json_t *muscle = json_array_get(json_object_get(document, "muscles"), 0);
        json_object_set_new(muscle, "bundles", json_loads(filters[k][0], JSON_DECODE_ANY, NULL));
        char *text = json_dumps(document, 0);
        fb_run run = FB_RUN(fb_fb2osim_main, text, "fb2osim", "--bundles", "2", "-");
        FB_EQUAL_INT(run.status, k ? 3 : 0);
        FB_HOLDS(run.err, filters[k][1]);
        fb_run_free(&run);
        free(text);
        json_decref(document);
    }
    fb_run_free(&fb);
}

/* More parts than there are bundles: as many as there are. */
static void there_are_no_more_parts_than_bundles(void) {
    fb_run fb = generate(CONTROLLERS, NULL, NULL);
    fb_run run = split(fb.out, "1000");
    FB_EQUAL_INT(run.status, 0);
    FB_EQUAL_INT(compare(fb.out, run.out, 60, 1e-9, 1e-3), 2);
    fb_run_free(&run);
    fb_run_free(&fb);
}

/* How many allocations it takes to read a document and its bundles. */
static long allocations_of_reading(const char *text) {
    fb_diag diag;
    fb_arena arena;
    jmp_buf oom;
    fb_stored *stored;
    int n;
    fb_arena_init(&arena);
    arena.oom = &oom;
    FB_TRUE(!setjmp(oom), "there is memory");
    fb_alloc_fail_at(1000000000); /* counts */
    fb_model *model = fb_test_must(fb_test_fb(text, &diag, NULL), &diag);
    FB_EQUAL_INT(fb_stored_read(&stored, &n, model, &arena, &diag), FB_OK);
    long count = fb_alloc_fail_at(0);
    fb_arena_clear(&arena);
    fb_model_free(model);
    fb_diag_clear(&diag);
    return count;
}

/* Memory that runs out anywhere after reading (jansson 2.14 has an assertion that fails when it
 * runs out within a number of more than 16 digits): no output, a status that says so, no crash. */
static void memory_may_run_out(void) {
    fb_run fb = FB_RUN(fb_fbgen_main, NULL, "fbgen", "-q", "--no-arms", "--bundles", "8",
                       "--layers-per-bundle", "4", CONTROLLERS);
    long first = allocations_of_reading(fb.out) + 10;
    fb_alloc_fail_at(1000000000);
    fb_run whole = split(fb.out, "2");
    long n = fb_alloc_fail_at(0), step = fb_test_is_fast() ? 1 : n / 50 + 1;
    FB_EQUAL_INT(whole.status, 0);
    FB_TRUE(n > first + 50, "it allocates %ld times, %ld before it begins", n, first);
    for (long i = first; i <= n; i += step) {
        fb_alloc_fail_at(i);
        fb_run run = split(fb.out, "2");
        fb_alloc_fail_at(0);
        FB_TRUE(run.status == 0 ? strcmp(run.out, whole.out) == 0 : run.status >= 3 && !*run.out,
                "allocation %ld: status %d, %zu bytes", i, run.status, run.n_out);
        fb_run_free(&run);
    }
    fb_run_free(&whole);
    fb_run_free(&fb);
}

static const fb_test tests[] = {
    FB_TEST(stored_bundles_make_the_same_body),
    FB_TEST(courses_of_their_own_travel_along),
    FB_TEST(sub_muscles_act_as_their_muscle),
    FB_TEST(straight_lines_are_exact),
    FB_TEST(lengths_follow_the_paths),
    FB_TEST(controllers_and_groups_follow),
    FB_TEST(nonsense_is_refused),
    FB_TEST(members_that_make_no_sense_are_refused),
    FB_TEST(bundles_that_are_gone_are_told),
    FB_TEST(there_are_no_more_parts_than_bundles),
    FB_TEST(memory_may_run_out),
    FB_TEST_END,
};

int main(int argc, char **argv) {
    return fb_test_main("fb2osim_bundles", tests, argc, argv);
}
