/* Actuators other than muscles, ligaments, springs, bushings, and all other forces but contact. */
#include "libcore/model/class.h"

#define FORCE_FIELDS \
    FB_F_BOOL_BRIEF("enabled", "appliesForce", "true", "false if the force is left out of the simulation")

#define SCALAR_ACTUATOR_FIELDS(MIN, MAX) \
    FORCE_FIELDS, \
    FB_F_NUM_F("min_control", "min_control", MIN, "1", FB_BRIEF, "lowest control that optimisers may use"), \
    FB_F_NUM_F("max_control", "max_control", MAX, "1", FB_BRIEF, "highest control that optimisers may use")

#define PATH_FIELD(S) FB_F_OBJ("path", "path", FB_PATH, FB_BY_NAME, "GeometryPath", S)

#define OPTIMAL_FORCE(U) FB_F_NUM("optimal_force", "optimal_force", "1", U, "force for a control of one")

#define PATH_ACTUATOR_FIELDS(MIN, MAX) \
    SCALAR_ACTUATOR_FIELDS(MIN, MAX), \
    PATH_FIELD("the line along which the actuator pulls"), \
    OPTIMAL_FORCE("N")

#define COORDINATE_FIELD(S) FB_F_REF("coordinate", "coordinate", FB_COORDINATE, FB_REQUIRED, S)

/* A number that OpenSim has no default for. */
#define NUMBER_REQUIRED(K, U, S) FB_F_NUM_F(K, K, NULL, U, FB_REQUIRED, S)

/* A reference with a default. */
#define REF_DEFAULT(K, T, FAM, D, S) {K, T, FB_REF, 1, 0, D, NULL, FAM, FB_BY_NAME, NULL, S}

/* ---- actuators ---- */

#define COORDINATE_ACTUATOR_FIELDS \
    SCALAR_ACTUATOR_FIELDS("-Inf", "Inf"), \
    COORDINATE_FIELD("the coordinate that is driven"), \
    OPTIMAL_FORCE("N*m or N")

static const fb_field coordinate_actuator[] = {COORDINATE_ACTUATOR_FIELDS};

static const fb_field activation_coordinate_actuator[] = {
    COORDINATE_ACTUATOR_FIELDS,
    FB_F_NUM("activation_time_constant", "activation_time_constant", "0.01", "s",
             "time constant with which activation follows the control"),
    FB_F_NUM_F("default_activation", "default_activation", "0.5", "1", FB_BRIEF, "activation in the default state"),
};

static const fb_field point_actuator[] = {
    SCALAR_ACTUATOR_FIELDS("-Inf", "Inf"),
    FB_F_REF("body", "body", FB_FRAME, FB_REQUIRED, "the body that is pushed"),
    FB_F_VEC("point", "point", 3, "0 0 0", "m", "where the force acts"),
    FB_F_BOOL_BRIEF("point_is_global", "point_is_global", "false", "true if the point is given in ground"),
    FB_F_VEC("direction", "direction", 3, "1 0 0", "1", "direction of a positive force"),
    FB_F_BOOL_BRIEF("force_is_global", "force_is_global", "false", "true if the direction is given in ground"),
    OPTIMAL_FORCE("N"),
};

static const fb_field torque_actuator[] = {
    SCALAR_ACTUATOR_FIELDS("-Inf", "Inf"),
    FB_F_REF("body_a", "bodyA", FB_FRAME, FB_REQUIRED, "the body on which a positive torque acts about the axis"),
    FB_F_REF("body_b", "bodyB", FB_FRAME, FB_REQUIRED, "the body that gets the opposite torque"),
    FB_F_BOOL_BRIEF("torque_is_global", "torque_is_global", "true",
                    "true if the axis is given in ground, false for the frame of body a"),
    FB_F_VEC("axis", "axis", 3, "0 0 1", "1", "axis of the torque"),
    OPTIMAL_FORCE("N*m"),
};

static const fb_field body_actuator[] = {
    FORCE_FIELDS,
    FB_F_REF("body", "socket_body", FB_BODY, FB_SOCKET | FB_REQUIRED, "the body that is moved"),
    FB_F_VEC("point", "point", 3, "0 0 0", "m", "where the force acts"),
    FB_F_BOOL_BRIEF("point_is_global", "point_is_global", "false", "true if the point is given in ground"),
    FB_F_BOOL_BRIEF("spatial_force_is_global", "spatial_force_is_global", "true",
                    "true if torque and force are given in ground, false for the body's frame"),
};

