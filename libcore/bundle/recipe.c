#include "libcore/bundle/recipe.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "libcore/base/number.h"
#include "libcore/bundle/recipe_internal.h"

#define PI 3.14159265358979323846
#define LEAST_SPAN 0.1  /* of a core: fascicles over less say nothing of its belly */
#define LEAST_BELLY 0.2 /* of what it was, to which a belly shortens */

fb_recipe_options fb_recipe_options_default(void) {
    return (fb_recipe_options){
        .specific_tension = 60e4,
        .specific_tension_arm = FB_NAN,
        .belly_fraction = 0.6,
        .ratio = 0.5,
        .packing = PI / 4,
        .group = true,
    };
}

void fb_recipe_note(const fb_recipe_maker *maker, fb_recipe *recipe, const char *format, ...) {
    char text[500];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    const char **notes = fb_arena_array(maker->arena, (size_t)recipe->n_notes + 1, sizeof *notes);
    if (recipe->n_notes) {
        memcpy(notes, recipe->notes, (size_t)recipe->n_notes * sizeof *notes);
    }
    notes[recipe->n_notes++] = fb_arena_dup(maker->arena, text);
    recipe->notes = notes;
}

/* ---- what a spec brings ---------------------------------------------------------------------- */

/* Points of the spec in ground; false with an error if their frame is not there. */
static bool to_ground(fb_recipe_maker *maker, const char *frame, int line, double (*points)[3],
                      int n, double (*placed)[3], int *of) {
    fb_pose in_body, pose;
    fb_pose_identity(&pose);
    if (frame && strcmp(frame, "ground") != 0) {
        const fb_state *state = maker->state;
        const fb_element *element = fb_model_find(state->system->model, FB_FRAME, frame);
        int body = element ? fb_system_body(state->system, element, &in_body) : -1;
        *of = body;
        if (body < 0) {
            fb_recipe_refuse_entry(maker, line, "the model has no frame '%s'", frame);
            return false;
        }
        fb_pose_mul(&pose, &state->pose[body], &in_body);
    }
    for (int i = 0; i < n; i++) {
        fb_pose_point(placed[i], &pose, points[i]);
    }
    return true;
}

static void add_fascicles(fb_recipe_maker *maker, fb_recipe *recipe) {
    const fb_spec_muscle *spec = recipe->spec;
    if (!spec || spec->n_fascicles == 0) {
        return;
    }
    size_t n = (size_t)spec->n_fascicles;
    double sum = 0;
    recipe->fascicles = fb_arena_array(maker->arena, n, sizeof *recipe->fascicles);
    recipe->fascicle_points = fb_arena_array(maker->arena, n, sizeof *recipe->fascicle_points);
    for (int i = 0; i < spec->n_fascicles; i++) {
        const fb_spec_line *line = &spec->fascicles[i];
        double(*placed)[3] = fb_arena_array(maker->arena, (size_t)line->n_points, sizeof *placed);
        int body = 0;
        if (!to_ground(maker, line->frame, spec->line_number, line->points, line->n_points, placed,
                       &body)) {
            return;
        }
        for (int k = 1; k < line->n_points; k++) {
            sum += fb_v3_distance(placed[k - 1], placed[k]);
        }
        recipe->fascicles[i] = placed;
        recipe->fascicle_points[i] = line->n_points;
    }
    recipe->n_fascicles = spec->n_fascicles;
    recipe->fiber_length = sum / spec->n_fascicles;
}

/* The length along a core of its point nearest to a place; *distance to it. */
static double nearest_at(const fb_core *core, const double *place, double *distance) {
    double best = 0;
    *distance = FB_INFINITY;
    for (int i = 1; i < core->n_points; i++) {
        double d[3], to[3], at[3];
        fb_v3_sub(d, core->points[i], core->points[i - 1]);
        fb_v3_sub(to, place, core->points[i - 1]);
        double part = fb_v3_dot(to, d) / fb_v3_dot(d, d);
        part = fb_lesser(fb_greater(part, 0), 1);
        fb_v3_copy(at, core->points[i - 1]);
        fb_v3_madd(at, part, d);
        double away = fb_v3_distance(at, place);
        if (away < *distance) {
            *distance = away;
            best = core->at[i - 1] + part * (core->at[i] - core->at[i - 1]);
        }
    }
    return best;
}

