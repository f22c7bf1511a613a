/* Functions of every class against known numbers, and their derivatives against differences. */
#include "libcore/motion/function.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/help.h"

/* ---- a rig ----------------------------------------------------------------------------------- */

/* A compiled function, and what it lives in. */
typedef struct rig {
    fb_model *model;
    fb_arena arena;
    fb_diag diag;
    fb_function f;
    fb_status status;
} rig;

/* From the text of the function in .fb, with ' for ". The model has it as a ligament's curve. */
static rig begin(const char *function) {
    rig r = {.status = FB_E_INPUT};
    size_t n = strlen(function) + 200;
    char *text = malloc(n);
    snprintf(text, n,
             "{'fb': '1.0', 'ligaments': [{'name': 'l', 'type': 'force_length',\n"
             "'force_length_curve': %s}]}",
             function);
    fb_test_quotes(text);
    r.model = fb_test_must(fb_test_fb(text, &r.diag, NULL), &r.diag);
    free(text);
    fb_arena_init(&r.arena);
    const fb_element *curve = fb_get_object(fb_test_find(r.model, "/forceset/l"),
                                            "force_length_curve");
    if (FB_TRUE(curve != NULL, "%s", function)) {
        r.status = fb_function_compile(&r.f, curve, &r.arena, &r.diag);
    }
    return r;
}

static void end(rig *r) {
    fb_arena_clear(&r->arena);
    fb_model_free(r->model);
    fb_diag_clear(&r->diag);
}

typedef struct sample {
    double x, value, d1, d2; /* nan: unknown */
} sample;

static void check_samples(const char *function, const sample *samples, int n, double tolerance) {
    rig r = begin(function);
    FB_EQUAL_INT(r.status, FB_OK);
    for (int i = 0; r.status == FB_OK && i < n; i++) {
        double d1, d2;
        FB_NEAR(fb_function_value(&r.f, samples[i].x, &d1, &d2), samples[i].value, tolerance,
                tolerance);
        if (!isnan(samples[i].d1)) {
            FB_NEAR(d1, samples[i].d1, tolerance, tolerance);
        }
        if (!isnan(samples[i].d2)) {
            FB_NEAR(d2, samples[i].d2, tolerance, tolerance);
        }
        FB_SAME(fb_function_value(&r.f, samples[i].x, NULL, NULL),
                fb_function_value(&r.f, samples[i].x, &d1, NULL));
    }
    end(&r);
}

#define CHECK(FUNCTION, TOLERANCE, ...) \
    do { \
        const sample samples[] = {__VA_ARGS__}; \
        check_samples(FUNCTION, samples, sizeof samples / sizeof samples[0], TOLERANCE); \
    } while (0)

/* Both derivatives by central differences, at random places of an interval. */
static void check_derivatives(const char *function, double low, double high) {
    rig r = begin(function);
    unsigned long long seed = fb_test_seed();
    FB_EQUAL_INT(r.status, FB_OK);
    for (int i = 0; r.status == FB_OK && i < 200; i++) {
        double x = low + (high - low) * (double)(fb_random(&seed) % 100003) / 100003, h = 1e-5;
        double d1, d2, up, down;
        double y = fb_function_value(&r.f, x, &d1, &d2);
        double more = fb_function_value(&r.f, x + h, &up, NULL),
               less = fb_function_value(&r.f, x - h, &down, NULL);
        FB_NEAR(d1, (more - less) / (2 * h), 1e-7 * (1 + fabs(y)), 1e-6);
        FB_NEAR(d2, (up - down) / (2 * h), 1e-4 * (1 + fabs(d1)), 1e-4);
    }
    end(&r);
}

/* ---- formulas -------------------------------------------------------------------------------- */

