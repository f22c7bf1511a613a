#include "libcore/bundle/polygon.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "libcore/base/arena.h"
#include "libcore/base/spatial.h"

#define PI 3.14159265358979323846
static const char no_memory[] = "out of memory for the rings of a bundle";

/* ---- rings ----------------------------------------------------------------------------------- */

/* The layers of each part that has a length. */
static void layers_of(size_t parts[4], const fb_shape *shape, const fb_layers *layers) {
    const double lengths[4] = {shape->l1, shape->l2, shape->l3, shape->l4};
    const int wanted[4] = {layers->l1, layers->l2, layers->l3, layers->l4};
    for (int k = 0; k < 4; k++) {
        parts[k] = lengths[k] > 0 && wanted[k] > 0 ? (size_t)wanted[k] : 0;
    }
}

size_t fb_polygon_count(const fb_shape *shape, const fb_layers *layers) {
    size_t parts[4];
    layers_of(parts, shape, layers);
    return parts[0] + parts[1] + parts[2] + parts[3] + 1;
}

static const char *check(const fb_shape *shape, const fb_layers *layers) {
    const char *why = fb_shape_check(shape);
    if (why) {
        return why;
    }
    const double lengths[4] = {shape->l1, shape->l2, shape->l3, shape->l4};
    const int wanted[4] = {layers->l1, layers->l2, layers->l3, layers->l4};
    int belly = 0;
    for (int k = 0; k < 4; k++) {
        if (lengths[k] > 0) {
            if (wanted[k] < 1 || wanted[k] > FB_LAYERS_MOST) {
                return "a part of a bundle has fewer than 1 or more than 100,000 layers";
            }
            belly += k == 1 || k == 2 ? wanted[k] : 0;
        }
    }
    return belly < 2 ? "a bundle's belly has fewer than two layers" : NULL;
}

/* The rings of a straight bundle, of the ellipsoid's own sections. */
static void lay_straight(fb_polygon *p, const fb_shape *shape, const size_t parts[4]) {
    const double ends[5] = {-shape->l2 - shape->l1, -shape->l2, 0, shape->l3,
                            shape->l3 + shape->l4};
    size_t k = 0;
    for (int part = 0; part < 4; part++) {
        for (size_t layer = 0; layer <= parts[part]; layer++) {
            if (part < 3 && layer == parts[part]) {
                break; /* the next part begins with it */
            }
            double s = parts[part] > 0 ? (double)layer / (double)parts[part] : 0;
            double z = ends[part] + s * (ends[part + 1] - ends[part]);
            double f = fb_shape_section(shape, z);
            fb_v3_set(p->rings[k].c, 0, 0, z);
            fb_v3_set(p->rings[k].u, f * shape->a, 0, 0);
            fb_v3_set(p->rings[k].w, 0, f * shape->b, 0);
            k++;
        }
    }
}

/* Rotation about (x, y, 0), by part of the vector's length. */
static void rotation(double *m, const double *turn, double part) {
    double angle = fb_length2(turn[0], turn[1]);
    if (angle > 0) {
        double axis[3] = {turn[0] / angle, turn[1] / angle, 0};
        fb_m3_rotation(m, axis, part * angle);
    } else {
        fb_m3_identity(m);
    }
}

/* A ring's semi-axes at a joint: turned about the axis, mitred, set into the halving plane. */
static void set_ring(fb_ring *ring, const double *halving, const double *turn, double twist) {
    double angle = fb_length2(turn[0], turn[1]), longer = 1 / cos(angle / 2) - 1;
    double c = cos(twist), s = sin(twist), *axes[2] = {ring->u, ring->w};
    for (int k = 0; k < 2; k++) {
        double v[3] = {c * axes[k][0] - s * axes[k][1], s * axes[k][0] + c * axes[k][1], 0};
        if (angle > 0) { /* along z x (x, y, 0) */
            double m[3] = {-turn[1] / angle, turn[0] / angle, 0};
            fb_v3_madd(v, longer * fb_v3_dot(v, m), m);
        }
        fb_m3_mul_v3(axes[k], halving, v);
    }
}

