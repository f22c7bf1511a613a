/* Geometric moment arms against differences of the length by each coordinate, with another rule and
 * step than the library's. */
#include "libcore/muscle/moment_arm.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/help.h"

/* ---- a rig ----------------------------------------------------------------------------------- */

typedef struct rig {
    fb_model *model;
    fb_simulation *s;
    fb_diag diag;
    int n, n_paths;
    double *arms, *want, *doubt, *lengths;
    bool *differenced;
} rig;

static bool rig_compile(rig *r, bool as_opensim4) {
    if (!r->model || fb_simulation_new(&r->s, r->model, as_opensim4, &r->diag) != FB_OK) {
        return false;
    }
    r->n = r->s->system->n_q;
    r->n_paths = r->s->paths->n_paths;
    size_t size = (size_t)r->n * (size_t)r->n_paths + 1;
    r->arms = calloc(size, sizeof(double));
    r->want = calloc(size, sizeof(double));
    r->lengths = calloc((size_t)r->n_paths * 5 + 1, sizeof(double));
    r->differenced = calloc(size, sizeof(bool));
    r->doubt = calloc(size, sizeof(double));
    return true;
}

static void end(rig *r) {
    free(r->arms);
    free(r->want);
    free(r->lengths);
    free(r->differenced);
    free(r->doubt);
    fb_simulation_free(r->s);
    fb_model_free(r->model);
    fb_diag_clear(&r->diag);
}

/* A body that moves freely, coordinates q0 .. q5, and one that turns about its x axis, coordinate
 * "e"; wraps and path members given (.fb, with ' for "). */
static rig begin(const char *wraps, const char *path, bool as_opensim4) {
    rig r;
    char text[6000];
    memset(&r, 0, sizeof r);
    snprintf(text, sizeof text,
             "{'fb': '1.0', 'bodies': [{'name': 'arm', 'mass': 1}, {'name': 'hand', 'mass': 1}], "
             "'joints': [{'name': 'j', 'type': 'free', 'parent': 'ground', 'child': 'arm', "
             "'coordinates': [{'name': 'q0'}, {'name': 'q1'}, {'name': 'q2'}, {'name': 'q3'}, "
             "{'name': 'q4'}, {'name': 'q5'}]}, {'name': 'k', 'type': 'pin', 'parent': 'arm', "
             "'child': 'hand', 'coordinates': [{'name': 'e', 'range': [-0.5, 0.5]}]}], 'wraps': "
             "[%s], 'muscles': [{'name': 'm', 'type': 'Thelen2003', 'path': {%s}}]}",
             wraps, path);
    fb_test_quotes(text);
    r.model = fb_test_must(fb_test_fb(text, &r.diag, NULL), &r.diag);
    if (!FB_TRUE(rig_compile(&r, as_opensim4), "%s", r.diag.n ? r.diag.records[0].message : "")) {
        fprintf(stderr, "%s\n", r.diag.n ? r.diag.records[0].message : text);
        exit(1); /* the test itself is wrong */
    }
    return r;
}

/* By five points, 0.2 mm or mrad apart. How far the rule of three points is from that tells of
 * kinks among them, as where a path begins to touch. */
static void differentiate(rig *r) {
    const double h = 2e-4;
    for (int k = 0; k < r->n; k++) {
        double q = r->s->state->q[k];
        for (int i = 0; i < 5; i++) {
            r->s->state->q[k] = q + (i - 2) * h;
            fb_simulation_move(r->s);
            memcpy(r->lengths + i * r->n_paths, r->s->path_length,
                   (size_t)r->n_paths * sizeof(double));
        }
        r->s->state->q[k] = q;
        for (int p = 0; p < r->n_paths; p++) {
            double L[5];
            for (int i = 0; i < 5; i++) {
                L[i] = r->lengths[i * r->n_paths + p];
            }
            double three = (L[3] - L[1]) / (2 * h);
            double five = (8 * (L[3] - L[1]) - (L[4] - L[0])) / (12 * h);
            r->want[p * r->n + k] = -five;
            r->doubt[p * r->n + k] = fabs(five - three);
        }
    }
    fb_simulation_move(r->s);
}

