/* Nearest points of a surface: a tree of bounding boxes, four children to a node so that one step
 * looks at four boxes at once (single precision, widened to stay on the safe side); triangles are
 * looked at in double precision (Ericson 2005, section 5.1.5). */
#include "libcore/base/number.h"
#include "libcore/base/spatial.h"
#include "libcore/register/surface_internal.h"

#include <string.h>

#define LEAF 4      /* triangles */
#define WIDER 1e-6f /* of boxes, relative to the surface's size: more than rounding to float */
#define STACK (3 * 20 + 4) /* a node of 4^16 triangles lies 16 deep */

typedef struct builder {
    fb_surface *surface;
    float (*center)[3];
    float wider;
} builder;

/* Moves the faces with the lesser centres along `axis` to the front (quickselect, Hoare). */
static void part(const builder *b, int *order, int n, int k, int axis) {
    int low = 0, high = n - 1;
    while (low < high) {
        float pivot = b->center[order[low + (high - low) / 2]][axis];
        int i = low, j = high;
        while (i <= j) {
            while (b->center[order[i]][axis] < pivot) {
                i++;
            }
            while (b->center[order[j]][axis] > pivot) {
                j--;
            }
            if (i <= j) {
                int keep = order[i];
                order[i++] = order[j];
                order[j--] = keep;
            }
        }
        if (k <= j) {
            high = j;
        } else if (k >= i) {
            low = i;
        } else {
            return;
        }
    }
}

/* Halves a range across the longest side of its centres' box. */
static int halve(const builder *b, int first, int n) {
    int *order = b->surface->tree->order + first;
    float low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < 3; k++) {
            float c = b->center[order[i]][k];
            low[k] = c < low[k] ? c : low[k];
            high[k] = c > high[k] ? c : high[k];
        }
    }
    int axis = 0;
    for (int k = 1; k < 3; k++) {
        axis = high[k] - low[k] > high[axis] - low[axis] ? k : axis;
    }
    part(b, order, n, n / 2, axis);
    return n / 2;
}

static void box_of(const builder *b, fb_surface_node *node, int child, int first, int n) {
    const fb_surface *s = b->surface;
    float low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int i = first; i < first + n; i++) {
        for (int c = 0; c < 3; c++) {
            const double *v = s->vertices[s->faces[s->tree->order[i]][c]];
            for (int k = 0; k < 3; k++) {
                float x = (float)(v[k] - s->tree->middle[k]);
                low[k] = x < low[k] ? x : low[k];
                high[k] = x > high[k] ? x : high[k];
            }
        }
    }
    for (int k = 0; k < 3; k++) {
        node->low[k][child] = low[k] - b->wider;
        node->high[k][child] = high[k] + b->wider;
    }
}

/* The node over a range of `order`; recursion is as deep as the tree, log4 of the triangles. */
static int build(const builder *b, int first, int n) {
    fb_surface_tree *tree = b->surface->tree;
    int number = tree->n_nodes++;
    int half = halve(b, first, n);
    int quarter = half > LEAF ? halve(b, first, half) : half;
    int last = n - half > LEAF ? halve(b, first + half, n - half) : n - half;
    int from[5] = {first, first + quarter, first + half, first + half + last, first + n};
    for (int c = 0; c < 4; c++) {
        int size = from[c + 1] - from[c];
        if (size == 0) { /* no child: a box that no point is near */
            for (int k = 0; k < 3; k++) {
                tree->nodes[number].low[k][c] = INFINITY;
                tree->nodes[number].high[k][c] = INFINITY;
            }
            continue;
        }
        box_of(b, &tree->nodes[number], c, from[c], size);
        if (size <= LEAF) {
            tree->leaves[tree->n_leaves] = (fb_surface_leaf){from[c], size};
            tree->nodes[number].child[c] = ~tree->n_leaves++;
        } else {
            int child = build(b, from[c], size);
            tree->nodes[number].child[c] = child;
        }
    }
    return number;
}

void fb_surface_tree_build(fb_surface *s) {
    fb_surface_tree *tree = s->tree;
    size_t n = (size_t)s->n_faces;
    fb_arena scratch;
    fb_arena_init(&scratch);
    tree->order = fb_arena_array(&s->arena, n, sizeof *tree->order);
    tree->leaves = fb_arena_array(&s->arena, n, sizeof *tree->leaves);
    tree->nodes = fb_arena_array(&s->arena, n / 2 + 1, sizeof *tree->nodes);
    tree->corners = fb_arena_array(&s->arena, n, sizeof *tree->corners);
    jmp_buf oom;
    if (setjmp(oom)) {
        longjmp(*s->arena.oom, 1); /* nothing was allocated from it */
    }
    scratch.oom = &oom;
    builder b = {s, fb_arena_array(&scratch, n, sizeof *b.center), 0};
    double size = 0;
    for (int k = 0; k < 3; k++) {
        tree->middle[k] = 0.5 * (s->low[k] + s->high[k]);
        size = fb_greater(size, s->high[k] - s->low[k]);
    }
    b.wider = WIDER * (float)size;
    for (int f = 0; f < s->n_faces; f++) {
        tree->order[f] = f;
        for (int k = 0; k < 3; k++) {
            double sum = 0;
            for (int c = 0; c < 3; c++) {
                sum += s->vertices[s->faces[f][c]][k];
            }
            b.center[f][k] = (float)(sum / 3 - tree->middle[k]);
        }
    }
    build(&b, 0, s->n_faces);
    for (int i = 0; i < s->n_faces; i++) {
        for (int c = 0; c < 3; c++) {
            fb_v3_copy(tree->corners[i] + 3 * c, s->vertices[s->faces[tree->order[i]][c]]);
        }
    }
    fb_arena_clear(&scratch);
}

