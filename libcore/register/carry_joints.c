/* Joints of a carried model: radii and lengths, the functions of custom joints, coordinates that
 * slide and what depends on them, joints that are mirrored. */
#include "libcore/base/number.h"
#include "libcore/register/carry_internal.h"

static const double origin[3] = {0, 0, 0};
static const double unit[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

#define OPPOSITE "its coordinates mean the opposite turn where they turn about x or y"

static bool is(const fb_element *element, const char *cls) {
    return strcmp(element->cls->name, cls) == 0;
}

static double stretch(const fb_carry_frame *frame, const double *direction) {
    return frame->similar ? frame->scale : fb_carry_stretch(&frame->map, origin, direction);
}

/* ---- coordinates ------------------------------------------------------------------------------
 */

/* Along which direction of the joint's parent frame a coordinate slides; false if it does not. */
static bool slides_along(const fb_element *joint, int slot, double *direction) {
    const fb_element *coordinate = fb_get(joint, "coordinates")->as.objects[slot];
    const fb_value *axes = fb_get(joint, "axes");
    if (fb_coordinate_motion(coordinate) != FB_TRANSLATIONAL) {
        return false;
    }
    for (int i = 3; axes && i < axes->n; i++) {
        const fb_value *on = fb_get(axes->as.objects[i], "coordinate");
        if (on && on->n == 1 && on->as.refs[0].target == coordinate &&
            fb_get_vector(axes->as.objects[i], "axis", direction, 3)) {
            return fb_v3_normalize(direction) > 0;
        }
    }
    int first = is(joint, "PlanarJoint") ? 1 : is(joint, "FreeJoint") ? 3 : 0;
    fb_v3_copy(direction, unit[(slot - first + 3) % 3]);
    return axes == NULL;
}

/* Slides go by the parent's stretch along them; in ground, where nothing changes, by the child's
 * scale, so that a small body stands on the floor as a great one. */
static void set_factors(fb_carry_job *job, const fb_element *joint, const fb_carry_side *sides) {
    const fb_value *coordinates = fb_get(joint, "coordinates");
    for (int i = 0; coordinates && i < coordinates->n; i++) {
        double direction[3], *factor = fb_arena_alloc(&job->scratch, sizeof *factor);
        *factor = 1;
        if (slides_along(joint, i, direction)) {
            *factor = sides[0].frame.body < 0 ? sides[1].frame.scale
                                              : stretch(&sides[0].frame, direction);
        }
        if (coordinates->as.objects[i]->path) {
            fb_table_add(&job->factors, coordinates->as.objects[i]->path, factor);
        }
    }
}

double fb_carry_factor(fb_carry_job *job, const fb_element *coordinate) {
    const double *factor = coordinate && coordinate->path
                               ? fb_table_find(&job->factors, coordinate->path)
                               : NULL;
    return factor ? *factor : 1;
}

static void carry_coordinate(fb_carry_job *job, fb_element *coordinate) {
    static const char *const keys[] = {"default", "default_speed", "range"};
    double k = fb_carry_factor(job, coordinate);
    if (k == 1) {
        return;
    }
    for (int i = 0; i < 3; i++) {
        fb_value *value = fb_value_of(coordinate, keys[i]);
        double x[2];
        if (!value->present) {
            continue;
        }
        if (i < 2) {
            x[0] = k * value->as.number;
        } else {
            x[0] = k * value->as.numbers[0];
            x[1] = k * value->as.numbers[1];
        }
        fb_carry_set(job, coordinate, keys[i], x, i < 2 ? 1 : 2);
    }
    fb_value *prescribed = fb_value_of(coordinate, "prescribed_function");
    if (prescribed->present) {
        fb_carry_affine(job->model, coordinate, prescribed, k, 0);
    }
}

/* Divides a function's arguments by the factors of the coordinates that it depends on. */
static bool divide(fb_carry_job *job, fb_element *owner, fb_value *slot, const fb_value *on) {
    double c[FB_MAX_ARGUMENTS];
    int n = on ? on->n : 0;
    bool all = true;
    for (int i = 0; i < n && i < FB_MAX_ARGUMENTS; i++) {
        c[i] = fb_carry_factor(job, on->as.refs[i].target);
        all = all && c[i] == 1;
    }
    return all || (n <= FB_MAX_ARGUMENTS && fb_carry_arguments(job->model, owner, slot, c, n));
}

/* ---- custom joints ----------------------------------------------------------------------------
 */

static bool direct(const fb_element *axis) {
    const fb_value *on = fb_get(axis, "coordinate");
    return on && on->n == 1 && fb_coordinate_motion(on->as.refs[0].target) == FB_TRANSLATIONAL;
}

/* An axis without a function that follows a coordinate gets the function that says so. */
static void say_function(fb_carry_job *job, fb_element *axis) {
    fb_value *slot = fb_value_of(axis, "function");
    const fb_value *on = fb_get(axis, "coordinate");
    if (!slot->present && on && on->n > 0) {
        fb_element *f = fb_element_new(job->model, fb_class_find("LinearFunction"), NULL);
        const double line[2] = {1, 0};
        f->owner = axis;
        fb_value_set_numbers(job->model, fb_value_of(f, "coefficients"), line, 2);
        *slot = (fb_value){.present = true, .n = 1, .as.object = f};
    }
}

/* Unit directions of three axes; false if they are not at right angles. */
static bool directions(const fb_value *axes, double *rows) {
    double square[9];
    for (int i = 0; i < 3; i++) {
        if (!fb_get_vector(axes->as.objects[3 + i], "axis", rows + 3 * i, 3) ||
            fb_v3_normalize(rows + 3 * i) == 0) {
            fb_v3_copy(rows + 3 * i, unit[i]);
        }
    }
    fb_m3_mult(square, rows, rows);
    for (int i = 0; i < 9; i++) {
        if (fabs(square[i] - (i % 4 == 0)) > 1e-9) {
            return false;
        }
    }
    return true;
}

/* Translations that are functions give a place in the parent's frame, which goes by its map. */
static void carry_translations(fb_carry_job *job, fb_element *joint, const fb_carry_side *side,
                               const fb_value *axes, const double *from, const double *to,
                               bool square) {
    fb_element *owners[3];
    fb_value *slots[3];
    const fb_element *on[3];
    bool together = square;
    for (int i = 0; i < 3; i++) {
        owners[i] = axes->as.objects[3 + i];
        slots[i] = fb_value_of(owners[i], "function");
        const fb_value *c = fb_get(owners[i], "coordinate");
        on[i] = c && c->n == 1 ? c->as.refs[0].target : NULL;
        together = together && !direct(owners[i]) && (!c || c->n < 2);
    }
    if (together) {
        fb_transform map = side->frame.map;
        double shift[3];
        fb_transform_point(&map, origin, shift); /* not 0 only where a fitted centre moved it */
        fb_v3_sub(map.translation, map.translation, shift);
        if (fb_carry_same(&map) && memcmp(from, to, 9 * sizeof *to) == 0) {
            return;
        }
        for (int i = 0; i < 3; i++) {
            if (on[i]) {
                say_function(job, owners[i]);
            }
        }
        if (!fb_carry_place(job, owners, slots, on, from, to, &map)) {
            fb_carry_tell(job, FB_APPROXIMATED, joint,
                          "its translations follow the bone exactly at their knots, or in the "
                          "default pose, only");
        }
        job->changed = true;
        return;
    }
    for (int i = 0; i < 3; i++) {
        double k = stretch(&side->frame, from + 3 * i);
        if (direct(owners[i])) {
            k = fb_carry_factor(job, on[i]);
            if (!slots[i]->present) {
                continue;
            }
        } else if (k != 1) {
            say_function(job, owners[i]);
        }
        if (k != 1 && slots[i]->present) {
            fb_carry_affine(job->model, owners[i], slots[i], k, 0);
            job->changed = true;
        }
    }
}

static void carry_custom(fb_carry_job *job, fb_element *joint, const fb_carry_side *sides,
                         bool mirrored) {
    const fb_value *axes = fb_get(joint, "axes");
    double from[9], to[9];
    if (!axes || axes->n != 6) {
        return;
    }
    bool square = directions(axes, from);
    for (int i = 0; i < 6; i++) {
        fb_element *axis = axes->as.objects[i];
        double a[3];
        if (!divide(job, axis, fb_value_of(axis, "function"), fb_get(axis, "coordinate"))) {
            fb_carry_tell(job, FB_APPROXIMATED, joint,
                          "a function of a coordinate that slides is left as it is");
        }
        if (mirrored && fb_get_vector(axis, "axis", a, 3)) {
            int first = i < 3 ? 0 : 2, last = i < 3 ? 1 : 2;
            for (int k = first; k <= last; k++) {
                a[k] = a[k] == 0 ? 0 : -a[k];
            }
            fb_carry_set(job, axis, "axis", a, 3);
        }
    }
    memcpy(to, from, sizeof to);
    for (int i = 2; mirrored && i < 9; i += 3) {
        to[i] = -to[i];
    }
    carry_translations(job, joint, &sides[0], axes, from, to, square);
}

/* ---- mirrored ---------------------------------------------------------------------------------
 */

/* A joint about fixed axes as the custom joint that moves the same way with axes to be turned. */
static void make_custom(fb_carry_job *job, fb_element *joint) {
    static const char *const names[] = {"rotation1",    "rotation2",    "rotation3",
                                        "translation1", "translation2", "translation3"};
    fb_model *model = job->model;
    const fb_value *coordinates = fb_get(joint, "coordinates");
    const fb_class *cls = fb_class_find("CustomJoint");
    fb_value *values = fb_arena_array(&model->arena, (size_t)cls->n_fields, sizeof *values);
    for (int i = 0; i < joint->cls->n_fields; i++) {
        values[fb_class_field(cls, joint->cls->fields[i].key)] = joint->values[i];
    }
    fb_element **axes = fb_arena_array(&model->arena, 6, sizeof *axes);
    for (int i = 0; i < 6; i++) {
        axes[i] = fb_element_new(model, fb_class_find("TransformAxis"), names[i]);
        axes[i]->owner = joint;
        fb_value_set_numbers(model, fb_value_of(axes[i], "axis"), unit[i % 3], 3);
        if (coordinates && i < coordinates->n) {
            const char *name = fb_osim_name(coordinates->as.objects[i]);
            fb_value *ref = fb_value_of(axes[i], "coordinate");
            fb_value_set_refs(model, ref, &name, 1);
            ref->as.refs[0].target = coordinates->as.objects[i];
            say_function(job, axes[i]);
        }
    }
    values[fb_class_field(cls, "axes")] = (fb_value){.present = true, .n = 6, .as.objects = axes};
    fb_carry_tell(
        job, FB_WARNING, joint,
        "it becomes a custom joint with mirrored axes, so that its coordinates keep their "
        "meaning");
    joint->cls = cls;
    joint->values = values;
}

static bool turns_about_x(const fb_element *joint) {
    return is(joint, "UniversalJoint") || is(joint, "BallJoint") || is(joint, "GimbalJoint") ||
           is(joint, "FreeJoint");
}

static bool cannot_be_mirrored(const fb_element *joint) {
    return is(joint, "EllipsoidJoint") || is(joint, "ScapulothoracicJoint") ||
           is(joint, "ConstantCurvatureJoint") || is(joint, "CantileverFreeBeamJoint");
}

/* ---- all --------------------------------------------------------------------------------------
 */

static void carry_lengths(fb_carry_job *job, fb_element *joint, const fb_carry_side *sides) {
    static const char *const radii[] = {"radii", "thorax_radii"};
    double x[3];
    for (int k = 0; k < 2; k++) {
        if (fb_get_vector(joint, radii[k], x, 3) && !sides[0].frame.same) {
            for (int i = 0; i < 3; i++) {
                x[i] *= stretch(&sides[0].frame, unit[i]);
            }
            fb_carry_set(job, joint, radii[k], x, 3);
        }
    }
    if (fb_get_vector(joint, "winging_axis_origin", x, 2) && !sides[1].frame.same) {
        x[0] *= stretch(&sides[1].frame, unit[0]);
        x[1] *= stretch(&sides[1].frame, unit[1]);
        fb_carry_set(job, joint, "winging_axis_origin", x, 2);
    }
    static const char *const lengths[] = {"length", "beam_length"};
    for (int k = 0; k < 2; k++) {
        const fb_value *value = fb_get(joint, lengths[k]);
        if (value && !sides[0].frame.same) { /* arcs leave along y, beams along z */
            double length = value->as.number * stretch(&sides[0].frame, unit[1 + k]);
            fb_carry_set(job, joint, lengths[k], &length, 1);
        }
    }
}

void fb_carry_mirror_joint(fb_carry_job *job, fb_element *joint) {
    fb_carry_side sides[2] = {{.frame = {.scale = 1, .similar = true}}};
    fb_carry_scaling(&sides[0].frame.map, 1, true);
    sides[1] = sides[0];
    if (turns_about_x(joint)) {
        make_custom(job, joint);
    }
    if (cannot_be_mirrored(joint)) {
        fb_carry_tell(job, FB_APPROXIMATED, joint, OPPOSITE);
    }
    if (is(joint, "CustomJoint")) {
        carry_custom(job, joint, sides, true);
    }
}

static void carry_joint(fb_carry_job *job, fb_element *joint) {
    const fb_carry_side *sides = fb_table_find(&job->sides, joint->path);
    bool parent = sides[0].frame.map.mirrored, child = sides[1].frame.map.mirrored;
    if (parent != child && sides[0].frame.body >= 0 && sides[1].frame.body >= 0) {
        fb_carry_tell(job, FB_ERROR, joint,
                      "one of its bodies is mirrored and the other is not: mirror all or none");
        job->status = FB_E_INPUT;
    }
    bool mirrored = parent && child;
    if (mirrored && turns_about_x(joint)) {
        make_custom(job, joint);
    }
    if (mirrored && cannot_be_mirrored(joint)) {
        fb_carry_tell(job, FB_APPROXIMATED, joint, OPPOSITE);
    }
    carry_lengths(job, joint, sides);
    if (is(joint, "CustomJoint")) {
        carry_custom(job, joint, sides, mirrored);
    }
    const fb_value *coordinates = fb_get(joint, "coordinates");
    for (int i = 0; coordinates && i < coordinates->n; i++) {
        carry_coordinate(job, coordinates->as.objects[i]);
    }
    if (!job->uniform && (sides[0].site || !sides[0].frame.same || !sides[1].frame.same)) {
        fb_carried item = {.element = joint, .what = 'j', .to_bone = FB_NAN, .before = FB_NAN};
        double plain[3];
        fb_v3_scale(plain, sides[1].frame.scale, sides[1].frame.before.p);
        item.moved = fb_v3_distance(sides[1].frame.after.p, plain);
        item.note = sides[0].site ? "fitted" : NULL;
        fb_carry_note(job, &item);
    }
}

static void carry_coupler(fb_carry_job *job, fb_element *coupler) {
    fb_value *function = fb_value_of(coupler, "function");
    double k = fb_carry_factor(job, fb_get_target(coupler, "dependent_coordinate"));
    if (!divide(job, coupler, function, fb_get(coupler, "independent_coordinates"))) {
        fb_carry_tell(job, FB_APPROXIMATED, coupler,
                      "its function of a coordinate that slides is left as it is");
    }
    if (function->present && k != 1) {
        fb_carry_affine(job->model, coupler, function, k, 0);
        job->changed = true;
    }
}

/* Values over time of coordinates, whose paths are the functions' names. */
static void carry_motion(fb_carry_job *job, fb_element *motion) {
    const fb_value *functions = fb_get(motion, "functions");
    for (int i = 0; functions && i < functions->n; i++) {
        const char *name = functions->as.objects[i]->name;
        const double *k = name ? fb_table_find(&job->factors, name) : NULL;
        if (k && *k != 1) {
            fb_value slot = {.present = true, .n = 1, .as.object = functions->as.objects[i]};
            fb_carry_affine(job->model, motion, &slot, *k, 0);
            slot.as.object->name = name;
            functions->as.objects[i] = slot.as.object;
        }
    }
}

void fb_carry_joints(fb_carry_job *job) {
    fb_list *joints = fb_model_list(job->model, "joints");
    fb_list *constraints = fb_model_list(job->model, "constraints");
    fb_list *components = fb_model_list(job->model, "components");
    for (size_t i = 0; i < joints->n; i++) {
        set_factors(job, joints->items[i], fb_table_find(&job->sides, joints->items[i]->path));
    }
    for (size_t i = 0; i < joints->n; i++) {
        carry_joint(job, joints->items[i]);
    }
    for (size_t i = 0; i < constraints->n; i++) {
        if (is(constraints->items[i], "CoordinateCouplerConstraint")) {
            carry_coupler(job, constraints->items[i]);
        }
    }
    for (size_t i = 0; i < components->n; i++) {
        if (is(components->items[i], "PositionMotion")) {
            carry_motion(job, components->items[i]);
        }
    }
}
