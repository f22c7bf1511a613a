#include "libcore/motion/left_out.h"

#include <string.h>

static void tell(fb_diag *diag, const fb_element *element, const char *what) {
    const char *kept = element->cls == &fb_class_kept ? fb_get_string(element, "class") : NULL;
    fb_diag_add(diag, FB_WARNING, FB2308, fb_element_place(element),
                "results are those of the model without it",
                "%s '%s': %s of its class are not computed", kept ? kept : element->cls->name,
                element->name ? element->name : "", what);
}

/* The elements of a list that are of a class and on. */
static void tell_class(fb_system *s, fb_diag *diag, const char *list, const char *cls,
                       const char *on, const char *what) {
    const fb_list *all = fb_model_items(s->model, list);
    for (size_t i = 0; all && i < all->n; i++) {
        if (strcmp(all->items[i]->cls->name, cls) == 0 && fb_get_bool(all->items[i], on)) {
            s->n_skipped++;
            tell(diag, all->items[i], what);
        }
    }
}

/* Kept elements of a set, unless their XML says that they do not act. */
static void tell_kept(fb_system *s, fb_diag *diag, const char *set, const char *what) {
    const fb_list *kept = fb_model_items(s->model, "kept");
    size_t n = strlen(set);
    for (size_t i = 0; kept && i < kept->n; i++) {
        const fb_element *element = kept->items[i];
        const char *path = element->path, *xml = fb_get_string(element, "xml");
        bool off = xml && (strstr(xml, "<isEnforced>false</isEnforced>") ||
                           strstr(xml, "<isDisabled>true</isDisabled>"));
        if (path && strncmp(path, set, n) == 0 && !strchr(path + n, '/') && !off) {
            s->n_kept++;
            tell(diag, element, what);
        }
    }
}

void fb_system_tell_left_out(fb_system *system, bool as_opensim4, fb_diag *diag) {
    tell_kept(system, diag, "/jointset/", "joints");
    tell_kept(system, diag, "/constraintset/", "constraints");
    tell_class(system, diag, "components", "PositionMotion", "default_enabled", "motions");
    if (!as_opensim4) {
        tell_class(system, diag, "constraints", "RollingOnSurfaceConstraint", "enabled",
                   "constraints");
    }
}
