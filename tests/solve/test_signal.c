/* Padding, filters and splines against what they are by definition. */
#include "libcore/solve/signal.h"

#include <math.h>
#include <string.h>

#include "libcore/motion/function.h"
#include "tests/help.h"

#define PI 3.14159265358979323846

/* A sum of sines in column 0, a line in column 1; uneven: steps that differ by up to a third. */
static fb_signal make(int n, double rate, bool uneven, fb_arena *arena) {
    fb_signal s;
    fb_signal_start(&s, n, 2, arena);
    for (int i = 0; i < n; i++) {
        double t = 0.5 + (i + (uneven ? 0.15 * sin(i * i) : 0)) / rate;
        s.time[i] = t;
        s.y[2 * i] = 20 * sin(7 * t) + 3 * cos(31 * t);
        s.y[2 * i + 1] = 4 - 3 * t;
    }
    return s;
}

static void padding_reflects(void) {
    fb_arena arena;
    fb_arena_init(&arena);
    fb_signal s = make(11, 60, true, &arena), p = s;
    FB_TRUE(fb_signal_pad(&p, 5), "pad");
    FB_EQUAL_INT(p.n, 21);
    for (int k = 1; k <= 5; k++) {
        FB_NEAR(p.time[5 - k], 2 * s.time[0] - s.time[k], 0, 0);
        FB_NEAR(p.time[15 + k], 2 * s.time[10] - s.time[10 - k], 0, 0);
        FB_NEAR(p.y[2 * (5 - k)], 2 * s.y[0] - s.y[2 * k], 0, 0);
        FB_NEAR(p.y[2 * (15 + k)], 2 * s.y[20] - s.y[2 * (10 - k)], 0, 0);
    }
    FB_NEAR(p.y[10], s.y[0], 0, 0);
    FB_NEAR(p.y[30], s.y[20], 0, 0);
    FB_TRUE(fb_signal_rises(&p, NULL), "times rise");
    FB_TRUE(!fb_signal_pad(&s, 11), "there are not so many rows to reflect");
    fb_arena_clear(&arena);
}

/* Through the points; derivatives are those of the value; the same as the splines of functions,
 * which are made in another way; natural at both ends and beyond. */
static void check_splines(int degree, bool uneven) {
    fb_arena arena;
    fb_arena_init(&arena);
    fb_signal s = make(73, 60, uneven, &arena);
    fb_splines p;
    fb_function f;
    FB_TRUE(fb_splines_make(&p, degree, &s, &arena), "degree %d", degree);
    FB_TRUE(fb_function_series(&f, degree, s.time, s.y, 2, s.n, &arena), "a function");
    for (int i = 0; i < s.n; i++) {
        double y[2];
        fb_splines_value(&p, s.time[i], y, NULL, NULL);
        FB_NEAR(y[0], s.y[2 * i], 1e-12, 1e-12);
        FB_NEAR(y[1], s.y[2 * i + 1], 1e-12, 1e-12);
    }
    const double h = 1e-5;
    for (int i = -5; i < 400; i++) {
        double t = s.time[0] + 0.00313 * i, y[2], d1[2], d2[2], a[2], b[2], da[2], db[2], e1, e2;
        fb_splines_value(&p, t, y, d1, d2);
        FB_NEAR(y[0], fb_function_value(&f, t, &e1, &e2), 1e-7, 0); /* which rounds more */
        FB_NEAR(d1[0], e1, 1e-6, 1e-6);
        FB_NEAR(d2[0], e2, 1e-5, 1e-6);
        FB_NEAR(d1[1], -3, 1e-10, 0); /* a line is its own spline */
        FB_NEAR(d2[1], 0, 1e-8, 0);
        fb_splines_value(&p, t - h, a, da, NULL);
        fb_splines_value(&p, t + h, b, db, NULL);
        FB_NEAR(d1[0], (b[0] - a[0]) / (2 * h), 1e-3, 1e-5);
        if (degree == 5) { /* a cubic's second derivative has corners */
            FB_NEAR(d2[0], (db[0] - da[0]) / (2 * h), 0.1, 1e-4);
        }
    }
    for (int end = 0; end < 2; end++) { /* third derivative, or second: 0 */
        double t = s.time[end ? s.n - 1 : 0], step = degree == 3 ? 1e-9 : 1e-6,
               in = end ? -step : step, y[2], d1[2], d2[2], c[2];
        fb_splines_value(&p, t, y, d1, d2);
        fb_splines_value(&p, t + in, y, d1, c);
        if (degree == 3) {
            FB_NEAR(c[0], 0, 1e-3, 0);
        } else {
            FB_NEAR((c[0] - d2[0]) / in, 0, 2, 0); /* the signal's is of the order of 1e4 */
        }
    }
    fb_arena_clear(&arena);
}

