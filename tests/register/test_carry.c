/* Models carried onto other skeletons: themselves, scaled ones, moved ones, mirrored ones. */
#include "libcore/register/carry.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/number.h"
#include "libcore/muscle/moment_arm.h"
#include "libcore/register/carry_internal.h"
#include "tests/help.h"

/* ---- a model and its twin ---------------------------------------------------------------------
 */

typedef struct twins {
    fb_model *standard, *model;
    fb_body_map *maps;
    int n;
    fb_carry_report report;
    fb_carry_options options;
    fb_diag diag;
} twins;

static char *read_text(const char *file) {
    size_t n;
    char *bytes = fb_test_read_file(file, &n);
    char *text = bytes ? malloc(n + 1) : NULL;
    if (text) {
        memcpy(text, bytes, n);
        text[n] = 0;
    }
    fb_free(bytes);
    return text;
}

static fb_model *model_of(const char *text) {
    fb_diag diag;
    fb_model *model = text[strspn(text, " \n\t\r")] == '{' ? fb_test_fb(text, &diag, NULL)
                                                           : fb_test_osim(text, &diag, NULL);
    fb_diag_clear(&diag);
    return model;
}

static bool twins_begin(twins *t, const char *text) {
    memset(t, 0, sizeof *t);
    fb_diag_init(&t->diag);
    t->standard = model_of(text);
    t->model = model_of(text);
    if (!t->standard || !t->model) {
        return false;
    }
    const fb_list *bodies = fb_model_items(t->model, "bodies");
    t->n = (int)bodies->n;
    t->maps = calloc(bodies->n + 1, sizeof *t->maps);
    for (int i = 0; i < t->n; i++) {
        t->maps[i].body = bodies->items[i];
        t->maps[i].given = true;
        fb_transform_identity(&t->maps[i].map);
        fb_pose_identity(&t->maps[i].frame);
    }
    t->options.mass = 0;
    return true;
}

static void twins_end(twins *t) {
    fb_carry_report_free(&t->report);
    fb_model_free(t->standard);
    fb_model_free(t->model);
    free(t->maps);
    fb_diag_clear(&t->diag);
}

static fb_status carry(twins *t) {
    return fb_carry(t->model, t->standard, t->maps, t->n, &t->options, &t->report, &t->diag);
}

/* The greatest relative difference of numbers of two elements of one class; *where: in which field.
 * Sizes under `tiny` count as it. */
static double differ(const fb_element *a, const fb_element *b, const char **where) {
    double most = a->cls == b->cls ? 0 : FB_INFINITY;
    for (int i = 0; a->cls == b->cls && i < a->cls->n_fields; i++) {
        const fb_value *x = &a->values[i], *y = &b->values[i];
        double here = x->present == y->present && x->n == y->n ? 0 : FB_INFINITY;
        for (int k = 0; here == 0 && x->present && k < x->n; k++) {
            const char *inner = NULL;
            double u = 0, v = 0, d = 0;
            switch (a->cls->fields[i].type) {
            case FB_NUMBER:
                u = x->as.number;
                v = y->as.number;
                break;
            case FB_VECTOR:
            case FB_NUMBERS:
                u = x->as.numbers[k];
                v = y->as.numbers[k];
                break;
            case FB_OBJECT: d = differ(x->as.object, y->as.object, &inner); break;
            case FB_OBJECTS: d = differ(x->as.objects[k], y->as.objects[k], &inner); break;
            default: continue;
            }
            if (u != v && !(isnan(u) && isnan(v))) {
                d = fabs(u - v) / fmax(fabs(u), fabs(v));
            }
            here = fmax(here, d);
        }
        if (here > most) {
            most = here;
            *where = a->cls->fields[i].key;
        }
    }
    return most;
}

static void same_numbers(const twins *t, double tolerance, const char *file) {
    for (int l = 0; l < FB_LIST_COUNT; l++) {
        const fb_list *a = &t->standard->lists[l], *b = &t->model->lists[l];
        if (!FB_TRUE(a->n == b->n, "%s: list %s has %zu, not %zu", file, fb_lists[l], b->n, a->n)) {
            continue;
        }
        for (size_t i = 0; i < a->n; i++) {
            const char *where = "";
            double d = differ(a->items[i], b->items[i], &where);
            FB_TRUE(d <= tolerance, "%s: %s %s by %g", file, a->items[i]->path, where, d);
        }
    }
}

