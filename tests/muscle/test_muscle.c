/* Muscles: formulas against known numbers, equilibria against those of OpenSim 4.5.2 and for
 * balance over a grid of lengths, activations and speeds. */
#include "libcore/muscle/muscle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/help.h"

/* ---- a rig ----------------------------------------------------------------------------------- */

typedef struct rig {
    fb_model *model;
    fb_system *system;
    fb_paths *paths;
    fb_muscles *muscles;
    const fb_muscle *m;
    fb_diag diag;
    fb_status status;
} rig;

/* One muscle with some more fields (.fb, with ' for "), on a straight path from ground to a slider.
 */
static rig compile(const char *type, const char *fields) {
    rig r;
    char text[4000];
    fb_system_options options = {true};
    memset(&r, 0, sizeof r);
    snprintf(text, sizeof text,
             "{'fb': '1.0', 'bodies': [{'name': 'b', 'mass': 1}], 'joints': [{'name': 'j', 'type': "
             "'slider', 'parent': 'ground', 'child': 'b', 'coordinates': [{'name': 's', 'default': "
             "0.3}]}], 'muscles': [{'name': 'm', 'type': '%s', 'path': {'points': [{'name': 'p', "
             "'frame': 'ground'}, {'name': 'q', 'frame': 'b'}]}%s}]}",
             type, fields);
    for (char *c = text; *c; c++) {
        *c = *c == '\'' ? '"' : *c;
    }
    r.model = fb_test_must(fb_test_fb(text, &r.diag, NULL), &r.diag);
    r.status = fb_system_compile(&r.system, r.model, &options, &r.diag);
    if (r.status == FB_OK) {
        r.status = fb_paths_compile(&r.paths, r.system, false, &r.diag);
    }
    if (r.status == FB_OK) {
        r.status = fb_muscles_compile(&r.muscles, r.paths, &r.diag);
    }
    return r;
}

static rig begin(const char *type, const char *fields) {
    rig r = compile(type, fields);
    if (!FB_TRUE(r.status == FB_OK && r.muscles->n == 1, "%s",
                 r.diag.n ? r.diag.records[0].message : type)) {
        fprintf(stderr, "%s\n", r.diag.n ? r.diag.records[0].message : type);
        exit(1); /* the test itself is wrong */
    }
    r.m = &r.muscles->muscles[0];
    return r;
}

static void end(rig *r) {
    fb_muscles_free(r->muscles);
    fb_paths_free(r->paths);
    fb_system_free(r->system);
    fb_model_free(r->model);
    fb_diag_clear(&r->diag);
}

#define DEGREES(X) ((X)*3.14159265358979323846 / 180)
#define PENNATE ", 'pennation_angle': 0.3490658503988659"
/* the curves of an acceleration muscle in OpenSim: no least value, engaged at 85 degrees */
#define CURVES \
    ", 'active_force_length_curve': {'type': 'active_force_length', 'minimum_value': 0}, " \
    "'compressive_force_pennation_curve': {'engagement_angle': 1.4835298641951802}"

static const struct {
    const char *type, *fields;
} classes[] = {
    {"Thelen2003", ""},
    {"Millard2012Equilibrium", ""},
    {"Millard2012Equilibrium", ", 'fiber_damping': 0"},
    {"Millard2012Equilibrium", ", 'ignore_tendon_compliance': true"},
    {"Millard2012Acceleration", CURVES},
    {"DeGrooteFregly2016", ""},
    {"DeGrooteFregly2016", ", 'fiber_damping': 0.01"},
    {"DeGrooteFregly2016", ", 'ignore_tendon_compliance': true"},
    {"DeGrooteFregly2016", ", 'ignore_passive_fiber_force': true"},
    {"RigidTendon", ""},
    {"Thelen2003Deprecated", ""},
    {"Schutte1993", ""},
    {"Delp1990", ""},
};
enum { N_CLASSES = sizeof classes / sizeof classes[0] };

/* ---- formulas -------------------------------------------------------------------------------- */

/* What a muscle without pennation does at a normalised fiber length, with a tendon of length
 * slack * (1 + strain). */
static fb_muscle_point at(const rig *r, double a, double l, double strain) {
    fb_muscle_point p;
    double fiber = l * r->m->optimal_length, tendon = r->m->slack_length * (1 + strain);
    fb_muscle_evaluate(r->m, a, fiber + tendon, 0, fiber, 0, &p);
    FB_NEAR(p.fiber_length, fiber, 1e-16, 0);
    FB_NEAR(p.normalized_fiber_length, l, 1e-15, 0);
    FB_SAME(p.pennation, 0);
    return p;
}

