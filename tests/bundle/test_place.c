/* Placing by the default rule against what is known in closed form: cylinders, straight and around
 * an arc; contact with the planes; widths that are given; heads that part; the order and the
 * neighbours that it asks for; what it refuses. */
#include "libcore/bundle/place.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/arena.h"
#include "libcore/base/number.h"
#include "libcore/base/spatial.h"
#include "libcore/bundle/lattice.h"
#include "libcore/bundle/measure.h"
#include "tests/help.h"

#define PI 3.14159265358979323846
#define LONG 1e6 /* m: half-ellipsoids so long do not taper */

enum { MOST_CELLS = 400, MOST_SECTIONS = 80, MOST_HEADS = 3 };

/* ---- what is placed -------------------------------------------------------------------------- */

typedef struct scene {
    fb_place_cell cells[MOST_CELLS];
    fb_frame frames[MOST_HEADS * MOST_SECTIONS];
    fb_placing place;
    fb_body body;
    fb_scratch scratch;
} scene;

/* Sections along z at equal steps from the middle, around which bellies of a shape lie. */
static void straight_frames(fb_frame *frames, size_t n, double length) {
    for (size_t k = 0; k < n; k++) {
        frames[k] = (fb_frame){.o = {0, 0, length * ((double)k / (double)(n - 1) - 0.5)},
                               .x = {1, 0, 0},
                               .y = {0, 1, 0},
                               .z = {0, 0, 1}};
    }
}

/* Along an arc in the plane of x and z, which begins along z and bends towards +x. */
static void arc_frames(fb_frame *frames, size_t n, double length, double angle) {
    double radius = length / angle;
    for (size_t k = 0; k < n; k++) {
        double at = angle * ((double)k / (double)(n - 1) - 0.5), c = cos(at), s = sin(at);
        frames[k] = (fb_frame){.o = {radius * (1 - c), 0, radius * s},
                               .x = {c, 0, -s},
                               .y = {0, 1, 0},
                               .z = {s, 0, c}};
    }
}

/* A scene to be freed with scene_free: a round lattice of bundles of one shape, whose bellies take
 * all of n sections of one straight core. */
static scene *scene_new(double radius, const fb_shape *shape, size_t n) {
    scene *it = calloc(1, sizeof *it);
    fb_lattice lattice;
    const char *why = fb_lattice_round(&lattice, radius);
    if (!it || why || lattice.n > MOST_CELLS || n > MOST_SECTIONS) {
        abort(); /* the test itself is wrong */
    }
    for (size_t c = 0; c < lattice.n; c++) {
        it->cells[c] = (fb_place_cell){.i = lattice.cells[c].i,
                                       .j = lattice.cells[c].j,
                                       .order = lattice.cells[c].order,
                                       .shape = *shape,
                                       .share = 1.0 / (double)lattice.n,
                                       .widest = n / 2,
                                       .upper = n - 1,
                                       .last = n - 1};
    }
    straight_frames(it->frames, n, shape->l2 + shape->l3);
    it->place = (fb_placing){.n_cells = lattice.n,
                             .cells = it->cells,
                             .n_sections = n,
                             .base = n / 2,
                             .n_heads = 1,
                             .frames = it->frames,
                             .flush = true};
    it->body.bundles = fb_alloc(lattice.n * sizeof *it->body.bundles);
    it->body.rings = fb_alloc(fb_place_rings(&it->place) * sizeof *it->body.rings);
    fb_lattice_free(&lattice);
    return it;
}

static const char *scene_place(scene *it) {
    return fb_place_body(&it->body, &it->place, &it->scratch);
}

static void scene_free(scene *it) {
    fb_body_free(&it->body);
    fb_scratch_clear(&it->scratch);
    free(it);
}

static const fb_ring *ring_of(const scene *it, size_t bundle, size_t k) {
    return it->body.rings + it->body.bundles[bundle].first + k;
}

/* How far an elliptic ring reaches in a direction of unit length, from its centre. */
static double reach(const fb_ring *ring, const double *along) {
    return fb_length2(fb_v3_dot(ring->u, along), fb_v3_dot(ring->w, along));
}

static fb_body_measures measured(const scene *it) {
    fb_body_measures m;
    FB_EQUAL_INT(fb_body_measure(&m, &it->body, 0, -1), FB_OK);
    return m;
}

static const fb_shape cylinder = {
    .a = 0.004, .b = 0.002, .c1 = LONG, .c2 = LONG, .l2 = 0.1, .l3 = 0.1};
