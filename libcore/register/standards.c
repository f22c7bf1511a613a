#include "libcore/register/standards.h"

#include <math.h>
#include <stdbool.h>

#include "libcore/base/number.h"

#define SIZE_WEIGHT 0.1
#define LACKING 0.25 /* of the extent: as if it lay so far away */

static bool is_there(const fb_standard_body *b) {
    return isfinite(b->rms) && b->scale > 0 && isfinite(b->scale) && b->extent > 0;
}

double fb_standard_score(const fb_standard_fit *standard, double *rms, double *size) {
    double relative = 0, squares = 0, logs = 0, log_squares = 0;
    int n = 0;
    for (int i = 0; i < standard->n; i++) {
        const fb_standard_body *b = &standard->bodies[i];
        if (!is_there(b)) {
            relative += LACKING * LACKING;
            continue;
        }
        relative += b->rms * b->rms / (b->extent * b->extent);
        squares += b->rms * b->rms;
        logs += log(b->scale);
        log_squares += log(b->scale) * log(b->scale);
        n++;
    }
    if (rms) {
        *rms = n > 0 ? sqrt(squares / n) : FB_NAN;
    }
    if (size) {
        *size = n > 0 ? exp(logs / n) : FB_NAN;
    }
    return n > 0 ? sqrt(relative / standard->n) + SIZE_WEIGHT * sqrt(log_squares / n) : FB_NAN;
}

static int count_lacking(const fb_standard_fit *standard) {
    int n = 0;
    for (int i = 0; i < standard->n; i++) {
        n += !is_there(&standard->bodies[i]);
    }
    return n;
}

static const char *describe(const fb_standard_fit *standard, fb_arena *arena) {
    double rms, size, score = fb_standard_score(standard, &rms, &size);
    int lacking = count_lacking(standard);
    const char *lacks =
        lacking ? fb_arena_printf(arena, ", lacks %d of %d bodies", lacking, standard->n) : "";
    return fb_arena_printf(arena,
                           "'%s' (residual %.1f mm rms, the new skeleton is %.3f times its size%s: "
                           "score %.4f)",
                           standard->name, 1e3 * rms, size, lacks, score);
}

int fb_standards_choose(const fb_standard_fit *standards, int n, fb_arena *arena,
                        const char **why) {
    int best = -1, next = -1;
    double least = FB_INFINITY, second = FB_INFINITY;
    for (int i = 0; i < n; i++) {
        double score = fb_standard_score(&standards[i], NULL, NULL);
        if (score < least) {
            next = best;
            second = least;
            best = i;
            least = score;
        } else if (score < second) {
            next = i;
            second = score;
        }
    }
    *why = best < 0   ? "none of the standard bodies has a body that fits"
           : next < 0 ? fb_arena_printf(arena, "%s is the only one that fits",
                                        describe(&standards[best], arena))
                      : fb_arena_printf(arena, "%s is nearest; the next is %s",
                                        describe(&standards[best], arena),
                                        describe(&standards[next], arena));
    return best;
}
