/* XML as a small tree of our own, read through libxml2's SAX interface.
 *
 * The tree keeps what a model reader needs and libxml2's own does not: full line numbers, the byte
 * range of every element (so that it can be kept word for word), comments attached to what they
 * precede; in a fifth of the memory. Nothing outside this file includes libxml2.
 *
 * Limits: depth FB_XML_DEPTH; no network, no external entities, no entity expansion beyond the five
 * that XML defines. A byte that is not UTF-8 in a file that says it is, and a bare '&', are put
 * right with a warning. */
#ifndef FB_FORMATS_XML_H
#define FB_FORMATS_XML_H

#include "libcore/base/diag.h"

#ifdef __cplusplus
extern "C" {
#endif

#define FB_XML_DEPTH 200

typedef struct fb_xml_attribute {
    const char *name, *value;
    struct fb_xml_attribute *next;
} fb_xml_attribute;

typedef struct fb_xml_comment {
    const char *text; /* trimmed */
    int line;
    int repeated; /* the same text stands elsewhere in the file too */
    struct fb_xml_comment *next;
} fb_xml_comment;

typedef struct fb_xml_node {
    const char *tag;  /* interned: equal tags of one file have equal pointers */
    const char *name; /* its name attribute, or NULL */
    const char *text; /* an element without children: its text, trimmed; else "" */
    size_t text_length;
    fb_xml_attribute *attributes; /* all but name */
    fb_xml_comment *comments;     /* those before it */
    fb_xml_comment *end_comments; /* those after its last child */
    struct fb_xml_node *first, *last, *next, *parent;
    const char *source; /* its bytes in the file (after repairs), or NULL for made ones */
    size_t source_length;
    const char *file; /* the file it was read from */
    int line;
    int used; /* for readers: this node has been dealt with */
} fb_xml_node;

typedef struct fb_xml {
    fb_arena arena;
    char *bytes; /* the file, as UTF-8 */
    size_t size;
    fb_xml_node *root;
    const char *file;
    struct fb_xml_strings *tags;
    struct fb_xml *included; /* documents that this one includes, freed with it */
} fb_xml;

/* Parses `size` bytes (which it takes over: fb_alloc'ed, freed by fb_xml_free). `file` is for
 * messages, and copied. On failure adds one error to `diag`, returns it, and leaves `xml` empty. */
fb_status fb_xml_parse(fb_xml *xml, char *bytes, size_t size, const char *file, fb_diag *diag);
void fb_xml_free(fb_xml *xml);

/* The interned copy of a tag. */
const char *fb_xml_tag(fb_xml *xml, const char *tag);
/* First child with that tag (any string), or NULL; the next sibling with it. */
fb_xml_node *fb_xml_child(const fb_xml_node *node, const char *tag);
fb_xml_node *fb_xml_next(const fb_xml_node *node, const char *tag);
/* An attribute's value, or NULL. */
const char *fb_xml_attr(const fb_xml_node *node, const char *name);
/* A new last child; its line is its parent's. text may be NULL. */
fb_xml_node *fb_xml_add(fb_xml *xml, fb_xml_node *parent, const char *tag, const char *text);
/* Takes a node out of its parent; puts it in as the last child of another. */
void fb_xml_remove(fb_xml_node *node);
/* The comments of a node and of all below it that a person wrote (none that is repeated) go to the
 * end of another, so that the node can be taken away. */
void fb_xml_move_comments(fb_xml_node *from, fb_xml_node *to);
void fb_xml_append(fb_xml_node *parent, fb_xml_node *node);
/* A deep copy, not in any parent. */
fb_xml_node *fb_xml_copy(fb_xml *xml, const fb_xml_node *node);

#ifdef __cplusplus
}
#endif
#endif
