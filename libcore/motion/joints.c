#include "libcore/motion/joints.h"

#include <string.h>

static const double unit[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

/* ---- joints made of axes -------------------------------------------------------------------- */

/* An axis's value with derivatives by its arguments. */
static double axis_value(const fb_axis *axis, const double *q, double *gradient, double *hessian) {
    if (axis->constant) {
        return axis->value;
    }
    if (axis->direct) {
        if (gradient) {
            gradient[0] = 1;
        }
        if (hessian) {
            hessian[0] = 0;
        }
        return q[axis->argument[0]];
    }
    double x[6];
    for (int i = 0; i < axis->n; i++) {
        x[i] = q[axis->argument[i]];
    }
    return axis->n == 1 ? fb_function_value(&axis->function, x[0], gradient, hessian)
                        : fb_function_value_n(&axis->function, axis->n, x, gradient, hessian);
}

/* R becomes R times the rotation by an angle about an axis. */
static void turn(double *R, const fb_axis *axis, double angle) {
    if (axis->along < 0) {
        double rotation[9], next[9];
        fb_m3_rotation(rotation, axis->direction, angle);
        fb_m3_mul(next, R, rotation);
        memcpy(R, next, sizeof next);
        return;
    }
    int a = (axis->along + 1) % 3, b = (axis->along + 2) % 3; /* the columns that it mixes */
    double c = cos(angle), s = sin(angle);
    for (int i = 0; i < 9; i += 3) {
        double x = R[i + a], y = R[i + b];
        R[i + a] = c * x + s * y;
        R[i + b] = c * y - s * x;
    }
}

static void axes_position(const fb_mobod *m, const double *q, double *axes, fb_joint_motion *out) {
    fb_pose_identity(&out->X);
    for (int i = 0; i < m->n_rotations; i++) { /* body-fixed: later axes turn with earlier ones */
        const fb_axis *axis = &m->axes[i];
        double *direction = axes + axis->at, *gradient = direction + 3;
        double angle = axis_value(axis, q, gradient, gradient + axis->n);
        fb_m3_mul_v3(direction, out->X.R, axis->direction);
        for (int j = 0; !axis->constant && j < axis->n; j++) {
            fb_v3_madd(out->Hw[axis->argument[j]], gradient[j], direction);
        }
        turn(out->X.R, axis, angle);
    }
    for (int i = 0; i < m->n_translations; i++) {
        const fb_axis *axis = &m->axes[m->n_rotations + i];
        double *gradient = axes + axis->at + 3;
        fb_v3_madd(out->X.p, axis_value(axis, q, gradient, gradient + axis->n), axis->direction);
        for (int j = 0; !axis->constant && j < axis->n; j++) {
            fb_v3_madd(out->Hv[axis->argument[j]], gradient[j], axis->direction);
        }
    }
}

/* The axis's own speed, and the part of its acceleration that does not depend on udot. */
static void axis_speed(const fb_axis *axis, const double *axes, const double *u, double *speed,
                       double *bias) {
    const double *gradient = axes + axis->at + 3, *hessian = gradient + axis->n;
    *speed = *bias = 0;
    for (int i = 0; !axis->constant && i < axis->n; i++) {
        double ui = u[axis->argument[i]];
        *speed += gradient[i] * ui;
        for (int j = 0; j < axis->n; j++) {
            *bias += hessian[i * axis->n + j] * ui * u[axis->argument[j]];
        }
    }
}

/* Angular velocity of a body-fixed sequence when only the first `most` speeds of the joint move. */
static void partial_velocity(const fb_mobod *m, const double *axes, const double *u, int most,
                             double *w) {
    fb_v3_set(w, 0, 0, 0);
    for (int i = 0; i < m->n_rotations; i++) {
        double some[FB_JOINT_MAX] = {0}, speed, bias;
        for (int k = 0; k < m->n_q; k++) { /* one: the first; two: all but the third */
            some[k] = (most == 1 ? k == 0 : k != 2) ? u[k] : 0;
        }
        axis_speed(&m->axes[i], axes, some, &speed, &bias);
        fb_v3_madd(w, speed, axes + m->axes[i].at);
    }
}

static void axes_velocity(const fb_mobod *m, const double *u, const double *axes,
                          fb_joint_motion *out) {
    double w[3] = {0, 0, 0};
    for (int i = 0; i < m->n_rotations; i++) {
        const fb_axis *axis = &m->axes[i];
        const double *direction = axes + axis->at;
        double moved[3], speed, bias;
        axis_speed(axis, axes, u, &speed, &bias);
        /* an axis moves with the rotations before it. OpenSim 4 takes for its velocity that of the
         * joint's first speed, or first two, alone: the same only if each rotation has a speed of
         * its own */
        if (m->as_opensim4 && axis->slot > 0) {
            double taken[3];
            partial_velocity(m, axes, u, axis->slot == 1 ? 1 : 2, taken);
            fb_v3_cross(moved, taken, direction);
        } else {
            fb_v3_cross(moved, w, direction);
        }
        fb_v3_madd(out->bias_w, bias, direction);
        fb_v3_madd(out->bias_w, speed, moved);
        fb_v3_madd(w, speed, direction);
    }
    for (int i = 0; i < m->n_translations; i++) {
        const fb_axis *axis = &m->axes[m->n_rotations + i];
        double speed, bias;
        axis_speed(axis, axes, u, &speed, &bias);
        fb_v3_madd(out->bias_v, bias, axis->direction);
    }
}

/* ---- joints whose speeds are angular velocities --------------------------------------------- */

static void ball_position(const fb_mobod *m, const double *q, fb_joint_motion *out) {
    fb_m3_from_xyz(out->X.R, q);
    fb_v3_set(out->X.p, 0, 0, 0);
    for (int i = 0; i < 3; i++) {
        fb_v3_copy(out->Hw[i], unit[i]);
    }
    if (m->kind == FB_JOINT_FREE) {
        fb_v3_copy(out->X.p, q + 3);
        for (int i = 0; i < 3; i++) {
            fb_v3_copy(out->Hv[3 + i], unit[i]);
        }
    }
}

/* The origin is where the radii put the third axis n of M: p = (A nx, B ny, C nz). */
static void ellipsoid_position(const double *radii, const double *q, fb_joint_motion *out) {
    fb_m3_from_xyz(out->X.R, q);
    const double n[3] = {out->X.R[2], out->X.R[5], out->X.R[8]};
    for (int i = 0; i < 3; i++) {
        double turned[3];
        out->X.p[i] = radii[i] * n[i];
        fb_v3_copy(out->Hw[i], unit[i]);
        fb_v3_cross(turned, unit[i], n);
        for (int k = 0; k < 3; k++) {
            out->Hv[i][k] = radii[k] * turned[k];
        }
    }
}

static void ellipsoid_velocity(const double *radii, const double *u, fb_joint_motion *out) {
    const double n[3] = {out->X.R[2], out->X.R[5], out->X.R[8]};
    double ndot[3], nddot[3];
    fb_v3_cross(ndot, u, n);
    fb_v3_cross(nddot, u, ndot);
    for (int k = 0; k < 3; k++) {
        out->bias_v[k] = radii[k] * nddot[k];
    }
}

/* The scapula: an ellipsoid joint between frames turned by 90 degrees about z, then winging about a
 * line in the xy plane. parameters: radii, origin x y, direction angle. */
typedef struct scapula {
    fb_joint_motion on; /* the ellipsoid joint, in the turned frame */
    double axis[3];     /* of winging, in the unwinged scapula frame */
    double point[3];    /* on that axis */
} scapula;

static void scapula_begin(const fb_mobod *m, const double *q, scapula *s) {
    const double *p = m->parameters, radii[3] = {p[1], p[0], p[2]};
    memset(&s->on, 0, sizeof s->on);
    ellipsoid_position(radii, q, &s->on);
    fb_v3_set(s->axis, -sin(p[5]), cos(p[5]), 0);
    fb_v3_set(s->point, p[3], p[4], 0);
}

/* Vectors of the turned frame in F, and of F in the turned one: Rz(90 degrees). */
static void turn_out(double *r, const double *a) {
    fb_v3_set(r, -a[1], a[0], a[2]);
}

static void turn_matrix(double *r, const double *a) { /* Ez a Ez^-1 */
    static const double Ez[9] = {0, -1, 0, 1, 0, 0, 0, 0, 1};
    double t[9];
    fb_m3_mul(t, Ez, a);
    fb_m3_mult(r, t, Ez);
}

static void scapula_position(const fb_mobod *m, const double *q, fb_joint_motion *out) {
    scapula s;
    scapula_begin(m, q, &s);
    double R[9], p[3], W[9], arm[3], swing[3], axis[3];
    turn_matrix(R, s.on.X.R);
    turn_out(p, s.on.X.p);
    fb_m3_rotation(W, s.axis, q[3]);
    fb_m3_mul(out->X.R, R, W);
    fb_m3_mul_v3(arm, W, s.point); /* origin after winging: c - W c, in the unwinged frame */
    fb_v3_sub(swing, s.point, arm);
    fb_m3_mul_v3(arm, R, swing);
    fb_v3_add(out->X.p, p, arm);
    for (int i = 0; i < 3; i++) {
        double v[3], extra[3];
        turn_out(out->Hw[i], s.on.Hw[i]);
        turn_out(v, s.on.Hv[i]);
        fb_v3_cross(extra, out->Hw[i], arm);
        fb_v3_add(out->Hv[i], v, extra);
    }
    fb_m3_mul_v3(axis, R, s.axis);
    fb_v3_copy(out->Hw[3], axis);
    double from_axis[3], c[3];
    fb_m3_mul_v3(c, R, s.point);
    fb_v3_sub(from_axis, arm, c); /* M's origin seen from the axis */
    fb_v3_cross(out->Hv[3], axis, from_axis);
}

static void scapula_velocity(const fb_mobod *m, const double *q, const double *u,
                             fb_joint_motion *out) {
    scapula s;
    scapula_begin(m, q, &s);
    const double *p = m->parameters, radii[3] = {p[1], p[0], p[2]};
    ellipsoid_velocity(radii, u, &s.on);
    double R[9], W[9], arm[3], swing[3], axis[3], c[3], w[3], a[3], t[3], t2[3];
    turn_matrix(R, s.on.X.R);
    turn_out(w, u); /* angular velocity of the unwinged frame */
    turn_out(a, s.on.bias_v);
    fb_m3_rotation(W, s.axis, q[3]);
    fb_m3_mul_v3(arm, W, s.point);
    fb_v3_sub(swing, s.point, arm);
    fb_m3_mul_v3(arm, R, swing);
    fb_m3_mul_v3(axis, R, s.axis);
    fb_m3_mul_v3(c, R, s.point);
    /* origin: p + arm; arm turns with w, and swings about the axis with u[3] */
    double from_axis[3], swing_v[3];
    fb_v3_sub(from_axis, arm, c);
    fb_v3_cross(swing_v, axis, from_axis);
    fb_v3_copy(out->bias_v, a);
    fb_v3_cross(t, w, arm); /* w x (w x arm) */
    fb_v3_cross(t2, w, t);
    fb_v3_add(out->bias_v, out->bias_v, t2);
    fb_v3_cross(t, w, swing_v); /* 2 w x swing */
    fb_v3_madd(out->bias_v, 2 * u[3], t);
    fb_v3_cross(t, axis, swing_v); /* swing's own centripetal part */
    fb_v3_madd(out->bias_v, u[3] * u[3], t);
    fb_v3_cross(t, w, axis);
    fb_v3_scale(out->bias_w, u[3], t);
}

/* ---- bending segments ----------------------------------------------------------------------- */

/* The tip of a cantilever of length L under a transverse load (P. Jain and R. Shivakumar; as in
 * Simbody): XYZ angles with derivatives as speeds, origin (2/3 q2 L, -2/3 q1 L, L - 4/15 (q1^2 +
 * q2^2) L). */
static void beam_position(const fb_mobod *m, const double *q, fb_joint_motion *out) {
    double L = m->parameters[0], Rx[9], Rxy[9], Ry[9];
    fb_m3_from_xyz(out->X.R, q);
    fb_m3_rotation(Rx, unit[0], q[0]);
    fb_m3_rotation(Ry, unit[1], q[1]);
    fb_m3_mul(Rxy, Rx, Ry);
    fb_v3_copy(out->Hw[0], unit[0]);
    fb_m3_mul_v3(out->Hw[1], Rx, unit[1]);
    fb_m3_mul_v3(out->Hw[2], Rxy, unit[2]);
    fb_v3_set(out->X.p, 2.0 / 3 * q[1] * L, -2.0 / 3 * q[0] * L,
              L - 4.0 / 15 * (q[0] * q[0] + q[1] * q[1]) * L);
    fb_v3_set(out->Hv[0], 0, -2.0 / 3 * L, -8.0 / 15 * q[0] * L);
    fb_v3_set(out->Hv[1], 2.0 / 3 * L, 0, -8.0 / 15 * q[1] * L);
}

static void beam_velocity(const fb_mobod *m, const double *u, fb_joint_motion *out) {
    double L = m->parameters[0], w[3], t[3];
    fb_v3_scale(w, u[0], out->Hw[0]);
    fb_v3_cross(t, w, out->Hw[1]);
    fb_v3_madd(out->bias_w, u[1], t);
    fb_v3_madd(w, u[1], out->Hw[1]);
    fb_v3_cross(t, w, out->Hw[2]);
    fb_v3_madd(out->bias_w, u[2], t);
    fb_v3_set(out->bias_v, 0, 0, -8.0 / 15 * L * (u[0] * u[0] + u[1] * u[1]));
}

/* ---- all ------------------------------------------------------------------------------------ */

bool fb_joint_has_angular_speeds(const fb_mobod *m) {
    return m->kind == FB_JOINT_BALL || m->kind == FB_JOINT_FREE || m->kind == FB_JOINT_ELLIPSOID ||
           m->kind == FB_JOINT_SCAPULOTHORACIC;
}

void fb_joint_position(const fb_mobod *m, const double *q, double *axes, fb_joint_motion *out) {
    memset(out->Hw, 0, (size_t)m->n_q * sizeof out->Hw[0]);
    memset(out->Hv, 0, (size_t)m->n_q * sizeof out->Hv[0]);
    switch (m->kind) {
    case FB_JOINT_AXES: axes_position(m, q, axes, out); break;
    case FB_JOINT_BALL:
    case FB_JOINT_FREE: ball_position(m, q, out); break;
    case FB_JOINT_ELLIPSOID: ellipsoid_position(m->parameters, q, out); break;
    case FB_JOINT_SCAPULOTHORACIC: scapula_position(m, q, out); break;
    case FB_JOINT_BEAM: beam_position(m, q, out); break;
    case FB_JOINT_ARC: fb_joint_arc_position(m, q, out); break;
    }
}

void fb_joint_velocity(const fb_mobod *m, const double *q, const double *u, const double *axes,
                       fb_joint_motion *out) {
    fb_v3_set(out->bias_w, 0, 0, 0);
    fb_v3_set(out->bias_v, 0, 0, 0);
    switch (m->kind) {
    case FB_JOINT_AXES: axes_velocity(m, u, axes, out); break;
    case FB_JOINT_BALL:
    case FB_JOINT_FREE: break; /* the speeds' axes do not move in F */
    case FB_JOINT_ELLIPSOID: ellipsoid_velocity(m->parameters, u, out); break;
    case FB_JOINT_SCAPULOTHORACIC: scapula_velocity(m, q, u, out); break;
    case FB_JOINT_BEAM: beam_velocity(m, u, out); break;
    case FB_JOINT_ARC: fb_joint_arc_velocity(m, q, u, out); break;
    }
}

void fb_joint_qdot(const fb_mobod *m, const double *q, const double *u, double *qdot) {
    if (!fb_joint_has_angular_speeds(m)) {
        memcpy(qdot, u, (size_t)m->n_q * sizeof *u);
        return;
    }
    /* XYZ angles from the angular velocity in the parent frame; singular at q2 = 90 degrees */
    double s1 = sin(q[0]), c1 = cos(q[0]), s2 = sin(q[1]), c2 = cos(q[1]);
    if (fabs(c2) < 1e-10) {
        c2 = c2 < 0 ? -1e-10 : 1e-10;
    }
    double side = (s1 * u[1] - c1 * u[2]) / c2;
    qdot[0] = u[0] + s2 * side;
    qdot[1] = c1 * u[1] + s1 * u[2];
    qdot[2] = -side;
    for (int i = 3; i < m->n_q; i++) {
        qdot[i] = u[i];
    }
}

void fb_joint_qdot_bias(const fb_mobod *m, const double *q, const double *u, double *bias) {
    memset(bias, 0, (size_t)m->n_q * sizeof *bias);
    if (!fb_joint_has_angular_speeds(m)) {
        return;
    }
    double s1 = sin(q[0]), c1 = cos(q[0]), s2 = sin(q[1]), c2 = cos(q[1]), qdot[FB_JOINT_MAX];
    if (fabs(c2) < 1e-10) {
        c2 = c2 < 0 ? -1e-10 : 1e-10;
    }
    fb_joint_qdot(m, q, u, qdot);
    double side = (s1 * u[1] - c1 * u[2]) / c2;
    double rate = qdot[0] * qdot[1] / c2 + side * s2 / c2 * qdot[1]; /* of side */
    bias[0] = c2 * qdot[1] * side + s2 * rate;
    bias[1] = -qdot[0] * side * c2;
    bias[2] = -rate;
}
