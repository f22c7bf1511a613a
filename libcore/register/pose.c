#include "libcore/register/pose.h"

#include <math.h>
#include <string.h>

#include "libcore/base/number.h"
#include "libcore/motion/joints.h"
#include "libcore/motion/solve.h"

#define ARM 0.1     /* m: a radian counts as so much */
#define FAR 0.02    /* m: where distances begin to count linearly, */
#define STEEP 0.35  /* rad: and angles */
#define RANGE 0.003 /* m: what a radian, or a metre, out of a range costs */
#define CONSTRAINT \
    100 /* weight of constraints in the end; at first 1, then 10: a narrow valley is slow */
#define MOST_TRIES 40  /* steps from each bone */
#define MOST_STEPS 200 /* from the best of them */
#define SETTLED 1e-14
#define ASSEMBLED 1e-12
#define HALF_TURN 1.5708 /* rad: what is told */
#define MUCH 0.7854      /* rad out of a range: such a joint may hide half a turn */
#define BEYOND 0.01      /* rad or m out of a range: what is told */

typedef struct bone {
    int body;
    fb_pose pose; /* in the scan */
    double weight;
    double (*points)[3]; /* joints' centres in the body */
    int n_points;
} bone;

typedef struct solver {
    fb_arena arena;
    fb_system *system;
    fb_state *state;
    fb_pose scan; /* the scan's frame in ground */
    bone *bones;
    int n;
    int *unknown; /* coordinates that move */
    int n_unknown;
    bool *by_angle;                /* n_body: moved by its angles, as some of them stay */
    double (*S)[6];                /* n_q: motion of each unknown at the ground's origin */
    bool *determined;              /* n_q */
    double *A, *g, *step, *column; /* normal equations of n_unknown + 6 */
    double *error, *G;             /* of constraints */
    double *kept;                  /* n_q */
    bool plain;                    /* squares, however large a residual is */
    double tightness;              /* weight of constraints */
    int iterations;
} solver;

/* ---- rotations ------------------------------------------------------------------------------- */

/* The rotation vector of a matrix: its axis times its angle, 0 to pi. */
static void rotation_vector(double *r, const double *m) {
    double sine[3] = {(m[7] - m[5]) / 2, (m[2] - m[6]) / 2, (m[3] - m[1]) / 2};
    double s = fb_v3_norm(sine), c = (m[0] + m[4] + m[8] - 1) / 2, angle = atan2(s, c);
    if (c > -0.99) {
        fb_v3_scale(r, s > 1e-9 ? angle / s : 1, sine);
        return;
    }
    /* near half a turn: the axis is in the symmetric part, (m + m^T) / 2 = c + (1 - c) n n^T */
    double d[3] = {m[0] - c, m[4] - c, m[8] - c};
    int k = d[0] > d[1] ? (d[0] > d[2] ? 0 : 2) : (d[1] > d[2] ? 1 : 2);
    for (int i = 0; i < 3; i++) {
        r[i] = i == k ? d[k] : (m[3 * i + k] + m[3 * k + i]) / 2;
    }
    fb_v3_normalize(r);
    fb_v3_scale(r, fb_v3_dot(r, sine) < 0 ? -angle : angle, r);
}

/* out = J^-1 w for the rotation vector r: how it changes when the rotation turns by w from the
 * left; with side -1: from the right. */
static void rotation_rate(double *out, const double *r, const double *w, double side) {
    double angle = fb_v3_norm(r), half = angle / 2, a[3], b[3];
    double k = angle > 1e-3 ? (1 - half * cos(half) / sin(half)) / (angle * angle) : 1.0 / 12;
    fb_v3_cross(a, r, w);
    fb_v3_cross(b, r, a);
    for (int i = 0; i < 3; i++) {
        out[i] = w[i] - side * a[i] / 2 + k * b[i];
    }
}

/* ---- one side of the equations --------------------------------------------------------------- */

static double huber(const solver *s, double size, double bend, double *weight) {
    bool over = size > bend && !s->plain;
    *weight = over ? bend / size : 1;
    return over ? 2 * bend * size - bend * bend : size * size;
}

