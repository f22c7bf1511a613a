/* How coordinates follow one, against poses that are assembled next to each other. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/motion/system.h"
#include "tests/help.h"

typedef struct rig {
    fb_model *model;
    fb_system *system;
    fb_state *state;
    fb_diag diag;
} rig;

#define PIN(NAME, PARENT, MORE) \
    "{'name': 'j" NAME "', 'type': 'pin', 'parent': '" PARENT "', 'child': '" NAME "', " \
    "'coordinates': [{'name': 'q" NAME "'" MORE "}]}"

/* Bodies a on ground, b on a, c on ground, each on a pin, with coordinates qa, qb, qc and these
 * constraints (.fb, with ' for "). */
static rig begin(const char *constraints, const char *of_c) {
    rig r;
    char text[4000];
    memset(&r, 0, sizeof r);
    snprintf(text, sizeof text,
             "{'fb': '1.0', 'bodies': [{'name': 'a', 'mass': 1}, {'name': 'b', 'mass': 1}, "
             "{'name': 'c', 'mass': 1}], 'frames': [{'name': 'ae', 'parent': 'a', 'translation': "
             "[0, -1, 0]}, {'name': 'ge', 'parent': 'ground', 'translation': [1.5, 0, 0]}], "
             "'joints': [" PIN("a", "ground",
                               "") ", " PIN("b", "ae", "") ", " PIN("c", "ge",
                                                                    "%s") "], 'constraints': [%s]}",
             of_c, constraints);
    fb_test_quotes(text);
    r.model = fb_test_must(fb_test_fb(text, &r.diag, NULL), &r.diag);
    if (!FB_TRUE(fb_system_compile(&r.system, r.model, &(fb_system_options){false}, &r.diag) ==
                     FB_OK,
                 "%s", r.diag.n ? r.diag.records[0].message : "")) {
        fprintf(stderr, "%s\n", r.diag.n ? r.diag.records[0].message : text);
        exit(1); /* the test itself is wrong */
    }
    r.state = fb_state_new(r.system);
    fb_state_defaults(r.state);
    fb_state_position(r.state);
    return r;
}

static void end(rig *r) {
    fb_state_free(r->state);
    fb_system_free(r->system);
    fb_model_free(r->model);
    fb_diag_clear(&r->diag);
}

static int number_of(const rig *r, const char *path) {
    return fb_system_coordinate(r->system, fb_test_find(r->model, path));
}

static void without_constraints_nothing_follows(void) {
    rig r = begin("", "");
    double dq[3];
    FB_TRUE(fb_coordinate_follow(r.state, 1, dq), "it moves");
    FB_SAME(dq[0], 0);
    FB_SAME(dq[1], 1);
    FB_SAME(dq[2], 0);
    end(&r);
}

/* qc = qa + 2 qb: only qc follows. OpenSim's rule, the least change of all, moves qb as well. */
static void couplers_make_one_follow(void) {
    rig r = begin("{'name': 'k', 'type': 'coordinate_coupler', 'independent_coordinates': ['qa', "
                  "'qb'], 'dependent_coordinate': 'qc', 'function': {'type': "
                  "'multivariate_polynomial', 'dimension': 2, 'order': 1, 'coefficients': [0, 2, "
                  "1]}}",
                  "");
    int a = number_of(&r, "/jointset/ja/qa"), b = number_of(&r, "/jointset/jb/qb"),
        c = number_of(&r, "/jointset/jc/qc");
    double dq[3];
    FB_TRUE(fb_coordinate_follow(r.state, a, dq), "it moves");
    FB_SAME(dq[a], 1);
    FB_SAME(dq[b], 0);
    FB_NEAR(dq[c], 1, 1e-12, 0);
    FB_TRUE(fb_coordinate_follow(r.state, b, dq), "it moves");
    FB_SAME(dq[a], 0);
    FB_NEAR(dq[c], 2, 1e-12, 0);
    fb_coordinate_coupling(r.state, a, dq);
    FB_TRUE(fabs(dq[b]) > 0.1, "%g", dq[b]);
    /* the dependent one itself: the least change of the others */
    FB_TRUE(fb_coordinate_follow(r.state, c, dq), "it moves");
    FB_SAME(dq[c], 1);
    FB_NEAR(dq[a], 0.2, 1e-12, 0);
    FB_NEAR(dq[b], 0.4, 1e-12, 0);
    end(&r);
}

/* A loop of four bars: rates against poses assembled on both sides. */
static void loops_follow(void) {
    rig r = begin("{'name': 'k', 'type': 'point', 'body_1': 'b', 'body_2': 'c', 'location_1': [1, "
                  "-0.5, 0], 'location_2': [0.2, -1, 0]}",
                  "");
    FB_EQUAL_INT(fb_assemble(r.state, 1e-12), FB_OK);
    double q[3], dq[3], h = 1e-5, side[2][3];
    memcpy(q, r.state->q, sizeof q);
    FB_TRUE(fb_coordinate_follow(r.state, 0, dq), "it moves");
    FB_SAME(dq[0], 1);
    for (int i = 0; i < 2; i++) {
        memcpy(r.state->q, q, sizeof q);
        r.state->q[0] += i ? h : -h;
        FB_EQUAL_INT(fb_assemble_held(r.state, (int[]){0}, 1, 1e-13), FB_OK);
        memcpy(side[i], r.state->q, sizeof q);
    }
    for (int k = 0; k < 3; k++) {
        FB_NEAR(dq[k], (side[1][k] - side[0][k]) / (2 * h), 1e-7, 0);
    }
    FB_TRUE(fabs(dq[1]) > 0.01 && fabs(dq[2]) > 0.01, "both move: %g %g", dq[1], dq[2]);
    end(&r);
}

static void what_is_held_does_not_move(void) {
    rig r = begin("{'name': 'k', 'type': 'coordinate_coupler', 'independent_coordinates': ['qc'], "
                  "'dependent_coordinate': 'qa', 'function': {'type': 'linear', 'coefficients': "
                  "[2, 0]}}",
                  ", 'locked': true");
    int a = number_of(&r, "/jointset/ja/qa"), c = number_of(&r, "/jointset/jc/qc");
    double dq[3];
    FB_TRUE(!fb_coordinate_follow(r.state, a, dq), "a locked coordinate holds it");
    FB_SAME(dq[a], 0);
    FB_TRUE(fb_coordinate_follow(r.state, c, dq), "the locked one counts as free");
    FB_NEAR(dq[a], 2, 1e-12, 0);
    int both[2] = {a, c};
    r.state->q[a] = 0.5;
    r.state->q[c] = 0.1;
    FB_EQUAL_INT(fb_assemble_held(r.state, both, 2, 1e-10), FB_E_NUMERIC);
    FB_SAME(r.state->q[a], 0.5);
    FB_SAME(r.state->q[c], 0.1);
    end(&r);
}

static const fb_test tests[] = {
    FB_TEST(without_constraints_nothing_follows),
    FB_TEST(couplers_make_one_follow),
    FB_TEST(loops_follow),
    FB_TEST(what_is_held_does_not_move),
    FB_TEST_END,
};

int main(int argc, char **argv) {
    return fb_test_main("follow", tests, argc, argv);
}
