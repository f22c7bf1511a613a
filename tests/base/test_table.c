#include "libcore/base/table.h"

#include <string.h>

#include "tests/help.h"

static void find_in_an_empty_table_gives_nothing(void) {
    fb_arena arena;
    fb_arena_init(&arena);
    fb_table table = {.arena = &arena};
    FB_TRUE(fb_table_find(&table, "x") == NULL, "nothing there");
    const fb_table_entry *at = NULL;
    FB_TRUE(fb_table_next(&table, "x", &at) == NULL, "nothing there");
    fb_arena_clear(&arena);
}

static void find_gives_what_was_added(void) {
    fb_arena arena;
    fb_arena_init(&arena);
    fb_table table = {.arena = &arena};
    static int items[5000];
    for (int i = 0; i < 5000; i++) {
        fb_table_add(&table, fb_arena_printf(&arena, "name %d", i), &items[i]);
    }
    int wrong = 0;
    for (int i = 0; i < 5000; i++) {
        char text[40];
        snprintf(text, sizeof text, "name %d", i);
        wrong += fb_table_find(&table, text) != &items[i];
    }
    FB_EQUAL_INT(wrong, 0);
    FB_EQUAL_INT(table.n, 5000);
    FB_TRUE(fb_table_find(&table, "name 5000") == NULL, "that one was not added");
    FB_TRUE(fb_table_find(&table, "") == NULL, "nor was that");
    fb_arena_clear(&arena);
}

static void next_gives_equal_texts_in_their_order(void) {
    fb_arena arena;
    fb_arena_init(&arena);
    fb_table table = {.arena = &arena};
    static int items[3000];
    static const char *const texts[] = {"a", "b", "c"};
    for (int i = 0; i < 3000; i++) { /* through several growths, others in between */
        fb_table_add(&table, texts[i % 3], &items[i]);
        if (i % 7 == 0) {
            fb_table_add(&table, fb_arena_printf(&arena, "other %d", i), &items[i]);
        }
    }
    for (int t = 0; t < 3; t++) {
        const fb_table_entry *at = NULL;
        int n = 0, wrong = 0;
        for (int *item; (item = fb_table_next(&table, texts[t], &at)) != NULL; n++) {
            wrong += item != &items[3 * n + t];
        }
        FB_EQUAL_INT(n, 1000);
        FB_EQUAL_INT(wrong, 0);
    }
    FB_TRUE(fb_table_find(&table, "b") == &items[1], "the first one");
    fb_arena_clear(&arena);
}

static const fb_test tests[] = {
    FB_TEST(find_in_an_empty_table_gives_nothing),
    FB_TEST(find_gives_what_was_added),
    FB_TEST(next_gives_equal_texts_in_their_order),
    FB_TEST_END,
};

int main(int argc, char **argv) {
    return fb_test_main("table", tests, argc, argv);
}
