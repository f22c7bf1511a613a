/* The ledger: what happened to each part of a model, as JSON or as a page. */
#ifndef FB_FORMATS_REPORT_H
#define FB_FORMATS_REPORT_H

#include "formats/text.h"
#include "libcore/model/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Writes the ledger as one JSON object: {"tool", "version", "format_version", "input", "counts":
 * {"exact", "approximated", "kept", "ignored", "error", "warning"}, "rows": [{"path", "file",
 * "line", "class", "action", "effect", "unit", "why", "id"}]}. `model` may be NULL if reading
 * failed; "exact" then is 0. */
void fb_report_json(fb_text *out, const char *tool, const char *input, const fb_model *model,
                    const fb_diag *diag);
/* The same as a self-contained HTML page. */
void fb_report_html(fb_text *out, const char *tool, const char *input, const fb_model *model,
                    const fb_diag *diag);
/* How many elements of the model came through as they were: all but one for each record of a
 * change. */
long fb_report_exact(const fb_model *model, const fb_diag *diag);

#ifdef __cplusplus
}
#endif
#endif
