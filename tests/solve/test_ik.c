/* Inverse kinematics: derivatives against differences, poses found again, optimality at bounds and
 * under constraints, the bounded step by its conditions. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/number.h"
#include "libcore/solve/bounded.h"
#include "libcore/solve/ik.h"
#include "tests/help.h"

typedef struct rig {
    fb_model *model;
    fb_system *system;
    fb_ik *ik;
    fb_diag diag;
    int n; /* markers */
} rig;

/* A pelvis that is free, a thigh on a ball, a shank on a pin with a range, a patella that follows
 * the knee; three markers on each. */
static const char leg[] =
    "{'fb': '1.0', 'bodies': [{'name': 'pelvis', 'mass': 1}, {'name': 'thigh', 'mass': 1}, "
    "{'name': 'shank', 'mass': 1}, {'name': 'patella', 'mass': 1}], 'frames': [{'name': 'hip', "
    "'parent': 'pelvis', 'translation': [0, -0.1, 0.1]}, {'name': 'knee', 'parent': 'thigh', "
    "'translation': [0, -0.4, 0]}, {'name': 'groove', 'parent': 'thigh', 'translation': [0.05, "
    "-0.38, 0]}], 'joints': [{'name': 'free', 'type': 'free', 'parent': 'ground', 'child': "
    "'pelvis', 'coordinates': [{'name': 'r1'}, {'name': 'r2'}, {'name': 'r3'}, {'name': 'tx'}, "
    "{'name': 'ty'}, {'name': 'tz'}]}, {'name': 'ball', 'type': 'ball', 'parent': 'hip', 'child': "
    "'thigh', 'coordinates': [{'name': 'h1'}, {'name': 'h2'}, {'name': 'h3'}]}, {'name': 'pin', "
    "'type': 'pin', 'parent': 'knee', 'child': 'shank', 'coordinates': [{'name': 'k', 'range': "
    "[-1.5, 0.1], 'clamped': true}]}, {'name': 'slide', 'type': 'pin', 'parent': 'groove', "
    "'child': 'patella', 'coordinates': [{'name': 'p'}]}]%s}";
static const char coupler[] =
    ", 'constraints': [{'name': 'c', 'type': 'coordinate_coupler', 'independent_coordinates': "
    "['k'], 'dependent_coordinate': 'p', 'function': {'type': 'linear', 'coefficients': [0.5, "
    "0.1]}}]";

static rig begin(const char *more, const fb_ik_task *tasks, int n_tasks, double constraint) {
    rig r;
    char text[4000];
    memset(&r, 0, sizeof r);
    snprintf(text, sizeof text, leg, more);
    fb_test_quotes(text);
    r.model = fb_test_must(fb_test_fb(text, &r.diag, NULL), &r.diag);
    if (fb_system_compile(&r.system, r.model, &(fb_system_options){false}, &r.diag) != FB_OK) {
        fprintf(stderr, "%s\n", r.diag.n ? r.diag.records[0].message : text);
        exit(1); /* the test itself is wrong */
    }
    fb_ik_marker markers[12];
    static const double places[3][3] = {{0.1, 0, 0}, {0, -0.15, 0.05}, {-0.03, 0.04, 0.1}};
    r.n = 12;
    for (int i = 0; i < r.n; i++) {
        markers[i].body = 1 + i / 3;
        memcpy(markers[i].point, places[i % 3], sizeof places[0]);
        markers[i].weight = 1 + i % 4;
    }
    fb_ik_options options = fb_ik_options_default();
    options.constraint_weight = constraint;
    r.ik = fb_ik_new(r.system, markers, r.n, tasks, n_tasks, &options);
    return r;
}

static void end(rig *r) {
    fb_ik_free(r->ik);
    fb_system_free(r->system);
    fb_model_free(r->model);
    fb_diag_clear(&r->diag);
}

static int coordinate(const rig *r, const char *name) {
    for (int i = 0; i < r->system->n_q; i++) {
        if (strcmp(fb_path_name(r->system->coordinates[i].path), name) == 0) {
            return i;
        }
    }
    return -1;
}

