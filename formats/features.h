/* Files of feature points and of pairs of them; docs/format-features.md describes them.
 *
 * Read are: JSON, {"features": [{"name", "body", "location": [x, y, z], "weight"?}]}; CSV with the
 * columns name, body, x, y, z and perhaps weight, in any order; the same without body (OpenSim
 * Creator's landmarks); OpenSim's marker sets, and the markers of any model; 3D Slicer's .mrk.json
 * and .fcsv. */
#ifndef FB_FORMATS_FEATURES_H
#define FB_FORMATS_FEATURES_H

#include "formats/text.h"
#include "libcore/register/feature.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum fb_unit { FB_UNIT_DETECT, FB_UNIT_M, FB_UNIT_MM } fb_unit;

/* In which of Slicer's frames the meshes are on which its points were placed: those that Slicer
 * itself saves are LPS (X to the left, Y back, Z up), older ones were RAS. Points in the other
 * frame are turned: x and y change their sign. */
typedef enum fb_slicer_mesh { FB_SLICER_MESH_LPS, FB_SLICER_MESH_RAS } fb_slicer_mesh;

typedef struct fb_feature_options {
    const char *body; /* of points whose file names no body; NULL: that is an error */
    fb_unit unit;     /* of the coordinates; DETECT: what the file says, else by their magnitude */
    fb_slicer_mesh slicer;
} fb_feature_options;

/* What a file turned out to be. */
typedef struct fb_feature_file {
    const char *kind; /* "JSON", "CSV", "3D Slicer", "markers of a model", "marker set" */
    fb_unit unit;     /* M or MM */
    bool detected;    /* the unit is a guess from the magnitude */
    bool turned;      /* between LPS and RAS */
} fb_feature_file;

/* Reads a file's bytes (which stay the caller's) into features, which are initialised. `options`
 * and `found` may be NULL. Locations of markers are in their body's frame. FB_E_INPUT or
 * FB_E_MEMORY with an error and its line in `diag`; features are then empty. Sets jansson's
 * allocators, as fb_document_read. */
fb_status fb_features_read(fb_features *features, const char *bytes, size_t size, const char *file,
                           const fb_feature_options *options, fb_feature_file *found,
                           fb_diag *diag);
/* The same of pairs: JSON, {"pairs": [{"name", "body", "standard": [..], "target": [..],
 * "weight"?}]}, or CSV with the columns name, body, x, y, z, target_x, target_y, target_z and
 * perhaps weight. The unit of each side is detected on its own; found[0] is the standard's,
 * found[1] the target's; options->unit holds for both. */
fb_status fb_pairs_read(fb_pairs *pairs, const char *bytes, size_t size, const char *file,
                        const fb_feature_options *options, fb_feature_file found[2], fb_diag *diag);

/* As CSV if the file's name ends in .csv, else as JSON; metres. Numbers read back to the same bits.
 */
void fb_features_write(fb_text *out, const fb_features *features, const char *file);
void fb_pairs_write(fb_text *out, const fb_pairs *pairs, const char *file);

#ifdef __cplusplus
}
#endif
#endif
