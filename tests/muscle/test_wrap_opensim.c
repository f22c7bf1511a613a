/* What is as OpenSim 4 where that is not the geometry: each rule against its own definition, and
 * where it leads away from the geodesic. The figures themselves are compared with OpenSim's by
 * tests/mechanics.py. */
#include "libcore/muscle/wrap_shapes.h"

#include "tests/muscle/rig.h"

#define PI 3.14159265358979323846

static void random_point(unsigned long long *seed, double size, double *p) {
    fb_v3_set(p, fb_random_between(seed, -size, size), fb_random_between(seed, -size, size),
              fb_random_between(seed, -size, size));
}

static fb_wrap shape(fb_wrap_kind kind, double a, double b, double c) {
    fb_wrap wrap = {.kind = kind, .size = {a, b, c}, .axis = -1, .sign = 1, .active = true};
    fb_pose_identity(&wrap.pose);
    return wrap;
}

static bool wrapped(fb_wrap_outcome outcome) {
    return outcome == FB_WRAP_WRAPPED || outcome == FB_WRAP_MANDATORY;
}

static double total(const double *p1, const double *p2, const fb_wrap_path *on) {
    return fb_v3_distance(p1, on->r1) + on->length + fb_v3_distance(on->r2, p2);
}

/* ---- tori ------------------------------------------------------------------------------------ */

static double ring_gap(double ring, const double *p, const double *n, double u) {
    double rho = hypot(p[0] + u * n[0], p[1] + u * n[1]), z = p[2] + u * n[2];
    return (rho - ring) * (rho - ring) + z * z;
}

/* The place on a line is that nearest to a ring of twice the radius. */
static void places_are_those_of_twice_the_ring(void) {
    unsigned long long seed = fb_test_seed();
    double ring = 0.03, h = 1e-5;
    int n_good = 0, n_other = 0, n = 300;
    for (int i = 0; i < n; i++) {
        double p[3], q[3], d[3];
        random_point(&seed, 0.15, p);
        random_point(&seed, 0.15, q);
        fb_v3_sub(d, q, p);
        fb_v3_normalize(d);
        double u = fb_wrap_opensim_ring_place(ring, p, d);
        double slope = (ring_gap(2 * ring, p, d, u + h) - ring_gap(2 * ring, p, d, u - h)) /
                       (2 * h);
        double own = (ring_gap(ring, p, d, u + h) - ring_gap(ring, p, d, u - h)) / (2 * h);
        n_good += fabs(slope) < 1e-6;
        n_other += fabs(own) > 1e-3;
    }
    FB_TRUE(n_good > 0.8 * n, "%d of %d", n_good, n); /* else a least, but no zero */
    FB_TRUE(n_other > 0.5 * n, "%d of %d are not the ring's own", n_other, n);
}

/* A line that does not touch the tube counts as wrapped, but without a course. */
static void tori_are_void(void) {
    fb_wrap wrap = shape(FB_WRAP_TORUS, 0.01, 0.05, 0.05);
    double p1[3] = {0.01, 0, 0.1}, p2[3] = {0.01, 0, -0.1};
    fb_wrap_path on = {0};
    FB_EQUAL_INT(fb_wrap_torus(&wrap, FB_WRAP_OPENSIM_ONE, p1, p2, &on), FB_WRAP_VOID);
    FB_SAME(on.length, 0);
    double p3[3] = {0.06, 0, 0.1}, p4[3] = {0.05, 0, -0.1};
    FB_EQUAL_INT(fb_wrap_torus(&wrap, FB_WRAP_OPENSIM_ONE, p3, p4, &on), FB_WRAP_WRAPPED);
    FB_TRUE(on.length > 0, "%g", on.length);
}

/* ---- cylinders ------------------------------------------------------------------------------- */

/* The long way round is right counterclockwise; clockwise it has a turn of twice the short way too
 * much. */
