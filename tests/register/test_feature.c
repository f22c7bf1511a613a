/* Feature points: finding them by name, names with their sides exchanged, and pairs. */
#include "libcore/register/feature.h"

#include <string.h>

#include "tests/help.h"

static void add(fb_features *features, const char *body, const char *name, double x, int line) {
    fb_feature f = {
        .name = name, .body = body, .location = {x, 2 * x, -x}, .weight = 1, .line = line};
    fb_features_add(features, &f);
}

static void finds_by_body_and_name(void) {
    fb_features f;
    char name[] = "hip center", body[] = "femur_r";
    fb_features_init(&f);
    add(&f, "pelvis", "hip_center", 1, 1);
    add(&f, body, name, 2, 2);
    name[0] = body[0] = 'x'; /* it has copies */
    FB_EQUAL_INT(f.n, 2);
    const fb_feature *found = fb_features_find(&f, "femur_r", "hip_center");
    FB_EQUAL_INT(found ? found->line : 0, 2);
    found = fb_features_find(&f, NULL, "hip center");
    FB_EQUAL_INT(found ? found->line : 0, 1);
    FB_TRUE(!fb_features_find(&f, "femur_l", "hip_center"), "no such body");
    FB_TRUE(!fb_features_find(&f, NULL, "hip"), "no such name");
    fb_features_free(&f);
    fb_features_free(&f);
    FB_EQUAL_INT(f.n, 0);
}

static void exchanges_sides(void) {
    static const char *const pairs[][2] = {
        {"RASI", "LASI"},
        {"R.ASIS", "L.ASIS"},
        {"femur_r", "femur_l"},
        {"r_hip", "l_hip"},
        {"R_Femur_lat", "L_Femur_lat"},
        {"Right_Anterior_Superior_Iliac_Spine", "Left_Anterior_Superior_Iliac_Spine"},
        {"left knee", "right knee"},
        {"kneeLeft", "kneeRight"},
        {"LEFT", "RIGHT"},
        {"knee_r_lat", "knee_l_lat"},
    };
    char other[100];
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        for (int k = 0; k < 2; k++) {
            FB_TRUE(fb_feature_other_side(pairs[i][k], other, sizeof other), "%s", pairs[i][k]);
            FB_EQUAL_STR(other, pairs[i][1 - k]);
        }
    }
    static const char *const none[] = {"pelvis", "lateral_epicondyle", "rib", "Lumbar", "bright",
                                       "C7"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        FB_TRUE(!fb_feature_other_side(none[i], other, sizeof other), "%s", none[i]);
        FB_EQUAL_STR(other, none[i]);
    }
}

static void pairs_what_has_one_name(void) {
    fb_features standard, target;
    fb_pairs pairs;
    fb_diag diag;
    fb_features_init(&standard);
    fb_features_init(&target);
    fb_pairs_init(&pairs);
    fb_diag_init(&diag);
    add(&standard, "pelvis", "a point", 1, 1);
    add(&standard, "femur_r", "b", 2, 2);
    add(&standard, "femur_l", "b", 3, 3);
    add(&target, "femur_l", "b", 30, 1);
    add(&target, "pelvis", "a_point", 10, 2);
    add(&target, "femur_r", "b", 20, 3);
    standard.items[1].weight = 3;
    target.items[2].weight = 0.5;
    FB_EQUAL_INT(fb_pairs_match(&pairs, &standard, &target, &diag), FB_OK);
    FB_EQUAL_INT(diag.n, 0);
    FB_EQUAL_INT(pairs.n, 3);
    for (size_t i = 0; i < pairs.n; i++) {
        FB_SAME(pairs.items[i].standard[0], (double)(i + 1));
        FB_SAME(pairs.items[i].target[1], 20 * (double)(i + 1));
        FB_EQUAL_INT(pairs.items[i].line, i + 1);
    }
    FB_EQUAL_STR(pairs.items[0].name, "a point");
    FB_SAME(pairs.items[1].weight, 1.5);
    FB_SAME(pairs.items[2].weight, 1);
    fb_pairs_free(&pairs);
    fb_features_free(&standard);
    fb_features_free(&target);
    fb_diag_clear(&diag);
}

