/* fbsim sweep: tables against geometry by hand and against their own slopes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tools/tables.h"
#include "tools/cli.h"

#define ELBOW "models/elbow/elbow.osim"
#define RUN(INPUT, ...) FB_RUN(fb_fbsim_main, (INPUT), "fbsim", "sweep", __VA_ARGS__)

/* ---- helpers --------------------------------------------------------------------------------- */

/* Muscle NAME from ground to a point of a body. */
#define MUSCLE(NAME, BODY, X, Y) \
    "{'name': '" NAME "', 'type': 'Thelen2003', 'max_isometric_force': 800, " \
    "'optimal_fiber_length': 0.15, 'tendon_slack_length': 0.2, 'path': {'points': [{'name': 'p', " \
    "'frame': 'ground', 'location': [0.1, 0.2, 0]}, {'name': 'q', 'frame': '" BODY \
    "', 'location': [" X ", " Y ", 0]}]}}"

/* A thigh that turns about z at ground, coordinate "hip"; a shank that does at (0, -0.4, 0) of it,
 * coordinate "knee"; members of both coordinates, muscles, more of the model (.fb, with ' for "):
 * free() it. */
static char *leg(const char *hip, const char *knee, const char *muscles, const char *more) {
    char *text = malloc(8000);
    snprintf(text, 8000,
             "{'fb': '1.0', 'name': 'leg', 'bodies': [{'name': 'thigh', 'mass': 1}, {'name': "
             "'shank', 'mass': 1}], 'frames': [{'name': 'end', 'parent': 'thigh', 'translation': "
             "[0, -0.4, 0]}], 'joints': [{'name': 'h', 'type': 'pin', 'parent': 'ground', 'child': "
             "'thigh', 'coordinates': [{'name': 'hip', 'range': [-0.5, 1]%s}]}, {'name': 'k', "
             "'type': 'pin', 'parent': 'end', 'child': 'shank', 'coordinates': [{'name': 'knee', "
             "'range': [-2, 0]%s}]}], 'muscles': [%s]%s}",
             hip, knee, muscles, more);
    for (char *c = text; *c; c++) {
        *c = *c == '\'' ? '"' : *c;
    }
    return text;
}

#define COUPLED \
    ", 'constraints': [{'name': 'c', 'type': 'coordinate_coupler', 'independent_coordinates': " \
    "['hip'], 'dependent_coordinate': 'knee', 'function': {'type': 'polynomial', 'coefficients': " \
    "[-0.3, -0.5, 0.1]}}]"

/* The length from (0.1, 0.2) to (x, y) of the shank. */
static double reach(double hip, double knee, double x, double y) {
    double kx = 0.4 * sin(hip), ky = -0.4 * cos(hip), a = hip + knee;
    return hypot(kx + cos(a) * x - sin(a) * y - 0.1, ky + sin(a) * x + cos(a) * y - 0.2);
}

static fb_sto parse(const char *text) {
    fb_sto t;
    if (!fb_test_table(&t, text, strlen(text), "sweep")) {
        exit(1);
    }
    return t;
}

/* Minus the slope of a column of lengths, by five rows that are `stride` apart. */
static double slope(const fb_sto *t, int row, int stride, double step, const char *column) {
    return -(8 * (fb_test_cell(t, row + stride, column) - fb_test_cell(t, row - stride, column)) -
             (fb_test_cell(t, row + 2 * stride, column) -
              fb_test_cell(t, row - 2 * stride, column))) /
           (12 * step);
}

/* ---- moment arms ----------------------------------------------------------------------------- */

static void geometric_arms_are_slopes(void) {
    fb_run run = RUN(NULL, ELBOW, "-c", "elbow_flexion", "--steps", "2001", "--moment-arms",
                     "geometric");
    FB_EQUAL_INT(run.status, 0);
    FB_HOLDS(run.out, "moment_arms=geometric");
    fb_sto t = parse(run.out);
    int compared = 0;
    for (int j = 1; j < t.n_columns - 2; j += 3) {
        for (int i = 20; i + 2 < t.n_rows; i += 20) {
            double h = t.values[t.n_columns] - t.values[0];
            double want = slope(&t, i, 1, h, t.columns[j]), got = t.values[i * t.n_columns + j + 1];
            FB_NEAR(got, want, 1e-5, 0);
            compared += fabs(got - want) < 1e-8;
        }
    }
    FB_TRUE(compared > 500, "%d arms are as good as exact", compared);
    fb_sto_free(&t);
    fb_run_free(&run);
}

