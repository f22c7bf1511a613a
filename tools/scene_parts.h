/* What the files of the scene share: the parts of a picture as they are kept. */
#ifndef FB_TOOLS_SCENE_PARTS_H
#define FB_TOOLS_SCENE_PARTS_H

#include "tools/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct scene_mesh {
    fb_scene_mesh mesh; /* with normals, colours and opacity */
    struct scene_mesh *next;
} scene_mesh;

typedef struct scene_lines {
    const float *ends; /* n x 2 x 3 */
    size_t n;          /* pieces */
    unsigned rgb;
    float width;
    bool whole;
    struct scene_lines *next;
} scene_lines;

typedef struct scene_mark {
    const char *text; /* NULL: a stroke */
    fb_spot from, to;
    fb_lettering lettering;
    fb_stroke stroke;
    struct scene_mark *next;
} scene_mark;

struct fb_scene {
    fb_picture *picture;
    int x, y, width, height; /* height without the caption */
    const char *caption;
    fb_camera camera;
    bool cut;
    float plane[4]; /* kept is what has plane . (p, 1) >= 0 */
    unsigned cut_rgb;
    float cut_width;
    scene_mesh *meshes, **last_mesh;
    scene_lines *lines, **last_lines;
    bool lined; /* has lines other than a section's outlines */
    scene_mark *marks, **last_mark;
    float view[16];    /* world to the camera's axes; column-major, as OpenGL's */
    float project[16]; /* world to the panel, -1 to 1 */
    fb_scene *next;
};

struct fb_picture {
    int width, height;
    unsigned background;
    bool one_scale;
    fb_arena arena;
    fb_scene *scenes, **last_scene;
    const char *wrong; /* what was wrong with what was added, or NULL */
    uint32_t *pixels;  /* in the arena */
};

/* Says what is wrong, unless something was already; a NULL text: memory ran out. */
void fb_picture_wrong(fb_picture *picture, const char *text);
/* Computes the cameras' matrices. Says what is wrong with them. */
void fb_picture_aim(fb_picture *picture);
/* Whether a point is on that side of a scene's section plane that is kept. */
bool fb_scene_keeps(const fb_scene *scene, const float *p);
/* Where the plane crosses a piece; false if it does not. */
bool fb_scene_cross(const fb_scene *scene, const float *p, const float *q, float at[3]);
/* The same of a triangle of a mesh: both ends. */
bool fb_scene_cross_triangle(const fb_scene *scene, const fb_scene_mesh *mesh, size_t t,
                             float ends[6]);
/* The outlines of a scene's meshes on its section plane, as lines that it does not cut. */
void fb_scene_cut(fb_scene *scene);
/* Draws meshes and lines into the picture's pixels. NULL or what is wrong. */
const char *fb_picture_draw(fb_picture *picture);
/* Draws captions and marks over them. NULL or what is wrong. */
const char *fb_picture_letter(fb_picture *picture);

#ifdef __cplusplus
}
#endif
#endif
