#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "libcore/model/model.h"
#include "tests/help.h"

static void done(fb_model *model, fb_diag *diag) {
    fb_model_free(model);
    fb_diag_clear(diag);
}

/* A model of two bodies, with frames that share a name, and INSIDE. Lines 2 to 4; INSIDE begins on
 * line 5. */
#define BODIES \
    "<BodySet><objects><Body name=\"thigh\"><mass>1</mass><components><PhysicalOffsetFrame " \
    "name=\"knob\"><socket_parent>..</socket_parent>\n" \
    "</PhysicalOffsetFrame></components></Body><Body " \
    "name=\"shank\"><mass>1</mass><components><PhysicalOffsetFrame name=\"knob\">\n" \
    "<socket_parent>..</socket_parent></PhysicalOffsetFrame></components></Body></objects></" \
    "BodySet>\n"
#define MARKER(FRAME) \
    "<MarkerSet><objects>\n<Marker name=\"m\"><socket_parent_frame>" FRAME \
    "</socket_parent_frame></Marker></objects></MarkerSet>"
#define HIP \
    "<JointSet><objects><PinJoint " \
    "name=\"hip\"><socket_parent_frame>base</socket_parent_frame><socket_child_frame>/bodyset/" \
    "thigh" \
    "</socket_child_frame><coordinates><Coordinate " \
    "name=\"flexion\"/></coordinates><frames><PhysicalOffsetFrame name=\"base\">" \
    "<socket_parent>/ground</socket_parent></PhysicalOffsetFrame></frames></PinJoint></objects></" \
    "JointSet>"

static fb_model *read_in(const char *inside, fb_diag *diag, fb_status *status) {
    char *text = fb_test_document(40500, inside);
    fb_model *model = fb_test_osim(text, diag, status);
    free(text);
    return model;
}

static fb_model *accept(const char *inside, fb_diag *diag) {
    fb_model *model = read_in(inside, diag, NULL);
    if (model) {
        free(fb_test_to_fb(model));
    }
    return fb_test_must(model, diag);
}

/* Where a marker is whose frame is written that way. */
static void check_frame(const char *inside, const char *want) {
    fb_diag diag;
    fb_model *model = accept(inside, &diag);
    FB_EQUAL_STR(fb_test_target(fb_test_find(model, "/markerset/m"), "frame"), want);
    FB_EQUAL_INT(diag.n, 0);
    done(model, &diag);
}

static void resolves_paths_of_every_form(void) {
    check_frame(BODIES MARKER("/bodyset/thigh"), "/bodyset/thigh");
    check_frame(BODIES MARKER("/ground"), "/ground");
    check_frame(BODIES MARKER("ground"), "/ground");
    check_frame(BODIES MARKER("thigh"), "/bodyset/thigh");
    check_frame(BODIES MARKER("../../bodyset/thigh"), "/bodyset/thigh");
    check_frame(BODIES MARKER("../../ground"), "/ground");
    check_frame(BODIES MARKER("../../bodyset/./shank/../thigh"), "/bodyset/thigh");
    check_frame(BODIES MARKER("/bodyset/shank/knob"), "/bodyset/shank/knob");
    check_frame(BODIES MARKER("../../bodyset/shank/knob"), "/bodyset/shank/knob");
    check_frame(BODIES MARKER(" /bodyset/thigh \n"), "/bodyset/thigh");
}

static void relative_paths_begin_at_the_component(void) {
    fb_diag diag;
    fb_model *model = accept(BODIES HIP, &diag);
    const fb_element *hip = fb_test_find(model, "/jointset/hip");
    FB_EQUAL_STR(fb_test_target(hip, "parent"), "/jointset/hip/base");
    FB_EQUAL_STR(fb_test_target(fb_test_find(model, "/bodyset/thigh/knob"), "parent"),
                 "/bodyset/thigh");
    FB_EQUAL_STR(fb_test_target(fb_test_find(model, "/bodyset/shank/knob"), "parent"),
                 "/bodyset/shank");
    done(model, &diag);
}

static void references_of_owned_objects_are_resolved(void) {
    fb_diag diag;
    fb_model *model = accept(
        BODIES HIP
        "<ForceSet><objects><Thelen2003Muscle name=\"m\"><GeometryPath "
        "name=\"path\"><PathPointSet><objects>"
        "<PathPoint "
        "name=\"p\"><socket_parent_frame>../../../../bodyset/thigh</socket_parent_frame></"
        "PathPoint>"
        "<ConditionalPathPoint name=\"q\"><socket_parent_frame>/bodyset/shank</socket_parent_frame>"
        "<socket_coordinate>../../../../jointset/hip/flexion</socket_coordinate></"
        "ConditionalPathPoint></"
        "objects></PathPointSet></GeometryPath>"
        "</Thelen2003Muscle><CoordinateActuator "
        "name=\"a\"><coordinate>flexion</coordinate></CoordinateActuator></objects></ForceSet>",
        &diag);
    const fb_element *path = fb_get_object(fb_test_find(model, "/forceset/m"), "path");
    FB_EQUAL_STR(fb_test_target(fb_test_item(path, "points", 0), "frame"), "/bodyset/thigh");
    FB_EQUAL_STR(fb_test_target(fb_test_item(path, "points", 1), "coordinate"),
                 "/jointset/hip/flexion");
    FB_EQUAL_STR(fb_test_target(fb_test_find(model, "/forceset/a"), "coordinate"),
                 "/jointset/hip/flexion");
    done(model, &diag);
}

