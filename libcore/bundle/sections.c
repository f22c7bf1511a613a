#include "libcore/bundle/sections.h"

#include <string.h>

#include "libcore/base/arena.h"
#include "libcore/base/spatial.h"

#define DENSE 257         /* points of a core that is rounded */
#define ROUND 1.5         /* of the muscle's radius: over which corners are rounded */
#define TURN 0.15         /* rad that a section may be twisted against the one before */
#define TENDON_LAYER 1.5  /* layers of tendon are so many times as long as those of the belly */
#define TENDON_LAYERS 32  /* at most */
#define MOST_LAYERS 16384 /* between the outermost ends of bellies: else there is no memory */
#define TENDON_ROUND 0.3  /* tendons are so thick, of the belly, where corners are rounded */
#define SHEET 0.8         /* of half-ellipses: how a sheet's width tapers along its belly */
#define GATHERED 0.3      /* width of a sheet's tendon at its end */
#define FAN_LEAST 0.35    /* width of a fan, of that where it is widest .. */
#define FAN_MOST 1.8
#define FAN_HIGHEST 1.2 /* height of a fan where it narrows, of that where it is widest */
#define STEEPEST 0.2    /* tangent: how fast the outermost bundles come nearer to the core */
#define OWN_WAY 1       /* of what bundles need: so much more, and a head follows its core alone */
#define ROOM 1.05       /* of a head's nominal width, so that heads do not sink into each other */
#define CLEAR 0.002     /* of its own way: less, and heads stay together */
#define SMOOTHINGS 6    /* sweeps over widths of fans */
#define PARTINGS 30     /* sweeps over the way from together to apart */
#define FADE 4.0        /* sections over which a head that has ended no longer counts */
#define FOLD (-0.5)     /* cosine of the turn between layers at which a core folds on itself */

/* ---- curves ---------------------------------------------------------------------------------- */

/* A piece of a polyline, of points i - 1 and i, and the length before it. */
typedef struct piece {
    int i;
    double before;
} piece;

static double length_of(const double (*points)[3], int n) {
    double length = 0;
    for (int i = 1; i < n; i++) {
        length += fb_v3_distance(points[i - 1], points[i]);
    }
    return length;
}

/* The place at a length along a polyline, in this piece or after it; beyond its ends straight on.
 * Leaves the piece that it is in. */
static void point_at(double *place, const double (*points)[3], int n, double at, piece *in) {
    double length = fb_v3_distance(points[in->i - 1], points[in->i]);
    while (in->i + 1 < n && in->before + length < at) {
        in->before += length;
        in->i++;
        length = fb_v3_distance(points[in->i - 1], points[in->i]);
    }
    double part = length > 0 ? (at - in->before) / length : 0, d[3];
    fb_v3_sub(d, points[in->i], points[in->i - 1]);
    fb_v3_copy(place, points[in->i - 1]);
    fb_v3_madd(place, part, d);
}

/* The mean over windows of half-widths `half`, which shrink towards the ends so that they stay. */
static void smooth(double (*to)[3], const double (*from)[3], const int *half) {
    double sum[DENSE + 1][3];
    fb_v3_set(sum[0], 0, 0, 0);
    for (int i = 0; i < DENSE; i++) {
        fb_v3_add(sum[i + 1], sum[i], from[i]);
    }
    for (int i = 0; i < DENSE; i++) {
        int h = i < DENSE - 1 - i ? i : DENSE - 1 - i;
        h = h < half[i] ? h : half[i];
        fb_v3_sub(to[i], sum[i + h + 1], sum[i - h]);
        fb_v3_scale(to[i], 1.0 / (2 * h + 1), to[i]);
    }
}

/* A core that is rounded. */
typedef struct curve {
    double points[DENSE][3];
    double before[DENSE]; /* length before each point */
    double length, belly[2], widest;
} curve;

