/* Figures 8 to 16: how bundles are laid against planes and against each other. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "docs/gallery.h"
#include "libcore/base/arena.h"
#include "libcore/base/spatial.h"
#include "libcore/bundle/patent.h"

#define PI 3.14159265358979323846

/* ---- figures 8 to 13: the patent's rule -------------------------------------------------------
 */

enum { HALF = 8, FIBRE = 2, RINGS = 2 * (HALF + FIBRE) + 1, WIDEST = HALF + FIBRE };

/* A bundle in centimetres, stout so that its angles can be seen. */
static fb_shape example(void) {
    fb_shape shape = {.c1 = 5, .c2 = 5, .l1 = 1.4, .l2 = 4.5, .l3 = 4.5, .l4 = 1.4};
    fb_shape_from_ellipsoids(&shape, 20, 0.6);
    return shape;
}

static void make(fb_body *body, const fb_shape *shape, double height) {
    gallery_bundle(body, shape, &(fb_layers){FIBRE, HALF, HALF, FIBRE}, NULL);
    for (size_t k = 0; k < body->n_rings; k++) {
        body->rings[k].c[1] += height;
    }
}

static const fb_patent_obstacle floor_plane = {.along = 1, .sign = 1};

/* Another bundle as an obstacle below. */
static fb_patent_obstacle below(const fb_body *reference) {
    return (fb_patent_obstacle){
        .along = 1, .sign = 1, .rings = reference->rings, .n = RINGS, .widest = WIDEST};
}

/* Moves the rings beyond one, away from the middle, with it: from its straight place. */
static void carry(fb_ring *rings, const fb_ring *straight, size_t with, int step) {
    double to[3][3];
    fb_v3_scale(to[0], 1 / fb_v3_norm(rings[with].u), rings[with].u);
    fb_v3_scale(to[1], 1 / fb_v3_norm(rings[with].w), rings[with].w);
    fb_v3_cross(to[2], to[0], to[1]);
    for (size_t k = with; k < RINGS; k += (size_t)step) {
        const double *from[3] = {straight[k].c, straight[k].u, straight[k].w};
        double *moved[3] = {rings[k].c, rings[k].u, rings[k].w}, place[3];
        fb_v3_copy(place, rings[with].c);
        for (int v = 0; v < 3; v++) {
            double turned[3] = {0, 0, 0};
            for (int axis = 0; axis < 3; axis++) {
                double part = from[v][axis] - (v == 0 ? straight[with].c[axis] : 0);
                fb_v3_madd(turned, part, to[axis]);
            }
            if (v == 0) {
                fb_v3_add(turned, turned, place);
            }
            if (k != with) {
                fb_v3_copy(moved[v], turned);
            }
        }
        if (k == 0) {
            break;
        }
    }
}

/* Folds the layers next to the widest section, so many to each side; the others go with them. */
static void fold(fb_body *body, const fb_patent_obstacle *obstacle, size_t layers) {
    fb_ring straight[RINGS];
    memcpy(straight, body->rings, sizeof straight);
    fb_patent_obstacle part = *obstacle;
    size_t from = WIDEST - layers;
    fb_patent_fold(body->rings + from, 2 * layers + 1, layers, &part, 1, false);
    if (layers < WIDEST) {
        carry(body->rings, straight, WIDEST + layers, 1);
        carry(body->rings, straight, from, -1);
    }
}

static void draw_floor(fb_scene *scene, double from, double to) {
    float pairs[4][3] = {{-2.2F, 0, (float)from},
                         {2.2F, 0, (float)from},
                         {-2.2F, 0, (float)to},
                         {2.2F, 0, (float)to}};
    gallery_draw_strip(scene, pairs[0], 2, GALLERY_GLASS, 0.35F);
}

static unsigned reference_colour(const fb_bundle *bundle) {
    return bundle->order > 1 ? GALLERY_MUSCLE : 0xB9846A;
}

