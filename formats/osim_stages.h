/* Stages of reading an OpenSim document, shared by osim_*.c and the tests; not installed. */
#ifndef FB_FORMATS_OSIM_STAGES_H
#define FB_FORMATS_OSIM_STAGES_H

#include "formats/osim.h"
#include "formats/xml.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The document's version: its root's Version, or 10500 for a bare Model; -1 with an error record if
 * it is no OpenSim model. */
int fb_osim_version(const fb_xml *xml, fb_diag *diag);
/* Replaces elements that have a file="..." attribute by what that file holds, and fills what
 * objects leave out from <defaults>. */
fb_status fb_osim_include(fb_xml *xml, const fb_osim_options *options, fb_diag *diag);
/* Adds the force sets of options->force_files to the model's, or puts them in its place. */
fb_status fb_osim_add_forces(fb_xml *xml, const fb_osim_options *options, fb_diag *diag);
fb_status fb_osim_apply_defaults(fb_xml *xml, fb_diag *diag);
/* Rewrites the tree of any version into the newest form. Never fails; may run out of memory. */
void fb_osim_upgrade(fb_xml *xml, int version, fb_diag *diag);

#ifdef __cplusplus
}
#endif
#endif
