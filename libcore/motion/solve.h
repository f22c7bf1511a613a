/* The dense linear algebra of mechanics, on LAPACK. Internal to motion. */
#ifndef FB_MOTION_SOLVE_H
#define FB_MOTION_SOLVE_H

#include <stdbool.h>

#include "libcore/base/diag.h"
#include "libcore/base/scratch.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A pivot of constraints' matrices, relative to the largest, under which they may be redundant. */
#define FB_REDUNDANT_PIVOT 1e-10

/* The Cholesky factor of a symmetric matrix (n x n; the lower triangle counts and is overwritten).
 * False if a pivot is not above `least` times the largest entry of the diagonal. */
bool fb_cholesky(int n, double *M, double least);
/* Solves L L^T x = x with the factor. */
void fb_cholesky_solve(int n, const double *L, double *x);

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