static void long_ways_depend_on_the_sense(void) {
    unsigned long long seed = fb_test_seed();
    fb_wrap wrap = shape(FB_WRAP_CYLINDER, 0.05, 2, 2);
    int n_right = 0, n_wrong = 0;
    wrap.axis = 0;
    for (int i = 0; i < 3000; i++) {
        double p1[3], p2[3], z = fb_random_between(&seed, -0.1, 0.1);
        random_point(&seed, 0.15, p1);
        random_point(&seed, 0.15, p2);
        p1[2] = p2[2] = z; /* so that the heights have no part in it */
        fb_wrap_path exact = {0}, on = {0};
        if (!wrapped(fb_wrap_cylinder(&wrap, FB_WRAP_GEODESIC, p1, p2, &exact)) ||
            !wrapped(fb_wrap_cylinder(&wrap, FB_WRAP_OPENSIM_ONE, p1, p2, &on))) {
            continue;
        }
        FB_NEAR(fb_v3_distance(on.r1, exact.r1), 0, 1e-12, 0);
        bool clockwise = exact.r1[0] * exact.r2[1] - exact.r1[1] * exact.r2[0] < 0;
        if (exact.length > 0.05 * PI && clockwise) {
            FB_NEAR(on.length, 4 * PI * 0.05 - exact.length, 1e-12, 0);
            n_wrong++;
        } else {
            FB_NEAR(on.length, exact.length, 1e-12, 0);
            n_right += exact.length > 0.05 * PI;
        }
    }
    FB_TRUE(n_right > 20 && n_wrong > 20, "%d, %d", n_right, n_wrong);
}

/* Over several objects the ends are refined until the slopes differ by less than 0.1 degrees, which
 * a steep way of many samples may not reach in 100 steps; the
 * course is then hardly longer than the geodesic, but it is not that. */
static void refined_ends_are_nearly_smooth(void) {
    unsigned long long seed = fb_test_seed();
    fb_wrap wrap = shape(FB_WRAP_CYLINDER, 0.05, 2, 2);
    int n = 0, differ = 0, shorter = 0, smooth = 0, refined = 0;
    for (int i = 0; i < 2000; i++) {
        double p1[3] = {fb_random_between(&seed, -0.04, 0.04), fb_random_between(&seed, 0.08, 0.3),
                        fb_random_between(&seed, -0.2, 0.2)},
               p2[3] = {fb_random_between(&seed, -0.04, 0.04),
                        fb_random_between(&seed, -0.3, -0.08), fb_random_between(&seed, -0.2, 0.2)};
        fb_wrap_path exact = {0}, one = {0}, several = {0};
        if (!wrapped(fb_wrap_cylinder(&wrap, FB_WRAP_GEODESIC, p1, p2, &exact)) ||
            !wrapped(fb_wrap_cylinder(&wrap, FB_WRAP_OPENSIM_ONE, p1, p2, &one)) ||
            !wrapped(fb_wrap_cylinder(&wrap, FB_WRAP_OPENSIM_SEVERAL, p1, p2, &several))) {
            continue;
        }
        double want = total(p1, p2, &exact), rough = total(p1, p2, &one),
               got = total(p1, p2, &several);
        double in[3], out[3], dz = several.r2[2] - several.r1[2];
        double samples = floor(several.length / 0.002),
               angle = sqrt(several.length * several.length - dz * dz) / 0.05;
        if (samples >= 2) { /* the chord to the first sample, and to p2 from the last one */
            double chord = atan2(dz / samples, 2 * 0.05 * sin(angle / samples / 2));
            fb_v3_sub(in, several.r1, p1);
            fb_v3_sub(out, p2, several.r2);
            double most = fmax(fabs(asin(in[2] / fb_v3_norm(in)) - chord),
                               fabs(asin(out[2] / fb_v3_norm(out)) - chord));
            smooth += most < 0.1001 * PI / 180;
            refined++;
        }
        FB_TRUE(got > want - 1e-12 && got < want + 2e-5, "%g, geodesic %g", got, want);
        differ += got > want + 1e-9;
        shorter += got < rough - 1e-9;
        n++;
    }
    FB_TRUE(n > 500 && differ > n / 4 && shorter > n / 4, "%d of %d, %d", differ, n, shorter);
    FB_TRUE(smooth > 0.95 * refined, "%d of %d", smooth, refined);
}

/* ---- ellipsoids ------------------------------------------------------------------------------ */