static void draw_bundle(fb_scene *scene, const fb_body *body) {
    gallery_draw_body(scene, body,
                      &(gallery_style){.sides = 32,
                                       .colour = reference_colour,
                                       .edge = 0x7A4A40,
                                       .edge_width = 0});
    for (size_t k = 0; k < body->n_rings; k++) {
        float outline[49][3];
        for (int j = 0; j <= 48; j++) {
            gallery_corner(outline[j], &body->rings[k], 48, j % 48);
        }
        fb_scene_add_line(scene, outline[0], 49, 0x7A4A40, 0.9F);
    }
}

static void look_aside(fb_scene *scene) {
    fb_camera camera = gallery_camera(1, -0.22F, 0.12F, 0, 1, 0);
    fb_scene_set_camera(scene, &camera);
}

fb_picture *gallery_figure08(void) {
    static const char *const captions[] = {"(a) apart", "(b) the widest section touches",
                                           "(c) folded outward, layer by layer",
                                           "(d) all of it lies on the plane"};
    fb_picture *picture = gallery_picture(1200, 500);
    fb_shape shape = example();
    for (int i = 0; i < 4; i++) {
        fb_body body;
        make(&body, &shape, i == 0 ? 2.4 * shape.b : shape.b);
        body.bundles[0].order = 2;
        if (i > 1) {
            fold(&body, &floor_plane, i == 2 ? HALF / 2 : WIDEST);
        }
        fb_scene *scene = fb_picture_cell(picture, 2, 2, i, captions[i]);
        draw_floor(scene, -6.4, 6.4);
        draw_bundle(scene, &body);
        look_aside(scene);
        fb_body_free(&body);
    }
    fb_picture_one_scale(picture);
    return picture;
}

/* A point of a ring's outline in the plane x = 0, before everything else: v is -1 below, 1 above.
 */
static void side_point(float point[3], const fb_ring *ring, double v) {
    point[0] = -4;
    for (int i = 1; i < 3; i++) {
        point[i] = (float)(ring->c[i] + v * ring->w[i]);
    }
}

static void side_line(fb_scene *scene, const double from[2], const double to[2], unsigned rgb,
                      float width, bool dashed) {
    const float a[3] = {-4, (float)from[0], (float)from[1]};
    const float b[3] = {-4, (float)to[0], (float)to[1]};
    if (!dashed) {
        float ends[2][3];
        memcpy(ends[0], a, sizeof a);
        memcpy(ends[1], b, sizeof b);
        fb_scene_add_line(scene, ends[0], 2, rgb, width);
        return;
    }
    fb_scene_add_stroke(scene, fb_spot_at(a, 0, 0), fb_spot_at(b, 0, 0),
                        &(fb_stroke){.width = width, .rgb = rgb, .dashed = true});
}

/* Layers `from` to `to` (rings) of a bundle from the side: outline, rings and axis. */
static void draw_layers(fb_scene *scene, const fb_ring *rings, size_t from, size_t to, unsigned rgb,
                        float width) {
    static const double places[] = {-1, 0, 1};
    for (size_t i = 0; i < 3; i++) {
        float line[RINGS][3];
        for (size_t k = from; k <= to; k++) {
            side_point(line[k - from], &rings[k], places[i]);
        }
        fb_scene_add_line(scene, line[0], to - from + 1, rgb, i == 1 ? width / 2 : width);
    }
    for (size_t k = from; k <= to; k++) {
        float line[2][3];
        side_point(line[0], &rings[k], -1);
        side_point(line[1], &rings[k], 1);
        fb_scene_add_line(scene, line[0], 2, rgb, width);
    }
}

/* An arc about a point, from one angle to another in the plane of the side view (from z to y). */
static void draw_arc(fb_scene *scene, const double centre[2], double radius, double from, double to,
                     const char *text) {
    enum { PIECES = 24 };
    float line[PIECES + 1][3];
    for (int i = 0; i <= PIECES; i++) {
        double angle = from + (to - from) * i / PIECES;
        line[i][0] = -4;
        line[i][1] = (float)(centre[0] + radius * sin(angle));
        line[i][2] = (float)(centre[1] + radius * cos(angle));
    }
    fb_scene_add_line(scene, line[0], PIECES + 1, GALLERY_BLUE, 1.6F);
    double angle = 0.5 * (from + to);
    const float at[3] = {-4, (float)(centre[0] + radius * sin(angle)),
                         (float)(centre[1] + radius * cos(angle))};
    fb_scene_add_text(scene, fb_spot_at(at, 20, 0),
                      &(fb_lettering){.anchor = 0.5F, .rgb = GALLERY_BLUE, .size = 17}, text);
}

