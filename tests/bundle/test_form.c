/* Whole muscles laid by the default rule: how deep bundles sink and how far they gape, for what
 * widths, deformations, numbers of bundles and of layers; volumes, lengths, symmetry, determinism;
 * what is refused. */
#include "libcore/bundle/form.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "tests/bundle/laid.h"

/* What the default rule keeps (fb_body_measures). */
#define PENETRATION 0.01
#define GAP 0.01
#define WORST_GAP 0.03
#define TILT (15 * DEGREES)
#define VOLUME 1e-3
#define LENGTH 5e-3
#define RATIO 0.01

/* ---- the aims -------------------------------------------------------------------------------- */

/* Deformations, and up to what width (of the belly's length, both at rest) the aims are kept: with
 * 400 bundles and 32 layers in the belly at most; with 64 layers (fine), which turn more where
 * belly and tendon meet; with 2000 bundles (many). Shortened to 0.7, a muscle is 1 / 0.7^1.5 = 1.7
 * times as wide beside its belly as at rest. */
typedef struct deformation {
    const char *name;
    laid_subject subject;
    double width, fine, many;
} deformation;

static const deformation flush[] = {
    {"straight", {.heads = 1}, 0.5, 0.45, 0.5},
    {"stretched 0.7", {.stretch = 0.7}, 0.3, 0.2, 0.3},
    {"stretched 0.85", {.stretch = 0.85}, 0.4, 0.3, 0.4},
    {"stretched 1.4", {.stretch = 1.4}, 0.5, 0.5, 0.5},
    {"s 0", {.strength = 1}, 0.5, 0.45, 0.5},
    {"s 0.5", {.strength = 1.5}, 0.5, 0.45, 0.5},
    {"s 1", {.strength = 2}, 0.5, 0.5, 0.5},
    {"bent about x", {.bend_x = 90}, 0.5, 0.4, 0.5},
    {"bent about y", {.bend_y = 90}, 0.4, 0.3, 0.4},
    {"bent about both", {.bend_x = -60, .bend_y = 60}, 0.4, 0.3, 0.4},
    {"twisted", {.twist = 90}, 0.4, 0.4, 0.4},
    {"two heads", {.heads = 2, .spread = 0.04}, 0.5, 0.45, 0.5},
    {"three heads", {.heads = 3, .spread = 0.04}, 0.5, 0.45, 0.5},
    {"staggered", {.fibre_part = 0.3}, 0.3, 0.2, 0.3},
};

static const deformation kept[] = {
    {"straight", {.kept = true}, 0.5, 0.45, 0.5},
    {"stretched 0.7", {.kept = true, .stretch = 0.7}, 0.3, 0.2, 0.3},
    {"stretched 1.4", {.kept = true, .stretch = 1.4}, 0.5, 0.45, 0.5},
    {"s 1", {.kept = true, .strength = 2}, 0.5, 0.45, 0.5},
    {"bent about x", {.kept = true, .bend_x = 90}, 0.4, 0.3, 0.4},
    {"bent about y", {.kept = true, .bend_y = 90}, 0.3, 0.3, 0.18},
    {"twisted", {.kept = true, .twist = 90}, 0.4, 0.4, 0.4},
};

static void check_aims(const laid *l, const char *name, const laid_subject *s) {
    const fb_body_measures *m = &l->measures;
    if (!FB_TRUE(!l->why, "%s, %g bundles, %zu layers, width %g: %s", name, s->bundles, s->layers,
                 s->width, l->why)) {
        return;
    }
    FB_TRUE(m->penetration <= PENETRATION && m->gap <= GAP && m->worst_gap <= WORST_GAP &&
                m->tilt <= TILT && m->volume_error <= VOLUME && m->length_error <= LENGTH &&
                m->ratio_error <= RATIO,
            "%s, %g bundles, %zu layers, width %g: penetration %.2f %%, gap %.2f %%, worst %.2f "
            "%%, tilt %.1f, volume %.1e, length %.1e, ratio %.1e",
            name, s->bundles, s->layers, s->width, 100 * m->penetration, 100 * m->gap,
            100 * m->worst_gap, m->tilt / DEGREES, m->volume_error, m->length_error,
            m->ratio_error);
    FB_TRUE(m->penetration >= 0 && m->gap >= 0 && m->pairs >= 2 * l->body.n_bundles,
            "%s: %zu pairs of %zu bundles", name, m->pairs, l->body.n_bundles);
}

