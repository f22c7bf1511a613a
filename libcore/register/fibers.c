#include "libcore/register/fibers.h"

#include <math.h>
#include <string.h>

#include "libcore/base/number.h"
#include "libcore/register/fibers_internal.h"

#define SIGN 5e-3           /* m: arms that are smaller cross zero a few degrees away */
#define NO_DIFFERENCE 1e-12 /* m */
#define ARM_BAR 0.01        /* m */
#define SAME 1e-12          /* of a length: what counts as the same path */
#define ROUNDS 3            /* of fits where muscles pull at virtual links */

double fb_fiber_volume_scale(double mass_before, double height_before, double mass, double height) {
    bool known = mass_before > 0 && height_before > 0 && mass > 0 && height > 0;
    return known ? mass * height / (mass_before * height_before) : 1;
}

/* One muscle of both models. */
typedef struct pair {
    fb_element *element; /* of the new model, to be changed */
    fb_fiber_sample sample;
    bool linked;
    double a, b; /* factors on the standard's lengths */
    const char *note;
} pair;

typedef struct builder {
    fb_model *model;
    const fb_fiber_options *options;
    fb_fiber_report *report;
    fb_diag *diag;
    fb_arena arena; /* of working memory */
    fb_fiber_twins twins;
    pair *pairs;
    int n;
} builder;

/* ---- what belongs together ------------------------------------------------------------------- */

static bool are_same(const fb_element *a, const fb_element *b, bool by_name) {
    const char *one = by_name ? fb_osim_name(a) : a->path;
    const char *two = by_name ? fb_osim_name(b) : b->path;
    return one && two && strcmp(one, two) == 0;
}

/* The coordinate of the new model: by path, by name. */
static int partner_of(const fb_system *other, const fb_coordinate *c) {
    for (int by_name = 0; by_name < 2 && c->element; by_name++) {
        for (int i = 0; i < other->n_q; i++) {
            const fb_coordinate *d = &other->coordinates[i];
            if (d->element && are_same(c->element, d->element, by_name > 0)) {
                return i;
            }
        }
    }
    return -1;
}

/* Defaults, assembled, at activation 1. */
static void start_side(builder *b, int side) {
    fb_simulation *s = b->twins.side[side];
    size_t n = (size_t)s->system->n_q;
    b->twins.start[side] = fb_arena_array(&b->arena, n + 1, sizeof(double));
    fb_state_defaults(s->state);
    b->twins.posed[side] = fb_assemble(s->state, 1e-10) == FB_OK;
    memcpy(b->twins.start[side], s->state->q, n * sizeof(double));
    for (int i = 0; i < s->muscles->n; i++) {
        s->activation[i] = 1;
    }
}

/* Adds a coordinate that can be moved, or those that move it. */
static void add_free(const builder *b, int c, int depth, int *free, int *n) {
    const fb_system *s = b->twins.side[0]->system;
    const fb_coordinate *coordinate = &s->coordinates[c];
    for (int i = 0; i < s->n_constraint && depth < 4; i++) {
        const fb_constraint *k = &s->constraints[i];
        if (k->kind == FB_CONSTRAINT_COUPLER && k->coordinate == c) {
            for (int j = 0; j < k->n_independent; j++) {
                add_free(b, k->independent[j], depth + 1, free, n);
            }
            return;
        }
    }
    if (!coordinate->element || coordinate->locked || coordinate->prescribed ||
        coordinate->follows || b->twins.partner[c] < 0) {
        return;
    }
    for (int i = 0; i < *n; i++) {
        if (free[i] == c) {
            return;
        }
    }
    int at = (*n)++; /* in their order, so that equal sets look equal */
    for (; at > 0 && free[at - 1] > c; at--) {
        free[at] = free[at - 1];
    }
    free[at] = c;
}

static void find_free(builder *b, pair *p) {
    const fb_simulation *s = b->twins.side[0];
    const fb_path *path = &s->paths->paths[s->muscles->muscles[p->sample.muscle[0]].path];
    int *free = fb_arena_array(&b->arena, (size_t)s->system->n_q + 1, sizeof *free);
    for (int i = 0; i < path->n_coordinates; i++) {
        add_free(b, path->coordinates[i], 0, free, &p->sample.n_free);
    }
    p->sample.free = free;
    p->linked = path->linked;
}

