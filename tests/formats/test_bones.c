/* Meshes of bodies as bones: nearest points of a brick, known in closed form. */
#include "formats/bones.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/text.h"
#include "tests/help.h"

/* A brick of 2 x 4 x 6 about its middle; `inward`: its faces look inward. */
static void write_brick(const char *file, bool inward) {
    static const int quads[6][4] = {{1, 3, 4, 2}, {5, 6, 8, 7}, {1, 2, 6, 5},
                                    {3, 7, 8, 4}, {1, 5, 7, 3}, {2, 4, 8, 6}};
    char text[1000];
    int n = 0;
    for (int i = 0; i < 8; i++) {
        n += snprintf(text + n, sizeof text - (size_t)n, "v %d %d %d\n", i & 1 ? 1 : -1,
                      i & 2 ? 2 : -2, i & 4 ? 3 : -3);
    }
    for (int i = 0; i < 6; i++) {
        const int *q = quads[i];
        n += snprintf(text + n, sizeof text - (size_t)n, "f %d %d %d %d\n", q[0], q[inward ? 3 : 1],
                      q[2], q[inward ? 1 : 3]);
    }
    fb_test_write_file(file, text, (size_t)n);
}

typedef struct rig {
    fb_model *model;
    fb_system *system;
    fb_state *state;
    fb_bones bones;
    fb_diag diag;
} rig;

/* A body that slides along x by s = 1 m, with a brick of 0.02 x 0.08 x 0.06 m at (0, 0.5, 0) of it,
 * turned about z by a right angle: 0.08 along x, 0.02 along y. */
static rig open(const char *mesh, const char *folder) {
    static const char *folders[1];
    rig r;
    char text[1000];
    memset(&r, 0, sizeof r);
    snprintf(text, sizeof text,
             "{'fb': '1.0', 'bodies': [{'name': 'b', 'mass': 1}, {'name': 'c', 'mass': 1}], "
             "'frames': [{'name': 'f', 'parent': 'b', 'translation': [0, 0.5, 0], 'rotation_xyz': "
             "[0, 0, 1.5707963267948966], 'geometry': [{'mesh': '%s', 'scale': [0.01, 0.02, "
             "0.01]}]}], 'joints': [{'name': 'j', 'type': 'slider', 'parent': 'ground', 'child': "
             "'b', 'coordinates': [{'name': 's', 'default': 1}]}, {'name': 'k', 'type': 'weld', "
             "'parent': 'b', 'child': 'c'}]}",
             mesh);
    fb_test_quotes(text);
    fb_system_options options = {false};
    r.model = fb_test_must(fb_test_fb(text, &r.diag, NULL), &r.diag);
    FB_EQUAL_INT(fb_system_compile(&r.system, r.model, &options, &r.diag), FB_OK);
    r.state = fb_state_new(r.system);
    fb_state_defaults(r.state);
    fb_state_position(r.state);
    folders[0] = folder;
    FB_EQUAL_INT(fb_bones_read(&r.bones, r.system, folders, 1, FB_MAX_BYTES, &r.diag), FB_OK);
    return r;
}

static void end(rig *r) {
    fb_bones_free(&r->bones);
    fb_state_free(r->state);
    fb_system_free(r->system);
    fb_model_free(r->model);
    fb_diag_clear(&r->diag);
}

static void check(rig *r, double x, double y, double z, double nx, double ny, double nz, bool in) {
    const bool bodies[3] = {false, true, true};
    double point[3] = {x, y, z}, nearest[3] = {9, 9, 9};
    bool inside = !in;
    const char *name = "";
    FB_TRUE(fb_bones_nearest(&r->bones, r->state, bodies, point, nearest, &inside, &name),
            "there is a bone");
    FB_NEAR(nearest[0], nx, 1e-12, 0);
    FB_NEAR(nearest[1], ny, 1e-12, 0);
    FB_NEAR(nearest[2], nz, 1e-12, 0);
    FB_EQUAL_INT(inside, in);
}

static void nearest_points_are_those_of_the_brick(void) {
    const char *folder = fb_test_folder();
    for (int inward = 0; inward < 2; inward++) {
        write_brick(fb_test_path(folder, "brick.obj"), inward);
        rig r = open("brick.obj", folder);
        FB_EQUAL_INT(r.bones.n, 1);
        check(&r, 1.01, 0.6, 0.02, 1.01, 0.51, 0.02, false);      /* before a face */
        check(&r, 1.1, 0.55, 0.01, 1.04, 0.51, 0.01, false);      /* beyond an edge */
        check(&r, 1.1, 0.6, -0.1, 1.04, 0.51, -0.03, false);      /* beyond a corner */
        check(&r, 1.01, 0.505, 0.001, 1.01, 0.51, 0.001, true);   /* inside */
        check(&r, 1.039, 0.501, 0.005, 1.04, 0.501, 0.005, true); /* inside, by a side */
        const bool other[3] = {true, false, true};
        double point[3] = {0, 0, 0}, nearest[3];
        bool inside;
        const char *name;
        FB_TRUE(!fb_bones_nearest(&r.bones, r.state, other, point, nearest, &inside, &name),
                "that body has none");
        end(&r);
    }
}

static void what_cannot_be_read_is_left_out(void) {
    const char *folder = fb_test_folder();
    fb_test_write_file(fb_test_path(folder, "bad.obj"), "f 1 2 3\n", 8);
    rig r = open("bad.obj", folder);
    FB_EQUAL_INT(r.bones.n, 0);
    FB_RECORD(&r.diag, FB_WARNING, FB1402, -1);
    end(&r);
    r = open("none.obj", folder);
    FB_EQUAL_INT(r.bones.n, 0);
    FB_EQUAL_INT(r.bones.n_missing, 1);
    FB_NO_RECORD(&r.diag, FB1402);
    end(&r);
}

static void memory_may_run_out(void) {
    const char *folder = fb_test_folder(), *folders[1] = {folder};
    write_brick(fb_test_path(folder, "brick.obj"), false);
    rig r = open("brick.obj", folder);
    for (long n = 1; n < 500; n++) {
        fb_bones_free(&r.bones);
        fb_alloc_fail_at(n);
        fb_status status = fb_bones_read(&r.bones, r.system, folders, 1, FB_MAX_BYTES, &r.diag);
        fb_alloc_fail_at(0);
        if (status == FB_OK && r.bones.n == 1) {
            FB_TRUE(n > 3, "it allocates");
            break;
        }
        FB_TRUE(status == FB_E_MEMORY || r.bones.n == 0, "status %d", status);
    }
    FB_EQUAL_INT(r.bones.n, 1);
    end(&r);
}

int main(int argc, char **argv) {
    static const fb_test tests[] = {
        FB_TEST(nearest_points_are_those_of_the_brick),
        FB_TEST(what_cannot_be_read_is_left_out),
        FB_TEST(memory_may_run_out),
        FB_TEST_END,
    };
    return fb_test_main("bones", tests, argc, argv);
}
