/* Old OpenSim documents, rewritten into the newest form.
 *
 * Files in the wild do not always match the version they state (a document of version 30000 may
 * hold sockets of 40000), so nearly every rule here looks at what is there, not at the number. The
 * rules follow what OpenSim 4.5 does when it loads old files, except that no digits are lost. */
#include <string.h>
#include <strings.h>

#include "formats/osim_extra.h"
#include "formats/osim_upgrade.h"

/* ---- properties ----------------------------------------------------------------------------- */

/* <old>true</old> becomes <new>false</new>. */
static void negate_child(fb_upgrade *u, fb_xml_node *node, const char *old, const char *new) {
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
    fb_upgrade_rename(u, child, new);
}

/* A second list of objects in a set goes to the end of the first. */
static void merge_repeated(fb_xml_node *set) {
    static const char *const lists[] = {"objects", "groups"};
    for (int i = 0; i < 2; i++) {
        fb_xml_node *first = fb_xml_child(set, lists[i]);
        for (fb_xml_node *more = first ? first->next : NULL, *next; more; more = next) {
            next = more->next;
            if (fb_upgrade_is(more, lists[i])) {
                fb_upgrade_move_children(more, first);
                fb_upgrade_drop(more);
            }
        }
    }
}

/* ---- muscles and paths ---------------------------------------------------------------------- */

