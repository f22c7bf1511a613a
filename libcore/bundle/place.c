#include "libcore/bundle/place.h"

#include <math.h>
#include <string.h>

#include "libcore/base/spatial.h"
#include "libcore/bundle/place_heads.h"
#include "libcore/bundle/place_rows.h"

#define SLACK \
    0.2F /* rad that a ring may lean from square to its bundle's axis, for its section's sake */
#define ALLOWED 0.005 /* of the half-height: how deep layers may sink between their rings */
#define MERGED 1e-7   /* of the length: a ring nearer to a free end is that end's */
#define PASSES 3
#define SPARE_ROWS 3
#define HEADS_APART 0.01 /* of the half-height: room between heads */
#define HEADS_PASSES 2   /* more of them, at most, while heads move further than that */

typedef struct grid {
    const fb_placing *place;
    size_t sections, whole, stride;
    double unit;       /* m, of rows: a power of two about as large as a bundle */
    double *way;       /* [3][stride]: from each section's place on the first core to the next's */
    float *core;       /* the same */
    float *rows;       /* [cells][ROW_COUNT][stride] */
    float *frames;     /* [heads][ROW_FRAME_COUNT][stride] */
    float *width;      /* [heads][stride] of place->width, or NULL */
    float *area, *bow; /* [stride] of place->area and place->bow, or NULL */
    int *inner;        /* [cells][2]: the neighbours towards the planes x = 0 and y = 0, or -1 */
    int *turn;         /* cells in the order of placing */
    double *scale;     /* [cells]: factor of both semi-axes for exact volume */
    double (*stretch)[2]; /* [cells] of the belly, below and above */
    float *contact[2];    /* [ROW_CONTACT_COUNT][stride] */
    float *spare;         /* [SPARE_ROWS][stride] */
    unsigned char *edge;  /* [cells] as in place_heads.h, or NULL: one head */
    float *parting;       /* [2 heads + FB_HEAD_ROWS][stride], or NULL: one head */
    double *arc;          /* [stride + 1]: m along the axis of the cell that was measured last */
    double *layer;        /* [stride]: m^3, volumes of its layers */
} grid;

static float *rows_of(const grid *g, size_t cell) {
    return g->rows + cell * ROW_COUNT * g->stride;
}

static const float *frame_of(const grid *g, int head) {
    return g->frames + (size_t)head * ROW_FRAME_COUNT * g->stride;
}

static int inner_of(int i) {
    return i >= 0 ? i - 1 : i + 1;
}

/* The cells' neighbours, and their order: rows -1, 0, 1, ..., then -2, -3, ..., each likewise. */
static const char *find_neighbours(grid *g, fb_scratch *scratch) {
    const fb_placing *p = g->place;
    int low[2] = {-1, -1}, high[2] = {0, 0}; /* there is room for what is looked up */
    for (size_t c = 0; c < p->n_cells; c++) {
        int at[2] = {p->cells[c].i, p->cells[c].j};
        for (int m = 0; m < 2; m++) {
            low[m] = at[m] < low[m] ? at[m] : low[m];
            high[m] = at[m] > high[m] ? at[m] : high[m];
        }
    }
    size_t wide = (size_t)(high[0] - low[0] + 1), high_by = (size_t)(high[1] - low[1] + 1);
    int *at = fb_scratch_take(scratch, wide * high_by, sizeof *at);
    if (!at) {
        return "there is not enough memory for so many bundles";
    }
    const char *why = NULL;
    memset(at, 0, wide * high_by * sizeof *at);
#define AT(I, J) at[(size_t)((J)-low[1]) * wide + (size_t)((I)-low[0])]
    for (size_t c = 0; c < p->n_cells; c++) {
        AT(p->cells[c].i, p->cells[c].j) = (int)c + 1;
    }
    for (size_t c = 0; c < p->n_cells; c++) {
        int i = p->cells[c].i, j = p->cells[c].j;
        g->inner[2 * c] = i == -1 ? -1 : AT(inner_of(i), j) - 1;
        g->inner[2 * c + 1] = j == -1 ? -1 : AT(i, inner_of(j)) - 1;
        if ((i != -1 && g->inner[2 * c] < 0) || (j != -1 && g->inner[2 * c + 1] < 0)) {
            why = "the lattice has a hole: a cell lacks the neighbour against which it is placed";
        }
    }
    size_t n = 0;
    for (int row = 0; row < (int)high_by; row++) {
        int j = row <= high[1] + 1 ? row - 1 : high[1] - row;
        for (int column = 0; column < (int)wide; column++) {
            int i = column <= high[0] + 1 ? column - 1 : high[0] - column;
            if (i >= low[0] && j >= low[1] && AT(i, j)) {
                g->turn[n++] = AT(i, j) - 1;
            }
        }
    }
#undef AT
    fb_scratch_give(scratch, at);
    return why ? why : n == p->n_cells ? NULL : "two bundles have the same cell";
}

