/* Nine parameters: A = R diag(s), the scales along the standard body's axes.
 *
 * About the centroids, for a rotation with columns r_i the best scales are s_i = r_i.h_i / G_ii
 * (h_i: columns of H = sum w q p^T, G = sum w p p^T), and what is left to do is to maximise
 * f(R) = sum (r_i.h_i)^2 / G_ii over rotations: with b_i = h_i / sqrt(G_ii), f = sum (r_i.b_i)^2.
 */
#include <math.h>
#include <string.h>

#include "libcore/base/spatial.h"
#include "libcore/motion/solve.h"
#include "libcore/register/transform_internal.h"

#define STEPS 500
#define SETTLED 1e-15 /* rad */

static void column(double *r, const double *m, int i) {
    fb_v3_set(r, m[i], m[3 + i], m[6 + i]);
}

/* c_i = r_i.b_i; returns f. */
static double captured(const double *R, const double *B, double *c) {
    double f = 0;
    for (int i = 0; i < 3; i++) {
        double r[3], b[3];
        column(r, R, i);
        column(b, B, i);
        c[i] = fb_v3_dot(r, b);
        f += c[i] * c[i];
    }
    return f;
}

/* The Newton step: R becomes exp(turn) R. False where f is not concave. */
static bool newton_turn(const double *R, const double *B, const double *c, double *turn) {
    double M[9] = {0}; /* minus half the second derivative */
    fb_v3_set(turn, 0, 0, 0);
    for (int i = 0; i < 3; i++) {
        double r[3], b[3], g[3];
        column(r, R, i);
        column(b, B, i);
        fb_v3_cross(g, r, b);
        fb_v3_madd(turn, c[i], g);
        for (int k = 0; k < 9; k++) {
            int m = k / 3, n = k % 3;
            M[k] += c[i] * ((m == n ? c[i] : 0) - (b[m] * r[n] + b[n] * r[m]) / 2) - g[m] * g[n];
        }
    }
    if (!fb_cholesky(3, M, 1e-12)) {
        return false;
    }
    fb_cholesky_forward(3, M, turn);
    fb_cholesky_backward(3, M, turn);
    return isfinite(turn[0] + turn[1] + turn[2]);
}

/* The alternating step: the scales of R kept, the best rotation for them. f never falls. */
static void alternate(const double *B, const double *c, double *R) {
    double W[9];
    for (int k = 0; k < 9; k++) {
        W[k] = B[k] * c[k % 3];
    }
    fb_polar3(W, R);
}

static double climb(const double *B, double *R) {
    double c[3], f = captured(R, B, c);
    for (int step = 0; step < STEPS; step++) {
        double turn[3], E[9], next[9], c_next[3];
        if (newton_turn(R, B, c, turn)) {
            double angle = fb_v3_normalize(turn);
            fb_m3_rotation(E, turn, angle);
            fb_m3_mul(next, E, R);
            double f_next = captured(next, B, c_next);
            if (f_next >= f * (1 - 1e-14)) {
                memcpy(R, next, sizeof next);
                memcpy(c, c_next, sizeof c_next);
                f = f_next;
                if (angle < SETTLED) {
                    break;
                }
                continue;
            }
        }
        alternate(B, c, R);
        f = captured(R, B, c);
    }
    return f;
}

/* Climbs from one start; keeps the result if it is the best with scales above 0. */
static void try_start(const double *B, const double *start, double *best, double *R) {
    double from[9], c[3];
    fb_polar3(start, from);
    double f = climb(B, from);
    captured(from, B, c);
    if (c[0] > 0 && c[1] > 0 && c[2] > 0 && f > *best * (1 + 1e-12)) {
        *best = f;
        fb_polar3(from, R);
    }
}

/* The best R for B, from several starts; returns f, 0 if none has scales above 0. */
static double best_rotation(const double *B, const double *G, const double *affine, double *R) {
    double best = 0, H[9], start[9];
    for (int k = 0; k < 9; k++) {
        H[k] = B[k] * sqrt(G[4 * (k % 3)]);
    }
    try_start(B, H, &best, R); /* a similarity's rotation */
    try_start(B, B, &best, R);
    try_start(B, affine, &best, R);
    for (int i = 0; i < 27; i++) { /* and from far away */
        double angles[3] = {i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1}, turn[9], near[9];
        fb_m3_from_xyz(turn, angles);
        fb_polar3(B, near);
        fb_m3_mul(start, turn, near);
        try_start(B, start, &best, R);
    }
    return best;
}

fb_status fb_fit_anisotropic(fb_transform *transform, const fb_fit *fit) {
    double from[3], to[3], G[9], H[9], B[9], R[9], mirrored_R[9], c[3];
    fb_status status = fb_fit_affine(transform, fit);
    if (status != FB_OK) {
        return status;
    }
    fb_fit_moments(fit, from, to, G, H);
    for (int k = 0; k < 9; k++) {
        B[k] = H[k] / sqrt(G[4 * (k % 3)]);
    }
    double sign = 1, best = best_rotation(B, G, transform->linear, R);
    if (fit->mirror) {
        double minus[9], affine[9];
        for (int k = 0; k < 9; k++) {
            minus[k] = -B[k];
            affine[k] = -transform->linear[k];
        }
        double f = best_rotation(minus, G, affine, mirrored_R);
        if (f > best * (1 + 1e-12)) {
            best = f;
            sign = -1;
            memcpy(R, mirrored_R, sizeof mirrored_R);
            memcpy(B, minus, sizeof minus);
        }
    }
    if (!(best > 0)) {
        return FB_E_NUMERIC;
    }
    captured(R, B, c);
    for (int i = 0; i < 3; i++) {
        transform->scale[i] = c[i] / sqrt(G[4 * i]);
    }
    for (int k = 0; k < 9; k++) {
        transform->linear[k] = sign * R[k] * transform->scale[k % 3];
    }
    memcpy(transform->rotation, R, sizeof R);
    transform->mirrored = sign < 0;
    double moved[3];
    fb_m3_mul_v3(moved, transform->linear, from);
    fb_v3_sub(transform->translation, to, moved);
    return FB_OK;
}
