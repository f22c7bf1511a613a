/* Least squares in closed form: rigid, similarity and affine maps. */
#include <math.h>
#include <string.h>

#include "libcore/base/spatial.h"
#include "libcore/register/transform_internal.h"

#define FLAT \
    1e-9 /* singular value to the greatest: below, a mirrored map is as good as a proper one */

void fb_fit_moments(const fb_fit *fit, double *from, double *to, double *G, double *H) {
    double sum = 0;
    fb_v3_set(from, 0, 0, 0);
    fb_v3_set(to, 0, 0, 0);
    for (size_t i = 0; i < fit->n; i++) {
        sum += fit->weight[i];
        fb_v3_madd(from, fit->weight[i], fit->from[i]);
        fb_v3_madd(to, fit->weight[i], fit->to[i]);
    }
    fb_v3_scale(from, 1 / sum, from);
    fb_v3_scale(to, 1 / sum, to);
    memset(G, 0, 9 * sizeof *G);
    memset(H, 0, 9 * sizeof *H);
    for (size_t i = 0; i < fit->n; i++) {
        double p[3], q[3];
        fb_v3_sub(p, fit->from[i], from);
        fb_v3_sub(q, fit->to[i], to);
        for (int k = 0; k < 9; k++) {
            G[k] += fit->weight[i] * p[k / 3] * p[k % 3];
            H[k] += fit->weight[i] * q[k / 3] * p[k % 3];
        }
    }
}

/* translation = to - linear from */
static void set_translation(fb_transform *transform, const double *from, const double *to) {
    double moved[3];
    fb_m3_mul_v3(moved, transform->linear, from);
    fb_v3_sub(transform->translation, to, moved);
}

void fb_fit_decompose(fb_transform *transform) {
    double u[9], v[9];
    fb_svd3(transform->linear, u, transform->scale, v);
    fb_m3_mult(transform->rotation, u, v);
    transform->mirrored = transform->scale[2] < 0;
    transform->scale[2] = fabs(transform->scale[2]);
    if (transform->mirrored) { /* -A = U' diag(s) V^T with the third column of U unturned */
        for (int k = 0; k < 9; k++) {
            u[k] = k % 3 == 2 ? u[k] : -u[k];
        }
        fb_m3_mult(transform->rotation, u, v);
    }
}

/* ---- rigid and similarity -------------------------------------------------------------------- */

/* x = M^-1 b for a symmetric M, by cofactors. */
static void solve3(double *x, const double *M, const double *b) {
    double c[3][3];
    for (int i = 0; i < 3; i++) {
        fb_v3_cross(c[i], M + 3 * ((i + 1) % 3), M + 3 * ((i + 2) % 3));
    }
    double det = fb_v3_dot(M, c[0]);
    for (int i = 0; i < 3; i++) {
        x[i] = (c[0][i] * b[0] + c[1][i] * b[1] + c[2][i] * b[2]) / det;
    }
}

static double best_scale(const fb_fit *fit, const double *from, const double *to, const double *Q) {
    double along = 0, squares = 0;
    for (size_t i = 0; i < fit->n; i++) {
        double p[3], q[3], x[3];
        fb_v3_sub(p, fit->from[i], from);
        fb_v3_sub(q, fit->to[i], to);
        fb_m3_mul_v3(x, Q, p);
        along += fit->weight[i] * fb_v3_dot(x, q);
        squares += fit->weight[i] * fb_v3_dot(p, p);
    }
    return along / squares;
}

/* One Newton step on the residuals themselves: moments of elongated bones lose digits that the
 * residuals still have. */
static void refine_turn(const fb_fit *fit, const double *from, const double *to, double scale,
                        double *Q) {
    double M[9] = {0}, moment[3] = {0, 0, 0}, turn[3], R[9], turned[9];
    for (size_t i = 0; i < fit->n; i++) {
        double p[3], q[3], x[3], cross[3];
        fb_v3_sub(p, fit->from[i], from);
        fb_v3_sub(q, fit->to[i], to);
        fb_m3_mul_v3(x, Q, p);
        fb_v3_madd(q, -scale, x);
        fb_v3_cross(cross, x, q);
        fb_v3_madd(moment, fit->weight[i] / scale, cross);
        double square = fb_v3_dot(x, x);
        for (int k = 0; k < 9; k++) {
            M[k] += fit->weight[i] * ((k % 4 == 0 ? square : 0) - x[k / 3] * x[k % 3]);
        }
    }
    solve3(turn, M, moment);
    double angle = fb_v3_normalize(turn);
    if (angle > 0 && angle < 1e-6) { /* else it is no rounding error */
        fb_m3_rotation(R, turn, angle);
        fb_m3_mul(turned, R, Q);
        memcpy(Q, turned, sizeof turned);
    }
}

