/* The shape of one straight bundle: two half-ellipsoids that share the widest section, cut at L2
 * and L3, and two tendon fibres L1 and L4 that go on with the sections of the cuts.
 *
 * Source: patent JP3983628B2, equations (1) to (5). Lengths in metres, volumes in cubic metres. */
#ifndef FB_BUNDLE_SHAPE_H
#define FB_BUNDLE_SHAPE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* z runs along the axis from the widest section; below is towards L1. */
typedef struct fb_shape {
    double a, b;           /* half-width along x, half-height along y, of the widest section */
    double c1, c2;         /* lengths of the half-ellipsoids, below and above */
    double l1, l2, l3, l4; /* tendon fibre, belly below, belly above (l2 <= c1, l3 <= c2), fibre */
} fb_shape;

/* NULL, or a sentence that says why this is no shape (static): sizes that are not positive and
 * finite, more used of a half-ellipsoid than there is, no belly. */
const char *fb_shape_check(const fb_shape *shape);

/* Equations (1) and (3): a = sqrt(3 v / (2 pi R (c1 + c2))), b = R a, for whole half-ellipsoids of
 * volume v. */
void fb_shape_from_ellipsoids(fb_shape *shape, double v, double ratio);
/* The a and b with which the belly that is used (l2 and l3 of it) has a volume. */
void fb_shape_from_belly(fb_shape *shape, double belly_volume, double ratio);
/* Volume of the belly between the cuts, exact. */
double fb_shape_belly_volume(const fb_shape *shape);
/* Volume of both tendon fibres. */
double fb_shape_tendon_volume(const fb_shape *shape);
/* l1 + l2 + l3 + l4 */
double fb_shape_length(const fb_shape *shape);
/* The section's size at z as a fraction of the widest: sqrt(1 - z^2/c^2), that of the cut beyond.
 */
double fb_shape_section(const fb_shape *shape, double z);

/* Equations (4) and (5): c1, c2, l2, l3 times k; a and b over sqrt(k); tendon fibres keep their
 * lengths. */
fb_shape fb_shape_stretched(const fb_shape *shape, double k);
/* The k at which the whole bundle is this long: (length - l1 - l4) / (l2 + l3). */
double fb_shape_stretch_of(const fb_shape *shape, double length);
/* Strength s from 0 to 1: R_ab = 0.5 + 0.5 s, with a b kept. */
fb_shape fb_shape_strengthened(const fb_shape *shape, double s);

#ifdef __cplusplus
}
#endif
#endif
