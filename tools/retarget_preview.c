/* retarget: a picture of the standard and the new skeleton. */
#include <string.h>

#include "libcore/muscle/simulation.h"
#include "tools/retarget.h"
#include "tools/scene.h"

#define PAPER 0xFAF9F6
#define BONE 0xDCD3BC
#define PALE 0xF0ECE2 /* bones that the new skeleton does not have */
#define MUSCLE 0xB03A2E
#define POINT 0x1F4E9E
#define ARROW 0xE07B00
#define DOT 0.004f /* m: half of a feature point's cross */
#define WIDTH 1600
#define HEIGHT 1100

/* One of the two skeletons: its model in its default pose, and where meshes belong. */
typedef struct side {
    const fb_retarget *r;
    fb_simulation *s;
    fb_scene *scene;
    bool is_new;
    fb_arena *arena;
} side;

/* The pose of a body in ground, by its number among the standard's; mirrored sides are elsewhere in
 * the new model's list. */
static bool body_pose(const side *d, int i, fb_pose *pose) {
    const fb_model *model = d->s->system->model;
    const fb_element *element = fb_model_find(model, FB_FRAME,
                                              d->r->standard->bodies[i].element->name);
    int body = element ? fb_system_body(d->s->system, element, NULL) : -1;
    if (body >= 0) {
        *pose = d->s->state->pose[body];
    }
    return body >= 0;
}

/* Whether two paths end in the same file's name. */
static bool same_file(const char *a, const char *b) {
    const char *x = a ? strrchr(a, '/') : NULL, *y = b ? strrchr(b, '/') : NULL;
    return a && b && strcmp(x ? x + 1 : a, y ? y + 1 : b) == 0;
}

/* By how much the new model scales the standard's bone of a body that has no other. */
static bool own_scale(const side *d, int i, double *scale) {
    const fb_element *before = d->r->standard->bodies[i].element;
    const fb_element *now = fb_model_find(d->s->system->model, FB_FRAME, before->name);
    const fb_value *old = fb_get(before, "geometry"), *new = now ? fb_get(now, "geometry") : NULL;
    double a[3], b[3];
    if (!old || !new || old->n == 0 || new->n == 0 ||
        !fb_get_vector(old->as.objects[0], "scale", a, 3) ||
        !fb_get_vector(new->as.objects[0], "scale", b, 3) ||
        !same_file(fb_get_string(old->as.objects[0], "mesh"),
                   fb_get_string(new->as.objects[0], "mesh"))) {
        return false;
    }
    for (int k = 0; k < 3; k++) {
        scale[k] = fabs(b[k] / a[k]);
    }
    return isfinite(scale[0] + scale[1] + scale[2]);
}

/* From the frame of a bone's surface to ground. */
static bool surface_pose(const side *d, int i, fb_pose *pose) {
    fb_pose body, inverse;
    if (!body_pose(d, i, &body)) {
        return false;
    }
    if (!d->is_new) {
        *pose = body;
        return true;
    }
    fb_pose_inverse(&inverse, &d->r->standard->bodies[i].frame);
    fb_pose_mul(pose, &body, &inverse);
    return true;
}

static void to_float(float *to, const fb_pose *pose, const double *point) {
    double place[3];
    fb_pose_point(place, pose, point);
    for (int k = 0; k < 3; k++) {
        to[k] = (float)place[k];
    }
}

static void draw_bone(side *d, const fb_surface *surface, const fb_pose *pose, const double *scale,
                      unsigned colour) {
    size_t points = (size_t)surface->n_vertices, faces = (size_t)surface->n_faces;
    float(*at)[3] = fb_arena_array(d->arena, points, sizeof *at);
    unsigned(*corners)[3] = fb_arena_array(d->arena, faces, sizeof *corners);
    for (size_t i = 0; i < points; i++) {
        double place[3];
        for (int k = 0; k < 3; k++) {
            place[k] = scale[k] * surface->vertices[i][k];
        }
        to_float(at[i], pose, place);
    }
    for (size_t i = 0; i < faces; i++) {
        for (int k = 0; k < 3; k++) {
            corners[i][k] = (unsigned)surface->faces[i][k];
        }
    }
    fb_scene_add_mesh(d->scene, &(fb_scene_mesh){.n_points = points,
                                                 .n_triangles = faces,
                                                 .points = at[0],
                                                 .triangles = corners[0],
                                                 .colour = colour});
}

static void draw_muscles(side *d) {
    const fb_paths *paths = d->s->paths;
    size_t most = (size_t)(paths->most_points > 0 ? paths->most_points : 1);
    fb_course course = {.points = fb_arena_array(d->arena, most, sizeof *course.points)};
    float(*line)[3] = fb_arena_array(d->arena, most, sizeof *line);
    for (int i = 0; i < paths->n_paths; i++) {
        if (paths->paths[i].lacking || paths->paths[i].linked || paths->paths[i].n_points == 0) {
            continue;
        }
        fb_path_course(paths, i, d->s->state, &course);
        for (int k = 0; k < course.n; k++) {
            for (int m = 0; m < 3; m++) {
                line[k][m] = (float)course.points[k].place[m];
            }
        }
        if (course.n > 1) {
            fb_scene_add_line(d->scene, line[0], (size_t)course.n, MUSCLE, 2);
        }
    }
}

