/* Virtual links: equilibria that are known in closed form; and of muscles, tendons and ligaments
 * in motion, the balance of tensions, lengths' derivatives by differences, and forces as the
 * derivative of an energy that is integrated from the tensions here. */
#include "libcore/muscle/virtual_link.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/muscle/simulation.h"
#include "tests/help.h"

/* ---- a rig ----------------------------------------------------------------------------------- */

typedef struct rig {
    fb_model *model;
    fb_simulation *s;
    fb_diag diag;
} rig;

/* Lists of a .fb, with ' for ". */
static rig begin(const char *lists) {
    rig r;
    size_t n = strlen(lists) + 40;
    char *text = malloc(n);
    memset(&r, 0, sizeof r);
    snprintf(text, n, "{'fb': '1.0', %s}", lists);
    fb_test_quotes(text);
    r.model = fb_test_must(fb_test_fb(text, &r.diag, NULL), &r.diag);
    free(text);
    fb_status status = fb_simulation_new(&r.s, r.model, false, &r.diag);
    if (status != FB_OK || r.diag.n) {
        fprintf(stderr, "%s\n", r.diag.n ? r.diag.records[0].message : lists);
        exit(1); /* the test itself is wrong */
    }
    return r;
}

static void end(rig *r) {
    fb_simulation_free(r->s);
    fb_model_free(r->model);
    fb_diag_clear(&r->diag);
}

#define SPRING(NAME, A, B, K, L0) \
    "{'name': '" NAME "', 'type': 'path', 'path': {'points': [" A ", " B \
    "]}, 'dissipation': 0, 'stiffness': " K ", 'resting_length': " L0 "}"
#define AT(X, Y, Z) "{'frame': 'ground', 'location': [" X ", " Y ", " Z "]}"
#define LINK(NAME) "{'type': 'link', 'virtual_link': '" NAME "'}"
#define BEGINS(NAME, X, Y, Z) \
    "{'name': '" NAME "', 'frame': 'ground', 'location': [" X ", " Y ", " Z "]}"

static void check_place(const rig *r, int link, double x, double y, double z) {
    FB_NEAR(r->s->links->place[link][0], x, 1e-10, 0);
    FB_NEAR(r->s->links->place[link][1], y, 1e-10, 0);
    FB_NEAR(r->s->links->place[link][2], z, 1e-10, 0);
}

/* ---- at rest --------------------------------------------------------------------------------- */

/* k1 (p - l1) = k2 (D - p - l2) on a line of length D = 1. */
static void two_wires_share_a_line(void) {
    rig r = begin("'virtual_links': [" BEGINS("v", "0.2", "0.1", "-0.05") "], 'springs': [" SPRING(
        "a", AT("0", "0", "0"), LINK("v"), "300",
        "0.3") ", " SPRING("b", LINK("v"), AT("1", "0", "0"), "100", "0.4") "]");
    fb_simulation_move(r.s);
    double p = (300 * 0.3 + 100 * (1 - 0.4)) / 400;
    check_place(&r, 0, p, 0, 0);
    FB_NEAR(r.s->path_length[0], p, 1e-10, 0);
    FB_NEAR(r.s->links->wires[0].tension, 300 * (p - 0.3), 1e-8, 0);
    FB_NEAR(r.s->links->wires[1].tension, 300 * (p - 0.3), 1e-8, 0);
    FB_EQUAL_INT(r.s->links->n_failed, 0);
    end(&r);
}

