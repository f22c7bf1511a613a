#include "libcore/register/mirror.h"
fb_status fb_mirror_missing(fb_model *model, const char *from, const char *to, fb_diag *diag) {
    (void)model, (void)from, (void)to, (void)diag;
    return FB_E_UNSUPPORTED;
}