static const fb_shape tapered = {
    .a = 0.004, .b = 0.002, .c1 = 0.11, .c2 = 0.11, .l2 = 0.1, .l3 = 0.1};

/* ---- cylinders ------------------------------------------------------------------------------- */

/* Straight cylinders stand where the lattice's cells are, with the shape's axes, in parallel. */
static void cylinders_stand_in_cells(void) {
    scene *it = scene_new(5, &cylinder, 21);
    FB_EQUAL_STR(scene_place(it), NULL);
    FB_EQUAL_INT(it->body.n_bundles, it->place.n_cells);
    double worst = 0;
    for (size_t i = 0; i < it->body.n_bundles; i++) {
        const fb_bundle *b = it->body.bundles + i;
        FB_EQUAL_INT(b->cell[0], it->cells[i].i);
        FB_EQUAL_INT(b->cell[1], it->cells[i].j);
        FB_EQUAL_INT(b->order, it->cells[i].order);
        FB_EQUAL_INT(b->rings, 21);
        FB_NEAR(b->length, 0.2, 0, 1e-9);
        FB_NEAR(b->volume, PI * 0.004 * 0.002 * 0.2, 0, 1e-9);
        FB_SAME(b->share, it->cells[i].share);
        for (size_t k = 0; k < b->rings; k++) {
            const fb_ring *ring = ring_of(it, i, k);
            double c[3] = {(2 * b->cell[0] + 1) * 0.004, (2 * b->cell[1] + 1) * 0.002,
                           0.01 * (double)k - 0.1};
            const double u[3] = {0.004, 0, 0}, w[3] = {0, 0.002, 0};
            worst = fb_greater(worst, fb_v3_distance(ring->c, c));
            worst = fb_greater(worst, fb_v3_distance(ring->u, u));
            worst = fb_greater(worst, fb_v3_distance(ring->w, w));
        }
    }
    FB_TRUE(worst < 1e-8, "%g m", worst);
    fb_body_measures m = measured(it);
    FB_TRUE(m.penetration < 2e-6 && m.worst_gap < 2e-6, "%g %g", m.penetration, m.worst_gap);
    scene_free(it);
}

/* Around an arc, those nearer to its middle are shorter, thus thicker; all are square to the arc,
 * and each at the distance from its middle that the thicknesses in its row add up to. */
static void cylinders_around_an_arc(void) {
    double angle = PI / 2, radius = 0.2 / angle;
    scene *it = scene_new(3, &cylinder, 41);
    arc_frames(it->frames, 41, 0.2, angle);
    FB_EQUAL_STR(scene_place(it), NULL);
    fb_body_measures m = measured(it);
    FB_TRUE(m.penetration < 0.002 && m.worst_gap < 0.002 && m.tilt < PI / 180,
            "penetration %g, gap %g, tilt %g", m.penetration, m.worst_gap, m.tilt);
    double volume = PI * 0.004 * 0.002 * 0.2;
    for (size_t i = 0; i < it->body.n_bundles; i++) {
        const fb_bundle *b = it->body.bundles + i;
        int column = b->cell[0];
        double from =
            radius; /* where a column begins; x = 0 is as far from the middle as the core */
        for (int k = 0; k < (column >= 0 ? column + 1 : -column); k++) {
            /* of a bundle at r with length r angle and volume v: pi a^2 / 2 r angle = v */
            double sign = column >= 0 ? -1 : 1, a = 0.004, r = from;
            for (int pass = 0; pass < 50; pass++) {
                r = from + sign * a;
                a = sqrt(2 * volume / (PI * r * angle));
            }
            from = k == (column >= 0 ? column : -column - 1) ? r : from + 2 * sign * a;
        }
        for (size_t k = 0; k < b->rings; k++) {
            const fb_ring *ring = ring_of(it, i, k);
            double d = fb_length2(ring->c[0] - radius, ring->c[2]);
            FB_NEAR(d, from, 0.02 * 0.004, 0); /* chords lie within the arc */
            FB_NEAR(fb_v3_norm(ring->w) / fb_v3_norm(ring->u), 0.5, 0, 2e-7);
        }
        FB_NEAR(b->length, from * angle, 0, 1e-3); /* of chords */
        FB_NEAR(fb_bundle_volume(&it->body, i), volume, 0, 1e-9);
    }
    scene_free(it);
}

/* ---- contact --------------------------------------------------------------------------------- */

/* Bundles of column -1 stand on the plane x = 0, those of row -1 on y = 0 (columns and rows 0 stand
 * against these); and none reaches through. */
