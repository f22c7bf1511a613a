/* Paths of two points over random surfaces, alone and two on a path, where models have few. */

#include "tests/properties/properties.h"
#include "tests/properties/taut.h"

enum { SINGLE = 1500, PAIRS = 400, MOST_POINTS = 64 };

/* A surface of the first so many kinds at a place, turned at random. */
static fb_wrap random_wrap(subject *it, int kinds, double x) {
    fb_wrap wrap = {.active = true, .axis = -1, .sign = 1};
    double angles[3];
    wrap.kind = (fb_wrap_kind)(int)between(it, 0, kinds);
    for (int k = 0; k < 3; k++) {
        angles[k] = between(it, -3, 3);
        wrap.pose.p[k] = between(it, -0.01, 0.01) + (k == 0 ? x : 0);
    }
    fb_m3_from_xyz(wrap.pose.R, angles);
    wrap.size[0] = between(it, 0.02, 0.05);
    wrap.size[1] = wrap.size[2] = wrap.size[0];
    if (wrap.kind == FB_WRAP_CYLINDER) { /* some so short that paths pass their ends */
        wrap.size[1] = wrap.size[2] = between(it, 0.01, 0.3);
    } else if (wrap.kind == FB_WRAP_ELLIPSOID) {
        wrap.size[1] = between(it, 0.02, 0.05);
        wrap.size[2] = between(it, 0.02, 0.05);
    } else if (wrap.kind == FB_WRAP_TORUS) {
        wrap.size[0] = between(it, 0.005, 0.012);
        wrap.size[1] = wrap.size[2] = between(it, 0.03, 0.05);
    }
    if (between(it, 0, 1) < 0.5) {
        wrap.axis = (int)between(it, 0, 3);
        wrap.axis = wrap.kind == FB_WRAP_CYLINDER && wrap.axis == 2 ? 0 : wrap.axis;
        wrap.sign = between(it, 0, 1) < 0.5 ? -1 : 1;
    }
    return wrap;
}

/* A point outside of all surfaces, about x. */
static void random_point(subject *it, const fb_wrap *wraps, int n, double x, double *p) {
    for (int try = 0; try < 1000; try++) {
        bool outside = true;
        fb_v3_set(p, x + between(it, -0.05, 0.05), between(it, -0.1, 0.1), between(it, -0.1, 0.1));
        for (int k = 0; k < n; k++) {
            fb_pose inverse;
            double q[3];
            fb_pose_inverse(&inverse, &wraps[k].pose);
            fb_pose_point(q, &inverse, p);
            outside = outside && surface_depth(&wraps[k], q) < -1e-3;
        }
        if (outside) {
            return;
        }
    }
}

void shapes(subject *it) {
    fb_course_point points[MOST_POINTS];
    fb_path_point ends[2] = {{.kind = FB_POINT_FIXED}, {.kind = FB_POINT_FIXED}};
    fb_path_wrap uses[2] = {{.first = -1, .last = -1}, {.wrap = 1, .first = -1, .last = -1}};
    fb_wrap wraps[2];
    fb_path path = {.n_points = 2, .points = ends, .wraps = uses};
    fb_pose ground;
    fb_pose_identity(&ground);
    fb_state state = {.pose = &ground};
    fb_paths paths = {.paths = &path, .n_paths = 1, .wraps = wraps, .most_points = MOST_POINTS};
    fb_simulation s = {.paths = &paths, .state = &state, .course = {.points = points}};
    it->s = &s;
    for (int i = 0; i < SINGLE + PAIRS; i++) {
        int n = i < SINGLE ? 1 : 2;
        int kinds = n == 1 ? 4 : 3; /* two rings ask for ways that models do not have */
        wraps[0] = random_wrap(it, kinds, n == 1 ? 0 : -0.07); /* two do not overlap */
        wraps[1] = random_wrap(it, kinds, 0.07);
        paths.n_wraps = path.n_wraps = n;
        random_point(it, wraps, n, n == 1 ? -0.12 : -0.2, ends[0].location);
        random_point(it, wraps, n, n == 1 ? 0.12 : 0.2, ends[1].location);
        for (int k = 0; k < n; k++) {
            uses[k].method = (fb_wrap_method)(int)between(it, 0, 3);
        }
        check_course(it, 0);
    }
    it->s = NULL;
}
