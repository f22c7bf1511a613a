/* Mass matrix, forward and inverse dynamics, free flight, the turned world. */
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/properties/properties.h"

/* ---- masses ------------------------------------------------------------------------------------
 */

/* The kinetic energy of speeds u at the pose, from the bodies' own motions. */
static double energy_of(subject *it, const double *u) {
    fb_state *state = it->s->state;
    memcpy(state->u, u, (size_t)it->n * sizeof *u);
    fb_state_velocity(state);
    double sum = 0;
    for (int i = 1; i < it->s->system->n_body; i++) {
        double v[3], Iw[3];
        fb_point_velocity(v, state, i, state->center[i]);
        fb_m3_mul_v3(Iw, state->inertia[i], state->V[i]);
        sum += it->s->system->mobods[i].mass * fb_v3_dot(v, v) + fb_v3_dot(state->V[i], Iw);
    }
    return sum / 2;
}

/* The mass matrix is symmetric and gives the kinetic energy; where it is not positive definite
 * there is a motion of bodies that have no mass. */
void mass_matrix(subject *it) {
    int n = it->n;
    double *M = numbers(n * n), *u = numbers(n), *scale = numbers(n), *values = numbers(n);
    for (int round = 0; round < 4 && random_pose(it, 1); round++) {
        fb_state *state = it->s->state;
        fb_mass_matrix(state, M);
        memcpy(u, state->u, (size_t)n * sizeof *u);
        double form = 0, off = 0, size = 0;
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                form += u[i] * M[i * n + j] * u[j] / 2;
                off = fmax(off, fabs(M[i * n + j] - M[j * n + i]));
                size = fmax(size, fabs(M[i * n + j]));
            }
        }
        double T = energy_of(it, u);
        claim(it, off <= 1e-14 * size, "the mass matrix is not symmetric, by %g", off);
        claim(it, fabs(form - T) <= 1e-10 * (T + 1e-12), "u M u / 2 is %.12g, kinetic energy %.12g",
              form, T);
        for (int i = 0; i < n; i++) {
            scale[i] = M[i * n + i] > 0 ? 1 / sqrt(M[i * n + i]) : 1;
        }
        for (int i = 0; i < n * n; i++) {
            M[i] *= scale[i / n] * scale[i % n];
        }
        if (n == 0 || LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'V', 'U', n, M, n, values) != 0) {
            break;
        }
        for (int k = 0; k < n && values[k] < 1e-11; k++) { /* a motion that should move no mass */
            double speed = 0;
            for (int i = 0; i < n; i++) {
                u[i] = M[i * n + k] * scale[i];
                speed += u[i] * u[i];
            }
            T = energy_of(it, u);
            claim(it, T < 1e-9 * speed,
                  "the mass matrix has the eigenvalue %g, but its motion has the energy %g",
                  values[k], T);
        }
    }
    free(M);
    free(u);
    free(scale);
    free(values);
}

/* ---- dynamics ----------------------------------------------------------------------------------
 */

/* The power of forces at a speed that the constraints allow, and the sum of its parts' sizes. What
 * prescribed coordinates add to speeds drops out of the difference of two. */
static double allowed_power(subject *it, const double *force, double *parts) {
    fb_state *state = it->s->state;
    double power = 0;
    *parts = 0;
    for (int side = 0; side < 2; side++) {
        for (int i = 0; i < it->n; i++) {
            state->u[i] = held(it, i) ? 0 : between(it, -1, 1);
        }
        fb_state_velocity(state);
        fb_project_velocity(state);
        for (int i = 0; i < it->n; i++) {
            power += (side ? -1 : 1) * force[i] * state->u[i];
            *parts += fabs(force[i] * state->u[i]);
        }
    }
    return power;
}

/* Inverse dynamics of the accelerations that forces give are these forces, but for those of
 * constraints, which do no work at speeds that the constraints allow. The forces are what some
 * accelerations need, so that bodies without mass are asked for nothing. */
