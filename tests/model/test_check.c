/* Lints: each has models that it speaks of, and models of which it keeps silent. */
#include "libcore/model/check.h"

#include <stdlib.h>
#include <string.h>

#include "tests/help.h"

/* Reads a .fb document and checks it. Members begin on line 2. */
static fb_model *check(const char *members, fb_diag *diag) {
    size_t n = strlen(members) + 40;
    char *text = malloc(n);
    snprintf(text, n, "{\"fb\": \"1.0\",\n%s}", members);
    fb_model *model = fb_test_must(fb_test_fb(text, diag, NULL), diag);
    free(text);
    free(fb_test_to_fb(model));
    FB_EQUAL_INT(diag->n, 0);
    fb_model_check(model, diag);
    return model;
}

static void done(fb_model *model, fb_diag *diag) {
    fb_model_free(model);
    fb_diag_clear(diag);
}

static void speaks(const char *members, fb_action action, fb_diag_id id, const char *path,
                   const char *message) {
    fb_diag diag;
    fb_model *model = check(members, &diag);
    const fb_record *record = FB_RECORD(&diag, action, id, -1);
    if (record) {
        FB_HOLDS(record->message, message);
        FB_EQUAL_STR(record->path, path);
        FB_TRUE(record->line > 0, "it has a line");
    }
    FB_EQUAL_INT(diag.n, 1);
    done(model, &diag);
}

static void warns(const char *members, fb_diag_id id, const char *path, const char *message) {
    speaks(members, FB_WARNING, id, path, message);
}

static void is_silent(const char *members) {
    fb_diag diag;
    fb_model *model = check(members, &diag);
    FB_TRUE(diag.n == 0, "%.100s: %s", members, diag.n ? diag.records[0].message : "");
    done(model, &diag);
}

/* ---- bodies ---------------------------------------------------------------------------------- */

/* A body b with those members, welded to ground. */
#define BODY(MEMBERS) \
    "\"bodies\": [{\"name\": \"b\", " MEMBERS "}],\n" \
    "\"joints\": [{\"name\": \"j\", \"type\": \"weld\", \"parent\": \"ground\", \"child\": " \
    "\"b\"}]"

static void bodies_have_possible_masses(void) {
    warns(BODY("\"mass\": -1"), FB2302, "/bodyset/b", "the mass must be 0 or more, got -1 kg");
    warns(BODY("\"mass\": \"nan\""), FB2302, "/bodyset/b", "got nan kg");
    warns(BODY("\"mass\": \"inf\""), FB2302, "/bodyset/b", "got inf kg");
    warns(BODY("\"mass\": 1, \"mass_center\": [0, \"nan\", 0]"), FB2302, "/bodyset/b",
          "not finite");
    is_silent(BODY("\"mass\": 0"));
    is_silent(BODY("\"mass\": 1e-9"));
}

static void bodies_have_possible_inertias(void) {
    warns(BODY("\"mass\": 1, \"inertia\": [-1, 1, 1, 0, 0, 0]"), FB2302, "/bodyset/b", "negative");
    warns(BODY("\"mass\": 1, \"inertia\": [1, 1, 3, 0, 0, 0]"), FB2302, "/bodyset/b",
          "larger than the two others");
    warns(BODY("\"mass\": 1, \"inertia\": [3, 1, 1, 0, 0, 0]"), FB2302, "/bodyset/b",
          "larger than the two others");
    warns(BODY("\"mass\": 1, \"inertia\": [1, 1, 1, 2, 0, 0]"), FB2302, "/bodyset/b",
          "products of inertia are too large");
    warns(BODY("\"mass\": 1, \"inertia\": [1, 1, 1, 0, 0, 1.1]"), FB2302, "/bodyset/b",
          "products of inertia are too large");
    warns(BODY("\"mass\": 0, \"inertia\": [1, 1, 1, 0, 0, 0]"), FB2302, "/bodyset/b",
          "inertia but no mass");
    is_silent(
        BODY("\"mass\": 1, \"inertia\": [1, 1, 2, 0, 0, 0]")); /* a flat body: just possible */
    is_silent(BODY("\"mass\": 1, \"inertia\": [1, 1, 1, 0.3, 0.2, 0.1]"));
    is_silent(BODY("\"mass\": 1, \"inertia\": [0, 0, 0, 0, 0, 0]"));
    is_silent(BODY("\"mass\": 1, \"inertia\": [0, 1, 1, 0, 0, 0]")); /* a rod */
}

