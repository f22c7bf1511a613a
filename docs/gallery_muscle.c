/* Muscles of the gallery: made along a core by the library's default rule. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "docs/gallery.h"
#include "libcore/base/arena.h"
#include "libcore/base/number.h"
#include "libcore/base/spatial.h"

#define DEGREE (3.14159265358979323846 / 180)

enum { POINTS = 257, LAYERS = 32, MOST_HEADS = 8 };

/* ---- making ---------------------------------------------------------------------------------- */

/* The sections along the plan's cores. */
static const char *make_sections(gallery_muscle *muscle, const gallery_plan *plan, double belly) {
    double width, height, half_width, points[POINTS][3];
    fb_section_options options = {.layers = plan->layers ? plan->layers : LAYERS,
                                  .up = {0, 1, 0},
                                  .twist = plan->twist,
                                  .cut = muscle->form.cut};
    fb_form_size(&muscle->form, belly, plan->strength, &half_width, &width, &height);
    options.span = muscle->half_width = 0.5 * width;
    fb_core_line cores[MOST_HEADS];
    size_t n = plan->n_cores ? plan->n_cores : 1;
    if (plan->cores) {
        memcpy(cores, plan->cores, n * sizeof *cores);
        options.radius = 0.5 * fb_greater(height, fb_lesser(width, 2 * height));
    } else {
        double length = plan->tendon[0] + belly + plan->tendon[1];
        fb_core_bent(points, POINTS, length, plan->bend, 0);
        cores[0] = (fb_core_line){.points = (const double(*)[3])points,
                                  .n_points = POINTS,
                                  .belly = {plan->tendon[0], plan->tendon[0] + belly},
                                  .widest = plan->tendon[0] + 0.5 * belly};
    }
    for (size_t h = 0; h < n; h++) {
        cores[h].left = muscle->form.strips[h].left;
        cores[h].right = muscle->form.strips[h].right;
        cores[h].half_width = half_width;
    }
    return fb_sections_along(&muscle->sections, cores, n, &options);
}

/* The volume between the rings of bellies. */
static double belly_volume(const fb_body *body) {
    double volume = 0;
    for (size_t i = 0; i < body->n_bundles; i++) {
        const fb_bundle *bundle = &body->bundles[i];
        const fb_ring *rings = body->rings + bundle->first;
        size_t cut[2] = {0, bundle->rings - 1};
        double at = 0;
        for (size_t k = 1; k < bundle->rings; k++) {
            double next = at + fb_v3_distance(rings[k - 1].c, rings[k].c), half = (at + next) / 2;
            cut[0] = half < bundle->belly[0] ? k : cut[0];
            cut[1] = half < bundle->belly[1] ? k : cut[1];
            at = next;
        }
        volume += fb_rings_volume(rings, cut[0], cut[1]);
    }
    return volume;
}

void gallery_muscle_make(gallery_muscle *muscle, const gallery_plan *plan, const char *told_as) {
    memset(muscle, 0, sizeof *muscle);
    fb_form_head heads[MOST_HEADS];
    fb_form_options options = fb_form_options_default();
    options.volume = plan->volume;
    options.curve = plan->curve;
    options.bundles = plan->bundles > 0 ? plan->bundles : options.bundles;
    if (plan->outline) {
        options.outline = *plan->outline;
    }
    options.n_heads = plan->n_cores;
    options.heads = heads;
    for (size_t h = 0; h < plan->n_cores; h++) {
        heads[h] = (fb_form_head){"head", 1.0 / (double)plan->n_cores, 1.0 / (double)plan->n_cores};
    }
    fb_scratch scratch = {0};
    double belly = plan->belly * (plan->stretch > 0 ? plan->stretch : 1);
    gallery_must("a muscle's form", fb_form_make(&muscle->form, &options));
    gallery_must("a muscle's sections", make_sections(muscle, plan, belly));
    gallery_must("a muscle", fb_form_place(&muscle->body, &muscle->form, &muscle->sections,
                                           plan->strength, &scratch));
    fb_scratch_clear(&scratch);
    muscle->belly_volume = belly_volume(&muscle->body);
    if (told_as) {
        gallery_measure(muscle, told_as);
    }
}