/* Which cells are first or last in a row of their head, on either side of the plane x = 0. */
static void find_edges(const grid *g) {
    const fb_place_cell *cells = g->place->cells;
    memset(g->edge, FB_EDGE_LEFT | FB_EDGE_RIGHT, g->place->n_cells);
    for (size_t c = 0; c < g->place->n_cells; c++) {
        int inner = g->inner[2 * c], right = cells[c].i >= 0;
        if (inner >= 0 && cells[inner].head[0] == cells[c].head[0] &&
            cells[inner].head[1] == cells[c].head[1]) {
            g->edge[c] &= (unsigned char)~(right ? FB_EDGE_LEFT : FB_EDGE_RIGHT);
            g->edge[inner] &= (unsigned char)~(right ? FB_EDGE_RIGHT : FB_EDGE_LEFT);
        }
    }
}

/* Numbers in rows, times a factor. */
static void lay_row(float *row, const double *from, size_t step, size_t n, double factor) {
    for (size_t k = 0; k < n; k++) {
        row[k] = (float)(factor * from[k * step]);
    }
}

/* Frames, widths, areas and bows in rows. */
static void lay_frames(grid *g) {
    const fb_placing *p = g->place;
    size_t s = g->stride, n = g->sections, numbers = sizeof(fb_frame) / sizeof(double);
    const fb_shape *shape = &p->cells[0].shape;
    int exponent;
    frexp(sqrt(shape->a * shape->b), &exponent);
    g->unit = ldexp(1, exponent);
    for (size_t m = 0; m < 3; m++) {
        for (size_t k = 0; k + 1 < n; k++) {
            g->way[m * s + k] = (p->frames[k + 1].o[m] - p->frames[k].o[m]) / g->unit;
            g->core[m * s + k] = (float)g->way[m * s + k];
        }
    }
    for (size_t h = 0; h < p->n_heads; h++) {
        float *rows = g->frames + h * ROW_FRAME_COUNT * s;
        const fb_frame *f = p->frames + h * n;
        for (size_t m = 0; m < 3; m++) {
            for (size_t k = 0; k < n; k++) {
                rows[(ROW_FO + m) * s + k] = (float)((f[k].o[m] - p->frames[k].o[m]) / g->unit);
            }
            lay_row(rows + (ROW_FX + m) * s, f->x + m, numbers, n, 1);
            lay_row(rows + (ROW_FY + m) * s, f->y + m, numbers, n, 1);
            lay_row(rows + (ROW_FZ + m) * s, f->z + m, numbers, n, 1);
        }
        if (g->width) {
            lay_row(g->width + h * s, p->width + h * n, 1, n, 1);
        }
    }
    if (g->area) {
        lay_row(g->area, p->area, 1, n, 1);
    }
    if (g->bow) {
        lay_row(g->bow, p->bow, 1, n, g->unit);
    }
}

static void find_axis(const grid *g, size_t cell) {
    const fb_place_cell *c = g->place->cells + cell;
    bool flush = g->place->flush; /* else where it ends is found when it is laid */
    fb_row_axis(rows_of(g, cell), g->core, g->stride, g->sections, g->place->base,
                flush ? c->first : 0, flush ? c->last : g->sections - 1, g->spare);
}

