/* What an evaluation costs grows with the number of muscles, not with its square. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "libcore/muscle/simulation.h"
#include "tests/help.h"

/* A chain of two bodies with n muscles over a cylinder and through a via point. */
static char *model_of(int n) {
    static const char head[] =
        "{\"fb\": \"1.0\", \"name\": \"m\", \"bodies\": [{\"name\": \"a\", \"mass\": 1, "
        "\"inertia\": [1, 1, 1, 0, 0, 0]}, {\"name\": \"b\", \"mass\": 1, \"inertia\": [1, 1, 1, "
        "0, 0, 0]}], \"joints\": [{\"name\": \"j\", \"type\": \"pin\", \"parent\": \"ground\", "
        "\"child\": \"a\", \"coordinates\": [{\"name\": \"q\"}]}, {\"name\": \"k\", \"type\": "
        "\"pin\", \"parent\": \"a\", \"child\": \"b\", \"coordinates\": [{\"name\": \"r\"}]}], "
        "\"wraps\": [{\"name\": \"w\", \"type\": \"cylinder\", \"frame\": \"a\", \"radius\": 0.03, "
        "\"length\": 1}], \"muscles\": [";
    size_t size = sizeof head + (size_t)n * 500 + 10, end = sizeof head - 1;
    char *text = malloc(size);
    memcpy(text, head, sizeof head);
    for (int i = 0; i < n; i++) {
        end += (size_t)snprintf(
            text + end, size - end,
            "%s{\"name\": \"m%d\", \"type\": \"Millard2012Equilibrium\", \"path\": {\"points\": "
            "[{\"name\": \"x\", \"frame\": \"ground\", \"location\": [0.2, 0.02, 0.0%d]}, "
            "{\"name\": "
            "\"y\", \"frame\": \"b\", \"location\": [-0.2, 0.01, 0]}, {\"name\": \"z\", \"frame\": "
            "\"b\", \"location\": [-0.3, 0, 0]}], \"wraps\": [{\"wrap\": \"w\"}]}, "
            "\"max_isometric_force\": 100, \"optimal_fiber_length\": 0.2, "
            "\"tendon_slack_length\": 0.3}",
            i ? ", " : "", i, i % 9 + 1);
    }
    snprintf(text + end, size - end, "]}");
    return text;
}

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The least time of some evaluations in a row. */
static double cost(int n) {
    char *text = model_of(n);
    fb_diag diag;
    fb_model *model = fb_test_must(fb_test_fb(text, &diag, NULL), &diag);
    fb_simulation *s = NULL;
    double least = 1e9;
    if (FB_TRUE(fb_simulation_new(&s, model, false, &diag) == FB_OK, "it compiles: %s",
                diag.n ? diag.records[0].message : "")) {
        FB_EQUAL_INT(s->muscles->n, n);
        for (int run = 0; run < 12; run++) {
            double begin = seconds();
            for (int i = 0; i < 20; i++) {
                s->state->q[0] = 0.01 * i;
                fb_simulation_move(s);
                for (int k = 0; k < n && i == 0; k++) {
                    fb_simulation_equilibrate(s, k, FB_EQUILIBRIUM_SHARED);
                }
                fb_simulation_evaluate(s);
                fb_simulation_accelerate(s, 0);
            }
            double spent = seconds() - begin;
            least = spent < least ? spent : least;
        }
    }
    fb_simulation_free(s);
    fb_model_free(model);
    fb_diag_clear(&diag);
    free(text);
    return least;
}

/* Four times the muscles: four times the time, with what a busy machine and its caches add. A cost
 * that grows with the square would be sixteen times. */
static void cost_is_linear_in_muscles(void) {
    int n = fb_test_is_fast() ? 200 : 20;
    double one = cost(n), four = cost(4 * n);
    FB_TRUE(!fb_test_is_fast() || four < 7 * one, "%d muscles take %g s, %d take %g s", n, one,
            4 * n, four);
}

static const fb_test tests[] = {
    FB_TEST(cost_is_linear_in_muscles),
    FB_TEST_END,
};

int main(int argc, char **argv) {
    return fb_test_main("cost", tests, argc, argv);
}
