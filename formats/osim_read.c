/* From the tree of an OpenSim document in its newest form to the model, by the class tables. */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "formats/osim_extra.h"
#include "formats/osim_read.h"
#include "libcore/base/number.h"
#include "libcore/model/tree.h"

static fb_element *read_object(fb_osim_reader *r, fb_xml_node *node, const fb_class *cls,
                               fb_element *owner, const char *path);
static void read_children(fb_osim_reader *r, fb_xml_node *holder, fb_element *owner,
                          const char *path);

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

/* A name that a component path can hold. */
static const char *without_slash(fb_osim_reader *r, const fb_xml_node *node, const char *given) {
    char *name = fb_arena_dup(&r->scratch, given + strspn(given, " \t\r\n"));
    size_t n = strlen(name);
    while (n > 0 && strchr(" \t\r\n", name[n - 1])) {
        name[--n] = 0;
    }
    bool dots = strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
    for (char *c = name; *c; c++) {
        if (*c == '/' || dots || strchr("\t\r\n", *c)) {
            *c = '_';
        }
    }
    if (!*name) {
        name = fb_arena_dup(&r->scratch, "_");
    }
    if (strcmp(name, given) != 0) {
        fb_diag_add(r->diag, FB_WARNING, FB2204, fb_osim_place(node, NULL),
                    "references to it by the old name are not found",
                    "the name '%s' becomes '%s': component paths cannot hold it", given, name);
    }
    return name;
}

/* True if an object of the class can be the field's: the curves of muscles are functions too. */
static bool fits(const fb_class *cls, const fb_field *field) {
    return cls && (cls->family == field->family ||
                   (field->family == FB_FUNCTION && cls->family == FB_CURVE));
}

static fb_element *read_owned(fb_osim_reader *r, fb_xml_node *node, fb_element *owner,
                              const fb_field *field) {
    const fb_class *cls = fb_class_find(node->tag);
    bool right = fits(cls, field);
    const char *name = node->name;
    node->name = own_name(node, field);
    if (right && cls->family == FB_COORDINATE && node->name) {
        node->name = without_slash(r, node, node->name);
    }
    fb_element *object = right ? read_object(r, node, cls, owner, NULL)
                               : fb_osim_keep_object(r, node, owner, NULL);
    node->name = name;
    if (field->type == FB_OBJECTS) {
        fb_osim_note_comments(r, object, NULL, node->comments);
    }
    return object;
}

/* The nodes of the objects in a field's element: <objects> of a set, or its children. */
static fb_xml_node *object_nodes(const fb_xml_node *node) {
    const fb_xml_node *set = fb_xml_child(node, "objects");
    return set ? set->first : node->first;
}

