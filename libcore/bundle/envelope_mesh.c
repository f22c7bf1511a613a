#include <string.h>

#include "libcore/base/arena.h"
#include "libcore/base/spatial.h"
#include "libcore/bundle/envelope.h"
#include "libcore/bundle/isosurface.h"
#include "libcore/bundle/mesh.h"

#define SMOOTHINGS 10
#define SPREADINGS 64 /* of colours from vertex to vertex, at most */

static int root_of(int *parent, int i) {
    while (parent[i] != i) {
        i = parent[i] = parent[parent[i]];
    }
    return i;
}

/* Takes away cavities: pieces that face inwards. Returns how many are left. */
static size_t drop_cavities(fb_mesh *mesh, int *parent, double *volume) {
    size_t pieces = 0, faces = 0, vertices = 0;
    for (size_t i = 0; i < mesh->n_vertices; i++) {
        parent[i] = (int)i;
        volume[i] = 0;
    }
    for (size_t i = 0; i < mesh->n_faces; i++) {
        int a = root_of(parent, mesh->faces[i][0]);
        for (int k = 1; k < 3; k++) {
            int b = root_of(parent, mesh->faces[i][k]);
            int least = b < a ? b : a;
            parent[b > a ? b : a] = least;
            a = least;
        }
    }
    for (size_t i = 0; i < mesh->n_faces; i++) {
        const int *f = mesh->faces[i];
        double across[3];
        fb_v3_cross(across, mesh->vertices[f[1]], mesh->vertices[f[2]]);
        volume[root_of(parent, f[0])] += fb_v3_dot(mesh->vertices[f[0]], across);
    }
    for (size_t i = 0; i < mesh->n_faces; i++) {
        if (volume[root_of(parent, mesh->faces[i][0])] > 0) {
            memcpy(mesh->faces[faces++], mesh->faces[i], sizeof *mesh->faces);
        }
    }
    mesh->n_faces = faces;
    for (size_t i = 0; i < mesh->n_vertices; i++) { /* parent becomes the new number */
        int root = root_of(parent, (int)i);
        pieces += root == (int)i && volume[i] > 0;
    }
    for (size_t i = 0; i < mesh->n_vertices; i++) {
        volume[i] = volume[root_of(parent, (int)i)] > 0;
    }
    for (size_t i = 0; i < mesh->n_vertices; i++) {
        parent[i] = (int)vertices;
        fb_v3_copy(mesh->vertices[vertices], mesh->vertices[i]);
        vertices += volume[i] > 0;
    }
    mesh->n_vertices = vertices;
    for (size_t i = 0; i < faces; i++) {
        for (int k = 0; k < 3; k++) {
            mesh->faces[i][k] = parent[mesh->faces[i][k]];
        }
    }
    return pieces;
}

fb_status fb_envelope_extract(const fb_sampling *s, fb_mesh *mesh, size_t *pieces) {
    const fb_grid grid = {{s->n[0], s->n[1], s->n[2]}, s->field};
    mesh->n_vertices = mesh->n_faces = 0;
    fb_status status = fb_isosurface(mesh, &grid);
    if (status != FB_OK) {
        return status;
    }
    int *parent = fb_alloc(mesh->n_vertices * sizeof *parent);
    double *volume = fb_alloc(mesh->n_vertices * sizeof *volume);
    if (parent && volume) {
        *pieces = drop_cavities(mesh, parent, volume);
    }
    status = parent && volume ? FB_OK : FB_E_MEMORY;
    fb_free(parent);
    fb_free(volume);
    return status;
}

/* The neighbours of each vertex: vertex i has others[starts[i]] up to starts[i + 1]. In a closed
 * mesh every edge leaves each of its ends once. */
typedef struct neighbours {
    int *starts, *others;
} neighbours;

static bool find_neighbours(neighbours *n, const fb_mesh *mesh) {
    size_t vertices = mesh->n_vertices;
    n->starts = fb_alloc((vertices + 2) * sizeof *n->starts);
    n->others = fb_alloc(3 * mesh->n_faces * sizeof *n->others);
    if (!n->starts || !n->others) {
        return false;
    }
    memset(n->starts, 0, (vertices + 2) * sizeof *n->starts);
    for (size_t i = 0; i < mesh->n_faces; i++) {
        for (int k = 0; k < 3; k++) {
            n->starts[mesh->faces[i][k] + 2]++;
        }
    }
    for (size_t i = 2; i < vertices + 2; i++) {
        n->starts[i] += n->starts[i - 1];
    }
    for (size_t i = 0; i < mesh->n_faces; i++) {
        for (int k = 0; k < 3; k++) {
            n->others[n->starts[mesh->faces[i][k] + 1]++] = mesh->faces[i][(k + 1) % 3];
        }
    }
    return true;
}

/* Moves each value by `share` of the way to the mean of its neighbours'. */
static void relax(double (*values)[3], double (*spare)[3], const fb_mesh *mesh, const neighbours *n,
                  double share) {
    for (size_t i = 0; i < mesh->n_vertices; i++) {
        double sum[3] = {0, 0, 0};
        int from = n->starts[i], to = n->starts[i + 1];
        for (int k = from; k < to; k++) {
            fb_v3_add(sum, sum, values[n->others[k]]);
        }
        double weight = share / (to - from);
        for (int k = 0; k < 3; k++) {
            spare[i][k] = (1 - share) * values[i][k] + weight * sum[k];
        }
    }
    memcpy(values, spare, mesh->n_vertices * sizeof *values);
}

