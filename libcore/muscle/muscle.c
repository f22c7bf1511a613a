/* Muscles compiled from the model. */
#include "libcore/muscle/muscle.h"

#include <math.h>
#include <string.h>

#include "libcore/muscle/hill.h"

#define TINY 1e-9 /* what counts as no pennation, rad */

typedef struct builder {
    fb_muscles *m;
    const fb_paths *paths;
    fb_diag *diag;
    fb_status status;
} builder;

/* A muscle that is none is told and does not pull; the model is computed without it. */
static void lack(builder *b, fb_muscle *m, const char *what) {
    const fb_element *e = m->element;
    b->m->n_skipped += m->enabled;
    m->lacking = true;
    m->enabled = false;
    fb_diag_add(b->diag, FB_WARNING, FB2307, fb_element_place(e),
                "its numbers are nan, and it does not pull", "%s '%s': %s", e->cls->name,
                e->name ? e->name : "", what);
}

static double number(const fb_element *element, const char *key) {
    const fb_value *value = fb_get(element, key);
    return value && value->present ? fb_get_number(element, key) : 0;
}

/* ---- splines of the older classes (OpenSim's defaults) --------------------------------------- */

static const double tendon_x[] = {-10,    -.002,  -.001,  0,      .00131, .00281,
                                  .00431, .00581, .00731, .00881, .0103,  .0118,
                                  .0123,  9.2,    9.201,  9.202,  20};
static const double tendon_y[] = {0,    0,    0,    0,    .0108, .0257, .0435, .0652, .0915,
                                  .123, .161, .208, .227, 345,   345,   345,   345};
static const double active_x[] = {-5.307692, -4.307692, -1.923077, -.884615, -.269231, .230769,
                                  .461538,   .52725,    .62875,    .71875,   .86125,   1.045,
                                  1.2175,    1.43875,   1.5,       1.615385, 2,        2.961538,
                                  3.692308,  5.461538,  9.901902};
static const double active_y[] = {.012188, .021899, .036466, .052493, .075312, .114158, .157859,
                                  .226667, .636667, .856667, .95,     .993333, .77,     .246667,
                                  .193821, .133252, .072683, .044417, .036341, .021899, .007332};
static const double passive_x[] = {-5,  .998, .999, 1,     1.1,   1.2, 1.3,
                                   1.4, 1.5,  1.6,  1.601, 1.602, 5};
static const double passive_y[] = {0, 0, 0, 0, .035, .12, .26, .55, 1.17, 2, 2, 2, 2};
#define MANY 42

/* The hyperbolas from which OpenSim's table of force over velocity was made, to six digits. */
static void velocity_table(double *x, double *y) {
    for (int i = 0; i < MANY; i++) {
        x[i] = i == 0 ? -1.001 : -1 + 0.05 * (i - 1);
        double v = i == 0 ? -1 : x[i] < 0 && x[i] > -1e-9 ? 0 : x[i];
        double f = v <= 1e-9 ? (1 + v) / (1 - 4 * v) : 1.8 - 0.8 / (1 + 30.31673 * v);
        x[i] = round(x[i] * 1000) / 1000;
        y[i] = round(f * 1e6) / 1e6;
    }
}

static void compile_spline(builder *b, fb_function *f, const fb_element *muscle, const char *key,
                           const double *x, const double *y, int n) {
    const fb_element *given = fb_get_object(muscle, key);
    if (!given) {
        fb_function_simm_spline(f, x, y, n, &b->m->arena);
    } else if (fb_function_compile(f, given, &b->m->arena, b->diag) != FB_OK) {
        b->status = FB_E_INPUT;
    }
}

static void compile_splines(builder *b, fb_muscle *m, fb_muscle_curves *c, bool with_tendon,
                            bool with_velocity) {
    double x[MANY], y[MANY];
    velocity_table(x, y);
    if (with_tendon) {
        compile_spline(b, &c->splines[0], m->element, "tendon_force_length_curve", tendon_x,
                       tendon_y, sizeof tendon_x / sizeof tendon_x[0]);
        c->passive_by_formula = m->kind == FB_MUSCLE_SCHUTTE &&
                                !fb_get_object(m->element, "passive_force_length_curve");
    }
    compile_spline(b, &c->splines[1], m->element, "active_force_length_curve", active_x, active_y,
                   sizeof active_x / sizeof active_x[0]);
    compile_spline(b, &c->splines[2], m->element, "passive_force_length_curve", passive_x,
                   passive_y, sizeof passive_x / sizeof passive_x[0]);
    if (with_velocity) {
        compile_spline(b, &c->splines[3], m->element, "force_velocity_curve", x, y, MANY);
    }
}

