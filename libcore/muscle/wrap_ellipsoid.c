/* Ellipsoids: the path is a plane section; which plane, is a choice between an axial and a fan
 * rule. The tangent points in that plane are in closed form: the polar of a point cuts a conic
 * where its tangents touch. */
#include <math.h>

#include "libcore/muscle/wrap_shapes.h"

#define INSIDE (-1e-4) /* value of the quadric, scaled, under which a point is inside */
#define COLLINEAR 1e-4
#define MU_FAN 0.7073 /* the largest direction cosine up to which the fan rule holds alone */
#define MU_AXIAL 0.9  /* and from which the axial one does */
#define FADE 0.3      /* the axial rule fades out within this fraction of the chord's ends */
#define SEGMENT 0.001 /* m, OpenSim's chords along the surface */
#define MOST_SEGMENTS 499
#define NO_COORDINATE 2e-12
#define CONVERGED 1e-8     /* a step that small, and the next one would not count */
#define FAN_CONVERGED 1e-6 /* their mean needs less */
#define FAN 16             /* points of the exact fan */
#define TOUCHING 1e-7      /* rad: an arc so short is one point */

/* The nearest point of an ellipsoid to p, using only the coordinates in `mask`; the others are 0.
 * With the secular equation sum (a p / (t + a^2))^2 = 1 (J. Hart, Graphics Gems IV, 1994); Newton
 * on 1 - 1 / square root of that sum, which is nearly straight, rises and bends down, so that the
 * way from the left leads to the root without passing it (J. More, D. Sorensen, SIAM J. Sci. Stat.
 * Comput. 4, 1983). */
static void nearest(const double *a, const double *p, int mask, double *c) {
    double low = -1e300, t;
    int left = 0;
    for (int i = 0; i < 3; i++) {
        c[i] = 0;
        if (!(mask & 1 << i) || fabs(p[i]) < NO_COORDINATE) {
            continue;
        }
        left |= 1 << i;
        low = fb_greater(low, fabs(a[i] * p[i]) - a[i] * a[i]); /* there the i-th term alone is 1 */
    }
    if (!left) { /* the centre: the shortest axis */
        int k = -1;
        for (int i = 0; i < 3; i++) {
            if (mask & 1 << i && (k < 0 || a[i] < a[k])) {
                k = i;
            }
        }
        c[k] = a[k];
        return;
    }
    t = low;
    for (int n = 0; n < 100; n++) {
        double sum = 0, slope = 0, least = 1e300;
        for (int i = 0; i < 3; i++) {
            if (left & 1 << i) {
                double s = t + a[i] * a[i], term = a[i] * p[i] / s;
                sum += term * term;
                slope += term * term / s;
                least = fb_lesser(least, s);
            }
        }
        double step = sum * (sqrt(sum) - 1) / slope;
        t += step;
        if (step <= CONVERGED * least) { /* what is left is its square */
            break;
        }
    }
    for (int i = 0; i < 3; i++) {
        if (left & 1 << i) {
            c[i] = a[i] * a[i] * p[i] / (t + a[i] * a[i]);
        }
    }
}

/* Where the segment enters and leaves; false unless both are between the points. */
static bool cross(const double *a, const double *p1, const double *p2, double *r1, double *r2) {
    double A = 0, B = 0, C = -1;
    for (int i = 0; i < 3; i++) {
        double d = (p2[i] - p1[i]) / a[i], p = p1[i] / a[i];
        A += d * d;
        B += d * p;
        C += p * p;
    }
    double discriminant = B * B - A * C;
    if (A == 0 || discriminant < 0) {
        return false;
    }
    double root = sqrt(discriminant), t1 = (-B - root) / A, t2 = (-B + root) / A;
    if (!(t1 > 0 && t1 < 1 && t2 > 0 && t2 < 1)) {
        return false;
    }
    for (int i = 0; i < 3; i++) {
        r1[i] = p1[i] + t1 * (p2[i] - p1[i]);
        r2[i] = p1[i] + t2 * (p2[i] - p1[i]);
    }
    return true;
}