/* The markers of a pose; q in the order of the leg's coordinates. */
static void measure(rig *r, const double *q, double *measured) {
    static const char *const names[] = {"r1", "r2", "r3", "tx", "ty", "tz",
                                        "h1", "h2", "h3", "k",  "p"};
    for (int i = 0; i < 11; i++) {
        r->ik->state->q[coordinate(r, names[i])] = q[i];
    }
    fb_state_position(r->ik->state);
    fb_ik_marker_points(r->ik, measured);
}

static const double pose[11] = {0.3, -0.2, 0.5, 1, 0.9, -2, 0.4, 0.2, -0.3, -0.7, -0.25};

static void finds_a_pose_again(void) {
    rig r = begin("", NULL, 0, FB_INFINITY);
    double measured[36], found[11];
    fb_ik_result result;
    measure(&r, pose, measured);
    memcpy(found, r.ik->state->q, sizeof found);
    fb_state_defaults(r.ik->state);
    FB_EQUAL_INT(fb_ik_solve(r.ik, measured, NULL, &result), FB_OK);
    FB_TRUE(result.settled, "%d steps", result.n_steps);
    FB_EQUAL_INT(result.n_seen, 12);
    FB_NEAR(result.cost, 0, 1e-18, 0);
    for (int i = 0; i < 11; i++) {
        FB_NEAR(r.ik->state->q[i], found[i], 1e-8, 0);
    }
    end(&r);
}

/* Half a turn away, and upside down. */
static void the_first_frame_finds_its_heading(void) {
    static const double turns[][3] = {{0, 3.1, 0}, {0, 0, 3.1}, {3.0, 0.1, 0}, {0.2, 1.7, 0}};
    for (size_t k = 0; k < sizeof turns / sizeof turns[0]; k++) {
        rig r = begin("", NULL, 0, FB_INFINITY);
        double q[11], measured[36];
        fb_ik_result result;
        memcpy(q, pose, sizeof q);
        memcpy(q, turns[k], sizeof turns[k]);
        measure(&r, q, measured);
        fb_state_defaults(r.ik->state);
        FB_EQUAL_INT(fb_ik_solve_first(r.ik, measured, NULL, 1e-3, &result), FB_OK);
        FB_NEAR(result.cost, 0, 1e-15, 0);
        FB_NEAR(fb_ik_rms(r.ik), 0, 1e-7, 0);
        end(&r);
    }
}

/* At the optimum of noisy markers the cost has no slope along any coordinate that is between its
 * bounds, by differences of the cost itself. */
static void ends_where_the_cost_has_no_slope(void) {
    fb_ik_task tasks[2];
    double targets[2] = {0.1, -0.4};
    rig r = begin("", NULL, 0, FB_INFINITY);
    tasks[0] = (fb_ik_task){coordinate(&r, "h2"), 0.3};
    tasks[1] = (fb_ik_task){coordinate(&r, "p"), 5};
    end(&r);
    r = begin(coupler, tasks, 2, 20); /* the coupler is soft */
    double measured[36];
    fb_ik_result result;
    unsigned long long seed = fb_test_seed();
    measure(&r, pose, measured);
    for (int i = 0; i < 36; i++) {
        measured[i] += fb_random_between(&seed, -0.02, 0.02);
    }
    measured[9] = FB_NAN; /* one is missing */
    fb_state_defaults(r.ik->state);
    FB_EQUAL_INT(fb_ik_solve(r.ik, measured, targets, &result), FB_OK);
    FB_EQUAL_INT(result.n_seen, 11);
    FB_NEAR(fb_ik_cost(r.ik, measured, targets), result.cost, 0, 1e-12);
    for (int i = 0; i < 11; i++) {
        double q = r.ik->state->q[i], h = 1e-5;
        r.ik->state->q[i] = q + h;
        double above = fb_ik_cost(r.ik, measured, targets);
        r.ik->state->q[i] = q - h;
        double below = fb_ik_cost(r.ik, measured, targets);
        r.ik->state->q[i] = q;
        FB_NEAR((above - below) / (2 * h), 0, 1e-9, 0);
        FB_TRUE(above > result.cost && below > result.cost, "coordinate %d", i);
    }
    end(&r);
}

