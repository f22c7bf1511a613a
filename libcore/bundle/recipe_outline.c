/* A muscle whose surface is given: its core and its sections come from that.
 *
 * It moves with two bodies, as its lines do: from a line's last point on the origin's body to its
 * first on the insertion's the muscle goes over from one to the other, in proportion to the way, so
 * that straight fibres from bone to bone stay straight. A point of the muscle goes as the lines
 * that are near it, by the inverse squares of their distances. Without such lines, the muscle goes
 * over where its core passes the insertion's joint, over as much of it as it is away from that. */
#include <math.h>
#include <string.h>

#include "libcore/base/number.h"
#include "libcore/bundle/recipe_internal.h"

#define N FB_PROFILE_SECTIONS
#define CLOSEST 0.02 /* m: over so much of the core at least it goes over */
#define NEAR 1e-3    /* m: lines that are nearer than that count alike */

/* A line between its last point on the origin's body and its first on the insertion's. */
typedef struct bridge {
    double from[3], to[3];
} bridge;

typedef struct fb_profile_rest {
    fb_profile shape;   /* in the mesh's axes */
    int body[2];        /* of origin and insertion */
    fb_pose in_body[2]; /* the mesh's axes in theirs */
    bridge *lines[2];   /* n_lines: in the mesh's axes, and in ground in the pose it was made in */
    int n_lines;
    fb_pose made[2];    /* from the mesh's axes to ground, in the pose it was made in */
    double part[N + 2]; /* of the core's points: how much they go with the insertion, 0 to 1 */
} fb_profile_rest;

/* How much a point goes with the insertion; and, if the two motions of the origin's and the
 * insertion's body are given, where it comes to. Along a line its place goes over in proportion, so
 * that the line stays straight between its ends; what it is away from the line turns with both. */
static double share_of(const bridge *lines, int n, const double *point, const fb_pose motion[2],
                       double *moved) {
    double sum = 0, weights = 0, place[3] = {0, 0, 0};
    for (int i = 0; i < n; i++) {
        double d[3], way[3], near[3], end[2][3], turned[2][3];
        fb_v3_sub(way, lines[i].to, lines[i].from);
        fb_v3_sub(d, point, lines[i].from);
        double u = fb_v3_dot(d, way) / fb_v3_dot(way, way);
        u = fb_lesser(fb_greater(u, 0), 1);
        fb_v3_copy(near, lines[i].from);
        fb_v3_madd(near, u, way);
        double far = fb_greater(fb_v3_distance(point, near), NEAR), weight = 1 / (far * far);
        sum += u * weight;
        weights += weight;
        if (moved) {
            fb_v3_sub(d, point, near);
            fb_pose_point(end[0], &motion[0], lines[i].from);
            fb_pose_point(end[1], &motion[1], lines[i].to);
            for (int k = 0; k < 2; k++) {
                fb_m3_mul_v3(turned[k], motion[k].R, d);
                fb_v3_madd(place, weight * (k ? u : 1 - u), end[k]);
                fb_v3_madd(place, weight * (k ? u : 1 - u), turned[k]);
            }
        }
    }
    if (moved) {
        fb_v3_scale(moved, 1 / weights, place);
    }
    return sum / weights;
}

/* A frame's body and place in it; false with an error. NULL is ground. */
static bool find_frame(fb_recipe_maker *maker, const fb_recipe *recipe, const char *name, int *body,
                       fb_pose *in_body) {
    *body = 0;
    fb_pose_identity(in_body);
    if (!name || strcmp(name, "ground") == 0) {
        return true;
    }
    const fb_system *system = maker->state->system;
    const fb_element *element = fb_model_find(system->model, FB_FRAME, name);
    *body = element ? fb_system_body(system, element, in_body) : -1;
    if (*body < 0) {
        fb_recipe_refuse_entry(maker, recipe->spec->line_number, "the model has no frame '%s'",
                               name);
    }
    return *body >= 0;
}

/* From the mesh's axes to ground, as the origin's body or the insertion's has them. */
static fb_pose pose_of(const fb_profile_rest *rest, const fb_state *state, int end) {
    fb_pose pose;
    fb_pose_mul(&pose, &state->pose[rest->body[end]], &rest->in_body[end]);
    return pose;
}

