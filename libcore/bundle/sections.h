/* The sections of a muscle: where they lie along its cores, and the frame of each core in each.
 *
 * A core is a curve from the lower end (origin) to the upper (insertion) around which a head's
 * bundles lie. Sections are at the same distance from the end that the cores share, or where they
 * are nearest to each other. Where cores are no further apart than their bundles need, heads stand
 * side by side about the cores' mean; where they are, each lies around its own core. */
#ifndef FB_BUNDLE_SECTIONS_H
#define FB_BUNDLE_SECTIONS_H

#include "libcore/bundle/outline.h"
#include "libcore/bundle/place.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One core as a polyline, and its head's strip of the lattice. Strips follow each other along x. */
typedef struct fb_core_line {
    const double (*points)[3]; /* n_points, m */
    int n_points;
    double belly[2];    /* lengths along it where the belly begins and ends */
    double widest;      /* and where it is widest */
    double left, right; /* of the strip, in half-widths of bundles from the plane x = 0 */
    double half_width;  /* a of its bundles where they are widest, m */
} fb_core_line;

/* How wide the lattice is along the muscle. */
typedef enum fb_width_law {
    FB_WIDTH_ROUND, /* as its bundles are thick: width and height taper together */
    FB_WIDTH_SHEET, /* little narrower at the belly's ends, which taper in height; tendons gather */
    FB_WIDTH_FAN    /* as far apart as the cores are */
} fb_width_law;

/* How closely sections follow the cores. */
typedef enum fb_core_shape {
    FB_CORE_ROUNDED, /* on them, but for corners */
    FB_CORE_ARC,     /* on parabolas from end to end through their middles */
    FB_CORE_CHORD    /* straight from end to end */
} fb_core_shape;

/* How sections are counted out, to be held while a muscle moves, so that its rings do not change
 * their places to and fro: sections of heads, of which the lengths are not read. Empty at first. */
typedef struct fb_section_layout {
    size_t n, base, n_heads;       /* n 0: not set */
    struct fb_section_head *heads; /* [n_heads], owned */
    bool upper_shared;
} fb_section_layout;
void fb_section_layout_free(fb_section_layout *layout);

typedef struct fb_section_options {
    fb_section_layout *layout; /* used if it is set, else set; NULL: none */
    fb_core_shape shape;
    size_t layers; /* of the belly */
    bool together; /* heads stay side by side however far apart their cores are */
    double up[3];  /* about the direction of height, y, where the belly is widest */
    double twist;  /* rad: of the section from the lower end to the upper, about z */
    double radius; /* of the muscle: over which corners of its cores are rounded, m; 0: not */
    double span;   /* half the width of the whole muscle at its widest, m */
    double cut;    /* l2 / c1 and l3 / c2 */
    double pile;   /* how high bundles pile up where bellies are staggered, of as many widest
                      sections; 1: they are not */
    double more;   /* m of sections beyond both ends, for bundles that keep their lengths */
    fb_width_law law;
} fb_section_options;

/* Where a head's bundles begin and end: sections, first <= lower < widest < upper <= last, and the
 * lengths of its core there, m. */
typedef struct fb_section_head {
    size_t first, lower, widest, upper, last;
    double below, above; /* of its belly, below and above its widest section */
} fb_section_head;

typedef struct fb_sections {
    size_t n, base; /* base: where the bellies are widest, in the mean */
    size_t n_heads;
    fb_section_head *heads; /* [n_heads] */
    fb_frame *frames;       /* [n_heads][n] */
    double *width; /* [n_heads][n]: width of bundles, of the widest; NULL: as they are thick */
    double *area;  /* [n]: the section's area, of the widest; NULL: as bundles are shaped */
    double *bow;   /* [n]: 1/m, how the plane y = 0 is bent about z; NULL: it is even */
} fb_sections;

/* Sections along cores. Corners of cores are rounded to what a muscle so thick can follow. Returns
 * NULL or a sentence (static) that says why it cannot be done: a core of no length, a core that
 * folds on itself, no memory. */
const char *fb_sections_along(fb_sections *sections, const fb_core_line *cores, size_t n_heads,
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
