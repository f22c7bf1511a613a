/* What a model has besides the bodies, joints and constraints that are computed. Internal to
 * motion. */
#ifndef FB_MOTION_LEFT_OUT_H
#define FB_MOTION_LEFT_OUT_H

#include "libcore/motion/system.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Warns (FB2308) of what would act on the motion of a system's model but is left out, and counts
 * it: joints and constraints of classes that are not known in n_kept; rolling on a surface, which
 * OpenSim 4.5.2 loads switched off, and Moco's motions in n_skipped. */
void fb_system_tell_left_out(fb_system *system, bool as_opensim4, fb_diag *diag);

#ifdef __cplusplus
}
#endif
#endif
