/* One evaluation beside MuJoCo's mj_forward, in the same run: mujoco MODEL...
 *
 * MuJoCo gets a model of its own making with as many bodies, joints and tendons: the same tree, a
 * hinge (a slide for the translations of free joints) for each coordinate, the muscles as spatial
 * tendons through the same points, and around spheres and cylinders where ours wrap (ellipsoids,
 * which it does not have, become spheres). It is no conversion: what such a model computes is not
 * what ours does; the size of the work is the same. Its contacts are off. */
#include <math.h>
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "formats/fb.h"
#include "libcore/muscle/simulation.h"

enum { RUNS = 15, STATES = 40 };

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

/* ---- MuJoCo's model ------------------------------------------------------------------------- */

static void write_joints(FILE *f, const fb_system *s, int body) {
    const fb_mobod *m = &s->mobods[body];
    for (int k = 0; k < m->n_q; k++) {
        bool slides = m->kind == FB_JOINT_FREE && k >= 3;
        if (m->kind == FB_JOINT_AXES) {
            slides = m->n_q > 3 && k >= 3;
        }
        fprintf(f, "<joint name='q%d' type='%s' axis='%d %d %d'/>", m->q + k,
                slides ? "slide" : "hinge", k % 3 == 0, k % 3 == 1, k % 3 == 2);
    }
}

/* The points and surfaces of all paths that are on a body. */
static void write_marks(FILE *f, const fb_paths *p, int body) {
    for (int i = 0; i < p->n_paths; i++) {
        for (int k = 0; k < p->paths[i].n_points; k++) {
            const fb_path_point *point = &p->paths[i].points[k];
            if (point->body == body) {
                fprintf(f, "<site name='p%d_%d' pos='%.9g %.9g %.9g'/>", i, k, point->location[0],
                        point->location[1], point->location[2]);
            }
        }
    }
    for (int i = 0; i < p->n_wraps; i++) {
        const fb_wrap *w = &p->wraps[i];
        const double *R = w->pose.R;
        if (w->body != body || !w->active) {
            continue;
        }
        fprintf(f,
                "<geom name='w%d' type='%s' size='%.9g %.9g' pos='%.9g %.9g %.9g' "
                "xyaxes='%.9g %.9g %.9g %.9g %.9g %.9g' mass='0'/>",
                i, w->kind == FB_WRAP_CYLINDER ? "cylinder" : "sphere", w->size[0], w->size[1] / 2,
                w->pose.p[0], w->pose.p[1], w->pose.p[2], R[0], R[3], R[6], R[1], R[4], R[7]);
    }
}

static void write_body(FILE *f, const fb_simulation *s, int body) {
    const fb_mobod *m = &s->system->mobods[body];
    const fb_pose *outer = &s->state->pose[m->parent], *inner = &s->state->pose[body];
    fb_pose back, in;
    fb_pose_inverse(&back, outer);
    fb_pose_mul(&in, &back, inner);
    const double *R = in.R, *c = m->center;
    fprintf(f, "<body name='b%d' pos='%.9g %.9g %.9g' xyaxes='%.9g %.9g %.9g %.9g %.9g %.9g'>",
            body, in.p[0], in.p[1], in.p[2], R[0], R[3], R[6], R[1], R[4], R[7]);
    double mass = fmax(m->mass, 1e-3), least = 1e-5; /* it wants every body to have some */
    fprintf(f, "<inertial pos='%.9g %.9g %.9g' mass='%.9g' diaginertia='%.9g %.9g %.9g'/>", c[0],
            c[1], c[2], mass, fmax(m->inertia[0], least), fmax(m->inertia[4], least),
            fmax(m->inertia[8], least));
    write_joints(f, s->system, body);
    write_marks(f, s->paths, body);
    for (int i = body + 1; i < s->system->n_body; i++) {
        if (s->system->mobods[i].parent == body) {
            write_body(f, s, i);
        }
    }
    fprintf(f, "</body>\n");
}

static void write_tendons(FILE *f, const fb_paths *p) {
    fprintf(f, "<tendon>\n");
    for (int i = 0; i < p->n_paths; i++) {
        const fb_path *path = &p->paths[i];
        if (path->n_points < 2) {
            continue;
        }
        fprintf(f, "<spatial name='t%d'>", i);
        for (int k = 0; k < path->n_points; k++) {
            fprintf(f, "<site site='p%d_%d'/>", i, k);
            if (k < path->n_wraps && k + 1 < path->n_points &&
                p->wraps[path->wraps[k].wrap].active) {
                fprintf(f, "<geom geom='w%d'/>", path->wraps[k].wrap);
            }
        }
        fprintf(f, "</spatial>\n");
    }
    fprintf(f, "</tendon>\n<actuator>\n");
    for (int i = 0; i < p->n_paths; i++) {
        if (p->paths[i].n_points >= 2) {
            fprintf(f, "<muscle tendon='t%d' lengthrange='0.1 0.6' force='500'/>\n", i);
        }
    }
    fprintf(f, "</actuator>\n");
}