/* ---- topology -------------------------------------------------------------------------------- */

#define TWO "\"bodies\": [{\"name\": \"a\", \"mass\": 1},\n{\"name\": \"b\", \"mass\": 1}]"
#define WELD(NAME, PARENT, CHILD) \
    "{\"name\": \"" NAME "\", \"type\": \"weld\", \"parent\": \"" PARENT "\", \"child\": \"" CHILD \
    "\"}"

static void bodies_are_reached_by_joints(void) {
    warns(TWO ", \"joints\": [" WELD("j", "ground", "a") "]", FB2301, "/bodyset/b",
          "no joint connects it to ground");
    is_silent(TWO ", \"joints\": [" WELD("j", "ground", "a") "," WELD("k", "a", "b") "]");
    is_silent(TWO ", \"joints\": [" WELD("k", "b", "a") "," WELD("j", "ground", "b") "]");
    is_silent(TWO ", \"frames\": [{\"name\": \"f\", \"parent\": \"b\"}], \"joints\": [" WELD(
        "j", "ground", "a") "," WELD("k", "a", "f") "]");
}

static void loops_of_joints_are_told(void) {
    warns(TWO
          ", \"joints\": [" WELD("j", "ground",
                                 "a") "," WELD("k", "a", "b") ",\n" WELD("l", "ground", "b") "]",
          FB2306, "/jointset/l", "closes a loop");
    warns(TWO ", \"joints\": [" WELD("j", "ground",
                                     "a") "," WELD("k", "a", "b") ",\n" WELD("l", "b", "b") "]",
          FB2306, "/jointset/l", "joins b to itself");
}

static void frames_do_not_hang_on_themselves(void) {
    fb_diag diag;
    fb_model *model = check(
        "\"frames\": [{\"name\": \"f\", \"parent\": \"g\"},\n{\"name\": \"g\", \"parent\": \"f\"}]",
        &diag);
    FB_RECORD(&diag, FB_ERROR, FB2205, 2);
    FB_RECORD(&diag, FB_ERROR, FB2205, 3);
    FB_TRUE(fb_base_frame(fb_test_find(model, "/f")) == NULL, "it has no base");
    done(model, &diag);
    speaks("\"frames\": [{\"name\": \"f\", \"parent\": \"f\"}]", FB_ERROR, FB2205, "/f",
           "round in a circle");
    is_silent("\"frames\": [{\"name\": \"f\", \"parent\": \"g\"},\n{\"name\": \"g\", \"parent\": "
              "\"ground\"}]");
}

static void base_frames_are_found(void) {
    fb_diag diag;
    fb_model *model = check(
        BODY(
            "\"mass\": 1") ", \"frames\": [{\"name\": \"f\", \"parent\": \"b\"}, {\"name\": \"g\", "
                           "\"parent\": \"f\"},"
                           "{\"name\": \"s\", \"type\": \"station_defined\", \"point_a\": \"p\", "
                           "\"point_b\": \"q\", \"point_c\": \"r\", \"origin\": \"p\"}],"
                           "\"stations\": [{\"name\": \"p\", \"frame\": \"g\", \"location\": [0, "
                           "0, "
                           "0]}, {\"name\": \"q\", \"frame\": \"g\", \"location\": [1, 0, 0]},"
                           "{\"name\": \"r\", \"frame\": \"g\", \"location\": [0, 1, 0]}]",
        &diag);
    const fb_element *b = fb_test_find(model, "/bodyset/b");
    FB_TRUE(fb_base_frame(b) == b, "a body is its own");
    FB_TRUE(fb_base_frame(fb_test_find(model, "/g")) == b, "through two frames");
    FB_TRUE(fb_base_frame(fb_test_find(model, "/s")) == b, "through a station");
    FB_TRUE(fb_base_frame(model->ground) == model->ground, "ground is its own");
    FB_TRUE(fb_base_frame(NULL) == NULL, "nothing has none");
    FB_NEAR(fb_total_mass(model), 1, 0, 0);
    done(model, &diag);
}

/* ---- virtual links --------------------------------------------------------------------------- */

#define LINKED(POINTS) \
    "\"virtual_links\": [{\"name\": \"v\", \"frame\": \"ground\"}],\n\"springs\": [{\"name\": " \
    "\"s\", \"type\": \"path\", \"path\": {\"points\": [" POINTS "]}}, {\"name\": \"t\", " \
    "\"type\": \"path\", \"path\": {\"points\": [{\"type\": \"link\", \"virtual_link\": \"v\"}, " \
    "{\"frame\": \"ground\"}]}}]"

