/* The left side of models, taken away and built anew, moves as the right one does. */
#include "libcore/register/mirror.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/muscle/simulation.h"
#include "tests/help.h"

static bool has_side(const char *path, const char *side) {
    size_t n = strlen(side);
    for (const char *at = path; (at = strstr(at, side)) != NULL; at += n) {
        char next = at[n];
        if (!((next >= 'a' && next <= 'z') || (next >= 'A' && next <= 'Z') ||
              (next >= '0' && next <= '9'))) {
            return true;
        }
    }
    return false;
}

/* Takes everything of a side out of a model. */
static void remove_side(fb_model *model, const char *side) {
    for (int l = 0; l < FB_LIST_COUNT; l++) {
        size_t n = 0;
        for (size_t i = 0; i < model->lists[l].n; i++) {
            fb_element *element = model->lists[l].items[i];
            if (!element->path || !has_side(element->path, side)) {
                model->lists[l].items[n++] = element;
            }
        }
        model->lists[l].n = n;
    }
}

/* The path with the other side's letter. */
static void other_path(char *out, size_t size, const char *path, const char *from, const char *to) {
    size_t n = 0, k = strlen(from);
    for (size_t i = 0; path[i] && n + 3 < size;) {
        if (strncmp(path + i, from, k) == 0 && has_side(path + i, from) &&
            !(path[i + k] >= 'a' && path[i + k] <= 'z')) {
            n += (size_t)snprintf(out + n, size - n, "%s", to);
            i += k;
        } else {
            out[n++] = path[i++];
        }
    }
    out[n] = 0;
}

static int path_at(const fb_paths *paths, const char *path) {
    for (int i = 0; i < paths->n_paths; i++) {
        if (strcmp(paths->paths[i].owner->path, path) == 0) {
            return i;
        }
    }
    return -1;
}

/* Right and left in mirrored poses: the pelvis stands, so that both see the same. */
static int sides_alike(const fb_model *model, const char *file) {
    fb_simulation *s = NULL;
    fb_diag diag;
    unsigned long long seed = fb_test_seed();
    int n = 0;
    char other[400];
    fb_diag_init(&diag);
    if (FB_TRUE(fb_simulation_new(&s, model, false, &diag) == FB_OK, "%s: %s", file,
                diag.n ? diag.records[0].message : "")) {
        for (int pose = 0; pose < 5; pose++) {
            for (int q = 0; q < s->system->n_q; q++) {
                s->state->q[q] = s->system->coordinates[q].initial;
            }
            for (int q = 0; q < s->system->n_q; q++) {
                const fb_coordinate *c = &s->system->coordinates[q];
                if (!has_side(c->path, "_r") || has_side(c->path, "lumbar")) {
                    continue;
                }
                double low = fmax(c->range[0], -1.2), high = fmin(c->range[1], 1.2);
                double x = low < high ? fb_random_between(&seed, low, high) : c->initial;
                other_path(other, sizeof other, c->path, "_r", "_l");
                s->state->q[q] = x;
                for (int k = 0; k < s->system->n_q; k++) {
                    if (strcmp(s->system->coordinates[k].path, other) == 0) {
                        s->state->q[k] = x;
                    }
                }
            }
            fb_simulation_move(s);
            for (int i = 0; i < s->paths->n_paths; i++) {
                const char *path = s->paths->paths[i].owner->path;
                if (!has_side(path, "_r")) {
                    continue;
                }
                other_path(other, sizeof other, path, "_r", "_l");
                int j = path_at(s->paths, other);
                if (!FB_TRUE(j >= 0, "%s: %s is missing", file, other)) {
                    continue;
                }
                n++;
                FB_TRUE(fabs(s->path_length[j] - s->path_length[i]) <= 1e-9, "%s: %s %.12g, %.12g",
                        file, path, s->path_length[i], s->path_length[j]);
                for (int q = 0; q < s->system->n_q; q++) {
                    const char *c = s->system->coordinates[q].path;
                    int body = s->system->coordinates[q].mobod;
                    if (!has_side(c, "_r") || s->system->mobods[body].kind == FB_JOINT_BALL) {
                        continue; /* a ball's speeds are of another kind than its mirror image's */
                    }
                    other_path(other, sizeof other, c, "_r", "_l");
                    for (int k = 0; k < s->system->n_q; k++) {
                        if (strcmp(s->system->coordinates[k].path, other) == 0) {
                            FB_NEAR(s->path_arms[j * s->system->n_q + k],
                                    s->path_arms[i * s->system->n_q + q], 1e-7, 1e-7);
                        }
                    }
                }
            }
        }
    }
    fb_simulation_free(s);
    fb_diag_clear(&diag);
    return n;
}