static const fb_muscle *muscle_of(const builder *b, const pair *p, int side) {
    return &b->twins.side[side]->muscles->muscles[p->sample.muscle[side]];
}

static int find_standard(const fb_muscles *muscles, const fb_element *element) {
    for (int by_name = 0; by_name < 2; by_name++) {
        for (int i = 0; i < muscles->n; i++) {
            if (are_same(muscles->muscles[i].element, element, by_name > 0)) {
                return i;
            }
        }
    }
    return -1;
}

static void find_pairs(builder *b) {
    fb_list *list = fb_model_list(b->model, "muscles");
    const fb_muscles *muscles[2] = {b->twins.side[0]->muscles, b->twins.side[1]->muscles};
    b->pairs = fb_arena_array(&b->arena, list->n + 1, sizeof *b->pairs);
    for (size_t i = 0; i < list->n; i++) {
        pair p = {.element = list->items[i], .a = 1, .b = 1};
        int *number = p.sample.muscle;
        number[1] = fb_muscles_find(muscles[1], p.element);
        number[0] = find_standard(muscles[0], p.element);
        bool known = number[0] >= 0 && number[1] >= 0;
        for (int side = 0; side < 2 && known; side++) {
            const fb_muscle *m = muscle_of(b, &p, side);
            known = m->path >= 0 && !m->lacking;
        }
        if (!known) {
            fb_diag_add(b->diag, FB_WARNING, FB2308, fb_element_place(p.element),
                        "its fibre and tendon lengths stay as they are",
                        "muscle '%s' cannot be computed on %s", p.element->name,
                        number[0] < 0 ? "the standard body, which lacks it" : "both skeletons");
            continue;
        }
        find_free(b, &p);
        b->pairs[b->n++] = p;
    }
}

/* ---- ligaments and springs ------------------------------------------------------------------- */

/* Length of a path in the default pose, virtual links being where they begin. */
static double default_length(const builder *b, int side, int path) {
    const fb_simulation *s = b->twins.side[side];
    memcpy(s->state->q, b->twins.start[side], (size_t)s->system->n_q * sizeof *s->state->q);
    fb_state_position(s->state);
    fb_course course = s->course;
    course.links = NULL;
    fb_path_course(s->paths, path, s->state, &course);
    return course.length;
}

/* The model's element, which may be changed. */
static fb_element *own(fb_model *model, const fb_element *element) {
    fb_list *list = fb_model_list(model, element->cls->list);
    for (size_t i = 0; list && i < list->n; i++) {
        if (list->items[i] == element) {
            return list->items[i];
        }
    }
    return NULL;
}

/* Where what a path carries has its length without force. */
static const char *resting_key(const fb_element *owner) {
    static const struct {
        const char *cls, *key;
    } all[] = {{"Ligament", "resting_length"},
               {"Blankevoort1991Ligament", "slack_length"},
               {"PathSpring", "resting_length"},
               {"ExpressionBasedPathForce", "resting_length"}};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        if (strcmp(owner->cls->name, all[i].cls) == 0) {
            return all[i].key;
        }
    }
    return NULL;
}

/* The same strain in the default pose: resting lengths go with the paths. True if any changed. */
static bool fit_passive(builder *b) {
    const fb_paths *paths[2] = {b->twins.side[0]->paths, b->twins.side[1]->paths};
    bool any = false;
    for (int i = 0; i < paths[1]->n_paths; i++) {
        const fb_element *owner = paths[1]->paths[i].owner;
        const char *key = resting_key(owner);
        fb_element *mine = key ? own(b->model, owner) : NULL;
        for (int k = 0; k < paths[0]->n_paths && mine; k++) {
            if (!are_same(paths[0]->paths[k].owner, owner, false)) {
                continue;
            }
            double before = default_length(b, 0, k), after = default_length(b, 1, i);
            if (before > 0 && after > 0 && fabs(after - before) > SAME * before) {
                fb_value_set_number(fb_value_of(mine, key),
                                    fb_get_number(paths[0]->paths[k].owner, key) * after / before);
                any = true;
            }
        }
    }
    return any;
}

