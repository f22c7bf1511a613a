/* Bundles as a document stores them (the member "bundles" of a muscle, which fbgen writes): enough
 * to lay the same body again, in this pose or another, without the spec that it was made from. */
#ifndef FB_BUNDLE_STORED_H
#define FB_BUNDLE_STORED_H

#include "libcore/bundle/build.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fb_stored_core {
    const char *name, *line; /* line NULL: it is of none */
    fb_spec_line course;     /* its own, in the axes of a body; n_points 0: its line's path */
    double share, volume_share;
    double tendon[2]; /* m, below and above the belly */
    double widest;    /* part of the belly below its widest section */
} fb_stored_core;

/* One muscle. Plain data; who made it owns the memory. */
typedef struct fb_stored {
    const char *muscle;
    const char **lines; /* n_lines names of the model's muscles */
    int n_lines;
    double volume;                        /* of all bundles' bellies, m^3 */
    double ratio;                         /* R_ab at rest */
    double belly_length;                  /* m, of the mean core */
    double fiber_part, cut, curve, twist; /* as in fb_form, fb_build */
    double strength;                      /* NaN: at rest */
    bool free_ends, twist_given;
    double height_direction[3]; /* in ground in the pose in which it was made */
    const char *height_body;    /* with which it turns; NULL: not said */
    double height_in_body[3];
    size_t layers;
    fb_width_law law;
    fb_stored_core *cores; /* n_cores, from left to right */
    int n_cores;
    int (*cells)[3]; /* n_cells: i, j, core; in the order of placing */
    size_t n_cells;
} fb_stored;

/* NULL, or a sentence that says why this is no muscle of bundles. */
const char *fb_stored_check(const fb_stored *stored);

/* What fb_recipes_make needs to find the same lines and cores; `spec` keeps texts and points of
 * `stored`, and its arena must be ready (its `oom` set: may jump). */
void fb_stored_spec(fb_spec *spec, const fb_stored *stored, int n);

/* The muscle as it was made: a build for fb_build_place along this recipe, made with that spec in
 * the pose of a state. The recipe gets the stored height, shares and tendons. Returns NULL or a
 * sentence. */
const char *fb_stored_build(fb_build *build, fb_recipe *recipe, const fb_stored *stored,
                            const fb_state *state);

#ifdef __cplusplus
}
#endif
#endif