void there_and_back(subject *it) {
    int n = it->n;
    double *tau = numbers(n), *udot = numbers(n), *back = numbers(n), *any = numbers(n);
    for (int round = 0; round < 4 && random_pose(it, 1); round++) {
        fb_state *state = it->s->state;
        for (int i = 0; i < n; i++) {
            any[i] = between(it, -5, 5);
        }
        fb_inverse_dynamics(state, any, NULL, tau);
        if (fb_forward_dynamics(state, tau, udot) != FB_OK) {
            double *M = numbers(n * n), *values = numbers(n);
            fb_mass_matrix(state, M);
            LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'N', 'U', n, M, n, values);
            claim(it, values[0] <= 1e-8 * values[n - 1],
                  "no accelerations, but the mass matrix is regular (eigenvalues %g to %g)",
                  values[0], values[n - 1]);
            free(M);
            free(values);
            continue;
        }
        fb_inverse_dynamics(state, udot, NULL, back);
        double size = 1e-3;
        for (int i = 0; i < n; i++) {
            claim(it, isfinite(udot[i]), "the acceleration of %s is %g", coordinate_name(it, i),
                  udot[i]);
            size = fmax(size, fmax(fabs(back[i]), fabs(tau[i])));
        }
        for (int i = 0; i < n; i++) {
            claim(it, it->m > 0 || fabs(back[i] - tau[i]) < 1e-7 * size,
                  "force on %s: %.10g, there and back %.10g", coordinate_name(it, i), tau[i],
                  back[i]);
            back[i] -= tau[i];
        }
        for (int probe = 0; it->m > 0 && probe < 3; probe++) {
            double parts, power = allowed_power(it, back, &parts);
            claim(it, fabs(power) <= 1e-7 * (parts + size),
                  "forces of constraints do the work %g of %g", power, parts);
        }
    }
    free(tau);
    free(udot);
    free(back);
    free(any);
}

/* ---- flight ------------------------------------------------------------------------------------
 */

static double total_energy(const subject *it) {
    const fb_system *s = it->s->system;
    double V = 0;
    for (int i = 1; i < s->n_body; i++) {
        V -= s->mobods[i].mass * fb_v3_dot(s->gravity, it->s->state->center[i]);
    }
    return fb_kinetic_energy(it->s->state) + V;
}

/* Angular momentum about the ground's origin, and momentum. */
static void momentum(const subject *it, double *p) {
    const fb_state *state = it->s->state;
    memset(p, 0, 6 * sizeof *p);
    for (int i = 1; i < it->s->system->n_body; i++) {
        double v[3], L[3], t[3], mass = it->s->system->mobods[i].mass;
        fb_point_velocity(v, state, i, state->center[i]);
        fb_m3_mul_v3(L, state->inertia[i], state->V[i]);
        fb_v3_cross(t, state->center[i], v);
        fb_v3_madd(L, mass, t);
        fb_v3_add(p, p, L);
        fb_v3_madd(p + 3, mass, v);
    }
}

/* True if ground takes up no force: every body on it may move in all six ways, and no constraint.
 */
static bool is_free(const subject *it) {
    const fb_system *s = it->s->system;
    int roots = 0;
    for (int i = 1; i < s->n_body; i++) {
        const fb_mobod *b = &s->mobods[i];
        if (b->parent != 0) {
            continue;
        }
        double A[36] = {0};
        lapack_int pivot[6];
        if (b->n_q != 6) {
            return false;
        }
        for (int k = 0; k < 36; k++) {
            A[k] = it->s->state->S[b->q + k / 6][k % 6];
        }
        if (LAPACKE_dgetrf(LAPACK_ROW_MAJOR, 6, 6, A, 6, pivot) != 0) {
            return false;
        }
        roots++;
    }
    return roots > 0 && it->m == 0;
}

static bool derivatives(subject *it, const double *q, const double *u, const double *none,
                        double *qdot, double *udot) {
    fb_state *state = it->s->state;
    size_t size = (size_t)it->n * sizeof *q;
    memcpy(state->q, q, size);
    memcpy(state->u, u, size);
    fb_state_position(state);
    fb_state_velocity(state);
    memcpy(qdot, state->qdot, size);
    return fb_forward_dynamics(state, none, udot) == FB_OK;
}

