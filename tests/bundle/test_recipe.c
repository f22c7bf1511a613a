/* Recipes: courses over wrap objects against surfaces and lengths known in closed form, groups,
 * volumes and bellies by hand, height and twist by construction, refusals.
 *
 * test_recipe --print MODEL... prints the recipes of models as tables. */
#include "libcore/bundle/recipe.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/bundle_spec.h"
#include "libcore/base/number.h"
#include "tests/help.h"

#define PI 3.14159265358979323846

/* ---- a leg ----------------------------------------------------------------------------------- */

typedef struct rig {
    fb_model *model;
    fb_system *system;
    fb_paths *paths;
    fb_state *state;
    fb_spec spec;
    fb_measured measured;
    fb_recipes *recipes;
    fb_recipe_options options;
    fb_status status;
    fb_diag diag;
} rig;

/* A thigh that hangs from a pelvis at (0, 1, 0), and a shank from the thigh at (0, 0.6, 0). */
#define LEG \
    "'bodies': [{'name': 'pelvis', 'mass': 40}, {'name': 'femur', 'mass': 8, 'mass_center': [0, " \
    "-0.2, 0]}, {'name': 'tibia', 'mass': 4, 'mass_center': [0, -0.2, 0]}], 'frames': [{'name': " \
    "'hip', 'parent': 'pelvis', 'translation': [0, 1, 0]}, {'name': 'knee', 'parent': 'femur', " \
    "'translation': [0, -0.4, 0]}], 'joints': [{'name': 'root', 'type': 'weld', 'parent': " \
    "'ground', 'child': 'pelvis'}, {'name': 'hip', 'type': 'pin', 'parent': 'hip', 'child': " \
    "'femur', 'coordinates': [{'name': 'h'}]}, {'name': 'knee', 'type': 'pin', 'parent': 'knee', " \
    "'child': 'tibia', 'coordinates': [{'name': 'k'}]}]"

static bool prepare(rig *r) {
    fb_system_options options = {false};
    if (!r->model || fb_system_compile(&r->system, r->model, &options, &r->diag) != FB_OK ||
        fb_paths_compile(&r->paths, r->system, false, &r->diag) != FB_OK) {
        return false;
    }
    r->state = fb_state_new(r->system);
    fb_state_defaults(r->state);
    fb_state_position(r->state);
    return true;
}

static void make(rig *r) { /* a rig may have moved */
    r->options.spec = r->spec.file ? &r->spec : NULL;
    r->options.measured = r->measured.file ? &r->measured : NULL;
    r->status = fb_recipes_make(&r->recipes, r->paths, r->state, &r->options, &r->diag);
}

/* The leg with muscles and wraps (.fb lists, with ' for "), a spec and a table (NULL: none). */
static rig leg(const char *lists, const char *spec, const char *table) {
    rig r = {.options = fb_recipe_options_default()};
    size_t n = strlen(lists) + strlen(LEG) + 100;
    char *text = malloc(n);
    snprintf(text, n, "{'fb': '1.0', %s, %s}", LEG, lists);
    fb_test_quotes(text);
    r.model = fb_test_must(fb_test_fb(text, &r.diag, NULL), &r.diag);
    free(text);
    if (spec) {
        char *quoted = strdup(spec);
        fb_test_quotes(quoted);
        FB_EQUAL_INT(fb_bundle_spec_read(&r.spec, quoted, strlen(quoted), "spec.json", &r.diag),
                     FB_OK);
        free(quoted);
    }
    if (table) {
        FB_EQUAL_INT(fb_bundle_table_read(&r.measured, table, strlen(table), "own.tsv", &r.diag),
                     FB_OK);
    }
    if (!FB_TRUE(prepare(&r), "the leg")) {
        exit(1);
    }
    make(&r);
    return r;
}

static void end(rig *r) {
    fb_recipes_free(r->recipes);
    fb_bundle_spec_free(&r->spec);
    fb_bundle_table_free(&r->measured);
    fb_state_free(r->state);
    fb_paths_free(r->paths);
    fb_system_free(r->system);
    fb_model_free(r->model);
    fb_diag_clear(&r->diag);
}

static const fb_recipe *find(const rig *r, const char *name) {
    static const fb_core none_core = {.name = ""};
    static fb_core cores[4];
    static fb_recipe none;
    const fb_recipe *recipe = r->recipes ? fb_recipes_find(r->recipes, r->model, name) : NULL;
    if (FB_TRUE(recipe != NULL, "no recipe '%s'", name)) {
        return recipe;
    }
    cores[0] = cores[1] = cores[2] = cores[3] = none_core;
    none.cores = cores;
    none.name = "";
    return &none;
}

/* A muscle from one place of a body to one of another, in their own axes. */
#define MUSCLE(NAME, FORCE, FIBER, FROM, AT, TO, END) \
    "{'name': '" NAME "', 'type': 'Thelen2003', 'max_isometric_force': " FORCE \
    ", 'optimal_fiber_length': " FIBER ", 'tendon_slack_length': 0.02, 'path': {'points': " \
    "[{'frame': '" FROM "', 'location': [" AT "]}, {'frame': '" TO "', 'location': [" END "]}]}}"

/* ---- groups ---------------------------------------------------------------------------------- */

