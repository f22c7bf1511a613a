/* Compiling of forces, actuators, given forces, and what calls the rest. */
#include "libcore/muscle/force_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define ENGAGED 2.0e-14 /* control above which a clutch holds: Simbody's eps^(7/8) */

/* ---- compiling ------------------------------------------------------------------------------ */

typedef fb_force_builder builder;

void fb_force_tell_skipped(fb_diag *diag, const fb_element *element, const char *why) {
    const char *kept = element->cls == &fb_class_kept ? fb_get_string(element, "class") : NULL;
    fb_diag_add(diag, FB_WARNING, FB2308, fb_element_place(element),
                "results are those of the model without it", "%s '%s': %s",
                kept ? kept : element->cls->name, element->name ? element->name : "", why);
}

void fb_force_skip(fb_force_builder *b, const fb_element *element, const char *why) {
    b->f->n_skipped++;
    fb_force_tell_skipped(b->diag, element, why);
}

static void refuse(builder *b, const fb_element *element, const char *key, const char *why) {
    b->status = FB_E_INPUT;
    fb_diag_add(b->diag, FB_ERROR, FB2305, fb_element_place(element), NULL, "%s of %s '%s': %s",
                key, element->cls->name, element->name ? element->name : "", why);
}

static void numbers(fb_force *force, const char *const *keys, int n) {
    for (int i = 0; i < n; i++) {
        force->p[i] = fb_get_number(force->element, keys[i]);
    }
}

static bool find_coordinate(builder *b, fb_force *force) {
    force->coordinate = fb_system_coordinate(b->f->system,
                                             fb_get_target(force->element, "coordinate"));
    return force->coordinate >= 0;
}

/* The body of a bushing's frame. */
static int linked_frame(const builder *b, const fb_element *frame, fb_pose *pose) {
    const fb_element *base = NULL;
    int version = b->f->as_opensim4 ? b->f->system->model->source_version : 0;
    return fb_frame_pose_opensim4(frame, version, pose, &base)
               ? fb_system_body(b->f->system, base, NULL)
               : -1;
}

static bool find_bodies(builder *b, fb_force *force, const char *key1, const char *key2) {
    const char *keys[] = {key1, key2};
    for (int i = 0; i < 2 && keys[i]; i++) {
        force->body[i] = fb_system_body(b->f->system, fb_get_target(force->element, keys[i]),
                                        &force->frame[i]);
        if (force->body[i] < 0) {
            return false;
        }
    }
    return true;
}

static bool find_path(builder *b, fb_force *force) {
    force->path = b->paths ? fb_paths_find(b->paths, force->element) : -1;
    return force->path >= 0;
}

/* OpenSim strips white space from the formulas of forces before it reads them. */
static void formula(builder *b, fb_force *force, int i, const char *key,
                    const char *const *variables, int n) {
    const char *text = fb_get_string(force->element, key), *problem;
    char *tight = fb_arena_dup(&b->f->arena, text ? text : ""), *to = tight;
    for (const char *from = tight; *from; from++) {
        if (!strchr(" \t\n\r\f\v", *from)) {
            *to++ = *from;
        }
    }
    *to = 0;
    fb_expression *made;
    if (fb_expression_compile(&made, tight, variables, n, &b->f->arena, &problem) != FB_OK) {
        refuse(b, force->element, key, problem);
    }
    force->expression[i] = made;
}

static void function(builder *b, fb_function *to, const fb_element *from) {
    if (fb_function_compile(to, from, &b->f->arena, b->diag) != FB_OK) {
        b->status = FB_E_INPUT;
    }
}

