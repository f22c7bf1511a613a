/* The four shapes; internal to muscle. Arguments as in fb_wrap_segment. */
#ifndef FB_MUSCLE_WRAP_SHAPES_H
#define FB_MUSCLE_WRAP_SHAPES_H

#include "libcore/muscle/wrap.h"

#ifdef __cplusplus
extern "C" {
#endif

fb_wrap_outcome fb_wrap_sphere(const fb_wrap *wrap, fb_wrap_mode mode, const double *p1,
                               const double *p2, fb_wrap_path *path);
fb_wrap_outcome fb_wrap_cylinder(const fb_wrap *wrap, fb_wrap_mode mode, const double *p1,
                                 const double *p2, fb_wrap_path *path);
fb_wrap_outcome fb_wrap_ellipsoid(const fb_wrap *wrap, fb_wrap_method method, fb_wrap_mode mode,
                                  const double *p1, const double *p2, fb_wrap_path *path);
fb_wrap_outcome fb_wrap_torus(const fb_wrap *wrap, fb_wrap_mode mode, const double *p1,
                              const double *p2, fb_wrap_path *path);

/* True if the segment from p1 to p2 comes nearer to the ring than the tube is thick. */
bool fb_wrap_torus_blocks(const fb_wrap *wrap, const double *p1, const double *p2);

/* +1 for x >= 0, else -1. */
static inline double fb_wrap_sign(double x) {
    return x >= 0 ? 1 : -1;
}

/* True if a point is on the side that the quadrant allows. */
static inline bool fb_wrap_allowed(const fb_wrap *wrap, const double *p) {
    return fb_wrap_sign(p[wrap->axis]) == wrap->sign;
}

#ifdef __cplusplus
}
#endif
#endif