static void check_all(const deformation *list, size_t n) {
    static const struct {
        double bundles;
        size_t layers;
    } sizes[] = {{40, 8}, {40, 64}, {400, 24}, {2000, 8}};
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < (fb_test_is_fast() ? 4u : 2u); k++) {
            laid_subject s = list[i].subject;
            s.bundles = sizes[k].bundles;
            s.layers = sizes[k].layers;
            s.width = s.layers > 32 ? list[i].fine : s.bundles > 400 ? list[i].many : list[i].width;
            laid l = lay(&s);
            check_aims(&l, list[i].name, &s);
            FB_NEAR((double)l.body.n_bundles, s.bundles, 0, 0.1);
            laid_free(&l);
        }
    }
}

static void aims_with_ends_flush(void) {
    check_all(flush, sizeof flush / sizeof *flush);
}

static void aims_with_ends_free(void) {
    check_all(kept, sizeof kept / sizeof *kept);
}

/* Many bundles of many layers. */
static void aims_of_the_finest(void) {
    laid_subject s = {.bundles = fb_test_is_fast() ? 2000 : 100, .layers = 64, .width = 0.4};
    laid l = lay(&s);
    check_aims(&l, "finest", &s);
    laid_free(&l);
}

/* Other ratios than 0.5, slender muscles. */
static void aims_of_other_ratios(void) {
    static const double ratios[] = {0.3, 0.8, 1.25};
    for (int i = 0; i < 3; i++) {
        laid_subject s = {.bundles = 100, .layers = 24, .width = 0.2, .ratio = ratios[i]};
        for (int bent = 0; bent < 2; bent++) {
            s.bend_x = bent ? 90 : 0;
            laid l = lay(&s);
            check_aims(&l, "ratio", &s);
            FB_NEAR(l.body.bundles[0].ratio, ratios[i], 0, 1e-12);
            laid_free(&l);
        }
    }
}

/* ---- volumes and lengths --------------------------------------------------------------------- */

/* The volume between the rings of the belly of one bundle, whose ends are flush. */
static double belly_volume(const laid *l, size_t i) {
    const fb_place_cell *cell = l->form.cells + i;
    fb_bundle belly = l->body.bundles[i];
    belly.first += cell->lower - cell->first;
    belly.rings = cell->upper - cell->lower + 1;
    const fb_body one = {.bundles = &belly, .n_bundles = 1, .rings = l->body.rings};
    return fb_bundle_volume(&one, 0);
}

/* Of all deformations: each belly has the bundle's part of the muscle's volume. */
static void volume_is_kept(void) {
    for (size_t i = 0; i < sizeof flush / sizeof *flush; i++) {
        laid_subject s = flush[i].subject;
        s.bundles = 60;
        s.layers = 16;
        s.width = 0.3;
        laid l = lay(&s);
        double sum = 0, worst = 0, part = l.form.volume / (double)l.form.lattice.n;
        bool rigid = s.bend_x == 0 && s.bend_y == 0 && s.twist == 0 && s.spread == 0;
        if (!FB_TRUE(!l.why, "%s: %s", flush[i].name, l.why)) {
            continue;
        }
        for (size_t b = 0; b < l.body.n_bundles; b++) {
            double v = belly_volume(&l, b);
            worst = fb_greater(worst, fabs(v / part - 1));
            sum += v;
        }
        FB_NEAR(sum, l.form.volume, 0, rigid ? 1e-12 : 1e-3);
        FB_TRUE(worst <= (rigid ? 1e-12 : 1e-3), "%s: a bundle's volume is off by %g",
                flush[i].name, worst);
        laid_free(&l);
    }
}

/* Bundles that keep their lengths: their rings hold the volume of belly and tendon fibres of the
 * shape, which strength does not change, and stretch changes by that of the fibres alone. */
static void volume_of_kept_lengths(void) {
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        laid_subject s = kept[i].subject;
        s.bundles = 60;
        s.layers = 16;
        s.width = 0.3;
        laid l = lay(&s);
        double part = l.form.volume / (double)l.form.lattice.n, k = laid_or(s.stretch, 1);
        FB_TRUE(!l.why, "%s: %s", kept[i].name, l.why);
        for (size_t b = 0; b < l.body.n_bundles; b++) {
            double belly = fb_shape_belly_volume(l.form.rest + b);
            double fibres = fb_shape_tendon_volume(l.form.rest + b);
            FB_NEAR(belly, part, 0, 1e-12);
            FB_NEAR(fb_bundle_volume(&l.body, b), belly + fibres / k, 0, 1e-12);
        }
        laid_free(&l);
    }
}