static void stand_on_the_planes(void) {
    scene *it = scene_new(5, &tapered, 33);
    static const double x[3] = {1, 0, 0}, y[3] = {0, 1, 0};
    FB_EQUAL_STR(scene_place(it), NULL);
    for (size_t i = 0; i < it->body.n_bundles; i++) {
        const fb_bundle *b = it->body.bundles + i;
        int column = b->cell[0], row = b->cell[1];
        for (size_t k = 0; k < b->rings; k++) {
            const fb_ring *ring = ring_of(it, i, k);
            double from_x = (column < 0 ? -1 : 1) * ring->c[0] - reach(ring, x);
            double from_y = (row < 0 ? -1 : 1) * ring->c[1] - reach(ring, y);
            FB_TRUE(from_x > -0.01 * 0.002 && from_y > -0.01 * 0.002, "%d,%d reaches through",
                    column, row);
            if (column == -1) {
                FB_NEAR(from_x, 0, 0.01 * 0.002, 0);
            }
            if (row == -1) {
                FB_NEAR(from_y, 0, 0.01 * 0.002, 0);
            }
        }
    }
    scene_free(it);
}

/* In the limit of slender bundles a row's centres lie where widths add up, section by section. */
static void slender_rows_add_up(void) {
    const fb_shape slender = {.a = 4e-5, .b = 2e-5, .c1 = 0.11, .c2 = 0.11, .l2 = 0.1, .l3 = 0.1};
    scene *it = scene_new(6, &slender, 41);
    FB_EQUAL_STR(scene_place(it), NULL);
    for (size_t i = 0; i < it->body.n_bundles; i++) {
        const fb_bundle *b = it->body.bundles + i;
        for (size_t k = 0; k < b->rings; k++) {
            double z = 0.005 * (double)k - 0.1, size = sqrt(1 - z * z / (0.11 * 0.11));
            const fb_ring *ring = ring_of(it, i, k);
            FB_NEAR(ring->c[0], (2 * b->cell[0] + 1) * slender.a * size, 1e-3 * slender.a, 1e-3);
            FB_NEAR(ring->c[1], (2 * b->cell[1] + 1) * slender.b * size, 1e-3 * slender.b, 1e-3);
            FB_NEAR(fb_v3_norm(ring->u), slender.a * size, 0, 2e-3); /* volume of chords */
        }
    }
    scene_free(it);
}

/* ---- widths that are given ------------------------------------------------------------------- */

/* A row of widths is that of the bundles' own; height keeps the section's area. */
static void given_widths(void) {
    scene *it = scene_new(3, &tapered, 25);
    double width[25];
    for (int k = 0; k < 25; k++) {
        double z = (k - 12) / 12.0;
        width[k] = 1 - 0.2 * z * z;
    }
    it->place.width = width;
    FB_EQUAL_STR(scene_place(it), NULL);
    fb_body_measures m = measured(it);
    FB_TRUE(m.penetration < 0.01 && m.gap < 0.01 && m.ratio_error < 0.01, "%g %g %g", m.penetration,
            m.gap, m.ratio_error);
    for (size_t i = 0; i < it->body.n_bundles; i++) {
        double u = fb_v3_norm(ring_of(it, i, 12)->u), w = fb_v3_norm(ring_of(it, i, 12)->w);
        for (size_t k = 0; k < 25; k++) {
            const fb_ring *ring = ring_of(it, i, k);
            double z = ((double)k - 12) / 12 * 0.1, area = 1 - z * z / (0.11 * 0.11);
            FB_NEAR(fb_v3_norm(ring->u) / u, width[k], 0, 2e-7);
            FB_NEAR(fb_v3_norm(ring->u) * fb_v3_norm(ring->w) / (u * w), area, 0, 0.02);
        }
        FB_NEAR(fb_bundle_volume(&it->body, i), fb_shape_belly_volume(&tapered), 0, 1e-12);
    }
    scene_free(it);
}

/* ---- heads ----------------------------------------------------------------------------------- */

/* Above the widest section the columns i < 0 follow a core that turns to -x, the others one that
 * turns to +x: each stands on its own core's plane x = 0, and none reaches through it. */
