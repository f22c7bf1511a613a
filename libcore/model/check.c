#include "libcore/base/number.h"
#include "libcore/model/check.h"

#include <math.h>
#include <string.h>

/* ---- walking -------------------------------------------------------------------------------- */

void fb_visit(const fb_element *element, void (*act)(const fb_element *, void *), void *context) {
    act(element, context);
    for (int i = 0; i < element->cls->n_fields; i++) {
        const fb_value *value = &element->values[i];
        fb_type type = element->cls->fields[i].type;
        if (!value->present || (type != FB_OBJECT && type != FB_OBJECTS)) {
            continue;
        }
        for (int j = 0; j < value->n; j++) {
            fb_visit(type == FB_OBJECT ? value->as.object : value->as.objects[j], act, context);
        }
    }
}

void fb_visit_model(const fb_model *model, void (*act)(const fb_element *, void *), void *context) {
    fb_visit(model->root, act, context);
    fb_visit(model->ground, act, context);
    for (int i = 0; i < FB_LIST_COUNT; i++) {
        for (size_t j = 0; j < model->lists[i].n; j++) {
            fb_visit(model->lists[i].items[j], act, context);
        }
    }
}

/* ---- records -------------------------------------------------------------------------------- */

/* "Thelen2003Muscle 'TRIlong'": the element's class, the component's name. */
#define WHO "%s '%s': "
#define WHO_ARGS(E) \
    (E)->cls->name, fb_element_component(E)->name ? fb_element_component(E)->name : ""

/* ---- frames and topology -------------------------------------------------------------------- */

#define MAX_FRAMES 1000 /* offset frames on one another */

const fb_element *fb_base_frame(const fb_element *frame) {
    for (int i = 0; frame && i < MAX_FRAMES; i++) {
        if (frame->cls->family == FB_BODY || frame->cls->family == FB_GROUND) {
            return frame;
        }
        const fb_element *parent = fb_get_target(frame, "parent");
        if (!parent && fb_get(frame, "origin")) {
            parent = fb_get_target(fb_get_target(frame, "origin"), "frame");
        }
        frame = parent;
    }
    return NULL;
}

double fb_total_mass(const fb_model *model) {
    const fb_list *bodies = fb_model_items(model, "bodies");
    double mass = 0;
    for (size_t i = 0; i < bodies->n; i++) {
        double one = fb_get_number(bodies->items[i], "mass");
        if (one > 0) {
            mass += one;
        }
    }
    return mass;
}

static void check_frames(const fb_model *model, fb_diag *diag) {
    const fb_list *frames = fb_model_items(model, "frames");
    for (size_t i = 0; i < frames->n; i++) {
        if (!fb_base_frame(frames->items[i])) {
            fb_diag_add(diag, FB_ERROR, FB2205, fb_element_place(frames->items[i]), NULL,
                        WHO "the frames that it is fixed to go round in a circle",
                        WHO_ARGS(frames->items[i]));
        }
    }
}

/* Trees of bodies joined so far: the index of a body's tree, found with path halving. */
static size_t find_tree(size_t *tree, size_t i) {
    while (tree[i] != i) {
        i = tree[i] = tree[tree[i]];
    }
    return i;
}

/* The number of a body: its place in the list + 1; ground is 0. */
static size_t body_number(const fb_list *bodies, const fb_element *body) {
    for (size_t i = 0; i < bodies->n; i++) {
        if (bodies->items[i] == body) {
            return i + 1;
        }
    }
    return 0;
}

static void check_topology(const fb_model *model, fb_diag *diag) {
    const fb_list *bodies = fb_model_items(model, "bodies"),
                  *joints = fb_model_items(model, "joints");
    size_t n = bodies->n + 1;
    size_t *tree = fb_alloc(n * sizeof *tree);
    if (!tree) {
        diag->out_of_memory = 1;
        return;
    }
    for (size_t i = 0; i < n; i++) {
        tree[i] = i;
    }
    for (size_t i = 0; i < joints->n; i++) {
        const fb_element *joint = joints->items[i];
        const fb_element *parent = fb_base_frame(fb_get_target(joint, "parent"));
        const fb_element *child = fb_base_frame(fb_get_target(joint, "child"));
        if (!parent || !child) {
            continue;
        }
        size_t a = find_tree(tree, body_number(bodies, parent)),
               b = find_tree(tree, body_number(bodies, child));
        if (parent == child) {
            fb_diag_add(diag, FB_WARNING, FB2306, fb_element_place(joint),
                        "OpenSim refuses such a model", WHO "it joins %s to itself",
                        WHO_ARGS(joint), parent->name);
        } else if (a == b) {
            fb_diag_add(diag, FB_WARNING, FB2306, fb_element_place(joint),
                        "OpenSim cuts the loop: a copy of the child and a weld constraint",
                        WHO "it closes a loop of joints, from %s to %s", WHO_ARGS(joint),
                        parent->name, child->name);
        }
        tree[a] = b;
    }
    size_t root = find_tree(tree, 0);
    for (size_t i = 0; i < bodies->n; i++) {
        if (find_tree(tree, i + 1) != root) {
            fb_diag_add(diag, FB_WARNING, FB2301, fb_element_place(bodies->items[i]),
                        "OpenSim gives it, or the first of its group, a free joint to ground",
                        WHO "no joint connects it to ground", WHO_ARGS(bodies->items[i]));
        }
    }
    fb_free(tree);
}

