/* A hash table from texts to pointers that keeps several entries under one text, in their order. */
#ifndef FB_BASE_TABLE_H
#define FB_BASE_TABLE_H

#include "libcore/base/arena.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One item, and the next one under the same text. */
typedef struct fb_table_entry {
    void *item;
    struct fb_table_entry *next;
} fb_table_entry;

typedef struct fb_table_slot {
    const char *text;
    fb_table_entry *first, *last;
} fb_table_slot;

/* Zeroed but for the arena, it is empty. Texts are not copied. */
typedef struct fb_table {
    fb_arena *arena;
    fb_table_slot *slots;
    size_t n, n_texts, size; /* items; different texts; slots: a power of two */
} fb_table;

void fb_table_add(fb_table *table, const char *text, void *item);
/* The next item under a text, NULL after the last. *at is NULL for the first call, then left alone.
 */
void *fb_table_next(const fb_table *table, const char *text, const fb_table_entry **at);
/* The first item under a text, or NULL. */
void *fb_table_find(const fb_table *table, const char *text);

#ifdef __cplusplus
}
#endif
#endif
