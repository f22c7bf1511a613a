/* fbsim eval with external loads, controllers and contact meshes from files. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/tools/tables.h"
#include "tools/cli.h"

#define RUN(INPUT, ...) FB_RUN(fb_fbsim_main, (INPUT), "fbsim", __VA_ARGS__)

/* ---- files and tables ------------------------------------------------------------------------ */

static const char *put(const char *folder, const char *name, const char *text) {
    const char *file = fb_test_path(folder, name);
    fb_test_write_file(file, text, strlen(text));
    return file;
}

/* Two rods on pins; the second's frame and a turntable to express things in. */
static const char arm[] =
    "{\"fb\": \"1.0\", \"name\": \"m\", \"gravity\": [0, 0, 0], \"bodies\": [{\"name\": \"upper\", "
    "\"mass\": 2, \"mass_center\": [0, -0.5, 0], \"inertia\": [0.1, 0.1, 0.1, 0, 0, 0]}, "
    "{\"name\": "
    "\"lower\", \"mass\": 1, \"mass_center\": [0, -0.3, 0.1], \"inertia\": [0.1, 0.2, 0.3, 0, 0, "
    "0]}], \"frames\": [{\"name\": \"end\", \"parent\": \"upper\", \"translation\": [0, -1, 0], "
    "\"rotation_xyz\": [0.4, 0.2, -0.3]}], \"joints\": [{\"name\": \"j\", \"type\": \"pin\", "
    "\"parent\": \"ground\", \"child\": \"upper\", \"coordinates\": [{\"name\": \"q1\"}]}, "
    "{\"name\": \"k\", \"type\": \"ball\", \"parent\": \"end\", \"child\": \"lower\", "
    "\"coordinates\": [{\"name\": \"a\"}, {\"name\": \"b\"}, {\"name\": \"c\"}]}], \"markers\": "
    "[{\"name\": \"hit\", \"frame\": \"lower\", \"location\": [0.1, -0.4, 0.2]}]}";

#define EXTERNAL_LOADS(VERSION, DATA, FORCES) \
    "<?xml version=\"1.0\"?>\n<OpenSimDocument Version=\"" VERSION \
    "\"><ExternalLoads name=\"x\">\n" \
    "<objects>" FORCES "</objects><groups/>\n" DATA "</ExternalLoads></OpenSimDocument>"
#define DATA "<datafile> forces.sto </datafile>"
#define LOAD(NAME, BODY, MORE) \
    "<ExternalForce name=\"" NAME "\">\n<applied_to_body>" BODY "</applied_to_body>" MORE \
    "</ExternalForce>"
#define FORCE "<force_identifier>f_v</force_identifier>"
#define POINT "<point_identifier>f_p</point_identifier>"
#define TORQUE "<torque_identifier>t_</torque_identifier>"

/* ---- loads ----------------------------------------------------------------------------------- */

/* A force F at a point adds J^T F: power F . v equals tau . u for each unit speed, where v is the
 * marker's velocity by central differences of poses. */
