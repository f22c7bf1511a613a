/* Transformations: known ones come back, closed forms against their conditions, derivatives against
 * differences, frames, and what is exact. */
#include "libcore/register/transform.h"

#include <math.h>
#include <string.h>

#include "libcore/base/spatial.h"
#include "tests/help.h"

#define N 12
#define NONE ((fb_transform_options){0})

typedef double points[N][3];

static unsigned long long state;

static double between(double low, double high) {
    return fb_random_between(&state, low, high);
}

static void random_turn(double *R) {
    double axis[3] = {between(-1, 1), between(-1, 1), between(-1, 1)};
    fb_v3_normalize(axis);
    fb_m3_rotation(R, axis, between(-3.1, 3.1));
}

/* Points of a bone of random size, well spread. */
static void random_points(points p) {
    for (int i = 0; i < N; i++) {
        fb_v3_set(p[i], between(-0.05, 0.05), between(-0.2, 0.2), between(-0.05, 0.05));
        p[i][i % 3] += i % 2 ? 0.06 : -0.06;
    }
}

/* A random map of a kind; mirrored: with det A < 0. */
static void random_map(fb_transform_kind kind, bool mirrored, double *A, double *t) {
    double R[9], S[9] = {0};
    random_turn(R);
    for (int k = 0; k < 3; k++) {
        S[4 * k] = kind == FB_TRANSFORM_RIGID                 ? 1
                   : k > 0 && kind < FB_TRANSFORM_ANISOTROPIC ? S[0]
                                                              : between(0.6, 1.6);
        t[k] = between(-1, 1);
    }
    if (kind >= FB_TRANSFORM_AFFINE) {
        S[1] = between(-0.3, 0.3);
        S[6] = between(-0.3, 0.3);
    }
    fb_m3_mul(A, R, S);
    for (int k = 0; k < 9 && mirrored; k++) {
        A[k] = -A[k];
    }
}

static fb_status fit(fb_transform *T, fb_transform_kind kind, points from, points to, int n,
                     fb_transform_options options, fb_arena *arena) {
    fb_diag diag;
    fb_diag_init(&diag);
    fb_status status = fb_transform_fit(T, kind, (const double(*)[3])from, (const double(*)[3])to,
                                        NULL, (size_t)n, &options, "bone", arena, &diag);
    FB_EQUAL_INT(diag.n, status == FB_OK ? 0 : 1);
    fb_diag_clear(&diag);
    return status;
}

static double residual(const fb_transform *T, points from, points to) {
    return fb_transform_residual(T, (const double(*)[3])from, (const double(*)[3])to, NULL, N, NULL,
                                 NULL);
}

static void apply(const double *A, const double *t, points from, points to) {
    for (int i = 0; i < N; i++) {
        fb_m3_mul_v3(to[i], A, from[i]);
        fb_v3_add(to[i], to[i], t);
    }
}

static void singular_values(void) {
    for (int trial = 0; trial < 200; trial++) {
        double U[9], V[9], A[9], S[9] = {0}, u[9], s[3], v[9], product[9], want[3];
        random_turn(U);
        random_turn(V);
        want[0] = between(0.5, 2);
        want[1] = want[0] * (trial % 5 == 0 ? 1e-9 : trial % 5 == 1 ? 1 : between(0.1, 1));
        want[2] = want[1] * (trial % 7 == 0 ? 0 : trial % 7 == 1 ? -1 : between(-1, 1));
        for (int k = 0; k < 3; k++) {
            S[4 * k] = want[k];
        }
        fb_m3_mul(product, U, S);
        fb_m3_mult(A, product, V);
        fb_svd3(A, u, s, v);
        for (int k = 0; k < 3; k++) {
            FB_NEAR(s[k], want[k], 2e-15 * want[0], 0);
        }
        for (int k = 0; k < 9; k++) { /* U and V are rotations, and U diag(s) V^T is A */
            S[k] = k % 4 == 0 ? s[k / 4] : 0;
        }
        fb_m3_mul(product, u, S);
        double again[9], square[9], cross[3];
        fb_m3_mult(again, product, v);
        const double *turns[2] = {u, v};
        for (int i = 0; i < 2; i++) {
            fb_m3_mult(square, turns[i], turns[i]);
            for (int k = 0; k < 9; k++) {
                FB_NEAR(square[k], k % 4 == 0 ? 1 : 0, 2e-15, 0);
            }
            fb_v3_cross(cross, turns[i], turns[i] + 3);
            FB_NEAR(fb_v3_dot(cross, turns[i] + 6), 1, 2e-15, 0);
        }
        for (int k = 0; k < 9; k++) {
            FB_NEAR(again[k], A[k], 4e-15, 0);
        }
    }
    double zero[9] = {0}, u[9], s[3], v[9];
    fb_svd3(zero, u, s, v);
    FB_SAME(s[0], 0);
    FB_SAME(u[0], 1);
}