/* The belly of each is k times as long as at rest, the tendon fibres as long as they were. */
static void kept_lengths(void) {
    static const double stretches[] = {0.7, 1, 1.4};
    double length[3][100], belly[3][100];
    for (int i = 0; i < 3; i++) {
        laid_subject s = {.bundles = 60, .kept = true, .stretch = stretches[i], .width = 0.3};
        laid l = lay(&s);
        for (size_t b = 0; b < l.body.n_bundles && b < 100; b++) {
            length[i][b] = fb_bundle_length(&l.body, b);
            belly[i][b] = l.body.bundles[b].belly[1] - l.body.bundles[b].belly[0];
            if (i == 2) {
                FB_NEAR(length[0][b] - 0.7 * belly[1][b], length[1][b] - belly[1][b], 0, 1e-9);
                FB_NEAR(length[2][b] - 1.4 * belly[1][b], length[1][b] - belly[1][b], 0, 1e-9);
                FB_NEAR(belly[0][b], 0.7 * belly[1][b], 0, 1e-12);
                FB_NEAR(belly[2][b], 1.4 * belly[1][b], 0, 1e-12);
            }
        }
        laid_free(&l);
    }
}

/* The further from the core, the longer a bundle: the parallel muscle's curved junction. */
static void outer_bundles_are_longer(void) {
    laid_subject s = {.bundles = 400};
    laid l = lay(&s);
    for (size_t b = 0; b < l.body.n_bundles; b++) {
        const fb_bundle *outer = l.body.bundles + b;
        size_t inner = outer->cell[0] > 0
                           ? fb_lattice_find(&l.form.lattice, outer->cell[0] - 1, outer->cell[1])
                           : (size_t)-1;
        if (inner != (size_t)-1) {
            FB_TRUE(outer->length > l.body.bundles[inner].length, "%d,%d is no longer than %d,%d",
                    outer->cell[0], outer->cell[1], outer->cell[0] - 1, outer->cell[1]);
        }
    }
    FB_TRUE(l.body.bundles[0].length > LAID_BELLY + 2 * LAID_TENDON &&
                l.body.bundles[0].length < 1.01 * (LAID_BELLY + 2 * LAID_TENDON),
            "the first is %g long", l.body.bundles[0].length);
    laid_free(&l);
}

/* ---- where it lies --------------------------------------------------------------------------- */

/* The mean of all bundles' first (last) rings: place, and directions of width and of the axis. */
static void end_of(const laid *l, bool upper, double *c, double *x, double *z) {
    fb_v3_set(c, 0, 0, 0);
    fb_v3_set(x, 0, 0, 0);
    fb_v3_set(z, 0, 0, 0);
    for (size_t b = 0; b < l->body.n_bundles; b++) {
        const fb_bundle *bundle = l->body.bundles + b;
        const fb_ring *ring = l->body.rings + bundle->first + (upper ? bundle->rings - 1 : 0);
        double n[3];
        fb_v3_cross(n, ring->u, ring->w);
        fb_v3_normalize(n);
        fb_v3_madd(c, 1.0 / (double)l->body.n_bundles, ring->c);
        fb_v3_add(x, x, ring->u);
        fb_v3_add(z, z, n);
    }
    fb_v3_normalize(x);
    fb_v3_normalize(z);
}

static double angle_between(const double *a, const double *b) {
    double d = fb_v3_dot(a, b);
    return acos(d > 1 ? 1 : d < -1 ? -1 : d) / DEGREES;
}

