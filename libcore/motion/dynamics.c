/* Mass matrix, inverse and forward dynamics, momentum and energy. Spatial vectors are taken at the
 * ground's origin in ground axes, so that quantities of different bodies add without
 * transformations. */
#include <math.h>
#include <string.h>

#include "libcore/motion/solve.h"
#include "libcore/motion/system.h"

/* A body's mass, first and second moments about the ground's origin. */
typedef struct moments {
    double mass, first[3], second[9]; /* kg, kg m, kg m^2 (inertia about the origin) */
} moments;

static void body_moments(const fb_state *state, int i, moments *out) {
    double mass = state->system->mobods[i].mass;
    const double *c = state->center[i], *I = state->inertia[i];
    double cc = fb_v3_dot(c, c);
    out->mass = mass;
    fb_v3_scale(out->first, mass, c);
    for (int j = 0; j < 3; j++) {
        for (int k = 0; k < 3; k++) {
            out->second[3 * j + k] = I[3 * j + k] + mass * ((j == k ? cc : 0) - c[j] * c[k]);
        }
    }
}

/* f = I a: moment about the origin, force. */
static void moments_mul(double *f, const moments *I, const double *a) {
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

#define STACK_BODIES 128 /* more bodies than these take memory from the heap */

void fb_mass_matrix(const fb_state *state, double *M) {
    const fb_system *s = state->system;
    int n = s->n_q;
    moments small[STACK_BODIES];
    moments *I = s->n_body <= STACK_BODIES
                     ? small
                     : fb_scratch_take(state->scratch, (size_t)s->n_body, sizeof *I);
    memset(M, 0, (size_t)(n * n) * sizeof *M);
    if (!I) {
        return;
    }
    for (int i = 1; i < s->n_body; i++) {
        body_moments(state, i, &I[i]);
    }
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
    if (I != small) {
        fb_scratch_give(state->scratch, I);
    }
}

void fb_project_forces(const fb_state *state, double (*forces)[6], double *tau) {
    const fb_system *s = state->system;
    double small[STACK_BODIES][6];
    double(*f)[6] = s->n_body <= STACK_BODIES
                        ? small
                        : fb_scratch_take(state->scratch, (size_t)s->n_body, sizeof *f);
    if (!f) {
        return;
    }
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
    if (f != small) {
        fb_scratch_give(state->scratch, f);
    }
}

void fb_inverse_dynamics(const fb_state *state, const double *udot, double (*external)[6],
                         double *tau) {
    const fb_system *s = state->system;
    double small_A[STACK_BODIES][6], small_f[STACK_BODIES][6];
    bool fits = s->n_body <= STACK_BODIES;
    double(*A)[6] = fits ? small_A : fb_scratch_take(state->scratch, (size_t)s->n_body, sizeof *A);
    double(*f)[6] = fits ? small_f : fb_scratch_take(state->scratch, (size_t)s->n_body, sizeof *f);
    memset(tau, 0, (size_t)s->n_q * sizeof *tau);
    if (A && f) {
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
            moments I;
            body_moments(state, i, &I);
            for (int j = 0; j < 6; j++) {
                total[j] = A[i][j] + state->A0[i][j];
            }
            for (int j = 0; j < 3; j++) {
                total[3 + j] -= s->gravity[j];
            }
            moments_mul(f[i], &I, total);
            moments_mul(Iv, &I, V); /* V x* (I V) */
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
    if (!fits) {
        fb_scratch_give(state->scratch, f);
        fb_scratch_give(state->scratch, A);
    }
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
        moments I;
        double f[6];
        body_moments(state, i, &I);
        moments_mul(f, &I, state->V[i]);
        sum += dot6(state->V[i], f);
    }
    return sum / 2;
}

/* ---- forward dynamics ----------------------------------------------------------------------- */

fb_status fb_forward_dynamics(fb_state *state, const double *tau, double *udot) {
    const fb_system *s = state->system;
    int n = s->n_q, m = s->n_row;
    size_t size = (size_t)(n * n + 2 * n + m * n + m);
    double *work = fb_scratch_take(state->scratch, size + 1, sizeof *work);
    if (!work) {
        return FB_E_MEMORY;
    }
    double *M = work, *rhs = M + n * n, *bias = rhs + n, *G = bias + n, *b = G + m * n;
    fb_mass_matrix(state, M);
    fb_inverse_dynamics(state, NULL, NULL, bias);
    for (int i = 0; i < n; i++) {
        rhs[i] = tau[i] - bias[i];
    }
    fb_status status;
    if (m > 0) {
        double *error = fb_scratch_take(state->scratch, (size_t)m, sizeof *error);
        if (!error) {
            fb_scratch_give(state->scratch, work);
            return FB_E_MEMORY;
        }
        fb_constraint_position(state, error, G);
        fb_constraint_bias(state, G, b);
        for (int i = 0; i < m; i++) {
            b[i] = -b[i];
        }
        status = fb_solve_constrained(state->scratch, n, m, M, G, rhs, b, udot);
        fb_scratch_give(state->scratch, error);
    } else {
        status = fb_solve_constrained(state->scratch, n, 0, M, NULL, rhs, NULL, udot);
    }
    fb_scratch_give(state->scratch, work);
    return status;
}
