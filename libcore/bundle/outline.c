#include "libcore/bundle/outline.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "libcore/base/arena.h"
#include "libcore/base/spatial.h"

#define PI 3.14159265358979323846
#define N FB_PROFILE_SECTIONS
#define CUBES 30000 /* about, inside a muscle */
#define ROUNDS 6    /* of moving the core to the centroids */
#define REACH 0.3   /* of the muscle's width: turns of the core that are longer are followed */
#define FAR 1e9
#define WINDOW 3      /* sections to either side whose moments count for a section's directions */
#define MOST_TURN 0.2 /* tangent, of the outermost bundles as the width's direction turns */
#define MOST_BOW 2.0  /* of 1 / width: sections are bent into 2 radians at most .. */
#define THICK_BOW 0.5 /* of 1 / height: and around twice their height at least */
#define THICK 0.5     /* of the greatest area: sections that count for the mean outline */

/* The cubes inside, and what is known of each. */
typedef struct cubes {
    fb_solid solid;
    size_t n;
    size_t *number;     /* [n]: in the solid */
    double (*place)[3]; /* [n] */
    double *at;         /* [n]: first the distance from the insertion, then the length along the
                           core */
    double (*aside)[2]; /* [n]: along x and y of the core's frames */
} cubes;

/* A core as points at equal steps with frames that are carried along it without turning. */
typedef struct course {
    double p[N][3], x[N][3], y[N][3], z[N][3];
    double step;
} course;

/* ---- cubes ----------------------------------------------------------------------------------- */

static void free_cubes(cubes *c) {
    fb_solid_free(&c->solid);
    fb_free(c->number);
    fb_free(c->place);
    fb_free(c->at);
    fb_free(c->aside);
}

static const char *find_cubes(cubes *c, const fb_shell *mesh) {
    memset(c, 0, sizeof *c);
    const char *why = fb_solid_make(&c->solid, mesh, cbrt(fb_shell_volume(mesh) / CUBES));
    if (why) {
        return why;
    }
    c->n = c->solid.count;
    c->number = fb_alloc(c->n * sizeof *c->number);
    c->place = fb_alloc(c->n * sizeof *c->place);
    c->at = fb_alloc(c->n * sizeof *c->at);
    c->aside = fb_alloc(c->n * sizeof *c->aside);
    if (!c->number || !c->place || !c->at || !c->aside) {
        return "there is not enough memory for the cubes of its surface";
    }
    size_t all = (size_t)c->solid.n[0] * (size_t)c->solid.n[1] * (size_t)c->solid.n[2], n = 0;
    for (size_t k = 0; k < all; k++) {
        if (c->solid.inside[k]) {
            c->number[n] = k;
            fb_solid_centre(&c->solid, k, c->place[n++]);
        }
    }
    return NULL;
}

static size_t nearest_cube(const cubes *c, const double *point) {
    size_t best = 0;
    double least = HUGE_VAL;
    for (size_t i = 0; i < c->n; i++) {
        double d = fb_v3_distance(c->place[i], point);
        if (d < least) {
            least = d;
            best = i;
        }
    }
    return best;
}

/* Distances through the muscle from the cubes nearest to some points, over the 26 neighbours of
 * each, in sweeps to and fro until nothing changes. */
static const char *distances(cubes *c, const double (*points)[3], int n_points) {
    const fb_solid *s = &c->solid;
    size_t nx = (size_t)s->n[0], layer = nx * (size_t)s->n[1], all = layer * (size_t)s->n[2];
    float *d = fb_alloc(all * sizeof *d);
    if (!d) {
        return "there is not enough memory for the cubes of its surface";
    }
    for (size_t k = 0; k < all; k++) {
        d[k] = (float)FAR;
    }
    for (int i = 0; i < n_points; i++) {
        d[c->number[nearest_cube(c, points[i])]] = 0;
    }
    bool changed = true;
    for (int sweep = 0; changed; sweep++) {
        changed = false;
        for (size_t i = 0; i < c->n; i++) {
            size_t at = c->number[sweep % 2 ? c->n - 1 - i : i];
            float least = d[at];
            for (int m = 0; m < 27; m++) {
                int dx = m % 3 - 1, dy = m / 3 % 3 - 1, dz = m / 9 - 1;
                size_t other = (size_t)((long)at + dx + dy * (long)nx + dz * (long)layer);
                float way = (float)(s->h * sqrt((double)(dx * dx + dy * dy + dz * dz)));
                least = s->inside[other] && d[other] + way < least ? d[other] + way : least;
            }
            changed |= least < d[at];
            d[at] = least;
        }
    }
    for (size_t i = 0; i < c->n; i++) {
        c->at[i] = (double)d[c->number[i]];
    }
    fb_free(d);
    return NULL;
}

