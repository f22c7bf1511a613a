/* A muscle's form: its bundles in their lattice, each with its volume and the core that it follows,
 * whatever pose the muscle is in. */
#ifndef FB_BUNDLE_FORM_H
#define FB_BUNDLE_FORM_H

#include "libcore/bundle/lattice.h"
#include "libcore/bundle/sections.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fb_form_head {
    const char *name;
    double share;        /* of the muscle's force; all of them 1 */
    double volume_share; /* of its volume, thus of its bundles */
} fb_form_head;

/* What a form is made from. */
typedef struct fb_form_options {
    const char *name;
    double volume;              /* of all bellies, m^3 */
    double ratio;               /* R_ab at rest */
    double bundles;             /* how many, about */
    fb_lattice_outline outline; /* its ratio is not read; FB_LATTICE_ROUND is the default */
    double cut;        /* l2 / c1 and l3 / c2: how much of the half-ellipsoids is used, below 1 */
    double fibre_part; /* bellies of bundles, of the muscle's belly: 1, or less if staggered */
    double curve; /* how much further the bellies of the outermost rows reach at each end, of the
                     muscle's belly: the junction of muscle and tendon is a curve then. Only for
                     bellies that are not staggered, as far as there is tendon */
    const fb_form_head *heads;
    size_t n_heads;
} fb_form_options;

/* A round outline, R 0.5, 400 bundles, cut at 0.9, not staggered, one head. */
fb_form_options fb_form_options_default(void);

/* A head's strip of cells along x, in half-widths from the plane x = 0. */
typedef struct fb_strip {
    double left, right;
} fb_strip;

typedef struct fb_form {
    char *name;
    char **heads; /* n_heads names */
    size_t n_heads;
    fb_strip *strips; /* [n_heads] columns of each head */
    fb_lattice lattice;
    fb_place_cell *cells; /* [lattice.n]: their heads, and what the last placing gave them */
    fb_shape *rest;       /* [lattice.n]: shapes whose lengths are kept; NULL until fb_form_keep */
    double volume, ratio, cut, fibre_part, curve;
    double upright;   /* see fb_placing; fb_form_make sets 0.6 */
    double extent[2]; /* half the lattice's width and height, in half-widths and half-heights */
} fb_form;

/* Returns NULL or a sentence that says what is wrong (static). */
const char *fb_form_make(fb_form *form, const fb_form_options *options);
void fb_form_free(fb_form *form);

/* Fills `cells`, for which there is room, and `extent` from the lattice; heads and shares are left
 * to the caller. For forms that are made in another way. */
void fb_form_set_cells(fb_form *form);

/* How high bundles pile up, of as many widest sections: 1, or less if their bellies, of such a part
 * of the muscle's, are staggered, so that thick and thin ones lie above each other. */
double fb_form_pile(double fibre_part, double cut);

/* Half-width a of a bundle whose belly is so long, at the ratio of a strength; and the muscle's
 * whole width and height then. Any of the results may be NULL. */
void fb_form_size(const fb_form *form, double belly, double strength, double *a, double *width,
                  double *height);

/* Lays the bundles along sections, made with this form's strips. strength: s from 0 to 1, or NaN:
 * the ratio at rest. Allocates the body (also over one that was made by this function, whose memory
 * is used again). NULL or a sentence. */
const char *fb_form_place(fb_body *body, fb_form *form, const fb_sections *sections,
                          double strength, fb_scratch *scratch);

/* Takes the lengths of the bundles as they were placed last for theirs, to be kept from now on.
 * NULL or a sentence. */
const char *fb_form_keep(fb_form *form, const fb_body *body);
/* Lays the bundles along sections with their kept lengths (after fb_form_keep), bellies stretched
 * by a factor k alike. */
const char *fb_form_place_kept(fb_body *body, fb_form *form, const fb_sections *sections,
                               double strength, double k, fb_scratch *scratch);

#ifdef __cplusplus
}
#endif
#endif
