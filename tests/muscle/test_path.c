/* Paths: lengths by hand, wraps against geodesics known in closed form or found by tightening a
 * thread, speeds and moment arms against differences of the length. */
#include "libcore/muscle/path.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/help.h"

#define PI 3.14159265358979323846

/* ---- a rig ----------------------------------------------------------------------------------- */

typedef struct rig {
    fb_model *model;
    fb_system *system;
    fb_paths *paths;
    fb_state *state;
    fb_diag diag;
    fb_course course;
    int n;
} rig;

static bool rig_compile(rig *r, bool as_opensim4) {
    fb_system_options options = {as_opensim4};
    if (!r->model || fb_system_compile(&r->system, r->model, &options, &r->diag) != FB_OK ||
        fb_paths_compile(&r->paths, r->system, as_opensim4, &r->diag) != FB_OK) {
        return false;
    }
    r->state = fb_state_new(r->system);
    r->course.points = calloc((size_t)r->paths->most_points + 1, sizeof *r->course.points);
    r->n = r->system->n_q;
    return true;
}

/* An arm that turns about z at ground, joint "j", coordinate "q"; a forearm that turns about z at
 * (0, -0.4, 0) of it, coordinate "e"; wraps and path members given (.fb, with ' for "). */
static rig compile(const char *wraps, const char *path, bool as_opensim4, bool *ok) {
    rig r;
    size_t n = strlen(wraps) + strlen(path) + 2000;
    char *text = malloc(n);
    memset(&r, 0, sizeof r);
    snprintf(
        text, n,
        "{'fb': '1.0', 'bodies': [{'name': 'arm', 'mass': 1}, {'name': 'forearm', 'mass': 1}], "
        "'frames': [{'name': 'elbow', 'parent': 'arm', 'translation': [0, -0.4, 0]}, {'name': "
        "'tilted', 'parent': 'arm', 'translation': [0.05, -0.1, 0.02], 'rotation_xyz': [0.3, -0.4, "
        "0.5]}], 'joints': [{'name': 'j', 'type': 'gimbal', 'parent': 'ground', 'child': 'arm', "
        "'coordinates': [{'name': 'qx'}, {'name': 'qy'}, {'name': 'q'}]}, {'name': 'k', 'type': "
        "'pin', 'parent': 'elbow', 'child': 'forearm', 'coordinates': [{'name': 'e', 'range': [-1, "
        "1.5]}]}], 'wraps': [%s], 'muscles': [{'name': 'm', 'type': 'Thelen2003', 'path': {%s}}]}",
        wraps, path);
    fb_test_quotes(text);
    r.model = fb_test_must(fb_test_fb(text, &r.diag, NULL), &r.diag);
    *ok = rig_compile(&r, as_opensim4);
    free(text);
    return r;
}

static rig begin(const char *wraps, const char *path) {
    bool ok;
    rig r = compile(wraps, path, false, &ok);
    if (!FB_TRUE(ok && r.paths->n_paths == 1 && r.diag.counts[FB_ERROR] == 0, "%s",
                 r.diag.n ? r.diag.records[0].message : path)) {
        fprintf(stderr, "%s\n", r.diag.n ? r.diag.records[0].message : path);
        exit(1); /* the test itself is wrong */
    }
    return r;
}

static void end(rig *r) {
    free(r->course.points);
    fb_state_free(r->state);
    fb_paths_free(r->paths);
    fb_system_free(r->system);
    fb_model_free(r->model);
    fb_diag_clear(&r->diag);
}

static double length(rig *r, int path) {
    fb_state_position(r->state);
    fb_state_velocity(r->state);
    fb_path_course(r->paths, path, r->state, &r->course);
    return r->course.length;
}

static double length_at(rig *r, double qz, double elbow) {
    fb_v3_set(r->state->q, 0, 0, qz);
    r->state->q[3] = elbow;
    return length(r, 0);
}

/* Speed and moment arms are the length's derivatives, at the pose and speeds that are set. False if
 * the course changes nearby. */
static bool check_rates(rig *r, int path, double tolerance, const char *name) {
    const double h = 1e-5;
    int n = r->n, count;
    double *q = calloc(3 * (size_t)n + 1, sizeof *q), *u = q + n, *arms = u + n, speed;
    bool same = true;
    memcpy(q, r->state->q, (size_t)n * sizeof *q);
    memcpy(u, r->state->u, (size_t)n * sizeof *u);
    length(r, path);
    count = r->course.n;
    speed = fb_path_speed(r->paths, path, r->state, &r->course);
    fb_path_moment_arms(r->paths, path, r->state, &r->course, arms);
    for (int c = 0; c <= n && same; c++) { /* each speed alone, then all */
        double ends[2], qdot[100], want;
        for (int k = 0; k < n; k++) {
            r->state->q[k] = q[k];
            r->state->u[k] = c == n ? u[k] : k == c;
        }
        length(r, path);
        memcpy(qdot, r->state->qdot, (size_t)n * sizeof *q);
        want = c == n ? speed : -arms[c];
        for (int side = 0; side < 2; side++) {
            for (int k = 0; k < n; k++) {
                r->state->q[k] = q[k] + (side ? -h : h) * qdot[k];
            }
            ends[side] = length(r, path);
            same &= r->course.n == count;
        }
        double got = (ends[0] - ends[1]) / (2 * h);
        same &= !isnan(got); /* a path that is not computed */
        FB_TRUE(!same || fabs(got - want) < tolerance * (1 + fabs(want)),
                "%s: %s %d: %.10g, by difference %.10g", name, c == n ? "speed" : "arm of", c, want,
                got);
    }
    memcpy(r->state->q, q, (size_t)n * sizeof *q);
    memcpy(r->state->u, u, (size_t)n * sizeof *u);
    free(q);
    return same;
}

static void randomize(rig *r, unsigned long long *seed, double q_size) {
    for (int k = 0; k < r->n; k++) {
        r->state->q[k] = fb_random_between(seed, -q_size, q_size);
        r->state->u[k] = fb_random_between(seed, -2, 2);
    }
}