static void names_are_the_shortest_unique_tails(void) {
    fb_diag diag;
    fb_model *model = accept(
        BODIES HIP
        "<components><PhysicalOffsetFrame "
        "name=\"other\"><socket_parent>/ground</socket_parent></PhysicalOffsetFrame></components>"
        "<ForceSet><objects><CoordinateActuator "
        "name=\"thigh\"><coordinate>flexion</coordinate></CoordinateActuator></objects></ForceSet>",
        &diag);
    FB_EQUAL_STR(fb_test_find(model, "/bodyset/thigh/knob")->name, "thigh/knob");
    FB_EQUAL_STR(fb_test_find(model, "/bodyset/shank/knob")->name, "shank/knob");
    FB_EQUAL_STR(fb_test_find(model, "/jointset/hip/base")->name, "base");
    FB_EQUAL_STR(fb_test_find(model, "/other")->name, "other");
    FB_EQUAL_STR(fb_test_find(model, "/forceset/thigh")->name, "thigh"); /* another namespace */
    FB_EQUAL_STR(fb_test_find(model, "/bodyset/thigh")->name, "thigh");
    FB_TRUE(fb_model_find(model, FB_FRAME, "shank/knob") ==
                fb_test_find(model, "/bodyset/shank/knob"),
            "found by its name");
    FB_TRUE(fb_model_find(model, FB_BODY, "thigh") == fb_test_find(model, "/bodyset/thigh"),
            "found in its family");
    FB_TRUE(fb_model_find(model, FB_FORCE, "thigh") == fb_test_find(model, "/forceset/thigh"),
            "found in its family");
    FB_TRUE(fb_model_find(model, FB_JOINT, "thigh") == NULL, "no joint has that name");
    FB_TRUE(fb_model_find(model, FB_COORDINATE, "flexion") != NULL, "coordinates are found");
    done(model, &diag);
}

static void a_tail_may_be_a_whole_path(void) {
    fb_diag diag;
    fb_model *model = accept(
        "<components><PhysicalOffsetFrame "
        "name=\"a\"><socket_parent>/ground</socket_parent></PhysicalOffsetFrame></components>"
        "<BodySet><objects><Body name=\"a\"><mass>1</mass></Body></objects></BodySet>",
        &diag);
    FB_EQUAL_INT(diag.counts[FB_ERROR], 0);
    const fb_element *frame = fb_model_items(model, "frames")->n
                                  ? fb_model_items(model, "frames")->items[0]
                                  : NULL;
    const fb_element *body = fb_model_items(model, "bodies")->n
                                 ? fb_model_items(model, "bodies")->items[0]
                                 : NULL;
    if (FB_TRUE(frame && body, "a frame and a body")) {
        FB_TRUE(strcmp(frame->name, body->name) != 0, "'%s' and '%s' differ", frame->name,
                body->name);
        FB_TRUE(fb_model_find(model, FB_FRAME, frame->name) == frame, "'%s' finds the frame",
                frame->name);
        FB_TRUE(fb_model_find(model, FB_FRAME, body->name) == body, "'%s' finds the body",
                body->name);
    }
    done(model, &diag);
}

static void duplicate_paths_are_told_and_made_unique(void) {
    fb_diag diag;
    fb_model *model =
        accept("<BodySet><objects><Body name=\"a\"><mass>1</mass></Body>\n<Body "
               "name=\"a\"><mass>2</mass></Body>\n"
               "<Body name=\"a\"><mass>3</mass></Body></objects></BodySet>" MARKER("/bodyset/a"),
               &diag);
    FB_SAME(fb_get_number(fb_test_find(model, "/bodyset/a"), "mass"), 1);
    FB_SAME(fb_get_number(fb_test_find(model, "/bodyset/a_0"), "mass"), 2);
    FB_SAME(fb_get_number(fb_test_find(model, "/bodyset/a_1"), "mass"), 3);
    const fb_record *record = FB_RECORD(&diag, FB_WARNING, FB2203, 3);
    FB_HOLDS(record ? record->message : NULL, "the later one becomes a_0");
    FB_RECORD(&diag, FB_WARNING, FB2203, 4);
    FB_EQUAL_STR(fb_test_target(fb_test_find(model, "/markerset/m"), "frame"), "/bodyset/a");
    done(model, &diag);
}