static void a_force_is_its_jacobian_transposed(void) {
    const char *folder = fb_test_folder();
    static const double h = 1e-6, F[3] = {30, -20, 50};
    char text[6000];
    int n = snprintf(text, sizeof text, "s\nendheader\ntime\tq1\ta\tb\tc\tq1_u\ta_u\tb_u\tc_u\n");
    /* row 0: the pose; then two rows for each coordinate, along a unit of its own rate */
    const double q[4] = {0.5, 0.4, -0.3, 0.7};
    for (int i = 0; i < 9; i++) {
        double x[4];
        memcpy(x, q, sizeof x);
        if (i > 0) {
            x[(i - 1) / 2] += i % 2 ? h : -h;
        }
        n += snprintf(text + n, sizeof text - (size_t)n,
                      "0.25\t%.17g\t%.17g\t%.17g\t%.17g\t0\t0\t0\t0\n", x[0], x[1], x[2], x[3]);
    }
    const char *states = put(folder, "states.sto", text);
    put(folder, "forces.sto",
        "forces\nendheader\ntime\tf_vx\tf_vy\tf_vz\tf_px\tf_py\tf_pz\n"
        "0\t10\t-20\t50\t0.1\t-0.4\t0.2\n0.5\t50\t-20\t50\t0.1\t-0.4\t0.2\n");
    const char *loads =
        put(folder, "loads.xml",
            EXTERNAL_LOADS("30000", DATA,
                           LOAD("push", "lower",
                                FORCE POINT "<point_expressed_in_body>lower"
                                            "</point_expressed_in_body>")
                               LOAD("off", "nowhere", FORCE "<isDisabled> true </isDisabled>")));
    fb_run run = RUN(arm, "eval", "--states", states, "--external-loads", loads, "--out", folder,
                     "--tables", "inverse_dynamics,marker,mass_matrix,acceleration", "-");
    FB_EQUAL_INT(run.status, 0);
    FB_EQUAL_STR(run.err, "");
    fb_sto t, m, a, M;
    if (fb_test_table_of(&t, folder, "inverse_dynamics") &&
        fb_test_table_of(&m, folder, "marker") && fb_test_table_of(&a, folder, "acceleration") &&
        fb_test_table_of(&M, folder, "mass_matrix")) {
        static const char *const names[] = {"q1", "a", "b", "c"}, *const at[] = {"x", "y", "z"};
        double tau[4], rate[4] = {0, 0, 0, 0};
        for (int k = 0; k < 4; k++) {
            tau[k] = -fb_test_cell(&t, 0, names[k]); /* nothing moves: only the load */
            for (int i = 0; i < 3; i++) {
                char column[40];
                snprintf(column, sizeof column, "/markerset/hit|%s", at[i]);
                rate[k] +=
                    F[i] *
                    (fb_test_cell(&m, 2 * k + 1, column) - fb_test_cell(&m, 2 * k + 2, column)) /
                    (2 * h);
            }
        }
        FB_NEAR(tau[0], rate[0], 1e-7, 1e-8);
        /* a ball's speeds are its angular velocity: qdot = N u, so F . v = tau . u needs N^T */
        double s1 = sin(q[1]), c1 = cos(q[1]), s2 = sin(q[2]), c2 = cos(q[2]);
        FB_NEAR(tau[1], rate[1], 1e-7, 1e-8);
        FB_NEAR(tau[2], s1 * s2 / c2 * rate[1] + c1 * rate[2] - s1 / c2 * rate[3], 1e-7, 1e-8);
        FB_NEAR(tau[3], -c1 * s2 / c2 * rate[1] + s1 * rate[2] + c1 / c2 * rate[3], 1e-7, 1e-8);
        for (int k = 0; k < 4; k++) { /* M udot = tau, M's lower triangle being written */
            double sum = 0;
            for (int j = 0; j < 4; j++) {
                char column[40];
                snprintf(column, sizeof column, "%s|%s", names[k > j ? k : j],
                         names[k > j ? j : k]);
                if (fb_sto_column(&M, column) >= 0) {
                    sum += fb_test_cell(&M, 0, column) * fb_test_cell(&a, 0, names[j]);
                }
            }
            FB_NEAR(sum, tau[k], 1e-8, 1e-8);
        }
        fb_sto_free(&t);
        fb_sto_free(&m);
        fb_sto_free(&a);
        fb_sto_free(&M);
    }
    size_t size;
    char *table = fb_test_read_file(fb_test_path(folder, "acceleration.sto"), &size);
    FB_HOLDS(table, "external_loads=loads.xml: push\n");
    fb_free(table);
    fb_run_free(&run);
}

/* One row: it acts at all times. Force and torque in the lower rod's axes, the point in ground's.
 */
