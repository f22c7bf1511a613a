/* Shortest courses found without the library: threads pulled tight around surfaces. */
#ifndef FB_TESTS_PROPERTIES_TAUT_H
#define FB_TESTS_PROPERTIES_TAUT_H

#include "libcore/muscle/path.h"

/* How deep a point (in the wrap object's frame) is in a surface, m; negative outside. Cylinders
 * have no ends. To first order for ellipsoids. */
double surface_depth(const fb_wrap *wrap, const double *p);
/* The unit normal outwards at a point near the surface. */
void surface_normal(const fb_wrap *wrap, const double *p, double *normal);
/* Moves a point that is inside to the surface. */
void push_out(const fb_wrap *wrap, double *p);
/* The deepest point of the segment from p1 to p2; returns its depth, `at` its fraction. */
double deepest(const fb_wrap *wrap, const double *p1, const double *p2, double *at);

/* A point of an arc over a surface that leaves r1 in the direction of `way`, as the course has it:
 * on a sphere, cylinder or torus at constant rates of its angles, on an ellipsoid in a plane. */
void arc_point(const fb_wrap *wrap, const double *r1, const double *r2, const double *way,
               double fraction, double *p);

typedef struct taut {
    double length;
    bool touches; /* every surface that the course touches, and has slipped through none */
} taut;

/* A thread through the points of a course, which begins where the course is and is pulled tight
 * around the surfaces that the course touches. */
taut pull_tight(const fb_paths *paths, const fb_path *path, const fb_state *state,
                const fb_course *course);

/* The shortest way around a sphere or a cylinder without ends, either way round: closed forms. */
double shortest_around(const fb_wrap *wrap, const double *p1, const double *p2);

#endif
