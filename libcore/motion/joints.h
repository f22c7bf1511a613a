/* What each kind of joint does, in its own parent frame. Internal to motion. */
#ifndef FB_MOTION_JOINTS_H
#define FB_MOTION_JOINTS_H

#include "libcore/motion/system.h"

#ifdef __cplusplus
extern "C" {
#endif

#define FB_JOINT_MAX 12 /* coordinates of one joint */

/* A joint's motion, everything in the axes of its parent frame F, for its child frame M. */
typedef struct fb_joint_motion {
    fb_pose X;                   /* M in F */
    double Hw[FB_JOINT_MAX][3];  /* angular velocity of M for each unit speed */
    double Hv[FB_JOINT_MAX][3];  /* velocity of M's origin for each unit speed */
    double bias_w[3], bias_v[3]; /* Hdot u */
} fb_joint_motion;

/* What an axis of FB_JOINT_AXES does in a pose, as a state keeps it at axis->at: its direction in F
 * (3), the derivatives of its angle or distance by its n arguments (n), and the second ones (n x
 * n). */
#define FB_AXIS_NUMBERS(n) (3 + (n) + (n) * (n))

/* Fills X and H from the joint's coordinates q; `axes` are the numbers of all axes of the state. */
void fb_joint_position(const fb_mobod *m, const double *q, double *axes, fb_joint_motion *out);
/* Fills the bias from q and u; position must have been called with the same q. Only joints that are
 * not of FB_JOINT_AXES need what else it left in `out`. */
void fb_joint_velocity(const fb_mobod *m, const double *q, const double *u, const double *axes,
                       fb_joint_motion *out);
/* qdot from u for this joint's coordinates. */
void fb_joint_qdot(const fb_mobod *m, const double *q, const double *u, double *qdot);
/* The part of the second derivative of q that does not depend on the derivative of u: Ndot u. */
void fb_joint_qdot_bias(const fb_mobod *m, const double *q, const double *u, double *bias);
/* True if u is not the derivative of q. */
bool fb_joint_has_angular_speeds(const fb_mobod *m);

/* fb_joint_position and fb_joint_velocity for FB_JOINT_ARC (joint_arc.c). */
void fb_joint_arc_position(const fb_mobod *m, const double *q, fb_joint_motion *out);
void fb_joint_arc_velocity(const fb_mobod *m, const double *q, const double *u,
                           fb_joint_motion *out);

#ifdef __cplusplus
}
#endif
#endif
