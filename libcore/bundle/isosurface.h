/* The surface at which a function sampled on a grid changes its sign, as closed triangles. */
#ifndef FB_BUNDLE_ISOSURFACE_H
#define FB_BUNDLE_ISOSURFACE_H

#include "libcore/bundle/surface.h"

/* Values at nodes (x, y, z), x fastest, in units of the spacing; negative inside. */
typedef struct fb_grid {
    int n[3];      /* nodes along each axis */
    float *values; /* n[0] n[1] n[2] */
} fb_grid;

/* Adds the surface to an empty mesh: vertices in units of the spacing from node (0, 0, 0), and
 * triangles that face outwards; no normals or colours. It is closed and manifold: all nodes at the
 * border must be outside. FB_E_MEMORY.
 *
 * Source: W. Lorensen, H. Cline, "Marching cubes", SIGGRAPH 1987. Faces of a cube with two inner
 * corners across keep these apart, on both sides alike, as in C. Montani, R. Scateni, R. Scopigno,
 * "A modified look-up table for implicit disambiguation of Marching Cubes", The Visual Computer 10,
 * 1994; polygons with more than four corners get a vertex in their middle, so that no diagonal lies
 * in a face. */
fb_status fb_isosurface(fb_mesh *mesh, const fb_grid *grid);

#endif
