/* Inverse kinematics: the pose whose markers are nearest to those that were measured, as bounded
 * weighted least squares with constraints.
 *
 * The cost, as in OpenSim's (Simbody's) assembler, is
 *   1/2 sum w |x - x_measured|^2 / sum w + 1/2 sum v (q - q_task)^2 + 1/2 c |constraint errors|^2
 * over markers that are seen, coordinate tasks, and constraints, the last only if c, the constraint
 * weight, is finite; else constraints hold. Coordinates that are clamped keep within their ranges;
 * locked and prescribed ones do not take part. It is brought to its minimum from the pose of the
 * frame before, by Levenberg's and Marquardt's method with the markers' exact derivatives: their
 * normal matrix is the mass matrix of point masses w at the markers. */
#ifndef FB_SOLVE_IK_H
#define FB_SOLVE_IK_H

#include "libcore/motion/system.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fb_ik_marker {
    int body;
    double point[3]; /* m, in the body */
    double weight;   /* >= 0 */
} fb_ik_marker;

typedef struct fb_ik_task {
    int coordinate;
    double weight; /* >= 0 */
} fb_ik_task;

typedef struct fb_ik_options {
    double constraint_weight; /* FB_INFINITY: constraints hold */
    double tolerance;         /* rad or m: the largest step of a coordinate at the end */
    int most_steps;
} fb_ik_options;
fb_ik_options fb_ik_options_default(void);

typedef struct fb_ik {
    const fb_system *system;
    fb_state *state; /* its q: where to start, then the solution */
    fb_ik_options options;
    int n_markers, n_tasks;
    fb_ik_marker *markers;
    fb_ik_task *tasks;
    bool *held; /* n_q: locked or prescribed */
    struct fb_ik_work *work;
    void *block;
} fb_ik;

/* What a frame came to. */
typedef struct fb_ik_result {
    double cost;
    double constraint_error; /* the largest, m or rad */
    double change;           /* the last step, rad or m */
    int n_steps;
    int n_seen;   /* markers that were there */
    bool settled; /* the last step is within the tolerance */
} fb_ik_result;

/* The system must live as long; markers and tasks are copied. NULL when memory runs out. The state
 * is at the defaults. */
fb_ik *fb_ik_new(const fb_system *system, const fb_ik_marker *markers, int n_markers,
                 const fb_ik_task *tasks, int n_tasks, const fb_ik_options *options);
/* Takes NULL. */
void fb_ik_free(fb_ik *ik);

/* Moves the state to the best pose near where it is. `measured`: n_markers x 3 in m, nan where a
 * marker is missing; `targets`: n_tasks, in rad or m; state->time for prescribed coordinates.
 * FB_E_NUMERIC if there is no step, with hard constraints also if they cannot be met; the state is
 * then at the best pose that was found. No allocation after the first call. */
fb_status fb_ik_solve(fb_ik *ik, const double *measured, const double *targets,
                      fb_ik_result *result);
/* The same from several starts, keeping the best: for the first frame, where nothing says how the
 * subject stands. The first start is the state, and if its solution's markers are within `good` (m,
 * root mean square) no other is tried; then come the defaults, with the bodies that ground carries
 * turned by quarters. */
fb_status fb_ik_solve_first(fb_ik *ik, const double *measured, const double *targets, double good,
                            fb_ik_result *result);
/* The cost in the state's pose, whatever made it. */
double fb_ik_cost(fb_ik *ik, const double *measured, const double *targets);
/* How far seen markers are off, root mean square (m), after either. */
double fb_ik_rms(const fb_ik *ik);
/* Where the markers are (n_markers x 3, in ground), after fb_ik_solve or fb_ik_cost. */
void fb_ik_marker_points(const fb_ik *ik, double *points);
/* True if neither a marker nor a task moves with a coordinate: it stays where it is. */
bool fb_ik_is_idle(fb_ik *ik, int coordinate);

#ifdef __cplusplus
}
#endif
#endif
