/* Cylinders about z. */
#include <math.h>

#include "libcore/muscle/wrap_shapes.h"

#define REFINE_STEPS 100
#define REFINE_ANGLE (0.1 * M_PI / 180) /* OpenSim's tolerance on tangency */
#define REFINE_LENGTH 0.002             /* m, its spacing of points on the surface */
#define STEEP 5e-7        /* z of the normal of a plane along the axis, which it does not cut */
#define NO_HEIGHT 2.3e-16 /* m: a height that it takes for 0 */

/* The two points where lines from p touch the cylinder, in p's plane: a to the left of the radius,
 * b to the right, seen along z. */
static void tangents(double radius, const double *p, double *a, double *b) {
    double square = p[0] * p[0] + p[1] * p[1], along = radius * radius / square;
    double across = sqrt(fb_greater(0, along * (1 - along)));
    fb_v3_set(a, along * p[0] - across * p[1], along * p[1] + across * p[0], p[2]);
    fb_v3_set(b, along * p[0] + across * p[1], along * p[1] - across * p[0], p[2]);
}

static double radial_dot(const double *a, const double *b) {
    return a[0] * b[0] + a[1] * b[1];
}

/* The side of the quadrant decides which pair of tangents is taken, and whether the way goes round
 * the far side of the cylinder. */
static void choose_constrained(const fb_wrap *wrap, const double r1a[3], const double r1b[3],
                               const double r2a[3], const double r2b[3], double *r1, double *r2,
                               bool *far_side) {
    double ab = radial_dot(r1a, r2b),
           ba = radial_dot(r1b, r2a); /* cosines: the greater, the nearer */
    bool a1 = fb_wrap_allowed(wrap, r1a), b1 = fb_wrap_allowed(wrap, r1b);
    bool a2 = fb_wrap_allowed(wrap, r2a), b2 = fb_wrap_allowed(wrap, r2b);
    bool take_ba, lost = false;
    if (a1 && b1) {
        take_ba = a2;
    } else if (a1) {
        take_ba = false;
    } else if (b1) {
        take_ba = true;
    } else if (a2) {
        take_ba = true;
    } else if (b2) {
        take_ba = false;
    } else {
        take_ba = !(ab < ba);
        lost = true;
    }
    *far_side = lost || (take_ba ? ab >= ba : ab < ba);
    fb_v3_copy(r1, take_ba ? r1b : r1a);
    fb_v3_copy(r2, take_ba ? r2a : r2b);
}

/* Where the vertical through r crosses the plane through a, b, c; false if it does not within 10 m.
 */
static bool slide(const double *r, const double *a, const double *b, const double *c,
                  double *moved) {
    double u[3], v[3], n[3];
    fb_v3_sub(u, b, a);
    fb_v3_sub(v, c, a);
    fb_v3_cross(n, u, v);
    if (fb_v3_normalize(n) == 0 || fabs(n[2]) < STEEP) {
        return false;
    }
    double dz = (n[0] * (a[0] - r[0]) + n[1] * (a[1] - r[1])) / n[2] + a[2] - r[2];
    if (fabs(dz) > 10) {
        return false;
    }
    fb_v3_set(moved, r[0], r[1], r[2] + dz);
    return true;
}

