/* The same poses of two models, and what muscles' paths do in them. */
#include <math.h>
#include <string.h>

#include "libcore/motion/joints.h"
#include "libcore/register/fibers_internal.h"

#define WIDEST_TURN 3.6  /* rad: a range that is wider says nothing; */
#define TURN 0.7854      /* then so far to each side of the default */
#define WIDEST_SLIDE 0.5 /* m */
#define SLIDE 0.02
#define SWEEP_ONE 13    /* poses of one coordinate */
#define SWEEP_SEVERAL 5 /* of each of several, the others at their defaults */
#define MIXED 8         /* poses of several together, for each of them and once more */
#define MOST_POSES 64
#define BEYOND 0.1      /* of a range: assembly may lead a coordinate out of it so far */
#define MOST_LINKS 8    /* of a chain of couplers */
#define ASSEMBLED 1e-10 /* m, rad */

/* ---- how far coordinates go ------------------------------------------------------------------ */

static bool slides(const fb_coordinate *c) {
    return c->element && fb_coordinate_motion(c->element) == FB_TRANSLATIONAL;
}

/* The range to sample: the coordinate's own, unless it is absent, or so wide that it means none. */
static void range_of(const fb_coordinate *c, double initial, double *range) {
    double widest = slides(c) ? WIDEST_SLIDE : WIDEST_TURN, reach = slides(c) ? SLIDE : TURN;
    double low = c->range[0], high = c->range[1];
    if (isfinite(low) && isfinite(high) && high > low && high - low <= widest) {
        range[0] = low;
        range[1] = high;
        return;
    }
    range[0] = initial - reach;
    range[1] = initial + reach;
    if (isfinite(low) && isfinite(high) && high > low) { /* but not out of the wide one */
        range[0] = fmax(range[0], fmin(low, initial));
        range[1] = fmin(range[1], fmax(high, initial));
    }
}

/* How a slide of the standard goes over to the new model: per m, about the defaults. */
static double slide_scale(const fb_coordinate *a, const fb_coordinate *b) {
    double before = a->range[1] - a->range[0], after = b->range[1] - b->range[0];
    if (before > 0 && after > 0 && isfinite(before) && isfinite(after) && before != after) {
        return after / before;
    }
    return a->initial * b->initial > 0 ? b->initial / a->initial : 1;
}

/* ---- constraints that are all couplers, or hold a coordinate --------------------------------- */

/* Then nothing needs to be solved: the dependent coordinates are functions of the others. */
static bool only_couplers(const fb_system *system) {
    for (int i = 0; i < system->n_constraint; i++) {
        const fb_constraint *c = &system->constraints[i];
        if (c->kind == FB_CONSTRAINT_FIXED) {
            continue;
        }
        if (c->kind != FB_CONSTRAINT_COUPLER || system->coordinates[c->coordinate].locked ||
            system->coordinates[c->coordinate].prescribed) {
            return false;
        }
        for (int k = -1; k < c->n_independent; k++) {
            int q = k < 0 ? c->coordinate : c->independent[k];
            if (fb_joint_has_angular_speeds(&system->mobods[system->coordinates[q].mobod])) {
                return false;
            }
        }
    }
    return true;
}

/* Lets the dependent coordinates follow, and unless NULL their rates the rates dq. Chains of
 * couplers need a turn for each link. */
static bool follow_couplers(fb_state *state, double *dq) {
    const fb_system *system = state->system;
    for (int turn = 0; turn < MOST_LINKS; turn++) {
        bool moved = false;
        for (int i = 0; i < system->n_constraint; i++) {
            const fb_constraint *c = &system->constraints[i];
            double x[FB_MAX_ARGUMENTS], gradient[FB_MAX_ARGUMENTS] = {0}, rate = 0;
            if (c->kind != FB_CONSTRAINT_COUPLER) {
                continue;
            }
            for (int k = 0; k < c->n_independent; k++) {
                x[k] = state->q[c->independent[k]];
            }
            double q = c->scale *
                       fb_function_value_n(&c->function, c->n_independent, x, gradient, NULL);
            for (int k = 0; dq && k < c->n_independent; k++) {
                rate += c->scale * gradient[k] * dq[c->independent[k]];
            }
            moved |= q != state->q[c->coordinate] || (dq && rate != dq[c->coordinate]);
            state->q[c->coordinate] = q;
            if (dq) {
                dq[c->coordinate] = rate;
            }
        }
        if (!moved) {
            return true;
        }
    }
    return false;
}

