/* Mass matrix, inverse and forward dynamics, momentum and energy. Spatial vectors are taken at the
 * ground's origin in ground axes, so that quantities of different bodies add without
 * transformations. */
#include <string.h>

#include "libcore/motion/reduce.h"
#include "libcore/motion/solve.h"

/* f = I a: moment about the origin, force. */
static void moments_mul(double *f, const fb_moments *I, const double *a) {
    double t[3];
    fb_m3_mul_v3(f, I->second, a);
    fb_v3_cross(t, I->first, a + 3);
    fb_v3_add(f, f, t);
    fb_v3_cross(t, a, I->first);
    for (int k = 0; k < 3; k++) {
        f[3 + k] = I->mass * a[3 + k] + t[k];
    }
}

static double dot6(const double *a, const double *b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5];
}

void fb_mass_matrix(const fb_state *state, double *M) {
    const fb_system *s = state->system;
    fb_moments *I = state->composite;
    int n = s->n_q;
    memset(M, 0, (size_t)(n * n) * sizeof *M);
    memcpy(I, state->moments, (size_t)s->n_body * sizeof *I);
    for (int i = s->n_body - 1; i > 0; i--) { /* composite bodies, from the tips */
        int parent = s->mobods[i].parent;
        if (parent == 0) {
            continue;
        }
        I[parent].mass += I[i].mass;
        for (int k = 0; k < 3; k++) {
            I[parent].first[k] += I[i].first[k];
        }
        for (int k = 0; k < 9; k++) {
            I[parent].second[k] += I[i].second[k];
        }
    }
    for (int i = 1; i < s->n_body; i++) {
        const fb_mobod *m = &s->mobods[i];
        for (int k = 0; k < m->n_q; k++) {
            int column = m->q + k;
            double f[6];
            moments_mul(f, &I[i], state->S[column]);
            for (int j = i; j > 0; j = s->mobods[j].parent) {
                for (int l = 0; l < s->mobods[j].n_q; l++) {
                    int row = s->mobods[j].q + l;
                    M[row * n + column] = M[column * n + row] = dot6(state->S[row], f);
                }
            }
        }
    }
}

void fb_project_forces(const fb_state *state, double (*forces)[6], double *tau) {
    const fb_system *s = state->system;
    double(*f)[6] = state->passed;
    memcpy(f, forces, (size_t)s->n_body * sizeof *f);
    for (int i = s->n_body - 1; i > 0; i--) {
        const fb_mobod *m = &s->mobods[i];
        for (int k = 0; k < m->n_q; k++) {
            tau[m->q + k] += dot6(state->S[m->q + k], f[i]);
        }
        for (int k = 0; k < 6; k++) {
            f[m->parent][k] += f[i][k];
        }
    }
}

void fb_inverse_dynamics(const fb_state *state, const double *udot, double (*external)[6],
                         double *tau) {
    const fb_system *s = state->system;
    double(*A)[6] = state->carried, (*f)[6] = state->acting;
    memset(tau, 0, (size_t)s->n_q * sizeof *tau);
    memset(A[0], 0, sizeof A[0]);
    memset(f[0], 0, sizeof f[0]);
    for (int i = 1; i < s->n_body; i++) {
        const fb_mobod *m = &s->mobods[i];
        const double *V = state->V[i];
        /* accelerations due to udot; those due to speeds are in A0 */
        memcpy(A[i], A[m->parent], sizeof A[i]);
        for (int k = 0; udot && k < m->n_q; k++) {
            for (int j = 0; j < 6; j++) {
                A[i][j] += state->S[m->q + k][j] * udot[m->q + k];
            }
        }
        double total[6], Iv[6], t[3];
        const fb_moments *I = &state->moments[i];
        for (int j = 0; j < 6; j++) {
            total[j] = A[i][j] + state->A0[i][j];
        }
        for (int j = 0; j < 3; j++) {
            total[3 + j] -= s->gravity[j];
        }
        moments_mul(f[i], I, total);
        moments_mul(Iv, I, V); /* V x* (I V) */
        fb_v3_cross(t, V, Iv);
        fb_v3_add(f[i], f[i], t);
        fb_v3_cross(t, V + 3, Iv + 3);
        fb_v3_add(f[i], f[i], t);
        fb_v3_cross(t, V, Iv + 3);
        fb_v3_add(f[i] + 3, f[i] + 3, t);
        for (int j = 0; external && j < 6; j++) {
            f[i][j] -= external[i][j];
        }
    }
    fb_project_forces(state, f, tau);
}

void fb_center_of_mass(const fb_state *state, double *center, double *velocity) {
    const fb_system *s = state->system;
    double mass = 0, c[3] = {0, 0, 0}, v[3] = {0, 0, 0};
    for (int i = 1; i < s->n_body; i++) {
        double one[3];
        mass += s->mobods[i].mass;
        fb_v3_madd(c, s->mobods[i].mass, state->center[i]);
        fb_point_velocity(one, state, i, state->center[i]);
        fb_v3_madd(v, s->mobods[i].mass, one);
    }
    double scale = mass > 0 ? 1 / mass : 0;
    if (center) {
        fb_v3_scale(center, scale, c);
    }
    if (velocity) {
        fb_v3_scale(velocity, scale, v);
    }
}

double fb_kinetic_energy(const fb_state *state) {
    double sum = 0;
    for (int i = 1; i < state->system->n_body; i++) {
        double f[6];
        moments_mul(f, &state->moments[i], state->V[i]);
        sum += dot6(state->V[i], f);
    }
    return sum / 2;
}

/* ---- forward dynamics ----------------------------------------------------------------------- */

/* The equations of motion: M udot = rhs + G^T lambda, G udot = b. */
typedef struct equations {
    double *M, *rhs, *G, *b, *rest;
} equations;

static void set_up(fb_state *state, const double *tau, double *work, equations *e) {
    const fb_system *s = state->system;
    int n = s->n_q, m = s->n_row;
    double *bias;
    e->M = work;
    e->rhs = e->M + n * n;
    bias = e->rhs + n;
    e->G = bias + n;
    e->b = e->G + m * n;
    e->rest = e->b + 2 * m;
    fb_mass_matrix(state, e->M);
    fb_inverse_dynamics(state, NULL, NULL, bias);
    for (int i = 0; i < n; i++) {
        e->rhs[i] = tau[i] - bias[i];
    }
    if (m > 0) {
        fb_constraint_position(state, e->b + m, e->G);
        fb_constraint_bias(state, e->b);
    }
    for (int i = 0; i < m; i++) {
        e->b[i] = -e->b[i];
    }
}

fb_status fb_forward_dynamics(fb_state *state, const double *tau, double *udot) {
    const fb_system *s = state->system;
    size_t n = (size_t)s->n_q, m = (size_t)s->n_row;
    size_t size = n * n + 2 * n + m * n + 2 * m + fb_reduction_work(s);
    double *work = fb_scratch_take(state->scratch, size, sizeof *work);
    if (!work) {
        return FB_E_MEMORY;
    }
    equations e;
    fb_status status = FB_OK;
    set_up(state, tau, work, &e);
    if (!fb_reduction_solve(s, e.M, e.G, e.rhs, e.b, udot, e.rest)) {
        set_up(state, tau, work, &e); /* they are used up */
        status = fb_solve_constrained(state->scratch, s->n_q, s->n_row, e.M, e.G, e.rhs, e.b, udot);
    }
    fb_scratch_give(state->scratch, work);
    return status;
}