/* First guess of the heights of the tangent points: in the plane of p1, p2 and the apex. */
static void slide_to_plane(const fb_wrap *wrap, const double *p1, const double *p2, bool far_side,
                           double *r1, double *r2) {
    double d1 = fb_length2(p1[0], p1[1]), d2 = fb_length2(p2[0], p2[1]);
    double t = d1 / (d1 + d2), middle[3], foot[3], u[3], v[3], n[3], apex[3], other[3], moved[3];
    for (int i = 0; i < 3; i++) {
        middle[i] = p1[i] + t * (p2[i] - p1[i]);
    }
    fb_v3_set(foot, 0, 0, middle[2]);
    fb_v3_sub(u, p1, foot);
    fb_v3_sub(v, p2, foot);
    fb_v3_cross(n, u, v);
    if (fb_v3_normalize(n) == 0) {
        return;
    }
    double ex = -n[1], ey = n[0], size = fb_length2(ex, ey); /* z cross n */
    if (size == 0) {
        return;
    }
    double radius = wrap->size[0];
    fb_v3_set(apex, radius * ex, radius * ey, foot[2]);
    fb_v3_set(other, -radius * ex, -radius * ey, foot[2]);
    bool nearer = fb_v3_distance(apex, middle) < fb_v3_distance(other, middle);
    if (nearer == far_side) {
        fb_v3_copy(apex, other);
    }
    double z1 = p1[2], z2 = p2[2];
    if (fabs(z2) < NO_HEIGHT) { /* OpenSim takes p2's foot for the axis's direction */
        return;
    }
    if (slide(r1, p1, p2, apex, moved) && fabs(moved[2] - z2) < fabs(z1 - z2)) {
        r1[2] = moved[2];
    }
    if (slide(r2, p1, p2, apex, moved) && fabs(moved[2] - z1) < fabs(z2 - z1)) {
        r2[2] = moved[2];
    }
}

/* The angle from r1 to r2 about z, the short way or the long one, with its sign. OpenSim's long way
 * goes round once more if the short one is clockwise. */
static double sweep(const double *r1, const double *r2, bool long_way, bool exact) {
    double angle = atan2(r1[0] * r2[1] - r1[1] * r2[0], r1[0] * r2[0] + r1[1] * r2[1]);
    if (long_way) {
        angle = angle > 0 || !exact ? angle - 2 * M_PI : angle + 2 * M_PI;
    }
    return angle;
}

/* A point of the spiral from r1 to r2, at a fraction of its length. */
static void spiral(double *p, const double *r1, const double *r2, double angle, double fraction) {
    double c = cos(fraction * angle), s = sin(fraction * angle);
    fb_v3_set(p, c * r1[0] - s * r1[1], s * r1[0] + c * r1[1], r1[2] + fraction * (r2[2] - r1[2]));
}

/* Moves a tangent point along its generator towards where the path is smooth; false if it is. */
static bool refine_end(const double *p, double *r, const double *w) {
    double in[3], out[3];
    fb_v3_sub(in, r, p);
    fb_v3_sub(out, w, r);
    double n_in = fb_v3_norm(in), n_out = fb_v3_norm(out);
    if (n_in == 0 || n_out == 0) {
        return false;
    }
    double a = acos(fmax(-1, fmin(1, in[2] / n_in))), b = acos(fmax(-1, fmin(1, out[2] / n_out)));
    if (fabs(a - b) <= REFINE_ANGLE) {
        return false;
    }
    /* where the line from p to w passes the generator through r, seen along the generator */
    double dx = w[0] - p[0], dy = w[1] - p[1], square = dx * dx + dy * dy;
    double t = square > 0 ? ((r[0] - p[0]) * dx + (r[1] - p[1]) * dy) / square : 0;
    r[2] += 1.5 * (p[2] + t * (w[2] - p[2]) - r[2]);
    return true;
}

static void refine(const double *p1, const double *p2, double *r1, double *r2, double radius,
                   bool long_way) {
    double angle = sweep(r1, r2, long_way, false);
    for (int i = 0; i < REFINE_STEPS; i++) {
        double dz = r2[2] - r1[2], length = sqrt(radius * radius * angle * angle + dz * dz), w1[3],
               w2[3];
        double n = floor(length / REFINE_LENGTH);
        if (n < 2) { /* too short to be refined */
            break;
        }
        spiral(w1, r1, r2, angle, 1 / n);
        bool first = refine_end(p1, r1, w1);
        double end2[3] = {r2[0], r2[1], r1[2] + dz}; /* the spiral has moved with its start */
        spiral(w2, r1, end2, angle, 1 - 1 / n);
        bool second = refine_end(p2, r2, w2);
        if (!first && !second) {
            break;
        }
    }
}

