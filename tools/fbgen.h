/* The parts of fbgen. */
#ifndef FB_TOOLS_FBGEN_H
#define FB_TOOLS_FBGEN_H

#include "libcore/bundle/action.h"
#include "libcore/bundle/build.h"
#include "libcore/bundle/measure.h"
#include "libcore/bundle/surface.h"
#include "tools/fbsim_states.h"

/* How the bundles of a muscle act beside its line, over a coordinate's range, or in the poses of
 * motions about each coordinate that changes in them. */
typedef struct fb_bundle_arms {
    int coordinate;     /* -1: no coordinate moves it, or it could not be laid */
    int poses;          /* of lines times poses that were asked for */
    int compared;       /* those in which the muscle could be laid */
    int inside;         /* in so many the line's arm is within those of the muscle's bundles */
    double mean, worst; /* m: of the bundles' mean arm from the line's */
    double greatest;    /* m: of the line's arms */
} fb_bundle_arms;

/* One muscle. */
typedef struct fb_gen_muscle {
    const fb_recipe *recipe;
    fb_build build;
    fb_body body;
    const char *refusal; /* NULL: it has a body */
    fb_body_measures measures;
    fb_line_distance line; /* the mean line of its bundles from the path */
    fb_bundle_arms arms;
    double length[2]; /* the least and the greatest of a bundle, m */
    fb_envelope envelope;
} fb_gen_muscle;

typedef struct fb_gen {
    fb_cli *cli;
    fb_simulation *s;
    fb_arena arena;
    fb_recipes *recipes;
    fb_recipe_options recipe_options;
    fb_build_options build;
    fb_states *motions; /* n_motions tables of poses in which moment arms are compared */
    int n_motions;
    fb_gen_muscle *muscles;
    int n_muscles;
    bool patent;
    int patent_layers[2];
    int jobs;
    int sides;       /* of a bundle's mesh */
    bool mesh_of[2]; /* what is meshed: muscles, bundles */
    double seconds;  /* that placing took, all together */
} fb_gen;

/* Moment arms of all muscles beside those of their lines; poses are changed and put back. */
fb_status fb_gen_arms(fb_gen *gen);

/* The figures of all muscles: as a table with tabs, or in columns for people. */
void fb_gen_table(const fb_gen *gen, fb_text *out);
void fb_gen_print(const fb_gen *gen, fb_text *out);

/* Adds to the model's muscles what their bodies are made of. */
void fb_gen_add_bundles(const fb_gen *gen, fb_model *model, fb_arena *arena);
/* Writes --layers, --mesh and --table. Returns an exit status. */
int fb_gen_write_files(fb_gen *gen);

#endif
