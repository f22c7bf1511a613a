#include "libcore/muscle/contact_mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/spatial.h"

#define LEAF 4 /* faces of a leaf */

/* ---- vertices at one place ------------------------------------------------------------------- */

/* A vertex as it was read, to be sorted. */
typedef struct corner {
    const double *p;
    int number;
} corner;

static int compare_places(const void *a, const void *b) {
    const double *p = ((const corner *)a)->p, *q = ((const corner *)b)->p;
    for (int k = 0; k < 3; k++) {
        if (p[k] != q[k]) {
            return p[k] < q[k] ? -1 : 1;
        }
    }
    return ((const corner *)a)->number - ((const corner *)b)->number;
}

/* Files such as STL give every face corners of its own. */
static void weld(fb_contact_mesh *m, const fb_triangles *t, int *to, fb_arena *arena) {
    corner *corners = fb_arena_array(arena, (size_t)t->n_vertices, sizeof *corners);
    for (int i = 0; i < t->n_vertices; i++) {
        corners[i] = (corner){t->vertices[i], i};
    }
    qsort(corners, (size_t)t->n_vertices, sizeof *corners, compare_places);
    m->vertices = fb_arena_array(arena, (size_t)t->n_vertices, sizeof *m->vertices);
    for (int i = 0; i < t->n_vertices; i++) {
        const double *p = corners[i].p, *last = i > 0 ? corners[i - 1].p : NULL;
        if (!last || p[0] != last[0] || p[1] != last[1] || p[2] != last[2]) { /* -0 is 0 */
            fb_v3_copy(m->vertices[m->n_vertices++], corners[i].p);
        }
        to[corners[i].number] = m->n_vertices - 1;
    }
}

/* ---- faces and edges ------------------------------------------------------------------------- */

/* A face's edge from its i-th corner to the next. */
typedef struct edge {
    int low, high; /* vertices */
    int face, corner;
    bool rising; /* the face runs from low to high */
} edge;

static int compare_edges(const void *a, const void *b) {
    const edge *p = a, *q = b;
    return p->low != q->low     ? (p->low < q->low ? -1 : 1)
           : p->high != q->high ? (p->high < q->high ? -1 : 1)
                                : p->rising - q->rising;
}

static void measure(const fb_contact_mesh *m, fb_mesh_face *face) {
    const double *a = m->vertices[face->vertex[0]], *b = m->vertices[face->vertex[1]],
                 *c = m->vertices[face->vertex[2]];
    double ab[3], ac[3];
    fb_v3_sub(ab, b, a);
    fb_v3_sub(ac, c, a);
    fb_v3_cross(face->normal, ab, ac);
    face->area = fb_v3_normalize(face->normal) / 2;
    for (int k = 0; k < 3; k++) {
        face->center[k] = (a[k] + b[k] + c[k]) / 3;
    }
}

/* Six times the volume that the faces enclose. */
static double volume(const fb_contact_mesh *m) {
    double sum = 0;
    for (int i = 0; i < m->n_faces; i++) {
        const int *v = m->faces[i].vertex;
        double n[3];
        fb_v3_cross(n, m->vertices[v[1]], m->vertices[v[2]]);
        sum += fb_v3_dot(m->vertices[v[0]], n);
    }
    return sum;
}

static void read_faces(fb_contact_mesh *m, const fb_triangles *t, const int *to, fb_arena *arena) {
    m->faces = fb_arena_array(arena, (size_t)t->n_faces, sizeof *m->faces);
    for (int i = 0; i < t->n_faces; i++) {
        int *v = m->faces[m->n_faces].vertex;
        for (int k = 0; k < 3; k++) {
            v[k] = to[t->faces[i][k]];
        }
        if (v[0] != v[1] && v[1] != v[2] && v[2] != v[0]) { /* else it has no area */
            m->n_faces++;
        }
    }
    if (volume(m) < 0) {
        for (int i = 0; i < m->n_faces; i++) {
            int *v = m->faces[i].vertex, swap = v[1];
            v[1] = v[2];
            v[2] = swap;
        }
    }
    for (int i = 0; i < m->n_faces; i++) {
        measure(m, &m->faces[i]);
    }
}

