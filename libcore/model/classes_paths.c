/* Paths of muscles and other path forces, their points, and the objects they wrap over. */
#include "libcore/model/class.h"

#define PATH_POINT_FIELDS FB_F_REF("frame", "socket_parent_frame", FB_FRAME, FB_SOCKET | FB_REQUIRED, "the frame that it is fixed in")

static const fb_field path_point[] = {
    PATH_POINT_FIELDS,
    FB_F_VEC("location", "location", 3, "0 0 0", "m", "its place in that frame"),
};

static const fb_field conditional_point[] = {
    PATH_POINT_FIELDS,
    FB_F_VEC("location", "location", 3, "0 0 0", "m", "its place in that frame"),
    FB_F_REF("coordinate", "socket_coordinate", FB_COORDINATE, FB_SOCKET | FB_REQUIRED, "the coordinate that decides whether the path passes through it"),
    FB_F_VEC("range", "range", 2, "0 0", "rad or m", "the path passes through it while the coordinate is in this range"),
};

static const fb_field moving_point[] = {
    PATH_POINT_FIELDS,
    FB_F_REF("x_coordinate", "socket_x_coordinate", FB_COORDINATE, FB_SOCKET, "the coordinate that its x depends on"),
    FB_F_REF("y_coordinate", "socket_y_coordinate", FB_COORDINATE, FB_SOCKET, "the coordinate that its y depends on"),
    FB_F_REF("z_coordinate", "socket_z_coordinate", FB_COORDINATE, FB_SOCKET, "the coordinate that its z depends on"),
    FB_F_OBJ("x", "x_location", FB_FUNCTION, FB_WRAPPED, NULL, "x in its frame as a function of the coordinate"),
    FB_F_OBJ("y", "y_location", FB_FUNCTION, FB_WRAPPED, NULL, "y in its frame"),
    FB_F_OBJ("z", "z_location", FB_FUNCTION, FB_WRAPPED, NULL, "z in its frame"),
};

/* OpenSim has neither virtual links nor points on them; a point on one is written to it as a point
 * that is fixed where the link begins, so the fields of a link are those of a path point. */
static const fb_field virtual_link[] = {
    FB_F_REF("frame", "socket_parent_frame", FB_FRAME, FB_SOCKET | FB_REQUIRED, "the frame in which it begins"),
    FB_F_VEC("location", "location", 3, "0 0 0", "m", "where it begins, in that frame: near its equilibrium in the default pose"),
};

static const fb_field link_point[] = {
    FB_F_REF("virtual_link", "#virtual_link", FB_VIRTUAL_LINK, FB_REQUIRED, "the virtual link at which the path ends, or through which it runs"),
};

static const fb_field path_wrap[] = {
    FB_F_REF("wrap", "wrap_object", FB_WRAP, FB_REQUIRED, "the wrap object"),
    FB_F_CHOICE("method", "method", "hybrid", "hybrid|midpoint|axial|Unassigned", "how the path over an ellipsoid is found"),
    {"range", "range", FB_VECTOR, 2, FB_BRIEF, "-1 -1", NULL, FB_ANY, FB_BY_NAME, "1", "first and last path point (from 1) between which it wraps; -1: the path's ends"},
};

static const fb_field geometry_path[] = {
    FB_F_OBJS("points", "PathPointSet", FB_PATH_POINT, FB_SET, "points from origin to insertion"),
    FB_F_OBJS_F("wraps", "PathWrapSet", FB_PATH_WRAP, FB_SET, FB_BRIEF, "what the path wraps over, in the order in which it is tried"),
    FB_F_OBJ_F("appearance", "Appearance", FB_APPEARANCE, FB_UNNAMED, NULL, FB_BRIEF, "colour"),
};

static const fb_field function_based_path[] = {
    FB_F_REFS("coordinates", "coordinate_paths", FB_COORDINATE, FB_SOCKET, "the functions' arguments, in their order"),
    FB_F_OBJ("length", "length_function", FB_FUNCTION, FB_BY_NAME, NULL, "length of the path"),
    FB_F_OBJS("moment_arms", "moment_arm_functions", FB_FUNCTION, FB_WRAPPED, "moment arm about each coordinate"),
    FB_F_OBJ("lengthening_speed", "lengthening_speed_function", FB_FUNCTION, FB_BY_NAME, NULL, "lengthening speed; its arguments are the coordinates, then their speeds"),
    FB_F_OBJ_F("appearance", "Appearance", FB_APPEARANCE, FB_UNNAMED, NULL, FB_BRIEF, "colour"),
};

static const fb_field scholz_path[] = {
    FB_F_TEXT_F("algorithm", "algorithm", "MinimumLength", FB_BRIEF, "how the path over all obstacles is found"),
    FB_F_NUM_F("curvature_tolerance", "curve_segment_accuracy", "1e-9", "1", FB_BRIEF, "accuracy of the integrated geodesics"),
    FB_F_NUM_F("smoothness_tolerance", "smoothness_tolerance", "1e-4", "rad", FB_BRIEF, "largest kink between segments"),
    {"iterations", "solver_max_iterations", FB_INT, 1, FB_BRIEF, "50", NULL, FB_ANY, FB_BY_NAME, NULL, "most iterations of the path solver"},
    FB_F_OBJS("elements", "path_elements", FB_PATH_ELEMENT, FB_WRAPPED, "points and obstacles from origin to insertion"),
    FB_F_OBJ_F("appearance", "Appearance", FB_APPEARANCE, FB_UNNAMED, NULL, FB_BRIEF, "colour"),
};

