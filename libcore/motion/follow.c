/* How coordinates follow one of them: the tangent of the poses that meet the constraints. */
#include <math.h>
#include <string.h>

#include "libcore/motion/joints.h"
#include "libcore/motion/solve.h"

#define UNMET 1e-8 /* what a rate may leave of a constraint, relative to what it does alone */

void fb_coordinate_forces(const fb_state *state, double *forces) {
    const fb_system *s = state->system;
    for (int i = 1; i < s->n_body; i++) {
        const fb_mobod *m = &s->mobods[i];
        if (!fb_joint_has_angular_speeds(m)) {
            continue;
        }
        /* XYZ angles turn about x, about y after the first, about z after the first two */
        const double *q = state->q + m->q, s1 = sin(q[0]), c1 = cos(q[0]), s2 = sin(q[1]),
                     c2 = cos(q[1]);
        double *f = forces + m->q, x = f[0], y = f[1], z = f[2];
        f[1] = c1 * y + s1 * z;
        f[2] = s2 * x + c2 * (c1 * z - s1 * y);
    }
}

/* True if the constraints let the rates be. `scale`: of the rows. */
static bool are_met(int m, int n, const double *G, const double *dq, double scale) {
    for (int i = 0; i < m; i++) {
        double rate = 0;
        for (int k = 0; k < n; k++) {
            rate += G[i * n + k] * dq[k];
        }
        if (!(fabs(rate) <= UNMET * scale)) {
            return false;
        }
    }
    return true;
}

static bool is_dependent(const fb_system *s, int coordinate) {
    for (int i = 0; i < s->n_constraint; i++) {
        if (s->constraints[i].kind == FB_CONSTRAINT_COUPLER &&
            s->constraints[i].coordinate == coordinate) {
            return true;
        }
    }
    return false;
}

/* The least rates of the others, or only of those that couplers make dependent, that let
 * dq[coordinate] = 1 be. `work`: m * n + m + n numbers. */
static bool solve_rates(const fb_state *state, const double *G, bool only_dependent, int coordinate,
                        double scale, double *work, double *dq) {
    const fb_system *s = state->system;
    int n = s->n_q, m = s->n_row;
    double *some = work, *right = some + m * n, *step = right + m;
    memcpy(some, G, (size_t)(m * n) * sizeof *some);
    for (int k = 0; k < n; k++) {
        dq[k] = k != coordinate && (!only_dependent || is_dependent(s, k)); /* it may follow */
        for (int i = 0; dq[k] == 0 && i < m; i++) {
            some[i * n + k] = 0;
        }
    }
    for (int i = 0; i < m; i++) {
        right[i] = -G[i * n + coordinate];
    }
    if (fb_solve_least(state->scratch, m, n, some, right, step, 1e-12) != FB_OK) {
        return false;
    }
    for (int k = 0; k < n; k++) {
        dq[k] = k == coordinate ? 1 : dq[k] * step[k];
    }
    return are_met(m, n, G, dq, scale);
}

bool fb_coordinate_follow(fb_state *state, int coordinate, double *dq) {
    const fb_system *s = state->system;
    int n = s->n_q, m = s->n_row;
    memset(dq, 0, (size_t)n * sizeof *dq);
    dq[coordinate] = 1;
    if (m == 0) {
        return true;
    }
    double *G = fb_scratch_take(state->scratch, (size_t)(2 * m * n + 2 * m + n), sizeof *G);
    if (!G) {
        memset(dq, 0, (size_t)n * sizeof *dq);
        return false;
    }
    double *error = G + m * n, *work = error + m, scale = 0;
    fb_constraint_position(state, error, G);
    for (int i = 0; i < s->n_constraint; i++) {
        const fb_constraint *c = &s->constraints[i];
        if (c->kind == FB_CONSTRAINT_FIXED && c->coordinate == coordinate) {
            memset(G + c->row * n, 0, (size_t)n * sizeof *G);
        }
    }
    for (int i = 0; i < m; i++) {
        fb_coordinate_forces(state, G + i * n);
        scale = fmax(scale, fabs(G[i * n + coordinate]));
    }
    /* without the others: a loop of bodies, or a coordinate that itself depends on another */
    bool found = scale == 0 || solve_rates(state, G, true, coordinate, scale, work, dq) ||
                 solve_rates(state, G, false, coordinate, scale, work, dq);
    if (!found) {
        memset(dq, 0, (size_t)n * sizeof *dq);
    }
    fb_scratch_give(state->scratch, G);
    return found;
}
