/* What the files landmarks*.c share. */
#ifndef FB_REGISTER_LANDMARKS_INTERNAL_H
#define FB_REGISTER_LANDMARKS_INTERNAL_H

#include <stdbool.h>

#include "libcore/register/landmarks.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Eigenvalues of a symmetric matrix, the greatest first, and their axes (columns, right-handed). */
void fb_eigen3(const double *symmetric, double *values, double *axes);
/* Two unit vectors across a unit axis: u, v, axis right-handed. */
void fb_across(const double *axis, double *u, double *v);

#ifdef __cplusplus
}
#endif
#endif
