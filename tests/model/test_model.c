#include "libcore/model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/model/check.h"
#include "libcore/base/number.h"
#include "tests/help.h"

static fb_element *make(fb_model *model, const char *cls, const char *name) {
    fb_element *element = fb_element_new(model, fb_class_find(cls), name);
    fb_element_defaults(model, element);
    return element;
}

static void new_model_has_root_and_ground(void) {
    fb_model *model = fb_model_new();
    FB_EQUAL_STR(model->root->cls->name, "Model");
    FB_EQUAL_STR(model->ground->path, "/ground");
    FB_EQUAL_STR(model->ground->name, "ground");
    FB_TRUE(fb_model_find(model, FB_FRAME, "ground") == model->ground, "ground is found");
    FB_TRUE(!model->linked, "not linked");
    for (int i = 0; i < FB_LIST_COUNT; i++) {
        FB_TRUE(fb_model_list(model, fb_lists[i]) == &model->lists[i] && model->lists[i].n == 0,
                "%s is empty", fb_lists[i]);
    }
    FB_TRUE(fb_model_list(model, "none") == NULL && fb_model_items(model, "none") == NULL,
            "no such list");
    fb_model_free(model);
    fb_model_free(NULL);
    for (long n = 1; n < 4; n++) {
        fb_alloc_fail_at(n);
        model = fb_model_new();
        fb_alloc_fail_at(0);
        fb_model_free(model);
    }
}

static void defaults_fill_only_what_is_empty(void) {
    fb_model *model = fb_model_new();
    fb_element *muscle = fb_element_new(model, fb_class_find("Thelen2003Muscle"), "m");
    fb_value_set_number(fb_value_of(muscle, "max_isometric_force"), 77);
    FB_TRUE(fb_get(muscle, "optimal_fiber_length") == NULL, "no value yet");
    fb_element_defaults(model, muscle);
    FB_SAME(fb_get_number(muscle, "max_isometric_force"), 77);
    FB_SAME(fb_get_number(muscle, "optimal_fiber_length"), 0.1);
    FB_TRUE(fb_get_bool(muscle, "enabled"), "a default that is true");
    const fb_element *path = fb_get_object(muscle, "path");
    FB_EQUAL_STR(path ? path->cls->name : NULL, "GeometryPath");
    FB_TRUE(path && path->owner == muscle, "owned");
    FB_EQUAL_INT(fb_value_is_default(
                     &muscle->cls->fields[fb_class_field(muscle->cls, "max_isometric_force")],
                     fb_get(muscle, "max_isometric_force")),
                 0);
    fb_model_free(model);
}

static void getters_give_nothing_for_what_is_not_there(void) {
    fb_model *model = fb_model_new();
    fb_element *body = make(model, "Body", "b");
    double x[7] = {0};
    FB_TRUE(isnan(fb_get_number(body, "mass")), "no default");
    FB_TRUE(isnan(fb_get_number(body, "no such key")), "no such key");
    FB_TRUE(isnan(fb_get_number(body, "inertia")), "another type");
    FB_TRUE(isnan(fb_get_number(NULL, "mass")), "no element");
    FB_EQUAL_STR(fb_get_string(body, "mass"), NULL);
    FB_TRUE(!fb_get_bool(body, "mass") && !fb_get_target(body, "mass") &&
                !fb_get_object(body, "mass"),
            "another type");
    FB_TRUE(fb_get_vector(body, "inertia", x, 6), "six numbers");
    FB_TRUE(!fb_get_vector(body, "inertia", x, 7), "not seven");
    FB_TRUE(!fb_get_vector(body, "mass", x, 1), "no vector");
    FB_TRUE(fb_value_of(body, "none") == NULL, "no such key");
    fb_model_free(model);
}

