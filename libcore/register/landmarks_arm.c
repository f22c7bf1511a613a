/* Landmarks of humerus, ulna and radius.
 *
 * Humerus: the head is the sphere of which the most is on the surface; the other end is flat, wide
 * from side to side, and its joint surface stands out forward from the shaft's line. Ulna: the
 * thicker end is the upper one, and the hollow there opens forward. Radius: the thicker end is the
 * lower one. Ulna and radius do not tell their side surely. */
#include "libcore/register/landmarks_internal.h"

#include <math.h>

#include "libcore/base/spatial.h"

/* y along the longest axis; heights of both ends over the surface's centre. */
typedef struct {
    double bottom, top, length;
} shaft;

static void start_shaft(fb_bone_work *work, shaft *s, double sign) {
    fb_v3_scale(work->y, sign, work->axes);
    s->bottom = sign > 0 ? work->low[0] : -work->high[0];
    s->top = sign > 0 ? work->high[0] : -work->low[0];
    s->length = s->top - s->bottom;
}

/* Centre and second moments of the section at a part of the length. */
static bool section_at(fb_bone_work *work, const shaft *s, double part, const double *u,
                       const double *v, double *center, double *area, double *moments) {
    double spread[2], height = s->bottom + part * s->length;
    if (fb_bone_section(work, work->surface->center, work->y, height, u, v, center, area,
                        moments)) {
        return true;
    }
    if (fb_bone_slice(work, work->surface->center, work->y, height, 0.03 * s->length, u, v, center,
                      spread) < 5) {
        return false;
    }
    *area = 6.28 * spread[0] * spread[1];
    moments[0] = spread[0] * spread[0] / 2;
    moments[1] = spread[1] * spread[1] / 2;
    moments[2] = 0;
    return true;
}

static void add_shaft(fb_bone_work *work, const shaft *s) {
    static const char *const names[3] = {"shaft_distal", "shaft_middle", "shaft_proximal"};
    double u[3], v[3], area, moments[3], point[3];
    fb_across(work->y, u, v);
    for (int k = 0; k < 3; k++) {
        if (section_at(work, s, 0.3 + 0.2 * k, u, v, point, &area, moments)) {
            fb_bone_add(work, names[k], point);
        }
    }
}

/* The largest section of an end (0: lower, 1: upper). */
static double end_area(fb_bone_work *work, const shaft *s, int end) {
    double u[3], v[3], center[3], area, moments[3], most = 0;
    fb_across(work->y, u, v);
    for (int k = 0; k < 6; k++) {
        double part = 0.02 + 0.02 * k;
        if (section_at(work, s, end == 0 ? part : 1 - part, u, v, center, &area, moments)) {
            most = fb_greater(most, area);
        }
    }
    return most;
}

/* ---- humerus --------------------------------------------------------------------------------- */

static bool find_humeral_head(fb_bone_work *work, fb_bone_ball *head, shaft *s) {
    fb_bone_ball balls[2];
    bool has[2];
    for (int k = 0; k < 2; k++) {
        fb_bone_region region;
        fb_region_start(&region, work->surface->center);
        if (k == 0) {
            fb_region_limit(&region, work->axes, work->high[0] - 0.2 * work->size, HUGE_VAL);
        } else {
            fb_region_limit(&region, work->axes, -HUGE_VAL, work->low[0] + 0.2 * work->size);
        }
        int n = fb_region_vertices(work, &region);
        has[k] = fb_find_sphere(work, work->list, n, 0.055 * work->size, 0.1 * work->size, 1, 0.2,
                                &balls[k]);
    }
    if (!has[0] && !has[1]) {
        return false;
    }
    int k = !has[0] || (has[1] && balls[1].cover > balls[0].cover);
    *head = balls[k];
    start_shaft(work, s, k == 0 ? 1 : -1);
    return true;
}

