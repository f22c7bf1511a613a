/* One force replaced by several, and what refers to it. */
#include <stdlib.h>
#include <string.h>

#include "libcore/model/multiply.h"
#include "tests/help.h"

#define PROBES "models/gallery/probes.osim"

static const char *const names[3] = {"part_1", "part_2", "part_3"};
static const double share[3] = {0.5, 0.25, 0.25};

static fb_model *read_file(const char *file, fb_diag *diag) {
    size_t size;
    char *text = fb_test_read_file(file, &size);
    fb_model *model = fb_test_must(fb_test_osim(text ? text : "", diag, NULL), diag);
    fb_free(text);
    return model;
}

static fb_element *force(fb_model *model, const char *path) {
    for (int l = 0; l < FB_LIST_COUNT; l++) {
        for (size_t i = 0; i < model->lists[l].n; i++) {
            if (strcmp(model->lists[l].items[i]->path, path) == 0) {
                return model->lists[l].items[i];
            }
        }
    }
    FB_TRUE(false, "there is %s", path);
    return model->lists[0].items[0];
}

/* Replaces a force by three; the model is read back from what is written of it. */
static fb_model *multiplied(fb_model *model, const char *path, fb_diag *told, fb_diag *diag) {
    fb_element *copies[3];
    jmp_buf oom;
    model->arena.oom = &oom;
    FB_EQUAL_INT(fb_model_multiply(model, force(model, path), names, share, 3, "note", copies,
                                   told),
                 FB_OK);
    model->arena.oom = NULL;
    char *osim = fb_test_to_osim(model, 40500), *fb = fb_test_to_fb(model);
    fb_model *back = fb_test_must(fb_test_osim(osim, diag, NULL), diag);
    FB_NO_RECORD(diag, FB2201); /* nothing refers to what is not there */
    FB_NO_RECORD(diag, FB2203);
    char *again = fb_test_to_osim(back, 40500);
    FB_EQUAL_STR(again, osim);
    free(again);
    free(osim);
    free(fb);
    return back;
}

static void done(fb_model *a, fb_model *b, fb_diag *c, fb_diag *d) {
    fb_model_free(a);
    fb_model_free(b);
    fb_diag_clear(c);
    fb_diag_clear(d);
}

static void copies_stand_in_its_place(void) {
    fb_diag told, diag;
    fb_model *model = read_file(PROBES, &told);
    const fb_element *old = force(model, "/forceset/extensor");
    size_t n = fb_model_items(model, "muscles")->n, at = 0;
    while (fb_model_items(model, "muscles")->items[at] != old) {
        at++;
    }
    fb_model *back = multiplied(model, "/forceset/extensor", &told, &diag);
    FB_EQUAL_INT(fb_model_items(back, "muscles")->n, n + 2);
    for (int i = 0; i < 3; i++) {
        const fb_element *one = fb_model_items(back, "muscles")->items[at + (size_t)i];
        FB_EQUAL_STR(one->name, names[i]);
        FB_TRUE(one->cls == old->cls, "the same class");
        for (int f = 0; f < old->cls->n_fields; f++) {
            const fb_field *field = old->cls->fields + f;
            if (field->type == FB_NUMBER) {
                FB_SAME(fb_get_number(one, field->key), fb_get_number(old, field->key));
            }
        }
        FB_TRUE(fb_value_equal(&old->cls->fields[fb_class_field(old->cls, "path")],
                               fb_get(old, "path"), fb_get(one, "path")),
                "the same path");
    }
    done(model, back, &told, &diag);
}

static void probes_and_reporters_follow(void) {
    fb_diag told, diag;
    fb_model *model = read_file(PROBES, &told);
    size_t records = told.n;
    fb_model *back = multiplied(model, "/forceset/extensor", &told, &diag);
    FB_EQUAL_INT(told.n, records); /* all could be followed */
    const fb_element *umberger = fb_test_find(back, "/probeset/umberger");
    const fb_value *all = fb_get(umberger, "muscle_parameters");
    FB_EQUAL_INT(all ? all->n : 0, 4);
    double mass = 0;
    for (int i = 0; all && i < 4; i++) {
        const fb_element *one = all->as.objects[i];
        double own = fb_get_number(one, "provided_mass");
        FB_EQUAL_STR(one->path ? fb_path_name(one->path) : one->name, i ? names[i - 1] : "flexor");
        mass += i ? own : 0;
        FB_TRUE(!i || fb_get_bool(one, "use_provided_mass"), "its mass is given");
    }
    FB_NEAR(mass, 0.35, 0, 1e-15);
    const fb_value *inputs = fb_get(fb_test_find(back, "/lengths"), "inputs");
    FB_EQUAL_INT(inputs ? inputs->n : 0, 4);
    FB_EQUAL_STR(inputs ? inputs->as.strings[0] : "", "/forceset/flexor|length");
    FB_EQUAL_STR(inputs ? inputs->as.strings[3] : "", "/forceset/part_3|length(back)");
    done(model, back, &told, &diag);
    /* references of objects that a component owns */
    model = read_file(PROBES, &told);
    back = multiplied(model, "/forceset/flexor", &told, &diag);
    const fb_element *metabolics = fb_test_find(back, "/metabolics");
    FB_EQUAL_INT(fb_get(metabolics, "muscle_parameters")->n, 3);
    FB_EQUAL_STR(fb_test_target(fb_test_item(metabolics, "muscle_parameters", 2), "muscle"),
                 "/forceset/part_3");
    done(model, back, &told, &diag);
}

