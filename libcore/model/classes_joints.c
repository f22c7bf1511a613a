/* Joints, their coordinates, and constraints. Angles in radians, lengths in metres. */
#include "libcore/model/class.h"

static const fb_field coordinate[] = {
    FB_F_NUM("default", "default_value", "0", "rad or m", "value in the default pose"),
    FB_F_NUM_F("default_speed", "default_speed_value", "0", "rad/s or m/s", FB_BRIEF, "speed in the default state"),
    FB_F_VEC("range", "range", 2, "-10 10", "rad or m", "lowest and highest value"),
    FB_F_BOOL("clamped", "clamped", "false", "true if values are kept within the range"),
    FB_F_BOOL("locked", "locked", "false", "true if the coordinate keeps its value"),
    FB_F_OBJ("prescribed_function", "prescribed_function", FB_FUNCTION, FB_WRAPPED, NULL, "value as a function of time"),
    FB_F_BOOL_BRIEF("prescribed", "prescribed", "false", "true if the prescribed function sets the value"),
    FB_F_BOOL_BRIEF("free_to_satisfy_constraints", "is_free_to_satisfy_constraints", "false",
                    "true if the assembly may change the value although it is locked or prescribed"),
};

#define JOINT_FIELDS \
    FB_F_REF("parent", "socket_parent_frame", FB_FRAME, FB_SOCKET | FB_REQUIRED, "the frame on the parent side"), \
    FB_F_REF("child", "socket_child_frame", FB_FRAME, FB_SOCKET | FB_REQUIRED, "the frame on the child side"), \
    FB_F_OBJS("coordinates", "coordinates", FB_COORDINATE, FB_WRAPPED, "the joint's coordinates, in their order")

static const fb_field joint[] = {JOINT_FIELDS};

static const fb_field ellipsoid_joint[] = {
    JOINT_FIELDS,
    FB_F_VEC_F("radii", "radii_x_y_z", 3, NULL, "m", FB_REQUIRED, "radii along x, y, z of the parent frame"),
    FB_F_OBJ_F("appearance", "Appearance", FB_APPEARANCE, FB_UNNAMED, NULL, FB_BRIEF, "how the ellipsoid is shown"),
};

static const fb_field scapulothoracic_joint[] = {
    JOINT_FIELDS,
    FB_F_VEC_F("thorax_radii", "thoracic_ellipsoid_radii_x_y_z", 3, NULL, "m", FB_REQUIRED, "radii of the thorax ellipsoid along x, y, z of the parent frame"),
    FB_F_VEC("winging_axis_origin", "scapula_winging_axis_origin", 2, "0 0", "m", "where the winging axis crosses the xy plane of the child frame"),
    FB_F_NUM("winging_axis_direction", "scapula_winging_axis_direction", "0", "rad", "angle of the winging axis in that plane, from y"),
};

static const fb_field constant_curvature_joint[] = {
    JOINT_FIELDS,
    FB_F_VEC("neutral_angles", "neutral_angle_x_z_y", 3, "0 0 0", "rad", "angles x, z, y at rest"),
    FB_F_NUM("length", "length", "1", "m", "length of the bending segment"),
};

static const fb_field beam_joint[] = {
    JOINT_FIELDS,
    FB_F_NUM("beam_length", "beam_length", "1", "m", "length of the beam between the two frames"),
};

/* The six axes of a custom joint are one object in OpenSim (SpatialTransform); in .fb they are the
 * list "axes". */
static const fb_field custom_joint[] = {
    JOINT_FIELDS,
    FB_F_OBJS("axes", "SpatialTransform", FB_TRANSFORM_AXIS, FB_WRAPPED, "three rotations in their order, then three translations"),
};

static const fb_field transform_axis[] = {
    FB_F_REFS("coordinate", "coordinates", FB_COORDINATE, FB_UNWRAP, "the coordinate that the function depends on, or a list of several"),
    FB_F_VEC("axis", "axis", 3, "0 0 0", "1", "direction of the axis, in the parent frame before the joint moves"),
    FB_F_OBJ("function", "function", FB_FUNCTION, FB_BY_NAME, NULL, "angle about the axis or distance along it; without it the coordinate itself, or 0"),
};

#define CONSTRAINT_FIELDS FB_F_BOOL_BRIEF("enabled", "isEnforced", "true", "false if the constraint does not act")

static const fb_field coupler_constraint[] = {
    CONSTRAINT_FIELDS,
    FB_F_OBJ("function", "coupled_coordinates_function", FB_FUNCTION, FB_WRAPPED, NULL, "the dependent coordinate as a function of the independent ones"),
    FB_F_REFS("independent_coordinates", "independent_coordinate_names", FB_COORDINATE, FB_REQUIRED, "the function's arguments, in their order"),
    FB_F_REF("dependent_coordinate", "dependent_coordinate_name", FB_COORDINATE, FB_REQUIRED, "the coordinate that follows"),
    FB_F_NUM_F("scale_factor", "scale_factor", "1", "1", FB_BRIEF, "factor of the function's value"),
};

static const fb_field point_constraint[] = {
    CONSTRAINT_FIELDS,
    FB_F_REF("body_1", "socket_body_1", FB_FRAME, FB_SOCKET | FB_REQUIRED, "first body"),
    FB_F_REF("body_2", "socket_body_2", FB_FRAME, FB_SOCKET | FB_REQUIRED, "second body"),
    FB_F_VEC("location_1", "location_body_1", 3, "0 0 0", "m", "the point on the first body"),
    FB_F_VEC("location_2", "location_body_2", 3, "0 0 0", "m", "the point on the second body that is held to it"),
};

