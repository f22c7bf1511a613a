#include "tools/fbplot_canvas.h"

#include <cairo.h>
#include <math.h>
#include <stdlib.h>
#include <stdint.h>
#include <string.h>

#include "libcore/base/arena.h"

#define FONT "DejaVu Sans" /* comes with cairo on Debian; wide, so that others fit in its place */
#define MEASURE 100.0      /* the font size at which texts are measured */
#define MOST_PIXELS 30000.0
#define PIECE 100 /* segments of a line that are drawn at once */

struct fb_canvas {
    cairo_surface_t *scratch, *page;
    cairo_t *measure, *cairo; /* cairo: NULL while the page is SVG */
    fb_text *svg;
    double dpi;
};

/* Lengths of dashes and gaps, in line widths. */
static const double dashes[][4] = {{0}, {3.5, 1.8}, {1, 1.4}, {4.5, 1.5, 1, 1.5}};
static const int n_dashes[] = {0, 2, 2, 4};

/* ---- texts ----------------------------------------------------------------------------------- */

static void choose_font(cairo_t *cairo, double size) {
    cairo_font_options_t *options = cairo_font_options_create();
    cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
    cairo_set_font_options(cairo, options);
    cairo_font_options_destroy(options);
    cairo_select_font_face(cairo, FONT, CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(cairo, size);
}

fb_canvas *fb_canvas_new(void) {
    fb_canvas *canvas = fb_alloc(sizeof *canvas);
    if (!canvas) {
        return NULL;
    }
    memset(canvas, 0, sizeof *canvas);
    canvas->scratch = cairo_image_surface_create(CAIRO_FORMAT_A8, 1, 1);
    canvas->measure = cairo_create(canvas->scratch);
    choose_font(canvas->measure, MEASURE);
    if (cairo_status(canvas->measure) != CAIRO_STATUS_SUCCESS) {
        fb_canvas_free(canvas);
        return NULL;
    }
    return canvas;
}

void fb_canvas_free(fb_canvas *canvas) {
    if (canvas) {
        cairo_destroy(canvas->measure);
        cairo_destroy(canvas->cairo);
        cairo_surface_destroy(canvas->scratch);
        cairo_surface_destroy(canvas->page);
        fb_free(canvas);
    }
}

double fb_canvas_width(fb_canvas *canvas, double size, const char *text) {
    cairo_text_extents_t extents;
    cairo_text_extents(canvas->measure, text, &extents);
    return extents.x_advance * size / MEASURE;
}

bool fb_canvas_has_glyphs(fb_canvas *canvas, const char *text) {
    cairo_scaled_font_t *font = cairo_get_scaled_font(canvas->measure);
    cairo_glyph_t *glyphs = NULL;
    int n = 0;
    bool all = cairo_scaled_font_text_to_glyphs(font, 0, 0, text, -1, &glyphs, &n, NULL, NULL,
                                                NULL) == CAIRO_STATUS_SUCCESS;
    for (int i = 0; i < n && all; i++) {
        all = glyphs[i].index != 0; /* that of no character */
    }
    cairo_glyph_free(glyphs);
    return all;
}

/* ---- pages ----------------------------------------------------------------------------------- */

/* A number with at most two decimals: a point is 0.35 mm. */
static void put_number(fb_text *out, double x) {
    long hundredths = lround(x * 100);
    long whole = labs(hundredths) / 100, rest = labs(hundredths) % 100;
    fb_text_printf(out,
                   rest == 0        ? "%s%ld"
                   : rest % 10 == 0 ? "%s%ld.%ld"
                                    : "%s%ld.%02ld",
                   hundredths < 0 ? "-" : "", whole, rest % 10 == 0 ? rest / 10 : rest);
}

static void put_attribute(fb_text *out, const char *name, double x) {
    fb_text_printf(out, " %s=\"", name);
    put_number(out, x);
    fb_text_puts(out, "\"");
}

static void put_escaped(fb_text *out, const char *text) {
    for (; *text; text++) {
        switch (*text) {
        case '&': fb_text_puts(out, "&amp;"); break;
        case '<': fb_text_puts(out, "&lt;"); break;
        case '>': fb_text_puts(out, "&gt;"); break;
        case '"': fb_text_puts(out, "&quot;"); break;
        default: fb_text_add(out, text, 1);
        }
    }
}

void fb_canvas_begin_svg(fb_canvas *canvas, double width, double height, fb_text *out) {
    canvas->svg = out;
    fb_text_puts(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                      "<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" width=\"");
    put_number(out, width * 25.4 / 72);
    fb_text_puts(out, "mm\" height=\"");
    put_number(out, height * 25.4 / 72);
    fb_text_puts(out, "mm\" viewBox=\"0 0 ");
    put_number(out, width);
    fb_text_puts(out, " ");
    put_number(out, height);
    fb_text_puts(out, "\" font-family=\"'" FONT "', Verdana, Arial, Helvetica, sans-serif\">\n"
                      "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n");
}

bool fb_canvas_begin_png(fb_canvas *canvas, double width, double height, double dpi) {
    double w = ceil(width * dpi / 72 - 1e-6), h = ceil(height * dpi / 72 - 1e-6);
    if (!(w >= 1 && h >= 1 && w <= MOST_PIXELS && h <= MOST_PIXELS && w * h <= 4e8)) {
        return false;
    }
    canvas->dpi = dpi;
    canvas->page = cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)w, (int)h);
    canvas->cairo = cairo_create(canvas->page);
    cairo_scale(canvas->cairo, dpi / 72, dpi / 72);
    cairo_set_source_rgb(canvas->cairo, 1, 1, 1);
    cairo_paint(canvas->cairo);
    cairo_set_line_join(canvas->cairo, CAIRO_LINE_JOIN_ROUND);
    return cairo_status(canvas->cairo) == CAIRO_STATUS_SUCCESS;
}

