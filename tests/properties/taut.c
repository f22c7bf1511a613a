#include "tests/properties/taut.h"

#include <math.h>

#define PI 3.14159265358979323846

/* ---- surfaces -----------------------------------------------------------------------------------
 */

/* From the centre, axis or ring to the point; its length is the distance. */
static void radial(const fb_wrap *wrap, const double *p, double *out) {
    fb_v3_copy(out, p);
    if (wrap->kind == FB_WRAP_CYLINDER) {
        out[2] = 0;
    } else if (wrap->kind == FB_WRAP_TORUS) {
        double rho = fmax(hypot(p[0], p[1]), 1e-12);
        out[0] -= wrap->size[1] * p[0] / rho;
        out[1] -= wrap->size[1] * p[1] / rho;
    }
}

static double quadric(const fb_wrap *wrap, const double *p, double *gradient) {
    double f = -1;
    for (int k = 0; k < 3; k++) {
        gradient[k] = 2 * p[k] / (wrap->size[k] * wrap->size[k]);
        f += p[k] * gradient[k] / 2;
    }
    return f;
}

double surface_depth(const fb_wrap *wrap, const double *p) {
    double out[3];
    if (wrap->kind != FB_WRAP_ELLIPSOID) {
        radial(wrap, p, out);
        return wrap->size[0] - fb_v3_norm(out);
    }
    double f = quadric(wrap, p, out), size = fb_v3_norm(out);
    return size > 0 ? -f / size : wrap->size[0];
}

void surface_normal(const fb_wrap *wrap, const double *p, double *normal) {
    if (wrap->kind == FB_WRAP_ELLIPSOID) {
        quadric(wrap, p, normal);
    } else {
        radial(wrap, p, normal);
    }
    fb_v3_normalize(normal);
}

void push_out(const fb_wrap *wrap, double *p) {
    double out[3];
    if (wrap->kind != FB_WRAP_ELLIPSOID) {
        radial(wrap, p, out);
        double d = fb_v3_norm(out);
        if (d < wrap->size[0] && d > 0) {
            fb_v3_madd(p, wrap->size[0] / d - 1, out);
        }
        return;
    }
    for (int i = 0; i < 8;
         i++) { /* along the gradient; where little is missing, that is the normal */
        double f = quadric(wrap, p, out), square = fb_v3_dot(out, out);
        if (f >= -1e-14 || square == 0) {
            return;
        }
        fb_v3_madd(p, -f / square, out);
    }
}

static double depth_at(const fb_wrap *wrap, const double *p1, const double *p2, double t) {
    double p[3];
    for (int k = 0; k < 3; k++) {
        p[k] = p1[k] + t * (p2[k] - p1[k]);
    }
    return surface_depth(wrap, p);
}

double deepest(const fb_wrap *wrap, const double *p1, const double *p2, double *at) {
    const int samples = 40;
    int best = 0;
    double most = -1e300;
    for (int i = 0; i <= samples; i++) {
        double d = depth_at(wrap, p1, p2, (double)i / samples);
        if (d > most) {
            most = d;
            best = i;
        }
    }
    double low = fmax(0, best - 1.0) / samples, high = fmin(samples, best + 1.0) / samples;
    for (int i = 0; i < 60; i++) {
        double a = low + (high - low) / 3, b = high - (high - low) / 3;
        if (depth_at(wrap, p1, p2, a) < depth_at(wrap, p1, p2, b)) {
            low = a;
        } else {
            high = b;
        }
    }
    *at = (low + high) / 2;
    return fmax(most, depth_at(wrap, p1, p2, *at));
}

/* ---- arcs ---------------------------------------------------------------------------------------
 */

/* The angle from x to y about an axis, in the sense in which `way` leaves x: 0 to 2 pi, signed. */
static double sweep(double xy_cross, double xy_dot, double way) {
    double angle = atan2(xy_cross, xy_dot);
    if (way > 0 && angle < -1e-9) {
        angle += 2 * PI;
    } else if (way < 0 && angle > 1e-9) {
        angle -= 2 * PI;
    }
    return angle;
}

