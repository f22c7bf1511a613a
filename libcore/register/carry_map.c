/* Maps of frames: cleaned of rounding, their rotation and stretch. */
#include "libcore/register/carry_internal.h"

#include <math.h>

#define ROUNDING 1e-12

static bool near_identity(const double *m, double s, double tolerance) {
    for (int i = 0; i < 9; i++) {
        if (!(fabs(m[i] - (i % 4 == 0 ? s : 0)) <= tolerance * fabs(s))) {
            return false;
        }
    }
    return true;
}

/* True if A = s diag(1, 1, -1) but for rounding. */
static bool near_mirror(const double *m, double s, double tolerance) {
    double turned[9];
    memcpy(turned, m, sizeof turned);
    for (int i = 2; i < 9; i += 3) {
        turned[i] = -turned[i];
    }
    return near_identity(turned, s, tolerance);
}

void fb_carry_scaling(fb_transform *map, double scale, bool mirrored) {
    fb_transform_identity(map);
    map->kind = scale == 1 && !mirrored ? FB_TRANSFORM_RIGID : FB_TRANSFORM_SIMILARITY;
    for (int i = 0; i < 3; i++) {
        map->scale[i] = scale;
        map->linear[4 * i] = scale;
    }
    map->mirrored = mirrored;
    if (mirrored) {
        map->linear[8] = -scale;
        map->rotation[0] = map->rotation[4] = -1; /* of -A */
    }
}

void fb_carry_clean(fb_transform *map) {
    if (map->n > 0) {
        return;
    }
    double s = cbrt(fabs(fb_carry_determinant(map, map->translation)));
    s = fabs(s - 1) <= ROUNDING ? 1 : s;
    double t[3];
    for (int i = 0; i < 3; i++) {
        t[i] = fabs(map->translation[i]) <= ROUNDING ? 0 : map->translation[i];
    }
    bool mirrored = near_mirror(map->linear, s, ROUNDING);
    if (mirrored || near_identity(map->linear, s, ROUNDING)) {
        fb_carry_scaling(map, s, mirrored);
    } else {
        double size = fabs(map->linear[0]) + fabs(map->linear[4]) + fabs(map->linear[8]);
        for (int i = 0; i < 9; i++) {
            map->linear[i] = fabs(map->linear[i]) <= ROUNDING * size ? 0 : map->linear[i];
        }
        if (near_identity(map->rotation, 1, ROUNDING)) {
            fb_m3_identity(map->rotation);
        }
    }
    fb_v3_copy(map->translation, t);
}

double fb_carry_determinant(const fb_transform *map, const double *p) {
    double J[9];
    fb_transform_jacobian(map, p, J);
    return J[0] * (J[4] * J[8] - J[5] * J[7]) - J[1] * (J[3] * J[8] - J[5] * J[6]) +
           J[2] * (J[3] * J[7] - J[4] * J[6]);
}

bool fb_carry_same(const fb_transform *map) {
    return map->n == 0 && near_identity(map->linear, 1, 0) && fb_v3_norm(map->translation) == 0;
}

bool fb_carry_similar(const fb_transform *map) {
    double square[9];
    fb_m3_tmul(square, map->linear, map->linear);
    return map->n == 0 &&
           near_identity(square, (square[0] + square[4] + square[8]) / 3, 4 * ROUNDING);
}

void fb_carry_orthogonal(const fb_transform *map, const double *p, double *Q) {
    fb_transform_rotation(map, p, Q);
    if (map->mirrored) {
        for (int i = 0; i < 9; i++) {
            Q[i] = -Q[i];
        }
    }
}

bool fb_carry_turn(const fb_transform *map, const double *p, const double *R, double *out) {
    double Q[9];
    fb_carry_orthogonal(map, p, Q);
    if (near_identity(Q, 1, map->n > 0 ? ROUNDING : 0)) {
        memcpy(out, R, 9 * sizeof *out);
        return false;
    }
    fb_m3_mul(out, Q, R);
    for (int i = 2; map->mirrored && i < 9; i += 3) {
        out[i] = -out[i]; /* right-handed again: the shape's own z is mirrored */
    }
    return true;
}

void fb_carry_to_xyz(const double *R, double *angles) {
    double s = fb_greater(-1, fb_lesser(1, R[2]));
    double c = fb_length2(R[5], R[8]);
    angles[1] = atan2(s, c);
    if (c > 1e-9) {
        angles[0] = atan2(-R[5], R[8]);
        angles[2] = atan2(-R[1], R[0]);
    } else {
        angles[0] = atan2(R[7], R[4]);
        angles[2] = 0;
    }
}

/* Distance of two triples of angles, whole turns aside; `other` becomes the nearest. */
static double angles_apart(const double *angles, double *other) {
    double sum = 0;
    for (int i = 0; i < 3; i++) {
        other[i] += 2 * M_PI * round((angles[i] - other[i]) / (2 * M_PI));
        sum += fabs(angles[i] - other[i]);
    }
    return sum;
}

bool fb_carry_turn_xyz(const fb_transform *map, const double *p, double *angles) {
    double R[9], turned[9], Q[9], one[3], two[3];
    fb_carry_orthogonal(map, p, Q);
    if (map->mirrored && near_mirror(Q, 1, 0)) { /* diag(1, 1, -1): no rounding */
        angles[0] = -angles[0];
        angles[1] = -angles[1];
        return angles[0] != 0 || angles[1] != 0;
    }
    fb_m3_from_xyz(R, angles);
    if (!fb_carry_turn(map, p, R, turned)) {
        return false;
    }
    fb_carry_to_xyz(turned, one);
    fb_v3_set(two, one[0] + M_PI, M_PI - one[1], one[2] + M_PI); /* the same rotation */
    double d1 = angles_apart(angles, one), d2 = angles_apart(angles, two);
    fb_v3_copy(angles, d1 <= d2 + ROUNDING ? one : two);
    return true;
}

double fb_carry_stretch(const fb_transform *map, const double *p, const double *direction) {
    double J[9], Q[9], a[3], b[3];
    double n = fb_v3_dot(direction, direction);
    if (map->n == 0 && fb_carry_similar(map)) {
        return cbrt(fabs(fb_carry_determinant(map, p)));
    }
    fb_transform_jacobian(map, p, J);
    fb_carry_orthogonal(map, p, Q);
    fb_m3_mul_v3(a, J, direction);
    fb_m3_mul_v3(b, Q, direction);
    return n > 0 ? fb_v3_dot(a, b) / n : 1;
}

void fb_carry_frame_finish(fb_carry_frame *frame) {
    static const double origin[3] = {0, 0, 0};
    frame->same = fb_carry_same(&frame->map);
    frame->similar = fb_carry_similar(&frame->map);
    frame->scale = frame->same ? 1 : cbrt(fabs(fb_carry_determinant(&frame->map, origin)));
    if (fabs(frame->scale - frame->map.scale[0]) <= ROUNDING && frame->similar) {
        frame->scale = frame->map.scale[0]; /* as it was given, to the last bit */
    }
}

void fb_carry_frame_map(fb_carry_job *job, fb_carry_frame *frame, const fb_transform *map) {
    fb_transform inner;
    fb_pose back;
    fb_transform_before(&inner, map, frame->before.R, frame->before.p, &job->scratch);
    fb_pose_inverse(&back, &frame->after);
    fb_transform_after(&frame->map, &inner, back.R, back.p, &job->scratch);
    fb_carry_clean(&frame->map);
    fb_carry_frame_finish(frame);
}
