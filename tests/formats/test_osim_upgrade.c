/* Old documents: one test for each rule by which they become new ones. Each gives the old form, and
 * what the model must hold. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

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

static void check_vector(const fb_element *element, const char *key, const double *want, int n) {
    double x[9] = {0};
    FB_TRUE(fb_get_vector(element, key, x, n), "%s has %d numbers", key, n);
    for (int i = 0; i < n; i++) {
        FB_NEAR(x[i], want[i], 1e-15, 1e-15);
    }
}
#define VECTOR3(ELEMENT, KEY, ...) check_vector((ELEMENT), (KEY), (const double[]){__VA_ARGS__}, 3)
#define VECTOR6(ELEMENT, KEY, ...) check_vector((ELEMENT), (KEY), (const double[]){__VA_ARGS__}, 6)

/* Two bodies on old joints; INSIDE goes into the second's. */
#define OLD_BODIES(JOINT, INSIDE) \
    "<BodySet><objects><Body name=\"ground\"><mass>0</mass></Body>" \
    "<Body name=\"thigh\"><mass>3</mass><Joint><PinJoint " \
    "name=\"hip\"><parent_body>ground</parent_body>" \
    "<location_in_parent>0 1 0</location_in_parent><orientation_in_parent>0 0 " \
    "0.5</orientation_in_parent>" \
    "<location>0 0.2 0</location><orientation>0.1 0 0</orientation>" \
    "<CoordinateSet><objects><Coordinate " \
    "name=\"flexion\"><default_value>0.3</default_value></Coordinate></objects>" \
    "</CoordinateSet></PinJoint></Joint></Body>" \
    "<Body name=\"shank\"><mass>2</mass><Joint>" JOINT "</Joint>" INSIDE \
    "</Body></objects></BodySet>"
#define KNEE(INSIDE) \
    "<PinJoint name=\"knee\"><parent_body>thigh</parent_body><CoordinateSet><objects><Coordinate " \
    "name=\"bend\"/></objects>" \
    "</CoordinateSet>" INSIDE "</PinJoint>"
#define OLD OLD_BODIES(KNEE(""), "")

/* ---- the document's shape -------------------------------------------------------------------- */

static void engines_are_taken_apart(void) {
    fb_diag diag;
    fb_model *model = accept(
        10600,
        "<DynamicsEngine><SimbodyEngine name=\"e\"><gravity>0 -5 0</gravity><BodySet><objects>"
        "<Body "
        "name=\"a\"><mass>4</mass></Body></objects></BodySet></SimbodyEngine></DynamicsEngine>",
        &diag);
    VECTOR3(model->root, "gravity", 0, -5, 0);
    FB_SAME(fb_get_number(fb_test_find(model, "/bodyset/a"), "mass"), 4);
    done(model, &diag);
    model = accept(10900, "<SimbodyEngine><gravity>0 -4 0</gravity></SimbodyEngine>", &diag);
    VECTOR3(model->root, "gravity", 0, -4, 0);
    done(model, &diag);
}

static void engines_older_than_any_are_refused(void) {
    fb_diag diag;
    fb_status status;
    char *text = fb_test_document(
        10500,
        "<DynamicsEngine>\n<SdfastEngine name=\"e\"><BodySet/></SdfastEngine></DynamicsEngine>");
    fb_model *model = fb_test_osim(text, &diag, &status);
    FB_EQUAL_INT(status, FB_E_INPUT);
    const fb_record *record = FB_RECORD(&diag, FB_ERROR, FB1202, 3);
    FB_HOLDS(record ? record->message : NULL, "<SdfastEngine>");
    free(text);
    done(model, &diag);
}

static void a_body_called_ground_is_the_ground(void) {
    fb_diag diag;
    fb_model *model = accept(
        30000,
        "<BodySet><objects><Body name=\"ground\"><mass>0</mass><mass_center>0 0 0</mass_center>"
        "<inertia_xx>0</inertia_xx><WrapObjectSet><objects><WrapSphere "
        "name=\"w\"><radius>0.3</radius>"
        "</WrapSphere></objects></WrapObjectSet></Body></objects></BodySet>",
        &diag);
    FB_EQUAL_INT(fb_model_items(model, "bodies")->n, 0);
    FB_SAME(fb_get_number(fb_test_find(model, "/ground/wrapobjectset/w"), "radius"), 0.3);
    FB_EQUAL_INT(diag.counts[FB_KEPT], 0);
    done(model, &diag);
}

static void names_lose_their_white_space(void) {
    fb_diag diag;
    fb_model *model = accept(
        20302,
        "<BodySet><objects><Body name=\"left upper arm\"><mass>1</mass></Body></objects></BodySet>"
        "<MarkerSet><objects><Marker name=\"m 1\"><body>left upper "
        "arm</body></Marker></objects></MarkerSet>",
        &diag);
    FB_EQUAL_STR(fb_test_target(fb_test_find(model, "/markerset/m1"), "frame"),
                 "/bodyset/leftupperarm");
    const fb_record *record = FB_RECORD(&diag, FB_WARNING, FB2401, 2);
    FB_HOLDS(record ? record->message : NULL, "'left upper arm' becomes 'leftupperarm'");
    done(model, &diag);
    model = accept(30500,
                   "<BodySet><objects><Body name=\"a b\"><mass>1</mass></Body></objects></BodySet>",
                   &diag);
    fb_test_find(model, "/bodyset/a b");
    done(model, &diag);
}

/* ---- classes --------------------------------------------------------------------------------- */

static void classes_have_new_names(void) {
    fb_diag diag;
    fb_model *model =
        accept(10900,
               OLD "<ActuatorSet><objects><GeneralizedForce "
                   "name=\"g\"><coordinate>bend</coordinate><optimal_force>9</optimal_force>"
                   "</GeneralizedForce><Schutte1993Muscle name=\"s\"/><Delp1990Muscle "
                   "name=\"d\"/><SimmMuscle name=\"q\"/>"
                   "</objects></ActuatorSet>",
               &diag);
    FB_EQUAL_STR(fb_test_find(model, "/forceset/g")->cls->name, "CoordinateActuator");
    FB_SAME(fb_get_number(fb_test_find(model, "/forceset/g"), "optimal_force"), 9);
    FB_EQUAL_STR(fb_test_target(fb_test_find(model, "/forceset/g"), "coordinate"),
                 "/jointset/knee/bend");
    FB_EQUAL_STR(fb_test_find(model, "/forceset/s")->cls->name, "Schutte1993Muscle_Deprecated");
    FB_EQUAL_STR(fb_test_find(model, "/forceset/d")->cls->name, "Delp1990Muscle_Deprecated");
    FB_EQUAL_STR(fb_test_find(model, "/forceset/q")->cls->name, "Schutte1993Muscle_Deprecated");
    done(model, &diag);
}

