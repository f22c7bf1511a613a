/* Compiling of contact between spheres, half spaces and meshes. */
#include <math.h>
#include <string.h>

#include "libcore/muscle/contact_mesh.h"
#include "libcore/muscle/force_internal.h"

/* A sphere or a half space. */
static bool is_round(const fb_element *geometry) {
    return geometry && (strcmp(geometry->cls->name, "ContactHalfSpace") == 0 ||
                        strcmp(geometry->cls->name, "ContactSphere") == 0);
}

/* Where a shape is, and its material; false if it is nowhere. */
static bool place_shape(fb_force_builder *b, fb_contact_shape *to, const fb_element *geometry,
                        const fb_element *material) {
    static const char *const frictions[] = {"static_friction", "dynamic_friction",
                                            "viscous_friction"};
    double angles[3] = {0};
    fb_pose frame, own = {.p = {0}};
    memset(to, 0, sizeof *to);
    to->half_space = strcmp(geometry->cls->name, "ContactHalfSpace") == 0;
    fb_get_vector(geometry, "location", own.p, 3);
    fb_get_vector(geometry, "orientation", angles, 3);
    fb_m3_from_xyz(own.R, angles);
    to->body = fb_system_body(b->f->system, fb_get_target(geometry, "frame"), &frame);
    fb_pose_mul(&to->pose, &frame, &own);
    to->radius = strcmp(geometry->cls->name, "ContactSphere") == 0
                     ? fb_get_number(geometry, "radius")
                     : 0;
    to->stiffness = fb_get_number(material, "stiffness");
    to->dissipation = fb_get_number(material, "dissipation");
    for (int i = 0; i < 3; i++) {
        to->friction[i] = fb_get_number(material, frictions[i]);
    }
    return to->body >= 0;
}

/* False for shapes other than spheres and half spaces, and for those that are nowhere. */
static bool compile_shape(fb_force_builder *b, fb_contact_shape *to, const fb_element *geometry,
                          const fb_element *material) {
    if (!is_round(geometry) || !place_shape(b, to, geometry, material)) {
        return false;
    }
    to->stiffness = pow(to->stiffness, 2.0 / 3);
    return true;
}

/* Spheres and half spaces of all sets of parameters; shapes but meshes are told once. */
static bool compile_hunt_crossley(fb_force_builder *b, fb_force *force) {
    const fb_value *sets = fb_get(force->element, "contact_parameters");
    int n = 0, others = 0;
    for (int i = 0; sets && i < sets->n; i++) {
        const fb_value *geometry = fb_get(sets->as.objects[i], "geometry");
        n += geometry ? geometry->n : 0;
    }
    fb_contact_shape *shapes = fb_arena_array(&b->f->arena, (size_t)n, sizeof *shapes);
    for (int i = 0; sets && i < sets->n; i++) {
        const fb_value *geometry = fb_get(sets->as.objects[i], "geometry");
        for (int k = 0; geometry && k < geometry->n; k++) {
            const fb_element *one = geometry->as.refs[k].target;
            if (one && strcmp(one->cls->name, "ContactMesh") == 0) {
                continue; /* in Simbody they have no Hunt-Crossley force */
            }
            if (compile_shape(b, &shapes[force->n_shapes], one, sets->as.objects[i])) {
                force->n_shapes++;
            } else {
                others++;
            }
        }
    }
    force->kind = FB_FORCE_HUNT_CROSSLEY;
    force->shapes = shapes;
    force->p[0] = fb_get_number(force->element, "transition_velocity");
    if (others > 0) {
        fb_force_skip(
            b, force->element,
            "its contact is computed between spheres and half spaces only, not with its other "
            "shapes");
    }
    return true;
}

bool fb_force_compile_contact(fb_force_builder *b, fb_force *force, const char *name) {
    static const char *const keys[] = {"transition_velocity", "constant_contact_force",
                                       "hertz_smoothing", "hunt_crossley_smoothing"};
    if (strcmp(name, "HuntCrossleyForce") == 0) {
        return compile_hunt_crossley(b, force);
    }
    fb_contact_shape *shapes = fb_arena_array(&b->f->arena, 2, sizeof *shapes);
    force->kind = FB_FORCE_SMOOTH_SPHERE;
    force->shapes = shapes;
    force->n_shapes = 2;
    for (int i = 0; i < 4; i++) {
        force->p[i] = fb_get_number(force->element, keys[i]);
    }
    return compile_shape(b, &shapes[0], fb_get_target(force->element, "sphere"), force->element) &&
           compile_shape(b, &shapes[1], fb_get_target(force->element, "half_space"),
                         force->element) &&
           !shapes[0].half_space && shapes[1].half_space;
}

/* ---- elastic foundation ---------------------------------------------------------------------- */

/* Prepares a mesh; one that is used twice is prepared twice. NULL and a reason if it cannot be. */
static const fb_contact_mesh *load_mesh(fb_force_builder *b, const fb_element *geometry,
                                        const char **why) {
    fb_triangles triangles = {0};
    *why = b->resources && b->resources->triangles
               ? b->resources->triangles(b->resources->context, geometry, &triangles)
               : "its mesh is in a file, which is not read here";
    return *why ? NULL : fb_contact_mesh_new(&triangles, &b->f->arena, why);
}

/* Meshes push against all other shapes of their force; between round shapes there is no force. */
bool fb_force_compile_foundation(fb_force_builder *b, fb_force *force, const char *name) {
    const fb_value *sets = fb_get(force->element, "contact_parameters");
    size_t n = 0, capacity = 0;
    fb_contact_shape *shapes = NULL;
    (void)name;
    for (int i = 0; sets && i < sets->n; i++) {
        const fb_value *geometry = fb_get(sets->as.objects[i], "geometry");
        for (int k = 0; geometry && k < geometry->n; k++) {
            const fb_element *one = geometry->as.refs[k].target;
            fb_contact_shape shape;
            const char *why = "one of its shapes is neither a mesh nor a sphere nor a half space";
            bool is_mesh = one && strcmp(one->cls->name, "ContactMesh") == 0;
            if (!one || !place_shape(b, &shape, one, sets->as.objects[i])) {
                return false;
            }
            shape.mesh = is_mesh ? load_mesh(b, one, &why) : NULL;
            if (is_mesh ? !shape.mesh : !is_round(one)) {
                fb_force_skip(b, force->element, why);
                continue;
            }
            FB_PUSH(&b->f->arena, shapes, n, capacity, shape);
        }
    }
    force->kind = FB_FORCE_ELASTIC_FOUNDATION;
    force->shapes = shapes;
    force->n_shapes = (int)n;
    force->p[0] = fb_get_number(force->element, "transition_velocity");
    return true;
}
