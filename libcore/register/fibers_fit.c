/* The fit of one muscle.
 *
 * In a pose where the standard's path is L0 long, its fibres, in balance with the tendon, take X of
 * it and the tendon Y = L0 - X. A muscle whose optimal fibre length is a times and whose slack
 * length is b times as long, with the same angle of pennation, has the same normalised lengths, and
 * so the same balance, on a path of a X + b Y. That is linear in a and b: pennation and the
 * tendon's stretch make no exception. */
#include <math.h>
#include <string.h>

#include "libcore/register/fibers_internal.h"

#define SAME 1e-12 /* of a length: what counts as the same path */
#define SCALED 1e-8
#define RIDGE \
    0.02             /* weight of b - a, in optimal fibre lengths: ranges smaller than this do not \
                        tell fibres from tendon */
#define LEAST 0.1    /* of the path's own scale: no factor is smaller */
#define SWEEP 0.5    /* s in which each coordinate goes through its range, for velocities */
#define STEP 1e-4    /* of the optimal fibre length, for slopes */
#define MOST_STEPS 8 /* of Gauss and Newton */
#define SETTLED 1e-9 /* of a factor */
#define MATCHED 1e-8 /* normalised fibre length: nothing to improve */
#define SHORTEST 1.0000001 /* of the shortest fibre: it rests on it */

fb_muscle fb_fiber_scaled(const fb_muscle *muscle, double a, double b) {
    fb_muscle m = *muscle;
    m.optimal_length *= a;
    m.height *= a;
    m.min_length *= a;
    m.default_fiber_length *= a;
    m.slack_length *= b;
    return m;
}

bool fb_fiber_balanced(const fb_muscle *muscle, double length, bool *resting) {
    fb_muscle_point full, some;
    bool found = fb_muscle_equilibrate(muscle, muscle->default_activation, length, 0,
                                       FB_EQUILIBRIUM_STATIC, &some);
    found &= fb_muscle_equilibrate(muscle, 1, length, 0, FB_EQUILIBRIUM_STATIC, &full);
    *resting = full.fiber_length <= muscle->min_length * SHORTEST;
    return found && isfinite(full.tendon_force) && isfinite(some.tendon_force);
}

/* ---- the standard's numbers ------------------------------------------------------------------ */

/* Of all poses that count: n of them. */
typedef struct fit {
    const fb_muscle *muscle;
    int n, n_rates;
    double scale;       /* of the paths' lengths, new to standard */
    double *X, *Y, *L1; /* m */
    double *norm;       /* normalised fibre length of the standard */
    double *weight;     /* d norm / d L0, 1/m */
    double *rate[2];    /* n x n_rates: how fast the paths lengthen, m in a unit of time such that
                           velocities compare with lengths */
    double ridge;
} fit;

static bool balance(const fb_muscle *m, double length, double *norm, double *along) {
    fb_muscle_point p;
    bool found = fb_muscle_equilibrate(m, 1, length, 0, FB_EQUILIBRIUM_STATIC, &p);
    *norm = p.normalized_fiber_length;
    if (along) {
        *along = p.fiber_length * cos(p.pennation);
    }
    return found && isfinite(*norm);
}

/* d norm / d L; 0 where the fibre rests. */
static double slope_at(const fb_muscle *m, double length, double norm) {
    double h = STEP * m->optimal_length, after;
    return balance(m, length + h, &after, NULL) ? (after - norm) / h : 0;
}

static void take_poses(fit *f, const fb_fiber_sample *s) {
    double sum[2] = {0, 0}, fastest = f->muscle->max_velocity > 0 ? f->muscle->max_velocity : 10;
    f->n_rates = s->n_free;
    for (int i = 0; i < s->n; i++) {
        double L0 = s->length[0][i], L1 = s->length[1][i];
        int k = f->n;
        if (!(L0 > 0) || !(L1 > 0) || !balance(f->muscle, L0, &f->norm[k], &f->X[k])) {
            continue;
        }
        f->Y[k] = L0 - f->X[k];
        f->L1[k] = L1;
        f->weight[k] = slope_at(f->muscle, L0, f->norm[k]);
        for (int side = 0; side < 2; side++) {
            for (int c = 0; c < s->n_free; c++) {
                f->rate[side][k * s->n_free + c] = -s->arm[side][i * s->n_free + c] *
                                                   s->width[side][c] / (SWEEP * fastest) /
                                                   sqrt(s->n_free);
            }
        }
        sum[0] += L0;
        sum[1] += L1;
        f->n++;
    }
    f->scale = f->n > 0 ? sum[1] / sum[0] : 1;
    f->ridge = RIDGE * sqrt(f->n) / f->scale;
}