/* ---- the core -------------------------------------------------------------------------------- */

/* Which piece a length is in, in pieces; -1 beyond both ends. */
static int piece_within(double length) {
    return length >= 0 && length < N ? (int)length : -1;
}

/* Means of the places in each of N pieces, and how many cubes those have; and how wide the muscle
 * is there if it is flat, in pieces: four times the standard deviation from the mean, of a piece
 * and those near it. */
static void centroids(const cubes *c, double from, double step, double (*mean)[3], double *weight,
                      double *width) {
    double square[N] = {0};
    memset(mean, 0, N * sizeof *mean);
    memset(weight, 0, N * sizeof *weight);
    for (size_t i = 0; i < c->n; i++) {
        int k = piece_within((c->at[i] - from) / step);
        if (k >= 0) {
            fb_v3_add(mean[k], mean[k], c->place[i]);
            weight[k]++;
        }
    }
    for (int k = 0; k < N; k++) {
        if (weight[k] > 0) {
            fb_v3_scale(mean[k], 1 / weight[k], mean[k]);
        }
    }
    for (size_t i = 0; i < c->n; i++) {
        int k = piece_within((c->at[i] - from) / step);
        if (k >= 0) {
            double d = fb_v3_distance(c->place[i], mean[k]);
            square[k] += d * d;
        }
    }
    for (int k = 0; k < N; k++) {
        double sum = 0, n = 0;
        for (int j = k - WINDOW < 0 ? 0 : k - WINDOW; j <= k + WINDOW && j < N; j++) {
            sum += square[j];
            n += weight[j];
        }
        width[k] = n > 0 ? 4 * sqrt(sum / n) / step : 0;
    }
}

/* A smooth course through centroids: the least sum of weighted squared distances from them and of
 * squared second differences. These weigh so much that the course follows turns that are longer
 * than reach[k] sections (C. H. Reinsch, "Smoothing by spline functions", Numerische Mathematik 10,
 * 1967): a core that bends more sharply than its muscle is wide would wander in it. */
static void smooth(double (*p)[3], const double (*mean)[3], const double *weight,
                   const double *reach) {
    double a[N][N], r[N][3], most = 0;
    memset(a, 0, sizeof a);
    for (int k = 0; k < N; k++) {
        most = fmax(most, weight[k]);
    }
    for (int k = 0; k < N; k++) {
        a[k][k] = weight[k] / most + 1e-9;
        fb_v3_scale(r[k], a[k][k], mean[k]);
    }
    for (int m = 1; m + 1 < N; m++) {
        static const double part[3] = {1, -2, 1};
        double stiff = pow(fmax(reach[m], 1), 4);
        for (int i = 0; i < 9; i++) {
            a[m - 1 + i / 3][m - 1 + i % 3] += stiff * part[i / 3] * part[i % 3];
        }
    }
    for (int k = 0; k < N; k++) { /* positive definite, two places beside the diagonal */
        for (int i = k + 1; i < N && i <= k + 2; i++) {
            double f = a[i][k] / a[k][k];
            for (int j = k; j < N && j <= k + 2; j++) {
                a[i][j] -= f * a[k][j];
            }
            fb_v3_madd(r[i], -f, r[k]);
        }
    }
    for (int k = N - 1; k >= 0; k--) {
        for (int j = k + 1; j < N && j <= k + 2; j++) {
            fb_v3_madd(r[k], -a[k][j], p[j]);
        }
        fb_v3_scale(p[k], 1 / a[k][k], r[k]);
    }
}

