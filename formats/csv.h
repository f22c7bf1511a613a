/* Plain tables: one line of column names, then lines of numbers, with tabs, commas or semicolons
 * between them (white space if the first line has none of these). A name or a cell may stand in
 * double quotes. An empty cell, or NA, is nan. Lines that begin with '#' above the names are
 * skipped. */
#ifndef FB_FORMATS_CSV_H
#define FB_FORMATS_CSV_H

#include "formats/sto.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Reads a plain table from memory; its name is "". On failure adds an error with the line to
 * `diag`. The table is to be freed with fb_sto_free. */
fb_status fb_csv_read(fb_sto *table, const char *bytes, size_t size, const char *file,
                      fb_diag *diag);

#ifdef __cplusplus
}
#endif
#endif