/* Adds w |r + J x|^2 for three rows; J in columns of three. */
static void add_rows(solver *s, const double *r, const double (*J)[3], double w) {
    int n = s->n_unknown + 6;
    for (int i = 0; i < n; i++) {
        if (J[i][0] == 0 && J[i][1] == 0 && J[i][2] == 0) {
            continue;
        }
        s->g[i] -= w * fb_v3_dot(J[i], r);
        for (int k = 0; k <= i; k++) {
            s->A[i * n + k] += w * fb_v3_dot(J[i], J[k]);
        }
    }
}

static bool is_above(const fb_system *system, int mobod, int body) {
    for (; body > 0; body = system->branches[body].parent) {
        if (body == mobod) {
            return true;
        }
    }
    return false;
}

/* Motion of a body with the i-th unknown, at the ground's origin. */
static const double *motion_of(const solver *s, int body, int i) {
    int q = s->unknown[i];
    return is_above(s->system, s->system->coordinates[q].mobod, body) ? s->S[q] : NULL;
}

/* What belongs to the angular velocities x, y, z of a joint (`stride` numbers apart), to the rates
 * of its angles: they turn about x, about y after the first, about z after the first two. */
static void to_angles(const solver *s, const fb_mobod *m, double *x, int stride) {
    const double *q = s->state->q + m->q;
    double s1 = sin(q[0]), c1 = cos(q[0]), s2 = sin(q[1]), c2 = cos(q[1]);
    double *a = x + m->q * stride, *b = a + stride, *c = b + stride;
    double y = *b, z = *c;
    *b = c1 * y + s1 * z;
    *c = s2 * *a + c2 * (c1 * z - s1 * y);
}

static void find_motions(solver *s) {
    const fb_system *system = s->system;
    memcpy(s->S, s->state->S, (size_t)system->n_q * sizeof *s->S);
    for (int i = 1; i < system->n_body; i++) {
        for (int k = 0; k < 6 && s->by_angle[i]; k++) {
            to_angles(s, &system->mobods[i], &s->S[0][k], 6);
        }
    }
}

static double add_bone(solver *s, const bone *b, bool rows) {
    int n = s->n_unknown;
    double(*J)[3] = (double(*)[3])s->column, cost = 0, r[3], turn[9], weight, at[3], to[3];
    const fb_pose *pose = &s->state->pose[b->body];
    fb_pose target;
    fb_pose_mul(&target, &s->scan, &b->pose);
    for (int p = 0; p < b->n_points; p++) {
        fb_pose_point(at, pose, b->points[p]);
        fb_pose_point(to, &target, b->points[p]);
        fb_v3_sub(r, at, to);
        double w = b->weight / b->n_points;
        cost += w * huber(s, fb_v3_norm(r), FAR, &weight);
        for (int i = 0; rows && i < n + 6; i++) {
            const double *S = i < n ? motion_of(s, b->body, i) : NULL;
            memset(J[i], 0, sizeof J[i]);
            if (S) {
                fb_v3_cross(J[i], S, at);
                fb_v3_add(J[i], J[i], S + 3);
            } else if (i >= n) {
                double axis[3] = {0, 0, 0};
                axis[(i - n) % 3] = -1;
                if (i < n + 3) {
                    fb_v3_cross(J[i], axis, to);
                } else {
                    fb_v3_copy(J[i], axis);
                }
            }
        }
        if (rows) {
            add_rows(s, r, (const double(*)[3])J, w * weight);
        }
    }
    fb_m3_mult(turn, pose->R, target.R);
    rotation_vector(r, turn);
    cost += b->weight * ARM * ARM * huber(s, fb_v3_norm(r), STEEP, &weight);
    for (int i = 0; rows && i < n + 6; i++) {
        const double *S = i < n ? motion_of(s, b->body, i) : NULL;
        memset(J[i], 0, sizeof J[i]);
        if (S) {
            rotation_rate(J[i], r, S, 1);
        } else if (i >= n && i < n + 3) {
            double axis[3] = {0, 0, 0};
            axis[i - n] = -1;
            rotation_rate(J[i], r, axis, -1);
        }
    }
    if (rows) {
        add_rows(s, r, (const double(*)[3])J, b->weight * ARM * ARM * weight);
    }
    return cost;
}

