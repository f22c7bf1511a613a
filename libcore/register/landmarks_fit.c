/* Spheres, cylinders, planes and ellipsoids of least squares. Each first moves the points to their
 * mean and scales them to unit spread, so that results do not depend on frame or unit. */
#include "libcore/register/landmarks_internal.h"

#include <math.h>
#include <stddef.h>

#include "libcore/base/spatial.h"

enum { MAX_STEPS = 60, MAX_UNKNOWNS = 9 };

/* The points' mean and root mean square distance from it; 0: they are all at one place. */
static double spread_of(const double (*points)[3], int n, double *mean) {
    fb_v3_set(mean, 0, 0, 0);
    for (int i = 0; i < n; i++) {
        fb_v3_madd(mean, 1.0 / n, points[i]);
    }
    double sum = 0;
    for (int i = 0; i < n; i++) {
        double d = fb_v3_distance(points[i], mean);
        sum += d * d;
    }
    return sqrt(sum / n);
}

/* Solves the symmetric system a x = b (n x n, row-major, both destroyed) by elimination with full
 * pivots on the diagonal; false if a pivot is lost in rounding. */
static bool solve_symmetric(double *a, double *b, int n, double *x) {
    int order[MAX_UNKNOWNS];
    double largest = 0;
    for (int i = 0; i < n; i++) {
        order[i] = i;
        largest = fb_greater(largest, fabs(a[n * i + i]));
    }
    for (int k = 0; k < n; k++) {
        int pivot = k;
        for (int i = k; i < n; i++) {
            if (fabs(a[n * order[i] + order[i]]) > fabs(a[n * order[pivot] + order[pivot]])) {
                pivot = i;
            }
        }
        int p = order[pivot];
        order[pivot] = order[k];
        order[k] = p;
        double d = a[n * p + p];
        if (!(fabs(d) > 1e-13 * largest)) {
            return false;
        }
        for (int i = k + 1; i < n; i++) {
            int q = order[i];
            double f = a[n * q + p] / d;
            for (int j = k; j < n; j++) {
                a[n * q + order[j]] -= f * a[n * p + order[j]];
            }
            b[q] -= f * b[p];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        int p = order[k];
        double sum = b[p];
        for (int j = k + 1; j < n; j++) {
            sum -= a[n * p + order[j]] * x[order[j]];
        }
        x[p] = sum / a[n * p + p];
    }
    return true;
}

double fb_fit_plane(const double (*points)[3], int n, double *center, double *normal) {
    if (n < 3) {
        return HUGE_VAL;
    }
    double spread = spread_of(points, n, center);
    double moments[9] = {0}, values[3], axes[9];
    for (int i = 0; i < n; i++) {
        double d[3];
        fb_v3_sub(d, points[i], center);
        for (int k = 0; k < 9; k++) {
            moments[k] += d[k / 3] * d[k % 3] / n;
        }
    }
    fb_eigen3(moments, values, axes);
    if (!(values[1] > 1e-16 * spread * spread)) {
        return HUGE_VAL;
    }
    fb_v3_set(normal, axes[2], axes[5], axes[8]);
    return sqrt(fb_greater(values[2], 0));
}

/* The algebraic sphere |p|^2 = 2 c p + k of points that were centred and scaled. */
static bool algebraic_sphere(const double (*points)[3], int n, const double *mean, double spread,
                             double *center, double *radius) {
    double a[16] = {0}, b[4] = {0}, x[4];
    for (int i = 0; i < n; i++) {
        double row[4] = {0, 0, 0, 1}, square = 0;
        for (int k = 0; k < 3; k++) {
            double d = (points[i][k] - mean[k]) / spread;
            row[k] = 2 * d;
            square += d * d;
        }
        for (int j = 0; j < 4; j++) {
            for (int k = 0; k < 4; k++) {
                a[4 * j + k] += row[j] * row[k];
            }
            b[j] += row[j] * square;
        }
    }
    if (!solve_symmetric(a, b, 4, x)) {
        return false;
    }
    double square = x[3] + fb_v3_dot(x, x);
    if (!(square > 0)) {
        return false;
    }
    fb_v3_copy(center, x);
    *radius = sqrt(square);
    return true;
}

/* Gauss-Newton on the distances | |p - c| - r |, from the algebraic solution. */
double fb_fit_sphere(const double (*points)[3], int n, double *center, double *radius) {
    double mean[3], c[3], r;
    if (n < 4) {
        return HUGE_VAL;
    }
    double spread = spread_of(points, n, mean);
    if (!(spread > 0) || !algebraic_sphere(points, n, mean, spread, c, &r)) {
        return HUGE_VAL;
    }
    for (int step = 0; step < MAX_STEPS; step++) {
        double a[16] = {0}, b[4] = {0}, x[4];
        for (int i = 0; i < n; i++) {
            double row[4];
            for (int k = 0; k < 3; k++) {
                row[k] = (points[i][k] - mean[k]) / spread - c[k];
            }
            double d = fb_v3_normalize(row);
            row[3] = 1;
            for (int j = 0; j < 4; j++) {
                for (int k = 0; k < 4; k++) {
                    a[4 * j + k] += row[j] * row[k];
                }
                b[j] += row[j] * (d - r);
            }
        }
        if (!solve_symmetric(a, b, 4, x)) {
            return HUGE_VAL;
        }
        fb_v3_add(c, c, x);
        r += x[3];
        if (fb_v3_norm(x) + fabs(x[3]) < 1e-13 * (1 + r)) {
            break;
        }
    }
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        center[k] = mean[k] + spread * c[k];
    }
    *radius = spread * r;
    for (int i = 0; i < n; i++) {
        double d = fb_v3_distance(points[i], center) - *radius;
        sum += d * d;
    }
    double rms = sqrt(sum / n);
    return isfinite(rms) && r < 1e4 ? rms : HUGE_VAL;
}

