/* retarget on models/standard: what must not change, what must scale, files that it writes and
 * reads again, and what it refuses. */
#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/features.h"
#include "formats/mesh_read.h"
#include "libcore/base/number.h"
#include "libcore/base/spatial.h"
#include "tests/help.h"
#include "tools/cli.h"

/* For the leak checker: fontconfig, behind cairo, keeps what it read of the fonts. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) {
    return "leak:libfontconfig\n";
}

#define LEGS "models/standard/legs.osim"
#define POINTS "models/standard/features.json"
#define BONES "models/standard/Geometry"
/* a model without meshes: only points tell of the new skeleton */
#define BARE "models/elbow/elbow.osim"
#define RUN(...) FB_RUN(fb_retarget_main, NULL, "retarget", __VA_ARGS__)

/* ---- helpers --------------------------------------------------------------------------------- */

/* A path in the tests' own folder; the text stays. */
static const char *file_of(const char *name) {
    static char files[64][1200];
    static const char *folder;
    folder = folder ? folder : fb_test_folder();
    for (int i = 0; i < 64; i++) {
        if (!files[i][0]) {
            snprintf(files[i], sizeof files[i], "%s/%s", folder, name);
        }
        if (strcmp(files[i] + strlen(folder) + 1, name) == 0) {
            return files[i];
        }
    }
    abort(); /* the test itself is wrong */
}

/* A folder with copies of the standard's bones: "bone as name" in pairs, NULL at the end. */
static const char *skeleton_of(const char *name, ...) {
    const char *folder = file_of(name);
    mkdir(folder, 0777);
    va_list names;
    va_start(names, name);
    for (const char *from; (from = va_arg(names, const char *));) {
        char path[1400];
        size_t size = 0;
        snprintf(path, sizeof path, BONES "/%s.obj", from);
        char *bytes = fb_test_read_file(path, &size);
        snprintf(path, sizeof path, "%s/%s.obj", folder, va_arg(names, const char *));
        if (FB_TRUE(bytes != NULL, "there is no %s", from)) {
            fb_test_write_file(path, bytes, size);
        }
        fb_free(bytes);
    }
    va_end(names);
    return folder;
}

static json_t *json_of(const char *file) {
    json_error_t error;
    json_t *json = json_load_file(file, JSON_DECODE_ANY, &error);
    FB_TRUE(json != NULL, "%s: %s", file, error.text);
    return json;
}

/* The greatest difference of two documents' numbers, and how many there are. What only one has, or
 * texts that differ, fails the test; but steps, names of meshes and markers. */
typedef struct difference {
    double greatest;
    int numbers;
} difference;

static void compare(difference *d, json_t *a, json_t *b, const char *key) {
    if (json_is_number(a) && json_is_number(b)) {
        d->greatest = fb_greater(d->greatest, fabs(json_number_value(a) - json_number_value(b)));
        d->numbers++;
    } else if (json_is_object(a) && json_is_object(b)) {
        const char *name;
        json_t *item;
        FB_TRUE(json_object_size(a) == json_object_size(b), "'%s' has other members", key);
        json_object_foreach(a, name, item) {
            if (strcmp(name, "steps") != 0 && strcmp(name, "markers") != 0) {
                compare(d, item, json_object_get(b, name), name);
            }
        }
    } else if (json_is_array(a) && json_is_array(b)) {
        FB_TRUE(json_array_size(a) == json_array_size(b), "'%s' has another length", key);
        for (size_t i = 0; i < json_array_size(a); i++) {
            compare(d, json_array_get(a, i), json_array_get(b, i), key);
        }
    } else if (strcmp(key, "mesh") != 0) {
        FB_TRUE(json_equal(a, b), "'%s' differs", key);
    }
}

static difference compare_files(const char *a, const char *b) {
    difference d = {0, 0};
    json_t *one = json_of(a), *other = json_of(b);
    compare(&d, one, other, "the document");
    json_decref(one);
    json_decref(other);
    return d;
}

/* Everything but the steps and markers is the same to the last bit. */
static void check_same(const char *a, const char *b) {
    difference d = compare_files(a, b);
    FB_TRUE(d.greatest == 0 && d.numbers > 1000, "%s and %s differ by %g", a, b, d.greatest);
}

static bool exists(const char *file) {
    return access(file, F_OK) == 0;
}

