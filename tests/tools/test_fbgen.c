/* fbgen: every muscle of models/arm gets bundles or a sentence; what it prints, writes and refuses.
 */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/layers.h"
#include "formats/mesh_read.h"
#include "libcore/base/number.h"
#include "libcore/base/spatial.h"
#include "libcore/bundle/measure.h"
#include "tests/help.h"
#include "tools/cli.h"

#define ARM "models/arm/arm25.osim"
#define SPEC "models/arm/arm25.json"
#define FEW "--bundles", "40", "--layers-per-bundle", "12"
#define RUN(...) FB_RUN(fb_fbgen_main, NULL, "fbgen", __VA_ARGS__)
#define ONE "--no-arms", "--spec", SPEC, FEW, "-q", "-m"

/* ---- helpers --------------------------------------------------------------------------------- */

/* A table with tabs: cells of a line, in the text itself. */
enum { MOST_ROWS = 64, MOST_CELLS = 64 };

typedef struct table {
    char *text;
    char *cells[MOST_ROWS][MOST_CELLS];
    int rows, columns; /* rows without that of the names, which is row 0 */
} table;

static void table_read(table *t, const char *file) {
    size_t size;
    memset(t, 0, sizeof *t);
    t->text = fb_test_read_file(file, &size);
    if (!FB_TRUE(t->text != NULL, "there is no %s", file)) {
        return;
    }
    int rows = 0;
    for (char *line = t->text, *next; *line && rows < MOST_ROWS; line = next) {
        int n = 0;
        next = strchr(line, '\n');
        next = next ? next : line + strlen(line) - 1;
        *next++ = 0;
        for (char *cell = line; cell && n < MOST_CELLS; n++) {
            t->cells[rows][n] = cell;
            cell = strchr(cell, '\t');
            if (cell) {
                *cell++ = 0;
            }
        }
        t->columns = rows ? t->columns : n;
        FB_TRUE(n == t->columns, "line %d of %s has %d cells of %d", rows + 1, file, n, t->columns);
        rows++;
    }
    t->rows = rows - 1;
}

static const char *text_of(const table *t, int row, const char *column) {
    for (int k = 0; k < t->columns; k++) {
        if (strcmp(t->cells[0][k], column) == 0 && t->cells[row][k]) {
            return t->cells[row][k];
        }
    }
    FB_TRUE(false, "there is no column %s", column);
    return "";
}

static double value_of(const table *t, int row, const char *column) {
    return strtod(text_of(t, row, column), NULL);
}

/* The row of a muscle; 1 and a failed check if there is none. */
static int row_of(const table *t, const char *muscle) {
    for (int i = 1; i <= t->rows; i++) {
        if (strcmp(text_of(t, i, "muscle"), muscle) == 0) {
            return i;
        }
    }
    FB_TRUE(false, "no row of %s", muscle);
    return 1;
}

/* A file of the tests' own folder; the text stays, and is the same for the same name. */
static const char *file_of(const char *name) {
    static char files[32][1200];
    static const char *folder;
    folder = folder ? folder : fb_test_folder();
    for (int i = 0; i < 32; i++) {
        if (!files[i][0]) {
            snprintf(files[i], sizeof files[i], "%s/%s", folder, name);
        }
        if (strcmp(files[i] + strlen(folder) + 1, name) == 0) {
            return files[i];
        }
    }
    abort(); /* the test itself is wrong */
}

typedef struct bodies {
    fb_body *list;
    size_t n;
} bodies;

static bodies bodies_read(const char *file) {
    bodies b = {0};
    size_t size = 0;
    fb_diag diag;
    fb_diag_init(&diag);
    char *bytes = fb_test_read_file(file, &size);
    FB_TRUE(bytes && fb_layers_read(&b.list, &b.n, bytes, size, file, &diag) == FB_OK,
            "%s is read: %s", file, diag.n ? diag.records[0].message : "no file");
    fb_free(bytes);
    fb_diag_clear(&diag);
    return b;
}

static bool same_files(const char *a, const char *b) {
    size_t n = 0, m = 0;
    char *p = fb_test_read_file(a, &n), *q = fb_test_read_file(b, &m);
    bool same = p && q && n == m && memcmp(p, q, n) == 0;
    fb_free(p);
    fb_free(q);
    return same;
}