void gallery_measure(gallery_muscle *muscle, const char *told_as) {
    gallery_tell(told_as, &muscle->body, &muscle->measures);
    muscle->belly_volume = belly_volume(&muscle->body);
}

void gallery_muscle_free(gallery_muscle *muscle) {
    fb_body_free(&muscle->body);
    fb_sections_free(&muscle->sections);
    fb_form_free(&muscle->form);
}

/* ---- drawing --------------------------------------------------------------------------------- */

static void draw_plane(fb_scene *scene, const fb_sections *sections, size_t head, int axis,
                       double low, double reach, unsigned rgb, float opacity) {
    size_t first = sections->heads[head].first, n = sections->heads[head].last - first + 1;
    float *pairs = gallery_memory(6 * n * sizeof *pairs);
    for (size_t k = 0; k < n; k++) {
        const fb_frame *frame = sections->frames + head * sections->n + first + k;
        for (int side = 0; side < 2; side++) {
            for (int i = 0; i < 3; i++) {
                double along = axis == 0 ? frame->x[i] : frame->y[i];
                pairs[6 * k + 3 * (size_t)side + (size_t)i] =
                    (float)(frame->o[i] + (side ? reach : low) * along);
            }
        }
    }
    gallery_draw_strip(scene, pairs, n, rgb, opacity);
    fb_free(pairs);
}

void gallery_draw_planes(fb_scene *scene, const fb_sections *sections, size_t head, double x,
                         double y, float opacity) {
    draw_plane(scene, sections, head, 0, -x, x, GALLERY_GLASS2, opacity);
    draw_plane(scene, sections, head, 1, -y, y, GALLERY_GLASS, opacity);
}

void gallery_draw_quarter(fb_scene *scene, const fb_sections *sections, double x, double y) {
    draw_plane(scene, sections, 0, 0, 0, x, GALLERY_GLASS2, 0.35F);
    draw_plane(scene, sections, 0, 1, 0, y, GALLERY_GLASS, 0.35F);
}

void gallery_draw_core(fb_scene *scene, const fb_sections *sections, size_t head, unsigned rgb,
                       float width) {
    size_t first = sections->heads[head].first, n = sections->heads[head].last - first + 1;
    float *points = gallery_memory(3 * n * sizeof *points);
    for (size_t k = 0; k < n; k++) {
        const fb_frame *frame = sections->frames + head * sections->n + first + k;
        for (size_t i = 0; i < 3; i++) {
            points[3 * k + i] = (float)frame->o[i];
        }
    }
    fb_scene_add_line(scene, points, n, rgb, width);
    fb_free(points);
}

void gallery_note(fb_scene *scene, float x, float y, const char *format, ...) {
    char text[200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fb_scene_add_text(scene, fb_spot_pixel(x, y),
                      &(fb_lettering){.anchor = 0.5F, .rgb = GALLERY_INK, .size = 14}, text);
}

/* ---- measures -------------------------------------------------------------------------------- */

/* The greatest angle between neighbouring segments of a bundle's axis, rad. */
static double sharpest(const fb_body *body) {
    double most = 0;
    for (size_t i = 0; i < body->n_bundles; i++) {
        const fb_ring *rings = body->rings + body->bundles[i].first;
        for (size_t k = 1; k + 1 < body->bundles[i].rings; k++) {
            double from[3], to[3], across[3];
            fb_v3_sub(from, rings[k].c, rings[k - 1].c);
            fb_v3_sub(to, rings[k + 1].c, rings[k].c);
            fb_v3_cross(across, from, to);
            most = fb_greater(most, atan2(fb_v3_norm(across), fb_v3_dot(from, to)));
        }
    }
    return most;
}

void gallery_tell(const char *name, const fb_body *body, fb_body_measures *m) {
    gallery_must(name, fb_body_measure(m, body, 0, -1) == FB_OK ? NULL : "out of memory");
    printf("| %s | %zu | %.2f | %.2f | %.2f | %.2f | %.3f | %.3f | %.2f | %.1f | %.1f |\n", name,
           body->n_bundles, 100 * m->penetration, 100 * m->gap, 100 * m->worst_gap,
           100 * m->between_heads, 100 * m->volume_error, 100 * m->length_error,
           100 * m->ratio_error, m->tilt / DEGREE, sharpest(body) / DEGREE);
}
