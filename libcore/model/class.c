#include "libcore/model/class.h"

#include <string.h>

#include "libcore/model/model.h"

static const fb_class *const tables[] = {
    fb_classes_model,   fb_classes_joints, fb_classes_functions, fb_classes_paths,
    fb_classes_muscles, fb_classes_forces, fb_classes_contact,   fb_classes_controllers,
};
#define N_TABLES ((int)(sizeof tables / sizeof tables[0]))

const char *const fb_lists[] = {
    "bodies",    "frames",        "stations",         "joints",         "constraints",
    "wraps",     "virtual_links", "muscles",          "ligaments",      "springs",
    "actuators", "forces",        "contact_geometry", "contact_forces", "controllers",
    "probes",    "markers",       "components",       "kept",           NULL,
};

static const fb_field kept_fields[] = {
    FB_F_TEXT("class", "class", NULL, "its OpenSim class"),
    FB_F_TEXT("xml", "xml", NULL, "its XML, word for word"),
};

const fb_class fb_class_kept = FB_CLASS("kept", "kept", "kept", FB_ANY, kept_fields,
                                        "an element that is kept word for word");

const fb_class *fb_class_at(int i) {
    for (int t = 0; t < N_TABLES; t++) {
        for (const fb_class *cls = tables[t]; cls->name; cls++) {
            if (i-- == 0) {
                return cls;
            }
        }
    }
    return NULL;
}

const fb_class *fb_class_find(const char *name) {
    for (int t = 0; t < N_TABLES; t++) {
        for (const fb_class *cls = tables[t]; cls->name; cls++) {
            if (cls->name[0] == name[0] && strcmp(cls->name, name) == 0) {
                return cls;
            }
        }
    }
    return NULL;
}

const fb_class *fb_class_find_type(const char *list, fb_family family, const char *type) {
    for (int t = 0; t < N_TABLES; t++) {
        for (const fb_class *cls = tables[t]; cls->name; cls++) {
            int same_list = list ? cls->list && strcmp(cls->list, list) == 0 : cls->list == NULL;
            int same_family = family == FB_ANY || cls->family == family;
            int same_type = type ? cls->type && strcmp(cls->type, type) == 0 : cls->type == NULL;
            if (same_list && same_family && same_type) {
                return cls;
            }
        }
    }
    return NULL;
}

int fb_class_field(const fb_class *cls, const char *key) {
    for (int i = 0; i < cls->n_fields; i++) {
        if (strcmp(cls->fields[i].key, key) == 0) {
            return i;
        }
    }
    return -1;
}

int fb_class_tag(const fb_class *cls, const char *tag) {
    for (int i = 0; i < cls->n_fields; i++) {
        if (strcmp(cls->fields[i].tag, tag) == 0) {
            return i;
        }
    }
    return -1;
}

const char *fb_list_set(const char *list) {
    static const struct {
        const char *list, *set;
    } sets[] = {
        {"bodies", "/bodyset"},
        {"joints", "/jointset"},
        {"constraints", "/constraintset"},
        {"virtual_links", "/virtual_links"}, /* not in OpenSim */
        {"muscles", "/forceset"},
        {"ligaments", "/forceset"},
        {"springs", "/forceset"},
        {"actuators", "/forceset"},
        {"forces", "/forceset"},
        {"contact_forces", "/forceset"},
        {"contact_geometry", "/contactgeometryset"},
        {"controllers", "/controllerset"},
        {"probes", "/probeset"},
        {"markers", "/markerset"},
    };
    for (size_t i = 0; i < sizeof sets / sizeof sets[0]; i++) {
        if (strcmp(sets[i].list, list) == 0) {
            return sets[i].set;
        }
    }
    return "";
}

fb_family fb_family_namespace(fb_family family) {
    return family == FB_GROUND || family == FB_BODY ? FB_FRAME : family;
}

const char *fb_family_word(fb_family family) {
    static const char *const words[FB_FAMILY_COUNT] = {
        [FB_ANY] = "element",
        [FB_MODEL] = "model",
        [FB_GROUND] = "ground",
        [FB_BODY] = "body",
        [FB_FRAME] = "frame",
        [FB_STATION] = "station",
        [FB_MARKER] = "marker",
        [FB_JOINT] = "joint",
        [FB_COORDINATE] = "coordinate",
        [FB_TRANSFORM_AXIS] = "transform axis",
        [FB_CONSTRAINT] = "constraint",
        [FB_FUNCTION] = "function",
        [FB_WRAP] = "wrap object",
        [FB_PATH] = "path",
        [FB_PATH_POINT] = "path point",
        [FB_PATH_WRAP] = "path wrap",
        [FB_VIRTUAL_LINK] = "virtual link",
        [FB_PATH_ELEMENT] = "path element",
        [FB_FORCE] = "force",
        [FB_CURVE] = "curve",
        [FB_CONTACT_GEOMETRY] = "contact geometry",
        [FB_CONTACT_PARAMETERS] = "contact parameters",
        [FB_CONTROLLER] = "controller",
        [FB_CONTROL] = "control",
        [FB_PROBE] = "probe",
        [FB_PROBE_PARAMETERS] = "probe parameters",
        [FB_GEOMETRY] = "geometry",
        [FB_APPEARANCE] = "appearance",
        [FB_PREFERENCES] = "preferences",
        [FB_COMPONENT] = "component",
    };
    return words[family];
}