/* Makes one muscle and gives its bundles' rings and its row. */
static bodies one(table *t, const char *muscle, const char *const *more) {
    const char *layers = file_of("one.jsonl"), *figures = file_of("one.tsv");
    const char *args[40] = {"fbgen",   ONE,     muscle, "--layers",        layers,
                            "--table", figures, "-o",   file_of("one.fb"), ARM};
    int n = 0;
    while (args[n]) {
        n++;
    }
    for (int k = 0; more && more[k]; k++) {
        args[n++] = more[k];
    }
    fb_run run = fb_test_run(fb_fbgen_main, NULL, args);
    FB_TRUE(run.status == 0, "%s: status %d: %s", muscle, run.status, run.err);
    fb_run_free(&run);
    table_read(t, figures);
    bodies b = bodies_read(layers);
    FB_EQUAL_INT(b.n, 1);
    if (b.n != 1) {
        exit(1); /* nothing that follows would mean anything */
    }
    return b;
}
#define MORE(...) \
    (const char *const[]) { \
        __VA_ARGS__, NULL \
    }

static void one_free(table *t, bodies *b) {
    free(t->text);
    fb_layers_free(b->list, b->n);
}

static double volume_of(const fb_body *body) {
    double sum = 0;
    for (size_t i = 0; i < body->n_bundles; i++) {
        sum += fb_bundle_volume(body, i);
    }
    return sum;
}

/* ---- the arm --------------------------------------------------------------------------------- */

/* Every muscle has a body or a reason; figures are those of the rings that were written; files are
 * the same whatever the number of threads; the document says of each line what it belongs to. */
/* What misses an aim is told, and nothing else is. */
static int misses_told(const table *t, int row, const char *said) {
    const struct {
        const char *what;
        bool missed;
    } aims[] = {
        {" is wider (", value_of(t, row, "width_m") > 0.5 * value_of(t, row, "belly_length_m")},
        {": penetration ", value_of(t, row, "penetration") > 0.01 ||
                               value_of(t, row, "mean_gap") > 0.01 ||
                               value_of(t, row, "worst_gap") > 0.03},
        {": its heads sink ", value_of(t, row, "between_heads") > 0.01},
        {": rings lean ", value_of(t, row, "tilt_rad") > 15 * 3.14159265358979 / 180},
        {": bundles' height over width ", value_of(t, row, "ratio_error") > 0.01},
    };
    int missed = 0;
    for (size_t i = 0; i < sizeof aims / sizeof *aims; i++) {
        char sentence[200];
        snprintf(sentence, sizeof sentence, "%s%s", text_of(t, row, "muscle"), aims[i].what);
        FB_TRUE((strstr(said, sentence) != NULL) == aims[i].missed, "'%s..' is %stold", sentence,
                aims[i].missed ? "not " : "");
        missed += aims[i].missed;
    }
    return missed;
}

