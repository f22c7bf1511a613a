/* Tori about z: at the place of the ring that is nearest to the line, the tube is taken for a
 * cylinder. That says which way the path goes; where it touches, is then solved on the torus. */
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

/* ---- the geodesic --------------------------------------------------------------------------- */

#define STEP_ANGLE 0.12 /* rad of the tube, of an integration step */
#define MOST_STEPS 200
#define NEWTON_STEPS 30
#define CLOSED 1e-12  /* m: the line of the path's end passes p2 as near as that */
#define HOMOTOPY 0.02 /* the smallest part of the way to p2 that is tried */

/* A path from p1 that touches the torus at the ring angle theta, follows the geodesic for a length
 * s and leaves it along its tangent. */
typedef struct shot {
    double theta, s;
    double r1[3], r2[3];
    double tangent[3], normal[3]; /* at r2 */
} shot;

typedef struct torus {
    double tube, ring;
    double p1[3];
    double branch; /* of the two places of a meridian where a plane through p1 touches */
} torus;

static void tube_frame(double theta, double phi, double *normal, double *along, double *across) {
    double c = cos(theta), s = sin(theta), d = cos(phi), e = sin(phi);
    fb_v3_set(normal, d * c, d * s, e);
    fb_v3_set(along, -s, c, 0);
    fb_v3_set(across, -e * c, -e * s, d);
}

static void surface_point(const torus *t, double theta, const double *normal, double *p) {
    fb_v3_set(p, t->ring * cos(theta), t->ring * sin(theta), 0);
    fb_v3_madd(p, t->tube, normal);
}

/* Where planes through p1 touch on the meridian theta: n.p1 = ring cos phi + tube. False if p1,
 * seen along the ring, is inside the tube. */
static bool touch_angle(const torus *t, double theta, double *phi) {
    double x = t->p1[0] * cos(theta) + t->p1[1] * sin(theta) - t->ring, z = t->p1[2];
    double distance = hypot(x, z);
    *phi = atan2(z, x) + t->branch * acos(distance > t->tube ? t->tube / distance : 1);
    return distance > t->tube;
}

/* Rates of phi and of its rate by length: A. Clairaut's w^2 theta' is constant, w being the
 * distance from the axis. */
static void geodesic_rates(const torus *t, double clairaut, const double *y, double *rate) {
    double w = t->ring + t->tube * cos(y[0]), by_w = clairaut / w;
    rate[0] = y[1];
    rate[1] = -sin(y[0]) * by_w * by_w / (t->tube * w);
    rate[2] = by_w / w;
}

static bool shoot(const torus *t, double theta, double s, shot *out) {
    double phi, n[3], along[3], across[3], d[3];
    if (!touch_angle(t, theta, &phi)) {
        return false;
    }
    out->theta = theta;
    out->s = s;
    tube_frame(theta, phi, n, along, across);
    surface_point(t, theta, n, out->r1);
    fb_v3_sub(d, out->r1, t->p1);
    fb_v3_normalize(d);
    double clairaut = (t->ring + t->tube * cos(phi)) * fb_v3_dot(d, along);
    double y[3] = {phi, fb_v3_dot(d, across) / t->tube, theta};
    int steps = 1 + (int)fmin(fabs(s) / t->tube / STEP_ANGLE, MOST_STEPS);
    double h = s / steps;
    for (int i = 0; i < steps; i++) { /* the classical Runge-Kutta method */
        double k1[3], k2[3], k3[3], k4[3], x[3];
        geodesic_rates(t, clairaut, y, k1);
        for (int j = 0; j < 3; j++) {
            x[j] = y[j] + h / 2 * k1[j];
        }
        geodesic_rates(t, clairaut, x, k2);
        for (int j = 0; j < 3; j++) {
            x[j] = y[j] + h / 2 * k2[j];
        }
        geodesic_rates(t, clairaut, x, k3);
        for (int j = 0; j < 3; j++) {
            x[j] = y[j] + h * k3[j];
        }
        geodesic_rates(t, clairaut, x, k4);
        for (int j = 0; j < 3; j++) {
            y[j] += h / 6 * (k1[j] + 2 * k2[j] + 2 * k3[j] + k4[j]);
        }
    }
    tube_frame(y[2], y[0], out->normal, along, across);
    surface_point(t, y[2], out->normal, out->r2);
    fb_v3_scale(out->tangent, clairaut / (t->ring + t->tube * cos(y[0])), along);
    fb_v3_madd(out->tangent, t->tube * y[1], across);
    return true;
}

/* How far the tangent at the shot's end passes p2: along the normal, and across the path. */
static double miss(const shot *x, const double *p2, double *e) {
    double d[3], across[3];
    fb_v3_sub(d, p2, x->r2);
    fb_v3_cross(across, x->normal, x->tangent);
    e[0] = fb_v3_dot(d, x->normal);
    e[1] = fb_v3_dot(d, across);
    return hypot(e[0], e[1]);
}

