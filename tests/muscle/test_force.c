/* Forces against their formulas worked by hand, against the derivative of their energy, and for
 * balance; formulas against known numbers. */
#include "libcore/muscle/force.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/number.h"
#include "tests/help.h"

/* ---- a rig ----------------------------------------------------------------------------------- */

/* Two bodies, a free in ground and b free in a, and a slider c with coordinate s; frames fa, fb.
 * Coordinates: 6 of a, 6 of b, 1 of c. */
#define RIG \
    "\"bodies\": [{\"name\": \"a\", \"mass\": 1}, {\"name\": \"b\", \"mass\": 1}, {\"name\": " \
    "\"c\", \"mass\": 1}]," \
    "\"frames\": [{\"name\": \"fa\", \"parent\": \"a\", \"translation\": [0.1, -0.2, 0.3], " \
    "\"rotation_xyz\": [0.3, 0.2, -0.4]}, {\"name\": \"fb\", \"parent\": \"b\", \"translation\": " \
    "[-0.1, 0.1, 0.2], \"rotation_xyz\": [-0.2, 0.5, 0.1]}]," \
    "\"joints\": [{\"name\": \"ja\", \"type\": \"free\", \"parent\": \"ground\", \"child\": " \
    "\"a\"}, {\"name\": \"jb\", \"type\": \"free\", \"parent\": \"a\", \"child\": \"b\"}," \
    "{\"name\": \"jc\", \"type\": \"slider\", \"parent\": \"ground\", \"child\": \"c\", " \
    "\"coordinates\": [{\"name\": \"s\"}]}]"
#define N_Q 13
#define MOST_PATHS 4

typedef struct rig {
    fb_model *model;
    fb_system *system;
    fb_paths *paths;
    fb_forces *forces;
    fb_state *state;
    fb_diag diag;
    fb_course course;
    double length[MOST_PATHS], speed[MOST_PATHS], tension[MOST_PATHS];
    double external[4][6], tau[N_Q], total[N_Q]; /* total: all of them on coordinates */
    double controls[8];
    double time;
} rig;

static bool rig_begin(rig *r, const char *lists, bool as_opensim4) {
    size_t n = strlen(lists) + strlen(RIG) + 60;
    char *text = malloc(n);
    fb_system_options options = {as_opensim4};
    memset(r, 0, sizeof *r);
    snprintf(text, n, "{\"fb\": \"1.0\",\n" RIG ",\n%s}", lists);
    r->model = fb_test_must(fb_test_fb(text, &r->diag, NULL), &r->diag);
    free(text);
    if (!FB_TRUE(r->diag.n == 0, "%s", r->diag.n ? r->diag.records[0].message : "")) {
        fprintf(stderr, "%s\n", r->diag.records[0].message);
        exit(1); /* the test itself is wrong, and would read out of bounds */
    }
    if (fb_system_compile(&r->system, r->model, &options, &r->diag) != FB_OK ||
        fb_paths_compile(&r->paths, r->system, as_opensim4, &r->diag) != FB_OK ||
        fb_forces_compile(&r->forces, r->system, r->paths, as_opensim4, &r->diag) != FB_OK) {
        return false;
    }
    FB_EQUAL_INT(r->system->n_q, N_Q);
    FB_EQUAL_INT(r->system->n_body, 4);
    r->state = fb_state_new(r->system);
    r->course.points = calloc((size_t)r->paths->most_points + 1, sizeof *r->course.points);
    fb_state_position(r->state);
    fb_state_velocity(r->state);
    return true;
}

static void rig_end(rig *r) {
    free(r->course.points);
    fb_state_free(r->state);
    fb_forces_free(r->forces);
    fb_paths_free(r->paths);
    fb_system_free(r->system);
    fb_model_free(r->model);
    fb_diag_clear(&r->diag);
}

static void rig_move(rig *r) {
    fb_state_position(r->state);
    fb_state_velocity(r->state);
    for (int i = 0; i < r->paths->n_paths; i++) {
        fb_path_course(r->paths, i, r->state, &r->course);
        r->length[i] = r->course.length;
        r->speed[i] = fb_path_speed(r->paths, i, r->state, &r->course);
    }
}

static void rig_apply(rig *r) {
    double arms[N_Q];
    rig_move(r);
    memset(r->tension, 0, sizeof r->tension);
    memset(r->external, 0, sizeof r->external);
    memset(r->tau, 0, sizeof r->tau);
    fb_forces_apply(r->forces, r->state, r->time, r->controls, NULL, r->length, r->speed,
                    r->tension, r->external, r->tau);
    memcpy(r->total, r->tau, sizeof r->total);
    fb_project_forces(r->state, r->external, r->total);
    for (int i = 0; i < r->paths->n_paths; i++) {
        fb_path_course(r->paths, i, r->state, &r->course);
        fb_path_moment_arms(r->paths, i, r->state, &r->course, arms);
        for (int k = 0; k < N_Q; k++) {
            r->total[k] += r->tension[i] * arms[k];
        }
    }
}

/* A pose and speeds at random: q up to q_size, u up to u_size. */
static void rig_random(rig *r, unsigned long long *seed, double q_size, double u_size) {
    for (int i = 0; i < N_Q; i++) {
        r->state->q[i] = q_size * ((double)(fb_random(seed) % 2001) / 1000 - 1);
        r->state->u[i] = u_size * ((double)(fb_random(seed) % 2001) / 1000 - 1);
    }
}

static int body_number(const rig *r, const char *path) {
    return fb_system_body(r->system, fb_test_find(r->model, path), NULL);
}

/* A point of a frame in ground. */
static void point_of(const rig *r, const char *frame, double x, double y, double z, double *p) {
    fb_pose pose;
    double in_body[3], local[3] = {x, y, z};
    int body = fb_system_body(r->system, fb_test_find(r->model, frame), &pose);
    fb_pose_point(in_body, &pose, local);
    fb_pose_point(p, &r->state->pose[body], in_body);
}

static int coordinate_s(const rig *r) {
    return fb_system_coordinate(r->system, fb_test_find(r->model, "/jointset/jc/s"));
}

static void set_s(rig *r, double q, double u) {
    r->state->q[coordinate_s(r)] = q;
    r->state->u[coordinate_s(r)] = u;
    rig_apply(r);
}

/* ---- properties ------------------------------------------------------------------------------ */

/* At rest the generalised forces are -dE along each speed, by central differences. */
static void conserves(rig *r, double (*energy)(rig *), double q_size, int poses, double tolerance) {
    unsigned long long seed = fb_test_seed();
    for (int pose = 0; pose < poses; pose++) {
        double q[N_Q], want[N_Q], h = 1e-6;
        rig_random(r, &seed, q_size, 0);
        memcpy(q, r->state->q, sizeof q);
        for (int k = 0; k < N_Q; k++) {
            double e[2], step[N_Q];
            memset(r->state->u, 0, sizeof q);
            memcpy(r->state->q, q, sizeof q);
            r->state->u[k] = 1;
            rig_move(r);
            memcpy(step, r->state->qdot, sizeof step);
            r->state->u[k] = 0;
            for (int side = 0; side < 2; side++) {
                for (int i = 0; i < N_Q; i++) {
                    r->state->q[i] = q[i] + (side ? h : -h) * step[i];
                }
                rig_move(r);
                e[side] = energy(r);
            }
            want[k] = -(e[1] - e[0]) / (2 * h);
        }
        memcpy(r->state->q, q, sizeof q);
        rig_apply(r);
        for (int k = 0; k < N_Q; k++) {
            FB_NEAR(r->total[k], want[k], tolerance, tolerance);
        }
    }
}

