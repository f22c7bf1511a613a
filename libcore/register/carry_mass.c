/* Masses of a carried model, and its height. */
#include "libcore/register/carry_internal.h"

static double total_mass(const fb_list *bodies) {
    double sum = 0;
    for (size_t i = 0; i < bodies->n; i++) {
        double mass = fb_get_number(bodies->items[i], "mass");
        sum += mass > 0 ? mass : 0;
    }
    return sum;
}

/* Inertia of a body whose matter is moved by a linear map and has k times its mass: through the
 * second moments E = tr(I)/2 - I, which become k A E A^T. */
static void move_inertia(const double *A, double k, const double *from, double *to) {
    double I[9] = {from[0], from[3], from[4], from[3], from[1], from[5], from[4], from[5], from[2]};
    double E[9], AE[9], moved[9], half = (I[0] + I[4] + I[8]) / 2;
    for (int i = 0; i < 9; i++) {
        E[i] = (i % 4 == 0 ? half : 0) - I[i];
    }
    fb_m3_mul(AE, A, E);
    fb_m3_mult(moved, AE, A);
    double trace = moved[0] + moved[4] + moved[8];
    static const int at[6] = {0, 4, 8, 1, 2, 5};
    for (int i = 0; i < 6; i++) {
        to[i] = k * ((i < 3 ? trace : 0) - moved[at[i]]);
    }
}

void fb_carry_mass_of(fb_carry_job *job, fb_element *body, const fb_transform *map, double k) {
    double center[3] = {0, 0, 0}, inertia[6], moved[3], A[9];
    fb_get_vector(body, "mass_center", center, 3);
    bool same = fb_carry_same(map);
    if (same && k == 1) {
        return;
    }
    if (!same) {
        fb_transform_point(map, center, moved);
        fb_carry_set(job, body, "mass_center", moved, 3);
    }
    double mass = k * fb_get_number(body, "mass");
    if (isfinite(mass)) {
        fb_carry_set(job, body, "mass", &mass, 1);
    }
    if (!fb_get_vector(body, "inertia", inertia, 6)) {
        return;
    }
    fb_transform_jacobian(map, center, A);
    double next[6];
    if (fb_carry_similar(map) && A[3] == 0 && A[6] == 0 && A[7] == 0 && A[1] == 0 && A[2] == 0 &&
        A[5] == 0) { /* only scaled, mirrored */
        for (int i = 0; i < 6; i++) {
            bool flips = i > 3 && map->mirrored; /* xz, yz */
            next[i] = inertia[i] == 0 ? 0 : k * A[0] * A[0] * (flips ? -1 : 1) * inertia[i];
        }
    } else {
        move_inertia(A, k, inertia, next);
    }
    fb_carry_set(job, body, "inertia", next, 6);
}

/* The heaviest body takes what rounding leaves of the wanted total. */
static void meet_total(fb_carry_job *job, fb_list *bodies, double wanted) {
    fb_element *heaviest = NULL;
    for (size_t i = 0; i < bodies->n; i++) {
        if (!heaviest ||
            fb_get_number(bodies->items[i], "mass") > fb_get_number(heaviest, "mass")) {
            heaviest = bodies->items[i];
        }
    }
    for (int k = 0; heaviest && k < 4 && total_mass(bodies) != wanted; k++) {
        double mass = fb_get_number(heaviest, "mass") + (wanted - total_mass(bodies));
        fb_carry_set(job, heaviest, "mass", &mass, 1);
    }
}

void fb_carry_masses(fb_carry_job *job, double wanted) {
    fb_list *bodies = fb_model_list(job->model, "bodies");
    double total = total_mass(bodies);
    bool given = wanted > 0 && isfinite(wanted);
    if (given && !(total > 0)) {
        fb_carry_tell(job, FB_ERROR, job->model->root,
                      "its bodies have no mass that could be brought to %g kg", wanted);
        job->status = FB_E_INPUT;
        return;
    }
    for (size_t i = 0; i < bodies->n; i++) {
        double center[3] = {0, 0, 0};
        fb_get_vector(bodies->items[i], "mass_center", center, 3);
        const fb_transform *map = &job->bodies[i];
        double volume = fb_carry_same(map) ? 1 : fabs(fb_carry_determinant(map, center));
        double k = isnan(wanted) ? 1 : given ? wanted / total : volume;
        fb_carry_mass_of(job, bodies->items[i], map, k);
    }
    if (given) {
        meet_total(job, bodies, wanted);
    }
}

/* ---- height -----------------------------------------------------------------------------------
 */

typedef struct extent {
    double up[3], low, high;
    size_t n;
} extent;

static void reach(extent *e, const fb_pose *pose, const double *p) {
    double ground[3];
    fb_pose_point(ground, pose, p);
    double h = fb_v3_dot(ground, e->up);
    e->low = e->n == 0 ? h : fb_lesser(e->low, h);
    e->high = e->n == 0 ? h : fb_greater(e->high, h);
    e->n++;
}

double fb_carry_height(fb_carry_job *job) {
    fb_carry_lengths now;
    extent e = {.up = {0, 1, 0}};
    double g[3];
    if (fb_get_vector(job->model->root, "gravity", g, 3) && fb_v3_norm(g) > 0) {
        fb_v3_scale(e.up, -1 / fb_v3_norm(g), g);
    }
    if (!fb_lengths_begin(&now, job->model)) {
        return 0;
    }
    const fb_list *bodies = fb_model_items(job->model, "bodies");
    for (int i = 0; i < job->n_maps; i++) {
        const fb_surface *bone = job->maps[i].to;
        int body = fb_system_body(now.system, bodies->items[i], NULL);
        fb_pose back;
        fb_pose_inverse(&back, &job->maps[i].frame);
        for (int k = 0; bone && body >= 0 && k < bone->n_vertices; k++) {
            double p[3];
            fb_pose_point(p, &back, bone->vertices[k]);
            reach(&e, &now.state->pose[body], p);
        }
    }
    const fb_list *markers = fb_model_items(job->model, "markers");
    for (size_t i = 0; e.n == 0 && i < markers->n; i++) {
        /* markers count only where there are no bones */
        for (size_t k = 0; k < markers->n; k++) {
            fb_pose pose;
            double p[3], in_body[3];
            int body = fb_system_body(now.system, fb_get_target(markers->items[k], "frame"), &pose);
            if (body > 0 && fb_get_vector(markers->items[k], "location", p, 3)) {
                fb_pose_point(in_body, &pose, p);
                reach(&e, &now.state->pose[body], in_body);
            }
        }
        break;
    }
    fb_lengths_end(&now);
    return e.n > 1 ? e.high - e.low : 0;
}
