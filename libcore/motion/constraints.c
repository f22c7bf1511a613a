/* Constraints as equations: errors, Jacobians with respect to u, velocity-dependent terms; assembly
 * of a pose that meets them, and of speeds. */
#include <math.h>
#include <string.h>

#include "libcore/base/number.h"
#include "libcore/motion/joints.h"
#include "libcore/motion/solve.h"

/* Adds scale * (velocity of a body's point along a direction) to a row of the Jacobian. */
static void add_point_row(const fb_state *state, double *row, int body, const double *point,
                          const double *direction, double scale) {
    const fb_system *s = state->system;
    double moment[3];
    fb_v3_cross(moment, point, direction);
    for (int i = body; i > 0; i = s->mobods[i].parent) {
        for (int k = 0; k < s->mobods[i].n_q; k++) {
            int c = s->mobods[i].q + k;
            row[c] += scale *
                      (fb_v3_dot(state->S[c], moment) + fb_v3_dot(state->S[c] + 3, direction));
        }
    }
}

/* The same for the angular velocity. */
static void add_turn_row(const fb_state *state, double *row, int body, const double *direction,
                         double scale) {
    const fb_system *s = state->system;
    for (int i = body; i > 0; i = s->mobods[i].parent) {
        for (int k = 0; k < s->mobods[i].n_q; k++) {
            int c = s->mobods[i].q + k;
            row[c] += scale * fb_v3_dot(state->S[c], direction);
        }
    }
}

/* The acceleration of a body's point at p with velocity v, without udot: A_linear + alpha x p + w x
 * v. */
static void point_acceleration(double *a, const fb_state *state, int body, const double *p,
                               const double *v) {
    const double *V = state->V[body], *A = state->A0[body];
    double t[3];
    fb_v3_cross(t, A, p);
    fb_v3_add(a, A + 3, t);
    fb_v3_cross(t, V, v);
    fb_v3_add(a, a, t);
}

/* Where the constraint's points are, and how they move: ground. */
typedef struct sides {
    double p[2][3], v[2][3], a[2][3]; /* a: without udot */
} sides;

static void find_sides(const fb_state *state, const fb_constraint *c, sides *out, bool moving) {
    memset(out, 0, sizeof *out);
    for (int i = 0; i < 2; i++) {
        fb_pose_point(out->p[i], &state->pose[c->body[i]], c->frame[i].p);
        if (moving) {
            fb_point_velocity(out->v[i], state, c->body[i], out->p[i]);
            point_acceleration(out->a[i], state, c->body[i], out->p[i], out->v[i]);
        }
    }
}

static double coupler_value(const fb_state *state, const fb_constraint *c, double *gradient,
                            double *hessian) {
    double x[FB_MAX_ARGUMENTS];
    for (int i = 0; i < c->n_independent; i++) {
        x[i] = state->q[c->independent[i]];
    }
    return c->scale * fb_function_value_n(&c->function, c->n_independent, x, gradient, hessian);
}

void fb_add_coordinate_row(const fb_state *state, double *row, int coordinate, double factor) {
    const fb_system *s = state->system;
    const fb_mobod *m = &s->mobods[s->coordinates[coordinate].mobod];
    if (!fb_joint_has_angular_speeds(m)) {
        row[coordinate] += factor;
        return;
    }
    for (int k = 0; k < m->n_q; k++) { /* a row of N by unit speeds */
        double u[FB_JOINT_MAX] = {0}, qdot[FB_JOINT_MAX];
        u[k] = 1;
        fb_joint_qdot(m, state->q + m->q, u, qdot);
        row[m->q + k] += factor * qdot[coordinate - m->q];
    }
}

/* The i-th axis of a constraint's frame, in ground. */
static void frame_axis(double *r, const fb_state *state, const fb_constraint *c, int side,
                       int axis) {
    const double *R = c->frame[side].R, local[3] = {R[axis], R[3 + axis], R[6 + axis]};
    fb_m3_mul_v3(r, state->pose[c->body[side]].R, local);
}

/* The pairs of axes whose right angles keep a weld's orientation. */
static const int weld_axes[3][2] = {{0, 1}, {1, 2}, {2, 0}}; /* of frame 1, of frame 0 */

static void body_axis(double *r, const fb_state *state, int body, int axis) {
    const double *R = state->pose[body].R;
    fb_v3_set(r, R[axis], R[3 + axis], R[6 + axis]);
}

