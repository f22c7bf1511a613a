#include "libcore/motion/function.h"

#include <math.h>
#include <string.h>

#include "libcore/base/number.h"
#include "libcore/motion/curve.h"
#include "libcore/motion/expression.h"

/* ---- splines -------------------------------------------------------------------------------- */

#define LEAST_WIDTH 1e-7 /* intervals of a simm_spline are at least so wide */

static double width(double d) {
    return d < LEAST_WIDTH ? LEAST_WIDTH : d;
}

/* The cubic spline of Forsythe, Malcolm and Moler: end conditions from the third derivatives of the
 * cubics through the first and the last four points. Fills b (slopes), c (half second derivatives)
 * and d (sixths of third ones) at each knot. */
static void fit_cubic(int n, const double *x, const double *y, double *b, double *c, double *d) {
    if (n == 2) {
        b[0] = b[1] = (y[1] - y[0]) / width(x[1] - x[0]);
        c[0] = c[1] = d[0] = d[1] = 0;
        return;
    }
    d[0] = width(x[1] - x[0]);
    c[1] = (y[1] - y[0]) / d[0];
    for (int i = 1; i < n - 1; i++) { /* b diagonal, d off-diagonal, c right-hand side */
        d[i] = width(x[i + 1] - x[i]);
        b[i] = 2 * (d[i - 1] + d[i]);
        c[i + 1] = (y[i + 1] - y[i]) / d[i];
        c[i] = c[i + 1] - c[i];
    }
    b[0] = -d[0];
    b[n - 1] = -d[n - 2];
    c[0] = c[n - 1] = 0;
    if (n > 3) {
        double low = c[2] / width(x[3] - x[1]) - c[1] / width(x[2] - x[0]);
        double high = c[n - 2] / width(x[n - 1] - x[n - 3]) - c[n - 3] / width(x[n - 2] - x[n - 4]);
        c[0] = low * d[0] * d[0] / width(x[3] - x[0]);
        c[n - 1] = -high * d[n - 2] * d[n - 2] / width(x[n - 1] - x[n - 4]);
    }
    for (int i = 1; i < n; i++) {
        double t = d[i - 1] / b[i - 1];
        b[i] -= t * d[i - 1];
        c[i] -= t * c[i - 1];
    }
    c[n - 1] /= b[n - 1];
    for (int i = n - 2; i >= 0; i--) {
        c[i] = (c[i] - d[i] * c[i + 1]) / b[i];
    }
    b[n - 1] = (y[n - 1] - y[n - 2]) / d[n - 2] + d[n - 2] * (c[n - 2] + 2 * c[n - 1]);
    for (int i = 0; i < n - 1; i++) {
        b[i] = (y[i + 1] - y[i]) / d[i] - d[i] * (c[i + 1] + 2 * c[i]);
        d[i] = (c[i + 1] - c[i]) / d[i];
        c[i] *= 3;
    }
    c[n - 1] *= 3;
    d[n - 1] = d[n - 2];
}

static void compile_simm(fb_function *f, const double *x, const double *y, int n, fb_arena *arena) {
    double *b = fb_arena_array(arena, (size_t)n, sizeof *b),
           *c = fb_arena_array(arena, (size_t)n, sizeof *c);
    double *d = fb_arena_array(arena, (size_t)n, sizeof *d);
    double *rows = fb_arena_array(arena, (size_t)(n + 1) * 4, sizeof *rows);
    fit_cubic(n, x, y, b, c, d);
    for (int i = 0; i < n - 1; i++) {
        memcpy(rows + 4 * (i + 1), (double[4]){y[i], b[i], c[i], d[i]}, 4 * sizeof *rows);
    }
    memcpy(rows, (double[4]){y[0], b[0], 0, 0}, 4 * sizeof *rows); /* straight outside */
    memcpy(rows + 4 * n, (double[4]){y[n - 1], b[n - 1], 0, 0}, 4 * sizeof *rows);
    f->kind = FB_FN_PIECES;
    f->degree = 3;
    f->c = rows;
}

