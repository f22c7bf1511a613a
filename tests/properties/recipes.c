/* Recipes of muscles' bodies in random poses: what holds for any model. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/number.h"
#include "libcore/bundle/recipe.h"
#include "tests/properties/properties.h"

#define POSES 2
#define PI 3.14159265358979323846

/* A core is as long as its path, less what chords of at most 5 degrees cut off, and its belly lies
 * within it. */
static void check_core(subject *it, const fb_core *core) {
    double length = it->s->path_length[core->path];
    claim(it, core->length <= length * (1 + 1e-6) && core->length >= length * (1 - 4e-4),
          "%s: its core measures %.9g m, its path %.9g m", core->name, core->length, length);
    double sum = 0;
    for (int i = 1; i < core->n_points; i++) {
        sum += fb_v3_distance(core->points[i - 1], core->points[i]);
        claim(it, core->at[i] > core->at[i - 1], "%s: two points in one place", core->name);
    }
    claim(it, fabs(sum - core->length) < 1e-9, "%s: lengths do not add up", core->name);
    claim(it,
          core->belly[0] >= 0 && core->belly[1] > core->belly[0] &&
              core->belly[1] <= core->length * (1 + 1e-9) && core->widest > core->belly[0] &&
              core->widest < core->belly[1],
          "%s: its belly lies from %.6g to %.6g m of %.6g m", core->name, core->belly[0],
          core->belly[1], core->length);
    double belly = core->belly[1] - core->belly[0];
    claim(it, fabs(belly - core->optimal_length) > 1e-6 || belly >= 0.94 * core->length,
          "%s: its belly is its optimal fibre length", core->name);
}

/* The recipe's volume is what its width says, and its axes are square to each other. */
static void check_recipe(subject *it, const fb_recipe *recipe) {
    double share = 0, volume = 0, model = 0;
    for (int i = 0; i < recipe->n_cores; i++) {
        const fb_core *core = &recipe->cores[i];
        check_core(it, core);
        share += core->share;
        volume += core->volume_share;
        model += core->max_force / recipe->specific_tension * core->optimal_length;
    }
    claim(it, fabs(share - 1) < 1e-9 && fabs(volume - 1) < 1e-9, "%s: shares do not add up to 1",
          recipe->name);
    claim(it, fabs(recipe->volume - model) < 1e-9 * model, "%s: volume %.9g m^3, not %.9g",
          recipe->name, recipe->volume, model);
    /* half-ellipsoids cut at 0.9 have a mean section of 0.73 of the widest */
    double section = PI / 4 * recipe->width * recipe->height,
           ratio = recipe->height / recipe->width;
    double inside = PI / 4 * 0.73 * section * recipe->belly_length;
    claim(it, fabs(inside / recipe->volume - 1) < 1e-9 && fabs(ratio - recipe->ratio) < 1e-9,
          "%s: its width and height hold %.9g m^3", recipe->name, inside);
    claim(it, recipe->wide == (recipe->width > recipe->belly_length / 2 * (1 + 1e-9)),
          "%s: wide or not", recipe->name);
    claim(it, !recipe->wide || recipe->n_notes > 0, "%s: wide without a word", recipe->name);
    claim(it,
          fabs(fb_v3_norm(recipe->up) - 1) < 1e-9 && fabs(fb_v3_norm(recipe->along) - 1) < 1e-9 &&
              fabs(fb_v3_dot(recipe->up, recipe->along)) < 1e-9,
          "%s: its axes are not square", recipe->name);
}

/* In another pose cores follow their paths, with the same volume, and nothing is allocated once
 * they were there. */
static void check_moved(subject *it, fb_recipes *made) {
    int lost = 0;
    if (!random_pose(it, 0)) {
        return;
    }
    move(it);
    claim(it, fb_recipes_move(made, it->s->state, &lost) == FB_OK, "recipes do not move");
    for (int i = 0; i < made->n && lost == 0; i++) {
        const fb_recipe *recipe = &made->recipes[i];
        for (int k = 0; k < recipe->n_cores; k++) {
            const fb_core *core = &recipe->cores[k];
            double length = it->s->path_length[core->path];
            claim(it, core->length <= length * (1 + 1e-6) && core->length >= length * (1 - 4e-4),
                  "%s: its moved core measures %.9g m, its path %.9g m", core->name, core->length,
                  length);
            claim(it,
                  (core->stretch > 0.199 || core->belly[0] <= 0) && core->belly[0] >= 0 &&
                      core->belly[1] <= core->length * (1 + 1e-9),
                  "%s: its belly does not lie on it", core->name);
        }
        double inside = PI / 4 * 0.73 * PI / 4 * recipe->width * recipe->height *
                        recipe->belly_length;
        claim(it, recipe->refusal || fabs(inside / recipe->volume - 1) < 1e-9,
              "%s: moved, it holds %.9g m^3", recipe->name, inside);
    }
    unsigned long before = allocation_count;
    fb_recipes_move(made, it->s->state, &lost);
    claim(it, allocation_count == before, "moving allocates");
}

/* Every muscle is a line of one recipe, which is right in itself or says why there is none. */
void recipes(subject *it) {
    for (int pose = 0; pose < POSES; pose++) {
        if (pose && !random_pose(it, 0)) {
            return;
        }
        if (!pose) {
            fb_state_defaults(it->s->state);
        }
        move(it);
        fb_recipe_options options = fb_recipe_options_default();
        fb_recipes *made = NULL;
        options.links = it->s->course.links;
        fb_status status = fb_recipes_make(&made, it->s->paths, it->s->state, &options, &it->diag);
        if (!claim(it, status == FB_OK, "recipes end with %d", status)) {
            return;
        }
        const fb_list *muscles = fb_model_items(it->model, "muscles");
        int *met = calloc(muscles->n + 1, sizeof *met);
        for (int i = 0; i < made->n; i++) {
            const fb_recipe *recipe = &made->recipes[i];
            for (int k = 0; k < recipe->n_lines; k++) {
                met[recipe->lines[k]]++;
            }
            claim(it, (recipe->refusal != NULL) == (recipe->n_cores == 0),
                  "%s: neither made nor "
                  "refused",
                  recipe->name);
            for (int k = 0; k < i; k++) {
                claim(it, strcmp(made->recipes[k].name, recipe->name) != 0, "two muscles '%s'",
                      recipe->name);
            }
            if (!recipe->refusal) {
                check_recipe(it, recipe);
            }
        }
        for (int i = 0; i < (int)muscles->n; i++) {
            claim(it, met[i] == 1, "muscle %d is a line of %d recipes", i, met[i]);
        }
        free(met);
        check_moved(it, made);
        fb_recipes_free(made);
    }
}
