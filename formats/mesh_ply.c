#include "formats/mesh_ply.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "libcore/base/number.h"

#define MOST_ELEMENTS 16
#define MOST_PROPERTIES 32
#define MOST_CORNERS 255

static const struct {
    const char *name;
    fb_mesh_type type;
} type_names[] = {
    {"char", FB_MESH_INT8},       {"int8", FB_MESH_INT8},       {"uchar", FB_MESH_UINT8},
    {"uint8", FB_MESH_UINT8},     {"short", FB_MESH_INT16},     {"int16", FB_MESH_INT16},
    {"ushort", FB_MESH_UINT16},   {"uint16", FB_MESH_UINT16},   {"int", FB_MESH_INT32},
    {"int32", FB_MESH_INT32},     {"uint", FB_MESH_UINT32},     {"uint32", FB_MESH_UINT32},
    {"float", FB_MESH_FLOAT32},   {"float32", FB_MESH_FLOAT32}, {"double", FB_MESH_FLOAT64},
    {"float64", FB_MESH_FLOAT64},
};

typedef struct property {
    fb_mesh_type type, count; /* count NONE: one number, else that of a list's length */
    int axis;                 /* 0 to 2: of a vertex; -1: none of these */
    bool corners;             /* a face's list of vertices */
} property;

typedef struct element {
    enum { OTHER, VERTEX, FACE } kind;
    double n;
    property properties[MOST_PROPERTIES];
    int n_properties;
} element;

typedef struct ply {
    const char *p, *end;
    const fb_mesh_sink *sink;
    int *line;
    bool text, big_endian;
    element elements[MOST_ELEMENTS];
    int n_elements;
} ply;

/* ---- the header ------------------------------------------------------------------------------ */

/* The next word of a line, or an empty one at its end. */
static size_t word(const char **p, const char *end, char *to, size_t room) {
    while (*p < end && (**p == ' ' || **p == '\t')) {
        (*p)++;
    }
    size_t n = 0;
    for (; *p < end && !isspace((unsigned char)**p); (*p)++) {
        if (n + 1 < room) {
            to[n++] = **p;
        }
    }
    to[n] = 0;
    return n;
}

static fb_mesh_type type_of(const char *name) {
    for (size_t i = 0; i < sizeof type_names / sizeof *type_names; i++) {
        if (strcmp(type_names[i].name, name) == 0) {
            return type_names[i].type;
        }
    }
    return FB_MESH_NONE;
}

static const char *read_property(element *e, const char *p, const char *end) {
    char name[32];
    if (e->n_properties == MOST_PROPERTIES) {
        return "an element has too many properties";
    }
    property *q = &e->properties[e->n_properties++];
    *q = (property){.axis = -1};
    word(&p, end, name, sizeof name);
    if (strcmp(name, "list") == 0) {
        word(&p, end, name, sizeof name);
        q->count = type_of(name);
        if (q->count == FB_MESH_NONE || q->count >= FB_MESH_FLOAT32) {
            return "a list whose length is no whole number";
        }
        word(&p, end, name, sizeof name);
    }
    q->type = type_of(name);
    if (q->type == FB_MESH_NONE) {
        return "a property of an unknown type";
    }
    word(&p, end, name, sizeof name);
    if (e->kind == VERTEX && !q->count && name[0] >= 'x' && name[0] <= 'z' && !name[1]) {
        q->axis = name[0] - 'x';
    }
    q->corners = e->kind == FACE && q->count && q->type < FB_MESH_FLOAT32 &&
                 (strcmp(name, "vertex_indices") == 0 || strcmp(name, "vertex_index") == 0);
    return NULL;
}

static const char *read_format(ply *r, const char *p, const char *end) {
    char name[32];
    word(&p, end, name, sizeof name);
    r->text = strcmp(name, "ascii") == 0;
    r->big_endian = strcmp(name, "binary_big_endian") == 0;
    if (!r->text && !r->big_endian && strcmp(name, "binary_little_endian") != 0) {
        return "its format is neither ascii nor binary_little_endian nor binary_big_endian";
    }
    word(&p, end, name, sizeof name);
    return strcmp(name, "1.0") == 0 ? NULL : "it is not of version 1.0";
}

