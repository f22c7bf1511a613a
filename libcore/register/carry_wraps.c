/* Wrap objects of a carried model: moved with the bone and refitted to where muscles touch them. */
#include "libcore/base/number.h"
#include "libcore/register/carry_internal.h"

#include <stdlib.h>

#define NEAR_BONE \
    0.02 /* m: how near to the bone a wrap's surface is kept as far from it as it was */
#define MOST_SAMPLES 400 /* of a surface */
#define POSES 7          /* of a coordinate, to see where muscles touch */
#define UNUSED 0.03      /* weight of surface that no muscle comes near */
#define STEPS 60         /* of the least-squares fit */
#define SHRINK 0.2       /* how much of its radius a wrap may lose to leave a point outside */
#define CLEAR 1e-6       /* m: how far outside the point is then */

/* A shape in its frame. */
typedef struct shape {
    fb_wrap_kind kind;
    fb_pose pose;
    double size[3]; /* as of fb_wrap */
} shape;

static const char *const size_keys[4][2] = {{"radius", NULL},
                                            {"radius", "length"},
                                            {"dimensions", NULL},
                                            {"inner_radius", "outer_radius"}};

static int n_sizes(fb_wrap_kind kind) { /* that a fit finds: not a cylinder's length */
    return kind == FB_WRAP_ELLIPSOID ? 3 : kind == FB_WRAP_TORUS ? 2 : 1;
}

static fb_wrap_kind kind_of(const fb_element *wrap) {
    return fb_get(wrap, "dimensions")     ? FB_WRAP_ELLIPSOID
           : fb_get(wrap, "inner_radius") ? FB_WRAP_TORUS
           : fb_get(wrap, "length")       ? FB_WRAP_CYLINDER
                                          : FB_WRAP_SPHERE;
}

static void get_shape(shape *s, const fb_element *wrap) {
    double angles[3] = {0, 0, 0};
    memset(s, 0, sizeof *s);
    s->kind = kind_of(wrap);
    fb_get_vector(wrap, "translation", s->pose.p, 3);
    fb_get_vector(wrap, "rotation_xyz", angles, 3);
    fb_m3_from_xyz(s->pose.R, angles);
    if (s->kind == FB_WRAP_ELLIPSOID) {
        fb_get_vector(wrap, "dimensions", s->size, 3);
        return;
    }
    for (int i = 0; i < 2; i++) {
        s->size[i] = size_keys[s->kind][i] ? fb_get_number(wrap, size_keys[s->kind][i]) : 0;
    }
}

static void set_sizes(fb_carry_job *job, fb_element *wrap, const shape *s) {
    if (s->kind == FB_WRAP_ELLIPSOID) {
        fb_carry_set(job, wrap, "dimensions", s->size, 3);
        return;
    }
    for (int i = 0; i < 2 && size_keys[s->kind][i]; i++) {
        fb_carry_set(job, wrap, size_keys[s->kind][i], &s->size[i], 1);
    }
}

/* Distance of a point from the surface, negative inside; of ellipsoids to first order. */
static double distance_local(fb_wrap_kind kind, const double *size, const double *x) {
    switch (kind) {
    case FB_WRAP_SPHERE: return fb_v3_norm(x) - size[0];
    case FB_WRAP_CYLINDER: return fb_length2(x[0], x[1]) - size[0];
    case FB_WRAP_TORUS: return fb_length2(fb_length2(x[0], x[1]) - size[1], x[2]) - size[0];
    default: break;
    }
    double k = 0, g = 0;
    for (int i = 0; i < 3; i++) {
        double u = x[i] / size[i];
        k += u * u;
        g += u * u / (size[i] * size[i]);
    }
    return k < 1e-12 ? -fb_lesser(size[0], fb_lesser(size[1], size[2]))
                     : sqrt(k) * (sqrt(k) - 1) / sqrt(g);
}

static double distance(const shape *s, const double *p) {
    double d[3], x[3];
    fb_v3_sub(d, p, s->pose.p);
    fb_m3_tmul_v3(x, s->pose.R, d);
    return distance_local(s->kind, s->size, x);
}

/* ---- samples ----------------------------------------------------------------------------------
 */