static void compile_lines(fb_function *f, const double *x, const double *y, int n,
                          fb_arena *arena) {
    double *rows = fb_arena_array(arena, (size_t)(n + 1) * 2, sizeof *rows);
    for (int i = 0; i < n - 1; i++) {
        double d = x[i + 1] - x[i];
        rows[2 * (i + 1)] = y[i];
        rows[2 * (i + 1) + 1] = (y[i + 1] - y[i]) / (d > 1e-300 ? d : 1e-300);
    }
    rows[0] = rows[2]; /* the outer segments go on */
    rows[1] = rows[3];
    rows[2 * n] = y[n - 1];
    rows[2 * n + 1] = rows[2 * (n - 1) + 1];
    f->kind = FB_FN_PIECES;
    f->degree = 1;
    f->c = rows;
}

static void begin_points(fb_function *f, const double *x, int n) {
    memset(f, 0, sizeof *f);
    f->scale = 1;
    f->dimension = 1;
    f->x = x;
    f->n = n;
}

void fb_function_constant(fb_function *f, double value, fb_arena *arena) {
    double *c = fb_arena_alloc(arena, sizeof *c);
    *c = value;
    *f = (fb_function){.kind = FB_FN_CONSTANT, .scale = 1, .n = 1, .dimension = 1, .c = c};
}

void fb_function_lines(fb_function *f, const double *x, const double *y, int n, fb_arena *arena) {
    begin_points(f, x, n);
    compile_lines(f, x, y, n, arena);
}

void fb_function_simm_spline(fb_function *f, const double *x, const double *y, int n,
                             fb_arena *arena) {
    double *own = fb_arena_array(arena, (size_t)n, sizeof *own);
    memcpy(own, x, (size_t)n * sizeof *own);
    begin_points(f, own, n);
    compile_simm(f, own, y, n, arena);
}

/* Solves a dense system in place by Gaussian elimination with row pivoting; 0 if it is singular. */
static int solve_dense(int n, double *a, double *b) {
    for (int k = 0; k < n; k++) {
        int pivot = k;
        for (int i = k + 1; i < n; i++) {
            if (fabs(a[i * n + k]) > fabs(a[pivot * n + k])) {
                pivot = i;
            }
        }
        if (a[pivot * n + k] == 0) {
            return 0;
        }
        for (int j = 0; j < n; j++) {
            double t = a[k * n + j];
            a[k * n + j] = a[pivot * n + j];
            a[pivot * n + j] = t;
        }
        double t = b[k];
        b[k] = b[pivot];
        b[pivot] = t;
        for (int i = k + 1; i < n; i++) {
            double factor = a[i * n + k] / a[k * n + k];
            for (int j = k; factor != 0 && j < n; j++) {
                a[i * n + j] -= factor * a[k * n + j];
            }
            b[i] -= factor * b[k];
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++) {
            b[i] -= a[i * n + j] * b[j];
        }
        b[i] /= a[i * n + i];
    }
    return 1;
}

#define MOST_SPLINE_POINTS 400 /* of a spline that is solved as one dense system */

static double factorial_ratio(int k, int j) { /* k! / (k - j)! */
    double r = 1;
    for (int i = 0; i < j; i++) {
        r *= k - i;
    }
    return r;
}

/* The natural spline of degree 2m - 1 through n points: polynomials p_i(x - x_i) of degree 2m - 1
 * on each interval, derivatives 0 .. 2m - 2 continuous, derivatives m .. 2m - 2 zero at both ends;
 * outside a polynomial of degree m - 1. Solved as one linear system in the truncated-power form sum
 * a_k x^k (k < m) + sum b_i (x - x_i)_+^(2m-1) with sum b_i x_i^k = 0 (k < m). */
