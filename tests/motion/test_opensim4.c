/* How OpenSim and Simbody make a mechanism of a model: the order of bodies, loops that are cut,
 * redundant constraints, and what --compat opensim4 reproduces of couplers. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/motion/system.h"
#include "tests/help.h"

typedef struct rig {
    fb_model *model;
    fb_system *system;
    fb_state *state;
    fb_diag diag;
} rig;

/* A model in .fb, with ' for ". */
static rig begin(const char *text, bool as_opensim4) {
    rig r;
    fb_system_options options = {as_opensim4};
    size_t n = strlen(text) + 1;
    char *json = malloc(n);
    memset(&r, 0, sizeof r);
    memcpy(json, text, n);
    fb_test_quotes(json);
    r.model = fb_test_must(fb_test_fb(json, &r.diag, NULL), &r.diag);
    free(json);
    if (!FB_EQUAL_INT(fb_system_compile(&r.system, r.model, &options, &r.diag), FB_OK)) {
        fprintf(stderr, "%s\n", r.diag.n ? r.diag.records[0].message : text);
        exit(1); /* the test itself is wrong */
    }
    r.state = fb_state_new(r.system);
    return r;
}

static void end(rig *r) {
    fb_state_free(r->state);
    fb_system_free(r->system);
    fb_model_free(r->model);
    fb_diag_clear(&r->diag);
}

static void move(rig *r) {
    fb_state_position(r->state);
    fb_state_velocity(r->state);
}

/* ---- the tree -------------------------------------------------------------------------------- */

static void check_order(const char *text, int n, const char *const *names) {
    rig r = begin(text, false);
    FB_EQUAL_INT(r.system->n_body, n + 1);
    for (int i = 0; i < n && i + 1 < r.system->n_body; i++) {
        FB_EQUAL_STR(r.system->mobods[i + 1].body->name, names[i]);
    }
    end(&r);
}

static void bodies_stand_level_by_level(void) {
    /* as MultibodyGraphMaker of Simbody orders them */
    static const char *const levels[] = {"a", "c", "b"};
    check_order("{'fb': '1.0', 'bodies': [{'name': 'a', 'mass': 1}, {'name': 'b', 'mass': 1}, "
                "{'name': 'c', 'mass': 1}], 'joints': [{'name': 'j', 'type': 'pin', 'parent': "
                "'ground', 'child': 'a'}, {'name': 'k', 'type': 'pin', 'parent': 'a', 'child': "
                "'b'}, {'name': 'l', 'type': 'pin', 'parent': 'ground', 'child': 'c'}]}",
                3, levels);
    /* a body without mass that moves is followed by the heaviest beyond it */
    static const char *const massless[] = {"a", "heavy", "c", "light"};
    check_order(
        "{'fb': '1.0', 'bodies': [{'name': 'a', 'mass': 0}, {'name': 'light', 'mass': 1}, "
        "{'name': 'heavy', 'mass': 2}, {'name': 'c', 'mass': 1}], 'joints': [{'name': 'j', "
        "'type': 'pin', 'parent': 'ground', 'child': 'a'}, {'name': 'k', 'type': 'pin', "
        "'parent': 'a', 'child': 'light'}, {'name': 'm', 'type': 'pin', 'parent': 'a', "
        "'child': 'heavy'}, {'name': 'l', 'type': 'pin', 'parent': 'ground', 'child': 'c'}]}",
        4, massless);
    /* lone bodies stand on the first level; then the one that is only a parent gets a joint */
    static const char *const lone[] = {"alone", "root", "a", "b"};
    check_order("{'fb': '1.0', 'bodies': [{'name': 'a', 'mass': 1}, {'name': 'b', 'mass': 1}, "
                "{'name': 'root', 'mass': 1}, {'name': 'alone', 'mass': 1}], 'joints': [{'name': "
                "'j', 'type': 'pin', 'parent': 'a', 'child': 'b'}, {'name': 'k', 'type': 'pin', "
                "'parent': 'root', 'child': 'a'}]}",
                4, lone);
}

static void added_joints_have_names(void) {
    rig r = begin("{'fb': '1.0', 'bodies': [{'name': 'b', 'mass': 1}]}", false);
    if (FB_EQUAL_INT(r.system->n_q, 6)) {
        FB_EQUAL_STR(r.system->coordinates[0].path, "/jointset/free_b/free_b_coord_0");
        FB_EQUAL_STR(r.system->coordinates[5].path, "/jointset/free_b/free_b_coord_5");
    }
    end(&r);
}

