/* The deformation of one surface into another: splines of falling stiffness through pairs of
 * nearest points whose normals agree, both ways. */
#include <stdlib.h>
#include <string.h>

#include "libcore/base/spatial.h"
#include "libcore/motion/solve.h"
#include "libcore/register/align_internal.h"

#define CENTERS 220 /* points of each surface that the spline has */
#define STAGES 24
#define STIFF 1.0 /* m: smoothing of the first stage, of the last */
#define SOFT 0.01
#define KNOWN 0.1 /* smoothing at points that are known, beside that of others */
#define AGREE 0.5 /* cosine: normals that differ more are no pair */
#define FAR 20.   /* pairs farther than so many median distances are no pairs */

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* All vertices of the moved surface, and its normals, after the map. */
typedef struct moved {
    int n;
    double (*rest)[3], (*points)[3], (*normals)[3];
} moved;

static void move(moved *m, const fb_align_side *side, const fb_transform *map) {
    for (int i = 0; i < m->n; i++) {
        double jacobian[9], cofactor[9];
        fb_transform_point(map, m->rest[i], m->points[i]);
        fb_transform_jacobian(map, m->rest[i], jacobian);
        for (int r = 0; r < 3; r++) { /* normals go with the cofactors */
            for (int c = 0; c < 3; c++) {
                int a = (r + 1) % 3, b = (r + 2) % 3, d = (c + 1) % 3, e = (c + 2) % 3;
                cofactor[3 * r + c] = jacobian[3 * a + d] * jacobian[3 * b + e] -
                                      jacobian[3 * a + e] * jacobian[3 * b + d];
            }
        }
        fb_m3_mul_v3(m->normals[i], cofactor, side->normals[i]);
        fb_v3_normalize(m->normals[i]);
    }
}

/* The nearest of the moved points whose normal agrees; -1: none. */
static int nearest_moved(const moved *m, const double *point, const double *normal) {
    double best = (double)INFINITY;
    int found = -1;
    for (int i = 0; i < m->n; i++) {
        double apart[3];
        fb_v3_sub(apart, m->points[i], point);
        double square = fb_v3_dot(apart, apart);
        if (square < best && fb_v3_dot(m->normals[i], normal) > AGREE) {
            best = square;
            found = i;
        }
    }
    return found;
}

/* Pairs of this stage: n of them in from, to. */
static int pair(fb_align_work *w, const moved *m, double (*from)[3], double (*to)[3],
                double *distance, double *sorted) {
    int n = 0, every = m->n / CENTERS > 0 ? m->n / CENTERS : 1;
    for (int i = 0; i < m->n; i += every) {
        double normal[3];
        fb_surface_nearest(w->to.surface, m->points[i], to[n], normal, NULL);
        if (fb_v3_dot(normal, m->normals[i]) > AGREE) {
            fb_v3_copy(from[n], m->rest[i]);
            distance[n] = fb_v3_distance(m->points[i], to[n]);
            n++;
        }
    }
    every = w->to.n / CENTERS > 0 ? w->to.n / CENTERS : 1;
    for (int i = every / 2; i < w->to.n; i += every) {
        int k = nearest_moved(m, w->to.points[i], w->to.normals[i]);
        if (k < 0 || n >= 2 * CENTERS + 16) {
            continue;
        }
        /* only across the surface: the moved points are sparse */
        double apart[3];
        fb_v3_sub(apart, w->to.points[i], m->points[k]);
        double across = fb_v3_dot(apart, m->normals[k]);
        fb_v3_copy(from[n], m->rest[k]);
        fb_v3_copy(to[n], m->points[k]);
        fb_v3_madd(to[n], across, m->normals[k]);
        distance[n] = fb_v3_norm(apart);
        n++;
    }
    memcpy(sorted, distance, (size_t)n * sizeof *sorted);
    qsort(sorted, (size_t)n, sizeof *sorted, by_size);
    double most = n ? FAR * sorted[n / 2] + 1e-4 : 0;
    int kept = 0;
    for (int i = 0; i < n; i++) {
        bool twice = false; /* a spline has each centre once */
        for (int k = 0; k < kept && !twice; k++) {
            twice = fb_v3_distance(from[i], from[k]) < 1e-7;
        }
        if (distance[i] <= most && !twice) {
            fb_v3_copy(from[kept], from[i]);
            fb_v3_copy(to[kept++], to[i]);
        }
    }
    return kept;
}