static void whole_arm(void) {
    const char *layers[2] = {file_of("arm1.jsonl"), file_of("arm4.jsonl")};
    const char *figures[2] = {file_of("arm1.tsv"), file_of("arm4.tsv")};
    const char *fb[2] = {file_of("arm1.fb"), file_of("arm4.fb")};
    table t;
    int missed = 0;
    for (int k = 0; k < 2; k++) {
        fb_run run = RUN("--spec", SPEC, FEW, "--no-arms", "--jobs", k ? "4" : "1", "--layers",
                         layers[k], "--table", figures[k], "-o", fb[k], ARM);
        FB_EQUAL_INT(run.status, 0);
        FB_EQUAL_STR(run.out, "");
        if (k == 0) {
            table_read(&t, figures[0]);
            for (int i = 1; i <= t.rows; i++) { /* told, and in the table */
                FB_HOLDS(run.err, text_of(&t, i, "muscle"));
                missed += misses_told(&t, i, run.err);
            }
            FB_TRUE(missed > 0, "no muscle of the arm is wider than half its belly");
        }
        fb_run_free(&run);
    }
    FB_TRUE(same_files(layers[0], layers[1]), "layers differ between 1 and 4 threads");
    FB_TRUE(same_files(figures[0], figures[1]), "tables differ between 1 and 4 threads");
    FB_EQUAL_INT(t.rows, 25);
    bodies b = bodies_read(layers[0]);
    size_t next = 0;
    int refused = 0;
    for (int i = 1; i <= t.rows; i++) {
        const char *name = text_of(&t, i, "muscle"), *why = text_of(&t, i, "why_none");
        if (value_of(&t, i, "bundles") == 0) {
            FB_TRUE(strlen(why) > 20, "%s has neither bundles nor a reason: %s", name, why);
            refused++;
            continue;
        }
        FB_EQUAL_STR(why, "-");
        if (!FB_TRUE(next < b.n, "there are no rings of %s", name)) {
            continue;
        }
        const fb_body *body = b.list + next++;
        fb_body_measures m;
        FB_EQUAL_STR(body->name, name);
        FB_EQUAL_INT(body->n_bundles, value_of(&t, i, "bundles"));
        FB_EQUAL_INT(fb_body_measure(&m, body, 0, -1), FB_OK);
        FB_NEAR(value_of(&t, i, "penetration"), m.penetration, 1e-5, 1e-4);
        FB_NEAR(value_of(&t, i, "mean_gap"), m.gap, 1e-5, 1e-4);
        FB_NEAR(value_of(&t, i, "worst_gap"), m.worst_gap, 1e-5, 1e-4);
        FB_NEAR(value_of(&t, i, "tilt_rad"), m.tilt, 1e-6, 1e-6);
        FB_NEAR(value_of(&t, i, "bundles_volume_m3"), volume_of(body), 0, 1e-9);
        bool wide = value_of(&t, i, "width_m") > 0.5 * value_of(&t, i, "belly_length_m");
        FB_TRUE(m.volume_error < 1e-3 && m.length_error < 5e-3 &&
                    m.ratio_error < (wide ? 0.05 : 0.01),
                "%s: volume %g, length %g, ratio %g", name, m.volume_error, m.length_error,
                m.ratio_error);
        FB_TRUE(value_of(&t, i, "volume_m3") < volume_of(body), "%s: bellies of more than all",
                name);
        /* so few bundles are thick beside the way that heads give to each other */
        double worst_gap = value_of(&t, i, "heads") > 1 ? 0.04 : 0.03;
        FB_TRUE(m.between_heads < 0.01, "%s: heads sink by %g", name, m.between_heads);
        FB_TRUE(m.gap < 0.01 && m.worst_gap < worst_gap, "%s gapes by %g, %g", name, m.gap,
                m.worst_gap);
    }
    FB_EQUAL_INT(b.n, next);
    FB_TRUE(refused <= 2, "%d muscles of the arm have no bundles", refused);
    fb_layers_free(b.list, b.n);

    json_t *document = json_load_file(fb[0], 0, NULL), *muscle;
    size_t at, own = 0, of = 0;
    json_array_foreach(json_object_get(document, "muscles"), at, muscle) {
        const json_t *bundles = json_object_get(muscle, "bundles");
        size_t n = json_array_size(json_object_get(bundles, "cells"));
        if (n) {
            const char *name = json_string_value(json_object_get(bundles, "muscle"));
            int row = row_of(&t, name ? name : "");
            FB_EQUAL_INT(n, value_of(&t, row, "bundles"));
            FB_EQUAL_INT(json_array_size(json_object_get(bundles, "a")), n);
            FB_EQUAL_INT(json_array_size(json_object_get(bundles, "b")), n);
            FB_EQUAL_INT(json_array_size(json_object_get(bundles, "cores")),
                         value_of(&t, row, "heads"));
            FB_NEAR(json_number_value(json_object_get(bundles, "volume")),
                    value_of(&t, row, "volume_m3"), 0, 1e-9);
            own++;
        }
        of += json_object_get(bundles, "of") != NULL;
    }
    FB_EQUAL_INT(own, next);
    FB_TRUE(of >= 10, "%zu lines are of another's muscle", of);
    json_decref(document);
    free(t.text);
}

