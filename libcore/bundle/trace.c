/* Courses of paths as polylines that follow the wrap objects. */
#include <math.h>
#include <string.h>

#include "libcore/bundle/recipe_internal.h"

#define PI 3.14159265358979323846
#define DENSE 1300            /* most points of an arc before it is thinned */
#define MOST_ARC 200          /* and after */
#define STEP (4.5 * PI / 180) /* turn of a core between two of its points on a surface */
#define TIGHTENINGS 400       /* sweeps that turn a line on a torus into a geodesic */
#define SETTLED 1e-7          /* m, by which its points still move then */
#define RELAXED 1.6           /* times the way to the middle: it settles sooner */
#define TORUS_POINTS 41

/* ---- arcs over wrap objects ------------------------------------------------------------------ */

/* An arc from `a` to `b` on an object, in its frame; `in` and `out`: unit directions with which the
 * course comes and goes, zero if it has none. */
typedef struct surface_arc {
    const fb_wrap *wrap;
    double a[3], b[3], in[3], out[3];
    double length;
} surface_arc;

/* Points of an arc of that angle, ends included, no two of which are more than a step apart. */
static int steps(double angle) {
    double n = ceil(fabs(angle) / STEP);
    return n < DENSE - 1 ? (int)n + 2 : DENSE;
}

/* Points of a circle about `center` from a, by an angle about a unit axis. */
static void turn(double (*points)[3], int n, const double *center, const double *a,
                 const double *axis, double angle) {
    double r[3], R[9];
    fb_v3_sub(r, a, center);
    for (int i = 0; i < n; i++) {
        fb_m3_rotation(R, axis, angle * i / (n - 1));
        fb_m3_mul_v3(points[i], R, r);
        fb_v3_add(points[i], points[i], center);
    }
}

/* The angle from a to b about an axis, 0 to 2 pi. */
static double angle_about(const double *a, const double *b, const double *axis) {
    double c[3];
    fb_v3_cross(c, a, b);
    double angle = atan2(fb_v3_dot(c, axis), fb_v3_dot(a, b));
    return angle < 0 ? angle + 2 * PI : angle;
}

static int sphere_points(const surface_arc *arc, double (*points)[3]) {
    static const double origin[3] = {0, 0, 0};
    double axis[3], angle = arc->length / arc->wrap->size[0];
    fb_v3_cross(axis, arc->a, arc->b);
    if (fb_v3_norm(axis) < 1e-6 * fb_v3_dot(arc->a, arc->a)) {
        fb_v3_cross(axis, arc->a, arc->in);
    } else if (angle > PI) {
        fb_v3_scale(axis, -1, axis);
    }
    if (fb_v3_normalize(axis) == 0) {
        return 0;
    }
    int n = steps(angle);
    turn(points, n, origin, arc->a, axis, angle);
    return n;
}

static int cylinder_points(const surface_arc *arc, double (*points)[3]) {
    double radius = arc->wrap->size[0], rise = arc->b[2] - arc->a[2];
    double from = atan2(arc->a[1], arc->a[0]), angle = atan2(arc->b[1], arc->b[0]) - from;
    double best = 0, least = 1e300, moment = arc->a[0] * arc->in[1] - arc->a[1] * arc->in[0];
    for (int k = -2; k <= 2; k++) { /* which way, and how often around */
        double turned = angle + 2 * PI * k;
        double wrong = fabs(hypot(radius * turned, rise) - arc->length) +
                       (turned * moment < 0 ? 1e-6 * radius : 0);
        if (wrong < least) {
            least = wrong;
            best = turned;
        }
    }
    int n = steps(best);
    for (int i = 0; i < n; i++) {
        double t = (double)i / (n - 1);
        fb_v3_set(points[i], radius * cos(from + best * t), radius * sin(from + best * t),
                  arc->a[2] + rise * t);
    }
    return n;
}