/* Whether a cell goes with another core than its inner neighbour, below the base or above it. */
static bool parted(const grid *g, size_t cell, int axis, int up) {
    const fb_placing *p = g->place;
    int other = g->inner[2 * cell + (size_t)axis];
    return other >= 0 && p->cells[other].head[up] != p->cells[cell].head[up];
}

/* Sections in which all is the same for a cell: one part of the row, or one below the base and one
 * above it. */
typedef struct span {
    size_t from, to;
    int up;
} span;

static int parts_of(const grid *g, size_t cell, span parts[2]) {
    const fb_place_cell *c = g->place->cells + cell;
    bool same = c->head[0] == c->head[1];
    for (int axis = 0; axis < 2; axis++) {
        same = same && parted(g, cell, axis, 0) == parted(g, cell, axis, 1);
    }
    size_t base = g->place->base;
    parts[0] = (span){0, same ? g->whole : base, 0};
    parts[1] = (span){base, g->whole, 1};
    return same ? 1 : 2;
}

/* Before the first pass: directions and lengths as the inner neighbours have them, or the core. */
static void begin(const grid *g, size_t cell) {
    const fb_placing *p = g->place;
    const fb_place_cell *c = p->cells + cell;
    size_t s = g->stride;
    float *b = rows_of(g, cell);
    const int *inner = g->inner + 2 * cell;
    span parts[2];
    int n = parts_of(g, cell, parts);
    bool alone[2] = {true, true}, any = false;
    for (size_t row = 0; row < ROW_COUNT; row++) { /* margins */
        memset(b + row * s + g->sections, 0, (s - g->sections) * sizeof *b);
    }
    memset(b + ROW_O * s, 0, 5 * s * sizeof *b); /* and ROW_E */
    for (int i = 0; i < n; i++) {
        int up = parts[i].up;
        alone[i] = (inner[0] < 0 && inner[1] < 0) || parted(g, cell, 0, up) ||
                   parted(g, cell, 1, up);
        any = any || alone[i];
    }
    for (int up = 0; any && up < 2; up++) { /* along the core */
        const float *f = frame_of(g, c->head[up]);
        size_t from = up ? p->base : 0, size = (up ? g->sections : p->base) - from;
        for (size_t m = 0; m < 3; m++) {
            memcpy(b + (ROW_C + m) * s + from, f + (ROW_FO + m) * s + from, size * sizeof *b);
            memcpy(b + (ROW_R + m) * s + from, f + (ROW_FX + m) * s + from, size * sizeof *b);
        }
    }
    if (any) {
        find_axis(g, cell);
    }
    for (int up = 0; any && up < 2; up++) { /* the core's own z, not its chords' */
        const float *f = frame_of(g, c->head[up]);
        size_t from = up ? p->base : 0, size = (up ? g->sections : p->base) - from;
        for (size_t m = 0; m < 3; m++) {
            memcpy(b + (ROW_G + m) * s + from, f + (ROW_FZ + m) * s + from, size * sizeof *b);
        }
    }
    for (int i = 0; i < n; i++) {
        if (!alone[i]) {
            const float *a = rows_of(g, (size_t)inner[inner[0] < 0]);
            const float *below = rows_of(g, (size_t)inner[inner[1] >= 0]);
            fb_row_begin(b, a, below, s, parts[i].from, parts[i].to);
        }
    }
    memcpy(b + ROW_T * s, b + ROW_G * s, 3 * s * sizeof *b);
}

