#include "libcore/muscle/path.h"

#include <math.h>
#include <string.h>

#include "libcore/muscle/course.h"

#define MOST_PASSES 8        /* over several wrap objects, in OpenSim */
#define PASS_CHANGE 0.0005   /* m, its tolerance on the length */
#define CONDITION_SLACK 1e-5 /* a conditional point counts so far outside its range */

/* ---- compiling ------------------------------------------------------------------------------ */

typedef struct builder {
    fb_paths *p;
    fb_diag *diag;
    fb_status status;
    size_t capacity;
} builder;

static void fail(builder *b, const fb_element *owner, const char *what) {
    b->status = FB_E_INPUT;
    fb_diag_add(b->diag, FB_ERROR, FB2308,
                (fb_place){owner->file, owner->line, owner->path, owner->cls->name}, NULL,
                "%s '%s': %s", owner->cls->name, owner->name ? owner->name : "", what);
}

static void compile_wraps(builder *b) {
    const fb_list *list = fb_model_items(b->p->system->model, "wraps");
    b->p->wraps = fb_arena_array(&b->p->arena, list->n, sizeof *b->p->wraps);
    for (size_t i = 0; i < list->n; i++) {
        fb_wrap *wrap = &b->p->wraps[i];
        fb_pose frame, pose;
        fb_wrap_compile(wrap, list->items[i], b->diag);
        wrap->body = fb_system_body(b->p->system, fb_get_target(list->items[i], "frame"), &frame);
        if (wrap->body < 0) {
            wrap->active = false;
        }
        fb_pose_mul(&pose, &frame, &wrap->pose);
        wrap->pose = pose;
    }
    b->p->n_wraps = (int)list->n;
}

static int coordinate_number(builder *b, const fb_element *point, const char *key) {
    return fb_system_coordinate(b->p->system, fb_get_target(point, key));
}

static void compile_moving(builder *b, fb_path_point *to, const fb_element *from) {
    static const char *const keys[3][2] = {{"x", "x_coordinate"},
                                           {"y", "y_coordinate"},
                                           {"z", "z_coordinate"}};
    for (int k = 0; k < 3; k++) {
        to->coordinate[k] = coordinate_number(b, from, keys[k][1]);
        if (to->coordinate[k] >= 0) {
            memcpy(to->range[k], b->p->system->coordinates[to->coordinate[k]].range,
                   sizeof to->range[k]);
        }
        if (fb_function_compile(&to->function[k], fb_get_object(from, keys[k][0]), &b->p->arena,
                                b->diag) != FB_OK) {
            b->status = FB_E_INPUT;
        }
    }
}

static void compile_point(builder *b, fb_path_point *to, const fb_element *from,
                          const fb_element *owner) {
    double location[3] = {0, 0, 0};
    to->body = fb_system_body(b->p->system, fb_get_target(from, "frame"), &to->frame);
    if (to->body < 0) {
        fail(b, owner, "a path point is on no body");
        to->body = 0;
        return;
    }
    fb_get_vector(from, "location", location, 3);
    fb_pose_point(to->location, &to->frame, location);
    if (strcmp(from->cls->name, "ConditionalPathPoint") == 0) {
        to->kind = FB_POINT_CONDITIONAL;
        to->coordinate[0] = coordinate_number(b, from, "coordinate");
        fb_get_vector(from, "range", to->range[0], 2);
        if (to->coordinate[0] < 0) {
            fail(b, owner, "a conditional path point depends on no coordinate");
        }
    } else if (strcmp(from->cls->name, "MovingPathPoint") == 0) {
        to->kind = FB_POINT_MOVING;
        compile_moving(b, to, from);
    }
}

static int wrap_number(const builder *b, const fb_element *wrap) {
    for (int i = 0; i < b->p->n_wraps; i++) {
        if (b->p->wraps[i].element == wrap) {
            return i;
        }
    }
    return -1;
}

