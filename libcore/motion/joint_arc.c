/* A segment that bends along an arc of constant length and curvature (ConstantCurvatureJoint).
 *
 * M's axes turn by x, z, y (body-fixed) of coordinate plus neutral angle. The arc leaves F's origin
 * along its y axis and ends at M's origin along M's y axis n. With the angle a between the two, its
 * chord is along their bisector: p = L A (n + y), A = tan(a/2) / a. A is written as a function of c
 * = cos a = n_y, which has no singular point but a = 180 degrees.
 *
 * OpenSim 4.5.2 (Simulation/SimbodyEngine/ConstantCurvatureJoint.cpp) differs; with as_opensim4:
 * where sin a < 0.001 or > 0.999 the segment is straight along n, and its velocity is that of its
 * middle; the speeds' motions are given in M's axes where F's are meant; and their change with time
 * counts as none. */
#include "libcore/motion/joints.h"

#include <math.h>

#define NEAR_STRAIGHT 0.02 /* 1 - c below which A is its series */
#define LEAST_COSINE (-1 + 1e-9)

/* A and its first two derivatives by c. The series is that of A^2 = e / ((2 - e) a^2), e = 1 - c,
 * with a^2 = 2 sum (2 e)^n / (n^2 binomial(2n, n)). */
static void bend(double c, double A[3]) {
    static const double series[] = {1.0 / 2,
                                    1.0 / 12,
                                    11.0 / 360,
                                    191.0 / 15120,
                                    2497.0 / 453600,
                                    14797.0 / 5987520,
                                    92427157.0 / 81729648000,
                                    36740617.0 / 70053984000,
                                    61430943169.0 / 250092722880000};
    enum { N = sizeof series / sizeof *series };
    double e = 1 - c;
    A[0] = A[1] = A[2] = 0;
    if (e < NEAR_STRAIGHT) {
        for (int k = N - 1; k >= 0; k--) {
            A[2] = A[2] * e + (k + 2 < N ? (k + 1) * (k + 2) * series[k + 2] : 0);
            A[1] = A[1] * e - (k + 1 < N ? (k + 1) * series[k + 1] : 0);
            A[0] = A[0] * e + series[k];
        }
        return;
    }
    c = c < LEAST_COSINE ? LEAST_COSINE : c;
    double a = acos(c), s = sin(a), t = tan(a / 2), half = (1 + t * t) / 2; /* half = dt/da */
    double Aa = half / a - t / (a * a);
    double Aaa = t * half / a - 2 * half / (a * a) + 2 * t / (a * a * a);
    A[0] = t / a;
    A[1] = -Aa / s;
    A[2] = (Aaa * s - Aa * c) / (s * s * s);
}

/* M's axes and the directions of its three rotations, in F. */
static void turn(const fb_mobod *m, const double *q, double *R, double axes[3][3]) {
    static const double x[3] = {1, 0, 0}, y[3] = {0, 1, 0}, z[3] = {0, 0, 1};
    const double *neutral = m->parameters + 1;
    double Rx[9], Rz[9], Ry[9], Rxz[9];
    fb_m3_rotation(Rx, x, q[0] + neutral[0]);
    fb_m3_rotation(Rz, z, q[1] + neutral[1]);
    fb_m3_rotation(Ry, y, q[2] + neutral[2]);
    fb_m3_mul(Rxz, Rx, Rz);
    fb_m3_mul(R, Rxz, Ry);
    fb_v3_copy(axes[0], x);
    fb_m3_mul_v3(axes[1], Rx, z);
    fb_m3_mul_v3(axes[2], Rxz, y);
}

/* d/dt (A (n + y)) for n' = rate. */
static void chord_rate(double *v, double L, const double A[3], const double *n,
                       const double *rate) {
    fb_v3_copy(v, n);
    v[1] += 1;
    fb_v3_scale(v, L * A[1] * rate[1], v);
    fb_v3_madd(v, L * A[0], rate);
}

static bool taken_as_straight(const fb_mobod *m, const double *n) {
    double sine = hypot(n[0], n[2]);
    return m->as_opensim4 && (sine < 0.001 || sine > 0.999);
}

void fb_joint_arc_position(const fb_mobod *m, const double *q, fb_joint_motion *out) {
    double L = m->parameters[0], A[3];
    turn(m, q, out->X.R, out->Hw);
    const double *n = out->Hw[2];
    bend(n[1], A);
    fb_v3_copy(out->X.p, n);
    out->X.p[1] += 1;
    fb_v3_scale(out->X.p, L * A[0], out->X.p);
    for (int i = 0; i < 3; i++) {
        double rate[3];
        fb_v3_cross(rate, out->Hw[i], n);
        chord_rate(out->Hv[i], L, A, n, rate);
    }
    if (!m->as_opensim4) {
        return;
    }
    bool straight = taken_as_straight(m, n);
    if (straight) {
        fb_v3_scale(out->X.p, L, n);
    }
    for (int i = 0; i < 3; i++) { /* in M's axes */
        double w[3], v[3];
        fb_m3_tmul_v3(w, out->X.R, out->Hw[i]);
        fb_m3_tmul_v3(v, out->X.R, out->Hv[i]);
        if (straight) {
            fb_v3_cross(v, w, out->X.p);
            fb_v3_scale(v, 0.5, v);
        }
        fb_v3_copy(out->Hv[i], v);
        fb_v3_copy(out->Hw[i], w);
    }
}

void fb_joint_arc_velocity(const fb_mobod *m, const double *q, const double *u,
                           fb_joint_motion *out) {
    if (m->as_opensim4) {
        return;
    }
    double R[9], axes[3][3], A[3], w[3], t[3], rate[3], bias[3], chord[3], L = m->parameters[0];
    turn(m, q, R, axes);
    const double *n = axes[2];
    bend(n[1], A);
    fb_v3_scale(w, u[0], axes[0]); /* each axis moves with the rotations before it */
    fb_v3_cross(t, w, axes[1]);
    fb_v3_madd(out->bias_w, u[1], t);
    fb_v3_madd(w, u[1], axes[1]);
    fb_v3_cross(rate, w, n); /* n' */
    fb_v3_cross(bias, w, rate);
    fb_v3_cross(t, out->bias_w, n);
    fb_v3_add(bias, bias, t); /* n'' without udot */
    fb_v3_madd(out->bias_w, u[2], rate);
    chord_rate(out->bias_v, L, A, n, bias);
    fb_v3_copy(chord, n);
    chord[1] += 1;
    fb_v3_madd(out->bias_v, L * A[2] * rate[1] * rate[1], chord);
    fb_v3_madd(out->bias_v, 2 * L * A[1] * rate[1], rate);
}
