/* External loads: OpenSim's ExternalLoads documents and the tables of measured forces that they
 * name. */
#ifndef FB_FORMATS_LOADS_H
#define FB_FORMATS_LOADS_H

#include "libcore/muscle/load.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What was read, in an arena of its own. */
typedef struct fb_loads_file {
    fb_arena arena;
    fb_loads loads;
    const char *data_file; /* that of the measured forces */
} fb_loads_file;

/* Reads an ExternalLoads document (versions from 20301) and its datafile, which is looked for
 * beside it, then where it says. The columns whose names begin with an identifier must be three. As
 * in OpenSim, they become natural cubic splines over time, straight lines if there are two or three
 * rows, a constant if there is one. A file that is no .xml is such a table itself, for the
 * ExternalForce elements of the model. `system` must live as long. On failure `diag` gets an error
 * with file and line, and `loads` is empty. */
fb_status fb_loads_read(fb_loads_file *loads, const char *file, const fb_system *system,
                        size_t max_bytes, fb_diag *diag);
/* True if a file's name is that of a table. */
bool fb_loads_is_table(const char *file);
/* Leaves it empty; one that is empty may be freed again. */
void fb_loads_free(fb_loads_file *loads);

#ifdef __cplusplus
}
#endif
#endif
