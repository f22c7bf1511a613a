/* Bodies of bundles as meshes of a scene. */
#include <math.h>
#include <string.h>

#include "docs/gallery.h"
#include "libcore/base/arena.h"
#include "libcore/base/number.h"
#include "libcore/base/spatial.h"

#define PI 3.14159265358979323846

/* ---- one straight bundle --------------------------------------------------------------------- */

void gallery_bundle(fb_body *body, const fb_shape *shape, const fb_layers *layers,
                    const double (*turns)[3]) {
    fb_polygon polygon;
    gallery_must("a bundle", fb_polygon_make(&polygon, shape, layers, turns));
    *body = (fb_body){.n_bundles = 1, .n_rings = polygon.n, .time = FB_NAN};
    body->bundles = gallery_memory(sizeof *body->bundles);
    body->rings = gallery_memory(polygon.n * sizeof *body->rings);
    memcpy(body->rings, polygon.rings, polygon.n * sizeof *body->rings);
    body->bundles[0] =
        (fb_bundle){.order = 1,
                    .head = {-1, -1},
                    .volume = fb_shape_belly_volume(shape) + fb_shape_tendon_volume(shape),
                    .length = fb_shape_length(shape),
                    .ratio = shape->b / shape->a,
                    .belly = {shape->l1, shape->l1 + shape->l2 + shape->l3},
                    .rings = polygon.n};
    fb_polygon_free(&polygon);
}

void gallery_choose(fb_body *chosen, const fb_body *body, bool (*wanted)(const fb_bundle *, int),
                    int context) {
    *chosen = (fb_body){.time = body->time};
    chosen->bundles = gallery_memory(body->n_bundles * sizeof *chosen->bundles);
    chosen->rings = gallery_memory(body->n_rings * sizeof *chosen->rings);
    for (size_t i = 0; i < body->n_bundles; i++) {
        const fb_bundle *from = &body->bundles[i];
        if (wanted(from, context)) {
            fb_bundle *to = &chosen->bundles[chosen->n_bundles++];
            *to = *from;
            to->first = chosen->n_rings;
            memcpy(chosen->rings + to->first, body->rings + from->first,
                   from->rings * sizeof *chosen->rings);
            chosen->n_rings += from->rings;
        }
    }
}

/* ---- meshes ---------------------------------------------------------------------------------- */

/* What an ellipse is to be multiplied by, so that the polygon in it has its area. */
static double polygon_scale(int sides) {
    double angle = 2 * PI / sides;
    return sqrt(angle / sin(angle));
}

static void corner_of(double corner[3], const fb_ring *ring, int sides, int k) {
    double scale = polygon_scale(sides), angle = 2 * PI * k / sides;
    fb_v3_copy(corner, ring->c);
    fb_v3_madd(corner, scale * cos(angle), ring->u);
    fb_v3_madd(corner, scale * sin(angle), ring->w);
}

void gallery_corner(float corner[3], const fb_ring *ring, int sides, int k) {
    double at[3];
    corner_of(at, ring, sides, k);
    for (int i = 0; i < 3; i++) {
        corner[i] = (float)at[i];
    }
}

/* A mesh that grows. */
typedef struct growing {
    float *points, *normals;
    unsigned *colours, *inside, *triangles;
    unsigned belly; /* of the bundle that is added */
    size_t n_points, n_triangles;
} growing;

static unsigned add_point(growing *g, const double at[3], const double normal[3], unsigned rgb) {
    for (int i = 0; i < 3; i++) {
        g->points[3 * g->n_points + (size_t)i] = (float)at[i];
        g->normals[3 * g->n_points + (size_t)i] = (float)normal[i];
    }
    g->colours[g->n_points] = rgb;
    g->inside[g->n_points] = g->belly;
    return (unsigned)g->n_points++;
}

static void add_triangle(growing *g, unsigned a, unsigned b, unsigned c, bool turned) {
    unsigned *t = g->triangles + 3 * g->n_triangles++;
    t[0] = a;
    t[1] = turned ? c : b;
    t[2] = turned ? b : c;
}

/* Outward from a bundle's surface: the tangent around crossed with that along. `turned`: u, w and
 * the axis are left-handed. */
static void normal_of(double normal[3], const fb_ring *rings, size_t n, size_t k, int sides, int j,
                      bool turned) {
    double angle = 2 * PI * j / sides, around[3], along[3], from[3], to[3];
    fb_v3_scale(around, -sin(angle), rings[k].u);
    fb_v3_madd(around, cos(angle), rings[k].w);
    corner_of(from, &rings[k > 0 ? k - 1 : 0], sides, j);
    corner_of(to, &rings[k + 1 < n ? k + 1 : k], sides, j);
    fb_v3_sub(along, to, from);
    fb_v3_cross(normal, around, along);
    double length = sqrt(fb_v3_dot(normal, normal));
    fb_v3_scale(normal, length > 0 ? (turned ? -1 : 1) / length : 0, normal);
}

