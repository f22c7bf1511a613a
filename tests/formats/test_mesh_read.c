/* Mesh files: the same box in every format, and files that are none. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "formats/mesh_read.h"
#include "tests/help.h"

static fb_status read_text(fb_mesh_file *mesh, const char *text, size_t n, const char *file,
                           fb_diag *diag) {
    fb_diag_init(diag);
    return fb_mesh_read(mesh, fb_test_bytes(text, n), n, file, diag);
}

/* Six times the volume, and how many faces. */
static void check_box(const char *text, size_t n, const char *file, size_t faces) {
    fb_mesh_file mesh;
    fb_diag diag;
    fb_status status = read_text(&mesh, text, n, file, &diag);
    if (FB_TRUE(status == FB_OK, "%s: %s", file, diag.n ? diag.records[0].message : "")) {
        double six = 0;
        FB_EQUAL_INT(mesh.n_faces, faces);
        for (size_t i = 0; i < mesh.n_faces; i++) {
            const double *a = mesh.vertices[mesh.faces[i][0]], *b = mesh.vertices[mesh.faces[i][1]],
                         *c = mesh.vertices[mesh.faces[i][2]];
            six += a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
                   a[2] * (b[0] * c[1] - b[1] * c[0]);
        }
        FB_NEAR(six / 6, 2 * 3 * 4, 1e-5, 0);
        fb_mesh_free(&mesh);
    }
    fb_diag_clear(&diag);
}

/* Corners of a box of 2 x 3 x 4 and its six sides, seen from outside. */
static const int corners[8][3] = {{0, 0, 0}, {2, 0, 0}, {0, 3, 0}, {2, 3, 0},
                                  {0, 0, 4}, {2, 0, 4}, {0, 3, 4}, {2, 3, 4}};
static const int sides[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};

static void reads_obj(void) {
    char text[2000];
    int n = snprintf(text, sizeof text, "# a box\r\nmtllib x.mtl\no box\n");
    for (int i = 0; i < 8; i++) {
        n += snprintf(text + n, sizeof text - (size_t)n, "v %d.0 %de0  %d\r\nvn 0 0 1\n",
                      corners[i][0], corners[i][1], corners[i][2]);
    }
    for (int i = 0; i < 6; i++) { /* quads; some count back, some have normals */
        const int *s = sides[i];
        n += snprintf(text + n, sizeof text - (size_t)n,
                      i % 2 ? "f %d//1 %d//1 %d//1 %d//1\n" : "f %d/2/3 %d %d/7 %d \n",
                      i == 4 ? s[0] - 8 : s[0] + 1, s[1] + 1, s[2] + 1, s[3] + 1);
    }
    check_box(text, (size_t)n, "box.obj", 12);
    check_box(text, (size_t)n - 1, "BOX.OBJ", 12);
}

/* The box as a PLY file; binary of a byte order, or text. With what is to be skipped: normals,
 * colours, an element of its own, a list before the corners. */
static size_t ply_box(char *to, size_t room, int form) {
    static const char *const names[] = {"ascii", "binary_little_endian", "binary_big_endian"};
    size_t n = (size_t)snprintf(
        to, room,
        "ply\r\nformat %s 1.0\ncomment a box\nelement vertex 8\nproperty float x\nproperty uchar "
        "red\n"
        "property double y\nproperty float32 z\nelement thing 1\nproperty list uchar short n\n"
        "element face 6\nproperty list uint8 int vertex_indices\nproperty short "
        "flags\nend_header\n",
        names[form]);
#define PUT(TYPE, VALUE) \
    do { \
        TYPE value_ = (TYPE)(VALUE); \
        const unsigned char *p_ = (const unsigned char *)&value_; \
        if (form == 0) { \
            n += (size_t)snprintf(to + n, room - n, "%g ", (double)value_); \
        } \
        for (size_t b_ = 0; form && b_ < sizeof value_; b_++) { \
            to[n++] = (char)p_[(form == 1) == little ? b_ : sizeof value_ - 1 - b_]; \
        } \
    } while (0)
    const short one = 1;
    bool little = *(const char *)&one == 1;
    for (int i = 0; i < 8; i++) {
        PUT(float, corners[i][0]);
        PUT(unsigned char, 200);
        PUT(double, corners[i][1]);
        PUT(float, corners[i][2]);
    }
    PUT(unsigned char, 2);
    PUT(short, -3);
    PUT(short, 300);
    for (int i = 0; i < 6; i++) {
        PUT(unsigned char, 4);
        for (int k = 0; k < 4; k++) {
            PUT(int, sides[i][k]);
        }
        PUT(short, i);
    }
#undef PUT
    return n;
}