static void lines_of_one_muscle_are_grouped(void) {
    rig r = leg("'muscles': [" MUSCLE(
                    "glut_max1_r", "500", "0.1", "pelvis", "-0.1, 1.1, 0", "femur", "-0.02, -0.1, 0") ", " MUSCLE("glut_max1_l", "500", "0.1", "pelvis", "-0.1, 1.1, 0", "femur", "-0.02, -0.1, 0") ", " MUSCLE("glut_max2_r", "700", "0.12", "pelvis", "-0.1, 1.05, 0", "femur", "-0.02, -0.15, 0") ", " MUSCLE("vas_med_r",
                                                                                                                                                                                                                                                                                                                 "700",
                                                                                                                                                                                                                                                                                                                 "0.09",
                                                                                                                                                                                                                                                                                                                 "femur", "0.03, -0.1, 0", "tibia", "0.04, 0, 0") ", " MUSCLE("vas_lat_r",
                                                                                                                                                                                                                                                                                                                                                                              "700", "0.09", "femur", "0.03, -0.1, 0.01", "tibia", "0.04, 0, 0") ", " MUSCLE("bflh_r",
                                                                                                                                                                                                                                                                                                                                                                                                                                                             "700",
                                                                                                                                                                                                                                                                                                                                                                                                                                                             "0.1",
                                                                                                                                                                                                                                                                                                                                                                                                                                                             "pelvis",
                                                                                                                                                                                                                                                                                                                                                                                                                                                             "-0.05, 0.95, 0",
                                                                                                                                                                                                                                                                                                                                                                                                                                                             "tibia", "-0.02, -0.05, 0") ", " MUSCLE("bfsh_r", "300", "0.1",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                     "femur",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                     "-0.01, -0.2, 0",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                     "tibia",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                     "-0.02, -0.05, 0") ", " MUSCLE("widget1",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                    "300",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                    "0.1",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                    "femur", "-0.01, -0.1, 0", "tibia", "-0.02, -0.05, 0") ", " MUSCLE("widget2",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                       "300",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                       "0.1",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                       "femur",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                       "-0.01, -0.12, 0",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                       "tibia", "-0.02, -0.06, 0") ", " MUSCLE("pull1", "300", "0.1", "femur", "-0.3, -0.1, 0", "tibia", "-0.02, -0.05, 0") ", " MUSCLE("pull2",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                        "300",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                        "0.1",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                        "femur",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                        "0.3, -0.1, 0",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                        "tibia",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                        "0.02, -0.05, 0") "]",
                NULL, NULL);
    FB_EQUAL_INT(r.recipes ? r.recipes->n : 0, 8);
    const fb_recipe *glut = find(&r, "glut_max_r");
    FB_EQUAL_INT(glut->n_lines, 2);
    FB_TRUE(glut->guessed, "it is a guess");
    FB_EQUAL_STR(glut->anatomy, "gluteus maximus");
    FB_EQUAL_INT(glut->side, 'r');
    FB_EQUAL_STR(find(&r, "glut_max2_r")->name, "glut_max_r");
    FB_EQUAL_INT(find(&r, "glut_max1_l")->n_lines, 1);
    FB_EQUAL_INT(find(&r, "bf_r")->n_cores, 2);
    FB_EQUAL_INT(find(&r, "vas_med_r")->n_lines, 1);
    FB_EQUAL_INT(find(&r, "vas_lat_r")->n_lines, 1);
    FB_EQUAL_INT(find(&r, "widget")->n_lines, 2);
    /* alike in name only: they pull from opposite sides */
    FB_EQUAL_INT(find(&r, "pull1")->n_lines, 1);
    end(&r);
}

static void grouping_can_be_turned_off(void) {
    rig r = leg("'muscles': [" MUSCLE("glut_max1_r", "500", "0.1", "pelvis", "-0.1, 1.1, 0",
                                      "femur",
                                      "-0.02, -0.1, 0") ", " MUSCLE("glut_max2_r", "700", "0.12",
                                                                    "pelvis", "-0.1, 1.05, 0",
                                                                    "femur", "-0.02, -0.15, 0") "]",
                NULL, NULL);
    FB_EQUAL_INT(r.recipes->n, 1);
    fb_recipes_free(r.recipes);
    r.options.group = false;
    make(&r);
    FB_EQUAL_INT(r.recipes->n, 2);
    end(&r);
}

/* Models that put an L before the names of one side. */
static void a_letter_before_a_name_is_a_side(void) {
    rig r =
        leg("'muscles': [" MUSCLE(
                "GMAX1", "500", "0.1", "pelvis", "-0.1, 1.1, 0", "femur",
                "-0.02, -0.1, 0") ", " MUSCLE("LGMAX1", "700", "0.12", "pelvis", "-0.1, 1.05, 0",
                                              "femur",
                                              "-0.02, -0.15, 0") ", " MUSCLE("LAT", "700", "0.12",
                                                                             "pelvis",
                                                                             "-0.1, 1.05, 0",
                                                                             "femur",
                                                                             "-0.02, -0.15, 0") "]",
            NULL, NULL);
    FB_EQUAL_INT(r.recipes->n, 3);
    FB_EQUAL_INT(find(&r, "LGMAX1")->side, 'l');
    FB_EQUAL_STR(find(&r, "LGMAX1")->anatomy, "gluteus maximus");
    FB_EQUAL_INT(find(&r, "LAT")->side, 0);
    end(&r);
}

/* ---- courses --------------------------------------------------------------------------------- */

/* A path from (0.2, 0.6) to (-0.2, 0.6) of ground over an object at (0, 0.6, 0) that blocks it. */
#define OVER(WRAP) \
    "'wraps': [{'name': 'w', " WRAP "}], 'muscles': [{'name': 'm', 'type': 'Thelen2003', " \
    "'tendon_slack_length': 0.01, 'max_isometric_force': 50, 'path': {'points': [{'frame': " \
    "'ground', 'location': [0.2, 0.6, 0.01]}, {'frame': 'femur', 'location': [-0.2, -0.4, " \
    "0.03]}], " \
    "'wraps': [{'wrap': 'w'}]}}]"

/* How far a point is from a surface, in m, to first order. */
static double off_sphere(const double *p) {
    return sqrt(p[0] * p[0] + (p[1] - 0.62) * (p[1] - 0.62) + p[2] * p[2]) - 0.1;
}
static double off_cylinder(const double *p) {
    return sqrt(p[0] * p[0] + (p[1] - 0.62) * (p[1] - 0.62)) - 0.1;
}
static double off_ellipsoid(const double *p) {
    double x = p[0] / 0.15, y = (p[1] - 0.62) / 0.08, z = p[2] / 0.2;
    return (sqrt(x * x + y * y + z * z) - 1) * 0.08;
}

static void check_surface(const char *wrap, double (*off)(const double *), double tolerance) {
    rig r = leg(wrap, NULL, NULL);
    const fb_recipe *recipe = find(&r, "m");
    const fb_core *core = &recipe->cores[0];
    fb_course_point points[50];
    fb_course course = {.points = points};
    FB_TRUE(!recipe->refusal, "%s", recipe->refusal ? recipe->refusal : "");
    fb_path_course(r.paths, 0, r.state, &course);
    FB_NEAR(core->length, course.length, 0, 4e-4);
    FB_TRUE(core->n_points > 8, "%d points", core->n_points);
    for (int i = 1; i + 1 < core->n_points; i++) {
        FB_NEAR(off(core->points[i]), 0, tolerance, 0);
        if (i + 2 < core->n_points) { /* chords of the surface turn by at most 5 degrees */
            double a[3], b[3], c[3];
            fb_v3_sub(a, core->points[i], core->points[i - 1]);
            fb_v3_sub(b, core->points[i + 1], core->points[i]);
            fb_v3_cross(c, a, b);
            double turn = atan2(fb_v3_norm(c), fb_v3_dot(a, b)) * 180 / PI;
            FB_TRUE(turn < 5.01, "turns by %g degrees at point %d", turn, i);
        }
    }
    end(&r);
}

