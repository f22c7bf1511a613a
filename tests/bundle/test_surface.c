/* Surfaces: bundles as tubes of exact volume, isosurfaces of any field as manifolds, and envelopes
 * that are closed, in one piece and close to their bundles. */
#include "libcore/bundle/surface.h"

#include <time.h>

#include "libcore/bundle/isosurface.h"
#include "tests/bundle/bodies.h"
#include "tests/bundle/closed.h"
#include "tests/help.h"

static void check_closed(const fb_mesh *mesh, long euler, const char *what) {
    closed c = closed_of(mesh);
    FB_TRUE(c.open == 0 && c.pinched == 0 && c.unused == 0, "%s: %ld open, %ld pinched, %ld unused",
            what, c.open, c.pinched, c.unused);
    FB_TRUE(c.euler == euler, "%s: Euler characteristic %ld", what, c.euler);
}

/* ---- bundles --------------------------------------------------------------------------------- */

static void bundles_are_tubes_of_their_volume(void) {
    const lattice l = {.rectangle = {1, 1},
                       .rings = 17,
                       .a = 0.002,
                       .b = 0.001,
                       .length = 0.1,
                       .tendon = 0.02,
                       .thin = 0.3};
    fb_body body = lattice_body(&l);
    for (int sides = 3; sides < 30; sides += 5) {
        for (size_t i = 0; i < 2; i++) {
            fb_mesh mesh = {0};
            if (i == 1) { /* left-handed */
                for (size_t k = 0; k < 17; k++) {
                    fb_ring *ring = &body.rings[body.bundles[1].first + k];
                    fb_v3_scale(ring->w, sides % 2 ? -1 : 1, ring->w);
                }
            }
            FB_EQUAL_INT(fb_mesh_add_bundle(&mesh, &body, i, sides), FB_OK);
            check_closed(&mesh, 2, "a bundle");
            FB_NEAR(fb_mesh_volume(&mesh), fb_bundle_volume(&body, i), 0, 1e-12);
            FB_EQUAL_INT(mesh.n_faces, sides * 18);
            for (size_t k = 0; k < mesh.n_vertices - 2;
                 k++) { /* normals point away from the axis */
                size_t ring = body.bundles[i].first + k / (size_t)sides;
                double out[3];
                fb_v3_sub(out, mesh.vertices[k], body.rings[ring].c);
                FB_TRUE(fb_v3_dot(out, mesh.normals[k]) > 0, "vertex %zu", k);
                FB_NEAR(fb_v3_norm(mesh.normals[k]), 1, 1e-12, 0);
            }
            fb_mesh_clear(&mesh);
        }
    }
    fb_body_free(&body);
}

static void bundles_have_belly_and_tendon_colours(void) {
    const lattice l = {.rectangle = {1, 1},
                       .rings = 41,
                       .a = 0.002,
                       .b = 0.001,
                       .length = 0.1,
                       .tendon = 0.02,
                       .thin = 0.3};
    fb_body body = lattice_body(&l);
    fb_mesh mesh = {0};
    for (size_t i = 0; i < body.n_bundles; i++) {
        fb_mesh_add_bundle(&mesh, &body, i, 8);
    }
    check_closed(&mesh, 8, "four bundles");
    FB_NEAR(fb_mesh_volume(&mesh), 4 * fb_bundle_volume(&body, 0), 0, 1e-12);
    FB_TRUE(mesh.colours[0][1] > 0.8, "tendon %g", mesh.colours[0][1]);
    FB_TRUE(mesh.colours[8 * 20][1] < 0.2, "belly %g", mesh.colours[8 * 20][1]);
    double junction = mesh.colours[8 * 8][1]; /* half way between both */
    FB_NEAR(junction, 0.5 * (mesh.colours[0][1] + mesh.colours[8 * 20][1]), 1e-9, 0);
    fb_mesh_clear(&mesh);
    fb_body_free(&body);
}

/* ---- isosurfaces ----------------------------------------------------------------------------- */