static void simple_functions(void) {
    CHECK("{'type': 'constant', 'value': -3.5}", 0, {-7, -3.5, 0, 0}, {12, -3.5, 0, 0});
    CHECK("{'type': 'linear', 'coefficients': [2, -1]}", 0, {3, 5, 2, 0}, {-3, -7, 2, 0});
    CHECK("{'type': 'polynomial', 'coefficients': [1, 2, 3]}", 0, {2, 11, 6, 2}, {0, 3, 2, 2});
    CHECK("{'type': 'polynomial', 'coefficients': [7]}", 0, {2, 7, 0, 0});
    CHECK("{'type': 'sine', 'amplitude': 2, 'angular_frequency': 3, 'phase': 0.5, 'offset': 1}",
          1e-15, {0.4, 1 + 2 * sin(1.7), 6 * cos(1.7), -18 * sin(1.7)});
    CHECK("{'type': 'sine'}", 1e-15, {0.4, sin(0.4), cos(0.4), -sin(0.4)});
}

static void smooth_steps(void) {
    CHECK("{'type': 'step', 'start_time': 0, 'end_time': 1, 'start_value': 2, 'end_value': 4}",
          1e-14, {0.25, 2.20703125, NAN, NAN}, {0.9, 3.98288, NAN, NAN}, {-1, 2, 0, 0},
          {2, 4, 0, 0}, {0.5, 3, 2 * 30 * 0.0625, 0});
    CHECK("{'type': 'step', 'start_time': 1, 'end_time': 0, 'start_value': 2, 'end_value': 4}",
          1e-14, {0.75, 2.20703125, NAN, NAN}, {2, 2, 0, 0}, {-1, 4, 0, 0});
    check_derivatives("{'type': 'step', 'start_time': -0.3, 'end_time': 1.2, 'start_value': 2, "
                      "'end_value': -4}",
                      -1, 2);
    check_derivatives("{'type': 'step', 'start_time': 1.2, 'end_time': -0.3}", -1, 2);
}

static void multipliers(void) {
    CHECK("{'type': 'multiplier', 'scale': 3, 'function': {'type': 'multiplier', 'scale': -2, "
          "'function': {'type': 'polynomial', 'coefficients': [1, 2, 3]}}}",
          0, {2, -66, -36, -12});
    CHECK("{'type': 'multiplier', 'scale': 2, 'function': {'type': 'piecewise_constant', 'x': [0, "
          "1], 'y': [3, 4]}}",
          0, {0.5, 6, 0, 0});
    CHECK("{'type': 'multiplier', 'scale': 3}", 0, {2, 0, 0, 0});
}

static void derivatives_of_formulas(void) {
    check_derivatives("{'type': 'polynomial', 'coefficients': [1, -2, 3, 0.5, -1]}", -2, 2);
    check_derivatives("{'type': 'sine', 'amplitude': 2, 'angular_frequency': 3, 'phase': 0.5}", -2,
                      2);
    check_derivatives("{'type': 'multivariate_polynomial', 'dimension': 1, 'order': 3, "
                      "'coefficients': [1, -2, 0.5, 0.7]}",
                      -2, 2);
    check_derivatives("{'type': 'multiplier', 'scale': -0.7, 'function': {'type': 'expression', "
                      "'expression': 'exp(-x)*sin(3*x) + x^3', 'variables': ['x']}}",
                      -2, 2);
}

/* ---- several arguments ----------------------------------------------------------------------- */

/* Gradient and Hessian by central differences, at random places. */
static void check_gradient(const char *function, int n) {
    rig r = begin(function);
    unsigned long long seed = fb_test_seed();
    FB_EQUAL_INT(r.status, FB_OK);
    FB_EQUAL_INT(r.f.dimension, n);
    for (int round = 0; r.status == FB_OK && round < 30; round++) {
        double x[FB_MAX_ARGUMENTS], g[FB_MAX_ARGUMENTS], H[FB_MAX_ARGUMENTS * FB_MAX_ARGUMENTS],
            up[FB_MAX_ARGUMENTS], down[FB_MAX_ARGUMENTS], h = 1e-5;
        for (int i = 0; i < n; i++) {
            x[i] = (double)(fb_random(&seed) % 4001) / 2000 - 1;
        }
        double y = fb_function_value_n(&r.f, n, x, g, H);
        FB_SAME(fb_function_value_n(&r.f, n, x, NULL, NULL), y);
        for (int i = 0; i < n; i++) {
            double at = x[i];
            x[i] = at + h;
            double more = fb_function_value_n(&r.f, n, x, up, NULL);
            x[i] = at - h;
            double less = fb_function_value_n(&r.f, n, x, down, NULL);
            x[i] = at;
            FB_NEAR(g[i], (more - less) / (2 * h), 1e-8 * (1 + fabs(y)), 1e-7);
            for (int j = 0; j < n; j++) {
                FB_NEAR(H[i * n + j], (up[j] - down[j]) / (2 * h), 1e-7, 1e-7);
                FB_NEAR(H[i * n + j], H[j * n + i], 1e-14, 1e-14);
            }
        }
    }
    end(&r);
}

