#include <stdlib.h>
#include <string.h>

#include "libcore/base/number.h"
#include "formats/json.h"
#include "formats/osim.h"
#include "formats/xml.h"
#include "libcore/base/table.h"

#define MAX_POINTER 512
#define MAX_NESTING 250 /* objects within objects */
#define MOST_LINES 100  /* errors that are told with their line */

typedef struct reader {
    fb_model *model;
    fb_diag *diag;
    const char *bytes, *file;
    size_t size;
    char pointer[MAX_POINTER]; /* JSON pointer of what is being read */
    int depth, errors;
    fb_status status;
} reader;

/* ---- where we are --------------------------------------------------------------------------- */

static size_t enter(reader *r, const char *key) {
    size_t n = strlen(r->pointer), m = strlen(key);
    if (n + m + 2 < MAX_POINTER) {
        r->pointer[n] = '/';
        memcpy(r->pointer + n + 1, key, m + 1);
    }
    return n;
}

static size_t enter_index(reader *r, size_t index) {
    char key[24];
    snprintf(key, sizeof key, "%zu", index);
    return enter(r, key);
}

static void leave(reader *r, size_t n) {
    r->pointer[n] = 0;
}

static int line_here(const reader *r) {
    return fb_json_line(r->bytes, r->size, r->pointer);
}

static void wrong(reader *r, fb_diag_id id, const char *what) {
    r->status = FB_E_INPUT;
    /* finding a line takes a walk through the text */
    int line = r->errors++ < MOST_LINES ? line_here(r) : 0;
    fb_diag_add(r->diag, FB_ERROR, id, (fb_place){r->file, line, NULL, NULL}, NULL, "%s: %s",
                r->pointer[0] ? r->pointer : "the document", what);
}

/* ---- values --------------------------------------------------------------------------------- */

/* The text of a JSON string, in the model's arena; NULL if it is no string. JSON has characters
 * that XML has not; a model with one of them could not be written for OpenSim, and is refused. */
static const char *text_of(reader *r, const json_t *json) {
    const char *text = json_string_value(json);
    for (const unsigned char *p = (const unsigned char *)text; p && *p; p++) {
        if ((*p < 0x20 && !strchr("\t\n\r", *p)) ||
            (p[0] == 0xEF && p[1] == 0xBF && p[2] >= 0xBE)) {
            wrong(r, FB1303,
                  "must have no control character or other character that XML cannot hold");
            break;
        }
    }
    return text ? fb_arena_dup(&r->model->arena, text) : NULL;
}

/* A number, or one of the strings that stand for what JSON has no number for. */
static bool number_of(const json_t *json, double *x) {
    if (json_is_number(json)) {
        *x = json_number_value(json);
        return true;
    }
    const char *text = json_string_value(json);
    if (!text) {
        return false;
    }
    if (strcmp(text, "inf") == 0) {
        *x = FB_INFINITY;
    } else if (strcmp(text, "-inf") == 0) {
        *x = -FB_INFINITY;
    } else if (strcmp(text, "nan") == 0) {
        *x = FB_NAN;
    } else {
        return false;
    }
    return true;
}

/* Without its fraction; 0 for what is no number, or no int. */
static int whole_number(const json_t *json) {
    double x = json_number_value(json);
    return x > -2147483647 && x < 2147483647 ? (int)x : 0;
}

static void read_numbers(reader *r, const json_t *json, const fb_field *field, fb_value *value) {
    size_t n = json_array_size(json);
    if (!json_is_array(json) || (field->type == FB_VECTOR && n != (size_t)field->count)) {
        char what[80];
        snprintf(what, sizeof what,
                 field->type == FB_VECTOR ? "must be a list of %d numbers"
                                          : "must be a list of numbers",
                 field->count);
        wrong(r, FB2102, what);
        return;
    }
    double *x = fb_arena_array(&r->model->arena, n, sizeof *x);
    for (size_t i = 0; i < n; i++) {
        if (!number_of(json_array_get(json, i), &x[i])) {
            size_t at = enter_index(r, i);
            wrong(r, FB1303, "must be a number, or \"nan\", \"inf\", \"-inf\"");
            leave(r, at);
            return;
        }
    }
    *value = (fb_value){.present = true, .n = (int)n, .as.numbers = x};
}

