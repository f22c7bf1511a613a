/* Tables of numbers over time, as OpenSim stores them: .sto and .mot. A header of "key=value" lines
 * and "endheader", a line of column names, lines of numbers. */
#ifndef FB_FORMATS_STO_H
#define FB_FORMATS_STO_H

#include <stdbool.h>

#include "formats/text.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fb_sto {
    fb_arena arena;
    const char *name;   /* first line of the header */
    const char *header; /* all lines of the header that was read, or NULL */
    bool in_degrees;    /* "inDegrees=yes" or "Angles are in degrees"; the numbers are as they stand
                           in the file */
    int n_columns, n_rows;
    const char **columns; /* n_columns names, the first usually "time" */
    double *values;       /* n_rows x n_columns */
    size_t capacity_columns, capacity_values;
} fb_sto;

/* Reads a table from memory. On failure adds an error with the line to `diag`. */
fb_status fb_sto_read(fb_sto *table, const char *bytes, size_t size, const char *file,
                      fb_diag *diag);
/* Leaves it empty; one that is empty may be freed again. */
void fb_sto_free(fb_sto *table);
/* A number by its row and column. */
static inline double fb_sto_value(const fb_sto *table, int row, int column) {
    return table->values[(size_t)row * (size_t)table->n_columns + (size_t)column];
}
/* The number of a column, or -1. */
int fb_sto_column(const fb_sto *table, const char *name);

/* Making a table: start, all columns, then rows. While table->arena.oom is set, running out of
 * memory jumps there. fb_sto_row gives a new row of zeros, which stays valid until the next one. */
void fb_sto_start(fb_sto *table, const char *name);
void fb_sto_add_column(fb_sto *table, const char *name);
double *fb_sto_row(fb_sto *table);
/* Leaves out the columns, all but the first, that are zero in every row: no larger than `rounding`
 * times the table's largest number, the first column apart. */
void fb_sto_drop_zeros(fb_sto *table, double rounding);
/* Writes a table. `header`: lines of "key=value" to stand above "endheader". */
void fb_sto_write(const fb_sto *table, const char *header, fb_text *out);

#ifdef __cplusplus
}
#endif
#endif
