/* Two free bodies and a slider to hang forces on, for test_force.c and test_contact.c. */
#ifndef FB_TESTS_MUSCLE_RIG_H
#define FB_TESTS_MUSCLE_RIG_H

#include "libcore/muscle/force.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/help.h"

/* ---- a rig ----------------------------------------------------------------------------------- */

/* Two bodies, a free in ground and b free in a, and a slider c with coordinate s; frames fa, fb.
 * Coordinates: 6 of a, 6 of b, 1 of c. */
#define RIG \
    "\"bodies\": [{\"name\": \"a\", \"mass\": 1}, {\"name\": \"b\", \"mass\": 1}, {\"name\": " \
    "\"c\", \"mass\": 1}]," \
    "\"frames\": [{\"name\": \"fa\", \"parent\": \"a\", \"translation\": [0.1, -0.2, 0.3], " \
    "\"rotation_xyz\": [0.3, 0.2, -0.4]}, {\"name\": \"fb\", \"parent\": \"b\", \"translation\": " \
    "[-0.1, 0.1, 0.2], \"rotation_xyz\": [-0.2, 0.5, 0.1]}]," \
    "\"joints\": [{\"name\": \"ja\", \"type\": \"free\", \"parent\": \"ground\", \"child\": " \
    "\"a\"}, {\"name\": \"jb\", \"type\": \"free\", \"parent\": \"a\", \"child\": \"b\"}," \
    "{\"name\": \"jc\", \"type\": \"slider\", \"parent\": \"ground\", \"child\": \"c\", " \
    "\"coordinates\": [{\"name\": \"s\"}]}]"
#define N_Q 13
#define MOST_PATHS 4
/* From ground to c, along x: its length is 1 + s. */
#define ALONG_S \
    "\"path\": {\"points\": [{\"frame\": \"ground\", \"location\": [-1, 0, 0]}, {\"frame\": " \
    "\"c\"}]}"

typedef struct rig {
    fb_model *model;
    fb_system *system;
    fb_paths *paths;
    fb_forces *forces;
    fb_state *state;
    fb_diag diag;
    fb_course course;
    double length[MOST_PATHS], speed[MOST_PATHS], tension[MOST_PATHS];
    double external[4][6], tau[N_Q], total[N_Q]; /* total: all of them on coordinates */
    double controls[8];
    double time;
} rig;

static inline bool rig_begin_from(rig *r, const char *lists, bool as_opensim4,
                                  const fb_resources *resources) {
    size_t n = strlen(lists) + strlen(RIG) + 60;
    char *text = malloc(n);
    fb_system_options options = {as_opensim4};
    memset(r, 0, sizeof *r);
    snprintf(text, n, "{\"fb\": \"1.0\",\n" RIG ",\n%s}", lists);
    r->model = fb_test_must(fb_test_fb(text, &r->diag, NULL), &r->diag);
    free(text);
    if (!FB_TRUE(r->diag.n == 0, "%s", r->diag.n ? r->diag.records[0].message : "")) {
        fprintf(stderr, "%s\n", r->diag.records[0].message);
        exit(1); /* the test itself is wrong, and would read out of bounds */
    }
    if (fb_system_compile(&r->system, r->model, &options, &r->diag) != FB_OK ||
        fb_paths_compile(&r->paths, r->system, as_opensim4, &r->diag) != FB_OK ||
        fb_forces_compile(&r->forces, r->system, r->paths, as_opensim4, resources, &r->diag) !=
            FB_OK) {
        return false;
    }
    FB_EQUAL_INT(r->system->n_q, N_Q);
    FB_EQUAL_INT(r->system->n_body, 4);
    r->state = fb_state_new(r->system);
    r->course.points = calloc((size_t)r->paths->most_points + 1, sizeof *r->course.points);
    fb_state_position(r->state);
    fb_state_velocity(r->state);
    return true;
}

static inline bool rig_begin(rig *r, const char *lists, bool as_opensim4) {
    return rig_begin_from(r, lists, as_opensim4, NULL);
}

static inline void rig_end(rig *r) {
    free(r->course.points);
    fb_state_free(r->state);
    fb_forces_free(r->forces);
    fb_paths_free(r->paths);
    fb_system_free(r->system);
    fb_model_free(r->model);
    fb_diag_clear(&r->diag);
}

static inline void rig_move(rig *r) {
    fb_state_position(r->state);
    fb_state_velocity(r->state);
    for (int i = 0; i < r->paths->n_paths; i++) {
        fb_path_course(r->paths, i, r->state, &r->course);
        r->length[i] = r->course.length;
        r->speed[i] = fb_path_speed(r->paths, i, r->state, &r->course);
    }
}