static void known_maps_come_back(void) {
    fb_arena arena;
    fb_arena_init(&arena);
    for (int trial = 0; trial < 400; trial++) {
        fb_transform_kind kind = (fb_transform_kind)(trial % 5);
        bool mirrored = trial / 5 % 2;
        points from, to;
        double A[9], t[3], p[3], want[3];
        fb_transform T;
        random_points(from);
        random_map(kind, mirrored, A, t);
        apply(A, t, from, to);
        fb_transform_options options = {.mirror = mirrored};
        options.norm = (fb_norm)(trial / 10 % 3);
        options.huber = 0.002;
        options.smoothing = trial % 3 ? 0 : 0.01;
        if (!FB_EQUAL_INT(fit(&T, kind, from, to, N, options, &arena), FB_OK)) {
            continue;
        }
        FB_EQUAL_INT(T.mirrored, mirrored);
        FB_EQUAL_INT(T.kind, kind);
        for (int k = 0; k < 9; k++) {
            FB_NEAR(T.linear[k], A[k], 3e-14, 0);
        }
        for (int i = 0; i < 5; i++) {
            fb_v3_set(p, between(-0.2, 0.2), between(-0.2, 0.2), between(-0.2, 0.2));
            fb_m3_mul_v3(want, A, p);
            fb_v3_add(want, want, t);
            fb_transform_point(&T, p, p);
            FB_NEAR(fb_v3_distance(p, want), 0, 2e-14, 0);
        }
    }
    fb_arena_clear(&arena);
}

static void equal_points_give_the_identity(void) {
    fb_arena arena;
    fb_arena_init(&arena);
    for (int kind = 0; kind < FB_TRANSFORM_SURFACE; kind++) {
        points from;
        fb_transform T;
        random_points(from);
        fit(&T, (fb_transform_kind)kind, from, from, N, NONE, &arena);
        for (int i = 0; i < 20; i++) {
            double p[3] = {between(-1, 1), between(-1, 1), between(-1, 1)}, q[3], R[9];
            fb_transform_point(&T, p, q);
            fb_transform_rotation(&T, p, R);
            for (int k = 0; k < 3; k++) {
                FB_SAME(q[k], p[k]);
                FB_SAME(R[4 * k], 1);
            }
        }
    }
    fb_arena_clear(&arena);
}

/* Targets that fit no map of the kind. */
static void random_targets(points from, points to, double noise) {
    double A[9], t[3];
    random_map(FB_TRANSFORM_SIMILARITY, false, A, t);
    apply(A, t, from, to);
    for (int i = 0; i < N; i++) {
        for (int k = 0; k < 3; k++) {
            to[i][k] += between(-noise, noise);
        }
    }
}

/* No small change of a map within its kind makes the residual less. */
static void least_squares_are_least(void) {
    fb_arena arena;
    fb_arena_init(&arena);
    for (int trial = 0; trial < 200; trial++) {
        fb_transform_kind kind = (fb_transform_kind)(trial % 4);
        points from, to;
        fb_transform T, other;
        random_points(from);
        random_targets(from, to, trial % 3 == 0 ? 0.03 : 0.005);
        if (!FB_EQUAL_INT(fit(&T, kind, from, to, N, NONE, &arena), FB_OK)) {
            continue;
        }
        double least = residual(&T, from, to);
        for (int i = 0; i < 200; i++) {
            double size = i % 2 ? 1e-4 : 0.1, axis[3], R[9], S[3], A[9];
            other = T;
            fb_v3_set(axis, between(-1, 1), between(-1, 1), between(-1, 1));
            fb_v3_normalize(axis);
            fb_m3_rotation(R, axis, between(-size, size));
            fb_m3_mul(A, R, T.linear);
            S[0] = kind == FB_TRANSFORM_RIGID ? 1 : 1 + between(-size, size);
            for (int k = 1; k < 3; k++) {
                S[k] = kind < FB_TRANSFORM_ANISOTROPIC ? S[0] : 1 + between(-size, size);
            }
            for (int k = 0; k < 9; k++) {
                other.linear[k] = A[k] * S[k % 3] +
                                  (kind == FB_TRANSFORM_AFFINE ? between(-size, size) : 0);
            }
            double center[3] = {0, 0, 0}, moved[3];
            for (int j = 0; j < N; j++) {
                fb_v3_madd(center, 1.0 / N, from[j]);
            }
            fb_transform_point(&T, center, other.translation);
            fb_m3_mul_v3(moved, other.linear, center);
            fb_v3_sub(other.translation, other.translation, moved);
            other.translation[i % 3] += between(-size, size) * 0.05;
            double found = residual(&other, from, to);
            FB_TRUE(found >= least * (1 - 1e-13), "%s: %.17g < %.17g", fb_transform_word(kind),
                    found, least);
        }
    }
    fb_arena_clear(&arena);
}