/* Point i of n on the surface, in the shape's own axes. */
static void sample(const shape *s, int i, int n, double *x) {
    double turn = 2 * M_PI * fmod(i * 0.6180339887498949, 1), share = (i + 0.5) / n;
    switch (s->kind) {
    case FB_WRAP_CYLINDER:
        fb_v3_set(x, s->size[0] * cos(turn), s->size[0] * sin(turn), (share - 0.5) * s->size[1]);
        break;
    case FB_WRAP_TORUS: {
        double tube = 2 * M_PI * share, r = s->size[1] + s->size[0] * cos(tube);
        fb_v3_set(x, r * cos(turn), r * sin(turn), s->size[0] * sin(tube));
        break;
    }
    default: {
        double z = 2 * share - 1, r = sqrt(1 - z * z);
        double a = s->kind == FB_WRAP_SPHERE ? s->size[0] : s->size[1],
               b = s->kind == FB_WRAP_SPHERE ? s->size[0] : s->size[2];
        fb_v3_set(x, s->size[0] * r * cos(turn), a * r * sin(turn), b * z);
    }
    }
}

typedef struct touch {
    double at[3]; /* in the wrap's own axes */
} touch;

typedef struct touches {
    touch *items;
    size_t n, capacity;
} touches;

static void look(fb_carry_job *job, int i, const char *wrap, fb_course *course, touches *t) {
    const fb_paths *paths = job->was.paths;
    fb_path_course(paths, i, job->was.state, course);
    for (int k = 0; k < course->n; k++) {
        int source = course->points[k].source;
        if (source >= 0 || -1 - source >= paths->paths[i].n_wraps) {
            continue;
        }
        const fb_wrap *w = &paths->wraps[paths->paths[i].wraps[-1 - source].wrap];
        if (strcmp(w->element->path, wrap) != 0) {
            continue;
        }
        double d[3], in_body[3], x[3];
        fb_v3_sub(d, course->points[k].place, job->was.state->pose[w->body].p);
        fb_m3_tmul_v3(in_body, job->was.state->pose[w->body].R, d);
        fb_v3_sub(d, in_body, w->pose.p);
        fb_m3_tmul_v3(x, w->pose.R, d);
        touch one = {{x[0], x[1], x[2]}};
        FB_PUSH(&job->scratch, t->items, t->n, t->capacity, one);
    }
}

static bool uses(const fb_paths *paths, const fb_path *path, const char *wrap) {
    for (int k = 0; k < path->n_wraps; k++) {
        if (strcmp(paths->wraps[path->wraps[k].wrap].element->path, wrap) == 0) {
            return true;
        }
    }
    return false;
}

/* Where paths touch a wrap as each of their coordinates goes through its range. */
static void find_touches(fb_carry_job *job, const char *wrap, touches *t) {
    const fb_paths *paths = job->was.paths;
    fb_state *state = job->was.state;
    if (!paths || paths->n_links > 0) {
        return;
    }
    fb_course course = {.points = fb_arena_array(&job->scratch, (size_t)paths->most_points + 1,
                                                 sizeof *course.points)};
    for (int i = 0; i < paths->n_paths; i++) {
        const fb_path *path = &paths->paths[i];
        if (path->lacking || !uses(paths, path, wrap)) {
            continue;
        }
        look(job, i, wrap, &course, t);
        for (int c = 0; c < path->n_coordinates; c++) {
            int q = path->coordinates[c];
            const double *range = paths->system->coordinates[q].range;
            double was = state->q[q];
            for (int k = 0; k < POSES && range[1] > range[0] && range[1] - range[0] < 7; k++) {
                state->q[q] = range[0] + (range[1] - range[0]) * k / (POSES - 1);
                fb_state_position(state);
                look(job, i, wrap, &course, t);
            }
            state->q[q] = was;
            fb_state_position(state);
        }
    }
}

/* ---- the fit ----------------------------------------------------------------------------------
 */

typedef struct fit {
    shape start;
    double (*points)[3], *weight;
    int n;
    double length; /* m: of the shape, for the prior */
} fit;

#define MOST_PARAMETERS 9