fb_status fb_fit_similarity(fb_transform *transform, const fb_fit *fit, bool rigid) {
    double from[3], to[3], G[9], H[9], u[9], s[3], v[9], Q[9];
    fb_fit_moments(fit, from, to, G, H);
    fb_svd3(H, u, s, v);
    bool mirrored = fit->mirror && s[2] < -FLAT * s[0];
    for (int k = 2; k < 9 && mirrored; k += 3) {
        u[k] = -u[k];
    }
    fb_m3_mult(Q, u, v);
    double scale = rigid ? 1 : best_scale(fit, from, to, Q);
    if (!(scale > 0) || !isfinite(scale)) {
        return FB_E_NUMERIC;
    }
    refine_turn(fit, from, to, scale, Q);
    for (int k = 0; k < 9; k++) {
        transform->rotation[k] = mirrored ? -Q[k] : Q[k];
    }
    fb_polar3(transform->rotation, Q);
    memcpy(transform->rotation, Q, sizeof Q);
    for (int k = 0; k < 9; k++) {
        Q[k] = mirrored ? -transform->rotation[k] : transform->rotation[k];
    }
    scale = rigid ? 1 : best_scale(fit, from, to, Q);
    for (int k = 0; k < 9; k++) {
        transform->linear[k] = scale * Q[k];
    }
    fb_v3_set(transform->scale, scale, scale, scale);
    transform->mirrored = mirrored;
    set_translation(transform, from, to);
    return FB_OK;
}

/* ---- affine ---------------------------------------------------------------------------------- */

/* Row i of [p sqrt(w), q sqrt(w)] about the centroids. */
typedef double design_row[6];

fb_status fb_fit_affine(fb_transform *transform, const fb_fit *fit) {
    double from[3], to[3], G[9], H[9], R[3][6];
    fb_fit_moments(fit, from, to, G, H);
    design_row *rows = fb_alloc(fit->n * sizeof *rows);
    if (!rows) {
        return FB_E_MEMORY;
    }
    for (size_t i = 0; i < fit->n; i++) {
        fb_v3_sub(rows[i], fit->from[i], from);
        fb_v3_sub(rows[i] + 3, fit->to[i], to);
        double root = sqrt(fit->weight[i]);
        for (int k = 0; k < 6; k++) {
            rows[i][k] *= root;
        }
    }
    for (int j = 0; j < 3; j++) { /* modified Gram-Schmidt, right sides too: Bjorck 1967 */
        double squares = 0;
        for (size_t i = 0; i < fit->n; i++) {
            squares += rows[i][j] * rows[i][j];
        }
        R[j][j] = sqrt(squares);
        for (int k = j + 1; k < 6; k++) {
            double along = 0;
            for (size_t i = 0; i < fit->n; i++) {
                along += rows[i][j] * rows[i][k];
            }
            R[j][k] = along / R[j][j];
            for (size_t i = 0; i < fit->n; i++) {
                rows[i][k] -= R[j][k] * (rows[i][j] / R[j][j]);
            }
        }
    }
    fb_free(rows);
    for (int c = 0; c < 3; c++) { /* R A^T = right side */
        for (int j = 2; j >= 0; j--) {
            double sum = R[j][3 + c];
            for (int k = j + 1; k < 3; k++) {
                sum -= R[j][k] * transform->linear[3 * c + k];
            }
            transform->linear[3 * c + j] = sum / R[j][j];
        }
    }
    fb_fit_decompose(transform);
    set_translation(transform, from, to);
    return isfinite(transform->scale[0]) && transform->scale[0] > 0 ? FB_OK : FB_E_NUMERIC;
}