/* The profile as the bodies are now, and the core through it, which is all belly. */
static void place(fb_recipe *recipe, fb_arena *arena, const fb_state *state) {
    const fb_profile_rest *rest = recipe->rest;
    const fb_pose pose[2] = {pose_of(rest, state, 0), pose_of(rest, state, 1)};
    fb_profile *p = recipe->profile;
    *p = rest->shape;
    for (int k = 0; k < N + 2; k++) {
        double a[3], b[3];
        if (rest->n_lines > 0) {
            share_of(rest->lines[0], rest->n_lines, rest->shape.core[k], pose, p->core[k]);
        } else {
            fb_pose_point(a, &pose[0], rest->shape.core[k]);
            fb_pose_point(b, &pose[1], rest->shape.core[k]);
            fb_v3_scale(p->core[k], 1 - rest->part[k], a);
            fb_v3_madd(p->core[k], rest->part[k], b);
        }
        if (k > 0 && k <= N) {
            for (int axis = 0; axis < 2; axis++) {
                double *to = axis ? p->z[k - 1] : p->x[k - 1];
                const double *from = axis ? rest->shape.z[k - 1] : rest->shape.x[k - 1];
                fb_m3_mul_v3(a, pose[0].R, from);
                fb_m3_mul_v3(b, pose[1].R, from);
                fb_v3_scale(to, 1 - rest->part[k], a);
                fb_v3_madd(to, rest->part[k], b);
                fb_v3_normalize(to);
            }
        }
    }
    fb_core *core = &recipe->cores[0];
    fb_core_set(core, arena, p->core, N + 2, false);
    p->length = core->length;
    core->belly[0] = 0;
    core->belly[1] = core->length;
    core->widest = core->length * (p->widest + 0.5) / N;
    core->stretch = core->rest > 0 ? core->length / core->rest : 1;
}

void fb_recipe_move_profile(fb_recipe *recipe, const fb_state *state) {
    if (recipe->profile) {
        place(recipe, NULL, state);
    }
}

/* How much the core goes with the insertion at a part of its length. */
static double share_at(const fb_profile_rest *rest, double part) {
    double at = fb_lesser(fb_greater(part * N + 0.5, 0), N + 1);
    int k = at < 1 ? 0 : at > N ? N : (int)at; /* pieces at the ends are half as long */
    double along = at < 1 ? 2 * (at - 0.5) : at > N ? 2 * (at - N) : at - k;
    along = fb_lesser(fb_greater(along, 0), 1);
    return rest->part[k] + along * (rest->part[k + 1] - rest->part[k]);
}

void fb_recipe_carry(const fb_recipe *recipe, const fb_state *state, double part,
                     const double *point, double *carried) {
    const fb_profile_rest *rest = recipe->rest;
    fb_pose motion[2];
    for (int end = 0; end < 2; end++) { /* since the recipe was made, in ground */
        fb_pose back, pose = pose_of(rest, state, end);
        fb_pose_inverse(&back, &rest->made[end]);
        fb_pose_mul(&motion[end], &pose, &back);
    }
    if (rest->n_lines > 0) {
        share_of(rest->lines[1], rest->n_lines, point, motion, carried);
        return;
    }
    double share = share_at(rest, part), moved[2][3];
    fb_pose_point(moved[0], &motion[0], point);
    fb_pose_point(moved[1], &motion[1], point);
    fb_v3_scale(carried, 1 - share, moved[0]);
    fb_v3_madd(carried, share, moved[1]);
}

/* The lines' bridges from body to body. */
static void find_lines(const fb_recipe_maker *maker, const fb_recipe *recipe,
                       fb_profile_rest *rest) {
    for (int axes = 0; axes < 2; axes++) {
        rest->lines[axes] = fb_arena_array(maker->arena, (size_t)recipe->n_lines + 1,
                                           sizeof *rest->lines[axes]);
    }
    for (int i = 0; i < recipe->n_lines && rest->body[0] != rest->body[1]; i++) {
        const fb_path *path = recipe->paths[i] >= 0 ? maker->paths->paths + recipe->paths[i] : NULL;
        const fb_path_point *before = NULL;
        for (int k = 0; path && k < path->n_points; k++) {
            const fb_path_point *here = path->points + k;
            bool placed = here->kind == FB_POINT_FIXED || here->kind == FB_POINT_CONDITIONAL;
            int end = !placed                       ? -1
                      : here->body == rest->body[0] ? 0
                      : here->body == rest->body[1] ? 1
                                                    : -1;
            if (end < 0) {
                continue;
            }
            if (before && before->body != here->body) {
                for (int which = 0; which < 2; which++) {
                    const fb_path_point *p = which ? here : before;
                    int side = p == here ? end : 1 - end;
                    bridge *local = rest->lines[0] + rest->n_lines;
                    bridge *made = rest->lines[1] + rest->n_lines;
                    double d[3], *to = side ? local->to : local->from;
                    fb_v3_sub(d, p->location, rest->in_body[side].p);
                    fb_m3_tmul_v3(to, rest->in_body[side].R, d);
                    fb_pose_point(side ? made->to : made->from, &rest->made[side], to);
                }
                rest->n_lines++;
                break;
            }
            before = here;
        }
    }
}

/* Where along the core it goes over from the origin's body to the insertion's: about where it is
 * nearest to the insertion's joint. */