bool fb_humerus_landmarks(fb_bone_work *work) {
    fb_bone_ball head, elbow = {.radius = 0};
    shaft s;
    double u[3], v[3], area, moments[3], end[3], low[3], high[3], d[3], line[3], medial[3];
    if (!find_humeral_head(work, &head, &s)) {
        work->failure = "no end of it has a head like a ball";
        return false;
    }
    fb_across(work->y, u, v);
    if (!section_at(work, &s, 0.05, u, v, end, &area, moments) ||
        !section_at(work, &s, 0.25, u, v, low, &area, d) ||
        !section_at(work, &s, 0.55, u, v, high, &area, d)) {
        work->failure = "it has no shaft";
        return false;
    }
    /* the wide direction of the lower end, towards the head: the inner side */
    double angle = atan2(2 * moments[2], moments[0] - moments[1]) / 2;
    double rest = sqrt(pow((moments[0] - moments[1]) / 2, 2) + moments[2] * moments[2]);
    double mean = (moments[0] + moments[1]) / 2;
    if (mean + rest < 3.5 * (mean - rest)) {
        work->failure = "the end without a head is not wide and flat";
        return false;
    }
    for (int k = 0; k < 3; k++) {
        medial[k] = cos(angle) * u[k] + sin(angle) * v[k];
    }
    double to_head[3];
    fb_v3_sub(to_head, head.center, high);
    fb_make_across(to_head, work->y);
    double toward = fb_v3_dot(to_head, medial);
    if (toward < 0) {
        fb_v3_scale(medial, -1, medial);
    }
    /* forward: where the lower end lies from the shaft's line */
    double deep[3];
    fb_v3_cross(deep, work->y, medial);
    fb_v3_sub(line, low, high);
    fb_v3_sub(d, end, low);
    fb_v3_madd(d, -fb_v3_dot(d, work->y) / fb_v3_dot(line, work->y), line);
    double before = fb_v3_dot(d, deep) / sqrt(mean - rest);
    fb_v3_scale(work->x, before < 0 ? -1 : 1, deep);
    double lateral[3];
    fb_v3_scale(lateral, -1, medial);
    fb_bone_judge_side(work, lateral, 1 + fb_lesser(2 * fabs(toward), fabs(before)));
    /* the elbow's axis: a cylinder on the lower end, near the wide direction */
    fb_bone_region region;
    fb_region_start(&region, end);
    fb_region_limit(&region, work->y, -HUGE_VAL, 0.05 * s.length);
    int n = fb_region_vertices(work, &region);
    bool has_elbow = fb_find_cylinder(work, work->list, n, 0.02 * s.length, 0.055 * s.length,
                                      medial, 0.85, &elbow) &&
                     elbow.n >= 60;
    fb_v3_sub(work->y, head.center, end);
    fb_v3_normalize(work->y);
    fb_bone_set_frame(work, end);
    fb_v3_copy(lateral, work->z);
    if (work->found == 'l') {
        fb_v3_scale(lateral, -1, lateral);
    }
    fb_v3_scale(medial, -1, lateral);
    fb_bone_add(work, "shoulder_center", head.center);
    fb_bone_add_fit(work, "shoulder_center", &head, false);
    if (has_elbow) {
        double from, to;
        if (fb_v3_dot(elbow.axis, work->z) < 0) {
            fb_v3_scale(elbow.axis, -1, elbow.axis);
        }
        n = fb_region_vertices(work, &region);
        fb_cylinder_ends(work, work->list, n, &elbow, 0.08 * elbow.radius, &from, &to);
        fb_v3_madd(elbow.center, (from + to) / 2, elbow.axis);
        fb_bone_add_fit(work, "elbow_axis", &elbow, true);
        fb_bone_add(work, "elbow_center", elbow.center);
    }
    double point[3];
    fb_region_start(&region, end);
    fb_region_limit(&region, work->y, -HUGE_VAL, 0.12 * s.length);
    if (fb_bone_extreme(work, &region, medial, point)) {
        fb_bone_add(work, "medial_epicondyle", point);
    }
    if (fb_bone_extreme(work, &region, lateral, point)) {
        fb_bone_add(work, "lateral_epicondyle", point);
    }
    fb_region_start(&region, head.center);
    fb_region_limit(&region, work->y, -0.12 * s.length, HUGE_VAL);
    if (fb_bone_extreme(work, &region, lateral, point)) {
        fb_bone_add(work, "greater_tubercle", point);
    }
    fb_bone_range(work, NULL, work->surface->center, work->y, &s.bottom, &s.top);
    add_shaft(work, &s);
    return true;
}

