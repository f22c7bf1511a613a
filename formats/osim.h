/* OpenSim model files: reading every document version from 10500 to 40600, writing 40000 and 40500.
 *
 * Reading goes bytes -> tree (xml.h) -> tree of the newest version (osim_upgrade*.c) -> model
 * (osim_read.c). Only they know old versions, and what a class is called or holds is in
 * the class tables (libcore/model/classes_*.c). */
#ifndef FB_FORMATS_OSIM_H
#define FB_FORMATS_OSIM_H

#include "formats/text.h"
#include "libcore/model/model.h"

#ifdef __cplusplus
extern "C" {
#endif

#define FB_OSIM_OLDEST 10500
#define FB_OSIM_NEWEST 40600
#define FB_OSIM_WRITTEN 40500

typedef struct fb_osim_options {
    size_t max_bytes;               /* larger included files are refused; 0: FB_MAX_BYTES */
    const char *const *force_files; /* documents whose ForceSet joins the model's, as those that
                                       OpenSim's tools name; NULL-terminated, NULL for none */
    bool replace_forces;            /* the model's own are left out */
} fb_osim_options;

/* Reads a model from the bytes of an .osim file. Takes `bytes` over (allocated with fb_alloc).
 * `file` names it in messages and is where relative file names start. Fills *model, to be freed by
 * the caller; on failure *model is NULL and `diag` says why. What cannot be represented is kept in
 * the model word for word and recorded in `diag`. */
fb_status fb_osim_read(fb_model **model, char *bytes, size_t size, const char *file,
                       const fb_osim_options *options, fb_diag *diag);

/* Writes a linked model as a document of `version` (40500 or 40000). `diag` receives what an older
 * version cannot hold. */
fb_status fb_osim_write(const fb_model *model, int version, fb_text *out, fb_diag *diag);

#ifdef __cplusplus
}
#endif
#endif
