/* Parts of carried models one by one: wrap objects, functions of place, joints that are fitted,
 * masses, height, bodies of which nothing is known, new meshes; and written files. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/register/carry.h"
#include "libcore/register/carry_internal.h"
#include "libcore/muscle/simulation.h"
#include "tests/help.h"

/* A thigh and a shank; a knee whose centre moves in the thigh, four kinds of wraps on the thigh. */
static const char leg[] =
    "{'fb': '1.0', 'bodies': [{'name': 'thigh', 'mass': 7, 'mass_center': [0, -0.2, 0], 'inertia': "
    "[0.1, 0.02, 0.11, 0, 0, 0.01], 'geometry': [{'mesh': 'thigh.obj'}]}, {'name': 'shank', "
    "'mass': 3, 'mass_center': [0, -0.2, 0], 'inertia': [0.05, 0.01, 0.05, 0, 0, 0]}], 'frames': "
    "[{'name': 'knee_in_thigh', 'parent': 'thigh', 'component_path': '/jointset/knee/knee_in_thigh'"
    "}], 'joints': [{'name': 'hip', 'type': 'free', 'parent': 'ground', 'child': 'thigh'}, "
    "{'name': "
    "'knee', 'type': 'custom', 'parent': 'knee_in_thigh', 'child': 'shank', 'coordinates': "
    "[{'name': 'bend', 'range': [-2, 0.5]}], 'axes': [{'name': 'rotation1', 'coordinate': 'bend', "
    "'axis': [0, 0, 1], 'function': {'type': 'linear', 'coefficients': [1, 0]}}, {'name': "
    "'rotation2', 'axis': [0, 1, 0]}, {'name': 'rotation3', 'axis': [1, 0, 0]}, {'name': "
    "'translation1', 'coordinate': 'bend', 'axis': [1, 0, 0], 'function': {'type': 'simm_spline', "
    "'x': [-2, -1, 0, 0.5], 'y': [-0.003, 0.004, -0.005, 0.001]}}, {'name': 'translation2', "
    "'coordinate': 'bend', 'axis': [0, 1, 0], 'function': {'type': 'simm_spline', 'x': [-2, -1, 0, "
    "0.5], 'y': [-0.42, -0.41, -0.4, -0.402]}}, {'name': 'translation3', 'axis': [0, 0, 1]}]}], "
    "'wraps': [{'name': 'ball', 'type': 'sphere', 'frame': 'thigh', 'translation': [0.01, -0.1, "
    "0.02], 'radius': 0.03}, {'name': 'bar', 'type': 'cylinder', 'frame': 'thigh', 'translation': "
    "[0.01, -0.39, 0], 'radius': 0.025, 'length': 0.1}, {'name': 'egg', 'type': 'ellipsoid', "
    "'frame': 'thigh', 'translation': [0, -0.2, 0.01], 'rotation_xyz': [0.3, 0.2, 0.1], "
    "'dimensions': [0.02, 0.05, 0.03]}, {'name': 'ring', 'type': 'torus', 'frame': 'thigh', "
    "'translation': [0, -0.3, 0.05], 'inner_radius': 0.01, 'outer_radius': 0.04}], 'markers': "
    "[{'name': 'high', 'frame': 'thigh', 'location': [0, 0.05, 0]}, {'name': 'low', 'frame': "
    "'shank', 'location': [0, -0.45, 0]}], 'muscles': [{'name': 'front', 'type': 'Thelen2003', "
    "'path': {'points': [{'name': 'a', 'frame': 'thigh', 'location': [0.05, -0.1, 0]}, {'name': "
    "'b', 'frame': 'shank', 'location': [0.04, -0.07, 0]}], 'wraps': [{'name': 'w', 'wrap': "
    "'bar'}]}}], 'ligaments': [{'name': 'cord', 'type': 'force_length', 'resting_length': 0.3, "
    "'path': {'points': [{'name': 'a', 'frame': 'thigh', 'location': [-0.03, -0.1, 0]}, {'name': "
    "'b', 'frame': 'shank', 'location': [-0.04, -0.07, 0]}]}}]}";

