/* Controllers: what they add to controls and excitations, and which of them are told. */
#include <string.h>

#include "libcore/muscle/simulation.h"
#include "tests/help.h"

#define PATH \
    "\"path\": {\"points\": [{\"frame\": \"ground\", \"location\": [-1, 0, 0]}, {\"frame\": " \
    "\"c\"}]}"
#define MODEL \
    "{\"fb\": \"1.0\", \"bodies\": [{\"name\": \"c\", \"mass\": 2}], \"joints\": [{\"name\": " \
    "\"jc\", \"type\": \"slider\", \"parent\": \"ground\", \"child\": \"c\", \"coordinates\": " \
    "[{\"name\": \"s\"}]}], \"actuators\": [{\"name\": \"one\", \"type\": \"coordinate\", " \
    "\"coordinate\": \"s\", \"optimal_force\": 10}, {\"name\": \"two\", \"type\": " \
    "\"coordinate\", " \
    "\"coordinate\": \"s\", \"optimal_force\": 100}, {\"name\": \"off\", \"type\": " \
    "\"coordinate\", " \
    "\"coordinate\": \"s\", \"enabled\": false}], \"muscles\": [{\"name\": \"m\", \"type\": " \
    "\"Thelen2003\", \"max_isometric_force\": 100, \"optimal_fiber_length\": 0.5, " \
    "\"tendon_slack_length\": 0.4, \"max_contraction_velocity\": 8, " PATH "}]"

typedef struct rig {
    fb_model *model;
    fb_simulation *s;
    fb_diag diag;
} rig;

/* MODEL with controllers and more lists, at a time and with a speed of c. */
static void begin(rig *r, const char *lists, const fb_resources *resources) {
    char text[4000];
    memset(r, 0, sizeof *r);
    snprintf(text, sizeof text, "%s, %s}", MODEL, lists);
    r->model = fb_test_must(fb_test_fb(text, &r->diag, NULL), &r->diag);
    fb_status status = fb_simulation_new_from(&r->s, r->model, false, resources, &r->diag);
    FB_TRUE(status == FB_OK, "%s", r->diag.n ? r->diag.records[0].message : "");
}

static void at(rig *r, double time, double speed) {
    r->s->state->u[0] = speed;
    fb_simulation_move(r->s);
    fb_simulation_control(r->s, time);
}

static void end(rig *r) {
    fb_simulation_free(r->s);
    fb_model_free(r->model);
    fb_diag_clear(&r->diag);
}

#define CONSTANT(X) "{\"type\": \"constant\", \"value\": " X "}"
#define RAMP(A, B) "{\"type\": \"linear\", \"coefficients\": [" A ", " B "]}"
#define PRESCRIBED(NAME, MORE, ACTUATORS, FUNCTIONS) \
    "{\"name\": \"" NAME "\", \"type\": \"prescribed\"" MORE ", \"actuators\": [" ACTUATORS \
    "], \"control_functions\": [" FUNCTIONS "]}"

static void prescribed_controls_add_up(void) {
    rig r;
    begin(&r,
          "\"controllers\": [" PRESCRIBED(
              "a", "", "\"two\", \"one\"",
              RAMP("3", "1") "," CONSTANT(
                  "0.5")) "," PRESCRIBED("b", "", "\"one\", \"m\"",
                                         CONSTANT("-2") "," RAMP(
                                             "0.1",
                                             "0")) "," PRESCRIBED("c", ", \"enabled\": false",
                                                                  "\"one\"", CONSTANT("7")) "]",
          NULL);
    FB_EQUAL_INT(fb_simulation_skipped(r.s), 0);
    at(&r, 2, 0);
    FB_NEAR(r.s->control[0], 0.5 - 2, 1e-15, 0);
    FB_NEAR(r.s->control[1], 7, 1e-15, 0); /* not clamped */
    FB_NEAR(r.s->excitation[0], 0.2, 1e-15, 0);
    r.s->activation[0] = 0;
    fb_simulation_equilibrate(r.s, 0, FB_EQUILIBRIUM_STATIC);
    FB_EQUAL_INT(fb_simulation_accelerate(r.s, 2), FB_OK);
    double pull = r.s->points[0].tendon_force;
    FB_NEAR(r.s->acceleration[0], (10 * -1.5 + 100 * 7 - pull) / 2, 1e-9, 0);
    fb_alloc_fail_at(0);
    at(&r, 0, 0);
    FB_EQUAL_INT(fb_alloc_fail_at(0), 0);  /* nothing is allocated */
    FB_NEAR(r.s->control[1], 1, 1e-15, 0); /* from zero each time */
    end(&r);
}

static void all_means_every_actuator(void) {
    rig r;
    begin(&r,
          "\"controllers\": [" PRESCRIBED("a", "", "\"ALL\"",
                                          CONSTANT("1") "," CONSTANT("2") "," CONSTANT(
                                              "3") "," CONSTANT("4")) "]",
          NULL);
    at(&r, 0, 0);
    double sum = r.s->control[0] + r.s->control[1] + r.s->excitation[0];
    FB_NEAR(r.s->control[1] - r.s->control[0], 1, 1e-15, 0); /* in the model's order */
    FB_TRUE(sum >= 1 + 2 + 3 && sum <= 2 + 3 + 4, "each got one: %g", sum);
    end(&r);
}

