#include "libcore/bundle/solid.h"

#include <math.h>
#include <string.h>

#include "libcore/base/arena.h"
#include "libcore/base/spatial.h"

#define MOST 50e6
/* Lines are moved by an odd part of a cube, so that they hardly ever meet an edge. */
#define ASIDE_X 0.0137
#define ASIDE_Y 0.0271

double fb_shell_volume(const fb_shell *mesh) {
    double six = 0;
    for (size_t f = 0; f < mesh->n_faces; f++) {
        const int *face = mesh->faces[f];
        double n[3], a[3], b[3], c[3];
        const double *from = mesh->vertices[mesh->faces[0][0]]; /* near: less is lost */
        fb_v3_sub(a, mesh->vertices[face[0]], from);
        fb_v3_sub(b, mesh->vertices[face[1]], from);
        fb_v3_sub(c, mesh->vertices[face[2]], from);
        fb_v3_cross(n, b, c);
        six += fb_v3_dot(a, n);
    }
    return fabs(six) / 6;
}

void fb_solid_free(fb_solid *solid) {
    fb_free(solid->inside);
    memset(solid, 0, sizeof *solid);
}

void fb_solid_centre(const fb_solid *solid, size_t cube, double *place) {
    size_t nx = (size_t)solid->n[0], ny = (size_t)solid->n[1];
    size_t at[3] = {cube % nx, cube / nx % ny, cube / (nx * ny)};
    for (int k = 0; k < 3; k++) {
        place[k] = solid->low[k] + solid->h * (double)at[k];
    }
}

/* Twice the signed area of (a, b, p) in x and y. */
static double side(const double *a, const double *b, double x, double y) {
    return (b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0]);
}

/* Where the lines through a triangle cross it, the first cube above changes sides. */
static void cross(fb_solid *s, const double *a, const double *b, const double *c) {
    int from[2], to[2];
    for (int k = 0; k < 2; k++) {
        double least = fmin(fmin(a[k], b[k]), c[k]), most = fmax(fmax(a[k], b[k]), c[k]);
        from[k] = (int)floor((least - s->low[k]) / s->h) - 1;
        to[k] = (int)ceil((most - s->low[k]) / s->h) + 1;
        from[k] = from[k] < 0 ? 0 : from[k];
        to[k] = to[k] > s->n[k] - 1 ? s->n[k] - 1 : to[k];
    }
    for (int j = from[1]; j <= to[1]; j++) {
        for (int i = from[0]; i <= to[0]; i++) {
            double x = s->low[0] + s->h * (i + ASIDE_X), y = s->low[1] + s->h * (j + ASIDE_Y);
            double u = side(b, c, x, y), v = side(c, a, x, y), w = side(a, b, x, y);
            double sum = u + v + w;
            if (sum == 0 || !((u >= 0 && v >= 0 && w >= 0) || (u < 0 && v < 0 && w < 0))) {
                continue;
            }
            double z = (u * a[2] + v * b[2] + w * c[2]) / sum;
            int k = (int)ceil((z - s->low[2]) / s->h);
            if (k < s->n[2]) {
                k = k < 0 ? 0 : k;
                size_t at = ((size_t)k * (size_t)s->n[1] + (size_t)j) * (size_t)s->n[0] + (size_t)i;
                s->inside[at] ^= 1;
            }
        }
    }
}

const char *fb_solid_make(fb_solid *solid, const fb_shell *mesh, double h) {
    double low[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, high[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    double cubes = 1;
    memset(solid, 0, sizeof *solid);
    solid->h = h;
    for (size_t v = 0; v < mesh->n_vertices; v++) {
        for (int k = 0; k < 3; k++) {
            low[k] = fmin(low[k], mesh->vertices[v][k]);
            high[k] = fmax(high[k], mesh->vertices[v][k]);
        }
    }
    for (int k = 0; k < 3; k++) {
        cubes *= (high[k] - low[k]) / h + 4;
    }
    if (!(cubes > 0 && cubes < MOST)) {
        return "its surface is empty, or far larger than its volume";
    }
    for (int k = 0; k < 3; k++) {
        solid->low[k] = low[k] - 1.5 * h;
        solid->n[k] = (int)ceil((high[k] - low[k]) / h) + 4;
    }
    size_t layer = (size_t)solid->n[0] * (size_t)solid->n[1], all = layer * (size_t)solid->n[2];
    solid->inside = fb_alloc(all);
    if (!solid->inside) {
        return "there is not enough memory for the cubes of its surface";
    }
    memset(solid->inside, 0, all);
    for (size_t f = 0; f < mesh->n_faces; f++) {
        const int *face = mesh->faces[f];
        cross(solid, mesh->vertices[face[0]], mesh->vertices[face[1]], mesh->vertices[face[2]]);
    }
    for (size_t at = layer; at < all; at++) {
        solid->inside[at] ^= solid->inside[at - layer];
    }
    for (size_t at = all - layer; at < all; at++) { /* lines that came out through a hole */
        for (size_t up = at; solid->inside[at] && up >= layer; up -= layer) {
            solid->inside[up] = 0;
        }
        solid->inside[at] = 0;
    }
    for (size_t at = 0; at < all; at++) {
        solid->count += solid->inside[at];
    }
    if (solid->count == 0) {
        fb_solid_free(solid);
        return "its surface encloses nothing";
    }
    return NULL;
}
