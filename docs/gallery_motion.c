/* Figures 1, 2, 17 and 21 to 27: a whole muscle. */
#include <math.h>
#include <stdio.h>

#include "docs/gallery.h"
#include "libcore/base/arena.h"
#include "libcore/base/spatial.h"

#define DEGREES (3.14159265358979323846 / 180)
#define CM3 1e6

/* A muscle such as a biceps' head, with short tendons. */
static gallery_plan example(void) {
    return (gallery_plan){.volume = 100e-6, .belly = 0.17, .tendon = {0.025, 0.025}};
}

/* ---- figure 21: stretch ---------------------------------------------------------------------- */

fb_picture *gallery_figure21(void) {
    static const double stretch[] = {1.2, 1, 0.8};
    static const char *const captions[] = {"(a) stretched, k = 1.2", "(b) between, k = 1",
                                           "(c) contracted, k = 0.8"};
    static const char *const names[] = {"21 (a)", "21 (b)", "21 (c)"};
    fb_picture *picture = gallery_picture(1080, 620);
    for (int i = 0; i < 3; i++) {
        gallery_plan plan = example();
        plan.stretch = stretch[i];
        gallery_muscle muscle;
        gallery_muscle_make(&muscle, &plan, names[i]);
        fb_scene *scene = fb_picture_cell(picture, 3, 1, i, captions[i]);
        gallery_draw_body(scene, &muscle.body,
                          &(gallery_style){.sides = 12, .colour = gallery_by_columns});
        fb_camera camera = gallery_camera(-0.35F, -1, 0, 0, 0, 1);
        camera.margin[1] = 40;
        fb_scene_set_camera(scene, &camera);
        gallery_note(scene, 180, 16, "bellies %.3f cm³", CM3 * muscle.belly_volume);
        gallery_muscle_free(&muscle);
    }
    fb_picture_one_scale(picture);
    return picture;
}

/* ---- figure 17: a parallel muscle ------------------------------------------------------------ */

/* A parallel muscle, round and stout, so that its junctions can be seen. */
static void make_parallel(gallery_muscle *muscle) {
    const gallery_plan plan = {.volume = 120e-6,
                               .belly = 0.13,
                               .tendon = {0.032, 0.032},
                               .bundles = 160,
                               .layers = 64,
                               .curve = 6.0 / 64,
                               .strength = 1};
    gallery_muscle_make(muscle, &plan, NULL);
}

fb_picture *gallery_figure17(void) {
    fb_picture *picture = gallery_picture(1080, 660);
    gallery_muscle muscle;
    make_parallel(&muscle);
    gallery_measure(&muscle, "17");
    const gallery_style style = {.sides = 12, .colour = gallery_by_cell};
    float cut = (float)(0.5 * muscle.half_width / muscle.form.extent[0]);

    fb_scene *scene = fb_picture_cell(picture, 3, 1, 0, "(a) section along the core");
    gallery_draw_body(scene, &muscle.body, &style);
    fb_scene_set_section(scene, (float[3]){-1, 0, 0}, cut, GALLERY_EDGE, 0.7F);
    fb_camera camera = gallery_camera(1, 0, 0, 0, 0, 1);
    fb_scene_set_camera(scene, &camera);

    scene = fb_picture_cell(picture, 3, 1, 1, "(b) cut open");
    gallery_draw_body(scene, &muscle.body, &style);
    fb_scene_set_section(scene, (float[3]){-1, 0, 0}, cut, GALLERY_EDGE, 0.7F);
    camera = gallery_camera(1, 0.6F, -0.35F, 0, 0, 1);
    fb_scene_set_camera(scene, &camera);

    scene = fb_picture_cell(picture, 3, 1, 2, "(c) outside");
    gallery_draw_body(scene, &muscle.body, &style);
    camera = gallery_camera(1, 0.6F, -0.35F, 0, 0, 1);
    fb_scene_set_camera(scene, &camera);
    fb_picture_one_scale(picture);
    gallery_muscle_free(&muscle);
    return picture;
}

/* ---- figures 1 and 2: levels of a muscle ------------------------------------------------------
 */

static bool in_the_middle(const fb_bundle *bundle, int most) {
    int i = bundle->cell[0], j = bundle->cell[1];
    return (i < 0 ? -1 - i : i) <= most && (j < 0 ? -1 - j : j) <= most;
}

