/* The layered model: rings and meshes against the ellipsoid's volume, straight, bent and twisted;
 * the corrections against numbers worked by hand; meshes closed. */
#include "libcore/bundle/polygon.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/spatial.h"
#include "libcore/base/number.h"
#include "tests/help.h"

#define PI 3.14159265358979323846

static fb_shape example(void) {
    return (fb_shape){.a = 0.002,
                      .b = 0.001,
                      .c1 = 0.04,
                      .c2 = 0.06,
                      .l1 = 0.02,
                      .l2 = 0.036,
                      .l3 = 0.054,
                      .l4 = 0.05};
}

static double mesh_volume(const fb_ring *rings, size_t n, int sides) {
    fb_quads mesh;
    FB_EQUAL_STR(fb_quads_make(&mesh, rings, n, sides, true), NULL);
    double volume = fb_quads_volume(&mesh);
    fb_quads_free(&mesh);
    return volume;
}

/* Area of an inscribed 8-gon is 0.9003 of the circle's: radii 1.0539 times; 12: 1.0233. */
static void polygons_are_widened(void) {
    FB_NEAR(fb_polygon_widening(8), 1.0539, 5e-5, 0);
    FB_NEAR(fb_polygon_widening(12), 1.0233, 5e-5, 0);
    FB_NEAR(fb_polygon_widening(16), 1.0130, 5e-5, 0);
    FB_NEAR(fb_polygon_widening(4), sqrt(PI / 2), 0, 1e-14);
}

/* Chords cost 0.47 % at 8 layers a half cut at 0.9 c, 0.118 % at 16: what the rings gain. */
static void rings_are_widened(void) {
    static const double lost[] = {0.0047, 0.00118, 0.00030};
    for (int k = 0; k < 3; k++) {
        fb_polygon p;
        fb_shape s = example();
        fb_layers l = {1, 8 << k, 8 << k, 1};
        FB_EQUAL_STR(fb_polygon_make(&p, &s, &l, NULL), NULL);
        FB_EQUAL_INT(p.n, (16 << k) + 3);
        FB_EQUAL_INT(p.widest, (8 << k) + 1);
        double f = p.rings[p.widest].u[0] / s.a;
        FB_NEAR(f * f, 1 + lost[k], 0.2 * lost[k], 0);
        FB_NEAR(p.rings[p.widest].w[1] / s.b, f, 0, 1e-14);
        FB_NEAR(p.rings[p.widest].c[2], 0, 0, 0);
        FB_NEAR(p.rings[0].c[2], -0.056, 0, 1e-14);
        FB_NEAR(p.rings[p.n - 1].c[2], 0.104, 0, 1e-14);
        FB_NEAR(p.rings[p.cut[1]].u[0], s.a * sqrt(1 - 0.81), 0, 1e-14);
        fb_polygon_free(&p);
    }
}

/* Any number of layers and sides, cuts anywhere down to the tips: belly and fibres to 1e-12. */
static void volume_is_the_ellipsoids(void) {
    unsigned long long seed = fb_test_seed();
    for (int i = 0; i < 300; i++) {
        fb_shape s = {.c1 = fb_random_between(&seed, 0.01, 1),
                      .c2 = fb_random_between(&seed, 0.01, 1)};
        s.l2 = i % 5 ? s.c1 * fb_random_between(&seed, 0.1, 1) : s.c1;
        s.l3 = i % 7 ? s.c2 * fb_random_between(&seed, 0.1, 1) : 0;
        s.l1 = i % 3 ? fb_random_between(&seed, 0.01, 1) : 0;
        s.l4 = i % 2 ? fb_random_between(&seed, 0.01, 1) : 0;
        fb_shape_from_belly(&s, fb_random_between(&seed, 1e-9, 1e-3), 0.7);
        fb_layers l = {1 + (int)(fb_random(&seed) % 3), 2 + (int)(fb_random(&seed) % 40),
                       1 + (int)(fb_random(&seed) % 40), 1 + (int)(fb_random(&seed) % 3)};
        fb_polygon p;
        FB_EQUAL_STR(fb_polygon_make(&p, &s, &l, NULL), NULL);
        double belly = fb_shape_belly_volume(&s), all = belly + fb_shape_tendon_volume(&s);
        FB_NEAR(fb_rings_volume(p.rings, p.cut[0], p.cut[1]), belly, 0, 1e-12);
        FB_NEAR(fb_rings_volume(p.rings, 0, p.n - 1), all, 0, 1e-12);
        int sides = 3 + (int)(fb_random(&seed) % 30);
        FB_NEAR(mesh_volume(p.rings, p.n, sides), all, 0, 1e-12);
        fb_polygon_free(&p);
    }
}

