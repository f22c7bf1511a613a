/* Time of placing bundles: bundles [MODEL SPEC]. One muscle along straight and bent cores, beside
 * the time of writing the same vertices; then the muscles of MODEL over the range of its elbow, on
 * one thread and on two. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "formats/bundle_spec.h"
#include "formats/fb.h"
#include "libcore/base/arena.h"
#include "libcore/base/number.h"
#include "libcore/base/spatial.h"
#include "libcore/bundle/build.h"
#include "libcore/muscle/simulation.h"

enum { RUNS = 40, LAYERS = 32, SIDES = 8, CORE_POINTS = 129 };
#define BAR 3600.0 /* microseconds that 400 bundles of 32 layers may take on one core */
#define LENGTH 0.2 /* m, of the muscle */
#define DEGREE (3.14159265358979323846 / 180)

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

/* Of this thread alone, whatever else runs on the machine. */
static double own_time(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static int fail(const char *what, const char *why) {
    fprintf(stderr, "bundles: %s: %s\n", what, why);
    return 1;
}

/* ---- one muscle ------------------------------------------------------------------------------ */

typedef struct core {
    const char *name;
    double bend, twist; /* degrees */
} core;

/* All vertices of the bundles' meshes: corners of polygons of SIDES sides. */
static void write_vertices(float (*to)[3], const fb_body *body, const double (*corner)[2]) {
    for (size_t r = 0; r < body->n_rings; r++) {
        const fb_ring *ring = body->rings + r;
        for (int s = 0; s < SIDES; s++, to++) {
            for (int m = 0; m < 3; m++) {
                (*to)[m] =
                    (float)(ring->c[m] + corner[s][0] * ring->u[m] + corner[s][1] * ring->w[m]);
            }
        }
    }
}

/* Microseconds: placing, sections included; vertices from rings; memset of as many bytes. */
static const char *measure_one(const core *which, double spent[3], size_t *bundles,
                               double *checksum) {
    double points[CORE_POINTS][3], corner[SIDES][2], length = 0, half_width, width, height;
    fb_form form;
    fb_form_options options = fb_form_options_default();
    options.volume = 150e-6;
    const char *why = fb_form_make(&form, &options);
    if (why) {
        return why;
    }
    fb_core_bent(points, CORE_POINTS, LENGTH, which->bend * DEGREE, 0);
    for (int i = 1; i < CORE_POINTS; i++) {
        length += fb_v3_distance(points[i - 1], points[i]);
    }
    fb_form_size(&form, length, FB_NAN, &half_width, &width, &height);
    fb_core_line line = {.points = (const double(*)[3])points,
                         .n_points = CORE_POINTS,
                         .belly = {0, length},
                         .widest = length / 2,
                         .left = form.strips[0].left,
                         .right = form.strips[0].right,
                         .half_width = half_width};
    fb_section_options section = {.layers = LAYERS,
                                  .up = {0, 1, 0},
                                  .twist = which->twist * DEGREE,
                                  .span = width / 2,
                                  .cut = form.cut};
    for (int s = 0; s < SIDES; s++) {
        double grown = sqrt(360 * DEGREE / SIDES / sin(360 * DEGREE / SIDES));
        corner[s][0] = grown * cos(360 * DEGREE * s / SIDES);
        corner[s][1] = grown * sin(360 * DEGREE * s / SIDES);
    }
    fb_body body = {0};
    fb_scratch scratch = {0};
    float(*vertices)[3] = NULL;
    spent[0] = spent[1] = spent[2] = HUGE_VAL;
    for (int run = 0; run < RUNS && !why; run++) {
        fb_sections sections;
        double begin = now();
        why = fb_sections_along(&sections, &line, 1, &section);
        if (!why) {
            why = fb_form_place(&body, &form, &sections, FB_NAN, &scratch);
            fb_sections_free(&sections);
        }
        double placed = now();
        size_t n = body.n_rings * SIDES;
        if (!why && !vertices) {
            vertices = malloc(n * sizeof *vertices);
            why = vertices ? NULL : "no memory";
        }
        if (why) {
            break;
        }
        memset(vertices, run, n * sizeof *vertices);
        *checksum += vertices[(size_t)run * n / RUNS][1] > 0;
        double filled = now();
        memset(vertices, run + 1, n * sizeof *vertices);
        *checksum += vertices[(size_t)run * n / RUNS][1] > 0;
        double set = now();
        write_vertices(vertices, &body, (const double(*)[2])corner);
        *checksum += vertices[(size_t)run * n / RUNS][2] > 0;
        double wrote = now();
        spent[0] = fmin(spent[0], placed - begin);
        spent[1] = fmin(spent[1], wrote - set);
        spent[2] = fmin(spent[2], set - filled);
    }
    *bundles = body.n_bundles;
    free(vertices);
    fb_body_free(&body);
    fb_scratch_clear(&scratch);
    fb_form_free(&form);
    return why;
}

static int bench_one(void) {
    static const core cores[] = {{"straight", 0, 0},
                                 {"bent 90 degrees", 90, 0},
                                 {"twisted 90 degrees", 0, 90}};
    double checksum = 0;
    printf("%-28s %7s %6s %9s %6s %12s %10s %7s\n", "placing a muscle, one core, us", "bundles",
           "layers", "placing", "of bar", "its vertices", "as memset", "ratio");
    for (size_t i = 0; i < sizeof cores / sizeof *cores; i++) {
        double spent[3];
        size_t bundles = 0;
        const char *why = measure_one(cores + i, spent, &bundles, &checksum);
        if (why) {
            return fail(cores[i].name, why);
        }
        double bar = BAR * (double)bundles / 400;
        printf("%-28s %7zu %6d %9.0f %6.2f %12.0f %10.1f %7.1f\n", cores[i].name, bundles, LAYERS,
               spent[0], spent[0] / bar, spent[1], spent[2], spent[0] / spent[2]);
    }
    printf("bar: %.1f ms for 400 bundles; its vertices: %d corners a ring as floats, computed and "
           "written; memset: the same bytes; ratio: placing / memset\n",
           BAR / 1000, SIDES);
    return checksum < 0; /* never: it keeps the writes */
}

/* ---- a whole arm ----------------------------------------------------------------------------- */

enum { MOST = 256, FRAMES = 12, ARM_RUNS = 3 };

typedef struct arm {
    fb_simulation *s;
    fb_recipes *recipes;
    fb_build builds[MOST];
    fb_body bodies[MOST];
    const fb_recipe *of[MOST];
    int n, elbow;
    int next; /* muscle to be placed */
    int refused, eased;
    pthread_mutex_t lock;
    fb_scratch scratch[2];
} arm;

typedef struct worker {
    arm *a;
    fb_scratch *scratch;
    double spent; /* microseconds of processor */
} worker;

static void *work(void *context) {
    worker *w = context;
    for (;;) {
        pthread_mutex_lock(&w->a->lock);
        int i = w->a->next++;
        pthread_mutex_unlock(&w->a->lock);
        if (i >= w->a->n) {
            return NULL;
        }
        double begin = own_time();
        const char *why = fb_build_place(w->a->builds + i, w->a->of[i], w->a->bodies + i,
                                         w->scratch);
        w->spent += own_time() - begin;
        pthread_mutex_lock(&w->a->lock);
        w->a->refused += why != NULL;
        w->a->eased += !why && w->a->builds[i].ease > 0;
        pthread_mutex_unlock(&w->a->lock);
    }
}

/* The elbow at a part of its range, and all courses. */
static void pose(arm *a, double part) {
    const double *range = a->s->system->coordinates[a->elbow].range;
    int lost;
    fb_state_defaults(a->s->state);
    a->s->state->q[a->elbow] = range[0] + part * (range[1] - range[0]);
    fb_state_position(a->s->state);
    fb_assemble_held(a->s->state, &a->elbow, 1, 1e-10);
    fb_state_position(a->s->state);
    fb_recipes_move(a->recipes, a->s->state, &lost);
}

/* Returns the processor time of the thread that had the more to do. */
static double place_all(arm *a, int threads) {
    pthread_t other;
    worker w[2] = {{a, a->scratch, 0}, {a, a->scratch + 1, 0}};
    a->next = 0;
    bool started = threads > 1 && pthread_create(&other, NULL, work, w + 1) == 0;
    work(w);
    if (started) {
        pthread_join(other, NULL);
    }
    return fmax(w[0].spent, w[1].spent);
}

/* A hash (FNV-1a) of all rings. */
static unsigned long long hash_of(const arm *a) {
    unsigned long long hash = 14695981039346656037ULL;
    for (int i = 0; i < a->n; i++) {
        const unsigned char *bytes = (const unsigned char *)a->bodies[i].rings;
        for (size_t k = 0; k < a->bodies[i].n_rings * sizeof(fb_ring); k++) {
            hash = (hash ^ bytes[k]) * 1099511628211ULL;
        }
    }
    return hash;
}

static fb_status open_arm(arm *a, fb_model **model, fb_spec *spec, char **argv, fb_diag *diag) {
    char *bytes;
    size_t size;
    fb_status status = fb_read_file(argv[1], FB_MAX_BYTES, &bytes, &size, diag);
    if (status == FB_OK) {
        status = fb_model_read(model, bytes, size, argv[1], FB_MAX_BYTES, diag);
    }
    if (status == FB_OK) {
        status = fb_simulation_new(&a->s, *model, false, diag);
    }
    bytes = NULL;
    if (status == FB_OK) {
        fb_simulation_move(a->s);
        status = fb_read_file(argv[2], FB_MAX_BYTES, &bytes, &size, diag);
    }
    if (status == FB_OK) {
        status = fb_bundle_spec_read(spec, bytes, size, argv[2], diag);
    }
    fb_free(bytes);
    fb_recipe_options options = fb_recipe_options_default();
    options.spec = spec;
    if (status == FB_OK) {
        options.links = a->s->course.links;
        status = fb_recipes_make(&a->recipes, a->s->paths, a->s->state, &options, diag);
    }
    return status;
}

/* Builds the muscles with so many layers in their bellies, and times frames of one thread and two.
 * Returns false if the two do not give the same bits. */
static bool measure_arm(arm *a, const char *name, size_t layers) {
    fb_build_options options = fb_build_options_default();
    unsigned long long hash[2];
    options.layers = layers;
    a->n = 0;
    for (int i = 0; i < a->recipes->n && a->n < MOST; i++) {
        if (!fb_build_make(a->builds + a->n, a->recipes->recipes + i, &options)) {
            a->of[a->n++] = a->recipes->recipes + i;
        }
    }
    for (int threads = 1; threads <= 2; threads++) {
        double best[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL};
        size_t bundles = 0, rings = 0;
        for (int run = 0; run < ARM_RUNS; run++) {
            double sum[3] = {0, 0, 0};
            a->refused = a->eased = 0;
            for (int frame = 0; frame < FRAMES; frame++) {
                double begin = now();
                pose(a, (double)frame / (FRAMES - 1));
                double moved = now();
                sum[2] += place_all(a, threads);
                sum[0] += moved - begin;
                sum[1] += now() - moved;
            }
            for (int k = 0; k < 3; k++) {
                best[k] = fmin(best[k], sum[k] / FRAMES);
            }
        }
        for (int i = 0; i < a->n; i++) {
            bundles += a->bodies[i].n_bundles;
            rings += a->bodies[i].n_rings;
        }
        hash[threads - 1] = hash_of(a);
        double rate = 1e6 / (best[0] + best[1]), alone = 1e6 / (best[0] + best[2]);
        printf("%-20.20s %7d %7zu %6.1f %7d %7.2f %7.2f %7.1f %6.2f %6.2f %9.2f %8.1f\n", name,
               a->n, bundles, (double)rings / (double)bundles - 1, threads, best[0] / 1e3,
               best[1] / 1e3, rate, rate / 30, rate / 60, best[2] / 1e3, alone);
    }
    for (int i = 0; i < a->n; i++) {
        fb_build_free(a->builds + i);
        fb_body_free(a->bodies + i);
    }
    return hash[0] == hash[1];
}

static int bench_arm(char **argv) {
    static arm a;
    fb_diag diag;
    fb_model *model = NULL;
    fb_spec spec = {0};
    fb_diag_init(&diag);
    pthread_mutex_init(&a.lock, NULL);
    if (open_arm(&a, &model, &spec, argv, &diag) != FB_OK) {
        return fail(argv[1], diag.n ? diag.records[0].message : "fails");
    }
    a.elbow = -1;
    for (int i = 0; i < a.s->system->n_q; i++) {
        if (strcmp(fb_path_name(a.s->system->coordinates[i].path), "elbow_flexion") == 0) {
            a.elbow = i;
        }
    }
    if (a.elbow < 0) {
        return fail(argv[1], "no coordinate is called elbow_flexion");
    }
    printf("\n%-20s %7s %7s %6s %7s %7s %7s %7s %6s %6s %9s %8s\n", "a frame, ms", "muscles",
           "bundles", "layers", "threads", "courses", "placing", "frames", "of 30", "of 60",
           "processor", "frames");
    bool same = measure_arm(&a, fb_path_name(argv[1]), 12);
    same = measure_arm(&a, fb_path_name(argv[1]), 24) && same;
    printf(
        "%d poses of elbow_flexion over its range; layers: of a whole bundle, in the mean, with 12 "
        "and with 24 in its belly. Frames a second as the clock has them, and, as other programs "
        "may take their share, by the processor time of the thread with the more to do. With 24 "
        "%.1f muscles a frame cannot be laid, %.1f lie along smoother cores than their paths. "
        "Rings on one thread and on two: %s\n",
        FRAMES, (double)a.refused / FRAMES, (double)a.eased / FRAMES,
        same ? "the same bits" : "DIFFERENT");
    fb_scratch_clear(a.scratch);
    fb_scratch_clear(a.scratch + 1);
    fb_recipes_free(a.recipes);
    fb_bundle_spec_free(&spec);
    fb_simulation_free(a.s);
    fb_model_free(model);
    fb_diag_clear(&diag);
    return !same;
}

int main(int argc, char **argv) {
    int status = bench_one();
    return status || argc < 3 ? status : bench_arm(argv);
}
