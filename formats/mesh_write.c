#include "formats/mesh_write.h"

#include <assimp/cexport.h>
#include <assimp/cfileio.h>
#include <assimp/material.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <string.h>

#include "libcore/base/spatial.h"
#include "libcore/bundle/mesh.h"

enum { BELLY, TENDON, MATERIALS };
enum { PROPERTIES = 2 };

/* PLY as text: in binary ones Assimp 5.2 writes colours as floats and calls them bytes. */
static const struct {
    const char *ending, *assimp;
} kinds[] = {{".obj", "obj"}, {".ply", "ply"}, {".stl", "stlb"}};

/* The scene that Assimp is given; all but what the meshes' arrays hold. */
typedef struct drawing {
    fb_arena arena;
    struct aiScene scene;
    bool by_material; /* a mesh is parted into those of its materials */
    struct aiMaterial *materials[MATERIALS];
} drawing;

static const char *format_of(const char *file) {
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (fb_file_ends_with(file, kinds[i].ending)) {
            return kinds[i].assimp;
        }
    }
    return NULL;
}

bool fb_mesh_is_writable(const char *file) {
    return format_of(file) != NULL;
}

const char *fb_mesh_materials_file(fb_arena *arena, const char *file) {
    char *name = NULL;
    if (fb_file_ends_with(file, ".obj")) {
        name = fb_arena_dup(arena, file);
        if (name) {
            memcpy(name + strlen(name) - 4, ".mtl", 4);
        }
    }
    return name;
}

/* ---- the scene ------------------------------------------------------------------------------- */

/* A name that a line of an OBJ can hold. */
static void set_name(struct aiString *string, const char *name) {
    size_t n = strlen(name);
    n = n < MAXLEN ? n : MAXLEN - 1;
    string->length = (ai_uint32)n;
    for (size_t i = 0; i < n; i++) {
        string->data[i] = (unsigned char)name[i] > ' ' ? name[i] : '_';
    }
    string->data[n] = 0;
}

static struct aiMaterialProperty *property(fb_arena *arena, const char *key, const void *data,
                                           size_t size, enum aiPropertyTypeInfo type) {
    struct aiMaterialProperty *p = fb_arena_alloc(arena, sizeof *p);
    set_name(&p->mKey, key);
    p->mData = fb_arena_alloc(arena, size);
    memcpy(p->mData, data, size);
    p->mDataLength = (unsigned)size;
    p->mType = type;
    return p;
}

static struct aiMaterial *material(fb_arena *arena, const char *name, double tendon) {
    struct aiMaterial *m = fb_arena_alloc(arena, sizeof *m);
    struct aiString text;
    double colour[3];
    float diffuse[3];
    memset(&text, 0, sizeof text);
    set_name(&text, name);
    fb_mesh_colour(colour, tendon);
    for (int i = 0; i < 3; i++) {
        diffuse[i] = (float)colour[i];
    }
    m->mProperties = fb_arena_array(arena, PROPERTIES, sizeof *m->mProperties);
    m->mNumProperties = m->mNumAllocated = PROPERTIES;
    /* a string property is its length in four bytes, its bytes and a 0 */
    m->mProperties[0] = property(arena, "?mat.name", &text, 4 + text.length + 1u, aiPTI_String);
    m->mProperties[1] = property(arena, "$clr.diffuse", diffuse, sizeof diffuse, aiPTI_Float);
    return m;
}

static int material_of(const fb_mesh *mesh, const int *face) {
    double belly[3], tendon[3], middle[3] = {0, 0, 0};
    int corners = face[3] >= 0 ? 4 : 3;
    fb_mesh_colour(belly, 0);
    fb_mesh_colour(tendon, 1);
    for (int k = 0; k < corners; k++) {
        fb_v3_madd(middle, 1.0 / corners, mesh->colours[face[k]]);
    }
    return fb_v3_distance(middle, tendon) < fb_v3_distance(middle, belly) ? TENDON : BELLY;
}

static void copy_vectors(fb_arena *arena, struct aiVector3D **to, const double (*from)[3],
                         size_t n) {
    *to = fb_arena_array(arena, n, sizeof **to);
    for (size_t i = 0; i < n; i++) {
        (*to)[i] = (struct aiVector3D){(float)from[i][0], (float)from[i][1], (float)from[i][2]};
    }
}

