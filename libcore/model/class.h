/* What an OpenSim class is to fbtools: its name there, its name here, and its fields.
 *
 * Every class that the importer reads is one row of a table (the classes_*.c files beside this
 * header), and every field of it one row of another. All that reads, writes, compares, checks or
 * documents models walks these tables: the .osim reader and writer, the .fb reader and writer, the
 * JSON Schema, fbinfo and docs/classes.md. To add a class, add its rows; CONTRIBUTING.md shows how.
 *
 * Tables are constant data: nothing here allocates, and any number of threads may read them. */
#ifndef FB_MODEL_CLASS_H
#define FB_MODEL_CLASS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The kinds of things that a model is made of. A reference names the family it points to; names
 * are unique within a family's namespace (fb_family_namespace). */
typedef enum fb_family {
    FB_ANY = 0,
    FB_MODEL,   /* the document's root */
    FB_GROUND,  /* the inertial frame; namespace of frames */
    FB_BODY,    /* a rigid body; namespace of frames */
    FB_FRAME,   /* a frame fixed to a body or to ground */
    FB_STATION, /* a point fixed in a frame */
    FB_MARKER,  /* a motion-capture marker */
    FB_JOINT,
    FB_COORDINATE,
    FB_TRANSFORM_AXIS, /* one of the six axes of a custom joint */
    FB_CONSTRAINT,
    FB_FUNCTION,
    FB_WRAP, /* a wrap object */
    FB_PATH, /* the path of a muscle or of another path force */
    FB_PATH_POINT,
    FB_PATH_WRAP,    /* the use of a wrap object by a path */
    FB_VIRTUAL_LINK, /* a massless point at which wires meet; OpenSim has none */
    FB_PATH_ELEMENT, /* a via point or an obstacle of a Scholz2015 path */
    FB_FORCE,        /* muscles, ligaments, springs, actuators, contact and other forces */
    FB_CURVE,        /* muscle curves and activation models */
    FB_CONTACT_GEOMETRY,
    FB_CONTACT_PARAMETERS,
    FB_CONTROLLER,
    FB_CONTROL, /* one control of a control set */
    FB_PROBE,
    FB_PROBE_PARAMETERS,
    FB_GEOMETRY, /* visual geometry: meshes and primitives */
    FB_APPEARANCE,
    FB_PREFERENCES, /* how a viewer is asked to show the model */
    FB_COMPONENT,   /* everything else that a model owns, such as reporters */
    FB_FAMILY_COUNT
} fb_family;

/* The types of field values. */
typedef enum fb_type {
    FB_BOOL,
    FB_INT,
    FB_NUMBER,  /* double */
    FB_VECTOR,  /* a fixed number of doubles: fb_field.count */
    FB_NUMBERS, /* any number of doubles */
    FB_STRING,
    FB_STRINGS,
    FB_CHOICE, /* one of the words in fb_field.choices, separated by '|' */
    FB_REF,    /* the name of another element */
    FB_REFS,   /* a list of such names */
    FB_OBJECT, /* one owned element of fb_field.family, or none */
    FB_OBJECTS /* a list of owned elements of fb_field.family */
} fb_type;

/* Flags of fields. */
enum {
    FB_OPTIONAL = 1 << 0, /* absent unless given; an initial value only tells what absence means */
    FB_BRIEF = 1 << 1,    /* left out of .fb and of .osim while it has its default value */
    FB_REQUIRED = 1 << 2, /* a model without it is in error */
    FB_SOCKET = 1 << 3,   /* FB_REF(S): the tag is a socket: OpenSim writes a component path */
    FB_DEGREES = 1 << 4,  /* OpenSim: degrees; here: radians */
    FB_DEGREES_IF_ROTATIONAL = 1 << 5,    /* degrees there only if its coordinate is rotational */
    FB_PER_DEGREE_IF_ROTATIONAL = 1 << 6, /* per degree there only if it is rotational */
    FB_UNWRAP = 1 << 7, /* FB_STRINGS, FB_REFS: one entry is written in .fb as a plain string */
    FB_WORDS = 1 << 8   /* FB_STRING: a text for people (credits), leading space is trimmed */
};

