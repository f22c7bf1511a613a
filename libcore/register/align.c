/* Two surfaces laid on each other by iterated closest points (P. Besl and N. McKay, 1992), both
 * ways and trimmed (D. Chetverikov et al., 2005). A step minimises the distances to the other
 * surface's tangent planes (Y. Chen and G. Medioni, 1992), and a little the distances themselves,
 * so that surfaces of revolution do not slide. */
#include "libcore/register/align.h"

#include <stdlib.h>
#include <string.h>

#include "libcore/base/spatial.h"
#include "libcore/motion/solve.h"
#include "libcore/register/align_internal.h"

#define SAMPLES 1500  /* points of a surface */
#define COARSE 8      /* each so many are used while places are sought */
#define TANGENT 0.05  /* weight of a distance along the surface, beside 1 across it */
#define SETTLED 1e-13 /* of the map's change, relative */
#define ENOUGH 1e-6   /* after some steps, for surfaces that are not the same */
#define BEST 4        /* places that are looked at closer */
#define APART 0.5236  /* rad: turned by more is another place */

/* ---- pairs ----------------------------------------------------------------------------------- */

static void invert(const double *a, double *b) {
    double det = a[0] * (a[4] * a[8] - a[5] * a[7]) - a[1] * (a[3] * a[8] - a[5] * a[6]) +
                 a[2] * (a[3] * a[7] - a[4] * a[6]);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            int r = (j + 1) % 3, s = (j + 2) % 3, u = (i + 1) % 3, v = (i + 2) % 3;
            b[3 * i + j] = (a[3 * r + u] * a[3 * s + v] - a[3 * r + v] * a[3 * s + u]) / det;
        }
    }
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Leaves out the worst part of the pairs first to n - 1. */
static double trim(fb_align_pairs *p, int first, int n, double part) {
    int count = n - first;
    memcpy(p->scratch, p->square + first, (size_t)count * sizeof *p->scratch);
    qsort(p->scratch, (size_t)count, sizeof *p->scratch, by_size);
    int keep = (int)(count * (1 - part));
    double most = p->scratch[keep > 0 ? keep - 1 : 0], sum = 0;
    for (int i = first; i < n; i++) {
        p->weight[i] = p->square[i] <= most ? 1 : 0;
        sum += p->weight[i] > 0 ? sqrt(p->square[i]) : 0;
    }
    return sum / fb_greater(keep, 1);
}

static void measure(fb_align_pairs *p, int i, const fb_transform *map) {
    double at[3], apart[3];
    fb_transform_point(map, p->from[i], at);
    fb_v3_sub(apart, at, p->to[i]);
    p->square[i] = fb_v3_dot(apart, apart);
}

/* The nearest point of a surface to one of a side's, which was near the same place at last. */
static void nearest(fb_align_side *side, int i, const fb_surface *surface, const double *at,
                    double *out, double *normal) {
    double bound = side->hinted[i] ? fb_v3_distance(at, side->hint[i]) * (1 + 1e-9) + 1e-12
                                   : (double)INFINITY;
    int face = 0;
    if (fb_surface_project(surface, at, bound, out, &face, NULL) == (double)INFINITY) {
        fb_surface_project(surface, at, (double)INFINITY, out, &face, NULL);
    }
    fb_v3_copy(side->hint[i], out);
    side->hinted[i] = true;
    if (normal) {
        double u[3], v[3];
        const int *f = surface->faces[face];
        fb_v3_sub(u, surface->vertices[f[1]], surface->vertices[f[0]]);
        fb_v3_sub(v, surface->vertices[f[2]], surface->vertices[f[0]]);
        fb_v3_cross(normal, u, v);
        fb_v3_normalize(normal);
    }
}

