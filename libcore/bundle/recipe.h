/* A recipe: what the body of one anatomical muscle is made from, taken from a model in a pose.
 *
 * The lines of one anatomical muscle (glut_max1..3; BIClong and BICshort) become one muscle with
 * several cores. A core is a line's course in the pose, from origin to insertion; its belly lies
 * between two lengths along it and the rest is tendon. The volume is
 *
 *     max isometric force / specific tension x optimal fibre length
 *
 * summed over the lines, unless a person gives another. The belly's length is never taken to be the
 * optimal fibre length: it comes from a person, from a table of fibre-to-belly ratios
 * (recipe_anatomy.c, with its sources), or is a stated fraction of the path. docs/theory.md has the
 * rules. A muscle that can have no body has a sentence in `refusal` and no cores.
 *
 * Plain data, owned by the fb_recipes that they came in. Metres, newtons, radians; vectors in
 * ground at the pose. */
#ifndef FB_BUNDLE_RECIPE_H
#define FB_BUNDLE_RECIPE_H

#include "libcore/bundle/outline.h"
#include "libcore/bundle/spec.h"
#include "libcore/muscle/path.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where a number came from. */
typedef enum fb_recipe_source {
    FB_FROM_MODEL,    /* from the model's own parameters */
    FB_FROM_SPEC,     /* from the bundle spec */
    FB_FROM_MEASURED, /* from the person's table */
    FB_FROM_MESH,     /* from the muscle's surface */
    FB_FROM_TABLE,    /* from the table of ratios */
    FB_FROM_FRACTION, /* a fraction of the path */
    FB_FROM_WIDENING  /* lengthened, because the muscle came out wider than half its belly */
} fb_recipe_source;

/* One core. */
typedef struct fb_core {
    const char *name;    /* of the head: the line's, without a side's suffix kept apart */
    int muscle;          /* number of the line in the model's list of muscles; -1: none */
    int path;            /* number of its path in fb_paths; -1: none */
    bool reversed;       /* the path runs from insertion to origin; `points` never do */
    double (*points)[3]; /* n_points: from origin to insertion, over wrap objects in steps of at
                            most 5 degrees; no two follow each other in the same place */
    double *at;          /* n_points: length along the core up to each, m; at[0] is 0 */
    int n_points, capacity;
    double length;          /* at[n_points - 1]: L1 + L2 + L3 + L4 */
    double tendon[2], rest; /* L1, L4 and the belly's length as made: what motion starts from */
    double stretch;         /* of the belly, against that; 1 as made */
    double (*own)[3];       /* n_own points of a course that was given, in the axes of a body */
    int n_own, own_body;    /* n_own 0: it follows its line's path */
    double belly[2]; /* lengths along the core at which the belly begins and ends: belly[0] is L1,
                        length - belly[1] is L4 */
    double widest;   /* length along the core at which the belly is widest */
    double share;    /* of the muscle's force, of 1: that of its bundles together */
    double volume_share;                                       /* of the muscle's volume, of 1 */
    double max_force, optimal_length, slack_length, pennation; /* NaN: of no line */
    fb_recipe_source belly_from;
    const char *belly_source; /* the study, for FB_FROM_TABLE */
} fb_core;

typedef struct fb_recipe {
    const char *name;    /* of the muscle; unique among the recipes */
    const char *anatomy; /* the anatomical muscle, such as "gluteus maximus"; NULL: unknown */
    char side;           /* 'r', 'l', or 0 */
    const int *lines;    /* n_lines numbers in the model's list of muscles */
    int n_lines;
    const int *paths;    /* n_lines: their numbers in fb_paths; -1: none */
    bool guessed;        /* that its lines belong together was guessed */
    const char *refusal; /* a sentence: it can have no body, and why; NULL: it has one */
    fb_core *cores;      /* n_cores */
    int n_cores;
    double volume; /* m^3: of belly, tendon not counted */
    fb_recipe_source volume_from;
    double specific_tension; /* N/m^2 that was used */
    double belly_length;     /* m: the cores' mean, weighted with their shares of the volume */
    double fiber_length;     /* m: optimal, the cores' mean likewise; of fascicles if given */
    double pennation;        /* rad, likewise */
    bool pennate;         /* fibres are shorter than the belly: staggered between two aponeuroses */
    double ratio;         /* R_ab = b / a of bundles at rest */
    double width, height; /* of the whole muscle at its widest section, m, at that ratio */
    bool wide;            /* a belly round or flat would be wider than half its length */
    int bundles;          /* wanted; 0: not said */
    double middle[3];     /* the middle of the bellies */
    double along[3];      /* unit: the mean direction of the cores there */
    double across[3];     /* unit: width, x; across = height x along */
    double up[3];     /* unit: height, y, from the nearest bone to the skin, square to `along` */
    const char *bone; /* what was taken for the nearest bone, or why not; for messages */
    bool up_given;
    int up_body;       /* the body with which the height turns: that of the bone */
    double up_rest[3]; /* the height as made, in that body's axes */
    double twist; /* rad: of the section from origin to insertion, right-handed about the core */
    bool twist_given;
    fb_outline outline;
    fb_profile *profile; /* of a surface that was given, in ground; then one core, all belly, goes
                            through it. NULL: none */
    struct fb_profile_rest *rest; /* internal: what it is moved from */
    double (**fascicles)[3]; /* n_fascicles polylines of fascicle_points[i] points each, ground */
    int *fascicle_points;
    int n_fascicles;
    const char **notes; /* n_notes sentences about what was chosen: for people */
    int n_notes;
    const fb_spec_muscle *spec; /* its entry in the spec, or NULL */
} fb_recipe;

