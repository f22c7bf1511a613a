/* Compliant contact of spheres and half spaces: K. Hunt, F. Crossley, J. Appl. Mech. 42 (1975)
 * 440-445, as in Simbody's HuntCrossleyForce; its smooth form after G. Serrancoli and others, IEEE
 * Trans. Neural Syst. Rehabil. Eng. 27 (2019) 1580-1589, as in SmoothSphereHalfSpaceForce. */
#include "libcore/muscle/force_internal.h"

#include <math.h>

#define MOST_SORTED 64 /* shapes of one force whose order is OpenSim's */

/* Two shapes that touch: in ground, the normal pointing from the first to the second. */
typedef struct touch {
    const fb_contact_shape *shape[2];
    double point[3], normal[3];
    double depth, radius; /* of penetration; effective radius of curvature */
} touch;

double fb_contact_friction(const double *mu, double slip, double transition) {
    double v = slip / transition;
    return (v < 1 ? v : 1) * (mu[1] + 2 * (mu[0] - mu[1]) / (1 + v * v)) + mu[2] * slip;
}

double fb_contact_approach(const fb_state *state, const int body[2], const double *point,
                           const double *normal, double *tangential) {
    double v[2][3];
    fb_point_velocity(v[0], state, body[0], point);
    fb_point_velocity(v[1], state, body[1], point);
    fb_v3_sub(tangential, v[0], v[1]);
    double along = fb_v3_dot(tangential, normal);
    fb_v3_madd(tangential, -along, normal);
    return along;
}

void fb_contact_push(const fb_force_work *work, const int body[2], const double *point,
                     const double *force) {
    double opposite[3];
    fb_v3_scale(opposite, -1, force);
    fb_force_at_point(work, body[0], point, opposite);
    fb_force_at_point(work, body[1], point, force);
}

/* ---- Hunt and Crossley ---------------------------------------------------------------------- */

static void sphere_center(const fb_contact_shape *shape, const fb_state *state, double *center) {
    fb_pose_point(center, &state->pose[shape->body], shape->pose.p);
}

/* Sphere in the half space x > 0, whose outward normal is -x: the contact is midway between the
 * plane and the sphere's deepest point. */
static bool plane_touch(const fb_contact_shape *plane, const fb_contact_shape *sphere,
                        const fb_state *state, touch *t) {
    fb_pose pose;
    double center[3], from[3];
    fb_pose_mul(&pose, &state->pose[plane->body], &plane->pose);
    sphere_center(sphere, state, center);
    fb_v3_set(t->normal, -pose.R[0], -pose.R[3], -pose.R[6]);
    fb_v3_sub(from, center, pose.p);
    double x = -fb_v3_dot(from, t->normal);
    t->depth = x + sphere->radius;
    t->radius = sphere->radius;
    fb_v3_copy(t->point, center); /* to x = depth / 2 */
    fb_v3_madd(t->point, x - t->depth / 2, t->normal);
    t->shape[0] = plane;
    t->shape[1] = sphere;
    return t->depth > 0;
}

static bool sphere_touch(const fb_contact_shape *a, const fb_contact_shape *b,
                         const fb_state *state, touch *t) {
    double from[3], to[3];
    sphere_center(a, state, from);
    sphere_center(b, state, to);
    fb_v3_sub(t->normal, to, from);
    double distance = fb_v3_normalize(t->normal);
    t->depth = a->radius + b->radius - distance;
    if (distance == 0 || !(t->depth > 0)) {
        return false;
    }
    t->radius = a->radius * b->radius / (a->radius + b->radius);
    fb_v3_copy(t->point, from);
    fb_v3_madd(t->point, a->radius - t->depth / 2, t->normal);
    t->shape[0] = a;
    t->shape[1] = b;
    return true;
}

static bool find_touch(const fb_contact_shape *a, const fb_contact_shape *b, const fb_state *state,
                       touch *t) {
    if (a->half_space || b->half_space) {
        return a->half_space != b->half_space &&
               plane_touch(a->half_space ? a : b, a->half_space ? b : a, state, t);
    }
    return sphere_touch(a, b, state, t);
}

/* s1 = k2 / (k1 + k2), k = k1 s1, c = c1 s1 + c2 (1 - s1); f = 4/3 k d sqrt(R k d) (1 + 3/2 c v).
 * False if the bodies part so fast that there is no force. */
static bool touch_force(touch *t, const fb_force_work *work, double transition) {
    const fb_contact_shape *a = t->shape[0], *b = t->shape[1];
    int body[2] = {a->body, b->body};
    double s1 = b->stiffness / (a->stiffness + b->stiffness), k = a->stiffness * s1;
    double c = a->dissipation * s1 + b->dissipation * (1 - s1), mu[3], tangential[3], force[3];
    fb_v3_madd(t->point, t->depth * (0.5 - s1), t->normal);
    double v = fb_contact_approach(work->state, body, t->point, t->normal, tangential);
    double f = 4.0 / 3 * k * t->depth * sqrt(t->radius * k * t->depth) * (1 + 1.5 * c * v);
    if (!(f > 0)) {
        return false;
    }
    for (int i = 0; i < 3; i++) {
        double sum = a->friction[i] + b->friction[i];
        mu[i] = sum != 0 ? 2 * a->friction[i] * b->friction[i] / sum : 0;
    }
    fb_v3_scale(force, f, t->normal);
    double slip = fb_v3_norm(tangential);
    if (slip != 0) {
        fb_v3_madd(force, f * fb_contact_friction(mu, slip, transition) / slip, tangential);
    }
    fb_contact_push(work, body, t->point, force);
    return true;
}

