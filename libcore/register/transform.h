/* Transformations of one bone onto another, found from pairs of points.
 *
 * All kinds are of one form: p -> A p + t - sum_i w_i |p - c_i|, the sum for splines only. */
#ifndef FB_REGISTER_TRANSFORM_H
#define FB_REGISTER_TRANSFORM_H

#include <stdbool.h>

#include "libcore/base/arena.h"
#include "libcore/base/diag.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum fb_transform_kind {
    FB_TRANSFORM_RIGID,
    FB_TRANSFORM_SIMILARITY,  /* one scale */
    FB_TRANSFORM_ANISOTROPIC, /* three scales along the standard body's axes */
    FB_TRANSFORM_AFFINE,
    FB_TRANSFORM_TPS,    /* thin-plate spline through the points, or near them */
    FB_TRANSFORM_SURFACE /* found from whole surfaces (align.h): affine and spline */
} fb_transform_kind;

typedef struct fb_transform {
    fb_transform_kind kind;
    double linear[9], translation[3]; /* A, t (m) */
    double rotation[9];               /* the rotation nearest to A: for similar ones A / scale */
    double scale[3];  /* of rigid 1; affine and splines: singular values of A, or column norms */
    bool mirrored;    /* det A < 0: a left bone onto a right one; rotation is then of -A */
    double smoothing; /* of the spline: m, added to the kernel's diagonal with its sign */
    int n;            /* spline centres, 0 unless it is one */
    double (*centers)[3], (*weights)[3]; /* in the caller's arena */
} fb_transform;

typedef enum fb_norm { FB_NORM_L2, FB_NORM_L1, FB_NORM_HUBER } fb_norm;

typedef struct fb_transform_options {
    fb_norm norm;
    double huber;     /* m, above 0: where the Huber norm becomes linear */
    double smoothing; /* of FB_TRANSFORM_TPS, m, at least 0: for a point of mean weight */
    bool mirror;      /* allow det A < 0 (else the best proper one is found) */
} fb_transform_options;

/* How well points determine a transformation. */
typedef struct fb_spread {
    int n;
    double extent[3]; /* m: standard deviations of the standard's points along their principal axes,
                         the greatest first */
    double condition; /* extent[0] / extent[2], inf if they lie in a plane */
    /* How far an affine map moves places of the bone (as far off along each principal axis as the
     * points, and as thick as it is broad) when the points are moved at random, to how far these
     * are (root mean squares); inf if they lie in a plane. docs/theory.md */
    double amplification;
    fb_transform_kind richest; /* the richest kind for which they are enough; if not `enough`, none
                                  is: fewer than 3, or on a line */
    bool enough;
} fb_spread;

void fb_transform_identity(fb_transform *transform);
/* What n points (a stride of `stride` doubles apart) determine. */
void fb_spread_of(fb_spread *spread, const double *points, size_t stride, size_t n);
/* The transformation that takes points `from` to points `to` (n, with weights, NULL: 1): least
 * squares (rigid and similar ones in closed form: Horn 1987, Umeyama 1991), or least distances.
 * Points of weight 0 do not count. Pairs that are equal give the identity, exactly. FB_E_INPUT with
 * one error in `diag` that gives the numbers if the points do not determine it (fb_spread); then
 * `transform` is untouched. `name` is the body's, for the message. FB_E_NUMERIC, FB_E_MEMORY.
 * Splines live in the arena. */
fb_status fb_transform_fit(fb_transform *transform, fb_transform_kind kind, const double (*from)[3],
                           const double (*to)[3], const double *weight, size_t n,
                           const fb_transform_options *options, const char *name, fb_arena *arena,
                           fb_diag *diag);
void fb_transform_point(const fb_transform *transform, const double *p, double *out);
/* Derivative of the map at a point, row-major, and the rotation nearest to it (to its negative if
 * mirrored). Of linear kinds `rotation` is transform->rotation to the last bit. */
void fb_transform_jacobian(const fb_transform *transform, const double *p, double *jacobian);
void fb_transform_rotation(const fb_transform *transform, const double *p, double *rotation);
/* The same map seen from another frame of the standard body: T'(p) = T(M p) with M a rigid motion
 * (rotation, translation). FB_TRANSFORM_ANISOTROPIC becomes affine unless M only moves. */
void fb_transform_before(fb_transform *out, const fb_transform *transform, const double *rotation,
                         const double *translation, fb_arena *arena);
/* The same map seen from another frame of the new bone: T'(p) = M T(p). */
void fb_transform_after(fb_transform *out, const fb_transform *transform, const double *rotation,
                        const double *translation, fb_arena *arena);
/* Weighted root mean square and mean of the pairs' distances after it, and each (NULL: not). */
double fb_transform_residual(const fb_transform *transform, const double (*from)[3],
                             const double (*to)[3], const double *weight, size_t n, double *mean,
                             double *each);
/* "rigid", "similarity", "anisotropic", "affine", "tps", "surface"; -1 if it is none. */
const char *fb_transform_word(fb_transform_kind kind);
int fb_transform_kind_of(const char *word);

/* Rotation, scales and a second rotation: A = U diag(s) V^T, s descending and positive, U and V
 * proper (s[2] negative if A mirrors). */
void fb_svd3(const double *a, double *u, double *s, double *v);
/* Eigenvalues of a symmetric matrix, the greatest first, and their axes (columns, right-handed). */
void fb_eigen3(const double *symmetric, double *values, double *axes);
/* The rotation nearest to A (of det 1). */
void fb_polar3(const double *a, double *rotation);

#ifdef __cplusplus
}
#endif
#endif
