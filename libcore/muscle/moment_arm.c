#include "libcore/muscle/moment_arm.h"

#include <math.h>
#include <string.h>

#include "libcore/base/number.h"
#include "libcore/motion/joints.h"

#define STEP 2e-5 /* rad or m */
#define KINK 5e-3 /* slopes before and after that differ by more are not of one smooth curve */

/* True if no first-order change of where the path touches changes its length. */
static bool is_shortest(const fb_simulation *s, const fb_path *path) {
    for (int k = 0; k < s->course.n; k++) {
        int source = s->course.points[k].source;
        if (source < 0) {
            const fb_wrap *wrap = &s->paths->wraps[path->wraps[-1 - source].wrap];
            if (s->paths->as_opensim4 ||
                (wrap->kind != FB_WRAP_SPHERE && wrap->kind != FB_WRAP_CYLINDER)) {
                return false;
            }
        }
    }
    return true;
}

/* True if its points move as fb_path_moment_arms takes them to. */
static bool moves_plainly(const fb_simulation *s, const fb_path *path) {
    const fb_system *system = s->system;
    for (int k = 0; k < path->n_points; k++) {
        const fb_path_point *point = &path->points[k];
        for (int i = 0; i < 3 && point->kind == FB_POINT_MOVING; i++) {
            int c = point->coordinate[i];
            if (c >= 0 &&
                (s->state->q[c] < point->range[i][0] || s->state->q[c] > point->range[i][1] ||
                 fb_joint_has_angular_speeds(&system->mobods[system->coordinates[c].mobod]))) {
                return false;
            }
        }
    }
    return true;
}

static void function_arms(const fb_path *path, const fb_state *state, double *arms) {
    double x[FB_MAX_ARGUMENTS], gradient[FB_MAX_ARGUMENTS];
    for (int i = 0; i < path->n_arguments; i++) {
        x[i] = state->q[path->arguments[i]];
    }
    fb_function_value_n(path->length, path->n_arguments, x, gradient, NULL);
    memset(arms, 0, (size_t)state->system->n_q * sizeof *arms);
    for (int i = 0; i < path->n_arguments; i++) {
        arms[path->arguments[i]] -= gradient[i];
    }
}

/* The arms that need no difference; true if they do. */
static bool needs_difference(fb_simulation *s, int i, double *arms) {
    const fb_path *path = &s->paths->paths[i];
    if (path->length) {
        function_arms(path, s->state, arms);
        return false;
    }
    if (path->linked) { /* those of the equilibrium are such slopes already */
        memcpy(arms, s->path_arms + (size_t)i * (size_t)s->system->n_q,
               (size_t)s->system->n_q * sizeof *arms);
        fb_coordinate_forces(s->state, arms);
        return false;
    }
    fb_path_course(s->paths, i, s->state, &s->course);
    if (!is_shortest(s, path) || !moves_plainly(s, path)) {
        return true;
    }
    fb_path_moment_arms(s->paths, i, s->state, &s->course, arms);
    fb_coordinate_forces(s->state, arms);
    return false;
}

static double length_at(fb_simulation *s, int i) {
    fb_path_course(s->paths, i, s->state, &s->course);
    return s->course.length;
}

/* Minus a slope from lengths before, at and after a place. */
static double arm_from(double before, double at, double after) {
    double backward = (before - at) / STEP, forward = (at - after) / STEP;
    return fabs(backward - forward) <= KINK ? (before - after) / (2 * STEP)
           : fabs(backward) < fabs(forward) ? backward
                                            : forward;
}

void fb_moment_arms_geometric(fb_simulation *s, double *arms, bool *differenced) {
    int n = s->system->n_q, paths = s->paths->n_paths, left = 0;
    for (int i = 0; i < paths; i++) {
        differenced[i] = needs_difference(s, i, arms + (size_t)i * (size_t)n);
        left += differenced[i];
    }
    for (int k = 0; k < n && left > 0; k++) {
        double q = s->state->q[k];
        for (int side = -1; side <= 1; side += 2) {
            s->state->q[k] = q + side * STEP;
            fb_state_position(s->state);
            for (int i = 0; i < paths; i++) {
                double *arm = arms + (size_t)i * (size_t)n + k;
                if (differenced[i]) {
                    double length = length_at(s, i);
                    *arm = side < 0 ? length : arm_from(*arm, s->path_length[i], length);
                }
            }
        }
        s->state->q[k] = q;
    }
    if (left > 0) {
        fb_state_position(s->state);
    }
}

/* arms of one path: sum over the speeds that move along of coupling times path arm. */
static void couple(const fb_path *path, int n, const double *U, const double *path_arms,
                   double *arms) {
    for (int j = 0; j < n; j++) {
        const double *u = U + j * n;
        double arm = 0;
        for (int k = 0; k < path->n_coordinates; k++) {
            int c = path->coordinates[k];
            arm += u[c] * path_arms[c];
        }
        arms[j] = path->lacking ? FB_NAN : arm;
    }
}

fb_status fb_moment_arms(fb_simulation *s, double *arms) {
    int n = s->system->n_q;
    double *U = fb_scratch_take(s->state->scratch, (size_t)(n * n), sizeof *U);
    if (!U) {
        return FB_E_MEMORY;
    }
    fb_coordinate_couplings(s->state, U);
    for (int i = 0; i < s->paths->n_paths; i++) {
        couple(&s->paths->paths[i], n, U, s->path_arms + (size_t)i * (size_t)n,
               arms + (size_t)i * (size_t)n);
    }
    fb_scratch_give(s->state->scratch, U);
    return FB_OK;
}