static bool first_alone(const fb_bundle *bundle, int order) {
    return bundle->order == order;
}

/* A line to a ring's middle from a text beside it. */
static void label(fb_scene *scene, const fb_body *body, size_t bundle, double part, float right,
                  float down, const char *text) {
    const fb_bundle *b = &body->bundles[bundle];
    const fb_ring *ring = &body->rings[b->first + (size_t)(part * (double)(b->rings - 1))];
    const float at[3] = {(float)ring->c[0], (float)ring->c[1], (float)ring->c[2]};
    fb_scene_add_leader(scene, at, right, down, text);
}

/* The bundle that is furthest to the right in the pictures. */
static size_t outermost(const fb_body *body) {
    size_t most = 0;
    for (size_t i = 1; i < body->n_bundles; i++) {
        const int *cell = body->bundles[i].cell, *best = body->bundles[most].cell;
        if (cell[1] == 0 && (best[1] != 0 || cell[0] > best[0])) {
            most = i;
        }
    }
    return most;
}

fb_picture *gallery_figure02(void) {
    fb_picture *picture = gallery_picture(1080, 600);
    gallery_muscle muscle;
    make_parallel(&muscle);
    const gallery_style style = {.sides = 16, .colour = gallery_by_cell, .across = true};
    gallery_style whole = style;
    whole.whole = true;
    fb_body few, one;
    gallery_choose(&few, &muscle.body, in_the_middle, 1);
    gallery_choose(&one, &muscle.body, first_alone, 1);
    size_t side = outermost(&muscle.body);
    fb_camera camera = gallery_camera(-0.3F, 1, -0.45F, 0, 0, 1);
    camera.margin[2] = 120;

    fb_scene *scene = fb_picture_cell(picture, 3, 1, 0, "(a) a muscle");
    gallery_draw_body(scene, &muscle.body, &style);
    label(scene, &muscle.body, side, 0.97, 40, -8, "tendon");
    label(scene, &muscle.body, side, 0.84, 36, 0, "junction");
    label(scene, &muscle.body, side, 0.5, 22, 0, "belly");
    fb_scene_set_camera(scene, &camera);

    scene = fb_picture_cell(picture, 3, 1, 1, "(b) its bundles");
    gallery_draw_body(scene, &muscle.body, &style);
    gallery_draw_body(scene, &few, &whole);
    const fb_ring *middle =
        &muscle.body.rings[muscle.body.bundles[side].first + muscle.body.bundles[side].rings / 2];
    fb_scene_set_section(scene, (float[3]){0, 0, 1}, (float)middle->c[2], GALLERY_INK, 0.8F);
    label(scene, &muscle.body, side, 0.49, 22, -20, "section");
    label(scene, &few, 0, 0.7, 44, -10, "bundles");
    label(scene, &few, 0, 0.96, 44, -10, "tendon fibres");
    fb_scene_set_camera(scene, &camera);

    scene = fb_picture_cell(picture, 3, 1, 2, "(c) one bundle");
    gallery_draw_body(scene, &one, &style);
    label(scene, &one, 0, 0.95, 36, -8, "tendon fibre");
    label(scene, &one, 0, 0.5, 36, 0, "belly");
    label(scene, &one, 0, 0.04, 36, 8, "tendon fibre");
    fb_scene_set_camera(scene, &camera);
    fb_picture_one_scale(picture);
    fb_body_free(&few);
    fb_body_free(&one);
    gallery_muscle_free(&muscle);
    return picture;
}

/* ---- figure 22: strength --------------------------------------------------------------------- */

