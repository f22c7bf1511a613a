/* Which bone a surface is: by its moments, which do not depend on place, turn, size or mirroring,
 * next to those of known bones, and by whether its landmarks can be found. */
#include "libcore/register/landmarks_internal.h"

#include <math.h>

#include "libcore/base/spatial.h"

/* Of the surface's points along the principal axes (h, in standard deviations s): log(s2 / s1),
 * log(s3 / s1), log(volume / s1 s2 s3), log(area / s1 s2), |mean of h^3| and mean of h^4 of each
 * axis, means of h1^2 h2^2, h1^2 h3^2, h2^2 h3^2, h1 h2^2 and h1 h3^2, the last two with the sign
 * that h1^3 has positive. */
enum { MEASURES = 15 };

typedef struct {
    fb_bone_kind kind;
    double measures[MEASURES];
} known_bone;

/* How far bones of one kind differ: pooled standard deviation of each measure within kinds. */
static const double spread[MEASURES] = {0.129, 0.13,  0.586,  0.098, 0.0818, 0.104, 0.121, 0.0956,
                                        0.158, 0.234, 0.0661, 0.105, 0.0874, 0.108, 0.179};

/* Measured on surfaces of public models and scans, one row for each that differs; of UNKNOWN bones
 * too, so that a metacarpal is not taken for a femur. */