/* One row with entries of its own. */
static void add_row(solver *s, double r, double w) {
    int n = s->n_unknown + 6;
    for (int i = 0; i < n; i++) {
        s->g[i] -= w * s->column[i] * r;
        for (int k = 0; k <= i && s->column[i] != 0; k++) {
            s->A[i * n + k] += w * s->column[i] * s->column[k];
        }
    }
}

static double beyond_of(const fb_coordinate *c, double q) {
    return q > c->range[1] ? q - c->range[1] : q < c->range[0] ? q - c->range[0] : 0;
}

static double add_ranges(solver *s, bool rows) {
    double cost = 0;
    for (int i = 0; i < s->n_unknown; i++) {
        const fb_coordinate *c = &s->system->coordinates[s->unknown[i]];
        double r = beyond_of(c, s->state->q[s->unknown[i]]);
        if (r == 0 || fb_joint_has_angular_speeds(&s->system->mobods[c->mobod])) {
            continue;
        }
        cost += RANGE * RANGE * r * r;
        if (rows) {
            memset(s->column, 0, (size_t)(s->n_unknown + 6) * sizeof *s->column);
            s->column[i] = 1;
            add_row(s, r, RANGE * RANGE);
        }
    }
    return cost;
}

static double add_constraints(solver *s, bool rows) {
    const fb_system *system = s->system;
    double cost = 0, w = s->tightness * s->tightness;
    if (system->n_row == 0) {
        return 0;
    }
    fb_constraint_position(s->state, s->error, rows ? s->G : NULL);
    for (int k = 0; k < system->n_constraint; k++) {
        const fb_constraint *c = &system->constraints[k];
        for (int row = c->row; row < c->row + c->n_rows && c->kind != FB_CONSTRAINT_FIXED; row++) {
            cost += w * s->error[row] * s->error[row];
            if (rows) {
                for (int i = 1; i < system->n_body; i++) {
                    if (s->by_angle[i]) {
                        to_angles(s, &system->mobods[i], s->G + row * system->n_q, 1);
                    }
                }
                memset(s->column, 0, (size_t)(s->n_unknown + 6) * sizeof *s->column);
                for (int i = 0; i < s->n_unknown; i++) {
                    s->column[i] = s->G[row * system->n_q + s->unknown[i]];
                }
                add_row(s, s->error[row], w);
            }
        }
    }
    return cost;
}

/* What is to become least; with `rows` the normal equations of a step too. */
static double evaluate(solver *s, bool rows) {
    size_t n = (size_t)s->n_unknown + 6;
    double cost = 0;
    fb_state_position(s->state);
    if (rows) {
        find_motions(s);
        memset(s->A, 0, n * n * sizeof *s->A);
        memset(s->g, 0, n * sizeof *s->g);
    }
    for (int i = 0; i < s->n; i++) {
        cost += add_bone(s, &s->bones[i], rows);
    }
    return cost + add_ranges(s, rows) + add_constraints(s, rows);
}

/* ---- steps ----------------------------------------------------------------------------------- */

static void move(solver *s, const double *x) {
    const fb_system *system = s->system;
    memset(s->state->u, 0, (size_t)system->n_q * sizeof *s->state->u);
    for (int i = 0; i < s->n_unknown; i++) {
        s->state->u[s->unknown[i]] = x[i];
    }
    for (int i = 1; i < system->n_body; i++) {
        const fb_mobod *m = &system->mobods[i];
        double qdot[FB_JOINT_MAX];
        if (s->by_angle[i]) {
            memcpy(qdot, s->state->u + m->q, (size_t)m->n_q * sizeof *qdot);
        } else if (m->n_q > 0) {
            fb_joint_qdot(m, s->state->q + m->q, s->state->u + m->q, qdot);
        }
        for (int k = 0; k < m->n_q; k++) {
            s->state->q[m->q + k] += qdot[k];
        }
    }
    memset(s->state->u, 0, (size_t)system->n_q * sizeof *s->state->u);
    const double *twist = x + s->n_unknown;
    double axis[3], angle;
    fb_pose turn = {.p = {twist[3], twist[4], twist[5]}}, old = s->scan;
    fb_v3_copy(axis, twist);
    angle = fb_v3_normalize(axis);
    fb_m3_rotation(turn.R, axis, angle);
    fb_pose_mul(&s->scan, &turn, &old);
}

