/* Controllers and their controls, probes and their parameters, reporters and other components. */
#include "libcore/model/class.h"

/* ---- controllers ---- */

#define CONTROLLER_FIELDS \
    FB_F_BOOL_BRIEF("enabled", "enabled", "true", "false if the controller does nothing"), \
    FB_F_REFS("actuators", "socket_actuators", FB_FORCE, FB_SOCKET, "the actuators that are controlled")

#define INPUT_CONTROLLER_FIELDS \
    CONTROLLER_FIELDS, \
    FB_F_TEXTS("inputs", "input_controls", 0, "the outputs of other components that are turned into controls")

static const fb_field controller[] = {CONTROLLER_FIELDS};

static const fb_field prescribed_controller[] = {
    CONTROLLER_FIELDS,
    FB_F_OBJS("control_functions", "ControlFunctions", FB_FUNCTION, FB_SET,
              "controls over time, each function having its actuator's name"),
    FB_F_TEXT_F("controls_file", "controls_file", NULL, FB_OPTIONAL, "file with the controls over time"),
    {"interpolation_method", "interpolation_method", FB_INT, 1, FB_OPTIONAL | FB_BRIEF, NULL, NULL, FB_ANY,
     FB_BY_NAME, NULL, "how the file is interpolated: 0 constant, 1 linear, 3 cubic, 5 quintic"},
};

static const fb_field control_set_controller[] = {
    CONTROLLER_FIELDS,
    FB_F_TEXT("controls_file", "controls_file", "", "file with the controls over time"),
};

static const fb_field correction_controller[] = {
    CONTROLLER_FIELDS,
    FB_F_NUM("position_gain", "kp", "100", "1", "gain on position errors"),
    FB_F_NUM("velocity_gain", "kv", "20", "1", "gain on velocity errors"),
};

static const fb_field toy_reflex_controller[] = {
    CONTROLLER_FIELDS,
    FB_F_NUM("gain", "gain", "1", "1", "factor on the stretch reflex"),
};

static const fb_field synergy_controller[] = {
    INPUT_CONTROLLER_FIELDS,
    FB_F_OBJS("synergy_vectors", "synergy_vectors", FB_CONTROL, FB_WRAPPED,
              "the synergies, one for each input"),
};

static const fb_field input_controller[] = {INPUT_CONTROLLER_FIELDS};

/* ---- controls ---- */

static const fb_field synergy_vector[] = {
    FB_F_NUMS("weights", "synergy_weights", "1", "weight of each actuator"),
};

#define CONTROL_FIELDS \
    FB_F_BOOL_BRIEF("is_model_control", "is_model_control", "true", "false if the control is not one of the model's"), \
    FB_F_BOOL_BRIEF("extrapolate", "extrapolate", "true", "true if values outside the nodes are extrapolated"), \
    FB_F_NUM("min", "default_min", "0.02", "1", "lowest value where no node gives one"), \
    FB_F_NUM("max", "default_max", "1", "1", "highest value where no node gives one"), \
    FB_F_BOOL_BRIEF("filter_on", "filter_on", "false", "true if the control follows its nodes through a filter")

static const fb_field control_constant[] = {
    CONTROL_FIELDS,
    FB_F_NUM("value", "value", "0", "1", "the value at all times"),
};

static const fb_field control_linear[] = {
    CONTROL_FIELDS,
    FB_F_BOOL("use_steps", "use_steps", "false", "true for steps instead of straight lines between nodes"),
    FB_F_OBJS("nodes", "x_nodes", FB_CONTROL, FB_WRAPPED, "values over time"),
    FB_F_OBJS("min_nodes", "min_nodes", FB_CONTROL, FB_WRAPPED, "lowest values over time"),
    FB_F_OBJS("max_nodes", "max_nodes", FB_CONTROL, FB_WRAPPED, "highest values over time"),
    FB_F_NUM_F("position_gain", "kp", "100", "1", FB_BRIEF, "position gain of the filter"),
    FB_F_NUM_F("velocity_gain", "kv", "20", "1", FB_BRIEF, "velocity gain of the filter"),
};

static const fb_field control_node[] = {
    FB_F_NUM("time", "t", "0", "s", "time of the node"),
    FB_F_NUM("value", "value", "0", "1", "value at that time"),
};

