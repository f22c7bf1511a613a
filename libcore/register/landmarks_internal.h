/* What the files landmarks*.c share. */
#ifndef FB_REGISTER_LANDMARKS_INTERNAL_H
#define FB_REGISTER_LANDMARKS_INTERNAL_H

#include <stdbool.h>

#include "libcore/register/landmarks.h"
#include "libcore/register/transform.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A bone at work. Directions of `axes` are the surface's frame's; lengths are m. */
typedef struct fb_bone_work {
    const fb_surface *surface;
    const char *body;
    fb_features *features; /* NULL: only the side is sought */
    fb_bone_fit *fits;
    int n_fits;
    char side;   /* as asked for; 0: any */
    char found;  /* the side that the shape has; 0: not known */
    double sure; /* how sure `found` is: 1 not at all, 2 and more well */
    fb_bone_frame frame;
    double x[3], y[3], z[3];         /* forward, up, right: what is known of them so far */
    double size;                     /* length along the longest principal axis */
    double axes[9], low[3], high[3]; /* principal axes (rows) and the extent along them */
    const char *failure;             /* why it is no such bone */
    int *list;                       /* room for all vertices, for selections */
    int *kept;                       /* another */
    double (*points)[3];
    double (*normals)[3]; /* of the vertices, smoothed */
    int *piece;           /* number of the connected piece of each vertex; 0 is the greatest */
    int n_pieces;
    int only; /* the piece that is looked at; -1: all */
} fb_bone_work;

/* What each kind of bone has: false with `failure` set if the surface is no such bone. */
bool fb_femur_landmarks(fb_bone_work *work);
bool fb_tibia_landmarks(fb_bone_work *work);
bool fb_pelvis_landmarks(fb_bone_work *work);
bool fb_hemipelvis_landmarks(fb_bone_work *work);
bool fb_talus_landmarks(fb_bone_work *work);
bool fb_foot_landmarks(fb_bone_work *work);
bool fb_humerus_landmarks(fb_bone_work *work);
bool fb_ulna_landmarks(fb_bone_work *work);
bool fb_radius_landmarks(fb_bone_work *work);

/* The side that a bone's shape has: 'r', 'l', or 0; `sure` as in fb_bone_work. 1: its landmarks are
 * found, 0: not, -1: landmarks of such bones are not sought. */
int fb_bone_side(const fb_surface *surface, fb_bone_kind kind, char *side, double *sure);

/* ---- landmarks_find.c: tools for them ------------------------------------------------------- */

/* Part of space: points p with low <= (p - origin) . axis_k <= high for up to 3 axes, and a
 * direction that their normals must not be far from. */
typedef struct fb_bone_region {
    double origin[3];
    int n;
    double axis[3][3], low[3], high[3];
    bool facing;
    double normal[3], cosine; /* normals with n . normal >= cosine */
} fb_bone_region;

void fb_region_start(fb_bone_region *region, const double *origin);
void fb_region_limit(fb_bone_region *region, const double *axis, double low, double high);
void fb_region_face(fb_bone_region *region, const double *normal, double cosine);
bool fb_region_has(const fb_bone_region *region, const double *point, const double *normal);
/* Vertices of the region (NULL: all) into work->list; how many. */
int fb_region_vertices(fb_bone_work *work, const fb_bone_region *region);
/* The extreme place along a direction: the mean of the vertices within `depth` of the farthest
 * and near it, put on the surface; steadier than the farthest vertex. False: the region is empty.
 */
bool fb_bone_extreme(fb_bone_work *work, const fb_bone_region *region, const double *direction,
                     double *point);
/* Mean place (by area) of the region; false: it is empty. */
bool fb_bone_mean(fb_bone_work *work, const fb_bone_region *region, double *point);
/* Range of the vertices of a region along a direction from an origin; false: none. */
bool fb_bone_range(fb_bone_work *work, const fb_bone_region *region, const double *origin,
                   const double *direction, double *low, double *high);
/* Centre (of the surface's area) of a slice across a direction at height h +- half, of those faces'
 * corners; `spread`: standard deviations along u and v (may be NULL). 0: too few vertices. */
int fb_bone_slice(fb_bone_work *work, const double *origin, const double *axis, double height,
                  double half, const double *u, const double *v, double *center, double *spread);
/* Centre of the closed outline where a plane cuts the surface (mean of area, not of the line), and
 * the area and second moments (uu, vv, uv) of it; false: the plane cuts nothing closed. Several
 * outlines count together. */
bool fb_bone_section(const fb_bone_work *work, const double *origin, const double *axis,
                     double height, const double *u, const double *v, double *center, double *area,
                     double *moments);

/* A sphere or cylinder found in a surface. */
typedef struct fb_bone_ball {
    double center[3], axis[3], radius, rms;
    double cover; /* part of the whole sphere (of cylinders: area in units of radius^2) */
    int n;
} fb_bone_ball;

/* The sphere, convex (sign 1) or hollow (-1), with radius within the range that the largest part
 * of itself lies on the surface, of vertices list[n]; refitted to them. False: none with `cover`.
 */
bool fb_find_sphere(fb_bone_work *work, const int *list, int n, double low, double high, int sign,
                    double cover, fb_bone_ball *ball);
bool fb_refit_sphere(fb_bone_work *work, const int *list, int n, int sign, double tolerance,
                     fb_bone_ball *ball);
/* Whether a vertex lies on a cylinder: near it, and its normal points away from the axis. */
bool fb_on_cylinder(const fb_bone_work *work, int i, const fb_bone_ball *ball, int sign,
                    double tolerance);
/* Refits a cylinder to those vertices near it whose normals point away from its axis. */
bool fb_refit_cylinder(fb_bone_work *work, const int *list, int n, int sign, double tolerance,
                       fb_bone_ball *ball);
/* Where along its axis the surface on it begins and ends, but for 3 % of its area on each side. */
void fb_cylinder_ends(fb_bone_work *work, const int *list, int n, const fb_bone_ball *ball,
                      double tolerance, double *low, double *high);
/* The cylinder with the largest area on the surface, of those whose axis is near a direction: at
 * least `cosine`. */
bool fb_find_cylinder(fb_bone_work *work, const int *list, int n, double low, double high,
                      const double *near, double cosine, fb_bone_ball *ball);

void fb_bone_add(fb_bone_work *work, const char *name, const double *point);
void fb_bone_add_fit(fb_bone_work *work, const char *name, const fb_bone_ball *ball, bool axis);
/* Sets z from x, y of the side (a left bone's z points to its middle): and the frame. */
void fb_bone_set_frame(fb_bone_work *work, const double *origin);
/* `lateral` points away from the body's middle; with y and x (forward) it says the side. */
void fb_bone_judge_side(fb_bone_work *work, const double *lateral, double sure);

/* Two unit vectors across a unit axis: u, v, axis right-handed. */
void fb_across(const double *axis, double *u, double *v);
/* Takes the part along a unit axis out of a vector and makes it a unit vector. */
void fb_make_across(double *vector, const double *axis);

#ifdef __cplusplus
}
#endif
#endif
