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
    const char *name; /* first line of the header */
    bool in_degrees;  /* inDegrees=yes; the numbers are as they stand in the file */
    int n_columns, n_rows;
    const char **columns; /* n_columns names, the first usually "time" */
    double *values;       /* n_rows x n_columns */
} fb_sto;

/* Reads a table from memory. On failure adds an error with the line to `diag`. */
fb_status fb_sto_read(fb_sto *table, const char *bytes, size_t size, const char *file,
                      fb_diag *diag);
void fb_sto_free(fb_sto *table);
/* The number of a column, or -1. */
int fb_sto_column(const fb_sto *table, const char *name);

#ifdef __cplusplus
}
#endif
#endif
