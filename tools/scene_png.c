/* A picture as PNG by libpng; colours by median cut (Heckbert, "Color image quantization for frame
 * buffer display", 1982): boxes of colours are halved at the median until there are 256. Which is
 * next depends on how long it is more than on its pixels, so that small parts keep their colours.
 */
#include <math.h>
#include <png.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "tools/scene_parts.h"

#define MOST_COLOURS 256

/* ---- the palette ----------------------------------------------------------------------------- */

typedef struct shade {
    uint32_t rgb, count;
} shade;

typedef struct shade_box {
    size_t first, n;
    double weight; /* cube root of its pixels times the square of the longest side */
    int channel;   /* of the longest side: the shift of its bits */
} shade_box;

static unsigned channel_of(uint32_t rgb, int shift) {
    return rgb >> shift & 255;
}

static int by_rgb(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* Orders by one channel, then by all, so that the order is always the same. */
static int compare_shades(const shade *a, const shade *b, int shift) {
    unsigned x = channel_of(a->rgb, shift), y = channel_of(b->rgb, shift);
    return x != y ? (x < y ? -1 : 1) : a->rgb < b->rgb ? -1 : a->rgb > b->rgb;
}
static int by_red(const void *a, const void *b) {
    return compare_shades(a, b, 16);
}
static int by_green(const void *a, const void *b) {
    return compare_shades(a, b, 8);
}
static int by_blue(const void *a, const void *b) {
    return compare_shades(a, b, 0);
}

/* The picture's different colours and how often each occurs; NULL if memory runs out. */
static shade *count_shades(const uint32_t *pixels, size_t n, size_t *n_shades) {
    uint32_t *sorted = fb_alloc(n * sizeof *sorted);
    shade *shades = fb_alloc(n * sizeof *shades);
    size_t k = 0;
    if (sorted && shades) {
        memcpy(sorted, pixels, n * sizeof *sorted);
        qsort(sorted, n, sizeof *sorted, by_rgb);
        for (size_t i = 0; i < n; i++) {
            if (k == 0 || shades[k - 1].rgb != sorted[i]) {
                shades[k++] = (shade){sorted[i], 0};
            }
            shades[k - 1].count++;
        }
    } else {
        fb_free(shades);
        shades = NULL;
    }
    fb_free(sorted);
    *n_shades = k;
    return shades;
}

static void measure_box(shade_box *box, const shade *shades) {
    double pixels = 0;
    int longest = -1;
    for (size_t i = 0; i < box->n; i++) {
        pixels += shades[box->first + i].count;
    }
    for (int shift = 16; shift >= 0; shift -= 8) {
        unsigned low = 255, high = 0;
        for (size_t i = 0; i < box->n; i++) {
            unsigned x = channel_of(shades[box->first + i].rgb, shift);
            low = x < low ? x : low;
            high = x > high ? x : high;
        }
        if ((int)(high - low) > longest) {
            longest = (int)(high - low);
            box->channel = shift;
        }
    }
    box->weight = cbrt(pixels) * longest * longest;
}

/* Cuts a box in two at its median; the new one goes to *other. */
static void cut_box(shade_box *box, shade_box *other, shade *shades) {
    shade *s = shades + box->first;
    qsort(s, box->n, sizeof *s,
          box->channel == 16  ? by_red
          : box->channel == 8 ? by_green
                              : by_blue);
    uint64_t all = 0, below = 0;
    for (size_t i = 0; i < box->n; i++) {
        all += s[i].count;
    }
    size_t n = 0;
    while (n < box->n - 1 && (n == 0 || below + s[n].count <= all / 2)) {
        below += s[n++].count;
    }
    *other = (shade_box){.first = box->first + n, .n = box->n - n};
    box->n = n;
    measure_box(box, shades);
    measure_box(other, shades);
}

/* The mean colour of a box; that of most of its pixels, if one has them, so that a background or
 * a line keeps its colour. */
static uint32_t colour_of(const shade_box *box, const shade *shades) {
    uint64_t sum[3] = {0, 0, 0}, all = 0;
    shade most = {0, 0};
    for (size_t i = 0; i < box->n; i++) {
        shade s = shades[box->first + i];
        all += s.count;
        most = s.count > most.count ? s : most;
        for (int k = 0; k < 3; k++) {
            sum[k] += (uint64_t)channel_of(s.rgb, 8 * k) * s.count;
        }
    }
    if (most.count > all / 2) {
        return most.rgb;
    }
    uint32_t rgb = 0;
    for (int k = 0; k < 3; k++) {
        rgb |= (uint32_t)((sum[k] + all / 2) / all) << 8 * k;
    }
    return rgb;
}

/* Fills a palette and each pixel's number in it. Returns the number of colours; 0: no memory. */
static int make_palette(const uint32_t *pixels, size_t n, uint32_t palette[MOST_COLOURS],
                        unsigned char *index) {
    size_t n_shades;
    shade *shades = count_shades(pixels, n, &n_shades);
    if (!shades) {
        return 0;
    }
    shade_box boxes[MOST_COLOURS] = {{.first = 0, .n = n_shades}};
    measure_box(&boxes[0], shades);
    int n_boxes = 1;
    for (; n_boxes < MOST_COLOURS; n_boxes++) {
        int heaviest = 0;
        for (int i = 1; i < n_boxes; i++) {
            heaviest = boxes[i].weight > boxes[heaviest].weight ? i : heaviest;
        }
        if (!(boxes[heaviest].weight > 0)) {
            break; /* every box is one colour */
        }
        cut_box(&boxes[heaviest], &boxes[n_boxes], shades);
    }
    /* each shade's number in place of its count, then found by its colour */
    for (int i = 0; i < n_boxes; i++) {
        palette[i] = colour_of(&boxes[i], shades);
        for (size_t k = 0; k < boxes[i].n; k++) {
            shades[boxes[i].first + k].count = (uint32_t)i;
        }
    }
    qsort(shades, n_shades, sizeof *shades, by_rgb);
    for (size_t i = 0; i < n; i++) {
        const shade *found = bsearch(&pixels[i], shades, n_shades, sizeof *shades, by_rgb);
        index[i] = (unsigned char)found->count;
    }
    fb_free(shades);
    return n_boxes;
}

/* ---- the file -------------------------------------------------------------------------------- */

static void take_bytes(png_structp png, png_bytep bytes, png_size_t n) {
    fb_text_add(png_get_io_ptr(png), (const char *)bytes, n);
}

static void flush_nothing(png_structp png) {
    (void)png;
}

/* Bytes are numbers in a palette, if it has colours, or red, green and blue. */
static fb_status write_png(const unsigned char *bytes, int width, int height,
                           const uint32_t *palette, int n_colours, fb_text *out) {
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    if (!info || setjmp(png_jmpbuf(png))) {
        png_destroy_write_struct(&png, info ? &info : NULL);
        return FB_E_MEMORY;
    }
    png_set_write_fn(png, out, take_bytes, flush_nothing);
    png_set_compression_level(png, 9);
    png_set_IHDR(png, info, (png_uint_32)width, (png_uint_32)height, 8,
                 n_colours ? PNG_COLOR_TYPE_PALETTE : PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_color colours[MOST_COLOURS];
    for (int i = 0; i < n_colours; i++) {
        colours[i] = (png_color){(png_byte)(palette[i] >> 16 & 255),
                                 (png_byte)(palette[i] >> 8 & 255), (png_byte)(palette[i] & 255)};
    }
    if (n_colours) {
        png_set_PLTE(png, info, colours, n_colours);
        png_set_filter(png, PNG_FILTER_TYPE_BASE, PNG_FILTER_NONE);
    }
    png_write_info(png, info);
    size_t row = (size_t)width * (n_colours ? 1 : 3);
    for (int y = 0; y < height; y++) {
        png_write_row(png, bytes + row * (size_t)y);
    }
    png_write_end(png, info);
    png_destroy_write_struct(&png, &info);
    return FB_OK;
}

fb_status fb_picture_png(const fb_picture *picture, bool palette, fb_text *out) {
    size_t n = (size_t)picture->width * (size_t)picture->height;
    const uint32_t *pixels = picture->pixels;
    uint32_t colours[MOST_COLOURS];
    unsigned char *bytes = fb_alloc(palette ? n : 3 * n);
    int n_colours = palette && bytes ? make_palette(pixels, n, colours, bytes) : 0;
    if (!bytes || (palette && n_colours == 0)) {
        fb_free(bytes);
        return FB_E_MEMORY;
    }
    for (size_t i = 0; i < n && !palette; i++) {
        for (int k = 0; k < 3; k++) {
            bytes[3 * i + (size_t)k] = (unsigned char)channel_of(pixels[i], 16 - 8 * k);
        }
    }
    fb_status status = write_png(bytes, picture->width, picture->height, colours, n_colours, out);
    fb_free(bytes);
    return status;
}