/* Turns the axis at its joints, from the lower end on, then brings the widest ring back. */
static void bend(fb_polygon *p, const double (*turns)[3]) {
    static const double none[3] = {0, 0, 0};
    double before[9], after[9], halving[9], home[9], m[9], twist = 0, along = p->rings[0].c[2];
    double place[3] = {0, 0, along};
    fb_m3_identity(before);
    fb_m3_identity(home);
    for (size_t k = 0; k < p->n; k++) {
        fb_ring *ring = p->rings + k;
        const double *turn = k == 0 || k + 1 == p->n ? none : turns[k];
        double axis[3] = {before[2], before[5], before[8]};
        fb_v3_madd(place, ring->c[2] - along, axis);
        along = ring->c[2];
        fb_v3_copy(ring->c, place);
        twist += turns[k][2];
        rotation(m, turn, 0.5);
        fb_m3_mul(halving, before, m);
        rotation(m, turn, 1);
        fb_m3_mul(after, before, m);
        set_ring(ring, halving, turn, twist);
        memcpy(before, after, sizeof before);
        if (k == p->widest) {
            double back[9], turned[3] = {0, 0, 1};
            fb_m3_rotation(back, turned, twist);
            fb_m3_mul(home, halving, back);
        }
    }
    double origin[3];
    fb_v3_copy(origin, p->rings[p->widest].c);
    for (size_t k = 0; k < p->n; k++) {
        double *of[3] = {p->rings[k].c, p->rings[k].u, p->rings[k].w};
        fb_v3_sub(of[0], of[0], origin);
        for (int i = 0; i < 3; i++) {
            double v[3];
            fb_m3_tmul_v3(v, home, of[i]);
            fb_v3_copy(of[i], v);
        }
    }
}

double fb_rings_volume(const fb_ring *rings, size_t first, size_t last) {
    double volume = 0;
    for (size_t k = first; k < last; k++) {
        const fb_ring *p = rings + k, *q = p + 1;
        double axis[3], lower[3], middle[3], upper[3], u[3], w[3];
        fb_v3_sub(axis, q->c, p->c);
        fb_v3_add(u, p->u, q->u);
        fb_v3_add(w, p->w, q->w);
        fb_v3_cross(lower, p->u, p->w);
        fb_v3_cross(middle, u, w); /* four times the middle's */
        fb_v3_cross(upper, q->u, q->w);
        fb_v3_add(lower, lower, middle);
        fb_v3_add(lower, lower, upper);
        volume += PI / 6 * fb_v3_dot(axis, lower);
    }
    return volume;
}

static void scale_inner(fb_polygon *p, double factor) {
    for (size_t k = p->cut[0] + 1; k < p->cut[1]; k++) {
        fb_v3_scale(p->rings[k].u, factor, p->rings[k].u);
        fb_v3_scale(p->rings[k].w, factor, p->rings[k].w);
    }
}

/* Scales the rings between the cuts so that the belly has a volume, which is of the second degree
 * in the factor: found from three values, solved, and once more for the rounding. */
static bool restore_volume(fb_polygon *p, double volume) {
    for (int round = 0; round < 2; round++) {
        double v[3];
        for (int k = 0; k < 3; k++) { /* factors 1, 2, 4 */
            v[k] = fb_rings_volume(p->rings, p->cut[0], p->cut[1]);
            scale_inner(p, k < 2 ? 2 : 0.25);
        }
        double square = (v[2] - 3 * v[1] + 2 * v[0]) / 6, linear = v[1] - v[0] - 3 * square;
        double rest = v[0] - square - linear - volume, root = linear * linear - 4 * square * rest;
        if (!(square > 0 && root >= 0)) {
            return false;
        }
        double factor = (sqrt(root) - linear) / (2 * square);
        if (!(factor > 0 && isfinite(factor))) {
            return false;
        }
        scale_inner(p, factor);
    }
    return true;
}

/* Whether all of a ring lies beyond the plane of another, on the side of its normal or (way -1) on
 * the other. */
static bool is_clear(const fb_ring *plane, const fb_ring *ring, int way) {
    double n[3], d[3];
    fb_v3_cross(n, plane->u, plane->w);
    fb_v3_sub(d, ring->c, plane->c);
    return way * fb_v3_dot(d, n) >= fb_length2(fb_v3_dot(ring->u, n), fb_v3_dot(ring->w, n));
}

const char *fb_polygon_make(fb_polygon *polygon, const fb_shape *shape, const fb_layers *layers,
                            const double (*turns)[3]) {
    memset(polygon, 0, sizeof *polygon);
    const char *why = check(shape, layers);
    if (why) {
        return why;
    }
    size_t parts[4];
    layers_of(parts, shape, layers);
    polygon->n = fb_polygon_count(shape, layers);
    polygon->cut[0] = parts[0];
    polygon->widest = parts[0] + parts[1];
    polygon->cut[1] = polygon->widest + parts[2];
    polygon->rings = fb_alloc(polygon->n * sizeof *polygon->rings);
    if (!polygon->rings) {
        return no_memory;
    }
    lay_straight(polygon, shape, parts);
    for (size_t k = 0; turns && !why && k < polygon->n; k++) {
        if (!(fb_length2(turns[k][0], turns[k][1]) < 0.99 * PI && isfinite(turns[k][2]))) {
            why = "a bundle's axis turns back on itself";
        }
    }
    if (turns && !why) {
        bend(polygon, turns);
    }
    if (!why && !restore_volume(polygon, fb_shape_belly_volume(shape))) {
        why = "a bundle's axis turns so sharply that its belly has no volume";
    }
    for (size_t k = 0; !why && turns && k + 1 < polygon->n; k++) {
        const fb_ring *ring = polygon->rings + k;
        if (!is_clear(ring, ring + 1, 1) || !is_clear(ring + 1, ring, -1)) {
            why = "a bundle's axis turns so sharply that its sections meet";
        }
    }
    if (why) {
        fb_polygon_free(polygon);
    }
    return why;
}

