/* Muscles with --compat opensim4: the steps by which OpenSim 4.5.2 comes to an equilibrium, and
 * what it has of muscles that are switched off. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/muscle/simulation.h"
#include "tests/help.h"

typedef struct rig {
    fb_model *model;
    fb_simulation *s;
    fb_diag diag;
    const fb_muscle *m;
} rig;

/* One muscle with some more fields (.fb, with ' for "), on a straight path from ground to a slider
 * at 0.3 m. */
static rig begin(const char *type, const char *fields, bool as_opensim4) {
    rig r;
    char text[4000];
    memset(&r, 0, sizeof r);
    snprintf(text, sizeof text,
             "{'fb': '1.0', 'bodies': [{'name': 'b', 'mass': 1}], 'joints': [{'name': 'j', 'type': "
             "'slider', 'parent': 'ground', 'child': 'b', 'coordinates': [{'name': 's', 'default': "
             "0.3}]}], 'muscles': [{'name': 'm', 'type': '%s', 'path': {'points': [{'name': 'p', "
             "'frame': 'ground'}, {'name': 'q', 'frame': 'b'}]}%s}]}",
             type, fields);
    fb_test_quotes(text);
    r.model = fb_test_must(fb_test_fb(text, &r.diag, NULL), &r.diag);
    if (!FB_EQUAL_INT(fb_simulation_new(&r.s, r.model, as_opensim4, &r.diag), FB_OK)) {
        fprintf(stderr, "%s\n", r.diag.n ? r.diag.records[0].message : type);
        exit(1); /* the test itself is wrong */
    }
    r.m = &r.s->muscles->muscles[0];
    return r;
}

static void end(rig *r) {
    fb_simulation_free(r->s);
    fb_model_free(r->model);
    fb_diag_clear(&r->diag);
}

#define PENNATE ", 'pennation_angle': 0.3490658503988659"

/* The older classes stop at 0.01 N, so that the last digits are those of the way: OpenSim's. */
static void older_classes_take_the_same_steps(void) {
    static const struct {
        const char *type;
        double force, fiber;
    } all[] = {{"Thelen2003Deprecated", 489.329634004, .101329778881},
               {"Schutte1993", 490.820612094, .102079434907},
               {"Delp1990", 472.227741321, .102169745321}};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        fb_muscle_point p, exact;
        rig r = begin(all[i].type, PENNATE, true);
        FB_TRUE(fb_muscle_equilibrate(r.m, .5, .3, .1, FB_EQUILIBRIUM_OPENSIM4, &p), "%s",
                all[i].type);
        FB_NEAR(p.tendon_force, all[i].force, 6e-10, 0);
        FB_NEAR(p.fiber_length, all[i].fiber, 6e-13, 0);
        fb_muscle_equilibrate(r.m, .5, .3, 0, FB_EQUILIBRIUM_STATIC, &exact); /* not so exact */
        FB_TRUE(fabs(exact.tendon_force - all[i].force) > 1e-8, "%s: off balance", all[i].type);
        FB_TRUE(fabs(exact.tendon_force - all[i].force) < 0.02, "%s: near it", all[i].type);
        end(&r);
    }
}

/* Shorter than the tendon: fibers across the tendon, or none. */
static void older_classes_when_slack(void) {
    static const char *const types[] = {"Thelen2003Deprecated", "Schutte1993", "Delp1990"};
    for (int i = 0; i < 6; i++) {
        fb_muscle_point p;
        rig r = begin(types[i / 2], i % 2 ? PENNATE : "", true);
        FB_TRUE(fb_muscle_equilibrate(r.m, .5, .19, 0, FB_EQUILIBRIUM_OPENSIM4, &p), "%s",
                types[i / 2]);
        FB_NEAR(p.fiber_length, r.m->height, 1e-15, 0);
        FB_NEAR(p.pennation, i % 2 ? acos(0) : 0, 1e-12, 0);
        FB_TRUE(isfinite(p.fiber_velocity) && isfinite(p.active_fiber_force), "%s", types[i / 2]);
        end(&r);
    }
}