/* The checksum of a PNG chunk: CRC-32 of ISO 3309, as in the PNG specification, annex D. */
static uint32_t checksum(const unsigned char *bytes, size_t n) {
    uint32_t c = 0xFFFFFFFFu;
    for (size_t i = 0; i < n; i++) {
        c ^= bytes[i];
        for (int k = 0; k < 8; k++) {
            c = c & 1 ? 0xEDB88320u ^ (c >> 1) : c >> 1;
        }
    }
    return c ^ 0xFFFFFFFFu;
}

static void put_big_endian(unsigned char *to, uint32_t x) {
    for (int i = 0; i < 4; i++) {
        to[i] = (unsigned char)(x >> (24 - 8 * i));
    }
}

/* How large a pixel is, which cairo does not write: the chunk pHYs, in pixels a metre. */
static void put_resolution(fb_text *out, double dpi) {
    unsigned char chunk[21] = {0, 0, 0, 9, 'p', 'H', 'Y', 's'};
    put_big_endian(chunk + 8, (uint32_t)lround(dpi / 0.0254));
    put_big_endian(chunk + 12, (uint32_t)lround(dpi / 0.0254));
    chunk[16] = 1; /* the unit: metre */
    put_big_endian(chunk + 17, checksum(chunk + 4, 13));
    fb_text_add(out, (const char *)chunk, sizeof chunk);
}

typedef struct png_stream {
    fb_text *out;
    size_t n;
    double dpi;
} png_stream;

#define PNG_HEADER 33 /* the signature and the chunk IHDR, behind which pHYs goes */

static cairo_status_t take_bytes(void *context, const unsigned char *bytes, unsigned length) {
    png_stream *s = context;
    size_t before = 0;
    if (s->n < PNG_HEADER && s->n + length >= PNG_HEADER) {
        before = PNG_HEADER - s->n;
        fb_text_add(s->out, (const char *)bytes, before);
        put_resolution(s->out, s->dpi);
    }
    fb_text_add(s->out, (const char *)bytes + before, length - before);
    s->n += length;
    return s->out->failed ? CAIRO_STATUS_WRITE_ERROR : CAIRO_STATUS_SUCCESS;
}

fb_status fb_canvas_end(fb_canvas *canvas, fb_text *out) {
    if (canvas->svg) {
        fb_text_puts(out, "</svg>\n");
        canvas->svg = NULL;
        return FB_OK;
    }
    png_stream stream = {out, 0, canvas->dpi};
    cairo_status_t status = cairo_status(canvas->cairo);
    if (status == CAIRO_STATUS_SUCCESS) {
        cairo_surface_flush(canvas->page);
        status = cairo_surface_write_to_png_stream(canvas->page, take_bytes, &stream);
    }
    /* a write that failed is found by the one who flushes `out` */
    return status == CAIRO_STATUS_SUCCESS || status == CAIRO_STATUS_WRITE_ERROR ? FB_OK
                                                                                : FB_E_MEMORY;
}

/* ---- drawing --------------------------------------------------------------------------------- */

static void use_colour(cairo_t *cairo, unsigned rgb, double alpha) {
    cairo_set_source_rgba(cairo, (rgb >> 16) / 255.0, (rgb >> 8 & 255) / 255.0, (rgb & 255) / 255.0,
                          alpha);
}

static void put_points(fb_text *out, const fb_point *points, int n) {
    fb_text_puts(out, " points=\"");
    for (int i = 0; i < n; i++) {
        fb_text_puts(out, i ? " " : "");
        put_number(out, points[i].x);
        fb_text_puts(out, ",");
        put_number(out, points[i].y);
    }
    fb_text_puts(out, "\"");
}

static void trace(cairo_t *cairo, const fb_point *points, int n) {
    cairo_new_path(cairo);
    for (int i = 0; i < n; i++) {
        cairo_line_to(cairo, points[i].x, points[i].y);
    }
}