static const fb_field point_to_point_actuator[] = {
    SCALAR_ACTUATOR_FIELDS("-Inf", "Inf"),
    FB_F_REF("body_a", "bodyA", FB_FRAME, FB_REQUIRED, "the body that a positive force pushes away from body b"),
    FB_F_REF("body_b", "bodyB", FB_FRAME, FB_REQUIRED, "the other body"),
    FB_F_BOOL_BRIEF("points_are_global", "points_are_global", "false", "true if both points are given in ground"),
    FB_F_VEC("point_a", "pointA", 3, "0 0 0", "m", "where the force acts on body a"),
    FB_F_VEC("point_b", "pointB", 3, "0 0 0", "m", "where the force acts on body b"),
    OPTIMAL_FORCE("N"),
};

static const fb_field path_actuator[] = {PATH_ACTUATOR_FIELDS("-Inf", "Inf")};

static const fb_field clutched_path_spring[] = {
    PATH_ACTUATOR_FIELDS("0", "1"),
    NUMBER_REQUIRED("stiffness", "N/m", "stiffness while the clutch is engaged"),
    NUMBER_REQUIRED("dissipation", "s/m", "damping, relative to the elastic force"),
    FB_F_NUM("relaxation_time_constant", "relaxation_time_constant", "0.001", "s",
             "time constant with which the stretch fades while the clutch is open"),
    FB_F_NUM("initial_stretch", "initial_stretch", "0", "m", "stretch in the default state"),
};

static const fb_field mckibben_actuator[] = {
    PATH_ACTUATOR_FIELDS("-Inf", "Inf"),
    FB_F_NUM("number_of_turns", "number_of_turns", "1.5", "1", "turns of the braid's thread"),
    FB_F_NUM("thread_length", "thread_length", "200", "m", "length of the braid's thread"),
    FB_F_NUM("cord_length", "cord_length", "0", "m", "length of the cords at the muscle's ends"),
};

/* ---- ligaments ---- */

static const fb_field ligament[] = {
    FORCE_FIELDS,
    PATH_FIELD("the course of the ligament"),
    FB_F_NUM("resting_length", "resting_length", "0", "m", "length up to which the ligament is slack"),
    FB_F_NUM("pcsa_force", "pcsa_force", "0", "N", "force by which the curve is multiplied"),
    FB_F_OBJ("force_length_curve", "force_length_curve", FB_FUNCTION, FB_BY_NAME, NULL,
             "relative force over relative length; absent for OpenSim's default spline"),
};

static const fb_field blankevoort_ligament[] = {
    FORCE_FIELDS,
    PATH_FIELD("the course of the ligament"),
    FB_F_NUM("linear_stiffness", "linear_stiffness", "1", "N",
             "stiffness beyond the toe region, as force per strain"),
    FB_F_NUM("transition_strain", "transition_strain", "0.06", "1", "strain where the toe region ends"),
    FB_F_NUM("damping_coefficient", "damping_coefficient", "0.003", "N*s", "damping, as force per strain rate"),
    FB_F_NUM("slack_length", "slack_length", "0", "m", "length up to which the ligament is slack"),
};

/* ---- springs and bushings ---- */

static const fb_field path_spring[] = {
    FORCE_FIELDS,
    PATH_FIELD("the course of the spring"),
    NUMBER_REQUIRED("resting_length", "m", "length up to which the spring is slack"),
    NUMBER_REQUIRED("stiffness", "N/m", "force per stretch"),
    NUMBER_REQUIRED("dissipation", "s/m", "damping, relative to the elastic force"),
};

static const fb_field coordinate_spring[] = {
    FORCE_FIELDS,
    COORDINATE_FIELD("the coordinate that the spring acts on"),
    FB_F_NUM("stiffness", "stiffness", "0", "N*m/rad or N/m", "force per displacement"),
    FB_F_NUM("rest_length", "rest_length", "0", "rad or m", "value of the coordinate where the spring is at rest"),
    FB_F_NUM("viscosity", "viscosity", "0", "N*m*s/rad or N*s/m", "force per speed"),
};

