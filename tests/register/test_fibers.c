/* Muscle parameters on new skeletons: copies of models that are scaled or disturbed here. With
 * $FB_CORPUS, a folder of .osim files, those too. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "libcore/muscle/simulation.h"
#include "libcore/register/fibers_internal.h"
#include "tests/help.h"

/* ---- models ---------------------------------------------------------------------------------- */

typedef struct twins {
    fb_model *standard, *model;
    fb_fiber_report report;
    fb_diag diag;
} twins;

static fb_model *load(const char *file, fb_diag *diag) {
    size_t size;
    fb_model *model = NULL;
    char *bytes = fb_test_read_file(file, &size);
    fb_status status = fb_model_read(&model, bytes, size, file, 0, diag);
    return status == FB_OK ? model : NULL;
}

/* The same model twice; false if it has no mechanics or no muscles. */
static bool open_twins(twins *t, const char *file) {
    memset(t, 0, sizeof *t);
    fb_diag_init(&t->diag);
    t->standard = load(file, &t->diag);
    t->model = t->standard ? load(file, &t->diag) : NULL;
    return t->model && fb_model_items(t->model, "muscles")->n > 0 && !strstr(file, "numbers.osim");
}

static bool fit(twins *t, const fb_fiber_options *options) {
    fb_fiber_report_free(&t->report);
    fb_diag_clear(&t->diag);
    fb_diag_init(&t->diag);
    return fb_fibers_fit(t->model, t->standard, options, &t->report, &t->diag) == FB_OK;
}

static void close_twins(twins *t) {
    fb_fiber_report_free(&t->report);
    fb_model_free(t->model);
    fb_model_free(t->standard);
    fb_diag_clear(&t->diag);
}

/* The i-th model to try: shipped ones, then the corpus. */
static const char *file_at(int i) {
    static const char *const patterns[] = {"models/*/*.osim", "models/*/*.fb"};
    char corpus[400] = "";
    for (int p = 0; p < 3; p++) {
        if (p == 2) {
            if (!getenv("FB_CORPUS")) {
                return NULL;
            }
            snprintf(corpus, sizeof corpus, "%.200s/*.osim", getenv("FB_CORPUS"));
        }
        const char *pattern = p < 2 ? patterns[p] : corpus;
        int n = 0;
        while (fb_test_glob(pattern, n)) {
            n++;
        }
        if (i < n) {
            return fb_test_glob(pattern, i);
        }
        i -= n;
    }
    return NULL;
}

/* ---- changes of models ----------------------------------------------------------------------- */

static void scale_numbers(fb_model *model, fb_value *value, double s) {
    double x[4000];
    for (int i = 0; i < value->n && i < 4000; i++) {
        x[i] = s * value->as.numbers[i];
    }
    fb_value_set_numbers(model, value, x, value->n);
}

/* Multiplies a function's value; false for one that cannot be. */
static bool scale_function(fb_model *model, fb_element *f, double s) {
    static const struct {
        const char *cls, *keys[2];
    } all[] = {{"Constant", {"value"}},
               {"LinearFunction", {"coefficients"}},
               {"PolynomialFunction", {"coefficients"}},
               {"MultivariatePolynomialFunction", {"coefficients"}},
               {"SimmSpline", {"y"}},
               {"GCVSpline", {"y"}},
               {"PiecewiseLinearFunction", {"y"}},
               {"MultiplierFunction", {"scale"}},
               {"Sine", {"amplitude", "offset"}},
               {"StepFunction", {"start_value", "end_value"}}};
    for (size_t i = 0; f && i < sizeof all / sizeof all[0]; i++) {
        for (int k = 0; k < 2 && strcmp(f->cls->name, all[i].cls) == 0 && all[i].keys[k]; k++) {
            fb_value *value = fb_value_of(f, all[i].keys[k]);
            const fb_field *field = &f->cls->fields[value - f->values];
            if (field->type == FB_NUMBER) {
                fb_value_set_number(value, s * value->as.number);
            } else {
                scale_numbers(model, value, s);
            }
            if (k == 1 || !all[i].keys[k + 1]) {
                return true;
            }
        }
    }
    return f == NULL;
}

static bool is_slide(const fb_element *coordinate) {
    return coordinate && fb_coordinate_motion(coordinate) == FB_TRANSLATIONAL;
}

