/* A muscle's bundles in groups, and a path for each group: sub-muscles that together act as the
 * line did. */
#ifndef FB_BUNDLE_SPLIT_H
#define FB_BUNDLE_SPLIT_H

#include "libcore/bundle/body.h"
#include "libcore/muscle/path.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Parts the n bundles of a body that have group 0 or more into k groups of as equal numbers as can
 * be, compact in the lattice: across its longer side again and again. group (n_bundles): negative
 * for bundles that are left out; becomes 0 to k - 1. Needs 1 <= k <= n. False: no memory. */
bool fb_split_groups(int *group, const fb_body *body, int k);

/* The shares of force of k groups, of 1. */
void fb_split_shares(double *share, const fb_body *body, const int *group, int k);

/* How far the mean axis of each group lies from that of all of them, where the latter is at a part
 * t of its length (0: lower end), m, in the body's frame: k vectors, whose mean, weighted with the
 * groups' shares, is zero. */
void fb_split_offsets(double (*offset)[3], const fb_body *body, const int *group, int k, double t);

/* The parts of a path's length at which its points lie in a course of it, 0 to 1 (n_points). Those
 * that the course leaves out lie between their neighbours. */
void fb_split_places(double *t, const fb_path *path, const fb_course *course,
                     const fb_state *state);

/* Paths that are copies of one: one for each group. */
typedef struct fb_split {
    fb_paths *paths; /* their points are moved here */
    const int *path; /* n numbers of paths */
    int n;
    const double *share; /* n, of 1 */
    bool *fixed;         /* n_points: may not be moved */
    double (*moved)[3];  /* [n][n_points]: how far each was moved, in its body's axes, m */
} fb_split;

/* Moves point j of path i of them in its body, m. */
void fb_split_move(fb_split *split, int i, int j, const double *delta);

/* Moves all points back to where they were at first. */
void fb_split_reset(fb_split *split);

/* How many of the paths cannot stand for a line whose generalised forces are given (n_q): those
 * that do not go around what they wrap, because one of their points is inside, and those that have
 * a moment arm further than `reach` (m) from the line's about a coordinate that turns, as one on
 * the wrong side of a bone would. `odd`: the line itself is not so, then only arms count. All of
 * them without memory. */
int fb_split_unsound(const fb_split *split, const double *line, double reach, bool odd,
                     const fb_state *state, fb_course *own);

/* The greatest difference between the mean of their generalised forces of 1 N, weighted with their
 * shares, and those wanted (n_q), m. */
double fb_split_error(const fb_split *split, const double *wanted, const fb_state *state,
                      fb_course *own);

/* Moves their points, by as little as can be, so that this difference vanishes: Gauss-Newton steps
 * with damping, at most `most` m for any point. Returns the difference that is left, which is never
 * more than before; negative if there is no memory. */
double fb_split_correct(fb_split *split, const double *wanted, double most, const fb_state *state,
                        fb_course *own);

#ifdef __cplusplus
}
#endif
#endif
