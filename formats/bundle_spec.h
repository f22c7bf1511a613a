/* The files in which a person says what muscles' bodies are to be: the bundle spec, and a table of
 * measured volumes.
 *
 * The spec is JSON, {"muscles": [{"name": "TRI", "lines": ["TRIlong", "TRIlat"], "volume": 0.0003,
 * ..}]}, in SI units and radians; docs/bundles.schema.json has all its members. A member that it
 * does not have is refused, and so is a number that is likely to be in other units.
 *
 * The table has a line of column names and then a line for each muscle (or line of one), with tabs,
 * commas or semicolons between cells, or white space: `name`, and any of `volume`, `area` (the
 * physiological cross-section) and `belly_length`, in SI units, or with their unit: `volume_cm3`,
 * `volume_ml`, `area_cm2`, `area_mm2`, `belly_length_cm`, `belly_length_mm`. A cell that is empty,
 * "-" or NA says nothing. Lines that begin with '#' are skipped. */
#ifndef FB_FORMATS_BUNDLE_SPEC_H
#define FB_FORMATS_BUNDLE_SPEC_H

#include "formats/text.h"
#include "libcore/bundle/spec.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Reads a spec from memory. FB_E_INPUT or FB_E_MEMORY with errors, and their lines, in `diag`; the
 * spec is then empty. Sets jansson's allocators, as fb_document_read. */
fb_status fb_bundle_spec_read(fb_spec *spec, const char *bytes, size_t size, const char *file,
                              fb_diag *diag);
/* Leaves it empty; one that is empty may be freed again. */
/* Reads the meshes of outlines that are not read yet, in metres; files are looked for beside the
 * spec's. An error in `diag` for a file that cannot be read; the spec is then as it was, but for
 * the meshes before it. */
fb_status fb_bundle_spec_meshes(fb_spec *spec, size_t max_bytes, fb_diag *diag);
void fb_bundle_spec_free(fb_spec *spec);

/* Reads a table of measured muscles from memory; likewise. */
fb_status fb_bundle_table_read(fb_measured *measured, const char *bytes, size_t size,
                               const char *file, fb_diag *diag);
void fb_bundle_table_free(fb_measured *measured);

/* Writes the JSON Schema (2020-12) of specs: docs/bundles.schema.json. */
void fb_bundle_schema_write(fb_text *out);

#ifdef __cplusplus
}
#endif
#endif
