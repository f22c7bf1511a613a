#include "libcore/motion/solve.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

/* Constraints' singular values below this and the number of equations, relative to the largest,
 * count as redundant: as in Simbody (its SignificantReal, the machine's precision to the power
 * 7/8). They would ask for forces beyond all measure. */
#define REDUNDANT 2.0e-14

bool fb_cholesky(int n, double *A, double least) {
    double largest = 0;
    for (int i = 0; i < n; i++) {
        largest = fmax(largest, A[i * n + i]);
    }
    for (int j = 0; j < n; j++) {
        double d = A[j * n + j];
        for (int k = 0; k < j; k++) {
            d -= A[j * n + k] * A[j * n + k];
        }
        if (!(d > least * largest)) {
            return false;
        }
        d = sqrt(d);
        A[j * n + j] = d;
        for (int i = j + 1; i < n; i++) {
            double sum = A[i * n + j];
            for (int k = 0; k < j; k++) {
                sum -= A[i * n + k] * A[j * n + k];
            }
            A[i * n + j] = sum / d;
        }
    }
    return true;
}

void fb_cholesky_forward(int n, const double *L, double *x) {
    for (int i = 0; i < n; i++) {
        double sum = x[i];
        for (int k = 0; k < i; k++) {
            sum -= L[i * n + k] * x[k];
        }
        x[i] = sum / L[i * n + i];
    }
}

void fb_cholesky_backward(int n, const double *L, double *x) {
    for (int i = n - 1; i >= 0; i--) {
        double sum = x[i];
        for (int k = i + 1; k < n; k++) {
            sum -= L[k * n + i] * x[k];
        }
        x[i] = sum / L[i * n + i];
    }
}

fb_status fb_solve_least(fb_scratch *scratch, int m, int n, double *G, const double *b, double *x,
                         double tolerance) {
    for (int i = 0; i < m * n; i++) { /* LAPACK may not come back from numbers that are none */
        if (!isfinite(G[i])) {
            return FB_E_NUMERIC;
        }
    }
    for (int i = 0; i < m; i++) {
        if (!isfinite(b[i])) {
            return FB_E_NUMERIC;
        }
    }
    int most = m > n ? m : n, least = m < n ? m : n, rank = 0, n_integers = 1;
    double wanted = 0;
    int info = LAPACKE_dgelsd_work(LAPACK_COL_MAJOR, m, n, 1, NULL, m, NULL, most, NULL, tolerance,
                                   &rank, &wanted, -1, &n_integers);
    int n_work = (int)wanted;
    size_t doubles = (size_t)(m * n + most + least + 1 + n_work);
    double *columns = fb_scratch_take(scratch, doubles, sizeof *columns);
    lapack_int *integers = fb_scratch_take(scratch, (size_t)n_integers + 1, sizeof *integers);
    fb_status status = FB_E_MEMORY;
    if (columns && integers && info == 0) {
        double *rhs = columns + m * n, *values = rhs + most, *work = values + least + 1;
        for (int i = 0; i < m; i++) {
            for (int j = 0; j < n; j++) {
                columns[j * m + i] = G[i * n + j];
            }
        }
        memset(rhs, 0, (size_t)most * sizeof *rhs);
        memcpy(rhs, b, (size_t)m * sizeof *rhs);
        info = LAPACKE_dgelsd_work(LAPACK_COL_MAJOR, m, n, 1, columns, m, rhs, most, values,
                                   tolerance, &rank, work, n_work, integers);
        if (info == 0) {
            memcpy(x, rhs, (size_t)n * sizeof *x);
        }
    }
    if (columns && integers) {
        status = info == 0 ? FB_OK : FB_E_NUMERIC;
    }
    fb_scratch_give(scratch, integers);
    fb_scratch_give(scratch, columns);
    return status;
}

/* The whole saddle point system by least squares, for mass matrices that are singular: directions
 * without mass must be held by the constraints. */
static fb_status solve_saddle(fb_scratch *scratch, int n, int m, const double *M, const double *G,
                              const double *rhs, const double *b, double *x) {
    int size = n + m;
    double *A = fb_scratch_take(scratch, (size_t)(size * size + 2 * size), sizeof *A);
    if (!A) {
        return FB_E_MEMORY;
    }
    double *right = A + size * size, *solution = right + size;
    memset(A, 0, (size_t)(size * size) * sizeof *A);
    for (int i = 0; i < n; i++) {
        memcpy(A + i * size, M + i * n, (size_t)n * sizeof *A);
        for (int j = 0; j < m; j++) {
            A[i * size + n + j] = A[(n + j) * size + i] = G[j * n + i];
        }
        right[i] = rhs[i];
    }
    for (int j = 0; j < m; j++) {
        right[n + j] = b[j];
    }
    fb_status status = fb_solve_least(scratch, size, size, A, right, solution, 1e-13);
    if (status == FB_OK) {
        memcpy(x, solution, (size_t)n * sizeof *x);
    }
    fb_scratch_give(scratch, A);
    return status;
}

/* lambda (m) becomes the solution of A x = lambda, A m x m with both triangles; `work` has room for
 * as much, or is NULL. */