double fb_align_pair(fb_align_work *w, const fb_transform *map, int every) {
    fb_align_pairs *p = &w->pairs;
    double inverse[9], trimmed[2];
    invert(map->linear, inverse);
    p->n = 0;
    for (int i = 0; i < w->from.n; i += every) {
        double at[3];
        fb_v3_copy(p->from[p->n], w->from.points[i]);
        fb_transform_point(map, w->from.points[i], at);
        nearest(&w->from, i, w->to.surface, at, p->to[p->n], p->normal[p->n]);
        measure(p, p->n++, map);
    }
    int half = p->n;
    trimmed[0] = trim(p, 0, half, w->options->trim);
    for (int i = 0; i < w->to.n; i += every) {
        double back[3], at[3];
        fb_v3_sub(back, w->to.points[i], map->translation);
        fb_m3_mul_v3(at, inverse, back);
        nearest(&w->to, i, w->from.surface, at, p->from[p->n], NULL);
        fb_v3_copy(p->to[p->n], w->to.points[i]);
        fb_v3_copy(p->normal[p->n], w->to.normals[i]);
        measure(p, p->n++, map);
    }
    trimmed[1] = trim(p, half, p->n, w->options->trim);
    return (trimmed[0] + trimmed[1]) / 2;
}

/* ---- one step -------------------------------------------------------------------------------- */

/* Adds weight * row^T row and row * value to the normal equations. */
static void add_row(int n, double *A, double *b, const double *row, double value, double weight) {
    for (int i = 0; i < n; i++) {
        for (int k = 0; k <= i; k++) {
            A[n * i + k] += weight * row[i] * row[k];
        }
        b[i] += weight * row[i] * value;
    }
}

/* How a component of the moved point y (from a centre, in units of a size) changes with the
 * parameters: for rigid ones rotation and translation, then scale; for affine ones all of A. */
static void derivatives(fb_transform_kind kind, const double *y, const double *direction,
                        double *row) {
    if (kind == FB_TRANSFORM_AFFINE) {
        for (int i = 0; i < 3; i++) {
            for (int k = 0; k < 3; k++) {
                row[3 * i + k] = direction[i] * y[k];
            }
            row[9 + i] = direction[i];
        }
        return;
    }
    fb_v3_cross(row, y, direction);
    fb_v3_copy(row + 3, direction);
    row[6] = fb_v3_dot(y, direction);
}

/* The change of the map, as a map of the target's frame, from the solution. */
static void change(fb_transform_kind kind, const double *x, double *D, double *t) {
    fb_v3_copy(t, x + (kind == FB_TRANSFORM_AFFINE ? 9 : 3));
    if (kind == FB_TRANSFORM_AFFINE) {
        for (int i = 0; i < 9; i++) {
            D[i] = x[i] + (i % 4 == 0);
        }
        return;
    }
    double axis[3] = {x[0], x[1], x[2]}, angle = fb_v3_normalize(axis);
    fb_m3_rotation(D, axis, angle);
    if (kind == FB_TRANSFORM_SIMILARITY) {
        for (int i = 0; i < 9; i++) {
            D[i] *= exp(x[6]);
        }
    }
}

static void decompose(fb_transform *map, fb_transform_kind kind) {
    double u[9], v[9];
    fb_svd3(map->linear, u, map->scale, v);
    map->kind = kind;
    map->mirrored = map->scale[2] < 0;
    map->scale[2] = fabs(map->scale[2]);
    double proper[9];
    for (int i = 0; i < 9; i++) {
        proper[i] = map->mirrored ? -map->linear[i] : map->linear[i];
    }
    fb_polar3(proper, map->rotation);
    if (kind <= FB_TRANSFORM_SIMILARITY) { /* exactly what it is said to be */
        double s = kind == FB_TRANSFORM_RIGID ? 1
                                              : (map->scale[0] + map->scale[1] + map->scale[2]) / 3;
        for (int i = 0; i < 9; i++) {
            map->linear[i] = (map->mirrored ? -s : s) * map->rotation[i];
        }
        fb_v3_set(map->scale, s, s, s);
    }
}