/* Strings of a list, or of one string where the field allows it. */
static const char **read_strings(reader *r, const json_t *json, bool unwrap, int *count) {
    size_t n = unwrap && json_is_string(json) ? 1 : json_array_size(json);
    const char **strings = fb_arena_array(&r->model->arena, n, sizeof *strings);
    if (!json_is_array(json) && !(unwrap && json_is_string(json))) {
        wrong(r, FB1303,
              unwrap ? "must be a string or a list of strings" : "must be a list of strings");
        return NULL;
    }
    for (size_t i = 0; i < n; i++) {
        const json_t *one = json_is_array(json) ? json_array_get(json, i) : json;
        if (!json_is_string(one)) {
            wrong(r, FB1303, "must hold only strings");
            return NULL;
        }
        strings[i] = text_of(r, one);
    }
    *count = (int)n;
    return strings;
}

static fb_element *read_object(reader *r, const json_t *json, const fb_class *cls,
                               fb_element *owner);

/* The class of an owned object of a field. */
static const fb_class *class_of(reader *r, const json_t *json, const fb_field *field) {
    const json_t *type = json_object_get(json, "type");
    const char *name = json_string_value(type);
    if (!json_is_object(json)) {
        wrong(r, FB1303, "must be an object");
        return NULL;
    }
    if (type && !name) {
        wrong(r, FB1303, "\"type\" must be a string");
        return NULL;
    }
    if (name && strcmp(name, "kept") == 0) {
        return &fb_class_kept;
    }
    const fb_class *cls = !name && field->initial ? fb_class_find(field->initial)
                                                  : NULL; /* its class by default */
    if (!cls) {
        cls = fb_class_find_type(NULL, field->family, name);
    }
    if (!cls && field->family == FB_FUNCTION) {
        cls = fb_class_find_type(NULL, FB_CURVE, name);
    }
    for (int i = 0; !cls && fb_lists[i];
         i++) { /* a class that also stands in a list, such as a station */
        cls = fb_class_find_type(fb_lists[i], field->family, name);
    }
    if (!cls) {
        char what[120];
        snprintf(what, sizeof what, "no %s has the type '%.40s'", fb_family_word(field->family),
                 name ? name : "");
        wrong(r, FB1303, what);
    }
    return cls;
}

static void read_value(reader *r, const json_t *json, fb_element *element, const fb_field *field,
                       fb_value *value) {
    fb_arena *arena = &r->model->arena;
    int n = 1;
    switch (field->type) {
    case FB_BOOL:
        if (!json_is_boolean(json)) {
            wrong(r, FB1303, "must be true or false");
            return;
        }
        value->as.truth = json_is_true(json);
        break;
    case FB_INT:
        value->as.integer = whole_number(json);
        if (!json_is_number(json) || json_number_value(json) != value->as.integer) {
            wrong(r, FB1303, "must be a whole number");
            return;
        }
        break;
    case FB_NUMBER:
        if (!number_of(json, &value->as.number)) {
            wrong(r, FB1303, "must be a number, or \"nan\", \"inf\", \"-inf\"");
            return;
        }
        break;
    case FB_VECTOR:
    case FB_NUMBERS: read_numbers(r, json, field, value); return;
    case FB_STRING:
    case FB_CHOICE:
        if (!json_is_string(json)) {
            wrong(r, FB1303, "must be a string");
            return;
        }
        value->as.string = text_of(r, json);
        break;
    case FB_STRINGS:
        value->as.strings = read_strings(r, json, field->flags & FB_UNWRAP, &n);
        if (!value->as.strings) {
            return;
        }
        break;
    case FB_REF: {
        const char *text = text_of(r, json);
        if (!text) {
            wrong(r, FB1303, "must be a name");
            return;
        }
        fb_value_set_refs(r->model, value, &text, 1);
        return;
    }
    case FB_REFS: {
        const char **texts = read_strings(r, json, field->flags & FB_UNWRAP, &n);
        if (texts) {
            fb_value_set_refs(r->model, value, texts, n);
        }
        return;
    }
    case FB_OBJECT: {
        const fb_class *cls = class_of(r, json, field);
        if (!cls) {
            return;
        }
        value->as.object = read_object(r, json, cls, element);
        break;
    }
    case FB_OBJECTS: {
        if (!json_is_array(json)) {
            wrong(r, FB1303, "must be a list");
            return;
        }
        size_t count = json_array_size(json);
        fb_element **items = fb_arena_array(arena, count, sizeof *items);
        for (size_t i = 0; i < count; i++) {
            size_t at = enter_index(r, i);
            const json_t *one = json_array_get(json, i);
            const fb_class *cls = class_of(r, one, field);
            if (cls) {
                items[i] = read_object(r, one, cls, element);
            }
            leave(r, at);
            if (!items[i]) {
                return;
            }
        }
        value->as.objects = items;
        n = (int)count;
        break;
    }
    }
    value->n = n;
    value->present = true;
}

