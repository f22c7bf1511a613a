/* Sections of a muscle whose surface is given. */
#include <string.h>

#include "libcore/base/arena.h"
#include "libcore/base/spatial.h"
#include "libcore/bundle/sections.h"

#define N FB_PROFILE_SECTIONS
#define STEEPEST 0.4  /* tangent: how fast the outermost bundles come nearer to the core */
#define THINNEST 0.03 /* of the widest section's: widths and heights at the ends, at least */

/* The place at a part of the core's length, from 0 to 1; beyond it straight on. Pieces of the core
 * are equally long but for the two at the ends, which are half as long. */
static void core_at(double *place, const fb_profile *p, double part) {
    double at = part * N + 0.5, d[3];
    int k = at < 1 ? 0 : at > N ? N : (int)at;
    double along = at < 1 ? 2 * (at - 0.5) : at > N ? 2 * (at - N) : at - k;
    fb_v3_sub(d, p->core[k + 1], p->core[k]);
    fb_v3_copy(place, p->core[k]);
    fb_v3_madd(place, along, d);
}

/* A row of the profile at a part of the core's length. */
static double row_at(const double *row, double part) {
    double at = fb_lesser(fb_greater(part * N - 0.5, 0), N - 1);
    int k = at < N - 1 ? (int)at : N - 2;
    return row[k] + (at - k) * (row[k + 1] - row[k]);
}

/* A direction of the profile at a part of the core's length. */
static void direction_at(double *to, const double (*directions)[3], double part) {
    for (int m = 0; m < 3; m++) {
        double row[N];
        for (int i = 0; i < N; i++) {
            row[i] = directions[i][m];
        }
        to[m] = row_at(row, part);
    }
    fb_v3_normalize(to);
}

/* No value less than what is left of its greater neighbours at the steepest slope. */
static void no_steeper(double *row, size_t n, double slope) {
    for (size_t k = 1; k < n; k++) {
        row[k] = fb_greater(row[k], row[k - 1] - slope);
    }
    for (size_t k = n - 1; k > 0; k--) {
        row[k - 1] = fb_greater(row[k - 1], row[k] - slope);
    }
}

static const char *frames(fb_sections *s, const fb_profile *p, size_t first, size_t layers) {
    for (size_t k = 0; k < s->n; k++) {
        fb_frame *f = s->frames + k;
        double part = ((double)k - (double)first) / (double)layers;
        core_at(f->o, p, part);
        direction_at(f->x, p->x, part);
        direction_at(f->z, p->z, part);
        fb_v3_madd(f->x, -fb_v3_dot(f->x, f->z), f->z);
        if (!(fb_v3_normalize(f->x) > 1e-3)) {
            return "its width runs along its core";
        }
        fb_v3_cross(f->y, f->z, f->x);
    }
    return NULL;
}

const char *fb_sections_of_profile(fb_sections *s, const fb_profile *p, size_t layers,
                                   double more) {
    memset(s, 0, sizeof *s);
    double layer = p->length / (double)layers, widest = (p->widest + 0.5) / N;
    size_t extra = more > 0 ? (size_t)(more / layer) + 2 : 0;
    size_t below = (size_t)(widest * (double)layers + 0.5);
    below = below < 1 ? 1 : below > layers - 1 ? layers - 1 : below;
    s->n_heads = 1;
    s->base = extra + below;
    s->n = extra + layers + extra + 1;
    s->heads = fb_alloc(sizeof *s->heads);
    s->frames = fb_alloc(s->n * sizeof *s->frames);
    s->width = fb_alloc(s->n * sizeof *s->width);
    s->area = fb_alloc(s->n * sizeof *s->area);
    s->bow = fb_alloc(s->n * sizeof *s->bow);
    const char *why = s->heads && s->frames && s->width && s->area && s->bow
                          ? frames(s, p, extra, layers)
                          : "there is not enough memory for its sections";
    if (why) {
        fb_sections_free(s);
        return why;
    }
    double at = p->length * (double)below / (double)layers;
    *s->heads = (fb_section_head){.first = extra,
                                  .lower = extra,
                                  .widest = s->base,
                                  .upper = extra + layers,
                                  .last = extra + layers,
                                  .below = at,
                                  .above = p->length - at};
    double *width = s->width, *height = s->area; /* first whole ones, m, of ellipses */
    double least[2] = {THINNEST * p->width[p->widest],
                       THINNEST * p->area[p->widest] / p->width[p->widest]};
    for (size_t k = 0; k < s->n; k++) {
        double part = ((double)k - (double)extra) / (double)layers;
        width[k] = fb_greater(row_at(p->width, part), least[0]);
        s->bow[k] = row_at(p->bow, part);
        double half = 0.5 * s->bow[k] * width[k]; /* along the bow it is wider; the middle of it */
        width[k] *= 1 + half * half / 6;          /* lies to one side */
        fb_v3_madd(s->frames[k].o, -half * width[k] / 16, s->frames[k].y);
        height[k] = fb_greater(4 / 3.14159265358979323846 * row_at(p->area, part) / width[k],
                               least[1]);
    }
    no_steeper(width, s->n, 2 * STEEPEST * layer);
    no_steeper(height, s->n, 2 * STEEPEST * layer);
    double w = width[s->base], h = height[s->base];
    for (size_t k = 0; k < s->n; k++) {
        s->width[k] = width[k] / w;
        s->area[k] = s->width[k] * height[k] / h;
    }
    return NULL;
}