/* A layer's quads; it has its own corners, so that colours change at rings. */
static void add_layer(growing *g, const fb_ring *rings, size_t n, size_t k, int sides, unsigned rgb,
                      bool turned) {
    unsigned first = (unsigned)g->n_points;
    for (size_t r = k; r < k + 2; r++) {
        for (int j = 0; j < sides; j++) {
            double at[3], normal[3];
            corner_of(at, &rings[r], sides, j);
            normal_of(normal, rings, n, r, sides, j, turned);
            add_point(g, at, normal, rgb);
        }
    }
    for (int j = 0; j < sides; j++) {
        unsigned a = first + (unsigned)j, b = first + (unsigned)((j + 1) % sides);
        unsigned m = (unsigned)sides;
        add_triangle(g, a, b, b + m, turned);
        add_triangle(g, a, b + m, a + m, turned);
    }
}

static void add_end(growing *g, const fb_ring *ring, const double normal[3], int sides,
                    unsigned rgb, bool turned) {
    unsigned first = (unsigned)g->n_points;
    for (int j = 0; j < sides; j++) {
        double at[3];
        corner_of(at, ring, sides, j);
        add_point(g, at, normal, rgb);
    }
    for (int j = 1; j + 1 < sides; j++) {
        add_triangle(g, first, first + (unsigned)j, first + (unsigned)j + 1, turned);
    }
}

static void add_bundle(growing *g, const fb_body *body, const fb_bundle *bundle, int sides,
                       unsigned belly, unsigned tendon) {
    const fb_ring *rings = body->rings + bundle->first;
    size_t n = bundle->rings;
    double axis[3], normal[3], covered = 0;
    fb_v3_sub(axis, rings[n / 2].c, rings[n / 2 - 1].c);
    fb_v3_cross(normal, rings[n / 2].u, rings[n / 2].w);
    bool turned = fb_v3_dot(axis, normal) < 0;
    unsigned rgb = belly;
    g->belly = belly;
    for (size_t k = 0; k + 1 < n; k++) {
        double length = fb_v3_distance(rings[k].c, rings[k + 1].c), middle = covered + length / 2;
        covered += length;
        rgb = middle >= bundle->belly[0] && middle <= bundle->belly[1] ? belly : tendon;
        if (k == 0) {
            fb_v3_sub(normal, rings[0].c, rings[1].c);
            add_end(g, &rings[0], normal, sides, rgb, !turned);
        }
        add_layer(g, rings, n, k, sides, rgb, turned);
    }
    fb_v3_sub(normal, rings[n - 1].c, rings[n - 2].c);
    add_end(g, &rings[n - 1], normal, sides, rgb, turned);
}

static void draw_edges(fb_scene *scene, const fb_body *body, const fb_bundle *bundle, int sides,
                       const gallery_style *style) {
    const fb_ring *rings = body->rings + bundle->first;
    size_t longest = bundle->rings > (size_t)sides + 1 ? bundle->rings : (size_t)sides + 1;
    float *points = gallery_memory(3 * longest * sizeof *points);
    for (size_t k = 0; k < bundle->rings; k++) {
        for (int j = 0; j <= sides; j++) {
            gallery_corner(points + 3 * j, &rings[k], sides, j % sides);
        }
        fb_scene_add_line(scene, points, (size_t)sides + 1, style->edge, style->edge_width);
    }
    for (int j = 0; j < sides; j++) {
        for (size_t k = 0; k < bundle->rings; k++) {
            gallery_corner(points + 3 * k, &rings[k], sides, j);
        }
        fb_scene_add_line(scene, points, bundle->rings, style->edge, style->edge_width);
    }
    fb_free(points);
}

/* Room for a body's corners and triangles. */
static void make_room(growing *g, const fb_body *body, int sides) {
    size_t corners = 0;
    for (size_t i = 0; i < body->n_bundles; i++) {
        corners += 2 * (size_t)sides * body->bundles[i].rings;
    }
    g->points = gallery_memory(3 * corners * sizeof *g->points);
    g->normals = gallery_memory(3 * corners * sizeof *g->normals);
    g->colours = gallery_memory(corners * sizeof *g->colours);
    g->inside = gallery_memory(corners * sizeof *g->inside);
    g->triangles = gallery_memory(3 * corners * sizeof *g->triangles);
}

