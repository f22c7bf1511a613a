/* How a muscle lies: its height from the nearest bone to the skin, its width square to that, and
 * the twist of its section between its attachments.
 *
 * Without meshes a body's bone is the lines between the centres of its joints (where the bodies are
 * that it carries, unless they hardly weigh); of a body with one joint, the line from that through
 * the centre of mass and as far beyond. */
#include <math.h>
#include <string.h>

#include "libcore/bundle/recipe_internal.h"

#define PI 3.14159265358979323846
#define MOST_JOINTS 16 /* of one body, that are looked at */
#define SHORTEST 0.02  /* m: bodies that only carry joints have shorter lines */
#define LIGHT 0.1      /* of the heaviest that a body carries */
#define CLEAR 0.003    /* m from the bone's line that give a direction */
#define SAMPLES 5      /* places along each belly */
#define SPREAD 0.005   /* m between first and last core that give a direction */

/* ---- bones ----------------------------------------------------------------------------------- */

typedef struct bone {
    int body;
    double point[3], distance;
} bone;

static void try_line(bone *nearest, int body, const double *a, const double *b,
                     const double *point) {
    double d[3], r[3];
    fb_v3_sub(d, b, a);
    double length2 = fb_v3_dot(d, d);
    if (length2 < SHORTEST * SHORTEST) {
        return;
    }
    fb_v3_sub(r, point, a);
    double t = fb_lesser(fb_greater(fb_v3_dot(r, d) / length2, 0), 1);
    fb_v3_copy(r, a);
    fb_v3_madd(r, t, d);
    double distance = fb_v3_distance(r, point);
    if (distance < nearest->distance) {
        *nearest = (bone){.body = body, .distance = distance};
        fb_v3_copy(nearest->point, r);
    }
}

/* Bodies that hardly weigh (a patella beside a shank) end no bone. */
static bool ends_bone(const fb_recipe_maker *maker, int body, int child) {
    const fb_system *system = maker->state->system;
    double heaviest = 0;
    for (int i = 1; i < system->n_body; i++) {
        if (system->branches[i].parent == body) {
            heaviest = fb_greater(heaviest, maker->hanging[i]);
        }
    }
    return maker->hanging[child] >= LIGHT * heaviest;
}

static void try_body(bone *nearest, const fb_recipe_maker *maker, int body, const double *point) {
    const fb_state *state = maker->state;
    const fb_system *system = state->system;
    double ends[MOST_JOINTS + 1][3];
    int n = 0;
    if (body > 0) {
        fb_v3_copy(ends[n++], state->moved[body].p);
    }
    for (int i = 1; i < system->n_body && n < MOST_JOINTS; i++) {
        if (system->branches[i].parent == body && ends_bone(maker, body, i)) {
            fb_v3_copy(ends[n++], state->moved[i].p);
        }
    }
    if (n == 1 && body > 0 && system->mobods[body].mass > 0) {
        for (int k = 0; k < 3; k++) {
            ends[1][k] = 2 * state->center[body][k] - ends[0][k];
        }
        n = 2;
    }
    for (int i = 0; i < n; i++) {
        for (int j = i + 1; j < n; j++) {
            try_line(nearest, body, ends[i], ends[j], point);
        }
    }
}

/* Marks the bodies between the attachments of a recipe's lines; all if it has no lines. */
static void mark_between(const fb_recipe_maker *maker, const fb_recipe *recipe) {
    int n = maker->state->system->n_body;
    memset(maker->between, recipe->n_lines == 0, (size_t)n * sizeof *maker->between);
    for (int k = 0; k < recipe->n_lines; k++) {
        const fb_muscle_line *line = &maker->lines[recipe->lines[k]];
        if (line->body[0] < 0 || line->body[1] < 0 || line->refusal) {
            continue;
        }
        fb_recipe_way(maker, line->body[0], line->body[1]);
        for (int i = 0; i < n; i++) {
            maker->between[i] |= maker->way[i] == i;
        }
    }
}

/* A muscle's height at a point, not unit: from the nearest bone. False if there is no bone. */
typedef bool height_at(const fb_recipe_maker *maker, const double *point, double *up, int *body,
                       const char **bone);

static bool from_joints(const fb_recipe_maker *maker, const double *point, double *up, int *body,
                        const char **name) {
    bone nearest = {.body = -1, .distance = HUGE_VAL};
    for (int i = 0; i < maker->state->system->n_body; i++) {
        if (maker->between[i]) {
            try_body(&nearest, maker, i, point);
        }
    }
    if (nearest.body < 0) {
        return false;
    }
    const fb_element *element = maker->state->system->mobods[nearest.body].body;
    fb_v3_sub(up, point, nearest.point);
    *body = nearest.body;
    *name = element && element->name ? element->name : "ground";
    return true;
}

