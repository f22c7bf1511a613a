/* fbgen: moment arms of bundles beside those of their muscle's lines, over a coordinate's range. */
#include <math.h>

#include "libcore/base/number.h"
#include "tools/fbgen.h"

#define POSES 5
#define STEP 0.02  /* rad: of central differences */
#define BUNDLES 60 /* of the bodies that are laid for it */
#define LAYERS 12
#define MOST_CORES 64
#define LEAST_ARM 0.002 /* m: less, and a muscle is not asked about its moment arm */

/* One muscle while a coordinate is moved. */
typedef struct subject {
    fb_gen_muscle *m;
    fb_build build;
    fb_body body;
    double *length[2];          /* of its bundles before and after a step */
    double line[2][MOST_CORES]; /* of its lines */
    bool laid[2];
    int ease[2]; /* how smooth the cores were that it was laid along */
} subject;

/* The coordinate about which the muscle's lines have the greatest moment arm; -1: none. */
static int main_coordinate(const fb_gen *gen, const fb_recipe *recipe) {
    const fb_system *system = gen->s->system;
    int best = -1;
    double most = LEAST_ARM;
    for (int q = 0; q < system->n_q; q++) {
        const fb_coordinate *c = system->coordinates + q;
        double width = c->range[1] - c->range[0];
        if (!c->element || c->locked || c->prescribed || c->follows || !(width > 4 * STEP) ||
            !(width < 7) || fb_fbsim_motion(c) != FB_ROTATIONAL) {
            continue;
        }
        double arm = 0;
        for (int k = 0; k < recipe->n_cores; k++) {
            const fb_core *core = recipe->cores + k;
            if (core->path >= 0) {
                arm += core->share * fabs(gen->s->path_arms[core->path * system->n_q + q]);
            }
        }
        if (arm > most) {
            most = arm;
            best = q;
        }
    }
    return best;
}

/* The model with a coordinate at a value; false if it cannot be there. */
static bool move(fb_gen *gen, int coordinate, double value) {
    fb_state *state = gen->s->state;
    fb_state_defaults(state);
    for (int q = 0; q < gen->s->system->n_q; q++) {
        state->q[q] = gen->s->system->coordinates[q].initial;
    }
    state->q[coordinate] = value;
    fb_state_position(state);
    if (fb_assemble_held(state, &coordinate, 1, 1e-9) != FB_OK) {
        return false;
    }
    fb_simulation_move(gen->s);
    return true;
}

/* Lays all subjects in the pose; one that cannot be is left out of it. */
static fb_status lay(fb_gen *gen, fb_recipes *moved, subject *subjects, int n, int side,
                     fb_scratch *scratch) {
    fb_status status = fb_recipes_move(moved, gen->s->state, NULL);
    for (int i = 0; i < n && status == FB_OK; i++) {
        subject *it = subjects + i;
        const fb_recipe *now = moved->recipes + (it->m->recipe - gen->recipes->recipes);
        it->laid[side] = !now->refusal && now->n_cores <= MOST_CORES &&
                         !fb_build_place(&it->build, now, &it->body, scratch);
        it->ease[side] = it->build.ease;
        for (size_t b = 0; it->laid[side] && b < it->body.n_bundles; b++) {
            it->length[side][b] = it->body.bundles[b].length;
        }
        for (int k = 0; it->laid[side] && k < now->n_cores; k++) {
            it->line[side][k] = now->cores[k].path >= 0 ? gen->s->path_length[now->cores[k].path]
                                                        : now->cores[k].length;
        }
    }
    return status;
}

