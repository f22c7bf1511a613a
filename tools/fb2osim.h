/* The parts of fb2osim. */
#ifndef FB_TOOLS_FB2OSIM_H
#define FB_TOOLS_FB2OSIM_H

#include "tools/cli.h"

/* Replaces each muscle of a linked model that has bundles by k sub-muscles, one for each of k
 * groups of its bundles (fewer if it has fewer bundles). Says what came of it on standard error and
 * in the cli's records. FB_E_INPUT if no muscle has bundles, or they cannot be read. */
fb_status fb_fb2osim_bundles(fb_cli *cli, fb_model *model, int k);

#endif