static void multivariate_polynomials(void) {
    rig r = begin("{'type': 'multivariate_polynomial', 'dimension': 2, 'order': 2, "
                  "'coefficients': [1, 2, 3, 4, 5, 6]}");
    double at[2] = {0.5, 2}, g[2], H[4];
    FB_EQUAL_INT(r.status, FB_OK);
    FB_SAME(fb_function_value_n(&r.f, 2, at, g, H), 25.5);
    FB_SAME(g[0], 4 + 5 * 2 + 12 * 0.5); /* of 1 + 2y + 3y^2 + 4x + 5xy + 6x^2 */
    FB_SAME(g[1], 2 + 6 * 2 + 5 * 0.5);
    FB_SAME(H[0], 12);
    FB_SAME(H[1], 5);
    FB_SAME(H[3], 6);
    end(&r);
    r = begin("{'type': 'multivariate_polynomial', 'dimension': 3, 'order': 1, "
              "'coefficients': [1, 10, 100, 1000]}");
    double xyz[3] = {2, 3, 4};
    FB_SAME(fb_function_value_n(&r.f, 3, xyz, NULL, NULL), 1 + 40 + 300 + 2000); /* 1, z, y, x */
    end(&r);
    check_gradient("{'type': 'multivariate_polynomial', 'dimension': 2, 'order': 3, "
                   "'coefficients': [1, 2, -3, 4, 5, 0.6, 0.7, -0.8, 0.9, 1]}",
                   2);
    check_gradient("{'type': 'multiplier', 'scale': -2, 'function': {'type': "
                   "'multivariate_polynomial', 'dimension': 3, 'order': 2, 'coefficients': [1, 2, "
                   "-3, 4, 5, 0.6, 0.7, -0.8, 0.9, 1]}}",
                   3);
}

static void expressions(void) {
    check_gradient("{'type': 'expression', 'expression': 'x*exp(y)/(2+z^2) + sin(x*z)', "
                   "'variables': ['x', 'y', 'z']}",
                   3);
    check_gradient("{'type': 'multiplier', 'scale': 3, 'function': {'type': 'expression', "
                   "'expression': 'sqrt(2+x)*w; w=square(y)-x', 'variables': ['x', 'y']}}",
                   2);
}

/* ---- tables ---------------------------------------------------------------------------------- */

static void piecewise_linear(void) {
    static const char table[] = "{'type': 'piecewise_linear', 'x': [0, 1, 3], 'y': [0, 2, -2]}";
    CHECK(table, 1e-15, {0.5, 1, 2, 0}, {2, 0, -2, 0}, {-1, -2, 2, 0}, {5, -6, -2, 0},
          {0, 0, NAN, 0}, {1, 2, NAN, 0}, {3, -2, NAN, 0});
}

static void piecewise_constant(void) {
    CHECK("{'type': 'piecewise_constant', 'x': [0, 1, 2, 3, 4], 'y': [0, 1, 2, 3, 4]}", 0,
          {-1, 0, 0, 0}, {0, 0, 0, 0}, {0.5, 0, 0, 0}, {1, 1, 0, 0}, {1.5, 1, 0, 0}, {2, 2, 0, 0},
          {3, 2, 0, 0}, {3.5, 3, 0, 0}, {4, 4, 0, 0}, {9, 4, 0, 0});
    CHECK("{'type': 'piecewise_constant', 'x': [0, 1, 2, 3, 4, 5, 6, 7], 'y': [0, 1, 2, 3, 4, 5, "
          "6, 7]}",
          0, {3, 2, 0, 0}, {5, 4, 0, 0}, {6.5, 6, 0, 0});
    CHECK("{'type': 'piecewise_constant', 'x': [2], 'y': [5]}", 0, {1, 5, 0, 0}, {2, 5, 0, 0},
          {3, 5, 0, 0});
}