typedef struct pair {
    fb_model *standard, *model;
    fb_body_map maps[2];
    fb_carry_options options;
    fb_carry_report report;
    fb_diag diag;
} pair;

static void begin(pair *p) {
    char text[sizeof leg];
    fb_diag diag;
    memset(p, 0, sizeof *p);
    for (int i = 0; i < 2; i++) {
        memcpy(text, leg, sizeof leg);
        fb_model *model = fb_test_must(fb_test_fb(fb_test_quotes(text), &diag, NULL), &diag);
        *(i == 0 ? &p->standard : &p->model) = model;
        fb_diag_clear(&diag);
    }
    fb_diag_init(&p->diag);
    for (int i = 0; i < 2; i++) {
        p->maps[i].body = fb_model_items(p->model, "bodies")->items[i];
        p->maps[i].given = true;
        fb_transform_identity(&p->maps[i].map);
        fb_pose_identity(&p->maps[i].frame);
    }
}

static void run(pair *p) {
    FB_TRUE(fb_carry(p->model, p->standard, p->maps, 2, &p->options, &p->report, &p->diag) == FB_OK,
            "%s", p->diag.n ? p->diag.records[p->diag.n - 1].message : "");
}

static void end(pair *p) {
    fb_carry_report_free(&p->report);
    fb_model_free(p->standard);
    fb_model_free(p->model);
    fb_diag_clear(&p->diag);
}

static void stretch(fb_transform *map, double x, double y, double z) {
    const double scale[3] = {x, y, z};
    fb_transform_identity(map);
    map->kind = FB_TRANSFORM_ANISOTROPIC;
    for (int i = 0; i < 3; i++) {
        map->scale[i] = map->linear[4 * i] = scale[i];
    }
}

/* A shear: no axis of the wraps stays at right angles to the others. */
static void sheared(fb_transform *map) {
    const double A[9] = {1.1, 0.05, 0, 0, 1.2, 0.04, 0.03, 0, 0.95};
    fb_transform_identity(map);
    map->kind = FB_TRANSFORM_AFFINE;
    memcpy(map->linear, A, sizeof A);
    fb_polar3(A, map->rotation);
}

static void wraps_are_refitted(void) {
    pair p;
    begin(&p);
    sheared(&p.maps[0].map);
    run(&p);
    /* an ellipsoid stays one under a linear map: E' = A E A^T to the last digits that a fit has */
    const fb_element *old = fb_test_find(p.standard, "/bodyset/thigh/wrapobjectset/egg"),
                     *egg = fb_test_find(p.model, "/bodyset/thigh/wrapobjectset/egg");
    double angles[3], R[9], S[9], size[3], at[3], where[3], want[3], worst = 0;
    fb_get_vector(old, "rotation_xyz", angles, 3);
    fb_m3_from_xyz(R, angles);
    fb_get_vector(egg, "rotation_xyz", angles, 3);
    fb_m3_from_xyz(S, angles);
    fb_get_vector(old, "translation", at, 3);
    fb_get_vector(egg, "translation", where, 3);
    fb_transform_point(&p.maps[0].map, at, want);
    double dimensions[3];
    fb_get_vector(old, "dimensions", dimensions, 3);
    fb_get_vector(egg, "dimensions", size, 3);
    for (int k = 0; k < 50; k++) {
        double z = (2 * k - 49) / 50.0, r = sqrt(1 - z * z), x[3], q[3], d[3], local[3], sum = 0;
        fb_v3_set(x, dimensions[0] * r * cos(2.4 * k), dimensions[1] * r * sin(2.4 * k),
                  dimensions[2] * z);
        fb_m3_mul_v3(q, R, x);
        fb_v3_add(q, q, at);
        fb_transform_point(&p.maps[0].map, q, d);
        fb_v3_sub(d, d, where);
        fb_m3_tmul_v3(local, S, d);
        for (int i = 0; i < 3; i++) {
            sum += local[i] * local[i] / (size[i] * size[i]);
        }
        worst = fmax(worst, fabs(sqrt(sum) - 1));
    }
    FB_TRUE(worst < 1e-4, "the ellipsoid misses its image by %g of its size", worst);
    FB_TRUE(fb_v3_distance(where, want) < 1e-5, "centre off by %g", fb_v3_distance(where, want));
    /* a sphere becomes the one nearest to an ellipsoid: between its axes */
    double radius = fb_get_number(fb_test_find(p.model, "/bodyset/thigh/wrapobjectset/ball"),
                                  "radius");
    FB_TRUE(radius > 0.03 * 0.93 && radius < 0.03 * 1.22, "radius %g", radius);
    end(&p);
}

