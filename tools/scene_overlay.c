/* Captions, texts, strokes and arrows over a picture, by cairo. */
#include <cairo.h>
#include <math.h>

#include "tools/scene_parts.h"

#define FONT "DejaVu Sans" /* comes with cairo on Debian */
#define SEAM 4.0           /* pixels around a text that are the background's */
#define HEAD 9.0           /* length of an arrow head, pixels */

static void use_colour(cairo_t *cairo, unsigned rgb) {
    cairo_set_source_rgb(cairo, (rgb >> 16 & 255) / 255.0, (rgb >> 8 & 255) / 255.0,
                         (rgb & 255) / 255.0);
}

static void choose_font(cairo_t *cairo, double size, bool bold) {
    cairo_font_options_t *options = cairo_font_options_create();
    cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
    cairo_set_font_options(cairo, options);
    cairo_font_options_destroy(options);
    cairo_select_font_face(cairo, FONT, CAIRO_FONT_SLANT_NORMAL,
                           bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(cairo, size);
}

/* A text whose capitals' middle is at a height; under it a seam. */
static void draw_text(cairo_t *cairo, double x, double y, const fb_lettering *lettering,
                      unsigned background, const char *text) {
    double size = lettering->size > 0 ? (double)lettering->size : 15;
    choose_font(cairo, size, lettering->bold);
    cairo_text_extents_t extents;
    cairo_text_extents(cairo, text, &extents);
    cairo_new_path(cairo);
    cairo_move_to(cairo, x - (double)lettering->anchor * extents.x_advance, y + 0.36 * size);
    cairo_text_path(cairo, text);
    if (!lettering->bare) {
        use_colour(cairo, background);
        cairo_set_line_width(cairo, 2 * SEAM);
        cairo_stroke_preserve(cairo);
    }
    use_colour(cairo, lettering->rgb);
    cairo_fill(cairo);
}

/* An arrow head at a point, that comes from a direction. */
static void draw_head(cairo_t *cairo, double x, double y, double angle) {
    const double spread = 0.27;
    cairo_new_path(cairo);
    cairo_move_to(cairo, x, y);
    cairo_line_to(cairo, x - HEAD * cos(angle - spread), y - HEAD * sin(angle - spread));
    cairo_line_to(cairo, x - HEAD * cos(angle + spread), y - HEAD * sin(angle + spread));
    cairo_close_path(cairo);
    cairo_fill(cairo);
}

static void draw_stroke(cairo_t *cairo, const double from[2], const double to[2],
                        const fb_stroke *stroke) {
    double width = stroke->width > 0 ? (double)stroke->width : 1.2;
    double dx = to[0] - from[0], dy = to[1] - from[1], length = hypot(dx, dy);
    if (!(length > 0)) {
        return;
    }
    /* the line ends inside its heads, so that their points stay sharp */
    double short_of = fmin(HEAD * 0.6, length / 2) / length;
    double begin = stroke->heads > 1 ? short_of : 0, end = stroke->heads > 0 ? 1 - short_of : 1;
    const double dashes[] = {5 * width, 3 * width};
    use_colour(cairo, stroke->rgb);
    cairo_set_line_width(cairo, width);
    cairo_set_dash(cairo, dashes, stroke->dashed ? 2 : 0, 0);
    cairo_new_path(cairo);
    cairo_move_to(cairo, from[0] + begin * dx, from[1] + begin * dy);
    cairo_line_to(cairo, from[0] + end * dx, from[1] + end * dy);
    cairo_stroke(cairo);
    cairo_set_dash(cairo, NULL, 0, 0);
    double angle = atan2(dy, dx);
    if (stroke->heads > 0) {
        draw_head(cairo, to[0], to[1], angle);
    }
    if (stroke->heads > 1) {
        draw_head(cairo, from[0], from[1], angle + M_PI);
    }
}

/* Where a place is, in pixels of the panel. */
static void find(const fb_scene *scene, const fb_spot *place, double at[2]) {
    float pixel[2] = {0, 0};
    if (!place->fixed) {
        fb_scene_project(scene, place->world, pixel);
    }
    for (int i = 0; i < 2; i++) {
        at[i] = (double)(pixel[i] + place->shift[i]);
    }
}

/* Strokes first, so that no line runs through a text. */
static void draw_marks(cairo_t *cairo, const fb_scene *scene) {
    for (int texts = 0; texts < 2; texts++) {
        for (const scene_mark *mark = scene->marks; mark; mark = mark->next) {
            double from[2], to[2];
            find(scene, &mark->from, from);
            if (mark->text && texts) {
                draw_text(cairo, from[0], from[1], &mark->lettering, scene->picture->background,
                          mark->text);
            } else if (!mark->text && !texts) {
                find(scene, &mark->to, to);
                draw_stroke(cairo, from, to, &mark->stroke);
            }
        }
    }
    if (scene->caption) {
        const fb_lettering lettering = {.size = 17, .anchor = 0.5F};
        draw_text(cairo, scene->width / 2.0, scene->height + FB_CAPTION_HEIGHT / 2.0, &lettering,
                  scene->picture->background, scene->caption);
    }
}

const char *fb_picture_letter(fb_picture *picture) {
    cairo_surface_t *surface =
        cairo_image_surface_create_for_data((unsigned char *)picture->pixels, CAIRO_FORMAT_RGB24,
                                            picture->width, picture->height, 4 * picture->width);
    cairo_t *cairo = cairo_create(surface);
    cairo_set_line_join(cairo, CAIRO_LINE_JOIN_ROUND);
    for (const fb_scene *scene = picture->scenes; scene; scene = scene->next) {
        cairo_save(cairo);
        cairo_translate(cairo, scene->x, scene->y);
        cairo_rectangle(cairo, 0, 0, scene->width,
                        scene->height + (scene->caption ? FB_CAPTION_HEIGHT : 0));
        cairo_clip(cairo);
        draw_marks(cairo, scene);
        cairo_restore(cairo);
    }
    cairo_surface_flush(surface);
    cairo_status_t status = cairo_status(cairo);
    cairo_destroy(cairo);
    cairo_surface_destroy(surface);
    for (size_t i = 0; i < (size_t)picture->width * (size_t)picture->height; i++) {
        picture->pixels[i] &= 0xFFFFFF;
    }
    return status == CAIRO_STATUS_SUCCESS ? NULL : "cairo could not draw the texts";
}
