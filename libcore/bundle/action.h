/* How a body acts: the share of force of each bundle, and how far the bundles' mean line lies from
 * the core it was laid around. */
#ifndef FB_BUNDLE_ACTION_H
#define FB_BUNDLE_ACTION_H

#include "libcore/bundle/body.h"
#include "libcore/bundle/recipe.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Shares of force of a body's bundles (n_bundles numbers of 1): each core's share, parted among the
 * bundles that belong to it in proportion to their sections, volume / belly length. `core`: to
 * which core of the recipe each bundle belongs (n_bundles), NULL if there is only one. A core
 * without bundles leaves its share out. */
void fb_bundle_shares(double *shares, const fb_body *body, const fb_recipe *recipe,
                      const int *core);

/* The mean of the axes of bundles at a part t (0 to 1) of their lengths, weighted with their
 * shares; only of those of core k, or of all if k is negative. False if there are none. */
bool fb_body_mean_point(double *point, const fb_body *body, const double *shares, const int *core,
                        int k, double t);

typedef struct fb_line_distance {
    double mean, greatest; /* m */
    double at;             /* of the length, 0 to 1, where it is greatest */
} fb_line_distance;

/* How far the mean line of the bundles of core k lies from the core, at n places (100 if less than
 * 2) along it; m. Distances are to the nearest point of the core. */
fb_line_distance fb_body_mean_line(const fb_body *body, const fb_recipe *recipe,
                                   const double *shares, const int *core, int k, int n);

/* The point of a core nearest to a place; returns the distance, m. `nearest` may be NULL. */
double fb_core_nearest(const fb_core *core, const double *place, double *nearest);

#ifdef __cplusplus
}
#endif
#endif
