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

static void grow(fb_table *table) {
    size_t size = table->size ? table->size * 2 : 256;
    fb_table_slot *slots = fb_arena_array(table->arena, size, sizeof *slots);
    /* from the start of a run on, so that entries under one text keep their order */
    size_t first = 0;
    while (first < table->size && table->slots[first].text) {
        first++;
    }
    for (size_t k = 0; k < table->size; k++) {
        const fb_table_slot *old = &table->slots[(first + k) & (table->size - 1)];
        if (!old->text) {
            continue;
        }
        size_t at = hash_text(old->text) & (size - 1);
        while (slots[at].text) {
            at = (at + 1) & (size - 1);
        }
        slots[at] = *old;
    }
    table->slots = slots;
    table->size = size;
}

void fb_table_add(fb_table *table, const char *text, void *item) {
    if ((table->n + 1) * 2 > table->size) {
        grow(table);
    }
    size_t at = hash_text(text) & (table->size - 1);
    while (table->slots[at].text) {
        at = (at + 1) & (table->size - 1);
    }
    table->slots[at] = (fb_table_slot){text, item};
    table->n++;
}

void *fb_table_next(const fb_table *table, const char *text, size_t *at) {
    if (table->size == 0) {
        return NULL;
    }
    size_t start = hash_text(text);
    for (size_t i = *at;; i++) {
        const fb_table_slot *slot = &table->slots[(start + i) & (table->size - 1)];
        if (!slot->text) {
            return NULL;
        }
        if (strcmp(slot->text, text) == 0) {
            *at = i + 1;
            return slot->item;
        }
    }
}

void *fb_table_find(const fb_table *table, const char *text) {
    size_t at = 0;
    return fb_table_next(table, text, &at);
}
