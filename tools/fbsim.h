/* The commands of fbsim that have a file of their own. */
#ifndef FB_TOOLS_FBSIM_H
#define FB_TOOLS_FBSIM_H

#include "libcore/muscle/simulation.h"
#include "tools/cli.h"

/* fbsim sweep: a table over the range of --coordinate. Returns the exit status. */
int fb_fbsim_sweep(fb_cli *cli, fb_simulation *simulation);

#endif
