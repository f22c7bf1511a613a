/* How transformations are fitted, one kind a function. Internal to transform*.c. */
#ifndef FB_REGISTER_TRANSFORM_INTERNAL_H
#define FB_REGISTER_TRANSFORM_INTERNAL_H

#include "libcore/register/transform.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The pairs that count, each with a weight above 0. */
typedef struct fb_fit {
    size_t n;
    double (*from)[3], (*to)[3];
    double *given;  /* their weights as given */
    double *weight; /* of this fit: given, times what a robust norm makes of it */
    double smoothing;
    bool mirror;
} fb_fit;

/* Weighted centroids of both sides, and the points' moments about them: G = sum w p p^T,
 * H = sum w q p^T (9 each, row-major). */
void fb_fit_moments(const fb_fit *fit, double *from, double *to, double *G, double *H);

/* Each sets linear, translation, rotation, scale and mirrored of `transform`. FB_E_NUMERIC if the
 * numbers give no such map (scales that are not above 0), FB_E_MEMORY. */
fb_status fb_fit_similarity(fb_transform *transform, const fb_fit *fit, bool rigid);
fb_status fb_fit_anisotropic(fb_transform *transform, const fb_fit *fit);
fb_status fb_fit_affine(fb_transform *transform, const fb_fit *fit);
/* Likewise; needs room for n centres and weights in transform. */
fb_status fb_fit_spline(fb_transform *transform, const fb_fit *fit);

/* Sets rotation, scale and mirrored by the singular values of `linear`. */
void fb_fit_decompose(fb_transform *transform);

#ifdef __cplusplus
}
#endif
#endif
