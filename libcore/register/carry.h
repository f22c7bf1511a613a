/* A model carried onto another skeleton: every number that has a place or a size, by the maps of
 * its bodies. */
#ifndef FB_REGISTER_CARRY_H
#define FB_REGISTER_CARRY_H

#include "libcore/model/model.h"
#include "libcore/motion/system.h"
#include "libcore/register/feature.h"
#include "libcore/register/surface.h"
#include "libcore/register/transform.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What becomes of one body. The body's new frame is where the standard's goes: a point p of the
 * standard body is at frame^-1 map(p) in the new one. Where the new skeleton is a model, or a scan
 * whose bones all have one frame, "target's frame" is that of the body's mesh there. */
typedef struct fb_body_map {
    const fb_element *body; /* of the model that is carried */
    fb_transform map;       /* the standard body's frame -> the target's frame of that body */
    fb_pose frame;          /* the new body frame in the target's frame */
    const fb_surface *from; /* the standard's bone in the body's frame; NULL: none */
    const fb_surface *to;   /* the new bone in the target's frame; NULL: none */
    bool given;             /* false: nobody said what it becomes; scaled as its neighbour */
    bool identity;          /* the map leaves every point where it is: nothing may change */
} fb_body_map;

/* A joint's centre (and axis, 0: none) that was fitted on the new bones, in the target's frame of
 * its parent and its child body. */
typedef struct fb_joint_site {
    const fb_element *joint;
    bool in_parent, in_child; /* which were fitted; the other is carried */
    double parent[3], child[3];
    double axis_parent[3], axis_child[3];
} fb_joint_site;

/* A mesh of the new skeleton that a body gets in place of its own. */
typedef struct fb_new_mesh {
    const fb_element *body;
    const char *file;  /* as it is to be named in the model */
    double scale[3];   /* file's units to m; a negative one mirrors */
    fb_pose in_target; /* the mesh's frame in the target's frame of the body */
} fb_new_mesh;

typedef struct fb_carry_options {
    const fb_joint_site *sites;
    int n_sites;
    const fb_new_mesh *meshes;
    int n_meshes;
    bool snap_via;             /* via points inside bones are moved too */
    double depth;              /* m: how deep in the bone an end may be; 0: 1e-3 */
    double mass;               /* kg: of all bodies; 0: masses go with volume; nan: are kept */
    double height;             /* m: see fb_carry; 0: as it comes */
    const fb_features *target; /* become markers of the same names; NULL: none */
} fb_carry_options;

/* What was done to one place. */
typedef struct fb_carried {
    const fb_element *element; /* path point, wrap object, marker, joint .. of the new model */
    const fb_element *owner;   /* the muscle */
    char what;        /* 'o' origin, 'i' insertion, 'v' via, 'w' wrap, 'm' marker, 'j' joint */
    double moved;     /* m: from where plain scaling of the body would have put it */
    double to_bone;   /* m: signed distance to the new bone, at last; nan: no bone */
    double before;    /* m: the same in the standard */
    bool snapped;     /* it was put on the surface */
    const char *note; /* what else: "no longer wraps" ..; or NULL */
} fb_carried;

typedef struct fb_carry_report {
    fb_arena arena;
    fb_carried *items;
    size_t n, capacity;
    double scale; /* by which all was scaled at last to meet the height; 1 */
} fb_carry_report;

/* Changes `model` (linked, nobody else reads it meanwhile) to the new skeleton. `standard` is the
 * same model, read again, unchanged, for comparison. maps: one for each body of the model, in its
 * list's order. What cannot be carried is recorded in `diag` with its class and path, never passed
 * over. If a height is asked for, all is scaled at last by one factor such that the new bones (or,
 * if there are none, the markers) extend as far against gravity in the default pose. FB_E_INPUT,
 * FB_E_NUMERIC, FB_E_MEMORY; then the model must not be used. */
fb_status fb_carry(fb_model *model, const fb_model *standard, const fb_body_map *maps, int n_maps,
                   const fb_carry_options *options, fb_carry_report *report, fb_diag *diag);
void fb_carry_report_free(fb_carry_report *report);

#ifdef __cplusplus
}
#endif
#endif