static double quadric(const double *a, const double *p) {
    return fb_v3_dot((double[3]){p[0] / a[0], p[1] / a[1], p[2] / a[2]},
                     (double[3]){p[0] / a[0], p[1] / a[1], p[2] / a[2]}) -
           1;
}

/* The nearest point has its foot on the normal; but near the plane across the shortest axis the
 * iteration ends too soon, and its point is not on the surface. */
static void nearest_points_are_near_enough(void) {
    unsigned long long seed = fb_test_seed();
    const double a[3] = {0.6, 1.36, 1.04};
    for (int i = 0; i < 300; i++) {
        double p[3], c[3] = {0}, d[3], g[3], across[3];
        random_point(&seed, 1.5, p);
        if (fabs(p[0]) < 0.05 || fabs(p[1]) < 0.05 || fabs(p[2]) < 0.05) {
            continue;
        }
        fb_wrap_opensim_nearest(a, p, -1, c);
        for (int k = 0; k < 3; k++) {
            g[k] = c[k] / (a[k] * a[k]);
        }
        fb_v3_sub(d, p, c);
        fb_v3_cross(across, d, g);
        FB_NEAR(quadric(a, c), 0, 1e-5, 0);
        FB_NEAR(fb_v3_norm(across), 0, 1e-12, 0);
        FB_TRUE(p[0] * c[0] > 0 && p[1] * c[1] > 0 && p[2] * c[2] > 0, "another side");
    }
    double near[3] = {1e-5, 0.3, 0.2}, c[3];
    fb_wrap_opensim_nearest(a, near, -1, c);
    FB_TRUE(quadric(a, c) < -1e-4, "%g", quadric(a, c));
    double on_plane[3] = {0.3, 0, 0};
    fb_wrap_opensim_nearest(a, on_plane, 0, c); /* in the section x = 0: the shorter axis */
    FB_NEAR(c[2], 1.04, 1e-15, 0);
    FB_NEAR(c[1], 0, 1e-15, 0);
}

/* Tangent points fulfil their conditions as well as asked; a point on the surface is its own. */
static void tangent_points_are_near_enough(void) {
    unsigned long long seed = fb_test_seed();
    const double a[3] = {0.7, 1.2, 1.1};
    int n = 0, good = 0, off = 0;
    for (int i = 0; i < 500; i++) {
        double p[3], q[3], c[3], u[3], v[3], normal[3], r[3];
        random_point(&seed, 2.5, p);
        random_point(&seed, 2.5, q);
        random_point(&seed, 1, c);
        fb_v3_scale(c, 1 / sqrt(quadric(a, c) + 1), c); /* onto the surface */
        fb_v3_sub(u, q, p);
        fb_v3_sub(v, c, p);
        fb_v3_cross(normal, u, v);
        if (quadric(a, p) < 0.1 || fb_v3_normalize(normal) < 0.3) {
            continue;
        }
        fb_v3_copy(r, c);
        fb_wrap_opensim_tangent(a, p, quadric(a, p), normal, fb_v3_dot(normal, p), r);
        double touch = -1, in_plane = fb_v3_dot(normal, r) - fb_v3_dot(normal, p);
        for (int k = 0; k < 3; k++) {
            touch += r[k] * p[k] / (a[k] * a[k]);
        }
        double worst = fmax(fabs(quadric(a, r)), fmax(fabs(touch), fabs(in_plane)));
        n++;
        good += worst < 2e-4;
        off += worst > 1e-9;
    }
    FB_TRUE(n > 100 && good > 0.9 * n && off > 0.5 * n, "%d: %d good, %d not quite", n, good, off);
    double p[3] = {0.70002, 0, 0}, r[3] = {0, 0, 1.1}, normal[3] = {0, 1, 0};
    fb_wrap_opensim_tangent(a, p, quadric(a, p), normal, 0, r);
    FB_SAME(r[0], p[0]);
    FB_SAME(r[2], 0);
}

