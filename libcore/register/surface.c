/* Surfaces: made, measured, sampled. */
#include "libcore/register/surface.h"

#include "libcore/base/number.h"
#include "libcore/base/spatial.h"
#include "libcore/register/surface_internal.h"
#include "libcore/register/transform.h"

#include <limits.h>
#include <string.h>

static void measure(fb_surface *s) {
    size_t n = (size_t)s->n_vertices;
    s->normals = fb_arena_array(&s->arena, n, sizeof *s->normals);
    s->area = fb_arena_array(&s->arena, n, sizeof *s->area);
    for (int k = 0; k < 3; k++) {
        s->low[k] = FB_INFINITY;
        s->high[k] = -FB_INFINITY;
    }
    for (int i = 0; i < s->n_vertices; i++) {
        for (int k = 0; k < 3; k++) {
            s->low[k] = fb_lesser(s->low[k], s->vertices[i][k]);
            s->high[k] = fb_greater(s->high[k], s->vertices[i][k]);
        }
    }
    for (int f = 0; f < s->n_faces; f++) {
        const int *c = s->faces[f];
        double side[3][3], normal[3];
        for (int k = 0; k < 3; k++) {
            fb_v3_sub(side[k], s->vertices[c[(k + 1) % 3]], s->vertices[c[k]]);
        }
        fb_v3_cross(normal, side[0], side[1]);
        double area = 0.5 * fb_v3_normalize(normal);
        s->total_area += area;
        for (int k = 0; k < 3; k++) {
            const double *in = side[(k + 2) % 3], *out = side[k];
            double cosine = -fb_v3_dot(in, out) / (fb_v3_norm(in) * fb_v3_norm(out));
            double angle = acos(fb_lesser(1, fb_greater(-1, cosine)));
            fb_v3_madd(s->normals[c[k]], angle, normal);
            s->area[c[k]] += area / 3;
            fb_v3_madd(s->center, area / 3, s->vertices[c[k]]);
        }
    }
    fb_v3_scale(s->center, 1 / s->total_area, s->center);
    for (int i = 0; i < s->n_vertices; i++) {
        if (fb_v3_normalize(s->normals[i]) == 0) {
            s->normals[i][2] = 1; /* faces that lie back to back: no side is outside */
        }
    }
}

static bool refuse(const double (*vertices)[3], size_t n_vertices, const int (*faces)[3],
                   size_t n_faces, const char *name, fb_diag *diag) {
    fb_place place = {name, 0, NULL, NULL};
    if (n_faces == 0 || n_vertices == 0) {
        fb_diag_add(diag, FB_ERROR, FB1402, place, NULL, "the mesh has no faces");
        return true;
    }
    if (n_vertices > INT_MAX / 4 || n_faces > INT_MAX / 4) {
        fb_diag_add(diag, FB_ERROR, FB1402, place, NULL, "the mesh has too many faces");
        return true;
    }
    for (size_t i = 0; i < n_vertices; i++) {
        if (!isfinite(vertices[i][0] + vertices[i][1] + vertices[i][2])) {
            fb_diag_add(diag, FB_ERROR, FB1402, place, NULL, "vertex %zu of the mesh is not finite",
                        i + 1);
            return true;
        }
    }
    for (size_t f = 0; f < n_faces; f++) {
        for (int k = 0; k < 3; k++) {
            if (faces[f][k] < 0 || (size_t)faces[f][k] >= n_vertices) {
                fb_diag_add(diag, FB_ERROR, FB1402, place, NULL,
                            "face %zu of the mesh has a corner %d, but there are %zu vertices",
                            f + 1, faces[f][k] + 1, n_vertices);
                return true;
            }
        }
    }
    return false;
}