/* Feature points as crosses; on the new skeleton with a line from where the map puts them. */
static void draw_points(side *d, int i, const fb_pose *pose) {
    const fb_retarget_body *b = d->r->standard->bodies + i;
    for (size_t k = 0; k < b->n; k++) {
        float at[3], cross[2][3], mapped[2][3];
        const double *point = d->is_new ? b->to[k] : b->from[k];
        to_float(at, pose, point);
        for (int axis = 0; axis < 3; axis++) {
            memcpy(cross[0], at, sizeof at);
            memcpy(cross[1], at, sizeof at);
            cross[0][axis] -= DOT;
            cross[1][axis] += DOT;
            fb_scene_add_line(d->scene, cross[0], 2, POINT, 3);
        }
        if (d->is_new && b->placed) {
            double there[3];
            fb_transform_point(&b->map, b->from[k], there);
            to_float(mapped[0], pose, there);
            memcpy(mapped[1], at, sizeof at);
            fb_scene_add_line(d->scene, mapped[0], 2, ARROW, 3);
        }
    }
}

static void draw_side(side *d) {
    fb_state_defaults(d->s->state);
    fb_state_position(d->s->state);
    for (int i = 0; i < d->r->standard->n_bodies; i++) {
        const fb_retarget_body *b = d->r->standard->bodies + i;
        const fb_skeleton_bone *bone = d->is_new ? b->target : b->standard;
        const double one[3] = {1, 1, 1};
        double scale[3];
        fb_pose pose;
        if (d->is_new && !(b->placed && bone) && b->standard && body_pose(d, i, &pose) &&
            own_scale(d, i, scale)) { /* the standard's, as the new model has it */
            draw_bone(d, b->standard->surface, &pose, scale, PALE);
        }
        if ((d->is_new && !b->placed) || !surface_pose(d, i, &pose)) {
            continue;
        }
        if (bone) {
            draw_bone(d, bone->surface, &pose, one, BONE);
        }
        draw_points(d, i, &pose);
    }
    draw_muscles(d);
    fb_camera camera = fb_camera_default();
    camera.look[0] = -0.75f; /* from in front, to the right */
    camera.look[1] = -0.15f;
    camera.look[2] = -0.65f;
    fb_scene_set_camera(d->scene, &camera);
}

/* The last part of a path, without a slash at its end; "standard input" for "-". */
static const char *last_part(fb_arena *arena, const char *path) {
    const char *end = path + strlen(path), *from;
    while (end > path + 1 && end[-1] == '/') {
        end--;
    }
    for (from = end; from > path && from[-1] != '/'; from--) {
    }
    return strcmp(path, "-") == 0 ? "standard input"
                                  : fb_arena_text(arena, from, (size_t)(end - from));
}

bool fb_retarget_preview(const fb_retarget *r, fb_text *out) {
    fb_simulation *s[2] = {NULL, NULL};
    fb_diag quiet;
    fb_arena arena = {.oom = r->arena.oom};
    fb_diag_init(&quiet);
    fb_picture *picture = fb_picture_new(WIDTH, HEIGHT, PAPER);
    bool ok = picture && fb_simulation_new(s, r->standard->original, false, &quiet) == FB_OK &&
              fb_simulation_new(s + 1, r->standard->model, false, &quiet) == FB_OK;
    const char *why = ok ? NULL : "the models cannot be posed";
    for (int i = 0; i < 2 && ok; i++) {
        const char *caption =
            i ? fb_arena_printf(&arena,
                                "new skeleton: %s (blue: feature points, orange: "
                                "where the maps put them)",
                                last_part(&arena, fb_cli_value(r->cli, "skeleton")))
              : fb_arena_printf(&arena, "standard: %s", last_part(&arena, r->standard->file));
        side d = {r, s[i], fb_picture_cell(picture, 2, 1, i, caption), i == 1, &arena};
        draw_side(&d);
    }
    if (ok) {
        fb_picture_one_scale(picture);
        why = fb_picture_render(picture);
        ok = !why && fb_picture_png(picture, true, out) == FB_OK;
    }
    if (!ok) {
        fb_cli_say(r->cli, "there is no picture: %s", why ? why : "memory ran out");
    }
    for (int i = 0; i < 2; i++) {
        fb_simulation_free(s[i]);
    }
    fb_picture_free(picture);
    fb_arena_clear(&arena);
    fb_diag_clear(&quiet);
    return ok;
}