#define MUSCLE(NAME) \
    "<Thelen2003Muscle name='" NAME "'><GeometryPath name='path'><PathPointSet><objects>" \
    "<PathPoint name='a'><socket_parent_frame>/ground</socket_parent_frame></PathPoint>" \
    "<PathPoint name='b'><socket_parent_frame>/ground</socket_parent_frame><location>1 0 " \
    "0</location></PathPoint></objects></PathPointSet></GeometryPath></Thelen2003Muscle>"

static void controllers_and_groups_follow(void) {
    char text[] = "<ForceSet name='forceset'><objects>" MUSCLE("a")
        MUSCLE("b") "</objects><groups>"
                    "<ObjectGroup name='both'><members>a b</members></ObjectGroup>"
                    "<ObjectGroup name='one'><members>b</members></ObjectGroup></groups></ForceSet>"
                    "<ControllerSet name='controllerset'><objects>"
                    "<PrescribedController name='named'><socket_actuators>/forceset/b "
                    "/forceset/a</socket_actuators><FunctionSet name='ControlFunctions'><objects>"
                    "<Constant name='a'><value>0.1</value></Constant>"
                    "<Constant name='b'><value>0.2</value></Constant></objects></FunctionSet>"
                    "</PrescribedController>"
                    "<PrescribedController name='in_order'><socket_actuators>/forceset/b "
                    "/forceset/a</socket_actuators><FunctionSet name='ControlFunctions'><objects>"
                    "<Constant name='x'><value>0.3</value></Constant>"
                    "<Constant name='y'><value>0.4</value></Constant></objects></FunctionSet>"
                    "</PrescribedController>"
                    "</objects></ControllerSet>"
                    "<ComponentSet name='componentset'><objects><MyPlugin "
                    "name='p'><muscle>b</muscle></MyPlugin>"
                    "<MyPlugin name='q'><muscle>bb</muscle></MyPlugin></objects></ComponentSet>";
    fb_diag told, diag;
    char *document = fb_test_document(40500, fb_test_quotes(text));
    fb_model *model = fb_test_must(fb_test_osim(document, &told, NULL), &told);
    free(document);
    size_t records = told.n;
    fb_model *back = multiplied(model, "/forceset/b", &told, &diag);
    FB_EQUAL_INT(told.n, records + 1);
    FB_HOLDS(told.records[told.n - 1].message, "'p' has XML that is kept as it is and names 'b'");
    FB_EQUAL_INT(told.records[told.n - 1].action, FB_APPROXIMATED);
    FB_EQUAL_INT(back->n_groups, 2);
    FB_EQUAL_INT(back->groups[0].n_members, 4);
    FB_EQUAL_STR(back->groups[0].members[0], "a");
    FB_EQUAL_STR(back->groups[0].members[3], "part_3");
    FB_EQUAL_INT(back->groups[1].n_members, 3);
    static const char *const want[2][4] = {{"a", "part_1", "part_2", "part_3"},
                                           {"x", "x", "x", "y"}};
    static const double value[2][4] = {{0.1, 0.2, 0.2, 0.2}, {0.3, 0.3, 0.3, 0.4}};
    for (int c = 0; c < 2; c++) {
        const fb_element *controller = fb_test_find(back, c ? "/controllerset/in_order"
                                                            : "/controllerset/named");
        const fb_value *actuators = fb_get(controller, "actuators");
        FB_EQUAL_INT(actuators ? actuators->n : 0, 4);
        FB_EQUAL_STR(actuators->as.refs[0].target->path, "/forceset/part_1");
        FB_EQUAL_STR(actuators->as.refs[3].target->path, "/forceset/a");
        for (int i = 0; i < 4; i++) {
            const fb_element *function = fb_test_item(controller, "control_functions", i);
            FB_SAME(fb_get_number(function, "value"), value[c][i]);
            FB_TRUE(c || strcmp(fb_osim_name(function), want[c][i]) == 0,
                    "function %d is %s, not %s", i, fb_osim_name(function), want[c][i]);
        }
    }
    done(model, back, &told, &diag);
}

static void names_that_are_taken_are_refused(void) {
    fb_diag told;
    fb_model *model = read_file(PROBES, &told);
    static const char *const taken[2] = {"new", "flexor"};
    fb_element *copies[2];
    size_t n = fb_model_items(model, "muscles")->n;
    jmp_buf oom;
    model->arena.oom = &oom;
    FB_EQUAL_INT(fb_model_multiply(model, force(model, "/forceset/extensor"), taken, share, 2, NULL,
                                   copies, &told),
                 FB_E_INPUT);
    model->arena.oom = NULL;
    FB_RECORD(&told, FB_ERROR, FB2203, -1);
    FB_EQUAL_INT(fb_model_items(model, "muscles")->n, n);
    fb_model_free(model);
    fb_diag_clear(&told);
}

static const fb_test tests[] = {
    FB_TEST(copies_stand_in_its_place),
    FB_TEST(probes_and_reporters_follow),
    FB_TEST(controllers_and_groups_follow),
    FB_TEST(names_that_are_taken_are_refused),
    FB_TEST_END,
};

int main(int argc, char **argv) {
    return fb_test_main("multiply", tests, argc, argv);
}