/* ---- nearest --------------------------------------------------------------------------------- */

/* Nearest point of a triangle; returns the feature: 0 face, 1 to 3 corners, 4 to 6 edges. */
static int nearest_of_triangle(const double *t, const double *p, double *q) {
    const double *a = t, *b = t + 3, *c = t + 6;
    double ab[3], ac[3], ap[3], bp[3], cp[3];
    fb_v3_sub(ab, b, a);
    fb_v3_sub(ac, c, a);
    fb_v3_sub(ap, p, a);
    double d1 = fb_v3_dot(ab, ap), d2 = fb_v3_dot(ac, ap);
    if (d1 <= 0 && d2 <= 0) {
        fb_v3_copy(q, a);
        return 1;
    }
    fb_v3_sub(bp, p, b);
    double d3 = fb_v3_dot(ab, bp), d4 = fb_v3_dot(ac, bp);
    if (d3 >= 0 && d4 <= d3) {
        fb_v3_copy(q, b);
        return 2;
    }
    double vc = d1 * d4 - d3 * d2;
    if (vc <= 0 && d1 >= 0 && d3 <= 0) {
        fb_v3_copy(q, a);
        fb_v3_madd(q, d1 / (d1 - d3), ab);
        return 4;
    }
    fb_v3_sub(cp, p, c);
    double d5 = fb_v3_dot(ab, cp), d6 = fb_v3_dot(ac, cp);
    if (d6 >= 0 && d5 <= d6) {
        fb_v3_copy(q, c);
        return 3;
    }
    double vb = d5 * d2 - d1 * d6;
    if (vb <= 0 && d2 >= 0 && d6 <= 0) {
        fb_v3_copy(q, a);
        fb_v3_madd(q, d2 / (d2 - d6), ac);
        return 6;
    }
    double va = d3 * d6 - d5 * d4;
    if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) {
        double bc[3];
        fb_v3_sub(bc, c, b);
        fb_v3_copy(q, b);
        fb_v3_madd(q, (d4 - d3) / ((d4 - d3) + (d5 - d6)), bc);
        return 5;
    }
    double sum = va + vb + vc;
    fb_v3_copy(q, a);
    fb_v3_madd(q, vb / sum, ab);
    fb_v3_madd(q, vc / sum, ac);
    return 0;
}

typedef struct search {
    const fb_surface *surface;
    const double *point;
    double square; /* of the distance so far */
    double nearest[3];
    int face, feature; /* or face: the vertex, when vertices are sought */
    bool vertices;
} search;

static void look_at_leaf(search *s, const fb_surface_leaf *leaf) {
    const fb_surface_tree *tree = s->surface->tree;
    for (int i = leaf->first; i < leaf->first + leaf->n; i++) {
        const double *t = tree->corners[i];
        double q[3], d[3];
        for (int c = 0; c < (s->vertices ? 3 : 1); c++) {
            int feature = 0;
            if (s->vertices) {
                fb_v3_copy(q, t + 3 * c);
            } else {
                feature = nearest_of_triangle(t, s->point, q);
            }
            fb_v3_sub(d, q, s->point);
            double square = fb_v3_dot(d, d);
            int face = s->vertices ? s->surface->faces[tree->order[i]][c] : tree->order[i];
            if (square < s->square) {
                s->square = square;
                s->face = face;
                s->feature = feature;
                fb_v3_copy(s->nearest, q);
            }
        }
    }
}

/* Four numbers at once: vectors of gcc and clang. */
typedef float four __attribute__((vector_size(16)));
typedef int mask __attribute__((vector_size(16)));

static four greater_of(four a, four b) {
    mask m = a > b;
    return (four)(((mask)a & m) | ((mask)b & ~m));
}

/* Squares of the distances to a node's four boxes, never more than they are. */
static void box_squares(const fb_surface_node *node, const float *p, float *square) {
    four sum = {0, 0, 0, 0}, zero = {0, 0, 0, 0};
    for (int k = 0; k < 3; k++) {
        four low, high;
        memcpy(&low, node->low[k], sizeof low);
        memcpy(&high, node->high[k], sizeof high);
        four d = greater_of(greater_of(low - p[k], p[k] - high), zero);
        sum += d * d;
    }
    sum *= 1 - 2e-6f;
    memcpy(square, &sum, sizeof sum);
}

