/* Landmarks of the femur.
 *
 * The head is the sphere of which the most is on the surface, of those at both ends; the condyles
 * are at the other. Behind is where the condyles stand out from the shaft's line. The knee's axis
 * is that of a cylinder fitted to the hind parts of both condyles. */
#include "libcore/register/landmarks_internal.h"

#include <math.h>

#include "libcore/base/spatial.h"

typedef struct {
    fb_bone_ball head;
    bool has_head, has_knee;
    double top;    /* height of the head's end, from the surface's centre along y */
    double bottom; /* of the other end */
    double length; /* of the whole bone, as far as known */
    fb_bone_ball knee;
    double posterior[2][3]; /* of the condyle at the side of -z, of z: z along the knee's axis */
} femur;

/* The best sphere within the last quarter of one end (sign of the long axis). */
static bool end_sphere(fb_bone_work *work, int sign, fb_bone_ball *ball) {
    const double *e = work->axes;
    double length = work->high[0] - work->low[0];
    fb_bone_region region;
    fb_region_start(&region, work->surface->center);
    if (sign > 0) {
        fb_region_limit(&region, e, work->high[0] - 0.3 * length, HUGE_VAL);
    } else {
        fb_region_limit(&region, e, -HUGE_VAL, work->low[0] + 0.3 * length);
    }
    int n = fb_region_vertices(work, &region);
    return fb_find_sphere(work, work->list, n, 0.04 * length, 0.14 * length, 1, 0.3, ball);
}

static bool find_head(fb_bone_work *work, femur *f) {
    fb_bone_ball balls[2];
    bool has[2];
    for (int k = 0; k < 2; k++) {
        has[k] = end_sphere(work, k == 0 ? 1 : -1, &balls[k]);
    }
    if (!has[0] && !has[1]) {
        return false;
    }
    int k = !has[0] || (has[1] && balls[1].cover > balls[0].cover);
    f->head = balls[k];
    fb_v3_scale(work->y, k == 0 ? 1 : -1, work->axes);
    f->top = k == 0 ? work->high[0] : -work->low[0];
    f->bottom = k == 0 ? work->low[0] : -work->high[0];
    return true;
}

/* Centre of the shaft at a height above the lower end, part of the length. */
static bool shaft_center(fb_bone_work *work, const femur *f, double part, double *center) {
    double u[3], v[3], area;
    fb_across(work->y, u, v);
    double height = f->bottom + part * f->length;
    return fb_bone_section(work, work->surface->center, work->y, height, u, v, center, &area,
                           NULL) ||
           fb_bone_slice(work, work->surface->center, work->y, height, 0.06 * f->length, u, v,
                         center, NULL) > 0;
}

/* The direction to behind at the knee: across y and the given medial direction, to where the end
 * lies from the lower shaft's line. `sure`: how far, in parts of the width. */
static bool find_behind(fb_bone_work *work, const femur *f, const double *medial, double *behind,
                        double *sure) {
    double low[3], high[3], end[3], u[3], v[3], spread[2];
    fb_v3_copy(u, medial);
    fb_make_across(u, work->y);
    fb_v3_cross(v, work->y, u);
    if (!shaft_center(work, f, 0.25, low) || !shaft_center(work, f, 0.45, high) ||
        fb_bone_slice(work, work->surface->center, work->y, f->bottom + 0.04 * f->length,
                      0.04 * f->length, u, v, end, spread) == 0) {
        return false;
    }
    double line[3], d[3];
    fb_v3_sub(line, low, high);
    fb_v3_sub(d, end, low);
    /* where the line is at the end's height */
    fb_v3_madd(d, -fb_v3_dot(d, work->y) / fb_v3_dot(line, work->y), line);
    double back = fb_v3_dot(d, v);
    fb_v3_scale(behind, back < 0 ? -1 : 1, v);
    *sure = 1 + 4 * fabs(back) / spread[1];
    return true;
}

/* Turns z (through both condyles) until the hindmost points of both are equally far back; they are
 * the table on which the bone would lie. */