static void eval_has_geometric_arms(void) {
    char *text = leg("", ", 'default': 0.1", MUSCLE("m", "shank", "0.05", "-0.1"), COUPLED);
    fb_run run = FB_RUN(fb_fbsim_main, text, "fbsim", "eval", "--tables", "moment_arm",
                        "--moment-arms=geometric", "-");
    FB_EQUAL_INT(run.status, 0);
    FB_HOLDS(run.out, "moment_arms=geometric");
    fb_sto t = parse(run.out);
    double h = 1e-5, L[2], knee = 0.1;
    for (int i = 0; i < 2; i++) {
        double hip = i ? h : -h;
        L[i] = reach(hip, -0.3 * hip * hip - 0.5 * hip + knee, 0.05, -0.1);
    }
    double arm = -(L[1] - L[0]) / (2 * h);
    FB_NEAR(fb_test_cell(&t, 0, "/forceset/m|hip"), arm, 1e-9, 0);
    FB_NEAR(fb_test_cell(&t, 0, "/forceset/m|knee"), arm / -0.5, 1e-9,
            0); /* the hip follows the knee */
    fb_sto_free(&t);
    fb_run_free(&run);
    free(text);
}

static void dependent_coordinates_follow(void) {
    char *text = leg("", "", MUSCLE("m", "shank", "0.05", "-0.1"), COUPLED);
    for (int geometric = 0; geometric < 2; geometric++) {
        fb_run run = RUN(text, "-c", "hip", "--steps", "11", "--moment-arms",
                         geometric ? "geometric" : "generalized", "-");
        FB_EQUAL_INT(run.status, 0);
        FB_EQUAL_STR(run.err, "");
        fb_sto t = parse(run.out);
        for (int i = 0; i < t.n_rows; i++) {
            double hip = -0.5 + 0.15 * i, L[3];
            FB_NEAR(fb_test_cell(&t, i, "hip"), hip, 1e-12, 0);
            for (int k = 0; k < 3; k++) {
                double q = hip + (k - 1) * 1e-5;
                L[k] = reach(q, -0.3 * q * q - 0.5 * q + 0.1, 0.05, -0.1);
            }
            FB_NEAR(fb_test_cell(&t, i, "/forceset/m|length"), L[1], 1e-9, 0);
            FB_NEAR(fb_test_cell(&t, i, "/forceset/m|moment_arm"), -(L[2] - L[0]) / 2e-5, 1e-8, 0);
        }
        fb_sto_free(&t);
        fb_run_free(&run);
    }
    /* the other way round: the knee is swept, and the hip follows where it can */
    fb_run run = RUN(text, "-c", "knee", "--steps", "101", "--moment-arms", "geometric", "-");
    FB_EQUAL_INT(run.status, 0);
    FB_HOLDS(run.err, "'knee' depends on other coordinates");
    fb_sto t = parse(run.out);
    for (int i = 10; i + 2 < t.n_rows; i += 10) {
        double L = fb_test_cell(&t, i, "/forceset/m|length");
        FB_TRUE(isfinite(L), "row %d has %g", i, L);
        FB_NEAR(fb_test_cell(&t, i, "/forceset/m|moment_arm"),
                slope(&t, i, 1, 0.02, "/forceset/m|length"), 1e-5, 0);
    }
    fb_sto_free(&t);
    fb_run_free(&run);
    run = RUN(text, "-c", "hip", "--and", "knee", "-");
    FB_EQUAL_INT(run.status, 2);
    FB_HOLDS(run.err, "'knee' moves with 'hip'");
    fb_run_free(&run);
    free(text);
}

/* ---- two coordinates ------------------------------------------------------------------------- */