/* Corners of a triangle at 1 m from its middle, in a tilted plane. */
static void three_equal_wires_meet_in_the_middle(void) {
    rig r = begin("'virtual_links': [" BEGINS("v", "0.3", "0.2", "0.5") "], 'springs': [" SPRING(
        "a", AT("1", "0", "0"), LINK("v"), "1e4",
        "0.8") ", " SPRING("b", LINK("v"), AT("-0.5", "0.5196152422706632", "0.6928203230275509"),
                           "1e4", "0.8") ", " SPRING("c",
                                                     AT("-0.5", "-0.5196152422706632",
                                                        "-0.6928203230275509"),
                                                     LINK("v"), "1e4", "0.8") "]");
    fb_simulation_move(r.s);
    check_place(&r, 0, 0, 0, 0);
    for (int w = 0; w < 3; w++) {
        FB_NEAR(r.s->links->wires[w].tension, 1e4 * 0.2, 1e-6, 0);
    }
    FB_TRUE(r.s->links->links[0].residual < 1e-9 * 2000, "%g", r.s->links->links[0].residual);
    end(&r);
}

/* Springs without length pull like weights: sum of k (p - a) = 0. */
static void wires_without_rest_length_average_their_ends(void) {
    rig r = begin("'virtual_links': [" BEGINS("v", "0", "0", "0") ", " BEGINS(
        "w", "0.1", "0.2",
        "0.3") "], "
               "'springs': [" SPRING("a", AT("1", "2", "-1"), LINK("v"), "100", "0") ", " SPRING(
                   "b", AT("-1", "0.5", "3"), LINK("v"), "250",
                   "0") ", " SPRING("c", LINK("v"), LINK("w"), "400",
                                    "0") ", " SPRING("d", LINK("w"), AT("0", "-1", "0.25"), "50",
                                                     "0") "]");
    fb_simulation_move(r.s);
    const double a[3] = {1, 2, -1}, b[3] = {-1, 0.5, 3}, d[3] = {0, -1, 0.25};
    double v[3], w[3];
    for (int i = 0; i < 3; i++) { /* 750 v - 400 w = 100 a + 250 b; -400 v + 450 w = 50 d */
        double right = 100 * a[i] + 250 * b[i], det = 750. * 450 - 400. * 400;
        v[i] = (450 * right + 400 * 50 * d[i]) / det;
        w[i] = (400 * right + 750 * 50 * d[i]) / det;
    }
    check_place(&r, 0, v[0], v[1], v[2]);
    check_place(&r, 1, w[0], w[1], w[2]);
    FB_EQUAL_INT(fb_links_group(r.s->links, 0), fb_links_group(r.s->links, 3));
    end(&r);
}

/* A cord from (-1, 0) to (1, 0) runs through a ring, on which a spring from (0.2, -1.5) pulls: the
 * cord's two halves have one tension, so their angles with the spring are equal. */
static void a_wire_runs_through_a_link_as_through_a_ring(void) {
    rig r = begin("'virtual_links': [" BEGINS(
        "ring", "0", "-0.1",
        "0.1") "], 'springs': ["
               "{'name': 'cord', 'type': 'path', 'dissipation': 0, 'stiffness': 2000, "
               "'resting_length': 2, "
               "'path': {'points': [" AT("-1", "0", "0") ", " LINK(
                   "ring") ", " AT("1", "0", "0") "]}}, " SPRING("s", AT("0.2", "-1.5", "0"),
                                                                 LINK("ring"), "300", "1") "]");
    fb_simulation_move(r.s);
    const double *p = r.s->links->place[0];
    double left[3] = {-1 - p[0], -p[1], -p[2]}, right[3] = {1 - p[0], -p[1], -p[2]};
    double down[3] = {0.2 - p[0], -1.5 - p[1], -p[2]};
    double cord = fb_v3_normalize(left) + fb_v3_normalize(right), s = fb_v3_normalize(down);
    FB_NEAR(fb_v3_dot(left, down), fb_v3_dot(right, down), 1e-9, 0);
    FB_NEAR(-2000 * (cord - 2) * 2 * fb_v3_dot(left, down), 300 * (s - 1), 1e-6, 0);
    FB_NEAR(p[2], 0, 1e-9, 0);
    FB_TRUE(cord > 2.01, "it is stretched: %g", cord);
    end(&r);
}

