#include "formats/transforms.h"

#include <math.h>
#include <string.h>

#include "formats/json.h"
#include "libcore/base/number.h"

#define TURN_TIE 1e-6 /* how far a rotation may be from one */

/* ---- lists ----------------------------------------------------------------------------------- */

void fb_transforms_init(fb_transforms *transforms) {
    memset(transforms, 0, sizeof *transforms);
    fb_arena_init(&transforms->arena);
}

void fb_transforms_free(fb_transforms *transforms) {
    fb_arena_clear(&transforms->arena);
    fb_transforms_init(transforms);
}

static double (*copy_points(fb_arena *arena, double (*points)[3], int n))[3] {
    double(*copy)[3] = fb_arena_array(arena, (size_t)n + 1, sizeof *copy);
    if (n > 0) {
        memcpy(copy, points, (size_t)n * sizeof *copy);
    }
    return copy;
}

void fb_transforms_add(fb_transforms *transforms, const fb_body_transform *item) {
    fb_arena *arena = &transforms->arena;
    fb_body_transform copy = *item;
    copy.body = fb_arena_dup(arena, item->body);
    copy.transform.centers = copy_points(arena, item->transform.centers, item->transform.n);
    copy.transform.weights = copy_points(arena, item->transform.weights, item->transform.n);
    FB_PUSH(arena, transforms->items, transforms->n, transforms->capacity, copy);
}

void fb_transforms_add_joint(fb_transforms *transforms, const fb_joint_place *joint) {
    fb_joint_place copy = *joint;
    copy.joint = fb_arena_dup(&transforms->arena, joint->joint);
    FB_PUSH(&transforms->arena, transforms->joints, transforms->n_joints,
            transforms->capacity_joints, copy);
}

const fb_body_transform *fb_transforms_find(const fb_transforms *transforms, const char *body) {
    for (size_t i = 0; i < transforms->n; i++) {
        if (strcmp(transforms->items[i].body, body) == 0) {
            return &transforms->items[i];
        }
    }
    return NULL;
}

/* ---- reading --------------------------------------------------------------------------------- */

typedef struct reader {
    fb_transforms *transforms;
    fb_arena *arena;
    const char *bytes, *file;
    size_t size;
    fb_diag *diag;
    int line;
    const char *of; /* the body or joint that is read */
    bool failed;
} reader;

static void wrong(reader *r, const char *key, const char *what) {
    fb_diag_add(r->diag, FB_ERROR, FB1413, (fb_place){r->file, r->line, NULL, NULL}, NULL,
                "%s%s%s%s%s %s", r->of ? "'" : "", r->of ? r->of : "", r->of ? "': " : "",
                key ? "its " : "", key ? key : "it", what);
    r->failed = true;
}

static bool read_numbers(const json_t *json, double *x, size_t n) {
    bool good = json_is_array(json) && json_array_size(json) == n;
    for (size_t i = 0; good && i < n; i++) {
        const json_t *number = json_array_get(json, i);
        x[i] = json_number_value(number);
        good = json_is_number(number) && isfinite(x[i]);
    }
    return good;
}

/* A vector that must be there, unless `there` is to tell whether it is. */
static void read_vector(reader *r, const json_t *object, const char *key, double *x, bool *there) {
    const json_t *json = json_object_get(object, key);
    if (there) {
        *there = json != NULL;
    }
    if (!r->failed && (json || !there) && !read_numbers(json, x, 3)) {
        wrong(r, key, "must be a list of three numbers");
    }
}

static void read_matrix(reader *r, const json_t *object, const char *key, double *x, bool *there) {
    const json_t *json = json_object_get(object, key);
    if (there) {
        *there = json != NULL;
    }
    if (r->failed || (!json && there)) {
        return;
    }
    bool good = json_is_array(json) && json_array_size(json) == 3;
    for (size_t i = 0; good && i < 3; i++) {
        good = read_numbers(json_array_get(json, i), x + 3 * i, 3);
    }
    if (!good) {
        wrong(r, key, "must be three rows of three numbers");
    }
}

