/* Old OpenSim documents, rewritten into the newest form.
 *
 * Files in the wild do not always match the version they state (a document of version 30000 may
 * hold sockets of 40000), so nearly every rule here looks at what is there, not at the number. The
 * rules follow what OpenSim 4.5 does when it loads old files, except that no digits are lost. */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "formats/osim_extra.h"
#include "formats/osim_stages.h"
#include "libcore/base/number.h"

typedef struct upgrade {
    fb_xml *xml;
    fb_diag *diag;
    int version;
    fb_xml_node *model;
    int dropped_looks; /* VisibleObjects of things that have no looks any more */
    const fb_xml_node *first_look;
    const char **spaced; /* names that had white space */
    size_t n_spaced, spaced_capacity;
} upgrade;

static int is(const fb_xml_node *node, const char *tag) {
    return strcmp(node->tag, tag) == 0;
}

static int ends_with(const char *text, const char *end) {
    size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

static int begins_with(const char *text, const char *start) {
    return strncmp(text, start, strlen(start)) == 0;
}

static void rename_to(upgrade *u, fb_xml_node *node, const char *tag) {
    node->tag = fb_xml_tag(u->xml, tag);
}

/* Takes a node away; comments of a person move to the parent. */
static void drop(fb_xml_node *node) {
    fb_xml_node *parent = node->parent;
    fb_xml_comment **end = &parent->end_comments;
    while (*end) {
        end = &(*end)->next;
    }
    for (fb_xml_comment *comment = node->comments; comment; comment = comment->next) {
        if (!comment->repeated) {
            *end = comment;
            end = &comment->next;
        }
    }
    *end = NULL;
    fb_xml_remove(node);
}

/* What a property of an upgrade's own says; an error if it is no truth value. */
static int is_true(upgrade *u, const fb_xml_node *node) {
    if (strcasecmp(node->text, "true") == 0 || strcmp(node->text, "1") == 0) {
        return 1;
    }
    if (node->text_length && strcasecmp(node->text, "false") != 0 && strcmp(node->text, "0") != 0) {
        fb_diag_add(u->diag, FB_ERROR, FB2103, (fb_place){node->file, node->line, NULL, node->tag},
                    NULL, "<%s> holds '%s': must be true or false", node->tag, node->text);
    }
    return 0;
}

/* The text of a child, or a default. */
static const char *child_text(const fb_xml_node *node, const char *tag, const char *missing) {
    const fb_xml_node *child = fb_xml_child(node, tag);
    return child && child->text_length ? child->text : missing;
}

/* Renames a property, unless the new one is there already. */
static void rename_child(upgrade *u, fb_xml_node *node, const char *old, const char *new) {
    fb_xml_node *child = fb_xml_child(node, old);
    if (child && !fb_xml_child(node, new)) {
        rename_to(u, child, new);
    }
}

/* <old>true</old> becomes <new>false</new>. */
static void negate_child(upgrade *u, fb_xml_node *node, const char *old, const char *new) {
    fb_xml_node *child = fb_xml_child(node, old);
    if (!child) {
        return;
    }
    if (fb_xml_child(node, new)) {
        return; /* the newer one counts, this one is kept */
    }
    static const char *const yes[] = {"true", "1"}, *const no[] = {"false", "0"};
    for (int i = 0; i < 2; i++) { /* other words are left for the reader to refuse */
        if (strcasecmp(child->text, yes[i]) == 0 || strcasecmp(child->text, no[i]) == 0) {
            child->text = strcasecmp(child->text, yes[i]) == 0 ? no[0] : yes[0];
            child->text_length = strlen(child->text);
            break;
        }
    }
    rename_to(u, child, new);
}

/* Moves all children of one node to the end of another. */
static void move_children(fb_xml_node *from, fb_xml_node *to) {
    while (from->first) {
        fb_xml_node *child = from->first;
        fb_xml_remove(child);
        fb_xml_append(to, child);
    }
}

/* A second list of objects in a set goes to the end of the first. */
static void merge_repeated(fb_xml_node *set) {
    static const char *const lists[] = {"objects", "groups"};
    for (int i = 0; i < 2; i++) {
        fb_xml_node *first = fb_xml_child(set, lists[i]);
        for (fb_xml_node *more = first ? first->next : NULL, *next; more; more = next) {
            next = more->next;
            if (is(more, lists[i])) {
                move_children(more, first);
                drop(more);
            }
        }
    }
}

/* ---- names of classes ----------------------------------------------------------------------- */

static const struct {
    const char *old, *new;
} class_names[] = {
    {"ActuatorSet", "ForceSet"},
    {"MuscleWrap", "PathWrap"},
    {"MuscleWrapSet", "PathWrapSet"},
    {"MusclePoint", "PathPoint"},
    {"MuscleViaPoint", "ConditionalPathPoint"},
    {"MovingMusclePoint", "MovingPathPoint"},
    {"MusclePointSet", "PathPointSet"},
    {"GeneralizedForce", "CoordinateActuator"},
    {"Schutte1993Muscle", "Schutte1993Muscle_Deprecated"},
    {"Delp1990Muscle", "Delp1990Muscle_Deprecated"},
    {"NaturalCubicSpline", "SimmSpline"},
    {"natCubicSpline", "SimmSpline"},
    {"SimmMuscle", "Schutte1993Muscle_Deprecated"},
};

/* A set's member: its parent is <objects>. */
static int is_member(const fb_xml_node *node) {
    return node->parent && is(node->parent, "objects");
}

static void rename_class(upgrade *u, fb_xml_node *node) {
    for (size_t i = 0; i < sizeof class_names / sizeof class_names[0]; i++) {
        if (is(node, class_names[i].old)) {
            rename_to(u, node, class_names[i].new);
            return;
        }
    }
    if (is_member(node) && is(node, "Force")) {
        rename_to(u, node, "PointActuator");
    } else if (is_member(node) && is(node, "Torque")) {
        rename_to(u, node, "TorqueActuator");
    }
}

/* ---- sockets -------------------------------------------------------------------------------- */

/* <connectors><Connector_X_ name="parent"><connectee_name>a</..> becomes <socket_parent>a</..>. */
static void unfold_connectors(upgrade *u, fb_xml_node *list) {
    fb_xml_node *owner = list->parent;
    for (fb_xml_node *connector = list->first; connector; connector = connector->next) {
        const char *text = child_text(connector, "connectee_name", NULL);
        char tag[128];
        size_t n = connector->name ? strlen(connector->name) : 0;
        if (!text || n == 0 || n + 8 > sizeof tag) {
            continue;
        }
        memcpy(tag, "socket_", 7);
        memcpy(tag + 7, connector->name, n + 1);
        fb_xml_add(u->xml, owner, tag, text)->line = connector->line;
    }
    drop(list);
}

/* socket_X_connectee_name, connector_X_connectee_name become socket_X; inputs likewise. */
static void rename_socket(upgrade *u, fb_xml_node *node) {
    static const char *const ends[] = {"_connectee_name", "_connectee_names"};
    for (int i = 0; i < 2; i++) {
        if (!ends_with(node->tag, ends[i])) {
            continue;
        }
        size_t n = strlen(node->tag) - strlen(ends[i]);
        char tag[128];
        const char *prefix = begins_with(node->tag, "connector_") ? "socket_" : "";
        size_t skip = *prefix ? 10 : 0;
        if (n <= skip || n + 8 > sizeof tag) {
            return;
        }
        size_t m = strlen(prefix);
        memcpy(tag, prefix, m);
        memcpy(tag + m, node->tag + skip, n - skip);
        tag[m + n - skip] = 0;
        rename_to(u, node, tag);
        return;
    }
}

/* ---- looks ---------------------------------------------------------------------------------- */

static int numbers(const char *text, double *x, int most) {
    const char *end = text + strlen(text);
    int n = 0;
    while (n < most) {
        while (isspace((unsigned char)*text)) {
            text++;
        }
        if (!fb_number_scan(&text, end, &x[n])) {
            break;
        }
        n++;
    }
    return n;
}

/* True if a text is n numbers and nothing else. */
static bool are_numbers(const char *text, double *x, int n) {
    const char *end = text + strlen(text);
    for (int i = 0; i < n; i++) {
        while (isspace((unsigned char)*text)) {
            text++;
        }
        if (!fb_number_scan(&text, end, &x[i])) {
            return false;
        }
    }
    while (isspace((unsigned char)*text)) {
        text++;
    }
    return text == end;
}

/* Adds <tag> with numbers as text. */
static void add_numbers(upgrade *u, fb_xml_node *parent, const char *tag, const double *x, int n) {
    char text[8 * FB_NUMBER_MAX];
    int length = 0;
    for (int i = 0; i < n; i++) {
        if (i) {
            text[length++] = ' ';
        }
        length += fb_number_print(text + length, x[i]);
    }
    fb_xml_add(u->xml, parent, tag, text);
}

/* display_preference 0 hide, 1 points, 2 wires, 3 flat, 4 shaded. */
static void add_appearance(upgrade *u, fb_xml_node *to, const char *color, const char *opacity,
                           const char *preference, const char *texture) {
    double x[3];
    fb_xml_node *appearance = fb_xml_add(u->xml, to, "Appearance", NULL);
    int shown = !preference || preference[0] != '0';
    if (!shown) {
        fb_xml_add(u->xml, appearance, "visible", "false");
    }
    if (opacity) {
        fb_xml_add(u->xml, appearance, "opacity", opacity);
    }
    if (color && numbers(color, x, 3) == 3) {
        fb_xml_add(u->xml, appearance, "color", color);
    }
    int points = preference && (preference[0] == '1' || preference[0] == '2');
    if (points || texture) {
        fb_xml_node *surface = fb_xml_add(u->xml, appearance, "SurfaceProperties", NULL);
        if (points) {
            fb_xml_add(u->xml, surface, "representation", preference[0] == '1' ? "1" : "2");
        }
        if (texture) {
            fb_xml_add(u->xml, surface, "texture", texture);
        }
    }
}

static int all_zero(const double *x, int n) {
    for (int i = 0; i < n; i++) {
        if (x[i] != 0) {
            return 0;
        }
    }
    return 1;
}

/* Where meshes with that transform (body-fixed XYZ angles, then translation) are attached: the
 * body's attached_geometry, or that of a new offset frame among its components. */
static fb_xml_node *geometry_list(upgrade *u, fb_xml_node *body, const double transform[6],
                                  int index) {
    fb_xml_node *frame = body;
    if (!all_zero(transform, 6)) {
        fb_xml_node *components = fb_xml_child(body, "components");
        if (!components) {
            components = fb_xml_add(u->xml, body, "components", NULL);
        }
        frame = fb_xml_add(u->xml, components, "PhysicalOffsetFrame", NULL);
        frame->name = fb_arena_printf(&u->xml->arena, "%s_geometry_frame_%d",
                                      body->name ? body->name : "", index);
        fb_xml_add(u->xml, frame, "socket_parent", "..");
        add_numbers(u, frame, "translation", transform + 3, 3);
        add_numbers(u, frame, "orientation", transform, 3);
    }
    fb_xml_node *list = fb_xml_child(frame, "attached_geometry");
    return list ? list : fb_xml_add(u->xml, frame, "attached_geometry", NULL);
}

/* Puts one mesh file on a body. */
static void attach_mesh(upgrade *u, fb_xml_node *body, const char *file, const double scale[3],
                        const double transform[6], int index, const fb_xml_node *looks,
                        const char *preference) {
    fb_xml_node *mesh = fb_xml_add(u->xml, geometry_list(u, body, transform, index), "Mesh", NULL);
    mesh->name = fb_arena_printf(&u->xml->arena, "%s_geom_%d", body->name ? body->name : "", index);
    fb_xml_add(u->xml, mesh, "mesh_file", file);
    if (scale[0] != 1 || scale[1] != 1 || scale[2] != 1) {
        add_numbers(u, mesh, "scale_factors", scale, 3);
    }
    const char *texture = looks ? child_text(looks, "texture_file", NULL) : NULL;
    add_appearance(u, mesh, looks ? child_text(looks, "color", NULL) : NULL,
                   looks ? child_text(looks, "opacity", NULL) : NULL,
                   looks ? child_text(looks, "display_preference", preference) : preference,
                   texture);
}

/* Numbers of a display setting; a record if they are none, and x stays. */
static void look_numbers(upgrade *u, const fb_xml_node *node, const char *tag, double *x, int n) {
    const fb_xml_node *child = fb_xml_child(node, tag);
    double y[6];
    if (!child || !child->text_length) {
        return;
    }
    if (are_numbers(child->text, y, n)) {
        memcpy(x, y, (size_t)n * sizeof *x);
    } else {
        fb_diag_add(u->diag, FB_IGNORED, FB2101, (fb_place){child->file, child->line, NULL, tag},
                    "looks only", "<%s> holds '%.40s': must be %d numbers", tag, child->text, n);
    }
}

/* The VisibleObject of a body: its meshes become attached geometry. */
static void attach_visible(upgrade *u, fb_xml_node *body, fb_xml_node *visible) {
    double outer_scale[3] = {1, 1, 1}, outer[6] = {0};
    look_numbers(u, visible, "scale_factors", outer_scale, 3);
    look_numbers(u, visible, "transform", outer, 6);
    const char *preference = child_text(visible, "display_preference", NULL);
    const fb_xml_node *properties = fb_xml_child(visible, "VisibleProperties");
    if (!preference && properties) {
        preference = child_text(properties, "display_preference", NULL);
    }
    int index = 1;
    const char *files = child_text(visible, "geometry_files", "");
    while (*files) {
        size_t n = strcspn(files, " \t\r\n");
        if (n) {
            attach_mesh(u, body, fb_arena_text(&u->xml->arena, files, n), outer_scale, outer,
                        index++, NULL, preference);
        }
        files += n;
        files += strspn(files, " \t\r\n");
    }
    const fb_xml_node *set = fb_xml_child(visible, "GeometrySet");
    const fb_xml_node *objects = set ? fb_xml_child(set, "objects") : NULL;
    for (const fb_xml_node *one = objects ? objects->first : NULL; one; one = one->next) {
        const char *file = child_text(one, "geometry_file", NULL);
        if (!file) {
            continue;
        }
        double scale[3] = {1, 1, 1}, transform[6] = {0};
        look_numbers(u, one, "scale_factors", scale, 3);
        look_numbers(u, one, "transform", transform, 6);
        for (int i = 0; i < 3; i++) {
            scale[i] *= outer_scale[i];
        }
        if (all_zero(transform, 6)) {
            memcpy(transform, outer, sizeof transform);
        } else if (!all_zero(outer, 6)) {
            fb_diag_add(u->diag, FB_APPROXIMATED, FB2401,
                        (fb_place){one->file, one->line, NULL, one->tag},
                        "the mesh is shown out of place",
                        "the mesh '%s' has a transform and so has its body: the body's is left out",
                        file);
        }
        const char *hidden = preference && preference[0] == '0' ? preference : NULL;
        attach_mesh(u, body, file, scale, transform, index++, hidden ? NULL : one, preference);
    }
    drop(visible);
}

static void upgrade_visible(upgrade *u, fb_xml_node *visible) {
    fb_xml_node *owner = visible->parent;
    if (is(owner, "Body") || is(owner, "Ground")) {
        attach_visible(u, owner, visible);
        return;
    }
    if (is(owner, "GeometryPath") || begins_with(owner->tag, "Wrap")) {
        const char *preference = child_text(visible, "display_preference", NULL);
        if (preference && preference[0] == '0' && !fb_xml_child(owner, "Appearance")) {
            add_appearance(u, owner, NULL, NULL, preference, NULL);
        }
        drop(visible);
        return;
    }
    if (!u->dropped_looks++) {
        u->first_look = visible;
    }
    drop(visible);
}

/* ---- muscles and paths ---------------------------------------------------------------------- */

/* Muscles of the oldest documents hold their points themselves. */
static void wrap_path(upgrade *u, fb_xml_node *force) {
    fb_xml_node *points = fb_xml_child(force, "PathPointSet");
    if (!points || is(force, "GeometryPath")) {
        return;
    }
    fb_xml_node *path = fb_xml_child(force, "GeometryPath");
    if (path) { /* from <defaults>: without points */
        fb_xml_node *empty = fb_xml_child(path, "PathPointSet");
        if (empty) {
            fb_xml_remove(empty);
        }
    } else {
        path = fb_xml_add(u->xml, force, "GeometryPath", NULL);
    }
    fb_xml_remove(points);
    fb_xml_append(path, points);
    static const char *const others[] = {"PathWrapSet", "VisibleObject"};
    for (int i = 0; i < 2; i++) {
        fb_xml_node *other = fb_xml_child(force, others[i]);
        fb_xml_node *same = fb_xml_child(path, others[i]);
        if (!other) {
            continue;
        }
        if (same) {
            fb_xml_remove(same);
        }
        fb_xml_remove(other);
        fb_xml_append(path, other);
    }
}

static void upgrade_path(upgrade *u, fb_xml_node *path) {
    fb_xml_node *color = fb_xml_child(path, "default_color");
    if (color) {
        fb_xml_node *appearance = fb_xml_child(path, "Appearance");
        if (!appearance) {
            appearance = fb_xml_add(u->xml, path, "Appearance", NULL);
        }
        if (!fb_xml_child(appearance, "color")) {
            fb_xml_add(u->xml, appearance, "color", color->text);
        }
        drop(color);
    }
}

static void upgrade_point(upgrade *u, fb_xml_node *point) {
    rename_child(u, point, "body", "socket_parent_frame");
    if (is(point, "ConditionalPathPoint")) {
        rename_child(u, point, "coordinates", "coordinate");
        rename_child(u, point, "coordinate", "socket_coordinate");
    }
    if (is(point, "MovingPathPoint")) {
        static const char *const renames[][2] = {{"XAttachment", "x_location"},
                                                 {"YAttachment", "y_location"},
                                                 {"ZAttachment", "z_location"},
                                                 {"x_coordinate", "socket_x_coordinate"},
                                                 {"y_coordinate", "socket_y_coordinate"},
                                                 {"z_coordinate", "socket_z_coordinate"}};
        for (int i = 0; i < 6; i++) {
            rename_child(u, point, renames[i][0], renames[i][1]);
        }
        /* its location is what the functions say; the one stored beside them is a cache */
        fb_xml_node *location = fb_xml_child(point, "location");
        if (location && fb_xml_child(point, "x_location")) {
            drop(location);
        }
    }
}

/* ---- bodies and joints ---------------------------------------------------------------------- */

static void upgrade_body(upgrade *u, fb_xml_node *body) {
    static const char *const parts[] = {"inertia_xx", "inertia_yy", "inertia_zz",
                                        "inertia_xy", "inertia_xz", "inertia_yz"};
    const fb_xml_node *first = NULL;
    for (int i = 0; i < 6 && !first; i++) {
        first = fb_xml_child(body, parts[i]);
    }
    if (first && !fb_xml_child(body, "inertia")) { /* beside one they are kept */
        char *text =
            fb_arena_printf(&u->xml->arena, "%s %s %s %s %s %s", child_text(body, parts[0], "0"),
                            child_text(body, parts[1], "0"), child_text(body, parts[2], "0"),
                            child_text(body, parts[3], "0"), child_text(body, parts[4], "0"),
                            child_text(body, parts[5], "0"));
        fb_xml_add(u->xml, body, "inertia", text)->line = first->line;
        for (int i = 0; i < 6; i++) {
            fb_xml_node *part = fb_xml_child(body, parts[i]);
            if (part) {
                drop(part);
            }
        }
    }
    /* 3 x 3 numbers, row by row, in the oldest documents */
    fb_xml_node *inertia = fb_xml_child(body, "inertia");
    double x[9];
    if (inertia && are_numbers(inertia->text, x, 9)) {
        double six[6] = {x[0], x[4], x[8], x[1], x[2], x[5]};
        drop(inertia);
        add_numbers(u, body, "inertia", six, 6);
    }
}

/* An offset frame of a joint, constraint or bushing: <frames> of `owner`. Returns its name. */
static const char *add_offset(upgrade *u, fb_xml_node *owner, const char *parent,
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

static int is_zero_text(const char *text) {
    double x[3];
    return are_numbers(text, x, 3) && all_zero(x, 3); /* else the reader looks at them */
}

/* Removes a property and returns its text. */
static const char *take(fb_xml_node *node, const char *tag, const char *missing) {
    fb_xml_node *child = fb_xml_child(node, tag);
    if (!child) {
        return missing;
    }
    const char *text = child->text_length ? child->text : missing;
    drop(child);
    return text;
}

/* The joint inside an old body goes to the JointSet, with that body as its child. */
static void extract_joint(upgrade *u, fb_xml_node *body, fb_xml_node *joints) {
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
        drop(holder);
    }
}

/* The axis of a TransformAxis as numbers. */
static int axis_of(const fb_xml_node *transform, double x[3]) {
    return transform && numbers(child_text(transform, "axis", ""), x, 3) == 3;
}

static void cross(const double a[3], const double b[3], double c[3]) {
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

/* Axes that an old TransformAxisSet leaves out, at right angles to those it has. */
static void complete_axes(upgrade *u, fb_xml_node *axes[3], int n, const char *kind,
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
            add_numbers(u, axis, "axis", x[i], 3);
            fb_xml_add(u->xml, fb_xml_add(u->xml, axis, "Constant", NULL), "value", "0");
            axis->last->name = "function";
        }
    }
}

