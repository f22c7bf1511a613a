#include "libcore/motion/joints.h"
#include "libcore/motion/left_out.h"
#include "libcore/motion/reduce.h"

#include <stdio.h>
#include <string.h>

#include "libcore/base/number.h"
#include "libcore/base/table.h"
#include "libcore/model/check.h"

/* ---- frames --------------------------------------------------------------------------------- */

#define MOST_FRAMES 1000
#define DIGITS_LOST 30505 /* before this version OpenSim rounds the offsets of frames */

/* "+x", "-y", "z": the axis (0 to 2) and its sign; -1 if it is none. */
static int signed_axis(const char *text, double *sign) {
    *sign = text && *text == '-' ? -1 : 1;
    if (text && (*text == '-' || *text == '+')) {
        text++;
    }
    if (!text || !*text || text[1]) {
        return -1;
    }
    return *text == 'x' || *text == 'X'   ? 0
           : *text == 'y' || *text == 'Y' ? 1
           : *text == 'z' || *text == 'Z' ? 2
                                          : -1;
}

static bool station_place(const fb_element *station, double *p, const fb_element **base) {
    fb_pose pose;
    double location[3];
    if (!station || !fb_frame_pose(fb_get_target(station, "frame"), &pose, base) ||
        !fb_get_vector(station, "location", location, 3)) {
        return false;
    }
    fb_pose_point(p, &pose, location);
    return true;
}

/* A frame given by three points and an origin, all fixed to one body. */
static bool station_frame(const fb_element *frame, fb_pose *pose, const fb_element **base) {
    static const char *const keys[] = {"point_a", "point_b", "point_c", "origin"};
    double p[4][3], e1[3], e2[3], e3[3], ac[3], s1, s2;
    for (int i = 0; i < 4; i++) {
        const fb_element *one = NULL;
        if (!station_place(fb_get_target(frame, keys[i]), p[i], &one) || (i > 0 && one != *base)) {
            return false;
        }
        *base = one;
    }
    int i = signed_axis(fb_get_string(frame, "ab_axis"), &s1);
    int j = signed_axis(fb_get_string(frame, "ab_x_ac_axis"), &s2);
    fb_v3_sub(e1, p[1], p[0]);
    fb_v3_sub(ac, p[2], p[0]);
    fb_v3_cross(e2, e1, ac);
    if (i < 0 || j < 0 || i == j || fb_v3_normalize(e1) == 0 || fb_v3_normalize(e2) == 0) {
        return false;
    }
    int k = 3 - i - j;
    for (int r = 0; r < 3; r++) {
        pose->R[3 * r + i] = s1 * e1[r];
        pose->R[3 * r + j] = s2 * e2[r];
    }
    int a = (k + 1) % 3, b = (k + 2) % 3;
    double x[3] = {pose->R[a], pose->R[3 + a], pose->R[6 + a]},
           y[3] = {pose->R[b], pose->R[3 + b], pose->R[6 + b]};
    fb_v3_cross(e3, x, y);
    for (int r = 0; r < 3; r++) {
        pose->R[3 * r + k] = e3[r];
    }
    fb_v3_copy(pose->p, p[3]);
    return true;
}

bool fb_frame_pose(const fb_element *frame, fb_pose *pose, const fb_element **base) {
    fb_pose_identity(pose);
    for (int i = 0; frame && i < MOST_FRAMES; i++) {
        if (frame->cls->family == FB_BODY || frame->cls->family == FB_GROUND) {
            *base = frame;
            return true;
        }
        fb_pose step, sum;
        if (fb_get(frame, "origin")) {
            const fb_element *body = NULL;
            if (!station_frame(frame, &step, &body)) {
                return false;
            }
            fb_pose_mul(&sum, &step, pose);
            *pose = sum;
            frame = body;
            continue;
        }
        double angles[3] = {0, 0, 0};
        fb_v3_set(step.p, 0, 0, 0);
        fb_get_vector(frame, "translation", step.p, 3);
        fb_get_vector(frame, "rotation_xyz", angles, 3);
        fb_m3_from_xyz(step.R, angles);
        fb_pose_mul(&sum, &step, pose);
        *pose = sum;
        frame = fb_get_target(frame, "parent");
    }
    return false;
}

/* A number as OpenSim has it after it rewrote an old document: six significant digits. */
static double six_digits(double x) {
    char text[32];
    snprintf(text, sizeof text, "%.6g", x);
    double y = x;
    return fb_number_parse(text, strlen(text), &y) ? y : x;
}

