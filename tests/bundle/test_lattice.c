/* The lattice of a section: the patent's 79 cells a quadrant and their order, sizes for a wanted
 * number, and outlines whose holes are filled. */
#include "libcore/bundle/lattice.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/number.h"
#include "tests/help.h"

#define PI 3.14159265358979323846

static fb_cell cell_of(const fb_lattice *l, int order) {
    return order >= 1 && (size_t)order <= l->n ? l->cells[order - 1] : (fb_cell){99, 99, 0};
}

static void check_cell(const fb_lattice *l, int order, int i, int j) {
    fb_cell c = cell_of(l, order);
    FB_TRUE(c.i == i && c.j == j && c.order == order, "%d is (%d, %d), not (%d, %d)", order, c.i,
            c.j, i, j);
    FB_EQUAL_INT(fb_lattice_find(l, i, j), order - 1);
}

/* 1; 2-10; 11-19; rows that begin at 20, 29, 38, 46, 54, 61, 68, 74, 78. */
static void a_quadrant_of_79(void) {
    fb_lattice l;
    FB_EQUAL_STR(fb_lattice_round(&l, 10), NULL);
    FB_EQUAL_INT(l.n, 316);
    check_cell(&l, 1, 0, 0);
    for (int k = 2; k <= 10; k++) {
        check_cell(&l, k, k - 1, 0);
        check_cell(&l, k + 9, 0, k - 1);
    }
    static const int starts[] = {20, 29, 38, 46, 54, 61, 68, 74, 78, 80};
    for (int j = 1; j <= 9; j++) {
        for (int k = starts[j - 1]; k < starts[j]; k++) {
            check_cell(&l, k, k - starts[j - 1] + 1, j);
        }
    }
    for (int k = 1; k <= 79; k++) { /* the other quadrants alike */
        fb_cell c = cell_of(&l, k);
        check_cell(&l, k + 79, -1 - c.i, c.j);
        check_cell(&l, k + 158, -1 - c.i, -1 - c.j);
        check_cell(&l, k + 237, c.i, -1 - c.j);
    }
    FB_EQUAL_INT(fb_lattice_find(&l, 10, 0), -1);
    FB_EQUAL_INT(fb_lattice_find(&l, 9, 4), -1);
    fb_lattice_free(&l);
    FB_EQUAL_INT(fb_lattice_find(&l, 0, 0), -1);
}

/* Each bundle's left and lower neighbours are placed before it: their numbers, by hand. */
static void neighbours_come_first(void) {
    static const int hand[][3] = {/* order, left, lower */
                                  {20, 11, 2},  {28, 27, 10}, {29, 12, 20}, {37, 36, 28},
                                  {46, 14, 38}, {53, 52, 45}, {78, 19, 74}, {79, 78, 75}};
    fb_lattice l;
    fb_lattice_round(&l, 10);
    for (size_t k = 0; k < sizeof hand / sizeof *hand; k++) {
        fb_cell c = cell_of(&l, hand[k][0]);
        FB_EQUAL_INT(fb_lattice_find(&l, c.i - 1, c.j) + 1, hand[k][1]);
        FB_EQUAL_INT(fb_lattice_find(&l, c.i, c.j - 1) + 1, hand[k][2]);
    }
    for (size_t k = 0; k < l.n; k++) {
        fb_cell c = l.cells[k];
        size_t inner = fb_lattice_find(&l, c.i > 0 ? c.i - 1 : c.i < -1 ? c.i + 1 : c.i, c.j);
        size_t lower = fb_lattice_find(&l, c.i, c.j > 0 ? c.j - 1 : c.j < -1 ? c.j + 1 : c.j);
        FB_TRUE(inner <= k && lower <= k, "(%d, %d)", c.i, c.j);
    }
    fb_lattice_free(&l);
}