/* At random poses, of which so many must have a course of the size wanted. */
static void check_random_rates(rig *r, double q_size, double tolerance, int wanted_points,
                               const char *name) {
    unsigned long long seed = fb_test_seed();
    int n = 0;
    for (int i = 0; i < 60; i++) {
        randomize(r, &seed, q_size);
        if (check_rates(r, 0, tolerance, name)) {
            length(r, 0);
            n += r->course.n == wanted_points;
        }
    }
    FB_TRUE(n >= 15, "%s: %d courses of %d points", name, n, wanted_points);
}

/* ---- points ---------------------------------------------------------------------------------- */

static void straight_paths(void) {
    rig r = begin("", "'points': [{'name': 'a', 'frame': 'ground', 'location': [0.3, 0, 0]}, "
                      "{'name': 'b', 'frame': 'arm', 'location': [0, -0.4, 0]}]");
    FB_NEAR(length_at(&r, 0, 0), 0.5, 1e-15, 0);
    FB_EQUAL_INT(r.course.n, 2);
    FB_EQUAL_INT(r.course.points[0].body, 0);
    FB_EQUAL_INT(r.course.points[1].source, 1);
    FB_NEAR(r.course.points[1].place[1], -0.4, 1e-15, 0);
    FB_NEAR(length_at(&r, PI / 2, 0), 0.1, 1e-15, 0); /* the arm points along x */
    FB_NEAR(length_at(&r, -PI / 2, 0), 0.7, 1e-15, 0);
    double q = 0.4, L = sqrt(0.09 + 0.16 - 2 * 0.3 * 0.4 * sin(q)), arms[4];
    FB_NEAR(length_at(&r, q, 0), L, 1e-15, 0);
    fb_path_moment_arms(r.paths, 0, r.state, &r.course, arms);
    FB_NEAR(arms[2], 0.3 * 0.4 * cos(q) / L, 1e-15, 0);
    FB_NEAR(arms[3], 0, 1e-15, 0);
    r.state->u[2] = 3;
    length_at(&r, q, 0);
    FB_NEAR(fb_path_speed(r.paths, 0, r.state, &r.course), -3 * 0.3 * 0.4 * cos(q) / L, 1e-14, 0);
    check_random_rates(&r, 1, 1e-7, 2, "straight");
    end(&r);
    r = begin(
        "", "'points': [{'name': 'a', 'frame': 'ground', 'location': [0, 0, 0]}, {'name': 'b', "
            "'frame': 'arm', 'location': [0, -0.1, 0]}, {'name': 'c', 'frame': 'arm', 'location': "
            "[0.2, -0.1, 0]}, {'name': 'd', 'frame': 'forearm', 'location': [0.2, 0, 0]}]");
    FB_NEAR(length_at(&r, 0.7, 0), 0.1 + 0.2 + 0.3, 1e-15, 0); /* turned as one */
    check_random_rates(&r, 1, 1e-7, 4, "four points");
    end(&r);
    r = begin(
        "",
        "'points': [{'name': 'a', 'frame': 'ground', 'location': [0.1, 0, 0.3]}, {'name': 'b', "
        "'frame': 'tilted', 'location': [0, -0.1, 0]}, {'name': 'c', 'frame': 'elbow', 'location': "
        "[0.2, -0.1, 0]}, {'name': 'd', 'frame': 'forearm', 'location': [0.2, 0, 0]}]");
    check_random_rates(&r, 1, 1e-7, 4, "through frames");
    end(&r);
}

/* A point on a frame is where the frame puts it. */
static void coincident_points_make_no_nan(void) {
    rig r = begin("", "'points': [{'name': 'a', 'frame': 'ground', 'location': [0, 0, 0]}, "
                      "{'name': 'b', 'frame': 'arm', 'location': [0, 0, 0]}]");
    double arms[4];
    r.state->u[2] = 1;
    FB_SAME(length_at(&r, 0.4, 0), 0);
    FB_SAME(fb_path_speed(r.paths, 0, r.state, &r.course), 0);
    fb_path_moment_arms(r.paths, 0, r.state, &r.course, arms);
    FB_SAME(arms[2], 0);
    end(&r);
    r = begin(
        "", "'points': [{'name': 'a', 'frame': 'ground', 'location': [0, 0, 0]}]"); /* a path of one
                                                                                       point is
                                                                                       nowhere */
    FB_SAME(length_at(&r, 0.4, 0), 0);
    FB_EQUAL_INT(r.course.n, 0);
    end(&r);
}

static void conditional_points(void) {
    rig r = begin(
        "", "'points': [{'name': 'a', 'frame': 'ground', 'location': [0.3, 0, 0]}, {'name': 'b', "
            "'type': 'conditional', 'frame': 'ground', 'location': [0.3, -0.4, 0], 'coordinate': "
            "'e', 'range': [0.2, 0.6]}, {'name': 'c', 'frame': 'arm', 'location': [0, -0.4, 0]}]");
    static const double in[] = {0.2, 0.4, 0.6, 0.2 - 0.9e-5, 0.6 + 0.9e-5},
                        out[] = {0, 0.2 - 1.1e-5, 0.6 + 1.1e-5, 1, -0.4};
    for (int i = 0; i < 5; i++) {
        FB_NEAR(length_at(&r, 0, in[i]), 0.7, 1e-15, 0);
        FB_EQUAL_INT(r.course.n, 3);
        FB_NEAR(length_at(&r, 0, out[i]), 0.5, 1e-15, 0);
        FB_EQUAL_INT(r.course.n, 2);
        FB_EQUAL_INT(r.course.points[1].source, 2);
    }
    check_random_rates(&r, 1, 1e-7, 2, "conditional");
    end(&r);
}