static void find(search *s) {
    const fb_surface_tree *tree = s->surface->tree;
    struct {
        float square;
        int child;
    } stack[STACK];
    float p[3];
    for (int k = 0; k < 3; k++) {
        p[k] = (float)(s->point[k] - tree->middle[k]);
    }
    if (!isfinite(p[0] + p[1] + p[2])) { /* nothing is near; not even the boxes say so */
        return;
    }
    int n = 0;
    stack[n].square = 0;
    stack[n++].child = 0;
    while (n > 0) {
        n--;
        if ((double)stack[n].square >= s->square) {
            continue;
        }
        if (stack[n].child < 0) {
            look_at_leaf(s, &tree->leaves[~stack[n].child]);
            continue;
        }
        const fb_surface_node *node = &tree->nodes[stack[n].child];
        float square[4];
        box_squares(node, p, square);
        int first = n;
        for (int c = 0; c < 4; c++) { /* the nearest box ends on top */
            if (!((double)square[c] < s->square) || square[c] == INFINITY) {
                continue;
            }
            int i = n++;
            while (i > first && stack[i - 1].square < square[c]) {
                stack[i] = stack[i - 1];
                i--;
            }
            stack[i].square = square[c];
            stack[i].child = node->child[c];
        }
    }
}

double fb_surface_project(const fb_surface *surface, const double *point, double bound,
                          double *nearest, int *face, int *feature) {
    search s = {.surface = surface, .point = point, .square = bound * bound, .face = -1};
    find(&s);
    if (s.face < 0) {
        return FB_INFINITY;
    }
    if (nearest) {
        fb_v3_copy(nearest, s.nearest);
    }
    if (face) {
        *face = s.face;
    }
    if (feature) {
        *feature = s.feature;
    }
    return sqrt(s.square);
}

int fb_surface_nearest_vertex(const fb_surface *surface, const double *point) {
    search s = {.surface = surface, .point = point, .square = FB_INFINITY, .vertices = true};
    find(&s);
    return s.face;
}

/* ---- inside and outside ---------------------------------------------------------------------- */

static void face_normal(const fb_surface *s, int f, double *n) {
    double u[3], v[3];
    const double *a = s->vertices[s->faces[f][0]];
    fb_v3_sub(u, s->vertices[s->faces[f][1]], a);
    fb_v3_sub(v, s->vertices[s->faces[f][2]], a);
    fb_v3_cross(n, u, v);
    fb_v3_normalize(n);
}

/* Part of the sphere around a point that the surface covers (van Oosterom and Strackee 1983). */
static double winding(const fb_surface *s, const double *point) {
    double sum = 0;
    for (int f = 0; f < s->n_faces; f++) {
        double u[3][3], l[3], n[3];
        for (int k = 0; k < 3; k++) {
            fb_v3_sub(u[k], s->vertices[s->faces[f][k]], point);
            l[k] = fb_v3_norm(u[k]);
        }
        fb_v3_cross(n, u[0], u[1]);
        sum += atan2(fb_v3_dot(n, u[2]), l[0] * l[1] * l[2] + fb_v3_dot(u[0], u[1]) * l[2] +
                                             fb_v3_dot(u[1], u[2]) * l[0] +
                                             fb_v3_dot(u[2], u[0]) * l[1]);
    }
    return sum / (2 * M_PI);
}

double fb_surface_nearest_within(const fb_surface *s, const double *point, double bound,
                                 double *nearest, double *normal, int *face) {
    double q[3], n[3], d[3];
    int f = -1, feature = 0;
    double distance = fb_surface_project(s, point, bound, q, &f, &feature);
    if (f < 0) {
        return FB_INFINITY;
    }
    bool rim = false;
    face_normal(s, f, n);
    if (feature >= 1 && feature <= 3) {
        int v = s->faces[f][feature - 1];
        fb_v3_copy(n, s->normals[v]);
        rim = s->tree->rim[v] != 0;
    } else if (feature >= 4) {
        int g = s->tree->beside[f][feature - 4];
        rim = g == -1;
        if (g >= 0) {
            double other[3];
            face_normal(s, g, other);
            fb_v3_add(n, n, other);
            if (fb_v3_normalize(n) < 1e-9) {
                face_normal(s, f, n);
            }
        }
    }
    if (nearest) {
        fb_v3_copy(nearest, q);
    }
    if (normal) {
        fb_v3_copy(normal, n);
    }
    if (face) {
        *face = f;
    }
    fb_v3_sub(d, point, q);
    bool inside = rim && distance > 0 ? winding(s, point) > 0.5 : fb_v3_dot(d, n) < 0;
    return inside ? -distance : distance;
}

double fb_surface_nearest(const fb_surface *s, const double *point, double *nearest, double *normal,
                          int *face) {
    return fb_surface_nearest_within(s, point, FB_INFINITY, nearest, normal, face);
}