static void a_wrong_path_with_a_right_name_is_told(void) {
    fb_diag diag;
    fb_model *model = accept(BODIES MARKER("/old/place/thigh"), &diag);
    FB_EQUAL_STR(fb_test_target(fb_test_find(model, "/markerset/m"), "frame"), "/bodyset/thigh");
    const fb_record *record = FB_RECORD(&diag, FB_WARNING, FB2202, 6);
    FB_HOLDS(record ? record->message : NULL,
             "'/old/place/thigh' does not exist; '/bodyset/thigh' is taken");
    done(model, &diag);
}

/* A reference that a model cannot do without. */
static void refuse(const char *inside, fb_diag_id id, int line, const char *message) {
    fb_diag diag;
    fb_status status;
    fb_model *model = read_in(inside, &diag, &status);
    FB_EQUAL_INT(status, FB_E_INPUT);
    FB_TRUE(model == NULL, "no model");
    const fb_record *record = FB_RECORD(&diag, FB_ERROR, id, line);
    FB_HOLDS(record ? record->message : NULL, message);
    done(model, &diag);
}

static void misspelt_references_are_guessed(void) {
    refuse(BODIES MARKER("/bodyset/thihg"), FB2201, 6,
           "socket_parent_frame names no frame: '/bodyset/thihg'; did you mean 'thigh'?");
    refuse(BODIES MARKER("Thigh"), FB2201, 6, "did you mean 'thigh'?");
    refuse(BODIES MARKER("/bodyset/pelvis"), FB2201, 6, "names no frame: '/bodyset/pelvis'");
    refuse(BODIES HIP MARKER("/jointset/hip"), FB2201, 6, "names no frame"); /* another family */
    refuse(BODIES HIP
           "<ForceSet><objects>\n<CoordinateActuator "
           "name=\"a\"><coordinate>flexoin</coordinate></CoordinateActuator></objects></ForceSet>",
           FB2201, 6, "did you mean 'flexion'?");
}

static void missing_references_are_told(void) {
    refuse(BODIES "<MarkerSet><objects>\n<Marker name=\"m\"/></objects></MarkerSet>", FB2105, 6,
           "Marker 'm': socket_parent_frame must be given");
    fb_diag diag;
    fb_model *model =
        accept(BODIES "<ForceSet><objects>\n<CoordinateActuator name=\"a\"/></objects></ForceSet>",
               &diag);
    FB_RECORD(&diag, FB_WARNING, FB2105, 6);
    done(model, &diag);
}

static void endless_misspellings_are_told_in_time(void) {
    char *inside = malloc(600000), *p = inside;
    p += sprintf(p, "<BodySet><objects>");
    for (int i = 0; i < 1000; i++) {
        p += sprintf(p, "<Body name=\"body_number_%d\"><mass>1</mass></Body>", i);
    }
    p += sprintf(p, "</objects></BodySet><MarkerSet><objects>");
    for (int i = 0; i < 1000; i++) {
        p += sprintf(p,
                     "<Marker "
                     "name=\"m%d\"><socket_parent_frame>/bodyset/body_nmuber_%d</"
                     "socket_parent_frame></Marker>",
                     i, i);
    }
    sprintf(p, "</objects></MarkerSet>");
    fb_diag diag;
    fb_status status;
    clock_t begin = clock();
    fb_model *model = read_in(inside, &diag, &status);
    double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    FB_EQUAL_INT(status, FB_E_INPUT);
    FB_EQUAL_INT(diag.counts[FB_ERROR], 1000);
    if (fb_test_is_fast()) {
        FB_TRUE(seconds < 2, "it took %.1f s", seconds);
    }
    free(inside);
    done(model, &diag);
}

static void link_marks_the_model(void) {
    fb_model *model = fb_model_new();
    fb_diag diag;
    fb_diag_init(&diag);
    FB_TRUE(!model->linked, "not yet");
    FB_EQUAL_INT(fb_model_link(model, &diag), FB_OK);
    FB_TRUE(model->linked, "now it is");
    done(model, &diag);
}

static const fb_test tests[] = {
    FB_TEST(resolves_paths_of_every_form),
    FB_TEST(relative_paths_begin_at_the_component),
    FB_TEST(references_of_owned_objects_are_resolved),
    FB_TEST(names_are_the_shortest_unique_tails),
    FB_TEST(a_tail_may_be_a_whole_path),
    FB_TEST(duplicate_paths_are_told_and_made_unique),
    FB_TEST(a_wrong_path_with_a_right_name_is_told),
    FB_TEST(misspelt_references_are_guessed),
    FB_TEST(missing_references_are_told),
    FB_TEST(endless_misspellings_are_told_in_time),
    FB_TEST(link_marks_the_model),
    FB_TEST_END,
};

int main(int argc, char **argv) {
    return fb_test_main("link", tests, argc, argv);
}