static void cores_follow_wrap_objects(void) {
    check_surface(OVER("'type': 'sphere', 'frame': 'ground', 'translation': [0, 0.62, 0], "
                       "'radius': 0.1"),
                  off_sphere, 1e-9);
    check_surface(OVER("'type': 'cylinder', 'frame': 'ground', 'translation': [0, 0.62, 0], "
                       "'radius': 0.1, 'length': 0.5"),
                  off_cylinder, 1e-9);
    check_surface(OVER("'type': 'ellipsoid', 'frame': 'ground', 'translation': [0, 0.62, 0], "
                       "'dimensions': [0.15, 0.08, 0.2]"),
                  off_ellipsoid, 1e-6);
}

/* A torus about z with its hole in the middle of a path that goes through it off the axis. */
static void cores_follow_tori(void) {
    rig r = leg("'wraps': [{'name': 'w', 'type': 'torus', 'frame': 'ground', 'translation': [0, "
                "0.5, 0], 'inner_radius': 0.02, 'outer_radius': 0.06}], 'muscles': [{'name': 'm', "
                "'type': 'Thelen2003', 'max_isometric_force': 5, 'tendon_slack_length': 0.01, "
                "'path': {'points': [{'frame': 'ground', 'location': [0.1, 0.55, 0.2]}, {'frame': "
                "'femur', 'location': [0.12, -0.48, -0.2]}], 'wraps': [{'wrap': 'w'}]}}]",
                NULL, NULL);
    const fb_core *core = &find(&r, "m")->cores[0];
    fb_course_point points[50];
    fb_course course = {.points = points};
    fb_path_course(r.paths, 0, r.state, &course);
    FB_EQUAL_INT(course.n, 4);
    FB_NEAR(core->length, course.length, 0, 4e-4);
    for (int i = 1; i + 1 < core->n_points; i++) {
        const double *p = core->points[i];
        double ring = hypot(p[0], p[1] - 0.5) - 0.06;
        FB_NEAR(hypot(ring, p[2]), 0.02, 1e-9, 0);
    }
    end(&r);
}

/* Around more than half a cylinder: the way is the long one. */
static void cores_go_the_long_way_round(void) {
    rig r = leg("'wraps': [{'name': 'w', 'type': 'cylinder', 'frame': 'ground', 'translation': [0, "
                "0.5, 0], 'radius': 0.1, 'length': 1, 'quadrant': '-y'}], 'muscles': [{'name': "
                "'m', 'type': 'Thelen2003', 'max_isometric_force': 5, 'tendon_slack_length': 0.01, "
                "'path': {'points': [{'frame': 'ground', 'location': [0.11, 0.58, 0]}, {'frame': "
                "'femur', 'location': [-0.11, -0.42, 0.02]}], 'wraps': [{'wrap': 'w'}]}}]",
                NULL, NULL);
    const fb_core *core = &find(&r, "m")->cores[0];
    fb_course_point points[50];
    fb_course course = {.points = points};
    double lowest = 1;
    fb_path_course(r.paths, 0, r.state, &course);
    for (int i = 0; i < core->n_points; i++) {
        lowest = fmin(lowest, core->points[i][1]);
    }
    FB_TRUE(course.length > 0.1 * PI, "it is wrapped: %g m", course.length);
    FB_NEAR(core->length, course.length, 0, 4e-4);
    FB_NEAR(lowest, 0.4, 1e-3, 0);
    end(&r);
}

/* Lines that a file gives from insertion to origin are turned: much more hangs on the pelvis. */
static void origins_are_where_more_mass_hangs(void) {
    rig r = leg("'muscles': [" MUSCLE("up", "100", "0.1", "femur", "-0.02, -0.2, 0", "pelvis",
                                      "-0.05, 1.1, 0") ", " MUSCLE("down", "100", "0.1", "pelvis",
                                                                   "-0.05, 1.1, 0", "femur",
                                                                   "-0.02, -0.2, 0") "]",
                NULL, NULL);
    for (int i = 0; i < 2; i++) {
        const fb_recipe *recipe = find(&r, i ? "down" : "up");
        const fb_core *core = &recipe->cores[0];
        FB_EQUAL_INT(core->reversed, i == 0);
        FB_NEAR(core->points[0][1], 1.1, 1e-12, 0);
        FB_NEAR(core->points[core->n_points - 1][1], 0.8, 1e-12, 0);
    }
    end(&r);
}

/* ---- sizes ----------------------------------------------------------------------------------- */

static void volumes_are_force_over_tension_times_fiber(void) {
    rig r = leg("'muscles': [" MUSCLE("glut_max1_r", "600", "0.1", "pelvis", "-0.1, 1.1, 0",
                                      "femur",
                                      "-0.02, -0.2, 0") ", " MUSCLE("glut_max2_r", "300", "0.16",
                                                                    "pelvis", "-0.1, 1.05, 0",
                                                                    "femur", "-0.02, -0.25, 0") "]",
                NULL, NULL);
    const fb_recipe *recipe = find(&r, "glut_max_r");
    FB_NEAR(recipe->volume, 600 / 6e5 * 0.1 + 300 / 6e5 * 0.16, 0, 1e-12);
    FB_NEAR(recipe->cores[0].share, 2.0 / 3, 0, 1e-12);
    FB_NEAR(recipe->cores[0].volume_share, 100.0 / 180, 0, 1e-12);
    FB_NEAR(recipe->fiber_length, (100 * 0.1 + 80 * 0.16) / 180, 0, 1e-12);
    FB_EQUAL_INT(recipe->volume_from, FB_FROM_MODEL);
    end(&r);
}

/* The volume of an ellipsoid's part, by sections. */
static double belly_by_sections(double width, double height, double length) {
    double sum = 0, c = length / 2 / 0.9;
    int n = 20000;
    for (int i = 0; i < n; i++) {
        double z = ((i + 0.5) / n - 0.5) * length;
        sum += PI / 4 * width * height * (1 - z * z / (c * c)) * length / n;
    }
    return sum;
}

