/* The gallery: pictures of the bundle model after the figures of patent JP3983628B2, drawn by
 * `make docs`. A figure is a function that makes a picture; the helpers here draw bodies. */
#ifndef FB_DOCS_GALLERY_H
#define FB_DOCS_GALLERY_H

#include "formats/bones.h"
#include "libcore/bundle/form.h"
#include "libcore/bundle/measure.h"
#include "libcore/bundle/polygon.h"
#include "tools/scene.h"

enum {
    GALLERY_WHITE = 0xFFFFFF,
    GALLERY_MUSCLE = 0xC25B4E,
    GALLERY_TENDON = 0xFBF0DA,
    GALLERY_CUT = 0xE39A86, /* a muscle's section */
    GALLERY_INK = 0x303030,
    GALLERY_GREY = 0x8C8C8C,
    GALLERY_BLUE = 0x2F6DB5,
    GALLERY_EDGE = 0x7A4A40,   /* lines on muscles */
    GALLERY_GLASS = 0x5B8FC2,  /* the plane x = 0, and what bundles are laid on */
    GALLERY_GLASS2 = 0x6BA368, /* the plane y = 0, and facets */
};

/* ---- figures: each returns a picture to be drawn and freed ----------------------------------- */

fb_picture *gallery_figure02(void); /* muscle, bundles, tendon */
fb_picture *gallery_figure03(void); /* a bundle's measures */
fb_picture *gallery_figure04(void); /* its polygon model */
fb_picture *gallery_figure05(void); /* a bundle stretched and contracted */
fb_picture *gallery_figure06(void); /* bent */
fb_picture *gallery_figure07(void); /* the range of a collision */
fb_picture *gallery_figure08(void); /* against a plane */
fb_picture *gallery_figure09(void); /* the angle alpha */
fb_picture *gallery_figure10(void); /* a reference and its follower */
fb_picture *gallery_figure12(void); /* facets and the angle beta */
fb_picture *gallery_figure15(void); /* the lattice */
fb_picture *gallery_figure16(void); /* the order of placing */
fb_picture *gallery_figure17(void); /* a parallel muscle */
fb_picture *gallery_figure18(void); /* coracobrachialis on the skeleton */
fb_picture *gallery_figure19(void); /* anconeus */
fb_picture *gallery_figure20(void); /* brachialis */
fb_picture *gallery_figure21(void); /* stretched and contracted */
fb_picture *gallery_figure22(void); /* strength */
fb_picture *gallery_figure23(void); /* the core bent */
fb_picture *gallery_figure24(void); /* a muscle bent */
fb_picture *gallery_figure25(void); /* the core twisted */
fb_picture *gallery_figure26(void); /* a muscle twisted */
fb_picture *gallery_figure27(void); /* two heads */
fb_picture *gallery_figure28(void); /* the muscles of the arm */
fb_picture *gallery_figure29(void); /* the elbow bends */
fb_picture *gallery_figure30(void); /* the biceps rises */

/* A picture, or memory from fb_alloc; without memory the program ends with a message. */
fb_picture *gallery_picture(int width, int height);
void *gallery_memory(size_t bytes);
/* Ends the program with a message if a call of the library says why it could not be done. */
void gallery_must(const char *what, const char *why);

/* Muscles in layers that fbgen wrote (--layers), each in its colour, on the bones of their model in
 * its default pose: from the front and from the side, y up. */
fb_picture *gallery_layers(const char *model, const char *layers);

/* ---- bodies ---------------------------------------------------------------------------------- */

/* One bundle, its widest section at the origin: fb_polygon_make. */
void gallery_bundle(fb_body *body, const fb_shape *shape, const fb_layers *layers,
                    const double (*turns)[3]);
/* A body of its bundles that are wanted. */
void gallery_choose(fb_body *chosen, const fb_body *body, bool (*wanted)(const fb_bundle *, int),
                    int context);

