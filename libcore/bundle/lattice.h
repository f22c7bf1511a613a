/* The lattice of a muscle's section: which cells have a bundle, in the order of placing.
 *
 * A cell is 2a wide (along x) and 2b = 2 R a high (along y); the core stands at the corner that the
 * four cells (0, 0), (-1, 0), (-1, -1) and (0, -1) share, which always belong to the lattice. Cells
 * are signed as in body.h. With a cell belong all between it and both planes x = 0 and y = 0, and
 * with one beside a plane that across it, so that each has the neighbours against which it is
 * placed; thus no row and no column has a hole.
 *
 * The order of placing, in each quadrant: the cell at the core, the others along y = 0, those along
 * x = 0, then the rest row by row, each from the core outward; quadrants I, II, III, IV.
 *
 * Source: patent JP3983628B2, figures 14 to 16. The figure's outline is not in the text; that the
 * centres of cells lie in a circle of 10 cells gives its 79 a quadrant. */
#ifndef FB_BUNDLE_LATTICE_H
#define FB_BUNDLE_LATTICE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { FB_LATTICE_LEAST = 4, FB_LATTICE_MOST = 1000000, FB_LATTICE_DEFAULT = 400 };
/* Places in the rectangle around the cells, at most. */
enum { FB_LATTICE_PLACES = 40000000 };

typedef struct fb_cell {
    int i, j;
    int order; /* from 1, through all four quadrants */
} fb_cell;

typedef struct fb_lattice {
    fb_cell *cells; /* in the order of placing: cells[k].order is k + 1 */
    size_t n;
    double half_width;   /* a of a cell, in the outline's unit */
    int low[2], size[2]; /* the least i and j, and how many of them */
    size_t *at;          /* [size[1]][size[0]]: the cell's number + 1, or 0 */
} fb_lattice;

typedef enum fb_lattice_outline_kind {
    FB_LATTICE_ROUND,  /* round in cells: an ellipse of width over height 1/R */
    FB_LATTICE_FLAT,   /* an ellipse or a rounded rectangle of any width over height */
    FB_LATTICE_POLYGON /* as of a mesh that is cut */
} fb_lattice_outline_kind;

/* The outline of a section, with the core at x = y = 0. */
typedef struct fb_lattice_outline {
    fb_lattice_outline_kind kind;
    double ratio;  /* R = b / a of the cells; of a round outline: not used */
    double aspect; /* flat: the section's width over its height; half the height is the unit */
    double corner; /* flat: half-axes of the corners as parts of half-width and half-height, from 0,
                      a rectangle, to 1, an ellipse */
    const double (*points)[2]; /* polygon: corners in turn, either way round, in any unit */
    size_t n_points;
} fb_lattice_outline;

/* All functions that return a text return NULL if they did what they are for, else a sentence that
 * says why not (static; the lattice is then empty). */

/* The cells with (i + 1/2)^2 + (j + 1/2)^2 <= radius^2, radius in cells. Its unit is the width of a
 * cell, so half_width is 1/2. */
const char *fb_lattice_round(fb_lattice *lattice, double radius);
/* The radius at which the number of cells of a round lattice is the nearest to `bundles` (the
 * smaller of two), half way between the radii at which the number changes. bundles >= 4. */
double fb_lattice_radius(double bundles);
/* A lattice of about so many bundles, FB_LATTICE_LEAST to FB_LATTICE_MOST: cells whose centre is
 * inside the outline, and those between them and the planes, of the size that gives the nearest
 * number. Corners of a polygon must be finite, and the core inside. */
const char *fb_lattice_for(fb_lattice *lattice, const fb_lattice_outline *outline, double bundles);
/* The number of a cell in the list, or (size_t)-1. */
size_t fb_lattice_find(const fb_lattice *lattice, int i, int j);
/* Frees what it holds, and makes it empty. */
void fb_lattice_free(fb_lattice *lattice);

#ifdef __cplusplus
}
#endif
#endif
