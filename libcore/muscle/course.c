#include "libcore/muscle/course.h"

#include <math.h>
#include <string.h>

#define PASSES 60
#define CHANGE 1e-10 /* m */
#define SHIFT 1e-3   /* m: by less its points still move when the length stays */
#define CYCLE 6      /* passes: courses that come back after so many do not settle */

/* One wrap object of a path while the course is found. */
typedef struct user {
    int k; /* number among the path's wraps */
    const fb_wrap *wrap;
    fb_pose frame;           /* in ground */
    fb_wrap_outcome outcome; /* of the last segment tried */
    fb_wrap_path last;       /* where it was wrapped last */
    int stamp;               /* of the course when it was last tried */
    double signature;        /* of its own points then */
} user;

/* A way around an object for one segment. */
typedef struct arc {
    fb_wrap_path on;
    fb_wrap_outcome outcome;
    bool blocked;  /* the straight way enters the object */
    double change; /* m, against the straight way */
} arc;

void fb_course_remove(fb_course *course, int k) {
    int n = 0;
    for (int i = 0; i < course->n; i++) {
        if (course->points[i].source != -1 - k) {
            course->points[n++] = course->points[i];
        }
    }
    course->n = n;
}

double fb_course_length(const fb_course *course) {
    double sum = 0;
    for (int i = 0; i + 1 < course->n; i++) {
        const fb_course_point *a = &course->points[i], *b = a + 1;
        sum += fb_course_on_surface(a, b) ? a->arc : fb_v3_distance(a->place, b->place);
    }
    return sum;
}

int fb_course_range_end(const fb_course *course, int wanted, int n_points, bool first) {
    int best = first ? 0 : course->n - 1;
    if (wanted < 0 || wanted >= n_points) {
        return best;
    }
    for (int i = first ? course->n - 1 : 0; first ? i >= 0 : i < course->n; i += first ? -1 : 1) {
        int source = course->points[i].source;
        if (source >= 0 && (first ? source >= wanted : source <= wanted)) {
            best = i;
        }
    }
    return best;
}

/* The way for a segment, whose ends are p1 and p2 in the object's frame. */
static void try_segment(const user *u, fb_wrap_method method, const double *p1, const double *p2,
                        arc *way) {
    way->on = u->last;
    way->outcome = fb_wrap_segment(u->wrap, method, FB_WRAP_GEODESIC, p1, p2, &way->on);
    if (way->outcome != FB_WRAP_WRAPPED && way->outcome != FB_WRAP_MANDATORY) {
        return;
    }
    way->blocked = fb_wrap_blocks(u->wrap, p1, p2);
    if (!way->blocked) {
        way->change = fb_v3_distance(p1, way->on.r1) + way->on.length +
                      fb_v3_distance(way->on.r2, p2) - fb_v3_distance(p1, p2);
    }
}

static void insert_arc(const fb_paths *paths, const fb_state *state, user *u, const arc *way,
                       fb_course *course, int after) {
    if (course->n + 2 > paths->most_points) {
        return;
    }
    fb_course_point *points = course->points + after;
    memmove(points + 3, points + 1, (size_t)(course->n - after - 1) * sizeof *points);
    course->n += 2;
    for (int end = 0; end < 2; end++) {
        double in_body[3];
        fb_pose_point(in_body, &u->wrap->pose, end == 0 ? way->on.r1 : way->on.r2);
        fb_pose_point(points[1 + end].site, &state->pose[u->wrap->body], in_body);
        fb_v3_copy(points[1 + end].place, points[1 + end].site);
        points[1 + end].body = u->wrap->body;
        points[1 + end].source = -1 - u->k;
        points[1 + end].arc = way->on.length;
    }
    u->last = way->on;
}

/* Every segment that is blocked goes around; if none is, the one for which a quadrant or a ring
 * asks the least. A path that runs through a ring as it is asks for nothing more. */