static int rebuild(const char *file, const char *text) {
    fb_diag diag;
    fb_model *model = fb_test_osim(text, &diag, NULL);
    int n = 0;
    if (model) {
        fb_diag told;
        fb_diag_init(&told);
        size_t muscles = fb_model_items(model, "muscles")->n;
        size_t bodies = fb_model_items(model, "bodies")->n;
        remove_side(model, "_l");
        if (FB_TRUE(fb_mirror_missing(model, "_r", "_l", &told) == FB_OK, "%s: %s", file,
                    told.n ? told.records[0].message : "")) {
            FB_EQUAL_INT(fb_model_items(model, "muscles")->n, muscles);
            FB_EQUAL_INT(fb_model_items(model, "bodies")->n, bodies);
            n = sides_alike(model, file);
            char *osim = fb_test_to_osim(model, FB_OSIM_NEWEST);
            fb_diag again;
            fb_model *back = fb_test_osim(osim ? osim : "", &again, NULL);
            if (FB_TRUE(back != NULL, "%s: is read again", file)) {
                FB_EQUAL_INT(fb_model_items(back, "muscles")->n, muscles);
                FB_EQUAL_INT(sides_alike(back, file), n);
            }
            fb_model_free(back);
            fb_diag_clear(&again);
            free(osim);
        }
        fb_diag_clear(&told);
    }
    fb_model_free(model);
    fb_diag_clear(&diag);
    return n;
}

static void left_legs_of_the_corpus(void) {
    static const char *const patterns[] = {"../shared/corpus/osim/0023*.osim",
                                           "../shared/corpus/osim/0056*.osim",
                                           "../shared/corpus/osim/0172*.osim"};
    const char *corpus = getenv("CORPUS");
    for (int p = 0; corpus && *corpus && p < 3; p++) {
        const char *file = fb_test_glob(patterns[p], 0);
        size_t size;
        char *bytes = file ? fb_test_read_file(file, &size) : NULL;
        if (bytes) {
            FB_TRUE(rebuild(file, bytes) > 20, "%s has paths", file);
        }
        fb_free(bytes);
    }
}

/* A pelvis with one leg: every joint that turns about x, a wrap with a quadrant, a conditional and
 * a moving point, a coupler, a group, a marker. */