/* Points at equal steps of a polyline, and frames. x of the first is kept if it can be. */
static bool lay_course(course *c, const double (*p)[3]) {
    double length = 0, done = 0;
    for (int k = 1; k < N; k++) {
        length += fb_v3_distance(p[k - 1], p[k]);
    }
    c->step = length / (N - 1);
    if (!(length > 0)) {
        return false;
    }
    int i = 1;
    for (int k = 0; k < N; k++) {
        double at = c->step * k, piece = fb_v3_distance(p[i - 1], p[i]), d[3];
        while (i < N - 1 && done + piece < at) {
            done += piece;
            i++;
            piece = fb_v3_distance(p[i - 1], p[i]);
        }
        fb_v3_sub(d, p[i], p[i - 1]);
        fb_v3_copy(c->p[k], p[i - 1]);
        fb_v3_madd(c->p[k], piece > 0 ? (at - done) / piece : 0, d);
    }
    for (int k = 0; k < N; k++) {
        int a = k > 0 ? k - 1 : 0, b = k < N - 1 ? k + 1 : N - 1;
        fb_v3_sub(c->z[k], c->p[b], c->p[a]);
        if (!(fb_v3_normalize(c->z[k]) > 0)) {
            return false;
        }
    }
    for (int k = 0; k < N; k++) {
        if (k == 0) {
            fb_v3_set(c->x[0], 0, 0, 0);
            c->x[0][fb_v3_least(c->z[0])] = 1;
        } else {
            fb_v3_copy(c->x[k], c->x[k - 1]);
        }
        fb_v3_madd(c->x[k], -fb_v3_dot(c->x[k], c->z[k]), c->z[k]);
        fb_v3_normalize(c->x[k]);
        fb_v3_cross(c->y[k], c->z[k], c->x[k]);
    }
    return true;
}

/* The length along the core and the place aside of each cube: where a plane square to the core
 * passes through it, of several that nearest to it. */
static void project(cubes *c, const course *core) {
    for (size_t i = 0; i < c->n; i++) {
        double least = HUGE_VAL, d[3], at = 0;
        int best = 0;
        for (int k = 0; k < N; k++) {
            double far = fb_v3_distance(c->place[i], core->p[k]);
            if (far < least) {
                least = far;
                best = k;
            }
        }
        for (int side = 0; side < 2; side++) { /* the piece before it and the one after */
            int a = best - 1 + side, b = a + 1;
            if (a < 0 || b > N - 1) {
                continue;
            }
            double u[3], v[3];
            fb_v3_sub(u, c->place[i], core->p[a]);
            fb_v3_sub(v, c->place[i], core->p[b]);
            double below = fb_v3_dot(u, core->z[a]), above = -fb_v3_dot(v, core->z[b]);
            bool end = (a == 0 && below < 0) || (b == N - 1 && above < 0);
            if (below + above > 0 && ((below >= 0 && above >= 0) || end)) {
                at = a + below / (below + above);
                at = end ? (below < 0 ? below / core->step : b - above / core->step) : at;
                best = at - a < 0.5 ? a : b;
                break;
            }
            at = best;
        }
        c->at[i] = at * core->step;
        fb_v3_sub(d, c->place[i], core->p[best]);
        c->aside[i][0] = fb_v3_dot(d, core->x[best]);
        c->aside[i][1] = fb_v3_dot(d, core->y[best]);
    }
}

/* The lengths between which all but a few cubes lie: half a thousandth at either end are left
 * out. */
static void extent(const cubes *c, double step, double *from, double *to) {
    enum { BINS = 4000 };
    size_t count[BINS] = {0}, few = c->n / 2000, sum = 0;
    double low = -N * step, bin = 3 * N * step / BINS;
    for (size_t i = 0; i < c->n; i++) {
        int k = (int)floor((c->at[i] - low) / bin);
        count[k < 0 ? 0 : k >= BINS ? BINS - 1 : k]++;
    }
    int k = 0;
    for (; k < BINS - 1 && sum + count[k] <= few; k++) {
        sum += count[k];
    }
    *from = low + k * bin;
    for (k = BINS - 1, sum = 0; k > 0 && sum + count[k] <= few; k--) {
        sum += count[k];
    }
    *to = low + (k + 1) * bin;
}