static void a_grid_has_both_arms(void) {
    char *text = leg("", "", MUSCLE("m", "shank", "0.05", "-0.1"), "");
    fb_run run = RUN(text, "-c", "hip", "--and", "knee", "--steps", "31,41", "-");
    FB_EQUAL_INT(run.status, 0);
    fb_sto t = parse(run.out);
    FB_EQUAL_INT(t.n_rows, 31 * 41);
    FB_EQUAL_INT(t.n_columns, 2 + 4 + 4);
    for (int i = 2; i < 29; i += 3) {
        for (int j = 2; j < 39; j += 3) {
            int row = i * 41 + j;
            double hip = -0.5 + 0.05 * i, knee = -2 + 0.05 * j;
            FB_NEAR(fb_test_cell(&t, row, "hip"), hip, 1e-12, 0);
            FB_NEAR(fb_test_cell(&t, row, "knee"), knee, 1e-12, 0);
            FB_NEAR(fb_test_cell(&t, row, "/forceset/m|length"), reach(hip, knee, 0.05, -0.1),
                    1e-12, 0);
            double about_hip = fb_test_cell(&t, row, "/forceset/m|moment_arm"),
                   about_knee = fb_test_cell(&t, row, "/forceset/m|moment_arm_about_knee"),
                   force = fb_test_cell(&t, row, "/forceset/m|tendon_force");
            FB_NEAR(about_hip, slope(&t, row, 41, 0.05, "/forceset/m|length"), 1e-5, 0);
            FB_NEAR(about_knee, slope(&t, row, 1, 0.05, "/forceset/m|length"), 1e-5, 0);
            FB_NEAR(fb_test_cell(&t, row, "strength_positive"), fmax(0, about_hip) * force, 1e-9,
                    0);
            FB_NEAR(fb_test_cell(&t, row, "strength_negative_about_knee"),
                    fmin(0, about_knee) * force, 1e-9, 0);
        }
    }
    fb_sto_free(&t);
    fb_run_free(&run);
    run = RUN(text, "-c", "hip", "--and", "hip", "-");
    FB_EQUAL_INT(run.status, 2);
    FB_HOLDS(run.err, "not 'hip' twice");
    fb_run_free(&run);
    free(text);
}

/* ---- two models ------------------------------------------------------------------------------ */

static void against_itself_nothing_differs(void) {
    fb_run run = RUN(NULL, ELBOW, "-c", "elbow_flexion", "--against", ELBOW);
    FB_EQUAL_INT(run.status, 0);
    FB_HOLDS(run.out, "file=" ELBOW "\nagainst=" ELBOW "\nagainst_model=fb_elbow\n");
    FB_HOLDS(run.out, "translational=\ncoupled=\n");
    fb_sto t = parse(run.out);
    int columns = 0;
    for (int j = 0; j < t.n_columns; j++) {
        if (strstr(t.columns[j], "|difference")) {
            columns++;
            for (int i = 0; i < t.n_rows; i++) {
                FB_SAME(t.values[i * t.n_columns + j], 0);
            }
        }
    }
    FB_EQUAL_INT(columns, 6 * 3 + 2);
    FB_HOLDS(run.err, "fbsim: 6 muscles do not differ\n");
    FB_TRUE(!strstr(run.err, "biceps_long"), "what does not differ is not named: %s", run.err);
    FB_HOLDS(run.err, "strength_positive differs by (rms, greatest)");
    fb_sto_free(&t);
    fb_run_free(&run);
}

static void another_model_is_compared_by_names(void) {
    char *one = leg("", "",
                    MUSCLE("m", "shank", "0.05", "-0.1") ", " MUSCLE("lone", "thigh", "0", "0.1"),
                    "");
    char *two = leg("", "",
                    MUSCLE("more", "thigh", "0", "-0.1") ", " MUSCLE("m", "shank", "0.08", "-0.1"),
                    "");
    const char *file = fb_test_path(fb_test_folder(), "two.fb");
    fb_test_write_file(file, two, strlen(two));
    fb_run run = RUN(one, "-c", "/jointset/h/hip", "--against", file, "--steps", "7", "-");
    FB_EQUAL_INT(run.status, 0);
    FB_HOLDS(run.err, "muscle 'lone' is in - only");
    FB_HOLDS(run.err, "muscle 'more' is in ");
    fb_sto t = parse(run.out);
    FB_EQUAL_INT(t.n_columns, 1 + 9 + 3 + 6);
    FB_TRUE(fb_sto_column(&t, "/forceset/lone|length") > 0, "one's own muscle is there");
    FB_EQUAL_INT(fb_sto_column(&t, "/forceset/lone|length|against"), -1);
    double sum = 0, most = 0;
    for (int i = 0; i < 7; i++) {
        double hip = -0.5 + 0.25 * i, a = reach(hip, 0, 0.05, -0.1), b = reach(hip, 0, 0.08, -0.1);
        FB_NEAR(fb_test_cell(&t, i, "/forceset/m|length"), a, 1e-12, 0);
        FB_NEAR(fb_test_cell(&t, i, "/forceset/m|length|against"), b, 1e-12, 0);
        FB_NEAR(fb_test_cell(&t, i, "/forceset/m|length|difference"), b - a, 1e-12, 0);
        sum += (b - a) * (b - a);
        most = fmax(most, fabs(b - a));
    }
    char line[200];
    snprintf(line, sizeof line, "m differs by (rms, greatest) length %.4g %.4g,", sqrt(sum / 7),
             most);
    FB_HOLDS(run.err, line);
    fb_sto_free(&t);
    fb_run_free(&run);
    run = RUN(one, "-c", "hip", "--against", "-", "-");
    FB_EQUAL_INT(run.status, 2);
    fb_run_free(&run);
    run = RUN(one, "-c", "hip", "--against", "no/such.fb", "-");
    FB_EQUAL_INT(run.status, 3);
    fb_run_free(&run);
    run = RUN(one, "-c", "hip", "--against", ELBOW, "-");
    FB_EQUAL_INT(run.status, 2);
    FB_HOLDS(run.err, ELBOW " has no coordinate 'hip'");
    fb_run_free(&run);
    free(one);
    free(two);
}

