/* A small strictly convex program with a separable cost, equations and bounds: how muscles share
 * the moments of joints.
 *
 * Solved by its dual, which has one unknown per equation and is concave and smooth: Newton's method
 * with a line search, inside proximal steps that make it well posed where equations repeat each
 * other or cannot be met. For exponent 2 it ends after a finite number of steps. (R. T.
 * Rockafellar, Convex Analysis, 1970, section 28; D. P. Bertsekas, Constrained Optimization and
 * Lagrange Multiplier Methods, 1982.) */
#ifndef FB_SOLVE_SEPARABLE_H
#define FB_SOLVE_SEPARABLE_H

#include "libcore/base/diag.h"
#include "libcore/base/scratch.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Minimise the sum of |x|^exponent for A x = b, low <= x <= high. */
typedef struct fb_separable {
    int n, m;
    double exponent;          /* > 1 */
    const double *A, *b;      /* m x n, m */
    const double *low, *high; /* n; -inf and inf where there are none */
    double *x;                /* n, out */
    double *multipliers;      /* m, in (where to start: zeros, or the last ones) and out: the cost's
                                 derivative is A^T multipliers for variables between bounds, less at
                                 high bounds, more at low ones */
    double *residual;         /* m, out: b - A x */
    double gap;               /* out: by how much the cost is above the least possible, at most */
    int steps;                /* out: Newton steps */
} fb_separable;

/* FB_E_NUMERIC if bounds leave the equations no solution: x then meets them as nearly as it can be
 * (least sum of squares, each equation scaled by the size of its row), and residual says by how
 * much it does not. FB_E_MEMORY. No allocation once `scratch` has grown. */
fb_status fb_separable_solve(fb_separable *problem, fb_scratch *scratch);

#ifdef __cplusplus
}
#endif
#endif
