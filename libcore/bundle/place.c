#include "libcore/bundle/place.h"

#include <math.h>
#include <string.h>

#include "libcore/base/spatial.h"
#include "libcore/bundle/place_rows.h"

#define SLACK \
    0.2 /* rad that a ring may lean from square to its bundle's axis, for its section's sake */
#define ALLOWED 0.005 /* of the half-height: how deep layers may sink between their rings */
#define PASSES 3

typedef struct grid {
    const fb_placing *place;
    size_t sections, stride;
    double *rows;         /* [cells][ROW_COUNT][stride] */
    double *frames;       /* [heads][ROW_FRAME_COUNT][stride] */
    int *inner;           /* [cells][2]: the neighbours towards the planes x = 0 and y = 0, or -1 */
    int *turn;            /* cells in the order of placing */
    double *scale;        /* [cells]: factor of both semi-axes for exact volume */
    double (*stretch)[2]; /* [cells] of the belly, below and above */
    double *contact[2];   /* [ROW_CONTACT_COUNT][stride] */
    double *spare;        /* [2][stride] */
} grid;

static double *rows_of(const grid *g, size_t cell) {
    return g->rows + cell * ROW_COUNT * g->stride;
}

static const double *frame_of(const grid *g, int head) {
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

/* Frames in rows. */
static void lay_frames(grid *g) {
    const fb_placing *p = g->place;
    for (size_t h = 0; h < p->n_heads; h++) {
        double *rows = g->frames + h * ROW_FRAME_COUNT * g->stride;
        for (size_t k = 0; k < g->sections; k++) {
            const fb_frame *f = p->frames + h * g->sections + k;
            for (size_t m = 0; m < 3; m++) {
                rows[(ROW_FO + m) * g->stride + k] = f->o[m];
                rows[(ROW_FX + m) * g->stride + k] = f->x[m];
                rows[(ROW_FY + m) * g->stride + k] = f->y[m];
                rows[(ROW_FZ + m) * g->stride + k] = f->z[m];
            }
        }
    }
}

static void find_axis(const grid *g, size_t cell) {
    const fb_place_cell *c = g->place->cells + cell;
    bool flush = g->place->flush; /* else where it ends is found when it is laid */
    fb_row_axis(rows_of(g, cell), g->stride, g->sections, g->place->base, flush ? c->first : 0,
                flush ? c->last : g->sections - 1);
}

/* Whether a cell and its inner neighbour go with different cores in a section. */
static bool parted(const grid *g, size_t cell, int axis, size_t k) {
    const fb_placing *p = g->place;
    int other = g->inner[2 * cell + (size_t)axis], up = k >= p->base;
    return p->cells[other].head[up] != p->cells[cell].head[up];
}

/* Before the first pass: directions and lengths as the inner neighbours have them, or the core. */
static void begin(const grid *g, size_t cell) {
    const fb_placing *p = g->place;
    const fb_place_cell *c = p->cells + cell;
    size_t s = g->stride;
    double *b = rows_of(g, cell);
    for (int up = 0; up < 2; up++) {
        const double *f = frame_of(g, c->head[up]);
        size_t from = up ? p->base : 0, to = up ? g->sections : p->base;
        for (size_t m = 0; m < 3; m++) {
            memcpy(b + (ROW_C + m) * s + from, f + (ROW_FO + m) * s + from,
                   (to - from) * sizeof *b);
            memcpy(b + (ROW_R + m) * s + from, f + (ROW_FX + m) * s + from,
                   (to - from) * sizeof *b);
        }
    }
    memset(b + ROW_O * s, 0, 3 * s * sizeof *b);
    memset(b + ROW_E * s, 0, 2 * s * sizeof *b);
    find_axis(g, cell);
    for (size_t m = 0; m < 3; m++) { /* the core's own z, not its chords' */
        for (int up = 0; up < 2; up++) {
            const double *f = frame_of(g, c->head[up]);
            size_t from = up ? p->base : 0, to = up ? g->sections : p->base;
            memcpy(b + (ROW_G + m) * s + from, f + (ROW_FZ + m) * s + from,
                   (to - from) * sizeof *b);
        }
    }
    const double *near[2];
    int count = 0;
    for (int axis = 0; axis < 2; axis++) {
        if (g->inner[2 * cell + (size_t)axis] >= 0) {
            near[count++] = rows_of(g, (size_t)g->inner[2 * cell + (size_t)axis]);
        }
    }
    for (size_t k = 0; count && k < g->sections; k++) {
        bool apart = false;
        for (int axis = 0; axis < 2; axis++) {
            apart |= g->inner[2 * cell + (size_t)axis] >= 0 && parted(g, cell, axis, k);
        }
        if (apart) {
            continue;
        }
        double v[3] = {0, 0, 0}, arc = 0;
        for (int q = 0; q < count; q++) {
            for (size_t m = 0; m < 3; m++) {
                v[m] += near[q][(ROW_G + m) * s + k];
            }
            arc += near[q][ROW_ARC * s + k];
        }
        double l = 1 / fb_v3_norm(v);
        for (size_t m = 0; m < 3; m++) {
            b[(ROW_G + m) * s + k] = l * v[m];
            b[(ROW_R + m) * s + k] = near[0][(ROW_R + m) * s + k];
        }
        b[ROW_ARC * s + k] = arc / count;
    }
    memcpy(b + ROW_T * s, b + ROW_G * s, 3 * s * sizeof *b);
}

/* Sizes of the rings by the lengths along the axis. */
static void size_rings(const grid *g, size_t cell) {
    const fb_placing *p = g->place;
    const fb_place_cell *c = p->cells + cell;
    const fb_shape *shape = &c->shape;
    double *b = rows_of(g, cell), *arc = b + ROW_ARC * g->stride, *k = g->stretch[cell];
    if (p->flush) {
        k[0] = (arc[c->widest] - arc[c->lower]) / shape->l2;
        k[1] = (arc[c->upper] - arc[c->widest]) / shape->l3;
    }
    double length[2] = {shape->c1 * k[0], shape->c2 * k[1]};
    double cut[2] = {shape->l2 / shape->c1, shape->l3 / shape->c2};
    double least[2] = {1 - cut[0] * cut[0], 1 - cut[1] * cut[1]};
    fb_row_size(b, g->stride, g->sections, c->widest, shape->a * g->scale[cell],
                shape->b * g->scale[cell], length, least,
                p->width ? p->width + (size_t)c->head[1] * g->sections : NULL, p->area);
}

/* Where the bundle touches its neighbours, section by section. */
static void lay(const grid *g, size_t cell, bool first) {
    const fb_placing *p = g->place;
    const fb_place_cell *c = p->cells + cell;
    size_t s = g->stride;
    double *b = rows_of(g, cell);
    for (size_t from = 0, to; from < g->sections; from = to) {
        bool up = from >= p->base, plane[2];
        for (int axis = 0; axis < 2; axis++) {
            plane[axis] = g->inner[2 * cell + (size_t)axis] < 0 || parted(g, cell, axis, from);
        }
        for (to = from + 1; to < g->sections; to++) { /* as far as all is the same */
            bool same = (to >= p->base) == up;
            for (int axis = 0; axis < 2; axis++) {
                same &= g->inner[2 * cell + (size_t)axis] < 0 ||
                        parted(g, cell, axis, to) == plane[axis];
            }
            if (!same) {
                break;
            }
        }
        for (int axis = 0; axis < 2; axis++) {
            double sign = (axis ? c->j : c->i) >= 0 ? 1 : -1;
            if (plane[axis] && axis == 1 && p->bow) {
                double side = first && g->inner[2 * cell] >= 0 ? c->i >= 0 ? 1 : -1 : 0;
                const double *a = side != 0 ? rows_of(g, (size_t)g->inner[2 * cell]) : b;
                fb_row_touch_bow(g->contact[axis], frame_of(g, c->head[up]), a, b, s, from, to,
                                 p->bow, side, sign);
            } else if (plane[axis]) {
                fb_row_touch_plane(g->contact[axis], frame_of(g, c->head[up]), b, s, from, to,
                                   axis == 1, sign);
            } else {
                const double *a = rows_of(g, (size_t)g->inner[2 * cell + (size_t)axis]);
                fb_row_touch(g->contact[axis], a, b, s, from, to, axis == 1, sign, first);
            }
        }
        double weight = plane[0] == plane[1] ? 0.5 : plane[0] ? 0 : 1;
        fb_row_solve(b, g->contact[0], g->contact[1], s, from, to, weight, 1 - weight);
    }
}

/* The direction of the lattice's row, where its inner neighbour is beside it. */
static void follow_row(const grid *g, size_t cell) {
    int i = g->place->cells[cell].i, other = g->inner[2 * cell], below = g->inner[2 * cell + 1];
    if (other < 0 || i == 0) {
        return;
    }
    double *b = rows_of(g, cell);
    const double *a = rows_of(g, (size_t)other);
    const double *down = below >= 0 ? rows_of(g, (size_t)below) : NULL;
    for (size_t from = 0, to; from < g->sections; from = to) {
        bool skip = parted(g, cell, 0, from);
        for (to = from + 1; to < g->sections && parted(g, cell, 0, to) == skip; to++) {
        }
        if (!skip) {
            fb_row_follow(b, a, down, g->stride, from, to, i >= 0 ? 1 : -1);
        }
    }
}

/* The length along its axis from section `base` at which a cell begins and ends. */
static void ends_of(const grid *g, size_t cell, double ends[2]) {
    const fb_placing *p = g->place;
    const fb_place_cell *c = p->cells + cell;
    const double *arc = rows_of(g, cell) + ROW_ARC * g->stride;
    ends[0] = arc[c->first];
    ends[1] = arc[c->last];
    if (!p->flush) {
        ends[0] = arc[c->widest] - c->shape.l2 - c->shape.l1;
        ends[1] = arc[c->widest] + c->shape.l3 + c->shape.l4;
    }
}

static void ring_at(const grid *g, size_t cell, double at, fb_ring *ring) {
    const double *b = rows_of(g, cell), *arc = b + ROW_ARC * g->stride;
    size_t k = 0, s = g->stride;
    while (k + 2 < g->sections && arc[k + 1] < at) {
        k++;
    }
    double part = (at - arc[k]) / (arc[k + 1] - arc[k]);
    for (size_t m = 0; m < 3; m++) {
        const double *c = b + (ROW_C + m) * s + k, *u = b + (ROW_U + m) * s + k;
        const double *w = b + (ROW_W + m) * s + k;
        ring->c[m] = c[0] + part * (c[1] - c[0]);
        ring->u[m] = u[0] + part * (u[1] - u[0]);
        ring->w[m] = w[0] + part * (w[1] - w[0]);
    }
}

/* A cell's rings from end to end. */
static size_t rings_of(const grid *g, size_t cell, fb_ring *ring) {
    const double *b = rows_of(g, cell), *arc = b + ROW_ARC * g->stride;
    const fb_place_cell *c = g->place->cells + cell;
    size_t from = c->first, to = c->last + 1, n = 0, s = g->stride;
    double ends[2];
    if (!g->place->flush) {
        ends_of(g, cell, ends);
        double near = 1e-9 * (ends[1] - ends[0]);
        for (from = 0; from < g->sections && arc[from] <= ends[0] + near; from++) {
        }
        for (to = from; to < g->sections && arc[to] < ends[1] - near; to++) {
        }
        ring_at(g, cell, ends[0], ring + n++);
    }
    for (size_t k = from; k < to; k++, n++) {
        for (size_t m = 0; m < 3; m++) {
            ring[n].c[m] = b[(ROW_C + m) * s + k];
            ring[n].u[m] = b[(ROW_U + m) * s + k];
            ring[n].w[m] = b[(ROW_W + m) * s + k];
        }
    }
    if (!g->place->flush) {
        ring_at(g, cell, ends[1], ring + n++);
    }
    return n;
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
        return fb_row_volume(rows_of(g, cell), g->stride, c->lower, c->upper, g->spare);
    }
    fb_bundle bundle = {.rings = rings_of(g, cell, spare)};
    fb_body body = {.bundles = &bundle, .n_bundles = 1, .rings = spare};
    return fb_bundle_volume(&body, 0);
}

