/* What the readers of mesh files share; internal to formats. */
#ifndef FB_FORMATS_MESH_PARTS_H
#define FB_FORMATS_MESH_PARTS_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What is done with a vertex, and with a face's corners (numbers from 0, unchecked); false: stop,
 * it was told why. Readers return NULL; "" if the sink stopped them; or a sentence (static) that
 * says what is wrong. */
typedef struct fb_mesh_sink {
    bool (*vertex)(void *context, const double *point);
    bool (*face)(void *context, long a, long b, long c);
    void *context;
} fb_mesh_sink;

/* Where a reader is: a line of text, from 1, or a byte, from 0 and said if there is no line. */
typedef struct fb_mesh_at {
    int line;
    size_t byte;
} fb_mesh_at;

/* Types of numbers in binary files. */
typedef enum fb_mesh_type {
    FB_MESH_NONE,
    FB_MESH_INT8,
    FB_MESH_UINT8,
    FB_MESH_INT16,
    FB_MESH_UINT16,
    FB_MESH_INT32,
    FB_MESH_UINT32,
    FB_MESH_INT64,
    FB_MESH_UINT64,
    FB_MESH_FLOAT32,
    FB_MESH_FLOAT64
} fb_mesh_type;

/* Bytes of one number. */
size_t fb_mesh_type_size(fb_mesh_type type);
/* The number at `bytes`, of the byte order that is said. */
double fb_mesh_number(fb_mesh_type type, const unsigned char *bytes, bool big_endian);

/* One number as a vertex: -1, which no sink takes, if it is none. */
long fb_mesh_corner(double number);
/* Cuts n corners of a polygon, or of a strip of triangles, into faces; `base` is added to them. */
const char *fb_mesh_cut(const fb_mesh_sink *sink, long base, const double *corners, size_t n,
                        bool strip);

#ifdef __cplusplus
}
#endif
#endif