/* Gauss-Legendre quadrature of eight points on -1 .. 1. */
static const double gauss[8][2] = {
    {-.9602898564975363, .1012285362903763}, {-.7966664774136267, .2223810344533745},
    {-.5255324099163290, .3137066458778873}, {-.1834346424956498, .3626837833783620},
    {.1834346424956498, .3626837833783620},  {.5255324099163290, .3137066458778873},
    {.7966664774136267, .2223810344533745},  {.9602898564975363, .1012285362903763}};

/* The nearest point, or that of the section where coordinate `plane` is 0 (-1: anywhere). */
static void nearest_as(bool exact, const double *a, const double *p, int plane, double *c) {
    if (exact) {
        nearest(a, p, plane < 0 ? 7 : 7 & ~(1 << plane), c);
    } else {
        fb_v3_copy(c, p);
        fb_wrap_opensim_nearest(a, p, plane, c);
    }
}

/* Adds the direction to the surface from a point inside, with a weight. */
static void add_direction(const double *a, const double *p, double weight, double *sum) {
    double s[3];
    nearest(a, p, 7, s);
    fb_v3_sub(s, s, p);
    fb_v3_normalize(s);
    fb_v3_madd(sum, weight, s);
}

/* `nearest` for all points of the fan at once, none of whose coordinates is 0: t of each. */
static void nearest_fan(const double *a, double p[3][FAN], double *t) {
    double w[3][FAN], square[3] = {a[0] * a[0], a[1] * a[1], a[2] * a[2]}, most = 1;
    for (int i = 0; i < FAN; i++) {
        for (int k = 0; k < 3; k++) {
            w[k][i] = fabs(a[k] * p[k][i]);
        }
        t[i] = fb_greater(fb_greater(w[0][i] - square[0], w[1][i] - square[1]),
                          w[2][i] - square[2]);
    }
    for (int n = 0; n < 100 && most > FAN_CONVERGED; n++) {
        double relative[FAN];
        for (int i = 0; i < FAN; i++) {
            double a0 = t[i] + square[0], a1 = t[i] + square[1], a2 = t[i] + square[2];
            double all = 1 / (a0 * a1 * a2); /* one division for three: they cost most */
            double s0 = all * a1 * a2, s1 = all * a0 * a2, s2 = all * a0 * a1;
            double x = w[0][i] * s0, y = w[1][i] * s1, z = w[2][i] * s2;
            double sum = x * x + y * y + z * z, slope = x * x * s0 + y * y * s1 + z * z * s2;
            double step = sum * (sqrt(sum) - 1) / slope, s = s0 > s1 ? s0 : s1;
            t[i] += step;
            relative[i] = step * (s > s2 ? s : s2);
        }
        most = 0;
        for (int i = 0; i < FAN; i++) {
            most = relative[i] > most ? relative[i] : most;
        }
    }
}

/* The mean of the directions from the chord to the surface: an integral along the chord. Where the
 * chord passes the plane across the shortest axis the nearest point may jump to the other side;
 * there the integral is parted. */
