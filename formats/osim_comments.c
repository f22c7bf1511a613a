/* Comments of an OpenSim document: which are OpenSim's own documentation of a property, said once
 * for all elements, and which belong to one element. */
#include <string.h>

#include "formats/osim_extra.h"
#include "formats/osim_read.h"

/* How often a property of a class occurs, and with which comment: comments that stand before every
 * one of them are OpenSim's own documentation and are kept once. */
typedef struct fb_osim_property_seen {
    const fb_class *cls;
    const char *tag;
    const char *text; /* the first comment seen */
    int instances, same;
    bool settled; /* `shared` says which comment the model keeps for all of them, if any */
    const char *shared;
} property_seen;

typedef struct fb_osim_comment_seen {
    fb_element *element;
    const char *tag; /* as fb_comment.before */
    const char *text;
    const fb_class *cls; /* NULL: not before a property */
} comment_seen;

static property_seen *property_entry(fb_osim_reader *r, const fb_class *cls, const char *tag) {
    if ((r->n_seen + 1) * 2 > r->size_seen) {
        size_t size = r->size_seen ? r->size_seen * 2 : 512;
        property_seen *grown = fb_arena_array(&r->scratch, size, sizeof *grown);
        for (size_t i = 0; i < r->size_seen; i++) {
            if (r->seen[i].cls) {
                size_t at = ((size_t)r->seen[i].cls * 31 + (size_t)r->seen[i].tag) / 8 & (size - 1);
                while (grown[at].cls) {
                    at = (at + 1) & (size - 1);
                }
                grown[at] = r->seen[i];
            }
        }
        r->seen = grown;
        r->size_seen = size;
    }
    size_t at = ((size_t)cls * 31 + (size_t)tag) / 8 & (r->size_seen - 1);
    while (r->seen[at].cls && (r->seen[at].cls != cls || r->seen[at].tag != tag)) {
        at = (at + 1) & (r->size_seen - 1);
    }
    if (!r->seen[at].cls) {
        r->seen[at].cls = cls;
        r->seen[at].tag = tag;
        r->n_seen++;
    }
    return &r->seen[at];
}

static void note_comment(fb_osim_reader *r, fb_element *element, const char *tag, const char *text,
                         const fb_class *cls) {
    comment_seen seen = {element, tag, text, cls};
    FB_PUSH(&r->scratch, r->comments, r->n_comments, r->capacity_comments, seen);
}

void fb_osim_note_property(fb_osim_reader *r, fb_element *element, const fb_xml_node *node,
                           const char *tag) {
    if (!tag) {
        for (const fb_xml_comment *c = node->comments; c; c = c->next) {
            if (!c->repeated) {
                note_comment(r, element, "", c->text, NULL);
            }
        }
        return;
    }
    property_seen *entry = property_entry(r, element->cls, tag);
    const fb_xml_comment *first = node->comments;
    entry->instances++;
    r->n_properties++;
    r->n_commented += first != NULL;
    if (first && !entry->text) {
        entry->text = first->text;
    }
    bool same = false;
    for (const fb_xml_comment *c = first; c; c = c->next) {
        same = same || strcmp(entry->text, c->text) == 0;
        note_comment(r, element, tag, c->text, element->cls);
    }
    entry->same += same;
}

void fb_osim_note_comments(fb_osim_reader *r, fb_element *element, const char *before,
                           const fb_xml_comment *c) {
    /* OpenSim's remark on an object that it wrote without properties; they are written now */
    static const char empty[] = "All properties of this object have their default values.";
    for (; c; c = c->next) {
        if (!fb_osim_is_extra(c->text) && strcmp(c->text, empty) != 0) {
            note_comment(r, element, before, c->text, NULL);
        }
    }
}

void fb_osim_note_inside(fb_osim_reader *r, fb_element *element, const fb_xml_node *node,
                         const char *tag) {
    const fb_xml_node *objects = fb_xml_child(node, "objects"),
                      *groups = fb_xml_child(node, "groups");
    fb_osim_note_comments(r, element, tag, node->end_comments);
    fb_osim_note_comments(r, element, tag, objects ? objects->comments : NULL);
    fb_osim_note_comments(r, element, tag, objects ? objects->end_comments : NULL);
    fb_osim_note_comments(r, element, tag, groups ? groups->comments : NULL);
    fb_osim_note_comments(r, element, tag, groups ? groups->end_comments : NULL);
    for (const fb_xml_node *group = groups ? groups->first : NULL; group; group = group->next) {
        fb_osim_note_comments(r, element, tag, group->comments);
        fb_osim_note_comments(r, element, tag, group->end_comments);
        for (const fb_xml_node *part = group->first; part; part = part->next) {
            fb_osim_note_comments(r, element, tag, part->comments);
        }
    }
}

/* True if a comment is documentation of a property rather than a person's remark: it stands before
 * each of several such properties. In a document that OpenSim wrote nearly every property has one,
 * so there a property that occurs once counts too. */
static bool is_documentation(const fb_osim_reader *r, const property_seen *entry) {
    bool machine_written = r->n_commented * 2 > r->n_properties;
    return !r->from_fb && entry->same == entry->instances &&
           (entry->instances > 1 || machine_written);
}

/* Decides once for each property which comment all its instances share. */
static void settle_property(fb_osim_reader *r, property_seen *entry, fb_comment ***end) {
    char *key = fb_arena_printf(&r->scratch, "%s.%s", entry->cls->name, entry->tag);
    fb_comment *known = r->model->shared_comments;
    while (known && strcmp(known->before, key) != 0) {
        known = known->next;
    }
    if (!known && entry->text && is_documentation(r, entry)) {
        known = fb_arena_alloc(&r->model->arena, sizeof *known);
        known->before = fb_arena_dup(&r->model->arena, key);
        known->text = fb_arena_dup(&r->model->arena, entry->text);
        **end = known;
        *end = &known->next;
    }
    entry->settled = true;
    entry->shared = known ? known->text : NULL;
}

void fb_osim_settle_comments(fb_osim_reader *r) {
    fb_comment **end = &r->model->shared_comments;
    while (*end) {
        end = &(*end)->next;
    }
    for (size_t i = 0; i < r->n_comments; i++) {
        const comment_seen *seen = &r->comments[i];
        if (seen->cls) {
            property_seen *entry = property_entry(r, seen->cls, seen->tag);
            if (!entry->settled) {
                settle_property(r, entry, &end);
            }
            if (entry->shared && strcmp(entry->shared, seen->text) == 0) {
                continue;
            }
        }
        fb_element_add_comment(r->model, seen->element, seen->tag, seen->text);
    }
}