static void widths_hold_the_volume(void) {
    for (int i = 0; i < 3; i++) {
        double ratio = 0.4 + 0.3 * i, packing = i ? PI / 4 : 1;
        double width = fb_recipe_width(3e-4, 0.25, ratio, packing);
        FB_NEAR(packing * belly_by_sections(width, ratio * width, 0.25), 3e-4, 0, 1e-7);
    }
}

/* Soleus of gait2392, on a path that is longer or shorter than its belly. */
static void bellies_come_from_ratios(void) {
    rig r = leg("'muscles': [" MUSCLE(
                    "soleus_r", "3549", "0.05", "femur", "-0.03, 0, 0", "tibia",
                    "-0.03, -0.3, 0") ", " MUSCLE("recfem_r", "1000", "0.05", "pelvis",
                                                  "0.05, 1, 0", "tibia",
                                                  "0.05, 0, 0") ", " MUSCLE("soleus_l", "2000",
                                                                            "0.05", "tibia",
                                                                            "-0.03, 0, 0", "tibia",
                                                                            "-0.03, -0.3, 0") "]",
                NULL, NULL);
    const fb_recipe *longer = find(&r, "soleus_r"), *fem = find(&r, "recfem_r");
    const fb_recipe *shorter = find(&r, "soleus_l");
    /* fibres of 50 mm over 0.11 are 455 mm, longer than Ward's bellies of 405.4 mm */
    FB_NEAR(longer->belly_length, 0.4054, 1e-9, 0);
    FB_EQUAL_INT(longer->cores[0].belly_from, FB_FROM_TABLE);
    FB_HOLDS(longer->cores[0].belly_source, "Ward");
    FB_TRUE(longer->pennate, "its fibres are shorter than its belly");
    FB_NEAR(fem->belly_length, 0.05 / 0.21, 1e-9, 0);
    FB_NEAR(fem->cores[0].length, 0.4, 1e-9, 0);
    FB_NEAR(fem->cores[0].belly[0], 0.4 * (0.4 - 0.05 / 0.21), 1e-9, 0);
    FB_NEAR(shorter->belly_length, 0.85 * 0.3, 1e-9, 0);
    for (int i = 0; i < r.recipes->n; i++) {
        FB_TRUE(r.recipes->recipes[i].belly_length > 2 * 0.05, "longer than its fibres");
    }
    end(&r);
}

static void unknown_muscles_take_a_part_of_the_path(void) {
    rig r = leg("'muscles': [" MUSCLE("gizmo", "100", "0.1", "pelvis", "0.05, 1, 0", "tibia",
                                      "0.05, 0, 0") ", " MUSCLE("gadget", "100", "0.3", "pelvis",
                                                                "0.05, 1, 0", "tibia",
                                                                "0.05, 0, 0") "]",
                NULL, NULL);
    FB_NEAR(find(&r, "gizmo")->belly_length, 0.6 * 0.4, 1e-9, 0);
    FB_EQUAL_INT(find(&r, "gizmo")->cores[0].belly_from, FB_FROM_FRACTION);
    FB_TRUE(find(&r, "gizmo")->anatomy == NULL, "it is no muscle that is known");
    FB_NEAR(find(&r, "gadget")->belly_length, 1.1 * 0.3, 1e-9, 0);
    end(&r);
}

/* Quadratus femoris, 0.1 m long: too wide at 95 % of its path; and far too wide at any length. */
static void wide_muscles_are_lengthened(void) {
    rig r = leg("'muscles': [" MUSCLE("gizmo", "300", "0.05", "pelvis", "0, 1, 0.05", "femur",
                                      "0, -0.1, 0.05") ", " MUSCLE("gadget", "3000", "0.05",
                                                                   "pelvis", "0, 1, 0.05", "femur",
                                                                   "0, -0.1, 0.05") "]",
                NULL, NULL);
    const fb_recipe *one = find(&r, "gizmo"), *other = find(&r, "gadget");
    FB_NEAR(one->width, one->belly_length / 2, 0, 1e-6);
    FB_TRUE(one->belly_length > 0.0601 && one->belly_length < 0.099, "%g", one->belly_length);
    FB_EQUAL_INT(one->cores[0].belly_from, FB_FROM_WIDENING);
    FB_TRUE(!one->wide, "it is not wide any more");
    FB_HOLDS(one->n_notes ? one->notes[0] : "", "lengthened");
    FB_NEAR(other->belly_length, 0.099, 1e-9, 0);
    FB_TRUE(other->wide, "it is too wide at any length");
    end(&r);
}

static void arms_may_have_a_tension_of_their_own(void) {
    rig r = leg("'muscles': [" MUSCLE("BIClong", "508", "0.1", "pelvis", "0.05, 1, 0", "tibia",
                                      "0.05, 0, 0") ", " MUSCLE("soleus", "600", "0.1", "pelvis",
                                                                "0.05, 1, 0", "tibia",
                                                                "0.05, 0, 0") "]",
                NULL, NULL);
    fb_recipes_free(r.recipes);
    r.options.specific_tension_arm = 50.8e4;
    make(&r);
    FB_NEAR(find(&r, "BIClong")->volume, 1e-4, 0, 1e-12);
    FB_NEAR(find(&r, "soleus")->volume, 1e-4, 0, 1e-12);
    end(&r);
}

/* ---- how they lie ---------------------------------------------------------------------------- */

static void height_points_away_from_the_bone(void) {
    rig r = leg("'muscles': [" MUSCLE("gizmo", "100", "0.05", "femur", "0.03, -0.1, 0.04", "tibia",
                                      "0.03, 0, 0.04") ", " MUSCLE("gadget", "100", "0.05", "femur",
                                                                   "0, -0.1, 0", "tibia",
                                                                   "0, 0, 0") "]",
                NULL, NULL);
    const fb_recipe *one = find(&r, "gizmo"), *on_bone = find(&r, "gadget");
    FB_NEAR(one->up[0], 0.6, 1e-9, 0);
    FB_NEAR(one->up[1], 0, 1e-9, 0);
    FB_NEAR(one->up[2], 0.8, 1e-9, 0);
    FB_HOLDS(one->bone, "femur");
    FB_NEAR(one->along[1], -1, 1e-12, 0);
    FB_NEAR(fb_v3_dot(on_bone->up, on_bone->along), 0, 1e-12, 0);
    FB_NEAR(fb_v3_norm(on_bone->up), 1, 1e-12, 0);
    FB_HOLDS(on_bone->n_notes ? on_bone->notes[0] : "", "no bone lies beside it");
    end(&r);
}

typedef struct wall {
    double z;
    bool inside;
} wall;