static const char leg[] =
    "<BodySet><objects><Body name='pelvis'><mass>8</mass></Body><Body name='femur_r'><mass>7</mass>"
    "<mass_center>0.01 -0.2 0.02</mass_center><inertia>0.1 0.02 0.1 0.001 0.002 0.003</inertia>"
    "<WrapObjectSet><objects><WrapCylinder name='bar_r'><xyz_body_rotation>0.1 0.2 0.3"
    "</xyz_body_rotation><translation>0 -0.35 0.01</translation><quadrant>all</quadrant>"
    "<radius>0.03</radius><length>0.1</length></WrapCylinder></objects></WrapObjectSet></Body>"
    "<Body name='tibia_r'><mass>3</mass></Body></objects></BodySet><JointSet><objects>"
    "<FreeJoint name='root'><socket_parent_frame>/ground</socket_parent_frame><socket_child_frame>"
    "/bodyset/pelvis</socket_child_frame></FreeJoint><BallJoint name='hip_r'><socket_parent_frame>"
    "pelvis_offset</socket_parent_frame><socket_child_frame>/bodyset/femur_r</socket_child_frame>"
    "<coordinates><Coordinate name='hip1_r'/><Coordinate name='hip2_r'/><Coordinate name='hip3_r'/>"
    "</coordinates><frames><PhysicalOffsetFrame name='pelvis_offset'><socket_parent>/bodyset/pelvis"
    "</socket_parent><translation>-0.05 -0.07 0.08</translation><orientation>0.1 0.05 -0.2"
    "</orientation></PhysicalOffsetFrame></frames></BallJoint><UniversalJoint name='knee_r'>"
    "<socket_parent_frame>femur_offset</socket_parent_frame><socket_child_frame>/bodyset/tibia_r"
    "</socket_child_frame><coordinates><Coordinate name='knee1_r'/><Coordinate name='knee2_r'/>"
    "</coordinates><frames><PhysicalOffsetFrame name='femur_offset'><socket_parent>/bodyset/femur_r"
    "</socket_parent><translation>0 -0.4 0</translation><orientation>0.3 0 0</orientation>"
    "</PhysicalOffsetFrame></frames></UniversalJoint></objects></JointSet><ForceSet><objects>"
    "<Thelen2003Muscle name='rectus_r'><GeometryPath name='path'><PathPointSet><objects><PathPoint "
    "name='a'><socket_parent_frame>/bodyset/pelvis</socket_parent_frame><location>0 0 0.09"
    "</location></PathPoint><ConditionalPathPoint name='b'><socket_parent_frame>/bodyset/femur_r"
    "</socket_parent_frame><location>0.05 -0.3 0.01</location><socket_coordinate>"
    "/jointset/knee_r/knee1_r</socket_coordinate><range>-0.5 0.2</range></ConditionalPathPoint>"
    "<MovingPathPoint name='c'><socket_parent_frame>/bodyset/tibia_r</socket_parent_frame>"
    "<socket_x_coordinate>/jointset/knee_r/knee1_r</socket_x_coordinate><socket_y_coordinate>"
    "/jointset/knee_r/knee1_r</socket_y_coordinate><socket_z_coordinate>/jointset/knee_r/knee1_r"
    "</socket_z_coordinate><x_location><SimmSpline><x>-1 0 1 2</x><y>0.05 0.04 0.06 0.03</y>"
    "</SimmSpline></x_location><y_location><Constant><value>-0.05</value></Constant></y_location>"
    "<z_location><LinearFunction><coefficients>0.01 0.02</coefficients></LinearFunction>"
    "</z_location></MovingPathPoint></objects></PathPointSet><PathWrapSet><objects><PathWrap>"
    "<wrap_object>bar_r</wrap_object></PathWrap></objects></PathWrapSet></GeometryPath>"
    "</Thelen2003Muscle></objects><groups><ObjectGroup name='front_r'><members>rectus_r</members>"
    "</ObjectGroup></groups></ForceSet>";

static void a_leg_gets_its_other(void) {
    char *text = fb_test_document(40500, leg);
    fb_diag diag, told;
    fb_model *model = fb_test_must(fb_test_osim(text, &diag, NULL), &diag);
    fb_diag_init(&told);
    FB_EQUAL_INT(fb_mirror_missing(model, "_r", "_l", &told), FB_OK);
    FB_EQUAL_INT(fb_model_items(model, "muscles")->n, 2);
    FB_EQUAL_INT(sides_alike(model, "leg"), 5);
    const fb_element *femur = fb_test_find(model, "/bodyset/femur_l");
    double inertia[6] = {0}, center[3] = {0};
    fb_get_vector(femur, "inertia", inertia, 6);
    fb_get_vector(femur, "mass_center", center, 3);
    FB_SAME(center[2], -0.02);
    FB_SAME(inertia[3], 0.001);
    FB_SAME(inertia[4], -0.002);
    FB_SAME(inertia[5], -0.003);
    FB_EQUAL_INT(model->n_groups, 2);
    FB_EQUAL_INT(fb_mirror_missing(model, "_r", "_l", &told), FB_E_INPUT);
    FB_RECORD(&told, FB_ERROR, FB2601, -1);
    fb_diag_clear(&told);
    fb_model_free(model);
    fb_diag_clear(&diag);
    free(text);
}

int main(int argc, char **argv) {
    static const fb_test tests[] = {FB_TEST(a_leg_gets_its_other), FB_TEST(left_legs_of_the_corpus),
                                    FB_TEST_END};
    return fb_test_main("mirror", tests, argc, argv);
}
