#include "libcore/base/diag.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {
#define FB_DIAG_NAME(ID, TEXT) #ID,
    FB_DIAG_IDS(FB_DIAG_NAME)
#undef FB_DIAG_NAME
};

static const char *const texts[] = {
#define FB_DIAG_TEXT(ID, TEXT) TEXT,
    FB_DIAG_IDS(FB_DIAG_TEXT)
#undef FB_DIAG_TEXT
};

const char *fb_diag_name(fb_diag_id id) {
    return names[id];
}

const char *fb_diag_text(fb_diag_id id) {
    return texts[id];
}

const char *fb_action_word(fb_action action) {
    static const char *const words[FB_ACTION_COUNT] = {"exact", "warning", "approximated",
                                                       "kept",  "ignored", "error"};
    return words[action];
}

void fb_diag_init(fb_diag *diag) {
    memset(diag, 0, sizeof *diag);
    fb_arena_init(&diag->arena);
}

void fb_diag_clear(fb_diag *diag) {
    fb_arena_clear(&diag->arena);
    fb_diag_init(diag);
}

static const char *copy(fb_diag *diag, const char *text) {
    return text ? fb_arena_dup(&diag->arena, text) : NULL;
}

void fb_diag_add(fb_diag *diag, fb_action action, fb_diag_id id, fb_place place, const char *effect,
                 const char *format, ...) {
    diag->counts[action]++;
    if (diag->n >= FB_DIAG_MAX) {
        return;
    }
    fb_record *grown = fb_arena_grow(&diag->arena, diag->records, diag->n, &diag->capacity,
                                     sizeof *diag->records);
    char message[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    const char *kept = grown ? copy(diag, message) : NULL;
    if (!kept) {
        diag->out_of_memory = 1;
        return;
    }
    diag->records = grown;
    diag->records[diag->n++] = (fb_record){
        .action = action,
        .id = id,
        .file = copy(diag, place.file ? place.file : diag->file),
        .line = place.line,
        .path = copy(diag, place.path),
        .cls = copy(diag, place.cls),
        .message = kept,
        .effect = copy(diag, effect),
    };
}

void fb_diag_unit(fb_diag *diag, const char *unit) {
    if (diag->n > 0 && unit) {
        diag->records[diag->n - 1].unit = copy(diag, unit);
    }
}

#define LONGEST_WORD 64

/* Letters to insert, remove or change to make b of a (V. Levenshtein 1966); words are short. */
static int edit_distance(const char *a, const char *b) {
    size_t n = strlen(a), m = strlen(b);
    if (n >= LONGEST_WORD || m >= LONGEST_WORD) {
        return LONGEST_WORD;
    }
    int row[LONGEST_WORD];
    for (size_t j = 0; j <= m; j++) {
        row[j] = (int)j;
    }
    for (size_t i = 1; i <= n; i++) {
        int diagonal = row[0];
        row[0] = (int)i;
        for (size_t j = 1; j <= m; j++) {
            int change = diagonal +
                         (tolower((unsigned char)a[i - 1]) != tolower((unsigned char)b[j - 1]));
            diagonal = row[j];
            int best = row[j - 1] < row[j] ? row[j - 1] + 1 : row[j] + 1;
            row[j] = change < best ? change : best;
        }
    }
    return row[m];
}

const char *fb_nearest_word(const char *word, const char *(*next)(const void *context, int i),
                            const void *context) {
    int length = (int)strlen(word), limit = length / 3 + 1, best = limit + 1;
    const char *found = NULL, *candidate;
    for (int i = 0; (candidate = next(context, i)) != NULL; i++) {
        if (abs((int)strlen(candidate) - length) >= best) {
            continue;
        }
        int distance = edit_distance(word, candidate);
        if (distance < best) {
            best = distance;
            found = candidate;
        }
    }
    return best <= limit ? found : NULL;
}
