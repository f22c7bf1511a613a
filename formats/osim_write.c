/* Writing OpenSim documents from the class tables. */
#include <math.h>
#include <string.h>

#include "formats/osim.h"
#include "formats/osim_extra.h"
#include "libcore/base/number.h"
#include "libcore/model/tree.h"

typedef struct writer {
    const fb_model *model;
    fb_tree tree;
    fb_text *out;
    fb_diag *diag;
    int version;
    int depth;
} writer;

static void write_element(writer *w, const fb_element *element, const char *name, const char *tag);

/* ---- lines and text ------------------------------------------------------------------------- */

static void new_line(writer *w) {
    static const char tabs[] = "\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t";
    int n = w->depth;
    fb_text_add(w->out, "\n", 1);
    fb_text_add(w->out, tabs, (size_t)(n < 20 ? n : 20));
}

static void escape(fb_text *out, const char *text, bool attribute) {
    const char *start = text;
    for (const char *p = text;; p++) {
        const char *entity = *p == '&'                ? "&amp;"
                             : *p == '<'              ? "&lt;"
                             : *p == '>'              ? "&gt;"
                             : *p == '"' && attribute ? "&quot;"
                             : *p == '\r'             ? "&#13;"
                             : (*p == '\n' || *p == '\t') && attribute
                                 ? (*p == '\n' ? "&#10;" : "&#9;")
                                 : NULL;
        if (*p && !entity) {
            continue;
        }
        fb_text_add(out, start, (size_t)(p - start));
        if (!*p) {
            return;
        }
        fb_text_puts(out, entity);
        start = p + 1;
    }
}

static void open_tag(writer *w, const char *tag, const char *name) {
    new_line(w);
    fb_text_add(w->out, "<", 1);
    fb_text_puts(w->out, tag);
    if (name && *name) {
        fb_text_puts(w->out, " name=\"");
        escape(w->out, name, true);
        fb_text_add(w->out, "\"", 1);
    }
    fb_text_add(w->out, ">", 1);
    w->depth++;
}

static void close_tag(writer *w, const char *tag) {
    w->depth--;
    new_line(w);
    fb_text_puts(w->out, "</");
    fb_text_puts(w->out, tag);
    fb_text_add(w->out, ">", 1);
}

static void write_comment(writer *w, const char *text) {
    new_line(w);
    fb_text_puts(w->out, "<!--");
    for (const char *p = text; *p; p++) { /* "--" cannot stand in a comment */
        fb_text_add(w->out, p, 1);
        if (p[0] == '-' && (p[1] == '-' || p[1] == 0)) {
            fb_text_add(w->out, " ", 1);
        }
    }
    fb_text_puts(w->out, "-->");
}

/* ---- comments ------------------------------------------------------------------------------- */

static bool has_comment(const fb_element *element, const char *tag) {
    for (const fb_comment *c = element->comments; c; c = c->next) {
        if (c->before && strcmp(c->before, tag) == 0) {
            return true;
        }
    }
    return false;
}

/* The comments before a tag (NULL: before the element, "": at its end): the one that all elements
 * of the class have there, then those of this element. */
static void write_comments_before(writer *w, const fb_element *element, const char *tag) {
    size_t n = strlen(element->cls->name);
    for (const fb_comment *c = tag && *tag ? w->model->shared_comments : NULL; c; c = c->next) {
        if (strncmp(c->before, element->cls->name, n) == 0 && c->before[n] == '.' &&
            strcmp(c->before + n + 1, tag) == 0) {
            write_comment(w, c->text);
        }
    }
    for (const fb_comment *c = element->comments; c; c = c->next) {
        if (tag ? c->before && strcmp(c->before, tag) == 0 : !c->before) {
            write_comment(w, c->text);
        }
    }
}

/* ---- values --------------------------------------------------------------------------------- */

static void write_number(writer *w, double x) {
    if (isfinite(x)) {
        fb_text_number(w->out, x);
    } else {
        fb_text_puts(w->out, isnan(x) ? "NaN" : x > 0 ? "Inf" : "-Inf");
    }
}