/* A translation by a function of coordinates that turn; one of a slide scales by its argument. */
static bool scale_axis(fb_model *model, fb_element *axis, double s) {
    const fb_value *arguments = fb_get(axis, "coordinate");
    for (int i = 0; arguments && i < arguments->n; i++) {
        if (is_slide(arguments->as.refs[i].target)) {
            const fb_element *f = fb_get_object(axis, "function");
            return !f || strcmp(f->cls->name, "LinearFunction") == 0;
        }
    }
    const fb_value *f = fb_get(axis, "function");
    return !f || !f->present || scale_function(model, f->as.object, s);
}

static bool scale_element(fb_model *model, fb_element *e, const double *s) {
    double mean = cbrt(s[0] * s[1] * s[2]);
    bool ok = true;
    if (e->cls->family == FB_COORDINATE && !is_slide(e)) {
        return !fb_get_object(e, "prescribed_function");
    }
    for (int i = 0; i < e->cls->n_fields; i++) {
        const fb_field *field = &e->cls->fields[i];
        fb_value *v = &e->values[i];
        bool length = field->unit &&
                      (strcmp(field->unit, "m") == 0 ||
                       (e->cls->family == FB_COORDINATE && strcmp(field->unit, "rad or m") == 0));
        if (!v->present || strcmp(field->key, "resting_length") == 0 ||
            strcmp(field->key, "slack_length") == 0) {
            continue; /* those are to be found */
        }
        if (field->type == FB_OBJECT && v->as.object) {
            ok &= scale_element(model, v->as.object, s);
        } else if (field->type == FB_OBJECTS) {
            for (int k = 0; k < v->n; k++) {
                bool axis = strcmp(field->key, "axes") == 0;
                ok &= axis && k < 3 ? true
                      : axis        ? scale_axis(model, v->as.objects[k], mean)
                                    : scale_element(model, v->as.objects[k], s);
            }
        } else if (length && field->type == FB_NUMBER) {
            fb_value_set_number(v, mean * v->as.number);
        } else if (length && field->type == FB_VECTOR && v->n == 3) {
            double x[3] = {s[0] * v->as.numbers[0], s[1] * v->as.numbers[1],
                           s[2] * v->as.numbers[2]};
            fb_value_set_numbers(model, v, x, 3);
        } else if (length && (field->type == FB_VECTOR || field->type == FB_NUMBERS)) {
            scale_numbers(model, v, mean);
        }
    }
    static const char *const functions[] = {"x", "y", "z"};
    static const char *const of[] = {"x_coordinate", "y_coordinate", "z_coordinate"};
    for (int k = 0; k < 3 && strcmp(e->cls->name, "MovingPathPoint") == 0; k++) {
        fb_value *f = fb_value_of(e, functions[k]);
        ok &= !is_slide(fb_get_target(e, of[k]));
        ok &= !f->present || scale_function(model, f->as.object, s[k]);
    }
    if (strcmp(e->cls->name, "FunctionBasedPath") == 0) {
        const fb_value *arms = fb_get(e, "moment_arms");
        ok &= scale_function(model, fb_value_of(e, "length")->as.object, mean);
        for (int k = 0; k < arms->n; k++) {
            ok &= scale_function(model, arms->as.objects[k], mean);
        }
    }
    if (strcmp(e->cls->name, "CoordinateCouplerConstraint") == 0) {
        const fb_value *arguments = fb_get(e, "independent_coordinates");
        for (int k = 0; k < arguments->n; k++) {
            ok &= !is_slide(arguments->as.refs[k].target);
        }
        if (is_slide(fb_get_target(e, "dependent_coordinate"))) {
            ok &= scale_function(model, fb_value_of(e, "function")->as.object, mean);
        }
    }
    return ok;
}

/* Every length of a model, but those of its muscles; false if it has some that cannot be. */
static bool scale_model(fb_model *model, double x, double y, double z) {
    static const char *const lists[] = {"frames", "joints",        "constraints", "wraps",
                                        "bodies", "virtual_links", "springs",     "ligaments"};
    double s[3] = {x, y, z};
    bool ok = true;
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        fb_list *list = fb_model_list(model, lists[i]);
        for (size_t k = 0; list && k < list->n; k++) {
            ok &= scale_element(model, list->items[k], s);
        }
    }
    fb_list *springs = fb_model_list(model, "springs"); /* the same force at the same strain */
    for (size_t k = 0; k < springs->n; k++) {
        fb_value *stiffness = fb_value_of(springs->items[k], "stiffness");
        if (stiffness && stiffness->present) {
            fb_value_set_number(stiffness, stiffness->as.number / cbrt(x * y * z));
        }
    }
    fb_list *muscles = fb_model_list(model, "muscles");
    for (size_t k = 0; k < muscles->n; k++) {
        fb_value *path = fb_value_of(muscles->items[k], "path");
        ok &= !path->present || scale_element(model, path->as.object, s);
    }
    return ok;
}

