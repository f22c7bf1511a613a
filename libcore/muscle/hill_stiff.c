/* Muscles as if their tendons did not stretch. */
#include <math.h>

#include "libcore/muscle/hill.h"

double fb_muscle_stiff_force(const fb_muscle *m, double activation, double path, double speed) {
    if (m->lacking) {
        return (double)NAN;
    }
    if (m->kind == FB_MUSCLE_RIGID_TENDON) {
        fb_muscle_point p;
        fb_muscle_evaluate(m, activation, path, speed, 0, 0, &p);
        return p.active_fiber_force * cos(p.pennation);
    }
    double fiber = fb_hill_fiber_at(m, path, m->slack_length);
    if (fiber <= m->min_length) {
        return 0;
    }
    fb_hill_shape s = fb_hill_shape_at(m, path, fiber);
    double v = speed * s.cosine, force;
    if (m->kind == FB_MUSCLE_THELEN) {
        fb_thelen_law law = fb_thelen_law_at(m, activation, activation * s.fl);
        force = fb_thelen_force(&law, v / (m->optimal_length * m->max_velocity));
    } else if (fb_hill_is_old(m)) {
        force = activation * s.fl *
                fb_muscle_curve(m, FB_HILL_VELOCITY, activation, v / fb_muscle_velocity_unit(m));
    } else {
        force = activation * s.fl *
                fb_hill_velocity_force(m, v / (m->optimal_length * m->max_velocity));
    }
    /* OpenSim 4.5.2 forgets Millard's fibers' slant here: its static optimisation shows it */
    bool slant = !(m->as_opensim4 && m->kind == FB_MUSCLE_MILLARD);
    return m->max_force * force * (slant ? s.cosine : 1);
}