/* A first course by distance from the insertion, then by planes square to the last. */
static const char *find_core(cubes *c, course *core, const double (*insertion)[3],
                             int n_insertion) {
    double mean[N][3], weight[N], reach[N], p[N][3], far = 0;
    const char *why = distances(c, insertion, n_insertion);
    if (why) {
        return why;
    }
    for (size_t i = 0; i < c->n; i++) {
        far = c->at[i] < FAR ? fmax(far, c->at[i]) : far;
    }
    if (!(far > 0)) {
        return "its surface is too small for its attachments";
    }
    for (size_t i = 0; i < c->n; i++) { /* from the origin */
        c->at[i] = c->at[i] < FAR ? far - c->at[i] : -FAR;
    }
    double from = 0, to = far * (1 + 1e-9);
    for (int round = 0; round < ROUNDS; round++) {
        double step = (to - from) / N;
        centroids(c, from, step, mean, weight, reach);
        for (int k = 0; k < N; k++) {
            reach[k] *= REACH;
        }
        smooth(p, (const double(*)[3])mean, weight, reach);
        if (!lay_course(core, (const double(*)[3])p)) {
            return "its surface has no length";
        }
        project(c, core);
        extent(c, core->step, &from, &to);
    }
    return NULL;
}

/* ---- sections -------------------------------------------------------------------------------- */

/* Sums over the cubes of a piece: 1, x, y, xx, xy, yy. */
typedef struct moments {
    double n, x, y, xx, xy, yy;
} moments;

static void add_moments(moments *to, const moments *m) {
    to->n += m->n;
    to->x += m->x;
    to->y += m->y;
    to->xx += m->xx;
    to->xy += m->xy;
    to->yy += m->yy;
}

/* Directions of the width: of the greater moment about the centroid of each section with those
 * near it, from the widest section outward. Where sections are round, it is carried on; it turns no
 * faster than bundles can follow. */
static void directions(const moments *m, int widest, double step, double *angle) {
    for (int i = 0; i < N; i++) {
        int k = i <= widest ? widest - i : i, before = k < widest ? k + 1 : k - 1;
        double xx = 0, xy = 0, yy = 0, n = 0;
        for (int j = k - WINDOW; j <= k + WINDOW; j++) {
            if (j >= 0 && j < N && m[j].n > 0) {
                double weight = 1 - fabs((double)(j - k)) / (WINDOW + 1);
                xx += weight * (m[j].xx - m[j].x * m[j].x / m[j].n);
                xy += weight * (m[j].xy - m[j].x * m[j].y / m[j].n);
                yy += weight * (m[j].yy - m[j].y * m[j].y / m[j].n);
                n += weight * m[j].n;
            }
        }
        angle[k] = 0.5 * atan2(2 * xy, xx - yy);
        if (k != widest) { /* the same half a turn on */
            double turn = angle[k] - angle[before];
            double flat = fb_length2(2 * xy, xx - yy) / (xx + yy);
            turn -= PI * round(turn / PI);
            double most = MOST_TURN * step / (2 * sqrt((xx + yy) / n));
            turn = fmin(fmax(turn, -most), most);
            angle[k] = angle[before] + (flat > 0 ? flat * turn : 0);
        }
    }
}

/* Which piece a length is in, in pieces. */
static int piece_at(double length) {
    int k = (int)floor(length);
    return k < 0 ? 0 : k > N - 1 ? N - 1 : k;
}

/* Which piece a cube is in. */
static int piece_of(const cubes *c, size_t i, double from, double step) {
    return piece_at((c->at[i] - from) / step);
}

/* A cube's place from its section's centroid, along the section's own width and height. */
static int place_of(const cubes *c, size_t i, double from, double step, const moments *m,
                    const double *angle, double place[2]) {
    int k = piece_of(c, i, from, step);
    double dx = c->aside[i][0] - m[k].x / m[k].n, dy = c->aside[i][1] - m[k].y / m[k].n;
    place[0] = cos(angle[k]) * dx + sin(angle[k]) * dy;
    place[1] = cos(angle[k]) * dy - sin(angle[k]) * dx;
    return k;
}

