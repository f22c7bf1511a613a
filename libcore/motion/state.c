#include <string.h>

#include "libcore/motion/joints.h"

/* ---- memory --------------------------------------------------------------------------------- */

fb_state *fb_state_new(const fb_system *system) {
    size_t nq = (size_t)system->n_q, nb = (size_t)system->n_body;
    size_t doubles = 3 * nq + 6 * nq + nb * (3 * 12 + 3 + 9 + 5 * 6 + 2 * 13) +
                     (size_t)system->n_axis_numbers;
    fb_state *state = fb_alloc(sizeof *state + sizeof *state->scratch);
    double *block = fb_alloc((doubles + 1) * sizeof *block);
    if (!state || !block) {
        fb_free(state);
        fb_free(block);
        return NULL;
    }
    memset(state, 0, sizeof *state + sizeof *state->scratch);
    state->scratch = (fb_scratch *)(state + 1);
    memset(block, 0, (doubles + 1) * sizeof *block);
    state->system = system;
    state->block = block;
    state->q = block;
    state->u = state->q + nq;
    state->qdot = state->u + nq;
    state->S = (double(*)[6])(void *)(state->qdot + nq);
    state->pose = (fb_pose *)(void *)(state->S + nq);
    state->center = (double(*)[3])(void *)(state->pose + nb);
    state->inertia = (double(*)[9])(void *)(state->center + nb);
    state->V = (double(*)[6])(void *)(state->inertia + nb);
    state->A0 = (double(*)[6])(void *)(state->V + nb);
    state->frame = (fb_pose *)(void *)(state->A0 + nb);
    state->moved = state->frame + nb;
    state->axes = (double *)(void *)(state->moved + nb);
    state->moments = (fb_moments *)(void *)(state->axes + system->n_axis_numbers);
    state->composite = state->moments + nb;
    state->carried = (double(*)[6])(void *)(state->composite + nb);
    state->acting = state->carried + nb;
    state->passed = state->acting + nb;
    fb_state_defaults(state);
    return state;
}

void fb_state_free(fb_state *state) {
    if (!state) {
        return;
    }
    fb_scratch_clear(state->scratch);
    fb_free(state->block);
    fb_free(state);
}

void fb_state_defaults(fb_state *state) {
    const fb_system *s = state->system;
    for (int i = 0; i < s->n_q; i++) {
        const fb_coordinate *c = &s->coordinates[i];
        state->q[i] = c->prescribed
                          ? fb_function_value(&c->prescribed_function, state->time, NULL, NULL)
                          : c->initial;
        state->u[i] = 0;
    }
}

/* ---- positions ------------------------------------------------------------------------------ */

/* r = a b, where b often only moves. */
static void mul_frame(fb_pose *r, const fb_pose *a, const fb_pose *b) {
    if (b->R[0] == 1 && b->R[4] == 1 && b->R[8] == 1) {
        memcpy(r->R, a->R, sizeof r->R);
        fb_pose_point(r->p, a, b->p);
    } else {
        fb_pose_mul(r, a, b);
    }
}

/* The joint's parent frame F, its child frame M and the body in ground, from the inboard body; for
 * a reversed joint F follows from M. */
static void place_body(fb_state *state, int i, const fb_joint_motion *motion) {
    const fb_mobod *m = &state->system->mobods[i];
    fb_pose *F = &state->frame[i], *M = &state->moved[i], *inboard = &state->pose[m->parent];
    if (!m->reversed) {
        mul_frame(F, inboard, &m->parent_frame);
        fb_pose_mul(M, F, &motion->X);
        mul_frame(&state->pose[i], M, &m->inner_inverse);
    } else {
        fb_pose back;
        mul_frame(M, inboard, &m->child_frame);
        fb_pose_inverse(&back, &motion->X);
        fb_pose_mul(F, M, &back);
        mul_frame(&state->pose[i], F, &m->inner_inverse);
    }
}

/* The motion of a unit speed as a spatial vector at the ground's origin: M relative to F. */
static void place_motion(double *S, const double *w, const double *v, const fb_pose *F,
                         const fb_pose *M, double sign) {
    double angular[3], linear[3], moved[3];
    fb_m3_mul_v3(angular, F->R, w);
    fb_m3_mul_v3(linear, F->R, v);
    fb_v3_cross(moved, M->p, angular);
    for (int k = 0; k < 3; k++) {
        S[k] = sign * angular[k];
        S[3 + k] = sign * (linear[k] + moved[k]);
    }
}

