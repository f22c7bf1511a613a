/* Models at the edge of what has a geometry or a motion: each is told in one sentence, and what is
 * written is finite, or the model is refused. */
#include <math.h>
#include <string.h>

#include "formats/sto.h"
#include "tests/help.h"
#include "tools/cli.h"

#define HEAD "{'fb': '1.0', 'name': 'm', "
#define ROD(MASS) \
    "'bodies': [{'name': 'rod', 'mass': " MASS ", 'inertia': [" MASS ", " MASS ", " MASS \
    ", 0, 0, 0]}], "
#define PIN \
    "'joints': [{'name': 'j', 'type': 'pin', 'parent': 'ground', 'child': 'rod', " \
    "'coordinates': [{'name': 'q'}]}]"
#define MUSCLE(FIRST, SECOND, FIBER, MORE) \
    ", 'muscles': [{'name': 'mus', 'type': 'Thelen2003', 'path': {'points': [{'name': 'a', " \
    "'frame': " \
    "'ground', 'location': [" FIRST "]}, {'name': 'b', 'frame': 'rod', 'location': [" SECOND \
    "]}]" MORE "}, 'max_isometric_force': 100, 'optimal_fiber_length': " FIBER \
    ", 'tendon_slack_length': 0.2}]"
#define TWO_MILLARD(FIRST, SECOND) \
    ", 'muscles': [" MILLARD("m1", FIRST) ", " MILLARD("m2", SECOND) "]"
#define MILLARD(NAME, FIBER) \
    "{'name': '" NAME "', 'type': 'Millard2012Equilibrium', 'path': {'points': [{'name': 'a', " \
    "'frame': 'ground', 'location': [0, 0.1, 0]}, {'name': 'b', 'frame': 'rod', 'location': " \
    "[0.1, " \
    "-0.2, 0]}]}, 'max_isometric_force': 100, 'optimal_fiber_length': " FIBER \
    ", 'tendon_slack_length': 0.2}"
/* Two rods on pins, their coordinates p and q; with a constraint. */
#define TWO_PINS(MORE, CONSTRAINT) \
    "'bodies': [{'name': 'a', 'mass': 1, 'inertia': [1, 1, 1, 0, 0, 0]}, {'name': 'b', 'mass': " \
    "1, " \
    "'inertia': [1, 1, 1, 0, 0, 0]}], 'joints': [{'name': 'j', 'type': 'pin', 'parent': " \
    "'ground', " \
    "'child': 'a', 'coordinates': [{'name': 'p', 'default': 0.3" MORE \
    "}]}, {'name': 'k', 'type': " \
    "'pin', 'parent': 'ground', 'child': 'b', 'coordinates': [{'name': 'q', 'default': 0.9" MORE \
    "}]}], 'constraints': [{'name': 'c', 'type': 'coordinate_coupler', 'dependent_coordinate': " \
    "'q', " CONSTRAINT "}]}"
#define LOCKED(NAME) "'coordinates': [{'name': '" NAME "', 'locked': true}]"

