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

static const fb_test tests[] = {
    FB_TEST(older_classes_take_the_same_steps),
    FB_TEST(older_classes_when_slack),
    FB_TEST(older_thelen_velocity),
    FB_TEST(thelen_fiber_driven_to_zero),
    FB_TEST(thelen_steps_find_the_balance),
    FB_TEST(disabled_muscles),
    FB_TEST_END,
};

int main(int argc, char **argv) {
    return fb_test_main("opensim4_muscles", tests, argc, argv);
}