static void reads_ply(void) {
    char text[4000];
    for (int form = 0; form < 3; form++) {
        check_box(text, ply_box(text, sizeof text, form), "box.ply", 12);
    }
}

static void refuse_ply(const char *text, int line, const char *why) {
    fb_mesh_file mesh;
    fb_diag diag;
    FB_EQUAL_INT(read_text(&mesh, text, strlen(text), "x.ply", &diag), FB_E_INPUT);
    const fb_record *record = FB_RECORD(&diag, FB_ERROR, FB1402, line);
    if (record) {
        FB_HOLDS(record->message, why);
    }
    fb_diag_clear(&diag);
}

static void rejects_ply(void) {
    char text[4000];
    const char *const wrong[][2] = {
        {"plx\n", "does not begin with 'ply'"},
        {"ply\nformat ascii 2.0\n", "version 1.0"},
        {"ply\nformat binary 1.0\n", "neither ascii nor"},
        {"ply\nproperty float x\n", "property of no element"},
        {"ply\nelement vertex -1\n", "not a whole number"},
        {"ply\nelement vertex 1\nproperty half x\n", "unknown type"},
        {"ply\nelement face 1\nproperty list float int vertex_indices\n", "no whole number"},
        {"ply\nelement vertex 0\nend_header\n", "does not say its format"},
        {"ply\nformat ascii 1.0\nelement vertex 0\nproperty float x\n", "header does not end"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        refuse_ply(wrong[i][0], -1, wrong[i][1]);
    }
    refuse_ply("ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nend_header\n1\n", -1,
               "not finite"); /* no y and no z */
    refuse_ply("ply\nformat ascii 1.0\nelement face 1\nproperty list uchar int vertex_index\n"
               "end_header\n3 0 1 2\n",
               6, "does not exist");
    for (int form = 0; form < 3; form++) { /* every beginning of a good file */
        size_t n = ply_box(text, sizeof text, form);
        for (size_t k = 0; k + (form ? 0 : 3) < n; k++) {
            fb_mesh_file mesh;
            fb_diag diag;
            FB_EQUAL_INT(read_text(&mesh, text, k, "x.ply", &diag), FB_E_INPUT);
            FB_EQUAL_INT(diag.n, 1);
            fb_diag_clear(&diag);
        }
    }
}

static void reads_stl(void) {
    char text[8000], bytes[84 + 50 * 12] = {0};
    int n = snprintf(text, sizeof text, "solid box\n"), k = 0;
    for (int i = 0; i < 6; i++) {
        for (int half = 0; half < 2; half++, k++) {
            const int three[3] = {sides[i][0], sides[i][1 + half], sides[i][2 + half]};
            n += snprintf(text + n, sizeof text - (size_t)n, " facet normal 0 0 0\n  outer loop\n");
            for (int j = 0; j < 3; j++) {
                const int *c = corners[three[j]];
                float x[3] = {(float)c[0], (float)c[1], (float)c[2]};
                memcpy(bytes + 84 + 50 * k + 12 + 12 * j, x, sizeof x);
                n += snprintf(text + n, sizeof text - (size_t)n, "   vertex %d %d %d\n", c[0], c[1],
                              c[2]);
            }
            n += snprintf(text + n, sizeof text - (size_t)n, "  endloop\n endfacet\n");
        }
    }
    bytes[80] = 12;
    memcpy(bytes, "solid says the header too", 25);
    check_box(text, (size_t)n, "box.stl", 12);
    check_box(bytes, sizeof bytes, "box.stl", 12);
}

#define VTP(POINTS, FORMAT, CORNERS, ENDS) \
    "<?xml version=\"1.0\"?><VTKFile type=\"PolyData\"><PolyData><Piece NumberOfPoints=\"8\">" \
    "<PointData><DataArray Name=\"Normals\" format=\"ascii\">0 0 1</DataArray></PointData>" \
    "<Points><DataArray type=\"Float32\" NumberOfComponents=\"3\" format=\"" FORMAT "\">" POINTS \
    "</DataArray></Points><Polys><DataArray Name=\"connectivity\" format=\"ascii\">" CORNERS \
    "</DataArray><DataArray Name=\"offsets\" format=\"ascii\">" ENDS \
    "</DataArray></Polys></Piece></PolyData></VTKFile>"
#define POINTS "0 0 0 2 0 0 0 3 0 2 3 0\n 0 0 4 2 0 4 0 3 4 2 3 4"
#define CORNERS "0 2 3 1 4 5 7 6 0 1 5 4 2 6 7 3 0 4 6 2 1 3 7 5"

static void reads_vtp(void) {
    static const char text[] = VTP(POINTS, "ascii", CORNERS, "4 8 12 16 20 24");
    check_box(text, strlen(text), "box.vtp", 12);
}

/* ---- VTK ------------------------------------------------------------------------------------- */

/* A file that is made piece by piece. */
typedef struct made {
    unsigned char bytes[20000];
    size_t n;
} made;

static void put(made *m, const void *bytes, size_t n) {
    memcpy(m->bytes + m->n, bytes, n);
    m->n += n;
}

static void puts_to(made *m, const char *text) {
    put(m, text, strlen(text));
}

/* A number of a VTK type's name, of either byte order. */
static void put_number(made *m, const char *type, double x, bool big) {
    unsigned char raw[8];
    size_t n = 0;
    if (strcmp(type, "Float32") == 0) {
        float value = (float)x;
        uint32_t bits;
        memcpy(&bits, &value, n = 4);
        for (size_t i = 0; i < n; i++) {
            raw[i] = (unsigned char)(bits >> (8 * i));
        }
    } else {
        uint64_t bits = (uint64_t)(int64_t)x;
        if (strcmp(type, "Float64") == 0) {
            memcpy(&bits, &x, n = 8);
        } else {
            n = (size_t)atoi(type + strcspn(type, "0123456789")) / 8;
        }
        for (size_t i = 0; i < n; i++) {
            raw[i] = (unsigned char)(bits >> (8 * i));
        }
    }
    for (size_t i = 0; i < n; i++) {
        put(m, &raw[big ? n - 1 - i : i], 1);
    }
}

static void put_base64(made *m, const unsigned char *p, size_t n) {
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < n; i += 3) {
        uint32_t bits = (uint32_t)p[i] << 16 | (i + 1 < n ? (uint32_t)p[i + 1] << 8 : 0) |
                        (i + 2 < n ? (uint32_t)p[i + 2] : 0);
        char four[4];
        for (int k = 0; k < 4; k++) {
            four[k] = letters[bits >> (18 - 6 * k) & 63];
        }
        four[2] = i + 1 < n ? four[2] : '=';
        four[3] = i + 2 < n ? four[3] : '=';
        put(m, four, 4);
    }
}

