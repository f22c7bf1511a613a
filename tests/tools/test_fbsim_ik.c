/* fbsim ik, and the set-ups of InverseKinematicsTool and ScaleTool. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tools/tables.h"
#include "tools/cli.h"

#define RUN(INPUT, ...) FB_RUN(fb_fbsim_main, (INPUT), "fbsim", __VA_ARGS__)

static const char *put(const char *folder, const char *name, const char *text) {
    const char *file = fb_test_path(folder, name);
    fb_test_write_file(file, text, strlen(text));
    return file;
}

/* A rod on a pin about z, another on its end: A at (1,0,0) and B at (0.5,0.2,0) of the first, C at
 * (1,0,0.3) of the second. */
static const char arm[] =
    "{\"fb\": \"1.0\", \"name\": \"m\", \"bodies\": [{\"name\": \"upper\", \"mass\": 2}, "
    "{\"name\": \"lower\", \"mass\": 1}], \"frames\": [{\"name\": \"end\", \"parent\": \"upper\", "
    "\"translation\": [1, 0, 0]}], \"joints\": [{\"name\": \"j\", \"type\": \"pin\", \"parent\": "
    "\"ground\", \"child\": \"upper\", \"coordinates\": [{\"name\": \"q1\"}]}, {\"name\": \"k\", "
    "\"type\": \"pin\", \"parent\": \"end\", \"child\": \"lower\", \"coordinates\": [{\"name\": "
    "\"q2\"}]}], \"markers\": [{\"name\": \"A\", \"frame\": \"upper\", \"location\": [1, 0, 0]}, "
    "{\"name\": \"B\", \"frame\": \"upper\", \"location\": [0.5, 0.2, 0]}, {\"name\": \"Crest\", "
    "\"frame\": \"lower\", \"location\": [1, 0, 0.3]}]}";

/* The rows' markers as `units` per m; "Crost" is nobody. */
static const char *markers(const char *folder, const char *name, const char *units, double per_m,
                           const double (*q)[2], int n) {
    char text[8000];
    int k =
        snprintf(text, sizeof text,
                 "PathFileType\t4\t(X/Y/Z)\t%s\nDataRate\tCameraRate\tNumFrames\tNumMarkers\t"
                 "Units\n100\t100\t%d\t4\t%s\nFrame#\tTime\tB\t\t\tA\t\t\tCrest\t\t\tCrost\t\t\t\n",
                 name, n, units);
    for (int i = 0; i < n; i++) {
        double a = q[i][0], b = a + q[i][1];
        k += snprintf(text + k, sizeof text - (size_t)k,
                      "%d\t%.2f\t%.17g\t%.17g\t0\t%.17g\t%.17g\t0\t%.17g\t%.17g\t%.17g\t1\t2\t3\n",
                      i + 1, 0.01 * i, per_m * (0.5 * cos(a) - 0.2 * sin(a)),
                      per_m * (0.5 * sin(a) + 0.2 * cos(a)), per_m * cos(a), per_m * sin(a),
                      per_m * (cos(a) + cos(b)), per_m * (sin(a) + sin(b)), per_m * 0.3);
    }
    return put(folder, name, text);
}

static const double motion[5][2] = {{0.1, 0.2}, {0.2, 0.1}, {0.3, -0.1}, {0.45, -0.3}, {0.6, -0.5}};

static void finds_the_motion(void) {
    const char *folder = fb_test_folder(), *out = fb_test_path(folder, "out.mot"),
               *errors = fb_test_path(folder, "errors.sto");
    const char *file = markers(folder, "a.trc", "mm", 1000, motion, 5);
    fb_run run = RUN(arm, "ik", "--markers", file, "-o", out, "--marker-errors", errors,
                     "--time-range", "0.012,", "-");
    FB_EQUAL_INT(run.status, 0);
    FB_HOLDS(run.err, "4 frames, 3 markers: 0.00 cm");
    FB_HOLDS(run.err, "the model has no marker 'Crost'; did you mean 'Crest'?");
    size_t size;
    char *bytes = fb_test_read_file(out, &size);
    fb_sto table;
    fb_diag diag;
    fb_diag_init(&diag);
    FB_EQUAL_INT(fb_sto_read(&table, bytes, size, out, &diag), FB_OK);
    FB_EQUAL_INT(table.n_rows, 4);
    FB_TRUE(table.in_degrees, "degrees");
    for (int i = 0; i < table.n_rows && table.n_columns == 3; i++) {
        FB_NEAR(fb_sto_value(&table, i, 0), 0.01 * (i + 1), 1e-12, 0);
        for (int k = 0; k < 2; k++) {
            FB_NEAR(fb_sto_value(&table, i, 1 + k) * 3.14159265358979323846 / 180, motion[i + 1][k],
                    1e-8, 0);
        }
    }
    fb_sto_free(&table);
    fb_diag_clear(&diag);
    fb_free(bytes);
    fb_run_free(&run);
}