/* Both ends lie at those of a core that is an arc, and are turned as they are asked to. */
static void ends_lie_where_the_core_ends(void) {
    double length = LAID_BELLY + 2 * LAID_TENDON, radius = length / (90 * DEGREES);
    static const laid_subject subjects[] = {
        {.heads = 1}, {.bend_x = 90}, {.bend_y = 90}, {.twist = 90}, {.bend_x = -90}};
    const double ends[][3] = {{0, 0, length},
                              {0, -radius, radius},
                              {radius, 0, radius},
                              {0, 0, length},
                              {0, radius, radius}};
    for (int i = 0; i < 5; i++) {
        laid_subject s = subjects[i];
        s.bundles = 100;
        s.layers = 32;
        laid l = lay(&s);
        double c[2][3], x[2][3], z[2][3];
        FB_TRUE(!l.why, "%s", l.why);
        end_of(&l, false, c[0], x[0], z[0]);
        end_of(&l, true, c[1], x[1], z[1]);
        FB_TRUE(fb_v3_norm(c[0]) < 0.01 * length, "%d: it begins %g m from the core", i,
                fb_v3_norm(c[0]));
        FB_TRUE(fb_v3_distance(c[1], ends[i]) < 0.01 * length, "%d: it ends %g m from the core", i,
                fb_v3_distance(c[1], ends[i]));
        FB_NEAR(angle_between(z[0], z[1]), fabs(s.bend_x) + s.bend_y, 2, 0);
        FB_NEAR(angle_between(x[0], x[1]), s.bend_y + s.twist, 2, 0);
        laid_free(&l);
    }
}

/* Heads that part end at their own cores, each with its part of the bundles. */
static void heads_end_at_their_cores(void) {
    for (int heads = 2; heads <= 3; heads++) {
        laid_subject s = {.heads = heads, .spread = 0.06, .bundles = 120};
        laid l = lay(&s);
        double sum = 0;
        FB_TRUE(!l.why, "%s", l.why);
        FB_EQUAL_INT(l.body.n_heads, heads);
        for (int h = 0; h < heads; h++) {
            double c[3] = {0, 0, 0}, share = 0;
            size_t n = 0;
            for (size_t b = 0; b < l.body.n_bundles; b++) {
                const fb_bundle *bundle = l.body.bundles + b;
                if (bundle->head[1] == h) {
                    fb_v3_add(c, c, l.body.rings[bundle->first + bundle->rings - 1].c);
                    share += bundle->share;
                    n++;
                }
            }
            fb_v3_scale(c, 1.0 / (double)n, c);
            double aside = s.spread * (h - 0.5 * (heads - 1));
            double to[3] = {aside, 0, LAID_BELLY + 2 * LAID_TENDON};
            FB_TRUE(fb_v3_distance(c, to) < 0.1 * s.spread, "head %d of %d ends %g m from its core",
                    h, heads, fb_v3_distance(c, to));
            FB_NEAR(share, 1.0 / heads, 0, 1e-12);
            FB_NEAR((double)n, (double)l.body.n_bundles / heads, 0, 0.3);
            sum += share;
        }
        FB_NEAR(sum, 1, 0, 1e-12);
        laid_free(&l);
    }
}

/* Mirrored in the planes x = 0 and y = 0, a straight muscle is itself but for what cells (0, j),
 * which stand against (-1, j) and not against the plane, may sink and gape. */
static void straight_muscles_are_symmetric(void) {
    for (int k = 0; k < 4; k++) {
        laid_subject s = {.bundles = 400, .kept = k % 2 == 1, .width = k < 2 ? 0.2 : 0.5};
        laid l = lay(&s);
        double worst = 0, b = l.measures.half_height;
        FB_TRUE(!l.why, "%s", l.why);
        for (size_t i = 0; i < l.body.n_bundles; i++) {
            const fb_bundle *bundle = l.body.bundles + i;
            for (int axis = 0; axis < 2; axis++) {
                int at[2] = {bundle->cell[0], bundle->cell[1]};
                at[axis] = -1 - at[axis];
                size_t other = fb_lattice_find(&l.form.lattice, at[0], at[1]);
                if (!FB_TRUE(other != (size_t)-1, "%d,%d has no mirror", at[0], at[1])) {
                    continue;
                }
                const fb_bundle *mirror = l.body.bundles + other;
                FB_EQUAL_INT(mirror->rings, bundle->rings);
                for (size_t r = 0; r < bundle->rings && r < mirror->rings; r++) {
                    const fb_ring *p = l.body.rings + bundle->first + r;
                    const fb_ring *q = l.body.rings + mirror->first + r;
                    double c[3] = {q->c[0], q->c[1], q->c[2]};
                    c[axis] *= -1;
                    worst = fb_greater(worst, fb_v3_distance(p->c, c));
                    worst = fb_greater(worst, fabs(fb_v3_norm(p->u) - fb_v3_norm(q->u)));
                    worst = fb_greater(worst, fabs(fb_v3_norm(p->w) - fb_v3_norm(q->w)));
                }
            }
        }
        FB_TRUE(worst < (k < 2 ? 0.002 : 0.01) * b, "%s, width %g: %g of the half-height",
                s.kept ? "free" : "flush", s.width, worst / b);
        laid_free(&l);
    }
}

