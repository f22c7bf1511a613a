/* Reads the files that a model names for a simulation: contact meshes, and controls over time. */
#ifndef FB_FORMATS_RESOURCES_H
#define FB_FORMATS_RESOURCES_H

#include "libcore/muscle/resources.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What was read lives until fb_file_resources_clear, which must come after the simulation's end. */
typedef struct fb_file_resources {
    fb_arena arena;
    const fb_model *model;
    const char *const *folders; /* n of them, where meshes may be too */
    int n_folders;
    size_t max_bytes;             /* larger files are refused */
    struct fb_mesh_file **meshes; /* n_meshes */
    size_t n_meshes, capacity_meshes;
    struct fb_sto *table; /* those that were being read when memory ran out */
    struct fb_xml *xml;
    fb_resources resources; /* to pass on: its context is this */
} fb_file_resources;

/* Meshes are looked for in the model file's folder, its Geometry folder, and `folders`; other files
 * in the first of these. `folders` must live as long. */
void fb_file_resources_init(fb_file_resources *r, const fb_model *model, const char *const *folders,
                            int n_folders, size_t max_bytes);
/* Frees what was read; `r` may be zero. */
void fb_file_resources_clear(fb_file_resources *r);

#ifdef __cplusplus
}
#endif
#endif
