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
    double length[2];            /* the least and the greatest of a bundle, m */
    double belly, width, height; /* of the whole muscle in the pose, where it is widest, m */
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
    bool unwritten; /* a file beside the document could not be written: nor is that */
    bool mesh_muscles, mesh_bundles; /* what --mesh is to hold, if it is given */
    int mesh_sides;                  /* of a bundle's mesh */
} fb_gen;

/* Moment arms of all muscles beside those of their lines; poses are changed and put back. */
fb_status fb_gen_arms(fb_gen *gen);

/* The figures of all muscles: as a table with tabs, or in columns for people. */
void fb_gen_table(const fb_gen *gen, fb_text *out);
void fb_gen_print(const fb_gen *gen, fb_text *out);

/* The name of a muscle of the model, which is a line of ours. */
const char *fb_gen_line_name(const fb_gen *gen, int line);

/* Adds to the model's muscles what their bodies are made of. FB_OK or FB_E_MEMORY. */
fb_status fb_gen_add_bundles(const fb_gen *gen, fb_model *model);
/* Writes --layers, --mesh and --table. Returns an exit status. */
int fb_gen_write_files(fb_gen *gen);

#endif