static void copy_vertices(fb_arena *arena, struct aiMesh *to, const fb_mesh *from) {
    size_t n = from->n_vertices;
    to->mNumVertices = (unsigned)n;
    copy_vectors(arena, &to->mVertices, (const double(*)[3])from->vertices, n);
    if (from->normals) {
        copy_vectors(arena, &to->mNormals, (const double(*)[3])from->normals, n);
    }
    if (!from->colours) {
        return;
    }
    to->mColors[0] = fb_arena_array(arena, n, sizeof *to->mColors[0]);
    for (size_t i = 0; i < n; i++) {
        const double *c = from->colours[i];
        to->mColors[0][i] = (struct aiColor4D){(float)c[0], (float)c[1], (float)c[2], 1};
    }
}

/* Faces of a mesh that are of a material, or all. */
static void copy_faces(drawing *d, struct aiMesh *to, const fb_mesh *from, int wanted) {
    unsigned *corners = fb_arena_array(&d->arena, 4 * from->n_faces, sizeof *corners);
    to->mFaces = fb_arena_array(&d->arena, from->n_faces, sizeof *to->mFaces);
    for (size_t i = 0; i < from->n_faces; i++) {
        const int *face = from->faces[i];
        if (d->by_material && material_of(from, face) != wanted) {
            continue;
        }
        struct aiFace *f = &to->mFaces[to->mNumFaces++];
        f->mNumIndices = face[3] >= 0 ? 4 : 3;
        f->mIndices = corners;
        for (unsigned k = 0; k < f->mNumIndices; k++) {
            *corners++ = (unsigned)face[k];
        }
        to->mPrimitiveTypes |= face[3] >= 0 ? aiPrimitiveType_POLYGON : aiPrimitiveType_TRIANGLE;
    }
}

static void add_node(drawing *d, const fb_mesh *mesh, const char *fallback) {
    struct aiScene *scene = &d->scene;
    struct aiNode *root = scene->mRootNode, *node = fb_arena_alloc(&d->arena, sizeof *node);
    struct aiMesh all;
    memset(&all, 0, sizeof all);
    copy_vertices(&d->arena, &all, mesh);
    set_name(&node->mName, mesh->name && *mesh->name ? mesh->name : fallback);
    all.mName = node->mName;
    node->mTransformation = root->mTransformation;
    node->mParent = root;
    node->mMeshes = fb_arena_array(&d->arena, MATERIALS, sizeof *node->mMeshes);
    for (int m = 0; m < (d->by_material ? MATERIALS : 1); m++) {
        struct aiMesh *part = fb_arena_alloc(&d->arena, sizeof *part);
        *part = all;
        copy_faces(d, part, mesh, m);
        part->mMaterialIndex = (unsigned)m;
        if (part->mNumFaces > 0) {
            node->mMeshes[node->mNumMeshes++] = scene->mNumMeshes;
            scene->mMeshes[scene->mNumMeshes++] = part;
        }
    }
    root->mChildren[root->mNumChildren++] = node;
}

