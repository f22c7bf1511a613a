/* Norms, smoothing, what is refused, and what noise does. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/spatial.h"
#include "libcore/register/transform.h"
#include "tests/help.h"

#define N 12

typedef double points[N][3];

static unsigned long long state;

static double between(double low, double high) {
    return fb_random_between(&state, low, high);
}

/* Of a normal distribution (Box and Muller 1958). */
static double gauss(void) {
    return sqrt(-2 * log(between(1e-12, 1))) * cos(between(0, 6.283185307179586));
}

static void random_points(points p) {
    for (int i = 0; i < N; i++) {
        fb_v3_set(p[i], between(-0.05, 0.05), between(-0.2, 0.2), between(-0.05, 0.05));
        p[i][i % 3] += i % 2 ? 0.06 : -0.06;
    }
}

static void turned(points from, points to, double scale, double noise) {
    double axis[3] = {between(-1, 1), between(-1, 1), between(-1, 1)}, R[9];
    fb_v3_normalize(axis);
    fb_m3_rotation(R, axis, between(-3, 3));
    for (int i = 0; i < N; i++) {
        fb_m3_mul_v3(to[i], R, from[i]);
        fb_v3_scale(to[i], scale, to[i]);
        for (int k = 0; k < 3; k++) {
            to[i][k] += 0.3 + noise * gauss();
        }
    }
}

static fb_status fit(fb_transform *T, fb_transform_kind kind, double (*from)[3], double (*to)[3],
                     int n, fb_transform_options options, fb_arena *arena, fb_diag *diag) {
    return fb_transform_fit(T, kind, (const double(*)[3])from, (const double(*)[3])to, NULL,
                            (size_t)n, &options, "femur_r", arena, diag);
}

/* Without noise, one wrong landmark of eight changes nothing. */
static void one_wrong_of_eight(void) {
    fb_arena arena;
    fb_arena_init(&arena);
    for (int trial = 0; trial < 100; trial++) {
        fb_transform_kind kind = trial % 2 ? FB_TRANSFORM_SIMILARITY : FB_TRANSFORM_RIGID;
        points from, to;
        fb_transform T;
        random_points(from);
        turned(from, to, kind == FB_TRANSFORM_RIGID ? 1 : between(0.8, 1.2), 0);
        int wrong = trial % 8;
        for (int k = 0; k < 3; k++) {
            to[wrong][k] += between(0.02, 0.08);
        }
        fb_transform_options options = {.norm = FB_NORM_L1};
        FB_EQUAL_INT(fit(&T, kind, from, to, 8, options, &arena, NULL), FB_OK);
        double each[8];
        fb_transform_residual(&T, (const double(*)[3])from, (const double(*)[3])to, NULL, 8, NULL,
                              each);
        for (int i = 0; i < 8; i++) {
            FB_TRUE((each[i] < 1e-9) == (i != wrong), "trial %d, point %d (%d wrong): %g", trial, i,
                    wrong, each[i]);
        }
        options.norm = FB_NORM_L2;
        fit(&T, kind, from, to, 8, options, &arena, NULL);
        FB_TRUE(fb_transform_residual(&T, (const double(*)[3])from, (const double(*)[3])to, NULL, 8,
                                      NULL, each) > 1e-3,
                "the wrong landmark is not wrong");
    }
    fb_arena_clear(&arena);
}

static double charge(const fb_transform *T, points from, points to, double huber) {
    double sum = 0;
    for (int i = 0; i < N; i++) {
        double p[3], r;
        fb_transform_point(T, from[i], p);
        r = fb_v3_distance(p, to[i]);
        sum += huber > 0 ? r > huber ? 2 * huber * r - huber * huber : r * r : r;
    }
    return sum;
}

/* Seven numbers (turn, logarithm of the scale, shift) around a similarity. */
static void vary(fb_transform *T, const fb_transform *around, const double *x) {
    double axis[3], R[9];
    fb_v3_copy(axis, x);
    fb_m3_rotation(R, axis, fb_v3_normalize(axis));
    *T = *around;
    fb_m3_mul(T->linear, R, around->linear);
    for (int k = 0; k < 9; k++) {
        T->linear[k] *= exp(x[3]);
    }
    fb_v3_add(T->translation, around->translation, x + 4);
}

/* The least charge that a search by steps along random directions finds. */
static double search(const fb_transform *around, points from, points to, double huber) {
    double x[7] = {0}, step = 0.1;
    fb_transform T;
    double least = charge(around, from, to, huber);
    for (int tries = 0; step > 1e-10;) {
        double y[7];
        for (int k = 0; k < 7; k++) {
            y[k] = x[k] + step * gauss();
        }
        vary(&T, around, y);
        double found = charge(&T, from, to, huber);
        if (found < least) {
            least = found;
            memcpy(x, y, sizeof x);
            step *= 1.5;
            tries = 0;
        } else if (++tries > 40) {
            step *= 0.7;
            tries = 0;
        }
    }
    return least;
}

