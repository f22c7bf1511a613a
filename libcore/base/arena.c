#include "libcore/base/arena.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_BYTES \
    ((size_t)64 * 1024) /* the usual block; larger requests get one of their own \
                         */
#define ALIGN 16

static long alloc_count;   /* allocations since the last fb_alloc_fail_at */
static long alloc_fail_at; /* which of them fails first; 0: none */

long fb_alloc_fail_at(long n) {
    long count = alloc_count;
    alloc_count = 0;
    alloc_fail_at = n;
    return count;
}

static int alloc_refused(void) {
    if (alloc_fail_at == 0) {
        return 0;
    }
    alloc_count++;
    return alloc_count >= alloc_fail_at;
}

void *fb_alloc(size_t bytes) {
    return alloc_refused() ? NULL : malloc(bytes ? bytes : 1);
}

void *fb_realloc(void *p, size_t bytes) {
    return alloc_refused() ? NULL : realloc(p, bytes ? bytes : 1);
}

void fb_free(void *p) {
    free(p);
}

char *fb_alloc_text(const char *text) {
    size_t n = strlen(text) + 1;
    char *copy = fb_alloc(n);
    return copy ? memcpy(copy, text, n) : NULL;
}

struct fb_block {
    struct fb_block *next;
    size_t size;
};

/* bytes in front of a block's data, kept a multiple of ALIGN */
#define HEAD ((sizeof(struct fb_block) + ALIGN - 1) / ALIGN * ALIGN)

void fb_arena_init(fb_arena *arena) {
    memset(arena, 0, sizeof *arena);
}

void fb_arena_clear(fb_arena *arena) {
    while (arena->head) {
        struct fb_block *next = arena->head->next;
        fb_free(arena->head);
        arena->head = next;
    }
    fb_arena_init(arena);
}

static void *out_of_memory(fb_arena *arena) {
    if (arena->oom) {
        longjmp(*arena->oom, 1);
    }
    return NULL;
}

void *fb_arena_alloc(fb_arena *arena, size_t bytes) {
    if (bytes > SIZE_MAX / 2) {
        return out_of_memory(arena);
    }
    bytes = (bytes + ALIGN - 1) / ALIGN * ALIGN;
    if (!arena->head || arena->size - arena->used < bytes) {
        /* a request that would waste a block gets its own, behind the block in use */
        int own = arena->head && bytes > BLOCK_BYTES / 4;
        size_t size = bytes > BLOCK_BYTES ? bytes : own ? bytes : BLOCK_BYTES;
        struct fb_block *block = fb_alloc(HEAD + size);
        if (!block) {
            return out_of_memory(arena);
        }
        block->size = size;
        arena->total += HEAD + size;
        if (own) {
            block->next = arena->head->next;
            arena->head->next = block;
            return memset((char *)block + HEAD, 0, bytes);
        }
        block->next = arena->head;
        arena->head = block;
        arena->used = 0;
        arena->size = size;
    }
    void *p = (char *)arena->head + HEAD + arena->used;
    arena->used += bytes;
    return memset(p, 0, bytes);
}

void *fb_arena_array(fb_arena *arena, size_t count, size_t size) {
    if (size && count > SIZE_MAX / size) {
        return out_of_memory(arena);
    }
    return fb_arena_alloc(arena, count * size);
}

char *fb_arena_text(fb_arena *arena, const char *text, size_t n) {
    if (n == SIZE_MAX) {
        return out_of_memory(arena);
    }
    char *copy = fb_arena_alloc(arena, n + 1);
    if (copy && n) {
        memcpy(copy, text, n);
    }
    return copy;
}

char *fb_arena_dup(fb_arena *arena, const char *text) {
    return fb_arena_text(arena, text, strlen(text));
}

char *fb_arena_printf(fb_arena *arena, const char *format, ...) {
    char small[256];
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int n = vsnprintf(small, sizeof small, format, args);
    va_end(args);
    char *text = n < 0 ? NULL : fb_arena_alloc(arena, (size_t)n + 1);
    if (text && n < (int)sizeof small) {
        memcpy(text, small, (size_t)n);
    } else if (text) {
        vsnprintf(text, (size_t)n + 1, format, again);
    }
    va_end(again);
    return text;
}

void *fb_arena_grow(fb_arena *arena, void *items, size_t n, size_t *capacity, size_t item_size) {
    if (n < *capacity) {
        return items;
    }
    size_t more = *capacity ? *capacity * 2 : 4;
    void *grown = fb_arena_array(arena, more, item_size);
    if (!grown) {
        return NULL;
    }
    if (n) {
        memcpy(grown, items, n * item_size);
    }
    *capacity = more;
    return grown;
}
