/* The muscles' Bezier curves against known numbers, for smoothness, and their inverse. */
#include "libcore/motion/curve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/help.h"

/* ---- a rig ----------------------------------------------------------------------------------- */

typedef struct rig {
    fb_model *model;
    fb_diag diag;
    const fb_element *muscle;
} rig;

/* A muscle of a class with some fields (.fb, with ' for "); its curves not given are the defaults.
 */
static rig begin(const char *type, const char *fields) {
    rig r;
    char text[2000];
    snprintf(text, sizeof text,
             "{'fb': '1.0', 'muscles': [{'name': 'm', 'type': '%s', 'path': {'points': [{'name': "
             "'a', 'frame': 'ground'}, {'name': 'b', 'frame': 'ground', 'location': [1, 0, "
             "0]}]}%s}]}",
             type, fields);
    fb_test_quotes(text);
    r.model = fb_test_must(fb_test_fb(text, &r.diag, NULL), &r.diag);
    r.muscle = fb_test_find(r.model, "/forceset/m");
    return r;
}

static const fb_element *curve_of(const rig *r, const char *key) {
    const fb_element *curve = fb_get_object(r->muscle, key);
    if (!FB_TRUE(curve != NULL, "%s", key)) {
        exit(1);
    }
    return curve;
}

static void end(rig *r) {
    fb_model_free(r->model);
    fb_diag_clear(&r->diag);
}

typedef struct sample {
    double x, y;
} sample;

static void check_samples(const fb_curve *curve, const sample *samples, size_t n) {
    for (size_t i = 0; i < n; i++) {
        FB_NEAR(fb_curve_value(curve, samples[i].x, NULL), samples[i].y, 1e-9, 0);
    }
}

#define CHECK(CURVE, ...) \
    do { \
        static const sample samples[] = {__VA_ARGS__}; \
        check_samples(CURVE, samples, sizeof samples / sizeof samples[0]); \
    } while (0)

/* Where sections meet, value, slope and the slope's slope have no step; beyond the ends the curve
 * is straight; the slope is that of the values everywhere. */
static void check_smooth(const fb_curve *c) {
    double first = c->x[0][0], last = c->x[c->n - 1][5], h = 1e-6, t = 1e-10, from, to;
    for (int i = 0; i <= c->n; i++) {
        double x = i < c->n ? c->x[i][0] : last, left, right, scale, before, after;
        double below = fb_curve_value(c, x - t, &before), above = fb_curve_value(c, x + t, &after);
        scale = 1 + fabs(before);
        FB_NEAR(below, above, 1e-9 * scale, 0);
        FB_NEAR(before, after, 1e-6 * scale, 0);
        fb_curve_value(c, x - h, &left);
        fb_curve_value(c, x - 3 * h, &from);
        fb_curve_value(c, x + h, &right);
        fb_curve_value(c, x + 3 * h, &to);
        /* both sides' curvature is 0 at a joint of such sections; near it, small */
        FB_NEAR((left - from) / (2 * h), (to - right) / (2 * h), 0.05 * scale, 0);
    }
    for (int i = -20; i <= 520; i++) {
        double x = first + (last - first) * (i + 0.37) / 500, slope;
        fb_curve_value(c, x, &slope);
        double fd = (fb_curve_value(c, x + h, NULL) - fb_curve_value(c, x - h, NULL)) / (2 * h);
        FB_NEAR(slope, fd, 2e-4, 2e-4);
    }
    double y0 = fb_curve_value(c, first, NULL), y1 = fb_curve_value(c, last, NULL);
    FB_NEAR(y0, c->y[0][0], 1e-15, 0);
    FB_NEAR(y1, c->y[c->n - 1][5], 1e-15, 0);
    FB_NEAR(fb_curve_value(c, first - 2, &from), y0 - 2 * c->slope[0], 1e-13, 1e-13);
    FB_NEAR(fb_curve_value(c, last + 2, &to), y1 + 2 * c->slope[1], 1e-13, 1e-13);
    FB_SAME(from, c->slope[0]);
    FB_SAME(to, c->slope[1]);
}

/* ---- the curves ------------------------------------------------------------------------------ */

