#include "libcore/model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/number.h"

/* ---- building ------------------------------------------------------------------------------- */

static void make_roots(fb_model *model) {
    model->root = fb_element_new(model, fb_class_find("Model"), "");
    model->root->path = "/";
    model->ground = fb_element_new(model, fb_class_find("Ground"), "ground");
    model->ground->path = "/ground";
}

fb_model *fb_model_new(void) {
    fb_model *model = fb_alloc(sizeof *model);
    if (!model) {
        return NULL;
    }
    memset(model, 0, sizeof *model);
    fb_arena_init(&model->arena);
    jmp_buf oom;
    if (setjmp(oom)) {
        fb_model_free(model);
        return NULL;
    }
    model->arena.oom = &oom;
    make_roots(model);
    model->arena.oom = NULL;
    return model;
}

void fb_model_free(fb_model *model) {
    if (!model) {
        return;
    }
    fb_arena_clear(&model->arena);
    fb_free(model);
}

fb_element *fb_element_new(fb_model *model, const fb_class *cls, const char *name) {
    fb_element *element = fb_arena_alloc(&model->arena, sizeof *element);
    element->cls = cls;
    element->name = name ? fb_arena_dup(&model->arena, name) : NULL;
    element->values = fb_arena_array(&model->arena, (size_t)cls->n_fields, sizeof *element->values);
    return element;
}

static int list_index(const char *list) {
    for (int i = 0; fb_lists[i]; i++) {
        if (strcmp(fb_lists[i], list) == 0) {
            return i;
        }
    }
    return -1;
}

fb_list *fb_model_list(fb_model *model, const char *list) {
    int i = list_index(list);
    return i < 0 ? NULL : &model->lists[i];
}

const fb_list *fb_model_items(const fb_model *model, const char *list) {
    int i = list_index(list);
    return i < 0 ? NULL : &model->lists[i];
}

void fb_model_add(fb_model *model, fb_element *element, const char *path) {
    const char *list_name = element->cls->list;
    fb_list *list = fb_model_list(model, list_name);
    element->path = path ? fb_arena_dup(&model->arena, path)
                         : fb_arena_printf(&model->arena, "%s/%s", fb_list_set(list_name),
                                           element->name ? element->name : "");
    FB_PUSH(&model->arena, list->items, list->n, list->capacity, element);
}

fb_value *fb_value_of(fb_element *element, const char *key) {
    int i = fb_class_field(element->cls, key);
    return i < 0 ? NULL : &element->values[i];
}

void fb_value_set_number(fb_value *value, double x) {
    value->present = true;
    value->n = 1;
    value->as.number = x;
}

void fb_value_set_numbers(fb_model *model, fb_value *value, const double *x, int n) {
    double *copy = fb_arena_array(&model->arena, (size_t)n, sizeof *copy);
    if (n > 0) {
        memcpy(copy, x, (size_t)n * sizeof *x);
    }
    value->present = true;
    value->n = n;
    value->as.numbers = copy;
}

void fb_value_set_string(fb_model *model, fb_value *value, const char *text) {
    value->present = true;
    value->n = 1;
    value->as.string = fb_arena_dup(&model->arena, text);
}

void fb_value_set_refs(fb_model *model, fb_value *value, const char *const *texts, int n) {
    fb_ref *refs = fb_arena_array(&model->arena, (size_t)n, sizeof *refs);
    for (int i = 0; i < n; i++) {
        refs[i].text = fb_arena_dup(&model->arena, texts[i]);
    }
    value->present = true;
    value->n = n;
    value->as.refs = refs;
}

void fb_element_add_kept(fb_model *model, fb_element *element, const char *xml, size_t n) {
    fb_kept_xml *kept = fb_arena_alloc(&model->arena, sizeof *kept);
    kept->xml = fb_arena_text(&model->arena, xml, n);
    fb_kept_xml **end = &element->kept;
    while (*end) {
        end = &(*end)->next;
    }
    *end = kept;
}

void fb_element_add_comment(fb_model *model, fb_element *element, const char *before,
                            const char *text) {
    fb_comment *comment = fb_arena_alloc(&model->arena, sizeof *comment);
    comment->before = before ? fb_arena_dup(&model->arena, before) : NULL;
    comment->text = fb_arena_dup(&model->arena, text);
    fb_comment **end = &element->comments;
    while (*end) {
        end = &(*end)->next;
    }
    *end = comment;
}

void fb_element_add_extra(fb_model *model, fb_element *element, const char *key, const char *json) {
    fb_extra **end = &element->extras;
    while (*end && strcmp((*end)->key, key) != 0) {
        end = &(*end)->next;
    }
    if (!*end) {
        *end = fb_arena_alloc(&model->arena, sizeof **end);
        (*end)->key = fb_arena_dup(&model->arena, key);
    }
    (*end)->json = fb_arena_dup(&model->arena, json);
}