static void splines_have_new_names(void) {
    static const char *const names[] = {"natCubicSpline", "NaturalCubicSpline", "SimmSpline"};
    for (int i = 0; i < 3; i++) {
        char inside[3000];
        snprintf(inside, sizeof inside,
                 OLD
                 "<ForceSet><objects><Schutte1993Muscle name=\"s\"><active_force_length_curve>"
                 "<%s name=\"x\"><x>0 1 2</x><y>0 5 "
                 "0</y></%s></active_force_length_curve></Schutte1993Muscle></objects></ForceSet>",
                 names[i], names[i]);
        fb_diag diag;
        fb_model *model = accept(20302, inside, &diag);
        const fb_element *curve = fb_get_object(fb_test_find(model, "/forceset/s"),
                                                "active_force_length_curve");
        FB_EQUAL_STR(curve ? curve->cls->name : NULL, "SimmSpline");
        if (curve) {
            VECTOR3(curve, "y", 0, 5, 0);
        }
        done(model, &diag);
    }
}

static void forces_and_torques_become_actuators(void) {
    fb_diag diag;
    fb_model *model =
        accept(10900,
               OLD "<ActuatorSet><objects><Force name=\"f\"><body_A>shank</body_A><point_A>1 2 "
                   "3</point_A><direction_A>0 1 0</direction_A>"
                   "<body_B>ground</body_B><point_B>4 5 6</point_B></Force>"
                   "<Torque name=\"t\"><body_A>shank</body_A><body_B>thigh</body_B><direction_A>0 "
                   "0 -2</direction_A></Torque>"
                   "</objects></ActuatorSet>",
               &diag);
    const fb_element *f = fb_test_find(model, "/forceset/f"),
                     *t = fb_test_find(model, "/forceset/t");
    FB_EQUAL_STR(f->cls->name, "PointActuator");
    FB_EQUAL_STR(fb_test_target(f, "body"), "/ground"); /* the opposite force, on body B */
    VECTOR3(f, "point", 4, 5, 6);
    VECTOR3(f, "direction", 0, -1, 0);
    FB_TRUE(fb_get_bool(f, "force_is_global"), "as it was then");
    FB_EQUAL_STR(t->cls->name, "TorqueActuator");
    FB_EQUAL_STR(fb_test_target(t, "body_a"), "/bodyset/thigh");
    FB_EQUAL_STR(fb_test_target(t, "body_b"), "/bodyset/shank");
    VECTOR3(t, "axis", 0, 0, 2);
    done(model, &diag);
}

/* ---- bodies ---------------------------------------------------------------------------------- */

static void inertia_is_gathered_from_its_parts(void) {
    fb_diag diag;
    fb_model *model =
        accept(30516,
               "<BodySet><objects><Body "
               "name=\"b\"><mass>1</mass><inertia_xx>1</inertia_xx><inertia_yy>2</inertia_yy>"
               "<inertia_zz>3</inertia_zz><inertia_xy>0.4</inertia_xy><inertia_xz>0.5</inertia_xz>"
               "<inertia_yz>0.6</inertia_yz></Body></objects></BodySet>",
               &diag);
    VECTOR6(fb_test_find(model, "/bodyset/b"), "inertia", 1, 2, 3, 0.4, 0.5, 0.6);
    done(model, &diag);
    model = accept(
        10905,
        "<BodySet><objects><Body name=\"b\"><mass>1</mass><inertia>1 0.4 0.5 0.4 2 0.6 0.5 0.6 "
        "3</inertia></Body>"
        "</objects></BodySet>",
        &diag);
    VECTOR6(fb_test_find(model, "/bodyset/b"), "inertia", 1, 2, 3, 0.4, 0.5, 0.6);
    done(model, &diag);
}

static void inertia_keeps_all_digits(void) {
    fb_diag diag;
    fb_model *model = accept(30000,
                             "<BodySet><objects><Body "
                             "name=\"b\"><mass>1</mass><inertia_xx>0.12345678901234567</inertia_xx>"
                             "</Body></objects></BodySet>",
                             &diag);
    double x[6] = {0};
    FB_TRUE(fb_get_vector(fb_test_find(model, "/bodyset/b"), "inertia", x, 6), "six numbers");
    FB_SAME(x[0], 0.12345678901234567);
    done(model, &diag);
}

/* ---- joints ---------------------------------------------------------------------------------- */

static void joints_inside_bodies_move_to_the_joint_set(void) {
    fb_diag diag;
    fb_model *model = accept(30000, OLD, &diag);
    const fb_element *hip = fb_test_find(model, "/jointset/hip"),
                     *knee = fb_test_find(model, "/jointset/knee");
    FB_EQUAL_STR(fb_test_item(hip, "coordinates", 0)->path, "/jointset/hip/flexion");
    FB_SAME(fb_get_number(fb_test_item(hip, "coordinates", 0), "default"), 0.3);
    FB_EQUAL_STR(fb_test_target(hip, "parent"), "/jointset/hip/ground_offset");
    FB_EQUAL_STR(fb_test_target(hip, "child"), "/jointset/hip/thigh_offset");
    FB_EQUAL_STR(fb_test_target(knee, "parent"), "/jointset/knee/thigh_offset");
    FB_EQUAL_STR(fb_test_target(knee, "child"), "/jointset/knee/shank_offset");
    FB_EQUAL_INT(fb_model_items(model, "frames")->n, 4);
    done(model, &diag);
}

