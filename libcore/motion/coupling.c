/* How all speeds move with one. */
#include <math.h>
#include <string.h>

#include "libcore/motion/solve.h"
#include "libcore/motion/system.h"

#define REDUNDANT 1.5e-8 /* of speeds: as Simbody judges, times the number of equations */
#define STUCK 1e-9       /* a coordinate that moves less than this when asked for 1 */

/* Scales u so that the coordinate itself has 1; zeros if it cannot move. */
static void make_unit(int n, int coordinate, double *u) {
    double size = u[coordinate];
    for (int k = 0; k < n; k++) {
        u[k] = fabs(size) > STUCK ? u[k] / size : 0;
    }
}

/* Leaves out the equation that holds a coordinate itself. */
static void free_coordinate(const fb_system *s, int coordinate, double *G) {
    for (int i = 0; i < s->n_constraint; i++) {
        const fb_constraint *c = &s->constraints[i];
        if (c->kind == FB_CONSTRAINT_FIXED && c->coordinate == coordinate) {
            memset(G + c->row * s->n_q, 0, (size_t)s->n_q * sizeof *G);
        }
    }
}

void fb_coordinate_coupling(fb_state *state, int coordinate, double *u) {
    const fb_system *s = state->system;
    int n = s->n_q, m = s->n_row;
    memset(u, 0, (size_t)n * sizeof *u);
    u[coordinate] = 1;
    double *work = m > 0
                       ? fb_scratch_take(state->scratch, (size_t)(2 * m + m * n + n), sizeof *work)
                       : NULL;
    if (!work) {
        return;
    }
    double *error = work, *rhs = error + m, *G = rhs + m, *step = G + m * n;
    fb_constraint_position(state, error, G);
    free_coordinate(s, coordinate, G);
    for (int i = 0; i < m; i++) {
        rhs[i] = -G[i * n + coordinate];
    }
    if (fb_solve_least(state->scratch, m, n, G, rhs, step, m * REDUNDANT) == FB_OK) {
        for (int k = 0; k < n; k++) {
            u[k] += step[k];
        }
    }
    make_unit(n, coordinate, u);
    fb_scratch_give(state->scratch, work);
}

/* The factor of G G^T, once for all coordinates; false if equations may be redundant. */
static bool factor_rows(int n, int m, const double *G, double *A) {
    for (int i = 0; i < m; i++) {
        for (int j = 0; j <= i; j++) {
            double sum = 0;
            for (int k = 0; k < n; k++) {
                sum += G[i * n + k] * G[j * n + k];
            }
            A[i * m + j] = sum;
        }
    }
    return fb_cholesky(m, A, FB_SMALL_CONSTRAINT);
}

/* u = e - G^T (G G^T)^-1 G e for the coordinate's unit vector e. */
static void project(int n, int m, const double *G, const double *factor, int coordinate,
                    double *lambda, double *u) {
    for (int i = 0; i < m; i++) {
        lambda[i] = -G[i * n + coordinate];
    }
    fb_cholesky_forward(m, factor, lambda);
    fb_cholesky_backward(m, factor, lambda);
    for (int i = 0; i < m; i++) {
        for (int k = 0; k < n && lambda[i] != 0; k++) {
            u[k] += G[i * n + k] * lambda[i];
        }
    }
    make_unit(n, coordinate, u);
}

/* What a coordinate needs: nothing, as no equation but that which holds it has it; a projection;
 * or, as that equation is left out, equations of its own. */
typedef enum need { ALONE, TOGETHER, APART } need;

static need need_of(const fb_system *s, int coordinate, const double *G) {
    bool held = false, others = false;
    for (int i = 0; i < s->n_constraint; i++) {
        const fb_constraint *c = &s->constraints[i];
        bool own = c->kind == FB_CONSTRAINT_FIXED && c->coordinate == coordinate;
        held |= own;
        for (int k = 0; !own && k < c->n_rows; k++) {
            others |= G[(c->row + k) * s->n_q + coordinate] != 0;
        }
    }
    return !others ? ALONE : held ? APART : TOGETHER;
}

void fb_coordinate_couplings(fb_state *state, double *U) {
    const fb_system *s = state->system;
    int n = s->n_q, m = s->n_row;
    size_t size = (size_t)(2 * m + m * n + m * m + 1);
    double *work = fb_scratch_take(state->scratch, size, sizeof *work), *G = NULL, *A = NULL;
    bool factored = false;
    if (work && m > 0) {
        G = work + 2 * m;
        A = G + m * n;
        fb_constraint_position(state, work, G);
        factored = factor_rows(n, m, G, A);
    }
    for (int i = 0; i < n; i++) {
        double *u = U + i * n;
        need what = m == 0 ? ALONE : !work ? APART : need_of(s, i, G);
        memset(u, 0, (size_t)n * sizeof *u);
        u[i] = 1;
        if (what == APART || (what == TOGETHER && !factored)) {
            fb_coordinate_coupling(state, i, u);
        } else if (what == TOGETHER) {
            project(n, m, G, A, i, work + m, u);
        }
    }
    fb_scratch_give(state->scratch, work);
}