static void check_ball(double radius, double tolerance) {
    enum { N = 40 };
    fb_grid grid = {{N, N, N}, malloc(N * N * N * sizeof(float))};
    fb_mesh mesh = {0};
    for (int i = 0; i < N * N * N; i++) {
        double x = i % N - 19.3, y = i / N % N - 19.6, z = i / (N * N) - 19.1;
        grid.values[i] = (float)(sqrt(x * x + y * y + z * z) - radius);
    }
    FB_EQUAL_INT(fb_isosurface(&mesh, &grid), FB_OK);
    check_closed(&mesh, 2, "a ball");
    FB_NEAR(fb_mesh_volume(&mesh), 4 * BODIES_PI / 3 * radius * radius * radius, 0, tolerance);
    for (size_t i = 0; i < mesh.n_vertices; i++) {
        const double *p = mesh.vertices[i];
        double x = p[0] - 19.3, y = p[1] - 19.6, z = p[2] - 19.1;
        FB_NEAR(sqrt(x * x + y * y + z * z), radius, 0.2, 0);
    }
    free(grid.values);
    fb_mesh_clear(&mesh);
}

static void balls_have_their_volume(void) {
    check_ball(6, 0.03);
    check_ball(15, 0.005);
}

/* Whatever the signs are: all patterns of cubes, beside all others. */
static void any_field_gives_a_manifold(void) {
    enum { N = 24 };
    unsigned long long seed = fb_test_seed();
    fb_grid grid = {{N, N, N}, malloc(N * N * N * sizeof(float))};
    for (int turn = 0; turn < 8; turn++) {
        fb_mesh mesh = {0};
        double bias = (turn - 4) * 0.2;
        for (int i = 0; i < N * N * N; i++) {
            int x = i % N, y = i / N % N, z = i / (N * N);
            bool border = x == 0 || y == 0 || z == 0 || x == N - 1 || y == N - 1 || z == N - 1;
            grid.values[i] = (float)(border ? 1 : fb_random_between(&seed, -1, 1) + bias);
        }
        FB_EQUAL_INT(fb_isosurface(&mesh, &grid), FB_OK);
        closed c = closed_of(&mesh);
        FB_TRUE(c.open == 0 && c.pinched == 0 && c.unused == 0, "%ld open, %ld pinched", c.open,
                c.pinched);
        FB_TRUE(fb_mesh_volume(&mesh) > 0, "inside out");
        fb_mesh_clear(&mesh);
    }
    free(grid.values);
}

/* ---- envelopes ------------------------------------------------------------------------------- */

static fb_envelope envelope_of(const fb_body *body, double cells) {
    const fb_envelope_options options = {.cells = cells};
    fb_envelope e;
    FB_EQUAL_INT(fb_body_envelope(&e, body, &options), FB_OK);
    return e;
}

static void envelopes_are_closed_and_in_one_piece(void) {
    static const lattice all[] = {
        {.radius = 3, .rings = 17, .a = 0.002, .b = 0.001, .length = 0.1, .thin = 1},
        {.radius = 7,
         .rings = 33,
         .a = 0.002,
         .b = 0.001,
         .length = 0.2,
         .tendon = 0.03,
         .thin = 0.3},
        {.radius = 7,
         .rings = 33,
         .a = 0.002,
         .b = 0.001,
         .length = 0.2,
         .tendon = 0.03,
         .thin = 0.3,
         .bend = 1.5},
        {.radius = 6,
         .rings = 25,
         .a = 0.002,
         .b = 0.001,
         .length = 0.2,
         .tendon = 0.03,
         .thin = 0.3,
         .twist = 1.5},
        {.rectangle = {1, 1},
         .rings = 25,
         .a = 0.006,
         .b = 0.004,
         .length = 0.2,
         .tendon = 0.06,
         .thin = 0.2},
        {.rectangle = {3, 8},
         .rings = 25,
         .a = 0.002,
         .b = 0.001,
         .length = 0.06,
         .tendon = 0.01,
         .thin = 0.5,
         .stagger = 0.005},
        {.radius = 6,
         .rings = 25,
         .a = 0.002,
         .b = 0.001,
         .length = 0.2,
         .tendon = 0.03,
         .thin = 0.8,
         .fork = 0.4},
        {.radius = 20,
         .rings = 17,
         .a = 0.001,
         .b = 0.0005,
         .length = 0.2,
         .tendon = 0.03,
         .thin = 0.3,
         .bend = 0.5},
        {.rectangle = {1, 30},
         .rings = 17,
         .a = 0.002,
         .b = 0.002,
         .length = 0.1,
         .tendon = 0.01,
         .thin = 0.5,
         .bend = 0.4},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        fb_body body = lattice_body(&all[i]);
        fb_envelope e = envelope_of(&body, fb_test_is_fast() ? 0 : 100000);
        char what[20];
        snprintf(what, sizeof what, "lattice %zu", i);
        check_closed(&e.mesh, 2, what);
        FB_EQUAL_INT(e.components, 1);
        FB_NEAR(e.volume, fb_mesh_volume(&e.mesh), 0, 1e-12);
        FB_TRUE(e.volume > e.bundles && e.volume < 3 * e.bundles, "%s: %g of %g", what, e.volume,
                e.bundles);
        FB_EQUAL_STR(e.mesh.name, "lattice");
        fb_mesh_clear(&e.mesh);
        fb_body_free(&body);
    }
}

