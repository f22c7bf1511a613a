/* The class tables themselves: what everything else trusts. */
#include "libcore/model/class.h"

#include <stdlib.h>
#include <string.h>

#include "libcore/model/model.h"
#include "tests/help.h"

static bool same(const char *a, const char *b) {
    return a == b || (a && b && strcmp(a, b) == 0);
}

static void names_are_unique_and_found(void) {
    int n = 0;
    for (const fb_class *a; (a = fb_class_at(n)) != NULL; n++) {
        FB_TRUE(fb_class_find(a->name) == a, "%s is found", a->name);
        for (int j = 0; j < n; j++) {
            if (same(fb_class_at(j)->name, a->name)) {
                FB_TRUE(false, "%s is there twice", a->name);
            }
        }
    }
    FB_TRUE(n > 100, "%d classes", n);
    FB_TRUE(fb_class_at(n + 1) == NULL, "and no more");
    FB_TRUE(fb_class_find("Nothing") == NULL && fb_class_find("") == NULL &&
                fb_class_find("pinjoint") == NULL,
            "not there");
}

static void types_are_unique_within_their_list_and_family(void) {
    for (int i = 0; fb_class_at(i); i++) {
        const fb_class *a = fb_class_at(i);
        if (strcmp(a->name, "Model") == 0 || strcmp(a->name, "Ground") == 0) {
            continue;
        }
        FB_TRUE(fb_class_find_type(a->list, a->family, a->type) == a,
                "%s is found by list %s, type %s", a->name, a->list ? a->list : "(none)",
                a->type ? a->type : "(none)");
        for (int j = 0; j < i; j++) {
            const fb_class *b = fb_class_at(j);
            bool clash = same(a->type, b->type) &&
                         (a->list ? same(a->list, b->list) : !b->list && a->family == b->family);
            if (clash) {
                FB_TRUE(false, "%s and %s have the same type '%s'", a->name, b->name,
                        a->type ? a->type : "(none)");
            }
        }
    }
}

static void lists_are_those_of_the_document(void) {
    int n = 0;
    while (fb_lists[n]) {
        n++;
    }
    FB_EQUAL_INT(n, FB_LIST_COUNT);
    FB_EQUAL_STR(fb_lists[n - 1], "kept");
    for (int i = 0; fb_class_at(i); i++) {
        const fb_class *cls = fb_class_at(i);
        bool found = !cls->list;
        for (int j = 0; fb_lists[j]; j++) {
            found = found || strcmp(fb_lists[j], cls->list ? cls->list : "") == 0;
        }
        FB_TRUE(found, "%s: its list %s exists", cls->name, cls->list ? cls->list : "");
    }
    for (int i = 0; fb_lists[i]; i++) {
        FB_TRUE(fb_list_set(fb_lists[i]) != NULL, "%s has a place", fb_lists[i]);
    }
    FB_EQUAL_STR(fb_list_set("muscles"), "/forceset");
    FB_EQUAL_STR(fb_list_set("frames"), "");
}

/* Members that every object may have, and what the document gives a meaning of its own. */
static void keys_are_unique_and_not_reserved(void) {
    static const char *const reserved[] = {"name", "type", "component_path", "kept", "comments"};
    static const char *const of_the_document[] = {"fb",     "source",    "ground",
                                                  "groups", "order",     "property_comments",
                                                  "steps",  "model_kept"};
    for (int c = 0; fb_class_at(c); c++) {
        const fb_class *cls = fb_class_at(c);
        for (int i = 0; i < cls->n_fields; i++) {
            const fb_field *field = &cls->fields[i];
            FB_EQUAL_INT(fb_class_field(cls, field->key), i);
            FB_EQUAL_INT(fb_class_tag(cls, field->tag), i);
            FB_TRUE(strspn(field->key, "abcdefghijklmnopqrstuvwxyz0123456789_") ==
                        strlen(field->key),
                    "%s.%s is snake_case", cls->name, field->key);
            for (size_t k = 0; k < sizeof reserved / sizeof reserved[0]; k++) {
                FB_TRUE(strcmp(field->key, reserved[k]) != 0, "%s.%s is reserved", cls->name,
                        field->key);
            }
            for (size_t k = 0;
                 cls->family == FB_MODEL && k < sizeof of_the_document / sizeof of_the_document[0];
                 k++) {
                FB_TRUE(strcmp(field->key, of_the_document[k]) != 0, "%s.%s is reserved", cls->name,
                        field->key);
            }
            for (int k = 0; cls->family == FB_MODEL && fb_lists[k]; k++) {
                FB_TRUE(strcmp(field->key, fb_lists[k]) != 0, "%s.%s is a list", cls->name,
                        field->key);
            }
        }
        FB_EQUAL_INT(fb_class_field(cls, "no_such_key"), -1);
        FB_EQUAL_INT(fb_class_tag(cls, "no_such_tag"), -1);
    }
}

