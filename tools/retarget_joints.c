/* retarget: joints whose centres and axes are seen on the bones. */
#include <string.h>

#include "tools/retarget.h"

#define ON_FIT 0.012 /* m: a joint farther from what was fitted in the standard is not of it */
#define MET 0.01     /* m: heads and cups that are nearer to each other lie in one frame */
#define GOOD 0.0025  /* m: rms of a fit that is believed */

/* What is fitted, on which bone, and the bone on the joint's other side. */
static const struct {
    const char *fit;
    fb_bone_kind on, other;
} sources[] = {
    {"hip_center", FB_BONE_FEMUR, FB_BONE_PELVIS},
    {"hip_center", FB_BONE_FEMUR, FB_BONE_HEMIPELVIS},
    {"knee_axis", FB_BONE_FEMUR, FB_BONE_TIBIA},
    {"ankle_axis", FB_BONE_TALUS, FB_BONE_TIBIA},
    {"subtalar_axis", FB_BONE_TALUS, FB_BONE_CALCANEUS},
    {"subtalar_axis", FB_BONE_TALUS, FB_BONE_FOOT},
    {"shoulder_center", FB_BONE_HUMERUS, FB_BONE_SCAPULA},
    {"elbow_axis", FB_BONE_HUMERUS, FB_BONE_ULNA},
};

static const fb_bone_fit *find(const fb_retarget_body *b, int side, const char *name) {
    for (int i = 0; i < b->n_fits[side]; i++) {
        if (strcmp(b->fits[side][i].name, name) == 0 && b->fits[side][i].rms < GOOD) {
            return b->fits[side] + i;
        }
    }
    return NULL;
}

static const fb_retarget_body *body_of(const fb_retarget_standard *s, const fb_element *frame,
                                       fb_pose *pose) {
    const fb_element *base;
    if (!frame || !fb_frame_pose(frame, pose, &base)) {
        return NULL;
    }
    for (int i = 0; i < s->n_bodies; i++) {
        if (s->bodies[i].element == base) {
            return s->bodies + i;
        }
    }
    return NULL;
}

/* The place that belongs to a fit on the new bone as `place` belongs to the one on the standard's:
 * the centre itself for spheres; for axes, the same place along and beside them. */
static void carry(const fb_retarget_body *b, const fb_bone_fit *from, const fb_bone_fit *to,
                  const double *place, double *out) {
    double beside[3], turned[3],
        scale = cbrt(fabs(b->map.scale[0] * b->map.scale[1] * b->map.scale[2]));
    if (fb_v3_norm(from->axis) == 0) {
        fb_v3_copy(out, to->center);
        return;
    }
    fb_v3_sub(beside, place, from->center);
    fb_m3_mul_v3(turned, b->map.rotation, beside);
    fb_v3_copy(out, to->center);
    fb_v3_madd(out, scale, turned);
}

/* Translations of a joint that moves along as it turns have no single axis on the bone. */
static bool slides(const fb_element *joint) {
    const fb_value *axes = fb_get(joint, "axes");
    for (int i = 3; axes && i < axes->n; i++) {
        const fb_value *coordinates = fb_get(axes->as.objects[i], "coordinate");
        if (coordinates && coordinates->present && coordinates->n > 0) {
            return true;
        }
    }
    return false;
}

static void add_site(fb_retarget *r, fb_retarget_standard *s, const fb_element *joint) {
    fb_pose pose[2];
    const fb_retarget_body *side[2] = {body_of(s, fb_get_target(joint, "parent"), pose),
                                       body_of(s, fb_get_target(joint, "child"), pose + 1)};
    if (!side[0] || !side[1] || !side[0]->placed || !side[1]->placed) {
        return;
    }
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
        int on = side[0]->guess.kind == sources[i].on ? 0 : 1, other = 1 - on;
        if (side[on]->guess.kind != sources[i].on || side[other]->guess.kind != sources[i].other ||
            fb_retarget_is_identity(side[on])) {
            continue;
        }
        const fb_bone_fit *from = find(side[on], 0, sources[i].fit),
                          *to = find(side[on], 1, sources[i].fit);
        if (!from || !to || fb_v3_distance(from->center, pose[on].p) > ON_FIT) {
            continue;
        }
        double place[3], met[3];
        carry(side[on], from, to, pose[on].p, place);
        fb_joint_site site = {.joint = joint, .in_parent = on == 0, .in_child = on == 1};
        fb_v3_copy(on == 0 ? site.parent : site.child, place);
        /* bones that lie as in life: what was found on one is the other's as well */
        fb_transform_point(&side[other]->map, pose[other].p, met);
        if (!r->skeleton_model && !slides(joint) && fb_v3_distance(met, place) < 2 * MET) {
            site.in_parent = site.in_child = true;
            fb_v3_copy(on == 0 ? site.child : site.parent, place);
        }
        s->sites[s->n_sites++] = site;
        return;
    }
}

