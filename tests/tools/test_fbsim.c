#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tools/tables.h"
#include "tools/cli.h"

#define ELBOW "models/elbow/elbow.osim"

#define RUN(INPUT, ...) FB_RUN(fb_fbsim_main, (INPUT), "fbsim", __VA_ARGS__)

/* A rod that hangs on a pin: mass 2 kg, centre 0.5 m below, inertia 0.1 there. */
static const char pendulum[] =
    "{\"fb\": \"1.0\", \"name\": \"m\", \"bodies\": [{\"name\": \"rod\", \"mass\": 2, "
    "\"mass_center\": "
    "[0, -0.5, 0], \"inertia\": [0.1, 0.1, 0.1, 0, 0, 0]}], \"joints\": [{\"name\": \"j\", "
    "\"type\": "
    "\"pin\", \"parent\": \"ground\", \"child\": \"rod\", \"coordinates\": [{\"name\": \"q\"}]}], "
    "\"markers\": [{\"name\": \"end\", \"frame\": \"rod\", \"location\": [0, -1, 0]}]}";

static void put_states(const char *folder, char *file, size_t n, const char *text) {
    snprintf(file, n, "%s/states.sto", folder);
    FILE *out = fopen(file, "w");
    FB_TRUE(out != NULL, "%s is written", file);
    if (out) {
        fputs(text, out);
        fclose(out);
    }
}

static void a_pendulum_swings_as_the_formula_says(void) {
    const char *folder = fb_test_folder();
    char file[1100];
    put_states(folder, file, sizeof file,
               "states\ninDegrees=no\nendheader\ntime\t/jointset/j/q/value\t/jointset/j/q/speed\n"
               "0\t0.3\t2\n1\t-1.2\t-0.5\n");
    fb_run run = RUN(pendulum, "eval", "--states", file, "--out", folder, "-");
    FB_EQUAL_INT(run.status, 0);
    fb_sto a, m, c, t;
    if (fb_test_table_of(&a, folder, "acceleration") && fb_test_table_of(&m, folder, "marker") &&
        fb_test_table_of(&c, folder, "com") && fb_test_table_of(&t, folder, "inverse_dynamics")) {
        const double q[2] = {0.3, -1.2}, u[2] = {2, -0.5}, inertia = 0.1 + 2 * 0.25;
        for (int i = 0; i < 2; i++) {
            double torque = -2 * 9.80665 * 0.5 * sin(q[i]);
            FB_NEAR(fb_test_cell(&a, i, "q"), torque / inertia, 1e-10, 0);
            FB_NEAR(fb_test_cell(&t, i, "q"), -torque, 1e-10, 0);
            FB_NEAR(fb_test_cell(&m, i, "/markerset/end|x"), sin(q[i]), 1e-12, 0);
            FB_NEAR(fb_test_cell(&m, i, "/markerset/end|y"), -cos(q[i]), 1e-12, 0);
            FB_NEAR(fb_test_cell(&c, i, "kinetic_energy"), inertia * u[i] * u[i] / 2, 1e-12, 0);
            FB_NEAR(fb_test_cell(&c, i, "vcom_x"), 0.5 * u[i] * cos(q[i]), 1e-12, 0);
        }
        fb_sto_free(&a);
        fb_sto_free(&m);
        fb_sto_free(&c);
        fb_sto_free(&t);
    }
    fb_run_free(&run);
}

/* Two sliders on one another and one beside them, the outermost first in the file; names twice. */
static const char carts[] =
    "{\"fb\": \"1.0\", \"name\": \"m\", \"bodies\": [{\"name\": \"a\", \"mass\": 1}, {\"name\": "
    "\"b\", \"mass\": 2}, {\"name\": \"c\", \"mass\": 4}, {\"name\": \"d\", \"mass\": 8}], "
    "\"joints\": [{\"name\": \"outer\", \"type\": \"slider\", \"parent\": \"a\", \"child\": "
    "\"b\", \"coordinates\": [{\"name\": \"s\"}]}, {\"name\": \"inner\", \"type\": \"slider\", "
    "\"parent\": \"ground\", \"child\": \"a\", \"coordinates\": [{\"name\": \"s\"}]}, {\"name\": "
    "\"beside\", \"type\": \"slider\", \"parent\": \"ground\", \"child\": \"c\", \"coordinates\": "
    "[{\"name\": \"t\"}]}]}";