/* The path is a plane section, which becomes a circle when the axes are scaled to 1. */
static int ellipsoid_points(const surface_arc *arc, double (*points)[3]) {
    const double *size = arc->wrap->size;
    double chord[3], one[3], other[3], normal[3];
    fb_v3_sub(chord, arc->b, arc->a);
    fb_v3_cross(one, arc->in, chord);
    fb_v3_cross(other, chord, arc->out);
    fb_v3_madd(one, fb_v3_dot(one, other) < 0 ? -1 : 1, other);
    if (fb_v3_norm(one) < 1e-9 * fb_v3_norm(chord)) {
        return 0;
    }
    double a[3], b[3], along[3], center[3];
    for (int k = 0; k < 3; k++) {
        normal[k] = one[k] * size[k];
        a[k] = arc->a[k] / size[k];
        b[k] = arc->b[k] / size[k];
        along[k] = (arc->in[k] + arc->out[k] == 0 ? chord[k] : arc->in[k]) / size[k];
    }
    fb_v3_normalize(normal);
    fb_v3_scale(center, (fb_v3_dot(normal, a) + fb_v3_dot(normal, b)) / 2, normal);
    fb_v3_sub(a, a, center);
    fb_v3_sub(b, b, center);
    double forward[3];
    fb_v3_cross(forward, normal, a);
    if (fb_v3_dot(forward, along) < 0) {
        fb_v3_scale(normal, -1, normal);
    }
    double angle = angle_about(a, b, normal);
    double least = fb_lesser(size[0], fb_lesser(size[1], size[2]));
    double most = fb_greater(size[0], fb_greater(size[1], size[2]));
    int n = steps(angle * fb_lesser(2 * most / least, 16)); /* it turns faster at its ends */
    fb_v3_add(a, a, center);
    turn(points, n, center, a, normal, angle);
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < 3; k++) {
            points[i][k] *= size[k];
        }
    }
    return n;
}

/* The nearest point of a torus about z. */
static void onto_torus(const fb_wrap *wrap, double *p) {
    double rho = fb_length2(p[0], p[1]), ring = wrap->size[1];
    double center[3] = {ring, 0, 0}, d[3];
    if (rho > 0) {
        fb_v3_set(center, ring * p[0] / rho, ring * p[1] / rho, 0);
    }
    fb_v3_sub(d, p, center);
    if (fb_v3_normalize(d) > 0) {
        fb_v3_copy(p, center);
        fb_v3_madd(p, wrap->size[0], d);
    }
}

/* A line on the surface, tightened until it is a geodesic. */
static int torus_points(const surface_arc *arc, double (*points)[3]) {
    int n = steps(arc->length / arc->wrap->size[0]);
    n = n < TORUS_POINTS ? n : TORUS_POINTS;
    for (int i = 0; i < n; i++) {
        double t = (double)i / (n - 1);
        for (int k = 0; k < 3; k++) {
            points[i][k] = arc->a[k] + t * (arc->b[k] - arc->a[k]);
        }
        if (i && i < n - 1) {
            onto_torus(arc->wrap, points[i]);
        }
    }
    double moved = 1;
    for (int sweep = 0; sweep < TIGHTENINGS && moved > SETTLED; sweep++) {
        moved = 0;
        for (int i = 1; i < n - 1; i++) {
            double before[3];
            fb_v3_copy(before, points[i]);
            for (int k = 0; k < 3; k++) {
                double middle = (points[i - 1][k] + points[i + 1][k]) / 2;
                points[i][k] += RELAXED * (middle - points[i][k]);
            }
            onto_torus(arc->wrap, points[i]);
            moved = fb_greater(moved, fb_v3_distance(before, points[i]));
        }
    }
    return n;
}

static int arc_points(const surface_arc *arc, double (*points)[3]) {
    switch (arc->wrap->kind) {
    case FB_WRAP_SPHERE: return sphere_points(arc, points);
    case FB_WRAP_CYLINDER: return cylinder_points(arc, points);
    case FB_WRAP_ELLIPSOID: return ellipsoid_points(arc, points);
    case FB_WRAP_TORUS: return torus_points(arc, points);
    }
    return 0;
}

/* ---- polylines ------------------------------------------------------------------------------- */

static void add_point(fb_tracer *tracer, const double *p) {
    if (tracer->n < tracer->most) {
        fb_v3_copy(tracer->points[tracer->n++], p);
    }
}

/* Adds the inner points of an arc that are needed so that none turns by more than a step. */
static void add_inner(fb_tracer *tracer, const fb_pose *frame, double (*points)[3], int n) {
    double last[3] = {0, 0, 0}, place[3];
    int added = 0;
    for (int i = 0; i + 1 < n && added < MOST_ARC; i++) {
        double d[3];
        fb_v3_sub(d, points[i + 1], points[i]);
        if (fb_v3_normalize(d) == 0) {
            continue;
        }
        if (fb_v3_dot(last, last) == 0) {
            fb_v3_copy(last, d);
        } else if (fb_v3_dot(d, last) < cos(STEP / 2)) {
            fb_v3_copy(last, d);
            fb_pose_point(place, frame, points[i]);
            add_point(tracer, place);
            added++;
        }
    }
}

