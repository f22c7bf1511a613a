#include "formats/mesh_vtk.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "libcore/base/number.h"

#define LONGEST_WORD 64
#define MOST_NUMBERS 1e9 /* of one array */

/* Types of cells of unstructured grids, as VTK counts them. */
enum { TRIANGLE = 5, STRIP = 6, POLYGON = 7, QUADRANGLE = 9 };

typedef struct reader {
    const fb_mesh_sink *sink;
    fb_arena *arena;
    const char *p, *end;
    int line;    /* of p, while it is text */
    bool text;   /* else numbers are big-endian */
    bool passed; /* binary numbers have been read: lines cannot be counted any more */
    bool grid;   /* UNSTRUCTURED_GRID */
    bool points; /* they have been read */
} reader;

typedef struct numbers {
    double *x;
    size_t n;
} numbers;

/* Cells: their corners one after the other; cell i ends before ends[i]. */
typedef struct cells {
    numbers corners, ends;
} cells;

static const char *const cut_off = "the file ends before its last number";

/* ---- words and numbers ----------------------------------------------------------------------- */

/* The next word, in small letters; false at the end of the file. */
static bool next_word(reader *r, char word[LONGEST_WORD]) {
    size_t n = 0;
    while (r->p < r->end && isspace((unsigned char)*r->p)) {
        r->line += *r->p++ == '\n';
    }
    for (; r->p < r->end && !isspace((unsigned char)*r->p); r->p++) {
        if (n + 1 < LONGEST_WORD) {
            word[n++] = (char)tolower((unsigned char)*r->p);
        }
    }
    word[n] = 0;
    return n > 0;
}

/* A whole number from 0. */
static bool next_count(reader *r, double *count) {
    char word[LONGEST_WORD];
    return next_word(r, word) && fb_number_parse(word, strlen(word), count) &&
           fb_mesh_corner(*count) >= 0;
}

static void end_line(reader *r) {
    const char *stop = memchr(r->p, '\n', (size_t)(r->end - r->p));
    r->line += stop != NULL;
    r->p = stop ? stop + 1 : r->end;
}

static const struct {
    const char *name;
    fb_mesh_type type;
} types[] = {
    {"char", FB_MESH_INT8},
    {"signed_char", FB_MESH_INT8},
    {"unsigned_char", FB_MESH_UINT8},
    {"short", FB_MESH_INT16},
    {"unsigned_short", FB_MESH_UINT16},
    {"int", FB_MESH_INT32},
    {"unsigned_int", FB_MESH_UINT32},
    {"vtkidtype", FB_MESH_INT32}, /* written as int, whatever it is in memory */
    {"vtktypeint32", FB_MESH_INT32},
    {"vtktypeuint32", FB_MESH_UINT32},
    {"long", FB_MESH_INT64},
    {"unsigned_long", FB_MESH_UINT64},
    {"vtktypeint64", FB_MESH_INT64},
    {"vtktypeuint64", FB_MESH_UINT64},
    {"float", FB_MESH_FLOAT32},
    {"double", FB_MESH_FLOAT64},
};

static fb_mesh_type type_of(const char *name) {
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (strcmp(types[i].name, name) == 0) {
            return types[i].type;
        }
    }
    return FB_MESH_NONE;
}

static const char *read_text(reader *r, numbers *a) {
    for (size_t i = 0; i < a->n; i++) {
        while (r->p < r->end && isspace((unsigned char)*r->p)) {
            r->line += *r->p++ == '\n';
        }
        if (r->p == r->end) {
            return cut_off;
        }
        if (!fb_number_scan(&r->p, r->end, &a->x[i]) ||
            (r->p < r->end && !isspace((unsigned char)*r->p))) {
            return "something that is not a number";
        }
    }
    return NULL;
}

/* n numbers of a type. The line before them ends here if they are binary. */
static const char *read_numbers(reader *r, double n, fb_mesh_type type, numbers *a) {
    size_t width = r->text ? 2 : fb_mesh_type_size(type); /* a digit and a blank at least */
    if (type == FB_MESH_NONE) {
        return "its numbers have a type that is not known";
    }
    if (!r->text) {
        end_line(r);
    }
    if (!(n <= MOST_NUMBERS) || (size_t)n > ((size_t)(r->end - r->p) + r->text) / width) {
        return cut_off;
    }
    a->n = (size_t)n;
    a->x = fb_arena_array(r->arena, a->n + 1, sizeof *a->x);
    if (r->text) {
        return read_text(r, a);
    }
    r->passed = true;
    for (size_t i = 0; i < a->n; i++, r->p += width) {
        a->x[i] = fb_mesh_number(type, (const unsigned char *)r->p, true);
    }
    return NULL;
}