/* On a circle about `center` in scaled space (sizes 1: as it is), from r1 along `way` to r2. */
static void circle_point(const double *size, const double *r1, const double *r2, const double *way,
                         double fraction, double *p) {
    double x1[3], x2[3], t[3], n[3], center[3], f1[3], f2[3], e[3];
    for (int k = 0; k < 3; k++) {
        x1[k] = r1[k] / size[k];
        x2[k] = r2[k] / size[k];
        t[k] = way[k] / size[k];
    }
    fb_v3_sub(e, x2, x1);
    fb_v3_cross(n, t, e); /* of the plane, if there is one: else that of the centre */
    if (fb_v3_norm(n) < 1e-9 * fb_v3_norm(t) * (fb_v3_norm(e) + 1e-9)) {
        fb_v3_cross(n, x1, t);
    }
    if (fb_v3_normalize(n) == 0) {
        fb_v3_copy(p, r1);
        return;
    }
    fb_v3_scale(center, fb_v3_dot(n, x1), n);
    fb_v3_sub(f1, x1, center);
    fb_v3_sub(e, x2, center);
    fb_v3_cross(f2, n, f1);
    double angle = fraction * sweep(fb_v3_dot(f2, e), fb_v3_dot(f1, e), fb_v3_dot(f2, t));
    for (int k = 0; k < 3; k++) {
        p[k] = size[k] * (center[k] + cos(angle) * f1[k] + sin(angle) * f2[k]);
    }
}

void arc_point(const fb_wrap *wrap, const double *r1, const double *r2, const double *way,
               double fraction, double *p) {
    static const double round[3] = {1, 1, 1};
    if (wrap->kind == FB_WRAP_SPHERE) {
        circle_point(round, r1, r2, way, fraction, p);
    } else if (wrap->kind == FB_WRAP_ELLIPSOID) {
        circle_point(wrap->size, r1, r2, way, fraction, p);
    } else if (wrap->kind == FB_WRAP_CYLINDER) {
        double angle = fraction * sweep(r1[0] * r2[1] - r1[1] * r2[0],
                                        r1[0] * r2[0] + r1[1] * r2[1],
                                        r1[0] * way[1] - r1[1] * way[0]);
        fb_v3_set(p, cos(angle) * r1[0] - sin(angle) * r1[1],
                  sin(angle) * r1[0] + cos(angle) * r1[1], r1[2] + fraction * (r2[2] - r1[2]));
    } else {
        double ring = wrap->size[1], tube = wrap->size[0], rho1 = hypot(r1[0], r1[1]),
               rho2 = hypot(r2[0], r2[1]);
        double turn = atan2(r1[0] * r2[1] - r1[1] * r2[0], r1[0] * r2[0] + r1[1] * r2[1]);
        double x1 = rho1 - ring, x2 = rho2 - ring, rise = (way[0] * r1[0] + way[1] * r1[1]) / rho1;
        double roll = sweep(x1 * r2[2] - r1[2] * x2, x1 * x2 + r1[2] * r2[2],
                            x1 * way[2] - r1[2] * rise);
        double theta = atan2(r1[1], r1[0]) + fraction * turn,
               phi = atan2(r1[2], x1) + fraction * roll;
        double rho = ring + tube * cos(phi);
        fb_v3_set(p, rho * cos(theta), rho * sin(theta), tube * sin(phi));
    }
}

/* ---- threads ------------------------------------------------------------------------------------
 */

#define SLIPPED 1e-5 /* m: deeper than a chord beside the first mass that touches */

enum { MOST_NODES = 900, ARC_NODES = 90, END_NODES = 12, MOST_SURFACES = 16 };