/* Ligament's default curve: OpenSim's passive spline. */
static void default_curve(builder *b, fb_function *to) {
    static const double x[] = {-5, 0.998, 0.999, 1, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.601, 1.602, 5},
                        y[] = {0, 0, 0, 0, 0.035, 0.12, 0.26, 0.55, 1.17, 2, 2, 2, 2};
    const fb_class *cls = fb_class_find("SimmSpline");
    fb_element *spline = fb_arena_alloc(&b->f->arena, sizeof *spline);
    spline->cls = cls;
    spline->values = fb_arena_array(&b->f->arena, (size_t)cls->n_fields, sizeof *spline->values);
    fb_value *vx = fb_value_of(spline, "x"), *vy = fb_value_of(spline, "y");
    vx->present = vy->present = true;
    vx->n = vy->n = (int)(sizeof x / sizeof *x);
    vx->as.numbers = x;
    vy->as.numbers = y;
    function(b, to, spline);
}

/* ---- the classes ---------------------------------------------------------------------------- */

/* Each fills a force; false if something it refers to is missing. */

static bool compile_coordinate(builder *b, fb_force *force, const char *name) {
    static const char *const actuator[] = {"optimal_force", "activation_time_constant",
                                           "default_activation"},
                             *const spring[] = {"stiffness", "rest_length", "viscosity"},
                             *const limit[] = {"upper_stiffness", "upper_limit", "lower_stiffness",
                                               "lower_limit",     "damping",     "transition"},
                             *const exponential[] = {"offset_force", "first_force", "first_rate",
                                                     "second_force", "second_rate", "first_center",
                                                     "second_center"},
                             *const variables[] = {"q", "qdot"};
    if (strcmp(name, "SpringGeneralizedForce") == 0) {
        force->kind = FB_FORCE_COORDINATE_SPRING;
        numbers(force, spring, 3);
    } else if (strcmp(name, "CoordinateLimitForce") == 0) {
        force->kind = FB_FORCE_COORDINATE_LIMIT;
        numbers(force, limit, 6);
    } else if (strcmp(name, "ExponentialCoordinateForce") == 0) {
        force->kind = FB_FORCE_EXPONENTIAL;
        numbers(force, exponential, 7);
    } else if (strcmp(name, "ExponentialCoordinateLimitForce") == 0) {
        force->kind = FB_FORCE_EXPONENTIAL_LIMIT;
        force->p[0] = fb_get_number(force->element, "lower_limit");
        force->p[1] = fb_get_number(force->element, "upper_limit");
        fb_get_vector(force->element, "lower_shape_parameters", force->p + 2, 2);
        fb_get_vector(force->element, "upper_shape_parameters", force->p + 4, 2);
    } else if (strcmp(name, "ExpressionBasedCoordinateForce") == 0) {
        force->kind = FB_FORCE_COORDINATE_EXPRESSION;
        formula(b, force, 0, "expression", variables, 2);
    } else {
        force->kind = FB_FORCE_COORDINATE_ACTUATOR;
        force->control = 1;
        numbers(force, actuator, 1);
        if (strcmp(name, "ActivationCoordinateActuator") == 0) {
            force->state = 1;
            numbers(force, actuator, 3);
        }
    }
    return find_coordinate(b, force);
}

