/* Reading the member "bundles" of a muscle of a .fb document: see docs/format-fb.md. */
#ifndef FB_FORMATS_BUNDLE_STORED_H
#define FB_FORMATS_BUNDLE_STORED_H

#include "libcore/bundle/stored.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Of fb_width_law, as documents have them. */
extern const char *const fb_width_law_names[3];

/* The bundles of all muscles of a linked model, in the order of its lines. Texts and points are in
 * the arena (its `oom` set: may jump). FB_E_INPUT with an error that names the muscle's line if a
 * member cannot be read. */
fb_status fb_stored_read(fb_stored **stored, int *n, const fb_model *model, fb_arena *arena,
                         fb_diag *diag);

#ifdef __cplusplus
}
#endif
#endif
