/* Functions of a model, scaled and mapped where they stand. */
#include "libcore/register/carry_internal.h"

#include <stdio.h>
#include <stdlib.h>

#include "libcore/base/number.h"

#define SAMPLES 33 /* of functions that have no knots */
#define MOST_KNOTS 4000

static bool is(const fb_element *function, const char *cls) {
    return function && strcmp(function->cls->name, cls) == 0;
}

static void number_affine(fb_element *f, const char *key, double k, double c) {
    fb_value *value = fb_value_of(f, key);
    if (value && value->present) {
        value->as.number = k * value->as.number + c;
    }
}

static void numbers_affine(fb_model *model, fb_value *value, double k, double c) {
    if (!value || !value->present || value->n == 0) {
        return;
    }
    double *x = fb_arena_array(&model->arena, (size_t)value->n, sizeof *x);
    for (int i = 0; i < value->n; i++) {
        x[i] = k * value->as.numbers[i] + c;
    }
    value->as.numbers = x;
}

static fb_element *new_function(fb_model *model, fb_element *owner, const char *cls) {
    fb_element *f = fb_element_new(model, fb_class_find(cls), NULL);
    f->owner = owner;
    fb_element_defaults(model, f);
    return f;
}

static void put(fb_value *slot, fb_element *f) {
    *slot = (fb_value){.present = true, .n = 1, .as.object = f};
}

static void constant(fb_model *model, fb_element *owner, fb_value *slot, double c) {
    fb_element *f = new_function(model, owner, "Constant");
    fb_value_set_number(fb_value_of(f, "value"), c);
    put(slot, f);
}

/* The function times a factor, through OpenSim's class for that. */
static void multiply(fb_model *model, fb_element *owner, fb_value *slot, double k) {
    fb_element *f = new_function(model, owner, "MultiplierFunction"), *inner = slot->as.object;
    f->name = inner->name;
    inner->owner = f;
    fb_value_set_number(fb_value_of(f, "scale"), k);
    put(fb_value_of(f, "function"), inner);
    put(slot, f);
}

static const char *text_of(fb_model *model, double x) {
    char digits[FB_NUMBER_MAX];
    fb_number_print(digits, x);
    return fb_arena_dup(&model->arena, digits);
}

void fb_carry_affine(fb_model *model, fb_element *owner, fb_value *slot, double k, double c) {
    if (k == 1 && c == 0) {
        return;
    }
    fb_element *f = slot->present ? slot->as.object : NULL;
    if (!f) {
        if (c != 0) {
            constant(model, owner, slot, c);
        }
    } else if (is(f, "Constant")) {
        number_affine(f, "value", k, c);
    } else if (is(f, "LinearFunction") || is(f, "PolynomialFunction") ||
               is(f, "MultivariatePolynomialFunction")) {
        fb_value *value = fb_value_of(f, "coefficients");
        numbers_affine(model, value, k, 0);
        if (c != 0 && value->n > 0) { /* the constant term: the last, or of several the first */
            double *x = fb_arena_array(&model->arena, (size_t)value->n, sizeof *x);
            memcpy(x, value->as.numbers, (size_t)value->n * sizeof *x);
            x[is(f, "MultivariatePolynomialFunction") ? 0 : value->n - 1] += c;
            value->as.numbers = x;
        }
    } else if (fb_class_field(f->cls, "x") >= 0 && fb_class_field(f->cls, "y") >= 0) {
        numbers_affine(model, fb_value_of(f, "y"), k, c);
        numbers_affine(model, fb_value_of(f, "coefficients"), k, c); /* a B-spline's sum to 1 */
        if (is(f, "GCVSpline") && fb_get_number(f, "error_variance") > 0) {
            number_affine(f, "error_variance", k * k, 0);
        }
    } else if (is(f, "StepFunction")) {
        number_affine(f, "start_value", k, c);
        number_affine(f, "end_value", k, c);
    } else if (is(f, "Sine")) {
        number_affine(f, "amplitude", k, 0);
        number_affine(f, "offset", k, c);
    } else if (is(f, "MultiplierFunction") && fb_get_object(f, "function")) {
        double scale = fb_get_number(f, "scale");
        number_affine(f, "scale", k, 0);
        if (c != 0 && scale * k != 0) {
            fb_carry_affine(model, f, fb_value_of(f, "function"), 1, c / (scale * k));
        } else if (c != 0) {
            constant(model, owner, slot, c);
        }
    } else if (is(f, "ExpressionBasedFunction")) {
        const char *text = fb_get_string(f, "expression");
        fb_value_set_string(model, fb_value_of(f, "expression"),
                            fb_arena_printf(&model->arena, "%s*(%s)+(%s)", text_of(model, k), text,
                                            text_of(model, c)));
    } else if (k != 1) {
        multiply(model, owner, slot, k);
    }
}

