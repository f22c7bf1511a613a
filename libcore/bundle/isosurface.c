#include "libcore/bundle/isosurface.h"

#include <limits.h>
#include <stdbool.h>
#include <string.h>

#include "libcore/base/arena.h"
#include "libcore/base/spatial.h"

#define EDGES 12

/* Corner c of a cube is at (c & 1, c >> 1 & 1, c >> 2). Edge 4 a + e runs along axis a. */
typedef struct cube_edge {
    int corner, axis; /* from the corner, up the axis */
} cube_edge;

/* The polygons in a cube for each pattern of inner corners: next[e] follows edge e, -1 if the
 * surface does not cross it. */
typedef struct tables {
    cube_edge edges[EDGES];
    signed char next[256][EDGES];
} tables;

static int edge_between(const tables *t, int a, int b) {
    int low = a < b ? a : b, axis = (a ^ b) == 1 ? 0 : (a ^ b) == 2 ? 1 : 2;
    for (int e = 4 * axis;; e++) {
        if (t->edges[e].corner == low) {
            return e;
        }
    }
}

/* In a face, every run of inner corners is cut off by a line from the edge before it to the edge
 * behind it, as seen from outside the cube. Its neighbour sees the line the other way round. */
static void cut_face(tables *t, int pattern, const int *corners) {
    for (int i = 0; i < 4; i++) {
        int before = corners[(i + 3) % 4], end = i;
        if (!(pattern >> corners[i] & 1) || (pattern >> before & 1)) {
            continue;
        }
        while (pattern >> corners[(end + 1) % 4] & 1) {
            end++;
        }
        int in = edge_between(t, before, corners[i]);
        int out = edge_between(t, corners[end % 4], corners[(end + 1) % 4]);
        t->next[pattern][in] = (signed char)out;
    }
}

static void make_tables(tables *t) {
    memset(t->next, -1, sizeof t->next);
    for (int e = 0; e < EDGES; e++) {
        int axis = e / 4, first = axis == 0 ? 1 : 0, second = axis == 2 ? 1 : 2;
        t->edges[e] = (cube_edge){(e & 1) << first | (e >> 1 & 1) << second, axis};
    }
    for (int pattern = 1; pattern < 255; pattern++) {
        for (int axis = 0; axis < 3; axis++) {
            for (int side = 0; side < 2; side++) {
                int a = 1 << (axis + 1) % 3, b = 1 << (axis + 2) % 3, base = side << axis;
                const int upper[4] = {base, base + a, base + a + b, base + b};
                const int lower[4] = {base, base + b, base + a + b, base + a};
                cut_face(t, pattern, side ? upper : lower);
            }
        }
    }
}

typedef struct marching {
    const fb_grid *grid;
    fb_mesh *mesh;
    size_t step[3];
    int *crossing; /* of each edge, three a node: its vertex + 1, 0 for none yet */
    bool failed;
} marching;

static bool grow(void *items, size_t item, size_t n, size_t *room) {
    void *old, *grown;
    if (n < *room) {
        return true;
    }
    size_t wanted = *room ? 2 * *room : 4096;
    memcpy(&old, items, sizeof old);
    grown = wanted > INT_MAX ? NULL : fb_realloc(old, wanted * item);
    if (grown) {
        memcpy(items, &grown, sizeof grown);
        *room = wanted;
    }
    return grown != NULL;
}

static int add_vertex(marching *m, const double *p) {
    fb_mesh *mesh = m->mesh;
    if (!grow(&mesh->vertices, sizeof *mesh->vertices, mesh->n_vertices, &mesh->room_vertices)) {
        m->failed = true;
        return 0;
    }
    fb_v3_copy(mesh->vertices[mesh->n_vertices], p);
    return (int)mesh->n_vertices++;
}

static void add_triangle(marching *m, int a, int b, int c) {
    fb_mesh *mesh = m->mesh;
    if (!grow(&mesh->faces, sizeof *mesh->faces, mesh->n_faces, &mesh->room_faces)) {
        m->failed = true;
        return;
    }
    int *face = mesh->faces[mesh->n_faces++];
    face[0] = a;
    face[1] = b;
    face[2] = c;
    face[3] = -1;
}