/* A run that fails: its status, a part of its message, and no output. */
static void refused(fb_run run, int status, const char *part, const char *output) {
    FB_EQUAL_INT(run.status, status);
    FB_HOLDS(run.err, part);
    FB_TRUE(!output || !exists(output), "%s was written", output ? output : "");
    FB_EQUAL_INT(run.n_out, 0);
    fb_run_free(&run);
}

static void done(fb_run run) {
    FB_TRUE(run.status == 0, "status %d: %s", run.status, run.err);
    fb_run_free(&run);
}

/* The standard's feature points as pairs with the same points times `scale`; of one body only
 * unless it is NULL, and not more than `most` of each. */
static const char *pairs_of(const char *name, double scale, const char *body, int most) {
    const char *file = file_of(name);
    json_t *points = json_of(POINTS), *point;
    FILE *out = fopen(file, "w");
    size_t i;
    int n = 0;
    fprintf(out, "name,body,x,y,z,target_x,target_y,target_z\n");
    json_array_foreach(json_object_get(points, "features"), i, point) {
        const char *of = json_string_value(json_object_get(point, "body"));
        if (body && (strcmp(of, body) != 0 || n++ >= most)) {
            continue;
        }
        fprintf(out, "%s,%s", json_string_value(json_object_get(point, "name")), of);
        for (int k = 0; k < 6; k++) {
            double x = json_number_value(
                json_array_get(json_object_get(point, "location"), (size_t)k % 3));
            fprintf(out, ",%.17g", k < 3 ? x : scale * x);
        }
        fprintf(out, "\n");
    }
    fclose(out);
    json_decref(points);
    return file;
}

static const json_t *find(const json_t *list, const char *name) {
    size_t i;
    const json_t *item;
    json_array_foreach(list, i, item) {
        const char *own = json_string_value(json_object_get(item, "name"));
        if (own && strcmp(own, name) == 0) {
            return item;
        }
    }
    FB_TRUE(false, "there is no %s", name);
    return NULL;
}

static double number_of(const json_t *item, const char *key) {
    return json_number_value(json_object_get(item, key));
}

/* ---- what it does ---------------------------------------------------------------------------- */

static void identity(void) {
    const char *out = file_of("identity.fb"), *before = file_of("legs.fb");
    done(FB_RUN(fb_osim2fb_main, NULL, "osim2fb", "-q", LEGS, "-o", before));
    done(RUN("-q", "--skeleton", LEGS, "--auto", LEGS, "-o", out));
    difference d = compare_files(before, out);
    FB_TRUE(d.greatest <= 1e-12 && d.numbers > 2000, "%d numbers, of which one differs by %g",
            d.numbers, d.greatest);
}

/* Points of all bodies but two, which have too few, times 1.1: all lengths times 1.1. */
static void uniform_scale(void) {
    const char *out = file_of("scaled.fb"), *before = file_of("plain.fb");
    done(FB_RUN(fb_osim2fb_main, NULL, "osim2fb", "-q", LEGS, "-o", before));
    done(RUN("-q", "--skeleton", BARE, "--pairs", pairs_of("scaled.csv", 1.1, NULL, 0), LEGS, "-o",
             out));
    json_t *old = json_of(before), *new = json_of(out);
    const json_t *item;
    size_t i;
    int n = 0;
    json_array_foreach(json_object_get(old, "muscles"), i, item) {
        const json_t *twin = json_array_get(json_object_get(new, "muscles"), i);
        FB_NEAR(number_of(twin, "optimal_fiber_length"),
                1.1 * number_of(item, "optimal_fiber_length"), 0, 1e-6);
        FB_NEAR(number_of(twin, "tendon_slack_length"),
                1.1 * number_of(item, "tendon_slack_length"), 0, 1e-6);
        FB_SAME(number_of(twin, "max_isometric_force"), number_of(item, "max_isometric_force"));
        n++;
    }
    FB_EQUAL_INT(n, 86);
    item = find(json_object_get(old, "bodies"), "femur_r");
    FB_NEAR(number_of(find(json_object_get(new, "bodies"), "femur_r"), "mass"),
            1.331 * number_of(item, "mass"), 0, 1e-8);
    json_array_foreach(json_object_get(old, "frames"), i, item) {
        const json_t *twin = json_array_get(json_object_get(new, "frames"), i);
        for (size_t k = 0; k < 3; k++) {
            FB_NEAR(json_number_value(json_array_get(json_object_get(twin, "translation"), k)),
                    1.1 *
                        json_number_value(json_array_get(json_object_get(item, "translation"), k)),
                    1e-9, 0);
        }
    }
    json_decref(old);
    json_decref(new);
}

