/* Bones known by their shape: which bone and side a surface is, its joints' centres and axes, and
 * its named landmarks. */
#ifndef FB_REGISTER_LANDMARKS_H
#define FB_REGISTER_LANDMARKS_H

#include <stdbool.h>

#include "libcore/register/feature.h"
#include "libcore/register/surface.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum fb_bone_kind {
    FB_BONE_UNKNOWN,
    FB_BONE_PELVIS,     /* both sides, with or without sacrum */
    FB_BONE_HEMIPELVIS, /* one hip bone */
    FB_BONE_SACRUM,
    FB_BONE_FEMUR,
    FB_BONE_TIBIA, /* with or without fibula */
    FB_BONE_FIBULA,
    FB_BONE_PATELLA,
    FB_BONE_TALUS,
    FB_BONE_CALCANEUS, /* alone, or what moves with it */
    FB_BONE_FOOT,
    FB_BONE_TOES,
    FB_BONE_CLAVICLE,
    FB_BONE_SCAPULA,
    FB_BONE_HUMERUS,
    FB_BONE_ULNA,
    FB_BONE_RADIUS,
    FB_BONE_HAND,
    FB_BONE_TRUNK,
    FB_BONE_KIND_COUNT
} fb_bone_kind;

typedef struct fb_bone_guess {
    fb_bone_kind kind;
    char side;        /* 'r', 'l', or 0: both or not known */
    double certainty; /* how much better than the second-best: 1 as good, 2 twice as good .. */
    fb_bone_kind second;
    bool by_name; /* the name said so */
} fb_bone_guess;

/* What a name ("R_Femur_final.stl", "femur_r", "hip_l") says; UNKNOWN and 0 if nothing. */
fb_bone_guess fb_bone_by_name(const char *name);
/* What a surface's shape and size (in m) say. */
fb_bone_guess fb_bone_by_shape(const fb_surface *surface);
const char *fb_bone_word(fb_bone_kind kind);

/* A sphere or cylinder fitted to a part of a surface. */
typedef struct fb_bone_fit {
    const char
        *name; /* "hip_center", "knee_axis", "ankle_axis", "subtalar_axis", "elbow_axis" .. */
    double center[3], axis[3]; /* axis unit; 0 for spheres */
    double radius;
    double rms; /* m: of the surface points it was fitted to */
    int n;
} fb_bone_fit;

#define FB_BONE_FITS 8

/* Frame of a bone as anatomy has it: x forward, y up, z to the right, origin in the middle. */
typedef struct fb_bone_frame {
    double axes[9]; /* columns x, y, z in the surface's frame */
    double origin[3];
} fb_bone_frame;

/* Landmarks of a bone of known kind and side, in the surface's frame: adds them to `features` for
 * body `body` under the names of docs/landmarks.md (the field's: "hip_center", "medial_epicondyle",
 * "greater_trochanter" ..). `fits` (FB_BONE_FITS) gets what was fitted; returns how many, -1 with
 * an error in `diag` if the surface is no such bone (that says what did not fit). */
int fb_bone_landmarks(const fb_surface *surface, fb_bone_kind kind, char side, const char *body,
                      fb_bone_frame *frame, fb_features *features, fb_bone_fit *fits,
                      fb_diag *diag);

/* Least-squares sphere, cylinder (start: axis and centre given), and plane. Points n, m. Returns
 * the rms distance; INFINITY if the points do not determine it. */
double fb_fit_sphere(const double (*points)[3], int n, double *center, double *radius);
double fb_fit_cylinder(const double (*points)[3], int n, double *center, double *axis,
                       double *radius);
double fb_fit_plane(const double (*points)[3], int n, double *center, double *normal);
/* Ellipsoid: centre, semi-axes and their directions (columns). */
double fb_fit_ellipsoid(const double (*points)[3], int n, double *center, double *radii,
                        double *axes);

#ifdef __cplusplus
}
#endif
#endif
