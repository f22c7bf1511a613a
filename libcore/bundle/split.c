#include "libcore/bundle/split.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/arena.h"
#include "libcore/base/number.h"
#include "libcore/base/spatial.h"
#include "libcore/motion/solve.h"

#define STEPS 20
#define HALVINGS 6
#define SLOW 0.9        /* of the difference: a step that leaves more is the last */
#define DIFFERENCE 1e-6 /* m: of points, for derivatives of moment arms */
#define DAMPING 1e-9    /* of the largest diagonal number: directions that change nothing stay */
#define GOOD 1e-10      /* m: no better is asked for */

/* ---- groups ---------------------------------------------------------------------------------- */

/* A bundle's place in the section, twice so that columns and rows are whole numbers. */
typedef struct spot {
    size_t bundle;
    double x, y;
} spot;

static int along(double a, double b) {
    return (a > b) - (a < b);
}

static int by_x(const void *p, const void *q) {
    const spot *a = p, *b = q;
    return a->x != b->x ? along(a->x, b->x) : along(a->y, b->y);
}

static int by_y(const void *p, const void *q) {
    const spot *a = p, *b = q;
    return a->y != b->y ? along(a->y, b->y) : along(a->x, b->x);
}

/* Cuts n spots across their longer side into parts for k1 and k - k1 groups, and these again. */
static void part(spot *spots, size_t n, int *group, int first, int k) {
    if (k == 1) {
        for (size_t i = 0; i < n; i++) {
            group[spots[i].bundle] = first;
        }
        return;
    }
    double low[2] = {HUGE_VAL, HUGE_VAL}, high[2] = {-HUGE_VAL, -HUGE_VAL};
    for (size_t i = 0; i < n; i++) {
        low[0] = fb_lesser(low[0], spots[i].x);
        high[0] = fb_greater(high[0], spots[i].x);
        low[1] = fb_lesser(low[1], spots[i].y);
        high[1] = fb_greater(high[1], spots[i].y);
    }
    qsort(spots, n, sizeof *spots, high[0] - low[0] >= high[1] - low[1] ? by_x : by_y);
    int half = k / 2;
    size_t m = (n * (size_t)half + (size_t)k / 2) / (size_t)k;
    m = m < (size_t)half ? (size_t)half : m;
    part(spots, m, group, first, half);
    part(spots + m, n - m, group, first + half, k - half);
}

bool fb_split_groups(int *group, const fb_body *body, int k) {
    spot *spots = fb_alloc((body->n_bundles + 1) * sizeof *spots);
    size_t n = 0;
    if (!spots) {
        return false;
    }
    for (size_t i = 0; i < body->n_bundles; i++) {
        const fb_bundle *b = body->bundles + i;
        if (group[i] >= 0) {
            spots[n++] = (spot){i, b->cell[0], b->ratio * b->cell[1]};
        }
    }
    part(spots, n, group, 0, k);
    fb_free(spots);
    return true;
}

void fb_split_shares(double *share, const fb_body *body, const int *group, int k) {
    double sum = 0;
    memset(share, 0, (size_t)k * sizeof *share);
    for (size_t i = 0; i < body->n_bundles; i++) {
        if (group[i] >= 0) {
            share[group[i]] += body->bundles[i].share;
            sum += body->bundles[i].share;
        }
    }
    for (int g = 0; g < k; g++) {
        share[g] /= sum;
    }
}

/* ---- offsets --------------------------------------------------------------------------------- */

/* A bundle's axis at a part of its rings, 0 to 1. */
static void at_rings(double *point, const fb_body *body, const fb_bundle *bundle, double part) {
    const fb_ring *rings = body->rings + bundle->first;
    double at = part * (double)(bundle->rings - 1);
    size_t k = (size_t)at;
    k = k + 1 < bundle->rings ? k : bundle->rings - 2;
    for (int c = 0; c < 3; c++) {
        point[c] = rings[k].c[c] + (at - (double)k) * (rings[k + 1].c[c] - rings[k].c[c]);
    }
}

/* The mean of the axes of one group, or of all that are in one if g is negative. */
static void mean_at(double *mean, const fb_body *body, const int *group, int g, double part) {
    double sum = 0, p[3];
    fb_v3_set(mean, 0, 0, 0);
    for (size_t i = 0; i < body->n_bundles; i++) {
        if (g < 0 ? group[i] >= 0 : group[i] == g) {
            at_rings(p, body, body->bundles + i, part);
            fb_v3_madd(mean, body->bundles[i].share, p);
            sum += body->bundles[i].share;
        }
    }
    fb_v3_scale(mean, 1 / sum, mean);
}

