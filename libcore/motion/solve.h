/* The dense linear algebra of mechanics, on LAPACK. Internal to motion and
 * register. */
#ifndef FB_MOTION_SOLVE_H
#define FB_MOTION_SOLVE_H

#include <stdbool.h>

#include "libcore/base/diag.h"
#include "libcore/base/scratch.h"

#ifdef __cplusplus
extern "C" {
#endif

#define FB_SMALL_PIVOT 1e-24      /* of the largest mass: below, a direction moves none */
#define FB_SMALL_CONSTRAINT 1e-10 /* likewise: below, constraints may be redundant */

/* Cholesky's factor L of a symmetric A (n x n, of which the lower triangle counts), in place; plain
 * loops, because matrices here are small. False if a pivot is not above `least` times the largest
 * number of the diagonal. */
bool fb_cholesky(int n, double *A, double least);
/* x (n) becomes the solution y of L y = x, of L^T y = x. */
void fb_cholesky_forward(int n, const double *L, double *x);
void fb_cholesky_backward(int n, const double *L, double *x);

/* Solves M x = rhs subject to G x = b for x (n): M n x n symmetric positive semidefinite, G m x n,
 * row-major. Redundant rows of G are allowed (least squares). M and G are overwritten. FB_E_NUMERIC
 * if M is singular on the directions that G leaves free. */
fb_status fb_solve_constrained(fb_scratch *scratch, int n, int m, double *M, double *G,
                               const double *rhs, const double *b, double *x);

/* The smallest x with G x = b in the least-squares sense (m x n), by singular values; those under
 * `tolerance` times the largest count as zero. G is overwritten; b (m) in, x (n) out. */
fb_status fb_solve_least(fb_scratch *scratch, int m, int n, double *G, const double *b, double *x,
                         double tolerance);

/* Solves A x = b for m right sides (columns of n, one after the other, in place): A n x n
 * symmetric, of any sign, kept; refined once on its residual. FB_E_NUMERIC if A is singular,
 * FB_E_MEMORY. */
fb_status fb_solve_symmetric(fb_scratch *scratch, int n, const double *A, int m, double *b);

#ifdef __cplusplus
}
#endif
#endif
