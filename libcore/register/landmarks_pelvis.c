/* Landmarks of the pelvis and of one hip bone.
 *
 * The cup is the hollow sphere of which the most is on the surface. The ilium reaches farthest from
 * it, so it tells what is up; the pubis, the innermost part below, lies before the ischium, the
 * lowest: that tells forward. The pelvis' own axes are then those of its spines (Wu et al. 2002, J
 * Biomech 35:543): z from the left to the right anterior superior one, x from the middle of the
 * posterior ones to that of the anterior ones. Of one hip bone, whose other half is not there, they
 * follow from its own spines and symphysis as they lie in a mean pelvis. */
#include "libcore/register/landmarks_internal.h"

#include <math.h>

#include "libcore/base/spatial.h"

enum { ASIS, PSIS, SYMPHYSIS, TUBERCLE, ISCHIUM, CREST, SIDE, SPOTS };

static const char *const spot_names[2][SPOTS] = {
    {"asis_r", "psis_r", "pubic_symphysis", "pubic_tubercle_r", "ischial_tuberosity_r",
     "iliac_crest_top_r", "iliac_crest_side_r"},
    {"asis_l", "psis_l", "pubic_symphysis", "pubic_tubercle_l", "ischial_tuberosity_l",
     "iliac_crest_top_l", "iliac_crest_side_l"},
};

/* One half: `out` points from the middle to it, and is across x and y. */
typedef struct {
    fb_bone_ball cup;
    double out[3];
    double reach;      /* distance of the farthest point of the half from the cup's centre */
    double half_width; /* from the plane of symmetry to the cup's centre; 0: not known */
    double spots[SPOTS][3];
    bool has[SPOTS];
} hip;

static void half_region(fb_bone_region *region, const hip *h) {
    fb_region_start(region, h->cup.center);
    if (h->half_width > 0) {
        fb_region_limit(region, h->out, -h->half_width, HUGE_VAL);
    }
}

/* The direction of the farthest point from the cup: up, and how far. */
static void find_up(fb_bone_work *work, hip *h) {
    const fb_surface *s = work->surface;
    fb_bone_region region;
    half_region(&region, h);
    int n = fb_region_vertices(work, &region);
    for (int i = 0; i < n; i++) {
        double d[3];
        fb_v3_sub(d, s->vertices[work->list[i]], h->cup.center);
        double r = fb_v3_norm(d);
        if (r > h->reach) {
            h->reach = r;
            fb_v3_copy(work->y, d);
        }
    }
    if (h->half_width > 0) {
        fb_make_across(work->y, h->out);
    } else { /* the cup opens outward and down: of both directions, that up is the surer */
        fb_v3_normalize(work->y);
        fb_make_across(h->out, work->y);
    }
}

/* Forward, across y and out, by the pubis and the ischium; how sure. */
static bool find_forward(fb_bone_work *work, const hip *h, double *sure) {
    fb_bone_region region;
    double in[3], down[3], pubis[3], ischium[3], d[3];
    fb_v3_cross(work->x, work->y, h->out);
    fb_v3_scale(in, -1, h->out);
    fb_v3_scale(down, -1, work->y);
    half_region(&region, h);
    fb_region_limit(&region, work->y, -HUGE_VAL, 0.15 * h->reach);
    if (!fb_bone_extreme(work, &region, in, pubis)) {
        return false;
    }
    if (!fb_bone_extreme(work, &region, down, ischium)) {
        return false;
    }
    fb_v3_sub(d, pubis, ischium);
    double before = fb_v3_dot(d, work->x);
    if (before < 0) {
        fb_v3_scale(work->x, -1, work->x);
    }
    *sure = 1 + 4 * fabs(before) / h->reach;
    return true;
}

/* An extreme point of the half within ranges of x, y and out from the cup's centre (in parts of the
 * reach), along a direction given by its parts of x, y, out. */
static void find_spot(fb_bone_work *work, hip *h, int spot, const double *x, const double *y,
                      const double *out, const double *direction) {
    fb_bone_region region;
    double toward[3] = {0, 0, 0};
    fb_region_start(&region, h->cup.center);
    fb_region_limit(&region, work->x, x[0] * h->reach, x[1] * h->reach);
    fb_region_limit(&region, work->y, y[0] * h->reach, y[1] * h->reach);
    fb_region_limit(&region, h->out, out[0], out[1]);
    fb_v3_madd(toward, direction[0], work->x);
    fb_v3_madd(toward, direction[1], work->y);
    fb_v3_madd(toward, direction[2], h->out);
    fb_v3_normalize(toward);
    h->has[spot] = fb_bone_extreme(work, &region, toward, h->spots[spot]);
}

