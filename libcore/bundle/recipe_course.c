/* Cores: courses of lines as polylines that follow the wrap objects. */
#include <math.h>
#include <string.h>

#include "libcore/bundle/recipe_internal.h"

#define PI 3.14159265358979323846
#define DENSE 720             /* points of an arc before it is thinned */
#define STEP (4.5 * PI / 180) /* turn of a core between two of its points on a surface */
#define TIGHTENINGS 400       /* sweeps that turn a line on a torus into a geodesic */
#define TORUS_POINTS 33
#define HEAVIER 3 /* times as much mass hangs on an origin as on an insertion */

/* ---- arcs over wrap objects ------------------------------------------------------------------ */

/* An arc from `a` to `b` on an object, in its frame; `in` and `out`: unit directions with which the
 * course comes and goes, zero if it has none. */
typedef struct surface_arc {
    const fb_wrap *wrap;
    double a[3], b[3], in[3], out[3];
    double length;
} surface_arc;

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

static bool sphere_points(const surface_arc *arc, double (*points)[3], int n) {
    static const double origin[3] = {0, 0, 0};
    double axis[3], angle = arc->length / arc->wrap->size[0];
    fb_v3_cross(axis, arc->a, arc->b);
    if (fb_v3_norm(axis) < 1e-6 * fb_v3_dot(arc->a, arc->a)) {
        fb_v3_cross(axis, arc->a, arc->in);
    } else if (angle > PI) {
        fb_v3_scale(axis, -1, axis);
    }
    if (fb_v3_normalize(axis) == 0) {
        return false;
    }
    turn(points, n, origin, arc->a, axis, angle);
    return true;
}

static bool cylinder_points(const surface_arc *arc, double (*points)[3], int n) {
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
    for (int i = 0; i < n; i++) {
        double t = (double)i / (n - 1);
        fb_v3_set(points[i], radius * cos(from + best * t), radius * sin(from + best * t),
                  arc->a[2] + rise * t);
    }
    return true;
}

/* The path is a plane section, which becomes a circle when the axes are scaled to 1. */
static bool ellipsoid_points(const surface_arc *arc, double (*points)[3], int n) {
    const double *size = arc->wrap->size;
    double chord[3], one[3], other[3], normal[3];
    fb_v3_sub(chord, arc->b, arc->a);
    fb_v3_cross(one, arc->in, chord);
    fb_v3_cross(other, chord, arc->out);
    fb_v3_madd(one, fb_v3_dot(one, other) < 0 ? -1 : 1, other);
    if (fb_v3_norm(one) < 1e-9 * fb_v3_norm(chord)) {
        return false;
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
    fb_v3_add(a, a, center);
    turn(points, n, center, a, normal, angle);
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < 3; k++) {
            points[i][k] *= size[k];
        }
    }
    return true;
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
static bool torus_points(const surface_arc *arc, double (*points)[3], int n) {
    for (int i = 0; i < n; i++) {
        double t = (double)i / (n - 1);
        for (int k = 0; k < 3; k++) {
            points[i][k] = arc->a[k] + t * (arc->b[k] - arc->a[k]);
        }
        if (i && i < n - 1) {
            onto_torus(arc->wrap, points[i]);
        }
    }
    for (int sweep = 0; sweep < TIGHTENINGS; sweep++) {
        for (int i = 1; i < n - 1; i++) {
            for (int k = 0; k < 3; k++) {
                points[i][k] = (points[i - 1][k] + points[i + 1][k]) / 2;
            }
            onto_torus(arc->wrap, points[i]);
        }
    }
    return true;
}

static int arc_points(const surface_arc *arc, double (*points)[3]) {
    int n = arc->wrap->kind == FB_WRAP_TORUS ? TORUS_POINTS : DENSE;
    bool done = false;
    switch (arc->wrap->kind) {
    case FB_WRAP_SPHERE: done = sphere_points(arc, points, n); break;
    case FB_WRAP_CYLINDER: done = cylinder_points(arc, points, n); break;
    case FB_WRAP_ELLIPSOID: done = ellipsoid_points(arc, points, n); break;
    case FB_WRAP_TORUS: done = torus_points(arc, points, n); break;
    }
    return done ? n : 0;
}

/* ---- polylines ------------------------------------------------------------------------------- */

typedef struct polyline {
    double (*points)[3];
    size_t n, capacity;
    fb_arena *arena;
} polyline;