/* ---- least squares in two unknowns ----------------------------------------------------------- */

typedef struct sums {
    double aa, ab, bb, ra, rb, rr;
} sums;

static void add(sums *s, double a, double b, double r) {
    s->aa += a * a;
    s->ab += a * b;
    s->bb += b * b;
    s->ra += a * r;
    s->rb += b * r;
    s->rr += r * r;
}

static double cost_of(const sums *s, const double *x) {
    return s->aa * x[0] * x[0] + 2 * s->ab * x[0] * x[1] + s->bb * x[1] * x[1] -
           2 * (s->ra * x[0] + s->rb * x[1]) + s->rr;
}

/* The least of |A x - r| with x[i] >= low; true if a bound holds. */
static bool solve(const sums *s, double low, double *x) {
    double det = s->aa * s->bb - s->ab * s->ab;
    if (det > 1e-14 * s->aa * s->bb) {
        x[0] = (s->bb * s->ra - s->ab * s->rb) / det;
        x[1] = (s->aa * s->rb - s->ab * s->ra) / det;
        if (x[0] >= low && x[1] >= low) {
            return false;
        }
    }
    double first[2] = {low, s->bb > 0 ? fmax(low, (s->rb - s->ab * low) / s->bb) : low};
    double second[2] = {s->aa > 0 ? fmax(low, (s->ra - s->ab * low) / s->aa) : low, low};
    memcpy(x, cost_of(s, first) < cost_of(s, second) ? first : second, sizeof first);
    return true;
}

/* What does not depend on the pose: velocities (as the standard's fibres share them) and the wish
 * that fibres and tendon scale alike. */
static void add_lasting(const fit *f, sums *s) {
    for (int i = 0; i < f->n; i++) {
        double fiber = f->weight[i] * f->muscle->optimal_length; /* its share of a small stretch */
        double part = f->norm[i] > 0 ? f->X[i] / (f->norm[i] * f->muscle->optimal_length) : 1;
        double along = part > 0.1 ? fiber / part : 0; /* at the pennation angle */
        for (int c = 0; c < f->n_rates; c++) {
            double before = f->rate[0][i * f->n_rates + c], after = f->rate[1][i * f->n_rates + c];
            double w = f->weight[i] / f->scale;
            add(s, w * along * before, w * (1 - along) * before, w * after);
        }
    }
    add(s, f->ridge, -f->ridge, 0);
}

static void linear(const fit *f, sums *s) {
    for (int i = 0; i < f->n; i++) {
        double w = f->weight[i] / f->scale;
        add(s, w * f->X[i], w * f->Y[i], w * f->L1[i]);
    }
}

/* Sum of squares of the differences in normalised fibre length; unless NULL, the equations of the
 * next step, in which the unknowns are the factors themselves. */
static double compare(const fit *f, const double *x, sums *next) {
    fb_muscle m = fb_fiber_scaled(f->muscle, x[0], x[1]);
    double sum = 0;
    for (int i = 0; i < f->n; i++) {
        double norm, along;
        balance(&m, f->L1[i], &norm, &along);
        double d = norm - f->norm[i];
        sum += d * d;
        if (next) { /* longer fibres or tendon act like a shorter path */
            double h = slope_at(&m, f->L1[i], norm);
            double a = -h * along / x[0], b = -h * (f->L1[i] - along) / x[1];
            add(next, a, b, a * x[0] + b * x[1] - d);
        }
    }
    return sum;
}

/* ---- the fit --------------------------------------------------------------------------------- */

