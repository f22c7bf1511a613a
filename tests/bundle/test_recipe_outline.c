/* Muscles whose surface is given: volume and core from it, and how they move with two bodies. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/bundle_spec.h"
#include "libcore/base/number.h"
#include "libcore/base/spatial.h"
#include "libcore/bundle/recipe.h"
#include "tests/help.h"

#define PI 3.14159265358979323846
#define RINGS 40
#define SIDES 24

/* A thigh on a pin at (0, 1, 0); the frame "scan" of it is ground at angle 0. A straight line from
 * (0.05, 1.1, 0) on the pelvis to (0.05, 0.85, 0) on the thigh. */
#define THIGH \
    "{'fb': '1.0', 'bodies': [{'name': 'pelvis', 'mass': 40}, {'name': 'femur', 'mass': 8, " \
    "'mass_center': [0, -0.2, 0]}], 'frames': [{'name': 'hip', 'parent': 'pelvis', " \
    "'translation': [0, 1, 0]}, {'name': 'scan', 'parent': 'femur', 'translation': [0, -1, 0]}], " \
    "'joints': [{'name': 'root', 'type': 'weld', 'parent': 'ground', 'child': 'pelvis'}, " \
    "{'name': 'hip', 'type': 'pin', 'parent': 'hip', 'child': 'femur', 'coordinates': " \
    "[{'name': 'h'}]}], 'muscles': [{'name': 'm', 'type': 'Thelen2003', 'max_isometric_force': " \
    "500, 'optimal_fiber_length': 0.1, 'tendon_slack_length': 0.1, 'pennation_angle': 0, 'path': " \
    "{'points': [{'frame': 'pelvis', 'location': [0.05, 1.1, 0]}, {'frame': 'femur', 'location': " \
    "[0.05, -0.15, 0]}]}}]}"

typedef struct rig {
    fb_model *model;
    fb_system *system;
    fb_paths *paths;
    fb_state *state;
    fb_spec spec;
    fb_recipes *recipes;
    fb_status status;
    fb_diag diag;
    double vertices[(RINGS + 1) * SIDES][3];
    int faces[2 * RINGS * SIDES][3];
} rig;

/* An ellipsoid about the line, 0.25 long, 0.04 wide, 0.02 thick. */
static void fill_surface(rig *r, fb_outline *outline) {
    int n = 0;
    for (int i = 0; i <= RINGS; i++) {
        double t = PI * i / RINGS;
        for (int k = 0; k < SIDES; k++) {
            double turn = 2 * PI * k / SIDES;
            fb_v3_set(r->vertices[i * SIDES + k], 0.05 + 0.01 * sin(t) * cos(turn),
                      0.975 + 0.125 * cos(t), 0.02 * sin(t) * sin(turn));
            if (i < RINGS) {
                int next = (k + 1) % SIDES, a = i * SIDES, b = a + SIDES;
                memcpy(r->faces[n++], (int[3]){a + k, a + next, b + next}, sizeof *r->faces);
                memcpy(r->faces[n++], (int[3]){a + k, b + next, b + k}, sizeof *r->faces);
            }
        }
    }
    outline->surface = (fb_shell){(const double(*)[3])r->vertices, (const int(*)[3])r->faces,
                                  (RINGS + 1) * SIDES, (size_t)n};
}

static void turn_to(rig *r, double angle) {
    fb_state_defaults(r->state);
    r->state->q[0] = angle;
    fb_state_position(r->state);
}