static void add_point(polyline *line, const double *p) {
    line->points = fb_arena_grow(line->arena, line->points, line->n, &line->capacity,
                                 sizeof *line->points);
    fb_v3_copy(line->points[line->n++], p);
}

/* Adds the inner points of an arc of which no two neighbours turn by more than a step. */
static void add_thinned(polyline *line, const fb_pose *frame, double (*points)[3], int n) {
    double last[3] = {0, 0, 0};
    for (int i = 0; i + 1 < n; i++) {
        double d[3], place[3];
        fb_v3_sub(d, points[i + 1], points[i]);
        if (fb_v3_normalize(d) == 0) {
            continue;
        }
        if (i == 0) {
            fb_v3_copy(last, d);
        } else if (fb_v3_dot(d, last) < cos(STEP)) {
            fb_v3_copy(last, d);
            fb_pose_point(place, frame, points[i]);
            add_point(line, place);
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

static void add_arc(const fb_recipe_maker *maker, const fb_path *path, const fb_course *course,
                    int i, polyline *line) {
    const fb_course_point *p = &course->points[i];
    const fb_wrap *wrap = &maker->paths->wraps[path->wraps[-1 - p->source].wrap];
    surface_arc arc = {.wrap = wrap, .length = p->arc};
    fb_pose frame;
    double d[3], points[DENSE][3];
    fb_pose_mul(&frame, &maker->state->pose[wrap->body], &wrap->pose);
    fb_v3_sub(d, p[0].place, frame.p);
    fb_m3_tmul_v3(arc.a, frame.R, d);
    fb_v3_sub(d, p[1].place, frame.p);
    fb_m3_tmul_v3(arc.b, frame.R, d);
    direction_in(arc.in, &frame, i > 0 ? p[-1].place : p[0].place, p[0].place);
    direction_in(arc.out, &frame, p[1].place, i + 2 < course->n ? p[2].place : p[1].place);
    add_thinned(line, &frame, points, arc_points(&arc, points));
}

void fb_core_from_points(fb_core *core, fb_arena *arena, double (*points)[3], int n) {
    core->points = fb_arena_array(arena, (size_t)n + 1, sizeof *core->points);
    core->at = fb_arena_array(arena, (size_t)n + 1, sizeof *core->at);
    core->n_points = 0;
    core->length = 0;
    for (int i = 0; i < n; i++) {
        int k = core->n_points;
        double d = k ? fb_v3_distance(points[i], core->points[k - 1]) : 0;
        if (k && d < 1e-7) {
            continue;
        }
        fb_v3_copy(core->points[k], points[i]);
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

/* ---- which end is the origin ----------------------------------------------------------------- */

void fb_recipe_way(const fb_recipe_maker *maker, int from, int to) {
    const fb_branch *branches = maker->state->system->branches;
    int *way = maker->way, n = maker->state->system->n_body, meeting = to;
    for (int i = 0; i < n; i++) {
        way[i] = -1;
    }
    for (int i = from;; i = branches[i].parent) {
        way[i] = i;
        if (i == 0) {
            break;
        }
    }
    for (; way[meeting] < 0; meeting = branches[meeting].parent) {
        way[meeting] = meeting;
    }
    for (int i = meeting; i != 0;) {
        i = branches[i].parent;
        way[i] = -1;
    }
    for (int i = 0; i < n; i++) { /* parents come first; what is not below the way is above it */
        if (way[i] < 0) {
            way[i] = i ? way[branches[i].parent] : meeting;
        }
    }
}

/* Whether a path ends at its origin: that is on the side that moves less, on ground or where much
 * more mass hangs. Nothing is known where neither body carries the other; paths begin at their
 * origins as a rule. */
static bool ends_at_origin(const fb_recipe_maker *maker, int first, int last, bool *sure) {
    const fb_system *system = maker->state->system;
    *sure = false;
    if (first < 0 || last < 0 || first == last) {
        return false;
    }
    fb_recipe_way(maker, first, last);
    int meeting = maker->way[0]; /* ground hangs on the body nearest to it */
    if (meeting != first && meeting != last) {
        return false;
    }
    double at_first = 0, at_last = 0;
    for (int i = 1; i < system->n_body; i++) {
        at_first += maker->way[i] == first ? system->mobods[i].mass : 0;
        at_last += maker->way[i] == last ? system->mobods[i].mass : 0;
    }
    double *fixed = meeting == first ? &at_first : &at_last;
    if (meeting == 0 || *fixed <= 0) { /* ground, or a frame without mass that is held by it */
        *fixed = HUGE_VAL;
    }
    *sure = at_last > HEAVIER * at_first || at_first > HEAVIER * at_last;
    return at_last > HEAVIER * at_first;
}

/* ---- lines ----------------------------------------------------------------------------------- */

void fb_recipe_turn_line(fb_recipe_maker *maker, fb_muscle_line *line) {
    fb_core *core = &line->core;
    int body = line->body[0], n = core->n_points;
    double(*points)[3] = fb_arena_array(maker->arena, (size_t)n, sizeof *points);
    for (int i = 0; i < n; i++) {
        fb_v3_copy(points[i], core->points[n - 1 - i]);
    }
    fb_core_from_points(core, maker->arena, points, n);
    core->reversed = !core->reversed;
    line->body[0] = line->body[1];
    line->body[1] = body;
}

static void trace(fb_recipe_maker *maker, fb_muscle_line *line, fb_course *course) {
    const fb_path *path = line->path < 0 ? NULL : &maker->paths->paths[line->path];
    if (!path || path->lacking) {
        line->refusal = "its path is not computed";
        return;
    }
    if (path->n_points == 0) {
        line->refusal = "its path is a length that depends on coordinates, without points";
        return;
    }
    fb_path_course(maker->paths, line->path, maker->state, course);
    bool whole = course->n > 1 && isfinite(course->length);
    for (int i = 0; i < course->n; i++) {
        const double *p = course->points[i].place;
        whole &= isfinite(p[0]) && isfinite(p[1]) && isfinite(p[2]);
    }
    if (!whole || course->length < 1e-6) {
        line->refusal = "its path has no length in this pose";
        return;
    }
    polyline points = {.arena = maker->arena};
    for (int i = 0; i < course->n; i++) {
        const fb_course_point *p = &course->points[i];
        add_point(&points, p->place);
        if (i + 1 < course->n && p->source < 0 && p->source == p[1].source) {
            add_arc(maker, path, course, i, &points);
        }
    }
    line->body[0] = course->points[0].body;
    line->body[1] = course->points[course->n - 1].body;
    fb_core_from_points(&line->core, maker->arena, points.points, (int)points.n);
    if (ends_at_origin(maker, line->body[0], line->body[1], &line->sure)) {
        fb_recipe_turn_line(maker, line);
    }
    if (course->inside >= 0) {
        line->note = "its path runs through a wrap object that holds one of its points";
    }
}

static void weigh(fb_recipe_maker *maker) {
    const fb_system *system = maker->state->system;
    maker->hanging = fb_arena_array(maker->arena, (size_t)system->n_body, sizeof *maker->hanging);
    for (int i = system->n_body - 1; i > 0; i--) { /* parents come before what they carry */
        maker->hanging[i] += system->mobods[i].mass;
        maker->hanging[system->branches[i].parent] += maker->hanging[i];
    }
}

void fb_recipe_trace(fb_recipe_maker *maker) {
    fb_course course = {.links = maker->options->links};
    maker->way = fb_arena_array(maker->arena, (size_t)maker->state->system->n_body,
                                sizeof *maker->way);
    maker->between = fb_arena_array(maker->arena, (size_t)maker->state->system->n_body,
                                    sizeof *maker->between);
    maker->only = fb_arena_array(maker->arena, (size_t)maker->state->system->n_body,
                                 sizeof *maker->only);
    weigh(maker);
    course.points = fb_arena_array(maker->arena, (size_t)maker->paths->most_points + 2,
                                   sizeof *course.points);
    for (int i = 0; i < maker->n_lines; i++) {
        fb_muscle_line *line = &maker->lines[i];
        line->path = fb_paths_find(maker->paths, line->element);
        line->core.muscle = i;
        line->core.path = line->path;
        line->core.name = line->element->name;
        line->core.max_force = fb_get_number(line->element, "max_isometric_force");
        line->core.optimal_length = fb_get_number(line->element, "optimal_fiber_length");
        line->core.slack_length = fb_get_number(line->element, "tendon_slack_length");
        line->core.pennation = fb_get_number(line->element, "pennation_angle");
        trace(maker, line, &course);
    }
}