/* One line without a full stop, said of every class and field. */
static void check_doc(const char *doc, const char *of, const char *field) {
    FB_TRUE(doc && *doc && !strchr(doc, '\n') && doc[strlen(doc) - 1] != '.',
            "%s.%s has a sentence: '%s'", of, field, doc ? doc : "");
}

static void everything_is_documented(void) {
    for (int c = 0; fb_class_at(c); c++) {
        const fb_class *cls = fb_class_at(c);
        check_doc(cls->doc, cls->name, "");
        for (int i = 0; i < cls->n_fields; i++) {
            check_doc(cls->fields[i].doc, cls->name, cls->fields[i].key);
        }
    }
}

static void numbers_have_a_unit(void) {
    for (int c = 0; fb_class_at(c); c++) {
        for (int i = 0; i < fb_class_at(c)->n_fields; i++) {
            const fb_field *field = &fb_class_at(c)->fields[i];
            bool number = field->type == FB_NUMBER || field->type == FB_VECTOR ||
                          field->type == FB_NUMBERS;
            FB_TRUE(number == (field->unit != NULL && *field->unit), "%s.%s: unit '%s'",
                    fb_class_at(c)->name, field->key, field->unit ? field->unit : "(none)");
        }
    }
}

static bool is_choice(const char *choices, const char *word) {
    size_t n = strlen(word);
    for (const char *p = choices; p && *p; p += strcspn(p, "|"), p += *p == '|') {
        if (strcspn(p, "|") == n && strncmp(p, word, n) == 0) {
            return true;
        }
    }
    return false;
}

/* How many numbers a default has; -1 if it is something else. */
static int count_numbers(const char *text) {
    int n = 0;
    for (char *end; *text; text = end, n++) {
        strtod(text, &end);
        if (end == text) {
            return -1;
        }
        while (*end == ' ') {
            end++;
        }
    }
    return n;
}

static void check_default(const fb_class *cls, const fb_field *field) {
    const char *d = field->initial;
    if (!d) {
        return;
    }
    int n = field->type == FB_NUMBER || field->type == FB_INT || field->type == FB_VECTOR ||
                    field->type == FB_NUMBERS
                ? count_numbers(d)
                : 0;
    switch (field->type) {
    case FB_BOOL:
        FB_TRUE(same(d, "true") || same(d, "false"), "%s.%s: default '%s'", cls->name, field->key,
                d);
        break;
    case FB_INT:
    case FB_NUMBER: FB_TRUE(n == 1, "%s.%s: default '%s'", cls->name, field->key, d); break;
    case FB_VECTOR:
        FB_TRUE(n == field->count, "%s.%s: default '%s' for %d", cls->name, field->key, d,
                field->count);
        break;
    case FB_NUMBERS: FB_TRUE(n > 0, "%s.%s: default '%s'", cls->name, field->key, d); break;
    case FB_CHOICE:
        FB_TRUE(is_choice(field->choices, d), "%s.%s: default '%s' of %s", cls->name, field->key, d,
                field->choices);
        break;
    case FB_OBJECT:
        FB_TRUE(fb_class_find(d) != NULL, "%s.%s: default class '%s'", cls->name, field->key, d);
        if (fb_class_find(d)) {
            FB_EQUAL_INT(fb_class_find(d)->family, field->family);
        }
        break;
    default: break;
    }
}

