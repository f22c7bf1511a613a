/* What fbplot draws on: lines, areas, dots and texts, on a page in points (1/72 inch) from the
 * upper left corner, as SVG that we write ourselves or as PNG through cairo. Texts are measured
 * with cairo in both cases. */
#ifndef FB_TOOLS_FBPLOT_CANVAS_H
#define FB_TOOLS_FBPLOT_CANVAS_H

#include <stdbool.h>

#include "formats/text.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fb_canvas fb_canvas;

typedef struct fb_point {
    double x, y;
} fb_point;

/* NULL when memory runs out. */
fb_canvas *fb_canvas_new(void);
void fb_canvas_free(fb_canvas *canvas);

/* The width of a text in points at a font size. */
double fb_canvas_width(fb_canvas *canvas, double size, const char *text);
/* Whether the font has a glyph for each character. */
bool fb_canvas_has_glyphs(fb_canvas *canvas, const char *text);

/* Begins a page of a size in points. */
void fb_canvas_begin_svg(fb_canvas *canvas, double width, double height, fb_text *out);
/* False if such a picture cannot be made. */
bool fb_canvas_begin_png(fb_canvas *canvas, double width, double height, double dpi);
/* Ends the page: the rest of the SVG, or all of the PNG, goes to `out`. FB_E_MEMORY if anything
 * failed. */
fb_status fb_canvas_end(fb_canvas *canvas, fb_text *out);

/* A line through points. `rgb` is 0xRRGGBB; `dash` a line style from 0 (solid). Data lines are
 * polylines of the SVG, with `name` as their title; NULL: part of the frame. */
void fb_canvas_line(fb_canvas *canvas, const fb_point *points, int n, unsigned rgb, double width,
                    int dash, const char *name);
void fb_canvas_area(fb_canvas *canvas, const fb_point *points, int n, unsigned rgb, double alpha);
void fb_canvas_dot(fb_canvas *canvas, fb_point at, double radius, unsigned rgb);
/* A text whose baseline passes `at`; `anchor` 0: starts there, 0.5: centred, 1: ends there. `up`:
 * turned to be read from below to above. */
void fb_canvas_text(fb_canvas *canvas, fb_point at, double size, double anchor, bool up,
                    const char *text);

#ifdef __cplusplus
}
#endif
#endif
