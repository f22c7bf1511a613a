/* Muscles, their curves, and their activation and pennation models.
 * Strains and normalised lengths have no unit; angles are in radians. */
#include "libcore/model/class.h"

/* What every muscle has. MIN: default of min_control, which some classes set to their least
 * activation. */
#define MUSCLE_FIELDS(MIN) \
    FB_F_BOOL_BRIEF("enabled", "appliesForce", "true", "false if the muscle is left out of the simulation"), \
    FB_F_NUM_F("min_control", "min_control", MIN, "1", FB_BRIEF, "lowest excitation that optimisers may use"), \
    FB_F_NUM_F("max_control", "max_control", "1", "1", FB_BRIEF, "highest excitation that optimisers may use"), \
    FB_F_OBJ("path", "path", FB_PATH, FB_BY_NAME, "GeometryPath", "the course from origin to insertion"), \
    FB_F_NUM_F("optimal_force", "optimal_force", "1", "1", FB_BRIEF, "not used by muscles"), \
    FB_F_NUM("max_isometric_force", "max_isometric_force", "1000", "N", \
             "force of the fully active fibers at their optimal length and at rest"), \
    FB_F_NUM("optimal_fiber_length", "optimal_fiber_length", "0.1", "m", \
             "fiber length at which the active force is greatest"), \
    FB_F_NUM("tendon_slack_length", "tendon_slack_length", "0.2", "m", \
             "tendon length above which the tendon resists stretch"), \
    FB_F_NUM("pennation_angle", "pennation_angle_at_optimal", "0", "rad", \
             "angle between fibers and tendon at optimal fiber length"), \
    FB_F_NUM("max_contraction_velocity", "max_contraction_velocity", "10", "1/s", \
             "highest shortening speed, in optimal fiber lengths per second"), \
    FB_F_BOOL_BRIEF("ignore_tendon_compliance", "ignore_tendon_compliance", "false", \
                    "true if the tendon is treated as rigid"), \
    FB_F_BOOL_BRIEF("ignore_activation_dynamics", "ignore_activation_dynamics", "false", \
                    "true if activation equals excitation")

#define DEFAULT_ACTIVATION(D) \
    FB_F_NUM_F("default_activation", "default_activation", D, "1", FB_BRIEF, "activation in the default state")
#define DEFAULT_FIBER_LENGTH \
    FB_F_NUM_F("default_fiber_length", "default_fiber_length", "0.1", "m", FB_BRIEF, \
               "fiber length in the default state")
#define TIME_CONSTANTS(ACTIVATION, DEACTIVATION) \
    FB_F_NUM("activation_time_constant", "activation_time_constant", ACTIVATION, "s", \
             "time constant of rising activation"), \
    FB_F_NUM("deactivation_time_constant", "deactivation_time_constant", DEACTIVATION, "s", \
             "time constant of falling activation")
#define MINIMUM_ACTIVATION(D) \
    FB_F_NUM("minimum_activation", "minimum_activation", D, "1", "lowest activation")
#define MAXIMUM_PENNATION_ANGLE \
    FB_F_NUM_F("maximum_pennation_angle", "maximum_pennation_angle", "1.4706289056333368", "rad", FB_BRIEF, \
               "largest angle between fibers and tendon")

/* The shape factors that both Thelen muscles have. */
#define THELEN_FIELDS(TENDON, MUSCLE, ACTIVE, PASSIVE) \
    FB_F_NUM("tendon_strain_at_max_isometric_force", "FmaxTendonStrain", TENDON, "1", \
             "tendon strain under the maximum isometric force"), \
    FB_F_NUM("passive_fiber_strain_at_max_isometric_force", "FmaxMuscleStrain", MUSCLE, "1", \
             "fiber strain at which the passive force equals the maximum isometric force"), \
    FB_F_NUM("active_force_length_shape_factor", "KshapeActive", ACTIVE, "1", \
             "width of the bell-shaped active force-length curve"), \
    FB_F_NUM("passive_force_length_shape_factor", "KshapePassive", PASSIVE, "1", \
             "steepness of the exponential passive force-length curve")