static void direction_in(double *r, const fb_pose *frame, const double *from, const double *to) {
    double d[3];
    fb_v3_sub(d, to, from);
    fb_m3_tmul_v3(r, frame->R, d);
    if (fb_v3_normalize(r) < 1e-12) {
        fb_v3_set(r, 0, 0, 0);
    }
}

static void add_arc(fb_tracer *tracer, const fb_paths *paths, const fb_path *path,
                    const fb_state *state, int i) {
    const fb_course *course = &tracer->course;
    const fb_course_point *p = &course->points[i];
    const fb_wrap *wrap = &paths->wraps[path->wraps[-1 - p->source].wrap];
    surface_arc arc = {.wrap = wrap, .length = p->arc};
    fb_pose frame;
    double d[3], points[DENSE][3];
    fb_pose_mul(&frame, &state->pose[wrap->body], &wrap->pose);
    fb_v3_sub(d, p[0].place, frame.p);
    fb_m3_tmul_v3(arc.a, frame.R, d);
    fb_v3_sub(d, p[1].place, frame.p);
    fb_m3_tmul_v3(arc.b, frame.R, d);
    direction_in(arc.in, &frame, i > 0 ? p[-1].place : p[0].place, p[0].place);
    direction_in(arc.out, &frame, p[1].place, i + 2 < course->n ? p[2].place : p[1].place);
    add_inner(tracer, &frame, points, arc_points(&arc, points));
}

void fb_tracer_new(fb_tracer *tracer, fb_arena *arena, const fb_paths *paths, double (*links)[3]) {
    size_t most = (size_t)paths->most_points + 2;
    *tracer = (fb_tracer){.course.links = links, .most = (int)most * (MOST_ARC / 2 + 1)};
    tracer->course.points = fb_arena_array(arena, most, sizeof *tracer->course.points);
    tracer->points = fb_arena_array(arena, (size_t)tracer->most, sizeof *tracer->points);
}

const char *fb_tracer_run(fb_tracer *tracer, const fb_paths *paths, int i, const fb_state *state) {
    const fb_path *path = i < 0 ? NULL : &paths->paths[i];
    fb_course *course = &tracer->course;
    tracer->n = 0;
    if (!path || path->lacking) {
        return "its path is not computed";
    }
    if (path->n_points == 0) {
        return path->length ? "its path is a length that depends on coordinates, without points"
                            : "its path has fewer than two points";
    }
    fb_path_course(paths, i, state, course);
    bool whole = course->n > 1 && isfinite(course->length);
    for (int k = 0; k < course->n; k++) {
        const double *p = course->points[k].place;
        whole &= isfinite(p[0]) && isfinite(p[1]) && isfinite(p[2]);
    }
    if (!whole || course->length < 1e-6) {
        return "its path has no length in this pose";
    }
    for (int k = 0; k < course->n; k++) {
        const fb_course_point *p = &course->points[k];
        add_point(tracer, p->place);
        if (k + 1 < course->n && p->source < 0 && p->source == p[1].source) {
            add_arc(tracer, paths, path, state, k);
        }
    }
    return NULL;
}

/* ---- cores ----------------------------------------------------------------------------------- */

void fb_core_set(fb_core *core, fb_arena *arena, double (*points)[3], int n, bool backwards) {
    if (n > core->capacity) {
        core->capacity = 2 * n;
        core->points = fb_arena_array(arena, (size_t)core->capacity, sizeof *core->points);
        core->at = fb_arena_array(arena, (size_t)core->capacity, sizeof *core->at);
    }
    core->n_points = 0;
    core->length = 0;
    for (int i = 0; i < n; i++) {
        const double *p = points[backwards ? n - 1 - i : i];
        int k = core->n_points;
        double d = k ? fb_v3_distance(p, core->points[k - 1]) : 0;
        if (k && d < 1e-7) {
            continue;
        }
        fb_v3_copy(core->points[k], p);
        core->at[k] = core->length += d;
        core->n_points++;
    }
}

void fb_core_point(const fb_core *core, double at, double *place, double *direction) {
    int i = 0;
    while (i + 2 < core->n_points && core->at[i + 1] <= at) {
        i++;
    }
    const double *a = core->points[i], *b = core->points[i + 1];
    double length = core->at[i + 1] - core->at[i];
    double t = fb_lesser(fb_greater((at - core->at[i]) / length, 0), 1), d[3];
    fb_v3_sub(d, b, a);
    if (place) {
        fb_v3_copy(place, a);
        fb_v3_madd(place, t, d);
    }
    if (direction) {
        fb_v3_scale(direction, 1 / length, d);
    }
}
