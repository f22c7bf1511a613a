/* Measures of bodies whose penetration, gaps, volume and tilt are known in closed form. */
#include "libcore/bundle/measure.h"

#include <time.h>

#include "tests/bundle/bodies.h"
#include "tests/help.h"

static fb_body_measures measure(const lattice *l) {
    fb_body body = lattice_body(l);
    fb_body_measures m;
    FB_EQUAL_INT(fb_body_measure(&m, &body, 0, -1), FB_OK);
    fb_body_free(&body);
    return m;
}

/* Cylinders p times their widths apart: along u they overlap by 2 a (1 - p), along w by 2 b (1 -
 * p).
 */
static void cylinders_sink_into_each_other(void) {
    lattice l = {.rectangle = {2, 2},
                 .rings = 9,
                 .a = 0.002,
                 .b = 0.001,
                 .pitch = 0.95,
                 .length = 0.1,
                 .thin = 1};
    fb_body_measures m = measure(&l);
    FB_NEAR(m.penetration, 2 * 0.05 * 2, 1e-9, 0); /* a is twice the half-height */
    FB_EQUAL_INT(abs(m.penetration_cells[0] - m.penetration_cells[2]), 1);
    FB_EQUAL_INT(m.penetration_cells[1], m.penetration_cells[3]);
    FB_NEAR(m.half_height, 0.001, 1e-15, 0);
    FB_NEAR(m.volume, 16 * BODIES_PI * l.a * l.b * l.length, 0, 1e-12);
    FB_EQUAL_INT(m.pairs, 12 + 12 + 9 + 9);
    FB_NEAR(m.gap + m.worst_gap + m.volume_error + m.length_error + m.ratio_error + m.tilt, 0,
            1e-12, 0);
    l.a = l.b;
    FB_NEAR(measure(&l).penetration, 0.1, 1e-9, 0);
}

/* The same in a core that is bent: sections of neighbours share their planes. */
static void cylinders_of_a_bent_core(void) {
    const lattice l = {.rectangle = {2, 2},
                       .rings = 33,
                       .a = 0.001,
                       .b = 0.001,
                       .pitch = 0.97,
                       .length = 0.1,
                       .thin = 1,
                       .bend = 1.5};
    fb_body_measures m = measure(&l);
    FB_NEAR(m.penetration, 0.06, 1e-6, 0);
    FB_TRUE(m.tilt < 1e-3, "%g", m.tilt);
}

static void cylinders_stand_apart(void) {
    lattice l = {.rectangle = {2, 3},
                 .rings = 5,
                 .a = 0.001,
                 .b = 0.001,
                 .pitch = 1.1,
                 .length = 0.1,
                 .thin = 1};
    fb_body_measures m = measure(&l);
    FB_NEAR(m.gap, 0.2, 1e-9, 0);
    FB_NEAR(m.worst_gap, 0.2, 1e-9, 0);
    FB_NEAR(m.penetration, 0, 1e-12, 0);
}

/* Barrels that touch in their middle: the gap is 2 (1 - size), at every section between rings too,
 * where the size is linear. */
static void barrels_gape_at_their_ends(void) {
    const lattice l = {.rectangle = {3, 1},
                       .rings = 13,
                       .a = 0.001,
                       .b = 0.001,
                       .length = 0.1,
                       .tendon = 0.02,
                       .thin = 0.4};
    double sum = 0;
    for (int k = 0; k < 13; k++) {
        for (int t = 0; t < (k < 12 ? 5 : 1); t++) {
            double size = lattice_size(&l, k / 12.0), next = lattice_size(&l, (k + 1) / 12.0);
            sum += 2 * (1 - (size + t / 5.0 * (next - size)));
        }
    }
    fb_body_measures m = measure(&l);
    FB_NEAR(m.gap, sum / 61, 1e-9, 0);
    FB_NEAR(m.worst_gap, sum / 61, 1e-9, 0);
    FB_NEAR(m.penetration, 0, 1e-12, 0);
}

/* Circles of cells (0, 0) and (1, 1) whose centres are d apart; without a common side no gap. */
static void corners_are_measured(void) {
    for (int way = 0; way < 2; way++) {
        lattice l = {.rectangle = {1, 1},
                     .rings = 5,
                     .a = 0.001,
                     .b = 0.001,
                     .pitch = 0.6,
                     .length = 0.1,
                     .thin = 1};
        fb_body body = lattice_body(&l);
        fb_body_measures m;
        if (way == 0) { /* (-1, -1) and (0, 0) */
            body.bundles[1] = body.bundles[3];
        } else { /* (-1, 0) and (0, -1) */
            body.bundles[0] = body.bundles[2];
        }
        body.n_bundles = 2;
        fb_body_measure(&m, &body, 0, -1);
        FB_NEAR(m.penetration, 2 - 1.2 * sqrt(2), 1e-9, 0);
        FB_EQUAL_INT(m.pairs, 1);
        FB_SAME(m.gap, 0);
        fb_body_free(&body);
    }
}

/* A helix of radius r about the core, with rings square to the core: tan(tilt) = r twist / length.
 */
