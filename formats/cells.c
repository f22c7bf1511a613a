#include "formats/cells.h"

#include <string.h>
#include <strings.h>

void fb_cells_begin(fb_cells *cells, const char *bytes, size_t size) {
    bool mark = size >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0;
    *cells = (fb_cells){.p = bytes + (mark ? 3 : 0), .end = bytes + size};
}

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

bool fb_cells_line(fb_cells *cells, const char **text, size_t *n) {
    while (cells->p < cells->end) {
        const char *stop = memchr(cells->p, '\n', (size_t)(cells->end - cells->p));
        *text = cells->p;
        *n = (size_t)((stop ? stop : cells->end) - cells->p);
        cells->p = stop ? stop + 1 : cells->end;
        cells->line++;
        while (*n > 0 && ((*text)[*n - 1] == '\r' || (*text)[*n - 1] == ' ')) {
            --*n;
        }
        for (size_t i = 0; i < *n; i++) {
            if (!is_blank((*text)[i])) {
                return true;
            }
        }
    }
    return false;
}

char fb_cells_separator(const char *text, size_t n) {
    static const char order[] = "\t,;";
    for (const char *s = order; *s; s++) {
        if (memchr(text, *s, n)) {
            return *s;
        }
    }
    return ' ';
}

bool fb_cells_next(const fb_cells *cells, const char **text, const char *end, fb_cell *cell,
                   bool *more) {
    const char *p = *text, separator = cells->separator;
    while (p < end && is_blank(*p) && (*p != separator || separator == ' ')) {
        p++;
    }
    if (p == end && !*more) {
        return false;
    }
    *cell = (fb_cell){p, 0, p < end && *p == '"'};
    if (cell->quoted) {
        cell->text = ++p;
        while (p < end && (*p != '"' || (p + 1 < end && p[1] == '"'))) {
            p += *p == '"' ? 2 : 1; /* "" is a quote within quotes */
        }
        cell->n = (size_t)(p - cell->text);
        p += p < end;
    }
    while (p < end && *p != separator && !(separator == ' ' && *p == '\t')) {
        p++;
    }
    if (!cell->quoted) {
        for (cell->n = (size_t)(p - cell->text); cell->n > 0 && is_blank(cell->text[cell->n - 1]);
             cell->n--) {
        }
    }
    *more = p < end && separator != ' ';
    *text = p < end ? p + 1 : p;
    return true;
}

int fb_cells_split(fb_cells *cells, const char *text, size_t n, fb_cell *list, int most) {
    if (!cells->separator) {
        cells->separator = fb_cells_separator(text, n);
    }
    const char *end = text + n;
    bool more = false;
    int count = 0, last = 0;
    fb_cell c;
    while (fb_cells_next(cells, &text, end, &c, &more)) {
        if (count < most) {
            list[count] = c;
        }
        count++;
        last = c.n > 0 || c.quoted ? count : last;
    }
    return last;
}

char *fb_cell_text(fb_arena *arena, const fb_cell *cell) {
    char *copy = fb_arena_text(arena, cell->text, cell->n), *to = copy;
    for (const char *from = copy; *from; from++) {
        *to++ = *from;
        from += cell->quoted && from[0] == '"' && from[1] == '"';
    }
    *to = 0;
    return copy;
}

bool fb_cell_is(const fb_cell *cell, const char *word) {
    return strlen(word) == cell->n && strncasecmp(cell->text, word, cell->n) == 0;
}
