#include "libcore/register/transform.h"

#include <math.h>
#include <string.h>

#include "libcore/base/spatial.h"

/* ---- singular values ------------------------------------------------------------------------- */

/* Turns columns i and j of W and V (row-major) so that those of W become orthogonal (one-sided
 * Jacobi, Hestenes 1958). False if they are. */
static bool turn_columns(double *W, double *V, int i, int j) {
    double aa = 0, bb = 0, ab = 0;
    for (int k = 0; k < 3; k++) {
        double a = W[3 * k + i], b = W[3 * k + j];
        aa += a * a;
        bb += b * b;
        ab += a * b;
    }
    if (!(fabs(ab) > 1e-16 * sqrt(aa) * sqrt(bb))) {
        return false;
    }
    double zeta = (bb - aa) / (2 * ab);
    double t = (zeta < 0 ? -1 : 1) / (fabs(zeta) + sqrt(1 + zeta * zeta));
    double c = 1 / sqrt(1 + t * t), s = c * t;
    for (int k = 0; k < 3; k++) {
        double *rows[2] = {W + 3 * k, V + 3 * k};
        for (int r = 0; r < 2; r++) {
            double a = rows[r][i], b = rows[r][j];
            rows[r][i] = c * a - s * b;
            rows[r][j] = s * a + c * b;
        }
    }
    return true;
}

/* A vector of length 1 at a right angle to a unit vector. */
static void any_normal(double *r, const double *unit) {
    double axis[3] = {0, 0, 0};
    axis[fb_v3_least(unit)] = 1;
    fb_v3_cross(r, unit, axis);
    fb_v3_normalize(r);
}

/* Jacobi's rotations. */
void fb_eigen3(const double *symmetric, double *values, double *axes) {
    double a[9];
    memcpy(a, symmetric, sizeof a);
    fb_m3_identity(axes);
    for (int sweep = 0; sweep < 50; sweep++) {
        double off = a[1] * a[1] + a[2] * a[2] + a[5] * a[5];
        double all = off + a[0] * a[0] + a[4] * a[4] + a[8] * a[8];
        if (off <= 1e-32 * all) {
            break;
        }
        for (int p = 0; p < 2; p++) {
            for (int q = p + 1; q < 3; q++) {
                if (a[3 * p + q] == 0) {
                    continue;
                }
                double theta = (a[4 * q] - a[4 * p]) / (2 * a[3 * p + q]);
                double t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(theta * theta + 1));
                double c = 1 / sqrt(t * t + 1), s = t * c;
                for (int k = 0; k < 3; k++) {
                    double x = a[3 * k + p], y = a[3 * k + q];
                    a[3 * k + p] = c * x - s * y;
                    a[3 * k + q] = s * x + c * y;
                }
                for (int k = 0; k < 3; k++) {
                    double x = a[3 * p + k], y = a[3 * q + k];
                    a[3 * p + k] = c * x - s * y;
                    a[3 * q + k] = s * x + c * y;
                }
                for (int k = 0; k < 3; k++) {
                    double x = axes[3 * k + p], y = axes[3 * k + q];
                    axes[3 * k + p] = c * x - s * y;
                    axes[3 * k + q] = s * x + c * y;
                }
            }
        }
    }
    int order[3] = {0, 1, 2};
    for (int i = 0; i < 2; i++) {
        for (int j = i + 1; j < 3; j++) {
            if (a[4 * order[j]] > a[4 * order[i]]) {
                int k = order[i];
                order[i] = order[j];
                order[j] = k;
            }
        }
    }
    double sorted[9];
    for (int i = 0; i < 3; i++) {
        values[i] = a[4 * order[i]];
        for (int k = 0; k < 3; k++) {
            sorted[3 * k + i] = axes[3 * k + order[i]];
        }
    }
    double first[3] = {sorted[0], sorted[3], sorted[6]};
    double second[3] = {sorted[1], sorted[4], sorted[7]}, third[3];
    fb_v3_cross(third, first, second);
    for (int k = 0; k < 3; k++) {
        sorted[3 * k + 2] = third[k];
    }
    memcpy(axes, sorted, sizeof sorted);
}

