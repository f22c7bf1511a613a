/* Time of one full evaluation of models, by stage: mechanics MODEL... One core, after warm-up,
 * states that change from call to call. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "formats/fb.h"
#include "libcore/muscle/moment_arm.h"

enum { BODIES, PATHS, MUSCLES, DYNAMICS, N_STAGES };

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

/* A pose near the default one, another for each number. */
static void set_state(fb_simulation *s, int number) {
    fb_state_defaults(s->state);
    for (int i = 0; i < s->system->n_q; i++) {
        if (!s->system->coordinates[i].locked) {
            s->state->q[i] += 0.1 * sin(number + 7.0 * i);
            s->state->u[i] = 0.5 * cos(number + 3.0 * i);
        }
    }
}

enum { RUNS = 15, STATES = 40 };

/* One evaluation, by stage; with `spent` NULL without looking at the clock between. */
static void evaluate(fb_simulation *s, double *spent) {
    double t[N_STAGES + 1] = {0};
    t[0] = spent ? now() : 0;
    fb_state_position(s->state);
    fb_state_velocity(s->state);
    t[1] = spent ? now() : 0;
    fb_simulation_paths(s);
    t[2] = spent ? now() : 0;
    fb_simulation_evaluate(s);
    t[3] = spent ? now() : 0;
    fb_simulation_accelerate(s, 0);
    t[4] = spent ? now() : 0;
    for (int k = 0; spent && k < N_STAGES; k++) {
        spent[k] += (t[k + 1] - t[k]) / STATES;
    }
}

/* Microseconds of a whole evaluation; `best` gets those of its stages. */
static double measure(fb_simulation *s, double *best) {
    double all = INFINITY;
    for (int k = 0; k < N_STAGES; k++) {
        best[k] = INFINITY;
    }
    for (int i = 0; i < s->muscles->n; i++) {
        s->activation[i] = 0.3;
    }
    fb_state_defaults(s->state);
    fb_simulation_move(s);
    for (int j = 0; j < s->muscles->n; j++) {
        fb_simulation_equilibrate(s, j, FB_EQUILIBRIUM_OPENSIM4);
    }
    size_t n = (size_t)s->system->n_q;
    double *states = malloc((STATES * 2 * n + 1) * sizeof *states);
    if (!states) {
        return all;
    }
    for (int i = 0; i < STATES; i++) {
        set_state(s, i);
        memcpy(states + (size_t)i * 2 * n, s->state->q, n * sizeof *states);
        memcpy(states + (size_t)i * 2 * n + n, s->state->u, n * sizeof *states);
    }
    for (int run = 0; run < 2 * RUNS; run++) { /* by stage, then in one go, in turn */
        double sum[N_STAGES] = {0}, begin = now();
        for (int i = 0; i < STATES; i++) {
            memcpy(s->state->q, states + (size_t)i * 2 * n, n * sizeof *states);
            memcpy(s->state->u, states + (size_t)i * 2 * n + n, n * sizeof *states);
            evaluate(s, run % 2 ? NULL : sum);
        }
        for (int k = 0; k < N_STAGES && run % 2 == 0; k++) {
            best[k] = fmin(best[k], sum[k]);
        }
        all = run % 2 ? fmin(all, (now() - begin) / STATES) : all;
    }
    free(states);
    return all;
}

/* Microseconds of all moment arms of a pose: places, courses, arms, and what constraints tie
 * together. */
static double measure_arms(fb_simulation *s) {
    double best = INFINITY;
    size_t n = (size_t)s->system->n_q * (size_t)s->paths->n_paths;
    double *arms = malloc((n + 1) * sizeof *arms);
    for (int run = 0; arms && run < RUNS; run++) {
        double begin = now();
        for (int i = 0; i < STATES; i++) {
            fb_simulation_move(s);
            fb_moment_arms(s, arms);
        }
        best = fmin(best, (now() - begin) / STATES);
    }
    free(arms);
    return best;
}

static void measure_model(const fb_model *model, const char *name, fb_diag *diag) {
    double best[N_STAGES], as_opensim4[N_STAGES], all[2] = {0}, arms = 0;
    int n_q = 0, n_muscles = 0;
    for (int compat = 0; compat < 2; compat++) {
        fb_simulation *s;
        if (fb_simulation_new(&s, model, compat == 1, diag) != FB_OK) {
            return;
        }
        all[compat] = measure(s, compat ? as_opensim4 : best);
        arms = compat ? arms : measure_arms(s);
        n_q = s->system->n_q;
        n_muscles = s->muscles->n;
        fb_simulation_free(s);
    }
    printf("%-40.40s %4d %4d %8.2f %8.2f %8.2f %8.2f %9.2f %10.2f %8.2f\n", name, n_q, n_muscles,
           best[BODIES], best[PATHS], best[MUSCLES], best[DYNAMICS], all[0], all[1], arms);
}

int main(int argc, char **argv) {
    printf("%-40s %4s %4s %8s %8s %8s %8s %9s %10s %8s\n", "one evaluation, microseconds", "q",
           "mus", "bodies", "paths", "muscles", "dynamics", "all", "opensim4", "all arms");
    for (int i = 1; i < argc; i++) {
        fb_diag diag;
        fb_diag_init(&diag);
        char *bytes;
        size_t size;
        fb_model *model;
        if (fb_read_file(argv[i], FB_MAX_BYTES, &bytes, &size, &diag) == FB_OK &&
            fb_model_read(&model, bytes, size, argv[i], FB_MAX_BYTES, &diag) == FB_OK) {
            const char *slash = strrchr(argv[i], '/');
            measure_model(model, slash ? slash + 1 : argv[i], &diag);
            fb_model_free(model);
        }
        fb_diag_clear(&diag);
    }
    return 0;
}
