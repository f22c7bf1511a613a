/* Meshes written through Assimp, read back by our own reader and by Assimp's importers. */
#include "formats/mesh_write.h"

#include <assimp/cimport.h>
#include <assimp/material.h>
#include <assimp/mesh.h>
#include <assimp/scene.h>
#include <string.h>

#include "formats/mesh_read.h"
#include "tests/bundle/bodies.h"
#include "tests/bundle/closed.h"
#include "tests/help.h"

typedef struct written {
    fb_text out, materials;
    fb_status status;
    fb_diag diag;
} written;

static written write_meshes(const fb_mesh *const *meshes, size_t n, const char *file) {
    written w;
    fb_text_init(&w.out, NULL);
    fb_text_init(&w.materials, NULL);
    fb_diag_init(&w.diag);
    w.status = fb_mesh_write(&w.out, &w.materials, meshes, n, file, &w.diag);
    return w;
}

static void written_free(written *w) {
    fb_text_free(&w->out);
    fb_text_free(&w->materials);
    fb_diag_clear(&w->diag);
}

/* Two tubes of quads beside each other, in belly and tendon. */
static void make_tubes(fb_mesh *meshes) {
    const lattice l = {.rectangle = {1, 1},
                       .rings = 13,
                       .a = 0.006,
                       .b = 0.004,
                       .pitch = 1.2,
                       .length = 0.2,
                       .tendon = 0.06,
                       .thin = 0.4,
                       .bend = 0.5};
    fb_body body = lattice_body(&l);
    for (size_t i = 0; i < 2; i++) {
        meshes[i] = (fb_mesh){0};
        fb_mesh_add_bundle(&meshes[i], &body, i, 9);
    }
    meshes[0].name = strdup("biceps long");
    meshes[1].name = strdup("brachialis");
    fb_body_free(&body);
}

static void free_tubes(fb_mesh *meshes) {
    fb_mesh_clear(&meshes[0]);
    fb_mesh_clear(&meshes[1]);
}

static double volume_of_file(const fb_mesh_file *file) {
    double six = 0;
    for (size_t i = 0; i < file->n_faces; i++) {
        double across[3];
        fb_v3_cross(across, file->vertices[file->faces[i][1]], file->vertices[file->faces[i][2]]);
        six += fb_v3_dot(file->vertices[file->faces[i][0]], across);
    }
    return six / 6;
}

/* All vertices of a mesh are somewhere among those read: in metres, nothing turned or scaled. */
static void check_places(const fb_mesh_file *file, const fb_mesh *mesh) {
    for (size_t i = 0; i < mesh->n_vertices; i++) {
        double nearest = 1;
        for (size_t k = 0; k < file->n_vertices; k++) {
            nearest = fb_lesser(nearest, fb_v3_distance(file->vertices[k], mesh->vertices[i]));
        }
        FB_NEAR(nearest, 0, 1e-8, 0);
    }
}

static void our_reader_reads_them_back(void) {
    static const char *const files[] = {"folder/x.obj", "x.stl", "X.OBJ"};
    fb_mesh meshes[2];
    make_tubes(meshes);
    const fb_mesh *const list[] = {&meshes[0], &meshes[1]};
    double volume = fb_mesh_volume(&meshes[0]) + fb_mesh_volume(&meshes[1]);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        written w = write_meshes(list, 2, files[i]);
        fb_mesh_file file;
        FB_EQUAL_INT(w.status, FB_OK);
        if (FB_EQUAL_INT(fb_mesh_read(&file, fb_test_bytes(w.out.bytes, w.out.n), w.out.n, files[i],
                                      &w.diag),
                         FB_OK)) {
            /* quads are read as two triangles: two fans of 9, twelve rows of 9 quads */
            FB_EQUAL_INT(file.n_faces, 2 * (2 * 9 + 2 * 12 * 9));
            FB_NEAR(volume_of_file(&file), volume, 0, 1e-5);
            check_places(&file, &meshes[0]);
            check_places(&file, &meshes[1]);
            fb_mesh_free(&file);
        }
        written_free(&w);
    }
    free_tubes(meshes);
}