/* One bundle is its own envelope. */
static void the_envelope_of_a_bundle_is_the_bundle(void) {
    const lattice l = {.rectangle = {1, 1},
                       .rings = 33,
                       .a = 0.01,
                       .b = 0.006,
                       .length = 0.1,
                       .tendon = 0.01,
                       .thin = 0.5};
    fb_body body = lattice_body(&l);
    body.n_bundles = 1;
    body.n_rings = 33;
    fb_envelope e = envelope_of(&body, 0);
    FB_NEAR(e.volume, e.bundles, 0, 0.01);
    FB_TRUE(e.components == 1 && e.thickened == 0, "%zu %zu", e.components, e.thickened);
    fb_mesh_clear(&e.mesh);
    fb_body_free(&body);
}

/* A fibre of 0.2 mm of a length of 200 mm holds together, though the grid is far coarser. */
static void a_thin_fibre_does_not_tear(void) {
    const lattice l = {.rectangle = {1, 1},
                       .rings = 33,
                       .a = 0.01,
                       .b = 0.01,
                       .length = 0.2,
                       .tendon = 0.08,
                       .thin = 0.02,
                       .bend = 1};
    fb_body body = lattice_body(&l);
    body.n_bundles = 1;
    body.n_rings = 33;
    fb_envelope e = envelope_of(&body, 100000);
    check_closed(&e.mesh, 2, "a thin fibre");
    FB_TRUE(e.spacing > 0.0003 && e.thickened > 0 && e.components == 1, "%g %zu %zu", e.spacing,
            e.thickened, e.components);
    double top = -1, end = body.rings[32].c[2];
    for (size_t i = 0; i < e.mesh.n_vertices; i++) {
        top = fb_greater(top, e.mesh.vertices[i][2]);
    }
    FB_NEAR(top, end, 2 * e.spacing, 0);
    fb_mesh_clear(&e.mesh);
    fb_body_free(&body);
}

/* Cylinders that touch: what the ball cannot reach between two circles of radius a, and no more.
 * Between flanks, for each of the grooves of a row, the area is that under the ball's arc. */
static void grooves_are_filled_as_far_as_the_ball_goes(void) {
    const lattice l = {
        .rectangle = {4, 1}, .rings = 9, .a = 0.003, .b = 0.003, .length = 0.06, .thin = 1};
    fb_body body = lattice_body(&l);
    fb_envelope e = envelope_of(&body, 1500000);
    double a = l.a, r = e.closing, half = acos(a / (a + r)); /* angle at the circles' centres */
    double triangle = a * sqrt((a + r) * (a + r) - a * a);
    double ball = (0.5 * BODIES_PI - half) * r * r, circles = half * a * a;
    double groove = triangle - ball - circles;
    double inside = (4 - BODIES_PI) * a * a; /* between four */
    double ends = 2;                         /* the grooves of the short sides */
    double area = 16 * BODIES_PI * a * a + 7 * inside + (2 * 7 + ends) * groove;
    FB_NEAR(e.volume, area * l.length, 0, 0.01);
    fb_mesh_clear(&e.mesh);
    fb_body_free(&body);
}

/* How far outlines stand out of the envelope, and it over them: by no more than the grooves that
 * the ball leaves out. */