static void radii_have_their_numbers(void) {
    static const struct {
        double radius;
        int n;
    } known[] = {{0.8, 4}, {10, 316}, {10.5, 332}, {11, 384}, {11.2, 392}, {11.5, 408}, {12, 448}};
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        fb_lattice l;
        FB_EQUAL_STR(fb_lattice_round(&l, known[k].radius), NULL);
        FB_EQUAL_INT(l.n, known[k].n);
        fb_lattice_free(&l);
    }
    fb_lattice l;
    FB_HOLDS(fb_lattice_round(&l, 0), "positive");
    FB_HOLDS(fb_lattice_round(&l, FB_NAN), "positive");
    FB_HOLDS(fb_lattice_round(&l, 600), "1,000,000");
}

/* Against counting of cells one by one: no radius gives a nearer number. */
static int count_round(double square) {
    int n = 0;
    for (int i = 0; i < 60; i++) {
        for (int j = 0; j < 60; j++) {
            n += (i + 0.5) * (i + 0.5) + (j + 0.5) * (j + 0.5) <= square ? 4 : 0;
        }
    }
    return n;
}

static void round_is_the_nearest(void) {
    FB_NEAR(fb_lattice_radius(400), 11.38, 0.01, 0);
    static const int wanted[] = {4, 5, 8, 9, 12, 40, 79, 100, 316, 400, 401, 999, 2000, 5000};
    for (size_t k = 0; k < sizeof wanted / sizeof *wanted; k++) {
        int n = wanted[k], nearest = 4;
        for (int m = 0; m < 3000; m++) {
            int c = count_round((8 * m + 2) / 4.0);
            nearest = abs(c - n) < abs(nearest - n) ? c : nearest;
        }
        fb_lattice_outline o = {.kind = FB_LATTICE_ROUND};
        fb_lattice l;
        FB_EQUAL_STR(fb_lattice_for(&l, &o, n), NULL);
        FB_EQUAL_INT(l.n, nearest);
        fb_lattice_free(&l);
    }
}

/* No holes in rows and columns, the four at the core, each cell once, an index that agrees. */
static void check_sound(const fb_lattice *l) {
    int cut[2] = {0, 0};
    for (int way = 0; way < 2; way++) {
        for (int a = 0; a < l->size[way]; a++) {
            int pieces = 0;
            bool before = false;
            for (int b = 0; b < l->size[1 - way]; b++) {
                int i = l->low[0] + (way ? b : a), j = l->low[1] + (way ? a : b);
                bool now = fb_lattice_find(l, i, j) != (size_t)-1;
                pieces += now && !before;
                before = now;
            }
            cut[way] += pieces != 1;
        }
    }
    FB_TRUE(cut[0] == 0 && cut[1] == 0, "%d columns and %d rows with holes", cut[0], cut[1]);
    for (size_t k = 0; k < l->n; k++) {
        FB_EQUAL_INT(l->cells[k].order, k + 1);
        FB_EQUAL_INT(fb_lattice_find(l, l->cells[k].i, l->cells[k].j), k);
    }
    for (size_t k = 0; k < l->n; k++) { /* each has its neighbours */
        fb_cell c = l->cells[k];
        int inner = c.i > 0 ? c.i - 1 : c.i < -1 ? c.i + 1 : c.i;
        int lower = c.j > 0 ? c.j - 1 : c.j < -1 ? c.j + 1 : c.j;
        FB_TRUE(fb_lattice_find(l, inner, c.j) <= k && fb_lattice_find(l, c.i, lower) <= k,
                "(%d, %d)", c.i, c.j);
    }
    for (int k = 0; k < 4; k++) {
        FB_TRUE(fb_lattice_find(l, -(k & 1), -(k >> 1)) != (size_t)-1, "the core's cells");
    }
}