/* Bent by so much the other way, the mirrored body, likewise. */
static void bends_mirror(void) {
    laid_subject s = {.bundles = 100, .bend_y = 70};
    laid l = lay(&s);
    s.bend_y = -70;
    laid m = lay(&s);
    double worst = 0;
    for (size_t i = 0; i < l.body.n_bundles; i++) {
        const fb_bundle *p = l.body.bundles + i;
        size_t other = fb_lattice_find(&m.form.lattice, -1 - p->cell[0], p->cell[1]);
        for (size_t r = 0; r < p->rings; r++) {
            double c[3];
            fb_v3_copy(c, m.body.rings[m.body.bundles[other].first + r].c);
            c[0] *= -1;
            worst = fb_greater(worst, fb_v3_distance(c, l.body.rings[p->first + r].c));
        }
    }
    FB_TRUE(worst < 0.01 * l.measures.half_height, "%g of the half-height",
            worst / l.measures.half_height);
    laid_free(&l);
    laid_free(&m);
}

/* ---- determinism ----------------------------------------------------------------------------- */

static bool same_body(const fb_body *a, const fb_body *b) {
    bool same = a->n_bundles == b->n_bundles && a->n_rings == b->n_rings &&
                memcmp(a->rings, b->rings, a->n_rings * sizeof *a->rings) == 0;
    for (size_t i = 0; same && i < a->n_bundles; i++) {
        same = a->bundles[i].volume == b->bundles[i].volume &&
               a->bundles[i].length == b->bundles[i].length &&
               a->bundles[i].rings == b->bundles[i].rings;
    }
    return same;
}

/* A body laid anew over another one, with memory that was used, is that of new memory. */
static void laid_again(void) {
    laid_subject s = {.bundles = 100, .bend_x = 40, .twist = 30};
    laid_subject other = {.bundles = 100, .stretch = 1.3, .layers = 40};
    laid l = lay(&s), m = lay(&s);
    fb_sections sections;
    FB_EQUAL_STR(laid_sections(&sections, &m.form, &other, false), NULL);
    FB_EQUAL_STR(fb_form_place(&m.body, &m.form, &sections, 0.8, &m.scratch), NULL);
    FB_TRUE(!same_body(&l.body, &m.body), "it has not moved");
    FB_EQUAL_STR(fb_form_place(&m.body, &m.form, &m.sections, FB_NAN, &m.scratch), NULL);
    FB_TRUE(same_body(&l.body, &m.body), "it does not come back");
    fb_sections_free(&sections);
    laid_free(&l);
    laid_free(&m);
}

typedef struct placer {
    laid *l;
    fb_body body;
    const char *why;
} placer;

static void *place_one(void *context) {
    placer *p = context;
    fb_scratch scratch = {0};
    p->why = fb_form_place(&p->body, &p->l->form, &p->l->sections, FB_NAN, &scratch);
    fb_scratch_clear(&scratch);
    return NULL;
}

/* Placed by threads at the same time, each its own form. */
static void same_on_threads(void) {
    enum { THREADS = 3 };
    laid_subject s = {.bundles = 100, .bend_x = 40, .heads = 2, .spread = 0.03};
    laid l[THREADS];
    placer p[THREADS];
    pthread_t threads[THREADS];
    memset(p, 0, sizeof p);
    for (int i = 0; i < THREADS; i++) {
        l[i] = lay(&s);
        p[i].l = &l[i];
    }
    for (int i = 0; i < THREADS; i++) {
        if (pthread_create(&threads[i], NULL, place_one, &p[i]) != 0) {
            abort();
        }
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        FB_EQUAL_STR(p[i].why, NULL);
        FB_TRUE(same_body(&p[i].body, &l[0].body), "thread %d differs", i);
        fb_body_free(&p[i].body);
    }
    for (int i = 0; i < THREADS; i++) {
        laid_free(&l[i]);
    }
}

/* ---- staggered bellies ----------------------------------------------------------------------- */

