/* The sections of a muscle: where they lie along its cores, and the frame of each core in each.
 *
 * A core is a curve from the lower end (origin) to the upper (insertion) around which bundles lie.
 * A section is at the same part of the tendon, or of the belly, of every core. Where cores are no
 * further apart than their bundles need, all bundles lie around the cores' mean in one lattice;
 * where they are, heads are apart and each lies around its own core. */
#ifndef FB_BUNDLE_SECTIONS_H
#define FB_BUNDLE_SECTIONS_H

#include "libcore/bundle/outline.h"
#include "libcore/bundle/place.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One core as a polyline. */
typedef struct fb_core_line {
    const double (*points)[3]; /* n_points, m */
    int n_points;
    double belly[2]; /* lengths along it where the belly begins and ends */
    double widest;   /* and where it is widest */
} fb_core_line;

/* What the lattice needs of a head: its strip of cells along x, in half-widths of the widest
 * section, from the plane x = 0; strips follow each other from left to right. */
typedef struct fb_strip {
    double left, right;
} fb_strip;

/* How wide the lattice is along the muscle. */
typedef enum fb_width_law {
    FB_WIDTH_ROUND, /* as its bundles are thick: width and height taper together */
    FB_WIDTH_SHEET, /* little narrower at the belly's ends, which taper in height; tendons gather */
    FB_WIDTH_FAN    /* as far apart as the cores are */
} fb_width_law;

typedef struct fb_section_options {
    size_t layers;     /* of the belly */
    double up[3];      /* about the direction of height, y, where the belly is widest */
    double twist;      /* rad: of the section from the lower end to the upper, about z */
    double half_width; /* a of a bundle at its widest, m */
    double span;       /* half the width of the whole muscle at its widest, m */
    double radius;     /* of the whole muscle: half its greater extent, m */
    double cut[2];     /* l2 / c1 and l3 / c2 */
    fb_width_law law;
    double more; /* m of sections beyond both ends, for bundles that keep their lengths */
    bool keep;   /* cores as they are, without rounding their corners */
} fb_section_options;

typedef struct fb_sections {
    size_t n, base, first, last, lower, upper;
    size_t n_heads;
    fb_frame *frames; /* [n_heads][n] */
    bool *apart;      /* [n] */
    double *part;     /* [n]: place along the belly, -1 to 1 about the widest section, beyond in
                         tendons */
    double *width;    /* [n]: width of bundles, of the widest; NULL: as they are thick */
    double *area;     /* [n]: the section's area, of the widest; NULL: as bundles are shaped */
    double length[3]; /* of the mean core: below the belly, of the belly, above it */
} fb_sections;

/* Sections along cores, one for each strip. Corners of cores are rounded to what a muscle so thick
 * can follow. Returns NULL or a sentence (static) that says why it cannot be done: a core of no
 * length, a core that folds on itself, no memory. */
const char *fb_sections_along(fb_sections *sections, const fb_core_line *cores,
                              const fb_strip *strips, size_t n_heads,
                              const fb_section_options *options);
/* Sections through a muscle whose surface is given, of one head that is all belly: `layers` of them
 * from end to end, and `more` metres of sections beyond both ends. Widths and heights change no
 * faster along the core than bundles can follow: blunt ends come out a little sharper. NULL, or a
 * sentence. */
const char *fb_sections_of_profile(fb_sections *sections, const fb_profile *profile, size_t layers,
                                   double more);
void fb_sections_free(fb_sections *sections);

/* A core of its own, in the frame whose z it leaves along at its lower end: `length` long, bent by
 * the given angles (rad) about x and about y at equal steps. points has room for n. */
void fb_core_bent(double (*points)[3], int n, double length, double about_x, double about_y);

#ifdef __cplusplus
}
#endif
#endif
