/* Figures 3 to 7: one bundle. */
#include <math.h>

#include "docs/gallery.h"
#include "libcore/base/spatial.h"

#define PI 3.14159265358979323846

/* The bundle of figures 3 and 4, in centimetres, stout so that its parts can be seen; c1 and c2
 * differ, and neither half is used whole. */
static fb_shape example(void) {
    fb_shape shape = {.c1 = 4.2, .c2 = 5.2, .l1 = 1.8, .l2 = 3.9, .l3 = 4.7, .l4 = 1.8};
    fb_shape_from_ellipsoids(&shape, 20, 0.6);
    return shape;
}

/* The ellipse of the half-ellipsoids in the plane x = -a, before the bundle, dashed beyond its
 * cuts. */
static void draw_ellipsoids(fb_scene *scene, const fb_shape *shape) {
    enum { PIECES = 400, DASH = 7, GAP = 5 };
    for (int half = 0; half < 2; half++) {
        double c = half ? shape->c2 : shape->c1, l = half ? shape->l3 : shape->l2;
        for (int i = 0; i < PIECES; i++) {
            float ends[2][3];
            double middle = PI / PIECES * (i + 0.5);
            if (c * sin(middle) < l || i % (DASH + GAP) >= DASH) {
                continue;
            }
            for (int k = 0; k < 2; k++) {
                double angle = PI / PIECES * (i + k);
                ends[k][0] = (float)(-1.1 * shape->a);
                ends[k][1] = (float)(shape->b * cos(angle));
                ends[k][2] = (float)((half ? 1 : -1) * c * sin(angle));
            }
            fb_scene_add_line(scene, ends[0], 2, GALLERY_INK, 1.6F);
        }
    }
}

/* A line across the bundle, just before it. */
static void draw_section_line(fb_scene *scene, const fb_shape *shape, double z, unsigned rgb) {
    float half = (float)(shape->b * fb_shape_section(shape, z));
    float x = (float)(-1.1 * shape->a);
    float ends[2][3] = {{x, -half, (float)z}, {x, half, (float)z}};
    fb_scene_add_line(scene, ends[0], 2, rgb, 1.6F);
}

/* From z0 to z1 at the outline's lower or upper side, with room from the widest section on. */
static void measure(fb_scene *scene, const fb_shape *shape, double z0, double z1, float down,
                    const char *text) {
    float y = (float)(down > 0 ? -shape->b : shape->b);
    float from[3] = {0, y, (float)z0}, to[3] = {0, y, (float)z1};
    fb_scene_add_dimension(scene, from, to, 0, down, text);
}

static void draw_side(fb_scene *scene, const fb_shape *shape) {
    fb_camera camera = gallery_camera(1, 0, 0, 0, 1, 0);
    camera.margin[0] = 40;
    camera.margin[2] = 92;
    fb_scene_set_camera(scene, &camera);
    draw_ellipsoids(scene, shape);
    draw_section_line(scene, shape, -shape->l2, GALLERY_INK);
    draw_section_line(scene, shape, 0, GALLERY_BLUE);
    draw_section_line(scene, shape, shape->l3, GALLERY_INK);
    double low = -shape->l2 - shape->l1, high = shape->l3 + shape->l4;
    measure(scene, shape, -shape->c1, 0, -42, "c₁");
    measure(scene, shape, 0, shape->c2, -42, "c₂");
    measure(scene, shape, low, -shape->l2, 42, "L₁");
    measure(scene, shape, -shape->l2, 0, 42, "L₂");
    measure(scene, shape, 0, shape->l3, 42, "L₃");
    measure(scene, shape, shape->l3, high, 42, "L₄");
    float axis[2][3] = {{0, 0, (float)low}, {0, 0, (float)high}};
    const fb_stroke stroke = {.width = 1, .rgb = GALLERY_INK, .dashed = true, .heads = 1};
    fb_scene_add_stroke(scene, fb_spot_at(axis[0], -25, 0), fb_spot_at(axis[1], 28, 0), &stroke);
    fb_scene_add_text(scene, fb_spot_at(axis[1], 34, -14), &(fb_lettering){.anchor = 0.5F}, "z");
    const float belly[3] = {0, 0, (float)(-0.5 * shape->l2)};
    const float beside[3] = {0, (float)(0.55 * shape->b), 0};
    const float fibre[3] = {0, 0, (float)(high - 0.5 * shape->l4)};
    const fb_lettering white = {.size = 16, .rgb = GALLERY_WHITE, .bare = true};
    fb_scene_add_text(scene, fb_spot_at(belly, 0, -16), &white, "belly");
    fb_scene_add_text(scene, fb_spot_at(beside, 8, 0), &white, "widest section");
    fb_scene_add_leader(scene, fibre, 14, -52, "tendon fibre");
}

