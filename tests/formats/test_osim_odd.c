/* Old documents that are odd: wrong numbers are refused, what says a thing twice or is of a plug-in
 * is kept, and what is kept is not taken for an old form when it is read back. */
#include <stdlib.h>
#include <string.h>

#include "libcore/model/diff.h"
#include "tests/help.h"

static fb_model *accept(int version, const char *inside, fb_diag *diag) {
    char *text = fb_test_document(version, inside);
    fb_status status;
    fb_model *model = fb_test_osim(text, diag, &status);
    FB_EQUAL_INT(status, FB_OK);
    free(text);
    if (model) {
        free(fb_test_to_fb(model));
    }
    return fb_test_must(model, diag);
}

static void done(fb_model *model, fb_diag *diag) {
    fb_model_free(model);
    fb_diag_clear(diag);
}

/* Two bodies on old joints; KNEE is the second's, INSIDE goes into it. */
#define OLD_BODIES(KNEE, INSIDE) \
    "<BodySet><objects><Body name=\"ground\"/><Body name=\"thigh\"><mass>3</mass><Joint>" \
    "<PinJoint name=\"hip\"><parent_body>ground</parent_body></PinJoint></Joint></Body>" \
    "<Body name=\"shank\"><mass>2</mass><Joint>" KNEE "</Joint>" INSIDE \
    "</Body></objects></BodySet>"
#define KNEE(INSIDE) \
    "<PinJoint name=\"knee\"><parent_body>thigh</parent_body><CoordinateSet><objects><Coordinate " \
    "name=\"bend\"/></objects></CoordinateSet>" INSIDE "</PinJoint>"
#define OLD OLD_BODIES(KNEE(""), "")

static void refuse(int version, const char *inside, fb_diag_id id, const char *message) {
    char *text = fb_test_document(version, inside);
    fb_diag diag;
    fb_status status;
    fb_model *model = fb_test_osim(text, &diag, &status);
    FB_EQUAL_INT(status, FB_E_INPUT);
    const fb_record *record = FB_RECORD(&diag, FB_ERROR, id, -1);
    FB_HOLDS(record ? record->message : NULL, message);
    FB_TRUE(record && record->line > 0, "it has a line");
    free(text);
    done(model, &diag);
}

static void malformed_old_numbers_are_refused(void) {
    refuse(30000,
           OLD "<ConstraintSet><objects>\n<WeldConstraint name=\"w\"><body_1>thigh</body_1>"
               "<body_2>shank</body_2><location_body_1>0,5 0 0</location_body_1></WeldConstraint>"
               "</objects></ConstraintSet>",
           FB2101, "'0,5'");
    refuse(30000,
           OLD "<ForceSet><objects>\n<PointActuator name=\"a\"><body_A>thigh</body_A>"
               "<body_B>shank</body_B><direction_A>0,5 0 0</direction_A></PointActuator>"
               "</objects></ForceSet>",
           FB2101, "'0,5'");
    refuse(30000,
           OLD "<ForceSet><objects>\n<TorqueActuator name=\"a\"><body_A>thigh</body_A>"
               "<body_B>shank</body_B><direction_A>0 1 x</direction_A></TorqueActuator>"
               "</objects></ForceSet>",
           FB2101, "'x'");
    refuse(10905,
           "<BodySet><objects>\n<Body name=\"b\"><mass>1</mass><inertia>1 0 0 0 1 0 0 0 1 kg"
           "</inertia></Body></objects></BodySet>",
           FB2101, "'kg'");
    refuse(30000,
           "<BodySet><objects>\n<Body name=\"b\"><mass>1</mass><inertia_xx>1,5</inertia_xx></Body>"
           "</objects></BodySet>",
           FB2101, "'1,5'");
}

static void reverse_must_be_true_or_false(void) {
    refuse(30000, OLD_BODIES(KNEE("<reverse>yes</reverse>"), ""), FB2103, "'yes'");
}

static void print_difference(const fb_difference *d, void *what) {
    FB_TRUE(false, "%s: %s, %s: '%s' became '%s'", (const char *)what, d->what,
            d->member ? d->member : "all", d->a ? d->a : "", d->b ? d->b : "");
}

/* The model is the same after .fb, .osim and .fb. */
static void check_round_trip(const fb_model *model, const char *what) {
    char *fb = fb_test_to_fb(model);
    fb_diag diag, diag2;
    fb_model *second = fb_test_must(fb_test_fb(fb, &diag, NULL), &diag);
    char *osim = fb_test_to_osim(second, 40500);
    fb_model *third = fb_test_must(fb_test_osim(osim, &diag2, NULL), &diag2);
    FB_EQUAL_INT(fb_model_diff(model, second, 0, print_difference, (void *)(size_t)what), 0);
    FB_EQUAL_INT(fb_model_diff(model, third, 0, print_difference, (void *)(size_t)what), 0);
    free(fb);
    free(osim);
    done(second, &diag);
    done(third, &diag2);
}