static void refine(const fit *f, const sums *lasting, double low, double *x) {
    for (int i = 0; i < MOST_STEPS; i++) {
        sums s = *lasting;
        double cost = compare(f, x, &s), to[2], move = 0;
        if (cost <= f->n * MATCHED * MATCHED) {
            return;
        }
        cost += cost_of(lasting, x);
        solve(&s, low, to);
        bool better = false;
        for (int half = 0; half < 4 && !better; half++) {
            better = compare(f, to, NULL) + cost_of(lasting, to) < cost;
            for (int k = 0; k < 2 && !better; k++) {
                to[k] = (to[k] + x[k]) / 2;
            }
        }
        if (!better) {
            return;
        }
        for (int k = 0; k < 2; k++) {
            move = fmax(move, fabs(to[k] - x[k]) / f->scale);
            x[k] = to[k];
        }
        if (move < SETTLED) {
            return;
        }
    }
}

/* One factor on all lengths, but for the last digits of courses over wrap objects. */
static bool is_scaled(const fit *f) {
    for (int i = 0; i < f->n; i++) {
        if (!(fabs(f->L1[i] - f->scale * (f->X[i] + f->Y[i])) <= SCALED * f->L1[i])) {
            return false;
        }
    }
    return true;
}

static bool is_loose(const fit *f) {
    for (int i = 0; i < f->n; i++) {
        if (f->weight[i] != 0) {
            return false;
        }
    }
    return true;
}

static bool is_same(const fb_fiber_sample *s) {
    for (int i = 0; i < s->n; i++) {
        if (!(fabs(s->length[1][i] - s->length[0][i]) <= SAME * s->length[0][i])) {
            return false;
        }
    }
    return s->n > 0;
}

/* Scaled as the path of the default pose a muscle has the balance that the standard's has; the
 * part of the fit that keeps it is found by halving. */
static const char *mend(const fb_muscle *standard, const fb_fiber_sample *s, double *x) {
    bool resting, before_resting;
    fb_muscle m = fb_fiber_scaled(standard, x[0], x[1]);
    if (!fb_fiber_balanced(standard, s->length[0][0], &before_resting) ||
        (fb_fiber_balanced(&m, s->length[1][0], &resting) && (before_resting || !resting))) {
        return NULL;
    }
    double plain = s->length[1][0] / s->length[0][0], good = 0, bad = 1;
    for (int i = 0; i < 20; i++) {
        double part = (good + bad) / 2;
        m = fb_fiber_scaled(standard, plain + part * (x[0] - plain), plain + part * (x[1] - plain));
        bool found = fb_fiber_balanced(&m, s->length[1][0], &resting);
        *(found && (before_resting || !resting) ? &good : &bad) = part;
    }
    for (int k = 0; k < 2; k++) {
        x[k] = plain + good * (x[k] - plain);
    }
    return "the fit was held back so that it keeps its equilibrium in the default pose";
}

const char *fb_fiber_factors(const fb_muscle *standard, const fb_fiber_sample *sample, double *work,
                             double *a, double *b) {
    size_t n = (size_t)sample->n;
    fit f = {.muscle = standard};
    const char *note = NULL, *mended;
    f.X = work;
    f.Y = work + n;
    f.L1 = work + 2 * n;
    f.norm = work + 3 * n;
    f.weight = work + 4 * n;
    f.rate[0] = work + 5 * n;
    f.rate[1] = f.rate[0] + n * (size_t)sample->n_free;
    *a = *b = 1;
    if (is_same(sample)) {
        return NULL;
    }
    take_poses(&f, sample);
    double x[2] = {1, 1};
    if (f.n == 0) {
        x[0] = x[1] = sample->n > 0 && sample->length[0][0] > 0
                          ? sample->length[1][0] / sample->length[0][0]
                          : 1;
        note = "the standard's muscle has no equilibrium in any pose; it was scaled as its path";
    } else if (is_scaled(&f) || is_loose(&f)) {
        x[0] = x[1] = f.scale;
    } else {
        sums lasting = {0}, s;
        add_lasting(&f, &lasting);
        s = lasting;
        linear(&f, &s);
        if (solve(&s, LEAST * f.scale, x)) {
            note = "its fibres or its tendon would have become shorter than a tenth";
        }
        refine(&f, &lasting, LEAST * f.scale, x);
    }
    if (sample->has_default && (mended = mend(standard, sample, x)) != NULL) {
        note = mended;
    }
    *a = x[0];
    *b = x[1];
    return note;
}
