/* Courses over wrap objects by geometry alone; internal to muscle. */
#ifndef FB_MUSCLE_COURSE_H
#define FB_MUSCLE_COURSE_H

#include "libcore/muscle/path.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Wraps the course of a path, which holds the path's own points, over the path's wrap objects, and
 * sets its length. Every segment that an object blocks goes around it, where OpenSim lets only one;
 * several objects are gone through again until the length stays. */
void fb_course_wrap(const fb_paths *paths, const fb_path *path, const fb_state *state,
                    fb_course *course);
/* The same as OpenSim 4.5.2 does it. */
void fb_course_wrap_opensim4(const fb_paths *paths, const fb_path *path, const fb_state *state,
                             fb_course *course);

/* The course's index where a wrap's range begins, or ends: the first of the path's points that is
 * not before `wanted`, or the last not after; -1 for the path's ends. */
int fb_course_range_end(const fb_course *course, int wanted, int n_points, bool first);

/* Takes the points of a path's k-th wrap out of the course. */
void fb_course_remove(fb_course *course, int k);

/* True if the course between two of its points that follow each other lies on a wrap object. */
static inline bool fb_course_on_surface(const fb_course_point *a, const fb_course_point *b) {
    return a->source < 0 && a->source == b->source;
}

/* The course's length from its points, m. */
double fb_course_length(const fb_course *course);

/* A point of the ground in a frame. */
static inline void fb_course_in_frame(double *r, const fb_pose *frame, const double *ground) {
    double d[3];
    fb_v3_sub(d, ground, frame->p);
    fb_m3_tmul_v3(r, frame->R, d);
}

#ifdef __cplusplus
}
#endif
#endif