static const fb_field point_to_point_spring[] = {
    FORCE_FIELDS,
    FB_F_REF("body1", "socket_body1", FB_FRAME, FB_SOCKET | FB_REQUIRED, "the first frame that is held"),
    FB_F_REF("body2", "socket_body2", FB_FRAME, FB_SOCKET | FB_REQUIRED, "the second frame that is held"),
    FB_F_VEC("point1", "point1", 3, "0 0 0", "m", "end of the spring in the first frame"),
    FB_F_VEC("point2", "point2", 3, "0 0 0", "m", "end of the spring in the second frame"),
    FB_F_NUM("stiffness", "stiffness", "1", "N/m", "force per stretch"),
    FB_F_NUM("rest_length", "rest_length", "0", "m", "length where the spring is at rest"),
};

#define TWO_FRAME_FIELDS \
    FORCE_FIELDS, \
    FB_F_REF("frame1", "socket_frame1", FB_FRAME, FB_SOCKET | FB_REQUIRED, "the frame that deflection is measured in"), \
    FB_F_REF("frame2", "socket_frame2", FB_FRAME, FB_SOCKET | FB_REQUIRED, "the frame that deflects")

#define BUSHING_DAMPING \
    FB_F_VEC("rotational_damping", "rotational_damping", 3, "0 0 0", "N*m*s/rad", \
             "moment per angular speed about x, y, z"), \
    FB_F_VEC("translational_damping", "translational_damping", 3, "0 0 0", "N*s/m", "force per speed along x, y, z")

#define BUSHING_VISUALS \
    FB_F_NUM_F("moment_visual_scale", "moment_visual_scale", "1", "1", FB_BRIEF, "scale of moment arrows in viewers"), \
    FB_F_NUM_F("force_visual_scale", "force_visual_scale", "1", "1", FB_BRIEF, "scale of force arrows in viewers"), \
    FB_F_NUM_F("visual_aspect_ratio", "visual_aspect_ratio", "1", "1", FB_BRIEF, "slenderness of arrows in viewers")

static const fb_field bushing[] = {
    TWO_FRAME_FIELDS,
    FB_F_VEC("rotational_stiffness", "rotational_stiffness", 3, "0 0 0", "N*m/rad", "moment per angle about x, y, z"),
    FB_F_VEC("translational_stiffness", "translational_stiffness", 3, "0 0 0", "N/m",
             "force per displacement along x, y, z"),
    BUSHING_DAMPING,
};

#define BUSHING_FUNCTION(K, T, S) FB_F_OBJ(K, T, FB_FUNCTION, FB_BY_NAME, "Constant", S)

static const fb_field function_bushing[] = {
    TWO_FRAME_FIELDS,
    BUSHING_FUNCTION("moment_x_function", "m_x_theta_x_function", "moment that resists rotation about x"),
    BUSHING_FUNCTION("moment_y_function", "m_y_theta_y_function", "moment that resists rotation about y"),
    BUSHING_FUNCTION("moment_z_function", "m_z_theta_z_function", "moment that resists rotation about z"),
    BUSHING_FUNCTION("force_x_function", "f_x_delta_x_function", "force that resists displacement along x"),
    BUSHING_FUNCTION("force_y_function", "f_y_delta_y_function", "force that resists displacement along y"),
    BUSHING_FUNCTION("force_z_function", "f_z_delta_z_function", "force that resists displacement along z"),
    BUSHING_DAMPING,
    BUSHING_VISUALS,
};

#define BUSHING_EXPRESSION(K, T, S) FB_F_TEXT(K, T, "0.0", S)

static const fb_field expression_bushing[] = {
    TWO_FRAME_FIELDS,
    BUSHING_EXPRESSION("moment_x_expression", "Mx_expression",
                       "moment about x as a formula in theta_x, theta_y, theta_z, delta_x, delta_y, delta_z"),
    BUSHING_EXPRESSION("moment_y_expression", "My_expression", "moment about y, as a formula like that about x"),
    BUSHING_EXPRESSION("moment_z_expression", "Mz_expression", "moment about z, as a formula like that about x"),
    BUSHING_EXPRESSION("force_x_expression", "Fx_expression", "force along x, as a formula in the same six variables"),
    BUSHING_EXPRESSION("force_y_expression", "Fy_expression", "force along y, as a formula in the same six variables"),
    BUSHING_EXPRESSION("force_z_expression", "Fz_expression", "force along z, as a formula in the same six variables"),
    BUSHING_DAMPING,
    BUSHING_VISUALS,
};