static void splines_are_natural(void) {
    check_splines(3, false);
    check_splines(3, true);
    check_splines(5, false);
    check_splines(5, true);
    fb_arena arena;
    fb_arena_init(&arena);
    fb_signal s = make(3, 60, false, &arena);
    fb_splines p;
    s.n = 2;
    FB_TRUE(!fb_splines_make(&p, 5, &s, &arena), "two points have no quintic");
    FB_TRUE(!fb_splines_make(&p, 4, &s, &arena), "degree 4");
    s.time[1] = s.time[0];
    FB_TRUE(!fb_splines_make(&p, 3, &s, &arena), "time stands still");
    fb_arena_clear(&arena);
}

/* A sine's amplitude in the middle of a long series, against the gain by definition. */
static double gain(double f, double cut, bool fir) {
    fb_arena arena;
    fb_arena_init(&arena);
    fb_signal s;
    int n = 2000;
    double rate = 128, most = 0; /* steps are exact */
    fb_signal_start(&s, n, 1, &arena);
    for (int i = 0; i < n; i++) {
        s.time[i] = i / rate;
        s.y[i] = sin(2 * PI * f * i / rate + 0.3);
    }
    FB_NEAR(fb_signal_uneven(&s), 0, 0, 0);
    FB_TRUE(fir ? fb_signal_lowpass_fir(&s, 50, cut) : fb_signal_lowpass_iir(&s, &cut), "filter");
    FB_EQUAL_INT(s.n, n);
    double c = 0, d = 0;
    for (int i = 500; i < 1500; i++) { /* whole periods */
        c += s.y[i] * sin(2 * PI * f * i / rate + 0.3) / 500;
        d += s.y[i] * cos(2 * PI * f * i / rate + 0.3) / 500;
        most = fmax(most, fabs(s.y[i]));
    }
    FB_NEAR(d, 0, 1e-3, 0); /* no phase */
    FB_NEAR(most, fabs(c), 2e-2, 0);
    fb_arena_clear(&arena);
    return c;
}

static void filters_have_their_gain(void) {
    for (double f = 1.024; f < 30; f *= 2) {
        double w = tan(PI * f / 128) / tan(PI * 6 / 128);
        FB_NEAR(gain(f, 6, false), 1 / (1 + pow(w, 6)), 2e-4, 0);
    }
    FB_NEAR(gain(1.024, 8, true), 1, 2e-2, 0);
    FB_NEAR(gain(8.192, 8.192, true), 0.5, 2e-2, 0);
    FB_NEAR(gain(16.384, 8, true), 0, 2e-2, 0);
    fb_arena arena;
    fb_arena_init(&arena);
    fb_signal s = make(120, 60, false, &arena);
    double cut = 100, time = s.time[0], last = s.time[119];
    FB_TRUE(fb_signal_lowpass_fir(&s, 50, 6), "a line passes");
    for (int i = 0; i < s.n; i++) {
        FB_NEAR(s.y[2 * i + 1], 4 - 3 * s.time[i], 1e-12, 0);
    }
    /* uneven times: on a grid of the shortest step */
    s = make(120, 60, true, &arena);
    double step = fb_signal_uneven(&s);
    FB_TRUE(step > 0.6 / 60 && step < 1 / 60.0, "step %g", step);
    FB_TRUE(fb_signal_lowpass_iir(&s, &cut), "filter");
    FB_NEAR(cut, 0.49 / step, 1e-12, 0);
    FB_NEAR(s.time[0], time, 0, 0);
    for (int i = 1; i < s.n; i++) {
        FB_NEAR(s.time[i], s.time[i - 1] + step, 0, 0);
    }
    FB_TRUE(s.time[s.n - 1] <= last && s.time[s.n - 1] + step > last, "up to the last time");
    fb_arena_clear(&arena);
}

static const fb_test tests[] = {
    FB_TEST(padding_reflects),
    FB_TEST(splines_are_natural),
    FB_TEST(filters_have_their_gain),
    FB_TEST_END,
};

int main(int argc, char **argv) {
    return fb_test_main("signal", tests, argc, argv);
}
