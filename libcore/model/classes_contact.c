/* Contact geometry, contact forces, and their material parameters. */
#include "libcore/model/class.h"

/* ---- geometry ---- */

#define CONTACT_GEOMETRY_FIELDS \
    FB_F_REF("frame", "socket_frame", FB_FRAME, FB_SOCKET | FB_REQUIRED, "the frame that carries the shape"), \
    FB_F_VEC("location", "location", 3, "0 0 0", "m", "centre of the shape in its frame"), \
    FB_F_VEC("orientation", "orientation", 3, "0 0 0", "rad", "orientation in its frame, body-fixed x-y-z angles"), \
    FB_F_OBJ_F("appearance", "Appearance", FB_APPEARANCE, FB_UNNAMED, NULL, FB_BRIEF, \
               "how the shape is shown; absent for a cyan wire frame")

static const fb_field contact_half_space[] = {CONTACT_GEOMETRY_FIELDS};

static const fb_field contact_sphere[] = {
    CONTACT_GEOMETRY_FIELDS,
    FB_F_NUM("radius", "radius", "0", "m", "radius of the sphere"),
};

static const fb_field contact_mesh[] = {
    CONTACT_GEOMETRY_FIELDS,
    FB_F_TEXT("file", "filename", "", "file of the closed triangle mesh"),
};

static const fb_field contact_cylinder[] = {
    CONTACT_GEOMETRY_FIELDS,
    FB_F_NUM("radius", "radius", "0", "m", "radius of the endless cylinder about z"),
};

static const fb_field contact_ellipsoid[] = {
    CONTACT_GEOMETRY_FIELDS,
    FB_F_VEC("radii", "radii", 3, "0 0 0", "m", "radii along x, y, z"),
};

static const fb_field contact_torus[] = {
    CONTACT_GEOMETRY_FIELDS,
    FB_F_NUM("torus_radius", "torus_radius", "0", "m", "distance from the torus's centre to the middle of its tube"),
    FB_F_NUM("tube_radius", "tube_radius", "0", "m", "radius of the tube"),
};

/* ---- forces ---- */

#define FORCE_FIELDS \
    FB_F_BOOL_BRIEF("enabled", "appliesForce", "true", "false if the force is left out of the simulation")

#define TRANSITION_VELOCITY \
    FB_F_NUM("transition_velocity", "transition_velocity", "0.01", "m/s", \
             "slip speed at which static friction is greatest")

#define MATERIAL_FIELDS(STIFFNESS, UNIT, S) \
    FB_F_NUM("stiffness", "stiffness", STIFFNESS, UNIT, S), \
    FB_F_NUM("dissipation", "dissipation", "0", "s/m", "damping, relative to the elastic force"), \
    FB_F_NUM("static_friction", "static_friction", "0", "1", "coefficient of static friction"), \
    FB_F_NUM("dynamic_friction", "dynamic_friction", "0", "1", "coefficient of dynamic friction"), \
    FB_F_NUM("viscous_friction", "viscous_friction", "0", "s/m", "coefficient of viscous friction")

#define CONTACT_PARAMETERS_FIELDS(UNIT, S) \
    FB_F_REFS("geometry", "geometry", FB_CONTACT_GEOMETRY, 0, "the contact geometry with these parameters"), \
    MATERIAL_FIELDS("0", UNIT, S)

static const fb_field hunt_crossley_parameters[] = {
    CONTACT_PARAMETERS_FIELDS("N/m^2", "stiffness of the material, its plane-strain modulus"),
};

static const fb_field elastic_foundation_parameters[] = {
    CONTACT_PARAMETERS_FIELDS("N/m^3", "pressure per depth of penetration"),
};

static const fb_field hunt_crossley[] = {
    FORCE_FIELDS,
    FB_F_OBJS("contact_parameters", "HuntCrossleyForce::ContactParametersSet", FB_CONTACT_PARAMETERS, FB_SET,
              "the shapes that may touch, and their materials"),
    TRANSITION_VELOCITY,
};

static const fb_field elastic_foundation[] = {
    FORCE_FIELDS,
    FB_F_OBJS("contact_parameters", "ElasticFoundationForce::ContactParametersSet", FB_CONTACT_PARAMETERS, FB_SET,
              "the shapes that may touch, and their materials"),
    TRANSITION_VELOCITY,
};