/* A core with its corners rounded, and its lengths scaled to it. */
static const char *round_core(curve *c, const fb_core_line *core, double radius,
                              fb_core_shape shape) {
    double length = core->n_points < 2 ? 0 : length_of(core->points, core->n_points);
    if (!(length > 0)) {
        return "a core has no length";
    }
    if (!(core->belly[0] >= -1e-9 * length && core->belly[0] < core->widest &&
          core->widest < core->belly[1] && core->belly[1] <= length * (1 + 1e-9))) {
        return "a core's belly does not lie within its length";
    }
    double raw[DENSE][3], once[DENSE][3];
    int half[DENSE];
    piece in = {1, 0};
    for (int i = 0; i < DENSE; i++) {
        double at = length * i / (DENSE - 1), thick = 1;
        point_at(raw[i], core->points, core->n_points, at, &in);
        double out = fb_greater(core->belly[0] - at, at - core->belly[1]);
        if (out > 0) { /* into the tendon */
            thick = fb_greater(1 - (1 - TENDON_ROUND) * out / (2 * radius), TENDON_ROUND);
        }
        double points = 0.5 * ROUND * thick * radius / length * (DENSE - 1);
        half[i] = (int)fb_lesser(points + 0.5, (DENSE - 1) / 4);
    }
    smooth(once, (const double(*)[3])raw, half);
    smooth(c->points, (const double(*)[3])once, half);
    for (int i = 0; i < DENSE && shape != FB_CORE_ROUNDED; i++) { /* a Bezier curve of degree 2 */
        double t = (double)i / (DENSE - 1), middle[3];
        for (int k = 0; k < 3; k++) {
            middle[k] = 0.5 * (raw[0][k] + raw[DENSE - 1][k]);
            if (shape == FB_CORE_ARC) {
                middle[k] = 2 * raw[DENSE / 2][k] - middle[k];
            }
            c->points[i][k] = (1 - t) * (1 - t) * raw[0][k] + 2 * t * (1 - t) * middle[k] +
                              t * t * raw[DENSE - 1][k];
        }
    }
    c->before[0] = 0;
    for (int i = 1; i < DENSE; i++) {
        c->before[i] = c->before[i - 1] + fb_v3_distance(c->points[i - 1], c->points[i]);
    }
    c->length = c->before[DENSE - 1];
    double scale = c->length / length;
    c->belly[0] = scale * fb_greater(core->belly[0], 0);
    c->belly[1] = scale * fb_lesser(core->belly[1], length);
    c->widest = scale * core->widest;
    return NULL;
}

