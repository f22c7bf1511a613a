/* Heads of one muscle kept apart while its bundles are placed. For place.c only. */
#ifndef FB_BUNDLE_PLACE_HEADS_H
#define FB_BUNDLE_PLACE_HEADS_H

#include "libcore/bundle/place.h"

/* Where bundles have been placed, in rows as of place_rows.h, and how far heads have given way. */
typedef struct fb_head_parting {
    const fb_placing *place;
    size_t stride;
    const float *rows;         /* [cells][ROW_COUNT][stride] */
    const unsigned char *edge; /* [cells]: FB_EDGE_LEFT, FB_EDGE_RIGHT or both: first or last of a
                                  row of its head; of others these need not be told */
    float *frames;             /* [heads][ROW_FRAME_COUNT][stride]: their places are moved */
    float *given; /* [heads][stride]: how far heads have given way, 0 at first; and as many rows to
                     work with */
    float *spare; /* [FB_HEAD_ROWS][stride] */
    float room;   /* to be left between heads */
} fb_head_parting;

enum { FB_HEAD_ROWS = 10, FB_EDGE_LEFT = 1, FB_EDGE_RIGHT = 2 };

/* Moves the planes of heads on which bundles stand, outward along their x, by what their bundles
 * sink into those of the heads further in: of all planes square to the mean of both heads' x, one
 * divides the two. The head with the middle of the lattice stays. In three sections on either side
 * heads give way gradually. Returns the
 * furthest that a head has been moved. */
float fb_part_heads(const fb_head_parting *parting);

#endif