/* Levenberg's and Marquardt's steps from where the solver is; the least that was reached. */
static double descend(solver *s, int most) {
    int n = s->n_unknown + 6;
    double damping = 1e-3, cost = evaluate(s, true);
    for (int i = 0; i < most && isfinite(cost); i++, s->iterations++) {
        fb_pose scan = s->scan;
        double size = 0, next = FB_INFINITY;
        memcpy(s->kept, s->state->q, (size_t)s->system->n_q * sizeof *s->kept);
        bool better = false;
        while (!better && damping < 1e8) {
            double *L = s->A + n * n;
            memcpy(L, s->A, (size_t)(n * n) * sizeof *L);
            for (int k = 0; k < n; k++) {
                L[k * n + k] += damping * s->A[k * n + k] + 1e-12;
            }
            memcpy(s->step, s->g, (size_t)n * sizeof *s->step);
            if (fb_cholesky(n, L, 0)) {
                fb_cholesky_forward(n, L, s->step);
                fb_cholesky_backward(n, L, s->step);
                double longest = 0;
                for (int k = 0; k < n; k++) {
                    longest = fmax(longest, fabs(s->step[k]));
                }
                for (int k = 0; k < n && longest > 1; k++) { /* at most a radian, or a metre */
                    s->step[k] /= longest;
                }
                size = fmin(longest, 1);
                move(s, s->step);
                next = evaluate(s, false);
                better = next < cost;
            }
            if (!better) {
                memcpy(s->state->q, s->kept, (size_t)s->system->n_q * sizeof *s->kept);
                s->scan = scan;
                damping = fmax(10 * damping, 1e-6);
                if (size < SETTLED) {
                    break;
                }
            }
        }
        if (!better) {
            evaluate(s, true);
            return cost;
        }
        damping = fmax(damping / 10, 1e-15);
        cost = evaluate(s, true);
    }
    return cost;
}

/* ---- what the scan tells --------------------------------------------------------------------- */

static const bone *bone_of(const solver *s, int body) {
    for (int i = 0; i < s->n; i++) {
        if (s->bones[i].body == body) {
            return &s->bones[i];
        }
    }
    return NULL;
}

/* Where several trees stand on the ground, which was not scanned, and the first is free: moving it
 * and moving the scan are the same, so it stays. -1: none. */
static int held_root(const solver *s, const int *beyond) {
    for (int i = 1; i < s->system->n_body; i++) {
        if (s->system->branches[i].parent == 0 && beyond[i] > 0) {
            return s->system->mobods[i].n_q == 6 && !bone_of(s, 0) ? i : -1;
        }
    }
    return -1;
}

/* A coordinate moves scanned bones against each other if some are beyond its joint and some not. */
static void choose_unknowns(solver *s) {
    const fb_system *system = s->system;
    int *beyond = fb_arena_array(&s->arena, (size_t)system->n_body, sizeof *beyond);
    s->determined = fb_arena_array(&s->arena, (size_t)system->n_q + 1, sizeof *s->determined);
    s->unknown = fb_arena_array(&s->arena, (size_t)system->n_q + 1, sizeof *s->unknown);
    for (int i = 0; i < s->n; i++) {
        for (int k = s->bones[i].body; k > 0; k = system->branches[k].parent) {
            beyond[k]++;
        }
    }
    int root = held_root(s, beyond);
    s->by_angle = fb_arena_array(&s->arena, (size_t)system->n_body, sizeof *s->by_angle);
    s->S = fb_arena_array(&s->arena, (size_t)system->n_q + 1, sizeof *s->S);
    for (int i = 0; i < system->n_q; i++) {
        const fb_coordinate *c = &system->coordinates[i];
        int n = beyond[c->mobod];
        bool stays = c->locked || c->prescribed;
        s->by_angle[c->mobod] |= stays && c->slot < 3 &&
                                 fb_joint_has_angular_speeds(&system->mobods[c->mobod]);
        s->determined[i] = n > 0 && n < s->n && !stays && c->mobod != root;
        bool tied = false; /* others, or the ground, may make it follow */
        for (int k = 0; k < system->n_constraint; k++) {
            const fb_constraint *constraint = &system->constraints[k];
            tied |= constraint->kind == FB_CONSTRAINT_COUPLER
                        ? constraint->coordinate == i
                        : constraint->kind != FB_CONSTRAINT_FIXED;
        }
        if (!stays && (s->determined[i] || tied)) {
            s->unknown[s->n_unknown++] = i;
        }
    }
}