/* The part of the rings at which the mean axis is at a part t of its length. */
static double rings_at(const fb_body *body, const int *group, double t) {
    size_t n = 2;
    for (size_t i = 0; i < body->n_bundles; i++) {
        n = group[i] >= 0 && body->bundles[i].rings > n ? body->bundles[i].rings : n;
    }
    double length = 0, done = 0, last[3], here[3];
    for (int pass = 0; pass < 2; pass++) {
        mean_at(last, body, group, -1, 0);
        for (size_t k = 1; k < n; k++) {
            mean_at(here, body, group, -1, (double)k / (double)(n - 1));
            double piece = fb_v3_distance(last, here);
            if (pass == 0) {
                length += piece;
            } else if (done + piece >= t * length && piece > 0) {
                double more = fb_greater((t * length - done) / piece, 0);
                return ((double)(k - 1) + fb_lesser(more, 1)) / (double)(n - 1);
            } else {
                done += piece;
            }
            fb_v3_copy(last, here);
        }
    }
    return 1;
}

void fb_split_offsets(double (*offset)[3], const fb_body *body, const int *group, int k, double t) {
    double part = rings_at(body, group, t), all[3];
    mean_at(all, body, group, -1, part);
    for (int g = 0; g < k; g++) {
        mean_at(offset[g], body, group, g, part);
        fb_v3_sub(offset[g], offset[g], all);
    }
}

/* ---- paths ----------------------------------------------------------------------------------- */

/* Where point j is: in the course, or if that leaves it out, by itself. */
static void place_of(double *place, const fb_path *path, int j, const fb_course *course,
                     const fb_state *state) {
    for (int i = 0; i < course->n; i++) {
        if (course->points[i].source == j) {
            fb_v3_copy(place, course->points[i].place);
            return;
        }
    }
    fb_pose_point(place, &state->pose[path->points[j].body], path->points[j].location);
}

void fb_split_places(double *t, const fb_path *path, const fb_course *course,
                     const fb_state *state) {
    double at = 0;
    for (int j = 0; j < path->n_points; j++) {
        t[j] = -1;
    }
    for (int i = 0; i < course->n; i++) {
        const fb_course_point *here = course->points + i;
        if (here->source >= 0) {
            t[here->source] = course->length > 0 ? fb_lesser(at / course->length, 1) : 0;
        }
        if (i + 1 < course->n) {
            const fb_course_point *next = here + 1;
            bool same = here->source < 0 && next->source == here->source;
            at += same ? here->arc : fb_v3_distance(here->place, next->place);
        }
    }
    for (int j = 0; j < path->n_points; j++) {
        if (t[j] >= 0) {
            continue;
        }
        int before = j, after = j;
        while (before > 0 && t[before] < 0) {
            before--;
        }
        while (after + 1 < path->n_points && t[after] < 0) {
            after++;
        }
        double a = fb_greater(t[before], 0), b = t[after] < 0 ? 1 : t[after], p[3], q[3], r[3];
        place_of(p, path, before, course, state);
        place_of(q, path, j, course, state);
        place_of(r, path, after, course, state);
        double d = fb_v3_distance(p, q), e = fb_v3_distance(q, r);
        t[j] = d + e > 0 ? a + (b - a) * d / (d + e) : a;
    }
}

void fb_split_move(fb_split *split, int i, int j, const double *delta) {
    const fb_path *path = split->paths->paths + split->path[i];
    fb_path_point *point = path->points + j;
    if (split->fixed[j] || point->kind == FB_POINT_LINK) {
        return;
    }
    double *at = point->kind == FB_POINT_MOVING ? point->frame.p : point->location;
    double *moved = split->moved[i * path->n_points + j];
    fb_v3_add(at, at, delta);
    fb_v3_add(moved, moved, delta);
}

void fb_split_reset(fb_split *split) {
    int n_points = split->paths->paths[split->path[0]].n_points;
    for (int i = 0; i < split->n; i++) {
        for (int j = 0; j < n_points; j++) {
            double back[3];
            fb_v3_scale(back, -1, split->moved[i * n_points + j]);
            fb_split_move(split, i, j, back);
            fb_v3_set(split->moved[i * n_points + j], 0, 0, 0);
        }
    }
}

