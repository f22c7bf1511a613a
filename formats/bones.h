/* The meshes of a model's bodies, as the bones from which muscles rise. */
#ifndef FB_FORMATS_BONES_H
#define FB_FORMATS_BONES_H

#include "libcore/bundle/recipe.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One mesh, in its body's axes. */
typedef struct fb_bone {
    const char *name; /* of its file, as the model has it */
    int body;
    double (*vertices)[3];
    const int (*faces)[3];
    int n_vertices, n_faces;
    double center[3], radius; /* of a ball around it */
    double sign;              /* -1: its faces look inward */
} fb_bone;

typedef struct fb_bones {
    fb_arena arena;
    fb_bone *bones;
    size_t n, capacity;
    int n_missing; /* meshes that were not found */
} fb_bones;

/* Reads all meshes that are fixed to a system's bodies and frames, looked for as fb_mesh_find does.
 * One that cannot be read is left out with a warning FB1402; missing ones are counted only. All
 * meshes count as bones. FB_E_MEMORY if memory runs out. */
fb_status fb_bones_read(fb_bones *bones, const fb_system *system, const char *const *folders,
                        int n_folders, size_t max_bytes, fb_diag *diag);
/* Leaves it empty; one that is empty may be freed again. */
void fb_bones_free(fb_bones *bones);

/* For fb_recipe_options.bone, with the bones as context. A point is inside a mesh if it is behind
 * the nearest face; of open meshes this is what their surface looks like from there. */
bool fb_bones_nearest(void *bones, const fb_state *state, const bool *bodies, const double *point,
                      double *nearest, bool *inside, const char **name);

#ifdef __cplusplus
}
#endif
#endif
