#include "libcore/bundle/measure.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/arena.h"
#include "libcore/base/number.h"
#include "libcore/base/spatial.h"

#define PI 3.14159265358979323846
#define ON_PLANE 1e-12 /* m: a point so near a ring's plane lies on it */
#define MOST_POINTS 360

/* What a ring implies, for itself and for the layer above it. */
typedef struct section {
    double n[3];            /* the ring's normal, along the axis */
    double dn[3];           /* how it changes to the next */
    double slide, bend;     /* the step to the next centre, along n and along dn */
    double low[3], high[3]; /* a box around the layer, which its two rings span */
} section;

typedef struct view {
    const fb_bundle *bundle;
    const fb_ring *ring;
    const section *section;
    size_t n;
    double half, widest; /* the greatest of the lesser semi-axes, and of all */
    double low[3], high[3];
} view;

typedef struct measuring {
    int points, between;
    double x[MOST_POINTS], y[MOST_POINTS]; /* the unit circle */
    view *views;
    section *sections;
} measuring;

/* ---- preparation ----------------------------------------------------------------------------- */

static void extend_box(double *low, double *high, const fb_ring *ring) {
    for (int i = 0; i < 3; i++) {
        double reach = fb_length2(ring->u[i], ring->w[i]);
        low[i] = fb_lesser(low[i], ring->c[i] - reach);
        high[i] = fb_greater(high[i], ring->c[i] + reach);
    }
}

static void no_box(double *low, double *high) {
    fb_v3_set(low, FB_INFINITY, FB_INFINITY, FB_INFINITY);
    fb_v3_set(high, -FB_INFINITY, -FB_INFINITY, -FB_INFINITY);
}

static bool boxes_meet(const double *low, const double *high, const double *low2,
                       const double *high2, double margin) {
    for (int i = 0; i < 3; i++) {
        if (low[i] > high2[i] + margin || low2[i] > high[i] + margin) {
            return false;
        }
    }
    return true;
}

static void prepare(view *v, section *sections) {
    for (size_t k = 0; k < v->n; k++) {
        const fb_ring *r = v->ring + k, *before = k > 0 ? r - 1 : r,
                      *after = k + 1 < v->n ? r + 1 : r;
        double along[3], a = fb_v3_norm(r->u), b = fb_v3_norm(r->w);
        fb_v3_sub(along, after->c, before->c);
        fb_v3_cross(sections[k].n, r->u, r->w);
        fb_v3_normalize(sections[k].n);
        if (fb_v3_dot(sections[k].n, along) < 0) {
            fb_v3_scale(sections[k].n, -1, sections[k].n);
        }
        v->half = fb_greater(v->half, fb_lesser(a, b));
        v->widest = fb_greater(v->widest, fb_greater(a, b));
    }
    no_box(v->low, v->high);
    for (size_t k = 0; k < v->n; k++) {
        section *s = sections + k;
        extend_box(v->low, v->high, v->ring + k);
        no_box(s->low, s->high);
        extend_box(s->low, s->high, v->ring + k);
        if (k + 1 < v->n) {
            double step[3];
            extend_box(s->low, s->high, v->ring + k + 1);
            fb_v3_sub(s->dn, s[1].n, s->n);
            fb_v3_sub(step, v->ring[k + 1].c, v->ring[k].c);
            s->slide = fb_v3_dot(step, s->n);
            s->bend = fb_v3_dot(step, s->dn);
        }
    }
}

/* ---- the signed distance --------------------------------------------------------------------- */

static double height(const view *v, size_t k, const double *p) {
    const double *c = v->ring[k].c, *n = v->section[k].n;
    return (p[0] - c[0]) * n[0] + (p[1] - c[1]) * n[1] + (p[2] - c[2]) * n[2];
}

/* The layer that holds p, searched from *layer on; below and above are p's heights over its rings.
 * False beyond the ends. */