/* ---- poses ----------------------------------------------------------------------------------- */

typedef struct sampler {
    const fb_fiber_twins *twins;
    int n_free;
    const int *free;    /* coordinates of the standard */
    int *other;         /* the same of the new model */
    double (*range)[2]; /* of the standard */
    double *width[2];   /* of the ranges on both sides */
    bool couplers[2];   /* constraints are couplers only */
    double *coupling;   /* n_free x n_q */
    bool holds;         /* coordinates can be held while a pose is assembled */
} sampler;

static void begin(sampler *s, const fb_fiber_twins *twins, const int *free, int n_free,
                  fb_arena *arena) {
    const fb_system *systems[2] = {twins->side[0]->system, twins->side[1]->system};
    size_t n = (size_t)n_free,
           q = (size_t)(systems[0]->n_q > systems[1]->n_q ? systems[0]->n_q : systems[1]->n_q);
    s->twins = twins;
    s->n_free = n_free;
    s->free = free;
    s->holds = true;
    s->other = fb_arena_array(arena, n + 1, sizeof *s->other);
    s->range = fb_arena_array(arena, n + 1, sizeof *s->range);
    s->coupling = fb_arena_array(arena, n * q + 1, sizeof *s->coupling);
    for (int side = 0; side < 2; side++) {
        s->couplers[side] = only_couplers(systems[side]);
        s->width[side] = fb_arena_array(arena, n + 1, sizeof *s->width[side]);
    }
    for (int i = 0; i < n_free; i++) {
        const fb_coordinate *c = &systems[0]->coordinates[free[i]];
        s->other[i] = twins->partner[free[i]];
        range_of(c, twins->start[0][free[i]], s->range[i]);
        double scale = slides(c) ? slide_scale(c, &systems[1]->coordinates[s->other[i]]) : 1;
        s->width[0][i] = s->range[i][1] - s->range[i][0];
        s->width[1][i] = s->width[0][i] * scale;
        s->holds &= !fb_joint_has_angular_speeds(&systems[0]->mobods[c->mobod]);
    }
}

/* How many poses beside the default one. */
static int pose_count(int n_free, int samples) {
    int n = n_free == 0   ? 0
            : n_free == 1 ? SWEEP_ONE
                          : SWEEP_SEVERAL * n_free + MIXED * (n_free + 1);
    int most = samples > 0 ? samples - 1 : MOST_POSES;
    return n < most ? n : most;
}

/* Values of the coordinates in pose i of n, into x: sweeps of each, every second pose of the rest
 * being one in which all move. Those are the sequence of M. Roberts, "The unreasonable
 * effectiveness of quasirandom sequences" (2018): multiples of powers of the root of
 * g^(d+1) = g + 1, which leaves few gaps in any number of dimensions. */
static void place(const sampler *s, int i, int n, double *x) {
    int d = s->n_free;
    if (d == 1) {
        x[0] = s->range[0][0] + s->width[0][0] * (n > 1 ? (double)i / (n - 1) : 0.5);
        return;
    }
    int sweeps = SWEEP_SEVERAL * d, wanted = sweeps + MIXED * (d + 1);
    int kept = n < wanted ? n * sweeps / wanted / d * d : sweeps; /* the same part of both kinds */
    for (int c = 0; c < d; c++) {
        x[c] = s->twins->start[0][s->free[c]];
    }
    if (i < kept) {
        int steps = kept / d, c = i % d;
        x[c] = s->range[c][0] + s->width[0][c] * (steps > 1 ? (double)(i / d) / (steps - 1) : 0.5);
        return;
    }
    double g = 2;
    for (int k = 0; k < 30; k++) {
        g = pow(1 + g, 1.0 / (d + 1));
    }
    double step = 1;
    for (int c = 0; c < d; c++) {
        step /= g;
        double part = 0.5 + (i - kept + 1) * step;
        x[c] = s->range[c][0] + s->width[0][c] * (part - floor(part));
    }
}