/* ---- rules ------------------------------------------------------------------------------------
 */

static void every_field_has_a_rule(void) {
    int n = 0;
    for (int i = 0; fb_class_at(i); i++) {
        const fb_class *cls = fb_class_at(i);
        for (int f = 0; f < cls->n_fields; f++) {
            if (fb_carry_needs_rule(&cls->fields[f])) {
                n++;
                FB_TRUE(fb_carry_row_of(cls, &cls->fields[f]) != NULL, "%s.%s [%s]", cls->name,
                        cls->fields[f].key, cls->fields[f].unit ? cls->fields[f].unit : "");
            }
        }
    }
    FB_TRUE(n > 200, "%d fields looked at", n);
    fb_field unknown = {.key = "keel", .type = FB_NUMBER, .count = 1, .unit = "N*m/rad"};
    FB_TRUE(fb_carry_needs_rule(&unknown), "units with a length need a rule");
    FB_TRUE(fb_carry_row_of(fb_class_at(0), &unknown) == NULL, "there is none");
}

/* ---- corpora ----------------------------------------------------------------------------------
 */

static const char *file_at(int i) {
    static const char *const patterns[] = {"models/*/*.osim", "models/*/*.fb",
                                           "../shared/corpus/osim/*.osim"};
    const char *corpus = getenv("CORPUS");
    int n = corpus && *corpus ? 3 : 2;
    for (int p = 0; p < n; p++) {
        const char *file;
        int k = 0;
        while ((file = fb_test_glob(patterns[p], k)) != NULL) {
            if (i-- == 0) {
                return file;
            }
            k++;
        }
    }
    return NULL;
}

/* A rigid motion at random. */
static void random_pose(unsigned long long *seed, fb_pose *pose) {
    double angles[3];
    for (int k = 0; k < 3; k++) {
        angles[k] = fb_random_between(seed, -3, 3);
        pose->p[k] = fb_random_between(seed, -1, 1);
    }
    fb_m3_from_xyz(pose->R, angles);
}

/* The map s R p + t with mirrored z first if asked, and the frame that goes with it. */
static void similar_map(fb_body_map *body, double s, bool mirrored, const fb_pose *pose) {
    body->frame = *pose;
    fb_carry_scaling(&body->map, s, mirrored);
    fb_transform local = body->map;
    fb_transform_after(&body->map, &local, pose->R, pose->p, NULL);
}

static void to_itself_changes_nothing(void) {
    unsigned long long seed = fb_test_seed();
    int n = 0;
    const char *file;
    for (int i = 0; (file = file_at(i)) != NULL; i++) {
        char *text = read_text(file);
        for (int how = 0; how < 3; how++) {
            twins t;
            if (twins_begin(&t, text)) {
                for (int b = 0; b < t.n; b++) {
                    fb_pose pose;
                    random_pose(&seed, &pose);
                    t.maps[b].identity = how == 1;
                    if (how == 2) {
                        similar_map(&t.maps[b], 1, false, &pose);
                    }
                }
                FB_EQUAL_INT(carry(&t), FB_OK);
                FB_TRUE(t.diag.n == 0, "%s: %s", file, t.diag.n ? t.diag.records[0].message : "");
                same_numbers(&t, 1e-12, file);
                n++;
            }
            twins_end(&t);
        }
        free(text);
    }
    FB_TRUE(n > 60, "%d models", n);
}

/* ---- lengths and moment arms ------------------------------------------------------------------
 */

/* A path that touches ground does not go with the bones. */
static bool on_ground(const fb_paths *paths, int i) {
    const fb_path *path = &paths->paths[i];
    for (int k = 0; k < path->n_points; k++) {
        if (path->points[k].body == 0) {
            return true;
        }
    }
    for (int k = 0; k < path->n_wraps; k++) {
        if (paths->wraps[path->wraps[k].wrap].body == 0) {
            return true;
        }
    }
    return path->lacking || path->linked;
}

