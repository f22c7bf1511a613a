#include "libcore/bundle/place_heads.h"

#include <math.h>
#include <string.h>

#include "libcore/bundle/place_rows.h"

#define GRADUAL 2   /* sections: half of the windows over which heads give way */
#define ACROSS 0.3F /* cosine: the least between a head's x and the normal of a dividing plane */

enum { SPARE_WALL = 0, SPARE_INNER = 4, SPARE_OUTER = 6, SPARE_NEED = 8, SPARE_MEAN = 9 };

static const float *frame_of(const fb_head_parting *p, size_t head) {
    return p->frames + head * ROW_FRAME_COUNT * p->stride;
}

/* The side of the middle head on which a head is: 1 right, -1 left, 0 itself. */
static float side_of(size_t head, size_t middle) {
    return head > middle ? 1 : head < middle ? -1 : 0;
}

/* The head that stands at the plane x = 0 with the innermost cell on its right, or else its left.
 */
static size_t middle_head(const fb_placing *place) {
    size_t head = 0;
    for (size_t c = 0; c < place->n_cells; c++) {
        if (place->cells[c].i == 0 && place->cells[c].j == 0) {
            head = (size_t)place->cells[c].head[1];
        }
    }
    return head;
}

/* Normals of the planes that divide two heads in each layer, from the first to the second: row
 * k + 1 for the layer above section k. */
static void lay_walls(const fb_head_parting *p, size_t inner, size_t outer) {
    const float *a = frame_of(p, inner) + ROW_FX * p->stride;
    const float *b = frame_of(p, outer) + ROW_FX * p->stride;
    float *wall = p->spare + SPARE_WALL * p->stride, sign = outer > inner ? 1 : -1;
    size_t s = p->stride, n = p->place->n_sections;
    for (size_t k = 0; k <= n; k++) {
        size_t low = k > 0 ? k - 1 : 0, high = k < n ? k : n - 1;
        float m[3], square = 0;
        for (size_t i = 0; i < 3; i++) {
            m[i] = a[i * s + low] + b[i * s + low] + a[i * s + high] + b[i * s + high];
            square += m[i] * m[i];
        }
        float per = square > 0 ? sign / sqrtf(square) : 0;
        for (size_t i = 0; i < 3; i++) {
            wall[i * s + k] = per * m[i];
        }
    }
}

/* How far the bundles at an edge of a head reach along the walls (against them, if sign is -1)
 * below and above each section. */
static void reach_of(const fb_head_parting *p, size_t head, int edge, float sign, float *reach) {
    const fb_placing *place = p->place;
    const float *wall = p->spare + SPARE_WALL * p->stride;
    for (size_t k = 0; k < 2 * p->stride; k++) {
        reach[k] = -INFINITY;
    }
    for (size_t c = 0; c < place->n_cells; c++) {
        const fb_place_cell *cell = place->cells + c;
        if (!(p->edge[c] & edge)) {
            continue;
        }
        const float *b = p->rows + c * ROW_COUNT * p->stride;
        size_t first = place->flush ? cell->first : 0;
        size_t end = place->flush ? cell->last + 1 : place->n_sections;
        if (cell->head[0] != (int)head && first < place->base) {
            first = place->base;
        }
        if (cell->head[1] != (int)head && end > place->base) {
            end = place->base;
        }
        for (size_t up = 0; up < 2 && first < end; up++) {
            fb_row_reach(reach + up * p->stride, b, wall + up, p->stride, first, end, sign);
        }
    }
}

/* What the outer head needs in each section so as not to sink into the inner one. `change`: how far
 * the inner one is about to move. */
