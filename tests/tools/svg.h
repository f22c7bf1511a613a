/* What the tests of fbplot share: running it, and reading the SVG that it made. */
#ifndef FB_TESTS_TOOLS_SVG_H
#define FB_TESTS_TOOLS_SVG_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/xml.h"
#include "libcore/base/number.h"
#include "tests/help.h"
#include "tools/fbplot.h"

/* For the leak checker: fontconfig, behind cairo, keeps what it read of the fonts. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) {
    return "leak:libfontconfig\n";
}

#define RUN(INPUT, ...) FB_RUN(fb_fbplot_main, (INPUT), "fbplot", __VA_ARGS__)

/* ---- reading the SVG that was made ----------------------------------------------------------- */

typedef struct svg {
    fb_xml xml;
    fb_run run;
    bool ok;
} svg;

/* Runs fbplot on a table, which must make a well-formed SVG on standard output. */
static inline svg plot_args(const char *input, const char *const *args) {
    svg s = {.run = fb_test_run(fb_fbplot_main, input, args)};
    fb_diag diag;
    fb_diag_init(&diag);
    FB_TRUE(s.run.status == 0, "status %d: %s", s.run.status, s.run.err);
    char *bytes = fb_alloc(s.run.n_out + 1);
    memcpy(bytes, s.run.out, s.run.n_out + 1);
    s.ok = s.run.status == 0 &&
           fb_xml_parse(&s.xml, bytes, s.run.n_out, "out.svg", &diag) == FB_OK && diag.n == 0 &&
           strcmp(s.xml.root->tag, "svg") == 0;
    FB_TRUE(s.ok, "the output is XML that needs no repair");
    fb_diag_clear(&diag);
    return s;
}
#define PLOT(INPUT, ...) plot_args((INPUT), (const char *const[]){"fbplot", __VA_ARGS__, NULL})

static inline void end(svg *s) {
    if (s->ok) {
        fb_xml_free(&s->xml);
    }
    fb_run_free(&s->run);
}

/* The i-th element with a tag, or NULL. */
static inline const fb_xml_node *element(const svg *s, const char *tag, int i) {
    const fb_xml_node *node = s->ok ? fb_xml_child(s->xml.root, tag) : NULL;
    for (; node && i > 0; i--) {
        node = fb_xml_next(node, tag);
    }
    return node;
}

static inline int count(const svg *s, const char *tag) {
    int n = 0;
    while (element(s, tag, n)) {
        n++;
    }
    return n;
}

/* The text element that says just this, or NULL. */
static inline const fb_xml_node *text_of(const svg *s, const char *text) {
    const fb_xml_node *node;
    for (int i = 0; (node = element(s, "text", i)) != NULL; i++) {
        if (node->text && strcmp(node->text, text) == 0) {
            return node;
        }
    }
    return NULL;
}

static inline void check_text(const svg *s, const char *text) {
    FB_TRUE(text_of(s, text) != NULL, "there is a text '%s'", text);
}

static inline void check_no_text(const svg *s, const char *text) {
    FB_TRUE(text_of(s, text) == NULL, "there is no text '%s'", text);
}

static inline double number(const fb_xml_node *node, const char *attribute) {
    const char *text = node ? fb_xml_attr(node, attribute) : NULL;
    return text ? atof(text) : FB_NAN;
}

/* The points of a polyline or polygon into at most `most`; how many there are. */
static inline int points_of(const fb_xml_node *node, fb_point *points, int most) {
    const char *p = node ? fb_xml_attr(node, "points") : "";
    int n = 0, used;
    while (n < most && sscanf(p, "%lf,%lf%n", &points[n].x, &points[n].y, &used) == 2) {
        p += used;
        n++;
    }
    return n;
}

/* Where a number is on an axis, by two of its ticks' texts. */
static inline double place_x(const svg *s, const char *a, const char *b, double x) {
    double xa = number(text_of(s, a), "x"), xb = number(text_of(s, b), "x");
    return xa + (xb - xa) * (x - atof(a)) / (atof(b) - atof(a));
}

static inline double place_y(const svg *s, const char *a, const char *b, double y) {
    const double half = 7 * 0.36; /* a number's middle over its baseline */
    double ya = number(text_of(s, a), "y") - half, yb = number(text_of(s, b), "y") - half;
    return ya + (yb - ya) * (y - atof(a)) / (atof(b) - atof(a));
}

/* A file with a table. */
static inline const char *table_file(const char *folder, const char *name, const char *text) {
    const char *file = fb_test_path(folder, name);
    fb_test_write_file(file, text, strlen(text));
    return file;
}

/* A table as OpenSim stores it. */
#define STO(NAME, HEADER, COLUMNS, ROWS) NAME "\n" HEADER "endheader\n" COLUMNS "\n" ROWS

#endif