/* The member "bundles" goes through .osim and back, and fbinfo finds nothing wrong with it. */
static void document_goes_round(void) {
    const char *fb = file_of("a.fb"), *osim = file_of("a.osim"), *again = file_of("b.fb");
    fb_run run = RUN(ONE, "biceps*", "-o", fb, ARM);
    FB_EQUAL_INT(run.status, 0);
    fb_run_free(&run);
    run = FB_RUN(fb_fbinfo_main, NULL, "fbinfo", "--check", fb);
    FB_HOLDS(run.out, "0 errors");
    FB_TRUE(run.status == 0 || run.status == 1, "%d", run.status);
    FB_TRUE(!strstr(run.out, "bundles"), "%s", run.out);
    fb_run_free(&run);
    run = FB_RUN(fb_fb2osim_main, NULL, "fb2osim", "-q", fb, "-o", osim);
    FB_EQUAL_INT(run.status, 0);
    fb_run_free(&run);
    run = FB_RUN(fb_osim2fb_main, NULL, "osim2fb", "-q", osim, "-o", again);
    FB_EQUAL_INT(run.status, 0);
    fb_run_free(&run);
    json_t *a = json_load_file(fb, 0, NULL), *b = json_load_file(again, 0, NULL);
    json_t *one = json_object_get(a, "muscles"), *two = json_object_get(b, "muscles");
    int found = 0;
    for (size_t i = 0; i < json_array_size(one); i++) {
        json_t *p = json_object_get(json_array_get(one, i), "bundles");
        json_t *q = json_object_get(json_array_get(two, i), "bundles");
        FB_TRUE(p && q ? json_equal(p, q) : !p && !q, "muscle %zu's bundles are others", i);
        found += p != NULL;
    }
    FB_EQUAL_INT(found, 2); /* both heads' lines */
    json_decref(a);
    json_decref(b);

    /* made again from its own document: new bundles instead of the old, none twice */
    run = RUN("--no-arms", "--spec", SPEC, "--bundles", "12", "-q", "-m", "biceps*", "-o", again,
              fb);
    FB_EQUAL_INT(run.status, 0);
    fb_run_free(&run);
    b = json_load_file(again, JSON_REJECT_DUPLICATES, NULL);
    FB_TRUE(b != NULL, "a member stands twice");
    found = 0;
    for (size_t i = 0; i < json_array_size(json_object_get(b, "muscles")); i++) {
        json_t *q = json_object_get(json_array_get(json_object_get(b, "muscles"), i), "bundles");
        size_t n = json_array_size(json_object_get(q, "cells"));
        FB_TRUE(n == 0 || n == 12, "%zu bundles", n);
        found += n == 12;
    }
    FB_EQUAL_INT(found, 1);
    json_decref(b);
}

/* ---- deformations ---------------------------------------------------------------------------- */

/* The first and last rings of all bundles in the mean: place of the end from the beginning, and the
 * angles between the normals and between the widths, in degrees. */
static void ends_of(const fb_body *body, double *away, double *bend, double *turn) {
    double c[2][3] = {{0}}, z[2][3] = {{0}}, x[2][3] = {{0}};
    for (size_t i = 0; i < body->n_bundles; i++) {
        for (int k = 0; k < 2; k++) {
            const fb_bundle *b = body->bundles + i;
            const fb_ring *ring = body->rings + b->first + (k ? b->rings - 1 : 0);
            double n[3] = {ring->u[1] * ring->w[2] - ring->u[2] * ring->w[1],
                           ring->u[2] * ring->w[0] - ring->u[0] * ring->w[2],
                           ring->u[0] * ring->w[1] - ring->u[1] * ring->w[0]};
            for (int m = 0; m < 3; m++) {
                c[k][m] += ring->c[m] / (double)body->n_bundles;
                z[k][m] += n[m];
                x[k][m] += ring->u[m];
            }
        }
    }
    double zz = 0, xx = 0, d = 0, zl[2] = {0, 0}, xl[2] = {0, 0};
    for (int m = 0; m < 3; m++) {
        d += (c[1][m] - c[0][m]) * (c[1][m] - c[0][m]);
        zz += z[0][m] * z[1][m];
        xx += x[0][m] * x[1][m];
        for (int k = 0; k < 2; k++) {
            zl[k] += z[k][m] * z[k][m];
            xl[k] += x[k][m] * x[k][m];
        }
    }
    *away = sqrt(d);
    *bend = acos(fb_lesser(zz / sqrt(zl[0] * zl[1]), 1)) * 180 / 3.14159265358979;
    *turn = acos(fb_lesser(xx / sqrt(xl[0] * xl[1]), 1)) * 180 / 3.14159265358979;
}

