/* fbsim so, and AnalyzeTool's StaticOptimization: a rod on a pin, held level by two motors. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/tools/tables.h"
#include "tools/cli.h"

#define RUN(INPUT, ...) FB_RUN(fb_fbsim_main, (INPUT), "fbsim", __VA_ARGS__)

static const char *put(const char *folder, const char *name, const char *text) {
    const char *file = fb_test_path(folder, name);
    fb_test_write_file(file, text, strlen(text));
    return file;
}

/* 2 kg, its centre 0.5 m from the pin: 9.80665 N m hold it level. */
static const char rod[] =
    "<?xml version=\"1.0\"?>\n<OpenSimDocument Version=\"40000\"><Model name=\"rod\">"
    "<gravity>0 -9.80665 0</gravity><BodySet><objects><Body name=\"rod\"><mass>2</mass>"
    "<mass_center>0.5 0 0</mass_center><inertia>0.1 0.1 0.1 0 0 0</inertia></Body></objects>"
    "</BodySet><JointSet><objects><PinJoint name=\"pin\"><socket_parent_frame>/ground"
    "</socket_parent_frame><socket_child_frame>/bodyset/rod</socket_child_frame><coordinates>"
    "<Coordinate name=\"q\"/></coordinates></PinJoint></objects></JointSet></Model>"
    "</OpenSimDocument>";
static const char still[] = "still\nversion=1\nnRows=6\nnColumns=2\ninDegrees=no\nendheader\n"
                            "time\tq\n0\t0\n0.1\t0\n0.2\t0\n0.3\t0\n0.4\t0\n0.5\t0\n";
#define MOTOR(NAME, FORCE, MOST) \
    "<CoordinateActuator name=\"" NAME "\"><isDisabled>false</isDisabled><min_control>-1" \
    "</min_control><max_control>" MOST "</max_control><coordinate>q</coordinate>" \
    "<optimal_force>" FORCE "</optimal_force></CoordinateActuator>"
#define MOTORS(A, B) \
    "<OpenSimDocument Version=\"30000\"><ForceSet name=\"m\"><objects>" MOTOR("a", "3", A) \
        MOTOR("b", "4", B) "</objects></ForceSet></OpenSimDocument>"
static const char setup[] =
    "<OpenSimDocument Version=\"40000\"><AnalyzeTool name=\"hold\"><model_file>rod.osim"
    "</model_file><force_set_files>motors.xml</force_set_files><initial_time>0.1</initial_time>"
    "<final_time>0.3</final_time><coordinates_file>still.sto</coordinates_file><AnalysisSet "
    "name=\"Analyses\"><objects><StaticOptimization name=\"so\"><on>true</on></StaticOptimization>"
    "</objects></AnalysisSet></AnalyzeTool></OpenSimDocument>";

/* Runs the set-up with motors of some strength; the last row of activations, then of forces. */
static int hold(const char *motors, double *a, double *f, const char *message) {
    const char *folder = fb_test_folder();
    put(folder, "rod.osim", rod);
    put(folder, "still.sto", still);
    put(folder, "motors.xml", motors);
    const char *file = put(folder, "setup.xml", setup), *out = fb_test_path(folder, "out");
    fb_run run = RUN("", "run", file, "--out", out);
    FB_TRUE(!message || strstr(run.err, message), "'%s' in: %s", message, run.err);
    for (int k = 0; k < 2; k++) {
        fb_sto t;
        double *to = k ? f : a;
        const char *kind = k ? "hold_StaticOptimization_force"
                             : "hold_StaticOptimization_activation";
        if (fb_test_table_of(&t, out, kind)) {
            FB_EQUAL_INT(t.n_rows, 3);
            to[0] = fb_test_cell(&t, 2, "a");
            to[1] = fb_test_cell(&t, 2, "b");
        }
        fb_sto_free(&t);
    }
    int status = run.status;
    fb_run_free(&run);
    return status;
}

static void motors_share_by_strength(void) {
    double a[2], f[2], need = 9.80665;
    FB_EQUAL_INT(hold(MOTORS("10", "10"), a, f, "3 rows, 0 beyond"), 0);
    FB_NEAR(a[0], 3 * need / 25, 1e-8, 0);
    FB_NEAR(a[1], 4 * need / 25, 1e-8, 0);
    FB_NEAR(f[0], 3 * a[0], 1e-7, 0);
    FB_NEAR(f[1], 4 * a[1], 1e-7, 0);
    FB_EQUAL_INT(hold(MOTORS("10", "1"), a, f, "3 rows, 0 beyond"), 0);
    FB_NEAR(a[0], (need - 4) / 3, 1e-8, 0);
    FB_NEAR(a[1], 1, 1e-8, 0);
}

static void weak_motors_are_told(void) {
    double a[2], f[2];
    FB_EQUAL_INT(hold(MOTORS("1", "1"), a, f, "'q' lacks 2.807 N m"), 5);
    FB_NEAR(a[0], 1, 1e-8, 0);
    FB_NEAR(a[1], 1, 1e-8, 0);
}