/* R^T R is 1 and its determinant positive. */
static void check_rotation(reader *r, const double *R) {
    double product[9], z[3];
    fb_m3_tmul(product, R, R);
    double error = 0;
    for (int i = 0; i < 9; i++) {
        error = fmax(error, fabs(product[i] - (i % 4 == 0)));
    }
    const double x[3] = {R[0], R[3], R[6]}, y[3] = {R[1], R[4], R[7]};
    fb_v3_cross(z, x, y);
    if (!r->failed && !(error <= TURN_TIE)) {
        wrong(r, "rotation", "is none: its columns are not perpendicular unit vectors");
    } else if (!r->failed && z[0] * R[2] + z[1] * R[5] + z[2] * R[8] < 0) {
        wrong(r, "rotation", "mirrors; that is said by \"mirrored\": true");
    }
}

/* The linear part that rotation and scales make; what the file says must be that. */
static void settle_linear(reader *r, fb_transform *t, bool given) {
    double sign = t->mirrored ? -1 : 1, error = 0, size = 0;
    for (int i = 0; i < 9; i++) {
        double product = sign * t->rotation[i] * t->scale[i % 3];
        error = fmax(error, given ? fabs(t->linear[i] - product) : 0);
        size = fmax(size, fabs(product));
        t->linear[i] = given ? t->linear[i] : product;
    }
    bool free = t->kind > FB_TRANSFORM_ANISOTROPIC;
    if (r->failed) {
        return;
    }
    if (free && !given) {
        wrong(r, NULL, "must have a linear part, three rows of three numbers");
    } else if (!free && !(error <= TURN_TIE * size)) {
        wrong(r, "linear part",
              "is not its rotation times its scales; change both or leave it out");
    }
}

static double (*read_points(reader *r, const json_t *object, const char *key, int *n))[3] {
    const json_t *list = json_object_get(object, key);
    size_t count = json_array_size(list);
    double(*points)[3] = fb_arena_array(r->arena, count + 1, sizeof *points);
    bool good = json_is_array(list) && count < 1000000;
    for (size_t i = 0; good && i < count; i++) {
        good = read_numbers(json_array_get(list, i), points[i], 3);
    }
    if (!r->failed && !good) {
        wrong(r, key, "must be a list of lists of three numbers");
    }
    *n = good ? (int)count : 0;
    return points;
}

static void read_spline(reader *r, const json_t *item, fb_transform *t) {
    int n_weights = 0;
    t->centers = read_points(r, item, "centers", &t->n);
    t->weights = read_points(r, item, "weights", &n_weights);
    if (!r->failed && t->n != n_weights) {
        wrong(r, "weights", "must be as many as its centers");
    }
}

static double read_number(reader *r, const json_t *object, const char *key, double missing) {
    const json_t *json = json_object_get(object, key);
    if (!r->failed && json && !json_is_number(json)) {
        wrong(r, key, "must be a number");
    }
    return json_is_number(json) ? json_number_value(json) : missing;
}

static bool read_name(reader *r, const json_t *item, const char *key) {
    r->of = json_string_value(json_object_get(item, key));
    if (!r->of || !*r->of) {
        r->of = NULL;
        wrong(r, NULL,
              strcmp(key, "body") == 0 ? "must be an object with a body"
                                       : "must be an object with a joint");
    }
    return !r->failed;
}

