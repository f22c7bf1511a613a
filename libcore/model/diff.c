#include "libcore/model/diff.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "libcore/base/number.h"
#include "libcore/base/table.h"

typedef struct comparison {
    fb_arena arena;
    double tolerance;
    void (*act)(const fb_difference *, void *);
    void *context;
    long n;
    const fb_element *component;
    const char *what;
} comparison;

static void report(comparison *c, fb_difference difference) {
    c->n++;
    difference.element = c->component;
    difference.what = c->what;
    c->act(&difference, c->context);
}

static bool near(const comparison *c, double a, double b) {
    if (a == b || (isnan(a) && isnan(b))) {
        return true;
    }
    double size = fmax(1, fmax(fabs(a), fabs(b)));
    return fabs(a - b) <= c->tolerance * size;
}

#define LONGEST_SHOWN 60 /* letters of a text that are shown */
#define MOST_SHOWN 6     /* numbers or words of a long list that are shown */

static const char *ref_name(const fb_ref *ref) {
    return ref->target ? ref->target->name : ref->text;
}

/* A value as text, long lists cut short. */
static const char *text_of(comparison *c, const fb_field *field, const fb_value *value) {
    char *text = fb_arena_dup(&c->arena, "");
    char number[FB_NUMBER_MAX];
    for (int i = 0; i < value->n && i < MOST_SHOWN; i++) {
        const char *one = "";
        switch (field->type) {
        case FB_BOOL: one = value->as.truth ? "true" : "false"; break;
        case FB_INT: one = fb_arena_printf(&c->arena, "%d", value->as.integer); break;
        case FB_NUMBER:
            fb_number_print(number, value->as.number);
            one = number;
            break;
        case FB_VECTOR:
        case FB_NUMBERS:
            fb_number_print(number, value->as.numbers[i]);
            one = number;
            break;
        case FB_STRING:
        case FB_CHOICE: one = value->as.string; break;
        case FB_STRINGS: one = value->as.strings[i]; break;
        case FB_REF:
        case FB_REFS: one = ref_name(&value->as.refs[i]); break;
        case FB_OBJECT: one = value->as.object->cls->name; break;
        case FB_OBJECTS: one = value->as.objects[i]->cls->name; break;
        }
        bool cut = strlen(one) > LONGEST_SHOWN;
        text = fb_arena_printf(&c->arena, "%s%s%.*s%s", text, i ? " " : "", LONGEST_SHOWN, one,
                               cut ? ".." : "");
    }
    return value->n > MOST_SHOWN ? fb_arena_printf(&c->arena, "%s .. (%d)", text, value->n) : text;
}

/* The largest difference of the numbers of two values; nan if they are none, or not as many. */
static double distance(const fb_field *field, const fb_value *a, const fb_value *b) {
    if (field->type == FB_NUMBER) {
        return fabs(a->as.number - b->as.number);
    }
    if ((field->type != FB_VECTOR && field->type != FB_NUMBERS) || a->n != b->n) {
        return FB_NAN;
    }
    double most = 0;
    for (int i = 0; i < a->n; i++) {
        most = fmax(most, fabs(a->as.numbers[i] - b->as.numbers[i]));
    }
    return most;
}

static bool same_value(const comparison *c, const fb_field *field, const fb_value *a,
                       const fb_value *b) {
    if (field->type == FB_NUMBER) {
        return near(c, a->as.number, b->as.number);
    }
    if (field->type != FB_VECTOR && field->type != FB_NUMBERS) {
        return fb_value_equal(field, a, b);
    }
    if (a->n != b->n) {
        return false;
    }
    for (int i = 0; i < a->n; i++) {
        if (!near(c, a->as.numbers[i], b->as.numbers[i])) {
            return false;
        }
    }
    return true;
}

static void compare_fields(comparison *c, const fb_element *a, const fb_element *b,
                           const char *prefix);
static void compare_rest(comparison *c, const fb_element *a, const fb_element *b,
                         const char *prefix);

