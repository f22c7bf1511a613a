#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "libcore/base/number.h"
#include "tests/help.h"

/* A leg on a pin: what most of these tests add something to. Lines 3 to 8 of the document. */
#define BODIES \
    "<BodySet><objects><Body name=\"leg\"><mass>2</mass><mass_center>0 -0.2 0</mass_center>\n" \
    "<inertia>0.1 0.01 0.1 0 0 0</inertia></Body></objects></BodySet>\n"
#define JOINTS \
    "<JointSet><objects><PinJoint " \
    "name=\"hip\"><socket_parent_frame>/ground</socket_parent_frame>\n" \
    "<socket_child_frame>/bodyset/leg</socket_child_frame>\n" \
    "<coordinates><Coordinate " \
    "name=\"flexion\"><default_value>0.5</default_value></Coordinate></coordinates>\n" \
    "</PinJoint></objects></JointSet>\n"

/* Reads a document of the newest version that holds `inside`; its first line is line 2. */
static fb_model *read_in(const char *inside, fb_diag *diag, fb_status *status) {
    char *text = fb_test_document(40500, inside);
    fb_model *model = fb_test_osim(text, diag, status);
    free(text);
    return model;
}

static fb_model *accept(const char *inside, fb_diag *diag) {
    fb_status status;
    fb_model *model = read_in(inside, diag, &status);
    FB_EQUAL_INT(status, FB_OK);
    FB_EQUAL_INT(diag->counts[FB_ERROR], 0);
    return fb_test_must(model, diag);
}

static void done(fb_model *model, fb_diag *diag) {
    fb_model_free(model);
    fb_diag_clear(diag);
}

static void refuse(const char *inside, fb_diag_id id, int line, const char *message) {
    fb_diag diag;
    fb_status status;
    fb_model *model = read_in(inside, &diag, &status);
    FB_EQUAL_INT(status, FB_E_INPUT);
    FB_TRUE(model == NULL, "no model is given");
    const fb_record *record = FB_RECORD(&diag, FB_ERROR, id, line);
    if (record) {
        FB_HOLDS(record->message, message);
        FB_EQUAL_STR(record->file, "test.osim");
    }
    done(model, &diag);
}

/* Reads all the same, with that record. */
static fb_model *accept_with(const char *inside, fb_diag *diag, fb_action action, fb_diag_id id,
                             int line, const char *message) {
    fb_model *model = accept(inside, diag);
    const fb_record *record = FB_RECORD(diag, action, id, line);
    FB_HOLDS(record ? record->message : NULL, message);
    return model;
}

/* ---- documents ------------------------------------------------------------------------------- */

static void accepts_the_smallest_model(void) {
    static const char *const texts[] = {
        "<OpenSimDocument Version=\"40500\"><Model name=\"m\"/></OpenSimDocument>",
        "<Model name=\"m\"/>", "<OpenSimDocument Version=\"40600\"><Model/></OpenSimDocument>",
        "<OpenSimDocument Version=\"10500\"><Model name=\"m\"></Model></OpenSimDocument>"};
    static const int versions[] = {40500, 10500, 40600, 10500};
    for (int i = 0; i < 4; i++) {
        fb_diag diag;
        fb_status status;
        fb_model *model = fb_test_osim(texts[i], &diag, &status);
        FB_EQUAL_INT(status, FB_OK);
        if (model) {
            FB_EQUAL_STR(model->root->name, i == 2 ? "" : "m");
            FB_EQUAL_INT(model->source_version, versions[i]);
            FB_TRUE(model->ground && strcmp(model->ground->path, "/ground") == 0,
                    "there is a ground");
            double g[3];
            FB_TRUE(fb_get_vector(model->root, "gravity", g, 3), "there is gravity");
            FB_SAME(g[1], -9.80665);
            free(fb_test_to_fb(model));
        }
        FB_EQUAL_INT(diag.n, 0);
        done(model, &diag);
    }
}

static void rejects_what_is_no_model(void) {
    static const struct {
        const char *text;
        int line;
        const char *message;
    } cases[] = {{"\n<OpenSimDocument Version=\"40500\">\n<ScaleSet/></OpenSimDocument>", 3,
                  "ScaleSet"},
                 {"<OpenSimDocument Version=\"40500\"/>", 1, "nothing"},
                 {"\n\n<html/>", 3, "html"},
                 {"<OpenSimDocuments Version=\"40500\"><Model/></OpenSimDocuments>", 1,
                  "misspelt"}};
    for (int i = 0; i < 4; i++) {
        fb_diag diag;
        fb_status status;
        fb_model *model = fb_test_osim(cases[i].text, &diag, &status);
        FB_EQUAL_INT(status, FB_E_INPUT);
        FB_TRUE(model == NULL, "no model");
        const fb_record *record = FB_RECORD(&diag, FB_ERROR, FB1201, cases[i].line);
        FB_HOLDS(record ? record->message : NULL, cases[i].message);
        done(model, &diag);
    }
}

static void warns_of_unknown_versions(void) {
    static const struct {
        const char *version, *message;
    } cases[] = {{"Version=\"50000\"", "newer"}, {"Version=\"10000\"", "older"},
                 {"Version=\"x\"", "'x'"},       {"", "missing"},
                 {"Version=\"-1\"", "'-1'"},     {"Version=\"nan\"", "'nan'"}};
    for (int i = 0; i < 6; i++) {
        char text[200];
        snprintf(text, sizeof text, "\n<OpenSimDocument %s><Model name=\"m\"/></OpenSimDocument>",
                 cases[i].version);
        fb_diag diag;
        fb_status status;
        fb_model *model = fb_test_osim(text, &diag, &status);
        FB_EQUAL_INT(status, FB_OK);
        const fb_record *record = FB_RECORD(&diag, FB_WARNING, FB1202, 2);
        FB_HOLDS(record ? record->message : NULL, cases[i].message);
        done(model, &diag);
    }
}

/* ---- elements -------------------------------------------------------------------------------- */