/* A number in OpenSim's unit. */
static double osim_number(const fb_element *element, const fb_field *field, double x) {
    bool always = (field->flags & FB_DEGREES) != 0;
    bool per_degree = (field->flags & FB_PER_DEGREE_IF_ROTATIONAL) != 0;
    bool maybe = per_degree || field->flags & FB_DEGREES_IF_ROTATIONAL;
    if (!always &&
        !(maybe && fb_coordinate_motion(fb_get_target(element, "coordinate")) == FB_ROTATIONAL)) {
        return x;
    }
    /* where radians cannot give the double that was read, it stands beside them */
    for (const fb_extra *extra = element->extras; extra; extra = extra->next) {
        size_t n = strlen(field->key);
        double degrees, radians;
        if (strncmp(extra->key, field->key, n) != 0 || strcmp(extra->key + n, "_in_degrees") != 0 ||
            !fb_number_parse(extra->json, strlen(extra->json), &degrees)) {
            continue;
        }
        if (per_degree) {
            fb_per_degree_to_per_radian(degrees, &radians);
        } else {
            fb_degrees_to_radians(degrees, &radians);
        }
        if (radians == x) {
            return degrees;
        }
    }
    return per_degree ? fb_per_radian_to_per_degree(x) : fb_radians_to_degrees(x);
}

static void write_ref(writer *w, const fb_field *field, const fb_ref *ref) {
    if (!ref->target) {
        escape(w->out, ref->text, false);
    } else if (field->flags & FB_SOCKET && strcmp(field->tag, "socket_actuators") != 0) {
        escape(w->out, ref->target->path, false);
    } else {
        escape(w->out, fb_osim_name(ref->target), false);
    }
}

/* A list of names is split at white space by whoever reads it. */
static void check_listed(writer *w, const fb_element *element, const fb_field *field,
                         const fb_ref *ref) {
    const char *name = ref->target ? fb_osim_name(ref->target) : ref->text;
    if (field->type == FB_REFS && !(field->flags & FB_SOCKET) && strpbrk(name, " \t\r\n")) {
        fb_diag_add(w->diag, FB_APPROXIMATED, FB2502,
                    (fb_place){element->file ? element->file : w->model->file,
                               fb_element_line(element), element->path, element->cls->name},
                    "OpenSim will look for other names",
                    "<%s> is a list, and the name '%s' in it has white space", field->tag, name);
    }
}

static void write_simple(writer *w, const fb_element *element, const fb_field *field,
                         const fb_value *value) {
    for (int i = 0; i < value->n; i++) {
        if (i) {
            fb_text_add(w->out, " ", 1);
        }
        switch (field->type) {
        case FB_BOOL: fb_text_puts(w->out, value->as.truth ? "true" : "false"); break;
        case FB_INT: fb_text_printf(w->out, "%d", value->as.integer); break;
        case FB_NUMBER: write_number(w, osim_number(element, field, value->as.number)); break;
        case FB_VECTOR:
        case FB_NUMBERS: write_number(w, value->as.numbers[i]); break;
        case FB_STRING:
        case FB_CHOICE: escape(w->out, value->as.string, false); break;
        case FB_STRINGS: escape(w->out, value->as.strings[i], false); break;
        case FB_REF:
        case FB_REFS:
            check_listed(w, element, field, &value->as.refs[i]);
            write_ref(w, field, &value->as.refs[i]);
            break;
        default: break;
        }
    }
}

static void write_kept_object(writer *w, const fb_element *kept) {
    new_line(w);
    fb_text_puts(w->out, fb_get_string(kept, "xml") ? fb_get_string(kept, "xml") : "");
}

/* OpenSim has no virtual links: a point at one is fixed where the link begins. A link has the
 * fields of a fixed point. */
static void write_link_point(writer *w, const fb_element *point, const fb_element *link,
                             const char *name) {
    fb_element fixed = *point;
    fixed.cls = fb_class_find("PathPoint");
    fixed.values = link->values;
    write_element(w, &fixed, name, NULL);
}