static void moving_points(void) {
    rig r = begin("", "'points': [{'name': 'a', 'type': 'moving', 'frame': 'ground', "
                      "'x_coordinate': 'e', 'y_coordinate': 'e', 'x': {'type': 'polynomial', "
                      "'coefficients': [0.1, 0.2, 0.3]}, 'y': {'type': 'sine', 'amplitude': 0.1}}, "
                      "{'name': 'b', 'frame': 'ground', 'location': [0.3, -0.4, 0]}]");
    double e = 0.5, x = 0.1 * e * e + 0.2 * e + 0.3, y = 0.1 * sin(e), arms[4];
    FB_NEAR(length_at(&r, 0, e), hypot(x - 0.3, y + 0.4), 1e-15, 0);
    FB_NEAR(length_at(&r, 0, 5), hypot(0.1 * 2.25 + 0.3, 0.1 * sin(1.5) + 0.4), 1e-15,
            0); /* kept */
    FB_NEAR(length_at(&r, 0, -5), hypot(0.1 - 0.2, 0.1 * sin(-1) + 0.4), 1e-15, 0);
    length_at(&r, 0, e);
    fb_path_moment_arms(r.paths, 0, r.state, &r.course, arms);
    double slope = ((x - 0.3) * (0.2 * e + 0.2) + (y + 0.4) * 0.1 * cos(e)) /
                   hypot(x - 0.3, y + 0.4);
    FB_NEAR(arms[3], -slope, 1e-14, 0);
    /* its speed counts only between bodies: OpenSim skips segments within one */
    end(&r);
    r = begin("",
              "'points': [{'name': 'o', 'frame': 'ground', 'location': [0.3, 0.1, 0.2]}, {'name': "
              "'a', 'type': 'moving', 'frame': 'tilted', 'x_coordinate': 'e', 'y_coordinate': 'q', "
              "'x': {'type': 'polynomial', 'coefficients': [0.1, 0.2, 0.3]}, 'y': {'type': 'sine', "
              "'amplitude': 0.1}, 'z': {'type': 'constant', 'value': 0.05}}, {'name': 'b', "
              "'frame': 'forearm', 'location': [0.1, -0.2, 0]}]");
    check_random_rates(&r, 0.9, 1e-7, 3, "moving");
    end(&r);
}

static void function_paths(void) {
    rig r = begin("", "'type': 'function_based', 'coordinates': ['q', 'e'], 'length': {'type': "
                      "'multivariate_polynomial', 'dimension': 2, 'order': 2, 'coefficients': "
                      "[0.5, 0.1, -0.02, 0.03, 0.04, -0.05]}");
    double q = 0.3, e = -0.4, arms[4];
    FB_NEAR(length_at(&r, q, e),
            0.5 + 0.1 * e - 0.02 * e * e + 0.03 * q + 0.04 * q * e - 0.05 * q * q, 1e-15, 0);
    FB_EQUAL_INT(r.course.n, 0);
    fb_path_moment_arms(r.paths, 0, r.state, &r.course, arms);
    FB_NEAR(arms[2], -(0.03 + 0.04 * e - 0.1 * q), 1e-15, 0);
    FB_NEAR(arms[3], -(0.1 - 0.04 * e + 0.04 * q), 1e-15, 0);
    FB_SAME(arms[0], 0);
    check_random_rates(&r, 1, 1e-7, 0, "function");
    end(&r);
    r = begin("", "'type': 'function_based', 'coordinates': ['e'], 'length': {'type': 'constant', "
                  "'value': 0.3}, 'moment_arms': [{'type': 'linear', 'coefficients': [2, 1]}]");
    FB_SAME(length_at(&r, q, e), 0.3); /* arms of their own */
    fb_path_moment_arms(r.paths, 0, r.state, &r.course, arms);
    FB_NEAR(arms[3], 2 * e + 1, 1e-15, 0);
    r.state->u[3] = 2;
    length_at(&r, q, e);
    FB_NEAR(fb_path_speed(r.paths, 0, r.state, &r.course), -2 * (2 * e + 1), 1e-15, 0);
    end(&r);
}

static void bad_paths_are_refused(void) {
    static const char *const bad[] = {
        "'type': 'function_based', 'coordinates': ['q']",
        "'type': 'function_based', 'coordinates': [], 'length': {'type': 'constant'}",
        "'type': 'function_based', 'coordinates': ['q'], 'length': {'type': 'simm_spline', 'x': "
        "[1], 'y': [1]}",
        "'points': [{'name': 'a', 'type': 'moving', 'frame': 'ground', 'x_coordinate': 'e', 'x': "
        "{'type': 'simm_spline', 'x': [1], 'y': [1]}}, {'name': 'b', 'frame': 'arm', 'location': "
        "[0, 0, 1]}]",
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        bool ok;
        rig r = compile("", bad[i], false, &ok);
        FB_TRUE(!ok && r.diag.counts[FB_ERROR] > 0, "%s", bad[i]);
        end(&r);
    }
}

/* What is kept but not computed is told; it is nan, pulls at nothing, and hinders nothing. */
static void lacking_paths_are_nan(void) {
    bool ok;
    rig r = compile("", "'type': 'scholz2015', 'elements': []", false, &ok);
    double arms[4];
    FB_TRUE(ok && r.diag.counts[FB_ERROR] == 0 && r.diag.n > 0, "it compiles");
    FB_TRUE(isnan(length(&r, 0)), "no length");
    FB_TRUE(isnan(fb_path_speed(r.paths, 0, r.state, &r.course)), "no speed");
    fb_path_moment_arms(r.paths, 0, r.state, &r.course, arms);
    for (int k = 0; k < r.n; k++) {
        FB_SAME(arms[k], 0);
    }
    end(&r);
}

/* ---- shapes ---------------------------------------------------------------------------------- */

static fb_wrap shape(fb_wrap_kind kind, double a, double b, double c) {
    fb_wrap wrap = {.kind = kind, .size = {a, b, c}, .axis = -1, .sign = 1, .active = true};
    fb_pose_identity(&wrap.pose);
    return wrap;
}

/* Less than 0 inside, 0 on the surface; a scaled distance outside. */
static double outside(const fb_wrap *wrap, const double *p) {
    const double *s = wrap->size;
    switch (wrap->kind) {
    case FB_WRAP_SPHERE: return fb_v3_norm(p) / s[0] - 1;
    case FB_WRAP_CYLINDER: return hypot(p[0], p[1]) / s[0] - 1;
    case FB_WRAP_ELLIPSOID: {
        double x = p[0] / s[0], y = p[1] / s[1], z = p[2] / s[2];
        return sqrt(x * x + y * y + z * z) - 1;
    }
    case FB_WRAP_TORUS: return hypot(hypot(p[0], p[1]) - s[1], p[2]) / s[0] - 1;
    }
    return 0;
}

