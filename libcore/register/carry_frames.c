/* Frames of a carried model: where each goes, and what it carries of looks. */
#include "libcore/register/carry_internal.h"

static const double origin[3] = {0, 0, 0};

static int body_number(const fb_carry_job *job, const fb_element *body) {
    const fb_list *bodies = fb_model_items(job->model, "bodies");
    for (size_t i = 0; i < bodies->n; i++) {
        if (bodies->items[i] == body) {
            return (int)i;
        }
    }
    return -1;
}

static const fb_transform *map_of(const fb_carry_job *job, int body) {
    static const fb_transform ground = {.linear = {1, 0, 0, 0, 1, 0, 0, 0, 1},
                                        .rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1},
                                        .scale = {1, 1, 1}};
    return body < 0 ? &ground : &job->bodies[body];
}

/* Where a frame goes if nothing else is asked: its origin by the map, turned as the bone turns
 * where `anchor` is (in the body). */
static void place(const fb_carry_job *job, fb_carry_frame *frame, const double *anchor) {
    const fb_transform *map = map_of(job, frame->body);
    fb_transform_point(map, frame->before.p, frame->after.p);
    fb_carry_turn(map, anchor, frame->before.R, frame->after.R);
}

/* ---- joints' frames ---------------------------------------------------------------------------
 */

/* The number of a body in a system that was compiled of another reading of the model; -1. */
static int number_in(const fb_carry_job *job, const fb_system *system, int body) {
    const fb_element *element = body < 0 ? job->model->ground
                                         : fb_model_items(job->model, "bodies")->items[body];
    for (int i = 0; i < system->n_body; i++) {
        const fb_mobod *m = &system->mobods[i];
        const char *path = m->body ? m->body->path : m->path;
        if (m->copy_of < 0 && path && strcmp(path, element->path) == 0) {
            return i;
        }
    }
    return body < 0 ? 0 : -1;
}

/* A joint's centre in the parent's body: where the child's joint frame is in the default pose. */
static void joint_center(const fb_carry_job *job, const fb_carry_frame *parent,
                         const fb_carry_frame *child, double *center) {
    const fb_system *system = job->was.system;
    int a = system ? number_in(job, system, parent->body) : -1;
    int b = system ? number_in(job, system, child->body) : -1;
    fb_v3_copy(center, parent->before.p);
    if (a < 0 || b < 0) {
        return;
    }
    double ground[3], d[3];
    fb_pose_point(ground, &job->was.state->pose[b], child->before.p);
    fb_v3_sub(d, ground, job->was.state->pose[a].p);
    fb_m3_tmul_v3(center, job->was.state->pose[a].R, d);
    if (fb_v3_distance(center, parent->before.p) < 1e-12) {
        fb_v3_copy(center, parent->before.p);
    }
}

static bool gives(const fb_joint_site *site, bool parent) {
    return site && (parent ? site->in_parent : site->in_child);
}

/* The direction about which a joint turns first, in its frames; false if there is none. */
static bool main_axis(const fb_element *joint, double *axis) {
    const fb_value *axes = fb_get(joint, "axes");
    const char *cls = joint->cls->name;
    fb_v3_set(axis, 0, 0, 1);
    for (int i = 0; axes && i < axes->n && i < 3; i++) {
        const fb_element *one = axes->as.objects[i];
        const fb_value *on = fb_get(one, "coordinate");
        if (on && on->n > 0 && fb_get_vector(one, "axis", axis, 3) && fb_v3_normalize(axis) > 0) {
            return true;
        }
    }
    return strcmp(cls, "PinJoint") == 0 || strcmp(cls, "PlanarJoint") == 0;
}