/* The velocity law of the older Thelen muscle, backwards. */
static void older_thelen_velocity(void) {
    rig r = begin("Thelen2003Deprecated", "", true);
    double a = .5, V = (5 + .5 * 5) * .1, d = .05, Af = .3, top = 1.8, fl = exp(-.04 / .5);
    for (double strain = 0; strain < .06; strain += .001) {
        fb_muscle_point p;
        fb_muscle_evaluate(r.m, a, .08 + .2 * (1 + strain), 0, .08, 0, &p);
        double A = a * fl, f = p.active_fiber_force / 1000, v = p.fiber_velocity / V;
        FB_NEAR(p.active_fiber_force + p.passive_fiber_force, p.tendon_force, 1e-9, 0);
        if (f >= 0 && f < .95 * A * top) {
            double b = f < A ? A + f / Af : (2 + 2 / Af) * (A * top - f) / (top - 1);
            FB_NEAR(v * (b + d), f - A, 1e-12, 0);
        }
    }
    /* straight on where there is no force, and above 95 % of the greatest: slopes go on */
    double at[4][2] = {{0}};
    for (int i = 0; i < 4; i++) {
        fb_muscle_point p;
        fb_muscle_evaluate(r.m, a, .08 + .2 * (1 + .06 + .01 * i), 0, .08, 0, &p);
        at[i][0] = p.active_fiber_force;
        at[i][1] = p.fiber_velocity;
    }
    double slope = (at[1][1] - at[0][1]) / (at[1][0] - at[0][0]);
    FB_TRUE(slope > 0, "slope %g", slope);
    FB_NEAR((at[3][1] - at[2][1]) / (at[3][0] - at[2][0]), slope, 1e-9, 1e-9);
    end(&r);
}

/* Thelen's muscle whose fiber has next to no room: OpenSim's steps end at length zero and stay
 * there, out of balance. */
static void thelen_fiber_driven_to_zero(void) {
    fb_muscle_point p;
    rig r = begin("Thelen2003", "", true);
    FB_TRUE(fb_muscle_equilibrate(r.m, 1, .2035, .03, FB_EQUILIBRIUM_OPENSIM4, &p), "at rest");
    FB_SAME(p.fiber_length, 0);
    fb_muscle_point at_zero;
    fb_muscle_evaluate(r.m, 1, .2035, .03, 0, 0, &at_zero);
    FB_TRUE(memcmp(&p, &at_zero, sizeof p) == 0, "as evaluated at length 0");
    FB_TRUE(p.fiber_velocity > 0, "it lengthens: %g", p.fiber_velocity);
    end(&r);
    r = begin("Thelen2003", "", false); /* the balance just above */
    FB_TRUE(fb_muscle_equilibrate(r.m, 1, .2035, .03, FB_EQUILIBRIUM_OPENSIM4, &p), "balance");
    FB_TRUE(p.fiber_length > 1e-5 && p.fiber_length < .0035, "fiber %g", p.fiber_length);
    end(&r);
}

/* Elsewhere both ways come to nearly the same: OpenSim's velocity is that of the step before. */
static void thelen_steps_find_the_balance(void) {
    rig r = begin("Thelen2003", PENNATE, true), e = begin("Thelen2003", PENNATE, false);
    for (int i = 0; i < 200; i++) {
        double a = .05 + .019 * (i % 50), path = .26 + .02 * (i / 50), speed = .2 * (i % 3 - 1);
        fb_muscle_point p, q;
        bool found = fb_muscle_equilibrate(r.m, a, path, speed, FB_EQUILIBRIUM_OPENSIM4, &p);
        FB_TRUE(found, "a %g, path %g, speed %g", a, path, speed);
        fb_muscle_equilibrate(e.m, a, path, speed, FB_EQUILIBRIUM_OPENSIM4, &q);
        FB_NEAR(p.fiber_length, q.fiber_length, 1e-5, 0);
        FB_NEAR(p.tendon_force, q.tendon_force, 0.2, 1e-3);
    }
    end(&e);
    end(&r);
}