/* TransformAxisSet (rotations and translations mixed, as many as there are) to SpatialTransform. */
static void upgrade_transform(upgrade *u, fb_xml_node *joint) {
    fb_xml_node *old = fb_xml_child(joint, "TransformAxisSet");
    if (!old || !is(joint, "CustomJoint") || fb_xml_child(joint, "SpatialTransform")) {
        return; /* where it means nothing it is kept */
    }
    drop(old);
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
        rename_child(u, axis, "coordinate", "coordinates");
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

static void upgrade_joint(upgrade *u, fb_xml_node *joint) {
    fb_xml_node *set = fb_xml_child(joint, "CoordinateSet");
    if (set) {
        fb_xml_node *objects = fb_xml_child(set, "objects");
        fb_xml_node *list = fb_xml_child(joint, "coordinates");
        if (!list) {
            list = fb_xml_add(u->xml, joint, "coordinates", NULL);
        }
        if (objects) {
            move_children(objects, list);
        }
        for (const fb_xml_node *rest = set->first; rest; rest = rest->next) {
            if (rest != objects && (rest->first || rest->text_length)) {
                fb_diag_add(u->diag, FB_IGNORED, FB2401,
                            (fb_place){rest->file, rest->line, NULL, set->tag}, "it has no effect",
                            "<%s> of a CoordinateSet is left out", rest->tag);
            }
        }
        drop(set);
    }
    upgrade_transform(u, joint);
    if (fb_xml_child(joint, "parent_body") || fb_xml_child(joint, "location_in_parent") ||
        fb_xml_child(joint, "#child")) {
        fb_xml_node *socket = fb_xml_child(joint, "socket_parent_body");
        const char *parent = take(joint, "parent_body", NULL);
        if (!parent && socket) {
            parent = take(joint, "socket_parent_body", NULL);
        }
        const char *child = take(joint, "#child", NULL);
        if (!child) {
            child = take(joint, "socket_child_body", NULL);
        }
        fb_xml_node *parent_frame = fb_xml_child(joint, "socket_parent_frame");
        fb_xml_node *child_frame = fb_xml_child(joint, "socket_child_frame");
        if (!parent && parent_frame) {
            parent = take(joint, "socket_parent_frame", NULL);
        }
        if (!child && child_frame) {
            child = take(joint, "socket_child_frame", NULL);
        }
        rename_child(u, joint, "location", "location_in_child");
        rename_child(u, joint, "orientation", "orientation_in_child");
        const char *translation = take(joint, "location_in_parent", "0 0 0");
        const char *rotation = take(joint, "orientation_in_parent", "0 0 0");
        const char *child_translation = take(joint, "location_in_child", "0 0 0");
        const char *child_rotation = take(joint, "orientation_in_child", "0 0 0");
        if (parent) {
            fb_xml_add(u->xml, joint, "socket_parent_frame",
                       add_offset(u, joint, parent, translation, rotation));
        }
        if (child) {
            fb_xml_add(u->xml, joint, "socket_child_frame",
                       add_offset(u, joint, child, child_translation, child_rotation));
        }
    }
    fb_xml_node *reverse = fb_xml_child(joint, "reverse");
    if (reverse) {
        fb_xml_node *parent = fb_xml_child(joint, "socket_parent_frame");
        fb_xml_node *child = fb_xml_child(joint, "socket_child_frame");
        if (is_true(u, reverse) && parent && child) {
            rename_to(u, parent, "socket_child_frame");
            rename_to(u, child, "socket_parent_frame");
        }
        drop(reverse);
    }
    fb_xml_node *euler = fb_xml_child(joint, "use_euler_angles");
    if (euler) { /* 4.x always uses them */
        drop(euler);
    }
}

/* ---- constraints and forces between two bodies ---------------------------------------------- */

static void upgrade_two_frames(upgrade *u, fb_xml_node *node) {
    static const char *const tags[2][6] = {{"body_1", "socket_body_1", "location_body_1",
                                            "orientation_body_1", "socket_frame1",
                                            "socket_frame_1"},
                                           {"body_2", "socket_body_2", "location_body_2",
                                            "orientation_body_2", "socket_frame2",
                                            "socket_frame_2"}};
    for (int i = 0; i < 2; i++) {
        rename_child(u, node, tags[i][5], tags[i][4]);
        const char *body = take(node, tags[i][0], NULL);
        if (!body) {
            body = take(node, tags[i][1], NULL);
        }
        const char *translation = take(node, tags[i][2], "0 0 0");
        const char *rotation = take(node, tags[i][3], "0 0 0");
        if (!body || fb_xml_child(node, tags[i][4])) {
            continue;
        }
        int plain = is_zero_text(translation) && is_zero_text(rotation);
        fb_xml_add(u->xml, node, tags[i][4],
                   plain ? body : add_offset(u, node, body, translation, rotation));
    }
}

static int is_two_frame(const fb_xml_node *node) {
    return is(node, "WeldConstraint") || is(node, "BushingForce") ||
           is(node, "FunctionBasedBushingForce") || is(node, "ExpressionBasedBushingForce") ||
           is(node, "CoupledBushingForce");
}

static void upgrade_constraint(upgrade *u, fb_xml_node *node) {
    static const char *const bodies[][2] = {{"body_1", "socket_body_1"},
                                            {"body_2", "socket_body_2"},
                                            {"line_body", "socket_line_body"},
                                            {"follower_body", "socket_follower_body"},
                                            {"rolling_body", "socket_rolling_body"},
                                            {"surface_body", "socket_surface_body"}};
    for (int i = 0; i < 6; i++) {
        rename_child(u, node, bodies[i][0], bodies[i][1]);
    }
}

/* Adds a direction that is the opposite of a text. */
static void add_opposite(upgrade *u, fb_xml_node *node, const char *tag, const char *text) {
    double x[3] = {0, 0, 0};
    if (!are_numbers(text, x, 3)) {
        fb_xml_add(u->xml, node, tag, text); /* for the reader to refuse */
        return;
    }
    for (int i = 0; i < 3; i++) {
        x[i] = x[i] == 0 ? 0 : -x[i];
    }
    add_numbers(u, node, tag, x, 3);
}

/* PointActuator and TorqueActuator under their first names, with two bodies. */
static void upgrade_old_actuator(upgrade *u, fb_xml_node *node) {
    if (is(node, "PointActuator") && fb_xml_child(node, "body_A")) {
        /* the force on body B, which is the opposite of the one on body A */
        rename_child(u, node, "body_B", "body");
        rename_child(u, node, "point_B", "point");
        take(node, "body_A", NULL);
        take(node, "point_A", NULL);
        add_opposite(u, node, "direction", take(node, "direction_A", "1 0 0"));
        if (!fb_xml_child(node, "force_is_global")) {
            fb_xml_add(u->xml, node, "force_is_global", "true");
        }
    } else if (is(node, "TorqueActuator") && fb_xml_child(node, "body_A")) {
        /* bodies change places and the direction its sign, as OpenSim does */
        const char *a = take(node, "body_A", ""), *b = take(node, "body_B", "");
        fb_xml_add(u->xml, node, "bodyA", b);
        fb_xml_add(u->xml, node, "bodyB", a);
        add_opposite(u, node, "axis", take(node, "direction_A", "0 0 1"));
    }
}

static void upgrade_contact_geometry(upgrade *u, fb_xml_node *node) {
    rename_child(u, node, "body_name", "socket_frame");
    fb_xml_node *color = fb_xml_child(node, "color"),
                *display = fb_xml_child(node, "display_preference");
    if ((color || display) && !fb_xml_child(node, "Appearance")) {
        add_appearance(u, node, color ? color->text : NULL, NULL, display ? display->text : NULL,
                       NULL);
    }
    if (color) {
        drop(color);
    }
    if (display) {
        drop(display);
    }
}

static void upgrade_wrap(upgrade *u, fb_xml_node *node) {
    fb_xml_node *color = fb_xml_child(node, "color"),
                *display = fb_xml_child(node, "display_preference");
    if ((color || display) && !fb_xml_child(node, "Appearance")) {
        add_appearance(u, node, color ? color->text : NULL, NULL, display ? display->text : NULL,
                       NULL);
    }
    if (color) {
        drop(color);
    }
    if (display) {
        drop(display);
    }
}

/* ---- the walk over the document ------------------------------------------------------------- */

static char *without_space(upgrade *u, const char *text) {
    char *copy = fb_arena_dup(&u->xml->arena, text), *to = copy;
    for (const char *from = text; *from; from++) {
        if (!isspace((unsigned char)*from)) {
            *to++ = *from;
        }
    }
    *to = 0;
    return copy;
}

/* Properties of old documents that hold the name of one component. */
static bool holds_name(const fb_xml_node *node) {
    static const char *const tags[] = {"parent_body",
                                       "body",
                                       "body_1",
                                       "body_2",
                                       "body_A",
                                       "body_B",
                                       "bodyA",
                                       "bodyB",
                                       "body_name",
                                       "line_body",
                                       "follower_body",
                                       "rolling_body",
                                       "surface_body",
                                       "coordinate",
                                       "x_coordinate",
                                       "y_coordinate",
                                       "z_coordinate",
                                       "wrap_object",
                                       "dependent_coordinate_name",
                                       "applied_to_body",
                                       "force_expressed_in_body",
                                       "point_expressed_in_body"};
    for (size_t i = 0; i < sizeof tags / sizeof tags[0]; i++) {
        if (is(node, tags[i])) {
            return !node->first;
        }
    }
    return false;
}

/* Properties of old documents that hold the names of several components, or one in a set. */
static bool holds_names(const fb_xml_node *node) {
    static const char *const tags[] = {"coordinates", "independent_coordinate_names",
                                       "actuator_list", "members", "coordinate_list"};
    for (size_t i = 0; i < sizeof tags / sizeof tags[0]; i++) {
        if (is(node, tags[i])) {
            return !node->first;
        }
    }
    return false;
}

/* Whether the characters at both ends of a part of a text are no part of a name. */
static bool stands_alone(const char *text, const char *at, size_t n) {
    return (at == text || isspace((unsigned char)at[-1])) &&
           (!at[n] || isspace((unsigned char)at[n]));
}

/* In lists, a name with white space can only be known by itself. */
static void upgrade_lists(upgrade *u, fb_xml_node *node) {
    if (u->n_spaced == 0 || !holds_names(node)) {
        return;
    }
    for (size_t i = 0; i < u->n_spaced; i++) {
        const char *old = u->spaced[i], *at = node->text;
        size_t n = strlen(old);
        while ((at = strstr(at, old)) != NULL) {
            if (!stands_alone(node->text, at, n)) {
                at++;
                continue;
            }
            size_t begin = (size_t)(at - node->text);
            node->text = fb_arena_printf(&u->xml->arena, "%.*s%s%s", (int)begin, node->text,
                                         without_space(u, old), at + n);
            node->text_length = strlen(node->text);
            at = node->text + begin;
        }
    }
}

/* Names lose their white space, and so do references to them; before anything is derived from
 * either. */
static void upgrade_names(upgrade *u, fb_xml_node *node) {
    if (u->version >= 30500) {
        return;
    }
    if (holds_name(node) && strpbrk(node->text, " \t\r\n")) {
        node->text = without_space(u, node->text);
        node->text_length = strlen(node->text);
    }
    if (!node->name || !strpbrk(node->name, " \t\r\n") || is(node, "Model") ||
        is(node, "ObjectGroup")) {
        return;
    }
    const char *name = without_space(u, node->name);
    fb_diag_add(u->diag, FB_WARNING, FB2401, (fb_place){node->file, node->line, NULL, node->tag},
                NULL, "the name '%s' becomes '%s': names have no white space since version 30500",
                node->name, name);
    FB_PUSH(&u->xml->arena, u->spaced, u->n_spaced, u->spaced_capacity, node->name);
    node->name = name;
}

/* What a class has had in the place of isDisabled since 30509. */
static const char *enabled_tag(const fb_xml_node *node) {
    const fb_class *cls = fb_class_find(node->tag);
    fb_family family = cls ? cls->family : FB_FORCE;
    return family == FB_CONSTRAINT                         ? "isEnforced"
           : family == FB_PROBE || family == FB_CONTROLLER ? "enabled"
                                                           : "appliesForce";
}

/* The only thing that documents of 40000 to 40500 have another name for than those of 40600. */
static void rename_actuators(upgrade *u, fb_xml_node *node) {
    rename_child(u, node, "actuator_list", "socket_actuators");
}

/* What is done to one node, after its children. */
static void upgrade_node(upgrade *u, fb_xml_node *node) {
    if (is(node, "connectors")) {
        unfold_connectors(u, node);
        return;
    }
    if (is(node, "VisibleObject")) {
        upgrade_visible(u, node);
        return;
    }
    rename_socket(u, node);
    rename_actuators(u, node);
    merge_repeated(node);
    if (fb_xml_child(node, "isDisabled")) {
        negate_child(u, node, "isDisabled", enabled_tag(node));
    }
    if (is(node, "Body") || is(node, "SimmBody")) {
        upgrade_body(u, node);
    } else if (is(node, "Joint")) {
        return; /* the holder of a joint inside a body */
    } else if (ends_with(node->tag, "Joint")) {
        if (!node->parent || !is(node->parent, "Joint")) { /* else once its child is known */
            upgrade_joint(u, node);
        }
    } else if (is_two_frame(node)) {
        upgrade_two_frames(u, node);
    } else if (ends_with(node->tag, "Constraint")) {
        upgrade_constraint(u, node);
    } else if (is(node, "Marker")) {
        rename_child(u, node, "body", "socket_parent_frame");
    } else if (ends_with(node->tag, "PathPoint")) {
        upgrade_point(u, node);
    } else if (is(node, "GeometryPath")) {
        upgrade_path(u, node);
    } else if (is(node, "PointActuator") || is(node, "TorqueActuator")) {
        upgrade_old_actuator(u, node);
    } else if (is(node, "PrescribedForce")) {
        rename_child(u, node, "body", "socket_frame");
    } else if (begins_with(node->tag, "Contact")) {
        upgrade_contact_geometry(u, node);
    } else if (begins_with(node->tag, "Wrap") && !is(node, "WrapObjectSet")) {
        upgrade_wrap(u, node);
    } else if (is(node, "PointToPointSpring")) {
        rename_child(u, node, "body1", "socket_body1");
        rename_child(u, node, "body2", "socket_body2");
    } else if (is(node, "Coordinate")) {
        fb_xml_node *motion = fb_xml_child(node, "motion_type");
        if (motion) { /* follows from the joint */
            drop(motion);
        }
    }
    if (ends_with(node->tag, "Muscle") || ends_with(node->tag, "Muscle_Deprecated")) {
        rename_child(u, node, "pennation_angle", "pennation_angle_at_optimal");
        if (u->version < 30513) { /* OpenSim 4 removes them: they clamped excitations before */
            fb_xml_node *low = fb_xml_child(node, "min_control");
            double x;
            if (low && numbers(low->text, &x, 1) == 1 && x == 0) {
                drop(low);
            }
            fb_xml_node *high = fb_xml_child(node, "max_control");
            if (high && numbers(high->text, &x, 1) == 1 && x == 1) {
                drop(high);
            }
        }
    }
    wrap_path(u, node);
}

/* The oldest documents keep bodies and the rest in an engine inside the model. */
static void flatten_engine(upgrade *u) {
    fb_xml_node *dynamics = fb_xml_child(u->model, "DynamicsEngine");
    fb_xml_node *engine = dynamics ? dynamics->first : fb_xml_child(u->model, "SimbodyEngine");
    if (dynamics) {
        fb_xml_remove(dynamics);
    }
    if (!engine) {
        return;
    }
    if (is(engine, "SimbodyEngine")) {
        if (engine->parent) {
            fb_xml_remove(engine);
        }
        move_children(engine, u->model);
    } else {
        fb_diag_add(
            u->diag, FB_ERROR, FB1202, (fb_place){engine->file, engine->line, NULL, engine->tag},
            NULL,
            "the model's bodies and joints are in a <%s>, a form older than OpenSim 1.5 that no "
            "version of OpenSim since reads",
            engine->tag);
    }
}

/* Joints inside bodies move to the JointSet; a body called ground is the Ground. */
static void flatten_bodies(upgrade *u) {
    fb_xml_node *bodies = fb_xml_child(u->model, "BodySet");
    fb_xml_node *objects = bodies ? fb_xml_child(bodies, "objects") : NULL;
    if (!objects) {
        return;
    }
    fb_xml_node *joints = NULL;
    for (fb_xml_node *body = objects->first, *next; body; body = next) {
        next = body->next;
        if (fb_xml_child(body, "Joint")) {
            if (!joints) {
                fb_xml_node *set = fb_xml_child(u->model, "JointSet");
                if (!set) {
                    set = fb_xml_add(u->xml, u->model, "JointSet", NULL);
                    set->line = bodies->line;
                }
                joints = fb_xml_child(set, "objects");
                if (!joints) {
                    joints = fb_xml_add(u->xml, set, "objects", NULL);
                }
            }
            extract_joint(u, body, joints);
        }
        if (body->name && strcmp(body->name, "ground") == 0 && !fb_xml_child(u->model, "Ground")) {
            static const char *const without[] = {"mass", "mass_center", "inertia"};
            fb_xml_remove(body);
            for (int i = 0; i < 3; i++) {
                fb_xml_node *child = fb_xml_child(body, without[i]);
                if (child) {
                    drop(child);
                }
            }
            rename_to(u, body, "Ground");
            fb_xml_append(u->model, body);
        }
    }
}

static void walk(upgrade *u, fb_xml_node *top, void (*act)(upgrade *, fb_xml_node *)) {
    /* children before their parent; acting on a node may remove it or add siblings at the end */
    fb_xml_node *node = top;
    while (node->first) {
        node = node->first;
    }
    for (;;) {
        fb_xml_node *parent = node->parent, *next = node->next;
        int last = node == top;
        act(u, node);
        if (last) {
            return;
        }
        if (next) {
            node = next;
            while (node->first) {
                node = node->first;
            }
        } else {
            node = parent;
        }
    }
}

void fb_osim_upgrade(fb_xml *xml, int version, fb_diag *diag) {
    upgrade u = {.xml = xml, .diag = diag, .version = version};
    if (version >= 40000 && fb_osim_find_extra(xml)) { /* ours: old tags in it are kept parts */
        u.model = is(xml->root, "Model") ? xml->root : fb_xml_child(xml->root, "Model");
        walk(&u, u.model, rename_actuators);
        return;
    }
    u.model = is(xml->root, "Model") ? xml->root : fb_xml_child(xml->root, "Model");
    walk(&u, u.model, rename_class);
    walk(&u, u.model, upgrade_names);
    walk(&u, u.model, upgrade_lists);
    flatten_engine(&u);
    walk(&u, u.model, upgrade_node);
    flatten_bodies(&u);
    /* joints that came out of bodies know their child only now */
    fb_xml_node *set = fb_xml_child(u.model, "JointSet");
    fb_xml_node *joints = set ? fb_xml_child(set, "objects") : NULL;
    for (fb_xml_node *joint = joints ? joints->first : NULL; joint; joint = joint->next) {
        if (fb_xml_child(joint, "#child")) {
            upgrade_joint(&u, joint);
        }
    }
    if (u.dropped_looks) {
        fb_diag_add(diag, FB_IGNORED, FB2401,
                    (fb_place){u.first_look->file, u.first_look->line, NULL, "VisibleObject"},
                    "looks only",
                    "display settings of %d path points, markers and the like, which have "
                    "none since OpenSim 4",
                    u.dropped_looks);
    }
}