/* The second point as seen in the first body, along axes of that body; so in Simbody too, which
 * matters where the points are apart. */
static void point_rows(const fb_state *state, const fb_constraint *c, const sides *at,
                       double *error, double *G, int n) {
    double d[3];
    fb_v3_sub(d, at->p[1], at->p[0]);
    for (int i = 0; i < 3; i++) {
        double e[3];
        body_axis(e, state, c->body[0], i);
        error[i] = fb_v3_dot(e, d);
        if (!G) {
            continue;
        }
        add_point_row(state, G + i * n, c->body[1], at->p[1], e, 1);
        add_point_row(state, G + i * n, c->body[0], at->p[1], e, -1);
    }
}

static void weld_rows(const fb_state *state, const fb_constraint *c, const sides *at, double *error,
                      double *G, int n) {
    for (int i = 0; i < 3; i++) {
        double x[3], y[3], cross[3];
        frame_axis(x, state, c, 1, weld_axes[i][0]);
        frame_axis(y, state, c, 0, weld_axes[i][1]);
        error[i] = fb_v3_dot(x, y);
        if (!G) {
            continue;
        }
        fb_v3_cross(cross, x, y); /* d(x.y)/dt = (x cross y) . (w1 - w0) */
        add_turn_row(state, G + i * n, c->body[1], cross, 1);
        add_turn_row(state, G + i * n, c->body[0], cross, -1);
    }
    point_rows(state, c, at, error + 3, G ? G + 3 * n : NULL, n);
}

static void line_rows(const fb_state *state, const fb_constraint *c, const sides *at, double *error,
                      double *G, int n) {
    double d[3];
    fb_v3_sub(d, at->p[1], at->p[0]);
    for (int i = 0; i < 2; i++) {
        double e[3];
        fb_m3_mul_v3(e, state->pose[c->body[0]].R, c->direction[i]);
        error[i] = fb_v3_dot(e, d);
        if (!G) {
            continue;
        }
        /* e is fixed in body 0: relative velocity of the follower in that body, along e */
        add_point_row(state, G + i * n, c->body[1], at->p[1], e, 1);
        add_point_row(state, G + i * n, c->body[0], at->p[1], e, -1);
    }
}

static void distance_row(const fb_state *state, const fb_constraint *c, const sides *at,
                         double *error, double *G) {
    double d[3];
    fb_v3_sub(d, at->p[1], at->p[0]);
    double length = fb_v3_normalize(d);
    error[0] = length - c->distance;
    if (!G) {
        return;
    }
    add_point_row(state, G, c->body[1], at->p[1], d, 1);
    add_point_row(state, G, c->body[0], at->p[0], d, -1);
}

void fb_constraint_position(const fb_state *state, double *error, double *G) {
    const fb_system *s = state->system;
    int n = s->n_q;
    if (G) {
        memset(G, 0, (size_t)(s->n_row * n) * sizeof *G);
    }
    for (int i = 0; i < s->n_constraint; i++) {
        const fb_constraint *c = &s->constraints[i];
        double *e = error + c->row, *rows = G ? G + c->row * n : NULL;
        sides at;
        if (c->kind != FB_CONSTRAINT_COUPLER && c->kind != FB_CONSTRAINT_FIXED) {
            find_sides(state, c, &at, false);
        }
        switch (c->kind) {
        case FB_CONSTRAINT_COUPLER: {
            double gradient[FB_MAX_ARGUMENTS] = {0};
            e[0] = coupler_value(state, c, gradient, NULL) - state->q[c->coordinate];
            for (int k = 0; rows && k < c->n_independent; k++) {
                fb_add_coordinate_row(state, rows, c->independent[k], c->scale * gradient[k]);
            }
            if (rows) {
                fb_add_coordinate_row(state, rows, c->coordinate, -1);
            }
            break;
        }
        case FB_CONSTRAINT_FIXED: {
            const fb_coordinate *coordinate = &s->coordinates[c->coordinate];
            e[0] = coordinate->prescribed ? fb_function_value(&coordinate->prescribed_function,
                                                              state->time, NULL, NULL) -
                                                state->q[c->coordinate]
                                          : 0; /* a locked coordinate is right where it is */
            if (rows) { /* speeds that are no derivatives are held one by one, as OpenSim does */
                rows[c->coordinate] = -1;
            }
            break;
        }
        case FB_CONSTRAINT_POINT: point_rows(state, c, &at, e, rows, n); break;
        case FB_CONSTRAINT_DISTANCE: distance_row(state, c, &at, e, rows); break;
        case FB_CONSTRAINT_LINE: line_rows(state, c, &at, e, rows, n); break;
        case FB_CONSTRAINT_WELD: weld_rows(state, c, &at, e, rows, n); break;
        }
    }
}