/* ---- assembled poses ------------------------------------------------------------------------- */

static bool assemble(const sampler *s, int side) {
    fb_state *state = s->twins->side[side]->state;
    if (s->couplers[side]) {
        return follow_couplers(state, NULL);
    }
    const int *held = side ? s->other : s->free;
    if (fb_assemble_held(state, held, s->holds ? s->n_free : 0, ASSEMBLED) == FB_OK) {
        return true;
    }
    return fb_assemble(state, ASSEMBLED) == FB_OK;
}

/* The default pose, with the values x of the free coordinates unless NULL, assembled. */
static bool put_standard(const sampler *s, const double *x) {
    fb_state *state = s->twins->side[0]->state;
    size_t n = (size_t)state->system->n_q;
    memcpy(state->q, s->twins->start[0], n * sizeof *state->q);
    memset(state->u, 0, n * sizeof *state->u);
    for (int i = 0; x && i < s->n_free; i++) {
        state->q[s->free[i]] = x[i];
    }
    if (x && !assemble(s, 0)) {
        return false;
    }
    for (int i = 0; i < s->n_free; i++) { /* assembly may have moved them */
        double q = state->q[s->free[i]], slack = BEYOND * s->width[0][i];
        if (x && !(q >= s->range[i][0] - slack && q <= s->range[i][1] + slack)) {
            return false;
        }
    }
    fb_state_position(state);
    return true;
}

/* The new model in the pose of the standard: turns are the same, slides go with the size. */
static bool put_new(const sampler *s, bool is_default) {
    const fb_fiber_twins *twins = s->twins;
    const fb_system *system = twins->side[0]->system, *other = twins->side[1]->system;
    fb_state *state = twins->side[1]->state;
    size_t n = (size_t)other->n_q;
    memcpy(state->q, twins->start[1], n * sizeof *state->q);
    memset(state->u, 0, n * sizeof *state->u);
    for (int i = 0; i < system->n_q && !is_default; i++) {
        const fb_coordinate *a = &system->coordinates[i];
        int k = twins->partner[i];
        const fb_coordinate *b = &other->coordinates[k < 0 ? 0 : k];
        if (k < 0 || b->locked || b->prescribed) {
            continue;
        }
        double q = twins->side[0]->state->q[i], before = twins->start[0][i],
               after = twins->start[1][k], scale = slides(a) ? slide_scale(a, b) : 1;
        bool same = scale == 1 && before == after; /* then to the last bit */
        state->q[k] = slides(a) && !same ? after + scale * (q - before) : q;
    }
    if (!is_default && !assemble(s, 1)) {
        return false;
    }
    fb_state_position(state);
    return true;
}

/* ---- paths ----------------------------------------------------------------------------------- */

static void touch(const fb_course *course, bool *touched) {
    for (int k = 0; k < course->n; k++) {
        if (course->points[k].source < 0) {
            touched[-1 - course->points[k].source] = true;
        }
    }
}

/* Length and moment arms of the muscle's path in the pose of one side. */
static bool measure(const sampler *s, int side, fb_fiber_sample *m, double *arms) {
    fb_simulation *simulation = s->twins->side[side];
    int i = simulation->muscles->muscles[m->muscle[side]].path, n = simulation->system->n_q;
    const fb_path *path = &simulation->paths->paths[i];
    const double *along = arms;
    fb_path_course(simulation->paths, i, simulation->state, &simulation->course);
    touch(&simulation->course, m->touched[side]);
    double length = simulation->course.length;
    if (path->linked) {
        length = simulation->path_length[i];
        along = simulation->path_arms + (size_t)i * (size_t)n;
    } else {
        fb_path_moment_arms(simulation->paths, i, simulation->state, &simulation->course, arms);
    }
    m->length[side][m->n] = length;
    for (int c = 0; c < s->n_free; c++) {
        const double *dq = s->coupling + c * n; /* of all coordinates with the c-th */
        double arm = 0;
        for (int k = 0; k < path->n_coordinates; k++) {
            arm += dq[path->coordinates[k]] * along[path->coordinates[k]];
        }
        m->arm[side][m->n * s->n_free + c] = arm;
    }
    return isfinite(length) && length > 0;
}

