#include "libcore/motion/curve.h"

#include <math.h>
#include <string.h>

#define NEWTON_STEPS 60

void fb_curve_add(fb_curve *curve, double x0, double y0, double d0, double x1, double y1, double d1,
                  double curviness) {
    /* the corner, where the tangents of the ends meet */
    double xc = fabs(d0 - d1) > 1e-12 ? (y1 - y0 - x1 * d1 + x0 * d0) / (d0 - d1) : (x0 + x1) / 2;
    double yc = (xc - x1) * d1 + y1;
    double c = 0.1 + 0.8 * curviness;
    double *x = curve->x[curve->n], *y = curve->y[curve->n];
    x[0] = x0;
    y[0] = y0;
    x[1] = x[2] = x0 + c * (xc - x0);
    y[1] = y[2] = y0 + c * (yc - y0);
    x[3] = x[4] = x1 + c * (xc - x1);
    y[3] = y[4] = y1 + c * (yc - y1);
    x[5] = x1;
    y[5] = y1;
    if (curve->n == 0) {
        curve->slope[0] = d0;
    }
    curve->slope[1] = d1;
    curve->n++;
}

/* A quintic in Bernstein form and its derivative. */
static double bernstein(const double *p, double u, double *du) {
    double a[5], d[5];
    for (int i = 0; i < 5; i++) {
        a[i] = p[i] + u * (p[i + 1] - p[i]);
        d[i] = p[i + 1] - p[i];
    }
    for (int k = 4; k > 0; k--) {
        for (int i = 0; i < k; i++) {
            a[i] += u * (a[i + 1] - a[i]);
            d[i] += u * (d[i + 1] - d[i]);
        }
    }
    *du = 5 * d[0];
    return a[0];
}

/* Newton on x(u) = x in a section, kept in a bracket; x(u) rises. */
static double parameter_at(const double *p, double x) {
    double low = 0, high = 1, u = (x - p[0]) / (p[5] - p[0]), dx = 1;
    for (int step = 0; step < NEWTON_STEPS; step++) {
        double error = bernstein(p, u, &dx) - x;
        if (error > 0) {
            high = u;
        } else {
            low = u;
        }
        if (fabs(error) <= 4e-16 * (1 + fabs(x)) || high - low < 1e-16) {
            break;
        }
        double next = u - error / dx;
        u = next > low && next < high ? next : (low + high) / 2;
    }
    return u;
}

/* Second derivative of a quintic in Bernstein form. */
static double bernstein_second(const double *p, double u) {
    double a[4];
    for (int i = 0; i < 4; i++) {
        a[i] = p[i + 2] - 2 * p[i + 1] + p[i];
    }
    for (int k = 3; k > 0; k--) {
        for (int i = 0; i < k; i++) {
            a[i] += u * (a[i + 1] - a[i]);
        }
    }
    return 20 * a[0];
}

/* Value, slope and curvature over x. */
static void exact(const fb_curve *curve, int section, double x, double out[3]) {
    const double *px = curve->x[section], *py = curve->y[section];
    double u = parameter_at(px, x), dx, dy;
    bernstein(px, u, &dx);
    out[0] = bernstein(py, u, &dy);
    out[1] = dy / dx;
    out[2] = (bernstein_second(py, u) * dx - dy * bernstein_second(px, u)) / (dx * dx * dx);
}

void fb_curve_tabulate(fb_curve *curve, fb_arena *arena) {
    double *table = fb_arena_array(arena, (size_t)curve->n * FB_CURVE_CELLS * 6, sizeof *table);
    for (int i = 0; i < curve->n; i++) {
        double begin = curve->x[i][0], h = (curve->x[i][5] - begin) / FB_CURVE_CELLS, a[3], b[3];
        curve->begin[i] = begin;
        curve->begin[i + 1] = curve->x[i][5];
        curve->scale[i] = FB_CURVE_CELLS / (curve->x[i][5] - begin);
        exact(curve, i, begin, b);
        for (int k = 0; k < FB_CURVE_CELLS; k++) {
            memcpy(a, b, sizeof a);
            exact(curve, i, k + 1 < FB_CURVE_CELLS ? begin + (k + 1) * h : curve->x[i][5], b);
            double *c = table + (i * FB_CURVE_CELLS + k) * 6;
            c[0] = a[0];
            c[1] = h * a[1];
            c[2] = h * h * a[2] / 2;
            double A = b[0] - c[0] - c[1] - c[2], B = h * b[1] - c[1] - 2 * c[2];
            double D = h * h * b[2] - 2 * c[2];
            c[3] = 10 * A - 4 * B + D / 2;
            c[4] = -15 * A + 7 * B - D;
            c[5] = 6 * A - 3 * B + D / 2;
        }
    }
    curve->table = table;
}