static void mean_direction(const double *a, const double *r1, const double *r2, double *sum) {
    double p[3][FAN], t[FAN], weight[FAN];
    bool zero = false;
    int k = fb_v3_least(a);
    double part = r1[k] != r2[k] ? r1[k] / (r1[k] - r2[k]) : 0.5;
    part = part > 0 && part < 1 ? part : 0.5;
    for (int i = 0; i < FAN; i++) {
        double begin = i < FAN / 2 ? 0 : part, width = i < FAN / 2 ? part : 1 - part;
        double at = begin + width * (0.5 + gauss[i % 8][0] / 2);
        weight[i] = width * gauss[i % 8][1];
        for (int j = 0; j < 3; j++) {
            p[j][i] = r1[j] + at * (r2[j] - r1[j]);
            zero |= fabs(p[j][i]) < NO_COORDINATE;
        }
    }
    for (int i = 0; zero && i < FAN; i++) { /* one by one */
        add_direction(a, (double[3]){p[0][i], p[1][i], p[2][i]}, weight[i], sum);
    }
    if (zero) {
        return;
    }
    nearest_fan(a, p, t);
    for (int i = 0; i < FAN; i++) {
        double d[3];
        for (int j = 0; j < 3; j++) { /* a^2 p / (t + a^2) - p */
            d[j] = t[i] * p[j][i] / (t[i] + a[j] * a[j]);
        }
        double length = fb_v3_norm(d);
        fb_v3_madd(sum, length > 0 ? -weight[i] / length : 0, d);
    }
}

/* The mean direction from the chord to the surface leads to the fan rule's point. OpenSim takes the
 * mean of 298 samples; exact, it is an integral. */
static void fan_point(const double *a, const double *r1, const double *r2, bool exact, double *c) {
    double sum[3] = {0, 0, 0}, tip[3];
    if (exact) {
        mean_direction(a, r1, r2, sum);
    } else {
        fb_wrap_opensim_fan(a, r1, r2, sum);
    }
    fb_v3_normalize(sum);
    for (int k = 0; k < 3; k++) {
        tip[k] = (r1[k] + r2[k]) / 2 + sum[k];
    }
    nearest_as(exact, a, tip, -1, c);
}

/* True if OpenSim looks for the tangent points from the plane's point; else, by the axial rule and
 * with 0 of that axis beyond the chord, from the chord's ends. */
static bool starts_from_point(fb_wrap_method method, const double *p1, const double *p2,
                              const double *r1, const double *r2) {
    double direction[3];
    fb_v3_sub(direction, p1, p2);
    int best = fb_v3_most(direction);
    double t = r1[best] / (r1[best] - r2[best]);
    return method != FB_WRAP_AXIAL || (t > 0 && t < 1);
}

/* The surface point that with p1 and p2 gives the plane of the path. `fan`: the weight of the fan
 * rule. */
static void plane_point(const double *a, fb_wrap_method method, bool exact, const double *p1,
                        const double *p2, const double *r1, const double *r2, double *c,
                        double *fan) {
    double direction[3], middle[3], sv[3], axial[3];
    *fan = 1;
    for (int k = 0; k < 3; k++) {
        middle[k] = (r1[k] + r2[k]) / 2;
    }
    if (method == FB_WRAP_MIDPOINT) {
        nearest_as(exact, a, middle, -1, c);
        *fan = exact ? 1 : 0;
        return;
    }
    fb_v3_sub(direction, p1, p2);
    fb_v3_normalize(direction);
    int best = fb_v3_most(direction);
    double mu = fabs(direction[best]), span = r1[best] - r2[best],
           t = span != 0 ? r1[best] / span : 0.5;
    for (int k = 0; k < 3; k++) {
        sv[k] = r1[k] + t * (r2[k] - r1[k]);
    }
    nearest_as(exact, a, sv, best, axial);
    if (method == FB_WRAP_AXIAL) {
        *fan = 0;
        fb_v3_copy(c, axial);
        return;
    }
    if (mu > MU_FAN) {
        double s = t < 0 || t > 1 ? 0 : t < FADE ? t / FADE : t > 1 - FADE ? (1 - t) / FADE : 1;
        mu = MU_FAN + (mu - MU_FAN) * s;
    }
    if (mu >= MU_AXIAL) {
        *fan = 0;
        fb_v3_copy(c, axial);
        return;
    }
    fan_point(a, r1, r2, exact, c);
    if (mu > MU_FAN) {
        double tau = (mu - MU_FAN) / (MU_AXIAL - MU_FAN), blend[3];
        for (int k = 0; k < 3; k++) {
            blend[k] = tau * axial[k] + (1 - tau) * c[k];
        }
        nearest_as(exact, a, blend, -1, c);
        *fan = 1 - tau;
    }
}