static void refuses_with_a_reason(void) {
    const char *folder = fb_test_folder();
    const char *wrong = markers(folder, "m.trc", "m", 1000, motion, 2);
    const char *right = markers(folder, "r.trc", "m", 1, motion, 2);
    const struct {
        const char *args[6];
        int status;
        const char *part;
    } cases[] = {
        {{"ik", "-"}, 2, "ik needs --markers"},
        {{"ik", "-", "--markers", "a.trc", "--compat", "opensim3"}, 2, "not 'opensim3'"},
        {{"ik", "--markers", wrong, "-"}, 3, "its units ('m') are wrong, by 1000 too large"},
        {{"ik", "--markers", right, "--weight", "A", "-"}, 2, "MARKER=NUMBER"},
        {{"ik", "--markers", right, "--weight", "Z=1", "-"}, 2, "share no 'Z'"},
        {{"ik", "--markers", right, "--time-range", "3,2", "-"}, 2, "two times"},
        {{"ik", "--markers", right, "--time-range", "3,4", "-"}, 3, "nothing in common"},
        {{"ik", "--markers", right, "--steps", "4", "-"}, 2, "--steps is not for ik"},
        {{"ik", "--markers", "nowhere.trc", "-"}, 3, "nowhere.trc"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        const char *args[8] = {"fbsim"};
        for (int i = 0; i < 6 && cases[k].args[i]; i++) {
            args[i + 1] = cases[k].args[i];
        }
        fb_run run = fb_test_run(fb_fbsim_main, arm, args);
        FB_EQUAL_INT(run.status, cases[k].status);
        FB_HOLDS(run.err, cases[k].part);
        FB_EQUAL_STR(run.out, "");
        fb_run_free(&run);
    }
}

#define TOOL(KIND, INSIDE) \
    "<?xml version=\"1.0\"?>\n<OpenSimDocument Version=\"30000\"><" KIND " name=\"t\">\n" INSIDE \
    "</" KIND "></OpenSimDocument>"
#define MARKER(NAME, W) \
    "<IKMarkerTask name=\"" NAME "\"><apply>true</apply><weight>" W "</weight></IKMarkerTask>"
#define FILES \
    "<model_file>arm.fb</model_file><marker_file>a.trc</marker_file><output_motion_file>o.mot" \
    "</output_motion_file>"

/* A heavy task takes a coordinate's value from a file between its rows: on a quintic spline, which
 * a parabola is. */
static void a_set_up_is_run(void) {
    const char *folder = fb_test_folder();
    put(folder, "arm.fb", arm);
    markers(folder, "a.trc", "m", 1, motion, 5);
    put(folder, "q.sto",
        "q\ninDegrees=no\nendheader\ntime\tq2\n-0.1\t0.01\n-0.05\t0.0025\n0.005\t0.000025\n"
        "0.035\t0.001225\n0.1\t0.01\n0.2\t0.04\n");
    const char *setup = put(
        folder, "ik.xml",
        TOOL("InverseKinematicsTool", FILES
             "<coordinate_file>q.sto</coordinate_file><colour>red</colour>\n"
             "<report_marker_locations>true</report_marker_locations><IKTaskSet><objects>" MARKER(
                 "A", "1") MARKER("B", "2")
                 MARKER(
                     "D",
                     "2") "<IKCoordinateTask name=\"q2\"><weight>1e9</weight><value_type>from_file"
                          "</value_type></IKCoordinateTask></objects></IKTaskSet>"));
    fb_run run = RUN("", "run", setup, "--out", fb_test_path(folder, "new/deep"));
    FB_EQUAL_INT(run.status, 0);
    FB_HOLDS(run.err, "<colour> of InverseKinematicsTool is not known");
    FB_HOLDS(run.err, "the model has no marker 'D'");
    fb_run_free(&run);
    size_t size;
    char *bytes = fb_test_read_file(fb_test_path(folder, "new/deep/o.mot"), &size);
    fb_sto table;
    fb_diag diag;
    fb_diag_init(&diag);
    FB_EQUAL_INT(fb_sto_read(&table, bytes, size, "o.mot", &diag), FB_OK);
    for (int i = 0; i < 5 && table.n_rows == 5; i++) {
        FB_NEAR(fb_sto_value(&table, i, 1), motion[i][0] * 180 / 3.14159265358979323846, 1e-7, 0);
        FB_NEAR(fb_sto_value(&table, i, 2), 1e-4 * i * i * 180 / 3.14159265358979323846, 2e-8, 0);
    }
    fb_sto_free(&table);
    fb_free(bytes);
    fb_diag_clear(&diag);
    FB_EQUAL_INT(fb_test_count_files(fb_test_path(folder, "new/deep")), 3);
    bytes = fb_test_read_file(fb_test_path(folder, "new/deep/t_ik_model_marker_locations.sto"),
                              &size);
    FB_HOLDS(bytes ? bytes : "", "\ntime\tB_tx\tB_ty\tB_tz\tA_tx\tA_ty\tA_tz\n");
    fb_free(bytes);
}

static void a_set_up_that_lacks_something_says_so(void) {
    const char *folder = fb_test_folder();
    put(folder, "arm.fb", arm);
    const struct {
        const char *text;
        int status;
        const char *part;
    } cases[] = {
        {TOOL("InverseKinematicsTool", FILES), 3, "a.trc', which <marker_file> names"},
        {TOOL("InverseKinematicsTool", "<model_file>arm.fb</model_file>"), 3, "no <marker_file>"},
        {TOOL("PlotTool", ""), 4, "<PlotTool> is no tool that fbsim runs"},
        {TOOL("ScaleTool", "<GenericModelMaker/>"), 3, "names no <model_file>"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        fb_run run = RUN("", "run", put(folder, "s.xml", cases[k].text));
        FB_EQUAL_INT(run.status, cases[k].status);
        FB_HOLDS(run.err, cases[k].part);
        fb_run_free(&run);
    }
}

/* By hand, after OpenSim's rules: a body of 2 kg by factors 1.1 1.2 0.9, its inertia that of a
 * cylinder about y; a measurement of 0.6 m over the model's 0.5 m. */
static void a_body_is_scaled(void) {
    static const char model[] =
        "{\"fb\": \"1.0\", \"name\": \"m\", \"bodies\": [{\"name\": \"a\", \"mass\": 2, "
        "\"mass_center\": [0.1, 0.2, 0.3], \"inertia\": [0.03, 0.01, 0.031, 0.001, 0.002, 0.003]}, "
        "{\"name\": \"b\", \"mass\": 1}], \"frames\": [{\"name\": \"end\", \"parent\": \"a\", "
        "\"translation\": [1, 1, 1]}], \"joints\": [{\"name\": \"j\", \"type\": \"weld\", "
        "\"parent\": \"ground\", \"child\": \"a\"}, {\"name\": \"k\", \"type\": \"weld\", "
        "\"parent\": \"end\", \"child\": \"b\"}], \"wraps\": [{\"name\": \"w\", \"type\": "
        "\"cylinder\", \"frame\": \"a\", \"radius\": 0.1, \"length\": 1, \"translation\": [1, 0, "
        "0], \"rotation_xyz\": [1.5707963267948966, 0, 0]}], \"markers\": [{\"name\": \"A\", "
        "\"frame\": \"b\", \"location\": [0.5, 0, 0]}, {\"name\": \"B\", \"frame\": \"b\"}]}";
    const char *folder = fb_test_folder();
    put(folder, "m.fb", model);
    put(folder, "s.trc",
        "PathFileType\t4\t(X/Y/Z)\tx\nDataRate\tNumFrames\tNumMarkers\tUnits\n1\t3\t2\tmm\n"
        "Frame#\tTime\tA\t\t\tB\n1\t0\t9\t9\t9\t0\t0\t0\n2\t1\t590\t0\t0\t0\t0\t0\n"
        "3\t2\t0\t610\t0\t0\t0\t0\n");
    const char *setup = put(
        folder, "scale.xml",
        TOOL("ScaleTool",
             "<mass>-1</mass><GenericModelMaker><model_file>m.fb</model_file></GenericModelMaker>"
             "<ModelScaler><scaling_order>measurements manualScale</scaling_order><MeasurementSet>"
             "<objects><Measurement name=\"l\"><MarkerPairSet><objects><MarkerPair><markers>A B"
             "</markers></MarkerPair></objects></MarkerPairSet><BodyScaleSet><objects><BodyScale "
             "name=\"b\"><axes>X Z</axes></BodyScale></objects></BodyScaleSet></Measurement>"
             "</objects></MeasurementSet><ScaleSet><objects><Scale><scales>1.1 1.2 0.9</scales>"
             "<segment>a</segment></Scale></objects></ScaleSet><marker_file>s.trc</marker_file>"
             "<time_range>1 2</time_range><output_model_file>n.osim</output_model_file>"
             "</ModelScaler>"));
    fb_run run = RUN("", "run", setup);
    FB_EQUAL_INT(run.status, 0);
    fb_run_free(&run);
    size_t size;
    char *bytes = fb_test_read_file(fb_test_path(folder, "n.osim"), &size);
    fb_diag diag;
    fb_model *scaled = fb_test_must(bytes ? fb_test_osim(bytes, &diag, NULL) : NULL, &diag);
    static const double center[3] = {0.11, 0.24, 0.27},
                        inertia[6] = {0.0486486,  0.0117612,  0.0486486,
                                      0.00156816, 0.00235224, 0.00384912};
    double x[6];
    const fb_element *a = fb_test_find(scaled, "/bodyset/a");
    FB_NEAR(fb_get_number(a, "mass"), 2.376, 0, 1e-12);
    fb_get_vector(a, "mass_center", x, 3);
    for (int i = 0; i < 3; i++) {
        FB_NEAR(x[i], center[i], 1e-12, 0);
    }
    fb_get_vector(a, "inertia", x, 6);
    for (int i = 0; i < 6; i++) {
        FB_NEAR(x[i], inertia[i], 1e-12, 1e-9);
    }
    fb_get_vector(fb_test_find(scaled, "/markerset/A"), "location", x, 3);
    FB_NEAR(x[0], 0.5 * 1.2, 1e-12, 0);
    FB_NEAR(fb_get_number(fb_test_find(scaled, "/bodyset/b"), "mass"), 1.44, 0, 1e-12);
    /* the cylinder's z is the body's -y; its x the body's x, its y the body's z */
    const fb_element *w = fb_model_items(scaled, "wraps")->items[0];
    FB_NEAR(fb_get_number(w, "length"), 1.2, 0, 1e-12);
    FB_NEAR(fb_get_number(w, "radius"), 0.1 * (1.1 + 0.9) / 2, 0, 1e-12);
    fb_model_free(scaled);
    fb_diag_clear(&diag);
    fb_free(bytes);
}

/* The static pose is found, then markers that are not fixed go to where they were measured; those
 * that were not are deleted. */
static void markers_are_placed(void) {
    const char *folder = fb_test_folder();
    put(folder, "arm.fb", arm);
    markers(folder, "s.trc", "m", 1, motion, 1);
    const char *setup =
        put(folder, "place.xml",
            TOOL("ScaleTool",
                 "<GenericModelMaker><model_file>arm.fb</model_file><marker_set_file>set.xml"
                 "</marker_set_file></GenericModelMaker><MarkerPlacer><IKTaskSet><objects>" MARKER(
                     "A", "1") MARKER("Crest", "1") "</objects></IKTaskSet><marker_file>s.trc"
                                                    "</marker_file><output_model_file>p.osim"
                                                    "</output_model_file><output_motion_file>p.mot"
                                                    "</output_motion_file></MarkerPlacer>"));
    /* B somewhere else, and to be moved; Z unmeasured */
    put(folder, "set.xml",
        "<OpenSimDocument Version=\"20302\"><MarkerSet name=\"s\"><objects><Marker name=\"B\">"
        "<body>upper</body><location>7 7 7</location><fixed>false</fixed></Marker><Marker "
        "name=\"Z\"><body>lower</body><location>1 2 3</location></Marker></objects></MarkerSet>"
        "</OpenSimDocument>");
    fb_run run = RUN("", "run", setup);
    FB_EQUAL_INT(run.status, 0);
    FB_HOLDS(run.err, "lacks the model's marker 'Z'");
    fb_run_free(&run);
    size_t size;
    char *bytes = fb_test_read_file(fb_test_path(folder, "p.osim"), &size);
    fb_diag diag;
    fb_model *placed = fb_test_must(bytes ? fb_test_osim(bytes, &diag, NULL) : NULL, &diag);
    double x[3] = {0, 0, 0};
    fb_get_vector(fb_test_find(placed, "/markerset/B"), "location", x, 3);
    FB_NEAR(x[0], 0.5, 1e-8, 0);
    FB_NEAR(x[1], 0.2, 1e-8, 0);
    FB_NEAR(x[2], 0, 1e-8, 0);
    FB_EQUAL_INT(fb_model_items(placed, "markers")->n, 3);
    fb_model_free(placed);
    fb_diag_clear(&diag);
    fb_free(bytes);
    bytes = fb_test_read_file(fb_test_path(folder, "p.mot"), &size);
    FB_HOLDS(bytes ? bytes : "", "/jointset/j/q1/value\t/jointset/j/q1/speed");
    FB_HOLDS(bytes ? bytes : "", "\t      0.10000000\t      0.00000000\t      0.20000000");
    fb_free(bytes);
}

/* All by 2: places double, masses go with volumes unless kept, and reach the total. */
static void a_model_is_scaled_by_factors(void) {
    const char *folder = fb_test_folder(), *out = fb_test_path(folder, "s.osim");
    static const struct {
        const char *more[3];
        double upper, lower;
    } cases[] = {{{"-q", NULL, NULL}, 16, 1},
                 {{"--keep-mass-ratios", NULL, NULL}, 2, 1},
                 {{"--keep-mass-ratios", "--mass", "9"}, 6, 3}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        const char *args[16] = {"fbsim",       "scale", "--factor", "*=1", "--factor",
                                "upper=2,2,2", "-o",    out,        "-"};
        for (int i = 0; i < 3 && cases[k].more[i]; i++) {
            args[9 + i] = cases[k].more[i];
        }
        fb_run run = fb_test_run(fb_fbsim_main, arm, args);
        FB_EQUAL_INT(run.status, 0);
        fb_run_free(&run);
        size_t size;
        char *bytes = fb_test_read_file(out, &size);
        fb_diag diag;
        fb_model *scaled = fb_test_must(bytes ? fb_test_osim(bytes, &diag, NULL) : NULL, &diag);
        double x[3] = {0, 0, 0};
        fb_get_vector(fb_test_find(scaled, "/markerset/B"), "location", x, 3);
        FB_NEAR(x[1], 0.4, 1e-12, 0);
        FB_NEAR(fb_get_number(fb_test_find(scaled, "/bodyset/upper"), "mass"), cases[k].upper, 0,
                1e-12);
        FB_NEAR(fb_get_number(fb_test_find(scaled, "/bodyset/lower"), "mass"), cases[k].lower, 0,
                1e-12);
        fb_model_free(scaled);
        fb_diag_clear(&diag);
        fb_free(bytes);
    }
    fb_run run = RUN(arm, "scale", "--factor", "uper=2", "-");
    FB_EQUAL_INT(run.status, 3);
    FB_HOLDS(run.err, "no body 'uper'; did you mean 'upper'?");
    fb_run_free(&run);
    run = RUN(arm, "scale", "--factor", "upper=2,0,1", "-");
    FB_EQUAL_INT(run.status, 2);
    fb_run_free(&run);
}

int main(int argc, char **argv) {
    static const fb_test tests[] = {FB_TEST(finds_the_motion),
                                    FB_TEST(refuses_with_a_reason),
                                    FB_TEST(a_set_up_is_run),
                                    FB_TEST(a_set_up_that_lacks_something_says_so),
                                    FB_TEST(a_body_is_scaled),
                                    FB_TEST(markers_are_placed),
                                    FB_TEST(a_model_is_scaled_by_factors),
                                    FB_TEST_END};
    return fb_test_main("fbsim_ik", tests, argc, argv);
}