/* ---- sampling and fitting -------------------------------------------------------------------- */

static bool same_poses(const pair *a, const pair *b) {
    return a->linked == b->linked && a->sample.n_free == b->sample.n_free &&
           (a->sample.n_free == 0 ||
            memcmp(a->sample.free, b->sample.free, (size_t)a->sample.n_free * sizeof(int)) == 0);
}

/* Samples the muscles, those with the same coordinates together. */
static void sample_pairs(builder *b, bool linked_only) {
    bool *done = fb_arena_array(&b->arena, (size_t)b->n + 1, sizeof *done);
    int *members = fb_arena_array(&b->arena, (size_t)b->n + 1, sizeof *members);
    fb_fiber_sample *group = fb_arena_array(&b->arena, (size_t)b->n + 1, sizeof *group);
    for (int i = 0; i < b->n; i++) {
        if (done[i] || (linked_only && !b->pairs[i].linked)) {
            continue;
        }
        int n = 0;
        for (int k = i; k < b->n; k++) {
            if (!done[k] && same_poses(&b->pairs[i], &b->pairs[k])) {
                members[n] = k;
                group[n++] = b->pairs[k].sample;
                done[k] = true;
            }
        }
        fb_fiber_sample_all(&b->twins, group, n, b->options->samples, &b->arena);
        for (int k = 0; k < n; k++) {
            b->pairs[members[k]].sample = group[k];
        }
    }
}

static void fit_pair(builder *b, pair *p) {
    size_t n = (size_t)p->sample.n * (size_t)(5 + 2 * p->sample.n_free);
    double *work = fb_arena_array(&b->arena, n + 1, sizeof *work);
    p->note = fb_fiber_factors(muscle_of(b, p, 0), &p->sample, work, &p->a, &p->b);
}

static double force_factor(const builder *b, const pair *p) {
    const fb_fiber_options *o = b->options;
    double factor = o->force_scale > 0 ? o->force_scale : 1;
    if (o->force_by_volume) {
        factor *= (o->volume_scale > 0 ? o->volume_scale : 1) / p->a;
    }
    return factor;
}

/* The factors into the compiled new model, so that virtual links feel them. */
static void follow(builder *b) {
    for (int i = 0; i < b->n; i++) {
        pair *p = &b->pairs[i];
        const fb_muscle *standard = muscle_of(b, p, 0);
        fb_muscle scaled = fb_fiber_scaled(standard, p->a, p->b);
        fb_muscle *m = &b->twins.side[1]->muscles->muscles[p->sample.muscle[1]];
        m->optimal_length = scaled.optimal_length;
        m->slack_length = scaled.slack_length;
        m->height = scaled.height;
        m->min_length = scaled.min_length;
        m->max_force = standard->max_force * force_factor(b, p);
    }
}

/* Where muscles pull at virtual links: scaled as their paths with the links where they begin. */
static bool start_linked(builder *b) {
    bool any = false;
    for (int i = 0; i < b->n; i++) {
        pair *p = &b->pairs[i];
        if (p->linked) {
            double before = default_length(b, 0, muscle_of(b, p, 0)->path),
                   after = default_length(b, 1, muscle_of(b, p, 1)->path);
            p->a = p->b = before > 0 && after > 0 ? after / before : 1;
        }
        any |= p->linked;
    }
    return any;
}

static void fit_all(builder *b) {
    bool linked = start_linked(b), keep = b->options->keep;
    if (linked && !keep) {
        follow(b);
    }
    sample_pairs(b, false);
    for (int i = 0; i < b->n && !keep; i++) {
        fit_pair(b, &b->pairs[i]);
    }
    for (int round = 1; round <= ROUNDS && linked && !keep; round++) {
        follow(b);
        sample_pairs(b, true);
        for (int i = 0; i < b->n && round < ROUNDS; i++) {
            if (b->pairs[i].linked) {
                fit_pair(b, &b->pairs[i]);
            }
        }
    }
}