/* All arms at the simulation's coordinates; how many were compared. */
static int check(rig *r, double tolerance, const char *what) {
    int compared = 0;
    differentiate(r);
    fb_moment_arms_geometric(r->s, r->arms, r->differenced);
    for (int i = 0; i < r->n * r->n_paths; i++) {
        if (r->doubt[i] < 1e-5) {
            compared++;
            FB_TRUE(fabs(r->arms[i] - r->want[i]) <= tolerance + 2 * r->doubt[i],
                    "%s: '%s' by coordinate %d is %.12g, not %.12g", what,
                    r->s->paths->paths[i / r->n].owner->name, i % r->n, r->arms[i], r->want[i]);
        }
    }
    return compared;
}

static int check_random(rig *r, double size, double tolerance, const char *what) {
    unsigned long long seed = fb_test_seed();
    int compared = 0;
    for (int round = 0; round < 20; round++) {
        for (int i = 0; i < r->n; i++) {
            r->s->state->q[i] = fb_random_between(&seed, -size, size);
        }
        compared += check(r, tolerance, what);
    }
    return compared;
}

#define ENDS \
    "'points': [{'name': 'a', 'frame': 'ground', 'location': [0.02, 0.3, 0.01]}, {'name': 'b', " \
    "'frame': 'hand', 'location': [0.01, -0.4, 0]}]"

/* ---- tests ----------------------------------------------------------------------------------- */

static void angles_are_no_angular_speeds(void) {
    rig r = begin("", ENDS, false);
    FB_EQUAL_INT(check_random(&r, 1, 1e-9, "straight"), 20 * 7);
    FB_TRUE(!r.differenced[0], "straight paths need no differences");
    double apart = 0;
    for (int k = 0; k < 3; k++) { /* forces on speeds are something else */
        apart = fmax(apart, fabs(r.arms[k] - r.s->path_arms[k]));
    }
    FB_TRUE(apart > 1e-3, "%g", apart);
    end(&r);
}

static void over_surfaces(void) {
    static const struct {
        const char *wrap;
        bool differenced;
    } all[] = {
        {"{'name': 'w', 'type': 'sphere', 'frame': 'ground', 'radius': 0.05}", false},
        {"{'name': 'w', 'type': 'cylinder', 'frame': 'arm', 'radius': 0.04, 'length': 1}", false},
        {"{'name': 'w', 'type': 'ellipsoid', 'frame': 'ground', 'dimensions': [0.05, 0.08, 0.03]}",
         true},
        {"{'name': 'w', 'type': 'torus', 'frame': 'ground', 'rotation_xyz': [1.5708, 0, 0], "
         "'translation': [0.07, 0, 0], 'inner_radius': 0.02, 'outer_radius': 0.06}",
         true},
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        rig r = begin(all[i].wrap, ENDS ", 'wraps': [{'wrap': 'w'}]", false);
        int differenced = 0, wrapped = 0;
        double apart = 0;
        unsigned long long seed = fb_test_seed();
        for (int round = 0; round < 50; round++) {
            for (int k = 0; k < r.n; k++) {
                r.s->state->q[k] = fb_random_between(&seed, -0.1, 0.1);
            }
            check(&r, all[i].differenced ? 1e-5 : 1e-6, all[i].wrap);
            fb_path_course(r.s->paths, 0, r.s->state, &r.s->course);
            wrapped += r.s->course.n == 4;
            differenced += r.differenced[0];
            apart = fmax(apart, fabs(r.arms[6] - r.s->path_arms[6]));
        }
        FB_TRUE(wrapped > 5, "%d of 50 wrap over %s", wrapped, all[i].wrap);
        FB_EQUAL_INT(differenced, all[i].differenced ? wrapped : 0);
        if (strstr(all[i].wrap, "ellipsoid")) { /* a section is not the shortest way */
            FB_TRUE(apart > 1e-4, "the two kinds of arms are only %g apart", apart);
        }
        end(&r);
    }
}

static void as_opensim_wraps(void) {
    rig r = begin("{'name': 'w', 'type': 'cylinder', 'frame': 'arm', 'radius': 0.04, 'length': 1, "
                  "'rotation_xyz': [0.2, 0.1, 0]}",
                  ENDS ", 'wraps': [{'wrap': 'w'}]", true);
    FB_TRUE(check_random(&r, 0.2, 1e-5, "as OpenSim") > 100, "most are compared");
    end(&r);
}