static void nothing_pulls_at_a_slack_link(void) {
    rig r = begin("'virtual_links': [" BEGINS("v", "0.3", "0.2", "0.1") "], 'springs': [" SPRING(
        "a", AT("0", "0", "0"), LINK("v"), "300",
        "0.9") ", " SPRING("b", LINK("v"), AT("1", "0", "0"), "100", "0.9") "]");
    r.s->links->links[0].last[0] = -5; /* as if it had been elsewhere before */
    fb_simulation_move(r.s);
    check_place(&r, 0, 0.3, 0.2, 0.1);
    FB_TRUE(r.s->links->links[0].slack && r.s->links->n_failed == 0, "it is slack");
    fb_links_tell(r.s->links, "time", 0, &r.diag);
    FB_RECORD(&r.diag, FB_WARNING, FB4004, -1);
    end(&r);
}

/* A force that pushes has no stable place. */
static void what_has_no_equilibrium_is_told(void) {
    rig r = begin("'virtual_links': [" BEGINS(
        "v", "0.5", "0.2",
        "0.1") "], 'forces': ["
               "{'name': 'push', 'type': 'expression_path', 'expression': '-50', 'path': "
               "{'points': [" AT("0", "0", "0") ", " LINK(
                   "v") "]}}], 'springs': [" SPRING("b", LINK("v"), AT("1", "0", "0"), "100",
                                                    "100") "]");
    fb_simulation_move(r.s);
    FB_EQUAL_INT(r.s->links->n_failed, 1);
    FB_TRUE(isfinite(fb_v3_norm(r.s->links->place[0])) && isfinite(r.s->path_length[0]), "finite");
    fb_links_tell(r.s->links, "time", 1.5, &r.diag);
    const fb_record *record = FB_RECORD(&r.diag, FB_WARNING, FB4004, -1);
    FB_HOLDS(record ? record->message : "", "'v': no equilibrium at time 1.5: 50 N");
    end(&r);
}

/* ---- in motion ------------------------------------------------------------------------------- */

/* Two links on two limbs: muscles of two classes, a tendon over a cylinder, ligaments, a damped
 * spring; one muscle elsewhere. */
static rig begin_limbs(bool damped) {
    rig r = begin(
        "'bodies': [{'name': 'arm', 'mass': 1, 'inertia': [0.1, 0.1, 0.1, 0, 0, 0]}, "
        "{'name': 'forearm', 'mass': 1, 'inertia': [0.1, 0.1, 0.1, 0, 0, 0]}], "
        "'frames': [{'name': 'elbow', 'parent': 'arm', 'translation': [0, -0.4, 0]}], "
        "'joints': [{'name': 'j', 'type': 'universal', 'parent': 'ground', 'child': 'arm', "
        "'coordinates': [{'name': 'a'}, {'name': 'b'}]}, {'name': 'k', 'type': 'pin', 'parent': "
        "'elbow', 'child': 'forearm', 'coordinates': [{'name': 'e'}]}], "
        "'wraps': [{'name': 'c', 'type': 'cylinder', 'frame': 'arm', 'translation': [0, -0.4, 0], "
        "'radius': 0.03, 'length': 1, 'quadrant': '+x'}], "
        "'virtual_links': [{'name': 'v', 'frame': 'arm', 'location': [0.05, -0.2, 0]}, "
        "{'name': 'w', 'frame': 'forearm', 'location': [0.05, -0.1, 0.02]}], "
        "'muscles': [{'name': 'm', 'type': 'Millard2012Equilibrium', 'max_isometric_force': 900, "
        "'optimal_fiber_length': 0.1, 'tendon_slack_length': 0.11, 'pennation_angle': 0.2, 'path': "
        "{'points': [{'frame': 'ground', 'location': [0.04, 0.02, 0.03]}, " LINK(
            "v") "]}}, "
                 "{'name': 't', 'type': 'Thelen2003', 'max_isometric_force': 600, "
                 "'optimal_fiber_length': 0.12, 'tendon_slack_length': 0.05, 'path': "
                 "{'points': [{'frame': 'arm', 'location': [0.03, -0.05, -0.05]}, " LINK(
                     "v") "]}}, "
                          "{'name': 'other', 'type': 'Thelen2003', 'max_isometric_force': 300, "
                          "'optimal_fiber_length': 0.1, 'tendon_slack_length': 0.2, 'path': "
                          "{'points': [{'frame': 'ground', 'location': [-0.04, 0.02, 0]}, "
                          "{'frame': 'arm', 'location': [-0.04, -0.28, 0]}]}}], "
                          "'ligaments': [{'name': 'l', 'type': 'Blankevoort1991', "
                          "'linear_stiffness': 8000, 'slack_length': 0.085, 'path': {'points': "
                          "[" LINK("w") ", {'frame': 'forearm', 'location': [0.03, -0.2, "
                                        "0.05]}]}}], "
                                        "'springs': [{'name': 'tendon', 'type': 'path', "
                                        "'dissipation': 0, 'stiffness': 60000, 'resting_length': "
                                        "0.27, 'path': "
                                        "{'points': [" LINK("v") ", " LINK(
                                            "w") "], 'wraps': [{'wrap': 'c'}]}}, "
                                                 "{'name': 'damped', 'type': 'path', 'stiffness': "
                                                 "20000, 'resting_length': 0.08, 'dissipation': "
                                                 "0.05, 'path': {'points': [" LINK(
                                                     "w") ", {'frame': 'forearm', 'location': "
                                                          "[0.02, -0.19, -0.03]}]}}]");
    for (int i = 0; i < r.s->forces->n_forces && !damped; i++) {
        r.s->forces->forces[i].p[2] = 0; /* of springs and ligaments alike: damping */
    }
    return r;
}

