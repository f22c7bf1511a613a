/* Inverse dynamics against what is worked out by hand, the forward dynamics of the same pose, and
 * the balance of power; fbsim id and InverseDynamicsTool. */
#include "libcore/solve/id.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/help.h"
#include "tools/cli.h"

#define G 9.80665
#define MASS 2.5
#define LENGTH 0.4
#define INERTIA 0.03

/* ---- a rig ----------------------------------------------------------------------------------- */

typedef struct rig {
    fb_model *model;
    fb_simulation *s;
    fb_diag diag;
    fb_arena arena;
    fb_signal series;
    fb_splines splines;
    int *column;
    fb_id id;
} rig;

/* A rod that hangs on a joint of ground, and a second one that hangs on the first. */
static const char *const document =
    "{'fb': '1.0', 'gravity': [0, -9.80665, 0],"
    "'bodies': [{'name': 'rod', 'mass': 2.5, 'mass_center': [0, -0.4, 0],"
    "            'inertia': [0.02, 0.01, 0.03, 0, 0, 0]},"
    "           {'name': 'tip', 'mass': 1.5, 'mass_center': [0.1, -0.2, 0.05],"
    "            'inertia': [0.01, 0.02, 0.015, 0.001, 0, 0]}],"
    "'frames': [{'name': 'end', 'parent': 'rod', 'translation': [0, -0.8, 0],"
    "            'rotation_xyz': [0.2, 0.1, 0]}],"
    "'joints': [{'name': 'hang', 'type': '%s', 'parent': 'ground', 'child': 'rod'},"
    "           {'name': 'knee', 'type': 'pin', 'parent': 'end', 'child': 'tip'}]}";

/* Coordinate i moves as a sine of its own; all of them from 0 to 2 s. */
static double course(int i, double t) {
    return 0.5 * sin((1.3 + 0.4 * i) * t + i);
}

static void begin(rig *r, const char *joint, bool alone) {
    memset(r, 0, sizeof *r);
    char text[2000];
    snprintf(text, sizeof text, document, joint);
    fb_test_quotes(text);
    if (alone) { /* without the second rod */
        char *cut = strstr(text, ",           {\"name\": \"tip\"");
        char *rest = strstr(text, "\"frames\"");
        memmove(cut, "],", 2);
        memmove(cut + 2, rest, strlen(rest) + 1);
        cut = strstr(text, ",           {\"name\": \"knee\"");
        memmove(cut, "]}", 3);
    }
    r->model = fb_test_must(fb_test_fb(text, &r->diag, NULL), &r->diag);
    FB_EQUAL_INT(fb_simulation_new(&r->s, r->model, false, &r->diag), FB_OK);
    fb_arena_init(&r->arena);
    int n = r->s->system->n_q, rows = 201;
    fb_signal_start(&r->series, rows, n, &r->arena);
    r->column = fb_arena_array(&r->arena, (size_t)n, sizeof *r->column);
    for (int k = 0; k < rows; k++) {
        r->series.time[k] = 0.01 * k;
        for (int i = 0; i < n; i++) {
            r->column[i] = n - 1 - i; /* in another order */
            r->series.y[k * n + r->column[i]] = course(i, 0.01 * k);
        }
    }
    FB_TRUE(fb_splines_make(&r->splines, 5, &r->series, &r->arena), "splines");
    fb_id_make(&r->id, r->s, &r->splines, r->column, &r->arena);
}

static void end(rig *r) {
    fb_simulation_free(r->s);
    fb_arena_clear(&r->arena);
    fb_model_free(r->model);
    fb_diag_clear(&r->diag);
}

/* ---- mechanics ------------------------------------------------------------------------------- */

