/* Surfaces: findings, nearest points against all triangles, inside against solid angles, mass and
 * curvature against formulas. */
#include "libcore/register/surface.h"

#include <math.h>
#include <string.h>
#include <time.h>

#include "libcore/base/number.h"
#include "libcore/base/spatial.h"
#include "tests/help.h"

#define MOST 20000

typedef struct raw {
    double vertices[MOST][3];
    int faces[2 * MOST][3];
    int n_vertices, n_faces;
} raw;

static raw mesh;

static void clear(raw *m) {
    m->n_vertices = m->n_faces = 0;
}

static void vertex(raw *m, double x, double y, double z) {
    fb_v3_set(m->vertices[m->n_vertices++], x, y, z);
}

static void face(raw *m, int a, int b, int c) {
    int *f = m->faces[m->n_faces++];
    f[0] = a;
    f[1] = b;
    f[2] = c;
}

/* A cube of 12 outward triangles that share no vertex, as in STL files. */
static void cube(raw *m, const double *low, double side) {
    for (int axis = 0; axis < 3; axis++) {
        for (int far = 0; far < 2; far++) {
            double p[4][3];
            for (int i = 0; i < 4; i++) {
                p[i][axis] = low[axis] + side * far;
                p[i][(axis + 1) % 3] = low[(axis + 1) % 3] + side * (i == 1 || i == 2);
                p[i][(axis + 2) % 3] = low[(axis + 2) % 3] + side * (i >= 2);
            }
            const int corners[6] = {0, far ? 1 : 2, far ? 2 : 1, 0, far ? 2 : 3, far ? 3 : 2};
            for (int i = 0; i < 6; i += 3) {
                int v = m->n_vertices;
                for (int k = 0; k < 3; k++) {
                    const double *q = p[corners[i + k]];
                    vertex(m, q[0], q[1], q[2]);
                }
                face(m, v, v + 1, v + 2);
            }
        }
    }
}

/* n by k quads on (0, 1) x (0, 1), closed in the first direction and, if `torus`, in both. */
static void tube(raw *m, int n, int k, void (*at)(double u, double v, double *p), bool torus) {
    int first = m->n_vertices, rows = torus ? k : k + 1;
    for (int j = 0; j < rows; j++) {
        for (int i = 0; i < n; i++) {
            double p[3];
            at((double)i / n, (double)j / k, p);
            vertex(m, p[0], p[1], p[2]);
        }
    }
    for (int j = 0; j < k; j++) {
        for (int i = 0; i < n; i++) {
            int a = first + j * n + i, b = first + j * n + (i + 1) % n;
            int c = first + (j + 1) % rows * n + (i + 1) % n, d = first + (j + 1) % rows * n + i;
            face(m, a, b, c);
            face(m, a, c, d);
        }
    }
}

static void on_torus(double u, double v, double *p) {
    double a = 2 * M_PI * u, b = 2 * M_PI * v, r = 3 + cos(b);
    fb_v3_set(p, r * cos(a), r * sin(a), sin(b));
}

/* Poles come together: their triangles have no area. */
static void on_ball(double u, double v, double *p) {
    double a = 2 * M_PI * u, b = M_PI * (v - 0.5), r = v <= 0 || v >= 1 ? 0 : 2 * cos(b);
    fb_v3_set(p, r * cos(a), r * sin(a), v <= 0 ? -2 : v >= 1 ? 2 : 2 * sin(b));
}

static void on_bone(double u, double v, double *p) {
    double bump = 1 + 0.2 * sin(14 * u) * sin(9 * v) + 0.1 * cos(31 * v);
    on_ball(u, v, p);
    fb_v3_set(p, 0.02 * bump * p[0] + 5, 0.015 * bump * p[1] - 3, 0.1 * p[2] * bump);
}

static void on_pipe(double u, double v, double *p) {
    fb_v3_set(p, cos(2 * M_PI * u), sin(2 * M_PI * u), 4 * v);
}