static void staggered_bellies(void) {
    laid_subject s = {.bundles = 200, .fibre_part = 0.3, .layers = 40, .width = 0.3};
    laid l = lay(&s);
    FB_TRUE(!l.why, "%s", l.why);
    double lowest = 1, highest = 0, whole = LAID_BELLY;
    for (size_t b = 0; b < l.body.n_bundles; b++) {
        const fb_bundle *bundle = l.body.bundles + b;
        double part = (bundle->belly[1] - bundle->belly[0]) / whole;
        double middle = 0.5 * (bundle->belly[1] + bundle->belly[0]) / bundle->length;
        FB_TRUE(part > 0.27 && part < 0.36, "a belly has %g of the muscle's", part);
        lowest = fb_lesser(lowest, middle);
        highest = fb_greater(highest, middle);
        /* inner rows lie lower */
        if (bundle->cell[1] > 0) {
            size_t in = fb_lattice_find(&l.form.lattice, bundle->cell[0], bundle->cell[1] - 1);
            FB_TRUE(l.form.cells[b].lower >= l.form.cells[in].lower, "%d,%d lies lower",
                    bundle->cell[0], bundle->cell[1]);
        }
    }
    FB_TRUE(highest - lowest > 0.35, "bellies lie from %g to %g", lowest, highest);
    /* bundles are piled lower than as many widest sections, but not below one half of them */
    double pile = fb_form_pile(0.3, l.form.cut);
    FB_TRUE(pile > 0 && pile < 0.5, "%g", pile);
    FB_SAME(fb_form_pile(1, 0.9), 1);
    laid_free(&l);
}

/* The mean height of sections that lie at random in staggered half-ellipsoids and tendons, squared
 * widths as areas, is fb_form_pile's of widths that do not taper. */
static void pile_is_the_mean_section(void) {
    static const double parts[] = {0.2, 0.5, 0.9};
    for (int i = 0; i < 3; i++) {
        double sum = 0, cut = 0.95;
        int n = 100000;
        for (int k = 0; k < n; k++) { /* along the muscle, the belly in the first part of it */
            double at = (k + 0.5) / n / parts[i], z = (2 * at - 1) * cut;
            sum += at < 1 ? 1 - z * z : 1 - cut * cut;
        }
        FB_NEAR(fb_form_pile(parts[i], cut), sum / n, 0, 1e-4);
    }
}

/* ---- sizes ----------------------------------------------------------------------------------- */

/* The muscle's volume from what fb_form_size says: cells of an ellipsoid cut at both ends. */
static void sizes_hold_the_volume(void) {
    fb_form_options o = fb_form_options_default();
    o.volume = 2e-4;
    fb_form form;
    FB_EQUAL_STR(fb_form_make(&form, &o), NULL);
    double a, width, height, belly = 0.25, integral = 1 - o.cut * o.cut / 3;
    fb_form_size(&form, belly, FB_NAN, &a, &width, &height);
    FB_NEAR((double)form.lattice.n * 3.14159265358979 * a * (0.5 * a) * belly * integral, o.volume,
            0, 1e-12);
    FB_NEAR(width, form.extent[0] * 2 * a, 0, 1e-12);
    FB_NEAR(height, width * 0.5, 0, 1e-12);
    double strong;
    fb_form_size(&form, belly, 1, &strong, NULL, NULL);
    FB_NEAR(strong, a / sqrt(2), 0, 1e-12);
    fb_form_free(&form);
}

/* ---- what is refused ------------------------------------------------------------------------- */

static void refuses(const fb_form_options *o, const char *part) {
    fb_form form;
    const char *why = fb_form_make(&form, o);
    FB_HOLDS(why ? why : "made", part);
    fb_form_free(&form);
}

static void refuses_nonsense_of_forms(void) {
    static const double volumes[] = {0, -1e-4, 2, (double)NAN, (double)INFINITY};
    static const double ratios[] = {0, -1, 1000, (double)NAN};
    static const double parts[] = {0, -0.1, 1.1, (double)NAN};
    fb_form_options good = fb_form_options_default(), o;
    good.volume = 1e-4;
    for (int i = 0; i < 5; i++) {
        o = good;
        o.volume = volumes[i];
        refuses(&o, "volume");
    }
    for (int i = 0; i < 4; i++) {
        o = good;
        o.ratio = ratios[i];
        refuses(&o, "ratio");
        o = good;
        o.cut = ratios[i];
        refuses(&o, "half-ellipsoids");
        o = good;
        o.fibre_part = parts[i];
        refuses(&o, "fibres");
    }
    fb_form_head heads[40];
    for (int h = 0; h < 40; h++) {
        heads[h] = (fb_form_head){"h", 1.0 / 40, 1.0 / 40};
    }
    o = good;
    o.heads = heads;
    o.n_heads = 3;
    o.bundles = 4; /* two columns */
    refuses(&o, "more heads than columns");
    o.n_heads = 40;
    o.bundles = 400;
    refuses(&o, "more heads than columns");
    o.n_heads = 1;
    o.bundles = 1;
    refuses(&o, "bundle");
    o.bundles = 2e6;
    refuses(&o, "bundle");
}