static void tell_links(writer *w) {
    const fb_list *links = fb_model_items(w->model, "virtual_links");
    for (size_t i = 0; i < links->n; i++) {
        const fb_element *link = links->items[i], *frame = fb_get_target(link, "frame");
        fb_diag_add(w->diag, FB_APPROXIMATED, FB2503,
                    (fb_place){w->model->file, link->line, link->path, link->cls->name},
                    "in OpenSim they do not pull on each other; osim2fb reads the link back",
                    "OpenSim has no virtual link: the wires that meet at '%s' end at a point fixed "
                    "to '%s'",
                    link->name, frame ? frame->name : "");
    }
}

static void write_owned(writer *w, const fb_element *object, const char *name) {
    const fb_element *link = fb_get_target(object, "virtual_link");
    if (link) {
        write_link_point(w, object, link, name);
    } else if (object->cls == &fb_class_kept) {
        write_kept_object(w, object);
    } else {
        write_element(w, object, name, NULL);
    }
}

/* The tag that a set of objects stands in, and its name. */
static const char *set_tag(const fb_field *field, const char **name) {
    *name = NULL;
    if (field->family == FB_FUNCTION) {
        *name = field->tag;
        return "FunctionSet";
    }
    if (field->family == FB_CONTACT_PARAMETERS) {
        *name = field->key;
    }
    return field->tag;
}

static void write_objects(writer *w, const fb_field *field, const fb_value *value) {
    const char *name = NULL;
    bool set = field->shape == FB_SET;
    const char *tag = set ? set_tag(field, &name) : field->tag;
    open_tag(w, tag, name);
    if (set) {
        open_tag(w, "objects", NULL);
    }
    for (int i = 0; i < value->n; i++) {
        const fb_element *object = value->as.objects[i];
        static const char *const axes[] = {"rotation1",    "rotation2",    "rotation3",
                                           "translation1", "translation2", "translation3"};
        bool axis = object->cls->family == FB_TRANSFORM_AXIS && i < 6;
        write_comments_before(w, object, NULL);
        const char *own = object->name && object->cls->family == FB_COORDINATE
                              ? fb_path_name(object->name)
                              : object->name;
        write_owned(w, object, own ? own : axis ? axes[i] : NULL);
    }
    if (set) {
        close_tag(w, "objects");
        new_line(w);
        fb_text_puts(w->out, "<groups />");
    }
    close_tag(w, tag);
}

/* True of a kept object whose XML does not say by its name which property it is. */
static bool kept_without(const fb_element *object, const char *name) {
    const char *xml = object->cls == &fb_class_kept ? fb_get_string(object, "xml") : NULL;
    if (!xml) {
        return false;
    }
    size_t n = strcspn(xml, ">"), m = strlen(name);
    for (const char *at = xml; (at = strstr(at, "name=")) != NULL && at < xml + n; at += 5) {
        if (at > xml && strchr(" \t\r\n", at[-1]) && strncmp(at + 6, name, m) == 0 &&
            (at[6 + m] == '"' || at[6 + m] == '\'')) {
            return false;
        }
    }
    return true;
}

static void write_object(writer *w, const fb_field *field, const fb_element *object) {
    if (field->shape == FB_WRAPPED ||
        (field->shape == FB_BY_NAME && kept_without(object, field->tag))) {
        open_tag(w, field->tag, NULL);
        write_owned(w, object, object->name);
        close_tag(w, field->tag);
    } else {
        write_owned(w, object, field->shape == FB_BY_NAME ? field->tag : object->name);
    }
}

static void write_field(writer *w, const fb_element *element, const fb_field *field,
                        const fb_value *value) {
    bool geometry = element->cls->family == FB_GEOMETRY && strcmp(field->key, "frame") == 0;
    bool commented = has_comment(element, field->tag);
    if (field->tag[0] == '#') {
        return;
    }
    if (!value->present || (field->type == FB_REFS && value->n == 0)) {
        if (!geometry && !commented) {
            return;
        }
    } else if (field->flags & FB_BRIEF && !commented && fb_value_is_default(field, value)) {
        return;
    }
    const char *tag = field->tag;
    if (strcmp(tag, "socket_actuators") == 0 && w->version < 40600) {
        tag = "actuator_list";
    }
    write_comments_before(w, element, field->tag);
    if (!value->present && !geometry) {
        new_line(w); /* a comment without a value */
        fb_text_printf(w->out, "<%s />", tag);
        return;
    }
    if (field->type == FB_OBJECT) {
        write_object(w, field, value->as.object);
    } else if (field->type == FB_OBJECTS) {
        write_objects(w, field, value);
    } else {
        new_line(w);
        fb_text_printf(w->out, "<%s>", tag);
        if (geometry && !value->present) {
            fb_text_puts(w->out, ".."); /* its owner */
        } else {
            write_simple(w, element, field, value);
        }
        fb_text_printf(w->out, "</%s>", tag);
    }
}