typedef struct thread {
    int n, n_surfaces;
    double x[MOST_NODES][3];
    double rest[MOST_NODES]; /* of the piece to the next node */
    bool fixed[MOST_NODES];
    int touch[MOST_NODES]; /* surface that the node was pushed out of, or -1 */
    int number[MOST_SURFACES];
    const fb_wrap *surface[MOST_SURFACES];
    fb_pose frame[MOST_SURFACES], inverse[MOST_SURFACES];
} thread;

static void add_node(thread *t, const double *x, bool fixed) {
    if (t->n < MOST_NODES) {
        fb_v3_copy(t->x[t->n], x);
        t->fixed[t->n] = fixed;
        t->touch[t->n++] = -1;
    }
}

static int surface_number(thread *t, const fb_paths *paths, const fb_path *path,
                          const fb_state *state, int k) {
    for (int i = 0; i < t->n_surfaces; i++) {
        if (t->number[i] == k) {
            return i;
        }
    }
    int i = t->n_surfaces < MOST_SURFACES ? t->n_surfaces++ : MOST_SURFACES - 1;
    const fb_wrap *wrap = &paths->wraps[path->wraps[k].wrap];
    t->number[i] = k;
    t->surface[i] = wrap;
    fb_pose_mul(&t->frame[i], &state->pose[wrap->body], &wrap->pose);
    fb_pose_inverse(&t->inverse[i], &t->frame[i]);
    return i;
}

/* A straight piece: more nodes near the ends that touch. */
static void add_straight(thread *t, const fb_course_point *a, const fb_course_point *b) {
    int n = a->source < 0 || b->source < 0 ? END_NODES : 1;
    for (int i = 1; i < n; i++) {
        double f = (double)i / n, p[3];
        f = a->source >= 0 ? 1 - pow(1 - f, 3) : b->source >= 0 ? pow(f, 3) : f * f * (3 - 2 * f);
        for (int k = 0; k < 3; k++) {
            p[k] = a->site[k] + f * (b->site[k] - a->site[k]);
        }
        add_node(t, p, false);
    }
}

static void add_arc(thread *t, int surface, const double *before, const double *r1,
                    const double *r2) {
    double a[3], b[3], c[3], way[3], p[3], q[3];
    fb_pose_point(a, &t->inverse[surface], before);
    fb_pose_point(b, &t->inverse[surface], r1);
    fb_pose_point(c, &t->inverse[surface], r2);
    fb_v3_sub(way, b, a);
    for (int i = 1; i < ARC_NODES; i++) {
        arc_point(t->surface[surface], b, c, way, (double)i / ARC_NODES, p);
        fb_pose_point(q, &t->frame[surface], p);
        add_node(t, q, false);
    }
}

/* Each node to where its neighbours draw it, and a little further, then out of the surfaces. */
static void sweep_nodes(thread *t, double over) {
    for (int i = 1; i + 1 < t->n; i++) {
        if (t->fixed[i]) {
            continue;
        }
        double before = 1 / t->rest[i - 1], after = 1 / t->rest[i];
        for (int k = 0; k < 3; k++) {
            double want = (before * t->x[i - 1][k] + after * t->x[i + 1][k]) / (before + after);
            t->x[i][k] += over * (want - t->x[i][k]);
        }
        t->touch[i] = -1;
        for (int s = 0; s < t->n_surfaces; s++) {
            double p[3];
            fb_pose_point(p, &t->inverse[s], t->x[i]);
            if (surface_depth(t->surface[s], p) > 0) {
                push_out(t->surface[s], p);
                fb_pose_point(t->x[i], &t->frame[s], p);
                t->touch[i] = s;
            }
        }
    }
}

/* The length; pieces over a surface are arcs that meet their chord at the angles that the surface
 * has to it. */