fb_picture *gallery_figure22(void) {
    enum { WIDTH = 1080, SIDE = 440, SECTION = 240 };
    static const double strength[] = {0, 0.5, 1};
    static const char *const names[] = {"22 (a)", "22 (b)", "22 (c)"};
    fb_picture *picture = gallery_picture(WIDTH, SIDE + SECTION);
    const gallery_style style = {.sides = 16, .colour = gallery_by_cell, .across = true};
    for (int i = 0; i < 3; i++) {
        gallery_plan plan = example();
        plan.strength = strength[i];
        gallery_muscle muscle;
        gallery_muscle_make(&muscle, &plan, names[i]);
        int x = i * WIDTH / 3;
        fb_scene *side = fb_picture_panel(picture, x, 0, WIDTH / 3, SIDE, NULL);
        gallery_draw_body(side, &muscle.body, &style);
        fb_camera camera = gallery_camera(1, 0, 0, 0, 0, 1);
        camera.margin[1] = 36;
        fb_scene_set_camera(side, &camera);
        gallery_note(side, WIDTH / 6, 16, "bellies %.3f cm³", CM3 * muscle.belly_volume);

        char caption[64];
        snprintf(caption, sizeof caption, "(%c) s = %.1f, R = %.2f", 'a' + i, strength[i],
                 0.5 + 0.5 * strength[i]);
        fb_scene *section = fb_picture_panel(picture, x, SIDE, WIDTH / 3, SECTION, caption);
        gallery_draw_body(section, &muscle.body, &style);
        float z = (float)(plan.tendon[0] + 0.499 * plan.belly);
        fb_scene_set_section(section, (float[3]){0, 0, 1}, z, GALLERY_INK, 0.8F);
        camera = gallery_camera(0, 0, -1, 0, 1, 0);
        camera.scale = 4700;
        camera.centre[2] = z;
        fb_scene_set_camera(section, &camera);
        gallery_muscle_free(&muscle);
    }
    fb_picture_one_scale(picture);
    return picture;
}

/* ---- figures 23 to 26: bent and twisted ------------------------------------------------------ */

static const double turns[] = {0, 30, 60, 90};

/* Four panels of a muscle that is bent or twisted more and more, or of its core and planes. */
static fb_picture *turned(bool twist, bool core, int figure) {
    fb_picture *picture = gallery_picture(1280, 520);
    for (int i = 0; i < 4; i++) {
        char caption[32], name[32];
        gallery_plan plan = example();
        *(twist ? &plan.twist : &plan.bend) = turns[i] * DEGREES;
        snprintf(caption, sizeof caption, "(%c) %.0f°", 'a' + i, turns[i]);
        snprintf(name, sizeof name, "%d (%c)", figure, 'a' + i);
        gallery_muscle muscle;
        gallery_muscle_make(&muscle, &plan, core ? NULL : name);
        fb_scene *scene = fb_picture_cell(picture, 4, 1, i, caption);
        if (core) {
            double reach = muscle.half_width;
            gallery_draw_planes(scene, &muscle.sections, 0, reach, 0.6 * reach, 0.35F);
            gallery_draw_core(scene, &muscle.sections, 0, GALLERY_MUSCLE, 3);
        } else {
            gallery_draw_body(scene, &muscle.body,
                              &(gallery_style){.sides = 12,
                                               .colour = twist ? gallery_by_columns
                                                               : gallery_by_rows});
            gallery_note(scene, 160, 16, "bellies %.2f cm³", CM3 * muscle.belly_volume);
        }
        fb_camera camera = twist ? gallery_camera(-0.45F, 1, -0.2F, 0, 0, 1)
                                 : gallery_camera(1, 0.35F, -0.3F, 0, 0, 1);
        camera.margin[1] = 34;
        fb_scene_set_camera(scene, &camera);
        gallery_muscle_free(&muscle);
    }
    fb_picture_one_scale(picture);
    return picture;
}

fb_picture *gallery_figure23(void) {
    return turned(false, true, 23);
}

fb_picture *gallery_figure24(void) {
    return turned(false, false, 24);
}

fb_picture *gallery_figure25(void) {
    return turned(true, true, 25);
}

fb_picture *gallery_figure26(void) {
    return turned(true, false, 26);
}

/* ---- figure 27: two heads -------------------------------------------------------------------- */

enum { HEAD_POINTS = 65 };
#define LOW 0.15 /* of plane A, where the cores part */

/* The cores: c straight up to plane A, then a to the left or b to the right. */
static void make_cores(fb_core_line cores[2], double points[2][HEAD_POINTS][3]) {
    const double top = 0.31, apart = 0.036;
    for (int h = 0; h < 2; h++) {
        for (int k = 0; k < HEAD_POINTS; k++) {
            double z = top * k / (HEAD_POINTS - 1), t = z > LOW ? (z - LOW) / (top - LOW) : 0;
            double x = apart * t * t * (3 - 2 * t);
            fb_v3_set(points[h][k], h ? x : -x, 0, z);
        }
        cores[h] = (fb_core_line){.points = (const double(*)[3])points[h],
                                  .n_points = HEAD_POINTS,
                                  .belly = {0.035, 0.26},
                                  .widest = 0.13};
    }
}