static const fb_field smooth_sphere_half_space[] = {
    FORCE_FIELDS,
    FB_F_REF("sphere", "socket_sphere", FB_CONTACT_GEOMETRY, FB_SOCKET | FB_REQUIRED, "the sphere that may touch"),
    FB_F_REF("half_space", "socket_half_space", FB_CONTACT_GEOMETRY, FB_SOCKET | FB_REQUIRED,
             "the half space that may be touched"),
    MATERIAL_FIELDS("1", "N/m^2", "stiffness of the material, its plane-strain modulus"),
    TRANSITION_VELOCITY,
    FB_F_NUM_F("constant_contact_force", "constant_contact_force", "1e-05", "N", FB_BRIEF,
               "small number that keeps derivatives from vanishing"),
    FB_F_NUM("hertz_smoothing", "hertz_smoothing", "300", "1/m", "steepness of the onset over depth"),
    FB_F_NUM("hunt_crossley_smoothing", "hunt_crossley_smoothing", "50", "s/m",
             "steepness of the onset over penetration speed"),
    FB_F_NUM_F("force_visual_radius", "force_visualization_radius", "0.01", "m", FB_BRIEF,
               "radius of the force's cylinder in viewers"),
    FB_F_NUM_F("force_visual_scale", "force_visualization_scale_factor", NULL, "N", FB_OPTIONAL | FB_BRIEF,
               "force that viewers draw one metre long; absent for the model's weight"),
};

static const fb_field exponential_parameters[] = {
    FB_F_VEC("normal_shape_parameters", "exponential_shape_parameters", 3, "0.0065905 0.5336 1150", "m, N, 1/m",
             "offset, force and rate of the exponential normal force"),
    FB_F_NUM("normal_viscosity", "normal_viscosity", "0.5", "s/m", "damping of the normal force, relative to it"),
    FB_F_NUM("max_normal_force", "max_normal_force", "100000", "N", "greatest normal force"),
    FB_F_NUM("friction_stiffness", "friction_elasticity", "20000", "N/m", "stiffness of the friction spring"),
    FB_F_NUM("friction_viscosity", "friction_viscosity", "282.84271247461902", "N*s/m",
             "damping of the friction spring"),
    FB_F_NUM("settle_velocity", "settle_velocity", "0.01", "m/s", "speed below which the contact becomes static"),
    FB_F_NUM("static_friction", "initial_mu_static", "0.7", "1", "coefficient of static friction at the start"),
    FB_F_NUM("dynamic_friction", "initial_mu_kinetic", "0.5", "1", "coefficient of dynamic friction at the start"),
};

static const fb_field exponential_contact[] = {
    FORCE_FIELDS,
    FB_F_VEC("contact_plane_transform", "contact_plane_transform", 6, "0 0 0 0 0 0", "rad and m",
             "body-fixed x-y-z angles and origin of the contact plane in ground, its normal being z"),
    FB_F_OBJ_F("contact_parameters", "contact_parameters", FB_CONTACT_PARAMETERS, FB_BY_NAME,
               "ExponentialContactForce::Parameters", FB_BRIEF, "properties of the contact"),
    FB_F_OBJ("station", "station", FB_STATION, FB_BY_NAME, "Station", "the point that may touch the plane"),
};

#define STATION_PLANE_FIELDS \
    FORCE_FIELDS, \
    FB_F_REF("station", "socket_station", FB_STATION, FB_SOCKET | FB_REQUIRED, "the point that may touch the ground")

#define FRICTION_FIELDS \
    FB_F_NUM("friction_coefficient", "friction_coefficient", "1", "1", "coefficient of friction"), \
    FB_F_NUM("transition_velocity", "tangent_velocity_scaling_factor", "0.05", "m/s", \
             "slip speed over which friction develops")

static const fb_field ackermann_van_den_bogert[] = {
    STATION_PLANE_FIELDS,
    FB_F_NUM("stiffness", "stiffness", "50000000", "N/m^3", "force per cubed depth"),
    FB_F_NUM("dissipation", "dissipation", "1", "s/m", "damping, relative to the elastic force"),
    FRICTION_FIELDS,
};

