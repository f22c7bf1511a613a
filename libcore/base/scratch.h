/* Working memory that is taken and given back in turn, the last first, and not allocated anew once
 * it has grown to what is needed. */
#ifndef FB_BASE_SCRATCH_H
#define FB_BASE_SCRATCH_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fb_scratch {
    char *block;
    size_t size, used;
    size_t wanted; /* bytes in all that were out at once */
    int out;       /* pieces that are not given back yet */
} fb_scratch;

/* Memory for n objects of a size, aligned for any of them, not cleared; NULL if there is none. */
void *fb_scratch_take(fb_scratch *scratch, size_t n, size_t size);
/* Gives back the piece that was taken last. Takes NULL. */
void fb_scratch_give(fb_scratch *scratch, void *piece);
/* Frees the memory; all pieces must have been given back. */
void fb_scratch_clear(fb_scratch *scratch);

#ifdef __cplusplus
}
#endif
#endif
