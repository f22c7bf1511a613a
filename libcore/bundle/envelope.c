#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/arena.h"
#include "libcore/base/number.h"
#include "libcore/base/spatial.h"
#include "libcore/bundle/isosurface.h"
#include "libcore/bundle/mesh.h"

#define CELLS 500000 /* of the grid, unless asked otherwise */
#define SHIFT 0.5    /* cells: the surface is cut so far out, where thin sheets are whole */
#define FAR 1e6f     /* squared distance in cells: more than any that matters */
#define BAND 1.75    /* cells beside a bundle in which its distance is found */
#define FIBRE 0.9    /* radius in cells that no sampling on the grid tears */
#define UNKNOWN 255  /* no bundle near */
#define SMOOTHINGS 10
#define TRIES 4
#define CAVITY_ROUNDS 64

typedef struct layer_end {
    double c[3], u[3], w[3], n[3];
    double tendon;
} layer_end;

typedef struct sampling {
    const fb_body *body;
    layer_end *ends;  /* the body's rings, in cells of the grid */
    double R[9];      /* the grid's axes as rows */
    double origin[3]; /* node (0, 0, 0), along these axes */
    double h, radius; /* m; cells */
    int n[3];
    size_t step[3], nodes;
    float *field, *spare;
    unsigned char *tendon; /* 0 belly to 200 tendon, of the nearest bundle */
} sampling;

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