/* ---- objects -------------------------------------------------------------------------------- */

static void read_comments(reader *r, const json_t *json, fb_element *element) {
    for (size_t i = 0; i < json_array_size(json); i++) {
        const json_t *one = json_array_get(json, i);
        const char *text = text_of(r, json_object_get(one, "text"));
        if (!text) {
            wrong(r, FB1303, "a comment must have a \"text\"");
            return;
        }
        fb_element_add_comment(r->model, element, text_of(r, json_object_get(one, "before")), text);
    }
}

/* Kept XML is written as it stands, so it must be one element and nothing else. Its tag, in the
 * model's arena; NULL with an error if it is not. */
static const char *check_kept(reader *r, const char *text) {
    size_t n = strlen(text);
    char *bytes = fb_alloc(n + 1);
    fb_diag diag;
    fb_diag_init(&diag);
    fb_xml xml = {0};
    fb_status status = FB_E_MEMORY;
    if (bytes) {
        memcpy(bytes, text, n + 1);
        status = fb_xml_parse(&xml, bytes, n, r->file, &diag);
    }
    bool whole = status == FB_OK && xml.root->source == xml.bytes && xml.root->source_length == n;
    char tag[120] = "";
    if (whole) {
        snprintf(tag, sizeof tag, "%s", xml.root->tag);
    }
    if (status == FB_OK) {
        fb_xml_free(&xml);
    }
    fb_diag_clear(&diag);
    if (status == FB_E_MEMORY) {
        longjmp(*r->model->arena.oom, 1);
    }
    if (!whole) {
        wrong(r, FB1303, "must be one well-formed XML element");
    }
    return whole ? fb_arena_dup(&r->model->arena, tag) : NULL;
}

/* What is kept has its XML; its class is that of the XML unless it is said. */
static void complete_kept(reader *r, fb_element *element) {
    const char *text = fb_get_string(element, "xml");
    if (!text) {
        wrong(r, FB1303, "is kept, but has no \"xml\"");
        return;
    }
    const char *tag = check_kept(r, text);
    if (tag && !fb_get_string(element, "class")) {
        fb_value_set_string(r->model, fb_value_of(element, "class"), tag);
    }
}

static void read_kept(reader *r, const json_t *json, fb_element *element) {
    for (size_t i = 0; i < json_array_size(json); i++) {
        const char *xml = json_string_value(json_array_get(json, i));
        if (!xml) {
            wrong(r, FB1303, "must be a list of strings");
            return;
        }
        check_kept(r, xml);
        fb_element_add_kept(r->model, element, xml, strlen(xml));
    }
}

static const char *next_key(const void *context, int i) {
    const fb_class *cls = context;
    return i < cls->n_fields ? cls->fields[i].key : NULL;
}

/* A member that is not known travels with its object; one that looks misspelt deserves a word. */
static void suggest_key(reader *r, const fb_class *cls, const char *key) {
    static const char *const known[] = {"note", "bundles", "features"};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (strcmp(key, known[i]) == 0) {
            return;
        }
    }
    const char *meant = strlen(key) > 3 ? fb_nearest_word(key, next_key, cls) : NULL;
    if (meant) {
        fb_diag_add(r->diag, FB_WARNING, FB2002, (fb_place){r->file, line_here(r), NULL, cls->name},
                    "it has no effect; it is kept", "%s: %s has no member '%s'; did you mean '%s'?",
                    r->pointer, cls->name, key, meant);
    }
}

