/* Landmarks of the talus, and of the foot below it.
 *
 * Talus: the trochlea is the cylinder of which the most is on the surface; the head the convex
 * sphere before it, the hollow behind and below it the joint surface for the calcaneus. The
 * subtalar axis joins the centres of spheres on head and hollow (Parr et al. 2012, J Biomech
 * 45:1103; Modenese and Renault 2021, J Biomech 116:110186).
 *
 * Foot: the heel's end is higher than wide, the other wider than high; the middle lies above the
 * line between both, and is higher on the inner side. */
#include "libcore/register/landmarks_internal.h"

#include <math.h>

#include "libcore/base/spatial.h"

/* ---- talus ----------------------------------------------------------------------------------- */

typedef struct {
    fb_bone_ball trochlea, head, facet;
    bool has_head, has_facet;
} talus;

/* Where the surface on the cylinder lies, seen from its axis: up. */
static bool find_trochlea(fb_bone_work *work, talus *t) {
    const fb_surface *s = work->surface;
    int n = fb_region_vertices(work, NULL);
    fb_bone_ball *ball = &t->trochlea;
    if (!fb_find_cylinder(work, work->list, n, 0.22 * work->size, 0.5 * work->size, work->axes + 3,
                          0.75, ball)) {
        return false;
    }
    for (int round = 0; round < 4; round++) {
        double up[3] = {0, 0, 0};
        for (int i = 0; i < n; i++) {
            int v = work->list[i];
            if (fb_on_cylinder(work, v, ball, 1, 0.08 * ball->radius)) {
                fb_v3_madd(up, s->area[v], work->normals[v]);
            }
        }
        fb_make_across(up, ball->axis);
        fb_v3_copy(work->y, up);
        /* only what looks up, to 65 degrees to each side */
        int m = 0;
        for (int i = 0; i < n; i++) {
            if (fb_v3_dot(work->normals[work->list[i]], up) > 0.55) {
                work->kept[m++] = work->list[i];
            }
        }
        if (!fb_refit_cylinder(work, work->kept, m, 1, 0.1, ball)) {
            return false;
        }
        double low, high;
        fb_cylinder_ends(work, work->kept, m, ball, 0.07 * ball->radius, &low, &high);
        fb_v3_madd(ball->center, (low + high) / 2, ball->axis);
    }
    return ball->radius > 0.22 * work->size && ball->radius < 0.5 * work->size;
}

/* Forward: across up and the axis, to where the bone reaches farther. */
static bool find_toward_head(fb_bone_work *work, const talus *t, double *sure) {
    double low, high;
    fb_v3_cross(work->x, work->y, t->trochlea.axis);
    if (!fb_bone_range(work, NULL, t->trochlea.center, work->x, &low, &high)) {
        return false;
    }
    if (-low > high) {
        fb_v3_scale(work->x, -1, work->x);
    }
    *sure = fb_greater(-low, high) / fb_greater(fb_lesser(-low, high), 0.01 * work->size);
    return true;
}

static void find_spheres(fb_bone_work *work, talus *t) {
    fb_bone_region region;
    double down[3], r = t->trochlea.radius;
    fb_v3_scale(down, -1, work->y);
    fb_region_start(&region, t->trochlea.center);
    fb_region_limit(&region, work->x, 0.75 * r, HUGE_VAL);
    fb_region_face(&region, work->x, 0.1);
    int n = fb_region_vertices(work, &region);
    t->has_head = fb_find_sphere(work, work->list, n, 0.5 * r, 1.4 * r, 1, 0.1, &t->head);
    fb_region_start(&region, t->trochlea.center);
    fb_region_limit(&region, work->x, -HUGE_VAL, 0.7 * r);
    fb_region_limit(&region, work->y, -HUGE_VAL, 0.3 * r);
    fb_region_face(&region, down, 0.3);
    n = fb_region_vertices(work, &region);
    t->has_facet = fb_find_sphere(work, work->list, n, 0.6 * r, 2.5 * r, -1, 0.03, &t->facet) &&
                   t->facet.n >= 20;
}

