#include "formats/osim_extra.h"

#include <stdlib.h>
#include <string.h>

#include "formats/json.h"
#include "libcore/base/table.h"

static const char head[] = "fbtools {", begin[] = "\"source_version\":";

bool fb_osim_is_extra(const char *comment) {
    return strncmp(comment, head, sizeof head - 1) == 0 &&
           strncmp(comment + sizeof head - 1, begin, sizeof begin - 1) == 0;
}

const char *fb_osim_find_extra(const fb_xml *xml) {
    for (const fb_xml_comment *c = xml->root->end_comments; c; c = c->next) {
        if (fb_osim_is_extra(c->text)) {
            return c->text + sizeof head - 2;
        }
    }
    return NULL;
}

/* ---- writing -------------------------------------------------------------------------------- */

typedef struct list {
    fb_text *out;
    int n;
} list;

static void separate(list *l) {
    if (l->n++) {
        fb_text_puts(l->out, ",\n");
    }
}

static void write_members(const fb_extra *extras, fb_text *out) {
    fb_text_puts(out, "{");
    for (const fb_extra *extra = extras; extra; extra = extra->next) {
        if (extra != extras) {
            fb_text_puts(out, ", ");
        }
        fb_json_string(out, extra->key);
        fb_text_puts(out, ": ");
        fb_text_puts(out, extra->json);
    }
    fb_text_puts(out, "}");
}

/* An element's members under its address: its component path, or its owner's address with '#', the
 * field's key and the place in the list: "/forceset/TRI#path#points#2". */
static void write_element(list *l, const fb_element *element, const char *address,
                          fb_arena *scratch) {
    if (element->extras) {
        separate(l);
        fb_json_string(l->out, address);
        fb_text_puts(l->out, ": ");
        write_members(element->extras, l->out);
    }
    for (int i = 0; i < element->cls->n_fields; i++) {
        const fb_field *field = &element->cls->fields[i];
        const fb_value *value = &element->values[i];
        if (!value->present || (field->type != FB_OBJECT && field->type != FB_OBJECTS)) {
            continue;
        }
        for (int j = 0; j < value->n; j++) {
            const fb_element *object = field->type == FB_OBJECT ? value->as.object
                                                                : value->as.objects[j];
            char *below = fb_arena_printf(scratch, "%s#%s#%d", address, field->key, j);
            if (!below) {
                l->out->failed = 2;
                return;
            }
            write_element(l, object, below, scratch);
        }
    }
}

/* Virtual links, and which points of paths are on them: OpenSim gets points that are fixed. */
static void write_links(const fb_model *model, fb_text *out, fb_arena *scratch) {
    if (fb_model_items(model, "virtual_links")->n == 0) {
        return;
    }
    fb_text_puts(out, ",\n\"virtual_links\": ");
    fb_document_write_list(model, "virtual_links", out);
    fb_text_puts(out, ",\n\"link_points\": {");
    list l = {out, 0};
    for (int i = 0; i < FB_LIST_COUNT; i++) {
        for (size_t j = 0; j < model->lists[i].n; j++) {
            const fb_element *force = model->lists[i].items[j];
            const fb_element *path = fb_get_object(force, "path");
            const fb_value *points = path ? fb_get(path, "points") : NULL;
            for (int k = 0; points && k < points->n; k++) {
                const fb_element *link = fb_get_target(points->as.objects[k], "virtual_link");
                if (link) {
                    char *address = fb_arena_printf(scratch, "%s#path#0#points#%d", force->path, k);
                    separate(&l);
                    fb_json_string(out, address ? address : "");
                    fb_text_puts(out, ": ");
                    fb_json_string(out, link->name);
                    out->failed = address ? out->failed : 2;
                }
            }
        }
    }
    fb_text_puts(out, "}");
}