void fb_polygon_free(fb_polygon *polygon) {
    fb_free(polygon->rings);
    memset(polygon, 0, sizeof *polygon);
}

/* ---- meshes ---------------------------------------------------------------------------------- */

double fb_polygon_widening(int sides) {
    double angle = 2 * PI / sides;
    return sqrt(angle / sin(angle));
}

static void face(fb_quads *mesh, size_t a, size_t b, size_t c, size_t d) {
    size_t *q = mesh->quads[mesh->n_quads++];
    q[0] = a;
    q[1] = b;
    q[2] = c;
    q[3] = d;
}

/* Strips across the ring that begins with a vertex, facing along the ring's normal or against it.
 */
static void cover_end(fb_quads *mesh, size_t first, size_t sides, bool along) {
    for (size_t i = 0; i + 1 < sides - 1 - i; i++) {
        size_t a = first + i, d = first + sides - 1 - i;
        size_t b = a + 1, c = i + 1 < sides - 2 - i ? d - 1 : b;
        if (along) {
            c == b ? face(mesh, a, b, d, d) : face(mesh, a, b, c, d);
        } else {
            c == b ? face(mesh, a, d, b, b) : face(mesh, a, d, c, b);
        }
    }
}

const char *fb_quads_make(fb_quads *mesh, const fb_ring *rings, size_t n, int sides, bool closed) {
    memset(mesh, 0, sizeof *mesh);
    if (sides < 3 || sides > FB_SIDES_MOST) {
        return "a polygon has fewer than 3 or more than 100,000 sides";
    }
    size_t m = (size_t)sides;
    if (n < 2 || n > SIZE_MAX / 64 / m) {
        return "a bundle has fewer than two rings, or too many for a mesh";
    }
    mesh->vertices = fb_alloc(n * m * sizeof *mesh->vertices);
    mesh->quads = fb_alloc(((n - 1) * m + m) * sizeof *mesh->quads);
    if (!mesh->vertices || !mesh->quads) {
        fb_quads_free(mesh);
        return "out of memory for the mesh of a bundle";
    }
    double wider = fb_polygon_widening(sides);
    for (size_t i = 0; i < m; i++) {
        double angle = 2 * PI * (double)i / sides, x = wider * cos(angle), y = wider * sin(angle);
        for (size_t k = 0; k < n; k++) {
            double *v = mesh->vertices[k * m + i];
            fb_v3_copy(v, rings[k].c);
            fb_v3_madd(v, x, rings[k].u);
            fb_v3_madd(v, y, rings[k].w);
        }
    }
    mesh->n_vertices = n * m;
    for (size_t k = 0; k + 1 < n; k++) {
        for (size_t i = 0; i < m; i++) {
            size_t a = k * m + i, b = k * m + (i + 1) % m;
            face(mesh, a, b, b + m, a + m);
        }
    }
    if (closed) {
        cover_end(mesh, 0, m, false);
        cover_end(mesh, (n - 1) * m, m, true);
    }
    return NULL;
}

/* Six times the volume of the pyramid from the origin. */
static double six_times(const double *a, const double *b, const double *c) {
    double n[3];
    fb_v3_cross(n, b, c);
    return fb_v3_dot(a, n);
}

double fb_quads_volume(const fb_quads *mesh) {
    double sum = 0;
    for (size_t k = 0; k < mesh->n_quads; k++) {
        double v[4][3];
        for (int i = 0; i < 4; i++) { /* from a vertex of the mesh, for the digits */
            fb_v3_sub(v[i], mesh->vertices[mesh->quads[k][i]], mesh->vertices[0]);
        }
        /* under a bilinear face lies the mean of both ways to cut it in triangles */
        sum += six_times(v[0], v[1], v[2]) + six_times(v[0], v[2], v[3]) +
               six_times(v[1], v[2], v[3]) + six_times(v[1], v[3], v[0]);
    }
    return sum / 12;
}

void fb_quads_free(fb_quads *mesh) {
    fb_free(mesh->vertices);
    fb_free(mesh->quads);
    memset(mesh, 0, sizeof *mesh);
}
