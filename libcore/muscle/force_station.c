/* Contact of one point with a plane of ground.
 *
 * ExponentialContactForce: F. Anderson, M. Pandy, Comput. Methods Biomech. Biomed. Engin. 2 (1999)
 * 201-231, as in Simbody's ExponentialSpringForce. It has states: how far the point slides (1 at
 * first) and where its friction spring is anchored. Here they are as at the start of a simulation,
 * where the point slides and the spring does not pull.
 *
 * The others push up from y = 0, and have friction along x only, as in OpenSim's
 * StationPlaneContactForce: M. Ackermann, A. van den Bogert, J. Biomech. 43 (2010) 1055-1060; A.
 * Meyer and others, Front. Bioeng. Biotechnol. 4 (2016) 77; E. Esposito, R. Miller, PLoS ONE 13
 * (2018) e0191310. */
#include <math.h>
#include <string.h>

#include "libcore/muscle/force_internal.h"

#define VOID_STIFFNESS 1.0 /* N/m, whatever the height: keeps derivatives from vanishing */

/* ---- compiling ------------------------------------------------------------------------------- */

/* p: offset, force, rate; normal viscosity, greatest force; viscosity and coefficient of friction
 */
static void compile_exponential(fb_force *force) {
    const fb_element *parameters = fb_get_object(force->element, "contact_parameters");
    double plane[6] = {0}, fixed = fb_get_number(parameters, "static_friction");
    fb_get_vector(force->element, "contact_plane_transform", plane, 6);
    fb_m3_from_xyz(force->frame[1].R, plane);
    fb_v3_copy(force->frame[1].p, plane + 3);
    fb_get_vector(parameters, "normal_shape_parameters", force->p, 3);
    force->p[3] = fb_get_number(parameters, "normal_viscosity");
    force->p[4] = fb_get_number(parameters, "max_normal_force");
    force->p[5] = fb_get_number(parameters, "friction_viscosity");
    force->p[6] = fmin(fb_get_number(parameters, "dynamic_friction"), fixed);
    force->kind = FB_FORCE_EXPONENTIAL_CONTACT;
}

bool fb_force_compile_station(fb_force_builder *b, fb_force *force, const char *name) {
    static const char *const keys[] = {
        "stiffness",           "dissipation",  "friction_coefficient",
        "transition_velocity", "depth_offset", "time_scale"};
    const fb_element *station = fb_get_object(force->element, "station");
    if (!station) {
        station = fb_get_target(force->element, "station");
    }
    force->body[1] = 0;
    if (strcmp(name, "ExponentialContactForce") == 0) {
        compile_exponential(force);
    } else {
        force->kind = strcmp(name, "MeyerFregly2016Force") == 0      ? FB_FORCE_MEYER
                      : strcmp(name, "EspositoMiller2018Force") == 0 ? FB_FORCE_ESPOSITO
                                                                     : FB_FORCE_ACKERMANN;
        for (int i = 0; i < 6; i++) {
            force->p[i] = fb_get_number(force->element, keys[i]);
        }
    }
    if (!station || !fb_get_vector(station, "location", force->point[0], 3)) {
        return false;
    }
    force->body[0] = fb_system_body(b->f->system, fb_get_target(station, "frame"),
                                    &force->frame[0]);
    return force->body[0] >= 0;
}

/* ---- evaluating ------------------------------------------------------------------------------ */

/* Normal force d1 exp(-d2 (z - d0)) (1 - c z'), from 0 to its greatest; friction -c v, at most mu
 * times as large. x, v, f: of the point in the plane's axes, z being the normal. */
static void exponential(const double *p, const double *x, const double *v, double *f) {
    double normal = p[1] * exp(-p[2] * (x[2] - p[0])) * (1 - p[3] * v[2]);
    normal = normal < 0 ? 0 : normal > p[4] ? p[4] : normal;
    double drag = p[5] * hypot(v[0], v[1]), limit = p[6] * normal;
    double viscosity = drag > limit ? p[5] * limit / drag : p[5];
    fb_v3_set(f, -viscosity * v[0], -viscosity * v[1], normal);
}

/* ln cosh x, which cosh itself would overflow for. */
static double log_cosh(double x) {
    x = fabs(x);
    return x + log1p(exp(-2 * x)) - log(2.0);
}

/* Linear with two stiffnesses that a smooth bend joins, zero at 1 cm above the ground. */
static double meyer_spring(const double *p, double y, bool as_opensim4) {
    static const double h = 1e-3, c = 5e-4, top = 1e-2;
    double low = 0.1 / (p[5] * p[5]), b = (p[0] + low) / (p[0] - low), a = (p[0] - low) / 2;
    if (as_opensim4 && !isfinite(cosh((y + h) / c))) {
        return 0;
    }
    return -a * (b * y - c * log_cosh((y + h) / c)) + a * (b * top - c * log_cosh((top + h) / c));
}

/* Forces along y and x at a height y with velocity v. */
static void plane_force(const fb_force *force, double y, const double *v, bool as_opensim4,
                        double *f) {
    const double *p = force->p;
    double depth = -y, rate = 1 - p[1] * v[1], up, slip;
    if (force->kind == FB_FORCE_ACKERMANN) {
        up = (depth > 0 ? fmax(0, p[0] * depth * depth * depth * rate) : 0) +
             VOID_STIFFNESS * depth;
        slip = p[2] * tanh(v[0] / p[3] / 2);
    } else if (force->kind == FB_FORCE_MEYER) {
        up = meyer_spring(p, y, as_opensim4) * rate;
        slip = tanh(v[0] / 0.1);
    } else {
        double soft = (sqrt(depth * depth + p[4] * p[4]) + depth) / 2;
        up = p[0] * soft * soft * rate + VOID_STIFFNESS * depth;
        slip = p[2] * tanh(v[0] / p[3]);
    }
    fb_v3_set(f, -up * slip, up, 0);
}

void fb_force_station(const fb_force *force, const fb_force_work *work) {
    double in_body[3], point[3], v[3], push[3];
    fb_pose_point(in_body, &force->frame[0], force->point[0]);
    fb_pose_point(point, &work->state->pose[force->body[0]], in_body);
    fb_point_velocity(v, work->state, force->body[0], point);
    if (force->kind == FB_FORCE_EXPONENTIAL_CONTACT) {
        const fb_pose *plane = &force->frame[1];
        double from[3], x[3], v_plane[3], f[3];
        fb_v3_sub(from, point, plane->p);
        fb_m3_tmul_v3(x, plane->R, from);
        fb_m3_tmul_v3(v_plane, plane->R, v);
        exponential(force->p, x, v_plane, f);
        fb_m3_mul_v3(push, plane->R, f);
    } else {
        plane_force(force, point[1], v, work->forces->as_opensim4, push);
    }
    const int body[2] = {force->body[1], force->body[0]};
    fb_contact_push(work, body, point, push);
}
