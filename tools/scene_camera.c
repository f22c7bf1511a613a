#define CGLM_ALL_UNALIGNED
#include <cglm/cglm.h>

#include <float.h>
#include <math.h>
#include <string.h>

#include "tools/scene_parts.h"

fb_camera fb_camera_default(void) {
    return (fb_camera){.look = {0, 0, -1}, .up = {0, 1, 0}, .margin = {12, 12, 12, 12}};
}

/* What a scene shows, along the camera's axes (right, up, towards it). */
typedef struct box {
    vec3 low, high;
} box;

typedef void visit(const float *at, void *context); /* at: along the camera's axes */

static void visit_point(const float *p, mat4 view, visit *f, void *context) {
    vec3 from = {p[0], p[1], p[2]}, at;
    glm_mat4_mulv3(view, from, 1, at);
    f(at, context);
}

/* The points of a mesh that are left, and those where it is cut. */
static void visit_mesh(const fb_scene *scene, const fb_scene_mesh *mesh, mat4 view, visit *f,
                       void *context) {
    bool cut = scene->cut && !mesh->whole;
    for (size_t i = 0; i < mesh->n_points; i++) {
        if (!cut || fb_scene_keeps(scene, mesh->points + 3 * i)) {
            visit_point(mesh->points + 3 * i, view, f, context);
        }
    }
    for (size_t t = 0; t < mesh->n_triangles && cut; t++) {
        float ends[6];
        if (fb_scene_cross_triangle(scene, mesh, t, ends)) {
            visit_point(ends, view, f, context);
            visit_point(ends + 3, view, f, context);
        }
    }
}

static void visit_lines(const fb_scene *scene, const scene_lines *lines, mat4 view, visit *f,
                        void *context) {
    bool cut = scene->cut && !lines->whole;
    for (size_t i = 0; i < 2 * lines->n; i++) {
        const float *p = lines->ends + 3 * i;
        float at[3];
        if (!cut || fb_scene_keeps(scene, p)) {
            visit_point(p, view, f, context);
        }
        if (cut && i % 2 == 0 && fb_scene_cross(scene, p, p + 3, at)) {
            visit_point(at, view, f, context);
        }
    }
}

static void visit_all(const fb_scene *scene, mat4 view, visit *f, void *context) {
    for (const scene_mesh *m = scene->meshes; m; m = m->next) {
        visit_mesh(scene, &m->mesh, view, f, context);
    }
    for (const scene_lines *l = scene->lines; l; l = l->next) {
        visit_lines(scene, l, view, f, context);
    }
}

static void grow(const float *at, void *context) {
    box *b = context;
    for (int i = 0; i < 3; i++) {
        b->low[i] = fminf(b->low[i], at[i]);
        b->high[i] = fmaxf(b->high[i], at[i]);
    }
}

/* How far in front of a centre an eye must be to see every point. */
typedef struct retreat {
    vec3 centre;
    float tangent[2]; /* of the half angles of view */
    float distance;
} retreat;

static void step_back(const float *at, void *context) {
    retreat *r = context;
    for (int i = 0; i < 2; i++) {
        float need = fabsf(at[i] - r->centre[i]) / r->tangent[i] + at[2] - r->centre[2];
        r->distance = fmaxf(r->distance, need);
    }
}

/* How far to each side points are from the middle, as tangents. */
typedef struct spread {
    vec3 eye;
    float low[2], high[2];
} spread;

static void widen(const float *at, void *context) {
    spread *s = context;
    for (int i = 0; i < 2; i++) {
        float tangent = (at[i] - s->eye[i]) / fmaxf(s->eye[2] - at[2], FLT_MIN);
        s->low[i] = fminf(s->low[i], tangent);
        s->high[i] = fmaxf(s->high[i], tangent);
    }
}

/* Moves the centre so that what is seen is in the middle, and the eye so that it fills the panel:
 * the one changes the other, so in turns, of which each is a small part of the last. */
