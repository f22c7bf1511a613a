#include "libcore/bundle/envelope.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/arena.h"
#include "libcore/base/number.h"
#include "libcore/base/spatial.h"
#include "libcore/bundle/mesh.h"

#define CELLS 500000 /* of the grid, unless asked otherwise */
#define TRIES 4      /* sizes of the ball */

/* ---- the grid -------------------------------------------------------------------------------- */

/* Rows of R become the principal axes of the rings' centres (Jacobi's method), so that the grid
 * around a long muscle is small however it lies. */
static void principal_axes(const fb_body *body, double *R) {
    double mean[3] = {0, 0, 0}, S[9] = {0}, V[9];
    for (size_t i = 0; i < body->n_rings; i++) {
        fb_v3_madd(mean, 1.0 / (double)body->n_rings, body->rings[i].c);
    }
    for (size_t i = 0; i < body->n_rings; i++) {
        double d[3];
        fb_v3_sub(d, body->rings[i].c, mean);
        for (int k = 0; k < 9; k++) {
            S[k] += d[k / 3] * d[k % 3];
        }
    }
    fb_m3_identity(V);
    for (int sweep = 0; sweep < 12; sweep++) {
        for (int p = 0; p < 2; p++) {
            for (int q = p + 1; q < 3; q++) {
                double off = S[3 * p + q];
                if (fabs(off) <= 1e-14 * (fabs(S[0]) + fabs(S[4]) + fabs(S[8]))) {
                    continue;
                }
                double theta = 0.5 * (S[4 * q] - S[4 * p]) / off;
                double t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(theta * theta + 1));
                double c = 1 / sqrt(t * t + 1), s = t * c, J[9], turned[9];
                fb_m3_identity(J);
                J[4 * p] = J[4 * q] = c;
                J[3 * p + q] = s;
                J[3 * q + p] = -s;
                fb_m3_mul(turned, S, J);
                fb_m3_tmul(S, J, turned);
                fb_m3_mul(turned, V, J);
                memcpy(V, turned, sizeof V);
            }
        }
    }
    for (int k = 0; k < 9; k++) {
        R[3 * (k % 3) + k / 3] = V[k];
    }
    fb_v3_cross(R + 6, R, R + 3); /* right-handed */
}

static void extent(const fb_sampling *s, double *low, double *high) {
    fb_v3_set(low, FB_INFINITY, FB_INFINITY, FB_INFINITY);
    fb_v3_set(high, -FB_INFINITY, -FB_INFINITY, -FB_INFINITY);
    for (size_t k = 0; k < s->body->n_rings; k++) {
        const fb_ring *r = s->body->rings + k;
        double c[3], u[3], w[3];
        fb_m3_mul_v3(c, s->R, r->c);
        fb_m3_mul_v3(u, s->R, r->u);
        fb_m3_mul_v3(w, s->R, r->w);
        for (int i = 0; i < 3; i++) {
            double reach = fb_length2(u[i], w[i]);
            low[i] = fb_lesser(low[i], c[i] - reach);
            high[i] = fb_greater(high[i], c[i] + reach);
        }
    }
}

/* The mean over bundles of the widest section's radius; the least semi-axis goes to *thin. */
static double mean_radius(const fb_body *body, double *thin) {
    double sum = 0;
    *thin = FB_INFINITY;
    for (size_t i = 0; i < body->n_bundles; i++) {
        const fb_bundle *b = body->bundles + i;
        double widest = 0;
        for (size_t k = b->first; k < b->first + b->rings; k++) {
            double u = fb_v3_norm(body->rings[k].u), w = fb_v3_norm(body->rings[k].w);
            widest = fb_greater(widest, sqrt(u * w));
            *thin = fb_lesser(*thin, fb_lesser(u, w));
        }
        sum += widest;
    }
    return sum / (double)body->n_bundles;
}