static void offsets_of_joints_become_frames(void) {
    fb_diag diag;
    fb_model *model = accept(30000, OLD, &diag);
    const fb_element *parent = fb_test_find(model, "/jointset/hip/ground_offset");
    const fb_element *child = fb_test_find(model, "/jointset/hip/thigh_offset");
    FB_EQUAL_STR(fb_test_target(parent, "parent"), "/ground");
    VECTOR3(parent, "translation", 0, 1, 0);
    VECTOR3(parent, "rotation_xyz", 0, 0, 0.5);
    FB_EQUAL_STR(fb_test_target(child, "parent"), "/bodyset/thigh");
    VECTOR3(child, "translation", 0, 0.2, 0);
    VECTOR3(child, "rotation_xyz", 0.1, 0, 0);
    VECTOR3(fb_test_find(model, "/jointset/knee/shank_offset"), "translation", 0, 0, 0);
    done(model, &diag);
}

static void joints_of_a_joint_set_get_frames_too(void) {
    fb_diag diag;
    fb_model *model = accept(
        30501,
        "<BodySet><objects><Body "
        "name=\"a\"><mass>1</mass></Body></objects></BodySet><JointSet><objects><PinJoint "
        "name=\"j\">"
        "<connectors><Connector_Body_ "
        "name=\"parent_body\"><connectee_name>ground</connectee_name></Connector_Body_>"
        "<Connector_Body_ "
        "name=\"child_body\"><connectee_name>a</connectee_name></Connector_Body_></connectors>"
        "<location_in_parent>1 0 0</location_in_parent><location_in_child>0 1 0</location_in_child>"
        "<orientation_in_child>0 0 1</orientation_in_child>"
        "</PinJoint></objects></JointSet>",
        &diag);
    FB_EQUAL_STR(fb_test_target(fb_test_find(model, "/jointset/j"), "parent"),
                 "/jointset/j/ground_offset");
    VECTOR3(fb_test_find(model, "/jointset/j/ground_offset"), "translation", 1, 0, 0);
    VECTOR3(fb_test_find(model, "/jointset/j/a_offset"), "translation", 0, 1, 0);
    VECTOR3(fb_test_find(model, "/jointset/j/a_offset"), "rotation_xyz", 0, 0, 1);
    FB_EQUAL_STR(fb_test_target(fb_test_find(model, "/jointset/j/a_offset"), "parent"),
                 "/bodyset/a");
    done(model, &diag);
}

static void reversed_joints_are_turned_round(void) {
    fb_diag diag;
    fb_model *model = accept(
        30000,
        OLD_BODIES(KNEE("<reverse>true</reverse><location_in_parent>0 3 0</location_in_parent>"
                        "<location>0 0 7</location>"),
                   ""),
        &diag);
    const fb_element *knee = fb_test_find(model, "/jointset/knee");
    FB_EQUAL_STR(fb_test_target(knee, "parent"), "/jointset/knee/shank_offset");
    FB_EQUAL_STR(fb_test_target(knee, "child"), "/jointset/knee/thigh_offset");
    VECTOR3(fb_test_find(model, "/jointset/knee/thigh_offset"), "translation", 0, 3, 0);
    VECTOR3(fb_test_find(model, "/jointset/knee/shank_offset"), "translation", 0, 0, 7);
    FB_EQUAL_INT(diag.counts[FB_KEPT], 0);
    done(model, &diag);
    model = accept(30000, OLD_BODIES(KNEE("<reverse>false</reverse>"), ""), &diag);
    FB_EQUAL_STR(fb_test_target(fb_test_find(model, "/jointset/knee"), "parent"),
                 "/jointset/knee/thigh_offset");
    done(model, &diag);
    model = accept(40000,
                   "<BodySet><objects><Body "
                   "name=\"a\"><mass>1</mass></Body></objects></BodySet><JointSet><objects>"
                   "<PinJoint "
                   "name=\"j\"><socket_parent_frame>/ground</"
                   "socket_parent_frame><socket_child_frame>/bodyset/a"
                   "</socket_child_frame><reverse>true</reverse></PinJoint></objects></JointSet>",
                   &diag);
    FB_EQUAL_STR(fb_test_target(fb_test_find(model, "/jointset/j"), "parent"), "/bodyset/a");
    FB_EQUAL_STR(fb_test_target(fb_test_find(model, "/jointset/j"), "child"), "/ground");
    done(model, &diag);
}

static void what_4_x_does_not_have_is_dropped(void) {
    fb_diag diag;
    fb_model *model =
        accept(30000,
               "<BodySet><objects><Body name=\"ground\"/><Body "
               "name=\"a\"><mass>1</mass><Joint><BallJoint name=\"j\"><parent_body>ground"
               "</parent_body><use_euler_angles>true</"
               "use_euler_angles><CoordinateSet><objects><Coordinate name=\"c\">"
               "<motion_type>rotational</motion_type></Coordinate></objects></CoordinateSet></"
               "BallJoint></Joint></Body></objects></BodySet>",
               &diag);
    FB_EQUAL_STR(fb_test_item(fb_test_find(model, "/jointset/j"), "coordinates", 0)->name, "c");
    FB_EQUAL_INT(diag.counts[FB_KEPT], 0);
    done(model, &diag);
}

static void all_joints_of_a_body_come_through(void) {
    fb_diag diag;
    fb_model *model =
        accept(30000,
               OLD_BODIES(KNEE("") "<WeldJoint name=\"second\"><parent_body>ground</parent_body>"
                                   "</WeldJoint><BallJoint name=\"third\"><parent_body>thigh"
                                   "</parent_body></BallJoint>",
                          ""),
               &diag);
    FB_EQUAL_INT(fb_model_items(model, "joints")->n, 4);
    static const char *const paths[] = {"/jointset/knee", "/jointset/second", "/jointset/third"};
    for (int i = 0; i < 3; i++) {
        const fb_element *frame = fb_get_target(fb_test_find(model, paths[i]), "child");
        FB_EQUAL_STR(frame ? fb_test_target(frame, "parent") : NULL, "/bodyset/shank");
    }
    done(model, &diag);
}

#define AXIS(NAME, ROTATES, AXIS, COORDINATE, FUNCTION) \
    "<TransformAxis name=\"" NAME "\"><is_rotation>" ROTATES \
    "</is_rotation><coordinate>" COORDINATE "</coordinate>" \
    "<axis>" AXIS "</axis><function>" FUNCTION "</function></TransformAxis>"

