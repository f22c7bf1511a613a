/* Properties that hold for any model, whatever its numbers: properties MODEL...
 *
 * properties --beside STATES LENGTHS MODEL compares path lengths of another program with ours and
 * with threads.
 *
 * None compares with numbers of another program: derivatives are finite differences, shortest
 * courses are threads pulled tight, masses and energies are conserved. Each property of each model
 * counts once. */
#ifndef FB_TESTS_PROPERTIES_H
#define FB_TESTS_PROPERTIES_H

#include <stdio.h>

#include "libcore/muscle/simulation.h"

typedef struct subject {
    const char *name; /* of the file, without folder and .osim */
    fb_simulation *s;
    fb_model *model;
    fb_diag diag;
    int n, m;                /* coordinates, rows of constraints */
    unsigned long long seed; /* of random poses */
    int bad;                 /* what has failed of the property that is looked at */
} subject;

/* Tells what does not hold, with the model's name in front (the first few of each property). */
bool claim(subject *it, bool holds, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* A number from low to high. */
double between(subject *it, double low, double high);
/* Memory for n numbers, all 0: free() it. */
double *numbers(int n);
/* The name of coordinate i, of path i's owner. */
const char *coordinate_name(const subject *it, int i);
const char *path_name(const subject *it, int i);
/* The range in which coordinate i is moved: its own, or 1 either way of the default if that is
 * wide. */
void usual_range(const subject *it, int i, double *range);
/* True if coordinate i is locked or prescribed. */
bool held(const subject *it, int i);
/* A random pose that meets the constraints, and speeds up to `speed` that do too; false if none was
 * found. Positions and velocities are computed. */
bool random_pose(subject *it, double speed);
/* Positions and velocities, then all paths. */
void move(subject *it);

/* ---- properties: each tells what does not hold --------------------------------------------------
 */

void mass_matrix(subject *it);
void there_and_back(subject *it);
void free_flight(subject *it);
void turned_world(subject *it);
void rates(subject *it);
void shortest(subject *it);
void check_course(subject *it, int path);
/* Not of a model: shapes of all kinds, with and without quadrants, alone and two on a path. */
void shapes(subject *it);
void continuous(subject *it);
void allocations(subject *it);
void recipes(subject *it);

/* Not a property: prints for each path that wraps, and whose length another program's table (of the
 * rows of `states`) gives more than 10 micrometres off ours, both and a thread's. */
void beside(subject *it, const char *states, const char *lengths);

/* Poses in which courses over ellipsoids had force-based moment arms off their length's derivative:
 * how many courses, and the largest difference in m. For the summary. */
extern int plane_courses;
extern double plane_difference;

/* Courses that were looked at; those over several surfaces that do not settle; and those that touch
 * a torus once where they would have to twice, with the depth to which they enter it there. Known
 * limits (docs/theory.md). */
extern int all_courses, unsettled_courses, touched_twice;
extern double touched_depth;
/* Courses over tori that are shortest nearby, but longer than a thread that slid along the ring. */
extern int longer_tori;
extern double longer_most;

/* What is known of jumps: `name path coordinate reason` a line, in jumps.txt. Writes instead of
 * comparing if `list` is not NULL. */
extern FILE *jump_list;

/* Number of allocations since the program began. */
extern unsigned long allocation_count;

#endif