/* ---- ulna and radius ------------------------------------------------------------------------- */

bool fb_ulna_landmarks(fb_bone_work *work) {
    shaft s;
    fb_bone_ball notch;
    fb_bone_region region;
    start_shaft(work, &s, 1);
    double low = end_area(work, &s, 0), high = end_area(work, &s, 1);
    if (low > high) {
        start_shaft(work, &s, -1);
    }
    if (fb_greater(low, high) < 1.5 * fb_lesser(low, high)) {
        work->failure = "neither end of it is much thicker than the other";
        return false;
    }
    fb_region_start(&region, work->surface->center);
    fb_region_limit(&region, work->y, s.top - 0.25 * s.length, HUGE_VAL);
    int n = fb_region_vertices(work, &region);
    if (!fb_find_sphere(work, work->list, n, 0.025 * s.length, 0.08 * s.length, -1, 0.05, &notch)) {
        work->failure = "its thick end has no hollow like the trochlear notch";
        return false;
    }
    /* the hollow opens forward: its centre lies before the bone */
    double u[3], v[3], area, moments[3], shaft_center[3], point[3], back[3], down[3];
    fb_across(work->y, u, v);
    if (!section_at(work, &s, 0.6, u, v, shaft_center, &area, moments)) {
        work->failure = "it has no shaft";
        return false;
    }
    fb_v3_sub(work->x, notch.center, shaft_center);
    fb_bone_set_frame(work, notch.center);
    add_shaft(work, &s);
    fb_v3_scale(down, -1, work->y);
    if (fb_bone_extreme(work, NULL, down, point)) {
        fb_bone_add(work, "ulnar_styloid", point);
    }
    if (notch.n < 25) {
        return true; /* too few points to say exactly where the hollow opens to */
    }
    fb_bone_add_fit(work, "trochlear_notch", &notch, false);
    fb_bone_add(work, "trochlear_notch_center", notch.center);
    fb_v3_scale(back, -0.5, work->x);
    fb_v3_madd(back, 0.87, work->y);
    if (fb_bone_extreme(work, &region, back, point)) {
        fb_bone_add(work, "olecranon", point);
    }
    fb_bone_region coronoid;
    fb_region_start(&coronoid, notch.center);
    fb_region_limit(&coronoid, work->y, -0.15 * s.length, 0);
    if (fb_bone_extreme(work, &coronoid, work->x, point)) {
        fb_bone_add(work, "coronoid_process", point);
    }
    return true;
}

bool fb_radius_landmarks(fb_bone_work *work) {
    shaft s;
    start_shaft(work, &s, 1);
    double low = end_area(work, &s, 0), high = end_area(work, &s, 1);
    if (high > low) {
        start_shaft(work, &s, -1);
    }
    if (fb_greater(low, high) < 1.3 * fb_lesser(low, high)) {
        work->failure = "neither end of it is much thicker than the other";
        return false;
    }
    double u[3], v[3], area, moments[3], head[3], wrist[3], styloid[3], down[3], lateral[3];
    fb_across(work->y, u, v);
    fb_v3_scale(down, -1, work->y);
    if (!section_at(work, &s, 0.97, u, v, head, &area, moments) ||
        !section_at(work, &s, 0.06, u, v, wrist, &area, moments) ||
        !fb_bone_extreme(work, NULL, down, styloid)) {
        work->failure = "its ends have no sections";
        return false;
    }
    /* the styloid is at the outer side; forward follows if the side is known */
    fb_v3_sub(lateral, styloid, wrist);
    fb_v3_sub(work->y, head, wrist);
    fb_v3_normalize(work->y);
    fb_make_across(lateral, work->y);
    fb_v3_cross(work->x, work->y, lateral);
    if (work->side == 'l') {
        fb_v3_scale(work->x, -1, work->x);
    }
    fb_bone_set_frame(work, wrist);
    fb_bone_add(work, "radial_head", head);
    fb_bone_add(work, "radial_styloid", styloid);
    fb_bone_add(work, "distal_radius_center", wrist);
    add_shaft(work, &s);
    return true;
}