/* Turns a frame by the least angle such that its direction a becomes +-b (in the body). */
static void aim(fb_carry_frame *frame, const double *a, const double *b) {
    double now[3], want[3], n[3], R[9], turned[9];
    fb_m3_mul_v3(now, frame->after.R, a);
    fb_v3_copy(want, b);
    fb_v3_normalize(want);
    if (fb_v3_dot(now, want) < 0) {
        fb_v3_scale(want, -1, want);
    }
    fb_v3_cross(n, now, want);
    double s = fb_v3_normalize(n);
    if (s > 1e-12) {
        fb_m3_rotation(R, n, atan2(s, fb_v3_dot(now, want)));
        fb_m3_mul(turned, R, frame->after.R);
        memcpy(frame->after.R, turned, sizeof turned);
    }
}

/* A fitted centre and axis, from the target's frame of the body. */
static void put_on_site(const fb_carry_job *job, fb_carry_side *side, const double *center,
                        bool parent) {
    const fb_body_map *body = side->frame.body < 0 ? NULL : &job->maps[side->frame.body];
    const double *site = parent ? side->site->parent : side->site->child;
    const double *axis = parent ? side->site->axis_parent : side->site->axis_child;
    double d[3], want[3], now[3], direction[3], main[3];
    fb_v3_copy(want, site);
    fb_v3_copy(direction, axis);
    if (body) {
        fb_v3_sub(d, site, body->frame.p);
        fb_m3_tmul_v3(want, body->frame.R, d);
        fb_m3_tmul_v3(direction, body->frame.R, axis);
    }
    if (fb_v3_norm(axis) > 0 && main_axis(side->joint, main)) {
        aim(&side->frame, main, direction);
    }
    fb_transform_point(map_of(job, side->frame.body), center, now);
    fb_v3_sub(d, want, now);
    if (fb_v3_norm(d) > 1e-12) {
        fb_v3_add(side->frame.after.p, side->frame.after.p, d);
    }
}

static const fb_joint_site *site_of(const fb_carry_job *job, const fb_element *joint) {
    for (int i = 0; job->options && i < job->options->n_sites; i++) {
        if (job->options->sites[i].joint == joint) {
            return &job->options->sites[i];
        }
    }
    return NULL;
}

static fb_carry_frame frame_before(fb_carry_job *job, const fb_element *element) {
    fb_carry_frame frame = {.element = element, .body = -1, .scale = 1};
    const fb_element *base = NULL;
    if (fb_frame_pose(element, &frame.before, &base)) {
        frame.body = body_number(job, base);
    } else {
        fb_pose_identity(&frame.before);
    }
    return frame;
}

static void joint_sides(fb_carry_job *job, fb_element *joint) {
    fb_carry_side *sides = fb_arena_array(&job->scratch, 2, sizeof *sides);
    double center[3];
    for (int i = 0; i < 2; i++) {
        fb_carry_side *side = &sides[i];
        side->joint = joint;
        side->key = i == 0 ? "parent" : "child";
        side->site = job->uniform ? NULL : site_of(job, joint);
        side->frame = frame_before(job, fb_get_target(joint, side->key));
    }
    for (int i = 0; i < 2; i++) {
        fb_carry_side *side = &sides[i];
        if (i == 0) {
            joint_center(job, &side->frame, &sides[1].frame, center);
        } else {
            fb_v3_copy(center, side->frame.before.p);
        }
        place(job, &side->frame, center);
        if (gives(side->site, i == 0)) {
            put_on_site(job, side, center, i == 0);
        }
        fb_carry_frame_map(job, &side->frame, map_of(job, side->frame.body));
    }
    fb_table_add(&job->sides, joint->path, sides);
}

/* ---- offset frames ----------------------------------------------------------------------------
 */

/* The side of a joint that has this very frame, NULL if none. */
static fb_carry_side *side_with(fb_carry_job *job, const fb_element *frame) {
    const fb_list *joints = fb_model_items(job->model, "joints");
    for (size_t j = 0; j < joints->n; j++) {
        fb_carry_side *sides = fb_table_find(&job->sides, joints->items[j]->path);
        for (int i = 0; sides && i < 2; i++) {
            if (sides[i].frame.element == frame) {
                return &sides[i];
            }
        }
    }
    return NULL;
}

