/* fbsim curves: tables against the published formulas, written out again. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tools/tables.h"
#include "tools/cli.h"

#define RUN(INPUT, ...) FB_RUN(fb_fbsim_main, (INPUT), "fbsim", "curves", __VA_ARGS__)

/* ---- helpers --------------------------------------------------------------------------------- */

#define TWO "m", "x" /* names of the muscles of a model */

/* A model with muscles m and x of a class, with more fields (.fb, with ' for "): free() it. */
static char *model_of(const char *type, const char *fields) {
    char *text = malloc(6000);
    int n = snprintf(text, 6000,
                     "{'fb': '1.0', 'name': 'one', 'bodies': [{'name': 'b', 'mass': 1}], 'joints': "
                     "[{'name': 'j', 'type': 'slider', 'parent': 'ground', 'child': 'b', "
                     "'coordinates': [{'name': 's'}]}], 'muscles': [");
    static const char *const names[] = {TWO};
    for (int i = 0; i < 2; i++) {
        n += snprintf(text + n, 6000 - (size_t)n,
                      "%s{'name': '%s', 'type': '%s', 'max_isometric_force': 1000, "
                      "'optimal_fiber_length': 0.1, 'tendon_slack_length': 0.2, 'path': {'points': "
                      "[{'name': 'p', 'frame': 'ground'}, {'name': 'q', 'frame': 'b'}]}%s}",
                      i ? ", " : "", names[i], type, fields);
    }
    snprintf(text + n, 6000 - (size_t)n, "]}");
    fb_test_quotes(text);
    return text;
}

static bool parse(fb_sto *t, const char *text) {
    return fb_test_table(t, text, strlen(text), "curves");
}

/* The table of a curve of muscle m of a class. */
static fb_sto table_of(const char *type, const char *fields, const char *curve, const char *steps) {
    fb_sto t;
    memset(&t, 0, sizeof t);
    char *text = model_of(type, fields);
    fb_run run = RUN(text, "-m", "m", "--curve", curve, "--steps", steps, "-");
    FB_EQUAL_INT(run.status, 0);
    FB_EQUAL_STR(run.err, "");
    if (!parse(&t, run.out)) {
        fprintf(stderr, "%s: %s\n", type, run.err);
        exit(1); /* the test itself is wrong */
    }
    fb_run_free(&run);
    free(text);
    return t;
}

/* A number by row and column (0: x). */
static double get(const fb_sto *t, int row, int column) {
    return FB_TRUE(row < t->n_rows && column < t->n_columns, "row %d column %d of %d %d", row,
                   column, t->n_rows, t->n_columns)
               ? t->values[row * t->n_columns + column]
               : 0;
}

/* The value where x is what is asked. */
static double at(const fb_sto *t, double x, int column) {
    for (int i = 0; i < t->n_rows; i++) {
        if (fabs(get(t, i, 0) - x) < 1e-9) {
            return get(t, i, column);
        }
    }
    FB_TRUE(false, "no row at %g", x);
    return 0;
}

static const double activations[] = {0.1, 0.5, 1};

/* ---- classes --------------------------------------------------------------------------------- */

static void thelen(void) {
    fb_sto active = table_of("Thelen2003", "", "active", "17"),
           passive = table_of("Thelen2003", "", "passive", "17"),
           total = table_of("Thelen2003", "", "total", "17");
    FB_EQUAL_STR(active.columns[0], "normalized_fiber_length");
    FB_EQUAL_STR(active.columns[2], "/forceset/m|active_force|0.5");
    FB_EQUAL_INT(active.n_columns, 4);
    FB_NEAR(at(&active, 0.8, 3), 0.914947229, 1e-9, 0); /* known of OpenSim */
    for (int i = 0; i < 17; i++) {
        double l = get(&active, i, 0), fp = l > 1 ? expm1(5 * (l - 1) / 0.6) / expm1(5) : 0;
        FB_NEAR(get(&passive, i, 1), fp, 1e-14, 1e-12);
        for (int k = 0; k < 3; k++) {
            double fl = activations[k] * exp(-(l - 1) * (l - 1) / 0.45);
            FB_NEAR(get(&active, i, 1 + k), fl, 1e-14, 0);
            FB_NEAR(get(&total, i, 1 + k), fl + fp, 1e-14, 1e-12);
        }
    }
    fb_sto_free(&active);
    fb_sto_free(&passive);
    fb_sto_free(&total);
    fb_sto tendon = table_of("Thelen2003", "", "tendon", "101");
    double toe = 0.024344622, slope = 42.796793; /* of a strain of 0.04 at the greatest force */
    for (int i = 0; i < 101; i++) {
        double e = get(&tendon, i, 0);
        FB_NEAR(get(&tendon, i, 1),
                e <= toe ? 0.33 * expm1(3 * e / toe) / expm1(3) : 0.33 + slope * (e - toe), 1e-7,
                0);
    }
    FB_NEAR(get(&tendon, 100, 1), 1.5, 1e-12, 0);
    fb_sto_free(&tendon);
}

