/* What OpenSim has no word for travels in an .osim as one XML comment at the document's end:
 *
 *     <!--fbtools {"steps": [..], "elements": {"/forceset/TRIlong": {"note": ".."}}, ..}-->
 *
 * OpenSim skips it; this reads it back. In it "--" is written "-\u002d", which comments may hold.
 */
#ifndef FB_FORMATS_OSIM_EXTRA_H
#define FB_FORMATS_OSIM_EXTRA_H

#include "formats/text.h"
#include "formats/xml.h"
#include "libcore/model/model.h"

#ifdef __cplusplus
extern "C" {
#endif

bool fb_osim_is_extra(const char *comment);
/* The JSON text of the document's comment, or NULL. */
const char *fb_osim_find_extra(const fb_xml *xml);
/* Before the model is read: steps, source version, shared comments. */
void fb_osim_read_extra_first(fb_model *model, const char *json, fb_diag *diag);
/* Before linking: virtual links, and the points that are on them. */
void fb_osim_read_links(fb_model *model, const char *json, fb_diag *diag);
/* After linking: members of elements. */
void fb_osim_read_extra(fb_model *model, const char *json, fb_diag *diag);
/* Writes the comment. Running out of memory is noted in `out`. */
void fb_osim_write_extra(const fb_model *model, fb_text *out);

#ifdef __cplusplus
}
#endif
#endif
