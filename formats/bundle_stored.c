#include "formats/bundle_stored.h"

#include <math.h>
#include <string.h>

#include "formats/json.h"
#include "libcore/base/number.h"

#define MOST_CELL 1e6

typedef struct reader {
    fb_arena *arena;
    fb_stored *s;
    const char *wrong; /* NULL, or the member that cannot be read */
} reader;

static double number_of(reader *r, const json_t *object, const char *key, double missing) {
    const json_t *json = json_object_get(object, key);
    double x = json_number_value(json);
    if (json ? !json_is_number(json) || !isfinite(x) : isinf(missing)) {
        r->wrong = r->wrong ? r->wrong : key;
        return 1;
    }
    return json ? x : missing;
}
#define NEEDED FB_INFINITY

static void numbers_of(reader *r, const json_t *json, const char *key, double *x, size_t n) {
    bool good = json_is_array(json) && json_array_size(json) == n;
    for (size_t i = 0; i < n && good; i++) {
        const json_t *one = json_array_get(json, i);
        x[i] = json_number_value(one);
        good = json_is_number(one) && isfinite(x[i]);
    }
    r->wrong = good || r->wrong ? r->wrong : key;
}

static const char *text_of(reader *r, const json_t *object, const char *key, bool needed) {
    const json_t *json = json_object_get(object, key);
    const char *text = json_string_value(json);
    if ((json || needed) && (!text || !*text)) {
        r->wrong = r->wrong ? r->wrong : key;
    }
    return text ? fb_arena_dup(r->arena, text) : needed ? "" : NULL;
}

/* A member that is a list with something in it: how many. */
static size_t count_of(reader *r, const json_t *object, const char *key) {
    const json_t *list = json_object_get(object, key);
    size_t n = json_is_array(list) ? json_array_size(list) : 0;
    if (n == 0 || n > FB_LATTICE_MOST) {
        r->wrong = r->wrong ? r->wrong : key;
        return 0;
    }
    return n;
}

static void read_lines(reader *r, const json_t *object) {
    size_t n = count_of(r, object, "lines");
    r->s->lines = fb_arena_array(r->arena, n, sizeof *r->s->lines);
    r->s->n_lines = (int)n;
    for (size_t i = 0; i < n; i++) {
        const char *text = json_string_value(json_array_get(json_object_get(object, "lines"), i));
        r->wrong = text || r->wrong ? r->wrong : "lines";
        r->s->lines[i] = fb_arena_dup(r->arena, text ? text : "");
    }
}

static void read_core(reader *r, const json_t *object, fb_stored_core *core) {
    core->name = text_of(r, object, "name", true);
    core->line = text_of(r, object, "line", false);
    core->share = number_of(r, object, "share", NEEDED);
    core->volume_share = number_of(r, object, "volume_share", NEEDED);
    core->widest = number_of(r, object, "widest", NEEDED);
    numbers_of(r, json_object_get(object, "tendon"), "tendon", core->tendon, 2);
    core->course.frame = text_of(r, object, "frame", false);
    if (!json_object_get(object, "points")) {
        return;
    }
    size_t n = count_of(r, object, "points");
    core->course.points = fb_arena_array(r->arena, n, sizeof *core->course.points);
    core->course.n_points = (int)n;
    for (size_t i = 0; i < n; i++) {
        numbers_of(r, json_array_get(json_object_get(object, "points"), i), "points",
                   core->course.points[i], 3);
    }
}

static void read_cells(reader *r, const json_t *object) {
    size_t n = count_of(r, object, "cells");
    r->s->cells = fb_arena_array(r->arena, n, sizeof *r->s->cells);
    r->s->n_cells = n;
    for (size_t c = 0; c < n; c++) {
        double x[3] = {0, 0, 0};
        numbers_of(r, json_array_get(json_object_get(object, "cells"), c), "cells", x, 3);
        for (int k = 0; k < 3; k++) {
            bool good = x[k] == floor(x[k]) && fabs(x[k]) <= MOST_CELL;
            r->wrong = good || r->wrong ? r->wrong : "cells";
            r->s->cells[c][k] = good ? (int)x[k] : 0;
        }
    }
}

const char *const fb_width_law_names[3] = {"round", "sheet", "fan"};