static void setters_copy(void) {
    fb_model *model = fb_model_new();
    fb_element *mesh = make(model, "Mesh", NULL), *body = make(model, "Body", "b"),
               *marker = make(model, "Marker", "k");
    char text[] = "bone.vtp", name[] = "b";
    double x[3] = {1, 2, 3};
    const char *names[1] = {name};
    fb_value_set_string(model, fb_value_of(mesh, "mesh"), text);
    fb_value_set_numbers(model, fb_value_of(body, "mass_center"), x, 3);
    fb_value_set_refs(model, fb_value_of(marker, "frame"), names, 1);
    text[0] = name[0] = '#';
    x[0] = 9;
    FB_EQUAL_STR(fb_get_string(mesh, "mesh"), "bone.vtp");
    FB_SAME(fb_get(body, "mass_center")->as.numbers[0], 1);
    FB_EQUAL_STR(fb_get(marker, "frame")->as.refs[0].text, "b");
    fb_value_set_numbers(model, fb_value_of(body, "mass_center"), NULL, 0);
    FB_EQUAL_INT(fb_get(body, "mass_center")->n, 0);
    fb_model_free(model);
}

static void comments_kept_parts_and_extras_keep_their_order(void) {
    fb_model *model = fb_model_new();
    fb_element *body = make(model, "Body", "b");
    fb_element_add_comment(model, body, "mass", "one");
    fb_element_add_comment(model, body, NULL, "two");
    fb_element_add_kept(model, body, "<x/>trailing", 4);
    fb_element_add_kept(model, body, "<y/>", 4);
    fb_element_add_extra(model, body, "a", "1");
    fb_element_add_extra(model, body, "b", "2");
    fb_element_add_extra(model, body, "a", "3");
    FB_EQUAL_STR(body->comments->text, "one");
    FB_EQUAL_STR(body->comments->next->text, "two");
    FB_EQUAL_STR(body->comments->next->before, NULL);
    FB_EQUAL_STR(body->kept->xml, "<x/>");
    FB_EQUAL_STR(body->kept->next->xml, "<y/>");
    FB_EQUAL_STR(fb_get_extra(body, "a"), "3");
    FB_EQUAL_STR(fb_get_extra(body, "b"), "2");
    FB_EQUAL_STR(fb_get_extra(body, "c"), NULL);
    FB_TRUE(body->extras->next->next == NULL, "a key is there once");
    fb_model_add_step(model, "{}");
    fb_model_add_step(model, "{\"x\": 1}");
    FB_EQUAL_INT(model->n_steps, 2);
    FB_EQUAL_STR(model->steps[1], "{\"x\": 1}");
    fb_model_free(model);
}

static void add_gives_the_usual_path(void) {
    fb_model *model = fb_model_new();
    fb_element *a = make(model, "Body", "a"), *b = make(model, "Thelen2003Muscle", "b"),
               *c = make(model, "Body", "c");
    fb_model_add(model, a, NULL);
    fb_model_add(model, b, NULL);
    fb_model_add(model, c, "/odd/c");
    FB_EQUAL_STR(a->path, "/bodyset/a");
    FB_EQUAL_STR(b->path, "/forceset/b");
    FB_EQUAL_STR(c->path, "/odd/c");
    FB_EQUAL_INT(fb_model_items(model, "bodies")->n, 2);
    FB_EQUAL_STR(fb_path_name("/a/b/c"), "c");
    FB_EQUAL_STR(fb_path_name("c"), "c");
    FB_EQUAL_STR(fb_osim_name(c), "c");
    fb_model_free(model);
}

static bool equal(fb_element *a, fb_element *b, const char *key) {
    int i = fb_class_field(a->cls, key);
    bool one = fb_value_equal(&a->cls->fields[i], &a->values[i], &b->values[i]);
    bool other = fb_value_equal(&a->cls->fields[i], &b->values[i], &a->values[i]);
    FB_TRUE(one == other, "%s: equality goes both ways", key);
    return one;
}

