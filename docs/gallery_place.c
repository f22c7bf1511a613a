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

/* One whose layers are steeper still, for constructions of angles. */
static fb_shape steep(void) {
    fb_shape shape = {.c1 = 3.2, .c2 = 3.2, .l1 = 0.7, .l2 = 2.95, .l3 = 2.95, .l4 = 0.7};
    fb_shape_from_ellipsoids(&shape, 14, 0.6);
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
    gallery_draw_body(scene, body, &(gallery_style){.sides = 32, .colour = reference_colour});
    gallery_draw_rings(scene, body, GALLERY_EDGE, 0.9F);
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
    fb_scene_add_text(scene, fb_spot_at(at, 10, 0),
                      &(fb_lettering){.rgb = GALLERY_BLUE, .size = 17}, text);
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
    fb_picture *picture = gallery_picture(1080, 420);
    fb_shape shape = steep();
    static const char *const captions[] = {"(a) layer n along the plane", "(b) turned by αₙ"};
    for (int i = 0; i < 2; i++) {
        fb_body body;
        make(&body, &shape, shape.b);
        double b2 = body.rings[SHOWN + 1].w[1];
        fold(&body, &floor_plane, SHOWN - WIDEST + 1);
        fb_scene *scene = fb_picture_cell(picture, 2, 1, i, captions[i]);
        const fb_ring *r = body.rings;
        const double joint[2] = {r[SHOWN].c[1], r[SHOWN].c[2]}, b1 = fb_v3_norm(r[SHOWN].w);
        double length = fb_v3_distance(r[SHOWN].c, r[SHOWN + 1].c), angle = slope(r, SHOWN);
        side_line(scene, (double[2]){0, r[SHOWN - 2].c[2] - 0.2},
                  (double[2]){0, r[SHOWN].c[2] + 1.2}, GALLERY_GLASS, 3, false);
        draw_layers(scene, r, SHOWN - 2, SHOWN, GALLERY_GREY, 1.6F);
        fb_ring straight[2] = {r[SHOWN], r[SHOWN]};
        fb_v3_set(straight[0].w, 0, b1, 0);
        fb_v3_set(straight[1].w, 0, b2, 0);
        straight[1].c[2] += length;
        const fb_ring *layer = i ? &r[SHOWN] : straight;
        draw_layers(scene, layer, 0, 1, GALLERY_MUSCLE, 2.4F);
        if (i == 1) {
            const double level[2] = {joint[0], joint[1] + 1.7 * length};
            const double end[2] = {joint[0] + 1.7 * length * sin(angle),
                                   joint[1] + 1.7 * length * cos(angle)};
            side_line(scene, joint, level, GALLERY_BLUE, 1.2F, true);
            side_line(scene, joint, end, GALLERY_BLUE, 1.2F, true);
            draw_arc(scene, joint, 1.5 * length, 0, angle, "αₙ");
        }
        float at[3];
        side_point(at, &layer[0], 0.5);
        fb_scene_add_text(scene, fb_spot_at(at, 16, 0), &(fb_lettering){.anchor = 0.5F}, "b₁");
        side_point(at, &layer[1], 0.5);
        fb_scene_add_text(scene, fb_spot_at(at, 18, 0), &(fb_lettering){.anchor = 0.5F}, "b₂");
        side_point(at, &layer[1], 0);
        fb_scene_add_text(scene, fb_spot_at(at, i ? -50 : -44, i ? 12 : -12),
                          &(fb_lettering){.anchor = 0.5F}, "lₙ");
        side_camera(scene);
        fb_body_free(&body);
    }
    fb_picture_one_scale(picture);
    return picture;
}

/* ---- ten in a row ---- */

static bool in_row(const fb_bundle *bundle, int column) {
    return bundle->cell[0] == column && bundle->cell[1] >= 0;
}