/* ---- loops ----------------------------------------------------------------------------------- */

/* A parallelogram of three bars, closed twice over: c is the child of two more joints. */
#define RING \
    "{'fb': '1.0', 'bodies': [{'name': 'a', 'mass': 2, 'inertia': [1, 1, 1, 0, 0, 0]}, {'name': " \
    "'b', 'mass': 1, 'inertia': [1, 1, 1, 0, 0, 0]}, {'name': 'c', 'mass': 3, 'mass_center': " \
    "[0.1, 0, 0], 'inertia': [1, 1.2, 1.4, 0.1, 0, 0]}], 'frames': [{'name': 'ea', 'parent': " \
    "'a', 'translation': [0, 1, 0]}, {'name': 'eb', 'parent': 'b', 'translation': [0, 1, 0]}, " \
    "{'name': 'side', 'parent': 'ground', 'translation': [1, 0, 0]}, {'name': 'far', 'parent': " \
    "'c', 'translation': [1, 0, 0]}], 'joints': [{'name': 'ja', 'type': 'pin', 'parent': " \
    "'ground', 'child': 'a', 'coordinates': [{'name': 'q'}]}, {'name': 'jb', 'type': 'pin', " \
    "'parent': 'side', 'child': 'b'}, {'name': 'jc', 'type': 'pin', 'parent': 'ea', 'child': " \
    "'c'}, {'name': 'jd', 'type': 'pin', 'parent': 'eb', 'child': 'far'}, {'name': 'je', 'type': " \
    "'free', 'parent': 'ground', 'child': 'c'}]}"

static void loops_are_cut_with_copies(void) {
    for (int compat = 0; compat < 2; compat++) {
        rig r = begin(RING, compat);
        const fb_mobod *m = r.system->mobods;
        FB_EQUAL_INT(r.system->n_body, 6);
        FB_EQUAL_INT(r.system->n_row, 12);
        FB_EQUAL_INT(m[3].copy_of, -1); /* c itself, on the joint to ground */
        FB_EQUAL_STR(m[3].body->name, "c");
        FB_EQUAL_INT(m[3].parent, 0);
        FB_EQUAL_INT(m[4].copy_of, 3);
        FB_EQUAL_INT(m[5].copy_of, 3);
        FB_EQUAL_STR(m[4].path, "/bodyset/c/c_slave_0");
        FB_EQUAL_STR(m[5].path, "/bodyset/c/c_slave_1");
        FB_EQUAL_STR(m[5].joint->name, "jd");
        for (int i = 3; i < 6; i++) {
            /* OpenSim gives copies the inertia of a mass of 1 about the body's origin */
            bool wrong = compat && i > 3;
            const double *I = m[i].inertia, shift = wrong ? .01 : 0;
            FB_NEAR(m[i].mass, 1, 1e-15, 0);
            FB_NEAR(m[i].center[0], .1, 1e-15, 0);
            FB_NEAR(I[0], 1. / 3, 1e-15, 0);
            FB_NEAR(I[4], .4 + shift, 1e-15, 0);
            FB_NEAR(I[8], 1.4 / 3 + shift, 1e-15, 0);
            FB_NEAR(I[1], .1 / 3, 1e-15, 0);
        }
        end(&r);
    }
}

/* The ring as it is: energy of three bars that turn with the same speed, or do not turn. */
static void cut_loops_keep_mass_and_energy(void) {
    rig r = begin(RING, false);
    int q = fb_system_coordinate(r.system, fb_test_find(r.model, "/jointset/ja/q"));
    int n = r.system->n_q;
    double center[3], *u = calloc((size_t)n, sizeof *u);
    r.state->q[q] = 0.5;
    FB_EQUAL_INT(fb_assemble(r.state, 1e-10), FB_OK);
    move(&r);
    double x = -sin(r.state->q[q]), y = cos(r.state->q[q]); /* the end of bar a */
    fb_coordinate_coupling(r.state, q, u);
    memcpy(r.state->u, u, (size_t)n * sizeof *u);
    move(&r);
    fb_center_of_mass(r.state, center, NULL);
    FB_NEAR(center[0], (0 * 2 + 1 * 1 + 3 * (x + .1)) / 6, 1e-9, 0);
    FB_NEAR(center[1], 3 * y / 6, 1e-9, 0);
    FB_NEAR(fb_kinetic_energy(r.state), (1 + 1 + 3) / 2., 1e-8, 0); /* I, I, m l^2 */
    free(u);
    end(&r);
}