static fb_surface *surface_of(const raw *m, fb_status want) {
    fb_surface *s = NULL;
    fb_diag diag;
    fb_diag_init(&diag);
    fb_status status = fb_surface_new(&s, (const double(*)[3])m->vertices, (size_t)m->n_vertices,
                                      (const int(*)[3])m->faces, (size_t)m->n_faces, 1, "bone.stl",
                                      &diag);
    FB_EQUAL_INT(status, want);
    if (want == FB_E_INPUT) {
        FB_RECORD(&diag, FB_ERROR, FB1402, -1);
        FB_TRUE(!s, "a surface in spite of the refusal");
    }
    fb_diag_clear(&diag);
    return s;
}

static const double zero[3], corner[3] = {2, 0, 0}, within[3] = {0.25, 0.25, 0.25};

/* ---- findings -------------------------------------------------------------------------------- */

static void welds_cube_and_measures_it(void) {
    clear(&mesh);
    cube(&mesh, zero, 1);
    fb_surface *s = surface_of(&mesh, FB_OK);
    FB_EQUAL_INT(s->n_vertices, 8);
    FB_EQUAL_INT(s->n_faces, 12);
    FB_EQUAL_INT(s->n_pieces, 1);
    FB_EQUAL_INT(s->n_open + s->n_non_manifold + s->n_degenerate + s->n_turned + s->inside_out, 0);
    double center[3], inertia[6];
    FB_NEAR(fb_surface_mass(s, center, inertia), 1, 1e-14, 0);
    FB_NEAR(s->total_area, 6, 1e-14, 0);
    for (int k = 0; k < 3; k++) {
        FB_NEAR(center[k], 0.5, 1e-14, 0);
        FB_NEAR(s->center[k], 0.5, 1e-14, 0);
        FB_NEAR(inertia[k], 1.0 / 6, 1e-14, 0);
        FB_NEAR(inertia[3 + k], 0, 1e-14, 0);
    }
    for (int i = 0; i < 8; i++) {
        for (int k = 0; k < 3; k++) { /* angle-weighted: the diagonal, however faces are cut */
            FB_NEAR(s->normals[i][k] * (s->vertices[i][k] > 0.5 ? 1 : -1), sqrt(1.0 / 3), 1e-14, 0);
        }
    }
    fb_surface_free(s);
}

static void turns_faces_that_disagree(void) {
    clear(&mesh);
    cube(&mesh, zero, 1);
    for (int f = 0; f < 2; f++) {
        int keep = mesh.faces[3 * f][0];
        mesh.faces[3 * f][0] = mesh.faces[3 * f][1];
        mesh.faces[3 * f][1] = keep;
    }
    fb_surface *s = surface_of(&mesh, FB_OK);
    FB_EQUAL_INT(s->n_turned, 2);
    FB_TRUE(!s->inside_out, "inside out");
    FB_NEAR(s->volume, 1, 1e-14, 0);
    fb_surface_free(s);
}

static void turn_all(raw *m, int from) {
    for (int f = from; f < m->n_faces; f++) {
        int keep = m->faces[f][0];
        m->faces[f][0] = m->faces[f][1];
        m->faces[f][1] = keep;
    }
}

static void turns_whole_surface_outward(void) {
    clear(&mesh);
    cube(&mesh, zero, 1);
    turn_all(&mesh, 0);
    fb_surface *s = surface_of(&mesh, FB_OK);
    FB_EQUAL_INT(s->n_turned, 0);
    FB_TRUE(s->inside_out, "not found");
    FB_NEAR(s->volume, 1, 1e-14, 0);
    fb_diag diag;
    fb_diag_init(&diag);
    fb_surface_tell(s, "bone.stl", &diag);
    FB_RECORD(&diag, FB_WARNING, FB2312, -1);
    fb_diag_clear(&diag);
    fb_surface_free(s);
}

