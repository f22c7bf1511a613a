/* OpenSim's set-up files: the properties of one tool, read by name, so that those nobody asked for
 * can be named.
 *
 * A property is looked up by its tag below an element; what an element has of a newer or an older
 * name is asked for in turn by the caller. Nothing but formats reads XML: a setup hides it. */
#ifndef FB_FORMATS_SETUP_H
#define FB_FORMATS_SETUP_H

#include <stdbool.h>

#include "libcore/base/arena.h"
#include "libcore/base/diag.h"

#ifdef __cplusplus
extern "C" {
#endif

struct fb_xml;
typedef struct fb_xml_node fb_setup_node; /* an element of it: a tool, an analysis, a task */

typedef struct fb_setup {
    struct fb_xml *xml;
    fb_setup_node *tool; /* the tool's element */
    const char *kind;    /* its class: "InverseKinematicsTool" */
    const char *name;    /* its name, "" if it has none */
    const char *file;
    int version; /* of the document; 0: none is said */
    fb_arena arena;
    fb_diag *diag;
} fb_setup;

/* Reads a file. FB_E_INPUT with an error in `diag` (kept for the setup's life: later calls add
 * warnings there) if it holds no element below OpenSimDocument. Free with fb_setup_free in any
 * case. Other documents of OpenSim (task sets, control constraints) are read likewise: their `tool`
 * is the first element. */
fb_status fb_setup_read(fb_setup *setup, const char *file, size_t max_bytes, fb_diag *diag);
void fb_setup_free(fb_setup *setup);

/* The first element below one with that tag; the next with it; NULL: none. Both count as asked
 * for. */
fb_setup_node *fb_setup_child(const fb_setup_node *node, const char *tag);
fb_setup_node *fb_setup_next(const fb_setup_node *node, const char *tag);
/* Any element: the first below one, the next; its tag, its name attribute ("" if none), its line.
 */
fb_setup_node *fb_setup_first(const fb_setup_node *node);
fb_setup_node *fb_setup_after(const fb_setup_node *node);
const char *fb_setup_tag(const fb_setup_node *node);
const char *fb_setup_name(const fb_setup_node *node);
int fb_setup_line(const fb_setup_node *node);
/* The elements of a set: those below <tag><objects>, below <tag>, or below <Class name="tag">. The
 * first of them; the following by fb_setup_after. */
fb_setup_node *fb_setup_objects(const fb_setup_node *node, const char *tag);

/* The text of a property, without blanks around it; NULL if it is not there, or if it says
 * "Unassigned". */
const char *fb_setup_text(const fb_setup_node *node, const char *tag);
/* Values of properties; `missing` if they are not there or empty. A text that is none adds an error
 * with its line, and the value is `missing`. */
double fb_setup_number(fb_setup *setup, const fb_setup_node *node, const char *tag, double missing);
bool fb_setup_bool(fb_setup *setup, const fb_setup_node *node, const char *tag, bool missing);
/* Up to n numbers; returns how many there are. */
int fb_setup_numbers(fb_setup *setup, const fb_setup_node *node, const char *tag, double *x, int n);
/* Words separated by blanks, in the setup's arena, NULL-terminated; NULL if it is not there. */
const char **fb_setup_words(fb_setup *setup, const fb_setup_node *node, const char *tag);
/* The file that a property names, relative to the set-up's folder; NULL if it names none. `must`: a
 * file that is not there adds an error "x.mot, which <coordinates_file> of ID.xml names, is not
 * there", and NULL is returned. */
const char *fb_setup_file(fb_setup *setup, const fb_setup_node *node, const char *tag, bool must);

/* Adds a warning for each property below `node` that has a value and that nobody asked for. */
void fb_setup_tell_unused(fb_setup *setup, const fb_setup_node *node);

#ifdef __cplusplus
}
#endif
#endif