/* How the arrays of a .vtp file are written. */
typedef struct form {
    const char *where;                     /* "ascii", "binary", "appended" */
    bool base64, zlib, big, joint;         /* joint: a header and its data encoded in one go */
    const char *header, *points, *indices; /* types */
    int blocks;                            /* of zlib, of each array */
} form;

static void put_data(made *m, const form *f, const made *data, bool base64) {
    made head = {.n = 0}, body = {.n = 0};
    if (f->zlib) {
        size_t n = data->n, each = (n + (size_t)f->blocks - 1) / (size_t)f->blocks;
        size_t count = (n + each - 1) / each;
        put_number(&head, f->header, (double)count, f->big);
        put_number(&head, f->header, (double)each, f->big);
        put_number(&head, f->header, (double)(n % each), f->big); /* 0: whole */
        for (size_t i = 0; i < count; i++) {
            uLongf room = sizeof body.bytes - body.n;
            compress(body.bytes + body.n, &room, data->bytes + i * each,
                     i + 1 < count ? each : n - i * each);
            put_number(&head, f->header, (double)room, f->big);
            body.n += room;
        }
    } else {
        put_number(&head, f->header, (double)data->n, f->big);
        body = *data;
    }
    if (!base64) {
        put(m, head.bytes, head.n);
        put(m, body.bytes, body.n);
    } else if (f->joint) {
        put(&head, body.bytes, body.n);
        put_base64(m, head.bytes, head.n);
    } else {
        put_base64(m, head.bytes, head.n);
        put_base64(m, body.bytes, body.n);
    }
}