static void compile_path_wraps(builder *b, fb_path *path, const fb_value *wraps) {
    path->wraps = fb_arena_array(&b->p->arena, (size_t)wraps->n, sizeof *path->wraps);
    for (int i = 0; i < wraps->n && path->n_wraps < FB_MOST_WRAPS; i++) {
        const fb_element *from = wraps->as.objects[i];
        fb_path_wrap *to = &path->wraps[path->n_wraps];
        const char *method = fb_get_string(from, "method");
        double range[2] = {-1, -1};
        to->wrap = wrap_number(b, fb_get_target(from, "wrap"));
        if (to->wrap < 0) {
            continue;
        }
        fb_get_vector(from, "range", range, 2);
        to->first = range[0] < 1 ? -1 : (int)range[0] - 1;
        to->last = range[1] < 1 ? -1 : (int)range[1] - 1;
        to->method = method && strcmp(method, "midpoint") == 0 ? FB_WRAP_MIDPOINT
                     : method && strcmp(method, "axial") == 0  ? FB_WRAP_AXIAL
                                                               : FB_WRAP_HYBRID;
        path->n_wraps++;
    }
}

static void compile_function_path(builder *b, fb_path *path, const fb_element *from) {
    const fb_value *coordinates = fb_get(from, "coordinates"), *arms = fb_get(from, "moment_arms");
    fb_arena *arena = &b->p->arena;
    int n = coordinates ? coordinates->n : 0;
    if (n < 1 || n > FB_MAX_ARGUMENTS || !fb_get_object(from, "length")) {
        fail(b, path->owner, "its path has no length function, or depends on too many coordinates");
        return;
    }
    path->n_arguments = n;
    path->arguments = fb_arena_array(arena, (size_t)n, sizeof *path->arguments);
    for (int i = 0; i < n; i++) {
        if ((path->arguments[i] = fb_system_coordinate(b->p->system,
                                                       coordinates->as.refs[i].target)) < 0) {
            fail(b, path->owner, "its path depends on a coordinate that does not exist");
        }
    }
    path->length = fb_arena_alloc(arena, sizeof *path->length);
    fb_status status = fb_function_compile(path->length, fb_get_object(from, "length"), arena,
                                           b->diag);
    if (arms && arms->n == n) {
        path->moment_arms = fb_arena_array(arena, (size_t)n, sizeof *path->moment_arms);
        for (int i = 0; i < n && status == FB_OK; i++) {
            status = fb_function_compile(&path->moment_arms[i], arms->as.objects[i], arena,
                                         b->diag);
        }
    }
    if (status == FB_OK && fb_get_object(from, "lengthening_speed")) {
        path->speed = fb_arena_alloc(arena, sizeof *path->speed);
        status = fb_function_compile(path->speed, fb_get_object(from, "lengthening_speed"), arena,
                                     b->diag);
    }
    if (status != FB_OK) {
        b->status = status;
    }
}

static void compile_path(builder *b, const fb_element *owner, const fb_element *from) {
    fb_path path = {.owner = owner};
    const fb_value *points = fb_get(from, "points"), *wraps = fb_get(from, "wraps");
    if (strcmp(from->cls->name, "FunctionBasedPath") == 0) {
        compile_function_path(b, &path, from);
    } else if (strcmp(from->cls->name, "GeometryPath") != 0) {
        fail(b, owner, "paths of its kind are kept, but cannot be evaluated yet");
    } else {
        int n = points ? points->n : 0;
        path.points = fb_arena_array(&b->p->arena, (size_t)n, sizeof *path.points);
        for (int i = 0; i < n; i++) {
            if (points->as.objects[i]->cls != &fb_class_kept) {
                compile_point(b, &path.points[path.n_points++], points->as.objects[i], owner);
            }
        }
        if (path.n_points < 2) {
            path.n_points = 0; /* a path that is nowhere; fb_model_check says so */
        }
        if (wraps) {
            compile_path_wraps(b, &path, wraps);
        }
    }
    /* every segment may go around every object, and around others once more */
    int most = path.n_points + 2 * path.n_wraps * (path.n_points + path.n_wraps);
    b->p->most_points = most > b->p->most_points ? most : b->p->most_points;
    size_t n = (size_t)b->p->n_paths;
    FB_PUSH(&b->p->arena, b->p->paths, n, b->capacity, path);
    b->p->n_paths = (int)n;
}

