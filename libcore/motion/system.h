/* A model compiled for mechanics: bodies and joints as a tree, constraints as equations.
 *
 * Bodies are numbered in tree order, ground being 0 and every parent before its children;
 * generalised coordinates q and speeds u (n_q of each) in the same order. As in OpenSim, q of ball,
 * free, ellipsoid and scapulothoracic joints are body-fixed XYZ angles, but their speeds u are
 * angular velocities in the parent joint frame; everywhere else u is the derivative of q.
 *
 * Spatial quantities are taken at the ground's origin, in ground axes, angular part first: a motion
 * is (w, v) with v the velocity of the body's point that is at the origin. (R. Featherstone, Rigid
 * Body Dynamics Algorithms, 2008; there with body frames.) */
#ifndef FB_MOTION_SYSTEM_H
#define FB_MOTION_SYSTEM_H

#include "libcore/base/scratch.h"
#include "libcore/base/spatial.h"
#include "libcore/motion/function.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum fb_joint_kind {
    FB_JOINT_AXES, /* up to six axes with functions: pin, slider, planar, universal, gimbal, custom,
                      weld */
    FB_JOINT_BALL, /* ball and free: u = angular velocity in the parent frame, then velocity */
    FB_JOINT_FREE,
    FB_JOINT_ELLIPSOID,
    FB_JOINT_SCAPULOTHORACIC,
    FB_JOINT_BEAM, /* cantilever free beam */
    FB_JOINT_ARC   /* constant curvature */
} fb_joint_kind;

/* One axis of FB_JOINT_AXES: a direction in the parent frame before the joint moves, and its angle
 * or distance as a function of coordinates of the joint. */
typedef struct fb_axis {
    double direction[3]; /* unit */
    int n;               /* arguments of the function */
    int argument[6];     /* slots among the joint's coordinates */
    bool direct;         /* the function is the coordinate itself */
    int slot;            /* which of the joint's three rotations or translations it is */
    int along;           /* the direction is that of x, y or z: 0 to 2, or -1 */
    int at;              /* its place among the state's numbers of axes: see joints.h */
    bool constant;       /* it does not depend on any */
    double value;        /* then its value */
    fb_function function;
} fb_axis;

typedef struct fb_mobod {
    int parent;    /* inboard body */
    int level;     /* joints between it and ground */
    int copy_of;   /* the body of which this is a copy, made to cut a loop; or -1 */
    bool reversed; /* the joint's own parent is this body, and its child the inboard one */
    fb_joint_kind kind;
    int q; /* first coordinate */
    int n_q;
    fb_axis *axes; /* FB_JOINT_AXES: n_rotations, then n_translations of them */
    int n_rotations, n_translations;
    double parameters[8];  /* radii, lengths, angles: see compile_joint */
    bool as_opensim4;      /* velocity terms as OpenSim 4 has them: see joints.c, joint_arc.c */
    fb_pose parent_frame;  /* the joint's parent frame in its body */
    fb_pose child_frame;   /* the joint's child frame in its body */
    fb_pose inner_inverse; /* inverse of the frame that is on this body */
    double mass;           /* kg */
    double center[3];      /* of mass, in the body */
    double inertia[9];     /* about the centre of mass, body axes, kg m^2 */
    const fb_element *body, *joint; /* joint NULL: a free joint that the model lacks */
    const char *path;               /* the body's component path; of a copy, as in OpenSim */
} fb_mobod;

/* Where a body hangs, and its coordinates q .. end - 1; apart, so that walks to the root are fast.
 */
typedef struct fb_branch {
    int parent, q, end;
} fb_branch;

typedef struct fb_coordinate {
    const fb_element *element; /* NULL for those of a joint that the model lacks */
    const char *path;          /* component path; of those, the one that OpenSim gives them */
    int mobod, slot;
    bool locked, prescribed, clamped;
    bool follows; /* assembly moves it before others: a coupler's dependent, or free to */
    double initial, initial_speed, range[2];
    fb_function prescribed_function;
} fb_coordinate;

typedef enum fb_constraint_kind {
    FB_CONSTRAINT_COUPLER,  /* scale f(q_independent) - q_dependent = 0 */
    FB_CONSTRAINT_POINT,    /* 3 equations */
    FB_CONSTRAINT_DISTANCE, /* 1 */
    FB_CONSTRAINT_LINE,     /* 2 */
    FB_CONSTRAINT_WELD,     /* 6 */
    FB_CONSTRAINT_FIXED     /* q is what it is: locked or prescribed */
} fb_constraint_kind;