/* As in OpenSim, columns stand in the order of the file's joints, not in that of the tree. */
static void columns_stand_as_in_the_file(void) {
    static const char *const mass[] = {"time", "s|s", "s|s", "s|s", "t|t"};
    static const char *const free_d[] = {"free_d_coord_3|free_d_coord_3",
                                         "free_d_coord_4|free_d_coord_4",
                                         "free_d_coord_5|free_d_coord_5"};
    const double wanted[] = {0, 2, 2, 3, 4};
    const char *folder = fb_test_folder();
    fb_run run = RUN(carts, "eval", "--out", folder, "-");
    FB_EQUAL_INT(run.status, 5); /* d moves no mass */
    fb_sto m, t;
    if (fb_test_table_of(&m, folder, "mass_matrix") &&
        fb_test_table_of(&t, folder, "inverse_dynamics")) {
        for (int i = 0; i < 5 && FB_TRUE(i < m.n_columns, "%d columns", m.n_columns); i++) {
            FB_EQUAL_STR(m.columns[i], mass[i]);
            FB_NEAR(m.values[i], wanted[i], 1e-12, 0);
        }
        for (int i = 0; i < 3; i++) {
            FB_NEAR(fb_test_cell(&m, 0, free_d[i]), 8, 1e-12, 0);
        }
        FB_EQUAL_STR(t.columns[1], "s");
        FB_EQUAL_STR(t.columns[3], "t");
        FB_EQUAL_STR(t.columns[4], "free_d_coord_0");
        fb_sto_free(&m);
        fb_sto_free(&t);
    }
    fb_run_free(&run);
}

static void reads_degrees_and_old_names(void) {
    static const char *const headers[] = {"inDegrees=yes", "Angles are in degrees."};
    const char *folder = fb_test_folder();
    for (int k = 0; k < 2; k++) {
        char file[1100], states[200];
        snprintf(states, sizeof states, "x\n%s\nendheader\ntime\tq\tq_u\n5\t30\t90\n", headers[k]);
        put_states(folder, file, sizeof file, states);
        fb_run run = RUN(pendulum, "eval", "--states", file, "--out", folder, "--tables",
                         "marker,com", "-");
        FB_EQUAL_INT(run.status, 0);
        fb_sto m, c;
        if (fb_test_table_of(&m, folder, "marker") && fb_test_table_of(&c, folder, "com")) {
            FB_NEAR(fb_test_cell(&m, 0, "time"), 5, 0, 0);
            FB_NEAR(fb_test_cell(&m, 0, "/markerset/end|x"), 0.5, 1e-12, 0);
            FB_NEAR(fb_test_cell(&c, 0, "kinetic_energy"), 0.3 * 2.4674011002723395, 1e-10, 0);
            fb_sto_free(&m);
            fb_sto_free(&c);
        }
        fb_run_free(&run);
    }
}

static void default_speeds_are_those_of_the_default_state(void) {
    const char *folder = fb_test_folder();
    static const char q[] = "{\"name\": \"q\"}", with[] = "{\"name\": \"q\", \"default_speed\": 3}";
    char model[3000], file[1100];
    const char *at = strstr(pendulum, q);
    snprintf(model, sizeof model, "%.*s%s%s", (int)(at - pendulum), pendulum, with,
             at + sizeof q - 1);
    put_states(folder, file, sizeof file, "s\nendheader\ntime\tq\tq_u\n0\t0\t1\n");
    for (int k = 0; k < 2;
         k++) { /* half the inertia, 0.6, times the square; the table's goes first */
        fb_run run = k == 0
                         ? RUN(model, "eval", "--out", folder, "--tables", "com", "-")
                         : RUN(model, "eval", "-s", file, "--out", folder, "--tables", "com", "-");
        fb_sto t;
        FB_EQUAL_INT(run.status, 0);
        if (fb_test_table_of(&t, folder, "com")) {
            FB_NEAR(fb_test_cell(&t, 0, "kinetic_energy"), k == 0 ? 2.7 : 0.3, 1e-12, 0);
            fb_sto_free(&t);
        }
        fb_run_free(&run);
    }
}