static void moving_points_stop_at_their_range(void) {
    rig r = begin("",
                  "'points': [{'name': 'a', 'type': 'moving', 'frame': 'ground', "
                  "'x_coordinate': 'e', 'y_coordinate': 'q1', 'x': {'type': 'polynomial', "
                  "'coefficients': [0.1, 0.2, 0.3]}, 'y': {'type': 'linear', 'coefficients': "
                  "[0.2, 0.1]}}, {'name': 'b', 'frame': 'ground', 'location': [0.3, -0.4, 0]}]",
                  false);
    r.s->state->q[6] = 0.4;
    check(&r, 1e-8, "within");
    FB_TRUE(r.arms[6] != 0, "it moves");
    FB_TRUE(r.arms[1] != 0, "an angle moves it");
    r.s->state->q[6] = 0.6;
    check(&r, 1e-8, "beyond");
    FB_NEAR(r.arms[6], 0, 1e-11, 0);
    r.s->state->q[6] = -2;
    check(&r, 1e-8, "before");
    FB_NEAR(r.arms[6], 0, 1e-11, 0);
    end(&r);
}

static void functions_have_their_own_slope(void) {
    rig r = begin("",
                  "'type': 'function_based', 'coordinates': ['e'], 'length': {'type': 'linear', "
                  "'coefficients': [0.3, 1]}, 'moment_arms': [{'type': 'constant', 'value': 7}]",
                  false);
    fb_simulation_move(r.s);
    FB_SAME(r.s->path_arms[6], 7);
    check(&r, 1e-10, "function");
    FB_NEAR(r.arms[6], -0.3, 1e-15, 0);
    FB_SAME(r.arms[0], 0);
    end(&r);
}

static void the_state_stays_and_nothing_is_allocated(void) {
    rig r =
        begin("{'name': 'w', 'type': 'ellipsoid', 'frame': 'ground', 'dimensions': [0.05, 0.08, "
              "0.03]}",
              ENDS ", 'wraps': [{'wrap': 'w'}]", false);
    for (int k = 0; k < r.n; k++) {
        r.s->state->q[k] = 0.001 * k;
    }
    fb_simulation_move(r.s);
    double q[7];
    fb_pose pose = r.s->state->pose[2];
    memcpy(q, r.s->state->q, sizeof q);
    fb_alloc_fail_at(0);
    fb_moment_arms_geometric(r.s, r.arms, r.differenced);
    FB_EQUAL_INT(fb_alloc_fail_at(0), 0);
    FB_TRUE(r.differenced[0], "by differences");
    FB_TRUE(memcmp(q, r.s->state->q, sizeof q) == 0, "q is as it was");
    FB_TRUE(memcmp(&pose, &r.s->state->pose[2], sizeof pose) == 0, "poses are as they were");
    end(&r);
}

static void shipped_models(void) {
    unsigned long long seed = fb_test_seed();
    int compared = 0, differenced = 0;
    for (int i = 0; fb_test_glob("models/*/*.osim", i); i++) {
        const char *file = fb_test_glob("models/*/*.osim", i);
        for (int as_opensim4 = 0; as_opensim4 < 2; as_opensim4++) {
            size_t size;
            char *bytes = fb_test_read_file(file, &size);
            rig r;
            memset(&r, 0, sizeof r);
            fb_diag_init(&r.diag);
            bool ok = fb_osim_read(&r.model, bytes, size, file, NULL, &r.diag) == FB_OK &&
                      rig_compile(&r, as_opensim4) && r.n < 60;
            /* numbers.osim has numbers at the ends of what a double can hold */
            for (int round = 0; ok && round < 3 && !strstr(file, "numbers"); round++) {
                fb_state_defaults(r.s->state);
                for (int k = 0; k < r.n; k++) {
                    r.s->state->q[k] += fb_random_between(&seed, -0.2, 0.2);
                }
                /* iterations that OpenSim leaves early, and chords that come and go, make its
                 * lengths rough */
                compared += check(&r, as_opensim4 ? 3e-2 : 2e-6, file);
                for (int k = 0; k < r.n_paths; k++) {
                    differenced += r.differenced[k];
                }
            }
            end(&r);
        }
    }
    FB_TRUE(compared > 300, "%d arms", compared);
    FB_TRUE(differenced > 5, "%d paths by differences", differenced);
}

static const fb_test tests[] = {
    FB_TEST(angles_are_no_angular_speeds),
    FB_TEST(over_surfaces),
    FB_TEST(as_opensim_wraps),
    FB_TEST(moving_points_stop_at_their_range),
    FB_TEST(functions_have_their_own_slope),
    FB_TEST(the_state_stays_and_nothing_is_allocated),
    FB_TEST(shipped_models),
    FB_TEST_END,
};

int main(int argc, char **argv) {
    return fb_test_main("moment_arm", tests, argc, argv);
}
