/* The patent's rule: angles against numbers worked by hand, the penetration that it leaves in a row
 * of bundles against an independent prototype's, a lattice placed in its order. */
#include "libcore/bundle/patent.h"

#include <math.h>
#include <stdlib.h>

#include "libcore/base/spatial.h"
#include "libcore/bundle/polygon.h"
#include "libcore/base/number.h"
#include "tests/help.h"

/* h0 = 1, c = 40, L = 36. */
static const fb_shape slender = {.a = 1, .b = 1, .c1 = 40, .c2 = 40, .l2 = 36, .l3 = 36};

/* ---- one bundle ------------------------------------------------------------------------------ */

/* Two layers a half with semi-heights 1, 0.9 a length 1 apart: 5.71 degrees flush, 6.02 touching.
 */
static void angle_on_a_plane(void) {
    for (int exact = 0; exact < 2; exact++) {
        fb_ring rings[2] = {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
                            {{0, 0, 1}, {0.9, 0, 0}, {0, 0.9, 0}}};
        fb_patent_obstacle plane = {.along = 1, .sign = 1};
        fb_patent_fold(rings, 2, 0, &plane, 1, exact);
        double angle = atan2(rings[0].c[1] - rings[1].c[1], rings[1].c[2]) * 180 / 3.14159265358979;
        FB_NEAR(angle, exact ? 6.02 : 5.71, 0.006, 0);
        FB_NEAR(fb_v3_distance(rings[0].c, rings[1].c), 1, 0, 1e-15);
        double alpha = atan(0.1), low = rings[1].c[1] - rings[1].w[1];
        if (exact) {
            FB_NEAR(low, 0, 1e-15, 0);
        } else { /* a gap of b1 (1 - cos alpha), by the outline that is parallel to the plane */
            FB_NEAR(low, 1 - cos(alpha), 1e-15, 0);
        }
    }
}

/* Of an ellipse turned in its section, the support: h(psi)^2 = a^2 sin^2 + b^2 cos^2. */
static void touches_with_its_support(void) {
    double psi = 0.6, a = 2, b = 0.7;
    for (int along = 0; along < 2; along++) {
        for (int sign = -1; sign <= 1; sign += 2) {
            fb_ring rings[3];
            for (int k = 0; k < 3; k++) {
                double f = k == 1 ? 1 : 0.95;
                rings[k] = (fb_ring){{5, 5, k - 1.0},
                                     {f * a * cos(psi), f * a * sin(psi), 0},
                                     {-f * b * sin(psi), f * b * cos(psi), 0}};
            }
            fb_patent_obstacle plane = {.along = along, .sign = sign, .place = 0.25};
            fb_patent_fold(rings, 3, 1, &plane, 1, true);
            double h = along == 0 ? sqrt(a * a * cos(psi) * cos(psi) + b * b * sin(psi) * sin(psi))
                                  : sqrt(a * a * sin(psi) * sin(psi) + b * b * cos(psi) * cos(psi));
            FB_NEAR(rings[1].c[along], 0.25 + sign * h, 0, 1e-14);
            FB_NEAR(rings[1].c[1 - along], 5, 0, 0);
            for (int k = 0; k < 3; k += 2) { /* the ends touch as well */
                double reach = fb_length2(rings[k].u[along], rings[k].w[along]);
                FB_NEAR(sign * (rings[k].c[along] - 0.25), reach, 0, 1e-12);
                FB_NEAR(fb_v3_norm(rings[k].u), 0.95 * a, 0, 1e-14);
                FB_NEAR(fb_v3_dot(rings[k].u, rings[k].w), 0, 1e-14, 0);
            }
        }
    }
}

/* ---- a row ----------------------------------------------------------------------------------- */

enum { ROW = 10 };

static void make_row(fb_polygon *row, int even, int odd, bool exact) {
    for (int j = 0; j < ROW; j++) {
        int belly = j % 2 ? odd : even;
        fb_layers layers = {0, belly, belly, 0};
        FB_EQUAL_STR(fb_polygon_make(row + j, &slender, &layers, NULL), NULL);
        fb_patent_obstacle o = {.along = 1, .sign = 1};
        if (j > 0) {
            o.rings = row[j - 1].rings;
            o.n = row[j - 1].n;
            o.widest = row[j - 1].widest;
        }
        fb_patent_fold(row[j].rings, row[j].n, row[j].widest, &o, 1, exact);
    }
}

/* The outline in the plane of the row, at z: interpolated between rings' lowest (way -1) or highest
 * points; NaN beyond the ends. All rings lean about x only, so these are c + w and c - w. */
static double outline(const fb_polygon *p, double z, int way) {
    for (size_t k = 0; k + 1 < p->n; k++) {
        const fb_ring *r = p->rings + k;
        double z0 = r[0].c[2] + way * r[0].w[2], z1 = r[1].c[2] + way * r[1].w[2];
        double y0 = r[0].c[1] + way * r[0].w[1], y1 = r[1].c[1] + way * r[1].w[1];
        if (z0 <= z && z <= z1) {
            return y0 + (z - z0) / (z1 - z0) * (y1 - y0);
        }
    }
    return FB_NAN;
}