static bool at_wall(void *context, const fb_state *state, const bool *bodies, const double *point,
                    double *nearest, bool *inside, const char **name) {
    const wall *w = context;
    fb_v3_set(nearest, point[0], point[1], w->z);
    *inside = w->inside;
    *name = "wall.vtp";
    FB_TRUE(!bodies[0] && !bodies[1], "the pelvis does not lie between the attachments");
    return bodies[2] && state->system->n_body == 4; /* the tibia has none, and is farther */
}

static void a_callers_bones_come_first(void) {
    rig r = leg("'muscles': [" MUSCLE("gizmo", "100", "0.05", "femur", "0.03, -0.1, 0.04", "tibia",
                                      "0.03, 0, 0.04") "]",
                NULL, NULL);
    wall w = {0.045, false};
    r.options.bone = at_wall;
    r.options.bone_context = &w;
    for (int i = 0; i < 2; i++) {
        fb_recipes_free(r.recipes);
        w.inside = i == 1;
        make(&r);
        FB_NEAR(find(&r, "gizmo")->up[2], w.inside ? 1 : -1, 1e-12, 0);
        FB_HOLDS(find(&r, "gizmo")->bone, "wall.vtp");
    }
    end(&r);
}

/* Two heads, one in front of the other above, one beside the other below: about their downward way
 * the section turns by a right angle, from z to x. */
static void twist_is_the_turn_between_attachments(void) {
    rig r = leg("'muscles': [" MUSCLE("gadget1", "100", "0.05", "pelvis", "0.1, 1, 0", "tibia",
                                      "0.1, 0, 0") ", " MUSCLE("gadget2", "100", "0.05", "pelvis",
                                                               "0.1, 1, 0.03", "tibia",
                                                               "0.13, 0, 0") "]",
                NULL, NULL);
    const fb_recipe *recipe = find(&r, "gadget");
    FB_EQUAL_INT(recipe->n_cores, 2);
    /* right-handed about -y: z turns to -x by +90 degrees, so z to x is -90 */
    FB_NEAR(recipe->twist, -PI / 2, 1e-9, 0);
    end(&r);
}

/* ---- specs and tables ------------------------------------------------------------------------ */

#define TWO_LINES \
    "'muscles': [" MUSCLE("gadget1", "100", "0.05", "pelvis", "0.1, 1, 0", "tibia", \
                          "0.1, 0, 0") ", " MUSCLE("gizmo", "300", "0.1", "pelvis", \
                                                   "0.1, 1, 0.03", "tibia", "0.13, 0, 0") "]"

static void a_spec_says_what_a_muscle_is(void) {
    rig r = leg(TWO_LINES,
                "{'muscles': [{'name': 'both', 'lines': ['gizmo', 'gadget1'], 'volume': 0.0001, "
                "'belly_length': 0.2, 'ratio': 0.7, 'twist': 1, 'bundles': 80, 'height_direction': "
                "[0, 0, -2], 'outline': 'flat', 'heads': [{'line': 'gizmo', 'name': 'deep', "
                "'tendon': 0.05, 'share': 0.5}, {'line': 'gadget1', 'belly_length': 0.1, 'share': "
                "0.5}], 'fascicles': [[[0, 1, 0], [0, 0.94, 0.08]], {'frame': 'femur', 'points': "
                "[[0, 0, 0], [0, 0, 0.3]]}]}]}",
                NULL);
    const fb_recipe *recipe = find(&r, "both");
    FB_EQUAL_INT(r.recipes->n, 1);
    FB_EQUAL_INT(recipe->n_cores, 2);
    FB_TRUE(!recipe->guessed, "it was said");
    FB_SAME(recipe->volume, 1e-4);
    FB_EQUAL_STR(recipe->cores[0].name, "deep");
    FB_NEAR(recipe->cores[0].belly[0], 0.05, 1e-12, 0);
    FB_NEAR(recipe->cores[0].belly[1], 0.25, 1e-12, 0);
    FB_NEAR(recipe->cores[1].belly[1] - recipe->cores[1].belly[0], 0.1, 1e-12, 0);
    FB_NEAR(recipe->cores[0].share, 0.5, 1e-12, 0);
    FB_NEAR(recipe->cores[0].volume_share, 2.0 / 3, 1e-12, 0); /* fibres twice as long */
    FB_NEAR(recipe->height / recipe->width, 0.7, 1e-12, 0);
    FB_SAME(recipe->twist, 1);
    FB_EQUAL_INT(recipe->bundles, 80);
    FB_EQUAL_INT(recipe->outline.kind, FB_OUTLINE_FLAT);
    FB_TRUE(recipe->up_given && recipe->up[2] < -0.99, "up is given");
    FB_EQUAL_INT(recipe->n_fascicles, 2);
    FB_NEAR(recipe->fiber_length, 0.2, 1e-12, 0);
    FB_NEAR(recipe->fascicles[1][1][1], 1, 1e-12, 0); /* the femur's origin, in ground */
    end(&r);
}

/* Two fascicles on a line's way, at 30 degrees to it: the belly lies where they do. */
static void fascicles_set_length_place_and_angle(void) {
    rig r = leg(TWO_LINES,
                "{'muscles': [{'name': 'gizmo', 'cores': [{'points': [[0, 1, 0], [0, 0.6, 0]]}], "
                "'volume': 0.0001, 'fascicles': [[[0, 0.95, 0], [0, 0.864, 0.05]], "
                "[[0, 0.8, 0], [0, 0.714, 0.05]]]}]}",
                NULL);
    const fb_recipe *recipe = find(&r, "gizmo");
    FB_NEAR(recipe->fiber_length, 0.0995, 1e-4, 0);
    FB_NEAR(recipe->pennation, 30.17 * 3.14159265358979 / 180, 1e-3, 0);
    FB_NEAR(recipe->cores[0].belly[0], 0.05, 1e-12, 0);
    FB_NEAR(recipe->cores[0].belly[1], 0.286, 1e-12, 0);
    end(&r);
}

