#include "libcore/solve/separable.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "libcore/base/number.h"

#define MOST_STEPS 200   /* Newton steps of one proximal step */
#define MOST_PROXIMAL 30 /* proximal steps */
#define PROXIMAL 1e-8    /* against the scaled dual's curvature, which is 1 where all are free */
#define MET 1e-11        /* of the largest scaled term of an equation */
#define STEEPEST 1e12    /* dx/ds of exponents above 2 at 0 */

typedef struct work {
    fb_separable *p;
    double *scale;                        /* m: equations are multiplied by it */
    double *A, *b;                        /* scaled */
    double *y, *center, *step, *gradient; /* m: of scaled equations */
    double *H;                            /* m x m */
    double *s, *ds;                       /* n: A^T y, A^T step */
    double *slope;                        /* n: dx/ds */
    double rho;
} work;

/* x that is best for a price s, and how it changes with it. */
static double response(const fb_separable *p, int i, double s, double *slope) {
    double x, k;
    if (p->exponent == 2) {
        x = s / 2;
        k = 0.5;
    } else {
        double size = pow(fabs(s) / p->exponent, 1 / (p->exponent - 1));
        x = copysign(size, s);
        k = s == 0 ? (p->exponent > 2 ? STEEPEST : 0)
                   : fmin(STEEPEST, size / (fabs(s) * (p->exponent - 1)));
    }
    bool held = x <= p->low[i] || x >= p->high[i];
    *slope = held ? 0 : k;
    return x < p->low[i] ? p->low[i] : x > p->high[i] ? p->high[i] : x;
}

/* x at s; the gradient b - A x - rho (y - center) of the dual; returns the largest term of any
 * equation. */
static double look(work *w) {
    fb_separable *p = w->p;
    double largest = 0;
    for (int i = 0; i < p->n; i++) {
        p->x[i] = response(p, i, w->s[i], &w->slope[i]);
    }
    for (int j = 0; j < p->m; j++) {
        const double *row = w->A + (size_t)j * (size_t)p->n;
        double sum = w->b[j];
        largest = fmax(largest, fabs(w->b[j]));
        for (int i = 0; i < p->n; i++) {
            sum -= row[i] * p->x[i];
            largest = fmax(largest, fabs(row[i] * p->x[i]));
        }
        p->residual[j] = sum;
        w->gradient[j] = sum - w->rho * (w->y[j] - w->center[j]);
    }
    return largest;
}

static void prices(const work *w, const double *y, double *s) {
    const fb_separable *p = w->p;
    memset(s, 0, (size_t)p->n * sizeof *s);
    for (int j = 0; j < p->m; j++) {
        const double *row = w->A + (size_t)j * (size_t)p->n;
        for (int i = 0; i < p->n; i++) {
            s[i] += row[i] * y[j];
        }
    }
}

/* step = (A D A^T + rho)^-1 gradient, by Cholesky. */
static void newton(work *w) {
    fb_separable *p = w->p;
    int m = p->m, n = p->n;
    double *H = w->H;
    for (int j = 0; j < m; j++) {
        const double *a = w->A + (size_t)j * (size_t)n;
        for (int k = 0; k <= j; k++) {
            const double *c = w->A + (size_t)k * (size_t)n;
            double sum = j == k ? w->rho : 0;
            for (int i = 0; i < n; i++) {
                sum += a[i] * w->slope[i] * c[i];
            }
            H[j * m + k] = sum;
        }
    }
    for (int j = 0; j < m; j++) {
        for (int k = 0; k <= j; k++) {
            double sum = H[j * m + k];
            for (int i = 0; i < k; i++) {
                sum -= H[j * m + i] * H[k * m + i];
            }
            H[j * m + k] = j == k ? sqrt(fmax(sum, w->rho * 1e-3)) : sum / H[k * m + k];
        }
    }
    for (int j = 0; j < m; j++) {
        double sum = w->gradient[j];
        for (int k = 0; k < j; k++) {
            sum -= H[j * m + k] * w->step[k];
        }
        w->step[j] = sum / H[j * m + j];
    }
    for (int j = m - 1; j >= 0; j--) {
        double sum = w->step[j];
        for (int k = j + 1; k < m; k++) {
            sum -= H[k * m + j] * w->step[k];
        }
        w->step[j] = sum / H[j * m + j];
    }
    prices(w, w->step, w->ds);
}

/* The dual's derivative along the step, at y + t step. */
static double along(const work *w, double t) {
    const fb_separable *p = w->p;
    double sum = 0, slope;
    for (int j = 0; j < p->m; j++) {
        sum += w->step[j] * (w->b[j] - w->rho * (w->y[j] + t * w->step[j] - w->center[j]));
    }
    for (int i = 0; i < p->n; i++) {
        sum -= w->ds[i] * response(p, i, w->s[i] + t * w->ds[i], &slope);
    }
    return sum;
}

