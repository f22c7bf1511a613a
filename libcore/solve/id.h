/* Inverse dynamics: the generalised forces that a motion needs besides those that act.
 *
 * tau = M(q) udot + C(q, u) - (gravity, external loads, other forces of the model). Constraints are
 * ignored, as in OpenSim: coordinates that depend on others have forces of their own. */
#ifndef FB_SOLVE_ID_H
#define FB_SOLVE_ID_H

#include "libcore/muscle/simulation.h"
#include "libcore/solve/signal.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fb_id {
    fb_simulation *simulation;   /* its loads act too */
    const fb_splines *motion;    /* coordinates, rad or m */
    const int *column;           /* n_q: of each coordinate; -1: it stays at its default */
    bool rates;                  /* as OpenSim 4.5.2 has it: speeds u are the coordinates'
                                    derivatives even where they are angular velocities */
    bool forces_act;             /* anything besides gravity and external loads does */
    double *value, *d1, *d2;     /* the motion's columns */
    double *qdot, *udot, *other; /* n_q */
} fb_id;

/* Makes one; memory is the arena's. Everything given must live as long. Muscles that are enabled
 * act in equilibrium at their activations. */
void fb_id_make(fb_id *id, fb_simulation *simulation, const fb_splines *motion, const int *column,
                fb_arena *arena);
/* Generalised forces at a time in s (n_q, N m or N): on coordinates, the work for a unit of each;
 * on speeds with `rates`. Leaves the simulation in the pose. No allocation. */
void fb_id_at(fb_id *id, double time, double *tau);
/* External force and moment about the ground's origin, summed over all loads, as fb_id_at left them
 * (moment, force). */
void fb_id_external(const fb_id *id, double wrench[6]);

#ifdef __cplusplus
}
#endif
#endif
