/* Bundles in groups: how many, how compact, where their means are. */
#include "libcore/bundle/split.h"

#include "tests/bundle/bodies.h"
#include "tests/help.h"

static fb_body body_of(const lattice *l) {
    fb_body body = lattice_body(l);
    for (size_t i = 0; i < body.n_bundles; i++) {
        body.bundles[i].share = 1.0 / (double)body.n_bundles;
    }
    return body;
}

static const lattice bent = {.radius = 6,
                             .rings = 33,
                             .a = 2e-3,
                             .b = 1e-3,
                             .pitch = 1,
                             .length = 0.2,
                             .tendon = 0.02,
                             .thin = 0.5,
                             .bend = 0.8,
                             .twist = 0.5};

/* Groups have as many bundles as one another, or one more, and each of more than three hangs
 * together: from any of its cells all others are reached over sides and corners. */
static void groups_are_equal_and_hang_together(void) {
    static const int numbers[] = {1, 2, 3, 4, 5, 7, 8, 16, 40};
    fb_body body = body_of(&bent);
    int *group = calloc(body.n_bundles, sizeof *group);
    bool *seen = calloc(body.n_bundles, sizeof *seen);
    for (size_t c = 0; c < sizeof numbers / sizeof *numbers; c++) {
        int k = numbers[c];
        memset(group, 0, body.n_bundles * sizeof *group);
        FB_TRUE(fb_split_groups(group, &body, k), "there is memory");
        for (int g = 0; g < k; g++) {
            size_t n = 0, reached = 0, first = body.n_bundles;
            for (size_t i = 0; i < body.n_bundles; i++) {
                n += group[i] == g;
                seen[i] = false;
                first = group[i] == g && i < first ? i : first;
            }
            FB_TRUE(n == body.n_bundles / (size_t)k || n == body.n_bundles / (size_t)k + 1,
                    "group %d of %d has %zu of %zu bundles", g, k, n, body.n_bundles);
            seen[first] = true;
            for (bool more = true; more;) {
                more = false;
                for (size_t i = 0; i < body.n_bundles; i++) {
                    for (size_t j = 0; seen[i] && j < body.n_bundles; j++) {
                        const int *p = body.bundles[i].cell, *q = body.bundles[j].cell;
                        if (group[j] == g && !seen[j] && abs(p[0] - q[0]) <= 1 &&
                            abs(p[1] - q[1]) <= 1) {
                            seen[j] = more = true;
                        }
                    }
                }
            }
            for (size_t i = 0; i < body.n_bundles; i++) {
                reached += seen[i];
            }
            FB_TRUE(reached == n || n < 4, "group %d of %d hangs together", g, k);
        }
    }
    free(group);
    free(seen);
    fb_body_free(&body);
}

/* Bundles that are left out stay out. */
static void bundles_can_be_left_out(void) {
    fb_body body = body_of(&bent);
    int *group = calloc(body.n_bundles, sizeof *group);
    size_t out = 0;
    for (size_t i = 0; i < body.n_bundles; i++) {
        group[i] = body.bundles[i].cell[0] < 0 ? -1 : 0;
        out += group[i] < 0;
    }
    double share[4], sum = 0, offset[4][3];
    FB_TRUE(fb_split_groups(group, &body, 4), "there is memory");
    fb_split_shares(share, &body, group, 4);
    for (int g = 0; g < 4; g++) {
        sum += share[g];
    }
    FB_NEAR(sum, 1, 1e-14, 0);
    for (size_t i = 0; i < body.n_bundles; i++) {
        FB_TRUE((group[i] < 0) == (body.bundles[i].cell[0] < 0), "bundle %zu is in none", i);
        out -= group[i] < 0;
    }
    FB_EQUAL_INT(out, 0);
    fb_split_offsets(offset, &body, group, 4, 0.5);
    free(group);
    fb_body_free(&body);
}

/* The mean of offsets vanishes; they lie in the section, and where they are known. */
static void offsets_are_about_the_mean(void) {
    fb_body body = body_of(&bent);
    int *group = calloc(body.n_bundles, sizeof *group);
    double share[5], offset[5][3];
    FB_TRUE(fb_split_groups(group, &body, 5), "there is memory");
    fb_split_shares(share, &body, group, 5);
    for (int n = 0; n <= 10; n++) {
        double mean[3] = {0, 0, 0}, most = 0;
        fb_split_offsets(offset, &body, group, 5, n / 10.0);
        for (int g = 0; g < 5; g++) {
            fb_v3_madd(mean, share[g], offset[g]);
            most = fmax(most, fb_v3_norm(offset[g]));
        }
        FB_TRUE(fb_v3_norm(mean) < 1e-15, "their mean is %g", fb_v3_norm(mean));
        FB_TRUE(most > 1e-3 && most < 24e-3, "they are up to %g m", most);
    }
    free(group);
    fb_body_free(&body);
    /* a straight lattice of 8 x 4 cells in two halves: centres are 4 half-widths aside */
    lattice straight = {.rectangle = {4, 2},
                        .rings = 9,
                        .a = 2e-3,
                        .b = 1e-3,
                        .pitch = 1,
                        .length = 0.1,
                        .thin = 1};
    body = body_of(&straight);
    group = calloc(body.n_bundles, sizeof *group);
    FB_TRUE(fb_split_groups(group, &body, 2), "there is memory");
    fb_split_offsets(offset, &body, group, 2, 0.3);
    FB_NEAR(fabs(offset[0][0]), 4 * 2e-3, 1e-15, 0);
    FB_NEAR(offset[0][1], 0, 1e-15, 0);
    FB_NEAR(offset[0][2], 0, 1e-15, 0);
    FB_NEAR(offset[1][0], -offset[0][0], 1e-15, 0);
    free(group);
    fb_body_free(&body);
}

static const fb_test tests[] = {
    FB_TEST(groups_are_equal_and_hang_together),
    FB_TEST(bundles_can_be_left_out),
    FB_TEST(offsets_are_about_the_mean),
    FB_TEST_END,
};

int main(int argc, char **argv) {
    return fb_test_main("split", tests, argc, argv);
}
