/* The patent's own rule of non-interference, for comparison with the default one (place.h).
 *
 * A bundle is moved until its widest section touches a plane, or the widest section of a reference
 * bundle, which never changes. Then, from there to each end, each layer is turned at its joint: by
 * alpha, so that a tapered layer lies on a plane, and by beta more, the slope of the line from P to
 * Q on the reference's tangent facets: P at the height of the contact of the layer's placed end, Q
 * the layer's length further along the core, where its free end is before it is bent. Two
 * directions of contact are folded alike, the first along x, the second along y.
 *
 * It lets bundles sink into each other, more with each bundle from the plane (docs/theory.md,
 * Bundles).
 *
 * Source: patent JP3983628B2, equation (6) and figures 8 to 16. The equation's image is not to be
 * had: alpha = atan((b1 - b2) / l), which makes the layer's outline parallel to the plane, is
 * rebuilt from its text. */
#ifndef FB_BUNDLE_PATENT_H
#define FB_BUNDLE_PATENT_H

#include <stdbool.h>

#include "libcore/bundle/body.h"
#include "libcore/bundle/lattice.h"
#include "libcore/bundle/shape.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a bundle is laid against. */
typedef struct fb_patent_obstacle {
    int along;    /* 0: x, 1: y */
    int sign;     /* the bundle lies on this side of it: 1, -1 */
    double place; /* of a plane, m */
    const fb_ring
        *rings; /* of a reference bundle, from the lower end to the upper; NULL: a plane */
    size_t n, widest;
} fb_patent_obstacle;

typedef struct fb_patent_options {
    /* Layers of each half of the belly, of bundles whose cells i + j are even, and odd. */
    int layers[2];
    int fibre_layers; /* of each tendon fibre; 0 is 1 */
    bool exact_touch; /* alpha = asin(H / sqrt(l^2 + b2^2)) - atan2(b2, l): the far ring touches */
} fb_patent_options;

/* Lays a bundle whose rings are straight, along z, about any origin (fb_polygon_make), against
 * obstacles of different directions; in a direction without one it stays at the centre that it has.
 * Rings keep their size, and stay square to the layer that ends in them. */
void fb_patent_fold(fb_ring *rings, size_t n, size_t widest, const fb_patent_obstacle *obstacles,
                    size_t n_obstacles, bool exact_touch);

/* Lays all bundles of a lattice around a straight core along z, bundle by bundle: in each quadrant
 * those along y = 0 against that plane and the neighbour towards the core, those along x = 0
 * likewise, the rest against both neighbours. `shapes` has one for all or one a cell (n_shapes is 1
 * or lattice->n), in the lattice's order. The body is made anew: its name and heads are left NULL,
 * to be freed with fb_body_free. Returns NULL, or a sentence that says why not (static; the body is
 * then empty). */
const char *fb_patent_place(fb_body *body, const fb_lattice *lattice, const fb_shape *shapes,
                            size_t n_shapes, const fb_patent_options *options);

#ifdef __cplusplus
}
#endif
#endif