static void straight_muscles_are_deformed(void) {
    table t;
    double away, bend, turn;
#define FCR "flexor_carpi_radialis"
    bodies rest = one(&t, FCR, MORE("--straight"));
    double volume = value_of(&t, 1, "volume_m3"), belly = value_of(&t, 1, "belly_length_m");
    double tendons = value_of(&t, 1, "tendon_lower_m") + value_of(&t, 1, "tendon_upper_m");
    ends_of(rest.list, &away, &bend, &turn);
    FB_NEAR(away, belly + tendons, 0, 1e-3);
    FB_NEAR(bend, 0, 0.1, 0);
    FB_NEAR(turn, 0, 0.1, 0);
    one_free(&t, &rest);

    static const char *const stretches[] = {"0.7", "1.4"};
    for (int i = 0; i < 2; i++) {
        bodies b = one(&t, FCR, MORE("--straight", "--stretch", stretches[i]));
        ends_of(b.list, &away, &bend, &turn);
        FB_NEAR(away, strtod(stretches[i], NULL) * belly + tendons, 0, 1e-3);
        FB_NEAR(value_of(&t, 1, "volume_m3"), volume, 0, 1e-12);
        one_free(&t, &b);
    }
    static const char *const bends[] = {"--bend-x", "--bend-y"};
    for (int i = 0; i < 2; i++) {
        bodies b = one(&t, FCR, MORE("--straight", bends[i], "90"));
        ends_of(b.list, &away, &bend, &turn);
        FB_NEAR(bend, 90, 2, 0);
        FB_NEAR(away, (belly + tendons) * 2 * sqrt(2) / 3.14159265, 0,
                0.01); /* a quarter's chord */
        FB_TRUE(value_of(&t, 1, "volume_error") < 1e-3, "%g", value_of(&t, 1, "volume_error"));
        one_free(&t, &b);
    }
    bodies twisted = one(&t, FCR, MORE("--straight", "--twist", "90"));
    ends_of(twisted.list, &away, &bend, &turn);
    FB_NEAR(turn, 90, 2, 0);
    FB_NEAR(bend, 0, 1, 0);
    one_free(&t, &twisted);

    static const char *const strengths[] = {"0", "0.5", "1"};
    for (int i = 0; i < 3; i++) { /* round bundles are as high as wide */
        bodies b = one(&t, "brachioradialis", MORE("--straight", "--strength", strengths[i]));
        FB_NEAR(value_of(&t, 1, "ratio"), 0.5 + 0.25 * i, 0, 1e-9);
        FB_NEAR(value_of(&t, 1, "height_m") / value_of(&t, 1, "width_m"), 0.5 + 0.25 * i, 0, 0.25);
        one_free(&t, &b);
    }
}

/* With free ends bundles keep their lengths when the joint bends; with flush ends they do not. */
static void free_ends_keep_lengths(void) {
    table t;
    double length[3][2];
    for (int i = 0; i < 3; i++) {
        bodies b = one(&t, FCR,
                       MORE("--straight", "--bend-x", i ? "60" : "0", "--ends",
                            i == 2 ? "flush" : "free"));
        length[i][0] = value_of(&t, 1, "least_length_m");
        length[i][1] = value_of(&t, 1, "greatest_length_m");
        one_free(&t, &b);
    }
    FB_NEAR(length[1][0], length[0][0], 0, 1e-6);
    FB_NEAR(length[1][1], length[0][1], 0, 1e-6);
    FB_TRUE(length[2][1] - length[2][0] > 2 * (length[0][1] - length[0][0]),
            "flush: from %g to %g; free: %g to %g", length[2][0], length[2][1], length[0][0],
            length[0][1]);
}

/* ---- the patent's rule ----------------------------------------------------------------------- */

static void the_patent_sinks_more(void) {
    table t;
    static const char *const muscles[] = {"brachialis", "flexor_carpi_radialis", "palmaris_longus"};
    for (int i = 0; i < 3; i++) {
        bodies b = one(&t, muscles[i], MORE("--straight", "--bundles", "300"));
        double ours = value_of(&t, 1, "penetration");
        one_free(&t, &b);
        b = one(&t, muscles[i], MORE("--rule", "patent", "--bundles", "300"));
        double patents = value_of(&t, 1, "penetration");
        FB_TRUE(ours <= 0.01 && patents > 0.01 && patents > 5 * ours, "%s: %g, the patent's %g",
                muscles[i], ours, patents);
        one_free(&t, &b);
    }
}

/* ---- meshes ---------------------------------------------------------------------------------- */