/* The knee's centre in the thigh, in a pose. */
static void knee_center(const fb_model *model, double bend, double *center) {
    fb_system *system = NULL;
    fb_diag diag;
    fb_diag_init(&diag);
    fb_v3_set(center, 0, 0, 0);
    if (FB_TRUE(fb_system_compile(&system, model, &(fb_system_options){false}, &diag) == FB_OK,
                "compiles")) {
        fb_state *state = fb_state_new(system);
        int thigh = fb_system_body(system, fb_test_find(model, "/bodyset/thigh"), NULL);
        const fb_element *joint = fb_test_find(model, "/jointset/knee");
        fb_pose pose;
        double ground[3], d[3];
        int shank = fb_system_body(system, fb_get_target(joint, "child"), &pose);
        fb_state_defaults(state);
        state->q[fb_system_coordinate(system, fb_test_find(model, "/jointset/knee/bend"))] = bend;
        fb_state_position(state);
        fb_pose_point(ground, &state->pose[shank], pose.p);
        fb_v3_sub(d, ground, state->pose[thigh].p);
        fb_m3_tmul_v3(center, state->pose[thigh].R, d);
        fb_state_free(state);
    }
    fb_system_free(system);
    fb_diag_clear(&diag);
}

static void knees_follow_the_bone(void) {
    for (int how = 0; how < 2; how++) {
        pair p;
        begin(&p);
        if (how == 0) {
            stretch(&p.maps[0].map, 1.1, 1.2, 0.9);
        } else {
            sheared(&p.maps[0].map);
        }
        run(&p);
        for (int k = 0; k < 4; k++) { /* the knots */
            const double at[4] = {-2, -1, 0, 0.5};
            double was[3], is[3], want[3];
            knee_center(p.standard, at[k], was);
            knee_center(p.model, at[k], is);
            fb_transform_point(&p.maps[0].map, was, want);
            FB_NEAR(fb_v3_distance(is, want), 0, 1e-12, 0);
        }
        end(&p);
    }
}

static void fitted_centers_are_met(void) {
    pair p;
    begin(&p);
    stretch(&p.maps[0].map, 1.1, 1.2, 0.9);
    stretch(&p.maps[1].map, 1.05, 1.1, 1);
    fb_joint_site site = {.joint = fb_test_find(p.model, "/jointset/knee"),
                          .in_parent = true,
                          .in_child = true,
                          .parent = {0.004, -0.47, 0.006},
                          .child = {0.001, 0.002, 0.003},
                          .axis_parent = {0.1, 0, 1}};
    p.options.sites = &site;
    p.options.n_sites = 1;
    run(&p);
    double is[3];
    knee_center(p.model, 0, is);
    FB_NEAR(fb_v3_distance(is, site.parent), 0, 1e-12, 0);
    fb_pose pose;
    const fb_element *base = NULL;
    FB_TRUE(fb_frame_pose(fb_get_target(site.joint, "child"), &pose, &base), "has a frame");
    FB_NEAR(fb_v3_distance(pose.p, site.child), 0, 1e-12, 0);
    FB_TRUE(fb_frame_pose(fb_get_target(site.joint, "parent"), &pose, &base), "has a frame");
    double n = sqrt(1.01);
    FB_NEAR(pose.R[2], 0.1 / n, 1e-12, 0);
    FB_NEAR(pose.R[8], 1 / n, 1e-12, 0);
    end(&p);
}

