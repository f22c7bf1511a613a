#include "libcore/bundle/lattice.h"

#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "libcore/base/arena.h"
#include "libcore/base/number.h"
#include "libcore/base/spatial.h"

#define PI 3.14159265358979323846
static const char no_memory[] = "out of memory for the lattice of bundles";

/* ---- rows ------------------------------------------------------------------------------------ */

/* Cells from i = lo to hi in rows first, first + 1, ..; none if hi < lo. */
typedef struct row {
    int lo, hi;
} row;

typedef struct rows {
    row *row;
    int first, n, room;
} rows;

static bool make_room(rows *r, int n) {
    if (n <= r->room) {
        return true;
    }
    fb_free(r->row);
    r->row = fb_alloc((size_t)n * sizeof *r->row);
    r->room = r->row ? n : 0;
    return r->room > 0;
}

static int least(int a, int b) {
    return a < b ? a : b;
}

static int most(int a, int b) {
    return a > b ? a : b;
}

/* Fills each quadrant towards both planes, rows to the core's column, columns to its row; and gives
 * every cell beside a plane the one across it. */
static void fill(rows *r) {
    for (int k = 0; k < r->n; k++) {
        row *here = r->row + k;
        here->lo = least(here->lo, 0);
        here->hi = most(here->hi, -1);
        if (here->lo <= here->hi) {
            here->lo = least(here->lo, -1);
            here->hi = most(here->hi, 0);
        }
    }
    for (int k = r->n - 2; k >= -r->first; k--) {
        r->row[k].lo = least(r->row[k].lo, r->row[k + 1].lo);
        r->row[k].hi = most(r->row[k].hi, r->row[k + 1].hi);
    }
    for (int k = 1; k < -r->first; k++) {
        r->row[k].lo = least(r->row[k].lo, r->row[k - 1].lo);
        r->row[k].hi = most(r->row[k].hi, r->row[k - 1].hi);
    }
    row *above = r->row - r->first, *below = above - 1; /* which are always there */
    above->lo = below->lo = least(above->lo, below->lo);
    above->hi = below->hi = most(above->hi, below->hi);
}

static double count(const rows *r) {
    double n = 0;
    for (int k = 0; k < r->n; k++) {
        n += r->row[k].hi - r->row[k].lo + 1;
    }
    return n;
}

/* ---- outlines -------------------------------------------------------------------------------- */

/* The outline's extent: x least and greatest, y least and greatest. */
static void extent(double box[4], const fb_lattice_outline *o) {
    box[1] = o->aspect;
    box[3] = 1;
    box[0] = -box[1];
    box[2] = -box[3];
    if (o->kind == FB_LATTICE_POLYGON) {
        box[0] = box[2] = FB_INFINITY;
        box[1] = box[3] = -FB_INFINITY;
        for (size_t k = 0; k < o->n_points; k++) {
            for (int c = 0; c < 2; c++) {
                box[2 * c] = fb_lesser(box[2 * c], o->points[k][c]);
                box[2 * c + 1] = fb_greater(box[2 * c + 1], o->points[k][c]);
            }
        }
    }
}

/* Where the outline's inside begins and ends at a height y; false if it has none there. */
static bool span(double x[2], const fb_lattice_outline *o, double y) {
    if (o->kind != FB_LATTICE_POLYGON) {
        double k = o->corner, beyond = fb_greater(fabs(y) - (1 - k), 0);
        x[1] = o->aspect * (1 - k + sqrt(fb_greater(k * k - beyond * beyond, 0)));
        x[0] = -x[1];
        return fabs(y) <= 1;
    }
    x[0] = FB_INFINITY;
    x[1] = -FB_INFINITY;
    for (size_t k = 0; k < o->n_points; k++) {
        const double *a = o->points[k], *b = o->points[(k + 1) % o->n_points];
        if ((a[1] > y) != (b[1] > y)) {
            double at = a[0] + (y - a[1]) / (b[1] - a[1]) * (b[0] - a[0]);
            x[0] = fb_lesser(x[0], at);
            x[1] = fb_greater(x[1], at);
        }
    }
    return x[0] <= x[1];
}

