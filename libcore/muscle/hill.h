/* Parts of Hill-type muscles that hill.c and hill_opensim.c share; not installed.
 *
 * Quantities as in hill.c: lengths in m, forces in greatest isometric forces, a: activation. */
#ifndef FB_MUSCLE_HILL_H
#define FB_MUSCLE_HILL_H

#include "libcore/muscle/muscle.h"

#ifdef __cplusplus
extern "C" {
#endif

#define FB_HILL_NO_LENGTH 2e-12 /* m */

/* The older classes, whose names end with _Deprecated. */
bool fb_hill_is_old(const fb_muscle *m);

/* All that follows from a fiber length: it in optimal lengths, the pennation angle and its cosine,
 * the multipliers of active, passive and tendon force. */
typedef struct fb_hill_shape {
    double l, phi, cosine, fl, fp, ft;
} fb_hill_shape;

fb_hill_shape fb_hill_shape_at(const fb_muscle *m, double path, double fiber);

/* Fiber length when the tendon has a length; never below the shortest fiber. */
double fb_hill_fiber_at(const fb_muscle *m, double path, double tendon);

/* Tendon force over tendon length / slack length. */
double fb_hill_tendon_force(const fb_muscle *m, double length);

/* Tendon length / slack length of De Groote's muscles at a tendon force. */
double fb_hill_groote_tendon(const fb_muscle *m, double force);

/* Active force / isometric active force over normalised velocity (not of Thelen's muscles). */
double fb_hill_velocity_force(const fb_muscle *m, double v);

/* Thelen 2003, eq. 6 and 7: velocity from the fibers' active force f, and back. */
typedef struct fb_thelen_law {
    double A, top, scale, k; /* isometric force; greatest force; speed; of the lengthening branch */
    double low_slope, high, high_v, high_slope; /* straight below 0, and above `high` */
    double Af;
} fb_thelen_law;

fb_thelen_law fb_thelen_law_at(const fb_muscle *m, double a, double isometric);
double fb_thelen_velocity(const fb_thelen_law *law, double f);
double fb_thelen_force(const fb_thelen_law *law, double v);

/* Millard 2012 acceleration: forces of the elements, each with its damper, none with the wrong
 * sign. `velocity` of the fibers and `tendon_velocity` in m/s. */
typedef struct fb_hill_elements {
    double active, passive, tendon; /* these pull */
    double compressed, turned;      /* these push: short fibers; steep ones, along the path */
    double damper;                  /* of the fibers */
    bool taut, pulls, compresses, resists; /* tendon, passive, compressed, turned: not cut at 0 */
} fb_hill_elements;

fb_hill_elements fb_hill_elements_at(const fb_muscle *m, const fb_hill_shape *s, double a,
                                     double velocity, double tendon_velocity);

/* The equilibrium to which OpenSim 4.5.2 iterates: the fiber's length, m, and velocity, m/s (of
 * classes that have it as a state). False if its iteration does not end at a balance, or the class
 * has no such iteration. */
bool fb_hill_opensim_balance(const fb_muscle *m, double a, double path, double speed, double *fiber,
                             double *velocity);

#ifdef __cplusplus
}
#endif
#endif