static void reflexes_follow_stretch(void) {
    rig r;
    begin(
        &r,
        "\"controllers\": [{\"name\": \"r\", \"type\": \"toy_reflex\", \"gain\": 3, \"actuators\": "
        "[\"m\", \"one\"]}]",
        NULL);
    at(&r, 0, 0.6);
    FB_NEAR(r.s->excitation[0], 3 * 0.6 / (0.5 * 8), 1e-12, 0);
    FB_SAME(r.s->control[0], 0); /* muscles only */
    at(&r, 0, -0.6);
    FB_SAME(r.s->excitation[0], 0);
    end(&r);
}

/* ---- files ----------------------------------------------------------------------------------- */

static const char *controls_of(void *context, const fb_element *controller,
                               const fb_series **result, int *n) {
    (void)controller;
    static const double value[] = {0.25, 0.5, 0.75};
    static fb_series series[3];
    static const char *const names[] = {"m.excitation", "/forceset/two", "nobody"};
    if (!context) {
        return "its file is lost";
    }
    for (int i = 0; i < 3; i++) {
        series[i].name = names[i];
        series[i].function = (fb_function){
            .kind = FB_FN_CONSTANT, .scale = 1, .n = 1, .dimension = 1, .c = &value[i]};
    }
    *result = series;
    *n = 3;
    return NULL;
}

static void controls_come_from_files(void) {
    rig r;
    fb_resources resources = {.context = &r, .controls = controls_of};
    begin(&r,
          "\"controllers\": [{\"name\": \"f\", \"type\": \"control_set\", \"controls_file\": "
          "\"x.xml\", \"actuators\": [\"m\", \"two\", \"one\"]}, {\"name\": \"p\", \"type\": "
          "\"prescribed\", \"controls_file\": \"x.sto\", \"actuators\": []}]",
          &resources);
    FB_EQUAL_INT(fb_simulation_skipped(r.s), 0);
    at(&r, 0, 0);
    FB_NEAR(r.s->excitation[0], 0.5, 1e-15, 0); /* both */
    FB_NEAR(r.s->control[1], 1, 1e-15, 0);
    FB_SAME(r.s->control[0], 0);
    end(&r);
    resources.context = NULL;
    begin(&r,
          "\"controllers\": [{\"name\": \"f\", \"type\": \"control_set\", \"controls_file\": "
          "\"x.xml\", \"actuators\": [\"m\", \"two\"]}, {\"name\": \"h\", \"type\": "
          "\"control_set\", \"controls_file\": \"x.xml\", \"actuators\": [\"m\"]}, {\"name\": "
          "\"g\", \"type\": \"control_set\", "
          "\"actuators\": [\"m\"]}]",
          &resources);
    FB_EQUAL_INT(fb_simulation_skipped(r.s), 1);
    const fb_record *record = FB_RECORD(&r.diag, FB_WARNING, FB2308, -1);
    FB_HOLDS(record ? record->message : "", "'f': its file is lost");
    end(&r);
}

/* ---- what is not computed -------------------------------------------------------------------- */

static int skipped(const char *lists) {
    rig r;
    begin(&r, lists, NULL);
    int n = r.s ? fb_simulation_skipped(r.s) : -1;
    end(&r);
    return n;
}

static void controllers_that_are_not_computed_are_told(void) {
    FB_EQUAL_INT(skipped("\"controllers\": [" PRESCRIBED("a", "", "\"two\", \"one\"",
                                                         CONSTANT("1")) "]"),
                 1);
    FB_EQUAL_INT(skipped("\"controllers\": [{\"name\": \"a\", \"type\": "
                         "\"computed_muscle_control\", \"actuators\": [\"one\"]}]"),
                 1);
    /* it changes nothing at once: the muscle's activation is a state */
    FB_EQUAL_INT(skipped("\"controllers\": [{\"name\": \"a\", \"type\": "
                         "\"computed_muscle_control\", \"actuators\": [\"m\", \"off\"]}]"),
                 0);
    FB_EQUAL_INT(skipped(
                     "\"controllers\": [{\"name\": \"a\", \"type\": \"correction\"}, {\"name\": "
                     "\"b\", \"type\": \"correction\", \"enabled\": false}]"),
                 1);
    FB_EQUAL_INT(skipped("\"kept\": [{\"name\": \"k\", \"component_path\": \"/controllerset/k\", "
                         "\"class\": \"Odd\", \"xml\": \"<Odd name='k'/>\"}, {\"name\": \"l\", "
                         "\"component_path\": \"/controllerset/l\", \"class\": \"Odd\", \"xml\": "
                         "\"<Odd name='l'><enabled>false</enabled></Odd>\"}]"),
                 1);
}

static const fb_test tests[] = {
    FB_TEST(prescribed_controls_add_up),
    FB_TEST(all_means_every_actuator),
    FB_TEST(reflexes_follow_stretch),
    FB_TEST(controls_come_from_files),
    FB_TEST(controllers_that_are_not_computed_are_told),
    FB_TEST_END,
};

int main(int argc, char **argv) {
    return fb_test_main("control", tests, argc, argv);
}
