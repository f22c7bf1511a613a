/* Figures 18 to 20 and 28 to 30: the muscles of models/arm on its bones. Run from the top folder.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "docs/gallery.h"
#include "formats/bones.h"
#include "formats/bundle_spec.h"
#include "formats/fb.h"
#include "libcore/base/arena.h"
#include "libcore/base/number.h"
#include "libcore/base/spatial.h"
#include "libcore/bundle/build.h"
#include "libcore/muscle/simulation.h"

#define MODEL "models/arm/arm25.osim"
#define SPEC "models/arm/arm25.json"
#define MAX_BYTES (64U << 20)

enum { BONE = 0xE6DFD0 };

/* ---- the model --------------------------------------------------------------------------------
 */

typedef struct arm {
    fb_diag diag;
    fb_model *model;
    fb_simulation *simulation;
    fb_spec spec;
    fb_bones bones;
    fb_recipes *recipes;
} arm;

static void check(const arm *a, const char *what, fb_status status) {
    if (status != FB_OK) {
        fprintf(stderr, "gallery: %s: %s\n", what,
                a->diag.n ? a->diag.records[0].message : "fails");
        exit(5);
    }
}

static fb_recipes *make_recipes(arm *a) {
    fb_recipes *recipes;
    fb_recipe_options options = fb_recipe_options_default();
    options.spec = &a->spec;
    options.links = a->simulation->course.links;
    check(a, "its muscles",
          fb_recipes_make(&recipes, a->simulation->paths, a->simulation->state, &options,
                          &a->diag));
    return recipes;
}

/* The arm in its default pose: hanging, elbow straight. */
static void open_arm(arm *a) {
    char *bytes;
    size_t size;
    memset(a, 0, sizeof *a);
    fb_diag_init(&a->diag);
    check(a, MODEL, fb_read_file(MODEL, MAX_BYTES, &bytes, &size, &a->diag));
    check(a, MODEL, fb_model_read(&a->model, bytes, size, MODEL, MAX_BYTES, &a->diag));
    check(a, MODEL, fb_simulation_new(&a->simulation, a->model, false, &a->diag));
    fb_simulation_move(a->simulation);
    check(a, SPEC, fb_read_file(SPEC, MAX_BYTES, &bytes, &size, &a->diag));
    check(a, SPEC, fb_bundle_spec_read(&a->spec, bytes, size, SPEC, &a->diag));
    fb_free(bytes);
    check(a, "its bones",
          fb_bones_read(&a->bones, a->simulation->system, NULL, 0, MAX_BYTES, &a->diag));
    a->recipes = make_recipes(a);
}

static void close_arm(arm *a) {
    fb_recipes_free(a->recipes);
    fb_bones_free(&a->bones);
    fb_bundle_spec_free(&a->spec);
    fb_simulation_free(a->simulation);
    fb_model_free(a->model);
    fb_diag_clear(&a->diag);
}

/* A muscle's body; false if it can have none. */
static bool make_body(fb_body *body, const fb_recipe *recipe, fb_scratch *scratch) {
    fb_build build;
    fb_build_options options = fb_build_options_default();
    *body = (fb_body){0};
    const char *why = fb_build_make(&build, recipe, &options);
    if (!why) {
        why = fb_build_place(&build, recipe, body, scratch);
        fb_build_free(&build);
    }
    if (why) {
        fprintf(stderr, "gallery: %s has no bundles: %s\n", recipe->name, why);
        fb_body_free(body);
        *body = (fb_body){0};
    }
    return !why;
}

/* ---- drawing ----------------------------------------------------------------------------------
 */