void fb_model_add_step(fb_model *model, const char *json) {
    const char *copy = fb_arena_dup(&model->arena, json);
    FB_PUSH(&model->arena, model->steps, model->n_steps, model->capacity_steps, copy);
}

/* ---- defaults ------------------------------------------------------------------------------- */

#define MAX_DEFAULT_NUMBERS 8

/* The numbers of a default text; returns how many. */
static int default_numbers(const char *text, double x[MAX_DEFAULT_NUMBERS]) {
    const char *end = text + strlen(text);
    int n = 0;
    while (n < MAX_DEFAULT_NUMBERS) {
        while (*text == ' ') {
            text++;
        }
        if (!fb_number_scan(&text, end, &x[n])) {
            break;
        }
        n++;
    }
    return n;
}

static bool default_truth(const char *text) {
    return strcmp(text, "true") == 0;
}

void fb_element_defaults(fb_model *model, fb_element *element) {
    for (int i = 0; i < element->cls->n_fields; i++) {
        const fb_field *field = &element->cls->fields[i];
        fb_value *value = &element->values[i];
        if (value->present || !field->initial || field->flags & FB_OPTIONAL) {
            continue;
        }
        double x[MAX_DEFAULT_NUMBERS];
        switch (field->type) {
        case FB_BOOL: value->as.truth = default_truth(field->initial); break;
        case FB_INT: value->as.integer = atoi(field->initial); break;
        case FB_NUMBER:
            default_numbers(field->initial, x);
            value->as.number = x[0];
            break;
        case FB_VECTOR:
        case FB_NUMBERS:
            fb_value_set_numbers(model, value, x, default_numbers(field->initial, x));
            break;
        case FB_STRING:
        case FB_CHOICE: value->as.string = field->initial; break;
        case FB_OBJECT: {
            const fb_class *cls = fb_class_find(field->initial);
            if (!cls) {
                continue;
            }
            fb_element *object = fb_element_new(model, cls, NULL);
            object->owner = element;
            fb_element_defaults(model, object);
            value->as.object = object;
            break;
        }
        default: continue;
        }
        value->present = true;
        if (field->type != FB_VECTOR && field->type != FB_NUMBERS) {
            value->n = 1;
        }
    }
}

static bool element_is_default(const fb_element *element) {
    if (element->comments || element->extras || element->kept) {
        return false;
    }
    for (int i = 0; i < element->cls->n_fields; i++) {
        if (!fb_value_is_default(&element->cls->fields[i], &element->values[i])) {
            return false;
        }
    }
    return true;
}