/* Thelen: the strain of the default tendon that gives a force. */
static double thelen_strain(double force) {
    double e0 = 0.04, e3 = exp(3), toe = 99 * e0 * e3 / (166 * e3 - 67);
    return force <= 0.33 ? toe / 3 * log1p(force * (e3 - 1) / 0.33)
                         : toe + (force - 0.33) * (e0 - toe) / 0.67;
}

static void thelen_formulas(void) {
    rig r = begin("Thelen2003", "");
    FB_NEAR(at(&r, .5, 1.2, 0).passive_fiber_force, 29.132339, 1e-6, 0);
    FB_NEAR(at(&r, .5, 0.9, 0).passive_fiber_force, 0, 0, 0);
    FB_NEAR(at(&r, .5, 1, 0.04).tendon_force, 1000, 1e-10, 0);
    FB_NEAR(at(&r, .5, 1, 0.024344622).tendon_force, 330, 1e-4, 0);
    FB_NEAR(at(&r, .5, 1, 0.05).tendon_force, 1000 + 427.96793, 1e-5, 0);
    FB_SAME(at(&r, .5, 1, -0.01).tendon_force, 0);
    /* velocity at a = 0.5 over force / isometric force, in greatest velocities (1 m/s) */
    static const double law[4][2] = {{0, -.625},
                                     {.5, -.104166667},
                                     {1.2, .025},
                                     {1.35, .158673469}};
    for (int i = 0; i < 4; i++) {
        fb_muscle_point p = at(&r, .5, 1, thelen_strain(law[i][0] * .5));
        FB_NEAR(p.fiber_velocity, law[i][1], 1e-9, 0);
        FB_NEAR(p.active_fiber_force, law[i][0] * 500, 1e-9, 0);
    }
    /* where the tendon is slack and the fiber is stretched, it shortens faster: straight on */
    fb_muscle_point p = at(&r, 1, 1.2, 0);
    double A = exp(-.04 / .45);
    FB_NEAR(p.fiber_velocity, -1 - p.passive_fiber_force / 1000 / A * (1 + 1 / .25), 1e-9, 0);
    /* at rest the active force is a * fal */
    p = at(&r, .7, .8, thelen_strain(.7 * .914947229));
    FB_NEAR(p.fiber_velocity, 0, 1e-8, 0);
    FB_NEAR(at(&r, 0, 1, thelen_strain(.01)).fiber_velocity, 0, 1e-12, 0); /* least activation */
    FB_NEAR(at(&r, 2, 1, thelen_strain(1)).fiber_velocity, 0, 1e-12, 0);
    end(&r);
    r = begin("Thelen2003", ", 'tendon_strain_at_max_isometric_force': 0.033, "
                            "'passive_force_length_shape_factor': 4");
    FB_NEAR(at(&r, .5, 1.4, 0).passive_fiber_force, 249.857805, 1e-6, 0);
    FB_NEAR(at(&r, .5, 1, .01).tendon_force, 59.714002, 1e-6, 0);
    FB_NEAR(at(&r, .5, 1, .02).tendon_force, 325.653710, 1e-6, 0);
    FB_NEAR(at(&r, .5, 1, .03).tendon_force, 844.375296, 1e-6, 0);
    end(&r);
}

static void deprecated_thelen_formulas(void) {
    rig r = begin("Thelen2003Deprecated", "");
    double toe = .609 * .033;
    FB_NEAR(at(&r, .5, 1, toe).tendon_force, 333.333 + 1 + toe, 1e-9, 0);
    FB_NEAR(at(&r, .5, 1, .033).tendon_force, 333.333 + 1.712 / .033 * (.033 - toe) * 1000 + 1.033,
            1e-9, 0);
    FB_NEAR(at(&r, .5, 1, -.5).tendon_force, .5, 1e-12, 0);
    FB_NEAR(at(&r, .5, 1, 0).passive_fiber_force, 1000 * exp(-4), 1e-10, 0);
    FB_NEAR(at(&r, .5, 1.6, 0).passive_fiber_force, 1000, 1e-10, 0);
    FB_NEAR(at(&r, .5, 1.9, 0).passive_fiber_force, 1000 + 4 / .6 * .3 * 1000, 1e-9, 0);
    end(&r);
}

