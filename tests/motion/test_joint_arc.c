/* The constant-curvature joint against an arc added up piece by piece, and its rates against
 * differences where its formula changes. That it has the properties of all joints is in
 * test_motion.c. */
#include <math.h>

#include "libcore/motion/joints.h"
#include "tests/help.h"

static fb_mobod arc(double length, bool as_opensim4) {
    fb_mobod m = {.kind = FB_JOINT_ARC, .n_q = 3, .as_opensim4 = as_opensim4};
    m.parameters[0] = length;
    return m;
}

/* Where an arc ends that leaves along y and turns evenly to n: the midpoint rule, to 1 / N^2. */
static void add_up(double length, const double *n, double *end) {
    enum { N = 4000 };
    double side[3] = {n[0], 0, n[2]}, angle = acos(n[1]);
    fb_v3_normalize(side);
    fb_v3_set(end, 0, 0, 0);
    for (int i = 0; i < N; i++) {
        double a = angle * (i + 0.5) / N;
        fb_v3_madd(end, length / N * sin(a), side);
        end[1] += length / N * cos(a);
    }
}

static void arc_ends_where_its_pieces_do(void) {
    unsigned long long seed = fb_test_seed();
    fb_mobod m = arc(0.3, false);
    for (int i = 0; i < 200; i++) {
        fb_joint_motion motion;
        double q[3], end[3], size = i % 2 ? 2.2 : 0.1;
        for (int k = 0; k < 3; k++) {
            q[k] = size * ((double)(fb_random(&seed) % 2001) / 1000 - 1);
            m.parameters[1 + k] = i % 3 ? 0.1 * (k - 1) : 0;
        }
        fb_joint_position(&m, q, NULL, &motion);
        const double n[3] = {motion.X.R[1], motion.X.R[4], motion.X.R[7]};
        double x = q[0] + m.parameters[1], z = q[1] + m.parameters[2];
        FB_NEAR(n[0], -sin(z), 1e-14, 0); /* Rx Rz y */
        FB_NEAR(n[1], cos(x) * cos(z), 1e-14, 0);
        FB_NEAR(n[2], sin(x) * cos(z), 1e-14, 0);
        add_up(0.3, n, end);
        for (int k = 0; k < 3; k++) {
            FB_NEAR(motion.X.p[k], end[k], 1e-7, 0);
        }
    }
}

/* Straight, and on both sides of where the series ends: bends about x, so in the yz plane. */
static void plane_bends_follow_the_circle(void) {
    static const double bends[] = {0,    1e-9, 1e-4, 0.1, 0.2, 0.200334842, 0.2003348425,
                                   0.21, 1,    2,    3};
    fb_mobod m = arc(2, false);
    for (size_t i = 0; i < sizeof bends / sizeof *bends; i++) {
        double a = bends[i], q[3] = {a, 0, 0.4}, u[3] = {1, 0, 0}, h = 1e-4, far[2][3], near[3];
        fb_joint_motion motion, side;
        fb_joint_position(&m, q, NULL, &motion);
        fb_joint_velocity(&m, q, u, NULL, &motion);
        double y = a > 0 ? 2 * sin(a) / a : 2, z = a > 1e-3 ? 2 * (1 - cos(a)) / a : a;
        FB_NEAR(motion.X.p[0], 0, 1e-15, 0);
        FB_NEAR(motion.X.p[1], y, 1e-8, 0);
        FB_NEAR(motion.X.p[2], z, 1e-8, 1e-8);
        fb_v3_copy(near, motion.X.p);
        for (int j = 0; j < 2; j++) {
            double moved[3] = {a + (j ? h : -h), 0, 0.4};
            fb_joint_position(&m, moved, NULL, &side);
            fb_v3_copy(far[j], side.X.p);
        }
        for (int k = 0; k < 3; k++) {
            FB_NEAR(motion.Hv[0][k], (far[1][k] - far[0][k]) / (2 * h), 1e-8, 0);
            FB_NEAR(motion.bias_v[k], (far[1][k] - 2 * near[k] + far[0][k]) / (h * h), 1e-6, 0);
        }
    }
    double q[3] = {M_PI, 0, 0};
    fb_joint_motion motion;
    fb_joint_position(&m, q, NULL,
                      &motion); /* as far as an arc can bend: no direction, but finite */
    FB_TRUE(isfinite(motion.X.p[1]) && isfinite(motion.Hv[0][2]), "finite");
}

/* OpenSim 4.5.2 takes slight bends as straight, and moves half as far. */
static void slight_bends_are_straight_in_opensim(void) {
    fb_mobod m = arc(2, true);
    fb_joint_motion motion;
    double q[3] = {0.0009, 0, 0}, u[3] = {1, 1, 1};
    fb_joint_position(&m, q, NULL, &motion);
    FB_NEAR(motion.X.p[2], 2 * sin(0.0009), 1e-15, 0);
    FB_NEAR(motion.Hv[0][2], cos(0.0009), 1e-5, 0);
    q[0] = 0.0011;
    fb_joint_position(&m, q, NULL, &motion);
    FB_NEAR(motion.X.p[2], 2 * (1 - cos(0.0011)) / 0.0011, 1e-9, 0);
    fb_joint_velocity(&m, q, u, NULL, &motion);
    for (int k = 0; k < 3; k++) {
        FB_SAME(motion.bias_w[k], 0);
        FB_SAME(motion.bias_v[k], 0);
    }
}

static const fb_test tests[] = {
    FB_TEST(arc_ends_where_its_pieces_do),
    FB_TEST(plane_bends_follow_the_circle),
    FB_TEST(slight_bends_are_straight_in_opensim),
    FB_TEST_END,
};

int main(int argc, char **argv) {
    return fb_test_main("joint_arc", tests, argc, argv);
}