/* ---- the curves of Millard's muscles --------------------------------------------------------- */

/* The element of a curve; NULL if it is not of the class that it must be. */
static const fb_element *curve_of(const fb_muscle *m, const char *key, const char *cls) {
    const fb_element *curve = fb_get_object(m->element, key);
    return curve && strcmp(curve->cls->name, cls) == 0 ? curve : NULL;
}

static bool same_curve(const fb_curve *a, const fb_curve *b) {
    return a->n == b->n && memcmp(a->x, b->x, sizeof a->x) == 0 &&
           memcmp(a->y, b->y, sizeof a->y) == 0 && memcmp(a->slope, b->slope, sizeof a->slope) == 0;
}

static bool same_curves(const fb_muscle_curves *a, const fb_muscle_curves *b) {
    return same_curve(&a->active, &b->active) && same_curve(&a->velocity, &b->velocity) &&
           same_curve(&a->velocity_inverse, &b->velocity_inverse) &&
           same_curve(&a->passive, &b->passive) && same_curve(&a->tendon, &b->tendon) &&
           same_curve(&a->compressive_length, &b->compressive_length) &&
           same_curve(&a->compressive_pennation, &b->compressive_pennation);
}

/* Most muscles of a model have the same curves: one set of tables stays near the processor. */
static void share_curves(builder *b, fb_muscle *m, fb_muscle_curves *c) {
    for (const fb_muscle *other = b->m->muscles; other < m; other++) {
        if (other->kind == m->kind && other->curves && same_curves(other->curves, c)) {
            m->curves = other->curves;
            return;
        }
    }
    fb_curve *const all[] = {
        &c->active, &c->velocity,           &c->velocity_inverse,     &c->passive,
        &c->tendon, &c->compressive_length, &c->compressive_pennation};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        fb_curve_tabulate(all[i], &b->m->arena);
    }
}

static void compile_bezier(builder *b, fb_muscle *m, fb_muscle_curves *c, bool acceleration) {
    const fb_element *active = curve_of(m, "active_force_length_curve", "ActiveForceLengthCurve");
    const fb_element *velocity = curve_of(m, "force_velocity_curve", "ForceVelocityCurve");
    const fb_element *passive = curve_of(m, "passive_force_length_curve", "FiberForceLengthCurve");
    const fb_element *tendon = curve_of(m, "tendon_force_length_curve", "TendonForceLengthCurve");
    if ((!active && (!acceleration || fb_get_object(m->element, "active_force_length_curve"))) ||
        !velocity || !passive || !tendon) {
        lack(b, m, "one of its curves is not of the class that it must be");
        return;
    }
    /* the inverse needs slopes at its ends: half of those near them */
    double slow = 0.5 * fb_get_number(velocity, "concentric_slope_near_max_velocity");
    double fast = 0.5 * fb_get_number(velocity, "eccentric_slope_near_max_velocity");
    bool damped = m->damping >= 0.001, undamped = !m->rigid && !damped && !acceleration;
    double minimum = active ? number(active, "minimum_value") : 0;
    double end_slow = number(velocity, "concentric_slope_at_max_velocity");
    double end_fast = number(velocity, "eccentric_slope_at_max_velocity");
    if (!m->rigid && damped && !acceleration) {
        minimum = end_slow = end_fast = 0;
    } else if (undamped) {
        minimum = fmax(minimum, 0.1);
        m->minimum_activation = fmax(m->minimum_activation, 0.01);
        end_slow = fmax(end_slow, slow);
        end_fast = fmax(end_fast, fast);
    }
    fb_curve steep;
    bool ok = fb_curve_active_force_length(&c->active, active, minimum);
    ok &= fb_curve_force_velocity(&c->velocity, velocity, end_slow, end_fast);
    ok &= fb_curve_force_velocity(&steep, velocity, undamped ? end_slow : slow,
                                  undamped ? end_fast : fast);
    ok &= fb_curve_fiber_force_length(&c->passive, passive);
    ok &= fb_curve_tendon_force_length(&c->tendon, tendon);
    if (acceleration) {
        const fb_element *length = fb_get_object(m->element, "compressive_force_length_curve");
        const fb_element *angle = fb_get_object(m->element, "compressive_force_pennation_curve");
        ok = ok && length && fb_curve_compressive_length(&c->compressive_length, length);
        ok = ok && angle && fb_curve_compressive_pennation(&c->compressive_pennation, angle);
    }
    if (!ok) {
        lack(b, m, "its curves' parameters make no curve that rises with its argument");
        return;
    }
    fb_curve_invert(&c->velocity_inverse, &steep);
    share_curves(b, m, c);
    double shortest = active ? number(active, "min_active_fiber_length") * m->optimal_length : 0;
    m->min_length = fmax(fmax(m->min_length, shortest), 2.2e-16);
}

