/* Bundle layers: the rings of muscles' bundles as JSON lines, an object a bundle:
 *
 *   {"muscle": .., "head": .., "time": .., "bundle": n, "cell": [i, j], "volume": v, "length": l,
 *    "ratio": r, "belly": [from, to], "rings": [{"c": [..], "u": [..], "w": [..]}, ..]}
 *
 * head and time stand only where there are any. A bundle whose heads differ has both,
 * "below/above"; one that has a head at one end only, "below/" or "/above". volume, length, ratio
 * and belly are those of fb_bundle, and bundle is its order. docs/layers.schema.json has it all. */
#ifndef FB_FORMATS_LAYERS_H
#define FB_FORMATS_LAYERS_H

#include "formats/text.h"
#include "libcore/bundle/body.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Adds a line for each bundle of a body, in its order. A measure that is not finite is left out. */
void fb_layers_write(fb_text *out, const fb_body *body);

/* Reads such lines: a body for each muscle at each time, in the order of their first lines, in
 * *bodies (fb_layers_free). Empty lines are passed over, unknown members too. A body's bundles keep
 * their order; what a line leaves out is NaN. On failure one error with the line, and no bodies. */
fb_status fb_layers_read(fb_body **bodies, size_t *n_bodies, const char *bytes, size_t size,
                         const char *file, fb_diag *diag);
void fb_layers_free(fb_body *bodies, size_t n_bodies);

#ifdef __cplusplus
}
#endif
#endif