/* Sizes of the rings by the lengths along the axis. */
static void size_rings(const grid *g, size_t cell) {
    const fb_placing *p = g->place;
    const fb_place_cell *c = p->cells + cell;
    const fb_shape *shape = &c->shape;
    float *b = rows_of(g, cell), *arc = b + ROW_ARC * g->stride;
    double *k = g->stretch[cell], per = 1 / g->unit, scale = per * g->scale[cell];
    if (p->flush) {
        k[0] = (double)(arc[c->widest] - arc[c->lower]) * g->unit / shape->l2;
        k[1] = (double)(arc[c->upper] - arc[c->widest]) * g->unit / shape->l3;
    }
    float length[2] = {(float)(per * shape->c1 * k[0]), (float)(per * shape->c2 * k[1])};
    double cut[2] = {shape->l2 / shape->c1, shape->l3 / shape->c2};
    float least[2] = {(float)(1 - cut[0] * cut[0]), (float)(1 - cut[1] * cut[1])};
    fb_row_size(b, g->stride, g->sections, c->widest, (float)(scale * shape->a),
                (float)(scale * shape->b), length, least,
                g->width ? g->width + (size_t)c->head[1] * g->stride : NULL, g->area);
}

/* Where the bundle touches its neighbours, section by section. */
static void lay(const grid *g, size_t cell, bool first) {
    const fb_placing *p = g->place;
    const fb_place_cell *c = p->cells + cell;
    size_t s = g->stride;
    float *b = rows_of(g, cell);
    const int *inner = g->inner + 2 * cell;
    span parts[2];
    int n = parts_of(g, cell, parts);
    for (int i = 0; i < n; i++) {
        int up = parts[i].up;
        size_t from = parts[i].from, to = parts[i].to;
        const float *frame = frame_of(g, c->head[up]);
        bool plane[2] = {inner[0] < 0 || parted(g, cell, 0, up),
                         inner[1] < 0 || parted(g, cell, 1, up)};
        if (!plane[0] && !plane[1]) {
            fb_row_nestle(b, rows_of(g, (size_t)inner[0]), rows_of(g, (size_t)inner[1]), s, from,
                          to, c->i >= 0 ? 1 : -1, c->j >= 0 ? 1 : -1, first);
            continue;
        }
        for (int axis = 0; axis < 2; axis++) {
            float sign = (axis ? c->j : c->i) >= 0 ? 1 : -1;
            if (plane[axis] && axis == 1 && p->bow) {
                float side = first && inner[0] >= 0 ? c->i >= 0 ? 1 : -1 : 0;
                const float *a = side != 0 ? rows_of(g, (size_t)inner[0]) : b;
                fb_row_touch_bow(g->contact[axis], frame, a, b, s, from, to, g->bow, side, sign);
            } else if (plane[axis]) {
                fb_row_touch_plane(g->contact[axis], frame, b, s, from, to, axis == 1, sign);
            } else {
                const float *a = rows_of(g, (size_t)inner[axis]);
                fb_row_touch(g->contact[axis], a, b, s, from, to, axis == 1, sign, first);
            }
        }
        float weight = plane[0] == plane[1] ? 0.5F : plane[0] ? 0 : 1;
        fb_row_solve(b, g->contact[0], g->contact[1], s, from, to, weight, 1 - weight);
    }
}

/* The direction of the lattice's row, where its inner neighbour is beside it. */
static void follow_row(const grid *g, size_t cell) {
    int i = g->place->cells[cell].i, other = g->inner[2 * cell], below = g->inner[2 * cell + 1];
    if (other < 0 || i == 0) {
        return;
    }
    float *b = rows_of(g, cell);
    const float *a = rows_of(g, (size_t)other);
    const float *down = below >= 0 ? rows_of(g, (size_t)below) : NULL;
    span parts[2];
    int n = parts_of(g, cell, parts);
    for (int k = 0; k < n; k++) {
        if (!parted(g, cell, 0, parts[k].up)) {
            fb_row_follow(b, a, down, g->stride, parts[k].from, parts[k].to, i >= 0 ? 1 : -1);
        }
    }
}

/* Lengths along a cell's axis, m from section `base` on, and its layers' volumes. */
static void measure(const grid *g, size_t cell) {
    fb_row_layers(rows_of(g, cell), g->way, g->stride, g->sections, g->unit, g->arc + 1, g->layer);
    g->arc[0] = 0;
    for (size_t k = 1; k < g->sections; k++) {
        g->arc[k] += g->arc[k - 1];
    }
    double zero = g->arc[g->place->base];
    for (size_t k = 0; k < g->sections; k++) {
        g->arc[k] -= zero;
    }
}

