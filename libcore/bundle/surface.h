/* Surfaces: meshes of single bundles, and the outer surface of a whole muscle.
 *
 * The outer surface is the closing of the union of the bundles by a ball (J. Serra, *Image Analysis
 * and Mathematical Morphology*, 1982): where a ball that rolls over the bundles from outside cannot
 * reach, in the grooves and between the bundles, is muscle. docs/theory.md has the method. */
#ifndef FB_BUNDLE_SURFACE_H
#define FB_BUNDLE_SURFACE_H

#include "libcore/base/diag.h"
#include "libcore/bundle/body.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fb_mesh {
    char *name;            /* or NULL */
    double (*vertices)[3]; /* m */
    double (*normals)[3];  /* of length 1, outwards */
    double (*colours)[3];  /* red, green, blue, 0 to 1 */
    int (*faces)[4];       /* corners, counter-clockwise from outside; triangles end with -1 */
    size_t n_vertices, n_faces;
    size_t room_vertices, room_faces; /* as much fits into the arrays */
} fb_mesh;

void fb_mesh_clear(fb_mesh *mesh);
/* The volume that a closed mesh encloses, m^3; quads are cut from their first corner. */
double fb_mesh_volume(const fb_mesh *mesh);

/* Adds a bundle to a mesh ({0} at first): a closed tube, its rings as polygons of `sides` (3 or
 * more) joined by quads, and a fan at each end. A polygon has the area of its ellipse: the
 * semi-axes are sqrt((2 pi / m) / sin(2 pi / m)) longer. A bundle of one ring or none adds nothing.
 * FB_E_MEMORY with the mesh as it was. */
fb_status fb_mesh_add_bundle(fb_mesh *mesh, const fb_body *body, size_t bundle, int sides);

/* How the outer surface is made; 0 in each: chosen from the body. */
typedef struct fb_envelope_options {
    double spacing; /* of the grid on which it is sampled, m */
    double closing; /* radius of the ball, m */
    double cells;   /* how many grid cells to choose the spacing for */
} fb_envelope_options;

typedef struct fb_envelope {
    fb_mesh mesh;            /* triangles; every edge has two, in opposite directions */
    double volume;           /* enclosed, m^3 */
    double bundles;          /* volume of the bundles, m^3 */
    double spacing, closing; /* used, m */
    size_t components;       /* pieces that do not hang together: 1 unless the bundles do not */
    size_t thickened;        /* rings of fibres too thin for the grid, which were drawn thicker */
} fb_envelope;

/* The outer surface of a muscle, free it with fb_mesh_clear. A body without two rings in a bundle
 * gives an empty mesh. FB_E_NUMERIC if the rings are not finite or have no extent. */
fb_status fb_body_envelope(fb_envelope *envelope, const fb_body *body,
                           const fb_envelope_options *options);

#ifdef __cplusplus
}
#endif
#endif
