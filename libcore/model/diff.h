/* How two models differ. */
#ifndef FB_MODEL_DIFF_H
#define FB_MODEL_DIFF_H

#include "libcore/model/model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum fb_difference_kind {
    FB_ONLY_IN_A, /* an element, or a value, that b lacks */
    FB_ONLY_IN_B,
    FB_CHANGED
} fb_difference_kind;

/* One difference. Strings live until the callback returns. */
typedef struct fb_difference {
    fb_difference_kind kind;
    const fb_element *element; /* the component concerned; NULL: the model's own members */
    const char *what;          /* "Thelen2003Muscle 'TRIlong'" */
    const char *member;        /* "path.points[2].location", NULL for a whole element */
    const char *a, *b;         /* values as text, NULL where there is none */
    double distance;           /* largest difference of numbers, nan if they are not numbers */
    const char *unit;          /* or NULL */
} fb_difference;

/* Calls act for each difference between two linked models; elements are matched by name within
 * their lists. Numbers a and b are the same if |a - b| <= tolerance * max(1, |a|, |b|). Returns how
 * many there are, -1 if memory ran out. Steps, comments, order and source versions are not
 * compared. */
long fb_model_diff(const fb_model *a, const fb_model *b, double tolerance,
                   void (*act)(const fb_difference *, void *), void *context);

#ifdef __cplusplus
}
#endif
#endif
