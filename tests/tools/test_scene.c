/* Pictures of scenes: what is drawn is compared with the geometry that was asked for. */
#include <math.h>
#include <png.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "libcore/base/arena.h"
#include "tests/help.h"
#include "tools/scene.h"

/* For the leak checker: fontconfig, behind cairo, keeps what it read of the fonts. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) {
    return "leak:libfontconfig\n";
}

enum { WHITE = 0xFFFFFF, RED = 0xD01020, GREEN = 0x20A040, BLUE = 0x1030C0 };

static const unsigned one_triangle[] = {0, 1, 2};

static void add_triangle(fb_scene *scene, const float points[9], unsigned rgb) {
    fb_scene_add_mesh(scene, &(fb_scene_mesh){.n_points = 3,
                                              .n_triangles = 1,
                                              .points = points,
                                              .triangles = one_triangle,
                                              .colour = rgb,
                                              .plain = true});
}

/* Looks along -z with the origin in the middle of the panel. */
static fb_camera centred(float scale) {
    fb_camera camera = fb_camera_default();
    camera.scale = scale;
    memset(camera.margin, 0, sizeof camera.margin);
    return camera;
}

static fb_picture *picture_of(int width, int height, fb_scene **scene, float scale) {
    fb_picture *picture = fb_picture_new(width, height, WHITE);
    *scene = fb_picture_cell(picture, 1, 1, 0, NULL);
    fb_camera camera = centred(scale);
    fb_scene_set_camera(*scene, &camera);
    return picture;
}

static void render(fb_picture *picture) {
    const char *wrong = fb_picture_render(picture);
    FB_EQUAL_STR(wrong, NULL);
    if (wrong) {
        fprintf(stderr, "test_scene: %s\n", wrong);
        exit(1); /* what follows reads the pixels */
    }
}

static unsigned pixel(const fb_picture *picture, int width, int x, int y) {
    return fb_picture_pixels(picture)[y * width + x];
}

/* How much of a pixel on white is covered by a colour that has no red. */
static double covered(unsigned rgb) {
    return 1 - (rgb >> 16 & 255) / 255.0;
}

/* Rows and columns that differ from white: low x, low y, high x, high y. */
static void extent(const fb_picture *picture, int width, int height, int box[4]) {
    box[0] = width;
    box[1] = height;
    box[2] = box[3] = -1;
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            if (pixel(picture, width, x, y) != WHITE) {
                box[0] = x < box[0] ? x : box[0];
                box[1] = y < box[1] ? y : box[1];
                box[2] = x > box[2] ? x : box[2];
                box[3] = y > box[3] ? y : box[3];
            }
        }
    }
}

/* ---- no OpenGL ------------------------------------------------------------------------------- */

