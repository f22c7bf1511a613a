#include <string.h>

#include "libcore/base/spatial.h"
#include "libcore/bundle/envelope.h"

#define BAND 1.0  /* cells beside a bundle in which its distance is found */
#define FIBRE 0.9 /* radius in cells that no sampling on the grid tears */

/* ---- distances from the bundles -------------------------------------------------------------- */

/* Signed distance of d from an ellipse with semi-axes u, w, in their plane: of the first order,
 * which is too little far from a flat one, but no less than from the circle around it. */
static double ellipse_distance(const double *d, const double *u, const double *w) {
    double uu = fb_v3_dot(u, u), ww = fb_v3_dot(w, w), uw = fb_v3_dot(u, w);
    double du = fb_v3_dot(d, u), dw = fb_v3_dot(d, w), det = uu * ww - uw * uw;
    double circle = fb_v3_norm(d) - sqrt(fb_greater(uu, ww));
    if (!(det > 1e-12)) {
        return circle;
    }
    double x = (ww * du - uw * dw) / det, y = (uu * dw - uw * du) / det;
    double root = fb_length2(x, y), slope = (x * x * ww - 2 * x * y * uw + y * y * uu) / det;
    return root < 1e-6 ? -sqrt(fb_lesser(uu, ww))
                       : fb_greater((root - 1) * root / sqrt(slope), circle);
}

/* Signed distance from a layer; FAR beside it, where another layer has the point, and if it is
 * certainly farther than so much beyond the widest semi-axis. */
static double layer_distance(const fb_layer_end *e, const double *p, bool first, bool last,
                             double farthest, double *t) {
    double from[3], to[3], d[3], u[3], w[3];
    fb_v3_sub(from, p, e[0].c);
    fb_v3_sub(to, p, e[1].c);
    double below = fb_v3_dot(from, e[0].n), above = fb_v3_dot(to, e[1].n);
    if ((below < -0.01 && !first) || (above > 0.01 && !last)) {
        return (double)FB_ENVELOPE_FAR;
    }
    *t = below - above > 1e-9 ? fb_lesser(fb_greater(below / (below - above), 0), 1) : 0.5;
    for (int i = 0; i < 3; i++) {
        d[i] = from[i] + *t * (e[0].c[i] - e[1].c[i]);
        u[i] = e[0].u[i] + *t * (e[1].u[i] - e[0].u[i]);
        w[i] = e[0].w[i] + *t * (e[1].w[i] - e[0].w[i]);
    }
    if (fb_v3_dot(d, d) > farthest * farthest) {
        return (double)FB_ENVELOPE_FAR;
    }
    double aside = ellipse_distance(d, u, w), beyond = first ? -below : -(double)FB_ENVELOPE_FAR;
    beyond = last ? fb_greater(beyond, above) : beyond;
    return aside > 0 && beyond > 0 ? fb_length2(aside, beyond) : fb_greater(aside, beyond);
}

/* The nodes in a box around two rings and a band beside them. */
static void box_around(const fb_sampling *s, const fb_layer_end *e, double band, int *low,
                       int *high) {
    for (int i = 0; i < 3; i++) {
        double a = fb_length2(e[0].u[i], e[0].w[i]) + band, b = fb_length2(e[1].u[i], e[1].w[i]);
        b += band;
        double least = ceil(fb_lesser(e[0].c[i] - a, e[1].c[i] - b));
        double most = floor(fb_greater(e[0].c[i] + a, e[1].c[i] + b));
        low[i] = least > 0 ? (int)least : 0;
        high[i] = most < s->n[i] - 1 ? (int)most : s->n[i] - 1;
    }
}