/* ---- probes ---- */

#define PROBE_FIELDS \
    FB_F_BOOL_BRIEF("enabled", "enabled", "true", "false if the probe does nothing"), \
    FB_F_CHOICE("operation", "probe_operation", "value", \
                "value|integrate|differentiate|minimum|minabs|maximum|maxabs", "what is done with the probed value"), \
    FB_F_NUMS_F("initial_conditions", "initial_conditions_for_integration", "1", FB_BRIEF, \
                "values at the start of an integration, one for each output"), \
    FB_F_NUM_F("gain", "gain", "1", "1", FB_BRIEF, "factor on the result")

#define EXPONENT \
    FB_F_NUM_F("exponent", "exponent", "1", "1", FB_BRIEF, "power to which each value is raised")

static const fb_field joint_power_probe[] = {
    PROBE_FIELDS,
    FB_F_REFS("joints", "joint_names", FB_JOINT, 0, "the joints that are probed"),
    FB_F_BOOL("sum_powers", "sum_powers_together", "false", "true if all powers are added up"),
    EXPONENT,
};

static const fb_field actuator_power_probe[] = {
    PROBE_FIELDS,
    FB_F_REFS("actuators", "actuator_names", FB_FORCE, 0, "the actuators that are probed"),
    FB_F_BOOL("sum_powers", "sum_powers_together", "false", "true if all powers are added up"),
    EXPONENT,
};

static const fb_field actuator_force_probe[] = {
    PROBE_FIELDS,
    FB_F_REFS("actuators", "actuator_names", FB_FORCE, 0, "the actuators that are probed"),
    FB_F_BOOL("sum_forces", "sum_forces_together", "false", "true if all forces are added up"),
    EXPONENT,
};

static const fb_field system_energy_probe[] = {
    PROBE_FIELDS,
    FB_F_BOOL("compute_kinetic_energy", "compute_kinetic_energy", "true", "true if kinetic energy is counted"),
    FB_F_BOOL("compute_potential_energy", "compute_potential_energy", "true", "true if potential energy is counted"),
};

#define METABOLIC_RATE_FIELDS \
    FB_F_BOOL("shortening_rate_on", "shortening_rate_on", "true", "true if heat of shortening is counted"), \
    FB_F_BOOL("basal_rate_on", "basal_rate_on", "true", "true if the basal rate is counted"), \
    FB_F_BOOL("mechanical_work_rate_on", "mechanical_work_rate_on", "true", "true if mechanical work is counted")

#define ENFORCE_MINIMUM_HEAT_RATE \
    FB_F_BOOL_BRIEF("enforce_minimum_heat_rate_per_muscle", "enforce_minimum_heat_rate_per_muscle", "true", \
                    "true if each muscle gives off at least 1 W/kg of heat")

#define BASAL_FIELDS \
    FB_F_NUM("basal_coefficient", "basal_coefficient", "1.2", "W/kg", "basal rate per body mass"), \
    FB_F_NUM_F("basal_exponent", "basal_exponent", "1", "1", FB_BRIEF, "power of the body mass in the basal rate"), \
    FB_F_NUM_F("muscle_effort_scaling_factor", "muscle_effort_scaling_factor", "1", "1", FB_BRIEF, \
               "factor on the excitation and activation of all muscles")

#define WORK_FIELDS \
    FB_F_BOOL_BRIEF("include_negative_mechanical_work", "include_negative_mechanical_work", "true", \
                    "true if work done on lengthening muscles counts as negative"), \
    FB_F_BOOL_BRIEF("forbid_negative_total_power", "forbid_negative_total_power", "true", \
                    "true if a muscle's total rate is kept from becoming negative")

#define FORCE_DEPENDENT_SHORTENING \
    FB_F_BOOL_BRIEF("use_force_dependent_shortening_constant", "use_force_dependent_shortening_prop_constant", "false", \
                    "true if the heat of shortening depends on the isometric force too")

#define REPORT_TOTAL \
    FB_F_BOOL("report_total_only", "report_total_metabolics_only", "true", \
              "true if only the sum over all muscles is reported")

