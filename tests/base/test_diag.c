#include <string.h>

#include "tests/help.h"

static void add_copies_all_strings(void) {
    fb_diag diag;
    fb_diag_init(&diag);
    char file[] = "a.osim", path[] = "/x", cls[] = "Body", effect[] = "none", what[] = "wrong";
    fb_diag_add(&diag, FB_APPROXIMATED, FB2104, (fb_place){file, 12, path, cls}, effect, "%s: %d",
                what, 7);
    file[0] = path[0] = cls[0] = effect[0] = what[0] = '#';
    FB_EQUAL_INT(diag.n, 1);
    const fb_record *record = &diag.records[0];
    FB_EQUAL_INT(record->action, FB_APPROXIMATED);
    FB_EQUAL_INT(record->id, FB2104);
    FB_EQUAL_INT(record->line, 12);
    FB_EQUAL_STR(record->file, "a.osim");
    FB_EQUAL_STR(record->path, "/x");
    FB_EQUAL_STR(record->cls, "Body");
    FB_EQUAL_STR(record->effect, "none");
    FB_EQUAL_STR(record->message, "wrong: 7");
    FB_EQUAL_INT(diag.counts[FB_APPROXIMATED], 1);
    fb_diag_clear(&diag);
    FB_EQUAL_INT(diag.n, 0);
    FB_EQUAL_INT(diag.counts[FB_APPROXIMATED], 0);
}

static void add_without_a_file_takes_the_one_being_read(void) {
    fb_diag diag;
    fb_diag_init(&diag);
    diag.file = "current.osim";
    fb_diag_add(&diag, FB_WARNING, FB1001, (fb_place){0}, NULL, "x");
    FB_EQUAL_STR(diag.records[0].file, "current.osim");
    FB_EQUAL_STR(diag.records[0].path, NULL);
    FB_EQUAL_STR(diag.records[0].effect, NULL);
    fb_diag_clear(&diag);
}

static void add_only_counts_past_the_limit(void) {
    fb_diag diag;
    fb_diag_init(&diag);
    for (int i = 0; i < FB_DIAG_MAX + 500; i++) {
        fb_diag_add(&diag, i % 2 ? FB_WARNING : FB_ERROR, FB2101,
                    (fb_place){NULL, i + 1, NULL, NULL}, NULL, "%d", i);
    }
    FB_EQUAL_INT(diag.n, FB_DIAG_MAX);
    FB_EQUAL_INT(diag.counts[FB_WARNING] + diag.counts[FB_ERROR], FB_DIAG_MAX + 500);
    FB_EQUAL_INT(diag.records[FB_DIAG_MAX - 1].line, FB_DIAG_MAX);
    fb_diag_clear(&diag);
}

static void add_cuts_endless_messages(void) {
    fb_diag diag;
    fb_diag_init(&diag);
    static char text[100000];
    memset(text, 'a', sizeof text - 1);
    fb_diag_add(&diag, FB_ERROR, FB2101, (fb_place){0}, NULL, "%s", text);
    FB_EQUAL_INT(diag.n, 1);
    FB_TRUE(strlen(diag.records[0].message) < 5000, "%zu letters", strlen(diag.records[0].message));
    fb_diag_clear(&diag);
}

static void add_survives_lack_of_memory(void) {
    for (long n = 1; n < 6; n++) {
        fb_diag diag;
        fb_diag_init(&diag);
        fb_alloc_fail_at(n);
        for (int i = 0; i < 3000; i++) {
            fb_diag_add(&diag, FB_ERROR, FB2101, (fb_place){"f", 1, "p", "c"}, "e", "message %d",
                        i);
        }
        fb_alloc_fail_at(0);
        FB_EQUAL_INT(diag.counts[FB_ERROR], 3000);
        FB_TRUE(diag.out_of_memory, "it is noted");
        for (size_t i = 0; i < diag.n; i++) {
            if (!diag.records[i].message) {
                FB_TRUE(false, "a record without message");
            }
        }
        fb_diag_clear(&diag);
    }
}

static void every_id_has_a_name_and_a_text(void) {
    for (int i = 0; i < FB_DIAG_ID_COUNT; i++) {
        const char *name = fb_diag_name((fb_diag_id)i), *text = fb_diag_text((fb_diag_id)i);
        FB_TRUE(strncmp(name, "FB", 2) == 0 && strlen(name) == 6 &&
                    strspn(name + 2, "0123456789") == 4,
                "'%s' is FB and four digits", name);
        FB_TRUE(*text && text[strlen(text) - 1] != '.', "%s: '%s' has no full stop", name, text);
        for (int j = 0; j < i; j++) {
            FB_TRUE(strcmp(name, fb_diag_name((fb_diag_id)j)) < 0 ||
                        strcmp(name, fb_diag_name((fb_diag_id)j)) > 0,
                    "%s is there once", name);
        }
        if (i > 0) {
            FB_TRUE(strcmp(fb_diag_name((fb_diag_id)(i - 1)), name) < 0, "%s stands in order",
                    name);
        }
    }
    FB_EQUAL_STR(fb_diag_name(FB2104), "FB2104");
    FB_EQUAL_STR(fb_action_word(FB_APPROXIMATED), "approximated");
    FB_EQUAL_STR(fb_action_word(FB_ERROR), "error");
    FB_EQUAL_STR(fb_action_word(FB_EXACT), "exact");
}

static const char *next_word(const void *context, int i) {
    static const char *const words[] = {"mass", "mass_center", "inertia", "PinJoint",
                                        "knee_angle_r"};
    (void)context;
    return i < 5 ? words[i] : NULL;
}

static void nearest_word_finds_misspellings_only(void) {
    static const struct {
        const char *word, *meant;
    } cases[] = {{"mas", "mass"},
                 {"maas", "mass"},
                 {"mass", "mass"},
                 {"MASS", "mass"},
                 {"mass_centre", "mass_center"},
                 {"innertia", "inertia"},
                 {"PinJiont", "PinJoint"},
                 {"knee_angle_l", "knee_angle_r"},
                 {"volume", NULL},
                 {"completely different", NULL},
                 {"zzzz", NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        FB_EQUAL_STR(fb_nearest_word(cases[i].word, next_word, NULL), cases[i].meant);
    }
    char endless[500];
    memset(endless, 'm', sizeof endless);
    endless[499] = 0;
    FB_EQUAL_STR(fb_nearest_word(endless, next_word, NULL), NULL);
}

static const fb_test tests[] = {
    FB_TEST(add_copies_all_strings),
    FB_TEST(add_without_a_file_takes_the_one_being_read),
    FB_TEST(add_only_counts_past_the_limit),
    FB_TEST(add_cuts_endless_messages),
    FB_TEST(add_survives_lack_of_memory),
    FB_TEST(every_id_has_a_name_and_a_text),
    FB_TEST(nearest_word_finds_misspellings_only),
    FB_TEST_END,
};

int main(int argc, char **argv) {
    return fb_test_main("diag", tests, argc, argv);
}