static void set_parts(fb_profile_rest *rest, const fb_state *state) {
    double d[3], joint[3], at[N + 2] = {0}, least = HUGE_VAL, middle = 0;
    if (rest->body[0] == rest->body[1]) {
        return;
    }
    for (int k = 0; rest->n_lines > 0 && k < N + 2; k++) {
        rest->part[k] = share_of(rest->lines[0], rest->n_lines, rest->shape.core[k], NULL, NULL);
    }
    if (rest->n_lines > 0) {
        return;
    }
    int child = rest->body[1] > 0 ? 1 : 0; /* ground has no joint: the origin's then */
    fb_pose pose = pose_of(rest, state, child);
    fb_v3_sub(d, state->moved[rest->body[child]].p, pose.p);
    fb_m3_tmul_v3(joint, pose.R, d);
    for (int k = 0; k < N + 2; k++) {
        const double *p = rest->shape.core[k];
        at[k] = k ? at[k - 1] + fb_v3_distance(rest->shape.core[k - 1], p) : 0;
        if (fb_v3_distance(p, joint) < least) {
            least = fb_v3_distance(p, joint);
            middle = at[k];
        }
    }
    double over = fb_greater(least, CLOSEST);
    over = fb_lesser(over, fb_greater(fb_lesser(middle, at[N + 1] - middle), CLOSEST));
    for (int k = 0; k < N + 2; k++) {
        double u = fb_lesser(fb_greater((at[k] - middle) / (2 * over) + 0.5, 0), 1);
        rest->part[k] = u * u * (3 - 2 * u);
    }
}

/* The upper ends of all cores that there are, in the mesh's axes. */
static int ends_of_cores(const fb_recipe_maker *maker, const fb_recipe *recipe,
                         double (**points)[3]) {
    double(*list)[3] = fb_arena_array(maker->arena, (size_t)recipe->n_cores, sizeof *list);
    fb_pose pose = pose_of(recipe->rest, maker->state, 1);
    for (int i = 0; i < recipe->n_cores; i++) {
        const fb_core *core = &recipe->cores[i];
        double d[3];
        fb_v3_sub(d, core->points[core->n_points - 1], pose.p);
        fb_m3_tmul_v3(list[i], pose.R, d);
    }
    *points = list;
    return recipe->n_cores;
}

/* One core with what all have together. */
static void join_cores(const fb_recipe_maker *maker, fb_recipe *recipe) {
    fb_core one = {.name = recipe->name, .muscle = -1, .path = -1, .share = FB_NAN};
    double fibres = 0, slack = 0, pennation = 0;
    if (recipe->n_cores > 1) {
        fb_recipe_note(maker, recipe, "it has one core, through its surface, for its %d lines",
                       recipe->n_cores);
    }
    for (int i = 0; i < recipe->n_cores; i++) {
        const fb_core *core = &recipe->cores[i];
        one.max_force += core->max_force;
        fibres += core->max_force * core->optimal_length;
        slack += core->max_force * core->slack_length;
        pennation += core->max_force * core->pennation;
    }
    one.optimal_length = fibres / one.max_force;
    one.slack_length = slack / one.max_force;
    one.pennation = pennation / one.max_force;
    recipe->cores[0] = one;
    recipe->n_cores = 1;
}

bool fb_recipe_shape(fb_recipe_maker *maker, fb_recipe *recipe) {
    const fb_outline *o = &recipe->outline;
    double(*insertion)[3] = o->insertion.points;
    int n_insertion = o->insertion.n_points;
    fb_profile_rest *rest = fb_arena_alloc(maker->arena, sizeof *rest);
    const char *last = o->insertion_frame ? o->insertion_frame : o->frame;
    if (!find_frame(maker, recipe, o->frame, &rest->body[0], &rest->in_body[0]) ||
        !find_frame(maker, recipe, last, &rest->body[1], &rest->in_body[1])) {
        return false;
    }
    recipe->rest = rest;
    if (o->surface.n_faces == 0) {
        recipe->refusal = "its surface was not read";
        return true;
    }
    n_insertion = n_insertion ? n_insertion : ends_of_cores(maker, recipe, &insertion);
    recipe->refusal = fb_profile_make(&rest->shape, &o->surface, (const double(*)[3])insertion,
                                      n_insertion);
    if (recipe->refusal) {
        return true;
    }
    recipe->profile = fb_arena_alloc(maker->arena, sizeof *recipe->profile);
    rest->made[0] = pose_of(rest, maker->state, 0);
    rest->made[1] = pose_of(rest, maker->state, 1);
    find_lines(maker, recipe, rest);
    set_parts(rest, maker->state);
    join_cores(maker, recipe);
    place(recipe, maker->arena, maker->state);
    return true;
}
