/* Old documents: what classes and sockets were called, and names with white space. */
#include <ctype.h>
#include <string.h>

#include "formats/osim_upgrade.h"

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
    return node->parent && fb_upgrade_is(node->parent, "objects");
}

void fb_upgrade_class_name(fb_upgrade *u, fb_xml_node *node) {
    for (size_t i = 0; i < sizeof class_names / sizeof class_names[0]; i++) {
        if (fb_upgrade_is(node, class_names[i].old)) {
            fb_upgrade_rename(u, node, class_names[i].new);
            return;
        }
    }
    if (is_member(node) && fb_upgrade_is(node, "Force")) {
        fb_upgrade_rename(u, node, "PointActuator");
    } else if (is_member(node) && fb_upgrade_is(node, "Torque")) {
        fb_upgrade_rename(u, node, "TorqueActuator");
    }
}

/* ---- sockets -------------------------------------------------------------------------------- */

void fb_upgrade_connectors(fb_upgrade *u, fb_xml_node *list) {
    fb_xml_node *owner = list->parent;
    for (fb_xml_node *connector = list->first; connector; connector = connector->next) {
        const char *text = fb_upgrade_text(connector, "connectee_name", NULL);
        char tag[128];
        size_t n = connector->name ? strlen(connector->name) : 0;
        if (!text || n == 0 || n + 8 > sizeof tag) {
            continue;
        }
        memcpy(tag, "socket_", 7);
        memcpy(tag + 7, connector->name, n + 1);
        fb_xml_add(u->xml, owner, tag, text)->line = connector->line;
    }
    fb_upgrade_drop(list);
}

void fb_upgrade_socket(fb_upgrade *u, fb_xml_node *node) {
    static const char *const ends[] = {"_connectee_name", "_connectee_names"};
    for (int i = 0; i < 2; i++) {
        if (!fb_upgrade_ends_with(node->tag, ends[i])) {
            continue;
        }
        size_t n = strlen(node->tag) - strlen(ends[i]);
        char tag[128];
        const char *prefix = fb_upgrade_begins_with(node->tag, "connector_") ? "socket_" : "";
        size_t skip = *prefix ? 10 : 0;
        if (n <= skip || n + 8 > sizeof tag) {
            return;
        }
        size_t m = strlen(prefix);
        memcpy(tag, prefix, m);
        memcpy(tag + m, node->tag + skip, n - skip);
        tag[m + n - skip] = 0;
        fb_upgrade_rename(u, node, tag);
        return;
    }
}

/* ---- white space in names ------------------------------------------------------------------- */

static char *without_space(fb_upgrade *u, const char *text) {
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
        if (fb_upgrade_is(node, tags[i])) {
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
        if (fb_upgrade_is(node, tags[i])) {
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

void fb_upgrade_lists(fb_upgrade *u, fb_xml_node *node) {
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

void fb_upgrade_names(fb_upgrade *u, fb_xml_node *node) {
    if (u->version >= 30500) {
        return;
    }
    if (holds_name(node) && strpbrk(node->text, " \t\r\n")) {
        node->text = without_space(u, node->text);
        node->text_length = strlen(node->text);
    }
    if (!node->name || !strpbrk(node->name, " \t\r\n") || fb_upgrade_is(node, "Model") ||
        fb_upgrade_is(node, "ObjectGroup")) {
        return;
    }
    const char *name = without_space(u, node->name);
    fb_diag_add(u->diag, FB_WARNING, FB2401, (fb_place){node->file, node->line, NULL, node->tag},
                NULL, "the name '%s' becomes '%s': names have no white space since version 30500",
                node->name, name);
    FB_PUSH(&u->xml->arena, u->spaced, u->n_spaced, u->spaced_capacity, node->name);
    for (size_t i = u->n_spaced - 1; /* the longest first: "q a b" before "q a" */
         i > 0 && strlen(u->spaced[i]) > strlen(u->spaced[i - 1]); i--) {
        const char *shorter = u->spaced[i - 1];
        u->spaced[i - 1] = u->spaced[i];
        u->spaced[i] = shorter;
    }
    node->name = name;
}
