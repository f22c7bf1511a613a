/* Steps of wrapping that OpenSim 4 takes by iteration, and where they end: they decide figures in
 * the fifth digit, and now and then which way a path goes. The rules are those of OpenSim's
 * published sources, written anew, and agree with what 4.5.2 computes; see docs/theory.md. */
#include <math.h>

#include "libcore/muscle/wrap_shapes.h"

/* ---- tori ------------------------------------------------------------------------------------ */

#define LM_TOLERANCE 1e-4 /* of lmdif, relative, on the step and on the sum of squares */
#define LM_BOUND 0.2      /* its first bound on a step */
#define LM_STEPS 500

/* What OpenSim takes for the derivative of the squared distance to the ring, u m along the line
 * from p in direction n, and its slope. Its term of the ring is twice what it should be: the zero
 * is the place nearest to a ring of twice the radius. */
static double ring_residual(double ring, const double *p, const double *n, double u,
                            double *slope) {
    double x = p[0] + u * n[0], y = p[1] + u * n[1], rho = fmax(hypot(x, y), 1e-300);
    double rise = (x * n[0] + y * n[1]) / rho;
    *slope = 2 - 4 * ring * (n[0] * n[0] + n[1] * n[1] - rise * rise) / rho;
    return 2 * (fb_v3_dot(p, n) + u) - 4 * ring * rise;
}

/* Where the Levenberg-Marquardt method of MINPACK (lmdif; J. More, 1978), for this one residual
 * and one unknown, comes to from u = 0. */
double fb_wrap_opensim_ring_place(double ring, const double *p, const double *n) {
    double u = 0, slope, f = ring_residual(ring, p, n, u, &slope);
    double scale = slope != 0 ? fabs(slope) : 1, bound = LM_BOUND, damping = 0;
    for (int i = 0, first = 1; i < LM_STEPS && f != 0; i++) {
        scale = fmax(scale, fabs(slope));
        /* the damping that keeps the scaled step at the bound, if the Newton step is longer */
        double d2 = scale * scale, reach = slope != 0 ? scale * fabs(f / slope) : 1e300;
        if (reach <= 1.1 * bound) {
            damping = 0;
        } else {
            double least = (scale * fabs(f * slope) / bound - slope * slope) / d2;
            double at = scale * fabs(f * slope) / (slope * slope + damping * d2);
            if (damping < least || fabs(at - bound) > 0.1 * bound) {
                damping = fmax(least, 0);
            }
        }
        double step = -f * slope / (slope * slope + damping * d2), size = scale * fabs(step);
        if (first) {
            bound = fmin(bound, size);
        }
        double new_slope, g = ring_residual(ring, p, n, u + step, &new_slope);
        double actual = 0.1 * fabs(g) < fabs(f) ? 1 - g * g / (f * f) : -1;
        double linear = slope * step / f, damped = damping * size * size / (f * f);
        double foreseen = linear * linear + 2 * damped, fall = -(linear * linear + damped);
        double ratio = foreseen != 0 ? actual / foreseen : 0;
        if (ratio <= 0.25) {
            double cut = actual >= 0 ? 0.5 : 0.5 * fall / (fall + 0.5 * actual);
            if (0.1 * fabs(g) >= fabs(f) || cut < 0.1) {
                cut = 0.1;
            }
            bound = cut * fmin(bound, size / 0.1);
            damping /= cut;
        } else if (damping == 0 || ratio >= 0.75) {
            bound = size / 0.5;
            damping *= 0.5;
        }
        if (ratio >= 1e-4) {
            u += step;
            f = g;
            slope = new_slope;
            first = 0;
        }
        if ((fabs(actual) <= LM_TOLERANCE && foreseen <= LM_TOLERANCE && ratio <= 2) ||
            bound <= LM_TOLERANCE * scale * fabs(u)) {
            break;
        }
    }
    return u;
}

/* ---- ellipsoids ------------------------------------------------------------------------------ */

#define TANGENT_ERROR 1e-8 /* sum of squares at which a tangent point is taken */
#define TANGENT_STEPS 50
#define TANGENT_TRIES 1000
#define ON_SURFACE 1e-4 /* value of the quadric up to which a point is its own tangent point */

/* The four conditions on a tangent point r and d = -(2 r/a^2).r: that it is in the plane
 * n.x = offset, on the ellipsoid, that d is what it is, and that the tangent plane holds p. Gives
 * their sum of squares. */
static double tangent_errors(const double *a, const double *p, const double *n, double offset,
                             const double *x, double *e) {
    double nr = 0, np = 0, value = -1;
    for (int k = 0; k < 3; k++) {
        double g = 2 * x[k] / (a[k] * a[k]);
        nr += g * x[k];
        np += g * p[k];
        value += x[k] * x[k] / (a[k] * a[k]);
    }
    e[0] = fb_v3_dot(n, x) - offset;
    e[1] = value;
    e[2] = nr + x[3];
    e[3] = np + x[3];
    return e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3];
}

