/* Geometry paths: the course of a muscle, ligament or spring through points and over wrap objects.
 */
#ifndef FB_MUSCLE_PATH_H
#define FB_MUSCLE_PATH_H

#include "libcore/motion/system.h"
#include "libcore/muscle/wrap.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum fb_point_kind {
    FB_POINT_FIXED,
    FB_POINT_CONDITIONAL,
    FB_POINT_MOVING,
    FB_POINT_LINK
} fb_point_kind;

typedef struct fb_path_point {
    fb_point_kind kind;
    int body;
    double location[3]; /* in the body; FB_POINT_MOVING: unused; FB_POINT_LINK: where it begins */
    int link;           /* FB_POINT_LINK: number of the virtual link */
    int coordinate[3];  /* conditional: [0]; moving: of x, y, z, -1 for none */
    /* conditional: [0]; moving: the coordinates' ranges, to which they are kept */
    double range[3][2];
    fb_function function[3];
    fb_pose frame; /* moving: the point's frame in the body */
} fb_path_point;

typedef struct fb_path_wrap {
    int wrap; /* number of the wrap object */
    fb_wrap_method method;
    int first, last; /* range of points, from 0; -1: the path's ends */
} fb_path_wrap;

typedef struct fb_path {
    int n_points, n_wraps;
    fb_path_point *points;
    fb_path_wrap *wraps;
    /* a path whose length is a function of coordinates has no points */
    int n_arguments, *arguments;
    fb_function *length, *moment_arms, *speed; /* moment_arms: n_arguments of them, or NULL */
    bool lacking;                              /* it is not computed: its length is nan */
    bool linked;                               /* a virtual link is among its points */
    int n_coordinates, *coordinates;           /* those that it may have moment arms about */
    const fb_element *owner;                   /* the force */
} fb_path;

/* All paths and wrap objects of a model. */
typedef struct fb_paths {
    const fb_system *system;
    fb_arena arena;
    fb_path *paths;
    int n_paths;
    fb_wrap *wraps;
    int n_wraps;
    const fb_element *const *links; /* virtual links, in the model's order */
    int n_links;
    int most_points; /* of one path, wrap points included */
    bool as_opensim4;
} fb_paths;

/* Compiles the paths and wrap objects of a system's model; the system must live as long. Paths that
 * cannot be computed are `lacking`, with a warning FB2308. FB_E_INPUT (a point that is on no body,
 * a function that cannot be evaluated) or FB_E_MEMORY with an error in `diag`. `as_opensim4`:
 * courses, speeds and moment arms as OpenSim 4.5.2 has them (docs/theory.md). */
fb_status fb_paths_compile(fb_paths **paths, const fb_system *system, bool as_opensim4,
                           fb_diag *diag);
/* Takes NULL. */
void fb_paths_free(fb_paths *paths);
/* The number of the path that a force owns, or -1. */
int fb_paths_find(const fb_paths *paths, const fb_element *owner);

/* One point of a path in some pose. */
typedef struct fb_course_point {
    int body;        /* -1 - number of the virtual link for a point at one */
    double place[3]; /* in ground; as OpenSim's stale caches have it if that is reproduced */
    double site[3];  /* in ground, where forces act */
    int source;      /* number of the path point, or -1 - number of the path's wrap */
    double arc;      /* m over the surface to the next point, if that is of the same wrap */
} fb_course_point;

#define FB_MOST_WRAPS 16 /* of one path */

/* What a path does in a pose. The arrays are the caller's: most_points of the paths. */
typedef struct fb_course {
    fb_course_point *points;
    int n;
    double length; /* m */
    /* where virtual links are in ground, and their velocities: n_links of the paths, the caller's.
     * NULL: where they begin, at rest */
    double (*links)[3], (*link_velocity)[3];
    int inside; /* number of a wrap object around which a segment should go, but that holds one of
                   its ends; -1: none, or as_opensim4 */
    bool unsettled; /* no course over all its wrap objects was found that stays */
} fb_course;

/* The course of path i; after fb_state_position. No allocation, here and below. */
void fb_path_course(const fb_paths *paths, int i, const fb_state *state, fb_course *course);
/* Its lengthening speed, m/s; after fb_state_velocity. */
double fb_path_speed(const fb_paths *paths, int i, const fb_state *state, const fb_course *course);
/* The same from the arms of fb_path_moment_arms, faster: in exact geometry it is -arms . u. */
double fb_path_speed_by_arms(const fb_paths *paths, int i, const fb_state *state,
                             const fb_course *course, const double *arms);
/* Generalised forces of a tension of 1 N (n_q), which are the moment arms without constraints. */
void fb_path_moment_arms(const fb_paths *paths, int i, const fb_state *state,
                         const fb_course *course, double *arms);

#ifdef __cplusplus
}
#endif
#endif