/* One member of an object that is not a field: kept XML, comments, or something unknown. */
static void read_other(reader *r, fb_element *element, const char *key, const json_t *json) {
    bool kept = strcmp(key, "kept") == 0, comments = strcmp(key, "comments") == 0;
    if ((kept || comments) && !json_is_array(json)) {
        wrong(r, FB1303, "must be a list");
    } else if (kept) {
        read_kept(r, json, element);
    } else if (comments) {
        read_comments(r, json, element);
    } else {
        suggest_key(r, element->cls, key);
        fb_element_add_extra(r->model, element, key, fb_json_dump_string(&r->model->arena, json));
    }
}

/* Without white space at its ends and without lines; references in an .osim are trimmed. */
static bool is_trim(const char *name) {
    size_t n = strlen(name);
    return n > 0 && name[0] != ' ' && name[n - 1] != ' ' && !strpbrk(name, "\t\r\n");
}

/* Each of its parts is a name. */
static bool is_place(const char *path) {
    size_t n = strlen(path);
    return n > 1 && path[0] == '/' && path[n - 1] != '/' && !strstr(path, "//") &&
           !strstr(path, "/ ") && !strstr(path, " /") && is_trim(path);
}

static void read_members(reader *r, const json_t *json, fb_element *element) {
    const char *key;
    json_t *member;
    json_object_foreach((json_t *)(size_t)json, key, member) {
        if (strcmp(key, "type") == 0) {
            continue;
        }
        size_t at = enter(r, key);
        int index = fb_class_field(element->cls, key);
        bool text = strcmp(key, "name") == 0 || strcmp(key, "component_path") == 0;
        if (index >= 0 && json_is_null(member)) {
            ; /* no value */
        } else if (index >= 0) {
            read_value(r, member, element, &element->cls->fields[index], &element->values[index]);
        } else if (text && !json_is_string(member)) {
            wrong(r, FB1303, "must be a string");
        } else if (text) {
            *(strcmp(key, "name") == 0 ? &element->name : &element->path) = text_of(r, member);
        } else {
            read_other(r, element, key, member);
        }
        if (strcmp(key, "component_path") == 0 && element->path && !is_place(element->path)) {
            wrong(r, FB1303, "must be a path such as \"/bodyset/femur\"");
        }
        leave(r, at);
    }
}

/* The tables have OpenSim's defaults: those of angles are in degrees. */
static void fill_defaults(reader *r, fb_element *element) {
    bool given[FB_CLASS_FIELDS] = {false};
    for (int i = 0; i < element->cls->n_fields; i++) {
        given[i] = element->values[i].present;
    }
    fb_element_defaults(r->model, element);
    for (int i = 0; i < element->cls->n_fields; i++) {
        fb_value *value = &element->values[i];
        if (!given[i] && value->present && element->cls->fields[i].flags & FB_DEGREES) {
            fb_degrees_to_radians(value->as.number, &value->as.number);
        }
    }
}

static fb_element *read_object(reader *r, const json_t *json, const fb_class *cls,
                               fb_element *owner) {
    fb_element *element = fb_element_new(r->model, cls, NULL);
    element->owner = owner;
    if (++r->depth > MAX_NESTING) {
        wrong(r, FB1303, "objects are nested too deeply");
    } else {
        read_members(r, json, element);
    }
    r->depth--;
    if (cls != &fb_class_kept) {
        fill_defaults(r, element);
    } else {
        complete_kept(r, element);
    }
    return element;
}

/* ---- lists ---------------------------------------------------------------------------------- */

/* Where an element of a list is in OpenSim if its document does not say. */
static void complete_path(reader *r, fb_element *element, const char *list) {
    if (element->path) {
        return;
    }
    const char *set = fb_list_set(list), *name = fb_path_name(element->name);
    if (element->cls->family == FB_WRAP) {
        return; /* its frame says so: once all are read */
    }
    element->path = fb_arena_printf(&r->model->arena, "%s/%s", set, name);
}

