/* Landmarks of a femur made of tubes and a ball, whose joints are known. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/spatial.h"
#include "libcore/register/landmarks.h"
#include "tests/help.h"

enum { AROUND = 48, MOST = 40000 };

static double vertices[MOST][3];
static int faces[2 * MOST][3];
static int n_vertices, n_faces;

/* A closed tube: n rings about the centres given, with half axes a along u and b along v. */
static void add_tube(const double (*centers)[3], const double (*half)[2], int n, const double *u,
                     const double *v) {
    int start = n_vertices;
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < AROUND; k++) {
            double angle = 6.283185307179586 * k / AROUND;
            double *p = vertices[n_vertices++];
            fb_v3_copy(p, centers[i]);
            fb_v3_madd(p, half[i][0] * cos(angle), u);
            fb_v3_madd(p, half[i][1] * sin(angle), v);
        }
    }
    fb_v3_copy(vertices[n_vertices++], centers[0]);
    fb_v3_copy(vertices[n_vertices++], centers[n - 1]);
    for (int k = 0; k < AROUND; k++) {
        int j = (k + 1) % AROUND, last = start + (n - 1) * AROUND;
        for (int i = 0; i + 1 < n; i++) {
            int a = start + i * AROUND;
            int *f = faces[n_faces++], *g = faces[n_faces++];
            f[0] = a + k, f[1] = a + j, f[2] = a + AROUND + j;
            g[0] = a + k, g[1] = a + AROUND + j, g[2] = a + AROUND + k;
        }
        int *f = faces[n_faces++], *g = faces[n_faces++];
        f[0] = n_vertices - 2, f[1] = start + j, f[2] = start + k;
        g[0] = n_vertices - 1, g[1] = last + k, g[2] = last + j;
    }
}

/* Surface of turning about an axis: an ellipsoid-like body with half length c along w and the
 * given radius; rounded by `power` (2: a ball, more: a cylinder with rounded edges). */
static void add_round(const double *center, double radius, double c, double power, const double *u,
                      const double *v, const double *w) {
    double centers[41][3], half[41][2];
    for (int i = 0; i <= 40; i++) {
        double t = -cos(3.141592653589793 * i / 40);
        fb_v3_copy(centers[i], center);
        fb_v3_madd(centers[i], c * t, w);
        half[i][0] = half[i][1] =
            radius * pow(fb_greater(1 - pow(fabs(t), power), 1e-12), 1 / power) + 1e-6;
    }
    add_tube((const double(*)[3])centers, (const double(*)[2])half, 41, u, v);
}

static const double hip[3] = {0.005, 0.4, -0.045}, knee[3] = {0, 0, 0};
static const double x[3] = {1, 0, 0}, y[3] = {0, 1, 0}, z[3] = {0, 0, 1};

/* A right femur in its own axes, mirrored in z if asked; turned and moved. */
static fb_surface *make_femur(bool mirrored, bool cut) {
    double centers[31][3], half[31][2];
    n_vertices = n_faces = 0;
    add_round(hip, 0.023, 0.023, 2, z, x, y);
    /* the shaft, bowed forward, and before the condyles below */
    for (int i = 0; i <= 30; i++) {
        double h = 0.01 + (0.37 - 0.01) * i / 30;
        fb_v3_set(centers[i], 0.014, h, 0);
        half[i][0] = 0.013 + 0.022 * exp(-h / 0.02);
        half[i][1] = 0.013 + 0.004 * exp(-h / 0.02);
    }
    add_tube((const double(*)[3])centers, (const double(*)[2])half, 31, z, x);
    /* the neck, and the trochanter beside it */
    const double along[3] = {hip[0] - 0.014, hip[1] - 0.365, hip[2]};
    double w[3], a[3], b[3];
    fb_v3_copy(w, along);
    fb_v3_normalize(w);
    fb_v3_cross(a, w, x);
    fb_v3_normalize(a);
    fb_v3_cross(b, w, a);
    for (int i = 0; i <= 10; i++) {
        for (int k = 0; k < 3; k++) {
            centers[i][k] = (k == 0 ? 0.014 : k == 1 ? 0.365 : 0) + along[k] * i / 12.0;
        }
        half[i][0] = half[i][1] = 0.012;
    }
    add_tube((const double(*)[3])centers, (const double(*)[2])half, 11, a, b);
    const double trochanter[3] = {0.008, 0.375, 0.012};
    add_round(trochanter, 0.016, 0.014, 2, x, y, z);
    /* the condyles: two parts of one cylinder about z */
    const double condyles[2][3] = {{0, 0, -0.024}, {0, 0, 0.024}};
    for (int k = 0; k < 2; k++) {
        add_round(condyles[k], 0.021, 0.014, 8, x, y, z);
    }
    double r[9];
    const double axis[3] = {0.36, 0.48, 0.8}, shift[3] = {0.7, -0.2, 0.4};
    fb_m3_rotation(r, axis, 2.2);
    int kept = 0;
    for (int f = 0; f < n_faces; f++) {
        if (!cut || vertices[faces[f][0]][1] > 0.2) {
            memmove(faces[kept++], faces[f], sizeof faces[f]);
        }
        if (mirrored) {
            int k = faces[kept - 1][0];
            faces[kept - 1][0] = faces[kept - 1][1];
            faces[kept - 1][1] = k;
        }
    }
    n_faces = kept;
    for (int i = 0; i < n_vertices; i++) {
        double p[3] = {vertices[i][0], vertices[i][1], mirrored ? -vertices[i][2] : vertices[i][2]};
        fb_m3_mul_v3(vertices[i], r, p);
        fb_v3_add(vertices[i], vertices[i], shift);
    }
    fb_diag diag;
    fb_surface *surface = NULL;
    fb_diag_init(&diag);
    FB_EQUAL_INT(fb_surface_new(&surface, (const double(*)[3])vertices, (size_t)n_vertices,
                                (const int(*)[3])faces, (size_t)n_faces, 1, "femur", &diag),
                 FB_OK);
    fb_diag_clear(&diag);
    return surface;
}