/* Internal forces of any pose and speed sum to nothing, ground included. */
static void balances(rig *r, double q_size, double least) {
    unsigned long long seed = fb_test_seed() + 1;
    double largest = 0;
    for (int pose = 0; pose < 10; pose++) {
        rig_random(r, &seed, q_size, 1);
        rig_apply(r);
        for (int k = 0; k < 6; k++) {
            double sum = 0, size = 0;
            for (int body = 0; body < 4; body++) {
                sum += r->external[body][k];
                size = fmax(size, fabs(r->external[body][k]));
            }
            FB_NEAR(sum, 0, 1e-12 * (1 + size), 0);
            largest = fmax(largest, size);
        }
    }
    FB_TRUE(largest > least, "it acts: %g", largest);
}

/* ---- formulas -------------------------------------------------------------------------------- */

static const char *const xyz[] = {"x", "y", "z"};

static double formula(const char *text, double x, double y, double z) {
    fb_arena arena;
    fb_expression *e;
    const char *problem;
    double value = FB_NAN, at[3] = {x, y, z};
    fb_arena_init(&arena);
    fb_status status = fb_expression_compile(&e, text, xyz, 3, &arena, &problem);
    if (FB_TRUE(status == FB_OK, "%s: %s", text, problem ? problem : "")) {
        value = fb_expression_value(e, at, NULL, NULL);
    }
    fb_arena_clear(&arena);
    return value;
}

static void formulas_have_known_values(void) {
    FB_SAME(formula("-2^2", 0, 0, 0), -4);
    FB_SAME(formula("2^3^2", 0, 0, 0), 512);
    FB_SAME(formula("2^-1", 0, 0, 0), 0.5);
    FB_SAME(formula("2*-3", 0, 0, 0), -6);
    FB_SAME(formula("8/4/2 - 3 - 1", 0, 0, 0), -3);
    FB_SAME(formula(" ( 1 + 2 ) * 3 ", 0, 0, 0), 9);
    FB_SAME(formula(".5 + 1e-3 + 2E+4", 0, 0, 0), 0.5 + 1e-3 + 2e4);
    FB_SAME(formula("x*y - z", 2, 3, 4), 2);
    FB_SAME(formula("min(x, y) + max(x, y)*10", 2, 3, 0), 32);
    FB_SAME(formula("step(x) + step(y) + step(z)", 0, -1e-9, 5), 2);
    FB_SAME(formula("delta(x) + delta(y)", 0, 1e-300, 0), 1);
    FB_SAME(formula("square(x) + cube(x) + recip(y) + abs(z)", 2, 4, -1), 13.25);
    FB_NEAR(formula("sqrt(x) + exp(y) + log(z)", 2, 0.5, 3), sqrt(2) + exp(0.5) + log(3), 0, 1e-15);
    FB_NEAR(formula("sec(x)*cos(x) + csc(x)*sin(x) + tan(x)*cot(x)", 0.7, 0, 0), 3, 0, 1e-15);
    FB_NEAR(formula("asin(x) + acos(x) + atan(1)*4", 0.3, 0, 0), 1.5 * M_PI, 0, 1e-15);
    FB_NEAR(formula("cosh(x)^2 - sinh(x)^2 + tanh(0)", 0.7, 0, 0), 1, 0, 1e-14);
    FB_NEAR(formula("erf(x) + erfc(x)", 0.7, 0, 0), 1, 0, 1e-15);
}

static void formulas_have_definitions(void) {
    FB_SAME(formula("x*p; p = q^2; q = 3", 2, 0, 0), 18);
    FB_SAME(formula("x+1; x = 5", 2, 0, 0), 6); /* before the variable of that name */
    FB_SAME(formula("u*v;u=v+1;v=y;", 0, 3, 0), 12);
}

static void bad_formulas_are_refused(void) {
    static const char *const bad[][2] = {{"", "missing"},
                                         {"1 +", "missing"},
                                         {"+1", "missing"},
                                         {"(1", "')'"},
                                         {"1)", "behind"},
                                         {"1 2", "behind"},
                                         {"w", "name"},
                                         {"pi", "name"},
                                         {"atan2(x, y)", "function"},
                                         {"sin(x, y)", "too many"},
                                         {"min(x)", "too few"},
                                         {"x; y", "'='"},
                                         {"p; q = p", "name"}, /* to its left */
                                         {"p; p = p", "name"},
                                         {"1,5", "behind"}};
    fb_arena arena;
    fb_expression *e;
    const char *problem;
    fb_arena_init(&arena);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        FB_EQUAL_INT(fb_expression_compile(&e, bad[i][0], xyz, 3, &arena, &problem), FB_E_INPUT);
        FB_HOLDS(problem ? problem : "", bad[i][1]);
    }
    char deep[2001];
    memset(deep, '(', 2000);
    deep[2000] = 0;
    FB_EQUAL_INT(fb_expression_compile(&e, deep, xyz, 3, &arena, &problem), FB_E_INPUT);
    memset(deep, '-', 2000);
    FB_EQUAL_INT(fb_expression_compile(&e, deep, xyz, 3, &arena, &problem), FB_E_INPUT);
    char growing[400] = "a*a"; /* every definition doubles the one before */
    for (int i = 0; i < 20; i++) {
        sprintf(growing + strlen(growing), ";%c=%c*%c", 'a' + i, 'b' + i, 'b' + i);
    }
    strcat(growing, ";u=2");
    FB_EQUAL_INT(fb_expression_compile(&e, growing, xyz, 3, &arena, &problem), FB_E_INPUT);
    fb_arena_clear(&arena);
}

static void formulas_have_derivatives(void) {
    static const char *const texts[] = {"x*y/z - x^3 + 2^y + y^x",
                                        "exp(-x)*sin(y) + cos(z*x)",
                                        "sqrt(x) + log(y) + recip(z)",
                                        "sec(x) + csc(y) + tan(z) + cot(x)",
                                        "asin(x/2) + acos(y/2) + atan(z)",
                                        "sinh(x)*cosh(y)*tanh(z)",
                                        "erf(x) - erfc(y*z)",
                                        "square(x)*cube(y) + abs(z - 3)",
                                        "min(x, y)*max(y, z) + step(x)*delta(y)",
                                        "(x + 2*y)^2.5 + x^2 + z^1 + y^0",
                                        "7"};
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
        fb_arena arena;
        fb_expression *e;
        const char *problem;
        double at[3] = {0.7, 1.3, 0.9}, g[3], h[9], low[3], high[3];
        fb_arena_init(&arena);
        FB_EQUAL_INT(fb_expression_compile(&e, texts[t], xyz, 3, &arena, &problem), FB_OK);
        FB_EQUAL_INT(fb_expression_arguments(e), 3);
        FB_SAME(fb_expression_value(e, at, g, h), fb_expression_value(e, at, NULL, NULL));
        for (int i = 0; i < 3; i++) {
            double x = at[i], d = 1e-5;
            at[i] = x - d;
            double before = fb_expression_value(e, at, low, NULL);
            at[i] = x + d;
            double after = fb_expression_value(e, at, high, NULL);
            at[i] = x;
            FB_NEAR(g[i], (after - before) / (2 * d), 1e-8, 1e-8);
            for (int j = 0; j < 3; j++) {
                FB_NEAR(h[3 * i + j], (high[j] - low[j]) / (2 * d), 1e-8, 1e-8);
            }
        }
        fb_arena_clear(&arena);
    }
}

/* ---- coordinates ----------------------------------------------------------------------------- */

#define LIMIT \
    "\"forces\": [{\"name\": \"l\", \"type\": \"coordinate_limit\", \"coordinate\": \"s\", " \
    "\"upper_stiffness\": 100, \"upper_limit\": 0.5, \"lower_stiffness\": 40, \"lower_limit\": " \
    "-0.2, \"damping\": 3, \"transition\": 0.1}]"

