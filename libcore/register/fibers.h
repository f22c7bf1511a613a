/* Muscle parameters on a new skeleton: optimal fibre and tendon slack lengths such that each muscle
 * works over the same range of its fibres as before; moment arms before and after. */
#ifndef FB_REGISTER_FIBERS_H
#define FB_REGISTER_FIBERS_H

#include "libcore/model/model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fb_fiber_options {
    int samples;          /* poses per muscle (0: as many as serve) */
    bool keep;            /* leave the parameters as they are, only compare */
    double force_scale;   /* of all maximal isometric forces: e.g. (new mass / old); 1 */
    bool force_by_volume; /* force follows the muscle's volume: F = volume / fibre length */
    double volume_scale;  /* of all muscles' volumes; 1 */
    double arm_bar;       /* m: moment arms that differ by more are told; 0.01 */
} fb_fiber_options;

/* One muscle before and after. */
typedef struct fb_fiber_change {
    const fb_element *muscle; /* of the new model */
    double optimal_before, optimal_after, slack_before, slack_after, force_before, force_after;
    double range_before[2], range_after[2]; /* normalised fibre length over its joints' ranges */
    double rms;                             /* of their difference over the poses */
    bool equilibrated_before, equilibrates; /* at the default pose, activation 1 */
    bool wrapped_before, wraps;             /* anywhere over the ranges */
    const char *lost_wraps;                 /* names of wrap objects no longer touched, or NULL */
    /* the worst of its coordinates' moment arms */
    const char *coordinate;                       /* NULL: no arm differs */
    double arm_before, arm_after, arm_difference; /* m, at the pose where they differ most */
    bool sign_changed;                            /* beyond 1 mm on both sides */
} fb_fiber_change;

typedef struct fb_fiber_report {
    fb_arena arena;
    fb_fiber_change *items;
    int n;
} fb_fiber_report;

/* Adjusts every muscle of `model` (carried, linked, nobody else reads it) by comparing it with
 * `standard` in the same poses. Muscles that cannot be computed in either are left with a record in
 * `diag`. */
fb_status fb_fibers_fit(fb_model *model, const fb_model *standard, const fb_fiber_options *options,
                        fb_fiber_report *report, fb_diag *diag);
void fb_fiber_report_free(fb_fiber_report *report);

#ifdef __cplusplus
}
#endif
#endif