/* ---- poses, ranges, groups, other paths --------------------------------------------------------
 */

static void other_coordinates_can_be_set(void) {
    char *text = leg("", "", MUSCLE("m", "shank", "0.05", "-0.1"), "");
    fb_run run = RUN(text, "-c", "hip", "--set", "knee=-1.2", "--set", "/jointset/k/knee=-30deg",
                     "--range=-20deg,0.5", "--steps", "9", "-");
    FB_EQUAL_INT(run.status, 0);
    FB_EQUAL_STR(run.err, "");
    FB_HOLDS(run.out, "set=knee=-0.523598775598298");
    const double degree = acos(-1) / 180, low = -20 * degree;
    fb_sto t = parse(run.out);
    FB_NEAR(fb_test_cell(&t, 0, "hip"), low, 1e-12, 0);
    FB_NEAR(fb_test_cell(&t, 8, "hip"), 0.5, 1e-12, 0);
    for (int i = 0; i < t.n_rows; i++) {
        FB_NEAR(fb_test_cell(&t, i, "/forceset/m|length"),
                reach(low + (0.5 - low) * i / 8, -30 * degree, 0.05, -0.1), 1e-12, 0);
    }
    fb_sto_free(&t);
    fb_run_free(&run);
    /* a range in degrees, of both coordinates; beyond what the model allows, which is told */
    run = RUN(text, "-c", "hip", "--and", "knee", "--range=-10,10deg", "--range=-3,1", "--steps",
              "3", "-");
    FB_EQUAL_INT(run.status, 0);
    FB_HOLDS(run.err, "'knee' is swept from -3 to 1, beyond its range, -2 to 0");
    FB_TRUE(!strstr(run.err, "'hip'"), "the hip stays in its range: %s", run.err);
    t = parse(run.out);
    FB_NEAR(fb_test_cell(&t, 0, "hip"), -10 * degree, 1e-12, 0);
    FB_NEAR(fb_test_cell(&t, 8, "knee"), 1, 1e-12, 0);
    fb_sto_free(&t);
    fb_run_free(&run);
    /* eval's default state, one that is locked too */
    char *locked = leg("", ", 'locked': true", MUSCLE("m", "shank", "0.05", "-0.1"), "");
    run = FB_RUN(fb_fbsim_main, locked, "fbsim", "eval", "--tables=path_length", "--set=knee=-1",
                 "--set=hip=10deg", "-");
    FB_EQUAL_INT(run.status, 0);
    FB_HOLDS(run.err, "'knee' is locked");
    FB_HOLDS(run.out, "set=knee=-1,hip=0.174532925199432");
    t = parse(run.out);
    FB_NEAR(fb_test_cell(&t, 0, "/forceset/m"), reach(10 * degree, -1, 0.05, -0.1), 1e-12, 0);
    fb_sto_free(&t);
    fb_run_free(&run);
    run = FB_RUN(fb_fbsim_main, locked, "fbsim", "eval", "--set=knee=1", "--states=s.sto", "-");
    FB_EQUAL_INT(run.status, 2);
    FB_HOLDS(run.err, "which --states replaces");
    fb_run_free(&run);
    free(text);
    free(locked);
}