/* The weighted sum written out again. */
static void the_cost_is_the_formula(void) {
    fb_ik_task task = {9, 3};
    rig r = begin("", &task, 1, FB_INFINITY);
    double measured[36], there[36], target = 0.2, sum = 0, total = 0;
    measure(&r, pose, there);
    for (int i = 0; i < 36; i++) {
        measured[i] = there[i] + 0.01 * (i % 5);
    }
    for (int i = 0; i < 12; i++) {
        double w = 1 + i % 4;
        for (int k = 0; k < 3; k++) {
            sum += w * pow(measured[3 * i + k] - there[3 * i + k], 2);
        }
        total += w;
    }
    FB_NEAR(fb_ik_cost(r.ik, measured, &target),
            sum / (2 * total) + 1.5 * pow(r.ik->state->q[9] - 0.2, 2), 0, 1e-12);
    end(&r);
}

/* A knee measured beyond its range stops there, and the rest is the best for that: the same as with
 * the knee locked at its bound. */
static void clamped_coordinates_keep_their_range(void) {
    rig r = begin("", NULL, 0, FB_INFINITY);
    double q[11], measured[36];
    fb_ik_result result;
    memcpy(q, pose, sizeof q);
    q[9] = 0.6;
    measure(&r, q, measured);
    fb_state_defaults(r.ik->state);
    FB_EQUAL_INT(fb_ik_solve(r.ik, measured, NULL, &result), FB_OK);
    int k = coordinate(&r, "k");
    FB_SAME(r.ik->state->q[k], 0.1);
    FB_TRUE(result.settled && result.cost > 1e-4, "%g", result.cost);
    for (int i = 0; i < 11; i++) {
        double at = r.ik->state->q[i], h = 1e-5;
        r.ik->state->q[i] = at + h;
        double above = fb_ik_cost(r.ik, measured, NULL);
        r.ik->state->q[i] = at - h;
        double below = fb_ik_cost(r.ik, measured, NULL);
        r.ik->state->q[i] = at;
        if (i == k) {
            FB_TRUE(above < below, "the range holds it back");
        } else {
            FB_NEAR((above - below) / (2 * h), 0, 1e-9, 0);
        }
    }
    end(&r);
}

static void constraints_hold_or_cost(void) {
    double measured[36];
    fb_ik_result hard, soft;
    rig r = begin(coupler, NULL, 0, FB_INFINITY);
    measure(&r, pose, measured);
    for (int i = 27; i < 36; i += 3) {
        measured[i] += 0.03; /* pulls the patella off */
    }
    fb_state_defaults(r.ik->state);
    FB_EQUAL_INT(fb_ik_solve(r.ik, measured, NULL, &hard), FB_OK);
    FB_TRUE(hard.settled, "%d steps", hard.n_steps);
    FB_NEAR(hard.constraint_error, 0, 1e-12, 0);
    FB_NEAR(r.ik->state->q[coordinate(&r, "p")], 0.5 * r.ik->state->q[coordinate(&r, "k")] + 0.1,
            1e-12, 0);
    end(&r);
    double last = FB_INFINITY;
    for (double weight = 0.01; weight < 1e7; weight *= 100) { /* towards the hard one */
        r = begin(coupler, NULL, 0, weight);
        FB_EQUAL_INT(fb_ik_solve(r.ik, measured, NULL, &soft), FB_OK);
        FB_TRUE(soft.cost < hard.cost && soft.constraint_error < last, "weight %g", weight);
        last = soft.constraint_error;
        end(&r);
    }
    FB_NEAR(soft.cost, hard.cost, 0, 1e-3);
}