/* Solves A x = b of four unknowns with pivoting; false if A is singular. */
static bool solve4(double A[4][4], double *b) {
    for (int i = 0; i < 4; i++) {
        int pivot = i;
        for (int j = i + 1; j < 4; j++) {
            pivot = fabs(A[j][i]) > fabs(A[pivot][i]) ? j : pivot;
        }
        if (A[pivot][i] == 0) {
            return false;
        }
        for (int k = 0; k < 4; k++) {
            double keep = A[i][k];
            A[i][k] = A[pivot][k];
            A[pivot][k] = keep;
        }
        double keep = b[i];
        b[i] = b[pivot];
        b[pivot] = keep;
        for (int j = i + 1; j < 4; j++) {
            double factor = A[j][i] / A[i][i];
            for (int k = i; k < 4; k++) {
                A[j][k] -= factor * A[i][k];
            }
            b[j] -= factor * b[i];
        }
    }
    for (int i = 3; i >= 0; i--) {
        for (int k = i + 1; k < 4; k++) {
            b[i] -= A[i][k] * b[k];
        }
        b[i] /= A[i][i];
    }
    return true;
}

/* One damped step from x: a sixteenth of the Levenberg-Marquardt step, shorter still where r is
 * seen from p in the direction of the centre. */
static bool tangent_step(const double *a, const double *p, const double *n, const double *x,
                         const double *e, double damping, double *step) {
    double J[4][4], A[4][4], to_r[3], to_centre[3];
    for (int i = 0; i < 3; i++) { /* by the unknowns, of the conditions */
        double square = a[i] * a[i];
        J[i][0] = n[i];
        J[i][1] = 2 * x[i] / square;
        J[i][2] = 4 * x[i] / square;
        J[i][3] = 2 * p[i] / square;
    }
    J[3][0] = J[3][1] = 0;
    J[3][2] = J[3][3] = 1;
    fb_v3_sub(to_r, p, x);
    fb_v3_copy(to_centre, p);
    fb_v3_normalize(to_r);
    fb_v3_normalize(to_centre);
    double cosine = fb_v3_dot(to_r, to_centre), part = cosine > 0.1 ? 1 - pow(cosine, 100) : 1;
    for (int i = 0; i < 4; i++) {
        step[i] = 0;
        for (int j = 0; j < 4; j++) {
            step[i] -= part / 16 * J[i][j] * e[j];
            A[i][j] = 0;
            for (int k = 0; k < 4; k++) {
                A[i][j] += J[i][k] * J[j][k];
            }
        }
        A[i][i] *= 1 + damping;
    }
    return solve4(A, step);
}

#define FAN_SAMPLES 300    /* of a chord, of which the first and the last are left out */
#define NEAREST_ERROR 1e-9 /* of the polynomial in t, at which the iteration ends */
#define NEAREST_STEPS 64
#define ON_AXIS 2e-13 /* a coordinate so small is taken for 0 */

/* Newton's iteration on the polynomial in t whose largest root gives the nearest point
 * a^2 p / (t + a^2) (J. Hart, Graphics Gems IV, 1994), in the n coordinates of `axes`. False if it
 * has not come to an end; c has its last state. */
static bool nearest_root(const double *a, const double *p, const int *axes, int n, double *c) {
    double value = 0, size = 0, most = 0, t = 0, f = 1;
    for (int i = 0; i < n; i++) {
        int k = axes[i];
        value += p[k] * p[k] / (a[k] * a[k]);
        size += p[k] * p[k];
        most = fmax(most, a[k]);
    }
    t = value < 1 ? 0 : most * sqrt(size);
    for (int step = 0; step < NEAREST_STEPS && fabs(f) >= NEAREST_ERROR; step++) {
        double all = 1, product[3], slope = 0; /* product[i]: of the other factors, squared */
        for (int i = 0; i < n; i++) {
            double s = t + a[axes[i]] * a[axes[i]];
            all *= s * s;
            product[i] = 1;
            for (int j = 0; j < n; j++) {
                double other = t + a[axes[j]] * a[axes[j]];
                product[i] *= j == i ? 1 : other * other;
            }
        }
        f = all;
        for (int i = 0; i < n; i++) {
            int k = axes[i];
            double square = a[k] * a[k] * p[k] * p[k], sum = 0;
            f -= square * product[i];
            for (int j = 0; j < n; j++) { /* derivative of the product of the other factors */
                double term = 2 * (t + a[axes[j]] * a[axes[j]]);
                for (int l = 0; l < n && j != i; l++) {
                    double other = t + a[axes[l]] * a[axes[l]];
                    term *= l == i || l == j ? 1 : other * other;
                }
                sum += j == i ? 0 : term;
            }
            slope += 2 * (t + a[k] * a[k]) * product[i] - square * sum;
        }
        if (fabs(f) >= NEAREST_ERROR) {
            for (int i = 0; i < n && n == 2; i++) {
                c[axes[i]] = a[axes[i]] * a[axes[i]] * p[axes[i]] / (t + a[axes[i]] * a[axes[i]]);
            }
            t -= f / slope;
        }
    }
    if (fabs(f) >= NEAREST_ERROR) {
        return false;
    }
    for (int i = 0; i < n; i++) {
        int k = axes[i];
        c[k] = a[k] * a[k] * p[k] / (t + a[k] * a[k]);
    }
    return true;
}

