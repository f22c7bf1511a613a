/* The missing side of a model, built from the one that is there. */
#ifndef FB_REGISTER_MIRROR_H
#define FB_REGISTER_MIRROR_H

#include "libcore/model/model.h"

#ifdef __cplusplus
extern "C" {
#endif

fb_status fb_mirror_missing(fb_model *model, const char *from, const char *to, fb_diag *diag);

#ifdef __cplusplus
}
#endif
#endif
