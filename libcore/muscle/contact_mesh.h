/* Closed triangle meshes for contact: faces as springs, and the nearest point of the surface. */
#ifndef FB_MUSCLE_CONTACT_MESH_H
#define FB_MUSCLE_CONTACT_MESH_H

#include "libcore/base/arena.h"
#include "libcore/muscle/resources.h"

#ifdef __cplusplus
extern "C" {
#endif

#define FB_MESH_DEPTH 64 /* of the tree: more than any number of faces needs */

typedef struct fb_mesh_face {
    int vertex[3];
    double center[3], normal[3], area; /* mean of the corners; outward; m^2 */
    double edge_normal[3][3]; /* pseudo-normals of the edges that begin at each corner, not unit */
} fb_mesh_face;

/* A box around n faces from `first` on, or around two nodes. */
typedef struct fb_mesh_node {
    double low[3], high[3];
    int first, n;
    int child[2]; /* -1: a leaf */
} fb_mesh_node;

/* Faces are in the tree's order; the tree's root is node 0. */
typedef struct fb_contact_mesh {
    double (*vertices)[3];
    double (*vertex_normal)[3]; /* pseudo-normals: of the faces, weighted by their angles */
    fb_mesh_face *faces;
    fb_mesh_node *nodes;
    int n_vertices, n_faces, n_nodes;
} fb_contact_mesh;

/* Prepares a mesh in an arena, vertices at one place counting as one. If it turns its inside out it
 * is turned over. NULL, and in *why a reason that completes a sentence, if it is not closed. */
const fb_contact_mesh *fb_contact_mesh_new(const fb_triangles *triangles, fb_arena *arena,
                                           const char **why);

/* The point of the surface that is nearest to p; true if p is inside. (J. Baerentzen, H. Aanaes,
 * IEEE Trans. Vis. Comput. Graph. 11 (2005) 243-253: the sign is that of the pseudo-normal.) */
bool fb_contact_mesh_nearest(const fb_contact_mesh *mesh, const double *p, double *nearest);

#ifdef __cplusplus
}
#endif
#endif
