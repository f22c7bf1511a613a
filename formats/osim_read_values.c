/* Texts of OpenSim documents as values of fields. */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "formats/osim_read.h"
#include "libcore/base/number.h"

static void wrong(fb_osim_reader *r, const fb_xml_node *node, const fb_element *element,
                  fb_diag_id id, const char *what) {
    fb_diag_add(r->diag, FB_ERROR, id, fb_osim_place(node, element), NULL,
                "%s: <%s> %s, got '%.40s'", fb_osim_who(r, element), node->tag, what, node->text);
    r->status = FB_E_INPUT;
}

static const char *skip_space(const char *p, const char *end) {
    while (p < end && isspace((unsigned char)*p)) {
        p++;
    }
    return p;
}

/* All numbers of a node's text; NULL with an error if something else is there. */
static double *read_numbers(fb_osim_reader *r, const fb_xml_node *node, const fb_element *element,
                            int *count) {
    const char *p = node->text, *end = p + node->text_length;
    size_t n = 0, capacity = node->text_length / 2 + 1;
    double small[16], *x = small;
    if (capacity > 16) {
        x = fb_arena_array(&r->scratch, capacity, sizeof *x);
    }
    for (p = skip_space(p, end); p < end; p = skip_space(p, end)) {
        const char *token = p;
        if (n == capacity || !fb_number_scan(&p, end, &x[n]) ||
            (p < end && !isspace((unsigned char)*p))) {
            size_t length = 0;
            while (token + length < end && !isspace((unsigned char)token[length])) {
                length++;
            }
            const char *comma = memchr(token, ',', length);
            fb_diag_add(r->diag, FB_ERROR, FB2101, fb_osim_place(node, element), NULL,
                        "%s: <%s> holds '%.*s', which is not a number%s", fb_osim_who(r, element),
                        node->tag, (int)(length > 40 ? 40 : length), token,
                        comma ? "; numbers have a decimal point and spaces between them" : "");
            r->status = FB_E_INPUT;
            return NULL;
        }
        n++;
    }
    double *copy = fb_arena_array(&r->model->arena, n, sizeof *copy);
    if (n) {
        memcpy(copy, x, n * sizeof *x);
    }
    *count = (int)n;
    return copy;
}

const char **fb_osim_read_words(fb_osim_reader *r, const char *text, int *count) {
    size_t capacity = strlen(text) / 2 + 1;
    const char **words = fb_arena_array(&r->model->arena, capacity, sizeof *words);
    int n = 0;
    for (const char *p = text; *p;) {
        while (isspace((unsigned char)*p)) {
            p++;
        }
        const char *start = p;
        while (*p && !isspace((unsigned char)*p)) {
            p++;
        }
        if (p > start) {
            words[n++] = fb_arena_text(&r->model->arena, start, (size_t)(p - start));
        }
    }
    *count = n;
    return words;
}

static int is_unassigned(const char *text) {
    return *text == 0 || strcasecmp(text, "unassigned") == 0;
}

static void read_refs(fb_osim_reader *r, const fb_xml_node *node, fb_element *element,
                      const fb_field *field, fb_value *value) {
    const char *text = node->text;
    if (is_unassigned(text)) {
        return;
    }
    if (element->cls->family == FB_GEOMETRY && strcmp(field->key, "frame") == 0 &&
        strcmp(text, "..") == 0) {
        return; /* its owner, as always */
    }
    if (field->type == FB_REFS) {
        int n;
        const char **words = fb_osim_read_words(r, text, &n);
        fb_value_set_refs(r->model, value, words, n);
        return;
    }
    char *name = fb_arena_dup(&r->scratch, text);
    if (r->version < 30500) { /* names had white space then */
        char *to = name;
        for (const char *from = text; *from; from++) {
            if (!isspace((unsigned char)*from)) {
                *to++ = *from;
            }
        }
        *to = 0;
    }
    const char *one = name;
    fb_value_set_refs(r->model, value, &one, 1);
}

