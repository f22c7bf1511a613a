/* Checks of a linked model: what is impossible, unusual, or likely a mistake. */
#ifndef FB_MODEL_CHECK_H
#define FB_MODEL_CHECK_H

#include "libcore/model/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Adds a record to `diag` for each finding: bodies that no joint reaches, joints that close loops
 * or join a body to itself, frames that hang on themselves, masses and inertias that no body can
 * have, values out of range, functions that cannot be evaluated or are asked outside their tables,
 * paths of fewer than two points. */
void fb_model_check(const fb_model *model, fb_diag *diag);

/* The body, or ground, that a frame is fixed to; NULL if its frames go round in a circle or end
 * nowhere. */
const fb_element *fb_base_frame(const fb_element *frame);

/* The total mass of all bodies, kg. */
double fb_total_mass(const fb_model *model);

/* Calls act for an element and everything that it owns. */
void fb_visit(const fb_element *element, void (*act)(const fb_element *, void *), void *context);
/* The same for the whole model. */
void fb_visit_model(const fb_model *model, void (*act)(const fb_element *, void *), void *context);

#ifdef __cplusplus
}
#endif
#endif