/* The cells of a half-width a inside an outline; false if memory runs out. */
static bool cover(rows *r, const fb_lattice_outline *o, double a) {
    double box[4], b = o->ratio * a, slack = 1e-12;
    extent(box, o);
    int low = least((int)ceil(box[2] / (2 * b) - 0.5 - slack), -1);
    int high = most((int)floor(box[3] / (2 * b) - 0.5 + slack), 0);
    if (!make_room(r, high - low + 1)) {
        return false;
    }
    r->first = low;
    r->n = high - low + 1;
    for (int k = 0; k < r->n; k++) {
        int j = low + k;
        row *here = r->row + k;
        double x[2];
        *here = (row){0, -1};
        if (span(x, o, (2 * j + 1) * b * (1 - slack))) {
            here->lo = (int)ceil(x[0] / (2 * a) - 0.5 - slack);
            here->hi = (int)floor(x[1] / (2 * a) - 0.5 + slack);
        }
        if (j == 0 || j == -1) {
            here->lo = least(here->lo, -1);
            here->hi = most(here->hi, 0);
        }
    }
    fill(r);
    return true;
}

static double area(const fb_lattice_outline *o) {
    if (o->kind != FB_LATTICE_POLYGON) {
        return o->aspect * (4 - (4 - PI) * o->corner * o->corner);
    }
    double sum = 0;
    for (size_t k = 0; k < o->n_points; k++) {
        const double *a = o->points[k], *b = o->points[(k + 1) % o->n_points];
        sum += a[0] * b[1] - a[1] * b[0];
    }
    return fabs(sum) / 2;
}

static bool holds_core(const fb_lattice_outline *o) {
    bool inside = false;
    for (size_t k = 0; k < o->n_points; k++) {
        const double *a = o->points[k], *b = o->points[(k + 1) % o->n_points];
        if ((a[1] > 0) != (b[1] > 0) && a[0] - a[1] / (b[1] - a[1]) * (b[0] - a[0]) > 0) {
            inside = !inside;
        }
    }
    return inside;
}

static const char *check(const fb_lattice_outline *o, double bundles) {
    if (!(bundles >= FB_LATTICE_LEAST)) {
        return "a muscle has at least 4 bundles, one in each quadrant around its core";
    }
    if (bundles > FB_LATTICE_MOST) {
        return "a muscle has at most 1,000,000 bundles";
    }
    if (o->kind == FB_LATTICE_ROUND) {
        return NULL;
    }
    if (!(o->ratio > 0 && isfinite(o->ratio))) {
        return "the ratio of a bundle's height and width is not a positive number";
    }
    if (o->kind == FB_LATTICE_FLAT) {
        if (!(o->aspect > 0 && isfinite(o->aspect))) {
            return "the outline's width over its height is not a positive number";
        }
        return o->corner >= 0 && o->corner <= 1 ? NULL
                                                : "the outline's corner is not between 0 and 1";
    }
    if (o->n_points < 3) {
        return "the outline has fewer than three corners";
    }
    for (size_t k = 0; k < o->n_points; k++) {
        if (!isfinite(o->points[k][0]) || !isfinite(o->points[k][1])) {
            return "a corner of the outline is not finite";
        }
    }
    if (!(area(o) > 0)) {
        return "the outline has no area";
    }
    if (!isfinite(area(o))) {
        return "the outline's area is not finite";
    }
    return holds_core(o) ? NULL : "the core lies outside the outline";
}

/* ---- lists of cells -------------------------------------------------------------------------- */

static bool belongs(const rows *r, int i, int j) {
    int k = j - r->first;
    return k >= 0 && k < r->n && r->row[k].lo <= i && i <= r->row[k].hi;
}

typedef struct quadrant {
    fb_lattice *lattice;
    const rows *rows;
    bool left, below;
} quadrant;