#define MATRIX_ROW(K, U, S) FB_F_VEC(K, K, 6, "0 0 0 0 0 0", U, S)

static const fb_field coupled_bushing[] = {
    TWO_FRAME_FIELDS,
    MATRIX_ROW("stiffness_row1", "N*m/rad and N", "stiffness of the moment about x to three angles and displacements"),
    MATRIX_ROW("stiffness_row2", "N*m/rad and N", "stiffness of the moment about y"),
    MATRIX_ROW("stiffness_row3", "N*m/rad and N", "stiffness of the moment about z"),
    MATRIX_ROW("stiffness_row4", "N/rad and N/m", "stiffness of the force along x"),
    MATRIX_ROW("stiffness_row5", "N/rad and N/m", "stiffness of the force along y"),
    MATRIX_ROW("stiffness_row6", "N/rad and N/m", "stiffness of the force along z"),
    MATRIX_ROW("damping_row1", "N*m*s/rad and N*s", "damping of the moment about x by three angular and linear speeds"),
    MATRIX_ROW("damping_row2", "N*m*s/rad and N*s", "damping of the moment about y"),
    MATRIX_ROW("damping_row3", "N*m*s/rad and N*s", "damping of the moment about z"),
    MATRIX_ROW("damping_row4", "N*s/rad and N*s/m", "damping of the force along x"),
    MATRIX_ROW("damping_row5", "N*s/rad and N*s/m", "damping of the force along y"),
    MATRIX_ROW("damping_row6", "N*s/rad and N*s/m", "damping of the force along z"),
};

/* ---- other forces ---- */

static const fb_field coordinate_limit[] = {
    FORCE_FIELDS,
    COORDINATE_FIELD("the coordinate that is kept within its limits"),
    FB_F_NUM_F("upper_stiffness", "upper_stiffness", "1", "N*m/rad or N/m", FB_PER_DEGREE_IF_ROTATIONAL,
               "stiffness above the upper limit"),
    FB_F_NUM_F("upper_limit", "upper_limit", "0", "rad or m", FB_DEGREES_IF_ROTATIONAL,
               "value above which the force acts"),
    FB_F_NUM_F("lower_stiffness", "lower_stiffness", "1", "N*m/rad or N/m", FB_PER_DEGREE_IF_ROTATIONAL,
               "stiffness below the lower limit"),
    FB_F_NUM_F("lower_limit", "lower_limit", "0", "rad or m", FB_DEGREES_IF_ROTATIONAL,
               "value below which the force acts"),
    FB_F_NUM_F("damping", "damping", "0.001", "N*m*s/rad or N*s/m", FB_PER_DEGREE_IF_ROTATIONAL,
               "damping beyond a limit"),
    FB_F_NUM_F("transition", "transition", "0.1", "rad or m", FB_DEGREES_IF_ROTATIONAL,
               "distance beyond a limit over which stiffness and damping rise to their full value"),
    FB_F_BOOL_BRIEF("compute_dissipation_energy", "compute_dissipation_energy", "false",
                    "true if the energy that damping takes is tracked"),
};

static const fb_field exponential_coordinate_limit[] = {
    FORCE_FIELDS,
    COORDINATE_FIELD("the coordinate that is kept within its limits"),
    FB_F_NUM("lower_limit", "lower_limit", "0", "rad or m", "value about which the lower exponential is placed"),
    FB_F_NUM("upper_limit", "upper_limit", "0", "rad or m", "value about which the upper exponential is placed"),
    FB_F_VEC("lower_shape_parameters", "lower_shape_parameters", 2, "0 0", "1", "two shape numbers of the lower curve"),
    FB_F_VEC("upper_shape_parameters", "upper_shape_parameters", 2, "0 0", "1", "two shape numbers of the upper curve"),
};