static void active_force_length(void) {
    fb_curve c = {0};
    rig r = begin("Millard2012Equilibrium", "");
    FB_TRUE(fb_curve_active_force_length(&c, curve_of(&r, "active_force_length_curve"), 0), " ");
    CHECK(&c, {.5, .098532490}, {.6, .451101878}, {.8, .870676613}, {.9, .956759833},
          {1.1, .957375532}, {1.2, .823680971}, {1.4, .543730727}, {1.6, .263026884}, {1, 1},
          {.3, 0}, {2, 0});
    static const double x[5][4] = {{.4441, .469831, .484126, .58705},
                                   {.58705, .681707249, .707002249, .84},
                                   {.84, .939, .955, 1},
                                   {1, 1.0675, 1.110615, 1.43115},
                                   {1.43115, 1.751685, 1.7898, 1.8123}};
    static const double y[5][4] = {{0, 0, .0405224, .405224},
                                   {.405224, .740633138, .790633138, .905224},
                                   {.905224, .9905224, 1, 1},
                                   {1, 1, .95, .5},
                                   {.5, .05, 0, 0}};
    static const int places[4] = {0, 1, 3, 5}; /* 2 repeats 1, 4 repeats 3 */
    for (int i = 0; i < 5; i++) {
        for (int k = 0; k < 4; k++) {
            FB_NEAR(c.x[i][places[k]], x[i][k], 1e-9, 0);
            FB_NEAR(c.y[i][places[k]], y[i][k], 1e-9, 0);
        }
    }
    check_smooth(&c);
    FB_TRUE(fb_curve_active_force_length(&c, curve_of(&r, "active_force_length_curve"), -1), " ");
    FB_SAME(fb_curve_value(&c, 0.1, NULL), 0.1); /* the element's own minimum */
    FB_SAME(fb_curve_value(&c, 3, NULL), 0.1);
    check_smooth(&c);
    end(&r);
    r = begin("Millard2012Equilibrium",
              ", 'active_force_length_curve': {'min_active_fiber_length': 0.25, "
              "'transition_fiber_length': 0.77, 'max_active_fiber_length': 1.9, "
              "'shallow_ascending_slope': 0.75, 'minimum_value': 0}");
    FB_TRUE(fb_curve_active_force_length(&c, curve_of(&r, "active_force_length_curve"), -1), " ");
    CHECK(&c, {.6, .619028109}, {.8, .887331147}, {1.2, .842778343}, {1.4, .593741680});
    check_smooth(&c);
    end(&r);
}

static void force_velocity(void) {
    fb_curve c = {0}, inverse = {0};
    rig r = begin("Millard2012Equilibrium", "");
    const fb_element *e = curve_of(&r, "force_velocity_curve");
    FB_TRUE(fb_curve_force_velocity(&c, e, -1, -1), " ");
    CHECK(&c, {-.9, .0125}, {-.5, .158085604}, {-.25, .387332954}, {-.1, .625214284},
          {-.01, .950159707}, {0, 1}, {.01, 1.049152379}, {.1, 1.225153838}, {.25, 1.283210810},
          {.5, 1.331131569}, {.9, 1.3925}, {1, 1.4}, {-1, 0}, {-3, 0}, {3, 1.4});
    check_smooth(&c);
    FB_TRUE(fb_curve_force_velocity(&c, e, 0.125, 0.075), " ");
    check_smooth(&c);
    fb_curve_invert(&inverse, &c);
    CHECK(&inverse, {0, -1}, {.05, -.778028254}, {.2, -.447760763}, {.5, -.169084472},
          {.8, -.042880228}, {1, 0}, {1.2, .072738457}, {1.35, .643461276}, {1.4, 1});
    for (int i = -150; i <= 150; i++) { /* each undoes the other, outside too */
        double x = i / 100.0, slope, back;
        double y = fb_curve_value(&c, x, &slope);
        FB_NEAR(fb_curve_value(&inverse, y, &back), x, 1e-12, 1e-12);
        FB_NEAR(back * slope, 1, 1e-9, 0);
        FB_NEAR(fb_curve_value(&c, fb_curve_value(&inverse, y, NULL), NULL), y, 1e-13, 1e-13);
    }
    end(&r);
}

