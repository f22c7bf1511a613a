#include "formats/mesh_read.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

#include "formats/mesh_ply.h"
#include "formats/text.h"
#include "formats/xml.h"
#include "libcore/base/number.h"

#define STL_HEADER 84 /* bytes of a binary STL before its triangles */
#define STL_FACE 50   /* bytes of each */
#define MOST 50000000 /* vertices or faces */

typedef struct reader {
    fb_mesh_file *mesh;
    const char *file;
    fb_diag *diag;
    int line;
} reader;

static bool refuse(const reader *r, const char *what) {
    fb_diag_add(r->diag, FB_ERROR, FB1402, (fb_place){r->file, r->line, NULL, NULL}, NULL, "%s",
                what);
    return false;
}

static bool add_vertex(const reader *r, const double *p) {
    fb_mesh_file *m = r->mesh;
    if (!isfinite(p[0]) || !isfinite(p[1]) || !isfinite(p[2]) || m->n_vertices >= MOST) {
        return refuse(r, "a vertex that is not finite, or one too many");
    }
    m->vertices = fb_arena_grow(&m->arena, m->vertices, m->n_vertices, &m->capacity_vertices,
                                sizeof *m->vertices);
    memcpy(m->vertices[m->n_vertices++], p, sizeof *m->vertices);
    return true;
}

static bool add_face(const reader *r, long a, long b, long c) {
    fb_mesh_file *m = r->mesh;
    long n = (long)m->n_vertices;
    if (a < 0 || b < 0 || c < 0 || a >= n || b >= n || c >= n || m->n_faces >= MOST) {
        return refuse(r, "a face has a vertex that does not exist");
    }
    m->faces = fb_arena_grow(&m->arena, m->faces, m->n_faces, &m->capacity_faces, sizeof *m->faces);
    int *face = m->faces[m->n_faces++];
    face[0] = (int)a;
    face[1] = (int)b;
    face[2] = (int)c;
    return true;
}

/* ---- lines of text --------------------------------------------------------------------------- */

static const char *skip_blanks(const char *p, const char *end) {
    while (p < end && (*p == ' ' || *p == '\t' || *p == '\r')) {
        p++;
    }
    return p;
}

/* Three numbers. */
static bool read_point(const char **p, const char *end, double *point) {
    for (int k = 0; k < 3; k++) {
        *p = skip_blanks(*p, end);
        if (!fb_number_scan(p, end, &point[k])) {
            return false;
        }
    }
    return true;
}

static bool begins(const char *p, const char *end, const char *word) {
    size_t n = strlen(word);
    return (size_t)(end - p) > n && strncasecmp(p, word, n) == 0 && isspace((unsigned char)p[n]);
}

/* "f 1/2/3 4//5 -1": numbers of vertices from 1, or back from the last. */
static bool read_obj_face(const reader *r, const char *p, const char *end) {
    long first = -1, before = -1;
    for (int corner = 0;; corner++) {
        double number;
        p = skip_blanks(p, end);
        if (p == end) {
            return corner >= 3 || refuse(r, "a face has fewer than three corners");
        }
        if (!fb_number_scan(&p, end, &number) || number != floor(number) || fabs(number) > MOST) {
            return refuse(r, "a face has a corner that is not a whole number");
        }
        while (p < end && !isspace((unsigned char)*p)) { /* texture and normal */
            p++;
        }
        long vertex = number > 0 ? (long)number - 1 : (long)r->mesh->n_vertices + (long)number;
        if (corner >= 2 && !add_face(r, first, before, vertex)) {
            return false;
        }
        first = corner == 0 ? vertex : first;
        before = vertex;
    }
}

static bool read_obj(reader *r, const char *p, const char *end) {
    for (r->line = 1; p < end; r->line++) {
        const char *stop = memchr(p, '\n', (size_t)(end - p));
        stop = stop ? stop : end;
        p = skip_blanks(p, stop);
        if (begins(p, stop, "v")) {
            double point[3];
            p++;
            if (!read_point(&p, stop, point)) {
                return refuse(r, "a vertex is not three numbers");
            }
            if (!add_vertex(r, point)) {
                return false;
            }
        } else if (begins(p, stop, "f") && !read_obj_face(r, p + 1, stop)) {
            return false;
        }
        p = stop + 1;
    }
    r->line = 0;
    return true;
}