static void cores_may_be_given(void) {
    rig r = leg(TWO_LINES,
                "{'muscles': [{'name': 'gizmo', 'cores': [{'name': 'a', 'frame': 'tibia', "
                "'points': [[0.1, 0.3, 0], [0.1, 0, 0]]}, {'line': 'gizmo', 'share': 0.25}]}, "
                "{'name': 'extra', 'volume': 0.0001, 'cores': [{'points': [[0, 1, 0], [0, 0.7, "
                "0]]}]}]}",
                NULL);
    const fb_recipe *recipe = find(&r, "gizmo"), *extra = find(&r, "extra");
    FB_EQUAL_INT(r.recipes->n, 3);
    FB_EQUAL_INT(recipe->n_cores, 2);
    FB_NEAR(recipe->cores[0].length, 0.3, 1e-12, 0);
    FB_NEAR(recipe->cores[0].points[0][1], 0.9, 1e-12, 0);
    FB_EQUAL_INT(recipe->cores[0].muscle, -1);
    FB_EQUAL_INT(recipe->cores[1].muscle, 1);
    FB_EQUAL_INT(extra->n_lines, 0);
    FB_NEAR(extra->cores[0].length, 0.3, 1e-12, 0);
    FB_SAME(extra->volume, 1e-4);
    end(&r);
}

/* One share is given: the others part the rest by their forces, and volumes follow. */
static void shares_that_are_given_leave_the_rest(void) {
    rig r = leg(
        "'muscles': [" MUSCLE(
            "gadget1", "100", "0.05", "pelvis", "0.1, 1, 0", "tibia",
            "0.1, 0, 0") ", " MUSCLE("gadget2", "300", "0.05", "pelvis", "0.1, 1, 0.03", "tibia",
                                     "0.13, 0, 0") ", " MUSCLE("gadget3", "100", "0.05", "pelvis",
                                                               "0.1, 1, 0.06", "tibia",
                                                               "0.13, 0, 0.01") "]",
        "{'muscles': [{'name': 'gadget', 'heads': [{'line': 'gadget1', 'share': 0.6}]}]}", NULL);
    const fb_recipe *recipe = find(&r, "gadget");
    FB_EQUAL_INT(recipe->n_cores, 3);
    FB_NEAR(recipe->cores[0].share, 0.6, 1e-12, 0);
    FB_NEAR(recipe->cores[1].share, 0.3, 1e-12, 0);
    FB_NEAR(recipe->cores[2].volume_share, 0.1, 1e-12, 0);
    FB_NEAR(recipe->volume, 500 / 6e5 * 0.05, 0, 1e-12);
    end(&r);
}

static void refuse_spec(const char *spec, int line, const char *what) {
    rig r = leg(TWO_LINES, spec, NULL);
    FB_EQUAL_INT(r.status, FB_E_INPUT);
    FB_TRUE(r.recipes == NULL, "none are made");
    const fb_record *record = FB_RECORD(&r.diag, FB_ERROR, FB1304, line);
    if (record) {
        FB_HOLDS(record->message, what);
        FB_EQUAL_STR(record->file, "spec.json");
    }
    end(&r);
}

static void specs_that_do_not_fit_are_refused(void) {
    refuse_spec("{'muscles': [\n{'name': 'x', 'lines': ['gadget2']}]}", 2, "'gadget1' meant?");
    refuse_spec("{'muscles': [{'name': 'x', 'lines': ['gizmo']},\n{'name': 'y', 'lines': "
                "['gizmo']}]}",
                2, "already a line of 'x'");
    refuse_spec("{'muscles': [{'name': 'x', 'lines': ['gizmo', 'gizmo']}]}", 1, "named twice");
    refuse_spec("{'muscles': [{'name': 'gizmo', 'heads':\n [{'line': 'gadget1'}]}]}", 2,
                "is no line of");
    refuse_spec("{'muscles': [{'name': 'gizmo', 'cores':\n [{'line': 'gadget1'}]}]}", 2,
                "is no line of");
    refuse_spec("{'muscles': [{'name': 'gizmo', 'cores':\n [{'frame': 'fibula', 'points': [[0, 0, "
                "0], [1, 0, 0]]}]}]}",
                2, "no frame 'fibula'");
    refuse_spec("{'muscles': [{'name': 'gizmo', 'cores':\n [{'points': [[0, 0, 0], [0, 0, 0]]}]}]}",
                2, "all its points in one place");
}

static void entries_of_no_muscle_are_told(void) {
    rig r = leg(TWO_LINES, "{'muscles': [{'name': 'gizmos'}]}", "name\tvolume_cm3\nheart\t300\n");
    FB_EQUAL_INT(r.status, FB_OK);
    const fb_record *record = FB_RECORD(&r.diag, FB_WARNING, FB1304, 1);
    FB_HOLDS(record ? record->message : "", "is 'gizmo' meant?");
    record = FB_RECORD(&r.diag, FB_WARNING, FB1304, 2);
    FB_HOLDS(record ? record->message : "", "'heart'");
    end(&r);
}

static void a_table_gives_volumes_and_bellies(void) {
    rig r = leg(
        "'muscles': [" MUSCLE("glut_max1_r", "600", "0.1", "pelvis", "-0.1, 1.1, 0", "femur", "-0.02, -0.2, 0") ", " MUSCLE(
            "glut_max2_r", "300", "0.16", "pelvis", "-0.1, 1.05, 0", "femur",
            "-0.02, -0.25, 0") ", " MUSCLE("gizmo", "300", "0.1", "pelvis", "0.1, 1, 0.03", "tibia",
                                           "0.13, 0, 0") ", " MUSCLE("bflh_r", "700", "0.1",
                                                                     "pelvis", "-0.05, 0.95, 0",
                                                                     "tibia",
                                                                     "-0.02, -0.05, 0") ", " MUSCLE("bfsh_r",
                                                                                                    "300",
                                                                                                    "0.1",
                                                                                                    "femur",
                                                                                                    "-0.01, -0.2, 0",
                                                                                                    "tibia",
                                                                                                    "-0.02, -0.05, 0") "]",
        NULL,
        "name,volume_cm3,area_cm2,belly_length_mm\n"
        "gluteus maximus,870,-,210\ngizmo,,5,150\nbflh_r,200,,300\n");
    const fb_recipe *glut = find(&r, "glut_max_r"), *gizmo = find(&r, "gizmo");
    FB_NEAR(glut->volume, 870e-6, 0, 1e-12);
    FB_NEAR(glut->cores[0].belly[1] - glut->cores[0].belly[0], 0.21, 1e-9, 0);
    FB_EQUAL_INT(glut->volume_from, FB_FROM_MEASURED);
    FB_NEAR(gizmo->volume, 5e-4 * 0.1, 0, 1e-12);
    FB_NEAR(gizmo->belly_length, 0.15, 1e-12, 0);
    /* one of two lines: the other's volume is the model's */
    FB_NEAR(find(&r, "bf_r")->volume, 200e-6 + 300 / 6e5 * 0.1, 0, 1e-12);
    end(&r);
}