/* How far to go: where the derivative along the step, which falls, is small against that at 0. */
static double search(const work *w) {
    double low = 0, high = 1, f0 = along(w, 0), f_low = f0, f_high = along(w, 1);
    for (int i = 0; i < 60 && f_high > 0.1 * f0; i++) {
        low = high;
        f_low = f_high;
        high *= 2;
        f_high = along(w, high);
    }
    if (f_high >= -0.1 * f0) {
        return high;
    }
    for (int i = 0; i < 120; i++) {
        /* where a straight line says; every third time, as orders of magnitude may be between */
        double at = low + (high - low) * f_low / (f_low - f_high), margin = 1e-3 * (high - low);
        at = fmin(high - margin, fmax(low + margin, at));
        if (i % 3 == 1) {
            at = (low + high) / 2;
        } else if (i % 3 == 2) {
            at = low > 0 ? sqrt(low * high) : high * 1e-3;
        }
        double f = along(w, at);
        if (fabs(f) <= 0.1 * f0) {
            return at;
        }
        if (f > 0) {
            low = at;
            f_low = f;
        } else {
            high = at;
            f_high = f;
        }
    }
    return low;
}

static double norm(const double *x, int n) {
    double most = 0;
    for (int i = 0; i < n; i++) {
        most = fmax(most, fabs(x[i]));
    }
    return most;
}

/* The best y near the center. */
static void climb(work *w, double tolerance) {
    fb_separable *p = w->p;
    double last = FB_INFINITY;
    for (int k = 0, stuck = 0; k < MOST_STEPS; k++) {
        double size = look(w), off = norm(w->gradient, p->m);
        stuck = off < 0.5 * last ? 0 : stuck + 1;
        last = fmin(last, off);
        if (off <= tolerance * size || (stuck > 20 && off <= 1e3 * tolerance * size)) {
            return;
        }
        newton(w);
        double t = search(w);
        for (int j = 0; j < p->m; j++) {
            w->y[j] += t * w->step[j];
        }
        prices(w, w->y, w->s);
        p->steps++;
    }
    look(w);
}

/* The cost less the dual's value: above 0 by as much as x can be from the best, once the equations
 * are met. */
static double gap_of(const work *w) {
    const fb_separable *p = w->p;
    double sum = 0;
    for (int i = 0; i < p->n; i++) {
        sum += w->s[i] * p->x[i];
    }
    double dual = 0;
    for (int j = 0; j < p->m; j++) {
        dual += w->y[j] * w->b[j];
    }
    return fabs(sum - dual); /* |x|^p cancels: the dual holds it at the same x */
}

static fb_status solve(work *w) {
    fb_separable *p = w->p;
    int m = p->m, n = p->n;
    for (int j = 0; j < m; j++) {
        double sum = 0;
        for (int i = 0; i < n; i++) {
            double a = p->A[(size_t)j * (size_t)n + (size_t)i];
            sum += a * a / 2;
        }
        w->scale[j] = sum > 0 ? 1 / sqrt(sum) : 1;
        w->b[j] = p->b[j] * w->scale[j];
        w->y[j] = isfinite(p->multipliers[j]) ? p->multipliers[j] / w->scale[j] : 0;
        for (int i = 0; i < n; i++) {
            size_t at = (size_t)j * (size_t)n + (size_t)i;
            w->A[at] = p->A[at] * w->scale[j];
        }
    }
    w->rho = PROXIMAL;
    p->steps = 0;
    fb_status status = FB_E_NUMERIC;
    double before = FB_INFINITY;
    prices(w, w->y, w->s);
    for (int k = 0, slow = 0; k < MOST_PROXIMAL && status != FB_OK && slow < 3; k++) {
        memcpy(w->center, w->y, (size_t)m * sizeof *w->y);
        climb(w, MET);
        double size = look(w), off = norm(p->residual, m);
        status = off <= 10 * MET * size ? FB_OK : FB_E_NUMERIC;
        slow = off > 0.9 * before ? slow + 1 : 0;
        before = off;
    }
    p->gap = gap_of(w);
    for (int j = 0; j < m; j++) {
        p->residual[j] /= w->scale[j];
        p->multipliers[j] = status == FB_OK ? w->y[j] * w->scale[j] : 0;
    }
    return status;
}

fb_status fb_separable_solve(fb_separable *p, fb_scratch *scratch) {
    size_t m = (size_t)p->m, n = (size_t)p->n;
    double *block = fb_scratch_take(scratch, 6 * m + m * n + m * m + 3 * n + 1, sizeof *block);
    if (!block) {
        return FB_E_MEMORY;
    }
    work w = {.p = p, .scale = block};
    w.b = w.scale + m;
    w.y = w.b + m;
    w.center = w.y + m;
    w.step = w.center + m;
    w.gradient = w.step + m;
    w.A = w.gradient + m;
    w.H = w.A + m * n;
    w.s = w.H + m * m;
    w.ds = w.s + n;
    w.slope = w.ds + n;
    fb_status status = solve(&w);
    fb_scratch_give(scratch, block);
    return status;
}