static bool turns(const fb_coordinate *c) {
    return !c->element || fb_coordinate_motion(c->element) == FB_ROTATIONAL;
}

int fb_split_unsound(const fb_split *split, const double *line, double reach, bool odd,
                     const fb_state *state, fb_course *own) {
    const fb_system *system = state->system;
    double *arms = fb_alloc((size_t)system->n_q * sizeof *arms + 1);
    int unsound = arms ? 0 : split->n;
    for (int i = 0; i < split->n && arms; i++) {
        fb_path_course(split->paths, split->path[i], state, own);
        bool sound = own->length > 0 && (odd || (own->inside < 0 && !own->unsettled));
        fb_path_moment_arms(split->paths, split->path[i], state, own, arms);
        for (int q = 0; q < system->n_q && sound; q++) {
            sound = !turns(system->coordinates + q) || fabs(arms[q] - line[q]) <= reach;
        }
        unsound += !sound;
    }
    fb_free(arms);
    return unsound;
}

/* ---- moment arms ----------------------------------------------------------------------------- */

/* Adds share times the arms of one of the paths. */
static void add_arms(double *sum, const fb_split *split, int i, const fb_state *state,
                     fb_course *own, double *arms) {
    fb_path_course(split->paths, split->path[i], state, own);
    fb_path_moment_arms(split->paths, split->path[i], state, own, arms);
    for (int q = 0; q < state->system->n_q; q++) {
        sum[q] += split->share[i] * arms[q];
    }
}

/* The mean arms less those wanted; returns the greatest. arms, error: n_q. */
static double residual(double *error, const fb_split *split, const double *wanted,
                       const fb_state *state, fb_course *own, double *arms) {
    double most = 0;
    for (int q = 0; q < state->system->n_q; q++) {
        error[q] = -wanted[q];
    }
    for (int i = 0; i < split->n; i++) {
        add_arms(error, split, i, state, own, arms);
    }
    for (int q = 0; q < state->system->n_q; q++) {
        most = isfinite(error[q]) ? fb_greater(most, fabs(error[q])) : FB_INFINITY;
    }
    return most;
}

double fb_split_error(const fb_split *split, const double *wanted, const fb_state *state,
                      fb_course *own) {
    double *work = fb_alloc(2 * (size_t)state->system->n_q * sizeof *work + 1);
    double most = work ? residual(work, split, wanted, state, own, work + state->system->n_q)
                       : FB_INFINITY;
    fb_free(work);
    return most;
}

/* Unknowns are the moves of all points of all paths: 3 for each, in the order of `moved`. Those of
 * a path are measured in its share, so that all paths move alike where all are alike. */
typedef struct newton {
    int n_points, n_q, n; /* n: unknowns */
    double *error, *arms; /* n_q */
    double *other;        /* n_q */
    double *y;            /* n_q: solution of the dual equations */
    double *A;            /* n_q x n_q */
    double *jacobian;     /* [n][n_q] */
    double *step, *total; /* n: the next move, all moves so far */
} newton;

static void move_one(fb_split *split, const newton *w, int k, double by) {
    double delta[3] = {0, 0, 0};
    delta[k % 3] = by;
    fb_split_move(split, k / 3 / w->n_points, k / 3 % w->n_points, delta);
}

static void find_jacobian(const newton *w, fb_split *split, const fb_state *state, fb_course *own) {
    for (int k = 0; k < w->n; k++) {
        int i = k / 3 / w->n_points;
        double *column = w->jacobian + (size_t)k * (size_t)w->n_q;
        memset(column, 0, (size_t)w->n_q * sizeof *column);
        memset(w->other, 0, (size_t)w->n_q * sizeof *w->other);
        if (split->fixed[k / 3 % w->n_points]) {
            continue;
        }
        move_one(split, w, k, DIFFERENCE);
        add_arms(column, split, i, state, own, w->arms);
        move_one(split, w, k, -2 * DIFFERENCE);
        add_arms(w->other, split, i, state, own, w->arms);
        move_one(split, w, k, DIFFERENCE);
        for (int q = 0; q < w->n_q; q++) {
            double slope = (column[q] - w->other[q]) / (2 * DIFFERENCE);
            column[q] = isfinite(slope) ? slope / sqrt(split->share[i]) : 0;
        }
    }
}

