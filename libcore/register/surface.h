/* Triangulated surfaces of bones: what is wrong with them, nearest points, inside and outside,
 * volume, curvature. Immutable once made; any number of threads may ask. */
#ifndef FB_REGISTER_SURFACE_H
#define FB_REGISTER_SURFACE_H

#include <stdbool.h>

#include "libcore/base/arena.h"
#include "libcore/base/diag.h"

#ifdef __cplusplus
extern "C" {
#endif

struct fb_surface_tree;

typedef struct fb_surface {
    double (*vertices)[3]; /* m; welded: no two at one place */
    double (*normals)[3];  /* of vertices, unit, outward (angle-weighted) */
    double *area;          /* of vertices: a third of their faces', m^2 */
    int (*faces)[3];       /* outward: turned if the file had them inside out */
    int n_vertices, n_faces;
    double low[3], high[3]; /* bounding box */
    double total_area;      /* m^2 */
    double volume;          /* m^3; of open surfaces: closed by fans over their holes */
    double center[3];       /* centroid of the surface (area-weighted) */
    /* findings */
    int n_pieces;       /* connected pieces */
    int n_open;         /* edges with one face */
    int n_non_manifold; /* edges with more than two faces */
    int n_degenerate;   /* faces without area, left out */
    int n_turned;       /* faces that stood against their neighbours */
    bool inside_out;    /* the file had the faces inward; they were turned */
    struct fb_surface_tree *tree;
    fb_arena arena;
} fb_surface;

/* Makes a surface of copies of vertices and triangles; `scale` to metres. `name` is for messages.
 * FB_E_INPUT with an error in `diag` if nothing is left of it (no faces, no area, a vertex that is
 * not finite, an index that is none). Findings are counted, not told: fb_surface_tell does. */
fb_status fb_surface_new(fb_surface **surface, const double (*vertices)[3], size_t n_vertices,
                         const int (*faces)[3], size_t n_faces, double scale, const char *name,
                         fb_diag *diag);
/* Takes NULL. */
void fb_surface_free(fb_surface *surface);
/* A warning for each kind of finding: how many, and what would mend it. */
void fb_surface_tell(const fb_surface *surface, const char *name, fb_diag *diag);
/* The nearest point of the surface, its unit normal (of edges and corners the angle-weighted
 * pseudonormal, whose sign tells inside from outside: Baerentzen and Aanaes 2005) and its face (any
 * may be NULL). Returns the distance in m, negative if the point is inside. Where the nearest point
 * lies on the rim of a hole, the solid angle decides (more than half of the sphere around the point
 * is covered: inside), which takes time in proportion to the number of faces. */
double fb_surface_nearest(const fb_surface *surface, const double *point, double *nearest,
                          double *normal, int *face);
/* The same, but not farther than `bound`: INFINITY if there is none. Faster. */
double fb_surface_nearest_within(const fb_surface *surface, const double *point, double bound,
                                 double *nearest, double *normal, int *face);
/* The same without the sign: the distance, and which corner or edge of the face is nearest (0 the
 * face itself, 1 to 3 its corners, 4 to 6 the edges after them). Farther than `bound`: INFINITY. */
double fb_surface_project(const fb_surface *surface, const double *point, double bound,
                          double *nearest, int *face, int *feature);
/* Number of the nearest vertex. */
int fb_surface_nearest_vertex(const fb_surface *surface, const double *point);
/* n vertices spread evenly over the area, always the same ones; returns how many. */
int fb_surface_sample(const fb_surface *surface, int n, int *vertices);
/* n points spread evenly over the area, not only vertices, always the same ones, with their faces'
 * unit normals (may be NULL). */
void fb_surface_points(const fb_surface *surface, int n, double (*points)[3], double (*normals)[3]);
/* Mass (of density 1 kg/m^3), centre of mass, and inertia about it (xx yy zz xy xz yz). */
double fb_surface_mass(const fb_surface *surface, double *center, double *inertia);
/* Principal axes of the surface (rows of `axes`, right-handed, longest first) and the standard
 * deviations along them. */
void fb_surface_axes(const fb_surface *surface, double *axes, double *deviation);
/* Mean curvature at the vertices (1/m, positive where it bulges outward); n_vertices. */
void fb_surface_curvature(const fb_surface *surface, double *curvature);

#ifdef __cplusplus
}
#endif
#endif
