/* Courses over wrap objects as OpenSim 4.5.2 finds them. */
#include <math.h>
#include <string.h>

#include "libcore/muscle/course.h"

#define PASSES 8      /* over several wrap objects */
#define CHANGE 0.0005 /* m, of the length */

/* What is known of one wrap object on a path while its course is found. */
typedef struct wrapping {
    fb_wrap_path on; /* points in the wrap object's frame, and the length between them */
    bool wrapped;
    bool cached; /* as OpenSim 4: places in ground are those of the first time */
    double place[2][3];
    fb_wrap_outcome outcome;
} wrapping;

static void insert_wrap(const fb_paths *paths, const fb_path *path, int k, wrapping *w,
                        const fb_state *state, fb_course *course, int after) {
    const fb_wrap *wrap = &paths->wraps[path->wraps[k].wrap];
    memmove(course->points + after + 3, course->points + after + 1,
            (size_t)(course->n - after - 1) * sizeof *course->points);
    course->n += 2;
    for (int end = 0; end < 2; end++) {
        fb_course_point *point = &course->points[after + 1 + end];
        double in_body[3];
        fb_pose_point(in_body, &wrap->pose, end == 0 ? w->on.r1 : w->on.r2);
        fb_pose_point(point->site, &state->pose[wrap->body], in_body);
        if (!w->cached) {
            fb_v3_copy(w->place[end], point->site);
        }
        fb_v3_copy(point->place, path->n_wraps > 1 ? w->place[end] : point->site);
        point->body = wrap->body;
        point->source = -1 - k;
        point->arc = w->on.length;
    }
    w->cached = true;
}

/* How much longer the course gets from a over the surface to b, as OpenSim 4 measures it: with
 * places of wrap points that are not renewed. */
static double stale_change(const fb_pose *frame, const fb_wrap_path *on, const fb_course_point *a,
                           const fb_course_point *b) {
    double p1[3], p2[3];
    fb_course_in_frame(p1, frame, a->place);
    fb_course_in_frame(p2, frame, b->place);
    return fb_v3_distance(p1, on->r1) + on->length + fb_v3_distance(on->r2, p2) -
           fb_v3_distance(p1, p2);
}

/* Wraps a path over its k-th object: the segment that needs it most. */
static void wrap_over(const fb_paths *paths, const fb_path *path, int k, wrapping *w,
                      const fb_state *state, fb_course *course) {
    const fb_path_wrap *use = &path->wraps[k];
    const fb_wrap *wrap = &paths->wraps[use->wrap];
    if (w->wrapped) {
        fb_course_remove(course, k);
    }
    w->wrapped = false;
    w->outcome = FB_WRAP_NONE;
    if (!wrap->active) {
        return;
    }
    fb_pose frame;
    fb_pose_mul(&frame, &state->pose[wrap->body], &wrap->pose);
    fb_wrap_mode mode = path->n_wraps == 1 ? FB_WRAP_OPENSIM_ONE : FB_WRAP_OPENSIM_SEVERAL;
    int first = fb_course_range_end(course, use->first, path->n_points, true);
    int last = fb_course_range_end(course, use->last, path->n_points, false), best = -1;
    double least = 0, p1[3], p2[3];
    fb_wrap_path best_on = w->on;
    fb_course_in_frame(p2, &frame, course->points[first].site);
    for (int i = first; i < last; i++) {
        const fb_course_point *a = &course->points[i], *b = &course->points[i + 1];
        fb_v3_copy(p1, p2);
        fb_course_in_frame(p2, &frame, b->site);
        if (fb_course_on_surface(a, b)) {
            continue; /* over another surface already */
        }
        fb_wrap_path on = w->on;
        fb_wrap_outcome outcome = fb_wrap_segment(wrap, use->method, mode, p1, p2, &on);
        if (outcome == FB_WRAP_NONE || outcome == FB_WRAP_INSIDE || outcome == FB_WRAP_VOID) {
            w->outcome = outcome; /* that of the last segment tried */
            continue;
        }
        w->outcome = outcome;
        if (outcome == FB_WRAP_MANDATORY) {
            best = i;
            best_on = on;
            break;
        }
        double change = stale_change(&frame, &on, a, b);
        if (best < 0 || change < least) {
            best = i;
            least = change;
            best_on = on;
        }
    }
    if (best < 0) {
        return;
    }
    w->on = best_on;
    w->wrapped = true;
    insert_wrap(paths, path, k, w, state, course, best);
}

/* True if the path has points in the range of its k-th object, but none of them counts. */
static bool range_is_empty(const fb_path *path, int k, const fb_course *course) {
    int first = path->wraps[k].first, last = path->wraps[k].last;
    for (int i = 0; i < course->n; i++) {
        int source = course->points[i].source;
        if (source >= 0 && source >= first && (last < 0 || source <= last)) {
            return false;
        }
    }
    return true;
}

void fb_course_wrap_opensim4(const fb_paths *paths, const fb_path *path, const fb_state *state,
                             fb_course *course) {
    wrapping w[FB_MOST_WRAPS];
    int order[FB_MOST_WRAPS], n = path->n_wraps;
    int passes = n == 1 ? 1 : PASSES;
    double before = 1e300;
    memset(w, 0, (size_t)n * sizeof *w);
    for (int k = 0; k < n; k++) {
        order[k] = k;
    }
    for (int pass = 0; pass < passes; pass++) {
        for (int k = 0; k < n; k++) {
            if (paths->wraps[path->wraps[order[k]].wrap].active &&
                range_is_empty(path, order[k], course)) { /* there it leaves off altogether */
                fb_course_remove(course, order[k]);
                course->length = fb_course_length(course);
                return;
            }
            wrap_over(paths, path, order[k], &w[order[k]], state, course);
        }
        course->length = fb_course_length(course);
        if (fabs(course->length - before) < CHANGE) {
            break;
        }
        before = course->length;
        if (pass == 0 && n > 1 && w[order[0]].outcome == FB_WRAP_NONE &&
            w[order[1]].outcome == FB_WRAP_INSIDE) {
            int first = order[0]; /* the second was met from inside: try it first */
            order[0] = order[1];
            order[1] = first;
            fb_course_remove(course, first);
        }
    }
}