/* An activation of 0.5 and a stretch of 0.1 m unless the table says otherwise. */
static void states_of_forces_are_read(void) {
    const char *folder = fb_test_folder();
    char file[1100], model[3000];
    snprintf(
        model, sizeof model,
        "%.*s, \"actuators\": [{\"name\": \"a\", \"type\": \"activation_coordinate\", "
        "\"coordinate\": \"q\", \"optimal_force\": 3}, {\"name\": \"c\", \"type\": "
        "\"clutched_path_spring\", \"stiffness\": 10, \"dissipation\": 0, \"initial_stretch\": "
        "0.1, \"path\": {\"points\": [{\"frame\": \"ground\", \"location\": [-1, -1, 0]}, "
        "{\"frame\": \"rod\", \"location\": [0, -1, 0]}]}}], \"controllers\": [{\"name\": \"p\", "
        "\"type\": \"prescribed\", \"actuators\": [\"c\"], \"control_functions\": [{\"type\": "
        "\"constant\", \"value\": 1}]}]}",
        (int)strlen(pendulum) - 1, pendulum);
    put_states(folder, file, sizeof file,
               "s\nendheader\ntime\t/forceset/a/activation\tc.stretch\n0\t0.5\t0.1\n0\t0.8\t0.3\n");
    fb_run run = RUN(model, "eval", "--states", file, "--out", folder, "-");
    FB_EQUAL_INT(run.status, 0);
    FB_EQUAL_STR(run.err, "");
    fb_sto t;
    if (fb_test_table_of(&t, folder, "acceleration")) { /* at rest, arms 1 and -1 m, inertia 0.6 */
        FB_NEAR(fb_test_cell(&t, 0, "q"), (0.5 * 3 - 10 * 0.1) / 0.6, 1e-12, 0);
        FB_NEAR(fb_test_cell(&t, 1, "q"), (0.8 * 3 - 10 * 0.3) / 0.6, 1e-12, 0);
        fb_sto_free(&t);
    }
    fb_run_free(&run);
}

static void moment_arms_are_the_slope_of_lengths(void) {
    const char *folder = fb_test_folder();
    char file[1100], text[4000];
    int n = snprintf(text, sizeof text, "s\nendheader\ntime\telbow_flexion\n");
    const double h = 1e-5, q[3] = {0.4, 1.0, 1.7};
    for (int i = 0; i < 3; i++) {
        for (int k = -1; k < 2; k++) {
            n += snprintf(text + n, sizeof text - (size_t)n, "%d\t%.17g\n", 3 * i + k + 1,
                          q[i] + k * h);
        }
    }
    put_states(folder, file, sizeof file, text);
    fb_run run = RUN(NULL, "eval", ELBOW, "-s", file, "-d", folder, "--tables",
                     "path_length,moment_arm");
    FB_EQUAL_INT(run.status, 0);
    fb_sto length, arm;
    if (fb_test_table_of(&length, folder, "path_length") &&
        fb_test_table_of(&arm, folder, "moment_arm")) {
        for (int j = 1; j < length.n_columns; j++) {
            char column[300];
            snprintf(column, sizeof column, "%s|elbow_flexion", length.columns[j]);
            for (int i = 0; i < 3; i++) {
                double slope = (fb_test_cell(&length, 3 * i + 2, length.columns[j]) -
                                fb_test_cell(&length, 3 * i, length.columns[j])) /
                               (2 * h);
                FB_NEAR(fb_test_cell(&arm, 3 * i + 1, column), -slope, 2e-5, 0);
            }
        }
        fb_sto_free(&length);
        fb_sto_free(&arm);
    }
    fb_run_free(&run);
}

static void forces_that_are_not_computed_are_named(void) {
    const char *folder = fb_test_folder();
    char model[3000];
    snprintf(model, sizeof model,
             "%.*s, \"kept\": [{\"name\": \"odd\", \"component_path\": "
             "\"/forceset/odd\", \"xml\": \"<Odd name='odd'/>\"}]}",
             (int)strlen(pendulum) - 1, pendulum);
    fb_run run = RUN(model, "eval", "--out", folder, "-");
    FB_EQUAL_INT(run.status, 4);
    FB_HOLDS(run.err, "odd");
    fb_run_free(&run);
    run = RUN(model, "eval", "--out", folder, "--ignore-kept", "-");
    FB_EQUAL_INT(run.status, 0);
    fb_run_free(&run);
    run = RUN(model, "eval", "--out", folder, "--tables", "body_pose", "-");
    FB_EQUAL_INT(run.status, 0);
    fb_run_free(&run);
}