/* ---- sections -------------------------------------------------------------------------------- */

static const char *read_points(reader *r) {
    char word[LONGEST_WORD];
    numbers a;
    double n;
    if (!next_count(r, &n) || !next_word(r, word)) {
        return "POINTS has no number and type of points";
    }
    const char *why = read_numbers(r, 3 * n, type_of(word), &a);
    for (size_t i = 0; !why && i < a.n; i += 3) {
        why = r->sink->vertex(r->sink->context, a.x + i) ? NULL : "";
    }
    r->points = true;
    return why;
}

static const char *read_array_of(reader *r, const char *name, double n, numbers *a) {
    char word[LONGEST_WORD];
    if (!next_word(r, word) || strcmp(word, name) != 0 || !next_word(r, word)) {
        return "its cells have no OFFSETS and CONNECTIVITY, or these have no type";
    }
    return read_numbers(r, n, type_of(word), a);
}

/* Version 5: where cells end, and all corners. */
static const char *read_offsets(reader *r, double n, double n_corners, cells *c) {
    const char *why = read_array_of(r, "offsets", n, &c->ends);
    why = why ? why : read_array_of(r, "connectivity", n_corners, &c->corners);
    if (!why && c->ends.n > 0) { /* the first is where the first cell begins */
        c->ends.x++;
        c->ends.n--;
    }
    return why;
}

/* Before: each cell's number of corners, then they. */
static const char *read_counts(reader *r, double n, double size, cells *c) {
    const char *why = read_numbers(r, size, FB_MESH_INT32, &c->corners);
    if (why) {
        return why;
    }
    if (n > size) {
        return "its cells are more than their numbers";
    }
    c->ends.n = (size_t)n;
    c->ends.x = fb_arena_array(r->arena, c->ends.n + 1, sizeof *c->ends.x);
    double *x = c->corners.x;
    size_t from = 0, to = 0;
    for (size_t i = 0; i < c->ends.n; i++) { /* the counts are taken out */
        double count = from < c->corners.n ? x[from++] : -1;
        if (!(count >= 0 && count <= (double)(c->corners.n - from))) {
            return "the number of a cell's corners does not fit their list";
        }
        memmove(x + to, x + from, (size_t)count * sizeof *x);
        from += (size_t)count;
        to += (size_t)count;
        c->ends.x[i] = (double)to;
    }
    c->corners.n = to;
    return NULL;
}

static const char *read_cells(reader *r, cells *c) {
    double n, size;
    memset(c, 0, sizeof *c);
    if (!next_count(r, &n) || !next_count(r, &size)) {
        return "its cells have no number and size";
    }
    const char *before = r->p;
    int line = r->line;
    char word[LONGEST_WORD];
    bool offsets = next_word(r, word) && strcmp(word, "offsets") == 0;
    r->p = before;
    r->line = line;
    return offsets ? read_offsets(r, n, size, c) : read_counts(r, n, size, c);
}

/* Cell types: NULL for polygons, or strips. */
static const char *cut(reader *r, const cells *c, const numbers *kinds, bool strips) {
    size_t begin = 0;
    for (size_t i = 0; i < c->ends.n; i++) {
        int kind = kinds    ? i < kinds->n ? (int)fb_mesh_corner(kinds->x[i]) : 0
                   : strips ? STRIP
                            : POLYGON;
        if (!(c->ends.x[i] >= (double)begin && c->ends.x[i] <= (double)c->corners.n)) {
            return "the offsets of its cells do not fit their corners";
        }
        size_t n = (size_t)c->ends.x[i] - begin;
        if (kind == TRIANGLE || kind == STRIP || kind == POLYGON || kind == QUADRANGLE) {
            const char *why = fb_mesh_cut(r->sink, 0, c->corners.x + begin, n, kind == STRIP);
            if (why) {
                return why;
            }
        }
        begin += n;
    }
    return NULL;
}