/* A shape from parameters: shift, turn, logarithms of sizes. */
static shape shape_at(const fit *f, const double *x) {
    shape s = f->start;
    double angle = fb_v3_norm(x + 3), R[9], axis[3] = {1, 0, 0};
    if (angle > 0) {
        fb_v3_scale(axis, 1 / angle, x + 3);
    }
    fb_v3_madd(s.pose.p, f->length, x);
    fb_m3_rotation(R, axis, angle);
    fb_m3_mul(s.pose.R, R, f->start.pose.R);
    for (int i = 0; i < n_sizes(s.kind); i++) {
        s.size[i] *= exp(x[6 + i]);
    }
    return s;
}

static double cost(const fit *f, const double *x, int m, double *residual) {
    shape s = shape_at(f, x);
    double sum = 0;
    for (int k = 0; k < f->n; k++) {
        residual[k] = sqrt(f->weight[k]) * distance(&s, f->points[k]) / f->length;
        sum += residual[k] * residual[k];
    }
    for (int i = 0; i < m; i++) {
        residual[f->n + i] = 1e-4 * x[i]; /* what the points do not say stays */
        sum += residual[f->n + i] * residual[f->n + i];
    }
    return sum;
}

/* Solves the normal equations with damping by elimination; m at most MOST_PARAMETERS. */
static bool solve(double A[MOST_PARAMETERS][MOST_PARAMETERS + 1], int m, double *x) {
    for (int i = 0; i < m; i++) {
        if (!(fabs(A[i][i]) > 1e-300)) {
            return false;
        }
        for (int r = i + 1; r < m; r++) { /* positive definite: no pivots needed */
            double k = A[r][i] / A[i][i];
            for (int c = i; c <= m; c++) {
                A[r][c] -= k * A[i][c];
            }
        }
    }
    for (int i = m - 1; i >= 0; i--) {
        x[i] = A[i][m];
        for (int c = i + 1; c < m; c++) {
            x[i] -= A[i][c] * x[c];
        }
        x[i] /= A[i][i];
    }
    return true;
}

/* Levenberg and Marquardt's method with derivatives by differences. */
static shape best(const fit *f) {
    int m = 6 + n_sizes(f->start.kind), rows = f->n + m;
    double x[MOST_PARAMETERS] = {0}, damping = 1e-3;
    double *r = fb_alloc((size_t)rows * (size_t)(m + 2) * sizeof *r);
    if (!r) {
        return f->start;
    }
    double *ahead = r + rows, *J = ahead + rows;
    double now = cost(f, x, m, r);
    for (int step = 0; step < STEPS && now > 1e-24; step++) {
        for (int i = 0; i < m; i++) {
            double at[MOST_PARAMETERS], h = 1e-6;
            memcpy(at, x, sizeof at);
            at[i] += h;
            cost(f, at, m, ahead);
            for (int k = 0; k < rows; k++) {
                J[i * rows + k] = (ahead[k] - r[k]) / h;
            }
        }
        double A[MOST_PARAMETERS][MOST_PARAMETERS + 1], next[MOST_PARAMETERS], d[MOST_PARAMETERS];
        for (int i = 0; i < m; i++) {
            for (int c = 0; c <= m; c++) {
                const double *b = c < m ? J + c * rows : r;
                A[i][c] = 0;
                for (int k = 0; k < rows; k++) {
                    A[i][c] += (c < m ? 1 : -1) * J[i * rows + k] * b[k];
                }
            }
            A[i][i] *= 1 + damping;
        }
        if (!solve(A, m, d)) {
            break;
        }
        double size = 0;
        for (int i = 0; i < m; i++) {
            next[i] = x[i] + d[i];
            size = fb_greater(size, fabs(d[i]));
        }
        double then = cost(f, next, m, ahead);
        if (then < now) {
            memcpy(x, next, sizeof x);
            memcpy(r, ahead, (size_t)rows * sizeof *r);
            damping /= 5;
            if (now - then < 1e-16 * now || size < 1e-12) {
                break;
            }
            now = then;
        } else if ((damping *= 4) > 1e8) {
            break;
        }
    }
    fb_free(r);
    return shape_at(f, x);
}