void gallery_draw_body(fb_scene *scene, const fb_body *body, const gallery_style *style) {
    int sides = style->sides ? style->sides : 24;
    growing g = {.n_points = 0};
    make_room(&g, body, sides);
    for (size_t i = 0; i < body->n_bundles; i++) {
        const fb_bundle *bundle = &body->bundles[i];
        if (bundle->rings < 2) {
            continue;
        }
        unsigned belly = style->colour  ? style->colour(bundle)
                         : style->belly ? style->belly
                                        : GALLERY_MUSCLE;
        add_bundle(&g, body, bundle, sides, belly, style->tendon ? style->tendon : GALLERY_TENDON);
        if (style->edge_width > 0) {
            draw_edges(scene, body, bundle, sides, style);
        }
    }
    fb_scene_add_mesh(scene,
                      &(fb_scene_mesh){.n_points = g.n_points,
                                       .n_triangles = g.n_triangles,
                                       .points = g.points,
                                       .normals = g.normals,
                                       .colours = g.colours,
                                       .inside_colours = style->across ? g.inside : NULL,
                                       .triangles = g.triangles,
                                       .inside = style->inside ? FB_INSIDE_COLOUR : FB_INSIDE_PALE,
                                       .inside_colour = style->inside,
                                       .plain = style->plain,
                                       .whole = style->whole});
    fb_free(g.points);
    fb_free(g.normals);
    fb_free(g.colours);
    fb_free(g.inside);
    fb_free(g.triangles);
}

void gallery_draw_rings(fb_scene *scene, const fb_body *body, unsigned rgb, float width) {
    enum { CORNERS = 48 };
    for (size_t k = 0; k < body->n_rings; k++) {
        float outline[CORNERS + 1][3];
        for (int j = 0; j <= CORNERS; j++) {
            gallery_corner(outline[j], &body->rings[k], CORNERS, j % CORNERS);
        }
        fb_scene_add_line(scene, outline[0], CORNERS + 1, rgb, width);
    }
}

void gallery_draw_strip(fb_scene *scene, const float *pairs, size_t n, unsigned rgb,
                        float opacity) {
    unsigned *triangles = gallery_memory(6 * n * sizeof *triangles);
    float *side = gallery_memory(3 * n * sizeof *side);
    for (size_t k = 0; k + 1 < n; k++) {
        unsigned a = (unsigned)(2 * k), quad[6] = {a, a + 1, a + 3, a, a + 3, a + 2};
        memcpy(triangles + 6 * k, quad, sizeof quad);
    }
    fb_scene_add_mesh(scene, &(fb_scene_mesh){.n_points = 2 * n,
                                              .n_triangles = n > 1 ? 2 * (n - 1) : 0,
                                              .points = pairs,
                                              .triangles = triangles,
                                              .colour = rgb,
                                              .opacity = opacity});
    for (size_t end = 0; end < 2; end++) {
        for (size_t k = 0; k < n; k++) {
            memcpy(side + 3 * k, pairs + 3 * (2 * k + end), 3 * sizeof *side);
        }
        fb_scene_add_line(scene, side, n, rgb, 1.2F);
    }
    fb_scene_add_line(scene, pairs, 2, rgb, 1.2F);
    fb_scene_add_line(scene, pairs + 6 * (n - 1), 2, rgb, 1.2F);
    fb_free(side);
    fb_free(triangles);
}

/* ---- colours and cameras --------------------------------------------------------------------- */

unsigned gallery_colour(int i) {
    static const unsigned colours[] = {0xC25B4E, 0x5B8FC2, 0xD9A441, 0x6BA368, 0x9A6FB0,
                                       0x4FA8A0, 0xD0778F, 0x8A7B4F, 0x7C8AA5, 0xB07A52,
                                       0x93B04A, 0xA65A7A, 0xE08A4A};
    return colours[i % 13];
}

/* The colours of a quadrant. */
static const unsigned cell_colours[4][2] = {{0xC25B4E, 0xD97C6C},
                                            {0xB9704A, 0xD18F66},
                                            {0xA94F63, 0xC56F80},
                                            {0xC27A5A, 0xDA9A7A}};

static int quadrant_of(const fb_bundle *bundle) {
    return (bundle->cell[0] < 0) + 2 * (bundle->cell[1] < 0);
}

/* Two and two along an axis alike. */
static unsigned by_pairs(const fb_bundle *bundle, int axis) {
    int c = bundle->cell[axis];
    return cell_colours[quadrant_of(bundle)][((c < 0 ? -1 - c : c) / 2 + (c < 0)) & 1];
}

unsigned gallery_by_columns(const fb_bundle *bundle) {
    return by_pairs(bundle, 0);
}

unsigned gallery_by_rows(const fb_bundle *bundle) {
    return by_pairs(bundle, 1);
}

unsigned gallery_by_cell(const fb_bundle *bundle) {
    return cell_colours[quadrant_of(bundle)][(bundle->cell[0] + bundle->cell[1]) & 1];
}

fb_camera gallery_camera(float x, float y, float z, float up_x, float up_y, float up_z) {
    fb_camera camera = fb_camera_default();
    camera.look[0] = x;
    camera.look[1] = y;
    camera.look[2] = z;
    camera.up[0] = up_x;
    camera.up[1] = up_y;
    camera.up[2] = up_z;
    return camera;
}