/* What a coordinate's second derivative is while all speeds stay. */
static double coordinate_bias(const fb_state *state, int coordinate) {
    const fb_mobod *m = &state->system->mobods[state->system->coordinates[coordinate].mobod];
    double bias[FB_JOINT_MAX];
    fb_joint_qdot_bias(m, state->q + m->q, state->u + m->q, bias);
    return bias[coordinate - m->q];
}

static void coupler_bias(const fb_state *state, const fb_constraint *c, double *bias) {
    double gradient[FB_MAX_ARGUMENTS], hessian[FB_MAX_ARGUMENTS * FB_MAX_ARGUMENTS];
    coupler_value(state, c, gradient, hessian);
    bias[0] = -coordinate_bias(state, c->coordinate);
    for (int i = 0; i < c->n_independent; i++) {
        bias[0] += c->scale * gradient[i] * coordinate_bias(state, c->independent[i]);
        for (int j = 0; j < c->n_independent; j++) {
            bias[0] += c->scale * hessian[i * c->n_independent + j] *
                       state->qdot[c->independent[i]] * state->qdot[c->independent[j]];
        }
    }
}

/* The acceleration of the second point as seen in body 0, without udot. */
static void relative_bias(const fb_state *state, const fb_constraint *c, const sides *at,
                          double *a) {
    double v0[3], a0[3], relative[3], t[3];
    fb_point_velocity(v0, state, c->body[0], at->p[1]);
    point_acceleration(a0, state, c->body[0], at->p[1], v0);
    fb_v3_sub(relative, at->v[1], v0);
    fb_v3_sub(a, at->a[1], a0);
    fb_v3_cross(t, state->V[c->body[0]], relative);
    fb_v3_madd(a, -2, t);
}

static void point_bias(const fb_state *state, const fb_constraint *c, const sides *at,
                       double *bias) {
    double a[3];
    relative_bias(state, c, at, a);
    for (int i = 0; i < 3; i++) {
        double e[3];
        body_axis(e, state, c->body[0], i);
        bias[i] = fb_v3_dot(e, a);
    }
}

static void weld_bias(const fb_state *state, const fb_constraint *c, const sides *at,
                      double *bias) {
    const double *w0 = state->V[c->body[0]], *w1 = state->V[c->body[1]];
    double w[3], alpha[3];
    fb_v3_sub(w, w1, w0);
    fb_v3_sub(alpha, state->A0[c->body[1]], state->A0[c->body[0]]);
    for (int i = 0; i < 3; i++) {
        double x[3], y[3], cross[3], xdot[3], ydot[3], t[3], u[3];
        frame_axis(x, state, c, 1, weld_axes[i][0]);
        frame_axis(y, state, c, 0, weld_axes[i][1]);
        fb_v3_cross(cross, x, y);
        fb_v3_cross(xdot, w1, x);
        fb_v3_cross(ydot, w0, y);
        fb_v3_cross(t, xdot, y);
        fb_v3_cross(u, x, ydot);
        fb_v3_add(t, t, u);
        bias[i] = fb_v3_dot(cross, alpha) + fb_v3_dot(t, w);
    }
    point_bias(state, c, at, bias + 3);
}

static void line_bias(const fb_state *state, const fb_constraint *c, const sides *at,
                      double *bias) {
    double a[3];
    relative_bias(state, c, at, a);
    for (int i = 0; i < 2; i++) {
        double e[3];
        fb_m3_mul_v3(e, state->pose[c->body[0]].R, c->direction[i]);
        bias[i] = fb_v3_dot(e, a);
    }
}

static void distance_bias(const sides *at, double *bias) {
    double d[3], v[3], a[3];
    fb_v3_sub(d, at->p[1], at->p[0]);
    fb_v3_sub(v, at->v[1], at->v[0]);
    fb_v3_sub(a, at->a[1], at->a[0]);
    double length = fb_v3_normalize(d), along = fb_v3_dot(d, v);
    bias[0] = fb_v3_dot(d, a) + (length > 0 ? (fb_v3_dot(v, v) - along * along) / length : 0);
}