/* One step from the pairs as they are; returns how much the map changed, relative. */
static double step(fb_align_work *w, fb_transform *map, fb_transform_kind kind) {
    fb_align_pairs *p = &w->pairs;
    const fb_align_options *o = w->options;
    int n = kind == FB_TRANSFORM_RIGID ? 6 : kind == FB_TRANSFORM_SIMILARITY ? 7 : 12;
    double A[144] = {0}, b[12] = {0}, center[3] = {0}, total = 0, size = 0, row[12];
    for (int i = 0; i < p->n; i++) {
        if (p->weight[i] > 0) {
            fb_v3_madd(center, 1, p->to[i]);
            total++;
        }
    }
    fb_v3_scale(center, 1 / total, center);
    for (int i = 0; i < p->n; i++) {
        double d = fb_v3_distance(p->to[i], center);
        size += p->weight[i] > 0 ? d * d : 0;
    }
    size = sqrt(size / total);
    for (int i = 0; i < p->n + o->n; i++) {
        bool known = i >= p->n;
        double weight = known ? total * (o->weight ? o->weight[i - p->n] : 1 / total)
                              : p->weight[i];
        const double *from = known ? o->from[i - p->n] : p->from[i],
                     *to = known ? o->to[i - p->n] : p->to[i];
        double y[3], r[3];
        if (weight == 0) {
            continue;
        }
        fb_transform_point(map, from, y);
        fb_v3_sub(r, to, y);
        fb_v3_scale(r, 1 / size, r);
        fb_v3_sub(y, y, center);
        fb_v3_scale(y, 1 / size, y);
        for (int k = 0; k < 3; k++) {
            double unit[3] = {k == 0, k == 1, k == 2};
            derivatives(kind, y, unit, row);
            add_row(n, A, b, row, r[k], weight * (known ? 1 : TANGENT));
        }
        if (!known) {
            derivatives(kind, y, p->normal[i], row);
            add_row(n, A, b, row, fb_v3_dot(p->normal[i], r), weight);
        }
    }
    if (!fb_cholesky(n, A, 1e-14)) {
        return 0;
    }
    fb_cholesky_forward(n, A, b);
    fb_cholesky_backward(n, A, b);
    double D[9], t[3], linear[9], moved[3], at[3], changed = 0;
    change(kind, b, D, t);
    for (int i = 0; i < n; i++) {
        changed = fb_greater(changed, fabs(b[i]));
    }
    /* T' = center + D (T - center) + t size */
    fb_m3_mul(linear, D, map->linear);
    memcpy(map->linear, linear, sizeof linear);
    fb_v3_sub(moved, map->translation, center);
    fb_m3_mul_v3(at, D, moved);
    fb_v3_add(map->translation, center, at);
    fb_v3_madd(map->translation, size, t);
    decompose(map, kind);
    return changed;
}

double fb_align_refine(fb_align_work *w, fb_transform *map, fb_transform_kind kind, int every,
                       int most, int *iterations) {
    double distance = (double)INFINITY;
    for (int i = 0; i < most; i++) {
        distance = fb_align_pair(w, map, every);
        const fb_transform before = *map;
        double changed = step(w, map, kind), sum = fb_v3_dot(map->translation, map->translation);
        for (int k = 0; k < 9; k++) {
            sum += fabs(map->linear[k]);
        }
        if (!isfinite(sum)) { /* the pairs do not determine a step from here */
            *map = before;
            break;
        }
        if (iterations) {
            (*iterations)++;
        }
        if (changed < SETTLED || (i > 5 && changed < ENOUGH)) {
            break;
        }
    }
    return distance;
}

/* ---- any place ------------------------------------------------------------------------------- */