/* The envelope stays closed: no vertex is doubled, none torn. */
static void envelopes_stay_closed(void) {
    const lattice l = {.radius = 2,
                       .rings = 9,
                       .a = 0.006,
                       .b = 0.004,
                       .length = 0.1,
                       .tendon = 0.02,
                       .thin = 0.6};
    const fb_envelope_options options = {.cells = 40000};
    fb_body body = lattice_body(&l);
    fb_envelope e;
    fb_body_envelope(&e, &body, &options);
    const fb_mesh *list[] = {&e.mesh};
    written w = write_meshes(list, 1, "x.obj");
    fb_mesh_file file;
    FB_EQUAL_INT(fb_mesh_read(&file, fb_test_bytes(w.out.bytes, w.out.n), w.out.n, "x.obj",
                              &w.diag),
                 FB_OK);
    fb_mesh back = {.vertices = file.vertices,
                    .n_vertices = file.n_vertices,
                    .n_faces = file.n_faces};
    back.faces = malloc(file.n_faces * sizeof *back.faces);
    for (size_t i = 0; i < file.n_faces; i++) {
        memcpy(back.faces[i], file.faces[i], sizeof file.faces[i]);
        back.faces[i][3] = -1;
    }
    closed c = closed_of(&back);
    FB_EQUAL_INT(c.open + c.pinched + c.unused, 0);
    FB_EQUAL_INT(c.euler, 2);
    FB_EQUAL_INT(file.n_vertices, e.mesh.n_vertices);
    FB_NEAR(fb_mesh_volume(&back), e.volume, 0, 1e-5);
    free(back.faces);
    fb_mesh_free(&file);
    written_free(&w);
    fb_mesh_clear(&e.mesh);
    fb_body_free(&body);
}

static void obj_has_groups_normals_and_materials(void) {
    fb_mesh meshes[2];
    make_tubes(meshes);
    const fb_mesh *const list[] = {&meshes[0], &meshes[1]};
    written w = write_meshes(list, 2, "arms/arm.obj");
    const char *text = fb_text_string(&w.out), *materials = fb_text_string(&w.materials);
    FB_HOLDS(text, "mtllib arm.mtl\n");
    FB_HOLDS(text, "g biceps_long\n");
    FB_HOLDS(text, "g brachialis\n");
    FB_HOLDS(text, "usemtl belly\n");
    FB_HOLDS(text, "usemtl tendon\n");
    FB_HOLDS(text, "\nvn ");
    FB_HOLDS(materials, "newmtl belly\n");
    FB_HOLDS(materials, "newmtl tendon\n");
    written again = write_meshes(list, 2, "arms/arm.obj");
    FB_EQUAL_STR(fb_text_string(&again.out), text); /* the same bytes */
    FB_EQUAL_STR(fb_text_string(&again.materials), materials);
    fb_text alone;
    fb_text_init(&alone, NULL);
    FB_EQUAL_INT(fb_mesh_write(&alone, NULL, list, 2, "arm.obj", &w.diag), FB_OK);
    FB_TRUE(!strstr(fb_text_string(&alone), "mtllib"), "materials without a file");
    fb_text_free(&alone);
    written_free(&again);
    written_free(&w);
    free_tubes(meshes);
}

/* What Assimp itself makes of a file: every colour and normal, at the vertex it was given to. */
static void check_imported(const struct aiScene *scene, const fb_mesh *meshes) {
    for (unsigned m = 0; m < scene->mNumMeshes; m++) {
        const struct aiMesh *mesh = scene->mMeshes[m];
        if (!FB_TRUE(mesh->mNormals && mesh->mColors[0], "normals or colours are lacking")) {
            continue;
        }
        for (unsigned v = 0; v < mesh->mNumVertices; v++) {
            const struct aiVector3D *p = &mesh->mVertices[v], *n = &mesh->mNormals[v];
            const double place[3] = {(double)p->x, (double)p->y, (double)p->z};
            const fb_mesh *from = NULL;
            size_t at = 0;
            for (size_t i = 0; i < 2; i++) {
                for (size_t k = 0; k < meshes[i].n_vertices; k++) {
                    if (fb_v3_distance(place, meshes[i].vertices[k]) < 1e-8) {
                        from = &meshes[i];
                        at = k;
                    }
                }
            }
            if (FB_TRUE(from != NULL, "a vertex of no mesh")) {
                const struct aiColor4D *c = &mesh->mColors[0][v];
                FB_NEAR((double)n->x, from->normals[at][0], 1e-5, 0);
                FB_NEAR((double)n->y, from->normals[at][1], 1e-5, 0);
                FB_NEAR((double)n->z, from->normals[at][2], 1e-5, 0);
                FB_NEAR((double)c->r, from->colours[at][0], 1.0 / 255 + 1e-6, 0);
                FB_NEAR((double)c->g, from->colours[at][1], 1.0 / 255 + 1e-6, 0);
                FB_NEAR((double)c->b, from->colours[at][2], 1.0 / 255 + 1e-6, 0);
            }
        }
    }
}

