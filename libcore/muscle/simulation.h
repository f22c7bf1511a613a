/* A model with all that moves it: bodies, paths, muscles and other forces, evaluated together.
 *
 * Set state->q and state->u, then call the stages in their order. What each leaves behind stays
 * until the next call. No stage allocates. One thread may use a simulation at a time. */
#ifndef FB_MUSCLE_SIMULATION_H
#define FB_MUSCLE_SIMULATION_H

#include "libcore/muscle/control.h"
#include "libcore/muscle/force.h"
#include "libcore/muscle/load.h"
#include "libcore/muscle/muscle.h"
#include "libcore/muscle/virtual_link.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fb_simulation {
    fb_system *system;
    fb_state *state;
    fb_paths *paths;
    fb_muscles *muscles;
    fb_forces *forces;
    fb_links *links; /* virtual links; NULL: the model has none */
    fb_controls *controls;
    const fb_loads *loads;   /* the caller's; NULL: none. Those of fb_simulation_accelerate */
    fb_course course;        /* of the path that was last looked at */
    double *path_length;     /* m; n_paths, of all paths: muscles', ligaments', .. */
    double *path_speed;      /* m/s */
    double *path_arms;       /* n_paths x n_q: generalised forces of a tension of 1 N; of
                                wires at virtual links: fb_links_follow */
    double *tension;         /* N; n_paths */
    double *activation;      /* n of muscles: the caller sets them */
    double *force_state;     /* of forces: activations, stretches; defaults unless the caller sets
                                them */
    double *control;         /* of the forces' actuators: what controllers give */
    double *excitation;      /* n of muscles: likewise */
    fb_muscle_point *points; /* n of muscles */
    double (*external)[6];   /* n_body: moment about the ground's origin, force */
    double *tau;             /* n_q: generalised forces of all but gravity */
    double *acceleration;    /* n_q */
    void *block;
} fb_simulation;

/* Compiles a linked model, which must live as long. `as_opensim4`: reproduce OpenSim 4.5.2 where it
 * is known to be wrong (docs/theory.md). FB_E_INPUT or FB_E_MEMORY with an error in `diag`. */
fb_status fb_simulation_new(fb_simulation **simulation, const fb_model *model, bool as_opensim4,
                            fb_diag *diag);
/* The same with what files hold (NULL: nothing); `resources` need not live longer than the call,
 * its context must live as long as the simulation. */
fb_status fb_simulation_new_from(fb_simulation **simulation, const fb_model *model,
                                 bool as_opensim4, const fb_resources *resources, fb_diag *diag);
/* Takes NULL. */
void fb_simulation_free(fb_simulation *simulation);

/* Bodies' places and speeds; lengths, speeds and arms of all paths. Virtual links are put into
 * equilibrium first, at the activations that are set, and with links->fibers_held at the fiber
 * lengths of the points (before fb_simulation_evaluate, while time is integrated):
 * links->n_failed tells how many cannot be. */
void fb_simulation_move(fb_simulation *simulation);
/* The latter alone, after fb_state_position and fb_state_velocity. */
void fb_simulation_paths(fb_simulation *simulation);
/* How many joints, constraints, forces and controllers would act but are not computed. */
int fb_simulation_skipped(const fb_simulation *simulation);
/* Controls and excitations at a time in s, after fb_simulation_move. A muscle without activation
 * dynamics follows its excitation only if the caller copies it to its activation. */
void fb_simulation_control(fb_simulation *simulation, double time);
/* Puts muscle i into equilibrium at its activation; false if it cannot be. One that is not enabled
 * keeps its default fiber length. */
bool fb_simulation_equilibrate(fb_simulation *simulation, int i, fb_equilibrium how);
/* Forces and fiber velocities of all muscles at the fiber lengths of their points. */
void fb_simulation_evaluate(fb_simulation *simulation);
/* Forces of muscles (as equilibrated or evaluated) and all others at a time in s with the controls
 * that fb_simulation_control left, as generalised forces: tau. */
void fb_simulation_forces(fb_simulation *simulation, double time);
/* The same, then accelerations. FB_E_NUMERIC if the mass matrix is singular where it must not be.
 */
fb_status fb_simulation_accelerate(fb_simulation *simulation, double time);

#ifdef __cplusplus
}
#endif
#endif
