/* Speeds and moment arms as derivatives of lengths; courses without jumps. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/properties/properties.h"
#include "tests/properties/taut.h"

int plane_courses;
double plane_difference;

/* ---- derivatives --------------------------------------------------------------------------------
 */

/* A path's length at q + h qdot; `count` gets the number of its points, unless NULL. */
static double length_at(subject *it, int path, const double *q, const double *qdot, double h,
                        int *sources) {
    fb_simulation *s = it->s;
    for (int i = 0; i < it->n; i++) {
        s->state->q[i] = q[i] + (qdot ? h * qdot[i] : 0);
    }
    fb_state_position(s->state);
    fb_path_course(s->paths, path, s->state, &s->course);
    if (sources) { /* a number that tells courses over other points apart */
        *sources = 0;
        for (int i = 0; i < s->course.n; i++) {
            *sources = 31 * *sources + s->course.points[i].source + 100;
        }
    }
    return s->course.length;
}

/* dL/dt by central differences; false if the course changes nearby, or bends too much for it. */
static bool length_rate(subject *it, int path, const double *q, const double *qdot, double *rate) {
    double by[2], bend = 0;
    int sources[3];
    for (int k = 0; k < 2; k++) {
        double h = k ? 1e-5 : 4e-5, ends[2];
        double here = length_at(it, path, q, qdot, 0, &sources[0]);
        ends[0] = length_at(it, path, q, qdot, h, &sources[1]);
        ends[1] = length_at(it, path, q, qdot, -h, &sources[2]);
        if (sources[0] != sources[1] || sources[0] != sources[2]) {
            return false;
        }
        by[k] = (ends[0] - ends[1]) / (2 * h);
        bend = (ends[0] + ends[1] - 2 * here) / h; /* the slopes on both sides differ so much */
    }
    *rate = by[1];
    if (fabs(bend) > 1e-3 * (1 + fabs(*rate))) {
        return false;
    }
    return fabs(by[1] - by[0]) < 1e-6 * (1 + fabs(*rate));
}

static bool over_ellipsoid(const subject *it, int path) {
    const fb_course *course = &it->s->course;
    const fb_path *p = &it->s->paths->paths[path];
    for (int i = 0; i < course->n; i++) {
        int source = course->points[i].source;
        if (source < 0 &&
            it->s->paths->wraps[p->wraps[-1 - source].wrap].kind == FB_WRAP_ELLIPSOID) {
            return true;
        }
    }
    return false;
}

/* Some paths state their arms or speed besides their length. */
static bool states_rates(const fb_path *path) {
    return path->moment_arms || path->speed;
}

/* For every coordinate -dL/dq is the moment arm, and dL/dt the speed. */
void rates(subject *it) {
    fb_simulation *s = it->s;
    int n = it->n, checked = 0;
    double *q = numbers(n), *u = numbers(n), *qdot = numbers(n);
    for (int round = 0; round < 3 && s->paths->n_paths > 0 && random_pose(it, 1); round++) {
        memcpy(q, s->state->q, (size_t)n * sizeof *q);
        memcpy(u, s->state->u, (size_t)n * sizeof *u);
        fb_simulation_paths(s);
        for (int path = 0; path < s->paths->n_paths; path++) {
            if (states_rates(&s->paths->paths[path])) {
                continue;
            }
            length_at(it, path, q, NULL, 0, NULL);
            bool plane = over_ellipsoid(it, path);
            if (s->course.unsettled) {
                continue;
            }
            plane_courses += plane;
            for (int c = 0; c <= n; c++) { /* each speed alone, then all */
                double rate, want = c == n ? s->path_speed[path] : -s->path_arms[path * n + c];
                memcpy(s->state->q, q, (size_t)n * sizeof *q);
                for (int k = 0; k < n; k++) {
                    s->state->u[k] = c == n ? u[k] : k == c;
                }
                fb_state_position(s->state);
                fb_state_velocity(s->state);
                memcpy(qdot, s->state->qdot, (size_t)n * sizeof *q);
                if (!length_rate(it, path, q, qdot, &rate)) {
                    continue;
                }
                double off = fabs(rate - want);
                if (plane) {
                    plane_difference = c < n ? fmax(plane_difference, off) : plane_difference;
                    continue;
                }
                checked++;
                claim(it, off < 5e-6 * (1 + fabs(want)),
                      "%s: d(length)/d(%s) is %.9g, by its points %.9g", path_name(it, path),
                      c == n ? "time" : coordinate_name(it, c), rate, want);
            }
        }
    }
    free(q);
    free(u);
    free(qdot);
}

/* ---- jumps --------------------------------------------------------------------------------------
 */

#define STEP (1.0 * 3.14159265358979323846 / 180) /* rad, or m: of the search */
#define SUSPECT 0.0005                            /* m: a second difference that is looked into */
#define JUMP 0.001                                /* m */
#define MOST_STEPS 400

typedef struct moment {
    double length, change; /* m, from the moment before */
    int n;
    int sources[64];
    bool unsettled;
    int outcome; /* which points are inside a wrap of the path: see inside_mask */
} moment;