static void read_transform(reader *r, const json_t *item) {
    fb_body_transform b;
    fb_transform *t = &b.transform;
    bool given, framed;
    memset(&b, 0, sizeof b);
    if (!read_name(r, item, "body")) {
        return;
    }
    const char *word = json_string_value(json_object_get(item, "kind"));
    int kind = word ? fb_transform_kind_of(word) : -1;
    if (kind < 0) {
        wrong(r, "kind", "must be rigid, similarity, anisotropic, affine, tps or surface");
        return;
    }
    b.body = r->of;
    b.line = r->line;
    t->kind = (fb_transform_kind)kind;
    t->mirrored = json_is_true(json_object_get(item, "mirrored"));
    read_matrix(r, item, "rotation", t->rotation, NULL);
    read_vector(r, item, "scale", t->scale, NULL);
    read_vector(r, item, "translation", t->translation, NULL);
    read_matrix(r, item, "linear", t->linear, &given);
    check_rotation(r, t->rotation);
    if (!r->failed && !(t->scale[0] > 0 && t->scale[1] > 0 && t->scale[2] > 0)) {
        wrong(r, "scale", "must be above 0");
    }
    settle_linear(r, t, given);
    t->smoothing = read_number(r, item, "smoothing", 0);
    b.residual = read_number(r, item, "residual", FB_NAN);
    b.n_points = (int)fmin(fmax(read_number(r, item, "points", 0), 0), 1e9);
    if (t->kind == FB_TRANSFORM_TPS || t->kind == FB_TRANSFORM_SURFACE) {
        read_spline(r, item, t);
    }
    const json_t *frame = json_object_get(item, "frame");
    fb_pose_identity(&b.frame);
    b.framed = frame != NULL;
    if (frame) {
        read_matrix(r, frame, "rotation", b.frame.R, &framed);
        read_vector(r, frame, "translation", b.frame.p, &framed);
        check_rotation(r, b.frame.R);
    }
    if (!r->failed && fb_transforms_find(r->transforms, b.body)) {
        wrong(r, NULL, "has a transformation already");
    }
    if (!r->failed) {
        fb_transforms_add(r->transforms, &b);
    }
}

static void read_joint(reader *r, const json_t *item) {
    fb_joint_place j;
    bool there;
    memset(&j, 0, sizeof j);
    if (!read_name(r, item, "joint")) {
        return;
    }
    j.joint = r->of;
    j.line = r->line;
    read_vector(r, item, "parent", j.parent, &j.in_parent);
    read_vector(r, item, "child", j.child, &j.in_child);
    read_vector(r, item, "axis_parent", j.axis_parent, &there);
    read_vector(r, item, "axis_child", j.axis_child, &there);
    if (!r->failed && !j.in_parent && !j.in_child) {
        wrong(r, NULL, "must have a place in its parent or in its child");
    }
    if (!r->failed) {
        fb_transforms_add_joint(r->transforms, &j);
    }
}

static void read_list(reader *r, const json_t *top, const char *key,
                      void (*read)(reader *, const json_t *)) {
    const json_t *list = json_object_get(top, key);
    size_t n = json_array_size(list);
    int *lines = fb_arena_array(r->arena, n + 1, sizeof *lines);
    fb_json_item_lines(r->bytes, r->size, key, lines, n);
    for (size_t i = 0; i < n && !r->failed; i++) {
        r->line = lines[i];
        r->of = NULL;
        read(r, json_array_get(list, i));
    }
}

static void read_top(reader *r, const json_t *top) {
    const json_t *joints = json_object_get(top, "joints");
    r->line = 1;
    if (!json_is_array(json_object_get(top, "transforms"))) {
        wrong(r, NULL, "must have a list 'transforms'");
        return;
    }
    if (joints && !json_is_array(joints)) {
        wrong(r, "joints", "must be a list");
        return;
    }
    read_list(r, top, "transforms", read_transform);
    read_list(r, top, "joints", read_joint);
    if (!r->failed && r->transforms->n == 0) {
        r->line = 1;
        r->of = NULL;
        wrong(r, NULL, "holds no transformation");
    }
}

fb_status fb_transforms_read(fb_transforms *transforms, const char *bytes, size_t size,
                             const char *file, fb_diag *diag) {
    jmp_buf oom;
    fb_transforms_init(transforms);
    json_t *const top = fb_json_parse(bytes, size, file, diag);
    if (!top) {
        return diag->out_of_memory ? FB_E_MEMORY : FB_E_INPUT;
    }
    if (setjmp(oom)) {
        json_decref(top);
        fb_transforms_free(transforms);
        fb_diag_add(diag, FB_ERROR, FB1003, (fb_place){file, 0, NULL, NULL}, NULL, "out of memory");
        return FB_E_MEMORY;
    }
    transforms->arena.oom = &oom;
    reader r = {.transforms = transforms,
                .arena = &transforms->arena,
                .bytes = bytes,
                .file = file,
                .size = size,
                .diag = diag};
    read_top(&r, top);
    transforms->arena.oom = NULL;
    json_decref(top);
    if (r.failed) {
        fb_transforms_free(transforms);
        return FB_E_INPUT;
    }
    return FB_OK;
}

