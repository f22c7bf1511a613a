#include "formats/layers.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "formats/json.h"
#include "libcore/base/number.h"
#include "libcore/base/spatial.h"

/* ---- writing --------------------------------------------------------------------------------- */

static void write_vector(fb_text *out, const char *before, const double *v) {
    fb_text_puts(out, before);
    for (int i = 0; i < 3; i++) {
        fb_text_add(out, ",", i > 0);
        fb_json_number(out, v[i]);
    }
    fb_text_add(out, "]", 1);
}

static void write_measure(fb_text *out, const char *key, double x) {
    if (isfinite(x)) {
        fb_text_printf(out, "\"%s\":", key);
        fb_json_number(out, x);
        fb_text_add(out, ",", 1);
    }
}

static const char *head_name(const fb_body *body, int head) {
    return head >= 0 && (size_t)head < body->n_heads ? body->heads[head] : "";
}

static void write_head(fb_text *out, const fb_body *body, const fb_bundle *bundle) {
    const char *below = head_name(body, bundle->head[0]), *above = head_name(body, bundle->head[1]);
    fb_text label;
    if (!*below && !*above) {
        return;
    }
    fb_text_init(&label, NULL);
    fb_text_puts(&label, below);
    if (bundle->head[0] != bundle->head[1]) {
        fb_text_puts(&label, "/");
        fb_text_puts(&label, above);
    }
    const char *string = fb_text_string(&label);
    fb_text_puts(out, "\"head\":");
    fb_json_string(out, string ? string : "");
    fb_text_add(out, ",", 1);
    out->failed = string ? out->failed : 2; /* memory ran out */
    fb_text_free(&label);
}

static void write_bundle(fb_text *out, const fb_body *body, const fb_bundle *bundle) {
    fb_text_puts(out, "{\"muscle\":");
    fb_json_string(out, body->name ? body->name : "");
    fb_text_add(out, ",", 1);
    write_head(out, body, bundle);
    write_measure(out, "time", body->time);
    fb_text_printf(out, "\"bundle\":%d,\"cell\":[%d,%d],", bundle->order, bundle->cell[0],
                   bundle->cell[1]);
    write_measure(out, "volume", bundle->volume);
    write_measure(out, "length", bundle->length);
    write_measure(out, "ratio", bundle->ratio);
    if (isfinite(bundle->belly[0]) && isfinite(bundle->belly[1])) {
        fb_text_puts(out, "\"belly\":[");
        fb_json_number(out, bundle->belly[0]);
        fb_text_add(out, ",", 1);
        fb_json_number(out, bundle->belly[1]);
        fb_text_puts(out, "],");
    }
    fb_text_puts(out, "\"rings\":[");
    for (size_t k = 0; k < bundle->rings; k++) {
        const fb_ring *ring = body->rings + bundle->first + k;
        write_vector(out, k ? ",{\"c\":[" : "{\"c\":[", ring->c);
        write_vector(out, ",\"u\":[", ring->u);
        write_vector(out, ",\"w\":[", ring->w);
        fb_text_add(out, "}", 1);
    }
    fb_text_puts(out, "]}\n");
}

void fb_layers_write(fb_text *out, const fb_body *body) {
    for (size_t i = 0; i < body->n_bundles; i++) {
        write_bundle(out, body, body->bundles + i);
    }
}

/* ---- reading --------------------------------------------------------------------------------- */

typedef struct reader {
    fb_body *bodies;
    size_t n, capacity;
    struct room { /* of a body */
        size_t bundles, rings, heads;
    } * rooms;
    const char *file;
    int line;
    fb_diag *diag;
    bool no_memory;
} reader;