static void sample_layer(fb_sampling *s, const fb_layer_end *e, bool first, bool last) {
    int low[3], high[3];
    double widest = fb_greater(fb_greater(fb_v3_norm(e[0].u), fb_v3_norm(e[0].w)),
                               fb_greater(fb_v3_norm(e[1].u), fb_v3_norm(e[1].w)));
    box_around(s, e, BAND, low, high);
    for (int z = low[2]; z <= high[2]; z++) {
        for (int y = low[1]; y <= high[1]; y++) {
            size_t row = (size_t)z * s->step[2] + (size_t)y * s->step[1];
            for (int x = low[0]; x <= high[0]; x++) {
                float *value = s->field + row + x;
                const double p[3] = {x, y, z};
                if (*value <= 0) {
                    continue; /* inside another: how deep is not asked for */
                }
                double farthest = widest + fb_lesser((double)*value, BAND), t = 0;
                double f = layer_distance(e, p, first, last, farthest, &t);
                if (f < (double)*value) {
                    double tendon = e[0].tendon + t * (e[1].tendon - e[0].tendon);
                    *value = (float)f;
                    s->tendon[row + (size_t)x] = (unsigned char)(200 * tendon);
                }
            }
        }
    }
}

/* Nodes that the closing may have to do with: within the ball's radius of a layer. */
static void widen_spans(fb_sampling *s, const fb_layer_end *e) {
    int low[3], high[3];
    box_around(s, e, s->radius + 3, low, high);
    for (int z = low[2]; z <= high[2]; z++) {
        for (int y = low[1]; y <= high[1]; y++) {
            fb_span *span = s->spans + z * s->n[1] + y;
            span->from = low[0] < span->from ? low[0] : span->from;
            span->to = high[0] + 1 > span->to ? high[0] + 1 : span->to;
        }
    }
}

