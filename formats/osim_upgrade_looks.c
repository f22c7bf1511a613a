/* Old documents: a VisibleObject becomes meshes attached to frames, and an Appearance. */
#include <string.h>

#include "formats/osim_upgrade.h"

void fb_upgrade_add_appearance(fb_upgrade *u, fb_xml_node *to, const char *color,
                               const char *opacity, const char *preference, const char *texture) {
    double x[3];
    fb_xml_node *appearance = fb_xml_add(u->xml, to, "Appearance", NULL);
    int shown = !preference || preference[0] != '0';
    if (!shown) {
        fb_xml_add(u->xml, appearance, "visible", "false");
    }
    if (opacity) {
        fb_xml_add(u->xml, appearance, "opacity", opacity);
    }
    if (color && fb_upgrade_numbers(color, x, 3) == 3) {
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

/* Where meshes with that transform (body-fixed XYZ angles, then translation) are attached: the
 * body's attached_geometry, or that of a new offset frame among its components. */
static fb_xml_node *geometry_list(fb_upgrade *u, fb_xml_node *body, const double transform[6],
                                  int index) {
    fb_xml_node *frame = body;
    if (!fb_upgrade_all_zero(transform, 6)) {
        fb_xml_node *components = fb_xml_child(body, "components");
        if (!components) {
            components = fb_xml_add(u->xml, body, "components", NULL);
        }
        frame = fb_xml_add(u->xml, components, "PhysicalOffsetFrame", NULL);
        frame->name = fb_arena_printf(&u->xml->arena, "%s_geometry_frame_%d",
                                      body->name ? body->name : "", index);
        fb_xml_add(u->xml, frame, "socket_parent", "..");
        fb_upgrade_add_numbers(u, frame, "translation", transform + 3, 3);
        fb_upgrade_add_numbers(u, frame, "orientation", transform, 3);
    }
    fb_xml_node *list = fb_xml_child(frame, "attached_geometry");
    return list ? list : fb_xml_add(u->xml, frame, "attached_geometry", NULL);
}

/* Puts one mesh file on a body. */
static void attach_mesh(fb_upgrade *u, fb_xml_node *body, const char *file, const double scale[3],
                        const double transform[6], int index, const fb_xml_node *looks,
                        const char *preference) {
    fb_xml_node *mesh = fb_xml_add(u->xml, geometry_list(u, body, transform, index), "Mesh", NULL);
    mesh->name = fb_arena_printf(&u->xml->arena, "%s_geom_%d", body->name ? body->name : "", index);
    fb_xml_add(u->xml, mesh, "mesh_file", file);
    if (scale[0] != 1 || scale[1] != 1 || scale[2] != 1) {
        fb_upgrade_add_numbers(u, mesh, "scale_factors", scale, 3);
    }
    const char *texture = looks ? fb_upgrade_text(looks, "texture_file", NULL) : NULL;
    fb_upgrade_add_appearance(u, mesh, looks ? fb_upgrade_text(looks, "color", NULL) : NULL,
                              looks ? fb_upgrade_text(looks, "opacity", NULL) : NULL,
                              looks ? fb_upgrade_text(looks, "display_preference", preference)
                                    : preference,
                              texture);
}

/* Numbers of a display setting; a record if they are none, and x stays. */
static void look_numbers(fb_upgrade *u, const fb_xml_node *node, const char *tag, double *x,
                         int n) {
    const fb_xml_node *child = fb_xml_child(node, tag);
    double y[6];
    if (!child || !child->text_length) {
        return;
    }
    if (fb_upgrade_are_numbers(child->text, y, n)) {
        memcpy(x, y, (size_t)n * sizeof *x);
    } else {
        fb_diag_add(u->diag, FB_IGNORED, FB2101, (fb_place){child->file, child->line, NULL, tag},
                    "looks only", "<%s> holds '%.40s': must be %d numbers", tag, child->text, n);
    }
}

/* The VisibleObject of a body: its meshes become attached geometry. */
static void attach_visible(fb_upgrade *u, fb_xml_node *body, fb_xml_node *visible) {
    double outer_scale[3] = {1, 1, 1}, outer[6] = {0};
    look_numbers(u, visible, "scale_factors", outer_scale, 3);
    look_numbers(u, visible, "transform", outer, 6);
    const char *preference = fb_upgrade_text(visible, "display_preference", NULL);
    const fb_xml_node *properties = fb_xml_child(visible, "VisibleProperties");
    if (!preference && properties) {
        preference = fb_upgrade_text(properties, "display_preference", NULL);
    }
    int index = 1;
    const char *files = fb_upgrade_text(visible, "geometry_files", "");
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
        const char *file = fb_upgrade_text(one, "geometry_file", NULL);
        if (!file) {
            continue;
        }
        double scale[3] = {1, 1, 1}, transform[6] = {0};
        look_numbers(u, one, "scale_factors", scale, 3);
        look_numbers(u, one, "transform", transform, 6);
        for (int i = 0; i < 3; i++) {
            scale[i] *= outer_scale[i];
        }
        if (fb_upgrade_all_zero(transform, 6)) {
            memcpy(transform, outer, sizeof transform);
        } else if (!fb_upgrade_all_zero(outer, 6)) {
            fb_diag_add(u->diag, FB_APPROXIMATED, FB2401,
                        (fb_place){one->file, one->line, NULL, one->tag},
                        "the mesh is shown out of place",
                        "the mesh '%s' has a transform and so has its body: the body's is left out",
                        file);
        }
        const char *hidden = preference && preference[0] == '0' ? preference : NULL;
        attach_mesh(u, body, file, scale, transform, index++, hidden ? NULL : one, preference);
    }
    fb_upgrade_drop(visible);
}

void fb_upgrade_visible(fb_upgrade *u, fb_xml_node *visible) {
    fb_xml_node *owner = visible->parent;
    if (fb_upgrade_is(owner, "Body") || fb_upgrade_is(owner, "Ground")) {
        attach_visible(u, owner, visible);
        return;
    }
    if (fb_upgrade_is(owner, "GeometryPath") || fb_upgrade_begins_with(owner->tag, "Wrap")) {
        const char *preference = fb_upgrade_text(visible, "display_preference", NULL);
        if (preference && preference[0] == '0' && !fb_xml_child(owner, "Appearance")) {
            fb_upgrade_add_appearance(u, owner, NULL, NULL, preference, NULL);
        }
        fb_upgrade_drop(visible);
        return;
    }
    if (!u->dropped_looks++) {
        u->first_look = visible;
    }
    fb_upgrade_drop(visible);
}