static void forces_may_be_given_in_other_bodies(void) {
    const char *folder = fb_test_folder();
    const char *states = put(folder, "states.sto",
                             "s\nendheader\ntime\tq1\n7\t1.5707963267948966\n");
    put(folder, "forces.sto",
        "f\nendheader\ntime\tf_vx\tf_vy\tf_vz\tf_px\tf_py\tf_pz\tt_x\tt_y\tt_z\n"
        "0\t4\t0\t0\t0.5\t0\t0\t0\t0\t3\n");
    const char *loads = put(folder, "loads.xml",
                            EXTERNAL_LOADS("40500", DATA,
                                           LOAD("push", "/bodyset/upper",
                                                FORCE POINT TORQUE "<force_expressed_in_body>upper"
                                                                   "</force_expressed_in_body>")));
    /* turned by 90 degrees, x of the rod is y of ground: 4 N upwards at x = 0.5, and 3 N m */
    fb_run run = RUN(arm, "eval", "-s", states, "--external-loads", loads, "--tables",
                     "inverse_dynamics", "-");
    FB_EQUAL_INT(run.status, 0);
    FB_HOLDS(run.out, "\n7\t-5"); /* -(0.5 * 4 + 3) */
    fb_run_free(&run);
    /* without a point, at the body's origin */
    loads = put(folder, "more.xml", EXTERNAL_LOADS("40500", DATA, LOAD("push", "upper", FORCE)));
    run = RUN(arm, "eval", "-s", states, "--external-loads", loads, "--tables", "inverse_dynamics",
              "-");
    FB_EQUAL_INT(run.status, 0);
    FB_HOLDS(run.out, "\n7\t0\t");
    fb_run_free(&run);
}

/* Four rows and more are a natural cubic; states outside are told. */
static void loads_are_interpolated(void) {
    const char *folder = fb_test_folder();
    const char *states = put(folder, "states.sto", "s\nendheader\ntime\tq1\n1.5\t0\n9\t0\n");
    put(folder, "forces.sto",
        "f\nendheader\ntime\tf_vx\tf_vy\tf_vz\tt_x\tt_y\tt_z\n"
        "0\t0\t0\t0\t0\t0\t0\n1\t0\t0\t0\t0\t0\t1\n2\t0\t0\t0\t0\t0\t1\n3\t0\t0\t0\t0\t0\t0\n");
    const char *loads = put(folder, "loads.xml",
                            EXTERNAL_LOADS("30000", DATA, LOAD("turn", "upper", TORQUE)));
    fb_run run = RUN(arm, "eval", "-s", states, "--external-loads", loads, "--tables",
                     "inverse_dynamics", "-");
    FB_EQUAL_INT(run.status, 0);
    /* second derivatives -6/5 inside: 1 + 6/5 * (1/2)^2 / 2 in the middle */
    FB_HOLDS(run.out, "\n1.5\t-1.15\t");
    FB_HOLDS(run.err, "1 of 2 states are outside the times of its data, 0 to 3 s");
    fb_run_free(&run);
    run = RUN(arm, "eval", "-s", states, "--external-loads", loads, "--time", "1", "--tables",
              "inverse_dynamics", "-");
    FB_HOLDS(run.out, "\n1.5\t-1\t");
    FB_HOLDS(run.out, "\n9\t-1\t");
    FB_EQUAL_STR(run.err, "");
    fb_run_free(&run);
}

