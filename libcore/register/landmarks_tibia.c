/* Landmarks of the tibia, with or without the fibula, and of the fibula alone.
 *
 * The end with the larger section is the upper one. The plateau is widest from side to side, and it
 * overhangs the shaft to behind. The inner side is where the lower end reaches farthest down (the
 * medial malleolus); where there is a fibula, it is the side away from it. */
#include "libcore/register/landmarks_internal.h"

#include <math.h>

#include "libcore/base/spatial.h"

typedef struct {
    double bottom, top, length; /* along y from the surface's centre, of the tibia alone */
    double plateau[3];          /* centre of the section below it */
    double width;               /* standard deviation of that section from side to side */
    int fibula;                 /* its piece; -1: none */
    bool fused;                 /* there is one, but it hangs together with the tibia */
    double fibula_side[3];      /* if fused: towards it */
} tibia;

/* Area of the section at a height (part of the length), its centre and moments in u, v. */
static bool section_at(fb_bone_work *work, const tibia *t, double part, const double *u,
                       const double *v, double *center, double *area, double *moments) {
    double height = t->bottom + part * t->length, spread[2];
    if (fb_bone_section(work, work->surface->center, work->y, height, u, v, center, area,
                        moments)) {
        return true;
    }
    if (fb_bone_slice(work, work->surface->center, work->y, height, 0.02 * t->length, u, v, center,
                      spread) < 6) {
        return false;
    }
    /* an open outline: as if it were an ellipse of that spread */
    *area = 6.28 * spread[0] * spread[1];
    moments[0] = spread[0] * spread[0] / 2;
    moments[1] = spread[1] * spread[1] / 2;
    moments[2] = 0;
    return true;
}

/* The piece that could be the fibula: as long as the tibia nearly, and thinner. */
static int find_fibula(fb_bone_work *work) {
    for (int k = 1; k < work->n_pieces && k < 4; k++) {
        double low, high;
        work->only = k;
        bool long_enough = fb_bone_range(work, NULL, work->surface->center, work->axes, &low,
                                         &high) &&
                           high - low > 0.6 * work->size;
        work->only = -1;
        if (long_enough) {
            return k;
        }
    }
    return -1;
}

/* Whether the middle sections are of two bones: much more spread out than one of their area; the
 * thinner one is where they reach farther from their centre. */
static bool find_fused(fb_bone_work *work, tibia *t) {
    double u[3], v[3], center[3], area, moments[3], low, high;
    fb_across(work->y, u, v);
    if (!section_at(work, t, 0.5, u, v, center, &area, moments) ||
        moments[0] + moments[1] < 2.2 * area / 6.283) {
        return false;
    }
    double angle = atan2(2 * moments[2], moments[0] - moments[1]) / 2;
    for (int k = 0; k < 3; k++) {
        t->fibula_side[k] = cos(angle) * u[k] + sin(angle) * v[k];
    }
    fb_bone_region region;
    fb_region_start(&region, center);
    fb_region_limit(&region, work->y, -0.05 * t->length, 0.05 * t->length);
    if (!fb_bone_range(work, &region, center, t->fibula_side, &low, &high)) {
        return false;
    }
    if (-low > high) {
        fb_v3_scale(t->fibula_side, -1, t->fibula_side);
    }
    return true;
}

/* Which way is up; and the heights of both ends. */
static bool find_up(fb_bone_work *work, tibia *t) {
    double area[2] = {0, 0}, u[3], v[3];
    fb_v3_copy(work->y, work->axes);
    fb_across(work->y, u, v);
    if (!fb_bone_range(work, NULL, work->surface->center, work->y, &t->bottom, &t->top)) {
        return false;
    }
    t->length = t->top - t->bottom;
    for (int k = 0; k < 2; k++) {
        for (int step = 0; step < 5; step++) {
            double part = 0.03 + 0.02 * step, center[3], a, moments[3];
            if (section_at(work, t, k == 0 ? part : 1 - part, u, v, center, &a, moments)) {
                area[k] = fb_greater(area[k], a);
            }
        }
    }
    if (area[0] > area[1]) {
        fb_v3_scale(work->y, -1, work->y);
        double low = t->bottom;
        t->bottom = -t->top;
        t->top = -low;
    }
    return fb_greater(area[0], area[1]) > 1.3 * fb_lesser(area[0], area[1]);
}