bool fb_talus_landmarks(fb_bone_work *work) {
    talus t = {.has_head = false};
    double sure = 1, point[3], lateral[3], down[3], back[3];
    if (!find_trochlea(work, &t)) {
        work->failure = "no part of it is round like a trochlea";
        return false;
    }
    if (!find_toward_head(work, &t, &sure)) {
        work->failure = "it has no head";
        return false;
    }
    find_spheres(work, &t);
    if (!t.has_head) {
        work->failure = "no sphere fits a head before the trochlea";
        return false;
    }
    /* the head turns to the inner side */
    double d[3];
    fb_v3_sub(d, t.head.center, t.trochlea.center);
    double inward = fb_v3_dot(d, t.trochlea.axis);
    fb_v3_scale(lateral, inward > 0 ? -1 : 1, t.trochlea.axis);
    fb_bone_judge_side(work, lateral, 1 + 4 * fabs(inward) / t.trochlea.radius);
    fb_bone_set_frame(work, t.trochlea.center);
    if (fb_v3_dot(t.trochlea.axis, work->z) < 0) {
        fb_v3_scale(t.trochlea.axis, -1, t.trochlea.axis);
    }
    fb_bone_add_fit(work, "ankle_axis", &t.trochlea, true);
    fb_bone_add(work, "ankle_center", t.trochlea.center);
    fb_v3_copy(point, t.trochlea.center);
    fb_v3_madd(point, t.trochlea.radius, work->y);
    fb_bone_add(work, "trochlea_top", point);
    fb_bone_add_fit(work, "talar_head", &t.head, false);
    fb_bone_add(work, "talar_head", t.head.center);
    if (t.has_facet) {
        fb_bone_ball axis = t.head;
        fb_bone_add_fit(work, "talocalcaneal_facet", &t.facet, false);
        fb_bone_add(work, "talocalcaneal_center", t.facet.center);
        fb_v3_sub(axis.axis, t.head.center, t.facet.center);
        if (fb_v3_normalize(axis.axis) > 0) {
            axis.rms = fb_greater(t.head.rms, t.facet.rms);
            fb_bone_add_fit(work, "subtalar_axis", &axis, true);
        }
    }
    if (fb_bone_extreme(work, NULL, work->x, point)) {
        fb_bone_add(work, "talar_head_front", point);
    }
    fb_v3_scale(back, -1, work->x);
    if (fb_bone_extreme(work, NULL, back, point)) {
        fb_bone_add(work, "posterior_process", point);
    }
    fb_v3_scale(down, -0.5, work->y);
    fb_v3_madd(down, 0.87, lateral);
    if (fb_bone_extreme(work, NULL, down, point)) {
        fb_bone_add(work, "lateral_process", point);
    }
    return true;
}

/* ---- foot ------------------------------------------------------------------------------------ */

/* Section of the foot at a part of its length from the heel: centre, and its wide direction. */
static bool foot_slice(fb_bone_work *work, double part, double *center, double *wide,
                       double *spread) {
    const fb_surface *s = work->surface;
    double low, high, u[3], v[3], xx = 0, yy = 0, xy = 0, sum = 0;
    fb_bone_range(work, NULL, s->center, work->x, &low, &high);
    fb_across(work->x, u, v);
    double at = low + part * (high - low), half = 0.06 * (high - low);
    if (fb_bone_slice(work, s->center, work->x, at, half, u, v, center, NULL) < 5) {
        return false;
    }
    for (int i = 0; i < s->n_vertices; i++) {
        double d[3];
        fb_v3_sub(d, s->vertices[i], s->center);
        if (fabs(fb_v3_dot(d, work->x) - at) > half) {
            continue;
        }
        fb_v3_sub(d, s->vertices[i], center);
        double a = fb_v3_dot(d, u), b = fb_v3_dot(d, v);
        xx += s->area[i] * a * a;
        yy += s->area[i] * b * b;
        xy += s->area[i] * a * b;
        sum += s->area[i];
    }
    double angle = atan2(2 * xy, xx - yy) / 2, mean = (xx + yy) / 2 / sum;
    double rest = sqrt(pow((xx - yy) / 2, 2) + xy * xy) / sum;
    for (int k = 0; k < 3; k++) {
        wide[k] = cos(angle) * u[k] + sin(angle) * v[k];
    }
    spread[0] = sqrt(mean + rest);
    spread[1] = sqrt(fb_greater(mean - rest, 0));
    return true;
}

/* x to the toes, y up; which side is higher in the middle. */
static bool find_foot_axes(fb_bone_work *work, double *medial, double *sure) {
    double ends[2][3], wide[2][3], spread[2][2], middle[3], ignored[3], mid_spread[2];
    fb_v3_copy(work->x, work->axes);
    if (!foot_slice(work, 0.1, ends[0], wide[0], spread[0]) ||
        !foot_slice(work, 0.9, ends[1], wide[1], spread[1])) {
        return false;
    }
    int front = spread[1][0] / spread[1][1] > spread[0][0] / spread[0][1];
    if (!front) {
        fb_v3_scale(work->x, -1, work->x);
    }
    double flat = spread[front][0] / spread[front][1];
    if (flat < 1.8 || flat < 1.3 * spread[!front][0] / spread[!front][1] ||
        !foot_slice(work, 0.35, middle, ignored, mid_spread)) {
        return false;
    }
    double line[3], d[3];
    fb_v3_sub(line, ends[front], ends[!front]);
    fb_v3_sub(d, middle, ends[!front]);
    fb_v3_cross(work->y, wide[front], line);
    fb_v3_normalize(work->y);
    double above = fb_v3_dot(d, work->y);
    if (above < 0) {
        fb_v3_scale(work->y, -1, work->y);
    }
    if (fabs(above) < 0.02 * work->size) {
        return false;
    }
    fb_v3_normalize(line);
    fb_v3_copy(work->x, line);
    fb_v3_cross(medial, work->x, work->y);
    /* higher on the inner side: the slope of the section between middle and front */
    const fb_surface *s = work->surface;
    double low, high, center[3], slope = 0, size = 0;
    fb_bone_range(work, NULL, s->center, work->x, &low, &high);
    double at = low + 0.6 * (high - low), half = 0.15 * (high - low);
    if (fb_bone_slice(work, s->center, work->x, at, half, medial, work->y, center, NULL) < 5) {
        return false;
    }
    for (int i = 0; i < s->n_vertices; i++) {
        fb_v3_sub(d, s->vertices[i], s->center);
        if (fabs(fb_v3_dot(d, work->x) - at) < half) {
            fb_v3_sub(d, s->vertices[i], center);
            double a = fb_v3_dot(d, medial), b = fb_v3_dot(d, work->y);
            slope += s->area[i] * a * b;
            size += s->area[i] * (a * a + b * b) / 2;
        }
    }
    if (slope < 0) {
        fb_v3_scale(medial, -1, medial);
    }
    *sure = 1 + 8 * fabs(slope) / size;
    return true;
}

