/* Functions of a model (splines, polynomials, ..) compiled for evaluation with derivatives.
 *
 * Sources: the cubic of G. Forsythe, M. Malcolm, C. Moler (Computer Methods for Mathematical
 * Computations, 1977) for simm_spline; natural splines of odd degree through their B-spline or
 * piecewise-polynomial form for gcv_spline with error variance 0. */
#ifndef FB_MOTION_FUNCTION_H
#define FB_MOTION_FUNCTION_H

#include "libcore/model/model.h"

#ifdef __cplusplus
extern "C" {
#endif

#define FB_MAX_ARGUMENTS 8

typedef enum fb_function_kind {
    FB_FN_CONSTANT,
    FB_FN_LINEAR,       /* c[0] x + c[1] */
    FB_FN_POLYNOMIAL,   /* highest power first */
    FB_FN_MULTIVARIATE, /* multivariate polynomial */
    FB_FN_PIECES,       /* polynomials between knots: cubic and other splines */
    FB_FN_STEPS,        /* piecewise constant */
    FB_FN_SMOOTH_STEP,
    FB_FN_SINE,
    FB_FN_EXPRESSION
} fb_function_kind;

/* scale * the function of its kind. Immutable once made. */
typedef struct fb_function {
    fb_function_kind kind;
    double scale;
    int n;           /* knots, or coefficients */
    int degree;      /* FB_FN_PIECES: of the polynomials; FB_FN_MULTIVARIATE: order */
    int dimension;   /* how many arguments */
    const double *x; /* knots (n) */
    const double *c; /* coefficients; FB_FN_PIECES: (n + 1) x (degree + 1), powers of x - its knot,
                      * rising, the first and the last row being the continuations outside */
    struct fb_expression *expression;
    bool as_opensim4; /* FB_FN_MULTIVARIATE: second derivatives as OpenSim 4.5.2 has them */
} fb_function;

/* Compiles an element of family FB_FUNCTION; NULL gives the constant 0 and `missing` of an axis is
 * up to the caller. Adds an error to `diag` and returns FB_E_INPUT if it cannot be evaluated. */
fb_status fb_function_compile(fb_function *f, const fb_element *element, fb_arena *arena,
                              fb_diag *diag);

/* The cubic of simm_spline through n points; x rising. Allocates in the arena. */
void fb_function_simm_spline(fb_function *f, const double *x, const double *y, int n,
                             fb_arena *arena);

/* The natural spline of a time series: degree 0 (steps that hold until the next), 1, 3, or 5,
 * through n points with x rising; y is read at every `stride`-th number. Beyond the ends steps and
 * lines stay at the last value, cubics go on straight, quintics as parabolas, as OpenSim's
 * GCVSpline does. Time and memory are in proportion to n, but for degree 5, which takes at most 400
 * points. x must live as long as the function. False if there are too few or too many points, or x
 * does not rise. */
bool fb_function_series(fb_function *f, int degree, const double *x, const double *y, int stride,
                        int n, fb_arena *arena);
/* A constant. */
void fb_function_constant(fb_function *f, double value, fb_arena *arena);
/* Straight lines through n points; the outer ones go on. */
void fb_function_lines(fb_function *f, const double *x, const double *y, int n, fb_arena *arena);

/* Value of a function of one argument, with first and second derivative (either may be NULL). */
double fb_function_value(const fb_function *f, double x, double *d1, double *d2);

/* Value of a function of n arguments, with gradient (n) and Hessian (n x n), either of which may be
 * NULL. */
double fb_function_value_n(const fb_function *f, int n, const double *x, double *gradient,
                           double *hessian);

#ifdef __cplusplus
}
#endif
#endif