/* Forward and the inner side; how sure. */
static bool find_sides(fb_bone_work *work, tibia *t, double *medial, double *sure) {
    double u[3], v[3], area, moments[3], high[3], low[3], line[3], d[3];
    fb_across(work->y, u, v);
    if (!section_at(work, t, 0.965, u, v, t->plateau, &area, moments) ||
        !section_at(work, t, 0.75, u, v, high, &area, (double[3]){0}) ||
        !section_at(work, t, 0.45, u, v, low, &area, (double[3]){0})) {
        return false;
    }
    /* the wide direction of the plateau */
    double angle = atan2(2 * moments[2], moments[0] - moments[1]) / 2, wide[3], deep[3];
    for (int k = 0; k < 3; k++) {
        wide[k] = cos(angle) * u[k] + sin(angle) * v[k];
    }
    fb_v3_cross(deep, work->y, wide);
    t->width = sqrt((moments[0] + moments[1]) / 2 +
                    sqrt(pow((moments[0] - moments[1]) / 2, 2) + moments[2] * moments[2]));
    fb_v3_sub(line, high, low);
    fb_v3_sub(d, t->plateau, low);
    fb_v3_madd(d, -fb_v3_dot(d, work->y) / fb_v3_dot(line, work->y), line);
    double back = fb_v3_dot(d, deep);
    fb_v3_scale(work->x, back > 0 ? -1 : 1, deep);
    double sure_back = fabs(back) / t->width;
    /* the malleolus, against the shaft's end */
    double out;
    if (t->fibula >= 0) {
        int only = work->only;
        double other[3];
        fb_bone_region region;
        fb_region_start(&region, work->surface->center);
        work->only = t->fibula;
        fb_bone_mean(work, &region, other);
        work->only = only;
        fb_v3_sub(d, low, other);
        out = fb_v3_dot(d, wide);
    } else if (t->fused) {
        out = -t->width * fb_v3_dot(t->fibula_side, wide);
    } else {
        double tip[3], down[3];
        fb_v3_scale(down, -1, work->y);
        if (!section_at(work, t, 0.08, u, v, low, &area, moments) ||
            !fb_bone_extreme(work, NULL, down, tip)) {
            return false;
        }
        fb_v3_sub(d, tip, low);
        out = fb_v3_dot(d, wide);
    }
    fb_v3_scale(medial, out < 0 ? -1 : 1, wide);
    *sure = 1 + 6 * fb_lesser(sure_back, fabs(out) / t->width);
    return true;
}

/* Centre of each half of the plateau, of what looks up; `out` leads from the middle. */
static bool plateau_half(fb_bone_work *work, const tibia *t, const double *out, double *point) {
    fb_bone_region region;
    fb_region_start(&region, t->plateau);
    fb_region_limit(&region, out, 0.3 * t->width, 1.9 * t->width);
    fb_region_limit(&region, work->y, -0.02 * t->length, HUGE_VAL);
    fb_region_limit(&region, work->x, -1.3 * t->width, 1.0 * t->width);
    fb_region_face(&region, work->y, 0.85);
    return fb_bone_mean(work, &region, point);
}

/* Centre of the lower joint surface, of what looks down beside the malleolus. */
static bool plafond(fb_bone_work *work, const tibia *t, const double *medial, double *point) {
    double u[3], v[3], area, moments[3], center[3], down[3];
    fb_across(work->y, u, v);
    fb_v3_scale(down, -1, work->y);
    if (!section_at(work, t, 0.06, u, v, center, &area, moments)) {
        return false;
    }
    fb_bone_region region;
    fb_region_start(&region, center);
    fb_region_limit(&region, medial, -0.8 * t->width, 0.5 * t->width);
    fb_region_limit(&region, work->y, -0.06 * t->length, 0.02 * t->length);
    fb_region_face(&region, down, 0.8);
    return fb_bone_mean(work, &region, point);
}

static void add_fibula(fb_bone_work *work, const double *lateral) {
    double point[3], low, high;
    fb_bone_region region;
    if (fb_bone_extreme(work, NULL, work->y, point)) {
        fb_bone_add(work, "fibular_head", point);
    }
    if (!fb_bone_range(work, NULL, work->surface->center, work->y, &low, &high)) {
        return;
    }
    fb_region_start(&region, work->surface->center);
    fb_region_limit(&region, work->y, low, low + 0.1 * (high - low));
    if (fb_bone_extreme(work, &region, lateral, point)) {
        fb_bone_add(work, "lateral_malleolus", point);
    }
    double down[3];
    fb_v3_scale(down, -1, work->y);
    if (fb_bone_extreme(work, NULL, down, point)) {
        fb_bone_add(work, "lateral_malleolus_tip", point);
    }
}

