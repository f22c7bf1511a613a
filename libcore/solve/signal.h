/* Time series: padding, low-pass filters, interpolating splines, as OpenSim's tools chain them.
 *
 * Sources: the natural spline of degree 2m - 1 is the interpolant whose m-th derivative has the
 * least integral of squares (I. Schoenberg, 1964; OpenSim's GCVSpline with error variance 0). A
 * Butterworth filter of third order by the bilinear transform, run forwards and backwards. */
#ifndef FB_SOLVE_SIGNAL_H
#define FB_SOLVE_SIGNAL_H

#include <stdbool.h>

#include "libcore/base/arena.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Columns of numbers over time. Memory is an arena's; operations that change the number of rows
 * take new memory from it. */
typedef struct fb_signal {
    int n, n_columns;
    double *time; /* n, s, rising */
    double *y;    /* n x n_columns */
    fb_arena *arena;
} fb_signal;

/* A series of zeros. */
void fb_signal_start(fb_signal *series, int n, int n_columns, fb_arena *arena);
/* True if time rises from row to row; else `row` (unless NULL) gets the first that does not. */
bool fb_signal_rises(const fb_signal *series, int *row);
/* Adds n < series->n rows before the first and after the last by point reflection: x(-k) =
 * 2 x(0) - x(k), time included. False if there are too few rows. */
bool fb_signal_pad(fb_signal *series, int n);
/* Values of the quintic spline at `step` from the first time on, up to the last: times are sums, as
 * OpenSim's are. */
bool fb_signal_resample(fb_signal *series, double step);
/* The step that a filter needs: the shortest, if steps differ by more than rounding of the double
 * format; 0 if they do not. (OpenSim resamples then.) */
double fb_signal_uneven(const fb_signal *series);
/* Low-pass filter of third order at a frequency in Hz, there and back, so that phases stay. Uneven
 * series are resampled first. A frequency at or above half the sampling rate is reduced to 0.49 of
 * the rate, and `frequency` changed. False if there are fewer than 4 rows, or 6 if uneven. */
bool fb_signal_lowpass_iir(fb_signal *series, double *frequency);
/* Low-pass filter of finite response with 2 * order + 1 terms: a sinc in a Hamming window, scaled
 * to leave constants alone, over the series padded by `order` rows. Uneven series are resampled
 * first. False if there are fewer than 2 * order rows. */
bool fb_signal_lowpass_fir(fb_signal *series, int order, double frequency);

/* Natural splines through all columns of a series, of degree 3 or 5. Time and memory are in
 * proportion to the numbers of rows and columns. */
typedef struct fb_splines {
    int n, n_columns, degree;
    const double *time, *y; /* the series' */
    double *slope, *bend;   /* n x n_columns: first and second derivatives; bend NULL for cubics */
} fb_splines;

/* False if there are fewer than 2 rows (degree 3) or 3 (degree 5), time does not rise, or the
 * degree is another. The series must live as long and keep its rows. */
bool fb_splines_make(fb_splines *splines, int degree, const fb_signal *series, fb_arena *arena);
/* Values and derivatives of all columns at a time in s; d1, d2 may be NULL. Beyond the ends cubics
 * go on straight, quintics as parabolas. */
void fb_splines_value(const fb_splines *splines, double time, double *value, double *d1,
                      double *d2);

#ifdef __cplusplus
}
#endif
#endif
