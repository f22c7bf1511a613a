/* Controllers, as OpenSim 4.5.2 has them (Simulation/Control). */
#include "libcore/muscle/control.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#include "libcore/muscle/force_internal.h"

typedef struct builder {
    fb_controls *c;
    const fb_forces *forces;
    const fb_muscles *muscles;
    const fb_resources *resources;
    fb_diag *diag;
    fb_status status;
    size_t n, capacity;
} builder;

static void skip(builder *b, const fb_element *controller, const char *why) {
    b->c->n_skipped++;
    fb_force_tell_skipped(b->diag, controller, why);
}

/* ---- actuators ------------------------------------------------------------------------------- */

/* The control and the muscle of an actuator; false if it has neither. */
static bool find_actuator(const builder *b, const fb_element *actuator, fb_control_term *term) {
    term->control = fb_forces_control(b->forces, actuator);
    term->muscle = fb_muscles_find(b->muscles, actuator);
    return term->control >= 0 || term->muscle >= 0;
}

/* The word ALL among a controller's actuators stands for all. */
static bool names_all(const fb_value *actuators) {
    for (int i = 0; actuators && i < actuators->n; i++) {
        if (actuators->as.refs[i].text && strcasecmp(actuators->as.refs[i].text, "ALL") == 0) {
            return true;
        }
    }
    return false;
}

/* What a model's actuators are, whether or not they act. */
static bool is_actuator(const fb_element *element) {
    return element->cls->family == FB_FORCE && element->cls->list &&
           (strcmp(element->cls->list, "muscles") == 0 ||
            strcmp(element->cls->list, "actuators") == 0);
}

/* All actuators in the order of the force set. */
static int list_all(builder *b, const fb_element ***list) {
    const fb_model *model = b->forces->system->model;
    size_t n = 0, capacity = 0;
    *list = NULL;
    for (int i = 0; i < FB_LIST_COUNT; i++) {
        for (size_t j = 0; j < model->lists[i].n; j++) {
            const fb_element *element = model->lists[i].items[j];
            if (!is_actuator(element)) {
                continue;
            }
            FB_PUSH(&b->c->arena, *list, n, capacity, element);
            for (size_t k = n - 1; k > 0 && (*list)[k - 1]->order > element->order; k--) {
                (*list)[k] = (*list)[k - 1];
                (*list)[k - 1] = element;
            }
        }
    }
    return (int)n;
}

/* The actuators of a controller; a reference to nothing is NULL. */
static int list_actuators(builder *b, const fb_element *controller, const fb_element ***list) {
    const fb_value *actuators = fb_get(controller, "actuators");
    if (names_all(actuators)) {
        return list_all(b, list);
    }
    int n = actuators ? actuators->n : 0;
    *list = fb_arena_array(&b->c->arena, (size_t)n, sizeof **list);
    for (int i = 0; i < n; i++) {
        (*list)[i] = actuators->as.refs[i].target;
    }
    return n;
}

static void add_term(builder *b, const fb_element *actuator, fb_control_term term) {
    if (actuator && find_actuator(b, actuator, &term)) {
        FB_PUSH(&b->c->arena, b->c->terms, b->n, b->capacity, term);
    }
}

/* True if an actuator's force follows its control at once, not through an activation. */
static bool acts_at_once(const builder *b, const fb_element *actuator) {
    const fb_force *force = fb_forces_find(b->forces, actuator);
    int muscle = fb_muscles_find(b->muscles, actuator);
    if (force) {
        return force->control >= 0 && (force->state < 0 || force->kind == FB_FORCE_CLUTCHED_SPRING);
    }
    return muscle >= 0 && b->muscles->muscles[muscle].activation_is_control;
}

static bool any_acts_at_once(const builder *b, const fb_element *const *list, int n) {
    for (int i = 0; i < n; i++) {
        if (list[i] && acts_at_once(b, list[i])) {
            return true;
        }
    }
    return false;
}

/* ---- the classes ----------------------------------------------------------------------------- */

static bool is_named(const fb_element *actuator, const char *name) {
    static const char excitation[] = ".excitation"; /* old names of muscles' controls */
    const char *own = fb_osim_name(actuator);
    size_t n = own ? strlen(own) : 0;
    return (actuator->path && strcmp(actuator->path, name) == 0) ||
           (own && strncmp(own, name, n) == 0 &&
            (name[n] == 0 || strcmp(name + n, excitation) == 0));
}

/* Columns of a table, or the controls of a set. */
static void compile_file(builder *b, const fb_element *controller, const fb_element **list,
                         int n_list) {
    const fb_series *series = NULL;
    int n = 0;
    const char *why = b->resources && b->resources->controls
                          ? b->resources->controls(b->resources->context, controller, &series, &n)
                          : "its controls are in a file, which is not read here";
    if (why) {
        if (any_acts_at_once(b, list, n_list)) {
            skip(b, controller, why);
        }
        return;
    }
    for (int i = 0; i < n; i++) { /* a name that is nobody's is left out, as in OpenSim */
        for (int k = 0; k < n_list; k++) {
            if (list[k] && is_named(list[k], series[i].name)) {
                add_term(b, list[k], (fb_control_term){.function = series[i].function});
            }
        }
    }
}