/* step = -J^T (J J^T + damping)^-1 error, the least that does it; false if nothing moves them. */
static bool find_step(const newton *w, const fb_split *split) {
    double most = 0;
    for (int p = 0; p < w->n_q; p++) {
        w->y[p] = -w->error[p];
        for (int q = 0; q <= p; q++) {
            double sum = 0;
            for (int k = 0; k < w->n; k++) {
                const double *column = w->jacobian + (size_t)k * (size_t)w->n_q;
                sum += column[p] * column[q];
            }
            w->A[p * w->n_q + q] = sum;
        }
        most = fb_greater(most, w->A[p * w->n_q + p]);
    }
    for (int q = 0; q < w->n_q; q++) {
        w->A[q * w->n_q + q] += DAMPING * most;
    }
    if (!(most > 0) || !fb_cholesky(w->n_q, w->A, 0)) {
        return false;
    }
    fb_cholesky_forward(w->n_q, w->A, w->y);
    fb_cholesky_backward(w->n_q, w->A, w->y);
    for (int k = 0; k < w->n; k++) {
        const double *column = w->jacobian + (size_t)k * (size_t)w->n_q;
        w->step[k] = 0;
        for (int q = 0; q < w->n_q; q++) {
            w->step[k] += column[q] * w->y[q];
        }
        w->step[k] /= sqrt(split->share[k / 3 / w->n_points]);
    }
    return true;
}

/* The factor, halved again and again, at which no point is moved further than `most` in all. */
static double allowed(const newton *w, double most) {
    double factor = 1;
    for (int k = 0; k < w->n; k += 3) {
        double to[3];
        fb_v3_add(to, w->total + k, w->step + k);
        while (factor > 1e-3 && fb_v3_norm(to) > most) {
            factor /= 2;
            fb_v3_copy(to, w->total + k);
            fb_v3_madd(to, factor, w->step + k);
        }
    }
    return factor > 1e-3 ? factor : 0;
}

static void take(const newton *w, fb_split *split, double factor) {
    for (int k = 0; k < w->n; k += 3) {
        double delta[3];
        fb_v3_scale(delta, factor, w->step + k);
        fb_split_move(split, k / 3 / w->n_points, k / 3 % w->n_points, delta);
        fb_v3_madd(w->total + k, factor, w->step + k);
    }
}

/* One step, halved until it helps; the difference that is left. */
static double advance(const newton *w, fb_split *split, const double *wanted, double now,
                      double most, const fb_state *state, fb_course *own) {
    find_jacobian(w, split, state, own);
    double factor = find_step(w, split) ? allowed(w, most) : 0;
    for (int k = 0; k < HALVINGS && factor > 0; k++) {
        take(w, split, factor);
        double then = residual(w->error, split, wanted, state, own, w->arms);
        if (then < now) {
            return then;
        }
        take(w, split, -factor);
        factor /= 2;
    }
    return now;
}

double fb_split_correct(fb_split *split, const double *wanted, double most, const fb_state *state,
                        fb_course *own) {
    newton w = {.n_points = split->paths->paths[split->path[0]].n_points,
                .n_q = state->system->n_q};
    w.n = 3 * w.n_points * split->n;
    size_t n = (size_t)w.n, n_q = (size_t)w.n_q;
    double *block = fb_alloc((4 * n_q + n_q * n_q + n * n_q + 2 * n + 1) * sizeof *block);
    if (!block) {
        return -1;
    }
    w.error = block;
    w.arms = w.error + n_q;
    w.other = w.arms + n_q;
    w.y = w.other + n_q;
    w.A = w.y + n_q;
    w.jacobian = w.A + n_q * n_q;
    w.step = w.jacobian + n * n_q;
    w.total = w.step + n;
    memset(w.total, 0, n * sizeof *w.total);
    double now = residual(w.error, split, wanted, state, own, w.arms);
    for (int step = 0; step < STEPS && now > GOOD && isfinite(now); step++) {
        double then = advance(&w, split, wanted, now, most, state, own);
        bool slow = then > SLOW * now;
        now = then;
        if (slow) {
            break;
        }
    }
    fb_free(block);
    return now;
}