static void transform_axis_sets_become_six_axes(void) {
    fb_diag diag;
    fb_model *model = accept(
        20000,
        OLD_BODIES(
            "<CustomJoint "
            "name=\"knee\"><parent_body>thigh</parent_body><CoordinateSet><objects><Coordinate "
            "name=\"bend\"/>"
            "<Coordinate "
            "name=\"slide\"/></objects></CoordinateSet><TransformAxisSet><objects>" AXIS(
                "ty", "false", "0 1 0", "slide", "")
                AXIS("r1", "true", "0 0 1", "bend",
                     "<natCubicSpline><x>0 1 2</x><y>0 2 4</y></natCubicSpline>") "</objects></"
                                                                                  "TransformAxisSet"
                                                                                  "></"
                                                                                  "CustomJoint>",
            ""),
        &diag);
    const fb_element *knee = fb_test_find(model, "/jointset/knee");
    const fb_value *axes = fb_get(knee, "axes");
    FB_EQUAL_INT(axes ? axes->n : 0, 6);
    if (axes && axes->n == 6) {
        const fb_element *first = axes->as.objects[0], *fourth = axes->as.objects[3];
        VECTOR3(first, "axis", 0, 0, 1);
        FB_EQUAL_STR(fb_test_target(first, "coordinate"), "/jointset/knee/bend");
        FB_EQUAL_STR(fb_get_object(first, "function")->cls->name, "SimmSpline");
        VECTOR3(fourth, "axis", 0, 1, 0);
        FB_EQUAL_STR(fb_test_target(fourth, "coordinate"), "/jointset/knee/slide");
        FB_TRUE(fb_get_object(fourth, "function") == NULL, "the coordinate itself");
        for (int i = 0; i < 6; i++) { /* the rest stands still, at right angles */
            double a[3], b[3], c[3];
            int base = i / 3 * 3;
            fb_get_vector(axes->as.objects[base], "axis", a, 3);
            fb_get_vector(axes->as.objects[i], "axis", b, 3);
            fb_get_vector(axes->as.objects[base + 1], "axis", c, 3);
            if (i != base) {
                FB_NEAR(a[0] * b[0] + a[1] * b[1] + a[2] * b[2], 0, 1e-15, 0);
            }
            if (i > base + 1) {
                FB_NEAR(c[0] * b[0] + c[1] * b[1] + c[2] * b[2], 0, 1e-15, 0);
            }
            FB_NEAR(b[0] * b[0] + b[1] * b[1] + b[2] * b[2], 1, 1e-15, 0);
            if (i != 0 && i != 3) {
                FB_SAME(fb_get_number(fb_get_object(axes->as.objects[i], "function"), "value"), 0);
            }
        }
    }
    done(model, &diag);
}

static void a_fourth_rotation_is_ignored(void) {
    fb_diag diag;
    fb_model *model = accept(
        20000,
        OLD_BODIES(
            "<CustomJoint "
            "name=\"knee\"><parent_body>thigh</parent_body><CoordinateSet><objects><Coordinate "
            "name=\"bend\"/>"
            "</objects></CoordinateSet><TransformAxisSet><objects>" AXIS("r1", "true", "0 0 1",
                                                                         "bend", "")
                AXIS("r2", "true", "0 1 0", "", "<Constant><value>0</value></Constant>")
                    AXIS("r3", "true", "1 0 0", "", "<Constant><value>0</value></Constant>")
                        AXIS("r4", "true", "1 1 0", "bend",
                             "") "</objects></TransformAxisSet></CustomJoint>",
            ""),
        &diag);
    const fb_record *record = FB_RECORD(&diag, FB_IGNORED, FB2401, 2);
    FB_HOLDS(record ? record->message : NULL, "more than three rotation axes");
    const fb_value *axes = fb_get(fb_test_find(model, "/jointset/knee"), "axes");
    FB_EQUAL_INT(axes ? axes->n : 0, 6);
    done(model, &diag);
}

/* ---- sockets --------------------------------------------------------------------------------- */

static void connectee_names_become_sockets(void) {
    static const char *const tags[] = {"socket_parent_frame_connectee_name",
                                       "connector_parent_frame_connectee_name",
                                       "socket_parent_frame"};
    for (int i = 0; i < 3; i++) {
        char inside[600];
        snprintf(inside, sizeof inside,
                 "<BodySet><objects><Body name=\"a\"><mass>1</mass></Body></objects></BodySet>"
                 "<MarkerSet><objects><Marker "
                 "name=\"m\"><%s>../../bodyset/a</%s></Marker></objects></MarkerSet>",
                 tags[i], tags[i]);
        fb_diag diag;
        fb_model *model = accept(i == 2 ? 40000 : 30512, inside, &diag);
        FB_EQUAL_STR(fb_test_target(fb_test_find(model, "/markerset/m"), "frame"), "/bodyset/a");
        FB_EQUAL_INT(diag.counts[FB_KEPT], 0);
        done(model, &diag);
    }
}

static void bodies_of_markers_and_points_become_sockets(void) {
    fb_diag diag;
    fb_model *model = accept(
        30000,
        OLD "<MarkerSet><objects><Marker name=\"m\"><body>shank</body><location>1 2 "
            "3</location></Marker></objects></MarkerSet>"
            "<ForceSet><objects><PathSpring "
            "name=\"s\"><resting_length>1</resting_length><stiffness>1</stiffness><dissipation>1</"
            "dissipation>"
            "<GeometryPath><PathPointSet><objects><PathPoint "
            "name=\"p\"><body>thigh</body></PathPoint><PathPoint "
            "name=\"q\"><body>ground</body>"
            "</PathPoint></objects></PathPointSet></GeometryPath></PathSpring>"
            "<PointToPointSpring "
            "name=\"p\"><body1>thigh</body1><body2>ground</body2></PointToPointSpring>"
            "<PrescribedForce name=\"f\"><body>shank</body></PrescribedForce></objects></ForceSet>",
        &diag);
    FB_EQUAL_STR(fb_test_target(fb_test_find(model, "/markerset/m"), "frame"), "/bodyset/shank");
    const fb_element *path = fb_get_object(fb_test_find(model, "/forceset/s"), "path");
    FB_EQUAL_STR(fb_test_target(fb_test_item(path, "points", 0), "frame"), "/bodyset/thigh");
    FB_EQUAL_STR(fb_test_target(fb_test_item(path, "points", 1), "frame"), "/ground");
    FB_EQUAL_STR(fb_test_target(fb_test_find(model, "/forceset/p"), "body1"), "/bodyset/thigh");
    FB_EQUAL_STR(fb_test_target(fb_test_find(model, "/forceset/p"), "body2"), "/ground");
    FB_EQUAL_STR(fb_test_target(fb_test_find(model, "/forceset/f"), "frame"), "/bodyset/shank");
    FB_EQUAL_INT(diag.counts[FB_KEPT], 0);
    done(model, &diag);
}