static void read_list(reader *r, const json_t *json, const char *list) {
    if (!json_is_array(json)) {
        wrong(r, FB1303, "must be a list");
        return;
    }
    int *lines = fb_arena_array(&r->model->arena, json_array_size(json), sizeof *lines);
    fb_json_item_lines(r->bytes, r->size, list, lines, json_array_size(json));
    for (size_t i = 0; i < json_array_size(json); i++) {
        size_t at = enter_index(r, i);
        const json_t *one = json_array_get(json, i);
        const char *type = json_string_value(json_object_get(one, "type"));
        const fb_class *cls = strcmp(list, "kept") == 0 ? &fb_class_kept
                                                        : fb_class_find_type(list, FB_ANY, type);
        const char *name = json_string_value(json_object_get(one, "name"));
        if (!json_is_object(one)) {
            wrong(r, FB1303, "must be an object");
        } else if (!cls) {
            char what[120];
            snprintf(what, sizeof what,
                     type ? "no such type among %s: '%.40s'" : "%s need a \"type\"", list, type);
            wrong(r, FB1303, what);
        } else if (!name || !*name) {
            wrong(r, FB2204, "must have a \"name\"");
        } else if (!is_trim(name)) {
            wrong(r, FB2204, "its \"name\" must have no white space at its ends, and no lines");
        } else {
            fb_element *element = read_object(r, one, cls, NULL);
            complete_path(r, element, list);
            if (cls->family == FB_JOINT) {
                fb_joint_complete(r->model, element);
            }
            element->line = lines[i];
            fb_list *to = fb_model_list(r->model, list);
            FB_PUSH(&r->model->arena, to->items, to->n, to->capacity, element);
        }
        leave(r, at);
    }
}

bool fb_json_read_list(fb_model *model, const json_t *json, const char *list, fb_diag *diag) {
    reader r = {.model = model, .diag = diag, .bytes = "", .file = diag->file};
    enter(&r, list);
    read_list(&r, json, list);
    return r.status == FB_OK;
}

/* Wrap objects live in OpenSim below the frame that carries them. Where a document says another
 * place, the frame counts: a person has changed it. */
static void complete_wraps(reader *r) {
    static const char *const carriers[] = {"bodies", "frames"};
    fb_list *wraps = fb_model_list(r->model, "wraps");
    fb_arena *arena = &r->model->arena;
    fb_table frames = {.arena = arena};
    for (size_t k = 0; k < 2 && wraps->n; k++) {
        const fb_list *list = fb_model_items(r->model, carriers[k]);
        for (size_t i = 0; i < list->n; i++) {
            fb_table_add(&frames, list->items[i]->name, list->items[i]);
            fb_table_add(&frames, list->items[i]->path, list->items[i]);
        }
    }
    for (size_t i = 0; i < wraps->n; i++) {
        fb_element *wrap = wraps->items[i];
        const fb_value *frame = fb_get(wrap, "frame");
        const fb_element *carrier = frame && frame->n == 1
                                        ? fb_table_find(&frames, frame->as.refs[0].text)
                                        : NULL;
        const char *place = carrier ? carrier->path : "/ground";
        size_t n = strlen(place);
        if (!wrap->path || strncmp(wrap->path, place, n) != 0 ||
            strncmp(wrap->path + n, "/wrapobjectset/", 15) != 0) {
            wrap->path = fb_arena_printf(arena, "%s/wrapobjectset/%s", place,
                                         fb_path_name(wrap->name));
        }
    }
}

static void read_groups(reader *r, const json_t *json) {
    fb_model *model = r->model;
    for (size_t i = 0; i < json_array_size(json); i++) {
        size_t at = enter_index(r, i);
        const json_t *one = json_array_get(json, i);
        const char *name = text_of(r, json_object_get(one, "name"));
        const char *set = text_of(r, json_object_get(one, "set"));
        int n = 0;
        const char **members = NULL;
        if (name && json_object_get(one, "members")) {
            members = read_strings(r, json_object_get(one, "members"), false, &n);
        }
        if (members) {
            fb_group group = {set ? set : "/forceset", name, members, n};
            FB_PUSH(&model->arena, model->groups, model->n_groups, model->capacity_groups, group);
        } else {
            wrong(r, FB1303, "a group must have a \"name\" and a list of \"members\"");
        }
        leave(r, at);
    }
}