#define THELEN_VELOCITY_FIELDS(AF, FLEN) \
    FB_F_NUM("force_velocity_shape_factor", "Af", AF, "1", "curvature of the force-velocity curve"), \
    FB_F_NUM("max_lengthening_force", "Flen", FLEN, "1", \
             "greatest force of lengthening fibers, as a multiple of the isometric one")

static const fb_field thelen[] = {
    MUSCLE_FIELDS("0.01"),
    DEFAULT_ACTIVATION("0.05"),
    DEFAULT_FIBER_LENGTH,
    THELEN_FIELDS("0.04", "0.6", "0.45", "5"),
    THELEN_VELOCITY_FIELDS("0.25", "1.4"),
    FB_F_NUM_F("force_velocity_extrapolation_threshold", "fv_linear_extrap_threshold", "0.95", "1", FB_BRIEF,
               "fraction of the greatest lengthening force above which the force-velocity curve is straight"),
    MAXIMUM_PENNATION_ANGLE,
    TIME_CONSTANTS("0.015", "0.05"),
    MINIMUM_ACTIVATION("0.01"),
};

static const fb_field thelen_deprecated[] = {
    MUSCLE_FIELDS("0"),
    TIME_CONSTANTS("0.01", "0.04"),
    FB_F_NUM("max_velocity_at_full_activation", "Vmax", "10", "1/s",
             "highest shortening speed of fully active fibers, in optimal fiber lengths per second"),
    FB_F_NUM("max_velocity_at_low_activation", "Vmax0", "5", "1/s",
             "highest shortening speed at zero activation, in optimal fiber lengths per second"),
    THELEN_FIELDS("0.033", "0.6", "0.5", "4"),
    FB_F_NUM("fiber_damping", "damping", "0.05", "1", "damping parallel to the fibers"),
    THELEN_VELOCITY_FIELDS("0.3", "1.8"),
};

/* Curves that muscles own without a property name. */
#define TENDON_CURVE \
    FB_F_OBJ_F("tendon_force_length_curve", "TendonForceLengthCurve", FB_CURVE, FB_UNNAMED, \
               "TendonForceLengthCurve", FB_BRIEF, "tendon force over tendon length")
#define PASSIVE_CURVE \
    FB_F_OBJ_F("passive_force_length_curve", "FiberForceLengthCurve", FB_CURVE, FB_UNNAMED, \
               "FiberForceLengthCurve", FB_BRIEF, "passive fiber force over fiber length")
#define FORCE_VELOCITY_CURVE \
    FB_F_OBJ_F("force_velocity_curve", "ForceVelocityCurve", FB_CURVE, FB_UNNAMED, "ForceVelocityCurve", FB_BRIEF, \
               "active force over fiber velocity")
#define ACTIVE_CURVE(D, S) \
    FB_F_OBJ_F("active_force_length_curve", "ActiveForceLengthCurve", FB_CURVE, FB_UNNAMED, D, FB_BRIEF, S)

static const fb_field millard_equilibrium[] = {
    MUSCLE_FIELDS("0.01"),
    FB_F_NUM("fiber_damping", "fiber_damping", "0.1", "1", "damping parallel to the fibers, 0 for none"),
    DEFAULT_ACTIVATION("0.05"),
    DEFAULT_FIBER_LENGTH,
    TIME_CONSTANTS("0.01", "0.04"),
    MINIMUM_ACTIVATION("0.01"),
    MAXIMUM_PENNATION_ANGLE,
    ACTIVE_CURVE("ActiveForceLengthCurve", "active force over fiber length"),
    FORCE_VELOCITY_CURVE,
    PASSIVE_CURVE,
    TENDON_CURVE,
};