/* How sections are bent: y = bow x^2 / 2 by least squares over each section with those near it, in
 * which wide ones count most. */
static void find_bows(fb_profile *p, const cubes *c, double from, double step, const moments *m,
                      const double *angle) {
    double n[N] = {0}, x2[N] = {0}, x4[N] = {0}, x2y[N] = {0};
    for (size_t i = 0; i < c->n; i++) {
        double at[2];
        int k = place_of(c, i, from, step, m, angle, at);
        n[k]++;
        x2[k] += at[0] * at[0];
        x4[k] += at[0] * at[0] * at[0] * at[0];
        x2y[k] += at[0] * at[0] * at[1];
    }
    for (int k = 0; k < N; k++) {
        double up = 0, down = 0;
        for (int j = k - WINDOW < 0 ? 0 : k - WINDOW; j <= k + WINDOW && j < N; j++) {
            double weight = 1 - fabs((double)(j - k)) / (WINDOW + 1);
            up += weight * x2y[j]; /* the mean of y is 0 */
            down += weight * (n[j] > 0 ? x4[j] - x2[j] * x2[j] / n[j] : 0);
        }
        double height = 4 / PI * p->area[k] / p->width[k]; /* along the bow */
        double flat = fmin(fmax(2 - 2 * height / p->width[k], 0), 1);
        double most = flat * fmin(MOST_BOW / p->width[k], THICK_BOW / height);
        p->bow[k] = fmin(fmax(down > 0 ? 2 * up / down : 0, -most), most);
    }
    for (int i = 1; i < N; i++) { /* outward: the outermost bundles can follow no faster */
        int k = i <= p->widest ? p->widest - i : i, before = k < p->widest ? k + 1 : k - 1;
        double most = MOST_TURN * step * 8 / (p->width[k] * p->width[k]);
        double change = fmin(fmax(p->bow[k] - p->bow[before], -most), most);
        p->bow[k] = p->bow[before] + change;
    }
}

/* Heights without the bow, and the sectors of the sections' mean outline: of a sector with its
 * corner at the centre the outline is 3/2 of the mean distance away. */
static void find_outline(fb_profile *p, const cubes *c, double from, double step, const moments *m,
                         const double *angle) {
    double far[FB_PROFILE_CORNERS] = {0}, in[FB_PROFILE_CORNERS] = {0}, y2[N] = {0};
    double h = c->solid.h;
    for (int turn = 0; turn < 2; turn++) {
        for (size_t i = 0; i < c->n; i++) {
            double at[2];
            int k = place_of(c, i, from, step, m, angle, at);
            double mean = p->width[k] * p->width[k] / 16; /* of x^2 */
            at[1] -= 0.5 * p->bow[k] * (at[0] * at[0] - mean);
            y2[k] += turn ? 0 : at[1] * at[1];
            bool counts = turn && p->area[k] >= THICK * p->area[p->widest];
            for (int part = 0; counts && part < 9; part++) { /* of the cube */
                double u = 2 * (at[0] + h * (part % 3 - 1) / 3) / p->width[k];
                double v = 2 * (at[1] + h * (part / 3 - 1) / 3) / p->height[k];
                int sector = (int)floor((atan2(v, u) / (2 * PI) + 1) * FB_PROFILE_CORNERS + 0.5);
                sector %= FB_PROFILE_CORNERS;
                far[sector] += sqrt(u * u + v * v);
                in[sector]++;
            }
        }
        for (int k = 0; k < N && !turn; k++) {
            double own = h * h / 12; /* a cube's own */
            p->height[k] = 4 * sqrt(y2[k] / fmax(m[k].n, 1) + own);
        }
    }
    for (int s = 0; s < FB_PROFILE_CORNERS; s++) {
        double a = 2 * PI * s / FB_PROFILE_CORNERS, r = in[s] > 0 ? 1.5 * far[s] / in[s] : 1;
        p->polygon[s][0] = r * cos(a);
        p->polygon[s][1] = r * sin(a);
    }
}