static bool compile_path(builder *b, fb_force *force, const char *name) {
    static const char
        *const spring[] = {"resting_length", "stiffness", "dissipation", "relaxation_time_constant",
                           "initial_stretch"},
               *const band[] = {"resting_length", "pcsa_force"},
               *const blankevoort[] = {"linear_stiffness", "transition_strain",
                                       "damping_coefficient", "slack_length"},
               *const mckibben[] = {"number_of_turns", "thread_length", "cord_length"},
               *const optimal[] = {"optimal_force"}, *const variables[] = {"s", "ldot"};
    if (strcmp(name, "PathSpring") == 0) {
        force->kind = FB_FORCE_PATH_SPRING;
        numbers(force, spring, 3);
    } else if (strcmp(name, "Ligament") == 0) {
        const fb_element *curve = fb_get_object(force->element, "force_length_curve");
        fb_function *f = fb_arena_alloc(&b->f->arena, sizeof *f);
        if (curve) {
            function(b, f, curve);
        } else {
            default_curve(b, f);
        }
        force->kind = FB_FORCE_LIGAMENT;
        force->functions = f;
        numbers(force, band, 2);
    } else if (strcmp(name, "Blankevoort1991Ligament") == 0) {
        force->kind = FB_FORCE_BLANKEVOORT;
        numbers(force, blankevoort, 4);
    } else if (strcmp(name, "ExpressionBasedPathForce") == 0) {
        force->kind = FB_FORCE_PATH_EXPRESSION;
        numbers(force, band, 1);
        force->p[1] = fb_get_bool(force->element, "clamp_stretch") ? 1 : 0;
        formula(b, force, 0, "expression", variables, 2);
    } else {
        force->control = 1;
        if (strcmp(name, "PathActuator") == 0) {
            force->kind = FB_FORCE_PATH_ACTUATOR;
            numbers(force, optimal, 1);
        } else if (strcmp(name, "McKibbenActuator") == 0) {
            force->kind = FB_FORCE_MCKIBBEN;
            numbers(force, mckibben, 3);
        } else {
            force->kind = FB_FORCE_CLUTCHED_SPRING;
            force->state = 1;
            numbers(force, spring, 5);
        }
    }
    return find_path(b, force);
}

/* The bodies of two points; OpenSim takes points in offset frames as if they were in the bodies. */
static bool find_point_bodies(builder *b, fb_force *force) {
    bool found = find_bodies(b, force, "body1", "body2");
    for (int i = 0; i < 2 && b->f->as_opensim4; i++) {
        fb_pose_identity(&force->frame[i]);
    }
    return found;
}

static bool compile_points(builder *b, fb_force *force, const char *name) {
    static const char *const spring[] = {"stiffness", "rest_length"}, *const variables[] = {"d",
                                                                                            "ddot"};
    bool actuator = strcmp(name, "PointToPointActuator") == 0;
    fb_get_vector(force->element, actuator ? "point_a" : "point1", force->point[0], 3);
    fb_get_vector(force->element, actuator ? "point_b" : "point2", force->point[1], 3);
    if (actuator) {
        force->kind = FB_FORCE_POINT_TO_POINT_ACTUATOR;
        force->control = 1;
        force->p[0] = fb_get_number(force->element, "optimal_force");
        force->point_is_global = fb_get_bool(force->element, "points_are_global");
        return find_bodies(b, force, "body_a", "body_b");
    }
    if (strcmp(name, "PointToPointSpring") == 0) {
        force->kind = FB_FORCE_POINT_TO_POINT_SPRING;
        numbers(force, spring, 2);
    } else {
        force->kind = FB_FORCE_POINT_TO_POINT_EXPRESSION;
        formula(b, force, 0, "expression", variables, 2);
    }
    return find_point_bodies(b, force);
}

static bool compile_body_actuator(builder *b, fb_force *force, const char *name) {
    const fb_element *e = force->element;
    force->control = 1;
    force->p[0] = fb_get_number(e, "optimal_force");
    force->point_is_global = fb_get_bool(e, "point_is_global");
    fb_get_vector(e, "point", force->point[0], 3);
    if (strcmp(name, "TorqueActuator") == 0) {
        force->kind = FB_FORCE_TORQUE_ACTUATOR;
        force->force_is_global = fb_get_bool(e, "torque_is_global");
        fb_get_vector(e, "axis", force->direction, 3);
        fb_v3_normalize(force->direction);
        return find_bodies(b, force, "body_a", "body_b");
    }
    if (strcmp(name, "PointActuator") == 0) {
        force->kind = FB_FORCE_POINT_ACTUATOR;
        force->force_is_global = fb_get_bool(e, "force_is_global");
        fb_get_vector(e, "direction", force->direction, 3);
        fb_v3_normalize(force->direction);
    } else {
        force->kind = FB_FORCE_BODY_ACTUATOR;
        force->force_is_global = fb_get_bool(e, "spatial_force_is_global");
    }
    return find_bodies(b, force, "body", NULL);
}