void fb_constraint_bias(const fb_state *state, double *bias) {
    const fb_system *s = state->system;
    for (int i = 0; i < s->n_constraint; i++) {
        const fb_constraint *c = &s->constraints[i];
        double *b = bias + c->row;
        sides at;
        if (c->kind != FB_CONSTRAINT_COUPLER && c->kind != FB_CONSTRAINT_FIXED) {
            find_sides(state, c, &at, true);
        }
        switch (c->kind) {
        case FB_CONSTRAINT_COUPLER: coupler_bias(state, c, b); break;
        case FB_CONSTRAINT_FIXED: {
            double second = 0;
            const fb_coordinate *coordinate = &s->coordinates[c->coordinate];
            if (coordinate->prescribed) {
                fb_function_value(&coordinate->prescribed_function, state->time, NULL, &second);
            }
            b[0] = second;
            break;
        }
        case FB_CONSTRAINT_POINT: point_bias(state, c, &at, b); break;
        case FB_CONSTRAINT_DISTANCE: distance_bias(&at, b); break;
        case FB_CONSTRAINT_LINE: line_bias(state, c, &at, b); break;
        case FB_CONSTRAINT_WELD: weld_bias(state, c, &at, b); break;
        }
    }
}

/* ---- assembly ------------------------------------------------------------------------------- */

#define FIRST_STEPS 30 /* of coordinates that move first */
#define ENOUGH 1e-12   /* what is left of their speeds' errors when they are enough */
#define ASSEMBLY_STEPS 100
/* Singular values of G below this and the number of equations, relative to the largest, count as
 * zero where speeds are found: as in Simbody (square root of the machine's precision). */
#define REDUNDANT 1.5e-8

static double largest(const double *x, int n) {
    double most = 0;
    for (int i = 0; i < n; i++) {
        most = fmax(most, fabs(x[i]));
    }
    return most;
}

fb_status fb_assemble(fb_state *state, double tolerance) {
    return fb_assemble_held(state, NULL, 0, tolerance);
}

/* The errors of locked coordinates: where they were when assembly began is where they stay. */
static void hold_locked(const fb_state *state, const double *start, double *error) {
    const fb_system *s = state->system;
    for (int i = 0; i < s->n_constraint; i++) {
        const fb_constraint *c = &s->constraints[i];
        const fb_coordinate *coordinate = &s->coordinates[c->coordinate];
        if (c->kind == FB_CONSTRAINT_FIXED && !coordinate->prescribed &&
            !fb_joint_has_angular_speeds(&s->mobods[coordinate->mobod])) {
            error[c->row] = start[c->coordinate] - state->q[c->coordinate];
        }
    }
}

/* Whether assembly may move a coordinate before others. */
static bool moves_first(const fb_system *s, int i) {
    const fb_coordinate *c = &s->coordinates[i];
    return c->follows && !c->locked && !c->prescribed &&
           !fb_joint_has_angular_speeds(&s->mobods[c->mobod]);
}

/* Newton's method, at most so many steps, on all coordinates or on those that move first. */
static fb_status assemble(fb_state *state, const int *held, int n_held, double tolerance,
                          bool first, int steps) {
    const fb_system *s = state->system;
    int n = s->n_q, m = s->n_row;
    fb_state_position(state);
    if (m == 0) {
        return FB_OK;
    }
    double *work = fb_scratch_take(state->scratch, (size_t)(m + m * n + 2 * n), sizeof *work);
    if (!work) {
        return FB_E_MEMORY;
    }
    double *error = work, *G = error + m, *step = G + m * n, *start = step + n;
    double last = FB_INFINITY;
    fb_status status = FB_E_NUMERIC;
    memcpy(start, state->q, (size_t)n * sizeof *start);
    for (int i = 0; i < steps; i++) {
        fb_constraint_position(state, error, G);
        hold_locked(state, start, error);
        double size = largest(error, m);
        if (size <= tolerance && (size == 0 || size >= last / 2 || size < 1e-14)) {
            status = FB_OK;
            break;
        }
        if (!isfinite(size)) {
            break;
        }
        last = size;
        for (int k = 0; k < m; k++) {
            error[k] = -error[k];
            for (int h = 0; h < n_held; h++) {
                G[k * n + held[h]] = 0;
            }
            for (int j = 0; j < n; j++) {
                G[k * n + j] = first && !moves_first(s, j) ? 0 : G[k * n + j];
            }
        }
        if (fb_solve_least(state->scratch, m, n, G, error, step, 1e-12) != FB_OK) {
            break;
        }
        double longest = largest(step, n), scale = longest > 0.5 ? 0.5 / longest : 1;
        for (int j = 0; j < s->n_body; j++) { /* speeds to coordinates, joint by joint */
            const fb_mobod *mobod = &s->mobods[j];
            double qdot[FB_JOINT_MAX];
            if (mobod->n_q == 0) {
                continue;
            }
            fb_joint_qdot(mobod, state->q + mobod->q, step + mobod->q, qdot);
            for (int k = 0; k < mobod->n_q; k++) {
                state->q[mobod->q + k] += scale * qdot[k];
            }
        }
        fb_state_position(state);
    }
    fb_scratch_give(state->scratch, work);
    return status;
}