/* Where a line from p in the plane n.x = d touches the ellipsoid, on the side that `side` points
 * to; false if it does not. */
static bool tangent(const double *a, const double *p, const double *n, double d, const double *side,
                    double *r) {
    double g[3], line[3], base[3], gg, gn, nn;
    for (int k = 0; k < 3; k++) {
        g[k] = p[k] / (a[k] * a[k]); /* polar plane: g.x = 1 */
    }
    fb_v3_cross(line, n, g);
    gg = fb_v3_dot(g, g);
    gn = fb_v3_dot(g, n);
    nn = fb_v3_dot(n, n);
    double det = gg * nn - gn * gn;
    if (!(det > 0)) {
        return false;
    }
    double x = (nn - gn * d) / det, y = (gg * d - gn) / det;
    for (int k = 0; k < 3; k++) {
        base[k] = x * g[k] + y * n[k];
    }
    double A = 0, B = 0, C = -1;
    for (int k = 0; k < 3; k++) {
        double u = line[k] / a[k], v = base[k] / a[k];
        A += u * u;
        B += u * v;
        C += v * v;
    }
    double discriminant = B * B - A * C;
    if (!(discriminant >= 0) || A == 0) {
        return false;
    }
    double root = sqrt(discriminant), t1 = (-B + root) / A, t2 = (-B - root) / A;
    double t = fb_v3_dot(line, side) > 0 ? t1 : t2; /* the root that lies further on that side */
    for (int k = 0; k < 3; k++) {
        r[k] = base[k] + t * line[k];
    }
    return true;
}

/* A point of the section in the direction v from a point `from` inside it. */
static void section_point(const double *a, const double *from, const double *v, double *r) {
    double A = 0, B = 0, C = -1;
    for (int k = 0; k < 3; k++) {
        double u = v[k] / a[k], w = from[k] / a[k];
        A += u * u;
        B += u * w;
        C += w * w;
    }
    double t = (-B + sqrt(fb_greater(0, B * B - A * C))) / A;
    for (int k = 0; k < 3; k++) {
        r[k] = from[k] + t * v[k];
    }
}

/* The length of the section's arc from r1 to r2 as OpenSim sums it: chords at equal angles about
 * the point where the plane meets the coordinate axis most normal to it. Scaled units; `factor`
 * gives metres. */
static double arc_length(const double *a, const double *r1, const double *r2, const double *p1,
                         const double *p2, const double *n, double d, double factor,
                         bool constrained) {
    double chord = fb_v3_distance(r1, r2);
    if (chord / factor < SEGMENT) {
        return chord;
    }
    int k = fb_v3_most(n);
    double from[3] = {0, 0, 0}, u[3], v[3], axis[3], norm = fb_v3_norm(n);
    from[k] = d / n[k];
    fb_v3_sub(u, r1, from);
    fb_v3_sub(v, r2, from);
    fb_v3_normalize(u);
    fb_v3_normalize(v);
    fb_v3_cross(axis, u, v);
    double s = fb_v3_normalize(axis), angle = atan2(s, fb_v3_dot(u, v));
    if (s == 0) {
        fb_v3_scale(axis, 1 / norm, n);
    }
    int segments = (int)floor(chord / factor / SEGMENT);
    segments = segments < 1 ? 1 : segments > MOST_SEGMENTS ? MOST_SEGMENTS : segments;
    for (int way = 0;; way++) {
        double length = 0, last[3], next[3], R[9], back1 = 0, back2 = 0;
        fb_v3_copy(last, r1);
        for (int i = 1; i <= segments; i++) {
            double direction[3];
            if (i == segments) {
                fb_v3_copy(next, r2);
            } else {
                fb_m3_rotation(R, axis, angle * i / segments);
                fb_m3_mul_v3(direction, R, u);
                section_point(a, from, direction, next);
            }
            double step[3], to1[3], to2[3];
            fb_v3_sub(step, next, last);
            fb_v3_sub(to1, p1, r1);
            fb_v3_sub(to2, r2, p2);
            if (i == 1) {
                back1 = fb_v3_dot(step, to1);
            }
            if (i == segments) {
                back2 = fb_v3_dot(step, to2);
            }
            length += fb_v3_norm(step);
            fb_v3_copy(last, next);
        }
        if (!constrained || way == 1 || segments < 2 || (back1 <= 0 && back2 <= 0)) {
            return length;
        }
        angle -= 2 * M_PI; /* it turns back: the long way round */
    }
}

