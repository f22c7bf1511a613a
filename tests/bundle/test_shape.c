/* The shape of a straight bundle: the patent's equations against numbers worked by hand, volumes
 * against sums of thin discs, and what stretch and strength keep. */
#include "libcore/bundle/shape.h"

#include <math.h>

#include "libcore/base/number.h"
#include "tests/help.h"

#define PI 3.14159265358979323846

static fb_shape example(void) {
    return (fb_shape){.a = 0.002,
                      .b = 0.001,
                      .c1 = 0.04,
                      .c2 = 0.06,
                      .l1 = 0.02,
                      .l2 = 0.03,
                      .l3 = 0.045,
                      .l4 = 0.05};
}

/* Thin discs of the section, from z0 to z1. */
static double discs(const fb_shape *shape, double z0, double z1) {
    int n = 200000;
    double sum = 0;
    for (int i = 0; i < n; i++) {
        double f = fb_shape_section(shape, z0 + (z1 - z0) * (i + 0.5) / n);
        sum += PI * shape->a * shape->b * f * f;
    }
    return sum * (z1 - z0) / n;
}

/* (1) to (3): two half-ellipsoids of 2 pi/3 a b (c1 + c2) = 2 pi/3 * 2 * 3 * 10 = 40 pi. */
static void ellipsoids_have_their_volume(void) {
    fb_shape s = {.c1 = 4, .c2 = 6};
    fb_shape_from_ellipsoids(&s, 40 * PI, 1.5);
    FB_NEAR(s.a, 2, 0, 1e-15);
    FB_NEAR(s.b, 3, 0, 1e-15);
    s.l2 = 4;
    s.l3 = 6;
    FB_NEAR(fb_shape_belly_volume(&s), 40 * PI, 0, 1e-15);
}

/* Cut half way: 1 - 1/12 = 11/12 of the length, so pi a b (2 + 3) 11/12. */
static void belly_is_cut(void) {
    fb_shape s = {.a = 2, .b = 3, .c1 = 4, .c2 = 6, .l1 = 1, .l2 = 2, .l3 = 3, .l4 = 10};
    FB_NEAR(fb_shape_belly_volume(&s), PI * 6 * 5 * 11 / 12, 0, 1e-15);
    FB_NEAR(fb_shape_tendon_volume(&s), PI * 6 * 0.75 * 11, 0, 1e-15);
    FB_NEAR(fb_shape_length(&s), 16, 0, 1e-15);
    FB_NEAR(fb_shape_section(&s, 0), 1, 0, 0);
    FB_NEAR(fb_shape_section(&s, -1), sqrt(15.0 / 16), 0, 1e-15);
    FB_NEAR(fb_shape_section(&s, 2.4), sqrt(1 - 0.16), 0, 1e-15);
    FB_NEAR(fb_shape_section(&s, -2.5), sqrt(0.75), 0, 1e-15);
    FB_NEAR(fb_shape_section(&s, 9), sqrt(0.75), 0, 1e-15);
    fb_shape again = {.c1 = 4, .c2 = 6, .l2 = 2, .l3 = 3};
    fb_shape_from_belly(&again, PI * 6 * 5 * 11 / 12, 1.5);
    FB_NEAR(again.a, 2, 0, 1e-15);
    FB_NEAR(again.b, 3, 0, 1e-15);
}

static void volumes_are_those_of_discs(void) {
    fb_shape s = example();
    FB_NEAR(fb_shape_belly_volume(&s), discs(&s, -s.l2, s.l3), 0, 1e-9);
    FB_NEAR(fb_shape_tendon_volume(&s),
            discs(&s, -s.l2 - s.l1, -s.l2) + discs(&s, s.l3, s.l3 + s.l4), 0, 1e-9);
    s.l2 = s.c1; /* down to the tip: no fibre is left */
    s.l4 = 0;
    FB_NEAR(fb_shape_belly_volume(&s), discs(&s, -s.c1, s.l3), 0, 1e-9);
    FB_NEAR(fb_shape_tendon_volume(&s), 0, 0, 0);
}

/* (4), (5): 1.44 times as long is 1.2 times as thin. */
static void stretch_by_hand(void) {
    fb_shape s = example(), t = fb_shape_stretched(&s, 1.44);
    FB_NEAR(t.a, 0.002 / 1.2, 0, 1e-15);
    FB_NEAR(t.b, 0.001 / 1.2, 0, 1e-15);
    FB_NEAR(t.c1, 0.0576, 0, 1e-15);
    FB_NEAR(t.c2, 0.0864, 0, 1e-15);
    FB_NEAR(t.l2, 0.0432, 0, 1e-15);
    FB_NEAR(t.l3, 0.0648, 0, 1e-15);
    FB_SAME(t.l1, s.l1);
    FB_SAME(t.l4, s.l4);
    FB_NEAR(fb_shape_stretch_of(&s, fb_shape_length(&t)), 1.44, 0, 1e-14);
    FB_NEAR(fb_shape_stretch_of(&s, 0.145), 1, 0, 1e-14);
}

