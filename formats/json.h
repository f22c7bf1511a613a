/* Reading JSON with jansson, and what it cannot do: numbers in their shortest form, and the line of
 * a member. Only formats/ includes this. */
#ifndef FB_FORMATS_JSON_H
#define FB_FORMATS_JSON_H

#include <jansson.h>

#include "formats/fb.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Parses one JSON value; NULL with an error record if it is not well-formed. json_decref it. All
 * numbers come as reals, so that -0 keeps its sign. */
json_t *fb_json_parse(const char *bytes, size_t size, const char *file, fb_diag *diag);
/* A value as text on one line. */
void fb_json_dump(fb_text *out, const json_t *value);
/* The same as a string in an arena; NULL if memory ran out. */
const char *fb_json_dump_string(fb_arena *arena, const json_t *value);
/* The line, from 1, of the member at a JSON pointer ("/muscles/3/path") in a well-formed text; that
 * of the deepest part that exists; 0 for none. */
int fb_json_line(const char *bytes, size_t size, const char *pointer);
/* Reads a JSON array as the list of that name of a .fb document, into a model that is being built.
 * False with an error record if it is none. May jump to model->arena.oom. */
bool fb_json_read_list(fb_model *model, const json_t *json, const char *list, fb_diag *diag);
/* The lines of the first n items of the list that is the document's member `key`. */
void fb_json_item_lines(const char *bytes, size_t size, const char *key, int *lines, size_t n);

#ifdef __cplusplus
}
#endif
#endif
