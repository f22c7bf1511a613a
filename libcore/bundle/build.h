/* From a recipe to a body: the form of a muscle of a model, and the sections along its cores. */
#ifndef FB_BUNDLE_BUILD_H
#define FB_BUNDLE_BUILD_H

#include "libcore/bundle/form.h"
#include "libcore/bundle/recipe.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum fb_packing {
    FB_PACK_BUNDLES, /* bundles together have the muscle's volume; grooves between come on top */
    FB_PACK_ENVELOPE /* the lattice's cells together have it: bundles hold pi / 4 of it */
} fb_packing;

/* What is asked for beside the recipe; 0 or NaN: as the recipe has it. */
typedef struct fb_build_options {
    double bundles;  /* how many, about */
    size_t layers;   /* of the belly */
    double cut;      /* l2 / c1 and l3 / c2; 0: 0.9, or 0.93 of staggered bellies */
    double strength; /* s, 0 to 1 */
    double twist;    /* rad, from the lower end to the upper */
    double stretch;  /* the belly is so many times as long: straight or kept */
    double bend[2];  /* rad, about x and y: straight */
    double curve;    /* of the junction of muscle and tendon: see fb_form_options */
    bool straight;   /* along a straight core (bent by `bend` about x and y) instead of the path */
    bool kept; /* bundles keep the lengths that they have in the recipe's pose, stretched alike */
    fb_packing packing;
} fb_build_options;

/* 24 layers, cut at 0.9, all else as the recipe has it. */
fb_build_options fb_build_options_default(void);

/* A muscle that can be laid along its cores again and again. */
typedef struct fb_build {
    fb_form form;
    const fb_recipe *recipe;
    fb_build_options options;
    int *core;    /* n_heads: which core of the recipe each head is */
    double up[3]; /* the direction of height at the belly's widest, in the recipe's pose */
    double twist; /* rad, from the lower end to the upper */
    fb_width_law law;
    double (*tendon)[2]; /* n_heads: lengths of tendon of each core below and above its belly, in
                            the pose it was made in; they stay */
    double *widest;      /* n_heads: part of the belly below its widest section */
    double belly;        /* m, of the mean core in that pose */
    int ease; /* how much smoother cores the last placing took than the paths, so that sections do
                 not cross: 0 as usual, 1 corners rounded twice as much, 2 parabolas, 3 straight */
    fb_section_layout layouts[4]; /* of each ease: held from its first placing on */
    int least_ease; /* that of the first placing, which later ones start from: cores do not change
                       their kind to and fro while a muscle moves */
} fb_build;

/* Returns NULL or a sentence that says why this muscle can have no body. The recipe must live as
 * long. */
const char *fb_build_make(fb_build *build, const fb_recipe *recipe,
                          const fb_build_options *options);
void fb_build_free(fb_build *build);

/* The lengths of tendon below and above the belly, m, and the part of the belly below its widest
 * section: means of the heads by volume. widest may be NULL. */
void fb_build_mean(const fb_build *build, double tendon[2], double *widest);

/* Lays the muscle along the cores of a recipe of the same muscle, of that pose or another, as the
 * options have it. Uses the body's memory again. NULL or a sentence. */
const char *fb_build_place(fb_build *build, const fb_recipe *recipe, fb_body *body,
                           fb_scratch *scratch);

#ifdef __cplusplus
}
#endif
#endif
