/* What becomes of each field of each class when a model is carried: the one table. */
#include "libcore/register/carry_internal.h"

#include <ctype.h>

#define KEEP(CLS, KEY) \
    { CLS, KEY, FB_CARRY_KEEP, NULL, NULL }
#define FIBER(KEY) \
    { "*", KEY, FB_CARRY_FIBER, NULL, NULL }
#define ROW(CLS, KEY, RULE, OF) \
    { CLS, KEY, FB_CARRY_##RULE, OF, NULL }
#define UNLESS(CLS, KEY, RULE, OF, KEY2) \
    { CLS, KEY, FB_CARRY_##RULE, OF, KEY2 }

static const fb_carry_row rows[] = {
    /* the model, frames, points */
    KEEP("Model", "gravity"),
    KEEP("*", "marker_color"),
    KEEP("*", "color"),
    ROW("Body", "mass", MASS, NULL),
    ROW("Body", "mass_center", MASS, NULL),
    ROW("Body", "inertia", MASS, NULL),
    ROW("PhysicalOffsetFrame", "translation", FRAME, NULL),
    ROW("PhysicalOffsetFrame", "rotation_xyz", FRAME, NULL),
    ROW("Station", "location", POINT, "frame"),
    ROW("Marker", "location", POINT, "frame"),
    /* visual geometry: its scale factors stretch all of it */
    KEEP("FrameGeometry", "scale"),
    KEEP("FrameGeometry", "display_radius"),
    ROW("*", "scale", GEOMETRY, NULL),
    KEEP("MultiplierFunction", "scale"),
    KEEP("Sphere", "radius"),
    KEEP("Ellipsoid", "radii"),
    KEEP("Cylinder", "radius"),
    KEEP("Cylinder", "half_height"),
    KEEP("Brick", "half_lengths"),
    KEEP("Cone", "origin"),
    KEEP("Cone", "direction"),
    KEEP("Cone", "base_radius"),
    KEEP("Cone", "height"),
    KEEP("Torus", "ring_radius"),
    KEEP("Torus", "cross_section"),
    KEEP("Arrow", "start_point"),
    KEEP("Arrow", "direction"),
    KEEP("Arrow", "length"),
    KEEP("LineGeometry", "start_point"),
    KEEP("LineGeometry", "end_point"),
    /* joints */
    ROW("EllipsoidJoint", "radii", FRAME, NULL),
    ROW("ScapulothoracicJoint", "thorax_radii", FRAME, NULL),
    ROW("ScapulothoracicJoint", "winging_axis_origin", FRAME, NULL),
    KEEP("ScapulothoracicJoint", "winging_axis_direction"),
    KEEP("ConstantCurvatureJoint", "neutral_angles"),
    ROW("ConstantCurvatureJoint", "length", FRAME, NULL),
    ROW("CantileverFreeBeamJoint", "beam_length", FRAME, NULL),
    ROW("Coordinate", "default", FRAME, NULL),
    ROW("Coordinate", "default_speed", FRAME, NULL),
    ROW("Coordinate", "range", FRAME, NULL),
    ROW("Coordinate", "prescribed_function", FRAME, NULL),
    ROW("TransformAxis", "axis", FRAME, NULL),
    ROW("TransformAxis", "function", FRAME, NULL),
    ROW("CoordinateCouplerConstraint", "function", FRAME, NULL),
    /* constraints */
    ROW("PointConstraint", "location_1", POINT, "body_1"),
    ROW("PointConstraint", "location_2", POINT, "body_2"),
    ROW("ConstantDistanceConstraint", "location_1", POINT, "body_1"),
    ROW("ConstantDistanceConstraint", "location_2", POINT, "body_2"),
    ROW("ConstantDistanceConstraint", "distance", RESTING, NULL),
    ROW("PointOnLineConstraint", "line_direction", DIRECTION, "line_body"),
    ROW("PointOnLineConstraint", "point_on_line", POINT, "line_body"),
    ROW("PointOnLineConstraint", "point_on_follower", POINT, "follower_body"),
    ROW("RollingOnSurfaceConstraint", "surface_normal", DIRECTION, "surface_body"),
    ROW("RollingOnSurfaceConstraint", "surface_height", SIZE, "surface_body"),
    ROW("RollingOnSurfaceConstraint", "contact_radius", SIZE, "rolling_body"),
    /* functions, by themselves: what owns them says what they are */
    KEEP("Sine", "angular_frequency"),
    KEEP("Sine", "phase"),
    KEEP("MultiplierFunction", "function"),
    KEEP("ExpressionBasedFunction", "expression"),
    /* paths and wrap objects */
    ROW("FunctionBasedPath", "length", MOVING, NULL),
    ROW("FunctionBasedPath", "moment_arms", MOVING, NULL),
    ROW("FunctionBasedPath", "lengthening_speed", MOVING, NULL),
    KEEP("Scholz2015GeometryPath", "smoothness_tolerance"),
    ROW("PathPoint", "location", POINT, "frame"),
    ROW("ConditionalPathPoint", "location", POINT, "frame"),
    ROW("ConditionalPathPoint", "range", COORDINATE, "coordinate"),
    ROW("MovingPathPoint", "x", MOVING, NULL),
    ROW("MovingPathPoint", "y", MOVING, NULL),
    ROW("MovingPathPoint", "z", MOVING, NULL),
    ROW("virtual link", "location", POINT, "frame"),
    ROW("Scholz2015GeometryPathObstacle", "contact_hint", MOVING, NULL),
    ROW("WrapSphere", "rotation_xyz", WRAP, NULL),
    ROW("WrapSphere", "translation", WRAP, NULL),
    ROW("WrapSphere", "radius", WRAP, NULL),
    ROW("WrapCylinder", "rotation_xyz", WRAP, NULL),
    ROW("WrapCylinder", "translation", WRAP, NULL),
    ROW("WrapCylinder", "radius", WRAP, NULL),
    ROW("WrapCylinder", "length", WRAP, NULL),
    ROW("WrapEllipsoid", "rotation_xyz", WRAP, NULL),
    ROW("WrapEllipsoid", "translation", WRAP, NULL),
    ROW("WrapEllipsoid", "dimensions", WRAP, NULL),
    ROW("WrapTorus", "rotation_xyz", WRAP, NULL),
    ROW("WrapTorus", "translation", WRAP, NULL),
    ROW("WrapTorus", "inner_radius", WRAP, NULL),
    ROW("WrapTorus", "outer_radius", WRAP, NULL),
    /* muscles */
    FIBER("optimal_fiber_length"),
    FIBER("tendon_slack_length"),
    FIBER("pennation_angle"),
    FIBER("default_fiber_length"),
    FIBER("default_fiber_velocity"),
    FIBER("maximum_pennation_angle"),
    KEEP("Millard2012AccelerationMuscle", "mass"),
    KEEP("*", "engagement_angle"),
    KEEP("*", "active_force_length_curve"),
    KEEP("*", "passive_force_length_curve"),
    KEEP("*", "tendon_force_length_curve"),
    KEEP("*", "force_velocity_curve"),
    KEEP("*", "optimal_force"),
    /* actuators */
    UNLESS("PointActuator", "point", POINT, "body", "point_is_global"),
    UNLESS("PointActuator", "direction", DIRECTION, "body", "force_is_global"),
    UNLESS("TorqueActuator", "axis", AXIS, "body_a", "torque_is_global"),
    UNLESS("BodyActuator", "point", POINT, "body", "point_is_global"),
    UNLESS("PointToPointActuator", "point_a", POINT, "body_a", "points_are_global"),
    UNLESS("PointToPointActuator", "point_b", POINT, "body_b", "points_are_global"),
    ROW("ClutchedPathSpring", "initial_stretch", RESTING, NULL),
    ROW("McKibbenActuator", "thread_length", RESTING, NULL),
    ROW("McKibbenActuator", "cord_length", RESTING, NULL),
    /* ligaments, springs, bushings: stiffness and damping are material, not place */
    ROW("Ligament", "resting_length", RESTING, NULL),
    KEEP("Ligament", "force_length_curve"),
    ROW("Blankevoort1991Ligament", "slack_length", RESTING, NULL),
    KEEP("*", "damping_coefficient"),
    ROW("PathSpring", "resting_length", RESTING, NULL),
    KEEP("*", "stiffness"),
    KEEP("*", "dissipation"),
    KEEP("*", "viscosity"),
    ROW("SpringGeneralizedForce", "rest_length", COORDINATE, "coordinate"),
    ROW("PointToPointSpring", "point1", POINT, "body1"),
    ROW("PointToPointSpring", "point2", POINT, "body2"),
    ROW("PointToPointSpring", "rest_length", RESTING, NULL),
    KEEP("*", "rotational_stiffness"),
    KEEP("*", "translational_stiffness"),
    KEEP("*", "rotational_damping"),
    KEEP("*", "translational_damping"),
    KEEP("FunctionBasedBushingForce", "moment_x_function"),
    KEEP("FunctionBasedBushingForce", "moment_y_function"),
    KEEP("FunctionBasedBushingForce", "moment_z_function"),
    KEEP("FunctionBasedBushingForce", "force_x_function"),
    KEEP("FunctionBasedBushingForce", "force_y_function"),
    KEEP("FunctionBasedBushingForce", "force_z_function"),
    KEEP("ExpressionBasedBushingForce", "moment_x_expression"),
    KEEP("ExpressionBasedBushingForce", "moment_y_expression"),
    KEEP("ExpressionBasedBushingForce", "moment_z_expression"),
    KEEP("ExpressionBasedBushingForce", "force_x_expression"),
    KEEP("ExpressionBasedBushingForce", "force_y_expression"),
    KEEP("ExpressionBasedBushingForce", "force_z_expression"),
    KEEP("CoupledBushingForce", "stiffness_row1"),
    KEEP("CoupledBushingForce", "stiffness_row2"),
    KEEP("CoupledBushingForce", "stiffness_row3"),
    KEEP("CoupledBushingForce", "stiffness_row4"),
    KEEP("CoupledBushingForce", "stiffness_row5"),
    KEEP("CoupledBushingForce", "stiffness_row6"),
    KEEP("CoupledBushingForce", "damping_row1"),
    KEEP("CoupledBushingForce", "damping_row2"),
    KEEP("CoupledBushingForce", "damping_row3"),
    KEEP("CoupledBushingForce", "damping_row4"),
    KEEP("CoupledBushingForce", "damping_row5"),
    KEEP("CoupledBushingForce", "damping_row6"),
    /* forces on coordinates */
    KEEP("*", "upper_stiffness"),
    KEEP("*", "lower_stiffness"),
    KEEP("CoordinateLimitForce", "damping"),
    ROW("CoordinateLimitForce", "upper_limit", COORDINATE, "coordinate"),
    ROW("CoordinateLimitForce", "lower_limit", COORDINATE, "coordinate"),
    ROW("CoordinateLimitForce", "transition", COORDINATE, "coordinate"),
    ROW("ExponentialCoordinateLimitForce", "upper_limit", COORDINATE, "coordinate"),
    ROW("ExponentialCoordinateLimitForce", "lower_limit", COORDINATE, "coordinate"),
    KEEP("ExponentialCoordinateForce", "offset_force"),
    KEEP("ExponentialCoordinateForce", "first_force"),
    KEEP("ExponentialCoordinateForce", "second_force"),
    ROW("ExponentialCoordinateForce", "first_rate", PER_COORDINATE, "coordinate"),
    ROW("ExponentialCoordinateForce", "second_rate", PER_COORDINATE, "coordinate"),
    ROW("ExponentialCoordinateForce", "first_center", COORDINATE, "coordinate"),
    ROW("ExponentialCoordinateForce", "second_center", COORDINATE, "coordinate"),
    ROW("ExpressionBasedCoordinateForce", "expression", FORMULA, "coordinate"),
    /* other forces */
    ROW("ExpressionBasedPointToPointForce", "point1", POINT, "body1"),
    ROW("ExpressionBasedPointToPointForce", "point2", POINT, "body2"),
    ROW("ExpressionBasedPointToPointForce", "expression", FORMULA, "body1"),
    ROW("ExpressionBasedPathForce", "resting_length", RESTING, NULL),
    ROW("ExpressionBasedPathForce", "expression", FORMULA, NULL),
    KEEP("PrescribedForce", "force_functions"),
    UNLESS("PrescribedForce", "point_functions", MOVING, "frame", "point_is_global"),
    KEEP("PrescribedForce", "torque_functions"),
    /* contact */
    ROW("ContactHalfSpace", "location", POSE, "frame"),
    ROW("ContactHalfSpace", "orientation", TURNED, "frame"),
    ROW("ContactSphere", "location", POSE, "frame"),
    ROW("ContactSphere", "orientation", TURNED, "frame"),
    ROW("ContactSphere", "radius", SIZE, "frame"),
    ROW("ContactMesh", "location", POSE, "frame"),
    ROW("ContactMesh", "orientation", TURNED, "frame"),
    ROW("ContactCylinder", "location", POSE, "frame"),
    ROW("ContactCylinder", "orientation", TURNED, "frame"),
    ROW("ContactCylinder", "radius", SIZE, "frame"),
    ROW("ContactEllipsoid", "location", POSE, "frame"),
    ROW("ContactEllipsoid", "orientation", TURNED, "frame"),
    ROW("ContactEllipsoid", "radii", SIZES, "frame"),
    ROW("ContactTorus", "location", POSE, "frame"),
    ROW("ContactTorus", "orientation", TURNED, "frame"),
    ROW("ContactTorus", "torus_radius", SIZE, "frame"),
    ROW("ContactTorus", "tube_radius", SIZE, "frame"),
    KEEP("*", "transition_velocity"),
    KEEP("*", "viscous_friction"),
    KEEP("*", "hertz_smoothing"),
    KEEP("*", "hunt_crossley_smoothing"),
    KEEP("*", "force_visual_radius"),
    KEEP("ExponentialContactForce", "contact_plane_transform"),
    KEEP("EspositoMiller2018Force", "depth_offset"),
    KEEP("*", "normal_shape_parameters"),
    KEEP("*", "normal_viscosity"),
    KEEP("*", "friction_stiffness"),
    KEEP("*", "friction_viscosity"),
    KEEP("*", "settle_velocity"),
    /* controllers, probes, other components */
    KEEP("PrescribedController", "control_functions"),
    KEEP("*", "maintenance_fiber_length_curve"),
    KEEP("*", "specific_tension"),
    KEEP("*", "density"),
    ROW("*", "provided_mass", FIBER, NULL),
    KEEP("SignalGenerator", "function"),
    ROW("PositionMotion", "functions", MOVING, NULL),
};

const fb_carry_row *fb_carry_row_of(const fb_class *cls, const fb_field *field) {
    const fb_carry_row *found = NULL;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strcmp(rows[i].key, field->key) != 0) {
            continue;
        }
        if (strcmp(rows[i].cls, cls->name) == 0) {
            return &rows[i];
        }
        found = rows[i].cls[0] == '*' ? &rows[i] : found;
    }
    return found;
}

/* True if a unit has a length, a mass or an angle in it. */
static bool has_place(const char *unit) {
    for (const char *c = unit; *c;) {
        size_t n = 0;
        while (isalpha((unsigned char)c[n])) {
            n++;
        }
        if ((n == 1 && *c == 'm') || (n == 2 && strncmp(c, "kg", 2) == 0) ||
            (n == 3 && strncmp(c, "rad", 3) == 0)) {
            return true;
        }
        c += n ? n : 1;
    }
    return false;
}

bool fb_carry_needs_rule(const fb_field *field) {
    switch (field->type) {
    case FB_NUMBER:
    case FB_VECTOR:
    case FB_NUMBERS:
        if (field->unit && strcmp(field->unit, "W/kg") == 0) {
            return false;
        }
        return (field->unit && has_place(field->unit)) ||
               (field->type == FB_VECTOR && field->count == 3);
    case FB_OBJECT:
    case FB_OBJECTS: return field->family == FB_FUNCTION;
    case FB_STRING: return strstr(field->key, "expression") != NULL;
    default: return false;
    }
}