void fb_recipe_follow_fascicles(fb_recipe *recipe) {
    double angle = 0;
    for (int c = 0; c < recipe->n_cores; c++) {
        fb_core *core = &recipe->cores[c];
        double from = FB_INFINITY, to = 0;
        for (int i = 0; i < recipe->n_fascicles; i++) {
            const double *first = recipe->fascicles[i][0];
            const double *last = recipe->fascicles[i][recipe->fascicle_points[i] - 1];
            double middle[3], chord[3], along[3], away, other;
            fb_v3_sub(chord, last, first);
            for (int k = 0; k < 3; k++) {
                middle[k] = 0.5 * (first[k] + last[k]);
            }
            double at = nearest_at(core, middle, &away);
            bool own = true;
            for (int o = 0; o < recipe->n_cores; o++) {
                nearest_at(&recipe->cores[o], middle, &other);
                own = own && (away < other || (away == other && o >= c));
            }
            if (!own || !(fb_v3_norm(chord) > 0)) {
                continue;
            }
            fb_core_point(core, at, NULL, along);
            double cosine = fabs(fb_v3_dot(chord, along)) / fb_v3_norm(chord);
            angle += acos(fb_lesser(cosine, 1)) / recipe->n_fascicles;
            double ends[2] = {nearest_at(core, first, &away), nearest_at(core, last, &away)};
            from = fb_lesser(from, fb_lesser(ends[0], ends[1]));
            to = fb_greater(to, fb_greater(ends[0], ends[1]));
        }
        if (core->belly_from != FB_FROM_SPEC && to - from > LEAST_SPAN * core->length) {
            core->belly[0] = from;
            core->belly[1] = to;
            core->widest = 0.5 * (from + to);
            core->belly_from = FB_FROM_SPEC;
        }
    }
    recipe->pennation = recipe->n_fascicles ? angle : recipe->pennation;
}

/* ---- cores ----------------------------------------------------------------------------------- */

static const char *line_of_recipe(const fb_recipe_maker *maker, const fb_recipe *recipe,
                                  const char *name, int *line) {
    for (int i = 0; i < recipe->n_lines; i++) {
        *line = recipe->lines[i];
        if (strcmp(maker->lines[*line].element->name, name) == 0) {
            return name;
        }
    }
    *line = -1;
    return NULL;
}

/* What the spec says of a core; its belly's and tendon's length wait in `belly`. */
static void take_words(fb_core *core, const fb_spec_core *spec) {
    core->name = spec->name ? spec->name : core->name;
    core->share = spec->share;
    core->belly[0] = spec->tendon;
    core->belly[1] = spec->belly_length;
}

static fb_core no_line(void) {
    return (fb_core){.muscle = -1,
                     .path = -1,
                     .max_force = FB_NAN,
                     .optimal_length = FB_NAN,
                     .slack_length = FB_NAN,
                     .pennation = FB_NAN};
}

static bool core_from_spec(fb_recipe_maker *maker, const fb_recipe *recipe,
                           const fb_spec_core *spec, fb_core *core) {
    int line = -1;
    *core = no_line();
    if (spec->line && !line_of_recipe(maker, recipe, spec->line, &line)) {
        fb_recipe_refuse_entry(maker, spec->line_number, "'%s' is no line of '%s'", spec->line,
                               recipe->name);
        return false;
    }
    if (line >= 0) {
        *core = maker->lines[line].core;
    }
    core->name = core->name ? core->name : recipe->name;
    take_words(core, spec);
    if (spec->course.n_points > 0) {
        int n = spec->course.n_points;
        double(*placed)[3] = fb_arena_array(maker->arena, (size_t)n, sizeof *placed);
        if (!to_ground(maker, spec->course.frame, spec->line_number, spec->course.points, n, placed,
                       &core->own_body)) {
            return false;
        }
        core->capacity = 0;
        fb_core_set(core, maker->arena, placed, n, false);
        core->own = fb_arena_array(maker->arena, (size_t)n, sizeof *core->own);
        core->n_own = core->n_points;
        for (int i = 0; i < core->n_own; i++) {
            const fb_pose *pose = &maker->state->pose[core->own_body];
            double d[3];
            fb_v3_sub(d, core->points[i], pose->p);
            fb_m3_tmul_v3(core->own[i], pose->R, d);
        }
        if (core->n_points < 2) {
            fb_recipe_refuse_entry(maker, spec->line_number,
                                   "a core of '%s' has all its points in one place", recipe->name);
            return false;
        }
    }
    return true;
}