/* In the plane of two axes, where a point on one of them has a nearest point in closed form. */
static void nearest_in_plane(const double *a, const double *p, int i, int j, double *c) {
    int axes[2] = {i, j};
    bool on_j = fabs(p[i]) <= ON_AXIS, on_i = fabs(p[j]) <= ON_AXIS;
    c[i] = p[i];
    c[j] = p[j];
    if (on_i && on_j) {
        int k = a[i] < a[j] ? i : j;
        c[k] = p[k] < 0 ? -a[k] : a[k];
    } else if (on_i || on_j) {
        int along = on_i ? i : j, across = on_i ? j : i;
        double A = a[along], B = a[across];
        if (B >= A || fabs(p[along]) >= A - B * B / A) {
            c[along] = p[along] >= 0 ? A : -A;
        } else {
            c[along] = A * A * p[along] / (A * A - B * B);
            c[across] = B * sqrt(fabs(1 - c[along] * c[along] / (A * A)));
        }
    } else {
        nearest_root(a, p, axes, 2, c);
    }
}

void fb_wrap_opensim_nearest(const double *a, const double *p, int plane, double *c) {
    static const int all[3] = {0, 1, 2};
    double least = 1e300;
    for (int i = 0, any = plane < 0; i < 3 && any; i++) {
        double others = a[0] + a[1] + a[2] - a[i];
        if (fabs(p[i]) <= ON_AXIS && others < least) {
            plane = i;
            least = others;
        }
    }
    if (plane < 0) {
        nearest_root(a, p, all, 3, c);
    } else {
        c[plane] = p[plane];
        nearest_in_plane(a, p, (plane + 1) % 3, (plane + 2) % 3, c);
    }
}

void fb_wrap_opensim_fan(const double *a, const double *r1, const double *r2, double *sum) {
    double s[3] = {r1[0], r1[1], r1[2]};
    for (int i = 1; i < FAN_SAMPLES - 1; i++) {
        double p[3], direction[3];
        for (int k = 0; k < 3; k++) {
            p[k] = r1[k] + (double)i / FAN_SAMPLES * (r2[k] - r1[k]);
        }
        fb_wrap_opensim_nearest(a, p, -1, s);
        fb_v3_sub(direction, s, p);
        fb_v3_normalize(direction);
        fb_v3_add(sum, sum, direction);
    }
}

void fb_wrap_opensim_tangent(const double *a, const double *p, double value, const double *n,
                             double offset, double *r) {
    double x[4], e[4], step[4], damping = 0.01;
    if (fabs(value) < ON_SURFACE) {
        fb_v3_copy(r, p);
        return;
    }
    fb_v3_copy(x, r);
    x[3] = 0;
    for (int k = 0; k < 3; k++) {
        x[3] -= 2 * x[k] * x[k] / (a[k] * a[k]);
    }
    double sum = tangent_errors(a, p, n, offset, x, e), before = sum;
    for (int i = 0; i < TANGENT_STEPS && sum > TANGENT_ERROR; i++) {
        double from[4] = {x[0], x[1], x[2], x[3]}, at[4] = {e[0], e[1], e[2], e[3]};
        /* steps that are not taken back, with ever more damping, until one leads down */
        for (int tries = 0; sum >= before && tries < TANGENT_TRIES; tries++) {
            if (!tangent_step(a, p, n, from, at, damping, step)) {
                return;
            }
            for (int k = 0; k < 4; k++) {
                x[k] += step[k];
            }
            before = sum;
            sum = tangent_errors(a, p, n, offset, x, e);
            damping *= 4;
        }
        damping /= 8;
        double factor = 0.5; /* then on in that direction, twice as far each time */
        for (int tries = 0; sum <= before && tries < TANGENT_TRIES; tries++) {
            factor *= 2;
            for (int k = 0; k < 4; k++) {
                x[k] += factor * step[k];
            }
            before = sum;
            sum = tangent_errors(a, p, n, offset, x, e);
        }
        for (int k = 0; k < 4; k++) {
            x[k] -= factor * step[k];
        }
        before = sum = tangent_errors(a, p, n, offset, x, e);
    }
    fb_v3_copy(r, x);
}