static double mass_of(const fb_model *model, const char *path) {
    return fb_get_number(fb_test_find(model, path), "mass");
}

static void masses_are_met(void) {
    pair p;
    begin(&p);
    stretch(&p.maps[0].map, 1.1, 1.2, 0.9);
    run(&p);
    FB_NEAR(mass_of(p.model, "/bodyset/thigh"), 7 * 1.1 * 1.2 * 0.9, 0, 1e-14);
    FB_SAME(mass_of(p.model, "/bodyset/shank"), 3);
    double I[6];
    fb_get_vector(fb_test_find(p.model, "/bodyset/thigh"), "inertia", I, 6);
    /* second moments of the standard: (Iyy + Izz - Ixx) / 2 .. */
    double k = 1.1 * 1.2 * 0.9, x = 0.015 * k * 1.21, y = 0.095 * k * 1.44, z = 0.005 * k * 0.81;
    FB_NEAR(I[0], y + z, 0, 1e-12);
    FB_NEAR(I[1], x + z, 0, 1e-12);
    FB_NEAR(I[2], x + y, 0, 1e-12);
    FB_NEAR(I[5], 0.01 * k * 1.2 * 0.9, 0, 1e-12);
    end(&p);
    begin(&p);
    stretch(&p.maps[0].map, 1.1, 1.2, 0.9);
    p.options.mass = 11.3;
    run(&p);
    FB_SAME(mass_of(p.model, "/bodyset/thigh") + mass_of(p.model, "/bodyset/shank"), 11.3);
    FB_NEAR(mass_of(p.model, "/bodyset/shank"), 3 * 1.13, 0, 1e-14);
    end(&p);
    begin(&p);
    p.options.height = 1.8; /* the markers stand 0.9 m apart */
    run(&p);
    FB_NEAR(p.report.scale, 2, 0, 1e-12);
    FB_NEAR(mass_of(p.model, "/bodyset/shank"), 24, 0, 1e-11);
    double center[3];
    knee_center(p.model, -1, center);
    FB_NEAR(center[1], -0.82, 1e-12, 0);
    FB_NEAR(fb_get_number(fb_test_find(p.model, "/forceset/cord"), "resting_length"), 0.6, 1e-9, 0);
    end(&p);
}

static void neighbours_give_their_scale(void) {
    pair p;
    begin(&p);
    stretch(&p.maps[0].map, 1.1, 1.2, 0.9);
    p.maps[1].given = false;
    run(&p);
    double low[3], s = cbrt(1.1 * 1.2 * 0.9);
    fb_get_vector(fb_test_find(p.model, "/markerset/low"), "location", low, 3);
    FB_NEAR(low[1], -0.45 * s, 1e-14, 0);
    const fb_record *told = FB_RECORD(&p.diag, FB_WARNING, FB2601, -1);
    FB_HOLDS(told ? told->message : "", "nothing says what it becomes");
    end(&p);
}

