/* The stages of a muscle's outer surface: bundles to a field on a grid, its closing, its mesh.
 * fb_body_envelope (surface.h) runs them; docs/theory.md has the method. */
#ifndef FB_BUNDLE_ENVELOPE_H
#define FB_BUNDLE_ENVELOPE_H

#include <stdbool.h>

#include "libcore/bundle/surface.h"

/* A squared distance in cells, more than any that matters; how far out the surface is cut, in
 * cells, where thin sheets are whole; the tendon of nodes that no bundle is near. */
#define FB_ENVELOPE_FAR 1e6f
#define FB_ENVELOPE_SHIFT 0.5
#define FB_ENVELOPE_UNKNOWN 255

/* A ring in cells of the grid. */
typedef struct fb_layer_end {
    double c[3], u[3], w[3], n[3];
    double tendon;
} fb_layer_end;

/* The nodes of a row along x that are near the body; the others stay FAR. */
typedef struct fb_span {
    int from, to;
} fb_span;

/* A body on its grid. */
typedef struct fb_sampling {
    const fb_body *body;
    fb_layer_end *ends; /* the body's rings, in cells of the grid */
    double R[9];        /* the grid's axes as rows */
    double origin[3];   /* node (0, 0, 0), along these axes */
    double h, radius;   /* m; cells */
    int n[3];
    size_t step[3], nodes;
    float *field, *spare;
    fb_span *spans;        /* of row z n[1] + y */
    unsigned char *tendon; /* 0 belly to 200 tendon, of the nearest bundle */
} fb_sampling;

/* Signed distances from the bundles, in cells, and their tendon, at nodes near them; FAR elsewhere.
 */
void fb_envelope_sample(fb_sampling *s);
/* The closing by the radius: negative inside. */
void fb_envelope_close(fb_sampling *s);
/* Moves the surface outwards by SHIFT. Returns the volume within it before, in cells. */
double fb_envelope_shift(fb_sampling *s);
/* Thickens axes where the muscle is thin around them, or all; returns how many rings it is. `thin`
 * has room for all rings. */
size_t fb_envelope_thicken(fb_sampling *s, bool all, bool *thin);

/* The mesh of the field, in cells, without cavities, and of how many pieces it is. FB_E_MEMORY. */
fb_status fb_envelope_extract(const fb_sampling *s, fb_mesh *mesh, size_t *pieces);
/* Smooths it to a volume in cells, places it in metres, and gives it colours and normals.
 * FB_E_MEMORY. */
fb_status fb_envelope_finish(fb_envelope *envelope, const fb_sampling *s, double volume);

#endif
