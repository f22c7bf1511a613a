/* Springs, ligaments, bushings and limits: forces that depend on the pose and its speeds only.
 * Sources: OpenSim 4.5.2 (classes of these names in Simulation/Model) and Simbody's LinearBushing;
 * L. Blankevoort, R. Huiskes, A. de Lange, J. Biomech. 24 (1991) 1019-1031. */
#include "libcore/muscle/force_internal.h"

#include <math.h>
#include <string.h>

/* ---- coordinates ---------------------------------------------------------------------------- */

/* 10 x^3 - 15 x^4 + 6 x^5 between 0 and 1 */
static double smooth_step(double x) {
    return x <= 0 ? 0 : x >= 1 ? 1 : x * x * x * (10 + x * (6 * x - 15));
}

/* How far a displacement beyond a limit has switched it on. */
static double onset(double beyond, double transition) {
    return transition > 0 ? smooth_step(beyond / transition) : beyond > 0 ? 1 : 0;
}

/* CoordinateLimitForce: -K_up S_up (q - q_up) + K_low S_low (q_low - q) - c (S_up + S_low) u.
 * p: upper stiffness, upper limit, lower stiffness, lower limit, damping, transition */
static double coordinate_limit(const double *p, double q, double u) {
    double up = onset(q - p[1], p[5]), low = onset(p[3] - q, p[5]);
    return -p[0] * up * (q - p[1]) + p[2] * low * (p[3] - q) - p[4] * (up + low) * u;
}

/* SpringGeneralizedForce: -k (q - q_0) - c u */
static double coordinate_spring(const double *p, double q, double u) {
    return -p[0] * (q - p[1]) - p[2] * u;
}

/* ExponentialCoordinateForce: k0 + k1 exp(k2 (q - q1)) + k3 exp(k4 (q - q2)) */
static double exponential(const double *p, double q) {
    return p[0] + p[1] * exp(p[2] * (q - p[5])) + p[3] * exp(p[4] * (q - p[6]));
}

/* ExponentialCoordinateLimitForce: a_low exp(-b_low (q - q_low)) - a_up exp(b_up (q - q_up)), after
 * F. Anderson, M. Pandy, Comput. Methods Biomech. Biomed. Engin. 2 (1999) 201-231.
 * p: limits (lower, upper), a and b of the lower, of the upper */
static double exponential_limit(const double *p, double q) {
    return p[2] * exp(-p[3] * (q - p[0])) - p[4] * exp(p[5] * (q - p[1]));
}

/* ---- paths ---------------------------------------------------------------------------------- */

/* PathSpring: k s (1 + d L'), s = L - L_0 if that is positive; never negative, but in OpenSim 4,
 * where it pushes if it shortens fast */
static double path_spring(const double *p, double length, double speed, bool pushes) {
    double stretch = length - p[0];
    double tension = stretch > 0 ? p[1] * stretch * (1 + p[2] * speed) : 0;
    return tension > 0 || pushes ? tension : 0;
}

/* Ligament: pcsa_force f(L / L_rest) beyond the resting length */
static double ligament(const fb_force *force, double length) {
    const double *p = force->p;
    return length > p[0] ? p[1] * fb_function_value(force->functions, length / p[0], NULL, NULL)
                         : 0;
}

/* Blankevoort1991Ligament, strain e = (L - L_s) / L_s: k e^2 / (2 e_t) in the toe region, then
 * k (e - e_t / 2); while lengthening c e' is added, faded in over the first hundredth of strain.
 * p: stiffness, transition strain, damping, slack length */
static double blankevoort(const double *p, double length, double speed) {
    double strain = (length - p[3]) / p[3], rate = speed / p[3], tension;
    if (!(strain > 0)) {
        return 0;
    }
    tension = strain < p[1] ? p[0] * strain * strain / (2 * p[1]) : p[0] * (strain - p[1] / 2);
    if (rate > 0) {
        tension += p[2] * rate * smooth_step(strain / 0.01);
    }
    return tension > 0 ? tension : 0;
}

/* ExpressionBasedPathForce: a formula in stretch (0 instead of negative if p[1]) and L' */
static double path_expression(const fb_force *force, double length, double speed) {
    double x[2] = {length - force->p[0], speed};
    if (force->p[1] != 0 && x[0] < 0) {
        x[0] = 0;
    }
    return fb_expression_value(force->expression[0], x, NULL, NULL);
}

/* ---- two points ----------------------------------------------------------------------------- */

/* PointToPointSpring: k (d - d_0) towards each other. ExpressionBasedPointToPointForce: the same
 * with a formula in d and d'. */
static void two_points(const fb_force *force, const fb_force_work *work) {
    const fb_state *state = work->state;
    double at[2][3], v[2][3], direction[3], relative[3], pull[3], size;
    for (int i = 0; i < 2; i++) {
        double in_body[3];
        fb_pose_point(in_body, &force->frame[i], force->point[i]);
        fb_pose_point(at[i], &state->pose[force->body[i]], in_body);
        fb_point_velocity(v[i], state, force->body[i], at[i]);
    }
    fb_v3_sub(direction, at[1], at[0]);
    fb_v3_sub(relative, v[1], v[0]);
    double d = fb_v3_normalize(direction);
    if (force->kind == FB_FORCE_POINT_TO_POINT_SPRING) {
        size = force->p[0] * (d - force->p[1]);
    } else {
        double x[2] = {d, fb_v3_dot(relative, direction)};
        size = fb_expression_value(force->expression[0], x, NULL, NULL);
    }
    fb_v3_scale(pull, size, direction);
    fb_force_at_point(work, force->body[0], at[0], pull);
    fb_v3_scale(pull, -size, direction);
    fb_force_at_point(work, force->body[1], at[1], pull);
}

