/* A small convex quadratic program with bounds and equations, by a primal active set that starts
 * from the last one: the step of nonlinear least squares. */
#ifndef FB_SOLVE_BOUNDED_H
#define FB_SOLVE_BOUNDED_H

#include "libcore/base/diag.h"
#include "libcore/base/scratch.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Minimise 1/2 d H d + g d for low <= d <= high and G d = b. */
typedef struct fb_bounded {
    int n, m;
    const double *H;          /* n x n, symmetric, positive definite */
    const double *g;          /* n */
    const double *low, *high; /* n, low <= 0 <= high; -inf and inf where there are none. Equal ones
                                 hold a variable */
    const double *G, *b;      /* m x n, m. Equations that repeat others are allowed; where bounds
                                 leave them no solution they are met as nearly as they can be */
    signed char *at;          /* n, in and out: -1 at its low bound, 1 at its high one, 0 between */
    double *d;                /* n, out */
    double *multipliers;      /* m, out: H d + g + G^T multipliers is zero for variables between
                                 bounds */
} fb_bounded;

/* FB_E_NUMERIC if H is not positive definite, or if the active set does not settle; FB_E_MEMORY. No
 * allocation once `scratch` has grown. */
fb_status fb_bounded_solve(fb_bounded *problem, fb_scratch *scratch);

#ifdef __cplusplus
}
#endif
#endif