static inline void rig_apply(rig *r) {
    double arms[N_Q];
    rig_move(r);
    memset(r->tension, 0, sizeof r->tension);
    memset(r->external, 0, sizeof r->external);
    memset(r->tau, 0, sizeof r->tau);
    fb_forces_apply(r->forces, r->state, r->time, r->controls, NULL, r->length, r->speed,
                    r->tension, r->external, r->tau);
    memcpy(r->total, r->tau, sizeof r->total);
    fb_project_forces(r->state, r->external, r->total);
    for (int i = 0; i < r->paths->n_paths; i++) {
        fb_path_course(r->paths, i, r->state, &r->course);
        fb_path_moment_arms(r->paths, i, r->state, &r->course, arms);
        for (int k = 0; k < N_Q; k++) {
            r->total[k] += r->tension[i] * arms[k];
        }
    }
}

/* A pose and speeds at random: q up to q_size, u up to u_size. */
static inline void rig_random(rig *r, unsigned long long *seed, double q_size, double u_size) {
    for (int i = 0; i < N_Q; i++) {
        r->state->q[i] = q_size * ((double)(fb_random(seed) % 2001) / 1000 - 1);
        r->state->u[i] = u_size * ((double)(fb_random(seed) % 2001) / 1000 - 1);
    }
}

static inline int body_number(const rig *r, const char *path) {
    return fb_system_body(r->system, fb_test_find(r->model, path), NULL);
}

/* A point of a frame in ground. */
static inline void point_of(const rig *r, const char *frame, double x, double y, double z,
                            double *p) {
    fb_pose pose;
    double in_body[3], local[3] = {x, y, z};
    int body = fb_system_body(r->system, fb_test_find(r->model, frame), &pose);
    fb_pose_point(in_body, &pose, local);
    fb_pose_point(p, &r->state->pose[body], in_body);
}

static inline int coordinate_s(const rig *r) {
    return fb_system_coordinate(r->system, fb_test_find(r->model, "/jointset/jc/s"));
}

static inline void set_s(rig *r, double q, double u) {
    r->state->q[coordinate_s(r)] = q;
    r->state->u[coordinate_s(r)] = u;
    rig_apply(r);
}

/* ---- properties ------------------------------------------------------------------------------ */

/* At rest the generalised forces are -dE along each speed, by central differences. */
static inline void conserves(rig *r, double (*energy)(rig *), double q_size, int poses,
                             double tolerance) {
    unsigned long long seed = fb_test_seed();
    for (int pose = 0; pose < poses; pose++) {
        double q[N_Q], want[N_Q], h = 1e-6;
        rig_random(r, &seed, q_size, 0);
        memcpy(q, r->state->q, sizeof q);
        for (int k = 0; k < N_Q; k++) {
            double e[2], step[N_Q];
            memset(r->state->u, 0, sizeof q);
            memcpy(r->state->q, q, sizeof q);
            r->state->u[k] = 1;
            rig_move(r);
            memcpy(step, r->state->qdot, sizeof step);
            r->state->u[k] = 0;
            for (int side = 0; side < 2; side++) {
                for (int i = 0; i < N_Q; i++) {
                    r->state->q[i] = q[i] + (side ? h : -h) * step[i];
                }
                rig_move(r);
                e[side] = energy(r);
            }
            want[k] = -(e[1] - e[0]) / (2 * h);
        }
        memcpy(r->state->q, q, sizeof q);
        rig_apply(r);
        for (int k = 0; k < N_Q; k++) {
            FB_NEAR(r->total[k], want[k], tolerance, tolerance);
        }
    }
}

/* Internal forces of any pose and speed sum to nothing, ground included. */
static inline void balances(rig *r, double q_size, double least) {
    unsigned long long seed = fb_test_seed() + 1;
    double largest = 0;
    for (int pose = 0; pose < 10; pose++) {
        rig_random(r, &seed, q_size, 1);
        rig_apply(r);
        for (int k = 0; k < 6; k++) {
            double sum = 0, size = 0;
            for (int body = 0; body < 4; body++) {
                sum += r->external[body][k];
                size = fmax(size, fabs(r->external[body][k]));
            }
            FB_NEAR(sum, 0, 1e-12 * (1 + size), 0);
            largest = fmax(largest, size);
        }
    }
    FB_TRUE(largest > least, "it acts: %g", largest);
}

#endif