/* Ten equal bundles on each other, by the patent's rule and by the default one. */
static void draw_rows(fb_picture *picture) {
    enum { LAYERS = 8, TALL = 10 };
    static const double outline[4][2] = {{-1, -0.5}, {1, -0.5}, {1, TALL}, {-1, TALL}};
    const fb_lattice_outline row = {.kind = FB_LATTICE_POLYGON, .points = outline, .n_points = 4};
    fb_shape shape = {.c1 = 0.04, .c2 = 0.04, .l1 = 4e-3, .l2 = 0.036, .l3 = 0.036, .l4 = 4e-3};
    shape.b = 1e-3;
    shape.a = 2e-3;
    const gallery_plan plan = {.volume = 2 * (TALL + 1) * fb_shape_belly_volume(&shape),
                               .belly = shape.l2 + shape.l3,
                               .tendon = {shape.l1, shape.l4},
                               .bundles = 2 * (TALL + 1),
                               .layers = 2 * LAYERS,
                               .outline = &row};
    gallery_muscle muscle;
    gallery_muscle_make(&muscle, &plan, NULL);
    fb_body patent, chosen;
    const fb_patent_options options = {.layers = {LAYERS, LAYERS}, .fibre_layers = 2};
    gallery_must("ten in a row",
                 fb_patent_place(&patent, &muscle.form.lattice, &shape, 1, &options));
    static const char *const names[] = {"10 (c)", "10 (d)"};
    for (int i = 0; i < 2; i++) {
        fb_body_measures measures;
        gallery_choose(&chosen, i ? &muscle.body : &patent, in_row, 0);
        gallery_tell(names[i], &chosen, &measures);
        fb_scene *scene = fb_picture_panel(picture, 600 * i, 260, 600, 280,
                                           i ? "(d) the default rule"
                                             : "(c) ten in a row by the patent's rule");
        gallery_draw_body(scene, &chosen, &(gallery_style){.sides = 32, .colour = gallery_by_cell});
        fb_camera camera = gallery_camera(1, -0.1F, 0, 0, 1, 0);
        camera.scale = 6800;
        camera.centre[1] = 7e-3F;
        camera.centre[2] = (float)(i ? shape.l1 + shape.l2 : 0);
        fb_scene_set_camera(scene, &camera);
        gallery_note(scene, 300, 16, "they sink in by up to %.2f %% of their half-height",
                     100 * measures.penetration);
        fb_body_free(&chosen);
    }
    fb_body_free(&patent);
    gallery_muscle_free(&muscle);
}

fb_picture *gallery_figure10(void) {
    fb_picture *picture = gallery_picture(1200, 540);
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
        fb_scene *scene = fb_picture_panel(picture, 600 * i, 0, 600, 260,
                                           i ? "(b) the follower folded by α + β"
                                             : "(a) widest sections touch");
        draw_floor(scene, -6.4, 6.4);
        draw_bundle(scene, &reference);
        draw_bundle(scene, &follower);
        look_aside(scene);
        fb_body_free(&reference);
        fb_body_free(&follower);
    }
    draw_rows(picture);
    fb_picture_one_scale(picture);
    return picture;
}

/* ---- figure 12: the angle beta ----------------------------------------------------------------
 */

/* The height of the reference's facets, seen edge-on, at a place along z. */
static double facets_at(const fb_ring *rings, double z) {
    size_t k = 0;
    while (k + 2 < RINGS && rings[k + 1].c[2] + rings[k + 1].w[2] < z) {
        k++;
    }
    double from[2] = {rings[k].c[1] + rings[k].w[1], rings[k].c[2] + rings[k].w[2]};
    double to[2] = {rings[k + 1].c[1] + rings[k + 1].w[1], rings[k + 1].c[2] + rings[k + 1].w[2]};
    return from[0] + (to[0] - from[0]) * (z - from[1]) / (to[1] - from[1]);
}

/* The reference with its facets: strips through the lines that are nearest to the follower. */
static void draw_facets(fb_scene *scene, const fb_body *reference) {
    float pairs[RINGS][2][3];
    for (size_t k = 0; k < RINGS; k++) {
        const fb_ring *ring = &reference->rings[k];
        for (size_t i = 0; i < 3; i++) {
            double top = ring->c[i] + ring->w[i];
            pairs[k][0][i] = (float)(top - (i == 0 ? 1.9 : 0));
            pairs[k][1][i] = (float)(top + (i == 0 ? 1.9 : 0));
        }
    }
    draw_floor(scene, -3.8, 3.8);
    draw_bundle(scene, reference);
    gallery_draw_strip(scene, pairs[0][0], RINGS, GALLERY_GLASS2, 0.35F);
    for (size_t k = 1; k + 1 < RINGS; k++) {
        fb_scene_add_line(scene, pairs[k][0], 2, GALLERY_GLASS2, 1);
    }
    look_aside(scene);
}

static void letter(fb_scene *scene, const double at[2], float right, float down, unsigned rgb,
                   const char *text) {
    const float place[3] = {-4, (float)at[0], (float)at[1]};
    fb_scene_add_text(scene, fb_spot_at(place, right, down),
                      &(fb_lettering){.anchor = 0.5F, .rgb = rgb, .size = 16}, text);
}