/* A weight of 2 is the point twice, of 0 no point. */
static void weights_count(void) {
    fb_arena arena;
    fb_diag diag;
    fb_arena_init(&arena);
    fb_diag_init(&diag);
    for (int kind = 0; kind < FB_TRANSFORM_TPS; kind++) {
        points from, to;
        double weight[N], p[3] = {0.1, 0.2, -0.1}, q[3], r[3];
        fb_transform T, twice;
        random_points(from);
        random_targets(from, to, 0.01);
        for (int i = 0; i < N; i++) {
            weight[i] = 1;
        }
        weight[0] = 2;
        weight[1] = 0;
        fb_transform_options none = {0};
        FB_EQUAL_INT(fb_transform_fit(&T, (fb_transform_kind)kind, (const double(*)[3])from,
                                      (const double(*)[3])to, weight, N, &none, "bone", &arena,
                                      &diag),
                     FB_OK);
        fb_v3_copy(from[1], from[0]);
        fb_v3_copy(to[1], to[0]);
        fit(&twice, (fb_transform_kind)kind, from, to, N, NONE, &arena);
        fb_transform_point(&T, p, q);
        fb_transform_point(&twice, p, r);
        FB_NEAR(fb_v3_distance(q, r), 0, 1e-14, 0);
    }
    fb_diag_clear(&diag);
    fb_arena_clear(&arena);
}

static void mirror_images(void) {
    fb_arena arena;
    fb_arena_init(&arena);
    points from, to;
    double A[9], t[3];
    fb_transform T;
    random_points(from);
    random_map(FB_TRANSFORM_SIMILARITY, true, A, t);
    apply(A, t, from, to);
    FB_EQUAL_INT(fit(&T, FB_TRANSFORM_SIMILARITY, from, to, N, NONE, &arena), FB_OK);
    FB_TRUE(!T.mirrored, "mirrored");
    FB_TRUE(residual(&T, from, to) > 0.01, "%g", residual(&T, from, to));
    FB_EQUAL_INT(fit(&T, FB_TRANSFORM_AFFINE, from, to, N, NONE, &arena), FB_E_INPUT);
    FB_EQUAL_INT(fit(&T, FB_TRANSFORM_TPS, from, to, N, NONE, &arena), FB_E_INPUT);
    fb_arena_clear(&arena);
}

static void spline(fb_transform *T, points from, points to, double smoothing, fb_arena *arena) {
    random_points(from);
    random_targets(from, to, 0.01);
    fb_transform_options options = {.smoothing = smoothing};
    FB_EQUAL_INT(fit(T, FB_TRANSFORM_TPS, from, to, N, options, arena), FB_OK);
}