static void millard_formulas(void) {
    rig r = begin("Millard2012Equilibrium", "");
    FB_NEAR(at(&r, .5, 1, .02).tendon_force, 260.935983, 1e-6, 0);
    fb_muscle_point p = at(&r, .5, 1.4, .02); /* the fibers balance the tendon at their speed */
    double v = p.fiber_velocity;
    FB_NEAR(p.active_fiber_force + p.passive_fiber_force, p.tendon_force, 1e-8, 0);
    FB_NEAR(p.passive_fiber_force, 262.889777 + 100 * v, 1e-6, 0);
    FB_NEAR(p.active_fiber_force,
            500 * .543730727 * fb_curve_value(&r.m->curves->velocity, v, NULL), 1e-6, 0);
    FB_NEAR(r.m->min_length, .04441, 1e-15, 0);
    /* shorter than it may be: at rest there, without force of its own */
    fb_muscle_evaluate(r.m, 1, .2, 0, .01, 0, &p);
    FB_NEAR(p.fiber_length, .04441, 1e-15, 0);
    FB_NEAR(p.fiber_velocity, 0, 1e-12, 0);
    FB_NEAR(p.active_fiber_force, 0, 1e-12, 0);
    end(&r);
    r = begin("Millard2012Equilibrium", ", 'fiber_damping': 0");
    p = at(&r, .5, 1.2, .02);
    double wanted = (.260935983 - .049692030) / (.5 * .823680971);
    FB_NEAR(fb_curve_value(&r.m->curves->velocity, p.fiber_velocity, NULL), wanted, 1e-7, 0);
    FB_SAME(r.m->minimum_activation, 0.01);
    FB_SAME(fb_curve_value(&r.m->curves->active, 3, NULL), 0.1);
    end(&r);
    r = begin("Millard2012Equilibrium", ", 'ignore_tendon_compliance': true");
    fb_muscle_evaluate(r.m, .5, .34, -.25, 0, 0, &p); /* l = 1.4, v = -0.25 */
    FB_NEAR(p.fiber_length, .14, 1e-15, 0);
    FB_NEAR(p.fiber_velocity, -.25, 1e-15, 0);
    FB_NEAR(p.active_fiber_force, 500 * .543730727 * .387332954, 1e-6, 0);
    FB_NEAR(p.passive_fiber_force, 262.889777 - 25, 1e-6, 0);
    FB_NEAR(p.tendon_force, p.active_fiber_force + p.passive_fiber_force, 1e-10, 0);
    fb_muscle_evaluate(r.m, 0.01, .3, -1, 0, 0, &p); /* the damper does not push */
    FB_NEAR(p.tendon_force, 0, 1e-12, 0);
    end(&r);
}

static void de_groote_formulas(void) {
    rig r = begin("DeGrooteFregly2016", "");
    double k = log(6) / .049;
    FB_NEAR(k, 36.566519780, 1e-9, 0);
    FB_NEAR(at(&r, .5, 1, .02).tendon_force, 215.568625, 1e-6, 0);
    FB_NEAR(at(&r, .5, 1, .04).tendon_force, 663.486409, 1e-6, 0);
    FB_NEAR(at(&r, .5, 1.4, .04).passive_fiber_force, 263.532014, 1e-6, 0);
    /* tendon force for an active force of a * fal * fv beyond the passive one */
    static const double law[4][4] = {{.8, .836439566, .234036394, -.5},
                                     {1.2, .793689718, .234036394, -.5},
                                     {.8, .836439566, 1.206508671, .1},
                                     {1.2, .793689718, 1.206508671, .1}};
    for (int i = 0; i < 4; i++) {
        double l = law[i][0], low = exp(4 * (.2 - 1) / .6);
        double passive = (exp(4 * (l - 1) / .6) - low) / (exp(4) - low);
        double force = .5 * law[i][1] * law[i][2] + passive;
        fb_muscle_point p = at(&r, .5, l, log((force + .2) / .2) / k);
        FB_NEAR(p.fiber_velocity, law[i][3], 1e-7, 0);
        FB_NEAR(p.active_fiber_force, 500 * law[i][1] * law[i][2], 1e-6, 0);
    }
    end(&r);
    r = begin("DeGrooteFregly2016", ", 'ignore_passive_fiber_force': true");
    FB_SAME(at(&r, .5, 1.4, .04).passive_fiber_force, 0);
    end(&r);
}

typedef struct sample {
    double x, y;
} sample;

static void check_spline(const fb_function *f, double tolerance, const sample *samples, size_t n) {
    for (size_t i = 0; i < n; i++) {
        FB_NEAR(fb_function_value(f, samples[i].x, NULL, NULL), samples[i].y, tolerance, 0);
    }
}

#define CHECK_SPLINE(F, TOLERANCE, ...) \
    do { \
        static const sample samples[] = {__VA_ARGS__}; \
        check_spline(F, TOLERANCE, samples, sizeof samples / sizeof samples[0]); \
    } while (0)

