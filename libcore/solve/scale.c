#include "libcore/solve/scale.h"

#include <math.h>
#include <string.h>

#include "libcore/muscle/simulation.h"

typedef struct job {
    fb_model *model;
    const fb_body_scale *scales;
    int n;
    const fb_scale_options *options;
    fb_diag *diag;
    fb_status status;
    double *lengths; /* of all paths, before */
} job;

static bool is(const fb_element *element, const char *cls) {
    return strcmp(element->cls->name, cls) == 0;
}

/* The factors of a frame: its base body's. */
static const double *factors_of(const job *j, const fb_element *frame) {
    static const double one[3] = {1, 1, 1};
    const fb_element *base = NULL;
    fb_pose pose;
    if (!frame || !fb_frame_pose(frame, &pose, &base) || !base) {
        return one;
    }
    for (int i = 0; i < j->n; i++) {
        if (strcmp(fb_osim_name(base), j->scales[i].body) == 0) {
            return j->scales[i].factor;
        }
    }
    return one;
}

static void scale_vector(job *j, fb_element *element, const char *key, const double *s) {
    double x[3];
    if (fb_get_vector(element, key, x, 3)) {
        for (int i = 0; i < 3; i++) {
            x[i] *= s[i];
        }
        fb_value_set_numbers(j->model, fb_value_of(element, key), x, 3);
    }
}

static void scale_number(fb_element *element, const char *key, double factor) {
    fb_value *value = fb_value_of(element, key);
    if (value && value->present) {
        value->as.number *= factor;
    }
}

/* A function times a factor, by OpenSim's class for that. */
static void multiply(job *j, fb_element *owner, fb_value *slot, double factor) {
    fb_element *inner = slot->as.object;
    if (is(inner, "MultiplierFunction")) {
        scale_number(inner, "scale", factor);
        return;
    }
    fb_element *outer = fb_element_new(j->model, fb_class_find("MultiplierFunction"), NULL);
    outer->owner = owner;
    outer->name = inner->name;
    fb_element_defaults(j->model, outer);
    inner->owner = outer;
    fb_value_set_number(fb_value_of(outer, "scale"), factor);
    *fb_value_of(outer, "function") = (fb_value){.present = true, .n = 1, .as.object = inner};
    *slot = (fb_value){.present = true, .n = 1, .as.object = outer};
}

/* ---- points, frames, joints ------------------------------------------------------------------ */

static void scale_geometry(job *j, fb_element *frame) {
    const fb_value *shapes = fb_get(frame, "geometry");
    const double *s = factors_of(j, frame);
    for (int i = 0; shapes && shapes->present && i < shapes->n; i++) {
        scale_vector(j, shapes->as.objects[i], "scale", s);
    }
}

static void scale_moving_point(job *j, fb_element *point) {
    static const char *const keys[3][2] = {{"x", "x_coordinate"},
                                           {"y", "y_coordinate"},
                                           {"z", "z_coordinate"}};
    const double *s = factors_of(j, fb_get_target(point, "frame"));
    for (int i = 0; i < 3; i++) {
        fb_value *slot = fb_value_of(point, keys[i][0]);
        if (slot && slot->present && fb_get_target(point, keys[i][1])) {
            multiply(j, point, slot, s[i]);
        }
    }
}

static bool is_identity(const fb_element *function) {
    double c[2];
    return is(function, "LinearFunction") && fb_get_vector(function, "coefficients", c, 2) &&
           c[0] == 1 && c[1] == 0;
}

static void scale_custom_joint(job *j, fb_element *joint) {
    const fb_value *axes = fb_get(joint, "axes");
    const double *s = factors_of(j, fb_get_target(joint, "parent"));
    for (int i = 3; axes && axes->present && i < axes->n; i++) {
        fb_element *axis = axes->as.objects[i];
        fb_value *slot = fb_value_of(axis, "function");
        double a[3], factor = 0;
        if (!slot || !slot->present || is_identity(slot->as.object) ||
            !fb_get_vector(axis, "axis", a, 3)) {
            continue;
        }
        for (int k = 0; k < 3; k++) {
            factor += fabs(a[k]) * s[k];
        }
        multiply(j, axis, slot, factor);
    }
}