/* One of two bones beside each other is inside out: it alone is turned. A wall of a cavity, which
 * looks inward rightly, is not. */
static void turns_pieces_but_not_cavities(void) {
    clear(&mesh);
    cube(&mesh, zero, 1);
    cube(&mesh, corner, 1);
    turn_all(&mesh, 12);
    fb_surface *s = surface_of(&mesh, FB_OK);
    FB_EQUAL_INT(s->n_pieces, 2);
    FB_NEAR(s->volume, 2, 1e-13, 0);
    fb_surface_free(s);
    clear(&mesh);
    cube(&mesh, zero, 1);
    cube(&mesh, within, 0.5);
    turn_all(&mesh, 12);
    for (int way = 0; way < 2; way++) {
        s = surface_of(&mesh, FB_OK);
        FB_NEAR(s->volume, 1 - 0.125, 1e-13, 0);
        FB_EQUAL_INT(s->inside_out, way);
        double p[3] = {0.5, 0.5, 0.5};
        FB_NEAR(fb_surface_nearest(s, p, NULL, NULL, NULL), 0.25, 1e-14, 0);
        p[0] = 0.9;
        FB_NEAR(fb_surface_nearest(s, p, NULL, NULL, NULL), -0.1, 1e-14, 0);
        fb_surface_free(s);
        turn_all(&mesh, 0); /* and all of it inside out */
    }
}

static void closes_holes_by_fans(void) {
    clear(&mesh);
    cube(&mesh, zero, 1);
    mesh.n_faces -= 2; /* the face z = 1 */
    fb_surface *s = surface_of(&mesh, FB_OK);
    FB_EQUAL_INT(s->n_open, 4);
    double center[3], p[3] = {0.5, 0.5, 0.95};
    FB_NEAR(fb_surface_mass(s, center, NULL), 1, 1e-14, 0);
    FB_NEAR(center[2], 0.5, 1e-14, 0);
    FB_NEAR(fb_surface_nearest(s, p, NULL, NULL, NULL), -0.5, 1e-14, 0);
    p[2] = 1.5; /* nearest is the rim */
    FB_NEAR(fb_surface_nearest(s, p, NULL, NULL, NULL), sqrt(0.5), 1e-14, 0);
    fb_diag diag;
    fb_diag_init(&diag);
    fb_surface_tell(s, "bone.stl", &diag);
    const fb_record *r = FB_RECORD(&diag, FB_WARNING, FB2312, -1);
    FB_HOLDS(r ? r->message : "", "4 edges");
    fb_diag_clear(&diag);
    fb_surface_free(s);
    clear(&mesh);
    tube(&mesh, 40, 10, on_pipe, false);
    s = surface_of(&mesh, FB_OK);
    FB_EQUAL_INT(s->n_open, 80);
    FB_NEAR(s->volume, 4 * 20 * sin(2 * M_PI / 40), 1e-12, 0); /* a prism of 40 sides */
    fb_surface_free(s);
}

static void counts_walls(void) {
    clear(&mesh);
    cube(&mesh, zero, 1);
    double right[3] = {1, 0, 0};
    cube(&mesh, right, 1); /* they share a side, which is there twice */
    mesh.n_faces -= 12;
    for (int f = 12; f < 24; f++) {
        const double *a = mesh.vertices[3 * f];
        if (a[0] != 1 || mesh.vertices[3 * f + 1][0] != 1 || mesh.vertices[3 * f + 2][0] != 1) {
            memmove(mesh.faces[mesh.n_faces++], mesh.faces[f], sizeof mesh.faces[f]);
        }
    }
    FB_EQUAL_INT(mesh.n_faces, 22); /* the wall once */
    fb_surface *s = surface_of(&mesh, FB_OK);
    FB_EQUAL_INT(s->n_non_manifold, 4);
    FB_EQUAL_INT(s->n_open, 0);
    FB_TRUE(!s->inside_out, "inside out");
    FB_NEAR(s->volume, 2, 1e-14, 0);
    double p[3] = {-0.5, 0.5, 0.5}, q[3] = {2.5, 0.5, 0.5};
    FB_NEAR(fb_surface_nearest(s, p, NULL, NULL, NULL), 0.5, 1e-14, 0);
    FB_NEAR(fb_surface_nearest(s, q, NULL, NULL, NULL), 0.5, 1e-14, 0);
    fb_surface_free(s);
}

