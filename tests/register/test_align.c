/* Surfaces laid on each other: known similarities come back, a surface stays on itself, a known
 * deformation is followed and does not fold. */
#include "libcore/register/align.h"

#include <math.h>
#include <string.h>

#include "libcore/base/spatial.h"
#include "tests/help.h"

enum { ROWS = 40, COLUMNS = 48, VERTICES = ROWS * COLUMNS + 2, FACES = 2 * ROWS * COLUMNS };

/* A bone-like body without symmetry, 0.4 m long: a bent shaft with a head and two unequal lumps.
 * `twist`: rad, of its end at z = 0.4 against that at 0, about z. */
static fb_surface *bone(double twist, const fb_transform *moved, double (*vertices)[3]) {
    static int faces[FACES][3];
    fb_diag diag;
    fb_surface *surface = NULL;
    int n = 0;
    fb_diag_init(&diag);
    for (int i = 0; i <= ROWS + 1; i++) {
        double s = (double)i / (ROWS + 1), z = 0.4 * s;
        double r = 0.012 + 0.016 * exp(-pow((s - 0.05) / 0.12, 2)) +
                   0.012 * exp(-pow((s - 0.93) / 0.08, 2));
        r *= sqrt(fmax(0, 1 - pow(2 * s - 1, 12)));
        for (int k = 0; k < (i == 0 || i > ROWS ? 1 : COLUMNS); k++) {
            double a = 2 * M_PI * k / COLUMNS;
            double bump = 1 + 0.5 * exp(-pow((s - 0.12) / 0.08, 2)) * cos(a) +
                          0.35 * exp(-pow((s - 0.85) / 0.1, 2)) * cos(a - 2) +
                          0.15 * cos(2 * a) * s;
            double x = r * bump * cos(a) + 0.02 * s * s, y = r * bump * sin(a), t = twist * s;
            double p[3] = {x * cos(t) - y * sin(t), x * sin(t) + y * cos(t), z};
            fb_v3_copy(vertices[n], p);
            if (moved) {
                fb_transform_point(moved, p, vertices[n]);
            }
            n++;
        }
    }
    int m = 0;
    for (int k = 0; k < COLUMNS; k++) {
        int next = (k + 1) % COLUMNS, top = VERTICES - 1, last = 1 + (ROWS - 1) * COLUMNS;
        memcpy(faces[m++], (int[3]){0, 1 + next, 1 + k}, sizeof *faces);
        memcpy(faces[m++], (int[3]){top, last + k, last + next}, sizeof *faces);
        for (int i = 0; i + 1 < ROWS; i++) {
            int a = 1 + i * COLUMNS, b = a + COLUMNS;
            memcpy(faces[m++], (int[3]){a + k, a + next, b + next}, sizeof *faces);
            memcpy(faces[m++], (int[3]){a + k, b + next, b + k}, sizeof *faces);
        }
    }
    FB_TRUE(fb_surface_new(&surface, (const double(*)[3])vertices, VERTICES, (const int(*)[3])faces,
                           (size_t)m, 1, "bone", &diag) == FB_OK,
            "no surface");
    fb_diag_clear(&diag);
    return surface;
}

static double from_vertices[VERTICES][3], to_vertices[VERTICES][3];

static fb_status lay(fb_transform *map, fb_align_result *result, fb_transform_kind kind,
                     const fb_surface *from, const fb_surface *to, const fb_transform *start,
                     fb_arena *arena) {
    fb_align_options o = {.kind = kind, .start = start, .trim = 0.1};
    fb_diag diag;
    fb_diag_init(&diag);
    fb_status status = fb_align(map, result, from, to, &o, "bone", arena, &diag);
    fb_diag_clear(&diag);
    return status;
}

/* Largest distance of moved vertices from where they belong. */
static double farthest(const fb_transform *map) {
    double most = 0;
    for (int i = 0; i < VERTICES; i++) {
        double at[3];
        fb_transform_point(map, from_vertices[i], at);
        most = fmax(most, fb_v3_distance(at, to_vertices[i]));
    }
    return most;
}

