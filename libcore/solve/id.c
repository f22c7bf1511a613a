#include "libcore/solve/id.h"

#include <math.h>
#include <string.h>

#define SHORT 1e-4 /* s: step of differences */

void fb_id_make(fb_id *id, fb_simulation *s, const fb_splines *motion, const int *column,
                fb_arena *arena) {
    size_t n = (size_t)s->system->n_q, m = (size_t)motion->n_columns;
    *id = (fb_id){.simulation = s, .motion = motion, .column = column};
    id->forces_act = s->forces->n_forces > 0;
    for (int i = 0; i < s->muscles->n; i++) {
        id->forces_act |= s->muscles->muscles[i].enabled;
    }
    id->value = fb_arena_array(arena, m, sizeof *id->value);
    id->d1 = fb_arena_array(arena, m, sizeof *id->d1);
    id->d2 = fb_arena_array(arena, m, sizeof *id->d2);
    id->qdot = fb_arena_array(arena, n, sizeof *id->qdot);
    id->udot = fb_arena_array(arena, n, sizeof *id->udot);
    id->other = fb_arena_array(arena, n, sizeof *id->other);
}

/* True if speeds of a body's joint are not the derivatives of its coordinates. */
static bool turns_freely(const fb_mobod *m) {
    return m->kind == FB_JOINT_BALL || m->kind == FB_JOINT_FREE || m->kind == FB_JOINT_ELLIPSOID ||
           m->kind == FB_JOINT_SCAPULOTHORACIC;
}

/* x of the symmetric or general n x n system A x = b, n <= 6, by elimination with pivots; zero
 * where A is singular. */
static void solve_small(int n, double A[6][6], double *b, double *x) {
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++) {
            best = fabs(A[i][k]) > fabs(A[best][k]) ? i : best;
        }
        for (int j = 0; j < n; j++) {
            double t = A[k][j];
            A[k][j] = A[best][j];
            A[best][j] = t;
        }
        double t = b[k];
        b[k] = b[best];
        b[best] = t;
        for (int i = k + 1; i < n && A[k][k] != 0; i++) {
            double f = A[i][k] / A[k][k];
            for (int j = k; j < n; j++) {
                A[i][j] -= f * A[k][j];
            }
            b[i] -= f * b[k];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        x[k] = b[k];
        for (int j = k + 1; j < n; j++) {
            x[k] -= A[k][j] * x[j];
        }
        x[k] = A[k][k] != 0 ? x[k] / A[k][k] : 0;
    }
}

/* Speeds of all coordinates at a time, of joints that turn freely from the rates of their
 * coordinates: qdot = N(q) u. Leaves the state in the pose. */
static void speeds(fb_id *id, double time, double *u) {
    fb_state *state = id->simulation->state;
    const fb_system *system = id->simulation->system;
    fb_splines_value(id->motion, time, id->value, id->d1, NULL);
    for (int i = 0; i < system->n_q; i++) {
        int c = id->column[i];
        state->q[i] = c >= 0 ? id->value[c] : system->coordinates[i].initial;
        id->qdot[i] = u[i] = c >= 0 ? id->d1[c] : 0;
    }
    fb_state_position(state);
    for (int body = 1; body < system->n_body; body++) {
        const fb_mobod *m = &system->mobods[body];
        if (!turns_freely(m) || m->n_q > 6) {
            continue;
        }
        double N[6][6];
        for (int i = 0; i < m->n_q; i++) {
            double *row = id->other;
            memset(row, 0, (size_t)system->n_q * sizeof *row);
            fb_add_coordinate_row(state, row, m->q + i, 1);
            memcpy(N[i], row + m->q, (size_t)m->n_q * sizeof *row);
        }
        solve_small(m->n_q, N, id->qdot + m->q, u + m->q);
    }
}

/* u and udot; the latter, where joints turn freely, from five points' differences. */
static void move(fb_id *id, double time) {
    fb_simulation *s = id->simulation;
    fb_state *state = s->state;
    const fb_system *system = s->system;
    bool free = false;
    for (int body = 1; body < system->n_body; body++) {
        free |= turns_freely(&system->mobods[body]);
    }
    memset(id->udot, 0, (size_t)system->n_q * sizeof *id->udot);
    static const double at[] = {-2, -1, 1, 2},
                        weight[] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12};
    for (int k = 0; k < 4 && free && !id->rates; k++) {
        speeds(id, time + at[k] * SHORT, state->u);
        for (int i = 0; i < system->n_q; i++) {
            id->udot[i] += weight[k] / SHORT * state->u[i];
        }
    }
    fb_splines_value(id->motion, time, id->value, id->d1, id->d2);
    for (int i = 0; i < system->n_q; i++) {
        int c = id->column[i];
        state->q[i] = c >= 0 ? id->value[c] : system->coordinates[i].initial;
        state->u[i] = c >= 0 ? id->d1[c] : 0;
        bool own = id->rates || !turns_freely(&system->mobods[system->coordinates[i].mobod]);
        id->udot[i] = !own ? id->udot[i] : c >= 0 ? id->d2[c] : 0;
    }
    if (free && !id->rates) {
        speeds(id, time, state->u);
    }
    state->time = time;
}

void fb_id_at(fb_id *id, double time, double *tau) {
    fb_simulation *s = id->simulation;
    const fb_loads *loads = s->loads;
    move(id, time);
    if (id->forces_act) {
        fb_simulation_move(s);
        fb_simulation_control(s, time);
        for (int i = 0; i < s->muscles->n; i++) {
            if (s->muscles->muscles[i].enabled) {
                fb_simulation_equilibrate(s, i, FB_EQUILIBRIUM_OPENSIM4);
            }
        }
        s->loads = NULL; /* they are added below */
        fb_simulation_forces(s, time);
        s->loads = loads;
    } else {
        fb_state_position(s->state);
        fb_state_velocity(s->state);
    }
    memset(s->external, 0, (size_t)s->system->n_body * sizeof *s->external);
    if (loads) {
        fb_loads_apply(loads, s->state, time, s->external);
    }
    fb_inverse_dynamics(s->state, id->udot, s->external, tau);
    for (int i = 0; i < s->system->n_q && id->forces_act; i++) {
        tau[i] -= s->tau[i];
    }
    if (!id->rates) {
        fb_coordinate_forces(s->state, tau);
    }
}

void fb_id_external(const fb_id *id, double wrench[6]) {
    const fb_simulation *s = id->simulation;
    memset(wrench, 0, 6 * sizeof *wrench);
    for (int i = 0; i < s->system->n_body; i++) {
        for (int k = 0; k < 6; k++) {
            wrench[k] += s->external[i][k];
        }
    }
}