/* ---- changing the model ---------------------------------------------------------------------- */

static void scale_value(fb_element *element, const char *key, double before, double factor) {
    fb_value *value = fb_value_of(element, key);
    if (value && value->present && factor != 1) {
        fb_value_set_number(value, before * factor);
    }
}

/* A default fibre length that the file gives, not the class. */
static void scale_default(fb_element *element, double factor) {
    const char *key = "default_fiber_length";
    fb_value *value = fb_value_of(element, key);
    const fb_field *field = NULL;
    for (int i = 0; value && i < element->cls->n_fields; i++) {
        if (strcmp(element->cls->fields[i].key, key) == 0) {
            field = &element->cls->fields[i];
        }
    }
    if (field && value->present && !fb_value_is_default(field, value)) {
        scale_value(element, key, value->as.number, factor);
    }
}

static void apply(builder *b) {
    for (int i = 0; i < b->n; i++) {
        pair *p = &b->pairs[i];
        const fb_element *standard = muscle_of(b, p, 0)->element;
        scale_value(p->element, "optimal_fiber_length",
                    fb_get_number(standard, "optimal_fiber_length"), p->a);
        scale_value(p->element, "tendon_slack_length",
                    fb_get_number(standard, "tendon_slack_length"), p->b);
        scale_value(p->element, "max_isometric_force",
                    fb_get_number(standard, "max_isometric_force"), force_factor(b, p));
        scale_default(p->element, p->a);
    }
}

/* ---- the report ------------------------------------------------------------------------------ */

/* The new muscle as it is in the end, without compiling the model again. */
static fb_muscle after_of(const builder *b, const pair *p) {
    return b->options->keep ? *muscle_of(b, p, 1) : fb_fiber_scaled(muscle_of(b, p, 0), p->a, p->b);
}

static void compare_ranges(const pair *p, const fb_muscle *before, const fb_muscle *after,
                           fb_fiber_change *c) {
    double sum = 0;
    c->range_before[0] = c->range_after[0] = FB_INFINITY;
    c->range_before[1] = c->range_after[1] = -FB_INFINITY;
    for (int i = 0; i < p->sample.n; i++) {
        fb_muscle_point one, two;
        if (!fb_muscle_equilibrate(before, 1, p->sample.length[0][i], 0, FB_EQUILIBRIUM_STATIC,
                                   &one)) {
            continue;
        }
        fb_muscle_equilibrate(after, 1, p->sample.length[1][i], 0, FB_EQUILIBRIUM_STATIC, &two);
        double x = one.normalized_fiber_length, y = two.normalized_fiber_length;
        c->range_before[0] = fmin(c->range_before[0], x);
        c->range_before[1] = fmax(c->range_before[1], x);
        c->range_after[0] = fmin(c->range_after[0], y);
        c->range_after[1] = fmax(c->range_after[1], y);
        sum += (y - x) * (y - x);
        c->poses++;
    }
    if (c->poses == 0) {
        c->range_before[0] = c->range_before[1] = c->range_after[0] = c->range_after[1] = FB_NAN;
    }
    c->rms = c->poses > 0 ? sqrt(sum / c->poses) : FB_NAN;
}

static void compare_arms(const builder *b, const pair *p, fb_fiber_change *c) {
    const fb_fiber_sample *s = &p->sample;
    double worst = NO_DIFFERENCE, opposed = 0;
    for (int k = 0; k < s->n_free; k++) {
        const fb_element *e = b->twins.side[0]->system->coordinates[s->free[k]].element;
        if (fb_coordinate_motion(e) == FB_TRANSLATIONAL) {
            continue;
        }
        for (int i = 0; i < s->n; i++) {
            double before = s->arm[0][i * s->n_free + k], after = s->arm[1][i * s->n_free + k];
            if (fabs(after - before) > worst) {
                worst = fabs(after - before);
                c->coordinate = e->path;
                c->arm_before = before;
                c->arm_after = after;
                c->arm_difference = after - before;
            }
            double least = fmin(fabs(before), fabs(after));
            if (before * after < 0 && least > SIGN && least > opposed) {
                opposed = least;
                c->sign_changed = true;
                c->sign_coordinate = e->path;
                c->sign_before = before;
                c->sign_after = after;
            }
        }
    }
    fb_arena *arena = &b->report->arena;
    c->coordinate = c->coordinate ? fb_arena_dup(arena, c->coordinate) : NULL;
    c->sign_coordinate = c->sign_coordinate ? fb_arena_dup(arena, c->sign_coordinate) : NULL;
}