/* ---- what a version lacks ------------------------------------------------------------------- */

static const struct {
    const char *cls;
    int since;
} newer[] = {
    {"FunctionBasedPath", 40500},
    {"StationDefinedFrame", 40500},
    {"ExpressionBasedPathForce", 40500},
    {"ExpressionBasedFunction", 40500},
    {"ConstantCurvatureJoint", 40500},
    {"ActuatorInputController", 40500},
    {"SynergyController", 40500},
    {"Scholz2015GeometryPath", 40600},
    {"ExponentialContactForce", 40600},
    {"CantileverFreeBeamJoint", 40600},
    {"ContactCylinder", 40600},
    {"ContactEllipsoid", 40600},
    {"ContactTorus", 40600},
    {"MeyerFregly2016Force", 40500},
};

static void check_version(writer *w, const fb_element *element) {
    for (size_t i = 0; i < sizeof newer / sizeof newer[0]; i++) {
        if (newer[i].since > w->version && strcmp(newer[i].cls, element->cls->name) == 0) {
            const fb_element *component = element;
            while (component->owner && !component->path) {
                component = component->owner;
            }
            fb_diag_add(w->diag, FB_APPROXIMATED, FB2501,
                        (fb_place){element->file ? element->file : w->model->file,
                                   fb_element_line(element), component->path, element->cls->name},
                        "it is written all the same; that version of OpenSim does not know it",
                        "%s '%s': the class came with document version %d, and %d is written",
                        element->cls->name, component->name ? component->name : "", newer[i].since,
                        w->version);
        }
    }
}

/* ---- elements ------------------------------------------------------------------------------- */

static bool has_children(const writer *w, const char *path) {
    const fb_table_entry *at = NULL;
    return fb_tree_next(&w->tree, path, &at) != NULL;
}

/* The components that another owns: in <tag>, or its <objects>. */
static void write_children(writer *w, const fb_element *owner, const char *path, const char *tag,
                           const char *name, bool set) {
    bool commented = owner && has_comment(owner, tag);
    if (!has_children(w, path) && !commented) {
        return;
    }
    if (owner) {
        write_comments_before(w, owner, tag);
    }
    open_tag(w, tag, name);
    if (set) {
        open_tag(w, "objects", NULL);
    }
    const fb_table_entry *at = NULL;
    const fb_element *child;
    while ((child = fb_tree_next(&w->tree, path, &at)) != NULL) {
        write_comments_before(w, child, NULL);
        write_owned(w, child, fb_osim_name(child));
    }
    if (set) {
        close_tag(w, "objects");
    }
    close_tag(w, tag);
}

static bool is_kept_tag(const fb_kept_xml *kept, const char *tag) {
    size_t n = strlen(tag);
    return kept->xml[0] == '<' && strncmp(kept->xml + 1, tag, n) == 0 &&
           strchr(" \t\r\n/>", kept->xml[1 + n]);
}

static void write_kept(writer *w, const fb_element *element) {
    for (const fb_kept_xml *kept = element->kept; kept; kept = kept->next) {
        for (const fb_comment *c = element->comments; c; c = c->next) {
            if (c->before && *c->before && fb_class_tag(element->cls, c->before) < 0 &&
                is_kept_tag(kept, c->before)) {
                write_comment(w, c->text);
            }
        }
        new_line(w);
        fb_text_puts(w->out, kept->xml);
    }
}