/* True if a joint with ground as its parent lets the bodies of one path move against each other:
 * then the ground is a bone. */
static bool across_ground(const fb_system *system, const fb_path *path) {
    int root = -1;
    for (int k = 0; k < path->n_points; k++) {
        int body = path->points[k].body;
        while (body > 0 && system->branches[body].parent > 0) {
            body = system->branches[body].parent;
        }
        if (root >= 0 && body != root) {
            return true;
        }
        root = body;
    }
    return false;
}

/* True if a coordinate of a path is one of a joint that cannot be mirrored. */
static bool turns_the_other_way(const fb_system *system, const fb_path *path) {
    for (int k = 0; k < path->n_coordinates; k++) {
        fb_joint_kind kind = system->mobods[system->coordinates[path->coordinates[k]].mobod].kind;
        if (kind != FB_JOINT_AXES && kind != FB_JOINT_BALL && kind != FB_JOINT_FREE) {
            return true;
        }
    }
    return false;
}

/* True if a path's course is found by steps that end at a tolerance. */
static bool rounded(const fb_paths *paths, const fb_path *path) {
    for (int k = 0; k < path->n_wraps; k++) {
        if (path->n_wraps > 1) {
            return true;
        }
        fb_wrap_kind kind = paths->wraps[path->wraps[k].wrap].kind;
        if (kind == FB_WRAP_ELLIPSOID || kind == FB_WRAP_TORUS) {
            return true;
        }
    }
    return false;
}

/* Lengths and arms of both at random poses: those of the model are s times the standard's. */
static int compare(const twins *t, double s, bool mirrored, unsigned long long *seed,
                   const char *file) {
    fb_simulation *a = NULL, *b = NULL;
    fb_diag diag;
    int n = 0;
    fb_diag_init(&diag);
    if (fb_simulation_new(&a, t->standard, false, &diag) == FB_OK &&
        FB_TRUE(fb_simulation_new(&b, t->model, false, &diag) == FB_OK, "%s", file) &&
        a->system->n_q == b->system->n_q && a->paths->n_paths == b->paths->n_paths) {
        const fb_system *system = a->system;
        for (int pose = 0; pose < 4; pose++) {
            for (int q = 0; q < system->n_q; q++) {
                const fb_coordinate *c = &system->coordinates[q];
                double low = fmax(c->range[0], -1.5), high = fmin(c->range[1], 1.5);
                bool slides = c->element && fb_coordinate_motion(c->element) == FB_TRANSLATIONAL;
                slides = slides || (!c->element && c->slot > 2);
                double x = low < high ? fb_random_between(seed, low, high) : c->initial;
                a->state->q[q] = x;
                b->state->q[q] = slides ? s * x : x;
            }
            fb_simulation_move(a);
            fb_simulation_move(b);
            for (int i = 0; i < a->paths->n_paths; i++) {
                const fb_path *path = &a->paths->paths[i];
                if (on_ground(a->paths, i) || across_ground(system, path) ||
                    (mirrored && turns_the_other_way(system, path))) {
                    continue;
                }
                const fb_element *owner = a->paths->paths[i].owner;
                double want = s * a->path_length[i];
                n++;
                if (!FB_TRUE(fabs(b->path_length[i] - want) <=
                                 (rounded(a->paths, path) ? 1e-8 : 1e-10) * fabs(want),
                             "%s: %s: length %.17g, not %.17g", file, owner->path,
                             b->path_length[i], want)) {
                    break;
                }
                for (int q = 0; q < system->n_q; q++) {
                    const fb_coordinate *c = &system->coordinates[q];
                    bool slides = c->element &&
                                  fb_coordinate_motion(c->element) == FB_TRANSLATIONAL;
                    double was = a->path_arms[i * system->n_q + q] * (slides ? 1 : s);
                    double is = b->path_arms[i * system->n_q + q];
                    double tolerance = rounded(a->paths, path) ? 1e-5 : 1e-9;
                    if (mirrored && system->mobods[c->mobod].kind != FB_JOINT_AXES) {
                        continue; /* speeds are of another kind */
                    }
                    if (!FB_TRUE(fabs(is - was) <= tolerance * (0.01 + fabs(was)),
                                 "%s: %s: arm about %s %.17g, not %.17g", file, owner->path,
                                 c->path, is, was)) {
                        break;
                    }
                }
            }
        }
    }
    fb_simulation_free(a);
    fb_simulation_free(b);
    fb_diag_clear(&diag);
    return n;
}