typedef struct fb_constraint {
    fb_constraint_kind kind;
    const fb_element *element;
    int n_rows, row;
    int body[2];
    fb_pose frame[2];       /* in the bodies: points are their origins */
    double direction[2][3]; /* line: two unit vectors across it, in body 0 */
    double distance;
    int coordinate; /* coupler: the dependent; fixed: the one */
    int n_independent, independent[FB_MAX_ARGUMENTS];
    double scale;
    fb_function function;
} fb_constraint;

typedef struct fb_system {
    const fb_model *model;
    fb_arena arena;
    fb_mobod *mobods;    /* n_body; 0 is ground */
    fb_branch *branches; /* n_body: the same tree */
    int n_body;
    fb_coordinate *coordinates; /* n_q */
    int n_q;
    int *file_order;            /* n_q: coordinates in the order of the model's joints */
    fb_constraint *constraints; /* those that act */
    int n_constraint, n_row;
    struct fb_reduction *reduction; /* see reduce.h */
    int n_axis_numbers;             /* that a state needs for all axes */
    double gravity[3];
    double total_mass;
    int n_kept;    /* joints and constraints of classes that are not known: poses lack them */
    int n_skipped; /* constraints and motions that would act but are not computed */
} fb_system;

typedef struct fb_system_options {
    bool as_opensim4; /* reproduce OpenSim 4.5.2 where it is known to be wrong (docs/theory.md) */
} fb_system_options;

/* Compiles a linked model, which must live as long. FB_E_INPUT (it has no mechanics: joints in a
 * circle of frames, functions that cannot be evaluated) or FB_E_MEMORY with an error in `diag`.
 * Loops of joints are cut: the joint that closes a loop moves a copy of its child, welded to the
 * child, which shares its mass (docs/theory.md). Joints and constraints that are left out add a
 * warning FB2308, and count in n_kept or n_skipped. */
fb_status fb_system_compile(fb_system **system, const fb_model *model,
                            const fb_system_options *options, fb_diag *diag);
/* Takes NULL. */
void fb_system_free(fb_system *system);

/* The number of a coordinate, a body (through its offset frames), or -1. For bodies `pose`, unless
 * NULL, gets the frame's place in the body. */
int fb_system_coordinate(const fb_system *system, const fb_element *coordinate);
int fb_system_body(const fb_system *system, const fb_element *frame, fb_pose *pose);
/* A frame's place in its base body, stations included; false if it has none. */
bool fb_frame_pose(const fb_element *frame, fb_pose *pose, const fb_element **base);
/* The same as OpenSim 4 has it from a document of a version (0: none). Before 30505 offsets were
 * numbers of a joint, constraint or bushing; OpenSim makes frames of them through text with six
 * digits. */
bool fb_frame_pose_opensim4(const fb_element *frame, int version, fb_pose *pose,
                            const fb_element **base);

/* A body's mass, first and second moments about the ground's origin, in ground axes. */
typedef struct fb_moments {
    double mass, first[3], second[9]; /* kg, kg m, kg m^2 (the inertia) */
} fb_moments;

/* What depends on q only, or on q and u. Arrays are the state's own. */
typedef struct fb_state {
    const fb_system *system;
    double time;   /* s: of prescribed coordinates */
    double *q, *u; /* n_q */
    double *qdot;  /* n_q */
    /* positions */
    fb_pose *pose;        /* n_body: body frames in ground */
    double (*S)[6];       /* n_q: motion of each unit speed, at the ground's origin */
    double (*center)[3];  /* n_body: centres of mass in ground */
    double (*inertia)[9]; /* n_body: central inertia in ground axes */
    fb_moments *moments;  /* n_body */
    fb_pose *frame;       /* n_body: the joint's parent frame in ground */
    fb_pose *moved;       /* n_body: the joint's child frame in ground */
    double *axes;         /* what the joints' axes do: see joints.h */
    /* velocities */
    double (*V)[6];  /* n_body: spatial velocity */
    double (*A0)[6]; /* n_body: spatial acceleration with udot = 0 */
    /* working memory: of dynamics; of constraints and of all that has no fixed size */
    fb_moments *composite;              /* n_body */
    double (*carried)[6], (*acting)[6]; /* n_body */
    double (*passed)[6];                /* n_body */
    fb_scratch *scratch;
    void *block;
} fb_state;

