/* Transformations from pairs of points: what is refused, and the norms. */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "libcore/base/spatial.h"
#include "libcore/register/transform_internal.h"

#define ITERATIONS 2000
#define SETTLED 1e-13   /* m per m of the points' size: the last change of a robust fit */
#define SMALLEST 1e-10  /* likewise: distances below count as this in an l1 fit */
#define COLLAPSED 0.05  /* scale of one axis to that of another: no bone differs so from another */
#define SAME_PLACE 1e-9 /* m per m: points nearer to each other are one */

static const char more_points[] = "the body's transformation is not found";

static fb_status fit_once(fb_transform *transform, fb_transform_kind kind, const fb_fit *fit) {
    switch (kind) {
    case FB_TRANSFORM_RIGID: return fb_fit_similarity(transform, fit, true);
    case FB_TRANSFORM_SIMILARITY: return fb_fit_similarity(transform, fit, false);
    case FB_TRANSFORM_ANISOTROPIC: return fb_fit_anisotropic(transform, fit);
    case FB_TRANSFORM_AFFINE: return fb_fit_affine(transform, fit);
    case FB_TRANSFORM_TPS:
    case FB_TRANSFORM_SURFACE: break;
    }
    return fb_fit_spline(transform, fit);
}

/* ---- norms ----------------------------------------------------------------------------------- */

/* A norm as least squares with other weights: distance r counts factor(r) times. */
typedef struct robust_norm {
    fb_norm kind;
    double huber;
    double unit;     /* of l1: sum of unit |r| is compared with a spline's bending */
    double smallest; /* of l1: sqrt(r^2 + smallest^2) stands for r */
} robust_norm;

static double factor(const robust_norm *norm, double r) {
    if (norm->kind == FB_NORM_HUBER) {
        return r > norm->huber ? norm->huber / r : 1;
    }
    return norm->unit / sqrt(r * r + norm->smallest * norm->smallest);
}

static double distance(const fb_transform *transform, const fb_fit *fit, size_t i) {
    double p[3];
    fb_transform_point(transform, fit->from[i], p);
    return fb_v3_distance(p, fit->to[i]);
}

/* What a map is charged, without bending. */
static double cost(const robust_norm *norm, const fb_transform *transform, const fb_fit *fit) {
    double sum = 0;
    for (size_t i = 0; i < fit->n; i++) {
        double r = distance(transform, fit, i), h = norm->huber;
        double charge = norm->kind != FB_NORM_HUBER ? r : r > h ? 2 * h * r - h * h : r * r;
        sum += fit->given[i] * charge;
    }
    return sum;
}

/* Fits again with the norm's weights until no point moves; *moved is the largest last change. */
static fb_status reweight(const robust_norm *norm, fb_transform *transform, fb_transform_kind kind,
                          fb_fit *fit, double tolerance, int iterations) {
    fb_status status = FB_OK;
    fb_transform before;
    double(*at)[3] = fb_alloc(fit->n * sizeof *at);
    if (!at) {
        return FB_E_MEMORY;
    }
    for (size_t i = 0; i < fit->n; i++) {
        fb_transform_point(transform, fit->from[i], at[i]);
    }
    double moved = HUGE_VAL;
    for (int k = 0; k < iterations && moved > tolerance && status == FB_OK; k++) {
        for (size_t i = 0; i < fit->n; i++) {
            fit->weight[i] = fit->given[i] * factor(norm, fb_v3_distance(at[i], fit->to[i]));
        }
        before = *transform;
        status = fit_once(transform, kind, fit);
        moved = 0;
        for (size_t i = 0; i < fit->n && status == FB_OK; i++) {
            double p[3];
            fb_transform_point(transform, fit->from[i], p);
            moved = fb_greater(moved, fb_v3_distance(p, at[i]));
            fb_v3_copy(at[i], p);
        }
    }
    if (status == FB_E_NUMERIC && kind != FB_TRANSFORM_TPS) { /* weights beyond all measure */
        *transform = before;
        status = FB_OK;
    }
    fb_free(at);
    return status;
}

/* Starts anew without each of the points in turn: one that is wrong by far draws the least squares
 * to itself, and what is nearest to them need not be the best. */
static fb_status best_start(const robust_norm *norm, fb_transform *transform,
                            fb_transform_kind kind, fb_fit *fit) {
    fb_transform best = *transform;
    double least = cost(norm, transform, fit);
    for (size_t i = 0; i < fit->n && fit->n > 4; i++) {
        memcpy(fit->weight, fit->given, fit->n * sizeof *fit->weight);
        fit->weight[i] *= 1e-6;
        fb_status status = fit_once(transform, kind, fit);
        if (status == FB_E_MEMORY) {
            return status;
        }
        double found = status == FB_OK ? cost(norm, transform, fit) : HUGE_VAL;
        if (found < least) {
            least = found;
            best = *transform;
        }
    }
    *transform = best;
    return FB_OK;
}

