/* Muscle parameters on a new skeleton: optimal fibre and tendon slack lengths such that each muscle
 * works over the same range of its fibres as before; moment arms before and after.
 *
 * The method is that of C. Winby and others, J. Biomech. 41 (2008) 1682, and L. Modenese and
 * others, J. Biomech. 49 (2016) 141: the two muscles, standard and new, are to have the same
 * normalised fibre lengths in the same poses (docs/theory.md). */
#ifndef FB_REGISTER_FIBERS_H
#define FB_REGISTER_FIBERS_H

#include <stdbool.h>

#include "libcore/model/model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fb_fiber_options {
    int samples;          /* poses per muscle (0: as many as serve) */
    bool keep;            /* leave lengths and forces as they are, only compare */
    double force_scale;   /* of all maximal isometric forces; 0: 1 */
    bool force_by_volume; /* force follows the muscle's volume: F ~ volume / optimal fibre length */
    double volume_scale;  /* of all muscles' volumes, with force_by_volume; 0: 1 */
    double arm_bar;       /* m: moment arms that differ by more are told; 0: 0.01 */
} fb_fiber_options;

/* What the volumes of a body's muscles scale by: they are proportional to its mass times its height
 * (G. Handsfield and others, J. Biomech. 47 (2014) 631, for the legs of 24 people). 1 unless all
 * four are positive. kg, m. */
double fb_fiber_volume_scale(double mass_before, double height_before, double mass, double height);

/* One muscle before and after. */
typedef struct fb_fiber_change {
    const fb_element *muscle; /* of the new model */
    double optimal_before, optimal_after, slack_before, slack_after, force_before, force_after;
    double range_before[2], range_after[2]; /* normalised fibre length over its joints' ranges */
    double rms;                             /* of their difference over the poses */
    int poses;                              /* that could be compared; 0: none, the rest is nan */
    bool equilibrated_before, equilibrates; /* at the default pose, activation 1 and default */
    bool wrapped_before, wraps;             /* anywhere over the ranges */
    const char *lost_wraps;                 /* names of wrap objects no longer touched, or NULL */
    /* the worst of its coordinates' moment arms, those about axes of turning */
    const char *coordinate;                       /* its path; NULL: no arm differs */
    double arm_before, arm_after, arm_difference; /* m, at the pose where they differ most */
    bool sign_changed;              /* of any arm in any pose, beyond 5 mm on both sides */
    const char *sign_coordinate;    /* of which; NULL: none */
    double sign_before, sign_after; /* m, where both are the farthest from 0 */
    const char *note;               /* what was not plain about the fit; or NULL */
} fb_fiber_change;

typedef struct fb_fiber_report {
    fb_arena arena;
    fb_fiber_change *items; /* of each muscle that both models have, in the model's order */
    int n;
} fb_fiber_report;

/* Adjusts every muscle of `model` (carried, linked, nobody else reads it) by comparing it with
 * `standard` in the same poses: optimal fibre length (and a default fibre length that is given)
 * times one number, tendon slack length times another. Muscles and coordinates of the two belong
 * together by component path, or by name. Resting lengths of ligaments, springs and forces of
 * expressions go with their paths in the default pose, so that their strain there stays. A muscle
 * whose path has the same lengths (1e-12) keeps its numbers to the last bit. Muscles that cannot be
 * computed in either are left with a record FB2308 in `diag`; moment arms that differ by more than
 * the bar or change sign, and wraps that are lost, add a warning FB4007, muscles that lose their
 * equilibrium FB4001. The report may be freed whatever the outcome. FB_E_INPUT or FB_E_MEMORY; then
 * the model must not be used. */
fb_status fb_fibers_fit(fb_model *model, const fb_model *standard, const fb_fiber_options *options,
                        fb_fiber_report *report, fb_diag *diag);
void fb_fiber_report_free(fb_fiber_report *report);

#ifdef __cplusplus
}
#endif
#endif
