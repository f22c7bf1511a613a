/* Controllers: what they add to the controls of actuators and the excitations of muscles. As in
 * OpenSim, controls start at zero, and every controller that is enabled adds to them; nothing
 * clamps the sum. */
#ifndef FB_MUSCLE_CONTROL_H
#define FB_MUSCLE_CONTROL_H

#include "libcore/muscle/force.h"
#include "libcore/muscle/muscle.h"
#include "libcore/muscle/resources.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What one controller adds to one actuator: a function of time, or a stretch reflex
 * gain (|L'| + L') / 2 / (optimal fiber length * greatest speed). */
typedef struct fb_control_term {
    int control; /* number of a control of the forces, or -1 */
    int muscle;  /* number of a muscle, or -1 */
    bool reflex;
    double gain;
    fb_function function;
} fb_control_term;

typedef struct fb_controls {
    fb_arena arena;
    fb_control_term *terms;
    int n_terms;
    int n_skipped; /* controllers that would act but are not computed */
} fb_controls;

/* Compiles the controllers of a model that are enabled: functions of time, control sets and tables
 * of `resources` (may be NULL), stretch reflexes. One that is not computed but would change forces
 * at once (not only through activations) adds a warning FB2308 and counts in n_skipped. FB_E_INPUT
 * with an error in `diag` if a function cannot be evaluated. */
fb_status fb_controls_compile(fb_controls **controls, const fb_forces *forces,
                              const fb_muscles *muscles, const fb_resources *resources,
                              fb_diag *diag);
/* Takes NULL. */
void fb_controls_free(fb_controls *controls);

/* Fills the controls (n_controls of the forces) and the muscles' excitations, all but those of
 * controllers being zero, at a time in s; path_speed (m/s) of all paths. No allocation. */
void fb_controls_apply(const fb_controls *controls, const fb_forces *forces,
                       const fb_muscles *muscles, double time, const double *path_speed,
                       double *control, double *excitation);

#ifdef __cplusplus
}
#endif
#endif
