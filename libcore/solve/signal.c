#include "libcore/solve/signal.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "libcore/base/number.h"

#define PI 3.14159265358979323846

/* ---- series ---------------------------------------------------------------------------------- */

void fb_signal_start(fb_signal *s, int n, int n_columns, fb_arena *arena) {
    size_t rows = (size_t)n, columns = (size_t)n_columns;
    *s = (fb_signal){.n = n, .n_columns = n_columns, .arena = arena};
    s->time = fb_arena_array(arena, rows, sizeof *s->time);
    s->y = fb_arena_array(arena, rows * columns, sizeof *s->y);
}

static double *row_of(const fb_signal *s, int i) {
    return s->y + (size_t)i * (size_t)s->n_columns;
}

bool fb_signal_rises(const fb_signal *s, int *row) {
    for (int i = 1; i < s->n; i++) {
        if (!(s->time[i] > s->time[i - 1])) {
            if (row) {
                *row = i;
            }
            return false;
        }
    }
    return true;
}

/* A row that mirrors row j at the place of row i. */
static void reflect(const fb_signal *from, int i, int j, fb_signal *to, int row) {
    const double *a = row_of(from, i), *b = row_of(from, j);
    double *y = row_of(to, row);
    to->time[row] = 2 * from->time[i] - from->time[j];
    for (int c = 0; c < from->n_columns; c++) {
        y[c] = 2 * a[c] - b[c];
    }
}

bool fb_signal_pad(fb_signal *s, int n) {
    if (n < 0 || n >= s->n) {
        return false;
    }
    fb_signal p;
    int last = s->n - 1;
    fb_signal_start(&p, s->n + 2 * n, s->n_columns, s->arena);
    memcpy(p.time + n, s->time, (size_t)s->n * sizeof *s->time);
    memcpy(row_of(&p, n), s->y, (size_t)s->n * (size_t)s->n_columns * sizeof *s->y);
    for (int k = 1; k <= n; k++) {
        reflect(s, 0, k, &p, n - k);
        reflect(s, last, last - k, &p, n + last + k);
    }
    *s = p;
    return true;
}

double fb_signal_uneven(const fb_signal *s) {
    double least = FB_INFINITY;
    for (int i = 1; i < s->n; i++) {
        least = fmin(least, s->time[i] - s->time[i - 1]);
    }
    double mean = (s->time[s->n - 1] - s->time[0]) / (s->n - 1);
    return mean - least > DBL_EPSILON ? least : 0;
}

bool fb_signal_resample(fb_signal *s, double step) {
    fb_splines splines;
    if (!(step > 0) || !fb_splines_make(&splines, 5, s, s->arena)) {
        return false;
    }
    int n = 0;
    for (double t = s->time[0]; t <= s->time[s->n - 1]; t += step) {
        n++;
    }
    fb_signal r;
    fb_signal_start(&r, n, s->n_columns, s->arena);
    double t = s->time[0];
    for (int i = 0; i < n; i++, t += step) {
        r.time[i] = t;
        fb_splines_value(&splines, t, row_of(&r, i), NULL, NULL);
    }
    *s = r;
    return true;
}

/* ---- filters --------------------------------------------------------------------------------- */

/* b and a of y[i] = sum b[k] x[i - k] - sum a[k] y[i - k]: (s + 1)(s^2 + s + 1) in the denominator,
 * with s = (1 - 1/z) / (1 + 1/z) / w. */
static void butterworth(double w, double b[4], double a[4]) {
    double w2 = w * w, w3 = w2 * w, d = (w + 1) * (w2 + w + 1);
    b[0] = b[3] = w3 / d;
    b[1] = b[2] = 3 * w3 / d;
    a[0] = 1;
    a[1] = (3 * w3 + 2 * w2 - 2 * w - 3) / d;
    a[2] = (3 * w3 - 2 * w2 - 2 * w + 3) / d;
    a[3] = (w - 1) * (w2 - w + 1) / d;
}

