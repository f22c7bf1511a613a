/* What the files of fibers.h share: poses of two models side by side, and the fit of one muscle.
 * Not installed. */
#ifndef FB_REGISTER_FIBERS_INTERNAL_H
#define FB_REGISTER_FIBERS_INTERNAL_H

#include "libcore/muscle/simulation.h"
#include "libcore/register/fibers.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The standard (0) and the new model (1), compiled. */
typedef struct fb_fiber_twins {
    fb_simulation *side[2];
    int *partner;     /* n_q of the standard: the same coordinate of the new one; -1: none */
    double *start[2]; /* n_q: the default pose, assembled */
    bool posed[2];    /* the default pose can be assembled */
} fb_fiber_twins;

/* A muscle of both models over its poses; those that could not be assembled are left out. */
typedef struct fb_fiber_sample {
    int muscle[2];              /* number in the simulation */
    int n;                      /* poses */
    bool has_default;           /* the first is the default one */
    int n_free;                 /* coordinates that were moved */
    const int *free;            /* their numbers in the standard */
    const double *width[2];     /* n_free: how far each was moved */
    double *length[2], *arm[2]; /* n: path's lengths; n x n_free: moment arms */
    bool *touched[2];           /* of the path's wraps: touched in some pose */
} fb_fiber_sample;

/* Samples the muscles (n, each with its numbers) whose paths depend on the same coordinates in the
 * same poses. `samples` poses at most, 0: as many as serve. May jump to arena->oom. */
void fb_fiber_sample_all(const fb_fiber_twins *twins, fb_fiber_sample *muscles, int n, int samples,
                         fb_arena *arena);

/* The standard's muscle with optimal fibre length times a and tendon slack length times b. */
fb_muscle fb_fiber_scaled(const fb_muscle *muscle, double a, double b);
/* True if a muscle is in balance at a path length, at activation 1 and at its default; `resting`:
 * the fibre rests on its shortest length at activation 1. */
bool fb_fiber_balanced(const fb_muscle *muscle, double length, bool *resting);
/* The factors a, b by which the sample's new muscle works like the standard's. Returns a text on
 * what was not plain, or NULL. `work`: 5 n + 2 n n_free numbers. */
const char *fb_fiber_factors(const fb_muscle *standard, const fb_fiber_sample *sample, double *work,
                             double *a, double *b);

#ifdef __cplusplus
}
#endif
#endif
