/* What happens to an OpenSim document before its version matters: included files and defaults. */
#include <string.h>

#include "formats/osim_stages.h"
#include "formats/text.h"
#include "libcore/base/number.h"
#include "libcore/model/class.h"

#define MAX_INCLUDED 64 /* files that one document may include, all levels together */

static fb_place at(const fb_xml_node *node) {
    return (fb_place){node->file, node->line, NULL, node->tag};
}

static const char *next_root(const void *context, int i) {
    static const char *const words[] = {"OpenSimDocument", "Model"};
    (void)context;
    return i < 2 ? words[i] : NULL;
}

int fb_osim_version(const fb_xml *xml, fb_diag *diag) {
    const fb_xml_node *root = xml->root;
    if (strcmp(root->tag, "Model") == 0) {
        return FB_OSIM_OLDEST;
    }
    if (strcmp(root->tag, "OpenSimDocument") != 0) {
        const char *meant = fb_nearest_word(root->tag, next_root, NULL);
        fb_diag_add(diag, FB_ERROR, FB1201, at(root), NULL,
                    "not an OpenSim model: the outermost element is <%s>, not <OpenSimDocument>%s",
                    root->tag, meant ? " (misspelt?)" : "");
        return -1;
    }
    if (!fb_xml_child(root, "Model")) {
        const fb_xml_node *other = root->first;
        fb_diag_add(diag, FB_ERROR, FB1201, at(other ? other : root), NULL,
                    "not an OpenSim model: the document holds %s%s%s, not <Model>",
                    other ? "<" : "nothing", other ? other->tag : "", other ? ">" : "");
        return -1;
    }
    const char *text = fb_xml_attr(root, "Version");
    double version = 0;
    if (!text || !fb_number_parse(text, strlen(text), &version) ||
        !(version >= 0 && version < 1e6)) {
        fb_diag_add(diag, FB_WARNING, FB1202, at(root), "it is read by what it holds",
                    "the document's Version is %s%s%s", text ? "'" : "missing", text ? text : "",
                    text ? "'" : "");
        return FB_OSIM_NEWEST;
    }
    if (version < FB_OSIM_OLDEST || version > FB_OSIM_NEWEST) {
        fb_diag_add(diag, FB_WARNING, FB1202, at(root), "it is read as far as it is understood",
                    "document version %d is %s than any that is known (%d to %d)", (int)version,
                    version < FB_OSIM_OLDEST ? "older" : "newer", FB_OSIM_OLDEST, FB_OSIM_NEWEST);
    }
    return (int)version;
}

/* The next node in document order below `top`. */
static fb_xml_node *next_node(const fb_xml_node *top, fb_xml_node *node, int descend) {
    if (descend && node->first) {
        return node->first;
    }
    while (node != top && !node->next) {
        node = node->parent;
    }
    return node == top ? NULL : node->next;
}

static fb_status include_file(fb_xml *xml, fb_xml_node *node, const char *name,
                              const fb_osim_options *options, fb_diag *diag, int *count) {
    char *path = fb_file_beside(&xml->arena, node->file, name);
    if (++*count > MAX_INCLUDED) {
        fb_diag_add(diag, FB_ERROR, FB1203, at(node), NULL,
                    "file '%s' is included in a circle, or more than %d files are", name,
                    MAX_INCLUDED);
        return FB_E_INPUT;
    }
    char *bytes;
    size_t size, max = options && options->max_bytes ? options->max_bytes : FB_MAX_BYTES;
    fb_diag quiet;
    fb_diag_init(&quiet);
    fb_status status = fb_read_file(path, max, &bytes, &size, &quiet);
    if (status != FB_OK) {
        fb_diag_add(diag, FB_ERROR, FB1203, at(node), NULL, "<%s> is in the file '%s': %s",
                    node->tag, path, quiet.n ? quiet.records[0].message : "cannot be read");
        fb_diag_clear(&quiet);
        return status;
    }
    fb_diag_clear(&quiet);
    fb_xml *part = fb_alloc(sizeof *part);
    if (!part) {
        fb_free(bytes);
        return FB_E_MEMORY;
    }
    status = fb_xml_parse(part, bytes, size, path, diag);
    if (status != FB_OK) {
        fb_free(part);
        return status;
    }
    part->included = xml->included;
    xml->included = part;
    fb_xml_node *found = part->root;
    if (strcmp(found->tag, node->tag) != 0 && fb_xml_child(found, node->tag)) {
        found = fb_xml_child(found, node->tag);
    }
    if (strcmp(found->tag, node->tag) != 0) {
        fb_diag_add(diag, FB_ERROR, FB1203, at(node), NULL, "the file '%s' holds no <%s>", path,
                    node->tag);
        return FB_E_INPUT;
    }
    node->first = found->first;
    node->last = found->last;
    node->text = found->text;
    node->text_length = found->text_length;
    node->end_comments = found->end_comments;
    fb_xml_comment **end = &node->comments;
    while (*end) {
        end = &(*end)->next;
    }
    *end = found->comments;
    if (!node->name) {
        node->name = found->name;
    }
    for (fb_xml_node *child = node->first; child; child = child->next) {
        child->parent = node;
    }
    return FB_OK;
}

/* Objects and sets can be in files of their own; other elements with that attribute are plug-ins'.
 */
static bool may_be_elsewhere(const char *tag) {
    size_t n = strlen(tag);
    return fb_class_find(tag) || (n > 3 && strcmp(tag + n - 3, "Set") == 0);
}