static bool compile_prescribed(builder *b, fb_force *force, const char *name) {
    static const char *const keys[] = {"force_functions", "point_functions", "torque_functions"};
    (void)name;
    fb_function *functions = fb_arena_array(&b->f->arena, 9, sizeof *functions);
    for (int i = 0; i < 3; i++) {
        const fb_value *three = fb_get(force->element, keys[i]);
        force->given[i] = three && three->n == 3; /* any other number counts as none */
        for (int k = 0; force->given[i] && k < 3; k++) {
            function(b, &functions[3 * i + k], three->as.objects[k]);
        }
    }
    force->kind = FB_FORCE_PRESCRIBED;
    force->functions = functions;
    force->point_is_global = fb_get_bool(force->element, "point_is_global");
    force->force_is_global = fb_get_bool(force->element, "force_is_global");
    return find_bodies(b, force, "frame", NULL);
}

/* 6 x 6 matrices of a bushing: diagonals of two vectors, or rows. */
static const double *bushing_matrix(builder *b, const fb_force *force, const char *what) {
    double *matrix = fb_arena_array(&b->f->arena, 36, sizeof *matrix), d[6] = {0};
    char key[40];
    snprintf(key, sizeof key, "rotational_%s", what);
    bool diagonal = fb_get_vector(force->element, key, d, 3);
    snprintf(key, sizeof key, "translational_%s", what);
    fb_get_vector(force->element, key, d + 3, 3);
    for (int i = 0; i < 6; i++) {
        snprintf(key, sizeof key, "%s_row%d", what, i + 1);
        if (diagonal) {
            matrix[7 * i] = d[i];
        } else {
            fb_get_vector(force->element, key, matrix + 6 * i, 6);
        }
    }
    return matrix;
}

static bool compile_bushing(builder *b, fb_force *force, const char *name) {
    static const char *const variables[] = {"theta_x", "theta_y", "theta_z",
                                            "delta_x", "delta_y", "delta_z"};
    bool functions = strcmp(name, "FunctionBasedBushingForce") == 0;
    bool formulas = strcmp(name, "ExpressionBasedBushingForce") == 0;
    fb_function *f = functions ? fb_arena_array(&b->f->arena, 6, sizeof *f) : NULL;
    for (int i = 0; i < 6; i++) {
        char key[40];
        snprintf(key, sizeof key, "%s_%c_%s", i < 3 ? "moment" : "force", "xyz"[i % 3],
                 functions ? "function" : "expression");
        if (functions) {
            function(b, &f[i], fb_get_object(force->element, key));
        } else if (formulas) {
            formula(b, force, i, key, variables, 6);
        }
    }
    force->kind = functions  ? FB_FORCE_FUNCTION_BUSHING
                  : formulas ? FB_FORCE_EXPRESSION_BUSHING
                             : FB_FORCE_BUSHING;
    force->functions = f;
    force->stiffness = bushing_matrix(b, force, "stiffness");
    force->damping = bushing_matrix(b, force, "damping");
    for (int i = 0; i < 2; i++) {
        force->body[i] = linked_frame(b,
                                      fb_get_target(force->element, i == 0 ? "frame1" : "frame2"),
                                      &force->frame[i]);
    }
    return force->body[0] >= 0 && force->body[1] >= 0;
}

/* ---- all of them ---------------------------------------------------------------------------- */

/* Numbers the controls and the state that the class has. */
static void add_force(builder *b, fb_force force) {
    if (force.control > 0) {
        force.control = b->f->n_controls;
        b->f->n_controls += force.kind == FB_FORCE_BODY_ACTUATOR ? 6 : 1;
    }
    if (force.state > 0) {
        double initial = force.p[force.kind == FB_FORCE_CLUTCHED_SPRING ? 4 : 2];
        force.state = (int)b->n_states;
        FB_PUSH(&b->f->arena, b->f->default_states, b->n_states, b->capacity_states, initial);
    }
    FB_PUSH(&b->f->arena, b->f->forces, b->n, b->capacity, force);
}

typedef bool compile_class(builder *b, fb_force *force, const char *name);