/* The JSON text of all that goes into the comment. */
static void write_json(const fb_model *model, fb_text *out) {
    fb_arena scratch;
    fb_arena_init(&scratch);
    fb_text_printf(out, "{\"source_version\": %d,\n\"steps\": [", model->source_version);
    for (size_t i = 0; i < model->n_steps; i++) {
        if (i) {
            fb_text_puts(out, ",\n");
        }
        fb_text_puts(out, model->steps[i]);
    }
    fb_text_puts(out, "]");
    if (model->shared_comments) {
        fb_text_puts(out, ",\n\"property_comments\": {");
        for (const fb_comment *c = model->shared_comments; c; c = c->next) {
            if (c != model->shared_comments) {
                fb_text_puts(out, ",\n");
            }
            fb_json_string(out, c->before);
            fb_text_puts(out, ": ");
            fb_json_string(out, c->text);
        }
        fb_text_puts(out, "}");
    }
    write_links(model, out, &scratch);
    fb_text_puts(out, ",\n\"elements\": {");
    list l = {out, 0};
    write_element(&l, model->root, "/", &scratch);
    write_element(&l, model->ground, "/ground", &scratch);
    for (int i = 0; i < FB_LIST_COUNT; i++) {
        for (size_t j = 0; j < model->lists[i].n; j++) {
            write_element(&l, model->lists[i].items[j], model->lists[i].items[j]->path, &scratch);
        }
    }
    fb_text_puts(out, "}}");
    fb_arena_clear(&scratch);
}

void fb_osim_write_extra(const fb_model *model, fb_text *out) {
    fb_text json;
    fb_text_init(&json, NULL);
    write_json(model, &json);
    const char *text = fb_text_string(&json);
    if (!text) {
        out->failed = 2;
    } else {
        fb_text_puts(out, "\n\t<!--fbtools ");
        for (const char *p = text; *p; p++) { /* "--" occurs in strings only */
            if (p[0] == '-' && p > text && p[-1] == '-') {
                fb_text_puts(out, "\\u002d");
            } else {
                fb_text_add(out, p, 1);
            }
        }
        fb_text_puts(out, "-->");
    }
    fb_text_free(&json);
}

/* ---- reading -------------------------------------------------------------------------------- */

static json_t *parse(const char *json, fb_diag *diag) {
    return fb_json_parse(json, strlen(json), diag->file, diag);
}

void fb_osim_read_extra_first(fb_model *model, const char *json, fb_diag *diag) {
    json_t *all = parse(json, diag);
    if (!all) {
        return;
    }
    jmp_buf oom, *outer = model->arena.oom;
    if (setjmp(oom)) { /* the JSON must be freed before a jump further out */
        json_decref(all);
        if (outer) {
            longjmp(*outer, 1);
        }
        return;
    }
    model->arena.oom = &oom;
    double version = json_number_value(json_object_get(all, "source_version"));
    model->source_version = version > 0 && version < 1e6 ? (int)version : 0;
    const json_t *steps = json_object_get(all, "steps");
    for (size_t i = 0; i < json_array_size(steps); i++) {
        fb_model_add_step(model, fb_json_dump_string(&model->arena, json_array_get(steps, i)));
    }
    fb_comment **end = &model->shared_comments;
    const char *key;
    json_t *text;
    json_object_foreach(json_object_get(all, "property_comments"), key, text) {
        if (!json_is_string(text)) {
            continue;
        }
        *end = fb_arena_alloc(&model->arena, sizeof **end);
        (*end)->before = fb_arena_dup(&model->arena, key);
        (*end)->text = fb_arena_dup(&model->arena, json_string_value(text));
        end = &(*end)->next;
    }
    model->arena.oom = outer;
    json_decref(all);
}

/* The element below one at "#key#index#key#index", or NULL. */
static fb_element *find_below(fb_element *element, const char *address) {
    while (element && *address == '#') {
        const char *key = address + 1;
        size_t n = strcspn(key, "#");
        const char *index = key[n] == '#' ? key + n + 1 : "";
        char name[64];
        if (n >= sizeof name) {
            return NULL;
        }
        memcpy(name, key, n);
        name[n] = 0;
        int field = fb_class_field(element->cls, name);
        long i = strtol(index, NULL, 10);
        if (field < 0 || !element->values[field].present || i < 0 ||
            i >= element->values[field].n) {
            return NULL;
        }
        fb_type type = element->cls->fields[field].type;
        element = type == FB_OBJECT    ? element->values[field].as.object
                  : type == FB_OBJECTS ? element->values[field].as.objects[i]
                                       : NULL;
        address = index + strcspn(index, "#");
    }
    return element;
}