static void fields_are_consistent(void) {
    for (int c = 0; fb_class_at(c); c++) {
        const fb_class *cls = fb_class_at(c);
        FB_TRUE(cls->family > FB_ANY && cls->family < FB_FAMILY_COUNT, "%s has a family",
                cls->name);
        for (int i = 0; i < cls->n_fields; i++) {
            const fb_field *field = &cls->fields[i];
            bool owns = field->type == FB_OBJECT || field->type == FB_OBJECTS;
            FB_TRUE((field->type == FB_CHOICE) == (field->choices != NULL), "%s.%s: choices",
                    cls->name, field->key);
            FB_TRUE(field->type != FB_VECTOR || (field->count > 0 && field->count <= 8),
                    "%s.%s: %d numbers", cls->name, field->key, field->count);
            FB_TRUE(!owns || field->family != FB_ANY, "%s.%s owns a family", cls->name, field->key);
            FB_TRUE(!(field->flags & FB_SOCKET) || field->type == FB_REF || field->type == FB_REFS,
                    "%s.%s: socket", cls->name, field->key);
            FB_TRUE(!(field->flags & FB_UNWRAP) || field->type == FB_STRINGS ||
                        field->type == FB_REFS,
                    "%s.%s: unwrap", cls->name, field->key);
            FB_TRUE(!(field->flags &
                      (FB_DEGREES | FB_DEGREES_IF_ROTATIONAL | FB_PER_DEGREE_IF_ROTATIONAL)) ||
                        field->type == FB_NUMBER,
                    "%s.%s: degrees", cls->name, field->key);
            FB_TRUE(!(field->flags & (FB_DEGREES_IF_ROTATIONAL | FB_PER_DEGREE_IF_ROTATIONAL)) ||
                        fb_class_field(cls, "coordinate") >= 0,
                    "%s.%s: degrees of a coordinate", cls->name, field->key);
            check_default(cls, field);
        }
    }
}

static void every_class_can_be_made(void) {
    fb_model *model = fb_model_new();
    for (int c = 0; fb_class_at(c); c++) {
        fb_element *element = fb_element_new(model, fb_class_at(c), "x");
        fb_element_defaults(model, element);
        for (int i = 0; i < element->cls->n_fields; i++) {
            const fb_field *field = &element->cls->fields[i];
            bool simple = field->type != FB_REF && field->type != FB_REFS &&
                          field->type != FB_STRINGS && field->type != FB_OBJECTS;
            bool filled = field->initial && simple && !(field->flags & FB_OPTIONAL);
            FB_TRUE(element->values[i].present || !filled, "%s.%s has its default",
                    element->cls->name, field->key);
            FB_TRUE(fb_value_is_default(field, &element->values[i]), "%s.%s: its default is one",
                    element->cls->name, field->key);
        }
    }
    fb_model_free(model);
}

static void families_have_words_and_namespaces(void) {
    for (int i = 0; i < FB_FAMILY_COUNT; i++) {
        FB_TRUE(fb_family_word((fb_family)i) && *fb_family_word((fb_family)i),
                "family %d has a word", i);
    }
    FB_EQUAL_INT(fb_family_namespace(FB_BODY), FB_FRAME);
    FB_EQUAL_INT(fb_family_namespace(FB_GROUND), FB_FRAME);
    FB_EQUAL_INT(fb_family_namespace(FB_FRAME), FB_FRAME);
    FB_EQUAL_INT(fb_family_namespace(FB_JOINT), FB_JOINT);
}

static void no_class_has_too_many_fields(void) {
    const fb_class *cls;
    for (int i = 0; (cls = fb_class_at(i)) != NULL; i++) {
        FB_TRUE(cls->n_fields < FB_CLASS_FIELDS, "%s has %d", cls->name, cls->n_fields);
    }
}

static const fb_test tests[] = {
    FB_TEST(names_are_unique_and_found),
    FB_TEST(types_are_unique_within_their_list_and_family),
    FB_TEST(lists_are_those_of_the_document),
    FB_TEST(keys_are_unique_and_not_reserved),
    FB_TEST(everything_is_documented),
    FB_TEST(numbers_have_a_unit),
    FB_TEST(fields_are_consistent),
    FB_TEST(every_class_can_be_made),
    FB_TEST(families_have_words_and_namespaces),
    FB_TEST(no_class_has_too_many_fields),
    FB_TEST_END,
};

int main(int argc, char **argv) {
    return fb_test_main("class", tests, argc, argv);
}