/* First of all, in another process, as EGL looks for its drivers once. */
static void without_a_driver_it_says_so(void) {
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        setenv("__EGL_VENDOR_LIBRARY_FILENAMES", "/nowhere/none.json", 1);
        fb_scene *scene;
        fb_picture *picture = picture_of(32, 32, &scene, 1);
        const char *wrong = fb_picture_render(picture);
        bool good = wrong && strstr(wrong, "EGL") && !fb_picture_pixels(picture);
        _exit(good ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    FB_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %d", status);
}

/* ---- meshes ---------------------------------------------------------------------------------- */

static void a_triangle_covers_its_pixels(void) {
    enum { W = 200, H = 100 };
    fb_scene *scene;
    fb_picture *picture = picture_of(W, H, &scene, 10);
    const float points[] = {-6, -3, 0, 7, -2, 0, 1, 4, 0}; /* 10 pixels a metre */
    const unsigned no_red = 0x0040C0;
    add_triangle(scene, points, no_red);
    render(picture);
    FB_EQUAL_INT(pixel(picture, W, 100, 50), no_red);
    FB_EQUAL_INT(pixel(picture, W, 45, 78), no_red); /* near the left lower corner */
    FB_EQUAL_INT(pixel(picture, W, 110, 14), no_red);
    FB_EQUAL_INT(pixel(picture, W, 0, 0), WHITE);
    FB_EQUAL_INT(pixel(picture, W, 60, 30), WHITE);
    FB_EQUAL_INT(pixel(picture, W, 100, 82), WHITE);
    double area = 0;
    int between = 0;
    for (int i = 0; i < W * H; i++) {
        double part = covered(fb_picture_pixels(picture)[i]);
        area += part;
        between += part > 0.01 && part < 0.99;
    }
    /* |p x q| / 2 of the sides (13, 1) and (7, 7) times 100 pixels a square metre */
    FB_NEAR(area, 50.0 * (13 * 7 - 7 * 1), 0, 0.003);
    FB_TRUE(between > 100, "only %d pixels of the edges are smoothed", between);
    fb_picture_free(picture);
}

static void what_is_nearer_hides_what_is_farther(void) {
    const float near[] = {-1, -1, 0.5F, 1, -1, 0.5F, 0, 1, 0.5F};
    const float far[] = {-2, -2, -0.5F, 2, -2, -0.5F, 0, 2, -0.5F};
    for (int k = 0; k < 4; k++) {
        fb_scene *scene;
        fb_picture *picture = picture_of(64, 64, &scene, 14);
        fb_camera camera = centred(14);
        camera.angle = k & 2 ? 0.8F : 0;
        fb_scene_set_camera(scene, &camera);
        add_triangle(scene, k & 1 ? near : far, k & 1 ? RED : GREEN);
        add_triangle(scene, k & 1 ? far : near, k & 1 ? GREEN : RED);
        render(picture);
        FB_EQUAL_INT(pixel(picture, 64, 32, 34), RED);
        FB_EQUAL_INT(pixel(picture, 64, 32, 55), GREEN);
        fb_picture_free(picture);
    }
}

static void colours_of_points_are_mixed(void) {
    fb_scene *scene;
    fb_picture *picture = picture_of(91, 91, &scene, 30);
    const float points[] = {-1, -1, 0, 1, -1, 0, 0, 2, 0}; /* the middle at 0, 0 */
    const unsigned colours[] = {0xFF0000, 0x00FF00, 0x0000FF};
    fb_scene_add_mesh(scene, &(fb_scene_mesh){.n_points = 3,
                                              .n_triangles = 1,
                                              .points = points,
                                              .colours = colours,
                                              .triangles = one_triangle,
                                              .plain = true});
    render(picture);
    unsigned middle = pixel(picture, 91, 45, 45);
    for (int shift = 0; shift < 24; shift += 8) {
        FB_NEAR(middle >> shift & 255, 85, 2, 0);
    }
    fb_picture_free(picture);
}

static void what_is_not_opaque_lets_through(void) {
    const float near[] = {-1, -1, 0.5F, 1, -1, 0.5F, 0, 1, 0.5F};
    const float far[] = {-2, -2, -0.5F, 2, -2, -0.5F, 0, 2, -0.5F};
    for (int k = 0; k < 2; k++) { /* what is opaque is drawn first in either order */
        fb_scene *scene;
        fb_picture *picture = picture_of(64, 64, &scene, 14);
        for (int i = 0; i < 2; i++) {
            bool glass = i == k;
            fb_scene_add_mesh(scene, &(fb_scene_mesh){.n_points = 3,
                                                      .n_triangles = 1,
                                                      .points = glass ? near : far,
                                                      .triangles = one_triangle,
                                                      .colour = glass ? 0xFF0000 : 0x0000FF,
                                                      .opacity = glass ? 0.25F : 0,
                                                      .plain = true});
        }
        render(picture);
        unsigned mixed = pixel(picture, 64, 32, 34);
        FB_NEAR(mixed >> 16, 64, 1, 0);
        FB_NEAR(mixed & 255, 191, 1, 0);
        FB_EQUAL_INT(pixel(picture, 64, 32, 55), 0x0000FF);
        fb_picture_free(picture);
    }
}

/* The brightness of a square that is turned about x, or seen from behind. */
static int brightness(float angle, bool from_behind) {
    fb_scene *scene;
    fb_picture *picture = picture_of(40, 40, &scene, 30);
    float c = cosf(angle), s = sinf(angle);
    const float points[] = {-1, -c, -s, 1, -c, -s, 1, c, s, -1, c, s};
    const unsigned front[] = {0, 1, 2, 0, 2, 3}, back[] = {0, 2, 1, 0, 3, 2};
    fb_scene_add_mesh(scene, &(fb_scene_mesh){.n_points = 4,
                                              .n_triangles = 2,
                                              .points = points,
                                              .triangles = from_behind ? back : front,
                                              .colour = 0xA0A0A0});
    render(picture);
    int light = (int)(pixel(picture, 40, 20, 20) & 255);
    fb_picture_free(picture);
    return light;
}

static void light_comes_from_above_to_both_sides(void) {
    int up = brightness(-0.7F, false), down = brightness(0.7F, false);
    FB_TRUE(up > down + 20, "from above %d, from below %d", up, down);
    FB_TRUE(down > 40, "from below %d is black", down);
    FB_EQUAL_INT(brightness(-0.7F, true), up);
    FB_EQUAL_INT(brightness(0.7F, true), down);
}

/* A box from -1 to 1, counterclockwise from outside. */
static void add_box(fb_scene *scene, fb_inside inside, bool whole) {
    float points[24];
    for (int i = 0; i < 8; i++) {
        for (int k = 0; k < 3; k++) {
            points[3 * i + k] = i >> k & 1 ? 1 : -1;
        }
    }
    static const unsigned quads[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                         {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    unsigned triangles[36];
    for (int q = 0; q < 6; q++) {
        const unsigned *c = quads[q], two[6] = {c[0], c[1], c[2], c[0], c[2], c[3]};
        memcpy(triangles + 6 * q, two, sizeof two);
    }
    fb_scene_add_mesh(scene, &(fb_scene_mesh){.n_points = 8,
                                              .n_triangles = 12,
                                              .points = points,
                                              .triangles = triangles,
                                              .colour = BLUE,
                                              .plain = true,
                                              .inside = inside,
                                              .inside_colour = GREEN,
                                              .whole = whole});
}

static void a_section_opens_a_mesh(void) {
    enum { N = 100 };
    for (int whole = 0; whole < 2; whole++) {
        fb_scene *scene;
        fb_picture *picture = picture_of(N, N, &scene, 40);
        add_box(scene, FB_INSIDE_COLOUR, whole);
        fb_scene_set_section(scene, (float[]){0, 0, 1}, 0.2F, RED, 3);
        render(picture);
        FB_EQUAL_INT(pixel(picture, N, 50, 50), whole ? BLUE : GREEN);
        FB_EQUAL_INT(pixel(picture, N, 10, 50), whole ? BLUE : RED); /* its outline */
        FB_EQUAL_INT(pixel(picture, N, 50, 89), whole ? BLUE : RED);
        FB_EQUAL_INT(pixel(picture, N, 5, 50), WHITE);
        fb_picture_free(picture);
    }
    /* seen from the side: cut at x = 0.5, of 80 pixels 60 are left */
    fb_scene *scene;
    fb_picture *picture = picture_of(N, N, &scene, 40);
    add_box(scene, FB_INSIDE_PALE, false);
    fb_scene_set_section(scene, (float[]){1, 0, 0}, 0.5F, RED, 0);
    render(picture);
    int box[4];
    extent(picture, N, N, box);
    FB_EQUAL_INT(box[0], 10);
    FB_EQUAL_INT(box[2], 69);
    fb_picture_free(picture);
}

/* Of a box whose upper half is cut off, seen from the side, the lower half fills the panel. */
static void a_camera_fits_what_a_section_leaves(void) {
    enum { N = 124 };
    fb_picture *picture = fb_picture_new(N, N, WHITE);
    fb_scene *scene = fb_picture_cell(picture, 1, 1, 0, NULL);
    add_box(scene, FB_INSIDE_PALE, false);
    fb_scene_set_section(scene, (float[]){0, 1, 0}, 0, RED, 0);
    render(picture);
    int box[4];
    extent(picture, N, N, box);
    FB_EQUAL_INT(box[0], 12);
    FB_EQUAL_INT(box[2], 111);
    FB_EQUAL_INT(box[1], 62 - 25);
    FB_EQUAL_INT(box[3], 62 + 24);
    fb_picture_free(picture);
}

static void a_pale_inside_is_between_its_colour_and_white(void) {
    fb_scene *scene;
    fb_picture *picture = picture_of(60, 60, &scene, 20);
    add_box(scene, FB_INSIDE_PALE, false);
    fb_scene_set_section(scene, (float[]){0, 0, 1}, 0, 0, 0);
    render(picture);
    unsigned inside = pixel(picture, 60, 30, 30);
    for (int shift = 0; shift < 24; shift += 8) {
        FB_NEAR(inside >> shift & 255, (BLUE >> shift & 255) * 0.65 + 255 * 0.35, 1, 0);
    }
    fb_picture_free(picture);
}

static void lines_lie_on_surfaces_and_are_as_wide_as_told(void) {
    enum { N = 120 };
    fb_scene *scene;
    fb_picture *picture = picture_of(N, N, &scene, 40);
    add_box(scene, FB_INSIDE_SHADED, false);
    const float on[] = {-1, 0, 1, 1, 0, 1}, behind[] = {0, -1, -0.9F, 0, 1.4F, -0.9F};
    fb_scene_add_line(scene, on, 2, RED, 4);
    fb_scene_add_line(scene, behind, 2, GREEN, 4);
    render(picture);
    int red = 0;
    for (int y = 0; y < N; y++) {
        red += pixel(picture, N, 50, y) == RED;
    }
    FB_EQUAL_INT(red, 4);
    FB_EQUAL_INT(pixel(picture, N, 60, 80), BLUE);  /* the other is hidden by the box .. */
    FB_EQUAL_INT(pixel(picture, N, 60, 10), GREEN); /* .. but where it stands out */
    fb_picture_free(picture);
}

/* ---- cameras --------------------------------------------------------------------------------- */

static void all_is_in_sight_and_fills_the_panel(void) {
    enum { W = 300, H = 200 };
    for (int k = 0; k < 3; k++) {
        fb_picture *picture = fb_picture_new(W, H, WHITE);
        fb_scene *scene = fb_picture_cell(picture, 1, 1, 0, NULL);
        const float points[] = {3, 1, 0, 9, 2, -4, 5, 6, 1};
        add_triangle(scene, points, BLUE);
        fb_camera camera = fb_camera_default();
        const float margin[4] = {20, 30, 40, 10};
        memcpy(camera.margin, margin, sizeof margin);
        camera.angle = k ? 0.7F : 0;
        camera.look[0] = k == 2 ? 0.5F : 0;
        fb_scene_set_camera(scene, &camera);
        render(picture);
        int box[4];
        extent(picture, W, H, box);
        FB_TRUE(box[0] >= 19 && box[1] >= 29 && box[2] <= 260 && box[3] <= 190,
                "%d: %d %d to %d %d", k, box[0], box[1], box[2], box[3]);
        bool wide = box[2] - box[0] >= 236, high = box[3] - box[1] >= 156;
        FB_TRUE(wide || high, "%d: %d %d to %d %d", k, box[0], box[1], box[2], box[3]);
        FB_NEAR(box[0] + box[2], 20 + 260, 3, 0); /* in the middle of what the margins leave */
        FB_NEAR(box[1] + box[3], 30 + 190, 3, 0);
        fb_picture_free(picture);
    }
}

static void a_point_is_drawn_where_it_is_projected(void) {
    unsigned long long seed = fb_test_seed();
    enum { W = 240, H = 160 };
    for (int k = 0; k < 6; k++) {
        fb_picture *picture = fb_picture_new(W, H, WHITE);
        fb_scene *scene = fb_picture_panel(picture, 0, 0, W, H, NULL);
        float p[3], line[6];
        fb_camera camera = centred(30);
        for (int i = 0; i < 3; i++) {
            p[i] = (float)fb_random_between(&seed, -1, 1);
            camera.look[i] = (float)fb_random_between(&seed, -1, 1);
            camera.up[i] = (float)fb_random_between(&seed, -1, 1);
            line[i] = p[i];
            line[3 + i] = p[i] + 1e-4F;
        }
        camera.angle = k & 1 ? 0.6F : 0;
        fb_scene_set_camera(scene, &camera);
        fb_scene_add_line(scene, line, 2, BLUE, 9);
        render(picture);
        float at[2];
        fb_scene_project(scene, p, at);
        int box[4];
        extent(picture, W, H, box);
        FB_NEAR((box[0] + box[2] + 1) / 2.0, (double)at[0], 1, 0);
        FB_NEAR((box[1] + box[3] + 1) / 2.0, (double)at[1], 1, 0);
        fb_picture_free(picture);
    }
}

static void panels_can_have_one_scale(void) {
    enum { W = 200, H = 100 };
    fb_picture *picture = fb_picture_new(W, H, WHITE);
    const float small[] = {0, 0, 0, 1, 0, 0, 0, 1, 0}, large[] = {0, 0, 0, 2, 0, 0, 0, 2, 0};
    fb_scene *left = fb_picture_cell(picture, 2, 1, 0, NULL);
    fb_scene *right = fb_picture_cell(picture, 2, 1, 1, NULL);
    add_triangle(left, small, BLUE);
    add_triangle(right, large, BLUE);
    fb_picture_one_scale(picture);
    render(picture);
    float a[2], b[2], c[2], d[2];
    fb_scene_project(left, small, a);
    fb_scene_project(left, small + 3, b);
    fb_scene_project(right, large, c);
    fb_scene_project(right, large + 3, d);
    FB_NEAR((double)(d[0] - c[0]), 76, 0.01, 0); /* 100 less two margins of 12 */
    FB_NEAR((double)(b[0] - a[0]), 38, 0.01, 0);
    FB_EQUAL_INT(pixel(picture, W, 100 + 15, 84), BLUE); /* each in its own panel */
    FB_EQUAL_INT(pixel(picture, W, 35, 64), BLUE);
    FB_EQUAL_INT(pixel(picture, W, 15, 84), WHITE);
    fb_picture_free(picture);
}

/* ---- what lies over it ----------------------------------------------------------------------- */

static void texts_stand_where_they_are_put(void) {
    enum { W = 200, H = 120 };
    for (int k = 0; k < 3; k++) {
        fb_scene *scene;
        fb_picture *picture = picture_of(W, H, &scene, 20);
        const float at[3] = {1, 1, 0}; /* pixel 120, 40 */
        fb_lettering lettering = {.size = 20, .anchor = (float)k / 2, .rgb = BLUE};
        fb_scene_add_text(scene, fb_spot_at(at, 0, 10), &lettering, "HIH");
        render(picture);
        int box[4];
        extent(picture, W, H, box);
        FB_TRUE(box[2] - box[0] > 25 && box[2] - box[0] < 50, "%d pixels wide", box[2] - box[0]);
        FB_TRUE(box[3] - box[1] > 11 && box[3] - box[1] < 18, "%d pixels high", box[3] - box[1]);
        FB_NEAR((box[1] + box[3]) / 2.0, 50, 1.5, 0);
        double x = k == 0 ? box[0] : k == 1 ? (box[0] + box[2]) / 2.0 : box[2];
        FB_NEAR(x, 120, 3, 0);
        fb_picture_free(picture);
    }
}

static void captions_are_below_the_scene(void) {
    enum { W = 160, H = 140 };
    fb_picture *picture = fb_picture_new(W, H, WHITE);
    fb_scene *scene = fb_picture_cell(picture, 1, 1, 0, "(a) one");
    const float points[] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    add_triangle(scene, points, BLUE);
    render(picture);
    int dark = 0, blue = 0;
    for (int y = H - FB_CAPTION_HEIGHT; y < H; y++) {
        for (int x = 0; x < W; x++) {
            dark += pixel(picture, W, x, y) == 0;
            blue += pixel(picture, W, x, y) == BLUE;
        }
    }
    FB_TRUE(dark > 20, "%d black pixels", dark);
    FB_EQUAL_INT(blue, 0);
    fb_picture_free(picture);
}

static void dimensions_run_beside_what_they_measure(void) {
    enum { W = 200, H = 120 };
    fb_scene *scene;
    fb_picture *picture = picture_of(W, H, &scene, 20);
    const float from[3] = {-3, 0, 0}, to[3] = {4, 0, 0}; /* pixels 40 to 180, y 60 */
    fb_scene_add_dimension(scene, from, to, 0, 30, "L");
    render(picture);
    int box[4];
    extent(picture, W, H, box);
    FB_NEAR(box[0], 40, 1, 0);
    FB_NEAR(box[2], 180, 1, 0);
    FB_NEAR(box[1], 60, 1, 0);
    FB_TRUE((pixel(picture, W, 70, 90) & 255) < 128 || (pixel(picture, W, 70, 89) & 255) < 128,
            "no line beside it");
    FB_EQUAL_INT(pixel(picture, W, 70, 60), WHITE);
    int text = 0;
    for (int y = 82; y < 99; y++) {
        for (int x = 105; x < 116; x++) {
            text += (pixel(picture, W, x, y) & 255) < 100;
        }
    }
    FB_TRUE(text > 8, "%d pixels of the text", text);
    FB_EQUAL_INT(pixel(picture, W, 103, 90), WHITE); /* the seam parts line and text */
    fb_picture_free(picture);
}

/* ---- nonsense -------------------------------------------------------------------------------- */

/* Renders, wants a sentence with `part`, frees. */
static void refuse(fb_picture *picture, const char *part) {
    const char *wrong = fb_picture_render(picture);
    FB_TRUE(wrong != NULL, "nothing wrong, but wanted: %s", part);
    if (wrong) {
        FB_HOLDS(wrong, part);
    }
    FB_TRUE(!fb_picture_pixels(picture), "pixels in spite of: %s", part);
    fb_picture_free(picture);
}

static void nonsense_is_refused_with_a_sentence(void) {
    refuse(fb_picture_new(0, 10, WHITE), "0 x 10 pixels");
    refuse(fb_picture_new(10, -3, WHITE), "10 x -3 pixels");
    refuse(fb_picture_new(8193, 10, WHITE), "8193 x 10 pixels");
    fb_scene *scene;
    fb_picture *picture = picture_of(20, 20, &scene, 1);
    fb_picture_panel(picture, 5, 5, 16, 10, NULL);
    refuse(picture, "does not lie in a picture");
    picture = picture_of(20, 20, &scene, 1);
    fb_picture_cell(picture, 1, 1, 0, "higher than the picture");
    refuse(picture, "does not lie in a picture");
    picture = picture_of(20, 20, &scene, 1);
    add_triangle(scene, (float[]){0, 0, 0, 1, 0, 0, 0, NAN, 0}, RED);
    refuse(picture, "not a number");
    picture = picture_of(20, 20, &scene, 1);
    fb_scene_add_mesh(scene, &(fb_scene_mesh){.n_points = 2,
                                              .n_triangles = 1,
                                              .points = (float[]){0, 0, 0, 1, 1, 1},
                                              .triangles = one_triangle});
    refuse(picture, "triangle 0 of a mesh names point 2 of 2");
    fb_camera camera = centred(1);
    camera.up[1] = 0;
    camera.up[2] = 3;
    picture = picture_of(20, 20, &scene, 1);
    fb_scene_set_camera(scene, &camera);
    refuse(picture, "looks nowhere");
    camera = centred(1);
    camera.margin[0] = 30;
    picture = picture_of(20, 20, &scene, 1);
    fb_scene_set_camera(scene, &camera);
    refuse(picture, "margins");
    camera = centred(1);
    camera.angle = 4;
    picture = picture_of(20, 20, &scene, 1);
    fb_scene_set_camera(scene, &camera);
    refuse(picture, "out of range");
    picture = picture_of(20, 20, &scene, 1);
    fb_scene_set_section(scene, (float[]){0, 0, 0}, 1, 0, 1);
    refuse(picture, "no normal");
    picture = picture_of(20, 20, &scene, 1);
    fb_scene_add_line(scene, (float[]){0, 0, 0, 1, 1, 1}, 2, RED, 0);
    refuse(picture, "no width");
}

static void an_empty_scene_is_a_background(void) {
    fb_picture *picture = fb_picture_new(40, 30, 0x123456);
    fb_scene *scene = fb_picture_cell(picture, 1, 1, 0, NULL);
    fb_scene_add_mesh(scene, &(fb_scene_mesh){.n_points = 0});
    render(picture);
    FB_EQUAL_INT(pixel(picture, 40, 0, 0), 0x123456);
    FB_EQUAL_INT(pixel(picture, 40, 39, 29), 0x123456);
    fb_picture_free(picture);
}

/* ---- a larger scene, its file, its time ------------------------------------------------------ */

/* A sphere of 2 n^2 triangles in changing colours, with a caption. */
static fb_picture *sphere(unsigned n, int size) {
    fb_picture *picture = fb_picture_new(size, size, WHITE);
    fb_scene *scene = fb_picture_cell(picture, 1, 1, 0, "a sphere");
    size_t points = (size_t)(n + 1) * (n + 1), triangles = 2 * (size_t)n * n;
    float *p = malloc(points * 3 * sizeof *p);
    unsigned *c = malloc(points * sizeof *c), *t = malloc(triangles * 3 * sizeof *t);
    if (!picture || !scene || !p || !c || !t) {
        exit(1);
    }
    for (unsigned i = 0; i <= n; i++) {
        for (unsigned j = 0; j <= n; j++) {
            double polar = M_PI * i / n, around = 2 * M_PI * j / n;
            size_t k = (size_t)i * (n + 1) + j;
            p[3 * k] = (float)(sin(polar) * cos(around));
            p[3 * k + 1] = (float)cos(polar);
            p[3 * k + 2] = (float)(-sin(polar) * sin(around));
            c[k] = 0x400000u * (i % 3 + 1) | 0x60u * (j % 2) | 0x3000;
        }
    }
    for (unsigned i = 0, k = 0; i < n; i++) {
        for (unsigned j = 0; j < n; j++) {
            unsigned a = i * (n + 1) + j, b = a + n + 1;
            const unsigned quad[6] = {a, b, b + 1, a, b + 1, a + 1};
            memcpy(t + k, quad, sizeof quad);
            k += 6;
        }
    }
    fb_scene_add_mesh(scene, &(fb_scene_mesh){.n_points = points,
                                              .n_triangles = triangles,
                                              .points = p,
                                              .colours = c,
                                              .triangles = t});
    free(p);
    free(c);
    free(t);
    return picture;
}

static void the_same_scene_gives_the_same_bytes(void) {
    fb_text files[2];
    for (int k = 0; k < 2; k++) {
        fb_picture *picture = sphere(30, 150);
        render(picture);
        fb_text_init(&files[k], NULL);
        FB_EQUAL_INT(fb_picture_png(picture, true, &files[k]), FB_OK);
        fb_picture_free(picture);
    }
    FB_EQUAL_INT(files[0].n, files[1].n);
    FB_TRUE(files[0].n == files[1].n && memcmp(files[0].bytes, files[1].bytes, files[0].n) == 0,
            "two files of one scene differ");
    fb_text_free(&files[0]);
    fb_text_free(&files[1]);
}

/* The greatest difference of a channel between a picture and its file as libpng reads it, the root
 * of their mean square, and the file's size. */
static int reread(const fb_picture *picture, int size, bool palette, double *mean, size_t *bytes) {
    fb_text file;
    fb_text_init(&file, NULL);
    FB_EQUAL_INT(fb_picture_png(picture, palette, &file), FB_OK);
    *bytes = file.n;
    png_image image = {.version = PNG_IMAGE_VERSION};
    FB_TRUE(png_image_begin_read_from_memory(&image, file.bytes, file.n), "%s", image.message);
    FB_EQUAL_INT(image.width, size);
    FB_EQUAL_INT(image.height, size);
    FB_EQUAL_INT(!!(image.format & PNG_FORMAT_FLAG_COLORMAP), palette);
    image.format = PNG_FORMAT_RGB;
    unsigned char *rgb = malloc(PNG_IMAGE_SIZE(image));
    FB_TRUE(png_image_finish_read(&image, NULL, rgb, 0, NULL), "%s", image.message);
    int worst = 0;
    double sum = 0;
    for (int i = 0; i < 3 * size * size; i++) {
        int want = (int)(fb_picture_pixels(picture)[i / 3] >> (16 - 8 * (i % 3)) & 255);
        int off = abs(rgb[i] - want);
        worst = off > worst ? off : worst;
        sum += off * off;
    }
    *mean = sqrt(sum / (3.0 * size * size));
    free(rgb);
    fb_text_free(&file);
    return worst;
}

static void png_files_hold_the_picture(void) {
    enum { SIZE = 300 };
    fb_picture *picture = sphere(40, SIZE);
    render(picture);
    size_t all, few;
    double mean;
    FB_EQUAL_INT(reread(picture, SIZE, false, &mean, &all), 0);
    int worst = reread(picture, SIZE, true, &mean, &few);
    FB_TRUE(worst <= 40 && mean > 0 && mean < 4, "a palette is off by %g, at most %d", mean, worst);
    FB_TRUE(few < all, "%zu bytes with a palette, %zu without", few, all);
    fb_picture_free(picture);
    /* few colours: the palette has them all */
    fb_scene *scene;
    picture = picture_of(80, 80, &scene, 20);
    add_box(scene, FB_INSIDE_SHADED, false);
    render(picture);
    FB_EQUAL_INT(reread(picture, 80, true, &mean, &few), 0);
    fb_picture_free(picture);
}

static void memory_that_runs_out_is_said(void) {
    long n = 1;
    bool done = false;
    for (; n < 200 && !done; n++) {
        fb_alloc_fail_at(n);
        fb_scene *scene = NULL;
        fb_picture *picture = fb_picture_new(40, 80, WHITE);
        if (picture) {
            scene = fb_picture_cell(picture, 1, 1, 0, "caption");
            add_box(scene, FB_INSIDE_COLOUR, false);
            fb_scene_set_section(scene, (float[]){0, 0, 1}, 0, RED, 1);
            fb_scene_add_dimension(scene, (float[]){0, 0, 0}, (float[]){1, 0, 0}, 0, 9, "L");
            const char *wrong = fb_picture_render(picture);
            fb_text file;
            fb_text_init(&file, NULL);
            done = !wrong && fb_picture_png(picture, true, &file) == FB_OK && !file.failed;
            FB_TRUE(!wrong || strcmp(wrong, "out of memory") == 0, "%s", wrong);
            fb_text_free(&file);
        }
        fb_alloc_fail_at(0);
        fb_picture_free(picture);
    }
    FB_TRUE(done && n > 4, "allocations: %ld", n);
}

static void a_hundred_thousand_triangles_take_less_than_a_second(void) {
    if (!fb_test_is_fast()) {
        return;
    }
    fb_picture *picture = sphere(224, 800); /* 100,352 */
    struct timespec from, to;
    clock_gettime(CLOCK_MONOTONIC, &from);
    render(picture);
    clock_gettime(CLOCK_MONOTONIC, &to);
    double seconds = (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec);
    FB_TRUE(seconds < 1, "%g s", seconds);
    fb_picture_free(picture);
}

int main(int argc, char **argv) {
    static const fb_test tests[] = {FB_TEST(without_a_driver_it_says_so),
                                    FB_TEST(a_triangle_covers_its_pixels),
                                    FB_TEST(what_is_nearer_hides_what_is_farther),
                                    FB_TEST(colours_of_points_are_mixed),
                                    FB_TEST(what_is_not_opaque_lets_through),
                                    FB_TEST(light_comes_from_above_to_both_sides),
                                    FB_TEST(a_section_opens_a_mesh),
                                    FB_TEST(a_camera_fits_what_a_section_leaves),
                                    FB_TEST(a_pale_inside_is_between_its_colour_and_white),
                                    FB_TEST(lines_lie_on_surfaces_and_are_as_wide_as_told),
                                    FB_TEST(all_is_in_sight_and_fills_the_panel),
                                    FB_TEST(a_point_is_drawn_where_it_is_projected),
                                    FB_TEST(panels_can_have_one_scale),
                                    FB_TEST(texts_stand_where_they_are_put),
                                    FB_TEST(captions_are_below_the_scene),
                                    FB_TEST(dimensions_run_beside_what_they_measure),
                                    FB_TEST(nonsense_is_refused_with_a_sentence),
                                    FB_TEST(an_empty_scene_is_a_background),
                                    FB_TEST(the_same_scene_gives_the_same_bytes),
                                    FB_TEST(png_files_hold_the_picture),
                                    FB_TEST(memory_that_runs_out_is_said),
                                    FB_TEST(a_hundred_thousand_triangles_take_less_than_a_second),
                                    FB_TEST_END};
    return fb_test_main("scene", tests, argc, argv);
}