/* How far, across the core, one bundle of a row is in the one below it. */
static double overlap(const fb_polygon *lower, const fb_polygon *upper) {
    double most = 0;
    for (int k = -36000; k <= 36000; k++) {
        double d = outline(lower, k * 0.001, 1) - outline(upper, k * 0.001, -1);
        most = d > most ? d : most;
    }
    return most;
}

static double tilt(const fb_polygon *p) {
    const fb_ring *last = p->rings + p->n - 1;
    return atan2(last[-1].c[1] - last->c[1], last->c[2] - last[-1].c[2]) * 180 / 3.14159265358979;
}

/* As an independent prototype of the rule measured it, of h0, at bundles 2, 5 and 10; the angle of
 * the last one's end. The rings here are wider by up to 0.2 %. */
static void a_row_sinks_in(void) {
    static const struct {
        int even, odd;
        double depth[3], tilt;
    } known[] = {{8, 8, {0.002, 0.037, 0.169}, 37},
                 {16, 16, {0.001, 0.027, 0.116}, 39},
                 {32, 32, {0.000, 0.013, 0.059}, 39},
                 {32, 8, {0.021, 0.027, 0.265}, 37}};
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        fb_polygon row[ROW];
        make_row(row, known[k].even, known[k].odd, false);
        FB_NEAR(overlap(row, row + 1), known[k].depth[0], 0.0006, 0.02);
        FB_NEAR(overlap(row + 3, row + 4), known[k].depth[1], 0.0006, 0.02);
        FB_NEAR(overlap(row + 8, row + 9), known[k].depth[2], 0.0006, 0.02);
        FB_NEAR(tilt(row + 9), known[k].tilt, 0.7, 0);
        double h = row[0].rings[row[0].widest].w[1], top = 0;
        for (int j = 0; j < ROW; j++) { /* widest sections touch */
            const fb_ring *widest = row[j].rings + row[j].widest;
            FB_NEAR(widest->c[1] - widest->w[1], top, 1e-13, 0);
            FB_NEAR(widest->w[1], h, 0, 0.005);
            top = widest->c[1] + widest->w[1];
            fb_polygon_free(row + j);
        }
    }
}

/* The form that touches leaves no less in the first bundles, and less in the last. */
static void touching_form_sinks_in_as_well(void) {
    fb_polygon row[ROW];
    make_row(row, 16, 16, true);
    double depth = overlap(row + 8, row + 9);
    FB_TRUE(depth > 0.03 && depth < 0.116, "%g", depth);
    for (size_t k = 0; k < row[0].n; k++) { /* the first touches the plane with every ring */
        FB_NEAR(row[0].rings[k].c[1] - row[0].rings[k].w[1], 0, 1e-13, 0);
    }
    for (int j = 0; j < ROW; j++) {
        fb_polygon_free(row + j);
    }
}

/* ---- a lattice ------------------------------------------------------------------------------- */

static const fb_shape flat = {
    .a = 2, .b = 1, .c1 = 40, .c2 = 50, .l1 = 10, .l2 = 30, .l3 = 36, .l4 = 12};

static const fb_ring *rings_of(const fb_body *body, const fb_lattice *l, int i, int j) {
    return body->rings + body->bundles[fb_lattice_find(l, i, j)].first;
}

static void a_lattice_is_placed(void) {
    fb_lattice l;
    fb_body body;
    fb_patent_options options = {.layers = {8, 8}};
    fb_lattice_round(&l, 10);
    FB_EQUAL_STR(fb_patent_place(&body, &l, &flat, 1, &options), NULL);
    FB_EQUAL_INT(body.n_bundles, 316);
    FB_EQUAL_INT(body.n_rings, 316 * 19);
    const fb_ring *first = rings_of(&body, &l, 0, 0);
    double a = first[9].u[0], b = first[9].w[1], volume = 0;
    for (size_t k = 0; k < l.n; k++) {
        const fb_bundle *bundle = body.bundles + k;
        const fb_ring *r = body.rings + bundle->first;
        FB_EQUAL_INT(bundle->order, k + 1);
        FB_EQUAL_INT(bundle->cell[0], l.cells[k].i);
        FB_EQUAL_INT(bundle->cell[1], l.cells[k].j);
        FB_NEAR(r[9].c[0], (2 * bundle->cell[0] + 1) * a, 0, 1e-12);
        FB_NEAR(r[9].c[1], (2 * bundle->cell[1] + 1) * b, 0, 1e-12);
        FB_NEAR(fb_bundle_length(&body, k), 88, 0, 1e-13);
        FB_NEAR(bundle->length, 88, 0, 1e-13);
        FB_NEAR(bundle->ratio, 0.5, 0, 0);
        FB_NEAR(bundle->belly[1] - bundle->belly[0], 66, 0, 1e-14);
        FB_NEAR(fb_bundle_volume(&body, k), bundle->volume, 0, 0.02); /* its rings are not mitred */
        volume += bundle->volume;
    }
    FB_NEAR(volume, 316 * (fb_shape_belly_volume(&flat) + fb_shape_tendon_volume(&flat)), 0, 1e-12);
    /* nothing of the first bundle is beyond its planes */
    for (size_t k = 0; k < 19; k++) {
        FB_TRUE(first[k].c[0] - fb_length2(first[k].u[0], first[k].w[0]) > -1e-12, "ring %zu", k);
        FB_TRUE(first[k].c[1] - fb_length2(first[k].u[1], first[k].w[1]) > -1e-12, "ring %zu", k);
    }
    fb_body_free(&body);
    fb_lattice_free(&l);
}