static void a_pendulum_by_hand(void) {
    rig r;
    begin(&r, "pin", true);
    FB_EQUAL_INT(r.s->system->n_q, 1);
    for (double t = 0.3; t < 1.7; t += 0.1) {
        double tau, q = course(0, t), udot = -1.3 * 1.3 * q;
        fb_id_at(&r.id, t, &tau);
        FB_NEAR(tau, (INERTIA + MASS * LENGTH * LENGTH) * udot + MASS * G * LENGTH * sin(q), 1e-6,
                0);
    }
    /* a horizontal force at the end, in ground axes, needs its moment besides */
    fb_load load = {.name = "push", .body = 1, .given = {true, true, false}};
    const double force[3] = {7, 0, 0}, point[3] = {0, -0.8, 0};
    load.point_body = 1;
    memset(&load.frame, 0, sizeof load.frame);
    for (int k = 0; k < 3; k++) {
        load.frame.R[4 * k] = load.force_frame.R[4 * k] = load.point_frame.R[4 * k] = 1;
        fb_function_constant(&load.functions[k], force[k], &r.arena);
        fb_function_constant(&load.functions[3 + k], point[k], &r.arena);
    }
    fb_loads loads = {.loads = &load, .n = 1, .first = 0, .last = 2};
    double without, with, wrench[6];
    fb_id_at(&r.id, 0.7, &without);
    r.s->loads = &loads;
    fb_id_at(&r.id, 0.7, &with);
    FB_NEAR(with - without, -7 * 0.8 * cos(course(0, 0.7)), 1e-7, 0);
    fb_id_external(&r.id, wrench);
    FB_NEAR(wrench[3], 7, 1e-12, 0);
    FB_NEAR(wrench[2], 7 * 0.8 * cos(course(0, 0.7)), 1e-7, 0);
    r.s->loads = NULL;
    end(&r);
}

/* Forward dynamics under the forces that were found gives the accelerations back. */
static void it_is_the_inverse_of_forward(void) {
    static const char *const joints[] = {"pin", "slider", "planar", "universal", "gimbal"};
    for (size_t k = 0; k < sizeof joints / sizeof joints[0]; k++) {
        rig r;
        begin(&r, joints[k], false);
        int n = r.s->system->n_q;
        double tau[8], udot[8];
        for (double t = 0.2; t < 2; t += 0.31) {
            fb_id_at(&r.id, t, tau);
            FB_EQUAL_INT(fb_forward_dynamics(r.s->state, tau, udot), FB_OK);
            for (int i = 0; i < n; i++) {
                double w = 1.3 + 0.4 * i;
                FB_NEAR(udot[i], -w * w * course(i, t), 2e-5, 0);
            }
        }
        end(&r);
    }
}

static double energy(rig *r, double t, double *power) {
    double tau[8], center[3], sum = 0;
    fb_id_at(&r->id, t, tau);
    for (int i = 0; i < r->s->system->n_q; i++) {
        sum += tau[i] * r->id.d1[r->column[i]];
    }
    if (power) {
        *power = sum;
    }
    fb_center_of_mass(r->s->state, center, NULL);
    return fb_kinetic_energy(r->s->state) + r->s->system->total_mass * G * center[1];
}

/* Forces times rates of coordinates are what the energy grows by, of joints too whose speeds are
 * angular velocities. */
static void power_is_balanced(void) {
    static const char *const joints[] = {"pin", "planar", "gimbal", "ball", "free"};
    for (size_t k = 0; k < sizeof joints / sizeof joints[0]; k++) {
        rig r;
        begin(&r, joints[k], false);
        for (double t = 0.2; t < 1.9; t += 0.17) {
            const double h = 1e-4;
            double power;
            energy(&r, t, &power);
            double rate = (energy(&r, t + h, NULL) - energy(&r, t - h, NULL)) / (2 * h);
            FB_NEAR(power, rate, 1e-5, 1e-6);
        }
        end(&r);
    }
}

