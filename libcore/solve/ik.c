#include "libcore/solve/ik.h"

#include <math.h>
#include <string.h>

#include "libcore/base/number.h"
#include "libcore/solve/bounded.h"

#define RIDGE 1e-11        /* of each diagonal number: steps stay finite where nothing decides */
#define FLOOR 1e-13        /* of the largest: likewise for coordinates that move no marker */
#define FIRST_DAMPING 1e-3 /* of each diagonal number, after a step that made things worse */
#define LEAST_DAMPING 1e-7 /* below: none */
#define MOST_DAMPING 1e10
#define SMALL_STEP 1e-6 /* rad, m: so near the cost's differences are rounding; steps are taken */
#define QUARTER 1.5707963267948966 /* of a turn */
#define ROUNDING 1e-15             /* of the cost, relative */
#define MET 1e-6                   /* m, rad: hard constraints hold */

struct fb_ik_work {
    int n_rows, *rows; /* the constraints' rows that act: not those of held coordinates */
    double *H, *g;     /* n_q x n_q, n_q: of the cost, by coordinates */
    double *A, *d, *trial, *low, *high;
    double *error, *all_errors; /* n_rows; the system's n_row */
    double *G, *all_G;          /* n_rows x n_q */
    double *b, *multipliers;
    double *best;                     /* n_q */
    double (*forces)[6];              /* n_body */
    signed char *at;                  /* n_q */
    double penalty;                   /* of hard constraints, in the merit */
    double unmet;                     /* sum of their errors' sizes */
    const double *measured, *targets; /* of the frame */
};

fb_ik_options fb_ik_options_default(void) {
    return (fb_ik_options){.constraint_weight = FB_INFINITY, .tolerance = 1e-9, .most_steps = 200};
}

/* ---- memory ---------------------------------------------------------------------------------- */

static void list_rows(fb_ik *ik) {
    const fb_system *s = ik->system;
    struct fb_ik_work *w = ik->work;
    for (int i = 0; i < s->n_constraint; i++) {
        const fb_constraint *c = &s->constraints[i];
        for (int k = 0; c->kind != FB_CONSTRAINT_FIXED && k < c->n_rows; k++) {
            w->rows[w->n_rows++] = c->row + k;
        }
    }
    for (int i = 0; i < s->n_q; i++) {
        ik->held[i] = s->coordinates[i].locked || s->coordinates[i].prescribed;
    }
}

fb_ik *fb_ik_new(const fb_system *system, const fb_ik_marker *markers, int n_markers,
                 const fb_ik_task *tasks, int n_tasks, const fb_ik_options *options) {
    size_t n = (size_t)system->n_q, m = (size_t)system->n_row, b = (size_t)system->n_body;
    size_t numbers = 2 * n * n + 8 * n + 2 * m * n + 4 * m + 6 * b;
    fb_ik *ik = fb_alloc(sizeof *ik);
    if (!ik) {
        return NULL;
    }
    memset(ik, 0, sizeof *ik);
    ik->system = system;
    ik->options = options ? *options : fb_ik_options_default();
    ik->n_markers = n_markers;
    ik->n_tasks = n_tasks;
    ik->state = fb_state_new(system);
    size_t bytes = sizeof *ik->work + numbers * sizeof(double) +
                   (size_t)n_markers * sizeof *markers + (size_t)n_tasks * sizeof *tasks +
                   m * sizeof(int) + n * sizeof(bool) + n;
    char *p = ik->block = fb_alloc(bytes);
    if (!ik->state || !p) {
        fb_ik_free(ik);
        return NULL;
    }
    memset(p, 0, bytes);
    struct fb_ik_work *w = ik->work = (struct fb_ik_work *)(void *)p;
    double *x = (double *)(void *)(p + sizeof *w);
    double **arrays[] = {&w->H,          &w->A,   &w->G,           &w->all_G, &w->error,
                         &w->all_errors, &w->b,   &w->multipliers, &w->g,     &w->d,
                         &w->trial,      &w->low, &w->high,        &w->best};
    size_t sizes[] = {n * n, n * n, m * n, m * n, m, m, m, m, n, n, n, n, n, n};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        *arrays[i] = x;
        x += sizes[i];
    }
    x += 2 * n;
    w->forces = (double(*)[6])x;
    p = (char *)(x + 6 * b);
    ik->markers = (fb_ik_marker *)(void *)p;
    p += (size_t)n_markers * sizeof *markers;
    ik->tasks = (fb_ik_task *)(void *)p;
    p += (size_t)n_tasks * sizeof *tasks;
    w->rows = (int *)(void *)p;
    p += m * sizeof(int);
    ik->held = (bool *)p;
    w->at = (signed char *)(p + n * sizeof(bool));
    if (n_markers) {
        memcpy(ik->markers, markers, (size_t)n_markers * sizeof *markers);
    }
    if (n_tasks) {
        memcpy(ik->tasks, tasks, (size_t)n_tasks * sizeof *tasks);
    }
    list_rows(ik);
    return ik;
}

