/* The model itself, frames, stations, markers, and how things look. */
#include "libcore/model/class.h"

static const fb_field model[] = {
    FB_F_VEC("gravity", "gravity", 3, "0 -9.80665 0", "m/s^2", "acceleration of gravity, in ground"),
    FB_F_TEXT_F("credits", "credits", NULL, FB_OPTIONAL | FB_WORDS, "who made the model"),
    FB_F_TEXT_F("publications", "publications", NULL, FB_OPTIONAL | FB_WORDS, "where it is described"),
    FB_F_TEXT_F("length_units", "length_units", NULL, FB_OPTIONAL | FB_WORDS, "unit of lengths, as its authors say"),
    FB_F_TEXT_F("force_units", "force_units", NULL, FB_OPTIONAL | FB_WORDS, "unit of forces, as its authors say"),
    FB_F_NUM_F("assembly_accuracy", "assembly_accuracy", "1e-9", "1", FB_BRIEF, "accuracy to which constraints are met by assembly"),
    FB_F_OBJ_F("visual_preferences", "ModelVisualPreferences", FB_PREFERENCES, FB_UNNAMED, NULL, FB_BRIEF, "how a viewer shows the model"),
};

static const fb_field visual_preferences[] = {
    FB_F_OBJ_F("display_hints", "ModelDisplayHints", FB_PREFERENCES, FB_UNNAMED, NULL, FB_BRIEF, "what a viewer shows"),
};

static const fb_field display_hints[] = {
    FB_F_BOOL_BRIEF("show_wraps", "show_wrap_geometry", "true", "true if wrap objects are shown"),
    FB_F_BOOL_BRIEF("show_contact_geometry", "show_contact_geometry", "true", "true if contact geometry is shown"),
    FB_F_BOOL_BRIEF("show_path_geometry", "show_path_geometry", "true", "true if paths are shown"),
    FB_F_BOOL_BRIEF("show_path_points", "show_path_points", "true", "true if path points are shown"),
    FB_F_BOOL_BRIEF("show_markers", "show_markers", "true", "true if markers are shown"),
    FB_F_VEC_F("marker_color", "marker_color", 3, "1 0.6 0.8", "1", FB_BRIEF, "colour of markers"),
    FB_F_BOOL_BRIEF("show_forces", "show_forces", "true", "true if forces are shown"),
    FB_F_BOOL_BRIEF("show_frames", "show_frames", "false", "true if frames are shown"),
    FB_F_BOOL_BRIEF("show_labels", "show_labels", "false", "true if labels are shown"),
    FB_F_BOOL_BRIEF("show_debug_geometry", "show_debug_geometry", "false", "true if geometry for debugging is shown"),
    FB_F_BOOL_BRIEF("show_stations", "show_stations", "true", "true if stations are shown"),
};

#define FRAME_VISUALS \
    FB_F_OBJ_F("axes_geometry", "frame_geometry", FB_GEOMETRY, FB_BY_NAME, "FrameGeometry", FB_BRIEF, "how the frame's axes are shown"), \
    FB_F_OBJS_F("geometry", "attached_geometry", FB_GEOMETRY, FB_WRAPPED, FB_BRIEF, "meshes and other shapes fixed to the frame")

static const fb_field ground[] = {FRAME_VISUALS};

static const fb_field body[] = {
    FB_F_NUM("mass", "mass", NULL, "kg", "mass"),
    FB_F_VEC("mass_center", "mass_center", 3, "0 0 0", "m", "centre of mass, in the body's frame"),
    FB_F_VEC("inertia", "inertia", 6, "0 0 0 0 0 0", "kg m^2", "moments and products of inertia about the centre of mass: xx yy zz xy xz yz"),
    FRAME_VISUALS,
};

static const fb_field offset_frame[] = {
    FB_F_REF("parent", "socket_parent", FB_FRAME, FB_SOCKET | FB_REQUIRED, "the frame that it is fixed to"),
    FB_F_VEC("translation", "translation", 3, "0 0 0", "m", "its origin in the parent frame"),
    FB_F_VEC("rotation_xyz", "orientation", 3, "0 0 0", "rad", "its orientation in the parent frame: body-fixed rotations about x, y, z in this order"),
    FRAME_VISUALS,
};

