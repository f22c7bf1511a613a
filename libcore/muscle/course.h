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

#ifdef __cplusplus
}
#endif
#endif