static void put_array(made *m, made *appended, const form *f, const char *name, const char *type,
                      const double *x, size_t n) {
    char text[400];
    bool ascii = strcmp(f->where, "ascii") == 0, later = strcmp(f->where, "appended") == 0;
    snprintf(text, sizeof text, "<DataArray type=\"%s\" Name=\"%s\" format=\"%s\"", type, name,
             f->where);
    puts_to(m, text);
    if (later) {
        snprintf(text, sizeof text, " offset=\"%zu\"/>\n", appended->n);
        puts_to(m, text);
    } else {
        /* what VTK puts among the numbers of its newer files */
        puts_to(m, ">\n<InformationKey name=\"L2\" location=\"x\"> 7 </InformationKey>\n");
    }
    made data = {.n = 0};
    for (size_t i = 0; i < n; i++) {
        if (ascii) {
            snprintf(text, sizeof text, "%.17g%s", x[i], i % 5 ? " " : "\n ");
            puts_to(m, text);
        }
        put_number(&data, type, x[i], f->big);
    }
    if (!ascii) {
        put_data(later ? appended : m, f, &data, later ? f->base64 : true);
    }
    if (!later) {
        puts_to(m, "</DataArray>\n");
    }
}

/* The box: five sides as polygons, one as a strip of two triangles. */
static void make_vtp(made *m, const form *f) {
    static made appended;
    double x[24], indices[24], ends[6];
    char text[400];
    m->n = appended.n = 0;
    for (int i = 0; i < 24; i++) {
        x[i] = corners[i / 3][i % 3];
        indices[i] = sides[i / 4][i % 4];
        ends[i / 4] = 4 * (i / 4) + 4;
    }
    snprintf(text, sizeof text,
             "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" "
             "byte_order=\"%s\" header_type=\"%s\"%s>\n<PolyData><Piece NumberOfPoints=\"8\">"
             "<Points>",
             f->big ? "BigEndian" : "LittleEndian", f->header,
             f->zlib ? " compressor=\"vtkZLibDataCompressor\"" : "");
    puts_to(m, text);
    put_array(m, &appended, f, "Points", f->points, x, 24);
    puts_to(m, "</Points><Verts/><Strips>");
    const double strip[] = {sides[5][0], sides[5][1], sides[5][3], sides[5][2]}, last[] = {4};
    put_array(m, &appended, f, "connectivity", f->indices, strip, 4);
    put_array(m, &appended, f, "offsets", f->indices, last, 1);
    puts_to(m, "</Strips><Polys>");
    put_array(m, &appended, f, "connectivity", f->indices, indices, 20);
    put_array(m, &appended, f, "offsets", f->indices, ends, 5);
    puts_to(m, "</Polys></Piece></PolyData>");
    if (appended.n) {
        snprintf(text, sizeof text, "<AppendedData encoding=\"%s\">\n _",
                 f->base64 ? "base64" : "raw");
        puts_to(m, text);
        put(m, appended.bytes, appended.n);
        puts_to(m, "\n</AppendedData>");
    }
    puts_to(m, "</VTKFile>\n");
}