static void random_point(unsigned long long *seed, double size, double *p) {
    fb_v3_set(p, fb_random_between(seed, -size, size), fb_random_between(seed, -size, size),
              fb_random_between(seed, -size, size));
}

static bool wrapped(fb_wrap_outcome outcome) {
    return outcome == FB_WRAP_WRAPPED || outcome == FB_WRAP_MANDATORY;
}

static double total(const double *p1, const double *p2, const fb_wrap_path *on) {
    return fb_v3_distance(p1, on->r1) + on->length + fb_v3_distance(on->r2, p2);
}

/* The course lies on the surface where it should, and nowhere inside; it is not shorter than its
 * chord; the same from the other end. */
static void check_course(const fb_wrap *wrap, fb_wrap_method method, const double *p1,
                         const double *p2, const fb_wrap_path *on, double tolerance) {
    FB_NEAR(outside(wrap, on->r1), 0, tolerance, 0);
    FB_NEAR(outside(wrap, on->r2), 0, tolerance, 0);
    FB_TRUE(on->length > fb_v3_distance(on->r1, on->r2) - 1e-12, "arc %g, chord %g", on->length,
            fb_v3_distance(on->r1, on->r2));
    for (int i = 0; i <= 20; i++) {
        double a[3], b[3];
        for (int k = 0; k < 3; k++) {
            a[k] = p1[k] + (on->r1[k] - p1[k]) * i / 20;
            b[k] = p2[k] + (on->r2[k] - p2[k]) * i / 20;
        }
        FB_TRUE(outside(wrap, a) > -tolerance && outside(wrap, b) > -tolerance, "%g, %g inside",
                outside(wrap, a), outside(wrap, b));
    }
    fb_wrap_path back = {0};
    FB_TRUE(wrapped(fb_wrap_segment(wrap, method, FB_WRAP_GEODESIC, p2, p1, &back)), "backwards");
    FB_NEAR(total(p2, p1, &back), total(p1, p2, on), 1e-9, 1e-9);
    FB_NEAR(fb_v3_distance(back.r1, on->r2), 0, 1e-7, 0);
}

/* Round a circle of a radius: tangents and the arc between them; of points at those distances and
 * that angle. */
static double round_circle(double radius, double d1, double d2, double angle) {
    return sqrt(d1 * d1 - radius * radius) + sqrt(d2 * d2 - radius * radius) +
           radius * (angle - acos(radius / d1) - acos(radius / d2));
}

static void spheres(void) {
    unsigned long long seed = fb_test_seed();
    fb_wrap wrap = shape(FB_WRAP_SPHERE, 0.05, 0.05, 0.05);
    int n = 0;
    for (int i = 0; i < 2000; i++) {
        double p1[3], p2[3];
        fb_wrap_path on = {0};
        random_point(&seed, 0.12, p1);
        random_point(&seed, 0.12, p2);
        double d1 = fb_v3_norm(p1), d2 = fb_v3_norm(p2),
               angle = acos(fb_v3_dot(p1, p2) / (d1 * d2));
        fb_wrap_outcome outcome = fb_wrap_segment(&wrap, FB_WRAP_HYBRID, FB_WRAP_GEODESIC, p1, p2,
                                                  &on);
        if (d1 < 0.05 || d2 < 0.05) {
            FB_EQUAL_INT(outcome, FB_WRAP_INSIDE);
        } else if (angle <= acos(0.05 / d1) + acos(0.05 / d2)) { /* they see each other */
            FB_EQUAL_INT(outcome, FB_WRAP_NONE);
        } else if (FB_TRUE(wrapped(outcome), "outcome %d", outcome)) {
            FB_NEAR(total(p1, p2, &on), round_circle(0.05, d1, d2, angle), 1e-11, 1e-11);
            check_course(&wrap, FB_WRAP_HYBRID, p1, p2, &on, 1e-12);
            n++;
        }
    }
    FB_TRUE(n > 200, "%d wrapped", n);
}

/* Where the line goes through the centre any plane will do; the length is the same. */
static void through_the_centre_of_a_sphere(void) {
    fb_wrap wrap = shape(FB_WRAP_SPHERE, 0.05, 0.05, 0.05);
    double p1[3] = {0.1, 0, 0}, p2[3] = {-0.2, 0, 0};
    fb_wrap_path on = {0};
    FB_TRUE(wrapped(fb_wrap_segment(&wrap, FB_WRAP_HYBRID, FB_WRAP_GEODESIC, p1, p2, &on)), " ");
    FB_NEAR(total(p1, p2, &on), round_circle(0.05, 0.1, 0.2, PI), 1e-12, 0);
    FB_NEAR(outside(&wrap, on.r1), 0, 1e-12, 0);
    FB_NEAR(outside(&wrap, on.r2), 0, 1e-12, 0);
}

/* Only the half that the quadrant allows; the long way, if need be. */
static void quadrants(void) {
    fb_wrap_kind kinds[2] = {FB_WRAP_SPHERE, FB_WRAP_CYLINDER};
    for (int i = 0; i < 8; i++) {
        fb_wrap wrap = shape(kinds[i % 2], 0.05, i % 2 ? 1 : 0.05, 1);
        double y = i / 2 % 2 ? 0.02 : -0.02, p1[3] = {0.1, y, 0}, p2[3] = {-0.1, y, 0};
        wrap.axis = 1;
        wrap.sign = i / 4 ? -1 : 1;
        fb_wrap_path on = {0};
        double d = hypot(0.1, 0.02), angle = 2 * atan2(0.1, 0.02);
        if (y * wrap.sign < 0) { /* both points on the wrong side: round the other one */
            angle = 2 * PI - angle;
        }
        FB_TRUE(wrapped(fb_wrap_segment(&wrap, FB_WRAP_HYBRID, FB_WRAP_GEODESIC, p1, p2, &on)),
                "%d", i);
        FB_NEAR(total(p1, p2, &on), round_circle(0.05, d, d, angle), 1e-12, 0);
        FB_NEAR(outside(&wrap, on.r1), 0, 1e-12, 0);
        /* the way's middle is on the allowed side: r1 and r2 are off towards it */
        FB_TRUE((on.r1[1] + on.r2[1]) * wrap.sign > 0, "%d: %g, %g", i, on.r1[1], on.r2[1]);
    }
}

