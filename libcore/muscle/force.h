/* All forces of a model but muscles: springs, ligaments, bushings, limits, actuators, contact and
 * given forces, as OpenSim 4.5.2 computes them. What it cannot compute is told when compiling. */
#ifndef FB_MUSCLE_FORCE_H
#define FB_MUSCLE_FORCE_H

#include "libcore/motion/expression.h"
#include "libcore/muscle/path.h"
#include "libcore/muscle/resources.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum fb_force_kind {
    /* on a coordinate */
    FB_FORCE_COORDINATE_ACTUATOR, /* activation_coordinate too */
    FB_FORCE_COORDINATE_SPRING,
    FB_FORCE_COORDINATE_LIMIT,
    FB_FORCE_COORDINATE_EXPRESSION,
    FB_FORCE_EXPONENTIAL,
    FB_FORCE_EXPONENTIAL_LIMIT,
    /* tensions of paths */
    FB_FORCE_PATH_ACTUATOR,
    FB_FORCE_CLUTCHED_SPRING,
    FB_FORCE_MCKIBBEN,
    FB_FORCE_PATH_SPRING,
    FB_FORCE_LIGAMENT,
    FB_FORCE_BLANKEVOORT,
    FB_FORCE_PATH_EXPRESSION,
    /* on bodies */
    FB_FORCE_POINT_ACTUATOR,
    FB_FORCE_TORQUE_ACTUATOR,
    FB_FORCE_BODY_ACTUATOR,
    FB_FORCE_POINT_TO_POINT_ACTUATOR,
    FB_FORCE_POINT_TO_POINT_SPRING,
    FB_FORCE_POINT_TO_POINT_EXPRESSION,
    FB_FORCE_PRESCRIBED,
    FB_FORCE_BUSHING, /* linear and coupled */
    FB_FORCE_FUNCTION_BUSHING,
    FB_FORCE_EXPRESSION_BUSHING,
    /* contact */
    FB_FORCE_HUNT_CROSSLEY,
    FB_FORCE_SMOOTH_SPHERE,
    FB_FORCE_ELASTIC_FOUNDATION,
    /* contact of one point with a plane */
    FB_FORCE_EXPONENTIAL_CONTACT,
    FB_FORCE_ACKERMANN,
    FB_FORCE_MEYER,
    FB_FORCE_ESPOSITO
} fb_force_kind;

/* A sphere, the half space x > 0 of its frame, or a mesh, with its material. */
typedef struct fb_contact_shape {
    bool half_space;
    const struct fb_contact_mesh *mesh; /* NULL: none */
    int body;
    fb_pose pose;                               /* in the body */
    double radius;                              /* m */
    double stiffness, dissipation, friction[3]; /* stiffness^(2/3), of a mesh stiffness itself;
                                                   static, dynamic, viscous */
} fb_contact_shape;

/* One force. Which members mean something depends on its kind; see the functions that use them. */
typedef struct fb_force {
    fb_force_kind kind;
    const fb_element *element;
    int coordinate, path; /* numbers, or -1 */
    int control, state;   /* first of its controls; its own state; or -1 */
    int body[2];
    fb_pose frame[2];   /* in the bodies */
    double point[2][3]; /* in those frames, or in ground */
    double direction[3];
    bool point_is_global, force_is_global;
    double p[9];                       /* parameters */
    const double *stiffness, *damping; /* bushings: 6 x 6 */
    const fb_function *functions;      /* prescribed: force, point, torque; bushing: 6 */
    bool given[3];                     /* prescribed: which of the three there are */
    const fb_expression *expression[6];
    const fb_contact_shape *shapes;
    int n_shapes;
} fb_force;

/* All forces of a model. */
typedef struct fb_forces {
    const fb_system *system;
    fb_arena arena;
    fb_force *forces;
    int n_forces;
    int n_controls;         /* of actuators */
    int n_states;           /* their own: activations, stretches of clutched springs */
    double *default_states; /* n_states */
    int n_skipped;          /* forces that would act but are not computed */
    bool as_opensim4;
} fb_forces;

/* Compiles the forces of a system's model that are enabled; `paths` are those of the same system,
 * and both must live as long. A force that is not computed (classes that are not known, measured
 * loads, a mesh that cannot be read) adds a warning FB2308 and counts in n_skipped. FB_E_INPUT with
 * an error in `diag` if a function or a formula cannot be evaluated. `as_opensim4`: as
 * OpenSim 4.5.2 where it is known to be wrong. `resources`: what files hold, such as contact meshes
 * (NULL: nothing). */
fb_status fb_forces_compile(fb_forces **forces, const fb_system *system, const fb_paths *paths,
                            bool as_opensim4, const fb_resources *resources, fb_diag *diag);
/* Takes NULL. */
void fb_forces_free(fb_forces *forces);

/* The force of an element, or NULL. */
const fb_force *fb_forces_find(const fb_forces *forces, const fb_element *element);
/* The number of an actuator's control (the first of six for a body actuator), or -1. */
int fb_forces_control(const fb_forces *forces, const fb_element *actuator);

/* Adds all forces of a pose, after fb_state_velocity, at a time in s, to:
 *   tension (number of paths): N;
 *   external (n_body x 6): on bodies, moment about the ground's origin and force, ground axes;
 *   tau (n_q): on coordinates.
 * controls (n_controls; NULL: zeros), states (n_states; NULL: the defaults),
 * path_length (m) and path_speed (m/s) of each path (may be NULL without path forces). No
 * allocation. */
void fb_forces_apply(const fb_forces *forces, const fb_state *state, double time,
                     const double *controls, const double *states, const double *path_length,
                     const double *path_speed, double *tension, double (*external)[6], double *tau);

/* Tension, N, of one force on a path, if the path had this length (m) and lengthening speed (m/s).
 * controls and states as in fb_forces_apply. */
double fb_force_tension(const fb_forces *forces, const fb_force *force, const double *controls,
                        const double *states, double length, double speed);

/* Rates of the own states: (control - activation) / time constant; for a clutched spring's stretch
 * the path's speed while it is engaged, else its decay. */
void fb_forces_rates(const fb_forces *forces, const double *controls, const double *states,
                     const double *path_speed, double *rates);

#ifdef __cplusplus
}
#endif
#endif