/* fb_rings_volume against thin slices of a bent, twisted layer. */
static void ring_volume_is_that_of_slices(void) {
    fb_ring r[2] = {{{0, 0, 0}, {1, 0, 0}, {0, 2, 0}},
                    {{0.3, 0.2, 1.5}, {0.7, 0.5, 0.1}, {-0.4, 1.2, 0.2}}};
    double sum = 0;
    int n = 20000;
    for (int k = 0; k < n; k++) {
        double t = (k + 0.5) / n, u[3], w[3], area[3];
        for (int i = 0; i < 3; i++) {
            u[i] = r[0].u[i] + t * (r[1].u[i] - r[0].u[i]);
            w[i] = r[0].w[i] + t * (r[1].w[i] - r[0].w[i]);
        }
        fb_v3_cross(area, u, w);
        sum += PI / n * fb_v3_dot(area, r[1].c);
    }
    FB_NEAR(fb_rings_volume(r, 0, 1), sum, 0, 1e-8);
    fb_body body = {.rings = r, .n_rings = 2};
    fb_bundle bundle = {.first = 0, .rings = 2};
    body.bundles = &bundle;
    FB_NEAR(fb_bundle_volume(&body, 0), sum, 0, 1e-8);
    FB_NEAR(mesh_volume(r, 2, 64), sum, 0, 1e-8);
}

typedef struct bent {
    fb_polygon p;
    double (*turns)[3];
} bent;

/* Turns of a whole angle in equal parts at the joints of the belly, about x, y and z. */
static bent make_bent(const fb_shape *s, const fb_layers *l, double x, double y, double z) {
    bent b;
    size_t n = fb_polygon_count(s, l);
    b.turns = calloc(n, sizeof *b.turns);
    double joints = l->l2 + l->l3;
    for (size_t k = (size_t)l->l1 + 1; k <= (size_t)(l->l1 + l->l2 + l->l3); k++) {
        fb_v3_set(b.turns[k], x / joints, y / joints, z / joints);
    }
    FB_EQUAL_STR(fb_polygon_make(&b.p, s, l, (const double(*)[3])b.turns), NULL);
    return b;
}

static double length_of(const fb_polygon *p) {
    double length = 0;
    for (size_t k = 0; k + 1 < p->n; k++) {
        length += fb_v3_distance(p->rings[k].c, p->rings[k + 1].c);
    }
    return length;
}

static void bending_keeps_volume_and_length(void) {
    static const double angles[][3] = {{0.5, 0, 0},      {PI / 2, 0, 0},     {0, -PI / 2, 0},
                                       {0, 0, PI / 2},   {1, -1, 0.5},       {0.3, 0.2, -PI / 2},
                                       {2.5, 0.1, -2.2}, {PI / 2, 0, PI / 2}};
    for (size_t k = 0; k < 3 * sizeof angles / sizeof *angles; k++) {
        fb_shape s = example();
        fb_layers l = {2, 6 << k % 3, 5 << k % 3, 2};
        const double *a = angles[k / 3];
        bent b = make_bent(&s, &l, a[0], a[1], a[2]);
        double belly = fb_shape_belly_volume(&s), all = belly + fb_shape_tendon_volume(&s);
        FB_NEAR(fb_rings_volume(b.p.rings, b.p.cut[0], b.p.cut[1]), belly, 0, 1e-12);
        FB_NEAR(fb_rings_volume(b.p.rings, 0, b.p.n - 1), all, 0, 1e-3);
        FB_NEAR(mesh_volume(b.p.rings, b.p.n, 16), all, 0, 1e-3);
        FB_NEAR(length_of(&b.p), fb_shape_length(&s), 0, 1e-13);
        const fb_ring *middle = b.p.rings + b.p.widest;
        FB_NEAR(fb_v3_norm(middle->c), 0, 1e-17, 0);
        FB_NEAR(middle->u[2], 0, 1e-16, 0);
        FB_NEAR(middle->w[2], 0, 1e-16, 0);
        FB_NEAR(fb_v3_norm(middle->w) / fb_v3_norm(middle->u), 0.5, 0, 0.02);
        fb_polygon_free(&b.p);
        free(b.turns);
    }
}

/* The axis of a bundle that is bent by 90 degrees in all turns by 90 degrees in all, about x. */
static void bends_as_told(void) {
    fb_shape s = example();
    fb_layers l = {1, 16, 16, 1};
    bent b = make_bent(&s, &l, PI / 2, 0, 0);
    double first[3], last[3], cross[3];
    fb_v3_sub(first, b.p.rings[1].c, b.p.rings[0].c);
    fb_v3_sub(last, b.p.rings[b.p.n - 1].c, b.p.rings[b.p.n - 2].c);
    fb_v3_cross(cross, first, last);
    FB_NEAR(fb_v3_dot(first, last), 0, 1e-15, 0);
    FB_NEAR(cross[0], 0.02 * 0.05, 0, 1e-12); /* about x, positive */
    fb_polygon_free(&b.p);
    free(b.turns);
    b = make_bent(&s, &l, 0, 0, PI / 2); /* the last ring of the belly against the first */
    const double *u = b.p.rings[1].u, *v = b.p.rings[b.p.cut[1]].u;
    FB_NEAR(atan2(u[0] * v[1] - u[1] * v[0], fb_v3_dot(u, v)), PI / 2, 0, 1e-12);
    fb_polygon_free(&b.p);
    free(b.turns);
}

/* An untapered tube is exact by the mitre alone: the factor of the belly is then 1. Near enough is
 * a belly that uses a thousandth of its half-ellipsoids. */