/* Sections along a polyline of one head whose belly begins and ends where it is said. */
static const char *along(const double (*points)[3], int n, double from, double to, double span) {
    fb_sections sections;
    fb_core_line line = {.points = points,
                         .n_points = n,
                         .belly = {from, to},
                         .widest = 0.5 * (from + to),
                         .left = -10,
                         .right = 10,
                         .half_width = span / 10};
    fb_section_options o = {
        .layers = 24, .up = {0, 1, 0}, .radius = 0.5 * span, .span = span, .cut = 0.9};
    const char *why = fb_sections_along(&sections, &line, 1, &o);
    fb_sections_free(&sections);
    return why;
}

static void refuses_nonsense_of_cores(void) {
    static const double point[1][3] = {{0, 0, 0}};
    static const double nowhere[3][3] = {{1, 2, 3}, {1, 2, 3}, {1, 2, 3}};
    static const double straight[2][3] = {{0, 0, 0}, {0, 0, 0.2}};
    static const double back[3][3] = {{0, 0, 0}, {0, 0, 0.2}, {0, 0.001, 0.001}};
    FB_HOLDS(along(point, 1, 0, 0.1, 0.02), "no length");
    FB_HOLDS(along(nowhere, 3, 0, 0.1, 0.02), "no length");
    FB_EQUAL_STR(along(straight, 2, 0.02, 0.18, 0.02), NULL);
    FB_HOLDS(along(straight, 2, 0.12, 0.08, 0.02), "belly"); /* shorter than its tendons */
    FB_HOLDS(along(straight, 2, 0.1, 0.1, 0.02), "belly");
    FB_HOLDS(along(straight, 2, 0.02, 0.3, 0.02), "belly");
    FB_HOLDS(along(straight, 2, -0.1, 0.1, 0.02), "belly");
    FB_HOLDS(along(straight, 2, (double)NAN, 0.1, 0.02), "belly");
    FB_HOLDS(along(back, 3, 0.02, 0.38, 0.001), "fold");
}

/* A core that bends more sharply than the muscle is thick: sections cross. */
static void refuses_what_is_too_thick_to_bend(void) {
    laid_subject s = {.bundles = 40, .width = 0.9, .bend_y = 178};
    laid l = lay(&s);
    FB_HOLDS(l.why ? l.why : "laid", "sections cross");
    laid_free(&l);
    s.width = 0.2; /* half as thick as that takes */
    laid m = lay(&s);
    FB_EQUAL_STR(m.why, NULL);
    laid_free(&m);
}

int main(int argc, char **argv) {
    static const fb_test tests[] = {FB_TEST(aims_with_ends_flush),
                                    FB_TEST(aims_with_ends_free),
                                    FB_TEST(aims_of_the_finest),
                                    FB_TEST(aims_of_other_ratios),
                                    FB_TEST(volume_is_kept),
                                    FB_TEST(volume_of_kept_lengths),
                                    FB_TEST(kept_lengths),
                                    FB_TEST(outer_bundles_are_longer),
                                    FB_TEST(ends_lie_where_the_core_ends),
                                    FB_TEST(heads_end_at_their_cores),
                                    FB_TEST(straight_muscles_are_symmetric),
                                    FB_TEST(bends_mirror),
                                    FB_TEST(laid_again),
                                    FB_TEST(same_on_threads),
                                    FB_TEST(staggered_bellies),
                                    FB_TEST(pile_is_the_mean_section),
                                    FB_TEST(sizes_hold_the_volume),
                                    FB_TEST(refuses_nonsense_of_forms),
                                    FB_TEST(refuses_nonsense_of_cores),
                                    FB_TEST(refuses_what_is_too_thick_to_bend),
                                    FB_TEST_END};
    return fb_test_main("form", tests, argc, argv);
}