/* Each file is nested less than that, but files within files may be more. */
static fb_status check_depth(const fb_xml *xml, fb_diag *diag) {
    int depth = 0;
    const fb_xml_node *node = xml->root;
    while (node) {
        if (depth > FB_XML_DEPTH) {
            fb_diag_add(diag, FB_ERROR, FB1102, at(node), NULL,
                        "elements are nested more than %d deep", FB_XML_DEPTH);
            return FB_E_INPUT;
        }
        if (node->first) {
            node = node->first;
            depth++;
            continue;
        }
        while (node != xml->root && !node->next) {
            node = node->parent;
            depth--;
        }
        node = node == xml->root ? NULL : node->next;
    }
    return FB_OK;
}

fb_status fb_osim_include(fb_xml *xml, const fb_osim_options *options, fb_diag *diag) {
    int count = 0;
    for (fb_xml_node *node = xml->root; node; node = next_node(xml->root, node, 1)) {
        const char *name = fb_xml_attr(node, "file");
        if (!name || !*name || strcmp(name, "Unassigned") == 0 || !may_be_elsewhere(node->tag)) {
            continue;
        }
        fb_status status = include_file(xml, node, name, options, diag, &count);
        if (status != FB_OK) {
            return status;
        }
    }
    return count ? check_depth(xml, diag) : FB_OK;
}

/* Copies into `object` what the prototype has and it has not. */
static void fill_from(fb_xml *xml, fb_xml_node *object, const fb_xml_node *prototype) {
    for (const fb_xml_node *from = prototype->first; from; from = from->next) {
        const fb_xml_node *same = fb_xml_child(object, from->tag);
        if (!same) {
            fb_xml_append(object, fb_xml_copy(xml, from));
        }
    }
}

fb_status fb_osim_apply_defaults(fb_xml *xml, fb_diag *diag) {
    (void)diag;
    fb_xml_node *model = strcmp(xml->root->tag, "Model") == 0 ? xml->root
                                                              : fb_xml_child(xml->root, "Model");
    fb_xml_node *defaults = model ? fb_xml_child(model, "defaults") : NULL;
    if (!defaults) {
        defaults = fb_xml_child(xml->root, "defaults");
    }
    if (!defaults || !defaults->first) {
        return FB_OK;
    }
    for (fb_xml_node *node = model->first; node; node = next_node(model, node, node != defaults)) {
        if (node == defaults) {
            continue;
        }
        for (const fb_xml_node *prototype = defaults->first; prototype;
             prototype = prototype->next) {
            if (prototype->tag == node->tag || strcmp(prototype->tag, node->tag) == 0) {
                /* an object, not a property of the same name */
                if (node->first || node->name) {
                    fill_from(xml, node, prototype);
                }
                break;
            }
        }
    }
    fb_xml_move_comments(defaults, model);
    fb_xml_remove(defaults);
    return FB_OK;
}

/* The objects of one set, each with what its class's default in that set says. */
static void take_forces(fb_xml *xml, fb_xml_node *set, fb_xml_node *objects) {
    const fb_xml_node *defaults = fb_xml_child(set, "defaults");
    fb_xml_node *from = fb_xml_child(set, "objects");
    for (fb_xml_node *node = from ? from->first : NULL, *next; node; node = next) {
        next = node->next;
        const fb_xml_node *prototype = defaults ? fb_xml_child(defaults, node->tag) : NULL;
        if (prototype) {
            fill_from(xml, node, prototype);
        }
        fb_xml_remove(node);
        fb_xml_append(objects, node);
    }
}

static fb_status add_file(fb_xml *xml, const char *file, size_t max, fb_xml_node *objects,
                          fb_diag *diag) {
    char *bytes;
    size_t size;
    fb_status status = fb_read_file(file, max, &bytes, &size, diag);
    if (status != FB_OK) {
        return status;
    }
    fb_xml *part = fb_alloc(sizeof *part);
    if (!part) {
        fb_free(bytes);
        return FB_E_MEMORY;
    }
    status = fb_xml_parse(part, bytes, size, file, diag);
    if (status != FB_OK) {
        fb_free(part);
        return status;
    }
    part->included = xml->included;
    xml->included = part;
    fb_xml_node *set = part->root;
    if (strcmp(set->tag, "ForceSet") != 0) {
        set = fb_xml_child(set, "ForceSet");
    }
    if (!set) {
        fb_diag_add(diag, FB_ERROR, FB1203, at(part->root), NULL,
                    "the file '%s' holds no <ForceSet>", file);
        return FB_E_INPUT;
    }
    take_forces(xml, set, objects);
    return FB_OK;
}

fb_status fb_osim_add_forces(fb_xml *xml, const fb_osim_options *options, fb_diag *diag) {
    if (!options || !options->force_files || !options->force_files[0]) {
        return FB_OK;
    }
    fb_xml_node *model = strcmp(xml->root->tag, "Model") == 0 ? xml->root
                                                              : fb_xml_child(xml->root, "Model");
    fb_xml_node *set = fb_xml_child(model, "ForceSet");
    if (!set) {
        set = fb_xml_add(xml, model, "ForceSet", NULL);
    }
    fb_xml_node *objects = fb_xml_child(set, "objects");
    if (!objects || options->replace_forces) {
        if (objects) {
            fb_xml_remove(objects);
        }
        objects = fb_xml_add(xml, set, "objects", NULL);
    }
    size_t max = options->max_bytes ? options->max_bytes : FB_MAX_BYTES;
    fb_status status = FB_OK;
    for (int i = 0; status == FB_OK && options->force_files[i]; i++) {
        status = add_file(xml, options->force_files[i], max, objects, diag);
    }
    return status == FB_OK ? check_depth(xml, diag) : status;
}