void fb_svd3(const double *a, double *u, double *s, double *v) {
    double W[9], V[9], size = 0;
    for (int k = 0; k < 9; k++) {
        size = fb_greater(fabs(a[k]), size);
    }
    fb_m3_identity(V);
    fb_m3_identity(u);
    memcpy(v, V, sizeof V);
    fb_v3_set(s, 0, 0, 0);
    if (!(size > 0) || !isfinite(size)) {
        return;
    }
    for (int k = 0; k < 9; k++) {
        W[k] = a[k] / size;
    }
    bool turned = true;
    for (int sweep = 0; turned && sweep < 40; sweep++) {
        turned = turn_columns(W, V, 0, 1);
        turned = turn_columns(W, V, 0, 2) || turned;
        turned = turn_columns(W, V, 1, 2) || turned;
    }
    double w[3][3], axes[3][3], lengths[3];
    int order[3] = {0, 1, 2};
    for (int i = 0; i < 3; i++) {
        fb_v3_set(w[i], W[i], W[3 + i], W[6 + i]);
        lengths[i] = fb_v3_norm(w[i]);
    }
    for (int i = 0; i < 2; i++) { /* the greatest first */
        for (int j = 0; j < 2 - i; j++) {
            if (lengths[order[j + 1]] > lengths[order[j]]) {
                int swap = order[j];
                order[j] = order[j + 1];
                order[j + 1] = swap;
            }
        }
    }
    for (int i = 0; i < 3; i++) {
        fb_v3_set(axes[i], V[order[i]], V[3 + order[i]], V[6 + order[i]]);
    }
    double third[3], U[3][3];
    fb_v3_cross(third, axes[0], axes[1]);
    double sign = fb_v3_dot(third, axes[2]) < 0 ? -1 : 1; /* V proper */
    fb_v3_scale(axes[2], sign, axes[2]);
    fb_v3_copy(U[0], w[order[0]]);
    fb_v3_normalize(U[0]);
    fb_v3_copy(U[1], w[order[1]]);
    fb_v3_madd(U[1], -fb_v3_dot(U[0], U[1]), U[0]);
    if (!(fb_v3_norm(U[1]) > 1e-150)) {
        any_normal(U[1], U[0]);
    }
    fb_v3_normalize(U[1]);
    fb_v3_madd(U[1], -fb_v3_dot(U[0], U[1]), U[0]); /* once more, where it was short */
    fb_v3_normalize(U[1]);
    fb_v3_cross(U[2], U[0], U[1]);
    s[0] = lengths[order[0]] * size;
    s[1] = lengths[order[1]] * size;
    s[2] = sign * fb_v3_dot(U[2], w[order[2]]) < 0 ? -lengths[order[2]] : lengths[order[2]];
    s[2] *= size;
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            u[3 * k + i] = U[i][k];
            v[3 * k + i] = axes[i][k];
        }
    }
}

void fb_polar3(const double *a, double *rotation) {
    double u[9], s[3], v[9];
    fb_svd3(a, u, s, v);
    fb_m3_mult(rotation, u, v);
}

/* ---- the map --------------------------------------------------------------------------------- */

void fb_transform_identity(fb_transform *transform) {
    memset(transform, 0, sizeof *transform);
    transform->kind = FB_TRANSFORM_RIGID;
    fb_m3_identity(transform->linear);
    fb_m3_identity(transform->rotation);
    fb_v3_set(transform->scale, 1, 1, 1);
}

void fb_transform_point(const fb_transform *transform, const double *p, double *out) {
    double r[3];
    fb_m3_mul_v3(r, transform->linear, p);
    fb_v3_add(r, r, transform->translation);
    for (int i = 0; i < transform->n; i++) {
        fb_v3_madd(r, -fb_v3_distance(p, transform->centers[i]), transform->weights[i]);
    }
    fb_v3_copy(out, r);
}

void fb_transform_jacobian(const fb_transform *transform, const double *p, double *jacobian) {
    memcpy(jacobian, transform->linear, sizeof transform->linear);
    for (int i = 0; i < transform->n; i++) {
        double away[3];
        fb_v3_sub(away, p, transform->centers[i]);
        fb_v3_normalize(away); /* at the centre itself the kernel has no slope: 0, their mean */
        for (int k = 0; k < 9; k++) {
            jacobian[k] -= transform->weights[i][k / 3] * away[k % 3];
        }
    }
}