static void scale_scapulothoracic(job *j, fb_element *joint) {
    const double *s = factors_of(j, fb_get_target(joint, "parent")),
                 *child = factors_of(j, fb_get_target(joint, "child"));
    double origin[2];
    scale_vector(j, joint, "thorax_radii", s);
    if (fb_get_vector(joint, "winging_axis_origin", origin, 2)) {
        origin[0] *= child[0];
        origin[1] *= child[1];
        fb_value_set_numbers(j->model, fb_value_of(joint, "winging_axis_origin"), origin, 2);
    }
}

/* Only those whose dependent coordinate is a distance. */
static void scale_coupler(job *j, fb_element *coupler) {
    const fb_element *coordinate = fb_get_target(coupler, "dependent_coordinate");
    if (!coordinate || fb_coordinate_motion(coordinate) != FB_TRANSLATIONAL) {
        return;
    }
    const double *s = factors_of(j, fb_get_target(coordinate->owner, "parent"));
    if (s[0] != s[1] || s[1] != s[2]) {
        fb_diag_add(j->diag, FB_ERROR, FB2601, fb_element_place(coupler), NULL,
                    "its dependent coordinate '%s' is a distance, which scales only if its joint's "
                    "parent does so by the same factor along all axes",
                    fb_osim_name(coordinate));
        j->status = FB_E_INPUT;
        return;
    }
    scale_number(coupler, "scale_factor", s[0]);
}

/* ---- wrap objects ---------------------------------------------------------------------------- */

static void scale_wrap(job *j, fb_element *wrap) {
    const double *s = factors_of(j, fb_get_target(wrap, "frame"));
    double angles[3] = {0, 0, 0}, R[9], length[3];
    fb_get_vector(wrap, "rotation_xyz", angles, 3);
    fb_m3_from_xyz(R, angles);
    for (int a = 0; a < 3; a++) { /* of the object's axes */
        double x[3] = {R[a] * s[0], R[3 + a] * s[1], R[6 + a] * s[2]};
        length[a] = fb_v3_norm(x);
    }
    scale_vector(j, wrap, "translation", s);
    double across = (length[0] + length[1]) / 2;
    if (is(wrap, "WrapSphere")) {
        scale_number(wrap, "radius", (s[0] + s[1] + s[2]) / 3);
    } else if (is(wrap, "WrapCylinder")) {
        scale_number(wrap, "radius", across);
        scale_number(wrap, "length", length[2]);
    } else if (is(wrap, "WrapEllipsoid")) {
        scale_vector(j, wrap, "dimensions", length);
    } else if (is(wrap, "WrapTorus")) {
        scale_number(wrap, "inner_radius", across);
        scale_number(wrap, "outer_radius", across);
    }
}

/* ---- all elements ---------------------------------------------------------------------------- */

static void scale_element(job *j, fb_element *element) {
    static const char *const points[] = {"Station", "Marker", "PathPoint", "ConditionalPathPoint"};
    for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
        if (is(element, points[i])) {
            scale_vector(j, element, "location", factors_of(j, fb_get_target(element, "frame")));
        }
    }
    if (is(element, "Body")) {
        scale_vector(j, element, "mass_center", factors_of(j, element));
    } else if (is(element, "PhysicalOffsetFrame")) {
        scale_vector(j, element, "translation", factors_of(j, fb_get_target(element, "parent")));
    } else if (is(element, "MovingPathPoint")) {
        scale_moving_point(j, element);
    } else if (is(element, "CustomJoint")) {
        scale_custom_joint(j, element);
    } else if (is(element, "EllipsoidJoint")) {
        scale_vector(j, element, "radii", factors_of(j, fb_get_target(element, "parent")));
    } else if (is(element, "ScapulothoracicJoint")) {
        scale_scapulothoracic(j, element);
    } else if (is(element, "ConstantCurvatureJoint")) {
        scale_number(element, "length", factors_of(j, fb_get_target(element, "child"))[1]);
    } else if (is(element, "CoordinateCouplerConstraint")) {
        scale_coupler(j, element);
    } else if (strncmp(element->cls->name, "Wrap", 4) == 0) {
        scale_wrap(j, element);
    }
    if (element->cls->family == FB_BODY || element->cls->family == FB_FRAME ||
        element->cls->family == FB_GROUND) {
        scale_geometry(j, element);
    }
    for (int i = 0; i < element->cls->n_fields; i++) {
        const fb_value *value = &element->values[i];
        if (value->present && element->cls->fields[i].type == FB_OBJECT) {
            scale_element(j, value->as.object);
        }
        for (int k = 0;
             value->present && element->cls->fields[i].type == FB_OBJECTS && k < value->n; k++) {
            scale_element(j, value->as.objects[k]);
        }
    }
}