static void limits_act_beyond_them(void) {
    rig r;
    rig_begin(&r, LIMIT, true);
    int s = coordinate_s(&r);
    set_s(&r, 0.3, 2);
    FB_SAME(r.tau[s], 0);
    set_s(&r, 0.55, 2); /* half way: the step is 1/2 */
    FB_NEAR(r.tau[s], -100 * 0.5 * 0.05 - 3 * 0.5 * 2, 0, 1e-13);
    set_s(&r, 0.8, -2);
    FB_NEAR(r.tau[s], -100 * 0.3 + 3 * 2, 0, 1e-13);
    set_s(&r, -0.225, 1); /* a quarter: 10/64 - 15/256 + 6/1024 */
    FB_NEAR(r.tau[s], (40 * 0.025 - 3) * 0.103515625, 0, 1e-12);
    set_s(&r, -0.7, 0);
    FB_NEAR(r.tau[s], 40 * 0.5, 0, 1e-13);
    rig_end(&r);
}

/* The integral of the limit's force: K x^3 (2 - 5/2 x + 6/7 x^2) d^2, x = d / transition <= 1 */
static double limit_energy(rig *r) {
    double q = r->state->q[coordinate_s(r)], k = q > 0 ? 100 : 40, w = 0.1;
    double d = q > 0.5 ? q - 0.5 : q < -0.2 ? -0.2 - q : 0, x = d / w;
    return x < 1 ? k * x * x * x * (2 - 2.5 * x + 6.0 / 7 * x * x) * d * d
                 : k * (d * d / 2 - w * w / 7);
}

static void limits_store_energy(void) {
    rig r;
    rig_begin(&r, LIMIT, true);
    conserves(&r, limit_energy, 0.8, 30, 1e-6);
    rig_end(&r);
}

static void coordinate_springs_follow_their_formula(void) {
    rig r;
    rig_begin(&r,
              "\"springs\": [{\"name\": \"l\", \"type\": \"coordinate\", \"coordinate\": \"s\", "
              "\"stiffness\": 7, \"rest_length\": 0.2, \"viscosity\": 3}]",
              true);
    set_s(&r, 0.5, 2);
    FB_NEAR(r.tau[coordinate_s(&r)], -7 * 0.3 - 3 * 2, 0, 1e-14);
    rig_end(&r);
}

static void exponential_forces_follow_their_formula(void) {
    rig r;
    rig_begin(&r,
              "\"forces\": [{\"name\": \"e\", \"type\": \"exponential_coordinate\", "
              "\"coordinate\": \"s\", \"offset_force\": 1, \"first_force\": 2, \"first_rate\": 3, "
              "\"second_force\": -4, \"second_rate\": -5, \"first_center\": 0.1, "
              "\"second_center\": 0.2}, {\"name\": \"l\", \"type\": "
              "\"exponential_coordinate_limit\", \"coordinate\": \"s\", \"lower_limit\": -0.2, "
              "\"upper_limit\": 0.3, \"lower_shape_parameters\": [50, 7], "
              "\"upper_shape_parameters\": [20, 2.5]}]",
              true);
    set_s(&r, 0.4, 0);
    FB_NEAR(r.tau[coordinate_s(&r)],
            1 + 2 * exp(0.9) - 4 * exp(-1) + 50 * exp(-4.2) - 20 * exp(0.25), 0, 1e-14);
    rig_end(&r);
}

static void expression_forces_follow_their_formula(void) {
    rig r;
    rig_begin(&r,
              "\"forces\": [{\"name\": \"e\", \"type\": \"expression_coordinate\", "
              "\"coordinate\": \"s\", \"expression\": \"-25 * q * (1 + 2*qdot)\"}]",
              true);
    set_s(&r, 0.4, 0.3);
    FB_NEAR(r.tau[coordinate_s(&r)], -25 * 0.4 * 1.6, 0, 1e-14);
    rig_end(&r);
}

/* ---- paths ----------------------------------------------------------------------------------- */

/* From ground to c, along x: its length is 1 + s. */
#define ALONG_S \
    "\"path\": {\"points\": [{\"frame\": \"ground\", \"location\": [-1, 0, 0]}, {\"frame\": " \
    "\"c\"}]}"
#define BETWEEN \
    "\"path\": {\"points\": [{\"frame\": \"fa\", \"location\": [0.1, 0, 0.2]}, {\"frame\": " \
    "\"ground\", \"location\": [0.1, 0.5, 0]}, {\"frame\": \"fb\", \"location\": [0, 0.3, 0]}]}"

static void path_springs_follow_their_formula(void) {
    rig r;
    rig_begin(&r,
              "\"springs\": [{\"name\": \"p\", \"type\": \"path\", \"resting_length\": 1.2, "
              "\"stiffness\": 500, \"dissipation\": 0.4, " ALONG_S "}]",
              true);
    set_s(&r, 0.5, 2);
    FB_NEAR(r.tension[0], 500 * 0.3 * (1 + 0.4 * 2), 0, 1e-13);
    set_s(&r, 0.5, -3); /* it does not push */
    FB_SAME(r.tension[0], 0);
    set_s(&r, 0.1, 2);
    FB_SAME(r.tension[0], 0);
    rig_end(&r);
}

static void ligaments_follow_their_curve(void) {
    rig r;
    rig_begin(&r,
              "\"ligaments\": [{\"name\": \"d\", \"type\": \"force_length\", \"resting_length\": "
              "1.25, \"pcsa_force\": 200, " ALONG_S
              "}, {\"name\": \"g\", \"type\": \"force_length\", \"resting_length\": 1.25, "
              "\"pcsa_force\": 300, \"force_length_curve\": {\"type\": \"polynomial\", "
              "\"coefficients\": [1, 0, -1]}, " ALONG_S "}]",
              true);
    set_s(&r, 1.25 * 1.3 - 1, 2); /* a point of the default table */
    FB_NEAR(r.tension[0], 200 * 0.26, 0, 1e-12);
    FB_NEAR(r.tension[1], 300 * (1.3 * 1.3 - 1), 0, 1e-12);
    set_s(&r, 1.25 * 1.25 - 1, 2); /* between its points: as OpenSim's spline has it */
    FB_NEAR(r.tension[0], 200 * 0.177740560, 0, 1e-8);
    set_s(&r, 0.24, 0);
    FB_SAME(r.tension[0], 0);
    FB_SAME(r.tension[1], 0);
    rig_end(&r);
}

#define BLANKEVOORT(PATH) \
    "\"ligaments\": [{\"name\": \"l\", \"type\": \"Blankevoort1991\", \"linear_stiffness\": " \
    "1000, \"transition_strain\": 0.06, \"damping_coefficient\": 5, \"slack_length\": 0.8, " PATH \
    "}]"

static void blankevoort_ligaments_follow_their_formula(void) {
    rig r;
    rig_begin(&r, BLANKEVOORT(ALONG_S), true);
    set_s(&r, 0.8 * 1.03 - 1, 0);
    FB_NEAR(r.tension[0], 1000 * 0.03 * 0.03 / 0.12, 0, 1e-12);
    set_s(&r, 0.8 * 1.1 - 1, 0);
    FB_NEAR(r.tension[0], 1000 * 0.07, 0, 1e-12);
    set_s(&r, 0.8 * 1.1 - 1, 0.4); /* damped while it lengthens, not while it shortens */
    FB_NEAR(r.tension[0], 70 + 5 * 0.5, 0, 1e-12);
    set_s(&r, 0.8 * 1.1 - 1, -0.4);
    FB_NEAR(r.tension[0], 70, 0, 1e-12);
    set_s(&r, 0.8 * 1.005 - 1, 0.4); /* damping is half faded in */
    FB_NEAR(r.tension[0], 1000 * 0.005 * 0.005 / 0.12 + 5 * 0.5 * 0.5, 0, 1e-11);
    set_s(&r, -0.21, 3);
    FB_SAME(r.tension[0], 0);
    rig_end(&r);
}