static const fb_field meyer_fregly[] = {
    STATION_PLANE_FIELDS,
    FB_F_NUM("stiffness", "stiffness", "10000", "N/m", "force per depth"),
    FB_F_NUM("dissipation", "dissipation", "0.01", "s/m", "damping, relative to the elastic force"),
    FB_F_NUM("time_scale", "tscale", "1", "s", "factor by which the paper scales time"),
};

static const fb_field esposito_miller[] = {
    STATION_PLANE_FIELDS,
    FB_F_NUM("stiffness", "stiffness", "2000000", "N/m^2", "force per squared depth"),
    FB_F_NUM("dissipation", "dissipation", "1", "s/m", "damping, relative to the elastic force"),
    FRICTION_FIELDS,
    FB_F_NUM("depth_offset", "depth_offset", "0.001", "m", "distance over which the onset is smoothed"),
};

const fb_class fb_classes_contact[] = {
    FB_CLASS("ContactHalfSpace", "half_space", "contact_geometry", FB_CONTACT_GEOMETRY, contact_half_space,
             "the half space where x is positive"),
    FB_CLASS("ContactSphere", "sphere", "contact_geometry", FB_CONTACT_GEOMETRY, contact_sphere, "a sphere"),
    FB_CLASS("ContactMesh", "mesh", "contact_geometry", FB_CONTACT_GEOMETRY, contact_mesh, "a closed triangle mesh"),
    FB_CLASS("ContactCylinder", "cylinder", "contact_geometry", FB_CONTACT_GEOMETRY, contact_cylinder,
             "an endless cylinder (OpenSim 4.6 and later)"),
    FB_CLASS("ContactEllipsoid", "ellipsoid", "contact_geometry", FB_CONTACT_GEOMETRY, contact_ellipsoid,
             "an ellipsoid (OpenSim 4.6 and later)"),
    FB_CLASS("ContactTorus", "torus", "contact_geometry", FB_CONTACT_GEOMETRY, contact_torus,
             "a torus about z (OpenSim 4.6 and later)"),

    FB_CLASS("HuntCrossleyForce", "hunt_crossley", "contact_forces", FB_FORCE, hunt_crossley,
             "compliant contact between round shapes and half spaces, after Hunt and Crossley 1975"),
    FB_CLASS("ElasticFoundationForce", "elastic_foundation", "contact_forces", FB_FORCE, elastic_foundation,
             "compliant contact of meshes, with a spring at each face"),
    FB_CLASS("SmoothSphereHalfSpaceForce", "smooth_sphere_half_space", "contact_forces", FB_FORCE,
             smooth_sphere_half_space, "a differentiable contact between a sphere and a half space"),
    FB_CLASS("ExponentialContactForce", "exponential", "contact_forces", FB_FORCE, exponential_contact,
             "contact of a point with a plane through exponential springs (OpenSim 4.6 and later)"),
    FB_CLASS("AckermannVanDenBogert2010Force", "AckermannVanDenBogert2010", "contact_forces", FB_FORCE,
             ackermann_van_den_bogert, "contact of a point with the ground, after Ackermann and van den Bogert 2010"),
    FB_CLASS("MeyerFregly2016Force", "MeyerFregly2016", "contact_forces", FB_FORCE, meyer_fregly,
             "contact of a point with the ground, after Meyer and others 2016"),
    FB_CLASS("EspositoMiller2018Force", "EspositoMiller2018", "contact_forces", FB_FORCE, esposito_miller,
             "contact of a point with the ground, after Esposito and Miller 2018"),

    FB_CLASS("HuntCrossleyForce::ContactParameters", "hunt_crossley", NULL, FB_CONTACT_PARAMETERS,
             hunt_crossley_parameters, "the material of some shapes of a Hunt-Crossley contact"),
    FB_CLASS("ElasticFoundationForce::ContactParameters", "elastic_foundation", NULL, FB_CONTACT_PARAMETERS,
             elastic_foundation_parameters, "the material of some shapes of an elastic foundation contact"),
    FB_CLASS("ExponentialContactForce::Parameters", "exponential", NULL, FB_CONTACT_PARAMETERS,
             exponential_parameters, "the properties of an exponential contact"),
    {NULL, NULL, NULL, FB_ANY, NULL, 0, NULL},
};