static const fb_field umberger_probe[] = {
    PROBE_FIELDS,
    FB_F_BOOL("activation_maintenance_rate_on", "activation_maintenance_rate_on", "true",
              "true if heat of activation and maintenance is counted"),
    METABOLIC_RATE_FIELDS,
    ENFORCE_MINIMUM_HEAT_RATE,
    FB_F_NUM("aerobic_factor", "aerobic_factor", "1.5", "1", "factor on the heat rates, 1.5 aerobic and 1 anaerobic"),
    BASAL_FIELDS,
    FB_F_BOOL_BRIEF("use_bhargava_recruitment_model", "use_Bhargava_recruitment_model", "true",
                    "true if slow fibers are recruited before fast ones"),
    WORK_FIELDS,
    REPORT_TOTAL,
    FB_F_OBJS("muscle_parameters", "Umberger2010MuscleMetabolicsProbe_MetabolicMuscleParameterSet",
              FB_PROBE_PARAMETERS, FB_SET, "parameters of each muscle, each having its muscle's name"),
};

static const fb_field bhargava_probe[] = {
    PROBE_FIELDS,
    FB_F_BOOL("activation_rate_on", "activation_rate_on", "true", "true if heat of activation is counted"),
    FB_F_BOOL("maintenance_rate_on", "maintenance_rate_on", "true", "true if heat of maintenance is counted"),
    METABOLIC_RATE_FIELDS,
    ENFORCE_MINIMUM_HEAT_RATE,
    FB_F_OBJ("maintenance_fiber_length_curve", "normalized_fiber_length_dependence_on_maintenance_rate", FB_FUNCTION,
             FB_BY_NAME, NULL, "maintenance rate over normalised fiber length; absent for OpenSim's default"),
    FORCE_DEPENDENT_SHORTENING,
    BASAL_FIELDS,
    WORK_FIELDS,
    REPORT_TOTAL,
    FB_F_OBJS("muscle_parameters", "Bhargava2004MuscleMetabolicsProbe_MetabolicMuscleParameterSet",
              FB_PROBE_PARAMETERS, FB_SET, "parameters of each muscle, each having its muscle's name"),
};

#define MUSCLE_PARAMETER_FIELDS \
    FB_F_NUM("specific_tension", "specific_tension", "250000", "N/m^2", "maximum isometric force per cross section"), \
    FB_F_NUM("density", "density", "1059.7", "kg/m^3", "density of muscle"), \
    FB_F_NUM("slow_twitch_ratio", "ratio_slow_twitch_fibers", "0.5", "1", "share of slow-twitch fibers, 0 to 1"), \
    FB_F_BOOL_BRIEF("use_provided_mass", "use_provided_muscle_mass", "false", \
                    "true if the mass is given and not computed from force and length"), \
    FB_F_NUM_F("provided_mass", "provided_muscle_mass", "NaN", "kg", FB_BRIEF, "the muscle's mass, if it is given")

#define BHARGAVA_PARAMETER_FIELDS \
    FB_F_NUM("activation_constant_slow_twitch", "activation_constant_slow_twitch", "40", "W/kg", \
             "heat of activation of slow fibers"), \
    FB_F_NUM("activation_constant_fast_twitch", "activation_constant_fast_twitch", "133", "W/kg", \
             "heat of activation of fast fibers"), \
    FB_F_NUM("maintenance_constant_slow_twitch", "maintenance_constant_slow_twitch", "74", "W/kg", \
             "heat of maintenance of slow fibers"), \
    FB_F_NUM("maintenance_constant_fast_twitch", "maintenance_constant_fast_twitch", "111", "W/kg", \
             "heat of maintenance of fast fibers")

static const fb_field umberger_parameters[] = {MUSCLE_PARAMETER_FIELDS};

static const fb_field bhargava_parameters[] = {
    MUSCLE_PARAMETER_FIELDS,
    BHARGAVA_PARAMETER_FIELDS,
};

static const fb_field smoothed_parameters[] = {
    FB_F_REF("muscle", "socket_muscle", FB_FORCE, FB_SOCKET | FB_REQUIRED, "the muscle with these parameters"),
    MUSCLE_PARAMETER_FIELDS,
    BHARGAVA_PARAMETER_FIELDS,
};

/* ---- components ---- */