static void assimp_reads_them_back(void) {
    static const char *const endings[] = {"obj", "ply", "stl"};
    fb_mesh meshes[2];
    make_tubes(meshes);
    const fb_mesh *const list[] = {&meshes[0], &meshes[1]};
    for (int i = 0; i < 3; i++) {
        char name[20];
        snprintf(name, sizeof name, "x.%s", endings[i]);
        written w = write_meshes(list, 2, name);
        const struct aiScene *scene = aiImportFileFromMemory(w.out.bytes, (unsigned)w.out.n, 0,
                                                             endings[i]);
        if (FB_TRUE(scene != NULL, "%s: %s", name, aiGetErrorString())) {
            unsigned faces = 0;
            for (unsigned m = 0; m < scene->mNumMeshes; m++) {
                faces += scene->mMeshes[m]->mNumFaces;
            }
            FB_EQUAL_INT(faces, i == 2 ? 2 * (18 + 216) : 2 * (18 + 108));
            if (i < 2) {
                check_imported(scene, meshes);
            }
            aiReleaseImport(scene);
        }
        FB_EQUAL_INT(w.materials.n > 0, i == 0);
        written_free(&w);
    }
    free_tubes(meshes);
}

static void what_is_not_written_is_told(void) {
    fb_mesh empty = {0}, meshes[2];
    make_tubes(meshes);
    const fb_mesh *const nothing[] = {&empty}, *const list[] = {&empty, &meshes[0]};
    written w = write_meshes(list, 2, "x.dae");
    FB_EQUAL_INT(w.status, FB_E_UNSUPPORTED);
    FB_HOLDS(w.diag.n ? w.diag.records[0].message : "", ".ply");
    written_free(&w);
    w = write_meshes(nothing, 1, "x.obj");
    FB_EQUAL_INT(w.status, FB_E_INPUT);
    FB_EQUAL_INT(w.diag.counts[FB_ERROR], 1);
    FB_EQUAL_INT(w.out.n, 0);
    written_free(&w);
    w = write_meshes(list, 2, "x.obj"); /* the empty one is left out */
    FB_EQUAL_INT(w.status, FB_OK);
    FB_TRUE(!strstr(fb_text_string(&w.out), "mesh1"), "an empty group");
    written_free(&w);
    FB_TRUE(fb_mesh_is_writable("a.PLY") && !fb_mesh_is_writable("a.obj.gz"), "endings");
    fb_arena arena;
    fb_arena_init(&arena);
    FB_EQUAL_STR(fb_mesh_materials_file(&arena, "a.b/c.OBJ"), "a.b/c.mtl");
    FB_EQUAL_STR(fb_mesh_materials_file(&arena, "c.ply"), NULL);
    fb_arena_clear(&arena);
    for (long fail = 1; fail < 200; fail++) {
        fb_diag diag;
        fb_text out, materials;
        fb_diag_init(&diag);
        fb_text_init(&out, NULL);
        fb_text_init(&materials, NULL);
        fb_alloc_fail_at(fail);
        fb_status status = fb_mesh_write(&out, &materials, list, 2, "x.obj", &diag);
        fb_alloc_fail_at(0);
        fb_text_free(&out);
        fb_text_free(&materials);
        fb_diag_clear(&diag);
        if (status == FB_OK) {
            FB_TRUE(fail > 1, "%ld", fail);
            break;
        }
        FB_TRUE(status == FB_E_MEMORY || status == FB_E_OUTPUT, "%d", (int)status);
    }
    free_tubes(meshes);
}

static const fb_test tests[] = {
    FB_TEST(our_reader_reads_them_back),           FB_TEST(envelopes_stay_closed),
    FB_TEST(obj_has_groups_normals_and_materials), FB_TEST(assimp_reads_them_back),
    FB_TEST(what_is_not_written_is_told),          FB_TEST_END,
};

int main(int argc, char **argv) {
    return fb_test_main("mesh_write", tests, argc, argv);
}