static fb_status fit_robust(fb_transform *transform, fb_transform_kind kind, fb_fit *fit,
                            const fb_transform_options *options, double size) {
    robust_norm norm = {options->norm, options->huber, 1, 0};
    fb_status status = FB_OK;
    if (kind != FB_TRANSFORM_TPS) {
        status = best_start(&norm, transform, kind, fit);
    }
    if (norm.kind == FB_NORM_HUBER) {
        return status == FB_OK ? reweight(&norm, transform, kind, fit, SETTLED * size, ITERATIONS)
                               : status;
    }
    /* least distances as the limit of smooth ones */
    double mean = 0;
    fb_transform_residual(transform, (const double(*)[3])fit->from, (const double(*)[3])fit->to,
                          fit->given, fit->n, &mean, NULL);
    norm.unit = fb_greater(mean, SMALLEST * size);
    norm.smallest = norm.unit / 2;
    while (status == FB_OK && norm.smallest > SMALLEST * size) {
        norm.smallest = fb_greater(norm.smallest / 4, SMALLEST * size);
        double tolerance = fb_greater(norm.smallest * 1e-3, SETTLED * size);
        status = reweight(&norm, transform, kind, fit, tolerance, ITERATIONS / 10);
    }
    return status;
}

/* ---- refusals -------------------------------------------------------------------------------- */

static fb_status refuse(fb_diag *diag, const char *name, const char *text) {
    if (diag) {
        fb_diag_add(diag, FB_ERROR, FB2311, (fb_place){0}, more_points, "%s: %s", name, text);
    }
    return FB_E_INPUT;
}

/* The points of one side do not allow the kind. */
static fb_status check_spread(const fb_fit *fit, fb_transform_kind kind, const char *name,
                              fb_diag *diag, double *size) {
    char text[400];
    fb_spread from, to;
    fb_spread_of(&from, fit->from[0], 3, fit->n);
    fb_spread_of(&to, fit->to[0], 3, fit->n);
    *size = from.extent[0];
    const fb_spread *line = !from.enough ? &from : &to;
    if (fit->n < 3) {
        snprintf(text, sizeof text,
                 "%d pair%s of points for a %s transformation, which needs 3 that are not on a "
                 "line: add more",
                 (int)fit->n, fit->n == 1 ? "" : "s", fb_transform_word(kind));
        return refuse(diag, name, text);
    }
    if (!line->enough) {
        snprintf(text, sizeof text,
                 "the %d points %s lie on a line (they spread by %.1f, %.1f and %.1f mm): add one "
                 "off it, for the turn about it is open",
                 line->n, line == &from ? "of the standard body" : "of the new one",
                 1e3 * line->extent[0], 1e3 * line->extent[1], 1e3 * line->extent[2]);
        return refuse(diag, name, text);
    }
    if (kind <= FB_TRANSFORM_SIMILARITY || kind <= from.richest) {
        return FB_OK;
    }
    char why[120] = "a spline needs 6";
    if (from.richest < FB_TRANSFORM_AFFINE) {
        snprintf(why, sizeof why, "on the bone it would make their errors %.3g times as large",
                 from.amplification);
    }
    snprintf(text, sizeof text,
             "%d points, which spread by %.1f, %.1f and %.1f mm (condition %.3g), are not enough "
             "for the transformation '%s': %s; use '%s', or add points, off the plane of these",
             from.n, 1e3 * from.extent[0], 1e3 * from.extent[1], 1e3 * from.extent[2],
             from.condition, fb_transform_word(kind), why, fb_transform_word(from.richest));
    return refuse(diag, name, text);
}

/* Two points of the standard at one place, which no spline can take to two. */
static fb_status check_places(const fb_fit *fit, double size, const char *name, fb_diag *diag) {
    for (size_t i = 0; i < fit->n; i++) {
        for (size_t j = 0; j < i; j++) {
            if (fb_v3_distance(fit->from[i], fit->from[j]) < SAME_PLACE * size) {
                char text[200];
                snprintf(text, sizeof text,
                         "points %zu and %zu are at one place, through which no spline can pass "
                         "twice: leave one out, or give a smoothing above 0",
                         j + 1, i + 1);
                return refuse(diag, name, text);
            }
        }
    }
    return FB_OK;
}