bool fb_frame_pose_opensim4(const fb_element *frame, int version, fb_pose *pose,
                            const fb_element **base) {
    double translation[3], angles[3];
    if (version == 0 || version >= DIGITS_LOST || !frame || frame->cls->family != FB_FRAME ||
        !fb_get_vector(frame, "translation", translation, 3) ||
        !fb_get_vector(frame, "rotation_xyz", angles, 3)) {
        return fb_frame_pose(frame, pose, base);
    }
    fb_pose inner, outer;
    for (int i = 0; i < 3; i++) {
        inner.p[i] = six_digits(translation[i]);
        angles[i] = six_digits(angles[i]);
    }
    fb_m3_from_xyz(inner.R, angles);
    if (!fb_frame_pose(fb_get_target(frame, "parent"), &outer, base)) {
        return false;
    }
    fb_pose_mul(pose, &outer, &inner);
    return true;
}

/* ---- compiling ------------------------------------------------------------------------------ */

typedef struct builder {
    fb_system *s;
    const fb_model *model;
    fb_diag *diag;
    bool as_opensim4;
    fb_status status;
    size_t capacity_mobods, capacity_coordinates, capacity_constraints;
    size_t n_mobods, n_coordinates, n_constraints;
    fb_table bodies; /* component path -> number + 1, as a pointer into numbers */
    int *numbers;
} builder;

static void fail(builder *b, const fb_element *element, fb_diag_id id, const char *what) {
    b->status = FB_E_INPUT;
    fb_diag_add(b->diag, FB_ERROR, id, fb_element_place(element), NULL, "%s '%s': %s",
                element->cls->name, element->name ? element->name : "", what);
}

static void read_inertia(const builder *b, fb_mobod *m, const fb_element *body) {
    double x[6] = {0};
    m->mass = fb_get_number(body, "mass");
    if (!(m->mass >= 0)) {
        m->mass = 0;
    }
    fb_get_vector(body, "mass_center", m->center, 3);
    fb_get_vector(body, "inertia", x, 6);
    int version = b->model->source_version;
    for (int i = 0; b->as_opensim4 && version > 0 && version < 30500 && i < 6; i++) {
        x[i] = six_digits(x[i]);
    }
    double full[9] = {x[0], x[3], x[4], x[3], x[1], x[5], x[4], x[5], x[2]};
    memcpy(m->inertia, full, sizeof full);
}

static int add_coordinate(builder *b, const fb_element *element, int mobod, int slot) {
    fb_coordinate c = {.element = element, .mobod = mobod, .slot = slot, .range = {-10, 10}};
    if (element) {
        c.path = element->path;
        c.initial = fb_get_number(element, "default");
        c.initial_speed = fb_get_number(element, "default_speed");
        fb_get_vector(element, "range", c.range, 2);
        c.locked = fb_get_bool(element, "locked");
        c.clamped = fb_get_bool(element, "clamped");
        c.follows = fb_get_bool(element, "free_to_satisfy_constraints");
        c.prescribed = fb_get_bool(element, "prescribed") &&
                       fb_get_object(element, "prescribed_function");
        if (c.prescribed && fb_function_compile(&c.prescribed_function,
                                                fb_get_object(element, "prescribed_function"),
                                                &b->s->arena, b->diag) != FB_OK) {
            b->status = FB_E_INPUT;
        }
    }
    FB_PUSH(&b->s->arena, b->s->coordinates, b->n_coordinates, b->capacity_coordinates, c);
    return (int)b->n_coordinates - 1;
}

static void plain_axis(fb_axis *axis, int direction, int slot) {
    memset(axis, 0, sizeof *axis);
    axis->direction[direction] = 1;
    axis->n = 1;
    axis->argument[0] = slot;
    axis->direct = true;
}