static void rigid_tendon_splines(void) {
    rig r = begin("RigidTendon", "");
    const fb_function *splines = r.m->curves->splines;
    CHECK_SPLINE(&splines[3], 1e-9, {-1.2, 0.001378482}, {-.975, .003571824}, {-.725, .070514615},
                 {-.275, .345267975}, {-1, 0}, {-.5, .166667}, {-.05, .791667}, {0, 1},
                 {.5, 1.75049}, {1, 1.774455}, {.95, 1.773155});
    CHECK_SPLINE(&splines[3], 1e-9, {-.125, .581627293}, {-.025, .862742887}, {.01, 1.090132037},
                 {.025, 1.247856809}, {.075, 1.580774876}, {.125, 1.626324438}, {.525, 1.752708006},
                 {1.1, 1.776934325}, {.05, 1.482014});
    CHECK_SPLINE(&splines[1], 1e-9, {.3, .123210873}, {.5, .179777018}, {.6, .514380100},
                 {.8, .925831138}, {1, .998869198}, {1.2, .807907155}, {1.4, .310601003},
                 {1.8, .085340156});
    CHECK_SPLINE(&splines[2], 1e-9, {.95, -1.5958e-5}, {1.05, .009490495}, {1.15, .072723486},
                 {1.25, .177740560}, {1.45, .784502340}, {1.7, 2.001176482});
    end(&r);
    r = begin("RigidTendon", PENNATE);
    fb_muscle_point p;
    fb_muscle_evaluate(r.m, .5, .3, .1, 0, 0, &p);
    FB_NEAR(p.fiber_length, .105687169441, 1e-12, 0);
    FB_NEAR(p.active_fiber_force / 500 /
                fb_function_value(&r.m->curves->splines[3], .1, NULL, NULL),
            .988512142, 1e-9, 0);
    FB_NEAR(p.passive_fiber_force, 12.1388105367, 1e-9, 0);
    FB_SAME(p.fiber_velocity, .1);
    fb_muscle_evaluate(r.m, .5, .2, 0, 0, 0, &p); /* fibers across the path pull nothing */
    FB_NEAR(p.tendon_force, 0, 1e-12, 0);
    FB_NEAR(p.pennation, DEGREES(90), 1e-12, 0);
    end(&r);
}

static void schutte_formulas(void) {
    rig r = begin("Schutte1993", "");
    FB_NEAR(at(&r, .5, 1, .0103).tendon_force, 161, 1e-9, 0);
    FB_SAME(at(&r, .5, 1, -.01).tendon_force, 0);
    FB_NEAR(at(&r, .5, 1.3, 0).passive_fiber_force, 1000 * exp(8 * .3) / exp(4), 1e-9, 0);
    const double kv = .15, sk = .13, most = 1.4, d = .1;
    for (int i = 0; i < 2; i++) { /* the law backwards: of one with c and b as it says */
        fb_muscle_point p = at(&r, i ? .2 : 1, .8, .0103);
        double A = (i ? .2 : 1) * fb_function_value(&r.m->curves->splines[1], .8, NULL, NULL);
        double f = fmax(0, p.tendon_force - p.passive_fiber_force) / 1000,
               w = p.fiber_velocity * .1 / .1, b, c;
        if (f < A) {
            c = kv * (f - A) / d;
            b = -kv * (f / kv + A + d) / d;
        } else {
            c = -sk * kv / (d * (kv + 1)) * (f - A);
            b = -(f / d - most * A / d - sk * kv / (kv + 1));
        }
        FB_NEAR(w * w + b * w + c, 0, 1e-12, 0);
        FB_TRUE((f < A) == (w < 0), "force %g, isometric %g, velocity %g", f, A, w);
    }
    end(&r);
}

/* The parallelogram: its height stays. */
static void pennation_keeps_the_height(void) {
    static const char *const types[] = {"Thelen2003",         "Millard2012Equilibrium",
                                        "DeGrooteFregly2016", "Schutte1993",
                                        "Delp1990",           "Thelen2003Deprecated"};
    double height = .1 * sin(DEGREES(20));
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        rig r = begin(types[i], PENNATE);
        FB_NEAR(r.m->height, height, 1e-15, 0);
        for (double l = .06; l < .16; l += .01) {
            fb_muscle_point p;
            fb_muscle_evaluate(r.m, .5, .3, 0, l, 0, &p);
            FB_NEAR(l * sin(p.pennation), height, 1e-15, 0);
            FB_TRUE(p.pennation < DEGREES(90), "%s: %g", types[i], p.pennation);
        }
        end(&r);
    }
    rig r = begin("Millard2012Equilibrium", PENNATE);
    FB_NEAR(r.m->min_length, .04441, 1e-15, 0);
    end(&r);
    r = begin("Thelen2003", PENNATE);
    FB_NEAR(r.m->min_length, height / sin(acos(.1)), 1e-15, 0);
    end(&r);
    r = begin("Thelen2003", ", 'pennation_angle': 0.5, 'maximum_pennation_angle': 1");
    FB_NEAR(r.m->min_length, .1 * sin(.5) / sin(1), 1e-15, 0);
    end(&r);
}

