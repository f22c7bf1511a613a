/* fbsim run: OpenSim's set-up files, each by the function for its tool.
 *
 * A tool has a file fbsim_<tool>.c with a function fb_run_<tool>, declared here, and a line in the
 * table of fbsim_run.c. */
#ifndef FB_TOOLS_FBSIM_RUN_H
#define FB_TOOLS_FBSIM_RUN_H

#include "formats/resources.h"
#include "formats/setup.h"
#include "formats/storage.h"
#include "tools/fbsim.h"

typedef struct fb_run {
    fb_cli *cli;
    fb_setup *setup;     /* adds to cli->diag */
    fb_setup_node *tool; /* the element that says what to do: setup->tool, or one inside it */
    bool as_opensim4;    /* reproduce OpenSim 4.5.2; --compat none turns it off */
    size_t max_bytes;    /* of each file that is read */
    /* what fb_run_model and fb_run_simulation leave; freed by fbsim run */
    fb_model *model;
    fb_simulation *simulation;
    fb_file_resources files;
    const char *folders[64]; /* of --geometry */
} fb_run;

/* fbsim run SETUP.xml [--out DIR]. Returns the exit status. */
int fb_fbsim_run(fb_cli *cli);

/* Reads the model that <model_file> names, or the operand of a direct command's caller: `file`
 * unless NULL. */
fb_status fb_run_model(fb_run *run, const char *file);
/* Compiles the model that was read, as `run` says, with the meshes it needs. */
fb_status fb_run_compile(fb_run *run);
/* Both. */
fb_status fb_run_simulation(fb_run *run, const char *file);

/* Where a file of results goes, in the set-up's arena. With --out DIR: to DIR, by its last name if
 * it is absolute or goes up. Else beside the set-up: in its <results_directory> if `result`, as
 * OpenSim does with most tables, or not, as with files that a property of their own names. */
const char *fb_run_place(fb_run *run, const char *name, bool result);
/* Opens it, making its folder; close with fb_cli_close and that place. */
fb_status fb_run_open(fb_run *run, const char *name, bool result, fb_output *output);
/* Writes a table there as OpenSim does, making its folder: see fb_storage_write. */
fb_status fb_run_write(fb_run *run, const fb_sto *table, const char *description, int decimals,
                       const char *name, bool result);

/* ---- tools ----------------------------------------------------------------------------------- */

/* Each returns an exit status; fbsim run has read the set-up, and tells what was not used of it. */
int fb_run_ik(fb_run *run);      /* InverseKinematicsTool */
int fb_run_id(fb_run *run);      /* InverseDynamicsTool */
int fb_run_analyze(fb_run *run); /* AnalyzeTool */
int fb_run_scale(fb_run *run);   /* ScaleTool */

#endif