/* ---- bushings ------------------------------------------------------------------------------- */

/* The six bushing coordinates of frame 2 in frame 1 (body-fixed x-y-z angles, translation), their
 * rates, and the matrix N of rates = N w with w the relative angular velocity in frame 1. */
static void deflection(const fb_pose pose[2], const fb_force *force, const fb_state *state,
                       double *x, double *rate, double *N) {
    double R[9], d[3], v[2][3], w[3], relative[3];
    const double *V1 = state->V[force->body[0]], *V2 = state->V[force->body[1]];
    fb_m3_tmul(R, pose[0].R, pose[1].R);
    double s2 = R[2] > 1 ? 1 : R[2] < -1 ? -1 : R[2];
    x[0] = atan2(-R[5], R[8]);
    x[1] = asin(s2);
    x[2] = atan2(-R[1], R[0]);
    fb_v3_sub(d, pose[1].p, pose[0].p);
    fb_m3_tmul_v3(x + 3, pose[0].R, d);
    double s1 = sin(x[0]), c1 = cos(x[0]), c2 = cos(x[1]);
    memcpy(N, (double[9]){1, s1 * s2 / c2, -c1 * s2 / c2, 0, c1, s1, 0, -s1 / c2, c1 / c2},
           9 * sizeof *N);
    fb_v3_sub(relative, V2, V1);
    fb_m3_tmul_v3(w, pose[0].R, relative);
    fb_m3_mul_v3(rate, N, w);
    fb_point_velocity(v[0], state, force->body[0], pose[1].p);
    fb_point_velocity(v[1], state, force->body[1], pose[1].p);
    fb_v3_sub(relative, v[1], v[0]);
    fb_m3_tmul_v3(rate + 3, pose[0].R, relative);
}

/* Generalised forces f = -(K x + C x'), or -(f_i(x_i) + C x'), or -(f_i(x) + C x'). */
static void bushing_forces(const fb_force *force, const double *x, const double *rate, double *f) {
    for (int i = 0; i < 6; i++) {
        double elastic = 0, viscous = 0;
        for (int j = 0; j < 6; j++) {
            viscous += force->damping[6 * i + j] * rate[j];
        }
        if (force->kind == FB_FORCE_FUNCTION_BUSHING) {
            elastic = fb_function_value(&force->functions[i], x[i], NULL, NULL);
        } else if (force->kind == FB_FORCE_EXPRESSION_BUSHING) {
            elastic = fb_expression_value(force->expression[i], x, NULL, NULL);
        } else {
            for (int j = 0; j < 6; j++) {
                elastic += force->stiffness[6 * i + j] * x[j];
            }
        }
        f[i] = -(elastic + viscous);
    }
}

/* The forces act at frame 2's origin; the moment on frame 2 is N^T f, so that power is f . x'. */
static void bushing(const fb_force *force, const fb_force_work *work) {
    const fb_state *state = work->state;
    fb_pose pose[2];
    double x[6], rate[6], N[9], f[6], m[3], moment[3], push[3];
    for (int i = 0; i < 2; i++) {
        fb_pose_mul(&pose[i], &state->pose[force->body[i]], &force->frame[i]);
    }
    deflection(pose, force, state, x, rate, N);
    bushing_forces(force, x, rate, f);
    fb_m3_tmul_v3(m, N, f);
    fb_m3_mul_v3(moment, pose[0].R, m);
    fb_m3_mul_v3(push, pose[0].R, f + 3);
    for (int i = 0; i < 2; i++) {
        double sign = i == 0 ? -1 : 1, signed_push[3];
        fb_v3_scale(signed_push, sign, push);
        fb_force_at_point(work, force->body[i], pose[1].p, signed_push);
        fb_v3_madd(work->external[force->body[i]], sign, moment);
    }
}

/* ---- dispatch ------------------------------------------------------------------------------- */

static void on_coordinate(const fb_force *force, const fb_force_work *work) {
    double q = work->state->q[force->coordinate], u = work->state->u[force->coordinate];
    double x[2] = {q, u}, f;
    switch (force->kind) {
    case FB_FORCE_COORDINATE_LIMIT: f = coordinate_limit(force->p, q, u); break;
    case FB_FORCE_COORDINATE_SPRING: f = coordinate_spring(force->p, q, u); break;
    case FB_FORCE_EXPONENTIAL: f = exponential(force->p, q); break;
    case FB_FORCE_EXPONENTIAL_LIMIT: f = exponential_limit(force->p, q); break;
    default: /* ExpressionBasedCoordinateForce */
        f = fb_expression_value(force->expression[0], x, NULL, NULL);
        break;
    }
    work->tau[force->coordinate] += f;
}

static void on_path(const fb_force *force, const fb_force_work *work) {
    double length = work->path_length[force->path], speed = work->path_speed[force->path], f;
    switch (force->kind) {
    case FB_FORCE_PATH_SPRING:
        f = path_spring(force->p, length, speed, work->forces->as_opensim4);
        break;
    case FB_FORCE_LIGAMENT: f = ligament(force, length); break;
    case FB_FORCE_BLANKEVOORT: f = blankevoort(force->p, length, speed); break;
    default: f = path_expression(force, length, speed); break;
    }
    work->tension[force->path] += f;
}

void fb_force_spring(const fb_force *force, const fb_force_work *work) {
    if (force->coordinate >= 0) {
        on_coordinate(force, work);
    } else if (force->path >= 0) {
        on_path(force, work);
    } else if (force->damping) {
        bushing(force, work);
    } else {
        two_points(force, work);
    }
}
