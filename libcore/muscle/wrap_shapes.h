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

/* As OpenSim 4 finds it, from p along the unit vector n: where a line passes a torus's ring, m. */
double fb_wrap_opensim_ring_place(double ring, const double *p, const double *n);
/* As OpenSim 4 finds it: the point nearest to p on an ellipsoid of semi-axes a, or on its section
 * where coordinate `plane` is 0 (-1: anywhere). Where its iteration comes to no end, c is left. */
void fb_wrap_opensim_nearest(const double *a, const double *p, int plane, double *c);
/* As OpenSim 4 samples it: adds the directions from points of the chord from r1 to r2 to the
 * surface. */
void fb_wrap_opensim_fan(const double *a, const double *r1, const double *r2, double *sum);
/* As OpenSim 4 finds it, from the point r: where a line from p, at which the quadric has a value,
 * touches an ellipsoid of semi-axes a in the plane n.x = offset. */
void fb_wrap_opensim_tangent(const double *a, const double *p, double value, const double *n,
                             double offset, double *r);
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
