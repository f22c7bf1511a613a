#include "libcore/muscle/wrap.h"

#include <math.h>
#include <string.h>

#include "libcore/muscle/wrap_shapes.h"

bool fb_wrap_compile(fb_wrap *wrap, const fb_element *element, fb_diag *diag) {
    const char *name = element->cls->name, *quadrant = fb_get_string(element, "quadrant");
    memset(wrap, 0, sizeof *wrap);
    wrap->element = element;
    wrap->active = fb_get_bool(element, "active");
    fb_pose_identity(&wrap->pose);
    double angles[3] = {0, 0, 0};
    fb_get_vector(element, "translation", wrap->pose.p, 3);
    fb_get_vector(element, "rotation_xyz", angles, 3);
    fb_m3_from_xyz(wrap->pose.R, angles);
    if (strcmp(name, "WrapSphere") == 0) {
        wrap->kind = FB_WRAP_SPHERE;
        wrap->size[0] = fb_get_number(element, "radius");
        wrap->size[1] = wrap->size[2] = wrap->size[0];
    } else if (strcmp(name, "WrapCylinder") == 0) {
        wrap->kind = FB_WRAP_CYLINDER;
        wrap->size[0] = fb_get_number(element, "radius");
        wrap->size[1] = wrap->size[2] = fb_get_number(element, "length");
    } else if (strcmp(name, "WrapEllipsoid") == 0) {
        wrap->kind = FB_WRAP_ELLIPSOID;
        fb_get_vector(element, "dimensions", wrap->size, 3);
    } else {
        wrap->kind = FB_WRAP_TORUS;
        wrap->size[0] = fb_get_number(element, "inner_radius");
        wrap->size[1] = wrap->size[2] = fb_get_number(element, "outer_radius");
    }
    wrap->axis = -1;
    wrap->sign = 1;
    if (quadrant) {
        const char *axis = quadrant;
        if (*axis == '-' || *axis == '+') {
            wrap->sign = *axis++ == '-' ? -1 : 1;
        }
        if (*axis && !axis[1] && strchr("xyzXYZ", *axis)) {
            wrap->axis = (*axis | 32) - 'x';
        }
    }
    for (int i = 0; i < 3; i++) {
        if (!(wrap->size[i] > 0)) {
            fb_diag_add(diag, FB_WARNING, FB2104, fb_element_place(element),
                        "paths do not wrap over it",
                        "%s '%s': its radii and length must be more than 0", name, element->name);
            wrap->active = false;
            break;
        }
    }
    return wrap->active;
}

fb_wrap_outcome fb_wrap_segment(const fb_wrap *wrap, fb_wrap_method method, fb_wrap_mode mode,
                                const double *p1, const double *p2, fb_wrap_path *path) {
    switch (wrap->kind) {
    case FB_WRAP_SPHERE: return fb_wrap_sphere(wrap, mode, p1, p2, path);
    case FB_WRAP_CYLINDER: return fb_wrap_cylinder(wrap, mode, p1, p2, path);
    case FB_WRAP_ELLIPSOID: return fb_wrap_ellipsoid(wrap, method, mode, p1, p2, path);
    case FB_WRAP_TORUS: return fb_wrap_torus(wrap, mode, p1, p2, path);
    }
    return FB_WRAP_NONE;
}

bool fb_wrap_blocks(const fb_wrap *wrap, const double *p1, const double *p2) {
    if (wrap->kind == FB_WRAP_TORUS) {
        return fb_wrap_torus_blocks(wrap, p1, p2);
    }
    /* scaled, the others are a round of radius 1, in as many dimensions as they have curvature */
    int n = wrap->kind == FB_WRAP_CYLINDER ? 2 : 3;
    double dd = 0, pd = 0, pp = 0, round = 1 / wrap->size[0];
    for (int k = 0; k < n; k++) {
        double scale = wrap->kind == FB_WRAP_ELLIPSOID ? 1 / wrap->size[k] : round;
        double p = p1[k] * scale, d = (p2[k] - p1[k]) * scale;
        dd += d * d;
        pd += p * d;
        pp += p * p;
    }
    double t = dd > 0 ? -pd / dd : 0;
    return t > 0 && t < 1 && pp + t * pd < 1;
}