static void find_points(solver *s, bone *b) {
    const fb_system *system = s->system;
    b->points = fb_arena_array(&s->arena, (size_t)system->n_body, sizeof *b->points);
    for (int i = 1; i < system->n_body; i++) {
        const fb_mobod *m = &system->mobods[i];
        const fb_pose *inner = m->reversed ? &m->child_frame : &m->parent_frame;
        const fb_pose *outer = m->reversed ? &m->parent_frame : &m->child_frame;
        if (i == b->body || (m->parent == b->body && m->copy_of < 0)) {
            fb_v3_copy(b->points[b->n_points++], i == b->body ? outer->p : inner->p);
        }
    }
}

static fb_status take_bones(solver *s, const fb_scan_bone *bones, int n, fb_diag *diag) {
    s->bones = fb_arena_array(&s->arena, (size_t)n, sizeof *s->bones);
    for (int i = 0; i < n; i++) {
        bone *b = &s->bones[s->n++];
        b->pose = bones[i].pose;
        b->weight = bones[i].weight > 0 ? bones[i].weight : 1;
        b->body = bones[i].body == s->system->model->ground
                      ? 0
                      : fb_system_body(s->system, bones[i].body, NULL);
        double sum = b->weight;
        for (int k = 0; k < 9; k++) {
            sum += fabs(b->pose.R[k]) + fabs(b->pose.p[k % 3]);
        }
        if (b->body < 0 || !isfinite(sum)) {
            fb_diag_add(diag, FB_ERROR, FB4008, fb_element_place(bones[i].body), NULL,
                        "the scan's bone '%s' is no body of the model, or its place is not finite",
                        bones[i].body->name ? bones[i].body->name : "");
            return FB_E_INPUT;
        }
        find_points(s, b);
    }
    return FB_OK;
}

/* The model's default pose, laid on a bone. */
static void begin_at(solver *s, const bone *b) {
    fb_pose inverse;
    fb_state_defaults(s->state);
    if (fb_assemble(s->state, ASSEMBLED) != FB_OK) {
        fb_state_defaults(s->state);
    }
    fb_state_position(s->state);
    fb_pose_inverse(&inverse, &b->pose);
    fb_pose_mul(&s->scan, &s->state->pose[b->body], &inverse);
}

static void solve(solver *s) {
    size_t n = (size_t)s->n_unknown + 6, n_q = (size_t)s->system->n_q + 1;
    size_t n_row = (size_t)s->system->n_row;
    s->A = fb_arena_array(&s->arena, 2 * n * n, sizeof *s->A);
    s->g = fb_arena_array(&s->arena, n, sizeof *s->g);
    s->step = fb_arena_array(&s->arena, n, sizeof *s->step);
    s->column = fb_arena_array(&s->arena, 3 * n, sizeof *s->column);
    s->error = fb_arena_array(&s->arena, n_row + 1, sizeof *s->error);
    s->G = fb_arena_array(&s->arena, n_row * n_q + 1, sizeof *s->G);
    s->kept = fb_arena_array(&s->arena, n_q, sizeof *s->kept);
    double *best_q = fb_arena_array(&s->arena, n_q, sizeof *best_q), best = FB_INFINITY;
    fb_pose best_scan = s->scan;
    s->tightness = 1;
    for (int i = 0; i < 2 * s->n && best > 1e-16; i++) {
        begin_at(s, &s->bones[i / 2]);
        s->plain = i % 2 == 0; /* which finds more, unless a bone is all wrong */
        if (s->plain) {
            descend(s, MOST_TRIES);
        }
        s->plain = false;
        double cost = descend(s, MOST_TRIES);
        if (i == 0 || cost < best) {
            best = cost;
            best_scan = s->scan;
            memcpy(best_q, s->state->q, (n_q - 1) * sizeof *best_q);
        }
    }
    memcpy(s->state->q, best_q, (n_q - 1) * sizeof *best_q);
    s->scan = best_scan;
    for (; s->tightness <= CONSTRAINT; s->tightness *= 10) {
        descend(s, MOST_STEPS);
    }
}

/* ---- the report ------------------------------------------------------------------------------ */

