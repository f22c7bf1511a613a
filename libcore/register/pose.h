/* The joint angles at which a scan lay: the pose of a model in which its bodies come nearest to
 * where the scan has them. */
#ifndef FB_REGISTER_POSE_H
#define FB_REGISTER_POSE_H

#include <stdbool.h>

#include "libcore/base/spatial.h"
#include "libcore/model/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where the scan has a body. */
typedef struct fb_scan_bone {
    const fb_element *body; /* of the model; its ground too, if that was scanned */
    fb_pose pose;           /* the body's frame in the scan's */
    double weight;          /* 0: 1 */
} fb_scan_bone;

typedef struct fb_scan_bone_fit {
    const fb_element *body;
    double distance; /* m: from the model's body, root mean square over its joints' centres */
    double angle;    /* rad: 0 to pi */
} fb_scan_bone_fit;

/* What a joint would have to do beside its own motion, for the two bones to lie as scanned. */
typedef struct fb_scan_joint_fit {
    const fb_element *joint;
    double gap;   /* m, at the joint's centre; nan: not both of its bodies were scanned */
    double angle; /* rad */
} fb_scan_joint_fit;

typedef struct fb_scan_coordinate {
    const fb_element *coordinate; /* NULL: of a joint that the model lacks */
    double value;                 /* m or rad */
    bool determined;              /* false: the scan does not tell, or it is locked: its default */
    double beyond;                /* m or rad out of its range: 0 within */
    bool dependent;               /* a coupler makes it follow others */
} fb_scan_coordinate;

typedef struct fb_scan_fit {
    fb_arena arena;
    fb_pose ground;                  /* the model's ground in the scan's frame */
    fb_scan_coordinate *coordinates; /* in the system's order */
    int n_coordinates;
    fb_scan_bone_fit *bones; /* as given */
    int n_bones;
    fb_scan_joint_fit *joints; /* those whose two bodies have bones */
    int n_joints;
    double distance, angle; /* root mean square over the bones: m, rad */
    int iterations;
} fb_scan_fit;

/* Finds coordinates q and the place of the ground that minimise the sum of weighted squares of the
 * distances of the bodies' joint centres, and of the angles between the bodies, times 0.1 m per
 * rad; residuals over 20 mm or 20 degrees count linearly (Huber), so that one bone that is wrong
 * does not carry the others with it. Levenberg's and Marquardt's method, from the model's default
 * pose laid on each bone in turn. Constraints hold. Locked and prescribed coordinates stay, and so
 * do those that move no scanned bone against another, as all of the root's. Ranges are left only
 * for much. A bone or joint that is off by more than 90 degrees, as one that lies half a turn
 * round, adds a warning FB4008 that names it; so does a coordinate out of its range by more than
 * 0.01, because joints with several axes can take up half a turn if they leave their ranges.
 * FB_E_INPUT (no mechanics, a bone that is no body, or none), FB_E_NUMERIC (numbers that are not
 * finite), FB_E_MEMORY; `fit` may be freed whatever the outcome. */
fb_status fb_scan_pose(fb_scan_fit *fit, const fb_model *model, const fb_scan_bone *bones, int n,
                       fb_diag *diag);
void fb_scan_fit_free(fb_scan_fit *fit);

#ifdef __cplusplus
}
#endif
#endif