typedef struct gallery_style {
    int sides;                                   /* of the polygons; 0: 24 */
    unsigned belly, tendon;                      /* 0: GALLERY_MUSCLE, GALLERY_TENDON */
    unsigned inside;                             /* where it is cut open; 0: the same, paler */
    unsigned (*colour)(const fb_bundle *bundle); /* of each belly; NULL: `belly` */
    bool plain;                                  /* no shading: for wireframes */
    unsigned edge;                               /* colour of edges */
    float edge_width;                            /* pixels; 0: no edges */
    bool whole;                                  /* not cut by the section plane */
    bool across; /* cut across bellies: fibres behind the cut do not shine through */
} gallery_style;

/* Adds a body's bundles to a scene: rings joined by quads, ends closed. Polygons have the area of
 * their ellipses, so that volumes are kept. */
void gallery_draw_body(fb_scene *scene, const fb_body *body, const gallery_style *style);
/* The ellipses of all rings, as lines. */
void gallery_draw_rings(fb_scene *scene, const fb_body *body, unsigned rgb, float width);
/* A surface like glass with an edge, such as a plane that is bent or twisted with a core: n pairs
 * of points (n x 2 x 3), a quad between each and the next. */
void gallery_draw_strip(fb_scene *scene, const float *pairs, size_t n, unsigned rgb, float opacity);
/* The k-th of a ring's polygon's corners, 0 to sides - 1. */
void gallery_corner(float corner[3], const fb_ring *ring, int sides, int k);
/* Well distinguishable colours, again from the first after thirteen. */
unsigned gallery_colour(int i);
/* By the bundle's quadrant and whether its cell is an even one, so that neighbours differ. */
unsigned gallery_by_cell(const fb_bundle *bundle);
/* By the quadrant and pairs of columns, or of rows: for pictures in which bundles are thin. */
unsigned gallery_by_columns(const fb_bundle *bundle);
unsigned gallery_by_rows(const fb_bundle *bundle);

/* ---- muscles --------------------------------------------------------------------------------- */

/* A muscle around a straight core along z, as it is bent, twisted and so on. Metres, radians. */
typedef struct gallery_plan {
    double volume, belly, tendon[2];
    double bundles;               /* 0: 400 */
    size_t layers;                /* of the belly; 0: 32 */
    double stretch;               /* of the belly; 0: 1 */
    double curve;                 /* of the junctions, as fb_form_options has it */
    double strength, bend, twist; /* bent about x, twisted about z */
    const fb_core_line *cores;    /* n_cores (8 at most) instead of a straight one, of equal heads:
                                     their points and places; NULL */
    size_t n_cores;
    const fb_lattice_outline *outline; /* NULL: round */
} gallery_plan;

typedef struct gallery_muscle {
    fb_form form;
    fb_sections sections;
    fb_body body;
    fb_body_measures measures;
    double belly_volume; /* between the rings, of all bellies */
    double half_width;   /* of the whole muscle at its widest */
} gallery_muscle;

/* Made by the library's default rule, with ends flush; measured, and told in the table of measures
 * under a name such as "21 (a)" unless that is NULL. The program ends with a message if it cannot
 * be. */
void gallery_muscle_make(gallery_muscle *muscle, const gallery_plan *plan, const char *told_as);
void gallery_muscle_free(gallery_muscle *muscle);
/* The planes x = 0 and y = 0 that follow a core, as glass, so far to each side (m). */
void gallery_draw_planes(fb_scene *scene, const fb_sections *sections, size_t head, double x,
                         double y, float opacity);
/* The quarters of them that bound the first quadrant. */
void gallery_draw_quarter(fb_scene *scene, const fb_sections *sections, double x, double y);
/* The core itself. */
void gallery_draw_core(fb_scene *scene, const fb_sections *sections, size_t head, unsigned rgb,
                       float width);
/* Measures a muscle that was laid again, and tells it. */
void gallery_measure(gallery_muscle *muscle, const char *told_as);
/* Measures a body and prints a row of the table of measures. */
void gallery_tell(const char *name, const fb_body *body, fb_body_measures *measures);
/* A text centred at a pixel of a panel: printf. */
void gallery_note(fb_scene *scene, float x, float y, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Adds the bones of a model in the pose of a state. */
void gallery_draw_bones(fb_scene *scene, const fb_bones *bones, const fb_state *state);

/* The camera: looking along a direction, with an up. */
fb_camera gallery_camera(float x, float y, float z, float up_x, float up_y, float up_z);

#endif