/* Takes back the turn that a fit cannot see: of a sphere all, of cylinders and tori that about
 * their axis; quadrants hang on it. */
static void keep_turn(shape *now, const shape *scaled) {
    if (now->kind == FB_WRAP_ELLIPSOID) {
        return;
    }
    double a[3] = {scaled->pose.R[2], scaled->pose.R[5], scaled->pose.R[8]};
    double b[3] = {now->pose.R[2], now->pose.R[5], now->pose.R[8]}, n[3], R[9];
    memcpy(now->pose.R, scaled->pose.R, sizeof R);
    fb_v3_cross(n, a, b);
    double s = fb_v3_normalize(n);
    if (now->kind != FB_WRAP_SPHERE && s > 1e-12) {
        fb_m3_rotation(R, n, atan2(s, fb_v3_dot(a, b)));
        fb_m3_mul(now->pose.R, R, scaled->pose.R);
    }
}

/* ---- one wrap ---------------------------------------------------------------------------------
 */

static bool sensible(const shape *s, const shape *scaled) {
    for (int i = 0; i < n_sizes(s->kind); i++) {
        if (!(s->size[i] > 0.5 * scaled->size[i] && s->size[i] < 2 * scaled->size[i])) {
            return false;
        }
    }
    return fb_v3_distance(s->pose.p, scaled->pose.p) < fb_greater(0.02, s->size[0]);
}

/* Points of the old surface on the new bone: mapped, then as far from the bone as they were.
 * Returns the greatest correction, m. */
static double lay(fb_carry_job *job, const fb_carry_frame *frame, const shape *old, fit *f,
                  const touches *t) {
    double most = 0, reach = fb_greater(0.01, old->size[0]);
    for (int k = 0; k < f->n; k++) {
        double x[3], p[3], in_body[3], now[3], nearest[3], normal[3], near = FB_INFINITY;
        sample(old, k, f->n, x);
        for (size_t i = 0; i < t->n; i++) {
            near = fb_lesser(near, fb_v3_distance(x, t->items[i].at));
        }
        f->weight[k] = t->n == 0 ? 1 : fb_greater(UNUSED, exp(-near * near / (reach * reach)));
        fb_pose_point(p, &old->pose, x);
        fb_transform_point(&frame->map, p, f->points[k]);
        fb_pose_point(in_body, &frame->before, p);
        double before = fb_carry_bone_before(job, frame->body, in_body);
        if (!(fabs(before) < NEAR_BONE) || f->weight[k] <= UNUSED) {
            continue;
        }
        fb_pose_point(now, &frame->after, f->points[k]);
        double after = fb_carry_bone_after(job, frame->body, now, nearest, normal);
        double by = (before * frame->scale - after) * (1 - fabs(before) / NEAR_BONE);
        if (!isfinite(by)) {
            continue;
        }
        by = fb_greater(-NEAR_BONE / 2, fb_lesser(NEAR_BONE / 2, by));
        most = fb_greater(most, fabs(by));
        double d[3];
        fb_m3_tmul_v3(d, frame->after.R, normal);
        fb_v3_madd(f->points[k], by, d);
    }
    return most;
}