static bool rest_on_table(fb_bone_work *work, femur *f, double *z, const double *middle) {
    for (int round = 0; round < 12; round++) {
        double behind[3], old[3];
        fb_v3_cross(behind, z, work->y); /* z x y = -x */
        fb_v3_copy(old, z);
        for (int k = 0; k < 2; k++) {
            fb_bone_region region;
            fb_region_start(&region, middle);
            fb_region_limit(&region, work->y, -HUGE_VAL, 0.06 * f->length);
            fb_region_limit(&region, z, k == 0 ? -HUGE_VAL : 0.02 * f->length,
                            k == 0 ? -0.02 * f->length : HUGE_VAL);
            if (!fb_bone_extreme(work, &region, behind, f->posterior[k])) {
                return false;
            }
        }
        fb_v3_sub(z, f->posterior[1], f->posterior[0]);
        fb_make_across(z, work->y);
        if (fb_v3_distance(z, old) < 1e-6) {
            break;
        }
    }
    return true;
}

/* The cylinder on the hind parts of both condyles, from points whose normals look back or down. */
static bool fit_knee(fb_bone_work *work, femur *f, const double *middle) {
    const fb_surface *s = work->surface;
    double start[3], radius = 0.045 * f->length;
    for (int k = 0; k < 3; k++) {
        start[k] = (f->posterior[0][k] + f->posterior[1][k]) / 2;
    }
    fb_v3_madd(start, radius, work->x);
    fb_bone_ball *ball = &f->knee;
    fb_v3_copy(ball->center, start);
    fb_v3_copy(ball->axis, work->z);
    ball->radius = radius;
    double tolerance = 0.35;
    int n = 0;
    for (int round = 0; round < 6; round++) {
        /* angle of the normal about the axis: 0 back, 90 degrees down */
        double forward[3], up[3];
        fb_v3_cross(forward, work->y, ball->axis);
        fb_v3_normalize(forward);
        fb_v3_cross(up, ball->axis, forward);
        n = 0;
        for (int i = 0; i < s->n_vertices; i++) {
            double d[3];
            fb_v3_sub(d, s->vertices[i], middle);
            if (fb_v3_dot(d, work->y) > 0.09 * f->length) {
                continue;
            }
            fb_v3_sub(d, s->vertices[i], ball->center);
            double a = atan2(-fb_v3_dot(d, up), -fb_v3_dot(d, forward));
            if (a > -0.6 && a < 2.0 && fabs(fb_v3_dot(work->normals[i], ball->axis)) < 0.5) {
                work->kept[n++] = i;
            }
        }
        if (!fb_refit_cylinder(work, work->kept, n, 1, tolerance, ball) ||
            fabs(fb_v3_dot(ball->axis, work->z)) < 0.85) {
            return false;
        }
        if (fb_v3_dot(ball->axis, work->z) < 0) {
            fb_v3_scale(ball->axis, -1, ball->axis);
        }
        tolerance = round < 5 ? fb_greater(0.12, 0.6 * tolerance) : tolerance;
    }
    double low, high;
    fb_cylinder_ends(work, work->kept, n, ball, tolerance * ball->radius, &low, &high);
    fb_v3_madd(ball->center, (low + high) / 2, ball->axis); /* midway between the outer ends */
    return ball->radius > 0.03 * f->length && ball->radius < 0.07 * f->length;
}

/* Axes of the distal end, the condyles' landmarks and the knee's axis. */
static bool find_knee(fb_bone_work *work, femur *f, const double *medial) {
    double behind[3], middle[3], u[3], v[3], sure = 1;
    if (!find_behind(work, f, medial, behind, &sure)) {
        return false;
    }
    fb_v3_scale(work->x, -1, behind);
    fb_v3_cross(work->z, work->x, work->y);
    fb_across(work->y, u, v);
    if (fb_bone_slice(work, work->surface->center, work->y, f->bottom + 0.04 * f->length,
                      0.04 * f->length, u, v, middle, NULL) == 0) {
        return false;
    }
    double z[3];
    fb_v3_copy(z, work->z);
    if (!rest_on_table(work, f, z, middle)) {
        return false;
    }
    fb_v3_copy(work->z, z);
    fb_v3_cross(work->x, work->y, work->z);
    double lateral[3];
    fb_v3_scale(lateral, -1, medial);
    fb_bone_judge_side(work, lateral, sure);
    f->has_knee = fit_knee(work, f, middle);
    if (!f->has_knee) { /* where it would be, for the bone's axes only */
        for (int k = 0; k < 3; k++) {
            f->knee.center[k] = (f->posterior[0][k] + f->posterior[1][k]) / 2;
        }
        fb_v3_madd(f->knee.center, 0.05 * f->length, work->x);
        fb_v3_copy(f->knee.axis, work->z);
    }
    return true;
}

