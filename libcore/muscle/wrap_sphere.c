/* Spheres about the origin. */
#include <math.h>

#include "libcore/muscle/wrap_shapes.h"

#define THROUGH_CENTER 1e-5 /* m: a line that near to the centre has no plane with it */

/* The two points where lines from p touch the sphere in the plane with normal n. */
static void tangents(double radius, const double *p, const double *n, double *a, double *b) {
    double distance = fb_v3_norm(p), x[3], y[3];
    fb_v3_scale(x, 1 / distance, p);
    fb_v3_cross(y, n, x);
    double along = radius * radius / distance;
    double across = radius * sqrt(fb_greater(0, 1 - radius * radius / (distance * distance)));
    for (int i = 0; i < 3; i++) {
        a[i] = along * x[i] + across * y[i];
        b[i] = along * x[i] - across * y[i];
    }
}

/* Where the line from p1 to p2 enters and leaves; true if both are between the points. */
static bool crosses(double radius, const double *p1, const double *p2) {
    double d[3];
    fb_v3_sub(d, p2, p1);
    double a = fb_v3_dot(d, d), b = fb_v3_dot(p1, d), c = fb_v3_dot(p1, p1) - radius * radius;
    double discriminant = b * b - a * c;
    if (a == 0 || discriminant < 0) {
        return false;
    }
    double root = sqrt(discriminant), t1 = (-b - root) / a, t2 = (-b + root) / a;
    return t1 > 0 && t1 < 1 && t2 > 0 && t2 < 1;
}

fb_wrap_outcome fb_wrap_sphere(const fb_wrap *wrap, fb_wrap_mode mode, const double *p1,
                               const double *p2, fb_wrap_path *path) {
    double radius = wrap->size[0], n[3], r1a[3], r1b[3], r2a[3], r2b[3], d[3], closest[3];
    if (fb_v3_norm(p1) < radius || fb_v3_norm(p2) < radius) {
        return FB_WRAP_INSIDE;
    }
    if (!crosses(radius, p1, p2)) {
        return FB_WRAP_NONE;
    }
    fb_v3_sub(d, p2, p1);
    double t = -fb_v3_dot(p1, d) / fb_v3_dot(d, d);
    for (int i = 0; i < 3; i++) {
        closest[i] = p1[i] + t * d[i];
    }
    fb_v3_cross(n, p1, p2);
    bool far_side = false, constrained = wrap->axis >= 0;
    bool one = constrained && fb_wrap_allowed(wrap, p1),
         two = constrained && fb_wrap_allowed(wrap, p2);
    if (fb_v3_norm(closest) < THROUGH_CENTER || fb_v3_normalize(n) == 0) {
        if (fb_v3_dot(path->r1, path->r1) == 0) { /* no earlier way: any plane will do */
            double across[3] = {0, 0, 0};
            across[fb_v3_least(p1)] = 1;
            fb_v3_cross(n, p1, across);
            fb_v3_normalize(n);
            tangents(radius, p1, n, path->r1, r1b);
            tangents(radius, p2, n, r2a, path->r2);
        }
    } else {
        tangents(radius, p1, n, r1a, r1b);
        tangents(radius, p2, n, r2a, r2b);
        const double *first[4] = {r1a, r1a, r1b, r1b}, *second[4] = {r2a, r2b, r2a, r2b};
        int best = 0;
        for (int i = 1; i < 4; i++) {
            if (fb_v3_dot(first[i], second[i]) > fb_v3_dot(first[best], second[best])) {
                best = i;
            }
        }
        fb_v3_copy(path->r1, first[best]);
        fb_v3_copy(path->r2, second[best]);
        if (constrained && !(one && two)) { /* the way round the allowed side */
            double sum[3];
            fb_v3_add(sum, p1, p2);
            bool a1 = -fb_v3_dot(r1a, sum) >= -fb_v3_dot(r1b, sum),
                 a2 = -fb_v3_dot(r2a, sum) >= -fb_v3_dot(r2b, sum);
            const double *r1 = a1 ? r1a : r1b, *r2 = a2 ? r2a : r2b;
            double out = 0;
            for (int side = 0; side < 2; side++) {
                out = r1[wrap->axis] - p1[wrap->axis] + r2[wrap->axis] - p2[wrap->axis];
                if (side == 1 || wrap->sign * out >= 0) {
                    break;
                }
                r1 = a1 ? r1b : r1a;
                r2 = a2 ? r2b : r2a;
            }
            fb_v3_copy(path->r1, r1);
            fb_v3_copy(path->r2, r2);
            double way[3];
            for (int i = 0; i < 3; i++) {
                way[i] = r1[i] - p1[i] + r2[i] - p2[i];
            }
            fb_v3_add(sum, r1, r2);
            far_side = fb_v3_dot(sum, way) < 0;
        }
    }
    double c = fb_v3_dot(path->r1, path->r2) / (radius * radius);
    double angle = acos(c > 1 ? 1 : c < -1 ? -1 : c);
    if (far_side) { /* OpenSim 4 gives such a way a negative length */
        angle = mode == FB_WRAP_GEODESIC ? 2 * M_PI - angle : angle - 2 * M_PI;
    }
    path->length = radius * angle;
    return constrained && (one || two) ? FB_WRAP_MANDATORY : FB_WRAP_WRAPPED;
}