/* Muscles that are switched off stay at their default length; the older classes have none. */
static void disabled_muscles(void) {
    static const char *const types[] = {"Thelen2003Deprecated", "Schutte1993", "Delp1990",
                                        "Thelen2003"};
    for (int i = 0; i < 4; i++) {
        rig r = begin(types[i], ", 'enabled': false" PENNATE, true);
        r.s->activation[0] = .5;
        fb_simulation_move(r.s);
        FB_TRUE(fb_simulation_equilibrate(r.s, 0, FB_EQUILIBRIUM_OPENSIM4), "%s", types[i]);
        const fb_muscle_point *p = &r.s->points[0];
        if (i == 3) {
            FB_NEAR(p->fiber_length, .1, 1e-15, 0);
        } else {
            FB_SAME(p->fiber_length, 0);
            FB_SAME(p->fiber_velocity, 0);
            FB_SAME(p->pennation, 0);
            FB_SAME(p->tendon_force, 0);
            FB_SAME(p->active_fiber_force, -p->passive_fiber_force);
        }
        FB_EQUAL_INT(fb_simulation_accelerate(r.s, 0), FB_OK);
        FB_NEAR(r.s->acceleration[0], 0, 1e-12, 0); /* it does not pull */
        end(&r);
    }
}

/* Glutaeus maximus of a full-body model: the muscle settles while the fiber force that is missing
 * in the first stiffness still shows in its velocity. Numbers are OpenSim 4.5.2's. */
static void thelen_first_stiffness_lacks_the_force(void) {
    fb_muscle_point p;
    rig r = begin("Thelen2003",
                  ", 'max_isometric_force': 552, 'optimal_fiber_length': 0.144, "
                  "'tendon_slack_length': 0.145, 'pennation_angle': 0.08726646, "
                  "'tendon_strain_at_max_isometric_force': 0.033, "
                  "'passive_fiber_strain_at_max_isometric_force': 0.6, "
                  "'active_force_length_shape_factor': 0.5, "
                  "'passive_force_length_shape_factor': 4, 'force_velocity_shape_factor': 0.3, "
                  "'max_lengthening_force': 1.8",
                  true);
    FB_TRUE(fb_muscle_equilibrate(r.m, .137599671562202, .177461223824344, .0953786792044106,
                                  FB_EQUILIBRIUM_OPENSIM4, &p),
            "balance");
    FB_NEAR(p.fiber_length, .0334549267364562, 1e-13, 0);
    FB_NEAR(p.fiber_velocity, .0875564802280981, 1e-9, 0);
    FB_NEAR(p.tendon_force, 32.94595615645, 1e-7, 0);
    end(&r);
}

/* Millard's: at rest, whatever the speed; what the muscle's own law then makes of it is at rest. */
static void millard_comes_to_rest(void) {
    static const char *const fields[] = {PENNATE, "", PENNATE ", 'fiber_damping': 0",
                                         ", 'pennation_angle': 1.2"};
    for (int k = 0; k < 4; k++) {
        rig r = begin("Millard2012Equilibrium", fields[k], true);
        for (int i = 0; i < 200; i++) {
            fb_muscle_point p, q;
            double a = .05 + .019 * (i % 50), path = .23 + .03 * (i / 50);
            bool found = fb_muscle_equilibrate(r.m, a, path, .1, FB_EQUILIBRIUM_OPENSIM4, &p);
            FB_TRUE(found, "%s: a %g, path %g", fields[k], a, path);
            FB_NEAR(p.fiber_velocity, 0, 1e-6, 0);
            fb_muscle_equilibrate(r.m, a, path, 0, FB_EQUILIBRIUM_STATIC, &q);
            FB_NEAR(p.fiber_length, q.fiber_length, 1e-8, 0);
        }
        end(&r);
    }
}

/* A fiber at its shortest bears nothing, whether the tendon stretches (and holds what it holds),
 * or is rigid and slack. */
static void shortest_fibers(void) {
    static const struct {
        const char *fields;
        double path, tendon;
    } all[] = {
        {"", .23, 0},
        {PENNATE, .19, 0},
        {", 'fiber_damping': 0" PENNATE, .19, 0},
        {", 'ignore_tendon_compliance': true", .19, 0},
        {", 'ignore_tendon_compliance': true", .243, 0}, /* shorter than what is active */
        {", 'ignore_tendon_compliance': true, 'pennation_angle': 0.02", .21, 0},
        {", 'ignore_tendon_compliance': true, 'pennation_angle': 1", .203, 0},
    };
    for (size_t i = 0; i < 2 * sizeof all / sizeof all[0]; i++) {
        fb_muscle_point p;
        rig r = begin("Millard2012Equilibrium", all[i / 2].fields, i % 2);
        fb_muscle_equilibrate(r.m, .8, all[i / 2].path, .01, FB_EQUILIBRIUM_OPENSIM4, &p);
        FB_NEAR(p.fiber_length, r.m->min_length, 1e-15, 0);
        FB_NEAR(p.fiber_velocity, 0, 1e-9, 0);
        FB_NEAR(p.active_fiber_force, 0, 1e-9, 0);
        FB_NEAR(p.passive_fiber_force, 0, 1e-9, 0);
        FB_NEAR(p.tendon_force, all[i / 2].tendon, 1e-9, 0);
        end(&r);
    }
}

