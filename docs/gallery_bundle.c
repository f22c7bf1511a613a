/* Figures 3 and 4: one bundle. */
#include <math.h>

#include "docs/gallery.h"

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

fb_picture *gallery_figure3(void) {
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

fb_picture *gallery_figure4(void) {
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
