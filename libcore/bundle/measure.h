/* How far a body is from what it should be: how deep bundles sink into each other, how far they
 * stand apart, and what became of volumes, lengths, ratios and rings.
 *
 * Penetration and gap are measured between the outlines of rings (and of sections between them) and
 * the layers of a neighbour, in the section through the point: the signed distance is
 * (sqrt(e) - 1) / |grad sqrt(e)| with e the ellipse's equation. Points beyond a neighbour's ends do
 * not count. All as a part of the pair's half-height: the mean of both bundles' greatest |w| or
 * |u|, whichever is less. */
#ifndef FB_BUNDLE_MEASURE_H
#define FB_BUNDLE_MEASURE_H

#include "libcore/base/diag.h"
#include "libcore/bundle/body.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fb_body_measures {
    double volume;      /* of all bundles, m^3 */
    double half_height; /* the greatest of a bundle, m */
    double penetration; /* the greatest, of half-heights, neighbours by a side and by a corner */
    int penetration_cells[4];
    double between_heads; /* the greatest of neighbours that belong to different heads */
    double gap;           /* the mean of pairs that share a side, of half-heights */
    double worst_gap;     /* the greatest pair's mean */
    int gap_cells[4];
    double volume_error, length_error, ratio_error; /* the greatest, relative */
    double tilt;  /* the greatest angle of a ring's normal and its axis, rad */
    size_t pairs; /* by a side or by a corner */
} fb_body_measures;

/* Measures a body; `points` of each outline (24 if 0), `between` sections in each layer (4 if
 * negative). Pairs of different heads count for `between_heads` alone. FB_E_MEMORY with the pairs'
 * figures left 0. */
fb_status fb_body_measure(fb_body_measures *measures, const fb_body *body, int points, int between);

#ifdef __cplusplus
}
#endif
#endif