/* The 24 ways to lay axes on axes, and with `mirror` the 24 mirrored ones. */
static bool arrangement(int which, bool mirror, double *m) {
    static const int orders[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1},
                                     {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
    int order = which / 8, signs = which % 8;
    double sign = order < 3 ? 1 : -1;
    memset(m, 0, 9 * sizeof *m);
    for (int k = 0; k < 3; k++) {
        double s = signs >> k & 1 ? -1 : 1;
        m[3 * k + orders[order][k]] = s;
        sign *= s;
    }
    return mirror ? sign < 0 : sign > 0;
}

/* Angle between two maps' rotations. */
static double turned(const fb_transform *a, const fb_transform *b) {
    double m[9];
    fb_m3_tmul(m, a->rotation, b->rotation);
    double c = (m[0] + m[4] + m[8] - 1) / 2;
    return acos(fb_greater(-1, fb_lesser(1, c)));
}

typedef struct place {
    fb_transform map;
    double distance;
} place;

/* The best place among all turns; *second gets the distance of the best that is turned further. */
static double search(fb_align_work *w, bool mirror, fb_transform_kind kind, fb_transform *best,
                     double *second) {
    const fb_surface *from = w->from.surface, *to = w->to.surface;
    double axes[2][9], deviation[2][3];
    fb_surface_axes(from, axes[0], deviation[0]);
    fb_surface_axes(to, axes[1], deviation[1]);
    double scale = kind == FB_TRANSFORM_RIGID ? 1
                                              : fb_v3_norm(deviation[1]) / fb_v3_norm(deviation[0]);
    place places[48];
    int n = 0;
    for (int which = 0; which < 48; which++) {
        double m[9], turn[9];
        if (!arrangement(which, mirror, m)) {
            continue;
        }
        place *at = places + n++;
        fb_transform_identity(&at->map);
        fb_m3_mul(turn, m, axes[0]);
        fb_m3_tmul(at->map.linear, axes[1], turn);
        for (int i = 0; i < 9; i++) {
            at->map.linear[i] *= scale;
        }
        fb_m3_mul_v3(turn, at->map.linear, from->center);
        fb_v3_sub(at->map.translation, to->center, turn);
        decompose(&at->map, kind);
        at->distance = fb_align_refine(w, &at->map, kind, COARSE, 12, NULL);
    }
    for (int i = 0; i < n; i++) { /* the best first */
        for (int k = i + 1; k < n; k++) {
            if (places[k].distance < places[i].distance) {
                place swap = places[i];
                places[i] = places[k];
                places[k] = swap;
            }
        }
    }
    int found = 0;
    for (int i = 0; i < n && i < BEST; i++) {
        places[i].distance = fb_align_refine(w, &places[i].map, kind, COARSE, 60, NULL);
        if (places[i].distance < places[found].distance) {
            found = i;
        }
    }
    *best = places[found].map;
    *second = (double)INFINITY;
    for (int i = 0; i < n; i++) {
        if (turned(&places[i].map, best) > APART) {
            *second = fb_lesser(*second, places[i].distance);
        }
    }
    return places[found].distance;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static void sample(fb_align_side *side, const fb_surface *surface, int n, fb_arena *arena) {
    side->surface = surface;
    side->n = n;
    side->points = fb_arena_array(arena, (size_t)n, sizeof *side->points);
    side->normals = fb_arena_array(arena, (size_t)n, sizeof *side->normals);
    side->hint = fb_arena_array(arena, (size_t)n, sizeof *side->hint);
    side->hinted = fb_arena_array(arena, (size_t)n, sizeof *side->hinted);
    fb_surface_points(surface, n, side->points, side->normals);
}

void fb_align_distance(const fb_transform *map, const fb_surface *from, const fb_surface *to,
                       double *mean, double *largest) {
    enum { POINTS = 2000 };
    double(*points)[3] = fb_alloc(POINTS * sizeof *points);
    double *distance = fb_alloc(2 * POINTS * sizeof *distance), sum = 0;
    *mean = *largest = (double)INFINITY;
    fb_diag quiet;
    fb_surface *moved = NULL;
    fb_diag_init(&quiet);
    double(*vertices)[3] = fb_alloc((size_t)from->n_vertices * sizeof *vertices);
    if (points && distance && vertices) {
        for (int i = 0; i < from->n_vertices; i++) {
            fb_transform_point(map, from->vertices[i], vertices[i]);
        }
        if (fb_surface_new(&moved, (const double(*)[3])vertices, (size_t)from->n_vertices,
                           (const int(*)[3])from->faces, (size_t)from->n_faces, 1, "moved",
                           &quiet) == FB_OK) {
            const fb_surface *both[2] = {moved, to};
            for (int side = 0; side < 2; side++) {
                fb_surface_points(both[side], POINTS, points, NULL);
                for (int i = 0; i < POINTS; i++) {
                    double d = fb_surface_project(both[1 - side], points[i], (double)INFINITY, NULL,
                                                  NULL, NULL);
                    distance[side * POINTS + i] = fabs(d);
                    sum += fabs(d);
                }
            }
            qsort(distance, 2 * POINTS, sizeof *distance, by_size);
            *mean = sum / (2 * POINTS);
            *largest = distance[2 * POINTS * 95 / 100];
        }
    }
    fb_surface_free(moved);
    fb_diag_clear(&quiet);
    fb_free(vertices);
    fb_free(distance);
    fb_free(points);
}

/* Everything but memory. */
static fb_status align(fb_transform *transform, fb_align_result *result, fb_align_work *w,
                       const char *name, fb_arena *arena, fb_diag *diag) {
    const fb_align_options *o = w->options;
    fb_transform_kind linear = o->kind == FB_TRANSFORM_RIGID ? FB_TRANSFORM_RIGID
                                                             : FB_TRANSFORM_SIMILARITY;
    fb_transform map;
    if (o->start) {
        map = *o->start;
        map.n = 0;
        decompose(&map, linear);
    } else {
        double mirrored;
        fb_transform other;
        search(w, false, linear, &map, &result->second);
        if (o->mirror) {
            search(w, true, linear, &other, &mirrored);
            fb_align_refine(w, &other, linear, COARSE, 100, NULL);
            fb_align_distance(&other, w->from.surface, w->to.surface, &result->mirrored, &mirrored);
        }
    }
    double distance = fb_align_refine(w, &map, linear, COARSE / 2, 100, &result->iterations);
    distance = fb_align_refine(w, &map, linear, 1, 40, &result->iterations);
    if (o->kind == FB_TRANSFORM_AFFINE || o->kind == FB_TRANSFORM_SURFACE) {
        distance = fb_align_refine(w, &map, FB_TRANSFORM_AFFINE, 1, 60, &result->iterations);
    }
    if (!isfinite(distance)) {
        fb_diag_add(diag, FB_ERROR, FB2313, (fb_place){name, 0, NULL, NULL}, NULL,
                    "%s: the two surfaces cannot be laid on each other", name);
        return FB_E_NUMERIC;
    }
    fb_status status = o->kind == FB_TRANSFORM_SURFACE ? fb_align_deform(w, &map, name, arena, diag)
                                                       : FB_OK;
    *transform = map;
    fb_align_distance(&map, w->from.surface, w->to.surface, &result->residual, &result->largest);
    return status;
}

fb_status fb_align(fb_transform *transform, fb_align_result *result, const fb_surface *from,
                   const fb_surface *to, const fb_align_options *options, const char *name,
                   fb_arena *arena, fb_diag *diag) {
    fb_align_options o = *options;
    fb_align_work w = {.options = &o};
    fb_arena own;
    jmp_buf oom;
    *result = (fb_align_result){.second = (double)INFINITY, .mirrored = (double)INFINITY};
    fb_arena_init(&own);
    if (setjmp(oom)) {
        fb_arena_clear(&own);
        return FB_E_MEMORY;
    }
    own.oom = &oom;
    o.samples = o.samples > 0 ? o.samples : SAMPLES;
    sample(&w.from, from, o.samples, &own);
    sample(&w.to, to, o.samples, &own);
    size_t n = 2 * (size_t)o.samples + 16;
    w.pairs.from = fb_arena_array(&own, n, sizeof *w.pairs.from);
    w.pairs.to = fb_arena_array(&own, n, sizeof *w.pairs.to);
    w.pairs.normal = fb_arena_array(&own, n, sizeof *w.pairs.normal);
    w.pairs.square = fb_arena_array(&own, n, sizeof *w.pairs.square);
    w.pairs.weight = fb_arena_array(&own, n, sizeof *w.pairs.weight);
    w.pairs.scratch = fb_arena_array(&own, n, sizeof *w.pairs.scratch);
    fb_status status = align(transform, result, &w, name, arena, diag);
    fb_arena_clear(&own);
    return status;
}