static void read_words(reader *r, const json_t *object) {
    const char *law = text_of(r, object, "width_law", true);
    const char *ends = text_of(r, object, "ends", false);
    int k = 0;
    while (k < 3 && strcmp(fb_width_law_names[k], law) != 0) {
        k++;
    }
    r->wrong = k < 3 || r->wrong ? r->wrong : "width_law";
    r->s->law = (fb_width_law)(k < 3 ? k : 0);
    r->s->free_ends = ends && strcmp(ends, "free") == 0;
    r->s->twist_given = json_is_true(json_object_get(object, "twist_given"));
}

/* One member; the name of what is wrong in it, or NULL. */
static const char *read_stored(fb_stored *s, const json_t *object, fb_arena *arena) {
    reader r = {arena, s, NULL};
    memset(s, 0, sizeof *s);
    s->muscle = text_of(&r, object, "muscle", true);
    read_lines(&r, object);
    s->volume = number_of(&r, object, "volume", NEEDED);
    s->ratio = number_of(&r, object, "ratio", NEEDED);
    s->belly_length = number_of(&r, object, "belly_length", NEEDED);
    s->fiber_part = number_of(&r, object, "fiber_part", NEEDED);
    s->cut = number_of(&r, object, "cut", NEEDED);
    s->curve = number_of(&r, object, "junction_curve", 0);
    s->twist = number_of(&r, object, "twist", NEEDED);
    s->strength = number_of(&r, object, "strength", FB_NAN);
    numbers_of(&r, json_object_get(object, "height_direction"), "height_direction",
               s->height_direction, 3);
    s->height_body = text_of(&r, object, "height_body", false);
    if (s->height_body) {
        numbers_of(&r, json_object_get(object, "height_in_body"), "height_in_body",
                   s->height_in_body, 3);
    }
    double layers = number_of(&r, object, "layers", NEEDED);
    s->layers = layers >= 2 && layers <= 4096 ? (size_t)layers : 0;
    read_words(&r, object);
    size_t n = count_of(&r, object, "cores");
    s->cores = fb_arena_array(arena, n, sizeof *s->cores);
    s->n_cores = (int)n;
    for (size_t h = 0; h < n; h++) {
        read_core(&r, json_array_get(json_object_get(object, "cores"), h), s->cores + h);
    }
    read_cells(&r, object);
    return r.wrong;
}

/* Reads a muscle's member into the next of the list; true unless it is wrong. */
static bool read_member(fb_stored *stored, int *n, const fb_element *muscle, const json_t *json,
                        fb_arena *arena, fb_diag *diag) {
    if (json_object_get(json, "of")) { /* they are with another line */
        return true;
    }
    if (!json_is_object(json)) {
        fb_diag_add(diag, FB_ERROR, FB1303, fb_element_place(muscle), NULL,
                    "the bundles of '%s' must be an object", muscle->name);
        return false;
    }
    const char *member = read_stored(stored + *n, json, arena);
    const char *why = member ? NULL : fb_stored_check(stored + *n);
    if (member) {
        fb_diag_add(diag, FB_ERROR, FB1303, fb_element_place(muscle), NULL,
                    "the bundles of '%s': '%s' is missing, or has a wrong type or value",
                    muscle->name, member);
    } else if (why) {
        fb_diag_add(diag, FB_ERROR, FB1303, fb_element_place(muscle), NULL,
                    "the bundles of '%s': %s", muscle->name, why);
    } else {
        (*n)++;
    }
    return !member && !why;
}

fb_status fb_stored_read(fb_stored **stored, int *n, const fb_model *model, fb_arena *arena,
                         fb_diag *diag) {
    const fb_list *muscles = fb_model_items(model, "muscles");
    fb_status status = FB_OK;
    *stored = fb_arena_array(arena, muscles->n + 1, sizeof **stored);
    *n = 0;
    for (size_t i = 0; i < muscles->n; i++) {
        const char *text = fb_get_extra(muscles->items[i], "bundles");
        if (!text) {
            continue;
        }
        json_t *volatile json = fb_json_parse(text, strlen(text), model->file, diag);
        jmp_buf oom, *outer = arena->oom;
        if (setjmp(oom)) { /* the JSON must be freed before a jump further out */
            json_decref(json);
            longjmp(*outer, 1);
        }
        arena->oom = &oom;
        if (!json || !read_member(*stored, n, muscles->items[i], json, arena, diag)) {
            status = FB_E_INPUT;
        }
        arena->oom = outer;
        json_decref(json);
    }
    return status;
}