static void add_need(const fb_head_parting *p, size_t inner, size_t outer, float inner_side,
                     float outer_side, const float *change, float *need) {
    size_t s = p->stride;
    const float *wall = p->spare + SPARE_WALL * s, *given = p->given + outer * s;
    float *a = p->spare + SPARE_INNER * s, *b = p->spare + SPARE_OUTER * s;
    const float *xa = frame_of(p, inner) + ROW_FX * s, *xb = frame_of(p, outer) + ROW_FX * s;
    lay_walls(p, inner, outer);
    reach_of(p, inner, outer > inner ? FB_EDGE_RIGHT : FB_EDGE_LEFT, 1, a);
    reach_of(p, outer, outer > inner ? FB_EDGE_LEFT : FB_EDGE_RIGHT, -1, b);
    for (size_t k = 0; k < p->place->n_sections; k++) {
        for (size_t up = 0; up < 2; up++) {
            const float *m = wall + k + up;
            float sunk = a[up * s + k] + b[up * s + k] + p->room;
            if (!(sunk > -INFINITY)) { /* one of them has no bundles here */
                continue;
            }
            float along_a = m[0] * xa[k] + m[s] * xa[s + k] + m[2 * s] * xa[2 * s + k];
            float along_b = m[0] * xb[k] + m[s] * xb[s + k] + m[2 * s] * xb[2 * s + k];
            sunk += change[k] * inner_side * along_a;
            along_b *= outer_side;
            float needed = given[k] + sunk / (along_b > ACROSS ? along_b : ACROSS);
            need[k] = needed > need[k] ? needed : need[k];
        }
    }
}

/* The least smooth way that is nowhere less than what is needed: greatest values over windows, then
 * means over windows that together are as wide. */
static void make_gradual(float *need, float *spare, size_t n) {
    for (size_t k = 0; k < n; k++) {
        size_t from = k > 2 * GRADUAL ? k - 2 * GRADUAL : 0;
        spare[k] = 0;
        for (size_t i = from; i < n && i <= k + 2 * GRADUAL; i++) {
            spare[k] = need[i] > spare[k] ? need[i] : spare[k];
        }
    }
    for (int sweep = 0; sweep < 2; sweep++) {
        const float *from = sweep ? need : spare;
        float *to = sweep ? spare : need;
        for (size_t k = 0; k < n; k++) {
            float sum = 0;
            for (int i = -GRADUAL; i <= GRADUAL; i++) {
                long at = (long)k + i;
                sum += from[at < 0 ? 0 : at < (long)n ? (size_t)at : n - 1];
            }
            to[k] = sum / (2 * GRADUAL + 1);
        }
    }
    memcpy(need, spare, n * sizeof *need);
}

float fb_part_heads(const fb_head_parting *p) {
    size_t s = p->stride, n = p->place->n_sections, heads = p->place->n_heads;
    size_t middle = middle_head(p->place);
    float *need = p->spare + SPARE_NEED * s, *mean = p->spare + SPARE_MEAN * s;
    float *change = p->given + heads * s; /* [heads][stride] */
    float most = 0;
    memset(change, 0, heads * s * sizeof *change);
    for (size_t i = 1; i < heads; i++) { /* to the right, then to the left */
        size_t outer = i < heads - middle ? middle + i : heads - 1 - i;
        float side = side_of(outer, middle), *given = p->given + outer * s;
        memset(need, 0, s * sizeof *need);
        for (size_t j = 0; j < i; j++) {
            size_t inner = j < heads - middle ? middle + j : heads - 1 - j;
            add_need(p, inner, outer, side_of(inner, middle), side, change + inner * s, need);
        }
        make_gradual(need, mean, n);
        for (size_t k = 0; k < n; k++) {
            change[outer * s + k] = need[k] - given[k];
            most = fabsf(need[k] - given[k]) > most ? fabsf(need[k] - given[k]) : most;
            given[k] = need[k];
        }
    }
    for (size_t h = 0; h < heads; h++) {
        float side = side_of(h, middle), *frame = p->frames + h * ROW_FRAME_COUNT * s;
        for (size_t m = 0; m < 3; m++) {
            for (size_t k = 0; k < n; k++) {
                frame[(ROW_FO + m) * s + k] += side * change[h * s + k] *
                                               frame[(ROW_FX + m) * s + k];
            }
        }
    }
    return most;
}