static int compile_natural(fb_function *f, const double *x, const double *y, int n, int m,
                           fb_arena *arena) {
    int size = n + m, degree = 2 * m - 1, width_ = degree + 1;
    double *a = fb_arena_array(arena, (size_t)size * (size_t)size, sizeof *a);
    double *b = fb_arena_array(arena, (size_t)size, sizeof *b);
    double *rows = fb_arena_array(arena, (size_t)(n + 1) * (size_t)width_, sizeof *rows);
    double middle = (x[0] + x[n - 1]) / 2, half = (x[n - 1] - x[0]) / 2;
    for (int i = 0; i < n; i++) { /* scaled to -1 .. 1 for conditioning */
        double t = (x[i] - middle) / half;
        for (int k = 0; k < m; k++) {
            a[i * size + k] = a[(n + k) * size + m + i] = k == 0 ? 1 : pow(t, k);
        }
        for (int j = 0; j < i; j++) {
            a[i * size + m + j] = pow((x[i] - x[j]) / half, degree);
        }
        b[i] = y[i];
    }
    if (!solve_dense(size, a, b)) {
        return 0;
    }
    for (int i = 0; i <= n; i++) { /* Taylor coefficients of the piece that begins at its knot */
        double at = i == 0 ? x[0] : x[i - 1];
        int last = i == 0 ? -1 : i - 1; /* truncated powers that count */
        for (int j = 0; j <= degree; j++) {
            double value = 0, factorial = factorial_ratio(j, j);
            for (int k = j; k < m; k++) {
                value += b[k] * factorial_ratio(k, j) * pow((at - middle) / half, k - j);
            }
            for (int s = 0; s <= last; s++) {
                value += b[m + s] * factorial_ratio(degree, j) *
                         (degree == j ? 1 : pow((at - x[s]) / half, degree - j));
            }
            rows[i * width_ + j] = value / factorial / pow(half, j);
        }
    }
    for (int j = m; j <= degree; j++) { /* exact zeros outside */
        rows[j] = rows[n * width_ + j] = 0;
    }
    f->kind = FB_FN_PIECES;
    f->degree = degree;
    f->c = rows;
    return 1;
}

/* ---- compiling ------------------------------------------------------------------------------ */

/* The natural cubic through n > 1 points: second derivatives from a tridiagonal system. */
static void compile_natural_cubic(fb_function *f, const double *x, const double *y, int n,
                                  fb_arena *arena) {
    double *rows = fb_arena_array(arena, (size_t)(n + 1) * 4, sizeof *rows);
    double *m = fb_arena_array(arena, (size_t)n, sizeof *m); /* second derivatives */
    double *above = fb_arena_array(arena, (size_t)n, sizeof *above);
    for (int i = 1; i < n - 1; i++) {
        double left = x[i] - x[i - 1], right = x[i + 1] - x[i];
        double pivot = 2 * (left + right) - left * above[i - 1];
        above[i] = right / pivot;
        m[i] = (6 * ((y[i + 1] - y[i]) / right - (y[i] - y[i - 1]) / left) - left * m[i - 1]) /
               pivot;
    }
    for (int i = n - 2; i > 0; i--) {
        m[i] -= above[i] * m[i + 1];
    }
    for (int i = 0; i < n - 1; i++) {
        double d = x[i + 1] - x[i], *row = rows + 4 * (i + 1);
        row[0] = y[i];
        row[1] = (y[i + 1] - y[i]) / d - d * (2 * m[i] + m[i + 1]) / 6;
        row[2] = m[i] / 2;
        row[3] = (m[i + 1] - m[i]) / (6 * d);
    }
    const double *last = rows + 4 * (n - 1);
    double d = x[n - 1] - x[n - 2];
    rows[0] = y[0];
    rows[1] = rows[5];
    rows[4 * n] = y[n - 1];
    rows[4 * n + 1] = last[1] + d * (2 * last[2] + d * 3 * last[3]);
    f->kind = FB_FN_PIECES;
    f->degree = 3;
    f->c = rows;
}

