/* Surfaces as cubes and as profiles, against bodies whose sections are known. */
#include "libcore/bundle/outline.h"

#include <math.h>
#include <string.h>

#include "libcore/base/arena.h"
#include "libcore/base/spatial.h"
#include "tests/help.h"

#define PI 3.14159265358979323846
#define RINGS 80
#define SIDES 48

/* A tube closed by its tips: ellipses of half-axes a and b about an arc of a circle. */
typedef struct tube {
    double vertices[(RINGS + 1) * SIDES][3];
    int faces[2 * RINGS * SIDES][3];
    fb_shell shell;
    double ends[2][3];
} tube;

/* `bend` rad over a length; sections are bent to y = bow x^2 / 2. Half-axes at a part t of the
 * length: those of an ellipsoid; if it is blunt, of a cylinder but for the ends. */
static tube *make_tube(double length, double bend, double a, double b, double bow, bool blunt) {
    tube *t = fb_alloc(sizeof *t);
    double radius = bend > 0 ? length / bend : 0;
    int n = 0;
    for (int i = 0; i <= RINGS; i++) {
        double part = (1 - cos(PI * i / RINGS)) / 2;
        double size = sqrt(fb_greater(1 - (2 * part - 1) * (2 * part - 1), 0));
        size = blunt ? fb_lesser(1, 3 * size) : size;
        double angle = bend * (part - 0.5), at = length * (part - 0.5);
        for (int k = 0; k < SIDES; k++) {
            double turn = 2 * PI * k / SIDES, x = size * a * cos(turn);
            double y = size * b * sin(turn) + bow * x * x / 2, *v = t->vertices[i * SIDES + k];
            if (bend > 0) {
                fb_v3_set(v, x, (radius + y) * cos(angle) - radius, (radius + y) * sin(angle));
            } else {
                fb_v3_set(v, x, y, at);
            }
        }
    }
    for (int i = 0; i < RINGS; i++) {
        for (int k = 0; k < SIDES; k++) {
            int c[4] = {i * SIDES + k, i * SIDES + (k + 1) % SIDES, (i + 1) * SIDES + k,
                        (i + 1) * SIDES + (k + 1) % SIDES};
            memcpy(t->faces[n++], (int[3]){c[0], c[1], c[3]}, sizeof *t->faces);
            memcpy(t->faces[n++], (int[3]){c[0], c[3], c[2]}, sizeof *t->faces);
        }
    }
    fb_v3_copy(t->ends[0], t->vertices[0]);
    fb_v3_copy(t->ends[1], t->vertices[RINGS * SIDES]);
    t->shell = (fb_shell){(const double(*)[3])t->vertices, (const int(*)[3])t->faces,
                          (RINGS + 1) * SIDES, (size_t)n};
    return t;
}

static bool profile_of(fb_profile *p, const tube *t) {
    const char *why = fb_profile_make(p, &t->shell, (const double(*)[3])(t->ends + 1), 1);
    return FB_TRUE(!why, "%s", why ? why : "");
}

static void cubes_have_the_volume(void) {
    tube *t = make_tube(0.2, 0, 0.03, 0.015, 0, false);
    fb_solid solid;
    double volume = fb_shell_volume(&t->shell);
    FB_NEAR(volume, 4 * PI / 3 * 0.1 * 0.03 * 0.015, 0, 0.005); /* an inscribed polyhedron */
    const char *why = fb_solid_make(&solid, &t->shell, 0.001);
    if (FB_TRUE(!why, "%s", why ? why : "")) {
        FB_NEAR((double)solid.count * 1e-9, volume, 0, 0.003);
        for (size_t c = 0; c < (size_t)solid.n[0] * (size_t)solid.n[1] * (size_t)solid.n[2]; c++) {
            double p[3];
            fb_solid_centre(&solid, c, p);
            double e = p[0] * p[0] / 9e-4 + p[1] * p[1] / 2.25e-4 + p[2] * p[2] / 1e-2;
            if ((e < 0.95 && !solid.inside[c]) || (e > 1.05 && solid.inside[c])) {
                FB_TRUE(false, "cube %zu is %s", c, solid.inside[c] ? "inside" : "outside");
                break;
            }
        }
        fb_solid_free(&solid);
    }
    for (size_t f = 0; f < t->shell.n_faces; f++) { /* the other way round it is the same */
        int swap = t->faces[f][0];
        t->faces[f][0] = t->faces[f][1];
        t->faces[f][1] = swap;
    }
    FB_NEAR(fb_shell_volume(&t->shell), volume, 0, 1e-12);
    fb_free(t);
}

