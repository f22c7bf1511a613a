/* Bodies of bundles that are known in closed form, for the tests of measures, layers, surfaces and
 * mesh files: lattices along a core that is straight, bent or twisted, and heads that part. */
#ifndef FB_TESTS_BUNDLE_BODIES_H
#define FB_TESTS_BUNDLE_BODIES_H

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/number.h"
#include "libcore/base/spatial.h"
#include "libcore/bundle/body.h"

#define BODIES_PI 3.14159265358979323846

/* Cells (i, j) whose centre lies in the ellipse of `radius` cells; a rectangle if `rectangle`. */
typedef struct lattice {
    double radius;
    int rectangle[2];   /* cells along i and j in each quadrant; 0: round */
    int rings;          /* of each bundle */
    double a, b;        /* semi-axes of the widest section, m */
    double pitch;       /* centres are this times 2 a, 2 b apart; 1: neighbours touch */
    double length;      /* m */
    double tendon;      /* tendon fibre at each end, m */
    double thin;        /* a tendon fibre's section, of the widest; 1: cylinders */
    double bend, twist; /* of the whole core, rad */
    double stagger;     /* shift along the core for each cell in j, m: pennate sheets */
    double fork;        /* heads i < 0 and i >= 0 part above the middle by this angle, rad */
} lattice;

/* The section's size at s, from 0 to 1 along the bundle: an ellipse's arc between two tendons. */
static inline double lattice_size(const lattice *l, double s) {
    double ends = l->tendon / l->length, z = (s - 0.5) / (0.5 - ends);
    z = z < -1 ? -1 : z > 1 ? 1 : z;
    return sqrt(1 - z * z * (1 - l->thin * l->thin));
}

/* A point of the lattice's frame: along the core at z, beside it at x, y. The rotation goes to R.
 */
static inline void lattice_place(const lattice *l, double x, double y, double z, double *p,
                                 double *R) {
    double t = z / l->length - 0.5, angle = l->bend * t, turn = l->twist * t;
    double radius = l->bend != 0 ? l->length / l->bend : 0, aside[3] = {x, y, 0}, bent[9],
           twisted[9];
    const double about_x[3] = {1, 0, 0}, about_z[3] = {0, 0, 1};
    fb_m3_rotation(bent, about_x, -angle);
    fb_m3_rotation(twisted, about_z, turn);
    fb_m3_mul(R, bent, twisted);
    fb_m3_mul_v3(p, R, aside);
    p[1] += radius * (1 - cos(angle));
    p[2] += l->bend != 0 ? radius * sin(angle) : l->length * t;
}

static inline void lattice_bundle(const lattice *l, fb_body *body, int i, int j, double pitch) {
    fb_bundle *b = body->bundles + body->n_bundles++;
    double x = (2 * i + 1) * l->a * pitch, y = (2 * j + 1) * l->b * pitch;
    *b = (fb_bundle){.cell = {i, j},
                     .order = (int)body->n_bundles,
                     .head = {-1, -1},
                     .first = body->n_rings,
                     .rings = (size_t)l->rings};
    for (int k = 0; k < l->rings; k++) {
        double s = (double)k / (l->rings - 1), size = lattice_size(l, s), R[9], c[3];
        fb_ring *ring = body->rings + body->n_rings++;
        lattice_place(l, x, y, s * l->length + l->stagger * j, c, R);
        double fork = l->fork * (i < 0 ? -1 : 1), rest = (s - 0.5) * l->length;
        fb_v3_copy(ring->c, c);
        for (int q = 0; q < 3; q++) {
            ring->u[q] = R[3 * q] * size * l->a;
            ring->w[q] = R[3 * q + 1] * size * l->b;
        }
        if (l->fork != 0 && rest > 0) { /* a straight core that turns off along an arc, about y */
            double radius = 0.25 * l->length / fabs(fork),
                   angle = fb_lesser(rest / radius, fabs(fork));
            double on = rest - angle * radius, sign = fork < 0 ? -1 : 1;
            double out = radius * (1 - cos(angle)) + on * sin(angle);
            double up = radius * sin(angle) + on * cos(angle);
            /* heads keep their distance from the plane between them */
            fb_v3_set(ring->c, sign * out + x * cos(angle), y, up - sign * x * sin(angle));
            fb_v3_set(ring->u, size * l->a * cos(angle), 0, -sign * size * l->a * sin(angle));
        }
    }
    if (l->fork != 0) {
        b->head[0] = 2;
        b->head[1] = i < 0 ? 0 : 1;
    }
    b->volume = fb_bundle_volume(body, body->n_bundles - 1);
    b->length = fb_bundle_length(body, body->n_bundles - 1);
    b->ratio = l->b / l->a;
    b->belly[0] = l->tendon / l->length * b->length;
    b->belly[1] = b->length - b->belly[0];
}

static inline bool lattice_has(const lattice *l, int i, int j) {
    double x = i + 0.5, y = j + 0.5;
    return l->rectangle[0] > 0 ? i >= -l->rectangle[0] && i < l->rectangle[0] &&
                                     j >= -l->rectangle[1] && j < l->rectangle[1]
                               : x * x + y * y <= l->radius * l->radius;
}

/* A body named "lattice"; fb_body_free it. */
static inline fb_body lattice_body(const lattice *l) {
    int most = l->rectangle[0] > 0 ? (int)fb_greater(l->rectangle[0], l->rectangle[1])
                                   : (int)l->radius + 1;
    size_t n = 0;
    double pitch = l->pitch != 0 ? l->pitch : 1;
    fb_body body = {.time = FB_NAN, .name = strdup("lattice")};
    for (int i = -most; i < most; i++) {
        for (int j = -most; j < most; j++) {
            n += lattice_has(l, i, j);
        }
    }
    body.bundles = calloc(n, sizeof *body.bundles);
    body.rings = calloc(n * (size_t)l->rings, sizeof *body.rings);
    for (int i = -most; i < most; i++) {
        for (int j = -most; j < most; j++) {
            if (lattice_has(l, i, j)) {
                lattice_bundle(l, &body, i, j, pitch);
            }
        }
    }
    if (l->fork != 0) {
        body.heads = calloc(3, sizeof *body.heads);
        body.heads[0] = strdup("left");
        body.heads[1] = strdup("right");
        body.heads[2] = strdup("common");
        body.n_heads = 3;
    }
    return body;
}

#endif