/* A map that turns the bone inside out, or flattens it. */
static fb_status check_result(const fb_transform *transform, bool mirror, const char *name,
                              fb_diag *diag) {
    const double *s = transform->scale;
    char text[300];
    double least = fb_lesser(fb_lesser(s[0], s[1]), s[2]);
    double most = fb_greater(fb_greater(s[0], s[1]), s[2]);
    if (least < COLLAPSED * most) {
        snprintf(text, sizeof text,
                 "the best %s transformation flattens the bone (scales %.3g, %.3g and %.3g): look "
                 "for points that were exchanged, or use 'similarity'",
                 fb_transform_word(transform->kind), s[0], s[1], s[2]);
        return refuse(diag, name, text);
    }
    if (transform->mirrored && !mirror) {
        return refuse(diag, name,
                      "the points of the new body are a mirror image of the standard's: left and "
                      "right may be exchanged, or it is the other side's bone (--mirror)");
    }
    return FB_OK;
}

/* ---- the fit --------------------------------------------------------------------------------- */

/* Takes the pairs that count. */
static fb_status take_pairs(fb_fit *fit, const double (*from)[3], const double (*to)[3],
                            const double *weight, size_t n, const char *name, fb_diag *diag) {
    double *block = fb_alloc(8 * n * sizeof *block + 1);
    if (!block) {
        return FB_E_MEMORY;
    }
    fit->from = (double(*)[3])block;
    fit->to = fit->from + n;
    fit->given = block + 6 * n;
    fit->weight = fit->given + n;
    for (size_t i = 0; i < n; i++) {
        double w = weight ? weight[i] : 1;
        double sum = fb_v3_dot(from[i], from[i]) + fb_v3_dot(to[i], to[i]) + w;
        if (!isfinite(sum) || w < 0) {
            char text[100];
            snprintf(text, sizeof text, "pair %zu has %s", i + 1,
                     w < 0 ? "a weight below 0" : "a coordinate or weight that is no number");
            return refuse(diag, name, text);
        }
        if (w > 0) {
            fb_v3_copy(fit->from[fit->n], from[i]);
            fb_v3_copy(fit->to[fit->n], to[i]);
            fit->given[fit->n] = fit->weight[fit->n] = w;
            fit->n++;
        }
    }
    return FB_OK;
}

/* Room for a spline; it does not jump, for what was allocated is to be freed. */
static fb_status make_room(fb_transform *transform, size_t n, fb_arena *arena) {
    jmp_buf *oom = arena->oom;
    arena->oom = NULL;
    transform->centers = fb_arena_array(arena, n, sizeof *transform->centers);
    transform->weights = fb_arena_array(arena, n, sizeof *transform->weights);
    arena->oom = oom;
    return transform->centers && transform->weights ? FB_OK : FB_E_MEMORY;
}

static fb_status fit_pairs(fb_transform *transform, fb_transform_kind kind, fb_fit *fit,
                           const fb_transform_options *options, const char *name, fb_arena *arena,
                           fb_diag *diag) {
    double size = 0;
    fb_status status = check_spread(fit, kind, name, diag, &size);
    if (status == FB_OK && kind == FB_TRANSFORM_TPS && fit->smoothing == 0) {
        status = check_places(fit, size, name, diag);
    }
    fb_transform_identity(transform);
    transform->kind = kind;
    if (status != FB_OK || memcmp(fit->from, fit->to, fit->n * sizeof *fit->from) == 0) {
        return status;
    }
    if (kind == FB_TRANSFORM_TPS) {
        status = make_room(transform, fit->n, arena);
    }
    if (status == FB_OK) {
        status = fit_once(transform, kind, fit);
    }
    if (status == FB_OK && options->norm != FB_NORM_L2) {
        status = fit_robust(transform, kind, fit, options, size);
    }
    if (status == FB_E_NUMERIC) {
        if (diag) {
            fb_diag_add(diag, FB_ERROR, FB2311, (fb_place){0}, more_points,
                        "%s: no %s transformation with scales above 0 takes its points near the "
                        "new ones: look for points that were exchanged",
                        name, fb_transform_word(kind));
        }
        return status;
    }
    return status == FB_OK ? check_result(transform, fit->mirror, name, diag) : status;
}

fb_status fb_transform_fit(fb_transform *transform, fb_transform_kind kind, const double (*from)[3],
                           const double (*to)[3], const double *weight, size_t n,
                           const fb_transform_options *options, const char *name, fb_arena *arena,
                           fb_diag *diag) {
    static const fb_transform_options plain = {0};
    options = options ? options : &plain;
    assert(kind != FB_TRANSFORM_SURFACE && options->smoothing >= 0);
    assert(options->norm != FB_NORM_HUBER || options->huber > 0);
    fb_fit fit = {.smoothing = options->smoothing, .mirror = options->mirror};
    fb_transform found;
    fb_status status = take_pairs(&fit, from, to, weight, n, name ? name : "a body", diag);
    if (status == FB_OK) {
        status = fit_pairs(&found, kind, &fit, options, name ? name : "a body", arena, diag);
    }
    fb_free(fit.from);
    if (status == FB_OK) {
        *transform = found;
    }
    return status;
}