static void a_coordinate_without_markers_stays(void) {
    rig r = begin("", NULL, 0, FB_INFINITY);
    double measured[36];
    fb_ik_result result;
    measure(&r, pose, measured);
    for (int i = 27; i < 36; i++) {
        measured[i] = FB_NAN;
    }
    fb_state_defaults(r.ik->state);
    int p = coordinate(&r, "p");
    r.ik->state->q[p] = 0.3;
    FB_EQUAL_INT(fb_ik_solve(r.ik, measured, NULL, &result), FB_OK);
    FB_SAME(r.ik->state->q[p], 0.3);
    FB_TRUE(fb_ik_is_idle(r.ik, p) && !fb_ik_is_idle(r.ik, 0), "the patella alone");
    FB_NEAR(result.cost, 0, 1e-15, 0);
    for (int i = 0; i < 36; i++) { /* nobody is seen */
        measured[i] = FB_NAN;
    }
    FB_EQUAL_INT(fb_ik_solve(r.ik, measured, NULL, &result), FB_OK);
    FB_SAME(result.cost, 0);
    end(&r);
}

/* Random programs: the conditions of Karush, Kuhn and Tucker. */
static void bounded_steps_meet_their_conditions(void) {
    enum { N = 9, M = 2 };
    unsigned long long seed = fb_test_seed();
    fb_scratch scratch = {0};
    for (int round = 0; round < 300; round++) {
        double L[N * N], H[N * N] = {0}, g[N], low[N], high[N], G[M * N], b[M] = {0}, d[N], mu[M];
        signed char at[N] = {0};
        for (int i = 0; i < N * N; i++) {
            L[i] = fb_random_between(&seed, -1, 1);
        }
        for (int i = 0; i < N; i++) {
            for (int j = 0; j < N; j++) {
                for (int k = 0; k < N; k++) {
                    H[i * N + j] += L[i * N + k] * L[j * N + k];
                }
            }
            H[i * N + i] += 0.1;
            g[i] = fb_random_between(&seed, -2, 2);
            low[i] = i % 3 == 0 ? -FB_INFINITY : fb_random_between(&seed, -0.3, 0);
            high[i] = i % 4 == 0 ? FB_INFINITY : fb_random_between(&seed, 0, 0.3);
            for (int r = 0; r < M; r++) {
                G[r * N + i] = fb_random_between(&seed, -1, 1);
            }
        }
        int m = round % 3; /* 0, 1 or 2 equations that can be met: b = 0 */
        fb_bounded p = {N, m, H, g, low, high, G, b, at, d, mu};
        FB_EQUAL_INT(fb_bounded_solve(&p, &scratch), FB_OK);
        for (int i = 0; i < N; i++) {
            double slope = g[i];
            for (int j = 0; j < N; j++) {
                slope += H[i * N + j] * d[j];
            }
            for (int r = 0; r < m; r++) {
                slope += G[r * N + i] * mu[r];
            }
            FB_TRUE(d[i] >= low[i] && d[i] <= high[i], "bounds of %d", i);
            FB_TRUE(d[i] > low[i] ? slope < 1e-9 : true, "slope %g of %d", slope, i);
            FB_TRUE(d[i] < high[i] ? slope > -1e-9 : true, "slope %g of %d", slope, i);
        }
        for (int r = 0; r < m; r++) {
            double sum = 0;
            for (int i = 0; i < N; i++) {
                sum += G[r * N + i] * d[i];
            }
            FB_NEAR(sum, 0, 1e-10, 0);
        }
    }
    fb_scratch_clear(&scratch);
}

int main(int argc, char **argv) {
    static const fb_test tests[] = {FB_TEST(finds_a_pose_again),
                                    FB_TEST(the_first_frame_finds_its_heading),
                                    FB_TEST(ends_where_the_cost_has_no_slope),
                                    FB_TEST(the_cost_is_the_formula),
                                    FB_TEST(clamped_coordinates_keep_their_range),
                                    FB_TEST(constraints_hold_or_cost),
                                    FB_TEST(a_coordinate_without_markers_stays),
                                    FB_TEST(bounded_steps_meet_their_conditions),
                                    FB_TEST_END};
    return fb_test_main("ik", tests, argc, argv);
}