/* Elements stand in the order of the lists unless "order" says otherwise. */
static void read_order(reader *r, const json_t *json) {
    fb_model *model = r->model;
    fb_arena scratch;
    fb_arena_init(&scratch);
    fb_table ranks = {.arena = &scratch};
    jmp_buf oom, *outer = model->arena.oom;
    volatile bool failed = false;
    if (setjmp(oom)) {
        failed = true;
    } else {
        scratch.oom = &oom;
        const char *set;
        json_t *names;
        json_object_foreach((json_t *)(size_t)json, set, names) {
            for (size_t i = 0; i < json_array_size(names); i++) {
                const char *name = json_string_value(json_array_get(names, i));
                char *rank = fb_arena_alloc(&scratch, sizeof(size_t));
                memcpy(rank, &i, sizeof i);
                if (name) {
                    fb_table_add(&ranks,
                                 fb_arena_printf(&scratch, "%s/%s",
                                                 strcmp(set, "/") == 0 ? "" : set, name),
                                 rank);
                }
            }
        }
        int order = 1 << 24; /* what "order" does not name comes after what it does */
        for (int i = 0; i < FB_LIST_COUNT; i++) {
            for (size_t j = 0; j < model->lists[i].n; j++) {
                fb_element *element = model->lists[i].items[j];
                const size_t *rank = fb_table_find(&ranks, element->path);
                element->order = rank ? (int)*rank : order++;
            }
        }
    }
    fb_arena_clear(&scratch);
    if (failed && outer) {
        longjmp(*outer, 1);
    }
}

static void read_shared_comments(reader *r, const json_t *json) {
    fb_comment **end = &r->model->shared_comments;
    const char *key;
    json_t *text;
    json_object_foreach((json_t *)(size_t)json, key, text) {
        if (!json_is_string(text)) {
            wrong(r, FB1303, "must hold only strings");
            return;
        }
        *end = fb_arena_alloc(&r->model->arena, sizeof **end);
        (*end)->before = fb_arena_dup(&r->model->arena, key);
        (*end)->text = text_of(r, text);
        end = &(*end)->next;
    }
}

/* ---- the document --------------------------------------------------------------------------- */

static bool is_list(const char *key) {
    for (int i = 0; fb_lists[i]; i++) {
        if (strcmp(fb_lists[i], key) == 0) {
            return true;
        }
    }
    return false;
}

/* "1.0": the major version must be ours. */
static bool check_version(reader *r, const json_t *document) {
    const json_t *member = json_object_get(document, "fb");
    const char *text = json_string_value(member);
    if (!json_is_object(document) || !member) {
        wrong(r, FB1201, "this is JSON, but not a .fb document: it has no member \"fb\"");
        return false;
    }
    size_t at = enter(r, "fb");
    char *end = NULL;
    long major = text ? strtol(text, &end, 10) : 0;
    if (!text || end == text || *end != '.' || major < 1) {
        wrong(r, FB1303, "must be a version such as \"1.0\"");
    } else if (major > 1) {
        wrong(r, FB1302, "the document is of a newer major version than this program reads (1)");
    }
    leave(r, at);
    return r->status == FB_OK;
}

/* What the document's own members must be; false with an error if one is not. */
static bool check_member(reader *r, const char *key, const json_t *json) {
    static const struct {
        const char *key;
        json_type type;
        const char *what;
    } members[] = {
        {"name", JSON_STRING, "must be a string"},
        {"source", JSON_OBJECT, "must be an object"},
        {"ground", JSON_OBJECT, "must be an object"},
        {"model_kept", JSON_ARRAY, "must be a list of strings"},
        {"comments", JSON_ARRAY, "must be a list"},
        {"groups", JSON_ARRAY, "must be a list"},
        {"property_comments", JSON_OBJECT, "must be an object"},
        {"order", JSON_OBJECT, "must be an object"},
        {"steps", JSON_ARRAY, "must be a list"},
    };
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++) {
        if (strcmp(key, members[i].key) == 0 && json_typeof(json) != members[i].type) {
            wrong(r, FB1303, members[i].what);
            return false;
        }
    }
    return true;
}