static void joints_and_constraints_that_are_not_computed_are_named(void) {
    static const char *const sets[] = {"jointset", "constraintset"};
    const char *folder = fb_test_folder();
    char model[3000];
    for (int i = 0; i < 2; i++) {
        snprintf(model, sizeof model,
                 "%.*s, \"kept\": [{\"name\": \"odd\", \"class\": \"OddOne\", \"component_path\": "
                 "\"/%s/odd\", \"xml\": \"<OddOne name='odd'/>\"}]}",
                 (int)strlen(pendulum) - 1, pendulum, sets[i]);
        fb_run run = RUN(model, "eval", "--out", folder, "--tables", "body_pose", "-");
        FB_EQUAL_INT(run.status, 4); /* a pose is not what it would be with it */
        FB_HOLDS(run.err, "OddOne 'odd'");
        fb_run_free(&run);
        run = RUN(model, "eval", "--out", folder, "--ignore-kept", "-");
        FB_EQUAL_INT(run.status, 0);
        fb_run_free(&run);
    }
}

static void motions_that_are_not_computed_are_named(void) {
    const char *folder = fb_test_folder();
    char model[3000];
    for (int on = 0; on < 2; on++) {
        snprintf(model, sizeof model,
                 "%.*s, \"components\": [{\"name\": \"p\", \"type\": \"position_motion\", "
                 "\"default_enabled\": %s}]}",
                 (int)strlen(pendulum) - 1, pendulum, on ? "true" : "false");
        fb_run run = RUN(model, "eval", "--out", folder, "--compat", "opensim4", "-");
        FB_EQUAL_INT(run.status, on ? 4 : 0);
        FB_HOLDS(run.err, on ? "PositionMotion 'p'" : "");
        fb_run_free(&run);
    }
}

static void paths_with_points_of_unknown_classes_have_no_length(void) {
    const char *folder = fb_test_folder();
    static const char model[] =
        "<?xml version=\"1.0\"?><OpenSimDocument Version=\"40500\"><Model "
        "name=\"m\"><BodySet><objects>"
        "<Body name=\"b\"><mass>1</mass></Body></objects></BodySet><JointSet><objects><SliderJoint "
        "name=\"j\"><socket_parent_frame>/ground</socket_parent_frame><socket_child_frame>/bodyset/"
        "b"
        "</socket_child_frame></SliderJoint></objects></JointSet><ForceSet><objects><PathSpring "
        "name=\"f\"><resting_length>1</resting_length><stiffness>1</stiffness><dissipation>0"
        "</dissipation><path><GeometryPath name=\"path\"><PathPointSet><objects><PathPoint "
        "name=\"p\">"
        "<socket_parent_frame>/ground</socket_parent_frame></PathPoint><OddPoint "
        "name=\"o\"/><PathPoint "
        "name=\"q\"><socket_parent_frame>/bodyset/b</socket_parent_frame></PathPoint></objects>"
        "</PathPointSet></GeometryPath></path></PathSpring></objects></ForceSet></Model>"
        "</OpenSimDocument>";
    fb_run run = RUN(model, "eval", "--out", folder, "-");
    fb_sto t;
    FB_EQUAL_INT(run.status, 4);
    FB_HOLDS(run.err, "PathSpring 'f': its path has a point of a class that is not known");
    if (fb_test_table_of(&t, folder, "path_length")) {
        FB_TRUE(isnan(fb_test_cell(&t, 0, "/forceset/f")), "%g m",
                fb_test_cell(&t, 0, "/forceset/f"));
        fb_sto_free(&t);
    }
    fb_run_free(&run);
}

static void rolling_is_off_in_opensim4_and_told_otherwise(void) {
    const char *folder = fb_test_folder();
    char model[3000];
    snprintf(model, sizeof model,
             "%.*s, \"constraints\": [{\"name\": \"r\", \"type\": \"rolling_on_surface\", "
             "\"rolling_body\": \"rod\", \"surface_body\": \"ground\"}]}",
             (int)strlen(pendulum) - 1, pendulum);
    fb_run run = RUN(model, "eval", "--out", folder, "-");
    FB_EQUAL_INT(run.status, 4);
    FB_HOLDS(run.err, "RollingOnSurfaceConstraint 'r'");
    fb_run_free(&run);
    run = RUN(model, "eval", "--out", folder, "--compat", "opensim4", "-");
    FB_EQUAL_INT(run.status, 0);
    fb_run_free(&run);
}