typedef struct fb_recipes {
    fb_arena arena;
    fb_recipe *recipes; /* every muscle of the model is a line of exactly one */
    int n;
    int n_refused;
    struct fb_recipe_maker *maker; /* internal: working memory */
} fb_recipes;

/* The bone nearest to a point of ground, among those of the bodies that are true (n_body of them):
 * the caller's meshes (formats/bones.h). Sets the surface's nearest point, whether the point is
 * inside, and a name. False if none of the bodies has one. Bodies are asked about one at a time; of
 * those without, the lines between their joints are taken. */
typedef bool fb_nearest_bone(void *context, const fb_state *state, const bool *bodies,
                             const double *point, double *nearest, bool *inside, const char **name);

typedef struct fb_recipe_options {
    double specific_tension;     /* N/m^2; of muscles of the legs and of unknown ones */
    double specific_tension_arm; /* N/m^2; of those that the table knows as of the arm; NaN: same */
    double belly_fraction;       /* of the path, for muscles that nothing is known of */
    double ratio;                /* R_ab at rest */
    double packing;              /* part of the muscle's section that bundles fill */
    bool group;                  /* guess which lines are one muscle */
    const fb_spec *spec;         /* NULL: none */
    const fb_measured *measured; /* NULL: none */
    fb_nearest_bone *bone;       /* NULL: lines between joint centres are the bones */
    void *bone_context;
    double (*links)[3]; /* where virtual links are; NULL: where they begin */
} fb_recipe_options;

/* 60 N/cm^2, bellies of 0.6 of the path, R 0.5, packing pi / 4, grouping. */
fb_recipe_options fb_recipe_options_default(void);

/* Recipes for all muscles of the model in the pose of a state (after fb_state_position). `spec`,
 * `measured` and the state's model must live as long as the recipes. FB_E_INPUT with an error in
 * `diag`, with the spec's file and line: a line that the model does not have or that two muscles
 * claim, a frame that is not there. What in a spec or table is about no muscle is a warning. */
fb_status fb_recipes_make(fb_recipes **recipes, const fb_paths *paths, const fb_state *state,
                          const fb_recipe_options *options, fb_diag *diag);
/* Moves recipes to another pose of the same system, after fb_state_position. Courses are found
 * anew; tendons keep their lengths and bellies take up the rest (stretch), but no less than a fifth
 * of what they had as long as the path is longer than that: then tendons shorten too. Volumes,
 * shares and R stay; widths follow bellies, heights turn with their bone and twists with the
 * attachments. `lost` (may be NULL) gets how many cores have no course in this pose: they stay
 * where they were. Refused recipes stay refused. FB_E_MEMORY; no allocation once each core has had
 * its most points. One thread at a time. */
fb_status fb_recipes_move(fb_recipes *recipes, const fb_state *state, int *lost);
/* Where a point of a muscle whose surface was given is in another pose of its model: it goes with
 * the bodies of origin and insertion as the muscle's core does at a part of its length, from 0
 * to 1. The point is in ground in the pose in which the recipe was made; so is the result in
 * `state`. */
void fb_recipe_carry(const fb_recipe *recipe, const fb_state *state, double part,
                     const double *point, double *carried);
/* Takes NULL. */
void fb_recipes_free(fb_recipes *recipes);
/* By the name of the muscle or of one of its lines, or NULL. */
const fb_recipe *fb_recipes_find(const fb_recipes *recipes, const fb_model *model,
                                 const char *name);

/* The place at a length along a core, and the unit direction there (either may be NULL). Beyond the
 * ends: the ends. */
void fb_core_point(const fb_core *core, double at, double *place, double *direction);

/* Width of a muscle's whole section at its widest, m: of an ellipse with height ratio x width, that
 * bundles fill to `packing`, whose bellies have that volume. */
double fb_recipe_width(double volume, double belly_length, double ratio, double packing);

#ifdef __cplusplus
}
#endif
#endif