/* The length along its axis from section `base` at which the cell that was measured begins and
 * ends. */
static void ends_of(const grid *g, size_t cell, double ends[2]) {
    const fb_placing *p = g->place;
    const fb_place_cell *c = p->cells + cell;
    ends[0] = g->arc[c->first];
    ends[1] = g->arc[c->last];
    if (!p->flush) {
        ends[0] = g->arc[c->widest] - c->shape.l2 - c->shape.l1;
        ends[1] = g->arc[c->widest] + c->shape.l3 + c->shape.l4;
    }
}

/* The ring at a part of the way from section k to the next. */
static void ring_at(const grid *g, size_t cell, size_t k, double part, fb_ring *ring) {
    const float *b = rows_of(g, cell) + k;
    const double *o = g->place->frames[k].o, *next = g->place->frames[k + 1].o;
    size_t s = g->stride;
    double one = g->unit * (1 - part), two = g->unit * part;
    for (size_t m = 0; m < 3; m++) {
        const float *c = b + (ROW_C + m) * s, *u = b + (ROW_U + m) * s, *w = b + (ROW_W + m) * s;
        ring->c[m] = o[m] + part * (next[m] - o[m]) + one * (double)c[0] + two * (double)c[1];
        ring->u[m] = one * (double)u[0] + two * (double)u[1];
        ring->w[m] = one * (double)w[0] + two * (double)w[1];
    }
}

/* The rings of sections `from` to `to`, their semi-axes times f. */
static void rings_between(const grid *g, size_t cell, size_t from, size_t to, double f,
                          fb_ring *ring) {
    const float *b = rows_of(g, cell);
    size_t s = g->stride;
    double size = g->unit * f;
    for (size_t k = from; k <= to; k++, ring++) {
        const double *o = g->place->frames[k].o;
        for (size_t m = 0; m < 3; m++) {
            ring->c[m] = o[m] + g->unit * (double)b[(ROW_C + m) * s + k];
            ring->u[m] = size * (double)b[(ROW_U + m) * s + k];
            ring->w[m] = size * (double)b[(ROW_W + m) * s + k];
        }
    }
}

/* The ring at a length along its axis, from section `base`. */
static void ring_along(const grid *g, size_t cell, double at, fb_ring *ring) {
    const double *arc = g->arc;
    size_t k = 0;
    while (k + 2 < g->sections && arc[k + 1] < at) {
        k++;
    }
    ring_at(g, cell, k, (at - arc[k]) / (arc[k + 1] - arc[k]), ring);
}

/* The rings of the cell that was measured, which ends where it ends. */
static size_t free_rings(const grid *g, size_t cell, fb_ring *ring) {
    const double *arc = g->arc;
    size_t from = 0, n = 0;
    double ends[2];
    ends_of(g, cell, ends);
    double near = MERGED * (ends[1] - ends[0]);
    while (from < g->sections && arc[from] <= ends[0] + near) {
        from++;
    }
    size_t to = from;
    while (to < g->sections && arc[to] < ends[1] - near) {
        to++;
    }
    ring_along(g, cell, ends[0], ring + n++);
    rings_between(g, cell, from, to - 1, 1, ring + n);
    n += to - from;
    ring_along(g, cell, ends[1], ring + n++);
    return n;
}

static double volume_of_rings(fb_ring *rings, size_t n) {
    fb_bundle bundle = {.rings = n};
    return fb_bundle_volume(&(fb_body){.bundles = &bundle, .n_bundles = 1, .rings = rings}, 0);
}

/* What is to hold its volume: with flush ends the belly, whatever becomes of the tendon fibres;
 * else the whole bundle. */
static double volume_of(const grid *g, size_t cell) {
    const fb_shape *shape = &g->place->cells[cell].shape;
    return fb_shape_belly_volume(shape) + (g->place->flush ? 0 : fb_shape_tendon_volume(shape));
}

