/* VTK's mesh files taken apart: the XML file of polygons (.vtp) and the legacy file (.vtk);
 * internal to formats. (The VTK User's Guide, 11th edition, "VTK File Formats".) */
#ifndef FB_FORMATS_MESH_VTK_H
#define FB_FORMATS_MESH_VTK_H

#include "formats/mesh_parts.h"
#include "formats/xml.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A .vtp file's XML, and what its element AppendedData holds, from the byte after '_' on (it was
 * taken out of the XML). Numbers may be text, or base64 or raw bytes, compressed by zlib or not.
 * Polygons and strips of triangles become faces. Returns as fb_mesh_sink says. */
const char *fb_vtp_read(const fb_xml *xml, const char *appended, size_t size,
                        const fb_mesh_sink *sink, fb_arena *arena, fb_mesh_at *at);
/* Parses a .vtp file's bytes (which it takes over); what is appended is copied out of it first, in
 * the arena. False with one error in `diag` if that fails. */
fb_status fb_vtp_parse(fb_xml *xml, char *bytes, size_t size, const char *file, fb_arena *arena,
                       const char **appended, size_t *n_appended, fb_diag *diag);

/* A legacy file's bytes: DATASET POLYDATA, or the triangles, quadrangles, polygons and strips of
 * UNSTRUCTURED_GRID; text, or binary; cells of version 5 (offsets) or before (counts). */
const char *fb_vtk_read(const char *bytes, size_t size, const fb_mesh_sink *sink, fb_arena *arena,
                        fb_mesh_at *at);

#ifdef __cplusplus
}
#endif
#endif