/* One pass over all cells; the first also turns the rings. */
static void pass(const grid *g, int number, fb_ring *spare) {
    const fb_placing *p = g->place;
    size_t s = g->stride;
    for (size_t c = 0; number >= PASSES - 1 && c < p->n_cells; c++) {
        for (int axis = 0; axis < 2; axis++) {
            int other = g->inner[2 * c + (size_t)axis];
            if (other >= 0) {
                fb_row_clear(rows_of(g, c), rows_of(g, (size_t)other), s, g->sections, axis == 1,
                             ALLOWED * p->cells[c].shape.b, g->spare);
            }
        }
    }
    for (size_t c = 0; number && c < p->n_cells; c++) {
        double *b = rows_of(g, c);
        find_axis(g, c);
        size_rings(g, c);
        double f = sqrt(volume_of(g, c) / volume_now(g, c, spare));
        g->scale[c] *= f;
        fb_row_scale(b, s, g->sections, f);
        memcpy(b + ROW_O * s, b + ROW_C * s, 3 * s * sizeof *b);
    }
    for (size_t q = 0; q < p->n_cells; q++) {
        size_t cell = (size_t)g->turn[q];
        double *b = rows_of(g, cell);
        if (number == 0) {
            begin(g, cell);
            size_rings(g, cell);
            lay(g, cell, true);
            find_axis(g, cell);
            for (int up = 0; up < 2; up++) {
                fb_row_turn(b, frame_of(g, p->cells[cell].head[up]), s, up ? p->base : 0,
                            up ? g->sections : p->base, SLACK);
            }
            follow_row(g, cell);
            size_rings(g, cell);
        }
        lay(g, cell, number == 0);
        if (number == 0) {
            find_axis(g, cell);
        }
    }
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
    const double *arc = rows_of(g, cell) + ROW_ARC * g->stride;
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

/* The bundles as they have come out, each with exactly its volume. */
static const char *finish(grid *g, fb_body *body, fb_ring *spare) {
    const fb_placing *p = g->place;
    body->n_bundles = body->n_rings = 0;
    for (size_t i = 0; i < p->n_cells; i++) {
        const fb_place_cell *c = p->cells + i;
        fb_bundle *b = body->bundles + i;
        fb_ring *ring = body->rings + body->n_rings;
        double *rows = rows_of(g, i), *arc = rows + ROW_ARC * g->stride, ends[2];
        find_axis(g, i);
        double f = sqrt(volume_of(g, i) / volume_now(g, i, spare));
        if (!(f > 0.1 && f < 10) || fb_row_lean(rows, g->stride, c->first, c->last) < p->upright) {
            return "its sections cross: it is too thick for its core's bends and length, or has "
                   "too "
                   "many layers";
        }
        fb_row_scale(rows, g->stride, g->sections, f);
        ends_of(g, i, ends);
        *b = (fb_bundle){.cell = {c->i, c->j},
                         .order = c->order,
                         .head = {c->head[0], c->head[1]},
                         .share = c->share,
                         .length = ends[1] - ends[0],
                         .first = body->n_rings,
                         .rings = rings_of(g, i, ring)};
        b->belly[0] = p->flush ? arc[c->lower] - ends[0] : c->shape.l1;
        b->belly[1] = p->flush ? arc[c->upper] - ends[0] : b->length - c->shape.l4;
        b->volume = volume_of(g, i);
        if (p->flush) { /* and tendon fibres, which have what they come to */
            b->volume += fb_row_volume(rows, g->stride, c->first, c->lower, g->spare) +
                         fb_row_volume(rows, g->stride, c->upper, c->last, g->spare);
        }
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
    grid g = {.place = place, .sections = sections, .stride = (sections + 7) & ~(size_t)7};
    if (n == 0 || sections < 3) {
        return "a body needs a bundle and three sections at least";
    }
    const char *why = "there is not enough memory for so many bundles";
    g.rows = fb_scratch_take(scratch, n * ROW_COUNT * g.stride, sizeof *g.rows);
    g.frames = fb_scratch_take(scratch, place->n_heads * ROW_FRAME_COUNT * g.stride,
                               sizeof *g.rows);
    g.inner = fb_scratch_take(scratch, 2 * n, sizeof *g.inner);
    g.turn = fb_scratch_take(scratch, n, sizeof *g.turn);
    g.scale = fb_scratch_take(scratch, n, sizeof *g.scale);
    g.stretch = fb_scratch_take(scratch, n, sizeof *g.stretch);
    g.contact[0] = fb_scratch_take(scratch, ROW_CONTACT_COUNT * g.stride, sizeof *g.rows);
    g.contact[1] = fb_scratch_take(scratch, ROW_CONTACT_COUNT * g.stride, sizeof *g.rows);
    g.spare = fb_scratch_take(scratch, 2 * g.stride, sizeof *g.spare);
    fb_ring *spare = fb_scratch_take(scratch, sections + 2, sizeof *spare);
    if (g.rows && g.frames && g.inner && g.turn && g.scale && g.stretch && g.contact[0] &&
        g.contact[1] && g.spare && spare) {
        why = find_neighbours(&g, scratch);
    }
    if (!why) {
        lay_frames(&g);
        for (size_t i = 0; i < n; i++) {
            g.scale[i] = g.stretch[i][0] = g.stretch[i][1] = 1;
        }
        /* thin sheets take one more: what is cleared moves the rows above */
        int passes = place->width ? PASSES + 1 : PASSES;
        for (int number = 0; number < passes; number++) {
            pass(&g, number, spare);
        }
        why = finish(&g, body, spare);
    }
    fb_scratch_give(scratch, spare);
    fb_scratch_give(scratch, g.spare);
    fb_scratch_give(scratch, g.contact[1]);
    fb_scratch_give(scratch, g.contact[0]);
    fb_scratch_give(scratch, g.stretch);
    fb_scratch_give(scratch, g.scale);
    fb_scratch_give(scratch, g.turn);
    fb_scratch_give(scratch, g.inner);
    fb_scratch_give(scratch, g.frames);
    fb_scratch_give(scratch, g.rows);
    return why;
}