static void flat_ones_have_their_width_and_height(void) {
    static const double corners[] = {0, 0.3, 1};
    for (int k = 0; k < 9; k++) {
        fb_lattice_outline o = {.kind = FB_LATTICE_FLAT,
                                .ratio = 0.75,
                                .aspect = k / 3 == 0   ? 1
                                          : k / 3 == 1 ? 3
                                                       : 0.4,
                                .corner = corners[k % 3]};
        fb_lattice l;
        FB_EQUAL_STR(fb_lattice_for(&l, &o, 400), NULL);
        check_sound(&l);
        FB_NEAR((double)l.n, 400, o.corner > 0 ? 20 : 36, 0); /* whole rows come and go */
        double a = l.half_width, b = 0.75 * a;
        FB_NEAR(l.size[0] * a, o.aspect, 1.01 * a, 0);
        FB_NEAR(l.size[1] * b, 1, 1.01 * b, 0);
        /* a cell for a cell's area of the outline */
        double area = o.aspect * (4 - (4 - PI) * o.corner * o.corner);
        FB_NEAR((double)l.n * 4 * a * b, area, 0, 0.08);
        fb_lattice_free(&l);
    }
}

/* Round is the ellipse of 1 / R, cell for cell. */
static void round_is_a_flat_one(void) {
    fb_lattice_outline o = {.kind = FB_LATTICE_FLAT, .ratio = 0.5, .aspect = 2, .corner = 1};
    fb_lattice flat, round;
    fb_lattice_for(&flat, &o, 316);
    fb_lattice_round(&round, 10);
    FB_EQUAL_INT(flat.n, round.n);
    for (size_t k = 0; k < round.n && k < flat.n; k++) {
        FB_TRUE(flat.cells[k].i == round.cells[k].i && flat.cells[k].j == round.cells[k].j,
                "cell %zu", k);
    }
    fb_lattice_free(&flat);
    fb_lattice_free(&round);
}

static bool inside(const double (*p)[2], size_t n, double x, double y) {
    double turns = 0; /* the angle under which the outline is seen */
    for (size_t k = 0; k < n; k++) {
        double ax = p[k][0] - x, ay = p[k][1] - y;
        double bx = p[(k + 1) % n][0] - x, by = p[(k + 1) % n][1] - y;
        turns += atan2(ax * by - ay * bx, ax * bx + ay * by);
    }
    return fabs(turns) > PI;
}

/* Of a convex outline the cells are those with their centres inside, exactly. */
static void polygons_are_covered(void) {
    static const double kite[][2] = {{30, -2}, {4, 21}, {-18, 6}, {-9, -17}, {12, -16}};
    fb_lattice_outline o = {.kind = FB_LATTICE_POLYGON,
                            .ratio = 0.6,
                            .points = kite,
                            .n_points = 5};
    fb_lattice l;
    FB_EQUAL_STR(fb_lattice_for(&l, &o, 400), NULL);
    check_sound(&l);
    FB_NEAR((double)l.n, 400, 2, 0);
    int n = 0;
    for (int i = -60; i < 60; i++) {
        for (int j = -60; j < 60; j++) {
            bool is = inside(kite, 5, (2 * i + 1) * l.half_width, (2 * j + 1) * 0.6 * l.half_width);
            n += is && fb_lattice_find(&l, i, j) == (size_t)-1;
        }
    }
    FB_EQUAL_INT(n, 0);
    fb_lattice_free(&l);
}

/* A sickle, and a thin slanted strip, of which the corners towards the planes are filled. */
static void hollow_ones_are_filled(void) {
    double sickle[60][2];
    for (int k = 0; k < 30; k++) {
        double t = PI * (k - 14.5) / 20;
        sickle[k][0] = 10 * cos(t) - 8;
        sickle[k][1] = 10 * sin(t);
        sickle[59 - k][0] = 6 * cos(t) - 8;
        sickle[59 - k][1] = 7 * sin(t);
    }
    static const double strip[][2] = {{-10, -10.2}, {10, 9.8}, {10, 10.2}, {-10, -9.8}};
    static const double numbers[] = {4, 30, 400, 3000};
    for (int k = 0; k < 8; k++) {
        fb_lattice_outline o = {.kind = FB_LATTICE_POLYGON, .ratio = 0.5};
        o.points = k % 2 ? strip : (const double(*)[2])sickle;
        o.n_points = k % 2 ? 4 : 60;
        fb_lattice l;
        FB_EQUAL_STR(fb_lattice_for(&l, &o, numbers[k / 2]), NULL);
        check_sound(&l);
        FB_NEAR((double)l.n, numbers[k / 2], 8, 0.03);
        fb_lattice_free(&l);
    }
}

