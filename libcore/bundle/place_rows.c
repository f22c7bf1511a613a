#include "libcore/bundle/place_rows.h"

#include <math.h>

/* Loops over sections in vector instructions, as wide as the machine has them. No operation is
 * contracted and no sum reordered, so the results do not depend on it. */
#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__)
#define WIDE __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define WIDE
#endif
#ifdef __clang__
#pragma clang diagnostic ignored "-Wpass-failed" /* a loop that stays as it is will do */
#define SIDE_BY_SIDE _Pragma("clang loop vectorize(assume_safety)")
#else
#define SIDE_BY_SIDE _Pragma("GCC ivdep")
#endif

#define PI_EXACT 3.14159265358979323846
#define PI ((float)PI_EXACT)
#define LEAN 1.5F  /* tangent */
#define SHEAR 0.8F /* of a lattice of circles: more would let three of them touch */

typedef struct v3 {
    float x, y, z;
} v3;

static inline __attribute__((always_inline)) v3 get(const float *row, size_t stride, size_t k) {
    return (v3){row[k], row[stride + k], row[2 * stride + k]};
}
static inline __attribute__((always_inline)) void put(float *row, size_t stride, size_t k, v3 v) {
    row[k] = v.x;
    row[stride + k] = v.y;
    row[2 * stride + k] = v.z;
}
static inline __attribute__((always_inline)) v3 add(v3 a, v3 b) {
    return (v3){a.x + b.x, a.y + b.y, a.z + b.z};
}
static inline __attribute__((always_inline)) v3 sub(v3 a, v3 b) {
    return (v3){a.x - b.x, a.y - b.y, a.z - b.z};
}
static inline __attribute__((always_inline)) v3 times(float s, v3 a) {
    return (v3){s * a.x, s * a.y, s * a.z};
}
static inline __attribute__((always_inline)) float dot(v3 a, v3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
static inline __attribute__((always_inline)) v3 cross(v3 a, v3 b) {
    return (v3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline __attribute__((always_inline)) v3 unit(v3 a) {
    return times(1 / sqrtf(dot(a, a)), a);
}
static inline __attribute__((always_inline)) float size2(float x, float y) {
    return sqrtf(x * x + y * y);
}

/* From ring k of a bundle to the next. */
static inline __attribute__((always_inline)) v3 layer(const float *b, const float *core, size_t s,
                                                      size_t k) {
    return add(sub(get(b, s, k + 1), get(b, s, k)), get(core, s, k));
}

static inline __attribute__((always_inline)) float within(float x, float most) {
    return x > most ? most : x < -most ? -most : x;
}

/* The normal of two equal ellipses with semi-axes along u and w whose tubes run along g and whose
 * centres are d apart, not of unit length. Across u it leans no more than `slope` from square to
 * w's direction, and likewise across w: edges of thin sheets would slide over each other. */
static inline __attribute__((always_inline)) v3 normal_of(v3 d, v3 u, v3 w, v3 g, float slope,
                                                          bool along_w) {
    v3 wg = cross(w, g), gu = cross(g, u);
    float x = dot(d, wg), y = dot(d, gu);
    if (along_w) {
        x = within(x, slope * fabsf(y));
    } else {
        y = within(y, slope * fabsf(x));
    }
    return add(times(x, wg), times(y, gu));
}

/* Where a ring is touched: the normal n of the neighbour, the n . c of a centre that touches, and
 * the place of the contact along the ring's own normal. */
typedef struct touching {
    v3 n;
    float r, h;
} touching;

/* A ring of b and one of a, to its left (or below it, along w) if sign is 1. */
static inline __attribute__((always_inline)) touching
touch(const float *a, const float *b, size_t s, size_t k, bool along_w, float sign, bool first) {
    v3 ua = get(a + ROW_U * s, s, k), wa = get(a + ROW_W * s, s, k), ca = get(a, s, k);
    v3 ub = get(b + ROW_U * s, s, k), wb = get(b + ROW_W * s, s, k);
    v3 g = add(get(a + ROW_G * s, s, k), get(b + ROW_G * s, s, k)), m;
    if (first) { /* as if both stood in a straight row */
        m = times(sign, along_w ? cross(g, add(ua, ub)) : cross(add(wa, wb), g));
    } else {
        v3 d = sub(get(b + ROW_O * s, s, k), get(a + ROW_O * s, s, k));
        m = normal_of(d, add(ua, ub), add(wa, wb), g, b[(ROW_SLOPE + along_w) * s + k], along_w);
    }
    touching c = {.n = unit(m)};
    float una = dot(ua, c.n), wna = dot(wa, c.n), unb = dot(ub, c.n), wnb = dot(wb, c.n);
    float ha = size2(una, wna), hb = size2(unb, wnb);
    v3 point = add(ca, times(1 / ha, add(times(una, ua), times(wna, wa))));
    c.r = dot(ca, c.n) + ha + hb + b[(ROW_E + along_w) * s + k];
    c.h = dot(get(b + ROW_T * s, s, k), point); /* that of b's own half-width is 0 */
    return c;
}

static inline __attribute__((always_inline)) v3 solve(touching x, touching y, v3 t, float h) {
    v3 nm = cross(x.n, y.n), mt = cross(y.n, t), tn = cross(t, x.n);
    v3 c = add(add(times(x.r, mt), times(y.r, tn)), times(h, nm));
    return times(1 / dot(t, nm), c);
}

WIDE void fb_row_begin(float *b, const float *a, const float *below, size_t stride, size_t from,
                       size_t to) {
    size_t s = stride;
    SIDE_BY_SIDE
    for (size_t k = from; k < to; k++) {
        v3 g = unit(add(get(a + ROW_G * s, s, k), get(below + ROW_G * s, s, k)));
        put(b + ROW_G * s, s, k, g);
        put(b + ROW_R * s, s, k, get(a + ROW_R * s, s, k));
        b[ROW_ARC * s + k] = 0.5F * (a[ROW_ARC * s + k] + below[ROW_ARC * s + k]);
    }
}

static inline __attribute__((always_inline)) void put_touching(float *contact, size_t s, size_t k,
                                                               touching c) {
    put(contact + ROW_N * s, s, k, c.n);
    contact[ROW_NR * s + k] = c.r;
    contact[ROW_NH * s + k] = c.h;
}

/* Loops of their own for what does not change with the section: choices inside would keep sections
 * from going side by side. */
#define TOUCH(ALONG_W, FIRST) \
    SIDE_BY_SIDE \
    for (size_t k = from; k < to; k++) { \
        put_touching(contact, stride, k, touch(a, b, stride, k, ALONG_W, sign, FIRST)); \
    }

WIDE void fb_row_touch(float *contact, const float *a, const float *b, size_t stride, size_t from,
                       size_t to, bool along_w, float sign, bool first) {
    if (first && along_w) {
        TOUCH(true, true)
    } else if (first) {
        TOUCH(false, true)
    } else if (along_w) {
        TOUCH(true, false)
    } else {
        TOUCH(false, false)
    }
}

#define NESTLE(FIRST) \
    SIDE_BY_SIDE \
    for (size_t k = from; k < to; k++) { \
        touching x = touch(left, b, s, k, false, sign_x, FIRST); \
        touching y = touch(below, b, s, k, true, sign_y, FIRST); \
        v3 t = get(b + ROW_T * s, s, k); \
        put(b, s, k, solve(x, y, t, 0.5F * (x.h + y.h))); \
    }

WIDE void fb_row_nestle(float *b, const float *left, const float *below, size_t stride, size_t from,
                        size_t to, float sign_x, float sign_y, bool first) {
    size_t s = stride;
    if (first) {
        NESTLE(true)
    } else {
        NESTLE(false)
    }
}

WIDE void fb_row_touch_plane(float *contact, const float *frame, const float *b, size_t stride,
                             size_t from, size_t to, bool along_w, float sign) {
    size_t s = stride;
    const float *normal = frame + (along_w ? ROW_FY : ROW_FX) * s;
    SIDE_BY_SIDE
    for (size_t k = from; k < to; k++) {
        v3 n = times(sign, get(normal, s, k)), o = get(frame + ROW_FO * s, s, k);
        float un = dot(get(b + ROW_U * s, s, k), n), wn = dot(get(b + ROW_W * s, s, k), n);
        put(contact + ROW_N * s, s, k, n);
        contact[ROW_NR * s + k] = dot(o, n) + size2(un, wn);
        contact[ROW_NH * s + k] = dot(get(b + ROW_T * s, s, k), o);
    }
}

WIDE void fb_row_touch_bow(float *contact, const float *frame, const float *a, const float *b,
                           size_t stride, size_t from, size_t to, const float *bow, float beside,
                           float sign) {
    size_t s = stride;
    SIDE_BY_SIDE
    for (size_t k = from; k < to; k++) {
        v3 x = get(frame + ROW_FX * s, s, k), y = get(frame + ROW_FY * s, s, k);
        v3 o = get(frame + ROW_FO * s, s, k), ub = get(b + ROW_U * s, s, k);
        v3 wb = get(b + ROW_W * s, s, k), ua = get(a + ROW_U * s, s, k);
        float at = dot(sub(get(a, s, k), o), x) +
                   beside * (sqrtf(dot(ua, ua)) + sqrtf(dot(ub, ub)));
        v3 n = unit(times(sign, sub(y, times(bow[k] * at, x))));
        v3 on = add(o, add(times(at, x), times(0.5F * bow[k] * at * at, y)));
        float un = dot(ub, n), wn = dot(wb, n);
        put(contact + ROW_N * s, s, k, n);
        contact[ROW_NR * s + k] = dot(on, n) + size2(un, wn);
        contact[ROW_NH * s + k] = dot(get(b + ROW_T * s, s, k), on);
    }
}

WIDE void fb_row_solve(float *b, const float *x, const float *y, size_t stride, size_t from,
                       size_t to, float weight_x, float weight_y) {
    size_t s = stride;
    SIDE_BY_SIDE
    for (size_t k = from; k < to; k++) {
        touching one = {get(x, s, k), x[ROW_NR * s + k], x[ROW_NH * s + k]};
        touching two = {get(y, s, k), y[ROW_NR * s + k], y[ROW_NH * s + k]};
        v3 t = get(b + ROW_T * s, s, k);
        put(b, s, k, solve(one, two, t, weight_x * one.h + weight_y * two.h));
    }
}

WIDE void fb_row_axis(float *b, const float *core, size_t stride, size_t n, size_t base,
                      size_t first, size_t last, float *spare) {
    size_t s = stride, whole = fb_row_whole(n);
    float *arc = b + ROW_ARC * s, *g = b + ROW_G * s, *step = spare + 1;
    SIDE_BY_SIDE
    for (size_t k = 0; k < fb_row_whole(n - 1); k++) {
        v3 d = layer(b, core, s, k);
        step[k] = sqrtf(dot(d, d));
    }
    SIDE_BY_SIDE
    for (size_t k = 0; k < fb_row_whole(n - 2); k++) { /* of section k + 1 */
        v3 before = layer(b, core, s, k), after = layer(b, core, s, k + 1);
        float h0 = step[k], h1 = step[k + 1];
        put(g, s, k + 1, unit(add(times(h1 * h1, before), times(h0 * h0, after))));
    }
    const size_t ends[4] = {0, n - 1, first, last};
    for (size_t i = 0; i < 4; i++) {
        bool upper = i % 2;
        size_t k = ends[i], next = upper ? k - 1 : k + 1;
        if (i > 1 && k == ends[i - 2]) {
            continue;
        }
        size_t low = upper ? k - 1 : k;
        v3 d = layer(b, core, s, low);
        put(g, s, k, unit(sub(times(2 / step[low], d), get(g, s, next))));
    }
    /* sums of a quarter each, side by side, then of all before */
    size_t quarter = whole / 4;
    float sum[4] = {0, 0, 0, 0}, before[4];
    spare[0] = 0;
    for (size_t k = 0; k < quarter; k++) {
        for (size_t q = 0; q < 4; q++) {
            sum[q] += spare[q * quarter + k];
            arc[q * quarter + k] = sum[q];
        }
    }
    before[0] = 0;
    for (size_t q = 1; q < 4; q++) {
        before[q] = before[q - 1] + sum[q - 1];
    }
    float zero = arc[base] + before[base / quarter];
    for (size_t q = 0; q < 4; q++) {
        float off = before[q] - zero;
        for (size_t k = q * quarter; k < (q + 1) * quarter; k++) {
            arc[k] += off;
        }
    }
}

WIDE void fb_row_turn(float *b, const float *frame, size_t stride, size_t from, size_t to,
                      float slack) {
    size_t s = stride;
    SIDE_BY_SIDE
    for (size_t k = from; k < to; k++) {
        v3 t = get(b + ROW_G * s, s, k), off = sub(get(frame + ROW_FZ * s, s, k), t);
        float l = sqrtf(dot(off, off)), f = l > slack ? slack / l : 1;
        put(b + ROW_T * s, s, k, unit(add(t, times(f, off))));
    }
}

WIDE void fb_row_follow(float *b, const float *a, const float *below, size_t stride, size_t from,
                        size_t to, float sign) {
    size_t s = stride;
    const float *down = below ? below + ROW_R * s : b + ROW_R * s;
    float part = below ? 1 : 0;
    SIDE_BY_SIDE
    for (size_t k = from; k < to; k++) {
        v3 along = unit(times(sign, sub(get(b, s, k), get(a, s, k))));
        put(b + ROW_R * s, s, k, unit(add(along, times(part, get(down, s, k)))));
    }
}

WIDE void fb_row_size(float *b, size_t stride, size_t n, size_t widest, float a, float height,
                      const float c[2], const float least[2], const float *given,
                      const float *given_area) {
    size_t s = stride;
    const float *arc = b + ROW_ARC * s;
    float zero = arc[widest], per_below = 1 / c[0], per_above = 1 / c[1];
    float least_below = least[0], least_above = least[1];
    const float *widths = given ? given : arc; /* anything that can be read */
    const float *areas = given_area ? given_area : arc;
    float by_width = given ? 1 : 0, by_size = 1 - by_width;
    float by_area = given_area ? 1 : 0, by_shape = 1 - by_area;
    float lean_u = LEAN * height / a, lean_w = LEAN * a / height;
    SIDE_BY_SIDE
    for (size_t k = 0; k < fb_row_whole(n); k++) {
        float z = arc[k] - zero, at = z * (z < 0 ? per_below : per_above);
        float square = 1 - at * at, floor_at = z < 0 ? least_below : least_above;
        float shaped = square > floor_at ? square : floor_at, size = sqrtf(shaped);
        float area = by_area * areas[k] + by_shape * shaped;
        float width = by_width * widths[k] + by_size * size;
        v3 t = get(b + ROW_T * s, s, k), side = unit(cross(t, get(b + ROW_R * s, s, k)));
        float high = area / width, slope_u = lean_u * (high / width),
              slope_w = lean_w * (width / high);
        put(b + ROW_U * s, s, k, times(a * width, cross(side, t)));
        put(b + ROW_W * s, s, k, times(height * high, side));
        b[ROW_SLOPE * s + k] = slope_u < SHEAR ? slope_u : SHEAR;
        b[(ROW_SLOPE + 1) * s + k] = slope_w < SHEAR ? slope_w : SHEAR;
    }
}

/* The least cosine of ring k against its axis and that against a layer. */
static inline __attribute__((always_inline)) float lean(const float *b, const float *core, size_t s,
                                                        size_t k, size_t low) {
    v3 g = get(b + ROW_G * s, s, k), d = unit(layer(b, core, s, low));
    float ring = dot(g, get(b + ROW_T * s, s, k)), along = dot(g, d);
    float least = ring < along ? ring : along;
    return ring + along > -3 ? least : -1; /* -1: no number */
}

WIDE float fb_row_lean(const float *b, const float *core, size_t stride, size_t from, size_t to,
                       float *spare) {
    size_t s = stride;
    SIDE_BY_SIDE
    for (size_t k = from; k < to; k++) {
        spare[k] = lean(b, core, s, k, k);
    }
    spare[to] = lean(b, core, s, to, to - 1);
    float least = 1;
    for (size_t k = from; k <= to; k++) {
        least = spare[k] < least ? spare[k] : least;
    }
    return least;
}

WIDE void fb_row_reach(float *reach, const float *b, const float *m, size_t stride, size_t from,
                       size_t to, float sign) {
    size_t s = stride;
    SIDE_BY_SIDE
    for (size_t k = from; k < to; k++) {
        v3 n = get(m, s, k);
        float un = dot(get(b + ROW_U * s, s, k), n), wn = dot(get(b + ROW_W * s, s, k), n);
        float far = sign * dot(get(b, s, k), n) + size2(un, wn);
        reach[k] = far > reach[k] ? far : reach[k];
    }
}

WIDE void fb_row_scale(float *b, size_t stride, size_t n, float f) {
    for (size_t row = ROW_U; row < ROW_U + 6; row++) {
        float *v = b + row * stride;
        SIDE_BY_SIDE
        for (size_t k = 0; k < fb_row_whole(n); k++) {
            v[k] *= f;
        }
    }
}

WIDE float fb_row_volume(const float *b, const float *core, size_t stride, size_t from, size_t to,
                         float *spare) {
    size_t s = stride, whole = fb_row_whole(to - from);
    SIDE_BY_SIDE
    for (size_t i = 0; i < whole; i++) {
        size_t k = from + i;
        v3 u0 = get(b + ROW_U * s, s, k), w0 = get(b + ROW_W * s, s, k);
        v3 u1 = get(b + ROW_U * s, s, k + 1), w1 = get(b + ROW_W * s, s, k + 1);
        v3 d = layer(b, core, s, k);
        /* Simpson's rule, which is exact here: 4 (u0 + u1)/2 x (w0 + w1)/2 in the middle */
        v3 area = add(add(cross(u0, w0), cross(u1, w1)), cross(add(u0, u1), add(w0, w1)));
        spare[i] = dot(d, area);
    }
    for (size_t i = to - from; i < whole; i++) {
        spare[i] = 0;
    }
    float sum[ROW_BLOCK] = {0};
    for (size_t i = 0; i < whole; i += ROW_BLOCK) {
        for (size_t m = 0; m < ROW_BLOCK; m++) {
            sum[m] += spare[i + m];
        }
    }
    return fabsf(
        PI / 6 *
        (((sum[0] + sum[4]) + (sum[2] + sum[6])) + ((sum[1] + sum[5]) + (sum[3] + sum[7]))));
}

WIDE void fb_row_layers(const float *b, const double *way, size_t stride, size_t n, double unit,
                        double *length, double *volume) {
    size_t s = stride;
    double cubed = PI_EXACT / 6 * unit * unit * unit;
    SIDE_BY_SIDE
    for (size_t k = 0; k < fb_row_whole(n - 1); k++) {
        double d[3], u0[3], w0[3], u1[3], w1[3], sum = 0;
        for (size_t m = 0; m < 3; m++) {
            d[m] = way[m * s + k] + ((double)b[m * s + k + 1] - (double)b[m * s + k]);
            u0[m] = (double)b[(ROW_U + m) * s + k];
            w0[m] = (double)b[(ROW_W + m) * s + k];
            u1[m] = (double)b[(ROW_U + m) * s + k + 1];
            w1[m] = (double)b[(ROW_W + m) * s + k + 1];
        }
        for (size_t m = 0; m < 3; m++) { /* as fb_row_volume */
            size_t x = (m + 1) % 3, y = (m + 2) % 3;
            double area = u0[x] * w0[y] - u0[y] * w0[x] + (u1[x] * w1[y] - u1[y] * w1[x]);
            area += (u0[x] + u1[x]) * (w0[y] + w1[y]) - (u0[y] + u1[y]) * (w0[x] + w1[x]);
            sum += d[m] * area;
        }
        length[k] = unit * sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
        volume[k] = cubed * sum;
    }
}

static inline __attribute__((always_inline)) void clear(const float *a, const float *b,
                                                        const float *core, size_t s, size_t k,
                                                        bool along_w, float *at_first,
                                                        float *at_second) {
    v3 ca = get(a, s, k), cb = get(b, s, k), ca1 = get(a, s, k + 1), cb1 = get(b, s, k + 1);
    v3 ua = get(a + ROW_U * s, s, k), wa = get(a + ROW_W * s, s, k);
    v3 ub = get(b + ROW_U * s, s, k), wb = get(b + ROW_W * s, s, k);
    v3 ua1 = get(a + ROW_U * s, s, k + 1), wa1 = get(a + ROW_W * s, s, k + 1);
    v3 ub1 = get(b + ROW_U * s, s, k + 1), wb1 = get(b + ROW_W * s, s, k + 1);
    v3 u = add(add(ua, ua1), add(ub, ub1)), w = add(add(wa, wa1), add(wb, wb1));
    v3 d0 = sub(cb, ca), d1 = sub(cb1, ca1), d = add(d0, d1), step = get(core, s, k);
    v3 la = add(sub(ca1, ca), step), lb = add(sub(cb1, cb), step);
    float slope = b[(ROW_SLOPE + along_w) * s + k];
    /* along the axes first, then along the line through the points of contact */
    v3 n0 = normal_of(d, u, w, add(la, lb), slope, along_w);
    float un = dot(ua, n0), wn = dot(wa, n0), un1 = dot(ua1, n0), wn1 = dot(wa1, n0);
    v3 p = times(1 / size2(un, wn), add(times(un, ua), times(wn, wa)));
    v3 p1 = times(1 / size2(un1, wn1), add(times(un1, ua1), times(wn1, wa1)));
    v3 m = unit(normal_of(d, u, w, add(la, sub(p1, p)), slope, along_w));
    *at_first = size2(dot(ua, m), dot(wa, m)) + size2(dot(ub, m), dot(wb, m)) - dot(d0, m);
    *at_second = size2(dot(ua1, m), dot(wa1, m)) + size2(dot(ub1, m), dot(wb1, m)) - dot(d1, m);
}

WIDE void fb_row_clear(float *b, const float *a, const float *core, size_t stride, size_t n,
                       bool along_w, float allowed, float *spare) {
    size_t s = stride, whole = fb_row_whole(n - 1);
    float *at_first = spare, *at_second = spare + s;
    if (along_w) {
        SIDE_BY_SIDE
        for (size_t k = 0; k < whole; k++) {
            clear(a, b, core, s, k, true, at_first + k, at_second + k + 1);
        }
    } else {
        SIDE_BY_SIDE
        for (size_t k = 0; k < whole; k++) {
            clear(a, b, core, s, k, false, at_first + k, at_second + k + 1);
        }
    }
    at_first[n - 1] = 0;
    at_second[0] = 0;
    float *room = b + (ROW_E + along_w) * s;
    SIDE_BY_SIDE
    for (size_t k = 0; k < fb_row_whole(n); k++) {
        float miss = (at_first[k] > at_second[k] ? at_first[k] : at_second[k]) - allowed;
        room[k] += miss > 0 ? miss : 0;
    }
}