/* Newton on theta and s, with halved steps. */
static bool solve_shot(const torus *t, const double *p2, shot *x) {
    double e[2], size = miss(x, p2, e);
    for (int i = 0; i < NEWTON_STEPS && size > CLOSED; i++) {
        const double dtheta = 1e-6, ds = 1e-6 * t->tube;
        shot a, b;
        double ea[2], eb[2];
        if (!shoot(t, x->theta + dtheta, x->s, &a) || !shoot(t, x->theta, x->s + ds, &b)) {
            return false;
        }
        miss(&a, p2, ea);
        miss(&b, p2, eb);
        double m[4] = {(ea[0] - e[0]) / dtheta, (eb[0] - e[0]) / ds, (ea[1] - e[1]) / dtheta,
                       (eb[1] - e[1]) / ds};
        double det = m[0] * m[3] - m[1] * m[2];
        if (det == 0) {
            return false;
        }
        double by_theta = -(m[3] * e[0] - m[1] * e[1]) / det,
               by_s = -(m[0] * e[1] - m[2] * e[0]) / det, part = 1;
        double long_step = fmax(fabs(by_theta) * t->ring, fabs(by_s)) / t->tube;
        part = long_step > 1 ? 1 / long_step : 1;
        for (;; part /= 2) {
            shot next;
            double en[2];
            if (shoot(t, x->theta + part * by_theta, x->s + part * by_s, &next)) {
                double now = miss(&next, p2, en);
                if (now < size) {
                    *x = next;
                    size = now;
                    e[0] = en[0];
                    e[1] = en[1];
                    break;
                }
            }
            if (part < 1e-4) {
                return size < 1e-10; /* as good as the numbers are */
            }
        }
    }
    return size < 1e-10;
}

/* From a first shot to the one that meets p2: at once, or by moving its aim there bit by bit. */
static bool solve_geodesic(const torus *t, const double *p2, shot *x) {
    shot last = *x, next = *x;
    double d[3], aim[3], start[3], done = 0, part = 1;
    fb_v3_sub(d, p2, x->r2);
    fb_v3_copy(start, x->r2);
    fb_v3_madd(start, fb_v3_norm(d), x->tangent); /* what the first shot meets */
    while (part > HOMOTOPY) {
        double to = fmin(1, done + part);
        for (int k = 0; k < 3; k++) {
            aim[k] = start[k] + to * (p2[k] - start[k]);
        }
        next = last;
        if (solve_shot(t, aim, &next)) {
            last = next;
            done = to;
            if (done == 1) {
                fb_v3_sub(d, p2, last.r2);
                *x = last;
                return last.s > -1e-9 && fb_v3_dot(d, last.tangent) > -1e-9;
            }
        } else {
            part /= 2;
        }
    }
    return false;
}

/* Puts the points of the tube's cylinder on the torus, as the geodesic between tangents. */
static bool onto_torus(const fb_wrap *wrap, const double *p1, const double *p2,
                       fb_wrap_path *path) {
    /* where to begin, rad; then the same on the tube's other side, and with hardly an arc */
    static const double around[] = {0, 0.3, -0.3, 0.8, -0.8, 1.5, -1.5};
    const int most = sizeof around / sizeof *around;
    torus t = {.tube = wrap->size[0], .ring = wrap->size[1], .p1 = {p1[0], p1[1], p1[2]}};
    double theta = atan2(path->r1[1], path->r1[0]);
    double phi = atan2(path->r1[2], hypot(path->r1[0], path->r1[1]) - t.ring), off[2];
    for (int side = 0; side < 2; side++) {
        double at;
        t.branch = side ? 1 : -1;
        touch_angle(&t, theta, &at);
        off[side] = fabs(remainder(at - phi, 2 * M_PI));
    }
    double branch = off[1] < off[0] ? 1 : -1;
    int tries = fb_wrap_torus_blocks(wrap, p1, p2) ? 4 * most : 1;
    for (int i = 0; i < tries; i++) {
        shot x;
        t.branch = i / most % 2 ? -branch : branch;
        double length = i / most < 2 ? path->length : 1e-3 * t.tube;
        if (shoot(&t, theta + around[i % most], length, &x) && solve_geodesic(&t, p2, &x)) {
            fb_v3_copy(path->r1, x.r1);
            fb_v3_copy(path->r2, x.r2);
            path->length = fmax(x.s, 0);
            return true;
        }
    }
    return false;
}

bool fb_wrap_torus_blocks(const fb_wrap *wrap, const double *p1, const double *p2) {
    double d[3];
    fb_v3_sub(d, p2, p1);
    for (int i = 0; i < 2; i++) {
        double distance, t = search(wrap->size[1], p1, d, i, &distance);
        if (t > 0 && t < 1 && distance < wrap->size[0] * wrap->size[0]) {
            return true;
        }
    }
    return false;
}