/* R of 0.5, 0.75 and 1 at s of 0, 0.5 and 1; from a 2:1 ellipse a falls by sqrt 2. */
static void strength_by_hand(void) {
    fb_shape s = example(), flat = fb_shape_strengthened(&s, 0),
             half = fb_shape_strengthened(&s, 0.5), round = fb_shape_strengthened(&s, 1);
    FB_NEAR(flat.a, 0.002, 0, 1e-15);
    FB_NEAR(flat.b, 0.001, 0, 1e-15);
    FB_NEAR(half.b / half.a, 0.75, 0, 1e-15);
    FB_NEAR(round.a, 0.002 / sqrt(2), 0, 1e-15);
    FB_NEAR(round.b, 0.001 * sqrt(2), 0, 1e-15);
    FB_SAME(round.c1, s.c1);
    FB_SAME(round.l3, s.l3);
}

/* Any shape, stretched 0.5 to 2 and of any strength, one after the other: volume to 1e-12. */
static void volume_is_kept(void) {
    unsigned long long seed = fb_test_seed();
    for (int i = 0; i < 1000; i++) {
        fb_shape s = {.c1 = fb_random_between(&seed, 0.001, 1),
                      .c2 = fb_random_between(&seed, 0.001, 1),
                      .l1 = fb_random_between(&seed, 0, 1),
                      .l4 = fb_random_between(&seed, 0, 1)};
        s.l2 = s.c1 * fb_random_between(&seed, 0.05, 1);
        s.l3 = s.c2 * fb_random_between(&seed, 0.05, 1);
        double volume = fb_random_between(&seed, 1e-9, 1e-3);
        double ratio = fb_random_between(&seed, 0.3, 2);
        fb_shape_from_belly(&s, volume, ratio);
        FB_NEAR(fb_shape_belly_volume(&s), volume, 0, 1e-12);
        fb_shape t = fb_shape_stretched(&s, fb_random_between(&seed, 0.5, 2));
        FB_NEAR(fb_shape_belly_volume(&t), volume, 0, 1e-12);
        FB_NEAR(t.b / t.a, ratio, 0, 1e-12);
        double strength = fb_random_between(&seed, 0, 1);
        t = fb_shape_strengthened(&t, strength);
        FB_NEAR(fb_shape_belly_volume(&t), volume, 0, 1e-12);
        FB_NEAR(t.b / t.a, 0.5 + 0.5 * strength, 0, 1e-12);
    }
}

static void no_belly_has_no_size(void) {
    fb_shape s = {.c1 = 0, .c2 = 0};
    fb_shape_from_belly(&s, 1e-6, 0.5);
    FB_SAME(s.a, 0);
    FB_SAME(s.b, 0);
    FB_SAME(fb_shape_belly_volume(&s), 0);
}

static void nonsense_is_told(void) {
    fb_shape s = example();
    FB_EQUAL_STR(fb_shape_check(&s), NULL);
    s.l2 = s.c1;
    FB_EQUAL_STR(fb_shape_check(&s), NULL);
    s.l2 = 0.05;
    FB_HOLDS(fb_shape_check(&s), "more is used");
    s = example();
    s.a = 0;
    FB_HOLDS(fb_shape_check(&s), "no width");
    s = example();
    s.l4 = FB_NAN;
    FB_HOLDS(fb_shape_check(&s), "not finite");
    s = example();
    s.l1 = -1;
    FB_HOLDS(fb_shape_check(&s), "negative");
    s = example();
    s.l2 = s.l3 = 0;
    FB_HOLDS(fb_shape_check(&s), "no belly");
}

int main(int argc, char **argv) {
    static const fb_test tests[] = {FB_TEST(ellipsoids_have_their_volume),
                                    FB_TEST(belly_is_cut),
                                    FB_TEST(volumes_are_those_of_discs),
                                    FB_TEST(stretch_by_hand),
                                    FB_TEST(strength_by_hand),
                                    FB_TEST(volume_is_kept),
                                    FB_TEST(no_belly_has_no_size),
                                    FB_TEST(nonsense_is_told),
                                    FB_TEST_END};
    return fb_test_main("shape", tests, argc, argv);
}