/* The follower's layer n before (dashed) and after it is turned, and the line from P to Q. */
static void draw_beta(fb_scene *scene, const fb_body *reference, const fb_body *follower) {
    const fb_ring *r = follower->rings, *end = &r[SHOWN];
    float line[4][3];
    for (size_t k = 0; k < 4; k++) {
        side_point(line[k], &reference->rings[SHOWN - 1 + k], 1);
    }
    fb_scene_add_line(scene, line[0], 4, GALLERY_GLASS2, 3);
    draw_layers(scene, r, SHOWN - 1, SHOWN, GALLERY_GREY, 1.6F);
    draw_layers(scene, r, SHOWN, SHOWN + 1, GALLERY_MUSCLE, 2.4F);
    double length = fb_v3_distance(r[SHOWN].c, r[SHOWN + 1].c);
    double z = end->c[2] - end->w[2], b2 = fb_v3_norm(r[SHOWN + 1].w);
    const double p[2] = {facets_at(reference->rings, z), z};
    const double q[2] = {facets_at(reference->rings, z + length), z + length};
    const double joint[2] = {end->c[1], end->c[2]};
    const double level[2] = {joint[0], joint[1] + length};
    const double beyond[2] = {joint[0], joint[1] + 2 * length},
                 beside[2] = {p[0], p[1] + 2 * length};
    side_line(scene, joint, beyond, GALLERY_BLUE, 1.2F, true);
    side_line(scene, (double[2]){joint[0] - b2, level[1]}, (double[2]){joint[0] + b2, level[1]},
              GALLERY_BLUE, 1.2F, true);
    side_line(scene, (double[2]){joint[0] - b2, level[1]}, q, GALLERY_BLUE, 1, true);
    side_line(scene, p, q, GALLERY_INK, 1.6F, false);
    side_line(scene, p, beside, GALLERY_INK, 1, true);
    double turn = slope(r, SHOWN), beta = atan2(q[0] - p[0], q[1] - p[1]);
    side_line(scene, joint,
              (double[2]){joint[0] + 2 * length * sin(turn), joint[1] + 2 * length * cos(turn)},
              GALLERY_BLUE, 1.2F, true);
    side_line(scene, p, (double[2]){p[0] + 2 * length * sin(beta), p[1] + 2 * length * cos(beta)},
              GALLERY_INK, 1, true);
    draw_arc(scene, joint, 1.8 * length, 0, turn, "α + β");
    draw_arc(scene, p, 1.8 * length, 0, beta, "β");
    letter(scene, p, -12, 12, GALLERY_INK, "P");
    letter(scene, q, -4, 16, GALLERY_INK, "Q");
    side_camera(scene);
}

fb_picture *gallery_figure12(void) {
    fb_picture *picture = gallery_picture(1200, 440);
    fb_shape shape = steep();
    fb_body reference, follower;
    make(&reference, &shape, shape.b);
    fold(&reference, &floor_plane, WIDEST);
    make(&follower, &shape, 3 * shape.b);
    follower.bundles[0].order = 2;
    fb_patent_obstacle obstacle = below(&reference);
    fold(&follower, &obstacle, SHOWN + 1 - WIDEST);
    draw_facets(fb_picture_panel(picture, 0, 0, 560, 440, "(a) the reference and its facets"),
                &reference);
    draw_beta(fb_picture_panel(picture, 560, 0, 640, 440, "(b) layer n turned by α + β"),
              &reference, &follower);
    fb_body_free(&reference);
    fb_body_free(&follower);
    return picture;
}

/* ---- figures 15 and 16: the order of placing --------------------------------------------------
 */

enum { CELLS = 10, QUADRANT = 79 };

/* What is laid together: the bundle at the core, those along y = 0, along x = 0, and the rest. */
static int group_of(int order) {
    return order == 1 ? 0 : order <= CELLS ? 1 : order < 2 * CELLS ? 2 : 3;
}

static unsigned group_colour(int order) {
    static const unsigned colours[4] = {0xD9A441, 0x5B8FC2, 0x6BA368, GALLERY_MUSCLE};
    return colours[group_of(order)];
}

static unsigned by_group(const fb_bundle *bundle) {
    return group_colour(bundle->order);
}

static bool up_to_group(const fb_bundle *bundle, int group) {
    return bundle->order <= QUADRANT && group_of(bundle->order) <= group;
}

