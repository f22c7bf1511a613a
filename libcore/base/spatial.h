/* Small linear algebra in three dimensions, inline: vectors double[3], matrices double[9]
 * row-major. Outputs first; the output of a product must not be one of its inputs; of sums it may.
 */
#ifndef FB_BASE_SPATIAL_H
#define FB_BASE_SPATIAL_H

#include <math.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The greater and the lesser of two numbers; in line, where fmax and fmin are calls. Of a number
 * that is none, the second. */
static inline double fb_greater(double a, double b) {
    return a > b ? a : b;
}

static inline double fb_lesser(double a, double b) {
    return a < b ? a : b;
}

static inline void fb_v3_set(double *r, double x, double y, double z) {
    r[0] = x;
    r[1] = y;
    r[2] = z;
}

static inline void fb_v3_copy(double *r, const double *a) {
    r[0] = a[0];
    r[1] = a[1];
    r[2] = a[2];
}

static inline void fb_v3_add(double *r, const double *a, const double *b) {
    r[0] = a[0] + b[0];
    r[1] = a[1] + b[1];
    r[2] = a[2] + b[2];
}

static inline void fb_v3_sub(double *r, const double *a, const double *b) {
    r[0] = a[0] - b[0];
    r[1] = a[1] - b[1];
    r[2] = a[2] - b[2];
}

static inline void fb_v3_scale(double *r, double s, const double *a) {
    r[0] = s * a[0];
    r[1] = s * a[1];
    r[2] = s * a[2];
}

/* r += s a */
static inline void fb_v3_madd(double *r, double s, const double *a) {
    r[0] += s * a[0];
    r[1] += s * a[1];
    r[2] += s * a[2];
}

static inline double fb_v3_dot(const double *a, const double *b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline double fb_v3_norm(const double *a) {
    return sqrt(fb_v3_dot(a, a));
}

/* Length in a plane; without hypot's care for very great and small numbers, which costs time. */
static inline double fb_length2(double x, double y) {
    return sqrt(x * x + y * y);
}

static inline double fb_v3_distance(const double *a, const double *b) {
    double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    return sqrt(x * x + y * y + z * z);
}

static inline void fb_v3_cross(double *r, const double *a, const double *b) {
    r[0] = a[1] * b[2] - a[2] * b[1];
    r[1] = a[2] * b[0] - a[0] * b[2];
    r[2] = a[0] * b[1] - a[1] * b[0];
}

/* Scales to length 1 in place; returns the old length, and leaves a zero vector alone. */
static inline double fb_v3_normalize(double *a) {
    double n = fb_v3_norm(a);
    if (n > 0) {
        fb_v3_scale(a, 1 / n, a);
    }
    return n;
}

/* The first of the coordinates whose size is the least, the greatest: 0 to 2. */
static inline int fb_v3_least(const double *a) {
    int k = fabs(a[1]) < fabs(a[0]) ? 1 : 0;
    return fabs(a[2]) < fabs(a[k]) ? 2 : k;
}

static inline int fb_v3_most(const double *a) {
    int k = fabs(a[1]) > fabs(a[0]) ? 1 : 0;
    return fabs(a[2]) > fabs(a[k]) ? 2 : k;
}

static inline void fb_m3_identity(double *m) {
    static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    memcpy(m, identity, sizeof identity);
}

/* r = m a */
static inline void fb_m3_mul_v3(double *r, const double *m, const double *a) {
    r[0] = m[0] * a[0] + m[1] * a[1] + m[2] * a[2];
    r[1] = m[3] * a[0] + m[4] * a[1] + m[5] * a[2];
    r[2] = m[6] * a[0] + m[7] * a[1] + m[8] * a[2];
}

/* r = transpose(m) a */
static inline void fb_m3_tmul_v3(double *r, const double *m, const double *a) {
    r[0] = m[0] * a[0] + m[3] * a[1] + m[6] * a[2];
    r[1] = m[1] * a[0] + m[4] * a[1] + m[7] * a[2];
    r[2] = m[2] * a[0] + m[5] * a[1] + m[8] * a[2];
}

/* r = a b */
static inline void fb_m3_mul(double *r, const double *a, const double *b) {
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            r[3 * i + j] = a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] + a[3 * i + 2] * b[6 + j];
        }
    }
}

/* r = transpose(a) b */
static inline void fb_m3_tmul(double *r, const double *a, const double *b) {
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            r[3 * i + j] = a[i] * b[j] + a[3 + i] * b[3 + j] + a[6 + i] * b[6 + j];
        }
    }
}

/* r = a transpose(b) */
static inline void fb_m3_mult(double *r, const double *a, const double *b) {
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            r[3 * i + j] = a[3 * i] * b[3 * j] + a[3 * i + 1] * b[3 * j + 1] +
                           a[3 * i + 2] * b[3 * j + 2];
        }
    }
}

/* Rotation by `angle` about a unit axis (Rodrigues). */
static inline void fb_m3_rotation(double *m, const double *axis, double angle) {
    double c = cos(angle), s = sin(angle), d = 1 - c, x = axis[0], y = axis[1], z = axis[2];
    m[0] = c + d * x * x;
    m[1] = d * x * y - s * z;
    m[2] = d * x * z + s * y;
    m[3] = d * x * y + s * z;
    m[4] = c + d * y * y;
    m[5] = d * y * z - s * x;
    m[6] = d * x * z - s * y;
    m[7] = d * y * z + s * x;
    m[8] = c + d * z * z;
}

/* Body-fixed rotations about x, y, z in this order: Rx Ry Rz. */
static inline void fb_m3_from_xyz(double *m, const double *angles) {
    double c1 = cos(angles[0]), s1 = sin(angles[0]), c2 = cos(angles[1]), s2 = sin(angles[1]),
           c3 = cos(angles[2]), s3 = sin(angles[2]);
    m[0] = c2 * c3;
    m[1] = -c2 * s3;
    m[2] = s2;
    m[3] = c1 * s3 + s1 * s2 * c3;
    m[4] = c1 * c3 - s1 * s2 * s3;
    m[5] = -s1 * c2;
    m[6] = s1 * s3 - c1 * s2 * c3;
    m[7] = s1 * c3 + c1 * s2 * s3;
    m[8] = c1 * c2;
}

/* A pose: rotation and origin of one frame in another. */
typedef struct fb_pose {
    double R[9]; /* this frame's axes as columns, in the other */
    double p[3]; /* its origin there, m */
} fb_pose;

static inline void fb_pose_identity(fb_pose *pose) {
    fb_m3_identity(pose->R);
    fb_v3_set(pose->p, 0, 0, 0);
}

/* r = a b: first b, then a. */
static inline void fb_pose_mul(fb_pose *r, const fb_pose *a, const fb_pose *b) {
    fb_m3_mul(r->R, a->R, b->R);
    fb_m3_mul_v3(r->p, a->R, b->p);
    fb_v3_add(r->p, r->p, a->p);
}

static inline void fb_pose_inverse(fb_pose *r, const fb_pose *a) {
    double p[3];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            r->R[3 * i + j] = a->R[3 * j + i];
        }
    }
    fb_m3_mul_v3(p, r->R, a->p);
    fb_v3_scale(r->p, -1, p);
}

/* A point of the frame, in the other: r = R a + p. */
static inline void fb_pose_point(double *r, const fb_pose *pose, const double *a) {
    fb_m3_mul_v3(r, pose->R, a);
    fb_v3_add(r, r, pose->p);
}

#ifdef __cplusplus
}
#endif
#endif