/* Moves the fixed points of all muscles' paths. */
static void disturb(fb_model *model, double size, unsigned long long *seed) {
    fb_list *muscles = fb_model_list(model, "muscles");
    for (size_t k = 0; k < muscles->n; k++) {
        fb_value *path = fb_value_of(muscles->items[k], "path");
        const fb_value *points = path->present ? fb_get(path->as.object, "points") : NULL;
        for (int i = 0; points && i < points->n; i++) {
            fb_value *place = fb_value_of(points->as.objects[i], "location");
            double x[3];
            if (place && fb_get_vector(points->as.objects[i], "location", x, 3)) {
                for (int c = 0; c < 3; c++) {
                    x[c] += fb_random_between(seed, -size, size);
                }
                fb_value_set_numbers(model, place, x, 3);
            }
        }
    }
}

/* What people do without a fit: both lengths by the path's in the default pose. */
static void scale_plainly(twins *t) {
    const fb_model *models[2] = {t->standard, t->model};
    fb_simulation *s[2] = {NULL, NULL};
    fb_diag diag;
    fb_diag_init(&diag);
    for (int side = 0; side < 2; side++) {
        FB_EQUAL_INT(fb_simulation_new(&s[side], models[side], false, &diag), FB_OK);
        fb_assemble(s[side]->state, 1e-10);
        fb_simulation_move(s[side]);
    }
    for (int i = 0; i < s[0]->muscles->n; i++) {
        const fb_muscle *m = &s[0]->muscles->muscles[i];
        double f = s[1]->path_length[m->path] / s[0]->path_length[m->path];
        fb_element *e = NULL;
        fb_list *list = fb_model_list(t->model, "muscles");
        for (size_t k = 0; k < list->n; k++) {
            e = list->items[k] == s[1]->muscles->muscles[i].element ? list->items[k] : e;
        }
        fb_value_set_number(fb_value_of(e, "optimal_fiber_length"), f * m->optimal_length);
        fb_value_set_number(fb_value_of(e, "tendon_slack_length"), f * m->slack_length);
    }
    fb_simulation_free(s[0]);
    fb_simulation_free(s[1]);
    fb_diag_clear(&diag);
}

/* Root mean square over muscles of the differences in normalised fibre length. */
static double rms_of(const fb_fiber_report *report) {
    double sum = 0;
    int n = 0;
    for (int i = 0; i < report->n; i++) {
        if (report->items[i].poses > 0) {
            sum += report->items[i].rms * report->items[i].rms;
            n++;
        }
    }
    return n > 0 ? sqrt(sum / n) : 0;
}

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void the_same_skeleton_changes_nothing(void) {
    int n = 0;
    const char *file;
    for (int i = 0; (file = file_at(i)) != NULL; i++) {
        twins t;
        double before = seconds();
        if (open_twins(&t, file) && fit(&t, NULL)) {
            for (int k = 0; k < t.report.n; k++) {
                const fb_fiber_change *c = &t.report.items[k];
                FB_SAME(c->optimal_after, c->optimal_before);
                FB_SAME(c->slack_after, c->slack_before);
                FB_SAME(c->force_after, c->force_before);
                FB_TRUE(c->poses == 0 || c->rms == 0, "%s: rms %g", c->muscle->path, c->rms);
                FB_TRUE(!c->coordinate && !c->sign_changed && !c->lost_wraps, "%s",
                        c->muscle->path);
                FB_EQUAL_INT(c->equilibrates, c->equilibrated_before);
                FB_EQUAL_INT(c->wraps, c->wrapped_before);
                n += c->poses > 0;
            }
            char *one = fb_test_to_fb(t.standard), *two = fb_test_to_fb(t.model);
            FB_TRUE(strcmp(one, two) == 0, "%s is written as it was", file);
            free(one);
            free(two);
            printf("%-70.70s %3d muscles, %.3f s\n", file, t.report.n, seconds() - before);
        }
        close_twins(&t);
    }
    FB_TRUE(n > 50, "%d muscles", n);
}