static const fb_field scholz_point[] = {
    FB_F_OBJ("point", "PathPoint", FB_PATH_POINT, FB_UNNAMED, NULL, "the point"),
};

static const fb_field scholz_obstacle[] = {
    FB_F_REF("contact_geometry", "socket_contact_geometry", FB_CONTACT_GEOMETRY, FB_SOCKET | FB_REQUIRED, "the surface that the path may touch"),
    FB_F_VEC("contact_hint", "contact_hint", 3, "0 0 0", "m", "where the search for contact begins, in the surface's frame"),
};

/* The frame that owns a wrap object is where OpenSim stores it, so it has no tag there. */
#define WRAP_FIELDS \
    FB_F_REF("frame", "#frame", FB_FRAME, FB_REQUIRED, "the frame that carries it"), \
    FB_F_BOOL_BRIEF("active", "active", "true", "false if paths do not wrap over it"), \
    FB_F_VEC("rotation_xyz", "xyz_body_rotation", 3, "0 0 0", "rad", "its orientation in the frame: body-fixed rotations about x, y, z"), \
    FB_F_VEC("translation", "translation", 3, "0 0 0", "m", "its centre in the frame"), \
    FB_F_TEXT("quadrant", "quadrant", "all", "the half that paths may touch: all, or x, y, z with a sign"), \
    FB_F_OBJ_F("appearance", "Appearance", FB_APPEARANCE, FB_UNNAMED, NULL, FB_BRIEF, "colour")

static const fb_field wrap_sphere[] = {WRAP_FIELDS, FB_F_NUM("radius", "radius", "0.05", "m", "radius")};
static const fb_field wrap_cylinder[] = {
    WRAP_FIELDS,
    FB_F_NUM("radius", "radius", "1", "m", "radius"),
    FB_F_NUM("length", "length", "1", "m", "length along z"),
};
static const fb_field wrap_ellipsoid[] = {WRAP_FIELDS, FB_F_VEC("dimensions", "dimensions", 3, "0.05 0.05 0.05", "m", "semi-axes along x, y, z")};
static const fb_field wrap_torus[] = {
    WRAP_FIELDS,
    FB_F_NUM("inner_radius", "inner_radius", "0.01", "m", "radius of the tube"),
    FB_F_NUM("outer_radius", "outer_radius", "0.05", "m", "radius of the circle in the xy plane that the tube follows"),
};

const fb_class fb_classes_paths[] = {
    FB_CLASS("GeometryPath", NULL, NULL, FB_PATH, geometry_path, "a path through points and over wrap objects"),
    FB_CLASS("FunctionBasedPath", "function_based", NULL, FB_PATH, function_based_path, "a path whose length is a function of coordinates"),
    FB_CLASS("Scholz2015GeometryPath", "scholz2015", NULL, FB_PATH, scholz_path, "a path over several surfaces at once"),
    FB_CLASS("PathPoint", NULL, NULL, FB_PATH_POINT, path_point, "a point fixed to a frame"),
    FB_CLASS("ConditionalPathPoint", "conditional", NULL, FB_PATH_POINT, conditional_point, "a point that counts only while a coordinate is in a range"),
    FB_CLASS("MovingPathPoint", "moving", NULL, FB_PATH_POINT, moving_point, "a point that moves in its frame with coordinates"),
    FB_CLASS("link point", "link", NULL, FB_PATH_POINT, link_point, "a point at a virtual link"),
    FB_CLASS("virtual link", NULL, "virtual_links", FB_VIRTUAL_LINK, virtual_link, "a massless point in equilibrium under the wires that meet at it"),
    FB_CLASS("PathWrap", NULL, NULL, FB_PATH_WRAP, path_wrap, "the use of a wrap object by a path"),
    FB_CLASS("Scholz2015GeometryPathPoint", "point", NULL, FB_PATH_ELEMENT, scholz_point, "a point of the path"),
    FB_CLASS("Scholz2015GeometryPathObstacle", "obstacle", NULL, FB_PATH_ELEMENT, scholz_obstacle, "a surface that the path may touch"),
    FB_CLASS("WrapSphere", "sphere", "wraps", FB_WRAP, wrap_sphere, "a sphere"),
    FB_CLASS("WrapCylinder", "cylinder", "wraps", FB_WRAP, wrap_cylinder, "a cylinder about z"),
    FB_CLASS("WrapEllipsoid", "ellipsoid", "wraps", FB_WRAP, wrap_ellipsoid, "an ellipsoid"),
    FB_CLASS("WrapTorus", "torus", "wraps", FB_WRAP, wrap_torus, "a torus about z"),
    {NULL, NULL, NULL, FB_ANY, NULL, 0, NULL},
};
