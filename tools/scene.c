#include "tools/scene.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "tools/scene_parts.h"

#define MOST_PIXELS 8192

/* ---- pictures and panels --------------------------------------------------------------------- */

void fb_picture_wrong(fb_picture *picture, const char *text) {
    if (!picture->wrong) {
        picture->wrong = text ? text : "out of memory";
    }
}

fb_picture *fb_picture_new(int width, int height, unsigned background) {
    fb_picture *picture = fb_alloc(sizeof *picture);
    if (!picture) {
        return NULL;
    }
    *picture = (fb_picture){.width = width, .height = height, .background = background};
    picture->last_scene = &picture->scenes;
    fb_arena_init(&picture->arena);
    if (width < 1 || height < 1 || width > MOST_PIXELS || height > MOST_PIXELS) {
        fb_picture_wrong(picture, fb_arena_printf(&picture->arena,
                                                  "a picture of %d x %d pixels cannot be made; "
                                                  "each must be from 1 to %d",
                                                  width, height, MOST_PIXELS));
    }
    return picture;
}

void fb_picture_free(fb_picture *picture) {
    if (picture) {
        fb_arena_clear(&picture->arena);
        fb_free(picture);
    }
}

/* n items in the picture's arena; NULL if memory ran out, which is then noted. */
static void *take(fb_picture *picture, size_t n, size_t size) {
    void *items = fb_arena_array(&picture->arena, n, size);
    if (!items) {
        fb_picture_wrong(picture, NULL);
    }
    return items;
}

static void *copy(fb_picture *picture, const void *items, size_t n, size_t size) {
    void *to = take(picture, n, size);
    if (to && n > 0) {
        memcpy(to, items, n * size);
    }
    return to;
}

fb_scene *fb_picture_panel(fb_picture *picture, int x, int y, int width, int height,
                           const char *caption) {
    fb_scene *scene = take(picture, 1, sizeof *scene);
    if (!scene) {
        return NULL;
    }
    scene->picture = picture;
    scene->camera = fb_camera_default();
    scene->last_mesh = &scene->meshes;
    scene->last_lines = &scene->lines;
    scene->last_mark = &scene->marks;
    if (caption) {
        scene->caption = copy(picture, caption, strlen(caption) + 1, 1);
        height -= FB_CAPTION_HEIGHT;
    }
    scene->x = x;
    scene->y = y;
    scene->width = width;
    scene->height = height;
    if (x < 0 || y < 0 || width < 1 || height < 1 || width > picture->width - x ||
        height > picture->height - y) {
        fb_picture_wrong(picture,
                         fb_arena_printf(&picture->arena,
                                         "a panel of %d x %d pixels at %d, %d does not lie "
                                         "in a picture of %d x %d",
                                         width, height, x, y, picture->width, picture->height));
    }
    *picture->last_scene = scene;
    picture->last_scene = &scene->next;
    return scene;
}

fb_scene *fb_picture_cell(fb_picture *picture, int columns, int rows, int i, const char *caption) {
    int column = i % columns, row = i / columns;
    int x = picture->width * column / columns, y = picture->height * row / rows;
    return fb_picture_panel(picture, x, y, picture->width * (column + 1) / columns - x,
                            picture->height * (row + 1) / rows - y, caption);
}

/* ---- meshes and lines ------------------------------------------------------------------------ */

static bool all_finite(const float *x, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(x[i])) {
            return false;
        }
    }
    return true;
}

/* What is wrong with a mesh, or NULL. */
static const char *mesh_wrong(fb_picture *picture, const fb_scene_mesh *mesh) {
    if (!all_finite(mesh->points, mesh->n_points * 3) ||
        (mesh->normals && !all_finite(mesh->normals, mesh->n_points * 3))) {
        return "a mesh has a coordinate that is not a number";
    }
    if (mesh->n_triangles > INT_MAX / 3 || !(mesh->opacity >= 0 && mesh->opacity <= 1)) {
        return "a mesh has too many triangles, or an opacity that is not from 0 to 1";
    }
    for (size_t i = 0; i < mesh->n_triangles * 3; i++) {
        if (mesh->triangles[i] >= mesh->n_points) {
            return fb_arena_printf(&picture->arena, "triangle %zu of a mesh names point %u of %zu",
                                   i / 3, mesh->triangles[i], mesh->n_points);
        }
    }
    return NULL;
}