static const fb_field station_frame[] = {
    FB_F_REF("point_a", "socket_point_a", FB_STATION, FB_SOCKET | FB_REQUIRED, "first point of the triangle that orients the frame"),
    FB_F_REF("point_b", "socket_point_b", FB_STATION, FB_SOCKET | FB_REQUIRED, "second point"),
    FB_F_REF("point_c", "socket_point_c", FB_STATION, FB_SOCKET | FB_REQUIRED, "third point"),
    FB_F_REF("origin", "socket_origin_point", FB_STATION, FB_SOCKET | FB_REQUIRED, "the point at the frame's origin"),
    FB_F_TEXT("ab_axis", "ab_axis", "+x", "the axis along b - a: x, y or z with a sign"),
    FB_F_TEXT("ab_x_ac_axis", "ab_x_ac_axis", "+y", "the axis along (b - a) x (c - a)"),
    FRAME_VISUALS,
};

#define STATION_FIELDS \
    FB_F_REF("frame", "socket_parent_frame", FB_FRAME, FB_SOCKET | FB_REQUIRED, "the frame that it is fixed in"), \
    FB_F_VEC("location", "location", 3, "0 0 0", "m", "its place in that frame")

static const fb_field station[] = {STATION_FIELDS};

static const fb_field marker[] = {
    STATION_FIELDS,
    FB_F_BOOL("fixed", "fixed", "false", "true if marker placement leaves it where it is"),
};

#define GEOMETRY_FIELDS \
    FB_F_REF("frame", "socket_frame", FB_FRAME, FB_SOCKET | FB_BRIEF, "the frame it is fixed to, if not its owner"), \
    FB_F_REF("input_transform", "input_transform", FB_ANY, FB_BRIEF, "an output that moves it"), \
    FB_F_VEC_F("scale", "scale_factors", 3, "1 1 1", "1", FB_BRIEF, "scale along x, y, z"), \
    FB_F_OBJ_F("appearance", "Appearance", FB_APPEARANCE, FB_UNNAMED, "Appearance", FB_BRIEF, "colour and opacity")

static const fb_field mesh[] = {
    FB_F_TEXT("mesh", "mesh_file", NULL, "the mesh's file"),
    GEOMETRY_FIELDS,
};

static const fb_field frame_geometry[] = {
    FB_F_REF("frame", "socket_frame", FB_FRAME, FB_SOCKET | FB_BRIEF, "the frame it shows, if not its owner"),
    FB_F_REF("input_transform", "input_transform", FB_ANY, FB_BRIEF, "an output that moves it"),
    FB_F_VEC_F("scale", "scale_factors", 3, "0.2 0.2 0.2", "1", FB_BRIEF, "length of the axes"),
    FB_F_OBJ_F("appearance", "Appearance", FB_APPEARANCE, FB_UNNAMED, "Appearance", FB_BRIEF, "colour and opacity"),
    FB_F_NUM_F("display_radius", "display_radius", "0.005", "m", FB_BRIEF, "radius of the axes"),
};

#define ANALYTIC_FIELDS GEOMETRY_FIELDS, FB_F_TEXTS("quadrants", "quadrants", FB_BRIEF, "the parts that are shown")

static const fb_field sphere[] = {FB_F_NUM("radius", "radius", "1", "m", "radius"), ANALYTIC_FIELDS};
static const fb_field ellipsoid[] = {FB_F_VEC("radii", "radii", 3, "0.5 1 2", "m", "semi-axes along x, y, z"), ANALYTIC_FIELDS};
static const fb_field cylinder[] = {
    FB_F_NUM("radius", "radius", "1", "m", "radius"),
    FB_F_NUM("half_height", "half_height", "1", "m", "half of the length along y"),
    ANALYTIC_FIELDS,
};
static const fb_field brick[] = {FB_F_VEC("half_lengths", "half_lengths", 3, "0.5 0.5 0.5", "m", "half of the lengths along x, y, z"), GEOMETRY_FIELDS};
static const fb_field cone[] = {
    FB_F_VEC("origin", "origin", 3, "0 0 0", "m", "centre of the base"),
    FB_F_VEC("direction", "direction", 3, "1 0 0", "1", "direction from base to tip"),
    FB_F_NUM("base_radius", "base_radius", "1", "m", "radius of the base"),
    FB_F_NUM("height", "height", "1", "m", "height"),
    GEOMETRY_FIELDS,
};
static const fb_field torus[] = {
    FB_F_NUM("ring_radius", "ring_radius", "1", "m", "radius of the ring"),
    FB_F_NUM("cross_section", "cross_section", "0.1", "m", "radius of the tube"),
    GEOMETRY_FIELDS,
};
static const fb_field arrow[] = {
    FB_F_VEC("start_point", "start_point", 3, "0 0 0", "m", "where it begins"),
    FB_F_VEC("direction", "direction", 3, "1 1 1", "1", "its direction"),
    FB_F_NUM("length", "length", "1", "m", "its length"),
    GEOMETRY_FIELDS,
};
static const fb_field line[] = {
    FB_F_VEC("start_point", "start_point", 3, "0 0 0", "m", "where it begins"),
    FB_F_VEC("end_point", "end_point", 3, "1 1 1", "m", "where it ends"),
    GEOMETRY_FIELDS,
};