/* A search that knows no weights finds nothing better. */
static void norms_are_least(void) {
    fb_arena arena;
    fb_arena_init(&arena);
    int trials = fb_test_is_fast() ? 12 : 4;
    for (int trial = 0; trial < trials; trial++) {
        points from, to;
        fb_transform T, start;
        random_points(from);
        turned(from, to, 1.1, 0.005);
        for (int k = 0; k < 3; k++) {
            to[trial % N][k] += between(0, 0.05);
        }
        double huber = trial % 2 ? 0.004 : 0;
        fb_transform_options options = {.norm = huber > 0 ? FB_NORM_HUBER : FB_NORM_L1,
                                        .huber = huber};
        FB_EQUAL_INT(fit(&T, FB_TRANSFORM_SIMILARITY, from, to, N, options, &arena, NULL), FB_OK);
        options.norm = FB_NORM_L2;
        fit(&start, FB_TRANSFORM_SIMILARITY, from, to, N, options, &arena, NULL);
        double got = charge(&T, from, to, huber), other = search(&start, from, to, huber);
        double near = search(&T, from, to, huber);
        FB_TRUE(got <= other * (1 + 1e-7), "%.12g, a search finds %.12g", got, other);
        FB_TRUE(got <= near * (1 + 1e-9), "%.12g, a search nearby %.12g", got, near);
        FB_TRUE(got < charge(&start, from, to, huber), "no better than least squares");
    }
    fb_arena_clear(&arena);
}

/* The spline's residual grows with smoothing, from 0 to that of the affine map. */
static void smoothing_is_monotone(void) {
    fb_arena arena;
    fb_arena_init(&arena);
    for (int trial = 0; trial < 10; trial++) {
        points from, to;
        fb_transform T, affine;
        double weight[N], last = 0;
        random_points(from);
        turned(from, to, 1.1, 0.01);
        for (int i = 0; i < N; i++) {
            weight[i] = trial % 2 ? between(0.2, 3) : 1;
        }
        const double(*p)[3] = (const double(*)[3])from, (*q)[3] = (const double(*)[3])to;
        fb_transform_options options = {0};
        fb_transform_fit(&affine, FB_TRANSFORM_AFFINE, p, q, weight, N, &options, "b", &arena,
                         NULL);
        double limit = fb_transform_residual(&affine, p, q, weight, N, NULL, NULL);
        fb_transform_fit(&T, FB_TRANSFORM_TPS, p, q, weight, N, &options, "b", &arena, NULL);
        FB_NEAR(fb_transform_residual(&T, p, q, weight, N, NULL, NULL), 0, 1e-14, 0);
        for (int k = -24; k <= 24; k++) {
            options.smoothing = pow(10, k / 4.0);
            fb_transform_fit(&T, FB_TRANSFORM_TPS, p, q, weight, N, &options, "b", &arena, NULL);
            double r = fb_transform_residual(&T, p, q, weight, N, NULL, NULL);
            FB_TRUE(r > last && r < limit * (1 + 1e-12),
                    "smoothing %g: %.17g after %.17g (limit %g)", options.smoothing, r, last,
                    limit);
            last = r;
            double sum[3] = {0, 0,
                             0}; /* the side conditions: nothing affine in the spline's part */
            for (int i = 0; i < T.n; i++) {
                fb_v3_add(sum, sum, T.weights[i]);
            }
            FB_NEAR(fb_v3_norm(sum), 0, 1e-14, 0);
        }
        FB_NEAR(last, limit, 0, 1e-6);
        for (int k = 0; k < 9; k++) {
            FB_NEAR(T.linear[k], affine.linear[k], 1e-6, 0);
        }
    }
    fb_arena_clear(&arena);
}

/* ---- refusals -------------------------------------------------------------------------------- */

/* Fits and wants a refusal that says `part`. */
static void refused(fb_transform_kind kind, double (*from)[3], double (*to)[3], int n,
                    fb_transform_options options, const char *part) {
    fb_arena arena;
    fb_diag diag;
    fb_arena_init(&arena);
    fb_diag_init(&diag);
    fb_transform T = {.n = -7};
    FB_EQUAL_INT(fit(&T, kind, from, to, n, options, &arena, &diag), FB_E_INPUT);
    FB_EQUAL_INT(T.n, -7); /* untouched */
    const fb_record *record = FB_RECORD(&diag, FB_ERROR, FB2311, -1);
    if (record) {
        FB_HOLDS(record->message, part);
        FB_HOLDS(record->message, "femur_r");
    }
    FB_EQUAL_INT(diag.n, 1);
    fb_diag_clear(&diag);
    fb_arena_clear(&arena);
}