/* The caller's surfaces; of bodies that have none, the lines between joints. */
static bool from_caller(const fb_recipe_maker *maker, const double *point, double *up, int *body,
                        const char **name) {
    const fb_recipe_options *options = maker->options;
    bone line = {.body = -1, .distance = HUGE_VAL};
    double least = HUGE_VAL;
    for (int i = 0; options->bone && i < maker->state->system->n_body; i++) {
        double nearest[3];
        bool inside = false;
        const char *found = NULL;
        if (!maker->between[i]) {
            continue;
        }
        maker->only[i] = true;
        bool has = options->bone(options->bone_context, maker->state, maker->only, point, nearest,
                                 &inside, &found);
        maker->only[i] = false;
        double distance = has ? fb_v3_distance(point, nearest) : HUGE_VAL;
        if (distance < least) {
            least = distance;
            fb_v3_sub(up, point, nearest);
            fb_v3_scale(up, inside ? -1 : 1, up);
            *name = found;
            *body = i;
        } else if (!has) {
            try_body(&line, maker, i, point);
        }
    }
    if (line.distance < least && least < HUGE_VAL) {
        const fb_element *element = maker->state->system->mobods[line.body].body;
        fb_v3_sub(up, point, line.point);
        *body = line.body;
        *name = element && element->name ? element->name : "ground";
    }
    return least < HUGE_VAL;
}

/* Away from the bodies' mass, for muscles that lie on the joints' line itself. */
static bool from_mass(const fb_recipe_maker *maker, const double *point, double *up, int *body,
                      const char **name) {
    const fb_system *system = maker->state->system;
    double least = HUGE_VAL;
    for (int i = 1; i < system->n_body; i++) {
        double distance = fb_v3_distance(point, maker->state->center[i]);
        if (maker->between[i] && system->mobods[i].mass > 0 && distance < least) {
            least = distance;
            fb_v3_sub(up, point, maker->state->center[i]);
            *name = system->mobods[i].body->name;
            *body = i;
        }
    }
    return least < HUGE_VAL;
}

/* ---- height ---------------------------------------------------------------------------------- */

/* Takes out of v what is along the muscle; false if too little is left. */
static bool square_to(double *v, const double *along, double least) {
    fb_v3_madd(v, -fb_v3_dot(v, along), along);
    if (!(fb_v3_norm(v) >= least)) {
        return false;
    }
    fb_v3_normalize(v);
    return true;
}

/* The mean over the middle half of the bellies; points far from the bone count more, as they
 * should: near it the direction says little. */
static bool mean_height(const fb_recipe_maker *maker, fb_recipe *recipe, height_at *at,
                        const char *what) {
    const char *name = NULL, *middle = NULL;
    int body = 0;
    fb_v3_set(recipe->up, 0, 0, 0);
    for (int i = 0; i < recipe->n_cores; i++) {
        const fb_core *core = &recipe->cores[i];
        for (int k = 0; k < SAMPLES; k++) {
            double place[3], up[3] = {0, 0, 0}, t = 0.25 + 0.5 * k / (SAMPLES - 1);
            fb_core_point(core, core->belly[0] + t * (core->belly[1] - core->belly[0]), place,
                          NULL);
            if (!at(maker, place, up, &body, &name)) {
                return false;
            }
            fb_v3_madd(recipe->up, core->volume_share / SAMPLES, up);
            if (i == 0 && k == SAMPLES / 2) {
                middle = name;
                recipe->up_body = body;
            }
        }
    }
    recipe->bone = fb_arena_printf(maker->arena, "%s of %s", what, middle ? middle : "a bone");
    return square_to(recipe->up, recipe->along, CLEAR);
}

static void choose_up(const fb_recipe_maker *maker, fb_recipe *recipe) {
    const fb_spec_muscle *spec = recipe->spec;
    if (spec && isfinite(spec->height_direction[0])) {
        fb_v3_copy(recipe->up, spec->height_direction);
        recipe->bone = "given";
        recipe->up_given = true;
        if (fb_v3_normalize(recipe->up) > 0 && square_to(recipe->up, recipe->along, 0.05)) {
            return;
        }
        fb_recipe_note(maker, recipe, "its height_direction runs along the muscle: not used");
        recipe->up_given = false;
    }
    mark_between(maker, recipe);
    if (mean_height(maker, recipe, from_caller, "the bone") ||
        mean_height(maker, recipe, from_joints, "the line between joints") ||
        mean_height(maker, recipe, from_mass, "the centre of mass")) {
        return;
    }
    double axis[3] = {0, 0, 0};
    axis[fb_v3_least(recipe->along)] = 1;
    fb_v3_copy(recipe->up, axis);
    square_to(recipe->up, recipe->along, 0);
    recipe->bone = "no bone beside it";
    fb_recipe_note(maker, recipe, "no bone lies beside it: its height is square to it, no more");
}