static bool is_offset(const fb_element *frame) {
    return strcmp(frame->cls->name, "PhysicalOffsetFrame") == 0;
}

static bool exactly_similar(const fb_carry_frame *frame) {
    double Q[9];
    fb_carry_orthogonal(&frame->map, origin, Q);
    return frame->similar && Q[0] == 1 && Q[4] == 1 && Q[8] == 1;
}

static fb_carry_frame *frame_after(fb_carry_job *job, fb_element *element);

static fb_carry_frame *known(fb_carry_job *job, const fb_element *element) {
    fb_carry_frame *frame = element && element->path ? fb_table_find(&job->frames, element->path)
                                                     : NULL;
    const fb_list *frames = fb_model_items(job->model, "frames");
    for (size_t i = 0; !frame && element && i < frames->n; i++) {
        if (frames->items[i] == element) {
            frame = frame_after(job, frames->items[i]);
        }
    }
    return frame;
}

/* Numbers of an offset frame from where it and its parent have gone. */
static void write_offset(fb_carry_job *job, fb_element *element, const fb_carry_frame *frame,
                         const fb_carry_frame *parent, bool placed) {
    double t[3] = {0, 0, 0}, angles[3] = {0, 0, 0}, R[9], moved[3];
    fb_get_vector(element, "translation", t, 3);
    fb_get_vector(element, "rotation_xyz", angles, 3);
    if (placed) {
        double d[3];
        fb_v3_sub(d, frame->after.p, parent->after.p);
        fb_m3_tmul_v3(moved, parent->after.R, d);
    } else {
        fb_transform_point(&parent->map, t, moved);
    }
    if (memcmp(moved, t, sizeof t) != 0) {
        fb_carry_set(job, element, "translation", moved, 3);
    }
    fb_m3_tmul(R, parent->after.R, frame->after.R);
    double was[9], apart = 0, next[3];
    fb_m3_from_xyz(was, angles);
    for (int i = 0; i < 9; i++) {
        apart = fb_greater(apart, fabs(R[i] - was[i]));
    }
    if (apart <= 1e-13) {
        return;
    }
    fb_v3_copy(next, angles);
    if (placed || !fb_carry_turn_xyz(&parent->map, t, next)) {
        fb_carry_to_xyz(R, next);
    }
    double check[9], wrong = 0;
    fb_m3_from_xyz(check, next);
    for (int i = 0; i < 9; i++) {
        wrong = fb_greater(wrong, fabs(check[i] - R[i]));
    }
    if (wrong > 1e-12) {
        fb_carry_to_xyz(R, next);
    }
    fb_carry_set(job, element, "rotation_xyz", next, 3);
}

static fb_carry_frame *frame_after(fb_carry_job *job, fb_element *element) {
    fb_carry_frame *frame = fb_arena_alloc(&job->scratch, sizeof *frame);
    *frame = frame_before(job, element);
    place(job, frame, frame->before.p);
    fb_table_add(&job->frames, element->path, frame); /* before its parent: no circle */
    if (is_offset(element)) {
        fb_carry_frame *parent = known(job, fb_get_target(element, "parent"));
        fb_carry_side *side = side_with(job, element);
        bool placed = false;
        if (side && !exactly_similar(&side->frame)) {
            frame->after = side->frame.after;
            placed = true;
        } else if (side && gives(side->site, side->key[0] == 'p')) {
            frame->after = side->frame.after;
            placed = true;
        }
        if (parent) {
            write_offset(job, element, frame, parent, placed);
        }
    } else if (fb_get(element, "origin")) { /* by its stations, which go by their frames' maps */
        const fb_element *base = NULL;
        static const char *const keys[] = {"point_a", "point_b", "point_c", "origin"};
        for (int i = 0; i < 4; i++) {
            const fb_list *stations = fb_model_items(job->model, "stations");
            const fb_element *station = fb_get_target(element, keys[i]);
            for (size_t k = 0; k < stations->n; k++) {
                if (stations->items[k] == station && station->order >= 0) {
                    fb_carry_element(job, stations->items[k]);
                }
            }
        }
        if (!fb_frame_pose(element, &frame->after, &base)) {
            place(job, frame, frame->before.p);
        }
    }
    fb_carry_frame_map(job, frame, map_of(job, frame->body));
    return frame;
}