/* Joints that are a few plain axes: rotations and translations as digits of x, y, z. */
static const struct {
    const char *cls;
    fb_joint_kind kind;
    int n_q, n_rotations, rotation[3], n_translations, translation[3];
} plain_joints[] = {
    {"WeldJoint", FB_JOINT_AXES, 0, 0, {0}, 0, {0}},
    {"PinJoint", FB_JOINT_AXES, 1, 1, {2}, 0, {0}},
    {"SliderJoint", FB_JOINT_AXES, 1, 0, {0}, 1, {0}},
    {"PlanarJoint", FB_JOINT_AXES, 3, 1, {2}, 2, {0, 1}},
    {"UniversalJoint", FB_JOINT_AXES, 2, 2, {0, 1}, 0, {0}},
    {"GimbalJoint", FB_JOINT_AXES, 3, 3, {0, 1, 2}, 0, {0}},
    {"BallJoint", FB_JOINT_BALL, 3, 0, {0}, 0, {0}},
    {"FreeJoint", FB_JOINT_FREE, 6, 0, {0}, 0, {0}},
    {"EllipsoidJoint", FB_JOINT_ELLIPSOID, 3, 0, {0}, 0, {0}},
    {"ScapulothoracicJoint", FB_JOINT_SCAPULOTHORACIC, 4, 0, {0}, 0, {0}},
    {"CantileverFreeBeamJoint", FB_JOINT_BEAM, 3, 0, {0}, 0, {0}},
    {"ConstantCurvatureJoint", FB_JOINT_ARC, 3, 0, {0}, 0, {0}},
};

static void compile_axis(builder *b, fb_axis *axis, const fb_element *element,
                         const fb_value *coordinates, int fallback) {
    memset(axis, 0, sizeof *axis);
    if (!fb_get_vector(element, "axis", axis->direction, 3) ||
        fb_v3_normalize(axis->direction) == 0) {
        fb_v3_set(axis->direction, 0, 0, 0);
        axis->direction[fallback] = 1;
    }
    const fb_value *arguments = fb_get(element, "coordinate");
    const fb_element *function = fb_get_object(element, "function");
    axis->n = arguments ? arguments->n : 0;
    if (axis->n > 6) {
        fail(b, element->owner, FB2305, "an axis depends on more than six coordinates");
        axis->n = 0;
    }
    for (int i = 0; i < axis->n; i++) {
        axis->argument[i] = -1;
        for (int j = 0; coordinates && j < coordinates->n; j++) {
            if (coordinates->as.objects[j] == arguments->as.refs[i].target) {
                axis->argument[i] = j;
            }
        }
        if (axis->argument[i] < 0) {
            fail(b, element->owner, FB2201,
                 "an axis depends on a coordinate that is not the joint's own");
            axis->argument[i] = 0;
        }
    }
    if (fb_function_compile(&axis->function, function, &b->s->arena, b->diag) != FB_OK) {
        b->status = FB_E_INPUT;
        axis->constant = true;
        return;
    }
    axis->function.as_opensim4 = b->as_opensim4;
    if (axis->function.kind == FB_FN_CONSTANT && (function || axis->n == 0)) {
        axis->constant = true;
        axis->value = axis->function.scale * axis->function.c[0];
    }
    axis->direct = axis->n == 1 &&
                   (!function ||
                    (axis->function.kind == FB_FN_LINEAR && axis->function.scale == 1 &&
                     axis->function.c[0] == 1 && axis->function.c[1] == 0));
}

/* A custom joint's axes: rotations, then translations; those that are always zero are left out. */
static void compile_custom(builder *b, fb_mobod *m, const fb_element *joint) {
    const fb_value *axes = fb_get(joint, "axes"), *coordinates = fb_get(joint, "coordinates");
    m->axes = fb_arena_array(&b->s->arena, 6, sizeof *m->axes);
    int n = 0;
    for (int i = 0; axes && i < axes->n && i < 6; i++) {
        compile_axis(b, &m->axes[n], axes->as.objects[i], coordinates, i % 3);
        m->axes[n].slot = i % 3;
        if (m->axes[n].constant && m->axes[n].value == 0) {
            continue;
        }
        if (i < 3) {
            m->n_rotations++;
        } else {
            m->n_translations++;
        }
        n++;
    }
}

