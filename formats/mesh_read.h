/* Triangles of mesh files: OBJ, PLY and STL (text and binary), and VTP with its numbers as text. */
#ifndef FB_FORMATS_MESH_READ_H
#define FB_FORMATS_MESH_READ_H

#include "libcore/base/diag.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Faces with more corners are cut into fans. Everything lives in the arena. */
typedef struct fb_mesh_file {
    fb_arena arena;
    double (*vertices)[3];
    int (*faces)[3];
    size_t n_vertices, n_faces;
    size_t capacity_vertices, capacity_faces;
} fb_mesh_file;

/* Reads the bytes of a mesh file (taken over: fb_alloc'ed); the name's ending says what it is. On
 * failure `diag` gets one error, and `mesh` is empty. */
fb_status fb_mesh_read(fb_mesh_file *mesh, char *bytes, size_t size, const char *file,
                       fb_diag *diag);
/* Leaves it empty; one that is empty may be freed again. */
void fb_mesh_free(fb_mesh_file *mesh);

#ifdef __cplusplus
}
#endif
#endif
