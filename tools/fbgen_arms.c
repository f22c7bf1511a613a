/* fbgen: moment arms of bundles beside those of their muscle's lines, over a coordinate's range or
 * in the poses of motions. A bundle's arm is -dL/dq of its axis, by central differences of the
 * muscle laid again on both sides of the pose. */
#include <math.h>

#include "libcore/base/number.h"
#include "libcore/base/spatial.h"
#include "tools/fbgen.h"

#define POSES 5
#define STEP 0.02  /* rad: of central differences */
#define BUNDLES 60 /* of the bodies that are laid for it */
#define LAYERS 12
#define LEAST_ARM 0.002 /* m: less, and a muscle is not asked about its moment arm */

/* One muscle while a coordinate is moved. */
typedef struct subject {
    fb_gen_muscle *m;
    fb_build build; /* of fewer bundles, but for a muscle whose surface was given: its own */
    fb_body body;
    const fb_build *made; /* what is compared */
    const fb_body *as;
    double *length[2]; /* of its bundles before and after a step */
    double *line[2];   /* of its lines */
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
        for (int k = 0; k < recipe->n_lines; k++) {
            if (recipe->paths[k] >= 0) {
                arm += fabs(gen->s->path_arms[recipe->paths[k] * system->n_q + q]) /
                       recipe->n_lines;
            }
        }
        if (arm > most) {
            most = arm;
            best = q;
        }
    }
    return best;
}

/* The model in a pose, but for one coordinate at a value; false if it cannot be there. */
static bool move(fb_gen *gen, const double *pose, int coordinate, double value) {
    fb_state *state = gen->s->state;
    fb_state_defaults(state);
    for (int q = 0; q < gen->s->system->n_q; q++) {
        state->q[q] = pose[q];
    }
    state->q[coordinate] = value;
    fb_state_position(state);
    if (fb_assemble_held(state, &coordinate, 1, 1e-9) != FB_OK) {
        return false;
    }
    fb_simulation_move(gen->s);
    return true;
}

/* The muscles that are looked at, and their recipes, which are moved from pose to pose. */
typedef struct sweeper {
    fb_gen *gen;
    subject *subjects;
    int n;
    fb_recipes *recipes;
    double *pose; /* n_q */
    fb_scratch scratch;
} sweeper;

/* The lengths of bundles of a muscle whose surface was given: each point of their axes goes with
 * the bones as its section does, so that their ends stay where they are attached. */
static void carry(const fb_gen *gen, subject *it, int side) {
    for (size_t b = 0; b < it->as->n_bundles; b++) {
        const fb_bundle *bundle = it->as->bundles + b;
        double before[3], here[3];
        it->length[side][b] = 0;
        for (size_t k = 0; k < bundle->rings; k++) {
            fb_recipe_carry(it->m->recipe, gen->s->state, (double)k / (double)(bundle->rings - 1),
                            it->as->rings[bundle->first + k].c, here);
            it->length[side][b] += k ? fb_v3_distance(before, here) : 0;
            fb_v3_copy(before, here);
        }
    }
    it->laid[side] = true;
    it->ease[side] = 0;
}

static fb_status lay(sweeper *w, int coordinate, double value, int side) {
    fb_gen *gen = w->gen;
    subject *subjects = w->subjects;
    int n = w->n, lost;
    for (int i = 0; i < n; i++) {
        subjects[i].laid[side] = false;
    }
    if (!move(gen, w->pose, coordinate, value)) {
        return FB_OK;
    }
    fb_status status = fb_recipes_move(w->recipes, gen->s->state, &lost);
    for (int i = 0; i < n && status == FB_OK; i++) {
        subject *it = subjects + i;
        const fb_recipe *now = w->recipes->recipes + (it->m->recipe - gen->recipes->recipes);
        if (it->m->recipe->profile) {
            carry(gen, it, side);
        } else if (now->refusal || fb_build_place(&it->build, now, &it->body, &w->scratch)) {
            continue;
        } else {
            for (size_t b = 0; b < it->body.n_bundles; b++) {
                it->length[side][b] = it->body.bundles[b].length;
            }
            it->laid[side] = true;
            it->ease[side] = it->build.ease;
        }
        for (int k = 0; k < now->n_lines; k++) {
            it->line[side][k] = now->paths[k] >= 0 ? gen->s->path_length[now->paths[k]] : FB_NAN;
        }
    }
    return status;
}

