/* What placing does with one bundle, all sections side by side: rows of numbers, one a section. For
 * place.c only.
 *
 * Rows are of single precision: in units of the muscle's own bundles, and places from the core's in
 * the same section, so that they are right to some 1e-6 of a bundle. `core` of three rows is the
 * way from each section's place on the core to the next's. Volumes and lengths that must be exact
 * are made so afterwards. Loops run on to the end of a block, into the rows' margins; what they
 * leave there is never read for a section. */
#ifndef FB_BUNDLE_PLACE_ROWS_H
#define FB_BUNDLE_PLACE_ROWS_H

#include <stdbool.h>
#include <stddef.h>

enum { ROW_BLOCK = 8 }; /* sections that vector instructions take at once */

/* Sections up to the end of a block. */
static inline size_t fb_row_whole(size_t n) {
    return (n + ROW_BLOCK - 1) & ~(size_t)(ROW_BLOCK - 1);
}
/* From one row to the next: n sections (3 at least) and a margin. */
static inline size_t fb_row_stride(size_t n) {
    return fb_row_whole(n - 2) + ROW_BLOCK;
}

/* The rows of a bundle, three for each vector: ring centre, semi-axes, the ring's normal, the axis'
 * direction, the direction of the lattice's row, the centre of the pass before, room to be left
 * against both neighbours, length along the axis, how far normals along u and w may lean. */
enum {
    ROW_C = 0,
    ROW_U = 3,
    ROW_W = 6,
    ROW_T = 9,
    ROW_G = 12,
    ROW_R = 15,
    ROW_O = 18,
    ROW_E = 21,
    ROW_ARC = 23,
    ROW_SLOPE = 24,
    ROW_COUNT = 26
};
/* The rows of a core's frames. */
enum { ROW_FO = 0, ROW_FX = 3, ROW_FY = 6, ROW_FZ = 9, ROW_FRAME_COUNT = 12 };
/* The rows of a contact: normal n from the neighbour; n . c = r for the centre c that touches; the
 * place of the contact along the ring's normal. */
enum { ROW_N = 0, ROW_NR = 3, ROW_NH = 4, ROW_CONTACT_COUNT = 5 };

/* Before anything is laid: the direction of the axis and the length along it as the neighbours a
 * and `below` have them in the mean (one twice, if there is but one), the row's as a has it. */
void fb_row_begin(float *b, const float *a, const float *below, size_t stride, size_t from,
                  size_t to);
/* Contact of bundle b with its neighbour a, which is to its left (along u) or below it (along w) if
 * sign is 1, at the other side if -1. First: as if both stood in a straight row. */
void fb_row_touch(float *contact, const float *a, const float *b, size_t stride, size_t from,
                  size_t to, bool along_w, float sign, bool first);
/* fb_row_touch with a neighbour to the left and one below, and fb_row_solve with equal weights. */
void fb_row_nestle(float *b, const float *left, const float *below, size_t stride, size_t from,
                   size_t to, float sign_x, float sign_y, bool first);
/* Contact with the plane x = 0 (or y = 0) of a frame, from its positive or negative side. */
void fb_row_touch_plane(float *contact, const float *frame, const float *b, size_t stride,
                        size_t from, size_t to, bool along_w, float sign);
/* Contact with the plane y = 0 bent to y = bow x^2 / 2 about z: with the plane that touches it at
 * the bundle's place; or, if `beside` is 1 or -1, at the place to the right or the left of a. */
void fb_row_touch_bow(float *contact, const float *frame, const float *a, const float *b,
                      size_t stride, size_t from, size_t to, const float *bow, float beside,
                      float sign);
/* The centres that touch in both contacts, at the mean of their places with the weights given. */
void fb_row_solve(float *b, const float *x, const float *y, size_t stride, size_t from, size_t to,
                  float weight_x, float weight_y);
/* Directions of the axis: tangents of the parabola through three centres; lengths from section
 * `base` on. The bundle's own ends, `first` and `last`, look inward only. n is at least 3; `spare`
 * has room for two rows.
 */
void fb_row_axis(float *b, const float *core, size_t stride, size_t n, size_t base, size_t first,
                 size_t last, float *spare);
/* Rings in the plane of their section, z of the frame being its normal, but turned where that would
 * lean more than `slack` (rad) from square to the bundle's axis. */
void fb_row_turn(float *b, const float *frame, size_t stride, size_t from, size_t to, float slack);
/* The direction of the lattice's row: that to the neighbour a along x (sign as above) and, unless
 * below is NULL, that of the neighbour along y in equal parts. */
void fb_row_follow(float *b, const float *a, const float *below, size_t stride, size_t from,
                   size_t to, float sign);
/* Semi-axes for a bundle that is widest in section `widest` with a and b, of half-ellipsoids c1 and
 * c2 long, cut where the section's square is `least` of the widest. With a row of widths the
 * width is that of a, and the height what keeps the section's area; with one of areas as well, the
 * area is that of the widest. */
void fb_row_size(float *b, size_t stride, size_t n, size_t widest, float a, float height,
                 const float c[2], const float least[2], const float *width, const float *area);
/* The least cosine of the angles between the axis and rings' normals, and between it and the layers
 * above them (below the last), from section `from` to `to`. -1 if one is no number. `spare` has
 * room for a row. */
float fb_row_lean(const float *b, const float *core, size_t stride, size_t from, size_t to,
                  float *spare);
/* How far the bundle reaches along directions m (against them, if sign is -1), one a section: into
 * `reach` where that is further than what is there. Sections from `from` to `to` - 1 only. */
void fb_row_reach(float *reach, const float *b, const float *m, size_t stride, size_t from,
                  size_t to, float sign);
/* All semi-axes times f. */
void fb_row_scale(float *b, size_t stride, size_t n, float f);
/* The volume between two sections; `spare` has room for a row. */
float fb_row_volume(const float *b, const float *core, size_t stride, size_t from, size_t to,
                    float *spare);
/* Lengths in m along the axis and volumes in m^3 of the layers above all rings but the last, exact;
 * `way`: the core's steps in double precision, `unit`: m of the rows' numbers. */
void fb_row_layers(const float *b, const double *way, size_t stride, size_t n, double unit,
                   double *length, double *volume);
/* Adds to b's room against a what the layers of the two sink into each other beyond `allowed`: for
 * each ring the worse of its two layers, each along one normal, square to its line of contact.
 * `spare` has room for two rows and a number. */
void fb_row_clear(float *b, const float *a, const float *core, size_t stride, size_t n,
                  bool along_w, float allowed, float *spare);

#endif