/* ---- refusals -------------------------------------------------------------------------------- */

static void refuse(const char *lists, const char *spec, const char *what) {
    rig r = leg(lists, spec, NULL);
    const fb_recipe *recipe = find(&r, "m");
    FB_EQUAL_INT(r.status, FB_OK);
    FB_HOLDS(recipe->refusal ? recipe->refusal : "not refused", what);
    FB_EQUAL_INT(recipe->n_cores, 0);
    FB_EQUAL_INT(r.recipes->n_refused, 1);
    end(&r);
}

static void what_can_have_no_body_is_refused_with_a_reason(void) {
    refuse("'muscles': [" MUSCLE("m", "0", "0.1", "pelvis", "0, 1, 0", "femur", "0, -0.1, 0") "]",
           NULL, "it has no force");
    refuse("'muscles': [" MUSCLE("m", "10", "0", "pelvis", "0, 1, 0", "femur", "0, -0.1, 0") "]",
           NULL, "its fibres have no length");
    refuse("'muscles': [" MUSCLE("m", "1e9", "1", "pelvis", "0, 1, 0", "femur", "0, -0.1, 0") "]",
           NULL, "1.67e+09 cm3 is that of no muscle");
    refuse("'muscles': [" MUSCLE("m", "1", "1e-9", "pelvis", "0, 1, 0", "femur", "0, -0.1, 0") "]",
           NULL, "is that of no muscle");
    refuse("'muscles': [" MUSCLE("m", "10", "0.1", "pelvis", "0, 1, 0", "femur", "0, 0, 0") "]",
           NULL, "no length in this pose");
    refuse("'muscles': [{'name': 'm', 'type': 'Thelen2003', 'path': {'type': 'function_based', "
           "'coordinates': ['h'], 'length': {'type': 'constant', 'value': 0.3}}}]",
           NULL, "without points");
    refuse("'muscles': [" MUSCLE("m", "10", "0.1", "pelvis", "0, 1, 0", "femur", "0, -0.1, 0") "]",
           "{'muscles': [{'name': 'm', 'heads': [{'line': 'm', 'tendon': 0.2}]}]}",
           "shorter than its tendon");
    refuse("'muscles': [{'name': 'm', 'type': 'Thelen2003', 'path': {'points': [{'frame': "
           "'pelvis', 'location': [0, 1, 0]}, {'frame': 'femur', 'location': [0, -0.2, 0]}, "
           "{'frame': 'femur', 'location': [0.01, -0.05, 0]}]}}]",
           NULL, "turns back");
}

/* A volume that is given makes up for a force that is not. */
static void a_given_volume_needs_no_force(void) {
    rig r = leg("'muscles': [" MUSCLE("m", "0", "0.1", "pelvis", "0.1, 1, 0", "femur",
                                      "0.1, -0.3, 0") "]",
                "{'muscles': [{'name': 'm', 'volume': 0.0001}]}", NULL);
    const fb_recipe *recipe = find(&r, "m");
    FB_TRUE(!recipe->refusal, "%s", recipe->refusal ? recipe->refusal : "");
    FB_SAME(recipe->volume, 1e-4);
    FB_SAME(recipe->cores[0].share, 1);
    end(&r);
}

/* ---- motion ---------------------------------------------------------------------------------- */

/* The knee bends by a right angle: what lies on the shank turns with it. */
static void recipes_move_with_the_pose(void) {
    rig r = leg("'muscles': [" MUSCLE(
                    "gizmo", "100", "0.05", "femur", "0.03, -0.1, 0.04", "tibia",
                    "0.03, 0, 0.04") ", " MUSCLE("soleus_r", "100", "0.05", "tibia", "-0.05, 0, 0",
                                                 "tibia",
                                                 "-0.05, -0.3, 0") ", " MUSCLE("tool", "100",
                                                                               "0.05", "femur",
                                                                               "0.1, 0, 0", "femur",
                                                                               "0.1, -0.3, 0") "]",
                "{'muscles': [{'name': 'tool', 'cores': [{'line': 'tool', 'frame': 'tibia', "
                "'points': [[0.1, 0, 0], [0.1, -0.1, 0], [0.1, -0.1, 0], [0.1, -0.2, 0]]}]}]}",
                NULL);
    fb_recipe *gizmo = &r.recipes->recipes[find(&r, "gizmo") - r.recipes->recipes];
    const fb_recipe *soleus = find(&r, "soleus_r"), *tool = find(&r, "tool");
    fb_core *core = &gizmo->cores[0];
    fb_core rest = *core;
    double width = gizmo->width, belly = gizmo->belly_length;
    int lost = -1;
    FB_EQUAL_INT(fb_recipes_move(r.recipes, r.state, &lost), FB_OK);
    FB_EQUAL_INT(lost, 0);
    FB_NEAR(core->belly[0], rest.belly[0], 1e-12, 0);
    FB_NEAR(core->belly[1], rest.belly[1], 1e-12, 0);
    FB_NEAR(gizmo->width, width, 0, 1e-12);
    FB_NEAR(soleus->up[0], -1, 1e-12, 0);
    r.state->q[1] = PI / 2;
    fb_state_position(r.state);
    FB_EQUAL_INT(fb_recipes_move(r.recipes, r.state, &lost), FB_OK);
    /* the end is now at (0, 0.6 + 0.03, 0.04): the line from (0.03, 0.9, 0.04) */
    FB_NEAR(core->length, hypot(0.03, 0.27), 1e-12, 0);
    FB_NEAR(core->belly[0], rest.belly[0], 1e-12, 0);
    FB_NEAR(core->length - core->belly[1], rest.length - rest.belly[1], 1e-12, 0);
    FB_NEAR(core->stretch, gizmo->belly_length / belly, 1e-12, 0);
    FB_NEAR(gizmo->width, width / sqrt(core->stretch), 0, 1e-12); /* the volume stays */
    FB_NEAR(soleus->up[1], -1, 1e-12, 0);                         /* -x of the shank */
    FB_NEAR(soleus->along[0], 1, 1e-12, 0);
    FB_NEAR(tool->cores[0].points[2][0], 0.2, 1e-12, 0); /* (0.1, -0.2) of the shank */
    FB_NEAR(tool->cores[0].points[2][1], 0.7, 1e-12, 0);
    end(&r);
}

