/* Finding the mesh files that a model names. */
#ifndef FB_FORMATS_MESHES_H
#define FB_FORMATS_MESHES_H

#include "libcore/model/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The file of a mesh that a model names, in the arena; NULL if it is in none of: the model file's
 * folder, its Geometry folder, the n folders given. '\' in names counts as '/'. */
const char *fb_mesh_find(fb_arena *arena, const fb_model *model, const char *name,
                         const char *const *folders, int n);
/* Adds a warning for each mesh file that is not found so. */
void fb_meshes_check(const fb_model *model, const char *const *folders, int n, fb_diag *diag);

#ifdef __cplusplus
}
#endif
#endif