/* Flat and long shapes, points on axes, on surfaces and on each other: no NaN. */
static void odd_places_make_no_nan(void) {
    static const double sizes[] = {1e-4, 0.02, 0.05, 1}, places[] = {0, 1e-9, 0.02, -0.05, 0.3};
    unsigned long long seed = fb_test_seed();
    int n = 0;
    for (int i = 0; i < 40000; i++) {
        fb_wrap wrap = shape((fb_wrap_kind)(i % 4), 1, 1, 1);
        fb_wrap_path on = {0};
        double p[2][3];
        for (int k = 0; k < 3; k++) {
            wrap.size[k] = sizes[fb_random(&seed) % 4];
            p[0][k] = places[fb_random(&seed) % 5];
            p[1][k] = places[fb_random(&seed) % 5];
        }
        wrap.axis = (int)(fb_random(&seed) % 4) - 1;
        wrap.sign = fb_random(&seed) % 2 ? 1 : -1;
        fb_wrap_method method = (fb_wrap_method)(fb_random(&seed) % 3);
        fb_wrap_mode mode = fb_random(&seed) % 2 ? FB_WRAP_OPENSIM_ONE : FB_WRAP_OPENSIM_SEVERAL;
        if (wrapped(fb_wrap_segment(&wrap, method, mode, p[0], p[1], &on))) {
            n++;
            FB_TRUE(isfinite(total(p[0], p[1], &on)), "%d: %g %g %g; %g %g %g to %g %g %g", i % 4,
                    wrap.size[0], wrap.size[1], wrap.size[2], p[0][0], p[0][1], p[0][2], p[1][0],
                    p[1][1], p[1][2]);
        }
    }
    FB_TRUE(n > 1000, "%d wrapped", n);
}

/* ---- paths ----------------------------------------------------------------------------------- */

#define CYLINDERS \
    "\"wraps\": [{\"name\": \"v\", \"type\": \"cylinder\", \"frame\": \"a\", \"radius\": 0.05, " \
    "\"length\": 2, \"translation\": [0, 0.1, 0], \"rotation_xyz\": [0.4, 0.2, 0]}, {\"name\": " \
    "\"w\", \"type\": \"cylinder\", \"frame\": \"a\", \"radius\": 0.06, \"length\": 2, " \
    "\"translation\": [0.02, -0.1, 0], \"rotation_xyz\": [-0.3, 0.3, 0]}],"
#define ALONG_A \
    "\"springs\": [{\"name\": \"p\", \"type\": \"path\", \"resting_length\": 0, \"stiffness\": " \
    "1, \"path\": {\"points\": [{\"name\": \"o\", \"frame\": \"a\", \"location\": [0.02, 0.4, " \
    "0.1]}, {\"name\": \"i\", \"frame\": \"a\", \"location\": [0, -0.4, -0.1]}], \"wraps\": [%s]" \
    "}}]"

/* A path that moves as one with its body has no speed; over several objects OpenSim's has. */
static void stale_places_have_a_speed(void) {
    static const struct {
        const char *wraps;
        bool as_opensim4, moves;
    } all[] = {{"{\"wrap\": \"v\"}", true, false},
               {"{\"wrap\": \"v\"}, {\"wrap\": \"w\"}", false, false},
               {"{\"wrap\": \"v\"}, {\"wrap\": \"w\"}", true, true}};
    unsigned long long seed = fb_test_seed();
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        rig r;
        char lists[2000];
        double most = 0;
        snprintf(lists, sizeof lists, CYLINDERS ALONG_A, all[i].wraps);
        rig_begin(&r, lists, all[i].as_opensim4);
        for (int pose = 0; pose < 10; pose++) {
            rig_random(&r, &seed, 1, 1);
            rig_move(&r);
            FB_TRUE(r.course.n == (i == 0 ? 4 : 6), "%d points", r.course.n);
            most = fmax(most, fabs(r.speed[0]));
            double want = 0; /* the definition, with all places renewed but those of directions */
            for (int k = 0; k + 1 < r.course.n; k++) {
                const fb_course_point *a = &r.course.points[k], *b = a + 1;
                double v[3], w[3], d[3];
                fb_point_velocity(v, r.state, a->body, a->site);
                fb_point_velocity(w, r.state, b->body, b->site);
                fb_v3_sub(v, w, v);
                fb_v3_sub(d, b->place, a->place);
                want += fb_v3_dot(v, d) / fb_v3_norm(d);
            }
            FB_NEAR(r.speed[0], want, 1e-14, 0);
        }
        FB_TRUE(all[i].moves ? most > 1e-4 : most < 1e-14, "%s: %g", all[i].wraps, most);
        rig_end(&r);
    }
}

