#include "formats/mesh_parts.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

static const size_t sizes[] = {0, 1, 1, 2, 2, 4, 4, 8, 8, 4, 8};

size_t fb_mesh_type_size(fb_mesh_type type) {
    return sizes[type];
}

double fb_mesh_number(fb_mesh_type type, const unsigned char *bytes, bool big_endian) {
    size_t n = sizes[type];
    uint64_t bits = 0;
    for (size_t i = 0; i < n; i++) {
        bits |= (uint64_t)bytes[big_endian ? n - 1 - i : i] << (8 * i);
    }
    union {
        uint64_t bits;
        double number;
    } wide = {.bits = bits};
    union {
        uint32_t bits;
        float number;
    } narrow = {.bits = (uint32_t)bits};
    switch (type) {
    case FB_MESH_INT8: return (double)(int8_t)bits;
    case FB_MESH_INT16: return (double)(int16_t)bits;
    case FB_MESH_INT32: return (double)(int32_t)bits;
    case FB_MESH_INT64: return (double)(int64_t)bits;
    case FB_MESH_FLOAT32: return (double)narrow.number;
    case FB_MESH_FLOAT64: return wide.number;
    default: return (double)bits;
    }
}

long fb_mesh_corner(double number) {
    return number >= 0 && number < 2e9 && number == floor(number) ? (long)number : -1;
}

const char *fb_mesh_cut(const fb_mesh_sink *sink, long base, const double *corners, size_t n,
                        bool strip) {
    long first = -1, before = -1;
    for (size_t i = 0; i < n; i++) {
        long corner = fb_mesh_corner(corners[i]);
        corner += corner >= 0 ? base : 0;
        bool turned = strip && i % 2 == 1; /* every second one of a strip runs the other way */
        if (i >= 2 && !(turned ? sink->face(sink->context, before, first, corner)
                               : sink->face(sink->context, first, before, corner))) {
            return "";
        }
        first = i == 0 ? corner : strip && i >= 1 ? before : first;
        before = corner;
    }
    return NULL;
}