/* Standard and target with one good pair and one point more; what is said of that. */
static void tell(const char *body, const char *name, const char *other_body, const char *other_name,
                 const char *says) {
    fb_features standard, target;
    fb_pairs pairs;
    fb_diag diag;
    fb_features_init(&standard);
    fb_features_init(&target);
    fb_pairs_init(&pairs);
    fb_diag_init(&diag);
    target.file = "new.csv";
    add(&standard, "pelvis", "good", 1, 1);
    add(&target, "pelvis", "good", 1, 1);
    if (name) {
        add(&standard, body, name, 2, 2);
    }
    if (other_name) {
        add(&target, other_body, other_name, 3, 7);
    }
    FB_EQUAL_INT(fb_pairs_match(&pairs, &standard, &target, &diag), FB_OK);
    FB_EQUAL_INT(pairs.n, 1);
    FB_EQUAL_INT(diag.n, (name != NULL) + (other_name != NULL));
    const fb_record *r = FB_RECORD(&diag, FB_WARNING, FB1412, name ? 2 : 7);
    FB_HOLDS(r ? r->message : "", says);
    FB_EQUAL_STR(r ? r->file : "", name ? NULL : "new.csv");
    fb_pairs_free(&pairs);
    fb_features_free(&standard);
    fb_features_free(&target);
    fb_diag_clear(&diag);
}

static void tells_of_points_without_partner(void) {
    tell(
        "pelvis", "spine", NULL, NULL,
        "the feature point 'spine' of 'pelvis' of the standard has no partner on the new skeleton");
    tell(NULL, NULL, "pelvis", "spine", "of the new skeleton has no partner in the standard");
    tell("pelvis", "trochanter", "pelvis", "trochantr", "is 'trochantr' meant?");
    tell("femur_r", "RLFC", "femur_r", "LLFC", "'LLFC' is there: are left and right exchanged?");
    tell("femur_r", "hip", "pelvis", "hip", "'pelvis' has one of that name");
}

static void refuses_names_at_two_places(void) {
    fb_features standard, target;
    fb_pairs pairs;
    fb_diag diag;
    fb_features_init(&standard);
    fb_features_init(&target);
    fb_pairs_init(&pairs);
    fb_diag_init(&diag);
    add(&standard, "pelvis", "a", 1, 1);
    add(&standard, "pelvis", "a", 1, 4); /* the same place: once */
    add(&target, "pelvis", "a", 5, 1);
    FB_EQUAL_INT(fb_pairs_match(&pairs, &standard, &target, &diag), FB_OK);
    FB_EQUAL_INT(pairs.n, 1);
    FB_RECORD(&diag, FB_WARNING, FB1412, 4);
    fb_diag_clear(&diag);
    fb_pairs_free(&pairs);
    add(&target, "pelvis", "a", 6, 9);
    FB_EQUAL_INT(fb_pairs_match(&pairs, &standard, &target, &diag), FB_E_INPUT);
    const fb_record *r = FB_RECORD(&diag, FB_ERROR, FB1412, 9);
    FB_HOLDS(r ? r->message : "", "(lines 1 and 9)");
    fb_diag_clear(&diag);
    fb_features_free(&target);
    fb_pairs_free(&pairs);
    add(&target, "pelvis", "other", 6, 9);
    FB_EQUAL_INT(fb_pairs_match(&pairs, &standard, &target, &diag), FB_E_INPUT);
    FB_EQUAL_INT(diag.counts[FB_ERROR], 1);
    fb_diag_clear(&diag);
    fb_pairs_free(&pairs);
    fb_features_free(&standard);
    fb_features_free(&target);
}

static void survives_lack_of_memory(void) {
    for (long fail = 1; fail < 100; fail++) {
        fb_features standard;
        fb_pairs pairs;
        fb_diag diag;
        fb_features_init(&standard);
        fb_pairs_init(&pairs);
        fb_diag_init(&diag);
        for (int i = 0; i < 300; i++) {
            char name[20];
            snprintf(name, sizeof name, "point %d", i);
            add(&standard, "pelvis", name, i, i);
        }
        fb_alloc_fail_at(fail);
        fb_status status = fb_pairs_match(&pairs, &standard, &standard, &diag);
        fb_alloc_fail_at(0);
        FB_TRUE(status == FB_E_MEMORY || (status == FB_OK && pairs.n == 300), "status %d", status);
        fb_pairs_free(&pairs);
        fb_features_free(&standard);
        fb_diag_clear(&diag);
        if (status == FB_OK) {
            FB_TRUE(fail > 1, "nothing was allocated");
            break;
        }
    }
}

static const fb_test tests[] = {
    FB_TEST(finds_by_body_and_name),
    FB_TEST(exchanges_sides),
    FB_TEST(pairs_what_has_one_name),
    FB_TEST(tells_of_points_without_partner),
    FB_TEST(refuses_names_at_two_places),
    FB_TEST(survives_lack_of_memory),
    FB_TEST_END,
};

int main(int argc, char **argv) {
    return fb_test_main("feature", tests, argc, argv);
}
