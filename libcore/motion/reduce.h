/* The equations of motion with constraints, made small. What a locked or prescribed coordinate
 * does, and what a coupled one does, is put into the equations; only the other constraints need
 * forces (multipliers). The mass matrix of what is left is factored along the tree: its zeros stay
 * zeros. (R. Featherstone, Efficient factorization of the joint-space inertia matrix for branched
 * kinematic trees, Int. J. Robotics Research 24, 2005.) Internal to motion. */
#ifndef FB_MOTION_REDUCE_H
#define FB_MOTION_REDUCE_H

#include "libcore/motion/system.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fb_reduction {
    int n_eliminated;
    const fb_constraint **eliminated; /* in this order; each gives its coordinate */
    int n, *kept;                     /* the other coordinates, rising */
    int *begin, *column; /* of row k of the factor: columns below k, at begin[k] .. begin[k + 1] */
    int m, *rows;        /* the other rows of the constraints */
} fb_reduction;

/* To be called when all else of the system is there; memory is the system's. */
void fb_reduction_compile(fb_system *system);

/* How many doubles fb_reduction_solve works with. */
size_t fb_reduction_work(const fb_system *system);

/* Solves M x = rhs + G^T lambda, G x = b for x (n_q); M n_q x n_q with both triangles, G n_row x
 * n_q. All of them are overwritten. False if it needs other means: the reduced mass matrix is
 * singular, or constraints are redundant. No allocation. */
bool fb_reduction_solve(const fb_system *system, double *M, double *G, double *rhs, double *b,
                        double *x, double *work);

#ifdef __cplusplus
}
#endif
#endif