static void sweeps_give_arms_that_are_the_slope_of_lengths(void) {
    fb_run run = RUN(NULL, "sweep", ELBOW, "-c", "elbow_flexion", "-m", "*", "--steps", "801");
    FB_EQUAL_INT(run.status, 0);
    fb_sto t;
    fb_diag diag;
    fb_diag_init(&diag);
    FB_EQUAL_INT(fb_sto_read(&t, run.out, strlen(run.out), "sweep", &diag), FB_OK);
    FB_EQUAL_INT(t.n_rows, 801);
    FB_EQUAL_INT(t.n_columns, 1 + 3 * 6 + 2);
    for (int i = 100; i + 1 < t.n_rows; i += 100) {
        double step = fb_test_cell(&t, i + 1, "elbow_flexion") -
                      fb_test_cell(&t, i - 1, "elbow_flexion");
        double turn[2] = {0, 0};
        for (int j = 1; j + 2 < t.n_columns - 1; j += 3) {
            const double *row = t.values + i * t.n_columns + j;
            double slope = (row[t.n_columns] - row[-t.n_columns]) / step;
            FB_NEAR(row[1], -slope, 2e-5, 0);
            turn[row[1] < 0] += row[1] * row[2];
        }
        FB_NEAR(fb_test_cell(&t, i, "strength_positive"), turn[0], 1e-9, 1e-12);
        FB_NEAR(fb_test_cell(&t, i, "strength_negative"), turn[1], 1e-9, 1e-12);
    }
    fb_sto_free(&t);
    fb_diag_clear(&diag);
    fb_run_free(&run);
    run = RUN(NULL, "sweep", ELBOW, "-c", "no_such");
    FB_EQUAL_INT(run.status, 2);
    FB_HOLDS(run.err, "no coordinate 'no_such'");
    fb_run_free(&run);
}

#define QUADRICEPS "models/quadriceps/quadriceps.fb"
#define JUNCTION "/virtual_links/quadriceps_junction"

/* The quadriceps' heads and tendon are in balance at their junction; the junction begins where it
 * is in the default pose; without virtual links there is no such table. */
static void virtual_links_have_a_table(void) {
    const char *folder = fb_test_folder();
    char file[1100];
    put_states(folder, file, sizeof file,
               "s\nendheader\ntime\tknee_flexion\tknee_flexion_u\tvastus_lateralis.activation\n"
               "0\t0.3490658503988659\t0\t0.05\n1\t1.2\t3\t1\n");
    fb_run run = RUN(NULL, "eval", QUADRICEPS, "-s", file, "-d", folder);
    FB_EQUAL_INT(run.status, 0);
    fb_sto l, m;
    if (fb_test_table_of(&l, folder, "virtual_link") && fb_test_table_of(&m, folder, "muscle")) {
        FB_NEAR(fb_test_cell(&l, 0, JUNCTION "|x"), 0.0365, 1e-4, 0);
        FB_NEAR(fb_test_cell(&l, 0, JUNCTION "|y"), 0.95 - 0.3107, 1e-4, 0);
        FB_NEAR(fb_test_cell(&l, 0, JUNCTION "|z"), 0.0165, 1e-4, 0);
        for (int i = 0; i < 2; i++) {
            double tendon = fb_test_cell(&l, i, JUNCTION "|/forceset/patellar_tendon");
            FB_TRUE(tendon > 200, "it is taut: %g N", tendon);
            FB_TRUE(fb_test_cell(&l, i, JUNCTION "|residual") < 1e-9 * tendon, "it is in balance");
            FB_SAME(fb_test_cell(&m, i, "/forceset/vastus_lateralis|tendon_force"),
                    fb_test_cell(&l, i, JUNCTION "|/forceset/vastus_lateralis"));
        }
        fb_sto_free(&l);
        fb_sto_free(&m);
    }
    fb_run_free(&run);
    const char *other = fb_test_folder();
    run = RUN(pendulum, "eval", "-d", other, "-");
    FB_EQUAL_INT(run.status, 0);
    FB_EQUAL_INT(fb_test_count_files(other), fb_test_count_files(folder) - 2);
    fb_run_free(&run);
}