const fb_carry_frame *fb_carry_frame_of(fb_carry_job *job, const fb_element *element) {
    const fb_carry_frame *frame = known(job, element);
    if (!frame && element) {
        fb_carry_tell(job, FB_ERROR, element, "it is in a frame that is fixed to no body");
        job->status = FB_E_INPUT;
    }
    return frame;
}

/* ---- all of them ------------------------------------------------------------------------------
 */

fb_element *fb_carry_add_frame(fb_carry_job *job, const fb_element *owner, const fb_element *parent,
                               const char *name, const fb_pose *pose) {
    fb_model *model = job->model;
    double angles[3];
    const char *free_name = name;
    for (int i = 1; fb_model_find(model, FB_FRAME, free_name); i++) {
        free_name = fb_arena_printf(&model->arena, "%s_%d", name, i);
    }
    fb_element *frame = fb_element_new(model, fb_class_find("PhysicalOffsetFrame"), free_name);
    const char *text = parent->path;
    fb_value *value = fb_value_of(frame, "parent");
    fb_value_set_refs(model, value, &text, 1);
    value->as.refs[0].target = parent;
    fb_carry_to_xyz(pose->R, angles);
    fb_value_set_numbers(model, fb_value_of(frame, "translation"), pose->p, 3);
    fb_value_set_numbers(model, fb_value_of(frame, "rotation_xyz"), angles, 3);
    fb_element_defaults(model, frame);
    frame->order = 1 << 28; /* after all others of its owner */
    fb_model_add(model, frame, fb_arena_printf(&model->arena, "%s/%s", owner->path, free_name));
    job->changed = true;
    return frame;
}

static bool poses_differ(const fb_pose *a, const fb_pose *b) {
    double d = fb_v3_distance(a->p, b->p);
    for (int i = 0; i < 9; i++) {
        d = fb_greater(d, fabs(a->R[i] - b->R[i]));
    }
    return d > 1e-12;
}

/* A joint whose frame is the body itself, or one that it shares, gets a frame of its own where that
 * frame is not where the joint is to be. */
static void separate(fb_carry_job *job, fb_carry_side *side) {
    const fb_carry_frame *frame = known(job, side->frame.element);
    if (!frame || side->frame.body < 0 || !poses_differ(&frame->after, &side->frame.after)) {
        return;
    }
    const fb_element *body = fb_model_items(job->model, "bodies")->items[side->frame.body];
    const char *name = fb_arena_printf(&job->model->arena, "%s_%s_offset", fb_osim_name(body),
                                       fb_osim_name(side->joint));
    fb_element *own = fb_carry_add_frame(job, side->joint, body, name, &side->frame.after);
    fb_value *ref = fb_value_of(side->joint, side->key);
    ref->as.refs = fb_arena_alloc(&job->model->arena, sizeof *ref->as.refs);
    ref->as.refs[0] = (fb_ref){own->path, own};
    fb_carry_frame *copy = fb_arena_alloc(&job->scratch, sizeof *copy);
    *copy = side->frame;
    copy->element = own;
    fb_table_add(&job->frames, own->path, copy);
    fb_carry_tell(job, FB_WARNING, side->joint,
                  "its %s is body '%s' itself, whose frame is elsewhere now: it gets the offset "
                  "frame '%s'",
                  side->key, fb_osim_name(body), fb_osim_name(own));
}

