#include <stdint.h>
#include <string.h>

#include "tests/help.h"

static void alloc_gives_zeroed_aligned_memory(void) {
    fb_arena arena;
    fb_arena_init(&arena);
    for (size_t n = 0; n < 200; n++) {
        unsigned char *p = fb_arena_alloc(&arena, n);
        size_t dirty = 0;
        for (size_t i = 0; i < n; i++) {
            dirty += p[i] != 0;
        }
        FB_EQUAL_INT(dirty, 0);
        FB_EQUAL_INT((uintptr_t)p % 16, 0);
        memset(p, 0xAA, n);
    }
    fb_arena_clear(&arena);
}

static void alloc_keeps_pieces_apart(void) {
    fb_arena arena;
    fb_arena_init(&arena);
    char *pieces[300];
    for (int i = 0; i < 300; i++) { /* some larger than a block */
        size_t n = i % 50 == 49 ? 200000 : (size_t)i * 37 % 5000 + 1;
        pieces[i] = fb_arena_alloc(&arena, n);
        memset(pieces[i], i & 127, n);
    }
    int wrong = 0;
    for (int i = 0; i < 300; i++) {
        size_t n = i % 50 == 49 ? 200000 : (size_t)i * 37 % 5000 + 1;
        for (size_t k = 0; k < n; k++) {
            wrong += pieces[i][k] != (i & 127);
        }
    }
    FB_EQUAL_INT(wrong, 0);
    FB_TRUE(arena.total > 6 * 200000, "%zu bytes in all", arena.total);
    fb_arena_clear(&arena);
    FB_EQUAL_INT(arena.total, 0);
}

static void clear_leaves_a_usable_arena(void) {
    fb_arena arena;
    fb_arena_init(&arena);
    fb_arena_clear(&arena);
    FB_EQUAL_STR(fb_arena_dup(&arena, "again"), "again");
    fb_arena_clear(&arena);
    FB_EQUAL_STR(fb_arena_dup(&arena, "and again"), "and again");
    fb_arena_clear(&arena);
}

static void array_refuses_sizes_that_overflow(void) {
    fb_arena arena;
    fb_arena_init(&arena);
    FB_TRUE(fb_arena_array(&arena, SIZE_MAX / 2, 4) == NULL, "overflow");
    FB_TRUE(fb_arena_array(&arena, SIZE_MAX, SIZE_MAX) == NULL, "overflow");
    FB_TRUE(fb_arena_alloc(&arena, SIZE_MAX) == NULL, "overflow");
    FB_TRUE(fb_arena_alloc(&arena, SIZE_MAX - 8) == NULL, "overflow");
    FB_TRUE(fb_arena_text(&arena, "", SIZE_MAX) == NULL, "overflow");
    FB_TRUE(fb_arena_array(&arena, 0, 8) != NULL, "an empty array is no failure");
    fb_arena_clear(&arena);
}

static void texts_are_copies_with_a_final_zero(void) {
    fb_arena arena;
    fb_arena_init(&arena);
    char source[] = "abcdef";
    char *three = fb_arena_text(&arena, source, 3), *all = fb_arena_dup(&arena, source);
    source[0] = 'X';
    FB_EQUAL_STR(three, "abc");
    FB_EQUAL_STR(all, "abcdef");
    FB_EQUAL_STR(fb_arena_text(&arena, NULL, 0), "");
    FB_EQUAL_STR(fb_arena_printf(&arena, "%s-%03d", "x", 7), "x-007");
    char *large = fb_arena_printf(&arena, "%100000d", 1);
    FB_EQUAL_INT(strlen(large), 100000);
    fb_arena_clear(&arena);
}

static void push_grows_arrays(void) {
    fb_arena arena;
    fb_arena_init(&arena);
    int *items = NULL;
    size_t n = 0, capacity = 0;
    for (int i = 0; i < 10000; i++) {
        FB_PUSH(&arena, items, n, capacity, i);
    }
    FB_EQUAL_INT(n, 10000);
    int wrong = 0;
    for (int i = 0; i < 10000; i++) {
        wrong += items[i] != i;
    }
    FB_EQUAL_INT(wrong, 0);
    fb_arena_clear(&arena);
}

static void failing_allocation_gives_null_without_oom(void) {
    fb_arena arena;
    fb_arena_init(&arena);
    fb_alloc_fail_at(1);
    FB_TRUE(fb_arena_alloc(&arena, 10) == NULL, "memory ran out");
    FB_TRUE(fb_arena_dup(&arena, "x") == NULL, "memory ran out");
    FB_TRUE(fb_arena_printf(&arena, "%d", 1) == NULL, "memory ran out");
    size_t capacity = 0;
    FB_TRUE(fb_arena_grow(&arena, NULL, 0, &capacity, 8) == NULL, "memory ran out");
    FB_EQUAL_INT(capacity, 0);
    FB_TRUE(fb_alloc(1) == NULL && fb_realloc(NULL, 1) == NULL, "memory ran out");
    fb_alloc_fail_at(0);
    FB_TRUE(fb_arena_alloc(&arena, 10) != NULL, "memory is back");
    fb_arena_clear(&arena);
}

static void failing_allocation_jumps_to_oom(void) {
    fb_arena arena;
    fb_arena_init(&arena);
    jmp_buf oom;
    volatile int jumped = 0;
    if (setjmp(oom)) {
        jumped = 1;
    } else {
        arena.oom = &oom;
        fb_alloc_fail_at(1);
        fb_arena_alloc(&arena, 10);
        FB_TRUE(false, "there should have been a jump");
    }
    fb_alloc_fail_at(0);
    FB_EQUAL_INT(jumped, 1);
    fb_arena_clear(&arena);
}

static void fail_at_counts_allocations(void) {
    fb_alloc_fail_at(1000);
    void *a = fb_alloc(0), *b = fb_alloc(5), *c = fb_realloc(b, 50);
    FB_TRUE(a != NULL && c != NULL, "these do not fail");
    FB_EQUAL_INT(fb_alloc_fail_at(2), 3);
    void *d = fb_alloc(1);
    FB_TRUE(d != NULL, "the first does not fail");
    FB_TRUE(fb_alloc(1) == NULL, "the second does");
    FB_TRUE(fb_alloc(1) == NULL, "and all after it");
    fb_alloc_fail_at(0);
    fb_free(a);
    fb_free(c);
    fb_free(d);
    fb_free(NULL);
}

static const fb_test tests[] = {
    FB_TEST(alloc_gives_zeroed_aligned_memory),
    FB_TEST(alloc_keeps_pieces_apart),
    FB_TEST(clear_leaves_a_usable_arena),
    FB_TEST(array_refuses_sizes_that_overflow),
    FB_TEST(texts_are_copies_with_a_final_zero),
    FB_TEST(push_grows_arrays),
    FB_TEST(failing_allocation_gives_null_without_oom),
    FB_TEST(failing_allocation_jumps_to_oom),
    FB_TEST(fail_at_counts_allocations),
    FB_TEST_END,
};

int main(int argc, char **argv) {
    return fb_test_main("arena", tests, argc, argv);
}
