/* The curves of muscles as quintic Bezier sections: twice continuously differentiable, straight
 * outside their ends. All is normalised: lengths by the optimal fiber length or the tendon slack
 * length, velocities by the greatest one, forces by the greatest isometric one.
 *
 * Source: M. Millard, T. Uchida, A. Seth, S. Delp, Flexing computational muscle: modeling and
 * simulation of musculotendon dynamics, J. Biomech. Eng. 135 (2013) 021005, and the choices of
 * parameters that OpenSim made. */
#ifndef FB_MOTION_CURVE_H
#define FB_MOTION_CURVE_H

#include <stdbool.h>

#include "libcore/base/diag.h"
#include "libcore/model/model.h"

#ifdef __cplusplus
extern "C" {
#endif

#define FB_CURVE_SECTIONS 5
#define FB_CURVE_CELLS 48

typedef struct fb_curve {
    int n;                                                   /* sections */
    double x[FB_CURVE_SECTIONS][6], y[FB_CURVE_SECTIONS][6]; /* control points, x rising */
    const double *table; /* FB_CURVE_CELLS x 6 a section: polynomials over steps of x, or NULL */
    double begin[FB_CURVE_SECTIONS + 1]; /* with a table: where the sections begin, and the end */
    double scale[FB_CURVE_SECTIONS];     /* cells per unit of x */
    double slope[2];                     /* before the first and after the last */
} fb_curve;

/* Adds a section from (x0, y0) with slope d0 to (x1, y1) with slope d1. Curviness, 0 to 1: how near
 * the curve comes to the corner of the two tangents. */
void fb_curve_add(fb_curve *curve, double x0, double y0, double d0, double x1, double y1, double d1,
                  double curviness);

/* Makes the curve fast: quintic polynomials that have its value, slope and curvature at their ends,
 * so that it stays twice continuously differentiable. They differ from it by less than 1e-9
 * (tested). */
void fb_curve_tabulate(fb_curve *curve, fb_arena *arena);

/* Value at x; `slope`, unless NULL, gets the derivative. */
double fb_curve_value(const fb_curve *curve, double x, double *slope);
/* The second derivative at x; slower, and never from the table. */
double fb_curve_curvature(const fb_curve *curve, double x);

/* The curves from elements of the classes of their names (NULL: the usual active curve). `minimum`
 * and `end_slope` replace the element's own value unless negative: the muscles change them with
 * their fiber damping. False if the parameters make no rising curve. */
bool fb_curve_active_force_length(fb_curve *curve, const fb_element *element, double minimum);
bool fb_curve_force_velocity(fb_curve *curve, const fb_element *element, double concentric_end,
                             double eccentric_end);
/* The same with the axes exchanged, for a rising curve with slopes above zero at its ends. */
void fb_curve_invert(fb_curve *inverse, const fb_curve *curve);
bool fb_curve_fiber_force_length(fb_curve *curve, const fb_element *element);
bool fb_curve_tendon_force_length(fb_curve *curve, const fb_element *element);
bool fb_curve_compressive_length(fb_curve *curve, const fb_element *element);
bool fb_curve_compressive_pennation(fb_curve *curve, const fb_element *element);
/* The curve of an element of any of these classes, and of ForceVelocityInverseCurve, with its own
 * parameters. False if it is of another class, or they make no rising curve. */
bool fb_curve_of(fb_curve *curve, const fb_element *element);

#ifdef __cplusplus
}
#endif
#endif