/* Areas: of each cube the parts of it, along the core, that are in a piece. What is beyond the ends
 * is in the last piece. */
static void find_areas(fb_profile *p, const cubes *c, double from, double step) {
    double cube = p->volume / (double)c->n, h = c->solid.h;
    for (size_t i = 0; i < c->n; i++) {
        double low = (c->at[i] - h / 2 - from) / step, high = low + h / step;
        for (int k = piece_at(low); k <= piece_at(high); k++) {
            double a = k == 0 ? low : fmax(low, k), b = k == N - 1 ? high : fmin(high, k + 1);
            p->area[k] += cube / step * (b - a) / (high - low);
        }
    }
}

static void measure_sections(fb_profile *p, const cubes *c, const course *core, double from,
                             double step) {
    moments m[N];
    double angle[N];
    memset(m, 0, sizeof m);
    for (size_t i = 0; i < c->n; i++) {
        double x = c->aside[i][0], y = c->aside[i][1];
        add_moments(&m[piece_of(c, i, from, step)], &(moments){1, x, y, x * x, x * y, y * y});
    }
    find_areas(p, c, from, step);
    p->widest = 0;
    for (int k = 0; k < N; k++) {
        p->widest = p->area[k] > p->area[p->widest] ? k : p->widest;
    }
    directions(m, p->widest, step, angle);
    for (int k = 0; k < N; k++) {
        double cosine = cos(angle[k]), sine = sin(angle[k]), n = fmax(m[k].n, 1);
        double xx = (m[k].xx - m[k].x * m[k].x / n) / n, xy = (m[k].xy - m[k].x * m[k].y / n) / n;
        double yy = (m[k].yy - m[k].y * m[k].y / n) / n, own = c->solid.h * c->solid.h / 12;
        double along = cosine * cosine * xx + 2 * cosine * sine * xy + sine * sine * yy;
        double across = sine * sine * xx - 2 * cosine * sine * xy + cosine * cosine * yy;
        p->width[k] = 4 * sqrt(along + own);
        p->height[k] = 4 * sqrt(across + own);
        int at = (int)round((from + step * (k + 0.5)) / core->step);
        at = at < 0 ? 0 : at > N - 1 ? N - 1 : at;
        fb_v3_scale(p->x[k], cosine, core->x[at]);
        fb_v3_madd(p->x[k], sine, core->y[at]);
        fb_v3_copy(p->z[k], core->z[at]);
    }
    find_bows(p, c, from, step, m, angle);
    find_outline(p, c, from, step, m, angle);
}

/* The core's places at the middle of each piece and at both ends; beyond it straight on. */
static void place_core(fb_profile *p, const course *core, double from, double step) {
    for (int k = -1; k <= N; k++) {
        double at = k < 0 ? from : k == N ? from + N * step : from + step * (k + 0.5);
        int a = (int)floor(at / core->step);
        a = a < 0 ? 0 : a > N - 2 ? N - 2 : a;
        double d[3];
        fb_v3_sub(d, core->p[a + 1], core->p[a]);
        fb_v3_copy(p->core[k + 1], core->p[a]);
        fb_v3_madd(p->core[k + 1], at / core->step - a, d);
    }
    p->length = 0;
    for (int k = 1; k < N + 2; k++) {
        p->length += fb_v3_distance(p->core[k - 1], p->core[k]);
    }
}

const char *fb_profile_make(fb_profile *profile, const fb_shell *mesh, const double (*insertion)[3],
                            int n_insertion) {
    cubes c;
    course core;
    memset(profile, 0, sizeof *profile);
    profile->volume = fb_shell_volume(mesh);
    if (!(profile->volume > 0)) {
        return "its surface encloses nothing";
    }
    const char *why = find_cubes(&c, mesh);
    why = why ? why : find_core(&c, &core, insertion, n_insertion);
    if (!why) {
        double from, to;
        extent(&c, core.step, &from, &to);
        double step = (to - from) / N;
        measure_sections(profile, &c, &core, from, step);
        place_core(profile, &core, from, step);
    }
    free_cubes(&c);
    return why;
}
