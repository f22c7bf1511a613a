#include "libcore/bundle/body.h"

#include <math.h>

#include "libcore/base/arena.h"
#include "libcore/base/number.h"
#include "libcore/base/spatial.h"

#define PI 3.14159265358979323846

void fb_body_free(fb_body *body) {
    for (size_t i = 0; i < body->n_heads; i++) {
        fb_free(body->heads[i]);
    }
    fb_free(body->heads);
    fb_free(body->name);
    fb_free(body->bundles);
    fb_free(body->rings);
    *body = (fb_body){.time = FB_NAN};
}

double fb_bundle_volume(const fb_body *body, size_t bundle) {
    const fb_bundle *b = body->bundles + bundle;
    const fb_ring *ring = body->rings + b->first;
    double volume = 0;
    for (size_t k = 0; k + 1 < b->rings; k++) {
        double axis[3], first[3], last[3], middle[3], u[3], w[3];
        fb_v3_sub(axis, ring[k + 1].c, ring[k].c);
        for (int i = 0; i < 3; i++) {
            u[i] = 0.5 * (ring[k].u[i] + ring[k + 1].u[i]);
            w[i] = 0.5 * (ring[k].w[i] + ring[k + 1].w[i]);
        }
        fb_v3_cross(first, ring[k].u, ring[k].w);
        fb_v3_cross(middle, u, w);
        fb_v3_cross(last, ring[k + 1].u, ring[k + 1].w);
        /* Simpson's rule: exact, as u x w is of the second degree */
        for (int i = 0; i < 3; i++) {
            volume += PI / 6 * axis[i] * (first[i] + 4 * middle[i] + last[i]);
        }
    }
    return fabs(volume);
}

double fb_bundle_length(const fb_body *body, size_t bundle) {
    const fb_bundle *b = body->bundles + bundle;
    const fb_ring *ring = body->rings + b->first;
    double length = 0;
    for (size_t k = 0; k + 1 < b->rings; k++) {
        length += fb_v3_distance(ring[k].c, ring[k + 1].c);
    }
    return length;
}