/* --reserves: the joint is not at the root of a free body, and the reserve does all. */
static void reserves_hold(void) {
    const char *folder = fb_test_folder();
    const char *model = put(folder, "rod.osim", rod), *motion = put(folder, "still.sto", still);
    fb_sto t;
    fb_run run = RUN("", "so", model, "--coordinates", motion, "--reserves", "2");
    FB_EQUAL_INT(run.status, 0);
    if (fb_test_table(&t, run.out, run.n_out, "so")) {
        FB_EQUAL_INT(t.n_rows, 6);
        FB_NEAR(fb_test_cell(&t, 3, "q_reserve"), 9.80665 / 2, 1e-10, 0);
    }
    fb_sto_free(&t);
    fb_run_free(&run);
    run = RUN("", "so", model, "--coordinates", motion);
    FB_EQUAL_INT(run.status, 5);
    FB_TRUE(strstr(run.err, "'q' lacks 9.807 N m"), "%s", run.err);
    fb_run_free(&run);
    run = RUN("", "so", model);
    FB_EQUAL_INT(run.status, 2);
    fb_run_free(&run);
}

/* A set-up that names what is not there. */
static void missing_files_are_told(void) {
    const char *folder = fb_test_folder();
    put(folder, "rod.osim", rod);
    put(folder, "still.sto", still);
    const char *file = put(folder, "alone.xml", setup);
    remove(fb_test_path(folder, "motors.xml"));
    fb_run run = RUN("", "run", file, "--out", folder);
    FB_EQUAL_INT(run.status, 3);
    FB_TRUE(strstr(run.err, "motors.xml, which <force_set_files> of alone.xml names, is not there"),
            "%s", run.err);
    fb_run_free(&run);
}

/* Tables of a model we ship: tendons and fibers in balance, moments, powers, and lengths whose
 * differences are the speeds. */
static void muscle_tables_agree(void) {
    static const char analysis[] =
        "<OpenSimDocument Version=\"40000\"><AnalyzeTool name=\"e\"><model_file>%s/elbow.osim"
        "</model_file><coordinates_file>%s/curl.mot</coordinates_file>"
        "<solve_for_equilibrium_for_auxiliary_states>true"
        "</solve_for_equilibrium_for_auxiliary_states><AnalysisSet><objects><MuscleAnalysis "
        "name=\"m\"><moment_arm_coordinate_list>elbow_flexion</moment_arm_coordinate_list>"
        "</MuscleAnalysis></objects></AnalysisSet></AnalyzeTool></OpenSimDocument>";
    static const char *const names[] = {"TendonForce",
                                        "ActiveFiberForceAlongTendon",
                                        "PassiveFiberForceAlongTendon",
                                        "Moment_elbow_flexion",
                                        "MomentArm_elbow_flexion",
                                        "Length",
                                        "MuscleActuatorPower",
                                        "TendonLength",
                                        "FiberLength",
                                        "PennationAngle"};
    enum { N = sizeof names / sizeof names[0] };
    char text[4000], here[1000], name[100];
    const char *folder = fb_test_folder();
    FB_TRUE(realpath("models/elbow", here) != NULL, "models/elbow");
    snprintf(text, sizeof text, analysis, here, here);
    fb_run run = RUN("", "run", put(folder, "muscles.xml", text), "--out", folder);
    FB_EQUAL_INT(run.status, 0);
    fb_sto t[N];
    bool good = true;
    for (int k = 0; k < N; k++) {
        snprintf(name, sizeof name, "e_MuscleAnalysis_%s", names[k]);
        good &= fb_test_table_of(&t[k], folder, name);
    }
    FB_TRUE(good, "tables: %s", run.err);
    for (int i = 1; good && i + 1 < t[0].n_rows; i++) {
        for (int j = 1; j < t[0].n_columns; j++) {
            double x[N];
            for (int k = 0; k < N; k++) {
                x[k] = fb_sto_value(&t[k], i, j);
            }
            double step = fb_sto_value(&t[5], i + 1, 0) - fb_sto_value(&t[5], i - 1, 0);
            double speed = (fb_sto_value(&t[5], i + 1, j) - fb_sto_value(&t[5], i - 1, j)) / step;
            FB_NEAR(x[1] + x[2], x[0], 1e-5, 1e-6);
            FB_NEAR(x[3], x[4] * x[0], 1e-5, 1e-5);
            FB_NEAR(x[6], -x[0] * speed, 0.01 * (1 + fabs(x[0])), 0.03);
            FB_NEAR(x[7] + x[8] * cos(x[9]), x[5], 1e-7, 0);
        }
    }
    for (int k = 0; k < N; k++) {
        fb_sto_free(&t[k]);
    }
    fb_run_free(&run);
}

static const fb_test tests[] = {
    FB_TEST(muscle_tables_agree), FB_TEST(motors_share_by_strength), FB_TEST(weak_motors_are_told),
    FB_TEST(reserves_hold),       FB_TEST(missing_files_are_told),   FB_TEST_END,
};

int main(int argc, char **argv) {
    return fb_test_main("fbsim so", tests, argc, argv);
}