bool fb_function_series(fb_function *f, int degree, const double *x, const double *y, int stride,
                        int n, fb_arena *arena) {
    if (n < (degree == 0 ? 1 : degree + 1)) {
        return false;
    }
    double *own = fb_arena_array(arena, (size_t)n, sizeof *own);
    for (int i = 0; i < n; i++) {
        own[i] = y[(size_t)i * (size_t)stride];
        if (i > 0 && !(x[i] > x[i - 1])) {
            return false;
        }
    }
    begin_points(f, x, n);
    if (degree == 0) {
        f->kind = FB_FN_STEPS;
        f->c = own;
        return true;
    }
    if (degree == 1) {
        compile_lines(f, x, own, n, arena);
        double *rows = fb_arena_array(arena, (size_t)(n + 1) * 2, sizeof *rows);
        memcpy(rows, f->c, (size_t)(n + 1) * 2 * sizeof *rows);
        rows[1] = rows[2 * n + 1] = 0;
        f->c = rows;
        return true;
    }
    if (degree == 3) {
        compile_natural_cubic(f, x, own, n, arena);
        return true;
    }
    return degree == 5 && n <= MOST_SPLINE_POINTS && compile_natural(f, x, own, n, 3, arena);
}

static fb_status refuse(const fb_element *element, fb_diag *diag, const char *what) {
    const fb_element *component = fb_element_component(element);
    fb_diag_add(diag, FB_ERROR, FB2305, fb_element_place(element), NULL, "%s of '%s': %s",
                element->cls->name, component->name ? component->name : "", what);
    return FB_E_INPUT;
}

/* The points of a table; 0 with an error if there are not enough, or they are not in order. */
static int table_points(const fb_element *element, int least, const double **x, const double **y,
                        int *n, fb_diag *diag) {
    const fb_value *xs = fb_get(element, "x"), *ys = fb_get(element, "y");
    if (!xs || !ys || xs->n != ys->n || xs->n < least) {
        refuse(element, diag, "its table must have as many y as x, and enough of them");
        return 0;
    }
    for (int i = 0; i < xs->n; i++) {
        if (!isfinite(xs->as.numbers[i]) || !isfinite(ys->as.numbers[i]) ||
            (i > 0 && xs->as.numbers[i] < xs->as.numbers[i - 1])) {
            refuse(element, diag, "the x of its table must increase, and all numbers be finite");
            return 0;
        }
    }
    *x = xs->as.numbers;
    *y = ys->as.numbers;
    *n = xs->n;
    return 1;
}

static fb_status compile_table(fb_function *f, const fb_element *element, const char *name,
                               fb_arena *arena, fb_diag *diag) {
    const double *x, *y;
    int n, m = 0;
    bool gcv = strcmp(name, "GCVSpline") == 0;
    if (gcv) {
        const fb_value *order = fb_get(element, "half_order");
        m = order ? order->as.integer : 0;
        if (m < 1 || m > 4) {
            return refuse(element, diag, "half_order must be from 1 to 4");
        }
        if (fb_get_number(element, "error_variance") != 0) {
            return refuse(element, diag,
                          "smoothing (an error_variance other than 0) is not supported");
        }
    }
    if (!table_points(element,
                      gcv                                              ? 2 * m
                      : strcmp(name, "PiecewiseConstantFunction") == 0 ? 1
                                                                       : 2,
                      &x, &y, &n, diag)) {
        return FB_E_INPUT;
    }
    f->x = x;
    f->n = n;
    if (strcmp(name, "SimmSpline") == 0) {
        compile_simm(f, x, y, n, arena);
    } else if (strcmp(name, "PiecewiseLinearFunction") == 0) {
        compile_lines(f, x, y, n, arena);
    } else if (gcv) {
        if (n > MOST_SPLINE_POINTS || !compile_natural(f, x, y, n, m, arena)) {
            return refuse(element, diag,
                          "the spline's points are too many, or two are at one place");
        }
    } else {
        f->kind = FB_FN_STEPS;
        f->c = y;
    }
    return FB_OK;
}

static int multivariate_size(int dimension, int order) {
    double n = 1;
    for (int i = 1; i <= dimension; i++) {
        n = n * (order + i) / i;
    }
    return n < 1e6 ? (int)(n + 0.5) : -1;
}

static fb_status compile_expression(fb_function *f, const fb_element *element, fb_arena *arena,
                                    fb_diag *diag) {
    const fb_value *variables = fb_get(element, "variables");
    const char *text = fb_get_string(element, "expression"), *problem;
    int n = variables ? variables->n : 0;
    if (fb_expression_compile(&f->expression, text ? text : "",
                              variables ? variables->as.strings : NULL, n, arena,
                              &problem) != FB_OK) {
        return refuse(element, diag, problem);
    }
    f->kind = FB_FN_EXPRESSION;
    f->dimension = n;
    return FB_OK;
}

