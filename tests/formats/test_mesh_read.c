/* Mesh files: the same box in every format, and files that are none. */
#include <string.h>

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
        {"x.vtk", "vtk", "not read"},
        {"x.ply", "ply", "header does not end"},
        {"x.vtp", "<VTKFile/>", "no PolyData"},
        {"x.vtp", "<VTKFile>", ""},
        {"x.vtp", VTP(POINTS, "binary", CORNERS, "24"), "not text"},
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
    FB_TEST(refuses_what_is_no_mesh),
    FB_TEST(survives_prefixes_and_lack_of_memory),
    FB_TEST_END,
};

int main(int argc, char **argv) {
    return fb_test_main("mesh_read", tests, argc, argv);
}