static bool refuse(reader *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool refuse(reader *r, const char *format, ...) {
    char what[200];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    fb_diag_add(r->diag, FB_ERROR, FB1410, (fb_place){r->file, r->line, NULL, NULL}, NULL, "%s",
                what);
    return false;
}

static bool lacks_memory(reader *r) {
    r->no_memory = true;
    fb_diag_add(r->diag, FB_ERROR, FB1003, (fb_place){r->file, 0, NULL, NULL}, NULL,
                "out of memory");
    return false;
}

/* Makes room for one item more. */
static bool grow(reader *r, void *items, size_t n, size_t *room, size_t item) {
    void *old, *grown;
    memcpy(&old, items, sizeof old);
    if (n < *room) {
        return true;
    }
    size_t wanted = *room ? 2 * *room : 8;
    grown = fb_realloc(old, wanted * item);
    if (!grown) {
        return lacks_memory(r);
    }
    memcpy(items, &grown, sizeof grown);
    *room = wanted;
    return true;
}

static char *copy_text(const char *text, size_t n) {
    char *copy = fb_alloc(n + 1);
    if (copy) {
        memcpy(copy, text, n);
        copy[n] = 0;
    }
    return copy;
}

static bool read_vector(const json_t *object, const char *key, size_t n, double *v) {
    const json_t *list = json_object_get(object, key);
    if (!json_is_array(list) || json_array_size(list) != n) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        const json_t *item = json_array_get(list, i);
        if (!json_is_number(item)) {
            return false;
        }
        v[i] = json_number_value(item);
    }
    return true;
}

/* A number that may be left out: then NaN. */
static bool read_measure(reader *r, const json_t *object, const char *key, double *x) {
    const json_t *value = json_object_get(object, key);
    *x = value && !json_is_null(value) ? json_number_value(value) : FB_NAN;
    return !value || json_is_null(value) || json_is_number(value) ||
           refuse(r, "%s is not a number", key);
}

static bool read_whole(reader *r, const char *key, double x, int *out) {
    if (!(x == floor(x) && fabs(x) < INT_MAX)) {
        return refuse(r, "%s is not a whole number", key);
    }
    *out = (int)x;
    return true;
}

/* The body of a muscle at a time, made if it is new; NULL if memory ran out. */
static fb_body *find_body(reader *r, const char *muscle, double time, struct room **room) {
    for (size_t i = r->n; i > 0; i--) { /* most likely the last */
        fb_body *body = r->bodies + i - 1;
        if (strcmp(body->name, muscle) == 0 &&
            (body->time == time || (isnan(body->time) && isnan(time)))) {
            *room = r->rooms + i - 1;
            return body;
        }
    }
    size_t capacity = r->capacity;
    if (!grow(r, &r->bodies, r->n, &capacity, sizeof *r->bodies) ||
        !grow(r, &r->rooms, r->n, &r->capacity, sizeof *r->rooms)) {
        return NULL;
    }
    char *name = copy_text(muscle, strlen(muscle));
    if (!name) {
        lacks_memory(r);
        return NULL;
    }
    r->bodies[r->n] = (fb_body){.name = name, .time = time};
    r->rooms[r->n] = (struct room){0, 0, 0};
    *room = r->rooms + r->n;
    return r->bodies + r->n++;
}

static bool find_head(reader *r, fb_body *body, struct room *room, const char *name, size_t n,
                      int *head) {
    *head = -1;
    if (n == 0) {
        return true;
    }
    for (size_t i = 0; i < body->n_heads; i++) {
        if (strncmp(body->heads[i], name, n) == 0 && body->heads[i][n] == 0) {
            *head = (int)i;
            return true;
        }
    }
    if (!grow(r, &body->heads, body->n_heads, &room->heads, sizeof *body->heads)) {
        return false;
    }
    char *copy = copy_text(name, n);
    if (!copy) {
        return lacks_memory(r);
    }
    *head = (int)body->n_heads;
    body->heads[body->n_heads++] = copy;
    return true;
}

static bool read_heads(reader *r, const json_t *json, fb_body *body, struct room *room, int *head) {
    const json_t *value = json_object_get(json, "head");
    if (!value || json_is_null(value)) {
        head[0] = head[1] = -1;
        return true;
    }
    if (!json_is_string(value)) {
        return refuse(r, "head is not a text");
    }
    const char *label = json_string_value(value), *slash = strchr(label, '/');
    size_t n = slash ? (size_t)(slash - label) : strlen(label);
    if (!find_head(r, body, room, label, n, &head[0])) {
        return false;
    }
    head[1] = head[0];
    return !slash || find_head(r, body, room, slash + 1, strlen(slash + 1), &head[1]);
}

static bool is_finite(const fb_ring *ring) {
    return isfinite(fb_v3_dot(ring->c, ring->c) + fb_v3_dot(ring->u, ring->u) +
                    fb_v3_dot(ring->w, ring->w));
}

