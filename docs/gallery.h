/* The gallery: pictures of the bundle model after the figures of patent JP3983628B2, drawn by
 * `make docs`. A figure is a function that makes a picture; the helpers here draw bodies. */
#ifndef FB_DOCS_GALLERY_H
#define FB_DOCS_GALLERY_H

#include "libcore/bundle/body.h"
#include "libcore/bundle/shape.h"
#include "tools/scene.h"

enum {
    GALLERY_WHITE = 0xFFFFFF,
    GALLERY_MUSCLE = 0xC25B4E,
    GALLERY_TENDON = 0xF0E4CC,
    GALLERY_CUT = 0xE39A86, /* a muscle's section */
    GALLERY_INK = 0x303030,
    GALLERY_GREY = 0x8C8C8C,
    GALLERY_BLUE = 0x2F6DB5
};

/* ---- figures: each returns a picture to be drawn and freed ----------------------------------- */

fb_picture *gallery_figure3(void); /* a bundle's measures */
fb_picture *gallery_figure4(void); /* its polygon model */

/* A picture, or memory from fb_alloc; without memory the program ends with a message. */
fb_picture *gallery_picture(int width, int height);
void *gallery_memory(size_t bytes);

/* ---- bodies ---------------------------------------------------------------------------------- */

/* One straight bundle along z, its widest section at z = 0: so many layers in the belly (at least
 * 2) and in each tendon fibre. All its rings are scaled alike, so that the volume between them is
 * the shape's. */
void gallery_straight_bundle(fb_body *body, const fb_shape *shape, int belly_layers,
                             int tendon_layers);

typedef struct gallery_style {
    int sides;                                   /* of the polygons; 0: 24 */
    unsigned belly, tendon;                      /* 0: GALLERY_MUSCLE, GALLERY_TENDON */
    unsigned inside;                             /* where it is cut open; 0: the same, paler */
    unsigned (*colour)(const fb_bundle *bundle); /* of each belly; NULL: `belly` */
    bool plain;                                  /* no shading: for wireframes */
    unsigned edge;                               /* colour of edges */
    float edge_width;                            /* pixels; 0: no edges */
    bool across; /* cut across bellies: fibres behind the cut do not shine through */
} gallery_style;

/* Adds a body's bundles to a scene: rings joined by quads, ends closed. Polygons have the area of
 * their ellipses, so that volumes are kept. */
void gallery_draw_body(fb_scene *scene, const fb_body *body, const gallery_style *style);
/* A surface like glass with an edge, such as a plane that is bent or twisted with a core: n pairs
 * of points (n x 2 x 3), a quad between each and the next. */
void gallery_draw_strip(fb_scene *scene, const float *pairs, size_t n, unsigned rgb, float opacity);
/* The k-th of a ring's polygon's corners, 0 to sides - 1. */
void gallery_corner(float corner[3], const fb_ring *ring, int sides, int k);
/* Well distinguishable colours, again from the first after twelve. */
unsigned gallery_colour(int i);
/* By the bundle's quadrant and whether its cell is an even one, so that neighbours differ. */
unsigned gallery_by_cell(const fb_bundle *bundle);
/* By the bundle's place in the order of placing: see gallery_colour. */
unsigned gallery_by_order(const fb_bundle *bundle);

/* The camera: looking along a direction, with an up. */
fb_camera gallery_camera(float x, float y, float z, float up_x, float up_y, float up_z);

#endif