/* A knee's forward shift over its flexion (G. Yamaguchi, F. Zajac 1989), with values by OpenSim. */
#define KNEE \
    "{'type': 'simm_spline', 'x': [-2.0944, -1.74533, -1.39626, -1.0472, -0.698132, -0.349066, " \
    "-0.174533, 0.197344, 0.337395, 0.490178, 1.52146, 2.0944], 'y': [-0.0032, 0.00179, 0.00411, " \
    "0.0041, 0.00212, -0.001, -0.0031, -0.005227, -0.005435, -0.005574, -0.005435, -0.00525]}"

static void simm_splines(void) {
    CHECK(KNEE, 2e-9, {-1.5, .003675447, NAN, NAN}, {-1, .003925269, NAN, NAN},
          {-.5, .000549331, NAN, NAN}, {0, -.004499857, NAN, NAN}, {.1, -.004955540, NAN, NAN},
          {-2.2, -.005149973, NAN, 0}, {2.2, -.005251428, NAN, 0}, {-1.39626, .00411, NAN, NAN});
    check_derivatives(KNEE, -2.5, 2.5);
    /* through four points and more it is the cubic that they lie on, straight outside */
    CHECK("{'type': 'simm_spline', 'x': [-1, 0, 0.5, 2, 3], 'y': [-1, 0, 0.125, 8, 27]}", 1e-13,
          {-0.5, -0.125, 0.75, -3}, {1, 1, 3, 6}, {2.5, 15.625, 18.75, 15}, {4, 54, 27, 0},
          {-2, -4, 3, 0});
    /* two points: a line */
    CHECK("{'type': 'simm_spline', 'x': [1, 3], 'y': [2, 3]}", 1e-15, {2, 2.5, 0.5, 0},
          {7, 5, 0.5, 0}, {0, 1.5, 0.5, 0});
}

#define GCV(ORDER) \
    "{'type': 'gcv_spline', 'half_order': " #ORDER \
    ", 'x': [0, 1, 2, 3.5, 4, 5, 6.2], 'y': [0, 0.8, 0.9, 0.1, -0.5, -1, 0]}"

static void gcv_splines(void) {
    CHECK(GCV(1), 1e-13, {-1, 0, 0, 0}, {0.5, 0.4, 0.8, 0}, {2.75, 0.5, -0.8 / 1.5, 0},
          {7, 0, 0, 0});
    CHECK(GCV(2), 1e-11, {-2, -1.92902699309, .964513496547, 0},
          {.5, .461692561205, .841128374137, -.493540489642},
          {3, .538569435726, -.661642603055, -.774798074911}, {8, 2.06897175141, 1.14942875078, 0});
    CHECK(GCV(3), 1e-11, {-2, -4.45186624208, 3.18328694973, -.957353828686},
          {.5, .514935968279, .793057884883, -.932109773717},
          {3, .581331569555, -.718139920015, -1.02944352889},
          {8, 4.39843058188, 3.40385180073, 1.06697695027});
    static const char *const all[4] = {
        GCV(1), GCV(2), GCV(3),
        "{'type': 'gcv_spline', 'half_order': 4, 'x': [0, 1, 2, 3.5, 4, 5, 6.2, 7], 'y': [0, 0.8, "
        "0.9, 0.1, -0.5, -1, 0, 0.3]}"};
    static const double x[7] = {0, 1, 2, 3.5, 4, 5, 6.2}, y[7] = {0, .8, .9, .1, -.5, -1, 0};
    for (int m = 1; m <= 4; m++) {
        rig r = begin(all[m - 1]);
        FB_EQUAL_INT(r.f.degree, 2 * m - 1);
        for (int i = 0; r.status == FB_OK && i < 7; i++) { /* through the points, without a kink */
            double before1, before2, after1, after2, h = 1e-9;
            FB_NEAR(fb_function_value(&r.f, x[i], NULL, NULL), y[i], 1e-11, 0);
            fb_function_value(&r.f, x[i] - h, &before1, &before2);
            fb_function_value(&r.f, x[i] + h, &after1, &after2);
            if (m > 1) {
                FB_NEAR(before1, after1, 1e-7, 0);
                FB_NEAR(before2, after2, 1e-6, 0);
            }
        }
        end(&r);
        if (m > 1) {
            check_derivatives(all[m - 1], -1, 7);
        }
    }
    /* outside: a polynomial of degree m - 1; its m-th difference is 0 */
    rig r = begin(all[3]);
    double d[5];
    for (int i = 0; i < 5; i++) {
        d[i] = fb_function_value(&r.f, 7 + i, NULL, NULL);
    }
    FB_NEAR(d[4] - 4 * d[3] + 6 * d[2] - 4 * d[1] + d[0], 0, 1e-10, 0);
    end(&r);
}

