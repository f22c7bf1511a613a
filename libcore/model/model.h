/* The model: what an .osim file or a .fb document says, as typed elements.
 *
 * A model is built by a reader (formats/osim_read.c, formats/fb_read.c) or by a program with
 * fb_model_add and fb_value_*, then linked (fb_model_link), and const from then on: any number of
 * threads may read it. All of it lives in one arena. Elements are described by class tables
 * (class.h): an element is a class and one value for each of the class's fields. The simulation
 * modules compile what they need from it into arrays of their own. */
#ifndef FB_MODEL_MODEL_H
#define FB_MODEL_MODEL_H

#include <stdbool.h>

#include "libcore/base/diag.h"
#include "libcore/model/class.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fb_element fb_element;

/* A reference to another element: the text as the file had it, and the element once linked. */
typedef struct fb_ref {
    const char *text;
    const fb_element *target; /* NULL before linking, or if there is no such element */
} fb_ref;

/* The value of one field; fb_field.type says which member of the union holds it. */
typedef struct fb_value {
    bool present; /* false: no value, the union is zero */
    int n;        /* how many: numbers, strings, references, objects */
    union {
        bool truth;                 /* FB_BOOL */
        int integer;                /* FB_INT */
        double number;              /* FB_NUMBER */
        const double *numbers;      /* FB_VECTOR, FB_NUMBERS */
        const char *string;         /* FB_STRING, FB_CHOICE */
        const char *const *strings; /* FB_STRINGS */
        fb_ref *refs;               /* FB_REF (n 1), FB_REFS */
        fb_element *object;         /* FB_OBJECT */
        fb_element **objects;       /* FB_OBJECTS */
    } as;
} fb_value;

/* A comment that a person left in the source file. */
typedef struct fb_comment {
    const char
        *before; /* the tag it stands before; "" at the element's end; NULL before the element */
    const char *text;
    struct fb_comment *next;
} fb_comment;

/* A member of a .fb object that its class does not have: key and JSON text. Bundles, notes and
 * whatever a newer minor version adds travel here. */
typedef struct fb_extra {
    const char *key, *json;
    struct fb_extra *next;
} fb_extra;

/* XML of a property that its class does not have, kept word for word. */
typedef struct fb_kept_xml {
    const char *xml;
    struct fb_kept_xml *next;
} fb_kept_xml;

struct fb_element {
    const fb_class *cls;
    const char *name;  /* unique in its namespace once linked; NULL for unnamed owned objects */
    const char *path;  /* OpenSim component path; NULL for owned objects that are no components */
    fb_element *owner; /* the element whose field holds it; NULL for elements of lists */
    fb_value *values;  /* one for each of cls->fields */
    fb_comment *comments;
    fb_extra *extras;
    fb_kept_xml *kept;
    int order; /* place among the children of its OpenSim owner */
    int line;  /* where it was read, 0 if unknown */
    const char
        *file; /* the file it was read from if not the model's own (an included one), else NULL */
};

/* A named group of a set's members, such as the hip flexors. */
typedef struct fb_group {
    const char *set; /* "/forceset" */
    const char *name;
    const char *const *members;
    int n_members;
} fb_group;

typedef struct fb_list {
    fb_element **items;
    size_t n, capacity;
} fb_list;

#define FB_LIST_COUNT 19 /* lists in fb_lists, `kept` being the last */

typedef struct fb_model {
    fb_arena arena;
    fb_element *root;             /* class Model: name, gravity, credits, units, .. */
    fb_element *ground;           /* class Ground */
    fb_list lists[FB_LIST_COUNT]; /* in the order of fb_lists */
    fb_group *groups;
    size_t n_groups, capacity_groups;
    fb_comment *shared_comments; /* before = "Class.tag": stands before each such property */
    const char **steps; /* JSON texts, one for each tool that made or changed the document */
    size_t n_steps, capacity_steps;
    int source_version; /* of the OpenSim document it was read from, 0 if from none */
    const char *file;   /* where it was read, for messages */
    bool linked;
} fb_model;

/* A new model with root and ground; NULL when memory runs out. fb_model_free takes NULL. */
fb_model *fb_model_new(void);
void fb_model_free(fb_model *model);

/* A new element of a class with its fields at no value; not yet anywhere. */
fb_element *fb_element_new(fb_model *model, const fb_class *cls, const char *name);
/* Gives every field without value its default (fb_field.initial), owned default objects included.
 */
