#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/fb.h"

void fb_json_string(fb_text *out, const char *text) {
    fb_text_add(out, "\"", 1);
    const char *start = text;
    for (const char *p = text;; p++) {
        unsigned char c = (unsigned char)*p;
        if (c >= 0x20 && c != '"' && c != '\\') {
            continue;
        }
        fb_text_add(out, start, (size_t)(p - start));
        if (!c) {
            break;
        }
        start = p + 1;
        switch (c) {
        case '"': fb_text_add(out, "\\\"", 2); break;
        case '\\': fb_text_add(out, "\\\\", 2); break;
        case '\n': fb_text_add(out, "\\n", 2); break;
        case '\r': fb_text_add(out, "\\r", 2); break;
        case '\t': fb_text_add(out, "\\t", 2); break;
        default: fb_text_printf(out, "\\u%04x", c);
        }
    }
    fb_text_add(out, "\"", 1);
}

void fb_json_number(fb_text *out, double x) {
    if (isfinite(x)) {
        fb_text_number(out, x);
        if (x == 0 && signbit(x)) { /* "-0" would be read as an integer, without its sign */
            fb_text_add(out, ".0", 2);
        }
    } else {
        fb_text_puts(out, isnan(x) ? "\"nan\"" : x > 0 ? "\"inf\"" : "\"-inf\"");
    }
}

static void indent(fb_text *out, int depth) {
    static const char spaces[] = "                                ";
    int n = depth * 2;
    fb_text_add(out, "\n", 1);
    fb_text_add(out, spaces, (size_t)(n < 32 ? n : 32));
}

/* A value is left out if it has none, or if it is one that nobody needs to see. */
static bool is_written(const fb_field *field, const fb_value *value) {
    if (!value->present || (field->type == FB_REFS && value->n == 0)) {
        return false;
    }
    return !(field->flags & FB_BRIEF && fb_value_is_default(field, value));
}

/* An object without objects in it stands on one line. */
static bool is_flat(const fb_element *element) {
    if (element->kept || element->comments || element->extras) {
        return false;
    }
    for (int i = 0; i < element->cls->n_fields; i++) {
        const fb_field *field = &element->cls->fields[i];
        if ((field->type == FB_OBJECT || field->type == FB_OBJECTS) &&
            is_written(field, &element->values[i])) {
            return false;
        }
    }
    return true;
}

static void write_element(fb_text *out, const fb_element *element, int depth);

static void write_objects(fb_text *out, fb_element *const *items, size_t n, int depth) {
    fb_text_add(out, "[", 1);
    for (size_t i = 0; i < n; i++) {
        if (i) {
            fb_text_add(out, ",", 1);
        }
        indent(out, depth + 1);
        write_element(out, items[i], depth + 1);
    }
    if (n) {
        indent(out, depth);
    }
    fb_text_add(out, "]", 1);
}

static const char *ref_text(const fb_ref *ref) {
    return ref->target ? ref->target->name : ref->text;
}

static void write_value(fb_text *out, const fb_field *field, const fb_value *value, int depth) {
    bool list = field->type == FB_VECTOR || field->type == FB_NUMBERS ||
                field->type == FB_STRINGS || field->type == FB_REFS;
    if (list && field->flags & FB_UNWRAP && value->n == 1) {
        list = false;
    }
    if (field->type == FB_OBJECTS) {
        write_objects(out, value->as.objects, (size_t)value->n, depth);
        return;
    }
    if (list) {
        fb_text_add(out, "[", 1);
    }
    for (int i = 0; i < value->n; i++) {
        if (i) {
            fb_text_add(out, ", ", 2);
        }
        switch (field->type) {
        case FB_BOOL: fb_text_puts(out, value->as.truth ? "true" : "false"); break;
        case FB_INT: fb_text_printf(out, "%d", value->as.integer); break;
        case FB_NUMBER: fb_json_number(out, value->as.number); break;
        case FB_VECTOR:
        case FB_NUMBERS: fb_json_number(out, value->as.numbers[i]); break;
        case FB_STRING:
        case FB_CHOICE: fb_json_string(out, value->as.string); break;
        case FB_STRINGS: fb_json_string(out, value->as.strings[i]); break;
        case FB_REF:
        case FB_REFS: fb_json_string(out, ref_text(&value->as.refs[i])); break;
        case FB_OBJECT: write_element(out, value->as.object, depth); break;
        case FB_OBJECTS: break;
        }
    }
    if (list) {
        fb_text_add(out, "]", 1);
    }
}

void fb_document_write_list(const fb_model *model, const char *list, fb_text *out) {
    const fb_list *items = fb_model_items(model, list);
    write_objects(out, items->items, items->n, 1);
}

/* Writes members of one object, with commas and line breaks between them. */
typedef struct members {
    fb_text *out;
    int depth;
    bool flat;
    int n;
} members;

