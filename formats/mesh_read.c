#include "formats/mesh_read.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include "formats/mesh_ply.h"
#include "formats/mesh_vtk.h"
#include "formats/text.h"
#include "libcore/base/number.h"

#define STL_HEADER 84 /* bytes of a binary STL before its triangles */
#define STL_FACE 50   /* bytes of each */
#define MOST 50000000 /* vertices or faces */

typedef struct reader {
    fb_mesh_file *mesh;
    const char *file;
    fb_diag *diag;
    fb_mesh_at at;
} reader;

static bool refuse(const reader *r, const char *what) {
    fb_place place = {r->file, r->at.line, NULL, NULL};
    if (r->at.line == 0 && r->at.byte > 0) {
        fb_diag_add(r->diag, FB_ERROR, FB1402, place, NULL, "%s (at byte %zu)", what, r->at.byte);
    } else {
        fb_diag_add(r->diag, FB_ERROR, FB1402, place, NULL, "%s", what);
    }
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

/* The end of a line; where it ends with '\\', of the next one too, and that becomes a blank. */
static char *end_of_line(char *p, char *end, int *lines) {
    *lines = 1;
    for (char *from = p;; ++*lines) {
        char *stop = memchr(from, '\n', (size_t)(end - from));
        char *last = stop ? stop : end;
        last -= last > p && last[-1] == '\r';
        if (!stop || last == p || last[-1] != '\\') {
            return stop ? stop : end;
        }
        memset(last - 1, ' ', (size_t)(stop + 1 - (last - 1)));
        from = stop + 1;
    }
}

static bool read_obj_line(const reader *r, const char *p, const char *stop) {
    p = skip_blanks(p, stop);
    if (begins(p, stop, "v")) {
        double point[3];
        p++;
        if (!read_point(&p, stop, point)) {
            return refuse(r, "a vertex is not three numbers");
        }
        return add_vertex(r, point);
    }
    return !begins(p, stop, "f") || read_obj_face(r, p + 1, stop);
}

/* Changes the bytes. */
static bool read_obj(reader *r, char *p, char *end) {
    int lines;
    if (end - p >= 3 && memcmp(p, "\xEF\xBB\xBF", 3) == 0) { /* byte order mark */
        p += 3;
    }
    for (r->at.line = 1; p < end; r->at.line += lines) {
        char *stop = end_of_line(p, end, &lines);
        if (!read_obj_line(r, p, stop)) {
            return false;
        }
        p = stop + 1;
    }
    r->at.line = 0;
    return true;
}

/* Every three lines "vertex x y z" are a face. */
static bool read_stl_text(reader *r, const char *p, const char *end) {
    for (r->at.line = 1; p < end; r->at.line++) {
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
    if (r->mesh->n_vertices % 3 != 0) {
        return refuse(r, "the file ends within a face");
    }
    r->at.line = 0;
    return true;
}

static bool read_stl_faces(reader *r, const unsigned char *p, size_t n) {
    for (size_t i = 0; i < n; i++) {
        r->at.byte = STL_HEADER + STL_FACE * i;
        for (size_t j = 0; j < 3; j++) {
            double point[3];
            for (size_t k = 0; k < 3; k++) {
                point[k] = fb_mesh_number(FB_MESH_FLOAT32, p + r->at.byte + 12 + 12 * j + 4 * k,
                                          false);
            }
            if (!add_vertex(r, point)) {
                return false;
            }
        }
        if (!add_face(r, (long)(3 * i), (long)(3 * i) + 1, (long)(3 * i) + 2)) {
            return false;
        }
    }
    r->at.byte = 0;
    return true;
}

/* Binary ones may begin with "solid" too; then their size tells. */
static bool read_stl(reader *r, const char *bytes, size_t size) {
    const unsigned char *p = (const unsigned char *)bytes;
    const char *end = bytes + size, *word = skip_blanks(bytes, end);
    bool text = end - word >= 5 && strncasecmp(word, "solid", 5) == 0;
    double count = size < STL_HEADER ? 0
                                     : fb_mesh_number(FB_MESH_UINT32, p + STL_HEADER - 4, false);
    double whole = STL_HEADER + count * STL_FACE;
    if (size >= STL_HEADER && (whole == (double)size || (!text && whole < (double)size))) {
        return read_stl_faces(r, p, (size_t)count);
    }
    if (text || size < STL_HEADER) {
        return read_stl_text(r, bytes, bytes + size);
    }
    r->at.byte = size;
    return refuse(r, "the file ends before its last face");
}

/* ---- others ---------------------------------------------------------------------------------- */

static bool sink_vertex(void *context, const double *point) {
    return add_vertex(context, point);
}

static bool sink_face(void *context, long a, long b, long c) {
    return add_face(context, a, b, c);
}

/* What a reader of parts said. */
static bool heed(reader *r, const char *why) {
    bool done = !why || (*why && refuse(r, why));
    if (done) {
        r->at = (fb_mesh_at){0, 0};
    }
    return done;
}

/* ---- any ------------------------------------------------------------------------------------- */

typedef struct source {
    char *bytes;
    size_t size;
    const fb_xml *xml; /* of .vtp */
    const char *appended;
    size_t n_appended;
} source;

static bool read_bytes(reader *r, const source *from) {
    const fb_mesh_sink sink = {sink_vertex, sink_face, r};
    fb_arena *arena = &r->mesh->arena;
    char *bytes = from->bytes;
    size_t size = from->size;
    bool done;
    if (from->xml) {
        done = heed(r,
                    fb_vtp_read(from->xml, from->appended, from->n_appended, &sink, arena, &r->at));
    } else if (fb_file_ends_with(r->file, ".obj")) {
        done = read_obj(r, bytes, bytes + size);
    } else if (fb_file_ends_with(r->file, ".stl")) {
        done = read_stl(r, bytes, size);
    } else if (fb_file_ends_with(r->file, ".ply")) {
        done = heed(r, fb_ply_read(bytes, size, &sink, &r->at));
    } else if (fb_file_ends_with(r->file, ".vtk")) {
        done = heed(r, fb_vtk_read(bytes, size, &sink, arena, &r->at));
    } else {
        done = refuse(r,
                      "mesh files of its kind are not read; .obj, .ply, .stl, .vtk and .vtp are");
    }
    return done && (r->mesh->n_faces > 0 || refuse(r, "it holds no faces"));
}

/* The same, with memory that runs out as an error. */
static fb_status read_guarded(reader *r, const source *from) {
    fb_status status;
    jmp_buf oom;
    if (setjmp(oom)) {
        status = FB_E_MEMORY;
        fb_diag_add(r->diag, FB_ERROR, FB1003, (fb_place){r->file, 0, NULL, NULL}, NULL,
                    "out of memory");
    } else {
        r->mesh->arena.oom = &oom;
        status = read_bytes(r, from) ? FB_OK : FB_E_INPUT;
        r->mesh->arena.oom = NULL;
    }
    if (status != FB_OK) {
        fb_mesh_free(r->mesh);
    }
    return status;
}

bool fb_is_mesh_file(const char *file) {
    static const char *const endings[] = {".obj", ".ply", ".stl", ".vtk", ".vtp"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        if (fb_file_ends_with(file, endings[i])) {
            return true;
        }
    }
    return false;
}

fb_status fb_mesh_read(fb_mesh_file *mesh, char *bytes, size_t size, const char *file,
                       fb_diag *diag) {
    reader r = {mesh, file, diag, {0, 0}};
    source from = {.bytes = bytes, .size = size};
    memset(mesh, 0, sizeof *mesh);
    fb_arena_init(&mesh->arena);
    if (!fb_file_ends_with(file, ".vtp")) {
        fb_status status = read_guarded(&r, &from);
        fb_free(bytes);
        return status;
    }
    fb_xml xml;
    fb_status status = fb_vtp_parse(&xml, bytes, size, file, &mesh->arena, &from.appended,
                                    &from.n_appended, diag); /* takes the bytes */
    if (status == FB_OK) {
        from.xml = &xml;
        status = read_guarded(&r, &from);
        fb_xml_free(&xml);
    } else {
        fb_mesh_free(mesh);
    }
    return status;
}

void fb_mesh_free(fb_mesh_file *mesh) {
    fb_arena_clear(&mesh->arena);
    memset(mesh, 0, sizeof *mesh);
}