static compile_class *compiler_of(const char *name) {
    static const struct {
        const char *name;
        compile_class *compile;
    } classes[] = {{"CoordinateActuator", compile_coordinate},
                   {"ActivationCoordinateActuator", compile_coordinate},
                   {"SpringGeneralizedForce", compile_coordinate},
                   {"CoordinateLimitForce", compile_coordinate},
                   {"ExpressionBasedCoordinateForce", compile_coordinate},
                   {"ExponentialCoordinateForce", compile_coordinate},
                   {"ExponentialCoordinateLimitForce", compile_coordinate},
                   {"PathActuator", compile_path},
                   {"ClutchedPathSpring", compile_path},
                   {"McKibbenActuator", compile_path},
                   {"PathSpring", compile_path},
                   {"Ligament", compile_path},
                   {"Blankevoort1991Ligament", compile_path},
                   {"ExpressionBasedPathForce", compile_path},
                   {"PointActuator", compile_body_actuator},
                   {"TorqueActuator", compile_body_actuator},
                   {"BodyActuator", compile_body_actuator},
                   {"PointToPointActuator", compile_points},
                   {"PointToPointSpring", compile_points},
                   {"ExpressionBasedPointToPointForce", compile_points},
                   {"PrescribedForce", compile_prescribed},
                   {"BushingForce", compile_bushing},
                   {"CoupledBushingForce", compile_bushing},
                   {"FunctionBasedBushingForce", compile_bushing},
                   {"ExpressionBasedBushingForce", compile_bushing},
                   {"HuntCrossleyForce", fb_force_compile_contact},
                   {"SmoothSphereHalfSpaceForce", fb_force_compile_contact},
                   {"ElasticFoundationForce", fb_force_compile_foundation},
                   {"ExponentialContactForce", fb_force_compile_station},
                   {"AckermannVanDenBogert2010Force", fb_force_compile_station},
                   {"MeyerFregly2016Force", fb_force_compile_station},
                   {"EspositoMiller2018Force", fb_force_compile_station}};
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
        if (strcmp(classes[i].name, name) == 0) {
            return classes[i].compile;
        }
    }
    return NULL;
}

/* The key of a number that is none; NULL if all are there. OpenSim refuses a model without those
 * that must be given, such as a path spring's dissipation: their defaults there are nan. */
static const char *missing_number(const fb_element *element) {
    for (int i = 0; i < element->cls->n_fields; i++) {
        const fb_field *field = &element->cls->fields[i];
        if (field->type == FB_NUMBER && !(field->flags & FB_OPTIONAL) &&
            isnan(fb_get_number(element, field->key))) {
            return field->key;
        }
    }
    return NULL;
}

/* Why a force divides by zero; NULL: it does not. */
static const char *divides_by_zero(const fb_force *force) {
    switch (force->kind) {
    case FB_FORCE_LIGAMENT: return force->p[0] > 0 ? NULL : "its resting length is not positive";
    case FB_FORCE_BLANKEVOORT: return force->p[3] > 0 ? NULL : "its slack length is not positive";
    case FB_FORCE_MCKIBBEN: return force->p[0] != 0 ? NULL : "its number of turns is zero";
    default: return NULL;
    }
}

static void compile_force(builder *b, const fb_element *element) {
    fb_force force = {.element = element, .coordinate = -1, .path = -1, .control = -1, .state = -1};
    compile_class *compile = compiler_of(element->cls->name);
    if (!fb_get_bool(element, "enabled")) {
        return;
    }
    if (strcmp(element->cls->name, "ExternalForce") == 0) {
        if (!b->resources || !b->resources->has_external_forces) {
            fb_force_skip(b, element, "a measured load acts only with its data");
        }
    } else if (!compile) {
        fb_force_skip(b, element, "forces of its class are not computed");
    } else if (!compile(b, &force, element->cls->name)) {
        fb_force_skip(b, element, "something that it acts on is not part of the mechanics");
    } else if (force.path >= 0 && b->paths->paths[force.path].lacking) {
        b->f->n_skipped++; /* the path was told */
    } else if (missing_number(element)) {
        fb_force_skip(b, element,
                      fb_arena_printf(&b->f->arena, "%s is not given, or is no number",
                                      missing_number(element)));
    } else if (divides_by_zero(&force)) {
        fb_force_skip(b, element, divides_by_zero(&force));
    } else {
        add_force(b, force);
    }
}

