/* A muscle's body: its bundles as rows of elliptic rings, placed in space.
 *
 * A bundle (fascicle) runs from tendon to tendon: tendon fibre L1, belly L2 + L3, tendon fibre L4.
 * Two neighbouring rings bound a layer, in which centre and semi-axes vary linearly. All places are
 * in one frame, that of the cores (ground for muscles of a model), in metres.
 *
 * Cells are signed: quadrant I (i, j), II (-1-i, j), III (-1-i, -1-j), IV (i, -1-j), i and j from
 * 0. Cells (i, j) and (i+1, j) share a side, as do (-1, j) and (0, j).
 *
 * Source of the bundle model: patent JP3983628B2. */
#ifndef FB_BUNDLE_BODY_H
#define FB_BUNDLE_BODY_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fb_ring {
    double c[3];       /* centre */
    double u[3], w[3]; /* semi-axis vectors: half-width a and half-height b long */
} fb_ring;

typedef struct fb_bundle {
    int cell[2];
    int order;       /* its number in the patent's order of placing, from 1 */
    int head[2];     /* heads below and above, as numbers in the body's list; -1: none */
    double volume;   /* m^3, belly and tendon fibres: what it is to hold */
    double length;   /* L1 + L2 + L3 + L4: what its axis is to measure */
    double share;    /* of the muscle's force, of 1 */
    double ratio;    /* R_ab = b / a: what its middle ring is to have */
    double belly[2]; /* lengths along the axis, from the first ring, between which it is belly */
    size_t first, rings; /* its rings in the body's list, from the lower end to the upper */
} fb_bundle;

typedef struct fb_body {
    char *name;   /* of the muscle */
    char **heads; /* names */
    size_t n_heads;
    fb_bundle *bundles; /* in the order of placing */
    size_t n_bundles;
    fb_ring *rings;
    size_t n_rings;
    double time; /* NaN: none */
} fb_body;

/* Frees what a body holds, not the struct. */
void fb_body_free(fb_body *body);

/* The exact volume between a bundle's rings, m^3: pi (c1 - c0) . integral of u x w over each layer.
 */
double fb_bundle_volume(const fb_body *body, size_t bundle);
/* The length of a bundle's axis: its rings' centres joined. */
double fb_bundle_length(const fb_body *body, size_t bundle);

#ifdef __cplusplus
}
#endif
#endif