/* ---- bodies --------------------------------------------------------------------------------- */

static void check_body(const fb_element *body, fb_diag *diag) {
    double mass = fb_get_number(body, "mass"), x[6], center[3];
    if (!(mass >= 0) || isinf(mass)) {
        fb_diag_add(diag, FB_WARNING, FB2302, fb_element_place(body), "it cannot be simulated",
                    WHO "the mass must be 0 or more, got %g kg", WHO_ARGS(body), mass);
    }
    if (fb_get_vector(body, "mass_center", center, 3) &&
        !(isfinite(center[0]) && isfinite(center[1]) && isfinite(center[2]))) {
        fb_diag_add(diag, FB_WARNING, FB2302, fb_element_place(body), "it cannot be simulated",
                    WHO "the mass centre is not finite", WHO_ARGS(body));
    }
    if (!fb_get_vector(body, "inertia", x, 6)) {
        return;
    }
    double xx = x[0], yy = x[1], zz = x[2], xy = x[3], xz = x[4], yz = x[5];
    double slop = 1e-9 * (fabs(xx) + fabs(yy) + fabs(zz));
    if (xx < 0 || yy < 0 || zz < 0 || isnan(xx + yy + zz)) {
        fb_diag_add(diag, FB_WARNING, FB2302, fb_element_place(body), "it cannot be simulated",
                    WHO "a moment of inertia is negative: %g %g %g", WHO_ARGS(body), xx, yy, zz);
    } else if (xx + yy < zz - slop || yy + zz < xx - slop || zz + xx < yy - slop) {
        fb_diag_add(diag, FB_WARNING, FB2302, fb_element_place(body),
                    "no distribution of mass has that inertia",
                    WHO "one moment of inertia is larger than the two others together: %g %g %g",
                    WHO_ARGS(body), xx, yy, zz);
    } else if (xx * yy - xy * xy < -slop * slop || yy * zz - yz * yz < -slop * slop ||
               zz * xx - xz * xz < -slop * slop ||
               xx * (yy * zz - yz * yz) - xy * (xy * zz - yz * xz) + xz * (xy * yz - yy * xz) <
                   -slop * slop * slop) {
        fb_diag_add(diag, FB_WARNING, FB2302, fb_element_place(body),
                    "no distribution of mass has that inertia",
                    WHO "the products of inertia are too large: xy %g, xz %g, yz %g",
                    WHO_ARGS(body), xy, xz, yz);
    } else if (mass == 0 && xx + yy + zz > 0) {
        fb_diag_add(diag, FB_WARNING, FB2302, fb_element_place(body), NULL,
                    WHO "it has inertia but no mass", WHO_ARGS(body));
    }
}

/* ---- values --------------------------------------------------------------------------------- */

/* Bounds of values by key, whatever the class. */
static const struct {
    const char *key;
    double low, high;
    bool open; /* the lower bound itself is out */
} bounds[] = {
    {"max_isometric_force", 0, FB_INFINITY, false},
    {"optimal_fiber_length", 0, FB_INFINITY, true},
    {"tendon_slack_length", 0, FB_INFINITY, false},
    {"max_contraction_velocity", 0, FB_INFINITY, true},
    {"pennation_angle", 0, 1.5707963267948966, false},
    {"activation_time_constant", 0, FB_INFINITY, true},
    {"deactivation_time_constant", 0, FB_INFINITY, true},
    {"minimum_activation", 0, 1, false},
    {"radius", 0, FB_INFINITY, true},
    {"inner_radius", 0, FB_INFINITY, true},
    {"outer_radius", 0, FB_INFINITY, true},
    {"length", 0, FB_INFINITY, true},
    {"static_friction", 0, FB_INFINITY, false},
    {"dynamic_friction", 0, FB_INFINITY, false},
    {"viscous_friction", 0, FB_INFINITY, false},
    {"opacity", 0, 1, false},
};