static void reads_bodies_and_joints(void) {
    fb_diag diag;
    fb_model *model = accept(BODIES JOINTS, &diag);
    const fb_element *leg = fb_test_find(model, "/bodyset/leg"),
                     *hip = fb_test_find(model, "/jointset/hip");
    double x[6];
    FB_EQUAL_STR(leg->name, "leg");
    FB_EQUAL_INT(leg->line, 2);
    FB_SAME(fb_get_number(leg, "mass"), 2);
    FB_TRUE(fb_get_vector(leg, "mass_center", x, 3), "a vector");
    FB_SAME(x[1], -0.2);
    FB_TRUE(fb_get_vector(leg, "inertia", x, 6), "a vector");
    FB_SAME(x[1], 0.01);
    FB_EQUAL_STR(hip->cls->name, "PinJoint");
    FB_EQUAL_STR(fb_test_target(hip, "parent"), "/ground");
    FB_EQUAL_STR(fb_test_target(hip, "child"), "/bodyset/leg");
    const fb_element *flexion = fb_test_item(hip, "coordinates", 0);
    FB_EQUAL_STR(flexion->path, "/jointset/hip/flexion");
    FB_EQUAL_STR(flexion->name, "flexion");
    FB_SAME(fb_get_number(flexion, "default"), 0.5);
    FB_TRUE(fb_get_vector(flexion, "range", x, 2), "the default range");
    FB_SAME(x[0], -10);
    FB_EQUAL_INT(diag.n, 0);
    free(fb_test_to_fb(model));
    done(model, &diag);
}

static void reads_the_lists_in_their_order(void) {
    fb_diag diag;
    fb_model *model =
        accept(BODIES JOINTS
               "<ForceSet><objects><PathSpring "
               "name=\"b\"><resting_length>1</resting_length><stiffness>1</stiffness>"
               "<dissipation>0</dissipation></PathSpring><CoordinateActuator "
               "name=\"a\"><coordinate>flexion</coordinate>"
               "</CoordinateActuator><CoordinateActuator "
               "name=\"c\"><coordinate>flexion</coordinate></CoordinateActuator>"
               "</objects></ForceSet>"
               "<MarkerSet><objects><Marker "
               "name=\"m2\"><socket_parent_frame>/ground</socket_parent_frame></Marker>"
               "<Marker "
               "name=\"m1\"><socket_parent_frame>/bodyset/leg</socket_parent_frame></Marker></"
               "objects></MarkerSet>",
               &diag);
    const fb_list *actuators = fb_model_items(model, "actuators"),
                  *markers = fb_model_items(model, "markers");
    FB_EQUAL_INT(actuators->n, 2);
    FB_EQUAL_STR(actuators->items[0]->path, "/forceset/a");
    FB_EQUAL_STR(actuators->items[1]->path, "/forceset/c");
    FB_EQUAL_INT(fb_model_items(model, "springs")->n, 1);
    FB_EQUAL_INT(markers->n, 2);
    FB_EQUAL_STR(markers->items[0]->name, "m2");
    FB_TRUE(fb_model_items(model, "springs")->items[0]->order < actuators->items[0]->order,
            "the spring comes first");
    done(model, &diag);
}

static void completes_coordinates_that_are_not_given(void) {
    static const struct {
        const char *cls;
        int n;
    } joints[] = {{"PinJoint", 1},    {"SliderJoint", 1},
                  {"PlanarJoint", 3}, {"UniversalJoint", 2},
                  {"BallJoint", 3},   {"GimbalJoint", 3},
                  {"FreeJoint", 6},   {"WeldJoint", 0},
                  {"CustomJoint", 0}, {"ScapulothoracicJoint", 4}};
    for (size_t i = 0; i < sizeof joints / sizeof joints[0]; i++) {
        char inside[600];
        snprintf(
            inside, sizeof inside,
            BODIES
            "<JointSet><objects><%s name=\"hip\"><socket_parent_frame>/ground</socket_parent_frame>"
            "<thoracic_ellipsoid_radii_x_y_z>1 1 1</thoracic_ellipsoid_radii_x_y_z>"
            "<socket_child_frame>/bodyset/leg</socket_child_frame></%s></objects></JointSet>",
            joints[i].cls, joints[i].cls);
        fb_diag diag;
        fb_model *model = accept(inside, &diag);
        const fb_element *hip = fb_test_find(model, "/jointset/hip");
        const fb_value *coordinates = hip ? fb_get(hip, "coordinates") : NULL;
        FB_EQUAL_INT(coordinates ? coordinates->n : 0, joints[i].n);
        for (int k = 0; k < joints[i].n;
             k++) { /* OpenSim's names, in which the joint's is missing */
            char path[60];
            snprintf(path, sizeof path, "/jointset/hip/_coord_%d", k);
            FB_EQUAL_STR(fb_test_item(hip, "coordinates", k)->path, path);
        }
        done(model, &diag);
    }
}

