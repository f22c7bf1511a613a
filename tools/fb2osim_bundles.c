/* fb2osim --bundles: muscles as sub-muscles, one for each group of their bundles. */
#include <math.h>
#include <string.h>

#include "formats/bundle_stored.h"
#include "libcore/base/number.h"
#include "libcore/base/spatial.h"
#include "libcore/bundle/split.h"
#include "libcore/model/multiply.h"
#include "tools/fb2osim.h"

#define ASSEMBLY 1e-10  /* as fbgen and fbsim, so that bodies come out the same */
#define ARM 2e-5        /* m: of moment arms; if it is missed, points are moved less */
#define LAST_ARM 5e-5   /* m: where they are parallel already */
#define ARM_TOLD 1e-4   /* m: and if this is, it is told */
#define MOST_SHIFT 5e-3 /* m: of points, to make moment arms right */
#define REACH 1.5       /* of the greatest offset: how far arms may be from the line's */
#define SLACK 2e-3      /* m: and so much more */
#define FAR 0.5         /* of the line's length: bundles that far off are no muscle's */
#define PARALLEL 0.25   /* sub-muscles become more parallel in such steps, or */
#define LESS 0.5        /* offsets at one point become so much smaller, */
#define ALL_LESS 0.75   /* or at all points, */
#define LEAST 0.05      /* until they are none */

/* A model in its default pose, as far as paths need it. */
typedef struct posed {
    fb_system *system;
    fb_state *state;
    fb_paths *paths;
    fb_course course;
} posed;

/* A line that becomes sub-muscles. */
typedef struct line {
    fb_element *element;
    int number; /* of the muscle in its model's list */
    int path;   /* of the line, before */
    int n;
    const char **names;
    double *share;
    double (*offset)[3];   /* [n][n_points] in ground */
    double *arms;          /* n_q, of the line */
    double length, spread; /* m: of the line; the greatest of the offsets */
    double reach;          /* m: how far arms may be from the line's */
    fb_element **copies;
    double *factor;      /* n_points: how much of the offsets could be kept */
    double (*common)[3]; /* n: mean offset of each group */
    double parallel;     /* 0: each point has its own offset; 1: all the common one */
    int n_points, n_less;
    double error; /* m: of the moment arms of all together */
} line;

typedef struct job {
    fb_cli *cli;
    fb_model *model;
    int k;
    fb_arena arena;
    fb_stored *stored;
    int n_stored;
    posed before, after;
    line *lines;
    int n_lines;
    fb_spec spec;
    fb_recipes *recipes;
    fb_body body; /* of the muscle that was laid last */
    fb_scratch scratch;
} job;

/* ---- the default pose ------------------------------------------------------------------------ */

static fb_status pose(posed *p, const fb_model *model, fb_arena *arena, fb_diag *diag) {
    fb_system_options options = {false};
    fb_status status = fb_system_compile(&p->system, model, &options, diag);
    if (status == FB_OK) {
        p->state = fb_state_new(p->system);
        status = p->state ? fb_paths_compile(&p->paths, p->system, false, diag) : FB_E_MEMORY;
    }
    if (status != FB_OK) {
        return status;
    }
    p->course.points = fb_arena_array(arena, (size_t)p->paths->most_points + 2,
                                      sizeof *p->course.points);
    fb_state_position(p->state);
    if (fb_assemble(p->state, ASSEMBLY) != FB_OK) {
        fb_diag_add(diag, FB_WARNING, FB4002, (fb_place){model->file, 0, NULL, NULL},
                    "the nearest pose is used",
                    "the constraints cannot be met in the default pose");
    }
    fb_state_position(p->state);
    fb_state_velocity(p->state);
    return FB_OK;
}

static void clear(posed *p) {
    fb_paths_free(p->paths);
    fb_state_free(p->state);
    fb_system_free(p->system);
}

/* ---- lines and their groups ------------------------------------------------------------------ */

static void stays(const job *j, const fb_element *muscle, const char *why) {
    fb_diag_add(&j->cli->diag, FB_WARNING, FB2504, fb_element_place(muscle), "it stays one muscle",
                "'%s' is not written as sub-muscles: %s", fb_osim_name(muscle), why);
}