/* Appends cell (i, j) of a quadrant, counted from the core, if it belongs. */
static void append(const quadrant *q, int i, int j) {
    fb_lattice *l = q->lattice;
    int x = q->left ? -1 - i : i, y = q->below ? -1 - j : j;
    if (belongs(q->rows, x, y)) {
        l->cells[l->n] = (fb_cell){x, y, (int)l->n + 1};
        l->n++;
        l->at[(size_t)(y - l->low[1]) * (size_t)l->size[0] + (size_t)(x - l->low[0])] = l->n;
    }
}

/* How far a quadrant's row reaches, counted from the core; -1 if it is empty. */
static int reach(const quadrant *q, int j) {
    int k = (q->below ? -1 - j : j) - q->rows->first;
    return k < 0 || k >= q->rows->n ? -1 : q->left ? -1 - q->rows->row[k].lo : q->rows->row[k].hi;
}

static const char *list(fb_lattice *lattice, const rows *r, double half_width) {
    int lo = INT_MAX, hi = INT_MIN;
    for (int k = 0; k < r->n; k++) {
        lo = least(lo, r->row[k].lo);
        hi = most(hi, r->row[k].hi);
    }
    int bottom = 0, top = r->n - 1; /* rows without cells do not count */
    while (bottom < top && r->row[bottom].lo > r->row[bottom].hi) {
        bottom++;
    }
    while (top > bottom && r->row[top].lo > r->row[top].hi) {
        top--;
    }
    size_t wide = (size_t)(hi - lo + 1), places = wide * (size_t)(top - bottom + 1);
    if (places > FB_LATTICE_PLACES) {
        return "the outline's bundles lie too far from each other";
    }
    lattice->low[0] = lo;
    lattice->low[1] = r->first + bottom;
    lattice->size[0] = (int)wide;
    lattice->size[1] = top - bottom + 1;
    lattice->half_width = half_width;
    lattice->cells = fb_alloc((size_t)count(r) * sizeof *lattice->cells);
    lattice->at = fb_alloc(places * sizeof *lattice->at);
    if (!lattice->cells || !lattice->at) {
        fb_lattice_free(lattice);
        return no_memory;
    }
    memset(lattice->at, 0, places * sizeof *lattice->at);
    for (int number = 0; number < 4; number++) {
        quadrant q = {lattice, r, number == 1 || number == 2, number >= 2};
        int high = q.below ? -1 - r->first : r->first + r->n - 1;
        for (int i = 0; i <= reach(&q, 0); i++) {
            append(&q, i, 0);
        }
        for (int j = 1; j <= high; j++) {
            append(&q, 0, j);
        }
        for (int j = 1; j <= high; j++) {
            for (int i = 1; i <= reach(&q, j); i++) {
                append(&q, i, j);
            }
        }
    }
    return NULL;
}

size_t fb_lattice_find(const fb_lattice *lattice, int i, int j) {
    int x = i - lattice->low[0], y = j - lattice->low[1];
    if (x < 0 || y < 0 || x >= lattice->size[0] || y >= lattice->size[1]) {
        return (size_t)-1;
    }
    return lattice->at[(size_t)y * (size_t)lattice->size[0] + (size_t)x] - 1;
}

void fb_lattice_free(fb_lattice *lattice) {
    fb_free(lattice->cells);
    fb_free(lattice->at);
    memset(lattice, 0, sizeof *lattice);
}

/* ---- sizes ----------------------------------------------------------------------------------- */

/* A circle of a radius in cells. */
static const char *round_lattice(fb_lattice *lattice, double radius) {
    fb_lattice_outline circle = {.kind = FB_LATTICE_FLAT, .ratio = 1, .aspect = 1, .corner = 1};
    rows r = {0};
    const char *why = cover(&r, &circle, 0.5 / radius) ? list(lattice, &r, 0.5) : no_memory;
    fb_free(r.row);
    return why;
}

const char *fb_lattice_round(fb_lattice *lattice, double radius) {
    memset(lattice, 0, sizeof *lattice);
    if (!(radius > 0)) {
        return "the lattice's radius is not a positive number";
    }
    if (PI * radius * radius > FB_LATTICE_MOST) {
        return "a muscle has at most 1,000,000 bundles";
    }
    return round_lattice(lattice, radius);
}