/* ---- equilibrium ----------------------------------------------------------------------------- */

/* The standard test muscle at activation 0.5, path length 0.3: force, fiber length and velocity by
 * OpenSim 4.5.2 at path speeds -0.1, 0 and 0.1. Tolerances: what it iterates to. */
typedef struct known {
    const char *type, *fields;
    double force[3], fiber[3], velocity[3], force_tolerance, fiber_tolerance;
} known;

static void check_known(const known *k) {
    rig r = begin(k->type, k->fields);
    for (int i = 0; i < 3; i++) {
        fb_muscle_point p;
        bool ok = fb_muscle_equilibrate(r.m, .5, .3, .1 * (i - 1), FB_EQUILIBRIUM_OPENSIM4, &p);
        FB_TRUE(ok, "%s, speed %g", k->type, .1 * (i - 1));
        FB_TRUE(fabs(p.tendon_force - k->force[i]) <= k->force_tolerance,
                "%s, speed %g: force %.12g, not %.12g", k->type, .1 * (i - 1), p.tendon_force,
                k->force[i]);
        FB_TRUE(fabs(p.fiber_length - k->fiber[i]) <= k->fiber_tolerance,
                "%s, speed %g: fiber %.12g, not %.12g", k->type, .1 * (i - 1), p.fiber_length,
                k->fiber[i]);
        if (!isnan(k->velocity[i])) {
            FB_TRUE(fabs(p.fiber_velocity - k->velocity[i]) <= 6e-7,
                    "%s, speed %g: fiber velocity %.12g, not %.12g", k->type, .1 * (i - 1),
                    p.fiber_velocity, k->velocity[i]);
        }
    }
    end(&r);
}

#define SAME3(X) \
    { X, X, X }

static void equilibria_are_those_of_opensim(void) {
    static const known all[] = {
        {"Thelen2003",
         PENNATE,
         {250.810423552, 470.374238816, 618.019180382},
         {.101487881983, .100475454936, .0998269555169},
         {-.0937474691664, 0, .0935898152551},
         1e-5,
         1e-10},
        {"Millard2012Equilibrium", PENNATE, SAME3(469.911194665), SAME3(.100104337389), SAME3(0),
         1e-5, 1e-10},
        {"Millard2012Acceleration",
         PENNATE CURVES,
         {293.584789726, 469.911193447, 581.600620141},
         {.101604150385, .100104337398, .0992689956137},
         {-.0931875650335, 0, .0933574858748},
         1e-3,
         1e-8},
        {"DeGrooteFregly2016",
         PENNATE,
         {374.584206947, 485.185747893, 574.904672176},
         {.100243072749, .0993385275883, .0987069273427},
         {-.0939994062803, 0, .0938049733338},
         2e-5,
         2e-10},
        {"Thelen2003Deprecated", PENNATE, SAME3(489.329634004), SAME3(.101329778881), SAME3(NAN),
         0.01, 1e-7},
        {"Schutte1993", PENNATE, SAME3(490.820612094), SAME3(.102079434907), SAME3(NAN), 0.01,
         1e-7},
        {"RigidTendon",
         PENNATE,
         {312.123777381, 479.145088332, 760.475471539},
         SAME3(.105687169441),
         {-.1, 0, .1},
         1e-8,
         1e-12},
        {"Delp1990", PENNATE, SAME3(472.227741321), SAME3(.102169745321), SAME3(0), 0.01, 1e-7},
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        check_known(&all[i]);
    }
}

static bool all_finite(const fb_muscle_point *p) {
    return isfinite(p->fiber_length) && isfinite(p->fiber_velocity) && isfinite(p->pennation) &&
           isfinite(p->normalized_fiber_length) && isfinite(p->tendon_force) &&
           isfinite(p->active_fiber_force) && isfinite(p->passive_fiber_force);
}