/* Thelen 2003, eq. 6 and 7, give the velocity of a force. */
static void thelen_velocity(void) {
    fb_sto t = table_of("Thelen2003", "", "velocity", "41");
    int lengthening = 0;
    for (int i = 0; i < 41; i++) {
        for (int k = 0; k < 3; k++) {
            double a = activations[k], f = get(&t, i, 1 + k), A = a, v = get(&t, i, 0);
            double Af = 0.25, most = 1.4, speed = 0.25 + 0.75 * a;
            if (v <= -speed) {
                FB_SAME(f, 0);
            } else if (f < 0.95 * most * A) {
                double b = f <= A ? A + f / Af : (2 + 2 / Af) * (A * most - f) / (most - 1);
                FB_NEAR(speed * (f - A) / b, v, 1e-12, 0);
                lengthening += v > 0;
            }
        }
    }
    FB_NEAR(at(&t, 0, 3), 1, 1e-15, 0);
    FB_TRUE(lengthening > 5, "%d", lengthening);
    fb_sto_free(&t);
}

static void millard(void) { /* known values of the default curves */
    static const double active[][2] = {{0.6, .451101878},
                                       {0.8, .870676613},
                                       {1, 1},
                                       {1.2, .823680971},
                                       {1.6, .263026884}},
                        passive[][2] = {{1, 0}, {1.2, .049692030}, {1.4, .262889777}, {1.7, 1}},
                        velocity[][2] = {{-1, 0},
                                         {-0.5, .158085604},
                                         {-0.1, .625214284},
                                         {0, 1},
                                         {0.1, 1.225153838},
                                         {0.5, 1.331131569},
                                         {0.9, 1.3925},
                                         {1, 1.4}};
    fb_sto a = table_of("Millard2012Equilibrium", "", "active", "17"),
           p = table_of("Millard2012Equilibrium", "", "passive", "17"),
           v = table_of("Millard2012Equilibrium", "", "velocity", "21"),
           t = table_of("Millard2012Equilibrium", "", "tendon", "100");
    for (size_t i = 0; i < sizeof active / sizeof active[0]; i++) {
        FB_NEAR(at(&a, active[i][0], 3), active[i][1], 1e-8, 0);
        FB_NEAR(at(&a, active[i][0], 1), 0.1 * active[i][1], 1e-8, 0);
    }
    for (size_t i = 0; i < sizeof passive / sizeof passive[0]; i++) {
        FB_NEAR(at(&p, passive[i][0], 1), passive[i][1], 1e-8, 0);
    }
    for (size_t i = 0; i < sizeof velocity / sizeof velocity[0]; i++) {
        FB_NEAR(at(&v, velocity[i][0], 3), velocity[i][1], 1e-8, 0);
        FB_NEAR(at(&v, velocity[i][0], 2), 0.5 * velocity[i][1], 1e-8, 0);
    }
    double last = get(&t, 99, 0); /* beyond the greatest isometric force it is straight */
    FB_NEAR(get(&t, 99, 1), 1.5, 1e-9, 0);
    FB_NEAR(last, 0.049 + 0.5 * 0.049 / 1.375, 1e-9, 0);
    FB_NEAR(get(&t, 0, 1), 0, 1e-12, 0);
    fb_sto_free(&a);
    fb_sto_free(&p);
    fb_sto_free(&v);
    fb_sto_free(&t);
}

/* De Groote and others 2016, with the digits of the paper. */
static void de_groote(void) {
    static const double b[3][4] = {{.815, 1.055, .162, .063},
                                   {.433, .717, -.030, .200},
                                   {.100, 1.000, .354, 0}};
    fb_sto a = table_of("DeGrooteFregly2016", "", "active", "17"),
           v = table_of("DeGrooteFregly2016", "", "velocity", "21"),
           p = table_of("DeGrooteFregly2016", "", "passive", "17");
    for (int i = 0; i < 17; i++) {
        double l = get(&a, i, 0), y = 0;
        for (int k = 0; k < 3; k++) {
            double z = (l - b[k][1]) / (b[k][2] + b[k][3] * l);
            y += b[k][0] * exp(-z * z / 2);
        }
        FB_NEAR(get(&a, i, 3), y, 3e-3, 0);
    }
    for (int i = 0; i < 21; i++) {
        double x = -8.149 * get(&v, i, 0) - 0.374, want = -0.318 * log(x + sqrt(x * x + 1)) + 0.886;
        FB_NEAR(get(&v, i, 3), want, 0.015, 0);
    }
    FB_NEAR(at(&p, 1.6, 1), 1, 1e-12, 0);
    FB_NEAR(at(&p, 0.2, 1), 0, 1e-12, 0);
    fb_sto_free(&a);
    fb_sto_free(&v);
    fb_sto_free(&p);
}