static const known_bone known[] = {
    {FB_BONE_PELVIS,
     {-0.352, -0.962, 1.5, 3.2, 0.00774, 0.0861, 0.0909, 1.48, 1.76, 2.16, 0.841, 1.04, 0.94,
      -0.00265, -0.0163}},
    {FB_BONE_PELVIS,
     {-0.276, -0.996, 1.47, 3.23, 0.000295, 0.0575, 0.0498, 1.58, 1.78, 2.17, 0.832, 1.03, 0.939,
      -0.000167, 0.000532}},
    {FB_BONE_HEMIPELVIS,
     {-0.565, -1.05, 2.04, 3.35, 0.195, 0.0604, 0.314, 1.84, 2.56, 3.47, 0.748, 1.51, 0.674, -0.435,
      0.843}},
    {FB_BONE_HEMIPELVIS,
     {-0.533, -1.1, 1.89, 3.29, 0.0778, 0.0687, 0.627, 1.9, 2.56, 3.81, 0.75, 1.44, 0.602, -0.402,
      0.739}},
    {FB_BONE_HEMIPELVIS,
     {-0.52, -1.28, 2.15, 3.29, 0.211, 0.235, 0.449, 1.97, 2.56, 3.82, 0.659, 1.49, 0.63, -0.422,
      0.758}},
    {FB_BONE_SACRUM,
     {-0.195, -0.917, 2.69, 3.77, 0.368, 0.00542, 0.298, 2.13, 2.17, 2.26, 0.803, 1.03, 1.04,
      -0.335, -0.177}},
    {FB_BONE_SACRUM,
     {-0.304, -1.02, 2.73, 3.79, 0.456, 0.0543, 0.454, 2.36, 2.26, 2.74, 0.668, 1.42, 0.961, -0.287,
      0.0111}},
    {FB_BONE_SACRUM,
     {-0.317, -0.681, 2.84, 3.53, 0.372, 0.00511, 0.0229, 2.03, 2.37, 1.89, 0.689, 0.692, 0.779,
      -0.447, -0.247}},
    {FB_BONE_SACRUM,
     {-0.344, -0.863, 2.78, 3.95, 0.464, 0.00295, 0.401, 2.28, 2.25, 2.55, 0.72, 1.3, 0.721, -0.294,
      -0.0076}},
    {FB_BONE_FEMUR,
     {-2.03, -2.24, 2.38, 3.03, 0.0714, 0.265, 0.356, 1.47, 2.54, 2.46, 1.42, 1.17, 0.907, 0.148,
      -0.313}},
    {FB_BONE_FEMUR,
     {-1.9, -2.24, 2.31, 2.94, 0.0423, 0.548, 0.315, 1.44, 2.59, 2.19, 1.42, 1.15, 0.973, 0.11,
      -0.219}},
    {FB_BONE_FEMUR,
     {-2.11, -2.34, 3.6, 2.99, 0.102, 0.106, 0.345, 1.48, 2.59, 2.4, 1.42, 1.22, 1.05, -0.176,
      -0.108}},
    {FB_BONE_FEMUR,
     {-2.02, -2.23, 1.94, 2.88, 0.0176, 0.592, 0.365, 1.41, 2.6, 2.35, 1.31, 1.12, 0.965, -0.105,
      0.0849}},
    {FB_BONE_FEMUR,
     {-2.07, -2.31, 1.98, 2.84, 0.0188, 0.653, 0.415, 1.44, 2.65, 2.36, 1.36, 1.14, 1.03, -0.144,
      0.116}},
    {FB_BONE_TIBIA,
     {-1.82, -2.16, 2.48, 3.25, 0.238, 0.155, 0.347, 1.67, 2.04, 3.28, 1.01, 1.18, 0.806, -0.237,
      -0.535}},
    {FB_BONE_TIBIA,
     {-1.78, -2.16, 2.43, 3.21, 0.218, 0.232, 0.096, 1.63, 2.01, 3.04, 1.03, 1.19, 0.771, -0.232,
      -0.489}},
    {FB_BONE_TIBIA,
     {-2.03, -2.21, 2.58, 3.13, 0.341, 0.395, 0.0234, 1.7, 2.72, 2.2, 1.17, 1.17, 0.913, -0.49,
      -0.339}},
    {FB_BONE_TIBIA,
     {-2.21, -2.37, 2.17, 3.02, 0.252, 0.538, 0.496, 1.56, 2.99, 2.88, 1.17, 1.29, 0.868, -0.421,
      -0.342}},
    {FB_BONE_TIBIA,
     {-2.05, -2.2, 2.61, 3.16, 0.254, 0.105, 0.00505, 1.6, 2.33, 2.39, 1.15, 1.28, 0.745, -0.326,
      -0.327}},
    {FB_BONE_FIBULA,
     {-2.72, -3.13, 2.56, 2.99, 0.0337, 0.5, 0.0885, 1.68, 2.82, 2.22, 1.26, 1.42, 0.945, -0.00761,
      -0.0132}},
    {FB_BONE_FIBULA,
     {-2.92, -2.99, 2.63, 3.25, 0.126, 0.339, 0.313, 1.61, 2.42, 3, 1.19, 1.37, 0.823, -0.149,
      -0.169}},
    {FB_BONE_PATELLA,
     {-0.0648, -0.535, 3.06, 3.41, 0.00279, 0.0225, 0.0619, 1.87, 1.84, 1.64, 0.663, 0.632, 0.657,
      0.01, -0.00602}},
    {FB_BONE_PATELLA,
     {-0.0707, -0.6, 3.05, 3.4, 0.0499, 0.0487, 0.0464, 1.96, 1.92, 1.68, 0.608, 0.601, 0.667,
      -0.00155, -0.101}},
    {FB_BONE_PATELLA,
     {-0.0862, -0.628, 2.88, 3.29, 0.213, 0.0356, 0.0238, 2.04, 1.96, 1.71, 0.574, 0.537, 0.665,
      -0.0303, -0.115}},
    {FB_BONE_PATELLA,
     {-0.106, -0.595, 2.9, 3.34, 0.131, 0.0737, 0.222, 1.91, 2.2, 1.7, 0.647, 0.699, 0.582, -0.178,
      0.0443}},
    {FB_BONE_TALUS,
     {-0.348, -0.464, 2.98, 3.57, 0.226, 0.103, 0.226, 1.93, 1.8, 1.77, 0.665, 0.727, 0.787, -0.168,
      -0.107}},
    {FB_BONE_TALUS,
     {-0.34, -0.491, 2.96, 3.6, 0.105, 0.115, 0.211, 1.99, 1.85, 1.86, 0.65, 0.726, 0.828, -0.12,
      -0.0212}},
    {FB_BONE_TALUS,
     {-0.0563, -0.486, 2.89, 3.47, 0.0771, 0.0359, 0.112, 2.06, 1.83, 1.79, 0.608, 0.685, 0.96,
      -0.0289, -0.0323}},
    {FB_BONE_TALUS,
     {-0.264, -0.552, 2.89, 3.5, 0.118, 0.142, 0.149, 1.93, 1.73, 1.82, 0.685, 0.748, 0.885, -0.148,
      -0.0875}},
    {FB_BONE_CALCANEUS,
     {-0.557, -0.665, 2.92, 3.5, 0.00734, 0.0553, 0.0754, 1.79, 1.78, 1.69, 0.778, 0.818, 0.748,
      -0.0485, -0.00991}},
    {FB_BONE_FOOT,
     {-0.945, -1.04, 2.59, 3.95, 0.202, 0.0723, 0.542, 2.24, 2.23, 2.56, 0.928, 1.37, 0.843, 0.128,
      -0.141}},
    {FB_BONE_FOOT,
     {-0.912, -1.36, 2.78, 3.86, 0.192, 0.231, 0.37, 2.33, 2.26, 2.85, 0.79, 1.5, 0.636, -0.182,
      0.271}},
    {FB_BONE_FOOT,
     {-1.1, -1.62, 2.62, 3.78, 0.0566, 0.146, 0.374, 2.2, 2.05, 3.32, 0.871, 1.34, 0.731, 0.166,
      -0.527}},
    {FB_BONE_FOOT,
     {-0.901, -1.48, 2.45, 3.54, 0.142, 0.285, 0.424, 2.19, 2.19, 2.81, 0.787, 1.48, 0.7, -0.298,
      0.461}},
    {FB_BONE_TOES,
     {-0.642, -2.35, 2, 2.65, 0.239, 0.137, 0.0375, 1.93, 2.36, 2.3, 0.641, 0.954, 1.15, -0.264,
      -0.218}},
    {FB_BONE_CLAVICLE,
     {-1.63, -2.1, 2.48, 3.02, 0.0621, 0.196, 0.0283, 1.6, 2.19, 2.07, 1.09, 1.15, 0.907, -0.0734,
      -0.385}},
    {FB_BONE_CLAVICLE,
     {-1.84, -2.21, 2.5, 3.05, 0.00315, 0.108, 0.12, 1.61, 2.17, 1.85, 1.13, 1.14, 0.88, 0.13,
      -0.39}},
    {FB_BONE_SCAPULA,
     {-0.579, -1.27, 1.54, 3.38, 0.229, 0.492, 0.616, 2.21, 2.35, 4.41, 0.763, 1.32, 0.687, 0.142,
      -0.805}},
    {FB_BONE_SCAPULA,
     {-0.58, -1.46, 1.86, 3.26, 0.246, 0.495, 0.391, 2.19, 2.38, 4.06, 0.794, 1.25, 0.569, 0.288,
      -0.935}},
    {FB_BONE_HUMERUS,
     {-2.15, -2.41, 2.53, 3.09, 0.0294, 0.105, 0.288, 1.52, 2.58, 2.39, 1.4, 1.21, 0.732, 0.165,
      -0.361}},
    {FB_BONE_HUMERUS,
     {-2.27, -2.49, 2.3, 2.99, 0.0183, 0.253, 0.269, 1.48, 2.85, 2.31, 1.44, 1.19, 0.753, 0.134,
      -0.259}},
    {FB_BONE_HUMERUS,
     {-2.22, -2.46, 2.45, 3.06, 0.0277, 0.0355, 0.0329, 1.51, 2.73, 2.45, 1.42, 1.24, 0.771, 0.16,
      -0.385}},
    {FB_BONE_ULNA,
     {-2.42, -2.52, 2.56, 3.2, 0.406, 0.274, 0.026, 1.86, 3.13, 2.08, 0.933, 1.03, 0.86, -0.548,
      -0.335}},
    {FB_BONE_ULNA,
     {-2.43, -2.55, 2.35, 3.08, 0.38, 0.371, 0.186, 1.83, 3.19, 1.89, 0.931, 1.05, 0.747, -0.52,
      -0.193}},
    {FB_BONE_ULNA,
     {-2.39, -2.57, 2.41, 3.14, 0.395, 0.29, 0.00879, 1.87, 3.05, 2.36, 0.932, 1.04, 0.89, -0.457,
      -0.399}},
    {FB_BONE_RADIUS,
     {-2.32, -2.62, 2.56, 3.09, 0.03, 0.373, 0.315, 1.61, 2.55, 2.23, 1.11, 1.35, 0.87, -0.28,
      0.00283}},
    {FB_BONE_RADIUS,
     {-2.46, -2.73, 2.46, 3.04, 0.132, 0.403, 0.18, 1.66, 2.38, 2.24, 1.14, 1.29, 0.976, -0.352,
      -0.21}},
    {FB_BONE_RADIUS,
     {-2.36, -2.71, -2.36, 3.07, 0.145, 0.453, 0.0633, 1.65, 2.69, 2.17, 1.11, 1.28, 1.02, -0.35,
      -0.202}},
    {FB_BONE_HAND,
     {-0.583, -1.96, 1.8, 3.1, 0.399, 0.44, 0.384, 2.16, 2.66, 2.81, 0.662, 0.784, 1.67, 0.145,
      -0.131}},
    {FB_BONE_TRUNK,
     {-0.101, -0.436, -0.187, 3.44, 0.00151, 0.00208, 0.32, 1.59, 2.14, 1.7, 0.941, 0.703, 0.608,
      0.00113, 0.000596}},
    {FB_BONE_UNKNOWN,
     {-1.8, -2.46, 3.31, 4.04, 0.0121, 0.124, 0.0132, 1.77, 2.24, 2.26, 1.01, 1.04, 0.987, -0.0531,
      -0.00877}}, /* spine */
    {FB_BONE_UNKNOWN,
     {-0.221, -0.273, 3.11, 3.96, 0.231, 0.244, 0.00356, 1.99, 2.23, 1.95, 0.635, 0.682, 0.75,
      0.272, 0.228}}, /* skull */
    {FB_BONE_UNKNOWN,
     {-0.205, -0.971, 1.59, 3.04, 0.0059, 0.253, 0.167, 1.51, 1.99, 2.49, 1.12, 1.04, 0.795,
      -0.00422, -0.00173}}, /* jaw */
    {FB_BONE_UNKNOWN,
     {-1.27, -1.36, 2.73, 3.31, 0.0294, 0.128, 0.0389, 1.52, 2, 1.8, 1.19, 1.12, 0.656, -0.264,
      0.104}}, /* metatarsal */
    {FB_BONE_UNKNOWN,
     {-1.7, -2.04, 2.4, 2.99, 0.161, 0.27, 0.592, 1.62, 2.1, 2.68, 1.02, 1.29, 0.521, -0.127,
      -0.666}}, /* metatarsal */
    {FB_BONE_UNKNOWN,
     {-1.64, -1.75, 2.59, 3.21, 0.0706, 0.142, 0.12, 1.5, 2.2, 1.83, 1.19, 1.13, 0.847, -0.236,
      -0.00729}}, /* metacarpal */
    {FB_BONE_UNKNOWN,
     {-1.71, -1.78, 2.85, 3.34, 0.0571, 0.0785, 0.0407, 1.59, 1.94, 1.94, 1.08, 1.16, 0.538, -0.155,
      0.00191}}, /* metacarpal */
    {FB_BONE_UNKNOWN,
     {-1.25, -1.39, 2.47, 3.21, 0.179, 0.0392, 0.206, 1.52, 1.6, 1.8, 1.16, 1.04, 0.867, -0.146,
      -0.447}}, /* phalanx */
    {FB_BONE_UNKNOWN,
     {-1.32, -1.62, 2.86, 3.28, 0.227, 0.0155, 0.0141, 1.71, 1.83, 1.89, 1.03, 0.997, 0.754, -0.272,
      -0.285}}, /* phalanx */
    {FB_BONE_UNKNOWN,
     {-0.522, -0.983, 2.55, 3.21, 0.527, 0.181, 0.0445, 2.07, 1.88, 1.9, 0.808, 0.863, 0.936,
      -0.349, -0.509}}, /* phalanx */
    {FB_BONE_UNKNOWN,
     {-0.218, -0.522, 2.75, 3.73, 0.0316, 3.87e-09, 0.0646, 2.26, 2.06, 1.83, 0.616, 0.933, 0.968,
      0.0774, 0.0196}}, /* vertebra */
    {FB_BONE_UNKNOWN,
     {-0.144, -0.547, 2.52, 3.62, 0.016, 4.02e-06, 0.113, 2.37, 2.24, 2.08, 0.746, 1.41, 1.26,
      0.102, 0.315}}, /* vertebra */
    {FB_BONE_UNKNOWN,
     {-0.0631, -0.797, 2.38, 3.46, 0.5, 0.00153, 0.228, 2.77, 2.24, 2.18, 0.404, 1.01, 0.738,
      -0.186, -0.368}}, /* vertebra */
    {FB_BONE_UNKNOWN,
     {-0.198, -0.387, 2.8, 3.46, 0.0464, 0.133, 0.439, 1.78, 1.56, 1.83, 0.747, 0.739, 0.709,
      -0.0735, 0.0212}}, /* cuboid */
    {FB_BONE_UNKNOWN,
     {-0.387, -0.762, 2.92, 3.35, 0.0236, 0.0512, 0.005, 1.85, 1.76, 1.81, 0.614, 0.878, 0.676,
      0.0465, -0.149}}, /* navicular */
    {FB_BONE_UNKNOWN,
     {-0.329, -0.586, 2.84, 3.41, 0.00425, 0.278, 0.083, 2, 2.06, 1.72, 0.667, 0.763, 0.602, -0.129,
      0.0697}}, /* carpal */
    {FB_BONE_UNKNOWN,
     {-0.587, -0.805, 2.78, 3.33, 0.00227, 0.0238, 0.132, 1.81, 1.6, 2.04, 0.784, 0.786, 0.587,
      0.0834, -0.166}}, /* carpal */
};