static void compile(builder *b) {
    const fb_model *model = b->p->system->model;
    compile_wraps(b);
    for (int i = 0; i < FB_LIST_COUNT; i++) {
        for (size_t j = 0; j < model->lists[i].n; j++) {
            const fb_element *force = model->lists[i].items[j];
            const fb_element *path = force->cls->family == FB_FORCE ? fb_get_object(force, "path")
                                                                    : NULL;
            if (path) {
                compile_path(b, force, path);
            }
        }
    }
}

fb_status fb_paths_compile(fb_paths **paths, const fb_system *system, bool as_opensim4,
                           fb_diag *diag) {
    *paths = NULL;
    fb_paths *p = fb_alloc(sizeof *p);
    if (!p) {
        return FB_E_MEMORY;
    }
    memset(p, 0, sizeof *p);
    fb_arena_init(&p->arena);
    p->system = system;
    p->as_opensim4 = as_opensim4;
    builder b = {.p = p, .diag = diag};
    jmp_buf oom;
    if (setjmp(oom)) {
        b.status = FB_E_MEMORY;
        fb_diag_add(diag, FB_ERROR, FB1003, (fb_place){0}, NULL, "out of memory");
    } else {
        p->arena.oom = &oom;
        compile(&b);
        p->arena.oom = NULL;
    }
    if (b.status != FB_OK) {
        fb_paths_free(p);
        return b.status;
    }
    *paths = p;
    return FB_OK;
}

void fb_paths_free(fb_paths *paths) {
    if (!paths) {
        return;
    }
    fb_arena_clear(&paths->arena);
    fb_free(paths);
}

/* ---- the points ----------------------------------------------------------------------------- */

static bool is_active(const fb_path_point *point, const fb_state *state) {
    if (point->kind != FB_POINT_CONDITIONAL) {
        return true;
    }
    double q = state->q[point->coordinate[0]];
    return q >= point->range[0][0] - CONDITION_SLACK && q <= point->range[0][1] + CONDITION_SLACK;
}

/* Where a moving point is in its frame; the coordinate is kept within its range. */
static void moving_location(const fb_path_point *point, const fb_state *state, double *p) {
    for (int k = 0; k < 3; k++) {
        double q = 0;
        if (point->coordinate[k] >= 0) {
            q = state->q[point->coordinate[k]];
            q = q < point->range[k][0]   ? point->range[k][0]
                : q > point->range[k][1] ? point->range[k][1]
                                         : q;
        }
        p[k] = fb_function_value(&point->function[k], q, NULL, NULL);
    }
}

static void place_point(const fb_path_point *point, const fb_state *state, double *ground) {
    if (point->kind != FB_POINT_MOVING) {
        fb_pose_point(ground, &state->pose[point->body], point->location);
        return;
    }
    double in_frame[3], in_body[3];
    moving_location(point, state, in_frame);
    fb_pose_point(in_body, &point->frame, in_frame);
    fb_pose_point(ground, &state->pose[point->body], in_body);
}

/* ---- wrapping as OpenSim 4 ------------------------------------------------------------------ */

/* What is known of one wrap object on a path while its course is found. */
typedef struct wrapping {
    fb_wrap_path on; /* points in the wrap object's frame, and the length between them */
    bool wrapped;
    bool cached; /* as OpenSim 4: places in ground are those of the first time */
    double place[2][3];
    fb_wrap_outcome outcome;
} wrapping;

static void remove_wrap(fb_course *course, int wrap) {
    int n = 0;
    for (int i = 0; i < course->n; i++) {
        if (course->points[i].source != -1 - wrap) {
            course->points[n++] = course->points[i];
        }
    }
    course->n = n;
}

/* The course's index of the first (or last) point of a wrap's range that counts. */
static int range_end(const fb_course *course, int wanted, int n_points, bool first) {
    int best = first ? 0 : course->n - 1;
    if (wanted < 0 || wanted >= n_points) {
        return best;
    }
    for (int i = first ? course->n - 1 : 0; first ? i >= 0 : i < course->n; i += first ? -1 : 1) {
        int source = course->points[i].source;
        if (source < 0) {
            continue;
        }
        if (first ? source >= wanted : source <= wanted) {
            best = i;
        }
    }
    return best;
}

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
    }
    w->cached = true;
}