static double thread_length(const thread *t) {
    double sum = 0;
    for (int i = 0; i + 1 < t->n; i++) {
        double d[3], length = fb_v3_distance(t->x[i], t->x[i + 1]);
        if (t->touch[i] >= 0 && t->touch[i] == t->touch[i + 1] && length > 0) {
            int s = t->touch[i];
            double angle = 0;
            for (int end = 0; end < 2; end++) {
                double p[3], normal[3], n[3];
                fb_pose_point(p, &t->inverse[s], t->x[i + end]);
                surface_normal(t->surface[s], p, n);
                fb_m3_mul_v3(normal, t->frame[s].R, n);
                fb_v3_sub(d, t->x[i + 1], t->x[i]);
                angle += asin(fmin(1, fabs(fb_v3_dot(d, normal) / length))) / 2;
            }
            length *= angle > 1e-9 ? angle / sin(angle) : 1;
        }
        sum += length;
    }
    return sum;
}

/* False if a piece between two masses has slipped through a surface. */
static bool is_outside(const thread *t) {
    for (int i = 0; i + 1 < t->n; i++) {
        for (int s = 0; s < t->n_surfaces; s++) {
            double a[3], b[3], at;
            if (t->touch[i] == s && t->touch[i + 1] == s) {
                continue; /* a chord of an arc */
            }
            fb_pose_point(a, &t->inverse[s], t->x[i]);
            fb_pose_point(b, &t->inverse[s], t->x[i + 1]);
            if (deepest(t->surface[s], a, b, &at) > SLIPPED) {
                return false;
            }
        }
    }
    return true;
}

taut pull_tight(const fb_paths *paths, const fb_path *path, const fb_state *state,
                const fb_course *course) {
    static thread t;
    t.n = t.n_surfaces = 0;
    for (int i = 0; i < course->n; i++) {
        const fb_course_point *a = &course->points[i];
        add_node(&t, a->site, a->source >= 0);
        if (i + 1 == course->n) {
            break;
        }
        const fb_course_point *b = a + 1;
        if (a->source < 0 && a->source == b->source && i > 0) {
            add_arc(&t, surface_number(&t, paths, path, state, -1 - a->source), a[-1].site, a->site,
                    b->site);
        } else {
            add_straight(&t, a, b);
        }
    }
    for (int i = 0; i + 1 < t.n; i++) {
        t.rest[i] = fmax(fb_v3_distance(t.x[i], t.x[i + 1]), 1e-6);
    }
    double before = 1e300;
    for (int i = 1; i <= 6000; i++) {
        sweep_nodes(&t, 1.93);
        if (i % 100 == 0) {
            for (int k = 0; k < 3; k++) { /* without overshooting, before it is measured */
                sweep_nodes(&t, 1);
            }
            double now = thread_length(&t);
            if (fabs(now - before) < 1e-10) {
                break;
            }
            before = now;
        }
    }
    taut result = {.length = thread_length(&t), .touches = is_outside(&t)};
    for (int s = 0; s < t.n_surfaces; s++) {
        bool found = false;
        for (int i = 0; i < t.n; i++) {
            found = found || t.touch[i] == s;
        }
        result.touches = result.touches && found;
    }
    return result;
}

/* ---- closed forms
 * -------------------------------------------------------------------------------- */

double shortest_around(const fb_wrap *wrap, const double *p1, const double *p2) {
    double r = wrap->size[0], flat1[3], flat2[3], rise = 0;
    fb_v3_copy(flat1, p1);
    fb_v3_copy(flat2, p2);
    if (wrap->kind == FB_WRAP_CYLINDER) {
        flat1[2] = flat2[2] = 0;
        rise = p2[2] - p1[2];
    }
    double d1 = fb_v3_norm(flat1), d2 = fb_v3_norm(flat2), n[3];
    fb_v3_cross(n, flat1, flat2);
    double angle = atan2(fb_v3_norm(n), fb_v3_dot(flat1, flat2)) - acos(fmin(1, r / d1)) -
                   acos(fmin(1, r / d2));
    double plane = angle <= 0 ? fb_v3_distance(flat1, flat2)
                              : sqrt(d1 * d1 - r * r) + r * angle + sqrt(d2 * d2 - r * r);
    return hypot(plane, rise);
}
