/* Choosing among standard bodies. */
#include <math.h>

#include "libcore/register/standards.h"
#include "tests/help.h"

static void the_score_is_as_documented(void) {
    fb_standard_body bodies[] = {{"femur", 0.004, 1.1, 0.4}, {"tibia", 0.002, 1.1, 0.4}};
    fb_standard_fit fit = {"a", bodies, 2};
    double rms, size, score = fb_standard_score(&fit, &rms, &size);
    FB_NEAR(rms, sqrt((16e-6 + 4e-6) / 2), 0, 1e-12);
    FB_NEAR(size, 1.1, 0, 1e-12);
    FB_NEAR(score, sqrt(10e-6) / 0.4 + 0.1 * log(1.1), 0, 1e-12);
    bodies[1].rms = (double)NAN;
    FB_NEAR(fb_standard_score(&fit, &rms, &size), sqrt((1e-4 + 0.25 * 0.25) / 2) + 0.1 * log(1.1),
            0, 1e-12);
    FB_NEAR(rms, 0.004, 0, 1e-12);
    fit.n = 0;
    FB_TRUE(isnan(fb_standard_score(&fit, NULL, NULL)), "no bodies");
}

static void the_nearest_is_chosen_and_said(void) {
    fb_standard_body large[] = {{"femur", 0.004, 0.8, 0.4}};
    fb_standard_body near[] = {{"femur", 0.005, 1.01, 0.4}};
    fb_standard_body odd[] = {{"femur", 0.03, 1, 0.4}};
    fb_standard_fit all[] = {{"large.fb", large, 1}, {"odd.fb", odd, 1}, {"near.fb", near, 1}};
    const char *why;
    fb_arena arena;
    fb_arena_init(&arena);
    FB_EQUAL_INT(fb_standards_choose(all, 3, &arena, &why), 2);
    FB_EQUAL_STR(why, "'near.fb' (residual 5.0 mm rms, the new skeleton is 1.010 times its size: "
                      "score 0.0135) is nearest; the next is 'large.fb' (residual 4.0 mm rms, the "
                      "new skeleton is 0.800 times its size: score 0.0323)");
    FB_EQUAL_INT(fb_standards_choose(all, 1, &arena, &why), 0);
    FB_HOLDS(why, "only one");
    all[2].bodies = large; /* the first of equals */
    FB_EQUAL_INT(fb_standards_choose(all, 3, &arena, &why), 0);
    large[0].scale = odd[0].extent = 0;
    FB_EQUAL_INT(fb_standards_choose(all, 3, &arena, &why), -1);
    FB_EQUAL_INT(fb_standards_choose(all, 0, &arena, &why), -1);
    fb_arena_clear(&arena);
}

static const fb_test tests[] = {
    FB_TEST(the_score_is_as_documented),
    FB_TEST(the_nearest_is_chosen_and_said),
    FB_TEST_END,
};

int main(int argc, char **argv) {
    return fb_test_main("standards", tests, argc, argv);
}
