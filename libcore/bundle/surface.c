#include "libcore/bundle/surface.h"

#include <limits.h>
#include <stdbool.h>
#include <string.h>

#include "libcore/base/arena.h"
#include "libcore/base/spatial.h"
#include "libcore/bundle/mesh.h"

#define PI 3.14159265358979323846
#define BLEND 0.03 /* of a bundle's length: on both sides of a junction the colour changes */

void fb_mesh_clear(fb_mesh *mesh) {
    fb_free(mesh->name);
    fb_free(mesh->vertices);
    fb_free(mesh->normals);
    fb_free(mesh->colours);
    fb_free(mesh->faces);
    *mesh = (fb_mesh){0};
}

/* Six times the volume between a triangle and the origin. */
static double corner_volume(const double *a, const double *b, const double *c) {
    double across[3];
    fb_v3_cross(across, b, c);
    return fb_v3_dot(a, across);
}

double fb_mesh_volume(const fb_mesh *mesh) {
    double six = 0;
    for (size_t i = 0; i < mesh->n_faces; i++) {
        const int *f = mesh->faces[i];
        const double *a = mesh->vertices[f[0]], *c = mesh->vertices[f[2]];
        six += corner_volume(a, mesh->vertices[f[1]], c);
        if (f[3] >= 0) {
            six += corner_volume(a, c, mesh->vertices[f[3]]);
        }
    }
    return six / 6;
}

static bool resize(void *items, size_t item, size_t n) {
    void *old, *grown;
    memcpy(&old, items, sizeof old);
    grown = n > INT_MAX ? NULL : fb_realloc(old, n * item);
    if (grown) {
        memcpy(items, &grown, sizeof grown);
    }
    return grown != NULL;
}

bool fb_mesh_reserve(fb_mesh *mesh, size_t vertices, size_t faces) {
    size_t v = mesh->n_vertices + vertices, f = mesh->n_faces + faces;
    if (v > mesh->room_vertices) {
        v = v < 2 * mesh->room_vertices ? 2 * mesh->room_vertices : v;
        if (!resize(&mesh->vertices, sizeof *mesh->vertices, v) ||
            !resize(&mesh->normals, sizeof *mesh->normals, v) ||
            !resize(&mesh->colours, sizeof *mesh->colours, v)) {
            return false;
        }
        mesh->room_vertices = v;
    }
    if (f > mesh->room_faces) {
        f = f < 2 * mesh->room_faces ? 2 * mesh->room_faces : f;
        if (!resize(&mesh->faces, sizeof *mesh->faces, f)) {
            return false;
        }
        mesh->room_faces = f;
    }
    return true;
}

void fb_mesh_normals(fb_mesh *mesh, size_t first_vertex, size_t first_face) {
    for (size_t i = first_vertex; i < mesh->n_vertices; i++) {
        fb_v3_set(mesh->normals[i], 0, 0, 0);
    }
    for (size_t i = first_face; i < mesh->n_faces; i++) {
        const int *f = mesh->faces[i];
        int last = f[3] >= 0 ? 3 : 2;
        double a[3], b[3], n[3];
        fb_v3_sub(a, mesh->vertices[f[2]], mesh->vertices[f[0]]);
        fb_v3_sub(b, mesh->vertices[f[last]], mesh->vertices[f[1]]);
        fb_v3_cross(n, a, b); /* of a quad the diagonals; of a triangle the sides */
        for (int k = 0; k <= last; k++) {
            fb_v3_add(mesh->normals[f[k]], mesh->normals[f[k]], n);
        }
    }
    for (size_t i = first_vertex; i < mesh->n_vertices; i++) {
        if (!(fb_v3_normalize(mesh->normals[i]) > 0)) {
            fb_v3_set(mesh->normals[i], 0, 0, 1);
        }
    }
}

double fb_mesh_tendon(const fb_bundle *bundle, double along, double length) {
    double width = BLEND * length, from = bundle->belly[0], to = bundle->belly[1];
    if (!(to > from) || !(width > 0)) { /* not known, or no belly */
        return 0;
    }
    double belly = fb_lesser((along - from) / width, (to - along) / width); /* 0 at a junction */
    double s = fb_lesser(fb_greater(0.5 - 0.5 * belly, 0), 1);
    return s * s * (3 - 2 * s);
}

