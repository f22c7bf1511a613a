/* External loads: measured forces on bodies, such as those of force plates, as functions of time
 * (OpenSim's ExternalForce). */
#ifndef FB_MUSCLE_LOAD_H
#define FB_MUSCLE_LOAD_H

#include "libcore/motion/system.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One load. Bodies are numbers of the system; frames are places in them. */
typedef struct fb_load {
    const char *name;
    int body; /* that is pushed */
    int force_body, point_body;
    fb_pose frame, force_frame, point_frame;
    bool given[3]; /* force, point, torque; without a point it acts at the frame's origin */
    fb_function functions[9]; /* x, y, z of force (N), point (m), torque (N m) over time (s) */
} fb_load;

typedef struct fb_loads {
    fb_load *loads;
    int n;
    double first, last; /* s: where the data begin and end */
} fb_loads;

/* Adds the loads at a time in s to forces on bodies: moment about the ground's origin and force
 * (n_body x 6). After fb_state_position. No allocation. */
void fb_loads_apply(const fb_loads *loads, const fb_state *state, double time,
                    double (*external)[6]);

/* One load at a time: force (N) and torque (N m) in ground axes; the point where it acts (m) in the
 * body's own frame, as OpenSim reports it. After fb_state_position. */
void fb_load_at(const fb_load *load, const fb_state *state, double time, double *force,
                double *point, double *torque);

#ifdef __cplusplus
}
#endif
#endif