void gallery_draw_bones(fb_scene *scene, const fb_bones *bones, const fb_state *state) {
    for (size_t i = 0; i < bones->n; i++) {
        const fb_bone *bone = &bones->bones[i];
        size_t points = (size_t)bone->n_vertices, faces = (size_t)bone->n_faces;
        float(*at)[3] = gallery_memory(points * sizeof *at);
        unsigned(*corners)[3] = gallery_memory(faces * sizeof *corners);
        for (size_t k = 0; k < points; k++) {
            double place[3];
            fb_pose_point(place, &state->pose[bone->body], bone->vertices[k]);
            for (int m = 0; m < 3; m++) {
                at[k][m] = (float)place[m];
            }
        }
        for (size_t k = 0; k < faces; k++) {
            for (int m = 0; m < 3; m++) {
                int corner = bone->sign > 0 ? m : 2 - m;
                corners[k][m] = (unsigned)bone->faces[k][corner];
            }
        }
        fb_scene_add_mesh(scene, &(fb_scene_mesh){.n_points = points,
                                                  .n_triangles = faces,
                                                  .points = at[0],
                                                  .triangles = corners[0],
                                                  .colour = BONE});
        fb_free(at);
        fb_free(corners);
    }
}

static void draw_bones(fb_scene *scene, const arm *a) {
    gallery_draw_bones(scene, &a->bones, a->simulation->state);
}