static fb_element *find(fb_model *model, const fb_table *paths, fb_arena *scratch,
                        const char *address) {
    size_t n = strcspn(address, "#");
    const char *path = fb_arena_text(scratch, address, n);
    fb_element *element = strcmp(path, "/") == 0         ? model->root
                          : strcmp(path, "/ground") == 0 ? model->ground
                                                         : fb_table_find(paths, path);
    return find_below(element, address + n);
}

static void enter_paths(const fb_model *model, fb_table *paths) {
    for (int i = 0; i < FB_LIST_COUNT; i++) {
        for (size_t j = 0; j < model->lists[i].n; j++) {
            fb_table_add(paths, model->lists[i].items[j]->path, model->lists[i].items[j]);
        }
    }
}

/* Puts a fixed point back onto its link, unless somebody has moved it since. */
static void restore_point(fb_model *model, fb_element *point, const char *name, const char *address,
                          fb_diag *diag) {
    const fb_list *links = fb_model_items(model, "virtual_links");
    for (size_t i = 0; name && point && i < links->n; i++) {
        double here[3], first[3];
        if (strcmp(links->items[i]->name, name) == 0 &&
            strcmp(point->cls->name, "PathPoint") == 0 &&
            fb_get_vector(point, "location", here, 3) &&
            fb_get_vector(links->items[i], "location", first, 3) &&
            memcmp(here, first, sizeof here) == 0) {
            point->cls = fb_class_find("link point");
            point->values = fb_arena_array(&model->arena, (size_t)point->cls->n_fields,
                                           sizeof *point->values);
            fb_value_set_refs(model, fb_value_of(point, "virtual_link"), &name, 1);
            return;
        }
    }
    fb_diag_add(diag, FB_IGNORED, FB2201, (fb_place){NULL, 0, address, NULL},
                "what is there stays as it is",
                "'%s' was a point at the virtual link '%s', but is no longer where that begins",
                address, name ? name : "");
}

/* What acts on the JSON of the comment, and may run out of memory. */
typedef void read_part(fb_model *model, const json_t *all, const fb_table *paths, fb_arena *scratch,
                       fb_diag *diag);

static void read_links(fb_model *model, const json_t *all, const fb_table *paths, fb_arena *scratch,
                       fb_diag *diag) {
    const json_t *links = json_object_get(all, "virtual_links");
    const char *address;
    json_t *name;
    if (!links || !fb_json_read_list(model, links, "virtual_links", diag)) {
        return;
    }
    json_object_foreach(json_object_get(all, "link_points"), address, name)
        restore_point(model, find(model, paths, scratch, address), json_string_value(name), address,
                      diag);
}

static void read_members(fb_model *model, const json_t *all, const fb_table *paths,
                         fb_arena *scratch, fb_diag *diag) {
    const char *address, *key;
    json_t *members, *member;
    json_object_foreach(json_object_get(all, "elements"), address, members) {
        fb_element *element = find(model, paths, scratch, address);
        if (!element) {
            fb_diag_add(diag, FB_IGNORED, FB2201, (fb_place){NULL, 0, address, NULL},
                        "the note is lost",
                        "what fbtools noted about '%s' has no place: there is no "
                        "such element any more",
                        address);
        }
        json_object_foreach(element ? members : NULL, key, member)
            fb_element_add_extra(model, element, key, fb_json_dump_string(&model->arena, member));
    }
}

static void read_guarded(fb_model *model, const char *json, read_part *act, fb_diag *diag) {
    json_t *all = parse(json, diag);
    if (!all) {
        return;
    }
    fb_arena scratch;
    fb_arena_init(&scratch);
    jmp_buf oom, *outer = model->arena.oom;
    volatile bool failed = false;
    if (setjmp(oom)) {
        failed = true;
    } else {
        model->arena.oom = scratch.oom = &oom;
        fb_table paths = {.arena = &scratch};
        enter_paths(model, &paths);
        act(model, all, &paths, &scratch, diag);
    }
    model->arena.oom = outer;
    fb_arena_clear(&scratch);
    json_decref(all);
    if (failed && outer) {
        longjmp(*outer, 1);
    }
}

void fb_osim_read_links(fb_model *model, const char *json, fb_diag *diag) {
    read_guarded(model, json, read_links, diag);
}

void fb_osim_read_extra(fb_model *model, const char *json, fb_diag *diag) {
    read_guarded(model, json, read_members, diag);
}