static void files_again(void) {
    const char *pairs = pairs_of("again.csv", 1.07, NULL, 0), *first = file_of("first.fb"),
               *params = file_of("params.json"), *points = file_of("points.json"),
               *points2 = file_of("points2.json"), *second = file_of("second.fb"),
               *third = file_of("third.fb");
    size_t n = 0, m = 0;
    done(RUN("-q", "--skeleton", BARE, "--pairs", pairs, "--params-out", params, "--features-out",
             points, LEGS, "-o", first));
    done(RUN("-q", "--skeleton", BARE, "--params-in", params, LEGS, "-o", second));
    check_same(first, second);
    done(RUN("-q", "--skeleton", BARE, "--pairs", points, "--features-out", points2, LEGS, "-o",
             third));
    check_same(first, third);
    char *a = fb_test_read_file(points, &n), *b = fb_test_read_file(points2, &m);
    FB_TRUE(a && b && n == m && memcmp(a, b, n) == 0, "pairs are read as they were written");
    fb_test_store_as("pairs", a, n);
    fb_free(a);
    fb_free(b);
    a = fb_test_read_file(params, &n);
    fb_test_store_as("transforms", a, n);
    fb_free(a);
}

static void meshes_and_reports(void) {
    const char *scan = skeleton_of("scan", "femur_r", "femur_r", "tibia_r", "tibia_r", "fibula_r",
                                   "fibula_r", NULL);
    const char *out = file_of("meshes.fb"), *folder = file_of("made"), *report = file_of("r.json"),
               *page = file_of("r.html"), *picture = file_of("p.png");
    done(RUN("-q", "--skeleton", scan, "--auto", "--meshes-out", folder, "--report", report,
             "--preview", picture, LEGS, "-o", out));
    char path[1400];
    snprintf(path, sizeof path, "%s/femur_r.stl", folder);
    size_t size = 0;
    char *bytes = fb_test_read_file(path, &size);
    fb_mesh_file mesh = {0};
    fb_diag diag;
    fb_diag_init(&diag);
    FB_TRUE(bytes && fb_mesh_read(&mesh, bytes, size, path, &diag) == FB_OK && mesh.n_faces > 2000,
            "%s is a mesh", path);
    fb_mesh_free(&mesh);
    fb_diag_clear(&diag);
    FB_EQUAL_INT(fb_test_count_files(folder), 2); /* lumbar and others have none */
    json_t *model = json_of(out);
    const json_t *femur = find(json_object_get(model, "bodies"), "femur_r");
    FB_EQUAL_STR(json_string_value(
                     json_object_get(json_array_get(json_object_get(femur, "geometry"), 0),
                                     "mesh")),
                 "made/femur_r.stl");
    json_decref(model);
    fb_run check = FB_RUN(fb_fbinfo_main, NULL, "fbinfo", "--check", out);
    FB_TRUE(!strstr(check.out, "FB2304") && !strstr(check.err, "FB2304"),
            "a mesh is not found from the new model: %s", check.out);
    fb_run_free(&check);
    json_t *json = json_of(report);
    const json_t *body = find(json_object_get(json, "bodies"), "femur_r");
    FB_EQUAL_STR(json_string_value(json_object_get(body, "bone")), "femur_r");
    FB_TRUE(number_of(json, "greatest_residual") < 1e-6, "the same bones meet");
    FB_TRUE(json_is_object(json_object_get(json, "ledger")), "the report has a ledger");
    FB_TRUE(json_array_size(json_object_get(json, "muscles")) == 86, "and muscles");
    json_decref(json);
    bytes = fb_test_read_file(picture, &size);
    FB_TRUE(bytes && size > 20000 && memcmp(bytes, "\x89PNG", 4) == 0, "the picture is a PNG");
    fb_free(bytes);
    done(RUN("-q", "--skeleton", scan, "--auto", "--report", page, LEGS, "-o", out));
    bytes = fb_test_read_file(page, &size);
    if (FB_TRUE(bytes != NULL, "there is a page")) {
        FB_HOLDS(bytes, "<!doctype html>");
        FB_HOLDS(bytes, "data:image/png;base64,iVBOR");
        FB_HOLDS(bytes, "</html>");
        FB_TRUE(!strstr(bytes, "http://") && !strstr(bytes, "https://") && !strstr(bytes, "src=/"),
                "the page loads nothing");
    }
    fb_free(bytes);
}