static const form forms[] = {
    {"ascii", 0, 0, 0, 0, "UInt32", "Float64", "Int32", 1},
    {"binary", 0, 0, 0, 0, "UInt32", "Float32", "Int64", 1},
    {"binary", 0, 0, 0, 1, "UInt64", "Float64", "Int16", 1},
    {"binary", 0, 0, 1, 0, "UInt32", "Float32", "UInt8", 1},
    {"binary", 0, 1, 0, 0, "UInt32", "Float32", "Int32", 1},
    {"binary", 0, 1, 0, 1, "UInt32", "Float32", "Int8", 3},
    {"binary", 0, 1, 1, 0, "UInt64", "Float64", "UInt64", 5},
    {"appended", 0, 0, 0, 0, "UInt32", "Float32", "UInt16", 1},
    {"appended", 0, 1, 0, 0, "UInt64", "Float32", "Int64", 2},
    {"appended", 0, 0, 1, 0, "UInt64", "Int16", "UInt32", 1},
    {"appended", 1, 0, 0, 0, "UInt32", "Float64", "Int64", 1},
    {"appended", 1, 1, 0, 0, "UInt32", "Float32", "Int32", 2},
    {"appended", 1, 1, 1, 1, "UInt64", "Float32", "Int64", 3},
};
#define N_FORMS (sizeof forms / sizeof *forms)

static void reads_vtp_of_every_encoding(void) {
    static made m;
    for (size_t i = 0; i < N_FORMS; i++) {
        make_vtp(&m, &forms[i]);
        check_box((const char *)m.bytes, m.n, "box.vtp", 12);
    }
}

/* The box as a legacy file. */
typedef struct legacy {
    bool binary, offsets, grid;
} legacy;

static void put_integers(made *m, const legacy *f, const int *x, size_t n, size_t bytes) {
    char text[40];
    for (size_t i = 0; i < n; i++) {
        if (f->binary) {
            put_number(m, bytes == 8 ? "Int64" : "Int32", x[i], true);
        } else {
            snprintf(text, sizeof text, "%d%s", x[i], i % 7 == 6 ? "\n" : " ");
            puts_to(m, text);
        }
    }
    puts_to(m, "\n");
}

static void put_legacy_cells(made *m, const legacy *f, const char *name, const int (*list)[4],
                             int n) {
    char text[100];
    int corners_of[24], ends[7] = {0}, counted[30], k = 0;
    for (int i = 0; i < n; i++) {
        memcpy(corners_of + 4 * i, list[i], sizeof list[i]);
        ends[i + 1] = 4 * i + 4;
        counted[k++] = 4;
        memcpy(counted + k, list[i], sizeof list[i]);
        k += 4;
    }
    snprintf(text, sizeof text, "%s %d %d\n", name, f->offsets ? n + 1 : n,
             f->offsets ? 4 * n : 5 * n);
    puts_to(m, text);
    if (f->offsets) {
        puts_to(m, "OFFSETS vtktypeint64\n");
        put_integers(m, f, ends, (size_t)n + 1, 8);
        puts_to(m, "CONNECTIVITY vtktypeint64\n");
        put_integers(m, f, corners_of, 4 * (size_t)n, 8);
    } else {
        put_integers(m, f, counted, 5 * (size_t)n, 4);
    }
}

static void make_vtk(made *m, const legacy *f) {
    static const int kinds[] = {9, 9, 7, 9, 9, 9};
    char text[100];
    m->n = 0;
    puts_to(m, f->offsets ? "# vtk DataFile Version 5.1\n" : "# vtk DataFile Version 3.0\n");
    puts_to(m, "a box \xE9, POINTS 3 float\n");
    puts_to(m, f->binary ? "BINARY\n" : "ASCII\n");
    puts_to(m, f->grid ? "DATASET UNSTRUCTURED_GRID\n" : "DATASET POLYDATA\n");
    if (f->offsets) { /* of the whole, passed over */
        puts_to(m, "FIELD FieldData 1\nlabel 1 2 double\n");
        if (f->binary) {
            put_number(m, "Float64", 1, true);
            put_number(m, "Float64", 2, true);
        } else {
            puts_to(m, "1 2");
        }
        puts_to(m, "\n");
    }
    puts_to(m, "POINTS 8 float\n");
    for (int i = 0; i < 24; i++) {
        if (f->binary) {
            put_number(m, "Float32", corners[i / 3][i % 3], true);
        } else {
            snprintf(text, sizeof text, "%d ", corners[i / 3][i % 3]);
            puts_to(m, text);
        }
    }
    puts_to(m, "\nMETADATA\nINFORMATION 1\nNAME L2 LOCATION x\nDATA 2 0 1\n\n");
    if (f->grid) {
        put_legacy_cells(m, f, "CELLS", sides, 6);
        puts_to(m, "CELL_TYPES 6\n");
        put_integers(m, f, kinds, 6, 4);
    } else {
        const int strip[1][4] = {{sides[5][0], sides[5][1], sides[5][3], sides[5][2]}};
        put_legacy_cells(m, f, "VERTICES", sides, 1);
        put_legacy_cells(m, f, "POLYGONS", sides, 5);
        put_legacy_cells(m, f, "TRIANGLE_STRIPS", strip, 1);
    }
    puts_to(m, "POINT_DATA 8\nSCALARS s float 1\nLOOKUP_TABLE default\nwhatever");
}