static double blankevoort_energy(rig *r) {
    double e = (r->length[0] - 0.8) / 0.8, t = 0.06, k = 1000 * 0.8;
    return e <= 0  ? 0
           : e < t ? k * e * e * e / (6 * t)
                   : k * (t * t / 6 + (e * e - t * t) / 2 - t / 2 * (e - t));
}

static void blankevoort_ligaments_store_energy(void) {
    rig r;
    rig_begin(&r, BLANKEVOORT(BETWEEN), true);
    conserves(&r, blankevoort_energy, 0.7, 5, 1e-5);
    rig_end(&r);
}

static void path_expressions_clamp_their_stretch(void) {
    rig r;
    rig_begin(&r,
              "\"forces\": [{\"name\": \"e\", \"type\": \"expression_path\", \"resting_length\": "
              "1.2, \"expression\": \"100*s*(1 + 0.1 * ldot) + 1\", " ALONG_S
              "}, {\"name\": \"f\", \"type\": \"expression_path\", \"resting_length\": 1.2, "
              "\"clamp_stretch\": false, \"expression\": \"100*s\", " ALONG_S "}]",
              true);
    set_s(&r, 0.5, 2);
    FB_NEAR(r.tension[0], 100 * 0.3 * 1.2 + 1, 0, 1e-13);
    FB_NEAR(r.tension[1], 30, 0, 1e-13);
    set_s(&r, 0, 2);
    FB_NEAR(r.tension[0], 1, 0, 1e-13);
    FB_NEAR(r.tension[1], -20, 0, 1e-13);
    rig_end(&r);
}

/* ---- two points ------------------------------------------------------------------------------ */

#define SPRING \
    "\"springs\": [{\"name\": \"p\", \"type\": \"point_to_point\", \"body1\": \"fa\", \"body2\": " \
    "\"fb\", \"point1\": [0.1, 0.2, 0.3], \"point2\": [0.5, -0.3, 0.1], \"stiffness\": 30, " \
    "\"rest_length\": 0.4}]"

static double point_distance(rig *r) {
    double p1[3], p2[3];
    point_of(r, "/fa", 0.1, 0.2, 0.3, p1);
    point_of(r, "/fb", 0.5, -0.3, 0.1, p2);
    return fb_v3_distance(p1, p2);
}

static double spring_energy(rig *r) {
    double d = point_distance(r) - 0.4;
    return 30 * d * d / 2;
}

static void point_springs_store_energy_and_balance(void) {
    rig r;
    rig_begin(&r, SPRING, true);
    conserves(&r, spring_energy, 0.8, 5, 1e-6);
    balances(&r, 1, 1);
    const double *f = r.external[body_number(&r, "/bodyset/a")] + 3;
    FB_NEAR(fb_v3_norm(f), 30 * fabs(point_distance(&r) - 0.4), 0, 1e-12);
    rig_end(&r);
}

static double magnet_energy(rig *r) { /* attracted by 2 / d^2 */
    return -2 / point_distance(r);
}

static void point_expressions_attract(void) {
    rig r;
    rig_begin(&r,
              "\"forces\": [{\"name\": \"p\", \"type\": \"expression_point_to_point\", \"body1\": "
              "\"fa\", \"body2\": \"fb\", \"point1\": [0.1, 0.2, 0.3], \"point2\": [0.5, -0.3, "
              "0.1], \"expression\": \"2/d^2 + 3*ddot\"}]",
              true);
    conserves(&r, magnet_energy, 0.8, 5, 1e-5);
    balances(&r, 1, 0.1);
    unsigned long long seed = fb_test_seed(); /* the damped part takes 3 ddot^2 of power */
    rig_random(&r, &seed, 0.8, 1);
    rig_apply(&r);
    double power = 0, d = point_distance(&r), h = 1e-6, rate;
    for (int i = 0; i < N_Q; i++) {
        power += r.total[i] * r.state->u[i];
    }
    for (int i = 0; i < N_Q; i++) {
        r.state->q[i] += h * r.state->qdot[i];
    }
    fb_state_position(r.state);
    rate = (point_distance(&r) - d) / h;
    FB_NEAR(power, -(2 / (d * d) + 3 * rate) * rate, 1e-4, 1e-4);
    rig_end(&r);
}

/* ---- bushings -------------------------------------------------------------------------------- */

static void bushing_coordinates(rig *r, double *x) {
    fb_pose pose[2], in_body;
    static const char *const frames[] = {"/fa", "/fb"};
    double R[9], d[3];
    for (int i = 0; i < 2; i++) {
        int body = fb_system_body(r->system, fb_test_find(r->model, frames[i]), &in_body);
        fb_pose_mul(&pose[i], &r->state->pose[body], &in_body);
    }
    fb_m3_tmul(R, pose[0].R, pose[1].R);
    x[0] = atan2(-R[5], R[8]);
    x[1] = asin(R[2]);
    x[2] = atan2(-R[1], R[0]);
    fb_v3_sub(d, pose[1].p, pose[0].p);
    fb_m3_tmul_v3(x + 3, pose[0].R, d);
}

#define TWO_FRAMES "\"frame1\": \"fa\", \"frame2\": \"fb\", "
#define BUSHING(DAMPING) \
    "\"springs\": [{\"name\": \"b\", \"type\": \"bushing\", " TWO_FRAMES \
    "\"rotational_stiffness\": [3, 4, 5], \"translational_stiffness\": [10, 20, 30]" DAMPING "}]"

static double bushing_energy(rig *r) {
    double x[6];
    bushing_coordinates(r, x);
    return (3 * x[0] * x[0] + 4 * x[1] * x[1] + 5 * x[2] * x[2] + 10 * x[3] * x[3] +
            20 * x[4] * x[4] + 30 * x[5] * x[5]) /
           2;
}

static void bushings_store_energy_and_balance(void) {
    rig r;
    rig_begin(&r, BUSHING(""), true);
    conserves(&r, bushing_energy, 0.5, 5, 1e-6);
    balances(&r, 0.5, 1);
    rig_end(&r);
}

/* Power of the damping alone: -sum c rate^2, rates by finite differences of the coordinates. */
static void bushings_dissipate(void) {
    rig r;
    rig_begin(&r,
              "\"springs\": [{\"name\": \"b\", \"type\": \"bushing\", " TWO_FRAMES
              "\"rotational_damping\": [1, 2, 3], \"translational_damping\": [4, 5, 6]}]",
              true);
    unsigned long long seed = fb_test_seed();
    double x[2][6], power = 0, want = 0, h = 1e-6, q[N_Q];
    rig_random(&r, &seed, 0.5, 1);
    rig_apply(&r);
    memcpy(q, r.state->q, sizeof q);
    for (int i = 0; i < N_Q; i++) {
        power += r.total[i] * r.state->u[i];
    }
    for (int side = 0; side < 2; side++) {
        for (int i = 0; i < N_Q; i++) {
            r.state->q[i] = q[i] + (side ? h : -h) * r.state->qdot[i];
        }
        fb_state_position(r.state);
        bushing_coordinates(&r, x[side]);
    }
    for (int i = 0; i < 6; i++) {
        double rate = (x[1][i] - x[0][i]) / (2 * h);
        want -= (i + 1) * rate * rate;
    }
    FB_NEAR(power, want, 1e-7, 1e-7);
    FB_TRUE(want < -0.1, "it moves: %g", want);
    rig_end(&r);
}

static double coupled_energy(rig *r) {
    double x[6];
    bushing_coordinates(r, x);
    return x[0] * x[0] / 2 + 2 * x[0] * x[4] + 3 * x[4] * x[4];
}

