/* Old documents: inertias, joints inside bodies, offset frames, transforms of custom joints. */
#include <string.h>
#include <strings.h>

#include "formats/osim_upgrade.h"

/* ---- bodies --------------------------------------------------------------------------------- */

void fb_upgrade_body(fb_upgrade *u, fb_xml_node *body) {
    static const char *const parts[] = {"inertia_xx", "inertia_yy", "inertia_zz",
                                        "inertia_xy", "inertia_xz", "inertia_yz"};
    const fb_xml_node *first = NULL;
    for (int i = 0; i < 6 && !first; i++) {
        first = fb_xml_child(body, parts[i]);
    }
    if (first && !fb_xml_child(body, "inertia")) { /* beside one they are kept */
        char *text = fb_arena_printf(&u->xml->arena, "%s %s %s %s %s %s",
                                     fb_upgrade_text(body, parts[0], "0"),
                                     fb_upgrade_text(body, parts[1], "0"),
                                     fb_upgrade_text(body, parts[2], "0"),
                                     fb_upgrade_text(body, parts[3], "0"),
                                     fb_upgrade_text(body, parts[4], "0"),
                                     fb_upgrade_text(body, parts[5], "0"));
        fb_xml_add(u->xml, body, "inertia", text)->line = first->line;
        for (int i = 0; i < 6; i++) {
            fb_xml_node *part = fb_xml_child(body, parts[i]);
            if (part) {
                fb_upgrade_drop(part);
            }
        }
    }
    /* 3 x 3 numbers, row by row, in the oldest documents */
    fb_xml_node *inertia = fb_xml_child(body, "inertia");
    double x[9];
    if (inertia && fb_upgrade_are_numbers(inertia->text, x, 9)) {
        double six[6] = {x[0], x[4], x[8], x[1], x[2], x[5]};
        fb_upgrade_drop(inertia);
        fb_upgrade_add_numbers(u, body, "inertia", six, 6);
    }
}

/* ---- joints --------------------------------------------------------------------------------- */

/* What a property of an upgrade's own says; an error if it is no truth value. */
static int is_true(fb_upgrade *u, const fb_xml_node *node) {
    if (strcasecmp(node->text, "true") == 0 || strcmp(node->text, "1") == 0) {
        return 1;
    }
    if (node->text_length && strcasecmp(node->text, "false") != 0 && strcmp(node->text, "0") != 0) {
        fb_diag_add(u->diag, FB_ERROR, FB2103, (fb_place){node->file, node->line, NULL, node->tag},
                    NULL, "<%s> holds '%s': must be true or false", node->tag, node->text);
    }
    return 0;
}

const char *fb_upgrade_add_offset(fb_upgrade *u, fb_xml_node *owner, const char *parent,
                                  const char *translation, const char *rotation) {
    fb_xml_node *frames = fb_xml_child(owner, "frames");
    if (!frames) {
        frames = fb_xml_add(u->xml, owner, "frames", NULL);
    }
    const char *slash = strrchr(parent, '/');
    const char *name = fb_arena_printf(&u->xml->arena, "%s_offset", slash ? slash + 1 : parent);
    int taken = 0;
    for (const fb_xml_node *other = frames->first; other; other = other->next) {
        taken += other->name && strcmp(other->name, name) == 0; /* both ends on one body */
    }
    fb_xml_node *frame = fb_xml_add(u->xml, frames, "PhysicalOffsetFrame", NULL);
    frame->name = taken ? fb_arena_printf(&u->xml->arena, "%s_%d", name, taken - 1) : name;
    fb_xml_add(u->xml, frame, "socket_parent", parent);
    fb_xml_add(u->xml, frame, "translation", translation);
    fb_xml_add(u->xml, frame, "orientation", rotation);
    return frame->name;
}