static void heads_stand_on_their_own_planes(void) {
    enum { N = 41 };
    scene *it = scene_new(3, &tapered, N);
    straight_frames(it->frames + N, N, 0.2);
    for (size_t c = 0; c < it->place.n_cells; c++) {
        int side = it->cells[c].i >= 0;
        it->cells[c].head[0] = 0;
        it->cells[c].head[1] = side;
    }
    it->place.n_heads = 2;
    for (size_t h = 0; h < 2; h++) {
        for (size_t k = N / 2; k < N; k++) { /* arcs of 30 degrees */
            double length = 0.1 * (double)(k - N / 2) / (N - 1 - N / 2), radius = 0.1 / (PI / 6);
            double sign = h ? 1 : -1, at = length / radius, c = cos(at), s = sin(at);
            it->frames[h * N + k] = (fb_frame){.o = {sign * radius * (1 - c), 0, radius * s},
                                               .x = {c, 0, -sign * s},
                                               .y = {0, 1, 0},
                                               .z = {sign * s, 0, c}};
        }
    }
    FB_EQUAL_STR(scene_place(it), NULL);
    double nearest = 1;
    for (size_t i = 0; i < it->body.n_bundles; i++) {
        const fb_bundle *b = it->body.bundles + i;
        size_t head = b->cell[0] >= 0;
        double side = head ? 1 : -1;
        FB_EQUAL_INT(b->head[0], 0);
        FB_EQUAL_INT(b->head[1], (int)head);
        for (size_t k = N / 2; k < N; k++) {
            const fb_frame *f = it->frames + head * N + k;
            const fb_ring *ring = ring_of(it, i, k);
            double d[3];
            fb_v3_sub(d, ring->c, f->o);
            double from = side * fb_v3_dot(d, f->x) - reach(ring, f->x);
            FB_TRUE(from > -0.02 * 0.002, "%d,%d reaches %g m through in section %zu", b->cell[0],
                    b->cell[1], -from, k);
            if (b->cell[0] == 0 || b->cell[0] == -1) {
                FB_NEAR(from, 0, 0.02 * 0.002, 0);
            }
            if (k == N - 1) { /* heads are apart by then */
                nearest = fb_lesser(nearest, side * ring->c[0] - reach(ring, f->x));
            }
        }
    }
    FB_TRUE(nearest > 0.02, "the nearest bundle's end is %g m aside", nearest);
    fb_body_measures m = measured(it);
    FB_TRUE(m.penetration < 0.01 && m.gap < 0.01 && m.between_heads < 0.05, "%g %g %g",
            m.penetration, m.gap, m.between_heads);
    scene_free(it);
}

/* The columns i < 0 follow a core that runs through the other head's body and back, 8 mm deep:
 * they give way, all of them and gradually, and the other head stays where it is. */
static void heads_give_way(void) {
    enum { N = 41 };
    scene *it = scene_new(3, &tapered, N);
    for (size_t c = 0; c < it->place.n_cells; c++) {
        it->cells[c].head[0] = it->cells[c].head[1] = it->cells[c].i >= 0;
    }
    it->place.n_heads = 2;
    memcpy(it->frames + N, it->frames, N * sizeof *it->frames);
    for (size_t k = 0; k < N; k++) {
        double s = sin(PI * (double)k / (N - 1));
        it->frames[k].o[0] = 0.008 * s * s;
    }
    FB_EQUAL_STR(scene_place(it), NULL);
    const double x[3] = {1, 0, 0};
    double moved = 0;
    for (size_t k = 0; k < N; k++) {
        double far[2] = {-1, 1}; /* the left head's right side, the right head's left side */
        for (size_t i = 0; i < it->body.n_bundles; i++) {
            const fb_ring *ring = ring_of(it, i, k);
            int right = it->body.bundles[i].head[1];
            double from = ring->c[0] - (right ? 1 : -1) * reach(ring, x);
            far[right] = right ? fb_lesser(far[1], from) : fb_greater(far[0], from);
        }
        FB_TRUE(far[0] < far[1], "section %zu: %g m and %g m", k, far[0], far[1]);
        FB_NEAR(far[1], 0, 0.02 * 0.002, 0);
        moved = fb_greater(moved, it->frames[k].o[0] - far[0]);
    }
    FB_TRUE(moved > 0.008, "%g", moved);
    fb_body_measures m = measured(it);
    FB_SAME(m.between_heads, 0);
    FB_TRUE(m.penetration < 0.01 && m.gap < 0.01 && m.volume_error < 1e-9 && m.tilt < 0.3,
            "%g %g %g %g", m.penetration, m.gap, m.volume_error, m.tilt);
    scene_free(it);
}

/* ---- ends ------------------------------------------------------------------------------------ */