static const char *read_element(ply *r, const char *p, const char *end) {
    char name[32];
    if (r->n_elements == MOST_ELEMENTS) {
        return "it has too many kinds of elements";
    }
    element *e = &r->elements[r->n_elements++];
    memset(e, 0, sizeof *e);
    word(&p, end, name, sizeof name);
    e->kind = strcmp(name, "vertex") == 0 ? VERTEX : strcmp(name, "face") == 0 ? FACE : OTHER;
    word(&p, end, name, sizeof name);
    bool number = fb_number_parse(name, strlen(name), &e->n);
    return number && e->n >= 0 && e->n < 1e9 && e->n == floor(e->n)
               ? NULL
               : "the number of its elements is not a whole number";
}

/* Up to and with the line "end_header". */
static const char *read_header(ply *r) {
    bool format = false;
    for (*r->line = 1; r->p < r->end; (*r->line)++) {
        const char *p = r->p, *stop = memchr(p, '\n', (size_t)(r->end - p));
        char name[32];
        stop = stop ? stop : r->end;
        r->p = stop < r->end ? stop + 1 : stop;
        word(&p, stop, name, sizeof name);
        const char *why = NULL;
        if (*r->line == 1) {
            why = strcmp(name, "ply") == 0 ? NULL : "it does not begin with 'ply'";
        } else if (strcmp(name, "format") == 0) {
            why = read_format(r, p, stop);
            format = true;
        } else if (strcmp(name, "element") == 0) {
            why = read_element(r, p, stop);
        } else if (strcmp(name, "property") == 0) {
            why = r->n_elements ? read_property(&r->elements[r->n_elements - 1], p, stop)
                                : "a property of no element";
        } else if (strcmp(name, "end_header") == 0) {
            (*r->line)++;
            return format ? NULL : "it does not say its format";
        }
        if (why) {
            return why;
        }
    }
    return "its header does not end";
}

/* ---- numbers --------------------------------------------------------------------------------- */

static bool read_number(ply *r, fb_mesh_type t, double *x) {
    if (r->text) {
        while (r->p < r->end && isspace((unsigned char)*r->p)) {
            *r->line += *r->p++ == '\n';
        }
        return fb_number_scan(&r->p, r->end, x);
    }
    size_t n = fb_mesh_type_size(t);
    if ((size_t)(r->end - r->p) < n) {
        return false;
    }
    *x = fb_mesh_number(t, (const unsigned char *)r->p, r->big_endian);
    r->p += n;
    return true;
}

static const char *const cut_off = "the file ends before its last element";

static const char *read_list(ply *r, const property *q) {
    double n, x;
    long first = 0, before = 0;
    if (!read_number(r, q->count, &n)) {
        return cut_off;
    }
    if (!(n >= 0 && n <= MOST_CORNERS && n == floor(n)) || (q->corners && n < 3)) {
        return q->corners ? "a face has fewer than three corners, or more than 255"
                          : "a list is longer than 255";
    }
    for (int i = 0; i < (int)n; i++) {
        if (!read_number(r, q->type, &x)) {
            return cut_off;
        }
        if (!q->corners) {
            continue;
        }
        long corner = fb_mesh_corner(x);
        if (i >= 2 && !r->sink->face(r->sink->context, first, before, corner)) {
            return "";
        }
        first = i == 0 ? corner : first;
        before = corner;
    }
    return NULL;
}

const char *fb_ply_read(const char *bytes, size_t size, const fb_mesh_sink *sink, fb_mesh_at *at) {
    ply r = {.p = bytes, .end = bytes + size, .sink = sink, .line = &at->line};
    const char *why = read_header(&r);
    bool header = why != NULL;
    for (int k = 0; !why && k < r.n_elements; k++) {
        const element *e = &r.elements[k];
        for (double i = 0; !why && i < e->n; i++) {
            double point[3] = {FB_NAN, FB_NAN, FB_NAN}, other = 0;
            for (int j = 0; !why && j < e->n_properties; j++) {
                const property *q = &e->properties[j];
                double *x = q->axis >= 0 ? &point[q->axis] : &other;
                why = q->count ? read_list(&r, q) : read_number(&r, q->type, x) ? NULL : cut_off;
            }
            if (!why && e->kind == VERTEX && !sink->vertex(sink->context, point)) {
                why = "";
            }
            if (e->n_properties == 0) {
                break;
            }
        }
    }
    if (!r.text && !header) {
        at->line = 0;
        at->byte = (size_t)(r.p - bytes);
    }
    return why;
}