static void passive_force_length(void) {
    fb_curve c = {0};
    rig r = begin("Millard2012Equilibrium", "");
    FB_TRUE(fb_curve_fiber_force_length(&c, curve_of(&r, "passive_force_length_curve")), " ");
    CHECK(&c, {1.05, .006505493}, {1.1, .017044835}, {1.2, .049692030}, {1.3, .126111183},
          {1.4, .262889777}, {1.5, .460261505}, {1.6, .717069527}, {1.7, 1}, {1.8, 1.285714286},
          {1, 0}, {.5, 0});
    check_smooth(&c);
    end(&r);
}

static void tendon_force_length(void) {
    fb_curve c = {0};
    rig r = begin("Millard2012Equilibrium", "");
    FB_TRUE(fb_curve_tendon_force_length(&c, curve_of(&r, "tendon_force_length_curve")), " ");
    CHECK(&c, {1.005, .037604494}, {1.01, .099678270}, {1.02, .260935983}, {1.03, .479398712},
          {1.04, .747448980}, {1.049, 1}, {1.06, 1.308673469}, {1, 0}, {.5, 0});
    for (int i = 0; i < c.n; i++) { /* steep: only value and slope */
        double before, after, x = c.x[i][5];
        FB_NEAR(fb_curve_value(&c, x - 1e-10, &before), fb_curve_value(&c, x + 1e-10, &after), 1e-8,
                0);
        FB_NEAR(before, after, 1e-4, 0);
    }
    end(&r);
}

static void compressive_curves(void) {
    fb_curve c = {0};
    rig r = begin("Millard2012Acceleration",
                  ", 'compressive_force_pennation_curve': {'engagement_angle': "
                  "1.4835298641951802}");
    FB_TRUE(fb_curve_compressive_length(&c, curve_of(&r, "compressive_force_length_curve")), " ");
    CHECK(&c, {0, 1}, {.05, .80348173189}, {.1, .630378754919}, {.2, .371040990866},
          {.4, .0303787549191}, {-.1, 1.4}, {.5, 0}, {.7, 0});
    check_smooth(&c);
    FB_TRUE(fb_curve_compressive_pennation(&c, curve_of(&r, "compressive_force_pennation_curve")),
            " ");
    CHECK(&c, {0, 1}, {.01, .823330375676}, {.02, .694204711916}, {.04, .456826404404},
          {.08, .0285495919284}, {.1, 0});
    end(&r);
}

/* With all three optional parameters, ends and slopes are the given ones. */
static void parameters_count(void) {
    fb_curve c = {0};
    double slope;
    rig r = begin("Millard2012Equilibrium",
                  ", 'passive_force_length_curve': {'strain_at_zero_force': 0.1, "
                  "'strain_at_max_isometric_force': 0.5, 'stiffness_at_low_force': 0.3, "
                  "'stiffness_at_max_isometric_force': 6, 'curviness': 0.4}, "
                  "'tendon_force_length_curve': {'strain_at_max_isometric_force': 0.06, "
                  "'stiffness_at_max_isometric_force': 30, 'force_at_toe_end': 0.5, 'curviness': "
                  "0.3}, 'force_velocity_curve': {'concentric_slope_at_max_velocity': 0.1, "
                  "'concentric_slope_near_max_velocity': 0.3, 'isometric_slope': 4, "
                  "'eccentric_slope_at_max_velocity': 0.05, 'eccentric_slope_near_max_velocity': "
                  "0.2, 'max_lengthening_force': 1.6}");
    FB_TRUE(fb_curve_fiber_force_length(&c, curve_of(&r, "passive_force_length_curve")), " ");
    FB_NEAR(fb_curve_value(&c, 1.1, NULL), 0, 1e-15, 0);
    FB_NEAR(fb_curve_value(&c, 1.5, &slope), 1, 1e-14, 0);
    FB_NEAR(slope, 6, 1e-12, 0);
    check_smooth(&c);
    FB_TRUE(fb_curve_tendon_force_length(&c, curve_of(&r, "tendon_force_length_curve")), " ");
    FB_NEAR(fb_curve_value(&c, 1.06, &slope), 1, 1e-13, 0);
    FB_NEAR(slope, 30, 1e-12, 0);
    FB_NEAR(fb_curve_value(&c, 1.06 - 0.5 / 30, &slope), 0.5, 1e-13, 0);
    FB_NEAR(slope, 30, 1e-9, 0);
    FB_TRUE(fb_curve_force_velocity(&c, curve_of(&r, "force_velocity_curve"), -1, -1), " ");
    FB_NEAR(fb_curve_value(&c, -1, &slope), 0, 1e-15, 0);
    FB_NEAR(slope, 0.1, 1e-12, 0);
    FB_NEAR(fb_curve_value(&c, 0, &slope), 1, 1e-14, 0);
    FB_NEAR(slope, 4, 1e-9, 0);
    FB_NEAR(fb_curve_value(&c, 1, &slope), 1.6, 1e-14, 0);
    FB_NEAR(slope, 0.05, 1e-12, 0);
    check_smooth(&c);
    end(&r);
}