static void compile_joint(builder *b, fb_mobod *m, const fb_element *joint, int number) {
    const char *name = joint ? joint->cls->name : "FreeJoint";
    const fb_value *coordinates = joint ? fb_get(joint, "coordinates") : NULL;
    m->q = (int)b->n_coordinates;
    m->n_q = coordinates ? coordinates->n : joint ? 0 : 6;
    m->kind = FB_JOINT_AXES;
    bool known = strcmp(name, "CustomJoint") == 0;
    if (known) {
        compile_custom(b, m, joint);
    }
    for (size_t i = 0; i < sizeof plain_joints / sizeof plain_joints[0]; i++) {
        if (strcmp(name, plain_joints[i].cls) != 0) {
            continue;
        }
        known = true;
        m->kind = plain_joints[i].kind;
        if (m->n_q != plain_joints[i].n_q) {
            fail(b, joint, FB2105, "it has not as many coordinates as joints of its class have");
            return;
        }
        m->n_rotations = plain_joints[i].n_rotations;
        m->n_translations = plain_joints[i].n_translations;
        m->axes = fb_arena_array(&b->s->arena, 6, sizeof *m->axes);
        for (int j = 0; j < m->n_rotations; j++) {
            plain_axis(&m->axes[j], plain_joints[i].rotation[j], j);
        }
        for (int j = 0; j < m->n_translations; j++) {
            plain_axis(&m->axes[m->n_rotations + j], plain_joints[i].translation[j],
                       m->n_rotations + j);
        }
    }
    if (!known) {
        fail(b, joint, FB2105, "how joints of its class move is not known here");
        return;
    }
    for (int i = 0; i < m->n_q; i++) {
        int k = add_coordinate(b, coordinates ? coordinates->as.objects[i] : NULL, number, i);
        if (!joint) {
            b->s->coordinates[k].path = fb_arena_printf(&b->s->arena,
                                                        "/jointset/free_%s/free_%s_coord_%d",
                                                        m->body->name, m->body->name, i);
        }
    }
    if (!joint) {
        return;
    }
    fb_get_vector(joint, "radii", m->parameters, 3);
    fb_get_vector(joint, "thorax_radii", m->parameters, 3);
    fb_get_vector(joint, "winging_axis_origin", m->parameters + 3, 2);
    if (m->kind == FB_JOINT_SCAPULOTHORACIC) {
        m->parameters[5] = fb_get_number(joint, "winging_axis_direction");
    }
    if (m->kind == FB_JOINT_BEAM) {
        m->parameters[0] = fb_get_number(joint, "beam_length");
    }
    if (m->kind == FB_JOINT_ARC) {
        m->parameters[0] = fb_get_number(joint, "length");
        fb_get_vector(joint, "neutral_angles", m->parameters + 1, 3);
    }
}

/* The place of a joint's or a constraint's frame. */
static bool linker_frame(const builder *b, const fb_element *frame, fb_pose *pose,
                         const fb_element **base) {
    return fb_frame_pose_opensim4(frame, b->as_opensim4 ? b->model->source_version : 0, pose, base);
}

/* The number of a body, or -1 while it is not in the tree. */
static int number_of(const builder *b, const fb_element *body) {
    const int *number = fb_table_find(&b->bodies, body->path);
    return number ? *number : -1;
}

/* Where a state keeps what an axis does. */
static void place_axis(fb_system *s, fb_axis *axis) {
    axis->along = -1;
    for (int k = 0; k < 3; k++) {
        if (axis->direction[k] == 1) {
            axis->along = k;
        }
    }
    axis->at = s->n_axis_numbers;
    s->n_axis_numbers += FB_AXIS_NUMBERS(axis->n);
}

static void add_mobod(builder *b, const fb_element *body, const fb_element *joint, int parent,
                      bool reversed, const fb_pose *parent_frame, const fb_pose *child_frame) {
    fb_mobod m = {.parent = parent,
                  .level = b->s->mobods[parent].level + 1,
                  .reversed = reversed,
                  .body = body,
                  .path = body->path,
                  .copy_of = -1,
                  .joint = joint,
                  .parent_frame = *parent_frame,
                  .child_frame = *child_frame,
                  .as_opensim4 = b->as_opensim4};
    int number = (int)b->n_mobods;
    fb_pose_inverse(&m.inner_inverse, reversed ? parent_frame : child_frame);
    read_inertia(b, &m, body);
    compile_joint(b, &m, joint, number);
    for (int i = 0; i < m.n_rotations + m.n_translations; i++) {
        place_axis(b->s, &m.axes[i]);
    }
    FB_PUSH(&b->s->arena, b->s->mobods, b->n_mobods, b->capacity_mobods, m);
    int *stored = fb_arena_alloc(&b->s->arena, sizeof *stored);
    *stored = number;
    fb_table_add(&b->bodies, body->path, stored);
}

static fb_constraint *add_constraint(builder *b, fb_constraint_kind kind, const fb_element *element,
                                     int rows) {
    fb_constraint c = {
        .kind = kind, .element = element, .n_rows = rows, .row = b->s->n_row, .scale = 1};
    b->s->n_row += rows;
    FB_PUSH(&b->s->arena, b->s->constraints, b->n_constraints, b->capacity_constraints, c);
    return &b->s->constraints[b->n_constraints - 1];
}

/* ---- the tree ------------------------------------------------------------------------------- */