static void randomize(rig *r, unsigned long long *seed, double speed) {
    fb_simulation *s = r->s;
    const double middle[3] = {0.1, 0, -0.5}, size[3] = {0.3, 0.3, 0.4};
    for (int k = 0; k < 3; k++) {
        s->state->q[k] = middle[k] + fb_random_between(seed, -size[k], size[k]);
        s->state->u[k] = fb_random_between(seed, -speed, speed);
    }
    for (int i = 0; i < s->muscles->n; i++) {
        s->activation[i] = fb_random_between(seed, 0.05, 1);
    }
}

/* The tensions that act, summed at each link from the courses: next to nothing. Their largest. */
static double check_balance(rig *r, const char *when) {
    fb_simulation *s = r->s;
    double sum[2][3] = {{0}}, largest = 0;
    fb_simulation_accelerate(s, 0);
    for (int i = 0; i < s->paths->n_paths; i++) {
        fb_path_course(s->paths, i, s->state, &s->course);
        for (int k = 0; k < s->course.n; k++) {
            for (int side = -1; side <= 1 && s->course.points[k].body < 0; side += 2) {
                if (k + side >= 0 && k + side < s->course.n) {
                    double pull[3];
                    fb_v3_sub(pull, s->course.points[k + side].place, s->course.points[k].place);
                    fb_v3_normalize(pull);
                    fb_v3_madd(sum[-1 - s->course.points[k].body], s->tension[i], pull);
                    largest = fmax(largest, s->tension[i]);
                }
            }
        }
    }
    FB_TRUE(fb_v3_norm(sum[0]) <= 1e-9 * largest && fb_v3_norm(sum[1]) <= 1e-9 * largest,
            "%s: %g and %g of %g N", when, fb_v3_norm(sum[0]), fb_v3_norm(sum[1]), largest);
    return largest;
}

static double tension_of(rig *r, int path, double length) {
    fb_simulation *s = r->s;
    for (int i = 0; i < s->muscles->n; i++) {
        fb_muscle_point point;
        if (s->muscles->muscles[i].path == path) {
            fb_muscle_equilibrate(&s->muscles->muscles[i], s->activation[i], length, 0,
                                  FB_EQUILIBRIUM_STATIC, &point);
            return point.tendon_force;
        }
    }
    double lengths[8] = {0}, speeds[8] = {0}, tensions[8] = {0}, external[4][6] = {{0}}, tau[8];
    lengths[path] = length;
    fb_forces_apply(s->forces, s->state, 0, NULL, NULL, lengths, speeds, tensions, external, tau);
    return tensions[path];
}