static void extent(const sampling *s, double *low, double *high) {
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

static fb_status choose_grid(sampling *s, const fb_envelope_options *o) {
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
static void place_rings(sampling *s) {
    for (size_t i = 0; i < s->body->n_bundles; i++) {
        const fb_bundle *b = s->body->bundles + i;
        const fb_ring *r = s->body->rings + b->first;
        layer_end *e = s->ends + b->first;
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

/* ---- distances from the bundles -------------------------------------------------------------- */

/* Signed distance of d from an ellipse with semi-axes u, w, in their plane. */
static double ellipse_distance(const double *d, const double *u, const double *w) {
    double uu = fb_v3_dot(u, u), ww = fb_v3_dot(w, w), uw = fb_v3_dot(u, w);
    double du = fb_v3_dot(d, u), dw = fb_v3_dot(d, w), det = uu * ww - uw * uw;
    if (!(det > 1e-12)) {
        return fb_v3_norm(d);
    }
    double x = (ww * du - uw * dw) / det, y = (uu * dw - uw * du) / det;
    double root = fb_length2(x, y), slope = (x * x * ww - 2 * x * y * uw + y * y * uu) / det;
    return root < 1e-6 ? -sqrt(fb_lesser(uu, ww)) : (root - 1) * root / sqrt(slope);
}

/* Signed distance from a layer; FAR beside it, where another layer has the point. */
static double layer_distance(const layer_end *e, const double *p, bool first, bool last,
                             double *t) {
    double from[3], to[3], d[3], u[3], w[3];
    fb_v3_sub(from, p, e[0].c);
    fb_v3_sub(to, p, e[1].c);
    double below = fb_v3_dot(from, e[0].n), above = fb_v3_dot(to, e[1].n);
    if ((below < -0.01 && !first) || (above > 0.01 && !last)) {
        return (double)FAR;
    }
    *t = below - above > 1e-9 ? fb_lesser(fb_greater(below / (below - above), 0), 1) : 0.5;
    for (int i = 0; i < 3; i++) {
        d[i] = from[i] + *t * (e[0].c[i] - e[1].c[i]);
        u[i] = e[0].u[i] + *t * (e[1].u[i] - e[0].u[i]);
        w[i] = e[0].w[i] + *t * (e[1].w[i] - e[0].w[i]);
    }
    double aside = ellipse_distance(d, u, w), beyond = first ? -below : -(double)FAR;
    beyond = last ? fb_greater(beyond, above) : beyond;
    return aside > 0 && beyond > 0 ? fb_length2(aside, beyond) : fb_greater(aside, beyond);
}

/* The nodes in a box around two rings and a band beside them. */
static void box_around(const sampling *s, const layer_end *e, double band, int *low, int *high) {
    for (int i = 0; i < 3; i++) {
        double a = fb_length2(e[0].u[i], e[0].w[i]) + band, b = fb_length2(e[1].u[i], e[1].w[i]);
        b += band;
        double least = ceil(fb_lesser(e[0].c[i] - a, e[1].c[i] - b));
        double most = floor(fb_greater(e[0].c[i] + a, e[1].c[i] + b));
        low[i] = least > 0 ? (int)least : 0;
        high[i] = most < s->n[i] - 1 ? (int)most : s->n[i] - 1;
    }
}

static void sample_layer(sampling *s, const layer_end *e, bool first, bool last) {
    int low[3], high[3];
    box_around(s, e, BAND, low, high);
    for (int z = low[2]; z <= high[2]; z++) {
        for (int y = low[1]; y <= high[1]; y++) {
            size_t row = (size_t)z * s->step[2] + (size_t)y * s->step[1];
            for (int x = low[0]; x <= high[0]; x++) {
                float *value = s->field + row + x;
                const double p[3] = {x, y, z};
                if ((double)*value < -BAND) {
                    continue; /* deep inside another */
                }
                double t = 0, f = layer_distance(e, p, first, last, &t);
                if (f < (double)*value) {
                    double tendon = e[0].tendon + t * (e[1].tendon - e[0].tendon);
                    *value = (float)f;
                    s->tendon[row + (size_t)x] = (unsigned char)(200 * tendon);
                }
            }
        }
    }
}

static void sample_bundles(sampling *s) {
    for (size_t i = 0; i < s->nodes; i++) {
        s->field[i] = FAR;
    }
    memset(s->tendon, UNKNOWN, s->nodes);
    for (size_t i = 0; i < s->body->n_bundles; i++) {
        const fb_bundle *b = s->body->bundles + i;
        for (size_t k = 0; k + 1 < b->rings; k++) {
            sample_layer(s, s->ends + b->first + k, k == 0, k + 2 == b->rings);
        }
    }
}

/* ---- closing --------------------------------------------------------------------------------- */

/* to = min over k of from k rows on + k^2, for rows that are `step` apart, in a line of n rows. */
static void lower_rows(float *to, const float *from, size_t step, int at, int n, int reach,
                       int width) {
    memcpy(to, from, (size_t)width * sizeof *to);
    for (int k = 1; k <= reach; k++) {
        float square = (float)(k * k);
        for (int side = 0; side < 2; side++) {
            int other = side ? at + k : at - k;
            if (other < 0 || other >= n) {
                continue;
            }
            const float *row = side ? from + (size_t)k * step : from - (size_t)k * step;
            for (int x = 0; x < width; x++) {
                float value = row[x] + square;
                to[x] = value < to[x] ? value : to[x];
            }
        }
    }
}

static void lower_within_row(float *to, const float *from, int n, int reach) {
    memcpy(to, from, (size_t)n * sizeof *to);
    for (int k = 1; k <= reach; k++) {
        float square = (float)(k * k);
        for (int x = 0; x + k < n; x++) {
            float value = from[x + k] + square;
            to[x] = value < to[x] ? value : to[x];
        }
        for (int x = k; x < n; x++) {
            float value = from[x - k] + square;
            to[x] = value < to[x] ? value : to[x];
        }
    }
}

/* field(p) = min over q of field(q) + |p - q|^2, axis by axis, for squares up to reach^2. The
 * separation is that of P. Felzenszwalb, D. Huttenlocher, "Distance transforms of sampled
 * functions", Theory of Computing 8, 2012. */
static void lower_parabolas(sampling *s, int reach) {
    for (int axis = 0; axis < 3; axis++) {
        for (int z = 0; z < s->n[2]; z++) {
            for (int y = 0; y < s->n[1]; y++) {
                size_t row = (size_t)z * s->step[2] + (size_t)y * s->step[1];
                if (axis == 0) {
                    lower_within_row(s->spare + row, s->field + row, s->n[0], reach);
                } else {
                    lower_rows(s->spare + row, s->field + row, s->step[axis], axis == 1 ? y : z,
                               s->n[axis], reach, s->n[0]);
                }
            }
        }
        float *swap = s->field;
        s->field = s->spare;
        s->spare = swap;
    }
}

/* From distances f of the seeds, 0 to 1 cell, and FAR elsewhere, to distances less the radius:
 * |p - q| + f(q) <= r for some seed q is the same as min of |p - q|^2 + 2 r f - f^2 <= r^2. Beyond
 * r the least is that of the seeds farthest out, at f* or so, whose sum D follows from
 * (D - f*)^2 + 2 r f* - f*^2. */
static void grow(sampling *s, double outermost) {
    float r = (float)s->radius, outer = (float)outermost;
    for (size_t i = 0; i < s->nodes; i++) {
        float f = s->field[i];
        s->field[i] = f < FAR ? 2 * r * f - f * f : FAR;
    }
    lower_parabolas(s, (int)ceil(s->radius + 2));
    for (size_t i = 0; i < s->nodes; i++) {
        float square = s->field[i];
        s->field[i] = square > r * r ? outer - r + sqrtf(square - r * r + (r - outer) * (r - outer))
                                     : sqrtf(square > 0 ? square : 0) - r;
    }
}

/* The distance of an inner node from the outside, if that is next to it: the plane through the
 * places where the field changes its sign between it and its neighbours. */
static float distance_outside(const sampling *s, const int *at, size_t node) {
    const float *field = s->field + node;
    float sum = 0;
    for (int i = 0; i < 3; i++) {
        float share = 0;
        for (int side = 0; side < 2; side++) {
            bool inside_grid = side ? at[i] + 1 < s->n[i] : at[i] > 0;
            const float *other = side ? field + s->step[i] : field - s->step[i];
            if (inside_grid && *other >= 0) {
                float t = (*other - *field) / -*field; /* 1 / distance along this axis */
                share = t > share ? t : share;
            }
        }
        sum += share * share;
    }
    return sum > 0 ? 1 / sqrtf(sum) : FAR;
}

/* Grows by the radius, then shrinks by it. */
static void close_field(sampling *s) {
    for (size_t i = 0; i < s->nodes; i++) {
        float f = s->field[i];
        s->field[i] = f > 1 ? FAR : f > 0 ? f : 0;
    }
    grow(s, 0.7);
    for (int z = 0; z < s->n[2]; z++) {
        for (int y = 0; y < s->n[1]; y++) {
            for (int x = 0; x < s->n[0]; x++) {
                const int at[3] = {x, y, z};
                size_t node = (size_t)z * s->step[2] + (size_t)y * s->step[1] + (size_t)x;
                bool outside = s->field[node] >= 0;
                s->spare[node] = outside ? 0 : distance_outside(s, at, node);
            }
        }
    }
    float *swap = s->field;
    s->field = s->spare;
    s->spare = swap;
    grow(s, 0.5);
    for (size_t i = 0; i < s->nodes; i++) {
        s->field[i] = -s->field[i];
    }
}

/* Moves the surface outwards by SHIFT. Returns the volume within it before, in cells. */
static double shift_field(sampling *s) {
    double volume = 0;
    for (size_t i = 0; i < s->nodes; i++) {
        double share = 0.5 - (double)s->field[i];
        volume += fb_lesser(fb_greater(share, 0), 1);
        s->field[i] -= (float)SHIFT;
    }
    return volume;
}

/* ---- thin fibres ----------------------------------------------------------------------------- */

static double field_at(const sampling *s, const double *p) {
    double value = 0, t[3];
    size_t node = 0;
    for (int i = 0; i < 3; i++) {
        double x = fb_lesser(fb_greater(floor(p[i]), 0), s->n[i] - 2);
        t[i] = p[i] - x;
        node += (size_t)x * s->step[i];
    }
    for (int c = 0; c < 8; c++) {
        double weight = 1;
        size_t at = node;
        for (int i = 0; i < 3; i++) {
            weight *= c >> i & 1 ? t[i] : 1 - t[i];
            at += c >> i & 1 ? s->step[i] : 0;
        }
        value += weight * (double)s->field[at];
    }
    return value;
}

/* A tube of radius FIBRE around a layer's axis. */
static void thicken_layer(sampling *s, const layer_end *e) {
    layer_end axis[2] = {{.u = {0}}, {.u = {0}}};
    double along[3];
    int low[3], high[3];
    fb_v3_copy(axis[0].c, e[0].c);
    fb_v3_copy(axis[1].c, e[1].c);
    box_around(s, axis, FIBRE + BAND, low, high);
    fb_v3_sub(along, e[1].c, e[0].c);
    double square = fb_v3_dot(along, along);
    for (int z = low[2]; z <= high[2]; z++) {
        for (int y = low[1]; y <= high[1]; y++) {
            for (int x = low[0]; x <= high[0]; x++) {
                float *value = s->field + (size_t)z * s->step[2] + (size_t)y * s->step[1] + x;
                double d[3] = {x - e[0].c[0], y - e[0].c[1], z - e[0].c[2]};
                double t = square > 0 ? fb_v3_dot(d, along) / square : 0;
                fb_v3_madd(d, -fb_lesser(fb_greater(t, 0), 1), along);
                float f = (float)(fb_v3_norm(d) - FIBRE);
                *value = f < *value ? f : *value;
            }
        }
    }
}

/* The least value at the nodes around a point. */
static double depth_around(const sampling *s, const double *p) {
    int low[3], high[3];
    float least = FAR;
    for (int i = 0; i < 3; i++) {
        low[i] = (int)fb_greater(floor(p[i]) - 1, 0);
        high[i] = (int)fb_lesser(floor(p[i]) + 2, s->n[i] - 1);
    }
    for (int z = low[2]; z <= high[2]; z++) {
        for (int y = low[1]; y <= high[1]; y++) {
            for (int x = low[0]; x <= high[0]; x++) {
                float f = s->field[(size_t)z * s->step[2] + (size_t)y * s->step[1] + (size_t)x];
                least = f < least ? f : least;
            }
        }
    }
    return (double)least;
}

/* Thickens axes where the muscle is thin around them, or all; returns how many rings it is. */
static size_t thicken(sampling *s, bool all, bool *thin) {
    size_t count = 0;
    for (size_t k = 0; k < s->body->n_rings; k++) {
        thin[k] = all || (field_at(s, s->ends[k].c) > -0.5 * FIBRE &&
                          depth_around(s, s->ends[k].c) > -FIBRE);
        count += thin[k];
    }
    for (size_t i = 0; i < s->body->n_bundles && count > 0; i++) {
        const fb_bundle *b = s->body->bundles + i;
        for (size_t k = b->first; k + 1 < b->first + b->rings; k++) {
            if (thin[k] || thin[k + 1]) {
                thicken_layer(s, s->ends + k);
            }
        }
    }
    return count;
}

/* ---- the mesh -------------------------------------------------------------------------------- */

static int root_of(int *parent, int i) {
    while (parent[i] != i) {
        i = parent[i] = parent[parent[i]];
    }
    return i;
}

/* Takes away cavities: pieces that face inwards. Returns how many are left. */
static size_t drop_cavities(fb_mesh *mesh, int *parent, double *volume) {
    size_t pieces = 0, faces = 0, vertices = 0;
    for (size_t i = 0; i < mesh->n_vertices; i++) {
        parent[i] = (int)i;
        volume[i] = 0;
    }
    for (size_t i = 0; i < mesh->n_faces; i++) {
        int a = root_of(parent, mesh->faces[i][0]);
        for (int k = 1; k < 3; k++) {
            int b = root_of(parent, mesh->faces[i][k]);
            int least = b < a ? b : a;
            parent[b > a ? b : a] = least;
            a = least;
        }
    }
    for (size_t i = 0; i < mesh->n_faces; i++) {
        const int *f = mesh->faces[i];
        double across[3];
        fb_v3_cross(across, mesh->vertices[f[1]], mesh->vertices[f[2]]);
        volume[root_of(parent, f[0])] += fb_v3_dot(mesh->vertices[f[0]], across);
    }
    for (size_t i = 0; i < mesh->n_faces; i++) {
        if (volume[root_of(parent, mesh->faces[i][0])] > 0) {
            memcpy(mesh->faces[faces++], mesh->faces[i], sizeof *mesh->faces);
        }
    }
    mesh->n_faces = faces;
    for (size_t i = 0; i < mesh->n_vertices; i++) { /* parent becomes the new number */
        int root = root_of(parent, (int)i);
        pieces += root == (int)i && volume[i] > 0;
    }
    for (size_t i = 0; i < mesh->n_vertices; i++) {
        volume[i] = volume[root_of(parent, (int)i)] > 0;
    }
    for (size_t i = 0; i < mesh->n_vertices; i++) {
        parent[i] = (int)vertices;
        fb_v3_copy(mesh->vertices[vertices], mesh->vertices[i]);
        vertices += volume[i] > 0;
    }
    mesh->n_vertices = vertices;
    for (size_t i = 0; i < faces; i++) {
        for (int k = 0; k < 3; k++) {
            mesh->faces[i][k] = parent[mesh->faces[i][k]];
        }
    }
    return pieces;
}

static fb_status extract(const sampling *s, fb_mesh *mesh, size_t *pieces) {
    const fb_grid grid = {{s->n[0], s->n[1], s->n[2]}, s->field};
    mesh->n_vertices = mesh->n_faces = 0;
    fb_status status = fb_isosurface(mesh, &grid);
    if (status != FB_OK) {
        return status;
    }
    int *parent = fb_alloc(mesh->n_vertices * sizeof *parent);
    double *volume = fb_alloc(mesh->n_vertices * sizeof *volume);
    if (parent && volume) {
        *pieces = drop_cavities(mesh, parent, volume);
    }
    status = parent && volume ? FB_OK : FB_E_MEMORY;
    fb_free(parent);
    fb_free(volume);
    return status;
}

/* The neighbours of each vertex: vertex i has others[starts[i]] up to starts[i + 1]. In a closed
 * mesh every edge leaves each of its ends once. */
typedef struct neighbours {
    int *starts, *others;
} neighbours;

static bool find_neighbours(neighbours *n, const fb_mesh *mesh) {
    size_t vertices = mesh->n_vertices;
    n->starts = fb_alloc((vertices + 2) * sizeof *n->starts);
    n->others = fb_alloc(3 * mesh->n_faces * sizeof *n->others);
    if (!n->starts || !n->others) {
        return false;
    }
    memset(n->starts, 0, (vertices + 2) * sizeof *n->starts);
    for (size_t i = 0; i < mesh->n_faces; i++) {
        for (int k = 0; k < 3; k++) {
            n->starts[mesh->faces[i][k] + 2]++;
        }
    }
    for (size_t i = 2; i < vertices + 2; i++) {
        n->starts[i] += n->starts[i - 1];
    }
    for (size_t i = 0; i < mesh->n_faces; i++) {
        for (int k = 0; k < 3; k++) {
            n->others[n->starts[mesh->faces[i][k] + 1]++] = mesh->faces[i][(k + 1) % 3];
        }
    }
    return true;
}

/* Moves each value by `share` of the way to the mean of its neighbours'. */
static void relax(double (*values)[3], double (*spare)[3], const fb_mesh *mesh, const neighbours *n,
                  double share) {
    for (size_t i = 0; i < mesh->n_vertices; i++) {
        double sum[3] = {0, 0, 0};
        int from = n->starts[i], to = n->starts[i + 1];
        for (int k = from; k < to; k++) {
            fb_v3_add(sum, sum, values[n->others[k]]);
        }
        double weight = share / (to - from);
        for (int k = 0; k < 3; k++) {
            spare[i][k] = (1 - share) * values[i][k] + weight * sum[k];
        }
    }
    memcpy(values, spare, mesh->n_vertices * sizeof *values);
}

static double area_of(const fb_mesh *mesh) {
    double area = 0;
    for (size_t i = 0; i < mesh->n_faces; i++) {
        const int *f = mesh->faces[i];
        double a[3], b[3], c[3];
        fb_v3_sub(a, mesh->vertices[f[1]], mesh->vertices[f[0]]);
        fb_v3_sub(b, mesh->vertices[f[2]], mesh->vertices[f[0]]);
        fb_v3_cross(c, a, b);
        area += 0.5 * fb_v3_norm(c);
    }
    return area;
}

/* G. Taubin, "A signal processing approach to fair surface design", SIGGRAPH 1995: steps there and
 * back, which leave what is long-waved. Then all goes inwards along its normals until the volume is
 * that of the field. */
static void smooth(fb_mesh *mesh, const neighbours *n, double volume) {
    for (int i = 0; i < SMOOTHINGS; i++) {
        relax(mesh->vertices, mesh->normals, mesh, n, 0.5);
        relax(mesh->vertices, mesh->normals, mesh, n, -0.53);
    }
    for (int i = 0; i < 3; i++) {
        double area = area_of(mesh), less = fb_surface_volume(mesh) - volume;
        double step = area > 0 ? fb_lesser(fb_greater(less / area, -SHIFT), SHIFT) : 0;
        fb_mesh_normals(mesh, 0, 0);
        for (size_t k = 0; k < mesh->n_vertices; k++) {
            fb_v3_madd(mesh->vertices[k], -step, mesh->normals[k]);
        }
    }
}

/* Tendon of the nodes around a vertex; below 0 if no bundle is near. */
static double tendon_near(const sampling *s, const double *p) {
    size_t node = 0;
    int sum = 0, count = 0;
    for (int i = 0; i < 3; i++) {
        node += (size_t)floor(p[i]) * s->step[i];
    }
    for (int c = 0; c < 8; c++) {
        size_t at = node;
        for (int i = 0; i < 3; i++) {
            at += c >> i & 1 && floor(p[i]) + 1 < s->n[i] ? s->step[i] : 0;
        }
        if (s->tendon[at] != UNKNOWN) {
            sum += s->tendon[at];
            count++;
        }
    }
    return count > 0 ? sum / 200.0 / count : -1;
}

/* Vertices far from any bundle take the colour of those around them. */
static void colour(fb_mesh *mesh, const sampling *s, const neighbours *n) {
    bool all = false;
    for (size_t i = 0; i < mesh->n_vertices; i++) {
        fb_v3_set(mesh->colours[i], tendon_near(s, mesh->vertices[i]), 0, 0);
    }
    for (int round = 0; round < CAVITY_ROUNDS && !all; round++) {
        all = true;
        for (size_t i = 0; i < mesh->n_vertices; i++) {
            double sum = 0, count = 0;
            for (int k = n->starts[i]; mesh->colours[i][0] < 0 && k < n->starts[i + 1]; k++) {
                double other = mesh->colours[n->others[k]][0];
                sum += other >= 0 ? other : 0;
                count += other >= 0;
            }
            mesh->colours[i][0] = count > 0 ? sum / count : mesh->colours[i][0];
            all = all && mesh->colours[i][0] >= 0;
        }
    }
    for (int round = 0; round < 3; round++) {
        relax(mesh->colours, mesh->normals, mesh, n, 0.5);
    }
    for (size_t i = 0; i < mesh->n_vertices; i++) {
        fb_mesh_colour(mesh->colours[i], fb_greater(mesh->colours[i][0], 0));
    }
}

/* From cells of the grid to metres. */
static void place_back(fb_mesh *mesh, const sampling *s) {
    for (size_t i = 0; i < mesh->n_vertices; i++) {
        double p[3];
        fb_v3_copy(p, s->origin);
        fb_v3_madd(p, s->h, mesh->vertices[i]);
        fb_m3_tmul_v3(mesh->vertices[i], s->R, p);
    }
}

static fb_status finish(fb_envelope *envelope, const sampling *s, double volume) {
    fb_mesh *mesh = &envelope->mesh;
    neighbours n = {NULL, NULL};
    size_t most = mesh->n_vertices > 0 ? mesh->n_vertices : 1;
    mesh->normals = fb_alloc(most * sizeof *mesh->normals);
    mesh->colours = fb_alloc(most * sizeof *mesh->colours);
    mesh->room_vertices = most; /* of all three */
    bool done = mesh->normals && mesh->colours && find_neighbours(&n, mesh);
    if (done) {
        colour(mesh, s, &n);
        smooth(mesh, &n, volume);
        place_back(mesh, s);
        fb_mesh_normals(mesh, 0, 0);
        envelope->volume = fb_surface_volume(mesh);
    }
    fb_free(n.starts);
    fb_free(n.others);
    return done ? FB_OK : FB_E_MEMORY;
}

/* If there are several pieces, all axes are thickened, so that no bundle is torn; unless the
 * bundles do not hang together even so. */
static fb_status mend(fb_envelope *envelope, sampling *s, bool *thin) {
    size_t pieces = envelope->components;
    memcpy(s->spare, s->field, s->nodes * sizeof *s->field);
    size_t rings = thicken(s, true, thin);
    fb_status status = extract(s, &envelope->mesh, &envelope->components);
    if (status == FB_OK && envelope->components == pieces) {
        float *field = s->field;
        s->field = s->spare;
        s->spare = field;
        return extract(s, &envelope->mesh, &envelope->components);
    }
    envelope->thickened = rings;
    return status;
}

static fb_status make(fb_envelope *envelope, sampling *s, bool *thin) {
    place_rings(s);
    sample_bundles(s);
    close_field(s);
    double volume = shift_field(s);
    envelope->thickened = thicken(s, false, thin);
    fb_status status = extract(s, &envelope->mesh, &envelope->components);
    if (status == FB_OK && envelope->components > 1) {
        status = mend(envelope, s, thin);
    }
    return status == FB_OK ? finish(envelope, s, volume) : status;
}

static fb_status try_envelope(fb_envelope *envelope, const fb_body *body,
                              const fb_envelope_options *options) {
    sampling s = {.body = body};
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
    bool *thin = fb_alloc(body->n_rings * sizeof *thin);
    bool room = s.ends && s.field && s.spare && s.tendon && thin;
    status = room ? make(envelope, &s, thin) : FB_E_MEMORY;
    fb_free(s.ends);
    fb_free(s.field);
    fb_free(s.spare);
    fb_free(s.tendon);
    fb_free(thin);
    if (status != FB_OK) {
        fb_surface_free(&envelope->mesh);
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
            fb_surface_free(&other.mesh);
            if (status != FB_OK) {
                fb_surface_free(&envelope->mesh);
                return status;
            }
            continue;
        }
        fb_surface_free(&envelope->mesh);
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
            fb_surface_free(&envelope->mesh);
            return FB_E_MEMORY;
        }
        memcpy(envelope->mesh.name, body->name, name);
    }
    return status;
}