/* Wraps a path over its k-th object: the segment that needs it most. */
static void wrap_over(const fb_paths *paths, const fb_path *path, int k, wrapping *w,
                      const fb_state *state, fb_course *course) {
    const fb_path_wrap *use = &path->wraps[k];
    const fb_wrap *wrap = &paths->wraps[use->wrap];
    remove_wrap(course, k);
    w->wrapped = false;
    w->outcome = FB_WRAP_NONE;
    if (!wrap->active) {
        return;
    }
    fb_pose frame, inverse;
    fb_pose_mul(&frame, &state->pose[wrap->body], &wrap->pose);
    fb_pose_inverse(&inverse, &frame);
    fb_wrap_mode mode = path->n_wraps == 1 ? FB_WRAP_OPENSIM_ONE : FB_WRAP_OPENSIM_SEVERAL;
    int first = range_end(course, use->first, path->n_points, true);
    int last = range_end(course, use->last, path->n_points, false), best = -1;
    double least = 0;
    fb_wrap_path best_on = w->on;
    for (int i = first; i < last; i++) {
        const fb_course_point *a = &course->points[i], *b = &course->points[i + 1];
        double p1[3], p2[3], straight;
        if (a->source < 0 && a->source == b->source) {
            continue; /* over another surface already */
        }
        fb_pose_point(p1, &inverse, a->site);
        fb_pose_point(p2, &inverse, b->site);
        fb_wrap_path on = w->on;
        fb_wrap_outcome outcome = fb_wrap_segment(wrap, use->method, mode, p1, p2, &on);
        if (outcome == FB_WRAP_NONE || outcome == FB_WRAP_INSIDE) {
            w->outcome = outcome; /* that of the last segment tried */
            continue;
        }
        straight = fb_v3_distance(p1, p2);
        w->outcome = outcome;
        double change = fb_v3_distance(p1, on.r1) + on.length + fb_v3_distance(on.r2, p2) -
                        straight;
        if (outcome == FB_WRAP_MANDATORY || best < 0 || change < least) {
            best = i;
            least = change;
            best_on = on;
        }
        if (outcome == FB_WRAP_MANDATORY) {
            break;
        }
    }
    if (best < 0) {
        return;
    }
    w->on = best_on;
    w->wrapped = true;
    insert_wrap(paths, path, k, w, state, course, best);
}

static double course_length(const fb_course *course, const wrapping *w) {
    double length = 0;
    for (int i = 0; i + 1 < course->n; i++) {
        const fb_course_point *a = &course->points[i], *b = &course->points[i + 1];
        length += a->source < 0 && a->source == b->source ? w[-1 - a->source].on.length
                                                          : fb_v3_distance(a->place, b->place);
    }
    return length;
}

static void wrap_course(const fb_paths *paths, const fb_path *path, const fb_state *state,
                        fb_course *course) {
    wrapping w[FB_MOST_WRAPS];
    int order[FB_MOST_WRAPS], n = path->n_wraps;
    int passes = n == 1 ? 1 : MOST_PASSES;
    double before = 1e300;
    memset(w, 0, (size_t)n * sizeof *w);
    for (int k = 0; k < n; k++) {
        order[k] = k;
    }
    for (int pass = 0; pass < passes; pass++) {
        for (int k = 0; k < n; k++) {
            wrap_over(paths, path, order[k], &w[order[k]], state, course);
        }
        course->length = course_length(course, w);
        if (fabs(course->length - before) < PASS_CHANGE) {
            break;
        }
        before = course->length;
        if (pass == 0 && n > 1 && w[order[0]].outcome == FB_WRAP_NONE &&
            w[order[1]].outcome == FB_WRAP_INSIDE) {
            int first = order[0]; /* the second was met from inside: try it first */
            order[0] = order[1];
            order[1] = first;
            remove_wrap(course, first);
        }
    }
}

/* ---- functions of coordinates ---------------------------------------------------------------- */