static int by_cell(const void *p, const void *q) {
    const int *a = (*(const fb_bundle *const *)p)->cell, *b = (*(const fb_bundle *const *)q)->cell;
    return a[0] != b[0] ? (a[0] > b[0]) - (a[0] < b[0]) : (a[1] > b[1]) - (a[1] < b[1]);
}

/* The radius of a ball that, resting on two sections, stays half their half-height above the line
 * between their centres, so that neither a hole nor a thin web is between them: on rounded ends of
 * radius rho, at x from the middle, that is (x^2 - 3/4 rho^2) / rho. */
static double bridging(const fb_ring *a, const fb_ring *b) {
    double n[3], d[3], u = fb_v3_norm(a->u), w = fb_v3_norm(a->w), rho = fb_lesser(u, w);
    fb_v3_cross(n, a->u, a->w);
    fb_v3_normalize(n);
    fb_v3_sub(d, b->c, a->c);
    fb_v3_madd(d, -fb_v3_dot(d, n), n);
    double distance = fb_v3_normalize(d);
    double reach = fb_length2(fb_v3_dot(d, a->u), fb_v3_dot(d, a->w));
    double x = fb_greater(0.5 * distance - reach, 0) + rho;
    return rho > 0 ? (x * x - 0.75 * rho * rho) / rho : 0;
}

/* The greatest such radius between neighbours of one head that share a side; `sorted` by cell. */
static double closing_between(const fb_body *body, const fb_bundle **sorted) {
    double greatest = 0;
    for (size_t i = 0; i < body->n_bundles; i++) {
        for (int way = 0; way < 2; way++) {
            const fb_bundle *a = sorted[i];
            fb_bundle wanted = *a;
            const fb_bundle *key = &wanted;
            wanted.cell[way]++;
            const fb_bundle **found = bsearch(&key, sorted, body->n_bundles, sizeof *sorted,
                                              by_cell);
            const fb_bundle *b = found ? *found : NULL;
            if (!b || b->head[0] != a->head[0] || b->head[1] != a->head[1]) {
                continue;
            }
            size_t rings = a->rings < b->rings ? a->rings : b->rings;
            for (size_t k = 0; k < rings; k++) {
                const fb_ring *r = body->rings + a->first + k, *q = body->rings + b->first + k;
                greatest = fb_greater(greatest, bridging(r, q));
            }
        }
    }
    return greatest;
}

/* The ball's radius, m: 1.5 of a bundle's, which leaves shallow grooves; more, up to 4, where
 * neighbours stand apart. 0 if memory ran out. */
static double choose_closing(const fb_body *body, double radius) {
    const fb_bundle **sorted = fb_alloc(body->n_bundles * sizeof *sorted);
    if (!sorted) {
        return 0;
    }
    for (size_t i = 0; i < body->n_bundles; i++) {
        sorted[i] = body->bundles + i;
    }
    qsort(sorted, body->n_bundles, sizeof *sorted, by_cell);
    double closing = fb_greater(1.5 * radius, closing_between(body, sorted));
    fb_free(sorted);
    return fb_lesser(closing, 4 * radius);
}

static fb_status choose_grid(fb_sampling *s, const fb_envelope_options *o) {
    double low[3], high[3], thin, radius = mean_radius(s->body, &thin);
    double closing = o && o->closing > 0 ? o->closing : choose_closing(s->body, radius);
    double cells = o && o->cells > 0 ? o->cells : CELLS;
    principal_axes(s->body, s->R);
    extent(s, low, high);
    double size = high[0] - low[0] + high[1] - low[1] + high[2] - low[2];
    if (!(size > 0 && size < 1e6 && radius > 0)) {
        return FB_E_NUMERIC;
    }
    if (!(closing > 0)) {
        return FB_E_MEMORY;
    }
    s->h = o && o->spacing > 0 ? o->spacing : fb_greater(closing / 15, 0.3 * thin);
    for (int tries = 0; tries < 200; tries++) {
        double product = 1;
        s->radius = fb_greater(closing / s->h, 1.5);
        for (int i = 0; i < 3; i++) {
            double nodes = ceil((high[i] - low[i]) / s->h + 2 * (s->radius + 3)) + 1;
            s->n[i] = nodes < 1e6 ? (int)nodes : 1000000;
            product *= nodes;
        }
        if (product <= cells || (o && o->spacing > 0 && product < INT_MAX)) {
            break;
        }
        s->h *= fb_greater(1.01, cbrt(product / cells));
    }
    for (int i = 0; i < 3; i++) {
        s->origin[i] = 0.5 * (low[i] + high[i]) - 0.5 * s->h * (s->n[i] - 1);
    }
    s->step[0] = 1;
    s->step[1] = (size_t)s->n[0];
    s->step[2] = s->step[1] * (size_t)s->n[1];
    s->nodes = s->step[2] * (size_t)s->n[2];
    return FB_OK;
}