/* ---- twist ----------------------------------------------------------------------------------- */

/* Turns v by the least rotation that brings one unit direction to another. */
static void carry(double *v, const double *from, const double *to) {
    double axis[3], R[9], r[3];
    fb_v3_cross(axis, from, to);
    double sine = fb_v3_normalize(axis);
    if (sine > 0) {
        fb_m3_rotation(R, axis, atan2(sine, fb_v3_dot(from, to)));
        fb_m3_mul_v3(r, R, v);
        fb_v3_copy(v, r);
    }
}

/* From the first core to the last at both ends, carried along the first core without turning. */
static double turn_between_ends(const fb_recipe *recipe) {
    if (recipe->n_cores < 2) {
        return 0;
    }
    const fb_core *first = &recipe->cores[0], *last = &recipe->cores[recipe->n_cores - 1];
    double at_origin[3], at_end[3], before[3], here[3], turned[3];
    fb_v3_sub(at_origin, last->points[0], first->points[0]);
    fb_v3_sub(at_end, last->points[last->n_points - 1], first->points[first->n_points - 1]);
    fb_core_point(first, 0, NULL, before);
    if (!square_to(at_origin, before, SPREAD)) {
        return 0;
    }
    for (int i = 1; i + 1 < first->n_points; i++) {
        fb_v3_sub(here, first->points[i + 1], first->points[i]);
        fb_v3_normalize(here);
        carry(at_origin, before, here);
        fb_v3_copy(before, here);
    }
    if (!square_to(at_end, before, SPREAD)) {
        return 0;
    }
    fb_v3_cross(turned, at_origin, at_end);
    return atan2(fb_v3_dot(turned, before), fb_v3_dot(at_origin, at_end));
}

static void choose_twist(fb_recipe *recipe) {
    recipe->twist_given = recipe->spec && isfinite(recipe->spec->twist);
    recipe->twist = recipe->twist_given ? recipe->spec->twist : turn_between_ends(recipe);
}

/* ---- all of it ------------------------------------------------------------------------------- */

static void find_middle(fb_recipe *recipe) {
    fb_v3_set(recipe->middle, 0, 0, 0);
    fb_v3_set(recipe->along, 0, 0, 0);
    for (int i = 0; i < recipe->n_cores; i++) {
        const fb_core *core = &recipe->cores[i];
        double place[3], direction[3];
        fb_core_point(core, (core->belly[0] + core->belly[1]) / 2, place, direction);
        fb_v3_madd(recipe->middle, core->volume_share, place);
        fb_v3_madd(recipe->along, core->volume_share, direction);
    }
    if (fb_v3_norm(recipe->along) < 0.1) { /* cores that run against each other */
        const fb_core *core = &recipe->cores[0];
        fb_core_point(core, (core->belly[0] + core->belly[1]) / 2, NULL, recipe->along);
    }
    fb_v3_normalize(recipe->along);
}

void fb_recipe_orient(const fb_recipe_maker *maker, fb_recipe *recipe) {
    find_middle(recipe);
    int origin = recipe->n_lines > 0 ? maker->lines[recipe->lines[0]].body[0]
                                     : recipe->cores[0].own_body;
    choose_up(maker, recipe);
    if (recipe->up_body <= 0) {
        recipe->up_body = origin > 0 ? origin : 0;
    }
    fb_m3_tmul_v3(recipe->up_rest, maker->state->pose[recipe->up_body].R, recipe->up);
    fb_v3_cross(recipe->across, recipe->up, recipe->along);
    choose_twist(recipe);
}

void fb_recipe_follow(fb_recipe *recipe, const fb_state *state) {
    double up[3];
    find_middle(recipe);
    fb_m3_mul_v3(up, state->pose[recipe->up_body].R, recipe->up_rest);
    if (square_to(up, recipe->along, 1e-3)) {
        fb_v3_copy(recipe->up, up);
    } else { /* the muscle has turned into its own height: as square to it as it was */
        square_to(recipe->up, recipe->along, 0);
    }
    fb_v3_cross(recipe->across, recipe->up, recipe->along);
    if (!recipe->twist_given) {
        double twist = turn_between_ends(recipe);
        recipe->twist = twist + 2 * PI * round((recipe->twist - twist) / (2 * PI));
    }
}