/* The left bones, mirrored, are the right ones. */
static void mirrored_scan(void) {
    const char *scan = skeleton_of("left", "femur_l", "femur_l", "tibia_l", "tibia_l", "fibula_l",
                                   "fibula_l", NULL);
    const char *out = file_of("mirrored.fb"), *report = file_of("mirrored.json");
    done(RUN("-q", "--skeleton", scan, "--mirror", "--auto", "--report", report, LEGS, "-o", out));
    json_t *json = json_of(report), *model = json_of(out);
    FB_TRUE(number_of(json, "greatest_residual") < 1e-4, "they meet to %g m",
            number_of(json, "greatest_residual"));
    const json_t *frames = json_object_get(model, "frames"), *mesh = NULL, *frame;
    size_t i;
    json_array_foreach(frames, i, frame) {
        const char *name = json_string_value(json_object_get(frame, "name"));
        mesh = name && strcmp(name, "femur_r_mesh") == 0
                   ? json_array_get(json_object_get(frame, "geometry"), 0)
                   : mesh;
    }
    FB_TRUE(json_number_value(json_array_get(json_object_get(mesh, "scale"), 0)) < 0,
            "the mesh is mirrored where it is shown");
    json_decref(json);
    json_decref(model);
    refused(RUN("--skeleton", LEGS, "--mirror", LEGS), 2, "--mirror is for a folder", NULL);
}

/* Points of one side: the other becomes its mirror image. */
static void missing_side(void) {
    const char *pairs = pairs_of("side.csv", 1.2, "femur_r", 100), *out = file_of("side.fb");
    done(RUN("-q", "--skeleton", BARE, "--pairs", pairs, "--mirror-missing", "_r=_l", LEGS, "-o",
             out));
    json_t *model = json_of(out);
    const json_t *muscles = json_object_get(model, "muscles"), *muscle;
    size_t i;
    int n = 0;
    json_array_foreach(muscles, i, muscle) {
        const char *name = json_string_value(json_object_get(muscle, "name"));
        char twin[64];
        size_t length = strlen(name);
        if (length > 60 || strcmp(name + length - 2, "_r") != 0) {
            continue;
        }
        snprintf(twin, sizeof twin, "%.*s_l", (int)length - 2, name);
        FB_SAME(number_of(find(muscles, twin), "optimal_fiber_length"),
                number_of(muscle, "optimal_fiber_length"));
        n++;
    }
    FB_EQUAL_INT(n, 43);
    const json_t *bodies = json_object_get(model, "bodies");
    FB_SAME(number_of(find(bodies, "femur_l"), "mass"), number_of(find(bodies, "femur_r"), "mass"));
    json_decref(model);
    refused(RUN("--skeleton", BARE, "--pairs", pairs, "--mirror-missing", "r", LEGS), 2,
            "--mirror-missing is like _r=_l", NULL);
}

static void choice_of_standards(void) {
    const char *big = file_of("big.fb");
    char list[3000];
    done(RUN("-q", "--skeleton", BARE, "--pairs", pairs_of("big.csv", 1.3, NULL, 0), LEGS, "-o",
             big));
    fb_run run;
    snprintf(list, sizeof list, "%s,%s", LEGS, big);
    run = RUN("--standard", list, "--skeleton", skeleton_of("one", "femur_r", "femur_r", NULL),
              "--auto", "-o", file_of("chosen.fb"));
    FB_EQUAL_INT(run.status, 0);
    FB_HOLDS(run.err, LEGS);
    fb_run_free(&run);
    refused(RUN("--standard", list, LEGS, "--skeleton", BARE), 2, "is one more", NULL);
}

static void pipes(void) {
    fb_run first = FB_RUN(fb_osim2fb_main, NULL, "osim2fb", "-q", LEGS);
    fb_run second = FB_RUN(fb_retarget_main, first.out, "retarget", "-q", "--skeleton", BARE,
                           "--pairs", pairs_of("pipe.csv", 0.9, NULL, 0));
    FB_TRUE(second.status == 0, "%s", second.err);
    fb_run third = FB_RUN(fb_fb2osim_main, second.out, "fb2osim", "-q");
    FB_TRUE(third.status == 0, "%s", third.err);
    FB_HOLDS(third.out, "<OpenSimDocument");
    FB_HOLDS(third.out, "retarget"); /* the step */
    fb_run_free(&first);
    fb_run_free(&second);
    fb_run_free(&third);
}

/* A standard from a pipe has no folder: that its meshes are not found is told, and -g finds them.
 */