static void measure(const fb_surface *s, double *m) {
    double moments[9] = {0}, values[3], axes[9], center[3] = {0, 0, 0}, area = 0;
    for (int i = 0; i < s->n_vertices; i++) {
        fb_v3_madd(center, s->area[i], s->vertices[i]);
        area += s->area[i];
    }
    fb_v3_scale(center, 1 / area, center);
    for (int i = 0; i < s->n_vertices; i++) {
        double d[3];
        fb_v3_sub(d, s->vertices[i], center);
        for (int k = 0; k < 9; k++) {
            moments[k] += s->area[i] * d[k / 3] * d[k % 3] / area;
        }
    }
    fb_eigen3(moments, values, axes);
    double a = sqrt(values[0]), b = sqrt(fb_greater(values[1], 1e-12 * values[0])),
           c = sqrt(fb_greater(values[2], 1e-12 * values[0]));
    double cubes[3] = {0, 0, 0}, odd[2] = {0, 0};
    for (int k = 0; k < MEASURES; k++) {
        m[k] = 0;
    }
    for (int i = 0; i < s->n_vertices; i++) {
        double d[3], h[3], weight = s->area[i] / area;
        fb_v3_sub(d, s->vertices[i], center);
        fb_m3_tmul_v3(h, axes, d);
        h[0] /= a;
        h[1] /= b;
        h[2] /= c;
        for (int k = 0; k < 3; k++) {
            double square = h[k] * h[k];
            cubes[k] += weight * square * h[k];
            m[7 + k] += weight * square * square;
        }
        m[10] += weight * h[0] * h[0] * h[1] * h[1];
        m[11] += weight * h[0] * h[0] * h[2] * h[2];
        m[12] += weight * h[1] * h[1] * h[2] * h[2];
        odd[0] += weight * h[0] * h[1] * h[1];
        odd[1] += weight * h[0] * h[2] * h[2];
    }
    m[0] = log(b / a);
    m[1] = log(c / a);
    m[2] = log(fb_greater(fabs(s->volume), 1e-6 * a * b * c) / (a * b * c));
    m[3] = log(area / (a * b));
    for (int k = 0; k < 3; k++) {
        m[4 + k] = fabs(cubes[k]);
    }
    m[13] = cubes[0] < 0 ? -odd[0] : odd[0];
    m[14] = cubes[0] < 0 ? -odd[1] : odd[1];
}