/* Adds one pose: each line beside the bundles that follow it. */
static void compare(subject *it) {
    fb_bundle_arms *arms = &it->m->arms;
    const fb_recipe *recipe = it->m->recipe;
    if (!it->laid[0] || !it->laid[1] || it->ease[0] != it->ease[1]) {
        return;
    }
    for (size_t h = 0; h < it->build.form.n_heads; h++) {
        int k = it->build.core[h];
        double line = -(it->line[1][k] - it->line[0][k]) / (2 * STEP), low = 1e9, high = -1e9;
        double sum = 0, shares = 0;
        for (size_t b = 0; b < it->body.n_bundles; b++) {
            const fb_bundle *bundle = it->body.bundles + b;
            if (bundle->head[0] != (int)h) {
                continue;
            }
            double arm = -(it->length[1][b] - it->length[0][b]) / (2 * STEP);
            low = fb_lesser(low, arm);
            high = fb_greater(high, arm);
            sum += bundle->share * arm;
            shares += bundle->share;
        }
        double off = fabs(sum / shares - line);
        arms->poses++;
        arms->inside += line >= low && line <= high;
        arms->mean += recipe->cores[k].share * off;
        arms->worst = fb_greater(arms->worst, off);
        arms->greatest = fb_greater(arms->greatest, fabs(line));
    }
}

static void end(subject *it) {
    fb_build_free(&it->build);
    fb_body_free(&it->body);
    fb_free(it->length[0]);
    fb_free(it->length[1]);
}

/* All muscles whose main coordinate this is. */
static fb_status sweep(fb_gen *gen, fb_recipes *moved, int coordinate, subject *subjects,
                       fb_scratch *scratch) {
    const fb_coordinate *c = gen->s->system->coordinates + coordinate;
    fb_status status = FB_OK;
    int n = 0;
    for (int i = 0; i < gen->n_muscles && status == FB_OK; i++) {
        fb_gen_muscle *m = gen->muscles + i;
        if (m->refusal || m->arms.coordinate != coordinate) {
            continue;
        }
        subject *it = subjects + n;
        fb_build_options options = gen->build;
        *it = (subject){.m = m};
        options.bundles = BUNDLES;
        options.layers = LAYERS;
        options.kept = false;
        if (fb_build_make(&it->build, m->recipe, &options)) {
            continue;
        }
        it->length[0] = fb_alloc(it->build.form.lattice.n * sizeof(double));
        it->length[1] = fb_alloc(it->build.form.lattice.n * sizeof(double));
        n++;
        status = it->length[0] && it->length[1] ? FB_OK : FB_E_MEMORY;
    }
    double from = c->range[0] + STEP, to = c->range[1] - STEP;
    for (int pose = 0; pose < POSES && status == FB_OK; pose++) {
        double value = from + (to - from) * pose / (POSES - 1);
        for (int side = 0; side < 2 && status == FB_OK; side++) {
            if (move(gen, coordinate, value + (side ? STEP : -STEP))) {
                status = lay(gen, moved, subjects, n, side, scratch);
            } else {
                for (int i = 0; i < n; i++) {
                    subjects[i].laid[side] = false;
                }
            }
        }
        for (int i = 0; i < n && status == FB_OK; i++) {
            compare(subjects + i);
        }
    }
    for (int i = 0; i < n; i++) {
        fb_bundle_arms *arms = &subjects[i].m->arms;
        int poses = arms->poses / (int)subjects[i].build.form.n_heads;
        arms->mean /= poses > 0 ? poses : 1;
        end(subjects + i);
    }
    return status;
}

fb_status fb_gen_arms(fb_gen *gen) {
    fb_scratch scratch = {0};
    subject *subjects = fb_arena_array(&gen->arena, (size_t)gen->n_muscles, sizeof *subjects);
    for (int i = 0; i < gen->n_muscles; i++) {
        gen->muscles[i].arms.coordinate = gen->muscles[i].refusal
                                              ? -1
                                              : main_coordinate(gen, gen->muscles[i].recipe);
    }
    fb_recipes *moved = NULL;
    fb_diag said; /* the same as when the muscles were made */
    fb_diag_init(&said);
    fb_status status = fb_recipes_make(&moved, gen->s->paths, gen->s->state, &gen->recipe_options,
                                       &said);
    fb_diag_clear(&said);
    for (int q = 0; q < gen->s->system->n_q && status == FB_OK; q++) {
        bool any = false;
        for (int i = 0; i < gen->n_muscles; i++) {
            any = any || gen->muscles[i].arms.coordinate == q;
        }
        if (any) {
            status = sweep(gen, moved, q, subjects, &scratch);
        }
    }
    fb_recipes_free(moved);
    fb_scratch_clear(&scratch);
    return status;
}