/* Kept elements of the force set, unless their XML says that they do not act. */
static void tell_kept(builder *b) {
    const fb_list *kept = fb_model_items(b->f->system->model, "kept");
    for (size_t i = 0; kept && i < kept->n; i++) {
        const fb_element *element = kept->items[i];
        const char *xml = fb_get_string(element, "xml");
        bool off = xml && (strstr(xml, "<appliesForce>false</appliesForce>") ||
                           strstr(xml, "<isDisabled>true</isDisabled>"));
        const char *path = element->path;
        if (path && strncmp(path, "/forceset/", 10) == 0 && !strchr(path + 10, '/') && !off) {
            fb_force_skip(b, element, "forces of its class are not computed");
        }
    }
}

static void compile_all(builder *b) {
    const fb_model *model = b->f->system->model;
    const fb_list *muscles = fb_model_items(model, "muscles");
    for (int i = 0; i < FB_LIST_COUNT; i++) {
        for (size_t j = 0; j < model->lists[i].n && &model->lists[i] != muscles; j++) {
            if (model->lists[i].items[j]->cls->family == FB_FORCE) {
                compile_force(b, model->lists[i].items[j]);
            }
        }
    }
    tell_kept(b);
    b->f->n_forces = (int)b->n;
    b->f->n_states = (int)b->n_states;
}

fb_status fb_forces_compile(fb_forces **forces, const fb_system *system, const fb_paths *paths,
                            bool as_opensim4, const fb_resources *resources, fb_diag *diag) {
    *forces = NULL;
    fb_forces *f = fb_alloc(sizeof *f);
    if (!f) {
        return FB_E_MEMORY;
    }
    memset(f, 0, sizeof *f);
    fb_arena_init(&f->arena);
    f->system = system;
    f->as_opensim4 = as_opensim4;
    builder b = {.f = f, .paths = paths, .resources = resources, .diag = diag};
    jmp_buf oom;
    if (setjmp(oom)) {
        b.status = FB_E_MEMORY;
        fb_diag_add(diag, FB_ERROR, FB1003, (fb_place){0}, NULL, "out of memory");
    } else {
        f->arena.oom = &oom;
        compile_all(&b);
        f->arena.oom = NULL;
    }
    if (b.status != FB_OK) {
        fb_forces_free(f);
        return b.status;
    }
    *forces = f;
    return FB_OK;
}

void fb_forces_free(fb_forces *forces) {
    if (!forces) {
        return;
    }
    fb_arena_clear(&forces->arena);
    fb_free(forces);
}

const fb_force *fb_forces_find(const fb_forces *forces, const fb_element *element) {
    for (int i = 0; i < forces->n_forces; i++) {
        if (forces->forces[i].element == element) {
            return &forces->forces[i];
        }
    }
    return NULL;
}

int fb_forces_control(const fb_forces *forces, const fb_element *actuator) {
    const fb_force *force = fb_forces_find(forces, actuator);
    return force ? force->control : -1;
}

/* ---- actuators and given forces ------------------------------------------------------------- */

void fb_force_at_point(const fb_force_work *work, int body, const double *point,
                       const double *force) {
    double moment[3], *to = work->external[body];
    fb_v3_cross(moment, point, force);
    fb_v3_add(to, to, moment);
    fb_v3_add(to + 3, to + 3, force);
}

static double control_of(const fb_force *force, const fb_force_work *work, int i) {
    return work->controls ? work->controls[force->control + i] : 0;
}

static double state_of(const fb_force *force, const double *states, const fb_forces *forces) {
    return (states ? states : forces->default_states)[force->state];
}