/* Calls check for every class over a grid of lengths, activations, speeds and ways. */
static void over_grid(void (*check)(const rig *r, const char *name, double a, double path,
                                    double speed, fb_equilibrium how)) {
    static const double activations[] = {0, .01, .05, .5, 1}, speeds[] = {-1, -.1, 0, .1, 1};
    int lengths = fb_test_is_fast() ? 31 : 11;
    for (int c = 0; c < 2 * N_CLASSES; c++) {
        char fields[300];
        snprintf(fields, sizeof fields, "%s%s", classes[c / 2].fields, c % 2 ? PENNATE : "");
        rig r = begin(classes[c / 2].type, fields);
        for (int i = 0; i < lengths * 75; i++) {
            check(&r, classes[c / 2].type, activations[i % 5], .15 + .3 * (i / 75) / (lengths - 1),
                  speeds[i / 5 % 5], (fb_equilibrium)(i / 25 % 3));
        }
        end(&r);
    }
}

static void check_finite(const rig *r, const char *name, double a, double path, double speed,
                         fb_equilibrium how) {
    fb_muscle_point p, again;
    fb_muscle_equilibrate(r->m, a, path, speed, how, &p);
    FB_TRUE(all_finite(&p), "%s: a %g, length %g, speed %g, way %d", name, a, path, speed, how);
    fb_muscle_equilibrate(r->m, a, path, speed, how, &again);
    FB_TRUE(memcmp(&p, &again, sizeof p) == 0, "%s: the same again", name);
}

static void equilibria_are_finite(void) {
    over_grid(check_finite);
}

/* What the active fibers of an older class pull with at rest. */
static double isometric(const fb_muscle *m, double a, double l) {
    double fal = m->kind == FB_MUSCLE_THELEN_DEPRECATED
                     ? exp(-(l - 1) * (l - 1) / m->active_shape)
                     : fb_function_value(&m->curves->splines[1], l, NULL, NULL);
    return m->max_force * fmax(0, a * fal);
}

static int n_tried, n_found;

/* At rest the fibers' force along the tendon is the tendon's, and what evaluation finds does not
 * move. */
static void check_balance(const rig *r, const char *name, double a, double path, double speed,
                          fb_equilibrium how) {
    const fb_muscle *m = r->m;
    fb_muscle_point p;
    if (how != FB_EQUILIBRIUM_STATIC || speed != 0 || path < .22 || path > .4) {
        return;
    }
    bool ok = fb_muscle_equilibrate(m, a, path, 0, how, &p);
    if (path > .255) { /* shorter than that, slack tendons leave some without balance */
        n_tried++;
        n_found += ok;
    }
    if (!ok || p.fiber_length <= m->min_length * (1 + 1e-12)) {
        return;
    }
    bool old = m->kind == FB_MUSCLE_THELEN_DEPRECATED || m->kind == FB_MUSCLE_SCHUTTE ||
               m->kind == FB_MUSCLE_DELP;
    /* the older classes report as active what the tendon leaves: at rest it is a * fal; their
     * splines dip below zero, and in balance that counts as none */
    double active = old ? isometric(m, a, p.normalized_fiber_length) : p.active_fiber_force;
    double passive = old ? fmax(0, p.passive_fiber_force) : p.passive_fiber_force;
    double along = (active + passive) * cos(p.pennation);
    if (m->kind != FB_MUSCLE_MILLARD_ACCELERATION) { /* it has more elements */
        FB_TRUE(fabs(along - p.tendon_force) < (old ? 2e-2 : 1e-5),
                "%s: a %g, length %g: fibers %.10g, tendon %.10g", name, a, path, along,
                p.tendon_force);
    }
    if (!m->rigid && !old && p.tendon_force > 1e-3) {
        FB_TRUE(fabs(p.fiber_velocity) < 1e-5, "%s: a %g, length %g: moves by %g", name, a, path,
                p.fiber_velocity);
    }
    if (!m->rigid) {
        double tendon = path - p.fiber_length * cos(p.pennation);
        FB_TRUE(p.tendon_force < 1e-6 * m->max_force || tendon > 0.9 * m->slack_length,
                "%s: tendon %g", name, tendon);
    }
}

static void muscles_at_rest_are_in_balance(void) {
    n_tried = n_found = 0;
    over_grid(check_balance);
    FB_TRUE(n_found == n_tried && n_tried > 500, "%d of %d", n_found, n_tried);
}

/* Fiber and tendon share the speed as they say: De Groote's tendon keeps its length, others divide
 * it by stiffness, between none and all. */
