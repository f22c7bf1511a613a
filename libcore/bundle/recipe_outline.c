/* A muscle whose surface is given: its core and its sections come from that. */
#include <math.h>
#include <string.h>

#include "libcore/base/number.h"
#include "libcore/bundle/recipe_internal.h"

/* A profile with its places and directions moved by a pose, or back. */
static void move(fb_profile *to, const fb_profile *from, const fb_pose *pose, bool back) {
    *to = *from;
    for (int k = 0; k < FB_PROFILE_SECTIONS + 2; k++) {
        double d[3];
        if (back) {
            fb_v3_sub(d, from->core[k], pose->p);
            fb_m3_tmul_v3(to->core[k], pose->R, d);
        } else {
            fb_pose_point(to->core[k], pose, from->core[k]);
        }
    }
    for (int k = 0; k < FB_PROFILE_SECTIONS; k++) {
        if (back) {
            fb_m3_tmul_v3(to->x[k], pose->R, from->x[k]);
        } else {
            fb_m3_mul_v3(to->x[k], pose->R, from->x[k]);
        }
    }
}

/* The ends of all cores that there are, in the mesh's axes. */
static int ends_of_cores(const fb_recipe_maker *maker, const fb_recipe *recipe,
                         const fb_pose *pose, bool last, double (**points)[3]) {
    double(*list)[3] = fb_arena_array(maker->arena, (size_t)recipe->n_cores, sizeof *list);
    for (int i = 0; i < recipe->n_cores; i++) {
        const fb_core *core = &recipe->cores[i];
        double d[3];
        fb_v3_sub(d, core->points[last ? core->n_points - 1 : 0], pose->p);
        fb_m3_tmul_v3(list[i], pose->R, d);
    }
    *points = list;
    return recipe->n_cores;
}

void fb_recipe_shape(const fb_recipe_maker *maker, fb_recipe *recipe, const fb_pose *pose,
                     int body) {
    const fb_outline *outline = &recipe->outline;
    double(*origin)[3] = outline->origin.points, (*insertion)[3] = outline->insertion.points;
    int n_origin = outline->origin.n_points, n_insertion = outline->insertion.n_points;
    n_origin = n_origin ? n_origin : ends_of_cores(maker, recipe, pose, false, &origin);
    n_insertion = n_insertion ? n_insertion : ends_of_cores(maker, recipe, pose, true, &insertion);
    recipe->profile = fb_arena_alloc(maker->arena, sizeof *recipe->profile);
    recipe->profile_rest = fb_arena_alloc(maker->arena, sizeof *recipe->profile_rest);
    fb_profile made;
    recipe->refusal = fb_profile_make(&made, &outline->surface, (const double(*)[3])origin,
                                      n_origin, (const double(*)[3])insertion, n_insertion);
    if (recipe->refusal) {
        return;
    }
    if (recipe->n_cores > 1) {
        fb_recipe_note(maker, recipe, "it has one core, through its surface, for its %d lines",
                       recipe->n_cores);
    }
    move(recipe->profile, &made, pose, false);
    move(recipe->profile_rest, recipe->profile, &maker->state->pose[body], true);
    fb_core *core = &recipe->cores[0];
    double force = 0, fibres = 0, slack = 0, pennation = 0, sum = 0;
    for (int i = 0; i < recipe->n_cores; i++) { /* what its lines have, together */
        const fb_core *one = &recipe->cores[i];
        double weight = one->max_force;
        force += weight;
        fibres += weight * one->optimal_length;
        slack += weight * one->slack_length;
        pennation += weight * one->pennation;
        sum += weight;
    }
    *core = (fb_core){.name = recipe->name,
                      .muscle = -1,
                      .path = -1,
                      .max_force = force,
                      .optimal_length = fibres / sum,
                      .slack_length = slack / sum,
                      .pennation = pennation / sum,
                      .share = FB_NAN,
                      .own_body = body};
    recipe->n_cores = 1;
    fb_core_set(core, maker->arena, recipe->profile->core, FB_PROFILE_SECTIONS + 2, false);
    core->own = fb_arena_array(maker->arena, FB_PROFILE_SECTIONS + 2, sizeof *core->own);
    memcpy(core->own, recipe->profile_rest->core, sizeof recipe->profile_rest->core);
    core->n_own = core->n_points;
}

void fb_recipe_move_profile(fb_recipe *recipe, const fb_state *state) {
    if (recipe->profile) {
        move(recipe->profile, recipe->profile_rest, &state->pose[recipe->cores[0].own_body], false);
    }
}