/* The frame's lines are paths, so that the polylines of a file are its data. */
static void svg_line(fb_text *out, const fb_point *points, int n, unsigned rgb, double width,
                     int dash, const char *name) {
    if (name) {
        fb_text_puts(out, "<polyline fill=\"none\"");
        put_points(out, points, n);
    } else {
        fb_text_puts(out, "<path fill=\"none\" d=\"");
        for (int i = 0; i < n; i++) {
            fb_text_puts(out, i ? "L" : "M");
            put_number(out, points[i].x);
            fb_text_puts(out, " ");
            put_number(out, points[i].y);
        }
        fb_text_puts(out, "\"");
    }
    fb_text_printf(out, " stroke=\"#%06x\"", rgb);
    put_attribute(out, "stroke-width", width);
    if (name) {
        fb_text_puts(out, " stroke-linejoin=\"round\"");
    }
    if (n_dashes[dash]) {
        fb_text_puts(out, " stroke-dasharray=\"");
        for (int i = 0; i < n_dashes[dash]; i++) {
            fb_text_puts(out, i ? " " : "");
            put_number(out, dashes[dash][i] * width);
        }
        fb_text_puts(out, "\"");
    }
    if (name) {
        fb_text_puts(out, "><title>");
        put_escaped(out, name);
        fb_text_puts(out, "</title></polyline>\n");
    } else {
        fb_text_puts(out, "/>\n");
    }
}

void fb_canvas_line(fb_canvas *canvas, const fb_point *points, int n, unsigned rgb, double width,
                    int dash, const char *name) {
    if (canvas->svg) {
        svg_line(canvas->svg, points, n, rgb, width, dash, name);
        return;
    }
    double lengths[4], covered = 0;
    for (int i = 0; i < 4; i++) {
        lengths[i] = dashes[dash][i] * width;
    }
    use_colour(canvas->cairo, rgb, 1);
    cairo_set_line_width(canvas->cairo, width);
    /* in pieces: the time that cairo takes grows with the square of a line's crossings */
    for (int i = 0; i + 1 < n; i += PIECE) {
        int end = i + PIECE < n ? i + PIECE : n - 1;
        cairo_set_dash(canvas->cairo, lengths, n_dashes[dash], covered);
        cairo_set_line_cap(canvas->cairo, n > PIECE && !n_dashes[dash] ? CAIRO_LINE_CAP_ROUND
                                                                       : CAIRO_LINE_CAP_BUTT);
        trace(canvas->cairo, points + i, end - i + 1);
        cairo_stroke(canvas->cairo);
        for (int k = i; k < end; k++) {
            covered += hypot(points[k + 1].x - points[k].x, points[k + 1].y - points[k].y);
        }
    }
}

void fb_canvas_area(fb_canvas *canvas, const fb_point *points, int n, unsigned rgb, double alpha) {
    if (canvas->svg) {
        fb_text_printf(canvas->svg, "<polygon fill=\"#%06x\"", rgb);
        put_attribute(canvas->svg, "fill-opacity", alpha);
        put_points(canvas->svg, points, n);
        fb_text_puts(canvas->svg, "/>\n");
        return;
    }
    use_colour(canvas->cairo, rgb, alpha);
    trace(canvas->cairo, points, n);
    cairo_close_path(canvas->cairo);
    cairo_fill(canvas->cairo);
}

void fb_canvas_dot(fb_canvas *canvas, fb_point at, double radius, unsigned rgb) {
    if (canvas->svg) {
        fb_text_puts(canvas->svg, "<circle");
        put_attribute(canvas->svg, "cx", at.x);
        put_attribute(canvas->svg, "cy", at.y);
        put_attribute(canvas->svg, "r", radius);
        fb_text_printf(canvas->svg, " fill=\"#%06x\"/>\n", rgb);
        return;
    }
    use_colour(canvas->cairo, rgb, 1);
    cairo_new_path(canvas->cairo);
    cairo_arc(canvas->cairo, at.x, at.y, radius, 0, 2 * M_PI);
    cairo_fill(canvas->cairo);
}

void fb_canvas_text(fb_canvas *canvas, fb_point at, double size, double anchor, bool up,
                    const char *text) {
    if (canvas->svg) {
        fb_text *out = canvas->svg;
        fb_text_puts(out, "<text");
        put_attribute(out, "x", at.x);
        put_attribute(out, "y", at.y);
        put_attribute(out, "font-size", size);
        if (anchor > 0) {
            fb_text_printf(out, " text-anchor=\"%s\"", anchor < 1 ? "middle" : "end");
        }
        if (up) {
            fb_text_puts(out, " transform=\"rotate(-90 ");
            put_number(out, at.x);
            fb_text_puts(out, " ");
            put_number(out, at.y);
            fb_text_puts(out, ")\"");
        }
        fb_text_puts(out, ">");
        put_escaped(out, text);
        fb_text_puts(out, "</text>\n");
        return;
    }
    double width = fb_canvas_width(canvas, size, text);
    cairo_save(canvas->cairo);
    use_colour(canvas->cairo, 0, 1);
    cairo_translate(canvas->cairo, at.x, at.y);
    cairo_rotate(canvas->cairo, up ? -M_PI / 2 : 0);
    choose_font(canvas->cairo, size);
    cairo_move_to(canvas->cairo, -anchor * width, 0);
    cairo_show_text(canvas->cairo, text);
    cairo_restore(canvas->cairo);
}