/* Bundles that keep their lengths end where these end, between sections. */
static void free_ends(void) {
    fb_shape shape = tapered;
    shape.l1 = 0.0123;
    shape.l4 = 0.0077;
    enum { N = 61 };
    scene *it = scene_new(4, &shape, N);
    straight_frames(it->frames, N, 0.3);
    for (size_t c = 0; c < it->place.n_cells; c++) {
        it->cells[c].lower = 10;
        it->cells[c].upper = 50;
    }
    it->place.flush = false;
    FB_EQUAL_STR(scene_place(it), NULL);
    for (size_t i = 0; i < it->body.n_bundles; i++) {
        const fb_bundle *b = it->body.bundles + i;
        double whole = fb_shape_belly_volume(&shape) + fb_shape_tendon_volume(&shape);
        FB_NEAR(b->length, 0.22, 0, 1e-12);
        FB_NEAR(fb_bundle_length(&it->body, i), 0.22, 0, 1e-9);
        FB_NEAR(b->belly[0], 0.0123, 0, 1e-12);
        FB_NEAR(b->belly[1], 0.2123, 0, 1e-12);
        FB_NEAR(fb_bundle_volume(&it->body, i), whole, 0, 1e-12);
        FB_SAME(b->volume, whole);
        /* the more a bundle winds, the sooner it ends */
        FB_TRUE(ring_of(it, i, b->rings - 1)->c[2] < 0.1077 + 1e-9, "%d,%d", b->cell[0],
                b->cell[1]);
        for (size_t k = 1; k < b->rings; k++) {
            FB_TRUE(ring_of(it, i, k)->c[2] > ring_of(it, i, k - 1)->c[2], "ring %zu", k);
        }
    }
    scene_free(it);
}

/* ---- order ----------------------------------------------------------------------------------- */

/* Cells may stand in the list in any order: each bundle is the same. */
static void any_order_of_cells(void) {
    scene *it = scene_new(4, &tapered, 17), *other = scene_new(4, &tapered, 17);
    size_t n = it->place.n_cells;
    for (size_t c = 0; c < n; c++) {
        other->cells[c] = it->cells[n - 1 - c];
    }
    FB_EQUAL_STR(scene_place(it), NULL);
    FB_EQUAL_STR(scene_place(other), NULL);
    for (size_t c = 0; c < n; c++) {
        FB_TRUE(memcmp(ring_of(it, c, 0), ring_of(other, n - 1 - c, 0), 17 * sizeof(fb_ring)) == 0,
                "%d,%d differs", it->cells[c].i, it->cells[c].j);
    }
    scene_free(it);
    scene_free(other);
}

/* Placed again, also where others lay before, the same bytes. */
static void placed_again(void) {
    scene *it = scene_new(4, &tapered, 17);
    FB_EQUAL_STR(scene_place(it), NULL);
    size_t size = it->body.n_rings * sizeof *it->body.rings;
    fb_ring *before = malloc(size);
    memcpy(before, it->body.rings, size);
    arc_frames(it->frames, 17, 0.2, 0.6);
    FB_EQUAL_STR(scene_place(it), NULL);
    FB_TRUE(memcmp(before, it->body.rings, size) != 0, "it has not moved");
    straight_frames(it->frames, 17, 0.2);
    FB_EQUAL_STR(scene_place(it), NULL);
    FB_TRUE(memcmp(before, it->body.rings, size) == 0, "it does not come back");
    free(before);
    scene_free(it);
}

/* A body moved as a whole: the same, moved. */
static void moves_with_its_frames(void) {
    scene *it = scene_new(4, &tapered, 17), *moved = scene_new(4, &tapered, 17);
    double axis[3] = {0.48, 0.6, 0.64}, R[9], to[3] = {0.3, -0.2, 1};
    fb_m3_rotation(R, axis, 1.1);
    arc_frames(it->frames, 17, 0.2, 0.8);
    for (int k = 0; k < 17; k++) {
        const fb_frame *f = it->frames + k;
        fb_frame *g = moved->frames + k;
        fb_m3_mul_v3(g->o, R, f->o);
        fb_v3_add(g->o, g->o, to);
        fb_m3_mul_v3(g->x, R, f->x);
        fb_m3_mul_v3(g->y, R, f->y);
        fb_m3_mul_v3(g->z, R, f->z);
    }
    FB_EQUAL_STR(scene_place(it), NULL);
    FB_EQUAL_STR(scene_place(moved), NULL);
    double worst = 0;
    for (size_t i = 0; i < it->body.n_rings; i++) {
        double c[3], u[3];
        fb_m3_mul_v3(c, R, it->body.rings[i].c);
        fb_v3_add(c, c, to);
        fb_m3_mul_v3(u, R, it->body.rings[i].u);
        worst = fb_greater(worst, fb_v3_distance(c, moved->body.rings[i].c));
        worst = fb_greater(worst, fb_v3_distance(u, moved->body.rings[i].u));
    }
    FB_TRUE(worst < 3e-8, "%g m", worst);
    scene_free(it);
    scene_free(moved);
}