static void function_arguments(const fb_path *path, const double *of, double *x) {
    for (int i = 0; i < path->n_arguments; i++) {
        x[i] = of[path->arguments[i]];
    }
}

static void function_arms(const fb_path *path, const fb_state *state, double *arms) {
    double x[FB_MAX_ARGUMENTS], gradient[FB_MAX_ARGUMENTS];
    function_arguments(path, state->q, x);
    if (path->moment_arms) {
        for (int i = 0; i < path->n_arguments; i++) {
            arms[i] = fb_function_value_n(&path->moment_arms[i], path->n_arguments, x, NULL, NULL);
        }
        return;
    }
    fb_function_value_n(path->length, path->n_arguments, x, gradient, NULL);
    for (int i = 0; i < path->n_arguments; i++) {
        arms[i] = -gradient[i];
    }
}

/* ---- courses -------------------------------------------------------------------------------- */

void fb_path_course(const fb_paths *paths, int i, const fb_state *state, fb_course *course) {
    const fb_path *path = &paths->paths[i];
    course->n = 0;
    course->length = 0;
    course->inside = -1;
    course->unsettled = false;
    if (path->length) {
        double x[FB_MAX_ARGUMENTS];
        function_arguments(path, state->q, x);
        course->length = fb_function_value_n(path->length, path->n_arguments, x, NULL, NULL);
        return;
    }
    for (int k = 0; k < path->n_points; k++) {
        const fb_path_point *point = &path->points[k];
        if (!is_active(point, state)) {
            continue;
        }
        fb_course_point *to = &course->points[course->n++];
        to->body = point->body;
        to->source = k;
        place_point(point, state, to->place);
        fb_v3_copy(to->site, to->place);
    }
    if (path->n_wraps > 0 && !paths->as_opensim4) {
        fb_course_wrap(paths, path, state, course);
    } else if (path->n_wraps > 0) {
        wrap_course(paths, path, state, course);
    } else {
        for (int k = 0; k + 1 < course->n; k++) {
            course->length += fb_v3_distance(course->points[k].place, course->points[k + 1].place);
        }
    }
}

/* True if the course between two of its points lies on a wrap object. */
static bool on_surface(const fb_course_point *a, const fb_course_point *b) {
    return a->source < 0 && a->source == b->source;
}

/* dP_k/dq of a moving point. Beyond the coordinate's range the point stays, but OpenSim's slope
 * goes on. */
static double drift_slope(const fb_path_point *point, int k, const fb_state *state,
                          bool as_opensim4) {
    double slope = 0;
    if (point->coordinate[k] < 0) {
        return 0;
    }
    double q = state->q[point->coordinate[k]];
    if (as_opensim4 || (q >= point->range[k][0] && q <= point->range[k][1])) {
        fb_function_value(&point->function[k], q, &slope, NULL);
    }
    return slope;
}

static bool is_moving(const fb_path *path, const fb_course_point *point) {
    return point->source >= 0 && path->points[point->source].kind == FB_POINT_MOVING;
}

/* The velocity of a moving point in its body, in ground axes: sum over coordinates of dP/dq qdot.
 */
static void drift_velocity(const fb_path_point *point, const fb_state *state, bool as_opensim4,
                           double *v) {
    double in_frame[3], in_body[3];
    for (int k = 0; k < 3; k++) {
        double slope = drift_slope(point, k, state, as_opensim4);
        in_frame[k] = slope != 0 ? slope * state->qdot[point->coordinate[k]] : 0;
    }
    fb_m3_mul_v3(in_body, point->frame.R, in_frame);
    fb_m3_mul_v3(v, state->pose[point->body].R, in_body);
}

