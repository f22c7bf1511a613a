/* From a muscle's surface and its attachments to a profile: the core along which its sections lie,
 * and each section's area, width and the direction of its width.
 *
 * The surface becomes the cubes of a grid inside it. Their distance through the muscle from the
 * insertion gives a first course from origin to insertion: the centroids of the cubes between equal
 * distances. From there the core is moved to the centroids of what lies between planes square to
 * it, smoothed, and this is repeated. What lies between two of the last planes gives the section's
 * area and, by its second moments, its width, height and their directions. docs/theory.md has the
 * method. */
#ifndef FB_BUNDLE_OUTLINE_H
#define FB_BUNDLE_OUTLINE_H

#include "libcore/bundle/solid.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { FB_PROFILE_SECTIONS = 33, FB_PROFILE_CORNERS = 24 };

/* The sections are at equal steps along the core: at the middle of each of n pieces. */
typedef struct fb_profile {
    double core[FB_PROFILE_SECTIONS + 2][3]; /* m: from end to end; [k + 1] is section k's */
    double length;                           /* of the core, m */
    double area[FB_PROFILE_SECTIONS];        /* m^2 */
    double width[FB_PROFILE_SECTIONS];       /* of an ellipse with the section's moments, m */
    double height[FB_PROFILE_SECTIONS];
    double x[FB_PROFILE_SECTIONS][3]; /* unit, along the width, square to z */
    double z[FB_PROFILE_SECTIONS][3]; /* unit, square to the section: along the core, as long as
                                         the muscle does not move */
    double bow[FB_PROFILE_SECTIONS];  /* 1/m: how the section is bent, y = bow x^2 / 2, y = z x x */
    int widest;                       /* the section of the greatest area */
    double polygon[FB_PROFILE_CORNERS][2]; /* the sections' mean outline, of half the width and half
                                              the height, along x and y */
    double volume;                         /* that the surface encloses, m^3 */
} fb_profile;

/* NULL, or a sentence (static) that says why not. There are n_insertion points (at least one) of
 * the insertion, on the surface or near it, m; the origin is at the other end. */
const char *fb_profile_make(fb_profile *profile, const fb_shell *mesh, const double (*insertion)[3],
                            int n_insertion);

#ifdef __cplusplus
}
#endif
#endif