static void reads_frames_and_wraps_of_bodies(void) {
    fb_diag diag;
    fb_model *model = accept(
        "<Ground name=\"ground\"><WrapObjectSet><objects><WrapSphere "
        "name=\"ball\"><radius>0.1</radius></WrapSphere>"
        "</objects></WrapObjectSet></Ground>"
        "<BodySet><objects><Body name=\"leg\"><mass>1</mass><components><PhysicalOffsetFrame "
        "name=\"knob\">"
        "<socket_parent>..</socket_parent><translation>0 1 "
        "0</translation></PhysicalOffsetFrame></components>"
        "<WrapObjectSet><objects><WrapCylinder "
        "name=\"ball\"><radius>0.2</radius></WrapCylinder></objects></WrapObjectSet>"
        "</Body></objects></BodySet>"
        "<JointSet><objects><WeldJoint name=\"hip\"><socket_parent_frame>base</socket_parent_frame>"
        "<socket_child_frame>/bodyset/leg/knob</socket_child_frame><frames><PhysicalOffsetFrame "
        "name=\"base\">"
        "<socket_parent>/ground</socket_parent></PhysicalOffsetFrame></frames></WeldJoint></"
        "objects></"
        "JointSet>",
        &diag);
    FB_EQUAL_STR(fb_test_target(fb_test_find(model, "/bodyset/leg/knob"), "parent"),
                 "/bodyset/leg");
    FB_EQUAL_STR(fb_test_target(fb_test_find(model, "/jointset/hip"), "parent"),
                 "/jointset/hip/base");
    FB_EQUAL_STR(fb_test_target(fb_test_find(model, "/jointset/hip"), "child"),
                 "/bodyset/leg/knob");
    const fb_element *a = fb_test_find(model, "/ground/wrapobjectset/ball");
    const fb_element *b = fb_test_find(model, "/bodyset/leg/wrapobjectset/ball");
    FB_EQUAL_STR(fb_test_target(a, "frame"), "/ground");
    FB_EQUAL_STR(fb_test_target(b, "frame"), "/bodyset/leg");
    FB_EQUAL_STR(a->name, "ground/wrapobjectset/ball");
    FB_EQUAL_STR(b->name, "leg/wrapobjectset/ball");
    free(fb_test_to_fb(model));
    done(model, &diag);
}

static void reads_paths_muscles_and_curves(void) {
    fb_diag diag;
    fb_model *model = accept(BODIES JOINTS
                             "<ForceSet><objects><Millard2012EquilibriumMuscle "
                             "name=\"m\"><max_isometric_force>500</max_isometric_force>"
                             "<GeometryPath name=\"path\"><PathPointSet><objects><PathPoint "
                             "name=\"p1\"><socket_parent_frame>/ground"
                             "</socket_parent_frame><location>0 0.1 "
                             "0</location></PathPoint><ConditionalPathPoint name=\"p2\">"
                             "<socket_parent_frame>/bodyset/leg</socket_parent_frame><location>0 0 "
                             "1</location><range>-1 1</range>"
                             "<socket_coordinate>/jointset/hip/flexion</socket_coordinate></"
                             "ConditionalPathPoint></objects></"
                             "PathPointSet>"
                             "</GeometryPath><TendonForceLengthCurve "
                             "name=\"m_TendonForceLengthCurve\"><strain_at_one_norm_force>0.06"
                             "</strain_at_one_norm_force></TendonForceLengthCurve></"
                             "Millard2012EquilibriumMuscle></objects>"
                             "<groups><ObjectGroup name=\"all of "
                             "them\"><members>m</members></ObjectGroup></groups></ForceSet>",
                             &diag);
    const fb_element *m = fb_test_find(model, "/forceset/m"), *path = fb_get_object(m, "path");
    FB_SAME(fb_get_number(m, "max_isometric_force"), 500);
    FB_SAME(fb_get_number(m, "optimal_fiber_length"), 0.1);
    FB_EQUAL_STR(fb_test_item(path, "points", 0)->name, "p1");
    FB_EQUAL_STR(fb_test_item(path, "points", 1)->cls->name, "ConditionalPathPoint");
    FB_EQUAL_STR(fb_test_target(fb_test_item(path, "points", 1), "coordinate"),
                 "/jointset/hip/flexion");
    FB_SAME(fb_get_number(fb_get_object(m, "tendon_force_length_curve"),
                          "strain_at_max_isometric_force"),
            0.06);
    FB_EQUAL_STR(fb_get_object(m, "tendon_force_length_curve")->name, NULL);
    FB_EQUAL_STR(fb_get_object(m, "active_force_length_curve")->cls->name,
                 "ActiveForceLengthCurve");
    FB_EQUAL_INT(model->n_groups, 1);
    FB_EQUAL_STR(model->groups[0].name, "all of them");
    FB_EQUAL_STR(model->groups[0].set, "/forceset");
    FB_EQUAL_STR(model->groups[0].members[0], "m");
    FB_EQUAL_INT(diag.n, 0);
    free(fb_test_to_fb(model));
    done(model, &diag);
}

static void converts_degrees_only_where_the_coordinate_turns(void) {
    fb_diag diag;
    fb_model *model =
        accept("<BodySet><objects><Body name=\"leg\"><mass>1</mass></Body></objects></BodySet>"
               "<JointSet><objects><PlanarJoint "
               "name=\"hip\"><socket_parent_frame>/ground</socket_parent_frame>"
               "<socket_child_frame>/bodyset/leg</socket_child_frame><coordinates><Coordinate "
               "name=\"turn\"/>"
               "<Coordinate name=\"x\"/><Coordinate "
               "name=\"y\"/></coordinates></PlanarJoint></objects></JointSet>"
               "<ForceSet><objects><CoordinateLimitForce "
               "name=\"a\"><coordinate>turn</coordinate><upper_limit>90</upper_limit>"
               "<upper_stiffness>2</upper_stiffness></CoordinateLimitForce><CoordinateLimitForce "
               "name=\"b\"><coordinate>x</coordinate>"
               "<upper_limit>90</upper_limit><upper_stiffness>2</upper_stiffness></"
               "CoordinateLimitForce></objects></"
               "ForceSet>",
               &diag);
    FB_NEAR(fb_get_number(fb_test_find(model, "/forceset/a"), "upper_limit"), acos(-1) / 2, 0,
            1e-15);
    FB_NEAR(fb_get_number(fb_test_find(model, "/forceset/a"), "upper_stiffness"), 360 / acos(-1), 0,
            1e-15);
    FB_SAME(fb_get_number(fb_test_find(model, "/forceset/b"), "upper_limit"), 90);
    FB_SAME(fb_get_number(fb_test_find(model, "/forceset/b"), "upper_stiffness"), 2);
    free(fb_test_to_fb(model));
    done(model, &diag);
}

static void names_elements_without_a_name_after_their_class(void) {
    fb_diag diag;
    fb_model *model = accept("<BodySet><objects><Body><mass>1</mass></Body></objects></BodySet>",
                             &diag);
    const fb_element *body = fb_test_find(model, "/bodyset/body");
    FB_EQUAL_STR(body ? body->name : NULL, "body");
    done(model, &diag);
    model = accept_with(
        "<BodySet><objects>\n<Body name=\"a/b\"><mass>1</mass></Body></objects></BodySet>", &diag,
        FB_WARNING, FB2204, 3, "'a/b'");
    done(model, &diag);
}

