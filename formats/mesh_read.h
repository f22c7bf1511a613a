/* Triangles of mesh files: OBJ, PLY and STL (text and binary), VTK's legacy files of polygons
 * (.vtk, text and binary), and its XML files of polygons (.vtp: text, base64 and appended,
 * compressed by zlib or not). */
#ifndef FB_FORMATS_MESH_READ_H
#define FB_FORMATS_MESH_READ_H

#include <stdbool.h>

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
 * failure `diag` gets one error, with its line or byte, and `mesh` is empty. */
fb_status fb_mesh_read(fb_mesh_file *mesh, char *bytes, size_t size, const char *file,
                       fb_diag *diag);
/* True if a file's name has an ending that is read. */
bool fb_is_mesh_file(const char *file);
/* Leaves it empty; one that is empty may be freed again. */
void fb_mesh_free(fb_mesh_file *mesh);

#ifdef __cplusplus
}
#endif
#endif