static void key(members *m, const char *name) {
    if (m->n++) {
        fb_text_add(m->out, m->flat ? ", " : ",", m->flat ? 2 : 1);
    }
    if (!m->flat) {
        indent(m->out, m->depth + 1);
    }
    fb_json_string(m->out, name);
    fb_text_add(m->out, ": ", 2);
}

static void string_member(members *m, const char *name, const char *text) {
    key(m, name);
    fb_json_string(m->out, text);
}

static void write_comments(members *m, const fb_comment *comments) {
    if (!comments) {
        return;
    }
    key(m, "comments");
    fb_text_add(m->out, "[", 1);
    for (const fb_comment *c = comments; c; c = c->next) {
        if (c != comments) {
            fb_text_add(m->out, ",", 1);
        }
        indent(m->out, m->depth + 2);
        members one = {m->out, 0, true, 0};
        fb_text_add(m->out, "{", 1);
        if (c->before) {
            string_member(&one, "before", c->before);
        }
        string_member(&one, "text", c->text);
        fb_text_add(m->out, "}", 1);
    }
    indent(m->out, m->depth + 1);
    fb_text_add(m->out, "]", 1);
}

/* Fields, kept XML, comments and extras: all but the first members of an object. */
static void write_fields(members *m, const fb_element *element) {
    for (int i = 0; i < element->cls->n_fields; i++) {
        const fb_field *field = &element->cls->fields[i];
        if (!is_written(field, &element->values[i])) {
            continue;
        }
        key(m, field->key);
        write_value(m->out, field, &element->values[i], m->depth + 1);
    }
    if (element->kept) {
        key(m,
            element->cls->family == FB_MODEL ? "model_kept" : "kept"); /* "kept" is a list there */
        fb_text_add(m->out, "[", 1);
        for (const fb_kept_xml *kept = element->kept; kept; kept = kept->next) {
            if (kept != element->kept) {
                fb_text_add(m->out, ", ", 2);
            }
            fb_json_string(m->out, kept->xml);
        }
        fb_text_add(m->out, "]", 1);
    }
    write_comments(m, element->comments);
    for (const fb_extra *extra = element->extras; extra; extra = extra->next) {
        key(m, extra->key);
        fb_text_puts(m->out, extra->json);
    }
}

static void write_element(fb_text *out, const fb_element *element, int depth) {
    members m = {out, depth, is_flat(element), 0};
    fb_text_add(out, "{", 1);
    if (element->name) {
        string_member(&m, "name", element->name);
    }
    if (element->cls->type && !(element->cls == &fb_class_kept && !element->owner)) {
        string_member(&m, "type", element->cls->type);
    }
    if (element->path && element->cls->family != FB_VIRTUAL_LINK) { /* OpenSim has none */
        string_member(&m, "component_path", element->path);
    }
    write_fields(&m, element);
    if (!m.flat && m.n) {
        indent(out, depth);
    }
    fb_text_add(out, "}", 1);
}

/* ---- order ---------------------------------------------------------------------------------- */

typedef struct place {
    const fb_element *element;
    size_t parent; /* length of the path without the last segment */
    size_t rank;   /* place in the document's lists */
} place;

static int same_parent(const place *a, const place *b) {
    return a->parent == b->parent && strncmp(a->element->path, b->element->path, a->parent) == 0;
}

static int compare_parent(const place *a, const place *b) {
    size_t n = a->parent < b->parent ? a->parent : b->parent;
    int c = strncmp(a->element->path, b->element->path, n);
    return c ? c : (a->parent > b->parent) - (a->parent < b->parent);
}

static int by_rank(const void *x, const void *y) {
    const place *a = x, *b = y;
    int c = compare_parent(a, b);
    return c ? c : (a->rank > b->rank) - (a->rank < b->rank);
}

static int by_order(const void *x, const void *y) {
    const place *a = x, *b = y;
    return (a->element->order > b->element->order) - (a->element->order < b->element->order);
}