static void check_sharing(const rig *r, const char *name, double a, double path, double speed,
                          fb_equilibrium how) {
    const fb_muscle *m = r->m;
    fb_muscle_point p;
    if (m->rigid || how != FB_EQUILIBRIUM_SHARED || fabs(speed) != .1 || path < .26 || path > .32 ||
        a < .05) {
        return;
    }
    if (!FB_TRUE(fb_muscle_equilibrate(m, a, path, speed, how, &p), "%s: a %g, length %g, speed %g",
                 name, a, path, speed)) {
        return;
    }
    double part = p.fiber_velocity / cos(p.pennation) / speed;
    if (m->kind == FB_MUSCLE_DE_GROOTE_FREGLY) {
        FB_TRUE(m->damping > 0 || fabs(part - 1) < 1e-4, "%s: a %g, length %g: part %g", name, a,
                path, part);
    } else if (m->kind == FB_MUSCLE_THELEN || m->kind == FB_MUSCLE_MILLARD) {
        FB_TRUE(p.tendon_force < 1 || (part > -1e-3 && part < 2), "%s: a %g, length %g: part %g",
                name, a, path, part);
    }
}

static void fiber_and_tendon_share_the_speed(void) {
    over_grid(check_sharing);
}

/* More activation, more force; a longer path, more force. */
static void force_rises(void) {
    for (int c = 0; c < N_CLASSES; c++) {
        rig r = begin(classes[c].type, classes[c].fields);
        double before = -1;
        for (int i = 1; i <= 10; i++) {
            fb_muscle_point p;
            FB_TRUE(fb_muscle_equilibrate(r.m, i / 10.0, .3, 0, FB_EQUILIBRIUM_STATIC, &p), "%s",
                    classes[c].type);
            FB_TRUE(p.tendon_force > before, "%s: %g after %g", classes[c].type, p.tendon_force,
                    before);
            before = p.tendon_force;
        }
        FB_TRUE(before > 700 && before < 1100, "%s: %g", classes[c].type, before);
        before = -1;
        for (int i = 0; i <= 12; i++) {
            fb_muscle_point p;
            fb_muscle_equilibrate(r.m, .01, .31 + .01 * i, 0, FB_EQUILIBRIUM_STATIC, &p);
            FB_TRUE(p.tendon_force > before - 25, "%s: %g after %g", classes[c].type,
                    p.tendon_force, before);
            before = p.tendon_force;
        }
        end(&r);
    }
}

/* ---- compiling ------------------------------------------------------------------------------- */