void fb_transform_rotation(const fb_transform *transform, const double *p, double *rotation) {
    if (transform->n == 0) {
        memcpy(rotation, transform->rotation, sizeof transform->rotation);
        return;
    }
    double jacobian[9];
    fb_transform_jacobian(transform, p, jacobian);
    for (int k = 0; k < 9 && transform->mirrored; k++) {
        jacobian[k] = -jacobian[k];
    }
    fb_polar3(jacobian, rotation);
}

double fb_transform_residual(const fb_transform *transform, const double (*from)[3],
                             const double (*to)[3], const double *weight, size_t n, double *mean,
                             double *each) {
    double squares = 0, sum = 0, weights = 0;
    for (size_t i = 0; i < n; i++) {
        double p[3];
        fb_transform_point(transform, from[i], p);
        double distance = fb_v3_distance(p, to[i]), w = weight ? weight[i] : 1;
        squares += w * distance * distance;
        sum += w * distance;
        weights += w;
        if (each) {
            each[i] = distance;
        }
    }
    if (mean) {
        *mean = weights > 0 ? sum / weights : 0;
    }
    return weights > 0 ? sqrt(squares / weights) : 0;
}

/* ---- other frames ---------------------------------------------------------------------------- */

static bool is_identity(const double *rotation) {
    double identity[9];
    fb_m3_identity(identity);
    for (int k = 0; k < 9; k++) {
        if (rotation[k] != identity[k]) { /* -0 is 0 */
            return false;
        }
    }
    return true;
}

/* Gives a copy of a spline its own centres and weights. False if memory ran out and the arena does
 * not jump; then it is no spline any more. */
static bool copy_spline(fb_transform *transform, fb_arena *arena) {
    if (transform->n == 0) {
        return true;
    }
    size_t n = (size_t)transform->n, size = sizeof *transform->centers;
    double(*centers)[3] = fb_arena_array(arena, n, size);
    double(*weights)[3] = fb_arena_array(arena, n, size);
    if (!centers || !weights) {
        transform->n = 0;
        return false;
    }
    memcpy(centers, transform->centers, n * size);
    memcpy(weights, transform->weights, n * size);
    transform->centers = centers;
    transform->weights = weights;
    return true;
}

void fb_transform_before(fb_transform *out, const fb_transform *transform, const double *rotation,
                         const double *translation, fb_arena *arena) {
    fb_transform from = *transform;
    *out = from;
    copy_spline(out, arena);
    fb_m3_mul_v3(out->translation, from.linear, translation);
    fb_v3_add(out->translation, out->translation, from.translation);
    bool turns = !is_identity(rotation);
    if (turns) {
        fb_m3_mul(out->linear, from.linear, rotation);
        fb_m3_mul(out->rotation, from.rotation, rotation);
    }
    if (turns && from.kind == FB_TRANSFORM_ANISOTROPIC) {
        double u[9], v[9];
        out->kind = FB_TRANSFORM_AFFINE;
        fb_svd3(from.linear, u, out->scale, v);
        out->scale[2] = fabs(out->scale[2]);
    }
    for (int i = 0; i < out->n; i++) {
        double center[3];
        fb_v3_sub(center, out->centers[i], translation);
        fb_m3_tmul_v3(out->centers[i], rotation, center);
    }
}

void fb_transform_after(fb_transform *out, const fb_transform *transform, const double *rotation,
                        const double *translation, fb_arena *arena) {
    fb_transform from = *transform;
    *out = from;
    copy_spline(out, arena);
    if (!is_identity(rotation)) {
        fb_m3_mul(out->linear, rotation, from.linear);
        fb_m3_mul(out->rotation, rotation, from.rotation);
        fb_m3_mul_v3(out->translation, rotation, from.translation);
        for (int i = 0; i < out->n; i++) {
            double weight[3];
            fb_m3_mul_v3(weight, rotation, out->weights[i]);
            fb_v3_copy(out->weights[i], weight);
        }
    }
    fb_v3_add(out->translation, out->translation, translation);
}

/* ---- words ----------------------------------------------------------------------------------- */

static const char *const words[] = {"rigid",  "similarity", "anisotropic",
                                    "affine", "tps",        "surface"};

const char *fb_transform_word(fb_transform_kind kind) {
    return words[kind];
}

int fb_transform_kind_of(const char *word) {
    for (int i = 0; i < (int)(sizeof words / sizeof *words); i++) {
        if (strcmp(word, words[i]) == 0) {
            return i;
        }
    }
    return -1;
}