/* Muscles of the oldest documents hold their points themselves. */
static void wrap_path(fb_upgrade *u, fb_xml_node *force) {
    fb_xml_node *points = fb_xml_child(force, "PathPointSet");
    if (!points || fb_upgrade_is(force, "GeometryPath")) {
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

static void upgrade_path(fb_upgrade *u, fb_xml_node *path) {
    fb_xml_node *color = fb_xml_child(path, "default_color");
    if (color) {
        fb_xml_node *appearance = fb_xml_child(path, "Appearance");
        if (!appearance) {
            appearance = fb_xml_add(u->xml, path, "Appearance", NULL);
        }
        if (!fb_xml_child(appearance, "color")) {
            fb_xml_add(u->xml, appearance, "color", color->text);
        }
        fb_upgrade_drop(color);
    }
}

static void upgrade_point(fb_upgrade *u, fb_xml_node *point) {
    fb_upgrade_rename_child(u, point, "body", "socket_parent_frame");
    if (fb_upgrade_is(point, "ConditionalPathPoint")) {
        fb_upgrade_rename_child(u, point, "coordinates", "coordinate");
        fb_upgrade_rename_child(u, point, "coordinate", "socket_coordinate");
    }
    if (fb_upgrade_is(point, "MovingPathPoint")) {
        static const char *const renames[][2] = {{"XAttachment", "x_location"},
                                                 {"YAttachment", "y_location"},
                                                 {"ZAttachment", "z_location"},
                                                 {"x_coordinate", "socket_x_coordinate"},
                                                 {"y_coordinate", "socket_y_coordinate"},
                                                 {"z_coordinate", "socket_z_coordinate"}};
        for (int i = 0; i < 6; i++) {
            fb_upgrade_rename_child(u, point, renames[i][0], renames[i][1]);
        }
        /* its location is what the functions say; the one stored beside them is a cache */
        fb_xml_node *location = fb_xml_child(point, "location");
        if (location && fb_xml_child(point, "x_location")) {
            fb_upgrade_drop(location);
        }
    }
}

/* ---- constraints and forces between two bodies ---------------------------------------------- */

static int is_zero_text(const char *text) {
    double x[3];
    return fb_upgrade_are_numbers(text, x, 3) &&
           fb_upgrade_all_zero(x, 3); /* else the reader looks at them */
}

static void upgrade_two_frames(fb_upgrade *u, fb_xml_node *node) {
    static const char *const tags[2][6] = {{"body_1", "socket_body_1", "location_body_1",
                                            "orientation_body_1", "socket_frame1",
                                            "socket_frame_1"},
                                           {"body_2", "socket_body_2", "location_body_2",
                                            "orientation_body_2", "socket_frame2",
                                            "socket_frame_2"}};
    for (int i = 0; i < 2; i++) {
        fb_upgrade_rename_child(u, node, tags[i][5], tags[i][4]);
        const char *body = fb_upgrade_take(node, tags[i][0], NULL);
        if (!body) {
            body = fb_upgrade_take(node, tags[i][1], NULL);
        }
        const char *translation = fb_upgrade_take(node, tags[i][2], "0 0 0");
        const char *rotation = fb_upgrade_take(node, tags[i][3], "0 0 0");
        if (!body || fb_xml_child(node, tags[i][4])) {
            continue;
        }
        int plain = is_zero_text(translation) && is_zero_text(rotation);
        fb_xml_add(u->xml, node, tags[i][4],
                   plain ? body : fb_upgrade_add_offset(u, node, body, translation, rotation));
    }
}

static int is_two_frame(const fb_xml_node *node) {
    return fb_upgrade_is(node, "WeldConstraint") || fb_upgrade_is(node, "BushingForce") ||
           fb_upgrade_is(node, "FunctionBasedBushingForce") ||
           fb_upgrade_is(node, "ExpressionBasedBushingForce") ||
           fb_upgrade_is(node, "CoupledBushingForce");
}

static void upgrade_constraint(fb_upgrade *u, fb_xml_node *node) {
    static const char *const bodies[][2] = {{"body_1", "socket_body_1"},
                                            {"body_2", "socket_body_2"},
                                            {"line_body", "socket_line_body"},
                                            {"follower_body", "socket_follower_body"},
                                            {"rolling_body", "socket_rolling_body"},
                                            {"surface_body", "socket_surface_body"}};
    for (int i = 0; i < 6; i++) {
        fb_upgrade_rename_child(u, node, bodies[i][0], bodies[i][1]);
    }
}

/* Adds a direction that is the opposite of a text. */
static void add_opposite(fb_upgrade *u, fb_xml_node *node, const char *tag, const char *text) {
    double x[3] = {0, 0, 0};
    if (!fb_upgrade_are_numbers(text, x, 3)) {
        fb_xml_add(u->xml, node, tag, text); /* for the reader to refuse */
        return;
    }
    for (int i = 0; i < 3; i++) {
        x[i] = x[i] == 0 ? 0 : -x[i];
    }
    fb_upgrade_add_numbers(u, node, tag, x, 3);
}

/* PointActuator and TorqueActuator under their first names, with two bodies. */
static void upgrade_old_actuator(fb_upgrade *u, fb_xml_node *node) {
    if (fb_upgrade_is(node, "PointActuator") && fb_xml_child(node, "body_A")) {
        /* the force on body B, which is the opposite of the one on body A */
        fb_upgrade_rename_child(u, node, "body_B", "body");
        fb_upgrade_rename_child(u, node, "point_B", "point");
        fb_upgrade_take(node, "body_A", NULL);
        fb_upgrade_take(node, "point_A", NULL);
        add_opposite(u, node, "direction", fb_upgrade_take(node, "direction_A", "1 0 0"));
        if (!fb_xml_child(node, "force_is_global")) {
            fb_xml_add(u->xml, node, "force_is_global", "true");
        }
    } else if (fb_upgrade_is(node, "TorqueActuator") && fb_xml_child(node, "body_A")) {
        /* bodies change places and the direction its sign, as OpenSim does */
        const char *a = fb_upgrade_take(node, "body_A", ""),
                   *b = fb_upgrade_take(node, "body_B", "");
        fb_xml_add(u->xml, node, "bodyA", b);
        fb_xml_add(u->xml, node, "bodyB", a);
        add_opposite(u, node, "axis", fb_upgrade_take(node, "direction_A", "0 0 1"));
    }
}

/* Colour and display preference of a wrap object or contact geometry become its appearance. */
static void upgrade_shape(fb_upgrade *u, fb_xml_node *node) {
    fb_xml_node *color = fb_xml_child(node, "color"),
                *display = fb_xml_child(node, "display_preference");
    if ((color || display) && !fb_xml_child(node, "Appearance")) {
        fb_upgrade_add_appearance(u, node, color ? color->text : NULL, NULL,
                                  display ? display->text : NULL, NULL);
    }
    if (color) {
        fb_upgrade_drop(color);
    }
    if (display) {
        fb_upgrade_drop(display);
    }
}

/* ---- the walk over the document ------------------------------------------------------------- */

/* What a class has had in the place of isDisabled since 30509. */
static const char *enabled_tag(const fb_xml_node *node) {
    const fb_class *cls = fb_class_find(node->tag);
    fb_family family = cls ? cls->family : FB_FORCE;
    return family == FB_CONSTRAINT                         ? "isEnforced"
           : family == FB_PROBE || family == FB_CONTROLLER ? "enabled"
                                                           : "appliesForce";
}

/* The only thing that documents of 40000 to 40500 have another name for than those of 40600. */
static void rename_actuators(fb_upgrade *u, fb_xml_node *node) {
    fb_upgrade_rename_child(u, node, "actuator_list", "socket_actuators");
}

/* What is done to one node, after its children. */
static void upgrade_node(fb_upgrade *u, fb_xml_node *node) {
    if (fb_upgrade_is(node, "connectors")) {
        fb_upgrade_connectors(u, node);
        return;
    }
    if (fb_upgrade_is(node, "VisibleObject")) {
        fb_upgrade_visible(u, node);
        return;
    }
    fb_upgrade_socket(u, node);
    rename_actuators(u, node);
    merge_repeated(node);
    if (fb_xml_child(node, "isDisabled")) {
        negate_child(u, node, "isDisabled", enabled_tag(node));
    }
    if (fb_upgrade_is(node, "Body") || fb_upgrade_is(node, "SimmBody")) {
        fb_upgrade_body(u, node);
    } else if (fb_upgrade_is(node, "Joint")) {
        return; /* the holder of a joint inside a body */
    } else if (fb_upgrade_ends_with(node->tag, "Joint")) {
        if (!node->parent ||
            !fb_upgrade_is(node->parent, "Joint")) { /* else once its child is known */
            fb_upgrade_joint(u, node);
        }
    } else if (is_two_frame(node)) {
        upgrade_two_frames(u, node);
    } else if (fb_upgrade_ends_with(node->tag, "Constraint")) {
        upgrade_constraint(u, node);
    } else if (fb_upgrade_is(node, "Marker")) {
        fb_upgrade_rename_child(u, node, "body", "socket_parent_frame");
    } else if (fb_upgrade_ends_with(node->tag, "PathPoint")) {
        upgrade_point(u, node);
    } else if (fb_upgrade_is(node, "GeometryPath")) {
        upgrade_path(u, node);
    } else if (fb_upgrade_is(node, "PointActuator") || fb_upgrade_is(node, "TorqueActuator")) {
        upgrade_old_actuator(u, node);
    } else if (fb_upgrade_is(node, "PrescribedForce")) {
        fb_upgrade_rename_child(u, node, "body", "socket_frame");
    } else if (fb_upgrade_begins_with(node->tag, "Contact")) {
        fb_upgrade_rename_child(u, node, "body_name", "socket_frame");
        upgrade_shape(u, node);
    } else if (fb_upgrade_begins_with(node->tag, "Wrap") && !fb_upgrade_is(node, "WrapObjectSet")) {
        upgrade_shape(u, node);
    } else if (fb_upgrade_is(node, "PointToPointSpring")) {
        fb_upgrade_rename_child(u, node, "body1", "socket_body1");
        fb_upgrade_rename_child(u, node, "body2", "socket_body2");
    } else if (fb_upgrade_is(node, "Coordinate")) {
        fb_xml_node *motion = fb_xml_child(node, "motion_type");
        if (motion) { /* follows from the joint */
            fb_upgrade_drop(motion);
        }
    }
    if (fb_upgrade_ends_with(node->tag, "Muscle") ||
        fb_upgrade_ends_with(node->tag, "Muscle_Deprecated")) {
        fb_upgrade_rename_child(u, node, "pennation_angle", "pennation_angle_at_optimal");
        if (u->version < 30513) { /* OpenSim 4 removes them: they clamped excitations before */
            fb_xml_node *low = fb_xml_child(node, "min_control");
            double x;
            if (low && fb_upgrade_numbers(low->text, &x, 1) == 1 && x == 0) {
                fb_upgrade_drop(low);
            }
            fb_xml_node *high = fb_xml_child(node, "max_control");
            if (high && fb_upgrade_numbers(high->text, &x, 1) == 1 && x == 1) {
                fb_upgrade_drop(high);
            }
        }
    }
    wrap_path(u, node);
}

/* The oldest documents keep bodies and the rest in an engine inside the model. */
static void flatten_engine(fb_upgrade *u) {
    fb_xml_node *dynamics = fb_xml_child(u->model, "DynamicsEngine");
    fb_xml_node *engine = dynamics ? dynamics->first : fb_xml_child(u->model, "SimbodyEngine");
    if (dynamics) {
        fb_xml_remove(dynamics);
    }
    if (!engine) {
        return;
    }
    if (fb_upgrade_is(engine, "SimbodyEngine")) {
        if (engine->parent) {
            fb_xml_remove(engine);
        }
        fb_upgrade_move_children(engine, u->model);
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
static void flatten_bodies(fb_upgrade *u) {
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
            fb_upgrade_extract_joint(u, body, joints);
        }
        if (body->name && strcmp(body->name, "ground") == 0 && !fb_xml_child(u->model, "Ground")) {
            static const char *const without[] = {"mass", "mass_center", "inertia"};
            fb_xml_remove(body);
            for (int i = 0; i < 3; i++) {
                fb_xml_node *child = fb_xml_child(body, without[i]);
                if (child) {
                    fb_upgrade_drop(child);
                }
            }
            fb_upgrade_rename(u, body, "Ground");
            fb_xml_append(u->model, body);
        }
    }
}

static void walk(fb_upgrade *u, fb_xml_node *top, void (*act)(fb_upgrade *, fb_xml_node *)) {
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
    fb_upgrade u = {.xml = xml, .diag = diag, .version = version};
    if (version >= 40000 && fb_osim_find_extra(xml)) { /* ours: old tags in it are kept parts */
        u.model = fb_upgrade_is(xml->root, "Model") ? xml->root : fb_xml_child(xml->root, "Model");
        walk(&u, u.model, rename_actuators);
        return;
    }
    u.model = fb_upgrade_is(xml->root, "Model") ? xml->root : fb_xml_child(xml->root, "Model");
    walk(&u, u.model, fb_upgrade_class_name);
    walk(&u, u.model, fb_upgrade_names);
    walk(&u, u.model, fb_upgrade_lists);
    flatten_engine(&u);
    walk(&u, u.model, upgrade_node);
    flatten_bodies(&u);
    /* joints that came out of bodies know their child only now */
    fb_xml_node *set = fb_xml_child(u.model, "JointSet");
    fb_xml_node *joints = set ? fb_xml_child(set, "objects") : NULL;
    for (fb_xml_node *joint = joints ? joints->first : NULL; joint; joint = joint->next) {
        if (fb_xml_child(joint, "#child")) {
            fb_upgrade_joint(&u, joint);
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