/* Hip centre, two epicondyles and the greater trochanter lie nearly in a plane; four spines and the
 * hip centre of a pelvis have too little depth. Numbers of a man's bones, rounded to mm. */
static double femur[4][3] = {{-0.004, 0.362, -0.001},
                             {0, 0.004, -0.041},
                             {0, -0.004, 0.041},
                             {0.003, 0.329, 0.070}};
static double pelvis[5][3] = {{0.034, 0.081, 0.033},
                              {0.034, 0.081, -0.202},
                              {-0.089, 0.080, -0.047},
                              {-0.089, 0.080, -0.118},
                              {0, 0, 0}};

static void flat_points_are_refused(void) {
    static const fb_transform_kind rich[] = {FB_TRANSFORM_ANISOTROPIC, FB_TRANSFORM_AFFINE,
                                             FB_TRANSFORM_TPS};
    fb_transform_options none = {0};
    for (int k = 0; k < 3; k++) {
        double to[5][3];
        for (int i = 0; i < 4; i++) {
            fb_v3_scale(to[i], 1.1, femur[i]);
        }
        refused(rich[k], femur, to, 4, none, fb_transform_word(rich[k]));
        refused(rich[k], femur, to, 4, none, "4 points, which spread by 173.9, 39.1 and 1.8 mm");
        refused(rich[k], femur, to, 4, none, "use 'similarity'");
        for (int i = 0; i < 5; i++) {
            fb_v3_scale(to[i], 1.1, pelvis[i]);
        }
        refused(rich[k], pelvis, to, 5, none, "5 points");
    }
    fb_spread spread;
    fb_spread_of(&spread, femur[0], 3, 4);
    FB_EQUAL_INT(spread.n, 4);
    FB_EQUAL_INT(spread.richest, FB_TRANSFORM_SIMILARITY);
    FB_TRUE(spread.enough, "enough for a similarity");
    FB_NEAR(spread.extent[0], 0.174, 0.001, 0);
    FB_TRUE(spread.amplification > 5, "%g", spread.amplification);
}

static void lines_are_refused(void) {
    fb_transform_options none = {0};
    double line[4][3] = {{0, 0, 0}, {0, 0.1, 0.001}, {0, 0.2, -0.001}, {0.001, 0.3, 0}};
    double to[5][3] = {{0, 0, 0}, {0.1, 0, 0}, {0.2, 0.1, 0}, {0.3, 0, 0.1}, {0, 0, 0.1}};
    for (int kind = 0; kind < FB_TRANSFORM_SURFACE; kind++) {
        refused((fb_transform_kind)kind, line, to, 4, none, "on a line");
        refused((fb_transform_kind)kind, to, line, 4, none, "of the new one lie on a line");
        refused((fb_transform_kind)kind, pelvis, to, 2, none, "2 pairs of points");
        refused((fb_transform_kind)kind, pelvis, to, 0, none, "0 pairs of points");
    }
}

static void other_refusals(void) {
    points from, to;
    fb_transform_options none = {0};
    random_points(from);
    turned(from, to, 1, 0.01);
    refused(FB_TRANSFORM_TPS, from, to, 5, none, "");
    fb_v3_copy(from[7], from[3]);
    refused(FB_TRANSFORM_TPS, from, to, N, none, "points 4 and 8 are at one place");
    fb_transform T;
    fb_arena arena;
    fb_arena_init(&arena);
    fb_transform_options smooth = {.smoothing = 0.001};
    FB_EQUAL_INT(fit(&T, FB_TRANSFORM_TPS, from, to, N, smooth, &arena, NULL), FB_OK);
    for (int i = 0; i < N; i++) { /* all in a plane, in the new skeleton */
        fb_v3_set(to[i], from[i][0], from[i][1], 0.3);
    }
    refused(FB_TRANSFORM_AFFINE, from, to, N, none, "flattens");
    to[2][1] = nan("");
    refused(FB_TRANSFORM_SIMILARITY, from, to, N, none, "pair 3");
    fb_arena_clear(&arena);
}