/* 3 to 5 cm, falling as the knee bends: what is measured at the knee (models/quadriceps). */
static void the_quadriceps_extends_the_knee(void) {
    static const char *const heads[] = {"rectus_femoris", "vastus_lateralis", "vastus_medialis",
                                        "vastus_intermedius"};
    fb_run run = RUN(NULL, "sweep", QUADRICEPS, "-c", "knee_flexion", "--steps", "401");
    FB_EQUAL_INT(run.status, 0);
    FB_EQUAL_STR(run.err, "");
    fb_sto t;
    fb_diag diag;
    fb_diag_init(&diag);
    FB_EQUAL_INT(fb_sto_read(&t, run.out, strlen(run.out), "sweep", &diag), FB_OK);
    for (int i = 40; i + 1 < t.n_rows; i += 40) {
        double step = fb_test_cell(&t, i + 1, "knee_flexion") -
                      fb_test_cell(&t, i - 1, "knee_flexion");
        double moment = 0, force = 0;
        for (int k = 0; k < 4; k++) {
            char column[100];
            snprintf(column, sizeof column, "/forceset/%s|length", heads[k]);
            double slope = (fb_test_cell(&t, i + 1, column) - fb_test_cell(&t, i - 1, column)) /
                           step;
            snprintf(column, sizeof column, "/forceset/%s|moment_arm", heads[k]);
            double arm = fb_test_cell(&t, i, column);
            FB_NEAR(arm, -slope, 2e-4, 0);
            snprintf(column, sizeof column, "/forceset/%s|tendon_force", heads[k]);
            moment += arm * fb_test_cell(&t, i, column);
            force += fb_test_cell(&t, i, column);
        }
        FB_TRUE(-moment > 0.03 * force && -moment < 0.05 * force, "arm at %g: %g m",
                fb_test_cell(&t, i, "knee_flexion"), -moment / force);
        /* the tendon's own arm, from its stretch, is what the heads' moments lack */
        FB_NEAR(fb_test_cell(&t, i, "strength_negative"), moment, 0, 0.15);
        FB_NEAR(fb_test_cell(&t, i, "strength_positive"), 0, 0, 0);
    }
    fb_sto_free(&t);
    fb_diag_clear(&diag);
    fb_run_free(&run);
}

/* A force that pushes: no equilibrium, finite numbers, status 5. */
static void a_link_without_equilibrium_has_status_5(void) {
    static const char text[] =
        "{\"fb\": \"1.0\", \"virtual_links\": [{\"name\": \"v\", \"frame\": \"ground\"}], "
        "\"forces\": "
        "[{\"name\": \"push\", \"type\": \"expression_path\", \"expression\": \"-50\", \"path\": "
        "{\"points\": [{\"frame\": \"ground\", \"location\": [1, 0, 0]}, {\"type\": \"link\", "
        "\"virtual_link\": \"v\"}]}}]}";
    fb_run run = RUN(text, "eval", "--tables", "virtual_link", "-");
    FB_EQUAL_INT(run.status, 5);
    FB_HOLDS(run.err, "virtual link 'v': no equilibrium at time 0: 50 N are left");
    FB_TRUE(strstr(run.out, "endheader") && !strstr(run.out, "nan"), "%s", run.out);
    fb_run_free(&run);
    run = RUN("{\"fb\": \"1.0\", \"virtual_links\": [{\"name\": \"v\", \"frame\": \"ground\", "
              "\"location\": [0, \"inf\", 0]}]}",
              "eval", "-");
    FB_EQUAL_INT(run.status, 3);
    FB_HOLDS(run.err, "'v': where it begins must be finite");
    fb_run_free(&run);
}

static void columns_that_name_nothing_are_told(void) {
    const char *folder = fb_test_folder();
    char file[1100];
    put_states(folder, file, sizeof file,
               "s\nendheader\ntime\tq\t/jointset/j/qq/value\n0\t0.1\t2\n");
    fb_run run = RUN(pendulum, "eval", "--states", file, "--tables", "com", "-");
    FB_EQUAL_INT(run.status, 0);
    FB_HOLDS(run.err, "1 of the columns names nothing in the model; the first is "
                      "'/jointset/j/qq/value'");
    fb_run_free(&run);
    static const struct {
        const char *rows, *message;
        int status;
    } odd[] = {
        {"time\tQ\n0\t1\n", "the first is 'Q'; did you mean 'q'?", 3},
        {"q\ttime\n0\t1\n", "the first column of a table of states must be 'time', not 'q'", 3},
        {"time\tq\n", "there are no rows of numbers", 3},
        {"time\tq\n0\tnan\n", "row 1 has no number for 'q'", 3},
        {"time\tq\t/jointset/j/q/value\n0\t1\t0.2\n", "gives what another one gives", 0},
        {"time\tq\n0\t300\n", "'q' is outside its range", 0},
    };
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
        char text[200];
        snprintf(text, sizeof text, "s\nendheader\n%s", odd[i].rows);
        put_states(folder, file, sizeof file, text);
        run = RUN(pendulum, "eval", "--states", file, "--tables", "com", "-");
        FB_EQUAL_INT(run.status, odd[i].status);
        FB_HOLDS(run.err, odd[i].message);
        FB_TRUE((run.status == 0) == (run.out[0] != 0), "%s: a table or none", odd[i].message);
        fb_run_free(&run);
    }
}