static void reads_vtk(void) {
    static made m;
    for (int i = 0; i < 8; i++) {
        make_vtk(&m, &(legacy){i & 1, i & 2, i & 4});
        check_box((const char *)m.bytes, m.n, i & 1 ? "BOX.VTK" : "box.vtk", 12);
    }
}

/* A file is read or refused with one error, whatever a byte of it becomes and wherever it ends. */
static void survive_damage(const made *good, const char *file) {
    unsigned long long seed = fb_test_seed();
    for (size_t i = 0; i < 2 * good->n; i++) {
        fb_mesh_file mesh;
        fb_diag diag;
        char *bytes = fb_test_bytes((const char *)good->bytes, good->n);
        size_t n = i < good->n ? i : good->n; /* first every prefix */
        if (i >= good->n) {
            bytes[i - good->n] = (char)(bytes[i - good->n] ^ (1 + (int)(fb_random(&seed) % 255)));
        }
        char *exact = fb_test_bytes(bytes, n);
        fb_free(bytes);
        fb_diag_init(&diag);
        if (fb_mesh_read(&mesh, exact, n, file, &diag) == FB_OK) {
            FB_TRUE(mesh.n_faces > 0, "%s: no faces", file);
            fb_mesh_free(&mesh);
        } else {
            FB_TRUE(diag.counts[FB_ERROR] == 1, "%s, %zu: %ld errors", file, i,
                    diag.counts[FB_ERROR]);
        }
        fb_diag_clear(&diag);
    }
}

static void survives_damage_to_vtk(void) {
    static made m;
    for (size_t i = 0; i < N_FORMS; i++) {
        make_vtp(&m, &forms[i]);
        survive_damage(&m, "x.vtp");
    }
    for (int i = 0; i < 8; i++) {
        make_vtk(&m, &(legacy){i & 1, i & 2, i & 4});
        survive_damage(&m, "x.vtk");
    }
}

static void survives_lack_of_memory_in_vtk(void) {
    static made m;
    for (int kind = 0; kind < 2; kind++) {
        if (kind) {
            make_vtp(&m, &forms[11]);
        } else {
            make_vtk(&m, &(legacy){true, true, false});
        }
        for (long fail = 1;; fail++) {
            fb_mesh_file mesh;
            fb_diag diag;
            fb_diag_init(&diag);
            char *bytes = fb_test_bytes((const char *)m.bytes, m.n);
            fb_alloc_fail_at(fail);
            fb_status status = fb_mesh_read(&mesh, bytes, m.n, kind ? "x.vtp" : "x.vtk", &diag);
            fb_alloc_fail_at(0);
            fb_diag_clear(&diag);
            if (status == FB_OK) {
                FB_TRUE(fail > 1, "nothing was allocated");
                fb_mesh_free(&mesh);
                break;
            }
            FB_EQUAL_INT(status, FB_E_MEMORY);
        }
    }
}