static void wrap_over(const fb_paths *paths, const fb_path *path, user *u, const fb_state *state,
                      fb_course *course) {
    const fb_path_wrap *use = &path->wraps[u->k];
    if (u->signature != 0) {
        fb_course_remove(course, u->k);
    }
    u->outcome = FB_WRAP_NONE;
    if (!u->wrap->active) {
        return;
    }
    int first = fb_course_range_end(course, use->first, path->n_points, true);
    int last = fb_course_range_end(course, use->last, path->n_points, false), best = -1;
    bool blocked = false;
    double p1[3], p2[3];
    arc least = {.change = 0};
    fb_course_in_frame(p2, &u->frame, course->points[first].site);
    for (int i = first; i < last; i++) {
        const fb_course_point *a = &course->points[i], *b = a + 1;
        arc way;
        fb_v3_copy(p1, p2);
        fb_course_in_frame(p2, &u->frame, b->site);
        if (fb_course_on_surface(a, b)) {
            continue; /* it lies on another object */
        }
        try_segment(u, use->method, p1, p2, &way);
        u->outcome = way.outcome;
        course->inside = way.outcome == FB_WRAP_INSIDE ? use->wrap : course->inside;
        if (way.outcome == FB_WRAP_THROUGH) {
            return;
        }
        if (way.outcome != FB_WRAP_WRAPPED && way.outcome != FB_WRAP_MANDATORY) {
            continue;
        }
        if (way.blocked) {
            int n = course->n;
            insert_arc(paths, state, u, &way, course, i);
            i += course->n - n;
            last += course->n - n;
            blocked = true;
        } else if (best < 0 || way.change < least.change) {
            best = i;
            least = way;
        }
    }
    if (best >= 0 && !blocked) {
        insert_arc(paths, state, u, &least, course, best);
    }
}

/* A number that changes when an object's points on the course do; 0 without any. */
static double signature(const fb_course *course, int k) {
    double sum = 0;
    for (int i = 0; i < course->n; i++) {
        const fb_course_point *point = &course->points[i];
        if (point->source == -1 - k) {
            sum += (i + 1) * (4 + point->site[0] + 0.7 * point->site[1] + 0.3 * point->site[2]);
        }
    }
    return sum;
}

/* The same, unless nothing but its own points has changed since it was tried last: then neither
 * would they. `stamp` counts the changes of the course. */
static void wrap_again(const fb_paths *paths, const fb_path *path, user *u, const fb_state *state,
                       fb_course *course, int *stamp) {
    if (u->stamp == *stamp) {
        return;
    }
    double before = u->signature;
    wrap_over(paths, path, u, state, course);
    u->signature = signature(course, u->k);
    *stamp += u->signature != before;
    u->stamp = *stamp;
}

/* A number that changes when points move, or go to other segments: two courses may be of one
 * length. */
static double place_mark(const fb_course *course) {
    double sum = 0;
    for (int i = 0; i < course->n; i++) {
        const double *p = course->points[i].site;
        sum += (i + 1) * (p[0] + 2 * p[1] + 3 * p[2]);
    }
    return sum;
}

/* True if the lengths of passes repeat, and the last is the shortest of them. */
static bool is_shortest_of_cycle(const double *lengths, int pass) {
    for (int period = 2; period <= CYCLE; period++) {
        bool same = true;
        for (int i = 0; i < period; i++) {
            same = same && fabs(lengths[pass - i] - lengths[pass - i - period]) < CHANGE;
        }
        for (int i = 1; i < period; i++) {
            same = same && lengths[pass] <= lengths[pass - i];
        }
        if (same) {
            return true;
        }
    }
    return false;
}

void fb_course_wrap(const fb_paths *paths, const fb_path *path, const fb_state *state,
                    fb_course *course) {
    user users[FB_MOST_WRAPS];
    int n = path->n_wraps;
    double lengths[PASSES], mark = 0;
    for (int k = 0; k < n; k++) {
        user *u = &users[k];
        u->k = k;
        u->wrap = &paths->wraps[path->wraps[k].wrap];
        memset(&u->last, 0, sizeof u->last);
        fb_pose_mul(&u->frame, &state->pose[u->wrap->body], &u->wrap->pose);
        u->stamp = 0;
        u->signature = 0;
    }
    int stamp = 1;
    course->unsettled = n > 1;
    for (int pass = 0; pass < (n == 1 ? 1 : PASSES); pass++) {
        int begin = stamp;
        for (int k = 0; k < n; k++) {
            wrap_again(paths, path, &users[k], state, course, &stamp);
        }
        if (pass > 0 && stamp == begin) {
            course->unsettled = false;
            break;
        }
        course->length = fb_course_length(course);
        lengths[pass] = course->length;
        double moved = mark;
        mark = place_mark(course);
        if (pass > 0 && fabs(course->length - lengths[pass - 1]) < CHANGE &&
            fabs(mark - moved) < SHIFT) {
            course->unsettled = false;
            break;
        }
        if (pass > 4 * CYCLE && is_shortest_of_cycle(lengths, pass)) {
            break;
        }
        if (pass == 0 && n > 1 && users[0].outcome == FB_WRAP_NONE &&
            users[1].outcome ==
                FB_WRAP_INSIDE) { /* the second was met from inside: it goes first */
            user first = users[0];
            users[0] = users[1];
            users[1] = first;
            fb_course_remove(course, first.k);
            stamp++;
        }
    }
}