/* What is set stays where it is, and what depends on it follows. */
static void set_coordinates_are_held(void) {
    char *text = leg("", "", MUSCLE("m", "shank", "0.05", "-0.1"), COUPLED);
    fb_run run = FB_RUN(fb_fbsim_main, text, "fbsim", "eval", "--tables=path_length",
                        "--set=hip=0.4", "-");
    FB_EQUAL_INT(run.status, 0);
    fb_sto t = parse(run.out);
    FB_NEAR(fb_test_cell(&t, 0, "/forceset/m"), reach(0.4, -0.3 * 0.16 - 0.2 + 0.1, 0.05, -0.1),
            1e-9, 0);
    fb_sto_free(&t);
    fb_run_free(&run);
    run = RUN(text, "-c", "hip", "--set=knee=0", "--steps=5", "-");
    FB_EQUAL_INT(run.status, 0);
    FB_HOLDS(run.err, "'knee' depends on other coordinates");
    FB_HOLDS(run.err, "the constraints cannot be met in 5 of 5 poses");
    fb_run_free(&run);
    free(text);
}

/* The second model's knee bends the other way: with its sign turned both are the same. */
static void the_other_model_may_turn_the_other_way(void) {
    char *one = leg("", "", MUSCLE("m", "thigh", "0.05", "-0.1"), "");
    char two[9000];
    const char *joint = strstr(one, "\"parent\": \"ground\", \"child\": \"thigh\"");
    snprintf(two, sizeof two, "%.*s\"parent\": \"turned\", \"child\": \"under\"%s",
             (int)(joint - one), one,
             joint + strlen("\"parent\": \"ground\", \"child\": \"thigh\""));
    /* frames that turn the joint's axis round: half a turn about x on both sides */
    char turned[9500];
    const char *frames = strstr(two, "\"frames\": [") + strlen("\"frames\": [");
    snprintf(turned, sizeof turned,
             "%.*s{\"name\": \"turned\", \"parent\": \"ground\", \"rotation_xyz\": "
             "[3.14159265358979323846, 0, 0]}, {\"name\": \"under\", \"parent\": \"thigh\", "
             "\"rotation_xyz\": [3.14159265358979323846, 0, 0]}, %s",
             (int)(frames - two), two, frames);
    const char *file = fb_test_path(fb_test_folder(), "turned.fb");
    fb_test_write_file(file, turned, strlen(turned));
    fb_run run = RUN(one, "-c", "hip", "--range=0,1", "--against", file, "--steps=11",
                     "--against-scale=-1", "-");
    FB_EQUAL_INT(run.status, 0);
    FB_HOLDS(run.err, "'hip' is swept from -1 to 0, beyond its range, -0.5 to 1; --against-scale");
    fb_run_free(&run);
    run = RUN(one, "-c", "hip", "--range=-1,0.5", "--against", file, "--steps=11",
              "--against-scale=-1", "-");
    FB_EQUAL_INT(run.status, 0);
    FB_HOLDS(run.out, "against_scale=-1\n");
    fb_sto t = parse(run.out);
    for (int i = 0; i < t.n_rows; i++) {
        FB_NEAR(fb_test_cell(&t, i, "/forceset/m|length|difference"), 0, 1e-12, 0);
        FB_NEAR(fb_test_cell(&t, i, "/forceset/m|moment_arm|difference"), 0, 1e-12, 0);
        FB_NEAR(fb_test_cell(&t, i, "strength_positive|difference"), 0, 1e-7, 0);
        FB_NEAR(fb_test_cell(&t, i, "strength_negative|difference"), 0, 1e-7, 0);
    }
    fb_sto_free(&t);
    fb_run_free(&run);
    free(one);
}

static void groups_select_their_members(void) {
    char *text = leg("", "",
                     MUSCLE("a", "shank", "0.05",
                            "-0.1") ", " MUSCLE("b", "thigh", "0", "0.1") ", " MUSCLE("c", "thigh",
                                                                                      "0", "-0.1"),
                     ", 'groups': [{'set': '/forceset', 'name': 'both', 'members': ['a', 'c']}]");
    fb_run run = RUN(text, "-c", "hip", "-m", "both", "--steps=2", "-");
    FB_EQUAL_INT(run.status, 0);
    FB_HOLDS(run.out, "strength=of the chosen muscles alone, 2 of 3\n");
    fb_sto t = parse(run.out);
    FB_EQUAL_INT(t.n_columns, 1 + 2 * 3 + 2);
    FB_TRUE(fb_sto_column(&t, "/forceset/a|length") > 0, "a");
    FB_TRUE(fb_sto_column(&t, "/forceset/c|length") > 0, "c");
    fb_sto_free(&t);
    fb_run_free(&run);
    run = RUN(text, "-c", "hip", "-m", "Bot", "--steps=2", "-");
    FB_EQUAL_INT(run.status, 2);
    FB_HOLDS(run.err, "no muscle 'Bot'; did you mean 'both'?");
    fb_run_free(&run);
    free(text);
}