/* Without values unless given: what is left out has other defaults in other owners. */
static const fb_field appearance[] = {
    {"visible", "visible", FB_BOOL, 1, FB_OPTIONAL, "true", NULL, FB_ANY, FB_BY_NAME, NULL, "false if it is hidden"},
    FB_F_NUM_F("opacity", "opacity", "1", "1", FB_OPTIONAL, "0 transparent to 1 opaque"),
    FB_F_VEC_F("color", "color", 3, "1 1 1", "1", FB_OPTIONAL, "red, green, blue from 0 to 1"),
    FB_F_OBJ_F("surface", "SurfaceProperties", FB_APPEARANCE, FB_UNNAMED, "SurfaceProperties", FB_OPTIONAL, "how surfaces are drawn"),
};

static const fb_field surface_properties[] = {
    {"representation", "representation", FB_INT, 1, FB_OPTIONAL, "3", NULL, FB_ANY, FB_BY_NAME, NULL, "1 points, 2 wires, 3 shaded"},
    FB_F_TEXT_F("texture", "texture", NULL, FB_OPTIONAL, "the texture's file"),
};

const fb_class fb_classes_model[] = {
    FB_CLASS("Model", NULL, NULL, FB_MODEL, model, "the model"),
    FB_CLASS("ModelVisualPreferences", NULL, NULL, FB_PREFERENCES, visual_preferences, "how a viewer shows the model"),
    FB_CLASS("ModelDisplayHints", "display_hints", NULL, FB_PREFERENCES, display_hints, "what a viewer shows"),
    FB_CLASS("Ground", NULL, NULL, FB_GROUND, ground, "the frame that does not move"),
    FB_CLASS("Body", NULL, "bodies", FB_BODY, body, "a rigid body"),
    FB_CLASS("PhysicalOffsetFrame", NULL, "frames", FB_FRAME, offset_frame, "a frame fixed to another at an offset"),
    FB_CLASS("StationDefinedFrame", "station_defined", "frames", FB_FRAME, station_frame, "a frame given by points"),
    FB_CLASS("Station", NULL, "stations", FB_STATION, station, "a point fixed in a frame"),
    FB_CLASS("Marker", NULL, "markers", FB_MARKER, marker, "a motion-capture marker"),
    FB_CLASS("Mesh", NULL, NULL, FB_GEOMETRY, mesh, "a mesh from a file"),
    FB_CLASS("FrameGeometry", "axes", NULL, FB_GEOMETRY, frame_geometry, "a frame's axes"),
    FB_CLASS("Sphere", "sphere", NULL, FB_GEOMETRY, sphere, "a sphere"),
    FB_CLASS("Ellipsoid", "ellipsoid", NULL, FB_GEOMETRY, ellipsoid, "an ellipsoid"),
    FB_CLASS("Cylinder", "cylinder", NULL, FB_GEOMETRY, cylinder, "a cylinder along y"),
    FB_CLASS("Brick", "brick", NULL, FB_GEOMETRY, brick, "a box"),
    FB_CLASS("Cone", "cone", NULL, FB_GEOMETRY, cone, "a cone"),
    FB_CLASS("Torus", "torus", NULL, FB_GEOMETRY, torus, "a torus about z"),
    FB_CLASS("Arrow", "arrow", NULL, FB_GEOMETRY, arrow, "an arrow"),
    FB_CLASS("LineGeometry", "line", NULL, FB_GEOMETRY, line, "a line"),
    FB_CLASS("Appearance", NULL, NULL, FB_APPEARANCE, appearance, "how something looks"),
    FB_CLASS("SurfaceProperties", "surface", NULL, FB_APPEARANCE, surface_properties, "how a surface is drawn"),
    {NULL, NULL, NULL, FB_ANY, NULL, 0, NULL},
};