/* The volume between its rings as they are. */
static double volume_now(const grid *g, size_t cell, fb_ring *spare) {
    const fb_place_cell *c = g->place->cells + cell;
    if (g->place->flush) {
        float volume = fb_row_volume(rows_of(g, cell), g->core, g->stride, c->lower, c->upper,
                                     g->spare);
        return (double)volume * g->unit * g->unit * g->unit;
    }
    measure(g, cell);
    return volume_of_rings(spare, free_rings(g, cell, spare));
}

/* Rings towards square to the cell's axis. */
static void turn(const grid *g, size_t cell) {
    const fb_place_cell *c = g->place->cells + cell;
    size_t base = g->place->base;
    for (int up = 0; up < 2; up++) {
        fb_row_turn(rows_of(g, cell), frame_of(g, c->head[up]), g->stride, up ? base : 0,
                    up ? g->whole : base, SLACK);
    }
}

/* A cell's first place and its axis, with its rings turned. */
static void start(const grid *g, size_t cell) {
    begin(g, cell);
    size_rings(g, cell);
    lay(g, cell, true);
    find_axis(g, cell);
    turn(g, cell);
    follow_row(g, cell);
    size_rings(g, cell);
    lay(g, cell, true);
    find_axis(g, cell);
}

/* Its rings as its axis has come out, with exactly its volume, and its place among them. */
static void mend(const grid *g, size_t cell, fb_ring *spare) {
    size_t s = g->stride;
    float *b = rows_of(g, cell);
    size_rings(g, cell);
    double f = sqrt(volume_of(g, cell) / volume_now(g, cell, spare));
    g->scale[cell] *= f;
    fb_row_scale(b, s, g->sections, (float)f);
    memcpy(b + ROW_O * s, b + ROW_C * s, 3 * s * sizeof *b);
    lay(g, cell, false);
}

/* The room that its layers need beside those of its neighbours, which have their places. */
static void clear(const grid *g, size_t cell) {
    float allowed = (float)(ALLOWED * g->place->cells[cell].shape.b / g->unit);
    for (int axis = 0; axis < 2; axis++) {
        int other = g->inner[2 * cell + (size_t)axis];
        if (other >= 0) {
            fb_row_clear(rows_of(g, cell), rows_of(g, (size_t)other), g->core, g->stride,
                         g->sections, axis == 1, allowed, g->spare);
        }
    }
}

/* One pass over all cells, from the core outward. */
static void pass(const grid *g, int number, bool last, fb_ring *spare) {
    for (size_t q = 0; q < g->place->n_cells; q++) {
        size_t cell = (size_t)g->turn[q];
        if (number == 0) {
            start(g, cell);
        } else {
            if (number > 1) {
                find_axis(g, cell);
            }
            mend(g, cell, spare);
        }
        if (number >= PASSES - 2 && !last) { /* for the next */
            clear(g, cell);
        }
    }
}

/* Heads moved apart where bundles that have been placed sink into each other, for the next pass.
 * Whether they have moved further than the room between them. */
static bool part_heads(const grid *g) {
    double b = g->place->cells[0].shape.b / g->unit;
    fb_head_parting parting = {.place = g->place,
                               .stride = g->stride,
                               .rows = g->rows,
                               .edge = g->edge,
                               .frames = g->frames,
                               .given = g->parting,
                               .spare = g->parting + 2 * g->place->n_heads * g->stride,
                               .room = (float)(HEADS_APART * b)};
    return fb_part_heads(&parting) > parting.room;
}