static void add_tibia(fb_bone_work *work, const tibia *t, const double *medial) {
    double point[3], lateral[3], down[3], u[3], v[3], area, moments[3];
    fb_v3_scale(lateral, -1, medial);
    fb_v3_scale(down, -1, work->y);
    fb_across(work->y, u, v);
    fb_bone_region region;
    fb_region_start(&region, t->plateau);
    fb_region_limit(&region, work->y, -0.05 * t->length, HUGE_VAL);
    if (fb_bone_extreme(work, &region, medial, point)) {
        fb_bone_add(work, "medial_condyle", point);
    }
    if (!t->fused && fb_bone_extreme(work, &region, lateral, point)) {
        fb_bone_add(work, "lateral_condyle", point);
    }
    fb_region_start(&region, t->plateau);
    fb_region_limit(&region, work->y, -0.17 * t->length, -0.05 * t->length);
    if (fb_bone_extreme(work, &region, work->x, point)) {
        double d[3];
        fb_v3_sub(d, point, t->plateau);
        if (fb_v3_dot(d, work->y) < -0.055 * t->length &&
            fb_v3_dot(d, work->y) > -0.165 * t->length) {
            fb_bone_add(work, "tibial_tuberosity", point);
        }
    }
    fb_region_start(&region, work->surface->center);
    fb_region_limit(&region, work->y, -HUGE_VAL, t->bottom + 0.08 * t->length);
    if (fb_bone_extreme(work, &region, medial, point)) {
        fb_bone_add(work, "medial_malleolus", point);
    }
    if (t->fused) {
        return; /* the rest would be of both bones */
    }
    if (fb_bone_extreme(work, &region, down, point)) {
        fb_bone_add(work, "medial_malleolus_tip", point);
    }
    static const char *const names[3] = {"shaft_distal", "shaft_middle", "shaft_proximal"};
    for (int k = 0; k < 3; k++) {
        if (section_at(work, t, 0.3 + 0.2 * k, u, v, point, &area, moments)) {
            fb_bone_add(work, names[k], point);
        }
    }
}

bool fb_tibia_landmarks(fb_bone_work *work) {
    tibia t = {.fibula = find_fibula(work)};
    double medial[3], sure, point[3], halves[2][3], low[3];
    work->only = t.fibula >= 0 ? 0 : -1;
    if (!find_up(work, &t)) {
        work->failure = "neither end of it is much thicker than the other";
        return false;
    }
    t.fused = t.fibula < 0 && find_fused(work, &t);
    if (!find_sides(work, &t, medial, &sure)) {
        work->failure = "it has no sections like a plateau and a shaft";
        return false;
    }
    double lateral[3];
    fb_v3_scale(lateral, -1, medial);
    fb_bone_judge_side(work, lateral, sure);
    if (!plateau_half(work, &t, medial, halves[0]) || !plateau_half(work, &t, lateral, halves[1]) ||
        !plafond(work, &t, medial, low)) {
        work->failure = "it has no joint surfaces above and below";
        return false;
    }
    for (int k = 0; k < 3; k++) {
        point[k] = (halves[0][k] + halves[1][k]) / 2;
    }
    /* the bone's own axes: y from the lower to the upper joint surface, x as before */
    fb_v3_sub(work->y, point, low);
    fb_v3_normalize(work->y);
    fb_v3_sub(medial, halves[0], halves[1]);
    fb_make_across(medial, work->y);
    double forward[3];
    fb_v3_cross(forward, medial, work->y);
    fb_v3_scale(work->x, fb_v3_dot(forward, work->x) < 0 ? -1 : 1, forward);
    fb_bone_set_frame(work, point);
    fb_bone_range(work, NULL, work->surface->center, work->y, &t.bottom, &t.top);
    fb_bone_add(work, "plateau_center", point);
    fb_bone_add(work, "medial_plateau", halves[0]);
    fb_bone_add(work, "lateral_plateau", halves[1]);
    if (!t.fused) {
        fb_bone_add(work, "plafond_center", low);
    }
    add_tibia(work, &t, medial);
    if (t.fibula >= 0) {
        work->only = t.fibula;
        fb_v3_scale(lateral, -1, medial);
        add_fibula(work, lateral);
    }
    return true;
}