void fb_ik_free(fb_ik *ik) {
    if (ik) {
        fb_state_free(ik->state);
        fb_free(ik->block);
        fb_free(ik);
    }
}

/* ---- cost and derivatives -------------------------------------------------------------------- */

static bool is_hard(const fb_ik *ik) {
    return !isfinite(ik->options.constraint_weight);
}

static bool is_seen(const fb_ik *ik, int marker) {
    const double *x = ik->work->measured + 3 * marker;
    return ik->markers[marker].weight > 0 && isfinite(x[0]) && isfinite(x[1]) && isfinite(x[2]);
}

static double seen_weight(const fb_ik *ik) {
    double sum = 0;
    for (int i = 0; i < ik->n_markers; i++) {
        sum += is_seen(ik, i) ? ik->markers[i].weight : 0;
    }
    return sum;
}

/* The markers' part of the cost. Unless `value_only`, the bodies' moments become those of point
 * masses at the markers, and `forces` what pulls at them: the sum's gradient. */
static double markers_cost(fb_ik *ik, bool value_only) {
    fb_state *state = ik->state;
    double total = seen_weight(ik), cost = 0;
    size_t n_body = (size_t)ik->system->n_body;
    if (!value_only) {
        memset(state->moments, 0, n_body * sizeof *state->moments);
        memset(ik->work->forces, 0, n_body * sizeof *ik->work->forces);
    }
    for (int i = 0; i < ik->n_markers; i++) {
        if (!is_seen(ik, i)) {
            continue;
        }
        const fb_ik_marker *marker = &ik->markers[i];
        double p[3], r[3], moment[3], w = marker->weight / total;
        fb_pose_point(p, &state->pose[marker->body], marker->point);
        fb_v3_sub(r, p, ik->work->measured + 3 * i);
        cost += 0.5 * w * fb_v3_dot(r, r);
        if (value_only) {
            continue;
        }
        fb_moments *moments = &state->moments[marker->body];
        double *force = ik->work->forces[marker->body], square = fb_v3_dot(p, p);
        fb_v3_cross(moment, p, r);
        moments->mass += w;
        for (int k = 0; k < 3; k++) {
            moments->first[k] += w * p[k];
            force[k] += w * moment[k];
            force[3 + k] += w * r[k];
            for (int l = 0; l < 3; l++) {
                moments->second[3 * k + l] += w * ((k == l ? square : 0) - p[k] * p[l]);
            }
        }
    }
    return cost;
}

/* Turns a matrix on speeds into one on coordinates. */
static void to_coordinates(const fb_ik *ik, double *H) {
    int n = ik->system->n_q;
    bool angular = false;
    for (int i = 1; i < ik->system->n_body; i++) {
        angular = angular || ik->system->mobods[i].kind != FB_JOINT_AXES;
    }
    for (int pass = 0; angular && pass < 2; pass++) {
        for (int i = 0; i < n; i++) {
            fb_coordinate_forces(ik->state, H + i * n);
        }
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < i; j++) {
                double x = H[i * n + j];
                H[i * n + j] = H[j * n + i];
                H[j * n + i] = x;
            }
        }
    }
}