/* For each OpenSim owner whose children do not stand in the order of the lists: their names. */
static void write_order(members *m, const fb_model *model) {
    size_t n = 0, total = 0;
    for (int i = 0; i < FB_LIST_COUNT; i++) {
        total += model->lists[i].n;
    }
    place *places = fb_alloc((total + 1) * sizeof *places);
    if (!places) {
        m->out->failed = 2;
        return;
    }
    for (int i = 0; i < FB_LIST_COUNT; i++) {
        for (size_t j = 0; j < model->lists[i].n; j++) {
            const fb_element *element = model->lists[i].items[j];
            places[n] = (place){element, (size_t)(fb_path_name(element->path) - element->path), n};
            n++;
        }
    }
    qsort(places, n, sizeof *places, by_rank);
    bool open = false;
    for (size_t first = 0, last; first < n; first = last) {
        bool sorted = true;
        for (last = first + 1; last < n && same_parent(&places[first], &places[last]); last++) {
            sorted = sorted && places[last - 1].element->order <= places[last].element->order;
        }
        if (sorted) {
            continue;
        }
        qsort(places + first, last - first, sizeof *places, by_order);
        if (!open) {
            key(m, "order");
        }
        fb_text_puts(m->out, open ? "," : "{");
        open = true;
        indent(m->out, m->depth + 2);
        fb_text_add(m->out, "\"", 1);
        const char *path = places[first].element->path;
        size_t length = places[first].parent > 1 ? places[first].parent - 1 : 1;
        for (size_t i = 0; i < length; i++) {
            if (path[i] == '"' || path[i] == '\\') {
                fb_text_add(m->out, "\\", 1);
            }
            fb_text_add(m->out, path + i, 1);
        }
        fb_text_puts(m->out, "\": [");
        for (size_t i = first; i < last; i++) {
            if (i > first) {
                fb_text_add(m->out, ", ", 2);
            }
            fb_json_string(m->out, fb_path_name(places[i].element->path));
        }
        fb_text_add(m->out, "]", 1);
    }
    if (open) {
        indent(m->out, m->depth + 1);
        fb_text_add(m->out, "}", 1);
    }
    fb_free(places);
}

/* ---- the document --------------------------------------------------------------------------- */

static bool always_written(const char *list) {
    return strcmp(list, "bodies") == 0 || strcmp(list, "joints") == 0 ||
           strcmp(list, "muscles") == 0;
}

static void write_groups(members *m, const fb_model *model) {
    if (model->n_groups == 0) {
        return;
    }
    key(m, "groups");
    fb_text_add(m->out, "[", 1);
    for (size_t i = 0; i < model->n_groups; i++) {
        const fb_group *group = &model->groups[i];
        if (i) {
            fb_text_add(m->out, ",", 1);
        }
        indent(m->out, 2);
        members one = {m->out, 2, true, 0};
        fb_text_add(m->out, "{", 1);
        string_member(&one, "name", group->name);
        string_member(&one, "set", group->set);
        key(&one, "members");
        fb_text_add(m->out, "[", 1);
        for (int j = 0; j < group->n_members; j++) {
            if (j) {
                fb_text_add(m->out, ", ", 2);
            }
            fb_json_string(m->out, group->members[j]);
        }
        fb_text_puts(m->out, "]}");
    }
    indent(m->out, 1);
    fb_text_add(m->out, "]", 1);
}

static void write_shared_comments(members *m, const fb_model *model) {
    if (!model->shared_comments) {
        return;
    }
    key(m, "property_comments");
    members one = {m->out, 1, false, 0};
    fb_text_add(m->out, "{", 1);
    for (const fb_comment *c = model->shared_comments; c; c = c->next) {
        string_member(&one, c->before, c->text);
    }
    indent(m->out, 1);
    fb_text_add(m->out, "}", 1);
}

static void write_steps(members *m, const fb_model *model) {
    key(m, "steps");
    fb_text_add(m->out, "[", 1);
    for (size_t i = 0; i < model->n_steps; i++) {
        if (i) {
            fb_text_add(m->out, ",", 1);
        }
        indent(m->out, 2);
        fb_text_puts(m->out, model->steps[i]);
    }
    if (model->n_steps) {
        indent(m->out, 1);
    }
    fb_text_add(m->out, "]", 1);
}

void fb_document_write(const fb_model *model, fb_text *out) {
    members m = {out, 0, false, 0};
    fb_text_add(out, "{", 1);
    string_member(&m, "fb", FB_DOCUMENT_VERSION);
    string_member(&m, "name", model->root->name);
    if (model->source_version) {
        key(&m, "source");
        fb_text_printf(out, "{\"format\": \"osim\", \"version\": %d}", model->source_version);
    }
    write_fields(&m, model->root);
    key(&m, "ground");
    members ground = {out, 1, is_flat(model->ground), 0};
    fb_text_add(out, "{", 1);
    string_member(&ground, "name", "ground");
    write_fields(&ground, model->ground);
    if (!ground.flat) {
        indent(out, 1);
    }
    fb_text_add(out, "}", 1);
    for (int i = 0; i < FB_LIST_COUNT; i++) {
        if (model->lists[i].n == 0 && !always_written(fb_lists[i])) {
            continue;
        }
        key(&m, fb_lists[i]);
        write_objects(out, model->lists[i].items, model->lists[i].n, 1);
    }
    write_groups(&m, model);
    write_order(&m, model);
    write_shared_comments(&m, model);
    write_steps(&m, model);
    fb_text_puts(out, "\n}\n");
}