/* Named arrays that belong to the whole, passed over. */
static const char *skip_field(reader *r) {
    char word[LONGEST_WORD];
    double n, components, tuples;
    numbers a;
    if (!next_word(r, word) || !next_count(r, &n)) {
        return "FIELD has no number of arrays";
    }
    for (double i = 0; i < n; i++) {
        if (!next_word(r, word)) {
            return cut_off;
        }
        if (strcmp(word, "metadata") == 0) { /* of the array before */
            i--;
            do {
                end_line(r);
            } while (r->p < r->end && *r->p != '\n' && *r->p != '\r');
            continue;
        }
        if (!next_count(r, &components) || !next_count(r, &tuples) || !next_word(r, word)) {
            return "an array of FIELD has no size and type";
        }
        const char *why = read_numbers(r, components * tuples, type_of(word), &a);
        if (why) {
            return why;
        }
    }
    return NULL;
}

/* Of grids, whose cells' types come after the cells. */
static const char *read_types(reader *r, const cells *c) {
    double n;
    numbers kinds;
    if (!next_count(r, &n)) {
        return "CELL_TYPES has no number";
    }
    const char *why = read_numbers(r, n, FB_MESH_INT32, &kinds);
    return why ? why : cut(r, c, &kinds, false);
}

static bool is_attributes(const char *word) {
    return strcmp(word, "point_data") == 0 || strcmp(word, "cell_data") == 0;
}

static const char *read_sections(reader *r) {
    char word[LONGEST_WORD];
    const char *why = NULL;
    cells c;
    memset(&c, 0, sizeof c);
    while (!why && next_word(r, word) && !is_attributes(word)) {
        bool strips = strcmp(word, "triangle_strips") == 0;
        if (strcmp(word, "points") == 0) {
            why = read_points(r);
        } else if (!r->grid && (strips || strcmp(word, "polygons") == 0)) {
            why = read_cells(r, &c);
            why = why ? why : cut(r, &c, NULL, strips);
        } else if (strcmp(word, "vertices") == 0 || strcmp(word, "lines") == 0 ||
                   (r->grid && strcmp(word, "cells") == 0)) {
            why = read_cells(r, &c);
        } else if (r->grid && strcmp(word, "cell_types") == 0) {
            why = read_types(r, &c);
        } else if (strcmp(word, "field") == 0) {
            why = skip_field(r);
        } else if (strcmp(word, "metadata") == 0) { /* up to an empty line */
            do {
                end_line(r);
            } while (r->p < r->end && *r->p != '\n' && *r->p != '\r');
        } else {
            why = "a keyword that is not known, or numbers too many";
        }
    }
    return why || r->points ? why : "it has no POINTS";
}

static const char *read_header(reader *r) {
    static const char magic[] = "# vtk DataFile Version ";
    char word[LONGEST_WORD];
    if ((size_t)(r->end - r->p) < strlen(magic) || strncasecmp(r->p, magic, strlen(magic)) != 0) {
        return "it does not begin with '# vtk DataFile Version'";
    }
    end_line(r);
    end_line(r); /* the title */
    bool there = next_word(r, word);
    r->text = there && strcmp(word, "ascii") == 0;
    if (!r->text && !(there && strcmp(word, "binary") == 0)) {
        return "its third line is neither ASCII nor BINARY";
    }
    if (!next_word(r, word) || strcmp(word, "dataset") != 0 || !next_word(r, word)) {
        return "it does not say its DATASET";
    }
    r->grid = strcmp(word, "unstructured_grid") == 0;
    return r->grid || strcmp(word, "polydata") == 0
               ? NULL
               : "its DATASET is neither POLYDATA nor UNSTRUCTURED_GRID";
}

const char *fb_vtk_read(const char *bytes, size_t size, const fb_mesh_sink *sink, fb_arena *arena,
                        fb_mesh_at *at) {
    reader r = {.sink = sink, .arena = arena, .p = bytes, .end = bytes + size, .line = 1};
    const char *why = read_header(&r);
    why = why ? why : read_sections(&r);
    at->line = r.passed ? 0 : r.line;
    at->byte = (size_t)(r.p - bytes);
    return why;
}