static void old_forms_given_twice_are_kept_and_stay(void) {
    static const struct {
        const char *inside, *path, *kept;
    } cases[] = {
        {OLD "<ForceSet><objects><CoordinateActuator name=\"a\"><coordinate>bend</coordinate>"
             "<isDisabled>true</isDisabled><appliesForce>true</appliesForce></CoordinateActuator>"
             "</objects></ForceSet>",
         "/forceset/a", "<isDisabled>true</isDisabled>"},
        {OLD_BODIES(KNEE("<location_in_parent>0 1 0</location_in_parent>"
                         "<location_in_parent>0 2 0</location_in_parent>"),
                    ""),
         "/jointset/knee", "<location_in_parent>0 2 0</location_in_parent>"},
        {OLD_BODIES(KNEE("<reverse>true</reverse><reverse>true</reverse>"), ""), "/jointset/knee",
         "<reverse>true</reverse>"},
        {OLD_BODIES(KNEE(""), "<inertia>1 1 1 0 0 0</inertia><inertia_xx>2</inertia_xx>"),
         "/bodyset/shank", "<inertia_xx>2</inertia_xx>"},
        {OLD "<MarkerSet><objects><Marker name=\"m\"><body>thigh</body><body>shank</body></Marker>"
             "</objects></MarkerSet>",
         "/markerset/m", "<body>shank</body>"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        fb_diag diag;
        fb_model *model = accept(30000, cases[i].inside, &diag);
        const fb_element *element = fb_test_find(model, cases[i].path);
        FB_EQUAL_STR(element->kept ? element->kept->xml : NULL, cases[i].kept);
        check_round_trip(model, cases[i].kept);
        done(model, &diag);
    }
}

static void joints_of_unknown_classes_stay_in_their_body(void) {
    fb_diag diag;
    fb_model *model =
        accept(30000,
               OLD_BODIES("<MyJoint name=\"knee\"><parent_body>thigh</parent_body></MyJoint>", ""),
               &diag);
    const fb_element *shank = fb_test_find(model, "/bodyset/shank");
    FB_EQUAL_STR(
        shank->kept ? shank->kept->xml : NULL,
        "<Joint><MyJoint name=\"knee\"><parent_body>thigh</parent_body></MyJoint></Joint>");
    FB_EQUAL_INT(fb_model_items(model, "joints")->n, 1);
    check_round_trip(model, "a joint of a plug-in");
    done(model, &diag);
}

static void our_own_documents_are_not_upgraded(void) {
    const char *kept = "<Joint><PinJoint name=\"p\"><parent_body>ground</parent_body></PinJoint>"
                       "</Joint>";
    fb_diag diag;
    fb_model *model = fb_test_must(
        fb_test_fb("{\"fb\": \"1.0\", \"bodies\": [{\"name\": \"b\", \"mass\": 1, \"kept\": "
                   "[\"<inertia_xx>3</inertia_xx>\", \"<Joint><PinJoint name=\\\"p\\\">"
                   "<parent_body>ground</parent_body></PinJoint></Joint>\"]}]}",
                   &diag, NULL),
        &diag);
    const fb_element *b = fb_test_find(model, "/bodyset/b");
    FB_EQUAL_STR(b->kept && b->kept->next ? b->kept->next->xml : NULL, kept);
    check_round_trip(model, "old forms among the kept parts");
    done(model, &diag);
}

/* Comments in parts that an upgrade takes apart stay in the document. */
static void comments_of_people_survive_upgrades(void) {
    fb_diag diag;
    fb_model *model = accept(
        20302,
        "<defaults><Body><!--one--><mass>1</mass></Body></defaults>"
        "<BodySet><objects><Body name=\"ground\"/><Body name=\"b\"><mass>1</mass><VisibleObject>"
        "<!--two--><scale_factors>1 1 1</scale_factors></VisibleObject><!--three--><Joint>"
        "<!--four--><PinJoint name=\"j\"><!--five--><parent_body>ground</parent_body>"
        "<!--six--><CoordinateSet><!--seven--><objects><Coordinate name=\"q\"/></objects>"
        "<!--eight--></CoordinateSet></PinJoint></Joint></Body></objects></BodySet>",
        &diag);
    char *text = fb_test_to_fb(model);
    static const char *const words[] = {"one",  "two", "three", "four",
                                        "five", "six", "seven", "eight"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        char quoted[20];
        snprintf(quoted, sizeof quoted, "\"%s\"", words[i]);
        FB_TRUE(strstr(text, quoted) != NULL, "the comment %s is there", words[i]);
    }
    free(text);
    done(model, &diag);
}

static const fb_test tests[] = {
    FB_TEST(malformed_old_numbers_are_refused),
    FB_TEST(reverse_must_be_true_or_false),
    FB_TEST(old_forms_given_twice_are_kept_and_stay),
    FB_TEST(joints_of_unknown_classes_stay_in_their_body),
    FB_TEST(our_own_documents_are_not_upgraded),
    FB_TEST(comments_of_people_survive_upgrades),
    FB_TEST_END,
};

int main(int argc, char **argv) {
    return fb_test_main("osim_odd", tests, argc, argv);
}