/* What has a place and keeps it, although its body changes. */
static void tell_unscaled(const job *j) {
    static const char *const lists[] = {"constraints", "contact_geometry"};
    for (size_t l = 0; l < sizeof lists / sizeof *lists; l++) {
        const fb_list *list = fb_model_items(j->model, lists[l]);
        for (size_t i = 0; list && i < list->n; i++) {
            const fb_element *e = list->items[i];
            if (!is(e, "CoordinateCouplerConstraint") && !is(e, "WeldConstraint")) {
                fb_diag_add(j->diag, FB_WARNING, FB2601, fb_element_place(e), NULL,
                            "it is not scaled, as in OpenSim");
            }
        }
    }
}

/* ---- masses ---------------------------------------------------------------------------------- */

void fb_scale_inertia(double *I, double mass, const double *s, bool with_mass) {
    double volume = with_mass ? fabs(s[0] * s[1] * s[2]) : 1;
    if (!(mass > 2.220446049250313e-16)) {
        memset(I, 0, 6 * sizeof *I);
        return;
    }
    if (s[0] == s[1] && s[1] == s[2]) {
        for (int i = 0; i < 6; i++) {
            I[i] *= s[0] * s[0] * volume;
        }
        return;
    }
    /* a cylinder about the axis of the smallest moment */
    int k = I[0] <= I[1] ? (I[0] <= I[2] ? 0 : 2) : (I[1] <= I[2] ? 1 : 2), other = k == 0 ? 1 : 0;
    double r2 = 2 * I[k] / mass, h2 = fmax(12 * (I[other] / mass - 0.25 * r2), 0);
    double m = mass * volume, h = sqrt(h2) * s[k];
    r2 *= s[(k + 1) % 3] * s[(k + 2) % 3];
    for (int i = 0; i < 3; i++) {
        I[i] = i == k ? 0.5 * m * r2 : m * (h * h / 12 + 0.25 * r2);
    }
    I[3] *= s[0] * s[1] * volume;
    I[4] *= s[0] * s[2] * volume;
    I[5] *= s[1] * s[2] * volume;
}

static void scale_masses(job *j) {
    fb_list *bodies = fb_model_list(j->model, "bodies");
    bool with_mass = !j->options->preserve_mass_distribution;
    double total = 0;
    for (size_t i = 0; i < bodies->n; i++) {
        fb_element *body = bodies->items[i];
        const double *s = factors_of(j, body);
        double mass = fb_get_number(body, "mass"), inertia[6];
        if (!isfinite(mass)) {
            continue;
        }
        if (fb_get_vector(body, "inertia", inertia, 6)) {
            fb_scale_inertia(inertia, mass, s, with_mass);
            fb_value_set_numbers(j->model, fb_value_of(body, "inertia"), inertia, 6);
        }
        mass *= with_mass ? fabs(s[0] * s[1] * s[2]) : 1;
        fb_value_set_number(fb_value_of(body, "mass"), mass);
        total += mass;
    }
    if (!(j->options->mass > 0)) {
        return;
    }
    if (!(total > 0)) {
        fb_diag_add(j->diag, FB_ERROR, FB2601, fb_element_place(j->model->root), NULL,
                    "its bodies have no mass that could be brought to %g kg", j->options->mass);
        j->status = FB_E_INPUT;
        return;
    }
    for (size_t i = 0; i < bodies->n; i++) {
        double inertia[6];
        scale_number(bodies->items[i], "mass", j->options->mass / total);
        if (fb_get_vector(bodies->items[i], "inertia", inertia, 6)) {
            for (int k = 0; k < 6; k++) {
                inertia[k] *= j->options->mass / total;
            }
            fb_value_set_numbers(j->model, fb_value_of(bodies->items[i], "inertia"), inertia, 6);
        }
    }
}

/* ---- lengths of paths ------------------------------------------------------------------------ */

