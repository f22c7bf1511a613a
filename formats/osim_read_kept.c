/* What the reader of OpenSim documents does not understand: said with its place, and kept word for
 * word. */
#include <string.h>

#include "formats/osim_read.h"

/* ---- records -------------------------------------------------------------------------------- */

fb_place fb_osim_place(const fb_xml_node *node, const fb_element *element) {
    const fb_element *component = element;
    while (component && !component->path) {
        component = component->owner;
    }
    return (fb_place){node->file, node->line, component ? component->path : NULL,
                      element ? element->cls->name : node->tag};
}

const char *fb_osim_who(fb_osim_reader *r, const fb_element *element) {
    const fb_element *component = element;
    while (component->owner && (!component->name || !*component->name)) {
        component = component->owner;
    }
    return fb_arena_printf(&r->scratch, "%s '%s'", element->cls->name,
                           component->name ? component->name : "");
}

const char *fb_osim_file(fb_osim_reader *r, const fb_xml_node *node) {
    if (node->file == r->xml->file) {
        return NULL;
    }
    if (node->file != r->included_from) {
        r->included_from = node->file;
        r->included = fb_arena_dup(&r->model->arena, node->file);
    }
    return r->included;
}

void fb_osim_note_attributes(fb_osim_reader *r, const fb_xml_node *node,
                             const fb_element *element) {
    for (const fb_xml_attribute *a = node->attributes; a; a = a->next) {
        if (strcmp(a->name, "file") == 0 || strcmp(a->name, "Version") == 0) {
            continue;
        }
        bool own = element && fb_osim_is(node, element->cls->name);
        const char *what = own       ? fb_osim_who(r, element)
                           : element ? fb_arena_printf(&r->scratch, "<%s> of %s", node->tag,
                                                       fb_osim_who(r, element))
                                     : fb_arena_printf(&r->scratch, "<%s>", node->tag);
        fb_diag_add(r->diag, FB_IGNORED, FB2004, fb_osim_place(node, element), "it has no effect",
                    "%s has the attribute %s=\"%s\", which is not known", what, a->name, a->value);
    }
}

/* Text in a set that has no objects. */
static void note_text(fb_osim_reader *r, const fb_xml_node *set, const fb_element *element) {
    if (set->text_length) {
        fb_diag_add(r->diag, FB_WARNING, FB1107, fb_osim_place(set, element), "it is lost",
                    "<%s> holds text where objects belong: '%.40s'", set->tag, set->text);
    }
}

void fb_osim_note_rest(fb_osim_reader *r, const fb_xml_node *set, const fb_element *element,
                       bool groups) {
    fb_osim_note_attributes(r, set, element);
    note_text(r, set, element);
    for (const fb_xml_node *child = set->first; child; child = child->next) {
        if (fb_osim_is(child, "objects")) {
            fb_osim_note_attributes(r, child, element);
            note_text(r, child, element);
        } else if (fb_osim_is(child, "groups") ? groups && child->first
                                               : child->first || child->text_length) {
            fb_diag_add(r->diag, FB_IGNORED, FB2002, fb_osim_place(child, element),
                        "it has no effect", "%s has no property <%s>", set->tag, child->tag);
        }
    }
}

/* ---- keeping what is not understood --------------------------------------------------------- */

typedef struct tags_of {
    const fb_class *cls;
} tags_of;

static const char *next_tag(const void *context, int i) {
    const tags_of *tags = context;
    return i < tags->cls->n_fields ? tags->cls->fields[i].tag : NULL;
}

static const char *next_class(const void *context, int i) {
    (void)context;
    const fb_class *cls = fb_class_at(i);
    return cls ? cls->name : NULL;
}

/* What a misspelt tag may have meant, in words, or ""; looked for once for each class and tag. */
static const char *meant_by(fb_osim_reader *r, const fb_class *cls, const char *tag) {
    const char *key = fb_arena_printf(&r->scratch, "%s.%s", cls ? cls->name : "", tag);
    char *known = fb_table_find(&r->meant, key);
    if (known) {
        return known;
    }
    tags_of tags = {cls};
    const char *word = cls ? fb_nearest_word(tag, next_tag, &tags)
                           : fb_nearest_word(tag, next_class, NULL);
    known = word ? fb_arena_printf(&r->scratch, "; did you mean <%s>?", word)
                 : fb_arena_dup(&r->scratch, "");
    fb_table_add(&r->meant, key, known);
    return known;
}

const char *fb_osim_source(fb_osim_reader *r, const fb_xml_node *node, size_t *n) {
    if (node->source && node->source_length) {
        *n = node->source_length;
        return node->source;
    }
    char *text = fb_arena_printf(&r->scratch, "<%s>%s</%s>", node->tag, node->text, node->tag);
    *n = strlen(text);
    return text;
}

void fb_osim_keep_property(fb_osim_reader *r, fb_element *element, const fb_xml_node *node) {
    if (!node->first && node->text_length == 0 && !fb_class_find(node->tag)) {
        return; /* says nothing; an object without content has its defaults */
    }
    size_t n;
    const char *xml = fb_osim_source(r, node, &n);
    fb_element_add_kept(r->model, element, xml, n);
    fb_diag_add(r->diag, FB_KEPT, FB2002, fb_osim_place(node, element),
                "it has no effect here; it is written back word for word",
                "%s has no property <%s>%s", fb_osim_who(r, element), node->tag,
                meant_by(r, element->cls, node->tag));
}

fb_element *fb_osim_keep_object(fb_osim_reader *r, const fb_xml_node *node, fb_element *owner,
                                const char *path) {
    size_t n;
    const char *xml = fb_osim_source(r, node, &n);
    fb_element *kept = fb_element_new(r->model, &fb_class_kept,
                                      node->name && *node->name ? node->name : NULL);
    kept->owner = owner;
    kept->line = node->line;
    kept->file = fb_osim_file(r, node);
    fb_value_set_string(r->model, &kept->values[0], node->tag);
    char *copy = fb_arena_text(&r->model->arena, xml, n);
    kept->values[1] = (fb_value){.present = true, .n = 1, .as.string = copy};
    kept->path = path;
    bool known = fb_class_find(node->tag) != NULL;
    fb_place place = fb_osim_place(node, path ? kept : owner);
    place.cls = node->tag;
    fb_diag_add(r->diag, FB_KEPT, FB2001, place,
                "it has no effect here; it is written back word for word",
                "%s '%s': the class is not %s%s", node->tag, node->name ? node->name : "",
                known ? "one that can stand here" : "known",
                known ? "" : meant_by(r, NULL, node->tag));
    return kept;
}