/* The model's own ExternalForces take a table. */
static void a_models_own_loads_take_a_table(void) {
    const char *folder = fb_test_folder();
    char model[3000];
    snprintf(model, sizeof model,
             "%.*s, \"forces\": [{\"name\": \"plate\", \"type\": \"external\", \"body\": "
             "\"upper\", \"force_expressed_in\": \"upper\", \"force_identifier\": \"f_v\", "
             "\"point_identifier\": \"f_p\"}]}",
             (int)strlen(arm) - 1, arm);
    const char *states = put(folder, "states.sto",
                             "s\nendheader\ntime\tq1\n7\t1.5707963267948966\n");
    const char *table = put(folder, "forces.sto",
                            "f\nendheader\ntime\tf_vx\tf_vy\tf_vz\tf_px\tf_py\tf_pz\n"
                            "0\t4\t0\t0\t0.5\t0\t0\n");
    fb_run run = RUN(model, "eval", "-s", states, "--external-loads", table, "--tables",
                     "inverse_dynamics,acceleration", "--out", folder, "-");
    FB_EQUAL_INT(run.status, 0);
    FB_EQUAL_STR(run.err, "");
    fb_sto t;
    if (fb_test_table_of(&t, folder, "inverse_dynamics")) {
        FB_NEAR(fb_test_cell(&t, 0, "q1"), -2, 1e-12, 0);
        fb_sto_free(&t);
    }
    fb_run_free(&run);
    run = RUN(model, "eval", "-s", states, "--tables", "acceleration", "--out", folder, "-");
    FB_EQUAL_INT(run.status, 4);
    FB_HOLDS(run.err, "ExternalForce 'plate': a measured load acts only with its data");
    fb_run_free(&run);
    run = RUN(arm, "eval", "--external-loads", table, "--tables", "com", "-");
    FB_EQUAL_INT(run.status, 3);
    FB_HOLDS(run.err, "the model has no ExternalForce");
    fb_run_free(&run);
}