double fb_path_speed(const fb_paths *paths, int i, const fb_state *state, const fb_course *course) {
    const fb_path *path = &paths->paths[i];
    double speed = 0;
    if (path->length) {
        double arms[FB_MAX_ARGUMENTS];
        if (path->speed && 2 * path->n_arguments <= FB_MAX_ARGUMENTS) { /* of q, then of qdot */
            double x[FB_MAX_ARGUMENTS];
            for (int k = 0; k < path->n_arguments; k++) {
                x[k] = state->q[path->arguments[k]];
                x[path->n_arguments + k] = state->qdot[path->arguments[k]];
            }
            return fb_function_value_n(path->speed, 2 * path->n_arguments, x, NULL, NULL);
        }
        function_arms(path, state, arms);
        for (int k = 0; k < path->n_arguments; k++) {
            speed -= arms[k] * state->qdot[path->arguments[k]];
        }
        return speed;
    }
    for (int k = 0; k + 1 < course->n; k++) {
        const fb_course_point *ends[2] = {&course->points[k], &course->points[k + 1]};
        double v[2][3], direction[3], relative[3];
        bool moves[2] = {is_moving(path, ends[0]), is_moving(path, ends[1])};
        /* OpenSim leaves out what slides within one body */
        if ((ends[0]->body == ends[1]->body && (paths->as_opensim4 || (!moves[0] && !moves[1]))) ||
            on_surface(ends[0], ends[1])) {
            continue;
        }
        for (int e = 0; e < 2; e++) {
            fb_point_velocity(v[e], state, ends[e]->body, ends[e]->site);
            if (moves[e]) {
                double drift[3];
                drift_velocity(&path->points[ends[e]->source], state, paths->as_opensim4, drift);
                fb_v3_add(v[e], v[e], drift);
            }
        }
        fb_v3_sub(direction, ends[1]->place, ends[0]->place);
        if (fb_v3_normalize(direction) == 0) {
            continue;
        }
        fb_v3_sub(relative, v[1], v[0]);
        speed += fb_v3_dot(relative, direction);
    }
    return speed;
}

/* Adds the generalised force of a force at a point of a body. */
static void add_force(const fb_state *state, int body, const double *point, const double *force,
                      double *tau) {
    const fb_system *s = state->system;
    double moment[3];
    fb_v3_cross(moment, point, force);
    for (int b = body; b > 0; b = s->mobods[b].parent) {
        for (int k = 0; k < s->mobods[b].n_q; k++) {
            int c = s->mobods[b].q + k;
            tau[c] += fb_v3_dot(state->S[c], moment) + fb_v3_dot(state->S[c] + 3, force);
        }
    }
}

/* A moving point slides in its body: the force on it works on the coordinates that move it. */
static void add_sliding(const fb_path_point *point, const fb_state *state, bool as_opensim4,
                        const double *force, double *tau) {
    double in_body[3], in_frame[3];
    fb_m3_tmul_v3(in_body, state->pose[point->body].R, force);
    fb_m3_tmul_v3(in_frame, point->frame.R, in_body);
    for (int k = 0; k < 3; k++) {
        double slope = drift_slope(point, k, state, as_opensim4);
        if (slope != 0) {
            tau[point->coordinate[k]] += slope * in_frame[k];
        }
    }
}

void fb_path_moment_arms(const fb_paths *paths, int i, const fb_state *state,
                         const fb_course *course, double *arms) {
    const fb_path *path = &paths->paths[i];
    memset(arms, 0, (size_t)state->system->n_q * sizeof *arms);
    if (path->length) {
        double some[FB_MAX_ARGUMENTS];
        function_arms(path, state, some);
        for (int k = 0; k < path->n_arguments; k++) {
            arms[path->arguments[k]] += some[k];
        }
        return;
    }
    for (int k = 0; k < course->n; k++) { /* the pull of both neighbours */
        const fb_course_point *point = &course->points[k];
        double force[3] = {0, 0, 0}, slide[3] = {0, 0, 0};
        for (int side = -1; side <= 1; side += 2) {
            if (k + side < 0 || k + side >= course->n) {
                continue;
            }
            const fb_course_point *other = &course->points[k + side];
            double direction[3];
            if (on_surface(point, other)) {
                continue;
            }
            fb_v3_sub(direction, other->place, point->place);
            if (fb_v3_normalize(direction) == 0) {
                continue;
            }
            fb_v3_add(slide, slide, direction);
            if (point->body != other->body) {
                fb_v3_add(force, force, direction);
            }
        }
        add_force(state, point->body, point->site, force, arms);
        if (is_moving(path, point)) {
            add_sliding(&path->points[point->source], state, paths->as_opensim4, slide, arms);
        }
    }
}
