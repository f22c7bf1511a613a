/* The .fb document: a model as JSON. docs/format-fb.md is its specification. */
#ifndef FB_FORMATS_FB_H
#define FB_FORMATS_FB_H

#include "formats/text.h"
#include "libcore/model/model.h"

#ifdef __cplusplus
extern "C" {
#endif

#define FB_DOCUMENT_VERSION "1.0"

/* Reads a model from the bytes of a .fb document (which stay the caller's). Sets jansson's
 * allocators (json_set_alloc_funcs) for the process to those of libcore/base/arena.h. On failure
 * *model is NULL and `diag` says why, with the line. Members that no class has are kept with their
 * object. */
fb_status fb_document_read(fb_model **model, const char *bytes, size_t size, const char *file,
                           fb_diag *diag);

/* Writes a linked model. */
void fb_document_write(const fb_model *model, fb_text *out);

/* Writes one list of it, such as "virtual_links", as a JSON array. */
void fb_document_write_list(const fb_model *model, const char *list, fb_text *out);

/* Reads either kind, told apart by content: JSON begins with '{'. Takes `bytes` over. */
fb_status fb_model_read(fb_model **model, char *bytes, size_t size, const char *file,
                        size_t max_bytes, fb_diag *diag);

/* Writes the JSON Schema (2020-12) of .fb documents, and the table of classes in Markdown. Both are
 * made from the class tables: docs/fb.schema.json, docs/classes.md. */
void fb_schema_write(fb_text *out);
void fb_classes_write(fb_text *out);

/* A JSON string with its quotes; a number ("nan", "inf", "-inf" as strings). */
void fb_json_string(fb_text *out, const char *text);
void fb_json_number(fb_text *out, double x);

#ifdef __cplusplus
}
#endif
#endif