static void draw_middle(fb_scene *scene, const fb_shape *shape) {
    enum { CORNERS = 96 };
    float outline[CORNERS + 1][3];
    fb_ring ring = {{0, 0, 0}, {shape->a, 0, 0}, {0, shape->b, 0}};
    unsigned triangles[CORNERS][3];
    for (int k = 0; k <= CORNERS; k++) {
        gallery_corner(outline[k], &ring, CORNERS, k % CORNERS);
    }
    for (unsigned k = 0; k < CORNERS; k++) {
        triangles[k][0] = 0;
        triangles[k][1] = k;
        triangles[k][2] = k + 1;
    }
    fb_scene_add_mesh(scene, &(fb_scene_mesh){.n_points = CORNERS + 1,
                                              .n_triangles = CORNERS,
                                              .points = outline[0],
                                              .triangles = triangles[0],
                                              .colour = GALLERY_CUT,
                                              .plain = true});
    fb_scene_add_line(scene, outline[0], CORNERS + 1, GALLERY_BLUE, 2.2F);
    fb_camera camera = gallery_camera(0, 0, -1, 0, 1, 0);
    camera.margin[0] = camera.margin[2] = 62;
    camera.margin[1] = camera.margin[3] = 62;
    fb_scene_set_camera(scene, &camera);
    const float o[3] = {0, 0, 0}, x[3] = {(float)shape->a, 0, 0}, y[3] = {0, (float)shape->b, 0};
    const fb_stroke stroke = {.width = 1, .rgb = GALLERY_INK, .dashed = true, .heads = 1};
    const float left[3] = {-x[0], 0, 0}, bottom[3] = {0, -y[1], 0};
    fb_scene_add_stroke(scene, fb_spot_at(left, -20, 0), fb_spot_at(x, 40, 0), &stroke);
    fb_scene_add_stroke(scene, fb_spot_at(bottom, 0, 20), fb_spot_at(y, 0, -40), &stroke);
    fb_scene_add_text(scene, fb_spot_at(x, 46, -14), &(fb_lettering){.anchor = 0.5F}, "x");
    fb_scene_add_text(scene, fb_spot_at(y, 16, -36), &(fb_lettering){.anchor = 0.5F}, "y");
    fb_scene_add_dimension(scene, o, x, 0, 28, "a");
    fb_scene_add_dimension(scene, o, y, -30, 0, "b");
}

fb_picture *gallery_figure03(void) {
    fb_picture *picture = gallery_picture(1280, 350);
    fb_body body;
    fb_shape shape = example();
    gallery_bundle(&body, &shape, &(fb_layers){8, 32, 32, 8}, NULL);
    fb_scene *side = fb_picture_panel(picture, 0, 0, 900, 350, "(a) from the side");
    gallery_draw_body(side, &body, &(gallery_style){.sides = 64});
    draw_side(side, &shape);
    draw_middle(fb_picture_panel(picture, 900, 0, 380, 350, "(b) the widest section"), &shape);
    fb_body_free(&body);
    return picture;
}