/* The order in which OpenSim meets shapes: by where they begin along the axis on which their
 * centres are spread most. It matters only because it stops at the first contact without a force.
 */
static void sort_shapes(const fb_force *force, const fb_state *state, int *order) {
    double center[MOST_SORTED][3], start[MOST_SORTED], mean[3] = {0, 0, 0}, spread[3] = {0, 0, 0};
    int n = force->n_shapes, axis;
    for (int i = 0; i < n; i++) {
        sphere_center(&force->shapes[i], state, center[i]);
        fb_v3_madd(mean, 1.0 / n, center[i]);
    }
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < 3; k++) {
            spread[k] += fabs(center[i][k] - mean[k]);
        }
    }
    axis = spread[0] > spread[1] ? 0 : 1;
    axis = spread[2] > spread[axis] ? 2 : axis;
    for (int i = 0; i < n; i++) {
        int j = i;
        const fb_contact_shape *shape = &force->shapes[i];
        start[i] = shape->half_space ? -1e300 : center[i][axis] - shape->radius;
        for (; j > 0 && start[order[j - 1]] > start[i]; j--) {
            order[j] = order[j - 1];
        }
        order[j] = i;
    }
}

static void hunt_crossley(const fb_force *force, const fb_force_work *work) {
    bool sorted = work->forces->as_opensim4 && force->n_shapes <= MOST_SORTED;
    int order[MOST_SORTED];
    if (sorted) {
        sort_shapes(force, work->state, order);
    }
    for (int i = 0; i < force->n_shapes; i++) {
        for (int j = i + 1; j < force->n_shapes; j++) {
            const fb_contact_shape *a = &force->shapes[sorted ? order[i] : i];
            const fb_contact_shape *b = &force->shapes[sorted ? order[j] : j];
            touch t;
            if (find_touch(a, b, work->state, &t) && !touch_force(&t, work, force->p[0]) &&
                work->forces->as_opensim4) {
                return; /* OpenSim leaves out all further contacts of the force */
            }
        }
    }
}

/* ---- smooth sphere and half space ----------------------------------------------------------- */

/* f = 4/3 k sqrt(R k) (d^2 + cf)^(3/4) (1 + tanh(bd d)) / 2 (1 + 3/2 c v)
 *     (1 + tanh(bv (v + 2 / (3 c)))) / 2, k = stiffness^(2/3) / 2; slip = sqrt(v_t^2 + cf).
 * shapes: sphere, half space. p: transition velocity, cf, bd, bv */
static void smooth_sphere(const fb_force *force, const fb_force_work *work) {
    const fb_contact_shape *sphere = &force->shapes[0], *plane = &force->shapes[1];
    const double *p = force->p;
    int body[2] = {sphere->body, plane->body};
    double point[3], normal[3], from[3], tangential[3], push[3], R = sphere->radius;
    fb_pose pose;
    fb_pose_mul(&pose, &work->state->pose[plane->body], &plane->pose);
    sphere_center(sphere, work->state, point);
    fb_v3_set(normal, pose.R[0], pose.R[3], pose.R[6]); /* into the half space */
    fb_v3_sub(from, point, pose.p);
    double depth = fb_v3_dot(from, normal) + R;
    fb_v3_madd(point, R - depth / 2, normal);
    double v = fb_contact_approach(work->state, body, point, normal, tangential);
    double k = sphere->stiffness / 2, c = sphere->dissipation;
    double hertz = 4.0 / 3 * k * sqrt(R * k) * pow(depth * depth + p[1], 0.75) *
                   (0.5 + 0.5 * tanh(p[2] * depth));
    double parting = c > 0 ? 0.5 + 0.5 * tanh(p[3] * (v + 2 / (3 * c))) : 1;
    double f = hertz * (1 + 1.5 * c * v) * parting;
    double slip = sqrt(fb_v3_dot(tangential, tangential) + p[1]);
    fb_v3_scale(push, f, normal);
    if (slip > 0) {
        fb_v3_madd(push, f * fb_contact_friction(sphere->friction, slip, p[0]) / slip, tangential);
    }
    fb_contact_push(work, body, point, push);
}

void fb_force_contact(const fb_force *force, const fb_force_work *work) {
    if (force->kind == FB_FORCE_HUNT_CROSSLEY) {
        hunt_crossley(force, work);
    } else {
        smooth_sphere(force, work);
    }
}