/* Muscles that act: M (udot - the accelerations without help) is what is lacking. */
static void other_forces_help(void) {
    rig r;
    memset(&r, 0, sizeof r);
    size_t size;
    char *text = fb_test_read_file("models/elbow/elbow.osim", &size);
    r.model = fb_test_must(fb_test_osim(text, &r.diag, NULL), &r.diag);
    fb_free(text);
    FB_EQUAL_INT(fb_simulation_new(&r.s, r.model, false, &r.diag), FB_OK);
    fb_arena_init(&r.arena);
    int column[2] = {0, 1};
    FB_EQUAL_INT(r.s->system->n_q, 2);
    fb_signal_start(&r.series, 101, 2, &r.arena);
    for (int k = 0; k < 101; k++) {
        r.series.time[k] = 0.01 * k;
        r.series.y[2 * k] = 0.3 + course(0, 0.01 * k);
        r.series.y[2 * k + 1] = 1 + course(1, 0.01 * k);
    }
    FB_TRUE(fb_splines_make(&r.splines, 5, &r.series, &r.arena), "splines");
    fb_id_make(&r.id, r.s, &r.splines, column, &r.arena);
    FB_TRUE(r.id.forces_act, "muscles act");
    for (double t = 0.1; t < 1; t += 0.2) {
        double tau[2], M[4], udot[2], pull = 0;
        fb_id_at(&r.id, t, tau);
        memcpy(udot, r.id.udot, sizeof udot);
        FB_EQUAL_INT(fb_simulation_accelerate(r.s, t), FB_OK);
        fb_mass_matrix(r.s->state, M);
        for (int i = 0; i < 2; i++) {
            pull = fmax(pull, fabs(r.s->tau[i]));
            FB_NEAR(tau[i],
                    M[2 * i] * (udot[0] - r.s->acceleration[0]) +
                        M[2 * i + 1] * (udot[1] - r.s->acceleration[1]),
                    1e-9, 1e-9);
        }
        FB_TRUE(pull > 0.1, "muscles pull with %g N m", pull);
    }
    end(&r);
}

/* ---- tools ----------------------------------------------------------------------------------- */

static const char *const curl =
    "curl\nversion=1\nnRows=%d\nnColumns=2\ninDegrees=yes\nendheader\ntime\t%s\n";

/* A motion of models/elbow: 60 - 40 cos(3 t) degrees, times `sign`. */
static char *motion(const char *column, int rows, double sign) {
    static char text[20000];
    int n = snprintf(text, sizeof text, curl, rows, column);
    for (int i = 0; i < rows; i++) {
        n += snprintf(text + n, sizeof text - (size_t)n, "%.3f\t%.9f\n", 0.02 * i,
                      sign * (60 - 40 * cos(0.06 * i)));
    }
    return text;
}

#define ID(INPUT, ...) \
    FB_RUN(fb_fbsim_main, INPUT, "fbsim", "id", "models/elbow/elbow.osim", __VA_ARGS__)

static void the_command(void) {
    fb_run run = ID(motion("elbow_flexion", 101, 1), "--coordinates", "-", "--filter", "6");
    FB_EQUAL_INT(run.status, 0);
    FB_HOLDS(run.out, "Inverse Dynamics Generalized Forces\n");
    FB_HOLDS(run.out, "filter=6 Hz\n");
    FB_HOLDS(run.out, "nRows=101\n");
    FB_HOLDS(run.out, "time\tshoulder_flexion_moment\telbow_flexion_moment\n");
    fb_run_free(&run);
    run = ID(motion("/jointset/elbow/elbow_flexion/value", 101, 1), "--coordinates", "-",
             "--time-range", "0.5,1");
    FB_EQUAL_INT(run.status, 0);
    FB_HOLDS(run.out, "nRows=26\n");
    fb_run_free(&run);
}