/* The wraps that hold one of the path's own points. */
static int inside_mask(const subject *it, int path) {
    const fb_simulation *s = it->s;
    const fb_path *p = &s->paths->paths[path];
    int mask = 0;
    for (int k = 0; k < p->n_wraps; k++) {
        const fb_wrap *wrap = &s->paths->wraps[p->wraps[k].wrap];
        fb_pose frame, inverse;
        fb_pose_mul(&frame, &s->state->pose[wrap->body], &wrap->pose);
        fb_pose_inverse(&inverse, &frame);
        for (int i = 0; i < s->course.n; i++) {
            double x[3];
            if (s->course.points[i].source < 0) {
                continue;
            }
            fb_pose_point(x, &inverse, s->course.points[i].site);
            mask |= surface_depth(wrap, x) > 0 ? 1 << k : 0;
        }
    }
    return mask;
}

static void look(subject *it, int path, moment *m) {
    const fb_course *course = &it->s->course;
    fb_path_course(it->s->paths, path, it->s->state, &it->s->course);
    m->length = course->length;
    m->unsettled = course->unsettled;
    m->n = course->n < 64 ? course->n : 64;
    for (int i = 0; i < m->n; i++) {
        m->sources[i] = course->points[i].source;
    }
    m->outcome = it->s->paths->paths[path].n_wraps > 0 ? inside_mask(it, path) : 0;
}

static bool has(const moment *m, int source) {
    for (int i = 0; i < m->n; i++) {
        if (m->sources[i] == source) {
            return true;
        }
    }
    return false;
}

/* Why a path jumps between two moments that are next to each other, or NULL. */
static const char *reason(const subject *it, int path, const moment *a, const moment *b) {
    const fb_path *p = &it->s->paths->paths[path];
    if (a->unsettled || b->unsettled) {
        return "surfaces overlap";
    }
    for (int k = 0; k < p->n_points; k++) {
        if (has(a, k) != has(b, k)) {
            return "conditional point";
        }
    }
    for (int k = 0; k < p->n_wraps; k++) {
        const fb_wrap *wrap = &it->s->paths->wraps[p->wraps[k].wrap];
        if ((a->outcome ^ b->outcome) & 1 << k) {
            return "a point enters the surface";
        }
        if (has(a, -1 - k) != has(b, -1 - k)) {
            return wrap->axis >= 0                  ? "quadrant met"
                   : wrap->kind == FB_WRAP_CYLINDER ? "end of a cylinder"
                   : wrap->kind == FB_WRAP_TORUS    ? "through or beside a ring"
                                                    : "wrapped at once";
        }
    }
    for (int k = 0; k < p->n_wraps; k++) {
        const fb_wrap *wrap = &it->s->paths->wraps[p->wraps[k].wrap];
        if (has(a, -1 - k)) {
            return wrap->axis >= 0 ? "the quadrant's other side" : "the other side";
        }
    }
    return NULL;
}

/* Sets what couplers make of the other coordinates; false if there are constraints of other kinds.
 */
static bool couple(subject *it) {
    const fb_system *s = it->s->system;
    double x[FB_MAX_ARGUMENTS];
    for (int round = 0; round < 3; round++) { /* couplers of couplers */
        for (int i = 0; i < s->n_constraint; i++) {
            const fb_constraint *c = &s->constraints[i];
            if (c->kind == FB_CONSTRAINT_FIXED) {
                continue;
            }
            if (c->kind != FB_CONSTRAINT_COUPLER) {
                return false;
            }
            for (int k = 0; k < c->n_independent; k++) {
                x[k] = it->s->state->q[c->independent[k]];
            }
            it->s->state->q[c->coordinate] =
                c->scale * fb_function_value_n(&c->function, c->n_independent, x, NULL, NULL);
        }
    }
    return true;
}

/* True if a coordinate follows others, or does not move. */
static bool follows(const subject *it, int coordinate) {
    const fb_system *s = it->s->system;
    bool found = s->coordinates[coordinate].locked || s->coordinates[coordinate].prescribed;
    for (int i = 0; i < s->n_constraint; i++) {
        found = found || (s->constraints[i].kind == FB_CONSTRAINT_COUPLER &&
                          s->constraints[i].coordinate == coordinate);
    }
    return found;
}

/* Sets a coordinate, and what constraints move with it. */
static bool set_coordinate(subject *it, int c, double value, const double *start) {
    fb_state *state = it->s->state;
    if (start) {
        memcpy(state->q, start, (size_t)it->n * sizeof *start);
    }
    state->q[c] = value;
    if (it->m > 0 && !couple(it) && fb_assemble_held(state, &c, 1, 1e-10) != FB_OK) {
        return false;
    }
    fb_state_position(state);
    return true;
}

/* Halves the interval until what is left of it is no motion: what the length still does there is a
 * jump. Returns its size; 0 if it is the bodies that jump, as constraints let them. */