/* The mean arm of the bundles that follow a line, by their force; of all, if none follows it. */
static double mean_arm(const subject *it, int line) {
    const fb_recipe *recipe = it->m->recipe;
    double sum[2] = {0, 0}, shares[2] = {0, 0};
    for (size_t b = 0; b < it->as->n_bundles; b++) {
        const fb_bundle *bundle = it->as->bundles + b;
        const fb_core *core = recipe->cores + it->made->core[bundle->head[0]];
        double arm = -(it->length[1][b] - it->length[0][b]) / (2 * STEP);
        for (int all = core->muscle == recipe->lines[line] ? 0 : 1; all < 2; all++) {
            sum[all] += bundle->share * arm;
            shares[all] += bundle->share;
        }
    }
    return shares[0] > 0 ? sum[0] / shares[0] : sum[1] / shares[1];
}

/* Adds one pose: each line beside all bundles, and beside the mean of those that follow it. A pose
 * in which the muscle could not be laid, or not alike on both sides of it, is one in which no
 * bundle is like the line. */
static void compare(subject *it) {
    fb_bundle_arms *arms = &it->m->arms;
    const fb_recipe *recipe = it->m->recipe;
    double low = HUGE_VAL, high = -HUGE_VAL;
    arms->poses += recipe->n_lines;
    if (!it->laid[0] || !it->laid[1] || it->ease[0] != it->ease[1]) {
        return;
    }
    for (size_t b = 0; b < it->as->n_bundles; b++) {
        double arm = -(it->length[1][b] - it->length[0][b]) / (2 * STEP);
        low = fb_lesser(low, arm);
        high = fb_greater(high, arm);
    }
    for (int k = 0; k < recipe->n_lines; k++) {
        double line = -(it->line[1][k] - it->line[0][k]) / (2 * STEP);
        double off = fabs(mean_arm(it, k) - line);
        if (!isnan(line)) {
            arms->compared++;
            arms->inside += line >= low && line <= high;
            arms->mean += off;
            arms->worst = fb_greater(arms->worst, off);
            arms->greatest = fb_greater(arms->greatest, fabs(line));
        }
    }
}

static void end(subject *it) {
    fb_build_free(&it->build);
    fb_body_free(&it->body);
    fb_free(it->length[0]);
    fb_free(it->length[1]);
    fb_free(it->line[0]);
    fb_free(it->line[1]);
}

/* Muscles whose main coordinate this is; all, if it is -1. */
static fb_status begin(sweeper *w, int coordinate) {
    fb_gen *gen = w->gen;
    w->n = 0;
    for (int i = 0; i < gen->n_muscles; i++) {
        fb_gen_muscle *m = gen->muscles + i;
        if (m->refusal || (coordinate >= 0 && m->arms.coordinate != coordinate)) {
            continue;
        }
        subject *it = w->subjects + w->n;
        fb_build_options options = gen->build;
        *it = (subject){.m = m};
        options.bundles = BUNDLES;
        options.layers = LAYERS;
        options.kept = false;
        it->made = m->recipe->profile ? &m->build : &it->build;
        it->as = m->recipe->profile ? &m->body : &it->body;
        if (!m->recipe->profile && fb_build_make(&it->build, m->recipe, &options)) {
            continue;
        }
        w->n++;
        it->length[0] = fb_alloc(it->made->form.lattice.n * sizeof(double));
        it->length[1] = fb_alloc(it->made->form.lattice.n * sizeof(double));
        it->line[0] = fb_alloc((size_t)m->recipe->n_lines * sizeof(double));
        it->line[1] = fb_alloc((size_t)m->recipe->n_lines * sizeof(double));
        if (!it->length[0] || !it->length[1] || !it->line[0] || !it->line[1]) {
            return FB_E_MEMORY;
        }
    }
    return FB_OK;
}

/* One pose about one coordinate. */
static fb_status look(sweeper *w, int coordinate, double value) {
    fb_status status = lay(w, coordinate, value - STEP, 0);
    status = status == FB_OK ? lay(w, coordinate, value + STEP, 1) : status;
    for (int i = 0; i < w->n && status == FB_OK; i++) {
        compare(w->subjects + i);
    }
    return status;
}