static void controllers_name_their_actuators_as_before(void) {
    static const char *const tags[] = {"actuator_list", "socket_actuators"};
    for (int i = 0; i < 2; i++) {
        char inside[3000];
        snprintf(inside, sizeof inside,
                 OLD
                 "<ForceSet><objects><CoordinateActuator name=\"a\"><coordinate>bend</coordinate>"
                 "</CoordinateActuator></objects></"
                 "ForceSet><ControllerSet><objects><PrescribedController name=\"c\"><%s>a</%s>"
                 "</PrescribedController></objects></ControllerSet>",
                 tags[i], tags[i]);
        fb_diag diag;
        fb_model *model = accept(i ? 40600 : 30000, inside, &diag);
        FB_EQUAL_STR(fb_test_target(fb_test_find(model, "/controllerset/c"), "actuators"),
                     "/forceset/a");
        FB_EQUAL_INT(diag.counts[FB_KEPT], 0);
        done(model, &diag);
    }
}

static void names_in_lists_lose_their_white_space(void) {
    fb_diag diag;
    fb_model *model = accept(
        30000,
        OLD_BODIES(
            "<CustomJoint name=\"knee\"><parent_body>thigh</parent_body><CoordinateSet><objects>"
            "<Coordinate name=\"knee bend\"/><Coordinate name=\"knee turn\"/></objects>"
            "</CoordinateSet><SpatialTransform><TransformAxis name=\"rotation1\"><coordinates>"
            "knee bend</coordinates><axis>0 0 1</axis></TransformAxis></SpatialTransform>"
            "</CustomJoint>",
            "") "<ConstraintSet><objects><CoordinateCouplerConstraint name=\"c\">"
                "<independent_coordinate_names>flexion knee bend</independent_coordinate_names>"
                "<dependent_coordinate_name>knee turn</dependent_coordinate_name>"
                "</CoordinateCouplerConstraint></objects></ConstraintSet>"
                "<ForceSet><objects><CoordinateActuator name=\"my act\"><coordinate>knee bend"
                "</coordinate></CoordinateActuator><CoordinateActuator name=\"other\"><coordinate>"
                "knee turn</coordinate></CoordinateActuator></objects><groups><ObjectGroup "
                "name=\"g\"><members>other my act</members></ObjectGroup></groups></ForceSet>"
                "<ControllerSet><objects><PrescribedController name=\"p\"><actuator_list>my act "
                "other</actuator_list></PrescribedController></objects></ControllerSet>",
        &diag);
    FB_NO_RECORD(&diag, FB2201);
    FB_EQUAL_STR(fb_test_target(fb_test_item(fb_test_find(model, "/jointset/knee"), "axes", 0),
                                "coordinate"),
                 "/jointset/knee/kneebend");
    static const struct {
        const char *path, *key, *names[2];
    } lists[] = {{"/constraintset/c",
                  "independent_coordinates",
                  {"/jointset/hip/flexion", "/jointset/knee/kneebend"}},
                 {"/controllerset/p", "actuators", {"/forceset/myact", "/forceset/other"}}};
    for (int i = 0; i < 2; i++) {
        const fb_value *refs = fb_get(fb_test_find(model, lists[i].path), lists[i].key);
        FB_EQUAL_INT(refs ? refs->n : 0, 2);
        for (int k = 0; refs && k < refs->n && k < 2; k++) {
            const fb_element *target = refs->as.refs[k].target;
            FB_EQUAL_STR(target ? target->path : NULL, lists[i].names[k]);
        }
    }
    FB_EQUAL_INT(model->n_groups, 1);
    if (model->n_groups == 1 && FB_EQUAL_INT(model->groups[0].n_members, 2)) {
        FB_EQUAL_STR(model->groups[0].members[0], "other");
        FB_EQUAL_STR(model->groups[0].members[1], "myact");
    }
    done(model, &diag);
}

/* ---- constraints and bushings ---------------------------------------------------------------- */

static void constraints_get_sockets(void) {
    fb_diag diag;
    fb_model *model = accept(
        30000,
        OLD
        "<ConstraintSet><objects><PointConstraint "
        "name=\"p\"><body_1>thigh</body_1><body_2>ground</body_2><location_body_1>1 0 0"
        "</location_body_1><isDisabled>true</isDisabled></PointConstraint>"
        "<PointOnLineConstraint "
        "name=\"l\"><line_body>ground</line_body><follower_body>shank</follower_body></"
        "PointOnLineConstraint>"
        "<WeldConstraint "
        "name=\"w\"><body_1>shank</body_1><body_2>ground</body_2><location_body_1>0 0.5 "
        "0</location_body_1>"
        "<orientation_body_1>0 0 0</orientation_body_1></WeldConstraint></objects></ConstraintSet>",
        &diag);
    const fb_element *p = fb_test_find(model, "/constraintset/p"),
                     *w = fb_test_find(model, "/constraintset/w");
    FB_EQUAL_STR(fb_test_target(p, "body_1"), "/bodyset/thigh");
    FB_EQUAL_STR(fb_test_target(p, "body_2"), "/ground");
    VECTOR3(p, "location_1", 1, 0, 0);
    FB_EQUAL_INT(fb_get_bool(p, "enabled"), 0);
    FB_EQUAL_STR(fb_test_target(fb_test_find(model, "/constraintset/l"), "line_body"), "/ground");
    FB_EQUAL_STR(fb_test_target(fb_test_find(model, "/constraintset/l"), "follower_body"),
                 "/bodyset/shank");
    FB_EQUAL_STR(fb_test_target(w, "frame_1"), "/constraintset/w/shank_offset");
    VECTOR3(fb_get_target(w, "frame_1"), "translation", 0, 0.5, 0);
    const fb_element *second = fb_get_target(w, "frame_2");
    FB_TRUE(fb_get_bool(w, "enabled"), "it is enforced");
    FB_TRUE(second && (strcmp(second->path, "/ground") == 0 ||
                       fb_get_target(second, "parent") == model->ground),
            "the second frame is ground, or fixed to it");
    FB_EQUAL_INT(diag.counts[FB_KEPT], 0);
    done(model, &diag);
}