static void links_need_two_wires(void) {
    warns("\"virtual_links\": [{\"name\": \"v\", \"frame\": \"ground\"}]", FB2309,
          "/virtual_links/v", "0 wires end at it");
    warns(LINKED("{\"frame\": \"ground\"}, {\"frame\": \"ground\"}"), FB2309, "/virtual_links/v",
          "1 wire ends at it");
    is_silent(LINKED("{\"frame\": \"ground\"}, {\"type\": \"link\", \"virtual_link\": \"v\"}"));
}

/* ---- values ---------------------------------------------------------------------------------- */

#define MUSCLE(MEMBERS) \
    "\"muscles\": [{\"name\": \"m\", \"type\": \"Thelen2003\"," MEMBERS \
    ", \"path\": {\"points\": [{\"frame\": \"ground\"}," \
    "{\"frame\": \"ground\", \"location\": [0, 1, 0]}]}}]"

static void muscle_parameters_are_in_their_bounds(void) {
    warns(MUSCLE("\"max_isometric_force\": -1"), FB2104, "/forceset/m",
          "max_isometric_force must be at least 0, got -1");
    warns(MUSCLE("\"optimal_fiber_length\": 0"), FB2104, "/forceset/m",
          "optimal_fiber_length must be more than 0, got 0");
    warns(MUSCLE("\"tendon_slack_length\": -0.1"), FB2104, "/forceset/m",
          "tendon_slack_length must be at least 0");
    warns(MUSCLE("\"max_contraction_velocity\": 0"), FB2104, "/forceset/m", "more than 0");
    warns(MUSCLE("\"pennation_angle\": 1.6"), FB2104, "/forceset/m", "from 0 to 1.571, got 1.6");
    warns(MUSCLE("\"pennation_angle\": \"nan\""), FB2104, "/forceset/m", "got nan");
    warns(MUSCLE("\"activation_time_constant\": 0"), FB2104, "/forceset/m", "more than 0");
    warns(MUSCLE("\"minimum_activation\": 1.5"), FB2104, "/forceset/m", "from 0 to 1, got 1.5");
    is_silent(
        MUSCLE("\"max_isometric_force\": 0, \"tendon_slack_length\": 0, \"pennation_angle\": 0, "
               "\"minimum_activation\": 0"));
}

static void bounds_hold_for_other_classes_too(void) {
    warns("\"wraps\": [{\"name\": \"w\", \"type\": \"sphere\", \"frame\": \"ground\", \"radius\": "
          "0}]",
          FB2104, "/ground/wrapobjectset/w", "radius must be more than 0");
    warns("\"wraps\": [{\"name\": \"w\", \"type\": \"cylinder\", \"frame\": \"ground\", "
          "\"radius\": 1, "
          "\"length\": -2}]",
          FB2104, "/ground/wrapobjectset/w", "length must be more than 0");
    warns("\"ground\": {\"geometry\": [{\"mesh\": \"x.vtp\", \"appearance\": {\"opacity\": 1.5}}]}",
          FB2104, "/ground", "opacity must be from 0 to 1");
    is_silent("\"wraps\": [{\"name\": \"w\", \"type\": \"torus\", \"frame\": \"ground\", "
              "\"inner_radius\": "
              "0.1, \"outer_radius\": 0.2}]");
}

#define COORDINATE(MEMBERS) \
    "\"bodies\": [{\"name\": \"b\", \"mass\": 1}],\n\"joints\": [{\"name\": \"j\", \"type\": " \
    "\"pin\", " \
    "\"parent\": \"ground\", \"child\": \"b\", " \
    "\"coordinates\": [{\"name\": \"q\", " MEMBERS "}]}]"

static void coordinates_are_in_their_ranges(void) {
    warns(COORDINATE("\"range\": [1, -1]"), FB2104, "/jointset/j/q",
          "the range goes from 1 down to -1");
    warns(COORDINATE("\"range\": [-1, 1], \"clamped\": true, \"default\": 2"), FB2104,
          "/jointset/j/q", "clamped to -1 .. 1");
    is_silent(COORDINATE("\"range\": [-1, 1], \"clamped\": false, \"default\": 2"));
    is_silent(COORDINATE("\"range\": [-1, 1], \"clamped\": true, \"default\": 1"));
    is_silent(COORDINATE("\"range\": [1, 1]"));
}

