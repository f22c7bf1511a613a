#include "libcore/bundle/action.h"

#include <math.h>

static double section_of(const fb_bundle *bundle) {
    double belly = bundle->belly[1] - bundle->belly[0];
    return bundle->volume / (belly > 0 ? belly : bundle->length);
}

void fb_bundle_shares(double *shares, const fb_body *body, const fb_recipe *recipe,
                      const int *core) {
    for (int k = 0; k < recipe->n_cores; k++) {
        double sum = 0;
        for (size_t i = 0; i < body->n_bundles; i++) {
            sum += !core || core[i] == k ? section_of(&body->bundles[i]) : 0;
        }
        for (size_t i = 0; i < body->n_bundles; i++) {
            if (!core || core[i] == k) {
                shares[i] = recipe->cores[k].share * section_of(&body->bundles[i]) / sum;
            }
        }
        if (!core) {
            return;
        }
    }
}

/* The point of a bundle's axis at a part of its length. */
static void axis_point(double *point, const fb_body *body, const fb_bundle *bundle, double length,
                       double t) {
    const fb_ring *rings = body->rings + bundle->first;
    double left = t * length;
    for (size_t i = 0; i + 1 < bundle->rings; i++) {
        double step = fb_v3_distance(rings[i].c, rings[i + 1].c);
        if (left <= step && step > 0) {
            fb_v3_copy(point, rings[i].c);
            for (int k = 0; k < 3; k++) {
                point[k] += left / step * (rings[i + 1].c[k] - rings[i].c[k]);
            }
            return;
        }
        left -= step;
    }
    fb_v3_copy(point, rings[bundle->rings - 1].c);
}

bool fb_body_mean_point(double *point, const fb_body *body, const double *shares, const int *core,
                        int k, double t) {
    double sum = 0;
    fb_v3_set(point, 0, 0, 0);
    for (size_t i = 0; i < body->n_bundles; i++) {
        double p[3];
        if ((core && k >= 0 && core[i] != k) || body->bundles[i].rings == 0) {
            continue;
        }
        axis_point(p, body, &body->bundles[i], fb_bundle_length(body, i), t);
        fb_v3_madd(point, shares[i], p);
        sum += shares[i];
    }
    if (!(sum > 0)) {
        return false;
    }
    fb_v3_scale(point, 1 / sum, point);
    return true;
}

double fb_core_nearest(const fb_core *core, const double *place, double *nearest) {
    double least = HUGE_VAL;
    for (int i = 0; i + 1 < core->n_points; i++) {
        double d[3], r[3];
        fb_v3_sub(d, core->points[i + 1], core->points[i]);
        fb_v3_sub(r, place, core->points[i]);
        double t = fb_v3_dot(r, d) / fb_v3_dot(d, d);
        fb_v3_copy(r, core->points[i]);
        fb_v3_madd(r, fb_lesser(fb_greater(t, 0), 1), d);
        double distance = fb_v3_distance(r, place);
        if (distance < least) {
            least = distance;
            if (nearest) {
                fb_v3_copy(nearest, r);
            }
        }
    }
    return least;
}

fb_line_distance fb_body_mean_line(const fb_body *body, const fb_recipe *recipe,
                                   const double *shares, const int *core, int k, int n) {
    fb_line_distance result = {0, 0, 0};
    n = n < 2 ? 100 : n;
    for (int i = 0; i < n; i++) {
        double point[3], t = (double)i / (n - 1);
        if (!fb_body_mean_point(point, body, shares, core, k, t)) {
            return result;
        }
        double distance = fb_core_nearest(&recipe->cores[k], point, NULL);
        result.mean += distance / n;
        if (distance > result.greatest) {
            result.greatest = distance;
            result.at = t;
        }
    }
    return result;
}
