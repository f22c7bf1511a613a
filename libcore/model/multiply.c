#include "libcore/model/multiply.h"

#include <string.h>

typedef struct job {
    fb_model *model;
    const fb_element *old;
    const char *old_name;
    fb_element **copies;
    const double *share;
    int n;
    fb_diag *diag;
} job;

/* ---- copies ---------------------------------------------------------------------------------- */

/* A path below `from` as one below `to`. */
static const char *moved_path(fb_model *model, const char *path, const char *from, const char *to) {
    size_t n = strlen(from);
    return strncmp(path, from, n) == 0 ? fb_arena_printf(&model->arena, "%s%s", to, path + n)
                                       : path;
}

/* As many segments of a path, from its end, as a name has. */
static const char *tail_like(const char *path, const char *name) {
    const char *tail = fb_path_name(path);
    for (const char *c = name; *c; c++) {
        if (*c == '/' && tail > path + 1) {
            tail -= 2;
            while (tail > path && tail[-1] != '/') {
                tail--;
            }
        }
    }
    return tail;
}

static fb_extra *extras_without(fb_model *model, const fb_extra *extras, const char *without) {
    fb_extra *list = NULL, **end = &list;
    for (; extras; extras = extras->next) {
        if (!without || strcmp(extras->key, without) != 0) {
            *end = fb_arena_alloc(&model->arena, sizeof **end);
            **end = (fb_extra){extras->key, extras->json, NULL};
            end = &(*end)->next;
        }
    }
    return list;
}

/* Where a copy goes: the paths of the old element's top and the new one's. */
typedef struct place {
    const char *from, *to;
    const char *without;
    bool comments;
} place;

static fb_element *copy(fb_model *model, const fb_element *from, fb_element *owner,
                        const place *at) {
    fb_element *to = fb_element_new(model, from->cls, NULL);
    to->name = from->name;
    to->owner = owner;
    to->order = from->order;
    to->line = from->line;
    to->file = from->file;
    to->kept = from->kept;
    to->comments = at->comments ? from->comments : NULL;
    to->extras = extras_without(model, from->extras, owner ? NULL : at->without);
    if (from->path) {
        to->path = moved_path(model, from->path, at->from, at->to);
        to->name = from->name ? tail_like(to->path, from->name) : NULL;
    }
    for (int i = 0; i < from->cls->n_fields; i++) {
        const fb_value *value = &from->values[i];
        fb_value *own = &to->values[i];
        fb_type type = from->cls->fields[i].type;
        *own = *value;
        if (!value->present) {
            continue;
        }
        if (type == FB_OBJECT) {
            own->as.object = copy(model, value->as.object, to, at);
        } else if (type == FB_OBJECTS) {
            own->as.objects = fb_arena_array(&model->arena, (size_t)value->n,
                                             sizeof *own->as.objects);
            for (int k = 0; k < value->n; k++) {
                own->as.objects[k] = copy(model, value->as.objects[k], to, at);
            }
        } else if ((type == FB_REF || type == FB_REFS) && value->n > 0) {
            own->as.refs = fb_arena_array(&model->arena, (size_t)value->n, sizeof *own->as.refs);
            memcpy(own->as.refs, value->as.refs, (size_t)value->n * sizeof *own->as.refs);
        }
    }
    return to;
}

/* ---- what refers to it ----------------------------------------------------------------------- */

static void tell(const job *j, const fb_element *element, const char *what) {
    fb_diag_add(j->diag, FB_APPROXIMATED, FB2201, fb_element_place(element),
                "it no longer finds that muscle",
                "%s '%s' %s '%s', of which there are %d parts now", element->cls->name,
                element->name ? element->name : "", what, j->old_name, j->n);
}

/* The place of the old force in a list of references, or -1. */
static int place_in(const job *j, const fb_value *refs) {
    for (int i = 0; refs && i < refs->n; i++) {
        if (refs->as.refs[i].target == j->old) {
            return i;
        }
    }
    return -1;
}

static void expand_refs(const job *j, fb_value *value, int at) {
    size_t n = (size_t)(value->n + j->n - 1);
    fb_ref *refs = fb_arena_array(&j->model->arena, n, sizeof *refs);
    memcpy(refs, value->as.refs, (size_t)at * sizeof *refs);
    for (int i = 0; i < j->n; i++) {
        refs[at + i] = (fb_ref){j->copies[i]->path, j->copies[i]};
    }
    memcpy(refs + at + j->n, value->as.refs + at + 1, (size_t)(value->n - at - 1) * sizeof *refs);
    value->as.refs = refs;
    value->n = (int)n;
}

static void expand_numbers(const job *j, fb_value *value, int at) {
    size_t n = (size_t)(value->n + j->n - 1);
    double *x = fb_arena_array(&j->model->arena, n, sizeof *x);
    for (size_t i = 0; i < n; i++) {
        int from = (int)i < at ? (int)i : (int)i < at + j->n ? at : (int)i - j->n + 1;
        x[i] = value->as.numbers[from];
    }
    value->as.numbers = x;
    value->n = (int)n;
}

