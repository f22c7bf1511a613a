/* Static optimisation over a motion, for fbsim so and fbsim run. */
#ifndef FB_TOOLS_FBSIM_SO_H
#define FB_TOOLS_FBSIM_SO_H

#include "formats/loads.h"
#include "libcore/solve/so.h"
#include "tools/fbsim_motion.h"
#include "tools/fbsim_run.h"

typedef struct fb_so_job {
    fb_cli *cli;
    fb_simulation *s;
    fb_so_options options;
    double range[2], frequency; /* s; Hz, 0: no filter */
    int interval;               /* every so many rows */
    bool as_opensim4;
    size_t max_bytes;
    /* what fb_so_work makes */
    fb_coordinates motion;
    fb_loads_file loads;
    fb_signal speeds;
    fb_splines speed_splines;
    fb_so so;
    fb_sto activation, force;
    int n_weak; /* rows that need more than the actuators can give */
    double gap; /* largest of fb_separable */
} fb_so_job;

/* Rows of a motion for a range of times, s; `as_opensim4`: those at or just before its ends. */
fb_status fb_so_rows(const fb_coordinates *motion, fb_cli *cli, const double range[2],
                     bool as_opensim4, int *first, int *last);
/* Reads the motion and the loads (NULL: none) and fills both tables. */
fb_status fb_so_work(fb_so_job *job, const char *coordinates, const char *loads);
/* A summary on standard error. */
void fb_so_tell(const fb_so_job *job);
/* Takes one that is all zeros but for an initialised motion.arena. */
void fb_so_job_clear(fb_so_job *job);

/* MuscleAnalysis of AnalyzeTool (fbsim_muscles.c): what its set-up says, and its tables. */
typedef struct fb_muscle_tables {
    fb_run *run;
    const char *motion;
    double range[2], frequency;
    int interval, decimals;
    bool equilibrium; /* of fibers and tendons; else fibers have their default lengths */
    bool moments;
    const char **coordinates; /* whose moment arms: NULL or "all" for all of them */
} fb_muscle_tables;

fb_status fb_muscle_tables_write(fb_muscle_tables *job);

#endif