static void make_scene(drawing *d, const fb_mesh *const *meshes, size_t n) {
    fb_arena *arena = &d->arena;
    struct aiScene *scene = &d->scene;
    struct aiNode *root = fb_arena_alloc(arena, sizeof *root);
    root->mTransformation = (struct aiMatrix4x4){1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    root->mChildren = fb_arena_array(arena, n, sizeof(struct aiNode *));
    scene->mRootNode = root;
    scene->mMeshes = fb_arena_array(arena, MATERIALS * n, sizeof(struct aiMesh *));
    scene->mMaterials = d->materials;
    d->materials[BELLY] = material(arena, "belly", 0);
    d->materials[TENDON] = material(arena, "tendon", 1);
    scene->mNumMaterials = MATERIALS;
    for (size_t i = 0; i < n; i++) {
        if (meshes[i]->n_faces > 0) {
            add_node(d, meshes[i], fb_arena_printf(arena, "mesh%zu", i + 1));
        }
    }
}

/* ---- the files ------------------------------------------------------------------------------- */

/* Assimp opens files by their names: one is the mesh, the other its materials. */
typedef struct files {
    struct aiFile mesh, materials;
} files;

static size_t write_bytes(struct aiFile *file, const char *bytes, size_t size, size_t count) {
    fb_text *text;
    memcpy(&text, &file->UserData, sizeof text);
    if (text) {
        fb_text_add(text, bytes, size * count);
    }
    return !text || !text->failed ? count : 0;
}

static size_t read_nothing(struct aiFile *file, char *bytes, size_t size, size_t count) {
    (void)file, (void)bytes, (void)size, (void)count;
    return 0;
}

static size_t tell_nothing(struct aiFile *file) {
    (void)file;
    return 0;
}

static enum aiReturn seek_nowhere(struct aiFile *file, size_t offset, enum aiOrigin origin) {
    (void)file, (void)offset, (void)origin;
    return aiReturn_FAILURE;
}

static void flush_nothing(struct aiFile *file) {
    (void)file;
}

static struct aiFile *open_file(struct aiFileIO *io, const char *name, const char *mode) {
    files *f;
    (void)mode;
    memcpy(&f, &io->UserData, sizeof f);
    return fb_file_ends_with(name, ".mtl") ? &f->materials : &f->mesh;
}

static void close_file(struct aiFileIO *io, struct aiFile *file) {
    (void)io, (void)file;
}

static struct aiFile file_to(fb_text *text) {
    struct aiFile file = {.ReadProc = read_nothing,
                          .WriteProc = write_bytes,
                          .TellProc = tell_nothing,
                          .FileSizeProc = tell_nothing,
                          .SeekProc = seek_nowhere,
                          .FlushProc = flush_nothing};
    memcpy(&file.UserData, &text, sizeof text);
    return file;
}

static fb_status refuse(fb_diag *diag, fb_status status, fb_diag_id id, const char *file,
                        const char *what) {
    fb_diag_add(diag, FB_ERROR, id, (fb_place){file, 0, NULL, NULL}, NULL, "%s", what);
    return status;
}

static fb_status export_scene(const drawing *d, fb_text *out, fb_text *materials,
                              const char *format, const char *file, fb_diag *diag) {
    files f = {file_to(out), file_to(materials)}, *pointer = &f;
    struct aiFileIO io = {.OpenProc = open_file, .CloseProc = close_file};
    memcpy(&io.UserData, &pointer, sizeof pointer);
    if (aiExportSceneEx(&d->scene, format, file, &io, 0) != aiReturn_SUCCESS) {
        return refuse(diag, FB_E_OUTPUT, FB3001, file, "Assimp could not make the mesh file");
    }
    return out->failed == 2 || (materials && materials->failed == 2)
               ? refuse(diag, FB_E_MEMORY, FB1003, file, "out of memory")
               : FB_OK;
}

fb_status fb_mesh_write(fb_text *out, fb_text *materials, const fb_mesh *const *meshes, size_t n,
                        const char *file, fb_diag *diag) {
    const char *format = format_of(file), *slash = strrchr(file, '/');
    bool obj = fb_file_ends_with(file, ".obj");
    size_t faces = 0;
    jmp_buf oom;
    for (size_t i = 0; i < n; i++) {
        faces += meshes[i]->n_faces;
    }
    if (!format) {
        return refuse(diag, FB_E_UNSUPPORTED, FB3001, file,
                      "meshes are written as .obj, .ply or .stl");
    }
    if (faces == 0) {
        return refuse(diag, FB_E_INPUT, FB3001, file, "there is no face to write");
    }
    drawing d = {.by_material = obj && materials};
    fb_status status;
    fb_arena_init(&d.arena);
    if (setjmp(oom)) {
        status = refuse(diag, FB_E_MEMORY, FB1003, file, "out of memory");
    } else {
        d.arena.oom = &oom;
        make_scene(&d, meshes, n);
        d.arena.oom = NULL;
        status = export_scene(&d, out, materials, obj && !materials ? "objnomtl" : format,
                              slash ? slash + 1 : file, diag);
    }
    fb_arena_clear(&d.arena);
    return status;
}