static void leaves_degenerate_faces_out(void) {
    clear(&mesh);
    tube(&mesh, 24, 12, on_ball, false);
    fb_surface *s = surface_of(&mesh, FB_OK);
    FB_EQUAL_INT(s->n_degenerate, 48);
    FB_EQUAL_INT(s->n_open, 0);
    FB_EQUAL_INT(s->n_vertices, 24 * 11 + 2);
    fb_surface_free(s);
}

static void rejects_what_is_no_surface(void) {
    clear(&mesh);
    FB_TRUE(!surface_of(&mesh, FB_E_INPUT), "no faces");
    cube(&mesh, zero, 1);
    mesh.vertices[7][1] = FB_NAN;
    FB_TRUE(!surface_of(&mesh, FB_E_INPUT), "not finite");
    mesh.vertices[7][1] = 0;
    mesh.faces[3][2] = mesh.n_vertices;
    FB_TRUE(!surface_of(&mesh, FB_E_INPUT), "index");
    mesh.faces[3][2] = -1;
    FB_TRUE(!surface_of(&mesh, FB_E_INPUT), "negative index");
    clear(&mesh);
    vertex(&mesh, 0, 0, 0);
    vertex(&mesh, 1, 1, 1);
    vertex(&mesh, 2, 2, 2);
    face(&mesh, 0, 1, 2);
    FB_TRUE(!surface_of(&mesh, FB_E_INPUT), "a line");
}

static void survives_lack_of_memory(void) {
    clear(&mesh);
    tube(&mesh, 30, 20, on_bone, false);
    fb_status status = FB_E_MEMORY;
    for (long n = 1; status == FB_E_MEMORY && n < 1000; n++) {
        fb_surface *s = NULL;
        fb_diag diag;
        fb_diag_init(&diag);
        fb_alloc_fail_at(n);
        status = fb_surface_new(&s, (const double(*)[3])mesh.vertices, (size_t)mesh.n_vertices,
                                (const int(*)[3])mesh.faces, (size_t)mesh.n_faces, 1, "bone.stl",
                                &diag);
        fb_alloc_fail_at(0);
        FB_TRUE((status == FB_OK) == (s != NULL), "allocation %ld", n);
        fb_surface_free(s);
        fb_diag_clear(&diag);
    }
    FB_EQUAL_INT(status, FB_OK);
}

/* ---- nearest --------------------------------------------------------------------------------- */

/* By projecting onto the plane and, if that is beside the triangle, onto the three edges. */
static double slow_triangle(const double *a, const double *b, const double *c, const double *p) {
    double u[3], v[3], n[3], w[3], best = FB_INFINITY;
    fb_v3_sub(u, b, a);
    fb_v3_sub(v, c, a);
    fb_v3_sub(w, p, a);
    double uu = fb_v3_dot(u, u), uv = fb_v3_dot(u, v), vv = fb_v3_dot(v, v);
    double wu = fb_v3_dot(w, u), wv = fb_v3_dot(w, v), det = uu * vv - uv * uv;
    double s = (vv * wu - uv * wv) / det, t = (uu * wv - uv * wu) / det;
    if (s >= 0 && t >= 0 && s + t <= 1) {
        fb_v3_cross(n, u, v);
        return fabs(fb_v3_dot(w, n)) / fb_v3_norm(n);
    }
    const double *ends[3][2] = {{a, b}, {b, c}, {c, a}};
    for (int k = 0; k < 3; k++) {
        fb_v3_sub(u, ends[k][1], ends[k][0]);
        fb_v3_sub(w, p, ends[k][0]);
        t = fmax(0, fmin(1, fb_v3_dot(u, w) / fb_v3_dot(u, u)));
        fb_v3_madd(w, -t, u);
        best = fmin(best, fb_v3_norm(w));
    }
    return best;
}

