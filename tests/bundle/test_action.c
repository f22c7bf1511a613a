/* Shares of bundles and their mean line, on bodies laid by hand. */
#include "libcore/bundle/action.h"

#include <math.h>
#include <string.h>

#include "libcore/base/arena.h"
#include "tests/help.h"

#define BUNDLES 4
#define RINGS 11

/* Four straight bundles along z, 1 m long, at (x, y) of +-1 about a middle. */
static fb_body square(double x, double y) {
    fb_body body = {.n_bundles = BUNDLES, .n_rings = BUNDLES * RINGS};
    body.bundles = fb_alloc(BUNDLES * sizeof *body.bundles);
    body.rings = fb_alloc(body.n_rings * sizeof *body.rings);
    memset(body.bundles, 0, BUNDLES * sizeof *body.bundles);
    memset(body.rings, 0, body.n_rings * sizeof *body.rings);
    for (int i = 0; i < BUNDLES; i++) {
        body.bundles[i] = (fb_bundle){.volume = 1e-6,
                                      .length = 1,
                                      .belly = {0.2, 0.8},
                                      .first = (size_t)i * RINGS,
                                      .rings = RINGS};
        for (int k = 0; k < RINGS; k++) {
            double *c = body.rings[i * RINGS + k].c;
            fb_v3_set(c, x + (i & 1 ? 1 : -1), y + (i & 2 ? 1 : -1), 0.1 * k);
        }
    }
    return body;
}

typedef struct straight {
    double points[2][2][3], at[2][2];
    fb_core cores[2];
    fb_recipe recipe;
} straight;

/* Cores along z at x = 0 and x = 1, of shares 0.75 and 0.25. */
static void lay(straight *s, int n) {
    memset(s, 0, sizeof *s);
    for (int i = 0; i < 2; i++) {
        s->points[i][0][0] = s->points[i][1][0] = i;
        s->points[i][1][2] = s->at[i][1] = 1;
        s->cores[i] = (fb_core){.points = s->points[i],
                                .at = s->at[i],
                                .n_points = 2,
                                .length = 1,
                                .share = n == 1 ? 1
                                         : i    ? 0.25
                                                : 0.75};
    }
    s->recipe.cores = s->cores;
    s->recipe.n_cores = n;
}

static void shares_follow_sections(void) {
    straight s;
    double shares[BUNDLES];
    fb_body body = square(0, 0);
    lay(&s, 1);
    body.bundles[3].belly[0] = 0.5; /* half as long a belly of the same volume: twice the section */
    fb_bundle_shares(shares, &body, &s.recipe, NULL);
    FB_NEAR(shares[0], 0.2, 1e-12, 0);
    FB_NEAR(shares[3], 0.4, 1e-12, 0);
    fb_body_free(&body);
}

static void shares_of_a_core_go_to_its_bundles(void) {
    static const int core[BUNDLES] = {0, 1, 0, 0};
    straight s;
    double shares[BUNDLES];
    fb_body body = square(0, 0);
    lay(&s, 2);
    fb_bundle_shares(shares, &body, &s.recipe, core);
    FB_NEAR(shares[0], 0.25, 1e-12, 0);
    FB_NEAR(shares[1], 0.25, 1e-12, 0);
    FB_NEAR(shares[0] + shares[1] + shares[2] + shares[3], 1, 1e-12, 0);
    fb_body_free(&body);
}

static void the_mean_line_of_a_square_is_its_middle(void) {
    straight s;
    double shares[BUNDLES], point[3];
    fb_body body = square(0, 0.25);
    lay(&s, 1);
    fb_bundle_shares(shares, &body, &s.recipe, NULL);
    FB_TRUE(fb_body_mean_point(point, &body, shares, NULL, 0, 0.37), "a mean");
    FB_NEAR(point[0], 0, 1e-12, 0);
    FB_NEAR(point[1], 0.25, 1e-12, 0);
    FB_NEAR(point[2], 0.37, 1e-12, 0);
    fb_line_distance d = fb_body_mean_line(&body, &s.recipe, shares, NULL, 0, 0);
    FB_NEAR(d.mean, 0.25, 1e-12, 0);
    FB_NEAR(d.greatest, 0.25, 1e-12, 0);
    fb_body_free(&body);
}

/* Of bundles of one core only; and a line that leaves its core towards one end. */
static void the_mean_line_is_that_of_a_core(void) {
    static const int core[BUNDLES] = {0, 1, 0, 1};
    straight s;
    double shares[BUNDLES];
    fb_body body = square(0, 0);
    lay(&s, 2);
    for (int k = 0; k < RINGS; k++) { /* bundles 1 and 3 lean away along y */
        body.rings[1 * RINGS + k].c[1] += 0.03 * k;
        body.rings[3 * RINGS + k].c[1] += 0.03 * k;
    }
    fb_bundle_shares(shares, &body, &s.recipe, core);
    fb_line_distance at_one = fb_body_mean_line(&body, &s.recipe, shares, core, 0, 50);
    fb_line_distance at_two = fb_body_mean_line(&body, &s.recipe, shares, core, 1, 51);
    FB_NEAR(at_one.mean, 1, 1e-12, 0);
    FB_NEAR(at_two.greatest, 0.3, 1e-12, 0);
    FB_NEAR(at_two.at, 1, 1e-12, 0);
    FB_NEAR(at_two.mean, 0.15, 1e-12, 0);
    fb_body_free(&body);
}

int main(int argc, char **argv) {
    static const fb_test tests[] = {
        FB_TEST(shares_follow_sections),
        FB_TEST(shares_of_a_core_go_to_its_bundles),
        FB_TEST(the_mean_line_of_a_square_is_its_middle),
        FB_TEST(the_mean_line_is_that_of_a_core),
        FB_TEST_END,
    };
    return fb_test_main("action", tests, argc, argv);
}
