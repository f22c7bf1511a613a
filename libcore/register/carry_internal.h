/* What the carry_*.c and mirror.c share; internal to register.
 *
 * Each frame of the model (a body, an offset frame, ground) has a map of its own: from a place in
 * the frame as it was to the same place of the new bone in the frame as it becomes. All that is
 * said in a frame is carried by its frame's map alone. */
#ifndef FB_REGISTER_CARRY_INTERNAL_H
#define FB_REGISTER_CARRY_INTERNAL_H

#include "libcore/base/table.h"
#include "libcore/muscle/path.h"
#include "libcore/register/carry.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What becomes of a field. */
typedef enum fb_carry_rule {
    FB_CARRY_KEEP = 1,       /* neither a place nor a size, or one in ground */
    FB_CARRY_FIBER,          /* a muscle's own: fibers.h */
    FB_CARRY_FRAME,          /* frames and joints: carry_frames.c, carry_joints.c */
    FB_CARRY_MASS,           /* carry_mass.c */
    FB_CARRY_WRAP,           /* carry_wraps.c */
    FB_CARRY_MOVING,         /* functions that give places: carry_joints.c, carry_points.c */
    FB_CARRY_POINT,          /* a place in a frame: by its map */
    FB_CARRY_POSE,           /* the same, and the field after it is its orientation there */
    FB_CARRY_TURNED,         /* that orientation */
    FB_CARRY_DIRECTION,      /* by the map's rotation; mirrored with it */
    FB_CARRY_AXIS,           /* of a rotation or torque: mirrored, it points the other way */
    FB_CARRY_SIZE,           /* by the cube root of the map's volume change */
    FB_CARRY_SIZES,          /* of three along the shape's axes */
    FB_CARRY_COORDINATE,     /* a coordinate's value: if it slides, by its factor */
    FB_CARRY_PER_COORDINATE, /* a rate per coordinate: by the inverse */
    FB_CARRY_RESTING,        /* a length: by the ratio of its path's in the default pose */
    FB_CARRY_GEOMETRY,       /* scale factors of visual geometry */
    FB_CARRY_FORMULA         /* a formula that may hold lengths: left, told */
} fb_carry_rule;

typedef struct fb_carry_row {
    const char *cls, *key; /* cls "*": all that have no row of their own */
    fb_carry_rule rule;
    const char *of;     /* key of the frame, or of the coordinate; NULL: none, or the owner's */
    const char *unless; /* key of a truth: if true, the place is given in ground */
} fb_carry_row;

/* The rule of a field, NULL if there is none. */
const fb_carry_row *fb_carry_row_of(const fb_class *cls, const fb_field *field);
/* True if a field cannot be carried without a rule: it has a place, a size or a mass. */
bool fb_carry_needs_rule(const fb_field *field);

typedef struct fb_carry_frame {
    const fb_element *element;
    int body; /* number of its body in the list; -1: ground */
    fb_pose before, after;
    fb_transform map; /* in the frame */
    double scale;     /* the cube root of its volume change */
    bool same;        /* it leaves every place as it is */
    bool similar;     /* a similarity */
} fb_carry_frame;

/* One side of a joint. */
typedef struct fb_carry_side {
    fb_element *joint;
    const char *key; /* "parent", "child" */
    fb_carry_frame frame;
    const fb_joint_site *site; /* NULL: carried */
} fb_carry_side;

/* Lengths in the default pose before anything is changed. */
typedef struct fb_carry_lengths {
    fb_system *system;
    fb_paths *paths;
    fb_state *state;
    double *length; /* of paths; fb_alloc */
} fb_carry_lengths;

typedef struct fb_carry_job {
    fb_model *model;
    fb_arena scratch;
    fb_transform *bodies; /* of all bodies in the list: in the body's frame */
    fb_table frames;      /* path -> fb_carry_frame */
    fb_table sides;       /* joint's path -> two fb_carry_side */
    fb_table done;        /* elements of lists that have been carried */
    fb_table factors;     /* coordinate's path -> double */
    fb_carry_lengths was; /* system NULL: cannot be computed */
    const fb_body_map *maps;
    int n_maps;
    const fb_carry_options *options;
    fb_carry_report *report;
    fb_diag *diag;
    fb_status status;
    bool uniform; /* a second pass: one scale for all */
    bool changed; /* something is not as it was */
} fb_carry_job;

/* ---- maps (carry_map.c) ---------------------------------------------------------------------- */