static void takes_the_first_of_two_properties(void) {
    fb_diag diag;
    fb_model *model = accept("<BodySet><objects><Body "
                             "name=\"b\"><mass>1</mass>\n<mass>2</mass></Body></objects></BodySet>",
                             &diag);
    bool told = false;
    for (size_t i = 0; i < diag.n; i++) {
        told = told || (diag.records[i].id == FB2003 && diag.records[i].line == 3);
    }
    FB_TRUE(told, "FB2003 at line 3");
    FB_SAME(fb_get_number(fb_test_find(model, "/bodyset/b"), "mass"), 1);
    done(model, &diag);
}

/* ---- values that cannot be read -------------------------------------------------------------- */

#define BODY(INSIDE) "<BodySet><objects><Body name=\"b\">\n" INSIDE "</Body></objects></BodySet>"

static void rejects_numbers_that_are_none(void) {
    refuse(BODY("<mass>1,5</mass>"), FB2101, 3, "decimal point");
    refuse(BODY("<mass>abc</mass>"), FB2101, 3, "'abc'");
    refuse(BODY("<mass>0x10</mass>"), FB2101, 3, "'0x10'");
    refuse(BODY("<mass_center>0 1 2kg</mass_center>"), FB2101, 3, "'2kg'");
    refuse(BODY("<mass_center>0, 1, 2</mass_center>"), FB2101, 3, "'0,'");
    refuse(BODY("<mass>1\n<x/></mass>"), FB2103, 3, "text");
    refuse(BODY("<mass_center>\n0 1</mass_center>"), FB2102, 3, "must be 3 numbers, got 2");
    refuse(BODY("<attached_geometry><Mesh "
                "name=\"m\"><Appearance><SurfaceProperties><representation>1.5</representation>"
                "</SurfaceProperties></Appearance></Mesh></attached_geometry>"),
           FB2101, 3, "whole number");
    refuse(BODY("<attached_geometry><Mesh "
                "name=\"m\"><Appearance><visible>maybe</visible></Appearance></Mesh>"
                "</attached_geometry>"),
           FB2103, 3, "true or false");
}

static void messages_name_class_and_element(void) {
    fb_diag diag;
    fb_status status;
    fb_model *model = read_in(BODY("<mass>x</mass>"), &diag, &status);
    const fb_record *record = FB_RECORD(&diag, FB_ERROR, FB2101, 3);
    if (record) {
        FB_EQUAL_STR(record->message, "Body 'b': <mass> holds 'x', which is not a number");
        FB_EQUAL_STR(record->path, "/bodyset/b");
        FB_EQUAL_STR(record->cls, "Body");
    }
    done(model, &diag);
}

static void accepts_nan_inf_and_too_many_numbers(void) {
    fb_diag diag;
    double x[3];
    fb_model *model = accept_with(BODY("<mass>NaN</mass><mass_center>Inf -inf 1 7</mass_center>"),
                                  &diag, FB_APPROXIMATED, FB2102, 3, "must be 3 numbers, got 4");
    const fb_element *b = fb_test_find(model, "/bodyset/b");
    FB_SAME(fb_get_number(b, "mass"), FB_NAN);
    FB_TRUE(fb_get_vector(b, "mass_center", x, 3), "a vector");
    FB_SAME(x[0], FB_INFINITY);
    FB_SAME(x[1], -FB_INFINITY);
    free(fb_test_to_fb(model));
    done(model, &diag);
}

static void accepts_truth_in_all_spellings(void) {
    static const struct {
        const char *text;
        bool truth;
    } cases[] = {{"true", true},     {"True", true},   {"TRUE", true}, {"1", true},
                 {" false ", false}, {"FALSE", false}, {"0", false}};
    for (int i = 0; i < 7; i++) {
        char inside[600];
        snprintf(inside, sizeof inside,
                 "<MarkerSet><objects><Marker name=\"m\"><socket_parent_frame>/ground"
                 "</socket_parent_frame><fixed>%s</fixed></Marker></objects></MarkerSet>",
                 cases[i].text);
        fb_diag diag;
        fb_model *model = accept(inside, &diag);
        FB_EQUAL_INT(fb_get_bool(fb_test_find(model, "/markerset/m"), "fixed"), cases[i].truth);
        done(model, &diag);
    }
}

/* ---- references ------------------------------------------------------------------------------ */

static void rejects_references_to_nothing(void) {
    refuse(BODIES
           "<JointSet><objects>\n<PinJoint "
           "name=\"hip\"><socket_parent_frame>/ground</socket_parent_frame>"
           "<socket_child_frame>/bodyset/lag</socket_child_frame></PinJoint></objects></JointSet>",
           FB2201, 5, "'/bodyset/lag'; did you mean 'leg'?");
    refuse(BODIES "<JointSet><objects>\n<PinJoint "
                  "name=\"hip\"><socket_parent_frame>/ground</socket_parent_frame>"
                  "</PinJoint></objects></JointSet>",
           FB2105, 5, "socket_child_frame must be given");
}

static void warns_of_required_properties_that_are_missing(void) {
    fb_diag diag;
    fb_model *model =
        accept_with("<ForceSet><objects>\n<PathSpring name=\"s\"/></objects></ForceSet>", &diag,
                    FB_WARNING, FB2105, 3, "<resting_length> must be given");
    done(model, &diag);
}

/* ---- what is kept ---------------------------------------------------------------------------- */