/* The exact length of the section's arc from r1 to r2, on the side of the line on which both are.
 * Divided by the semi-axes the section is a circle about d m, and the arc an integral over its
 * angle. `side`: from the line from p1 to p2 to the arc, in the plane. */
static double section_length(const double *a, const double *r1, const double *r2, const double *p1,
                             const double *p2, const double *n, double d, const double *side) {
    double m[3], f1[3], f2[3], y2[3], norm, line[3], turn[3];
    for (int k = 0; k < 3; k++) {
        m[k] = a[k] * n[k];
    }
    norm = fb_v3_normalize(m);
    for (int k = 0; k < 3; k++) {
        f1[k] = r1[k] / a[k] - d / norm * m[k];
        y2[k] = r2[k] / a[k] - d / norm * m[k];
    }
    double radius = fb_v3_normalize(f1);
    fb_v3_cross(f2, m, f1);
    double angle = atan2(fb_v3_dot(f2, y2), fb_v3_dot(f1, y2));
    /* from above the line, over and down: about side x line; scaling keeps the sense */
    fb_v3_sub(line, p2, p1);
    fb_v3_cross(turn, side, line);
    if (fb_v3_dot(turn, n) < 0) {
        angle = angle > TOUCHING ? angle - 2 * M_PI : angle;
    } else {
        angle = angle < -TOUCHING ? angle + 2 * M_PI : angle;
    }
    int panels = 1 + (int)(fabs(angle) / 0.8);
    double length = 0, offset[4][2]; /* sine and cosine from a panel's middle to its points */
    for (int i = 0; i < 4; i++) {
        double from_middle = angle * gauss[4 + i][0] / (2 * panels);
        offset[i][0] = sin(from_middle);
        offset[i][1] = cos(from_middle);
    }
    for (int i = 0; i < panels; i++) {
        double middle = angle * (i + 0.5) / panels, s0 = sin(middle), c0 = cos(middle);
        for (int j = 0; j < 8; j++) {
            const double *o = offset[j < 4 ? 3 - j : j - 4];
            double so = j < 4 ? -o[0] : o[0], s = s0 * o[1] + c0 * so, c = c0 * o[1] - s0 * so,
                   dx[3];
            for (int k = 0; k < 3; k++) {
                dx[k] = a[k] * (c * f2[k] - s * f1[k]);
            }
            length += gauss[j][1] * fb_v3_norm(dx);
        }
    }
    return length * radius * fabs(angle) / (2 * panels);
}

/* If the middle of the section is on the side of the way, the way on the other side may be shorter:
 * then `side`, r1 and r2 become that one's. Without a quadrant nothing holds a path there. */
static void take_shorter_side(const double *a, const double *p1, const double *p2, const double *n,
                              double d, double *side, double *r1, double *r2) {
    double to_middle[3], square = 0, s1[3], s2[3], other[3];
    for (int k = 0; k < 3; k++) {
        square += a[k] * a[k] * n[k] * n[k];
    }
    for (int k = 0; k < 3; k++) {
        to_middle[k] = d * a[k] * a[k] * n[k] / square - p1[k];
        other[k] = -side[k];
    }
    if (fb_v3_dot(to_middle, side) <= 0 || !tangent(a, p1, n, d, other, s1) ||
        !tangent(a, p2, n, d, other, s2)) {
        return;
    }
    double here = fb_v3_distance(p1, r1) + section_length(a, r1, r2, p1, p2, n, d, side) +
                  fb_v3_distance(r2, p2);
    double there = fb_v3_distance(p1, s1) + section_length(a, s1, s2, p1, p2, n, d, other) +
                   fb_v3_distance(s2, p2);
    if (there < here) {
        fb_v3_copy(side, other);
        fb_v3_copy(r1, s1);
        fb_v3_copy(r2, s2);
    }
}