static fb_element *muscle_called(const fb_model *model, const char *name, int *number) {
    const fb_list *muscles = fb_model_items(model, "muscles");
    for (size_t i = 0; i < muscles->n; i++) {
        if (strcmp(muscles->items[i]->name, name) == 0) {
            *number = (int)i;
            return muscles->items[i];
        }
    }
    return NULL;
}

/* Marks the bundles that belong to a line with 0, all others with -1; how many. */
static int mark_bundles(int *group, bool *reversed, const fb_body *body, const fb_build *build,
                        const fb_recipe *recipe, const fb_stored *s, const char *name) {
    bool only = s->n_lines == 1, any = false;
    int n = 0;
    for (int h = 0; h < s->n_cores; h++) {
        any |= s->cores[h].line && strcmp(s->cores[h].line, name) == 0;
    }
    for (size_t i = 0; i < body->n_bundles; i++) {
        int h = body->bundles[i].head[0];
        const char *of = h >= 0 ? s->cores[h].line : NULL;
        bool its = of ? strcmp(of, name) == 0 : only && !any;
        group[i] = its && body->bundles[i].rings >= 2 ? 0 : -1;
        if (group[i] == 0) {
            *reversed = of && recipe->cores[build->core[h]].reversed;
            n++;
        }
    }
    return n;
}

/* Groups, shares and offsets of one line's sub-muscles. */
static fb_status plan_line(job *j, const fb_stored *s, const fb_build *build,
                           const fb_recipe *recipe, const char *name) {
    const fb_body *body = &j->body;
    line *l = j->lines + j->n_lines;
    fb_element *muscle = muscle_called(j->model, name, &l->number);
    if (!muscle) {
        fb_diag_add(&j->cli->diag, FB_ERROR, FB2201, (fb_place){j->model->file, 0, NULL, NULL},
                    NULL, "the bundles of '%s' have a line '%s', and the model has no such muscle",
                    s->muscle, name);
        return FB_E_INPUT;
    }
    l->element = muscle;
    l->path = fb_paths_find(j->before.paths, muscle);
    const fb_path *path = l->path >= 0 ? j->before.paths->paths + l->path : NULL;
    if (!path || path->n_points < 2) {
        stays(j, muscle, "its path has no points that could be moved");
        return FB_OK;
    }
    bool reversed = false;
    int *group = fb_arena_array(&j->arena, body->n_bundles, sizeof *group);
    int n = mark_bundles(group, &reversed, body, build, recipe, s, name);
    if (n == 0) {
        stays(j, muscle, "none of the muscle's bundles belong to it");
        return FB_OK;
    }
    l->n = n < j->k ? n : j->k;
    l->share = fb_arena_array(&j->arena, (size_t)l->n, sizeof *l->share);
    l->names = fb_arena_array(&j->arena, (size_t)l->n, sizeof *l->names);
    l->copies = fb_arena_array(&j->arena, (size_t)l->n, sizeof *l->copies);
    l->arms = fb_arena_array(&j->arena, (size_t)j->before.system->n_q, sizeof *l->arms);
    size_t n_points = (size_t)path->n_points;
    l->offset = fb_arena_array(&j->arena, (size_t)l->n * n_points, sizeof *l->offset);
    l->factor = fb_arena_array(&j->arena, n_points, sizeof *l->factor);
    l->common = fb_arena_array(&j->arena, (size_t)l->n, sizeof *l->common);
    l->n_points = path->n_points;
    double *t = fb_arena_array(&j->arena, n_points, sizeof *t);
    double(*at)[3] = fb_arena_array(&j->arena, (size_t)l->n, sizeof *at);
    if (!fb_split_groups(group, body, l->n)) {
        return FB_E_MEMORY;
    }
    fb_split_shares(l->share, body, group, l->n);
    fb_course *course = &j->before.course;
    fb_path_course(j->before.paths, l->path, j->before.state, course);
    fb_path_moment_arms(j->before.paths, l->path, j->before.state, course, l->arms);
    fb_split_places(t, path, course, j->before.state);
    l->length = course->length;
    for (size_t i = 0; i < n_points; i++) {
        fb_split_offsets(at, body, group, l->n, reversed ? 1 - t[i] : t[i]);
        for (int g = 0; g < l->n; g++) {
            fb_v3_copy(l->offset[(size_t)g * n_points + i], at[g]);
            fb_v3_madd(l->common[g], 1 / (double)n_points, at[g]);
            l->spread = fb_greater(l->spread, fb_v3_norm(at[g]));
        }
    }
    if (!(l->spread < FAR * l->length)) {
        stays(j, muscle, "its bundles are too far from each other for its length");
        memset(l, 0, sizeof *l);
        return FB_OK;
    }
    for (int g = 0; g < l->n; g++) {
        l->names[g] = fb_arena_printf(&j->arena, "%s_b%d", fb_osim_name(muscle), g + 1);
    }
    j->n_lines++;
    return FB_OK;
}