/* How OpenSim's XML holds an owned object. Readers accept every form; writers use the given one.
 */
typedef enum fb_object_form {
    FB_BY_NAME, /* <Class name="tag">..</Class>                  one object property, since 4.0 */
    FB_WRAPPED, /* <tag><Class>..</Class>..</tag>                old properties, and lists */
    FB_UNNAMED, /* <Class>..</Class>, tag is the class's own     unnamed properties */
    FB_SET      /* <tag><objects>..</objects><groups/></tag>     sets */
} fb_object_form;

/* One field of a class. Strings are static; initial is the default as OpenSim text, NULL for none
 * (numbers then are nan, lists empty). */
typedef struct fb_field {
    const char *key; /* its name in .fb: snake_case, the field's standard term */
    const char *tag; /* its XML tag in OpenSim 4.5 */
    fb_type type;
    int count; /* FB_VECTOR: how many numbers */
    unsigned flags;
    const char *initial;
    const char *choices;  /* FB_CHOICE: "a|b|c" */
    fb_family family;     /* FB_REF(S): what it points to; FB_OBJECT(S): what it owns */
    fb_object_form shape; /* FB_OBJECT(S) */
    const char *unit;     /* in .fb: "m", "N", "rad", "1" for none */
    const char *doc;      /* one sentence */
} fb_field;

/* One class. */
#define FB_CLASS_FIELDS 64 /* more than any class has; tests/model/test_class.c checks */

typedef struct fb_class {
    const char
        *name; /* OpenSim's, which is also its XML tag; with a space in it: OpenSim has none */
    const char
        *type; /* the value of "type" in .fb, unique within its list; NULL: none is written */
    const char *list; /* the list of .fb that holds it; NULL for elements that others own */
    fb_family family;
    const fb_field *fields;
    int n_fields;
    const char *doc; /* one sentence */
} fb_class;

/* Shorthands for the tables. K key, T tag, D default (text), U unit, S sentence. */
#define FB_F_BOOL(K, T, D, S) \
    { K, T, FB_BOOL, 1, 0, D, NULL, FB_ANY, FB_BY_NAME, NULL, S }
#define FB_F_BOOL_BRIEF(K, T, D, S) \
    { K, T, FB_BOOL, 1, FB_BRIEF, D, NULL, FB_ANY, FB_BY_NAME, NULL, S }
#define FB_F_INT(K, T, D, S) \
    { K, T, FB_INT, 1, 0, D, NULL, FB_ANY, FB_BY_NAME, NULL, S }
#define FB_F_NUM(K, T, D, U, S) \
    { K, T, FB_NUMBER, 1, 0, D, NULL, FB_ANY, FB_BY_NAME, U, S }
#define FB_F_NUM_F(K, T, D, U, FLAGS, S) \
    { K, T, FB_NUMBER, 1, FLAGS, D, NULL, FB_ANY, FB_BY_NAME, U, S }
#define FB_F_VEC(K, T, N, D, U, S) \
    { K, T, FB_VECTOR, N, 0, D, NULL, FB_ANY, FB_BY_NAME, U, S }
#define FB_F_VEC_F(K, T, N, D, U, FLAGS, S) \
    { K, T, FB_VECTOR, N, FLAGS, D, NULL, FB_ANY, FB_BY_NAME, U, S }
#define FB_F_NUMS(K, T, U, S) \
    { K, T, FB_NUMBERS, 0, 0, NULL, NULL, FB_ANY, FB_BY_NAME, U, S }
#define FB_F_NUMS_F(K, T, U, FLAGS, S) \
    { K, T, FB_NUMBERS, 0, FLAGS, NULL, NULL, FB_ANY, FB_BY_NAME, U, S }
#define FB_F_TEXT(K, T, D, S) \
    { K, T, FB_STRING, 1, 0, D, NULL, FB_ANY, FB_BY_NAME, NULL, S }
#define FB_F_TEXT_F(K, T, D, FLAGS, S) \
    { K, T, FB_STRING, 1, FLAGS, D, NULL, FB_ANY, FB_BY_NAME, NULL, S }
#define FB_F_TEXTS(K, T, FLAGS, S) \
    { K, T, FB_STRINGS, 0, FLAGS, NULL, NULL, FB_ANY, FB_BY_NAME, NULL, S }