static void loads_that_cannot_be_applied_are_refused(void) {
    const char *folder = fb_test_folder();
    static const struct {
        const char *loads, *data, *says;
    } bad[] = {
        {"<Model/>", "", "no <ExternalLoads>"},
        {EXTERNAL_LOADS("30000", "", LOAD("p", "upper", FORCE)), "", "no <datafile>"},
        {EXTERNAL_LOADS("20201", DATA, ""), "", "older than 20301"},
        {EXTERNAL_LOADS("30000", "<datafile>lost.sto</datafile>", ""), "", "lost.sto"},
        {EXTERNAL_LOADS("30000", DATA, LOAD("p", "upper", FORCE)), "x\n", "endheader"},
        {EXTERNAL_LOADS("30000", DATA, LOAD("p", "upper", FORCE)),
         "x\nendheader\ntime\tf_vx\tf_vy\n0\t1\t2\n", "2 columns of"},
        {EXTERNAL_LOADS("30000", DATA, LOAD("p", "upper", FORCE)),
         "x\nendheader\ntime\tf_vx\tf_vy\tf_vz\n0\t1\t2\tnan\n", "finite in column 'f_vz'"},
        {EXTERNAL_LOADS("30000", DATA, LOAD("p", "upper", FORCE)),
         "x\nendheader\ntime\tf_vx\tf_vy\tf_vz\n1\t1\t2\t3\n1\t1\t2\t3\n", "do not rise"},
        {EXTERNAL_LOADS("30000", DATA, LOAD("p", "upper", FORCE)),
         "x\nendheader\ntime\tf_vx\tf_vy\tf_vz\n", "no rows"},
        {EXTERNAL_LOADS("30000", DATA, LOAD("p", "nowhere", FORCE)),
         "x\nendheader\ntime\tf_vx\tf_vy\tf_vz\n0\t1\t2\t3\n",
         "loads.xml:3: error: 'p': <applied_to_body>: the model has no body 'nowhere'"},
        {EXTERNAL_LOADS("30000", DATA, LOAD("p", "upper", POINT)),
         "x\nendheader\ntime\tf_px\tf_py\tf_pz\n0\t1\t2\t3\n", "a point but no force"},
        {EXTERNAL_LOADS("30000", DATA,
                        LOAD("p", "upper", "<force_identifier>Unassigned</force_identifier>")),
         "x\nendheader\ntime\tf_vx\n0\t1\n", "neither a force nor a torque"},
        {EXTERNAL_LOADS("30000", DATA, "<PrescribedForce name=\"q\"/>"),
         "x\nendheader\ntime\tf_vx\n0\t1\n", "PrescribedForce"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const char *loads = put(folder, "loads.xml", bad[i].loads);
        put(folder, "forces.sto", bad[i].data);
        fb_run run = RUN(arm, "eval", "--external-loads", loads, "--tables", "com", "-");
        FB_EQUAL_INT(run.status, 3);
        FB_HOLDS(run.err, bad[i].says);
        FB_EQUAL_STR(run.out, "");
        fb_run_free(&run);
    }
    fb_run run = RUN(arm, "eval", "--external-loads", "no_such.xml", "--tables", "com", "-");
    FB_EQUAL_INT(run.status, 3);
    fb_run_free(&run);
    run = RUN(arm, "eval", "--time", "soon", "--tables", "com", "-");
    FB_EQUAL_INT(run.status, 2);
    fb_run_free(&run);
}

/* ---- controllers ----------------------------------------------------------------------------- */

static const char driven[] =
    "{\"fb\": \"1.0\", \"name\": \"m\", \"gravity\": [0, 0, 0], \"bodies\": [{\"name\": \"rod\", "
    "\"mass\": 2, \"inertia\": [1, 1, 1, 0, 0, 0]}], \"joints\": [{\"name\": \"j\", \"type\": "
    "\"slider\", \"parent\": \"ground\", \"child\": \"rod\", \"coordinates\": [{\"name\": "
    "\"q\"}]}], "
    "\"actuators\": [{\"name\": \"motor\", \"type\": \"coordinate\", \"coordinate\": \"q\", "
    "\"optimal_force\": 10}], \"controllers\": [{\"name\": \"c\", \"type\": \"%s\", \"actuators\": "
    "[\"motor\"], %s}]}";

static double acceleration(const char *folder, const char *type, const char *how, double time,
                           const char *compat) {
    char text[2000], at[40];
    snprintf(text, sizeof text, driven, type, how);
    const char *model = put(folder, "m.fb", text);
    snprintf(at, sizeof at, "s\nendheader\ntime\tq\n%g\t0\n", time);
    const char *states = put(folder, "states.sto", at);
    fb_run run = RUN(NULL, "eval", model, "-s", states, "--tables", "acceleration", "--compat",
                     compat);
    FB_EQUAL_INT(run.status, 0);
    FB_EQUAL_STR(run.err, "");
    const char *tab = strrchr(run.out, '\t');
    double value = tab ? atof(tab + 1) : HUGE_VAL;
    fb_run_free(&run);
    return value;
}

static void controllers_act(void) {
    const char *folder = fb_test_folder();
    static const char ramp[] =
        "\"control_functions\": [{\"type\": \"linear\", \"coefficients\": [2, 1]}]";
    FB_NEAR(acceleration(folder, "prescribed", ramp, 3, "none"), 5 * 7, 1e-12, 0);
    /* OpenSim's states have time 0 unless a program sets it */
    FB_NEAR(acceleration(folder, "prescribed", ramp, 3, "opensim4"), 5, 1e-12, 0);
    put(folder, "c.sto", "c\nendheader\ntime\tmotor\n0\t1\n2\t2\n4\t8\n");
    FB_NEAR(acceleration(folder, "prescribed", "\"controls_file\": \"c.sto\"", 3, "none"), 5 * 5,
            1e-12, 0);
    FB_NEAR(acceleration(folder, "prescribed", "\"controls_file\": \"c.sto\"", 9, "none"), 5 * 8,
            1e-12, 0);
    FB_NEAR(acceleration(folder, "control_set", "\"controls_file\": \"c.sto\"", 5, "none"), 5 * 11,
            1e-12, 0);
    static const char *const sets[] = {"true", "false"};
    for (int steps = 0; steps < 2; steps++) {
        char text[1500];
        snprintf(
            text, sizeof text,
            "<OpenSimDocument Version=\"40500\"><ControlSet name=\"s\"><objects><ControlLinear "
            "name=\"motor\"><use_steps>%s</use_steps><x_nodes><ControlLinearNode><t>0</t>"
            "<value>1</value></ControlLinearNode><ControlLinearNode><t>2</t><value>3</value>"
            "</ControlLinearNode><ControlLinearNode><t>4</t><value>8</value>"
            "</ControlLinearNode></x_nodes></ControlLinear></objects></ControlSet>"
            "</OpenSimDocument>",
            sets[steps]);
        put(folder, "c.xml", text);
        double in = acceleration(folder, "control_set", "\"controls_file\": \"c.xml\"", 1, "none");
        double beyond = acceleration(folder, "control_set", "\"controls_file\": \"c.xml\"", 5,
                                     "none");
        FB_NEAR(in, steps == 0 ? 5 * 3 : 5 * 2, 1e-12, 0); /* a step holds until its node */
        FB_NEAR(beyond, steps == 0 ? 5 * 8 : 5 * 10.5, 1e-12, 0);
    }
}

static void controls_that_are_missing_are_told(void) {
    const char *folder = fb_test_folder();
    static const char *const bad[][3] = {
        {"lost.sto", "", "are not found"},
        {"c.sto", "c\nendheader\ntime\tmotor\n0\t1\n0\t2\n", "do not rise"},
        {"c.sto", "c\ntime\tmotor\n", "endheader"},
        {"c.xml", "<ControlSet/>", "no ControlSet"},
        {"c.xml", "<ControlSet>", "c.xml"},
        {"c.xml", "<ControlSet><objects><ControlLinear name='motor'/></objects></ControlSet>",
         "no values in the order of time"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[2000], how[100];
        snprintf(how, sizeof how, "\"controls_file\": \"%s\"", bad[i][0]);
        snprintf(text, sizeof text, driven, "control_set", how);
        const char *model = put(folder, "m.fb", text);
        if (*bad[i][1]) {
            put(folder, bad[i][0], bad[i][1]);
        }
        fb_run run = RUN(NULL, "eval", model, "--out", folder, "--tables", "acceleration");
        FB_EQUAL_INT(run.status, 4);
        FB_HOLDS(run.err, bad[i][2]);
        fb_run_free(&run);
        run = RUN(NULL, "eval", model, "--out", folder, "--ignore-kept", "--tables",
                  "acceleration");
        FB_EQUAL_INT(run.status, 0);
        fb_run_free(&run);
    }
}

/* ---- contact meshes -------------------------------------------------------------------------- */

static void contact_meshes_are_found(void) {
    const char *folder = fb_test_folder(), *other = fb_test_folder();
    static const char model[] =
        "{\"fb\": \"1.0\", \"name\": \"m\", \"gravity\": [0, 0, 0], \"bodies\": [{\"name\": "
        "\"box\", "
        "\"mass\": 2, \"inertia\": [1, 1, 1, 0, 0, 0]}], \"joints\": [{\"name\": \"j\", \"type\": "
        "\"slider\", \"parent\": \"ground\", \"child\": \"box\", \"coordinates\": [{\"name\": "
        "\"q\"}]}], \"contact_geometry\": [{\"name\": \"wall\", \"type\": \"half_space\", "
        "\"frame\": "
        "\"ground\"}, {\"name\": \"cube\", \"type\": \"mesh\", \"frame\": \"box\", \"file\": "
        "\"sub\\\\cube.obj\"}], \"contact_forces\": [{\"name\": \"e\", \"type\": "
        "\"elastic_foundation\", \"contact_parameters\": [{\"type\": \"elastic_foundation\", "
        "\"geometry\": [\"wall\", \"cube\"], \"stiffness\": 1e5}]}]}";
    static const char cube[] =
        "v -1 -1 -1\nv 1 -1 -1\nv -1 1 -1\nv 1 1 -1\nv -1 -1 1\nv 1 -1 1\nv -1 1 1\nv 1 1 1\n"
        "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n";
    const char *file = put(folder, "m.fb", model);
    const char *states = put(folder, "s.sto", "s\nendheader\ntime\tq\n0\t-0.99\n");
    fb_run run = RUN(NULL, "eval", file, "-s", states, "--out", folder, "--tables", "acceleration");
    FB_EQUAL_INT(run.status, 4);
    FB_HOLDS(run.err, "its mesh 'sub\\cube.obj' is not found");
    fb_run_free(&run);
    char sub[1200];
    snprintf(sub, sizeof sub, "%s/sub", other);
    FB_EQUAL_INT(mkdir(sub, 0777), 0);
    put(sub, "cube.obj", cube);
    run = RUN(NULL, "eval", file, "-s", states, "--tables", "acceleration", "--geometry", other);
    FB_EQUAL_INT(run.status, 0);
    const char *tab = strrchr(run.out, '\t'); /* 4 m^2, 1 cm deep: 4000 N back */
    FB_NEAR(tab ? atof(tab + 1) : HUGE_VAL, -2000, 1e-6, 0);
    fb_run_free(&run);
    put(sub, "cube.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    run = RUN(NULL, "eval", file, "-s", states, "--out", folder, "--tables", "acceleration", "-g",
              other);
    FB_EQUAL_INT(run.status, 4);
    FB_HOLDS(run.err, "its mesh is not closed");
    fb_run_free(&run);
    put(sub, "cube.obj", "v 0 0 0\nf 1 2 3\n");
    run = RUN(NULL, "eval", file, "-s", states, "--out", folder, "--tables", "acceleration", "-g",
              other);
    FB_EQUAL_INT(run.status, 4);
    FB_HOLDS(run.err, "cube.obj', line 2: a face has a vertex that does not exist");
    fb_run_free(&run);
}

/* The motion that comes with the elbow model: its weight of 4 kg in the hand adds to the shoulder's
 * moment its lever about the shoulder's axis, which is the line x = 0 in the plane of walking. */
static void the_shipped_motion_has_its_weight(void) {
    const char *folder = fb_test_folder();
    const double weight = 4 * 9.80665, palm[3] = {0.002, -0.05, 0.003};
    double moment[2] = {0, 0}, lever = 0;
    for (int with = 0; with < 2; with++) {
        fb_run run = with ? RUN(NULL, "eval", "models/elbow/elbow.osim", "-s",
                                "models/elbow/curl.mot", "--external-loads",
                                "models/elbow/curl_loads.xml", "--out", folder)
                          : RUN(NULL, "eval", "models/elbow/elbow.osim", "-s",
                                "models/elbow/curl.mot", "--out", folder);
        FB_EQUAL_INT(run.status, 0);
        FB_EQUAL_STR(run.err, "");
        fb_run_free(&run);
        fb_sto dynamics, poses;
        if (!fb_test_table_of(&dynamics, folder, "inverse_dynamics") ||
            !fb_test_table_of(&poses, folder, "body_pose")) {
            return;
        }
        FB_EQUAL_INT(dynamics.n_rows, 41);
        moment[with] = fb_test_cell(&dynamics, 20, "shoulder_flexion"); /* at 1 s */
        lever = fb_test_cell(&poses, 20, "/bodyset/hand|px") +
                fb_test_cell(&poses, 20, "/bodyset/hand|r00") * palm[0] +
                fb_test_cell(&poses, 20, "/bodyset/hand|r01") * palm[1] +
                fb_test_cell(&poses, 20, "/bodyset/hand|r02") * palm[2];
        fb_sto_free(&dynamics);
        fb_sto_free(&poses);
    }
    FB_TRUE(lever > 0.2, "the hand is in front: %g m", lever);
    FB_NEAR(moment[1] - moment[0], weight * lever, 1e-6, 0);
}

static const fb_test tests[] = {
    FB_TEST(the_shipped_motion_has_its_weight),
    FB_TEST(a_force_is_its_jacobian_transposed),
    FB_TEST(forces_may_be_given_in_other_bodies),
    FB_TEST(loads_are_interpolated),
    FB_TEST(a_models_own_loads_take_a_table),
    FB_TEST(loads_that_cannot_be_applied_are_refused),
    FB_TEST(controllers_act),
    FB_TEST(controls_that_are_missing_are_told),
    FB_TEST(contact_meshes_are_found),
    FB_TEST_END,
};

int main(int argc, char **argv) {
    return fb_test_main("fbsim_loads", tests, argc, argv);
}