static void equality_is_bit_for_bit(void) {
    fb_model *model = fb_model_new();
    fb_element *a = make(model, "Body", "a"), *b = make(model, "Body", "b");
    FB_TRUE(equal(a, b, "mass"), "both without");
    fb_value_set_number(fb_value_of(a, "mass"), 0);
    FB_TRUE(!equal(a, b, "mass"), "one without");
    fb_value_set_number(fb_value_of(b, "mass"), -0.0);
    FB_TRUE(!equal(a, b, "mass"), "0 is not -0");
    fb_value_set_number(fb_value_of(b, "mass"), 0);
    FB_TRUE(equal(a, b, "mass"), "the same");
    fb_value_set_number(fb_value_of(a, "mass"), FB_NAN);
    FB_TRUE(!equal(a, b, "mass"), "nan is not 0");
    fb_value_set_number(fb_value_of(b, "mass"), -FB_NAN);
    FB_TRUE(equal(a, b, "mass"), "nan is nan");
    fb_value_set_numbers(model, fb_value_of(b, "inertia"), (double[]){0, 0, 0, 0, 0, 1e-300}, 6);
    FB_TRUE(!equal(a, b, "inertia"), "the last number differs");
    const char *cls = "Millard2012EquilibriumMuscle", *key = "active_force_length_curve";
    fb_element *m = make(model, cls, "m"), *n = make(model, cls, "n");
    FB_TRUE(equal(m, n, key) && equal(m, n, "path") && equal(m, n, "enabled"), "equal objects");
    fb_value_set_number(fb_value_of(fb_value_of(n, key)->as.object, "minimum_value"), 0.5);
    FB_TRUE(!equal(m, n, key), "objects that differ inside");
    fb_model_free(model);
}

/* ---- angles ---------------------------------------------------------------------------------- */

/* Counts conversions that do not come back. An exact answer must be exact. */
static int check_way_back(double x, int (*there)(double, double *), double (*back)(double)) {
    double y = 0;
    int exact = there(x, &y);
    double again = back(y);
    bool same = memcmp(&again, &x, sizeof x) == 0;
    if (exact && !same) {
        FB_TRUE(false, "%.17g becomes %.17g and then %.17g, but is called exact", x, y, again);
    }
    if (!exact && same) {
        FB_TRUE(false, "%.17g becomes %.17g and comes back, but is called inexact", x, y);
    }
    if (!(fabs(again - x) <= 4e-16 * fabs(x))) {
        FB_TRUE(false, "%.17g comes back as %.17g", x, again);
    }
    return exact ? 0 : 1;
}

static void degrees_come_back_exactly(void) {
    int lost = 0, lost_per = 0, n = 0;
    for (int i = -3600; i <= 3600; i++, n++) { /* everyday angles, in tenths */
        lost += check_way_back(i / 10.0, fb_degrees_to_radians, fb_radians_to_degrees);
        lost_per += check_way_back(i / 10.0, fb_per_degree_to_per_radian,
                                   fb_per_radian_to_per_degree);
    }
    unsigned long long state = fb_test_seed();
    for (int i = 0; i < 100000; i++, n++) {
        double x = ((double)(fb_random(&state) >> 11) / 9007199254740992.0 - 0.5) * 720;
        lost += check_way_back(x, fb_degrees_to_radians, fb_radians_to_degrees);
        lost_per += check_way_back(x * 100, fb_per_degree_to_per_radian,
                                   fb_per_radian_to_per_degree);
    }
    printf("    of %d angles %d have no radians that come back, of stiffnesses %d\n", n, lost,
           lost_per);
    FB_TRUE(lost < n / 4 && lost_per < n / 2, "most of them do");
}

static void special_angles_pass_through(void) {
    static const double samples[] = {0,     -0.0,   FB_INFINITY, -FB_INFINITY,
                                     1e308, -1e300, 1e-308,      5e-324};
    for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++) {
        double y = 42;
        if (fb_degrees_to_radians(samples[i], &y)) {
            FB_SAME(fb_radians_to_degrees(y), samples[i]);
        }
        if (fb_per_degree_to_per_radian(samples[i], &y) && isfinite(y)) {
            FB_SAME(fb_per_radian_to_per_degree(y), samples[i]);
        }
    }
    double y = 0;
    fb_degrees_to_radians(FB_NAN, &y);
    FB_TRUE(isnan(y), "nan stays nan");
    FB_TRUE(fb_degrees_to_radians(180, &y), "exact");
    FB_NEAR(y, acos(-1), 0, 1e-16);
}

/* ---- coordinates ----------------------------------------------------------------------------- */

#define CUSTOM(AXES) \
    "{\"fb\": \"1.0\", \"bodies\": [{\"name\": \"b\", \"mass\": 1}], \"joints\": [{\"name\": " \
    "\"j\", " \
    "\"type\": \"custom\", " \
    "\"parent\": \"ground\", \"child\": \"b\", \"coordinates\": [{\"name\": \"q\"}, {\"name\": " \
    "\"p\"}], " \
    "\"axes\": [" AXES "]}]}"
