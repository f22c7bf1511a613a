/* A model's missing side, built as the mirror image of the side that is there. */
#ifndef FB_REGISTER_MIRROR_H
#define FB_REGISTER_MIRROR_H

#include "libcore/model/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Adds to a linked model, for all that has `from` at the end or as a part of its name ("_r" in
 * "hip_flexion_r", "glmed1_r", "femur_r_geometry"), its mirror image with `to` instead, about the
 * xy plane of the bodies in the middle: bodies, frames, joints, coordinates, wrap objects, muscles
 * and other forces, contact, constraints, markers, stations, members of groups. What is there
 * already stays. Equal values of coordinates then mean mirrored motion, as in OpenSim's models of
 * the legs: joint axes in x and y are turned round. Masses and muscles' parameters are equal.
 * Visual meshes are mirrored by a negative scale factor along z. The model is linked again.
 *
 * FB_E_INPUT with an error in `diag` if there is nothing to be mirrored, the model as it was, or
 * where linking fails; FB_E_MEMORY. Approximations are recorded. Nobody else may read the model
 * meanwhile. */
fb_status fb_mirror_missing(fb_model *model, const char *from, const char *to, fb_diag *diag);

/* Takes away all that has `to` in its name and a twin with `from`, so that fb_mirror_missing, which
 * must follow, builds it anew: references to it are loose until then. FB_E_MEMORY; then the model
 * must not be used. */
fb_status fb_mirror_forget(fb_model *model, const char *from, const char *to);

#ifdef __cplusplus
}
#endif
#endif
