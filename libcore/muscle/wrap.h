/* Wrap objects: how a straight line between two points bends around a sphere, cylinder, ellipsoid
 * or torus.
 *
 * The choice of side, and the plane of a path over an ellipsoid, follow OpenSim, which took them
 * from SIMM (S. Delp, J. Loan, Comput. Biol. Med. 25, 1995). Where the path touches is that of the
 * geodesic: in closed form on spheres and cylinders, by Newton's method on tori. With as_opensim4
 * the points are those of OpenSim 4.5.2. */
#ifndef FB_MUSCLE_WRAP_H
#define FB_MUSCLE_WRAP_H

#include "libcore/base/spatial.h"
#include "libcore/model/model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum fb_wrap_kind {
    FB_WRAP_SPHERE,
    FB_WRAP_CYLINDER,
    FB_WRAP_ELLIPSOID,
    FB_WRAP_TORUS
} fb_wrap_kind;

typedef enum fb_wrap_method { FB_WRAP_HYBRID, FB_WRAP_MIDPOINT, FB_WRAP_AXIAL } fb_wrap_method;

typedef struct fb_wrap {
    fb_wrap_kind kind;
    int body;
    fb_pose pose;   /* in the body */
    double size[3]; /* sphere: radius; cylinder: radius, length; ellipsoid: semi-axes; torus: tube,
                       ring radius */
    int axis;       /* the quadrant's axis, 0 to 2; -1: all */
    double sign;    /* of the allowed side */
    bool active;
    const fb_element *element;
} fb_wrap;

typedef enum fb_wrap_outcome {
    FB_WRAP_NONE,
    FB_WRAP_INSIDE,  /* a point is inside the surface */
    FB_WRAP_VOID,    /* of OpenSim 4's tori: counts as wrapped, but there is no course */
    FB_WRAP_THROUGH, /* FB_WRAP_GEODESIC only: it passes a ring as it should, without touching it */
    FB_WRAP_WRAPPED,
    FB_WRAP_MANDATORY /* wrapped, and no other segment needs to be tried */
} fb_wrap_outcome;

typedef struct fb_wrap_path {
    double r1[3],
        r2[3]; /* where the path touches the surface first and last, in the wrap object's frame */
    double length; /* along the surface */
} fb_wrap_path;

/* Which of the ways over a surface is found. */
typedef enum fb_wrap_mode {
    FB_WRAP_GEODESIC,       /* the geodesic; over ellipsoids a plane section */
    FB_WRAP_OPENSIM_ONE,    /* as OpenSim 4 with one wrap object on a path: not refined */
    FB_WRAP_OPENSIM_SEVERAL /* as OpenSim 4 with several: refined to 0.1 degrees */
} fb_wrap_mode;

/* Wraps the segment from p1 to p2 (in the wrap object's frame). `path` holds the points of the last
 * call on this object, which a sphere needs where the line goes through its centre. */
fb_wrap_outcome fb_wrap_segment(const fb_wrap *wrap, fb_wrap_method method, fb_wrap_mode mode,
                                const double *p1, const double *p2, fb_wrap_path *path);

/* True if the segment, both of whose ends are outside, enters the object; cylinders have no ends.
 */
bool fb_wrap_blocks(const fb_wrap *wrap, const double *p1, const double *p2);

/* Reads an element of family FB_WRAP, except body and pose. False with a record if its sizes make
 * no sense. */
bool fb_wrap_compile(fb_wrap *wrap, const fb_element *element, fb_diag *diag);

#ifdef __cplusplus
}
#endif
#endif