static void check_bounds(const fb_element *element, fb_diag *diag) {
    for (int i = 0; i < element->cls->n_fields; i++) {
        const fb_field *field = &element->cls->fields[i];
        if (field->type != FB_NUMBER || !element->values[i].present) {
            continue;
        }
        double x = element->values[i].as.number;
        for (size_t j = 0; j < sizeof bounds / sizeof bounds[0]; j++) {
            if (strcmp(field->key, bounds[j].key) != 0) {
                continue;
            }
            bool bad = !(bounds[j].open ? x > bounds[j].low : x >= bounds[j].low) ||
                       x > bounds[j].high;
            if (bad && !isinf(bounds[j].high)) {
                fb_diag_add(diag, FB_WARNING, FB2104, fb_element_place(element), NULL,
                            WHO "%s must be from %g to %.4g, got %g", WHO_ARGS(element), field->tag,
                            bounds[j].low, bounds[j].high, x);
            } else if (bad) {
                fb_diag_add(diag, FB_WARNING, FB2104, fb_element_place(element), NULL,
                            WHO "%s must be %s 0, got %g", WHO_ARGS(element), field->tag,
                            bounds[j].open ? "more than" : "at least", x);
            }
            if (bad) {
                fb_diag_unit(diag, field->unit);
            }
        }
    }
}

static void check_coordinate(const fb_element *coordinate, fb_diag *diag) {
    double range[2], value = fb_get_number(coordinate, "default");
    if (!fb_get_vector(coordinate, "range", range, 2)) {
        return;
    }
    if (range[0] > range[1]) {
        fb_diag_add(diag, FB_WARNING, FB2104, fb_element_place(coordinate), NULL,
                    WHO "the range goes from %g down to %g", WHO_ARGS(coordinate), range[0],
                    range[1]);
    } else if (fb_get_bool(coordinate, "clamped") &&
               (value < range[0] - 1.5e-8 || value > range[1] + 1.5e-8)) {
        fb_diag_add(diag, FB_WARNING, FB2104, fb_element_place(coordinate),
                    "OpenSim refuses such a model",
                    WHO "it is clamped to %g .. %g, but its default value is %g",
                    WHO_ARGS(coordinate), range[0], range[1], value);
    }
}

static void check_range(const fb_element *point, fb_diag *diag) {
    double range[2];
    if (fb_get_vector(point, "range", range, 2) && range[0] > range[1]) {
        fb_diag_add(diag, FB_WARNING, FB2104, fb_element_place(point),
                    "the path never passes through it",
                    WHO "the path point '%s' has a range from %g down to %g", WHO_ARGS(point),
                    point->name ? point->name : "", range[0], range[1]);
    }
}

static void check_quadrant(const fb_element *wrap, fb_diag *diag) {
    const char *text = fb_get_string(wrap, "quadrant");
    if (!text || strcmp(text, "all") == 0 || strcmp(text, "") == 0 ||
        strcmp(text, "Unassigned") == 0) {
        return;
    }
    const char *axis = text + (*text == '+' || *text == '-');
    if (!*axis || axis[1] || !strchr("xyzXYZ", *axis)) {
        fb_diag_add(diag, FB_WARNING, FB2103, fb_element_place(wrap),
                    "OpenSim refuses such a model",
                    WHO "the quadrant must be all, or x, y or z with a sign, got '%s'",
                    WHO_ARGS(wrap), text);
    }
}

static void check_path(const fb_element *path, fb_diag *diag) {
    const fb_value *points = fb_get(path, "points"), *wraps = fb_get(path, "wraps");
    int n = points ? points->n : 0;
    if (n < 2) {
        fb_diag_add(diag, FB_WARNING, FB2307, fb_element_place(path), "the path has no length",
                    WHO "it has %d point%s; a path needs two", WHO_ARGS(fb_element_component(path)),
                    n, n == 1 ? "" : "s");
    }
    for (int i = 0; wraps && i < wraps->n; i++) {
        double range[2];
        if (fb_get_vector(wraps->as.objects[i], "range", range, 2) &&
            (range[0] > n || range[1] > n ||
             (range[0] > 0 && range[1] > 0 && range[0] >= range[1]))) {
            fb_diag_add(diag, FB_WARNING, FB2104, fb_element_place(path),
                        "the path does not wrap there",
                        WHO "a wrap is between the points %g and %g of %d",
                        WHO_ARGS(fb_element_component(path)), range[0], range[1], n);
        }
    }
}

/* ---- virtual links -------------------------------------------------------------------------- */

/* How many wires meet at a link: paths with a point there. */
static int count_wires(const fb_model *model, const fb_element *link) {
    int n = 0;
    for (int i = 0; i < FB_LIST_COUNT; i++) {
        for (size_t j = 0; j < model->lists[i].n; j++) {
            const fb_element *path = fb_get_object(model->lists[i].items[j], "path");
            const fb_value *points = path ? fb_get(path, "points") : NULL;
            bool meets = false;
            for (int k = 0; points && k < points->n; k++) {
                meets |= fb_get_target(points->as.objects[k], "virtual_link") == link;
            }
            n += meets;
        }
    }
    return n;
}