static void cylinders(void) {
    unsigned long long seed = fb_test_seed();
    fb_wrap wrap = shape(FB_WRAP_CYLINDER, 0.05, 10, 10);
    int n = 0;
    for (int i = 0; i < 2000; i++) {
        double p1[3], p2[3];
        fb_wrap_path on = {0};
        random_point(&seed, 0.12, p1);
        random_point(&seed, 0.12, p2);
        double d1 = hypot(p1[0], p1[1]), d2 = hypot(p2[0], p2[1]), dz = p2[2] - p1[2],
               angle = acos((p1[0] * p2[0] + p1[1] * p2[1]) / (d1 * d2));
        fb_wrap_outcome outcome = fb_wrap_segment(&wrap, FB_WRAP_HYBRID, FB_WRAP_GEODESIC, p1, p2,
                                                  &on);
        if (d1 < 0.05 || d2 < 0.05) {
            FB_EQUAL_INT(outcome, FB_WRAP_INSIDE);
        } else if (angle <= acos(0.05 / d1) + acos(0.05 / d2)) {
            FB_EQUAL_INT(outcome, FB_WRAP_NONE);
        } else if (FB_TRUE(outcome == FB_WRAP_MANDATORY, "outcome %d", outcome)) {
            /* unrolled, it is straight */
            FB_NEAR(total(p1, p2, &on), hypot(round_circle(0.05, d1, d2, angle), dz), 1e-11, 1e-11);
            check_course(&wrap, FB_WRAP_HYBRID, p1, p2, &on, 1e-12);
            double slope = dz / total(p1, p2, &on);
            FB_NEAR((on.r1[2] - p1[2]) / fb_v3_distance(on.r1, p1), slope, 1e-9, 0);
            FB_NEAR((p2[2] - on.r2[2]) / fb_v3_distance(on.r2, p2), slope, 1e-9, 0);
            n++;
        }
    }
    FB_TRUE(n > 200, "%d wrapped", n);
    /* a course that is beyond the end of the cylinder passes it by; half of it may be */
    double p1[3] = {0.1, 0.01, 0.3}, p2[3] = {-0.1, 0.01, 0.4};
    fb_wrap_path on = {0};
    wrap.size[1] = wrap.size[2] = 0.5;
    FB_EQUAL_INT(fb_wrap_segment(&wrap, FB_WRAP_HYBRID, FB_WRAP_GEODESIC, p1, p2, &on),
                 FB_WRAP_NONE);
    p1[2] = 0.1;
    FB_TRUE(wrapped(fb_wrap_segment(&wrap, FB_WRAP_HYBRID, FB_WRAP_GEODESIC, p1, p2, &on)), " ");
}

/* ---- a thread -------------------------------------------------------------------------------- */

enum { THREAD = 128 };

/* Moves a point that is inside to the surface: along the quadric's or the tube's normal. */
static void push_out(const fb_wrap *wrap, double *p) {
    const double *s = wrap->size;
    for (int i = 0; i < 8; i++) {
        double f = -1, g[3], gg = 0;
        if (wrap->kind == FB_WRAP_TORUS) {
            double rho = fmax(hypot(p[0], p[1]), 1e-9), out[3];
            fb_v3_set(out, p[0] - s[1] * p[0] / rho, p[1] - s[1] * p[1] / rho, p[2]);
            double d = fb_v3_norm(out);
            if (d < s[0] && d > 0) {
                fb_v3_madd(p, s[0] / d - 1, out);
            }
            return;
        }
        for (int k = 0; k < 3; k++) {
            f += p[k] * p[k] / (s[k] * s[k]);
            g[k] = 2 * p[k] / (s[k] * s[k]);
            gg += g[k] * g[k];
        }
        if (f >= -1e-15 || gg == 0) {
            return;
        }
        fb_v3_madd(p, -f / gg, g);
    }
}

/* The length of a thread from p1 to p2 outside a surface, pulled tight: each point goes to the
 * middle of its neighbours, then out. From few points to many; it begins through `via`. */
static double thread(const fb_wrap *wrap, const double *p1, const double *p2, const double *via) {
    static double x[THREAD + 1][3], y[THREAD + 1][3];
    int n = 8;
    for (int i = 0; i <= n; i++) {
        for (int k = 0; k < 3; k++) {
            x[i][k] = i <= n / 2 ? p1[k] + (via[k] - p1[k]) * i / (n / 2)
                                 : via[k] + (p2[k] - via[k]) * (i - n / 2) / (n / 2);
        }
    }
    for (;; n *= 2) {
        double before = 1e300, now = 0;
        for (int round = 0; round < 40 * n; round++) {
            for (int i = 1; i < n; i++) {
                for (int k = 0; k < 3; k++) { /* a little more than the middle */
                    double middle = (x[i - 1][k] + x[i + 1][k]) / 2;
                    x[i][k] += 1.7 * (middle - x[i][k]);
                }
                push_out(wrap, x[i]);
            }
            if (round % 32 == 31) {
                now = 0;
                for (int i = 0; i < n; i++) {
                    now += fb_v3_distance(x[i], x[i + 1]);
                }
                if (fabs(before - now) < 1e-10) {
                    break;
                }
                before = now;
            }
        }
        if (n == THREAD) {
            now = 0;
            for (int i = 0; i < n; i++) {
                now += fb_v3_distance(x[i], x[i + 1]);
            }
            return now;
        }
        memcpy(y, x, sizeof y);
        for (int i = 0; i < n; i++) {
            for (int k = 0; k < 3; k++) {
                x[2 * i][k] = y[i][k];
                x[2 * i + 1][k] = (y[i][k] + y[i + 1][k]) / 2;
            }
        }
        fb_v3_copy(x[2 * n], y[n]);
    }
}

/* The thread itself against spheres. */
static void threads_find_geodesics(void) {
    fb_wrap wrap = shape(FB_WRAP_ELLIPSOID, 0.05, 0.05, 0.05);
    double p1[3] = {0.1, 0.02, 0.01}, p2[3] = {-0.08, 0.01, 0.03}, via[3] = {0, 0.06, 0.03};
    double d1 = fb_v3_norm(p1), d2 = fb_v3_norm(p2);
    FB_NEAR(thread(&wrap, p1, p2, via),
            round_circle(0.05, d1, d2, acos(fb_v3_dot(p1, p2) / (d1 * d2))), 2e-6, 0);
}