void fb_carry_wrap(fb_carry_job *job, fb_element *wrap) {
    const fb_carry_frame *frame = fb_carry_frame_of(job, fb_get_target(wrap, "frame"));
    shape old, scaled;
    double angles[3] = {0, 0, 0};
    if (!frame) {
        return;
    }
    const char *quadrant = fb_get_string(wrap, "quadrant");
    if (frame->map.mirrored && quadrant && strchr(quadrant, 'z')) { /* its own z is mirrored */
        const char *other = quadrant[0] == '-' ? (quadrant[1] ? "+z" : "z") : "-z";
        fb_value_set_string(job->model, fb_value_of(wrap, "quadrant"), other);
    }
    if (frame->same) {
        return;
    }
    get_shape(&old, wrap);
    fb_get_vector(wrap, "rotation_xyz", angles, 3);
    scaled = old;
    fb_transform_point(&frame->map, old.pose.p, scaled.pose.p);
    bool turned = fb_carry_turn_xyz(&frame->map, old.pose.p, angles);
    if (turned) {
        fb_m3_from_xyz(scaled.pose.R, angles);
    }
    for (int i = 0; i < 3; i++) {
        double axis[3] = {old.pose.R[i], old.pose.R[3 + i], old.pose.R[6 + i]};
        double along = frame->similar ? frame->scale
                                      : fb_carry_stretch(&frame->map, old.pose.p, axis);
        double mean = frame->similar ? frame->scale
                                     : cbrt(fabs(fb_carry_determinant(&frame->map, old.pose.p)));
        bool own = old.kind == FB_WRAP_ELLIPSOID;
        if (own) {
            scaled.size[i] *= along;
        } else if (i < 2) {
            scaled.size[i] *= mean;
        } else if (old.kind == FB_WRAP_CYLINDER) { /* i = 2: along its axis */
            scaled.size[1] = old.size[1] * along;
        }
    }
    shape now = scaled;
    fb_carried item = {.element = wrap, .what = 'w', .to_bone = FB_NAN, .before = FB_NAN};
    const fb_body_map *body = frame->body < 0 ? NULL : &job->maps[frame->body];
    bool bones = !job->uniform && body && body->from && body->to;
    if (!frame->similar || bones) {
        fit f = {.start = scaled, .n = MOST_SAMPLES, .length = fb_greater(scaled.size[0], 1e-3)};
        touches t = {0};
        f.points = fb_arena_array(&job->scratch, MOST_SAMPLES, sizeof *f.points);
        f.weight = fb_arena_array(&job->scratch, MOST_SAMPLES, sizeof *f.weight);
        find_touches(job, wrap->path, &t);
        double most = lay(job, frame, &old, &f, &t);
        if (!frame->similar || most > 1e-7) {
            now = best(&f);
            keep_turn(&now, &scaled);
            if (!sensible(&now, &scaled)) {
                now = scaled;
                item.note = "could not be refitted: its sizes are scaled";
                fb_carry_tell(job, FB_APPROXIMATED, wrap,
                              "no shape of its kind near its old size fits the new bone: it is "
                              "only scaled");
            }
        }
    }
    fb_carry_set(job, wrap, "translation", now.pose.p, 3);
    if (memcmp(now.pose.R, scaled.pose.R, sizeof now.pose.R) != 0) {
        fb_carry_to_xyz(now.pose.R, angles);
        fb_carry_set(job, wrap, "rotation_xyz", angles, 3);
    } else if (turned) {
        fb_carry_set(job, wrap, "rotation_xyz", angles, 3);
    }
    set_sizes(job, wrap, &now);
    item.moved = fb_v3_distance(now.pose.p, scaled.pose.p);
    if (frame->body >= 0 && !job->uniform) {
        double p[3];
        fb_pose_point(p, &frame->before, old.pose.p);
        item.before = fb_carry_bone_before(job, frame->body, p);
        fb_pose_point(p, &frame->after, now.pose.p);
        item.to_bone = fb_carry_bone_after(job, frame->body, p, NULL, NULL);
        fb_carry_note(job, &item);
    }
}

/* ---- points inside ----------------------------------------------------------------------------
 */

/* A path's own point in a wrap's axes in the default pose; false if it moves or hangs elsewhere. */
static bool in_wrap(const fb_carry_lengths *l, const fb_path_point *point, const fb_wrap *wrap,
                    double *x) {
    double ground[3], d[3], in_body[3];
    if (point->kind != FB_POINT_FIXED && point->kind != FB_POINT_CONDITIONAL) {
        return false;
    }
    fb_pose_point(ground, &l->state->pose[point->body], point->location);
    fb_v3_sub(d, ground, l->state->pose[wrap->body].p);
    fb_m3_tmul_v3(in_body, l->state->pose[wrap->body].R, d);
    if (point->body == wrap->body) {
        fb_v3_copy(in_body, point->location);
    }
    fb_v3_sub(d, in_body, wrap->pose.p);
    fb_m3_tmul_v3(x, wrap->pose.R, d);
    return true;
}