static void keeps_unknown_classes_word_for_word(void) {
    fb_diag diag;
    fb_model *model = accept_with(
        "<ForceSet><objects>\n<ToyMuscle name='t'  odd=\"1\"><x>1</x><!-- y --></ToyMuscle>"
        "</objects></ForceSet>",
        &diag, FB_KEPT, FB2001, 3, "ToyMuscle 't'");
    const fb_list *kept = fb_model_items(model, "kept");
    FB_EQUAL_INT(kept->n, 1);
    FB_EQUAL_STR(kept->items[0]->path, "/forceset/t");
    FB_EQUAL_STR(fb_get_string(kept->items[0], "class"), "ToyMuscle");
    FB_EQUAL_STR(fb_get_string(kept->items[0], "xml"),
                 "<ToyMuscle name='t'  odd=\"1\"><x>1</x><!-- y --></ToyMuscle>");
    free(fb_test_to_fb(model));
    done(model, &diag);
    model = accept_with("<JointSet><objects>\n<PinJiont name=\"t\"/></objects></JointSet>", &diag,
                        FB_KEPT, FB2001, 3, "did you mean <PinJoint>?");
    done(model, &diag);
}

static void keeps_unknown_properties_word_for_word(void) {
    fb_diag diag;
    fb_model *model = accept_with(BODY("<mass>1</mass>\n<masss a=\"b\">2<i>&lt;</i></masss>"),
                                  &diag, FB_KEPT, FB2002, 4, "did you mean <mass>?");
    const fb_element *b = fb_test_find(model, "/bodyset/b");
    FB_EQUAL_STR(b->kept ? b->kept->xml : NULL, "<masss a=\"b\">2<i>&lt;</i></masss>");
    char *osim = fb_test_to_osim(model, 40500);
    FB_HOLDS(osim, "<masss a=\"b\">2<i>&lt;</i></masss>");
    free(osim);
    done(model, &diag);
    model = accept(BODY("<mass>1</mass><nothing/>"), &diag);
    FB_EQUAL_INT(diag.n, 0);
    done(model, &diag);
}

static void ignores_unknown_attributes(void) {
    fb_diag diag;
    fb_model *model = accept_with("<BodySet><objects>\n<Body name=\"b\" "
                                  "colour=\"red\"><mass>1</mass></Body></objects></BodySet>",
                                  &diag, FB_IGNORED, FB2004, 3, "colour=\"red\"");
    done(model, &diag);
}

static void keeps_comments_of_people(void) {
    fb_diag diag;
    fb_model *model =
        accept("<BodySet><objects><!-- weighed twice --><Body name=\"a\"><!--Mass in "
               "kg.--><mass>1</mass><!--at the end--></Body>"
               "<Body name=\"b\"><!--Mass in kg.--><mass>2</mass></Body></objects></BodySet>",
               &diag);
    const fb_element *a = fb_test_find(model, "/bodyset/a"), *b = fb_test_find(model, "/bodyset/b");
    FB_TRUE(a->comments && a->comments->next && !a->comments->next->next,
            "two comments of its own");
    FB_EQUAL_STR(a->comments->before, NULL);
    FB_EQUAL_STR(a->comments->text, "weighed twice");
    FB_EQUAL_STR(a->comments->next->before, "");
    FB_EQUAL_STR(a->comments->next->text, "at the end");
    FB_TRUE(b->comments == NULL, "none of its own");
    FB_TRUE(model->shared_comments != NULL, "one that both share");
    FB_EQUAL_STR(model->shared_comments->before, "Body.mass");
    FB_EQUAL_STR(model->shared_comments->text, "Mass in kg.");
    done(model, &diag);
}

/* ---- included files and defaults ------------------------------------------------------------- */

/* Reads a model file in a folder, with a limit for included files. */
static fb_model *read_file(const char *folder, const char *text, size_t max, fb_diag *diag,
                           fb_status *status) {
    fb_model *model;
    fb_osim_options options = {.max_bytes = max};
    fb_diag_init(diag);
    size_t n = strlen(text);
    *status = fb_osim_read(&model, fb_test_bytes(text, n), n, fb_test_path(folder, "main.osim"),
                           &options, diag);
    return model;
}

static void put(const char *folder, const char *name, const char *text) {
    fb_test_write_file(fb_test_path(folder, name), text, strlen(text));
}

#define INCLUDING(FILE) \
    "<OpenSimDocument Version=\"40500\"><Model name=\"m\">\n<BodySet file=\"" FILE \
    "\"/></Model></OpenSimDocument>"

static void includes_files_beside_the_model(void) {
    const char *folder = fb_test_folder();
    put(folder, "bodies.xml",
        "<OpenSimDocument Version=\"40500\"><BodySet name=\"x\"><objects>\n\n<Body name=\"in\">"
        "<mass>3</mass><bad>1</bad></Body></objects></BodySet></OpenSimDocument>");
    fb_diag diag;
    fb_status status;
    fb_model *model = read_file(folder, INCLUDING("bodies.xml"), 0, &diag, &status);
    FB_EQUAL_INT(status, FB_OK);
    if (model) {
        FB_SAME(fb_get_number(fb_test_find(model, "/bodyset/in"), "mass"), 3);
        const fb_record *record = FB_RECORD(&diag, FB_KEPT, FB2002, 3);
        FB_HOLDS(record ? record->file : NULL, "bodies.xml");
    }
    done(model, &diag);
    put(folder, "part.xml",
        "<BodySet><objects><Body name=\"in\"><mass>4</mass></Body></objects></BodySet>");
    model = read_file(folder, INCLUDING(".\\part.xml"), 0, &diag, &status);
    FB_EQUAL_INT(status, FB_OK);
    if (model) {
        FB_SAME(fb_get_number(fb_test_find(model, "/bodyset/in"), "mass"), 4);
    }
    done(model, &diag);
}

static void refuse_include(const char *text, size_t max, const char *folder, fb_diag_id id,
                           int line, const char *message) {
    fb_diag diag;
    fb_status status;
    fb_model *model = read_file(folder, text, max, &diag, &status);
    FB_EQUAL_INT(status, FB_E_INPUT);
    FB_TRUE(model == NULL, "no model");
    const fb_record *record = FB_RECORD(&diag, FB_ERROR, id, line);
    FB_HOLDS(record ? record->message : NULL, message);
    done(model, &diag);
}