static void compare_objects(comparison *c, const fb_field *field, const fb_value *a,
                            const fb_value *b, const char *member) {
    bool list = field->type == FB_OBJECTS;
    if (a->n != b->n) {
        report(c, (fb_difference){.kind = FB_CHANGED,
                                  .member = member,
                                  .a = fb_arena_printf(&c->arena, "%d", a->n),
                                  .b = fb_arena_printf(&c->arena, "%d", b->n),
                                  .distance = FB_NAN,
                                  .unit = "items"});
    }
    for (int i = 0; i < a->n && i < b->n; i++) {
        const fb_element *x = list ? a->as.objects[i] : a->as.object;
        const fb_element *y = list ? b->as.objects[i] : b->as.object;
        const char *here = list ? fb_arena_printf(&c->arena, "%s[%d]", member, i) : member;
        if (x->cls != y->cls) {
            report(c, (fb_difference){.kind = FB_CHANGED,
                                      .member = here,
                                      .a = x->cls->name,
                                      .b = y->cls->name,
                                      .distance = FB_NAN});
        } else {
            compare_fields(c, x, y, fb_arena_printf(&c->arena, "%s.", here));
        }
    }
}

static void compare_fields(comparison *c, const fb_element *a, const fb_element *b,
                           const char *prefix) {
    for (int i = 0; i < a->cls->n_fields; i++) {
        const fb_field *field = &a->cls->fields[i];
        const fb_value *x = &a->values[i], *y = &b->values[i];
        const char *member = fb_arena_printf(&c->arena, "%s%s", prefix, field->key);
        if (!x->present && !y->present) {
            continue;
        }
        if (x->present && y->present && (field->type == FB_OBJECT || field->type == FB_OBJECTS)) {
            compare_objects(c, field, x, y, member);
        } else if (x->present != y->present && fb_value_is_default(field, x->present ? x : y)) {
            continue; /* one says what the other leaves out */
        } else if (!x->present || !y->present || !same_value(c, field, x, y)) {
            report(c, (fb_difference){.kind = !y->present   ? FB_ONLY_IN_A
                                              : !x->present ? FB_ONLY_IN_B
                                                            : FB_CHANGED,
                                      .member = member,
                                      .a = x->present ? text_of(c, field, x) : NULL,
                                      .b = y->present ? text_of(c, field, y) : NULL,
                                      .distance = x->present && y->present ? distance(field, x, y)
                                                                           : FB_NAN,
                                      .unit = field->unit});
        }
    }
    compare_rest(c, a, b, prefix);
}

/* What neither has a class for: kept XML and members of .fb that are not known. */
static void compare_rest(comparison *c, const fb_element *a, const fb_element *b,
                         const char *prefix) {
    const fb_kept_xml *x = a->kept, *y = b->kept;
    for (; x && y && strcmp(x->xml, y->xml) == 0; x = x->next) {
        y = y->next;
    }
    if (x || y) {
        report(c, (fb_difference){.kind = !y   ? FB_ONLY_IN_A
                                          : !x ? FB_ONLY_IN_B
                                               : FB_CHANGED,
                                  .member = fb_arena_printf(&c->arena, "%skept", prefix),
                                  .a = x ? fb_arena_printf(&c->arena, "%.*s", LONGEST_SHOWN, x->xml)
                                         : NULL,
                                  .b = y ? fb_arena_printf(&c->arena, "%.*s", LONGEST_SHOWN, y->xml)
                                         : NULL,
                                  .distance = FB_NAN});
    }
    for (int swapped = 0; swapped < 2; swapped++) {
        for (const fb_extra *extra = (swapped ? b : a)->extras; extra; extra = extra->next) {
            const char *other = fb_get_extra(swapped ? a : b, extra->key);
            if (other && (swapped || strcmp(other, extra->json) == 0)) {
                continue;
            }
            const char *text = fb_arena_printf(&c->arena, "%.*s", LONGEST_SHOWN, extra->json);
            report(c,
                   (fb_difference){.kind = other     ? FB_CHANGED
                                           : swapped ? FB_ONLY_IN_B
                                                     : FB_ONLY_IN_A,
                                   .member = fb_arena_printf(&c->arena, "%s%s", prefix, extra->key),
                                   .a = swapped ? NULL : text,
                                   .b = swapped ? text : other,
                                   .distance = FB_NAN});
        }
    }
}