/* A path point that a refitted wrap would swallow stays outside. */
static void no_point_gets_inside(void) {
    pair p;
    begin(&p);
    stretch(&p.maps[0].map, 1.5, 1, 1.5);
    p.maps[1].identity = true; /* the shank stays small: its point is near the knee's bar */
    run(&p);
    fb_carry_lengths now;
    FB_TRUE(fb_lengths_begin(&now, p.model), "compiles");
    double center[3], at[3] = {0.04, -0.07, 0}, ground[3], x[3], d[3];
    const fb_wrap *bar = &now.paths->wraps[1];
    int shank = fb_system_body(now.system, fb_test_find(p.model, "/bodyset/shank"), NULL);
    fb_pose_point(ground, &now.state->pose[shank], at);
    fb_v3_sub(d, ground, now.state->pose[bar->body].p);
    fb_m3_tmul_v3(center, now.state->pose[bar->body].R, d);
    fb_v3_sub(d, center, bar->pose.p);
    fb_m3_tmul_v3(x, bar->pose.R, d);
    FB_TRUE(hypot(x[0], x[1]) >= bar->size[0], "%g is inside %g", hypot(x[0], x[1]), bar->size[0]);
    fb_lengths_end(&now);
    end(&p);
}

static void meshes_and_files(void) {
    pair p;
    begin(&p);
    fb_new_mesh mesh = {.body = p.maps[0].body,
                        .file = "femur.stl",
                        .scale = {0.001, 0.002, 0.001}};
    fb_pose_identity(&mesh.in_target);
    mesh.in_target.p[1] = 0.1;
    p.options.meshes = &mesh;
    p.options.n_meshes = 1;
    fb_features features;
    fb_features_init(&features);
    fb_features_add(&features, &(fb_feature){.name = "hip center",
                                             .body = "thigh",
                                             .location = {0.01, 0.02, 0.03},
                                             .weight = 1});
    p.options.target = &features;
    stretch(&p.maps[0].map, 1.1, 1.2, 0.9);
    p.maps[0].map.translation[2] = 0.05; /* the hip's frame cannot be the body's any more */
    run(&p);
    fb_features_free(&features);
    char *osim = fb_test_to_osim(p.model, FB_OSIM_NEWEST), *json = fb_test_to_fb(p.model);
    fb_diag diag;
    fb_model *back = fb_test_must(fb_test_osim(osim, &diag, NULL), &diag);
    const fb_element *marker = fb_test_find(back, "/markerset/hip_center");
    double at[3];
    fb_get_vector(marker, "location", at, 3);
    FB_SAME(at[2], 0.03);
    const fb_element *frame = fb_test_find(back, "/bodyset/thigh/thigh_mesh");
    FB_EQUAL_STR(fb_get_string(fb_test_item(frame, "geometry", 0), "mesh"), "femur.stl");
    FB_EQUAL_STR(fb_test_target(fb_test_find(back, "/jointset/hip"), "child"),
                 "/jointset/hip/thigh_hip_offset");
    FB_HOLDS(json, "thigh_hip_offset");
    fb_model_free(back);
    fb_diag_clear(&diag);
    free(osim);
    free(json);
    end(&p);
}

/* ---- bones ------------------------------------------------------------------------------------
 */

#define RINGS 40

/* A sphere of triangles. */
static fb_surface *ball(const double *center, double radius) {
    enum { N = RINGS * 2 * RINGS, M = 2 * (RINGS - 1) * 2 * RINGS };
    double(*v)[3] = calloc(N, sizeof *v);
    int(*f)[3] = calloc(M, sizeof *f), n = 0;
    for (int i = 0; i < RINGS; i++) {
        for (int k = 0; k < 2 * RINGS; k++) {
            double a = M_PI * (i + 0.002) / (RINGS - 0.996), b = M_PI * k / RINGS;
            double *p = v[i * 2 * RINGS + k];
            fb_v3_set(p, center[0] + radius * sin(a) * cos(b), center[1] + radius * sin(a) * sin(b),
                      center[2] + radius * cos(a));
            int next = (k + 1) % (2 * RINGS), at = i * 2 * RINGS, up = at + 2 * RINGS;
            if (i + 1 < RINGS) {
                int one[3] = {at + k, up + k, at + next}, two[3] = {at + next, up + k, up + next};
                memcpy(f[n++], one, sizeof one);
                memcpy(f[n++], two, sizeof two);
            }
        }
    }
    fb_surface *surface = NULL;
    fb_diag diag;
    fb_diag_init(&diag);
    FB_TRUE(fb_surface_new(&surface, (const double(*)[3])v, N, (const int(*)[3])f, (size_t)n, 1,
                           "ball", &diag) == FB_OK,
            "a ball");
    fb_diag_clear(&diag);
    free(v);
    free(f);
    return surface;
}