/* Each edge must be run along once in each direction: the surface is closed and has two sides. */
static bool join_edges(fb_contact_mesh *m, fb_arena *arena) {
    int n = 3 * m->n_faces;
    edge *edges = fb_arena_array(arena, (size_t)n, sizeof *edges);
    for (int i = 0; i < n; i++) {
        int from = m->faces[i / 3].vertex[i % 3], to = m->faces[i / 3].vertex[(i % 3 + 1) % 3];
        edges[i] = (edge){from < to ? from : to, from < to ? to : from, i / 3, i % 3, from < to};
    }
    qsort(edges, (size_t)n, sizeof *edges, compare_edges);
    for (int i = 0; i < n; i += 2) {
        const edge *a = &edges[i], *b = &edges[i + 1];
        if (i + 1 >= n || a->low != b->low || a->high != b->high || a->rising == b->rising ||
            (i + 2 < n && edges[i + 2].low == a->low && edges[i + 2].high == a->high)) {
            return false;
        }
        fb_mesh_face *f = &m->faces[a->face], *g = &m->faces[b->face];
        fb_v3_add(f->edge_normal[a->corner], f->normal, g->normal);
        fb_v3_copy(g->edge_normal[b->corner], f->edge_normal[a->corner]);
    }
    return n > 0;
}

static void vertex_normals(fb_contact_mesh *m, fb_arena *arena) {
    m->vertex_normal = fb_arena_array(arena, (size_t)m->n_vertices, sizeof *m->vertex_normal);
    for (int i = 0; i < 3 * m->n_faces; i++) {
        const fb_mesh_face *face = &m->faces[i / 3];
        const double *p = m->vertices[face->vertex[i % 3]];
        double a[3], b[3], across[3];
        fb_v3_sub(a, m->vertices[face->vertex[(i % 3 + 1) % 3]], p);
        fb_v3_sub(b, m->vertices[face->vertex[(i % 3 + 2) % 3]], p);
        fb_v3_cross(across, a, b);
        double angle = atan2(fb_v3_norm(across), fb_v3_dot(a, b));
        fb_v3_madd(m->vertex_normal[face->vertex[i % 3]], angle, face->normal);
    }
}

/* ---- the tree -------------------------------------------------------------------------------- */

static void bound(const fb_contact_mesh *m, fb_mesh_node *node) {
    fb_v3_set(node->low, HUGE_VAL, HUGE_VAL, HUGE_VAL);
    fb_v3_set(node->high, -HUGE_VAL, -HUGE_VAL, -HUGE_VAL);
    for (int i = 3 * node->first; i < 3 * (node->first + node->n); i++) {
        const double *p = m->vertices[m->faces[i / 3].vertex[i % 3]];
        for (int k = 0; k < 3; k++) {
            node->low[k] = p[k] < node->low[k] ? p[k] : node->low[k];
            node->high[k] = p[k] > node->high[k] ? p[k] : node->high[k];
        }
    }
}

#define BY_CENTER(NAME, AXIS) \
    static int NAME(const void *a, const void *b) { \
        double p = ((const fb_mesh_face *)a)->center[AXIS]; \
        double q = ((const fb_mesh_face *)b)->center[AXIS]; \
        return p < q ? -1 : p > q; \
    }
BY_CENTER(by_x, 0)
BY_CENTER(by_y, 1)
BY_CENTER(by_z, 2)

/* Halves each box across its longest side; n faces make less than 2 n nodes. */
static void grow_tree(fb_contact_mesh *m, fb_arena *arena) {
    static int (*const by[])(const void *, const void *) = {by_x, by_y, by_z};
    m->nodes = fb_arena_array(arena, 2 * (size_t)m->n_faces, sizeof *m->nodes);
    m->nodes[0] = (fb_mesh_node){.n = m->n_faces, .child = {-1, -1}};
    m->n_nodes = 1;
    for (int i = 0; i < m->n_nodes; i++) {
        fb_mesh_node *node = &m->nodes[i];
        bound(m, node);
        if (node->n <= LEAF) {
            continue;
        }
        double size[3];
        fb_v3_sub(size, node->high, node->low);
        int axis = size[0] > size[1] ? 0 : 1;
        axis = size[2] > size[axis] ? 2 : axis;
        qsort(m->faces + node->first, (size_t)node->n, sizeof *m->faces, by[axis]);
        int half = node->n / 2;
        node->child[0] = m->n_nodes++;
        node->child[1] = m->n_nodes++;
        m->nodes[node->child[0]] =
            (fb_mesh_node){.first = node->first, .n = half, .child = {-1, -1}};
        m->nodes[node->child[1]] =
            (fb_mesh_node){.first = node->first + half, .n = node->n - half, .child = {-1, -1}};
    }
}