/* Where the speed law of a class, as its source has it, gives the force back. */
static void old_velocities(void) {
    fb_sto s = table_of("Schutte1993", "", "velocity", "21"),
           d = table_of("Thelen2003Deprecated", "", "velocity", "21");
    char *text = model_of("Schutte1993", "");
    fb_diag diag;
    fb_model *model = fb_test_must(fb_test_fb(text, &diag, NULL), &diag);
    double damping = fb_get_number(fb_test_find(model, "/forceset/m"), "fiber_damping");
    for (int i = 1; i < 21; i++) {
        for (int k = 0; k < 3; k++) {
            double A = activations[k], f = get(&s, i, 1 + k), w, kv = .15, sk = .13, most = 1.4;
            if (f < A) {
                double c = kv * (f - A) / damping, q = -kv * (f / kv + A + damping) / damping;
                w = (-q - sqrt(q * q - 4 * c)) / 2;
            } else {
                double c = -sk * kv / (damping * (kv + 1)) * (f - A);
                double q = -(f / damping - most * A / damping - sk * kv / (kv + 1));
                w = (-q + sqrt(q * q - 4 * c)) / 2;
            }
            FB_NEAR(w, get(&s, i, 0), 1e-10, 0);
            f = get(&d, i, 1 + k);
            double V = 5 + 5 * A, Af = 0.3, top = 1.8 * A, v = 10 * get(&d, i, 0);
            if (f > 0 && f < 0.95 * top) { /* with the damper of 0.05 */
                double b = f <= A ? A + f / Af : (2 + 2 / Af) * (top - f) / 0.8;
                FB_NEAR((f - A) / (b / V + 0.05), v, 1e-9, 0);
            }
        }
    }
    FB_NEAR(at(&s, 0, 2), 0.5, 1e-12, 0);
    FB_NEAR(at(&d, 0, 2), 0.5, 1e-12, 0);
    fb_model_free(model);
    fb_diag_clear(&diag);
    free(text);
    fb_sto_free(&s);
    fb_sto_free(&d);
}

static const struct {
    const char *type, *fields;
} classes[] = {
    {"Thelen2003", ""},
    {"Millard2012Equilibrium", ""},
    {"Millard2012Acceleration", /* as OpenSim makes one */
     ", 'active_force_length_curve': {'type': 'active_force_length', 'minimum_value': 0}, "
     "'compressive_force_pennation_curve': {'engagement_angle': 1.4835298641951802}"},
    {"DeGrooteFregly2016", ""},
    {"RigidTendon", ""},
    {"Thelen2003Deprecated", ""},
    {"Schutte1993", ""},
    {"Delp1990", ""},
};
enum { N_CLASSES = sizeof classes / sizeof classes[0] };

/* What holds for all: force at the optimal length; equilibrium there at full activation. */
static void every_class(void) {
    for (int i = 0; i < N_CLASSES; i++) {
        char fields[400];
        snprintf(fields, sizeof fields, ", 'pennation_angle': 0.3%s", classes[i].fields);
        fb_sto total = table_of(classes[i].type, fields, "total", "17"),
               force = table_of(classes[i].type, fields, "activation", "21");
        double most = at(&total, 1, 3);
        FB_NEAR(most, 1, 0.03, 0);
        bool acceleration = i == 2; /* its compressive elements push as well */
        FB_NEAR(get(&force, 20, 1), most * cos(0.3), acceleration ? 0.03 : 1e-6, 0);
        for (int k = 1; k < 21; k++) {
            FB_TRUE(get(&force, k, 1) >= get(&force, k - 1, 1), "%s: %g %g", classes[i].type,
                    get(&force, k, 1), get(&force, k - 1, 1));
        }
        fb_sto_free(&total);
        fb_sto_free(&force);
    }
}

static void what_a_class_lacks_is_told(void) {
    static const struct {
        const char *type, *fields, *curve;
    } all[] = {
        {"RigidTendon", "", "tendon"},
        {"Millard2012Equilibrium", ", 'ignore_tendon_compliance': true", "tendon"},
        {"DeGrooteFregly2016", ", 'ignore_passive_fiber_force': true", "passive"},
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        char *text = model_of(all[i].type, all[i].fields);
        fb_run run = RUN(text, "-m", "m", "--curve", all[i].curve, "-");
        FB_EQUAL_INT(run.status, 1);
        FB_HOLDS(run.err, "'m' has no");
        FB_EQUAL_STR(run.out, "");
        fb_run_free(&run);
        const char *folder = fb_test_folder();
        run = RUN(text, "-m", "m", "-d", folder, "-");
        FB_EQUAL_INT(run.status, 0);
        FB_EQUAL_INT(fb_test_count_files(folder), 5);
        fb_run_free(&run);
        free(text);
    }
}