static const fb_field exponential_coordinate[] = {
    FORCE_FIELDS,
    COORDINATE_FIELD("the coordinate that the force acts on"),
    FB_F_NUM("offset_force", "k0", "0", "N*m or N", "constant part"),
    FB_F_NUM("first_force", "k1", "0", "N*m or N", "force of the first exponential at its centre"),
    FB_F_NUM("first_rate", "k2", "0", "1/rad or 1/m", "exponent of the first exponential per displacement"),
    FB_F_NUM("second_force", "k3", "0", "N*m or N", "force of the second exponential at its centre"),
    FB_F_NUM("second_rate", "k4", "0", "1/rad or 1/m", "exponent of the second exponential per displacement"),
    FB_F_NUM("first_center", "theta", "0", "rad or m", "value of the coordinate at the first centre"),
    FB_F_NUM("second_center", "phi", "0", "rad or m", "value of the coordinate at the second centre"),
};

static const fb_field expression_coordinate[] = {
    FORCE_FIELDS,
    COORDINATE_FIELD("the coordinate that the force acts on"),
    FB_F_TEXT("expression", "expression", "0.0", "generalised force as a formula in q and qdot"),
};

static const fb_field expression_point_to_point[] = {
    FORCE_FIELDS,
    FB_F_REF("body1", "body1", FB_FRAME, FB_REQUIRED, "the first body that is pulled"),
    FB_F_REF("body2", "body2", FB_FRAME, FB_REQUIRED, "the second body that is pulled"),
    FB_F_VEC("point1", "point1", 3, "0 0 0", "m", "where the force acts on the first body"),
    FB_F_VEC("point2", "point2", 3, "0 0 0", "m", "where the force acts on the second body"),
    FB_F_TEXT("expression", "expression", "0.0", "attracting force as a formula in the distance d and its rate ddot"),
};

static const fb_field expression_path[] = {
    FORCE_FIELDS,
    PATH_FIELD("the line along which the force pulls"),
    FB_F_NUM("resting_length", "resting_length", "0", "m", "length from which the stretch is measured"),
    FB_F_TEXT("expression", "expression", "0.0",
              "tension as a formula in the stretch s and the lengthening speed ldot"),
    FB_F_BOOL("clamp_stretch", "clamp_stretch", "true", "true if a negative stretch counts as none"),
};

static const fb_field prescribed_force[] = {
    FORCE_FIELDS,
    FB_F_REF("frame", "socket_frame", FB_FRAME, FB_SOCKET | FB_REQUIRED, "the frame that is pushed"),
    FB_F_BOOL("point_is_global", "pointIsGlobal", "false", "true if the point is given in ground"),
    FB_F_BOOL("force_is_global", "forceIsGlobal", "true", "true if force and torque are given in ground"),
    FB_F_OBJS("force_functions", "forceFunctions", FB_FUNCTION, FB_SET, "x, y, z of the force over time, or none"),
    FB_F_OBJS("point_functions", "pointFunctions", FB_FUNCTION, FB_SET,
              "x, y, z of the point over time, none for the frame's origin"),
    FB_F_OBJS("torque_functions", "torqueFunctions", FB_FUNCTION, FB_SET, "x, y, z of the torque over time, or none"),
};

static const fb_field external_force[] = {
    FORCE_FIELDS,
    FB_F_REF("body", "applied_to_body", FB_FRAME, FB_REQUIRED, "the body that is pushed"),
    REF_DEFAULT("force_expressed_in", "force_expressed_in_body", FB_FRAME, "ground",
                "the body in whose frame force and torque are given"),
    REF_DEFAULT("point_expressed_in", "point_expressed_in_body", FB_FRAME, "ground",
                "the body in whose frame the point is given"),
    FB_F_TEXT_F("force_identifier", "force_identifier", NULL, FB_OPTIONAL, "start of the names of the force's columns"),
    FB_F_TEXT_F("point_identifier", "point_identifier", NULL, FB_OPTIONAL, "start of the names of the point's columns"),
    FB_F_TEXT_F("torque_identifier", "torque_identifier", NULL, FB_OPTIONAL,
                "start of the names of the torque's columns"),
    FB_F_TEXT_F("data_source", "data_source_name", NULL, FB_OPTIONAL, "the data that the columns are taken from"),
};

