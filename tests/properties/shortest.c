/* Courses beside the shortest ones, found another way; and whether they enter what they wrap. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/properties/properties.h"
#include "tests/properties/taut.h"

#define SHORTER 1e-6 /* m: so much shorter than the shortest a course may be */
#define DEEP 1e-6    /* m: so deep it may be in a surface */

int unsettled_courses, all_courses, touched_twice, longer_tori;
double touched_depth, longer_most;

static const char *const kinds[] = {"sphere", "cylinder", "ellipsoid", "torus"};

static const char *wrap_name(const fb_wrap *wrap) {
    return wrap->element && wrap->element->name ? wrap->element->name
                                                : "(a surface without a name)";
}

/* The points of a course on either side of point i, in the frame of a wrap. */
static void to_wrap(const fb_wrap *wrap, const fb_state *state, const double *site, double *p) {
    fb_pose frame, inverse;
    fb_pose_mul(&frame, &state->pose[wrap->body], &wrap->pose);
    fb_pose_inverse(&inverse, &frame);
    fb_pose_point(p, &inverse, site);
}

/* Over the finite length of a cylinder: false if the geodesic around it leaves the surface beyond
 * both ends, where OpenSim lets a path pass. */
static bool meets_cylinder(const fb_wrap *wrap, const double *p1, const double *p2) {
    double r = wrap->size[0], e1 = sqrt(fmax(0, p1[0] * p1[0] + p1[1] * p1[1] - r * r)),
           e2 = sqrt(fmax(0, p2[0] * p2[0] + p2[1] * p2[1] - r * r));
    double flat = 0, shortest;
    double q1[3] = {p1[0], p1[1], 0}, q2[3] = {p2[0], p2[1], 0};
    shortest = shortest_around(wrap, q1, q2);
    flat = shortest > 0 ? (p2[2] - p1[2]) / shortest : 0;
    return fabs(p1[2] + flat * e1) <= wrap->size[1] / 2 ||
           fabs(p2[2] - flat * e2) <= wrap->size[1] / 2;
}

/* True if the path's k-th wrap covers the piece of the course that begins at point i. */
static bool in_range(const fb_course *course, const fb_path *path, int k, int i) {
    int before = -1, after = path->n_points;
    for (int j = i; j >= 0 && before < 0; j--) {
        before = course->points[j].source;
    }
    for (int j = i + 1; j < course->n && after == path->n_points; j++) {
        after = course->points[j].source >= 0 ? course->points[j].source : after;
    }
    const fb_path_wrap *use = &path->wraps[k];
    return (use->first < 0 || use->first >= path->n_points || before >= use->first) &&
           (use->last < 0 || use->last >= path->n_points || after <= use->last);
}

/* What is known of a straight piece. */
typedef enum piece { PIECE_CLEAR, PIECE_BEYOND_END, PIECE_TOUCHES_TWICE } piece;

/* A straight piece and the surfaces of the path. It may pass a cylinder beyond its ends, which a
 * thread may not; that it enters a torus which it touches elsewhere, is a known limit. */
static piece check_piece(subject *it, int number, const fb_course *course, int i) {
    const fb_paths *paths = it->s->paths;
    const fb_path *path = &paths->paths[number];
    const fb_course_point *a = &course->points[i], *b = a + 1;
    piece result = PIECE_CLEAR;
    for (int k = 0; k < path->n_wraps; k++) {
        const fb_wrap *wrap = &paths->wraps[path->wraps[k].wrap];
        double p1[3], p2[3], at;
        if (!wrap->active || !in_range(course, path, k, i)) {
            continue;
        }
        to_wrap(wrap, it->s->state, a->site, p1);
        to_wrap(wrap, it->s->state, b->site, p2);
        bool own1 = a->source == -1 - k, own2 = b->source == -1 - k;
        if ((!own1 && surface_depth(wrap, p1) > -1e-9) ||
            (!own2 && surface_depth(wrap, p2) > -1e-9)) {
            continue; /* a point inside: no way around */
        }
        double depth = deepest(wrap, p1, p2, &at);
        if (depth <= DEEP) {
            continue;
        }
        if (wrap->kind == FB_WRAP_CYLINDER && !own1 && !own2 && !meets_cylinder(wrap, p1, p2)) {
            result = result == PIECE_CLEAR ? PIECE_BEYOND_END : result;
            continue;
        }
        if (wrap->kind == FB_WRAP_TORUS && wrap->axis >= 0 && !own1 && !own2) {
            continue; /* on the half that the quadrant leaves out */
        }
        if (wrap->kind == FB_WRAP_TORUS && (own1 || own2)) {
            touched_depth = fmax(touched_depth, depth);
            result = PIECE_TOUCHES_TWICE;
            continue;
        }
        claim(it, false, "%s enters the %s %s by %.3g mm, %s", path_name(it, number),
              kinds[wrap->kind], wrap_name(wrap), depth * 1e3,
              own1 || own2        ? "where it leaves it"
              : path->n_wraps > 1 ? "one of several"
                                  : "the only one");
    }
    return result;
}