static mjModel *mujoco_model(const fb_simulation *s, const char *path) {
    FILE *f = fopen(path, "w");
    char error[1000] = "it cannot be written";
    if (!f) {
        return NULL;
    }
    fprintf(f, "<mujoco><compiler angle='radian' boundmass='0.0001' boundinertia='0.000001' "
               "balanceinertia='true'/><option gravity='0 -9.80665 0'/>\n"
               "<default><geom contype='0' conaffinity='0'/></default>\n<worldbody>\n");
    write_marks(f, s->paths, 0);
    for (int i = 1; i < s->system->n_body; i++) {
        if (s->system->mobods[i].parent == 0) {
            write_body(f, s, i);
        }
    }
    fprintf(f, "</worldbody>\n");
    write_tendons(f, s->paths);
    fprintf(f, "</mujoco>\n");
    mjModel *model = fclose(f) == 0 ? mj_loadXML(path, NULL, error, sizeof error) : NULL;
    if (!model) {
        fprintf(stderr, "mujoco: %s: %s\n", path, error);
    }
    return model;
}

/* ---- time ----------------------------------------------------------------------------------- */

static void set_ours(fb_simulation *s, const double *q0, int number) {
    for (int i = 0; i < s->system->n_q; i++) {
        s->state->q[i] = q0[i];
        if (!s->system->coordinates[i].locked) {
            s->state->q[i] += 0.1 * sin(number + 7.0 * i);
            s->state->u[i] = 0.5 * cos(number + 3.0 * i);
        }
    }
}

static void set_theirs(const mjModel *m, mjData *d, int number) {
    for (int i = 0; i < m->nq; i++) {
        d->qpos[i] = 0.1 * sin(number + 7.0 * i);
        d->qvel[i] = 0.5 * cos(number + 3.0 * i);
    }
}

static void compare(fb_simulation *s, const char *name, const char *path) {
    fb_state_defaults(s->state);
    fb_simulation_move(s);
    double *q0 = malloc(((size_t)s->system->n_q + 1) * sizeof *q0), ours = INFINITY,
           theirs = INFINITY;
    mjModel *model = mujoco_model(s, path);
    mjData *data = model ? mj_makeData(model) : NULL;
    if (!data || !q0) {
        free(q0);
        return;
    }
    memcpy(q0, s->state->q, (size_t)s->system->n_q * sizeof *q0);
    for (int i = 0; i < s->muscles->n; i++) {
        s->activation[i] = 0.3;
        fb_simulation_equilibrate(s, i, FB_EQUILIBRIUM_OPENSIM4);
    }
    for (int i = 0; i < model->nu; i++) {
        data->ctrl[i] = 0.3;
        data->act[i] = 0.3;
    }
    for (int run = 0; run < RUNS; run++) {
        double t0 = now();
        for (int i = 0; i < STATES; i++) {
            set_ours(s, q0, i);
            fb_simulation_move(s);
            fb_simulation_evaluate(s);
            fb_simulation_accelerate(s, 0);
        }
        double t1 = now();
        for (int i = 0; i < STATES; i++) {
            set_theirs(model, data, i);
            mj_forward(model, data);
        }
        double t2 = now();
        ours = fmin(ours, (t1 - t0) / STATES);
        theirs = fmin(theirs, (t2 - t1) / STATES);
    }
    printf("%-40.40s %4d %4d %4d %10.2f %10.2f %8.2f\n", name, model->nbody - 1, model->nv,
           model->ntendon, ours, theirs, ours / theirs);
    mj_deleteData(data);
    mj_deleteModel(model);
    free(q0);
}

int main(int argc, char **argv) {
    printf("%-40s %4s %4s %4s %10s %10s %8s\n", "one evaluation, microseconds", "body", "dof",
           "ten", "fbtools", "mj_forward", "ratio");
    for (int i = 1; i < argc; i++) {
        fb_diag diag;
        fb_diag_init(&diag);
        char *bytes, path[1000];
        size_t size;
        fb_model *model;
        fb_simulation *s;
        snprintf(path, sizeof path, "%.900s.mjcf.xml", argv[0]);
        if (fb_read_file(argv[i], FB_MAX_BYTES, &bytes, &size, &diag) == FB_OK &&
            fb_model_read(&model, bytes, size, argv[i], FB_MAX_BYTES, &diag) == FB_OK) {
            const char *slash = strrchr(argv[i], '/');
            if (fb_simulation_new(&s, model, false, &diag) == FB_OK) {
                compare(s, slash ? slash + 1 : argv[i], path);
                fb_simulation_free(s);
            }
            fb_model_free(model);
        }
        fb_diag_clear(&diag);
    }
    return 0;
}