static const fb_field millard_acceleration[] = {
    MUSCLE_FIELDS("0"),
    DEFAULT_ACTIVATION("0"),
    DEFAULT_FIBER_LENGTH,
    FB_F_NUM_F("default_fiber_velocity", "default_fiber_velocity", "0", "m/s", FB_BRIEF,
               "fiber velocity in the default state"),
    FB_F_OBJ_F("activation_model", "MuscleFirstOrderActivationDynamicModel", FB_CURVE, FB_UNNAMED, NULL, FB_BRIEF,
               "how activation follows excitation; absent for the usual one with a lowest activation of 0"),
    ACTIVE_CURVE(NULL, "active force over fiber length; absent for the usual one with a least value of 0"),
    FORCE_VELOCITY_CURVE,
    PASSIVE_CURVE,
    TENDON_CURVE,
    FB_F_OBJ_F("compressive_force_length_curve", "FiberCompressiveForceLengthCurve", FB_CURVE, FB_UNNAMED,
               "FiberCompressiveForceLengthCurve", FB_BRIEF, "resistance of very short fibers to compression"),
    FB_F_OBJ_F("compressive_force_pennation_curve", "FiberCompressiveForceCosPennationCurve", FB_CURVE, FB_UNNAMED,
               "FiberCompressiveForceCosPennationCurve", FB_BRIEF,
               "resistance to pennation angles near a right angle"),
    FB_F_NUM("tendon_damping", "tendon_force_length_damping", "0.1", "s",
             "damping of the tendon, relative to its elastic force"),
    FB_F_NUM("compressive_force_length_damping", "fiber_compressive_force_length_damping", "1", "s",
             "damping of the compressive fiber element, relative to its elastic force"),
    FB_F_NUM("passive_fiber_damping", "fiber_force_length_damping", "0.01", "s",
             "damping of the passive fiber element, relative to its elastic force"),
    FB_F_NUM("compressive_force_pennation_damping", "fiber_compressive_force_cos_pennation_damping", "1", "s",
             "damping of the compressive pennation element, relative to its elastic force"),
    FB_F_NUM("fiber_damping", "fiber_damping", "0.01", "s", "linear damping parallel to the fibers"),
    FB_F_NUM("mass", "mass", "0.1", "kg", "mass that the fibers and the tendon accelerate"),
};

static const fb_field de_groote_fregly[] = {
    MUSCLE_FIELDS("0"),
    TIME_CONSTANTS("0.015", "0.06"),
    DEFAULT_ACTIVATION("0.5"),
    FB_F_NUM_F("default_normalized_tendon_force", "default_normalized_tendon_force", "0.5", "1", FB_BRIEF,
               "tendon force in the default state, in maximum isometric forces"),
    FB_F_NUM_F("activation_dynamics_smoothing", "activation_dynamics_smoothing", "0.1", "1", FB_BRIEF,
               "steepness of the change between activation and deactivation (OpenSim 4.5.2 and later)"),
    FB_F_NUM("active_force_width_scale", "active_force_width_scale", "1", "1",
             "factor on the width of the active force-length curve"),
    FB_F_NUM("fiber_damping", "fiber_damping", "0", "1", "damping parallel to the fibers"),
    FB_F_NUM("passive_fiber_strain_at_max_isometric_force", "passive_fiber_strain_at_one_norm_force", "0.6", "1",
             "fiber strain at which the passive force equals the maximum isometric force"),
    FB_F_NUM("tendon_strain_at_max_isometric_force", "tendon_strain_at_one_norm_force", "0.049", "1",
             "tendon strain under the maximum isometric force"),
    FB_F_BOOL_BRIEF("ignore_passive_fiber_force", "ignore_passive_fiber_force", "false",
                    "true if the fibers have no passive force"),
    FB_F_CHOICE_F("tendon_compliance_dynamics_mode", "tendon_compliance_dynamics_mode", "explicit",
                  "explicit|implicit", FB_BRIEF, "form of the equation for a compliant tendon"),
};