static void both_ends_on_one_body_get_two_frames(void) {
    fb_diag diag;
    fb_model *model = accept(
        30000,
        OLD "<ConstraintSet><objects><WeldConstraint name=\"w\"><body_1>thigh</body_1>"
            "<body_2>thigh</body_2><location_body_1>1 0 0</location_body_1>"
            "<location_body_2>2 0 0</location_body_2></WeldConstraint></objects></ConstraintSet>",
        &diag);
    const fb_element *w = fb_test_find(model, "/constraintset/w");
    const fb_element *one = fb_get_target(w, "frame_1"), *two = fb_get_target(w, "frame_2");
    if (FB_TRUE(one && two && one != two, "two frames")) {
        VECTOR3(one, "translation", 1, 0, 0);
        VECTOR3(two, "translation", 2, 0, 0);
        FB_EQUAL_STR(fb_test_target(two, "parent"), "/bodyset/thigh");
    }
    FB_NO_RECORD(&diag, FB2203);
    done(model, &diag);
}

static void bushings_get_frames(void) {
    fb_diag diag;
    fb_model *model = accept(
        30000,
        OLD
        "<ForceSet><objects><BushingForce "
        "name=\"b\"><isDisabled>false</isDisabled><body_1>thigh</body_1><body_2>shank</body_2>"
        "<location_body_1>0 -0.4 0</location_body_1><orientation_body_2>0 0 1</orientation_body_2>"
        "<rotational_stiffness>1 2 3</rotational_stiffness></BushingForce></objects></ForceSet>",
        &diag);
    const fb_element *b = fb_test_find(model, "/forceset/b");
    FB_EQUAL_STR(fb_test_target(b, "frame1"), "/forceset/b/thigh_offset");
    VECTOR3(fb_get_target(b, "frame1"), "translation", 0, -0.4, 0);
    VECTOR3(fb_get_target(b, "frame2"), "rotation_xyz", 0, 0, 1);
    VECTOR3(b, "rotational_stiffness", 1, 2, 3);
    FB_TRUE(fb_get_bool(b, "enabled"), "it acts");
    FB_EQUAL_INT(diag.counts[FB_KEPT], 0);
    done(model, &diag);
}

static void disabled_becomes_its_opposite(void) {
    static const struct {
        const char *text;
        bool acts;
    } cases[] = {{"true", false}, {"false", true}, {"1", false}, {"0", true}, {"True", false}};
    for (int i = 0; i < 5; i++) {
        char inside[3000];
        snprintf(inside, sizeof inside,
                 OLD
                 "<ForceSet><objects><CoordinateActuator name=\"a\"><coordinate>bend</coordinate>"
                 "<isDisabled>%s</isDisabled></CoordinateActuator></objects></ForceSet>",
                 cases[i].text);
        fb_diag diag;
        fb_model *model = accept(30000, inside, &diag);
        FB_EQUAL_INT(fb_get_bool(fb_test_find(model, "/forceset/a"), "enabled"), cases[i].acts);
        done(model, &diag);
    }
}

/* ---- muscles and paths ----------------------------------------------------------------------- */

static void points_in_muscles_move_to_a_path(void) {
    fb_diag diag;
    fb_model *model =
        accept(10500,
               OLD_BODIES(KNEE(""),
                          "<WrapObjectSet><objects><WrapSphere "
                          "name=\"ball\"><radius>1</radius></WrapSphere></objects></"
                          "WrapObjectSet>") "<ActuatorSet><objects><Schutte1993Muscle "
                                            "name=\"m\"><MusclePointSet><objects><MusclePoint "
                                            "name=\"p\"><body>thigh</body>"
                                            "<location>1 0 "
                                            "0</location></MusclePoint><MuscleViaPoint "
                                            "name=\"v\"><body>shank</body><coordinate>bend</"
                                            "coordinate>"
                                            "<range>-1 "
                                            "0.5</range></MuscleViaPoint></objects></"
                                            "MusclePointSet><MuscleWrapSet><objects><MuscleWrap><"
                                            "wrap_object>ball"
                                            "</wrap_object><method>midpoint</method></"
                                            "MuscleWrap></objects></"
                                            "MuscleWrapSet><pennation_angle>0.2</pennation_angle>"
                                            "</Schutte1993Muscle></objects></ActuatorSet>",
               &diag);
    const fb_element *m = fb_test_find(model, "/forceset/m"), *path = fb_get_object(m, "path");
    FB_SAME(fb_get_number(m, "pennation_angle"), 0.2);
    FB_EQUAL_STR(fb_test_item(path, "points", 0)->cls->name, "PathPoint");
    FB_EQUAL_STR(fb_test_target(fb_test_item(path, "points", 0), "frame"), "/bodyset/thigh");
    const fb_element *via = fb_test_item(path, "points", 1);
    FB_EQUAL_STR(via->cls->name, "ConditionalPathPoint");
    FB_EQUAL_STR(fb_test_target(via, "coordinate"), "/jointset/knee/bend");
    double range[2] = {0};
    FB_TRUE(fb_get_vector(via, "range", range, 2), "a range");
    FB_SAME(range[1], 0.5);
    FB_EQUAL_STR(fb_get_string(fb_test_item(path, "wraps", 0), "method"), "midpoint");
    FB_EQUAL_STR(fb_test_target(fb_test_item(path, "wraps", 0), "wrap"),
                 "/bodyset/shank/wrapobjectset/ball");
    done(model, &diag);
}

