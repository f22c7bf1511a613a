/* Forces against their formulas worked by hand, against the derivative of their energy, and for
 * balance; formulas against known numbers. */
#include "libcore/base/number.h"
#include "tests/muscle/rig.h"

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

#define BETWEEN \
    "\"path\": {\"points\": [{\"frame\": \"fa\", \"location\": [0.1, 0, 0.2]}, {\"frame\": " \
    "\"ground\", \"location\": [0.1, 0.5, 0]}, {\"frame\": \"fb\", \"location\": [0, 0.3, 0]}]}"

static void path_springs_follow_their_formula(void) {
    for (int as_opensim4 = 0; as_opensim4 < 2; as_opensim4++) {
        rig r;
        rig_begin(&r,
                  "\"springs\": [{\"name\": \"p\", \"type\": \"path\", \"resting_length\": "
                  "1.2, \"stiffness\": 500, \"dissipation\": 0.4, " ALONG_S "}]",
                  as_opensim4 == 1);
        set_s(&r, 0.5, 2);
        FB_NEAR(r.tension[0], 500 * 0.3 * (1 + 0.4 * 2), 0, 1e-13);
        set_s(&r, 0.5, -3); /* it does not push, but in OpenSim */
        FB_NEAR(r.tension[0], as_opensim4 ? 500 * 0.3 * (1 - 0.4 * 3) : 0, 0, 1e-12);
        set_s(&r, 0.1, 2);
        FB_SAME(r.tension[0], 0);
        rig_end(&r);
    }
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

static void forces_that_divide_by_zero_are_left_out(void) {
    static const char *const lists[] = {
        "\"ligaments\": [{\"name\": \"l\", \"type\": \"force_length\", " ALONG_S "}]",
        "\"ligaments\": [{\"name\": \"l\", \"type\": \"Blankevoort1991\", " ALONG_S "}]",
        "\"actuators\": [{\"name\": \"l\", \"type\": \"mckibben\", \"number_of_turns\": 0, " ALONG_S
        "}]"};
    for (int i = 0; i < 3; i++) {
        rig r;
        rig_begin(&r, lists[i], i == 1);
        FB_EQUAL_INT(r.forces->n_forces, 0);
        FB_EQUAL_INT(r.forces->n_skipped, 1);
        FB_EQUAL_INT((int)r.diag.n, 1);
        FB_HOLDS(r.diag.n ? r.diag.records[0].message : "", "'l': its ");
        rig_end(&r);
    }
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
    rig_begin(&r, SPRING, false);
    conserves(&r, spring_energy, 0.8, 5, 1e-6);
    balances(&r, 1, 1);
    const double *f = r.external[body_number(&r, "/bodyset/a")] + 3;
    FB_NEAR(fb_v3_norm(f), 30 * fabs(point_distance(&r) - 0.4), 0, 1e-12);
    rig_end(&r);
}

/* OpenSim 4.5.2 hands the points to Simbody as points of the bodies. */
static void as_opensim4_points_leave_out_offset_frames(void) {
    static const char *const lists[] = {
        SPRING,
        "\"forces\": [{\"name\": \"p\", \"type\": \"expression_point_to_point\", \"body1\": "
        "\"fa\", \"body2\": \"fb\", \"point1\": [0.1, 0.2, 0.3], \"point2\": [0.5, -0.3, "
        "0.1], \"expression\": \"30*(d - 0.4)\"}]"};
    for (int i = 0; i < 2; i++) {
        rig r;
        unsigned long long seed = fb_test_seed();
        double p1[3], p2[3];
        rig_begin(&r, lists[i], true);
        rig_random(&r, &seed, 0.8, 1);
        rig_apply(&r);
        point_of(&r, "/bodyset/a", 0.1, 0.2, 0.3, p1);
        point_of(&r, "/bodyset/b", 0.5, -0.3, 0.1, p2);
        const double *f = r.external[body_number(&r, "/bodyset/a")] + 3;
        FB_NEAR(fb_v3_norm(f), 30 * fabs(fb_v3_distance(p1, p2) - 0.4), 0, 1e-12);
        FB_TRUE(fabs(fb_v3_distance(p1, p2) - point_distance(&r)) > 1e-3, "frames matter");
        rig_end(&r);
    }
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
              false);
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
    FB_EQUAL_INT(r.forces->n_skipped, 0);
    FB_NO_RECORD(&r.diag, FB2308);
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
            FB_EQUAL_INT(fb_forces_compile(&r.forces, r.system, r.paths, true, NULL, &r.diag),
                         FB_OK);
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
    FB_TEST(forces_that_divide_by_zero_are_left_out),
    FB_TEST(point_springs_store_energy_and_balance),
    FB_TEST(as_opensim4_points_leave_out_offset_frames),
    FB_TEST(point_expressions_attract),
    FB_TEST(bushings_store_energy_and_balance),
    FB_TEST(bushings_dissipate),
    FB_TEST(coupled_bushings_use_their_matrix),
    FB_TEST(bushings_of_functions_and_formulas),
    FB_TEST(disabled_forces_do_nothing),
    FB_TEST(forces_with_bad_formulas_are_refused),
    FB_TEST(gallery_models_give_forces),
    FB_TEST_END,
};

int main(int argc, char **argv) {
    return fb_test_main("force", tests, argc, argv);
}