static int is_choice(const fb_field *field, const char *text) {
    size_t n = strlen(text);
    for (const char *p = field->choices; p && *p;) {
        size_t m = strcspn(p, "|");
        if (n == m && strncasecmp(p, text, n) == 0) {
            return 1;
        }
        p += m;
        p += *p == '|';
    }
    return 0;
}

void fb_osim_read_value(fb_osim_reader *r, const fb_xml_node *node, fb_element *element,
                        const fb_field *field, fb_value *value) {
    int n = 0;
    if (node->first) {
        wrong(r, node, element, FB2103, "must hold text, not elements");
        return;
    }
    switch (field->type) {
    case FB_BOOL:
        if (strcasecmp(node->text, "true") == 0 || strcmp(node->text, "1") == 0) {
            value->as.truth = true;
        } else if (strcasecmp(node->text, "false") != 0 && strcmp(node->text, "0") != 0) {
            if (node->text_length == 0) {
                return;
            }
            wrong(r, node, element, FB2103, "must be true or false");
            return;
        }
        break;
    case FB_INT:
    case FB_NUMBER: {
        double *x = read_numbers(r, node, element, &n);
        if (!x || n == 0) {
            return;
        }
        if (n > 1) {
            fb_diag_add(r->diag, FB_APPROXIMATED, FB2102, fb_osim_place(node, element),
                        "the first is taken, as OpenSim does",
                        "%s: <%s> must be one number, got %d", fb_osim_who(r, element), node->tag,
                        n);
        }
        if (field->type == FB_NUMBER) {
            value->as.number = x[0];
        } else if (x[0] >= -2147483647.0 && x[0] <= 2147483647.0 && x[0] == (double)(int)x[0]) {
            value->as.integer = (int)x[0];
        } else {
            wrong(r, node, element, FB2101, "must be a whole number");
            return;
        }
        break;
    }
    case FB_VECTOR:
    case FB_NUMBERS: {
        double *x = read_numbers(r, node, element, &n);
        if (!x || (n == 0 && field->type == FB_VECTOR)) {
            return;
        }
        if (field->type == FB_VECTOR && n != field->count) {
            if (n < field->count) {
                fb_diag_add(r->diag, FB_ERROR, FB2102, fb_osim_place(node, element), NULL,
                            "%s: <%s> must be %d numbers, got %d", fb_osim_who(r, element),
                            node->tag, field->count, n);
                r->status = FB_E_INPUT;
                return;
            }
            fb_diag_add(r->diag, FB_APPROXIMATED, FB2102, fb_osim_place(node, element),
                        "the first ones are taken, as OpenSim does",
                        "%s: <%s> must be %d numbers, got %d", fb_osim_who(r, element), node->tag,
                        field->count, n);
            n = field->count;
        }
        value->n = n;
        value->as.numbers = x;
        value->present = true;
        return;
    }
    case FB_CHOICE:
        if (node->text_length && !is_choice(field, node->text)) {
            fb_diag_add(r->diag, FB_WARNING, FB2103, fb_osim_place(node, element),
                        "it is kept as it is", "%s: <%s> is '%.40s', not one of %s",
                        fb_osim_who(r, element), node->tag, node->text, field->choices);
        }
        /* fall through */
    case FB_STRING:
        if (node->text_length == 0 && field->flags & FB_OPTIONAL) {
            return;
        }
        value->as.string = fb_arena_dup(&r->model->arena, node->text);
        break;
    case FB_STRINGS:
        value->as.strings = fb_osim_read_words(r, node->text, &n);
        value->n = n;
        value->present = true;
        return;
    case FB_REF:
    case FB_REFS: read_refs(r, node, element, field, value); return;
    case FB_OBJECT:
    case FB_OBJECTS: return;
    }
    value->n = 1;
    value->present = true;
}