/* ---- what is refused ------------------------------------------------------------------------- */

static size_t cell_at(const scene *it, int i, int j) {
    for (size_t c = 0; c < it->place.n_cells; c++) {
        if (it->cells[c].i == i && it->cells[c].j == j) {
            return c;
        }
    }
    abort();
}

static void refuses_lattices_with_holes(void) {
    static const int holes[][2] = {{0, 0}, {1, 1}, {-1, 0}, {-2, -1}, {0, 2}};
    for (int k = 0; k < 5; k++) {
        scene *it = scene_new(4, &tapered, 9);
        it->cells[cell_at(it, holes[k][0], holes[k][1])] = it->cells[it->place.n_cells - 1];
        it->place.n_cells--;
        const char *why = scene_place(it);
        FB_HOLDS(why ? why : "placed", "the lattice has a hole");
        scene_free(it);
    }
    scene *it = scene_new(2, &tapered, 9); /* one cell alone, without the others at the core */
    it->cells[0] = it->cells[cell_at(it, 0, 0)];
    it->place.n_cells = 1;
    const char *why = scene_place(it);
    FB_HOLDS(why ? why : "placed", "the lattice has a hole");
    scene_free(it);
}

static void refuses_cells_that_stand_twice(void) {
    scene *it = scene_new(4, &tapered, 9);
    it->cells[it->place.n_cells++] = it->cells[3];
    it->body.bundles = realloc(it->body.bundles, it->place.n_cells * sizeof *it->body.bundles);
    it->body.rings = realloc(it->body.rings, fb_place_rings(&it->place) * sizeof *it->body.rings);
    const char *why = scene_place(it);
    FB_HOLDS(why ? why : "placed", "two bundles have the same cell");
    scene_free(it);
}

static void refuses_too_little(void) {
    scene *it = scene_new(2, &tapered, 9);
    size_t n = it->place.n_cells;
    it->place.n_cells = 0;
    FB_HOLDS(scene_place(it), "a bundle and three sections");
    it->place.n_cells = n;
    it->place.n_sections = 2;
    FB_HOLDS(scene_place(it), "a bundle and three sections");
    scene_free(it);
}

/* An arc whose middle lies within the muscle: sections cross on its inner side. */
static void refuses_sections_that_cross(void) {
    scene *it = scene_new(10, &tapered, 33); /* 80 mm wide */
    arc_frames(it->frames, 33, 0.2, 1.6);    /* radius 125 mm */
    const char *fits = scene_place(it);
    arc_frames(it->frames, 33, 0.2, 7); /* radius 29 mm */
    const char *crosses = scene_place(it);
    FB_EQUAL_STR(fits, NULL);
    FB_HOLDS(crosses ? crosses : "placed", "sections cross");
    straight_frames(it->frames, 33, 0.2); /* a core that goes back the way that it came */
    for (size_t k = 20; k < 33; k++) {
        it->frames[k].o[2] = it->frames[40 - k].o[2] - 0.001;
    }
    const char *folds = scene_place(it);
    FB_HOLDS(folds ? folds : "placed", "sections cross");
    scene_free(it);
}

int main(int argc, char **argv) {
    static const fb_test tests[] = {FB_TEST(cylinders_stand_in_cells),
                                    FB_TEST(cylinders_around_an_arc),
                                    FB_TEST(stand_on_the_planes),
                                    FB_TEST(slender_rows_add_up),
                                    FB_TEST(given_widths),
                                    FB_TEST(heads_stand_on_their_own_planes),
                                    FB_TEST(heads_give_way),
                                    FB_TEST(free_ends),
                                    FB_TEST(any_order_of_cells),
                                    FB_TEST(placed_again),
                                    FB_TEST(moves_with_its_frames),
                                    FB_TEST(refuses_lattices_with_holes),
                                    FB_TEST(refuses_cells_that_stand_twice),
                                    FB_TEST(refuses_too_little),
                                    FB_TEST(refuses_sections_that_cross),
                                    FB_TEST_END};
    return fb_test_main("place", tests, argc, argv);
}
