/* libFuzzer: bytes as a mesh file, the first of them says of which kind; and as a file of feature
 * points, pairs, transformation parameters or marker trajectories. What is read must make sense,
 * what is refused must say why, once. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/features.h"
#include "formats/mesh_read.h"
#include "formats/transforms.h"
#include "formats/trc.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char *copy_of(const void *data, size_t size) {
    char *bytes = fb_alloc(size);
    if (!bytes) {
        abort();
    }
    if (size) {
        memcpy(bytes, data, size);
    }
    return bytes;
}

static void expect(bool ok, const char *file, const char *what) {
    if (!ok) {
        fprintf(stderr, "fuzz: %s: %s\n", file, what);
        abort();
    }
}

static void expect_reason(fb_status status, const fb_diag *diag, const char *file) {
    expect(status == FB_OK ? diag->counts[FB_ERROR] == 0 : diag->counts[FB_ERROR] == 1, file,
           status == FB_OK ? "read, with an error" : "refused without one reason");
}

static void read_mesh(const char *file, const uint8_t *data, size_t size) {
    fb_mesh_file mesh;
    fb_diag diag;
    fb_diag_init(&diag);
    fb_status status = fb_mesh_read(&mesh, copy_of(data, size), size, file, &diag);
    expect_reason(status, &diag, file);
    if (status == FB_OK) {
        expect(mesh.n_faces > 0, file, "no faces");
        for (size_t i = 0; i < mesh.n_faces; i++) {
            for (int k = 0; k < 3; k++) {
                int v = mesh.faces[i][k];
                expect(v >= 0 && (size_t)v < mesh.n_vertices, file, "a corner that is none");
            }
        }
        fb_mesh_free(&mesh);
    }
    fb_diag_clear(&diag);
}

static void read_features(const char *file, const uint8_t *data, size_t size) {
    const fb_feature_options options = {.body = "body"};
    fb_features features;
    fb_diag diag;
    fb_diag_init(&diag);
    char *bytes = copy_of(data, size);
    fb_status status = fb_features_read(&features, bytes, size, file, &options, NULL, &diag);
    fb_free(bytes); /* a text that points into them is found out */
    expect_reason(status, &diag, file);
    fb_text text;
    fb_text_init(&text, NULL);
    fb_features_write(&text, &features, "x.json");
    fb_text_free(&text);
    fb_features_free(&features);
    fb_diag_clear(&diag);
}

static void read_pairs(const char *file, const uint8_t *data, size_t size) {
    fb_pairs pairs;
    fb_diag diag;
    fb_diag_init(&diag);
    char *bytes = copy_of(data, size);
    fb_status status = fb_pairs_read(&pairs, bytes, size, file, NULL, NULL, &diag);
    fb_free(bytes);
    expect_reason(status, &diag, file);
    fb_pairs_free(&pairs);
    fb_diag_clear(&diag);
}

/* What was read and is written must be read again. */
static void read_transforms(const char *file, const uint8_t *data, size_t size) {
    fb_transforms transforms, again;
    fb_diag diag;
    fb_diag_init(&diag);
    char *bytes = copy_of(data, size);
    fb_status status = fb_transforms_read(&transforms, bytes, size, file, &diag);
    fb_free(bytes);
    expect_reason(status, &diag, file);
    if (status == FB_OK) {
        fb_text text;
        fb_text_init(&text, NULL);
        fb_transforms_write(&text, &transforms);
        expect(fb_transforms_read(&again, text.bytes, text.n, file, &diag) == FB_OK, file,
               "what was written is refused");
        fb_transforms_free(&again);
        fb_text_free(&text);
        fb_transforms_free(&transforms);
    }
    fb_diag_clear(&diag);
}

/* Markers have three numbers or none, and times rise. */
static void read_markers(const char *file, const uint8_t *data, size_t size) {
    fb_trc trc;
    fb_diag diag;
    fb_diag_init(&diag);
    char *bytes = copy_of(data, size);
    fb_status status = fb_trc_read(&trc, bytes, size, file, &diag);
    fb_free(bytes);
    expect_reason(status, &diag, file);
    for (int row = 0; row < trc.n_rows; row++) {
        expect(row == 0 || trc.time[row] > trc.time[row - 1], file, "time does not rise");
        for (int i = 0; i < trc.n_markers; i++) {
            const double *p = fb_trc_point(&trc, row, i);
            expect((p[0] == p[0]) == (p[1] == p[1]) && (p[1] == p[1]) == (p[2] == p[2]), file,
                   "a marker that is half missing");
        }
    }
    fb_trc_free(&trc);
    fb_diag_clear(&diag);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const struct {
        void (*read)(const char *file, const uint8_t *data, size_t size);
        const char *file;
    } kinds[] = {
        {read_mesh, "x.vtp"},     {read_mesh, "x.vtk"},      {read_mesh, "x.ply"},
        {read_mesh, "x.stl"},     {read_mesh, "x.obj"},      {read_features, "x.json"},
        {read_features, "x.csv"}, {read_features, "x.fcsv"}, {read_features, "x.xml"},
        {read_pairs, "x.json"},   {read_pairs, "x.csv"},     {read_transforms, "x.json"},
        {read_markers, "x.trc"},
    };
    if (size > 0) {
        size_t kind = (size_t)(data[0] - 'a') % (sizeof kinds / sizeof *kinds);
        kinds[kind].read(kinds[kind].file, data + 1, size - 1);
    }
    return 0;
}
