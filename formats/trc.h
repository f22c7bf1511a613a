/* Marker trajectories: .trc, "track row column", as motion-capture systems write them and OpenSim
 * reads them. Two lines of keys and values, one of marker names, one of X1 Y1 Z1 .., then rows of
 * frame, time and three numbers a marker, between tabs.
 *
 * Read as found in the field: either line end, tabs at lines' ends, names with blanks or shifted by
 * a cell, missing markers as blanks, NaN or cells that are not there, spaces instead of tabs,
 * times at uneven distances, counts in the header that do not hold. */
#ifndef FB_FORMATS_TRC_H
#define FB_FORMATS_TRC_H

#include "formats/text.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fb_trc {
    fb_arena arena;
    const char *file;
    double rate;       /* DataRate (Hz); nan if there is none */
    const char *units; /* as the file has them, "" if it has none */
    double scale;      /* m per unit */
    int n_markers, n_rows;
    const char **names; /* n_markers */
    double *time;       /* s, n_rows, increasing */
    double *points;     /* m, n_rows x n_markers x 3; nan, all three, where a marker is missing */
} fb_trc;

/* Reads from memory. On failure adds an error with the line to `diag`, and all is empty; warnings
 * where counts, rate or units do not fit the rows. Free in any case. */
fb_status fb_trc_read(fb_trc *trc, const char *bytes, size_t size, const char *file, fb_diag *diag);
/* The same from a file. */
fb_status fb_trc_read_file(fb_trc *trc, const char *file, size_t max_bytes, fb_diag *diag);
/* Leaves it empty; one that is empty may be freed again. */
void fb_trc_free(fb_trc *trc);

/* The number of a marker by its name, or -1. */
int fb_trc_marker(const fb_trc *trc, const char *name);
/* Three numbers. */
static inline const double *fb_trc_point(const fb_trc *trc, int row, int marker) {
    return trc->points + 3 * ((size_t)row * (size_t)trc->n_markers + (size_t)marker);
}
/* The row nearest to a time, the earlier of two that are as near. -1 if there is none. */
int fb_trc_nearest_row(const fb_trc *trc, double time);

#ifdef __cplusplus
}
#endif
#endif