fb_wrap_outcome fb_wrap_ellipsoid(const fb_wrap *wrap, fb_wrap_method method, fb_wrap_mode mode,
                                  const double *point1, const double *point2, fb_wrap_path *path) {
    bool exact = mode == FB_WRAP_GEODESIC;
    double factor = 3 / (wrap->size[0] + wrap->size[1] + wrap->size[2]);
    double a[3], p1[3], p2[3], r1[3], r2[3], c[3], fan, n[3], u[3], v[3], side[3], along[3];
    double value1 = -1, value2 = -1;
    for (int k = 0; k < 3; k++) {
        a[k] = factor * wrap->size[k];
        p1[k] = factor * point1[k];
        p2[k] = factor * point2[k];
        value1 += p1[k] * p1[k] / (a[k] * a[k]);
        value2 += p2[k] * p2[k] / (a[k] * a[k]);
    }
    if (value1 < INSIDE || value2 < INSIDE) {
        return FB_WRAP_INSIDE;
    }
    double sizes = fb_v3_norm(p1) * fb_v3_norm(p2);
    if (sizes == 0 || fabs(fb_v3_dot(p1, p2) / sizes - 1) < COLLINEAR ||
        !cross(a, p1, p2, r1, r2)) {
        return FB_WRAP_NONE;
    }
    plane_point(a, method, exact, p1, p2, r1, r2, c, &fan);
    if (!exact && starts_from_point(method, p1, p2, r1, r2)) {
        fb_v3_copy(r1, c);
        fb_v3_copy(r2, c);
    }
    if (wrap->axis >= 0 && fb_wrap_sign(c[wrap->axis]) != wrap->sign) {
        c[wrap->axis] = -c[wrap->axis];
        fb_v3_copy(r1, c);
        fb_v3_copy(r2, c);
        c[wrap->axis] *= 1 - fan;
        double moved[3];
        fb_v3_copy(moved, c);
        nearest_as(exact, a, moved, -1, c);
    }
    fb_v3_sub(u, p2, p1);
    fb_v3_sub(v, c, p1);
    fb_v3_cross(n, u, v);
    if (fb_v3_normalize(n) == 0) {
        return FB_WRAP_NONE;
    }
    double d = fb_v3_dot(n, p1);
    fb_v3_copy(along, u);
    fb_v3_normalize(along);
    for (int k = 0; k < 3; k++) { /* from the line to c, in the plane */
        side[k] = v[k] - fb_v3_dot(v, along) * along[k];
    }
    if (!exact) {
        fb_wrap_opensim_tangent(a, p1, value1, n, d, r1);
        fb_wrap_opensim_tangent(a, p2, value2, n, d, r2);
    } else if (!tangent(a, p1, n, d, side, r1) || !tangent(a, p2, n, d, side, r2)) {
        return FB_WRAP_NONE;
    }
    if (exact && wrap->axis < 0) {
        take_shorter_side(a, p1, p2, n, d, side, r1, r2);
    }
    path->length = (exact ? section_length(a, r1, r2, p1, p2, n, d, side)
                          : arc_length(a, r1, r2, p1, p2, n, d, factor, wrap->axis >= 0)) /
                   factor;
    fb_v3_scale(path->r1, 1 / factor, r1);
    fb_v3_scale(path->r2, 1 / factor, r2);
    return FB_WRAP_MANDATORY;
}
