#include "libcore/muscle/simulation.h"

#include <string.h>

/* One block for all arrays of a simulation. */
static bool allocate(fb_simulation *s) {
    size_t q = (size_t)s->system->n_q, p = (size_t)s->paths->n_paths, m = (size_t)s->muscles->n;
    size_t bodies = (size_t)s->system->n_body, points = (size_t)s->paths->most_points + 2;
    size_t n_controls = (size_t)s->forces->n_controls, own = (size_t)s->forces->n_states;
    size_t doubles = 3 * p + p * q + 2 * m + 6 * bodies + 2 * q + own + n_controls;
    size_t bytes = doubles * sizeof(double) + m * sizeof *s->points +
                   points * sizeof *s->course.points;
    double *next = fb_alloc(bytes + 64);
    if (!next) {
        return false;
    }
    memset(next, 0, bytes + 64);
    s->block = s->path_length = next;
    s->path_speed = next += p;
    s->tension = next += p;
    s->path_arms = next += p;
    s->activation = next += p * q;
    s->external = (double(*)[6])(next += m);
    s->tau = next += 6 * bodies;
    s->acceleration = next += q;
    s->excitation = next += q;
    s->force_state = next += m;
    s->control = next += own;
    s->points = (fb_muscle_point *)(next + n_controls);
    s->course.points = (fb_course_point *)(s->points + m);
    return true;
}

fb_status fb_simulation_new(fb_simulation **simulation, const fb_model *model, bool as_opensim4,
                            fb_diag *diag) {
    return fb_simulation_new_from(simulation, model, as_opensim4, NULL, diag);
}

fb_status fb_simulation_new_from(fb_simulation **simulation, const fb_model *model,
                                 bool as_opensim4, const fb_resources *resources, fb_diag *diag) {
    *simulation = NULL;
    fb_simulation *s = fb_alloc(sizeof *s);
    if (!s) {
        return FB_E_MEMORY;
    }
    memset(s, 0, sizeof *s);
    fb_status status = fb_system_compile(&s->system, model, &(fb_system_options){as_opensim4},
                                         diag);
    if (status == FB_OK) {
        status = fb_paths_compile(&s->paths, s->system, as_opensim4, diag);
    }
    if (status == FB_OK) {
        status = fb_muscles_compile(&s->muscles, s->paths, diag);
    }
    if (status == FB_OK) {
        status = fb_forces_compile(&s->forces, s->system, s->paths, as_opensim4, resources, diag);
    }
    if (status == FB_OK) {
        status = fb_controls_compile(&s->controls, s->forces, s->muscles, resources, diag);
    }
    if (status == FB_OK) {
        status = fb_links_compile(&s->links, s->paths, s->muscles, s->forces, diag);
    }
    if (status == FB_OK && (!(s->state = fb_state_new(s->system)) || !allocate(s))) {
        status = FB_E_MEMORY;
    }
    if (status != FB_OK) {
        fb_simulation_free(s);
        return status;
    }
    if (s->links) {
        s->course.links = s->links->place;
        s->course.link_velocity = s->links->velocity;
        s->links->states = s->force_state;
    }
    for (int i = 0; i < s->forces->n_states; i++) {
        s->force_state[i] = s->forces->default_states[i];
    }
    fb_state_defaults(s->state);
    for (int i = 0; i < s->muscles->n; i++) {
        s->activation[i] = s->muscles->muscles[i].default_activation;
    }
    *simulation = s;
    return FB_OK;
}

void fb_simulation_free(fb_simulation *s) {
    if (!s) {
        return;
    }
    fb_links_free(s->links);
    fb_controls_free(s->controls);
    fb_forces_free(s->forces);
    fb_muscles_free(s->muscles);
    if (s->state) {
        fb_state_free(s->state);
    }
    fb_paths_free(s->paths);
    if (s->system) {
        fb_system_free(s->system);
    }
    fb_free(s->block);
    fb_free(s);
}

void fb_simulation_move(fb_simulation *s) {
    fb_state_position(s->state);
    fb_state_velocity(s->state);
    fb_simulation_paths(s);
}

void fb_simulation_paths(fb_simulation *s) {
    if (s->links) {
        fb_links_solve(s->links, s->state, s->activation, s->points);
    }
    for (int i = 0; i < s->paths->n_paths; i++) {
        fb_path_course(s->paths, i, s->state, &s->course);
        s->path_length[i] = s->course.length;
        double *arms = s->path_arms + (size_t)i * (size_t)s->system->n_q;
        fb_path_moment_arms(s->paths, i, s->state, &s->course, arms);
        s->path_speed[i] = fb_path_speed_by_arms(s->paths, i, s->state, &s->course, arms);
    }
    if (s->links) {
        fb_links_follow(s->links, s->state, s->path_arms);
    }
}

int fb_simulation_skipped(const fb_simulation *s) {
    return s->system->n_kept + s->system->n_skipped + s->forces->n_skipped +
           s->controls->n_skipped + s->muscles->n_skipped;
}

void fb_simulation_control(fb_simulation *s, double time) {
    fb_controls_apply(s->controls, s->forces, s->muscles, time, s->path_speed, s->control,
                      s->excitation);
}

bool fb_simulation_equilibrate(fb_simulation *s, int i, fb_equilibrium how) {
    const fb_muscle *m = &s->muscles->muscles[i];
    if (!m->enabled && (m->default_fiber_length > 0 || m->as_opensim4)) { /* it is not asked */
        fb_muscle_at_default(m, s->activation[i], s->path_length[m->path], s->path_speed[m->path],
                             &s->points[i]);
        return true;
    }
    return fb_muscle_equilibrate(m, s->activation[i], s->path_length[m->path],
                                 s->path_speed[m->path], how, &s->points[i]);
}

void fb_simulation_evaluate(fb_simulation *s) {
    for (int i = 0; i < s->muscles->n; i++) {
        const fb_muscle *m = &s->muscles->muscles[i];
        fb_muscle_point *p = &s->points[i];
        fb_muscle_evaluate(m, s->activation[i], s->path_length[m->path], s->path_speed[m->path],
                           p->fiber_length, p->fiber_velocity, p);
    }
}

void fb_simulation_forces(fb_simulation *s, double time) {
    int n = s->system->n_q;
    memset(s->tension, 0, (size_t)s->paths->n_paths * sizeof *s->tension);
    memset(s->external, 0, (size_t)s->system->n_body * sizeof *s->external);
    memset(s->tau, 0, (size_t)n * sizeof *s->tau);
    fb_forces_apply(s->forces, s->state, time, s->control, s->force_state, s->path_length,
                    s->path_speed, s->tension, s->external, s->tau);
    if (s->loads) {
        fb_loads_apply(s->loads, s->state, time, s->external);
    }
    for (int i = 0; i < s->muscles->n; i++) {
        const fb_muscle *m = &s->muscles->muscles[i];
        s->tension[m->path] += m->enabled ? s->points[i].tendon_force : 0;
    }
    fb_project_forces(s->state, s->external, s->tau);
    for (int i = 0; i < s->paths->n_paths; i++) {
        const double *arms = s->path_arms + (size_t)i * (size_t)n;
        const fb_path *path = &s->paths->paths[i];
        for (int j = 0; j < path->n_coordinates && s->tension[i] != 0; j++) {
            s->tau[path->coordinates[j]] += arms[path->coordinates[j]] * s->tension[i];
        }
    }
}

fb_status fb_simulation_accelerate(fb_simulation *s, double time) {
    fb_simulation_forces(s, time);
    return fb_forward_dynamics(s->state, s->tau, s->acceleration);
}
