#include "libcore/base/table.h"

#include <stdint.h>
#include <string.h>

static size_t hash_text(const char *text) {
    uint64_t h = 14695981039346656037u; /* FNV-1a, 64 bits */
    for (; *text; text++) {
        h = (h ^ (unsigned char)*text) * 1099511628211u;
    }
    return (size_t)h;
}

/* The slot of a text, or the empty one where it belongs. */
static fb_table_slot *slot_of(const fb_table *table, const char *text) {
    size_t at = hash_text(text) & (table->size - 1);
    while (table->slots[at].text && strcmp(table->slots[at].text, text) != 0) {
        at = (at + 1) & (table->size - 1);
    }
    return &table->slots[at];
}

static void grow(fb_table *table) {
    const fb_table_slot *old = table->slots;
    size_t n = table->size;
    table->size = n ? n * 2 : 256;
    table->slots = fb_arena_array(table->arena, table->size, sizeof *table->slots);
    for (size_t i = 0; i < n; i++) {
        if (old[i].text) {
            *slot_of(table, old[i].text) = old[i];
        }
    }
}

void fb_table_add(fb_table *table, const char *text, void *item) {
    if ((table->n_texts + 1) * 2 > table->size) {
        grow(table);
    }
    fb_table_entry *entry = fb_arena_alloc(table->arena, sizeof *entry);
    *entry = (fb_table_entry){item, NULL};
    fb_table_slot *slot = slot_of(table, text);
    if (slot->text) {
        slot->last->next = entry;
        slot->last = entry;
    } else {
        *slot = (fb_table_slot){text, entry, entry};
        table->n_texts++;
    }
    table->n++;
}

void *fb_table_next(const fb_table *table, const char *text, const fb_table_entry **at) {
    if (*at) {
        *at = (*at)->next;
    } else {
        *at = table->size ? slot_of(table, text)->first : NULL;
    }
    return *at ? (*at)->item : NULL;
}

void *fb_table_find(const fb_table *table, const char *text) {
    const fb_table_entry *at = NULL;
    return fb_table_next(table, text, &at);
}
