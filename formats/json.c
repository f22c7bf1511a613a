#include "formats/json.h"

#include <stdlib.h>
#include <string.h>

/* jansson does not always say that it was memory that it lacked. */
static _Thread_local bool no_memory;

static void *allocate(size_t bytes) {
    void *p = fb_alloc(bytes);
    no_memory |= !p;
    return p;
}

json_t *fb_json_parse(const char *bytes, size_t size, const char *file, fb_diag *diag) {
    json_error_t error;
    json_set_alloc_funcs(allocate, fb_free);
    no_memory = false;
    json_t *value = json_loadb(bytes, size,
                               JSON_REJECT_DUPLICATES | JSON_DECODE_ANY | JSON_DECODE_INT_AS_REAL,
                               &error);
    if (value) {
        return value;
    }
    if (no_memory) {
        fb_diag_add(diag, FB_ERROR, FB1003, (fb_place){file, 0, NULL, NULL}, NULL, "out of memory");
        diag->out_of_memory = 1;
    } else {
        fb_diag_add(diag, FB_ERROR, FB1301,
                    (fb_place){file, error.line > 0 ? error.line : 0, NULL, NULL}, NULL,
                    "not well-formed JSON at column %d: %s", error.column, error.text);
    }
    return NULL;
}

void fb_json_dump(fb_text *out, const json_t *value) {
    switch (json_typeof(value)) {
    case JSON_OBJECT: {
        const char *key;
        json_t *member;
        int n = 0;
        fb_text_puts(out, "{");
        json_object_foreach((json_t *)(size_t)value, key, member) {
            if (n++) {
                fb_text_puts(out, ", ");
            }
            fb_json_string(out, key);
            fb_text_puts(out, ": ");
            fb_json_dump(out, member);
        }
        fb_text_puts(out, "}");
        break;
    }
    case JSON_ARRAY:
        fb_text_puts(out, "[");
        for (size_t i = 0; i < json_array_size(value); i++) {
            if (i) {
                fb_text_puts(out, ", ");
            }
            fb_json_dump(out, json_array_get(value, i));
        }
        fb_text_puts(out, "]");
        break;
    case JSON_STRING: fb_json_string(out, json_string_value(value)); break;
    case JSON_INTEGER:
        fb_text_printf(out, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
        break;
    case JSON_REAL: fb_json_number(out, json_real_value(value)); break;
    case JSON_TRUE: fb_text_puts(out, "true"); break;
    case JSON_FALSE: fb_text_puts(out, "false"); break;
    case JSON_NULL: fb_text_puts(out, "null"); break;
    }
}

const char *fb_json_dump_string(fb_arena *arena, const json_t *value) {
    fb_text text;
    fb_text_init(&text, NULL);
    fb_json_dump(&text, value);
    const char *string = fb_text_string(&text);
    jmp_buf *oom = arena->oom; /* the text must be freed before a jump */
    arena->oom = NULL;
    const char *copy = string ? fb_arena_dup(arena, string) : NULL;
    arena->oom = oom;
    fb_text_free(&text);
    if (!copy && oom) {
        longjmp(*oom, 1);
    }
    return copy;
}

/* ---- lines ---------------------------------------------------------------------------------- */

static const char *skip_space(const char *p, const char *end) {
    while (p < end && (*p == ' ' || *p == '\t' || *p == '\r' || *p == '\n')) {
        p++;
    }
    return p;
}

static const char *skip_string(const char *p, const char *end) {
    for (p++; p < end && *p != '"'; p++) {
        if (*p == '\\') {
            p++;
        }
    }
    return p < end ? p + 1 : end;
}

/* Past one value: brackets are counted, strings skipped. */
static const char *skip_value(const char *p, const char *end) {
    int depth = 0;
    while (p < end) {
        if (*p == '"') {
            p = skip_string(p, end);
            if (depth == 0) {
                return p;
            }
            continue;
        }
        if (*p == '{' || *p == '[') {
            depth++;
        } else if (*p == '}' || *p == ']') {
            if (depth == 0) {
                return p;
            }
            depth--;
            if (depth == 0) {
                return p + 1;
            }
        } else if (*p == ',' && depth == 0) {
            return p;
        }
        p++;
    }
    return end;
}

/* The value of a member of the object, or item of the array, at p; NULL if there is none. */
static const char *find_member(const char *p, const char *end, const char *key, size_t n) {
    int array = *p == '[';
    long index = 0, wanted = array ? strtol(key, NULL, 10) : -1;
    for (p = skip_space(p + 1, end); p < end && *p != ']' && *p != '}'; index++) {
        const char *name = p;
        if (!array) {
            p = skip_space(skip_string(p, end), end);
            if (p >= end) {
                return NULL;
            }
            p = skip_space(p + 1, end); /* the ':' */
        }
        if (array ? index == wanted : strncmp(name + 1, key, n) == 0 && name[1 + n] == '"') {
            return p;
        }
        p = skip_space(skip_value(p, end), end);
        if (p < end && *p == ',') {
            p = skip_space(p + 1, end);
        }
    }
    return NULL;
}

int fb_json_line(const char *bytes, size_t size, const char *pointer) {
    const char *end = bytes + size, *p = skip_space(bytes, end);
    while (*pointer == '/' && p < end && (*p == '{' || *p == '[')) {
        size_t n = strcspn(++pointer, "/");
        const char *member = find_member(p, end, pointer, n);
        if (!member) {
            break;
        }
        p = member;
        pointer += n;
    }
    int line = 1;
    for (const char *q = bytes; q < p && q < end; q++) {
        line += *q == '\n';
    }
    return line;
}

void fb_json_item_lines(const char *bytes, size_t size, const char *key, int *lines, size_t n) {
    const char *end = bytes + size, *top = skip_space(bytes, end), *from = bytes;
    const char *p = top < end && *top == '{' ? find_member(top, end, key, strlen(key)) : NULL;
    if (!p || *p != '[') {
        return;
    }
    int line = 1;
    p = skip_space(p + 1, end);
    for (size_t i = 0; i < n && p < end && *p != ']'; i++) {
        for (; from < p; from++) {
            line += *from == '\n';
        }
        lines[i] = line;
        p = skip_space(skip_value(p, end), end);
        if (p < end && *p == ',') {
            p = skip_space(p + 1, end);
        }
    }
}