static void moving_points_have_new_tags(void) {
    fb_diag diag;
    fb_model *model =
        accept(20000,
               OLD "<ForceSet><objects><Thelen2003Muscle "
                   "name=\"m\"><GeometryPath><PathPointSet><objects><MovingMusclePoint name=\"p\">"
                   "<body>thigh</body><location>9 9 "
                   "9</location><XAttachment><Constant><value>1</value></Constant></XAttachment>"
                   "<x_coordinate>bend</x_coordinate><YAttachment><natCubicSpline><x>0 1</x><y>5 "
                   "6</y></natCubicSpline></YAttachment>"
                   "<y_coordinate>bend</y_coordinate></MovingMusclePoint></objects></"
                   "PathPointSet></GeometryPath></Thelen2003Muscle>"
                   "</objects></ForceSet>",
               &diag);
    const fb_element *p = fb_test_item(fb_get_object(fb_test_find(model, "/forceset/m"), "path"),
                                       "points", 0);
    FB_EQUAL_STR(p->cls->name, "MovingPathPoint");
    FB_SAME(fb_get_number(fb_get_object(p, "x"), "value"), 1);
    FB_EQUAL_STR(fb_test_target(p, "x_coordinate"), "/jointset/knee/bend");
    FB_EQUAL_STR(fb_get_object(p, "y")->cls->name, "SimmSpline");
    FB_EQUAL_INT(diag.counts[FB_KEPT], 0);
    done(model, &diag);
}

static void muscle_controls_of_0_and_1_are_dropped(void) {
    static const struct {
        int version;
        const char *low;
        double want;
    } cases[] = {{30000, "0", 0.01}, {30000, "0.0", 0.01}, {30000, "0.05", 0.05}, {30513, "0", 0}};
    for (int i = 0; i < 4; i++) {
        char inside[3000];
        snprintf(inside, sizeof inside,
                 "<ForceSet><objects><Thelen2003Muscle name=\"m\"><min_control>%s</min_control>"
                 "<max_control>1</max_control></Thelen2003Muscle></objects></ForceSet>",
                 cases[i].low);
        fb_diag diag;
        fb_model *model = accept(cases[i].version, inside, &diag);
        FB_SAME(fb_get_number(fb_test_find(model, "/forceset/m"), "min_control"), cases[i].want);
        FB_SAME(fb_get_number(fb_test_find(model, "/forceset/m"), "max_control"), 1);
        done(model, &diag);
    }
}

/* ---- looks ----------------------------------------------------------------------------------- */

static void visible_objects_become_meshes(void) {
    fb_diag diag;
    fb_model *model =
        accept(30000,
               OLD_BODIES(KNEE(""),
                          "<VisibleObject><GeometrySet><objects><DisplayGeometry><geometry_file>"
                          "tibia.vtp</geometry_file><color>1 0 0.5</color>"
                          "<scale_factors>1 2 "
                          "1</scale_factors><opacity>0.25</opacity><display_preference>2</"
                          "display_preference></DisplayGeometry>"
                          "<DisplayGeometry><geometry_file>foot.vtp</geometry_file><transform>0 0 "
                          "0 1 0 0</transform></DisplayGeometry></objects>"
                          "</GeometrySet><scale_factors>3 1 1</scale_factors></VisibleObject>"),
               &diag);
    const fb_element *shank = fb_test_find(model, "/bodyset/shank"),
                     *mesh = fb_test_item(shank, "geometry", 0);
    FB_EQUAL_STR(fb_get_string(mesh, "mesh"), "tibia.vtp");
    if (mesh) {
        VECTOR3(mesh, "scale", 3, 2, 1);
        const fb_element *looks = fb_get_object(mesh, "appearance");
        VECTOR3(looks, "color", 1, 0, 0.5);
        FB_SAME(fb_get_number(looks, "opacity"), 0.25);
        const fb_value *how = fb_get(fb_get_object(looks, "surface"), "representation");
        FB_EQUAL_INT(how ? how->as.integer : 0, 2);
    }
    const fb_element *frame = fb_test_find(model, "/bodyset/shank/shank_geometry_frame_2");
    FB_EQUAL_STR(fb_test_target(frame, "parent"), "/bodyset/shank");
    if (frame) {
        VECTOR3(frame, "translation", 1, 0, 0);
        FB_EQUAL_STR(fb_get_string(fb_test_item(frame, "geometry", 0), "mesh"), "foot.vtp");
    }
    done(model, &diag);
}

static void malformed_numbers_of_looks_are_ignored(void) {
    fb_diag diag;
    fb_model *model = accept(30000,
                             OLD_BODIES(KNEE(""),
                                        "<VisibleObject><geometry_files>a.vtp</geometry_files>\n"
                                        "<scale_factors>1 x 1</scale_factors></VisibleObject>"),
                             &diag);
    const fb_record *record = FB_RECORD(&diag, FB_IGNORED, FB2101, 3);
    FB_HOLDS(record ? record->message : NULL, "<scale_factors> holds '1 x 1'");
    const fb_element *mesh = fb_test_item(fb_test_find(model, "/bodyset/shank"), "geometry", 0);
    FB_EQUAL_STR(fb_get_string(mesh, "mesh"), "a.vtp");
    VECTOR3(mesh, "scale", 1, 1, 1);
    done(model, &diag);
}

static void geometry_files_become_meshes(void) {
    fb_diag diag;
    fb_model *model =
        accept(10900,
               OLD_BODIES(KNEE(""), "<VisibleObject><geometry_files> a.vtp\n "
                                    "b.vtp</geometry_files><VisibleProperties><display_preference>0"
                                    "</display_preference></VisibleProperties></VisibleObject>"),
               &diag);
    const fb_element *shank = fb_test_find(model, "/bodyset/shank");
    FB_EQUAL_STR(fb_get_string(fb_test_item(shank, "geometry", 0), "mesh"), "a.vtp");
    FB_EQUAL_STR(fb_get_string(fb_test_item(shank, "geometry", 1), "mesh"), "b.vtp");
    FB_EQUAL_INT(fb_get_bool(fb_get_object(fb_test_item(shank, "geometry", 1), "appearance"),
                             "visible"),
                 0);
    done(model, &diag);
}