/* A state at the defaults; the system must live as long. NULL when memory runs out. */
fb_state *fb_state_new(const fb_system *system);
/* Takes NULL. */
void fb_state_free(fb_state *state);
/* Sets q to the defaults and u to zero. */
void fb_state_defaults(fb_state *state);
/* Computes what depends on q; on q and u (positions first). No allocation. */
void fb_state_position(fb_state *state);
void fb_state_velocity(fb_state *state);

/* Velocity of a point given in a body's frame, in ground. */
void fb_point_velocity(double *v, const fb_state *state, int body, const double *point_ground);

/* ---- dynamics ------------------------------------------------------------------------------- */

/* The mass matrix, n_q x n_q, both triangles. After fb_state_position. */
void fb_mass_matrix(const fb_state *state, double *M);
/* Generalised forces tau that give accelerations udot under gravity and, unless NULL, external
 * spatial forces per body (moment about the ground's origin, force; n_body x 6). After
 * fb_state_velocity. */
void fb_inverse_dynamics(const fb_state *state, const double *udot, double (*external)[6],
                         double *tau);
/* Adds S^T f for forces on bodies to generalised forces. */
void fb_project_forces(const fb_state *state, double (*forces)[6], double *tau);
/* Whole-body centre of mass, its velocity (either may be NULL); kinetic energy. */
void fb_center_of_mass(const fb_state *state, double *center, double *velocity);
double fb_kinetic_energy(const fb_state *state);

/* ---- constraints ---------------------------------------------------------------------------- */

/* Constraint errors (n_row), and their Jacobian with respect to u (n_row x n_q); G may be NULL. */
void fb_constraint_position(const fb_state *state, double *error, double *G);
/* The part of the errors' second derivatives that does not depend on udot: G udot + bias = 0. */
void fb_constraint_bias(const fb_state *state, double *bias);
/* Adds to a row over u what a factor on a coordinate's derivative is: factor at its own place where
 * speeds are derivatives, a row of N times factor elsewhere. */
void fb_add_coordinate_row(const fb_state *state, double *row, int coordinate, double factor);
/* Moves q so that errors vanish to `tolerance`; locked coordinates stay. Coordinates that follow
 * are moved alone if that is enough, as in OpenSim; else all. FB_E_NUMERIC if it cannot. */
fb_status fb_assemble(fb_state *state, double tolerance);
/* The same, but n_held coordinates keep their values; for joints whose speeds are derivatives. */
fb_status fb_assemble_held(fb_state *state, const int *held, int n_held, double tolerance);
/* Changes u by as little as possible so that constraints hold at velocity level: speeds of
 * coordinates that follow alone if that is enough. */
void fb_project_velocity(fb_state *state);
/* How all speeds move with one: u for a unit speed of a coordinate, the others as little as
 * constraints allow (n_q numbers; zero if it cannot move). A locked coordinate counts as free here.
 */
void fb_coordinate_coupling(fb_state *state, int coordinate, double *u);
/* The same for all coordinates, row by row (n_q x n_q), which is much faster. */
void fb_coordinate_couplings(fb_state *state, double *U);
/* How all coordinates move with one: dq for a unit rate of a coordinate (n_q numbers). Those that
 * couplers make dependent follow and all others are held; where that cannot be (a loop of bodies,
 * or a coordinate that itself depends on another) all move as little as constraints allow. False,
 * and zeros, if it cannot move. A locked or prescribed coordinate counts as free here, but only for
 * its own motion. After fb_state_position. */
bool fb_coordinate_follow(fb_state *state, int coordinate, double *dq);
/* Turns generalised forces on speeds u, as they are everywhere here, into those on coordinates q
 * (n_q, in place): the work for a unit of q. They differ in joints whose speeds are angular
 * velocities. */
void fb_coordinate_forces(const fb_state *state, double *forces);
/* Accelerations under generalised forces tau (gravity and velocity terms are added here) with
 * constraints; FB_E_NUMERIC if the mass matrix is singular where it must not be. No allocation,
 * unless constraints are redundant. */
fb_status fb_forward_dynamics(fb_state *state, const double *tau, double *udot);

#ifdef __cplusplus
}
#endif
#endif