/* A ring's polygon over its ellipse. */
static void draw_ring(fb_scene *scene, const fb_body *body, size_t k, int sides) {
    enum { CORNERS = 96 };
    float ellipse[CORNERS + 1][3], polygon[CORNERS + 1][3];
    fb_ring ring = body->rings[k];
    for (int j = 0; j <= CORNERS; j++) {
        gallery_corner(ellipse[j], &ring, CORNERS, j % CORNERS);
        gallery_corner(polygon[j], &ring, sides, j % sides);
    }
    fb_scene_add_line(scene, polygon[0], (size_t)sides + 1, GALLERY_INK, 2);
    fb_scene_add_line(scene, ellipse[0], CORNERS + 1, GALLERY_BLUE, 1.6F);
    for (int j = 0; j < sides; j++) {
        float spoke[2][3] = {{(float)ring.c[0], (float)ring.c[1], (float)ring.c[2]}};
        gallery_corner(spoke[1], &ring, sides, j);
        fb_scene_add_line(scene, spoke[0], 2, 0xB8B8B8, 1);
    }
    fb_camera camera = gallery_camera(0, 0, -1, 0, 1, 0);
    camera.margin[0] = camera.margin[2] = 40;
    camera.margin[3] = 50;
    fb_scene_set_camera(scene, &camera);
    float at[3];
    gallery_corner(at, &ring, CORNERS, CORNERS * 7 / 8);
    fb_scene_add_leader(scene, at, 12, 46, "ellipse");
    gallery_corner(at, &ring, sides, sides / 2 + 2);
    fb_scene_add_leader(scene, at, -10, 44, "polygon");
}

fb_picture *gallery_figure04(void) {
    enum { SIDES = 12 };
    fb_picture *picture = gallery_picture(1280, 380);
    fb_body body;
    fb_shape shape = example();
    gallery_bundle(&body, &shape, &(fb_layers){3, 8, 8, 3}, NULL);
    fb_scene *model = fb_picture_panel(picture, 0, 0, 900, 380,
                                       "(a) layers along z, each with twelve sides");
    gallery_draw_body(model, &body,
                      &(gallery_style){.sides = SIDES,
                                       .belly = 0xFBEDEA,
                                       .tendon = 0xFDFAF2,
                                       .plain = true,
                                       .edge = GALLERY_INK,
                                       .edge_width = 1.3F});
    fb_camera camera = gallery_camera(1, -0.45F, 0.55F, 0, 1, 0);
    camera.angle = 0.35F;
    fb_scene_set_camera(model, &camera);
    fb_scene *ring = fb_picture_panel(picture, 900, 0, 380, 380,
                                      "(b) a ring: a polygon of the ellipse's area");
    draw_ring(ring, &body, 3 + 8, SIDES);
    fb_body_free(&body);
    return picture;
}

/* ---- figure 5: stretch ------------------------------------------------------------------------
 */

/* The volume of the belly between its rings. */
static double belly_between(const fb_body *body, const fb_layers *layers) {
    size_t from = (size_t)layers->l1, n = (size_t)(layers->l2 + layers->l3);
    return fb_rings_volume(body->rings, from, from + n);
}

fb_picture *gallery_figure05(void) {
    static const double stretch[] = {1.2, 1, 0.8};
    static const char *const captions[] = {"(a) stretched, k = 1.2", "(b) between, k = 1",
                                           "(c) contracted, k = 0.8"};
    const fb_layers layers = {4, 24, 24, 4};
    fb_picture *picture = gallery_picture(960, 520);
    fb_shape rest = example();
    fb_shape_from_belly(&rest, 20, 0.6);
    for (int i = 0; i < 3; i++) {
        fb_body body;
        fb_shape shape = fb_shape_stretched(&rest, stretch[i]);
        gallery_bundle(&body, &shape, &layers, NULL);
        fb_scene *scene = fb_picture_cell(picture, 3, 1, i, captions[i]);
        gallery_draw_body(scene, &body, &(gallery_style){.sides = 64});
        fb_camera camera = gallery_camera(-0.35F, -1, -0.15F, 0, 0, 1);
        camera.margin[1] = 40;
        fb_scene_set_camera(scene, &camera);
        gallery_note(scene, 160, 16, "belly %.6f cm³", belly_between(&body, &layers));
        fb_body_free(&body);
    }
    fb_picture_one_scale(picture);
    return picture;
}