/* Every three lines "vertex x y z" are a face. */
static bool read_stl_text(reader *r, const char *p, const char *end) {
    for (r->line = 1; p < end; r->line++) {
        const char *stop = memchr(p, '\n', (size_t)(end - p));
        stop = stop ? stop : end;
        p = skip_blanks(p, stop);
        if (begins(p, stop, "vertex")) {
            double point[3];
            p += 6;
            if (!read_point(&p, stop, point)) {
                return refuse(r, "a vertex is not three numbers");
            }
            if (!add_vertex(r, point)) {
                return false;
            }
            long n = (long)r->mesh->n_vertices;
            if (n % 3 == 0 && !add_face(r, n - 3, n - 2, n - 1)) {
                return false;
            }
        }
        p = stop + 1;
    }
    r->line = 0;
    return true;
}

static uint32_t little_endian(const unsigned char *p) {
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static bool read_stl(reader *r, const char *bytes, size_t size) {
    const unsigned char *p = (const unsigned char *)bytes;
    size_t n = size >= STL_HEADER ? little_endian(p + STL_HEADER - 4) : 0;
    if (size < STL_HEADER || size != STL_HEADER + n * STL_FACE) {
        return read_stl_text(r, bytes, bytes + size);
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < 3; j++) {
            double point[3];
            for (size_t k = 0; k < 3; k++) {
                uint32_t bits = little_endian(p + STL_HEADER + STL_FACE * i + 12 + 12 * j + 4 * k);
                float x;
                memcpy(&x, &bits, sizeof x);
                point[k] = (double)x;
            }
            if (!add_vertex(r, point)) {
                return false;
            }
        }
        if (!add_face(r, (long)(3 * i), (long)(3 * i) + 1, (long)(3 * i) + 2)) {
            return false;
        }
    }
    return true;
}

/* ---- VTP ------------------------------------------------------------------------------------- */

/* All numbers of a DataArray as text; false with an error if they are not that. */
static bool read_array(reader *r, const fb_xml_node *array, double **x, size_t *n) {
    const char *format = array ? fb_xml_attr(array, "format") : NULL;
    size_t capacity = 0;
    *x = NULL;
    *n = 0;
    r->line = array ? array->line : r->line;
    if (!array || (format && strcasecmp(format, "ascii") != 0)) {
        return refuse(r, "its numbers are missing, or are not text (format=\"ascii\")");
    }
    const char *p = array->text, *end = p + array->text_length;
    for (;;) {
        double value;
        while (p < end && isspace((unsigned char)*p)) {
            p++;
        }
        if (p == end) {
            return true;
        }
        if (!fb_number_scan(&p, end, &value)) {
            return refuse(r, "something that is not a number");
        }
        FB_PUSH(&r->mesh->arena, *x, *n, capacity, value);
    }
}

static const fb_xml_node *array_named(const fb_xml_node *parent, const char *name) {
    const fb_xml_node *array = parent ? fb_xml_child(parent, "DataArray") : NULL;
    for (; array; array = fb_xml_next(array, "DataArray")) {
        const char *own = fb_xml_attr(array, "Name");
        if (own && strcasecmp(own, name) == 0) {
            return array;
        }
    }
    return NULL;
}

static bool read_piece(reader *r, const fb_xml_node *piece) {
    const fb_xml_node *points = fb_xml_child(piece, "Points"),
                      *polys = fb_xml_child(piece, "Polys");
    long base = (long)r->mesh->n_vertices;
    double *x, *corners, *ends;
    size_t n, n_corners, n_ends, begin = 0;
    if (!read_array(r, points ? fb_xml_child(points, "DataArray") : NULL, &x, &n)) {
        return false;
    }
    for (size_t i = 0; i + 2 < n; i += 3) {
        if (!add_vertex(r, x + i)) {
            return false;
        }
    }
    if (!polys) {
        return true;
    }
    if (!read_array(r, array_named(polys, "connectivity"), &corners, &n_corners) ||
        !read_array(r, array_named(polys, "offsets"), &ends, &n_ends)) {
        return false;
    }
    for (size_t i = 0; i < n_ends; i++) {
        if (!(ends[i] >= (double)begin && ends[i] <= (double)n_corners)) {
            return refuse(r, "the offsets of its polygons do not fit their corners");
        }
        for (size_t k = begin + 2; k < (size_t)ends[i]; k++) {
            const double c[3] = {corners[begin], corners[k - 1], corners[k]};
            for (int j = 0; j < 3; j++) {
                if (!(c[j] >= 0 && c[j] < MOST)) {
                    return refuse(r, "a face has a vertex that does not exist");
                }
            }
            if (!add_face(r, base + (long)c[0], base + (long)c[1], base + (long)c[2])) {
                return false;
            }
        }
        begin = (size_t)ends[i];
    }
    return true;
}