static void curve_at(double *place, const curve *c, double at) {
    int low = 1, high = DENSE - 1; /* the first point that is not before it, if there is one */
    while (low < high) {
        int middle = (low + high) / 2;
        if (c->before[middle] < at) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    piece in = {low, c->before[low - 1]};
    point_at(place, (const double(*)[3])c->points, DENSE, at, &in);
}

void fb_core_bent(double (*points)[3], int n, double length, double about_x, double about_y) {
    double angle = fb_length2(about_x, about_y);
    /* turning about x by a positive angle takes z to -y; about y, to x */
    double dx = angle > 0 ? about_y / angle : 0, dy = angle > 0 ? -about_x / angle : 0;
    for (int i = 0; i < n; i++) {
        double part = n > 1 ? (double)i / (n - 1) : 0, turn = angle * part;
        double aside = angle > 1e-12 ? length / angle * (1 - cos(turn)) : 0;
        double along = angle > 1e-12 ? length / angle * sin(turn) : length * part;
        fb_v3_set(points[i], dx * aside, dy * aside, along);
    }
}

/* ---- sections -------------------------------------------------------------------------------- */

void fb_sections_free(fb_sections *sections) {
    fb_free(sections->heads);
    fb_free(sections->frames);
    fb_free(sections->width);
    fb_free(sections->area);
    fb_free(sections->bow);
    memset(sections, 0, sizeof *sections);
}

/* How many layers a tendon of some length has. */
static size_t tendon_layers(double tendon, double layer) {
    if (tendon < 0.5 * layer) { /* too short for one: it counts as belly */
        return 0;
    }
    size_t n = (size_t)ceil(tendon / (TENDON_LAYER * layer));
    return n < 1 ? 1 : n > TENDON_LAYERS ? TENDON_LAYERS : n;
}

/* Everything while sections are made. */
typedef struct maker {
    fb_sections *s;
    const fb_core_line *lines;
    const fb_section_options *o;
    curve *cores;
    fb_frame *mean;     /* [n] of the cores' mean */
    double (*place)[3]; /* [n] */
    double (*own)[3];   /* [n][heads]: where heads that go their own way are */
    bool *apart;        /* [n]: heads go their own way here */
    double *way;        /* [n]: how far heads go their own way, 0 to 1 */
    double *far;        /* [n]: distance from the shared end, counted from it */
    bool upper_shared;
} maker;

/* How far the cores' ends lie from each other. */
static double spread_of_ends(const maker *m, bool upper) {
    double most = 0;
    for (size_t h = 1; h < m->s->n_heads; h++) {
        double p[3], q[3];
        curve_at(p, m->cores, upper ? m->cores[0].length : 0);
        curve_at(q, m->cores + h, upper ? m->cores[h].length : 0);
        most = fb_greater(most, fb_v3_distance(p, q));
    }
    return most;
}

/* A length along a core, counted from the shared end. */
static double from_shared(const maker *m, const curve *c, double at) {
    return m->upper_shared ? c->length - at : at;
}

static size_t section_of(const maker *m, size_t count) {
    return m->upper_shared ? m->s->n - 1 - count : count;
}

/* The section nearest to a distance from the shared end. */
static size_t nearest(const maker *m, double far) {
    size_t best = 0;
    for (size_t c = 1; c < m->s->n; c++) {
        if (fabs(m->far[c] - far) < fabs(m->far[best] - far)) {
            best = c;
        }
    }
    return section_of(m, best);
}

/* The lengths of a head's core between its sections. */
static void measure_head(maker *m, size_t h) {
    curve *c = m->cores + h;
    fb_section_head *head = m->s->heads + h;
    c->belly[0] = head->first < head->lower ? c->belly[0] : 0;
    c->belly[1] = head->last > head->upper ? c->belly[1] : c->length;
    head->below = c->widest - c->belly[0];
    head->above = c->belly[1] - c->widest;
}

/* Where a head begins and ends; false if its belly is too short. near, away, end, widest: for heads
 * that stay together, the distances of their mean's belly, its far end and its widest section. */
static bool lay_head(maker *m, size_t h, double near, double away, double end, double widest) {
    curve *c = m->cores + h;
    fb_section_head *head = m->s->heads + h;
    double ends[2] = {from_shared(m, c, 0), from_shared(m, c, c->length)};
    double junction[2] = {from_shared(m, c, c->belly[0]), from_shared(m, c, c->belly[1])};
    double thickest = from_shared(m, c, c->widest);
    if (m->o->together) {
        ends[m->upper_shared ? 0 : 1] = end;
        junction[m->upper_shared ? 0 : 1] = away;
        junction[m->upper_shared ? 1 : 0] = near;
        thickest = widest;
    }
    head->first = nearest(m, ends[0]);
    head->last = nearest(m, ends[1]);
    head->lower = nearest(m, junction[0]);
    head->upper = nearest(m, junction[1]);
    head->widest = nearest(m, thickest);
    if (head->upper < head->lower + 2) {
        return false;
    }
    head->widest = head->widest <= head->lower ? head->lower + 1 : head->widest;
    head->widest = head->widest >= head->upper ? head->upper - 1 : head->widest;
    if (head->first >= head->lower) { /* tendons too short for a layer are belly */
        head->lower = head->first < head->lower ? head->first : head->lower;
        head->first = head->lower;
    }
    head->last = head->last <= head->upper ? head->upper : head->last;
    measure_head(m, h);
    return true;
}

void fb_section_layout_free(fb_section_layout *layout) {
    fb_free(layout->heads);
    memset(layout, 0, sizeof *layout);
}

/* Sections as they were held. */
static const char *lay_as_before(maker *m) {
    fb_sections *s = m->s;
    const fb_section_layout *layout = m->o->layout;
    m->upper_shared = layout->upper_shared;
    s->n = layout->n;
    s->base = layout->base;
    s->heads = fb_alloc(s->n_heads * sizeof *s->heads);
    if (!s->heads) {
        return "there is not enough memory for its sections";
    }
    memcpy(s->heads, layout->heads, s->n_heads * sizeof *s->heads);
    for (size_t h = 0; h < s->n_heads; h++) {
        measure_head(m, h);
    }
    return NULL;
}

/* Holds the sections; without memory they are not held. */
static void hold(const maker *m) {
    fb_section_layout *layout = m->o->layout;
    size_t bytes = m->s->n_heads * sizeof *layout->heads;
    layout->heads = fb_alloc(bytes);
    if (layout->heads) {
        memcpy(layout->heads, m->s->heads, bytes);
        layout->n = m->s->n;
        layout->base = m->s->base;
        layout->n_heads = m->s->n_heads;
        layout->upper_shared = m->upper_shared;
    }
}

/* Distances of the sections from the shared end, and where each head begins and ends. */
static const char *lay_out(maker *m) {
    fb_sections *s = m->s;
    double near = m->o->together ? 0 : 1e9, away = 0, end = 0, belly = 0, sum = 0, widest = 0;
    m->upper_shared = s->n_heads < 2 || spread_of_ends(m, true) <= spread_of_ends(m, false);
    for (size_t h = 0; h < s->n_heads; h++) {
        const curve *c = m->cores + h;
        double one = from_shared(m, c, c->belly[0]), two = from_shared(m, c, c->belly[1]);
        double share = m->lines[h].right - m->lines[h].left;
        if (m->o->together) { /* the mean's: each head's at the same part of it */
            near += share * fb_lesser(one, two);
            away += share * fb_greater(one, two);
            end += share * c->length;
        } else {
            near = fb_lesser(near, fb_lesser(one, two));
            away = fb_greater(away, fb_greater(one, two));
            end = fb_greater(end, c->length);
        }
        belly += share * (c->belly[1] - c->belly[0]);
        widest += share * from_shared(m, c, c->widest);
        sum += share;
    }
    belly /= sum;
    widest /= sum;
    if (m->o->together) {
        near /= sum;
        away /= sum;
        end /= sum;
    }
    double turn = 0.75 * fabs(m->o->twist) * belly / (0.5 * end * TURN);
    size_t layers = m->o->layers < 2 ? 2 : m->o->layers;
    layers = (double)layers < turn ? (size_t)ceil(turn) : layers;
    double layer = belly / (double)layers;
    size_t close = tendon_layers(near, layer), beyond = tendon_layers(end - away, layer);
    if ((away - near) / layer > MOST_LAYERS) {
        return "its bellies are too short beside the way that they lie apart";
    }
    size_t middle = (size_t)floor((away - near) / layer + 0.5);
    size_t extra = m->o->more > 0 ? (size_t)ceil(m->o->more / layer) + 1 : 0;
    middle = middle < 2 ? 2 : middle;
    s->n = 2 * extra + close + middle + beyond + 1;
    m->far = fb_alloc(s->n * sizeof *m->far);
    s->heads = fb_alloc(s->n_heads * sizeof *s->heads);
    if (!m->far || !s->heads) {
        return "there is not enough memory for its sections";
    }
    double step = (away - near) / (double)middle;
    for (size_t c = 0; c < s->n; c++) {
        double i = (double)c - (double)extra, at = i - (double)close;
        m->far[c] = i < 0                  ? i * step
                    : i < (double)close    ? near * i / (double)close
                    : at <= (double)middle ? near + at * step
                    : at <= (double)(middle + beyond)
                        ? away + (end - away) * (at - (double)middle) / (double)beyond
                        : end + (at - (double)(middle + beyond)) * step;
    }
    for (size_t h = 0; h < s->n_heads; h++) {
        if (!lay_head(m, h, near, away, end, widest)) {
            return "one of its heads is too short beside the others";
        }
    }
    s->base = s->n_heads > 1 ? nearest(m, widest) : s->heads[0].widest;
    s->base = s->base < 1 ? 1 : s->base > s->n - 2 ? s->n - 2 : s->base;
    return NULL;
}

/* The length along its core at which a head has section k. */
static double length_at(const maker *m, size_t head, size_t k) {
    const fb_section_head *h = m->s->heads + head;
    const curve *c = m->cores + head;
    const size_t at[5] = {h->first, h->lower, h->widest, h->upper, h->last};
    const double s[5] = {0, c->belly[0], c->widest, c->belly[1], c->length};
    int i = 0;
    while (i < 3 && (k > at[i + 1] || at[i + 1] == at[i])) {
        i++;
    }
    if (at[i + 1] == at[i]) { /* beyond a belly without tendon */
        i--;
    }
    double step = (s[i + 1] - s[i]) / (double)(at[i + 1] - at[i]);
    return s[i] + step * ((double)k - (double)at[i]);
}

/* Whether a head has bundles in a section: 1, fading to 0 beyond its ends. */
static double presence(const maker *m, size_t head, size_t k) {
    const fb_section_head *h = m->s->heads + head;
    double out = k < h->first ? (double)(h->first - k) : k > h->last ? (double)(k - h->last) : 0;
    return fb_greater(1 - out / FADE, 1e-6);
}

static void place_of(double *p, const maker *m, size_t head, size_t k) {
    curve_at(p, m->cores + head, length_at(m, head, k));
}

/* Unit direction of the parabola through the places of three neighbouring sections. */
static bool direction(double *z, const double (*place)[3], size_t n, size_t k) {
    size_t m = k == 0 ? 1 : k == n - 1 ? n - 2 : k;
    double d0[3], d1[3];
    fb_v3_sub(d0, place[m], place[m - 1]);
    fb_v3_sub(d1, place[m + 1], place[m]);
    double h0 = fb_v3_normalize(d0), h1 = fb_v3_normalize(d1);
    if (!(h0 > 0 && h1 > 0) || fb_v3_dot(d0, d1) < FOLD) {
        return false;
    }
    double t[3];
    for (int i = 0; i < 3; i++) {
        t[i] = (h1 * d0[i] + h0 * d1[i]) / (h0 + h1);
        z[i] = k < m ? 2 * d0[i] - t[i] : k > m ? 2 * d1[i] - t[i] : t[i];
    }
    return fb_v3_normalize(z) > 0;
}

/* x and y square to z, y as near to `up` as can be. */
static bool set_up(fb_frame *f, const double *up) {
    fb_v3_cross(f->x, up, f->z);
    if (fb_v3_normalize(f->x) < 1e-9) {
        double other[3] = {fabs(f->z[0]) < 0.6, fabs(f->z[0]) >= 0.6, 0};
        fb_v3_cross(f->x, other, f->z);
        if (!(fb_v3_normalize(f->x) > 0)) {
            return false;
        }
    }
    fb_v3_cross(f->y, f->z, f->x);
    return true;
}

/* Frames along the places, carried from the base without turning about z. */
static const char *carry(fb_frame *frames, const double (*place)[3], size_t n, size_t base,
                         const double *up) {
    for (size_t k = 0; k < n; k++) {
        fb_v3_copy(frames[k].o, place[k]);
        if (!direction(frames[k].z, place, n, k)) {
            return "its core folds on itself";
        }
    }
    if (!set_up(frames + base, up)) {
        return "a core has no direction";
    }
    for (size_t k = base; k + 1 < n; k++) {
        set_up(frames + k + 1, frames[k].y);
    }
    for (size_t k = base; k > 0; k--) {
        set_up(frames + k - 1, frames[k].y);
    }
    return NULL;
}

static void turn_about_z(fb_frame *f, double angle) {
    double c = cos(angle), s = sin(angle), x[3], y[3];
    for (int i = 0; i < 3; i++) {
        x[i] = c * f->x[i] + s * f->y[i];
        y[i] = c * f->y[i] - s * f->x[i];
    }
    fb_v3_copy(f->x, x);
    fb_v3_copy(f->y, y);
}

/* The mean frames twisted about the core: steadily in the middle, fading towards the ends. */
static void twist(maker *m) {
    fb_sections *s = m->s;
    size_t ends[2] = {s->n, 0};
    for (size_t h = 0; h < s->n_heads; h++) {
        ends[0] = s->heads[h].first < ends[0] ? s->heads[h].first : ends[0];
        ends[1] = s->heads[h].last > ends[1] ? s->heads[h].last : ends[1];
    }
    double side[2] = {0, 0};
    for (size_t k = ends[0]; k < ends[1]; k++) {
        side[k >= s->base] += fb_v3_distance(m->mean[k].o, m->mean[k + 1].o);
    }
    for (int up = 0; up < 2; up++) {
        double at = 0;
        for (size_t k = s->base; up ? k + 1 < s->n : k > 0; k = up ? k + 1 : k - 1) {
            size_t next = up ? k + 1 : k - 1;
            at += fb_v3_distance(m->mean[k].o, m->mean[next].o);
            double u = fb_lesser(at / side[up], 1);
            double angle = m->o->twist / 2 * (1.5 * u - 0.5 * u * u * u);
            turn_about_z(m->mean + next, up ? angle : -angle);
        }
    }
}

/* How far section k is from where a head is widest, of its belly's half there; 1 in the tendon. */
static double part_of_belly(const fb_section_head *h, size_t k) {
    double part = k < h->widest ? (double)(h->widest - k) / (double)(h->widest - h->lower)
                                : (double)(k - h->widest) / (double)(h->upper - h->widest);
    return fb_lesser(part, 1);
}

/* A bundle's width in section k, of that of the widest. */
static double width_at(const maker *m, size_t head, size_t k) {
    const fb_sections *s = m->s;
    const fb_section_head *h = s->heads + head;
    if (s->width) {
        return s->width[head * s->n + k];
    }
    double part = m->o->cut * part_of_belly(h, k);
    return sqrt(1 - part * part);
}

/* How far the two outermost cores lie apart in section k. */
static double spread_at(const maker *m, size_t k) {
    double p[3], q[3];
    place_of(p, m, 0, k);
    place_of(q, m, m->s->n_heads - 1, k);
    fb_v3_sub(q, q, p);
    fb_v3_madd(q, -fb_v3_dot(q, m->mean[k].z), m->mean[k].z);
    return fb_v3_norm(q);
}

/* How much of all sections together is left in section k of a head. */
static double area_at(const maker *m, const fb_section_head *h, size_t k) {
    double cut = m->o->cut;
    if (m->o->pile < 1) {
        return k >= h->lower && k <= h->upper ? 1 : (1 - cut * cut) / m->o->pile;
    }
    double part = cut * part_of_belly(h, k);
    return 1 - part * part;
}

/* Widths of a sheet: as a half-ellipse along the belly, gathered along the tendons. */
static void sheet_widths(double *width, const fb_section_head *h, size_t n) {
    for (size_t k = 0; k < n; k++) {
        double part = part_of_belly(h, k);
        width[k] = sqrt(1 - SHEET * SHEET * part * part);
        size_t beyond = k < h->lower ? h->lower - k : k > h->upper ? k - h->upper : 0;
        size_t tendon = k < h->widest ? h->lower - h->first : h->last - h->upper;
        if (beyond > 0 && tendon > 0) {
            double at = fb_lesser((double)beyond / (double)tendon, 1);
            width[k] += at * at * (3 - 2 * at) * (GATHERED - width[k]);
        }
    }
}

/* Averages of neighbours, 1 2 1. */
static void soften(double *x, size_t n, int sweeps) {
    for (int sweep = 0; sweep < sweeps; sweep++) {
        double before = x[0];
        for (size_t k = 1; k + 1 < n; k++) {
            double here = x[k];
            x[k] = 0.25 * before + 0.5 * here + 0.25 * x[k + 1];
            before = here;
        }
    }
}

/* Widths by the law, nowhere changing more steeply than bundles can follow. */
static void set_widths(maker *m) {
    fb_sections *s = m->s;
    for (size_t h = 0; h < s->n_heads; h++) {
        double *width = s->width + h * s->n;
        if (m->o->law == FB_WIDTH_FAN && s->n_heads > 1) {
            double base = spread_at(m, s->base);
            for (size_t k = 0; k < s->n; k++) {
                double least = fb_greater(FAN_LEAST, area_at(m, s->heads + h, k) / FAN_HIGHEST);
                width[k] = fb_lesser(fb_greater(spread_at(m, k) / base, least), FAN_MOST);
            }
            soften(width, s->n, SMOOTHINGS);
            double middle = width[s->base];
            for (size_t k = 0; k < s->n; k++) {
                width[k] /= middle;
            }
        } else {
            sheet_widths(width, s->heads + h, s->n);
        }
        size_t from = s->n_heads > 1 && m->o->law == FB_WIDTH_FAN ? s->base : s->heads[h].widest;
        for (size_t i = 1; i < s->n; i++) {
            size_t k = i <= from ? from - i : i, before = k < from ? k + 1 : k - 1;
            double p[3], q[3];
            place_of(p, m, h, k);
            place_of(q, m, h, before);
            double most = STEEPEST * fb_v3_distance(p, q) / m->o->span;
            double change = width[k] - width[before];
            width[k] = width[before] + fb_lesser(fb_greater(change, -most), most);
        }
    }
}

/* Where in section k the boundaries of a head's strip are along x, m, all strips together. */
static void strip_at(const maker *m, size_t head, size_t k, double *left, double *right) {
    double at = 0;
    bool on_right = m->lines[head].left + m->lines[head].right >= 0;
    size_t zero = 0; /* the strip with the plane x = 0, or the first on its right */
    while (zero + 1 < m->s->n_heads && m->lines[zero].right <= 0) {
        zero++;
    }
    double a0 = ROOM * m->lines[zero].half_width * width_at(m, zero, k);
    if (head == zero) {
        *left = a0 * m->lines[zero].left;
        *right = a0 * m->lines[zero].right;
    } else if (on_right && head > zero) {
        at = a0 * m->lines[zero].right;
        for (size_t h = zero + 1; h <= head; h++) {
            *left = at;
            at += ROOM * m->lines[h].half_width * width_at(m, h, k) *
                  (m->lines[h].right - m->lines[h].left);
        }
        *right = at;
    } else {
        at = a0 * fb_lesser(m->lines[zero].left, 0);
        for (size_t h = zero; h-- > head;) {
            *right = at;
            at -= ROOM * m->lines[h].half_width * width_at(m, h, k) *
                  (m->lines[h].right - m->lines[h].left);
        }
        *left = at;
    }
}

/* Where heads that go their own way are in section k: on their cores, but no nearer to each other
 * than their bundles need. */
static void own_places(const maker *m, size_t k) {
    size_t heads = m->s->n_heads, middle = heads / 2;
    double left, right, *own = m->own[k * heads];
    for (size_t i = 0; i < heads; i++) { /* from the middle to the right, then to the left */
        size_t h = i < heads - middle ? middle + i : heads - 1 - i;
        double *p = own + 3 * h;
        place_of(p, m, h, k);
        if (h == middle || presence(m, h, k) < 1) {
            continue;
        }
        size_t beside = h > middle ? h - 1 : h + 1;
        double need, d[3], *q = own + 3 * beside;
        strip_at(m, h, k, &left, &right);
        need = 0.5 * (left + right);
        strip_at(m, beside, k, &left, &right);
        need = fabs(need - 0.5 * (left + right));
        fb_v3_sub(d, p, q);
        double along = fb_v3_dot(d, m->mean[k].z);
        fb_v3_madd(d, -along, m->mean[k].z);
        double apart = fb_v3_norm(d), side = h > middle ? 1 : -1;
        if (apart < need) { /* towards its own side, and as far as it takes */
            fb_v3_madd(d, side * (need - apart), m->mean[k].x);
            double l = fb_v3_norm(d);
            fb_v3_scale(d, need / (l > 0 ? l : 1), d);
            fb_v3_madd(d, along, m->mean[k].z);
            fb_v3_add(p, q, d);
        }
    }
}

/* How far heads go their own way: where their cores are further apart than bundles need. */
static void part_ways(maker *m) {
    fb_sections *s = m->s;
    for (size_t k = 0; k < s->n; k++) {
        double last[3], left, right, centre = 0;
        bool any = false;
        m->way[k] = 0;
        for (size_t h = 0; h < s->n_heads && !m->o->together; h++) {
            double p[3], before = centre;
            if (presence(m, h, k) < 1) {
                continue;
            }
            strip_at(m, h, k, &left, &right);
            centre = 0.5 * (left + right);
            place_of(p, m, h, k);
            if (any) {
                double d[3];
                fb_v3_sub(d, p, last);
                fb_v3_madd(d, -fb_v3_dot(d, m->mean[k].z), m->mean[k].z);
                double gap = fb_v3_norm(d) / (centre - before) - 1;
                m->way[k] = fb_greater(m->way[k], fb_lesser(gap / OWN_WAY, 1));
            }
            fb_v3_copy(last, p);
            any = true;
        }
    }
    soften(m->way, s->n, PARTINGS);
    for (size_t k = 0; k < s->n; k++) {
        m->apart[k] = m->way[k] > CLEAR;
        own_places(m, k);
    }
}

/* The frames of a head: those of the mean, or along its own core. */
static const char *head_frames(maker *m, size_t h) {
    fb_sections *s = m->s;
    fb_frame *own = s->frames + h * s->n;
    for (size_t k = 0; k < s->n; k++) {
        double left, right, p[3];
        strip_at(m, h, k, &left, &right);
        fb_v3_copy(m->place[k], m->mean[k].o);
        fb_v3_madd(m->place[k], 0.5 * (left + right), m->mean[k].x);
        fb_v3_sub(p, m->own[k * s->n_heads + h], m->place[k]);
        fb_v3_madd(m->place[k], m->apart[k] ? m->way[k] : 0, p);
    }
    /* carried along the head from where it leaves the others, outward from the base */
    for (size_t i = 0; i < s->n; i++) {
        size_t k = i <= s->base ? s->base - i : i, before = k < s->base ? k + 1 : k - 1;
        double left, right;
        own[k] = m->mean[k];
        if (m->apart[k]) {
            if (!direction(own[k].z, (const double(*)[3])m->place, s->n, k)) {
                return "a head's core folds on itself";
            }
            set_up(own + k, k == s->base ? m->mean[k].y : own[before].y);
        }
        /* the plane against which its innermost column stands */
        strip_at(m, h, k, &left, &right);
        double inner = m->lines[h].left >= 0 ? left : m->lines[h].right <= 0 ? right : 0;
        fb_v3_copy(own[k].o, m->place[k]);
        fb_v3_madd(own[k].o, inner - 0.5 * (left + right), own[k].x);
    }
    return NULL;
}

static const char *make(maker *m) {
    fb_sections *s = m->s;
    const char *why = NULL;
    for (size_t h = 0; h < s->n_heads && !why; h++) {
        why = round_core(m->cores + h, m->lines + h, m->o->radius, m->o->shape);
    }
    fb_section_layout *layout = m->o->layout;
    if (!why && layout && layout->n > 0 && layout->n_heads == s->n_heads) {
        why = lay_as_before(m);
    } else if (!why) {
        why = lay_out(m);
        if (!why && layout && layout->n == 0) {
            hold(m);
        }
    }
    if (why) {
        return why;
    }
    s->frames = fb_alloc(s->n_heads * s->n * sizeof *s->frames);
    m->apart = fb_alloc(s->n * sizeof *m->apart);
    s->width = m->o->law == FB_WIDTH_ROUND ? NULL : fb_alloc(s->n_heads * s->n * sizeof *s->width);
    m->mean = fb_alloc(s->n * sizeof *m->mean);
    m->place = fb_alloc(s->n * sizeof *m->place);
    m->way = fb_alloc(s->n * sizeof *m->way);
    m->own = fb_alloc(s->n * s->n_heads * sizeof *m->own);
    if (!s->frames || !m->apart || !m->mean || !m->place || !m->way || !m->own ||
        (m->o->law != FB_WIDTH_ROUND && !s->width)) {
        return "there is not enough memory for its sections";
    }
    for (size_t k = 0; k < s->n; k++) {
        double sum = 0;
        m->apart[k] = false;
        fb_v3_set(m->place[k], 0, 0, 0);
        for (size_t h = 0; h < s->n_heads; h++) {
            double p[3], weight = presence(m, h, k) * (m->lines[h].right - m->lines[h].left);
            place_of(p, m, h, k);
            fb_v3_madd(m->place[k], weight, p);
            sum += weight;
        }
        fb_v3_scale(m->place[k], 1 / sum, m->place[k]);
    }
    why = carry(m->mean, (const double(*)[3])m->place, s->n, s->base, m->o->up);
    if (why) {
        return why;
    }
    twist(m);
    if (s->width) {
        set_widths(m);
    }
    if (s->n_heads == 1) {
        memcpy(s->frames, m->mean, s->n * sizeof *s->frames);
        return NULL;
    }
    part_ways(m);
    for (size_t h = 0; h < s->n_heads && !why; h++) {
        why = head_frames(m, h);
    }
    return why;
}

const char *fb_sections_along(fb_sections *sections, const fb_core_line *cores, size_t n_heads,
                              const fb_section_options *options) {
    memset(sections, 0, sizeof *sections);
    sections->n_heads = n_heads;
    maker m = {.s = sections, .lines = cores, .o = options};
    m.cores = fb_alloc(n_heads * sizeof *m.cores);
    const char *why = m.cores ? make(&m) : "there is not enough memory for its sections";
    fb_free(m.cores);
    fb_free(m.mean);
    fb_free(m.place);
    fb_free(m.apart);
    fb_free(m.way);
    fb_free(m.own);
    fb_free(m.far);
    if (why) {
        fb_sections_free(sections);
    }
    return why;
}