/* Of an ellipsoid: area pi a b (1 - z^2/c^2), width 2 a sqrt(..). */
static void ellipsoids_have_their_sections(void) {
    tube *t = make_tube(0.24, 0, 0.03, 0.012, 0, false);
    fb_profile p;
    if (profile_of(&p, t)) {
        FB_NEAR(p.length, 0.24, 0.008, 0);
        FB_NEAR(p.volume, fb_shell_volume(&t->shell), 0, 1e-12);
        double sum = 0;
        for (int k = 0; k < FB_PROFILE_SECTIONS; k++) {
            double z = p.core[k + 1][2], size = 1 - z * z / (0.12 * 0.12);
            sum += p.area[k] * p.length / FB_PROFILE_SECTIONS;
            if (size > 0.2) {
                FB_NEAR(p.area[k], PI * 0.03 * 0.012 * size, 0, 0.04);
                FB_NEAR(p.width[k], 0.06 * sqrt(size), 0.001, 0.03);
                FB_NEAR(p.height[k], 0.024 * sqrt(size), 0.001, 0.04);
                FB_NEAR(fabs(p.x[k][0]), 1, 1e-3, 0);
                FB_NEAR(p.core[k + 1][0], 0, 5e-4, 0);
                FB_NEAR(p.core[k + 1][1], 0, 5e-4, 0);
                FB_NEAR(p.bow[k], 0, 1, 0);
            }
        }
        FB_NEAR(sum, p.volume, 0, 0.01);
        FB_NEAR((double)p.widest, FB_PROFILE_SECTIONS / 2, 2, 0);
        FB_TRUE(p.core[0][2] < p.core[FB_PROFILE_SECTIONS + 1][2], "it runs from the insertion");
        for (int i = 0; i < FB_PROFILE_CORNERS; i++) { /* a circle */
            FB_NEAR(fb_length2(p.polygon[i][0], p.polygon[i][1]), 1, 0.04, 0);
        }
    }
    fb_free(t);
}

/* The core follows an arc; sections are square to it. */
static void bent_muscles_have_bent_cores(void) {
    tube *t = make_tube(0.3, 1.2, 0.02, 0.01, 0, true);
    fb_profile p;
    if (profile_of(&p, t)) {
        double radius = 0.3 / 1.2;
        FB_NEAR(p.length, 0.3, 0.01, 0);
        for (int k = 2; k < FB_PROFILE_SECTIONS - 2; k++) {
            const double *c = p.core[k + 1];
            double out[3] = {0, c[1] + radius, c[2]};
            FB_NEAR(fb_v3_norm(out), radius, 0.0015, 0);
            FB_NEAR(c[0], 0, 5e-4, 0);
            FB_NEAR(fb_v3_dot(p.z[k], out) / radius, 0, 0.06, 0);
            FB_NEAR(fabs(p.x[k][0]), 1, 1e-2, 0);
            if (k > 5 && k < FB_PROFILE_SECTIONS - 6) {
                FB_NEAR(p.area[k], PI * 0.02 * 0.01, 0, 0.06);
            }
        }
    }
    fb_free(t);
}

/* Sections that are bent themselves: the bow is found, and height is that along it. */
static void sheets_have_bows(void) {
    tube *t = make_tube(0.2, 0, 0.04, 0.008, 12, true);
    fb_profile p;
    if (profile_of(&p, t)) {
        for (int k = 8; k < FB_PROFILE_SECTIONS - 8; k++) {
            double sign = p.x[k][0] * p.z[k][2]; /* y may point the other way */
            FB_NEAR(sign * p.bow[k], 12, 1.5, 0);
            FB_NEAR(p.height[k], 0.016, 0.0015, 0);
            FB_NEAR(p.width[k], 0.08, 0.003, 0);
        }
    }
    fb_free(t);
}

static void nonsense_is_refused(void) {
    tube *t = make_tube(0.2, 0, 0.03, 0.015, 0, false);
    fb_profile p;
    fb_shell flat = {.vertices = t->shell.vertices,
                     .faces = t->shell.faces,
                     .n_vertices = 3,
                     .n_faces = 0};
    const char *why = fb_profile_make(&p, &flat, (const double(*)[3])(t->ends + 1), 1);
    FB_TRUE(why && strstr(why, "encloses nothing"), "%s", why ? why : "made");
    for (long n = 1; n < 40; n++) { /* memory */
        fb_alloc_fail_at(n);
        why = fb_profile_make(&p, &t->shell, (const double(*)[3])(t->ends + 1), 1);
        fb_alloc_fail_at(0);
        if (!why) {
            break;
        }
        FB_TRUE(strstr(why, "memory") != NULL, "allocation %ld: %s", n, why);
    }
    FB_TRUE(!why, "%s", why ? why : "");
    fb_free(t);
}

int main(int argc, char **argv) {
    static const fb_test tests[] = {
        FB_TEST(cubes_have_the_volume),        FB_TEST(ellipsoids_have_their_sections),
        FB_TEST(bent_muscles_have_bent_cores), FB_TEST(sheets_have_bows),
        FB_TEST(nonsense_is_refused),          FB_TEST_END,
    };
    return fb_test_main("outline", tests, argc, argv);
}
