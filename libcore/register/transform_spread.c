/* What points determine: docs/theory.md, Retargeting: transforms. */
#include <math.h>

#include "libcore/base/spatial.h"
#include "libcore/register/transform.h"

#define LINE 0.04       /* breadth to length: below, the points lie on a line */
#define SLENDER 0.125   /* a bone is at least as thick, to the points' length */
#define AMPLIFIED 1.1   /* of affine maps, at most */
#define SPLINE_POINTS 6 /* with fewer a spline is little but an affine map */
#define ROUNDING 1e-12  /* extent to the greatest: below, it is 0 */

void fb_spread_of(fb_spread *spread, const double *points, size_t stride, size_t n) {
    double center[3] = {0, 0, 0}, G[9] = {0}, u[9], v[9], largest = 0;
    for (size_t i = 0; i < n; i++) {
        fb_v3_madd(center, 1 / (double)n, points + i * stride);
    }
    for (size_t i = 0; i < n; i++) {
        double p[3];
        fb_v3_sub(p, points + i * stride, center);
        for (int k = 0; k < 9; k++) {
            G[k] += p[k / 3] * p[k % 3] / (double)n;
        }
        for (int k = 0; k < 3; k++) {
            largest = fb_greater(largest, fabs(points[i * stride + (size_t)k]));
        }
    }
    double *e = spread->extent;
    fb_svd3(G, u, e, v);
    for (int i = 0; i < 3; i++) { /* as products, rounded to squares of what counts as 0 */
        e[i] = e[i] > 0 ? sqrt(e[i]) : 0;
        if (e[i] < fb_greater(1e-7 * e[0], ROUNDING * largest)) {
            e[i] = 0;
        }
    }
    spread->n = (int)n;
    spread->condition = e[2] > 0 ? e[0] / e[2] : HUGE_VAL;
    double thick = fb_greater(e[1], SLENDER * e[0]);
    double broad = e[1] > 0 ? thick / e[1] : HUGE_VAL, deep = e[2] > 0 ? thick / e[2] : HUGE_VAL;
    spread->amplification = sqrt((2 + broad * broad + deep * deep) / (double)n);
    spread->enough = n >= 3 && e[1] > LINE * e[0];
    spread->richest = FB_TRANSFORM_SIMILARITY;
    if (spread->enough && n >= 4 && spread->amplification <= AMPLIFIED) {
        spread->richest = n >= SPLINE_POINTS ? FB_TRANSFORM_TPS : FB_TRANSFORM_AFFINE;
    }
}
