/* Feature points: named points of one skeleton, and pairs of them on two.
 *
 * The method is that of JP2004-013474: feature points on each rigid link of a standard skeleton and
 * of a new one, and for each link the transformation that minimises the sum of their distances. */
#ifndef FB_REGISTER_FEATURE_H
#define FB_REGISTER_FEATURE_H

#include <stdbool.h>

#include "libcore/base/arena.h"
#include "libcore/base/diag.h"

#ifdef __cplusplus
extern "C" {
#endif

/* m: places that are as near are the same, when a point is there twice. */
#define FB_FEATURE_TIE 1e-5

/* A point of one skeleton. */
typedef struct fb_feature {
    const char *name, *body;
    double location[3]; /* m; in the body's frame, of scans in the frame of its mesh */
    double weight;      /* 1 unless given */
    int line;           /* of its file; 0: none */
} fb_feature;

typedef struct fb_features {
    fb_arena arena;   /* texts too */
    const char *file; /* for messages: the file that it was read from, or NULL */
    fb_feature *items;
    size_t n, capacity;
} fb_features;

/* A point of the standard skeleton and the same one of the new. */
typedef struct fb_pair {
    const char *name, *body; /* the body's name in the standard */
    double standard[3], target[3];
    double weight;
    int line;
} fb_pair;

typedef struct fb_pairs {
    fb_arena arena;
    const char *file;
    fb_pair *items;
    size_t n, capacity;
} fb_pairs;

void fb_features_init(fb_features *features);
/* Leaves it empty; one that is empty may be freed again. */
void fb_features_free(fb_features *features);
/* Adds a copy, texts too. May jump to features->arena.oom. */
void fb_features_add(fb_features *features, const fb_feature *feature);
/* The one of that body (NULL: any) and name; blanks and underscores are the same. NULL: none. */
const fb_feature *fb_features_find(const fb_features *features, const char *body, const char *name);
/* Two names are the same; blanks and underscores count as the same, NULL as "". */
bool fb_feature_same_name(const char *a, const char *b);
/* The name with right and left exchanged ("R_Femur", "hip_l", "RASI", "Left Tragus") in `to`, which
 * has room for `room` bytes, 8 more than the name's; false if it names no side. */
bool fb_feature_other_side(const char *name, char *to, size_t room);

void fb_pairs_init(fb_pairs *pairs);
void fb_pairs_free(fb_pairs *pairs);
void fb_pairs_add(fb_pairs *pairs, const fb_pair *pair);
/* Pairs the points that have equal body and name (blanks and underscores are the same), in the
 * standard's order. Each point that has no partner, or that is there twice, adds a record to `diag`
 * that names it and the nearest name on the other side (left and right exchanged is told as such).
 * The weight of a pair is the product of the two. FB_E_INPUT if a name is there twice with
 * different places, or if there is no pair at all; FB_E_MEMORY. */
fb_status fb_pairs_match(fb_pairs *pairs, const fb_features *standard, const fb_features *target,
                         fb_diag *diag);

#ifdef __cplusplus
}
#endif
#endif