void fb_element_defaults(fb_model *model, fb_element *element);
/* Gives a joint the coordinates that its class has and its file left out, under OpenSim's names
 * ("_coord_0", ..). */
void fb_joint_complete(fb_model *model, fb_element *joint);
/* Appends an element to the list its class belongs to. Its path is `path`, or the place that its
 * list has in OpenSim (fb_list_set) if NULL. */
void fb_model_add(fb_model *model, fb_element *element, const char *path);
/* The list of that name; NULL if there is none. */
fb_list *fb_model_list(fb_model *model, const char *list);
const fb_list *fb_model_items(const fb_model *model, const char *list);

/* Setting values while building. Strings and numbers are copied into the model. */
fb_value *fb_value_of(fb_element *element, const char *key); /* NULL if the class lacks the key */
void fb_value_set_number(fb_value *value, double x);
void fb_value_set_numbers(fb_model *model, fb_value *value, const double *x, int n);
void fb_value_set_string(fb_model *model, fb_value *value, const char *text);
void fb_value_set_refs(fb_model *model, fb_value *value, const char *const *texts, int n);
void fb_element_add_kept(fb_model *model, fb_element *element, const char *xml, size_t n);
void fb_element_add_comment(fb_model *model, fb_element *element, const char *before,
                            const char *text);
void fb_element_add_extra(fb_model *model, fb_element *element, const char *key, const char *json);
void fb_model_add_step(fb_model *model, const char *json);

/* Reading values. A key that the class lacks, or a field without value, gives 0, NULL, false. */
const fb_value *fb_get(const fb_element *element, const char *key);
double fb_get_number(const fb_element *element, const char *key); /* nan without value */
bool fb_get_bool(const fb_element *element, const char *key);
const char *fb_get_string(const fb_element *element, const char *key);
const fb_element *fb_get_target(const fb_element *element, const char *key); /* of a reference */
const fb_element *fb_get_object(const fb_element *element, const char *key);
const char *fb_get_extra(const fb_element *element, const char *key); /* JSON text */
/* n numbers of a vector field into x; false if there are not that many. */
bool fb_get_vector(const fb_element *element, const char *key, double *x, int n);

/* Links the model: makes names unique within their namespace (the shortest tail of the component
 * path that is), resolves every reference, and adds a record for each that points to nothing: an
 * error where the model cannot do without it, else a warning. Then the model is const. */
fb_status fb_model_link(fb_model *model, fb_diag *diag);
/* The element of a family with that unique name, bare name or component path; NULL if none.
 * Linear in the number of elements: for messages and tools, not for inner loops. */
const fb_element *fb_model_find(const fb_model *model, fb_family family, const char *name);

/* What a coordinate's value is. Follows OpenSim: a coordinate that drives a rotation axis of a
 * custom joint through a linear function of slope 1 or -1 is rotational, likewise translational;
 * else coupled. */
typedef enum fb_motion { FB_ROTATIONAL, FB_TRANSLATIONAL, FB_COUPLED } fb_motion;
fb_motion fb_coordinate_motion(const fb_element *coordinate);

/* The line an element was read from, or its nearest owner's that has one; 0 for none. */
int fb_element_line(const fb_element *element);
/* The component that an element is part of: itself or the nearest owner with a path. */
const fb_element *fb_element_component(const fb_element *element);
/* Where a record about an element belongs: its file, line and class, its component's path. */
fb_place fb_element_place(const fb_element *element);
/* The last segment of a component path: the OpenSim name. */
const char *fb_path_name(const char *path);
/* The OpenSim name of an element: the last segment of its path, or its name. */
const char *fb_osim_name(const fb_element *element);
/* True if two values of a field are the same, owned objects included. */
bool fb_value_equal(const fb_field *field, const fb_value *a, const fb_value *b);
/* True if a value is its field's default. */
bool fb_value_is_default(const fb_field *field, const fb_value *value);

/* Radians of `degrees` such that fb_radians_to_degrees gives the same double back, if there are
 * any: returns 1; else 0 and the nearest. */
int fb_degrees_to_radians(double degrees, double *radians);
double fb_radians_to_degrees(double radians);
/* The same for a quantity per degree (stiffness), to one per radian. */
int fb_per_degree_to_per_radian(double per_degree, double *per_radian);
double fb_per_radian_to_per_degree(double per_radian);

/* The class of elements that are kept word for word: fields "class" and "xml". */
extern const fb_class fb_class_kept;

#ifdef __cplusplus
}
#endif
#endif
