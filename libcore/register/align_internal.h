/* What the files align*.c share. */
#ifndef FB_REGISTER_ALIGN_INTERNAL_H
#define FB_REGISTER_ALIGN_INTERNAL_H

#include "libcore/register/align.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Points of one surface, spread evenly, with unit normals. */
typedef struct fb_align_side {
    const fb_surface *surface;
    int n;
    double (*points)[3], (*normals)[3];
    double (*hint)[3]; /* nearest on the other surface at last, in that one's frame */
    bool *hinted;
} fb_align_side;

/* Corresponding points: `from` on the surface that is moved, `to` on the other, the other's normal.
 */
typedef struct fb_align_pairs {
    int n;
    double (*from)[3], (*to)[3], (*normal)[3];
    double *square;  /* of their distance after the map */
    double *weight;  /* 1; 0: left out; of known pairs their own */
    double *scratch; /* n */
} fb_align_pairs;

typedef struct fb_align_work {
    fb_align_side from, to;
    const fb_align_options *options;
    fb_align_pairs pairs;
} fb_align_work;

/* Pairs each point with the nearest of the other surface after a linear map, both ways, and leaves
 * out the worst part. Returns the mean distance of those kept. `every`: each n-th point only. */
double fb_align_pair(fb_align_work *work, const fb_transform *map, int every);
/* From a linear map to the nearest that makes the surfaces meet. Returns the mean distance. */
double fb_align_refine(fb_align_work *work, fb_transform *map, fb_transform_kind kind, int every,
                       int most, int *iterations);
/* Splines after the linear map `map`: it becomes FB_TRANSFORM_SURFACE. */
fb_status fb_align_deform(fb_align_work *work, fb_transform *map, const char *name, fb_arena *arena,
                          fb_diag *diag);

#ifdef __cplusplus
}
#endif
#endif
