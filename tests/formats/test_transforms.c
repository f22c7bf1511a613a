/* Files of transformation parameters: what is written is read to the same bits; what is refused. */
#include "formats/transforms.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/help.h"

#define SAME_ARRAY(GOT, WANT, N) \
    for (int k_ = 0; k_ < (N); k_++) { \
        FB_SAME((GOT)[k_], (WANT)[k_]); \
    }

static fb_status read_as(fb_transforms *t, const char *text, fb_diag *diag) {
    char *quoted = fb_test_quotes(strdup(text));
    fb_diag_init(diag);
    fb_status status = fb_transforms_read(t, quoted, strlen(quoted), "t.json", diag);
    if (status == FB_OK) {
        fb_test_store_as("transforms", quoted, strlen(quoted));
    }
    free(quoted);
    return status;
}

static void random_rotation(unsigned long long *seed, double *R) {
    double axis[3] = {fb_random_between(seed, -1, 1), fb_random_between(seed, -1, 1), 1.5};
    fb_v3_normalize(axis);
    fb_m3_rotation(R, axis, fb_random_between(seed, -3, 3));
}

/* A transformation of a kind with every number random. */
static fb_body_transform random_transform(unsigned long long *seed, fb_transform_kind kind,
                                          const char *body, double (*points)[3]) {
    fb_body_transform b = {.body = body, .residual = fb_random_between(seed, 0, 1), .n_points = 9};
    fb_transform *t = &b.transform;
    t->kind = kind;
    t->mirrored = kind == FB_TRANSFORM_AFFINE || kind == FB_TRANSFORM_SIMILARITY;
    random_rotation(seed, t->rotation);
    for (int k = 0; k < 3; k++) {
        t->scale[k] = kind == FB_TRANSFORM_RIGID        ? 1
                      : kind == FB_TRANSFORM_SIMILARITY ? 1.07
                                                        : fb_random_between(seed, 0.5, 2);
        t->translation[k] = fb_random_between(seed, -1, 1);
    }
    for (int i = 0; i < 9; i++) { /* as a sum of products would have it */
        t->linear[i] = kind >= FB_TRANSFORM_AFFINE ? fb_random_between(seed, -1, 1)
                                                   : (t->mirrored ? -1 : 1) * t->rotation[i] *
                                                         t->scale[i % 3] * (1 + 1e-15);
    }
    if (kind >= FB_TRANSFORM_TPS) {
        t->n = 5;
        t->centers = points;
        t->weights = points + 5;
        t->smoothing = 0.01;
        for (int i = 0; i < 10; i++) {
            for (int k = 0; k < 3; k++) {
                points[i][k] = fb_random_between(seed, -1e-3, 1);
            }
        }
    }
    b.framed = kind != FB_TRANSFORM_RIGID;
    fb_pose_identity(&b.frame);
    if (b.framed) {
        random_rotation(seed, b.frame.R);
        b.frame.p[1] = fb_random_between(seed, -1, 1);
    }
    return b;
}

