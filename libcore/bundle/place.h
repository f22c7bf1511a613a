/* Placing a muscle's bundles: the default rule of non-interference.
 *
 * A body is laid in sections. Section k cuts all bundles; ring k of every bundle lies on it, so
 * that the layers of neighbours have their joints at the same place and touch along their whole
 * length however few they are. Bundles are placed from the core outward, each against the neighbour
 * on its inner side along x and the one along y; rings lie in the plane of their section, turned
 * towards square to their bundle's own axis where they would lean more than 0.2 rad, have the size
 * that the bundle's own shape has at their distance along its axis, and touch their neighbours'
 * rings in one point. As the direction of an axis, the distance along it and the places depend on
 * each other, this is repeated. docs/theory.md, "Bundles", tells why neither sinking nor
 * gaps remain. */
#ifndef FB_BUNDLE_PLACE_H
#define FB_BUNDLE_PLACE_H

#include <stdbool.h>

#include "libcore/base/scratch.h"
#include "libcore/bundle/body.h"
#include "libcore/bundle/shape.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where a core is in a section: the crossing of the planes x = 0 and y = 0, and the axes of the
 * lattice; z from the lower end to the upper. Unit vectors, right-handed. */
typedef struct fb_frame {
    double o[3], x[3], y[3], z[3];
} fb_frame;

/* One bundle to be placed. Sections lower < widest < upper: its belly is between `lower` and
 * `upper` if its ends are flush, and widest in `widest`. */
typedef struct fb_place_cell {
    int i, j;       /* signed cell */
    int order;      /* number in the order of the lattice */
    int head[2];    /* which core it follows below and above section `base`; bundles of different
                       heads do not touch each other, but stand against their own heads' planes */
    fb_shape shape; /* its own shape, as it is to be now */
    double share;   /* of the muscle's force */
    size_t first, lower, widest, upper, last;
} fb_place_cell;

typedef struct fb_placing {
    size_t n_cells;
    const fb_place_cell *cells; /* with a cell all those between it and the planes; at the core the
                                   four (0, 0), (-1, 0), (-1, -1), (0, -1) */
    size_t n_sections, base;
    size_t n_heads;
    const fb_frame *frames; /* [n_heads][n_sections] */
    const double
        *width; /* [n_heads][n_sections]: the width of bundles, of their widest; their height is
                   what keeps the section's area. NULL: width and height taper together */
    const double *area; /* [n_sections]: the area of bundles, of their widest, for a muscle whose
                           sections are given; needs width. NULL: as they are shaped */
    const double *bow; /* [n_sections], 1/m: the plane y = 0 is bent to y = bow x^2 / 2. NULL: it is
                          even */
    double
        upright; /* the least cosine of the angle of a ring and its axis: less, and it is refused */
    bool flush;  /* bundles reach from their first section to their last, bellies stretched as they
                    need, tendon fibres as long as it takes; otherwise each is as long as its shape
                    says, and ends where it ends: sections beyond both ends of the core must be there
                  */
} fb_placing;

/* How many rings fb_place_body may need in a body. */
size_t fb_place_rings(const fb_placing *place);

/* Places the bundles, the same on any number of threads. body->bundles must have room for n_cells,
 * body->rings for fb_place_rings; its name and heads are left alone. Each bundle's `volume` is that
 * of its own shape, stretched as it was; its `length` that of its shape, or of its place if ends
 * are flush. Returns NULL, or a sentence that says why it cannot be done (memory; a cell without
 * the neighbours that it needs; a core that folds on itself, so that sections cross). */
const char *fb_place_body(fb_body *body, const fb_placing *place, fb_scratch *scratch);

#ifdef __cplusplus
}
#endif
#endif