/* Integral of the tension over the length between two lengths, by Gauss with 5 points. */
static double energy_between(rig *r, int path, double from, double to) {
    static const double x[3] = {0, 0.5384693101056831, 0.9061798459386640},
                        weight[3] = {0.5688888888888889, 0.4786286704993665, 0.2369268850561891};
    double middle = (from + to) / 2, half = (to - from) / 2;
    double sum = weight[0] * tension_of(r, path, middle);
    for (int i = 1; i < 3; i++) {
        sum += weight[i] * (tension_of(r, path, middle + half * x[i]) +
                            tension_of(r, path, middle - half * x[i]));
    }
    return half * sum;
}

/* Equilibrium at rest: lengths, arms and forces against differences over each coordinate. */
static void forces_are_the_derivative_of_the_energy(void) {
    rig r = begin_limbs(true);
    unsigned long long seed = fb_test_seed();
    const double h = 1e-4;
    fb_simulation *s = r.s;
    int wrapped = 0;
    for (int pose = 0; pose < 25; pose++) {
        double q[3], arms[8][3], tension[8], lengths[2][8];
        randomize(&r, &seed, 0);
        memcpy(q, s->state->q, sizeof q);
        fb_simulation_move(s);
        FB_EQUAL_INT(s->links->n_failed, 0);
        memcpy(arms, s->path_arms, (size_t)s->paths->n_paths * sizeof arms[0]);
        for (int i = 0; i < s->muscles->n; i++) {
            FB_TRUE(fb_simulation_equilibrate(s, i, FB_EQUILIBRIUM_STATIC), "balanced");
        }
        double largest = check_balance(&r, "at rest");
        FB_TRUE(largest > 10, "it pulls: %g", largest);
        memcpy(tension, s->tension, sizeof tension[0] * (size_t)s->paths->n_paths);
        fb_path_course(s->paths, 4, s->state, &s->course);
        wrapped += s->course.n > 2;
        for (int k = 0; k < 3; k++) {
            double force = 0, work = 0;
            for (int side = 0; side < 2; side++) {
                memcpy(s->state->q, q, sizeof q);
                s->state->q[k] += side ? -h : h;
                fb_simulation_move(s);
                memcpy(lengths[side], s->path_length, 8 * sizeof(double));
            }
            memcpy(s->state->q, q, sizeof q);
            fb_simulation_move(s);
            for (int i = 0; i < s->paths->n_paths; i++) {
                double slope = (lengths[0][i] - lengths[1][i]) / (2 * h);
                FB_NEAR(arms[i][k], -slope, 2e-5, 0);
                force += tension[i] * arms[i][k];
                work += energy_between(&r, i, lengths[1][i], lengths[0][i]);
            }
            FB_NEAR(force, -work / (2 * h), 1e-5 * (1 + largest), 0);
        }
    }
    FB_TRUE(wrapped > 5, "the tendon goes around the elbow in %d", wrapped);
    end(&r);
}

/* Generalised forces are those with links held, whichever arms they are summed with. */
static void arms_with_links_held_give_the_same_force(void) {
    rig r = begin_limbs(true);
    unsigned long long seed = fb_test_seed() + 1;
    fb_simulation *s = r.s;
    randomize(&r, &seed, 1);
    fb_simulation_move(s);
    for (int i = 0; i < s->muscles->n; i++) {
        fb_simulation_equilibrate(s, i, FB_EQUILIBRIUM_STATIC);
    }
    fb_simulation_accelerate(s, 0);
    double held[3] = {0}, following[3] = {0}, differs = 0;
    for (int i = 0; i < s->paths->n_paths; i++) {
        double arms[3];
        fb_path_course(s->paths, i, s->state, &s->course);
        fb_path_moment_arms(s->paths, i, s->state, &s->course, arms);
        for (int k = 0; k < 3; k++) {
            held[k] += s->tension[i] * arms[k];
            following[k] += s->tension[i] * s->path_arms[3 * i + k];
            differs = fmax(differs, fabs(arms[k] - s->path_arms[3 * i + k]));
        }
    }
    for (int k = 0; k < 3; k++) {
        FB_NEAR(following[k], held[k], 1e-7, 0);
    }
    FB_TRUE(differs > 0.01, "the arms differ: %g", differs);
    end(&r);
}