void fb_carry_frames(fb_carry_job *job) {
    fb_list *bodies = fb_model_list(job->model, "bodies");
    fb_list *frames = fb_model_list(job->model, "frames");
    fb_list *joints = fb_model_list(job->model, "joints");
    for (int i = -1; i < (int)bodies->n; i++) {
        fb_carry_frame *frame = fb_arena_alloc(&job->scratch, sizeof *frame);
        frame->element = i < 0 ? job->model->ground : bodies->items[i];
        frame->body = i;
        fb_pose_identity(&frame->before);
        fb_pose_identity(&frame->after);
        frame->map = *map_of(job, i);
        fb_carry_frame_finish(frame);
        fb_table_add(&job->frames, frame->element->path, frame);
    }
    for (size_t i = 0; i < joints->n; i++) {
        joint_sides(job, joints->items[i]);
    }
    size_t n = frames->n;
    for (size_t i = 0; i < n; i++) {
        known(job, frames->items[i]);
    }
    for (size_t i = 0; i < joints->n; i++) {
        fb_carry_side *sides = fb_table_find(&job->sides, joints->items[i]->path);
        separate(job, &sides[0]);
        separate(job, &sides[1]);
    }
}

/* ---- looks ------------------------------------------------------------------------------------
 */

/* Scale factors of a frame's geometry: how the map stretches along the frame's axes. */
static void scale_geometry(fb_carry_job *job, const fb_carry_frame *frame, fb_element *geometry) {
    double s[3] = {1, 1, 1}, next[3];
    if (!fb_get_vector(geometry, "scale", s, 3)) {
        return;
    }
    for (int i = 0; i < 3; i++) {
        double axis[3] = {i == 0, i == 1, i == 2};
        next[i] = s[i] * fb_carry_stretch(&frame->map, origin, axis);
    }
    if (frame->map.mirrored) {
        next[2] = -next[2];
    }
    fb_carry_set(job, geometry, "scale", next, 3);
}

static bool is_axes(const fb_element *geometry) {
    return strcmp(geometry->cls->name, "FrameGeometry") == 0;
}

static const fb_new_mesh *mesh_for(const fb_carry_job *job, const fb_element *body, int from) {
    for (int i = from; !job->uniform && job->options && i < job->options->n_meshes; i++) {
        if (job->options->meshes[i].body == body) {
            return &job->options->meshes[i];
        }
    }
    return NULL;
}

static fb_element *new_mesh(fb_carry_job *job, fb_element *owner, const fb_new_mesh *mesh,
                            const fb_element *like) {
    fb_element *element = fb_element_new(job->model, fb_class_find("Mesh"), NULL);
    element->owner = owner;
    fb_value_set_string(job->model, fb_value_of(element, "mesh"), mesh->file);
    fb_value_set_numbers(job->model, fb_value_of(element, "scale"), mesh->scale, 3);
    if (like && fb_get(like, "appearance")) {
        *fb_value_of(element, "appearance") = *fb_get(like, "appearance");
    }
    fb_element_defaults(job->model, element);
    return element;
}

static void set_geometry(fb_model *model, fb_element *frame, fb_element **items, int n) {
    fb_element **copy = fb_arena_array(&model->arena, (size_t)n + 1, sizeof *copy);
    for (int i = 0; items && i < n; i++) {
        copy[i] = items[i];
        copy[i]->owner = frame;
    }
    *fb_value_of(frame, "geometry") = (fb_value){.present = n > 0, .n = n, .as.objects = copy};
}

/* Names a mesh as its file is called, unless one beside it has that name. */
static void name_mesh(fb_carry_job *job, fb_element *mesh, fb_element **others, int n) {
    const char *file = fb_get_string(mesh, "mesh"), *slash = strrchr(file, '/');
    const char *stem = slash ? slash + 1 : file, *dot = strrchr(stem, '.');
    const char *name = fb_arena_text(&job->model->arena, stem,
                                     dot ? (size_t)(dot - stem) : strlen(stem));
    for (int i = 0; i < n; i++) {
        if (others[i]->name && strcmp(others[i]->name, name) == 0) {
            return;
        }
    }
    mesh->name = name;
}