/* The ratio that a bundle's middle ring is to have: its own, unless widths are given. */
static double ratio_of(const grid *g, size_t cell, const fb_bundle *b) {
    const fb_place_cell *c = g->place->cells + cell;
    const fb_shape *shape = &c->shape;
    double ratio = shape->b / shape->a;
    if (!g->place->width) {
        return ratio;
    }
    const double *row = g->place->width + (size_t)c->head[1] * g->sections;
    const double *arc = g->arc;
    size_t first = c->first;
    if (!g->place->flush) { /* its first ring lies before the first section that it has */
        double ends[2];
        ends_of(g, cell, ends);
        for (first = 0; first + 1 < g->sections && arc[first] <= ends[0]; first++) {
        }
        first--;
    }
    size_t middle[2] = {first + (b->rings - 1) / 2, first + b->rings / 2};
    double width = 0, height = 0;
    for (int i = 0; i < 2; i++) {
        double z = arc[middle[i]] - arc[c->widest];
        int up = z >= 0;
        double part = z / ((up ? shape->c2 : shape->c1) * g->stretch[cell][up]);
        double cut = up ? shape->l3 / shape->c2 : shape->l2 / shape->c1;
        width += row[middle[i]];
        height += (1 - fb_lesser(part * part, cut * cut)) / row[middle[i]];
    }
    return ratio * height / width;
}

/* The volume of a measured cell's layers from one section to another. */
static double layers_between(const grid *g, size_t from, size_t to) {
    double volume = 0;
    for (size_t k = from; k < to; k++) {
        volume += g->layer[k];
    }
    return volume;
}

static void scale_rings(fb_ring *rings, size_t n, double f) {
    for (size_t k = 0; k < n; k++) {
        fb_v3_scale(rings[k].u, f, rings[k].u);
        fb_v3_scale(rings[k].w, f, rings[k].w);
    }
}

/* The rings of a cell that was measured, with exactly its volume; false if that is far off. */
static bool give_rings(const grid *g, size_t cell, fb_bundle *b, fb_ring *ring) {
    const fb_place_cell *c = g->place->cells + cell;
    bool flush = g->place->flush;
    double now = 0, volume = volume_of(g, cell), squared;
    if (flush) {
        b->rings = c->last - c->first + 1;
        now = layers_between(g, c->lower, c->upper);
    } else {
        b->rings = free_rings(g, cell, ring);
        now = volume_of_rings(ring, b->rings);
    }
    squared = volume / now;
    if (!(squared > 0.01 && squared < 100)) {
        return false;
    }
    double f = sqrt(squared);
    if (flush) {
        rings_between(g, cell, c->first, c->last, f, ring);
        /* and tendon fibres, which have what they come to */
        volume += squared *
                  (layers_between(g, c->first, c->lower) + layers_between(g, c->upper, c->last));
    } else {
        scale_rings(ring, b->rings, f);
    }
    b->volume = volume;
    return true;
}

/* The bundles as they have come out. */
static const char *finish(grid *g, fb_body *body) {
    const fb_placing *p = g->place;
    body->n_bundles = body->n_rings = 0;
    for (size_t i = 0; i < p->n_cells; i++) {
        const fb_place_cell *c = p->cells + i;
        fb_bundle *b = body->bundles + i;
        float *rows = rows_of(g, i);
        double ends[2];
        find_axis(g, i);
        measure(g, i);
        ends_of(g, i, ends);
        *b = (fb_bundle){.cell = {c->i, c->j},
                         .order = c->order,
                         .head = {c->head[0], c->head[1]},
                         .share = c->share,
                         .length = ends[1] - ends[0],
                         .first = body->n_rings};
        if (fb_row_lean(rows, g->core, g->stride, c->first, c->last, g->spare) <
                (float)p->upright ||
            !give_rings(g, i, b, body->rings + b->first)) {
            return "its sections cross: it is too thick for its core's bends and length, or has "
                   "too many layers";
        }
        b->belly[0] = p->flush ? g->arc[c->lower] - ends[0] : c->shape.l1;
        b->belly[1] = p->flush ? g->arc[c->upper] - ends[0] : b->length - c->shape.l4;
        b->ratio = ratio_of(g, i, b);
        body->n_bundles = i + 1;
        body->n_rings += b->rings;
    }
    return NULL;
}

size_t fb_place_rings(const fb_placing *place) {
    return place->n_cells * (place->n_sections + 2);
}