static const fb_field smoothed_metabolics[] = {
    FB_F_OBJS("muscle_parameters", "muscle_parameters", FB_PROBE_PARAMETERS, FB_WRAPPED, "parameters of each muscle"),
    ENFORCE_MINIMUM_HEAT_RATE,
    FORCE_DEPENDENT_SHORTENING,
    BASAL_FIELDS,
    WORK_FIELDS,
    FB_F_BOOL("use_smoothing", "use_smoothing", "false", "true if the rates are made differentiable"),
    FB_F_CHOICE_F("smoothing_type", "smoothing_type", "tanh", "tanh|huber", FB_BRIEF, "function that smooths"),
    FB_F_NUM_F("velocity_smoothing", "velocity_smoothing", "10", "1", FB_BRIEF,
               "steepness of the change between shortening and lengthening"),
    FB_F_NUM_F("power_smoothing", "power_smoothing", "10", "1", FB_BRIEF,
               "steepness of the change to a negative total rate"),
    FB_F_NUM_F("heat_rate_smoothing", "heat_rate_smoothing", "10", "1", FB_BRIEF,
               "steepness of the change to the least heat rate"),
};

#define REPORTER_FIELDS \
    FB_F_NUM("time_interval", "report_time_interval", "0", "s", "time between reports, 0 for every step")

static const fb_field states_reporter[] = {REPORTER_FIELDS};

static const fb_field output_reporter[] = {
    REPORTER_FIELDS,
    FB_F_TEXTS("inputs", "input_inputs", 0, "the outputs of other components that are reported"),
};

static const fb_field table_source[] = {
    FB_F_TEXT("file", "filename", "", "file with the table"),
    FB_F_TEXT_F("table", "tablename", "", FB_BRIEF, "name of the table, where the file has several"),
};

static const fb_field imu[] = {
    FB_F_REF("frame", "socket_frame", FB_FRAME, FB_SOCKET | FB_REQUIRED, "the frame that carries the sensor"),
};

static const fb_field signal_generator[] = {
    FB_F_OBJ("function", "function", FB_FUNCTION, FB_BY_NAME, "Constant", "the signal over time"),
};

static const fb_field position_motion[] = {
    FB_F_BOOL_BRIEF("default_enabled", "default_enabled", "true", "false if the motion is off in the default state"),
    FB_F_OBJS("functions", "functions", FB_FUNCTION, FB_SET,
              "values over time, each function having its coordinate's path as name"),
};