static void scaled(double s, bool mirrored) {
    unsigned long long seed = fb_test_seed() + (unsigned long long)mirrored;
    int n = 0;
    const char *file;
    for (int i = 0; (file = file_at(i)) != NULL; i++) {
        char *text = read_text(file);
        twins t;
        if (twins_begin(&t, text)) {
            for (int b = 0; b < t.n; b++) {
                fb_pose pose;
                random_pose(&seed, &pose);
                similar_map(&t.maps[b], s, mirrored, &pose);
            }
            fb_status status = carry(&t);
            const char *told = t.diag.n ? t.diag.records[0].message : "";
            if (!strstr(told, "not finite")) { /* numbers near the largest double */
                FB_TRUE(status == FB_OK, "%s: %s", file, told);
                n += compare(&t, s, mirrored, &seed, file);
            }
        }
        twins_end(&t);
        free(text);
    }
    FB_TRUE(n > (getenv("CORPUS") ? 5000 : 200), "%d paths in poses", n);
}

static void scaled_bodies_scale_lengths(void) {
    scaled(1.0731, false);
}

static void mirrored_bodies_mirror_lengths(void) {
    scaled(0.92, true);
}

/* Lengths in the default pose, over those of the standard: within what the maps stretch. */
static void stretched_bodies_stretch_lengths(void) {
    int n = 0, odd = 0;
    const char *file;
    for (int i = 0; (file = file_at(i)) != NULL; i++) {
        char *text = read_text(file);
        twins t;
        if (twins_begin(&t, text) && !strstr(file, "numbers.osim")) {
            const double A[9] = {1.1, 0.03, 0, 0, 1.2, 0.02, 0.01, 0, 0.95};
            for (int b = 0; b < t.n; b++) {
                fb_transform *map = &t.maps[b].map;
                map->kind = FB_TRANSFORM_AFFINE;
                memcpy(map->linear, A, sizeof A);
                fb_polar3(A, map->rotation);
            }
            FB_TRUE(carry(&t) == FB_OK, "%s: %s", file, t.diag.n ? t.diag.records[0].message : "");
            fb_carry_lengths a, b;
            if (fb_lengths_begin(&a, t.standard) && a.paths && a.length) {
                if (FB_TRUE(fb_lengths_begin(&b, t.model) && b.paths && b.length, "%s", file)) {
                    for (int k = 0; k < a.paths->n_paths; k++) {
                        double ratio = b.length[k] / a.length[k];
                        if (on_ground(a.paths, k) || across_ground(a.system, &a.paths->paths[k]) ||
                            a.length[k] == 0) {
                            continue;
                        }
                        n++;
                        FB_TRUE(ratio > 0.5 && ratio < 2, "%s: %s is %g times as long", file,
                                a.paths->paths[k].owner->path, ratio);
                        odd += !(ratio > 0.85 && ratio < 1.3);
                    }
                    fb_lengths_end(&b);
                }
                fb_lengths_end(&a);
            }
        }
        twins_end(&t);
        free(text);
    }
    FB_TRUE(odd * 50 <= n, "%d of %d paths are stretched oddly", odd, n);
}

int main(int argc, char **argv) {
    static const fb_test tests[] = {FB_TEST(every_field_has_a_rule),
                                    FB_TEST(to_itself_changes_nothing),
                                    FB_TEST(scaled_bodies_scale_lengths),
                                    FB_TEST(mirrored_bodies_mirror_lengths),
                                    FB_TEST(stretched_bodies_stretch_lengths),
                                    FB_TEST_END};
    return fb_test_main("carry", tests, argc, argv);
}