static bool read_vtp(reader *r, const fb_xml *xml) {
    const fb_xml_node *data = fb_xml_child(xml->root, "PolyData");
    const fb_xml_node *piece = data ? fb_xml_child(data, "Piece") : NULL;
    if (!piece) {
        return refuse(r, "it holds no PolyData");
    }
    for (; piece; piece = fb_xml_next(piece, "Piece")) {
        if (!read_piece(r, piece)) {
            return false;
        }
    }
    return true;
}

/* ---- PLY ------------------------------------------------------------------------------------- */

static bool ply_vertex(void *context, const double *point) {
    return add_vertex(context, point);
}

static bool ply_face(void *context, long a, long b, long c) {
    return add_face(context, a, b, c);
}

static bool read_ply(reader *r, const char *bytes, size_t size) {
    const fb_ply_sink sink = {ply_vertex, ply_face, r};
    const char *why = fb_ply_read(bytes, size, &sink, &r->line);
    return !why || (*why && refuse(r, why));
}

/* ---- any ------------------------------------------------------------------------------------- */

static bool read_bytes(reader *r, const char *bytes, size_t size, const fb_xml *xml) {
    bool done = xml                                  ? read_vtp(r, xml)
                : fb_file_ends_with(r->file, ".obj") ? read_obj(r, bytes, bytes + size)
                : fb_file_ends_with(r->file, ".stl") ? read_stl(r, bytes, size)
                : fb_file_ends_with(r->file, ".ply")
                    ? read_ply(r, bytes, size)
                    : refuse(r,
                             "mesh files of its kind are not read; .obj, .ply, .stl and .vtp are");
    return done && (r->mesh->n_faces > 0 || refuse(r, "it holds no faces"));
}

/* The same, with memory that runs out as an error. */
static fb_status read_guarded(reader *r, const char *bytes, size_t size, const fb_xml *xml) {
    fb_status status;
    jmp_buf oom;
    if (setjmp(oom)) {
        status = FB_E_MEMORY;
        fb_diag_add(r->diag, FB_ERROR, FB1003, (fb_place){r->file, 0, NULL, NULL}, NULL,
                    "out of memory");
    } else {
        r->mesh->arena.oom = &oom;
        status = read_bytes(r, bytes, size, xml) ? FB_OK : FB_E_INPUT;
        r->mesh->arena.oom = NULL;
    }
    if (status != FB_OK) {
        fb_mesh_free(r->mesh);
    }
    return status;
}

fb_status fb_mesh_read(fb_mesh_file *mesh, char *bytes, size_t size, const char *file,
                       fb_diag *diag) {
    reader r = {mesh, file, diag, 0};
    memset(mesh, 0, sizeof *mesh);
    fb_arena_init(&mesh->arena);
    if (!fb_file_ends_with(file, ".vtp")) {
        fb_status status = read_guarded(&r, bytes, size, NULL);
        fb_free(bytes);
        return status;
    }
    fb_xml xml;
    fb_status status = fb_xml_parse(&xml, bytes, size, file, diag); /* takes the bytes */
    if (status == FB_OK) {
        status = read_guarded(&r, NULL, 0, &xml);
        fb_xml_free(&xml);
    }
    return status;
}

void fb_mesh_free(fb_mesh_file *mesh) {
    fb_arena_clear(&mesh->arena);
    memset(mesh, 0, sizeof *mesh);
}