/* Makes a wrap leave a point outside that lies `deep` inside it: less thick, or beyond that
 * further away along the line from the point through the nearest place of its core. */
static void make_room(fb_carry_job *job, const fb_wrap *wrap, const fb_element *owner, double deep,
                      const double *x) {
    fb_element *element = NULL;
    fb_list *wraps = fb_model_list(job->model, "wraps");
    for (size_t i = 0; i < wraps->n; i++) {
        element = wraps->items[i] == wrap->element ? wraps->items[i] : element;
    }
    if (!element) {
        return;
    }
    shape s;
    get_shape(&s, element);
    double least = s.size[0];
    for (int i = 1; s.kind == FB_WRAP_ELLIPSOID && i < 3; i++) {
        least = fb_lesser(least, s.size[i]);
    }
    deep += CLEAR;
    if (deep <= SHRINK * least) {
        double k = 0;
        for (int i = 0; s.kind == FB_WRAP_ELLIPSOID && i < 3; i++) {
            k += x[i] * x[i] / (s.size[i] * s.size[i]);
        }
        k = s.kind == FB_WRAP_ELLIPSOID ? sqrt(k) * (1 - CLEAR / least) : 1 - deep / s.size[0];
        for (int i = 0; i < n_sizes(s.kind); i++) {
            s.size[i] *= i == 1 && s.kind == FB_WRAP_TORUS ? 1 : k;
        }
        set_sizes(job, element, &s);
    } else {
        double away[3] = {-x[0], -x[1], s.kind == FB_WRAP_CYLINDER ? 0 : -x[2]}, d[3];
        if (fb_v3_normalize(away) == 0) {
            away[0] = 1;
        }
        fb_m3_mul_v3(d, s.pose.R, away);
        fb_v3_madd(s.pose.p, deep, d);
        fb_carry_set(job, element, "translation", s.pose.p, 3);
    }
    fb_carry_tell(job, FB_WARNING, element,
                  "a point of '%s' would lie %.1f mm inside it: it is %s by as much",
                  owner && owner->name ? owner->name : "", 1e3 * deep,
                  deep <= SHRINK * least ? "made thinner" : "moved away");
}

/* Finds the deepest point that is newly inside a wrap; false if there is none. */
static bool find_inside(fb_carry_job *job, const fb_carry_lengths *now, int w) {
    double deepest = CLEAR / 10, at[3] = {0, 0, 0};
    const fb_element *owner = NULL;
    for (int i = 0; i < now->paths->n_paths; i++) {
        const fb_path *path = &now->paths->paths[i], *was = &job->was.paths->paths[i];
        bool on = false;
        for (int k = 0; k < path->n_wraps; k++) {
            on = on || path->wraps[k].wrap == w;
        }
        for (int k = 0; on && k < path->n_points && k < was->n_points; k++) {
            double x[3], y[3];
            if (!in_wrap(now, &path->points[k], &now->paths->wraps[w], x) ||
                !in_wrap(&job->was, &was->points[k], &job->was.paths->wraps[w], y)) {
                continue;
            }
            const fb_wrap *a = &job->was.paths->wraps[w], *b = &now->paths->wraps[w];
            double before = distance_local(a->kind, a->size, y);
            double after = distance_local(b->kind, b->size, x);
            if (before >= -CLEAR / 10 && -after > deepest) {
                deepest = -after;
                fb_v3_copy(at, x);
                owner = path->owner;
            }
        }
    }
    if (deepest > CLEAR / 10) {
        make_room(job, &now->paths->wraps[w], owner, deepest, at);
        return true;
    }
    return false;
}

void fb_carry_wraps(fb_carry_job *job) {
    for (int round = 0; round < 5 && job->was.paths && job->changed; round++) {
        fb_carry_lengths now;
        bool again = false;
        if (fb_lengths_begin(&now, job->model) && now.paths &&
            now.paths->n_paths == job->was.paths->n_paths &&
            now.paths->n_wraps == job->was.paths->n_wraps) {
            for (int w = 0; w < now.paths->n_wraps; w++) {
                again = find_inside(job, &now, w) || again;
            }
        }
        fb_lengths_end(&now);
        if (!again) {
            return;
        }
    }
}