static fb_status compile_curve(fb_function *f, const fb_element *element, fb_arena *arena,
                               fb_diag *diag) {
    fb_curve *curve = fb_arena_alloc(arena, sizeof *curve);
    if (!fb_curve_of(curve, element)) {
        return refuse(element, diag, "its parameters make no curve that rises with its argument");
    }
    fb_curve_tabulate(curve, arena);
    f->kind = FB_FN_CURVE;
    f->curve = curve;
    return FB_OK;
}

fb_status fb_function_compile(fb_function *f, const fb_element *element, fb_arena *arena,
                              fb_diag *diag) {
    memset(f, 0, sizeof *f);
    f->scale = 1;
    f->dimension = 1;
    int depth = 0;
    while (element && strcmp(element->cls->name, "MultiplierFunction") == 0 && depth++ < 32) {
        f->scale *= fb_get_number(element, "scale");
        element = fb_get_object(element, "function");
    }
    if (!element) {
        f->kind = FB_FN_CONSTANT;
        f->c = fb_arena_array(arena, 1, sizeof *f->c);
        return FB_OK;
    }
    const char *name = element->cls->name;
    const fb_value *coefficients = fb_get(element, "coefficients");
    f->n = coefficients ? coefficients->n : 0;
    f->c = coefficients ? coefficients->as.numbers : NULL;
    if (strcmp(name, "Constant") == 0) {
        double *c = fb_arena_array(arena, 1, sizeof *c);
        c[0] = fb_get_number(element, "value");
        f->kind = FB_FN_CONSTANT;
        f->c = c;
    } else if (strcmp(name, "LinearFunction") == 0) {
        f->kind = FB_FN_LINEAR;
    } else if (strcmp(name, "PolynomialFunction") == 0) {
        if (f->n < 1) {
            return refuse(element, diag, "it has no coefficients");
        }
        f->kind = FB_FN_POLYNOMIAL;
    } else if (strcmp(name, "MultivariatePolynomialFunction") == 0) {
        const fb_value *dimension = fb_get(element, "dimension"), *order = fb_get(element, "order");
        f->kind = FB_FN_MULTIVARIATE;
        f->dimension = dimension ? dimension->as.integer : 0;
        f->degree = order ? order->as.integer : -1;
        if (f->dimension < 1 || f->dimension > FB_MAX_ARGUMENTS || f->degree < 0 ||
            f->degree > 20 || f->n != multivariate_size(f->dimension, f->degree)) {
            return refuse(element, diag,
                          "the number of its coefficients does not fit dimension and order");
        }
    } else if (strcmp(name, "StepFunction") == 0 || strcmp(name, "Sine") == 0) {
        static const char *const keys[2][4] = {{"start_time", "end_time", "start_value",
                                                "end_value"},
                                               {"amplitude", "angular_frequency", "phase",
                                                "offset"}};
        bool sine = strcmp(name, "Sine") == 0;
        double *c = fb_arena_array(arena, 4, sizeof *c);
        for (int i = 0; i < 4; i++) {
            c[i] = fb_get_number(element, keys[sine][i]);
        }
        if (!sine && c[0] == c[1]) {
            return refuse(element, diag, "the step begins and ends at one time");
        }
        f->kind = sine ? FB_FN_SINE : FB_FN_SMOOTH_STEP;
        f->c = c;
    } else if (strcmp(name, "ExpressionBasedFunction") == 0) {
        return compile_expression(f, element, arena, diag);
    } else if (fb_class_field(element->cls, "x") >= 0) {
        return compile_table(f, element, name, arena, diag);
    } else if (element->cls->family == FB_CURVE && strstr(name, "Curve")) {
        return compile_curve(f, element, arena, diag);
    } else {
        return refuse(element, diag, "functions of this class cannot be evaluated yet");
    }
    return FB_OK;
}

/* ---- evaluation ----------------------------------------------------------------------------- */