static void ellipsoids(void) {
    unsigned long long seed = 20240607; /* fixed: the thread may find a longer way round */
    const fb_wrap_method methods[3] = {FB_WRAP_HYBRID, FB_WRAP_MIDPOINT, FB_WRAP_AXIAL};
    int n = 0, threads = fb_test_is_fast() ? 40 : 3;
    for (int i = 0; i < 1000; i++) {
        fb_wrap wrap = shape(FB_WRAP_ELLIPSOID, fb_random_between(&seed, 0.03, 0.06),
                             fb_random_between(&seed, 0.03, 0.06),
                             fb_random_between(&seed, 0.03, 0.06));
        double p1[3], p2[3], middle[3];
        fb_wrap_path on = {0};
        random_point(&seed, 0.12, p1);
        random_point(&seed, 0.12, p2);
        fb_wrap_outcome outcome = fb_wrap_segment(&wrap, methods[i % 3], FB_WRAP_GEODESIC, p1, p2,
                                                  &on);
        if (outside(&wrap, p1) < -1e-4 || outside(&wrap, p2) < -1e-4) {
            FB_EQUAL_INT(outcome, FB_WRAP_INSIDE);
            continue;
        }
        if (!wrapped(outcome)) {
            continue;
        }
        check_course(&wrap, methods[i % 3], p1, p2, &on, 1e-9);
        if (n++ < threads) {
            for (int k = 0; k < 3; k++) {
                middle[k] = (on.r1[k] + on.r2[k]) / 2;
            }
            fb_v3_scale(middle, 1.2 / (1 + outside(&wrap, middle)), middle);
            double shortest = thread(&wrap, p1, p2, middle), got = total(p1, p2, &on);
            /* the axial method may take a plane that is far from the shortest way */
            FB_TRUE(got > shortest - 3e-6 && (i % 3 == 2 || got < shortest * 1.15),
                    "%d: %.9g, thread %.9g", i, got, shortest);
        }
    }
    FB_TRUE(n > 100, "%d wrapped", n);
}

/* With equal axes they are spheres, but for the chords of a millimetre that OpenSim sums. */
static void round_ellipsoids(void) {
    unsigned long long seed = fb_test_seed();
    fb_wrap wrap = shape(FB_WRAP_ELLIPSOID, 0.05, 0.05, 0.05);
    int n = 0;
    for (int i = 0; i < 500; i++) {
        double p1[3], p2[3];
        fb_wrap_path on = {0};
        random_point(&seed, 0.12, p1);
        random_point(&seed, 0.12, p2);
        if (!wrapped(fb_wrap_segment(&wrap, FB_WRAP_HYBRID, FB_WRAP_GEODESIC, p1, p2, &on))) {
            continue;
        }
        double d1 = fb_v3_norm(p1), d2 = fb_v3_norm(p2), want;
        want = round_circle(0.05, d1, d2, acos(fb_v3_dot(p1, p2) / (d1 * d2)));
        if (fb_v3_distance(on.r1, on.r2) > 0.001) {
            FB_NEAR(total(p1, p2, &on), want, 3e-5, 0);
            FB_TRUE(total(p1, p2, &on) < want + 1e-12, "chords are shorter");
            n++;
        }
    }
    FB_TRUE(n > 30, "%d wrapped", n);
}

/* Through the hole, in a plane with the axis: round the tube's circle. */
static void tori(void) {
    unsigned long long seed = fb_test_seed();
    fb_wrap wrap = shape(FB_WRAP_TORUS, 0.01, 0.05, 0.05);
    int n = 0;
    for (int i = 0; i < 500; i++) {
        double turn = fb_random_between(&seed, -PI, PI), c = cos(turn), s = sin(turn);
        double x1 = fb_random_between(&seed, 0.02, 0.1), z1 = fb_random_between(&seed, 0.012, 0.05),
               x2 = fb_random_between(&seed, 0.02, 0.1),
               z2 = -fb_random_between(&seed, 0.012, 0.05);
        double p1[3] = {x1 * c, x1 * s, z1}, p2[3] = {x2 * c, x2 * s, z2};
        double ax = x1 - 0.05, bx = x2 - 0.05, d1 = hypot(ax, z1), d2 = hypot(bx, z2);
        fb_wrap_path on = {0};
        fb_wrap_outcome outcome = fb_wrap_segment(&wrap, FB_WRAP_HYBRID, FB_WRAP_GEODESIC, p1, p2,
                                                  &on);
        /* the way round the tube's inner side, from above it to below */
        double angle = atan2(z1, -ax) - atan2(z2, -bx);
        bool needed = angle > acos(0.01 / d1) + acos(0.01 / d2);
        if (needed && FB_TRUE(wrapped(outcome), "%g %g, %g %g", x1, z1, x2, z2)) {
            FB_NEAR(total(p1, p2, &on), round_circle(0.01, d1, d2, angle), 1e-10, 0);
            FB_NEAR(outside(&wrap, on.r1), 0, 1e-9, 0);
            FB_NEAR(outside(&wrap, on.r2), 0, 1e-9, 0);
            n++;
        } else if (!needed) {
            FB_TRUE(!wrapped(outcome), "%g %g, %g %g: %d", x1, z1, x2, z2, outcome);
        }
    }
    FB_TRUE(n > 100, "%d wrapped", n);
}

/* ---- paths over shapes ----------------------------------------------------------------------- */

static void path_over_a_pulley(void) {
    rig r = begin("{'name': 'c', 'type': 'cylinder', 'frame': 'ground', 'radius': 0.05, 'length': "
                  "2, 'quadrant': 'x'}",
                  "'points': [{'name': 'a', 'frame': 'ground', 'location': [0, 0.3, 0]}, {'name': "
                  "'b', 'frame': 'arm', 'location': [0, -0.3, 0]}], 'wraps': [{'wrap': 'c'}]");
    /* the arm turned by q: the angle at the centre is pi - q, or more, on the side of +x */
    for (double q = -0.6; q < 0.3; q += 0.2) { /* until the straight way is free */
        FB_NEAR(length_at(&r, q, 0), round_circle(0.05, 0.3, 0.3, PI - q), 1e-12, 0);
        FB_EQUAL_INT(r.course.n, 4);
        FB_EQUAL_INT(r.course.points[1].source, -1);
        double arms[4];
        fb_path_moment_arms(r.paths, 0, r.state, &r.course, arms);
        FB_NEAR(arms[2], 0.05, 1e-12, 0);
    }
    check_random_rates(&r, 0.5, 1e-6, 4, "pulley");
    end(&r);
}