static void quadrants_are_halves(void) {
    static const char *const good[] = {"all", "x", "+x", "-x", "Y", "-z"}, *const bad[] = {"xy",
                                                                                           "+", "w",
                                                                                           "+-x"};
    for (int i = 0; i < 10; i++) {
        char text[200];
        snprintf(text, sizeof text,
                 "\"wraps\": [{\"name\": \"w\", \"type\": \"sphere\", \"frame\": \"ground\", "
                 "\"radius\": 1, "
                 "\"quadrant\": \"%s\"}]",
                 i < 6 ? good[i] : bad[i - 6]);
        if (i < 6) {
            is_silent(text);
        } else {
            warns(text, FB2103, "/ground/wrapobjectset/w",
                  "the quadrant must be all, or x, y or z with a sign");
        }
    }
}

/* ---- paths ----------------------------------------------------------------------------------- */

#define P "{\"frame\": \"ground\", \"location\": [0, 0, 1]}"
#define SPRING(PATH) \
    COORDINATE("\"range\": [-1, 1]") \
    ", \"wraps\": [{\"name\": \"w\", \"type\": \"sphere\", \"frame\": \"ground\", \"radius\": " \
    "1}]," \
    "\"springs\": [{\"name\": \"s\", \"type\": \"path\", \"resting_length\": 1, \"stiffness\": " \
    "1, " \
    "\"dissipation\": 0, \"path\": {" PATH "}}]"

static void paths_have_two_points(void) {
    warns(SPRING("\"points\": []"), FB2307, "/forceset/s", "it has 0 points");
    warns(SPRING("\"points\": [" P "]"), FB2307, "/forceset/s", "it has 1 point;");
    is_silent(SPRING("\"points\": [" P "," P "]"));
}

static void wraps_are_between_points_that_exist(void) {
    warns(SPRING("\"points\": [" P "," P "], \"wraps\": [{\"wrap\": \"w\", \"range\": [1, 5]}]"),
          FB2104, "/forceset/s", "1 and 5 of 2");
    warns(SPRING("\"points\": [" P "," P "], \"wraps\": [{\"wrap\": \"w\", \"range\": [2, 1]}]"),
          FB2104, "/forceset/s", "2 and 1 of 2");
    is_silent(
        SPRING("\"points\": [" P "," P "], \"wraps\": [{\"wrap\": \"w\", \"range\": [1, 2]}]"));
    is_silent(
        SPRING("\"points\": [" P "," P "], \"wraps\": [{\"wrap\": \"w\", \"range\": [-1, -1]}]"));
}

static void ranges_of_conditional_points_rise(void) {
    warns(SPRING("\"points\": [" P
                 ", {\"name\": \"c\", \"type\": \"conditional\", \"frame\": \"ground\", "
                 "\"coordinate\": \"q\", \"range\": [0.5, 0.1]}," P "]"),
          FB2104, "/forceset/s", "'c' has a range from 0.5 down to 0.1");
    is_silent(SPRING("\"points\": [" P
                     ", {\"type\": \"conditional\", \"frame\": \"ground\", \"coordinate\": "
                     "\"q\", \"range\": [0.1, 0.5]}," P "]"));
}

/* ---- functions ------------------------------------------------------------------------------- */

/* A custom joint whose first axis has that function of q, which ranges over -1 .. 1. */
#define AXIS(FUNCTION) \
    "\"bodies\": [{\"name\": \"b\", \"mass\": 1}],\n\"joints\": [{\"name\": \"j\", \"type\": " \
    "\"custom\", " \
    "\"parent\": \"ground\", \"child\": \"b\", " \
    "\"coordinates\": [{\"name\": \"q\", \"range\": [-1, 1]}], \"axes\": [{\"coordinate\": " \
    "\"q\", " \
    "\"axis\": [0, 0, 1], \"function\": " FUNCTION "}]}]"

static void tables_are_well_formed(void) {
    warns(AXIS("{\"type\": \"simm_spline\", \"x\": [-2, 0, 2], \"y\": [0, 1]}"), FB2305,
          "/jointset/j", "3 x but 2 y");
    warns(AXIS("{\"type\": \"simm_spline\", \"x\": [-2, 0, 0, 2], \"y\": [0, 1, 2, 3]}"), FB2305,
          "/jointset/j", "but 0 follows 0");
    warns(AXIS("{\"type\": \"piecewise_linear\", \"x\": [-2, 1, 0, 2], \"y\": [0, 1, 2, 3]}"),
          FB2305, "/jointset/j", "but 0 follows 1");
    is_silent(AXIS("{\"type\": \"simm_spline\", \"x\": [-2, 0, 2], \"y\": [0, 1, 2]}"));
}