/* Sets to zero, and to multiples of the identity, what is so but for rounding. */
void fb_carry_clean(fb_transform *map);
void fb_carry_scaling(fb_transform *map, double scale, bool mirrored);
bool fb_carry_same(const fb_transform *map);
bool fb_carry_similar(const fb_transform *map);
double fb_carry_determinant(const fb_transform *map, const double *p);
/* The orthogonal matrix nearest to the map's derivative; of determinant -1 if it mirrors. */
void fb_carry_orthogonal(const fb_transform *map, const double *p, double *Q);
/* An orientation at a place of the frame; false if it stays. */
bool fb_carry_turn(const fb_transform *map, const double *p, const double *R, double *out);
/* The same for angles. */
bool fb_carry_turn_xyz(const fb_transform *map, const double *p, double *angles);
void fb_carry_to_xyz(const double *R, double *angles);
/* How much the map stretches along a direction at a place, in its own axes (rotation taken out). */
double fb_carry_stretch(const fb_transform *map, const double *p, const double *direction);
/* Fills scale, same, similar from the map. */
void fb_carry_frame_finish(fb_carry_frame *frame);
/* The map in a frame: after^-1 map before. */
void fb_carry_frame_map(fb_carry_job *job, fb_carry_frame *frame, const fb_transform *map);

/* ---- frames and joints ----------------------------------------------------------------------- */

void fb_carry_frames(fb_carry_job *job);
/* NULL with a record if there is none. */
const fb_carry_frame *fb_carry_frame_of(fb_carry_job *job, const fb_element *frame);
/* A new offset frame of an owner's (a joint, a body), placed in a body or ground. */
fb_element *fb_carry_add_frame(fb_carry_job *job, const fb_element *owner, const fb_element *parent,
                               const char *name, const fb_pose *pose);
void fb_carry_geometry(fb_carry_job *job);
/* The geometry of one frame by a map. */
void fb_carry_geometry_of(fb_carry_job *job, fb_element *element, const fb_carry_frame *frame);
void fb_carry_joints(fb_carry_job *job);
/* A joint both of whose frames are mirrored. */
void fb_carry_mirror_joint(fb_carry_job *job, fb_element *joint);
double fb_carry_factor(fb_carry_job *job, const fb_element *coordinate);

/* ---- functions (carry_functions.c) ----------------------------------------------------------- */

/* f becomes k f + c; makes a constant of c if there is none. */
void fb_carry_affine(fb_model *model, fb_element *owner, fb_value *slot, double k, double c);
/* f(x_1, .., x_n) becomes f(x_1 / c_1, ..); false if that cannot be said. */
bool fb_carry_arguments(fb_model *model, fb_element *owner, fb_value *slot, const double *c, int n);
/* Three functions of place along axes (rows), and what they depend on (NULL: nothing), mapped by a
 * linear or other map. False if only approximately. */
bool fb_carry_place(fb_carry_job *job, fb_element *const *owners, fb_value *const *slots,
                    const fb_element *const *coordinates, const double *from, const double *to,
                    const fb_transform *map);

/* ---- all else -------------------------------------------------------------------------------- */

/* Applies the rules of an element's fields, and of those that it owns. */
void fb_carry_element(fb_carry_job *job, fb_element *element);
void fb_carry_moving_point(fb_carry_job *job, fb_element *point);
void fb_carry_function_path(fb_carry_job *job, fb_element *path);
void fb_carry_points(fb_carry_job *job);
void fb_carry_resting(fb_carry_job *job);
void fb_carry_wraps(fb_carry_job *job);
void fb_carry_wrap(fb_carry_job *job, fb_element *wrap);
/* One body's mass times k, its centre and inertia by a map. */
void fb_carry_mass_of(fb_carry_job *job, fb_element *body, const fb_transform *map, double k);
void fb_carry_masses(fb_carry_job *job, double mass);
/* Extent of the bones, and of the markers where there are none, against gravity in the default
 * pose; 0 if there is nothing. */
double fb_carry_height(fb_carry_job *job);

/* Signed distance of a point of a body from its bone, before and after; nan if there is none. */
double fb_carry_bone_before(const fb_carry_job *job, int body, const double *p);
double fb_carry_bone_after(const fb_carry_job *job, int body, const double *p, double *nearest,
                           double *normal);

/* Numbers of a field; false if it has not so many. */
bool fb_carry_set(fb_carry_job *job, fb_element *element, const char *key, const double *x, int n);
void fb_carry_tell(fb_carry_job *job, fb_action action, const fb_element *element,
                   const char *format, ...) __attribute__((format(printf, 4, 5)));
void fb_carry_note(fb_carry_job *job, const fb_carried *item);
bool fb_lengths_begin(fb_carry_lengths *lengths, const fb_model *model);
void fb_lengths_end(fb_carry_lengths *lengths);

#ifdef __cplusplus
}
#endif
#endif
