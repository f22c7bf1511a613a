#include "libcore/base/scratch.h"

#include <stdint.h>
#include <string.h>

#include "libcore/base/arena.h"

#define ALIGNMENT 16

/* A piece that does not fit the block is allocated by itself; when all are back, the block grows so
 * that next time it fits. In front of each piece stands what was in use before it. */
typedef struct head {
    size_t before, bytes;
} head;

void *fb_scratch_take(fb_scratch *scratch, size_t n, size_t size) {
    if (size && n > (SIZE_MAX - sizeof(head) - ALIGNMENT) / size) {
        return NULL;
    }
    size_t bytes = sizeof(head) + (n * size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    head *piece = scratch->size - (scratch->used < scratch->size ? scratch->used : scratch->size) >=
                          bytes
                      ? (head *)(void *)(scratch->block + scratch->used)
                      : fb_alloc(bytes);
    if (!piece) {
        return NULL;
    }
    piece->before = scratch->used;
    piece->bytes = bytes;
    scratch->used += bytes;
    scratch->out++;
    scratch->wanted = scratch->used > scratch->wanted ? scratch->used : scratch->wanted;
    return piece + 1;
}

void fb_scratch_give(fb_scratch *scratch, void *memory) {
    if (!memory) {
        return;
    }
    head *piece = (head *)memory - 1;
    char *begin = (char *)piece;
    scratch->used = piece->before;
    scratch->out--;
    if (!scratch->block || begin < scratch->block || begin >= scratch->block + scratch->size) {
        fb_free(piece);
    }
    if (scratch->out == 0 && scratch->wanted > scratch->size) {
        fb_free(scratch->block);
        scratch->block = fb_alloc(scratch->wanted);
        scratch->size = scratch->block ? scratch->wanted : 0;
    }
}

void fb_scratch_clear(fb_scratch *scratch) {
    fb_free(scratch->block);
    memset(scratch, 0, sizeof *scratch);
}