/* The quadrants are images of each other: centres mirrored, outlines as well. */
static void quadrants_are_mirrored(void) {
    fb_lattice l;
    fb_body body;
    fb_patent_options options = {.layers = {8, 4}, .fibre_layers = 2, .exact_touch = true};
    fb_lattice_round(&l, 4);
    FB_EQUAL_STR(fb_patent_place(&body, &l, &flat, 1, &options), NULL);
    for (size_t k = 0; k < l.n / 4; k++) {
        int i = l.cells[k].i, j = l.cells[k].j;
        const fb_bundle *b = body.bundles + k;
        FB_EQUAL_INT(b->rings, ((i + j) % 2 ? 8 : 16) + 5);
        const fb_ring *one = rings_of(&body, &l, i, j),
                      *three = rings_of(&body, &l, -1 - i, -1 - j),
                      *two = rings_of(&body, &l, -1 - i, j);
        for (size_t m = 0; m < b->rings; m++) {
            FB_NEAR(one[m].c[0], -two[m].c[0], 0, 1e-11);
            FB_NEAR(one[m].c[1], two[m].c[1], 0, 1e-11);
            FB_NEAR(one[m].c[2], two[m].c[2], 1e-11, 1e-11);
            FB_NEAR(one[m].u[2], -two[m].u[2], 1e-11, 0);
            FB_NEAR(one[m].w[2], two[m].w[2], 1e-11, 0);
            FB_NEAR(one[m].c[0], -three[m].c[0], 0, 1e-11);
            FB_NEAR(one[m].c[1], -three[m].c[1], 0, 1e-11);
            FB_NEAR(one[m].c[2], three[m].c[2], 1e-11, 1e-11);
        }
    }
    fb_body_free(&body);
    fb_lattice_free(&l);
}

/* A shape for each cell: longer outside, each of its own length. */
static void shapes_may_differ(void) {
    fb_lattice l;
    fb_body body;
    fb_patent_options options = {.layers = {6, 6}};
    fb_lattice_round(&l, 3);
    fb_shape *shapes = calloc(l.n, sizeof *shapes);
    for (size_t k = 0; k < l.n; k++) {
        shapes[k] = fb_shape_stretched(&flat, 1 + 0.002 * (double)k);
    }
    FB_EQUAL_STR(fb_patent_place(&body, &l, shapes, l.n, &options), NULL);
    for (size_t k = 0; k < l.n; k++) {
        FB_NEAR(fb_bundle_length(&body, k), fb_shape_length(shapes + k), 0, 1e-13);
    }
    fb_body_free(&body);
    FB_HOLDS(fb_patent_place(&body, &l, shapes, 2, &options), "one for each");
    shapes[5].a = 0;
    FB_HOLDS(fb_patent_place(&body, &l, shapes, l.n, &options), "no width");
    FB_TRUE(body.bundles == NULL && body.rings == NULL && body.n_bundles == 0, "it is empty");
    options.layers[1] = 0;
    FB_HOLDS(fb_patent_place(&body, &l, &flat, 1, &options), "fewer than 1");
    free(shapes);
    fb_lattice_free(&l);
}

/* Short thick bundles cut near their tips: steep, but finite and as long as they are to be. */
static void steep_ones_stay_finite(void) {
    fb_shape stout = {.a = 1, .b = 1, .c1 = 6, .c2 = 6, .l2 = 6, .l3 = 5.9, .l4 = 3};
    fb_lattice l;
    fb_body body;
    fb_patent_options options = {.layers = {16, 3}};
    fb_lattice_round(&l, 10);
    FB_EQUAL_STR(fb_patent_place(&body, &l, &stout, 1, &options), NULL);
    for (size_t k = 0; k < body.n_bundles; k++) {
        FB_NEAR(fb_bundle_length(&body, k), 14.9, 0, 1e-12);
    }
    fb_body_free(&body);
    fb_lattice_free(&l);
}

int main(int argc, char **argv) {
    static const fb_test tests[] = {FB_TEST(angle_on_a_plane),
                                    FB_TEST(touches_with_its_support),
                                    FB_TEST(a_row_sinks_in),
                                    FB_TEST(touching_form_sinks_in_as_well),
                                    FB_TEST(a_lattice_is_placed),
                                    FB_TEST(quadrants_are_mirrored),
                                    FB_TEST(shapes_may_differ),
                                    FB_TEST(steep_ones_stay_finite),
                                    FB_TEST_END};
    return fb_test_main("patent", tests, argc, argv);
}
