/* Motions of a model as tables of coordinates: reading, filtering, splines. */
#ifndef FB_TOOLS_FBSIM_MOTION_H
#define FB_TOOLS_FBSIM_MOTION_H

#include "libcore/solve/signal.h"
#include "tools/fbsim.h"

typedef struct fb_coordinates {
    const char *file;
    fb_arena arena;
    const fb_system *system;
    fb_signal series;   /* of the coordinates that the table has, rad or m */
    int *column;        /* n_q: of each coordinate in the series, or -1 */
    double first, last; /* s: times of the table */
    double frequency;   /* of the filter that was used, Hz; 0: none */
    fb_splines splines;
} fb_coordinates;

/* Reads a table (.mot, .sto, .csv; "-" for standard input), finds the coordinates' columns by name
 * or component path, filters them (`frequency` in Hz, none at 0 or below) over the series padded by
 * half its rows, and lays quintic splines, as OpenSim does. Tells of columns that match nothing,
 * with the nearest name, of coordinates that are missing, and of those that leave their ranges.
 * FB_E_INPUT with an error if it is no motion of the model. */
fb_status fb_coordinates_read(fb_coordinates *coordinates, fb_cli *cli, const char *file,
                              size_t max_bytes, const fb_system *system, double frequency);
/* Takes one that is all zeros. */
void fb_coordinates_free(fb_coordinates *coordinates);
/* Rows of the series from the one nearest range[0] to the one nearest range[1], confined to the
 * table's times, unless `beyond`: then rows of the padding are taken too, with a warning, as
 * OpenSim does. FB_E_INPUT with an error if range and table have nothing in common. */
fb_status fb_coordinates_rows(const fb_coordinates *coordinates, fb_cli *cli, const double range[2],
                              bool beyond, int *first, int *last);

#endif
