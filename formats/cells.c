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

static char separator_of(const char *text, size_t n) {
    static const char order[] = "\t,;";
    for (const char *s = order; *s; s++) {
        if (memchr(text, *s, n)) {
            return *s;
        }
    }
    return ' ';
}

int fb_cells_split(fb_cells *cells, const char *text, size_t n, fb_cell *list, int most) {
    if (!cells->separator) {
        cells->separator = separator_of(text, n);
    }
    const char *p = text, *end = text + n, separator = cells->separator;
    bool more = true;
    int count = 0, last = 0;
    while (more) {
        while (p < end && is_blank(*p) && (*p != separator || separator == ' ')) {
            p++;
        }
        fb_cell c = {p, 0, p < end && *p == '"'};
        if (c.quoted) {
            c.text = ++p;
            while (p < end && (*p != '"' || (p + 1 < end && p[1] == '"'))) {
                p += *p == '"' ? 2 : 1;
            }
            c.n = (size_t)(p - c.text);
        }
        while (p < end && *p != separator && !(separator == ' ' && *p == '\t')) {
            p++;
        }
        if (!c.quoted) {
            for (c.n = (size_t)(p - c.text); c.n > 0 && is_blank(c.text[c.n - 1]); c.n--) {
            }
        }
        if (count < most) {
            list[count] = c;
        }
        count++;
        last = c.n > 0 || c.quoted ? count : last;
        more = p < end;
        p += more;
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