/* Fiber lengths in the states count when they are asked for. */
static void fiber_lengths_may_be_given(void) {
    const char *folder = fb_test_folder();
    char file[1100];
    put_states(folder, file, sizeof file,
               "s\nendheader\ntime\tbiceps_long.fiber_length\n0\t0.13\n");
    size_t size;
    char *model = fb_test_read_file("models/elbow/elbow.osim", &size);
    for (int asked = 0; asked < 2; asked++) {
        fb_run run = RUN(model, "eval", "--states", file, "--tables", "muscle", "--fibers",
                         asked ? "states" : "equilibrium", "-");
        FB_EQUAL_INT(run.status, 0);
        fb_sto t;
        fb_diag diag;
        fb_diag_init(&diag);
        FB_EQUAL_INT(fb_sto_read(&t, run.out, strlen(run.out), "out", &diag), FB_OK);
        int column = fb_sto_column(&t, "/forceset/biceps_long|fiber_length");
        FB_TRUE((fabs(t.values[column] - 0.13) < 1e-15) == (asked == 1), "it is %.17g",
                t.values[column]);
        FB_TRUE(!asked == (strstr(run.err, "fiber lengths in a table") != NULL), "%s", run.err);
        fb_sto_free(&t);
        fb_diag_clear(&diag);
        fb_run_free(&run);
    }
    free(model);
}

/* A prescribed coordinate is where its function is at the row's time. */
static void prescribed_coordinates_follow_time(void) {
    const char *model = "{\"fb\": \"1.0\", \"bodies\": [{\"name\": \"a\", \"mass\": 2, "
                        "\"inertia\": [1, 1, 1, 0, 0, 0]}], \"joints\": [{\"name\": \"j\", "
                        "\"type\": \"slider\", \"parent\": \"ground\", \"child\": \"a\", "
                        "\"coordinates\": [{\"name\": \"q\", \"prescribed\": true, "
                        "\"prescribed_function\": {\"type\": \"polynomial\", \"coefficients\": "
                        "[3, 2, 0.5]}}]}]}";
    const char *folder = fb_test_folder();
    char file[1100];
    put_states(folder, file, sizeof file, "s\nendheader\ntime\n0\n0.5\n2\n");
    fb_run run = RUN(model, "eval", "--states", file, "--out", folder, "-");
    FB_EQUAL_INT(run.status, 0);
    fb_sto com, acceleration;
    if (fb_test_table_of(&com, folder, "com") &&
        fb_test_table_of(&acceleration, folder, "acceleration")) {
        const double times[] = {0, 0.5, 2};
        for (int i = 0; i < 3; i++) {
            double t = times[i];
            FB_NEAR(com.values[8 * i + 1], 3 * t * t + 2 * t + 0.5, 1e-12, 0);
            FB_NEAR(com.values[8 * i + 4], 6 * t + 2, 1e-12, 0);
            FB_NEAR(acceleration.values[2 * i + 1], 6, 1e-12, 0);
        }
        fb_sto_free(&com);
        fb_sto_free(&acceleration);
    }
    fb_run_free(&run);
}