static void rates_over_shapes(void) {
    static const struct {
        const char *name, *wrap;
        double tolerance;
    } all[] = {
        {"cylinder",
         "{'name': 'w', 'type': 'cylinder', 'frame': 'ground', 'radius': 0.05, 'length': 2}", 1e-6},
        {"tilted cylinder",
         "{'name': 'w', 'type': 'cylinder', 'frame': 'ground', 'radius': 0.05, 'length': 2, "
         "'rotation_xyz': [0.3, 0.4, 0.2], 'quadrant': '+x'}",
         1e-6},
        {"cylinder of the arm",
         "{'name': 'w', 'type': 'cylinder', 'frame': 'tilted', 'translation': [-0.05, 0.08, 0], "
         "'radius': 0.04, 'length': 2}",
         1e-6},
        {"sphere", "{'name': 'w', 'type': 'sphere', 'frame': 'ground', 'radius': 0.05}", 1e-5},
        {"sphere of the arm",
         "{'name': 'w', 'type': 'sphere', 'frame': 'arm', 'translation': [0.01, -0.1, 0], "
         "'radius': 0.05}",
         1e-5},
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        rig r = begin(
            all[i].wrap,
            "'points': [{'name': 'a', 'frame': 'ground', 'location': [0.02, 0.3, 0.01]}, {'name': "
            "'b', 'frame': 'forearm', 'location': [0.01, -0.1, 0]}], 'wraps': [{'wrap': 'w'}]");
        check_random_rates(&r, 0.3, all[i].tolerance, 4, all[i].name);
        end(&r);
    }
}

/* An ellipsoid's and a torus's courses are not the shortest: speed and arms are those of the forces
 * on the bodies, near the length's derivatives. */
static void rates_over_other_shapes(void) {
    static const char *const all[] = {
        "{'name': 'w', 'type': 'ellipsoid', 'frame': 'ground', 'dimensions': [0.05, 0.05, 0.06]}",
        "{'name': 'w', 'type': 'ellipsoid', 'frame': 'arm', 'translation': [0, -0.05, 0.01], "
        "'dimensions': [0.06, 0.05, 0.05]}",
        "{'name': 'w', 'type': 'torus', 'frame': 'ground', 'rotation_xyz': [1.5708, 0, 0], "
        "'translation': [0.07, 0, 0], 'inner_radius': 0.02, 'outer_radius': 0.06}",
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        rig r = begin(
            all[i],
            "'points': [{'name': 'a', 'frame': 'ground', 'location': [0.02, 0.3, 0.01]}, {'name': "
            "'b', 'frame': 'arm', 'location': [0.01, -0.4, 0]}], 'wraps': [{'wrap': 'w'}]");
        check_random_rates(&r, 0.3, 0.02, 4, all[i]);
        end(&r);
    }
}

/* Over two cylinders, one after the other: both arcs, and a straight way between. */
static void two_cylinders(void) {
    rig r = begin(
        "{'name': 'c', 'type': 'cylinder', 'frame': 'ground', 'radius': 0.05, 'length': 2, "
        "'translation': [0, 0.2, 0], 'quadrant': 'x'}, {'name': 'd', 'type': 'cylinder', 'frame': "
        "'ground', 'radius': 0.05, 'length': 2, 'translation': [0, -0.2, 0], 'quadrant': 'x'}",
        "'points': [{'name': 'a', 'frame': 'ground', 'location': [0, 0.5, 0]}, {'name': 'b', "
        "'frame': 'arm', 'location': [0, -0.5, 0]}], 'wraps': [{'wrap': 'c'}, {'wrap': 'd'}]");
    double tangent = sqrt(0.09 - 0.0025), arc = 0.05 * (PI / 2 - acos(0.05 / 0.3));
    FB_NEAR(length_at(&r, 0, 0), 2 * tangent + 2 * arc + 0.4, 1e-9, 0);
    FB_EQUAL_INT(r.course.n, 6);
    check_random_rates(&r, 0.2, 1e-4, 6, "two cylinders");
    end(&r);
    r = begin(
        "{'name': 'c', 'type': 'cylinder', 'frame': 'ground', 'radius': 0.05, 'length': 2, "
        "'translation': [0, 0.2, 0], 'rotation_xyz': [0.2, 0.1, 0], 'quadrant': 'x'}, {'name': "
        "'d', "
        "'type': 'cylinder', 'frame': 'ground', 'radius': 0.05, 'length': 2, 'translation': [0, "
        "-0.2, 0], 'rotation_xyz': [-0.3, 0.2, 0], 'quadrant': 'x'}",
        "'points': [{'name': 'a', 'frame': 'ground', 'location': [0, 0.5, 0.1]}, {'name': 'b', "
        "'frame': 'arm', 'location': [0, -0.5, -0.05]}], 'wraps': [{'wrap': 'c'}, {'wrap': 'd'}]");
    check_random_rates(&r, 0.2, 1e-4, 6, "two tilted cylinders");
    end(&r);
}

