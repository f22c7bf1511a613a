/* The dense linear algebra of mechanics, on LAPACK. Internal to motion. */
#ifndef FB_MOTION_SOLVE_H
#define FB_MOTION_SOLVE_H

#include <stdbool.h>

#include "libcore/base/diag.h"
#include "libcore/base/scratch.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Solves M x = rhs subject to G x = b for x (n): M n x n symmetric positive semidefinite, G m x n,
 * row-major. Redundant rows of G are allowed (least squares). M and G are overwritten. FB_E_NUMERIC
 * if M is singular on the directions that G leaves free. */
fb_status fb_solve_constrained(fb_scratch *scratch, int n, int m, double *M, double *G,
                               const double *rhs, const double *b, double *x);

/* The smallest x with G x = b in the least-squares sense (m x n), by singular values; those under
 * `tolerance` times the largest count as zero. G is overwritten; b (m) in, x (n) out. */
fb_status fb_solve_least(fb_scratch *scratch, int m, int n, double *G, const double *b, double *x,
                         double tolerance);

#ifdef __cplusplus
}
#endif
#endif