/* Ligaments and springs keep their strain. */
static int check_resting(const twins *t, double s) {
    static const char *const lists[] = {"springs", "ligaments"};
    static const char *const keys[] = {"resting_length", "slack_length"};
    int n = 0;
    for (int l = 0; l < 2; l++) {
        const fb_list *before = fb_model_items(t->standard, lists[l]);
        const fb_list *after = fb_model_items(t->model, lists[l]);
        for (size_t i = 0; i < before->n; i++) {
            for (int k = 0; k < 2; k++) {
                const fb_element *e = before->items[i];
                if (fb_get(e, keys[k]) && fb_get_object(e, "path") &&
                    strcmp(e->cls->name, "ClutchedPathSpring") != 0) {
                    FB_NEAR(fb_get_number(after->items[i], keys[k]), s * fb_get_number(e, keys[k]),
                            0, 1e-9);
                    n++;
                }
            }
        }
    }
    return n;
}

static void a_larger_skeleton_scales_both_lengths(void) {
    int n = 0, resting = 0;
    const char *file;
    for (int i = 0; (file = file_at(i)) != NULL; i++) {
        twins t;
        double s = 1.1875;
        if (open_twins(&t, file) && scale_model(t.model, s, s, s) && fit(&t, NULL)) {
            for (int k = 0; k < t.report.n; k++) {
                const fb_fiber_change *c = &t.report.items[k];
                bool good = FB_NEAR(c->optimal_after, s * c->optimal_before, 0, 1e-9);
                good &= FB_NEAR(c->slack_after, s * c->slack_before, 0, 1e-9);
                good &= FB_SAME(c->force_after, c->force_before);
                good &= FB_EQUAL_INT(c->equilibrates, c->equilibrated_before);
                if (!good) {
                    printf("  %s: %s, %d poses, rms %g, %s\n", file, c->muscle->path, c->poses,
                           c->rms, c->note ? c->note : "");
                }
                n += c->poses > 0;
            }
            resting += check_resting(&t, s);
        }
        close_twins(&t);
    }
    FB_TRUE(n > 50, "%d muscles", n);
    FB_TRUE(resting > 0, "%d resting lengths", resting);
}

/* A change of the skeleton: with the lengths left alone, scaled plainly, and fitted. */
static void compare(const char *file, const char *what, bool scale, double *sums) {
    twins t;
    double rms[3], start = 0, end = 0;
    unsigned long long seed = 12345;
    int lost = 0, before = 0;
    for (int way = 0; way < 3; way++) {
        bool ok = open_twins(&t, file);
        if (ok && scale) {
            scale_model(t.model, 1.1, 0.92, 1.04);
        } else if (ok) {
            seed = 12345;
            disturb(t.model, 0.005, &seed);
        }
        if (ok && way == 1) {
            scale_plainly(&t);
        }
        start = seconds();
        fb_fiber_options options = {.keep = way < 2};
        if (!ok || !fit(&t, &options)) {
            close_twins(&t);
            return;
        }
        end = seconds();
        rms[way] = rms_of(&t.report);
        for (int k = 0; k < t.report.n && way == 2; k++) {
            const fb_fiber_change *c = &t.report.items[k];
            before += c->equilibrated_before;
            lost += c->equilibrated_before && !c->equilibrates;
            FB_TRUE(c->optimal_after > 0 && c->slack_after >= 0, "%s", c->muscle->path);
            FB_TRUE(c->poses == 0 || isfinite(c->rms), "%s", c->muscle->path);
        }
        if (way < 2) {
            close_twins(&t);
        }
    }
    printf("%-50.50s %s: rms %.4f left, %.4f plain, %.4f fitted; %d of %d lost; %.3f s\n",
           strrchr(file, '/'), what, rms[0], rms[1], rms[2], lost, before, end - start);
    FB_EQUAL_INT(lost, 0);
    FB_TRUE(rms[2] <= rms[0] + 1e-9 && rms[2] <= rms[1] + 1e-9, "%s: the fit is better", file);
    for (int k = 0; k < 3; k++) {
        sums[k] += rms[k];
    }
    close_twins(&t);
}

static void a_fit_is_better_than_plain_scaling(void) {
    const char *file;
    for (int scale = 0; scale < 2; scale++) {
        double sums[3] = {0, 0, 0};
        for (int i = 0; (file = file_at(i)) != NULL; i++) {
            compare(file, scale ? "scaled" : "moved ", scale > 0, sums);
        }
        FB_TRUE(sums[2] < 0.9 * sums[1] && sums[2] < 0.5 * sums[0],
                "rms of all: %.4f left, %.4f plain, %.4f fitted", sums[0], sums[1], sums[2]);
    }
}

/* ---- one muscle ------------------------------------------------------------------------------ */