static bool cores_from_spec(fb_recipe_maker *maker, fb_recipe *recipe) {
    const fb_spec_muscle *spec = recipe->spec;
    recipe->n_cores = spec->n_cores;
    recipe->cores = fb_arena_array(maker->arena, (size_t)spec->n_cores, sizeof *recipe->cores);
    for (int i = 0; i < spec->n_cores; i++) {
        if (!core_from_spec(maker, recipe, &spec->cores[i], &recipe->cores[i])) {
            return false;
        }
    }
    for (int i = 0; i < spec->n_cores; i++) { /* cores of one line share its force */
        int n = 0;
        for (int k = 0; k < spec->n_cores; k++) {
            n += recipe->cores[k].muscle == recipe->cores[i].muscle;
        }
        recipe->cores[i].max_force = recipe->cores[i].max_force / n;
    }
    return true;
}

static bool cores_from_lines(fb_recipe_maker *maker, fb_recipe *recipe) {
    const fb_spec_muscle *spec = recipe->spec;
    recipe->n_cores = recipe->n_lines;
    recipe->cores = fb_arena_array(maker->arena, (size_t)recipe->n_lines, sizeof *recipe->cores);
    for (int i = 0; i < recipe->n_lines; i++) {
        fb_core *core = &recipe->cores[i];
        *core = maker->lines[recipe->lines[i]].core;
        core->share = core->belly[0] = core->belly[1] = FB_NAN;
    }
    for (int k = 0; spec && k < spec->n_heads; k++) {
        const fb_spec_core *head = &spec->heads[k];
        int line;
        const char *name = head->line ? head->line : head->name;
        if (!name || !line_of_recipe(maker, recipe, name, &line)) {
            fb_recipe_refuse_entry(maker, head->line_number, "head '%s': it is no line of '%s'",
                                   name ? name : "", recipe->name);
            return false;
        }
        for (int i = 0; i < recipe->n_lines; i++) {
            if (recipe->lines[i] == line) {
                take_words(&recipe->cores[i], head);
            }
        }
    }
    return true;
}

static const char *refused_line(const fb_recipe_maker *maker, const fb_recipe *recipe) {
    for (int i = 0; i < recipe->n_lines; i++) {
        const fb_muscle_line *line = &maker->lines[recipe->lines[i]];
        if (line->refusal) {
            return recipe->n_lines == 1 ? line->refusal
                                        : fb_arena_printf(maker->arena, "%s: %s",
                                                          line->element->name, line->refusal);
        }
    }
    return NULL;
}

/* Lines that are shorter than the tendon of their Hill model: its belly is not made from that. */
static void note_slack(const fb_recipe_maker *maker, fb_recipe *recipe) {
    for (int i = 0; i < recipe->n_cores; i++) {
        const fb_core *core = &recipe->cores[i];
        if (core->length <= core->slack_length) {
            fb_recipe_note(maker, recipe,
                           "%s: its path of %.0f mm is shorter than its tendon_slack_length of "
                           "%.0f mm, which is not used",
                           core->name, core->length * 1e3, core->slack_length * 1e3);
        }
    }
}

/* What motion starts from. */
static void keep_rest(fb_recipe *recipe) {
    for (int i = 0; i < recipe->n_cores; i++) {
        fb_core *core = &recipe->cores[i];
        core->tendon[0] = core->belly[0];
        core->tendon[1] = core->length - core->belly[1];
        core->rest = core->belly[1] - core->belly[0];
        core->stretch = 1;
    }
}