/* Lays one muscle and plans its lines. */
static fb_status plan_muscle(job *j, const fb_stored *s, fb_recipe *recipe) {
    fb_build build = {0};
    fb_status status = FB_OK;
    const char *why = recipe ? fb_stored_build(&build, recipe, s, j->before.state)
                             : "the model has no such muscle";
    why = why ? why : fb_build_place(&build, recipe, &j->body, &j->scratch);
    for (int i = 0; i < s->n_lines && status == FB_OK; i++) {
        int number;
        const fb_element *muscle = why ? muscle_called(j->model, s->lines[i], &number) : NULL;
        if (muscle) {
            stays(j, muscle, why);
        } else {
            status = plan_line(j, s, &build, recipe, s->lines[i]);
        }
    }
    fb_build_free(&build);
    fb_body_free(&j->body);
    memset(&j->body, 0, sizeof j->body);
    return status;
}

static fb_status plan(job *j) {
    fb_recipe_options options = fb_recipe_options_default();
    j->spec.file = j->model->file;
    j->spec.arena.oom = j->arena.oom;
    fb_stored_spec(&j->spec, j->stored, j->n_stored);
    options.spec = &j->spec;
    fb_status status = fb_recipes_make(&j->recipes, j->before.paths, j->before.state, &options,
                                       &j->cli->diag);
    for (int i = 0; i < j->n_stored && status == FB_OK; i++) {
        fb_recipe *recipe = NULL;
        for (int r = 0; r < j->recipes->n; r++) {
            if (j->recipes->recipes[r].spec == j->spec.muscles + i) {
                recipe = j->recipes->recipes + r;
            }
        }
        status = plan_muscle(j, j->stored + i, recipe);
    }
    return status;
}

/* ---- moving points of elements --------------------------------------------------------------- */

static void add_to_numbers(fb_model *model, fb_element *element, const char *key, int first,
                           int last, double d) {
    fb_value *value = fb_value_of(element, key);
    double *x = fb_arena_array(&model->arena, (size_t)value->n + 1, sizeof *x);
    for (int i = 0; i < value->n; i++) {
        x[i] = value->as.numbers[i] + (i >= first && i <= last ? d : 0);
    }
    value->as.numbers = x;
}

/* Adds a number to a function's value everywhere, or only tells whether that can be done. */
static bool raise_function(fb_model *model, fb_element *f, double d, bool only_ask) {
    static const char *const keys[] = {"value", "start_value", "end_value", "offset"};
    if (!f || fb_value_of(f, "expression") || fb_value_of(f, "dimension")) {
        return false;
    }
    double scale = fb_get_number(f, "scale");
    fb_value *inner = fb_value_of(f, "function"), *points = fb_value_of(f, "y");
    fb_value *coefficients = points ? NULL : fb_value_of(f, "coefficients");
    if (inner) {
        return scale != 0 && isfinite(scale) &&
               raise_function(model, inner->as.object, d / scale, only_ask);
    }
    if (only_ask) {
        return points || coefficients || fb_value_of(f, "value") || fb_value_of(f, "offset") ||
               fb_value_of(f, "start_value");
    }
    if (points) {
        add_to_numbers(model, f, "y", 0, points->n - 1, d);
        fb_value *made = fb_value_of(f, "coefficients"); /* OpenSim computes them anew */
        if (made) {
            memset(made, 0, sizeof *made);
        }
    } else if (coefficients) {
        add_to_numbers(model, f, "coefficients", coefficients->n - 1, coefficients->n - 1, d);
    }
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
        fb_value *value = fb_value_of(f, keys[k]);
        if (value && value->present) {
            value->as.number += d;
        }
    }
    return true;
}

