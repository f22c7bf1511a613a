/* PLY meshes taken apart; internal to formats. */
#ifndef FB_FORMATS_MESH_PLY_H
#define FB_FORMATS_MESH_PLY_H

#include "formats/mesh_parts.h"

/* Reads the bytes of a PLY file: text, or binary of either byte order, version 1.0 (G. Turk, *The
 * PLY Polygon File Format*, 1994). Faces with more corners are cut into fans; other elements and
 * properties are skipped. Returns as fb_mesh_sink says. */
const char *fb_ply_read(const char *bytes, size_t size, const fb_mesh_sink *sink, fb_mesh_at *at);

#endif