static void compare_wraps(const builder *b, const pair *p, fb_fiber_change *c) {
    const fb_paths *paths[2] = {b->twins.side[0]->paths, b->twins.side[1]->paths};
    const fb_path *path[2] = {&paths[0]->paths[muscle_of(b, p, 0)->path],
                              &paths[1]->paths[muscle_of(b, p, 1)->path]};
    for (int k = 0; k < path[1]->n_wraps; k++) {
        c->wraps |= p->sample.touched[1][k];
    }
    for (int k = 0; k < path[0]->n_wraps; k++) {
        const fb_element *wrap = paths[0]->wraps[path[0]->wraps[k].wrap].element;
        bool still = false;
        c->wrapped_before |= p->sample.touched[0][k];
        for (int j = 0; j < path[1]->n_wraps; j++) {
            still |= p->sample.touched[1][j] &&
                     are_same(wrap, paths[1]->wraps[path[1]->wraps[j].wrap].element, true);
        }
        if (p->sample.touched[0][k] && !still) {
            c->lost_wraps = c->lost_wraps ? fb_arena_printf(&b->report->arena, "%s, %s",
                                                            c->lost_wraps, fb_osim_name(wrap))
                                          : fb_arena_dup(&b->report->arena, fb_osim_name(wrap));
        }
    }
}

static void tell(const builder *b, const pair *p, const fb_fiber_change *c) {
    fb_place place = fb_element_place(p->element);
    const char *name = p->element->name;
    double bar = b->options->arm_bar > 0 ? b->options->arm_bar : ARM_BAR;
    if (c->equilibrated_before && !c->equilibrates) {
        fb_diag_add(b->diag, FB_WARNING, FB4001, place, NULL,
                    "muscle '%s' has no equilibrium in the default pose on the new skeleton", name);
    }
    if (c->sign_changed) {
        fb_diag_add(
            b->diag, FB_WARNING, FB4007, place, "it turns the joint the other way there",
            "muscle '%s': its moment arm about '%s' has the other sign in some pose: %.1f mm "
            "where the standard's is %.1f mm",
            name, fb_path_name(c->sign_coordinate), 1e3 * c->sign_after, 1e3 * c->sign_before);
    }
    if (fabs(c->arm_difference) > bar) {
        fb_diag_add(b->diag, FB_WARNING, FB4007, place, NULL,
                    "muscle '%s': its moment arm about '%s' is %.1f mm where the standard's is "
                    "%.1f mm",
                    name, fb_path_name(c->coordinate), 1e3 * c->arm_after, 1e3 * c->arm_before);
    }
    if (c->lost_wraps) {
        fb_diag_add(b->diag, FB_WARNING, FB4007, place, NULL,
                    "muscle '%s' no longer touches what it wrapped: %s", name, c->lost_wraps);
    }
    if (c->note) {
        fb_diag_add(b->diag, FB_WARNING, FB2307, place, NULL, "muscle '%s': %s", name, c->note);
    }
}