static fb_element *point_of(const fb_element *muscle, int i) {
    const fb_value *points = fb_get(fb_get_object(muscle, "path"), "points");
    return points && i < points->n ? points->as.objects[i] : NULL;
}

static bool can_move(fb_model *model, fb_element *point) {
    if (!point || fb_value_of(point, "virtual_link")) {
        return false;
    }
    bool can = true;
    static const char *const axes[] = {"x", "y", "z"};
    for (int k = 0; k < 3 && fb_value_of(point, "x"); k++) {
        can = can && raise_function(model, fb_value_of(point, axes[k])->as.object, 0, true);
    }
    return can;
}

/* Moves a point by a vector in the axes of its frame. */
static void move_element(fb_model *model, fb_element *point, const double *delta) {
    static const char *const axes[] = {"x", "y", "z"};
    fb_value *location = fb_value_of(point, "location");
    if (location) {
        double at[3] = {0, 0, 0};
        fb_get_vector(point, "location", at, 3);
        fb_v3_add(at, at, delta);
        fb_value_set_numbers(model, location, at, 3);
        return;
    }
    for (int k = 0; k < 3; k++) {
        raise_function(model, fb_value_of(point, axes[k])->as.object, delta[k], false);
    }
}

/* ---- sub-muscles ----------------------------------------------------------------------------- */

static void scale(fb_element *muscle, const char *key, double factor) {
    fb_value *value = fb_value_of(muscle, key);
    if (value && value->present) {
        value->as.number *= factor;
    }
}

/* The muscles' numbers: shares of force that add up to the line's, lengths as their paths are. */
static void set_numbers(job *j, const line *l, const fb_split *split) {
    fb_course *course = &j->after.course;
    double force = fb_get_number(l->element, "max_isometric_force"), given = 0;
    for (int g = 0; g < l->n; g++) {
        fb_element *muscle = l->copies[g];
        fb_path_course(j->after.paths, split->path[g], j->after.state, course);
        double longer = l->length > 0 ? course->length / l->length : 1;
        fb_value *own = fb_value_of(muscle, "max_isometric_force");
        if (own && own->present) {
            own->as.number = g + 1 < l->n ? l->share[g] * force : force - given;
            given += own->as.number;
        }
        scale(muscle, "optimal_fiber_length", longer);
        scale(muscle, "tendon_slack_length", longer);
        scale(muscle, "default_fiber_length", longer);
        if (strcmp(muscle->cls->name, "Millard2012AccelerationMuscle") == 0) {
            scale(muscle, "mass", l->share[g]);
        }
    }
}

/* Moves all points by their groups' offsets, each times its point's factor; returns how many paths
 * are then unsound. */
static int displace(job *j, line *l, fb_split *split, bool odd) {
    posed *a = &j->after;
    double most = 0;
    fb_split_reset(split);
    for (int i = 0; i < l->n_points; i++) {
        most = fb_greater(most, l->factor[i]);
        for (int g = 0; g < l->n; g++) {
            const fb_path *path = a->paths->paths + split->path[g];
            double d[3], off[3];
            fb_v3_scale(off, l->factor[i] * l->parallel, l->common[g]);
            fb_v3_madd(off, l->factor[i] * (1 - l->parallel), l->offset[g * l->n_points + i]);
            fb_m3_tmul_v3(d, a->state->pose[path->points[i].body].R, off);
            fb_split_move(split, g, i, d);
        }
    }
    l->reach = REACH * most * l->spread + SLACK;
    return fb_split_unsound(split, l->arms, l->reach, odd, a->state, &a->course);
}

/* Makes the offsets smaller at the one point where it helps most; at all of them if none helps. */
static void lessen(job *j, line *l, fb_split *split, bool odd, int unsound) {
    static const double steps[] = {LESS, 0};
    int best = -1;
    double factor = 0;
    for (int s = 0; s < 2 && best < 0; s++) {
        for (int i = 0; i < l->n_points; i++) {
            double before = l->factor[i];
            l->factor[i] = steps[s] * before < LEAST ? 0 : steps[s] * before;
            int now = before > 0 ? displace(j, l, split, odd) : unsound;
            if (now < unsound) {
                unsound = now;
                best = i;
                factor = l->factor[i];
            }
            l->factor[i] = before;
        }
    }
    if (best >= 0) {
        l->factor[best] = factor;
    }
    for (int i = 0; i < l->n_points && best < 0; i++) {
        l->factor[i] = ALL_LESS * l->factor[i] < LEAST ? 0 : ALL_LESS * l->factor[i];
    }
}