static bool find_layer(const view *v, const double *p, size_t *layer, double *below,
                       double *above) {
    size_t k = *layer;
    *below = height(v, k, p);
    *above = height(v, k + 1, p);
    while (*below < -ON_PLANE && k > 0) {
        *above = *below;
        *below = height(v, --k, p);
    }
    while (*above > ON_PLANE && *below >= -ON_PLANE && k + 2 < v->n) {
        *below = *above;
        *above = height(v, ++k + 1, p);
    }
    *layer = k;
    return *below >= -1e-9 && *above <= 1e-9;
}

/* Where in layer k, from 0 to 1, the section through p lies: the root of
 * g(s) = (p - c(s)) . n(s) = below + linear s - bend s^2. */
static double section_through(const view *v, size_t k, const double *p, double below,
                              double above) {
    const section *s = v->section + k;
    double d[3];
    fb_v3_sub(d, p, v->ring[k].c);
    double linear = fb_v3_dot(d, s->dn) - s->slide;
    double square = linear * linear + 4 * s->bend * below;
    if (linear < 0 && square > 0) {
        return 2 * below / (sqrt(square) - linear);
    }
    /* a ring turned against its neighbour: bisection, g falls from below to above */
    double low = 0, high = 1;
    for (int i = 0; i < 40 && below > above; i++) {
        double middle = 0.5 * (low + high);
        if (below + middle * (linear - middle * s->bend) > 0) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return 0.5 * (low + high);
}

/* Signed distance of p from the outline of the section through it; false where there is none. */
static bool signed_distance(const view *v, const double *p, size_t *layer, double *distance) {
    double below, above, d[3], u[3], w[3];
    if (!find_layer(v, p, layer, &below, &above)) {
        return false;
    }
    const fb_ring *r = v->ring + *layer;
    double t = section_through(v, *layer, p, below, above);
    for (int i = 0; i < 3; i++) {
        d[i] = p[i] - r[0].c[i] - t * (r[1].c[i] - r[0].c[i]);
        u[i] = r[0].u[i] + t * (r[1].u[i] - r[0].u[i]);
        w[i] = r[0].w[i] + t * (r[1].w[i] - r[0].w[i]);
    }
    double uu = fb_v3_dot(u, u), ww = fb_v3_dot(w, w), uw = fb_v3_dot(u, w);
    double du = fb_v3_dot(d, u), dw = fb_v3_dot(d, w), det = uu * ww - uw * uw;
    if (!(det > 0)) {
        return false;
    }
    /* d = x u + y w; the gradient of sqrt(e) is (x u' + y w') / sqrt(e) in the dual basis */
    double x = (ww * du - uw * dw) / det, y = (uu * dw - uw * du) / det;
    double root = fb_length2(x, y), slope = (x * x * ww - 2 * x * y * uw + y * y * uu) / det;
    *distance = root < 1e-9 ? -sqrt(fb_lesser(uu, ww)) : (root - 1) * root / sqrt(slope);
    return true;
}

/* ---- two bundles ----------------------------------------------------------------------------- */

typedef struct pair {
    double depth, gaps; /* the deepest; the sum of all sections' gaps */
    size_t sections;
} pair;

/* A section of one bundle seen from another: signed distances of the samples of its outline. */
typedef struct outline {
    const measuring *m;
    const view *other;
    fb_ring at;
    double tu, tw; /* towards the other's axis, times u and w */
    size_t layer;
    unsigned char known[MOST_POINTS]; /* 0: not yet, 1: yes, 2: looks away, or is beyond the ends */
    double f[MOST_POINTS];
} outline;

static bool distance_at(outline *o, double x, double y, double *f) {
    double p[3];
    for (int i = 0; i < 3; i++) {
        p[i] = o->at.c[i] + x * o->at.u[i] + y * o->at.w[i];
    }
    return signed_distance(o->other, p, &o->layer, f);
}

static double sample(outline *o, int i) {
    if (o->known[i] == 0) {
        double x = o->m->x[i], y = o->m->y[i];
        bool seen = x * o->tu + y * o->tw > 0 && distance_at(o, x, y, &o->f[i]);
        o->known[i] = seen ? 1 : 2;
    }
    return o->known[i] == 1 ? o->f[i] : FB_INFINITY;
}

static int least_of_all(outline *o) {
    int best = 0;
    for (int i = 0; i < o->m->points; i++) {
        best = sample(o, i) < sample(o, best) ? i : best;
    }
    return sample(o, best) < FB_INFINITY ? best : -1;
}

/* The sample with the least distance, -1 for none: downhill from `start`, as there is one valley
 * near a convex outline. Of outlines that stand apart, and where the start is not seen, all are
 * tried: far from an ellipse the distance is not that of Euclid. */
static int least_sample(outline *o, int start) {
    int n = o->m->points, best = start;
    while (sample(o, best) < 0.1 * o->other->half) {
        int before = best > 0 ? best - 1 : n - 1, after = best + 1 < n ? best + 1 : 0;
        double f = sample(o, best);
        if (sample(o, before) < f) {
            best = before;
        } else if (sample(o, after) < f) {
            best = after;
        } else {
            return best;
        }
    }
    return least_of_all(o);
}

/* The least distance: that sample's, or that of the parabola through it and its neighbours. */
static double least_distance(outline *o, int best) {
    int n = o->m->points;
    double before = sample(o, (best + n - 1) % n), after = sample(o, (best + 1) % n);
    double f = o->f[best], curvature = before + after - 2 * f, refined;
    if (before == FB_INFINITY || after == FB_INFINITY || !(curvature > 0)) {
        return f;
    }
    double angle = 2 * PI / n * (best + 0.5 * (before - after) / curvature);
    return distance_at(o, cos(angle), sin(angle), &refined) ? fb_lesser(f, refined) : f;
}

/* From a section's centre to the axis of the other. */
static void towards_axis(const view *v, const double *c, size_t *layer, double *to) {
    double below, above;
    find_layer(v, c, layer, &below, &above);
    const fb_ring *r = v->ring + *layer;
    double t = below != above ? fb_lesser(fb_greater(below / (below - above), 0), 1) : 0;
    for (int i = 0; i < 3; i++) {
        to[i] = r[0].c[i] + t * (r[1].c[i] - r[0].c[i]) - c[i];
    }
}

static int facing_sample(const outline *o) {
    int best = 0;
    double most = -FB_INFINITY;
    for (int i = 0; i < o->m->points; i++) {
        double facing = o->m->x[i] * o->tu + o->m->y[i] * o->tw;
        if (facing > most) {
            most = facing;
            best = i;
        }
    }
    return best;
}

/* Sections of `a` against `b`; those that are far off are left out if only depth is asked for. */
static void measure_sections(const measuring *m, const view *a, const view *b, bool depth_only,
                             pair *sum) {
    outline o = {.m = m, .other = b};
    size_t layer = 0;
    int best = -1;
    for (size_t k = 0; k < a->n; k++) {
        const section *s = a->section + k;
        const fb_ring *r = a->ring + k, *next = k + 1 < a->n ? r + 1 : r;
        if (depth_only && next != r &&
            !boxes_meet(s->low, s->high, b->low, b->high, 0.05 * b->widest)) {
            continue;
        }
        int sections = next != r ? m->between + 1 : 1;
        for (int j = 0; j < sections; j++) {
            double t = (double)j / (m->between + 1), to[3];
            for (int i = 0; i < 3; i++) {
                o.at.c[i] = r->c[i] + t * (next->c[i] - r->c[i]);
                o.at.u[i] = r->u[i] + t * (next->u[i] - r->u[i]);
                o.at.w[i] = r->w[i] + t * (next->w[i] - r->w[i]);
            }
            towards_axis(b, o.at.c, &layer, to);
            double reach = sqrt(fb_v3_dot(o.at.u, o.at.u) + fb_v3_dot(o.at.w, o.at.w)) + b->widest;
            if (depth_only && fb_v3_norm(to) > reach) {
                continue;
            }
            o.tu = fb_v3_dot(to, o.at.u);
            o.tw = fb_v3_dot(to, o.at.w);
            o.layer = layer;
            memset(o.known, 0, (size_t)m->points);
            best = least_sample(&o, best < 0 ? facing_sample(&o) : best);
            if (best < 0) {
                continue;
            }
            double least = least_distance(&o, best);
            sum->depth = fb_greater(sum->depth, -least);
            sum->gaps += fb_greater(least, 0);
            sum->sections++;
        }
    }
}

static bool share_side(const fb_bundle *a, const fb_bundle *b) {
    return abs(a->cell[0] - b->cell[0]) + abs(a->cell[1] - b->cell[1]) == 1;
}

static void set_cells(int *to, const view *a, const view *b) {
    memcpy(to, a->bundle->cell, sizeof a->bundle->cell);
    memcpy(to + 2, b->bundle->cell, sizeof b->bundle->cell);
}

static void measure_pair(const measuring *m, const view *a, const view *b,
                         fb_body_measures *measures, double *gaps, size_t *n_gaps) {
    const int *head = a->bundle->head, *other = b->bundle->head;
    bool same = head[0] == other[0] && head[1] == other[1];
    bool gap = share_side(a->bundle, b->bundle) && same;
    double h = 0.5 * (a->half + b->half);
    pair sum = {0};
    measures->pairs++;
    if (!(h > 0) || (!gap && !boxes_meet(a->low, a->high, b->low, b->high,
                                         0.05 * fb_greater(a->widest, b->widest)))) {
        return;
    }
    measure_sections(m, a, b, !gap, &sum);
    measure_sections(m, b, a, !gap, &sum);
    if (!same) {
        measures->between_heads = fb_greater(measures->between_heads, sum.depth / h);
    } else if (sum.depth / h > measures->penetration) {
        measures->penetration = sum.depth / h;
        set_cells(measures->penetration_cells, a, b);
    }
    if (gap && sum.sections > 0) {
        double mean = sum.gaps / (double)sum.sections / h;
        *gaps += mean;
        ++*n_gaps;
        if (mean > measures->worst_gap) {
            measures->worst_gap = mean;
            set_cells(measures->gap_cells, a, b);
        }
    }
}

static int by_cell(const void *p, const void *q) {
    const int *a = ((const view *)p)->bundle->cell, *b = ((const view *)q)->bundle->cell;
    return a[0] != b[0] ? (a[0] > b[0]) - (a[0] < b[0]) : (a[1] > b[1]) - (a[1] < b[1]);
}

static void measure_neighbours(const measuring *m, size_t n, fb_body_measures *measures) {
    static const int steps[4][2] = {{1, 0}, {0, 1}, {1, 1}, {1, -1}};
    double gaps = 0;
    size_t n_gaps = 0;
    qsort(m->views, n, sizeof *m->views, by_cell);
    for (size_t i = 0; i < n; i++) {
        for (int s = 0; s < 4; s++) {
            fb_bundle wanted = *m->views[i].bundle;
            view key = {.bundle = &wanted};
            wanted.cell[0] += steps[s][0];
            wanted.cell[1] += steps[s][1];
            const view *other = bsearch(&key, m->views, n, sizeof *m->views, by_cell);
            if (other && m->views[i].n > 1 && other->n > 1) {
                measure_pair(m, &m->views[i], other, measures, &gaps, &n_gaps);
            }
        }
    }
    measures->gap = n_gaps > 0 ? gaps / (double)n_gaps : 0;
}

/* ---- one bundle ------------------------------------------------------------------------------ */

/* The direction of the axis at ring k: the tangent of the parabola through three neighbouring
 * centres, with the chords as parameter. */
static void axis_at(const fb_ring *ring, size_t n, size_t k, double *t) {
    if (n == 2) {
        fb_v3_sub(t, ring[1].c, ring[0].c);
        return;
    }
    size_t m = k == 0 ? 1 : k == n - 1 ? n - 2 : k;
    double first[3], second[3], share;
    fb_v3_sub(first, ring[m].c, ring[m - 1].c);
    fb_v3_sub(second, ring[m + 1].c, ring[m].c);
    double h = fb_v3_normalize(first), h2 = fb_v3_normalize(second);
    share = h + h2 > 0 ? h / (h + h2) : 0.5;
    for (int i = 0; i < 3; i++) {
        t[i] = first[i] + share * (second[i] - first[i]);
        t[i] = k < m ? 2 * first[i] - t[i] : k > m ? 2 * second[i] - t[i] : t[i];
    }
}

static double greatest_tilt(const fb_ring *ring, size_t n) {
    double greatest = 0;
    for (size_t k = 0; k < n && n > 1; k++) {
        double t[3], normal[3], across[3];
        axis_at(ring, n, k, t);
        fb_v3_cross(normal, ring[k].u, ring[k].w);
        fb_v3_cross(across, normal, t);
        if (fb_v3_norm(t) > 0 && fb_v3_norm(normal) > 0) {
            double angle = atan2(fb_v3_norm(across), fabs(fb_v3_dot(normal, t)));
            greatest = fb_greater(greatest, angle);
        }
    }
    return greatest;
}

/* |w| / |u| half way along the rings; 0 of a ring without extent. */
static double ratio_of(const fb_ring *ring, size_t n) {
    const fb_ring *a = ring + (n - 1) / 2, *b = ring + n / 2;
    double u[3], w[3];
    fb_v3_add(u, a->u, b->u);
    fb_v3_add(w, a->w, b->w);
    return fb_v3_norm(u) > 0 ? fb_v3_norm(w) / fb_v3_norm(u) : 0;
}

static double worse(double worst, double is, double wanted) {
    return wanted > 0 ? fb_greater(worst, fabs(is / wanted - 1)) : worst;
}

static void measure_bundles(const fb_body *body, fb_body_measures *measures) {
    for (size_t i = 0; i < body->n_bundles; i++) {
        const fb_bundle *b = body->bundles + i;
        const fb_ring *ring = body->rings + b->first;
        if (b->rings == 0) {
            continue;
        }
        double volume = fb_bundle_volume(body, i);
        measures->volume += volume;
        measures->volume_error = worse(measures->volume_error, volume, b->volume);
        measures->length_error = worse(measures->length_error, fb_bundle_length(body, i),
                                       b->length);
        measures->ratio_error = worse(measures->ratio_error, ratio_of(ring, b->rings), b->ratio);
        measures->tilt = fb_greater(greatest_tilt(ring, b->rings), measures->tilt);
    }
}

fb_status fb_body_measure(fb_body_measures *measures, const fb_body *body, int points,
                          int between) {
    *measures = (fb_body_measures){0};
    measure_bundles(body, measures);
    measuring m = {.points = points > 0 ? points : 24, .between = between >= 0 ? between : 4};
    m.points = m.points < 3 ? 3 : m.points > MOST_POINTS ? MOST_POINTS : m.points;
    for (int i = 0; i < m.points; i++) {
        m.x[i] = cos(2 * PI * i / m.points);
        m.y[i] = sin(2 * PI * i / m.points);
    }
    m.views = fb_alloc(body->n_bundles * sizeof *m.views);
    m.sections = fb_alloc(body->n_rings * sizeof *m.sections);
    if (!m.views || !m.sections) {
        fb_free(m.views);
        fb_free(m.sections);
        return FB_E_MEMORY;
    }
    for (size_t i = 0; i < body->n_bundles; i++) {
        const fb_bundle *b = body->bundles + i;
        section *sections = m.sections + b->first;
        m.views[i] =
            (view){.bundle = b, .ring = body->rings + b->first, .section = sections, .n = b->rings};
        prepare(&m.views[i], sections);
        measures->half_height = fb_greater(measures->half_height, m.views[i].half);
    }
    measure_neighbours(&m, body->n_bundles, measures);
    fb_free(m.views);
    fb_free(m.sections);
    return FB_OK;
}