/* The line of an error is that of the bad number. */
static void tells_the_line_of_a_bad_number(void) {
    static made m;
    fb_mesh_file mesh;
    fb_diag diag;
    make_vtk(&m, &(legacy){false, false, false});
    m.bytes[m.n] = 0;
    char *bad = strstr((char *)m.bytes, "POLYGONS 5 25\n4 0");
    if (FB_TRUE(bad != NULL, "no polygons")) {
        bad[16] = 'x';
        int line = 1;
        for (const char *p = (const char *)m.bytes; p < bad + 16; p++) {
            line += *p == '\n';
        }
        FB_EQUAL_INT(read_text(&mesh, (const char *)m.bytes, m.n, "x.vtk", &diag), FB_E_INPUT);
        FB_RECORD(&diag, FB_ERROR, FB1402, line);
        fb_diag_clear(&diag);
    }
    static const char vtp[] = VTP("\n\n0 0 0\n1 one 2", "ascii", CORNERS, "4");
    FB_EQUAL_INT(read_text(&mesh, vtp, strlen(vtp), "x.vtp", &diag), FB_E_INPUT);
    FB_RECORD(&diag, FB_ERROR, FB1402, 4);
    fb_diag_clear(&diag);
}

static void reads_obj_lines_that_go_on(void) {
    static const char text[] =
        "\xEF\xBB\xBFv 0 0 \\\n 0\nv 1 0 0\r\nv 0 1 0\nv 0 0 1\nf -4 -2\\\r\n-3\nf 1 2 \\\n"
        "\\\n 4\nf 1 4 3\nf 2 3 4\nf 9 9 9\n";
    fb_mesh_file mesh;
    fb_diag diag;
    FB_EQUAL_INT(read_text(&mesh, text, strlen(text), "x.obj", &diag), FB_E_INPUT);
    FB_RECORD(&diag, FB_ERROR, FB1402, 13);
    fb_diag_clear(&diag);
    if (FB_TRUE(read_text(&mesh, text, strlen(text) - 8, "x.obj", &diag) == FB_OK, "refused")) {
        FB_EQUAL_INT(mesh.n_vertices, 4);
        FB_EQUAL_INT(mesh.n_faces, 4);
        FB_EQUAL_INT(mesh.faces[0][1], 2);
        FB_EQUAL_INT(mesh.faces[1][2], 3);
        fb_mesh_free(&mesh);
    }
    fb_diag_clear(&diag);
}