static int by_edge(const void *p, const void *q) {
    const long *a = p, *b = q;
    return a[0] != b[0] ? (a[0] > b[0]) - (a[0] < b[0]) : (a[1] > b[1]) - (a[1] < b[1]);
}

/* Directed edges without their opposite, or that stand twice. */
static long open_edges(const fb_mesh_file *mesh) {
    size_t n = 3 * mesh->n_faces;
    long(*edges)[2] = malloc((n + 1) * sizeof *edges), open = 0;
    for (size_t i = 0; i < mesh->n_faces; i++) {
        for (int k = 0; k < 3; k++) {
            edges[3 * i + (size_t)k][0] = mesh->faces[i][k];
            edges[3 * i + (size_t)k][1] = mesh->faces[i][(k + 1) % 3];
        }
    }
    qsort(edges, n, sizeof *edges, by_edge);
    for (size_t i = 0; i < n; i++) {
        long back[2] = {edges[i][1], edges[i][0]};
        open += (i > 0 && by_edge(edges[i - 1], edges[i]) == 0) ||
                !bsearch(back, edges, n, sizeof *edges, by_edge);
    }
    free(edges);
    return open;
}

static double mesh_volume(const fb_mesh_file *mesh) {
    double sum = 0;
    for (size_t i = 0; i < mesh->n_faces; i++) {
        const double *a = mesh->vertices[mesh->faces[i][0]], *b = mesh->vertices[mesh->faces[i][1]];
        const double *c = mesh->vertices[mesh->faces[i][2]];
        sum += a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
               a[2] * (b[0] * c[1] - b[1] * c[0]);
    }
    return sum / 6;
}

/* Of bundles and of the muscle around them: closed, and of their volume. */
static void meshes_are_closed(void) {
    static const char *const whats[] = {"bundles", "muscles"};
    for (int i = 0; i < 2; i++) {
        table t;
        const char *file = file_of("m.obj");
        bodies b = one(&t, "palmaris_longus", MORE("--mesh", file, "--mesh-of", whats[i]));
        size_t size = 0;
        char *bytes = fb_test_read_file(file, &size);
        fb_mesh_file mesh;
        fb_diag diag;
        fb_diag_init(&diag);
        memset(&mesh, 0, sizeof mesh);
        if (FB_TRUE(bytes && fb_mesh_read(&mesh, bytes, size, file, &diag) == FB_OK, "%s: %s",
                    whats[i], diag.n ? diag.records[0].message : "no file")) {
            FB_EQUAL_INT(open_edges(&mesh), 0);
            double part = mesh_volume(&mesh) / volume_of(b.list);
            FB_TRUE(i == 0 ? fabs(part - 1) < 1e-3 : part > 1 && part < 1.4,
                    "%s: the mesh has %g of the rings' volume", whats[i], part);
            fb_mesh_free(&mesh);
        }
        fb_diag_clear(&diag);
        one_free(&t, &b);
    }
    static const char *const others[] = {"m.ply", "m.stl"};
    for (int i = 0; i < 2; i++) {
        table t;
        size_t size = 0;
        bodies b = one(&t, "palmaris_longus", MORE("--mesh", file_of(others[i])));
        char *bytes = fb_test_read_file(file_of(others[i]), &size);
        FB_TRUE(bytes && size > 1000, "%s has %zu bytes", others[i], size);
        fb_free(bytes);
        one_free(&t, &b);
    }
}

/* ---- what is refused ------------------------------------------------------------------------- */

/* Runs it with more arguments; it must end so, say that, and write nothing. */
static void refuses(int status, const char *part, const char *const *more) {
    const char *args[40] = {"fbgen", "-q", "--no-arms", FEW, "-o", file_of("refused.fb")};
    int n = 0;
    while (args[n]) {
        n++;
    }
    for (int k = 0; more[k]; k++) {
        args[n++] = more[k];
    }
    fb_run run = fb_test_run(fb_fbgen_main, NULL, args);
    FB_TRUE(run.status == status, "%s: status %d, want %d: %s", more[0], run.status, status,
            run.err);
    FB_HOLDS(run.err, part);
    FB_EQUAL_STR(run.out, "");
    FB_TRUE(access(file_of("refused.fb"), F_OK) != 0, "%s: a document is written", more[0]);
    fb_run_free(&run);
}

