/* Elastic foundation: each face of a mesh is a spring that pushes its centre out of another body
 * (M. Sherman, A. Seth, S. Delp, Procedia IUTAM 2 (2011) 241-261; as in Simbody's
 * ElasticFoundationForce). */
#include <math.h>

#include "libcore/muscle/contact_mesh.h"
#include "libcore/muscle/force_internal.h"

/* A mesh and what it meets. */
typedef struct meeting {
    const fb_force_work *work;
    const fb_contact_shape *mesh, *other;
    fb_pose mesh_to_ground, other_to_ground, mesh_to_other;
    double share; /* of each face's area: half if the other is a mesh too */
    double transition;
} meeting;

/* The other shape's surface point that is nearest to a point inside it, in its frame; false if the
 * point is outside. */
static bool find_surface(const fb_contact_shape *other, const double *p, double *nearest) {
    if (other->mesh) {
        return fb_contact_mesh_nearest(other->mesh, p, nearest);
    }
    if (other->half_space) {
        fb_v3_set(nearest, 0, p[1], p[2]);
        return p[0] > 0;
    }
    double distance = fb_v3_norm(p);
    if (distance == 0 || distance >= other->radius) {
        return false;
    }
    fb_v3_scale(nearest, other->radius / distance, p);
    return true;
}

/* True if no point of a box can be inside the other shape: by the ball around it. */
static bool is_apart(const meeting *m, const fb_mesh_node *node) {
    double middle[3], half[3], p[3];
    for (int k = 0; k < 3; k++) {
        middle[k] = (node->low[k] + node->high[k]) / 2;
        half[k] = (node->high[k] - node->low[k]) / 2;
    }
    double reach = fb_v3_norm(half), distance = 0;
    fb_pose_point(p, &m->mesh_to_other, middle);
    if (m->other->half_space) {
        return p[0] < -reach;
    }
    if (!m->other->mesh) {
        return fb_v3_norm(p) > m->other->radius + reach;
    }
    const fb_mesh_node *root = &m->other->mesh->nodes[0];
    for (int k = 0; k < 3; k++) {
        double out = fmax(root->low[k] - p[k], p[k] - root->high[k]);
        distance += out > 0 ? out * out : 0;
    }
    return distance > reach * reach;
}

/* f = k A d (1 + c v), v the speed at which the surfaces approach; friction as between spheres, but
 * with the mesh's coefficients. */
static void press(const meeting *m, const fb_mesh_face *face) {
    double center[3], nearest[3], surface[3], at[3], force[3], tangential[3];
    fb_pose_point(center, &m->mesh_to_other, face->center);
    if (!find_surface(m->other, center, nearest)) {
        return;
    }
    fb_pose_point(surface, &m->other_to_ground, nearest);
    fb_pose_point(at, &m->mesh_to_ground, face->center);
    fb_v3_sub(force, surface, at);
    double depth = fb_v3_normalize(force);
    const int body[2] = {m->other->body, m->mesh->body};
    double v = fb_contact_approach(m->work->state, body, surface, force, tangential);
    double f = m->mesh->stiffness * m->share * face->area * depth * (1 + m->mesh->dissipation * v);
    if (depth == 0 || !(f > 0)) {
        return;
    }
    fb_v3_scale(force, f, force);
    double slip = fb_v3_norm(tangential);
    if (slip > 0) {
        double drag = fb_contact_friction(m->mesh->friction, slip, m->transition);
        fb_v3_madd(force, f * drag / slip, tangential);
    }
    fb_contact_push(m->work, body, surface, force);
}

static void press_faces(const meeting *m) {
    const fb_contact_mesh *mesh = m->mesh->mesh;
    int stack[FB_MESH_DEPTH], n = 1;
    stack[0] = 0;
    while (n > 0) {
        const fb_mesh_node *node = &mesh->nodes[stack[--n]];
        if (is_apart(m, node)) {
            continue;
        }
        if (node->child[0] >= 0) {
            stack[n++] = node->child[1];
            stack[n++] = node->child[0];
            continue;
        }
        for (int i = node->first; i < node->first + node->n; i++) {
            press(m, &mesh->faces[i]);
        }
    }
}

void fb_force_foundation(const fb_force *force, const fb_force_work *work) {
    for (int i = 0; i < force->n_shapes; i++) {
        for (int j = 0; j < force->n_shapes; j++) {
            meeting m = {.work = work,
                         .mesh = &force->shapes[i],
                         .other = &force->shapes[j],
                         .transition = force->p[0]};
            fb_pose to_other;
            if (i == j || !m.mesh->mesh) {
                continue;
            }
            m.share = m.other->mesh ? 0.5 : 1;
            fb_pose_mul(&m.mesh_to_ground, &work->state->pose[m.mesh->body], &m.mesh->pose);
            fb_pose_mul(&m.other_to_ground, &work->state->pose[m.other->body], &m.other->pose);
            fb_pose_inverse(&to_other, &m.other_to_ground);
            fb_pose_mul(&m.mesh_to_other, &to_other, &m.mesh_to_ground);
            press_faces(&m);
        }
    }
}
