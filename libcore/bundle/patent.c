#include "libcore/bundle/patent.h"

#include <math.h>
#include <string.h>

#include "libcore/base/arena.h"
#include "libcore/base/number.h"
#include "libcore/base/spatial.h"
#include "libcore/bundle/polygon.h"

/* ---- one bundle ------------------------------------------------------------------------------ */

/* The support of a ring along an axis of the core: h(psi) of its ellipse, whatever its pose. */
static double reach(const fb_ring *ring, int along) {
    return fb_length2(ring->u[along], ring->w[along]);
}

/* The point of a ring that is the furthest along an axis: (z, that axis's coordinate times sign).
 */
static void support(double point[2], const fb_ring *ring, int along, int sign) {
    double h = reach(ring, along), u = ring->u[along], w = ring->w[along];
    double z = h > 0 ? (ring->u[2] * u + ring->w[2] * w) / h : 0;
    point[0] = ring->c[2] + sign * z;
    point[1] = sign * ring->c[along] + h;
}

/* The height of an obstacle's tangent facets at z: its rings' points nearest to the follower,
 * joined; beyond them the last facet goes on. `way` is 1 towards the upper end. */
static double facet(const fb_patent_obstacle *o, double z, int way) {
    size_t k = o->widest, last = way > 0 ? o->n - 1 : 0;
    double a[2], b[2];
    support(b, o->rings + k, o->along, o->sign);
    do {
        memcpy(a, b, sizeof a);
        k = k == last ? k : way > 0 ? k + 1 : k - 1;
        support(b, o->rings + k, o->along, o->sign);
    } while (k != last && way * (z - b[0]) > 0);
    return b[0] != a[0] ? a[1] + (z - a[0]) * (b[1] - a[1]) / (b[0] - a[0]) : b[1];
}

/* The angle by which a layer falls towards an obstacle, alpha - beta: `near` is its placed ring, h
 * and h_next the semi-axes towards the obstacle of its straight rings, l its length. */
static double fall(const fb_patent_obstacle *o, const fb_ring *near, double h, double h_next,
                   double l, int way, bool exact_touch) {
    double contact[2], p = o->sign * o->place, slope = 0;
    support(contact, near, o->along, -o->sign);
    if (o->rings) {
        p = facet(o, contact[0], way);
        slope = (facet(o, contact[0] + way * l, way) - p) / l;
    }
    double beta = atan(slope);
    if (!exact_touch) {
        return atan((h - h_next) / l) - beta;
    }
    /* H: the joint's distance from the line through P and Q */
    double ahead = way * (near->c[2] - contact[0]);
    double height = (o->sign * near->c[o->along] - p - slope * ahead) * cos(beta);
    double reaches = height / fb_length2(l, h_next);
    return asin(fb_lesser(fb_greater(reaches, -1), 1)) - atan2(h_next, l) - beta;
}

/* Sets a ring that was straight square to a direction, by the least rotation. */
static void set_square(fb_ring *ring, const double *normal) {
    static const double z[3] = {0, 0, 1};
    double axis[3], m[9], *axes[2] = {ring->u, ring->w};
    fb_v3_cross(axis, z, normal);
    double sine = fb_v3_normalize(axis);
    if (sine > 0) {
        fb_m3_rotation(m, axis, atan2(sine, normal[2]));
        for (int k = 0; k < 2; k++) {
            double v[3];
            fb_m3_mul_v3(v, m, axes[k]);
            fb_v3_copy(axes[k], v);
        }
    }
}

/* No layer falls more steeply; beyond 90 degrees the rule has no answer. */
static const double steepest = 1.4;

/* Folds one half, from the widest ring to an end: each layer is turned at its joint, and takes its
 * outer ring, square to it, along. */
static void fold_half(fb_ring *rings, size_t n, size_t widest, int way,
                      const fb_patent_obstacle *obstacles, size_t n_obstacles, bool exact_touch) {
    size_t last = way > 0 ? n - 1 : 0;
    fb_ring straight = rings[widest]; /* the layer's placed ring as it was */
    for (size_t k = widest; k != last; k = way > 0 ? k + 1 : k - 1) {
        fb_ring *near = rings + k, *next = way > 0 ? near + 1 : near - 1, before = *next;
        double l = fabs(next->c[2] - straight.c[2]), axis[3] = {0, 0, 1};
        for (size_t i = 0; i < n_obstacles; i++) {
            const fb_patent_obstacle *o = obstacles + i;
            double angle = fall(o, near, reach(&straight, o->along), reach(next, o->along), l, way,
                                exact_touch);
            angle = fb_lesser(fb_greater(angle, -steepest), steepest);
            axis[o->along] = -way * o->sign * tan(angle);
        }
        fb_v3_normalize(axis);
        fb_v3_copy(next->c, near->c);
        fb_v3_madd(next->c, way * l, axis);
        set_square(next, axis);
        straight = before;
    }
}

