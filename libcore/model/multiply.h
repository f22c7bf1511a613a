/* One force of a linked model replaced by several: its copies, and all that refers to it. */
#ifndef FB_MODEL_MULTIPLY_H
#define FB_MODEL_MULTIPLY_H

#include "libcore/model/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Puts n copies of a force (an element of a list), called names[i], in its place; share[i] of 1 is
 * what parts of it they are. The model stays linked; nobody else may read it meanwhile.
 *
 * Groups, controllers and probes that name it name the copies: control functions, synergy weights
 * and metabolic parameters are given to each, a provided mass in parts. Outputs that are inputs of
 * others are followed likewise. What names it in a way that cannot be followed (a file of controls,
 * XML that was kept) is recorded in `diag` as approximated. The copies have the element's members
 * of .fb except `without` (may be NULL), and its comments go with the first.
 *
 * FB_E_INPUT with an error in `diag` if a name is taken, the model as it was. May jump to
 * model->arena.oom. The copies go to `copies` (n). */
fb_status fb_model_multiply(fb_model *model, fb_element *element, const char *const *names,
                            const double *share, int n, const char *without, fb_element **copies,
                            fb_diag *diag);

#ifdef __cplusplus
}
#endif
#endif
