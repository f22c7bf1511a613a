/* What the surfaces of bundles and of muscles share. */
#ifndef FB_BUNDLE_MESH_H
#define FB_BUNDLE_MESH_H

#include <stdbool.h>

#include "libcore/bundle/surface.h"

/* Makes room for more vertices, with normals and colours, and faces; false if there is none. */
bool fb_mesh_reserve(fb_mesh *mesh, size_t vertices, size_t faces);
/* Normals of the vertices from one on: the mean of the faces from one on, by their area. */
void fb_mesh_normals(fb_mesh *mesh, size_t first_vertex, size_t first_face);
/* How much of a bundle is tendon at a length along its axis: 0 in the belly, 1 in the tendon fibre,
 * blended at the junction. */
double fb_mesh_tendon(const fb_bundle *bundle, double along, double length);
/* The colour of that. */
void fb_mesh_colour(double *colour, double tendon);

#endif
