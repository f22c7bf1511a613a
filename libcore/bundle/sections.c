#include "libcore/bundle/sections.h"

#include <string.h>

#include "libcore/base/arena.h"
#include "libcore/base/spatial.h"

#define DENSE 257        /* points of a core that is rounded */
#define ROUND 1.5        /* of the muscle's radius: over which corners are rounded */
#define TURN 0.2         /* rad that a section may be twisted against the one before */
#define TENDON_LAYER 1.5 /* layers of tendon are so many times as long as those of the belly */
#define TENDON_LAYERS 32 /* at most */
#define TENDON_ROUND 0.3 /* tendons are so thick, of the belly, where corners are rounded */
#define SHEET 0.8        /* of half-ellipses: how a sheet's width tapers along its belly */
#define GATHERED 0.3     /* width of a sheet's tendon at its end */
#define FAN_LEAST 0.35   /* width of a fan, of that where it is widest .. */
#define FAN_MOST 1.8
#define STEEPEST 0.5 /* tangent: how fast the outermost bundles come nearer to the core */
#define OWN_WAY 1    /* of what bundles need: so much more, and a head follows its core alone */
#define CLEAR 0.02   /* of what bundles need: less, and heads stay together */
#define SMOOTHINGS 6 /* of the way from together to apart, over sections */
#define FOLD (-0.5)  /* cosine of the turn between layers at which a core folds on itself */

/* ---- curves ---------------------------------------------------------------------------------- */

static double length_of(const double (*points)[3], int n) {
    double length = 0;
    for (int i = 1; i < n; i++) {
        length += fb_v3_distance(points[i - 1], points[i]);
    }
    return length;
}