static void read_objects(fb_osim_reader *r, fb_xml_node *node, fb_element *element,
                         const fb_field *field, fb_value *value) {
    fb_list list = {0};
    for (int i = 0; i < value->n; i++) {
        FB_PUSH(&r->scratch, list.items, list.n, list.capacity, value->as.objects[i]);
    }
    if (fb_xml_child(node, "objects")) {
        fb_osim_note_rest(r, node, element, true);
    } else {
        fb_osim_note_attributes(r, node, element);
    }
    for (fb_xml_node *one = object_nodes(node); one; one = one->next) {
        if (fb_osim_is(one, "groups") || fb_osim_is(one, "objects")) {
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
    return fits(fb_class_find(node->tag), field);
}

static void read_field(fb_osim_reader *r, fb_xml_node *node, fb_element *element, int index) {
    const fb_field *field = &element->cls->fields[index];
    fb_value *value = &element->values[index];
    if (value->present && field->type != FB_OBJECTS) {
        size_t n;
        const char *xml = fb_osim_source(r, node, &n);
        fb_element_add_kept(r->model, element, xml, n);
        fb_diag_add(r->diag, FB_KEPT, FB2003, fb_osim_place(node, element),
                    "the first one counts; the other is written back word for word",
                    "%s: <%s> is given twice", fb_osim_who(r, element), node->tag);
        return;
    }
    if (field->type == FB_OBJECTS) {
        fb_osim_note_inside(r, element, node, field->tag);
        read_objects(r, node, element, field, value);
    } else if (field->type == FB_OBJECT) {
        bool itself = is_object_itself(node, field) || !fb_osim_is(node, field->tag);
        fb_xml_node *one = itself ? node : object_nodes(node);
        if (!one) {
            return;
        }
        if (!itself) {
            fb_osim_note_attributes(r, node, element);
            fb_osim_note_inside(r, element, node, field->tag);
            fb_osim_note_comments(r, element, field->tag, one->comments);
        }
        value->as.object = read_owned(r, one, element, field);
        value->n = 1;
        value->present = true;
        if (!itself && one->next) {
            for (fb_xml_node *more = one->next; more; more = more->next) {
                if (!fb_osim_is(more, "groups")) {
                    fb_osim_keep_property(r, element, more);
                }
            }
        }
    } else {
        fb_osim_note_attributes(r, node, element);
        fb_osim_note_inside(r, element, node, field->tag);
        fb_osim_read_value(r, node, element, field, value);
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
            fits(other, &cls->fields[i]) && !element->values[i].present) {
            return i;
        }
    }
    return -1;
}

/* ---- objects -------------------------------------------------------------------------------- */

static void check_required(fb_osim_reader *r, const fb_xml_node *node, fb_element *element) {
    for (int i = 0; i < element->cls->n_fields; i++) {
        const fb_field *field = &element->cls->fields[i];
        if (field->flags & FB_REQUIRED && !element->values[i].present && field->type != FB_REF &&
            field->type != FB_REFS) {
            fb_diag_add(r->diag, FB_WARNING, FB2105, fb_osim_place(node, element),
                        "OpenSim does without at its own risk", "%s: <%s> must be given",
                        fb_osim_who(r, element), field->tag);
        }
    }
}

/* Children of components that are components of their own: they go to the model's lists. */
static bool read_owned_components(fb_osim_reader *r, fb_xml_node *child, fb_element *element) {
    bool list = fb_osim_is(child, "components") || fb_osim_is(child, "frames");
    if (!list && !fb_osim_is(child, "WrapObjectSet") && !fb_osim_is(child, "FrameSet")) {
        return false;
    }
    const char *base = element->path && element->path[1] ? element->path : "";
    const char *path = list || fb_osim_is(child, "FrameSet")
                           ? base
                           : fb_arena_printf(&r->scratch, "%s/wrapobjectset", base);
    fb_xml_node *objects = fb_xml_child(child, "objects");
    if (element->path) {
        if (objects) {
            fb_osim_note_rest(r, child, element, true);
        } else {
            fb_osim_note_attributes(r, child, element);
        }
        read_children(r, objects ? objects : child, element, path);
    } else {
        fb_osim_keep_property(r, element, child);
    }
    return true;
}

/* The tag that the writer gives a child of an object, NULL if none. */
static const char *written_tag(const fb_element *element, const fb_xml_node *child, int index) {
    if (index >= 0) {
        return element->cls->fields[index].tag;
    }
    if (fb_osim_is(child, "components") || fb_osim_is(child, "frames")) {
        return fb_owns_frames(element) ? "frames" : "components";
    }
    if (fb_osim_is(child, "WrapObjectSet")) {
        return "WrapObjectSet";
    }
    return child->first || child->text_length ? child->tag : NULL; /* kept, if it says anything */
}

static fb_element *read_object(fb_osim_reader *r, fb_xml_node *node, const fb_class *cls,
                               fb_element *owner, const char *path) {
    fb_element *element = fb_element_new(r->model, cls, node->name);
    element->owner = owner;
    element->path = path;
    element->line = node->line;
    element->file = fb_osim_file(r, node);
    for (fb_xml_node *child = node->first; child; child = child->next) {
        int index = find_field(element, child);
        fb_osim_note_property(r, element, child, written_tag(element, child, index));
        if (index >= 0) {
            read_field(r, child, element, index);
        } else if (!read_owned_components(r, child, element)) {
            fb_osim_keep_property(r, element, child);
        }
    }
    fb_osim_note_comments(r, element, "", node->end_comments);
    fb_osim_note_attributes(r, node, element);
    if (cls->family == FB_JOINT) {
        fb_joint_complete(r->model, element);
    }
    fb_element_defaults(r->model, element);
    check_required(r, node, element);
    return element;
}

static const char *lower_case(fb_osim_reader *r, const char *text) {
    char *lower = fb_arena_dup(&r->scratch, text);
    for (char *c = lower; *c; c++) {
        *c = (char)tolower((unsigned char)*c);
    }
    return lower;
}

/* Children that live in the model's lists. `path` is where: "/forceset",
 * "/bodyset/femur/wrapobjectset". */
static void read_children(fb_osim_reader *r, fb_xml_node *holder, fb_element *owner,
                          const char *path) {
    for (fb_xml_node *node = holder->first; node; node = node->next) {
        const fb_class *cls = fb_class_find(node->tag);
        if (fb_osim_is(node, "groups")) {
            continue;
        }
        const char *name = node->name && *node->name ? node->name : NULL;
        const char *given = name ? name : lower_case(r, node->tag);
        if (name) {
            given = name = without_slash(r, node, name);
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
            element = fb_osim_keep_object(r, node, NULL, full);
            if (!element->name) {
                element->name = fb_arena_dup(&r->model->arena, given);
            }
        }
        element->order = order;
        fb_osim_note_comments(r, element, NULL, node->comments);
        fb_list *list = fb_model_list(r->model, element->cls->list);
        FB_PUSH(&r->model->arena, list->items, list->n, list->capacity, element);
    }
    if (owner) {
        fb_osim_note_comments(r, owner, "", holder->end_comments);
    }
}

/* ---- the model ------------------------------------------------------------------------------ */

static void read_groups(fb_osim_reader *r, const fb_xml_node *groups, const char *path) {
    fb_model *model = r->model;
    for (const fb_xml_node *node = groups ? groups->first : NULL; node; node = node->next) {
        if (!fb_osim_is(node, "ObjectGroup")) {
            fb_diag_add(r->diag, FB_IGNORED, FB2001, fb_osim_place(node, NULL), NULL,
                        "<%s> among the groups of %s is not a group", node->tag, path);
            continue;
        }
        const fb_xml_node *members = fb_xml_child(node, "members");
        if (members) {
            fb_osim_note_attributes(r, members, NULL);
        }
        fb_osim_note_attributes(r, node, NULL);
        for (const fb_xml_node *child = node->first; child; child = child->next) {
            if (child != members) {
                fb_diag_add(r->diag, FB_IGNORED, FB2002, fb_osim_place(child, NULL), NULL,
                            "a group has no property <%s>", child->tag);
            }
        }
        fb_group group = {.set = fb_arena_dup(&model->arena, path),
                          .name = fb_arena_dup(&model->arena, node->name ? node->name : "")};
        int n = 0;
        group.members = fb_osim_read_words(r, members ? members->text : "", &n);
        group.n_members = n;
        FB_PUSH(&model->arena, model->groups, model->n_groups, model->capacity_groups, group);
    }
}

static void read_set(fb_osim_reader *r, fb_xml_node *set, const char *path) {
    fb_element *root = r->model->root;
    fb_xml_node *objects = fb_xml_child(set, "objects");
    bool plain = fb_osim_is(set, "components");
    fb_osim_note_inside(r, root, set, plain ? "components" : set->tag);
    if (objects) {
        objects->end_comments = NULL;
    }
    if (plain || objects) {
        read_children(r, plain ? set : objects, NULL, path);
    }
    read_groups(r, fb_xml_child(set, "groups"), path);
    if (plain) {
        fb_osim_note_attributes(r, set, NULL);
    } else {
        fb_osim_note_rest(r, set, NULL, false);
    }
}

static const char *set_path(const fb_xml_node *node) {
    for (const fb_set *set = fb_sets; set->tag; set++) {
        if (fb_osim_is(node, set->tag)) {
            return set->path;
        }
    }
    return fb_osim_is(node, "FrameSet") ? "" : NULL; /* before 30512 */
}

static void read_model(fb_osim_reader *r, fb_xml_node *node) {
    fb_model *model = r->model;
    fb_element *root = model->root;
    root->name = fb_arena_dup(&model->arena, node->name ? node->name : "");
    root->line = node->line;
    bool has_ground = false;
    fb_osim_note_attributes(r, node, root);
    if (node->parent) {
        fb_osim_note_comments(r, root, NULL, node->parent->comments);
    }
    fb_osim_note_comments(r, root, NULL, node->comments);
    for (fb_xml_node *child = node->first; child; child = child->next) {
        const char *path = set_path(child);
        int index = find_field(root, child);
        fb_osim_note_property(r, root, child,
                              path && fb_osim_is(child, "FrameSet") ? "components"
                              : path || fb_osim_is(child, "Ground")
                                  ? child->tag
                                  : written_tag(root, child, index));
        if (path) {
            read_set(r, child, path);
        } else if (fb_osim_is(child, "Ground") && has_ground) {
            fb_osim_keep_property(r, root, child);
        } else if (fb_osim_is(child, "Ground")) {
            has_ground = true;
            fb_element *ground = read_object(r, child, fb_class_find("Ground"), NULL, "/ground");
            ground->name = "ground";
            model->ground = ground;
        } else if (index >= 0) {
            read_field(r, child, root, index);
        } else {
            fb_osim_keep_property(r, root, child);
        }
    }
    fb_osim_note_comments(r, root, "", node->end_comments);
    if (node->parent) {
        fb_osim_note_comments(r, root, "", node->parent->end_comments);
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

static fb_status read_document(fb_osim_reader *r, const fb_osim_options *options) {
    fb_status status = fb_osim_include(r->xml, options, r->diag);
    if (status != FB_OK) {
        return status;
    }
    r->version = fb_osim_version(r->xml, r->diag);
    if (r->version < 0) {
        return FB_E_INPUT;
    }
    fb_osim_apply_defaults(r->xml, r->diag);
    status = fb_osim_add_forces(r->xml, options, r->diag);
    if (status != FB_OK) {
        return status;
    }
    fb_osim_upgrade(r->xml, r->version, r->diag);
    fb_xml_node *root = r->xml->root;
    fb_xml_node *node = fb_osim_is(root, "Model") ? root : fb_xml_child(root, "Model");
    r->model->source_version = r->version;
    for (const fb_xml_node *child = root == node ? NULL : root->first; child; child = child->next) {
        if (child != node && !fb_osim_is(child, "defaults")) {
            fb_diag_add(r->diag, FB_IGNORED, FB2002, fb_osim_place(child, NULL), NULL,
                        "a document holds one <Model>; this <%s> is left out", child->tag);
        }
    }
    if (root != node) {
        fb_osim_note_attributes(r, root, NULL);
    }
    const char *extra = fb_osim_find_extra(r->xml);
    r->from_fb = extra != NULL;
    if (extra) {
        fb_osim_read_extra_first(r->model, extra, r->diag);
    }
    read_model(r, node);
    if (extra) {
        fb_osim_read_links(r->model, extra, r->diag);
    }
    fb_osim_settle_comments(r);
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

/* Reads a document; comes back here when memory runs out. */
static fb_status guard(fb_osim_reader *r, const char *file, const fb_osim_options *options) {
    jmp_buf oom;
    if (!r->model) {
        fb_diag_add(r->diag, FB_ERROR, FB1003, (fb_place){file, 0, NULL, NULL}, NULL,
                    "out of memory");
        return FB_E_MEMORY;
    }
    if (setjmp(oom)) {
        fb_diag_add(r->diag, FB_ERROR, FB1003, (fb_place){file, 0, NULL, NULL}, NULL,
                    "out of memory");
        return FB_E_MEMORY;
    }
    r->xml->arena.oom = r->scratch.oom = r->model->arena.oom = &oom;
    r->model->file = fb_arena_dup(&r->model->arena, file);
    fb_status status = read_document(r, options);
    r->model->arena.oom = NULL;
    return status;
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
    fb_osim_reader r = {.xml = &xml, .diag = diag, .model = fb_model_new()};
    fb_arena_init(&r.scratch);
    r.meant.arena = &r.scratch;
    status = guard(&r, file, options);
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