void fb_across(const double *axis, double *u, double *v) {
    double e[3] = {0, 0, 0};
    e[fb_v3_least(axis)] = 1;
    fb_v3_cross(u, axis, e);
    fb_v3_normalize(u);
    fb_v3_cross(v, axis, u);
}

/* Sum of squares of the points' distances from a cylinder, and the normal equations of its five
 * unknowns: the axis turned towards u and v, the centre moved along u and v, the radius. */
static double cylinder_equations(const double (*points)[3], int n, const double *center,
                                 const double *axis, double radius, const double *u,
                                 const double *v, double *a, double *b) {
    double sum = 0;
    memset(a, 0, 25 * sizeof *a);
    memset(b, 0, 5 * sizeof *b);
    for (int i = 0; i < n; i++) {
        double d[3];
        fb_v3_sub(d, points[i], center);
        double along = fb_v3_dot(d, axis), x = fb_v3_dot(d, u), y = fb_v3_dot(d, v);
        double distance = fb_length2(x, y);
        if (!(distance > 0)) {
            continue;
        }
        double e = distance - radius;
        x /= distance;
        y /= distance;
        const double row[5] = {along * x, along * y, x, y, 1};
        for (int j = 0; j < 5; j++) {
            for (int k = 0; k < 5; k++) {
                a[5 * j + k] += row[j] * row[k];
            }
            b[j] += row[j] * e;
        }
        sum += e * e;
    }
    return sum;
}

/* Levenberg-Marquardt from the axis and centre given; the radius starts at the mean distance. */
double fb_fit_cylinder(const double (*points)[3], int n, double *center, double *axis,
                       double *radius) {
    double mean[3], c[3], w[3], u[3], v[3], a[25], b[5];
    if (n < 5) {
        return HUGE_VAL;
    }
    double spread = spread_of(points, n, mean);
    fb_v3_copy(w, axis);
    if (!(spread > 0) || !(fb_v3_normalize(w) > 0)) {
        return HUGE_VAL;
    }
    /* the centre at the points' mean along the axis: then turning and moving are least coupled */
    fb_v3_copy(c, center);
    double along = 0, r = 0;
    for (int i = 0; i < n; i++) {
        double d[3];
        fb_v3_sub(d, points[i], c);
        double x = fb_v3_dot(d, w);
        along += x / n;
        r += sqrt(fb_greater(fb_v3_dot(d, d) - x * x, 0)) / n;
    }
    fb_v3_madd(c, along, w);
    fb_across(w, u, v);
    double damping = 1e-4;
    double sum = cylinder_equations(points, n, c, w, r, u, v, a, b);
    for (int step = 0; step < MAX_STEPS && damping < 1e10; step++) {
        double damped[25], rest[5], x[5];
        memcpy(damped, a, sizeof a);
        memcpy(rest, b, sizeof b);
        for (int k = 0; k < 5; k++) {
            damped[6 * k] *= 1 + damping;
        }
        if (!solve_symmetric(damped, rest, 5, x)) {
            return HUGE_VAL;
        }
        double c2[3], w2[3], u2[3], v2[3], a2[25], b2[5];
        fb_v3_copy(c2, c);
        fb_v3_madd(c2, x[2], u);
        fb_v3_madd(c2, x[3], v);
        fb_v3_copy(w2, w);
        fb_v3_madd(w2, x[0], u);
        fb_v3_madd(w2, x[1], v);
        fb_v3_normalize(w2);
        fb_across(w2, u2, v2);
        double sum2 = cylinder_equations(points, n, c2, w2, r + x[4], u2, v2, a2, b2);
        if (!(sum2 < sum)) {
            damping *= 10;
            continue;
        }
        bool settled = sum - sum2 < 1e-14 * sum;
        fb_v3_copy(c, c2);
        fb_v3_copy(w, w2);
        fb_v3_copy(u, u2);
        fb_v3_copy(v, v2);
        memcpy(a, a2, sizeof a);
        memcpy(b, b2, sizeof b);
        r += x[4];
        sum = sum2;
        damping = fb_greater(damping / 10, 1e-12);
        if (settled) {
            break;
        }
    }
    double rms = sqrt(sum / n);
    if (!isfinite(rms) || !(r > 0) || r > 1e4 * spread) {
        return HUGE_VAL;
    }
    fb_v3_copy(center, c);
    fb_v3_copy(axis, w);
    *radius = r;
    return rms;
}

