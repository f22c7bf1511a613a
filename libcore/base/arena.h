/* Memory: one checked entry to the heap, and arenas that are freed whole.
 *
 * A reader or a model owns one arena; everything it makes lives there until the arena is cleared.
 * When memory runs out an arena jumps to `oom`, set by the function that owns the arena, so that
 * code in between needs no checks; with `oom` NULL (inside callbacks of other libraries, which must
 * not be jumped across) it returns NULL instead. */
#ifndef FB_BASE_ARENA_H
#define FB_BASE_ARENA_H

#include <setjmp.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* malloc, realloc and free for all of fbtools: NULL on failure or overflow. fb_alloc(0) is valid.
 */
void *fb_alloc(size_t bytes);
void *fb_realloc(void *p, size_t bytes);
void fb_free(void *p);
/* A copy of a text, to be freed by fb_free; NULL on failure. */
char *fb_alloc_text(const char *text);

/* For tests: the n-th allocation from now on fails (n from 1), and all after it; 0 turns it off.
 * Returns how many allocations were asked for since the last call. One thread only. */
long fb_alloc_fail_at(long n);

struct fb_block;

typedef struct fb_arena {
    struct fb_block *head; /* the block in use, then the older ones */
    size_t used, size;     /* bytes used and usable in the head block */
    size_t total;          /* bytes of all blocks */
    jmp_buf *oom;          /* where to go when memory runs out, or NULL */
} fb_arena;

/* An empty arena; it owns no memory yet. */
void fb_arena_init(fb_arena *arena);
/* Frees all that was allocated from it; it can be used again. */
void fb_arena_clear(fb_arena *arena);

/* Zeroed memory, aligned for any type. */
void *fb_arena_alloc(fb_arena *arena, size_t bytes);
/* count * size zeroed bytes, overflow checked. */
void *fb_arena_array(fb_arena *arena, size_t count, size_t size);
/* A copy of n bytes with a 0 after them. */
char *fb_arena_text(fb_arena *arena, const char *text, size_t n);
/* A copy of a C string. */
char *fb_arena_dup(fb_arena *arena, const char *text);
/* A formatted string. */
char *fb_arena_printf(fb_arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Makes room for one more item in an array that lives in the arena: returns the array, grown (and
 * moved) when n == *capacity. Old copies stay in the arena until it is cleared. */
void *fb_arena_grow(fb_arena *arena, void *items, size_t n, size_t *capacity, size_t item_size);

/* Appends to an array in an arena; N and CAPACITY are size_t lvalues. */
#define FB_PUSH(ARENA, ITEMS, N, CAPACITY, ITEM) \
    do { \
        (ITEMS) = fb_arena_grow((ARENA), (ITEMS), (N), &(CAPACITY), sizeof *(ITEMS)); \
        (ITEMS)[(N)++] = (ITEM); \
    } while (0)

#ifdef __cplusplus
}
#endif
#endif