/* The vertex where the surface crosses an edge of the cube at `at`. */
static int vertex_on(marching *m, const int *at, size_t node, cube_edge edge) {
    int from[3];
    for (int i = 0; i < 3; i++) {
        int up = edge.corner >> i & 1;
        from[i] = at[i] + up;
        node += up ? m->step[i] : 0;
    }
    int *vertex = &m->crossing[3 * node + (size_t)edge.axis];
    if (*vertex == 0) {
        double a = (double)m->grid->values[node];
        double b = (double)m->grid->values[node + m->step[edge.axis]];
        double p[3] = {from[0], from[1], from[2]};
        /* away from the node: no triangle is without area */
        p[edge.axis] += fb_lesser(fb_greater(a / (a - b), 0.02), 0.98);
        *vertex = add_vertex(m, p) + 1;
    }
    return *vertex - 1;
}

static void add_polygon(marching *m, const int *corners, int n) {
    if (n <= 4) { /* the diagonal of a quadrangle is in no face of the cube */
        add_triangle(m, corners[0], corners[1], corners[2]);
        if (n == 4) {
            add_triangle(m, corners[0], corners[2], corners[3]);
        }
        return;
    }
    double middle[3] = {0, 0, 0};
    for (int i = 0; i < n && !m->failed; i++) {
        fb_v3_madd(middle, 1.0 / n, m->mesh->vertices[corners[i]]);
    }
    int centre = add_vertex(m, middle);
    for (int i = 0; i < n; i++) {
        add_triangle(m, corners[i], corners[(i + 1) % n], centre);
    }
}

static void cut_cube(marching *m, const tables *t, const int *at, size_t node, int pattern) {
    bool done[EDGES] = {false};
    for (int e = 0; e < EDGES; e++) {
        int corners[EDGES], n = 0;
        for (int k = e; t->next[pattern][e] >= 0 && !done[k]; k = t->next[pattern][k]) {
            corners[n++] = vertex_on(m, at, node, t->edges[k]);
            done[k] = true;
        }
        if (n > 0 && !m->failed) {
            add_polygon(m, corners, n);
        }
    }
}

fb_status fb_isosurface(fb_mesh *mesh, const fb_grid *grid) {
    const int *n = grid->n;
    size_t nodes = (size_t)n[0] * (size_t)n[1] * (size_t)n[2];
    marching m = {.grid = grid,
                  .mesh = mesh,
                  .step = {1, (size_t)n[0], (size_t)n[0] * (size_t)n[1]}};
    tables t;
    make_tables(&t);
    m.crossing = fb_alloc(3 * nodes * sizeof *m.crossing);
    if (!m.crossing) {
        return FB_E_MEMORY;
    }
    memset(m.crossing, 0, 3 * nodes * sizeof *m.crossing);
    for (int z = 0; z + 1 < n[2]; z++) {
        for (int y = 0; y + 1 < n[1]; y++) {
            size_t row = (size_t)z * m.step[2] + (size_t)y * m.step[1];
            const float *rows[4] = {grid->values + row, grid->values + row + m.step[1],
                                    grid->values + row + m.step[2],
                                    grid->values + row + m.step[1] + m.step[2]};
            int left = 0;
            for (int i = 0; i < 4; i++) {
                left |= (rows[i][0] < 0) << (2 * i);
            }
            for (int x = 0; x + 1 < n[0]; x++) {
                int right = 0;
                for (int i = 0; i < 4; i++) {
                    right |= (rows[i][x + 1] < 0) << (2 * i);
                }
                int pattern = left | right << 1, at[3] = {x, y, z};
                if (pattern != 0 && pattern != 255 && !m.failed) {
                    cut_cube(&m, &t, at, row + (size_t)x, pattern);
                }
                left = right;
            }
        }
    }
    fb_free(m.crossing);
    return m.failed ? FB_E_MEMORY : FB_OK;
}
