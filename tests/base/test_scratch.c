/* Working memory: pieces do not overlap, are given back in turn, and are allocated once. */
#include "libcore/base/scratch.h"

#include <stdint.h>
#include <string.h>

#include "tests/help.h"

static void pieces_do_not_overlap(void) {
    fb_scratch scratch;
    memset(&scratch, 0, sizeof scratch);
    for (int round = 0; round < 3; round++) {
        char *a = fb_scratch_take(&scratch, 100, 1);
        double *b = fb_scratch_take(&scratch, 7, sizeof *b);
        char *c = fb_scratch_take(&scratch, 0, 8);
        if (!FB_TRUE(a && b && c, "there is memory")) {
            break;
        }
        FB_TRUE((uintptr_t)b % sizeof *b == 0, "it is aligned");
        memset(a, 1, 100);
        memset(b, 2, 7 * sizeof *b);
        FB_TRUE(a[99] == 1 && ((char *)b)[0] == 2, "each has its own");
        if (round > 0) { /* in one block, which is as large as was needed */
            FB_TRUE(a > scratch.block && (char *)(b + 7) <= scratch.block + scratch.size,
                    "the block holds them");
        }
        fb_scratch_give(&scratch, c);
        fb_scratch_give(&scratch, b);
        fb_scratch_give(&scratch, a);
        FB_EQUAL_INT(scratch.out, 0);
        FB_EQUAL_INT((long long)scratch.used, 0);
    }
    fb_scratch_clear(&scratch);
}

/* A piece that does not fit while others are out stands alone, and comes into the block later. */
static void it_grows_when_all_is_back(void) {
    fb_scratch scratch;
    memset(&scratch, 0, sizeof scratch);
    fb_scratch_give(&scratch, fb_scratch_take(&scratch, 10, 8));
    size_t small = scratch.size;
    char *a = fb_scratch_take(&scratch, 10, 8), *b = fb_scratch_take(&scratch, 1000, 8);
    memset(a, 1, 80);
    memset(b, 2, 8000);
    FB_TRUE(scratch.size == small, "it does not move while it is used");
    fb_scratch_give(&scratch, b);
    fb_scratch_give(&scratch, a);
    FB_TRUE(scratch.size >= 8080, "it has grown to %zu bytes", scratch.size);
    fb_scratch_give(&scratch, NULL);
    fb_scratch_clear(&scratch);
    FB_TRUE(scratch.block == NULL, "cleared");
}

static void too_much_is_refused(void) {
    fb_scratch scratch;
    memset(&scratch, 0, sizeof scratch);
    FB_TRUE(fb_scratch_take(&scratch, SIZE_MAX / 4, 8) == NULL, "the product does not overflow");
    FB_TRUE(fb_scratch_take(&scratch, SIZE_MAX / 8, 8) == NULL, "nor what is added to it");
    fb_scratch_clear(&scratch);
}

static const fb_test tests[] = {
    FB_TEST(pieces_do_not_overlap),
    FB_TEST(it_grows_when_all_is_back),
    FB_TEST(too_much_is_refused),
    FB_TEST_END,
};

int main(int argc, char **argv) {
    return fb_test_main("scratch", tests, argc, argv);
}
