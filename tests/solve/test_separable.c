/* Separable convex programs against all active sets, the conditions of optimality, refusals. */
#include "libcore/solve/separable.h"

#include <math.h>
#include <string.h>

#include "tests/help.h"

static unsigned long long seed = 1;

static double uniform(void) {
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (double)(seed >> 11) / 9007199254740992.0;
}

#define FAR ((double)INFINITY)

enum { MOST_N = 60, MOST_M = 12 };

typedef struct example {
    fb_separable p;
    double A[MOST_M * MOST_N], b[MOST_M], low[MOST_N], high[MOST_N], x[MOST_N], y[MOST_M],
        r[MOST_M];
} example;

/* Muscle-like: most columns strong and bounded, the last ones weak and free. */
static void make(example *e, int n, int m, int n_free, double exponent) {
    memset(e, 0, sizeof *e);
    e->p = (fb_separable){.n = n,
                          .m = m,
                          .exponent = exponent,
                          .A = e->A,
                          .b = e->b,
                          .low = e->low,
                          .high = e->high,
                          .x = e->x,
                          .multipliers = e->y,
                          .residual = e->r};
    double inside[MOST_N];
    for (int i = 0; i < n; i++) {
        bool is_free = i >= n - n_free;
        e->low[i] = is_free ? -FAR : 0.01;
        e->high[i] = is_free ? FAR : 1;
        inside[i] = is_free ? 0 : uniform() < 0.3 ? 0.01 + 0.99 * uniform() : 0.01;
    }
    for (int j = 0; j < m; j++) {
        for (int i = 0; i < n; i++) {
            bool is_free = i >= n - n_free;
            double a = is_free           ? (i - (n - n_free) == j ? 1 : 0)
                       : uniform() < 0.6 ? 100 * (uniform() - 0.5)
                                         : 0;
            e->A[j * n + i] = a;
            e->b[j] += a * inside[i];
        }
    }
}

static double cost(const example *e, const double *x) {
    double sum = 0;
    for (int i = 0; i < e->p.n; i++) {
        sum += pow(fabs(x[i]), e->p.exponent);
    }
    return sum;
}

static void check_optimal(const example *e) {
    int n = e->p.n;
    double p = e->p.exponent;
    for (int j = 0; j < e->p.m; j++) {
        double sum = e->b[j], size = fabs(e->b[j]);
        for (int i = 0; i < n; i++) {
            sum -= e->A[j * n + i] * e->x[i];
            size += fabs(e->A[j * n + i]);
        }
        FB_NEAR(sum, 0, 1e-10 * size, 0);
    }
    for (int i = 0; i < n; i++) {
        double price = 0, size = 0;
        for (int j = 0; j < e->p.m; j++) {
            price += e->A[j * n + i] * e->y[j];
            size += fabs(e->A[j * n + i] * e->y[j]);
        }
        double slope = copysign(p * pow(fabs(e->x[i]), p - 1), e->x[i]), slack = 1e-9 * (1 + size);
        FB_TRUE(e->x[i] >= e->low[i] && e->x[i] <= e->high[i], "in bounds");
        if (e->x[i] > e->low[i]) {
            FB_TRUE(slope <= price + slack, "%d: more would cost %g, gain %g", i, slope, price);
        }
        if (e->x[i] < e->high[i]) {
            FB_TRUE(slope >= price - slack, "%d: less would save %g, lose %g", i, slope, price);
        }
    }
}

static void conditions_hold(void) {
    static const double exponents[] = {2, 2, 3, 1.5, 4};
    fb_scratch scratch = {0};
    for (int k = 0; k < 150; k++) {
        example e;
        make(&e, 20 + k % 40, 3 + k % 9, k % 3 ? 3 + k % 9 : 0, exponents[k % 5]);
        FB_EQUAL_INT(fb_separable_solve(&e.p, &scratch), FB_OK);
        check_optimal(&e);
        int cold = e.p.steps;
        double gap = e.p.gap, c = cost(&e, e.x);
        FB_TRUE(gap <= 1e-8 * (1 + c), "%d: within %g of the least %g", k, gap, c);
        FB_EQUAL_INT(fb_separable_solve(&e.p, &scratch), FB_OK);
        FB_TRUE(e.p.steps <= 3 && e.p.steps <= cold, "%d: a warm start: %d, %d", k, e.p.steps,
                cold);
        FB_NEAR(cost(&e, e.x), c, 1e-9, 1e-9);
    }
    fb_scratch_clear(&scratch);
}