static const struct {
    const char *what, *model;
    int status;
    const char *says;      /* part of what is told; "" for nothing */
    bool no_accelerations; /* they are nan, which is told */
} cases[] = {
    {"a rod with mass and a muscle",
     HEAD ROD("2") PIN MUSCLE("0, 0.1, 0", "0.1, -0.2, 0", "0.1", "") "}", 0, "", false},
    {"a body without mass", HEAD "'bodies': [{'name': 'rod', 'mass': 0}], " PIN "}", 0,
     "no accelerations at time 0: a motion moves no mass", true},
    {"a negative mass", HEAD ROD("-1") PIN "}", 0, "mass", true},
    {"points at one place", HEAD ROD("2") PIN MUSCLE("0, 0, 0", "0, 0, 0", "0.1", "") "}", 0,
     "'mus': all its points are at one place", false},
    {"a point inside its wrap",
     HEAD ROD("2") PIN ", 'wraps': [{'name': 'ball', 'type': 'sphere', 'frame': "
                       "'ground', 'radius': 0.05}]" MUSCLE("0, 0.01, 0", "0, -0.4, 0", "0.1",
                                                           ", 'wraps': [{'wrap': 'ball'}]") "}",
     0, "'mus': a point is inside what it wraps, ball", false},
    {"a point on its wrap",
     HEAD ROD("2") PIN ", 'wraps': [{'name': 'ball', 'type': 'sphere', 'frame': "
                       "'ground', 'radius': 0.05}]" MUSCLE("0, 0.05, 0", "0, -0.4, 0", "0.1",
                                                           ", 'wraps': [{'wrap': 'ball'}]") "}",
     0, "", false},
    {"a tendon longer than the path",
     HEAD ROD("2") PIN MUSCLE("0, 0, 0", "0, -0.1, 0", "0.1", "") "}", 0,
     "'mus': its path leaves no length to the fibers", false},
    {"fibers without length", HEAD ROD("2") PIN MUSCLE("0, 0, 0", "0, -0.1, 0", "0", "") "}", 4,
     "'mus': its force, fiber length, tendon length or pennation angle make no muscle", false},
    {"a locked loop",
     HEAD
     "'bodies': [{'name': 'a', 'mass': 1, 'inertia': [1, 1, 1, 0, 0, 0]}, {'name': 'b', 'mass': 1, "
     "'inertia': [1, 1, 1, 0, 0, 0]}, {'name': 'c', 'mass': 1, 'inertia': [1, 1, 1, 0, 0, 0]}], "
     "'frames': [{'name': 'fa', 'parent': 'a', 'translation': [1, 0, 0]}, {'name': 'fb', 'parent': "
     "'b', 'translation': [1, 0, 0]}, {'name': 'fc', 'parent': 'c', 'translation': [1, 0, 0]}, "
     "{'name': 'g', 'parent': 'ground', 'translation': [0.5, 1, 0]}], 'joints': ["
     "{'name': 'j1', 'type': 'pin', 'parent': 'ground', 'child': 'a', " LOCKED(
         "q1") "}, "
               "{'name': 'j2', 'type': 'pin', 'parent': 'fa', 'child': 'b', " LOCKED(
                   "q2") "}, "
                         "{'name': 'j3', 'type': 'pin', 'parent': 'fb', 'child': 'c', " LOCKED(
                             "q3") "}, "
                                   "{'name': 'j4', 'type': 'pin', 'parent': 'g', 'child': "
                                   "'fc', " LOCKED("q4") "}]}",
     0, "closes a loop", false},
    {"locked coordinates that a coupler contradicts",
     HEAD TWO_PINS(", 'locked': true", "'independent_coordinates': ['p'], 'function': {'type': "
                                       "'linear', 'coefficients': [1, 0]}"),
     0, "the constraints cannot be met, or not without moving what is locked", false},
    {"a coupler whose function has too many arguments",
     HEAD TWO_PINS("", "'independent_coordinates': ['p'], 'function': {'type': "
                       "'multivariate_polynomial', 'dimension': 2, 'order': 1, 'coefficients': [0, "
                       "1, 1]}"),
     3, "its function has not as many arguments as it names coordinates", false},
    {"an axis with a broken spline",
     HEAD ROD("1") "'joints': [{'name': 'j', 'type': 'custom', 'parent': 'ground', 'child': 'rod', "
                   "'coordinates': [{'name': 'q'}], 'axes': [{'name': 'rotation1', 'coordinate': "
                   "'q', 'axis': [1, 0, 0], 'function': {'type': 'simm_spline', 'x': [0, 1, 2, 3], "
                   "'y': [0, 1, 2]}}]}]}",
     3, "as many y as x", false},
    {"a muscle that is none, then one that is", HEAD ROD("2") PIN TWO_MILLARD("0", "0.1") "}", 4,
     "make no muscle", false},
    {"a spring beyond all numbers",
     HEAD ROD("2") PIN ", 'springs': [{'name': 's', 'type': 'coordinate', 'coordinate': 'q', "
                       "'stiffness': 1e308, 'rest_length': 1e10}]}",
     0, "numbers of acceleration are not finite", true},
    {"a path spring without damping",
     HEAD ROD("2") PIN ", 'springs': [{'name': 'p', 'type': 'path', 'resting_length': 0.1, "
                       "'stiffness': 500, 'path': {'points': [{'frame': 'ground'}, {'frame': "
                       "'rod', 'location': [0, -0.3, 0]}]}}]}",
     4, "PathSpring 'p': dissipation is not given", false},
};

/* Every number of every table of a folder is finite; accelerations may be nan if that was told. */
static void check_tables(const char *folder, const char *what, bool no_accelerations) {
    static const char *const tables[] = {"body_pose",   "com",         "path_length",
                                         "path_speed",  "moment_arm",  "muscle",
                                         "marker",      "mass_matrix", "inverse_dynamics",
                                         "acceleration"};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        char name[40];
        size_t size;
        snprintf(name, sizeof name, "%s.sto", tables[i]);
        char *bytes = fb_test_read_file(fb_test_path(folder, name), &size);
        fb_sto table;
        fb_diag diag;
        fb_diag_init(&diag);
        if (!FB_TRUE(bytes && fb_sto_read(&table, bytes, size, name, &diag) == FB_OK,
                     "%s: %s is a table", what, name)) {
            continue;
        }
        bool finite = true;
        for (int k = 0; k < table.n_rows * table.n_columns; k++) {
            finite = finite && isfinite(table.values[k]);
        }
        FB_TRUE(finite != (no_accelerations && strcmp(tables[i], "acceleration") == 0),
                "%s: %s is finite, or what is not was told", what, name);
        fb_sto_free(&table);
        fb_free(bytes);
        fb_diag_clear(&diag);
    }
}

static void odd_models_are_told(void) {
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[4000];
        const char *folder = fb_test_folder();
        snprintf(text, sizeof text, "%s", cases[i].model);
        fb_test_quotes(text);
        const char row[] = "states\ninDegrees=no\nendheader\ntime\n0\n";
        fb_test_write_file(fb_test_path(folder, "states.sto"), row, sizeof row - 1);
        const char *states = fb_test_path(folder, "states.sto");
        fb_run run = FB_RUN(fb_fbsim_main, text, "fbsim", "eval", "--states", states, "--out",
                            folder, "-");
        int status = cases[i].status == 0 && cases[i].no_accelerations ? 5 : cases[i].status;
        FB_TRUE(run.status == status, "%s: status %d: %s", cases[i].what, run.status, run.err);
        if (*cases[i].says) {
            FB_TRUE(strstr(run.err, cases[i].says) != NULL, "%s: %s", cases[i].what, run.err);
        } else {
            FB_TRUE(run.err[0] == 0, "%s: %s", cases[i].what, run.err);
        }
        if (run.status == 0 || run.status == 5) {
            check_tables(folder, cases[i].what, cases[i].no_accelerations);
        }
        fb_run_free(&run);
    }
}

static const fb_test tests[] = {
    FB_TEST(odd_models_are_told),
    FB_TEST_END,
};

int main(int argc, char **argv) {
    return fb_test_main("degenerate", tests, argc, argv);
}