/* The quadric of least squares x^T A x + 2 b x = 1 about the points' mean; the rms is that of its
 * value over its gradient, the distance to first order (Taubin 1991). */
double fb_fit_ellipsoid(const double (*points)[3], int n, double *center, double *radii,
                        double *axes) {
    double mean[3], a[81] = {0}, b[9] = {0}, q[9];
    if (n < 9) {
        return HUGE_VAL;
    }
    double spread = spread_of(points, n, mean);
    if (!(spread > 0)) {
        return HUGE_VAL;
    }
    for (int i = 0; i < n; i++) {
        double d[3];
        fb_v3_sub(d, points[i], mean);
        fb_v3_scale(d, 1 / spread, d);
        const double row[9] = {d[0] * d[0],     d[1] * d[1],     d[2] * d[2],
                               2 * d[0] * d[1], 2 * d[0] * d[2], 2 * d[1] * d[2],
                               2 * d[0],        2 * d[1],        2 * d[2]};
        for (int j = 0; j < 9; j++) {
            for (int k = 0; k < 9; k++) {
                a[9 * j + k] += row[j] * row[k];
            }
            b[j] += row[j];
        }
    }
    if (!solve_symmetric(a, b, 9, q)) {
        return HUGE_VAL;
    }
    double form[9] = {q[0], q[3], q[4], q[3], q[1], q[5], q[4], q[5], q[2]};
    double copy[9], side[3] = {-q[6], -q[7], -q[8]}, c[3], values[3], turned[9];
    memcpy(copy, form, sizeof form);
    if (!solve_symmetric(copy, side, 3, c)) {
        return HUGE_VAL;
    }
    double form_c[3];
    fb_m3_mul_v3(form_c, form, c);
    double level = 1 + fb_v3_dot(c, form_c);
    fb_eigen3(form, values, turned);
    for (int k = 0; k < 3; k++) {
        if (!(values[k] / level > 0)) {
            return HUGE_VAL; /* a hyperboloid or paraboloid */
        }
    }
    /* the greatest eigenvalue is the shortest axis: the longest first */
    for (int k = 0; k < 3; k++) {
        radii[k] = spread * sqrt(level / values[2 - k]);
        center[k] = mean[k] + spread * c[k];
        axes[3 * k] = turned[3 * k + 2];
        axes[3 * k + 1] = turned[3 * k + 1];
        axes[3 * k + 2] = -turned[3 * k];
    }
    double sum = 0;
    for (int i = 0; i < n; i++) {
        double d[3], g[3];
        fb_v3_sub(d, points[i], center);
        fb_v3_scale(d, 1 / spread, d);
        fb_m3_mul_v3(g, form, d);
        double value = fb_v3_dot(d, g) / level - 1, gradient = 2 * fb_v3_norm(g) / fabs(level);
        double e = gradient > 0 ? spread * value / gradient : radii[2];
        sum += e * e;
    }
    return sqrt(sum / n);
}