/* A pin about z at the origin with a flexor m: from ground at (0, 0.3, 0) over a cylinder about
 * the pin to the body at (x, y, 0). */
static fb_model *elbow(const char *name, double x, double y, double radius, fb_diag *diag) {
    char text[2000];
    snprintf(
        text, sizeof text,
        "{'fb': '1.0', 'bodies': [{'name': 'b', 'mass': 1}], 'joints': [{'name': 'j', 'type': "
        "'pin', 'parent': 'ground', 'child': 'b', 'coordinates': [{'name': 'q', 'range': [-0.1, "
        "1.5]}]}], 'wraps': [{'name': 'w', 'type': 'cylinder', 'frame': 'ground', 'radius': "
        "%.17g, 'length': 1}], 'muscles': [{'name': '%s', 'type': 'Millard2012Equilibrium', "
        "'max_isometric_force': 500, 'optimal_fiber_length': 0.15, 'tendon_slack_length': "
        "0.3, 'pennation_angle': 0.2, 'path': {'points': [{'name': 'o', 'frame': 'ground', "
        "'location': [0.03, 0.3, 0]}, {'name': 'i', 'frame': 'b', 'location': [%.17g, %.17g, "
        "0]}], 'wraps': [{'wrap': 'w'}]}}]}",
        radius, name, x, y);
    fb_test_quotes(text);
    return fb_test_must(fb_test_fb(text, diag, NULL), diag);
}

static twins elbows(const char *name, double x, double y, double radius) {
    twins t = {0};
    fb_diag_init(&t.diag);
    t.standard = elbow("m", 0.03, -0.15, 0.025, &t.diag);
    t.model = elbow(name, x, y, radius, &t.diag);
    return t;
}

static void forces_follow_what_is_asked(void) {
    double scaled[3];
    for (int way = 0; way < 3; way++) {
        twins t = elbows("m", 0.036, -0.18, 0.025);
        fb_fiber_options options = {.force_scale = way == 1 ? 1.5 : 0,
                                    .force_by_volume = way == 2,
                                    .volume_scale = fb_fiber_volume_scale(70, 1.75, 84, 1.8)};
        FB_TRUE(fit(&t, &options), "it fits");
        FB_EQUAL_INT(t.report.n, 1);
        const fb_fiber_change *c = &t.report.items[0];
        double a = c->optimal_after / c->optimal_before;
        FB_TRUE(a > 1.02 && a < 1.5, "fibres grow with the moment arm: %g", a);
        FB_NEAR(c->force_before, 500, 0, 0);
        FB_NEAR(c->force_after, fb_get_number(c->muscle, "max_isometric_force"), 0, 0);
        scaled[way] = c->force_after / c->force_before;
        FB_NEAR(scaled[way], way == 0 ? 1 : way == 1 ? 1.5 : 84 * 1.8 / (70 * 1.75) / a, 0, 1e-12);
        close_twins(&t);
    }
    FB_NEAR(fb_fiber_volume_scale(0, 1.75, 84, 1.8), 1, 0, 0);
    FB_NEAR(fb_fiber_volume_scale(70, 1.75, 84, (double)NAN), 1, 0, 0);
}

static void what_acts_otherwise_is_told(void) {
    twins t = elbows("m", -0.03, -0.15, 0.02); /* behind the pin */
    FB_TRUE(fit(&t, NULL), "it fits");
    const fb_fiber_change *c = &t.report.items[0];
    FB_TRUE(c->sign_changed, "the sign changes");
    FB_EQUAL_STR(c->sign_coordinate, "/jointset/j/q");
    FB_EQUAL_STR(c->coordinate, "/jointset/j/q");
    FB_TRUE(c->arm_before * c->arm_after < 0 && fabs(c->arm_difference) > 0.03, "%g to %g",
            c->arm_before, c->arm_after);
    FB_RECORD(&t.diag, FB_WARNING, FB4007, -1);
    close_twins(&t);
    t = elbows("m", 0.03, -0.15, 0.002); /* a cylinder too thin to be touched */
    FB_TRUE(fit(&t, NULL), "it fits");
    c = &t.report.items[0];
    FB_TRUE(c->wrapped_before && !c->wraps, "it no longer wraps");
    FB_EQUAL_STR(c->lost_wraps, "w");
    FB_RECORD(&t.diag, FB_WARNING, FB4007, -1);
    close_twins(&t);
    t = elbows("other", 0.03, -0.15, 0.025); /* a muscle that the standard lacks */
    FB_TRUE(fit(&t, NULL), "it fits");
    FB_EQUAL_INT(t.report.n, 0);
    FB_RECORD(&t.diag, FB_WARNING, FB2308, -1);
    close_twins(&t);
}