static void meshes_of_a_pipe(void) {
    const char *scan = skeleton_of("piped", "femur_r", "femur_r", NULL);
    fb_run model = FB_RUN(fb_osim2fb_main, NULL, "osim2fb", "-q", LEGS);
    fb_run run = FB_RUN(fb_retarget_main, model.out, "retarget", "--skeleton", scan, "--auto");
    FB_EQUAL_INT(run.status, 3);
    FB_HOLDS(run.err, "of its meshes are not found: -g DIR");
    fb_run_free(&run);
    run = FB_RUN(fb_retarget_main, model.out, "retarget", "-q", "--skeleton", scan, "--auto", "-g",
                 "models/standard/Geometry");
    FB_EQUAL_INT(run.status, 0);
    fb_run_free(&run);
    fb_run_free(&model);
}

/* ---- kinds, and what they refuse ------------------------------------------------------------- */

static void kinds(void) {
    static const char *const words[] = {"rigid", "similarity", "anisotropic", "affine"};
    const char *pairs = pairs_of("kinds.csv", 1.05, "femur_r", 100), *out = file_of("kind.fb");
    for (int i = 0; i < 4; i++) {
        const char *report = file_of("kind.json");
        done(RUN("-q", "--skeleton", BARE, "--pairs", pairs, "--transform", words[i], "--report",
                 report, LEGS, "-o", out));
        json_t *json = json_of(report);
        const json_t *body = find(json_object_get(json, "bodies"), "femur_r");
        FB_EQUAL_STR(json_string_value(json_object_get(body, "transform")), words[i]);
        double scale = json_number_value(json_array_get(json_object_get(body, "scale"), 1));
        FB_NEAR(scale, i ? 1.05 : 1, 1e-9, 0);
        FB_TRUE((number_of(body, "points_rms") < 1e-9) == (i > 0), "%s: %g m", words[i],
                number_of(body, "points_rms"));
        json_decref(json);
    }
    unlink(out);
    const char *few = pairs_of("few.csv", 1.05, "femur_r", 3);
    refused(RUN("--skeleton", BARE, "--pairs", few, "--transform", "affine", LEGS, "-o", out), 3,
            "use 'similarity', or add points", out);
    fb_run run = RUN("--skeleton", BARE, "--pairs", few, "--transform", "affine", "--fallback",
                     LEGS, "-o", out);
    FB_EQUAL_INT(run.status, 0);
    FB_HOLDS(run.err, "is taken instead of 'affine' (--fallback)");
    fb_run_free(&run);
    refused(RUN("--skeleton", BARE, "--pairs", few, "--transform", "best", LEGS), 2,
            "--transform is rigid, similarity", NULL);
}

static void greatest_residual(void) {
    const char *pairs = pairs_of("rigid.csv", 1.1, "femur_r", 100), *out = file_of("rigid.fb");
    fb_run run = RUN("--skeleton", BARE, "--pairs", pairs, "--transform", "rigid", "--max-residual",
                     "1", LEGS, "-o", out);
    FB_EQUAL_INT(run.status, 1);
    FB_HOLDS(run.err, "--max-residual 1");
    FB_TRUE(exists(out), "the model is written all the same");
    fb_run_free(&run);
    done(RUN("-q", "--skeleton", BARE, "--pairs", pairs, "--max-residual", "1", LEGS, "-o", out));
}