/* A piece over a surface: both ends on it, and not shorter than the shortest way around. */
static void check_arc(subject *it, int number, const fb_course *course, int i) {
    const fb_paths *paths = it->s->paths;
    const fb_path *path = &paths->paths[number];
    const fb_wrap *wrap = &paths->wraps[path->wraps[-1 - course->points[i].source].wrap];
    double p[4][3];
    for (int k = 0; k < 4; k++) {
        to_wrap(wrap, it->s->state, course->points[i - 1 + k].site, p[k]);
    }
    for (int k = 1; k < 3; k++) {
        double depth = surface_depth(wrap, p[k]);
        claim(it, fabs(depth) < 1e-8, "%s touches the %s %s %.3g mm off its surface",
              path_name(it, number), kinds[wrap->kind], wrap_name(wrap), -depth * 1e3);
    }
    bool single = course->points[i - 1].source >= 0 && course->points[i + 2].source >= 0;
    if ((wrap->kind == FB_WRAP_SPHERE || wrap->kind == FB_WRAP_CYLINDER) && single &&
        wrap->axis < 0) {
        double straight = 0, want = shortest_around(wrap, p[0], p[3]);
        for (int k = 0; k + 1 < course->n; k++) {
            straight += k < i - 1 || k > i + 1
                            ? fb_v3_distance(course->points[k].site, course->points[k + 1].site)
                            : 0;
        }
        double got = course->length - straight;
        bool alone = true; /* other surfaces on the path have lengths that are not known here */
        for (int k = 0; k < course->n; k++) {
            alone = alone && (course->points[k].source >= 0 || k == i || k == i + 1);
        }
        claim(it, !alone || fabs(got - want) < 1e-9,
              "%s is %.9g m around the %s %s, the shortest way %.9g", path_name(it, number), got,
              kinds[wrap->kind], wrap_name(wrap), want);
    }
}

/* The whole course beside a thread. */
static void check_thread(subject *it, int number, const fb_course *course) {
    const fb_paths *paths = it->s->paths;
    const fb_path *path = &paths->paths[number];
    bool plane = false, torus = false; /* not the shortest over ellipsoids, and on half a torus */
    char over[300] = "";
    for (int i = 0; i + 1 < course->n; i++) {
        int source = course->points[i].source;
        if (source < 0 && source == course->points[i + 1].source) {
            const fb_wrap *wrap = &paths->wraps[path->wraps[-1 - source].wrap];
            size_t end = strlen(over);
            torus = torus || wrap->kind == FB_WRAP_TORUS;
            plane = plane || wrap->kind == FB_WRAP_ELLIPSOID ||
                    (wrap->kind == FB_WRAP_TORUS && wrap->axis >= 0);
            snprintf(over + end, sizeof over - end, "%s%s%s %s", end ? ", " : "", kinds[wrap->kind],
                     wrap->axis >= 0 ? " with quadrant" : "", wrap_name(wrap));
        }
    }
    taut t = pull_tight(paths, path, it->s->state, course);
    claim(it, course->length >= t.length - SHORTER,
          "%s is %.9g m, %.3g mm shorter than a thread over %s", path_name(it, number),
          course->length, (t.length - course->length) * 1e3, over);
    double more = course->length - t.length;
    if (torus && !plane && t.touches && more > 2 * SHORTER) {
        longer_tori++;
        longer_most = fmax(longer_most, more);
        return;
    }
    claim(it, plane || !t.touches || more <= 2 * SHORTER,
          "%s is %.9g m, %.3g mm longer than a thread over %s", path_name(it, number),
          course->length, (course->length - t.length) * 1e3, over);
}

/* All that is asked of a path's course at the pose that is set. */
void check_course(subject *it, int number) {
    fb_simulation *s = it->s;
    fb_course *course = &s->course;
    bool wraps = false, clear = true, twice = false;
    fb_path_course(s->paths, number, s->state, course);
    if (course->unsettled) {
        unsettled_courses++;
        return;
    }
    all_courses++;
    for (int i = 0; i + 1 < course->n; i++) {
        bool arc = course->points[i].source < 0 &&
                   course->points[i].source == course->points[i + 1].source;
        wraps = wraps || arc;
        if (arc && i > 0 && i + 2 < course->n) {
            check_arc(it, number, course, i);
        } else if (!arc) {
            piece found = check_piece(it, number, course, i);
            clear = clear && found == PIECE_CLEAR;
            twice = twice || found == PIECE_TOUCHES_TWICE;
        }
    }
    touched_twice += twice;
    if (wraps && clear) {
        check_thread(it, number, course);
    }
}

void shortest(subject *it) {
    fb_simulation *s = it->s;
    for (int round = 0; round < 4 && s->paths->n_wraps > 0 && random_pose(it, 1); round++) {
        for (int number = 0; number < s->paths->n_paths; number++) {
            if (s->paths->paths[number].n_wraps > 0) {
                check_course(it, number);
            }
        }
    }
}