const fb_class fb_classes_controllers[] = {
    FB_CLASS("PrescribedController", "prescribed", "controllers", FB_CONTROLLER, prescribed_controller,
             "controls given over time"),
    FB_CLASS("ControlSetController", "control_set", "controllers", FB_CONTROLLER, control_set_controller,
             "controls over time from a file"),
    FB_CLASS("CorrectionController", "correction", "controllers", FB_CONTROLLER, correction_controller,
             "feedback that keeps coordinates on a given motion"),
    FB_CLASS("CMC", "computed_muscle_control", "controllers", FB_CONTROLLER, controller,
             "computed muscle control, set up by its tool"),
    FB_CLASS("ToyReflexController", "toy_reflex", "controllers", FB_CONTROLLER, toy_reflex_controller,
             "a stretch reflex for teaching"),
    FB_CLASS("SynergyController", "synergy", "controllers", FB_CONTROLLER, synergy_controller,
             "controls as sums of muscle synergies (OpenSim 4.5.1 and later)"),
    FB_CLASS("ActuatorInputController", "actuator_input", "controllers", FB_CONTROLLER, input_controller,
             "controls taken from the outputs of other components (Moco)"),

    FB_CLASS("SynergyVector", "synergy_vector", NULL, FB_CONTROL, synergy_vector,
             "one muscle synergy"),
    FB_CLASS("ControlConstant", "constant", NULL, FB_CONTROL, control_constant, "a control that does not change"),
    FB_CLASS("ControlLinear", "linear", NULL, FB_CONTROL, control_linear, "a control with straight lines between nodes"),
    FB_CLASS("ControlLinearNode", "node", NULL, FB_CONTROL, control_node, "a value of a control at a time"),

    FB_CLASS("JointInternalPowerProbe", "joint_internal_power", "probes", FB_PROBE, joint_power_probe,
             "power that joints transmit"),
    FB_CLASS("ActuatorPowerProbe", "actuator_power", "probes", FB_PROBE, actuator_power_probe, "power of actuators"),
    FB_CLASS("ActuatorForceProbe", "actuator_force", "probes", FB_PROBE, actuator_force_probe, "force of actuators"),
    FB_CLASS("SystemEnergyProbe", "system_energy", "probes", FB_PROBE, system_energy_probe,
             "mechanical energy of the whole model"),
    FB_CLASS("Umberger2010MuscleMetabolicsProbe", "Umberger2010", "probes", FB_PROBE, umberger_probe,
             "metabolic rate of muscles, after Umberger 2010"),
    FB_CLASS("Bhargava2004MuscleMetabolicsProbe", "Bhargava2004", "probes", FB_PROBE, bhargava_probe,
             "metabolic rate of muscles, after Bhargava and others 2004"),

    FB_CLASS("Umberger2010MuscleMetabolicsProbe_MetabolicMuscleParameter", "Umberger2010", NULL, FB_PROBE_PARAMETERS,
             umberger_parameters, "metabolic parameters of the muscle whose name it has"),
    FB_CLASS("Bhargava2004MuscleMetabolicsProbe_MetabolicMuscleParameter", "Bhargava2004", NULL, FB_PROBE_PARAMETERS,
             bhargava_parameters, "metabolic parameters of the muscle whose name it has"),
    FB_CLASS("Bhargava2004SmoothedMuscleMetabolics_MuscleParameters", "Bhargava2004Smoothed", NULL,
             FB_PROBE_PARAMETERS, smoothed_parameters, "metabolic parameters of one muscle"),

    FB_CLASS("Bhargava2004SmoothedMuscleMetabolics", "Bhargava2004SmoothedMetabolics", "components", FB_COMPONENT,
             smoothed_metabolics, "a differentiable metabolic rate of muscles, after Bhargava and others 2004"),
    FB_CLASS("IMU", "imu", "components", FB_COMPONENT, imu, "an inertial measurement unit"),
    FB_CLASS("StatesTrajectoryReporter", "states_trajectory_reporter", "components", FB_COMPONENT, states_reporter,
             "keeps the states of a simulation"),
    FB_CLASS("TableReporter__double_", "table_reporter", "components", FB_COMPONENT, output_reporter,
             "keeps numbers of a simulation in a table"),
    FB_CLASS("TableReporter__Vec3_", "table_reporter_vec3", "components", FB_COMPONENT, output_reporter,
             "keeps three-vectors of a simulation in a table"),
    FB_CLASS("TableReporter__Vector_", "table_reporter_vector", "components", FB_COMPONENT, output_reporter,
             "keeps vectors of a simulation in a table"),
    FB_CLASS("ConsoleReporter__double_", "console_reporter", "components", FB_COMPONENT, output_reporter,
             "prints numbers of a simulation"),
    FB_CLASS("ConsoleReporter__Vec3_", "console_reporter_vec3", "components", FB_COMPONENT, output_reporter,
             "prints three-vectors of a simulation"),
    FB_CLASS("TableSource__double_", "table_source", "components", FB_COMPONENT, table_source,
             "gives numbers from a table"),
    FB_CLASS("TableSource__Vec3_", "table_source_vec3", "components", FB_COMPONENT, table_source,
             "gives three-vectors from a table"),
    FB_CLASS("SignalGenerator", "signal_generator", "components", FB_COMPONENT, signal_generator,
             "gives a function of time"),
    FB_CLASS("PositionMotion", "position_motion", "components", FB_COMPONENT, position_motion,
             "prescribes the values of all coordinates (Moco)"),
    FB_CLASS_0("AccelerationMotion", "acceleration_motion", "components", FB_COMPONENT,
               "prescribes the accelerations of all coordinates (Moco)"),
    FB_CLASS_0("ControlDistributor", "control_distributor", "components", FB_COMPONENT,
               "passes controls on to other components (Moco)"),
    FB_CLASS_0("DiscreteForces", "discrete_forces", "components", FB_COMPONENT, "forces that a program sets (Moco)"),
    {NULL, NULL, NULL, FB_ANY, NULL, 0, NULL},
};