/* ---- the command ----------------------------------------------------------------------------- */

static void several_muscles_share_a_table(void) {
    char *text = model_of("Thelen2003", "");
    fb_run run = RUN(text, "-m", "*", "--curve", "active", "--activation", "0.3,0.70", "-");
    fb_sto t;
    FB_EQUAL_INT(run.status, 0);
    if (parse(&t, run.out)) {
        FB_EQUAL_INT(t.n_columns, 5);
        FB_EQUAL_INT(t.n_rows, 101);
        FB_EQUAL_STR(t.columns[4], "/forceset/x|active_force|0.70");
        FB_NEAR(at(&t, 1, 4), 0.7, 1e-15, 0);
        fb_sto_free(&t);
    }
    FB_HOLDS(run.out, "model=one\n");
    FB_HOLDS(run.out, "units=normalized");
    fb_run_free(&run);
    free(text);
}

static void si_units(void) {
    char *text = model_of("Thelen2003", ", 'max_contraction_velocity': 8");
    const char *folder = fb_test_folder();
    fb_run run = RUN(text, "-m", "*", "--unit", "si", "-d", folder, "--steps", "3", "-");
    FB_EQUAL_INT(run.status, 0);
    FB_EQUAL_INT(fb_test_count_files(folder), 12);
    const struct {
        const char *file, *x;
        double low, high, last;
    } all[] = {
        {"active_x.sto", "fiber_length", 0.02, 0.18, 1000 * exp(-0.64 / 0.45)},
        {"velocity_x.sto", "fiber_velocity", -0.8, 0.8, 0},
        {"tendon_m.sto", "tendon_length", 0.2, 0, 1500},
        {"activation_m.sto", "activation", 0, 1, 0},
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        size_t size;
        char *bytes = fb_test_read_file(fb_test_path(folder, all[i].file), &size);
        fb_sto t;
        if (FB_TRUE(bytes != NULL, "%s", all[i].file) && parse(&t, bytes)) {
            FB_EQUAL_STR(t.columns[0], all[i].x);
            FB_NEAR(get(&t, 0, 0), all[i].low, 1e-15, 0);
            if (all[i].high != 0) {
                FB_NEAR(get(&t, 2, 0), all[i].high, 1e-15, 0);
            }
            if (all[i].last != 0) {
                FB_NEAR(get(&t, 2, t.n_columns - 1), all[i].last, 1e-9, 0);
            }
            fb_sto_free(&t);
        }
        fb_free(bytes);
    }
    fb_run_free(&run);
    free(text);
}

static void wrong_usage_has_status_2(void) {
    char *text = model_of("Thelen2003", "");
    const struct {
        const char *args[4];
        const char *message;
    } all[] = {
        {{"--curve", "active", NULL}, "--muscle NAME"},
        {{"-m", "no*", NULL}, "no muscle 'no*'"},
        {{"-m", "m", "--curve=all_of_them", NULL}, "not 'all_of_them'"},
        {{"-m", "m", "--unit=kg", NULL}, "not 'kg'"},
        {{"-m", "m", "--activation=0.1,2", NULL}, "from 0 to 1"},
        {{"-m", "m", "--activation=0.1,", NULL}, "from 0 to 1"},
        {{"-m", "m", "--steps=1", NULL}, "from 2"},
        {{"-m", "m", "--output=x.sto", NULL}, "--out DIR"},
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        const char *args[8] = {"fbsim", "curves", "-"};
        memcpy(args + 3, all[i].args, sizeof all[i].args);
        fb_run run = fb_test_run(fb_fbsim_main, text, args);
        FB_EQUAL_INT(run.status, 2);
        FB_HOLDS(run.err, all[i].message);
        FB_EQUAL_STR(run.out, "");
        fb_run_free(&run);
    }
    free(text);
}

static const fb_test tests[] = {
    FB_TEST(thelen),
    FB_TEST(thelen_velocity),
    FB_TEST(millard),
    FB_TEST(de_groote),
    FB_TEST(old_velocities),
    FB_TEST(every_class),
    FB_TEST(what_a_class_lacks_is_told),
    FB_TEST(several_muscles_share_a_table),
    FB_TEST(si_units),
    FB_TEST(wrong_usage_has_status_2),
    FB_TEST_END,
};

int main(int argc, char **argv) {
    return fb_test_main("fbsim curves", tests, argc, argv);
}
