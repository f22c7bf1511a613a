#include <math.h>

#include "libcore/base/spatial.h"
#include "libcore/register/landmarks.h"
#include "tests/help.h"

enum { N = 400 };

/* A turned and shifted place, far from the origin. */
static void placed(const double *p, double *out) {
    const double axis[3] = {0.6, 0, 0.8}, shift[3] = {-3, 5, 11};
    double r[9];
    fb_m3_rotation(r, axis, 1.1);
    fb_m3_mul_v3(out, r, p);
    fb_v3_add(out, out, shift);
}

/* A cap of a sphere: 60 degrees about its pole. */
static void sphere_cap_gives_center_and_radius(void) {
    double points[N][3], center[3], radius, want[3];
    unsigned long long seed = fb_test_seed();
    for (int i = 0; i < N; i++) {
        double a = fb_random_between(&seed, 0, 6.283), z = fb_random_between(&seed, 0.5, 1);
        double r = sqrt(1 - z * z);
        placed((double[3]){0.024 * r * cos(a), 0.024 * r * sin(a), 0.024 * z}, points[i]);
    }
    placed((double[3]){0, 0, 0}, want);
    double rms = fb_fit_sphere((const double(*)[3])points, N, center, &radius);
    FB_NEAR(rms, 0, 1e-12, 0);
    FB_NEAR(radius, 0.024, 1e-10, 0);
    FB_NEAR(fb_v3_distance(center, want), 0, 1e-10, 0);
}

static void sphere_of_points_in_a_plane_is_refused(void) {
    double points[N][3], center[3], radius = 0;
    for (int i = 0; i < N; i++) {
        fb_v3_set(points[i], cos(i), sin(i), 0);
    }
    FB_TRUE(isinf(fb_fit_sphere((const double(*)[3])points, N, center, &radius)), "radius %g",
            radius);
    FB_TRUE(isinf(fb_fit_sphere((const double(*)[3])points, 3, center, &radius)), "3 points");
}

/* The rms is that of the noise, less what four unknowns take. */
static void sphere_rms_is_that_of_the_noise(void) {
    double points[N][3], center[3], radius;
    unsigned long long seed = fb_test_seed();
    for (int i = 0; i < N; i++) {
        double a = fb_random_between(&seed, 0, 6.283), z = fb_random_between(&seed, -1, 1);
        double r = sqrt(1 - z * z), d = 1 + fb_random_between(&seed, -0.01, 0.01);
        fb_v3_set(points[i], d * r * cos(a), d * r * sin(a), d * z);
    }
    double rms = fb_fit_sphere((const double(*)[3])points, N, center, &radius);
    FB_NEAR(rms, 0.01 / sqrt(3), 0, 0.1);
    FB_NEAR(fb_v3_norm(center), 0, 0.003, 0);
}

/* A third of a cylinder, from an axis that is 20 degrees off. */
static void cylinder_patch_gives_axis_and_radius(void) {
    double points[N][3], center[3], axis[3], radius, want[3], end[3], along[3], d[3];
    unsigned long long seed = fb_test_seed();
    for (int i = 0; i < N; i++) {
        double a = fb_random_between(&seed, 0, 2.1), z = fb_random_between(&seed, -0.03, 0.03);
        placed((double[3]){0.02 * cos(a), 0.02 * sin(a), z}, points[i]);
    }
    placed((double[3]){0, 0, 0}, want);
    placed((double[3]){0, 0, 1}, end);
    fb_v3_sub(along, end, want);
    placed((double[3]){0.004, -0.003, 0}, center);
    placed((double[3]){0.004 + sin(0.35), -0.003, cos(0.35)}, end);
    fb_v3_sub(axis, end, center);
    double rms = fb_fit_cylinder((const double(*)[3])points, N, center, axis, &radius);
    FB_NEAR(rms, 0, 1e-10, 0);
    FB_NEAR(radius, 0.02, 1e-8, 0);
    FB_NEAR(fabs(fb_v3_dot(axis, along)), 1, 1e-10, 0);
    fb_v3_sub(d, center, want);
    fb_v3_madd(d, -fb_v3_dot(d, along), along);
    FB_NEAR(fb_v3_norm(d), 0, 1e-8, 0);
}

static void plane_gives_its_normal(void) {
    double points[N][3], center[3], normal[3], a[3], b[3], d[3];
    unsigned long long seed = fb_test_seed();
    for (int i = 0; i < N; i++) {
        double x = fb_random_between(&seed, -1, 1), y = fb_random_between(&seed, -1, 1);
        placed((double[3]){x, y, 0}, points[i]);
    }
    FB_NEAR(fb_fit_plane((const double(*)[3])points, N, center, normal), 0, 1e-7, 0);
    placed((double[3]){0, 0, 0}, a);
    placed((double[3]){0, 0, 1}, b);
    fb_v3_sub(d, b, a);
    FB_NEAR(fabs(fb_v3_dot(d, normal)), 1, 1e-12, 0);
    for (int i = 0; i < N; i++) {
        fb_v3_set(points[i], i, 2 * i, 3 * i);
    }
    FB_TRUE(isinf(fb_fit_plane((const double(*)[3])points, N, center, normal)),
            "points on a line have no plane");
}

static void ellipsoid_gives_semi_axes(void) {
    double points[N][3], center[3], radii[3], axes[9], want[3];
    unsigned long long seed = fb_test_seed();
    for (int i = 0; i < N; i++) {
        double a = fb_random_between(&seed, 0, 6.283), z = fb_random_between(&seed, -0.2, 1);
        double r = sqrt(1 - z * z);
        placed((double[3]){0.02 * r * cos(a), 0.05 * r * sin(a), 0.03 * z}, points[i]);
    }
    placed((double[3]){0, 0, 0}, want);
    double rms = fb_fit_ellipsoid((const double(*)[3])points, N, center, radii, axes);
    FB_NEAR(rms, 0, 1e-9, 0);
    FB_NEAR(radii[0], 0.05, 1e-8, 0);
    FB_NEAR(radii[1], 0.03, 1e-8, 0);
    FB_NEAR(radii[2], 0.02, 1e-8, 0);
    FB_NEAR(fb_v3_distance(center, want), 0, 1e-8, 0);
    double tip[3], x[3];
    placed((double[3]){0, 1, 0}, tip);
    fb_v3_sub(x, tip, want);
    FB_NEAR(fabs(x[0] * axes[0] + x[1] * axes[3] + x[2] * axes[6]), 1, 1e-10, 0);
}

int main(int argc, char **argv) {
    const fb_test tests[] = {FB_TEST(sphere_cap_gives_center_and_radius),
                             FB_TEST(sphere_of_points_in_a_plane_is_refused),
                             FB_TEST(sphere_rms_is_that_of_the_noise),
                             FB_TEST(cylinder_patch_gives_axis_and_radius),
                             FB_TEST(plane_gives_its_normal),
                             FB_TEST(ellipsoid_gives_semi_axes),
                             FB_TEST_END};
    return fb_test_main("landmarks_fit", tests, argc, argv);
}
