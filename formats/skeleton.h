/* A new skeleton: the bones of bodies, from a folder of mesh files or from a model.
 *
 * A folder may hold a file meshes.json, {"unit"?: "mm" or "m", "meshes": [{"file", "body"}]}, which
 * says which mesh is which body; without it all mesh files of the folder count, and their bodies
 * are guessed from the files' names. */
#ifndef FB_FORMATS_SKELETON_H
#define FB_FORMATS_SKELETON_H

#include "formats/features.h"
#include "libcore/base/spatial.h"
#include "libcore/model/model.h"
#include "libcore/register/surface.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One mesh file of a body. */
typedef struct fb_skeleton_mesh {
    const char *file; /* as the list or the model names it */
    const char *path; /* where it was read */
    double scale[3];  /* file's units to m: equal ones, but for models */
    fb_pose frame;    /* the mesh's frame in the target's frame; of folders the identity */
    size_t n_vertices, n_faces;
} fb_skeleton_mesh;

/* The bone of one body: all its meshes as one surface. */
typedef struct fb_skeleton_bone {
    const char *body;
    bool guessed;        /* from a mesh's name */
    fb_surface *surface; /* m; in the target's frame: of folders that of the files, of models the
                            body's */
    fb_skeleton_mesh *meshes;
    size_t n, capacity;
    int line;                  /* of meshes.json; 0: none */
    const fb_element *element; /* the body, of models */
} fb_skeleton_bone;

typedef struct fb_skeleton {
    fb_arena arena;
    const char *file; /* the folder, or the model's file */
    fb_skeleton_bone *bones;
    size_t n, capacity;
    fb_unit unit;   /* of the files; of models M */
    bool detected;  /* it was neither given nor in meshes.json */
    int n_missing;  /* of models: meshes that were not found, which are told */
    double largest; /* m: the longest side of a bone's box */
} fb_skeleton;

typedef struct fb_skeleton_options {
    fb_unit unit; /* DETECT: what meshes.json says, else by the bones' size: longer than 10 is mm */
    const fb_model *standard;   /* whose bodies the bones are to be; NULL: any names will do */
    const char *const *folders; /* where meshes of a model are looked for besides */
    int n_folders;
    bool mirror; /* guesses: a left mesh is the bone of a right body, and the other way round */
    size_t max_bytes; /* of one file; 0: FB_MAX_BYTES */
} fb_skeleton_options;

/* Reads all meshes of a folder, or those of a list if `folder` is a file (whose name ends in
 * .json). FB_E_INPUT with an error for each thing that is wrong: no mesh, one that cannot be read,
 * a list that names a missing file, a file twice, a body that the standard does not have, a mesh
 * whose body is not clear from its name. FB_E_MEMORY. Then it is empty. */
fb_status fb_skeleton_read_folder(fb_skeleton *skeleton, const char *folder,
                                  const fb_skeleton_options *options, fb_diag *diag);
/* The bones of a model's bodies, as fb_bones_read finds them, through frames and scale factors. The
 * model is neither changed nor kept but for `element`. Meshes that are missing or cannot be read
 * are warnings; FB_E_INPUT if no body is left with one. */
fb_status fb_skeleton_read_model(fb_skeleton *skeleton, const fb_model *model,
                                 const fb_skeleton_options *options, fb_diag *diag);
/* Leaves it empty; one that is empty may be freed again. */
void fb_skeleton_free(fb_skeleton *skeleton);
/* The bone of a body, NULL if there is none. */
const fb_skeleton_bone *fb_skeleton_find(const fb_skeleton *skeleton, const char *body);

#ifdef __cplusplus
}
#endif
#endif