static void find_spots(fb_bone_work *work, hip *h) {
    const double any[2] = {-2, 2}, all[2] = {-HUGE_VAL, HUGE_VAL};
    double r = h->reach;
    /* the innermost of the pubis; of a whole pelvis the plane of symmetry */
    double inner = -h->half_width;
    if (!(h->half_width > 0)) {
        fb_bone_region region;
        double high;
        fb_region_start(&region, h->cup.center);
        fb_region_limit(&region, work->y, -0.5 * r, 0.2 * r);
        fb_region_limit(&region, work->x, 0, HUGE_VAL);
        if (!fb_bone_range(work, &region, h->cup.center, h->out, &inner, &high)) {
            inner = -0.6 * r;
        }
    }
    const double half[2] = {inner, HUGE_VAL};
    const double back[2] = {inner + 0.1 * r, HUGE_VAL};
    const double middle[2] = {inner, inner + 0.08 * r};
    const double beside[2] = {inner + 0.08 * r, inner + 0.28 * r};
    find_spot(work, h, ASIS, (double[2]){0, 2}, (double[2]){0.36, 2}, half,
              (double[3]){1, 0, 0.15});
    find_spot(work, h, PSIS, (double[2]){-2, 0}, (double[2]){0.3, 2}, back, (double[3]){-1, 0, 0});
    find_spot(work, h, SYMPHYSIS, (double[2]){0, 2}, (double[2]){-0.6, 0.3}, middle,
              (double[3]){1, 0.35, 0});
    find_spot(work, h, TUBERCLE, (double[2]){0, 2}, (double[2]){-0.6, 0.3}, beside,
              (double[3]){1, 0.7, 0});
    if (h->has[TUBERCLE]) { /* only if it stands out, and is not just the edge of the region */
        double d[3];
        fb_v3_sub(d, h->spots[TUBERCLE], h->cup.center);
        double out = fb_v3_dot(d, h->out);
        h->has[TUBERCLE] = out > beside[0] + 0.03 * r && out < beside[1] - 0.03 * r;
    }
    find_spot(work, h, ISCHIUM, any, (double[2]){-2, 0}, half, (double[3]){-0.5, -0.87, 0});
    find_spot(work, h, CREST, any, (double[2]){0.3, 2}, half, (double[3]){0, 1, 0});
    find_spot(work, h, SIDE, any, (double[2]){0.3, 2}, all, (double[3]){0, 0, 1});
}

static void add_half(fb_bone_work *work, const hip *h, bool left) {
    static const char *const centers[2] = {"hip_center_r", "hip_center_l"};
    fb_bone_add(work, centers[left], h->cup.center);
    fb_bone_add_fit(work, centers[left], &h->cup, false);
    for (int k = 0; k < SPOTS; k++) {
        if (h->has[k] && k != SYMPHYSIS) {
            fb_bone_add(work, spot_names[left][k], h->spots[k]);
        }
    }
}

/* The mean direction in which the cup opens. */
static bool cup_opening(fb_bone_work *work, const fb_bone_ball *cup, double *direction) {
    const fb_surface *s = work->surface;
    fb_v3_set(direction, 0, 0, 0);
    for (int i = 0; i < s->n_vertices; i++) {
        double d[3];
        fb_v3_sub(d, cup->center, s->vertices[i]);
        double r = fb_v3_normalize(d);
        if (fabs(r - cup->radius) < 0.1 * cup->radius && fb_v3_dot(d, work->normals[i]) > 0.8) {
            fb_v3_madd(direction, s->area[i], d);
        }
    }
    return fb_v3_normalize(direction) > 0;
}

/* ---- one hip bone ---------------------------------------------------------------------------- */

/* x, y and out from the spines and the symphysis as they lie in a mean pelvis (mm, of two people:
 * from the posterior to the anterior spine, and from the symphysis to it). */
static bool axes_of_spots(fb_bone_work *work, hip *h) {
    static const double mean[2][3] = {{134, -2, 78}, {-8, 92, 119}};
    double frames[2][9];
    if (!h->has[ASIS] || !h->has[PSIS] || !h->has[SYMPHYSIS]) {
        return false;
    }
    /* in (x, y, out), which of a left bone is left-handed: turn it into one that is not */
    double cross[3];
    fb_v3_cross(cross, work->x, work->y);
    double hand = fb_v3_dot(cross, h->out) < 0 ? -1 : 1;
    for (int k = 0; k < 2; k++) {
        double a[3], b[3], c[3];
        if (k == 0) {
            fb_v3_copy(a, mean[0]);
            fb_v3_copy(b, mean[1]);
            a[2] *= hand;
            b[2] *= hand;
        } else {
            fb_v3_sub(a, h->spots[ASIS], h->spots[PSIS]);
            fb_v3_sub(b, h->spots[ASIS], h->spots[SYMPHYSIS]);
        }
        fb_v3_normalize(a);
        fb_make_across(b, a);
        fb_v3_cross(c, a, b);
        for (int i = 0; i < 3; i++) {
            frames[k][3 * i] = a[i];
            frames[k][3 * i + 1] = b[i];
            frames[k][3 * i + 2] = c[i];
        }
    }
    double turn[9];
    fb_m3_mult(turn, frames[1], frames[0]);
    for (int i = 0; i < 3; i++) {
        work->x[i] = turn[3 * i];
        work->y[i] = turn[3 * i + 1];
        h->out[i] = hand * turn[3 * i + 2];
    }
    return true;
}