/* A muscle that is none hinders nothing else; a broken function is an error. */
static void wrong_muscles_are_lacking(void) {
    static const char *const bad[][2] = {
        {"Thelen2003", ", 'optimal_fiber_length': 0"},
        {"Thelen2003", ", 'max_isometric_force': -1"},
        {"Thelen2003", ", 'tendon_slack_length': -0.1"},
        {"Thelen2003", ", 'pennation_angle': 1.6"},
        {"DeGrooteFregly2016", ", 'pennation_angle': -0.1"},
        {"Millard2012Equilibrium", ", 'force_velocity_curve': {'isometric_slope': 0}"},
        {"Millard2012Equilibrium",
         ", 'tendon_force_length_curve': {'strain_at_max_isometric_force': -1}"},
        {"Schutte1993",
         ", 'active_force_length_curve': {'type': 'simm_spline', 'x': [1], 'y': [1]}"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        rig r = compile(bad[i][0], bad[i][1]);
        bool broken = strstr(bad[i][1], "simm_spline") != NULL;
        FB_TRUE((r.status == FB_E_INPUT) == broken, "%s%s", bad[i][0], bad[i][1]);
        FB_TRUE(r.diag.n > 0 && (r.diag.counts[FB_ERROR] > 0) == broken, "%s%s", bad[i][0],
                bad[i][1]);
        if (r.muscles) {
            fb_muscle_point point;
            const fb_muscle *m = &r.muscles->muscles[0];
            FB_TRUE(m->lacking && !m->enabled && r.muscles->n_skipped == 1, "%s", bad[i][1]);
            FB_TRUE(fb_muscle_equilibrate(m, .5, .3, 0, FB_EQUILIBRIUM_STATIC, &point), "%s",
                    bad[i][1]);
            FB_TRUE(isnan(point.tendon_force) && isnan(point.fiber_length), "%s", bad[i][1]);
        }
        end(&r);
    }
}

/* All muscles of the shipped models, at their models' default poses. */
static void shipped_muscles_compile(void) {
    int n = 0;
    for (int i = 0; fb_test_glob("models/*/*.osim", i); i++) {
        const char *file = fb_test_glob("models/*/*.osim", i);
        size_t size;
        char *bytes = fb_test_read_file(file, &size);
        fb_system_options options = {false};
        rig r;
        memset(&r, 0, sizeof r);
        fb_diag_init(&r.diag);
        if (fb_osim_read(&r.model, bytes, size, file, NULL, &r.diag) == FB_OK &&
            fb_system_compile(&r.system, r.model, &options, &r.diag) == FB_OK &&
            fb_paths_compile(&r.paths, r.system, false, &r.diag) == FB_OK &&
            fb_muscles_compile(&r.muscles, r.paths, &r.diag) == FB_OK) {
            fb_state *state = fb_state_new(r.system);
            fb_course course = {
                .points = calloc((size_t)r.paths->most_points + 1, sizeof *course.points)};
            fb_state_position(state);
            for (int k = 0; k < r.muscles->n; k++) {
                const fb_muscle *m = &r.muscles->muscles[k];
                fb_muscle_point p;
                if (!FB_TRUE(m->path >= 0 && m->path < r.paths->n_paths, "%s", file)) {
                    continue;
                }
                FB_TRUE(r.paths->paths[m->path].owner == m->element, "%s", file);
                fb_path_course(r.paths, m->path, state, &course);
                fb_muscle_equilibrate(m, .2, course.length, 0, FB_EQUILIBRIUM_OPENSIM4, &p);
                FB_TRUE(all_finite(&p), "%s: %s", file, m->element->name);
                n++;
            }
            free(course.points);
            fb_state_free(state);
        }
        end(&r);
    }
    FB_TRUE(n > 20, "%d muscles", n);
}

/* The older classes take any function as a curve, and curves of muscles are functions too. */
static void older_muscles_may_have_bezier_curves(void) {
    static const char *const types[] = {"Schutte1993", "Delp1990", "RigidTendon"};
    for (int i = 0; i < 3; i++) {
        rig r = begin(types[i], ", 'passive_force_length_curve': {'type': 'fiber_force_length', "
                                "'strain_at_max_isometric_force': 0.6}");
        FB_NEAR(fb_muscle_curve(r.m, FB_HILL_PASSIVE, 1, 1.6), 1, 1e-9, 0);
        FB_NEAR(fb_muscle_curve(r.m, FB_HILL_PASSIVE, 1, 1.0), 0, 1e-12, 0);
        FB_NEAR(fb_muscle_curve(r.m, FB_HILL_PASSIVE, 1, 1.7), 1 + 0.1 * 2 / 0.6, 1e-9, 0);
        end(&r);
    }
}

/* OpenSim refuses these classes with the flags; here their tendons stay elastic, and that is told.
 */
static void flags_without_a_model_are_told(void) {
    static const char *const types[] = {"Thelen2003", "Thelen2003Deprecated", "Schutte1993",
                                        "Delp1990"},
                             *const flags[] = {", 'ignore_tendon_compliance': true",
                                               ", 'ignore_activation_dynamics': true"};
    for (int i = 0; i < 4; i++) {
        fb_muscle_point wanted, got;
        rig plain = begin(types[i], "");
        FB_TRUE(fb_muscle_equilibrate(plain.m, 0.5, 0.3, 0, FB_EQUILIBRIUM_OPENSIM4, &wanted), "%s",
                types[i]);
        for (int k = 0; k < 2; k++) {
            rig r = begin(types[i], flags[k]);
            FB_EQUAL_INT((int)r.diag.n, 1);
            FB_HOLDS(r.diag.n ? r.diag.records[0].message : "", "cannot be true in its class");
            FB_TRUE(fb_muscle_equilibrate(r.m, 0.5, 0.3, 0, FB_EQUILIBRIUM_OPENSIM4, &got), "%s",
                    types[i]);
            FB_SAME(got.tendon_force, wanted.tendon_force);
            FB_TRUE(got.tendon_force > 100, "%g N", got.tendon_force);
            end(&r);
        }
        end(&plain);
    }
}

static const fb_test tests[] = {
    FB_TEST(older_muscles_may_have_bezier_curves),
    FB_TEST(thelen_formulas),
    FB_TEST(deprecated_thelen_formulas),
    FB_TEST(millard_formulas),
    FB_TEST(de_groote_formulas),
    FB_TEST(rigid_tendon_splines),
    FB_TEST(schutte_formulas),
    FB_TEST(pennation_keeps_the_height),
    FB_TEST(equilibria_are_those_of_opensim),
    FB_TEST(equilibria_are_finite),
    FB_TEST(muscles_at_rest_are_in_balance),
    FB_TEST(fiber_and_tendon_share_the_speed),
    FB_TEST(force_rises),
    FB_TEST(wrong_muscles_are_lacking),
    FB_TEST(shipped_muscles_compile),
    FB_TEST(flags_without_a_model_are_told),
    FB_TEST_END,
};

int main(int argc, char **argv) {
    return fb_test_main("muscle", tests, argc, argv);
}