static bool is_inside(const fb_wrap *wrap, const double *p) {
    double rho = hypot(p[0], p[1]) - wrap->size[1];
    return hypot(rho, p[2]) < wrap->size[0];
}

/* True if the segment crosses the ring's plane inside it. */
static bool goes_through(const fb_wrap *wrap, const double *p1, const double *p2) {
    if ((p1[2] > 0) == (p2[2] > 0)) {
        return false;
    }
    double t = p1[2] / (p1[2] - p2[2]);
    return hypot(p1[0] + t * (p2[0] - p1[0]), p1[1] + t * (p2[1] - p1[1])) < wrap->size[1];
}

/* ---- the choice of the way ------------------------------------------------------------------- */

/* The place on the ring that is nearest to the line, on the side of the quadrant; false if there is
 * none. */
static bool nearest_of_ring(const fb_wrap *wrap, fb_wrap_mode mode, const double *p1,
                            const double *p2, double *c) {
    double ring = wrap->size[1], d[3], best = 0;
    bool found = false;
    fb_v3_sub(d, p2, p1);
    for (int i = 0; i < 2; i++) { /* from both ends */
        double distance, t = mode == FB_WRAP_GEODESIC ? search(ring, p1, d, i, &distance)
                                                      : place(ring, p1, p2, i, &distance);
        double x = p1[0] + t * d[0], y = p1[1] + t * d[1], rho = fb_length2(x, y);
        if (rho < 1e-12) {
            continue;
        }
        double on_line[3] = {x, y, p1[2] + t * d[2]};
        if (wrap->axis >= 0 && !fb_wrap_allowed(wrap, on_line)) {
            continue;
        }
        if (!found || distance < best) {
            found = true;
            best = distance;
            fb_v3_set(c, ring * x / rho, ring * y / rho, 0);
        }
    }
    return found;
}

/* The frame of the tube's cylinder at a place c of the ring: x to the torus's centre, z along the
 * ring. */
static void cylinder_frame(double ring, const double *c, fb_pose *frame) {
    double x[3] = {-c[0] / ring, -c[1] / ring, 0}, z[3] = {c[1] / ring, -c[0] / ring, 0}, y[3];
    fb_v3_cross(y, z, x);
    for (int k = 0; k < 3; k++) {
        frame->R[3 * k] = x[k];
        frame->R[3 * k + 1] = y[k];
        frame->R[3 * k + 2] = z[k];
        frame->p[k] = c[k];
    }
}

fb_wrap_outcome fb_wrap_torus(const fb_wrap *wrap, fb_wrap_mode mode, const double *p1,
                              const double *p2, fb_wrap_path *path) {
    double tube = wrap->size[0], c[3], q1[3], q2[3];
    if (mode == FB_WRAP_GEODESIC && goes_through(wrap, p1, p2) &&
        !fb_wrap_torus_blocks(wrap, p1, p2)) {
        return FB_WRAP_THROUGH;
    }
    if (fb_v3_distance(p1, p2) == 0 || !nearest_of_ring(wrap, mode, p1, p2, c)) {
        return FB_WRAP_NONE;
    }
    fb_pose frame, inverse;
    cylinder_frame(wrap->size[1], c, &frame);
    fb_pose_inverse(&inverse, &frame);
    fb_wrap cylinder = {
        .kind = FB_WRAP_CYLINDER, .size = {tube, 1000, 1000}, .axis = 0, .sign = 1, .active = true};
    fb_wrap_path on;
    fb_pose_point(q1, &inverse, p1);
    fb_pose_point(q2, &inverse, p2);
    fb_wrap_outcome outcome = fb_wrap_cylinder(&cylinder, mode, q1, q2, &on);
    if (mode == FB_WRAP_GEODESIC && outcome == FB_WRAP_INSIDE && !is_inside(wrap, p1) &&
        !is_inside(wrap, p2) && fb_wrap_torus_blocks(wrap, p1, p2)) {
        /* inside the cylinder only, which goes on straight: to begin with, the tube's inner side */
        outcome = FB_WRAP_WRAPPED;
        on.length = tube;
        fb_v3_set(on.r1, tube, 0, 0);
        fb_v3_set(on.r2, tube, 0, 0);
    }
    if (outcome != FB_WRAP_WRAPPED && outcome != FB_WRAP_MANDATORY) {
        return mode == FB_WRAP_GEODESIC ? outcome : FB_WRAP_VOID;
    }
    fb_pose_point(path->r1, &frame, on.r1);
    fb_pose_point(path->r2, &frame, on.r2);
    path->length = on.length;
    if (mode == FB_WRAP_GEODESIC && !onto_torus(wrap, p1, p2, path) &&
        !fb_wrap_torus_blocks(wrap, p1, p2)) {
        return FB_WRAP_NONE; /* it would slip off the tube */
    }
    return FB_WRAP_WRAPPED;
}