static void fill(fb_recipe_maker *maker, fb_recipe *recipe) {
    const fb_spec_muscle *spec = recipe->spec;
    bool own_cores = spec && spec->n_cores > 0;
    recipe->bundles = spec ? spec->bundles : 0;
    recipe->outline = spec ? spec->outline : (fb_outline){.kind = FB_OUTLINE_NONE};
    recipe->refusal = own_cores ? NULL : refused_line(maker, recipe);
    int *paths = fb_arena_array(maker->arena, (size_t)recipe->n_lines + 1, sizeof *paths);
    recipe->paths = paths;
    for (int i = 0; i < recipe->n_lines; i++) {
        const fb_muscle_line *line = &maker->lines[recipe->lines[i]];
        paths[i] = line->path;
        if (line->note) {
            fb_recipe_note(maker, recipe, "%s: %s", line->element->name, line->note);
        }
    }
    if (recipe->refusal ||
        !(own_cores ? cores_from_spec(maker, recipe) : cores_from_lines(maker, recipe))) {
        return;
    }
    if (recipe->outline.kind == FB_OUTLINE_MESH &&
        (!fb_recipe_shape(maker, recipe) || recipe->refusal)) {
        recipe->n_cores = 0;
        return;
    }
    fb_recipe_choose_volume(maker, recipe);
    if (!recipe->refusal) {
        note_slack(maker, recipe);
        add_fascicles(maker, recipe);
        fb_recipe_choose_belly(maker, recipe);
    }
    if (!recipe->refusal) {
        keep_rest(recipe);
        fb_recipe_orient(maker, recipe);
    } else {
        recipe->n_cores = 0;
    }
}

/* ---- all of them ----------------------------------------------------------------------------- */

/* A name that begins with an L for left: "LGMAX1" where there is "GMAX1". */
static char side_by_prefix(const fb_recipe_maker *maker, const char *name) {
    if (*name != 'L' && *name != 'l') {
        return 0;
    }
    return fb_recipe_find_line(maker, name + 1) >= 0 ? 'l' : 0;
}

static void tell_unused_rows(const fb_recipe_maker *maker) {
    const fb_measured *measured = maker->options->measured;
    for (int i = 0; measured && i < measured->n_muscles; i++) {
        const fb_measured_muscle *row = &measured->muscles[i];
        bool used = fb_recipe_find_line(maker, row->name) >= 0;
        for (int k = 0; k < maker->recipes->n; k++) {
            used |= fb_recipe_is_called(&maker->recipes->recipes[k], row->name);
        }
        if (!used) {
            fb_diag_add(maker->diag, FB_WARNING, FB1304,
                        (fb_place){measured->file, row->line_number, NULL, NULL},
                        "the row is not used", "the model has no muscle '%s'", row->name);
        }
    }
}

static fb_status make(fb_recipe_maker *maker) {
    const fb_list *muscles = fb_model_items(maker->state->system->model, "muscles");
    maker->n_lines = muscles ? (int)muscles->n : 0;
    maker->lines = fb_arena_array(maker->arena, (size_t)maker->n_lines + 1, sizeof *maker->lines);
    for (int i = 0; i < maker->n_lines; i++) {
        maker->lines[i].element = muscles->items[i];
        maker->lines[i].recipe = -1;
    }
    for (int i = 0; i < maker->n_lines; i++) {
        const char *name = maker->lines[i].element->name;
        fb_line_name_parse(&maker->lines[i].name, name, side_by_prefix(maker, name));
    }
    maker->tracer = fb_arena_alloc(maker->arena, sizeof *maker->tracer);
    fb_tracer_new(maker->tracer, maker->arena, maker->paths, maker->options->links);
    fb_recipe_trace(maker);
    fb_recipe_group(maker);
    for (int i = 0; i < maker->recipes->n && maker->status == FB_OK; i++) {
        fb_recipe *recipe = &maker->recipes->recipes[i];
        fill(maker, recipe);
        maker->recipes->n_refused += recipe->refusal != NULL;
    }
    if (maker->status == FB_OK) {
        tell_unused_rows(maker);
    }
    return maker->status;
}

