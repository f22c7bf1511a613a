/* The layered model of one bundle: elliptic rings along its axis, straight, bent or twisted, and
 * polygons on them.
 *
 * Rings between the cuts are a little larger than the ellipsoid's sections, by one factor, so that
 * the belly between the rings has the ellipsoid's volume, to rounding, however few layers there are
 * and however the axis turns; the rings at the cuts keep their size, so that the tendon fibres keep
 * their volume as well. A polygon of m sides on a ring is larger than the inscribed one by
 * sqrt((2 pi / m) / sin(2 pi / m)), and has the ellipse's area.
 *
 * The axis is a chain of rigid segments, one a layer, so its length is kept. A ring between two
 * segments lies in the plane that halves their angle theta, and is longer by 1 / cos(theta / 2) in
 * the plane of the bend (a mitre), so that sections square to the axis keep their area.
 *
 * Source: patent JP3983628B2, figures 4 and 6; the corrections are ours (docs/theory.md, Bundles).
 */
#ifndef FB_BUNDLE_POLYGON_H
#define FB_BUNDLE_POLYGON_H

#include <stdbool.h>
#include <stddef.h>

#include "libcore/bundle/body.h"
#include "libcore/bundle/shape.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { FB_LAYERS_MOST = 100000, FB_SIDES_MOST = 100000 };

/* How many layers, from the lower end to the upper: tendon fibre, belly, belly, tendon fibre. A
 * part of no length has none, whatever is said here. */
typedef struct fb_layers {
    int l1, l2, l3, l4;
} fb_layers;

typedef struct fb_polygon {
    fb_ring *rings; /* from the lower end to the upper */
    size_t n;
    size_t cut[2], widest; /* rings at which the belly begins and ends, and of its widest section */
} fb_polygon;

/* How many rings a bundle of this shape has. */
size_t fb_polygon_count(const fb_shape *shape, const fb_layers *layers);
/* Makes the rings, the widest at the origin with u along x and w along y, z along the axis. Joint k
 * is ring k: `turns`, [fb_polygon_count][3] in rad or NULL for none, is how far the axis turns
 * there about x and y (one rotation about (x, y, 0); nothing at the first ring and the last), and
 * the ring about the axis against the one before it. x and y are those of the axis without twist.
 * Returns NULL, or a sentence that says why not (static): a shape that is none, fewer than two
 * layers in the belly, rings that meet because the axis turns too sharply. */
const char *fb_polygon_make(fb_polygon *polygon, const fb_shape *shape, const fb_layers *layers,
                            const double (*turns)[3]);
/* The exact volume between rings `first` and `last`, m^3; negative if they run against their
 * normals. */
double fb_rings_volume(const fb_ring *rings, size_t first, size_t last);
void fb_polygon_free(fb_polygon *polygon);

/* sqrt((2 pi / m) / sin(2 pi / m)) */
double fb_polygon_widening(int sides);

/* A mesh of four-cornered faces, counter-clockwise from outside. */
typedef struct fb_quads {
    double (*vertices)[3]; /* m; ring by ring, the first of each along u */
    size_t n_vertices;
    size_t (*quads)[4]; /* corners; the last two are the same in a triangle */
    size_t n_quads;
} fb_quads;

/* Joins the polygons of neighbouring rings; `closed` adds faces over both ends (one triangle each
 * if the number of sides is odd). sides >= 3. Returns NULL, or a sentence that says why not. */
const char *fb_quads_make(fb_quads *mesh, const fb_ring *rings, size_t n, int sides, bool closed);
/* The volume inside a closed mesh whose faces are the bilinear ones between their four corners. */
double fb_quads_volume(const fb_quads *mesh);
void fb_quads_free(fb_quads *mesh);

#ifdef __cplusplus
}
#endif
#endif