static void writes_what_it_reads(void) {
    unsigned long long seed = fb_test_seed();
    static const char *const bodies[] = {"pelvis",  "femur_r", "a \"b\"",
                                         "tibia_r", "tps",     "surface"};
    double points[6][10][3];
    fb_transforms t, again;
    fb_diag diag;
    fb_text text;
    fb_transforms_init(&t);
    fb_diag_init(&diag);
    for (int kind = 0; kind < 6; kind++) {
        fb_body_transform b = random_transform(&seed, (fb_transform_kind)kind, bodies[kind],
                                               points[kind]);
        fb_transforms_add(&t, &b);
    }
    fb_joint_place hip = {.joint = "hip_r", .in_parent = true, .parent = {0.1, 1e-3, -1.0 / 3}};
    fb_joint_place knee = {.joint = "knee_r",
                           .in_parent = true,
                           .in_child = true,
                           .child = {1, 2, 3},
                           .axis_parent = {0, 0.6, 0.8},
                           .axis_child = {0, 1, 0}};
    fb_transforms_add_joint(&t, &hip);
    fb_transforms_add_joint(&t, &knee);
    fb_text_init(&text, NULL);
    fb_transforms_write(&text, &t);
    fb_test_store_as("transforms", text.bytes, text.n);
    FB_EQUAL_INT(fb_transforms_read(&again, text.bytes, text.n, "t.json", &diag), FB_OK);
    FB_HOLDS(diag.n ? diag.records[0].message : "none", "none");
    FB_EQUAL_INT(again.n, t.n);
    for (size_t i = 0; i < again.n; i++) {
        const fb_body_transform *a = &again.items[i], *b = &t.items[i];
        const fb_transform *x = &a->transform, *y = &b->transform;
        FB_EQUAL_STR(a->body, b->body);
        FB_EQUAL_INT(x->kind, y->kind);
        FB_EQUAL_INT(x->mirrored, y->mirrored);
        FB_EQUAL_INT(x->n, y->n);
        FB_EQUAL_INT(a->n_points, 9);
        FB_EQUAL_INT(a->framed, b->framed);
        FB_SAME(a->residual, b->residual);
        FB_SAME(x->smoothing, y->smoothing);
        SAME_ARRAY(x->linear, y->linear, 9);
        SAME_ARRAY(x->rotation, y->rotation, 9);
        SAME_ARRAY(x->scale, y->scale, 3);
        SAME_ARRAY(x->translation, y->translation, 3);
        SAME_ARRAY(a->frame.R, b->frame.R, 9);
        SAME_ARRAY(a->frame.p, b->frame.p, 3);
        for (int c = 0; c < x->n; c++) {
            SAME_ARRAY(x->centers[c], y->centers[c], 3);
            SAME_ARRAY(x->weights[c], y->weights[c], 3);
        }
    }
    FB_EQUAL_INT(again.n_joints, 2);
    if (again.n_joints == 2) {
        FB_EQUAL_STR(again.joints[0].joint, "hip_r");
        FB_TRUE(again.joints[0].in_parent && !again.joints[0].in_child, "the parent alone");
        SAME_ARRAY(again.joints[0].parent, hip.parent, 3);
        SAME_ARRAY(again.joints[1].child, knee.child, 3);
        SAME_ARRAY(again.joints[1].axis_parent, knee.axis_parent, 3);
    }
    const fb_body_transform *found = fb_transforms_find(&again, "tibia_r");
    FB_TRUE(found && found->transform.kind == FB_TRANSFORM_AFFINE, "tibia_r");
    FB_TRUE(!fb_transforms_find(&again, "tibia"), "none");
    fb_text_free(&text);
    fb_transforms_free(&t);
    fb_transforms_free(&again);
    fb_diag_clear(&diag);
}

#define TURN "'rotation': [[0, -1, 0], [1, 0, 0], [0, 0, 1]]"
#define OF(KIND, MORE) \
    "{'transforms': [\n{'body': 'b', 'kind': '" KIND \
    "', 'scale': [2, 2, 2], 'translation': [1, 2, 3], " MORE "}]}"

/* Written by hand, without the linear part. */
static void makes_the_linear_part(void) {
    fb_transforms t;
    fb_diag diag;
    const double want[] = {0, -2, 0, 2, 0, 0, 0, 0, 2};
    for (int mirrored = 0; mirrored < 2; mirrored++) {
        FB_EQUAL_INT(read_as(&t,
                             mirrored ? OF("similarity", TURN ", 'mirrored': true")
                                      : OF("similarity", TURN ", 'note': 'x'"),
                             &diag),
                     FB_OK);
        for (int i = 0; i < 9 && t.n; i++) {
            FB_NEAR(t.items[0].transform.linear[i], mirrored ? -want[i] : want[i], 0, 0);
        }
        FB_TRUE(t.n && isnan(t.items[0].residual), "not said");
        fb_transforms_free(&t);
        fb_diag_clear(&diag);
    }
}