/* The heights on the geodesic: on the unrolled surface the whole path is one straight line. */
static void unroll(const double *p1, const double *p2, double *r1, double *r2, double arc) {
    double e1 = fb_length2(r1[0] - p1[0], r1[1] - p1[1]),
           e2 = fb_length2(r2[0] - p2[0], r2[1] - p2[1]);
    double total = e1 + arc + e2;
    if (total <= 0) {
        return;
    }
    r1[2] = p1[2] + (p2[2] - p1[2]) * e1 / total;
    r2[2] = p1[2] + (p2[2] - p1[2]) * (e1 + arc) / total;
}

fb_wrap_outcome fb_wrap_cylinder(const fb_wrap *wrap, fb_wrap_mode mode, const double *p1,
                                 const double *p2, fb_wrap_path *path) {
    double radius = wrap->size[0];
    if (radial_dot(p1, p1) < radius * radius || radial_dot(p2, p2) < radius * radius) {
        return FB_WRAP_INSIDE;
    }
    double dx = p2[0] - p1[0], dy = p2[1] - p1[1], square = dx * dx + dy * dy;
    double t = square > 0 ? -(p1[0] * dx + p1[1] * dy) / square : 0;
    double closest[3] = {p1[0] + t * dx, p1[1] + t * dy, p1[2] + t * (p2[2] - p1[2])};
    bool hit = radial_dot(closest, closest) < radius * radius && t > 0 && t < 1;
    fb_wrap_outcome outcome = FB_WRAP_WRAPPED;
    if (wrap->axis < 0) {
        if (!hit) {
            return FB_WRAP_NONE;
        }
        outcome = FB_WRAP_MANDATORY;
    } else {
        bool one = fb_wrap_allowed(wrap, p1), two = fb_wrap_allowed(wrap, p2);
        if (one || two) {
            if (hit) {
                outcome = FB_WRAP_MANDATORY;
            } else if (one == two || fb_wrap_allowed(wrap, closest)) {
                return FB_WRAP_NONE;
            }
        }
    }
    double r1a[3], r1b[3], r2a[3], r2b[3], r1[3], r2[3];
    bool far_side = false, long_way = false;
    tangents(radius, p1, r1a, r1b);
    tangents(radius, p2, r2a, r2b);
    if (wrap->axis < 0) {
        const double *first[4] = {r1a, r1a, r1b, r1b}, *second[4] = {r2a, r2b, r2a, r2b};
        int best = 0;
        for (int i = 1; i < 4; i++) {
            if (radial_dot(first[i], second[i]) > radial_dot(first[best], second[best])) {
                best = i;
            }
        }
        fb_v3_copy(r1, first[best]);
        fb_v3_copy(r2, second[best]);
    } else {
        choose_constrained(wrap, r1a, r1b, r2a, r2b, r1, r2, &far_side);
        double sx = r1[0] + r2[0], sy = r1[1] + r2[1];
        long_way = sx * (r1[0] - p1[0] + r2[0] - p2[0]) + sy * (r1[1] - p1[1] + r2[1] - p2[1]) < 0;
    }
    double angle = sweep(r1, r2, long_way, mode == FB_WRAP_GEODESIC);
    if (mode == FB_WRAP_GEODESIC) {
        unroll(p1, p2, r1, r2, radius * fabs(angle));
    } else {
        slide_to_plane(wrap, p1, p2, far_side, r1, r2);
    }
    if (fabs(r1[2]) > wrap->size[1] / 2 && fabs(r2[2]) > wrap->size[1] / 2) {
        return FB_WRAP_NONE;
    }
    if (mode == FB_WRAP_OPENSIM_SEVERAL) {
        refine(p1, p2, r1, r2, radius, long_way);
    }
    double dz = r2[2] - r1[2];
    fb_v3_copy(path->r1, r1);
    fb_v3_copy(path->r2, r2);
    path->length = sqrt(radius * radius * angle * angle + dz * dz);
    return outcome;
}