static void functions_are_asked_inside_their_tables(void) {
    warns(AXIS("{\"type\": \"simm_spline\", \"x\": [-0.5, 0, 2], \"y\": [0, 1, 2]}"), FB2303,
          "/jointset/j", "ranges over -1 .. 1, the table only over -0.5 .. 2");
    warns(AXIS("{\"type\": \"multiplier\", \"function\": {\"type\": \"simm_spline\", \"x\": [-2, "
               "0, 0.5], "
               "\"y\": [0, 1, 2]}}"),
          FB2303, "/jointset/j", "the table only over -2 .. 0.5");
    is_silent(AXIS("{\"type\": \"simm_spline\", \"x\": [-1, 0, 1], \"y\": [0, 1, 2]}"));
    is_silent(AXIS("{\"type\": \"constant\", \"value\": 3}"));
    is_silent(AXIS("{\"type\": \"polynomial\", \"coefficients\": [1, 2]}"));
}

static void moving_points_are_asked_inside_their_tables(void) {
    const char *path = SPRING(
        "\"points\": [" P ", {\"type\": \"moving\", \"name\": \"v\", \"frame\": \"ground\", "
        "\"x_coordinate\": \"q\", \"x\": "
        "{\"type\": \"simm_spline\", \"x\": [0, 0.5, 1], \"y\": [0, 1, 2]}}," P "]");
    warns(path, FB2303, "/forceset/s",
          "v: the coordinate q ranges over -1 .. 1, the table only over 0 .. 1");
}

/* ---- walking --------------------------------------------------------------------------------- */

static void count(const fb_element *element, void *context) {
    (void)element;
    ++*(int *)context;
}

static void visit_reaches_everything(void) {
    fb_diag diag;
    fb_model *model = check(SPRING("\"points\": [" P "," P "]"), &diag);
    int n = 0;
    fb_visit_model(model, count, &n);
    FB_TRUE(n >= 9, "model, ground, body, joint, coordinate, wrap, spring, path, two points: %d",
            n);
    n = 0;
    fb_visit(fb_get_object(fb_test_find(model, "/forceset/s"), "path"), count, &n);
    FB_TRUE(n >= 3, "the path and its points: %d", n);
    done(model, &diag);
}

static void gallery_models_have_no_errors(void) {
    for (int i = 0; fb_test_glob("models/*/*.osim", i); i++) {
        const char *file = fb_test_glob("models/*/*.osim", i);
        size_t size;
        char *bytes = fb_test_read_file(file, &size);
        fb_model *model;
        fb_diag diag;
        fb_diag_init(&diag);
        FB_EQUAL_INT(fb_osim_read(&model, bytes, size, file, NULL, &diag), FB_OK);
        if (model) {
            fb_model_check(model, &diag);
        }
        FB_TRUE(diag.counts[FB_ERROR] == 0, "%s: %ld errors", file, diag.counts[FB_ERROR]);
        done(model, &diag);
    }
}

static const fb_test tests[] = {
    FB_TEST(bodies_have_possible_masses),
    FB_TEST(bodies_have_possible_inertias),
    FB_TEST(bodies_are_reached_by_joints),
    FB_TEST(loops_of_joints_are_told),
    FB_TEST(frames_do_not_hang_on_themselves),
    FB_TEST(base_frames_are_found),
    FB_TEST(links_need_two_wires),
    FB_TEST(muscle_parameters_are_in_their_bounds),
    FB_TEST(bounds_hold_for_other_classes_too),
    FB_TEST(coordinates_are_in_their_ranges),
    FB_TEST(quadrants_are_halves),
    FB_TEST(paths_have_two_points),
    FB_TEST(wraps_are_between_points_that_exist),
    FB_TEST(ranges_of_conditional_points_rise),
    FB_TEST(tables_are_well_formed),
    FB_TEST(functions_are_asked_inside_their_tables),
    FB_TEST(moving_points_are_asked_inside_their_tables),
    FB_TEST(visit_reaches_everything),
    FB_TEST(gallery_models_have_no_errors),
    FB_TEST_END,
};

int main(int argc, char **argv) {
    return fb_test_main("check", tests, argc, argv);
}