/* Each point's normal: the sum of those of its triangles, each as long as twice its area. */
static void find_normals(float *normals, const fb_scene_mesh *mesh) {
    for (size_t t = 0; t < mesh->n_triangles; t++) {
        const unsigned *corner = mesh->triangles + 3 * t;
        const float *p = mesh->points + 3 * (size_t)corner[0],
                    *q = mesh->points + 3 * (size_t)corner[1],
                    *r = mesh->points + 3 * (size_t)corner[2];
        float d[3], e[3];
        for (int i = 0; i < 3; i++) {
            d[i] = q[i] - p[i];
            e[i] = r[i] - p[i];
        }
        for (int i = 0; i < 3; i++) {
            int j = (i + 1) % 3, k = (i + 2) % 3;
            for (int c = 0; c < 3; c++) {
                normals[3 * (size_t)corner[c] + (size_t)i] += d[j] * e[k] - d[k] * e[j];
            }
        }
    }
    for (size_t i = 0; i < mesh->n_points; i++) {
        float *n = normals + 3 * i;
        float most = fmaxf(fabsf(n[0]), fmaxf(fabsf(n[1]), fabsf(n[2])));
        for (int k = 0; k < 3 && most > 0; k++) {
            n[k] /= most; /* areas in m^2 are small: their squares would be no floats */
        }
        float length = sqrtf(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        for (int k = 0; k < 3 && length > 0; k++) {
            n[k] /= length;
        }
    }
}

void fb_scene_add_mesh(fb_scene *scene, const fb_scene_mesh *mesh) {
    if (!scene) {
        return;
    }
    fb_picture *picture = scene->picture;
    const char *wrong = mesh_wrong(picture, mesh);
    if (wrong) {
        fb_picture_wrong(picture, wrong);
        return;
    }
    size_t n = mesh->n_points;
    scene_mesh *own = take(picture, 1, sizeof *own);
    float *points = copy(picture, mesh->points, 3 * n, sizeof *points);
    float *normals = mesh->normals ? copy(picture, mesh->normals, 3 * n, sizeof *normals)
                                   : take(picture, 3 * n, sizeof *normals);
    unsigned *colours = mesh->colours ? copy(picture, mesh->colours, n, sizeof *colours)
                                      : take(picture, n, sizeof *colours);
    const unsigned *inside = mesh->inside_colours
                                 ? copy(picture, mesh->inside_colours, n, sizeof *inside)
                                 : colours;
    unsigned *triangles = copy(picture, mesh->triangles, 3 * mesh->n_triangles, sizeof *triangles);
    if (!own || !points || !normals || !colours || !inside || !triangles) {
        return;
    }
    if (!mesh->normals) {
        find_normals(normals, mesh);
    }
    for (size_t i = 0; i < n && !mesh->colours; i++) {
        colours[i] = mesh->colour;
    }
    own->mesh = *mesh;
    own->mesh.opacity = mesh->opacity > 0 ? mesh->opacity : 1;
    own->mesh.points = points;
    own->mesh.normals = normals;
    own->mesh.colours = colours;
    own->mesh.inside_colours = inside;
    own->mesh.triangles = triangles;
    *scene->last_mesh = own;
    scene->last_mesh = &own->next;
}

/* Room for n pieces of a line, in the scene; NULL if memory ran out. */
static float *add_pieces(fb_scene *scene, size_t n, unsigned rgb, float width, bool whole) {
    scene_lines *lines = take(scene->picture, 1, sizeof *lines);
    float *ends = take(scene->picture, 6 * n, sizeof *ends);
    if (!lines || !ends) {
        return NULL;
    }
    *lines = (scene_lines){.ends = ends, .n = n, .rgb = rgb, .width = width, .whole = whole};
    *scene->last_lines = lines;
    scene->last_lines = &lines->next;
    return ends;
}

static void add_line(fb_scene *scene, const float *points, size_t n, size_t step, unsigned rgb,
                     float width) {
    if (!scene || n < 2) {
        return;
    }
    if (!all_finite(points, 3 * n) || !(width > 0)) {
        fb_picture_wrong(scene->picture,
                         "a line has a coordinate that is not a number, or no width");
        return;
    }
    scene->lined = true;
    size_t pieces = step == 1 ? n - 1 : n / 2;
    float *ends = add_pieces(scene, pieces, rgb, width, false);
    for (size_t i = 0; i < pieces && ends; i++) {
        memcpy(ends + 6 * i, points + 3 * step * i, 6 * sizeof *ends);
    }
}

void fb_scene_add_line(fb_scene *scene, const float *points, size_t n, unsigned rgb, float width) {
    add_line(scene, points, n, 1, rgb, width);
}

void fb_scene_add_pieces(fb_scene *scene, const float *points, size_t n, unsigned rgb,
                         float width) {
    add_line(scene, points, n, 2, rgb, width);
}

void fb_scene_set_camera(fb_scene *scene, const fb_camera *camera) {
    if (scene) {
        scene->camera = *camera;
    }
}

void fb_picture_one_scale(fb_picture *picture) {
    picture->one_scale = true;
}

/* ---- the section plane ----------------------------------------------------------------------- */

void fb_scene_set_section(fb_scene *scene, const float normal[3], float offset, unsigned line,
                          float width) {
    if (!scene) {
        return;
    }
    scene->cut = true;
    for (int i = 0; i < 3; i++) {
        scene->plane[i] = -normal[i];
    }
    scene->plane[3] = offset;
    scene->cut_rgb = line;
    scene->cut_width = width;
    if (!all_finite(scene->plane, 4) || (normal[0] == 0 && normal[1] == 0 && normal[2] == 0)) {
        fb_picture_wrong(scene->picture, "a section plane has no normal");
    }
}

static float height_over(const float plane[4], const float *p) {
    return plane[0] * p[0] + plane[1] * p[1] + plane[2] * p[2] + plane[3];
}

bool fb_scene_keeps(const fb_scene *scene, const float *p) {
    return height_over(scene->plane, p) >= 0;
}

bool fb_scene_cross(const fb_scene *scene, const float *p, const float *q, float at[3]) {
    float hp = height_over(scene->plane, p), hq = height_over(scene->plane, q);
    if ((hp >= 0) == (hq >= 0)) {
        return false;
    }
    for (int k = 0; k < 3; k++) {
        at[k] = p[k] + (q[k] - p[k]) * (hp / (hp - hq));
    }
    return true;
}

bool fb_scene_cross_triangle(const fb_scene *scene, const fb_scene_mesh *mesh, size_t t,
                             float ends[6]) {
    const unsigned *corner = mesh->triangles + 3 * t;
    int found = 0; /* 2 at most: signs change an even number of times around */
    for (int i = 0; i < 3; i++) {
        const float *p = mesh->points + 3 * (size_t)corner[i];
        const float *q = mesh->points + 3 * (size_t)corner[(i + 1) % 3];
        float at[3];
        if (fb_scene_cross(scene, p, q, at)) {
            memcpy(ends + 3 * found++, at, sizeof at);
        }
    }
    return found == 2;
}

void fb_scene_cut(fb_scene *scene) {
    if (!scene->cut || !(scene->cut_width > 0)) {
        return;
    }
    for (const scene_mesh *m = scene->meshes; m; m = m->next) {
        size_t n = 0;
        float crossing[6];
        for (size_t t = 0; t < m->mesh.n_triangles && !m->mesh.whole; t++) {
            n += fb_scene_cross_triangle(scene, &m->mesh, t, crossing);
        }
        float *ends = n ? add_pieces(scene, n, scene->cut_rgb, scene->cut_width, true) : NULL;
        for (size_t t = 0; t < m->mesh.n_triangles && ends; t++) {
            if (fb_scene_cross_triangle(scene, &m->mesh, t, crossing)) {
                memcpy(ends, crossing, sizeof crossing);
                ends += 6;
            }
        }
    }
    scene->cut_width = 0; /* once is enough */
}

/* ---- marks ----------------------------------------------------------------------------------- */

fb_spot fb_spot_at(const float world[3], float right, float down) {
    return (fb_spot){{world[0], world[1], world[2]}, {right, down}, false};
}

fb_spot fb_spot_pixel(float x, float y) {
    return (fb_spot){{0, 0, 0}, {x, y}, true};
}

static void add_mark(fb_scene *scene, const scene_mark *mark) {
    scene_mark *own = copy(scene->picture, mark, 1, sizeof *mark);
    if (!own) {
        return;
    }
    if (mark->text) {
        own->text = copy(scene->picture, mark->text, strlen(mark->text) + 1, 1);
    }
    *scene->last_mark = own;
    scene->last_mark = &own->next;
}

void fb_scene_add_text(fb_scene *scene, fb_spot place, const fb_lettering *lettering,
                       const char *text) {
    if (scene) {
        add_mark(scene, &(scene_mark){.text = text, .from = place, .lettering = *lettering});
    }
}

void fb_scene_add_stroke(fb_scene *scene, fb_spot from, fb_spot to, const fb_stroke *stroke) {
    if (scene) {
        add_mark(scene, &(scene_mark){.from = from, .to = to, .stroke = *stroke});
    }
}

void fb_scene_add_dimension(fb_scene *scene, const float from[3], const float to[3], float right,
                            float down, const char *text) {
    float length = hypotf(right, down), over = length > 0 ? (length + 5) / length : 0;
    const fb_stroke thin = {.width = 0.8F, .rgb = 0x505050};
    fb_scene_add_stroke(scene, fb_spot_at(from, 0, 0), fb_spot_at(from, right * over, down * over),
                        &thin);
    fb_scene_add_stroke(scene, fb_spot_at(to, 0, 0), fb_spot_at(to, right * over, down * over),
                        &thin);
    const fb_stroke arrow = {.width = 1.2F, .heads = 2};
    fb_scene_add_stroke(scene, fb_spot_at(from, right, down), fb_spot_at(to, right, down), &arrow);
    float middle[3];
    for (int i = 0; i < 3; i++) {
        middle[i] = (from[i] + to[i]) / 2;
    }
    fb_scene_add_text(scene, fb_spot_at(middle, right, down),
                      &(fb_lettering){.size = 17, .anchor = 0.5F}, text);
}

void fb_scene_add_leader(fb_scene *scene, const float at[3], float right, float down,
                         const char *text) {
    const fb_stroke thin = {.width = 1, .rgb = 0x303030};
    fb_scene_add_stroke(scene, fb_spot_at(at, right, down), fb_spot_at(at, 0, 0), &thin);
    float aside = right < 0 ? -5 : 5;
    fb_scene_add_text(scene, fb_spot_at(at, right + aside, down),
                      &(fb_lettering){.anchor = right < 0 ? 1.0F : 0.0F}, text);
}

/* ---- the picture ----------------------------------------------------------------------------- */

const char *fb_picture_render(fb_picture *picture) {
    picture->pixels = NULL;
    if (!picture->wrong) {
        fb_picture_aim(picture);
    }
    for (fb_scene *scene = picture->scenes; scene && !picture->wrong; scene = scene->next) {
        fb_scene_cut(scene);
    }
    uint32_t *pixels = NULL;
    if (!picture->wrong) {
        pixels = take(picture, (size_t)picture->width * (size_t)picture->height, sizeof *pixels);
    }
    if (pixels) {
        picture->pixels = pixels;
        const char *wrong = fb_picture_draw(picture);
        picture->wrong = wrong ? wrong : fb_picture_letter(picture);
    }
    if (picture->wrong) {
        picture->pixels = NULL;
    }
    return picture->wrong;
}

const uint32_t *fb_picture_pixels(const fb_picture *picture) {
    return picture->pixels;
}