static void coupled_bushings_use_their_matrix(void) {
    rig r;
    rig_begin(&r,
              "\"springs\": [{\"name\": \"b\", \"type\": \"coupled_bushing\", " TWO_FRAMES
              "\"stiffness_row1\": [1, 0, 0, 0, 2, 0], \"stiffness_row5\": [2, 0, 0, 0, 6, 0]}]",
              true);
    conserves(&r, coupled_energy, 0.5, 3, 1e-6);
    rig_end(&r);
}

static double function_energy(rig *r) {
    double x[6];
    bushing_coordinates(r, x);
    return pow(x[1], 4) / 4 + 5 * pow(x[5], 3) / 3;
}

static void bushings_of_functions_and_formulas(void) {
    static const char *const texts[] = {
        "\"springs\": [{\"name\": \"b\", \"type\": \"function_bushing\", " TWO_FRAMES
        "\"moment_y_function\": {\"type\": \"polynomial\", \"coefficients\": [1, 0, 0, 0]}, "
        "\"force_z_function\": {\"type\": \"polynomial\", \"coefficients\": [5, 0, 0]}}]",
        "\"springs\": [{\"name\": \"b\", \"type\": \"expression_bushing\", " TWO_FRAMES
        "\"moment_y_expression\": \"theta_y ^ 3\", \"force_z_expression\": \"5*delta_z^2\"}]"};
    for (int i = 0; i < 2; i++) {
        rig r;
        rig_begin(&r, texts[i], true);
        conserves(&r, function_energy, 0.5, 3, 1e-6);
        balances(&r, 0.5, 0.1);
        rig_end(&r);
    }
}

/* ---- contact --------------------------------------------------------------------------------- */

/* Ground is y < 0: the half space x > 0 turned by -90 degrees about z. */
#define FLOOR \
    "{\"name\": \"floor\", \"type\": \"half_space\", \"frame\": \"ground\", \"orientation\": [0, " \
    "0, -1.5707963267948966]}"
#define BALL(NAME, FRAME, PLACE, RADIUS) \
    "{\"name\": \"" NAME "\", \"type\": \"sphere\", \"frame\": \"" FRAME \
    "\", \"location\": [" PLACE "], \"radius\": " RADIUS "}"
#define SHAPES_2 FLOOR "," BALL("ball", "a", "0.2, 0, 0", "0.1")
#define SHAPES_3 \
    FLOOR "," BALL("one", "a", "0.2, 0, 0", "0.5") "," BALL("two", "fb", "0, 0, 0", "0.4")
#define SHAPES_PAIR \
    BALL("left", "a", "-1, 0, 0", "0.1") "," BALL("right", "a", "1, 0, 0", "0.1") "," FLOOR
#define MATERIAL(SHAPE, STIFFNESS, DISSIPATION, FRICTION) \
    "{\"type\": \"hunt_crossley\", \"geometry\": [\"" SHAPE "\"], \"stiffness\": " STIFFNESS \
    ", \"dissipation\": " DISSIPATION ", " FRICTION "}"
#define FRICTION(S, D, V) \
    "\"static_friction\": " S ", \"dynamic_friction\": " D ", \"viscous_friction\": " V
#define CONTACT(SHAPES, MATERIALS) \
    "\"contact_geometry\": [" SHAPES "], \"contact_forces\": [{\"name\": \"h\", \"type\": " \
    "\"hunt_crossley\", \"transition_velocity\": 0.1, \"contact_parameters\": [" MATERIALS "]}]"

/* The first coordinate of body a: three rotations, then three translations. */
static int first_of_a(const rig *r) {
    return r->system->mobods[body_number(r, "/bodyset/a")].q;
}

static void put_a(rig *r, double y) {
    r->state->q[first_of_a(r) + 4] = y;
}

/* Two stiffnesses of 1e5 and 8e5: k1 = 1e5^(2/3), k2 = 4 k1, so s1 = 4/5 or 1/5. */
static void sphere_meets_floor(void) {
    rig r;
    rig_begin(&r,
              CONTACT(SHAPES_2,
                      MATERIAL("floor", "1e5", "0.5", FRICTION("0.8", "0.6", "0.2")) "," MATERIAL(
                          "ball", "8e5", "1", FRICTION("0.4", "0.3", "0.1"))),
              true);
    double depth = 0.02, k = pow(1e5, 2.0 / 3) * 0.8, c = 0.5 * 0.8 + 1 * 0.2;
    double hertz = 4.0 / 3 * k * depth * sqrt(0.1 * k * depth);
    int a = body_number(&r, "/bodyset/a"), vx = first_of_a(&r) + 3, vy = vx + 1;
    put_a(&r, 0.08);
    rig_apply(&r);
    FB_NEAR(r.external[a][4], hertz, 0, 1e-12);
    FB_NEAR(r.external[a][3], 0, 1e-9, 0);
    FB_NEAR(r.external[a][2], 0.2 * hertz, 0, 1e-9); /* at x = 0.2 */
    r.state->u[vy] = -0.3;                           /* coming down, sliding along x */
    r.state->u[vx] = 0.05;
    rig_apply(&r);
    double f = hertz * (1 + 1.5 * c * 0.3), v = 0.5, us = 2 * 0.8 * 0.4 / 1.2,
           ud = 2 * 0.6 * 0.3 / 0.9, uv = 2 * 0.2 * 0.1 / 0.3;
    double drag = f * (v * (ud + 2 * (us - ud) / (1 + v * v)) + uv * 0.05);
    FB_NEAR(r.external[a][4], f, 0, 1e-9);
    FB_NEAR(r.external[a][3], -drag, 0, 1e-9);
    /* the force acts where the softer floor gives way: 4/5 of the depth below its plane */
    FB_NEAR(r.external[a][2], 0.2 * f - -0.8 * 0.02 * -drag, 0, 1e-9);
    r.state->u[vy] = 5; /* parting faster than 2 / (3 c) */
    rig_apply(&r);
    FB_SAME(r.external[a][4], 0);
    FB_SAME(r.external[a][3], 0);
    balances(&r, 0.3, 0.1);
    rig_end(&r);
}

/* 2/5 f d = 8/15 k d^2 sqrt(R k d) */
static double hertz_energy(double k, double radius, double depth) {
    return depth > 0 ? 8.0 / 15 * k * depth * depth * sqrt(radius * k * depth) : 0;
}

static double contact_energy(rig *r) {
    double k = pow(1000, 2.0 / 3), p[3], q[3];
    point_of(r, "/bodyset/a", 0.2, 0, 0, p);
    point_of(r, "/fb", 0, 0, 0, q);
    return hertz_energy(k / 2, 0.5, 0.5 - p[1]) + hertz_energy(k / 2, 0.4, 0.4 - q[1]) +
           hertz_energy(k / 2, 0.5 * 0.4 / 0.9, 0.9 - fb_v3_distance(p, q));
}

static void contacts_store_energy(void) {
    for (int as_opensim4 = 0; as_opensim4 < 2; as_opensim4++) {
        rig r;
        rig_begin(&r,
                  CONTACT(SHAPES_3,
                          "{\"type\": \"hunt_crossley\", \"geometry\": [\"floor\", \"one\", "
                          "\"two\"], \"stiffness\": 1000}"),
                  as_opensim4 != 0);
        FB_EQUAL_INT(fb_forces_skipped(r.forces), 0);
        conserves(&r, contact_energy, 0.4, 8, 1e-5);
        balances(&r, 0.4, 0.1);
        rig_end(&r);
    }
}

/* Two balls on one body press into the floor; the first parts from it (the body turns). OpenSim
 * leaves out the second if it meets it later. */