static rig *open_rig(const char *outline, double angle) {
    rig *r = calloc(1, sizeof *r);
    fb_system_options options = {false};
    char text[2000], spec[400];
    snprintf(text, sizeof text, "%s", THIGH);
    fb_test_quotes(text);
    r->model = fb_test_must(fb_test_fb(text, &r->diag, NULL), &r->diag);
    snprintf(spec, sizeof spec, "{'muscles': [{'name': 'm', 'outline': {'mesh': 'm.stl'%s}}]}",
             outline);
    fb_test_quotes(spec);
    if (!FB_TRUE(fb_bundle_spec_read(&r->spec, spec, strlen(spec), "spec.json", &r->diag) ==
                         FB_OK &&
                     fb_system_compile(&r->system, r->model, &options, &r->diag) == FB_OK &&
                     fb_paths_compile(&r->paths, r->system, false, &r->diag) == FB_OK,
                 "the thigh")) {
        exit(1);
    }
    r->state = fb_state_new(r->system);
    fill_surface(r, &r->spec.muscles[0].outline);
    turn_to(r, angle);
    fb_recipe_options o = fb_recipe_options_default();
    o.spec = &r->spec;
    r->status = fb_recipes_make(&r->recipes, r->paths, r->state, &o, &r->diag);
    return r;
}

static void close_rig(rig *r) {
    fb_recipes_free(r->recipes);
    fb_bundle_spec_free(&r->spec);
    fb_state_free(r->state);
    fb_paths_free(r->paths);
    fb_system_free(r->system);
    fb_model_free(r->model);
    fb_diag_clear(&r->diag);
    free(r);
}

static void a_surface_gives_core_and_volume(void) {
    rig *r = open_rig("", 0);
    const fb_recipe *m = r->recipes->recipes;
    if (FB_TRUE(!m->refusal && m->profile, "%s", m->refusal ? m->refusal : "no profile")) {
        FB_NEAR(m->volume, fb_shell_volume(&r->spec.muscles[0].outline.surface), 0, 1e-12);
        FB_EQUAL_INT(m->volume_from, FB_FROM_MESH);
        FB_EQUAL_INT(m->n_cores, 1);
        const fb_core *core = m->cores;
        FB_NEAR(core->length, 0.25, 0.01, 0);
        FB_SAME(core->belly[0], 0);
        FB_SAME(core->belly[1], core->length);
        FB_TRUE(core->points[0][1] > core->points[core->n_points - 1][1], "from the insertion");
        FB_NEAR(m->width, 0.04, 0.002, 0);
        FB_SAME(core->max_force, 500);
        FB_SAME(core->share, 1);
    }
    close_rig(r);
}

/* Without an insertion's frame it moves as one with the mesh's frame. */
static void one_frame_moves_it_rigidly(void) {
    rig *r = open_rig(", 'frame': 'scan'", 0);
    const fb_recipe *m = r->recipes->recipes;
    double before[3], after[3], c = cos(0.7), s = sin(0.7);
    fb_v3_copy(before, m->profile->core[5]);
    turn_to(r, 0.7);
    FB_EQUAL_INT(fb_recipes_move(r->recipes, r->state, NULL), FB_OK);
    fb_v3_copy(after, m->profile->core[5]); /* about (0, 1, 0) */
    FB_NEAR(after[0], c * before[0] - s * (before[1] - 1), 1e-12, 0);
    FB_NEAR(after[1], 1 + s * before[0] + c * (before[1] - 1), 1e-12, 0);
    FB_NEAR(m->cores[0].length, m->profile->length, 1e-12, 0);
    close_rig(r);
}

/* The length of n points carried from (x, 1.1, z) to (x, 0.85, z). */
static double carried_length(const rig *r, double x, double z, int n) {
    double before[3] = {0, 0, 0}, here[3], length = 0;
    for (int k = 0; k < n; k++) {
        double u = (double)k / (n - 1), p[3] = {x, 1.1 - 0.25 * u, z};
        fb_recipe_carry(r->recipes->recipes, r->state, u, p, here);
        length += k ? fb_v3_distance(before, here) : 0;
        fb_v3_copy(before, here);
    }
    return length;
}

/* A fibre beside the line: both ends turn with their bones, and it stays straight between them, so
 * that its length is that of the chord. */