static double corner(subject *it, int path, int c, double low, double high, const double *start,
                     moment *a, moment *b) {
    moment m;
    if (!set_coordinate(it, c, low, start)) {
        return 0;
    }
    look(it, path, &m);
    if (it->m > 0 && fabs(m.length - a->length) > JUMP / 4) {
        return 0; /* from here the bodies go back to where they were not */
    }
    for (int i = 0; i < 24 && fabs(b->length - a->length) > JUMP / 4; i++) {
        double middle = (low + high) / 2;
        if (!set_coordinate(it, c, middle, start)) {
            return 0;
        }
        look(it, path, &m);
        if (fabs(m.length - a->length) > fabs(m.length - b->length)) {
            high = middle;
            *b = m;
        } else {
            low = middle;
            *a = m;
        }
    }
    return fabs(b->length - a->length);
}

static bool listed(const char *line) {
    static char *text;
    if (!text) {
        FILE *file = fopen("tests/properties/jumps.txt", "r");
        text = calloc(1, 1 << 20);
        size_t n = file && text ? fread(text, 1, (1 << 20) - 1, file) : 0;
        if (n == 0) {
            fprintf(stderr, "properties: tests/properties/jumps.txt cannot be read\n");
        }
        if (file) {
            fclose(file);
        }
    }
    return text && strstr(text, line);
}

/* Marks the paths whose length changes with a coordinate, by a few probes. */
static void find_affected(subject *it, int c, const double *range, const double *start,
                          bool *affected) {
    enum { PROBES = 7 };
    int paths = it->s->paths->n_paths;
    double *first = numbers(paths);
    memset(affected, 0, (size_t)paths * sizeof *affected);
    for (int probe = 0; probe < PROBES; probe++) {
        if (!set_coordinate(it, c, range[0] + (range[1] - range[0]) * (probe + 0.1) / PROBES,
                            start)) {
            continue;
        }
        for (int i = 0; i < paths; i++) {
            fb_path_course(it->s->paths, i, it->s->state, &it->s->course);
            double L = it->s->course.length;
            affected[i] = affected[i] || (first[i] != 0 && fabs(L - first[i]) > 1e-9);
            first[i] = first[i] != 0 ? first[i] : L;
        }
    }
    free(first);
}

/* Tells of a jump between two moments, unless it is listed. */
static void tell(subject *it, int path, int c, double value, double jump, const moment *a,
                 const moment *b) {
    char line[500];
    const char *why = reason(it, path, a, b);
    snprintf(line, sizeof line, "%s\t%s\t%s\t%s\t", it->name, path_name(it, path),
             coordinate_name(it, c), why ? why : "not known");
    if (jump_list) {
        fprintf(jump_list, "%s%.0f mm at %.4f\n", line, jump * 1e3, value);
    }
    claim(it, jump_list || listed(line), "%s jumps by %.2f mm at %s = %.6f: %s",
          path_name(it, path), jump * 1e3, coordinate_name(it, c), value, why ? why : "not known");
}

/* Moves a coordinate over its range, the others as in the default pose. */
static void sweep_coordinate(subject *it, int c, moment *now, moment *before, bool *affected) {
    fb_simulation *s = it->s;
    int n = it->n, paths = s->paths->n_paths;
    double range[2], *start = numbers(n), *pose = numbers(n);
    usual_range(it, c, range);
    int steps = (int)ceil((range[1] - range[0]) / STEP);
    steps = steps < 1 ? 1 : steps > MOST_STEPS ? MOST_STEPS : steps;
    fb_state_defaults(s->state);
    memcpy(start, s->state->q, (size_t)n * sizeof *start);
    find_affected(it, c, range, start, affected);
    bool good = false;
    for (int i = 0; i <= steps; i++) {
        double last = range[0] + (range[1] - range[0]) * (i - 1) / steps;
        double value = range[0] + (range[1] - range[0]) * i / steps;
        bool was = good;
        good = set_coordinate(it, c, value, was ? NULL : start);
        memcpy(pose, s->state->q, (size_t)n * sizeof *pose);
        for (int path = 0; path < paths && good; path++) {
            if (!affected[path]) {
                continue;
            }
            look(it, path, &now[path]);
            now[path].change = was ? now[path].length - before[path].length : 0;
            if (!was || fabs(now[path].change - before[path].change) <= SUSPECT) {
                continue;
            }
            moment a = before[path], b = now[path];
            double jump = corner(it, path, c, last, value, pose, &a, &b);
            if (jump > JUMP) {
                tell(it, path, c, value, jump, &a, &b);
            }
            set_coordinate(it, c, value, pose);
        }
        memcpy(before, now, (size_t)paths * sizeof *now);
    }
    free(start);
    free(pose);
}

/* No path jumps when a coordinate moves over its range, but as listed. */
void continuous(subject *it) {
    int paths = it->s->paths->n_paths;
    moment *now = calloc((size_t)paths + 1, sizeof *now),
           *before = calloc((size_t)paths + 1, sizeof *now);
    bool *affected = calloc((size_t)paths + 1, sizeof *affected);
    for (int c = 0; c < it->n && paths > 0; c++) {
        if (!follows(it, c)) {
            sweep_coordinate(it, c, now, before, affected);
        }
    }
    free(now);
    free(before);
    free(affected);
}