fb_status fb_surface_new(fb_surface **surface, const double (*vertices)[3], size_t n_vertices,
                         const int (*faces)[3], size_t n_faces, double scale, const char *name,
                         fb_diag *diag) {
    *surface = NULL;
    if (refuse(vertices, n_vertices, faces, n_faces, name, diag)) {
        return FB_E_INPUT;
    }
    fb_surface *s = fb_alloc(sizeof *s);
    if (!s) {
        return FB_E_MEMORY;
    }
    memset(s, 0, sizeof *s);
    fb_arena_init(&s->arena);
    jmp_buf oom;
    if (setjmp(oom)) {
        s->arena.oom = NULL;
        fb_surface_free(s);
        return FB_E_MEMORY;
    }
    s->arena.oom = &oom;
    s->tree = fb_arena_alloc(&s->arena, sizeof *s->tree);
    if (!fb_surface_clean(s, vertices, n_vertices, faces, n_faces, scale)) {
        fb_diag_add(diag, FB_ERROR, FB1402, (fb_place){name, 0, NULL, NULL}, NULL,
                    "no face of the mesh has an area");
        fb_surface_free(s);
        return FB_E_INPUT;
    }
    measure(s);
    fb_surface_tree_build(s);
    s->arena.oom = NULL;
    s->volume = fb_surface_mass(s, NULL, NULL);
    *surface = s;
    return FB_OK;
}

void fb_surface_free(fb_surface *surface) {
    if (surface) {
        fb_arena_clear(&surface->arena);
        fb_free(surface);
    }
}

/* ---- points spread over it ------------------------------------------------------------------- */

static double tree_face_area(const fb_surface *s, int i) {
    const double *t = s->tree->corners[i];
    double u[3], v[3], n[3];
    fb_v3_sub(u, t + 3, t);
    fb_v3_sub(v, t + 6, t);
    fb_v3_cross(n, u, v);
    return 0.5 * fb_v3_norm(n);
}

/* Faces stand in the tree's order, so neighbours in it are neighbours in space: equal steps of area
 * spread the points evenly. In the faces they follow an additive sequence (Roberts 2018). */
void fb_surface_points(const fb_surface *s, int n, double (*points)[3], double (*normals)[3]) {
    double sum = 0, step = s->total_area / n;
    int made = 0;
    for (int i = 0; i < s->n_faces && made < n; i++) {
        sum += tree_face_area(s, i);
        while (made < n && (sum > (made + 0.5) * step || i == s->n_faces - 1)) {
            const double *t = s->tree->corners[i];
            double u = fmod(0.5 + 0.7548776662466927 * made, 1);
            double v = fmod(0.5 + 0.5698402909980532 * made, 1);
            if (u + v > 1) {
                u = 1 - u;
                v = 1 - v;
            }
            for (int k = 0; k < 3; k++) {
                points[made][k] = t[k] + u * (t[3 + k] - t[k]) + v * (t[6 + k] - t[k]);
            }
            if (normals) {
                double a[3], b[3];
                fb_v3_sub(a, t + 3, t);
                fb_v3_sub(b, t + 6, t);
                fb_v3_cross(normals[made], a, b);
                fb_v3_normalize(normals[made]);
            }
            made++;
        }
    }
}

int fb_surface_sample(const fb_surface *s, int n, int *vertices) {
    int made = 0;
    double sum = 0, part = s->total_area / n;
    unsigned char *taken = n < s->n_vertices ? fb_alloc((size_t)s->n_vertices) : NULL;
    if (!taken) { /* all, or as many as there are */
        for (made = 0; made < n && made < s->n_vertices; made++) {
            vertices[made] =
                (int)((double)made * s->n_vertices / (n < s->n_vertices ? n : s->n_vertices));
        }
        return made;
    }
    memset(taken, 0, (size_t)s->n_vertices);
    for (int i = 0; i < s->n_faces && made < n; i++) {
        sum += tree_face_area(s, i);
        const int *c = s->faces[s->tree->order[i]];
        for (int k = 0; k < 3 && made < n && sum > (made + 0.5) * part; k++) {
            if (!taken[c[k]]) {
                taken[c[k]] = 1;
                vertices[made++] = c[k];
            }
        }
    }
    fb_free(taken);
    return made;
}

/* ---- mass, axes, curvature ------------------------------------------------------------------- */

typedef struct moments {
    double volume, first[3], second[6]; /* xx yy zz xy xz yz */
} moments;

