#include "libcore/muscle/path.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "libcore/base/number.h"
#include "libcore/muscle/course.h"

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
    fb_diag_add(b->diag, FB_ERROR, FB2308, fb_element_place(owner), NULL, "%s '%s': %s",
                owner->cls->name, owner->name ? owner->name : "", what);
}

/* A path that is kept, but not computed. */
static void lack(builder *b, fb_path *path, const char *what) {
    const fb_element *owner = path->owner;
    path->lacking = true;
    fb_diag_add(b->diag, FB_WARNING, FB2308, fb_element_place(owner),
                "its length is nan, and it does not pull", "%s '%s': %s", owner->cls->name,
                owner->name ? owner->name : "", what);
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

static int link_number(const builder *b, const fb_element *link) {
    int i = 0;
    while (i < b->p->n_links && b->p->links[i] != link) {
        i++;
    }
    return i;
}

static void compile_point(builder *b, fb_path_point *to, const fb_element *from,
                          const fb_element *owner) {
    double location[3] = {0, 0, 0};
    const fb_element *link = fb_get_target(from, "virtual_link");
    if (link) { /* its frame and location are where it begins */
        to->kind = FB_POINT_LINK;
        to->link = link_number(b, link);
        from = link;
    }
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

/* A path wrap's range counts points from 1; less is the path's end. */
static int range_index(double number) {
    return number >= 1 && number < 1e6 ? (int)number - 1 : -1;
}

static void compile_path_wraps(builder *b, fb_path *path, const fb_value *wraps) {
    path->wraps = fb_arena_array(&b->p->arena, (size_t)wraps->n, sizeof *path->wraps);
    if (wraps->n > FB_MOST_WRAPS) {
        char what[100];
        snprintf(what, sizeof what, "it wraps over %d objects; at most %d can be computed",
                 wraps->n, FB_MOST_WRAPS);
        lack(b, path, what);
    }
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
        to->first = range_index(range[0]);
        to->last = range_index(range[1]);
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

/* Marks a body and those below it, down to the ground. */
static void count_body(const fb_system *s, int body, int *counts) {
    for (int i = body; i > 0; i = s->branches[i].parent) {
        counts[i]++;
    }
}

/* The coordinates that move one of a path's bodies against another: those of joints below some of
 * them, not below all. */
static void list_coordinates(builder *b, fb_path *path) {
    const fb_system *s = b->p->system;
    int all = path->n_points + path->n_wraps;
    int *counts = fb_arena_array(&b->p->arena, (size_t)s->n_body, sizeof *counts);
    bool *moves = fb_arena_array(&b->p->arena, (size_t)s->n_q + 1, sizeof *moves);
    for (int i = 0; i < path->n_points; i++) {
        const fb_path_point *point = &path->points[i];
        count_body(s, point->body, counts);
        path->linked |= point->kind == FB_POINT_LINK;
        for (int k = 0; point->kind == FB_POINT_MOVING && k < 3; k++) {
            if (point->coordinate[k] >= 0) { /* and its joint's others: angles share their speeds */
                const fb_branch *joint = &s->branches[s->coordinates[point->coordinate[k]].mobod];
                memset(moves + joint->q, true, (size_t)(joint->end - joint->q));
            }
        }
    }
    for (int i = 0; i < path->n_wraps; i++) {
        int body = b->p->wraps[path->wraps[i].wrap].body;
        count_body(s, body < 0 ? 0 : body, counts);
    }
    for (int i = 1; i < s->n_body; i++) {
        if (counts[i] > 0 && (counts[i] < all || b->p->as_opensim4)) {
            memset(moves + s->branches[i].q, true, (size_t)(s->branches[i].end - s->branches[i].q));
        }
    }
    for (int i = 0; i < path->n_arguments; i++) {
        moves[path->arguments[i]] = true;
    }
    path->coordinates = fb_arena_array(&b->p->arena, (size_t)s->n_q, sizeof *path->coordinates);
    for (int i = 0; i < s->n_q; i++) {
        if (moves[i] || path->linked) { /* a virtual link moves with whatever pulls at it */
            path->coordinates[path->n_coordinates++] = i;
        }
    }
}

static void compile_path(builder *b, const fb_element *owner, const fb_element *from) {
    fb_path path = {.owner = owner};
    const fb_value *points = fb_get(from, "points"), *wraps = fb_get(from, "wraps");
    if (strcmp(from->cls->name, "FunctionBasedPath") == 0) {
        compile_function_path(b, &path, from);
    } else if (strcmp(from->cls->name, "GeometryPath") != 0) {
        lack(b, &path, "paths of its kind cannot be evaluated yet");
    } else {
        int n = points ? points->n : 0;
        path.points = fb_arena_array(&b->p->arena, (size_t)n, sizeof *path.points);
        for (int i = 0; i < n; i++) {
            if (points->as.objects[i]->cls != &fb_class_kept) {
                compile_point(b, &path.points[path.n_points++], points->as.objects[i], owner);
            } else if (!path.lacking) {
                lack(b, &path, "its path has a point of a class that is not known");
            }
        }
        if (path.n_points < 2 || path.lacking) {
            path.n_points = 0; /* a path that is nowhere; fb_model_check says so */
        }
        if (wraps && !path.lacking) {
            compile_path_wraps(b, &path, wraps);
        }
    }
    if (b->status == FB_OK) {
        list_coordinates(b, &path);
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
    const fb_list *links = fb_model_items(model, "virtual_links");
    b->p->links = (const fb_element *const *)links->items;
    b->p->n_links = (int)links->n;
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

int fb_paths_find(const fb_paths *paths, const fb_element *owner) {
    for (int i = 0; i < paths->n_paths; i++) {
        if (paths->paths[i].owner == owner) {
            return i;
        }
    }
    return -1;
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
    course->length = path->lacking ? FB_NAN : 0;
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
        if (point->kind == FB_POINT_LINK) {
            to->body = -1 - point->link;
        }
        if (point->kind == FB_POINT_LINK && course->links) {
            fb_v3_copy(to->place, course->links[point->link]);
        } else {
            place_point(point, state, to->place);
        }
        fb_v3_copy(to->site, to->place);
    }
    if (path->n_wraps > 0 && !paths->as_opensim4) {
        fb_course_wrap(paths, path, state, course);
    } else if (path->n_wraps > 0) {
        fb_course_wrap_opensim4(paths, path, state, course);
    } else {
        course->length += fb_course_length(course); /* nan stays nan */
    }
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

/* How a point of a course moves, in ground. */
static void course_velocity(const fb_path *path, const fb_state *state, const fb_course *course,
                            const fb_course_point *point, bool as_opensim4, double *v) {
    if (point->body < 0) { /* at a virtual link */
        fb_v3_copy(v, course->link_velocity ? course->link_velocity[-1 - point->body]
                                            : (const double[3]){0, 0, 0});
        return;
    }
    fb_point_velocity(v, state, point->body, point->site);
    if (is_moving(path, point)) {
        double drift[3];
        drift_velocity(&path->points[point->source], state, as_opensim4, drift);
        fb_v3_add(v, v, drift);
    }
}

/* The speed as OpenSim 4 has it: between each two points, those on one body included. There it is
 * not 0 if a point moves in its body, or if the places of wrap points are not those that their
 * velocities are of. */
static double speed_opensim4(const fb_path *path, const fb_state *state, const fb_course *course) {
    double speed = 0, v[2][3] = {{0}}, direction[3], relative[3];
    for (int k = 0; k < course->n; k++) {
        const fb_course_point *point = &course->points[k];
        fb_v3_copy(v[0], v[1]);
        course_velocity(path, state, course, point, true, v[1]);
        if (k > 0) {
            fb_v3_sub(direction, point->place, course->points[k - 1].place);
            fb_v3_sub(relative, v[1], v[0]);
            speed += fb_v3_normalize(direction) > 0 ? fb_v3_dot(relative, direction)
                                                    : fb_v3_norm(relative);
        }
    }
    return speed;
}

double fb_path_speed(const fb_paths *paths, int i, const fb_state *state, const fb_course *course) {
    const fb_path *path = &paths->paths[i];
    double speed = path->lacking ? FB_NAN : 0;
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
    if (paths->as_opensim4 && !path->lacking) {
        return speed_opensim4(path, state, course);
    }
    for (int k = 0; k + 1 < course->n; k++) {
        const fb_course_point *ends[2] = {&course->points[k], &course->points[k + 1]};
        double v[2][3], direction[3], relative[3];
        bool moves = is_moving(path, ends[0]) || is_moving(path, ends[1]);
        if ((ends[0]->body == ends[1]->body && !moves) || fb_course_on_surface(ends[0], ends[1])) {
            continue;
        }
        for (int e = 0; e < 2; e++) {
            course_velocity(path, state, course, ends[e], false, v[e]);
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

/* The generalised forces of a pull between two points along the line through them. What moves both
 * bodies does no work: only the joints between them count. */
static void add_pull(const fb_state *state, int from, int to, const double *point,
                     const double *direction, double *tau) {
    const fb_branch *branches = state->system->branches;
    double moment[3];
    fb_v3_cross(moment, point, direction);
    while (from != to) { /* bodies have greater numbers than what they hang on */
        bool first = from > to;
        const fb_branch *branch = &branches[first ? from : to];
        for (int c = branch->q; c < branch->end; c++) {
            const double *S = state->S[c];
            double work = fb_v3_dot(S, moment) + fb_v3_dot(S + 3, direction);
            tau[c] += first ? work : -work;
        }
        *(first ? &from : &to) = branch->parent;
    }
}

/* The same as OpenSim 4 has it: each point's force for itself, which is not the same where its
 * caches are stale. */
static void add_force(const fb_state *state, int body, const double *point, const double *force,
                      double *tau) {
    const fb_branch *branches = state->system->branches;
    double moment[3];
    fb_v3_cross(moment, point, force);
    for (int b = body; b > 0; b = branches[b].parent) {
        for (int c = branches[b].q; c < branches[b].end; c++) {
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
        if (slope != 0 && as_opensim4) {
            tau[point->coordinate[k]] += slope * in_frame[k];
        } else if (slope != 0) {
            fb_add_coordinate_row(state, tau, point->coordinate[k], slope * in_frame[k]);
        }
    }
}

static void course_arms(const fb_path *path, const fb_state *state, const fb_course *course,
                        double *arms) {
    for (int k = 0; k + 1 < course->n; k++) {
        const fb_course_point *a = &course->points[k], *b = &course->points[k + 1];
        bool sliding = is_moving(path, a) || is_moving(path, b);
        double direction[3];
        if (fb_course_on_surface(a, b) || (a->body == b->body && !sliding)) {
            continue;
        }
        fb_v3_sub(direction, b->site, a->site);
        if (fb_v3_normalize(direction) == 0) {
            continue;
        }
        add_pull(state, a->body > 0 ? a->body : 0, b->body > 0 ? b->body : 0, a->site, direction,
                 arms); /* a virtual link is held */
        if (is_moving(path, a)) {
            add_sliding(&path->points[a->source], state, false, direction, arms);
        }
        if (is_moving(path, b)) {
            fb_v3_scale(direction, -1, direction);
            add_sliding(&path->points[b->source], state, false, direction, arms);
        }
    }
}

static void course_arms_opensim4(const fb_path *path, const fb_state *state,
                                 const fb_course *course, double *arms) {
    for (int k = 0; k < course->n; k++) { /* the pull of both neighbours */
        const fb_course_point *point = &course->points[k];
        double force[3] = {0, 0, 0};
        for (int side = -1; side <= 1; side += 2) {
            if (k + side < 0 || k + side >= course->n) {
                continue;
            }
            const fb_course_point *other = &course->points[k + side];
            double direction[3];
            if (fb_course_on_surface(point, other) || point->body == other->body) {
                continue;
            }
            fb_v3_sub(direction, other->place, point->place);
            if (fb_v3_normalize(direction) == 0) {
                continue;
            }
            fb_v3_add(force, force, direction);
        }
        add_force(state, point->body, point->site, force, arms);
        if (is_moving(path, point)) {
            add_sliding(&path->points[point->source], state, true, force, arms);
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
    } else if (paths->as_opensim4) {
        course_arms_opensim4(path, state, course, arms);
    } else {
        course_arms(path, state, course, arms);
    }
}

double fb_path_speed_by_arms(const fb_paths *paths, int i, const fb_state *state,
                             const fb_course *course, const double *arms) {
    const fb_path *path = &paths->paths[i];
    if (paths->as_opensim4 || path->length || path->linked) {
        return fb_path_speed(paths, i, state, course);
    }
    double speed = path->lacking ? FB_NAN : 0;
    for (int k = 0; k < path->n_coordinates; k++) {
        int c = path->coordinates[k];
        speed -= arms[c] * state->u[c];
    }
    return speed;
}
