/* Inverse kinematics of a table of markers: what fbsim ik, fbsim run and the placing of markers
 * share. Fill, run, write, free. */
#ifndef FB_TOOLS_FBSIM_IK_H
#define FB_TOOLS_FBSIM_IK_H

#include "formats/setup.h"
#include "formats/sto.h"
#include "formats/trc.h"
#include "libcore/solve/ik.h"
#include "libcore/solve/signal.h"
#include "tools/cli.h"

/* A coordinate that is to have a value. */
typedef struct fb_ik_wish {
    const char *name;
    double weight;
    int coordinate; /* set by fb_ik_job_match */
    enum { FB_IK_DEFAULT, FB_IK_MANUAL, FB_IK_FROM_FILE } kind;
    double value; /* of FB_IK_MANUAL, rad or m */
    int column;   /* of FB_IK_FROM_FILE, in `coordinates` */
} fb_ik_wish;

/* A marker that is to be tracked. */
typedef struct fb_ik_target {
    const char *name;  /* in the model */
    const char *track; /* in the table */
    double weight;
    int column; /* in the table of markers */
    double square_sum, worst;
    int n_seen, worst_row;
} fb_ik_target;

typedef struct fb_ik_job {
    fb_cli *cli;
    const fb_model *model;
    fb_system *system;  /* the job's */
    fb_trc trc;         /* the job's */
    fb_sto coordinates; /* of wishes from a file; the job's */
    fb_arena arena;
    jmp_buf *oom;
    fb_ik_target *targets;
    size_t n_targets, target_capacity;
    fb_ik_wish *wishes;
    size_t n_wishes, wish_capacity;
    fb_signal series; /* of `coordinates` */
    fb_splines splines;
    double *from_file; /* a row of it */
    fb_ik_options options;
    double range[2]; /* s: rows from the one nearest the first to the one nearest the second */
    bool want_errors, want_places;
    /* results */
    fb_ik *ik;
    fb_sto motion, errors, places; /* named as OpenSim's */
    int n_unsettled, n_failed, first_failed;
    double failed_time;
} fb_ik_job;

/* All markers that model and table share, with weight 1, unless targets were added before: then
 * those of them that both have. Tells which have no effect, with the nearest name. FB_E_INPUT if
 * none is left, or a wish's coordinate is not there. */
fb_status fb_ik_job_match(fb_ik_job *job);
/* Solves all rows of the range; tells what a teacher would. */
fb_status fb_ik_job_run(fb_ik_job *job);
/* One line: root mean square over all rows and markers, and the worst marker; unless --quiet. */
void fb_ik_job_summary(const fb_ik_job *job);
/* Takes one that is zero, or whose arena was initialised. */
void fb_ik_job_free(fb_ik_job *job);

/* The tasks of an <IKTaskSet> of a set-up's element. */
fb_status fb_ik_job_tasks(fb_ik_job *job, fb_setup *setup, const fb_setup_node *node);
/* Reads <coordinate_file> if a task asks for it. */
fb_status fb_ik_job_coordinates(fb_ik_job *job, fb_setup *setup, const fb_setup_node *node,
                                size_t max_bytes);

#endif