static double tabulated(const fb_curve *curve, double x, double *slope) {
    int i = 0;
    for (int k = 1; k < curve->n; k++) {
        i += x >= curve->begin[k];
    }
    double t = (x - curve->begin[i]) * curve->scale[i];
    int k = (int)t < FB_CURVE_CELLS ? (int)t : FB_CURVE_CELLS - 1;
    const double *c = curve->table + (i * FB_CURVE_CELLS + k) * 6;
    t -= k;
    if (slope) {
        *slope = curve->scale[i] *
                 (c[1] + t * (2 * c[2] + t * (3 * c[3] + t * (4 * c[4] + t * 5 * c[5]))));
    }
    return c[0] + t * (c[1] + t * (c[2] + t * (c[3] + t * (c[4] + t * c[5]))));
}

double fb_curve_value(const fb_curve *curve, double x, double *slope) {
    int last = curve->n - 1;
    if (!(x > curve->x[0][0])) {
        if (slope) {
            *slope = curve->slope[0];
        }
        return curve->y[0][0] + (x - curve->x[0][0]) * curve->slope[0];
    }
    if (x >= curve->x[last][5]) {
        if (slope) {
            *slope = curve->slope[1];
        }
        return curve->y[last][5] + (x - curve->x[last][5]) * curve->slope[1];
    }
    if (curve->table) {
        return tabulated(curve, x, slope);
    }
    int i = 0;
    while (i < last && x >= curve->x[i][5]) {
        i++;
    }
    const double *p = curve->x[i];
    double dx, dy, u = parameter_at(p, x);
    bernstein(p, u, &dx);
    double y = bernstein(curve->y[i], u, &dy);
    if (slope) {
        *slope = dy / dx;
    }
    return y;
}

double fb_curve_curvature(const fb_curve *curve, double x) {
    int i = 0, last = curve->n - 1;
    if (!(x > curve->x[0][0]) || x >= curve->x[last][5]) {
        return 0;
    }
    while (i < last && x >= curve->x[i][5]) {
        i++;
    }
    double of[3];
    exact(curve, i, x, of);
    return of[2];
}

static bool rises(const fb_curve *curve) {
    for (int i = 0; i < curve->n; i++) {
        for (int k = 0; k < 5; k++) {
            if (!(curve->x[i][k + 1] >= curve->x[i][k]) || !isfinite(curve->y[i][k + 1])) {
                return false;
            }
        }
        if (!(curve->x[i][5] > curve->x[i][0])) {
            return false;
        }
    }
    return curve->n > 0;
}

bool fb_curve_active_force_length(fb_curve *curve, const fb_element *element, double minimum) {
    double x0 = element ? fb_get_number(element, "min_active_fiber_length") : 0.4441;
    double x1 = element ? fb_get_number(element, "transition_fiber_length") : 0.73;
    double x3 = element ? fb_get_number(element, "max_active_fiber_length") : 1.8123;
    double s = element ? fb_get_number(element, "shallow_ascending_slope") : 0.8616;
    double y0 = minimum < 0 && element ? fb_get_number(element, "minimum_value") : minimum;
    /* the shoulder ends `flat` before the optimum, and the descent begins as far behind it */
    const double flat = 0.05;
    double xs = 1 - flat, y1 = 1 - s * (xs - x1);
    double d01 = 1.25 * y1 / (x1 - x0), x01 = (x0 + x1) / 2, y01 = y1 / 2;
    double x1s = (x1 + xs) / 2, y1s = (y1 + 1) / 2;
    double x23 = 1 + flat + 0.5 * (x3 - (1 + flat)), d23 = -1 / (x3 - flat - (1 + flat));
    memset(curve, 0, sizeof *curve);
    fb_curve_add(curve, x0, y0, 0, x01, y01, d01, 1);
    fb_curve_add(curve, x01, y01, d01, x1s, y1s, s, 1);
    fb_curve_add(curve, x1s, y1s, s, 1, 1, 0, 1);
    fb_curve_add(curve, 1, 1, 0, x23, 0.5, d23, 1);
    fb_curve_add(curve, x23, 0.5, d23, x3, y0, 0, 1);
    return rises(curve);
}

bool fb_curve_force_velocity(fb_curve *curve, const fb_element *element, double concentric_end,
                             double eccentric_end) {
    double dc = concentric_end < 0 ? fb_get_number(element, "concentric_slope_at_max_velocity")
                                   : concentric_end;
    double de = eccentric_end < 0 ? fb_get_number(element, "eccentric_slope_at_max_velocity")
                                  : eccentric_end;
    double near_c = fb_get_number(element, "concentric_slope_near_max_velocity");
    double near_e = fb_get_number(element, "eccentric_slope_near_max_velocity");
    double isometric = fb_get_number(element, "isometric_slope");
    double most = fb_get_number(element, "max_lengthening_force");
    double c = fb_get_number(element, "concentric_curviness");
    double e = fb_get_number(element, "eccentric_curviness");
    memset(curve, 0, sizeof *curve);
    fb_curve_add(curve, -1, 0, dc, -0.9, 0.05 * (dc + near_c), near_c, c);
    fb_curve_add(curve, -0.9, 0.05 * (dc + near_c), near_c, 0, 1, isometric, c);
    fb_curve_add(curve, 0, 1, isometric, 0.9, most - 0.05 * (de + near_e), near_e, e);
    fb_curve_add(curve, 0.9, most - 0.05 * (de + near_e), near_e, 1, most, de, e);
    return rises(curve);
}