/* From any place: turned by far, scaled, moved. */
static void brings_a_known_similarity_back(void) {
    fb_arena own, *arena = &own;
    fb_arena_init(arena);
    fb_transform truth, map;
    fb_align_result result;
    double axis[3] = {0.48, -0.6, 0.64};
    fb_transform_identity(&truth);
    fb_m3_rotation(truth.rotation, axis, 2.1);
    for (int i = 0; i < 9; i++) {
        truth.linear[i] = 1.13 * truth.rotation[i];
    }
    fb_v3_set(truth.translation, 0.3, -1.2, 0.7);
    fb_surface *from = bone(0, NULL, from_vertices), *to = bone(0, &truth, to_vertices);
    FB_TRUE(lay(&map, &result, FB_TRANSFORM_SIMILARITY, from, to, NULL, arena) == FB_OK,
            "of a bone-like surface");
    FB_TRUE(fabs(map.scale[0] / 1.13 - 1) < 1e-9, "of a bone-like surface");
    FB_TRUE(farthest(&map) < 1e-9, "of a bone-like surface");
    FB_TRUE(result.residual < 1e-9, "of a bone-like surface");
    FB_TRUE(result.second > 1e-4, "of a bone-like surface"); /* no other place is as good */
    fb_surface_free(from);
    fb_surface_free(to);
    fb_arena_clear(arena);
}

static void leaves_a_surface_on_itself(void) {
    fb_arena own, *arena = &own;
    fb_arena_init(arena);
    fb_transform map;
    fb_align_result result;
    fb_surface *from = bone(0, NULL, from_vertices), *to = bone(0, NULL, to_vertices);
    FB_TRUE(lay(&map, &result, FB_TRANSFORM_SIMILARITY, from, to, NULL, arena) == FB_OK,
            "of a bone-like surface");
    FB_TRUE(farthest(&map) < 1e-12, "of a bone-like surface");
    fb_surface_free(from);
    fb_surface_free(to);
    fb_arena_clear(arena);
}

/* A twisted bone is followed on its surface, and nothing is turned inside out, off it neither. */
static void follows_a_twist_without_folds(void) {
    fb_arena own, *arena = &own;
    fb_arena_init(arena);
    fb_transform map, start;
    fb_align_result result;
    fb_transform_identity(&start);
    fb_surface *from = bone(0, NULL, from_vertices), *to = bone(0.35, NULL, to_vertices);
    FB_TRUE(lay(&map, &result, FB_TRANSFORM_SIMILARITY, from, to, &start, arena) == FB_OK,
            "of a bone-like surface");
    double before = result.residual;
    FB_TRUE(lay(&map, &result, FB_TRANSFORM_SURFACE, from, to, &start, arena) == FB_OK,
            "of a bone-like surface");
    FB_TRUE(result.residual < 0.5 * before, "of a bone-like surface");
    FB_TRUE(result.residual < 1e-3, "of a bone-like surface");
    for (int i = 0; i < VERTICES; i++) {
        for (int side = -1; side <= 1; side++) { /* 2 cm inside to 2 cm outside */
            double p[3], j[9];
            fb_v3_copy(p, from_vertices[i]);
            fb_v3_scale(p, 1 + 0.3 * side, p);
            fb_transform_jacobian(&map, p, j);
            double det = j[0] * (j[4] * j[8] - j[5] * j[7]) - j[1] * (j[3] * j[8] - j[5] * j[6]) +
                         j[2] * (j[3] * j[7] - j[4] * j[6]);
            FB_TRUE(det > 0.1, "of a bone-like surface");
        }
    }
    fb_surface_free(from);
    fb_surface_free(to);
    fb_arena_clear(arena);
}

int main(int argc, char **argv) {
    static const fb_test tests[] = {FB_TEST(brings_a_known_similarity_back),
                                    FB_TEST(leaves_a_surface_on_itself),
                                    FB_TEST(follows_a_twist_without_folds), FB_TEST_END};
    return fb_test_main("align", tests, argc, argv);
}