static void rejects_included_files_that_are_wrong(void) {
    const char *folder = fb_test_folder();
    put(folder, "other.xml", "<MarkerSet/>");
    put(folder, "broken.xml", "<BodySet>\n</Bodies>");
    put(folder, "empty.xml", "");
    put(folder, "circle.xml", "<BodySet><objects><Body file=\"circle2.xml\"/></objects></BodySet>");
    put(folder, "circle2.xml",
        "<Body><WrapObjectSet><objects><Body "
        "file=\"circle2.xml\"/></objects></WrapObjectSet></Body>");
    refuse_include(INCLUDING("missing.xml"), 0, folder, FB1203, 2, "No such file");
    refuse_include(INCLUDING("other.xml"), 0, folder, FB1203, 2, "no <BodySet>");
    refuse_include(INCLUDING("broken.xml"), 0, folder, FB1101, 2, "not well-formed");
    refuse_include(INCLUDING("empty.xml"), 0, folder, FB1004, 0, "empty");
    refuse_include(INCLUDING("circle.xml"), 0, folder, FB1203, 1, "circle");
    refuse_include(INCLUDING("."), 0, folder, FB1203, 2, "directory");
    put(folder, "large.xml", "<BodySet><!-- larger than allowed --></BodySet>");
    refuse_include(INCLUDING("large.xml"), 20, folder, FB1203, 2, "larger");
}

static void defaults_fill_what_objects_leave_out(void) {
    fb_diag diag;
    fb_model *model = accept("<defaults><Body name=\"default\"><mass>7</mass><mass_center>1 2 "
                             "3</mass_center></Body></defaults>"
                             "<BodySet><objects><Body name=\"a\"><mass>1</mass></Body><Body "
                             "name=\"b\"/></objects></BodySet>",
                             &diag);
    double x[3];
    const fb_element *a = fb_test_find(model, "/bodyset/a"), *b = fb_test_find(model, "/bodyset/b");
    FB_SAME(fb_get_number(a, "mass"), 1);
    FB_SAME(fb_get_number(b, "mass"), 7);
    FB_TRUE(fb_get_vector(a, "mass_center", x, 3), "a vector");
    FB_SAME(x[2], 3);
    FB_EQUAL_INT(fb_model_items(model, "bodies")->n, 2);
    done(model, &diag);
}

static void wrap_objects_without_a_frame_are_kept(void) {
    fb_diag diag;
    fb_model *model = accept("<ForceSet><objects><WrapSphere name=\"w\"/></objects></ForceSet>"
                             "<components><WrapSphere name=\"v\"/></components>",
                             &diag);
    FB_EQUAL_INT(fb_model_items(model, "wraps")->n, 0);
    FB_EQUAL_INT(fb_model_items(model, "kept")->n, 2);
    FB_RECORD(&diag, FB_KEPT, FB2001, -1);
    done(model, &diag);
}

/* ---- nothing is lost in silence -------------------------------------------------------------- */

/* The leg on a custom joint, whose first axis holds INSIDE. */
#define WITH_AXIS(INSIDE) \
    BODIES "<JointSet><objects><CustomJoint " \
           "name=\"hip\"><socket_parent_frame>/ground</socket_parent_frame>" \
           "<socket_child_frame>/bodyset/leg</socket_child_frame><coordinates><Coordinate " \
           "name=\"flexion\"/></coordinates><SpatialTransform><TransformAxis name=\"rotation1\">" \
           "<coordinates>flexion</coordinates><axis>0 0 1</axis>\n" INSIDE \
           "</TransformAxis></SpatialTransform></CustomJoint></objects></JointSet>"

static void keeps_unknown_classes_of_object_properties_whole(void) {
    static const struct {
        const char *inside, *xml;
    } cases[] = {{WITH_AXIS("<MyFunction name=\"function\"><x>1</x></MyFunction>"),
                  "<MyFunction name=\"function\"><x>1</x></MyFunction>"},
                 {WITH_AXIS("<function><MyFunction name=\"f\"><x>1</x></MyFunction></function>"),
                  "<MyFunction name=\"f\"><x>1</x></MyFunction>"},
                 {WITH_AXIS("<function><MyFunction/></function>"), "<MyFunction/>"}};
    for (int i = 0; i < 3; i++) {
        fb_diag diag;
        fb_model *model = accept_with(cases[i].inside, &diag, FB_KEPT, FB2001, 5, "MyFunction");
        const fb_element *function =
            fb_get_object(fb_test_item(fb_test_find(model, "/jointset/hip"), "axes", 0),
                          "function");
        FB_EQUAL_STR(function ? fb_get_string(function, "class") : NULL, "MyFunction");
        FB_EQUAL_STR(function ? fb_get_string(function, "xml") : NULL, cases[i].xml);
        free(fb_test_to_fb(model));
        done(model, &diag);
    }
}

/* A curve of muscles is a function too, whether or not it has a name; one without content has its
 * defaults. What has no place here is kept even so. */
static void reads_objects_without_name_or_content(void) {
    static const struct {
        const char *inside, *cls;
    } cases[] = {
        {WITH_AXIS("<SimmSpline><x>0 1</x><y>0 1</y></SimmSpline>"), "SimmSpline"},
        {WITH_AXIS("<FiberForceLengthCurve></FiberForceLengthCurve>"), "FiberForceLengthCurve"},
        {WITH_AXIS("<Sine/>"), "Sine"},
    };
    for (int i = 0; i < 3; i++) {
        fb_diag diag;
        fb_model *model = accept(cases[i].inside, &diag);
        const fb_element *function =
            fb_get_object(fb_test_item(fb_test_find(model, "/jointset/hip"), "axes", 0),
                          "function");
        FB_EQUAL_STR(function ? function->cls->name : NULL, cases[i].cls);
        done(model, &diag);
    }
    fb_diag diag;
    fb_model *model = accept_with(WITH_AXIS("<PinJoint name=\"zz\"/>"), &diag, FB_KEPT, FB2002, 5,
                                  "PinJoint");
    done(model, &diag);
}