/* The constraints' part; their errors, and their derivatives by coordinates. */
static double constraints_cost(fb_ik *ik, bool value_only) {
    struct fb_ik_work *w = ik->work;
    int n = ik->system->n_q;
    double c = ik->options.constraint_weight, cost = 0;
    w->unmet = 0;
    if (w->n_rows == 0) {
        return 0;
    }
    fb_constraint_position(ik->state, w->all_errors, value_only ? NULL : w->all_G);
    for (int i = 0; i < w->n_rows; i++) {
        w->error[i] = w->all_errors[w->rows[i]];
        w->unmet += fabs(w->error[i]);
        cost += is_hard(ik) ? 0 : 0.5 * c * w->error[i] * w->error[i];
        if (value_only) {
            continue;
        }
        double *row = w->G + i * n;
        memcpy(row, w->all_G + w->rows[i] * n, (size_t)n * sizeof *row);
        fb_coordinate_forces(ik->state, row);
        for (int a = 0; !is_hard(ik) && a < n; a++) {
            w->g[a] += c * w->error[i] * row[a];
            for (int b = 0; row[a] != 0 && b < n; b++) {
                w->H[a * n + b] += c * row[a] * row[b];
            }
        }
    }
    return cost;
}

/* The cost at state->q; H and g unless `value_only`. */
static double evaluate(fb_ik *ik, bool value_only) {
    struct fb_ik_work *w = ik->work;
    int n = ik->system->n_q;
    fb_state_position(ik->state);
    double cost = markers_cost(ik, value_only);
    if (!value_only) {
        fb_mass_matrix(ik->state, w->H);
        memset(w->g, 0, (size_t)n * sizeof *w->g);
        fb_project_forces(ik->state, w->forces, w->g);
        to_coordinates(ik, w->H);
        fb_coordinate_forces(ik->state, w->g);
    }
    for (int i = 0; i < ik->n_tasks; i++) {
        int c = ik->tasks[i].coordinate;
        double v = ik->tasks[i].weight, r = ik->state->q[c] - w->targets[i];
        cost += 0.5 * v * r * r;
        if (!value_only) {
            w->H[c * n + c] += v;
            w->g[c] += v * r;
        }
    }
    return cost + constraints_cost(ik, value_only);
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* Held coordinates to their values, clamped ones into their ranges. */
static void begin(fb_ik *ik) {
    const fb_system *s = ik->system;
    fb_state *state = ik->state;
    for (int i = 0; i < s->n_q; i++) {
        const fb_coordinate *c = &s->coordinates[i];
        if (c->prescribed) {
            state->q[i] = fb_function_value(&c->prescribed_function, state->time, NULL, NULL);
        } else if (c->locked) {
            state->q[i] = c->initial;
        } else if (c->clamped) {
            state->q[i] = fmin(fmax(state->q[i], c->range[0]), c->range[1]);
        }
    }
}

/* The step with a damping; its predicted gain in the merit. */
static fb_status find_step(fb_ik *ik, double damping, double *gain) {
    const fb_system *s = ik->system;
    struct fb_ik_work *w = ik->work;
    int n = s->n_q, m = is_hard(ik) ? w->n_rows : 0;
    double largest = 0;
    for (int i = 0; i < n; i++) {
        largest = fmax(largest, w->H[i * n + i]);
    }
    largest = largest > 0 ? largest : 1;
    memcpy(w->A, w->H, (size_t)(n * n) * sizeof *w->A);
    for (int i = 0; i < n; i++) {
        const fb_coordinate *c = &s->coordinates[i];
        double q = ik->state->q[i];
        w->A[i * n + i] += (damping + RIDGE) * w->H[i * n + i] + FLOOR * largest;
        w->low[i] = ik->held[i] ? 0 : c->clamped ? fmin(c->range[0] - q, 0) : -FB_INFINITY;
        w->high[i] = ik->held[i] ? 0 : c->clamped ? fmax(c->range[1] - q, 0) : FB_INFINITY;
    }
    for (int i = 0; i < m; i++) {
        w->b[i] = -w->error[i];
    }
    fb_bounded problem = {.n = n,
                          .m = m,
                          .H = w->A,
                          .g = w->g,
                          .low = w->low,
                          .high = w->high,
                          .G = w->G,
                          .b = w->b,
                          .at = w->at,
                          .d = w->d,
                          .multipliers = w->multipliers};
    fb_status status = fb_bounded_solve(&problem, ik->state->scratch);
    *gain = m > 0 ? w->penalty * w->unmet : 0;
    for (int i = 0; status == FB_OK && i < n; i++) {
        double Hd = 0;
        for (int j = 0; j < n; j++) {
            Hd += w->H[i * n + j] * w->d[j];
        }
        *gain -= w->d[i] * (w->g[i] + 0.5 * Hd);
    }
    return status;
}

static double largest_of(int n, const double *x) {
    double largest = 0;
    for (int i = 0; i < n; i++) {
        largest = fmax(largest, fabs(x[i]));
    }
    return largest;
}

static void take_step(fb_ik *ik) {
    const fb_system *s = ik->system;
    const struct fb_ik_work *w = ik->work;
    for (int i = 0; i < s->n_q; i++) {
        double q = ik->state->q[i] + w->d[i];
        if (s->coordinates[i].clamped && !ik->held[i]) { /* not a bit beyond */
            q = fmin(fmax(q, s->coordinates[i].range[0]), s->coordinates[i].range[1]);
        }
        ik->state->q[i] = q;
    }
}

fb_status fb_ik_solve(fb_ik *ik, const double *measured, const double *targets,
                      fb_ik_result *result) {
    struct fb_ik_work *w = ik->work;
    int n = ik->system->n_q, m = is_hard(ik) ? w->n_rows : 0;
    double damping = 0, gain;
    fb_status status = FB_OK;
    w->measured = measured;
    w->targets = targets;
    w->penalty = 0;
    memset(result, 0, sizeof *result);
    memset(w->at, 0, (size_t)n);
    for (int i = 0; i < ik->n_markers; i++) {
        result->n_seen += is_seen(ik, i);
    }
    begin(ik);
    double cost = evaluate(ik, false);
    while (result->n_steps < ik->options.most_steps && !result->settled) {
        status = find_step(ik, damping, &gain);
        if (status != FB_OK) {
            break;
        }
        result->n_steps++;
        result->change = largest_of(n, w->d);
        double most = 2 * largest_of(m, w->multipliers);
        if (m > 0 && most > w->penalty) {
            gain += (most - w->penalty) * w->unmet;
            w->penalty = most;
        }
        double merit = cost + w->penalty * (m > 0 ? w->unmet : 0);
        bool small = result->change < SMALL_STEP && damping == 0;
        if (fabs(gain) <= ROUNDING * cost) { /* nothing is left that the cost could show */
            result->settled = true;
            break;
        }
        memcpy(w->best, ik->state->q, (size_t)n * sizeof *w->best);
        take_step(ik);
        double trial = evaluate(ik, false);
        double better = merit - (trial + w->penalty * (m > 0 ? w->unmet : 0));
        if (!isfinite(trial) || (!small && !(better > 1e-4 * gain))) {
            memcpy(ik->state->q, w->best, (size_t)n * sizeof *w->best);
            damping = damping > 0 ? damping * 8 : FIRST_DAMPING;
            cost = evaluate(ik, false);
            if (damping > MOST_DAMPING) {
                break;
            }
            continue;
        }
        result->settled = result->change <= ik->options.tolerance && damping == 0;
        damping = better > 0.7 * gain ? damping / 8 : better < 0.25 * gain ? damping * 2 : damping;
        damping = damping < LEAST_DAMPING ? 0 : damping;
        cost = trial;
    }
    result->cost = cost;
    result->constraint_error = largest_of(w->n_rows, w->error);
    return status == FB_OK && m > 0 && result->constraint_error > MET ? FB_E_NUMERIC : status;
}

double fb_ik_cost(fb_ik *ik, const double *measured, const double *targets) {
    ik->work->measured = measured;
    ik->work->targets = targets;
    return evaluate(ik, true);
}

void fb_ik_marker_points(const fb_ik *ik, double *points) {
    for (int i = 0; i < ik->n_markers; i++) {
        const fb_ik_marker *marker = &ik->markers[i];
        fb_pose_point(points + 3 * i, &ik->state->pose[marker->body], marker->point);
    }
}

bool fb_ik_is_idle(fb_ik *ik, int coordinate) {
    const struct fb_ik_work *w = ik->work;
    int n = ik->system->n_q;
    double largest = 0;
    for (int i = 0; i < n; i++) {
        largest = fmax(largest, w->H[i * n + i]);
    }
    bool idle = !ik->held[coordinate] && w->H[coordinate * n + coordinate] <= 1e-14 * largest;
    for (int i = 0; idle && i < w->n_rows; i++) {
        idle = fabs(w->G[i * n + coordinate]) < 1e-12;
    }
    return idle;
}

/* ---- the first frame ------------------------------------------------------------------------- */

double fb_ik_rms(const fb_ik *ik) {
    double sum = 0;
    int n = 0;
    for (int i = 0; i < ik->n_markers; i++) {
        if (is_seen(ik, i)) {
            double p[3];
            fb_pose_point(p, &ik->state->pose[ik->markers[i].body], ik->markers[i].point);
            fb_v3_sub(p, p, ik->work->measured + 3 * i);
            sum += fb_v3_dot(p, p);
            n++;
        }
    }
    return n > 0 ? sqrt(sum / n) : 0;
}

/* One start: what `q` holds, with a coordinate turned. Keeps it if it is better than `best`. */
static fb_status try_start(fb_ik *ik, const double *q, int coordinate, double turn, double *best,
                           fb_status so_far, fb_ik_result *result) {
    size_t bytes = (size_t)ik->system->n_q * sizeof *best;
    fb_ik_result other;
    memcpy(ik->state->q, q, bytes);
    if (coordinate >= 0) {
        ik->state->q[coordinate] += turn;
    }
    fb_status status = fb_ik_solve(ik, ik->work->measured, ik->work->targets, &other);
    bool better = other.cost < result->cost * (1 - 1e-6);
    if (status == FB_OK && (so_far != FB_OK || better)) {
        memcpy(best, ik->state->q, bytes);
        *result = other;
        return FB_OK;
    }
    return so_far;
}

fb_status fb_ik_solve_first(fb_ik *ik, const double *measured, const double *targets, double good,
                            fb_ik_result *result) {
    const fb_system *s = ik->system;
    size_t n = (size_t)s->n_q;
    double *start = fb_alloc(2 * n * sizeof *start + 1);
    if (!start) {
        return FB_E_MEMORY;
    }
    double *best = start + n;
    fb_status status = fb_ik_solve(ik, measured, targets, result);
    memcpy(best, ik->state->q, n * sizeof *best);
    if (status != FB_OK || fb_ik_rms(ik) > good) {
        for (int i = 0; i < s->n_q; i++) {
            start[i] = s->coordinates[i].initial;
        }
        status = try_start(ik, start, -1, 0, best, status, result);
        for (int i = 0; i < s->n_q; i++) {
            const fb_coordinate *c = &s->coordinates[i];
            const fb_mobod *m = &s->mobods[c->mobod];
            bool turns = m->parent == 0 && m->n_q >= 3 && !ik->held[i] && !c->clamped &&
                         fb_v3_dot(ik->state->S[i], ik->state->S[i]) > 0.25;
            for (int quarter = 1; turns && quarter < 4; quarter++) {
                status = try_start(ik, start, i, quarter * QUARTER, best, status, result);
            }
        }
        memcpy(ik->state->q, best, n * sizeof *best);
        evaluate(ik, false);
    }
    fb_free(start);
    return status;
}