/* A joint of the model: the bodies that it joins, and its frames in them. */
typedef struct link {
    const fb_element *joint; /* NULL: a free joint that the model lacks */
    const fb_element *parent, *child;
    fb_pose parent_frame, child_frame;
    bool used;
} link;

typedef struct tree {
    builder *b;
    link *links; /* the model's joints in their order, then those it lacks */
    size_t n, capacity;
} tree;

static int level_of(const tree *t, const fb_element *body) {
    int number = number_of(t->b, body);
    return number < 0 ? -1 : t->b->s->mobods[number].level;
}

/* Adds the one body of a link that is not in the tree yet. */
static void join(tree *t, link *l) {
    int p = number_of(t->b, l->parent), c = number_of(t->b, l->child);
    bool reversed = p < 0;
    add_mobod(t->b, reversed ? l->parent : l->child, l->joint, reversed ? c : p, reversed,
              &l->parent_frame, &l->child_frame);
    l->used = true;
}

static bool joins_tree(const tree *t, const link *l) {
    return !l->used && (level_of(t, l->parent) < 0) != (level_of(t, l->child) < 0);
}

/* A joint that Simbody counts as one that moves; custom joints are none to it, because OpenSim
 * registers them before they have coordinates. */
static bool counts_as_moving(const link *l) {
    return !l->joint || (strcmp(l->joint->cls->name, "CustomJoint") != 0 &&
                         strcmp(l->joint->cls->name, "WeldJoint") != 0);
}

/* The link from a body of the tree to the heaviest body outside, if that has mass; links in which
 * the body is the parent come first. */
static link *heaviest_beyond(tree *t, const fb_element *body) {
    link *best = NULL;
    for (int backward = 0; backward < 2 && !best; backward++) {
        double most = 0;
        for (size_t i = 0; i < t->n; i++) {
            link *l = &t->links[i];
            const fb_element *other = backward ? l->parent : l->child;
            if ((backward ? l->child : l->parent) == body && joins_tree(t, l) &&
                fb_get_number(other, "mass") > most) {
                most = fb_get_number(other, "mass");
                best = l;
            }
        }
    }
    return best;
}

/* Joins bodies level by level from ground outward, joints in their order. A moving body without
 * mass is followed at once by the heaviest of those beyond it. */
static void grow(tree *t) {
    bool more = true;
    for (int level = 0; more; level++) {
        more = false;
        for (size_t i = 0; i < t->n; i++) {
            link *l = &t->links[i];
            if (!joins_tree(t, l) ||
                (level_of(t, l->parent) != level && level_of(t, l->child) != level)) {
                continue;
            }
            const fb_element *body = level_of(t, l->parent) < 0 ? l->parent : l->child;
            join(t, l);
            if (counts_as_moving(l) && !(fb_get_number(body, "mass") > 0) &&
                (l = heaviest_beyond(t, body)) != NULL) {
                join(t, l);
            }
        }
        for (size_t i = 0; i < t->b->n_mobods && !more; i++) {
            more = t->b->s->mobods[i].level > level;
        }
    }
}

/* How many joints have a body as parent, or as child. */
static int count_links(const tree *t, const fb_element *body, bool as_parent) {
    int n = 0;
    for (size_t i = 0; i < t->n; i++) {
        n += (as_parent ? t->links[i].parent : t->links[i].child) == body;
    }
    return n;
}

/* Which body gets a free joint to ground when no joint reaches the rest: one that is no child, and
 * of those, or else of all, the parent of most joints. NULL if all are in the tree. */
static const fb_element *choose_base(const tree *t) {
    const fb_list *bodies = fb_model_items(t->b->model, "bodies");
    const fb_element *best = NULL;
    bool parent_only = false;
    int most = -1;
    for (size_t i = 0; i < bodies->n; i++) {
        const fb_element *body = bodies->items[i];
        bool no_child = count_links(t, body, false) == 0;
        int n = count_links(t, body, true);
        if (number_of(t->b, body) >= 0 || (parent_only && !no_child)) {
            continue;
        }
        if ((no_child && !parent_only) || n > most) {
            best = body;
            most = n;
        }
        parent_only = parent_only || no_child;
    }
    return best;
}

static void add_link(tree *t, link l) {
    FB_PUSH(&t->b->s->arena, t->links, t->n, t->capacity, l);
}

static void add_free_link(tree *t, const fb_element *body) {
    link l = {.parent = t->b->model->ground, .child = body};
    fb_pose_identity(&l.parent_frame);
    fb_pose_identity(&l.child_frame);
    add_link(t, l);
}