/* The spline beside a linear map L that takes `from` near `to`: p -> L p + t - sum_i w_i |p - c_i|,
 * sum w = 0, with the least sum of |distance|^2 + smoothing w^T U w. U = -|r| is positive definite
 * on such w, so no more than the constant t is needed beside it (M. Buhmann, Radial Basis
 * Functions, 2003): turning and stretching, which thin-plate splines have for nothing, cost here,
 * so that the pose and size that were found stay what they are unless the shapes differ. The last
 * n_known pairs are to be met more closely. */
static fb_status fit_beside(fb_transform *map, const fb_transform *linear, double (*from)[3],
                            double (*to)[3], int n, int n_known, double smoothing,
                            fb_scratch *scratch) {
    size_t rows = (size_t)n + 1;
    double *M = fb_alloc((rows * rows + 3 * rows) * sizeof *M);
    if (!M) {
        return FB_E_MEMORY;
    }
    double *x = M + rows * rows;
    memset(M, 0, (rows * rows + 3 * rows) * sizeof *M);
    for (int i = 0; i < n; i++) {
        double at[3];
        for (int j = 0; j < i; j++) {
            M[(size_t)i * rows + (size_t)j] = M[(size_t)j * rows + (size_t)i] =
                -fb_v3_distance(from[i], from[j]);
        }
        M[(size_t)i * rows + (size_t)i] = smoothing * (i >= n - n_known ? KNOWN : 1);
        M[(size_t)i * rows + (size_t)n] = M[(size_t)n * rows + (size_t)i] = 1;
        fb_transform_point(linear, from[i], at);
        for (size_t k = 0; k < 3; k++) {
            x[k * rows + (size_t)i] = to[i][k] - at[k];
        }
    }
    fb_status status = fb_solve_symmetric(scratch, n + 1, M, 3, x);
    if (status == FB_OK) {
        double(*centers)[3] = map->centers, (*weights)[3] = map->weights;
        *map = *linear;
        map->centers = centers;
        map->weights = weights;
        map->n = n;
        map->smoothing = smoothing;
        memcpy(centers, from, (size_t)n * sizeof *from);
        for (size_t k = 0; k < 3; k++) {
            map->translation[k] += x[k * rows + (size_t)n];
            for (int i = 0; i < n; i++) {
                weights[i][k] = x[k * rows + (size_t)i];
            }
        }
    }
    fb_free(M);
    return status;
}

fb_status fb_align_deform(fb_align_work *w, fb_transform *map, const char *name, fb_arena *arena,
                          fb_diag *diag) {
    size_t room = 2 * CENTERS + 32, n_moved = (size_t)w->from.n;
    fb_arena own;
    fb_scratch scratch = {0};
    jmp_buf oom;
    fb_arena_init(&own);
    if (setjmp(oom)) {
        fb_scratch_clear(&scratch);
        fb_arena_clear(&own);
        return FB_E_MEMORY;
    }
    own.oom = &oom;
    moved m = {.n = w->from.n,
               .rest = w->from.points,
               .points = fb_arena_array(&own, n_moved, sizeof *m.points),
               .normals = fb_arena_array(&own, n_moved, sizeof *m.normals)};
    double(*from)[3] = fb_arena_array(&own, room, sizeof *from);
    double(*to)[3] = fb_arena_array(&own, room, sizeof *to);
    double *distance = fb_arena_array(&own, room, sizeof *distance),
           *sorted = fb_arena_array(&own, room, sizeof *sorted);
    fb_transform linear = *map;
    map->centers = fb_arena_array(arena, room, sizeof *map->centers);
    map->weights = fb_arena_array(arena, room, sizeof *map->weights);
    fb_status status = FB_OK;
    for (int stage = 0; stage < STAGES && status == FB_OK; stage++) {
        double part = (double)stage / (STAGES - 1);
        int known = 0;
        move(&m, &w->from, map);
        int n = pair(w, &m, from, to, distance, sorted);
        for (; known < w->options->n && n < (int)room; known++) {
            fb_v3_copy(from[n], w->options->from[known]);
            fb_v3_copy(to[n++], w->options->to[known]);
        }
        if (n < 12) {
            fb_diag_add(diag, FB_WARNING, FB2313, (fb_place){name, 0, NULL, NULL},
                        "it is only turned and scaled",
                        "%s: too few points of the two surfaces face each other", name);
            break;
        }
        status = fit_beside(map, &linear, from, to, n, known, STIFF * pow(SOFT / STIFF, part),
                            &scratch);
        if (w->options->progress) {
            w->options->progress(w->options->context, 0.5 + 0.5 * part);
        }
    }
    map->kind = FB_TRANSFORM_SURFACE;
    fb_scratch_clear(&scratch);
    fb_arena_clear(&own);
    return status;
}