#define PATH_TO_SHANK \
    "'path': {'points': [{'name': 'p', 'frame': 'ground', 'location': [0.1, 0.2, 0]}, {'name': " \
    "'q', 'frame': 'shank', 'location': [0.05, -0.1, 0]}]}"
#define OTHER_PATHS \
    ", 'springs': [{'name': 'band', 'type': 'path', 'resting_length': 0.6, 'stiffness': 300, " \
    "'dissipation': 0.5, " PATH_TO_SHANK "}, {'name': 'off', 'type': 'path', 'enabled': false, " \
    "'resting_length': 0.6, 'stiffness': 300, 'dissipation': 0.5, " PATH_TO_SHANK \
    "}], 'actuators': [{'name': 'wire', 'type': 'path', 'optimal_force': 10, " PATH_TO_SHANK "}]"

static void other_paths_are_swept(void) {
    for (int with_muscle = 0; with_muscle < 2; with_muscle++) {
        char *text = leg("", "", with_muscle ? MUSCLE("m", "shank", "0.05", "-0.1") : "",
                         OTHER_PATHS);
        fb_run run = with_muscle ? RUN(text, "-c", "hip", "--steps=5", "--paths", "-")
                                 : RUN(text, "-c", "hip", "--steps=5", "-");
        FB_EQUAL_INT(run.status, 0);
        fb_sto t = parse(run.out);
        FB_EQUAL_INT(t.n_columns, 1 + 3 + 3 + 2 + (with_muscle ? 3 + 2 : 0));
        FB_EQUAL_INT(fb_sto_column(&t, "/forceset/wire|tension"), -1); /* follows a control */
        for (int i = 0; i < t.n_rows; i++) {
            double hip = fb_test_cell(&t, i, "hip"), L = reach(hip, 0, 0.05, -0.1), h = 1e-6;
            double arm = -(reach(hip + h, 0, 0.05, -0.1) - reach(hip - h, 0, 0.05, -0.1)) / (2 * h);
            FB_NEAR(fb_test_cell(&t, i, "/forceset/band|length"), L, 1e-12, 0);
            FB_NEAR(fb_test_cell(&t, i, "/forceset/band|moment_arm"), arm, 1e-8, 0);
            FB_NEAR(fb_test_cell(&t, i, "/forceset/band|tension"), 300 * fmax(0, L - 0.6), 1e-9, 0);
            FB_SAME(fb_test_cell(&t, i, "/forceset/off|tension"), 0);
            FB_NEAR(fb_test_cell(&t, i, "/forceset/wire|moment_arm"), arm, 1e-8, 0);
        }
        fb_sto_free(&t);
        fb_run_free(&run);
        if (with_muscle) {
            run = RUN(text, "-c", "hip", "-m", "band", "-");
            FB_EQUAL_INT(run.status, 2);
            FB_HOLDS(run.err, "no muscle 'band'; it is a PathSpring: --paths sweeps it");
            fb_run_free(&run);
            run = RUN(text, "-c", "hip", "-m", "band", "--paths", "--steps=2", "-");
            FB_EQUAL_INT(run.status, 0);
            FB_TRUE(!strstr(run.out, "strength"), "no muscle, no strength");
            fb_run_free(&run);
        }
        free(text);
    }
    char *bare = leg("", "", "", "");
    fb_run run = RUN(bare, "-c", "hip", "-");
    FB_EQUAL_INT(run.status, 1);
    FB_HOLDS(run.err, "no muscle and no other path");
    fb_run_free(&run);
    free(bare);
}

static void many_that_one_model_lacks_are_counted(void) {
    char list[4000] = "", *to = list;
    for (int i = 0; i < 8; i++) {
        char one[600];
        snprintf(one, sizeof one, "%s", MUSCLE("m?", "shank", "0.05", "-0.1"));
        *strchr(one, '?') = (char)('0' + i);
        to += snprintf(to, (size_t)(list + sizeof list - to), "%s%s", i ? ", " : "", one);
    }
    char *one = leg("", "", list, ""),
         *two = leg("", "", MUSCLE("m0", "shank", "0.05", "-0.1"), "");
    const char *file = fb_test_path(fb_test_folder(), "few.fb");
    fb_test_write_file(file, two, strlen(two));
    fb_run run = RUN(one, "-c", "hip", "--against", file, "--steps=2", "-");
    FB_EQUAL_INT(run.status, 0);
    FB_HOLDS(run.err, "muscle 'm5' is in - only\nfbsim: and 2 more are in - only\n");
    FB_TRUE(!strstr(run.err, "m6"), "%s", run.err);
    FB_HOLDS(run.err, "fbsim: 1 muscle does not differ\n");
    fb_run_free(&run);
    free(one);
    free(two);
}