fb_status fb_assemble_held(fb_state *state, const int *held, int n_held, double tolerance) {
    const fb_system *s = state->system;
    bool any = false;
    for (int i = 0; i < s->n_q && !any; i++) {
        any = moves_first(s, i);
    }
    if (any) {
        double *start = fb_scratch_take(state->scratch, (size_t)s->n_q, sizeof *start);
        if (!start) {
            return FB_E_MEMORY;
        }
        memcpy(start, state->q, (size_t)s->n_q * sizeof *start);
        bool done = assemble(state, held, n_held, tolerance, true, FIRST_STEPS) == FB_OK;
        if (!done) {
            memcpy(state->q, start, (size_t)s->n_q * sizeof *start);
        }
        fb_scratch_give(state->scratch, start);
        if (done) {
            return FB_OK;
        }
    }
    return assemble(state, held, n_held, tolerance, false, ASSEMBLY_STEPS);
}

/* Speeds of coordinates that move first with which G step = rhs; false if they are not enough, or
 * memory is not. */
static bool move_first(const fb_state *state, const double *G, const double *rhs, double *step) {
    const fb_system *s = state->system;
    int n = s->n_q, m = s->n_row;
    double *part = fb_scratch_take(state->scratch, (size_t)(m * n), sizeof *part);
    if (!part) {
        return false;
    }
    for (int i = 0; i < m * n; i++) {
        part[i] = moves_first(s, i % n) ? G[i] : 0;
    }
    bool done = fb_solve_least(state->scratch, m, n, part, rhs, step, m * REDUNDANT) == FB_OK;
    for (int i = 0; i < m && done; i++) {
        double left = rhs[i];
        for (int k = 0; k < n; k++) {
            left -= G[i * n + k] * step[k];
        }
        done = fabs(left) <= ENOUGH * fmax(1, largest(rhs, m));
    }
    fb_scratch_give(state->scratch, part);
    return done;
}

void fb_project_velocity(fb_state *state) {
    const fb_system *s = state->system;
    int n = s->n_q, m = s->n_row;
    if (m == 0) {
        return;
    }
    double *work = fb_scratch_take(state->scratch, (size_t)(2 * m + m * n + n), sizeof *work);
    if (!work) {
        return;
    }
    double *error = work, *rhs = error + m, *G = rhs + m, *step = G + m * n;
    fb_constraint_position(state, error, G);
    for (int i = 0; i < m; i++) {
        rhs[i] = 0;
        for (int k = 0; k < n; k++) {
            rhs[i] -= G[i * n + k] * state->u[k];
        }
    }
    for (int i = 0; i < s->n_constraint; i++) { /* prescribed speeds */
        const fb_constraint *c = &s->constraints[i];
        const fb_coordinate *coordinate = &s->coordinates[c->coordinate];
        if (c->kind == FB_CONSTRAINT_FIXED && coordinate->prescribed) {
            double first;
            fb_function_value(&coordinate->prescribed_function, state->time, &first, NULL);
            rhs[c->row] -= first;
        } else if (c->kind == FB_CONSTRAINT_FIXED) {
            rhs[c->row] = 0; /* locked: it keeps its speed, which is zero where nobody set it */
        }
    }
    if (move_first(state, G, rhs, step) ||
        fb_solve_least(state->scratch, m, n, G, rhs, step, m * REDUNDANT) == FB_OK) {
        for (int k = 0; k < n; k++) {
            state->u[k] += step[k];
        }
    }
    fb_scratch_give(state->scratch, work);
}
