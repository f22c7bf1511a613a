/* Which of several standard bodies is nearest to a new skeleton. */
#ifndef FB_REGISTER_STANDARDS_H
#define FB_REGISTER_STANDARDS_H

#include "libcore/base/arena.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How one body of a standard lies on the new skeleton's. */
typedef struct fb_standard_body {
    const char *name; /* for messages */
    double rms;       /* m: residual of its transformation; nan: the standard lacks the body */
    double scale;     /* new size to the standard's; of three scales their geometric mean */
    double extent;    /* m: size of the new bone (the diagonal of its points' box) */
} fb_standard_body;

typedef struct fb_standard_fit {
    const char *name;
    const fb_standard_body *bodies;
    int n;
} fb_standard_fit;

/* The score of one, less being better: the root mean square over bodies of residual / extent, and a
 * tenth of the root mean square of ln(scale). A scale is put right by the transformation and a
 * residual is not, so a size that differs by 10 % counts as much as a residual of 1 % of the bone.
 * A body that the standard lacks counts as a residual of a quarter of its extent. nan if there are
 * no bodies. `rms` (m) and `size` (geometric mean of the scales) of those that it has; either may
 * be NULL. */
double fb_standard_score(const fb_standard_fit *standard, double *rms, double *size);

/* The number of the one with the least score, the first of equals; -1 if none has one. `why` gets a
 * sentence in the arena that names it, the next best, and the numbers that decided. */
int fb_standards_choose(const fb_standard_fit *standards, int n, fb_arena *arena, const char **why);

#ifdef __cplusplus
}
#endif
#endif