static void twisted_lattices_tilt(void) {
    const lattice l = {.rectangle = {3, 3},
                       .rings = 65,
                       .a = 0.002,
                       .b = 0.001,
                       .pitch = 0.97,
                       .length = 0.1,
                       .thin = 1,
                       .twist = 1.5};
    double x = 5 * l.a * l.pitch, y = 5 * l.b * l.pitch;
    fb_body_measures m = measure(&l);
    FB_NEAR(m.tilt, atan(sqrt(x * x + y * y) * l.twist / l.length), 0, 1e-3);
    FB_NEAR(m.penetration, 2 * 0.03 * 2, 1e-3, 0);
}

/* Shifted along each other: what lies beyond the neighbour's ends does not count. */
static void staggered_bundles_are_measured_where_both_are(void) {
    const lattice l = {.rectangle = {1, 2},
                       .rings = 21,
                       .a = 0.001,
                       .b = 0.001,
                       .pitch = 1.05,
                       .length = 0.05,
                       .thin = 1,
                       .stagger = 0.013};
    fb_body_measures m = measure(&l);
    FB_NEAR(m.gap, 0.1, 1e-9, 0);
    FB_NEAR(m.worst_gap, 0.1, 1e-9, 0);
}

static void errors_are_relative(void) {
    const lattice l = {.rectangle = {1, 1},
                       .rings = 9,
                       .a = 0.002,
                       .b = 0.001,
                       .length = 0.1,
                       .tendon = 0.02,
                       .thin = 0.5,
                       .bend = 0.5};
    fb_body body = lattice_body(&l);
    fb_body_measures m;
    body.bundles[0].volume /= 1.02;
    body.bundles[1].length /= 0.96;
    body.bundles[2].ratio /= 1.5;
    body.bundles[3].volume = FB_NAN; /* not known: no error */
    fb_body_measure(&m, &body, 0, -1);
    FB_NEAR(m.volume_error, 0.02, 1e-9, 0);
    FB_NEAR(m.length_error, 0.04, 1e-9, 0);
    FB_NEAR(m.ratio_error, 0.5, 1e-9, 0);
    fb_body_free(&body);
}

/* Across heads depth counts, and gaps do not. */
static void heads_have_no_gaps_between_them(void) {
    lattice l = {.rectangle = {1, 1},
                 .rings = 21,
                 .a = 0.001,
                 .b = 0.001,
                 .pitch = 1,
                 .length = 0.1,
                 .thin = 1,
                 .fork = 0.3};
    fb_body_measures m = measure(&l);
    FB_NEAR(m.worst_gap, 0, 1e-6, 0); /* heads part by 15 mm at their ends */
    FB_EQUAL_INT(m.pairs, 6);
    l.pitch = 0.9; /* then their bundles overlap across the plane between them as well */
    fb_body body = lattice_body(&l);
    for (size_t i = 0; i < body.n_bundles; i++) { /* leave one pair: (-1, 0), (0, 0) */
        body.bundles[i].rings = body.bundles[i].cell[1] == 0 ? body.bundles[i].rings : 0;
    }
    fb_body_measure(&m, &body, 0, -1);
    FB_NEAR(m.between_heads, 0.2, 1e-9, 0);
    fb_body_free(&body);
}

static void a_muscle_takes_a_tenth_of_a_second(void) {
    const lattice l = {.radius = 11.3,
                       .rings = 33,
                       .a = 0.002,
                       .b = 0.001,
                       .pitch = 0.99,
                       .length = 0.2,
                       .tendon = 0.03,
                       .thin = 0.5,
                       .bend = 1};
    clock_t start = clock();
    fb_body_measures m = measure(&l);
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    FB_TRUE(m.pairs > 1400, "%zu", m.pairs);
    FB_TRUE(!fb_test_is_fast() || seconds < 0.4, "%g s", seconds);
}

static void memory_that_runs_out_is_told(void) {
    const lattice l = {.rectangle = {1, 1}, .rings = 3, .a = 1, .b = 1, .length = 5, .thin = 1};
    fb_body body = lattice_body(&l);
    fb_body_measures m;
    for (long n = 1; n <= 2; n++) {
        fb_alloc_fail_at(n);
        fb_status status = fb_body_measure(&m, &body, 0, -1);
        fb_alloc_fail_at(0);
        FB_EQUAL_INT(status, FB_E_MEMORY);
    }
    fb_body_free(&body);
    fb_body_measure(&m, &body, 0, -1); /* and an empty body measures nothing */
    FB_EQUAL_INT(m.pairs, 0);
}

static const fb_test tests[] = {
    FB_TEST(cylinders_sink_into_each_other),
    FB_TEST(cylinders_of_a_bent_core),
    FB_TEST(cylinders_stand_apart),
    FB_TEST(barrels_gape_at_their_ends),
    FB_TEST(corners_are_measured),
    FB_TEST(twisted_lattices_tilt),
    FB_TEST(staggered_bundles_are_measured_where_both_are),
    FB_TEST(errors_are_relative),
    FB_TEST(heads_have_no_gaps_between_them),
    FB_TEST(a_muscle_takes_a_tenth_of_a_second),
    FB_TEST(memory_that_runs_out_is_told),
    FB_TEST_END,
};

int main(int argc, char **argv) {
    return fb_test_main("measure", tests, argc, argv);
}