void fb_mesh_colour(double *colour, double tendon) {
    static const double belly[3] = {0.62, 0.16, 0.14}, sinew[3] = {0.93, 0.89, 0.80};
    for (int i = 0; i < 3; i++) {
        colour[i] = belly[i] + tendon * (sinew[i] - belly[i]);
    }
}

/* ---- one bundle ------------------------------------------------------------------------------ */

static void add_rings(fb_mesh *mesh, const fb_body *body, const fb_bundle *b, int m) {
    const fb_ring *ring = body->rings + b->first;
    double scale = sqrt(2 * PI / m / sin(2 * PI / m)), length = 0, along = 0;
    for (size_t k = 0; k + 1 < b->rings; k++) {
        length += fb_v3_distance(ring[k].c, ring[k + 1].c);
    }
    for (size_t k = 0; k < b->rings; k++) {
        along += k > 0 ? fb_v3_distance(ring[k].c, ring[k - 1].c) : 0;
        double colour[3];
        fb_mesh_colour(colour, fb_mesh_tendon(b, along, length));
        for (int i = 0; i < m; i++) {
            double x = scale * cos(2 * PI * i / m), y = scale * sin(2 * PI * i / m);
            double *p = mesh->vertices[mesh->n_vertices];
            fb_v3_copy(p, ring[k].c);
            fb_v3_madd(p, x, ring[k].u);
            fb_v3_madd(p, y, ring[k].w);
            fb_v3_copy(mesh->colours[mesh->n_vertices++], colour);
        }
    }
    for (int end = 0; end < 2; end++) { /* the middle of the caps */
        size_t rim = mesh->n_vertices - (end ? (size_t)m + 1 : (size_t)m * b->rings);
        fb_v3_copy(mesh->vertices[mesh->n_vertices], ring[end ? b->rings - 1 : 0].c);
        fb_v3_copy(mesh->colours[mesh->n_vertices], mesh->colours[rim]);
        mesh->n_vertices++;
    }
}

static void add_face(fb_mesh *mesh, int a, int b, int c, int d, bool turned) {
    int *f = mesh->faces[mesh->n_faces++];
    f[0] = a;
    f[1] = turned ? (d >= 0 ? d : c) : b;
    f[2] = turned && d < 0 ? b : c;
    f[3] = turned && d >= 0 ? b : d;
}

fb_status fb_mesh_add_bundle(fb_mesh *mesh, const fb_body *body, size_t bundle, int sides) {
    const fb_bundle *b = body->bundles + bundle;
    const fb_ring *ring = body->rings + b->first;
    int m = sides < 3 ? 3 : sides, n = (int)b->rings;
    if (b->rings < 2) {
        return FB_OK;
    }
    if (!fb_mesh_reserve(mesh, (size_t)m * b->rings + 2, (size_t)m * (b->rings + 1))) {
        return FB_E_MEMORY;
    }
    size_t first_vertex = mesh->n_vertices, first_face = mesh->n_faces;
    int base = (int)first_vertex, lower = base + m * n, upper = lower + 1;
    add_rings(mesh, body, b, m);
    double normal[3], along[3]; /* u, w and the axis may be left-handed */
    fb_v3_cross(normal, ring[n / 2].u, ring[n / 2].w);
    fb_v3_sub(along, ring[n - 1].c, ring[0].c);
    bool turned = fb_v3_dot(normal, along) < 0;
    for (int k = 0; k <= n; k++) {
        for (int i = 0; i < m; i++) {
            int next = (i + 1) % m, at = base + m * k, before = at - m;
            if (k == 0) {
                add_face(mesh, lower, at + next, at + i, -1, turned);
            } else if (k == n) {
                add_face(mesh, upper, before + i, before + next, -1, turned);
            } else {
                add_face(mesh, before + i, before + next, at + next, at + i, turned);
            }
        }
    }
    fb_mesh_normals(mesh, first_vertex, first_face);
    return FB_OK;
}