/* A path that gets shorter than its tendons leaves a fifth of the belly. */
static void bellies_do_not_vanish(void) {
    rig r = leg("'muscles': [" MUSCLE("gizmo", "10", "0.02", "femur", "0.02, -0.1, 0", "tibia",
                                      "0.02, -0.3, 0") "]",
                "{'muscles': [{'name': 'gizmo', 'belly_length': 0.1}]}", NULL);
    const fb_core *core = &find(&r, "gizmo")->cores[0];
    r.state->q[1] = 2.2;
    fb_state_position(r.state);
    FB_EQUAL_INT(fb_recipes_move(r.recipes, r.state, NULL), FB_OK);
    FB_TRUE(core->length < core->tendon[0] + core->tendon[1], "%g m", core->length);
    FB_NEAR(core->stretch, 0.2, 1e-12, 0);
    FB_NEAR(core->belly[0] / (core->length - core->belly[1]), core->tendon[0] / core->tendon[1],
            1e-9, 0);
    end(&r);
}

/* ---- all models, memory ---------------------------------------------------------------------- */

static rig open(const char *file) {
    rig r = {.options = fb_recipe_options_default()};
    size_t size;
    char *bytes = fb_test_read_file(file, &size);
    fb_diag_init(&r.diag);
    if (bytes && fb_model_read(&r.model, bytes, size, file, FB_MAX_BYTES, &r.diag) == FB_OK &&
        prepare(&r)) {
        fb_assemble(r.state, 1e-9);
        fb_state_position(r.state);
        make(&r);
    }
    return r;
}

static void every_muscle_of_our_models_has_a_recipe(void) {
    int seen = 0;
    for (int i = 0; fb_test_glob("models/*/*.osim", i); i++) {
        rig r = open(fb_test_glob("models/*/*.osim", i));
        const fb_list *muscles = r.model ? fb_model_items(r.model, "muscles") : NULL;
        for (size_t k = 0; r.recipes && muscles && k < muscles->n; k++) {
            const fb_recipe *recipe = find(&r, muscles->items[k]->name);
            FB_TRUE(recipe->refusal || recipe->volume > 0, "%s", recipe->name);
            seen++;
        }
        end(&r);
    }
    FB_TRUE(seen > 5, "%d muscles", seen);
}

static void memory_may_run_out(void) {
    rig r = leg(TWO_LINES, "{'muscles': [{'name': 'both', 'lines': ['gizmo', 'gadget1']}]}", NULL);
    fb_recipes_free(r.recipes);
    for (long n = 1; n < 1000; n++) {
        fb_alloc_fail_at(n);
        make(&r);
        fb_alloc_fail_at(0);
        if (r.status == FB_OK) {
            FB_TRUE(n > 1, "it allocates");
            break;
        }
        FB_EQUAL_INT(r.status, FB_E_MEMORY);
        FB_TRUE(r.recipes == NULL, "none are made");
    }
    FB_EQUAL_INT(r.status, FB_OK);
    end(&r);
}

/* ---- tables ---------------------------------------------------------------------------------- */

static void print_recipe(const fb_recipe *recipe) {
    static const char *const from[] = {"model", "spec", "own", "table", "path", "width"};
    if (recipe->refusal) {
        printf("%-24s refused: %s\n", recipe->name, recipe->refusal);
        return;
    }
    const fb_core *core = &recipe->cores[0];
    printf("%-24s %2d %8.1f %5.0f %-6s %4.0f %4.0f %s %4.2f %5.0f %5.0f %5.0f  (%5.2f %5.2f %5.2f) "
           "%s\n",
           recipe->name, recipe->n_lines, recipe->volume * 1e6, recipe->belly_length * 1e3,
           from[core->belly_from], recipe->width * 1e3, recipe->height * 1e3,
           recipe->wide ? "wide" : "    ", recipe->ratio, core->belly[0] * 1e3,
           (core->length - core->belly[1]) * 1e3, recipe->twist * 180 / PI, recipe->up[0],
           recipe->up[1], recipe->up[2], recipe->bone);
    for (int i = 0; i < recipe->n_notes; i++) {
        printf("    %s\n", recipe->notes[i]);
    }
}

static int print_tables(char **files) {
    for (; *files; files++) {
        rig r = open(*files);
        printf("%s\nname                lines  cm3     belly, from   width height    R      L1    "
               "L4 twist  up, from\n",
               *files);
        for (int i = 0; r.recipes && i < r.recipes->n; i++) {
            print_recipe(&r.recipes->recipes[i]);
        }
        end(&r);
    }
    return 0;
}

int main(int argc, char **argv) {
    static const fb_test tests[] = {
        FB_TEST(lines_of_one_muscle_are_grouped),
        FB_TEST(grouping_can_be_turned_off),
        FB_TEST(a_letter_before_a_name_is_a_side),
        FB_TEST(cores_follow_wrap_objects),
        FB_TEST(cores_follow_tori),
        FB_TEST(cores_go_the_long_way_round),
        FB_TEST(origins_are_where_more_mass_hangs),
        FB_TEST(volumes_are_force_over_tension_times_fiber),
        FB_TEST(widths_hold_the_volume),
        FB_TEST(bellies_come_from_ratios),
        FB_TEST(unknown_muscles_take_a_part_of_the_path),
        FB_TEST(wide_muscles_are_lengthened),
        FB_TEST(arms_may_have_a_tension_of_their_own),
        FB_TEST(height_points_away_from_the_bone),
        FB_TEST(a_callers_bones_come_first),
        FB_TEST(twist_is_the_turn_between_attachments),
        FB_TEST(a_spec_says_what_a_muscle_is),
        FB_TEST(cores_may_be_given),
        FB_TEST(fascicles_set_length_place_and_angle),
        FB_TEST(shares_that_are_given_leave_the_rest),
        FB_TEST(specs_that_do_not_fit_are_refused),
        FB_TEST(entries_of_no_muscle_are_told),
        FB_TEST(a_table_gives_volumes_and_bellies),
        FB_TEST(what_can_have_no_body_is_refused_with_a_reason),
        FB_TEST(a_given_volume_needs_no_force),
        FB_TEST(recipes_move_with_the_pose),
        FB_TEST(bellies_do_not_vanish),
        FB_TEST(every_muscle_of_our_models_has_a_recipe),
        FB_TEST(memory_may_run_out),
        FB_TEST_END,
    };
    if (argc > 2 && strcmp(argv[1], "--print") == 0) {
        return print_tables(argv + 2);
    }
    return fb_test_main("recipe", tests, argc, argv);
}