/* Where make_femur puts a point. */
static void placed(const double *p, double *out) {
    const double axis[3] = {0.36, 0.48, 0.8}, shift[3] = {0.7, -0.2, 0.4};
    double r[9];
    fb_m3_rotation(r, axis, 2.2);
    fb_m3_mul_v3(out, r, p);
    fb_v3_add(out, out, shift);
}

typedef struct {
    int n;
    fb_features features;
    fb_bone_fit fits[FB_BONE_FITS];
    fb_diag diag;
} result;

static void find(result *f, const fb_surface *surface, char side) {
    fb_bone_frame frame;
    fb_features_init(&f->features);
    fb_diag_init(&f->diag);
    f->n = fb_bone_landmarks(surface, FB_BONE_FEMUR, side, "femur_r", &frame, &f->features, f->fits,
                             &f->diag);
}

static void forget(result *f) {
    fb_features_free(&f->features);
    fb_diag_clear(&f->diag);
}

static void femur_has_its_joints(void) {
    fb_surface *surface = make_femur(false, false);
    result f;
    double want[3];
    find(&f, surface, 'r');
    FB_EQUAL_INT(f.n, 2);
    const fb_feature *center = fb_features_find(&f.features, "femur_r", "hip_center");
    FB_TRUE(center != NULL, "no hip centre");
    if (center != NULL) {
        placed(hip, want);
        FB_NEAR(fb_v3_distance(center->location, want), 0, 2e-4, 0);
    }
    if (f.n == 2) {
        double d[3], origin[3], along[3], axis[3];
        FB_EQUAL_STR(f.fits[1].name, "knee_axis");
        placed(knee, origin);
        placed(z, along);
        fb_v3_sub(axis, along, origin);
        FB_NEAR(fabs(fb_v3_dot(axis, f.fits[1].axis)), 1, 2e-4, 0);
        fb_v3_sub(d, f.fits[1].center, origin);
        FB_NEAR(fb_v3_norm(d), 0, 1e-3, 0);
        FB_NEAR(f.fits[1].radius, 0.021, 5e-4, 0);
    }
    forget(&f);
    fb_surface_free(surface);
}

static void femur_of_the_other_side_is_refused(void) {
    for (int mirrored = 0; mirrored < 2; mirrored++) {
        fb_surface *surface = make_femur(mirrored == 1, false);
        result f;
        find(&f, surface, mirrored ? 'r' : 'l');
        FB_EQUAL_INT(f.n, -1);
        FB_EQUAL_INT(f.features.n, 0);
        const fb_record *record = FB_RECORD(&f.diag, FB_ERROR, FB2310, -1);
        if (record != NULL) {
            FB_HOLDS(record->message, mirrored ? "is a left femur, not a right one"
                                               : "is a right femur, not a left one");
        }
        forget(&f);
        find(&f, surface, mirrored ? 'l' : 'r');
        FB_EQUAL_INT(f.n, 2);
        forget(&f);
        fb_surface_free(surface);
    }
}

static void femur_cut_in_half_has_only_the_head(void) {
    fb_surface *surface = make_femur(false, true);
    result f;
    find(&f, surface, 'r');
    FB_EQUAL_INT(f.n, 1);
    FB_EQUAL_INT(f.features.n, 1);
    FB_TRUE(fb_features_find(&f.features, NULL, "hip_center") != NULL, "no hip centre");
    forget(&f);
    fb_surface_free(surface);
}

static void ball_is_no_femur(void) {
    const double center[3] = {1, 2, 3};
    fb_diag diag;
    fb_surface *surface = NULL;
    result f;
    n_vertices = n_faces = 0;
    add_round(center, 0.1, 0.1, 2, z, x, y);
    fb_diag_init(&diag);
    FB_EQUAL_INT(fb_surface_new(&surface, (const double(*)[3])vertices, (size_t)n_vertices,
                                (const int(*)[3])faces, (size_t)n_faces, 1, "ball", &diag),
                 FB_OK);
    fb_diag_clear(&diag);
    find(&f, surface, 'r');
    FB_EQUAL_INT(f.n, -1);
    FB_RECORD(&f.diag, FB_ERROR, FB2310, -1);
    forget(&f);
    fb_surface_free(surface);
}

int main(int argc, char **argv) {
    const fb_test tests[] = {FB_TEST(femur_has_its_joints),
                             FB_TEST(femur_of_the_other_side_is_refused),
                             FB_TEST(femur_cut_in_half_has_only_the_head),
                             FB_TEST(ball_is_no_femur), FB_TEST_END};
    return fb_test_main("landmarks", tests, argc, argv);
}