/* Curves as plain functions, which the older muscles have. */
#define FUNCTION_FIELD(K, T, S) FB_F_OBJ(K, T, FB_FUNCTION, FB_BY_NAME, NULL, S)
#define SPLINE_CURVES \
    FUNCTION_FIELD("tendon_force_length_curve", "tendon_force_length_curve", \
                   "tendon force over tendon strain; absent for OpenSim's default spline"), \
    FUNCTION_FIELD("active_force_length_curve", "active_force_length_curve", \
                   "active force over fiber length; absent for OpenSim's default spline"), \
    FUNCTION_FIELD("passive_force_length_curve", "passive_force_length_curve", \
                   "passive force over fiber length; absent for OpenSim's default")
#define CALCIUM_FIELDS \
    FB_F_NUM("time_scale", "time_scale", "0.1", "s", "time by which activation and velocity are scaled"), \
    FB_F_NUM("activation_rate_factor", "activation1", "7.667", "1", "growth of the activation rate with excitation"), \
    FB_F_NUM("deactivation_rate_factor", "activation2", "1.459854", "1", "activation rate without excitation")

static const fb_field schutte[] = {
    MUSCLE_FIELDS("0"),
    CALCIUM_FIELDS,
    FB_F_NUM("fiber_damping", "damping", "0.1", "1", "damping parallel to the fibers"),
    SPLINE_CURVES,
};

static const fb_field delp[] = {
    MUSCLE_FIELDS("0"),
    CALCIUM_FIELDS,
    FB_F_NUM("mass", "mass", "0.00287", "1", "normalised mass between fibers and tendon"),
    SPLINE_CURVES,
    FUNCTION_FIELD("force_velocity_curve", "force_velocity_curve",
                   "active force over fiber velocity; absent for OpenSim's default spline"),
};

static const fb_field rigid_tendon[] = {
    MUSCLE_FIELDS("0"),
    FUNCTION_FIELD("active_force_length_curve", "active_force_length_curve",
                   "active force over fiber length; absent for OpenSim's default spline"),
    FUNCTION_FIELD("passive_force_length_curve", "passive_force_length_curve",
                   "passive force over fiber length; absent for OpenSim's default spline"),
    FUNCTION_FIELD("force_velocity_curve", "force_velocity_curve",
                   "active force over fiber velocity; absent for OpenSim's default spline"),
};

static const fb_field active_force_length[] = {
    FB_F_NUM("min_active_fiber_length", "min_norm_active_fiber_length", "0.4441", "1",
             "shortest active fiber length, in optimal fiber lengths"),
    FB_F_NUM("transition_fiber_length", "transition_norm_fiber_length", "0.73", "1",
             "fiber length where the steep part of the ascending limb ends, in optimal fiber lengths"),
    FB_F_NUM("max_active_fiber_length", "max_norm_active_fiber_length", "1.8123", "1",
             "longest active fiber length, in optimal fiber lengths"),
    FB_F_NUM("shallow_ascending_slope", "shallow_ascending_slope", "0.8616", "1",
             "slope of the shallow part of the ascending limb"),
    FB_F_NUM("minimum_value", "minimum_value", "0.1", "1", "least value of the curve"),
};

