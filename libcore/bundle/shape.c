#include "libcore/bundle/shape.h"

#include <math.h>

#define PI 3.14159265358979323846

/* The integral of 1 - z^2/c^2 from the widest section to the cut at l. */
static double used(double c, double l) {
    return c > 0 ? l - l * l * l / (3 * c * c) : 0;
}

/* The squared section at a cut, as a part of the widest. */
static double cut(double c, double l) {
    return c > 0 && l < c ? (1 - l / c) * (1 + l / c) : c > 0 ? 0 : 1;
}

/* a and b = R a with pi a b times a length equal to a volume; zero if there is none. */
static void size_for(fb_shape *shape, double volume, double ratio, double length) {
    double square = volume / (PI * ratio * length);
    shape->a = square > 0 && isfinite(square) ? sqrt(square) : 0;
    shape->b = ratio * shape->a;
}

void fb_shape_from_ellipsoids(fb_shape *shape, double v, double ratio) {
    size_for(shape, v, ratio, 2.0 / 3 * (shape->c1 + shape->c2));
}

void fb_shape_from_belly(fb_shape *shape, double belly_volume, double ratio) {
    size_for(shape, belly_volume, ratio, used(shape->c1, shape->l2) + used(shape->c2, shape->l3));
}

double fb_shape_belly_volume(const fb_shape *shape) {
    return PI * shape->a * shape->b * (used(shape->c1, shape->l2) + used(shape->c2, shape->l3));
}

double fb_shape_tendon_volume(const fb_shape *shape) {
    return PI * shape->a * shape->b *
           (cut(shape->c1, shape->l2) * shape->l1 + cut(shape->c2, shape->l3) * shape->l4);
}

double fb_shape_length(const fb_shape *shape) {
    return shape->l1 + shape->l2 + shape->l3 + shape->l4;
}

double fb_shape_section(const fb_shape *shape, double z) {
    double c = z < 0 ? shape->c1 : shape->c2, l = z < 0 ? shape->l2 : shape->l3;
    return sqrt(cut(c, fmin(fabs(z), l)));
}

fb_shape fb_shape_stretched(const fb_shape *shape, double k) {
    fb_shape s = *shape;
    double narrower = 1 / sqrt(k);
    s.c1 *= k;
    s.c2 *= k;
    s.l2 *= k;
    s.l3 *= k;
    s.a *= narrower;
    s.b *= narrower;
    return s;
}

double fb_shape_stretch_of(const fb_shape *shape, double length) {
    return (length - shape->l1 - shape->l4) / (shape->l2 + shape->l3);
}

fb_shape fb_shape_strengthened(const fb_shape *shape, double s) {
    fb_shape r = *shape;
    double ratio = 0.5 + 0.5 * s, product = shape->a * shape->b;
    r.a = sqrt(product / ratio);
    r.b = ratio * r.a;
    return r;
}
