/* PLY meshes taken apart; internal to formats. */
#ifndef FB_FORMATS_MESH_PLY_H
#define FB_FORMATS_MESH_PLY_H

#include <stdbool.h>
#include <stddef.h>

/* What is done with a vertex, and with a face's corners (numbers from 0, unchecked); false: stop,
 * it was told why. */
typedef struct fb_ply_sink {
    bool (*vertex)(void *context, const double *point);
    bool (*face)(void *context, long a, long b, long c);
    void *context;
} fb_ply_sink;

/* Reads the bytes of a PLY file: text, or binary of either byte order, version 1.0 (G. Turk, *The
 * PLY Polygon File Format*, 1994). Faces with more corners are cut into fans; other elements and
 * properties are skipped. NULL; "" if the sink stopped it; or a sentence (static) that says what is
 * wrong, with the line if it is in the header or the file is text. */
const char *fb_ply_read(const char *bytes, size_t size, const fb_ply_sink *sink, int *line);

#endif