static void fit_perspective(const fb_scene *scene, mat4 view, retreat *r) {
    enum { TURNS = 6 };
    for (int turn = 0; turn < TURNS; turn++) {
        r->distance = 0;
        visit_all(scene, view, step_back, r);
        spread s = {.low = {FLT_MAX, FLT_MAX}, .high = {-FLT_MAX, -FLT_MAX}};
        glm_vec3_copy(r->centre, s.eye);
        s.eye[2] += r->distance;
        visit_all(scene, view, widen, &s);
        for (int i = 0; i < 2 && turn + 1 < TURNS && s.low[i] <= s.high[i]; i++) {
            r->centre[i] += (s.low[i] + s.high[i]) / 2 * r->distance;
        }
    }
}

/* The camera's axes, without its place. Says so if it has none. */
static void turn_view(fb_scene *scene, mat4 view) {
    const fb_camera *camera = &scene->camera;
    vec3 look, up, right;
    glm_vec3_copy((float *)(uintptr_t)camera->look, look);
    glm_vec3_copy((float *)(uintptr_t)camera->up, up);
    glm_vec3_normalize(look);
    glm_vec3_normalize(up);
    glm_vec3_cross(look, up, right);
    if (!(glm_vec3_norm(right) > 1e-6F)) {
        fb_picture_wrong(scene->picture, "a camera looks nowhere, or along what it calls up");
        return;
    }
    glm_look(GLM_VEC3_ZERO, look, up, view);
}

/* The pixels of a panel that the margins leave: width and height. */
static void free_size(const fb_scene *scene, float size[2]) {
    const float *margin = scene->camera.margin;
    size[0] = (float)scene->width - margin[0] - margin[2];
    size[1] = (float)scene->height - margin[1] - margin[3];
    if (!(size[0] >= 1 && size[1] >= 1)) {
        fb_picture_wrong(scene->picture, "a camera's margins leave nothing of its panel");
        size[0] = size[1] = 1;
    }
}

static void find_box(const fb_scene *scene, mat4 view, box *b) {
    glm_vec3_fill(b->low, FLT_MAX);
    glm_vec3_fill(b->high, -FLT_MAX);
    visit_all(scene, view, grow, b);
    if (b->low[0] > b->high[0]) { /* nothing */
        glm_vec3_zero(b->low);
        glm_vec3_zero(b->high);
    }
}

/* Pixels a metre at which all of an orthographic scene can be seen. */
static float fit_scale(fb_scene *scene, const box *b) {
    float size[2], scale = FLT_MAX;
    free_size(scene, size);
    for (int i = 0; i < 2; i++) {
        if (b->high[i] > b->low[i]) {
            scale = fminf(scale, size[i] / (b->high[i] - b->low[i]));
        }
    }
    return scale < FLT_MAX ? scale : 1;
}

static bool is_fitted(const fb_scene *scene) {
    return scene->camera.angle == 0 && scene->camera.scale == 0;
}

/* The part of the panel that the margins leave, as a change of what is -1 to 1 in it. */
static void inset(const fb_scene *scene, const float size[2], mat4 m) {
    const float *margin = scene->camera.margin;
    float w = (float)scene->width, h = (float)scene->height;
    glm_mat4_identity(m);
    m[0][0] = size[0] / w;
    m[1][1] = size[1] / h;
    m[3][0] = (margin[0] - margin[2]) / w;
    m[3][1] = (margin[3] - margin[1]) / h;
}

