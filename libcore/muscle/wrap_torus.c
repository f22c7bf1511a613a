/* Tori about z: at the place of the ring that is nearest to the line, the tube is taken for a
 * cylinder. */
#include <math.h>

#include "libcore/muscle/wrap_shapes.h"

#define SEARCH_STEPS 100

/* Squared distance from a point of the line to the ring, and its first two derivatives by t. */
static double ring_distance(double ring, const double *p, const double *d, double t, double *d1,
                            double *d2) {
    double x = p[0] + t * d[0], y = p[1] + t * d[1], z = p[2] + t * d[2], rho = fb_length2(x, y);
    if (rho < 1e-12) {
        rho = 1e-12;
    }
    double rise = (x * d[0] + y * d[1]) / rho,
           bend = (d[0] * d[0] + d[1] * d[1] - rise * rise) / rho, gap = rho - ring;
    *d1 = 2 * (z * d[2] + gap * rise);
    *d2 = 2 * (d[2] * d[2] + rise * rise + gap * bend);
    return z * z + gap * gap;
}

/* The minimum that a descent from t reaches: Newton where the function is convex, else steps
 * downhill. */
static double search(double ring, const double *p, const double *d, double t, double *distance) {
    double d1, d2, best = ring_distance(ring, p, d, t, &d1, &d2);
    for (int i = 0; i < SEARCH_STEPS; i++) {
        double step = d2 > 0 ? -d1 / d2 : d1 > 0 ? -0.1 : 0.1, e1, e2, value;
        for (int halving = 0;; halving++) {
            value = ring_distance(ring, p, d, t + step, &e1, &e2);
            if (value <= best || halving > 40) {
                break;
            }
            step /= 2;
        }
        if (value > best) {
            break;
        }
        t += step;
        best = value;
        d1 = e1;
        d2 = e2;
        if (fabs(step) < 1e-14) {
            break;
        }
    }
    *distance = best;
    return t;
}

/* The same from one of both ends as OpenSim 4 has it. */
static double place(double ring, const double *p1, const double *p2, int from, double *distance) {
    double d[3], n[3], d1, d2;
    fb_v3_sub(d, p2, p1);
    double span = fb_v3_norm(d);
    fb_v3_scale(n, (from == 0 ? 1 : -1) / span, d);
    double t = fb_wrap_opensim_ring_place(ring, from == 0 ? p1 : p2, n) / span;
    t = from == 0 ? t : 1 - t;
    *distance = ring_distance(ring, p1, d, t, &d1, &d2);
    return t;
}

fb_wrap_outcome fb_wrap_torus(const fb_wrap *wrap, fb_wrap_mode mode, const double *p1,
                              const double *p2, fb_wrap_path *path) {
    double tube = wrap->size[0], ring = wrap->size[1], d[3], c[3] = {0, 0, 0}, best = 0;
    bool found = false;
    fb_v3_sub(d, p2, p1);
    if (fb_v3_dot(d, d) == 0) {
        return FB_WRAP_NONE;
    }
    for (int i = 0; i < 2; i++) { /* from both ends */
        double distance, t = mode == FB_WRAP_GEODESIC ? search(ring, p1, d, i, &distance)
                                                      : place(ring, p1, p2, i, &distance);
        double x = p1[0] + t * d[0], y = p1[1] + t * d[1], rho = fb_length2(x, y);
        if (rho < 1e-12) {
            continue;
        }
        double candidate[3] = {ring * x / rho, ring * y / rho, 0},
               on_line[3] = {x, y, p1[2] + t * d[2]};
        if (wrap->axis >= 0 && !fb_wrap_allowed(wrap, on_line)) {
            continue;
        }
        if (!found || distance < best) {
            found = true;
            best = distance;
            fb_v3_copy(c, candidate);
        }
    }
    if (!found) {
        return FB_WRAP_NONE;
    }
    /* the tube's frame: x to the torus's centre, z along the ring */
    fb_pose frame, inverse;
    double x[3] = {-c[0] / ring, -c[1] / ring, 0}, z[3] = {c[1] / ring, -c[0] / ring, 0}, y[3];
    fb_v3_cross(y, z, x);
    for (int k = 0; k < 3; k++) {
        frame.R[3 * k] = x[k];
        frame.R[3 * k + 1] = y[k];
        frame.R[3 * k + 2] = z[k];
        frame.p[k] = c[k];
    }
    fb_pose_inverse(&inverse, &frame);
    fb_wrap cylinder = {
        .kind = FB_WRAP_CYLINDER, .size = {tube, 1000, 1000}, .axis = 0, .sign = 1, .active = true};
    double q1[3], q2[3];
    fb_wrap_path on;
    fb_pose_point(q1, &inverse, p1);
    fb_pose_point(q2, &inverse, p2);
    fb_wrap_outcome outcome = fb_wrap_cylinder(&cylinder, mode, q1, q2, &on);
    if (outcome != FB_WRAP_WRAPPED && outcome != FB_WRAP_MANDATORY) {
        return mode == FB_WRAP_GEODESIC ? outcome : FB_WRAP_VOID;
    }
    fb_pose_point(path->r1, &frame, on.r1);
    fb_pose_point(path->r2, &frame, on.r2);
    path->length = on.length;
    return FB_WRAP_WRAPPED;
}