static fb_status solve_multipliers(fb_scratch *scratch, int m, double *A, double *work,
                                   double *lambda) {
    if (work) {
        memcpy(work, A, (size_t)(m * m) * sizeof *work);
        if (fb_cholesky(m, work, FB_SMALL_CONSTRAINT)) {
            fb_cholesky_forward(m, work, lambda);
            fb_cholesky_backward(m, work, lambda);
            return FB_OK;
        }
    }
    double *right = fb_scratch_take(scratch, (size_t)m, sizeof *right); /* redundant constraints */
    if (!right) {
        return FB_E_MEMORY;
    }
    memcpy(right, lambda, (size_t)m * sizeof *right);
    fb_status status = fb_solve_least(scratch, m, m, A, right, lambda, m * REDUNDANT);
    fb_scratch_give(scratch, right);
    return status;
}

/* The multipliers' part of x = L^-1 rhs: G M^-1 G^T lambda = b - G M^-1 rhs. */
static fb_status add_multipliers(fb_scratch *scratch, int n, int m, double *M, const double *L,
                                 const double *b, double *W, double *A, double *lambda, double *x) {
    for (int i = 0; i < m; i++) {
        fb_cholesky_forward(n, L, W + i * n); /* rows: L^-1 g */
    }
    for (int i = 0; i < m; i++) {
        lambda[i] = b[i];
        for (int k = 0; k < n; k++) {
            lambda[i] -= W[i * n + k] * x[k];
        }
        for (int j = 0; j <= i; j++) {
            double sum = 0;
            for (int k = 0; k < n; k++) {
                sum += W[i * n + k] * W[j * n + k];
            }
            A[i * m + j] = A[j * m + i] = sum;
        }
    }
    /* M is free to be overwritten where it is large enough */
    fb_status status = solve_multipliers(scratch, m, A, m <= n ? M : NULL, lambda);
    for (int i = 0; status == FB_OK && i < m; i++) {
        for (int k = 0; k < n; k++) {
            x[k] += W[i * n + k] * lambda[i];
        }
    }
    return status;
}

fb_status fb_solve_constrained(fb_scratch *scratch, int n, int m, double *M, double *G,
                               const double *rhs, const double *b, double *x) {
    if (n == 0) {
        return FB_OK;
    }
    double *L = fb_scratch_take(scratch, (size_t)(n * n + m * n + m * m + m), sizeof *L);
    if (!L) {
        return FB_E_MEMORY;
    }
    double *W = L + n * n, *A = W + m * n, *lambda = A + m * m;
    fb_status status = FB_OK;
    memcpy(L, M, (size_t)(n * n) * sizeof *L);
    if (!fb_cholesky(n, L, FB_SMALL_PIVOT)) {
        status = m > 0 ? solve_saddle(scratch, n, m, M, G, rhs, b, x) : FB_E_NUMERIC;
        fb_scratch_give(scratch, L);
        return status;
    }
    memcpy(x, rhs, (size_t)n * sizeof *x);
    fb_cholesky_forward(n, L, x);
    if (m > 0) {
        memcpy(W, G, (size_t)(m * n) * sizeof *W);
        status = add_multipliers(scratch, n, m, M, L, b, W, A, lambda, x);
    }
    fb_cholesky_backward(n, L, x);
    fb_scratch_give(scratch, L);
    return status;
}

static bool all_finite(size_t n, const double *numbers) {
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(numbers[i])) {
            return false;
        }
    }
    return true;
}

fb_status fb_solve_symmetric(fb_scratch *scratch, int n, const double *A, int m, double *b) {
    size_t square = (size_t)n * (size_t)n, right = (size_t)n * (size_t)m;
    if (!all_finite(square, A) || !all_finite(right, b)) {
        return FB_E_NUMERIC;
    }
    double wanted = 0;
    LAPACKE_dsytrf_work(LAPACK_COL_MAJOR, 'L', n, NULL, n, NULL, &wanted, -1);
    int n_work = (int)fmax(wanted, 1);
    double *factor = fb_scratch_take(scratch, square + right + (size_t)n_work, sizeof *factor);
    lapack_int *pivots = fb_scratch_take(scratch, (size_t)n, sizeof *pivots);
    int info = -1;
    if (factor && pivots) {
        double *rest = factor + square;
        memcpy(factor, A, square * sizeof *factor);
        memcpy(rest, b, right * sizeof *rest);
        info = LAPACKE_dsytrf_work(LAPACK_COL_MAJOR, 'L', n, factor, n, pivots, rest + right,
                                   n_work);
        if (info == 0) {
            info = LAPACKE_dsytrs_work(LAPACK_COL_MAJOR, 'L', n, m, factor, n, pivots, b, n);
        }
        for (int k = 0; info == 0 && k < m; k++) {
            for (int i = 0; i < n; i++) {
                for (int j = 0; j < n; j++) {
                    rest[k * n + i] -= A[(size_t)i * (size_t)n + (size_t)j] * b[k * n + j];
                }
            }
        }
        if (info == 0) {
            info = LAPACKE_dsytrs_work(LAPACK_COL_MAJOR, 'L', n, m, factor, n, pivots, rest, n);
        }
        for (size_t i = 0; info == 0 && i < right; i++) {
            b[i] += rest[i];
        }
    }
    fb_status status = factor && pivots ? FB_OK : FB_E_MEMORY;
    if (status == FB_OK && (info != 0 || !all_finite(right, b))) {
        status = FB_E_NUMERIC;
    }
    fb_scratch_give(scratch, pivots);
    fb_scratch_give(scratch, factor);
    return status;
}