static void report_pair(const builder *b, const pair *p, fb_fiber_change *c) {
    fb_muscle before = *muscle_of(b, p, 0), after = after_of(b, p);
    bool resting;
    c->muscle = p->element;
    c->optimal_before = fb_get_number(before.element, "optimal_fiber_length");
    c->slack_before = fb_get_number(before.element, "tendon_slack_length");
    c->force_before = fb_get_number(before.element, "max_isometric_force");
    c->optimal_after = fb_get_number(p->element, "optimal_fiber_length");
    c->slack_after = fb_get_number(p->element, "tendon_slack_length");
    c->force_after = fb_get_number(p->element, "max_isometric_force");
    c->note = p->note;
    if (p->sample.has_default) {
        c->equilibrated_before = fb_fiber_balanced(&before, p->sample.length[0][0], &resting);
        c->equilibrates = fb_fiber_balanced(&after, p->sample.length[1][0], &resting);
    }
    compare_ranges(p, &before, &after, c);
    compare_arms(b, p, c);
    compare_wraps(b, p, c);
    tell(b, p, c);
}

/* ---- all of it ------------------------------------------------------------------------------- */

/* Compiles a side; what is not computed was told when it was read. */
static fb_status compile(builder *b, int side, const fb_model *model) {
    fb_diag said;
    fb_diag_init(&said);
    fb_status status = fb_simulation_new(&b->twins.side[side], model, false, &said);
    for (size_t i = 0; status != FB_OK && i < said.n; i++) {
        const fb_record *r = &said.records[i];
        if (r->action == FB_ERROR) {
            fb_diag_add(b->diag, FB_ERROR, r->id, (fb_place){r->file, r->line, r->path, r->cls},
                        r->effect, "%s", r->message);
        }
    }
    fb_diag_clear(&said);
    return status;
}

static fb_status run(builder *b, const fb_model *standard) {
    fb_status status = compile(b, 0, standard);
    if (status == FB_OK) {
        status = compile(b, 1, b->model);
    }
    jmp_buf oom;
    if (status == FB_OK && setjmp(oom)) {
        b->arena.oom = b->report->arena.oom = NULL;
        fb_diag_add(b->diag, FB_ERROR, FB1003, (fb_place){0}, NULL, "out of memory");
        return FB_E_MEMORY;
    }
    if (status != FB_OK) {
        return status;
    }
    b->arena.oom = b->report->arena.oom = &oom;
    const fb_system *system = b->twins.side[0]->system;
    b->twins.partner = fb_arena_array(&b->arena, (size_t)system->n_q + 1, sizeof(int));
    for (int i = 0; i < system->n_q; i++) {
        b->twins.partner[i] = partner_of(b->twins.side[1]->system, &system->coordinates[i]);
    }
    start_side(b, 0);
    start_side(b, 1);
    if (!b->options->keep && fit_passive(b) && b->twins.side[1]->links) {
        fb_simulation_free(b->twins.side[1]); /* they pull at virtual links */
        b->twins.side[1] = NULL;
        b->arena.oom = b->report->arena.oom = NULL;
        status = compile(b, 1, b->model);
        if (status != FB_OK) {
            return status;
        }
        b->arena.oom = b->report->arena.oom = &oom;
        start_side(b, 1);
    }
    find_pairs(b);
    fit_all(b);
    b->report->items = fb_arena_array(&b->report->arena, (size_t)b->n + 1,
                                      sizeof *b->report->items);
    if (!b->options->keep) {
        apply(b);
    }
    for (int i = 0; i < b->n; i++) {
        report_pair(b, &b->pairs[i], &b->report->items[i]);
        b->report->n++;
    }
    b->arena.oom = b->report->arena.oom = NULL;
    return FB_OK;
}

fb_status fb_fibers_fit(fb_model *model, const fb_model *standard, const fb_fiber_options *options,
                        fb_fiber_report *report, fb_diag *diag) {
    static const fb_fiber_options defaults;
    builder b = {.model = model,
                 .options = options ? options : &defaults,
                 .report = report,
                 .diag = diag};
    memset(report, 0, sizeof *report);
    fb_arena_init(&report->arena);
    fb_arena_init(&b.arena);
    fb_status status = run(&b, standard);
    for (int side = 0; side < 2; side++) {
        fb_simulation_free(b.twins.side[side]);
    }
    fb_arena_clear(&b.arena);
    return status;
}

void fb_fiber_report_free(fb_fiber_report *report) {
    fb_arena_clear(&report->arena);
    memset(report, 0, sizeof *report);
}