static const fb_field constant_distance_constraint[] = {
    CONSTRAINT_FIELDS,
    FB_F_REF("body_1", "socket_body_1", FB_FRAME, FB_SOCKET | FB_REQUIRED, "first body"),
    FB_F_REF("body_2", "socket_body_2", FB_FRAME, FB_SOCKET | FB_REQUIRED, "second body"),
    FB_F_VEC("location_1", "location_body_1", 3, "0 0 0", "m", "the point on the first body"),
    FB_F_VEC("location_2", "location_body_2", 3, "0 0 0", "m", "the point on the second body"),
    FB_F_NUM("distance", "constant_distance", NULL, "m", "their distance"),
};

static const fb_field weld_constraint[] = {
    CONSTRAINT_FIELDS,
    FB_F_REF("frame_1", "socket_frame1", FB_FRAME, FB_SOCKET | FB_REQUIRED, "first frame"),
    FB_F_REF("frame_2", "socket_frame2", FB_FRAME, FB_SOCKET | FB_REQUIRED, "the frame that coincides with it"),
};

static const fb_field point_on_line_constraint[] = {
    CONSTRAINT_FIELDS,
    FB_F_REF("line_body", "socket_line_body", FB_FRAME, FB_SOCKET | FB_REQUIRED, "the body that carries the line"),
    FB_F_REF("follower_body", "socket_follower_body", FB_FRAME, FB_SOCKET | FB_REQUIRED, "the body that carries the point"),
    FB_F_VEC("line_direction", "line_direction_vec", 3, "0 0 0", "1", "direction of the line"),
    FB_F_VEC("point_on_line", "point_on_line", 3, "0 0 0", "m", "a point of the line"),
    FB_F_VEC("point_on_follower", "point_on_follower", 3, "0 0 0", "m", "the point that stays on the line"),
};

static const fb_field rolling_constraint[] = {
    CONSTRAINT_FIELDS,
    FB_F_REF("rolling_body", "socket_rolling_body", FB_FRAME, FB_SOCKET | FB_REQUIRED, "the body that rolls"),
    FB_F_REF("surface_body", "socket_surface_body", FB_FRAME, FB_SOCKET | FB_REQUIRED, "the body that it rolls on"),
    FB_F_VEC("surface_normal", "surface_normal", 3, "0 1 0", "1", "normal of the surface"),
    FB_F_NUM("surface_height", "surface_height", "0", "m", "height of the surface along its normal"),
    FB_F_NUM("friction_coefficient", "friction_coefficient", "0.5", "1", "friction coefficient"),
    FB_F_NUM("contact_radius", "contact_radius", "0.01", "m", "radius of the contact area"),
};

const fb_class fb_classes_joints[] = {
    FB_CLASS("PinJoint", "pin", "joints", FB_JOINT, joint, "rotation about z"),
    FB_CLASS("SliderJoint", "slider", "joints", FB_JOINT, joint, "translation along x"),
    FB_CLASS("WeldJoint", "weld", "joints", FB_JOINT, joint, "no motion"),
    FB_CLASS("PlanarJoint", "planar", "joints", FB_JOINT, joint, "rotation about z, translations along x and y"),
    FB_CLASS("UniversalJoint", "universal", "joints", FB_JOINT, joint, "rotations about x and y"),
    FB_CLASS("BallJoint", "ball", "joints", FB_JOINT, joint, "three rotations; speeds are angular velocities"),
    FB_CLASS("GimbalJoint", "gimbal", "joints", FB_JOINT, joint, "rotations about x, y, z"),
    FB_CLASS("FreeJoint", "free", "joints", FB_JOINT, joint, "three rotations, three translations"),
    FB_CLASS("EllipsoidJoint", "ellipsoid", "joints", FB_JOINT, ellipsoid_joint, "three rotations on an ellipsoid"),
    FB_CLASS("ScapulothoracicJoint", "scapulothoracic", "joints", FB_JOINT, scapulothoracic_joint, "the scapula on the thorax"),
    FB_CLASS("ConstantCurvatureJoint", "constant_curvature", "joints", FB_JOINT, constant_curvature_joint, "bending along an arc"),
    FB_CLASS("CantileverFreeBeamJoint", "cantilever_free_beam", "joints", FB_JOINT, beam_joint, "three rotations that bend a beam (OpenSim 4.6 and later)"),
    FB_CLASS("CustomJoint", "custom", "joints", FB_JOINT, custom_joint, "rotations and translations given by functions"),
    FB_CLASS("Coordinate", NULL, NULL, FB_COORDINATE, coordinate, "a generalised coordinate"),
    FB_CLASS("TransformAxis", NULL, NULL, FB_TRANSFORM_AXIS, transform_axis, "an axis of a custom joint"),
    FB_CLASS("CoordinateCouplerConstraint", "coordinate_coupler", "constraints", FB_CONSTRAINT, coupler_constraint, "one coordinate follows others"),
    FB_CLASS("PointConstraint", "point", "constraints", FB_CONSTRAINT, point_constraint, "two points coincide"),
    FB_CLASS("ConstantDistanceConstraint", "constant_distance", "constraints", FB_CONSTRAINT, constant_distance_constraint, "two points keep their distance"),
    FB_CLASS("WeldConstraint", "weld", "constraints", FB_CONSTRAINT, weld_constraint, "two frames coincide"),
    FB_CLASS("PointOnLineConstraint", "point_on_line", "constraints", FB_CONSTRAINT, point_on_line_constraint, "a point stays on a line"),
    FB_CLASS("RollingOnSurfaceConstraint", "rolling_on_surface", "constraints", FB_CONSTRAINT, rolling_constraint, "a body rolls on a surface"),
    {NULL, NULL, NULL, FB_ANY, NULL, 0, NULL},
};
