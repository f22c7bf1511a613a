#include "libcore/solve/bounded.h"

#include <math.h>
#include <string.h>

#include "libcore/motion/solve.h"

#define LEAST_PIVOT 1e-15 /* of H, relative to its largest diagonal number */
#define REDUNDANT 1e-13   /* added to the equations' matrix: those that repeat others do no harm */
#define WRONG_SIGN 1e-12  /* of a multiplier, relative to the largest: below, it is rounding */

typedef struct work {
    int n_free;
    int *free;              /* the variables that are between their bounds */
    double *A, *x;          /* of these: H's factor, right side */
    double *W, *S, *lambda; /* equations: G L^-T, W W^T, multipliers */
    double *target;
} work;

/* The minimum over the free variables, the others staying where d has them: in w->target. */
static bool solve_free(const fb_bounded *p, work *w) {
    int n = p->n, m = p->m, f = w->n_free;
    memcpy(w->target, p->d, (size_t)n * sizeof *w->target);
    for (int i = 0; i < f; i++) {
        int a = w->free[i];
        double sum = -p->g[a];
        for (int j = 0; j < n; j++) {
            sum -= p->at[j] ? p->H[a * n + j] * p->d[j] : 0;
        }
        w->x[i] = sum;
        for (int j = 0; j <= i; j++) {
            w->A[i * f + j] = p->H[a * n + w->free[j]];
        }
    }
    if (f > 0 && !fb_cholesky(f, w->A, LEAST_PIVOT)) {
        return false;
    }
    fb_cholesky_forward(f, w->A, w->x);
    double largest = 0;
    for (int r = 0; r < m; r++) { /* W = G L^-T; S lambda = W x - b */
        double *row = w->W + r * f, rest = p->b[r];
        for (int j = 0; j < n; j++) {
            rest -= p->at[j] ? p->G[r * n + j] * p->d[j] : 0;
        }
        for (int i = 0; i < f; i++) {
            row[i] = p->G[r * n + w->free[i]];
        }
        fb_cholesky_forward(f, w->A, row);
        double sum = -rest;
        for (int i = 0; i < f; i++) {
            sum += row[i] * w->x[i];
        }
        w->lambda[r] = sum;
        for (int c = 0; c <= r; c++) {
            sum = 0;
            for (int i = 0; i < f; i++) {
                sum += row[i] * w->W[c * f + i];
            }
            w->S[r * m + c] = sum;
        }
        largest = fmax(largest, w->S[r * m + r]);
    }
    for (int r = 0; r < m; r++) {
        bool idle = !(w->S[r * m + r] > REDUNDANT * largest); /* no free variable moves it */
        w->S[r * m + r] = idle ? fmax(largest, 1) : w->S[r * m + r] + REDUNDANT * largest;
        w->lambda[r] = idle ? 0 : w->lambda[r];
    }
    if (m > 0) {
        if (!fb_cholesky(m, w->S, 1e-16)) {
            return false;
        }
        fb_cholesky_forward(m, w->S, w->lambda);
        fb_cholesky_backward(m, w->S, w->lambda);
    }
    for (int r = 0; r < m; r++) {
        for (int i = 0; i < f; i++) {
            w->x[i] -= w->W[r * f + i] * w->lambda[r];
        }
    }
    fb_cholesky_backward(f, w->A, w->x);
    for (int i = 0; i < f; i++) {
        w->target[w->free[i]] = w->x[i];
    }
    return true;
}

/* Goes to the target as far as the bounds let it; true if it gets there. */
static bool advance(fb_bounded *p, const work *w) {
    double part = 1;
    int stop = -1;
    for (int i = 0; i < w->n_free; i++) {
        int a = w->free[i];
        double from = p->d[a], to = w->target[a], limit = to < from ? p->low[a] : p->high[a];
        if ((to < from && to < limit) || (to > from && to > limit)) {
            double t = (limit - from) / (to - from);
            if (t < part) {
                part = t;
                stop = a;
            }
        }
    }
    for (int i = 0; i < w->n_free; i++) {
        int a = w->free[i];
        p->d[a] += part * (w->target[a] - p->d[a]);
        p->d[a] = fmin(fmax(p->d[a], p->low[a]), p->high[a]);
    }
    if (stop >= 0) {
        p->at[stop] = w->target[stop] < p->d[stop] ? -1 : 1;
        p->d[stop] = p->at[stop] < 0 ? p->low[stop] : p->high[stop];
    }
    return stop < 0;
}

/* Frees the variable that its bound holds most wrongly; false if none is. */
static bool release(fb_bounded *p, work *w) {
    int n = p->n, worst = -1;
    double most = 0, scale = 0;
    for (int a = 0; a < n; a++) {
        double slope = p->g[a];
        for (int j = 0; j < n; j++) {
            slope += p->H[a * n + j] * p->d[j];
        }
        for (int r = 0; r < p->m; r++) {
            slope += p->G[r * n + a] * w->lambda[r];
        }
        scale = fmax(scale, fabs(slope));
        double wrong = p->at[a] < 0 ? -slope : p->at[a] > 0 ? slope : 0;
        if (wrong > most && p->low[a] < p->high[a]) {
            most = wrong;
            worst = a;
        }
    }
    if (worst < 0 || most <= WRONG_SIGN * scale) {
        return false;
    }
    p->at[worst] = 0;
    return true;
}

fb_status fb_bounded_solve(fb_bounded *p, fb_scratch *scratch) {
    int n = p->n, m = p->m;
    double *numbers = fb_scratch_take(scratch, (size_t)(n * n + 3 * n + m * n + m * m + m) + 1,
                                      sizeof *numbers);
    int *list = fb_scratch_take(scratch, (size_t)n + 1, sizeof *list);
    fb_status status = numbers && list ? FB_E_NUMERIC : FB_E_MEMORY;
    if (numbers && list) {
        work w = {.free = list, .A = numbers};
        w.x = w.A + n * n;
        w.target = w.x + n;
        w.W = w.target + n;
        w.S = w.W + m * n;
        w.lambda = w.S + m * m;
        for (int i = 0; i < n; i++) {
            bool held = !(p->low[i] < p->high[i]);
            p->at[i] = held ? -1 : p->at[i];
            if ((p->at[i] < 0 && !isfinite(p->low[i])) || (p->at[i] > 0 && !isfinite(p->high[i]))) {
                p->at[i] = 0;
            }
            p->d[i] = p->at[i] < 0 ? p->low[i] : p->at[i] > 0 ? p->high[i] : 0;
        }
        for (int k = 0; k < 10 * n + 20; k++) {
            w.n_free = 0;
            for (int i = 0; i < n; i++) {
                if (!p->at[i]) {
                    list[w.n_free++] = i;
                }
            }
            if (!solve_free(p, &w)) {
                break;
            }
            if (advance(p, &w) && !release(p, &w)) {
                memcpy(p->multipliers, w.lambda, (size_t)m * sizeof *p->multipliers);
                status = FB_OK;
                break;
            }
        }
    }
    fb_scratch_give(scratch, list);
    fb_scratch_give(scratch, numbers);
    return status;
}
