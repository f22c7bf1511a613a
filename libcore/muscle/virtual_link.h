/* Virtual links: massless points in equilibrium under the wires that meet at them, such as the
 * place where the heads of the quadriceps become one tendon.
 *
 * A wire is a path with a point at a link, together with the muscle, ligament, spring or actuator
 * that owns it. With bodies held, each wire of length L pulls with a tension T(L), which makes it
 * a spring with the energy E(L), the integral of T. The places p of all links that wires connect
 * are a stationary point of the sum of these energies:
 *
 *     F(p) = sum over wires of T(L(p)) dL/dp = 0.
 *
 * It is found by Newton's method on F, with the energy's slope along each step kept from turning
 * (docs/theory.md). dL/dp is exact; second derivatives of L, and dT/dL, are central differences,
 * on which the way to the equilibrium depends but not the equilibrium.
 *
 * Source of the idea: Japanese patent application JP2004-013474, "virtual links". */
#ifndef FB_MUSCLE_VIRTUAL_LINK_H
#define FB_MUSCLE_VIRTUAL_LINK_H

#include "libcore/muscle/force.h"
#include "libcore/muscle/muscle.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fb_wire {
    int path;
    int muscle;            /* number of the muscle that pulls, or -1 */
    const fb_force *force; /* the force that pulls, or NULL; with neither it is slack */
    int group;             /* of the links that it meets */
    double *gradient;      /* dL/dp of the group's links, 3 for each */
    double length, speed;  /* m, m/s */
    double tension;        /* N */
    double stiffness;      /* dT/dL, N/m */
} fb_wire;

typedef struct fb_link {
    const fb_element *element;
    int body;           /* in which it begins */
    double begin[3];    /* there */
    double last[3];     /* the last equilibrium, in that body: where the search begins */
    int group, slot;    /* its group of links that wires connect, and its number in that */
    double residual;    /* N: size of the sum of all tensions */
    bool slack;         /* no wire pulls: it stays near where it begins */
    bool failed;        /* no equilibrium was found */
    int wires, n_wires; /* of links->at: numbers of the wires that meet here */
} fb_link;

typedef struct fb_links {
    const fb_paths *paths;
    const fb_muscles *muscles;
    const fb_forces *forces;
    fb_arena arena;
    fb_link *links; /* in the model's order */
    int n;
    fb_wire *wires;
    int n_wires, *at;
    /* options, which the caller may set */
    bool fibers_held;                /* fiber lengths are given, else muscles are in equilibrium: */
    fb_equilibrium how;              /* FB_EQUILIBRIUM_STATIC at first */
    const double *controls, *states; /* as in fb_forces_apply; NULL at first */
    /* results, and what follows from them */
    double (*place)[3], (*velocity)[3]; /* n: in ground */
    int n_failed;
    /* scratch: m = 3 times the links of the largest group */
    fb_course course;
    double (*rest)[3];                              /* n: zero velocities */
    double *force;                                  /* m */
    double *step, *from, *hessian, *factor, *shift; /* m, m, m x m, m x m, m x (2 n_q + 1) */
    const double *activation;
    const fb_muscle_point *points;
    const fb_state *state;
    bool moving; /* tensions at the wires' speeds, not at rest */
} fb_links;

/* Compiles the virtual links of a model; *links is NULL if it has none. All arguments must live as
 * long; muscles that pull at a link become `exact`. FB_E_INPUT (a link begins nowhere) or
 * FB_E_MEMORY with an error in `diag`. */
fb_status fb_links_compile(fb_links **links, const fb_paths *paths, fb_muscles *muscles,
                           const fb_forces *forces, fb_diag *diag);
/* Takes NULL. */
void fb_links_free(fb_links *links);

/* Puts all links into equilibrium in a pose, after fb_state_velocity: place, velocity, and the
 * wires' lengths, speeds and tensions. `activation` and `points` (whose fiber lengths are read if
 * fibers_held) are those of the muscles. The search begins at the last equilibrium, carried along
 * by the body in which the link begins.
 *
 * Velocities are those with which the equilibrium at rest moves on. Where wires have speeds, the
 * places are then found anew with the tensions at these speeds, so that the tensions that act are
 * in balance to 1e-9 of the largest.
 *
 * False if a link finds no equilibrium (n_failed, failed): its place is then what came nearest,
 * and finite. No allocation. */
bool fb_links_solve(fb_links *links, const fb_state *state, const double *activation,
                    const fb_muscle_point *points);

/* Changes path arms (n_paths x n_q: generalised forces of 1 N with links held) into those with the
 * links following the equilibrium: -dL/dq. Summed with the tensions over all wires of a link both
 * give the same generalised force, since the tensions balance there. After fb_links_solve. */
void fb_links_follow(fb_links *links, const fb_state *state, double *path_arms);

/* Adds a record FB4004 for each link that finds no equilibrium, or that nothing pulls at, when a
 * variable ("time") has a value. */
void fb_links_tell(const fb_links *links, const char *variable, double value, fb_diag *diag);

/* The group of a path's links, from 0 to n - 1, or -1. */
int fb_links_group(const fb_links *links, int path);

#ifdef __cplusplus
}
#endif
#endif