/* Rings in cells of the grid, with normals along the axis and their share of tendon. */
static void place_rings(fb_sampling *s) {
    for (size_t i = 0; i < s->body->n_bundles; i++) {
        const fb_bundle *b = s->body->bundles + i;
        const fb_ring *r = s->body->rings + b->first;
        fb_layer_end *e = s->ends + b->first;
        double length = fb_bundle_length(s->body, i), along = 0;
        for (size_t k = 0; k < b->rings; k++) {
            along += k > 0 ? fb_v3_distance(r[k].c, r[k - 1].c) : 0;
            e[k].tendon = fb_mesh_tendon(b, along, length);
            fb_m3_mul_v3(e[k].c, s->R, r[k].c);
            fb_v3_sub(e[k].c, e[k].c, s->origin);
            fb_m3_mul_v3(e[k].u, s->R, r[k].u);
            fb_m3_mul_v3(e[k].w, s->R, r[k].w);
            fb_v3_scale(e[k].c, 1 / s->h, e[k].c);
            fb_v3_scale(e[k].u, 1 / s->h, e[k].u);
            fb_v3_scale(e[k].w, 1 / s->h, e[k].w);
        }
        for (size_t k = 0; k < b->rings; k++) {
            double axis[3];
            fb_v3_sub(axis, e[k + 1 < b->rings ? k + 1 : k].c, e[k > 0 ? k - 1 : k].c);
            fb_v3_cross(e[k].n, e[k].u, e[k].w);
            if (!(fb_v3_normalize(e[k].n) > 0)) {
                fb_v3_copy(e[k].n, axis);
                fb_v3_normalize(e[k].n);
            }
            if (fb_v3_dot(e[k].n, axis) < 0) {
                fb_v3_scale(e[k].n, -1, e[k].n);
            }
        }
    }
}

/* ---- the envelope ------------------------------------------------------------------------------
 */

/* If there are several pieces, all axes are thickened, so that no bundle is torn; unless the
 * bundles do not hang together even so. */
static fb_status mend(fb_envelope *envelope, fb_sampling *s, bool *thin) {
    size_t pieces = envelope->components;
    memcpy(s->spare, s->field, s->nodes * sizeof *s->field);
    size_t rings = fb_envelope_thicken(s, true, thin);
    fb_status status = fb_envelope_extract(s, &envelope->mesh, &envelope->components);
    if (status == FB_OK && envelope->components == pieces) {
        float *field = s->field;
        s->field = s->spare;
        s->spare = field;
        return fb_envelope_extract(s, &envelope->mesh, &envelope->components);
    }
    envelope->thickened = rings;
    return status;
}

static fb_status make(fb_envelope *envelope, fb_sampling *s, bool *thin) {
    place_rings(s);
    fb_envelope_sample(s);
    fb_envelope_close(s);
    double volume = fb_envelope_shift(s);
    envelope->thickened = fb_envelope_thicken(s, false, thin);
    fb_status status = fb_envelope_extract(s, &envelope->mesh, &envelope->components);
    if (status == FB_OK && envelope->components > 1) {
        status = mend(envelope, s, thin);
    }
    return status == FB_OK ? fb_envelope_finish(envelope, s, volume) : status;
}