/* One equation, by hand: 3 a + 4 b = 5, so that (a, b) = (0.6, 0.8); with b <= 0.5, a = 1. */
static void by_hand(void) {
    fb_scratch scratch = {0};
    double A[] = {3, 4}, b = 5, low[] = {0, 0}, high[] = {1, 1}, x[2], y = 0, r;
    fb_separable p = {.n = 2,
                      .m = 1,
                      .exponent = 2,
                      .A = A,
                      .b = &b,
                      .low = low,
                      .high = high,
                      .x = x,
                      .multipliers = &y,
                      .residual = &r};
    FB_EQUAL_INT(fb_separable_solve(&p, &scratch), FB_OK);
    FB_NEAR(x[0], 0.6, 1e-12, 0);
    FB_NEAR(x[1], 0.8, 1e-12, 0);
    FB_NEAR(y, 0.4, 1e-12, 0);
    high[1] = 0.5;
    FB_EQUAL_INT(fb_separable_solve(&p, &scratch), FB_OK);
    FB_NEAR(x[0], 1, 1e-9, 0);
    FB_NEAR(x[1], 0.5, 1e-12, 0);
    b = 7; /* more than 3 + 2 */
    FB_EQUAL_INT(fb_separable_solve(&p, &scratch), FB_E_NUMERIC);
    FB_NEAR(x[0], 1, 1e-12, 0);
    FB_NEAR(x[1], 0.5, 1e-12, 0);
    FB_NEAR(r, 2, 1e-12, 0);
    fb_scratch_clear(&scratch);
}

/* The same equation twice. */
static void repeated(void) {
    fb_scratch scratch = {0};
    example e;
    make(&e, 20, 4, 0, 2);
    memcpy(e.A + 3 * 20, e.A + 20, 20 * sizeof *e.A);
    e.b[3] = e.b[1];
    FB_EQUAL_INT(fb_separable_solve(&e.p, &scratch), FB_OK);
    check_optimal(&e);
    fb_scratch_clear(&scratch);
}

/* Each variable of 7 low, between or high: the best of all 3^7 that meet two equations. */
static void against_all_sets(void) {
    fb_scratch scratch = {0};
    for (int k = 0; k < 200; k++) {
        example e;
        enum { N = 7 };
        make(&e, N, 2, 0, 2);
        double best = FAR;
        for (int set = 0; set < 2187; set++) {
            double M[3] = {0}, r[2] = {e.b[0], e.b[1]}, x[N];
            for (int i = 0, rest = set; i < N; i++, rest /= 3) {
                double a = e.A[i], c = e.A[N + i];
                x[i] = rest % 3 == 1 ? e.low[i] : e.high[i];
                if (rest % 3 == 0) {
                    M[0] += a * a / 2, M[1] += a * c / 2, M[2] += c * c / 2;
                    x[i] = (double)NAN;
                } else {
                    r[0] -= a * x[i], r[1] -= c * x[i];
                }
            }
            double det = M[0] * M[2] - M[1] * M[1];
            if (det <= 1e-9) {
                continue;
            }
            double y0 = (M[2] * r[0] - M[1] * r[1]) / det, y1 = (M[0] * r[1] - M[1] * r[0]) / det;
            bool good = true;
            for (int i = 0; i < N; i++) {
                if (isnan(x[i])) {
                    x[i] = (e.A[i] * y0 + e.A[N + i] * y1) / 2;
                    good &= x[i] >= e.low[i] - 1e-12 && x[i] <= e.high[i] + 1e-12;
                }
            }
            best = good ? fmin(best, cost(&e, x)) : best;
        }
        FB_EQUAL_INT(fb_separable_solve(&e.p, &scratch), FB_OK);
        if (isinf(best)) {
            continue; /* a corner of the bounds, or fewer variables between them than equations */
        }
        FB_NEAR(cost(&e, e.x), best, 1e-10, 1e-9);
    }
    fb_scratch_clear(&scratch);
}

static const fb_test tests[] = {
    FB_TEST(by_hand),         FB_TEST(repeated), FB_TEST(against_all_sets),
    FB_TEST(conditions_hold), FB_TEST_END,
};

int main(int argc, char **argv) {
    return fb_test_main("separable", tests, argc, argv);
}