const fb_contact_mesh *fb_contact_mesh_new(const fb_triangles *triangles, fb_arena *arena,
                                           const char **why) {
    fb_contact_mesh *m = fb_arena_alloc(arena, sizeof *m);
    int *to = fb_arena_array(arena, (size_t)triangles->n_vertices + 1, sizeof *to);
    weld(m, triangles, to, arena);
    read_faces(m, triangles, to, arena);
    if (!join_edges(m, arena)) {
        *why = "its mesh is not closed, or its faces run in different senses";
        return NULL;
    }
    vertex_normals(m, arena);
    grow_tree(m, arena);
    return m;
}

/* ---- nearest point --------------------------------------------------------------------------- */

/* The point of a triangle that is nearest to p (C. Ericson, Real-Time Collision Detection, 2005,
 * 5.1.5). Returns the part that it lies on: 0 to 2 a corner, 3 to 5 the edge that begins there, 6
 * the face. */
static int nearest_of_face(const fb_contact_mesh *m, const fb_mesh_face *face, const double *p,
                           double *nearest) {
    const double *a = m->vertices[face->vertex[0]], *b = m->vertices[face->vertex[1]],
                 *c = m->vertices[face->vertex[2]];
    double ab[3], ac[3], ap[3], bp[3], cp[3], bc[3];
    fb_v3_sub(ab, b, a);
    fb_v3_sub(ac, c, a);
    fb_v3_sub(bc, c, b);
    fb_v3_sub(ap, p, a);
    fb_v3_sub(bp, p, b);
    fb_v3_sub(cp, p, c);
    double d1 = fb_v3_dot(ab, ap), d2 = fb_v3_dot(ac, ap), d3 = fb_v3_dot(ab, bp),
           d4 = fb_v3_dot(ac, bp), d5 = fb_v3_dot(ab, cp), d6 = fb_v3_dot(ac, cp);
    double va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2;
    if (d1 <= 0 && d2 <= 0) {
        fb_v3_copy(nearest, a);
        return 0;
    }
    if (d3 >= 0 && d4 <= d3) {
        fb_v3_copy(nearest, b);
        return 1;
    }
    if (d6 >= 0 && d5 <= d6) {
        fb_v3_copy(nearest, c);
        return 2;
    }
    if (vc <= 0 && d1 >= 0 && d3 <= 0) {
        fb_v3_copy(nearest, a);
        fb_v3_madd(nearest, d1 / (d1 - d3), ab);
        return 3;
    }
    if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) {
        fb_v3_copy(nearest, b);
        fb_v3_madd(nearest, (d4 - d3) / (d4 - d3 + d5 - d6), bc);
        return 4;
    }
    if (vb <= 0 && d2 >= 0 && d6 <= 0) {
        fb_v3_copy(nearest, a);
        fb_v3_madd(nearest, d2 / (d2 - d6), ac);
        return 5;
    }
    double sum = va + vb + vc;
    fb_v3_copy(nearest, a);
    fb_v3_madd(nearest, vb / sum, ab);
    fb_v3_madd(nearest, vc / sum, ac);
    return 6;
}

static double square_to_box(const fb_mesh_node *node, const double *p) {
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        double out = p[k] < node->low[k]    ? node->low[k] - p[k]
                     : p[k] > node->high[k] ? p[k] - node->high[k]
                                            : 0;
        sum += out * out;
    }
    return sum;
}

bool fb_contact_mesh_nearest(const fb_contact_mesh *m, const double *p, double *nearest) {
    int stack[FB_MESH_DEPTH], n = 1, part = 6;
    const fb_mesh_face *best = &m->faces[0];
    double least = HUGE_VAL, from[3];
    stack[0] = 0;
    while (n > 0) {
        const fb_mesh_node *node = &m->nodes[stack[--n]];
        if (square_to_box(node, p) >= least) {
            continue;
        }
        if (node->child[0] >= 0) { /* the nearer half is looked at first */
            bool swap = square_to_box(&m->nodes[node->child[0]], p) <
                        square_to_box(&m->nodes[node->child[1]], p);
            stack[n++] = node->child[swap];
            stack[n++] = node->child[!swap];
            continue;
        }
        for (int i = node->first; i < node->first + node->n; i++) {
            double point[3], d[3];
            int on = nearest_of_face(m, &m->faces[i], p, point);
            fb_v3_sub(d, p, point);
            double square = fb_v3_dot(d, d);
            if (square < least) {
                least = square;
                best = &m->faces[i];
                part = on;
                fb_v3_copy(nearest, point);
            }
        }
    }
    const double *normal = part < 3   ? m->vertex_normal[best->vertex[part]]
                           : part < 6 ? best->edge_normal[part - 3]
                                      : best->normal;
    fb_v3_sub(from, p, nearest);
    return fb_v3_dot(from, normal) < 0;
}