static void the_envelope_fits_the_outlines(void) {
    const lattice l = {.radius = 3,
                       .rings = 81,
                       .a = 0.004,
                       .b = 0.003,
                       .length = 0.1,
                       .tendon = 0.02,
                       .thin = 0.8,
                       .bend = 0.7};
    fb_body body = lattice_body(&l);
    fb_envelope e = envelope_of(&body, 100000);
    double out = 0, farthest = 0, sum = 0;
    for (size_t v = 0; v < e.mesh.n_vertices; v++) {
        double nearest = 1;
        for (size_t k = 0; k < body.n_rings; k++) {
            const fb_ring *ring = &body.rings[k];
            double apart = fb_v3_distance(ring->c, e.mesh.vertices[v]);
            for (int i = 0; apart < 0.007 && i < 48; i++) {
                double p[3], d[3], angle = 2 * BODIES_PI * i / 48;
                fb_v3_copy(p, ring->c);
                fb_v3_madd(p, cos(angle), ring->u);
                fb_v3_madd(p, sin(angle), ring->w);
                fb_v3_sub(d, p, e.mesh.vertices[v]);
                double distance = fb_v3_norm(d);
                nearest = fb_lesser(nearest, distance);
                if (distance < e.spacing) {
                    out = fb_greater(out, fb_v3_dot(d, e.mesh.normals[v]));
                }
            }
        }
        bool cap = fabs(e.mesh.vertices[v][2]) > 0.046; /* between the ends' outlines */
        farthest = cap ? farthest : fb_greater(farthest, nearest);
        sum += cap ? 0 : nearest;
    }
    double mean = sum / (double)e.mesh.n_vertices;
    FB_TRUE(out < 0.6 * e.spacing, "%g of a cell", out / e.spacing);
    FB_TRUE(mean < 0.25 * l.b, "%g of the half-height", mean / l.b);
    FB_TRUE(farthest < 0.9 * l.b, "%g of the half-height", farthest / l.b);
    fb_mesh_clear(&e.mesh);
    fb_body_free(&body);
}

/* A long, thin muscle whose bundles are thinner than a cell: the volume is nearly that of a grid
 * with 16 times as many nodes. */
static void volumes_hardly_depend_on_the_grid(void) {
    const lattice l = {.radius = 11.3,
                       .rings = 25,
                       .a = 0.0004,
                       .b = 0.0002,
                       .length = 0.25,
                       .thin = 1,
                       .bend = 0.4};
    fb_body body = lattice_body(&l);
    fb_envelope coarse = envelope_of(&body, 100000), fine = envelope_of(&body, 1600000);
    FB_TRUE(coarse.spacing > 2 * fine.spacing && coarse.spacing > 4 * l.b, "%g, %g", coarse.spacing,
            fine.spacing);
    FB_NEAR(coarse.volume, fine.volume, 0, 0.02);
    FB_NEAR(fine.volume, fine.bundles * 4 / BODIES_PI, 0, 0.02);
    fb_mesh_clear(&coarse.mesh);
    fb_mesh_clear(&fine.mesh);
    fb_body_free(&body);
}

/* Twice the same bytes, and turned and moved nearly the same volume. */
static void envelopes_do_not_depend_on_the_frame(void) {
    const lattice l = {.radius = 3,
                       .rings = 17,
                       .a = 0.002,
                       .b = 0.001,
                       .length = 0.1,
                       .tendon = 0.02,
                       .thin = 0.5,
                       .bend = 0.5};
    fb_body body = lattice_body(&l);
    fb_envelope first = envelope_of(&body, 200000), second = envelope_of(&body, 200000);
    FB_EQUAL_INT(first.mesh.n_vertices, second.mesh.n_vertices);
    FB_TRUE(memcmp(first.mesh.vertices, second.mesh.vertices,
                   first.mesh.n_vertices * sizeof *first.mesh.vertices) == 0,
            "another mesh");
    const double axis[3] = {0.6, 0, 0.8}, away[3] = {1, -2, 0.5};
    double R[9];
    fb_m3_rotation(R, axis, 1);
    for (size_t k = 0; k < body.n_rings; k++) {
        double old[3];
        fb_v3_copy(old, body.rings[k].c);
        fb_m3_mul_v3(body.rings[k].c, R, old);
        fb_v3_add(body.rings[k].c, body.rings[k].c, away);
        fb_v3_copy(old, body.rings[k].u);
        fb_m3_mul_v3(body.rings[k].u, R, old);
        fb_v3_copy(old, body.rings[k].w);
        fb_m3_mul_v3(body.rings[k].w, R, old);
    }
    fb_envelope third = envelope_of(&body, 200000);
    FB_NEAR(third.volume, first.volume, 0, 0.005);
    fb_mesh_clear(&first.mesh);
    fb_mesh_clear(&second.mesh);
    fb_mesh_clear(&third.mesh);
    fb_body_free(&body);
}