static void two_transforms_of_a_mesh_are_told(void) {
    fb_diag diag;
    fb_model *model = accept(
        30000,
        OLD_BODIES(KNEE(""),
                   "\n<VisibleObject><transform>0 0 1 0 0 "
                   "0</transform><GeometrySet><objects>\n<DisplayGeometry><geometry_file>a.vtp"
                   "</geometry_file><transform>0 0 0 1 0 "
                   "0</transform></DisplayGeometry></objects></GeometrySet></VisibleObject>"),
        &diag);
    FB_RECORD(&diag, FB_APPROXIMATED, FB2401, 4);
    done(model, &diag);
}

static void looks_that_nothing_has_any_more_are_ignored_once(void) {
    fb_diag diag;
    fb_model *model = accept(
        30000,
        OLD "<MarkerSet><objects>\n<Marker name=\"m\"><body>shank</body><VisibleObject/></Marker>"
            "<Marker name=\"n\"><body>shank</body><VisibleObject/></Marker></objects></MarkerSet>",
        &diag);
    const fb_record *record = FB_RECORD(&diag, FB_IGNORED, FB2401, 3);
    FB_HOLDS(record ? record->message : NULL, "display settings of 2");
    FB_EQUAL_INT(diag.counts[FB_IGNORED], 1);
    done(model, &diag);
}

static void colors_of_paths_wraps_and_contacts_become_appearances(void) {
    fb_diag diag;
    fb_model *model =
        accept(30516,
               OLD_BODIES(KNEE(""), "<WrapObjectSet><objects><WrapSphere "
                                    "name=\"w\"><radius>1</radius><color>0 1 "
                                    "0</color><display_preference>0"
                                    "</display_preference></WrapSphere></objects></"
                                    "WrapObjectSet>") "<ForceSet><objects><Thelen2003Muscle "
                                                      "name=\"m\"><GeometryPath><default_color>0."
                                                      "8 0.1 0.1</default_color></GeometryPath>"
                                                      "</Thelen2003Muscle></objects></"
                                                      "ForceSet><ContactGeometrySet><objects><"
                                                      "ContactSphere "
                                                      "name=\"c\"><body_name>shank</body_name>"
                                                      "<radius>0.1</radius><color>0 0 "
                                                      "1</color></ContactSphere></objects></"
                                                      "ContactGeometrySet>",
               &diag);
    VECTOR3(fb_get_object(fb_get_object(fb_test_find(model, "/forceset/m"), "path"), "appearance"),
            "color", 0.8, 0.1, 0.1);
    const fb_element *w = fb_get_object(fb_test_find(model, "/bodyset/shank/wrapobjectset/w"),
                                        "appearance");
    VECTOR3(w, "color", 0, 1, 0);
    FB_EQUAL_INT(fb_get_bool(w, "visible"), 0);
    const fb_element *c = fb_test_find(model, "/contactgeometryset/c");
    FB_EQUAL_STR(fb_test_target(c, "frame"), "/bodyset/shank");
    VECTOR3(fb_get_object(c, "appearance"), "color", 0, 0, 1);
    FB_EQUAL_INT(diag.counts[FB_KEPT], 0);
    done(model, &diag);
}

/* ---- all together ---------------------------------------------------------------------------- */

static void new_documents_are_left_alone(void) {
    const char *body =
        "<BodySet><objects><Body name=\"a\"><mass>1</mass><inertia>1 1 1 0 0 "
        "0</inertia></Body></objects></BodySet>"
        "<JointSet><objects><PinJoint name=\"j\"><socket_parent_frame>/ground</socket_parent_frame>"
        "<socket_child_frame>/bodyset/a</socket_child_frame></PinJoint></objects></JointSet>";
    fb_diag diag;
    fb_model *model = accept(40500, body, &diag);
    FB_EQUAL_INT(fb_model_items(model, "frames")->n, 0);
    FB_EQUAL_INT(diag.n, 0);
    done(model, &diag);
    model = accept(30000, body, &diag); /* files do not always have the version that they state */
    FB_EQUAL_STR(fb_test_target(fb_test_find(model, "/jointset/j"), "child"), "/bodyset/a");
    FB_EQUAL_INT(diag.n, 0);
    done(model, &diag);
}

static const fb_test tests[] = {
    FB_TEST(engines_are_taken_apart),
    FB_TEST(engines_older_than_any_are_refused),
    FB_TEST(a_body_called_ground_is_the_ground),
    FB_TEST(names_lose_their_white_space),
    FB_TEST(classes_have_new_names),
    FB_TEST(splines_have_new_names),
    FB_TEST(forces_and_torques_become_actuators),
    FB_TEST(inertia_is_gathered_from_its_parts),
    FB_TEST(inertia_keeps_all_digits),
    FB_TEST(joints_inside_bodies_move_to_the_joint_set),
    FB_TEST(offsets_of_joints_become_frames),
    FB_TEST(joints_of_a_joint_set_get_frames_too),
    FB_TEST(reversed_joints_are_turned_round),
    FB_TEST(what_4_x_does_not_have_is_dropped),
    FB_TEST(transform_axis_sets_become_six_axes),
    FB_TEST(a_fourth_rotation_is_ignored),
    FB_TEST(connectee_names_become_sockets),
    FB_TEST(bodies_of_markers_and_points_become_sockets),
    FB_TEST(controllers_name_their_actuators_as_before),
    FB_TEST(constraints_get_sockets),
    FB_TEST(bushings_get_frames),
    FB_TEST(disabled_becomes_its_opposite),
    FB_TEST(points_in_muscles_move_to_a_path),
    FB_TEST(moving_points_have_new_tags),
    FB_TEST(muscle_controls_of_0_and_1_are_dropped),
    FB_TEST(visible_objects_become_meshes),
    FB_TEST(geometry_files_become_meshes),
    FB_TEST(two_transforms_of_a_mesh_are_told),
    FB_TEST(looks_that_nothing_has_any_more_are_ignored_once),
    FB_TEST(colors_of_paths_wraps_and_contacts_become_appearances),
    FB_TEST(new_documents_are_left_alone),
    FB_TEST(malformed_numbers_of_looks_are_ignored),
    FB_TEST(all_joints_of_a_body_come_through),
    FB_TEST(both_ends_on_one_body_get_two_frames),
    FB_TEST(names_in_lists_lose_their_white_space),
    FB_TEST_END,
};

int main(int argc, char **argv) {
    return fb_test_main("osim_upgrade", tests, argc, argv);
}
