/* Thin-plate splines in space: kernel U = -|r|, which is conditionally positive definite, so that
 * smoothing is added to its diagonal. q = A p + t + sum_j U(p - c_j) w_j minimises
 *   sum_i weight_i |q_i - q(p_i)|^2 + smoothing w^T U w
 * where U w + smoothing diag(1 / weight) w + A p + t = q, sum w = 0, sum w c^T = 0 (Wahba 1990). */
#include <math.h>
#include <string.h>

#include "libcore/base/spatial.h"
#include "libcore/motion/solve.h"
#include "libcore/register/transform_internal.h"

/* Centre and size (root mean square distance from it) of the points. */
static double size_of(const fb_fit *fit, double *center) {
    double squares = 0, n = (double)fit->n;
    fb_v3_set(center, 0, 0, 0);
    for (size_t i = 0; i < fit->n; i++) {
        fb_v3_madd(center, 1 / n, fit->from[i]);
    }
    for (size_t i = 0; i < fit->n; i++) {
        double d = fb_v3_distance(fit->from[i], center);
        squares += d * d / n;
    }
    return sqrt(squares);
}

/* The whole system in units of `size`; unknown are w times size and `unit`, then t and A. Smoothing
 * far above 1 is divided away by `unit`, so that it keeps its digits. */
static void assemble(const fb_fit *fit, const double *center, double size, double unit, double *M,
                     double *right) {
    size_t n = fit->n, rows = n + 4;
    double mean = 0;
    for (size_t i = 0; i < n; i++) {
        mean += fit->given[i] / (double)n;
    }
    memset(M, 0, rows * rows * sizeof *M);
    memset(right, 0, 3 * rows * sizeof *right);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < i; j++) {
            double U = -fb_v3_distance(fit->from[i], fit->from[j]) / (size * unit);
            M[i * rows + j] = M[j * rows + i] = U;
        }
        M[i * rows + i] = fit->smoothing / size / unit * (mean / fit->weight[i]);
        M[i * rows + n] = M[n * rows + i] = 1;
        for (size_t k = 0; k < 3; k++) {
            double x = (fit->from[i][k] - center[k]) / size;
            M[i * rows + n + 1 + k] = M[(n + 1 + k) * rows + i] = x;
            right[k * rows + i] = fit->to[i][k];
        }
    }
}

fb_status fb_fit_spline(fb_transform *transform, const fb_fit *fit) {
    double center[3], size = size_of(fit, center);
    double unit = fb_greater(fit->smoothing / size, 1);
    size_t n = fit->n, rows = n + 4;
    double *M = fb_alloc((rows * rows + 3 * rows) * sizeof *M);
    if (!M) {
        return FB_E_MEMORY;
    }
    fb_scratch scratch = {0};
    double *x = M + rows * rows;
    assemble(fit, center, size, unit, M, x);
    fb_status status = fb_solve_symmetric(&scratch, (int)rows, M, 3, x);
    for (size_t k = 0; k < 3 && status == FB_OK; k++, x += rows) {
        transform->translation[k] = x[n];
        for (size_t i = 0; i < 3; i++) {
            transform->linear[3 * k + i] = x[n + 1 + i] / size;
            transform->translation[k] -= x[n + 1 + i] / size * center[i];
        }
        for (size_t i = 0; i < n; i++) {
            transform->weights[i][k] = x[i] / (size * unit);
        }
    }
    fb_free(M);
    fb_scratch_clear(&scratch);
    if (status == FB_OK) {
        transform->n = (int)n;
        transform->smoothing = fit->smoothing;
        memcpy(transform->centers, fit->from, n * sizeof *fit->from);
        fb_fit_decompose(transform);
    }
    return status;
}