/* Without activation dynamics OpenSim's activation model keeps its own lowest activation. */
static void lowest_activation_of_a_control(void) {
    fb_muscle_point p, q;
    const char *fields = ", 'ignore_tendon_compliance': true, 'minimum_activation': 0.2, "
                         "'ignore_activation_dynamics': true";
    rig r = begin("Millard2012Equilibrium", fields, true);
    fb_muscle_evaluate(r.m, 0, .3, 0, 0, 0, &p);
    end(&r);
    r = begin("Millard2012Equilibrium", fields, false);
    fb_muscle_evaluate(r.m, 0, .3, 0, 0, 0, &q);
    end(&r);
    FB_NEAR(p.active_fiber_force, 10, 1e-6, 0); /* at optimal length, at rest */
    FB_NEAR(q.active_fiber_force, 200, 1e-5, 0);
}

/* De Groote's balance, written out: the tendon keeps its length. */
static double groote_left(double a, double path, double speed, double alpha, double d, double F) {
    static const double b[3][4] = {{.8150671134243542, 1.055033428970575, .162384573599574,
                                    .063303448465465},
                                   {.433004984392647, .716775413397760, -.029947116970696,
                                    .200356847296188},
                                   {.1, 1, .353553390593274, 0}};
    double tendon = .2 * (1 + log(5 * F + 1) / (log(6) / .049)), h = .1 * sin(alpha);
    double fiber = hypot(path - tendon, h), cosine = (path - tendon) / fiber, l = fiber / .1;
    double v = speed * cosine, w = v, fl = 0, low = exp(4 * (.2 - 1) / .6);
    for (int i = 0; i < 3; i++) {
        fl += b[i][0] * exp(-.5 * pow((l - b[i][1]) / (b[i][2] + b[i][3] * l), 2));
    }
    double fv = -.3211346127989808 * asinh(-8.149 * w - .374) + .8825327733249912;
    double fp = (exp(4 * (l - 1) / .6) - low) / (exp(4) - low);
    return F - (a * fl * fv + fp + d * w) * cosine;
}

static void groote_tendon_force(void) {
    rig r = begin("DeGrooteFregly2016", PENNATE ", 'fiber_damping': 0.1", true);
    for (int i = 0; i < 200; i++) {
        fb_muscle_point p;
        double a = .02 + .019 * (i % 50), path = .22 + .04 * (i / 50), speed = .3 * (i % 3 - 1);
        double alpha = 0.3490658503988659;
        bool found = fb_muscle_equilibrate(r.m, a, path, speed, FB_EQUILIBRIUM_OPENSIM4, &p);
        FB_TRUE(found, "a %g, path %g, speed %g", a, path, speed);
        FB_NEAR(groote_left(a, path, speed, alpha, .1, p.tendon_force / 1000), 0, 1e-8, 0);
        /* the velocity that OpenSim then finds leaves the damper out */
        double F = p.tendon_force / cos(p.pennation), w = p.fiber_velocity;
        double fp = p.passive_fiber_force - 100 * w;
        FB_NEAR(p.active_fiber_force, F - fp, 1e-6, 0);
    }
    end(&r);
    r = begin("DeGrooteFregly2016",
              PENNATE ", 'fiber_damping': 0.1, 'tendon_compliance_dynamics_mode': 'implicit'",
              true);
    fb_muscle_point p;
    fb_muscle_equilibrate(r.m, .5, .3, .1, FB_EQUILIBRIUM_OPENSIM4, &p);
    FB_NEAR(p.fiber_velocity, .1 * cos(p.pennation), 1e-15, 0);
    FB_NEAR((p.active_fiber_force + p.passive_fiber_force) * cos(p.pennation), p.tendon_force, 1e-6,
            0);
    end(&r);
}