/* Virtual links into balance, where any of the muscles is at one. */
static bool settle(fb_simulation *simulation, bool linked) {
    if (!linked || !simulation->links) {
        return true;
    }
    fb_simulation_move(simulation);
    return simulation->links->n_failed == 0;
}

/* How all coordinates of a side move with each of the free ones. */
static void couple(const sampler *s, int side) {
    fb_state *state = s->twins->side[side]->state;
    int n = state->system->n_q;
    for (int c = 0; c < s->n_free; c++) {
        double *dq = s->coupling + c * n;
        int q = side ? s->other[c] : s->free[c];
        if (s->couplers[side]) {
            memset(dq, 0, (size_t)n * sizeof *dq);
            dq[q] = 1;
            follow_couplers(state, dq);
        } else {
            fb_coordinate_coupling(state, q, dq);
        }
    }
}

static void sample_pose(const sampler *s, const double *x, bool linked, fb_fiber_sample *muscles,
                        int n, bool *good, double *arms) {
    if (!put_standard(s, x) || !put_new(s, !x)) {
        return;
    }
    for (int i = 0; i < n; i++) {
        good[i] = true;
    }
    for (int side = 0; side < 2; side++) {
        fb_simulation *simulation = s->twins->side[side];
        if (!settle(simulation, linked)) {
            return;
        }
        couple(s, side);
        for (int i = 0; i < n; i++) {
            good[i] &= measure(s, side, &muscles[i], arms);
        }
    }
    for (int i = 0; i < n; i++) {
        muscles[i].n += good[i];
    }
}

void fb_fiber_sample_all(const fb_fiber_twins *twins, fb_fiber_sample *muscles, int n, int samples,
                         fb_arena *arena) {
    sampler s;
    begin(&s, twins, muscles[0].free, muscles[0].n_free, arena);
    int poses = pose_count(s.n_free, samples), most_q = 0;
    bool linked = false;
    for (int side = 0; side < 2; side++) {
        const fb_simulation *simulation = twins->side[side];
        most_q = simulation->system->n_q > most_q ? simulation->system->n_q : most_q;
        for (int i = 0; i < n; i++) {
            const fb_path *path =
                &simulation->paths
                     ->paths[simulation->muscles->muscles[muscles[i].muscle[side]].path];
            size_t all = (size_t)(poses + 1);
            muscles[i].n = 0;
            muscles[i].width[side] = s.width[side];
            muscles[i].length[side] = fb_arena_array(arena, all, sizeof(double));
            muscles[i].arm[side] = fb_arena_array(arena, all * (size_t)s.n_free + 1,
                                                  sizeof(double));
            muscles[i].touched[side] = fb_arena_array(arena, (size_t)path->n_wraps + 1,
                                                      sizeof(bool));
            linked |= path->linked;
        }
    }
    double *x = fb_arena_array(arena, (size_t)s.n_free + 1, sizeof *x);
    double *arms = fb_arena_array(arena, (size_t)most_q + 1, sizeof *arms);
    bool *good = fb_arena_array(arena, (size_t)n, sizeof *good);
    if (twins->posed[0] && twins->posed[1]) {
        sample_pose(&s, NULL, linked, muscles, n, good, arms);
    }
    for (int i = 0; i < n; i++) {
        muscles[i].has_default = muscles[i].n > 0;
    }
    for (int i = 0; i < poses; i++) {
        place(&s, i, poses, x);
        sample_pose(&s, x, linked, muscles, n, good, arms);
    }
}