#define FB_F_CHOICE(K, T, D, C, S) \
    { K, T, FB_CHOICE, 1, 0, D, C, FB_ANY, FB_BY_NAME, NULL, S }
#define FB_F_CHOICE_F(K, T, D, C, FLAGS, S) \
    { K, T, FB_CHOICE, 1, FLAGS, D, C, FB_ANY, FB_BY_NAME, NULL, S }
/* A reference by plain name (FLAGS 0), or through a socket (FLAGS FB_SOCKET). FAM: its family. */
#define FB_F_REF(K, T, FAM, FLAGS, S) \
    { K, T, FB_REF, 1, FLAGS, NULL, NULL, FAM, FB_BY_NAME, NULL, S }
#define FB_F_REFS(K, T, FAM, FLAGS, S) \
    { K, T, FB_REFS, 0, FLAGS, NULL, NULL, FAM, FB_BY_NAME, NULL, S }
/* One owned object, a list of them. D: class made when the file has none (NULL: stays empty). */
#define FB_F_OBJ(K, T, FAM, SHAPE, D, S) \
    { K, T, FB_OBJECT, 1, 0, D, NULL, FAM, SHAPE, NULL, S }
#define FB_F_OBJ_F(K, T, FAM, SHAPE, D, FLAGS, S) \
    { K, T, FB_OBJECT, 1, FLAGS, D, NULL, FAM, SHAPE, NULL, S }
#define FB_F_OBJS(K, T, FAM, SHAPE, S) \
    { K, T, FB_OBJECTS, 0, 0, NULL, NULL, FAM, SHAPE, NULL, S }
#define FB_F_OBJS_F(K, T, FAM, SHAPE, FLAGS, S) \
    { K, T, FB_OBJECTS, 0, FLAGS, NULL, NULL, FAM, SHAPE, NULL, S }

#define FB_N_FIELDS(F) ((int)(sizeof(F) / sizeof((F)[0])))
/* A class with fields F (an array); a class without fields. */
#define FB_CLASS(NAME, TYPE, LIST, FAMILY, F, S) \
    { NAME, TYPE, LIST, FAMILY, F, FB_N_FIELDS(F), S }
#define FB_CLASS_0(NAME, TYPE, LIST, FAMILY, S) \
    { NAME, TYPE, LIST, FAMILY, NULL, 0, S }

/* The tables, one a file; each ends with a row whose name is NULL. */
extern const fb_class fb_classes_model[];  /* model, frames, stations, markers, visuals */
extern const fb_class fb_classes_joints[]; /* joints, coordinates, constraints */
extern const fb_class fb_classes_functions[];
extern const fb_class fb_classes_paths[];       /* paths, points, wrap objects */
extern const fb_class fb_classes_muscles[];     /* muscles and their curves */
extern const fb_class fb_classes_forces[];      /* all other forces and actuators */
extern const fb_class fb_classes_contact[];     /* contact geometry and contact forces */
extern const fb_class fb_classes_controllers[]; /* controllers, probes, reporters */

/* The class that OpenSim calls `name`, or NULL. Current names only; formats/osim knows old ones. */
const fb_class *fb_class_find(const char *name);
/* The class of `list` whose .fb type is `type` (NULL: the one without), or NULL. */
const fb_class *fb_class_find_type(const char *list, fb_family family, const char *type);
/* The i-th class of all, i from 0; NULL past the last. */
const fb_class *fb_class_at(int i);
/* The field with that key, or with that tag: its index in cls->fields, or -1. */
int fb_class_field(const fb_class *cls, const char *key);
int fb_class_tag(const fb_class *cls, const char *tag);

/* The lists of .fb in their order, NULL-terminated. */
extern const char *const fb_lists[];
/* Where a list's elements live in OpenSim unless their path says otherwise: "/forceset", or "". */
const char *fb_list_set(const char *list);
/* The family whose namespace a family's names live in: FB_FRAME for ground, bodies and frames. */
fb_family fb_family_namespace(fb_family family);
/* "joint", "wrap object": for messages. */
const char *fb_family_word(fb_family family);

#ifdef __cplusplus
}
#endif
#endif