/* The i-th function is the i-th actuator's, whatever their names are. */
static void compile_prescribed(builder *b, const fb_element *controller) {
    const fb_value *functions = fb_get(controller, "control_functions");
    const fb_element **list;
    int n = list_actuators(b, controller, &list), n_functions = functions ? functions->n : 0;
    const char *file = fb_get_string(controller, "controls_file");
    bool has_file = file && *file;
    if (n_functions < n && !has_file) {
        if (any_acts_at_once(b, list, n)) {
            skip(b, controller, "it has fewer control functions than actuators");
        }
        return;
    }
    for (int i = 0; i < n && i < n_functions; i++) {
        fb_control_term term = {0};
        if (fb_function_compile(&term.function, functions->as.objects[i], &b->c->arena, b->diag) !=
            FB_OK) {
            b->status = FB_E_INPUT;
        }
        add_term(b, list[i], term);
    }
    if (has_file) {
        const fb_element **all;
        int n_all = list_all(b, &all); /* its columns may name actuators that it does not list */
        for (int i = 0; i < n_all; i++) {
            for (int k = 0; k < n && k < n_functions; k++) {
                all[i] = all[i] == list[k] ? NULL : all[i]; /* has its function already */
            }
        }
        compile_file(b, controller, all, n_all);
    }
}

/* Acts on muscles only. */
static void compile_reflex(builder *b, const fb_element *controller) {
    const fb_element **list;
    int n = list_actuators(b, controller, &list);
    for (int i = 0; i < n; i++) {
        fb_control_term term = {.reflex = true, .gain = fb_get_number(controller, "gain")};
        if (list[i] && find_actuator(b, list[i], &term) && term.muscle >= 0) {
            add_term(b, list[i], term);
        }
    }
}

static void compile_controller(builder *b, const fb_element *controller) {
    const char *name = controller->cls->name;
    const fb_element **list = NULL;
    if (!fb_get_bool(controller, "enabled")) {
        return;
    }
    if (strcmp(name, "PrescribedController") == 0) {
        compile_prescribed(b, controller);
    } else if (strcmp(name, "ToyReflexController") == 0) {
        compile_reflex(b, controller);
    } else if (strcmp(name, "ControlSetController") == 0) {
        const char *file = fb_get_string(controller, "controls_file");
        int n = list_actuators(b, controller, &list);
        if (file && *file && strcmp(file, "Unassigned") != 0) { /* else OpenSim switches it off */
            compile_file(b, controller, list, n);
        }
    } else if (strcmp(name, "CorrectionController") == 0) {
        skip(b, controller, "it follows a motion that only a tool gives it");
    } else {
        int n = list_actuators(b, controller, &list);
        if (any_acts_at_once(b, list, n)) {
            skip(b, controller, "controllers of its class are not computed");
        }
    }
}

/* Kept elements of the controller set, unless their XML says that they do not act, or there is
 * nothing that they could act on at once. */
static void tell_kept(builder *b) {
    static const char set[] = "/controllerset/";
    const fb_element **all;
    int n_all = list_all(b, &all);
    if (!any_acts_at_once(b, all, n_all)) {
        return;
    }
    const fb_list *kept = fb_model_items(b->forces->system->model, "kept");
    for (size_t i = 0; kept && i < kept->n; i++) {
        const fb_element *element = kept->items[i];
        const char *xml = fb_get_string(element, "xml"), *path = element->path;
        bool off = xml && (strstr(xml, "<enabled>false</enabled>") ||
                           strstr(xml, "<isDisabled>true</isDisabled>"));
        if (path && strncmp(path, set, strlen(set)) == 0 && !off) {
            skip(b, element, "controllers of its class are not computed");
        }
    }
}

static void compile_all(builder *b) {
    const fb_list *list = fb_model_items(b->forces->system->model, "controllers");
    for (size_t i = 0; list && i < list->n; i++) {
        compile_controller(b, list->items[i]);
    }
    tell_kept(b);
    b->c->n_terms = (int)b->n;
}

fb_status fb_controls_compile(fb_controls **controls, const fb_forces *forces,
                              const fb_muscles *muscles, const fb_resources *resources,
                              fb_diag *diag) {
    *controls = NULL;
    fb_controls *c = fb_alloc(sizeof *c);
    if (!c) {
        return FB_E_MEMORY;
    }
    memset(c, 0, sizeof *c);
    fb_arena_init(&c->arena);
    builder b = {
        .c = c, .forces = forces, .muscles = muscles, .resources = resources, .diag = diag};
    jmp_buf oom;
    if (setjmp(oom)) {
        b.status = FB_E_MEMORY;
        fb_diag_add(diag, FB_ERROR, FB1003, (fb_place){0}, NULL, "out of memory");
    } else {
        c->arena.oom = &oom;
        compile_all(&b);
        c->arena.oom = NULL;
    }
    if (b.status != FB_OK) {
        fb_controls_free(c);
        return b.status;
    }
    *controls = c;
    return FB_OK;
}

void fb_controls_free(fb_controls *controls) {
    if (!controls) {
        return;
    }
    fb_arena_clear(&controls->arena);
    fb_free(controls);
}

/* ---- evaluating ------------------------------------------------------------------------------ */

static double value_of(const fb_control_term *term, const fb_muscles *muscles, double time,
                       const double *path_speed) {
    if (!term->reflex) {
        return fb_function_value(&term->function, time, NULL, NULL);
    }
    const fb_muscle *m = &muscles->muscles[term->muscle];
    double speed = path_speed[m->path], most = m->optimal_length * m->max_velocity;
    return most > 0 ? term->gain * (fabs(speed) + speed) / 2 / most : 0;
}

void fb_controls_apply(const fb_controls *controls, const fb_forces *forces,
                       const fb_muscles *muscles, double time, const double *path_speed,
                       double *control, double *excitation) {
    memset(control, 0, (size_t)forces->n_controls * sizeof *control);
    memset(excitation, 0, (size_t)muscles->n * sizeof *excitation);
    for (int i = 0; i < controls->n_terms; i++) {
        const fb_control_term *term = &controls->terms[i];
        double value = value_of(term, muscles, time, path_speed);
        if (term->control >= 0) {
            control[term->control] += value;
        } else {
            excitation[term->muscle] += value;
        }
    }
}