/* ---- what stands in the way ------------------------------------------------------------------ */

static void held_coordinates_are_moved_and_told(void) {
    static const char *const held[] = {
        ", 'locked': true",
        ", 'prescribed': true, 'prescribed_function': {'type': 'constant', 'value': 0.3}"};
    for (int i = 0; i < 2; i++) {
        char *text = leg(held[i], "", MUSCLE("m", "shank", "0.05", "-0.1"), COUPLED);
        fb_run run = RUN(text, "-c", "hip", "--steps", "4", "-");
        FB_EQUAL_INT(run.status, 0);
        FB_HOLDS(run.err, i ? "'hip' is prescribed" : "'hip' is locked");
        fb_sto t = parse(run.out);
        for (int k = 0; k < 4; k++) {
            double hip = -0.5 + 0.5 * k;
            FB_NEAR(fb_test_cell(&t, k, "/forceset/m|length"),
                    reach(hip, -0.3 * hip * hip - 0.5 * hip + 0.1, 0.05, -0.1), 1e-9, 0);
        }
        fb_sto_free(&t);
        fb_run_free(&run);
        free(text);
    }
    /* another coordinate is where it is prescribed, whatever is swept */
    char *text = leg("", held[1], MUSCLE("m", "shank", "0.05", "-0.1"), "");
    fb_run run = RUN(text, "-c", "hip", "--steps", "2", "-");
    FB_EQUAL_INT(run.status, 0);
    fb_sto t = parse(run.out);
    FB_NEAR(fb_test_cell(&t, 1, "/forceset/m|length"), reach(1, 0.3, 0.05, -0.1), 1e-9, 0);
    fb_sto_free(&t);
    fb_run_free(&run);
    free(text);
}

/* The shank's point is tied to one of ground by a rod: not every angle of the hip lets it reach. */
static void every_nan_has_a_word(void) {
    char *text = leg("", "", MUSCLE("m", "shank", "0.05", "-0.1"),
                     ", 'constraints': [{'name': 'rod', 'type': 'constant_distance', 'body_1': "
                     "'ground', 'body_2': 'shank', 'location_1': [0.4, -0.3, 0], 'location_2': [0, "
                     "-0.1, 0], 'distance': 0.25}]");
    fb_run run = RUN(text, "-c", "hip", "--steps", "301", "-");
    FB_EQUAL_INT(run.status, 0);
    fb_sto t = parse(run.out);
    int missing = 0;
    for (int i = 0; i < t.n_rows; i++) {
        /* the knee must be 0.15 to 0.35 m from the rod's end in ground */
        double hip = fb_test_cell(&t, i, "hip"),
               apart = hypot(0.4 * sin(hip) - 0.4, -0.4 * cos(hip) + 0.3);
        bool can = apart > 0.15 && apart < 0.35,
             known = !isnan(fb_test_cell(&t, i, "/forceset/m|length"));
        FB_TRUE(can == known || fabs(apart - 0.15) < 1e-2 || fabs(apart - 0.35) < 1e-2,
                "at %g the knee is %g m away", hip, apart);
        FB_TRUE(known == !isnan(fb_test_cell(&t, i, "strength_positive")), "at %g", hip);
        missing += !known;
    }
    char message[200];
    snprintf(message, sizeof message,
             "the constraints cannot be met in %d of 301 poses; the first is hip = ", missing);
    FB_HOLDS(run.err, message);
    FB_TRUE(missing > 20 && missing < 280, "%d", missing);
    fb_sto_free(&t);
    fb_run_free(&run);
    free(text);
}

static void a_muscle_that_is_off_adds_no_strength(void) {
    char *text = leg("", "", MUSCLE("m", "shank", "0.05", "-0.1"), "");
    char off[9000];
    char *type = strstr(text, "\"Thelen2003\"");
    snprintf(off, sizeof off, "%.*s\"Thelen2003\", \"enabled\": false%s", (int)(type - text), text,
             type + strlen("\"Thelen2003\""));
    fb_run run = RUN(off, "-c", "hip", "--steps", "3", "-");
    FB_EQUAL_INT(run.status, 0);
    fb_sto t = parse(run.out);
    FB_SAME(fb_test_cell(&t, 1, "strength_positive"), 0);
    FB_SAME(fb_test_cell(&t, 1, "strength_negative"), 0);
    fb_sto_free(&t);
    fb_run_free(&run);
    free(text);
}