static double solid_angle(const fb_surface *s, const double *p) {
    double sum = 0;
    for (int f = 0; f < s->n_faces; f++) {
        double u[3][3], l[3], n[3];
        for (int k = 0; k < 3; k++) {
            fb_v3_sub(u[k], s->vertices[s->faces[f][k]], p);
            l[k] = fb_v3_norm(u[k]);
        }
        fb_v3_cross(n, u[0], u[1]);
        sum += 2 * atan2(fb_v3_dot(n, u[2]), l[0] * l[1] * l[2] + fb_v3_dot(u[0], u[1]) * l[2] +
                                                 fb_v3_dot(u[1], u[2]) * l[0] +
                                                 fb_v3_dot(u[2], u[0]) * l[1]);
    }
    return sum / (4 * M_PI);
}

static void check_nearest(const fb_surface *s, const double *p) {
    double want = FB_INFINITY, vertex_want = FB_INFINITY, q[3], normal[3];
    int f = -1;
    for (int i = 0; i < s->n_faces; i++) {
        const int *c = s->faces[i];
        want = fmin(want,
                    slow_triangle(s->vertices[c[0]], s->vertices[c[1]], s->vertices[c[2]], p));
    }
    for (int i = 0; i < s->n_vertices; i++) {
        vertex_want = fmin(vertex_want, fb_v3_distance(s->vertices[i], p));
    }
    double got = fb_surface_nearest(s, p, q, normal, &f);
    double size = fb_v3_distance(s->low, s->high) + fb_v3_norm(s->low);
    FB_NEAR(fabs(got), want, 1e-13 * size, 1e-9);
    FB_NEAR(fb_v3_distance(p, q), want, 1e-13 * size, 1e-9);
    FB_NEAR(fb_v3_norm(normal), 1, 1e-12, 0);
    FB_NEAR(fb_v3_distance(s->vertices[fb_surface_nearest_vertex(s, p)], p), vertex_want, 0, 0);
    FB_TRUE((got < 0) == (solid_angle(s, p) > 0.5) || want < 1e-12 * size, "at %g %g %g: %g", p[0],
            p[1], p[2], got);
    const int *c = s->faces[f];
    FB_NEAR(slow_triangle(s->vertices[c[0]], s->vertices[c[1]], s->vertices[c[2]], q), 0,
            1e-13 * size, 0);
    double inf = fb_surface_nearest_within(s, p, 0.9 * want, NULL, NULL, NULL);
    FB_TRUE(isinf(inf), "beyond the bound: %g", inf);
    FB_NEAR(fb_surface_nearest_within(s, p, 1.1 * want + 1e-300, NULL, NULL, NULL), got, 0, 0);
}

static void finds_nearest_as_all_triangles_do(void) {
    unsigned long long seed = fb_test_seed();
    void (*const shapes[])(double, double, double *) = {on_torus, on_bone, on_ball};
    for (int shape = 0; shape < 3; shape++) {
        clear(&mesh);
        tube(&mesh, 37, 23, shapes[shape], shape == 0);
        fb_surface *s = surface_of(&mesh, FB_OK);
        for (int i = 0; i < 400; i++) {
            double p[3], far = i % 4 == 0 ? 5 : i % 4 == 1 ? 0.02 : 0.3;
            const double *v = s->vertices[fb_random(&seed) % (unsigned)s->n_vertices];
            for (int k = 0; k < 3; k++) {
                double size = s->high[k] - s->low[k];
                p[k] = v[k] + far * size * fb_random_between(&seed, -1, 1);
            }
            check_nearest(s, p);
        }
        fb_surface_free(s);
    }
}