/* ---- arguments ------------------------------------------------------------------------------- */

/* Variables of a formula divided by numbers. */
static const char *divided(fb_model *model, const char *text, const fb_value *variables,
                           const double *c, int n) {
    const char *out = "";
    while (*text) {
        size_t word = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_");
        if (word) {
            word += strspn(text + word,
                           "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
        } else { /* a number with its exponent, or a sign */
            word = strspn(text, "0123456789.");
            if (word && (text[word] == 'e' || text[word] == 'E')) {
                word += text[word + 1] == '-' || text[word + 1] == '+' ? 2 : 1;
            }
            word = word ? word : 1;
        }
        int found = -1;
        for (int i = 0; variables && i < variables->n && i < n; i++) {
            const char *name = variables->as.strings[i];
            found = strlen(name) == word && strncmp(name, text, word) == 0 ? i : found;
        }
        out = found >= 0 && c[found] != 1
                  ? fb_arena_printf(&model->arena, "%s(%.*s/%s)", out, (int)word, text,
                                    text_of(model, c[found]))
                  : fb_arena_printf(&model->arena, "%s%.*s", out, (int)word, text);
        text += word;
    }
    return out;
}

/* Coefficients of all powers of several variables, those of the last rising fastest. */
static void divide_powers(double *x, int n, const double *c, int dimension, int order) {
    int power[FB_MAX_ARGUMENTS] = {0}, at = 0;
    while (at < n) {
        double factor = 1;
        int sum = 0;
        for (int i = 0; i < dimension; i++) {
            factor *= pow(c[i], power[i]);
            sum += power[i];
        }
        if (sum <= order) {
            x[at++] /= factor;
        }
        int i = dimension - 1;
        while (i >= 0 && ++power[i] > order) {
            power[i--] = 0;
        }
        if (i < 0) {
            break;
        }
    }
}

bool fb_carry_arguments(fb_model *model, fb_element *owner, fb_value *slot, const double *c,
                        int n) {
    bool all = true;
    for (int i = 0; i < n; i++) {
        all = all && c[i] == 1;
    }
    fb_element *f = slot->present ? slot->as.object : NULL;
    if (all || !f || n == 0 || is(f, "Constant")) {
        return true;
    }
    fb_value *coefficients = fb_value_of(f, "coefficients");
    if (is(f, "LinearFunction") || is(f, "PolynomialFunction")) {
        double *x = fb_arena_array(&model->arena, (size_t)coefficients->n + 1, sizeof *x);
        for (int i = 0; i < coefficients->n; i++) {
            x[i] = coefficients->as.numbers[i] / pow(c[0], coefficients->n - 1 - i);
        }
        coefficients->as.numbers = x;
    } else if (is(f, "MultivariatePolynomialFunction")) {
        int dimension = fb_get(f, "dimension") ? fb_get(f, "dimension")->as.integer : 0;
        int order = fb_get(f, "order") ? fb_get(f, "order")->as.integer : 0;
        if (dimension > n || dimension > FB_MAX_ARGUMENTS) {
            return false;
        }
        numbers_affine(model, coefficients, 1, 0); /* a copy */
        double *x = fb_arena_array(&model->arena, (size_t)coefficients->n + 1, sizeof *x);
        memcpy(x, coefficients->as.numbers, (size_t)coefficients->n * sizeof *x);
        divide_powers(x, coefficients->n, c, dimension, order);
        coefficients->as.numbers = x;
    } else if (fb_class_field(f->cls, "x") >= 0) {
        numbers_affine(model, fb_value_of(f, "x"), c[0], 0);
    } else if (is(f, "StepFunction")) {
        number_affine(f, "start_time", c[0], 0);
        number_affine(f, "end_time", c[0], 0);
    } else if (is(f, "Sine")) {
        number_affine(f, "angular_frequency", 1 / c[0], 0);
    } else if (is(f, "MultiplierFunction")) {
        return fb_carry_arguments(model, owner, fb_value_of(f, "function"), c, n);
    } else if (is(f, "ExpressionBasedFunction")) {
        const char *text = fb_get_string(f, "expression");
        fb_value_set_string(model, fb_value_of(f, "expression"),
                            divided(model, text ? text : "", fb_get(f, "variables"), c, n));
    } else {
        return false;
    }
    return true;
}

/* ---- three functions that give a place --------------------------------------------------------
 */

static const fb_element *innermost(const fb_element *f) {
    while (is(f, "MultiplierFunction")) {
        f = fb_get_object(f, "function");
    }
    return f;
}

static bool is_constant(const fb_value *slot) {
    const fb_element *f = slot->present ? innermost(slot->as.object) : NULL;
    return !f || is(f, "Constant");
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Where the functions are to be met exactly: all their knots, or places spread over the range.
 * Returns how many; *alike: all have the same knots. */
static int knots_of(fb_carry_job *job, fb_value *const *slots, const fb_element *coordinate,
                    double **knots, bool *alike, const fb_element **kind) {
    int n = 0, first = -1;
    *knots = NULL;
    *kind = NULL;
    *alike = true;
    for (int i = 0; i < 3; i++) {
        const fb_element *f = slots[i]->present ? innermost(slots[i]->as.object) : NULL;
        const fb_value *x = f ? fb_get(f, "x") : NULL;
        if (!x || is_constant(slots[i])) {
            *alike = *alike && is_constant(slots[i]);
            continue;
        }
        if (n + x->n > MOST_KNOTS) {
            return 0;
        }
        double *all = fb_arena_array(&job->scratch, (size_t)(n + x->n), sizeof *all);
        memcpy(all, *knots ? *knots : all, (size_t)n * sizeof *all);
        memcpy(all + n, x->as.numbers, (size_t)x->n * sizeof *all);
        *alike = *alike &&
                 (first < 0 ||
                  (x->n == first && memcmp(all, x->as.numbers, (size_t)first * sizeof *all) == 0 &&
                   f->cls == (*kind)->cls));
        first = first < 0 ? x->n : first;
        *kind = *kind ? *kind : f;
        *knots = all;
        n += x->n;
    }
    if (n == 0) {
        double range[2] = {-1, 1};
        fb_get_vector(coordinate, "range", range, 2);
        *knots = fb_arena_array(&job->scratch, SAMPLES, sizeof **knots);
        for (n = 0; n < SAMPLES; n++) {
            (*knots)[n] = range[0] + (range[1] - range[0]) * n / (SAMPLES - 1);
        }
    }
    qsort(*knots, (size_t)n, sizeof **knots, by_size);
    int kept = 0;
    for (int i = 0; i < n; i++) {
        if (kept == 0 || (*knots)[i] - (*knots)[kept - 1] > 1e-9) {
            (*knots)[kept++] = (*knots)[i];
        }
    }
    return kept;
}

/* What had no function, or one of nothing, now depends on the coordinate as well. */
static void depend(fb_model *model, fb_element *owner, int i, const fb_element *coordinate) {
    static const char *const keys[] = {"x_coordinate", "y_coordinate", "z_coordinate"};
    bool axis = fb_class_field(owner->cls, "coordinate") >= 0;
    fb_value *ref = fb_value_of(owner, axis ? "coordinate" : keys[i]);
    if (ref && !(ref->present && ref->n > 0)) {
        const char *name = axis ? fb_osim_name(coordinate) : coordinate->path;
        fb_value_set_refs(model, ref, &name, 1);
        ref->as.refs[0].target = coordinate;
    }
}

/* Functions through mapped places at the knots. */
static bool refit(fb_carry_job *job, fb_element *const *owners, fb_value *const *slots,
                  const fb_element *coordinate, const double *from, const double *to,
                  const fb_transform *map) {
    double *x;
    bool alike;
    const fb_element *kind;
    fb_function f[3];
    int n = knots_of(job, slots, coordinate, &x, &alike, &kind);
    for (int i = 0; i < 3; i++) {
        const fb_element *old = slots[i]->present ? slots[i]->as.object : NULL;
        if (n < 2 || fb_function_compile(&f[i], old, &job->scratch, job->diag) != FB_OK) {
            return false;
        }
    }
    double *y[3];
    for (int i = 0; i < 3; i++) {
        y[i] = fb_arena_array(&job->model->arena, (size_t)n, sizeof *y[i]);
    }
    for (int k = 0; k < n; k++) {
        double p[3] = {0, 0, 0}, q[3];
        for (int i = 0; i < 3; i++) {
            fb_v3_madd(p, fb_function_value(&f[i], x[k], NULL, NULL), from + 3 * i);
        }
        fb_transform_point(map, p, q);
        for (int i = 0; i < 3; i++) {
            y[i][k] = fb_v3_dot(q, to + 3 * i);
        }
    }
    for (int i = 0; i < 3; i++) {
        const char *cls = kind && n >= 4 ? kind->cls->name : "SimmSpline";
        fb_element *spline = new_function(job->model, owners[i],
                                          n < 3 ? "PiecewiseLinearFunction" : cls);
        fb_value_set_numbers(job->model, fb_value_of(spline, "x"), x, n);
        fb_value_set_numbers(job->model, fb_value_of(spline, "y"), y[i], n);
        if (kind && is(spline, "GCVSpline")) {
            *fb_value_of(spline, "half_order") = *fb_get(kind, "half_order");
        }
        spline->name = slots[i]->present ? slots[i]->as.object->name : NULL;
        put(slots[i], spline);
        depend(job->model, owners[i], i, coordinate);
    }
    return alike && map->n == 0;
}

bool fb_carry_place(fb_carry_job *job, fb_element *const *owners, fb_value *const *slots,
                    const fb_element *const *coordinates, const double *from, const double *to,
                    const fb_transform *map) {
    if (fb_carry_same(map) && memcmp(from, to, 9 * sizeof *to) == 0) {
        return true;
    }
    double p[3] = {0, 0, 0}, J[9], A[9], B[9], t[3], size = 0, across = 0;
    const fb_element *one = NULL;
    bool several = false;
    for (int i = 0; i < 3; i++) {
        fb_function f;
        double x = coordinates[i] ? fb_get_number(coordinates[i], "default") : 0, value = 0;
        const fb_element *old = slots[i]->present ? slots[i]->as.object : NULL;
        if (fb_function_compile(&f, old, &job->scratch, job->diag) == FB_OK) {
            value = fb_function_value(&f, x, NULL, NULL);
        }
        fb_v3_madd(p, value, from + 3 * i);
        if (!is_constant(slots[i])) {
            several = several || (one && one != coordinates[i]);
            one = coordinates[i];
        }
    }
    fb_transform_jacobian(map, p, J);
    fb_m3_mult(A, J, from);
    fb_m3_mul(B, to, A); /* in the axes: to J from^T */
    for (int i = 0; i < 9; i++) {
        size = fb_greater(size, fabs(B[i]));
        across = i % 4 == 0 ? across : fb_greater(across, fabs(B[i]));
    }
    bool straight = map->n == 0 && across <= 1e-12 * size;
    if (!straight && one && !several) {
        return refit(job, owners, slots, one, from, to, map);
    }
    /* T(p) at the default, and each along its own axis from there */
    double q[3], along[3], moved[3];
    fb_transform_point(map, p, q);
    fb_m3_mul_v3(along, from, p);
    fb_m3_mul_v3(moved, to, q);
    for (int i = 0; i < 3; i++) {
        t[i] = moved[i] - B[4 * i] * along[i];
        if (straight) {
            t[i] = fb_v3_dot(to + 3 * i, map->translation);
        }
        fb_carry_affine(job->model, owners[i], slots[i], B[4 * i], t[i]);
    }
    return straight || !one;
}