/* CoordinateActuator: u F_opt; with an activation that follows the control: a F_opt */
static void coordinate_actuator(const fb_force *force, const fb_force_work *work) {
    double drive = force->state >= 0 ? state_of(force, work->states, work->forces)
                                     : control_of(force, work, 0);
    work->tau[force->coordinate] += drive * force->p[0];
}

static void path_actuator(const fb_force *force, const fb_force_work *work) {
    const double *p = force->p;
    double u = control_of(force, work, 0), tension = 0;
    if (force->kind == FB_FORCE_PATH_ACTUATOR) { /* u F_opt */
        tension = u * p[0];
    } else if (force->kind == FB_FORCE_MCKIBBEN) { /* P / (4 pi n^2) (3 (L - L_cord)^2 - b^2) */
        double length = work->path_length[force->path] - p[2];
        tension = u / (4 * M_PI * p[0] * p[0]) * (3 * length * length - p[1] * p[1]);
    } else { /* ClutchedPathSpring: clamp(u) k z (1 + d L') */
        double hold = u < 0 ? 0 : u > 1 ? 1 : u, z = state_of(force, work->states, work->forces);
        tension = hold * p[1] * z * (1 + p[2] * work->path_speed[force->path]);
    }
    work->tension[force->path] += tension;
}

/* A point of a force's i-th body in ground. */
static void ground_point(const fb_force *force, int i, const fb_state *state, const double *point,
                         double *ground) {
    double in_body[3];
    if (force->point_is_global) {
        fb_v3_copy(ground, point);
        return;
    }
    fb_pose_point(in_body, &force->frame[i], point);
    fb_pose_point(ground, &state->pose[force->body[i]], in_body);
}

/* A direction of a force's first body in ground. */
static void ground_direction(const fb_force *force, const fb_state *state, const double *direction,
                             double *ground) {
    double in_body[3];
    if (force->force_is_global) {
        fb_v3_copy(ground, direction);
        return;
    }
    fb_m3_mul_v3(in_body, force->frame[0].R, direction);
    fb_m3_mul_v3(ground, state->pose[force->body[0]].R, in_body);
}

/* PointActuator: u F_opt at a point. TorqueActuator: u F_opt about an axis, on body a, and its
 * opposite on body b. BodyActuator: torque and force from six controls. */
static void body_actuator(const fb_force *force, const fb_force_work *work) {
    double six[6] = {0}, torque[3], push[3], point[3], u = control_of(force, work, 0) * force->p[0];
    if (force->kind == FB_FORCE_BODY_ACTUATOR) {
        for (int i = 0; i < 6; i++) {
            six[i] = control_of(force, work, i);
        }
    } else {
        fb_v3_scale(force->kind == FB_FORCE_TORQUE_ACTUATOR ? six : six + 3, u, force->direction);
    }
    ground_direction(force, work->state, six, torque);
    ground_direction(force, work->state, six + 3, push);
    ground_point(force, 0, work->state, force->point[0], point);
    fb_force_at_point(work, force->body[0], point, push);
    fb_v3_madd(work->external[force->body[0]], 1, torque);
    if (force->kind == FB_FORCE_TORQUE_ACTUATOR) {
        fb_v3_madd(work->external[force->body[1]], -1, torque);
    }
}

/* PointToPointActuator: u F_opt pushes the points apart. */
static void point_to_point_actuator(const fb_force *force, const fb_force_work *work) {
    double a[3], b[3], push[3], direction[3], size = control_of(force, work, 0) * force->p[0];
    ground_point(force, 0, work->state, force->point[0], a);
    ground_point(force, 1, work->state, force->point[1], b);
    fb_v3_sub(direction, a, b);
    fb_v3_normalize(direction);
    fb_v3_scale(push, size, direction);
    fb_force_at_point(work, force->body[0], a, push);
    fb_v3_scale(push, -size, direction);
    fb_force_at_point(work, force->body[1], b, push);
}

