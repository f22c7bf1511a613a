/* Meshes as OBJ, PLY and STL, through Assimp. Only formats/mesh_write.c includes it, and only tools
 * that call this are linked with it.
 *
 * Metres, triangles and quads as they are (STL: triangles). OBJ keeps each mesh's name as a group,
 * normals, and colours twice: behind the vertices, and as materials, belly or tendon, by the mean
 * colour of a face's corners. PLY, as text, is one mesh with normals and colours (in steps of
 * 1/255); STL, in binary, only triangles. Numbers are floats: Assimp has no others. */
#ifndef FB_FORMATS_MESH_WRITE_H
#define FB_FORMATS_MESH_WRITE_H

#include "formats/text.h"
#include "libcore/bundle/surface.h"

#ifdef __cplusplus
extern "C" {
#endif

/* True if a file's name has an ending that fb_mesh_write knows: .obj, .ply, .stl. */
bool fb_mesh_is_writable(const char *file);
/* The file of an OBJ's materials, "arm.mtl" for "arm.obj"; NULL for other formats. In the arena. */
const char *fb_mesh_materials_file(fb_arena *arena, const char *file);

/* Adds n meshes (none NULL; empty ones are left out) as a file of that name: its ending says which
 * format, and an OBJ names its materials' file. `materials` gets the text of that file and nothing
 * in other formats; NULL: none, then an OBJ has no materials. Both are to be written by the caller,
 * so that they appear whole (fb_cli_open). Fails with one error in `diag`: FB_E_UNSUPPORTED for
 * another ending, FB_E_INPUT without a face, FB_E_MEMORY, FB_E_OUTPUT if Assimp fails. */
fb_status fb_mesh_write(fb_text *out, fb_text *materials, const fb_mesh *const *meshes, size_t n,
                        const char *file, fb_diag *diag);

#ifdef __cplusplus
}
#endif
#endif
