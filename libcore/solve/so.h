/* Static optimisation: the activations of muscles, and controls of actuators, of least effort that
 * give a motion its accelerations.
 *
 * At each moment the sum of |x|^exponent is least over all x between the actuators' min_control and
 * max_control, so that the forces x F give unconstrained coordinates the accelerations wanted. As
 * in OpenSim, F of a muscle is its active force at activation 1 on a tendon that does not stretch
 * (passive force does not act), or its greatest isometric force; of other actuators it is their
 * optimal force; all other forces of the model and its external loads act. */
#ifndef FB_SOLVE_SO_H
#define FB_SOLVE_SO_H

#include "libcore/muscle/simulation.h"
#include "libcore/solve/separable.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fb_so_actuator {
    const char *name;
    int muscle;       /* number, or -1 */
    int force;        /* number among the forces, or -1 */
    int coordinate;   /* of a force on a coordinate alone, or -1 */
    double low, high; /* of its control */
    double optimal;   /* N or N m: of actuators besides muscles */
    double unit;      /* N or N m: its force for x = 1 at the last moment */
} fb_so_actuator;

typedef struct fb_so_options {
    double exponent;  /* > 1; 2 is usual */
    bool physiology;  /* forces of muscles from their lengths and speeds; else the greatest */
    double reserves;  /* > 0: an actuator of that optimal force, without bounds, at each coordinate
                         that is free, but for those of the root joint */
    double residuals; /* > 0: the same at those of the root joint, which leaves a body free */
} fb_so_options;

typedef struct fb_so {
    fb_simulation *simulation; /* its loads act too */
    fb_so_options options;
    fb_so_actuator *actuators; /* n, in the order of the model's forces; reserves last */
    int n;
    int m, *equation;                   /* coordinates that are not constrained: m equations */
    fb_separable problem;               /* as it was last solved: x, residual, gap */
    double *A, *R, *b, *tau, *udot, *W; /* m x n, n x n_q, m, n_q, n_q, n_q x n_q */
    fb_scratch scratch;
} fb_so;

/* Makes one; memory is the arena's. */
void fb_so_make(fb_so *so, fb_simulation *simulation, const fb_so_options *options,
                fb_arena *arena);
void fb_so_clear(fb_so *so);
/* Solves a moment: q and u of the simulation's state are set, and udot (n_q) is wanted, at a time
 * in s. Where constraints act the state is assembled first. FB_E_NUMERIC if actuators are too weak:
 * x comes as near as it can (fb_so_weakest), or if the mass matrix is singular: then x is nan. */
fb_status fb_so_at(fb_so *so, double time, const double *udot);
/* After FB_E_NUMERIC: the coordinate that is furthest from what it needs, against what its
 * actuators can do, and what it lacks, N m or N (of constrained systems rad/s^2 or m/s^2). */
int fb_so_weakest(const fb_so *so, double *lack);

#ifdef __cplusplus
}
#endif
#endif