static void what_is_odd_is_told(void) {
    fb_run run = ID(motion("elbow_flexion", 101, -1), "--coordinates", "-");
    FB_EQUAL_INT(run.status, 0);
    FB_HOLDS(run.err, "'elbow_flexion' is outside its range");
    FB_HOLDS(run.err, "with the other sign it would be within");
    fb_run_free(&run);
    run = ID(motion("elbow_flexon", 101, 1), "--coordinates", "-");
    FB_EQUAL_INT(run.status, 3);
    FB_HOLDS(run.err, "did you mean 'elbow_flexion'?");
    fb_run_free(&run);
    run = ID(motion("elbow_flexion", 2, 1), "--coordinates", "-");
    FB_EQUAL_INT(run.status, 3);
    FB_HOLDS(run.err, "too few");
    fb_run_free(&run);
    run = ID(motion("elbow_flexion", 101, 1), "--coordinates", "-", "--time-range", "7,8");
    FB_EQUAL_INT(run.status, 3);
    FB_HOLDS(run.err, "nothing in common");
    fb_run_free(&run);
    run = ID(motion("elbow_flexion", 101, 1), "--coordinates", "-", "--exclude", "brachails");
    FB_HOLDS(run.err, "no force or group of forces 'brachails'");
    fb_run_free(&run);
    run = ID("t", "--filter", "6");
    FB_EQUAL_INT(run.status, 2);
    fb_run_free(&run);
    run = ID("x\nversion=1\nnRows=3\nnColumns=2\ninDegrees=no\nendheader\ntime\telbow_flexion\n"
             "0\t1\n1\tnan\n2\t1\n",
             "--coordinates", "-");
    FB_EQUAL_INT(run.status, 3);
    FB_HOLDS(run.err, "row 2 has no number for 'elbow_flexion'");
    fb_run_free(&run);
    run = ID("x\nversion=1\nnRows=3\nnColumns=2\ninDegrees=no\nendheader\ntime\telbow_flexion\n"
             "0\t1\n1\t1\n1\t1\n",
             "--coordinates", "-");
    FB_EQUAL_INT(run.status, 3);
    FB_HOLDS(run.err, "time does not rise from row 2 (1 s) to row 3 (1 s)");
    fb_run_free(&run);
}

/* The same from a set-up; what it names must be there. */
static void the_tool(void) {
    const char *folder = fb_test_folder();
    const char *text = motion("elbow_flexion", 101, 1);
    fb_test_write_file(fb_test_path(folder, "curl.mot"), text, strlen(text));
    size_t n;
    char *model = fb_test_read_file("models/elbow/elbow.osim", &n);
    fb_test_write_file(fb_test_path(folder, "elbow.osim"), model, n);
    fb_free(model);
    static const char setup[] =
        "<OpenSimDocument Version=\"40000\"><InverseDynamicsTool name=\"c\">"
        "<results_directory>out</results_directory><model_file>elbow.osim</model_file>"
        "<time_range>0 2</time_range><forces_to_exclude>Muscles</forces_to_exclude>"
        "<coordinates_file>%s</coordinates_file>"
        "<lowpass_cutoff_frequency_for_coordinates>6</lowpass_cutoff_frequency_for_coordinates>"
        "<output_gen_force_file>id.sto</output_gen_force_file>"
        "<joints_to_report_body_forces>%s</joints_to_report_body_forces>"
        "</InverseDynamicsTool></OpenSimDocument>";
    char xml[2000];
    const char *file = fb_test_path(folder, "setup.xml");
    snprintf(xml, sizeof xml, setup, "curl.mot", "elbow");
    fb_test_write_file(file, xml, strlen(xml));
    fb_run run = FB_RUN(fb_fbsim_main, NULL, "fbsim", "run", file);
    FB_EQUAL_INT(run.status, 0);
    FB_HOLDS(run.err, "body forces at joints");
    fb_run_free(&run);
    char *table = fb_test_read_file(fb_test_path(folder, "out/id.sto"), &n);
    if (FB_TRUE(table != NULL, "out/id.sto")) {
        FB_HOLDS(table,
                 "Inverse Dynamics Generalized Forces\nversion=1\nnRows=101\nnColumns=3\n"
                 "inDegrees=no\nendheader\ntime\tshoulder_flexion_moment\telbow_flexion_moment\n");
    }
    fb_free(table);
    snprintf(xml, sizeof xml, setup, "walk.mot", "");
    fb_test_write_file(file, xml, strlen(xml));
    run = FB_RUN(fb_fbsim_main, NULL, "fbsim", "run", file);
    FB_EQUAL_INT(run.status, 3);
    FB_HOLDS(run.err, "walk.mot', which <coordinates_file> names");
    fb_run_free(&run);
}

static const fb_test tests[] = {
    FB_TEST(a_pendulum_by_hand), FB_TEST(it_is_the_inverse_of_forward),
    FB_TEST(power_is_balanced),  FB_TEST(other_forces_help),
    FB_TEST(the_command),        FB_TEST(what_is_odd_is_told),
    FB_TEST(the_tool),           FB_TEST_END,
};

int main(int argc, char **argv) {
    return fb_test_main("id", tests, argc, argv);
}