/* Runs over rows first, first + by, .. of x into y; the first three are copied, as in OpenSim. */
static void run(const fb_signal *s, const double b[4], const double a[4], const double *x,
                double *y, int first, int by) {
    int m = s->n_columns;
    for (int i = 0; i < s->n; i++) {
        for (int c = 0; c < m; c++) {
            ptrdiff_t at = (ptrdiff_t)(first + i * by) * m + c, back = (ptrdiff_t)by * m;
            double sum = i < 3 ? x[at] : b[0] * x[at];
            for (int k = 1; i >= 3 && k < 4; k++) {
                sum += b[k] * x[at - k * back] - a[k] * y[at - k * back];
            }
            y[at] = sum;
        }
    }
}

static bool make_even(fb_signal *s) {
    double step = fb_signal_uneven(s);
    return step == 0 || fb_signal_resample(s, step);
}

static double step_of(const fb_signal *s) {
    return (s->time[s->n - 1] - s->time[0]) / (s->n - 1);
}

bool fb_signal_lowpass_iir(fb_signal *s, double *frequency) {
    if (s->n < 4 || !fb_signal_rises(s, NULL)) {
        return false;
    }
    double least = fb_signal_uneven(s), step = least > 0 ? least : step_of(s), b[4], a[4];
    if (!make_even(s) || s->n < 4) {
        return false;
    }
    if (*frequency >= 0.5 / step) {
        *frequency = 0.49 / step;
    }
    butterworth(tan(PI * *frequency * step), b, a);
    double *once = fb_arena_array(s->arena, (size_t)s->n * (size_t)s->n_columns, sizeof *once);
    run(s, b, a, s->y, once, 0, 1);
    run(s, b, a, once, s->y, s->n - 1, -1);
    return true;
}

bool fb_signal_lowpass_fir(fb_signal *s, int order, double frequency) {
    if (order < 1 || s->n < 4 || !fb_signal_rises(s, NULL) || !make_even(s) || s->n < 2 * order) {
        return false;
    }
    fb_signal p = *s;
    double w = 2 * PI * frequency * step_of(s), sum = 0;
    double *h = fb_arena_array(s->arena, (size_t)order + 1, sizeof *h);
    for (int k = 0; k <= order; k++) {
        h[k] = (k == 0 ? 1 : sin(k * w) / (k * w)) * (0.54 + 0.46 * cos(PI * k / order));
        sum += k == 0 ? h[k] : 2 * h[k];
    }
    fb_signal_pad(&p, order);
    for (int i = 0; i < s->n; i++) {
        double *y = row_of(s, i);
        memset(y, 0, (size_t)s->n_columns * sizeof *y);
        for (int k = -order; k <= order; k++) {
            const double *x = row_of(&p, i + order + k);
            for (int c = 0; c < s->n_columns; c++) {
                y[c] += h[k < 0 ? -k : k] / sum * x[c];
            }
        }
    }
    return true;
}

/* ---- splines --------------------------------------------------------------------------------- */

/* What is unknown are slopes p and, of quintics, second derivatives r at the rows. The polynomials
 * between rows then meet in these; that the higher derivatives meet too, up to the (2m - 2)-th, and
 * that those from the m-th on vanish at the ends, makes symmetric positive definite equations
 *   L(i)' z(i-1) + D(i) z(i) + L(i+1) z(i+1) = f(i),  z = (p, r),
 * in blocks of 2 x 2, solved by elimination from the first row on. */
typedef double block[2][2];