static void quintic_spline_of_many_points(void) {
    enum { N = 60 };
    static char text[6000];
    size_t n = 0;
    n += (size_t)snprintf(text, sizeof text, "{'type': 'gcv_spline', 'half_order': 3, 'x': [0");
    for (int i = 1; i < N; i++) {
        n += (size_t)snprintf(text + n, sizeof text - n, ", %.17g", 0.1 * i);
    }
    n += (size_t)snprintf(text + n, sizeof text - n, "], 'y': [0");
    for (int i = 1; i < N; i++) {
        n += (size_t)snprintf(text + n, sizeof text - n, ", %.17g", sin(0.1 * i));
    }
    snprintf(text + n, sizeof text - n, "]}");
    rig r = begin(text);
    FB_EQUAL_INT(r.status, FB_OK);
    for (double x = 1.23; x < 4.5 && r.status == FB_OK; x += 0.171) {
        double d1, d2;
        FB_NEAR(fb_function_value(&r.f, x, &d1, &d2), sin(x), 1e-8, 0);
        FB_NEAR(d1, cos(x), 1e-6, 0);
        FB_NEAR(d2, -sin(x), 1e-4, 0);
    }
    end(&r);
}

/* ---- what is refused ------------------------------------------------------------------------- */

static void bad_functions_are_refused(void) {
    static const char *const bad[] = {
        "{'type': 'polynomial', 'coefficients': []}",
        "{'type': 'simm_spline', 'x': [1], 'y': [2]}",
        "{'type': 'simm_spline', 'x': [1, 2, 3], 'y': [2, 3]}",
        "{'type': 'simm_spline', 'x': [1, 3, 2], 'y': [2, 3, 4]}",
        "{'type': 'piecewise_linear', 'x': [], 'y': []}",
        "{'type': 'gcv_spline', 'half_order': 3, 'x': [1, 2, 3, 4, 5], 'y': [1, 2, 3, 4, 5]}",
        "{'type': 'gcv_spline', 'half_order': 2, 'x': [1, 2, 2, 4], 'y': [1, 2, 3, 4]}",
        "{'type': 'gcv_spline', 'half_order': 5, 'x': [1, 2], 'y': [1, 2]}",
        "{'type': 'gcv_spline', 'half_order': 0, 'x': [1, 2], 'y': [1, 2]}",
        "{'type': 'gcv_spline', 'half_order': 1, 'error_variance': 0.1, 'x': [1, 2], 'y': [1, 2]}",
        "{'type': 'multivariate_polynomial', 'dimension': 2, 'order': 2, 'coefficients': [1, 2]}",
        "{'type': 'multivariate_polynomial', 'dimension': 9, 'order': 0, 'coefficients': [1]}",
        "{'type': 'step', 'start_time': 1, 'end_time': 1}",
        "{'type': 'expression', 'expression': 'x+', 'variables': ['x']}",
        "{'type': 'expression', 'expression': 'x+y', 'variables': ['x']}",
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        rig r = begin(bad[i]);
        FB_TRUE(r.status == FB_E_INPUT, "%s", bad[i]);
        FB_RECORD(&r.diag, FB_ERROR, FB2305, -1);
        end(&r);
    }
}