static void refuses_what_is_none(void) {
    static const struct {
        const char *text, *says;
        int line;
    } bad[] = {
        {"{'transforms': 3}", "must have a list 'transforms'", 1},
        {"{'transforms': []}", "holds no transformation", 1},
        {"[]", "must have a list", 1},
        {"{'transforms': [\n\n3]}", "an object with a body", 3},
        {"{'transforms': [\n{'body': 'b', 'kind': 'rigidd'}]}", "'b': its kind must be", 2},
        {OF("rigid", "'x': 1"), "its rotation must be three rows", 2},
        {OF("rigid", "'rotation': [[1, 0, 0], [0, 1, 0], [0, 0]]"), "three rows of three", 2},
        {OF("rigid", "'rotation': [[1, 0, 0], [0, 1, 0], [0, 0, 2]]"), "not perpendicular unit", 2},
        {OF("rigid", "'rotation': [[1, 0, 0], [0, 1, 0], [0, 0, -1]]"), "\"mirrored\": true", 2},
        {OF("similarity", TURN ", 'linear': [[0, -2, 0], [2, 0, 0], [0, 0, 2.1]]"),
         "is not its rotation times its scales", 2},
        {OF("affine", TURN), "must have a linear part", 2},
        {OF("tps", TURN ", 'linear': [[1, 0, 0], [0, 1, 0], [0, 0, 1]]"), "its centers must be", 2},
        {OF("tps", TURN ", 'linear': [[1, 0, 0], [0, 1, 0], [0, 0, 1]], 'centers': [[1, 2, 3]], "
                        "'weights': []"),
         "as many as its centers", 2},
        {OF("similarity", TURN ", 'residual': 'small'"), "its residual must be a number", 2},
        {OF("similarity", TURN ", 'frame': {'rotation': [[1, 0, 0], [0, 1, 0], [0, 0, 2]]}"),
         "not perpendicular", 2},
        {"{'transforms': [\n{'body': 'b', 'kind': 'rigid', 'scale': [1, 0, 1], 'translation': [0, "
         "0, "
         "0], " TURN "}]}",
         "must be above 0", 2},
        {"{'transforms': [\n{'body': 'b', 'kind': 'rigid', 'scale': [1, 1, 1], 'translation': [0, "
         "0, "
         "0], " TURN "},\n{'body': 'b', 'kind': 'rigid', 'scale': [1, 1, 1], 'translation': [0, 0, "
         "0], " TURN "}]}",
         "has a transformation already", 3},
        {"{'transforms': [{'body': 'b', 'kind': 'rigid', 'scale': [1, 1, 1], 'translation': [0, 0, "
         "0], " TURN "}],\n'joints': [{'joint': 'hip'}]}",
         "'hip': it must have a place", 2},
        {"{'transforms': [", "not well-formed", 1},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        fb_transforms t;
        fb_diag diag;
        FB_TRUE(read_as(&t, bad[i].text, &diag) == FB_E_INPUT, "%s", bad[i].text);
        FB_EQUAL_INT(diag.counts[FB_ERROR], 1);
        FB_HOLDS(diag.n ? diag.records[0].message : "", bad[i].says);
        FB_EQUAL_INT(diag.n ? diag.records[0].line : -1, bad[i].line);
        FB_EQUAL_INT(t.n, 0);
        fb_diag_clear(&diag);
    }
}

static void survives_lack_of_memory(void) {
    char *text = fb_test_quotes(strdup(OF("similarity", TURN)));
    for (long fail = 1; fail < 1000; fail++) {
        fb_transforms t;
        fb_diag diag;
        fb_diag_init(&diag);
        fb_alloc_fail_at(fail);
        fb_status status = fb_transforms_read(&t, text, strlen(text), "t.json", &diag);
        fb_alloc_fail_at(0);
        fb_transforms_free(&t);
        fb_diag_clear(&diag);
        if (status == FB_OK) {
            FB_TRUE(fail > 1, "nothing was allocated");
            break;
        }
        FB_EQUAL_INT(status, FB_E_MEMORY);
    }
    free(text);
}

static const fb_test tests[] = {
    FB_TEST(writes_what_it_reads),
    FB_TEST(makes_the_linear_part),
    FB_TEST(refuses_what_is_none),
    FB_TEST(survives_lack_of_memory),
    FB_TEST_END,
};

int main(int argc, char **argv) {
    return fb_test_main("transforms", tests, argc, argv);
}