/* Only segments within the range wrap; an inactive object does not. */
static void ranges_and_inactive_objects(void) {
#define THREE \
    "'points': [{'name': 'a', 'frame': 'ground', 'location': [0, 0.3, 0]}, {'name': 'b', " \
    "'frame': 'ground', 'location': [0, 0.1, 0]}, {'name': 'c', 'frame': 'arm', " \
    "'location': [0, -0.3, 0]}]"
    static const struct {
        const char *wrap;
        int points;
    } all[] = {
        {"{'wrap': 'c'}", 5},
        {"{'wrap': 'c', 'range': [1, 3]}", 5},
        {"{'wrap': 'c', 'range': [2, 3]}", 5},
        {"{'wrap': 'c', 'range': [2, -1]}", 5},
        {"{'wrap': 'c', 'range': [1, 2]}", 3},
        {"{'wrap': 'c', 'range': [-1, 2]}", 3},
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        char path[1000];
        snprintf(path, sizeof path, THREE ", 'wraps': [%s]", all[i].wrap);
        rig r = begin(
            "{'name': 'c', 'type': 'cylinder', 'frame': 'ground', 'radius': 0.05, 'length': 2}",
            path);
        double L = length_at(&r, 0.1, 0);
        FB_EQUAL_INT(r.course.n, all[i].points);
        FB_NEAR(L,
                0.2 + (all[i].points == 5 ? round_circle(0.05, 0.1, 0.3, PI - 0.1)
                                          : sqrt(0.01 + 0.09 + 0.06 * cos(0.1))),
                1e-12, 0);
        end(&r);
    }
    rig r = begin("{'name': 'c', 'type': 'cylinder', 'frame': 'ground', 'radius': 0.05, 'length': "
                  "2, 'active': false}",
                  THREE ", 'wraps': [{'wrap': 'c'}]");
    length_at(&r, 0.1, 0);
    FB_EQUAL_INT(r.course.n, 3);
    end(&r);
    r = begin("{'name': 'c', 'type': 'cylinder', 'frame': 'ground', 'radius': -1}",
              THREE ", 'wraps': [{'wrap': 'c'}]");
    FB_RECORD(&r.diag, FB_WARNING, FB2104, -1);
    length_at(&r, 0.1, 0);
    FB_EQUAL_INT(r.course.n, 3);
    end(&r);
}

/* As OpenSim 4: one cylinder's places are not refined, so the course is a little longer. */
static void as_opensim_a_course_is_not_shorter(void) {
    unsigned long long seed = fb_test_seed();
    bool ok;
    const char
        *wrap = "{'name': 'c', 'type': 'cylinder', 'frame': 'ground', 'radius': 0.05, 'length': 2, "
                "'rotation_xyz': [0.6, 0.3, 0]}",
        *path =
            "'points': [{'name': 'a', 'frame': 'ground', 'location': [0.02, 0.3, 0.1]}, {'name': "
            "'b', 'frame': 'arm', 'location': [0, -0.3, -0.1]}], 'wraps': [{'wrap': 'c'}]";
    rig r = compile(wrap, path, false, &ok), s = compile(wrap, path, true, &ok);
    int n = 0;
    for (int i = 0; i < 50; i++) {
        randomize(&r, &seed, 0.3);
        memcpy(s.state->q, r.state->q, (size_t)r.n * sizeof *s.state->q);
        double exact = length(&r, 0), rough = length(&s, 0);
        FB_EQUAL_INT(r.course.n, s.course.n);
        FB_TRUE(rough > exact - 1e-12 && rough < exact + 0.02, "%g, exactly %g", rough, exact);
        n += rough > exact + 1e-9;
    }
    FB_TRUE(n > 5, "%d differ", n);
    end(&r);
    end(&s);
}

/* ---- shipped models -------------------------------------------------------------------------- */

static bool is_geodesic(const rig *r, const fb_path *path) {
    for (int i = 0; i < path->n_wraps; i++) {
        fb_wrap_kind kind = r->paths->wraps[path->wraps[i].wrap].kind;
        if (kind == FB_WRAP_ELLIPSOID) {
            return false;
        }
    }
    return !path->moment_arms && !path->speed;
}

static void shipped_paths_have_the_rates(void) {
    unsigned long long seed = fb_test_seed();
    int n = 0;
    for (int i = 0; fb_test_glob("models/*/*.osim", i); i++) {
        const char *file = fb_test_glob("models/*/*.osim", i);
        size_t size;
        char *bytes = fb_test_read_file(file, &size);
        rig r;
        memset(&r, 0, sizeof r);
        fb_diag_init(&r.diag);
        if (fb_osim_read(&r.model, bytes, size, file, NULL, &r.diag) == FB_OK &&
            rig_compile(&r, false) && r.n < 100 && !strstr(file, "numbers.osim")) {
            for (int k = 0; k < r.paths->n_paths; k++) {
                const fb_path *path = &r.paths->paths[k];
                for (int round = 0; round < 10; round++) {
                    fb_state_defaults(r.state);
                    for (int c = 0; c < r.n;
                         c++) { /* within the ranges: moving points stop there */
                        const double *range = r.system->coordinates[c].range;
                        double q = r.state->q[c] + fb_random_between(&seed, -0.3, 0.3);
                        r.state->q[c] = fmin(fmax(q, range[0] + 1e-3), range[1] - 1e-3);
                        r.state->u[c] = fb_random_between(&seed, -2, 2);
                    }
                    if (is_geodesic(&r, path)) {
                        n += check_rates(&r, k, 1e-4, file);
                    } else {
                        double L = length(&r, k);
                        FB_TRUE(isfinite(L), "%s: %g", file, L);
                    }
                }
            }
        }
        end(&r);
    }
    FB_TRUE(n > 100, "%d courses", n);
}

static const fb_test tests[] = {
    FB_TEST(straight_paths),
    FB_TEST(coincident_points_make_no_nan),
    FB_TEST(conditional_points),
    FB_TEST(moving_points),
    FB_TEST(function_paths),
    FB_TEST(bad_paths_are_refused),
    FB_TEST(lacking_paths_are_nan),
    FB_TEST(spheres),
    FB_TEST(through_the_centre_of_a_sphere),
    FB_TEST(quadrants),
    FB_TEST(cylinders),
    FB_TEST(threads_find_geodesics),
    FB_TEST(ellipsoids),
    FB_TEST(round_ellipsoids),
    FB_TEST(tori),
    FB_TEST(path_over_a_pulley),
    FB_TEST(rates_over_shapes),
    FB_TEST(rates_over_other_shapes),
    FB_TEST(two_cylinders),
    FB_TEST(ranges_and_inactive_objects),
    FB_TEST(as_opensim_a_course_is_not_shorter),
    FB_TEST(shipped_paths_have_the_rates),
    FB_TEST_END,
};

int main(int argc, char **argv) {
    return fb_test_main("path", tests, argc, argv);
}
