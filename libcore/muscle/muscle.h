/* Hill-type muscles: activation, curves, pennation, the balance of fibers and tendon.
 *
 * Lengths in m, velocities in m/s (positive: lengthening), forces in N, angles in rad. A path of
 * length L is a tendon and fibers at the pennation angle phi: L = tendon + fiber cos(phi), where
 * the fibers' distance across stays that of the optimal length (a parallelogram of fixed width).
 *
 * Sources: D. Thelen, J. Biomech. Eng. 125 (2003) 70; M. Millard and others, J. Biomech. Eng. 135
 * (2013) 021005; F. De Groote and others, Ann. Biomed. Eng. 44 (2016) 2922; L. Schutte, Stanford
 * 1993; S. Delp, Stanford 1990; and the choices that OpenSim made. */
#ifndef FB_MUSCLE_MUSCLE_H
#define FB_MUSCLE_MUSCLE_H

#include "libcore/motion/curve.h"
#include "libcore/muscle/path.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum fb_muscle_kind {
    FB_MUSCLE_THELEN,
    FB_MUSCLE_MILLARD,
    FB_MUSCLE_MILLARD_ACCELERATION,
    FB_MUSCLE_DE_GROOTE_FREGLY,
    FB_MUSCLE_RIGID_TENDON,
    FB_MUSCLE_THELEN_DEPRECATED,
    FB_MUSCLE_SCHUTTE,
    FB_MUSCLE_DELP
} fb_muscle_kind;

/* The curves of the classes that have Bezier curves, or splines. */
typedef struct fb_muscle_curves {
    fb_curve active, velocity, velocity_inverse, passive, tendon;
    fb_curve compressive_length, compressive_pennation;
    fb_function splines[4];  /* tendon, active, passive, velocity */
    bool passive_by_formula; /* Schutte: the default passive curve is an exponential */
} fb_muscle_curves;

typedef struct fb_muscle {
    fb_muscle_kind kind;
    const fb_element *element;
    int path;
    bool enabled;               /* it pulls */
    bool lacking;               /* its path is not computed, and so it is not: all is nan */
    bool as_opensim4;           /* as OpenSim 4.5.2 where it is known to be wrong */
    bool rigid;                 /* the tendon does not stretch */
    bool implicit;              /* De Groote: the state's derivative is a control (0) */
    bool activation_is_control; /* no activation dynamics */
    bool exact;                 /* balanced to 1e-13: it pulls at a virtual link */
    double max_force, optimal_length, slack_length, pennation;
    double max_velocity;       /* optimal fiber lengths per second */
    double height;             /* of the parallelogram, m */
    double min_length;         /* shortest fiber, m */
    double max_pennation;      /* rad */
    double minimum_activation; /* activation is kept to this .. 1; negative: as it is */
    double damping;
    double default_activation, default_fiber_length, default_fiber_velocity;
    double default_tendon_force; /* De Groote, in greatest isometric forces */
    /* Thelen: strains and shape factors; others: see muscle.c */
    double tendon_strain, fiber_strain, active_shape, passive_shape, velocity_shape;
    double passive_scale; /* Thelen: 1 / (exp(shape) - 1) */
    double max_lengthening_force, threshold, low_velocity, time_scale, mass;
    double tendon_damping, passive_damping, length_damping, pennation_damping;
    double width_scale;
    const fb_muscle_curves *curves;
} fb_muscle;

typedef struct fb_muscles {
    fb_arena arena;
    fb_muscle *muscles; /* in the model's order */
    int n;
    int n_skipped; /* that would pull, but lack a path */
} fb_muscles;

/* Compiles the muscles of a model; `paths` must live as long. FB_E_INPUT (parameters that make no
 * muscle: a force or length that is not positive, a curve that does not rise) or FB_E_MEMORY with
 * an error in `diag`. */
fb_status fb_muscles_compile(fb_muscles **muscles, const fb_paths *paths, fb_diag *diag);
/* Takes NULL. */
void fb_muscles_free(fb_muscles *muscles);
/* The number of a muscle, or -1. */
int fb_muscles_find(const fb_muscles *muscles, const fb_element *muscle);

/* What a muscle does at a moment. */
typedef struct fb_muscle_point {
    double fiber_length, fiber_velocity, pennation, normalized_fiber_length;
    double tendon_force;        /* N: what pulls at the path's ends */
    double active_fiber_force;  /* N, along the fibers */
    double passive_fiber_force; /* N, along the fibers, damping included */
} fb_muscle_point;

/* Forces and fiber velocity from the fiber's length (ignored by rigid tendons) and velocity (used
 * by classes that have it as a state). */
void fb_muscle_evaluate(const fb_muscle *muscle, double activation, double path_length,
                        double path_speed, double fiber_length, double fiber_velocity,
                        fb_muscle_point *point);

/* The same in the state that the model gives as its default: where OpenSim leaves muscles that are
 * switched off. */
void fb_muscle_at_default(const fb_muscle *muscle, double activation, double path_length,
                          double path_speed, fb_muscle_point *point);

/* How fiber and tendon share the path's speed when a muscle is put into equilibrium. */
typedef enum fb_equilibrium {
    FB_EQUILIBRIUM_OPENSIM4, /* as OpenSim 4.5.2: by stiffness in some classes, static in others */
    FB_EQUILIBRIUM_SHARED,   /* by the stiffness of both, in every class with an elastic tendon */
    FB_EQUILIBRIUM_STATIC    /* all at rest */
} fb_equilibrium;

/* The fiber length at which fibers and tendon are in balance. False if there is none; `point` is
 * then what comes nearest (the fiber at its shortest, or longest). */
bool fb_muscle_equilibrate(const fb_muscle *muscle, double activation, double path_length,
                           double path_speed, fb_equilibrium how, fb_muscle_point *point);

/* Active force along the tendon, N, if the tendon did not stretch from its slack length: of the
 * path's length and speed alone (0 where the fiber would be at its shortest). Linear in activation,
 * but for Thelen's muscles, whose law of velocity depends on it. */
double fb_muscle_stiff_force(const fb_muscle *muscle, double activation, double path_length,
                             double path_speed);

/* ---- curves ---------------------------------------------------------------------------------- */

typedef enum fb_hill_curve {
    FB_HILL_ACTIVE,  /* over fiber length, in optimal fiber lengths: of isometric fibers */
    FB_HILL_PASSIVE, /* over fiber length, in optimal fiber lengths; without damping */
    FB_HILL_TENDON,  /* over tendon strain */
    FB_HILL_VELOCITY /* over fiber velocity, in fb_muscle_velocity_unit: of active fibers where
                        they are strongest. The laws of Schutte's and the deprecated Thelen's
                        muscles hold the fibers' damper, the others do not. */
} fb_hill_curve;

/* False for what a muscle does without: a tendon that does not stretch, passive force ignored. */
bool fb_muscle_has_curve(const fb_muscle *muscle, fb_hill_curve curve);
/* A curve's force at an activation (kept to what the muscle allows), in greatest isometric forces;
 * a muscle without the curve must not be asked. */
double fb_muscle_curve(const fb_muscle *muscle, fb_hill_curve curve, double activation, double x);
/* m/s: the greatest shortening velocity; of Schutte's muscles their optimal length per time scale.
 */
double fb_muscle_velocity_unit(const fb_muscle *muscle);
/* The path's length, m, at which fibers at rest and activation 1 have their optimal length. */
double fb_muscle_optimal_path(const fb_muscle *muscle);

#ifdef __cplusplus
}
#endif
#endif