/* A loop is cut at a joint whose bodies are both in the tree: it moves a copy of its child, which
 * is welded to the child. Body and copies share the mass. */
static void cut_loop(tree *t, link *l) {
    builder *b = t->b;
    int master = number_of(b, l->child), copy = (int)b->n_mobods, copies = 0;
    fb_diag_add(b->diag, FB_WARNING, FB2306, fb_element_place(l->joint),
                "it is replaced by constraints", "joint '%s' closes a loop", l->joint->name);
    for (int i = 0; i < copy; i++) {
        copies += b->s->mobods[i].copy_of == master;
    }
    add_mobod(b, l->child, l->joint, number_of(b, l->parent), false, &l->parent_frame,
              &l->child_frame);
    b->s->mobods[copy].copy_of = master;
    b->s->mobods[copy].path = fb_arena_printf(&b->s->arena, "%s/%s_slave_%d", l->child->path,
                                              l->child->name, copies);
    fb_constraint *weld = add_constraint(b, FB_CONSTRAINT_WELD, l->joint, 6);
    weld->body[0] = master;
    weld->body[1] = copy;
    fb_pose_identity(&weld->frame[0]);
    fb_pose_identity(&weld->frame[1]);
    l->used = true;
}

/* Divides the mass of bodies that were cut equally. OpenSim 4.5.2 gives a copy, as its central
 * inertia, the body's inertia about its origin for a mass of 1. */
static void share_mass(builder *b) {
    for (size_t i = 0; i < b->n_mobods; i++) {
        fb_mobod whole = b->s->mobods[i];
        int parts = 1;
        for (size_t j = i + 1; j < b->n_mobods && whole.copy_of < 0; j++) {
            parts += b->s->mobods[j].copy_of == (int)i;
        }
        const double *c = whole.center;
        double cc = fb_v3_dot(c, c);
        for (size_t j = i; j < b->n_mobods && parts > 1; j++) {
            fb_mobod *part = &b->s->mobods[j];
            if (j != i && part->copy_of != (int)i) {
                continue;
            }
            part->mass = whole.mass / parts;
            for (int k = 0; k < 9; k++) {
                double origin = (k % 4 == 0 ? cc : 0) - c[k / 3] * c[k % 3]; /* of a mass of 1 */
                part->inertia[k] = b->as_opensim4 && j != i && whole.mass > 0
                                       ? whole.inertia[k] / whole.mass + origin
                                       : whole.inertia[k] / parts;
            }
        }
    }
}

/* Makes the tree of bodies as Simbody does: all that joints reach from ground; bodies that none
 * reaches by free joints to ground; then the joints that are left over close loops. */
static void build_tree(builder *b) {
    const fb_list *joints = fb_model_items(b->model, "joints"),
                  *bodies = fb_model_items(b->model, "bodies");
    tree t = {.b = b};
    for (size_t i = 0; i < joints->n; i++) {
        link l = {.joint = joints->items[i]};
        if (!linker_frame(b, fb_get_target(l.joint, "parent"), &l.parent_frame, &l.parent) ||
            !linker_frame(b, fb_get_target(l.joint, "child"), &l.child_frame, &l.child)) {
            fail(b, l.joint, FB2205, "one of its frames is fixed to nothing");
            return;
        }
        if (l.parent == l.child) {
            fail(b, l.joint, FB2306, "it joins a body to itself");
            return;
        }
        add_link(&t, l);
    }
    for (size_t i = 0; i < bodies->n; i++) {
        if (count_links(&t, bodies->items[i], true) + count_links(&t, bodies->items[i], false) ==
            0) {
            add_free_link(&t, bodies->items[i]);
        }
    }
    grow(&t);
    for (const fb_element *base; (base = choose_base(&t)) != NULL;) {
        add_free_link(&t, base);
        grow(&t);
    }
    for (size_t i = 0; i < t.n; i++) {
        if (!t.links[i].used) {
            cut_loop(&t, &t.links[i]);
        }
    }
    share_mass(b);
}

/* ---- constraints ---------------------------------------------------------------------------- */

static int coordinate_of(const builder *b, const fb_element *element) {
    for (size_t i = 0; i < b->n_coordinates; i++) {
        if (b->s->coordinates[i].element == element) {
            return (int)i;
        }
    }
    return -1;
}

/* A body of a constraint and a point on it. OpenSim takes a point in an offset frame as one of the
 * frame's body; only welds honour offset frames there. */