static bool same_group(const fb_group *a, const fb_group *b) {
    if (strcmp(a->name, b->name) != 0 || strcmp(a->set, b->set) != 0 ||
        a->n_members != b->n_members) {
        return false;
    }
    for (int i = 0; i < a->n_members; i++) {
        if (strcmp(a->members[i], b->members[i]) != 0) {
            return false;
        }
    }
    return true;
}

/* Groups of one model that the other does not have just so. */
static void compare_groups(comparison *c, const fb_model *a, const fb_model *b,
                           fb_difference_kind kind) {
    for (size_t i = 0; i < a->n_groups; i++) {
        bool found = false;
        for (size_t j = 0; j < b->n_groups && !found; j++) {
            found = same_group(&a->groups[i], &b->groups[j]);
        }
        c->what = fb_arena_printf(&c->arena, "group '%s' of %s with these %d members",
                                  a->groups[i].name, a->groups[i].set, a->groups[i].n_members);
        if (!found) {
            report(c, (fb_difference){.kind = kind, .distance = FB_NAN});
        }
    }
}

static void compare_lists(comparison *c, const fb_list *a, const fb_list *b) {
    fb_table in_a = {.arena = &c->arena}, in_b = {.arena = &c->arena};
    for (size_t i = 0; i < a->n; i++) {
        fb_table_add(&in_a, a->items[i]->name, a->items[i]);
    }
    for (size_t i = 0; i < b->n; i++) {
        fb_table_add(&in_b, b->items[i]->name, b->items[i]);
    }
    for (size_t i = 0; i < a->n; i++) {
        const fb_element *x = a->items[i], *y = fb_table_find(&in_b, x->name);
        c->component = x;
        c->what = fb_arena_printf(&c->arena, "%s '%s'", x->cls->name, x->name);
        if (!y) {
            report(c, (fb_difference){.kind = FB_ONLY_IN_A, .distance = FB_NAN});
        } else if (x->cls != y->cls) {
            report(c, (fb_difference){.kind = FB_CHANGED,
                                      .member = "type",
                                      .a = x->cls->name,
                                      .b = y->cls->name,
                                      .distance = FB_NAN});
        } else {
            compare_fields(c, x, y, "");
        }
    }
    for (size_t i = 0; i < b->n; i++) {
        if (!fb_table_find(&in_a, b->items[i]->name)) {
            c->component = b->items[i];
            c->what = fb_arena_printf(&c->arena, "%s '%s'", b->items[i]->cls->name,
                                      b->items[i]->name);
            report(c, (fb_difference){.kind = FB_ONLY_IN_B, .distance = FB_NAN});
        }
    }
}

long fb_model_diff(const fb_model *a, const fb_model *b, double tolerance,
                   void (*act)(const fb_difference *, void *), void *context) {
    comparison c = {.tolerance = tolerance, .act = act, .context = context};
    fb_arena_init(&c.arena);
    jmp_buf oom;
    if (setjmp(oom)) {
        c.n = -1;
    } else {
        c.arena.oom = &oom;
        c.what = "the model";
        if (strcmp(a->root->name, b->root->name) != 0) {
            report(&c, (fb_difference){.kind = FB_CHANGED,
                                       .member = "name",
                                       .a = a->root->name,
                                       .b = b->root->name,
                                       .distance = FB_NAN});
        }
        compare_fields(&c, a->root, b->root, "");
        c.what = "ground";
        compare_fields(&c, a->ground, b->ground, "");
        for (int i = 0; i < FB_LIST_COUNT; i++) {
            compare_lists(&c, &a->lists[i], &b->lists[i]);
        }
        c.component = NULL;
        compare_groups(&c, a, b, FB_ONLY_IN_A);
        compare_groups(&c, b, a, FB_ONLY_IN_B);
    }
    fb_arena_clear(&c.arena);
    return c.n;
}
