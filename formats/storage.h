/* Tables as OpenSim's Storage writes them: its header, and numbers with a fixed count of decimals,
 * right-aligned. fb_sto_write writes exact numbers; this is for files that stand for OpenSim's. */
#ifndef FB_FORMATS_STORAGE_H
#define FB_FORMATS_STORAGE_H

#include "formats/sto.h"

#ifdef __cplusplus
extern "C" {
#endif

#define FB_STORAGE_DECIMALS 8 /* OpenSim's default output precision */

/* The lines that OpenSim puts into the headers of motions and of its analyses. */
#define FB_STORAGE_UNITS \
    "Units are S.I. units (second, meters, Newtons, ...)\nIf the header above contains a line " \
    "with 'inDegrees', this indicates whether rotational values are in degrees (yes) or radians " \
    "(no).\n"

/* Writes a table. `description`: lines that stand between blank ones in the header, NULL for none;
 * without the blank line before them if they begin with a space, which is left out;
 * `decimals` of each number (0 to 20), in a field that is 8 wider. */
void fb_storage_write(const fb_sto *table, const char *description, int decimals, fb_text *out);

/* Room for any number that fb_storage_number writes. */
#define FB_STORAGE_NUMBER_MAX 352
/* Writes x as printf's "%*.*f" does, with width decimals + 8, rounded exactly; much faster for all
 * common numbers. Returns the length. */
int fb_storage_number(char out[FB_STORAGE_NUMBER_MAX], double x, int decimals);

#ifdef __cplusplus
}
#endif
#endif
