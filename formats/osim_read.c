/* From the tree of an OpenSim document in its newest form to the model, by the class tables. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "formats/osim_stages.h"
#include "formats/osim_extra.h"
#include "libcore/base/number.h"
#include "libcore/model/tree.h"

/* How often a property of a class occurs, and with which comment: comments that stand before every
 * one of them are OpenSim's own documentation and are kept once. */
typedef struct property_seen {
    const fb_class *cls;
    const char *tag;
    const char *text; /* the first comment seen */
    int instances, same;
    bool settled; /* `shared` says which comment the model keeps for all of them, if any */
    const char *shared;
} property_seen;

typedef struct comment_seen {
    fb_element *element;
    const char *tag; /* as fb_comment.before */
    const char *text;
    const fb_class *cls; /* NULL: not before a property */
} comment_seen;

typedef struct reader {
    fb_xml *xml;
    fb_model *model;
    fb_diag *diag;
    fb_arena scratch;
    int version;
    int order;
    fb_status status;
    property_seen *seen;
    size_t n_seen, size_seen;
    comment_seen *comments;
    size_t n_comments, capacity_comments;
    long n_properties, n_commented;
    const char *included_from, *included; /* the last included file, and its copy */
    fb_table meant;                       /* "Class.tag" -> what it may have meant */
    bool from_fb; /* fbtools wrote the document, and says which comments are shared */
} reader;

static fb_element *read_object(reader *r, fb_xml_node *node, const fb_class *cls, fb_element *owner,
                               const char *path);
static void read_children(reader *r, fb_xml_node *holder, fb_element *owner, const char *path);

static int is(const fb_xml_node *node, const char *tag) {
    return strcmp(node->tag, tag) == 0;
}

/* ---- records -------------------------------------------------------------------------------- */

static fb_place place_of(const fb_xml_node *node, const fb_element *element) {
    const fb_element *component = element;
    while (component && !component->path) {
        component = component->owner;
    }
    return (fb_place){node->file, node->line, component ? component->path : NULL,
                      element ? element->cls->name : node->tag};
}

/* "Thelen2003Muscle 'TRIlong'", or that of the component that holds it. */
static const char *who(reader *r, const fb_element *element) {
    const fb_element *component = element;
    while (component->owner && (!component->name || !*component->name)) {
        component = component->owner;
    }
    return fb_arena_printf(&r->scratch, "%s '%s'", element->cls->name,
                           component->name ? component->name : "");
}

/* The file of a node if it is an included one, as the model's own copy; else NULL. */
static const char *file_of(reader *r, const fb_xml_node *node) {
    if (node->file == r->xml->file) {
        return NULL;
    }
    if (node->file != r->included_from) {
        r->included_from = node->file;
        r->included = fb_arena_dup(&r->model->arena, node->file);
    }
    return r->included;
}

static void wrong(reader *r, const fb_xml_node *node, const fb_element *element, fb_diag_id id,
                  const char *what) {
    fb_diag_add(r->diag, FB_ERROR, id, place_of(node, element), NULL, "%s: <%s> %s, got '%.40s'",
                who(r, element), node->tag, what, node->text);
    r->status = FB_E_INPUT;
}

/* Attributes that nothing is done with. */
static void note_attributes(reader *r, const fb_xml_node *node, const fb_element *element) {
    for (const fb_xml_attribute *a = node->attributes; a; a = a->next) {
        if (strcmp(a->name, "file") == 0 || strcmp(a->name, "Version") == 0) {
            continue;
        }
        bool own = element && is(node, element->cls->name);
        const char *what = own       ? who(r, element)
                           : element ? fb_arena_printf(&r->scratch, "<%s> of %s", node->tag,
                                                       who(r, element))
                                     : fb_arena_printf(&r->scratch, "<%s>", node->tag);
        fb_diag_add(r->diag, FB_IGNORED, FB2004, place_of(node, element), "it has no effect",
                    "%s has the attribute %s=\"%s\", which is not known", what, a->name, a->value);
    }
}

/* What a set has beside its objects. */
static void note_rest(reader *r, const fb_xml_node *set, const fb_element *element, bool groups) {
    note_attributes(r, set, element);
    for (const fb_xml_node *child = set->first; child; child = child->next) {
        if (is(child, "objects")) {
            note_attributes(r, child, element);
        } else if (is(child, "groups") ? groups && child->first
                                       : child->first || child->text_length) {
            fb_diag_add(r->diag, FB_IGNORED, FB2002, place_of(child, element), "it has no effect",
                        "%s has no property <%s>", set->tag, child->tag);
        }
    }
}