/* The place at a length along a polyline; beyond its ends straight on. */
static void point_at(double *place, const double (*points)[3], int n, double at) {
    int i = 1;
    double done = 0, piece = fb_v3_distance(points[0], points[1]);
    while (i + 1 < n && done + piece < at) {
        done += piece;
        i++;
        piece = fb_v3_distance(points[i - 1], points[i]);
    }
    double part = piece > 0 ? (at - done) / piece : 0, d[3];
    fb_v3_sub(d, points[i], points[i - 1]);
    fb_v3_copy(place, points[i - 1]);
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

typedef struct curve {
    double points[DENSE][3];
    double length;
    double belly[2], widest;
} curve;

/* A core with its corners rounded, and its lengths scaled to it. */
static const char *round_core(curve *c, const fb_core_line *core, double radius, bool keep) {
    double length = length_of(core->points, core->n_points);
    if (core->n_points < 2 || !(length > 0)) {
        return "a core has no length";
    }
    if (!(core->belly[0] >= -1e-9 * length && core->belly[0] < core->widest &&
          core->widest < core->belly[1] && core->belly[1] <= length * (1 + 1e-9))) {
        return "a core's belly does not lie within its length";
    }
    double raw[DENSE][3], once[DENSE][3];
    int half[DENSE];
    for (int i = 0; i < DENSE; i++) {
        double at = length * i / (DENSE - 1), thick = 1;
        point_at(raw[i], core->points, core->n_points, at);
        double out = fb_greater(core->belly[0] - at, at - core->belly[1]) / (2 * radius);
        if (out > 0) { /* into the tendon */
            thick = fb_greater(1 - (1 - TENDON_ROUND) * out, TENDON_ROUND);
        }
        half[i] = (int)(0.5 * ROUND * thick * radius / length * (DENSE - 1) + 0.5);
        half[i] = keep ? 0 : half[i] > (DENSE - 1) / 4 ? (DENSE - 1) / 4 : half[i];
    }
    smooth(once, (const double(*)[3])raw, half);
    smooth(c->points, (const double(*)[3])once, half);
    c->length = length_of((const double(*)[3])c->points, DENSE);
    double scale = c->length / length;
    c->belly[0] = scale * fb_greater(core->belly[0], 0);
    c->belly[1] = scale * fb_lesser(core->belly[1], length);
    c->widest = scale * core->widest;
    return NULL;
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
    fb_free(sections->frames);
    fb_free(sections->apart);
    fb_free(sections->part);
    fb_free(sections->width);
    fb_free(sections->area);
    memset(sections, 0, sizeof *sections);
}

/* How many layers a tendon of some length has. */
static size_t tendon_layers(double tendon, double layer) {
    if (tendon < 0.02 * layer) {
        return 0;
    }
    size_t n = (size_t)ceil(tendon / (TENDON_LAYER * layer));
    return n < 1 ? 1 : n > TENDON_LAYERS ? TENDON_LAYERS : n;
}

/* The length along a core of section k. */
static double length_at(const fb_sections *s, const curve *c, size_t k) {
    double first = (double)s->first, lower = (double)s->lower, base = (double)s->base;
    double upper = (double)s->upper, last = (double)s->last, at = (double)k;
    double below = (c->widest - c->belly[0]) / (base - lower);
    double above = (c->belly[1] - c->widest) / (upper - base);
    if (k < s->first) {
        return (at - first) * below;
    }
    if (k < s->lower) {
        return c->belly[0] * (at - first) / (lower - first);
    }
    if (k <= s->base) {
        return c->belly[0] + below * (at - lower);
    }
    if (k <= s->upper) {
        return c->widest + above * (at - base);
    }
    if (k <= s->last) {
        return c->belly[1] + (c->length - c->belly[1]) * (at - upper) / (last - upper);
    }
    return c->length + (at - last) * above;
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

/* The angle by which section k is twisted against the base: steadily in the middle, fading towards
 * the ends. */
static double twist_at(const fb_sections *s, const curve *mean, size_t k, double twist) {
    double at = length_at(s, mean, k) - mean->widest;
    double side = at < 0 ? mean->widest : mean->length - mean->widest;
    double u = fb_lesser(fb_greater(at / side, -1), 1);
    return twist / 2 * (1.5 * u - 0.5 * u * u * u);
}

/* A bundle's width in section k, of that of the widest. */
static double width_at(const fb_sections *s, size_t k, const double cut[2]) {
    if (s->width) {
        return s->width[k];
    }
    double at = s->part[k] < 0 ? cut[0] * fb_greater(s->part[k], -1)
                               : cut[1] * fb_lesser(s->part[k], 1);
    return sqrt(1 - at * at);
}

/* How far the two outermost cores lie apart along x in section k. */
static double spread_at(const fb_sections *s, const curve *cores, const fb_frame *mean, size_t k) {
    double p[3], q[3], d[3];
    point_at(p, cores[0].points, DENSE, length_at(s, cores, k));
    point_at(q, cores[s->n_heads - 1].points, DENSE, length_at(s, cores + s->n_heads - 1, k));
    fb_v3_sub(d, q, p);
    fb_v3_madd(d, -fb_v3_dot(d, mean[k].z), mean[k].z);
    return fb_v3_norm(d);
}

/* Widths by the law. */
static void set_widths(fb_sections *s, const curve *cores, const fb_frame *mean,
                       const fb_section_options *o, fb_width_law law) {
    double base = law == FB_WIDTH_FAN ? spread_at(s, cores, mean, s->base) : 1;
    for (size_t k = 0; k < s->n; k++) {
        double part = fb_lesser(fabs(s->part[k]), 1);
        if (law == FB_WIDTH_FAN) {
            double fan = spread_at(s, cores, mean, k) / base;
            s->width[k] = fb_lesser(fb_greater(fan, FAN_LEAST), FAN_MOST);
            continue;
        }
        s->width[k] = sqrt(1 - SHEET * SHEET * part * part);
        size_t from = k < s->base ? s->lower - s->first : s->last - s->upper;
        size_t beyond = k < s->lower ? s->lower - k : k > s->upper ? k - s->upper : 0;
        if (beyond > 0 && from > 0) {
            double at = fb_lesser((double)beyond / (double)from, 1);
            s->width[k] += at * at * (3 - 2 * at) * (GATHERED - s->width[k]);
        }
    }
    if (law == FB_WIDTH_FAN && base > 0) { /* smoothly */
        for (int sweep = 0; sweep < 3; sweep++) {
            double before = s->width[0];
            for (size_t k = 1; k + 1 < s->n; k++) {
                double here = s->width[k];
                s->width[k] = 0.25 * before + 0.5 * here + 0.25 * s->width[k + 1];
                before = here;
            }
        }
        double middle = s->width[s->base];
        for (size_t k = 0; k < s->n; k++) {
            s->width[k] /= middle;
        }
    }
    for (size_t i = 1; i < s->n; i++) { /* from the base outward, no more steeply than can be */
        size_t k = i <= s->base ? s->base - i : i, before = k < s->base ? k + 1 : k - 1;
        double most = STEEPEST * fb_v3_distance(mean[k].o, mean[before].o) / o->span;
        double change = s->width[k] - s->width[before];
        s->width[k] = s->width[before] + fb_lesser(fb_greater(change, -most), most);
    }
}

/* Where heads are apart: places of the heads' planes, each with its own frame. */
static const char *part_heads(fb_sections *s, const curve *cores, const fb_strip *strips,
                              const fb_frame *mean, const fb_section_options *o,
                              double (*places)[3], double *offset, double *own_way) {
    size_t n = s->n, heads = s->n_heads;
    /* heads whose cores are further from each other than their bundles need go their own way */
    for (size_t k = 0; k < n; k++) {
        double a = o->half_width * width_at(s, k, o->cut), last[3];
        own_way[k] = 0;
        s->apart[k] = false;
        for (size_t h = 0; h < heads; h++) {
            double p[3];
            point_at(p, cores[h].points, DENSE, length_at(s, cores + h, k));
            if (h > 0) {
                double need = 0.5 * a * (strips[h].right - strips[h - 1].left);
                double gap = fb_v3_distance(p, last) / need - 1;
                own_way[k] = fb_greater(own_way[k], fb_lesser(gap / OWN_WAY, 1));
                s->apart[k] |= gap > CLEAR;
            }
            fb_v3_copy(last, p);
        }
    }
    for (int sweep = 0; sweep < SMOOTHINGS; sweep++) {
        double before = own_way[0];
        for (size_t k = 1; k + 1 < n; k++) {
            double here = own_way[k];
            own_way[k] = 0.25 * before + 0.5 * here + 0.25 * own_way[k + 1];
            before = here;
        }
    }
    /* else they stand side by side along x of the mean frames */
    for (size_t k = 0; k < n; k++) {
        double a = o->half_width * width_at(s, k, o->cut);
        own_way[k] = s->apart[k] ? own_way[k] : 0;
        for (size_t h = 0; h < heads; h++) {
            offset[h * n + k] = 0.5 * a * (strips[h].left + strips[h].right);
        }
    }
    for (size_t h = 0; h < heads; h++) {
        /* the plane against which the head's innermost column stands */
        double inner = strips[h].left >= 0    ? strips[h].left
                       : strips[h].right <= 0 ? strips[h].right
                                              : 0;
        double middle = 0.5 * (strips[h].left + strips[h].right);
        fb_frame *own = s->frames + h * n;
        for (size_t k = 0; k < n; k++) { /* the head's middle */
            double p[3];
            fb_v3_copy(places[k], mean[k].o);
            fb_v3_madd(places[k], offset[h * n + k], mean[k].x);
            point_at(p, cores[h].points, DENSE, length_at(s, cores + h, k));
            fb_v3_sub(p, p, places[k]);
            fb_v3_madd(places[k], own_way[k], p);
        }
        /* carried along the head from where it leaves the others, outward from the base */
        for (size_t i = 0; i < n; i++) {
            size_t k = i <= s->base ? s->base - i : i;
            size_t before = k < s->base ? k + 1 : k - 1;
            own[k] = mean[k];
            if (!s->apart[k]) {
                continue;
            }
            fb_v3_copy(own[k].o, places[k]);
            if (!direction(own[k].z, (const double(*)[3])places, n, k)) {
                return "a head's core folds on itself";
            }
            set_up(own + k, k == s->base ? mean[k].y : own[before].y);
        }
        for (size_t k = 0; k < n; k++) {
            if (s->apart[k]) {
                double a = o->half_width * width_at(s, k, o->cut);
                fb_v3_madd(own[k].o, a * (inner - middle), own[k].x);
            }
        }
    }
    return NULL;
}

const char *fb_sections_along(fb_sections *s, const fb_core_line *lines, const fb_strip *strips,
                              size_t n_heads, const fb_section_options *o) {
    memset(s, 0, sizeof *s);
    curve *cores = fb_alloc((n_heads + 1) * sizeof *cores), *mean = cores ? cores + n_heads : NULL;
    fb_frame *frames = NULL;
    double(*places)[3] = NULL, *offset = NULL, *own_way = NULL;
    const char *why = cores ? NULL : "there is not enough memory for its sections";
    double sum = 0;
    for (size_t h = 0; !why && h < n_heads; h++) {
        why = round_core(cores + h, lines + h, o->radius, o->keep);
        sum += strips[h].right - strips[h].left;
    }
    if (why) {
        fb_free(cores);
        return why;
    }
    /* the mean core: at the same part of each */
    memset(mean, 0, sizeof *mean);
    for (size_t h = 0; h < n_heads; h++) {
        double weight = (strips[h].right - strips[h].left) / sum;
        mean->belly[0] += weight * cores[h].belly[0];
        mean->belly[1] += weight * cores[h].belly[1];
        mean->widest += weight * cores[h].widest;
        mean->length += weight * cores[h].length;
    }
    double belly = mean->belly[1] - mean->belly[0];
    double side = fb_lesser(mean->widest, mean->length - mean->widest);
    size_t layers = o->layers;
    size_t least = (size_t)ceil(0.75 * fabs(o->twist) * belly / (side * TURN));
    layers = layers < least ? least : layers < 2 ? 2 : layers;
    double layer = belly / (double)layers;
    size_t below = (size_t)floor((mean->widest - mean->belly[0]) / layer + 0.5);
    below = below < 1 ? 1 : below > layers - 1 ? layers - 1 : below;
    size_t extra = o->more > 0 ? (size_t)ceil(o->more / layer) + 1 : 0;
    s->n_heads = n_heads;
    s->first = extra;
    s->lower = s->first + tendon_layers(mean->belly[0], layer);
    s->base = s->lower + below;
    s->upper = s->lower + layers;
    s->last = s->upper + tendon_layers(mean->length - mean->belly[1], layer);
    s->n = s->last + extra + 1;
    s->length[0] = mean->belly[0];
    s->length[1] = belly;
    s->length[2] = mean->length - mean->belly[1];
    if (s->lower == s->first) { /* tendons too short for a layer are belly */
        for (size_t h = 0; h < n_heads; h++) {
            cores[h].belly[0] = 0;
        }
        mean->belly[0] = 0;
    }
    if (s->upper == s->last) {
        for (size_t h = 0; h < n_heads; h++) {
            cores[h].belly[1] = cores[h].length;
        }
        mean->belly[1] = mean->length;
    }
    s->frames = fb_alloc(n_heads * s->n * sizeof *s->frames);
    s->apart = fb_alloc(s->n * sizeof *s->apart);
    s->part = fb_alloc(s->n * sizeof *s->part);
    frames = fb_alloc(s->n * sizeof *frames);
    places = fb_alloc(s->n * sizeof *places);
    offset = fb_alloc(n_heads * s->n * sizeof *offset);
    own_way = fb_alloc(s->n * sizeof *own_way);
    s->width = o->law == FB_WIDTH_ROUND ? NULL : fb_alloc(s->n * sizeof *s->width);
    if (!s->frames || !s->apart || !s->part || !frames || !places || !offset || !own_way ||
        (o->law != FB_WIDTH_ROUND && !s->width)) {
        why = "there is not enough memory for its sections";
    }
    for (size_t k = 0; !why && k < s->n; k++) {
        s->part[k] = ((double)k - (double)s->base) /
                     (double)(k < s->base ? s->base - s->lower : s->upper - s->base);
        s->apart[k] = false;
        fb_v3_set(places[k], 0, 0, 0);
        for (size_t h = 0; h < n_heads; h++) {
            double p[3];
            point_at(p, (const double(*)[3])cores[h].points, DENSE, length_at(s, cores + h, k));
            fb_v3_madd(places[k], (strips[h].right - strips[h].left) / sum, p);
        }
    }
    why = why ? why : carry(frames, (const double(*)[3])places, s->n, s->base, o->up);
    for (size_t k = 0; !why && k < s->n; k++) {
        turn_about_z(frames + k, twist_at(s, mean, k, o->twist));
    }
    if (!why && s->width) {
        set_widths(s, cores, frames, o, n_heads > 1 ? o->law : FB_WIDTH_SHEET);
    }
    if (!why && n_heads > 1) {
        why = part_heads(s, cores, strips, frames, o, places, offset, own_way);
    } else if (!why) {
        memcpy(s->frames, frames, s->n * sizeof *frames);
    }
    fb_free(own_way);
    fb_free(offset);
    fb_free(places);
    fb_free(frames);
    fb_free(cores);
    if (why) {
        fb_sections_free(s);
    }
    return why;
}