static double angle_between(const double *a, const double *b) {
    double turn[9], r[3];
    fb_m3_mult(turn, a, b);
    rotation_vector(r, turn);
    return fb_v3_norm(r);
}

static void report_bones(const solver *s, const fb_scan_bone *bones, fb_scan_fit *fit) {
    fit->bones = fb_arena_array(&fit->arena, (size_t)s->n, sizeof *fit->bones);
    fit->n_bones = s->n;
    for (int i = 0; i < s->n; i++) {
        const bone *b = &s->bones[i];
        double sum = 0, at[3], to[3];
        fb_pose target;
        fb_pose_mul(&target, &s->scan, &b->pose);
        for (int p = 0; p < b->n_points; p++) {
            fb_pose_point(at, &s->state->pose[b->body], b->points[p]);
            fb_pose_point(to, &target, b->points[p]);
            double d = fb_v3_distance(at, to);
            sum += d * d / b->n_points;
        }
        fit->bones[i] = (fb_scan_bone_fit){bones[i].body, sqrt(sum),
                                           angle_between(s->state->pose[b->body].R, target.R)};
        fit->distance += sum / s->n;
        fit->angle += fit->bones[i].angle * fit->bones[i].angle / s->n;
    }
    fit->distance = sqrt(fit->distance);
    fit->angle = sqrt(fit->angle);
}

/* The outer body in the inner one, as the model has it and as scanned. */
static void report_joints(const solver *s, fb_scan_fit *fit) {
    const fb_system *system = s->system;
    fit->joints = fb_arena_array(&fit->arena, (size_t)system->n_body, sizeof *fit->joints);
    for (int i = 1; i < system->n_body; i++) {
        const fb_mobod *m = &system->mobods[i];
        const bone *inner = bone_of(s, m->parent), *outer = bone_of(s, i);
        if (!m->joint || !inner || !outer) {
            continue;
        }
        const fb_pose *frame = m->reversed ? &m->parent_frame : &m->child_frame;
        fb_pose inverse, model, scan;
        double at[3], to[3];
        fb_pose_inverse(&inverse, &s->state->pose[m->parent]);
        fb_pose_mul(&model, &inverse, &s->state->pose[i]);
        fb_pose_inverse(&inverse, &inner->pose);
        fb_pose_mul(&scan, &inverse, &outer->pose);
        fb_pose_point(at, &model, frame->p);
        fb_pose_point(to, &scan, frame->p);
        fit->joints[fit->n_joints++] = (fb_scan_joint_fit){m->joint, fb_v3_distance(at, to),
                                                           angle_between(model.R, scan.R)};
    }
}

static void report_coordinates(const solver *s, fb_scan_fit *fit) {
    const fb_system *system = s->system;
    fit->n_coordinates = system->n_q;
    fit->coordinates = fb_arena_array(&fit->arena, (size_t)system->n_q + 1,
                                      sizeof *fit->coordinates);
    for (int i = 0; i < system->n_q; i++) {
        const fb_coordinate *c = &system->coordinates[i];
        double q = s->state->q[i];
        fit->coordinates[i] = (fb_scan_coordinate){c->element, q, s->determined[i],
                                                   s->determined[i] ? beyond_of(c, q) : 0, false};
    }
    for (int i = 0; i < system->n_constraint; i++) {
        const fb_constraint *c = &system->constraints[i];
        if (c->kind == FB_CONSTRAINT_COUPLER && c->coordinate >= 0) {
            fit->coordinates[c->coordinate].dependent = true;
        }
    }
}

