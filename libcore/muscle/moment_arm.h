/* Moment arms of paths as geometry has them: minus the derivative of length by a coordinate.
 *
 * The arms of fb_path_moment_arms are generalised forces of a tension of 1 N, as OpenSim defines
 * them. Both are the same where a path is as short as it can be: the principle of virtual work
 * needs no derivative of the places where it touches a surface (K. An and others, J. Biomech. Eng.
 * 106 (1984) 280). Where it is not, on a section of an ellipsoid, they differ. */
#ifndef FB_MUSCLE_MOMENT_ARM_H
#define FB_MUSCLE_MOMENT_ARM_H

#include "libcore/muscle/simulation.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Moment arms as OpenSim defines them: the generalised force about each coordinate of a tension of
 * 1 N, with the speeds that constraints tie to it moving along; n_paths x n_q, m (1 for slides).
 * After fb_simulation_move. Does not allocate once it was called. FB_E_MEMORY, the arms untouched.
 */
fb_status fb_moment_arms(fb_simulation *simulation, double *arms);

/* Minus the derivative of each path's length by each coordinate q, all others held: n_paths x n_q,
 * m/rad or m/m. Exact for straight paths, paths over spheres and cylinders, and functions of
 * coordinates; by central differences (error under 1e-6) for paths that lie on an ellipsoid or
 * torus, or on anything as OpenSim 4 wraps it, and for those with a point that stands still beyond
 * the range of its coordinate. `differenced` (n_paths) gets which. At a kink, where a
 * wrap or a point comes into play, it is the slope of the side that is flatter. After
 * fb_simulation_move; leaves the state as it was. Does not allocate. */
void fb_moment_arms_geometric(fb_simulation *simulation, double *arms, bool *differenced);

#ifdef __cplusplus
}
#endif
#endif
