/* What a person says about muscles' bodies: the entries of a bundle spec and of a table of measured
 * volumes, as plain data. formats/bundle_spec.h reads both from files.
 *
 * All that was not said is NaN, NULL or 0. Metres, cubic metres, N/m^2, radians; vectors in ground
 * at the pose in which the bodies are made, unless a frame is named. */
#ifndef FB_BUNDLE_SPEC_H
#define FB_BUNDLE_SPEC_H

#include "libcore/base/arena.h"
#include "libcore/bundle/solid.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A polyline through points, from origin to insertion. */
typedef struct fb_spec_line {
    const char *frame;   /* in whose axes the points are, by name; NULL: ground */
    double (*points)[3]; /* n_points */
    int n_points;        /* 0: none given */
} fb_spec_line;

/* A core: a head's line, or a course of its own. */
typedef struct fb_spec_core {
    const char *name;    /* of the head; NULL: the line's */
    const char *line;    /* the model's muscle that it is; NULL: only for cores with points */
    fb_spec_line course; /* instead of the line's path */
    double share;        /* of the muscle's force, of 1 */
    double belly_length; /* m */
    double tendon;       /* m, from the origin to where the belly begins */
    int line_number;     /* in the file */
} fb_spec_core;

typedef enum fb_outline_kind {
    FB_OUTLINE_NONE, /* not said: round */
    FB_OUTLINE_ROUND,
    FB_OUTLINE_FLAT,
    FB_OUTLINE_POLYGON,
    FB_OUTLINE_MESH
} fb_outline_kind;

typedef struct fb_outline {
    fb_outline_kind kind;
    double (*polygon)[2]; /* n_polygon corners of the section: along width and height, of half the
                             greatest extent; closed by itself */
    int n_polygon;
    const char *mesh, *frame;    /* a file of triangles, in the axes of that frame (NULL: ground) */
    const char *insertion_frame; /* that with which the insertion moves, in whose axes the mesh is
                                    as well; NULL: the muscle moves as one */
    const char *unit;            /* of the file, and of the points: "m" (NULL too) or "mm" */
    fb_spec_line origin, insertion; /* points of the attachments, in the mesh's axes and unit; none:
                                       the ends of the cores */
    fb_shell surface;               /* the mesh, m, once fb_bundle_spec_meshes has read it */
} fb_outline;

typedef struct fb_spec_muscle {
    const char *name;
    const char **lines; /* n_lines names of the model's muscles, instead of a guess */
    int n_lines;
    fb_spec_core *cores; /* "cores": n_cores of them, instead of one for each line */
    int n_cores;
    fb_spec_core *heads; /* "heads": n_heads of them, what is said about cores of lines */
    int n_heads;
    double volume, specific_tension, belly_length, fiber_to_belly;
    double ratio; /* R_ab of bundles at rest */
    double twist; /* of the core, from origin to insertion */
    int bundles;
    fb_outline outline;
    double height_direction[3]; /* NaN: not said */
    fb_spec_line *fascicles;    /* n_fascicles */
    int n_fascicles;
    int line_number; /* of the entry in the file */
} fb_spec_muscle;

typedef struct fb_spec {
    fb_arena arena;
    const char *file;
    fb_spec_muscle *muscles;
    int n_muscles;
} fb_spec;

/* What a person's own table says of a muscle, or of one line of it. */
typedef struct fb_measured_muscle {
    const char *name;
    double volume;       /* m^3 */
    double area;         /* m^2, physiological: volume / fibre length */
    double belly_length; /* m */
    int line_number;
} fb_measured_muscle;

typedef struct fb_measured {
    fb_arena arena;
    const char *file;
    fb_measured_muscle *muscles;
    int n_muscles;
} fb_measured;

#ifdef __cplusplus
}
#endif
#endif