/* The angle of the axis from ring k to the next, from z to y. */
static double slope(const fb_ring *rings, size_t k) {
    return atan2(rings[k + 1].c[1] - rings[k].c[1], rings[k + 1].c[2] - rings[k].c[2]);
}

enum { SHOWN = WIDEST + 5 }; /* the placed end of layer n */

static void side_camera(fb_scene *scene) {
    fb_camera camera = gallery_camera(1, 0, 0, 0, 1, 0);
    camera.margin[0] = camera.margin[2] = 40;
    camera.margin[1] = 20;
    camera.margin[3] = 24;
    fb_scene_set_camera(scene, &camera);
}

fb_picture *gallery_figure09(void) {
    fb_picture *picture = gallery_picture(1080, 400);
    fb_shape shape = example();
    static const char *const captions[] = {"(a) layer n goes straight on", "(b) turned by αₙ"};
    for (int i = 0; i < 2; i++) {
        fb_body body;
        make(&body, &shape, shape.b);
        fold(&body, &floor_plane, SHOWN - WIDEST + (size_t)i);
        fb_scene *scene = fb_picture_cell(picture, 2, 1, i, captions[i]);
        const fb_ring *r = body.rings;
        side_line(scene, (double[2]){0, r[SHOWN - 2].c[2] - 0.2},
                  (double[2]){0, r[SHOWN + 1].c[2] + 0.4}, GALLERY_GLASS, 3, false);
        draw_layers(scene, r, SHOWN - 2, SHOWN, GALLERY_GREY, 1.6F);
        draw_layers(scene, r, SHOWN, SHOWN + 1, GALLERY_MUSCLE, 2.4F);
        float at[3];
        if (i == 1) {
            double before = slope(r, SHOWN - 1), after = slope(r, SHOWN);
            const double joint[2] = {r[SHOWN].c[1], r[SHOWN].c[2]};
            const double end[2] = {joint[0] + 0.75 * sin(before), joint[1] + 0.75 * cos(before)};
            side_line(scene, joint, end, GALLERY_BLUE, 1.2F, true);
            draw_arc(scene, joint, 0.5, before, after, "αₙ");
        }
        side_point(at, &r[SHOWN], 0.5);
        fb_scene_add_text(scene, fb_spot_at(at, -16, 0), &(fb_lettering){.anchor = 0.5F}, "b₁");
        side_point(at, &r[SHOWN + 1], 0.5);
        fb_scene_add_text(scene, fb_spot_at(at, 18, 0), &(fb_lettering){.anchor = 0.5F}, "b₂");
        side_camera(scene);
        fb_body_free(&body);
    }
    fb_picture_one_scale(picture);
    return picture;
}

fb_picture *gallery_figure10(void) {
    fb_picture *picture = gallery_picture(1200, 330);
    fb_shape shape = example();
    for (int i = 0; i < 2; i++) {
        fb_body reference, follower;
        make(&reference, &shape, shape.b);
        fold(&reference, &floor_plane, WIDEST);
        make(&follower, &shape, 3 * shape.b);
        follower.bundles[0].order = 2;
        fb_patent_obstacle obstacle = below(&reference);
        if (i == 1) {
            fold(&follower, &obstacle, WIDEST);
        }
        fb_scene *scene = fb_picture_cell(picture, 2, 1, i,
                                          i ? "(b) the follower folded by α + β"
                                            : "(a) widest sections touch");
        draw_floor(scene, -6.4, 6.4);
        draw_bundle(scene, &reference);
        draw_bundle(scene, &follower);
        look_aside(scene);
        fb_body_free(&reference);
        fb_body_free(&follower);
    }
    fb_picture_one_scale(picture);
    return picture;
}
