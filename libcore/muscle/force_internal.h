/* What the files of forces share: compiling, evaluating. Internal to muscle. */
#ifndef FB_MUSCLE_FORCE_INTERNAL_H
#define FB_MUSCLE_FORCE_INTERNAL_H

#include "libcore/muscle/force.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- compiling ------------------------------------------------------------------------------- */

typedef struct fb_force_builder {
    fb_forces *f;
    const fb_paths *paths;
    const fb_resources *resources;
    fb_diag *diag;
    fb_status status;
    size_t n, capacity, n_states, capacity_states;
} fb_force_builder;

/* Tells that a force or a controller would act, but does not here. */
void fb_force_tell_skipped(fb_diag *diag, const fb_element *element, const char *why);
/* The same of a force, which is counted. */
void fb_force_skip(fb_force_builder *b, const fb_element *element, const char *why);

/* Each fills a force of its classes; false if something that it refers to is missing. */
bool fb_force_compile_contact(fb_force_builder *b, fb_force *force, const char *name);
bool fb_force_compile_foundation(fb_force_builder *b, fb_force *force, const char *name);
bool fb_force_compile_station(fb_force_builder *b, fb_force *force, const char *name);

/* ---- evaluating ------------------------------------------------------------------------------ */

/* What forces depend on, and where they go. */
typedef struct fb_force_work {
    const fb_forces *forces;
    const fb_state *state;
    double time;
    const double *controls, *states, *path_length, *path_speed;
    double *tension, (*external)[6], *tau;
} fb_force_work;

/* Adds a force at a point of ground to a body. */
void fb_force_at_point(const fb_force_work *work, int body, const double *point,
                       const double *force);
/* Springs, ligaments, bushings, limits; contact of spheres, of meshes, of points. */
void fb_force_spring(const fb_force *force, const fb_force_work *work);
void fb_force_contact(const fb_force *force, const fb_force_work *work);
void fb_force_foundation(const fb_force *force, const fb_force_work *work);
void fb_force_station(const fb_force *force, const fb_force_work *work);

/* Friction law of contact: min(v, 1) (ud + 2 (us - ud) / (1 + v^2)) + uv slip, v = slip /
 * transition; mu: us, ud, uv. */
double fb_contact_friction(const double *mu, double slip, double transition);
/* Velocity at a point of ground of the first body relative to the second: returns its part along
 * the normal, and fills that across it. */
double fb_contact_approach(const fb_state *state, const int body[2], const double *point,
                           const double *normal, double *tangential);
/* A force on the second body at a point, and its opposite on the first. */
void fb_contact_push(const fb_force_work *work, const int body[2], const double *point,
                     const double *force);

#ifdef __cplusplus
}
#endif
#endif