/* The new skeleton's meshes of a body in place of its own: each where it lies in the body. */
static void replace_meshes(fb_carry_job *job, fb_element *body, const fb_body_map *map) {
    const fb_value *old = fb_get(body, "geometry");
    const fb_element *like = old && old->n > 0 ? old->as.objects[0] : NULL;
    fb_element **here = fb_arena_array(&job->scratch, (size_t)job->options->n_meshes + 1,
                                       sizeof *here);
    int n_here = 0;
    fb_pose back, at, none;
    fb_pose_inverse(&back, &map->frame);
    fb_pose_identity(&none);
    for (const fb_new_mesh *mesh = mesh_for(job, body, 0); mesh;
         mesh = mesh_for(job, body, (int)(mesh - job->options->meshes) + 1)) {
        fb_pose_mul(&at, &back, &mesh->in_target);
        if (!poses_differ(&at, &none)) {
            here[n_here] = new_mesh(job, body, mesh, like);
            name_mesh(job, here[n_here], here, n_here);
            n_here++;
            continue;
        }
        const char *name = fb_arena_printf(&job->model->arena, "%s_mesh", fb_osim_name(body));
        fb_element *frame = fb_carry_add_frame(job, body, body, name, &at);
        fb_element *one = new_mesh(job, frame, mesh, like);
        name_mesh(job, one, NULL, 0);
        set_geometry(job->model, frame, &one, 1);
    }
    set_geometry(job->model, body, here, n_here);
    job->changed = true;
}

/* The body's own geometry moves with the map: in a frame of its own where the map does not leave
 * the body's origin and axes. */
void fb_carry_geometry_of(fb_carry_job *job, fb_element *element, const fb_carry_frame *frame) {
    const fb_value *value = fb_get(element, "geometry");
    double Q[9];
    if (!value || value->n == 0 || frame->same) {
        return;
    }
    for (int i = 0; i < value->n; i++) {
        if (!is_axes(value->as.objects[i])) {
            scale_geometry(job, frame, value->as.objects[i]);
        }
    }
    fb_pose at;
    fb_transform_point(&frame->map, origin, at.p);
    fb_carry_orthogonal(&frame->map, origin, Q);
    for (int i = 2; frame->map.mirrored && i < 9; i += 3) {
        Q[i] = -Q[i];
    }
    memcpy(at.R, Q, sizeof Q);
    fb_pose none;
    fb_pose_identity(&none);
    if (!poses_differ(&at, &none)) {
        return;
    }
    const char *name = fb_arena_printf(&job->model->arena, "%s_geometry", fb_osim_name(element));
    fb_element *own = fb_carry_add_frame(job, element, element, name, &at);
    set_geometry(job->model, own, value->as.objects, value->n);
    set_geometry(job->model, element, NULL, 0);
}

void fb_carry_geometry(fb_carry_job *job) {
    fb_list *bodies = fb_model_list(job->model, "bodies");
    fb_list *frames = fb_model_list(job->model, "frames");
    size_t n_frames = frames->n;
    for (size_t i = 0; i < bodies->n; i++) {
        if (mesh_for(job, bodies->items[i], 0)) {
            replace_meshes(job, bodies->items[i], &job->maps[i]);
        } else {
            fb_carry_geometry_of(job, bodies->items[i], fb_carry_frame_of(job, bodies->items[i]));
        }
    }
    for (size_t i = 0; i < n_frames; i++) {
        const fb_carry_frame *frame = fb_carry_frame_of(job, frames->items[i]);
        int body = frame ? frame->body : -1;
        const fb_element *own = body < 0 ? NULL : bodies->items[body];
        if (own && mesh_for(job, own, 0)) {
            set_geometry(job->model, frames->items[i], NULL, 0); /* part of the old bone */
        } else if (frame) {
            fb_carry_geometry_of(job, frames->items[i], frame);
        }
    }
}