static void tell(const solver *s, fb_scan_fit *fit, fb_diag *diag) {
    const double degrees = 57.29577951308232;
    for (int i = 0; i < fit->n_bones; i++) {
        const fb_scan_bone_fit *b = &fit->bones[i];
        if (b->angle > HALF_TURN) {
            fb_diag_add(diag, FB_WARNING, FB4008, fb_element_place(b->body), NULL,
                        "the scan has bone '%s' turned by %.0f degrees against what the joints let "
                        "it be; it may lie half a turn round, or be of the other side",
                        b->body->name ? b->body->name : "", degrees * b->angle);
        }
    }
    for (int i = 0; i < fit->n_joints; i++) {
        const fb_scan_joint_fit *j = &fit->joints[i];
        if (j->angle > HALF_TURN) {
            fb_diag_add(diag, FB_WARNING, FB4008, fb_element_place(j->joint), NULL,
                        "the scan has the two bones of joint '%s' turned by %.0f degrees against "
                        "each other, beside what it moves",
                        j->joint->name ? j->joint->name : "", degrees * j->angle);
        }
    }
    for (int i = 0; i < fit->n_coordinates; i++) {
        const fb_scan_coordinate *c = &fit->coordinates[i];
        if (c->coordinate && fabs(c->beyond) > BEYOND) {
            bool turns = fb_coordinate_motion(c->coordinate) != FB_TRANSLATIONAL;
            double unit = turns ? degrees : 1;
            const char *name = turns ? "degrees" : "m";
            const fb_element *body = s->system->mobods[s->system->coordinates[i].mobod].body;
            fb_diag_add(diag, FB_WARNING, FB4008, fb_element_place(c->coordinate),
                        turns && fabs(c->beyond) > MUCH && body && body->name
                            ? fb_arena_printf(&fit->arena,
                                              "bone '%s', or its neighbour, may lie half a turn "
                                              "round",
                                              body->name)
                            : NULL,
                        "the scan lay with '%s' at %.4g %s, %.3g %s out of its range",
                        fb_osim_name(c->coordinate), unit * c->value, name, unit * fabs(c->beyond),
                        name);
        }
    }
}

/* ---- all of it ------------------------------------------------------------------------------- */

static fb_status run(solver *s, fb_scan_fit *fit, const fb_scan_bone *bones, int n, fb_diag *diag) {
    jmp_buf oom;
    if (setjmp(oom)) {
        s->arena.oom = fit->arena.oom = NULL;
        fb_diag_add(diag, FB_ERROR, FB1003, (fb_place){0}, NULL, "out of memory");
        return FB_E_MEMORY;
    }
    s->arena.oom = fit->arena.oom = &oom;
    fb_status status = take_bones(s, bones, n, diag);
    if (status == FB_OK) {
        choose_unknowns(s);
        solve(s);
        if (s->system->n_row > 0) { /* exactly, if they can be met */
            memcpy(s->kept, s->state->q, (size_t)s->system->n_q * sizeof *s->kept);
            if (fb_assemble(s->state, ASSEMBLED) != FB_OK) {
                memcpy(s->state->q, s->kept, (size_t)s->system->n_q * sizeof *s->kept);
            }
        }
        fb_state_position(s->state);
        fb_pose_inverse(&fit->ground, &s->scan);
        report_bones(s, bones, fit);
        report_joints(s, fit);
        report_coordinates(s, fit);
        fit->iterations = s->iterations;
        if (!isfinite(fit->distance) || !isfinite(fit->angle)) {
            fb_diag_add(diag, FB_ERROR, FB4006, (fb_place){0}, NULL,
                        "the pose of the scan cannot be computed: its numbers are not finite");
            status = FB_E_NUMERIC;
        } else {
            tell(s, fit, diag);
        }
    }
    s->arena.oom = fit->arena.oom = NULL;
    return status;
}

fb_status fb_scan_pose(fb_scan_fit *fit, const fb_model *model, const fb_scan_bone *bones, int n,
                       fb_diag *diag) {
    solver s;
    memset(fit, 0, sizeof *fit);
    memset(&s, 0, sizeof s);
    fb_arena_init(&fit->arena);
    fb_arena_init(&s.arena);
    if (n < 1) {
        fb_diag_add(diag, FB_ERROR, FB4008, (fb_place){0}, NULL, "the scan has no bones");
        return FB_E_INPUT;
    }
    fb_status status = fb_system_compile(&s.system, model, &(fb_system_options){false}, diag);
    if (status == FB_OK && !(s.state = fb_state_new(s.system))) {
        status = FB_E_MEMORY;
    }
    if (status == FB_OK) {
        status = run(&s, fit, bones, n, diag);
    }
    fb_state_free(s.state);
    fb_system_free(s.system);
    fb_arena_clear(&s.arena);
    return status;
}

void fb_scan_fit_free(fb_scan_fit *fit) {
    fb_arena_clear(&fit->arena);
    memset(fit, 0, sizeof *fit);
}