/* What an interval of length h adds: to the block of its first row, of its second, between them. */
static void add_interval(int degree, double h, block first, block second, block between) {
    double h1 = 1 / h, h2 = h1 * h1, h3 = h2 * h1;
    if (degree == 3) {
        first[0][0] += 2 * h1;
        second[0][0] += 2 * h1;
        between[0][0] = h1;
        between[0][1] = between[1][0] = between[1][1] = 0;
        return;
    }
    first[0][0] += 192 * h3;
    first[0][1] += 36 * h2;
    first[1][0] += 36 * h2;
    first[1][1] += 9 * h1;
    second[0][0] += 192 * h3;
    second[0][1] -= 36 * h2;
    second[1][0] -= 36 * h2;
    second[1][1] += 9 * h1;
    between[0][0] = 168 * h3;
    between[0][1] = -24 * h2;
    between[1][0] = 24 * h2;
    between[1][1] = -3 * h1;
}

/* c = a^-1 b */
static void solve_block(block a, block b, block c) {
    double d = a[0][0] * a[1][1] - a[0][1] * a[1][0];
    for (int j = 0; j < 2; j++) {
        c[0][j] = (a[1][1] * b[0][j] - a[0][1] * b[1][j]) / d;
        c[1][j] = (a[0][0] * b[1][j] - a[1][0] * b[0][j]) / d;
    }
}

/* The diagonal blocks after elimination in D, and D(i)^-1 L(i+1) in G. */
static void factor(int degree, const double *x, int n, block *D, block *G, block *L) {
    for (int i = 0; i < n && degree == 3; i++) {
        D[i][1][1] = 1;
    }
    for (int i = 0; i + 1 < n; i++) {
        add_interval(degree, x[i + 1] - x[i], D[i], D[i + 1], L[i]);
    }
    for (int i = 0; i + 1 < n; i++) {
        solve_block(D[i], L[i], G[i]);
        for (int j = 0; j < 2; j++) {
            for (int k = 0; k < 2; k++) {
                D[i + 1][j][k] -= L[i][0][j] * G[i][0][k] + L[i][1][j] * G[i][1][k];
            }
        }
    }
}

/* z(i) = D(i)^-1 (f(i) - L(i)' z(i-1)) for one column, then back. */
static void solve_column(const fb_splines *s, int c, block *D, block *G, block *L, double (*z)[2]) {
    int n = s->n, m = s->n_columns;
    memset(z, 0, (size_t)n * sizeof *z);
    for (int i = 0; i + 1 < n; i++) {
        double h1 = 1 / (s->time[i + 1] - s->time[i]), h2 = h1 * h1;
        double d = s->y[(size_t)(i + 1) * (size_t)m + (size_t)c] -
                   s->y[(size_t)i * (size_t)m + (size_t)c];
        double f = s->degree == 3 ? 3 * d * h2 : 360 * d * h2 * h2;
        double g = s->degree == 3 ? 0 : 60 * d * h2 * h1;
        z[i][0] += f;
        z[i][1] += g;
        z[i + 1][0] += f;
        z[i + 1][1] -= g;
    }
    for (int i = 0; i < n; i++) {
        double f = z[i][0], g = z[i][1];
        if (i > 0) {
            f -= L[i - 1][0][0] * z[i - 1][0] + L[i - 1][1][0] * z[i - 1][1];
            g -= L[i - 1][0][1] * z[i - 1][0] + L[i - 1][1][1] * z[i - 1][1];
        }
        double d = D[i][0][0] * D[i][1][1] - D[i][0][1] * D[i][1][0];
        z[i][0] = (D[i][1][1] * f - D[i][0][1] * g) / d;
        z[i][1] = (D[i][0][0] * g - D[i][1][0] * f) / d;
    }
    for (int i = n - 2; i >= 0; i--) {
        z[i][0] -= G[i][0][0] * z[i + 1][0] + G[i][0][1] * z[i + 1][1];
        z[i][1] -= G[i][1][0] * z[i + 1][0] + G[i][1][1] * z[i + 1][1];
    }
}

