/* What surface.c, surface_tree.c and surface_check.c share. */
#ifndef FB_REGISTER_SURFACE_INTERNAL_H
#define FB_REGISTER_SURFACE_INTERNAL_H

#include <stdbool.h>

#include "libcore/register/surface.h"

/* Four boxes side by side, about the surface's middle; child >= 0: a node, else ~child: a leaf. */
typedef struct fb_surface_node {
    float low[3][4], high[3][4];
    int child[4];
} fb_surface_node;

/* Triangles [first, first + n) in the tree's order. */
typedef struct fb_surface_leaf {
    int first, n;
} fb_surface_leaf;

typedef struct fb_surface_tree {
    double middle[3]; /* of the bounding box */
    fb_surface_node *nodes;
    fb_surface_leaf *leaves;
    double (*corners)[9]; /* of triangles, in the tree's order */
    int *order;           /* their faces */
    int n_nodes, n_leaves;
    int (*beside)[3];   /* the face over the edge after each corner; -1: none, -2: more than one */
    unsigned char *rim; /* of vertices: lies on an open edge */
    double (*rim_centers)[3];
    int *rim_of; /* of vertices: number of the hole, -1 */
    int n_rims;
} fb_surface_tree;

/* Builds boxes, leaves and order. May jump to surface->arena.oom. */
void fb_surface_tree_build(fb_surface *surface);
/* Welds, leaves degenerate faces out, orients, finds holes: fills vertices, faces and findings of
 * `surface`, and beside, rim, rim_centers of its tree. False if nothing is left. May jump. */
bool fb_surface_clean(fb_surface *surface, const double (*vertices)[3], size_t n_vertices,
                      const int (*faces)[3], size_t n_faces, double scale);
/* Six times the signed volume under face corners a, b, c seen from o. */
double fb_surface_volume6(const double *o, const double *a, const double *b, const double *c);

#endif