/* ---- comments ------------------------------------------------------------------------------- */

static property_seen *property_entry(reader *r, const fb_class *cls, const char *tag) {
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

static void note_comments(reader *r, fb_element *element, const char *before,
                          const fb_xml_comment *c);

static void note_comment(reader *r, fb_element *element, const char *tag, const char *text,
                         const fb_class *cls) {
    comment_seen seen = {element, tag, text, cls};
    FB_PUSH(&r->scratch, r->comments, r->n_comments, r->capacity_comments, seen);
}

/* Notes the comments before a property of an element; `tag` is what the property will be written
 * as, NULL if it will not be. */
static void note_property(reader *r, fb_element *element, const fb_xml_node *node,
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

/* Comments inside a property: in its text, or around the objects in it, but not before those. */
static void note_inside(reader *r, fb_element *element, const fb_xml_node *node, const char *tag) {
    const fb_xml_node *objects = fb_xml_child(node, "objects"),
                      *groups = fb_xml_child(node, "groups");
    note_comments(r, element, tag, node->end_comments);
    note_comments(r, element, tag, objects ? objects->comments : NULL);
    note_comments(r, element, tag, objects ? objects->end_comments : NULL);
    note_comments(r, element, tag, groups ? groups->comments : NULL);
    note_comments(r, element, tag, groups ? groups->end_comments : NULL);
    for (const fb_xml_node *group = groups ? groups->first : NULL; group; group = group->next) {
        note_comments(r, element, tag, group->comments);
        note_comments(r, element, tag, group->end_comments);
        for (const fb_xml_node *part = group->first; part; part = part->next) {
            note_comments(r, element, tag, part->comments);
        }
    }
}

/* Comments of a whole list that belong to `element`: before it, or at its end. */
static void note_comments(reader *r, fb_element *element, const char *before,
                          const fb_xml_comment *c) {
    /* OpenSim's remark on an object that it wrote without properties; they are written now */
    static const char empty[] = "All properties of this object have their default values.";
    for (; c; c = c->next) {
        if (!fb_osim_is_extra(c->text) && strcmp(c->text, empty) != 0) {
            note_comment(r, element, before, c->text, NULL);
        }
    }
}

/* True if a comment is documentation of a property rather than a person's remark: it stands before
 * each of several such properties. In a document that OpenSim wrote nearly every property has one,
 * so there a property that occurs once counts too. */
static bool is_documentation(const reader *r, const property_seen *entry) {
    bool machine_written = r->n_commented * 2 > r->n_properties;
    return !r->from_fb && entry->same == entry->instances &&
           (entry->instances > 1 || machine_written);
}

/* Decides once for each property which comment all its instances share. */
static void settle_property(reader *r, property_seen *entry, fb_comment ***end) {
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

static void settle_comments(reader *r) {
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
static const char *meant_by(reader *r, const fb_class *cls, const char *tag) {
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

/* The XML of a node: as it stood in the file, or printed anew if the upgrade made it. */
static const char *source_of(reader *r, const fb_xml_node *node, size_t *n) {
    if (node->source && node->source_length) {
        *n = node->source_length;
        return node->source;
    }
    char *text = fb_arena_printf(&r->scratch, "<%s>%s</%s>", node->tag, node->text, node->tag);
    *n = strlen(text);
    return text;
}

static void keep_property(reader *r, fb_element *element, const fb_xml_node *node) {
    if (!node->first && node->text_length == 0) {
        return; /* says nothing */
    }
    size_t n;
    const char *xml = source_of(r, node, &n);
    fb_element_add_kept(r->model, element, xml, n);
    fb_diag_add(r->diag, FB_KEPT, FB2002, place_of(node, element),
                "it has no effect here; it is written back word for word",
                "%s has no property <%s>%s", who(r, element), node->tag,
                meant_by(r, element->cls, node->tag));
}

/* A whole object of unknown class. */
static fb_element *keep_object(reader *r, const fb_xml_node *node, fb_element *owner,
                               const char *path) {
    size_t n;
    const char *xml = source_of(r, node, &n);
    fb_element *kept = fb_element_new(r->model, &fb_class_kept,
                                      node->name && *node->name ? node->name : NULL);
    kept->owner = owner;
    kept->line = node->line;
    kept->file = file_of(r, node);
    fb_value_set_string(r->model, &kept->values[0], node->tag);
    char *copy = fb_arena_text(&r->model->arena, xml, n);
    kept->values[1] = (fb_value){.present = true, .n = 1, .as.string = copy};
    kept->path = path;
    bool known = fb_class_find(node->tag) != NULL;
    fb_place place = place_of(node, path ? kept : owner);
    place.cls = node->tag;
    fb_diag_add(r->diag, FB_KEPT, FB2001, place,
                "it has no effect here; it is written back word for word",
                "%s '%s': the class is not %s%s", node->tag, node->name ? node->name : "",
                known ? "one that can stand here" : "known",
                known ? "" : meant_by(r, NULL, node->tag));
    return kept;
}

/* ---- values --------------------------------------------------------------------------------- */

static const char *skip_space(const char *p, const char *end) {
    while (p < end && isspace((unsigned char)*p)) {
        p++;
    }
    return p;
}

/* All numbers of a node's text; NULL with an error if something else is there. */
static double *read_numbers(reader *r, const fb_xml_node *node, const fb_element *element,
                            int *count) {
    const char *p = node->text, *end = p + node->text_length;
    size_t n = 0, capacity = node->text_length / 2 + 1;
    double small[16], *x = small;
    if (capacity > 16) {
        x = fb_arena_array(&r->scratch, capacity, sizeof *x);
    }
    for (p = skip_space(p, end); p < end; p = skip_space(p, end)) {
        const char *token = p;
        if (n == capacity || !fb_number_scan(&p, end, &x[n]) ||
            (p < end && !isspace((unsigned char)*p))) {
            size_t length = 0;
            while (token + length < end && !isspace((unsigned char)token[length])) {
                length++;
            }
            const char *comma = memchr(token, ',', length);
            fb_diag_add(r->diag, FB_ERROR, FB2101, place_of(node, element), NULL,
                        "%s: <%s> holds '%.*s', which is not a number%s", who(r, element),
                        node->tag, (int)(length > 40 ? 40 : length), token,
                        comma ? "; numbers have a decimal point and spaces between them" : "");
            r->status = FB_E_INPUT;
            return NULL;
        }
        n++;
    }
    double *copy = fb_arena_array(&r->model->arena, n, sizeof *copy);
    if (n) {
        memcpy(copy, x, n * sizeof *x);
    }
    *count = (int)n;
    return copy;
}

/* The white-space separated words of a text. */
static const char **read_words(reader *r, const char *text, int *count) {
    size_t capacity = strlen(text) / 2 + 1;
    const char **words = fb_arena_array(&r->model->arena, capacity, sizeof *words);
    int n = 0;
    for (const char *p = text; *p;) {
        while (isspace((unsigned char)*p)) {
            p++;
        }
        const char *start = p;
        while (*p && !isspace((unsigned char)*p)) {
            p++;
        }
        if (p > start) {
            words[n++] = fb_arena_text(&r->model->arena, start, (size_t)(p - start));
        }
    }
    *count = n;
    return words;
}

static int is_unassigned(const char *text) {
    return *text == 0 || strcasecmp(text, "unassigned") == 0;
}

static void read_refs(reader *r, const fb_xml_node *node, fb_element *element,
                      const fb_field *field, fb_value *value) {
    const char *text = node->text;
    if (is_unassigned(text)) {
        return;
    }
    if (element->cls->family == FB_GEOMETRY && strcmp(field->key, "frame") == 0 &&
        strcmp(text, "..") == 0) {
        return; /* its owner, as always */
    }
    if (field->type == FB_REFS) {
        int n;
        const char **words = read_words(r, text, &n);
        fb_value_set_refs(r->model, value, words, n);
        return;
    }
    char *name = fb_arena_dup(&r->scratch, text);
    if (r->version < 30500) { /* names had white space then */
        char *to = name;
        for (const char *from = text; *from; from++) {
            if (!isspace((unsigned char)*from)) {
                *to++ = *from;
            }
        }
        *to = 0;
    }
    const char *one = name;
    fb_value_set_refs(r->model, value, &one, 1);
}

static int is_choice(const fb_field *field, const char *text) {
    size_t n = strlen(text);
    for (const char *p = field->choices; p && *p;) {
        size_t m = strcspn(p, "|");
        if (n == m && strncasecmp(p, text, n) == 0) {
            return 1;
        }
        p += m;
        p += *p == '|';
    }
    return 0;
}

static void read_value(reader *r, const fb_xml_node *node, fb_element *element,
                       const fb_field *field, fb_value *value) {
    int n = 0;
    if (node->first) {
        wrong(r, node, element, FB2103, "must hold text, not elements");
        return;
    }
    switch (field->type) {
    case FB_BOOL:
        if (strcasecmp(node->text, "true") == 0 || strcmp(node->text, "1") == 0) {
            value->as.truth = true;
        } else if (strcasecmp(node->text, "false") != 0 && strcmp(node->text, "0") != 0) {
            if (node->text_length == 0) {
                return;
            }
            wrong(r, node, element, FB2103, "must be true or false");
            return;
        }
        break;
    case FB_INT:
    case FB_NUMBER: {
        double *x = read_numbers(r, node, element, &n);
        if (!x || n == 0) {
            return;
        }
        if (n > 1) {
            fb_diag_add(r->diag, FB_APPROXIMATED, FB2102, place_of(node, element),
                        "the first is taken, as OpenSim does",
                        "%s: <%s> must be one number, got %d", who(r, element), node->tag, n);
        }
        if (field->type == FB_NUMBER) {
            value->as.number = x[0];
        } else if (x[0] >= -2147483647.0 && x[0] <= 2147483647.0 && x[0] == (double)(int)x[0]) {
            value->as.integer = (int)x[0];
        } else {
            wrong(r, node, element, FB2101, "must be a whole number");
            return;
        }
        break;
    }
    case FB_VECTOR:
    case FB_NUMBERS: {
        double *x = read_numbers(r, node, element, &n);
        if (!x || (n == 0 && field->type == FB_VECTOR)) {
            return;
        }
        if (field->type == FB_VECTOR && n != field->count) {
            if (n < field->count) {
                fb_diag_add(r->diag, FB_ERROR, FB2102, place_of(node, element), NULL,
                            "%s: <%s> must be %d numbers, got %d", who(r, element), node->tag,
                            field->count, n);
                r->status = FB_E_INPUT;
                return;
            }
            fb_diag_add(r->diag, FB_APPROXIMATED, FB2102, place_of(node, element),
                        "the first ones are taken, as OpenSim does",
                        "%s: <%s> must be %d numbers, got %d", who(r, element), node->tag,
                        field->count, n);
            n = field->count;
        }
        value->n = n;
        value->as.numbers = x;
        value->present = true;
        return;
    }
    case FB_CHOICE:
        if (node->text_length && !is_choice(field, node->text)) {
            fb_diag_add(r->diag, FB_WARNING, FB2103, place_of(node, element), "it is kept as it is",
                        "%s: <%s> is '%.40s', not one of %s", who(r, element), node->tag,
                        node->text, field->choices);
        }
        /* fall through */
    case FB_STRING:
        if (node->text_length == 0 && field->flags & FB_OPTIONAL) {
            return;
        }
        value->as.string = fb_arena_dup(&r->model->arena, node->text);
        break;
    case FB_STRINGS:
        value->as.strings = read_words(r, node->text, &n);
        value->n = n;
        value->present = true;
        return;
    case FB_REF:
    case FB_REFS: read_refs(r, node, element, field, value); return;
    case FB_OBJECT:
    case FB_OBJECTS: return;
    }
    value->n = 1;
    value->present = true;
}

/* ---- owned objects -------------------------------------------------------------------------- */

/* A name that a person gave to an owned object, not one that follows from where it stands. */
static const char *own_name(const fb_xml_node *node, const fb_field *field) {
    const char *name = node->name;
    if (!name || !*name) {
        return NULL;
    }
    if (field->type == FB_OBJECTS) {
        return name;
    }
    if (field->shape == FB_BY_NAME || strcmp(name, "default") == 0 ||
        strcmp(name, field->tag) == 0) {
        return NULL;
    }
    size_t n = strlen(name), m = strlen(node->tag);
    return n >= m && strcasecmp(name + n - m, node->tag) == 0 ? NULL : name;
}

static fb_element *read_owned(reader *r, fb_xml_node *node, fb_element *owner,
                              const fb_field *field) {
    const fb_class *cls = fb_class_find(node->tag);
    bool right = cls && (cls->family == field->family ||
                         (field->family == FB_FUNCTION && cls->family == FB_CURVE));
    const char *name = node->name;
    node->name = own_name(node, field);
    fb_element *object = right ? read_object(r, node, cls, owner, NULL)
                               : keep_object(r, node, owner, NULL);
    node->name = name;
    if (field->type == FB_OBJECTS) {
        note_comments(r, object, NULL, node->comments);
    }
    return object;
}

/* The nodes of the objects in a field's element: <objects> of a set, or its children. */
static fb_xml_node *object_nodes(const fb_xml_node *node) {
    const fb_xml_node *set = fb_xml_child(node, "objects");
    return set ? set->first : node->first;
}

static void read_objects(reader *r, fb_xml_node *node, fb_element *element, const fb_field *field,
                         fb_value *value) {
    fb_list list = {0};
    for (int i = 0; i < value->n; i++) {
        FB_PUSH(&r->scratch, list.items, list.n, list.capacity, value->as.objects[i]);
    }
    if (fb_xml_child(node, "objects")) {
        note_rest(r, node, element, true);
    } else {
        note_attributes(r, node, element);
    }
    for (fb_xml_node *one = object_nodes(node); one; one = one->next) {
        if (is(one, "groups") || is(one, "objects")) {
            continue;
        }
        fb_element *object = read_owned(r, one, element, field);
        FB_PUSH(&r->scratch, list.items, list.n, list.capacity, object);
    }
    fb_element **items = fb_arena_array(&r->model->arena, list.n, sizeof *items);
    if (list.n) {
        memcpy(items, list.items, list.n * sizeof *items);
    }
    value->as.objects = items;
    value->n = (int)list.n;
    value->present = true;
}

/* True if the node is itself the object of that field, and not an element around it. */
static bool is_object_itself(const fb_xml_node *node, const fb_field *field) {
    const fb_class *cls = fb_class_find(node->tag);
    return cls && (cls->family == field->family ||
                   (field->family == FB_FUNCTION && cls->family == FB_CURVE));
}

static void read_field(reader *r, fb_xml_node *node, fb_element *element, int index) {
    const fb_field *field = &element->cls->fields[index];
    fb_value *value = &element->values[index];
    if (value->present && field->type != FB_OBJECTS) {
        size_t n;
        const char *xml = source_of(r, node, &n);
        fb_element_add_kept(r->model, element, xml, n);
        fb_diag_add(r->diag, FB_KEPT, FB2003, place_of(node, element),
                    "the first one counts; the other is written back word for word",
                    "%s: <%s> is given twice", who(r, element), node->tag);
        return;
    }
    if (field->type == FB_OBJECTS) {
        note_inside(r, element, node, field->tag);
        read_objects(r, node, element, field, value);
    } else if (field->type == FB_OBJECT) {
        bool itself = is_object_itself(node, field) || !is(node, field->tag);
        fb_xml_node *one = itself ? node : object_nodes(node);
        if (!one) {
            return;
        }
        if (!itself) {
            note_attributes(r, node, element);
            note_inside(r, element, node, field->tag);
            note_comments(r, element, field->tag, one->comments);
        }
        value->as.object = read_owned(r, one, element, field);
        value->n = 1;
        value->present = true;
        if (!itself && one->next) {
            for (fb_xml_node *more = one->next; more; more = more->next) {
                if (!is(more, "groups")) {
                    keep_property(r, element, more);
                }
            }
        }
    } else {
        note_attributes(r, node, element);
        note_inside(r, element, node, field->tag);
        read_value(r, node, element, field, value);
    }
}

/* The field that a child element is for: by its tag, by its name attribute, or by its class. */
static int find_field(const fb_element *element, const fb_xml_node *node) {
    const fb_class *cls = element->cls;
    int index = fb_class_tag(cls, node->tag);
    if (index >= 0) {
        return index;
    }
    if (!node->first && !node->name && node->text_length) {
        return -1; /* a simple property */
    }
    if (node->name) {
        for (int i = 0; i < cls->n_fields; i++) {
            if ((cls->fields[i].type == FB_OBJECT || cls->fields[i].type == FB_OBJECTS) &&
                (strcmp(cls->fields[i].tag, node->name) == 0 ||
                 strcmp(cls->fields[i].key, node->name) == 0)) {
                return i;
            }
        }
    }
    /* an object whose name is not the property's, as before that property had one: GeometryPath */
    const fb_class *other = fb_class_find(node->tag);
    for (int i = 0; other && i < cls->n_fields; i++) {
        if (cls->fields[i].type == FB_OBJECT && cls->fields[i].shape == FB_BY_NAME &&
            cls->fields[i].family == other->family && !element->values[i].present) {
            return i;
        }
    }
    return -1;
}

/* ---- objects -------------------------------------------------------------------------------- */

static void check_required(reader *r, const fb_xml_node *node, fb_element *element) {
    for (int i = 0; i < element->cls->n_fields; i++) {
        const fb_field *field = &element->cls->fields[i];
        if (field->flags & FB_REQUIRED && !element->values[i].present && field->type != FB_REF &&
            field->type != FB_REFS) {
            fb_diag_add(r->diag, FB_WARNING, FB2105, place_of(node, element),
                        "OpenSim does without at its own risk", "%s: <%s> must be given",
                        who(r, element), field->tag);
        }
    }
}

/* Children of components that are components of their own: they go to the model's lists. */
static bool read_owned_components(reader *r, fb_xml_node *child, fb_element *element) {
    bool list = is(child, "components") || is(child, "frames");
    if (!list && !is(child, "WrapObjectSet") && !is(child, "FrameSet")) {
        return false;
    }
    const char *base = element->path && element->path[1] ? element->path : "";
    const char *path = list || is(child, "FrameSet")
                           ? base
                           : fb_arena_printf(&r->scratch, "%s/wrapobjectset", base);
    fb_xml_node *objects = fb_xml_child(child, "objects");
    if (element->path) {
        read_children(r, objects ? objects : child, element, path);
    } else {
        keep_property(r, element, child);
    }
    return true;
}

/* The tag that the writer gives a child of an object, NULL if none. */
static const char *written_tag(const fb_element *element, const fb_xml_node *child, int index) {
    if (index >= 0) {
        return element->cls->fields[index].tag;
    }
    if (is(child, "components") || is(child, "frames")) {
        return fb_owns_frames(element) ? "frames" : "components";
    }
    if (is(child, "WrapObjectSet")) {
        return "WrapObjectSet";
    }
    return child->first || child->text_length ? child->tag : NULL; /* kept, if it says anything */
}

static fb_element *read_object(reader *r, fb_xml_node *node, const fb_class *cls, fb_element *owner,
                               const char *path) {
    fb_element *element = fb_element_new(r->model, cls, node->name);
    element->owner = owner;
    element->path = path;
    element->line = node->line;
    element->file = file_of(r, node);
    for (fb_xml_node *child = node->first; child; child = child->next) {
        int index = find_field(element, child);
        note_property(r, element, child, written_tag(element, child, index));
        if (index >= 0) {
            read_field(r, child, element, index);
        } else if (!read_owned_components(r, child, element)) {
            keep_property(r, element, child);
        }
    }
    note_comments(r, element, "", node->end_comments);
    note_attributes(r, node, element);
    if (cls->family == FB_JOINT) {
        fb_joint_complete(r->model, element);
    }
    fb_element_defaults(r->model, element);
    check_required(r, node, element);
    return element;
}

static const char *lower_case(reader *r, const char *text) {
    char *lower = fb_arena_dup(&r->scratch, text);
    for (char *c = lower; *c; c++) {
        *c = (char)tolower((unsigned char)*c);
    }
    return lower;
}

/* A name that a component path can hold. */
static const char *without_slash(reader *r, const fb_xml_node *node, const char *given) {
    char *name = fb_arena_dup(&r->scratch, given);
    for (char *c = name; *c; c++) {
        if (*c == '/' || (given[0] == '.' && strlen(given) < 3)) {
            *c = '_';
        }
    }
    fb_diag_add(r->diag, FB_WARNING, FB2204, place_of(node, NULL),
                "references to it by the old name are not found",
                "the name '%s' becomes '%s': component paths cannot hold it", given, name);
    return name;
}

/* Children that live in the model's lists. `path` is where: "/forceset",
 * "/bodyset/femur/wrapobjectset". */
static void read_children(reader *r, fb_xml_node *holder, fb_element *owner, const char *path) {
    for (fb_xml_node *node = holder->first; node; node = node->next) {
        const fb_class *cls = fb_class_find(node->tag);
        if (is(node, "groups")) {
            continue;
        }
        const char *name = node->name && *node->name ? node->name : NULL;
        const char *given = name ? name : lower_case(r, node->tag);
        if (strchr(given, '/') || strcmp(given, ".") == 0 || strcmp(given, "..") == 0) {
            given = name = without_slash(r, node, given);
        }
        char *full = fb_arena_printf(&r->model->arena, "%s/%s", path, given);
        int order = r->order++;
        fb_element *element;
        if (cls && cls->list && (owner || cls->family != FB_WRAP)) {
            element = read_object(r, node, cls, NULL, full);
            element->name = fb_arena_dup(&r->model->arena, given);
            if (cls->family == FB_WRAP) {
                const char *frame = owner->path;
                fb_value_set_refs(r->model, fb_value_of(element, "frame"), &frame, 1);
            }
        } else {
            element = keep_object(r, node, NULL, full);
            if (!element->name) {
                element->name = fb_arena_dup(&r->model->arena, given);
            }
        }
        element->order = order;
        note_comments(r, element, NULL, node->comments);
        fb_list *list = fb_model_list(r->model, element->cls->list);
        FB_PUSH(&r->model->arena, list->items, list->n, list->capacity, element);
    }
    if (owner) {
        note_comments(r, owner, "", holder->end_comments);
    }
}

/* ---- the model ------------------------------------------------------------------------------ */

static void read_groups(reader *r, const fb_xml_node *groups, const char *path) {
    fb_model *model = r->model;
    for (const fb_xml_node *node = groups ? groups->first : NULL; node; node = node->next) {
        if (!is(node, "ObjectGroup")) {
            fb_diag_add(r->diag, FB_IGNORED, FB2001, place_of(node, NULL), NULL,
                        "<%s> among the groups of %s is not a group", node->tag, path);
            continue;
        }
        const fb_xml_node *members = fb_xml_child(node, "members");
        note_attributes(r, node, NULL);
        for (const fb_xml_node *child = node->first; child; child = child->next) {
            if (child != members) {
                fb_diag_add(r->diag, FB_IGNORED, FB2002, place_of(child, NULL), NULL,
                            "a group has no property <%s>", child->tag);
            }
        }
        fb_group group = {.set = fb_arena_dup(&model->arena, path),
                          .name = fb_arena_dup(&model->arena, node->name ? node->name : "")};
        int n = 0;
        group.members = read_words(r, members ? members->text : "", &n);
        group.n_members = n;
        FB_PUSH(&model->arena, model->groups, model->n_groups, model->capacity_groups, group);
    }
}

static void read_set(reader *r, fb_xml_node *set, const char *path) {
    fb_element *root = r->model->root;
    fb_xml_node *objects = fb_xml_child(set, "objects");
    bool plain = is(set, "components");
    note_inside(r, root, set, plain ? "components" : set->tag);
    if (objects) {
        objects->end_comments = NULL;
    }
    if (plain || objects) {
        read_children(r, plain ? set : objects, NULL, path);
    }
    read_groups(r, fb_xml_child(set, "groups"), path);
    if (plain) {
        note_attributes(r, set, NULL);
    } else {
        note_rest(r, set, NULL, false);
    }
}

static const char *set_path(const fb_xml_node *node) {
    for (const fb_set *set = fb_sets; set->tag; set++) {
        if (is(node, set->tag)) {
            return set->path;
        }
    }
    return is(node, "FrameSet") ? "" : NULL; /* before 30512 */
}

static void read_model(reader *r, fb_xml_node *node) {
    fb_model *model = r->model;
    fb_element *root = model->root;
    root->name = fb_arena_dup(&model->arena, node->name ? node->name : "");
    root->line = node->line;
    bool has_ground = false;
    note_attributes(r, node, root);
    if (node->parent) {
        note_comments(r, root, NULL, node->parent->comments);
    }
    note_comments(r, root, NULL, node->comments);
    for (fb_xml_node *child = node->first; child; child = child->next) {
        const char *path = set_path(child);
        int index = find_field(root, child);
        note_property(r, root, child,
                      path && is(child, "FrameSet") ? "components"
                      : path || is(child, "Ground") ? child->tag
                                                    : written_tag(root, child, index));
        if (path) {
            read_set(r, child, path);
        } else if (is(child, "Ground") && has_ground) {
            keep_property(r, root, child);
        } else if (is(child, "Ground")) {
            has_ground = true;
            fb_element *ground = read_object(r, child, fb_class_find("Ground"), NULL, "/ground");
            ground->name = "ground";
            model->ground = ground;
        } else if (index >= 0) {
            read_field(r, child, root, index);
        } else {
            keep_property(r, root, child);
        }
    }
    note_comments(r, root, "", node->end_comments);
    if (node->parent) {
        note_comments(r, root, "", node->parent->end_comments);
    }
    fb_element_defaults(model, root);
    fb_element_defaults(model, model->ground);
}

/* Sets every degree of the tables to radians, now that coordinates are known. */
static void convert_angles(fb_model *model, fb_element *element) {
    const unsigned any = FB_DEGREES | FB_DEGREES_IF_ROTATIONAL | FB_PER_DEGREE_IF_ROTATIONAL;
    for (int i = 0; i < element->cls->n_fields; i++) {
        const fb_field *field = &element->cls->fields[i];
        fb_value *value = &element->values[i];
        if (!value->present) {
            continue;
        }
        if (field->type == FB_OBJECT) {
            convert_angles(model, value->as.object);
        } else if (field->type == FB_OBJECTS) {
            for (int j = 0; j < value->n; j++) {
                convert_angles(model, value->as.objects[j]);
            }
        }
        if (!(field->flags & any) || field->type != FB_NUMBER) {
            continue;
        }
        if (!(field->flags & FB_DEGREES) &&
            fb_coordinate_motion(fb_get_target(element, "coordinate")) != FB_ROTATIONAL) {
            continue;
        }
        double x = value->as.number, y;
        int exact = field->flags & FB_PER_DEGREE_IF_ROTATIONAL ? fb_per_degree_to_per_radian(x, &y)
                                                               : fb_degrees_to_radians(x, &y);
        value->as.number = y;
        if (!exact) { /* no such double: the one that was read stays beside it */
            char text[FB_NUMBER_MAX];
            fb_number_print(text, x);
            fb_element_add_extra(model, element,
                                 fb_arena_printf(&model->arena, "%s_in_degrees", field->key), text);
        }
    }
}

static fb_status read_document(reader *r, const fb_osim_options *options) {
    fb_status status = fb_osim_include(r->xml, options, r->diag);
    if (status != FB_OK) {
        return status;
    }
    r->version = fb_osim_version(r->xml, r->diag);
    if (r->version < 0) {
        return FB_E_INPUT;
    }
    fb_osim_apply_defaults(r->xml, r->diag);
    fb_osim_upgrade(r->xml, r->version, r->diag);
    fb_xml_node *root = r->xml->root;
    fb_xml_node *node = is(root, "Model") ? root : fb_xml_child(root, "Model");
    r->model->source_version = r->version;
    for (const fb_xml_node *child = root == node ? NULL : root->first; child; child = child->next) {
        if (child != node && !is(child, "defaults")) {
            fb_diag_add(r->diag, FB_IGNORED, FB2002, place_of(child, NULL), NULL,
                        "a document holds one <Model>; this <%s> is left out", child->tag);
        }
    }
    if (root != node) {
        note_attributes(r, root, NULL);
    }
    const char *extra = fb_osim_find_extra(r->xml);
    r->from_fb = extra != NULL;
    if (extra) {
        fb_osim_read_extra_first(r->model, extra, r->diag);
    }
    read_model(r, node);
    settle_comments(r);
    if (r->diag->counts[FB_ERROR] > 0) {
        return FB_E_INPUT;
    }
    status = fb_model_link(r->model, r->diag);
    if (status != FB_OK) {
        return status;
    }
    for (int i = 0; i < FB_LIST_COUNT; i++) {
        for (size_t j = 0; j < r->model->lists[i].n; j++) {
            convert_angles(r->model, r->model->lists[i].items[j]);
        }
    }
    if (extra) {
        fb_osim_read_extra(r->model, extra, r->diag);
    }
    status = fb_model_sort(r->model);
    return status != FB_OK ? status : r->status;
}

fb_status fb_osim_read(fb_model **model, char *bytes, size_t size, const char *file,
                       const fb_osim_options *options, fb_diag *diag) {
    *model = NULL;
    diag->file = file;
    fb_xml xml;
    fb_status status = fb_xml_parse(&xml, bytes, size, file, diag);
    if (status != FB_OK) {
        return status;
    }
    reader r = {.xml = &xml, .diag = diag, .model = fb_model_new()};
    fb_arena_init(&r.scratch);
    r.meant.arena = &r.scratch;
    jmp_buf oom;
    if (!r.model || setjmp(oom)) {
        status = FB_E_MEMORY;
        fb_diag_add(diag, FB_ERROR, FB1003, (fb_place){file, 0, NULL, NULL}, NULL, "out of memory");
    } else {
        xml.arena.oom = r.scratch.oom = r.model->arena.oom = &oom;
        r.model->file = fb_arena_dup(&r.model->arena, file);
        status = read_document(&r, options);
        r.model->arena.oom = NULL;
    }
    fb_arena_clear(&r.scratch);
    fb_xml_free(&xml);
    if (status == FB_OK && diag->out_of_memory) {
        status = FB_E_MEMORY;
    }
    if (status != FB_OK) {
        fb_model_free(r.model);
        return status;
    }
    *model = r.model;
    return FB_OK;
}