/* De Groote's muscle with a rigid tendon has no shortest fiber: beyond a right angle it pushes. */
static void groote_rigid_and_slack(void) {
    for (int i = 0; i < 2; i++) {
        fb_muscle_point p;
        rig r = begin("DeGrooteFregly2016", PENNATE ", 'ignore_tendon_compliance': true", i == 0);
        fb_muscle_evaluate(r.m, .5, .18, 0, 0, 0, &p);
        if (i == 0) {
            FB_NEAR(p.fiber_length, hypot(.02, .1 * sin(0.3490658503988659)), 1e-15, 0);
            FB_NEAR(p.pennation, asin(.1 * sin(0.3490658503988659) / p.fiber_length), 1e-12, 0);
            FB_NEAR(p.tendon_force,
                    -(p.active_fiber_force + p.passive_fiber_force) * .02 / p.fiber_length, 1e-9,
                    0);
            FB_TRUE(p.tendon_force < -5, "force %g", p.tendon_force);
        } else {
            FB_SAME(p.tendon_force, 0);
        }
        end(&r);
    }
}

#define ACCELERATION \
    ", 'active_force_length_curve': {'type': 'active_force_length', 'minimum_value': 0}, " \
    "'compressive_force_pennation_curve': {'engagement_angle': 1.4835298641951802}"

/* Numbers of OpenSim 4.5.2; in between, the same balance found in another way. */
static void acceleration_muscle_shares_the_speed(void) {
    static const double force[] = {293.584789726, 469.911193447, 581.600620141},
                        fiber[] = {.101604150385, .100104337398, .0992689956137},
                        velocity[] = {-.0931875650335, 0, .0933574858748};
    rig r = begin("Millard2012Acceleration", PENNATE ACCELERATION, true);
    rig e = begin("Millard2012Acceleration", PENNATE ACCELERATION, false);
    fb_muscle_point p, q;
    for (int i = 0; i < 3; i++) {
        FB_TRUE(fb_muscle_equilibrate(r.m, .5, .3, .1 * (i - 1), FB_EQUILIBRIUM_OPENSIM4, &p),
                "speed %g", .1 * (i - 1));
        FB_NEAR(p.tendon_force, force[i], 1e-6, 0);
        FB_NEAR(p.fiber_length, fiber[i], 5e-12, 0);
        FB_NEAR(p.fiber_velocity, velocity[i], 5e-10, 0);
        fb_muscle_evaluate(e.m, .5, .3, .1 * (i - 1), p.fiber_length, p.fiber_velocity, &q);
        /* OpenSim's passive force leaves the fibers' damper out */
        FB_NEAR(q.passive_fiber_force - p.passive_fiber_force, 1000 * .01 * velocity[i] / .1, 1e-7,
                0);
    }
    for (int i = 0; i < 60; i++) {
        double a = .05 + .019 * (i % 50), path = .26 + .015 * (i % 4), speed = .1 * (i % 3 - 1);
        FB_TRUE(fb_muscle_equilibrate(r.m, a, path, speed, FB_EQUILIBRIUM_OPENSIM4, &p),
                "a %g, path %g, speed %g", a, path, speed);
        fb_muscle_equilibrate(e.m, a, path, speed, FB_EQUILIBRIUM_OPENSIM4, &q);
        FB_NEAR(p.fiber_length, q.fiber_length, 1e-6, 0);
    }
    end(&e);
    end(&r);
    /* without pennation the compressive element keeps fibers of a slack muscle from length 0 */
    r = begin("Millard2012Acceleration", ACCELERATION, true);
    for (double path = .18; path < .24; path += .01) {
        FB_TRUE(fb_muscle_equilibrate(r.m, .5, path, 0, FB_EQUILIBRIUM_OPENSIM4, &p), "path %g",
                path);
        FB_TRUE(p.fiber_length >= 0, "fiber %g", p.fiber_length);
        if (p.fiber_length > 0) {
            FB_NEAR(p.active_fiber_force + p.passive_fiber_force, p.tendon_force, 1e-5, 0);
        }
    }
    end(&r);
}