static void wrong_usage_has_status_2(void) {
    static const struct {
        const char *args[5];
        const char *message;
    } all[] = {
        {{NULL}, "--coordinate NAME"},
        {{"-c", "elbow_flexion", "--steps=5,5"}, "--steps must be"},
        {{"-c", "elbow_flexion", "--steps=1"}, "--steps must be"},
        {{"-c", "elbow_flexion", "--steps=nan"}, "--steps must be"},
        {{"-c", "elbow_flexion", "--muscle=no*"}, "no muscle 'no*'"},
        {{"-c", "elbow_flexion", "--and=wrist"}, "no coordinate 'wrist'"},
        {{"-c", "elbow_flexion", "--moment-arms=long"}, "not 'long'"},
        {{"-c", "elbow_flexion", "--activation=2"}, "--activation must be"},
        {{"-c", "Elbow_flexio"}, "no coordinate 'Elbow_flexio'; did you mean 'elbow_flexion'?"},
        {{"-c", "elbow_flexion", "-m", "biceps_long,BICEPS_SHORT"},
         "no muscle 'BICEPS_SHORT'; did you mean 'biceps_short'?"},
        {{"-c", "elbow_flexion", "--range=10"}, "--range must be LOW,HIGH"},
        {{"-c", "elbow_flexion", "--range=2,1"}, "--range must be LOW,HIGH"},
        {{"-c", "elbow_flexion", "--range=0,nan"}, "must be a number"},
        {{"-c", "elbow_flexion", "--range=0,1", "--range=0,1"}, "more often than"},
        {{"-c", "elbow_flexion", "--set=elbow_flexion=1"}, "--set is for others"},
        {{"-c", "elbow_flexion", "--set=elbow=1"}, "no coordinate 'elbow'"},
        {{"-c", "elbow_flexion", "--set=elbow"}, "--set must be NAME=VALUE"},
        {{"-c", "elbow_flexion", "--against-scale=-1"}, "is for the model of --against"},
        {{"-c", "elbow_flexion", "--against", ELBOW, "--against-scale=0"},
         "--against-scale must be"},
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        const char *args[9] = {"fbsim", "sweep", ELBOW};
        memcpy(args + 3, all[i].args, sizeof all[i].args);
        fb_run run = fb_test_run(fb_fbsim_main, NULL, args);
        FB_EQUAL_INT(run.status, 2);
        FB_HOLDS(run.err, all[i].message);
        FB_EQUAL_STR(run.out, "");
        fb_run_free(&run);
    }
}

/* A muscle from a place that is none: told, with the status of a numerical failure. */
static void numbers_that_are_none_are_told(void) {
    char *text = leg("", "",
                     "{'name': 'm', 'type': 'Thelen2003', 'path': {'points': [{'frame': "
                     "'ground', 'location': ['nan', 0, 0]}, {'frame': 'thigh', 'location': "
                     "[0, -0.3, 0]}]}}",
                     "");
    fb_run run = RUN(text, "-c", "hip", "--steps", "3", "-");
    FB_EQUAL_INT(run.status, 5);
    FB_HOLDS(run.err, "3 lengths or forces are not finite; the first is of 'm' at hip = -0.5");
    fb_run_free(&run);
    free(text);
}

static const fb_test tests[] = {
    FB_TEST(geometric_arms_are_slopes),
    FB_TEST(eval_has_geometric_arms),
    FB_TEST(dependent_coordinates_follow),
    FB_TEST(a_grid_has_both_arms),
    FB_TEST(against_itself_nothing_differs),
    FB_TEST(another_model_is_compared_by_names),
    FB_TEST(other_coordinates_can_be_set),
    FB_TEST(set_coordinates_are_held),
    FB_TEST(the_other_model_may_turn_the_other_way),
    FB_TEST(groups_select_their_members),
    FB_TEST(other_paths_are_swept),
    FB_TEST(many_that_one_model_lacks_are_counted),
    FB_TEST(held_coordinates_are_moved_and_told),
    FB_TEST(every_nan_has_a_word),
    FB_TEST(a_muscle_that_is_off_adds_no_strength),
    FB_TEST(wrong_usage_has_status_2),
    FB_TEST(numbers_that_are_none_are_told),
    FB_TEST_END,
};

int main(int argc, char **argv) {
    return fb_test_main("fbsim sweep", tests, argc, argv);
}