static void refuses_what_is_no_mesh(void) {
    static const struct {
        const char *file, *text, *says;
    } bad[] = {
        {"x.obj", "", "no faces"},
        {"x.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\n", "no faces"},
        {"x.obj", "v 0 0\n", "three numbers"},
        {"x.obj", "v 0 0 nan\n", "not finite"},
        {"x.obj", "v 0 0 0\nf 1 1 2\n", "does not exist"},
        {"x.obj", "v 0 0 0\nf 1 1 -3\n", "does not exist"},
        {"x.obj", "v 0 0 0\nf 1 1\n", "fewer than three"},
        {"x.obj", "v 0 0 0\nf 1 x 1\n", "whole number"},
        {"x.stl", "solid\nvertex 1 2\n", "three numbers"},
        {"x.stl", "solid", "no faces"},
        {"x.stl", "\t\t\t\t\t\t so", "no faces"},
        {"x.stl", "solid\nvertex 1 2 3\n", "within a face"},
        {"x.stl",
         "a binary file is cut off in its header or a little behind it, so that its faces "
         "are missing",
         "ends before its last face"},
        {"x.off", "OFF", "not read"},
        {"x.vtk", "vtk", "does not begin"},
        {"x.vtk", "# vtk DataFile Version 3.0\nt\nHEX\n", "ASCII nor BINARY"},
        {"x.vtk", "# vtk DataFile Version 3.0\nt\nASCII\n", "DATASET"},
        {"x.vtk", "# vtk DataFile Version 3.0\nt\nASCII\nDATASET STRUCTURED_POINTS\n", "neither"},
        {"x.vtk", "# vtk DataFile Version 3.0\nt\nASCII\nDATASET POLYDATA\n", "no POINTS"},
        {"x.vtk", "# vtk DataFile Version 3.0\nt\nASCII\nDATASET POLYDATA\nPOINTS 1 half 0 0 0\n",
         "not known"},
        {"x.vtk",
         "# vtk DataFile Version 3.0\nt\nASCII\nDATASET POLYDATA\nPOINTS 900000000 float "
         "0 0 0\n",
         "before its last number"},
        {"x.vtk",
         "# vtk DataFile Version 3.0\nt\nASCII\nDATASET POLYDATA\nPOINTS 1 float 0 0 0\n"
         "POLYGONS 1 4 3 0 0 1\n",
         "does not exist"},
        {"x.ply", "ply", "header does not end"},
        {"x.vtp", "<VTKFile/>", "no PolyData"},
        {"x.vtp", "<VTKFile>", ""},
        {"x.vtp", VTP(POINTS, "binary", CORNERS, "24"), "not base64"},
        {"x.vtp", VTP(POINTS, "hex", CORNERS, "24"), "neither ascii"},
        {"x.vtp", VTP("", "appended", CORNERS, "24"), "offset"},
        {"x.vtp", VTP("0 0 0 1", "ascii", CORNERS, "24"), "three each"},
        {"x.vtp", VTP(POINTS, "ascii", "0 1 8", "3"), "does not exist"},
        {"x.vtp", VTP(POINTS, "ascii", "0 1 -1", "3"), "does not exist"},
        {"x.vtp", VTP(POINTS, "ascii", "0 1 2", "4"), "offsets"},
        {"x.vtp", VTP("0 0 one", "ascii", "0 1 2", "3"), "not a number"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        fb_mesh_file mesh;
        fb_diag diag;
        fb_status status = read_text(&mesh, bad[i].text, strlen(bad[i].text), bad[i].file, &diag);
        FB_TRUE(status == FB_E_INPUT, "%s: %s", bad[i].file, bad[i].text);
        FB_EQUAL_INT(diag.counts[FB_ERROR], 1);
        FB_HOLDS(diag.n ? diag.records[0].message : "", bad[i].says);
        fb_diag_clear(&diag);
    }
}

/* Every prefix is a mesh or an error, and memory that runs out is one. */
static void survives_prefixes_and_lack_of_memory(void) {
    static const char text[] = VTP(POINTS, "ascii", CORNERS, "4 8 12 16 20 24");
    static const char obj[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf 3 2 1\n";
    for (int kind = 0; kind < 2; kind++) {
        size_t size = kind ? strlen(obj) : strlen(text);
        for (size_t n = 0; n <= size; n++) {
            fb_mesh_file mesh;
            fb_diag diag;
            if (read_text(&mesh, kind ? obj : text, n, kind ? "x.obj" : "x.vtp", &diag) == FB_OK) {
                fb_mesh_free(&mesh);
            } else {
                FB_EQUAL_INT(diag.counts[FB_ERROR], 1);
            }
            fb_diag_clear(&diag);
        }
        for (long fail = 1; fail < 100; fail++) {
            fb_mesh_file mesh;
            fb_diag diag;
            fb_diag_init(&diag);
            char *bytes = fb_test_bytes(kind ? obj : text, size);
            fb_alloc_fail_at(fail);
            fb_status status = fb_mesh_read(&mesh, bytes, size, kind ? "x.obj" : "x.vtp", &diag);
            fb_alloc_fail_at(0);
            fb_diag_clear(&diag);
            if (status == FB_OK) {
                fb_mesh_free(&mesh);
                break;
            }
            FB_EQUAL_INT(status, FB_E_MEMORY);
        }
    }
}

static const fb_test tests[] = {
    FB_TEST(reads_obj),
    FB_TEST(reads_ply),
    FB_TEST(rejects_ply),
    FB_TEST(reads_stl),
    FB_TEST(reads_vtp),
    FB_TEST(reads_vtp_of_every_encoding),
    FB_TEST(reads_vtk),
    FB_TEST(survives_damage_to_vtk),
    FB_TEST(survives_lack_of_memory_in_vtk),
    FB_TEST(tells_the_line_of_a_bad_number),
    FB_TEST(reads_obj_lines_that_go_on),
    FB_TEST(refuses_what_is_no_mesh),
    FB_TEST(survives_prefixes_and_lack_of_memory),
    FB_TEST_END,
};

int main(int argc, char **argv) {
    return fb_test_main("mesh_read", tests, argc, argv);
}