static void no_function_is_zero(void) {
    fb_function f;
    fb_arena arena;
    fb_diag diag;
    double d1, d2;
    fb_diag_init(&diag);
    fb_arena_init(&arena);
    FB_EQUAL_INT(fb_function_compile(&f, NULL, &arena, &diag), FB_OK);
    FB_SAME(fb_function_value(&f, 3, &d1, &d2), 0);
    FB_SAME(d1, 0);
    FB_SAME(d2, 0);
    static const double x[5] = {0, 1, 2, 3, 4}, y[5] = {0, 1, 8, 27, 64};
    fb_function_simm_spline(&f, x, y, 5, &arena);
    FB_NEAR(fb_function_value(&f, 2.5, &d1, &d2), 15.625, 1e-13, 0);
    FB_NEAR(d1, 18.75, 1e-13, 0);
    FB_NEAR(d2, 15, 1e-12, 0);
    fb_arena_clear(&arena);
    fb_diag_clear(&diag);
}

/* Through its points, smooth inside, straight (or level) beyond; a gcv_spline of the same points,
 * which is solved another way, is the same. */
static void series_are_natural_splines(void) {
    enum { N = 9 };
    double x[N], y[2 * N], d1, d2;
    unsigned long long seed = fb_test_seed();
    char text[1500], xs[400] = "", ys[400] = "";
    for (int i = 0; i < N; i++) {
        x[i] = (i ? x[i - 1] : -1) + 0.1 + (double)(fb_random(&seed) % 1000) / 1000;
        y[2 * i] = (double)(fb_random(&seed) % 2001) / 1000 - 1;
        y[2 * i + 1] = 7;
        snprintf(xs + strlen(xs), sizeof xs - strlen(xs), "%s%.17g", i ? "," : "", x[i]);
        snprintf(ys + strlen(ys), sizeof ys - strlen(ys), "%s%.17g", i ? "," : "", y[2 * i]);
    }
    for (int degree = 1; degree <= 5; degree += 2) {
        fb_arena arena;
        fb_function f;
        fb_arena_init(&arena);
        snprintf(text, sizeof text,
                 "{'type': 'gcv_spline', 'half_order': %d, 'x': [%s], 'y': [%s]}", (degree + 1) / 2,
                 xs, ys);
        rig r = begin(text);
        FB_TRUE(fb_function_series(&f, degree, x, y, 2, N, &arena), "degree %d", degree);
        for (int i = 0; i < N; i++) {
            FB_NEAR(fb_function_value(&f, x[i], NULL, NULL), y[2 * i], 1e-9, 0);
        }
        for (int i = 0; i < 200; i++) {
            double at = x[0] - 1 + (x[N - 1] - x[0] + 2) * i / 200, want1, want2;
            double want = fb_function_value(&r.f, at, &want1, &want2);
            FB_NEAR(fb_function_value(&f, at, &d1, &d2), want, 1e-8, 1e-8);
            FB_NEAR(d1, want1, 1e-7, 1e-7);
        }
        end(&r);
        fb_arena_clear(&arena);
    }
    fb_arena arena;
    fb_function f;
    fb_arena_init(&arena);
    FB_TRUE(fb_function_series(&f, 0, x, y, 2, N, &arena), "steps");
    FB_SAME(fb_function_value(&f, x[3] + 0.01, NULL, NULL), y[6]);
    FB_SAME(fb_function_value(&f, x[N - 1] + 9, NULL, NULL), y[2 * N - 2]);
    FB_TRUE(!fb_function_series(&f, 3, x, y, 1, 3, &arena), "too few");
    FB_TRUE(!fb_function_series(&f, 2, x, y, 1, N, &arena), "an even degree");
    x[4] = x[3];
    FB_TRUE(!fb_function_series(&f, 3, x, y, 1, N, &arena), "it does not rise");
    fb_arena_clear(&arena);
}

