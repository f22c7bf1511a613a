/* Diagnostics: what was noticed while reading, checking or writing, as records; nothing is printed
 * below tools/. The same records make the messages on standard error, the ledger (--report) and
 * the exit status. */
#ifndef FB_BASE_DIAG_H
#define FB_BASE_DIAG_H

#include "libcore/base/arena.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a function that can fail returns: 0 done, negative failed. The tools map them to exit
 * statuses (docs/conventions.md). */
typedef enum fb_status {
    FB_OK = 0,
    FB_E_INPUT = -3, /* the input cannot be read, or is invalid */
    FB_E_UNSUPPORTED = -4,
    FB_E_NUMERIC = -5,
    FB_E_OUTPUT = -6,
    FB_E_MEMORY = -70
} fb_status;

/* What happened to a part of a model. The ledger counts these. */
typedef enum fb_action {
    FB_EXACT,        /* read as it is; never a record */
    FB_WARNING,      /* read as it is, but something about it is worth a look */
    FB_APPROXIMATED, /* read, with a change that is described */
    FB_KEPT,         /* not understood: kept word for word, and written back */
    FB_IGNORED,      /* left out */
    FB_ERROR,        /* wrong: the model is refused */
    FB_ACTION_COUNT
} fb_action;

/* Every message has an id that does not change: X(id, what it is about). docs/errors.md lists them.
 */
#define FB_DIAG_IDS(X) \
    X(FB1001, "a file cannot be opened or read") \
    X(FB1002, "a file is larger than --max-size") \
    X(FB1003, "memory ran out") \
    X(FB1004, "a file is empty") \
    X(FB1101, "XML that is not well-formed") \
    X(FB1102, "XML nested too deeply") \
    X(FB1103, "an XML entity that fbtools does not expand") \
    X(FB1104, "bytes in another encoding than the file declares") \
    X(FB1105, "a bare '&'") \
    X(FB1106, "a document type declaration") \
    X(FB1107, "text beside elements") \
    X(FB1201, "not an OpenSim model") \
    X(FB1202, "a document version that is unknown") \
    X(FB1203, "an included file") \
    X(FB1301, "JSON that is not well-formed") \
    X(FB1302, "a .fb document of a newer major version") \
    X(FB1303, "a member of a .fb document with a wrong type or value") \
    X(FB1304, "a bundle spec, or a table of muscles, that cannot be followed") \
    X(FB1401, "a table of numbers that cannot be read") \
    X(FB1402, "a mesh that cannot be read") \
    X(FB1403, "external loads that cannot be applied") \
    X(FB1404, "states that do not fit the model") \
    X(FB1406, "a table of numbers with fewer rows than it says") \
    X(FB1410, "layers of bundles that cannot be read") \
    X(FB1411, "feature points that cannot be read") \
    X(FB1412, "a feature point without partner, or there twice") \
    X(FB1413, "transform parameters that cannot be read") \
    X(FB1414, "a skeleton that cannot be read") \
    X(FB1415, "an OpenSim set-up that cannot be followed") \
    X(FB1416, "measured markers, or tasks, that do not fit the model") \
    X(FB2001, "a class that fbtools does not know") \
    X(FB2002, "a property that the class does not have") \
    X(FB2003, "a property given twice") \
    X(FB2004, "an attribute that is not known") \
    X(FB2101, "a number that cannot be read") \
    X(FB2102, "a wrong count of numbers") \
    X(FB2103, "a true/false value or a word that cannot be read") \
    X(FB2104, "a value out of range") \
    X(FB2105, "a value that must be given") \
    X(FB2201, "a reference to nothing") \
    X(FB2202, "a reference found by its bare name") \
    X(FB2203, "names that are not unique") \
    X(FB2204, "an element without a name") \
    X(FB2205, "references that go round in a circle") \
    X(FB2301, "a body that no joint reaches") \
    X(FB2302, "a mass or an inertia that no body can have") \
    X(FB2303, "a function asked outside its domain") \
    X(FB2304, "a mesh that is missing") \
    X(FB2305, "a function that cannot be evaluated") \
    X(FB2306, "a loop of joints") \
    X(FB2307, "a muscle parameter that is unusual") \
    X(FB2308, "a joint, constraint, force or controller that is not computed") \
    X(FB2309, "a virtual link that wires cannot hold") \
    X(FB2310, "a surface that is not the bone it should be") \
    X(FB2311, "points that do not determine a transformation") \
    X(FB2312, "a surface that is open, inside out or otherwise faulty") \
    X(FB2313, "surfaces that cannot be laid on each other") \
    X(FB2401, "something changed on upgrade from an old version") \
    X(FB2501, "what an older document version cannot hold") \
    X(FB2502, "a name that an OpenSim list cannot hold") \
    X(FB2503, "what OpenSim has no word for") \
    X(FB2504, "a muscle that cannot be written as sub-muscles, or not exactly") \
    X(FB2601, "what a model carried onto another skeleton needs, or loses") \
    X(FB3001, "output cannot be written") \
    X(FB4001, "a muscle that finds no equilibrium") \
    X(FB4002, "constraints that cannot be met") \
    X(FB4003, "accelerations that do not follow from the masses") \
    X(FB4004, "a virtual link that finds no equilibrium, or that nothing holds") \
    X(FB4005, "a path without length, or that cannot go around what it wraps") \
    X(FB4006, "results that are not finite") \
    X(FB4007, "a muscle that acts otherwise on a new skeleton") \
    X(FB4008, "a scan that does not fit the joints of its model") \
    X(FB4009, "a motion that needs more force than muscles and actuators have")