/* Speeds against differences of the lengths of equilibria at rest; balance with damping. */
static void check_motion(bool damped, fb_equilibrium how) {
    rig r = begin_limbs(damped);
    unsigned long long seed = fb_test_seed() + 2;
    const double h = 1e-5;
    fb_simulation *s = r.s;
    for (int pose = 0; pose < 15; pose++) {
        double q[3], u[3], step[3], lengths[2][8], place[2][2][3];
        randomize(&r, &seed, 1);
        memcpy(q, s->state->q, sizeof q);
        memcpy(u, s->state->u, sizeof u);
        s->links->how = how;
        fb_simulation_move(s);
        memcpy(step, s->state->qdot, sizeof step);
        for (int i = 0; i < s->muscles->n; i++) {
            fb_simulation_equilibrate(s, i, s->links->how);
        }
        check_balance(&r, "moving");
        memset(s->state->u, 0, sizeof u);
        for (int side = 0; side < 2; side++) {
            for (int k = 0; k < 3; k++) {
                s->state->q[k] = q[k] + (side ? -h : h) * step[k];
            }
            fb_simulation_move(s);
            memcpy(lengths[side], s->path_length, 8 * sizeof(double));
            memcpy(place[side], s->links->place, sizeof place[side]);
        }
        memcpy(s->state->q, q, sizeof q);
        memcpy(s->state->u, u, sizeof u);
        fb_simulation_move(s);
        for (int i = 0; i < 2; i++) {
            for (int k = 0; k < 3; k++) {
                FB_NEAR(s->links->velocity[i][k], (place[0][i][k] - place[1][i][k]) / (2 * h), 2e-5,
                        1e-5);
            }
        }
        /* damping moves links away from where they are at rest, and with them the wires */
        for (int i = 0; i < s->paths->n_paths; i++) {
            double slope = (lengths[0][i] - lengths[1][i]) / (2 * h);
            FB_TRUE(fabs(s->path_speed[i] - slope) < (damped && i != 2 ? 0.1 : 2e-5),
                    "speed of %d: %g, by difference %g", i, s->path_speed[i], slope);
        }
    }
    end(&r);
}

static void equilibria_move_with_the_bodies(void) {
    check_motion(false, FB_EQUILIBRIUM_STATIC);
    check_motion(true, FB_EQUILIBRIUM_STATIC);
    check_motion(true, FB_EQUILIBRIUM_OPENSIM4);
}