void fb_curve_invert(fb_curve *inverse, const fb_curve *curve) {
    inverse->n = curve->n;
    memcpy(inverse->x, curve->y, sizeof inverse->x);
    memcpy(inverse->y, curve->x, sizeof inverse->y);
    inverse->slope[0] = 1 / curve->slope[0];
    inverse->slope[1] = 1 / curve->slope[1];
}

/* A property that may be left out. */
static double number_or(const fb_element *element, const char *key, double otherwise) {
    const fb_value *value = fb_get(element, key);
    return value && value->present ? fb_get_number(element, key) : otherwise;
}

bool fb_curve_fiber_force_length(fb_curve *curve, const fb_element *element) {
    double x0 = 1 + fb_get_number(element, "strain_at_zero_force");
    double x1 = 1 + fb_get_number(element, "strain_at_max_isometric_force");
    double k1 = number_or(element, "stiffness_at_max_isometric_force", 2 / (x1 - x0));
    double k0 = number_or(element, "stiffness_at_low_force", 0.2);
    double c = number_or(element, "curviness", 0.75);
    double xl = x0 + fmin(0.1 / k1, 0.1 * (x1 - x0)), foot = (x0 + xl) / 2;
    memset(curve, 0, sizeof *curve);
    fb_curve_add(curve, x0, 0, 0, xl, k0 * (xl - foot), k0, c);
    fb_curve_add(curve, xl, k0 * (xl - foot), k0, x1, 1, k1, c);
    return rises(curve);
}

bool fb_curve_tendon_force_length(fb_curve *curve, const fb_element *element) {
    double e0 = fb_get_number(element, "strain_at_max_isometric_force");
    double k = number_or(element, "stiffness_at_max_isometric_force", 1.375 / e0);
    double toe = number_or(element, "force_at_toe_end", 2.0 / 3);
    double c = number_or(element, "curviness", 0.5);
    double x1 = 1 + e0, x_toe = (toe - 1) / k + x1, foot = 1 + (x_toe - 1) / 10;
    double y_mid = toe / 2, x_mid = (y_mid - 1) / k + x1, s = y_mid / (x_mid - foot);
    double xc = foot + (x_mid - foot) / 2, yc = s * (xc - foot);
    memset(curve, 0, sizeof *curve);
    fb_curve_add(curve, 1, 0, 0, xc, yc, s, c);
    fb_curve_add(curve, xc, yc, s, x_toe, toe, k, c);
    return rises(curve);
}

bool fb_curve_compressive_length(fb_curve *curve, const fb_element *element) {
    double x1 = fb_get_number(element, "fiber_length_at_zero_force");
    memset(curve, 0, sizeof *curve);
    fb_curve_add(curve, 0, 1, number_or(element, "stiffness_at_zero_length", -2 / x1), x1, 0, 0,
                 number_or(element, "curviness", 0.5));
    return rises(curve);
}

bool fb_curve_compressive_pennation(fb_curve *curve, const fb_element *element) {
    double x1 = cos(fb_get_number(element, "engagement_angle"));
    memset(curve, 0, sizeof *curve);
    fb_curve_add(curve, 0, 1, number_or(element, "stiffness_at_perpendicular", -2 / x1), x1, 0, 0,
                 number_or(element, "curviness", 0.1));
    return rises(curve);
}

static bool force_velocity(fb_curve *curve, const fb_element *element) {
    return fb_curve_force_velocity(curve, element, -1, -1);
}

static bool force_velocity_inverse(fb_curve *curve, const fb_element *element) {
    fb_curve forward;
    memset(curve, 0, sizeof *curve);
    if (!force_velocity(&forward, element) || !(forward.slope[0] > 0) || !(forward.slope[1] > 0)) {
        return false;
    }
    fb_curve_invert(curve, &forward);
    return rises(curve);
}

static bool active_force_length(fb_curve *curve, const fb_element *element) {
    return fb_curve_active_force_length(curve, element, -1);
}

bool fb_curve_of(fb_curve *curve, const fb_element *element) {
    static const struct {
        const char *cls;
        bool (*make)(fb_curve *curve, const fb_element *element);
    } classes[] = {{"ActiveForceLengthCurve", active_force_length},
                   {"ForceVelocityCurve", force_velocity},
                   {"ForceVelocityInverseCurve", force_velocity_inverse},
                   {"FiberForceLengthCurve", fb_curve_fiber_force_length},
                   {"TendonForceLengthCurve", fb_curve_tendon_force_length},
                   {"FiberCompressiveForceLengthCurve", fb_curve_compressive_length},
                   {"FiberCompressiveForceCosPennationCurve", fb_curve_compressive_pennation}};
    for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++) {
        if (strcmp(element->cls->name, classes[i].cls) == 0) {
            return classes[i].make(curve, element);
        }
    }
    return false;
}