static void read_member(reader *r, const char *key, const json_t *json) {
    fb_model *model = r->model;
    int index = fb_class_field(model->root->cls, key);
    if (strcmp(key, "fb") == 0 || (index >= 0 && json_is_null(json)) ||
        !check_member(r, key, json)) {
        return;
    }
    if (strcmp(key, "name") == 0) {
        model->root->name = text_of(r, json);
    } else if (strcmp(key, "source") == 0) {
        model->source_version = whole_number(json_object_get(json, "version"));
    } else if (strcmp(key, "ground") == 0) {
        model->ground = read_object(r, json, model->ground->cls, NULL);
        model->ground->name = "ground";
        model->ground->path = "/ground";
        model->ground->line = line_here(r);
    } else if (is_list(key)) {
        read_list(r, json, key);
    } else if (strcmp(key, "model_kept") == 0) {
        read_kept(r, json, model->root);
    } else if (strcmp(key, "groups") == 0) {
        read_groups(r, json);
    } else if (strcmp(key, "property_comments") == 0) {
        read_shared_comments(r, json);
    } else if (strcmp(key, "order") == 0) {
        return; /* when all lists are there */
    } else if (strcmp(key, "steps") == 0) {
        for (size_t i = 0; i < json_array_size(json); i++) {
            fb_model_add_step(model, fb_json_dump_string(&model->arena, json_array_get(json, i)));
        }
    } else if (index >= 0) {
        read_value(r, json, model->root, &model->root->cls->fields[index],
                   &model->root->values[index]);
    } else {
        read_other(r, model->root, key, json);
    }
}

static void read_document(reader *r, const json_t *document) {
    if (!check_version(r, document)) {
        return;
    }
    const char *key;
    json_t *member;
    r->model->root->line = 1;
    json_object_foreach((json_t *)(size_t)document, key, member) {
        size_t at = enter(r, key);
        read_member(r, key, member);
        leave(r, at);
    }
    fb_element_defaults(r->model, r->model->root);
    fb_element_defaults(r->model, r->model->ground);
    if (r->status != FB_OK) {
        return;
    }
    complete_wraps(r);
    read_order(r, json_object_get(document, "order"));
    r->status = fb_model_link(r->model, r->diag);
}

/* Reads a document; comes back here when memory runs out. */
static void guard(reader *r, const json_t *document) {
    jmp_buf oom;
    if (!r->model) {
        fb_diag_add(r->diag, FB_ERROR, FB1003, (fb_place){r->file, 0, NULL, NULL}, NULL,
                    "out of memory");
        r->status = FB_E_MEMORY;
        return;
    }
    if (setjmp(oom)) {
        fb_diag_add(r->diag, FB_ERROR, FB1003, (fb_place){r->file, 0, NULL, NULL}, NULL,
                    "out of memory");
        r->status = FB_E_MEMORY;
        return;
    }
    r->model->arena.oom = &oom;
    r->model->file = fb_arena_dup(&r->model->arena, r->file);
    read_document(r, document);
    r->model->arena.oom = NULL;
}

fb_status fb_document_read(fb_model **model, const char *bytes, size_t size, const char *file,
                           fb_diag *diag) {
    *model = NULL;
    diag->file = file;
    json_t *document = fb_json_parse(bytes, size, file, diag);
    if (!document) {
        return diag->out_of_memory ? FB_E_MEMORY : FB_E_INPUT;
    }
    reader r = {.diag = diag, .bytes = bytes, .size = size, .file = file, .model = fb_model_new()};
    guard(&r, document);
    json_decref(document);
    if (r.status == FB_OK && diag->out_of_memory) {
        r.status = FB_E_MEMORY;
    }
    if (r.status != FB_OK) {
        fb_model_free(r.model);
        return r.status;
    }
    *model = r.model;
    return FB_OK;
}

fb_status fb_model_read(fb_model **model, char *bytes, size_t size, const char *file,
                        size_t max_bytes, fb_diag *diag) {
    size_t i = size >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    while (i < size && strchr(" \t\r\n", bytes[i]) && bytes[i]) {
        i++;
    }
    if (i < size && (bytes[i] == '{' || bytes[i] == '[')) {
        size_t bom = bytes[0] == (char)0xEF ? 3 : 0;
        fb_status status = fb_document_read(model, bytes + bom, size - bom, file, diag);
        fb_free(bytes);
        return status;
    }
    fb_osim_options options = {.max_bytes = max_bytes};
    return fb_osim_read(model, bytes, size, file, &options, diag);
}