/* Any allocation may fail. */
static void memory_runs_out(void) {
    points from, to;
    random_points(from);
    turned(from, to, 1, 0.01);
    for (int kind = 0; kind < FB_TRANSFORM_SURFACE; kind++) {
        fb_transform_options options = {.norm = FB_NORM_L1, .smoothing = 0.01};
        for (long n = 1; n < 100; n++) {
            fb_arena arena;
            fb_transform T;
            fb_arena_init(&arena);
            fb_alloc_fail_at(n);
            fb_status status = fit(&T, (fb_transform_kind)kind, from, to, N, options, &arena, NULL);
            long asked = fb_alloc_fail_at(0);
            FB_EQUAL_INT(status, asked < n ? FB_OK : FB_E_MEMORY);
            fb_arena_clear(&arena);
            if (status == FB_OK) {
                break;
            }
        }
    }
}

/* ---- noise ----------------------------------------------------------------------------------- */

/* 2 mm on every landmark of the new skeleton (root mean square in space) move places of the bone by
 * less than 1.5 mm, on average: four landmarks of a femur, five of a pelvis. */
static void noise_is_not_amplified(void) {
    static const struct {
        double (*landmarks)[3];
        int n;
        double low[3], high[3]; /* the bone */
    } bones[] = {{femur, 4, {-0.035, -0.02, -0.04}, {0.035, 0.38, 0.07}},
                 {pelvis, 5, {-0.11, -0.12, -0.21}, {0.04, 0.1, 0.05}}};
    fb_arena arena;
    fb_arena_init(&arena);
    for (int b = 0; b < 2; b++) {
        double sum = 0;
        int n = 0;
        for (int trial = 0; trial < 1000; trial++) {
            double to[5][3];
            fb_transform T;
            for (int i = 0; i < bones[b].n; i++) {
                for (int k = 0; k < 3; k++) {
                    to[i][k] = bones[b].landmarks[i][k] + 0.002 / sqrt(3) * gauss();
                }
            }
            fit(&T, FB_TRANSFORM_SIMILARITY, bones[b].landmarks, to, bones[b].n,
                (fb_transform_options){0}, &arena, NULL);
            for (int i = 0; i < 20; i++, n++) {
                double p[3], q[3];
                for (int k = 0; k < 3; k++) {
                    p[k] = between(bones[b].low[k], bones[b].high[k]);
                }
                fb_transform_point(&T, p, q);
                sum += fb_v3_distance(p, q);
            }
        }
        FB_TRUE(sum / n < 0.0015, "bone %d: %.3f mm", b, 1e3 * sum / n);
        FB_TRUE(sum / n > 0.0005, "bone %d: %.3f mm", b, 1e3 * sum / n);
    }
    fb_arena_clear(&arena);
}

/* The amplification that is told is what a simulation finds at the places that it is told for. */
static void amplification_is_what_it_says(void) {
    points from;
    fb_spread spread;
    fb_arena arena;
    fb_arena_init(&arena);
    double e[3] = {0.1, 0.06, 0.05}; /* axes are principal: pairs at plus and minus */
    for (int i = 0; i < N; i++) {
        fb_v3_set(from[i], i & 1 ? e[0] : -e[0], i & 2 ? e[1] : -e[1], i & 4 ? e[2] : -e[2]);
    }
    fb_spread_of(&spread, from[0], 3, 8);
    FB_NEAR(spread.extent[2], 0.05, 1e-15, 0);
    FB_NEAR(spread.condition, 2, 0, 1e-14);
    double squares = 0;
    int n = 0;
    for (int trial = 0; trial < 4000; trial++) {
        points to;
        fb_transform T;
        for (int i = 0; i < 8; i++) {
            for (int k = 0; k < 3; k++) {
                to[i][k] = from[i][k] + 0.001 / sqrt(3) * gauss();
            }
        }
        fit(&T, FB_TRANSFORM_AFFINE, from, to, 8, (fb_transform_options){0}, &arena, NULL);
        double p[3] = {e[0], e[1], e[1]}, q[3]; /* as thick as broad */
        fb_transform_point(&T, p, q);
        double d = fb_v3_distance(p, q);
        squares += d * d;
        n++;
    }
    FB_NEAR(sqrt(squares / n) / 0.001, spread.amplification, 0, 0.03);
    fb_arena_clear(&arena);
}

int main(int argc, char **argv) {
    static const fb_test tests[] = {FB_TEST(one_wrong_of_eight),
                                    FB_TEST(norms_are_least),
                                    FB_TEST(smoothing_is_monotone),
                                    FB_TEST(flat_points_are_refused),
                                    FB_TEST(lines_are_refused),
                                    FB_TEST(other_refusals),
                                    FB_TEST(memory_runs_out),
                                    FB_TEST(noise_is_not_amplified),
                                    FB_TEST(amplification_is_what_it_says),
                                    FB_TEST_END};
    state = fb_test_seed();
    return fb_test_main("register/transform_fit", tests, argc, argv);
}
