/* Finding the mesh files that a model names. */
#ifndef FB_FORMATS_MESHES_H
#define FB_FORMATS_MESHES_H

#include "libcore/model/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Adds a warning for each mesh file that is in none of: the model file's folder, its Geometry
 * folder, the n folders given. '\' in names counts as '/'. */
void fb_meshes_check(const fb_model *model, const char *const *folders, int n, fb_diag *diag);

#ifdef __cplusplus
}
#endif
#endif
