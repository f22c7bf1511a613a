/* The reader of OpenSim documents, shared by osim_read*.c and osim_comments.c; not installed. */
#ifndef FB_FORMATS_OSIM_READ_H
#define FB_FORMATS_OSIM_READ_H

#include <string.h>

#include "formats/osim_stages.h"
#include "libcore/base/table.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fb_osim_reader {
    fb_xml *xml;
    fb_model *model;
    fb_diag *diag;
    fb_arena scratch;
    int version;
    int order;
    fb_status status;
    struct fb_osim_property_seen *seen; /* this and the rest of comments: osim_comments.c */
    size_t n_seen, size_seen;
    struct fb_osim_comment_seen *comments;
    size_t n_comments, capacity_comments;
    long n_properties, n_commented;
    const char *included_from, *included; /* the last included file, and its copy */
    fb_table meant;                       /* "Class.tag" -> what it may have meant */
    bool from_fb; /* fbtools wrote the document, and says which comments are shared */
} fb_osim_reader;

static inline int fb_osim_is(const fb_xml_node *node, const char *tag) {
    return strcmp(node->tag, tag) == 0;
}

/* ---- records, and what is kept: osim_read_kept.c -------------------------------------------- */

fb_place fb_osim_place(const fb_xml_node *node, const fb_element *element);
/* "Thelen2003Muscle 'TRIlong'", or that of the component that holds it. */
const char *fb_osim_who(fb_osim_reader *r, const fb_element *element);
/* The file of a node if it is an included one, as the model's own copy; else NULL. */
const char *fb_osim_file(fb_osim_reader *r, const fb_xml_node *node);
/* Records attributes that nothing is done with. */
void fb_osim_note_attributes(fb_osim_reader *r, const fb_xml_node *node, const fb_element *element);
/* Records what a set has beside its objects. */
void fb_osim_note_rest(fb_osim_reader *r, const fb_xml_node *set, const fb_element *element,
                       bool groups);
/* The XML of a node: as it stood in the file, or printed anew if the upgrade made it. */
const char *fb_osim_source(fb_osim_reader *r, const fb_xml_node *node, size_t *n);
void fb_osim_keep_property(fb_osim_reader *r, fb_element *element, const fb_xml_node *node);
/* A whole object of unknown class. */
fb_element *fb_osim_keep_object(fb_osim_reader *r, const fb_xml_node *node, fb_element *owner,
                                const char *path);

/* ---- values: osim_read_values.c ------------------------------------------------------------- */

/* Reads the text of a node; an empty one leaves the value absent. */
void fb_osim_read_value(fb_osim_reader *r, const fb_xml_node *node, fb_element *element,
                        const fb_field *field, fb_value *value);
/* The white-space separated words of a text. */
const char **fb_osim_read_words(fb_osim_reader *r, const char *text, int *count);

/* ---- comments: osim_comments.c -------------------------------------------------------------- */

/* Notes the comments before a property of an element; `tag` is what the property will be written
 * as, NULL if it will not be. */
void fb_osim_note_property(fb_osim_reader *r, fb_element *element, const fb_xml_node *node,
                           const char *tag);
/* Comments inside a property: in its text, or around the objects in it, but not before those. */
void fb_osim_note_inside(fb_osim_reader *r, fb_element *element, const fb_xml_node *node,
                         const char *tag);
/* Comments of a whole list that belong to `element`: before it, or at its end. */
void fb_osim_note_comments(fb_osim_reader *r, fb_element *element, const char *before,
                           const fb_xml_comment *c);
/* Gives the model all comments that were noted. */
void fb_osim_settle_comments(fb_osim_reader *r);

#ifdef __cplusplus
}
#endif
#endif
