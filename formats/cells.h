/* Lines of a table of texts: cells with tabs, commas or semicolons between them, or with white
 * space; internal to formats. A cell may stand in double quotes, in which "" is one quote. */
#ifndef FB_FORMATS_CELLS_H
#define FB_FORMATS_CELLS_H

#include <stdbool.h>

#include "libcore/base/arena.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fb_cell {
    const char *text; /* without blanks and quotes around it */
    size_t n;
    bool quoted;
} fb_cell;

typedef struct fb_cells {
    const char *p, *end; /* what is left */
    int line;            /* the last one read, from 1 */
    char separator;      /* ' ' for white space; 0: to be found in the next line */
} fb_cells;

/* Begins at a file's bytes; a byte order mark is passed over. */
void fb_cells_begin(fb_cells *cells, const char *bytes, size_t size);
/* The next line that is not blank, without its end; false past the last. */
bool fb_cells_line(fb_cells *cells, const char **text, size_t *n);
/* The separator that a line of column names has: the first of tab, comma, semicolon that is in it,
 * else white space. */
char fb_cells_separator(const char *text, size_t n);
/* The cell at *text, which moves past it and the separator; false at the end of the line. *more,
 * false at its beginning, says that a separator followed, so that an empty cell ends the line. */
bool fb_cells_next(const fb_cells *cells, const char **text, const char *end, fb_cell *cell,
                   bool *more);
/* Splits a line: how many cells it has, of which the first `most` are stored. Cells without text at
 * the end of a line do not count. */
int fb_cells_split(fb_cells *cells, const char *text, size_t n, fb_cell *list, int most);
/* A cell's text, copied. */
char *fb_cell_text(fb_arena *arena, const fb_cell *cell);
/* True if it is this word, in letters of either case. */
bool fb_cell_is(const fb_cell *cell, const char *word);

#ifdef __cplusplus
}
#endif
#endif