static void finish(sweeper *w) {
    for (int i = 0; i < w->n; i++) {
        fb_bundle_arms *arms = &w->subjects[i].m->arms;
        arms->mean /= arms->compared > 0 ? arms->compared : 1;
        end(w->subjects + i);
    }
    w->n = 0;
}

/* Over a coordinate's range. */
static fb_status sweep(sweeper *w, int coordinate) {
    const fb_system *system = w->gen->s->system;
    const fb_coordinate *c = system->coordinates + coordinate;
    double from = c->range[0] + STEP, to = c->range[1] - STEP;
    for (int q = 0; q < system->n_q; q++) {
        w->pose[q] = system->coordinates[q].initial;
    }
    fb_status status = begin(w, coordinate);
    for (int pose = 0; pose < POSES && status == FB_OK; pose++) {
        status = look(w, coordinate, from + (to - from) * pose / (POSES - 1));
    }
    finish(w);
    return status;
}

/* In the poses of a table, about each coordinate that turns in it. */
static fb_status follow(sweeper *w, fb_states *motion) {
    fb_gen *gen = w->gen;
    size_t n_q = (size_t)gen->s->system->n_q;
    int rows = fb_states_count(motion);
    double *low = fb_arena_array(&gen->arena, n_q, sizeof *low);
    double *high = fb_arena_array(&gen->arena, n_q, sizeof *high);
    fb_status status = FB_OK;
    for (int turn = 0; turn < 2; turn++) { /* first which coordinates change */
        for (int row = 0; row < rows && status == FB_OK; row++) {
            fb_states_set(motion, row, 0);
            for (size_t q = 0; q < n_q; q++) {
                w->pose[q] = gen->s->state->q[q];
                low[q] = turn || row ? fb_lesser(low[q], w->pose[q]) : w->pose[q];
                high[q] = turn || row ? fb_greater(high[q], w->pose[q]) : w->pose[q];
            }
            for (size_t q = 0; turn && q < n_q && status == FB_OK; q++) {
                const fb_coordinate *c = gen->s->system->coordinates + q;
                if (high[q] - low[q] > STEP && c->element && !c->follows &&
                    fb_fbsim_motion(c) == FB_ROTATIONAL) {
                    status = look(w, (int)q, w->pose[q]);
                }
            }
        }
    }
    return status;
}

static fb_status all_motions(sweeper *w) {
    fb_gen *gen = w->gen;
    fb_status status = begin(w, -1);
    for (int i = 0; i < gen->n_motions && status == FB_OK; i++) {
        status = fb_states_find(gen->motions + i, gen->s, &gen->arena);
        status = status == FB_OK ? follow(w, gen->motions + i) : status;
    }
    finish(w);
    return status;
}

fb_status fb_gen_arms(fb_gen *gen) {
    sweeper w = {.gen = gen};
    fb_diag quiet;
    w.subjects = fb_arena_array(&gen->arena, (size_t)gen->n_muscles, sizeof *w.subjects);
    w.pose = fb_arena_array(&gen->arena, (size_t)gen->s->system->n_q, sizeof *w.pose);
    for (int i = 0; i < gen->n_muscles; i++) {
        gen->muscles[i].arms.coordinate = gen->muscles[i].refusal
                                              ? -1
                                              : main_coordinate(gen, gen->muscles[i].recipe);
    }
    fb_diag_init(&quiet);
    fb_status status = fb_recipes_make(&w.recipes, gen->s->paths, gen->s->state,
                                       &gen->recipe_options, &quiet);
    fb_diag_clear(&quiet);
    if (status == FB_OK && gen->n_motions > 0) {
        status = all_motions(&w);
    }
    for (int q = 0; q < gen->s->system->n_q && status == FB_OK && gen->n_motions == 0; q++) {
        bool any = false;
        for (int i = 0; i < gen->n_muscles; i++) {
            any = any || gen->muscles[i].arms.coordinate == q;
        }
        if (any) {
            status = sweep(&w, q);
        }
    }
    fb_recipes_free(w.recipes);
    fb_scratch_clear(&w.scratch);
    return status;
}