fb_picture *gallery_figure15(void) {
    enum { CORNERS = 40 };
    fb_picture *picture = gallery_picture(1100, 600);
    fb_scene *scene = fb_picture_cell(picture, 1, 1, 0, NULL);
    fb_lattice lattice;
    gallery_must("the lattice", fb_lattice_round(&lattice, CELLS));
    for (size_t c = 0; c < lattice.n; c++) {
        const fb_cell *cell = &lattice.cells[c];
        bool first = cell->order <= QUADRANT;
        const fb_ring ring = {{cell->i + 0.5, 0.5 * (cell->j + 0.5), 0}, {0.5, 0, 0}, {0, 0.25, 0}};
        float outline[CORNERS + 1][3];
        unsigned triangles[CORNERS - 2][3];
        for (int k = 0; k <= CORNERS; k++) {
            gallery_corner(outline[k], &ring, CORNERS, k % CORNERS);
        }
        for (unsigned k = 0; k < CORNERS - 2; k++) {
            triangles[k][0] = 0;
            triangles[k][1] = k + 1;
            triangles[k][2] = k + 2;
        }
        fb_scene_add_mesh(scene,
                          &(fb_scene_mesh){.n_points = CORNERS,
                                           .n_triangles = CORNERS - 2,
                                           .points = outline[0],
                                           .triangles = triangles[0],
                                           .colour = first ? group_colour(cell->order) : 0xF1E9E4,
                                           .plain = true});
        fb_scene_add_line(scene, outline[0], CORNERS + 1, first ? GALLERY_INK : 0xB8ACA6, 1);
        if (first) {
            char number[16];
            snprintf(number, sizeof number, "%d", cell->order);
            const float at[3] = {(float)ring.c[0], (float)ring.c[1], 0};
            fb_scene_add_text(
                scene, fb_spot_at(at, 0, 0),
                &(fb_lettering){.anchor = 0.5F, .size = 14, .rgb = GALLERY_WHITE, .bare = true},
                number);
        }
    }
    static const char *const roman[] = {"I", "II", "III", "IV"};
    const float x[2][3] = {{-10.4F, 0, 0}, {10.4F, 0, 0}}, y[2][3] = {{0, -5.2F, 0}, {0, 5.2F, 0}};
    const fb_stroke axis = {.width = 1.4F, .rgb = GALLERY_INK, .heads = 1};
    fb_scene_add_stroke(scene, fb_spot_at(x[0], 0, 0), fb_spot_at(x[1], 0, 0), &axis);
    fb_scene_add_stroke(scene, fb_spot_at(y[0], 0, 0), fb_spot_at(y[1], 0, 0), &axis);
    fb_scene_add_text(scene, fb_spot_at(x[1], 12, 0), &(fb_lettering){.anchor = 0.5F}, "x");
    fb_scene_add_text(scene, fb_spot_at(y[1], 0, -12), &(fb_lettering){.anchor = 0.5F}, "y");
    for (int q = 0; q < 4; q++) {
        const float at[3] = {q == 0 || q == 3 ? 9.3F : -9.3F, q < 2 ? 4.6F : -4.6F, 0};
        fb_scene_add_text(scene, fb_spot_at(at, 0, 0),
                          &(fb_lettering){.anchor = 0.5F, .size = 20, .rgb = GALLERY_GREY},
                          roman[q]);
    }
    fb_camera camera = gallery_camera(0, 0, -1, 0, 1, 0);
    for (int i = 0; i < 4; i++) {
        camera.margin[i] = 36;
    }
    fb_scene_set_camera(scene, &camera);
    fb_lattice_free(&lattice);
    return picture;
}

fb_picture *gallery_figure16(void) {
    static const char *const captions[] = {"(a) 1", "(b) 2 to 10", "(c) 11 to 19", "(d) 20 to 79"};
    fb_picture *picture = gallery_picture(1200, 620);
    const gallery_plan plan = {.volume = 100e-6,
                               .belly = 0.13,
                               .tendon = {0.02, 0.02},
                               .bundles = 4 * QUADRANT};
    gallery_muscle muscle;
    gallery_muscle_make(&muscle, &plan, "16");
    for (int i = 0; i < 4; i++) {
        fb_body stage;
        gallery_choose(&stage, &muscle.body, up_to_group, i);
        fb_scene *scene = fb_picture_cell(picture, 4, 1, i, captions[i]);
        gallery_draw_quarter(scene, &muscle.sections, muscle.half_width, 0.5 * muscle.half_width);
        gallery_draw_body(scene, &stage, &(gallery_style){.sides = 16, .colour = by_group});
        fb_camera camera = gallery_camera(-0.9F, -1, -0.55F, 0, 0, 1);
        fb_scene_set_camera(scene, &camera);
        fb_body_free(&stage);
    }
    fb_picture_one_scale(picture);
    gallery_muscle_free(&muscle);
    return picture;
}