/* ---- figure 6: bending ------------------------------------------------------------------------
 */

enum { BEND_FIBRE = 2, BEND_HALF = 6, BEND_RINGS = 2 * (BEND_FIBRE + BEND_HALF) + 1 };

/* The chain of segments, with a dot at each joint and the rings as lines. */
static void draw_chain(fb_scene *scene, fb_body *body) {
    const double dot = 0.07;
    float axis[BEND_RINGS][3];
    gallery_draw_rings(scene, body, 0xD8A79E, 1.2F);
    for (size_t k = 0; k < body->n_rings; k++) {
        fb_ring *ring = &body->rings[k];
        fb_v3_scale(ring->u, dot / fb_v3_norm(ring->u), ring->u);
        fb_v3_scale(ring->w, dot / fb_v3_norm(ring->w), ring->w);
        for (int i = 0; i < 3; i++) {
            axis[k][i] = (float)ring->c[i];
        }
    }
    gallery_draw_rings(scene, body, GALLERY_BLUE, 2.4F);
    fb_scene_add_line(scene, axis[0], body->n_rings, GALLERY_BLUE, 2);
}

fb_picture *gallery_figure06(void) {
    const fb_layers layers = {BEND_FIBRE, BEND_HALF, BEND_HALF, BEND_FIBRE};
    static const char *const captions[] = {"(a) before", "(b) bent by 90°",
                                           "(c) its axis: a segment a layer"};
    fb_picture *picture = gallery_picture(1080, 520);
    double turns[BEND_RINGS][3] = {{0}};
    for (int k = 1; k < BEND_RINGS - 1; k++) {
        turns[k][0] = PI / 2 / (BEND_RINGS - 2);
    }
    fb_shape shape = {.c1 = 6.2, .c2 = 6.2, .l1 = 1.8, .l2 = 5.6, .l3 = 5.6, .l4 = 1.8};
    fb_shape_from_belly(&shape, 20, 0.6);
    for (int i = 0; i < 3; i++) {
        fb_body body;
        gallery_bundle(&body, &shape, &layers, i ? (const double(*)[3])turns : NULL);
        fb_scene *scene = fb_picture_cell(picture, 3, 1, i, captions[i]);
        if (i < 2) {
            gallery_draw_body(scene, &body,
                              &(gallery_style){.sides = 24,
                                               .edge = GALLERY_EDGE,
                                               .edge_width = 0.8F});
            gallery_note(scene, 180, 16, "belly %.6f cm³", belly_between(&body, &layers));
        } else {
            draw_chain(scene, &body);
        }
        fb_camera camera = gallery_camera(1, 0.25F, -0.25F, 0, 0, 1);
        camera.margin[1] = 40;
        fb_scene_set_camera(scene, &camera);
        fb_body_free(&body);
    }
    fb_picture_one_scale(picture);
    return picture;
}

/* ---- figure 7: the range of a collision -------------------------------------------------------
 */

enum { RANGE_RING = 2 + 9 }; /* the lower ring of the layer that is shown */

static unsigned one_layer(const fb_bundle *bundle) {
    (void)bundle;
    return GALLERY_BLUE;
}