void fb_patent_fold(fb_ring *rings, size_t n, size_t widest, const fb_patent_obstacle *obstacles,
                    size_t n_obstacles, bool exact_touch) {
    fb_ring *middle = rings + widest;
    for (size_t i = 0; i < n_obstacles; i++) {
        const fb_patent_obstacle *o = obstacles + i;
        double at = o->sign * o->place;
        if (o->rings) {
            double p[2];
            support(p, o->rings + o->widest, o->along, o->sign);
            at = p[1];
        }
        middle->c[o->along] = o->sign * (at + reach(middle, o->along));
    }
    fold_half(rings, n, widest, 1, obstacles, n_obstacles, exact_touch);
    fold_half(rings, n, widest, -1, obstacles, n_obstacles, exact_touch);
}

/* ---- a lattice of them ----------------------------------------------------------------------- */

static int from_core(int cell) {
    return cell >= 0 ? cell : -1 - cell;
}

static fb_layers layers_of(const fb_cell *cell, const fb_patent_options *options) {
    int belly = options->layers[(from_core(cell->i) + from_core(cell->j)) % 2];
    int fibre = options->fibre_layers > 0 ? options->fibre_layers : 1;
    return (fb_layers){fibre, belly, belly, fibre};
}

/* What stands beside a cell towards the core, along x or y: a plane, or a bundle that is laid. */
static fb_patent_obstacle beside(const fb_body *body, const fb_lattice *lattice,
                                 const size_t *widest, const fb_cell *cell, int along) {
    int at[2] = {cell->i, cell->j};
    fb_patent_obstacle o = {.along = along, .sign = at[along] >= 0 ? 1 : -1};
    if (from_core(at[along]) > 0) {
        at[along] -= o.sign;
        size_t k = fb_lattice_find(lattice, at[0], at[1]);
        o.rings = body->rings + body->bundles[k].first;
        o.n = body->bundles[k].rings;
        o.widest = widest[k];
    }
    return o;
}

/* Lays bundle k, whose place in the body's rings is known; NULL, or why it cannot be. */
static const char *lay(fb_body *body, const fb_lattice *lattice, size_t *widest, size_t k,
                       const fb_shape *shape, const fb_patent_options *options) {
    const fb_cell *cell = lattice->cells + k;
    fb_layers layers = layers_of(cell, options);
    fb_polygon straight;
    const char *why = fb_polygon_make(&straight, shape, &layers, NULL);
    if (why) {
        return why;
    }
    fb_bundle *b = body->bundles + k;
    size_t first = b->first;
    *b = (fb_bundle){.cell = {cell->i, cell->j},
                     .order = cell->order,
                     .head = {-1, -1},
                     .volume = fb_shape_belly_volume(shape) + fb_shape_tendon_volume(shape),
                     .length = fb_shape_length(shape),
                     .ratio = shape->b / shape->a,
                     .belly = {shape->l1, shape->l1 + shape->l2 + shape->l3},
                     .first = first,
                     .rings = straight.n};
    widest[k] = straight.widest;
    memcpy(body->rings + first, straight.rings, straight.n * sizeof *straight.rings);
    fb_polygon_free(&straight);
    fb_patent_obstacle obstacles[2] = {beside(body, lattice, widest, cell, 0),
                                       beside(body, lattice, widest, cell, 1)};
    fb_patent_fold(body->rings + first, b->rings, widest[k], obstacles, 2, options->exact_touch);
    return NULL;
}

const char *fb_patent_place(fb_body *body, const fb_lattice *lattice, const fb_shape *shapes,
                            size_t n_shapes, const fb_patent_options *options) {
    *body = (fb_body){.time = FB_NAN};
    if (n_shapes != 1 && n_shapes != lattice->n) {
        return "there is neither one shape for all bundles nor one for each";
    }
    size_t *widest = fb_alloc(lattice->n * sizeof *widest);
    body->bundles = fb_alloc(lattice->n * sizeof *body->bundles);
    const char *why = widest && body->bundles ? NULL : "out of memory for the bundles";
    for (size_t k = 0; !why && k < lattice->n; k++) {
        fb_layers layers = layers_of(lattice->cells + k, options);
        body->bundles[k].first = body->n_rings;
        body->n_rings += fb_polygon_count(shapes + (n_shapes == 1 ? 0 : k), &layers);
    }
    if (!why) {
        body->n_bundles = lattice->n;
        body->rings = fb_alloc(body->n_rings * sizeof *body->rings);
        why = body->rings ? NULL : "out of memory for the rings of the bundles";
    }
    for (size_t k = 0; !why && k < lattice->n; k++) {
        why = lay(body, lattice, widest, k, shapes + (n_shapes == 1 ? 0 : k), options);
    }
    fb_free(widest);
    if (why) {
        fb_body_free(body);
    }
    return why;
}