/* ---- classes --------------------------------------------------------------------------------- */

static const struct {
    const char *cls;
    fb_muscle_kind kind;
} kinds[] = {
    {"Thelen2003Muscle", FB_MUSCLE_THELEN},
    {"Millard2012EquilibriumMuscle", FB_MUSCLE_MILLARD},
    {"Millard2012AccelerationMuscle", FB_MUSCLE_MILLARD_ACCELERATION},
    {"DeGrooteFregly2016Muscle", FB_MUSCLE_DE_GROOTE_FREGLY},
    {"RigidTendonMuscle", FB_MUSCLE_RIGID_TENDON},
    {"Thelen2003Muscle_Deprecated", FB_MUSCLE_THELEN_DEPRECATED},
    {"Schutte1993Muscle_Deprecated", FB_MUSCLE_SCHUTTE},
    {"Delp1990Muscle_Deprecated", FB_MUSCLE_DELP},
};

static void compile_width(fb_muscle *m) {
    m->height = m->optimal_length * sin(m->pennation);
    double sine = sin(m->max_pennation);
    m->min_length = m->pennation < TINY ? 0
                    : sine > TINY       ? m->height / sine
                                        : 0.01 * m->optimal_length;
}

static void compile_thelen(fb_muscle *m) {
    const fb_element *e = m->element;
    m->tendon_strain = number(e, "tendon_strain_at_max_isometric_force");
    m->fiber_strain = number(e, "passive_fiber_strain_at_max_isometric_force");
    m->active_shape = number(e, "active_force_length_shape_factor");
    m->passive_shape = number(e, "passive_force_length_shape_factor");
    m->passive_scale = 1 / expm1(m->passive_shape);
    m->velocity_shape = number(e, "force_velocity_shape_factor");
    m->max_lengthening_force = number(e, "max_lengthening_force");
    m->threshold = number(e, "force_velocity_extrapolation_threshold");
    if (m->kind == FB_MUSCLE_THELEN_DEPRECATED) {
        m->max_velocity = number(e, "max_velocity_at_full_activation");
        m->low_velocity = number(e, "max_velocity_at_low_activation");
        m->threshold = 0.95;
    }
}

static void compile_special(builder *b, fb_muscle *m) {
    const fb_element *e = m->element;
    fb_muscle_curves *c = NULL;
    if (m->kind != FB_MUSCLE_THELEN && m->kind != FB_MUSCLE_THELEN_DEPRECATED &&
        m->kind != FB_MUSCLE_DE_GROOTE_FREGLY) {
        c = fb_arena_alloc(&b->m->arena, sizeof *c);
        memset(c, 0, sizeof *c);
        m->curves = c;
    }
    switch (m->kind) {
    case FB_MUSCLE_THELEN:
    case FB_MUSCLE_THELEN_DEPRECATED: compile_thelen(m); break;
    case FB_MUSCLE_MILLARD: compile_bezier(b, m, c, false); break;
    case FB_MUSCLE_MILLARD_ACCELERATION:
        m->tendon_damping = number(e, "tendon_damping");
        m->passive_damping = number(e, "passive_fiber_damping");
        m->length_damping = number(e, "compressive_force_length_damping");
        m->pennation_damping = number(e, "compressive_force_pennation_damping");
        m->default_fiber_velocity = number(e, "default_fiber_velocity");
        m->mass = number(e, "mass");
        compile_bezier(b, m, c, true);
        m->min_length = 0;
        break;
    case FB_MUSCLE_DE_GROOTE_FREGLY:
        m->width_scale = number(e, "active_force_width_scale");
        m->default_tendon_force = number(e, "default_normalized_tendon_force");
        m->implicit = strcmp(fb_get_string(e, "tendon_compliance_dynamics_mode"), "implicit") == 0;
        m->fiber_strain = fb_get_bool(e, "ignore_passive_fiber_force")
                              ? 0
                              : number(e, "passive_fiber_strain_at_max_isometric_force");
        m->tendon_strain = number(e, "tendon_strain_at_max_isometric_force");
        break;
    case FB_MUSCLE_RIGID_TENDON:
        m->rigid = m->activation_is_control = true;
        compile_splines(b, m, c, false, true);
        break;
    case FB_MUSCLE_SCHUTTE:
    case FB_MUSCLE_DELP:
        m->time_scale = number(e, "time_scale");
        m->mass = number(e, "mass");
        compile_splines(b, m, c, true, m->kind == FB_MUSCLE_DELP);
        break;
    }
}