static fb_status try_envelope(fb_envelope *envelope, const fb_body *body,
                              const fb_envelope_options *options) {
    fb_sampling s = {.body = body};
    fb_status status = choose_grid(&s, options);
    if (status != FB_OK) {
        return status;
    }
    envelope->spacing = s.h;
    envelope->closing = s.radius * s.h;
    s.ends = fb_alloc(body->n_rings * sizeof *s.ends);
    s.field = fb_alloc(s.nodes * sizeof *s.field);
    s.spare = fb_alloc(s.nodes * sizeof *s.spare);
    s.tendon = fb_alloc(s.nodes);
    s.spans = fb_alloc((size_t)s.n[1] * (size_t)s.n[2] * sizeof *s.spans);
    bool *thin = fb_alloc(body->n_rings * sizeof *thin);
    bool room = s.ends && s.field && s.spare && s.tendon && s.spans && thin;
    status = room ? make(envelope, &s, thin) : FB_E_MEMORY;
    fb_free(s.ends);
    fb_free(s.field);
    fb_free(s.spare);
    fb_free(s.tendon);
    fb_free(s.spans);
    fb_free(thin);
    if (status != FB_OK) {
        fb_mesh_clear(&envelope->mesh);
    }
    return status;
}

/* One piece without holes: V - E + F = 2, where every face has three half edges. */
static bool is_simple(const fb_envelope *e) {
    return e->components == 1 && 2 * e->mesh.n_vertices == e->mesh.n_faces + 4;
}

static bool has_one_head(const fb_body *body) {
    for (size_t i = 1; i < body->n_bundles; i++) {
        const int *a = body->bundles[0].head, *b = body->bundles[i].head;
        if (a[0] != b[0] || a[1] != b[1]) {
            return false;
        }
    }
    return true;
}

/* A muscle of one head has no holes: if there are any, between fibres that stand apart, larger
 * balls are tried. */
static fb_status fill_holes(fb_envelope *envelope, const fb_body *body,
                            const fb_envelope_options *options) {
    fb_envelope_options wider = options ? *options : (fb_envelope_options){0};
    for (int i = 1; i < TRIES; i++) {
        fb_envelope other = {.bundles = envelope->bundles};
        wider.closing = envelope->closing * (1 + 0.6 * i);
        fb_status status = try_envelope(&other, body, &wider);
        if (status != FB_OK || !is_simple(&other)) {
            fb_mesh_clear(&other.mesh);
            if (status != FB_OK) {
                fb_mesh_clear(&envelope->mesh);
                return status;
            }
            continue;
        }
        fb_mesh_clear(&envelope->mesh);
        *envelope = other;
        break;
    }
    return FB_OK;
}

fb_status fb_body_envelope(fb_envelope *envelope, const fb_body *body,
                           const fb_envelope_options *options) {
    size_t layers = 0, name = body->name ? strlen(body->name) + 1 : 0;
    *envelope = (fb_envelope){0};
    for (size_t i = 0; i < body->n_bundles; i++) {
        layers += body->bundles[i].rings > 1 ? body->bundles[i].rings - 1 : 0;
        envelope->bundles += fb_bundle_volume(body, i);
    }
    if (layers == 0) {
        return FB_OK;
    }
    fb_status status = try_envelope(envelope, body, options);
    bool given = options && options->closing > 0;
    if (status == FB_OK && !given && !is_simple(envelope) && has_one_head(body)) {
        status = fill_holes(envelope, body, options);
    }
    if (status == FB_OK && name) {
        envelope->mesh.name = fb_alloc(name);
        if (!envelope->mesh.name) {
            fb_mesh_clear(&envelope->mesh);
            return FB_E_MEMORY;
        }
        memcpy(envelope->mesh.name, body->name, name);
    }
    return status;
}