/* Odd p, q > 0 with p^2 + q^2 <= square, in four quadrants. */
static double odd_pairs(double square) {
    double n = 0;
    for (double p = 1; p * p < square; p += 2) {
        n += floor((sqrt(square - p * p) + 1) / 2);
    }
    return 4 * n;
}

/* Sums of two odd squares are 2, 10, 18, ..: 8 m + 2. */
double fb_lattice_radius(double bundles) {
    double lo = 0, hi = 2; /* counts below and from `bundles` on */
    if (!(bundles > FB_LATTICE_LEAST)) {
        return 1;
    }
    while (odd_pairs(8 * hi + 2) < bundles) {
        lo = hi;
        hi *= 2;
    }
    while (hi - lo > 1) {
        double middle = floor((lo + hi) / 2);
        *(odd_pairs(8 * middle + 2) < bundles ? &lo : &hi) = middle;
    }
    double less = odd_pairs(8 * lo + 2), more = odd_pairs(8 * hi + 2), m = hi, n = more;
    if (bundles - less <= more - bundles) {
        m = lo;
        n = less;
    }
    double first = m, last = m;
    while (first > 0 && odd_pairs(8 * first - 6) == n) {
        first--;
    }
    while (odd_pairs(8 * last + 10) == n) {
        last++;
    }
    /* (i + 1/2)^2 + (j + 1/2)^2 is a quarter of such a sum */
    return 0.5 * (sqrt(8 * first + 2) + sqrt(8 * last + 10)) / 2;
}

typedef struct search {
    const fb_lattice_outline *outline;
    double bundles;
    rows rows;
    double best, error; /* the half-width with the nearest number, and how far that is off */
    const char *why;
} search;

/* The number of cells of a half-width a, remembered if it is the best; 0 with a reason in `why`. */
static double try_size(search *q, double a) {
    double box[4];
    extent(box, q->outline);
    if (!((box[1] - box[0]) / a + (box[3] - box[2]) / (q->outline->ratio * a) < 1e7)) {
        q->why = "the outline is too thin for bundles of this ratio";
        return 0;
    }
    if (!cover(&q->rows, q->outline, a)) {
        q->why = no_memory;
        return 0;
    }
    double n = count(&q->rows), error = fabs(n - q->bundles);
    if (error < q->error) {
        q->error = error;
        q->best = a;
    }
    return n;
}

const char *fb_lattice_for(fb_lattice *lattice, const fb_lattice_outline *outline, double bundles) {
    memset(lattice, 0, sizeof *lattice);
    const char *why = check(outline, bundles);
    if (why) {
        return why;
    }
    if (outline->kind == FB_LATTICE_ROUND) {
        return round_lattice(lattice, fb_lattice_radius(bundles));
    }
    search q = {.outline = outline, .bundles = bundles, .error = FB_INFINITY};
    double size = sqrt(area(outline) / (4 * outline->ratio * bundles)), lo = size, hi = size;
    /* more cells than wanted at lo, fewer at hi */
    while (!q.why && try_size(&q, lo) < bundles) {
        lo /= 2;
    }
    while (!q.why && try_size(&q, hi) > bundles) {
        hi *= 2;
    }
    for (int k = 0; !q.why && k < 40; k++) {
        double middle = 0.5 * (lo + hi);
        *(try_size(&q, middle) > bundles ? &lo : &hi) = middle;
    }
    /* the number does not fall steadily, so what is around as well, the nearest first */
    enum { STEPS = 200 };
    for (int k = 1; !q.why && k <= STEPS && q.error > 0; k++) {
        double far = 0.1 * ((k + 1) / 2) / (STEPS / 2);
        try_size(&q, lo * (k % 2 ? 1 + far : 1 - far));
    }
    if (!q.why) {
        q.why = cover(&q.rows, outline, q.best) ? list(lattice, &q.rows, q.best) : no_memory;
    }
    fb_free(q.rows.row);
    return q.why;
}