/* PrescribedForce: functions of time. */
static void prescribed(const fb_force *force, const fb_force_work *work) {
    double x[9] = {0}, push[3], torque[3], point[3];
    for (int i = 0; i < 9; i++) {
        if (force->given[i / 3]) {
            x[i] = fb_function_value(&force->functions[i], work->time, NULL, NULL);
        }
    }
    if (force->given[1]) {
        ground_point(force, 0, work->state, x + 3, point);
    } else { /* the frame's origin, whatever point_is_global says */
        fb_pose_point(point, &work->state->pose[force->body[0]], force->frame[0].p);
    }
    ground_direction(force, work->state, x, push);
    ground_direction(force, work->state, x + 6, torque);
    fb_force_at_point(work, force->body[0], point, push);
    fb_v3_madd(work->external[force->body[0]], 1, torque);
}

/* ---- applying ------------------------------------------------------------------------------- */

void fb_forces_apply(const fb_forces *forces, const fb_state *state, double time,
                     const double *controls, const double *states, const double *path_length,
                     const double *path_speed, double *tension, double (*external)[6],
                     double *tau) {
    const fb_force_work work = {forces,      state,      time,    controls, states,
                                path_length, path_speed, tension, external, tau};
    for (int i = 0; i < forces->n_forces; i++) {
        const fb_force *force = &forces->forces[i];
        switch (force->kind) {
        case FB_FORCE_COORDINATE_ACTUATOR: coordinate_actuator(force, &work); break;
        case FB_FORCE_PATH_ACTUATOR:
        case FB_FORCE_CLUTCHED_SPRING:
        case FB_FORCE_MCKIBBEN: path_actuator(force, &work); break;
        case FB_FORCE_POINT_ACTUATOR:
        case FB_FORCE_TORQUE_ACTUATOR:
        case FB_FORCE_BODY_ACTUATOR: body_actuator(force, &work); break;
        case FB_FORCE_POINT_TO_POINT_ACTUATOR: point_to_point_actuator(force, &work); break;
        case FB_FORCE_PRESCRIBED: prescribed(force, &work); break;
        case FB_FORCE_HUNT_CROSSLEY:
        case FB_FORCE_SMOOTH_SPHERE: fb_force_contact(force, &work); break;
        case FB_FORCE_ELASTIC_FOUNDATION: fb_force_foundation(force, &work); break;
        case FB_FORCE_EXPONENTIAL_CONTACT:
        case FB_FORCE_ACKERMANN:
        case FB_FORCE_MEYER:
        case FB_FORCE_ESPOSITO: fb_force_station(force, &work); break;
        default: fb_force_spring(force, &work); break;
        }
    }
}

double fb_force_tension(const fb_forces *forces, const fb_force *force, const double *controls,
                        const double *states, double length, double speed) {
    double tension = 0;
    fb_force alone = *force; /* on a path that is the only one */
    alone.path = 0;
    const fb_force_work work = {.forces = forces,
                                .controls = controls,
                                .states = states,
                                .path_length = &length,
                                .path_speed = &speed,
                                .tension = &tension};
    if (force->control >= 0) {
        path_actuator(&alone, &work);
    } else {
        fb_force_spring(&alone, &work);
    }
    return tension;
}

void fb_forces_rates(const fb_forces *forces, const double *controls, const double *states,
                     const double *path_speed, double *rates) {
    for (int i = 0; i < forces->n_forces; i++) {
        const fb_force *force = &forces->forces[i];
        if (force->state < 0) {
            continue;
        }
        double u = controls ? controls[force->control] : 0;
        double z = state_of(force, states, forces), *rate = &rates[force->state];
        if (force->kind == FB_FORCE_CLUTCHED_SPRING) { /* z' = L' while engaged, else -z / tau */
            *rate = u > ENGAGED ? path_speed[force->path] : -z / force->p[3];
        } else { /* a' = (u - a) / tau */
            *rate = (u - z) / force->p[1];
        }
    }
}