/* A layer as a body, `times` as large, about its own middle. */
static void take_layer(fb_body *layer, const fb_body *body, size_t k, double times) {
    *layer = (fb_body){.n_bundles = 1, .n_rings = 2};
    layer->bundles = gallery_memory(sizeof *layer->bundles);
    layer->rings = gallery_memory(2 * sizeof *layer->rings);
    layer->bundles[0] = (fb_bundle){.rings = 2, .belly = {0, 1e3}};
    for (size_t end = 0; end < 2; end++) {
        const fb_ring *from = &body->rings[k + end];
        fb_ring *to = &layer->rings[end];
        for (int i = 0; i < 3; i++) {
            double middle = 0.5 * (body->rings[k].c[i] + body->rings[k + 1].c[i]);
            to->c[i] = middle + times * (from->c[i] - middle);
            to->u[i] = times * from->u[i];
            to->w[i] = times * from->w[i];
        }
    }
}

static void ring_point(float point[3], const fb_ring *ring, double u, double w) {
    for (int i = 0; i < 3; i++) {
        point[i] = (float)(ring->c[i] + u * ring->u[i] + w * ring->w[i]);
    }
}

fb_picture *gallery_figure07(void) {
    fb_picture *picture = gallery_picture(1080, 460);
    fb_body body, layer;
    fb_shape shape = example();
    gallery_bundle(&body, &shape, &(fb_layers){2, 6, 6, 2}, NULL);
    fb_scene *scene = fb_picture_panel(picture, 0, 0, 620, 460, "(a) layers of a bundle");
    gallery_draw_body(scene, &body, &(gallery_style){.sides = 48});
    gallery_draw_rings(scene, &body, GALLERY_EDGE, 1.2F);
    take_layer(&layer, &body, RANGE_RING, 1.012);
    gallery_draw_body(scene, &layer, &(gallery_style){.sides = 48, .colour = one_layer});
    fb_body_free(&layer);
    fb_camera camera = gallery_camera(1, -0.35F, 0.4F, 0, 1, 0);
    fb_scene_set_camera(scene, &camera);

    scene = fb_picture_panel(picture, 620, 0, 460, 460, "(b) layer n: between two ellipses");
    take_layer(&layer, &body, RANGE_RING, 1);
    gallery_draw_body(scene, &layer, &(gallery_style){.sides = 64, .belly = 0xA9C3E2});
    gallery_draw_rings(scene, &layer, GALLERY_BLUE, 1.8F);
    for (size_t end = 0; end < 2; end++) {
        const fb_ring *ring = &layer.rings[end];
        float centre[3], right[3], top[3];
        ring_point(centre, ring, 0, 0);
        ring_point(right, ring, -1, 0);
        ring_point(top, ring, 0, 1);
        const fb_stroke stroke = {.width = 1.2F, .rgb = GALLERY_INK, .heads = 1, .dashed = end};
        fb_scene_add_stroke(scene, fb_spot_at(centre, 0, 0), fb_spot_at(right, 0, 0), &stroke);
        fb_scene_add_stroke(scene, fb_spot_at(centre, 0, 0), fb_spot_at(top, 0, 0), &stroke);
        const fb_lettering text = {.anchor = 0.5F, .rgb = GALLERY_INK};
        fb_scene_add_text(scene, fb_spot_at(right, end ? 26 : -26, 14), &text, end ? "aₙ₂" : "aₙ₁");
        fb_scene_add_text(scene, fb_spot_at(top, 0, -16), &text, end ? "bₙ₂" : "bₙ₁");
    }
    float from[3], to[3];
    ring_point(from, &layer.rings[0], 0, -1);
    ring_point(to, &layer.rings[1], 0, -1);
    fb_scene_add_dimension(scene, from, to, 0, 60, "lₙ");
    camera.margin[0] = camera.margin[1] = camera.margin[2] = 50;
    camera.margin[3] = 80;
    fb_scene_set_camera(scene, &camera);
    fb_body_free(&layer);
    fb_body_free(&body);
    return picture;
}