/* Perspective: the eye is moved so that the given or the middle of what is seen lies ahead. */
static void perspective(fb_scene *scene, const float size[2], const box *b, vec3 centre, mat4 view,
                        mat4 projection) {
    const fb_camera *camera = &scene->camera;
    retreat r = {.distance = 0};
    glm_vec3_copy(centre, r.centre);
    r.tangent[1] = tanf(camera->angle / 2);
    r.tangent[0] = r.tangent[1] * size[0] / size[1];
    if (camera->scale > 0) {
        r.distance = size[1] / (2 * camera->scale * r.tangent[1]);
    } else {
        fit_perspective(scene, view, &r);
        glm_vec3_copy(r.centre, centre);
    }
    float eye = centre[2] + r.distance;
    float near = fmaxf(eye - b->high[2], 1e-3F * (r.distance + 1e-6F)) * 0.98F;
    float far = fmaxf(eye - b->low[2], near * 2) * 1.02F;
    glm_perspective(camera->angle, size[0] / size[1], near, far, projection);
    mat4 move;
    glm_translate_make(move, (vec3){-centre[0], -centre[1], -eye});
    glm_mat4_mul(move, view, view);
}

static void orthographic(const float size[2], const box *b, vec3 centre, float scale, mat4 view,
                         mat4 projection) {
    float half_width = size[0] / (2 * scale), half_height = size[1] / (2 * scale);
    float depth = fmaxf(b->high[2] - b->low[2], half_height) * 0.01F;
    float back = b->high[2] + depth;
    glm_ortho(-half_width, half_width, -half_height, half_height, 0, back - b->low[2] + depth,
              projection);
    mat4 move;
    glm_translate_make(move, (vec3){-centre[0], -centre[1], -back});
    glm_mat4_mul(move, view, view);
}

static void aim(fb_scene *scene, float common_scale) {
    const fb_camera *camera = &scene->camera;
    mat4 view = GLM_MAT4_IDENTITY_INIT, projection, fit;
    vec3 centre;
    box b;
    float size[2];
    turn_view(scene, view);
    free_size(scene, size);
    find_box(scene, view, &b);
    if (camera->scale > 0) {
        vec3 given;
        glm_vec3_copy((float *)(uintptr_t)camera->centre, given);
        glm_mat4_mulv3(view, given, 1, centre);
    } else {
        glm_vec3_center(b.low, b.high, centre);
    }
    if (camera->angle > 0) {
        perspective(scene, size, &b, centre, view, projection);
    } else {
        float scale = camera->scale > 0  ? camera->scale
                      : common_scale > 0 ? common_scale
                                         : fit_scale(scene, &b);
        orthographic(size, &b, centre, scale, view, projection);
    }
    inset(scene, size, fit);
    glm_mat4_mul(fit, projection, projection);
    glm_mat4_mul(projection, view, projection);
    memcpy(scene->view, view, sizeof scene->view);
    memcpy(scene->project, projection, sizeof scene->project);
}

void fb_picture_aim(fb_picture *picture) {
    float common = FLT_MAX;
    for (fb_scene *scene = picture->scenes; scene; scene = scene->next) {
        const fb_camera *c = &scene->camera;
        if (!(c->angle >= 0 && c->angle < 3.14F && c->scale >= 0 && isfinite(c->scale))) {
            fb_picture_wrong(picture, "a camera's angle or scale is out of range");
        }
        if (picture->one_scale && is_fitted(scene)) {
            mat4 view = GLM_MAT4_IDENTITY_INIT;
            box b;
            turn_view(scene, view);
            find_box(scene, view, &b);
            common = fminf(common, fit_scale(scene, &b));
        }
    }
    for (fb_scene *scene = picture->scenes; scene && !picture->wrong; scene = scene->next) {
        aim(scene, common < FLT_MAX ? common : 0);
    }
}

void fb_scene_project(const fb_scene *scene, const float world[3], float pixel[2]) {
    const float *m = scene->project;
    float at[4];
    for (int i = 0; i < 4; i++) {
        at[i] = m[i] * world[0] + m[4 + i] * world[1] + m[8 + i] * world[2] + m[12 + i];
    }
    pixel[0] = (at[0] / at[3] + 1) / 2 * (float)scene->width;
    pixel[1] = (1 - at[1] / at[3]) / 2 * (float)scene->height;
}