static void add_tetrahedron(moments *m, const double *o, const double *a, const double *b,
                            const double *c) {
    static const int pair[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
    double volume = fb_surface_volume6(o, a, b, c) / 6, p[3][3], sum[3];
    fb_v3_sub(p[0], a, o);
    fb_v3_sub(p[1], b, o);
    fb_v3_sub(p[2], c, o);
    for (int k = 0; k < 3; k++) {
        sum[k] = p[0][k] + p[1][k] + p[2][k];
    }
    m->volume += volume;
    fb_v3_madd(m->first, volume / 4, sum);
    for (int q = 0; q < 6; q++) {
        int i = pair[q][0], j = pair[q][1];
        double products = p[0][i] * p[0][j] + p[1][i] * p[1][j] + p[2][i] * p[2][j];
        m->second[q] += volume / 20 * (products + sum[i] * sum[j]);
    }
}

double fb_surface_mass(const fb_surface *s, double *center, double *inertia) {
    moments m = {0};
    const fb_surface_tree *tree = s->tree;
    for (int f = 0; f < s->n_faces; f++) {
        const int *c = s->faces[f];
        add_tetrahedron(&m, s->center, s->vertices[c[0]], s->vertices[c[1]], s->vertices[c[2]]);
        for (int k = 0; k < 3; k++) {
            if (tree->beside[f][k] == -1) {
                int a = c[k], b = c[(k + 1) % 3];
                add_tetrahedron(&m, s->center, s->vertices[b], s->vertices[a],
                                tree->rim_centers[tree->rim_of[a]]);
            }
        }
    }
    double d[3] = {0, 0, 0};
    if (m.volume != 0) {
        fb_v3_scale(d, 1 / m.volume, m.first);
    }
    if (center) {
        fb_v3_add(center, s->center, d);
    }
    if (inertia) {
        double v = m.volume, xx = m.second[0] - v * d[0] * d[0], yy = m.second[1] - v * d[1] * d[1],
               zz = m.second[2] - v * d[2] * d[2];
        inertia[0] = yy + zz;
        inertia[1] = xx + zz;
        inertia[2] = xx + yy;
        inertia[3] = -(m.second[3] - v * d[0] * d[1]);
        inertia[4] = -(m.second[4] - v * d[0] * d[2]);
        inertia[5] = -(m.second[5] - v * d[1] * d[2]);
    }
    return m.volume;
}

void fb_surface_axes(const fb_surface *s, double *axes, double *deviation) {
    double m[9] = {0}, values[3], v[9];
    for (int i = 0; i < s->n_faces; i++) {
        double area = tree_face_area(s, i), p[4][3] = {{0}};
        for (int c = 0; c < 3; c++) {
            fb_v3_sub(p[c], s->tree->corners[i] + 3 * c, s->center);
            fb_v3_add(p[3], p[3], p[c]);
        }
        /* integral over a triangle: area / 12 (sum of squares of corners + square of sum) */
        for (int c = 0; c < 4; c++) {
            for (int k = 0; k < 9; k++) {
                m[k] += area / 12 * p[c][k / 3] * p[c][k % 3];
            }
        }
    }
    fb_eigen3(m, values, v);
    for (int r = 0; r < 3; r++) {
        deviation[r] = sqrt(fb_greater(0, values[r]) / s->total_area);
        for (int k = 0; k < 3; k++) {
            axes[3 * r + k] = v[3 * k + r];
        }
    }
}

/* The Laplacian of the place with cotangent weights is twice the mean curvature along the inward
 * normal (Meyer et al. 2003); areas are thirds of the faces. At rims it is 0. */
void fb_surface_curvature(const fb_surface *s, double *curvature) {
    memset(curvature, 0, (size_t)s->n_vertices * sizeof *curvature);
    for (int f = 0; f < s->n_faces; f++) {
        const int *c = s->faces[f];
        for (int k = 0; k < 3; k++) {
            int a = c[(k + 1) % 3], b = c[(k + 2) % 3];
            double u[3], v[3], n[3], edge[3];
            fb_v3_sub(u, s->vertices[a], s->vertices[c[k]]);
            fb_v3_sub(v, s->vertices[b], s->vertices[c[k]]);
            fb_v3_cross(n, u, v);
            double sine = fb_v3_norm(n), cotangent = fb_v3_dot(u, v) / sine;
            cotangent = fb_greater(-20, fb_lesser(20, cotangent)); /* slivers say nothing */
            fb_v3_sub(edge, s->vertices[a], s->vertices[b]);
            curvature[a] += cotangent * fb_v3_dot(edge, s->normals[a]);
            curvature[b] -= cotangent * fb_v3_dot(edge, s->normals[b]);
        }
    }
    for (int i = 0; i < s->n_vertices; i++) {
        /* 1/(2A) sum (cot + cot)/1 (p_i - p_j) . n / 2 */
        curvature[i] = s->tree->rim[i] ? 0 : curvature[i] / (4 * s->area[i]);
    }
}