/* Moves the points as far as the paths stay sound and act together as the line does. */
static fb_status move_points(job *j, line *l, fb_split *split) {
    posed *a = &j->after;
    fb_course *course = &j->before.course;
    fb_path_course(j->before.paths, l->path, j->before.state, course);
    bool odd = course->inside >= 0 || course->unsettled, any = true;
    for (int i = 0; i < l->n_points; i++) {
        l->factor[i] = split->fixed[i] ? 0 : 1;
    }
    while (any) {
        any = false;
        for (int i = 0; i < l->n_points; i++) {
            any |= l->factor[i] > 0;
        }
        int unsound = displace(j, l, split, odd);
        if (unsound == 0 || !any) {
            l->error = fb_split_correct(split, l->arms, MOST_SHIFT, a->state, &a->course);
            if (l->error < 0) {
                return FB_E_MEMORY;
            }
            if (l->error <= (l->parallel < 1 ? ARM : LAST_ARM) &&
                fb_split_unsound(split, l->arms, l->reach, odd, a->state, &a->course) == 0) {
                break;
            }
            if (l->parallel < 1) { /* parallel forces add up to one as great, others to less */
                l->parallel += PARALLEL;
                continue;
            }
            unsound = 0; /* no point helps more than another */
        }
        lessen(j, l, split, odd, unsound);
    }
    for (int i = 0; i < l->n_points; i++) {
        l->n_less += !split->fixed[i] && l->factor[i] < 1;
    }
    return FB_OK;
}

/* Finds where the points of one line's sub-muscles go, and puts them there. */
static fb_status shape_line(job *j, line *l) {
    posed *a = &j->after;
    int n_points = l->n_points;
    int *path = fb_arena_array(&j->arena, (size_t)l->n, sizeof *path);
    fb_split split = {.paths = a->paths, .path = path, .n = l->n, .share = l->share};
    split.fixed = fb_arena_array(&j->arena, (size_t)n_points, sizeof *split.fixed);
    split.moved = fb_arena_array(&j->arena, (size_t)(l->n * n_points), sizeof *split.moved);
    for (int g = 0; g < l->n; g++) {
        path[g] = fb_paths_find(a->paths, l->copies[g]);
        for (int i = 0; i < n_points; i++) {
            split.fixed[i] |= !can_move(j->model, point_of(l->copies[g], i));
        }
    }
    if (move_points(j, l, &split) != FB_OK) {
        return FB_E_MEMORY;
    }
    for (int g = 0; g < l->n; g++) {
        for (int i = 0; i < n_points; i++) {
            fb_element *point = point_of(l->copies[g], i);
            fb_pose frame;
            double delta[3];
            if (split.fixed[i]) {
                continue;
            }
            fb_system_body(a->system, fb_get_target(point, "frame"), &frame);
            fb_m3_tmul_v3(delta, frame.R, split.moved[g * n_points + i]);
            move_element(j->model, point, delta);
        }
    }
    set_numbers(j, l, &split);
    return FB_OK;
}

/* ---- what came of it ------------------------------------------------------------------------- */