/* The classical Runge-Kutta method; the state ends where it comes to. */
static bool fly(subject *it, const double *q0, const double *u0, double h, int steps) {
    int n = it->n;
    double *q = numbers(n), *u = numbers(n), *none = numbers(n), *x = numbers(n), *y = numbers(n),
           *k = numbers(8 * n);
    static const double part[4] = {0, 0.5, 0.5, 1},
                        weight[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
    bool good = true;
    memcpy(q, q0, (size_t)n * sizeof *q);
    memcpy(u, u0, (size_t)n * sizeof *u);
    for (int step = 0; step < steps && good; step++) {
        for (int stage = 0; stage < 4 && good; stage++) {
            for (int i = 0; i < n; i++) {
                double f = stage > 0 ? h * part[stage] : 0;
                x[i] = q[i] + (stage > 0 ? f * k[2 * (stage - 1) * n + i] : 0);
                y[i] = u[i] + (stage > 0 ? f * k[(2 * stage - 1) * n + i] : 0);
            }
            good = derivatives(it, x, y, none, k + 2 * stage * n, k + (2 * stage + 1) * n);
        }
        for (int stage = 0; stage < 4; stage++) {
            for (int i = 0; i < n; i++) {
                q[i] += h * weight[stage] * k[2 * stage * n + i];
                u[i] += h * weight[stage] * k[(2 * stage + 1) * n + i];
            }
        }
    }
    memcpy(it->s->state->q, q, (size_t)n * sizeof *q);
    memcpy(it->s->state->u, u, (size_t)n * sizeof *u);
    fb_state_position(it->s->state);
    fb_state_velocity(it->s->state);
    free(q);
    free(u);
    free(none);
    free(x);
    free(y);
    free(k);
    return good;
}

/* Without forces but gravity and those of constraints, energy stays; where ground takes up no
 * force, momentum changes by that of gravity alone. The step is refined until both hold, or the
 * drift does not shrink as it must. */
void free_flight(subject *it) {
    const double time = 0.02;
    int n = it->n;
    const fb_system *s = it->s->system;
    double *q = numbers(n), *u = numbers(n);
    bool driven = false; /* prescribed coordinates that move do work */
    bool posed = n > 0 && random_pose(it, 0.5);
    for (int i = 0; i < n; i++) {
        const fb_coordinate *c = &s->coordinates[i];
        double first = 0, second = 0;
        if (c->prescribed) {
            fb_function_value(&c->prescribed_function, it->s->state->time, &first, &second);
        }
        driven = driven || first != 0 || second != 0;
    }
    if (posed && !driven) {
        fb_state *state = it->s->state;
        memcpy(q, state->q, (size_t)n * sizeof *q);
        memcpy(u, state->u, (size_t)n * sizeof *u);
        double E = total_energy(it), T = fb_kinetic_energy(state), p[6], c[3], drift = 0, shift = 0;
        bool in_flight = is_free(it), good = true;
        momentum(it, p);
        fb_center_of_mass(state, c, NULL);
        for (int steps = 20; steps <= 1280 && good; steps *= 4) {
            double now[6], v[3], weight[3], turn[3], middle[3], size = 0;
            good = fly(it, q, u, time / steps, steps);
            momentum(it, now);
            fb_center_of_mass(state, middle, v);
            drift = fabs(total_energy(it) - E) / (T + fb_kinetic_energy(state) + 1e-12);
            /* gravity's moment is that of the weight at the mean place of a fall: with the end's
             * velocity v, c(t) = c + (v - g t / 2) t, whose mean is c + v t / 2 - g t^2 / 3 */
            fb_v3_scale(weight, s->total_mass, s->gravity);
            for (int k = 0; k < 3; k++) {
                middle[k] = c[k] + v[k] * time / 2 - s->gravity[k] * time * time / 3;
            }
            fb_v3_cross(turn, middle, weight);
            shift = 0;
            for (int k = 0; k < 3 && in_flight; k++) {
                double changes[2] = {time * turn[k], time * weight[k]};
                for (int half = 0; half < 2; half++) {
                    int i = 3 * half + k;
                    size = fmax(size, fmax(fabs(now[i]), fabs(p[i])));
                    shift = fmax(shift, fabs(now[i] - p[i] - changes[half]));
                }
            }
            shift /= size + 1e-12;
            if (drift < 1e-8 && shift < 1e-8) {
                break;
            }
        }
        claim(it, !good || drift < 1e-6, "energy drifts by %g of the kinetic energy in %g s", drift,
              time);
        claim(it, !good || shift < 1e-6, "momentum drifts by %g of itself in %g s", shift, time);
    }
    free(q);
    free(u);
}

/* ---- the turned world --------------------------------------------------------------------------
 */

static void turn_frame(fb_pose *frame, const fb_pose *turn) {
    fb_pose old = *frame;
    fb_pose_mul(frame, turn, &old);
}

/* Turns gravity and all that is fixed to ground. */
static void turn_world(subject *it, const fb_pose *turn) {
    fb_system *s = it->s->system;
    fb_paths *paths = it->s->paths;
    double v[3];
    fb_m3_mul_v3(v, turn->R, s->gravity);
    fb_v3_copy(s->gravity, v);
    for (int i = 1; i < s->n_body; i++) {
        fb_mobod *b = &s->mobods[i];
        if (b->parent == 0) {
            turn_frame(b->reversed ? &b->child_frame : &b->parent_frame, turn);
        }
    }
    for (int i = 0; i < s->n_constraint; i++) {
        fb_constraint *c = &s->constraints[i];
        bool on_bodies = c->kind != FB_CONSTRAINT_COUPLER && c->kind != FB_CONSTRAINT_FIXED;
        for (int k = 0; k < 2 && on_bodies; k++) {
            if (c->body[k] == 0) {
                turn_frame(&c->frame[k], turn);
            }
            if (c->body[0] == 0) {
                fb_m3_mul_v3(v, turn->R, c->direction[k]);
                fb_v3_copy(c->direction[k], v);
            }
        }
    }
    for (int i = 0; i < paths->n_wraps; i++) {
        if (paths->wraps[i].body == 0) {
            turn_frame(&paths->wraps[i].pose, turn);
        }
    }
    for (int i = 0; i < paths->n_paths; i++) {
        for (int k = 0; k < paths->paths[i].n_points; k++) {
            fb_path_point *point = &paths->paths[i].points[k];
            if (point->body == 0) {
                fb_pose_point(v, turn, point->location);
                fb_v3_copy(point->location, v);
                turn_frame(&point->frame, turn);
            }
        }
    }
}

/* Lengths, moment arms, and accelerations under a tension in each path, in the world as it is and
 * turned about an oblique axis. */
void turned_world(subject *it) {
    static const double axis[3] = {2.0 / 3, -1.0 / 3, 2.0 / 3};
    fb_simulation *s = it->s;
    int n = it->n, paths = s->paths->n_paths;
    if (!random_pose(it, 1)) {
        return;
    }
    double *length = numbers(2 * paths), *arms = numbers(2 * paths * n), *udot = numbers(2 * n),
           *tau = numbers(n);
    bool good = true;
    fb_pose turn = {.p = {0.5, -2, 1}}, back;
    fb_m3_rotation(turn.R, axis, 1.1);
    fb_pose_inverse(&back, &turn);
    for (int side = 0; side < 2; side++) {
        if (side == 1) {
            turn_world(it, &turn);
        }
        move(it);
        memset(tau, 0, (size_t)n * sizeof *tau);
        for (int i = 0; i < paths; i++) {
            length[side * paths + i] = s->path_length[i];
            for (int j = 0; j < n; j++) {
                arms[(side * paths + i) * n + j] = s->path_arms[i * n + j];
                tau[j] += 20 * s->path_arms[i * n + j];
            }
        }
        good = fb_forward_dynamics(s->state, tau, udot + side * n) == FB_OK && good;
    }
    turn_world(it, &back);
    move(it);
    for (int i = 0; i < paths; i++) {
        double L = length[i];
        if (s->paths->paths[i].lacking) {
            continue;
        }
        claim(it, fabs(length[paths + i] - L) <= 1e-9 * (1 + fabs(L)),
              "%s is %.10g m, in the turned world %.10g m", path_name(it, i), L, length[paths + i]);
        for (int j = 0; j < n; j++) {
            double arm = arms[i * n + j], turned = arms[(paths + i) * n + j];
            claim(it, fabs(arm - turned) <= 1e-7 * (1 + fabs(arm)),
                  "%s's moment arm at %s is %.10g, in the turned world %.10g", path_name(it, i),
                  coordinate_name(it, j), arm, turned);
        }
    }
    double size = 1;
    for (int j = 0; j < n && good; j++) {
        size = fmax(size, fabs(udot[j]));
    }
    for (int j = 0; j < n && good; j++) {
        claim(it, fabs(udot[j] - udot[n + j]) <= 1e-6 * size,
              "the acceleration of %s is %.10g, in the turned world %.10g", coordinate_name(it, j),
              udot[j], udot[n + j]);
    }
    free(length);
    free(arms);
    free(udot);
    free(tau);
}
