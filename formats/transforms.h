/* The file of transformation parameters: what was found for each body, so that it can be looked at
 * and used again without finding it anew.
 *
 * JSON: {"transforms": [{"body", "kind", "rotation": [3 rows of 3], "scale": [3], "translation":
 * [3], "residual"?, "linear"?, "mirrored"?, "frame"?, "smoothing"?, "centers"?, "weights"?}],
 * "joints"?: [..]}; metres. docs/format-features.md describes it. */
#ifndef FB_FORMATS_TRANSFORMS_H
#define FB_FORMATS_TRANSFORMS_H

#include "formats/text.h"
#include "libcore/base/spatial.h"
#include "libcore/register/transform.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What one body of the standard becomes. */
typedef struct fb_body_transform {
    const char *body;
    fb_transform transform; /* the standard body's frame -> the target's frame of that body */
    bool framed;            /* `frame` is given */
    fb_pose frame;          /* the new body's frame in the target's frame */
    double residual;        /* m: root mean square of the points' or surfaces' distances; nan */
    int n_points;           /* from which it was found; 0: not said */
    int line;
} fb_body_transform;

/* A joint whose centre, and axis (0: none), were fitted on the new bones, in the target's frames.
 */
typedef struct fb_joint_place {
    const char *joint;
    bool in_parent, in_child; /* which are given */
    double parent[3], child[3];
    double axis_parent[3], axis_child[3];
    int line;
} fb_joint_place;

typedef struct fb_transforms {
    fb_arena arena; /* texts and splines too */
    fb_body_transform *items;
    size_t n, capacity;
    fb_joint_place *joints;
    size_t n_joints, capacity_joints;
} fb_transforms;

void fb_transforms_init(fb_transforms *transforms);
void fb_transforms_free(fb_transforms *transforms);
/* Adds a copy, texts and splines too. May jump to the arena's oom. */
void fb_transforms_add(fb_transforms *transforms, const fb_body_transform *item);
void fb_transforms_add_joint(fb_transforms *transforms, const fb_joint_place *joint);
/* That of a body; NULL: none. */
const fb_body_transform *fb_transforms_find(const fb_transforms *transforms, const char *body);

/* Reads a file's bytes, which stay the caller's. Without "linear", it is the rotation times the
 * scales (its negative if mirrored). FB_E_INPUT or FB_E_MEMORY with errors and lines in `diag`;
 * then it is empty. What fb_transforms_write wrote is read to the same bits. */
fb_status fb_transforms_read(fb_transforms *transforms, const char *bytes, size_t size,
                             const char *file, fb_diag *diag);
void fb_transforms_write(fb_text *out, const fb_transforms *transforms);

#ifdef __cplusplus
}
#endif
#endif