const fb_class fb_classes_forces[] = {
    FB_CLASS("CoordinateActuator", "coordinate", "actuators", FB_FORCE, coordinate_actuator,
             "a force or torque on one coordinate"),
    FB_CLASS("ActivationCoordinateActuator", "activation_coordinate", "actuators", FB_FORCE,
             activation_coordinate_actuator, "a force or torque on one coordinate that follows its control with a delay"),
    FB_CLASS("PointActuator", "point", "actuators", FB_FORCE, point_actuator, "a force on one point of a body"),
    FB_CLASS("TorqueActuator", "torque", "actuators", FB_FORCE, torque_actuator,
             "opposite torques on two bodies"),
    FB_CLASS("BodyActuator", "body", "actuators", FB_FORCE, body_actuator,
             "a torque and a force on a body, from six controls"),
    FB_CLASS("PointToPointActuator", "point_to_point", "actuators", FB_FORCE, point_to_point_actuator,
             "opposite forces along the line between two points"),
    FB_CLASS("PathActuator", "path", "actuators", FB_FORCE, path_actuator,
             "an ideal muscle: a tension along a path, in proportion to its control"),
    FB_CLASS("ClutchedPathSpring", "clutched_path_spring", "actuators", FB_FORCE, clutched_path_spring,
             "a spring along a path that its control engages"),
    FB_CLASS("McKibbenActuator", "mckibben", "actuators", FB_FORCE, mckibben_actuator,
             "a pneumatic artificial muscle, whose control is the pressure"),

    FB_CLASS("Ligament", "force_length", "ligaments", FB_FORCE, ligament,
             "a ligament with a force-length curve"),
    FB_CLASS("Blankevoort1991Ligament", "Blankevoort1991", "ligaments", FB_FORCE, blankevoort_ligament,
             "a ligament that is quadratic in its toe region and linear beyond, after Blankevoort and others 1991"),

    FB_CLASS("PathSpring", "path", "springs", FB_FORCE, path_spring, "a damped spring along a path"),
    FB_CLASS("SpringGeneralizedForce", "coordinate", "springs", FB_FORCE, coordinate_spring,
             "a damped spring on one coordinate"),
    FB_CLASS("PointToPointSpring", "point_to_point", "springs", FB_FORCE, point_to_point_spring,
             "a spring between two points"),
    FB_CLASS("BushingForce", "bushing", "springs", FB_FORCE, bushing,
             "linear springs and dampers between two frames"),
    FB_CLASS("FunctionBasedBushingForce", "function_bushing", "springs", FB_FORCE, function_bushing,
             "a bushing with a function for each of its six directions"),
    FB_CLASS("ExpressionBasedBushingForce", "expression_bushing", "springs", FB_FORCE, expression_bushing,
             "a bushing with a formula for each of its six directions"),
    FB_CLASS("CoupledBushingForce", "coupled_bushing", "springs", FB_FORCE, coupled_bushing,
             "a bushing with full stiffness and damping matrices"),

    FB_CLASS("CoordinateLimitForce", "coordinate_limit", "forces", FB_FORCE, coordinate_limit,
             "a spring and a damper that act when a coordinate leaves its limits"),
    FB_CLASS("ExponentialCoordinateLimitForce", "exponential_coordinate_limit", "forces", FB_FORCE,
             exponential_coordinate_limit, "exponential forces that keep a coordinate within its limits"),
    FB_CLASS("ExponentialCoordinateForce", "exponential_coordinate", "forces", FB_FORCE, exponential_coordinate,
             "a passive force on a coordinate: a constant and two exponentials"),
    FB_CLASS("ExpressionBasedCoordinateForce", "expression_coordinate", "forces", FB_FORCE, expression_coordinate,
             "a force on a coordinate, given by a formula"),
    FB_CLASS("ExpressionBasedPointToPointForce", "expression_point_to_point", "forces", FB_FORCE,
             expression_point_to_point, "a force between two points, given by a formula"),
    FB_CLASS("ExpressionBasedPathForce", "expression_path", "forces", FB_FORCE, expression_path,
             "a tension along a path, given by a formula (OpenSim 4.5.2 and later)"),
    FB_CLASS("PrescribedForce", "prescribed", "forces", FB_FORCE, prescribed_force,
             "a force and a torque on a frame, given over time"),
    FB_CLASS("ExternalForce", "external", "forces", FB_FORCE, external_force,
             "a measured force and torque on a body, such as those of a force plate"),
    {NULL, NULL, NULL, FB_ANY, NULL, 0, NULL},
};