#define Z "{\"axis\": [0, 0, 1], \"function\": {\"type\": \"constant\", \"value\": 0}}"
#define A(FUNCTION) "{\"coordinate\": \"q\", \"axis\": [0, 0, 1]" FUNCTION "}"
#define LINEAR(SLOPE) ", \"function\": {\"type\": \"linear\", \"coefficients\": [" SLOPE ", 0]}"

static void motion_of_custom_joints_follows_their_axes(void) {
    static const struct {
        const char *text;
        fb_motion motion;
    } cases[] = {{CUSTOM(A("") "," Z "," Z "," Z "," Z "," Z), FB_ROTATIONAL},
                 {CUSTOM(A(LINEAR("1")) "," Z "," Z "," Z "," Z "," Z), FB_ROTATIONAL},
                 {CUSTOM(A(LINEAR("-1")) "," Z "," Z "," Z "," Z "," Z), FB_ROTATIONAL},
                 {CUSTOM(A(LINEAR("2")) "," Z "," Z "," Z "," Z "," Z), FB_COUPLED},
                 {CUSTOM(Z "," Z "," Z "," Z "," A("") "," Z), FB_TRANSLATIONAL},
                 {CUSTOM(A("") "," Z "," Z "," A("") "," Z "," Z), FB_COUPLED},
                 {CUSTOM(A("") "," Z "," Z "," A(LINEAR("0.5")) "," Z "," Z), FB_ROTATIONAL},
                 {CUSTOM(Z "," Z "," Z "," Z "," Z "," Z), FB_COUPLED}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        fb_diag diag;
        fb_model *model = fb_test_must(fb_test_fb(cases[i].text, &diag, NULL), &diag);
        const fb_element *q = fb_test_item(fb_test_find(model, "/jointset/j"), "coordinates", 0);
        FB_TRUE(fb_coordinate_motion(q) == cases[i].motion, "case %zu: %d", i,
                (int)fb_coordinate_motion(q));
        fb_model_free(model);
        fb_diag_clear(&diag);
    }
    FB_EQUAL_INT(fb_coordinate_motion(NULL), FB_COUPLED);
}

static void motion_of_other_joints_follows_their_class(void) {
    static const struct {
        const char *type;
        int i;
        fb_motion motion;
    } cases[] = {{"pin", 0, FB_ROTATIONAL},    {"slider", 0, FB_TRANSLATIONAL},
                 {"planar", 0, FB_ROTATIONAL}, {"planar", 2, FB_TRANSLATIONAL},
                 {"free", 2, FB_ROTATIONAL},   {"free", 3, FB_TRANSLATIONAL},
                 {"ball", 1, FB_ROTATIONAL},   {"universal", 1, FB_ROTATIONAL}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[400];
        snprintf(text, sizeof text,
                 "{\"fb\": \"1.0\", \"bodies\": [{\"name\": \"b\", \"mass\": 1}], \"joints\": "
                 "[{\"name\": "
                 "\"j\", \"type\": "
                 "\"%s\", \"parent\": \"ground\", \"child\": \"b\"}]}",
                 cases[i].type);
        fb_diag diag;
        fb_model *model = fb_test_must(fb_test_fb(text, &diag, NULL), &diag);
        const fb_element *q = fb_test_item(fb_test_find(model, "/jointset/j"), "coordinates",
                                           cases[i].i);
        FB_TRUE(fb_coordinate_motion(q) == cases[i].motion, "%s %d", cases[i].type, cases[i].i);
        fb_model_free(model);
        fb_diag_clear(&diag);
    }
}

static const fb_test tests[] = {
    FB_TEST(new_model_has_root_and_ground),
    FB_TEST(defaults_fill_only_what_is_empty),
    FB_TEST(getters_give_nothing_for_what_is_not_there),
    FB_TEST(setters_copy),
    FB_TEST(comments_kept_parts_and_extras_keep_their_order),
    FB_TEST(add_gives_the_usual_path),
    FB_TEST(equality_is_bit_for_bit),
    FB_TEST(degrees_come_back_exactly),
    FB_TEST(special_angles_pass_through),
    FB_TEST(motion_of_custom_joints_follows_their_axes),
    FB_TEST(motion_of_other_joints_follows_their_class),
    FB_TEST_END,
};

int main(int argc, char **argv) {
    return fb_test_main("model", tests, argc, argv);
}