static double area_of(const fb_mesh *mesh) {
    double area = 0;
    for (size_t i = 0; i < mesh->n_faces; i++) {
        const int *f = mesh->faces[i];
        double a[3], b[3], c[3];
        fb_v3_sub(a, mesh->vertices[f[1]], mesh->vertices[f[0]]);
        fb_v3_sub(b, mesh->vertices[f[2]], mesh->vertices[f[0]]);
        fb_v3_cross(c, a, b);
        area += 0.5 * fb_v3_norm(c);
    }
    return area;
}

/* G. Taubin, "A signal processing approach to fair surface design", SIGGRAPH 1995: steps there and
 * back, which leave what is long-waved. Then all goes inwards along its normals until the volume is
 * that of the field. */
static void smooth(fb_mesh *mesh, const neighbours *n, double volume) {
    for (int i = 0; i < SMOOTHINGS; i++) {
        relax(mesh->vertices, mesh->normals, mesh, n, 0.5);
        relax(mesh->vertices, mesh->normals, mesh, n, -0.53);
    }
    for (int i = 0; i < 3; i++) {
        double area = area_of(mesh), less = fb_mesh_volume(mesh) - volume;
        double step = area > 0 ? fb_lesser(fb_greater(less / area, -FB_ENVELOPE_SHIFT),
                                           FB_ENVELOPE_SHIFT)
                               : 0;
        fb_mesh_normals(mesh, 0, 0);
        for (size_t k = 0; k < mesh->n_vertices; k++) {
            fb_v3_madd(mesh->vertices[k], -step, mesh->normals[k]);
        }
    }
}

/* Tendon of the nodes around a vertex; below 0 if no bundle is near. */
static double tendon_near(const fb_sampling *s, const double *p) {
    size_t node = 0;
    int sum = 0, count = 0;
    for (int i = 0; i < 3; i++) {
        node += (size_t)floor(p[i]) * s->step[i];
    }
    for (int c = 0; c < 8; c++) {
        size_t at = node;
        for (int i = 0; i < 3; i++) {
            at += c >> i & 1 && floor(p[i]) + 1 < s->n[i] ? s->step[i] : 0;
        }
        if (s->tendon[at] != FB_ENVELOPE_UNKNOWN) {
            sum += s->tendon[at];
            count++;
        }
    }
    return count > 0 ? sum / 200.0 / count : -1;
}

/* Vertices far from any bundle take the colour of those around them. */
static void colour(fb_mesh *mesh, const fb_sampling *s, const neighbours *n) {
    bool all = false;
    for (size_t i = 0; i < mesh->n_vertices; i++) {
        fb_v3_set(mesh->colours[i], tendon_near(s, mesh->vertices[i]), 0, 0);
    }
    for (int round = 0; round < SPREADINGS && !all; round++) {
        all = true;
        for (size_t i = 0; i < mesh->n_vertices; i++) {
            double sum = 0, count = 0;
            for (int k = n->starts[i]; mesh->colours[i][0] < 0 && k < n->starts[i + 1]; k++) {
                double other = mesh->colours[n->others[k]][0];
                sum += other >= 0 ? other : 0;
                count += other >= 0;
            }
            mesh->colours[i][0] = count > 0 ? sum / count : mesh->colours[i][0];
            all = all && mesh->colours[i][0] >= 0;
        }
    }
    for (int round = 0; round < 3; round++) {
        relax(mesh->colours, mesh->normals, mesh, n, 0.5);
    }
    for (size_t i = 0; i < mesh->n_vertices; i++) {
        fb_mesh_colour(mesh->colours[i], fb_greater(mesh->colours[i][0], 0));
    }
}

/* From cells of the grid to metres. */
static void place_back(fb_mesh *mesh, const fb_sampling *s) {
    for (size_t i = 0; i < mesh->n_vertices; i++) {
        double p[3];
        fb_v3_copy(p, s->origin);
        fb_v3_madd(p, s->h, mesh->vertices[i]);
        fb_m3_tmul_v3(mesh->vertices[i], s->R, p);
    }
}

fb_status fb_envelope_finish(fb_envelope *envelope, const fb_sampling *s, double volume) {
    fb_mesh *mesh = &envelope->mesh;
    neighbours n = {NULL, NULL};
    size_t most = mesh->n_vertices > 0 ? mesh->n_vertices : 1;
    mesh->normals = fb_alloc(most * sizeof *mesh->normals);
    mesh->colours = fb_alloc(most * sizeof *mesh->colours);
    mesh->room_vertices = most; /* of all three */
    bool done = mesh->normals && mesh->colours && find_neighbours(&n, mesh);
    if (done) {
        colour(mesh, s, &n);
        smooth(mesh, &n, volume);
        place_back(mesh, s);
        fb_mesh_normals(mesh, 0, 0);
        envelope->volume = fb_mesh_volume(mesh);
    }
    fb_free(n.starts);
    fb_free(n.others);
    return done ? FB_OK : FB_E_MEMORY;
}
