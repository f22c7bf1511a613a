/* Time of one full evaluation of models, by stage: mechanics MODEL... One core, after warm-up,
 * states that change from call to call. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "formats/fb.h"
#include "libcore/muscle/simulation.h"

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

static void measure(fb_simulation *s, const char *name) {
    double best[N_STAGES];
    for (int i = 0; i < s->muscles->n; i++) {
        s->activation[i] = 0.3;
    }
    for (int k = 0; k < N_STAGES; k++) {
        best[k] = INFINITY;
    }
    const int runs = 15, states = 40;
    for (int run = 0; run < runs; run++) {
        double sum[N_STAGES] = {0};
        for (int i = 0; i < states; i++) {
            set_state(s, i);
            double t0 = now();
            fb_state_position(s->state);
            fb_state_velocity(s->state);
            double t1 = now();
            fb_simulation_paths(s);
            double t2 = now();
            if (run == 0) {
                for (int j = 0; j < s->muscles->n; j++) {
                    fb_simulation_equilibrate(s, j, FB_EQUILIBRIUM_OPENSIM4);
                }
            }
            double t3 = now();
            fb_simulation_evaluate(s);
            double t4 = now();
            fb_simulation_accelerate(s, 0);
            double t5 = now();
            const double spent[N_STAGES] = {t1 - t0, t2 - t1, t4 - t3, t5 - t4};
            for (int k = 0; k < N_STAGES; k++) {
                sum[k] += spent[k] / states;
            }
        }
        for (int k = 0; k < N_STAGES && run > 0; k++) {
            best[k] = fmin(best[k], sum[k]);
        }
    }
    printf("%-40.40s %4d %4d %8.2f %8.2f %8.2f %8.2f %9.2f\n", name, s->system->n_q, s->muscles->n,
           best[BODIES], best[PATHS], best[MUSCLES], best[DYNAMICS],
           best[BODIES] + best[PATHS] + best[MUSCLES] + best[DYNAMICS]);
}

int main(int argc, char **argv) {
    printf("%-40s %4s %4s %8s %8s %8s %8s %9s\n", "one evaluation, microseconds", "q", "mus",
           "bodies", "paths", "muscles", "dynamics", "all");
    for (int i = 1; i < argc; i++) {
        fb_diag diag;
        fb_diag_init(&diag);
        char *bytes;
        size_t size;
        fb_model *model;
        fb_simulation *s;
        if (fb_read_file(argv[i], FB_MAX_BYTES, &bytes, &size, &diag) == FB_OK &&
            fb_model_read(&model, bytes, size, argv[i], FB_MAX_BYTES, &diag) == FB_OK) {
            const char *slash = strrchr(argv[i], '/');
            if (fb_simulation_new(&s, model, false, &diag) == FB_OK) {
                measure(s, slash ? slash + 1 : argv[i]);
                fb_simulation_free(s);
            }
            fb_model_free(model);
        }
        fb_diag_clear(&diag);
    }
    return 0;
}