static void a_second_list_of_objects_is_merged(void) {
    fb_diag diag;
    fb_model *model = accept("<BodySet><objects><Body name=\"a\"><mass>1</mass></Body></objects>"
                             "<objects><Body name=\"b\"><mass>2</mass></Body></objects></BodySet>",
                             &diag);
    FB_EQUAL_INT(fb_model_items(model, "bodies")->n, 2);
    FB_SAME(fb_get_number(fb_test_find(model, "/bodyset/b"), "mass"), 2);
    done(model, &diag);
}

static void a_second_ground_is_kept(void) {
    fb_diag diag;
    fb_model *model = accept_with("<Ground/>\n<Ground><x>1</x></Ground>", &diag, FB_KEPT, FB2002, 3,
                                  "<Ground>");
    FB_EQUAL_STR(model->root->kept ? model->root->kept->xml : NULL, "<Ground><x>1</x></Ground>");
    done(model, &diag);
}

static void a_second_model_is_told(void) {
    fb_diag diag;
    fb_model *model = accept_with("</Model>\n<Model name=\"second\">", &diag, FB_IGNORED, FB2002, 3,
                                  "<Model>");
    FB_EQUAL_STR(model->root->name, "test");
    done(model, &diag);
}

static void names_that_paths_cannot_hold_are_changed(void) {
    static const struct {
        const char *name, *becomes;
    } cases[] = {{"a/b", "a_b"}, {"/", "_"}, {".", "_"}, {"..", "__"}};
    for (int i = 0; i < 4; i++) {
        char inside[200], path[20];
        snprintf(inside, sizeof inside,
                 "<BodySet><objects>\n<Body name=\"%s\"><mass>1</mass></Body></objects></BodySet>",
                 cases[i].name);
        snprintf(path, sizeof path, "/bodyset/%s", cases[i].becomes);
        fb_diag diag;
        fb_model *model = accept_with(inside, &diag, FB_WARNING, FB2204, 3, cases[i].becomes);
        FB_EQUAL_STR(fb_test_find(model, path)->name, cases[i].becomes);
        done(model, &diag);
    }
    fb_diag diag;
    fb_model *model = accept("<BodySet><objects><Body name=\"...\"/></objects></BodySet>", &diag);
    FB_NO_RECORD(&diag, FB2204);
    done(model, &diag);
}

static void attributes_are_told_wherever_they_are(void) {
    static const char *const cases[] = {
        "<BodySet odd=\"1\"><objects/></BodySet>",
        "<BodySet><objects odd=\"1\"/></BodySet>",
        "<Ground odd=\"1\"/>",
        "<components odd=\"1\"/>",
        "<gravity odd=\"1\">0 -9.8 0</gravity>",
        BODY("<mass>1</mass><attached_geometry odd=\"1\"/>"),
        BODY("<mass>1</mass><attached_geometry><Sphere name=\"s\" odd=\"1\"/></attached_geometry>"),
        WITH_AXIS("<function odd=\"1\"><Constant/></function>"),
        "<ForceSet><objects><Thelen2003Muscle name=\"m\"><GeometryPath name=\"path\"><PathPointSet>"
        "<objects "
        "odd=\"1\"/></PathPointSet></GeometryPath></Thelen2003Muscle></objects></ForceSet>",
        "<ForceSet><objects/><groups><ObjectGroup name=\"g\" odd=\"1\"/></groups></ForceSet>"};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        fb_diag diag;
        fb_model *model = accept_with(cases[i], &diag, FB_IGNORED, FB2004, -1, "odd=\"1\"");
        FB_EQUAL_INT(diag.counts[FB_IGNORED], 1);
        done(model, &diag);
    }
    fb_diag diag;
    fb_model *model = fb_test_osim("<Model name=\"m\"\nodd=\"1\"/>", &diag, NULL);
    FB_RECORD(&diag, FB_IGNORED, FB2004, -1);
    done(model, &diag);
}

static void text_beside_elements_is_told(void) {
    static const char *const cases[] = {"stray<BodySet/>",
                                        "<BodySet/>stray",
                                        "<BodySet>stray<objects/></BodySet>",
                                        "<BodySet><objects/>stray</BodySet>",
                                        BODY("stray<mass>1</mass>"),
                                        BODY("<mass>1</mass> stray <mass_center>0 0 0"
                                             "</mass_center>")};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        fb_diag diag;
        fb_model *model = accept_with(cases[i], &diag, FB_WARNING, FB1107, -1, "'stray");
        done(model, &diag);
    }
}

static void comments_that_begin_like_our_own_are_peoples(void) {
    static const char *const texts[] = {
        "<Model name=\"m\"><credits>c</credits><!--fbtools {--></Model>",
        "<OpenSimDocument><Model name=\"m\"><credits>c</credits></Model><!--fbtools {-->"
        "</OpenSimDocument>",
        "<OpenSimDocument><Model name=\"m\"><credits>c</credits><!--fbtools {--></Model>"
        "</OpenSimDocument>"};
    for (int i = 0; i < 3; i++) {
        fb_diag diag;
        fb_model *model = fb_test_must(fb_test_osim(texts[i], &diag, NULL), &diag);
        FB_EQUAL_STR(fb_get_string(model->root, "credits"), "c");
        FB_EQUAL_STR(model->root->comments ? model->root->comments->text : NULL, "fbtools {");
        done(model, &diag);
    }
}

static void files_of_unknown_classes_are_not_included(void) {
    const char *folder = fb_test_folder(), *plugin = "<PlugForce name=\"p\" file=\"data.sto\"/>";
    put(folder, "data.sto", "no XML");
    char text[300];
    snprintf(text, sizeof text,
             "<Model name=\"m\"><ForceSet><objects>%s</objects></ForceSet>"
             "<Odd file=\"missing.xml\">1</Odd></Model>",
             plugin);
    fb_diag diag;
    fb_status status;
    fb_model *model = fb_test_must(read_file(folder, text, 0, &diag, &status), &diag);
    FB_EQUAL_INT(status, FB_OK);
    FB_EQUAL_STR(fb_get_string(fb_test_find(model, "/forceset/p"), "xml"), plugin);
    FB_EQUAL_STR(model->root->kept ? model->root->kept->xml : NULL,
                 "<Odd file=\"missing.xml\">1</Odd>");
    done(model, &diag);
}