static void refusals(void) {
    const char *out = file_of("none.fb"), *empty = skeleton_of("empty", NULL);
    refused(RUN(LEGS, "-o", out), 2, "--skeleton says", out);
    refused(RUN("--skeleton", empty, "--auto", LEGS, "-o", out), 3, "holds no mesh", out);
    refused(RUN("--skeleton", BARE, "--auto", LEGS, "-o", out), 3,
            "no body of the model has a mesh", out);
    refused(RUN("--skeleton", file_of("nowhere"), LEGS, "-o", out), 3, "No such file", out);
    refused(RUN("--skeleton", BARE, "--pairs", file_of("nowhere.csv"), LEGS, "-o", out), 3,
            "nowhere.csv", out);
    const char *odd = file_of("odd.csv"), *text = "name,body,x,y,z,target_x,target_y,target_z\n"
                                                  "a,femurr,0,0,0,1,1,1\n";
    fb_test_write_file(odd, text, strlen(text));
    refused(RUN("--skeleton", BARE, "--pairs", odd, LEGS, "-o", out), 3, "is 'femur_r' meant?",
            out);
    const char *one = skeleton_of("metres", "femur_r", "femur_r", NULL);
    refused(RUN("--skeleton", one, "--unit", "mm", "--auto", LEGS, "-o", out), 3,
            "give its unit as m", out);
    refused(RUN("--skeleton", one, "--unit", "cm", LEGS, "-o", out), 2,
            "--unit is 'detect', 'm' or 'mm', not 'cm'", out);
    refused(RUN("--skeleton", one, "--norm", "l3", LEGS, "-o", out), 2, "'huber', not 'l3'", out);
    refused(RUN("--skeleton", one, "--preview", "a.jpg", LEGS, "-o", out), 2, "ends in .png", out);
    refused(RUN("--skeleton", skeleton_of("other", "tibia_r", "femur_r", NULL), "--auto", LEGS,
                "-o", out),
            3, "has the shape of a tibia", out);
    refused(RUN("--skeleton", skeleton_of("other_side", "femur_l", "femur_r", NULL), "--auto", LEGS,
                "-o", out),
            3, "fits mirrored", out);
    refused(RUN("--skeleton", skeleton_of("unclear", "patella_l", "thing", NULL), "--auto", LEGS,
                "-o", out),
            3, "say it in meshes.json", out);
    fb_run run = RUN("--skeleton", skeleton_of("shape", "femur_l", "thing", NULL), "--auto", LEGS,
                     "-o", out);
    FB_EQUAL_INT(run.status, 0);
    FB_HOLDS(run.err, "'thing.obj' is taken for 'femur_l'");
    fb_run_free(&run);
}

/* Bundles are not the new muscles'. */
static void stale_bundles(void) {
    const char *made = file_of("bundles.fb"), *out = file_of("unbundled.fb");
    done(FB_RUN(fb_fbgen_main, NULL, "fbgen", "-q", "--no-arms", "--spec", "models/arm/arm25.json",
                "--bundles", "40", "--layers-per-bundle", "12", "-m", "brachialis",
                "models/arm/arm25.osim", "-o", made));
    const char *points = file_of("arm.csv"),
               *text = "name,body,x,y,z,target_x,target_y,target_z\n"
                       "a,humerus,0,0,0,0,0,0\nb,humerus,0,-.3,0,0,-.33,0\n"
                       "c,humerus,.1,0,0,.11,0,0\nd,humerus,0,0,.1,0,0,.11\n";
    fb_test_write_file(points, text, strlen(text));
    fb_run run = RUN("-v", "--skeleton", BARE, "--pairs", points, made, "-o", out);
    FB_TRUE(run.status == 0, "%s", run.err);
    FB_HOLDS(run.err, "bundles of muscle");
    size_t n;
    char *bytes = fb_test_read_file(out, &n);
    FB_TRUE(bytes && !strstr(bytes, "\"bundles\""), "they are gone");
    fb_free(bytes);
    fb_run_free(&run);
}

static void memory(void) {
    const char *pairs = pairs_of("memory.csv", 1.1, "femur_r", 100), *out = file_of("memory.fb");
    int failed = 0;
    for (long n = 1; n < 2000000; n = n * 2 + 5) {
        fb_alloc_fail_at(n);
        fb_run run = RUN("-q", "--skeleton", BARE, "--pairs", pairs, LEGS, "-o", out);
        if (fb_alloc_fail_at(0) >= n) {
            FB_TRUE(run.status != 0, "allocation %ld fails, and all goes well", n);
            FB_TRUE(!exists(out), "there is output without memory");
            failed++;
        }
        fb_run_free(&run);
        unlink(out);
    }
    FB_TRUE(failed > 3, "%d failed", failed);
}

static void help(void) {
    fb_run run = RUN("--help");
    FB_EQUAL_INT(run.status, 0);
    FB_HOLDS(run.out, "--mirror-missing");
    fb_run_free(&run);
}

int main(int argc, char **argv) {
    const fb_test tests[] = {
        FB_TEST(identity),
        FB_TEST(uniform_scale),
        FB_TEST(files_again),
        FB_TEST(meshes_and_reports),
        FB_TEST(mirrored_scan),
        FB_TEST(missing_side),
        FB_TEST(choice_of_standards),
        FB_TEST(pipes),
        FB_TEST(meshes_of_a_pipe),
        FB_TEST(kinds),
        FB_TEST(greatest_residual),
        FB_TEST(refusals),
        FB_TEST(stale_bundles),
        FB_TEST(memory),
        FB_TEST(help),
        FB_TEST_END,
    };
    return fb_test_main("retarget", tests, argc, argv);
}