void fb_upgrade_extract_joint(fb_upgrade *u, fb_xml_node *body, fb_xml_node *joints) {
    fb_xml_node *holder = fb_xml_child(body, "Joint");
    if (!holder) {
        return;
    }
    for (fb_xml_node *joint = holder->first, *next; joint; joint = next) {
        next = joint->next;
        if (!fb_class_find(joint->tag)) {
            continue; /* of a plug-in: it stays where it says whose joint it is, and is kept there
                       */
        }
        fb_xml_remove(joint);
        if (!fb_xml_child(joint, "socket_child_frame") && !fb_xml_child(joint, "#child")) {
            fb_xml_add(u->xml, joint, "#child", body->name ? body->name : "");
        }
        fb_xml_append(joints, joint);
    }
    if (!holder->first) {
        fb_upgrade_drop(holder);
    }
}

/* The axis of a TransformAxis as numbers. */
static int axis_of(const fb_xml_node *transform, double x[3]) {
    return transform && fb_upgrade_numbers(fb_upgrade_text(transform, "axis", ""), x, 3) == 3;
}

static void cross(const double a[3], const double b[3], double c[3]) {
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

/* Axes that an old TransformAxisSet leaves out, at right angles to those it has. */
static void complete_axes(fb_upgrade *u, fb_xml_node *axes[3], int n, const char *kind,
                          fb_xml_node *transform) {
    double x[3][3];
    for (int i = 0; i < n; i++) {
        if (!axis_of(axes[i], x[i])) {
            memcpy(x[i], (double[3]){i == 0, i == 1, i == 2}, sizeof x[i]);
        }
    }
    if (n == 0) {
        memcpy(x[0], (double[3]){1, 0, 0}, sizeof x[0]);
    }
    if (n <= 1) { /* perpendicular to the first: cross with the axis it is least along */
        double a[3] = {x[0][0] < 0 ? -x[0][0] : x[0][0], x[0][1] < 0 ? -x[0][1] : x[0][1],
                       x[0][2] < 0 ? -x[0][2] : x[0][2]};
        int k = a[0] <= a[1] && a[0] <= a[2] ? 0 : a[1] <= a[2] ? 1 : 2;
        double unit[3] = {k == 0, k == 1, k == 2};
        if (n == 0) {
            memcpy(x[1], (double[3]){0, 1, 0}, sizeof x[1]);
        } else {
            cross(x[0], unit, x[1]);
        }
    }
    if (n <= 2) {
        cross(x[0], x[1], x[2]);
    }
    for (int i = 0; i < 3; i++) {
        fb_xml_node *axis = i < n ? axes[i] : fb_xml_add(u->xml, transform, "TransformAxis", NULL);
        if (i < n) {
            fb_xml_append(transform, axis);
        }
        axis->name = fb_arena_printf(&u->xml->arena, "%s%d", kind, i + 1);
        if (i >= n) {
            fb_xml_add(u->xml, axis, "coordinates", "");
            fb_upgrade_add_numbers(u, axis, "axis", x[i], 3);
            fb_xml_add(u->xml, fb_xml_add(u->xml, axis, "Constant", NULL), "value", "0");
            axis->last->name = "function";
        }
    }
}

/* TransformAxisSet (rotations and translations mixed, as many as there are) to SpatialTransform. */
static void upgrade_transform(fb_upgrade *u, fb_xml_node *joint) {
    fb_xml_node *old = fb_xml_child(joint, "TransformAxisSet");
    if (!old || !fb_upgrade_is(joint, "CustomJoint") || fb_xml_child(joint, "SpatialTransform")) {
        return; /* where it means nothing it is kept */
    }
    fb_upgrade_drop(old);
    fb_xml_node *objects = fb_xml_child(old, "objects");
    fb_xml_node *rotations[3] = {0}, *translations[3] = {0};
    int n_rotations = 0, n_translations = 0;
    while (objects && objects->first) {
        fb_xml_node *axis = objects->first;
        fb_xml_remove(axis);
        fb_xml_node *flag = fb_xml_child(axis, "is_rotation");
        int rotates = flag ? is_true(u, flag) : 1;
        if (flag) {
            fb_xml_remove(flag);
        }
        fb_upgrade_rename_child(u, axis, "coordinate", "coordinates");
        fb_xml_node *function = fb_xml_child(axis, "function");
        if (function && !function->first) {
            fb_xml_remove(function);
        }
        if (rotates && n_rotations < 3) {
            rotations[n_rotations++] = axis;
        } else if (!rotates && n_translations < 3) {
            translations[n_translations++] = axis;
        } else {
            fb_diag_add(u->diag, FB_IGNORED, FB2401,
                        (fb_place){axis->file, axis->line, NULL, joint->tag},
                        "the joint lacks that motion", "joint '%s' has more than three %s axes",
                        joint->name ? joint->name : "", rotates ? "rotation" : "translation");
        }
    }
    fb_xml_node *transform = fb_xml_add(u->xml, joint, "SpatialTransform", NULL);
    complete_axes(u, rotations, n_rotations, "rotation", transform);
    complete_axes(u, translations, n_translations, "translation", transform);
}

void fb_upgrade_joint(fb_upgrade *u, fb_xml_node *joint) {
    fb_xml_node *set = fb_xml_child(joint, "CoordinateSet");
    if (set) {
        fb_xml_node *objects = fb_xml_child(set, "objects");
        fb_xml_node *list = fb_xml_child(joint, "coordinates");
        if (!list) {
            list = fb_xml_add(u->xml, joint, "coordinates", NULL);
        }
        if (objects) {
            fb_upgrade_move_children(objects, list);
        }
        for (const fb_xml_node *rest = set->first; rest; rest = rest->next) {
            if (rest != objects && (rest->first || rest->text_length)) {
                fb_diag_add(u->diag, FB_IGNORED, FB2401,
                            (fb_place){rest->file, rest->line, NULL, set->tag}, "it has no effect",
                            "<%s> of a CoordinateSet is left out", rest->tag);
            }
        }
        fb_upgrade_drop(set);
    }
    upgrade_transform(u, joint);
    if (fb_xml_child(joint, "parent_body") || fb_xml_child(joint, "location_in_parent") ||
        fb_xml_child(joint, "#child")) {
        fb_xml_node *socket = fb_xml_child(joint, "socket_parent_body");
        const char *parent = fb_upgrade_take(joint, "parent_body", NULL);
        if (!parent && socket) {
            parent = fb_upgrade_take(joint, "socket_parent_body", NULL);
        }
        const char *child = fb_upgrade_take(joint, "#child", NULL);
        if (!child) {
            child = fb_upgrade_take(joint, "socket_child_body", NULL);
        }
        fb_xml_node *parent_frame = fb_xml_child(joint, "socket_parent_frame");
        fb_xml_node *child_frame = fb_xml_child(joint, "socket_child_frame");
        if (!parent && parent_frame) {
            parent = fb_upgrade_take(joint, "socket_parent_frame", NULL);
        }
        if (!child && child_frame) {
            child = fb_upgrade_take(joint, "socket_child_frame", NULL);
        }
        fb_upgrade_rename_child(u, joint, "location", "location_in_child");
        fb_upgrade_rename_child(u, joint, "orientation", "orientation_in_child");
        const char *translation = fb_upgrade_take(joint, "location_in_parent", "0 0 0");
        const char *rotation = fb_upgrade_take(joint, "orientation_in_parent", "0 0 0");
        const char *child_translation = fb_upgrade_take(joint, "location_in_child", "0 0 0");
        const char *child_rotation = fb_upgrade_take(joint, "orientation_in_child", "0 0 0");
        if (parent) {
            fb_xml_add(u->xml, joint, "socket_parent_frame",
                       fb_upgrade_add_offset(u, joint, parent, translation, rotation));
        }
        if (child) {
            fb_xml_add(u->xml, joint, "socket_child_frame",
                       fb_upgrade_add_offset(u, joint, child, child_translation, child_rotation));
        }
    }
    fb_xml_node *reverse = fb_xml_child(joint, "reverse");
    if (reverse) {
        fb_xml_node *parent = fb_xml_child(joint, "socket_parent_frame");
        fb_xml_node *child = fb_xml_child(joint, "socket_child_frame");
        if (is_true(u, reverse) && parent && child) {
            fb_upgrade_rename(u, parent, "socket_child_frame");
            fb_upgrade_rename(u, child, "socket_parent_frame");
        }
        fb_upgrade_drop(reverse);
    }
    fb_xml_node *euler = fb_xml_child(joint, "use_euler_angles");
    if (euler) { /* 4.x always uses them */
        fb_upgrade_drop(euler);
    }
}