/* The row of FB_FN_PIECES for x: 0 before the first knot, n behind the last. */
static int find_piece(const fb_function *f, double x) {
    int n = f->n;
    if (x < f->x[0]) {
        return 0;
    }
    if (x >= f->x[n - 1]) {
        return x > f->x[n - 1] ? n : n - 1;
    }
    int low = 0, high = n - 1; /* x[low] <= x < x[high] */
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (x < f->x[middle]) {
            high = middle;
        } else {
            low = middle;
        }
    }
    return low + 1;
}

static double pieces_value(const fb_function *f, double x, double *d1, double *d2) {
    int row = find_piece(f, x), degree = f->degree;
    const double *c = f->c + row * (degree + 1);
    double h = x - f->x[row > 0 ? row - 1 : 0], value = 0, first = 0, second = 0;
    for (int k = degree; k >= 0; k--) { /* Horner, with derivatives */
        second = second * h + 2 * first;
        first = first * h + value;
        value = value * h + c[k];
    }
    *d1 = first;
    *d2 = second;
    return value;
}

/* OpenSim's search: at a knot the side depends on the way that led there. */
static double steps_value(const fb_function *f, double x) {
    int n = f->n, i = 0, j = n;
    if (x <= f->x[0]) {
        return f->c[0];
    }
    if (x >= f->x[n - 1]) {
        return f->c[n - 1];
    }
    for (;;) {
        int k = (i + j) / 2;
        if (x < f->x[k]) {
            j = k;
        } else if (x > f->x[k + 1]) {
            i = k;
        } else {
            return f->c[k];
        }
    }
}

static double polynomial_value(const fb_function *f, double x, double *d1, double *d2) {
    double value = 0, first = 0, second = 0;
    for (int k = 0; k < f->n; k++) {
        second = second * x + 2 * first;
        first = first * x + value;
        value = value * x + f->c[k];
    }
    *d1 = first;
    *d2 = second;
    return value;
}

double fb_function_value(const fb_function *f, double x, double *d1, double *d2) {
    double value = 0, first = 0, second = 0;
    switch (f->kind) {
    case FB_FN_CONSTANT: value = f->c[0]; break;
    case FB_FN_LINEAR:
        value = f->c[0] * x + f->c[1];
        first = f->c[0];
        break;
    case FB_FN_POLYNOMIAL: value = polynomial_value(f, x, &first, &second); break;
    case FB_FN_PIECES: value = pieces_value(f, x, &first, &second); break;
    case FB_FN_STEPS: value = steps_value(f, x); break;
    case FB_FN_CURVE:
        value = fb_curve_value(f->curve, x, &first);
        second = d2 ? fb_curve_curvature(f->curve, x) : 0;
        break;
    case FB_FN_SMOOTH_STEP: {
        double w = f->c[1] - f->c[0], s = (x - f->c[0]) / w, rise = f->c[3] - f->c[2];
        s = s < 0 ? 0 : s > 1 ? 1 : s;
        value = f->c[2] + rise * s * s * s * (10 + s * (6 * s - 15));
        first = rise * 30 * s * s * (1 - s) * (1 - s) / w;
        second = rise * 60 * s * (1 - s) * (1 - 2 * s) / (w * w);
        break;
    }
    case FB_FN_SINE: {
        double phase = f->c[1] * x + f->c[2];
        value = f->c[0] * sin(phase) + f->c[3];
        first = f->c[0] * f->c[1] * cos(phase);
        second = -f->c[0] * f->c[1] * f->c[1] * sin(phase);
        break;
    }
    case FB_FN_MULTIVARIATE:
    case FB_FN_EXPRESSION: value = fb_function_value_n(f, 1, &x, &first, &second); break;
    }
    if (f->kind == FB_FN_MULTIVARIATE || f->kind == FB_FN_EXPRESSION) {
        if (d1) {
            *d1 = first;
        }
        if (d2) {
            *d2 = second;
        }
        return value;
    }
    if (d1) {
        *d1 = f->scale * first;
    }
    if (d2) {
        *d2 = f->scale * second;
    }
    return f->scale * value;
}