const char *fb_place_body(fb_body *body, const fb_placing *place, fb_scratch *scratch) {
    size_t n = place->n_cells, sections = place->n_sections;
    if (n == 0 || sections < 3) {
        return "a body needs a bundle and three sections at least";
    }
    const char *why = "there is not enough memory for so many bundles";
    grid g = {.place = place, .sections = sections};
    g.whole = fb_row_whole(sections);
    g.stride = fb_row_stride(sections);
    size_t row = g.stride * sizeof *g.rows, given = place->n_heads + 5;
    g.rows = fb_scratch_take(scratch, n * ROW_COUNT, row);
    g.frames = fb_scratch_take(scratch, place->n_heads * ROW_FRAME_COUNT, row);
    float *widths = fb_scratch_take(scratch, given, row);
    g.inner = fb_scratch_take(scratch, 2 * n, sizeof *g.inner);
    g.turn = fb_scratch_take(scratch, n, sizeof *g.turn);
    g.scale = fb_scratch_take(scratch, n, sizeof *g.scale);
    g.stretch = fb_scratch_take(scratch, n, sizeof *g.stretch);
    float *spare = fb_scratch_take(scratch, 2 * ROW_CONTACT_COUNT + SPARE_ROWS, row);
    double *exact = fb_scratch_take(scratch, 5 * g.stride + 1, sizeof *exact);
    fb_ring *rings = fb_scratch_take(scratch, sections + 2, sizeof *rings);
    size_t parting = place->n_heads > 1 ? 2 * place->n_heads + FB_HEAD_ROWS : 0;
    g.parting = parting ? fb_scratch_take(scratch, parting, row) : NULL;
    g.edge = parting ? fb_scratch_take(scratch, n, sizeof *g.edge) : NULL;
    if (((g.parting && g.edge) || !parting) && g.rows && g.frames && widths && g.inner && g.turn &&
        g.scale && g.stretch && spare && exact && rings) {
        why = find_neighbours(&g, scratch);
    }
    if (!why) {
        memset(g.frames, 0, place->n_heads * ROW_FRAME_COUNT * row); /* margins */
        memset(widths, 0, given * row);
        if (g.parting) {
            memset(g.parting, 0, parting * row);
            find_edges(&g);
        }
        memset(spare, 0, (2 * ROW_CONTACT_COUNT + SPARE_ROWS) * row);
        g.contact[0] = spare;
        g.contact[1] = g.contact[0] + ROW_CONTACT_COUNT * g.stride;
        g.spare = g.contact[1] + ROW_CONTACT_COUNT * g.stride;
        memset(exact, 0, (5 * g.stride + 1) * sizeof *exact);
        g.way = exact;
        g.layer = g.way + 3 * g.stride;
        g.arc = g.layer + g.stride;
        g.width = place->width ? widths : NULL;
        g.area = place->area ? widths + place->n_heads * g.stride : NULL;
        g.bow = place->bow ? widths + (place->n_heads + 1) * g.stride : NULL;
        g.core = widths + (place->n_heads + 2) * g.stride;
        lay_frames(&g);
        for (size_t i = 0; i < n; i++) {
            g.scale[i] = g.stretch[i][0] = g.stretch[i][1] = 1;
        }
        /* thin sheets take one more: what is cleared moves the rows above */
        int passes = place->width ? PASSES + 1 : PASSES, more = HEADS_PASSES;
        for (int number = 0; number < passes; number++) {
            pass(&g, number, number + 1 == passes, rings);
            if (g.parting && number + 1 < passes && part_heads(&g) && number + 2 == passes &&
                more-- > 0) {
                passes++;
            }
        }
        why = finish(&g, body);
    }
    fb_scratch_give(scratch, g.edge);
    fb_scratch_give(scratch, g.parting);
    fb_scratch_give(scratch, rings);
    fb_scratch_give(scratch, exact);
    fb_scratch_give(scratch, spare);
    fb_scratch_give(scratch, g.stretch);
    fb_scratch_give(scratch, g.scale);
    fb_scratch_give(scratch, g.turn);
    fb_scratch_give(scratch, g.inner);
    fb_scratch_give(scratch, widths);
    fb_scratch_give(scratch, g.frames);
    fb_scratch_give(scratch, g.rows);
    return why;
}