#define FORCE_VELOCITY_FIELDS(AT_VMAX) \
    FB_F_NUM("concentric_slope_at_max_velocity", "concentric_slope_at_vmax", AT_VMAX, "1", \
             "slope at the highest shortening velocity"), \
    FB_F_NUM("concentric_slope_near_max_velocity", "concentric_slope_near_vmax", "0.25", "1", \
             "slope just before the highest shortening velocity"), \
    FB_F_NUM("isometric_slope", "isometric_slope", "5", "1", "slope at zero velocity"), \
    FB_F_NUM("eccentric_slope_at_max_velocity", "eccentric_slope_at_vmax", AT_VMAX, "1", \
             "slope at the highest lengthening velocity"), \
    FB_F_NUM("eccentric_slope_near_max_velocity", "eccentric_slope_near_vmax", "0.15", "1", \
             "slope just before the highest lengthening velocity"), \
    FB_F_NUM("max_lengthening_force", "max_eccentric_velocity_force_multiplier", "1.4", "1", \
             "value at the highest lengthening velocity, as a multiple of the isometric force"), \
    FB_F_NUM("concentric_curviness", "concentric_curviness", "0.6", "1", \
             "roundness of the shortening part, 0 to 1"), \
    FB_F_NUM("eccentric_curviness", "eccentric_curviness", "0.9", "1", \
             "roundness of the lengthening part, 0 to 1")

static const fb_field force_velocity[] = {FORCE_VELOCITY_FIELDS("0")};
static const fb_field force_velocity_inverse[] = {FORCE_VELOCITY_FIELDS("0.1")};

#define CURVINESS(S) FB_F_NUM_F("curviness", "curviness", NULL, "1", FB_OPTIONAL, S)
#define STIFFNESS_AT_MAX_FORCE(S) \
    FB_F_NUM_F("stiffness_at_max_isometric_force", "stiffness_at_one_norm_force", NULL, "1", FB_OPTIONAL, S)

static const fb_field fiber_force_length[] = {
    FB_F_NUM("strain_at_zero_force", "strain_at_zero_force", "0", "1", "fiber strain where passive force begins"),
    FB_F_NUM("strain_at_max_isometric_force", "strain_at_one_norm_force", "0.7", "1",
             "fiber strain at which the passive force equals the maximum isometric force"),
    FB_F_NUM_F("stiffness_at_low_force", "stiffness_at_low_force", NULL, "1", FB_OPTIONAL,
               "slope where the toe region ends"),
    STIFFNESS_AT_MAX_FORCE("slope where the passive force equals the maximum isometric force"),
    CURVINESS("roundness of the curve, 0 to 1"),
};

static const fb_field tendon_force_length[] = {
    FB_F_NUM("strain_at_max_isometric_force", "strain_at_one_norm_force", "0.049", "1",
             "tendon strain under the maximum isometric force"),
    STIFFNESS_AT_MAX_FORCE("slope under the maximum isometric force"),
    FB_F_NUM_F("force_at_toe_end", "norm_force_at_toe_end", NULL, "1", FB_OPTIONAL,
               "force where the toe region ends, in maximum isometric forces"),
    CURVINESS("roundness of the toe region, 0 to 1"),
};

static const fb_field fiber_compressive_force_length[] = {
    FB_F_NUM("fiber_length_at_zero_force", "norm_length_at_zero_force", "0.5", "1",
             "fiber length below which the force acts, in optimal fiber lengths"),
    FB_F_NUM_F("stiffness_at_zero_length", "stiffness_at_zero_length", NULL, "1", FB_OPTIONAL,
               "slope at zero fiber length, negative"),
    CURVINESS("roundness of the curve, 0 to 1"),
};

static const fb_field fiber_compressive_force_cos_pennation[] = {
    FB_F_NUM_F("engagement_angle", "engagement_angle_in_degrees", "85", "rad", FB_DEGREES,
               "pennation angle above which the force acts"),
    FB_F_NUM_F("stiffness_at_perpendicular", "stiffness_at_perpendicular", NULL, "1", FB_OPTIONAL,
               "slope at a right angle, negative"),
    CURVINESS("roundness of the curve, 0 to 1"),
};

static const fb_field first_order_activation[] = {
    TIME_CONSTANTS("0.01", "0.04"),
    MINIMUM_ACTIVATION("0.01"),
};

