/* What placing does with one bundle, all sections side by side: rows of numbers, one a section. For
 * place.c only. */
#ifndef FB_BUNDLE_PLACE_ROWS_H
#define FB_BUNDLE_PLACE_ROWS_H

#include <stdbool.h>
#include <stddef.h>

/* The rows of a bundle, three for each vector: ring centre, semi-axes, the ring's normal, the axis'
 * direction, the direction of the lattice's row, the centre of the pass before, room to be left
 * against both neighbours, length along the axis. */
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
    ROW_COUNT = 24
};
/* The rows of a core's frames. */
enum { ROW_FO = 0, ROW_FX = 3, ROW_FY = 6, ROW_FZ = 9, ROW_FRAME_COUNT = 12 };
/* The rows of a contact: normal n from the neighbour; n . c = r for the centre c that touches; the
 * place of the contact along the ring's normal. */
enum { ROW_N = 0, ROW_NR = 3, ROW_NH = 4, ROW_CONTACT_COUNT = 5 };

/* Contact of bundle b with its neighbour a, which is to its left (along u) or below it (along w) if
 * sign is 1, at the other side if -1. First: as if both stood in a straight row. */
void fb_row_touch(double *contact, const double *a, const double *b, size_t stride, size_t from,
                  size_t to, bool along_w, double sign, bool first);
/* Contact with the plane x = 0 (or y = 0) of a frame, from its positive or negative side. */
void fb_row_touch_plane(double *contact, const double *frame, const double *b, size_t stride,
                        size_t from, size_t to, bool along_w, double sign);
/* Contact with the plane y = 0 bent to y = bow x^2 / 2 about z: with the plane that touches it at
 * the bundle's place; or, if `beside` is 1 or -1, at the place to the right or the left of a. */
void fb_row_touch_bow(double *contact, const double *frame, const double *a, const double *b,
                      size_t stride, size_t from, size_t to, const double *bow, double beside,
                      double sign);
/* The centres that touch in both contacts, at the mean of their places with the weights given. */
void fb_row_solve(double *b, const double *x, const double *y, size_t stride, size_t from,
                  size_t to, double weight_x, double weight_y);
/* Directions of the axis: tangents of the parabola through three centres; lengths from section
 * `base` on. The bundle's own ends, `first` and `last`, look inward only. n is at least 3. */
void fb_row_axis(double *b, size_t stride, size_t n, size_t base, size_t first, size_t last);
/* Rings in the plane of their section, z of the frame being its normal, but turned where that would
 * lean more than `slack` (rad) from square to the bundle's axis. */
void fb_row_turn(double *b, const double *frame, size_t stride, size_t from, size_t to,
                 double slack);
/* The direction of the lattice's row: that to the neighbour a along x (sign as above) and, unless
 * below is NULL, that of the neighbour along y in equal parts. */
void fb_row_follow(double *b, const double *a, const double *below, size_t stride, size_t from,
                   size_t to, double sign);
/* Semi-axes for a bundle that is widest in section `widest` with a and b, of half-ellipsoids c1 and
 * c2 long, cut where the section's square is `least` of the widest. With a row of widths the
 * width is that of a, and the height what keeps the section's area; with one of areas as well, the
 * area is that of the widest. */
void fb_row_size(double *b, size_t stride, size_t n, size_t widest, double a, double height,
                 const double c[2], const double least[2], const double *width, const double *area);
/* The least cosine of the angles between the axis and rings' normals, and between it and the layers
 * above them (below the last), from section `from` to `to`. -1 if one is no number. */
double fb_row_lean(const double *b, size_t stride, size_t from, size_t to);
/* All semi-axes times f. */
void fb_row_scale(double *b, size_t stride, size_t n, double f);
/* The volume between two sections, exact; `spare` has room for a row. */
double fb_row_volume(const double *b, size_t stride, size_t from, size_t to, double *spare);
/* Adds to b's room against a what the layers of the two sink into each other beyond `allowed`: for
 * each ring the worse of its two layers, each along one normal, square to its line of contact.
 * `allowed` in m; `spare` has room for two rows. */
void fb_row_clear(double *b, const double *a, size_t stride, size_t n, bool along_w, double allowed,
                  double *spare);

#endif
