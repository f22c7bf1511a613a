/* Formulas written as text, such as "10 * exp(-q) + 2 * qdot", compiled for evaluation with first
 * and second derivatives.
 *
 * The grammar is that of OpenSim's expressions (Lepton): numbers, names, parentheses, + - * / ^ and
 * unary minus, which binds more loosely than ^; ^ groups from the right. Functions: sqrt exp log
 * sin cos sec csc tan cot asin acos atan sinh cosh tanh erf erfc step delta square cube recip abs,
 * min max. After the formula, definitions of names may follow: "x*y; y=z^2; z=3", each using those
 * to its right. The derivatives of step and delta are 0; those of abs, min and max are one-sided.
 */
#ifndef FB_MOTION_EXPRESSION_H
#define FB_MOTION_EXPRESSION_H

#include "libcore/motion/function.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A compiled formula. It lives in the arena it was compiled into; immutable once made. */
typedef struct fb_expression fb_expression;

/* Compiles a formula in n named variables, n at most FB_MAX_ARGUMENTS. FB_E_INPUT if it is not well
 * formed, names something unknown, or is too long or nested too deeply; *problem then says what is
 * wrong, as a static text. */
fb_status fb_expression_compile(fb_expression **expression, const char *text,
                                const char *const *variables, int n, fb_arena *arena,
                                const char **problem);

/* How many variables it was compiled for. */
int fb_expression_arguments(const fb_expression *expression);

/* Its value, with gradient (n) and Hessian (n x n), either of which may be NULL. */
double fb_expression_value(const fb_expression *expression, const double *x, double *gradient,
                           double *hessian);

#ifdef __cplusplus
}
#endif
#endif