/* A point that moves beside one of its own body counts for the speed, but not for the forces. */
static void moving_points_within_a_body(void) {
    rig r;
    double arms[N_Q], h = 1e-6, ends[2];
    rig_begin(&r,
              "\"springs\": [{\"name\": \"p\", \"type\": \"path\", \"resting_length\": 0, "
              "\"stiffness\": 1, \"path\": {\"points\": [{\"name\": \"o\", \"type\": \"moving\", "
              "\"frame\": \"ground\", \"x_coordinate\": \"s\", \"y_coordinate\": \"s\", "
              "\"z_coordinate\": \"s\", \"x\": {\"type\": \"polynomial\", \"coefficients\": [0.3, "
              "0.1]}, \"y\": {\"type\": \"constant\", \"value\": 0}, \"z\": {\"type\": "
              "\"constant\", \"value\": 0}}, {\"name\": \"i\", \"frame\": \"ground\", "
              "\"location\": [0.7, 0.2, 0]}]}}]",
              true);
    int s = coordinate_s(&r);
    for (int side = 0; side < 2; side++) {
        r.state->q[s] = 0.2 + (side ? -h : h);
        rig_move(&r);
        ends[side] = r.length[0];
    }
    r.state->q[s] = 0.2;
    r.state->u[s] = 1.5;
    rig_move(&r);
    FB_NEAR(r.speed[0], 1.5 * (ends[0] - ends[1]) / (2 * h), 1e-8, 0);
    FB_TRUE(fabs(r.speed[0]) > 0.1, "%g", r.speed[0]);
    fb_path_moment_arms(r.paths, 0, r.state, &r.course, arms);
    FB_SAME(arms[s], 0);
    rig_end(&r);
}

/* Where no point of a wrap's range counts, OpenSim does not wrap over the later ones either. */
static void empty_ranges_end_the_wrapping(void) {
    for (int mode = 0; mode < 2; mode++) {
        for (int counts = 0; counts < 2; counts++) {
            rig r;
            rig_begin(&r,
                      CYLINDERS
                      "\"springs\": [{\"name\": \"p\", \"type\": \"path\", \"resting_length\": "
                      "0, \"stiffness\": 1, \"path\": {\"points\": [{\"name\": \"o\", \"frame\": "
                      "\"a\", \"location\": [0.02, 0.4, 0.1]}, {\"name\": \"c\", \"type\": "
                      "\"conditional\", \"frame\": \"a\", \"location\": [0.02, 0.3, 0.1], "
                      "\"coordinate\": \"s\", \"range\": [1, 2]}, {\"name\": \"i\", \"frame\": "
                      "\"a\", \"location\": [0, -0.4, -0.1]}], \"wraps\": [{\"wrap\": \"v\", "
                      "\"range\": [2, 2]}, {\"wrap\": \"w\"}]}}]",
                      mode == 1);
            r.state->q[coordinate_s(&r)] = counts ? 1.5 : 0;
            rig_move(&r);
            FB_EQUAL_INT(r.course.n, 2 + counts + (mode == 1 && !counts ? 0 : 2));
            rig_end(&r);
        }
    }
}

static const fb_test tests[] = {
    FB_TEST(places_are_those_of_twice_the_ring),
    FB_TEST(tori_are_void),
    FB_TEST(long_ways_depend_on_the_sense),
    FB_TEST(refined_ends_are_nearly_smooth),
    FB_TEST(nearest_points_are_near_enough),
    FB_TEST(tangent_points_are_near_enough),
    FB_TEST(odd_places_make_no_nan),
    FB_TEST(stale_places_have_a_speed),
    FB_TEST(moving_points_within_a_body),
    FB_TEST(empty_ranges_end_the_wrapping),
    FB_TEST_END,
};

int main(int argc, char **argv) {
    return fb_test_main("wrap_opensim", tests, argc, argv);
}