static void place_mass(fb_state *state, int i) {
    const fb_mobod *m = &state->system->mobods[i];
    fb_moments *moments = &state->moments[i];
    double t[9], *c = state->center[i], *I = state->inertia[i];
    fb_pose_point(c, &state->pose[i], m->center);
    fb_m3_mul(t, state->pose[i].R, m->inertia);
    fb_m3_mult(I, t, state->pose[i].R);
    double cc = fb_v3_dot(c, c);
    moments->mass = m->mass;
    fb_v3_scale(moments->first, m->mass, c);
    for (int j = 0; j < 3; j++) {
        for (int k = 0; k < 3; k++) {
            moments->second[3 * j + k] = I[3 * j + k] + m->mass * ((j == k ? cc : 0) - c[j] * c[k]);
        }
    }
}

void fb_state_position(fb_state *state) {
    const fb_system *s = state->system;
    fb_pose_identity(&state->pose[0]);
    for (int i = 1; i < s->n_body; i++) {
        const fb_mobod *m = &s->mobods[i];
        fb_joint_motion motion;
        fb_joint_position(m, state->q + m->q, state->axes, &motion);
        place_body(state, i, &motion);
        for (int k = 0; k < m->n_q; k++) {
            place_motion(state->S[m->q + k], motion.Hw[k], motion.Hv[k], &state->frame[i],
                         &state->moved[i], m->reversed ? -1 : 1);
        }
        place_mass(state, i);
    }
}

/* ---- velocities ----------------------------------------------------------------------------- */

/* Spatial cross product of motions: r = a x b. */
static void motion_cross(double *r, const double *a, const double *b) {
    double t[3];
    fb_v3_cross(r, a, b);
    fb_v3_cross(r + 3, a, b + 3);
    fb_v3_cross(t, a + 3, b);
    fb_v3_add(r + 3, r + 3, t);
}

/* The spatial acceleration of M relative to F that is due to speeds alone, as seen in F: at the
 * ground's origin it is Sdot u with F at rest. */
static void relative_bias(double *bias, const fb_joint_motion *motion, const fb_pose *F,
                          const fb_pose *M, const double *relative) {
    double alpha[3], a[3], v[3], t[3];
    fb_m3_mul_v3(alpha, F->R, motion->bias_w);
    fb_m3_mul_v3(a, F->R, motion->bias_v);
    /* d/dt of v_origin = v_M + p_M x w: a_M + v_M x w + p_M x alpha, with v_M the velocity of M's
     * origin */
    fb_v3_cross(t, relative, M->p);
    fb_v3_add(v, relative + 3, t);
    fb_v3_copy(bias, alpha);
    fb_v3_cross(t, v, relative);
    fb_v3_add(bias + 3, a, t);
    fb_v3_cross(t, M->p, alpha);
    fb_v3_add(bias + 3, bias + 3, t);
}

void fb_state_velocity(fb_state *state) {
    const fb_system *s = state->system;
    memset(state->V[0], 0, sizeof state->V[0]);
    memset(state->A0[0], 0, sizeof state->A0[0]);
    for (int i = 1; i < s->n_body; i++) {
        const fb_mobod *m = &s->mobods[i];
        double relative[6] = {0}, bias[6] = {0}, carried[6];
        fb_joint_qdot(m, state->q + m->q, state->u + m->q, state->qdot + m->q);
        for (int k = 0; k < m->n_q; k++) {
            for (int j = 0; j < 6; j++) {
                relative[j] += state->S[m->q + k][j] * state->u[m->q + k];
            }
        }
        const double *inboard = state->V[m->parent], *inboard_a = state->A0[m->parent];
        if (m->n_q > 0) {
            fb_joint_motion motion;
            if (m->kind != FB_JOINT_AXES && m->kind != FB_JOINT_BALL && m->kind != FB_JOINT_FREE) {
                fb_joint_position(m, state->q + m->q, state->axes, &motion);
            }
            fb_joint_velocity(m, state->q + m->q, state->u + m->q, state->axes, &motion);
            double forward[6]; /* M relative to F, whichever is outboard */
            for (int j = 0; j < 6; j++) {
                forward[j] = m->reversed ? -relative[j] : relative[j];
            }
            relative_bias(bias, &motion, &state->frame[i], &state->moved[i], forward);
            for (int j = 0; m->reversed && j < 6; j++) {
                bias[j] = -bias[j];
            }
        }
        for (int j = 0; j < 6; j++) {
            state->V[i][j] = inboard[j] + relative[j];
        }
        /* A = A_inboard + V_F x S u + bias: relative motion is carried along by frame F */
        motion_cross(carried, m->reversed ? state->V[i] : inboard, relative);
        for (int j = 0; j < 6; j++) {
            state->A0[i][j] = inboard_a[j] + carried[j] + bias[j];
        }
    }
}

void fb_point_velocity(double *v, const fb_state *state, int body, const double *point_ground) {
    const double *V = state->V[body];
    double t[3];
    fb_v3_cross(t, V, point_ground);
    fb_v3_add(v, V + 3, t);
}