static const fb_field fixed_width_pennation[] = {
    FB_F_NUM("optimal_fiber_length", "optimal_fiber_length", "1", "m",
             "fiber length at which the pennation angle is given"),
    FB_F_NUM("pennation_angle", "pennation_angle_at_optimal", "0", "rad",
             "angle between fibers and tendon at optimal fiber length"),
    MAXIMUM_PENNATION_ANGLE,
};

const fb_class fb_classes_muscles[] = {
    FB_CLASS("Thelen2003Muscle", "Thelen2003", "muscles", FB_FORCE, thelen,
             "a Hill-type muscle with an elastic tendon, after Thelen 2003"),
    FB_CLASS("Millard2012EquilibriumMuscle", "Millard2012Equilibrium", "muscles", FB_FORCE, millard_equilibrium,
             "a Hill-type muscle in force equilibrium with its tendon, after Millard and others 2013"),
    FB_CLASS("Millard2012AccelerationMuscle", "Millard2012Acceleration", "muscles", FB_FORCE, millard_acceleration,
             "a Hill-type muscle with a mass between fibers and tendon, after Millard and others 2013"),
    FB_CLASS("DeGrooteFregly2016Muscle", "DeGrooteFregly2016", "muscles", FB_FORCE, de_groote_fregly,
             "a smooth Hill-type muscle for optimal control, after De Groote and others 2016"),
    FB_CLASS("RigidTendonMuscle", "RigidTendon", "muscles", FB_FORCE, rigid_tendon,
             "a Hill-type muscle with a rigid tendon and no activation dynamics"),
    FB_CLASS("Thelen2003Muscle_Deprecated", "Thelen2003Deprecated", "muscles", FB_FORCE, thelen_deprecated,
             "the first OpenSim version of the Thelen 2003 muscle"),
    FB_CLASS("Schutte1993Muscle_Deprecated", "Schutte1993", "muscles", FB_FORCE, schutte,
             "a damped Hill-type muscle from SIMM, after Schutte 1993"),
    FB_CLASS("Delp1990Muscle_Deprecated", "Delp1990", "muscles", FB_FORCE, delp,
             "a Hill-type muscle with mass from SIMM, after Delp 1990"),

    FB_CLASS("ActiveForceLengthCurve", "active_force_length", NULL, FB_CURVE, active_force_length,
             "active fiber force over fiber length"),
    FB_CLASS("ForceVelocityCurve", "force_velocity", NULL, FB_CURVE, force_velocity,
             "active fiber force over fiber velocity"),
    FB_CLASS("ForceVelocityInverseCurve", "force_velocity_inverse", NULL, FB_CURVE, force_velocity_inverse,
             "fiber velocity over active fiber force"),
    FB_CLASS("FiberForceLengthCurve", "fiber_force_length", NULL, FB_CURVE, fiber_force_length,
             "passive fiber force over fiber length"),
    FB_CLASS("TendonForceLengthCurve", "tendon_force_length", NULL, FB_CURVE, tendon_force_length,
             "tendon force over tendon length"),
    FB_CLASS("FiberCompressiveForceLengthCurve", "fiber_compressive_force_length", NULL, FB_CURVE,
             fiber_compressive_force_length, "force that keeps fibers from becoming too short"),
    FB_CLASS("FiberCompressiveForceCosPennationCurve", "fiber_compressive_force_cos_pennation", NULL, FB_CURVE,
             fiber_compressive_force_cos_pennation, "force that keeps fibers from becoming perpendicular to the tendon"),
    FB_CLASS("MuscleFirstOrderActivationDynamicModel", "first_order_activation", NULL, FB_CURVE,
             first_order_activation, "activation that follows excitation with a delay of first order"),
    FB_CLASS("MuscleFixedWidthPennationModel", "fixed_width_pennation", NULL, FB_CURVE, fixed_width_pennation,
             "a pennate muscle as a parallelogram of constant width"),
    {NULL, NULL, NULL, FB_ANY, NULL, 0, NULL},
};