fb_status fb_retarget_joints(fb_retarget *r, fb_retarget_standard *s) {
    const fb_list *joints = fb_model_items(s->original, "joints");
    s->sites = fb_arena_array(&r->arena, joints->n + r->given.n_joints + 1, sizeof *s->sites);
    s->n_sites = 0;
    for (size_t i = 0; i < r->given.n_joints; i++) {
        const fb_joint_place *given = r->given.joints + i;
        fb_joint_site site = {.joint = fb_model_find(s->original, FB_JOINT, given->joint),
                              .in_parent = given->in_parent,
                              .in_child = given->in_child};
        if (!site.joint) {
            fb_diag_add(&r->cli->diag, FB_ERROR, FB1413,
                        (fb_place){fb_cli_value(r->cli, "params-in"), given->line, NULL, NULL},
                        NULL, "'%s' is no joint of %s", given->joint, s->file);
            return FB_E_INPUT;
        }
        fb_v3_copy(site.parent, given->parent);
        fb_v3_copy(site.child, given->child);
        fb_v3_copy(site.axis_parent, given->axis_parent);
        fb_v3_copy(site.axis_child, given->axis_child);
        s->sites[s->n_sites++] = site;
    }
    if (!r->any_given) {
        for (size_t i = 0; i < joints->n; i++) {
            add_site(r, s, joints->items[i]);
        }
    }
    return FB_OK;
}

/* ---- centres of ball joints ------------------------------------------------------------------ */

/* A centre that the new skeleton's model has for the joint between two bones. */
static bool model_center(const fb_model *model, const fb_retarget_body *body,
                         const fb_retarget_body *other, double *center) {
    const fb_list *joints = fb_model_items(model, "joints");
    static const char *const ends[2] = {"parent", "child"};
    for (size_t i = 0; i < joints->n; i++) {
        const fb_element *base[2];
        fb_pose pose[2];
        bool both = true;
        for (int k = 0; k < 2; k++) {
            const fb_element *frame = fb_get_target(joints->items[i], ends[k]);
            both = both && frame && fb_frame_pose(frame, pose + k, base + k);
        }
        for (int k = 0; k < 2 && both; k++) {
            if (base[k]->name && base[1 - k]->name &&
                strcmp(base[k]->name, body->target->body) == 0 &&
                strcmp(base[1 - k]->name, other->target->body) == 0) {
                fb_v3_copy(center, pose[k].p);
                return true;
            }
        }
    }
    return false;
}

/* The centre on the new bone: its model's, that of the head, or that of the cup. */
static bool new_center(const fb_retarget *r, const fb_retarget_body *body,
                       const fb_retarget_body *other, bool head, const char *name, double *center) {
    if (r->skeleton_model && other->target &&
        model_center(r->skeleton_model, body, other, center)) {
        return true;
    }
    const fb_bone_fit *fit = NULL;
    if (head) {
        fit = find(body, 1, name);
    } else if (!r->skeleton_model) { /* a scan: head and cup have one frame, if they lie as in life
                                      */
        fit = find(other, 1, name);
        double apart =
            fit ? fb_surface_nearest(body->target->surface, fit->center, NULL, NULL, NULL) : 0;
        fit = fit && fabs(apart) > fit->radius / 2 && fabs(apart) < 2 * fit->radius ? fit : NULL;
    }
    if (!fit && !head) {
        char sided[64];
        snprintf(sided, sizeof sided, "%s_%c", name, other->guess.side ? other->guess.side : 'r');
        fit = find(body, 1, sided);
    }
    if (fit) {
        fb_v3_copy(center, fit->center);
    }
    return fit;
}

int fb_retarget_centers(const fb_retarget *r, const fb_retarget_standard *s,
                        const fb_retarget_body *body, double (*from)[3], double (*to)[3]) {
    const fb_list *joints = fb_model_items(s->original, "joints");
    int n = 0;
    for (size_t i = 0; i < joints->n && n < FB_RETARGET_CENTERS; i++) {
        fb_pose pose[2];
        const fb_retarget_body *side[2] = {body_of(s, fb_get_target(joints->items[i], "parent"),
                                                   pose),
                                           body_of(s, fb_get_target(joints->items[i], "child"),
                                                   pose + 1)};
        int own = side[0] == body ? 0 : 1;
        const fb_retarget_body *other = side[1 - own];
        if (side[own] != body || !other) {
            continue;
        }
        for (size_t k = 0; k < sizeof sources / sizeof *sources; k++) {
            bool head = body->guess.kind == sources[k].on && other->guess.kind == sources[k].other;
            bool cup = other->guess.kind == sources[k].on && body->guess.kind == sources[k].other;
            if ((head || cup) && strstr(sources[k].fit, "_center") &&
                new_center(r, body, other, head, sources[k].fit, to[n])) {
                fb_v3_copy(from[n++], pose[own].p);
                break;
            }
        }
    }
    return n;
}