static void fibres_between_bones_stay_straight(void) {
    rig *r = open_rig(", 'frame': 'pelvis', 'insertion_frame': 'scan'", 0);
    const double places[][2] = {{0.05, 0}, {0.055, 0.01}, {0.042, -0.015}};
    for (int i = 0; i < 3; i++) {
        double x = places[i][0], z = places[i][1];
        for (int k = -4; k <= 4; k++) {
            double c = cos(0.25 * k), s = sin(0.25 * k);
            double start[3] = {x, 1.1, z}, end[3] = {c * x + s * 0.15, 1 + s * x - c * 0.15, z};
            turn_to(r, 0.25 * k);
            FB_NEAR(carried_length(r, x, z, 20), fb_v3_distance(start, end), 1e-12, 0);
        }
    }
    turn_to(r, 1e-5); /* and the arm is the line's */
    double more = carried_length(r, 0.05, 0, 20);
    turn_to(r, -1e-5);
    FB_NEAR(-(more - carried_length(r, 0.05, 0, 20)) / 2e-5, 0.05, 1e-8, 0);
    close_rig(r);
}

/* Made in another pose than the scan's; moved there and back. With ground as the origin's frame no
 * line runs between the two, and the core goes over where it passes the joint. */
static void check_core(const char *outline) {
    rig *r = open_rig(outline, 0.3);
    const fb_recipe *m = r->recipes->recipes;
    const double *first = m->profile->core[0];
    const double *last = m->profile->core[FB_PROFILE_SECTIONS + 1];
    double x = last[0], y = last[1] - 1, c = cos(0.3), s = sin(0.3);
    FB_NEAR(first[0], 0.05, 1e-3, 0);
    FB_NEAR(first[1], 1.1, 4e-3, 0);
    FB_NEAR(c * x + s * y, 0.05, 1e-3, 0); /* in the thigh's axes */
    FB_NEAR(-s * x + c * y, -0.15, 4e-3, 0);
    for (int k = 0; k < FB_PROFILE_SECTIONS; k++) {
        FB_NEAR(fb_v3_norm(m->profile->x[k]), 1, 1e-12, 0);
        FB_NEAR(fb_v3_norm(m->profile->z[k]), 1, 1e-12, 0);
    }
    double length = m->cores[0].length;
    turn_to(r, -0.4);
    FB_EQUAL_INT(fb_recipes_move(r->recipes, r->state, NULL), FB_OK);
    FB_NEAR(m->profile->core[0][1], 1.1, 4e-3, 0);
    FB_TRUE(fabs(m->cores[0].length - length) > 0.02, "%g m as before", length);
    FB_NEAR(m->cores[0].stretch, m->cores[0].length / length, 1e-12, 0);
    turn_to(r, 0.3);
    FB_EQUAL_INT(fb_recipes_move(r->recipes, r->state, NULL), FB_OK);
    FB_NEAR(m->cores[0].stretch, 1, 1e-12, 0);
    close_rig(r);
}

static void cores_go_with_both_bodies(void) {
    check_core(", 'frame': 'pelvis', 'insertion_frame': 'scan'");
    check_core(", 'insertion_frame': 'scan'");
}

static void frames_that_are_not_there_are_told(void) {
    static const char *const outlines[] = {", 'frame': 'tibia'", ", 'insertion_frame': 'tibia'"};
    for (int i = 0; i < 2; i++) {
        rig *r = open_rig(outlines[i], 0);
        FB_EQUAL_INT(r->status, FB_E_INPUT);
        const fb_record *record = FB_RECORD(&r->diag, FB_ERROR, FB1304, 1);
        if (record) {
            FB_HOLDS(record->message, "no frame 'tibia'");
        }
        close_rig(r);
    }
}

int main(int argc, char **argv) {
    static const fb_test tests[] = {
        FB_TEST(a_surface_gives_core_and_volume),    FB_TEST(one_frame_moves_it_rigidly),
        FB_TEST(fibres_between_bones_stay_straight), FB_TEST(cores_go_with_both_bodies),
        FB_TEST(frames_that_are_not_there_are_told), FB_TEST_END,
    };
    return fb_test_main("recipe outline", tests, argc, argv);
}
