/* States of a model in a table, as fbsim reads them. */
#ifndef FB_TOOLS_FBSIM_STATES_H
#define FB_TOOLS_FBSIM_STATES_H

#include "tools/fbsim.h"

typedef struct fb_states {
    fb_cli *cli;
    fb_simulation *s;
    const char *file; /* NULL: the model's default state alone */
    fb_sto table;
    bool fibers;                     /* fiber lengths are the table's */
    int *value, *speed, *activation; /* columns, -1 for none; of the coordinates, muscles */
    int *fiber, *fiber_speed;
    int *own;         /* of the forces' own states */
    int *outside;     /* n_q: in how many states a coordinate was beyond its range */
    double *furthest; /* n_q: its value furthest from there */
    int inactive;     /* activations that were not from 0 to 1 */
    int no_fibers;    /* fiber lengths that are none */
    long unmet;       /* states that the constraints do not allow */
    int held[FB_FBSIM_MOST_SET], n_held; /* coordinates of --set, which constraints leave alone */
} fb_states;

/* Reads the table of --states, "-" for standard input, a .csv too. Returns an exit status. */
int fb_states_read(fb_states *states, fb_cli *cli, size_t max_bytes);
/* The same from a file that is given, "-" for standard input. */
int fb_states_read_file(fb_states *states, fb_cli *cli, const char *file, size_t max_bytes);
void fb_states_free(fb_states *states);
/* Finds what the table's columns mean to a simulation, and tells what they do not; FB_E_INPUT if it
 * is no table of states. Memory is the arena's. */
fb_status fb_states_find(fb_states *states, fb_simulation *simulation, fb_arena *arena);
/* How many states there are; the time of one, s. */
int fb_states_count(const fb_states *states);
double fb_states_time(const fb_states *states, int row);
/* Puts the simulation into a state: coordinates, speeds, activations, fiber lengths, forces' own
 * states. It is moved
 * onto the constraints, except for OpenSim 4, which takes a table's states as they stand. */
void fb_states_set(fb_states *states, int row, double moment);
/* Tells of values that were odd. */
void fb_states_tell(const fb_states *states);

#endif