typedef enum fb_diag_id {
#define FB_DIAG_ENUM(ID, TEXT) ID,
    FB_DIAG_IDS(FB_DIAG_ENUM)
#undef FB_DIAG_ENUM
        FB_DIAG_ID_COUNT
} fb_diag_id;

typedef struct fb_record {
    fb_action action;
    fb_diag_id id;
    const char *file;    /* or NULL */
    int line;            /* from 1; 0: none */
    const char *path;    /* the element's OpenSim component path, or NULL */
    const char *cls;     /* its class, or NULL */
    const char *message; /* one sentence: lower case, no full stop */
    const char *effect;  /* what that means for the model, or NULL */
    const char *unit;    /* the unit of the value concerned, or NULL */
} fb_record;

/* Past this many records the rest are only counted: a file with a million errors stays readable. */
#define FB_DIAG_MAX 10000

typedef struct fb_diag {
    fb_arena arena;
    fb_record *records;
    size_t n, capacity;
    long counts[FB_ACTION_COUNT];
    const char *file; /* the file being read, used by records that name none */
    int out_of_memory;
} fb_diag;

void fb_diag_init(fb_diag *diag);
void fb_diag_clear(fb_diag *diag);

/* Where a record belongs; all may be 0 or NULL. */
typedef struct fb_place {
    const char *file;
    int line;
    const char *path;
    const char *cls;
} fb_place;

/* Adds a record; strings are copied. `effect` may be NULL. */
void fb_diag_add(fb_diag *diag, fb_action action, fb_diag_id id, fb_place place, const char *effect,
                 const char *format, ...) __attribute__((format(printf, 6, 7)));

/* Sets the unit of the values that the last record is about. */
void fb_diag_unit(fb_diag *diag, const char *unit);

/* "FB2104", "a value out of range", "approximated". */
const char *fb_diag_name(fb_diag_id id);
const char *fb_diag_text(fb_diag_id id);
const char *fb_action_word(fb_action action);

/* The candidate nearest to a misspelt word (at most a third of its letters changed), or NULL.
 * `next` returns the i-th candidate, NULL past the last. */
const char *fb_nearest_word(const char *word, const char *(*next)(const void *context, int i),
                            const void *context);

#ifdef __cplusplus
}
#endif
#endif