static bool constraint_side(builder *b, const fb_element *element, const char *frame,
                            const char *location, fb_constraint *c, int side) {
    fb_pose pose;
    const fb_element *base = NULL;
    if (!linker_frame(b, fb_get_target(element, frame), &pose, &base) || number_of(b, base) < 0) {
        fail(b, element, FB2201, "one of its frames belongs to no body");
        return false;
    }
    c->body[side] = number_of(b, base);
    c->frame[side] = pose;
    if (location) {
        double point[3] = {0};
        fb_get_vector(element, location, point, 3);
        if (b->as_opensim4) {
            fb_pose_identity(&c->frame[side]);
            fb_v3_copy(c->frame[side].p, point);
        } else {
            fb_pose_point(c->frame[side].p, &pose, point);
        }
    }
    return true;
}

static void compile_coupler(builder *b, const fb_element *element) {
    const fb_value *arguments = fb_get(element, "independent_coordinates");
    fb_constraint *c = add_constraint(b, FB_CONSTRAINT_COUPLER, element, 1);
    c->scale = fb_get_number(element, "scale_factor");
    c->coordinate = coordinate_of(b, fb_get_target(element, "dependent_coordinate"));
    c->n_independent = arguments ? arguments->n : 0;
    if (c->n_independent > FB_MAX_ARGUMENTS || c->coordinate < 0) {
        fail(b, element, FB2201, "its coordinates cannot be found, or are too many");
        c->n_independent = 0;
        return;
    }
    b->s->coordinates[c->coordinate].follows = true;
    for (int i = 0; i < c->n_independent; i++) {
        if ((c->independent[i] = coordinate_of(b, arguments->as.refs[i].target)) < 0) {
            fail(b, element, FB2201, "its coordinates cannot be found");
            c->independent[i] = 0;
        }
    }
    if (fb_function_compile(&c->function, fb_get_object(element, "function"), &b->s->arena,
                            b->diag) != FB_OK) {
        b->status = FB_E_INPUT;
        return;
    }
    int dimension = c->function.dimension;
    if (c->function.kind == FB_FN_MULTIVARIATE && dimension != c->n_independent) {
        fail(b, element, FB2305, "its function has not as many arguments as it names coordinates");
    }
    c->function.as_opensim4 = b->as_opensim4;
}

static void compile_line(builder *b, const fb_element *element) {
    fb_constraint *c = add_constraint(b, FB_CONSTRAINT_LINE, element, 2);
    double direction[3] = {0, 0, 0}, across[3] = {0, 0, 0};
    constraint_side(b, element, "line_body", "point_on_line", c, 0);
    constraint_side(b, element, "follower_body", "point_on_follower", c, 1);
    fb_get_vector(element, "line_direction", direction, 3);
    if (fb_v3_normalize(direction) == 0) {
        fail(b, element, FB2104, "the direction of its line is zero");
        return;
    }
    double given[3];
    fb_v3_copy(given, direction);
    fb_m3_mul_v3(direction, c->frame[0].R, given); /* into the body */
    across[fb_v3_least(direction)] = 1;
    fb_v3_cross(c->direction[0], direction, across);
    fb_v3_normalize(c->direction[0]);
    fb_v3_cross(c->direction[1], direction, c->direction[0]);
}

static void compile_constraint(builder *b, const fb_element *element) {
    const char *name = element->cls->name;
    if (element->cls == &fb_class_kept || !fb_get_bool(element, "enabled")) {
        return;
    }
    if (strcmp(name, "CoordinateCouplerConstraint") == 0) {
        compile_coupler(b, element);
    } else if (strcmp(name, "PointConstraint") == 0 ||
               strcmp(name, "ConstantDistanceConstraint") == 0) {
        bool point = name[0] == 'P';
        fb_constraint *c = add_constraint(b, point ? FB_CONSTRAINT_POINT : FB_CONSTRAINT_DISTANCE,
                                          element, point ? 3 : 1);
        constraint_side(b, element, "body_1", "location_1", c, 0);
        constraint_side(b, element, "body_2", "location_2", c, 1);
        if (!point) {
            c->distance = fb_get_number(element, "distance");
        }
    } else if (strcmp(name, "PointOnLineConstraint") == 0) {
        compile_line(b, element);
    } else if (strcmp(name, "WeldConstraint") == 0) {
        fb_constraint *c = add_constraint(b, FB_CONSTRAINT_WELD, element, 6);
        constraint_side(b, element, "frame_1", NULL, c, 0);
        constraint_side(b, element, "frame_2", NULL, c, 1);
    }
    /* the others are told: left_out.h */
}