/* A flag for which the class has no model: OpenSim refuses Thelen's and the older muscles with it.
 */
static bool simplified(builder *b, const fb_muscle *m, const char *flag) {
    const fb_element *e = m->element;
    bool set = fb_get_bool(e, flag);
    if (!set || (m->kind != FB_MUSCLE_THELEN && !fb_hill_is_old(m))) {
        return set;
    }
    fb_diag_add(b->diag, FB_WARNING, FB2307, fb_element_place(e), "it is taken as false",
                "%s '%s': %s cannot be true in its class", e->cls->name, e->name ? e->name : "",
                flag);
    return false;
}

static void compile_muscle(builder *b, fb_muscle *m, const fb_element *e, fb_muscle_kind kind) {
    memset(m, 0, sizeof *m);
    m->kind = kind;
    m->element = e;
    m->path = fb_paths_find(b->paths, e);
    m->as_opensim4 = b->paths->as_opensim4;
    m->lacking = m->path >= 0 && b->paths->paths[m->path].lacking;
    m->enabled = fb_get_bool(e, "enabled") && !m->lacking;
    b->m->n_skipped += m->lacking && fb_get_bool(e, "enabled");
    m->rigid = simplified(b, m, "ignore_tendon_compliance");
    m->activation_is_control = simplified(b, m, "ignore_activation_dynamics");
    m->max_force = number(e, "max_isometric_force");
    m->optimal_length = number(e, "optimal_fiber_length");
    m->slack_length = number(e, "tendon_slack_length");
    m->pennation = number(e, "pennation_angle");
    m->max_velocity = number(e, "max_contraction_velocity");
    m->damping = number(e, "fiber_damping");
    m->default_activation = number(e, "default_activation");
    m->default_fiber_length = number(e, "default_fiber_length");
    m->minimum_activation = -1;
    if (fb_get(e, "minimum_activation")) {
        m->minimum_activation = number(e, "minimum_activation");
        if (m->as_opensim4 && m->activation_is_control) {
            m->minimum_activation = 0.01; /* its own does not reach OpenSim's activation model */
        }
    }
    m->max_pennation = acos(0.1);
    if (fb_get(e, "maximum_pennation_angle")) {
        m->max_pennation = number(e, "maximum_pennation_angle");
    }
    if (kind == FB_MUSCLE_MILLARD_ACCELERATION) {
        m->max_pennation = acos(0) - 1e-9;
    }
    if (!(m->max_force >= 0) || !isfinite(m->max_force) || !(m->optimal_length > 0) ||
        !isfinite(m->optimal_length) || !(m->slack_length >= 0) || !isfinite(m->slack_length) ||
        !(m->pennation >= 0) || !(m->pennation < acos(0))) {
        lack(b, m, "its force, fiber length, tendon length or pennation angle make no muscle");
        return;
    }
    compile_width(m);
    compile_special(b, m);
}

static void compile(builder *b) {
    const fb_list *list = fb_model_items(b->paths->system->model, "muscles");
    b->m->muscles = fb_arena_array(&b->m->arena, list->n, sizeof *b->m->muscles);
    for (size_t i = 0; i < list->n; i++) {
        const fb_element *e = list->items[i];
        for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
            if (strcmp(e->cls->name, kinds[k].cls) == 0) {
                compile_muscle(b, &b->m->muscles[b->m->n++], e, kinds[k].kind);
            }
        }
    }
}

fb_status fb_muscles_compile(fb_muscles **muscles, const fb_paths *paths, fb_diag *diag) {
    *muscles = NULL;
    fb_muscles *m = fb_alloc(sizeof *m);
    if (!m) {
        return FB_E_MEMORY;
    }
    memset(m, 0, sizeof *m);
    fb_arena_init(&m->arena);
    builder b = {m, paths, diag, FB_OK};
    jmp_buf oom;
    if (setjmp(oom)) {
        b.status = FB_E_MEMORY;
        fb_diag_add(diag, FB_ERROR, FB1003, (fb_place){0}, NULL, "out of memory");
    } else {
        m->arena.oom = &oom;
        compile(&b);
        m->arena.oom = NULL;
    }
    if (b.status != FB_OK) {
        fb_muscles_free(m);
        return b.status;
    }
    *muscles = m;
    return FB_OK;
}

void fb_muscles_free(fb_muscles *muscles) {
    if (muscles) {
        fb_arena_clear(&muscles->arena);
        fb_free(muscles);
    }
}

int fb_muscles_find(const fb_muscles *muscles, const fb_element *muscle) {
    for (int i = 0; i < muscles->n; i++) {
        if (muscles->muscles[i].element == muscle) {
            return i;
        }
    }
    return -1;
}