/* At sharp edges and corners the face's own normal would give the wrong sign. */
static void tells_inside_at_corners(void) {
    unsigned long long seed = fb_test_seed();
    clear(&mesh);
    vertex(&mesh, 0, 0, 1); /* a thin wedge */
    vertex(&mesh, 1, 0.05, 0);
    vertex(&mesh, -1, 0.02, 0);
    vertex(&mesh, 0, -0.03, -0.2);
    face(&mesh, 0, 1, 2);
    face(&mesh, 0, 3, 1);
    face(&mesh, 0, 2, 3);
    face(&mesh, 1, 3, 2);
    fb_surface *s = surface_of(&mesh, FB_OK);
    for (int i = 0; i < 2000; i++) {
        double p[3];
        for (int k = 0; k < 3; k++) {
            p[k] = fb_random_between(&seed, -1.5, 1.5);
        }
        check_nearest(s, p);
    }
    fb_surface_free(s);
}

/* ---- points, axes, curvature ----------------------------------------------------------------- */

static void spreads_points_evenly(void) {
    clear(&mesh);
    tube(&mesh, 80, 60, on_torus, true);
    fb_surface *s = surface_of(&mesh, FB_OK);
    static double p[1000][3], normals[1000][3];
    static int sample[10000];
    fb_surface_points(s, 1000, p, normals);
    int outer = 0;
    for (int i = 0; i < 1000; i++) {
        double n[3];
        FB_NEAR(fb_surface_nearest(s, p[i], NULL, n, NULL), 0, 1e-13, 0);
        FB_TRUE(fb_v3_dot(n, normals[i]) > 0.9, "normal %d", i);
        outer += fb_length2(p[i][0], p[i][1]) > 3;
    }
    /* by Pappus: the outer half of the tube has (3 + 2/pi) / 6 of the area */
    FB_NEAR(outer / 1000.0, (3 + 2 / M_PI) / 6, 0.02, 0);
    FB_EQUAL_INT(fb_surface_sample(s, 500, sample), 500);
    static bool taken[MOST];
    memset(taken, 0, sizeof taken);
    double farthest = 0;
    for (int i = 0; i < 500; i++) {
        FB_TRUE(!taken[sample[i]], "vertex %d twice", sample[i]);
        taken[sample[i]] = true;
    }
    for (int i = 0; i < s->n_vertices; i++) {
        double nearest = FB_INFINITY;
        for (int j = 0; j < 500; j++) {
            nearest = fmin(nearest, fb_v3_distance(s->vertices[i], s->vertices[sample[j]]));
        }
        farthest = fmax(farthest, nearest);
    }
    /* each stands for a disc of radius sqrt(A / 500 / pi) */
    FB_TRUE(farthest < 4 * sqrt(s->total_area / 500 / M_PI), "a gap of %g", farthest);
    FB_EQUAL_INT(fb_surface_sample(s, 10000, sample), s->n_vertices);
    fb_surface_free(s);
}