/* n times a text. */
static char *repeat(char *to, const char *text, int n) {
    for (int i = 0; i < n; i++) {
        to += sprintf(to, "%s", text);
    }
    return to;
}

static void files_in_files_are_not_nested_deeper(void) {
    const char *folder = fb_test_folder();
    for (int i = 0; i < 2; i++) { /* neither is deeper than 200, but both together may be */
        int levels = i ? 120 : 60;
        char part[2000], text[2000], *p = part, *t = text;
        p += sprintf(p, "<Body name=\"b\"><odd>");
        p = repeat(p, "<a>", 120);
        p = repeat(p, "</a>", 120);
        sprintf(p, "</odd></Body>");
        put(folder, "part.xml", part);
        t += sprintf(t, "<Model name=\"m\">");
        t = repeat(t, "<x>", levels);
        t += sprintf(t, "<Body file=\"part.xml\"/>");
        t = repeat(t, "</x>", levels);
        sprintf(t, "</Model>");
        if (i) {
            refuse_include(text, 0, folder, FB1102, -1, "nested more than 200 deep");
            continue;
        }
        fb_diag diag;
        fb_status status;
        fb_model *model = read_file(folder, text, 0, &diag, &status);
        FB_EQUAL_INT(status, FB_OK);
        done(model, &diag);
    }
}

/* ---- time ------------------------------------------------------------------------------------ */

#define MANY 20000

/* Reads a document of `one` MANY times, with its number for each %d, between `begin` and `end`. */
static void read_many(const char *begin, const char *one, const char *end, const char *list) {
    size_t size = 200 + (strlen(one) + 20) * MANY;
    char *text = malloc(size), *p = text;
    p += sprintf(p, "%s", begin);
    for (int i = 0; i < MANY; i++) {
        const char *from = one;
        for (const char *at; (at = strstr(from, "%d")) != NULL; from = at + 2) {
            p += sprintf(p, "%.*s%d", (int)(at - from), from, i);
        }
        p += sprintf(p, "%s", from);
    }
    sprintf(p, "%s", end);
    fb_diag diag;
    clock_t start = clock();
    fb_model *model = accept(text, &diag);
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    FB_EQUAL_INT(fb_model_items(model, list)->n, MANY);
    FB_TRUE(seconds < 2, "%d %s take %.2f s", MANY, list, seconds);
    done(model, &diag);
    free(text);
}

static void many_equal_names_take_no_time(void) {
    if (!fb_test_is_fast()) {
        return;
    }
    read_many("<BodySet><objects>", "<Body name=\"b\"><mass>1</mass></Body>\n",
              "</objects></BodySet>", "bodies");
    read_many(BODIES "<JointSet><objects>",
              "<PinJoint name=\"j%d\"><frames><PhysicalOffsetFrame name=\"parent\"><socket_parent>"
              "/ground</socket_parent></PhysicalOffsetFrame><PhysicalOffsetFrame name=\"child\">"
              "<socket_parent>/bodyset/leg</socket_parent></PhysicalOffsetFrame></frames>"
              "<socket_parent_frame>parent</socket_parent_frame>"
              "<socket_child_frame>child</socket_child_frame></PinJoint>\n",
              "</objects></JointSet>", "joints");
}

static const fb_test tests[] = {
    FB_TEST(accepts_the_smallest_model),
    FB_TEST(rejects_what_is_no_model),
    FB_TEST(warns_of_unknown_versions),
    FB_TEST(reads_bodies_and_joints),
    FB_TEST(reads_the_lists_in_their_order),
    FB_TEST(completes_coordinates_that_are_not_given),
    FB_TEST(reads_frames_and_wraps_of_bodies),
    FB_TEST(reads_paths_muscles_and_curves),
    FB_TEST(converts_degrees_only_where_the_coordinate_turns),
    FB_TEST(names_elements_without_a_name_after_their_class),
    FB_TEST(takes_the_first_of_two_properties),
    FB_TEST(rejects_numbers_that_are_none),
    FB_TEST(messages_name_class_and_element),
    FB_TEST(accepts_nan_inf_and_too_many_numbers),
    FB_TEST(accepts_truth_in_all_spellings),
    FB_TEST(rejects_references_to_nothing),
    FB_TEST(warns_of_required_properties_that_are_missing),
    FB_TEST(keeps_unknown_classes_word_for_word),
    FB_TEST(keeps_unknown_properties_word_for_word),
    FB_TEST(wrap_objects_without_a_frame_are_kept),
    FB_TEST(ignores_unknown_attributes),
    FB_TEST(keeps_comments_of_people),
    FB_TEST(includes_files_beside_the_model),
    FB_TEST(rejects_included_files_that_are_wrong),
    FB_TEST(defaults_fill_what_objects_leave_out),
    FB_TEST(keeps_unknown_classes_of_object_properties_whole),
    FB_TEST(reads_objects_without_name_or_content),
    FB_TEST(a_second_list_of_objects_is_merged),
    FB_TEST(a_second_ground_is_kept),
    FB_TEST(a_second_model_is_told),
    FB_TEST(names_that_paths_cannot_hold_are_changed),
    FB_TEST(attributes_are_told_wherever_they_are),
    FB_TEST(text_beside_elements_is_told),
    FB_TEST(comments_that_begin_like_our_own_are_peoples),
    FB_TEST(files_of_unknown_classes_are_not_included),
    FB_TEST(files_in_files_are_not_nested_deeper),
    FB_TEST(many_equal_names_take_no_time),
    FB_TEST_END,
};

int main(int argc, char **argv) {
    return fb_test_main("osim_read", tests, argc, argv);
}