/* Least distances to bones of a kind are not less than this: nobody is one of the known. */
static const double least = 0.5;
/* Bones farther from all known ones are none of them. */
static const double farthest = 2.5;

fb_bone_guess fb_bone_by_shape(const fb_surface *surface) {
    double m[MEASURES], distance[FB_BONE_KIND_COUNT];
    measure(surface, m);
    for (int k = 0; k < FB_BONE_KIND_COUNT; k++) {
        distance[k] = HUGE_VAL;
    }
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        double sum = 0;
        for (int k = 0; k < MEASURES; k++) {
            double d = (m[k] - known[i].measures[k]) / spread[k];
            sum += d * d / MEASURES;
        }
        double *d = &distance[known[i].kind];
        *d = fb_lesser(*d, fb_greater(sqrt(sum), least));
    }
    /* of the nearest few, those whose landmarks are not found are less likely */
    double nearest = HUGE_VAL;
    for (int k = 0; k < FB_BONE_KIND_COUNT; k++) {
        nearest = fb_lesser(nearest, distance[k]);
    }
    fb_bone_guess guess = {FB_BONE_UNKNOWN, 0, 1, FB_BONE_UNKNOWN, false};
    char sides[FB_BONE_KIND_COUNT] = {0};
    for (int k = 0; k < FB_BONE_KIND_COUNT; k++) {
        double sure;
        char side = 0;
        if (distance[k] < 2.5 * nearest) {
            int found = fb_bone_side(surface, (fb_bone_kind)k, &side, &sure);
            sides[k] = sure >= 1.5 ? side : 0;
            distance[k] *= found == 0 ? 1.7 : 1;
        }
    }
    int best = 0, second = -1;
    for (int k = 1; k < FB_BONE_KIND_COUNT; k++) {
        best = distance[k] < distance[best] ? k : best;
    }
    for (int k = 0; k < FB_BONE_KIND_COUNT; k++) {
        if (k != best && (second < 0 || distance[k] < distance[second])) {
            second = k;
        }
    }
    if (!(distance[best] < farthest)) { /* nan too */
        return guess;
    }
    guess.kind = (fb_bone_kind)best;
    guess.side = sides[best];
    guess.second = (fb_bone_kind)second;
    guess.certainty = distance[second] / distance[best];
    return guess;
}