static void opensim_stops_at_a_parting_contact(void) {
    double up[2];
    for (int as_opensim4 = 0; as_opensim4 < 2; as_opensim4++) {
        rig r;
        rig_begin(&r,
                  CONTACT(SHAPES_PAIR,
                          "{\"type\": \"hunt_crossley\", \"geometry\": [\"left\", \"right\", "
                          "\"floor\"], \"stiffness\": 1e5, "
                          "\"dissipation\": 1}"),
                  as_opensim4 != 0);
        put_a(&r, 0.09);
        r.state->u[first_of_a(&r) + 2] = -3; /* about z: the left one rises */
        rig_apply(&r);
        up[as_opensim4] = r.external[body_number(&r, "/bodyset/a")][4];
        rig_end(&r);
    }
    FB_TRUE(up[0] > 1, "the right one is pressed: %g", up[0]);
    FB_SAME(up[1], 0);
}

static void smooth_sphere_follows_its_formula(void) {
    rig r;
    rig_begin(&r,
              "\"contact_geometry\": [" FLOOR "," BALL(
                  "ball", "a", "0.2, 0, 0",
                  "0.1") "], \"contact_forces\": [{\"name\": \"h\", \"type\": "
                         "\"smooth_sphere_half_space\", "
                         "\"sphere\": \"ball\", \"half_space\": \"floor\", \"stiffness\": 1e6, "
                         "\"dissipation\": 2, \"static_friction\": 0.8, \"dynamic_friction\": 0.5, "
                         "\"viscous_friction\": 0.3, \"transition_velocity\": 0.2}]",
              true);
    int a = body_number(&r, "/bodyset/a");
    double d = 0.01, k = 0.5 * pow(1e6, 2.0 / 3), cf = 1e-5, bd = 300, bv = 50, c = 2, vn = 0.1;
    put_a(&r, 0.1 - d);
    r.state->u[first_of_a(&r) + 3] = 0.05;
    r.state->u[first_of_a(&r) + 4] = -vn;
    rig_apply(&r);
    double fh = 4.0 / 3 * k * sqrt(0.1 * k) * pow(sqrt(d * d + cf), 1.5) *
                (0.5 + 0.5 * tanh(bd * d));
    double f = fh * (1 + 1.5 * c * vn) * (0.5 + 0.5 * tanh(bv * (vn + 2 / (3 * c))));
    double slip = sqrt(0.05 * 0.05 + cf), v = slip / 0.2;
    double drag = f * (fmin(v, 1) * (0.5 + 2 * 0.3 / (1 + v * v)) + 0.3 * slip) * 0.05 / slip;
    FB_NEAR(r.external[a][4], f, 0, 1e-11);
    FB_NEAR(r.external[a][3], -drag, 0, 1e-10);
    FB_NEAR(r.external[a][2], 0.2 * f + -d / 2 * drag, 0, 1e-9);
    balances(&r, 0.3, 0.1);
    rig_end(&r);
}

/* ---- actuators ------------------------------------------------------------------------------- */

static int control_of(const rig *r, const char *path) {
    return fb_forces_control(r->forces, fb_test_find(r->model, path));
}

static void actuators_follow_their_controls(void) {
    rig r;
    rig_begin(
        &r,
        "\"actuators\": [{\"name\": \"c1\", \"type\": \"coordinate\", \"coordinate\": \"s\", "
        "\"optimal_force\": 50}, {\"name\": \"c2\", \"type\": \"activation_coordinate\", "
        "\"coordinate\": \"s\", \"optimal_force\": 8, \"activation_time_constant\": 0.02},"
        "{\"name\": \"off\", \"type\": \"coordinate\", \"coordinate\": \"s\", \"enabled\": false},"
        "{\"name\": \"p\", \"type\": \"path\", \"optimal_force\": 30, " ALONG_S "},"
        "{\"name\": \"k\", \"type\": \"mckibben\", \"number_of_turns\": 2, \"thread_length\": "
        "0.5, \"cord_length\": 0.1, " ALONG_S "},"
        "{\"name\": \"z\", \"type\": \"clutched_path_spring\", \"stiffness\": 100, "
        "\"dissipation\": 0.1, \"initial_stretch\": 0.2, \"relaxation_time_constant\": "
        "0.01, " ALONG_S "}]",
        true);
    int s = coordinate_s(&r), a = fb_forces_state(r.forces, fb_test_find(r.model, "/forceset/c2")),
        z = fb_forces_state(r.forces, fb_test_find(r.model, "/forceset/z"));
    double rates[2];
    FB_EQUAL_INT(fb_forces_controls(r.forces), 5);
    FB_EQUAL_INT(fb_forces_states(r.forces), 2);
    FB_EQUAL_INT(control_of(&r, "/forceset/off"), -1);
    FB_EQUAL_INT(fb_forces_state(r.forces, fb_test_find(r.model, "/forceset/c1")), -1);
    set_s(&r, 0.5, 2); /* all controls 0, activation 0.5 */
    FB_NEAR(r.tau[s], 4, 0, 1e-14);
    FB_SAME(r.tension[0] + r.tension[1] + r.tension[2], 0);
    r.controls[control_of(&r, "/forceset/c1")] = -0.3;
    r.controls[control_of(&r, "/forceset/c2")] = 0.9;
    r.controls[control_of(&r, "/forceset/p")] = 2;
    r.controls[control_of(&r, "/forceset/k")] = 1000;
    r.controls[control_of(&r, "/forceset/z")] = 1.5; /* counts as 1 */
    rig_apply(&r);
    FB_NEAR(r.tau[s], -15 + 4, 0, 1e-13);
    FB_NEAR(r.tension[0], 60, 0, 1e-14);
    FB_NEAR(r.tension[1], 1000 / (16 * M_PI) * (3 * 1.4 * 1.4 - 0.25), 0, 1e-12);
    FB_NEAR(r.tension[2], 100 * 0.2 * (1 + 0.1 * 2), 0, 1e-13);
    fb_forces_rates(r.forces, r.controls, NULL, r.speed, rates);
    FB_NEAR(rates[a], (0.9 - 0.5) / 0.02, 0, 1e-13);
    FB_NEAR(rates[z], 2, 0, 1e-13);
    fb_forces_rates(r.forces, NULL, NULL, r.speed, rates);
    FB_NEAR(rates[a], -0.5 / 0.02, 0, 1e-13);
    FB_NEAR(rates[z], -0.2 / 0.01, 0, 1e-13);
    double own[2] = {0};
    own[a] = 0.25;
    own[z] = -0.1; /* it pushes: not floored */
    memset(r.tau, 0, sizeof r.tau);
    memset(r.tension, 0, sizeof r.tension);
    fb_forces_apply(r.forces, r.state, 0, r.controls, own, r.length, r.speed, r.tension, r.external,
                    r.tau);
    FB_NEAR(r.tau[s], -15 + 2, 0, 1e-13);
    FB_NEAR(r.tension[2], -12, 0, 1e-13);
    rig_end(&r);
}

/* A control's force on each body, at a pose at random. */
static void begin_actuator(rig *r, const char *text, double *controls, int n) {
    unsigned long long seed = fb_test_seed();
    rig_begin(r, text, true);
    rig_random(r, &seed, 0.7, 1);
    FB_EQUAL_INT(fb_forces_controls(r->forces), n);
    memcpy(r->controls, controls, (size_t)n * sizeof *controls);
    rig_apply(r);
}

static void check_force(const rig *r, int body, const double *point, const double *force,
                        const double *torque) {
    double moment[3];
    fb_v3_cross(moment, point, force);
    for (int k = 0; k < 3; k++) {
        FB_NEAR(r->external[body][k], moment[k] + torque[k], 1e-12, 1e-12);
        FB_NEAR(r->external[body][3 + k], force[k], 1e-12, 1e-12);
    }
}

static void rotate(const rig *r, const char *frame, const double *v, double *ground) {
    double origin[3], tip[3];
    point_of(r, frame, 0, 0, 0, origin);
    point_of(r, frame, v[0], v[1], v[2], tip);
    fb_v3_sub(ground, tip, origin);
}