bool fb_hemipelvis_landmarks(fb_bone_work *work) {
    hip h = {.reach = 0};
    double sure = 1;
    int n = fb_region_vertices(work, NULL);
    if (!fb_find_sphere(work, work->list, n, 0.08 * work->size, 0.17 * work->size, -1, 0.12,
                        &h.cup) ||
        !cup_opening(work, &h.cup, h.out)) {
        work->failure = "it has no hollow like the cup of a hip";
        return false;
    }
    find_up(work, &h);
    if (h.reach < 3.5 * h.cup.radius || h.reach > 9 * h.cup.radius ||
        !find_forward(work, &h, &sure)) {
        work->failure = "its parts do not lie around the cup as those of a hip bone";
        return false;
    }
    for (int round = 0; round < 5; round++) {
        find_spots(work, &h);
        if (!axes_of_spots(work, &h)) {
            work->failure = "it has no spines and symphysis";
            return false;
        }
    }
    find_spots(work, &h);
    fb_bone_judge_side(work, h.out, sure);
    fb_bone_set_frame(work, h.cup.center);
    bool left = work->found == 'l';
    add_half(work, &h, left);
    if (h.has[SYMPHYSIS]) {
        fb_bone_add(work, "pubic_symphysis", h.spots[SYMPHYSIS]);
    }
    return true;
}

/* ---- the whole pelvis ------------------------------------------------------------------------ */

/* Both cups: the best hollow sphere, and the best one that is far from it and of its size. */
static bool find_cups(fb_bone_work *work, fb_bone_ball *a, fb_bone_ball *b) {
    const fb_surface *s = work->surface;
    int n = fb_region_vertices(work, NULL);
    if (!fb_find_sphere(work, work->list, n, 0.06 * work->size, 0.13 * work->size, -1, 0.12, a)) {
        return false;
    }
    int m = 0;
    for (int i = 0; i < s->n_vertices; i++) {
        if (fb_v3_distance(s->vertices[i], a->center) > 3.5 * a->radius) {
            work->kept[m++] = i;
        }
    }
    if (!fb_find_sphere(work, work->kept, m, 0.85 * a->radius, 1.15 * a->radius, -1, 0.12, b)) {
        return false;
    }
    double d = fb_v3_distance(a->center, b->center);
    return d > 4.5 * a->radius && d < 11 * a->radius;
}

/* z from the cups, then from the spines; x and y follow. */
static bool axes_of_pelvis(fb_bone_work *work, hip *right, hip *left) {
    double anterior[3], posterior[3];
    for (int k = 0; k < SPOTS; k++) {
        if (k != TUBERCLE && !(right->has[k] && left->has[k])) {
            return false;
        }
    }
    for (int k = 0; k < 3; k++) {
        anterior[k] = (right->spots[ASIS][k] + left->spots[ASIS][k]) / 2;
        posterior[k] = (right->spots[PSIS][k] + left->spots[PSIS][k]) / 2;
    }
    fb_v3_sub(work->z, right->spots[ASIS], left->spots[ASIS]);
    fb_v3_normalize(work->z);
    fb_v3_sub(work->x, anterior, posterior);
    fb_make_across(work->x, work->z);
    fb_v3_cross(work->y, work->z, work->x);
    fb_v3_copy(right->out, work->z);
    fb_v3_scale(left->out, -1, work->z);
    double d[3];
    fb_v3_sub(d, right->cup.center, left->cup.center);
    right->half_width = left->half_width = fb_v3_dot(d, work->z) / 2;
    return true;
}

bool fb_pelvis_landmarks(fb_bone_work *work) {
    hip right = {.reach = 0}, left = {.reach = 0};
    double sure = 1;
    if (!find_cups(work, &right.cup, &left.cup)) {
        work->failure = "it has no two hollows like the cups of hips";
        return false;
    }
    fb_v3_sub(right.out, right.cup.center, left.cup.center);
    right.half_width = left.half_width = fb_v3_normalize(right.out) / 2;
    fb_v3_scale(left.out, -1, right.out);
    find_up(work, &right);
    find_up(work, &left);
    if (!find_forward(work, &left, &sure)) {
        work->failure = "its parts do not lie around the cups as those of a pelvis";
        return false;
    }
    /* x and y say which is the right one */
    double z[3];
    fb_v3_cross(z, work->x, work->y);
    if (fb_v3_dot(z, right.out) < 0) {
        hip other = right;
        right = left;
        left = other;
    }
    for (int round = 0; round < 5; round++) {
        find_spots(work, &right);
        find_spots(work, &left);
        if (!axes_of_pelvis(work, &right, &left)) {
            work->failure = "it has no spines and pubic bones on both sides";
            return false;
        }
    }
    find_spots(work, &right);
    find_spots(work, &left);
    double middle[3], symphysis[3];
    for (int k = 0; k < 3; k++) {
        middle[k] = (right.cup.center[k] + left.cup.center[k]) / 2;
        symphysis[k] = (right.spots[SYMPHYSIS][k] + left.spots[SYMPHYSIS][k]) / 2;
    }
    fb_bone_set_frame(work, middle);
    add_half(work, &right, false);
    add_half(work, &left, true);
    fb_bone_add(work, "pubic_symphysis", symphysis);
    return true;
}
