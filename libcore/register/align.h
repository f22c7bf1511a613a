/* Registration of whole surfaces: where two bones of any place and turn lie on each other, and the
 * deformation of one into the other. */
#ifndef FB_REGISTER_ALIGN_H
#define FB_REGISTER_ALIGN_H

#include <stdbool.h>

#include "libcore/register/surface.h"
#include "libcore/register/transform.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fb_align_options {
    fb_transform_kind kind;      /* RIGID, SIMILARITY, AFFINE or SURFACE */
    const fb_transform *start;   /* NULL: any place and turn is tried */
    double (*from)[3], (*to)[3]; /* points known to correspond (m), kept in the fit; may be NULL */
    const double *weight;        /* of them, against all surface points together; NULL: 1 each */
    int n;
    bool mirror; /* try mirrored ones too, as well as proper ones */
    double trim; /* part of the pairs of points that is left out: 0.1 */
    int samples; /* points of each surface: 0: as many as serve */
    /* told how far it is (0 to 1); may be NULL */
    void (*progress)(void *context, double part);
    void *context;
} fb_align_options;

typedef struct fb_align_result {
    double residual; /* m: mean distance of the surfaces, both ways, all points */
    double largest;  /* m: 95 % of the points are nearer */
    double second;   /* residual of the best one that is turned by more than 30 degrees; inf:
                        not sought */
    double mirrored; /* residual of the best mirrored one; inf: not sought */
    int iterations;
} fb_align_result;

/* Finds the transformation of surface `from` onto surface `to`. Deterministic. For SURFACE:
 * an affine map, then a spline beside it that makes the surfaces meet. FB_E_NUMERIC if it does not
 * settle, FB_E_MEMORY. */
fb_status fb_align(fb_transform *transform, fb_align_result *result, const fb_surface *from,
                   const fb_surface *to, const fb_align_options *options, const char *name,
                   fb_arena *arena, fb_diag *diag);
/* Mean and 95th percentile of the distances of two surfaces after a transformation. */
void fb_align_distance(const fb_transform *transform, const fb_surface *from, const fb_surface *to,
                       double *mean, double *largest);

#ifdef __cplusplus
}
#endif
#endif