/* The model's order of coordinates: joints as they stand in the file. */
static void order_coordinates(builder *b) {
    const fb_list *joints = fb_model_items(b->model, "joints");
    fb_system *s = b->s;
    s->file_order = fb_arena_array(&s->arena, (size_t)s->n_q, sizeof *s->file_order);
    int n = 0;
    for (size_t i = 0; i < joints->n; i++) {
        const fb_value *list = fb_get(joints->items[i], "coordinates");
        for (int j = 0; list && j < list->n; j++) {
            int k = coordinate_of(b, list->as.objects[j]);
            if (k >= 0 && n < s->n_q) {
                s->file_order[n++] = k;
            }
        }
    }
    for (int k = 0; k < s->n_q && n < s->n_q; k++) {
        if (!s->coordinates[k].element) {
            s->file_order[n++] = k;
        }
    }
}

static void compile(builder *b) {
    fb_system *s = b->s;
    fb_pose identity;
    fb_pose_identity(&identity);
    int *zero = fb_arena_alloc(&s->arena, sizeof *zero);
    fb_mobod ground = {.parent = -1,
                       .copy_of = -1,
                       .body = b->model->ground,
                       .path = b->model->ground->path,
                       .parent_frame = identity,
                       .child_frame = identity};
    b->bodies.arena = &s->arena;
    FB_PUSH(&s->arena, s->mobods, b->n_mobods, b->capacity_mobods, ground);
    fb_table_add(&b->bodies, b->model->ground->path, zero);
    build_tree(b);
    if (b->status != FB_OK) {
        return;
    }
    s->n_body = (int)b->n_mobods;
    s->branches = fb_arena_array(&s->arena, b->n_mobods, sizeof *s->branches);
    for (int i = 0; i < s->n_body; i++) {
        const fb_mobod *m = &s->mobods[i];
        s->branches[i] = (fb_branch){m->parent, m->q, m->q + m->n_q};
    }
    s->n_q = (int)b->n_coordinates;
    fb_get_vector(b->model->root, "gravity", s->gravity, 3);
    s->total_mass = fb_total_mass(b->model);
    const fb_list *constraints = fb_model_items(b->model, "constraints");
    for (size_t i = 0; i < constraints->n; i++) {
        compile_constraint(b, constraints->items[i]);
    }
    fb_system_tell_left_out(s, b->as_opensim4, b->diag);
    for (int i = 0; i < s->n_q; i++) {
        if (s->coordinates[i].locked || s->coordinates[i].prescribed) {
            add_constraint(b, FB_CONSTRAINT_FIXED, s->coordinates[i].element, 1)->coordinate = i;
        }
    }
    s->n_constraint = (int)b->n_constraints;
    order_coordinates(b);
    fb_reduction_compile(s);
}

fb_status fb_system_compile(fb_system **system, const fb_model *model,
                            const fb_system_options *options, fb_diag *diag) {
    *system = NULL;
    fb_system *s = fb_alloc(sizeof *s);
    if (!s) {
        return FB_E_MEMORY;
    }
    memset(s, 0, sizeof *s);
    fb_arena_init(&s->arena);
    s->model = model;
    builder b = {.s = s,
                 .model = model,
                 .diag = diag,
                 .as_opensim4 = options && options->as_opensim4};
    jmp_buf oom;
    if (setjmp(oom)) {
        b.status = FB_E_MEMORY;
        fb_diag_add(diag, FB_ERROR, FB1003, (fb_place){0}, NULL, "out of memory");
    } else {
        s->arena.oom = &oom;
        compile(&b);
        s->arena.oom = NULL;
    }
    if (b.status != FB_OK) {
        fb_system_free(s);
        return b.status;
    }
    *system = s;
    return FB_OK;
}

void fb_system_free(fb_system *system) {
    if (!system) {
        return;
    }
    fb_arena_clear(&system->arena);
    fb_free(system);
}

int fb_system_coordinate(const fb_system *system, const fb_element *coordinate) {
    for (int i = 0; i < system->n_q; i++) {
        if (system->coordinates[i].element == coordinate && coordinate) {
            return i;
        }
    }
    return -1;
}

int fb_system_body(const fb_system *system, const fb_element *frame, fb_pose *pose) {
    fb_pose own;
    const fb_element *base = NULL;
    if (!fb_frame_pose(frame, pose ? pose : &own, &base)) {
        return -1;
    }
    for (int i = 0; i < system->n_body; i++) {
        if (system->mobods[i].body == base) {
            return i;
        }
    }
    return -1;
}
