/* Pictures that are drawn off screen: panels side by side, each a scene of triangle meshes and
 * lines seen by a camera, with labels, arrows and dimension lines over it, as PNG.
 *
 * Meshes and lines are drawn by OpenGL 3.3 on EGL, without a window and if possible by Mesa's
 * software renderer, so that the same scene gives the same picture on any machine with that Mesa;
 * what lies over them by cairo. World coordinates are in metres, right-handed; pixels are counted
 * from the upper left corner of a panel, y downward. Colours are 0xRRGGBB.
 *
 * What is added is copied. Adding never fails visibly: what was wrong is said by fb_picture_render.
 * One thread at a time. */
#ifndef FB_TOOLS_SCENE_H
#define FB_TOOLS_SCENE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/text.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fb_picture fb_picture;
typedef struct fb_scene fb_scene; /* what one panel shows; lives as long as its picture */

/* A picture of a size in pixels, 1 to 8192 each. NULL when memory runs out. */
fb_picture *fb_picture_new(int width, int height, unsigned background);
void fb_picture_free(fb_picture *picture);

/* A panel that covers some pixels of the picture; its caption, such as "(a) stretched", stands
 * centred in its last FB_CAPTION_HEIGHT pixels, which the scene then leaves free (NULL: none).
 * NULL when memory runs out; the calls below do nothing with a NULL scene. */
fb_scene *fb_picture_panel(fb_picture *picture, int x, int y, int width, int height,
                           const char *caption);
#define FB_CAPTION_HEIGHT 34
/* The i-th cell, row by row, of a grid over the whole picture. */
fb_scene *fb_picture_cell(fb_picture *picture, int columns, int rows, int i, const char *caption);

/* ---- the scene ------------------------------------------------------------------------------- */

/* How the inside of a mesh that a section plane opens looks: not at all different from outside, or,
 * for closed meshes, flat without shading, so that it looks filled when seen from where it is cut.
 */
typedef enum fb_inside {
    FB_INSIDE_SHADED,
    FB_INSIDE_PALE,  /* filled with the mesh's own colours, paler */
    FB_INSIDE_COLOUR /* filled with one colour */
} fb_inside;

/* Triangles are counterclockwise seen from outside. */
typedef struct fb_scene_mesh {
    size_t n_points, n_triangles;
    const float *points;       /* n_points x 3 */
    const float *normals;      /* n_points x 3; NULL: of the triangles around a point */
    const unsigned *colours;   /* n_points; NULL: `colour` for all */
    const unsigned *triangles; /* n_triangles x 3, from 0 */
    unsigned colour;
    fb_inside inside;
    unsigned inside_colour;
    const unsigned *inside_colours; /* n_points, of a pale inside; NULL: `colours` */
    bool plain;                     /* without shading */
    bool whole;                     /* the section plane does not cut it */
    float opacity; /* from 0 to 1; 0, too, is 1. What is below 1 is drawn last, in its order */
} fb_scene_mesh;

void fb_scene_add_mesh(fb_scene *scene, const fb_scene_mesh *mesh);

/* A polyline of n points (n x 3), `width` pixels wide; hidden by what is before it, and drawn a
 * little before a surface that it lies on. */
void fb_scene_add_line(fb_scene *scene, const float *points, size_t n, unsigned rgb, float width);
/* The same, but n / 2 separate pieces. */
void fb_scene_add_pieces(fb_scene *scene, const float *points, size_t n, unsigned rgb, float width);

typedef struct fb_camera {
    float look[3];   /* where it looks, of any length */
    float up[3];     /* what is up in the picture */
    float angle;     /* of view over the panel's height, rad, below pi; 0: orthographic */
    float scale;     /* pixels a metre, at `centre` if perspective; 0: so that all can be seen */
    float centre[3]; /* what is in the middle, with a scale */
    float margin[4]; /* pixels left free: left, top, right, bottom */
} fb_camera;

/* Looks along -z, y up, orthographic, all in sight, margins of 12 pixels. */
fb_camera fb_camera_default(void);
void fb_scene_set_camera(fb_scene *scene, const fb_camera *camera);
/* All orthographic panels that show all get the smallest scale among them. */
void fb_picture_one_scale(fb_picture *picture);

/* Leaves away what lies where normal . p > offset. `line`: the colour in which meshes' outlines on
 * the plane are drawn, `width` pixels wide (0: not). */
void fb_scene_set_section(fb_scene *scene, const float normal[3], float offset, unsigned line,
                          float width);

/* ---- what lies over it ----------------------------------------------------------------------- */

/* A place in the world, shifted by pixels, or (fixed) a pixel of the panel. */
typedef struct fb_spot {
    float world[3];
    float shift[2]; /* x to the right, y downward */
    bool fixed;
} fb_spot;

fb_spot fb_spot_at(const float world[3], float right, float down);
fb_spot fb_spot_pixel(float x, float y);

typedef struct fb_lettering {
    float size;   /* of the font, pixels; 0: 15 */
    float anchor; /* 0: starts at the place, 0.5: centred, 1: ends there */
    unsigned rgb;
    bool bold;
    bool bare; /* without the seam */
} fb_lettering;

typedef struct fb_stroke {
    float width; /* pixels; 0: 1.2 */
    unsigned rgb;
    int heads; /* arrow heads: 0 none, 1 at the end, 2 at both ends */
    bool dashed;
} fb_stroke;

/* A text of one line, its middle at the place's height, on a seam in the background's colour, so
 * that it can be read over lines. */
void fb_scene_add_text(fb_scene *scene, fb_spot place, const fb_lettering *lettering,
                       const char *text);
void fb_scene_add_stroke(fb_scene *scene, fb_spot from, fb_spot to, const fb_stroke *stroke);
/* A dimension line: from and to are the points measured; the line runs `right` and `down` pixels
 * beside them, with extension lines to it, arrow heads, and its text in the middle. */
void fb_scene_add_dimension(fb_scene *scene, const float from[3], const float to[3], float right,
                            float down, const char *text);
/* A text beside a point, with a thin line to it. */
void fb_scene_add_leader(fb_scene *scene, const float at[3], float right, float down,
                         const char *text);

/* ---- drawing --------------------------------------------------------------------------------- */

/* Draws the picture. NULL, or a sentence that says what is wrong (nonsense sizes, cameras or
 * meshes; no OpenGL; memory), which lives as long as the picture. */
const char *fb_picture_render(fb_picture *picture);
/* After fb_picture_render: height x width pixels 0x00RRGGBB. NULL before, or if it failed. */
const uint32_t *fb_picture_pixels(const fb_picture *picture);
/* After fb_picture_render: where a point of the world is, in pixels of the panel. */
void fb_scene_project(const fb_scene *scene, const float world[3], float pixel[2]);
/* After fb_picture_render: the picture as PNG, of at most 256 colours (the nearest of a palette
 * of its own) or of all. FB_E_MEMORY; that writing failed is said by whoever flushes `out`. */
fb_status fb_picture_png(const fb_picture *picture, bool palette, fb_text *out);

#ifdef __cplusplus
}
#endif
#endif