static void wrong_options_are_refused(void) {
    static const struct {
        const char *args[4], *part;
    } wrong[] = {
        {{"--bundles", "1"}, "--bundles"},
        {{"--bundles", "2000000"}, "--bundles"},
        {{"--bundles", "many"}, "--bundles"},
        {{"--bundles", "1000000"}, "million rings"},
        {{"--layers-per-bundle", "1"}, "--layers-per-bundle"},
        {{"--layers-per-bundle", "8,"}, "--layers-per-bundle"},
        {{"--layers-per-bundle", "8,16"}, "--rule patent"},
        {{"--strength", "1.5"}, "--strength"},
        {{"--stretch", "1.2"}, "--straight"},
        {{"--bend-x", "30"}, "--straight"},
        {{"--straight", "--stretch", "9"}, "--stretch"},
        {{"--straight", "--bend-y", "270"}, "--bend-y"},
        {{"--twist", "nan"}, "--twist"},
        {{"--ratio", "0"}, "--ratio"},
        {{"--cut", "1"}, "--cut"},
        {{"--specific-tension", "0"}, "--specific-tension"},
        {{"--rule", "fist"}, "'touch' or 'patent'"},
        {{"--ends", "loose"}, "'flush' or 'free'"},
        {{"--packing", "tight"}, "'bundles' or 'envelope'"},
        {{"--jobs", "0"}, "--jobs"},
        {{"--set", "no_such_coordinate=1"}, "no_such_coordinate"},
        {{"--muscle", "nosuch*"}, "no muscle is called 'nosuch*'"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const char *args[6] = {wrong[i].args[0], wrong[i].args[1], ARM};
        if (wrong[i].args[2]) {
            args[2] = wrong[i].args[2];
            args[3] = ARM;
        }
        refuses(FB_EXIT_USAGE, wrong[i].part, args);
    }
}

static void unreadable_specs_are_refused(void) {
    static const struct {
        const char *text, *part;
    } specs[] = {
        {"{'muscles': [\n {'name': 'a',\n  'volume': -1}]}", "spec.json:3: error: "},
        {"{'muscles': [\n {'name': 'a' 'b'", "spec.json:2: error: "},
        {"{'muscles': [\n {'name': 'a',\n 'lines': ['none']}]}", "spec.json:2: error: "},
        {"{'muscles': [\n\n\n {'name': 'a', 'colour': 1}]}", "spec.json:4: error: "},
    };
    const char *file = file_of("spec.json");
    for (int i = 0; i < 4; i++) {
        char text[200];
        snprintf(text, sizeof text, "%s", specs[i].text);
        fb_test_quotes(text);
        fb_test_write_file(file, text, strlen(text));
        refuses(FB_EXIT_INPUT, specs[i].part, MORE("--spec", file, ARM));
    }
    refuses(FB_EXIT_INPUT, "nowhere.json", MORE("--spec", file_of("nowhere.json"), ARM));
    fb_test_write_file(file, "name\tvolume\na\tlots\n", 19);
    refuses(FB_EXIT_INPUT, "spec.json:2: error: ", MORE("--measured", file, ARM));
}

/* A file that cannot be written, or not of that kind: the status says so, nothing else is left. */
static void outputs_are_whole_or_absent(void) {
    refuses(FB_EXIT_OUTPUT, "cannot be written",
            MORE("-m", "brachialis", "--spec", SPEC, "--layers", "/nonexistent/x.jsonl", ARM));
    refuses(FB_EXIT_OUTPUT, "cannot be written",
            MORE("-m", "brachialis", "--spec", SPEC, "--table", "/nonexistent/x.tsv", ARM));
    refuses(FB_EXIT_OUTPUT, "cannot be written",
            MORE("-m", "brachialis", "--spec", SPEC, "--mesh", "/nonexistent/x.obj", ARM));
    refuses(FB_EXIT_USAGE, ".obj, .ply or .stl",
            MORE("-m", "brachialis", "--spec", SPEC, "--mesh", file_of("x.foo"), ARM));
    FB_TRUE(access(file_of("x.foo"), F_OK) != 0, "x.foo is written");
    refuses(FB_EXIT_USAGE, "--mesh-of",
            MORE("-m", "brachialis", "--mesh", file_of("y.obj"), "--mesh-of", "bones", ARM));
    FB_TRUE(access(file_of("y.obj"), F_OK) != 0, "y.obj is written");
}

/* A muscle (or none) between ground and a body that slides along x; paths are 0.3 m at rest. */
static char *slide(const char *muscles) {
    char *text = malloc(4000);
    snprintf(text, 4000,
             "{'fb': '1.0', 'name': 'slide', 'bodies': [{'name': 'b', 'mass': 1}], 'joints': "
             "[{'name': 'j', 'type': 'slider', 'parent': 'ground', 'child': 'b', 'coordinates': "
             "[{'name': 's', 'default_value': 0.3}]}], 'muscles': [%s]}",
             muscles);
    return fb_test_quotes(text);
}

static void models_without_what_it_takes(void) {
    static const struct {
        const char *muscle, *part;
        int status;
    } models[] = {
        {"", "no muscles", FB_EXIT_NO},
        {"{'name': 'm', 'type': 'Thelen2003', 'max_isometric_force': 0, 'optimal_fiber_length': "
         "0.1, 'tendon_slack_length': 0.1, 'path': {'points': [{'name': 'p', 'frame': 'ground'}, "
         "{'name': 'q', 'frame': 'b'}]}}",
         "m has no bundles: ", FB_EXIT_NO}, /* no force, no volume */
        {"{'name': 'm', 'type': 'Thelen2003', 'max_isometric_force': 500, 'optimal_fiber_length': "
         "0.1, 'tendon_slack_length': 0.1, 'path': {'points': [{'name': 'p', 'frame': 'ground'}, "
         "{'name': 'q', 'frame': 'ground'}]}}",
         "m has no bundles: its path has no length", FB_EXIT_NO},
    };
    for (int i = 0; i < 3; i++) {
        char *text = slide(models[i].muscle);
        fb_run run = FB_RUN(fb_fbgen_main, text, "fbgen", "-q", FEW, "-");
        FB_TRUE(run.status == models[i].status, "model %d: status %d: %s", i, run.status, run.err);
        FB_HOLDS(run.err, models[i].part);
        FB_EQUAL_STR(run.out, "");
        fb_run_free(&run);
        free(text);
    }
    char *text = slide("{'name': 'm', 'type': 'Thelen2003', 'max_isometric_force': 500, "
                       "'optimal_fiber_length': 0.1, 'tendon_slack_length': 0.1, 'path': {'points':"
                       " [{'name': 'p', 'frame': 'ground'}, {'name': 'q', 'frame': 'b'}]}}");
    fb_run run = FB_RUN(fb_fbgen_main, text, "fbgen", "-q", FEW, "--set", "s=0.3", "-");
    FB_TRUE(run.status == 0, "status %d: %s", run.status, run.err);
    FB_HOLDS(run.out, "\"bundles\"");
    fb_run_free(&run);
    free(text);
}

/* As few bundles as there can be, and many. */
static void few_and_many_bundles(void) {
    static const char *const numbers[] = {"4", "3000"};
    for (int i = 0; i < (fb_test_is_fast() ? 2 : 1); i++) {
        table t;
        bodies b = one(&t, "palmaris_longus",
                       MORE("--bundles", numbers[i], "--layers-per-bundle", "8"));
        FB_NEAR((double)b.list->n_bundles, strtod(numbers[i], NULL), 0, 0.01);
        FB_TRUE(value_of(&t, 1, "penetration") < 0.01, "%g", value_of(&t, 1, "penetration"));
        FB_TRUE(value_of(&t, 1, "volume_error") < 1e-3, "%g", value_of(&t, 1, "volume_error"));
        one_free(&t, &b);
    }
}

int main(int argc, char **argv) {
    static const fb_test tests[] = {FB_TEST(whole_arm),
                                    FB_TEST(document_goes_round),
                                    FB_TEST(straight_muscles_are_deformed),
                                    FB_TEST(free_ends_keep_lengths),
                                    FB_TEST(the_patent_sinks_more),
                                    FB_TEST(meshes_are_closed),
                                    FB_TEST(wrong_options_are_refused),
                                    FB_TEST(unreadable_specs_are_refused),
                                    FB_TEST(outputs_are_whole_or_absent),
                                    FB_TEST(models_without_what_it_takes),
                                    FB_TEST(few_and_many_bundles),
                                    FB_TEST_END};
    return fb_test_main("fbgen", tests, argc, argv);
}