/* ---- constraints ----------------------------------------------------------------------------- */

/* A coupler's second derivatives: OpenSim takes the first by x_i for the second by x_i and x_j. */
static void polynomials_of_several_coordinates(void) {
    static const char model[] =
        "{'fb': '1.0', 'bodies': [{'name': 'b', 'mass': 1}, {'name': 'c', 'mass': 1}], 'joints': "
        "[{'name': 'j', 'type': 'free', 'parent': 'ground', 'child': 'b', 'coordinates': [{'name': "
        "'rx'}, {'name': 'ry'}, {'name': 'rz'}, {'name': 'tx'}, {'name': 'ty'}, {'name': 'tz'}]}, "
        "{'name': 'k', 'type': 'slider', 'parent': 'ground', 'child': 'c', 'coordinates': "
        "[{'name': 's'}]}], 'constraints': [{'name': 'k', 'type': 'coordinate_coupler', "
        "'scale_factor': 2, 'function': {'type': 'multivariate_polynomial', 'dimension': 2, "
        "'order': 2, 'coefficients': [1, 2, 3, 4, 5, 6]}, 'independent_coordinates': ['rx', 'tx'], "
        "'dependent_coordinate': 's'}]}";
    double bias[2], x = 0, y = 0, xdot = 0, ydot = 0;
    for (int compat = 0; compat < 2; compat++) {
        rig r = begin(model, compat);
        for (int i = 0; i < r.system->n_q; i++) {
            r.state->q[i] = 0.2 + 0.1 * i;
            r.state->u[i] = 0.5 - 0.3 * i;
        }
        move(&r);
        int rx = fb_system_coordinate(r.system, fb_test_find(r.model, "/jointset/j/rx"));
        int tx = fb_system_coordinate(r.system, fb_test_find(r.model, "/jointset/j/tx"));
        x = r.state->q[rx];
        y = r.state->q[tx];
        xdot = r.state->qdot[rx];
        ydot = r.state->qdot[tx];
        fb_constraint_bias(r.state, &bias[compat]);
        end(&r);
    }
    /* 1 + 2 y + 3 y^2 + 4 x + 5 x y + 6 x^2 */
    double fx = 4 + 5 * y + 12 * x, fy = 2 + 6 * y + 5 * x;
    double exact = 12 * xdot * xdot + 2 * 5 * xdot * ydot + 6 * ydot * ydot;
    double opensim = (fx * xdot + fy * ydot) * (xdot + ydot);
    FB_NEAR(bias[1] - bias[0], 2 * (opensim - exact), 1e-12, 1e-12);
}

/* Forces of point and weld constraints leave two free bodies' momentum alone, even where the points
 * are apart: no constraint resists a turn of all. */
static void turning_all_meets_no_constraint(void) {
    static const char *const kinds[] = {
        "'type': 'point', 'body_1': 'b', 'body_2': 'c', 'location_1': [0.1, 0.2, 0.3]",
        "'type': 'weld', 'frame_1': 'b', 'frame_2': 'c'",
        "'type': 'point_on_line', 'line_body': 'b', 'follower_body': 'c', 'line_direction': [1, 2, "
        "3]",
        "'type': 'constant_distance', 'body_1': 'b', 'body_2': 'c', 'distance': 0.2",
    };
    for (int k = 0; k < 4; k++) {
        char text[1000];
        snprintf(text, sizeof text,
                 "{'fb': '1.0', 'bodies': [{'name': 'b', 'mass': 1}, {'name': 'c', 'mass': 1}], "
                 "'joints': [{'name': 'j', 'type': 'free', 'parent': 'ground', 'child': 'b'}, "
                 "{'name': 'k', 'type': 'free', 'parent': 'b', 'child': 'c'}], 'constraints': "
                 "[{'name': 'k', %s}]}",
                 kinds[k]);
        rig r = begin(text, false);
        double error[6], G[6 * 12];
        for (int i = 0; i < 12; i++) {
            r.state->q[i] = 0.3 - 0.17 * i;
        }
        move(&r);
        fb_constraint_position(r.state, error, G);
        for (int i = 0; i < r.system->n_row; i++) {
            for (int j = 0; j < 6; j++) { /* the speeds of b, which carries c along */
                FB_NEAR(G[i * 12 + j], 0, 1e-12, 0);
            }
        }
        FB_TRUE(fabs(error[0]) > 1e-3, "%s: the points are apart", kinds[k]);
        end(&r);
    }
}

/* Two sliders, one on the other, turned against each other by an angle, the second's body held to
 * ground at a point: where the angle is next to nothing, they may still move against each other. */