/* Muscles that are switched off stay in the state that the model gives. */
static void default_states(void) {
    rig r = begin("DeGrooteFregly2016",
                  PENNATE ", 'enabled': false, 'default_normalized_tendon_force': 0.3", true);
    r.s->activation[0] = .5;
    fb_simulation_move(r.s);
    FB_TRUE(fb_simulation_equilibrate(r.s, 0, FB_EQUILIBRIUM_OPENSIM4), "De Groote");
    FB_NEAR(r.s->points[0].tendon_force, 300, 1e-8, 0);
    end(&r);
    r = begin("Millard2012Acceleration",
              PENNATE ACCELERATION ", 'enabled': false, 'default_fiber_length': 0.09, "
                                   "'default_fiber_velocity': 0.02",
              true);
    fb_simulation_move(r.s);
    FB_TRUE(fb_simulation_equilibrate(r.s, 0, FB_EQUILIBRIUM_OPENSIM4), "Millard");
    FB_NEAR(r.s->points[0].fiber_length, .09, 1e-15, 0);
    FB_NEAR(r.s->points[0].fiber_velocity, .02, 1e-15, 0);
    end(&r);
    r = begin("Millard2012Equilibrium", ", 'enabled': false, 'default_fiber_length': 0.01", true);
    fb_simulation_move(r.s);
    FB_TRUE(fb_simulation_equilibrate(r.s, 0, FB_EQUILIBRIUM_OPENSIM4), "shortest");
    FB_NEAR(r.s->points[0].fiber_length, r.m->min_length, 1e-15, 0);
    end(&r);
}

/* Whatever the path, the speed and the activation: numbers, and no fiber shorter than nothing (but
 * where the older classes stop at 0.01 N). */
static void extremes_are_finite(void) {
    static const char *const types[] = {"Thelen2003",
                                        "Millard2012Equilibrium",
                                        "Millard2012Acceleration",
                                        "DeGrooteFregly2016",
                                        "RigidTendon",
                                        "Thelen2003Deprecated",
                                        "Schutte1993",
                                        "Delp1990"};
    static const char *const fields[] = {"", ", 'pennation_angle': 0.3",
                                         ", 'pennation_angle': 1.4"};
    unsigned long long seed = fb_test_seed();
    for (int k = 0; k < 24; k++) {
        char all[400];
        snprintf(all, sizeof all, "%s%s", fields[k % 3], k / 3 == 2 ? ACCELERATION : "");
        rig r = begin(types[k / 3], all, true);
        for (int i = 0; i < 300; i++) {
            double x[3];
            for (int j = 0; j < 3; j++) {
                x[j] = (double)(fb_random(&seed) >> 11) / 9007199254740992.0;
            }
            fb_muscle_point p;
            double a = i % 5 ? x[0] : 0, path = .15 + .3 * x[1], speed = 2 * x[2] - 1;
            fb_muscle_equilibrate(r.m, a, path, speed, FB_EQUILIBRIUM_OPENSIM4, &p);
            FB_TRUE(isfinite(p.fiber_length) && p.fiber_length >= (k / 3 < 5 ? 0 : -.01) &&
                        isfinite(p.pennation) && isfinite(p.fiber_velocity) &&
                        isfinite(p.active_fiber_force) && isfinite(p.passive_fiber_force) &&
                        isfinite(p.tendon_force),
                    "%s%s: a %g, path %g, speed %g: fiber %g, %g, v %g, force %g = %g + %g",
                    types[k / 3], all, a, path, speed, p.fiber_length, p.pennation,
                    p.fiber_velocity, p.tendon_force, p.active_fiber_force, p.passive_fiber_force);
        }
        end(&r);
    }
}

static const fb_test tests[] = {
    FB_TEST(older_classes_take_the_same_steps),
    FB_TEST(older_classes_when_slack),
    FB_TEST(older_thelen_velocity),
    FB_TEST(thelen_fiber_driven_to_zero),
    FB_TEST(thelen_steps_find_the_balance),
    FB_TEST(disabled_muscles),
    FB_TEST(thelen_first_stiffness_lacks_the_force),
    FB_TEST(millard_comes_to_rest),
    FB_TEST(shortest_fibers),
    FB_TEST(lowest_activation_of_a_control),
    FB_TEST(groote_tendon_force),
    FB_TEST(groote_rigid_and_slack),
    FB_TEST(acceleration_muscle_shares_the_speed),
    FB_TEST(default_states),
    FB_TEST(extremes_are_finite),
    FB_TEST_END,
};

int main(int argc, char **argv) {
    return fb_test_main("opensim4_muscles", tests, argc, argv);
}