/* A muscle at a virtual link whose length is not given stays in equilibrium: both tables agree. */
static void links_hold_only_given_fibers(void) {
    size_t size;
    char *model = fb_test_read_file("models/quadriceps/quadriceps.fb", &size);
    const char *folder = fb_test_folder();
    char file[1100];
    put_states(folder, file, sizeof file,
               "s\nendheader\ntime\tknee_flexion\trectus_femoris.fiber_length\n0\t0.5\t0.1\n");
    fb_run run = RUN(model, "eval", "--states", file, "--fibers", "states", "--out", folder, "-");
    FB_EQUAL_INT(run.status, 0);
    fb_sto link, muscle;
    if (fb_test_table_of(&link, folder, "virtual_link") &&
        fb_test_table_of(&muscle, folder, "muscle")) {
        int compared = 0;
        for (int j = 0; j < muscle.n_columns; j++) {
            size_t n = strcspn(muscle.columns[j], "|");
            for (int k = 0; k < link.n_columns; k++) {
                const char *wire = strchr(link.columns[k], '|');
                if (wire && strlen(wire + 1) == n && strncmp(wire + 1, muscle.columns[j], n) == 0 &&
                    strcmp(muscle.columns[j] + n, "|tendon_force") == 0) {
                    FB_NEAR(link.values[k], muscle.values[j], 1e-6, 1e-6);
                    compared++;
                }
            }
        }
        FB_EQUAL_INT(compared, 4);
        fb_sto_free(&link);
        fb_sto_free(&muscle);
    }
    fb_run_free(&run);
    free(model);
}

static void options_are_of_commands(void) {
    static const char *const wrong[][4] = {{"eval", "--muscle", "x", "--muscle is not for eval"},
                                           {"sweep", "--states", "x", "--states is not for sweep"},
                                           {"curves", "--tables", "com",
                                            "--tables is not for curves"}};
    for (size_t i = 0; i < 3; i++) {
        fb_run run = RUN(pendulum, wrong[i][0], wrong[i][1], wrong[i][2], "-");
        FB_EQUAL_INT(run.status, 2);
        FB_HOLDS(run.err, wrong[i][3]);
        fb_run_free(&run);
    }
}

static void one_table_goes_to_standard_output(void) {
    fb_run run = RUN(pendulum, "eval", "--tables", "marker", "-");
    FB_EQUAL_INT(run.status, 0);
    FB_TRUE(strncmp(run.out, "marker\n", 7) == 0, "it begins: %.30s", run.out);
    FB_HOLDS(run.out, "/markerset/end|x");
    fb_run_free(&run);
}

static void wrong_usage_has_status_2(void) {
    fb_run run = RUN(NULL, "dance", ELBOW);
    FB_EQUAL_INT(run.status, 2);
    fb_run_free(&run);
    run = RUN(NULL, "eval", ELBOW, "--tables", "body_pose,legs");
    FB_EQUAL_INT(run.status, 2);
    FB_HOLDS(run.err, "no table 'legs'");
    fb_run_free(&run);
    run = RUN(NULL, "eval", ELBOW, "-o", "x.sto");
    FB_EQUAL_INT(run.status, 2);
    fb_run_free(&run);
    run = RUN(NULL, "eval", ELBOW, "--compat", "opensim3");
    FB_EQUAL_INT(run.status, 2);
    fb_run_free(&run);
}

static void missing_states_have_status_3(void) {
    fb_run run = RUN(NULL, "eval", ELBOW, "--states", "no/such.sto");
    FB_EQUAL_INT(run.status, 3);
    fb_run_free(&run);
}

static const fb_test tests[] = {
    FB_TEST(a_pendulum_swings_as_the_formula_says),
    FB_TEST(columns_stand_as_in_the_file),
    FB_TEST(reads_degrees_and_old_names),
    FB_TEST(states_of_forces_are_read),
    FB_TEST(default_speeds_are_those_of_the_default_state),
    FB_TEST(moment_arms_are_the_slope_of_lengths),
    FB_TEST(forces_that_are_not_computed_are_named),
    FB_TEST(joints_and_constraints_that_are_not_computed_are_named),
    FB_TEST(rolling_is_off_in_opensim4_and_told_otherwise),
    FB_TEST(motions_that_are_not_computed_are_named),
    FB_TEST(paths_with_points_of_unknown_classes_have_no_length),
    FB_TEST(sweeps_give_arms_that_are_the_slope_of_lengths),
    FB_TEST(virtual_links_have_a_table),
    FB_TEST(the_quadriceps_extends_the_knee),
    FB_TEST(a_link_without_equilibrium_has_status_5),
    FB_TEST(columns_that_name_nothing_are_told),
    FB_TEST(fiber_lengths_may_be_given),
    FB_TEST(prescribed_coordinates_follow_time),
    FB_TEST(links_hold_only_given_fibers),
    FB_TEST(options_are_of_commands),
    FB_TEST(one_table_goes_to_standard_output),
    FB_TEST(wrong_usage_has_status_2),
    FB_TEST(missing_states_have_status_3),
    FB_TEST_END,
};

int main(int argc, char **argv) {
    return fb_test_main("fbsim", tests, argc, argv);
}