static void mitre_is_exact_for_tubes(void) {
    fb_shape s = {.a = 0.002, .b = 0.001, .c1 = 60, .c2 = 60, .l2 = 0.06, .l3 = 0.06};
    fb_layers l = {0, 4, 4, 0};
    bent b = make_bent(&s, &l, 1.2, 0.6, 0);
    const fb_ring *ring = b.p.rings + 3;
    double axis[3], area[3];
    fb_v3_sub(axis, b.p.rings[4].c, ring->c);
    fb_v3_normalize(axis);
    fb_v3_cross(area, ring->u, ring->w);
    FB_NEAR(fb_v3_dot(area, axis), 0.002 * 0.001, 0, 1e-6); /* square to the axis */
    double turn = sqrt(1.2 * 1.2 + 0.6 * 0.6) / 8;
    FB_NEAR(fb_v3_norm(area), 0.002 * 0.001 / cos(turn / 2), 0, 1e-6);
    fb_polygon_free(&b.p);
    free(b.turns);
}

/* Each edge once each way round, and as many faces as Euler wants. */
static void meshes_are_closed(void) {
    for (int sides = 3; sides <= 9; sides++) {
        fb_shape s = example();
        fb_layers l = {1, 3, 2, 1};
        fb_polygon p;
        fb_quads mesh;
        fb_polygon_make(&p, &s, &l, NULL);
        FB_EQUAL_STR(fb_quads_make(&mesh, p.rings, p.n, sides, true), NULL);
        size_t n = mesh.n_vertices, corners = 0;
        FB_EQUAL_INT(n, p.n * (size_t)sides);
        int *edge = calloc(n * n, sizeof *edge);
        for (size_t k = 0; k < mesh.n_quads; k++) {
            size_t *q = mesh.quads[k], m = q[2] == q[3] ? 3 : 4;
            corners += m;
            for (size_t i = 0; i < m; i++) {
                edge[q[i] * n + q[(i + 1) % m]]++;
            }
        }
        int wrong = 0;
        for (size_t i = 0; i < n; i++) {
            for (size_t j = 0; j < n; j++) {
                wrong += edge[i * n + j] != edge[j * n + i] || edge[i * n + j] > 1;
            }
        }
        FB_EQUAL_INT(wrong, 0);
        FB_EQUAL_INT(n + mesh.n_quads - corners / 2, 2);
        free(edge);
        fb_quads_free(&mesh);
        FB_EQUAL_STR(fb_quads_make(&mesh, p.rings, p.n, sides, false), NULL);
        FB_EQUAL_INT(mesh.n_quads, (p.n - 1) * (size_t)sides);
        fb_quads_free(&mesh);
        fb_polygon_free(&p);
    }
}

static void nonsense_is_refused(void) {
    fb_polygon p;
    fb_quads mesh;
    fb_shape s = example();
    fb_layers l = {1, 1, 0, 1};
    FB_HOLDS(fb_polygon_make(&p, &s, &l, NULL), "fewer than 1");
    s.l3 = 0;
    FB_HOLDS(fb_polygon_make(&p, &s, &l, NULL), "fewer than two layers");
    s = example();
    s.a = -1;
    FB_HOLDS(fb_polygon_make(&p, &s, &l, NULL), "negative");
    s = example();
    l = (fb_layers){0, 4, 4, 0};
    s.l1 = s.l4 = 0;
    double turns[9][3] = {{0}};
    turns[4][0] = 3.13;
    FB_HOLDS(fb_polygon_make(&p, &s, &l, (const double(*)[3])turns), "turns");
    turns[4][0] = FB_NAN;
    FB_HOLDS(fb_polygon_make(&p, &s, &l, (const double(*)[3])turns), "turns");
    s.a = 0.03; /* so wide that its rings meet, though the axis turns little */
    for (int k = 1; k < 8; k++) {
        turns[k][0] = 0;
        turns[k][1] = 0.5;
    }
    FB_HOLDS(fb_polygon_make(&p, &s, &l, (const double(*)[3])turns), "sections meet");
    FB_TRUE(p.rings == NULL, "nothing is left");
    fb_ring ring[2] = {{{0}, {1, 0, 0}, {0, 1, 0}}, {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}}};
    FB_HOLDS(fb_quads_make(&mesh, ring, 2, 2, true), "sides");
    FB_HOLDS(fb_quads_make(&mesh, ring, 1, 8, true), "two rings");
}

int main(int argc, char **argv) {
    static const fb_test tests[] = {FB_TEST(polygons_are_widened),
                                    FB_TEST(rings_are_widened),
                                    FB_TEST(volume_is_the_ellipsoids),
                                    FB_TEST(ring_volume_is_that_of_slices),
                                    FB_TEST(bending_keeps_volume_and_length),
                                    FB_TEST(bends_as_told),
                                    FB_TEST(mitre_is_exact_for_tubes),
                                    FB_TEST(meshes_are_closed),
                                    FB_TEST(nonsense_is_refused),
                                    FB_TEST_END};
    return fb_test_main("polygon", tests, argc, argv);
}