/* The cylinder "bar" lies on a ball of a bone; the new ball is greater than the map says. */
static void wraps_lie_on_the_bone(void) {
    const double at[3] = {0.01, -0.39, 0}, there[3] = {0.01 * 1.1, -0.39 * 1.1, 0};
    for (int how = 0; how < 2; how++) {
        pair p;
        begin(&p);
        double grown = how == 0 ? 1.1 : 1.3;
        fb_surface *from = ball(at, 0.024), *to = ball(there, 0.024 * grown);
        fb_carry_scaling(&p.maps[0].map, 1.1, false);
        p.maps[0].from = from;
        p.maps[0].to = to;
        run(&p);
        const fb_element *bar = fb_test_find(p.model, "/bodyset/thigh/wrapobjectset/bar");
        double radius = fb_get_number(bar, "radius"), scaled = 0.025 * 1.1;
        if (how == 0) {
            FB_NEAR(radius, scaled, 2e-6, 0); /* the new bone is as the map says */
        } else {
            /* it was 1 mm over the bone and is 1.1 mm over the new one */
            FB_NEAR(radius, 0.024 * 1.3 + 0.0011, 2e-3, 0);
            FB_TRUE(radius > scaled + 1e-3, "radius %g", radius);
        }
        end(&p);
        fb_surface_free(from);
        fb_surface_free(to);
    }
}

static void ends_come_out_of_the_bone(void) {
    for (int how = 0; how < 3; how++) {
        const double at[3] = {0.05, -0.1, 0.01}, there[3] = {0.05, -0.1, 0.01};
        pair p;
        begin(&p);
        fb_surface *from = ball(at, 0.005), *to = ball(there, how == 1 ? 0.005 : 0.03);
        if (how == 2) { /* nothing may change, come what may */
            p.maps[0].identity = true;
        } else {
            stretch(&p.maps[0].map, 1.01, 1, 1);
        }
        p.maps[0].from = from;
        p.maps[0].to = to;
        run(&p);
        int snapped = 0;
        for (size_t i = 0; i < p.report.n; i++) {
            const fb_carried *item = &p.report.items[i];
            if (item->what != 'o') {
                continue;
            }
            double x[3];
            fb_get_vector(item->element, "location", x, 3);
            double depth = fb_surface_nearest(to, x, NULL, NULL, NULL);
            if (item->snapped) {
                snapped++;
                FB_TRUE(depth >= 0 && depth < 1e-5, "%g", depth);
                FB_NEAR(item->to_bone, depth, 1e-12, 0);
                FB_HOLDS(item->note, "mm inside the bone");
                FB_EQUAL_STR(item->owner->name, "front");
            } else if (how == 2 && strcmp(item->owner->name, "front") == 0) {
                FB_SAME(x[0], 0.05);
            }
        }
        FB_EQUAL_INT(snapped, how == 0);
        end(&p);
        fb_surface_free(from);
        fb_surface_free(to);
    }
}

int main(int argc, char **argv) {
    static const fb_test tests[] = {FB_TEST(wraps_are_refitted),
                                    FB_TEST(knees_follow_the_bone),
                                    FB_TEST(fitted_centers_are_met),
                                    FB_TEST(masses_are_met),
                                    FB_TEST(neighbours_give_their_scale),
                                    FB_TEST(no_point_gets_inside),
                                    FB_TEST(meshes_and_files),
                                    FB_TEST(wraps_lie_on_the_bone),
                                    FB_TEST(ends_come_out_of_the_bone),
                                    FB_TEST_END};
    return fb_test_main("carry_parts", tests, argc, argv);
}