void fb_envelope_sample(fb_sampling *s) {
    for (size_t i = 0; i < s->nodes; i++) {
        s->field[i] = s->spare[i] = FB_ENVELOPE_FAR;
    }
    for (int i = 0; i < s->n[1] * s->n[2]; i++) {
        s->spans[i] = (fb_span){s->n[0], 0};
    }
    memset(s->tendon, FB_ENVELOPE_UNKNOWN, s->nodes);
    for (size_t i = 0; i < s->body->n_bundles; i++) {
        const fb_bundle *b = s->body->bundles + i;
        for (size_t k = 0; k + 1 < b->rings; k++) {
            const fb_layer_end *e = s->ends + b->first + k;
            widen_spans(s, e);
            sample_layer(s, e, k == 0, k + 2 == b->rings);
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

/* The same within a row, for the nodes of a span. */
static void lower_within_row(float *to, const float *from, fb_span span, int n, int reach) {
    memcpy(to + span.from, from + span.from, (size_t)(span.to - span.from) * sizeof *to);
    for (int k = 1; k <= reach; k++) {
        float square = (float)(k * k);
        int last = span.to + k < n ? span.to : n - k, first = span.from > k ? span.from : k;
        for (int x = span.from; x < last; x++) {
            float value = from[x + k] + square;
            to[x] = value < to[x] ? value : to[x];
        }
        for (int x = first; x < span.to; x++) {
            float value = from[x - k] + square;
            to[x] = value < to[x] ? value : to[x];
        }
    }
}

static void swap_fields(fb_sampling *s) {
    float *field = s->field;
    s->field = s->spare;
    s->spare = field;
}

/* field(p) = min over q of field(q) + |p - q|^2, axis by axis, for squares up to reach^2. The
 * separation is that of P. Felzenszwalb, D. Huttenlocher, "Distance transforms of sampled
 * functions", Theory of Computing 8, 2012. */
static void lower_parabolas(fb_sampling *s, int reach) {
    for (int axis = 0; axis < 3; axis++) {
        for (int i = 0; i < s->n[1] * s->n[2]; i++) {
            fb_span span = s->spans[i];
            size_t row = (size_t)i * s->step[1], from = row + (size_t)span.from;
            if (span.from >= span.to) {
                continue;
            }
            if (axis == 0) {
                lower_within_row(s->spare + row, s->field + row, span, s->n[0], reach);
            } else {
                int at = axis == 1 ? i % s->n[1] : i / s->n[1];
                lower_rows(s->spare + from, s->field + from, s->step[axis], at, s->n[axis], reach,
                           span.to - span.from);
            }
        }
        swap_fields(s);
    }
}

/* From distances f of the seeds, 0 to 1 cell, and FAR elsewhere, to distances less the radius:
 * |p - q| + f(q) <= r for some seed q is the same as min of |p - q|^2 + 2 r f - f^2 <= r^2. Beyond
 * r the least is that of the seeds farthest out, at g or so, whose sum D follows from
 * (D - g)^2 + 2 r g - g^2. */
static void grow(fb_sampling *s, double outermost) {
    float r = (float)s->radius, g = (float)outermost;
    for (int i = 0; i < s->n[1] * s->n[2]; i++) {
        float *row = s->field + (size_t)i * s->step[1];
        for (int x = s->spans[i].from; x < s->spans[i].to; x++) {
            row[x] = row[x] < FB_ENVELOPE_FAR ? 2 * r * row[x] - row[x] * row[x] : FB_ENVELOPE_FAR;
        }
    }
    lower_parabolas(s, (int)ceil(s->radius + 2));
    for (int i = 0; i < s->n[1] * s->n[2]; i++) {
        float *row = s->field + (size_t)i * s->step[1];
        for (int x = s->spans[i].from; x < s->spans[i].to; x++) {
            float f = row[x], beyond = f - r * r + (r - g) * (r - g);
            row[x] = f > r * r ? g - r + sqrtf(beyond) : sqrtf(f > 0 ? f : 0) - r;
        }
    }
}

/* The distance of an inner node from the outside, if that is next to it: the plane through the
 * places where the field changes its sign between it and its neighbours. */
static float distance_outside(const fb_sampling *s, const int *at, size_t node) {
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
    return sum > 0 ? 1 / sqrtf(sum) : FB_ENVELOPE_FAR;
}

void fb_envelope_close(fb_sampling *s) {
    int rows = s->n[1] * s->n[2];
    for (int i = 0; i < rows; i++) {
        float *row = s->field + (size_t)i * s->step[1];
        for (int x = s->spans[i].from; x < s->spans[i].to; x++) {
            row[x] = row[x] > 1 ? FB_ENVELOPE_FAR : row[x] > 0 ? row[x] : 0;
        }
    }
    grow(s, 0.7);
    for (int i = 0; i < rows; i++) {
        for (int x = s->spans[i].from; x < s->spans[i].to; x++) {
            const int at[3] = {x, i % s->n[1], i / s->n[1]};
            size_t node = (size_t)i * s->step[1] + (size_t)x;
            bool outside = s->field[node] >= 0;
            s->spare[node] = outside ? 0 : distance_outside(s, at, node);
        }
    }
    swap_fields(s);
    grow(s, 0.5);
    for (int i = 0; i < rows; i++) {
        float *row = s->field + (size_t)i * s->step[1];
        for (int x = s->spans[i].from; x < s->spans[i].to; x++) {
            row[x] = -row[x];
        }
    }
}

double fb_envelope_shift(fb_sampling *s) {
    double volume = 0;
    for (int i = 0; i < s->n[1] * s->n[2]; i++) {
        float *row = s->field + (size_t)i * s->step[1];
        for (int x = s->spans[i].from; x < s->spans[i].to; x++) {
            volume += fb_lesser(fb_greater(0.5 - (double)row[x], 0), 1);
            row[x] -= (float)FB_ENVELOPE_SHIFT;
        }
    }
    return volume;
}

/* ---- thin fibres ----------------------------------------------------------------------------- */

static double field_at(const fb_sampling *s, const double *p) {
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
static void thicken_layer(fb_sampling *s, const fb_layer_end *e) {
    fb_layer_end axis[2] = {{.u = {0}}, {.u = {0}}};
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
static double depth_around(const fb_sampling *s, const double *p) {
    int low[3], high[3];
    float least = FB_ENVELOPE_FAR;
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

size_t fb_envelope_thicken(fb_sampling *s, bool all, bool *thin) {
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