/* The moment arms are the slopes of the lengths that the report's muscle has. */
static void arms_are_those_of_the_simulation(void) {
    twins t = elbows("m", 0.05, -0.15, 0.025);
    FB_TRUE(fit(&t, NULL), "it fits");
    const fb_fiber_change *c = &t.report.items[0];
    fb_simulation *s[2];
    double worst = 0;
    FB_EQUAL_INT(fb_simulation_new(&s[0], t.standard, false, &t.diag), FB_OK);
    FB_EQUAL_INT(fb_simulation_new(&s[1], t.model, false, &t.diag), FB_OK);
    for (int i = 0; i <= 1200; i++) { /* the poses of one coordinate are even steps of its range */
        double arm[2], length[2][2];
        for (int side = 0; side < 2; side++) {
            for (int k = 0; k < 2; k++) {
                s[side]->state->q[0] = -0.1 + 1.6 * i / 1200 + (k ? 1e-6 : -1e-6);
                fb_simulation_move(s[side]);
                length[side][k] = s[side]->path_length[0];
            }
            arm[side] = -(length[side][1] - length[side][0]) / 2e-6;
        }
        if (i % 100 == 0) {
            worst = fmax(worst, fabs(arm[1] - arm[0]));
        }
    }
    FB_NEAR(fabs(c->arm_difference), worst, 1e-8, 0);
    fb_simulation_free(s[0]);
    fb_simulation_free(s[1]);
    close_twins(&t);
}

/* In the default pose the path is much shorter than in the others. */
static void a_fit_that_loses_the_equilibrium_is_held_back(void) {
    twins t = elbows("m", 0.03, -0.15, 0.025);
    fb_simulation *s;
    FB_EQUAL_INT(fb_simulation_new(&s, t.standard, false, &t.diag), FB_OK);
    const fb_muscle *m = &s->muscles->muscles[0];
    double length[2][5] = {{0.45, 0.42, 0.44, 0.46, 0.48}, {0.3, 0.42, 0.44, 0.46, 0.48}};
    double work[40], a, b;
    bool resting;
    fb_fiber_sample sample = {.n = 5, .has_default = true, .length = {length[0], length[1]}};
    const char *note = fb_fiber_factors(m, &sample, work, &a, &b);
    FB_TRUE(note && strstr(note, "held back"), "%s", note ? note : "no note");
    fb_muscle scaled = fb_fiber_scaled(m, a, b);
    FB_TRUE(fb_fiber_balanced(&scaled, 0.3, &resting) && !resting, "in balance");
    /* and without the odd one it is the same muscle */
    sample.has_default = false;
    length[1][0] = 0.45 * (1 + 1e-15);
    FB_TRUE(!fb_fiber_factors(m, &sample, work, &a, &b), "nothing to note");
    FB_TRUE(a == 1 && b == 1, "%g, %g", a, b);
    fb_simulation_free(s);
    close_twins(&t);
}

static void memory_that_runs_out_is_told(void) {
    twins t = elbows("m", 0.036, -0.18, 0.025);
    long n = 1;
    for (;; n++) {
        fb_diag_clear(&t.diag);
        fb_diag_init(&t.diag);
        fb_alloc_fail_at(n);
        fb_status status = fb_fibers_fit(t.model, t.standard, NULL, &t.report, &t.diag);
        fb_alloc_fail_at(0);
        fb_fiber_report_free(&t.report);
        if (status == FB_OK) {
            break;
        }
        FB_EQUAL_INT(status, FB_E_MEMORY);
    }
    FB_TRUE(n > 20, "%ld allocations", n);
    close_twins(&t);
}

static const fb_test tests[] = {
    FB_TEST(forces_follow_what_is_asked),
    FB_TEST(what_acts_otherwise_is_told),
    FB_TEST(arms_are_those_of_the_simulation),
    FB_TEST(a_fit_that_loses_the_equilibrium_is_held_back),
    FB_TEST(memory_that_runs_out_is_told),
    FB_TEST(the_same_skeleton_changes_nothing),
    FB_TEST(a_larger_skeleton_scales_both_lengths),
    FB_TEST(a_fit_is_better_than_plain_scaling),
    FB_TEST_END,
};

int main(int argc, char **argv) {
    return fb_test_main("fibers", tests, argc, argv);
}