static void body_actuators_push(void) {
    static const double none[3] = {0, 0, 0}, d[3] = {0.6, 0, 0.8}, p[3] = {0.1, 0.2, 0.3};
    double controls[6] = {2, 0, 0, 0, 0, 0}, six[6] = {1, 2, 3, 4, 5, 6}, force[3], point[3], t[3];
    rig r; /* in the frame; the direction is made a unit vector */
    begin_actuator(&r,
                   "\"actuators\": [{\"name\": \"p\", \"type\": \"point\", \"body\": \"fa\", "
                   "\"point\": [0.1, 0.2, 0.3], \"direction\": [3, 0, 4], \"optimal_force\": 10}]",
                   controls, 1);
    rotate(&r, "/fa", d, force);
    fb_v3_scale(force, 20, force);
    point_of(&r, "/fa", 0.1, 0.2, 0.3, point);
    check_force(&r, body_number(&r, "/bodyset/a"), point, force, none);
    rig_end(&r);
    begin_actuator(&r,
                   "\"actuators\": [{\"name\": \"p\", \"type\": \"point\", \"body\": \"a\", "
                   "\"point\": [0.1, 0.2, 0.3], \"direction\": [3, 0, 4], \"optimal_force\": 10, "
                   "\"point_is_global\": true, \"force_is_global\": true}]",
                   controls, 1);
    fb_v3_scale(force, 20, d);
    check_force(&r, body_number(&r, "/bodyset/a"), p, force, none);
    rig_end(&r);
    begin_actuator(&r,
                   "\"actuators\": [{\"name\": \"p\", \"type\": \"torque\", \"body_a\": \"a\", "
                   "\"body_b\": \"b\", \"axis\": [3, 0, 4], \"torque_is_global\": false, "
                   "\"optimal_force\": 10}]",
                   controls, 1);
    rotate(&r, "/bodyset/a", d, t);
    fb_v3_scale(t, 20, t);
    check_force(&r, body_number(&r, "/bodyset/a"), none, none, t);
    fb_v3_scale(t, -1, t);
    check_force(&r, body_number(&r, "/bodyset/b"), none, none, t);
    rig_end(&r);
    begin_actuator(&r,
                   "\"actuators\": [{\"name\": \"p\", \"type\": \"body\", \"body\": \"b\", "
                   "\"point\": [0.1, 0.2, 0.3]}]",
                   six, 6);
    point_of(&r, "/bodyset/b", 0.1, 0.2, 0.3, point);
    check_force(&r, body_number(&r, "/bodyset/b"), point, six + 3, six);
    rig_end(&r);
    begin_actuator(&r,
                   "\"actuators\": [{\"name\": \"p\", \"type\": \"body\", \"body\": \"b\", "
                   "\"point\": [0.1, 0.2, 0.3], \"spatial_force_is_global\": false}]",
                   six, 6);
    rotate(&r, "/bodyset/b", six, t);
    rotate(&r, "/bodyset/b", six + 3, force);
    check_force(&r, body_number(&r, "/bodyset/b"), point, force, t);
    rig_end(&r);
}

static void point_to_point_actuators_push_apart(void) {
    static const double none[3] = {0, 0, 0};
    double controls[1] = {1.5}, a[3], b[3], force[3];
    rig r;
    begin_actuator(&r,
                   "\"actuators\": [{\"name\": \"p\", \"type\": \"point_to_point\", \"body_a\": "
                   "\"a\", \"body_b\": \"b\", \"point_a\": [0.1, 0.2, 0.3], \"point_b\": [0.5, "
                   "-0.3, 0.1], \"optimal_force\": 4}]",
                   controls, 1);
    point_of(&r, "/bodyset/a", 0.1, 0.2, 0.3, a);
    point_of(&r, "/bodyset/b", 0.5, -0.3, 0.1, b);
    fb_v3_sub(force, a, b);
    fb_v3_scale(force, 6 / fb_v3_norm(force), force);
    check_force(&r, body_number(&r, "/bodyset/a"), a, force, none);
    fb_v3_scale(force, -1, force);
    check_force(&r, body_number(&r, "/bodyset/b"), b, force, none);
    balances(&r, 1, 1);
    rig_end(&r);
}

/* ---- given forces ---------------------------------------------------------------------------- */

/* Three functions: c[0] t + c[1], a constant, a formula in t. */
#define THREE(KEY, A, B, C) \
    "\"" KEY "\": [{\"type\": \"polynomial\", \"coefficients\": [" A \
    "]}, {\"type\": \"constant\", \"value\": " B \
    "}, {\"type\": \"expression\", \"expression\": \"" C "\", \"variables\": [\"t\"]}]"
#define PUSH THREE("force_functions", "3, 0", "2", "exp(t)")
#define AT THREE("point_functions", "0.1, 0", "1", "t^2")
#define TURN THREE("torque_functions", "0.5, 0", "3", "-t")

static void prescribed_forces_follow_time(void) {
    double f[3] = {6, 2, exp(2)}, p[3] = {0.2, 1, 4}, t[3] = {1, 3, -2}, point[3], force[3],
           torque[3];
    rig r;
    rig_begin(&r,
              "\"forces\": [{\"name\": \"p\", \"type\": \"prescribed\", \"frame\": \"fb\", "
              "\"force_is_global\": false, " PUSH ", " AT ", " TURN "}, {\"name\": \"q\", "
              "\"type\": \"prescribed\", \"frame\": \"fa\", " PUSH "}]",
              true);
    unsigned long long seed = fb_test_seed();
    rig_random(&r, &seed, 0.7, 1);
    r.time = 2;
    rig_apply(&r);
    rotate(&r, "/fb", f, force);
    rotate(&r, "/fb", t, torque);
    point_of(&r, "/fb", p[0], p[1], p[2], point);
    check_force(&r, body_number(&r, "/bodyset/b"), point, force, torque);
    memset(torque, 0, sizeof torque);
    point_of(&r, "/fa", 0, 0, 0, point); /* no point: at the frame's origin, in ground axes */
    check_force(&r, body_number(&r, "/bodyset/a"), point, f, torque);
    rig_end(&r);
}

/* ---- what is left out ------------------------------------------------------------------------ */

static void disabled_forces_do_nothing(void) {
    rig r;
    rig_begin(
        &r,
        "\"springs\": [{\"name\": \"l\", \"type\": \"coordinate\", \"coordinate\": \"s\", "
        "\"stiffness\": 7, \"enabled\": false}], \"contact_forces\": [{\"name\": \"e\", "
        "\"type\": \"elastic_foundation\", \"enabled\": false}], \"kept\": [{\"name\": "
        "\"k\", \"component_path\": \"/forceset/k\", \"class\": \"Unheard\", \"xml\": \"<Unheard "
        "name='k'><appliesForce>false</appliesForce></Unheard>\"}]",
        true);
    FB_EQUAL_INT(r.forces->n_forces, 0);
    FB_EQUAL_INT(fb_forces_skipped(r.forces), 0);
    FB_NO_RECORD(&r.diag, FB2308);
    rig_end(&r);
}

