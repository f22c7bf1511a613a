/* The parts of retarget. */
#ifndef FB_TOOLS_RETARGET_H
#define FB_TOOLS_RETARGET_H

#include "formats/skeleton.h"
#include "formats/transforms.h"
#include "libcore/register/align.h"
#include "libcore/register/carry.h"
#include "libcore/register/fibers.h"
#include "libcore/base/number.h"
#include "libcore/register/landmarks.h"
#include "libcore/register/pose.h"
#include "tools/cli.h"

/* What a body of the standard becomes, and how that was found. */
typedef struct fb_retarget_body {
    const fb_element *element;
    const fb_skeleton_bone *standard, *target; /* NULL: no mesh */
    fb_bone_guess guess;                       /* what bone it is, and which side */
    /* pairs of feature points: n of them, in the run's arena */
    const char **names;
    double (*from)[3], (*to)[3], *weight, *left_out;
    double *each; /* m: their distances after the map; left_out: after a map made without each */
    size_t n, capacity;
    bool placed;    /* it has a map */
    bool waits;     /* it is to be placed after its neighbours */
    bool doubtful;  /* its bone fits in two ways */
    bool fell_back; /* it has a poorer one than was asked for */
    fb_transform map;
    fb_transform similar; /* the best similarity, which gives the frame; scale 0: none */
    fb_pose frame;        /* the new body's frame in the target's */
    fb_spread spread;
    double rms;            /* m: of the pairs' distances after the map; nan: none */
    double similarity_rms; /* m: after the best similarity; nan: none */
    bool aligned;          /* by whole surfaces: `surfaces` tells how well */
    fb_align_result surfaces;
    double similarity_surfaces; /* m: mean distance of the surfaces after the best similarity */
    fb_bone_fit fits[2][FB_BONE_FITS]; /* of the standard's bone and of the new one */
    int n_fits[2];
} fb_retarget_body;

/* A standard body and what becomes of it. */
typedef struct fb_retarget_standard {
    const char *file;
    char sha[65];
    fb_model *model;    /* changed to the new skeleton in the end */
    fb_model *original; /* the same, unchanged */
    fb_skeleton bones;
    fb_features features;
    fb_retarget_body *bodies; /* in the order of the model's list */
    int n_bodies;
    fb_joint_site *sites;
    int n_sites;
} fb_retarget_standard;

typedef struct fb_retarget {
    fb_cli *cli;
    fb_arena arena;
    size_t max_bytes;
    const char *folders[64];
    int n_folders;
    fb_skeleton skeleton;
    fb_model *skeleton_model; /* NULL: a folder of meshes */
    fb_features target;
    fb_pairs pairs;
    fb_transforms given; /* --params-in */
    bool any_pairs, any_given, automatic;
    bool default_kind; /* --transform was not given */
    fb_transform_kind kind;
    fb_transform_options fit;
    fb_unit unit; /* of the meshes */
    fb_slicer_mesh slicer;
    bool fallback, fix, mirror;
    fb_retarget_standard *standards;
    int n_standards;
    fb_retarget_standard *standard; /* the one that was taken */
    const char *why_standard;       /* NULL: there was no choice */
    fb_carry_report carried;
    fb_fiber_report fibers;
    fb_scan_fit scan;  /* the pose in which a scan lay; no coordinates: not known */
    int step, n_steps; /* how far it is: which body of how many */
} fb_retarget;

/* Shows on a terminal how far it is: a part, 0 to 1, of the step it is at. */
void fb_retarget_progress(fb_retarget *r, double part);

/* The element of the model that is changed, for one of the original in the same list. */
const fb_element *fb_retarget_same(const fb_retarget_standard *standard, const char *list,
                                   const fb_element *element);

/* ---- retarget_meshes.c ---- */

/* Which mesh was taken for which body, where that is a guess, and what is wrong with surfaces. */
void fb_retarget_tell_bones(fb_retarget *r);
/* Mirrors the new skeleton's bones in x, as --mirror asks. */
fb_status fb_retarget_mirror(fb_retarget *r);
/* The same for its feature points: those on bodies that no bone has get the other side's name. */
fb_status fb_retarget_mirror_points(fb_retarget *r);
/* The meshes that the new model's bodies get, in the run's arena; returns how many. */
int fb_retarget_meshes(fb_retarget *r, fb_new_mesh **meshes);
/* The file that --meshes-out makes of a body's bone, within its folder. */
const char *fb_retarget_mesh_name(fb_retarget *r, const fb_retarget_body *body);

/* ---- retarget_bodies.c ---- */

/* Finds the map of each body of a standard that pairs, parameters or surfaces tell. */
fb_status fb_retarget_maps(fb_retarget *r, fb_retarget_standard *standard);
/* All pairs that were used, as feature points of both skeletons. */
void fb_retarget_all_pairs(const fb_retarget_standard *standard, fb_pairs *pairs);

/* Whether a map leaves every point where it is in the new body's frame. */
bool fb_retarget_is_identity(const fb_retarget_body *body);

/* ---- retarget_joints.c ---- */

#define FB_RETARGET_CENTERS 8

/* Centres of ball joints on a body, in the
 * standard's body and on the new bone (FB_RETARGET_CENTERS at most): where the new skeleton is a
 * model that of its joint, else of the sphere that was fitted. Returns how many. After landmarks of
 * all bodies were found. */
int fb_retarget_centers(const fb_retarget *r, const fb_retarget_standard *standard,
                        const fb_retarget_body *body, double (*from)[3], double (*to)[3]);
/* Joints whose centre or axis was fitted on the new bones. */
fb_status fb_retarget_joints(fb_retarget *r, fb_retarget_standard *standard);

/* ---- retarget_write.c ---- */

bool fb_retarget_is_folder(const char *file);
/* Writes all that was asked for, the model last. */
fb_status fb_retarget_write(fb_retarget *r);

/* ---- retarget_report.c ---- */

/* What was done, for people: a row for each body, and what else they should know. */
void fb_retarget_print(const fb_retarget *r, fb_text *out);
/* The whole report as JSON. */
void fb_retarget_json(const fb_retarget *r, fb_text *out);
/* Whether a muscle's moment arms changed so much that it is told. */
bool fb_retarget_arm_is_told(const fb_fiber_change *change);
/* "origin" .. of fb_carried's `what`. */
const char *fb_retarget_place_word(char what);
/* A coordinate of the scan's pose as people read it, and its unit: degrees or millimetres; "" where
 * it is neither an angle nor a distance. */
double fb_retarget_pose_value(const fb_scan_coordinate *coordinate, const char **unit);
/* The greatest residual of a body, m: of its surfaces, and of points that a person gave. */
double fb_retarget_worst(const fb_retarget *r);

/* ---- retarget_page.c ---- */

/* The report as a page with a picture (PNG bytes; NULL: none). */
void fb_retarget_html(const fb_retarget *r, const fb_text *picture, fb_text *out);

/* ---- retarget_preview.c ---- */

/* Standard and new skeleton side by side, with muscles, feature points and arrows of their
 * residuals, as PNG; false with a message if it cannot be drawn. */
bool fb_retarget_preview(const fb_retarget *r, fb_text *out);

#endif