static void write_body(writer *w, const fb_element *element) {
    check_version(w, element);
    for (int i = 0; i < element->cls->n_fields; i++) {
        write_field(w, element, &element->cls->fields[i], &element->values[i]);
    }
    if (element->path) {
        bool frames = fb_owns_frames(element);
        write_children(w, element, element->path, frames ? "frames" : "components", NULL, false);
        if (element->cls->family == FB_BODY || element->cls->family == FB_GROUND ||
            element->cls->family == FB_FRAME) {
            char *path = fb_arena_printf(&w->tree.arena, "%s/wrapobjectset", element->path);
            if (path) {
                write_children(w, element, path, "WrapObjectSet", "wrapobjectset", true);
            } else {
                w->out->failed = 2;
            }
        }
    }
    write_kept(w, element);
    write_comments_before(w, element, "");
}

static void write_element(writer *w, const fb_element *element, const char *name, const char *tag) {
    if (!tag) {
        tag = element->cls->name;
    }
    open_tag(w, tag, name);
    write_body(w, element);
    close_tag(w, tag);
}

/* ---- the document --------------------------------------------------------------------------- */

static bool has_groups(const fb_model *model, const char *path) {
    for (size_t i = 0; i < model->n_groups; i++) {
        if (strcmp(model->groups[i].set, path) == 0) {
            return true;
        }
    }
    return false;
}

static void write_groups(writer *w, const char *path) {
    const fb_model *model = w->model;
    if (!has_groups(model, path)) {
        new_line(w);
        fb_text_puts(w->out, "<groups />");
        return;
    }
    open_tag(w, "groups", NULL);
    for (size_t i = 0; i < model->n_groups; i++) {
        const fb_group *group = &model->groups[i];
        if (strcmp(group->set, path) != 0) {
            continue;
        }
        open_tag(w, "ObjectGroup", group->name);
        new_line(w);
        fb_text_puts(w->out, "<members>");
        for (int j = 0; j < group->n_members; j++) {
            if (j) {
                fb_text_add(w->out, " ", 1);
            }
            escape(w->out, group->members[j], false);
        }
        fb_text_puts(w->out, "</members>");
        close_tag(w, "ObjectGroup");
    }
    close_tag(w, "groups");
}

static void write_set(writer *w, const fb_set *set) {
    const fb_element *root = w->model->root;
    bool plain = set->path[0] == 0;
    if (!has_children(w, set->path) && !has_groups(w->model, set->path) &&
        !has_comment(root, set->tag)) {
        return;
    }
    if (plain) {
        write_children(w, root, "", "components", NULL, false);
        return;
    }
    write_comments_before(w, root, set->tag);
    open_tag(w, set->tag, set->path + 1);
    open_tag(w, "objects", NULL);
    const fb_table_entry *at = NULL;
    const fb_element *child;
    while ((child = fb_tree_next(&w->tree, set->path, &at)) != NULL) {
        write_comments_before(w, child, NULL);
        write_owned(w, child, fb_osim_name(child));
    }
    close_tag(w, "objects");
    write_groups(w, set->path);
    close_tag(w, set->tag);
}

static void write_model(writer *w) {
    const fb_element *root = w->model->root;
    write_comments_before(w, root, NULL);
    open_tag(w, "Model", root->name);
    write_comments_before(w, root, "Ground");
    write_element(w, w->model->ground, "ground", NULL);
    for (int i = 0; i < root->cls->n_fields; i++) {
        write_field(w, root, &root->cls->fields[i], &root->values[i]);
    }
    for (const fb_set *set = fb_sets; set->tag; set++) {
        write_set(w, set);
    }
    write_kept(w, root);
    write_comments_before(w, root, "");
    close_tag(w, "Model");
}

fb_status fb_osim_write(const fb_model *model, int version, fb_text *out, fb_diag *diag) {
    writer w = {.model = model, .out = out, .diag = diag, .version = version, .depth = 1};
    if (fb_tree_init(&w.tree, model) != FB_OK) {
        return FB_E_MEMORY;
    }
    tell_links(&w);
    fb_text_puts(out, "<?xml version=\"1.0\" encoding=\"UTF-8\" ?>\n");
    fb_text_printf(out, "<OpenSimDocument Version=\"%d\">", version);
    write_model(&w);
    fb_osim_write_extra(model, out);
    fb_text_puts(out, "\n</OpenSimDocument>\n");
    fb_tree_clear(&w.tree);
    return out->failed ? FB_E_MEMORY : FB_OK;
}