/* A box around a body's rings: its middle and its extent. */
static void box_of(const fb_body *body, float middle[3], float extent[3]) {
    double low[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, high[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    for (size_t k = 0; k < body->n_rings; k++) {
        for (int i = 0; i < 3; i++) {
            low[i] = fb_lesser(low[i], body->rings[k].c[i]);
            high[i] = fb_greater(high[i], body->rings[k].c[i]);
        }
    }
    for (int i = 0; i < 3; i++) {
        middle[i] = (float)(0.5 * (low[i] + high[i]));
        extent[i] = (float)(high[i] - low[i]);
    }
}

/* ---- figures 18 to 20: a muscle on the skeleton -----------------------------------------------
 */

enum { WIDTH = 1080, HEIGHT = 560 };

static fb_picture *on_skeleton(const char *name, const char *told_as, bool from_behind) {
    fb_picture *picture = gallery_picture(WIDTH, HEIGHT);
    arm a;
    fb_scratch scratch = {0};
    fb_body body;
    open_arm(&a);
    const fb_recipe *recipe = fb_recipes_find(a.recipes, a.model, name);
    gallery_must(name, recipe ? NULL : "the model has no such muscle");
    bool made = make_body(&body, recipe, &scratch);
    float middle[3] = {0, 0, 0}, extent[3] = {1, 1, 1};
    if (made) {
        fb_body_measures measures;
        gallery_tell(told_as, &body, &measures);
        box_of(&body, middle, extent);
    }
    float longest = extent[1] > 0.05F ? extent[1] : 0.05F;
    static const char *const captions[] = {"(a) alone", "(b) from the front", "(c) from the side"};
    for (int i = 0; i < 3; i++) {
        fb_scene *scene = fb_picture_cell(picture, 3, 1, i,
                                          i == 1 && from_behind ? "(b) from behind" : captions[i]);
        if (i > 0) {
            draw_bones(scene, &a);
        }
        if (made) {
            gallery_draw_body(scene, &body,
                              &(gallery_style){.sides = 12, .colour = gallery_by_columns});
        } else {
            gallery_note(scene, WIDTH / 6, 40, "no bundles");
        }
        fb_camera camera = i == 2 ? gallery_camera(0, 0, -1, 0, 1, 0)
                                  : gallery_camera(from_behind ? 1 : -1, 0, 0, 0, 1, 0);
        camera.scale = (HEIGHT - FB_CAPTION_HEIGHT) / longest * (i == 0 ? 0.85F : 0.62F);
        memcpy(camera.centre, middle, sizeof middle);
        fb_scene_set_camera(scene, &camera);
    }
    fb_scratch_clear(&scratch);
    fb_body_free(&body);
    close_arm(&a);
    return picture;
}

fb_picture *gallery_figure18(void) {
    return on_skeleton("coracobrachialis", "18", false);
}

fb_picture *gallery_figure19(void) {
    return on_skeleton("anconeus", "19", true);
}

fb_picture *gallery_figure20(void) {
    return on_skeleton("brachialis", "20", false);
}

/* ---- figure 28: the muscles of the arm --------------------------------------------------------
 */

fb_picture *gallery_figure28(void) {
    static const char *const captions[] = {"(a) from the front", "(b) from the side",
                                           "(c) from behind"};
    static const float looks[3][3] = {{-1, 0, 0}, {0, 0, -1}, {1, 0, 0}};
    fb_picture *picture = gallery_picture(1020, 750);
    fb_scene *scenes[3];
    arm a;
    fb_scratch scratch = {0};
    open_arm(&a);
    for (int i = 0; i < 3; i++) {
        scenes[i] = fb_picture_cell(picture, 3, 1, i, captions[i]);
        draw_bones(scenes[i], &a);
        fb_camera camera = gallery_camera(looks[i][0], looks[i][1], looks[i][2], 0, 1, 0);
        camera.scale = 915;
        const float middle[3] = {0.02F, 1.055F, 0.115F};
        memcpy(camera.centre, middle, sizeof middle);
        fb_scene_set_camera(scenes[i], &camera);
    }
    for (int m = 0; m < a.recipes->n; m++) {
        fb_body body;
        const fb_recipe *recipe = &a.recipes->recipes[m];
        if (make_body(&body, recipe, &scratch)) {
            fb_body_measures measures;
            char name[80];
            snprintf(name, sizeof name, "28, %s", recipe->name);
            gallery_tell(name, &body, &measures);
            for (int i = 0; i < 3; i++) {
                gallery_draw_body(scenes[i], &body,
                                  &(gallery_style){.sides = 6, .belly = gallery_colour(m)});
            }
            fb_body_free(&body);
        }
    }
    fb_scratch_clear(&scratch);
    close_arm(&a);
    return picture;
}

/* ---- figures 29 and 30: in motion -------------------------------------------------------------
 */

#define DEGREES (3.14159265358979323846 / 180)
#define MOST_FLEXION 120 /* degrees, at which flexors have a strength of 1 */

/* Bends the elbow; recipes go with it. */
static void bend_elbow(arm *a, fb_recipes *moved, double degrees) {
    fb_state *state = a->simulation->state;
    const fb_system *system = a->simulation->system;
    int elbow = -1;
    for (int q = 0; q < system->n_q; q++) {
        const fb_element *element = system->coordinates[q].element;
        elbow = element && strcmp(element->name, "elbow_flexion") == 0 ? q : elbow;
    }
    gallery_must("elbow_flexion", elbow < 0 ? "the model has no such coordinate" : NULL);
    state->q[elbow] = degrees * DEGREES;
    fb_state_position(state);
    check(a, "the elbow", fb_assemble_held(state, &elbow, 1, 1e-9));
    fb_simulation_move(a->simulation);
    check(a, "its muscles", fb_recipes_move(moved, state, NULL));
}

static bool is_flexor(const char *name) {
    return strcmp(name, "biceps_brachii") == 0 || strcmp(name, "brachialis") == 0 ||
           strcmp(name, "brachioradialis") == 0;
}

/* The muscles as they are made once, to be laid again and again. */
typedef struct moving {
    arm arm;
    fb_recipes *moved;
    fb_build *builds; /* [moved->n] */
    bool *made;
    fb_scratch scratch;
} moving;

static void open_moving(moving *m, double bundles) {
    memset(m, 0, sizeof *m);
    open_arm(&m->arm);
    m->moved = make_recipes(&m->arm);
    size_t n = (size_t)m->moved->n;
    m->builds = gallery_memory(n * sizeof *m->builds);
    m->made = gallery_memory(n * sizeof *m->made);
    fb_build_options options = fb_build_options_default();
    options.bundles = bundles;
    for (size_t i = 0; i < n; i++) {
        m->made[i] = !fb_build_make(&m->builds[i], &m->arm.recipes->recipes[i], &options);
    }
}

static void close_moving(moving *m) {
    for (int i = 0; i < m->moved->n; i++) {
        if (m->made[i]) {
            fb_build_free(&m->builds[i]);
        }
    }
    fb_free(m->builds);
    fb_free(m->made);
    fb_recipes_free(m->moved);
    fb_scratch_clear(&m->scratch);
    close_arm(&m->arm);
}

/* Lays a muscle in the pose; flexors rise as the elbow bends. False if it cannot be. */
static bool lay_muscle(moving *m, int i, double degrees, fb_body *body) {
    *body = (fb_body){0};
    const fb_recipe *now = &m->moved->recipes[i];
    const char *why = m->made[i] ? NULL : "it could not be made";
    if (!why) {
        fb_build *build = &m->builds[i];
        build->options.strength = is_flexor(now->name) ? degrees / MOST_FLEXION : FB_NAN;
        why = now->refusal ? now->refusal : fb_build_place(build, now, body, &m->scratch);
    }
    if (why) {
        fprintf(stderr, "gallery: %s has no bundles at %.0f°: %s\n", now->name, degrees, why);
        fb_body_free(body);
    }
    return !why;
}

fb_picture *gallery_figure29(void) {
    static const double flexion[] = {0, 60, 120, 90, 45, 0};
    fb_picture *picture = gallery_picture(1080, 800);
    moving m;
    open_moving(&m, 100);
    for (int i = 0; i < 6; i++) {
        char caption[48];
        snprintf(caption, sizeof caption, "(%c) %s%.0f°", 'a' + i,
                 i == 0  ? ""
                 : i < 3 ? "bending, "
                         : "straightening, ",
                 flexion[i]);
        fb_scene *scene = fb_picture_cell(picture, 3, 2, i, caption);
        bend_elbow(&m.arm, m.moved, flexion[i]);
        draw_bones(scene, &m.arm);
        for (int k = 0; k < m.moved->n; k++) {
            fb_body body;
            if (lay_muscle(&m, k, flexion[i], &body)) {
                gallery_draw_body(scene, &body,
                                  &(gallery_style){.sides = 8, .belly = gallery_colour(k)});
                fb_body_free(&body);
            }
        }
        fb_camera camera = gallery_camera(-0.25F, -0.1F, -1, 0, 1, 0);
        camera.scale = 450;
        const float middle[3] = {0.1F, 1.06F, 0.15F};
        memcpy(camera.centre, middle, sizeof middle);
        fb_scene_set_camera(scene, &camera);
    }
    close_moving(&m);
    return picture;
}

fb_picture *gallery_figure30(void) {
    static const double flexion[] = {0, 40, 80, 120};
    fb_picture *picture = gallery_picture(1120, 520);
    moving m;
    open_moving(&m, 0);
    for (int i = 0; i < 4; i++) {
        char caption[48], name[16];
        fb_body_measures measures;
        snprintf(caption, sizeof caption, "(%c) %.0f°, s = %.2f", 'a' + i, flexion[i],
                 flexion[i] / MOST_FLEXION);
        snprintf(name, sizeof name, "30 (%c)", 'a' + i);
        fb_scene *scene = fb_picture_cell(picture, 4, 1, i, caption);
        bend_elbow(&m.arm, m.moved, flexion[i]);
        draw_bones(scene, &m.arm);
        for (int k = 0; k < m.moved->n; k++) {
            fb_body body;
            if (strcmp(m.moved->recipes[k].name, "biceps_brachii") == 0 &&
                lay_muscle(&m, k, flexion[i], &body)) {
                gallery_tell(name, &body, &measures);
                gallery_draw_body(scene, &body,
                                  &(gallery_style){.sides = 10, .colour = gallery_by_columns});
                fb_body_free(&body);
            }
        }
        fb_camera camera = gallery_camera(-0.2F, 0, -1, 0, 1, 0);
        camera.scale = 840;
        const float middle[3] = {0.07F, 1.2F, 0.15F};
        memcpy(camera.centre, middle, sizeof middle);
        fb_scene_set_camera(scene, &camera);
    }
    close_moving(&m);
    return picture;
}