static void check_links(const fb_model *model, fb_diag *diag) {
    const fb_list *links = fb_model_items(model, "virtual_links");
    for (size_t i = 0; i < links->n; i++) {
        int n = count_wires(model, links->items[i]);
        if (n < 2) {
            fb_diag_add(diag, FB_WARNING, FB2309, fb_element_place(links->items[i]),
                        "it goes where that pulls nothing any more",
                        WHO "%d wire%s at it; two or more can hold it in balance",
                        WHO_ARGS(links->items[i]), n, n == 1 ? " ends" : "s end");
        }
    }
}

/* ---- functions ------------------------------------------------------------------------------ */

/* The table of a function that has one, seen through multipliers; NULL for others. */
static const fb_element *table_of(const fb_element *function) {
    for (int i = 0; function && i < 16 && strcmp(function->cls->name, "MultiplierFunction") == 0;
         i++) {
        function = fb_get_object(function, "function");
    }
    return function && fb_get(function, "x") && fb_get(function, "y") ? function : NULL;
}

static void check_table(const fb_element *function, fb_diag *diag) {
    const fb_value *x = fb_get(function, "x"), *y = fb_get(function, "y");
    if (!x || !y || function->cls->fields[fb_class_field(function->cls, "x")].type != FB_NUMBERS) {
        return;
    }
    if (x->n != y->n) {
        fb_diag_add(diag, FB_WARNING, FB2305, fb_element_place(function),
                    "OpenSim refuses such a model", WHO "a table has %d x but %d y",
                    WHO_ARGS(function), x->n, y->n);
    }
    for (int i = 1; i < x->n; i++) {
        if (!(x->as.numbers[i] > x->as.numbers[i - 1])) {
            fb_diag_add(diag, FB_WARNING, FB2305, fb_element_place(function), NULL,
                        WHO "the x of a table must increase, but %g follows %g", WHO_ARGS(function),
                        x->as.numbers[i], x->as.numbers[i - 1]);
            break;
        }
    }
}

/* A function of a coordinate whose range goes beyond the function's table. */
static void check_domain(const fb_element *owner, const fb_element *function,
                         const fb_element *coordinate, const char *what, fb_diag *diag) {
    const fb_element *table = table_of(function);
    double range[2];
    if (!table || !coordinate || !fb_get_vector(coordinate, "range", range, 2)) {
        return;
    }
    const fb_value *x = fb_get(table, "x");
    if (x->n < 2) {
        return;
    }
    double low = x->as.numbers[0], high = x->as.numbers[x->n - 1], slop = 1e-4 * (high - low);
    if (range[0] < low - slop || range[1] > high + slop) {
        fb_diag_add(
            diag, FB_WARNING, FB2303, fb_element_place(owner), "the function is extrapolated there",
            WHO "%s: the coordinate %s ranges over %.5g .. %.5g, the table only over %.5g .. %.5g",
            WHO_ARGS(owner), what, coordinate->name, range[0], range[1], low, high);
    }
}

static void check_element(const fb_element *element, void *context) {
    fb_diag *diag = context;
    check_bounds(element, diag);
    switch (element->cls->family) {
    case FB_BODY: check_body(element, diag); break;
    case FB_COORDINATE: check_coordinate(element, diag); break;
    case FB_WRAP: check_quadrant(element, diag); break;
    case FB_FUNCTION: check_table(element, diag); break;
    case FB_PATH:
        if (fb_class_field(element->cls, "points") >= 0) {
            check_path(element, diag);
        }
        break;
    case FB_TRANSFORM_AXIS:
        check_domain(element, fb_get_object(element, "function"),
                     fb_get_target(element, "coordinate"), element->name ? element->name : "axis",
                     diag);
        break;
    case FB_PATH_POINT: {
        static const char *const keys[3][2] = {{"x", "x_coordinate"},
                                               {"y", "y_coordinate"},
                                               {"z", "z_coordinate"}};
        check_range(element, diag);
        for (int i = 0; i < 3; i++) {
            check_domain(element, fb_get_object(element, keys[i][0]),
                         fb_get_target(element, keys[i][1]),
                         element->name ? element->name : "path point", diag);
        }
        break;
    }
    case FB_CONSTRAINT:
        check_domain(element, fb_get_object(element, "function"),
                     fb_get_target(element, "independent_coordinates"), "function", diag);
        break;
    default: break;
    }
}

void fb_model_check(const fb_model *model, fb_diag *diag) {
    check_frames(model, diag);
    check_topology(model, diag);
    check_links(model, diag);
    fb_visit_model(model, check_element, diag);
}