/* Fiber lengths given, as while time is integrated: lengths change as the speeds say. */
static void fibers_may_be_held(void) {
    rig r = begin_limbs(false);
    unsigned long long seed = fb_test_seed() + 3;
    const double h = 1e-5;
    fb_simulation *s = r.s;
    for (int pose = 0; pose < 10; pose++) {
        double q[3], step[3], fiber[3], v[3], lengths[2][8], speeds[8];
        randomize(&r, &seed, 1);
        memcpy(q, s->state->q, sizeof q);
        s->links->fibers_held = false;
        fb_simulation_move(s);
        for (int i = 0; i < 3; i++) {
            fb_simulation_equilibrate(s, i, FB_EQUILIBRIUM_STATIC);
            fiber[i] = s->points[i].fiber_length *= i == 2 ? 1
                                                           : fb_random_between(&seed, 0.99, 1.01);
        }
        s->links->fibers_held = true;
        fb_simulation_move(s);
        FB_EQUAL_INT(s->links->n_failed, 0);
        fb_simulation_evaluate(s);
        check_balance(&r, "fibers held");
        memcpy(step, s->state->qdot, sizeof step);
        memcpy(speeds, s->path_speed, sizeof speeds[0] * (size_t)s->paths->n_paths);
        for (int i = 0; i < 3; i++) {
            v[i] = s->points[i].fiber_velocity;
        }
        for (int side = 0; side < 2; side++) {
            for (int k = 0; k < 3; k++) {
                s->state->q[k] = q[k] + (side ? -h : h) * step[k];
                s->points[k].fiber_length = fiber[k] + (side ? -h : h) * v[k];
            }
            fb_simulation_move(s);
            memcpy(lengths[side], s->path_length, 8 * sizeof(double));
        }
        for (int i = 0; i < s->paths->n_paths; i++) {
            double slope = (lengths[0][i] - lengths[1][i]) / (2 * h);
            FB_NEAR(speeds[i], slope, 5e-5, 5e-5);
        }
    }
    end(&r);
}

/* Where the search begins does not matter. */
static void equilibria_do_not_depend_on_the_way(void) {
    rig r = begin_limbs(true);
    unsigned long long seed = fb_test_seed() + 4;
    fb_simulation *s = r.s;
    for (int pose = 0; pose < 20; pose++) {
        double place[2][3];
        randomize(&r, &seed, 0);
        fb_simulation_move(s);
        memcpy(place, s->links->place, sizeof place);
        for (int i = 0; i < 2; i++) {
            for (int k = 0; k < 3; k++) {
                s->links->links[i].last[k] = s->links->links[i].begin[k] +
                                             fb_random_between(&seed, -0.02, 0.02);
            }
        }
        fb_simulation_move(s);
        for (int i = 0; i < 2; i++) {
            FB_TRUE(fb_v3_distance(s->links->place[i], place[i]) < 1e-8, "link %d of %d: %g m", i,
                    pose, fb_v3_distance(s->links->place[i], place[i]));
        }
    }
    end(&r);
}

static void memory_is_taken_when_compiling_only(void) {
    rig r = begin_limbs(true);
    fb_simulation *s = r.s;
    unsigned long long seed = fb_test_seed() + 5;
    randomize(&r, &seed, 1);
    fb_alloc_fail_at(1);
    fb_simulation_move(s);
    FB_EQUAL_INT(fb_alloc_fail_at(0), 0);
    FB_EQUAL_INT(s->links->n_failed, 0);
    fb_links *links = NULL;
    fb_status status = FB_E_MEMORY;
    for (long n = 1; n < 100 && status == FB_E_MEMORY; n++) {
        fb_alloc_fail_at(n);
        status = fb_links_compile(&links, s->paths, s->muscles, s->forces, &r.diag);
        fb_alloc_fail_at(0);
        FB_TRUE((status == FB_OK) == (links != NULL), "all or nothing");
    }
    FB_EQUAL_INT(status, FB_OK);
    fb_links_free(links);
    end(&r);
}

int main(int argc, char **argv) {
    static const fb_test tests[] = {
        FB_TEST(two_wires_share_a_line),
        FB_TEST(three_equal_wires_meet_in_the_middle),
        FB_TEST(wires_without_rest_length_average_their_ends),
        FB_TEST(a_wire_runs_through_a_link_as_through_a_ring),
        FB_TEST(nothing_pulls_at_a_slack_link),
        FB_TEST(what_has_no_equilibrium_is_told),
        FB_TEST(forces_are_the_derivative_of_the_energy),
        FB_TEST(arms_with_links_held_give_the_same_force),
        FB_TEST(equilibria_move_with_the_bodies),
        FB_TEST(fibers_may_be_held),
        FB_TEST(equilibria_do_not_depend_on_the_way),
        FB_TEST(memory_is_taken_when_compiling_only),
        FB_TEST_END,
    };
    return fb_test_main("virtual_link", tests, argc, argv);
}