/* x^k and its first two derivatives. */
static void powers(double x, int k, double p[3]) {
    double v[3] = {0, 0, 0};
    v[0] = k == 0 ? 1 : pow(x, k);
    if (k > 0) {
        v[1] = k * (k == 1 ? 1 : pow(x, k - 1));
    }
    if (k > 1) {
        v[2] = k * (k - 1) * (k == 2 ? 1 : pow(x, k - 2));
    }
    memcpy(p, v, sizeof v);
}

/* Terms in nested loops, the first variable outermost, exponents rising while their sum fits.
 * OpenSim 4.5.2 knows first derivatives only, and gives the first by x_i where it is asked for the
 * second by x_i and x_j. */
static double multivariate_value(const fb_function *f, int n, const double *x, double *gradient,
                                 double *hessian) {
    int exponent[FB_MAX_ARGUMENTS] = {0};
    double value = 0;
    for (int term = 0; term < f->n; term++) {
        double p[FB_MAX_ARGUMENTS][3], product = f->c[term];
        for (int i = 0; i < n; i++) {
            powers(x[i], exponent[i], p[i]);
            product *= p[i][0];
        }
        value += product;
        for (int i = 0; (gradient || hessian) && i < n; i++) {
            for (int j = 0; j <= i; j++) {
                double g = f->c[term], h = f->c[term];
                for (int k = 0; k < n; k++) {
                    g *= p[k][k == i];
                    h *= p[k][(k == i) + (k == j)];
                }
                if (gradient && j == i) {
                    gradient[i] += g;
                }
                if (hessian && !f->as_opensim4) {
                    hessian[i * n + j] += h;
                    if (i != j) {
                        hessian[j * n + i] += h;
                    }
                }
                for (int k = 0; hessian && f->as_opensim4 && j == i && k < n; k++) {
                    hessian[i * n + k] += g;
                }
            }
        }
        int sum = 0, last = n - 1;
        for (int i = 0; i < n; i++) {
            sum += exponent[i];
        }
        while (last >= 0 && sum >= f->degree) { /* carry */
            sum -= exponent[last];
            exponent[last--] = 0;
        }
        if (last < 0) {
            break;
        }
        exponent[last]++;
    }
    return value;
}

/* Arguments that are missing are 0; what is asked of others than the formula's own is 0. */
static double expression_value(const fb_function *f, int n, const double *x, double *gradient,
                               double *hessian) {
    double at[FB_MAX_ARGUMENTS] = {0}, g[FB_MAX_ARGUMENTS], h[FB_MAX_ARGUMENTS * FB_MAX_ARGUMENTS];
    int own = f->dimension, both = n < own ? n : own;
    if (both > 0) {
        memcpy(at, x, (size_t)both * sizeof *at);
    }
    double value = fb_expression_value(f->expression, at, gradient ? g : NULL, hessian ? h : NULL);
    for (int i = 0; i < both; i++) {
        if (gradient) {
            gradient[i] = g[i];
        }
        for (int j = 0; hessian && j < both; j++) {
            hessian[i * n + j] = h[i * own + j];
        }
    }
    return value;
}

double fb_function_value_n(const fb_function *f, int n, const double *x, double *gradient,
                           double *hessian) {
    if (gradient) {
        memset(gradient, 0, (size_t)n * sizeof *gradient);
    }
    if (hessian) {
        memset(hessian, 0, (size_t)(n * n) * sizeof *hessian);
    }
    double value;
    if (f->kind == FB_FN_MULTIVARIATE) {
        value = multivariate_value(f, n, x, gradient, hessian);
    } else if (f->kind == FB_FN_EXPRESSION) {
        value = expression_value(f, n, x, gradient, hessian);
    } else {
        return n > 0 ? fb_function_value(f, x[0], gradient, hessian)
                     : fb_function_value(f, 0, NULL, NULL);
    }
    for (int i = 0; gradient && i < n; i++) {
        gradient[i] *= f->scale;
    }
    for (int i = 0; hessian && i < n * n; i++) {
        hessian[i] *= f->scale;
    }
    return f->scale * value;
}