static void hardly_held_coordinates_are_free(void) {
    for (int i = 0; i < 2; i++) {
        char text[1000];
        double udot[2] = {0, 0}, tau[2] = {0, 0};
        snprintf(text, sizeof text,
                 "{'fb': '1.0', 'gravity': [3, 0, 0], 'bodies': [{'name': 'a', 'mass': 1}, "
                 "{'name': 'b', 'mass': 1}], 'frames': [{'name': 'f', 'parent': 'a', "
                 "'rotation_xyz': [0, 0, %g]}, {'name': 'g', 'parent': 'b', 'rotation_xyz': [0, 0, "
                 "%g]}], 'joints': [{'name': 'j', 'type': 'slider', 'parent': 'ground', 'child': "
                 "'a'}, {'name': 'k', 'type': 'slider', 'parent': 'f', 'child': 'g'}], "
                 "'constraints': [{'name': 'k', 'type': 'point', 'body_1': 'b', 'body_2': "
                 "'ground'}]}",
                 i ? 1e-8 : 1e-3, i ? 1e-8 : 1e-3);
        rig r = begin(text, false);
        move(&r);
        FB_EQUAL_INT(fb_forward_dynamics(r.state, tau, udot), FB_OK);
        FB_NEAR(udot[0], i ? 3 : 0, 1e-6, 0); /* a falls while b stays */
        FB_NEAR(udot[1], i ? -3 : 0, 1e-6, 0);
        double u[2];
        fb_coordinate_coupling(r.state, 0, u);
        FB_NEAR(u[0], i, 1e-6, 0);
        FB_NEAR(u[1], -i, 1e-6, 0);
        end(&r);
    }
}

/* OpenSim takes points in offset frames as points of the frames' bodies. Two ways to write one
 * constraint, in a frame a quarter turned about z and in its body, and the errors of both. */
static void constraint_points_may_be_in_offset_frames(void) {
    static const char *const kinds[][2] = {
        {"'type': 'point', 'body_2': 'ground', 'body_1'", "'location_1'"},
        {"'type': 'constant_distance', 'distance': 0.2, 'body_2': 'ground', 'body_1'",
         "'location_1'"},
        {"'type': 'point_on_line', 'line_direction': [0, 0, 1], 'follower_body': 'ground', "
         "'line_body'",
         "'point_on_line'"}};
    for (int i = 0; i < 6; i++) {
        bool as_opensim4 = i % 2 == 1;
        double error[2][6] = {{0}};
        for (int k = 0; k < 2; k++) {
            char text[1000];
            snprintf(text, sizeof text,
                     "{'fb': '1.0', 'bodies': [{'name': 'b', 'mass': 1}], 'frames': [{'name': 'f', "
                     "'parent': 'b', 'translation': [5, 0, 0], 'rotation_xyz': [0, 0, "
                     "1.5707963267948966]}], 'joints': [{'name': 'j', 'type': 'free', 'parent': "
                     "'ground', 'child': 'b'}], 'constraints': [{'name': 'k', %s: '%s', %s: %s}]}",
                     kinds[i / 2][0], k == 0 ? "f" : "b", kinds[i / 2][1],
                     k == 0 || as_opensim4 ? "[1, 2, 3]" : "[3, 1, 3]"); /* (5, 0) + (-2, 1) */
            rig r = begin(text, as_opensim4);
            for (int q = 0; q < 6; q++) {
                r.state->q[q] = 0.3 - 0.17 * q;
            }
            move(&r);
            fb_constraint_position(r.state, error[k], NULL);
            end(&r);
        }
        FB_TRUE(fabs(error[0][0]) > 1e-3, "%s: the points are apart", kinds[i / 2][0]);
        for (int k = 0; k < 6; k++) {
            FB_NEAR(error[0][k], error[1][k], 1e-12, 0);
        }
    }
}

static const fb_test tests[] = {
    FB_TEST(bodies_stand_level_by_level),
    FB_TEST(added_joints_have_names),
    FB_TEST(loops_are_cut_with_copies),
    FB_TEST(cut_loops_keep_mass_and_energy),
    FB_TEST(polynomials_of_several_coordinates),
    FB_TEST(turning_all_meets_no_constraint),
    FB_TEST(hardly_held_coordinates_are_free),
    FB_TEST(constraint_points_may_be_in_offset_frames),
    FB_TEST_END,
};

int main(int argc, char **argv) {
    return fb_test_main("opensim4", tests, argc, argv);
}