static void forces_that_are_not_computed_are_told(void) {
    rig r;
    rig_begin(
        &r,
        "\"contact_geometry\": [" FLOOR "," BALL(
            "ball", "a", "0, 0, 0",
            "0.1") ", {\"name\": \"m\", \"type\": \"mesh\", \"frame\": \"a\", \"file\": "
                   "\"x.obj\"}],"
                   "\"contact_forces\": [{\"name\": \"e\", \"type\": \"elastic_foundation\"},"
                   "{\"name\": \"x\", \"type\": \"exponential\", \"station\": {\"frame\": \"a\"}},"
                   "{\"name\": \"h\", \"type\": \"hunt_crossley\", \"contact_parameters\": "
                   "[{\"type\": \"hunt_crossley\", \"geometry\": "
                   "[\"floor\", \"ball\", \"m\"], \"stiffness\": 1e5}]}],"
                   "\"forces\": [{\"name\": \"plate\", \"type\": \"external\", \"body\": \"a\"}],"
                   "\"kept\": [{\"name\": \"k\", \"component_path\": \"/forceset/k\", \"class\": "
                   "\"Unheard\", \"xml\": "
                   "\"<Unheard name='k'/>\"}, {\"name\": \"n\", \"component_path\": "
                   "\"/controllerset/n\", "
                   "\"class\": "
                   "\"Other\", \"xml\": \"<Other name='n'/>\"}]",
        true);
    FB_EQUAL_INT(fb_forces_skipped(r.forces), 5);
    FB_EQUAL_INT(r.diag.counts[FB_WARNING], 5);
    FB_RECORD(&r.diag, FB_WARNING, FB2308, -1);
    bool kept = false;
    for (size_t i = 0; i < r.diag.n; i++) {
        FB_EQUAL_INT(r.diag.records[i].id, FB2308);
        kept |= strstr(r.diag.records[i].message, "Unheard 'k'") != NULL;
    }
    FB_TRUE(kept, "the kept element is named by its class");
    FB_EQUAL_INT(r.forces->n_forces, 1);
    put_a(&r, 0.05); /* the floor and the ball still meet */
    rig_apply(&r);
    FB_TRUE(r.external[body_number(&r, "/bodyset/a")][4] > 1, "they push");
    rig_end(&r);
}

static void forces_with_bad_formulas_are_refused(void) {
    rig r;
    FB_TRUE(!rig_begin(&r,
                       "\"forces\": [{\"name\": \"e\", \"type\": \"expression_coordinate\", "
                       "\"coordinate\": \"s\", \"expression\": \"q + w\"}]",
                       true),
            "it is refused");
    const fb_record *record = FB_RECORD(&r.diag, FB_ERROR, FB2305, -1);
    FB_HOLDS(record ? record->message : "", "expression of ExpressionBasedCoordinateForce 'e'");
    rig_end(&r);
}

static void functions_can_be_formulas(void) {
    fb_diag diag;
    fb_function f;
    fb_arena arena;
    fb_model *model = fb_test_must(
        fb_test_fb("{\"fb\": \"1.0\",\n" RIG
                   ", \"ligaments\": [{\"name\": \"l\", \"type\": \"force_length\", "
                   "\"force_length_curve\": {\"type\": \"multiplier\", \"scale\": 2, "
                   "\"function\": {\"type\": \"expression\", \"expression\": \"x^2*y\", "
                   "\"variables\": [\"x\", \"y\"]}}}]}",
                   &diag, NULL),
        &diag);
    double x[3] = {3, 5, 7}, g[3], h[9];
    fb_arena_init(&arena);
    FB_EQUAL_INT(fb_function_compile(&f,
                                     fb_get_object(fb_test_find(model, "/forceset/l"),
                                                   "force_length_curve"),
                                     &arena, &diag),
                 FB_OK);
    FB_EQUAL_INT(f.dimension, 2);
    FB_SAME(fb_function_value_n(&f, 3, x, g, h), 90);
    FB_SAME(g[0], 60);
    FB_SAME(g[1], 18);
    FB_SAME(g[2], 0);
    FB_SAME(h[0], 20);
    FB_SAME(h[1], 12);
    FB_SAME(h[3], 12);
    FB_SAME(h[4], 0);
    FB_SAME(h[8], 0);
    FB_SAME(fb_function_value(&f, 3, g, NULL), 0); /* what is missing is 0 */
    fb_arena_clear(&arena);
    fb_model_free(model);
    fb_diag_clear(&diag);
}

/* Every file of the gallery that is a mechanism gives finite forces, twice the same. */
static void gallery_models_give_forces(void) {
    int n = 0;
    for (int i = 0; fb_test_glob("models/*/*.osim", i); i++) {
        const char *file = fb_test_glob("models/*/*.osim", i);
        size_t size;
        char *bytes = fb_test_read_file(file, &size);
        rig r;
        memset(&r, 0, sizeof r);
        fb_diag_init(&r.diag);
        fb_system_options options = {true};
        if (fb_osim_read(&r.model, bytes, size, file, NULL, &r.diag) == FB_OK &&
            fb_system_compile(&r.system, r.model, &options, &r.diag) == FB_OK &&
            fb_paths_compile(&r.paths, r.system, true, &r.diag) == FB_OK) {
            FB_EQUAL_INT(fb_forces_compile(&r.forces, r.system, r.paths, true, &r.diag), FB_OK);
        }
        if (r.forces) {
            size_t nq = (size_t)r.system->n_q + 1, nb = (size_t)r.system->n_body,
                   np = (size_t)r.paths->n_paths + 1;
            double *tau = calloc(2 * nq, sizeof *tau), *paths = calloc(4 * np, sizeof *paths);
            double(*external)[6] = calloc(2 * nb, sizeof *external);
            r.state = fb_state_new(r.system);
            fb_state_position(r.state);
            fb_state_velocity(r.state);
            for (size_t k = 0; k < 2; k++) {
                fb_forces_apply(r.forces, r.state, 0, NULL, NULL, paths, paths + np,
                                paths + (2 + k) * np, external + k * nb, tau + k * nq);
            }
            FB_TRUE(memcmp(tau, tau + nq, nq * sizeof *tau) == 0, "%s: the same again", file);
            FB_TRUE(memcmp(external, external + nb, nb * sizeof *external) == 0, "%s", file);
            n += r.forces->n_forces;
            free(tau);
            free(paths);
            free(external);
        }
        rig_end(&r);
    }
    FB_TRUE(n > 20, "%d forces", n);
}

static const fb_test tests[] = {
    FB_TEST(formulas_have_known_values),
    FB_TEST(formulas_have_definitions),
    FB_TEST(bad_formulas_are_refused),
    FB_TEST(formulas_have_derivatives),
    FB_TEST(functions_can_be_formulas),
    FB_TEST(limits_act_beyond_them),
    FB_TEST(limits_store_energy),
    FB_TEST(coordinate_springs_follow_their_formula),
    FB_TEST(exponential_forces_follow_their_formula),
    FB_TEST(expression_forces_follow_their_formula),
    FB_TEST(path_springs_follow_their_formula),
    FB_TEST(ligaments_follow_their_curve),
    FB_TEST(blankevoort_ligaments_follow_their_formula),
    FB_TEST(blankevoort_ligaments_store_energy),
    FB_TEST(path_expressions_clamp_their_stretch),
    FB_TEST(point_springs_store_energy_and_balance),
    FB_TEST(point_expressions_attract),
    FB_TEST(bushings_store_energy_and_balance),
    FB_TEST(bushings_dissipate),
    FB_TEST(coupled_bushings_use_their_matrix),
    FB_TEST(bushings_of_functions_and_formulas),
    FB_TEST(sphere_meets_floor),
    FB_TEST(contacts_store_energy),
    FB_TEST(opensim_stops_at_a_parting_contact),
    FB_TEST(smooth_sphere_follows_its_formula),
    FB_TEST(actuators_follow_their_controls),
    FB_TEST(body_actuators_push),
    FB_TEST(point_to_point_actuators_push_apart),
    FB_TEST(prescribed_forces_follow_time),
    FB_TEST(disabled_forces_do_nothing),
    FB_TEST(forces_that_are_not_computed_are_told),
    FB_TEST(forces_with_bad_formulas_are_refused),
    FB_TEST(gallery_models_give_forces),
    FB_TEST_END,
};

int main(int argc, char **argv) {
    return fb_test_main("force", tests, argc, argv);
}