/* Range along x in which the foot stands on its metatarsal heads: without the toes, which make a
 * foot more than 2.9 times as long as it is wide. */
static void find_front(fb_bone_work *work, const double *across, double *from, double *to) {
    double low, high, left, right;
    fb_bone_range(work, NULL, work->surface->center, work->x, &low, &high);
    fb_bone_range(work, NULL, work->surface->center, across, &left, &right);
    bool toes = high - low > 2.9 * (right - left);
    *to = low + (toes ? 0.76 : 1) * (high - low) + 1e-9;
    *from = low + 0.72 * (*to - low);
}

/* Up, forward and to the outer side from the three points on which the foot stands. */
static bool stand(fb_bone_work *work, double *medial, double *lateral, double *heel, double *first,
                  double *fifth) {
    for (int round = 0; round < 5; round++) {
        fb_bone_region region;
        double low, high, from, to, down[3], a[3], b[3], up[3], right[3];
        fb_bone_range(work, NULL, work->surface->center, work->x, &low, &high);
        find_front(work, medial, &from, &to);
        fb_v3_scale(down, -1, work->y);
        fb_region_start(&region, work->surface->center);
        fb_region_limit(&region, work->x, low, low + 0.3 * (high - low));
        if (!fb_bone_extreme(work, &region, down, heel)) {
            return false;
        }
        for (int k = 0; k < 2; k++) {
            fb_region_start(&region, work->surface->center);
            fb_region_limit(&region, work->x, from, to);
            fb_region_limit(&region, k == 0 ? medial : lateral, 0.05 * (high - low), HUGE_VAL);
            if (!fb_bone_extreme(work, &region, down, k == 0 ? first : fifth)) {
                return false;
            }
        }
        fb_v3_sub(a, first, heel);
        fb_v3_sub(b, fifth, heel);
        fb_v3_cross(up, a, b);
        fb_v3_normalize(up);
        if (fb_v3_dot(up, work->y) < 0) {
            fb_v3_scale(up, -1, up);
        }
        if (fb_v3_dot(up, work->y) < 0.7) {
            return false;
        }
        fb_v3_copy(work->y, up);
        for (int k = 0; k < 3; k++) {
            work->x[k] = (first[k] + fifth[k]) / 2 - heel[k];
        }
        fb_make_across(work->x, work->y);
        fb_v3_cross(right, work->x, work->y);
        fb_v3_scale(lateral, fb_v3_dot(right, lateral) < 0 ? -1 : 1, right);
        fb_v3_scale(medial, -1, lateral);
    }
    return true;
}

bool fb_foot_landmarks(fb_bone_work *work) {
    double medial[3], lateral[3], sure = 1, from, to, point[3], toward[3];
    double heel[3], first[3], fifth[3];
    if (work->high[1] - work->low[1] > 0.5 * (work->high[0] - work->low[0])) {
        work->failure = "it is too short for a foot with its metatarsal bones";
        return false;
    }
    if (!find_foot_axes(work, medial, &sure)) {
        work->failure = "it has no heel that is high and no front that is wide";
        return false;
    }
    fb_v3_scale(lateral, -1, medial);
    fb_bone_judge_side(work, lateral, sure);
    if (!stand(work, medial, lateral, heel, first, fifth)) {
        work->failure = "it does not stand on heel and metatarsal heads";
        return false;
    }
    fb_bone_set_frame(work, heel);
    fb_bone_add(work, "heel_bottom", heel);
    fb_bone_add(work, "metatarsal_1_bottom", first);
    fb_bone_add(work, "metatarsal_5_bottom", fifth);
    fb_v3_scale(toward, -1, work->x);
    if (fb_bone_extreme(work, NULL, toward, point)) {
        fb_bone_add(work, "heel", point);
    }
    find_front(work, medial, &from, &to);
    for (int k = 0; k < 2; k++) {
        fb_bone_region region;
        fb_region_start(&region, work->surface->center);
        fb_region_limit(&region, work->x, from, to);
        if (fb_bone_extreme(work, &region, k == 0 ? medial : lateral, point)) {
            fb_bone_add(work, k == 0 ? "metatarsal_head_1" : "metatarsal_head_5", point);
        }
    }
    return true;
}
