/* Compiling of forces, shared by the files that do it; not installed. */
#ifndef FB_MUSCLE_FORCE_BUILD_H
#define FB_MUSCLE_FORCE_BUILD_H

#include "libcore/muscle/force.h"

#ifdef __cplusplus
extern "C" {
#endif

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

#ifdef __cplusplus
}
#endif
#endif