static void nonsense_is_refused(void) {
    static const double away[][2] = {{1, 1}, {2, 1}, {2, 2}}, line[][2] = {{-1, 0}, {1, 0}, {2, 0}},
                        wild[][2] = {{-1, -1}, {FB_NAN, 1}, {2, 2}};
    fb_lattice l;
    fb_lattice_outline o = {.kind = FB_LATTICE_ROUND};
    FB_HOLDS(fb_lattice_for(&l, &o, 1), "at least 4");
    FB_HOLDS(fb_lattice_for(&l, &o, FB_NAN), "at least 4");
    FB_HOLDS(fb_lattice_for(&l, &o, 1000001), "at most 1,000,000");
    FB_EQUAL_INT(l.n, 0);
    o = (fb_lattice_outline){.kind = FB_LATTICE_FLAT, .ratio = 0.5, .aspect = 0, .corner = 1};
    FB_HOLDS(fb_lattice_for(&l, &o, 400), "width over its height");
    o.aspect = 1;
    o.corner = 1.5;
    FB_HOLDS(fb_lattice_for(&l, &o, 400), "corner");
    o.ratio = -1;
    FB_HOLDS(fb_lattice_for(&l, &o, 400), "ratio");
    o = (fb_lattice_outline){.kind = FB_LATTICE_POLYGON,
                             .ratio = 0.5,
                             .points = away,
                             .n_points = 3};
    FB_HOLDS(fb_lattice_for(&l, &o, 400), "core lies outside");
    o.points = line;
    FB_HOLDS(fb_lattice_for(&l, &o, 400), "no area");
    o.points = wild;
    FB_HOLDS(fb_lattice_for(&l, &o, 400), "not finite");
    o.n_points = 2;
    FB_HOLDS(fb_lattice_for(&l, &o, 400), "three corners");
}

static void few_and_many(void) {
    static const double square[][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    fb_lattice_outline kinds[] = {
        {.kind = FB_LATTICE_ROUND},
        {.kind = FB_LATTICE_FLAT, .ratio = 0.5, .aspect = 50, .corner = 1},
        {.kind = FB_LATTICE_POLYGON, .ratio = 0.7, .points = square, .n_points = 4}};
    for (int k = 0; k < 3; k++) {
        fb_lattice l;
        FB_EQUAL_STR(fb_lattice_for(&l, kinds + k, 4), NULL);
        FB_EQUAL_INT(l.n, 4);
        fb_lattice_free(&l);
        FB_EQUAL_STR(fb_lattice_for(&l, kinds + k, 1e6), NULL);
        FB_NEAR((double)l.n, 1e6, 0, 1e-3);
        fb_lattice_free(&l);
    }
}

int main(int argc, char **argv) {
    static const fb_test tests[] = {FB_TEST(a_quadrant_of_79),
                                    FB_TEST(neighbours_come_first),
                                    FB_TEST(radii_have_their_numbers),
                                    FB_TEST(round_is_the_nearest),
                                    FB_TEST(flat_ones_have_their_width_and_height),
                                    FB_TEST(round_is_a_flat_one),
                                    FB_TEST(polygons_are_covered),
                                    FB_TEST(hollow_ones_are_filled),
                                    FB_TEST(nonsense_is_refused),
                                    FB_TEST(few_and_many),
                                    FB_TEST_END};
    return fb_test_main("lattice", tests, argc, argv);
}