/* Texts such as "/forceset/TRI|activation". */
static void expand_texts(const job *j, fb_value *value) {
    size_t n = strlen(j->old->path);
    for (int at = value->n - 1; at >= 0; at--) {
        const char *text = value->as.strings[at];
        if (strncmp(text, j->old->path, n) != 0 || (text[n] != '|' && text[n] != '/')) {
            continue;
        }
        const char **texts = fb_arena_array(&j->model->arena, (size_t)(value->n + j->n - 1),
                                            sizeof *texts);
        memcpy(texts, value->as.strings, (size_t)at * sizeof *texts);
        for (int i = 0; i < j->n; i++) {
            texts[at + i] = moved_path(j->model, text, j->old->path, j->copies[i]->path);
        }
        memcpy(texts + at + j->n, value->as.strings + at + 1,
               (size_t)(value->n - at - 1) * sizeof *texts);
        value->as.strings = texts;
        value->n += j->n - 1;
    }
}

static bool named_for(const job *j, const fb_element *object) {
    const char *name = object->path ? fb_path_name(object->path) : object->name;
    return name && (strcmp(name, j->old_name) == 0 || strcmp(name, j->old->path) == 0);
}

/* A part of the copies of an owned object, such as the metabolic parameters of one muscle. */
static fb_element *object_for(const job *j, fb_element *object, fb_element *owner, int i) {
    place at = {object->path ? object->path : "", object->path ? object->path : "", NULL, i == 0};
    if (object->path && named_for(j, object)) {
        at.to = fb_arena_printf(&j->model->arena, "%.*s%s",
                                (int)(fb_path_name(object->path) - object->path), object->path,
                                fb_path_name(j->copies[i]->path));
    }
    fb_element *one = copy(j->model, object, owner, &at);
    if (!object->path && named_for(j, object)) {
        bool whole = strcmp(object->name, j->old->path) == 0;
        one->name = whole ? j->copies[i]->path : fb_path_name(j->copies[i]->path);
    }
    for (int f = 0; f < one->cls->n_fields; f++) {
        fb_value *value = &one->values[f];
        if (one->cls->fields[f].type == FB_REF && place_in(j, value) == 0) {
            value->as.refs[0] = (fb_ref){j->copies[i]->path, j->copies[i]};
        }
    }
    fb_value *mass = fb_value_of(one, "provided_mass");
    if (mass && mass->present) {
        mass->as.number *= j->share[i];
    }
    return one;
}

static void expand_object(const job *j, fb_element *owner, fb_value *value, int at) {
    size_t n = (size_t)(value->n + j->n - 1);
    fb_element **objects = fb_arena_array(&j->model->arena, n, sizeof *objects);
    memcpy(objects, value->as.objects, (size_t)at * sizeof *objects);
    for (int i = 0; i < j->n; i++) {
        objects[at + i] = object_for(j, value->as.objects[at], owner, i);
    }
    memcpy(objects + at + j->n, value->as.objects + at + 1,
           (size_t)(value->n - at - 1) * sizeof *objects);
    value->as.objects = objects;
    value->n = (int)n;
}

static bool refers(const job *j, const fb_element *object) {
    for (int f = 0; f < object->cls->n_fields; f++) {
        if (object->cls->fields[f].type == FB_REF && place_in(j, &object->values[f]) == 0) {
            return true;
        }
    }
    return false;
}

/* Objects that an element owns for each of its actuators: by their reference, their name, or if
 * none is named for it, by their place. */
static void expand_objects(const job *j, fb_element *element, const fb_field *field,
                           fb_value *value, int actuator, int n_actuators) {
    fb_family family = field->family;
    if (family != FB_FUNCTION && family != FB_PROBE_PARAMETERS && family != FB_CONTROL) {
        return;
    }
    bool found = false;
    for (int k = value->n - 1; k >= 0; k--) {
        if (refers(j, value->as.objects[k]) || named_for(j, value->as.objects[k])) {
            expand_object(j, element, value, k);
            found = true;
        }
    }
    if (!found && actuator >= 0 && family == FB_FUNCTION && value->n == n_actuators) {
        expand_object(j, element, value, actuator);
    }
    for (int k = 0; k < value->n && actuator >= 0; k++) { /* synergies */
        fb_value *weights = fb_value_of(value->as.objects[k], "weights");
        if (weights && weights->present && weights->n == n_actuators) {
            expand_numbers(j, weights, actuator);
        }
    }
}