static void tell(const job *j) {
    int parts = 0;
    double worst = 0;
    const char *where = "";
    for (int i = 0; i < j->n_lines; i++) {
        const line *l = j->lines + i;
        fb_place place = fb_element_place(l->element);
        parts += l->n;
        if (l->error > worst) {
            worst = l->error;
            where = fb_osim_name(l->element);
        }
        if (l->n_less > 0) {
            fb_diag_add(
                &j->cli->diag, FB_APPROXIMATED, FB2504, place,
                "the sub-muscles lie nearer to each other there than the bundles",
                "'%s': %d of its %d points are inside wrap objects, or too far off, if they "
                "are moved as the bundles lie",
                fb_osim_name(l->element), l->n_less, l->n_points);
        }
        if (l->parallel > 0) {
            fb_diag_add(&j->cli->diag, FB_APPROXIMATED, FB2504, place, NULL,
                        "'%s': its sub-muscles are made %s, because forces in other directions "
                        "would not add up to its own about all coordinates",
                        fb_osim_name(l->element), l->parallel < 1 ? "more parallel" : "parallel");
        }
        if (!(l->error <= ARM_TOLD)) {
            fb_diag_add(&j->cli->diag, FB_APPROXIMATED, FB2504, place, NULL,
                        "'%s': the mean moment arm of its sub-muscles in the default pose differs "
                        "by up to %.2g mm from its own",
                        fb_osim_name(l->element), 1e3 * l->error);
        }
        if (j->cli->verbose) {
            fb_cli_say(j->cli, "%s: %d sub-muscles, moment arms within %.2g mm",
                       fb_osim_name(l->element), l->n, 1e3 * l->error);
        }
    }
    if (!j->cli->quiet && j->n_lines == 0) {
        fb_cli_say(j->cli, "no muscle is written as sub-muscles");
    } else if (!j->cli->quiet) {
        fb_cli_say(j->cli,
                   "%d muscles are written as %d sub-muscles; their mean moment arms in the "
                   "default pose are within %.2g mm of the muscles' own (%s)",
                   j->n_lines, parts, 1e3 * worst, where);
    }
}

/* Whether a muscle is a line of one with bundles. */
static bool is_a_line(const job *j, const char *name) {
    bool found = false;
    for (int i = 0; i < j->n_stored; i++) {
        for (int k = 0; k < j->stored[i].n_lines; k++) {
            found |= strcmp(j->stored[i].lines[k], name) == 0;
        }
    }
    return found;
}

static fb_status split_all(job *j) {
    fb_diag *diag = &j->cli->diag, quiet;
    fb_status status = fb_stored_read(&j->stored, &j->n_stored, j->model, &j->arena, diag);
    if (status == FB_OK && j->n_stored == 0) {
        fb_diag_add(diag, FB_ERROR, FB2504, (fb_place){j->model->file, 0, NULL, NULL}, NULL,
                    "no muscle of the model has bundles: fbgen makes them");
        status = FB_E_INPUT;
    }
    const fb_list *muscles = fb_model_items(j->model, "muscles");
    for (size_t i = 0; i < muscles->n && status == FB_OK; i++) {
        if (!fb_get_extra(muscles->items[i], "bundles")) {
            stays(j, muscles->items[i], "it has no bundles");
        } else if (!is_a_line(j, muscles->items[i]->name)) {
            stays(j, muscles->items[i], "no muscle with bundles has it among its lines");
        }
    }
    j->lines = fb_arena_array(&j->arena, muscles->n + 1, sizeof *j->lines);
    status = status == FB_OK ? pose(&j->before, j->model, &j->arena, diag) : status;
    status = status == FB_OK ? plan(j) : status;
    for (int i = 0; i < j->n_lines && status == FB_OK; i++) {
        line *l = j->lines + i;
        status = fb_model_multiply(j->model, l->element, l->names, l->share, l->n, "bundles",
                                   l->copies, diag);
    }
    fb_diag_init(&quiet); /* what it tells was told before */
    status = status == FB_OK ? pose(&j->after, j->model, &j->arena, &quiet) : status;
    fb_diag_clear(&quiet);
    for (int i = 0; i < j->n_lines && status == FB_OK; i++) {
        status = shape_line(j, j->lines + i);
    }
    if (status == FB_OK) {
        tell(j);
    }
    return status;
}

fb_status fb_fb2osim_bundles(fb_cli *cli, fb_model *model, int k) {
    job j = {.cli = cli, .model = model, .k = k};
    jmp_buf oom;
    fb_status status;
    fb_arena_init(&j.arena);
    fb_arena_init(&j.spec.arena);
    if (setjmp(oom)) {
        status = FB_E_MEMORY;
    } else {
        model->arena.oom = j.arena.oom = &oom;
        status = split_all(&j);
    }
    if (status == FB_E_MEMORY) {
        fb_diag_add(&cli->diag, FB_ERROR, FB1003, (fb_place){0}, NULL, "out of memory");
    }
    model->arena.oom = NULL;
    fb_recipes_free(j.recipes);
    fb_body_free(&j.body);
    clear(&j.after);
    clear(&j.before);
    fb_scratch_clear(&j.scratch);
    fb_arena_clear(&j.spec.arena);
    fb_arena_clear(&j.arena);
    return status;
}