bool fb_splines_make(fb_splines *s, int degree, const fb_signal *series, fb_arena *arena) {
    if ((degree != 3 && degree != 5) || series->n < (degree + 1) / 2 ||
        !fb_signal_rises(series, NULL)) {
        return false;
    }
    int n = series->n, m = series->n_columns;
    size_t rows = (size_t)n;
    *s = (fb_splines){
        .n = n, .n_columns = m, .degree = degree, .time = series->time, .y = series->y};
    s->slope = fb_arena_array(arena, rows * (size_t)m, sizeof *s->slope);
    s->bend = degree == 5 ? fb_arena_array(arena, rows * (size_t)m, sizeof *s->bend) : NULL;
    block *D = fb_arena_array(arena, rows, sizeof *D);
    block *G = fb_arena_array(arena, rows, sizeof *G);
    block *L = fb_arena_array(arena, rows, sizeof *L);
    double(*z)[2] = fb_arena_array(arena, rows, sizeof *z);
    factor(degree, s->time, n, D, G, L);
    for (int c = 0; c < m; c++) {
        solve_column(s, c, D, G, L, z);
        for (int i = 0; i < n; i++) {
            size_t at = (size_t)i * (size_t)m + (size_t)c;
            s->slope[at] = z[i][0];
            if (s->bend) {
                s->bend[at] = z[i][1];
            }
        }
    }
    return true;
}

/* Beyond an end: the polynomial of its derivatives. */
static void go_on(const fb_splines *s, int i, double time, double *value, double *d1, double *d2) {
    double h = time - s->time[i];
    for (int c = 0; c < s->n_columns; c++) {
        size_t at = (size_t)i * (size_t)s->n_columns + (size_t)c;
        double r = s->bend ? s->bend[at] : 0;
        value[c] = s->y[at] + h * (s->slope[at] + h * r / 2);
        if (d1) {
            d1[c] = s->slope[at] + h * r;
        }
        if (d2) {
            d2[c] = r;
        }
    }
}

/* Coefficients of powers 2 to 5 of the way from row to row, 0 to 1, where the value changes by d.
 */
static void coefficients(const fb_splines *s, size_t a, size_t b, double h, double d, double c[4]) {
    double p0 = h * s->slope[a], p1 = h * s->slope[b];
    if (s->degree == 3) {
        c[0] = 3 * d - 2 * p0 - p1;
        c[1] = p0 + p1 - 2 * d;
        c[2] = c[3] = 0;
        return;
    }
    double r0 = h * h * s->bend[a], r1 = h * h * s->bend[b];
    c[0] = r0 / 2;
    c[1] = 10 * d - 6 * p0 - 4 * p1 - 1.5 * r0 + r1 / 2;
    c[2] = -15 * d + 8 * p0 + 7 * p1 + 1.5 * r0 - r1;
    c[3] = 6 * d - 3 * p0 - 3 * p1 - r0 / 2 + r1 / 2;
}

void fb_splines_value(const fb_splines *s, double time, double *value, double *d1, double *d2) {
    int low = 0, high = s->n - 1;
    if (!(time >= s->time[0]) || time > s->time[high]) {
        go_on(s, time > s->time[high] ? high : 0, time, value, d1, d2);
        return;
    }
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        *(s->time[middle] <= time ? &low : &high) = middle;
    }
    double h = s->time[high] - s->time[low], t = (time - s->time[low]) / h;
    for (int j = 0; j < s->n_columns; j++) {
        size_t a = (size_t)low * (size_t)s->n_columns + (size_t)j, b = a + (size_t)s->n_columns;
        double c[4], p = h * s->slope[a];
        coefficients(s, a, b, h, s->y[b] - s->y[a], c);
        value[j] = s->y[a] + t * (p + t * (c[0] + t * (c[1] + t * (c[2] + t * c[3]))));
        if (d1) {
            d1[j] = (p + t * (2 * c[0] + t * (3 * c[1] + t * (4 * c[2] + t * 5 * c[3])))) / h;
        }
        if (d2) {
            d2[j] = (2 * c[0] + t * (6 * c[1] + t * (12 * c[2] + t * 20 * c[3]))) / (h * h);
        }
    }
}