/* How wide the bone is at a part of its length: standard deviation of the section. 0: not known. */
static double width_at(fb_bone_work *work, const femur *f, double part) {
    double u[3], v[3], center[3], area, moments[3], spread[2],
        height = f->bottom + part * f->length;
    fb_across(work->y, u, v);
    if (fb_bone_section(work, work->surface->center, work->y, height, u, v, center, &area,
                        moments)) {
        return sqrt(moments[0] + moments[1]);
    }
    if (fb_bone_slice(work, work->surface->center, work->y, height, 0.03 * f->length, u, v, center,
                      spread) > 5) {
        return fb_length2(spread[0], spread[1]) / 1.4;
    }
    return 0;
}

/* The end of a femur that was cut has no condyles: it is as thin as the shaft. */
static bool whole_at_knee(fb_bone_work *work, const femur *f) {
    double end = width_at(work, f, 0.06), shaft = width_at(work, f, 0.4);
    return end > 1.6 * shaft && shaft > 0;
}

/* Places near the head; x, y, z are known. */
static void add_proximal(fb_bone_work *work, const femur *f) {
    const double *head = f->head.center;
    double lateral[3], shaft[3], point[3];
    fb_v3_scale(lateral, work->found == 'l' ? -1 : 1, work->z);
    fb_bone_add(work, "hip_center", head);
    fb_bone_add_fit(work, "hip_center", &f->head, false);
    if (!shaft_center(work, f, 0.65, shaft)) {
        return;
    }
    fb_bone_region region;
    fb_region_start(&region, head);
    fb_region_limit(&region, work->y, -0.22 * f->length, HUGE_VAL);
    if (!fb_bone_extreme(work, &region, lateral, point)) {
        return;
    }
    fb_bone_add(work, "greater_trochanter", point);
    double d[3];
    fb_v3_sub(d, point, head);
    double out = 0.62 * fb_v3_dot(d, lateral);
    fb_region_start(&region, head);
    fb_region_limit(&region, lateral, out, HUGE_VAL);
    fb_region_limit(&region, work->y, -0.15 * f->length, HUGE_VAL);
    if (fb_bone_extreme(work, &region, work->y, point)) {
        fb_v3_sub(d, point, head);
        if (fb_v3_dot(d, lateral) > out + 0.005 * f->length) { /* else it is the neck's slope */
            fb_bone_add(work, "greater_trochanter_top", point);
        }
    }
    /* the lesser trochanter stands out from the shaft to behind and the middle, below the neck */
    double toward[3];
    fb_v3_scale(toward, -0.7071, lateral);
    fb_v3_madd(toward, -0.7071, work->x);
    fb_region_start(&region, shaft);
    fb_v3_sub(d, head, shaft);
    double height = fb_v3_dot(d, work->y);
    fb_region_limit(&region, work->y, height - 0.2 * f->length, height - 0.09 * f->length);
    fb_region_limit(&region, work->x, -HUGE_VAL, 0);
    if (fb_bone_extreme(work, &region, toward, point)) {
        fb_v3_sub(d, point, shaft);
        double h = fb_v3_dot(d, work->y) - height;
        if (h < -0.1 * f->length && h > -0.19 * f->length) {
            fb_bone_add(work, "lesser_trochanter", point);
        }
    }
    fb_v3_copy(point, head);
    fb_v3_madd(point, f->head.radius, work->y);
    fb_bone_add(work, "femoral_head_top", point);
}