static bool read_rings(reader *r, const json_t *json, fb_body *body, struct room *room,
                       fb_bundle *bundle) {
    const json_t *rings = json_object_get(json, "rings");
    bundle->first = body->n_rings;
    bundle->rings = json_array_size(rings);
    if (bundle->rings < 2) {
        return refuse(r, "a bundle needs two or more rings");
    }
    for (size_t k = 0; k < bundle->rings; k++) {
        const json_t *item = json_array_get(rings, k);
        fb_ring ring;
        if (!read_vector(item, "c", 3, ring.c) || !read_vector(item, "u", 3, ring.u) ||
            !read_vector(item, "w", 3, ring.w) || !is_finite(&ring)) {
            return refuse(r, "ring %zu is not three vectors c, u, w of finite numbers", k + 1);
        }
        if (!grow(r, &body->rings, body->n_rings, &room->rings, sizeof *body->rings)) {
            return false;
        }
        body->rings[body->n_rings++] = ring;
    }
    return true;
}

static bool read_bundle(reader *r, const json_t *json) {
    const json_t *muscle = json_object_get(json, "muscle");
    fb_bundle bundle = {0};
    double time, order, cell[2];
    struct room *room;
    if (!json_is_string(muscle)) {
        return refuse(r, "a bundle needs the name of its muscle");
    }
    if (!read_measure(r, json, "time", &time) || !read_measure(r, json, "bundle", &order) ||
        !read_measure(r, json, "volume", &bundle.volume) ||
        !read_measure(r, json, "length", &bundle.length) ||
        !read_measure(r, json, "ratio", &bundle.ratio)) {
        return false;
    }
    if (!read_vector(json, "cell", 2, cell)) {
        return refuse(r, "a bundle needs its cell, [i, j]");
    }
    if (!read_whole(r, "bundle", order, &bundle.order) ||
        !read_whole(r, "cell", cell[0], &bundle.cell[0]) ||
        !read_whole(r, "cell", cell[1], &bundle.cell[1])) {
        return false;
    }
    if (!json_object_get(json, "belly")) {
        bundle.belly[0] = bundle.belly[1] = FB_NAN;
    } else if (!read_vector(json, "belly", 2, bundle.belly)) {
        return refuse(r, "belly is not two numbers");
    }
    fb_body *body = find_body(r, json_string_value(muscle), time, &room);
    if (!body || !read_heads(r, json, body, room, bundle.head) ||
        !read_rings(r, json, body, room, &bundle) ||
        !grow(r, &body->bundles, body->n_bundles, &room->bundles, sizeof *body->bundles)) {
        return false;
    }
    body->bundles[body->n_bundles++] = bundle;
    return true;
}

static bool is_blank(const char *p, const char *end) {
    while (p < end && strchr(" \t\r", *p)) {
        p++;
    }
    return p == end;
}

static bool read_lines(reader *r, const char *p, const char *end) {
    for (r->line = 1; p < end; r->line++) {
        const char *stop = memchr(p, '\n', (size_t)(end - p));
        stop = stop ? stop : end;
        if (!is_blank(p, stop)) {
            size_t records = r->diag->n;
            json_t *json = fb_json_parse(p, (size_t)(stop - p), r->file, r->diag);
            if (!json) {
                if (r->diag->n > records) { /* it knows of one line only */
                    r->diag->records[r->diag->n - 1].line = r->diag->out_of_memory ? 0 : r->line;
                }
                r->no_memory |= r->diag->out_of_memory;
                return false;
            }
            bool read = read_bundle(r, json);
            json_decref(json);
            if (!read) {
                return false;
            }
        }
        p = stop + 1;
    }
    return true;
}

fb_status fb_layers_read(fb_body **bodies, size_t *n_bodies, const char *bytes, size_t size,
                         const char *file, fb_diag *diag) {
    reader r = {.file = file, .diag = diag};
    bool read = read_lines(&r, bytes, bytes + size);
    if (read && r.n == 0) {
        r.line = 0;
        read = refuse(&r, "it holds no bundles");
    }
    fb_free(r.rooms);
    *bodies = read ? r.bodies : NULL;
    *n_bodies = read ? r.n : 0;
    if (!read) {
        fb_layers_free(r.bodies, r.n);
    }
    return read ? FB_OK : r.no_memory ? FB_E_MEMORY : FB_E_INPUT;
}

void fb_layers_free(fb_body *bodies, size_t n_bodies) {
    for (size_t i = 0; i < n_bodies; i++) {
        fb_body_free(&bodies[i]);
    }
    fb_free(bodies);
}