static void follow(const job *j, fb_element *element) {
    const fb_value *actuators = fb_get(element, "actuators");
    int actuator = place_in(j, actuators), n_actuators = actuators ? actuators->n : 0;
    for (int f = 0; f < element->cls->n_fields; f++) {
        const fb_field *field = &element->cls->fields[f];
        fb_value *value = &element->values[f];
        if (!value->present) {
            continue;
        }
        if (field->type == FB_OBJECTS) {
            expand_objects(j, element, field, value, actuator, n_actuators);
        } else if (field->type == FB_STRINGS && strcmp(field->key, "inputs") == 0) {
            expand_texts(j, value);
        } else if (field->type == FB_REF && place_in(j, value) == 0) {
            tell(j, element, "refers to");
            value->as.refs[0] = (fb_ref){j->copies[0]->path, j->copies[0]};
        }
    }
    for (int f = 0; f < element->cls->n_fields; f++) {
        if (element->cls->fields[f].type == FB_REFS) {
            for (int at; (at = place_in(j, &element->values[f])) >= 0;) {
                expand_refs(j, &element->values[f], at);
            }
        }
    }
    const char *file = fb_get_string(element, "controls_file");
    if (actuator >= 0 && file && *file) {
        tell(j, element, "has a file of controls in which may be");
    }
}

/* True if a text has a name in it, as a word. */
static bool mentions(const char *text, const char *name) {
    size_t n = strlen(name);
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    for (const char *at = text; (at = strstr(at, name)) != NULL; at++) {
        if ((at == text || !strchr(letters, at[-1])) && (!at[n] || !strchr(letters, at[n]))) {
            return true;
        }
    }
    return false;
}

static void look_at_kept(const job *j, const fb_element *element) {
    const char *own = element->cls == &fb_class_kept ? fb_get_string(element, "xml") : NULL;
    bool named = own && mentions(own, j->old_name);
    for (const fb_kept_xml *kept = element->kept; kept && element != j->old; kept = kept->next) {
        named |= mentions(kept->xml, j->old_name);
    }
    if (named) {
        tell(j, element, "has XML that is kept as it is and names");
    }
}

static void expand_groups(const job *j) {
    size_t n = (size_t)(fb_path_name(j->old->path) - j->old->path);
    for (size_t g = 0; g < j->model->n_groups; g++) {
        fb_group *group = j->model->groups + g;
        if (strncmp(group->set, j->old->path, n - 1) != 0 || group->set[n - 1] != 0) {
            continue;
        }
        for (int m = group->n_members - 1; m >= 0; m--) {
            if (strcmp(fb_path_name(group->members[m]), j->old_name) != 0) {
                continue;
            }
            int count = group->n_members + j->n - 1;
            const char **members = fb_arena_array(&j->model->arena, (size_t)count, sizeof *members);
            memcpy(members, group->members, (size_t)m * sizeof *members);
            for (int i = 0; i < j->n; i++) {
                members[m + i] = fb_path_name(j->copies[i]->path);
            }
            memcpy(members + m + j->n, group->members + m + 1,
                   (size_t)(group->n_members - m - 1) * sizeof *members);
            group->members = members;
            group->n_members = count;
        }
    }
}

/* ---- the list -------------------------------------------------------------------------------- */

static void put_in_place(const job *j) {
    fb_list *list = fb_model_list(j->model, j->old->cls->list);
    fb_element **items = fb_arena_array(&j->model->arena, list->n + (size_t)j->n, sizeof *items);
    size_t n = 0;
    for (int l = 0; l < FB_LIST_COUNT; l++) {
        for (size_t k = 0; k < j->model->lists[l].n; k++) {
            fb_element *element = j->model->lists[l].items[k];
            element->order += element->order > j->old->order ? j->n - 1 : 0;
        }
    }
    for (size_t k = 0; k < list->n; k++) {
        for (int i = 0; list->items[k] == j->old && i < j->n; i++) {
            j->copies[i]->order = j->old->order + i;
            items[n++] = j->copies[i];
        }
        if (list->items[k] != j->old) {
            items[n++] = list->items[k];
        }
    }
    list->items = items;
    list->n = n;
    list->capacity = n + 1;
}

fb_status fb_model_multiply(fb_model *model, fb_element *element, const char *const *names,
                            const double *share, int n, const char *without, fb_element **copies,
                            fb_diag *diag) {
    job j = {model, element, fb_osim_name(element), copies, share, n, diag};
    for (int i = 0; i < n; i++) {
        if (fb_model_find(model, FB_FORCE, names[i])) {
            fb_diag_add(diag, FB_ERROR, FB2203, fb_element_place(element), NULL,
                        "a part of '%s' would be called '%s', and there is such a force already",
                        j.old_name, names[i]);
            return FB_E_INPUT;
        }
    }
    int parent = (int)(fb_path_name(element->path) - element->path);
    for (int i = 0; i < n; i++) {
        place at = {element->path,
                    fb_arena_printf(&model->arena, "%.*s%s", parent, element->path, names[i]),
                    without, i == 0};
        copies[i] = copy(model, element, NULL, &at);
        copies[i]->name = fb_path_name(copies[i]->path);
    }
    for (int l = 0; l < FB_LIST_COUNT; l++) {
        for (size_t k = 0; k < model->lists[l].n; k++) {
            follow(&j, model->lists[l].items[k]);
            look_at_kept(&j, model->lists[l].items[k]);
        }
    }
    expand_groups(&j);
    put_in_place(&j);
    return FB_OK;
}