/* Parameters out of order make no curve. */
static void wrong_parameters_are_refused(void) {
    fb_curve c = {0};
    rig r = begin("Millard2012Equilibrium",
                  ", 'active_force_length_curve': {'min_active_fiber_length': 0.9, "
                  "'transition_fiber_length': 0.7}, 'passive_force_length_curve': "
                  "{'strain_at_zero_force': 0.8, 'strain_at_max_isometric_force': 0.5}, "
                  "'tendon_force_length_curve': {'strain_at_max_isometric_force': -0.06}, "
                  "'force_velocity_curve': {'isometric_slope': 0}");
    FB_TRUE(!fb_curve_active_force_length(&c, curve_of(&r, "active_force_length_curve"), -1), " ");
    FB_TRUE(!fb_curve_fiber_force_length(&c, curve_of(&r, "passive_force_length_curve")), " ");
    FB_TRUE(!fb_curve_tendon_force_length(&c, curve_of(&r, "tendon_force_length_curve")), " ");
    FB_TRUE(!fb_curve_force_velocity(&c, curve_of(&r, "force_velocity_curve"), -1, -1), " ");
    end(&r);
}

/* One section by hand: a corner at (1, 0), without and with full curviness. */
static void sections_follow_their_definition(void) {
    fb_curve c = {0};
    double slope;
    memset(&c, 0, sizeof c);
    fb_curve_add(&c, 0, 0, 0, 2, 1, 1, 0);
    FB_EQUAL_INT(c.n, 1);
    FB_NEAR(c.x[0][1], 0.1, 1e-15, 0);
    FB_NEAR(c.x[0][2], 0.1, 1e-15, 0);
    FB_NEAR(c.x[0][3], 1.9, 1e-15, 0);
    FB_NEAR(c.y[0][3], 0.9, 1e-15, 0);
    double middle = (0 + 5 * 0.1 + 10 * 0.1 + 10 * 1.9 + 5 * 1.9 + 2) / 32;
    FB_NEAR(fb_curve_value(&c, middle, &slope), (10 * 0.9 + 5 * 0.9 + 1) / 32, 1e-14, 0);
    check_smooth(&c);
    memset(&c, 0, sizeof c);
    fb_curve_add(&c, 0, 0, 0, 2, 1, 1, 1);
    FB_NEAR(c.x[0][1], 0.9, 1e-15, 0);
    check_smooth(&c);
    FB_TRUE(isfinite(fb_curve_value(&c, 1e300, &slope)), " ");
}

static const fb_test tests[] = {
    FB_TEST(active_force_length),
    FB_TEST(force_velocity),
    FB_TEST(passive_force_length),
    FB_TEST(tendon_force_length),
    FB_TEST(compressive_curves),
    FB_TEST(parameters_count),
    FB_TEST(wrong_parameters_are_refused),
    FB_TEST(sections_follow_their_definition),
    FB_TEST_END,
};

int main(int argc, char **argv) {
    return fb_test_main("curve", tests, argc, argv);
}