fb_status fb_recipes_make(fb_recipes **recipes, const fb_paths *paths, const fb_state *state,
                          const fb_recipe_options *options, fb_diag *diag) {
    jmp_buf oom;
    *recipes = NULL;
    fb_recipes *made = fb_alloc(sizeof *made);
    if (!made) {
        return FB_E_MEMORY;
    }
    memset(made, 0, sizeof *made);
    fb_arena_init(&made->arena);
    if (setjmp(oom)) {
        fb_recipes_free(made);
        return FB_E_MEMORY;
    }
    made->arena.oom = &oom;
    fb_recipe_maker *maker = fb_arena_alloc(&made->arena, sizeof *maker);
    fb_recipe_options *own = fb_arena_alloc(&made->arena, sizeof *own);
    *own = *options;
    *maker = (fb_recipe_maker){.recipes = made,
                               .arena = &made->arena,
                               .paths = paths,
                               .state = state,
                               .options = own,
                               .diag = diag};
    made->maker = maker;
    fb_status status = make(maker);
    made->arena.oom = NULL;
    if (status != FB_OK) {
        fb_recipes_free(made);
        return status;
    }
    *recipes = made;
    return FB_OK;
}

/* ---- motion ---------------------------------------------------------------------------------- */

/* A core's course in a pose; false if it has none. */
static bool move_core(fb_recipe_maker *maker, fb_core *core, const fb_state *state) {
    fb_tracer *tracer = maker->tracer;
    if (core->n_own > 0) {
        const fb_pose *pose = &state->pose[core->own_body];
        for (int i = 0; i < core->n_own; i++) {
            fb_pose_point(core->points[i], pose, core->own[i]);
        }
        return true; /* a rigid course keeps its lengths */
    }
    if (fb_tracer_run(tracer, maker->paths, core->path, state)) {
        return false;
    }
    fb_core_set(core, maker->arena, tracer->points, tracer->n, core->reversed);
    double tendons = core->tendon[0] + core->tendon[1];
    double belly = fb_greater(core->length - tendons, LEAST_BELLY * core->rest);
    belly = fb_lesser(belly, core->length);
    double left = tendons > 0 ? (core->length - belly) / tendons : 0;
    core->belly[0] = core->tendon[0] * left;
    core->belly[1] = core->belly[0] + belly;
    core->widest = core->belly[0] + belly / 2;
    core->stretch = belly / core->rest;
    return true;
}

static int move_all(fb_recipes *recipes, const fb_state *state) {
    fb_recipe_maker *maker = recipes->maker;
    int lost = 0;
    for (int i = 0; i < recipes->n; i++) {
        fb_recipe *recipe = &recipes->recipes[i];
        for (int k = 0; k < recipe->n_cores; k++) {
            lost += !recipe->profile && !move_core(maker, &recipe->cores[k], state);
        }
        if (recipe->n_cores > 0) {
            fb_recipe_move_profile(recipe, state);
            fb_recipe_measure(recipe, maker->options->packing);
            fb_recipe_follow(recipe, state);
        }
    }
    return lost;
}

fb_status fb_recipes_move(fb_recipes *recipes, const fb_state *state, int *lost) {
    jmp_buf oom;
    if (setjmp(oom)) {
        recipes->arena.oom = NULL;
        return FB_E_MEMORY;
    }
    recipes->arena.oom = &oom;
    int n = move_all(recipes, state);
    recipes->arena.oom = NULL;
    if (lost) {
        *lost = n;
    }
    return FB_OK;
}

void fb_recipes_free(fb_recipes *recipes) {
    if (recipes) {
        fb_arena_clear(&recipes->arena);
        fb_free(recipes);
    }
}

const fb_recipe *fb_recipes_find(const fb_recipes *recipes, const fb_model *model,
                                 const char *name) {
    for (int i = 0; i < recipes->n; i++) {
        if (strcmp(recipes->recipes[i].name, name) == 0) {
            return &recipes->recipes[i];
        }
    }
    const fb_list *muscles = fb_model_items(model, "muscles");
    for (int i = 0; i < recipes->n; i++) {
        for (int k = 0; k < recipes->recipes[i].n_lines; k++) {
            const fb_element *line = muscles->items[recipes->recipes[i].lines[k]];
            if (strcmp(line->name, name) == 0) {
                return &recipes->recipes[i];
            }
        }
    }
    return NULL;
}