static bool same_number(double a, double b) {
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

bool fb_value_is_default(const fb_field *field, const fb_value *value) {
    if (!value->present) {
        return true;
    }
    double x[MAX_DEFAULT_NUMBERS];
    switch (field->type) {
    case FB_BOOL: return field->initial && value->as.truth == default_truth(field->initial);
    case FB_INT: return field->initial && value->as.integer == atoi(field->initial);
    case FB_NUMBER:
        return field->initial && default_numbers(field->initial, x) == 1 &&
               same_number(x[0], value->as.number);
    case FB_VECTOR:
    case FB_NUMBERS: {
        int n = field->initial ? default_numbers(field->initial, x) : 0;
        if (n != value->n) {
            return false;
        }
        for (int i = 0; i < n; i++) {
            if (!same_number(x[i], value->as.numbers[i])) {
                return false;
            }
        }
        return true;
    }
    case FB_STRING:
    case FB_CHOICE: return strcmp(field->initial ? field->initial : "", value->as.string) == 0;
    case FB_STRINGS:
    case FB_REF:
    case FB_REFS:
    case FB_OBJECTS: return value->n == 0;
    case FB_OBJECT:
        return field->initial && strcmp(field->initial, value->as.object->cls->name) == 0 &&
               element_is_default(value->as.object);
    }
    return false;
}

static bool same_text(const char *a, const char *b) {
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool same_element(const fb_element *a, const fb_element *b) {
    if (a->cls != b->cls || !same_text(a->name, b->name)) {
        return false;
    }
    for (int i = 0; i < a->cls->n_fields; i++) {
        if (!fb_value_equal(&a->cls->fields[i], &a->values[i], &b->values[i])) {
            return false;
        }
    }
    return true;
}

static const char *ref_name(const fb_ref *ref) {
    return ref->target ? ref->target->name : ref->text;
}

bool fb_value_equal(const fb_field *field, const fb_value *a, const fb_value *b) {
    if (!a->present || !b->present) {
        return a->present == b->present;
    }
    if (a->n != b->n) {
        return false;
    }
    for (int i = 0; i < a->n; i++) {
        bool same = true;
        switch (field->type) {
        case FB_BOOL: same = a->as.truth == b->as.truth; break;
        case FB_INT: same = a->as.integer == b->as.integer; break;
        case FB_NUMBER: same = same_number(a->as.number, b->as.number); break;
        case FB_VECTOR:
        case FB_NUMBERS: same = same_number(a->as.numbers[i], b->as.numbers[i]); break;
        case FB_STRING:
        case FB_CHOICE: same = strcmp(a->as.string, b->as.string) == 0; break;
        case FB_STRINGS: same = strcmp(a->as.strings[i], b->as.strings[i]) == 0; break;
        case FB_REF:
        case FB_REFS: same = same_text(ref_name(&a->as.refs[i]), ref_name(&b->as.refs[i])); break;
        case FB_OBJECT: same = same_element(a->as.object, b->as.object); break;
        case FB_OBJECTS: same = same_element(a->as.objects[i], b->as.objects[i]); break;
        }
        if (!same) {
            return false;
        }
    }
    return true;
}

/* ---- reading -------------------------------------------------------------------------------- */

const fb_value *fb_get(const fb_element *element, const char *key) {
    int i = element ? fb_class_field(element->cls, key) : -1;
    return i < 0 || !element->values[i].present ? NULL : &element->values[i];
}

static const fb_value *get_typed(const fb_element *element, const char *key, fb_type a, fb_type b) {
    int i = element ? fb_class_field(element->cls, key) : -1;
    if (i < 0 || !element->values[i].present) {
        return NULL;
    }
    fb_type type = element->cls->fields[i].type;
    return type == a || type == b ? &element->values[i] : NULL;
}

double fb_get_number(const fb_element *element, const char *key) {
    const fb_value *value = get_typed(element, key, FB_NUMBER, FB_NUMBER);
    return value ? value->as.number : FB_NAN;
}

bool fb_get_bool(const fb_element *element, const char *key) {
    const fb_value *value = get_typed(element, key, FB_BOOL, FB_BOOL);
    return value && value->as.truth;
}

const char *fb_get_string(const fb_element *element, const char *key) {
    const fb_value *value = get_typed(element, key, FB_STRING, FB_CHOICE);
    return value ? value->as.string : NULL;
}

const fb_element *fb_get_target(const fb_element *element, const char *key) {
    const fb_value *value = get_typed(element, key, FB_REF, FB_REFS);
    return value && value->n > 0 ? value->as.refs[0].target : NULL;
}

const fb_element *fb_get_object(const fb_element *element, const char *key) {
    const fb_value *value = get_typed(element, key, FB_OBJECT, FB_OBJECT);
    return value ? value->as.object : NULL;
}

const char *fb_get_extra(const fb_element *element, const char *key) {
    for (const fb_extra *extra = element->extras; extra; extra = extra->next) {
        if (strcmp(extra->key, key) == 0) {
            return extra->json;
        }
    }
    return NULL;
}

bool fb_get_vector(const fb_element *element, const char *key, double *x, int n) {
    const fb_value *value = get_typed(element, key, FB_VECTOR, FB_NUMBERS);
    if (!value || value->n < n) {
        return false;
    }
    memcpy(x, value->as.numbers, (size_t)n * sizeof *x);
    return true;
}

int fb_element_line(const fb_element *element) {
    while (element && element->line == 0) {
        element = element->owner;
    }
    return element ? element->line : 0;
}

const fb_element *fb_element_component(const fb_element *element) {
    while (element->owner && !element->path) {
        element = element->owner;
    }
    return element;
}

fb_place fb_element_place(const fb_element *element) {
    return (fb_place){element->file, fb_element_line(element), fb_element_component(element)->path,
                      element->cls->name};
}

const char *fb_path_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

const char *fb_osim_name(const fb_element *element) {
    if (element->path && element->path[0] && element->path[1]) {
        return fb_path_name(element->path);
    }
    return element->name ? element->name : "";
}

/* ---- coordinates and angles ----------------------------------------------------------------- */

/* How many coordinates a joint class has. */
static int coordinates_of(const char *cls) {
    static const struct {
        const char *cls;
        int n;
    } counts[] = {{"PinJoint", 1},
                  {"SliderJoint", 1},
                  {"PlanarJoint", 3},
                  {"UniversalJoint", 2},
                  {"BallJoint", 3},
                  {"GimbalJoint", 3},
                  {"FreeJoint", 6},
                  {"EllipsoidJoint", 3},
                  {"ScapulothoracicJoint", 4},
                  {"ConstantCurvatureJoint", 3},
                  {"CantileverFreeBeamJoint", 3}};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        if (strcmp(cls, counts[i].cls) == 0) {
            return counts[i].n;
        }
    }
    return 0;
}

void fb_joint_complete(fb_model *model, fb_element *joint) {
    fb_value *value = fb_value_of(joint, "coordinates");
    int wanted = coordinates_of(joint->cls->name), n = value->n > wanted ? value->n : wanted;
    if (n == 0) {
        return;
    }
    fb_element **all = fb_arena_array(&model->arena, (size_t)n, sizeof *all);
    for (int i = 0; i < n; i++) {
        if (i < value->n) {
            all[i] = value->as.objects[i];
        } else {
            all[i] = fb_element_new(model, fb_class_find("Coordinate"), NULL);
            all[i]->owner = joint;
            all[i]->line = joint->line;
            fb_element_defaults(model, all[i]);
        }
        if (!all[i]->name || !*all[i]->name) {
            all[i]->name = fb_arena_printf(&model->arena, "_coord_%d", i);
        }
    }
    *value = (fb_value){.present = true, .n = n, .as.objects = all};
}

/* The slope of a linear function, 0 if it is none; a constant factor counts. */
static double linear_slope(const fb_element *function) {
    if (!function) {
        return 1; /* without a function an axis is its coordinate */
    }
    if (strcmp(function->cls->name, "LinearFunction") == 0) {
        const fb_value *coefficients = fb_get(function, "coefficients");
        return coefficients && coefficients->n > 0 ? coefficients->as.numbers[0] : 0;
    }
    return 0;
}

static fb_motion custom_motion(const fb_element *joint, const fb_element *coordinate) {
    const fb_value *axes = fb_get(joint, "axes");
    int rotational = 0, translational = 0;
    for (int i = 0; axes && i < axes->n; i++) {
        const fb_value *args = fb_get(axes->as.objects[i], "coordinate");
        for (int j = 0; args && j < args->n; j++) {
            if (args->as.refs[j].target != coordinate) {
                continue;
            }
            if (fabs(linear_slope(fb_get_object(axes->as.objects[i], "function"))) != 1) {
                continue;
            }
            if (i < 3) {
                rotational = 1;
            } else {
                translational = 1;
            }
        }
    }
    return rotational == translational ? FB_COUPLED : rotational ? FB_ROTATIONAL : FB_TRANSLATIONAL;
}

fb_motion fb_coordinate_motion(const fb_element *coordinate) {
    const fb_element *joint = coordinate ? coordinate->owner : NULL;
    if (!joint) {
        return FB_COUPLED;
    }
    const char *type = joint->cls->name;
    const fb_value *coordinates = fb_get(joint, "coordinates");
    int index = 0;
    while (coordinates && index < coordinates->n && coordinates->as.objects[index] != coordinate) {
        index++;
    }
    if (strcmp(type, "CustomJoint") == 0) {
        return custom_motion(joint, coordinate);
    }
    if (strcmp(type, "SliderJoint") == 0) {
        return FB_TRANSLATIONAL;
    }
    if (strcmp(type, "PlanarJoint") == 0) {
        return index == 0 ? FB_ROTATIONAL : FB_TRANSLATIONAL;
    }
    if (strcmp(type, "FreeJoint") == 0) {
        return index < 3 ? FB_ROTATIONAL : FB_TRANSLATIONAL;
    }
    return FB_ROTATIONAL;
}

static const double radians_per_degree = M_PI / 180;

double fb_radians_to_degrees(double radians) {
    return radians / radians_per_degree;
}

double fb_per_radian_to_per_degree(double per_radian) {
    return per_radian * radians_per_degree;
}

/* The double next to `start` whose image under `back` is `wanted`, if there is one. */
static int find_inverse(double start, double wanted, double (*back)(double), double *found) {
    *found = start;
    if (!isfinite(start) || same_number(back(start), wanted)) {
        return 1;
    }
    double below = start, above = start;
    for (int i = 0; i < 8; i++) {
        below = nextafter(below, -FB_INFINITY);
        above = nextafter(above, FB_INFINITY);
        if (same_number(back(below), wanted)) {
            *found = below;
            return 1;
        }
        if (same_number(back(above), wanted)) {
            *found = above;
            return 1;
        }
    }
    return 0;
}

int fb_degrees_to_radians(double degrees, double *radians) {
    return find_inverse(degrees * radians_per_degree, degrees, fb_radians_to_degrees, radians);
}

int fb_per_degree_to_per_radian(double per_degree, double *per_radian) {
    return find_inverse(per_degree / radians_per_degree, per_degree, fb_per_radian_to_per_degree,
                        per_radian);
}