static unsigned by_head(const fb_bundle *bundle) {
    static const unsigned colours[2][2] = {{0xC25B4E, 0xD4776A}, {0xB9704A, 0xCD8C64}};
    return colours[bundle->head[1] & 1][(bundle->cell[0] + bundle->cell[1]) & 1];
}

static void draw_rectangle(fb_scene *scene, const double from[3], const double along[3],
                           const double across[3], unsigned rgb) {
    float pairs[4][3];
    for (int i = 0; i < 3; i++) {
        pairs[0][i] = (float)from[i];
        pairs[1][i] = (float)(from[i] + across[i]);
        pairs[2][i] = (float)(from[i] + along[i]);
        pairs[3][i] = (float)(from[i] + along[i] + across[i]);
    }
    gallery_draw_strip(scene, pairs[0], 2, rgb, 0.3F);
}

fb_picture *gallery_figure27(void) {
    fb_picture *picture = gallery_picture(1080, 640);
    double points[2][HEAD_POINTS][3];
    fb_core_line cores[2];
    make_cores(cores, points);
    gallery_plan plan = {
        .volume = 140e-6, .belly = 0.225, .tendon = {0.035, 0.05}, .cores = cores, .n_cores = 2};
    gallery_muscle muscle;
    gallery_muscle_make(&muscle, &plan, "27");
    const gallery_style style = {.sides = 12, .colour = by_head, .across = true};
    fb_camera camera = gallery_camera(-0.35F, 1, -0.3F, 0, 0, 1);

    fb_scene *scene = fb_picture_panel(picture, 0, 0, 340, 640, "(a) cores and planes");
    draw_rectangle(scene, (double[3]){-0.045, -0.025, LOW}, (double[3]){0.09, 0, 0},
                   (double[3]){0, 0.05, 0}, GALLERY_GLASS);
    draw_rectangle(scene, (double[3]){0, -0.025, LOW}, (double[3]){0, 0, 0.15},
                   (double[3]){0, 0.05, 0}, GALLERY_GLASS2);
    for (size_t h = 0; h < 2; h++) {
        float line[HEAD_POINTS][3];
        for (int k = 0; k < HEAD_POINTS; k++) {
            for (int i = 0; i < 3; i++) {
                line[k][i] = (float)points[h][k][i];
            }
        }
        fb_scene_add_line(scene, line[0], HEAD_POINTS, h ? 0xB9704A : 0xC25B4E, 3);
        fb_scene_add_leader(scene, line[HEAD_POINTS - 8], h ? 30 : -30, -14, h ? "b" : "a");
        if (h == 0) {
            fb_scene_add_leader(scene, line[HEAD_POINTS / 4], 30, 10, "c");
        }
    }
    const float at_a[3] = {0.045F, -0.025F, (float)LOW}, at_b[3] = {0, -0.025F, (float)LOW + 0.15F};
    fb_scene_add_text(scene, fb_spot_at(at_a, 12, 4), &(fb_lettering){.rgb = GALLERY_GLASS}, "A");
    fb_scene_add_text(scene, fb_spot_at(at_b, 0, -14), &(fb_lettering){.rgb = GALLERY_GLASS2}, "B");
    fb_scene_set_camera(scene, &camera);

    scene = fb_picture_panel(picture, 340, 0, 340, 640, "(b) the muscle");
    gallery_draw_body(scene, &muscle.body, &style);
    fb_scene_set_camera(scene, &camera);

    static const double heights[] = {0.29, 0.216, 0.11};
    static const char *const captions[] = {"(c) section at 290 mm: tendons",
                                           "(d) at 216 mm: two heads",
                                           "(e) at 110 mm: one lattice"};
    for (int i = 0; i < 3; i++) {
        scene = fb_picture_panel(picture, 680, i * 640 / 3, 400, 640 / 3, captions[i]);
        gallery_draw_body(scene, &muscle.body, &style);
        fb_scene_set_section(scene, (float[3]){0, 0, 1}, (float)heights[i], GALLERY_INK, 0.8F);
        fb_camera down = gallery_camera(0, 0, -1, 0, 1, 0);
        down.scale = 4000;
        down.centre[2] = (float)heights[i];
        fb_scene_set_camera(scene, &down);
    }
    fb_picture_one_scale(picture);
    gallery_muscle_free(&muscle);
    return picture;
}