static void add_distal(fb_bone_work *work, const femur *f) {
    static const char *const posterior[2] = {"medial_condyle_posterior",
                                             "lateral_condyle_posterior"};
    static const char *const distal[2] = {"medial_condyle_distal", "lateral_condyle_distal"};
    static const char *const epicondyle[2] = {"medial_epicondyle", "lateral_epicondyle"};
    double down[3], point[3];
    fb_v3_scale(down, -1, work->y);
    if (f->has_knee) {
        fb_bone_add(work, "knee_center", f->knee.center);
        fb_bone_add_fit(work, "knee_axis", &f->knee, true);
    }
    for (int k = 0; k < 2; k++) {
        int lateral = (k == 1) == (work->found != 'l'); /* k: 0 to -z, 1 to z */
        double out[3];
        fb_v3_scale(out, k == 0 ? -1 : 1, f->knee.axis);
        fb_bone_add(work, posterior[lateral], f->posterior[k]);
        fb_bone_region region;
        fb_region_start(&region, f->knee.center);
        fb_region_limit(&region, out, 0.02 * f->length, HUGE_VAL);
        fb_region_limit(&region, work->y, -HUGE_VAL, 0.05 * f->length);
        if (fb_bone_extreme(work, &region, down, point)) {
            fb_bone_add(work, distal[lateral], point);
        }
        fb_region_start(&region, f->knee.center);
        fb_region_limit(&region, work->y, -0.05 * f->length, 0.08 * f->length);
        if (fb_bone_extreme(work, &region, out, point)) {
            fb_bone_add(work, epicondyle[lateral], point);
        }
    }
    fb_bone_region region;
    fb_region_start(&region, f->knee.center);
    fb_region_limit(&region, work->y, -0.08 * f->length, 0.08 * f->length);
    fb_region_limit(&region, f->knee.axis, -0.008 * f->length, 0.008 * f->length);
    if (fb_region_vertices(work, &region) > 30 && fb_bone_extreme(work, &region, down, point)) {
        fb_bone_add(work, "intercondylar_notch", point);
    }
}

static void add_shaft(fb_bone_work *work, const femur *f) {
    static const char *const names[3] = {"shaft_distal", "shaft_middle", "shaft_proximal"};
    for (int k = 0; k < 3; k++) {
        double point[3];
        if (shaft_center(work, f, 0.3 + 0.2 * k, point)) {
            fb_bone_add(work, names[k], point);
        }
    }
}

bool fb_femur_landmarks(fb_bone_work *work) {
    femur f = {.has_head = false};
    f.has_head = find_head(work, &f);
    if (!f.has_head) {
        work->failure = "no end of it has a head like a ball";
        return false;
    }
    f.length = f.top - f.bottom;
    double shaft[3], medial[3];
    if (!shaft_center(work, &f, 0.6, shaft)) {
        work->failure = "it has no shaft";
        return false;
    }
    fb_v3_sub(medial, f.head.center, shaft);
    fb_make_across(medial, work->y);
    if (f.length < 11 * f.head.radius || !whole_at_knee(work, &f)) {
        /* it was cut: only the head is sure; its forward direction is not known */
        fb_v3_cross(work->x, work->y, medial);
        fb_bone_set_frame(work, f.head.center);
        fb_bone_add(work, "hip_center", f.head.center);
        fb_bone_add_fit(work, "hip_center", &f.head, false);
        return true;
    }
    if (f.head.radius < 0.042 * f.length || f.head.radius > 0.068 * f.length) {
        work->failure = "its head is too small or too large for its length";
        return false;
    }
    if (!find_knee(work, &f, medial)) {
        work->failure = "it has no two condyles";
        return false;
    }
    /* the bone's own axes: y from the knee to the hip, z near the knee's axis */
    fb_v3_sub(work->y, f.head.center, f.knee.center);
    fb_v3_normalize(work->y);
    fb_v3_cross(work->x, work->y, f.knee.axis);
    fb_bone_set_frame(work, f.knee.center);
    add_proximal(work, &f);
    add_distal(work, &f);
    add_shaft(work, &f);
    return true;
}