/* Muscles' curves given as functions: numbers of OpenSim's documentation of each, worked out with
 * the published formulas; derivatives against differences. */
static void curves_of_muscles(void) {
    static const struct {
        const char *type;
        double x, y, low, high;
    } all[] = {
        {"'active_force_length'", 1, 1, 0.5, 1.75},
        {"'force_velocity'", 0, 1, -0.95, 0.95},
        {"'force_velocity_inverse'", 1, 0, 0.05, 1.35},
        {"'fiber_force_length', 'strain_at_max_isometric_force': 0.6", 1.6, 1, 1.02, 1.7},
        {"'tendon_force_length'", 1.049, 1, 1.002, 1.06},
        {"'fiber_compressive_force_length'", 0.05, .80348173189, -0.05, 0.55},
        {"'fiber_compressive_force_cos_pennation'", 0.02, .694204711916, 0.001, 0.1},
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        char text[200];
        snprintf(text, sizeof text, "{'type': 'multiplier', 'scale': 3, 'function': {'type': %s}}",
                 all[i].type);
        rig r = begin(text);
        FB_EQUAL_INT(r.status, FB_OK);
        FB_NEAR(fb_function_value(&r.f, all[i].x, NULL, NULL), 3 * all[i].y, 3e-9, 0);
        const double range = all[i].high - all[i].low, h = 1e-4 * range;
        double most = 0;
        for (int k = 0; k <= 40; k++) {
            double x = all[i].low + range * (k + 0.37) / 42, y[3], d1[3], d2;
            for (int j = 0; j < 3; j++) {
                y[j] = fb_function_value(&r.f, x + (j - 1) * h, &d1[j], j == 1 ? &d2 : NULL);
            }
            FB_NEAR(d1[1], (y[2] - y[0]) / (2 * h), 2e-5 * (1 + fabs(d1[1])), 1e-4);
            most = fmax(most, fabs(d2));
            FB_NEAR(d2, (d1[2] - d1[0]) / (2 * h), 2e-3 * (1 + fmax(most, fabs(d2))), 0);
        }
        FB_TRUE(most > 0, "%s bends", all[i].type);
        end(&r);
    }
    /* the inverse is the inverse of the curve with the same parameters */
    rig f = begin("{'type': 'force_velocity', 'concentric_slope_at_max_velocity': 0.1, "
                  "'eccentric_slope_at_max_velocity': 0.1}"),
        inverse = begin("{'type': 'force_velocity_inverse'}");
    for (double v = -1.2; v < 1.2; v += 0.1) {
        double force = fb_function_value(&f.f, v, NULL, NULL);
        FB_NEAR(fb_function_value(&inverse.f, force, NULL, NULL), v, 1e-6, 0);
    }
    end(&f);
    end(&inverse);
    rig bad = begin("{'type': 'fiber_force_length', 'strain_at_max_isometric_force': -1}");
    FB_EQUAL_INT(bad.status, FB_E_INPUT);
    FB_RECORD(&bad.diag, FB_ERROR, FB2305, -1);
    end(&bad);
}

static const fb_test tests[] = {
    FB_TEST(curves_of_muscles),
    FB_TEST(series_are_natural_splines),
    FB_TEST(simple_functions),
    FB_TEST(smooth_steps),
    FB_TEST(multipliers),
    FB_TEST(derivatives_of_formulas),
    FB_TEST(multivariate_polynomials),
    FB_TEST(expressions),
    FB_TEST(piecewise_linear),
    FB_TEST(piecewise_constant),
    FB_TEST(simm_splines),
    FB_TEST(gcv_splines),
    FB_TEST(quintic_spline_of_many_points),
    FB_TEST(bad_functions_are_refused),
    FB_TEST(no_function_is_zero),
    FB_TEST_END,
};

int main(int argc, char **argv) {
    return fb_test_main("function", tests, argc, argv);
}
