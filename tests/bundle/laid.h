/* Muscles laid along cores of their own by form.h and sections.h, for the tests of placing:
 * straight or bent, twisted, stretched, with heads that part, as wide as a part of their belly's
 * length. */
#ifndef FB_TESTS_BUNDLE_LAID_H
#define FB_TESTS_BUNDLE_LAID_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/number.h"
#include "libcore/base/spatial.h"
#include "libcore/bundle/form.h"
#include "libcore/bundle/measure.h"
#include "tests/help.h"

enum { LAID_HEADS = 4, LAID_POINTS = 129 };

#define LAID_BELLY 0.2
#define LAID_TENDON 0.03
#define DEGREES (3.14159265358979323846 / 180)

/* What is laid; 0 of a member that has a default in brackets. */
typedef struct laid_subject {
    double bundles;               /* [400] */
    size_t layers;                /* [24] */
    double width;                 /* of the whole muscle at rest, of its belly's length [0.3] */
    double ratio;                 /* [0.5] */
    double stretch;               /* [1] */
    double strength;              /* s + 1, as 0 is the ratio at rest */
    double bend_x, bend_y, twist; /* degrees, of the whole core */
    bool kept;                    /* bundles keep the lengths of the straight muscle at rest */
    int heads;                    /* [1] */
    double spread;                /* how far the heads part at the upper end, m */
    double fibre_part;            /* [1] */
    double corner;                /* m: the core's middle is moved aside so far, along x */
} laid_subject;

typedef struct laid {
    fb_form form;
    fb_sections sections; /* of the last placing */
    fb_body body;
    fb_scratch scratch;
    fb_body_measures measures;
    const char *why; /* NULL: it is laid and measured */
} laid;

static inline double laid_or(double value, double missing) {
    return value != 0 ? value : missing;
}

/* A form that is so wide: widths grow as the root of the volume. */
static inline const char *laid_form(fb_form *form, const laid_subject *s) {
    static const char *const names[LAID_HEADS] = {"a", "b", "c", "d"};
    fb_form_head heads[LAID_HEADS];
    int n = s->heads ? s->heads : 1;
    for (int h = 0; h < n; h++) {
        heads[h] = (fb_form_head){names[h], 1.0 / n, 1.0 / n};
    }
    fb_form_options o = fb_form_options_default();
    o.volume = 1e-4;
    o.ratio = laid_or(s->ratio, o.ratio);
    o.bundles = laid_or(s->bundles, o.bundles);
    o.fibre_part = laid_or(s->fibre_part, o.fibre_part);
    o.heads = heads;
    o.n_heads = (size_t)n;
    if (o.fibre_part < 1) { /* rows piled up: an ellipse all the same */
        o.cut = 0.95;
        o.outline.kind = FB_LATTICE_FLAT;
        o.outline.aspect = fb_form_pile(o.fibre_part, o.cut) / o.ratio;
        o.outline.corner = 1;
    }
    const char *why = fb_form_make(form, &o);
    if (!why) {
        double width, want = laid_or(s->width, 0.3) * LAID_BELLY;
        fb_form_size(form, LAID_BELLY, FB_NAN, NULL, &width, NULL);
        fb_form_free(form);
        o.volume *= want * want / (width * width);
        why = fb_form_make(form, &o);
    }
    return why;
}

/* Sections of a form along the subject's core, or straight and at rest. */
static inline const char *laid_sections(fb_sections *sections, const fb_form *form,
                                        const laid_subject *s, bool rest) {
    static double points[LAID_HEADS][LAID_POINTS][3];
    fb_core_line lines[LAID_HEADS];
    double k = rest ? 1 : laid_or(s->stretch, 1), belly = LAID_BELLY * k;
    double strength = rest || s->strength == 0 ? FB_NAN : s->strength - 1;
    double length = belly + 2 * LAID_TENDON, a, width, height;
    fb_form_size(form, belly, strength, &a, &width, &height);
    for (size_t h = 0; h < form->n_heads; h++) {
        double(*p)[3] = points[h];
        fb_core_bent(p, LAID_POINTS, length, rest ? 0 : s->bend_x * DEGREES,
                     rest ? 0 : s->bend_y * DEGREES);
        for (int i = 0; i < LAID_POINTS; i++) {
            double part = (double)i / (LAID_POINTS - 1), t = fb_greater((part - 0.4) / 0.6, 0);
            double aside = (double)h - 0.5 * ((double)form->n_heads - 1);
            p[i][0] += s->spread * aside * t * t * (3 - 2 * t) +
                       (rest ? 0 : s->corner * (1 - fabs(2 * part - 1)));
        }
        double measured = 0;
        for (int i = 1; i < LAID_POINTS; i++) {
            measured += fb_v3_distance(p[i - 1], p[i]);
        }
        lines[h] = (fb_core_line){.points = (const double(*)[3])p,
                                  .n_points = LAID_POINTS,
                                  .belly = {LAID_TENDON, measured - LAID_TENDON},
                                  .widest = 0.5 * measured,
                                  .left = form->strips[h].left,
                                  .right = form->strips[h].right,
                                  .half_width = a};
    }
    fb_section_options o = {.layers = s->layers ? s->layers : 24,
                            .up = {0, 1, 0},
                            .twist = rest ? 0 : s->twist * DEGREES,
                            .radius = s->spread != 0 ? 0.5 * height : 0,
                            .span = 0.5 * width,
                            .cut = form->cut,
                            .more = s->kept && !rest ? 0.75 * belly : 0,
                            .law = form->fibre_part < 1 ? FB_WIDTH_SHEET : FB_WIDTH_ROUND};
    return fb_sections_along(sections, lines, form->n_heads, &o);
}

static inline laid lay(const laid_subject *s) {
    laid l;
    memset(&l, 0, sizeof l);
    double k = laid_or(s->stretch, 1), strength = s->strength != 0 ? s->strength - 1 : FB_NAN;
    l.why = laid_form(&l.form, s);
    if (!l.why && s->kept) {
        l.why = laid_sections(&l.sections, &l.form, s, true);
        if (!l.why) {
            l.why = fb_form_place(&l.body, &l.form, &l.sections, FB_NAN, &l.scratch);
        }
        l.why = l.why ? l.why : fb_form_keep(&l.form, &l.body);
        fb_sections_free(&l.sections);
    }
    if (!l.why) {
        l.why = laid_sections(&l.sections, &l.form, s, false);
    }
    if (!l.why) {
        l.why = s->kept ? fb_form_place_kept(&l.body, &l.form, &l.sections, strength, k, &l.scratch)
                        : fb_form_place(&l.body, &l.form, &l.sections, strength, &l.scratch);
    }
    if (!l.why && fb_body_measure(&l.measures, &l.body, 0, -1) != FB_OK) {
        l.why = "no memory";
    }
    return l;
}

static inline void laid_free(laid *l) {
    fb_form_free(&l->form);
    fb_sections_free(&l->sections);
    fb_body_free(&l->body);
    fb_scratch_clear(&l->scratch);
}

#endif