/* The lengths of all paths in the default pose, n of them; NULL if there are none or that fails. */
static double *path_lengths(job *j, const fb_element ***owners, int *n) {
    fb_simulation *s;
    fb_diag quiet;
    fb_diag_init(&quiet);
    j->status = fb_simulation_new(&s, j->model, j->options->as_opensim4, &quiet);
    *n = 0;
    if (j->status != FB_OK) {
        for (size_t i = 0; i < quiet.n; i++) {
            const fb_record *r = &quiet.records[i];
            if (r->action == FB_ERROR) {
                fb_diag_add(j->diag, FB_ERROR, r->id, (fb_place){r->file, r->line, r->path, r->cls},
                            r->effect, "%s", r->message);
            }
        }
        fb_diag_clear(&quiet);
        return NULL;
    }
    fb_diag_clear(&quiet);
    fb_state_defaults(s->state);
    (void)fb_assemble(s->state, 1e-9); /* where it cannot be, the defaults stand */
    fb_simulation_move(s);
    int count = s->paths->n_paths;
    double *lengths = fb_alloc((size_t)count * sizeof *lengths + 1);
    *owners = fb_alloc((size_t)count * sizeof **owners + 1);
    for (int i = 0; lengths && *owners && i < count; i++) {
        lengths[i] = s->path_length[i];
        (*owners)[i] = s->paths->paths[i].owner;
    }
    j->status = lengths && *owners ? FB_OK : FB_E_MEMORY;
    *n = count;
    fb_simulation_free(s);
    return lengths;
}

/* Fiber and slack lengths in proportion to the path's. */
static void stretch(job *j, const fb_element *owner, double factor) {
    static const char *const classes[][3] = {{"Ligament", "resting_length", NULL},
                                             {"PathSpring", "resting_length", NULL},
                                             {"ExpressionBasedPathForce", "resting_length", NULL},
                                             {"Blankevoort1991Ligament", "slack_length", NULL}};
    fb_element *element = NULL;
    for (int l = 0; l < FB_LIST_COUNT; l++) {
        const fb_list *list = &j->model->lists[l];
        for (size_t i = 0; i < list->n; i++) {
            element = list->items[i] == owner ? list->items[i] : element;
        }
    }
    if (!element) {
        return;
    }
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
        if (is(owner, classes[i][0])) {
            scale_number(element, classes[i][1], factor);
        }
    }
    if (fb_class_field(owner->cls, "optimal_fiber_length") >= 0 &&
        !is(owner, "RigidTendonMuscle")) {
        scale_number(element, "optimal_fiber_length", factor);
        scale_number(element, "tendon_slack_length", factor);
    }
}

fb_status fb_scale_model(fb_model *model, const fb_body_scale *scales, int n,
                         const fb_scale_options *options, fb_diag *diag) {
    job j = {.model = model, .scales = scales, .n = n, .options = options, .diag = diag};
    const fb_element **owners = NULL, **later = NULL;
    jmp_buf oom, *outer = model->arena.oom;
    int n_paths, n_later;
    for (int i = 0; i < n; i++) {
        const double *s = scales[i].factor;
        if (!(s[0] > 0 && s[1] > 0 && s[2] > 0 && s[0] + s[1] + s[2] < 1e9)) {
            fb_diag_add(diag, FB_ERROR, FB2601, (fb_place){model->file, 0, NULL, NULL}, NULL,
                        "the factors of '%s' are %g %g %g: they must be positive", scales[i].body,
                        s[0], s[1], s[2]);
            return FB_E_INPUT;
        }
    }
    double *before = path_lengths(&j, &owners, &n_paths), *after = NULL;
    if (j.status == FB_OK) {
        if (setjmp(oom)) {
            j.status = FB_E_MEMORY;
        } else {
            model->arena.oom = &oom;
            scale_element(&j, model->ground);
            for (int l = 0; l < FB_LIST_COUNT; l++) {
                for (size_t i = 0; i < model->lists[l].n; i++) {
                    scale_element(&j, model->lists[l].items[i]);
                }
            }
            scale_masses(&j);
            tell_unscaled(&j);
        }
        model->arena.oom = outer;
    }
    if (j.status == FB_OK) {
        after = path_lengths(&j, &later, &n_later);
        for (int i = 0; j.status == FB_OK && i < n_paths && i < n_later; i++) {
            if (before[i] > 0 && after[i] > 0) {
                stretch(&j, owners[i], after[i] / before[i]);
            }
        }
    }
    fb_free(before);
    fb_free(after);
    fb_free(owners);
    fb_free(later);
    return j.status;
}