/* ---- writing --------------------------------------------------------------------------------- */

static void write_numbers(fb_text *out, const double *x) {
    for (int k = 0; k < 3; k++) {
        fb_text_puts(out, k ? ", " : "[");
        fb_text_number(out, x[k]);
    }
    fb_text_puts(out, "]");
}

static void write_vector(fb_text *out, const char *key, const double *x) {
    fb_text_printf(out, ", \"%s\": ", key);
    write_numbers(out, x);
}

static void write_rows(fb_text *out, const char *key, const double *rows, int n) {
    fb_text_printf(out, "\"%s\": [", key);
    for (int i = 0; i < n; i++) {
        fb_text_puts(out, i ? ", " : "");
        write_numbers(out, rows + 3 * i);
    }
    fb_text_puts(out, "]");
}

static void write_transform(fb_text *out, const fb_body_transform *b) {
    const fb_transform *t = &b->transform;
    fb_text_puts(out, "  {\"body\": ");
    fb_json_string(out, b->body);
    fb_text_printf(out, ", \"kind\": \"%s\"", fb_transform_word(t->kind));
    fb_text_puts(out, t->mirrored ? ", \"mirrored\": true" : "");
    fb_text_puts(out, ",\n   ");
    write_rows(out, "rotation", t->rotation, 3);
    write_vector(out, "scale", t->scale);
    write_vector(out, "translation", t->translation);
    fb_text_puts(out, ",\n   ");
    write_rows(out, "linear", t->linear, 3);
    if (isfinite(b->residual)) {
        fb_text_puts(out, ", \"residual\": ");
        fb_text_number(out, b->residual);
    }
    if (b->n_points > 0) {
        fb_text_printf(out, ", \"points\": %d", b->n_points);
    }
    if (b->framed) {
        fb_text_puts(out, ",\n   \"frame\": {");
        write_rows(out, "rotation", b->frame.R, 3);
        write_vector(out, "translation", b->frame.p);
        fb_text_puts(out, "}");
    }
    if (t->kind == FB_TRANSFORM_TPS || t->kind == FB_TRANSFORM_SURFACE) {
        fb_text_puts(out, ",\n   \"smoothing\": ");
        fb_text_number(out, t->smoothing);
        fb_text_puts(out, ",\n   ");
        write_rows(out, "centers", (const double *)t->centers, t->n);
        fb_text_puts(out, ",\n   ");
        write_rows(out, "weights", (const double *)t->weights, t->n);
    }
    fb_text_puts(out, "}");
}

static void write_joint(fb_text *out, const fb_joint_place *j) {
    static const double none[3] = {0, 0, 0};
    fb_text_puts(out, "  {\"joint\": ");
    fb_json_string(out, j->joint);
    if (j->in_parent) {
        write_vector(out, "parent", j->parent);
    }
    if (memcmp(j->axis_parent, none, sizeof none) != 0) {
        write_vector(out, "axis_parent", j->axis_parent);
    }
    if (j->in_child) {
        write_vector(out, "child", j->child);
    }
    if (memcmp(j->axis_child, none, sizeof none) != 0) {
        write_vector(out, "axis_child", j->axis_child);
    }
    fb_text_puts(out, "}");
}

void fb_transforms_write(fb_text *out, const fb_transforms *transforms) {
    fb_text_puts(out, "{\"transforms\": [\n");
    for (size_t i = 0; i < transforms->n; i++) {
        write_transform(out, &transforms->items[i]);
        fb_text_puts(out, i + 1 < transforms->n ? ",\n" : "\n");
    }
    fb_text_puts(out, "]");
    for (size_t i = 0; i < transforms->n_joints; i++) {
        fb_text_puts(out, i ? ",\n" : ", \"joints\": [\n");
        write_joint(out, &transforms->joints[i]);
    }
    fb_text_puts(out, transforms->n_joints ? "\n]}\n" : "}\n");
}