static void colours_follow_the_bundles(void) {
    const lattice l = {.radius = 4,
                       .rings = 33,
                       .a = 0.002,
                       .b = 0.001,
                       .length = 0.2,
                       .tendon = 0.05,
                       .thin = 0.6};
    fb_body body = lattice_body(&l);
    fb_envelope e = envelope_of(&body, 100000);
    for (size_t i = 0; i < e.mesh.n_vertices; i++) {
        double z = fabs(e.mesh.vertices[i][2]), green = e.mesh.colours[i][1];
        FB_TRUE(z > 0.04 ? z < 0.06 || green > 0.8 : green < 0.2, "%g at %g", green, z);
        FB_NEAR(fb_v3_norm(e.mesh.normals[i]), 1, 1e-9, 0);
    }
    fb_mesh_clear(&e.mesh);
    fb_body_free(&body);
}

static void what_has_no_surface(void) {
    lattice l = {.rectangle = {1, 1}, .rings = 3, .a = 0.01, .b = 0.01, .length = 0.05, .thin = 1};
    fb_body body = lattice_body(&l);
    fb_envelope e;
    body.rings[4].c[1] = FB_NAN;
    FB_EQUAL_INT(fb_body_envelope(&e, &body, NULL), FB_E_NUMERIC);
    FB_TRUE(!e.mesh.vertices && !e.mesh.name, "a mesh");
    for (size_t i = 0; i < body.n_bundles; i++) {
        body.bundles[i].rings = 1;
    }
    FB_EQUAL_INT(fb_body_envelope(&e, &body, NULL), FB_OK);
    FB_EQUAL_INT(e.mesh.n_faces + e.components, 0);
    fb_body_free(&body);
    l.a = l.b = 0;
    body = lattice_body(&l);
    FB_EQUAL_INT(fb_body_envelope(&e, &body, NULL), FB_E_NUMERIC);
    fb_body_free(&body);
}

static void lack_of_memory_is_told(void) {
    const lattice l = {
        .rectangle = {1, 1}, .rings = 3, .a = 0.01, .b = 0.01, .length = 0.05, .thin = 1};
    const fb_envelope_options options = {.cells = 5000};
    fb_body body = lattice_body(&l);
    for (long fail = 1; fail < 100; fail++) {
        fb_envelope e;
        fb_alloc_fail_at(fail);
        fb_status status = fb_body_envelope(&e, &body, &options);
        fb_alloc_fail_at(0);
        if (status == FB_OK) {
            FB_TRUE(fail > 10, "%ld", fail);
            fb_mesh_clear(&e.mesh);
            break;
        }
        FB_EQUAL_INT(status, FB_E_MEMORY);
        FB_TRUE(!e.mesh.vertices && !e.mesh.faces && !e.mesh.name, "left over");
    }
    fb_body_free(&body);
}

static void a_muscle_takes_a_third_of_a_second(void) {
    const lattice l = {.radius = 11.3,
                       .rings = 33,
                       .a = 0.002,
                       .b = 0.001,
                       .length = 0.2,
                       .tendon = 0.03,
                       .thin = 0.6,
                       .bend = 1};
    fb_body body = lattice_body(&l);
    clock_t start = clock();
    fb_envelope e = envelope_of(&body, 0);
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    FB_TRUE(!fb_test_is_fast() || seconds < 1, "%g s", seconds);
    fb_mesh_clear(&e.mesh);
    fb_body_free(&body);
}

static const fb_test tests[] = {
    FB_TEST(bundles_are_tubes_of_their_volume),
    FB_TEST(bundles_have_belly_and_tendon_colours),
    FB_TEST(balls_have_their_volume),
    FB_TEST(any_field_gives_a_manifold),
    FB_TEST(envelopes_are_closed_and_in_one_piece),
    FB_TEST(the_envelope_of_a_bundle_is_the_bundle),
    FB_TEST(a_thin_fibre_does_not_tear),
    FB_TEST(grooves_are_filled_as_far_as_the_ball_goes),
    FB_TEST(the_envelope_fits_the_outlines),
    FB_TEST(volumes_hardly_depend_on_the_grid),
    FB_TEST(envelopes_do_not_depend_on_the_frame),
    FB_TEST(colours_follow_the_bundles),
    FB_TEST(what_has_no_surface),
    FB_TEST(lack_of_memory_is_told),
    FB_TEST(a_muscle_takes_a_third_of_a_second),
    FB_TEST_END,
};

int main(int argc, char **argv) {
    return fb_test_main("surface", tests, argc, argv);
}
