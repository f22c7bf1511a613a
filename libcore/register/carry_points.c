/* Places, directions and sizes of a carried model by the rules of their fields; ends of paths on
 * bones; lengths at rest. */
#include "libcore/base/number.h"
#include "libcore/register/carry_internal.h"

#include <stdlib.h>

#define DEPTH 1e-3   /* m: how deep in the bone an end may lie, unless the caller says */
#define OUTSIDE 1e-6 /* m: where it is put then */

static const double square[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

static bool is(const fb_element *element, const char *cls) {
    return strcmp(element->cls->name, cls) == 0;
}

/* ---- ends of paths ----------------------------------------------------------------------------
 */

/* The force that owns a point of a path, and which point it is: origin, insertion, via. */
static char point_of(const fb_element *point, const fb_element **force) {
    const fb_element *path = point->owner;
    while (path && path->cls->family != FB_PATH) {
        path = path->owner;
    }
    *force = path ? path->owner : NULL;
    const fb_value *points = fb_get(path, "points");
    const char *key = points ? NULL : "elements";
    const fb_value *all = points ? points : fb_get(path, "elements");
    if (!all || all->n == 0) {
        return 'v';
    }
    const fb_element *first = all->as.objects[0], *last = all->as.objects[all->n - 1];
    const fb_element *self = key ? point->owner : point;
    return self == first ? 'o' : self == last ? 'i' : 'v';
}

/* Puts an end that lies too deep in the new bone on its surface; reports the point. `to` is in the
 * frame. */
static void settle(fb_carry_job *job, fb_element *point, const fb_carry_frame *frame,
                   const double *from, double *to) {
    fb_carried item = {.element = point, .to_bone = FB_NAN, .before = FB_NAN};
    if (job->uniform || frame->body < 0) {
        return;
    }
    bool attached = point->cls->family == FB_PATH_POINT;
    double old[3], now[3], nearest[3], normal[3], plain[3];
    item.what = 'm';
    if (attached) {
        item.what = point_of(point, &item.owner);
    }
    fb_pose_point(old, &frame->before, from);
    fb_pose_point(now, &frame->after, to);
    item.before = fb_carry_bone_before(job, frame->body, old);
    item.to_bone = fb_carry_bone_after(job, frame->body, now, nearest, normal);
    double depth = job->options && job->options->depth > 0 ? job->options->depth : DEPTH;
    bool muscle = item.owner && item.owner->cls->family == FB_FORCE;
    bool end = item.what == 'o' || item.what == 'i' ||
               (item.what == 'v' && job->options && job->options->snap_via);
    if (muscle && item.to_bone < -depth) {
        if (end && !fb_carry_same(&job->bodies[frame->body])) {
            double d[3];
            fb_v3_copy(now, nearest);
            fb_v3_madd(now, OUTSIDE, normal);
            fb_v3_sub(d, now, frame->after.p);
            fb_m3_tmul_v3(to, frame->after.R, d);
            item.snapped = true;
            item.note = fb_arena_printf(job->report ? &job->report->arena : &job->scratch,
                                        "was %.1f mm inside the bone", -1e3 * item.to_bone);
            item.to_bone = fb_carry_bone_after(job, frame->body, now, NULL, NULL);
        } else if (item.what == 'v') {
            item.note = "inside the bone";
        }
    }
    const fb_carry_frame *body =
        fb_carry_frame_of(job, fb_model_items(job->model, "bodies")->items[frame->body]);
    fb_v3_scale(plain, body->scale, old);
    item.moved = fb_v3_distance(now, plain);
    fb_carry_note(job, &item);
}

/* ---- rules ------------------------------------------------------------------------------------
 */

static void carry_point(fb_carry_job *job, fb_element *element, const fb_field *field,
                        const fb_carry_frame *frame, const fb_field *turned) {
    double p[3], q[3], angles[3];
    if (!fb_get_vector(element, field->key, p, 3)) {
        return;
    }
    fb_transform_point(&frame->map, p, q);
    if (element->cls->family == FB_PATH_POINT || element->cls->family == FB_MARKER) {
        settle(job, element, frame, p, q);
    }
    if (memcmp(p, q, sizeof p) != 0 && !frame->same) {
        fb_carry_set(job, element, field->key, q, 3);
    }
    if (turned && fb_get_vector(element, turned->key, angles, 3) &&
        fb_carry_turn_xyz(&frame->map, p, angles)) {
        fb_carry_set(job, element, turned->key, angles, 3);
    }
}

static void carry_direction(fb_carry_job *job, fb_element *element, const char *key,
                            const fb_carry_frame *frame, bool axis) {
    static const double origin[3] = {0, 0, 0};
    double a[3], b[3], Q[9];
    if (frame->same || !fb_get_vector(element, key, a, 3)) {
        return;
    }
    fb_carry_orthogonal(&frame->map, origin, Q);
    fb_m3_mul_v3(b, Q, a);
    if (axis && frame->map.mirrored) {
        fb_v3_scale(b, -1, b);
    }
    if (memcmp(a, b, sizeof a) != 0) {
        fb_carry_set(job, element, key, b, 3);
    }
}

/* Sizes along the shape's own axes, which the element's orientation (already turned) gives. */
static void carry_sizes(fb_carry_job *job, fb_element *element, const char *key,
                        const fb_carry_frame *frame) {
    double x[3], p[3] = {0, 0, 0}, R[9], J[9], Q[9], A[9];
    double angles[3] = {0, 0, 0};
    if (frame->same || !fb_get_vector(element, key, x, 3)) {
        return;
    }
    fb_get_vector(element, "orientation", angles, 3);
    fb_m3_from_xyz(R, angles);
    fb_transform_jacobian(&frame->map, p, J);
    fb_carry_orthogonal(&frame->map, p, Q);
    fb_m3_mult(A, J, Q); /* the stretch in the new axes */
    for (int i = 0; i < 3; i++) {
        double axis[3] = {R[i], R[3 + i], R[6 + i]}, moved[3];
        fb_m3_mul_v3(moved, A, axis);
        x[i] *= frame->similar ? frame->scale : fb_v3_dot(axis, moved);
    }
    fb_carry_set(job, element, key, x, 3);
}

static void carry_number(fb_carry_job *job, fb_element *element, const fb_field *field, double k) {
    const fb_value *value = fb_get(element, field->key);
    double x[2];
    if (k == 1 || !value || value->n > 2) {
        return;
    }
    for (int i = 0; i < value->n; i++) {
        x[i] = k * (field->type == FB_NUMBER ? value->as.number : value->as.numbers[i]);
    }
    fb_carry_set(job, element, field->key, x, value->n);
}

static bool anything_moves(const fb_carry_job *job) {
    for (int i = 0; i < job->n_maps; i++) {
        if (!fb_carry_same(&job->bodies[i])) {
            return true;
        }
    }
    return false;
}

static void apply(fb_carry_job *job, fb_element *element, int i) {
    const fb_field *field = &element->cls->fields[i];
    const fb_carry_row *row = fb_carry_row_of(element->cls, field);
    if (!row) {
        if (fb_carry_needs_rule(field) && anything_moves(job)) {
            fb_carry_tell(job, FB_APPROXIMATED, element, "nothing is known of how '%s' is carried",
                          field->key);
        }
        return;
    }
    if (row->unless && fb_get_bool(element, row->unless)) {
        return;
    }
    const fb_element *of = row->of ? fb_get_target(element, row->of) : NULL;
    const fb_carry_frame *frame = NULL;
    switch (row->rule) {
    case FB_CARRY_POINT:
    case FB_CARRY_POSE:
    case FB_CARRY_DIRECTION:
    case FB_CARRY_AXIS:
    case FB_CARRY_SIZE:
    case FB_CARRY_SIZES:
        if (!of || !(frame = fb_carry_frame_of(job, of))) {
            return;
        }
        break;
    default: break;
    }
    switch (row->rule) {
    case FB_CARRY_POINT: carry_point(job, element, field, frame, NULL); break;
    case FB_CARRY_POSE: carry_point(job, element, field, frame, field + 1); break;
    case FB_CARRY_DIRECTION:
    case FB_CARRY_AXIS:
        carry_direction(job, element, field->key, frame, row->rule == FB_CARRY_AXIS);
        break;
    case FB_CARRY_SIZE: carry_number(job, element, field, frame->scale); break;
    case FB_CARRY_SIZES: carry_sizes(job, element, field->key, frame); break;
    case FB_CARRY_COORDINATE: carry_number(job, element, field, fb_carry_factor(job, of)); break;
    case FB_CARRY_PER_COORDINATE:
        carry_number(job, element, field, 1 / fb_carry_factor(job, of));
        break;
    case FB_CARRY_FORMULA:
        if (anything_moves(job)) {
            fb_carry_tell(job, FB_APPROXIMATED, element,
                          "its formula is left as it is, though lengths have changed");
        }
        break;
    default: break;
    }
}

/* ---- places that are functions -----------------------------------------------------------------
 */

void fb_carry_moving_point(fb_carry_job *job, fb_element *point) {
    static const char *const keys[] = {"x", "y", "z"}, *const by[] = {"x_coordinate",
                                                                      "y_coordinate",
                                                                      "z_coordinate"};
    fb_element *owners[3] = {point, point, point};
    fb_value *slots[3];
    const fb_element *on[3];
    const fb_carry_frame *frame = fb_carry_frame_of(job, fb_get_target(point, "frame"));
    for (int i = 0; i < 3; i++) {
        slots[i] = fb_value_of(point, keys[i]);
        on[i] = fb_get_target(point, by[i]);
        double c = fb_carry_factor(job, on[i]);
        if (!fb_carry_arguments(job->model, point, slots[i], &c, 1)) {
            fb_carry_tell(job, FB_APPROXIMATED, point,
                          "its function of a coordinate that slides is left as it is");
        }
    }
    if (!frame || frame->same) {
        return;
    }
    if (!fb_carry_place(job, owners, slots, on, square, square, &frame->map)) {
        fb_carry_tell(job, FB_APPROXIMATED, point,
                      "its functions follow the bone exactly at their knots, or in the default "
                      "pose, only");
    }
    job->changed = true;
}

static void carry_pushed_point(fb_carry_job *job, fb_element *force) {
    const fb_carry_frame *frame = fb_carry_frame_of(job, fb_get_target(force, "frame"));
    fb_value *value = fb_value_of(force, "point_functions");
    if (!frame || frame->same || fb_get_bool(force, "point_is_global") || value->n != 3) {
        return;
    }
    fb_value one[3], *slots[3];
    fb_element *owners[3] = {force, force, force};
    const fb_element *on[3] = {NULL, NULL, NULL};
    for (int i = 0; i < 3; i++) {
        one[i] = (fb_value){.present = true, .n = 1, .as.object = value->as.objects[i]};
        slots[i] = &one[i];
    }
    fb_carry_place(job, owners, slots, on, square, square, &frame->map);
    for (int i = 0; i < 3; i++) {
        one[i].as.object->name = value->as.objects[i]->name;
        value->as.objects[i] = one[i].as.object;
    }
    if (!frame->similar) {
        fb_carry_tell(job, FB_APPROXIMATED, force,
                      "the functions of its point are scaled along each axis");
    }
    job->changed = true;
}

/* Mean scale of the bodies that a path's coordinates move; *equal: it is the same for all. */
static double scale_of(fb_carry_job *job, const fb_value *coordinates, bool *equal) {
    double sum = 0, first = 0;
    int n = 0;
    *equal = true;
    for (int i = 0; coordinates && i < coordinates->n; i++) {
        const fb_element *coordinate = coordinates->as.refs[i].target;
        const fb_element *joint = coordinate ? coordinate->owner : NULL;
        const fb_carry_side *sides = joint && joint->path ? fb_table_find(&job->sides, joint->path)
                                                          : NULL;
        for (int k = 0; sides && k < 2; k++) {
            if (sides[k].frame.body >= 0) {
                first = n == 0 ? sides[k].frame.scale : first;
                *equal = *equal && sides[k].frame.similar && sides[k].frame.scale == first;
                sum += sides[k].frame.scale;
                n++;
            }
        }
    }
    return n == 0 ? 1 : *equal ? first : sum / n;
}

void fb_carry_function_path(fb_carry_job *job, fb_element *path) {
    const fb_value *on = fb_get(path, "coordinates");
    bool equal;
    double k = scale_of(job, on, &equal), c[FB_MAX_ARGUMENTS];
    int n = on ? on->n : 0;
    if ((k == 1 && equal) || 2 * n > FB_MAX_ARGUMENTS) {
        if (k != 1) {
            fb_carry_tell(job, FB_APPROXIMATED, path, "its functions of many coordinates are left");
        }
        return;
    }
    bool said = true;
    for (int i = 0; i < n; i++) {
        c[i] = c[n + i] = fb_carry_factor(job, on->as.refs[i].target);
    }
    fb_value *length = fb_value_of(path, "length"), *speed = fb_value_of(path, "lengthening_speed");
    said = fb_carry_arguments(job->model, path, length, c, n) && said;
    said = fb_carry_arguments(job->model, path, speed, c, 2 * n) && said;
    fb_carry_affine(job->model, path, length, k, 0);
    fb_carry_affine(job->model, path, speed, k, 0);
    const fb_value *arms = fb_get(path, "moment_arms");
    for (int i = 0; arms && i < arms->n; i++) {
        fb_value slot = {.present = true, .n = 1, .as.object = arms->as.objects[i]};
        said = fb_carry_arguments(job->model, path, &slot, c, n) && said;
        fb_carry_affine(job->model, path, &slot, k / (i < n ? c[i] : 1), 0);
        arms->as.objects[i] = slot.as.object;
    }
    if (!equal || !said) {
        fb_carry_tell(job, FB_APPROXIMATED, path,
                      "its length is a function of coordinates: it is scaled by the mean of its "
                      "bodies' scales");
    }
    job->changed = true;
}

/* Where a Scholz path begins to look for contact, in the surface's own axes. */
static void carry_hint(fb_carry_job *job, fb_element *obstacle) {
    const fb_element *surface = fb_get_target(obstacle, "contact_geometry");
    const fb_carry_frame *frame = surface ? fb_carry_frame_of(job, fb_get_target(surface, "frame"))
                                          : NULL;
    double p[3];
    if (frame && !frame->same && fb_get_vector(obstacle, "contact_hint", p, 3)) {
        fb_v3_scale(p, frame->scale, p);
        p[2] = frame->map.mirrored ? -p[2] : p[2];
        fb_carry_set(job, obstacle, "contact_hint", p, 3);
    }
}

/* ---- elements ---------------------------------------------------------------------------------
 */

static void warn(fb_carry_job *job, const fb_element *element) {
    const fb_carry_frame *frame = NULL;
    if (is(element, "ContactMesh")) {
        frame = fb_carry_frame_of(job, fb_get_target(element, "frame"));
        if (frame && !frame->same &&
            (frame->scale != 1 || !frame->similar || frame->map.mirrored)) {
            fb_carry_tell(job, FB_APPROXIMATED, element,
                          "its mesh '%s' cannot be scaled: a file of the new shape is wanted",
                          fb_get_string(element, "file"));
        }
    }
}

void fb_carry_element(fb_carry_job *job, fb_element *element) {
    if (element->path && !element->owner) {
        if (fb_table_find(&job->done, element->path)) {
            return;
        }
        fb_table_add(&job->done, element->path, element);
    }
    warn(job, element);
    for (int i = 0; i < element->cls->n_fields; i++) {
        if (element->values[i].present) {
            apply(job, element, i);
        }
    }
    if (is(element, "MovingPathPoint")) {
        fb_carry_moving_point(job, element);
    } else if (is(element, "FunctionBasedPath")) {
        fb_carry_function_path(job, element);
    } else if (is(element, "PrescribedForce")) {
        carry_pushed_point(job, element);
    } else if (is(element, "Scholz2015GeometryPathObstacle")) {
        carry_hint(job, element);
    } else if (element->cls->family == FB_WRAP) {
        fb_carry_wrap(job, element);
    }
    for (int i = 0; i < element->cls->n_fields; i++) {
        fb_value *value = &element->values[i];
        fb_type type = element->cls->fields[i].type;
        if (value->present && type == FB_OBJECT) {
            fb_carry_element(job, value->as.object);
        } else if (value->present && type == FB_OBJECTS) {
            for (int k = 0; k < value->n; k++) {
                fb_carry_element(job, value->as.objects[k]);
            }
        }
    }
}

void fb_carry_points(fb_carry_job *job) {
    static const char *const apart[] = {"bodies", "frames", "joints", "kept"};
    for (int l = 0; l < FB_LIST_COUNT; l++) {
        bool other = true;
        for (size_t k = 0; k < sizeof apart / sizeof *apart; k++) {
            other = other && strcmp(fb_lists[l], apart[k]) != 0;
        }
        for (size_t i = 0; other && i < job->model->lists[l].n; i++) {
            fb_carry_element(job, job->model->lists[l].items[i]);
        }
    }
    const fb_list *kept = fb_model_items(job->model, "kept");
    for (size_t i = 0; i < kept->n && anything_moves(job); i++) {
        fb_carry_tell(job, FB_APPROXIMATED, kept->items[i],
                      "it is kept word for word: places and sizes in it are not carried");
    }
}

/* ---- lengths at rest --------------------------------------------------------------------------
 */

bool fb_lengths_begin(fb_carry_lengths *lengths, const fb_model *model) {
    fb_diag silent;
    fb_course course = {0};
    memset(lengths, 0, sizeof *lengths);
    fb_diag_init(&silent);
    bool made = fb_system_compile(&lengths->system, model, &(fb_system_options){false}, &silent) ==
                    FB_OK &&
                (lengths->state = fb_state_new(lengths->system)) != NULL;
    if (made) {
        fb_state_defaults(lengths->state);
        fb_state_position(lengths->state);
        fb_state_velocity(lengths->state);
    }
    if (made && fb_paths_compile(&lengths->paths, lengths->system, false, &silent) == FB_OK) {
        size_t n = (size_t)lengths->paths->n_paths + 1, most = (size_t)lengths->paths->most_points;
        lengths->length = fb_alloc(n * sizeof *lengths->length);
        course.points = fb_alloc((most + 1) * sizeof *course.points);
        for (int i = 0; lengths->length && course.points && i < lengths->paths->n_paths; i++) {
            fb_path_course(lengths->paths, i, lengths->state, &course);
            lengths->length[i] = course.length;
        }
        fb_free(course.points);
    }
    fb_diag_clear(&silent);
    if (!made) {
        fb_lengths_end(lengths);
    }
    return made;
}

void fb_lengths_end(fb_carry_lengths *lengths) {
    fb_free(lengths->length);
    fb_state_free(lengths->state);
    fb_paths_free(lengths->paths);
    fb_system_free(lengths->system);
    memset(lengths, 0, sizeof *lengths);
}

/* Distance of two points in frames, in the default pose; nan if it is not known. */
static double apart(const fb_carry_lengths *lengths, const fb_element *element,
                    const char *const keys[4]) {
    double p[2][3];
    for (int i = 0; i < 2; i++) {
        fb_pose pose;
        double local[3], in_body[3];
        const fb_element *frame = fb_get_target(element, keys[i]);
        int body = lengths->system && frame ? fb_system_body(lengths->system, frame, &pose) : -1;
        if (body < 0 || !fb_get_vector(element, keys[2 + i], local, 3)) {
            return FB_NAN;
        }
        fb_pose_point(in_body, &pose, local);
        fb_pose_point(p[i], &lengths->state->pose[body], in_body);
    }
    return fb_v3_distance(p[0], p[1]);
}

/* The element of another model that stands where this one does. */
static const fb_element *twin(const fb_model *other, const fb_element *element) {
    const fb_list *list = fb_model_items(other, element->cls->list);
    for (size_t i = 0; list && i < list->n; i++) {
        if (list->items[i]->path && element->path &&
            strcmp(list->items[i]->path, element->path) == 0) {
            return list->items[i];
        }
    }
    return NULL;
}

static double ratio_of(const fb_carry_job *job, const fb_carry_lengths *now,
                       const fb_element *element) {
    static const char *const spring[4] = {"body1", "body2", "point1", "point2"};
    static const char *const held[4] = {"body_1", "body_2", "location_1", "location_2"};
    const fb_element *before = job->was.system ? twin(job->was.system->model, element) : NULL;
    if (!before || !now->system) {
        return FB_NAN;
    }
    if (fb_get_object(element, "path")) {
        int a = job->was.paths ? fb_paths_find(job->was.paths, before) : -1;
        int b = now->paths ? fb_paths_find(now->paths, element) : -1;
        return a < 0 || b < 0 || !job->was.length || !now->length
                   ? FB_NAN
                   : now->length[b] / job->was.length[a];
    }
    const char *const *keys = is(element, "ConstantDistanceConstraint") ? held : spring;
    return job->uniform ? FB_NAN : apart(now, element, keys) / apart(&job->was, before, keys);
}

/* The scale of what an element is fixed to, where lengths say nothing. */
static double mean_scale(fb_carry_job *job) {
    double sum = 0;
    for (int i = 0; i < job->n_maps; i++) {
        sum += cbrt(fabs(fb_carry_determinant(&job->bodies[i], (const double[3]){0, 0, 0})));
    }
    return job->n_maps ? sum / job->n_maps : 1;
}

static void rest(fb_carry_job *job, const fb_carry_lengths *now, fb_element *element, int i) {
    const fb_field *field = &element->cls->fields[i];
    const fb_carry_row *row = fb_carry_row_of(element->cls, field);
    double x = element->values[i].present && row && row->rule == FB_CARRY_RESTING
                   ? element->values[i].as.number
                   : 0;
    if (x == 0 || !anything_moves(job)) {
        return;
    }
    double ratio = ratio_of(job, now, element);
    if (!isfinite(ratio)) {
        ratio = mean_scale(job);
        if (!job->uniform && ratio != 1) {
            fb_carry_tell(job, FB_APPROXIMATED, element,
                          "its length in the default pose is not known: '%s' goes by the mean of "
                          "the bodies' scales",
                          field->key);
        }
    }
    if (fabs(ratio - 1) > 1e-13) {
        x *= ratio;
        fb_carry_set(job, element, field->key, &x, 1);
    }
}

void fb_carry_resting(fb_carry_job *job) {
    fb_carry_lengths now;
    fb_lengths_begin(&now, job->model);
    for (int l = 0; l < FB_LIST_COUNT; l++) {
        for (size_t k = 0; k < job->model->lists[l].n; k++) {
            fb_element *element = job->model->lists[l].items[k];
            if (element->cls->family != FB_FORCE && element->cls->family != FB_CONSTRAINT) {
                continue;
            }
            for (int i = 0; i < element->cls->n_fields; i++) {
                rest(job, &now, element, i);
            }
        }
    }
    fb_lengths_end(&now);
}