static void finds_axes_and_curvature(void) {
    clear(&mesh);
    tube(&mesh, 120, 90, on_ball, false);
    fb_surface *s = surface_of(&mesh, FB_OK);
    static double curvature[MOST];
    fb_surface_curvature(s, curvature);
    double sum = 0;
    for (int i = 0; i < s->n_vertices; i++) {
        sum += s->area[i] * curvature[i];
        double z = fabs(s->vertices[i][2]);
        if (z < 1.8) { /* long slivers at the poles */
            FB_NEAR(curvature[i], 0.5, 0.01, 0);
        }
    }
    FB_NEAR(sum / s->total_area, 0.5, 0.005, 0);
    FB_NEAR(s->volume, 4.0 / 3 * M_PI * 8, 0, 0.003);
    fb_surface_free(s);
    for (int i = 0; i < mesh.n_vertices; i++) { /* an ellipsoid 6, 4, 2 along y, z, x */
        double *v = mesh.vertices[i];
        fb_v3_set(v, v[0], 3 * v[1], 2 * v[2]);
    }
    s = surface_of(&mesh, FB_OK);
    double axes[9], deviation[3];
    fb_surface_axes(s, axes, deviation);
    FB_NEAR(fabs(axes[1]), 1, 1e-6, 0);
    FB_NEAR(fabs(axes[5]), 1, 1e-6, 0);
    FB_NEAR(fabs(axes[6]), 1, 1e-6, 0);
    FB_TRUE(deviation[0] > deviation[1] && deviation[1] > deviation[2], "order");
    double c[3];
    fb_v3_cross(c, axes, axes + 3);
    FB_NEAR(fb_v3_dot(c, axes + 6), 1, 1e-12, 0);
    fb_surface_free(s);
}

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Printed, and far off the bars only when something is quadratic. */
static void is_fast_on_many_triangles(void) {
    if (!fb_test_is_fast()) {
        return;
    }
    static double vertices[250 * 201][3];
    static int faces[100000][3];
    size_t n = 0, k = 0;
    for (int j = 0; j <= 200; j++) {
        for (int i = 0; i < 250; i++) {
            on_bone(i / 250.0, j / 200.0, vertices[n++]);
            int a = 250 * j + i, b = 250 * j + (i + 1) % 250;
            if (j < 200) {
                memcpy(faces[k++], (int[]){a, b, b + 250}, sizeof faces[0]);
                memcpy(faces[k++], (int[]){a, b + 250, a + 250}, sizeof faces[0]);
            }
        }
    }
    fb_diag diag;
    fb_diag_init(&diag);
    fb_surface *s;
    double start = seconds();
    FB_EQUAL_INT(fb_surface_new(&s, (const double(*)[3])vertices, n, (const int(*)[3])faces, k, 1,
                                "bone.stl", &diag),
                 FB_OK);
    double made = seconds() - start;
    unsigned long long seed = fb_test_seed();
    static double points[10000][3];
    for (int i = 0; i < 10000; i++) {
        const double *v = s->vertices[fb_random(&seed) % (unsigned)s->n_vertices];
        for (int c = 0; c < 3; c++) {
            points[i][c] = v[c] + fb_random_between(&seed, -0.005, 0.005);
        }
    }
    double sum = 0;
    start = seconds();
    for (int i = 0; i < 10000; i++) {
        sum += fb_surface_nearest(s, points[i], NULL, NULL, NULL);
    }
    double asked = seconds() - start;
    printf("100,000 triangles: made in %.1f ms; 10,000 nearest points within 5 mm in %.1f ms "
           "(mean %.2g m)\n",
           1e3 * made, 1e3 * asked, sum / 10000);
    FB_TRUE(made < 1 && asked < 0.5, "made %g s, asked %g s", made, asked);
    fb_surface_free(s);
    fb_diag_clear(&diag);
}

int main(int argc, char **argv) {
    static const fb_test tests[] = {FB_TEST(welds_cube_and_measures_it),
                                    FB_TEST(turns_faces_that_disagree),
                                    FB_TEST(turns_whole_surface_outward),
                                    FB_TEST(turns_pieces_but_not_cavities),
                                    FB_TEST(closes_holes_by_fans),
                                    FB_TEST(counts_walls),
                                    FB_TEST(leaves_degenerate_faces_out),
                                    FB_TEST(rejects_what_is_no_surface),
                                    FB_TEST(survives_lack_of_memory),
                                    FB_TEST(finds_nearest_as_all_triangles_do),
                                    FB_TEST(tells_inside_at_corners),
                                    FB_TEST(spreads_points_evenly),
                                    FB_TEST(finds_axes_and_curvature),
                                    FB_TEST(is_fast_on_many_triangles),
                                    FB_TEST_END};
    return fb_test_main("surface", tests, argc, argv);
}