static void derivatives(void) {
    fb_arena arena;
    fb_arena_init(&arena);
    points from, to;
    fb_transform T;
    for (int trial = 0; trial < 20; trial++) {
        spline(&T, from, to, trial % 2 ? 0.01 : 0, &arena);
        double p[3] = {between(-0.1, 0.1), between(-0.2, 0.2), between(-0.1, 0.1)}, J[9], R[9],
               want[9], h = 1e-5;
        fb_transform_jacobian(&T, p, J);
        for (int k = 0; k < 3; k++) {
            double a[3], b[3];
            fb_v3_copy(a, p);
            fb_v3_copy(b, p);
            a[k] += h;
            b[k] -= h;
            fb_transform_point(&T, a, a);
            fb_transform_point(&T, b, b);
            for (int i = 0; i < 3; i++) {
                FB_NEAR((a[i] - b[i]) / (2 * h), J[3 * i + k], 1e-5, 0);
            }
        }
        fb_transform_rotation(&T, p, R);
        fb_polar3(J, want);
        FB_EQUAL_INT(memcmp(R, want, sizeof R), 0);
    }
    random_targets(from, to, 0.01);
    fit(&T, FB_TRANSFORM_SIMILARITY, from, to, N, NONE, &arena);
    double R[9];
    fb_transform_rotation(&T, from[0], R);
    FB_EQUAL_INT(memcmp(R, T.rotation, sizeof R), 0);
    fb_arena_clear(&arena);
}

/* Seen from other frames the map is the same. */
static void frames(void) {
    fb_arena arena;
    fb_arena_init(&arena);
    for (int trial = 0; trial < 50; trial++) {
        fb_transform_kind kind = (fb_transform_kind)(trial % 5);
        points from, to;
        fb_transform T, before, after;
        fb_pose M;
        random_points(from);
        random_targets(from, to, 0.01);
        fit(&T, kind, from, to, N, NONE, &arena);
        random_turn(M.R);
        fb_v3_set(M.p, between(-1, 1), between(-1, 1), between(-1, 1));
        fb_transform_before(&before, &T, M.R, M.p, &arena);
        fb_transform_after(&after, &T, M.R, M.p, &arena);
        for (int i = 0; i < 5; i++) {
            double p[3] = {between(-0.2, 0.2), between(-0.2, 0.2), between(-0.2, 0.2)};
            double inner[3], a[3], b[3], R[9], S[9], want[9];
            fb_pose_point(inner, &M, p);
            fb_transform_point(&T, inner, a);
            fb_transform_point(&before, p, b);
            FB_NEAR(fb_v3_distance(a, b), 0, 1e-14, 0);
            fb_transform_rotation(&T, inner, R);
            fb_transform_rotation(&before, p, S);
            fb_m3_mul(want, R, M.R);
            for (int k = 0; k < 9; k++) {
                FB_NEAR(S[k], want[k], 1e-14, 0);
            }
            fb_transform_point(&T, p, a);
            fb_pose_point(inner, &M, a);
            fb_transform_point(&after, p, b);
            FB_NEAR(fb_v3_distance(inner, b), 0, 1e-14, 0);
            fb_transform_rotation(&T, p, R);
            fb_transform_rotation(&after, p, S);
            fb_m3_mul(want, M.R, R);
            for (int k = 0; k < 9; k++) {
                FB_NEAR(S[k], want[k], 1e-14, 0);
            }
        }
        FB_EQUAL_INT(before.kind, kind == FB_TRANSFORM_ANISOTROPIC ? FB_TRANSFORM_AFFINE : kind);
        fb_m3_identity(M.R);
        fb_transform_before(&before, &T, M.R, M.p, &arena);
        FB_EQUAL_INT(before.kind, kind);
        FB_EQUAL_INT(memcmp(before.linear, T.linear, sizeof T.linear), 0);
        fb_transform_before(&T, &T, M.R, M.p, &arena); /* in place */
        FB_SAME(T.translation[0], before.translation[0]);
    }
    fb_arena_clear(&arena);
}

static void kinds_have_words(void) {
    for (int kind = 0; kind <= FB_TRANSFORM_SURFACE; kind++) {
        FB_EQUAL_INT(fb_transform_kind_of(fb_transform_word((fb_transform_kind)kind)), kind);
    }
    FB_EQUAL_INT(fb_transform_kind_of("similar"), -1);
}

int main(int argc, char **argv) {
    static const fb_test tests[] = {FB_TEST(singular_values),
                                    FB_TEST(known_maps_come_back),
                                    FB_TEST(equal_points_give_the_identity),
                                    FB_TEST(least_squares_are_least),
                                    FB_TEST(weights_count),
                                    FB_TEST(mirror_images),
                                    FB_TEST(derivatives),
                                    FB_TEST(frames),
                                    FB_TEST(kinds_have_words),
                                    FB_TEST_END};
    state = fb_test_seed();
    return fb_test_main("register/transform", tests, argc, argv);
}
