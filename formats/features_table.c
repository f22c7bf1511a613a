/* Feature points and pairs from tables: CSV, and 3D Slicer's .fcsv. */
#include <math.h>
#include <string.h>
#include <strings.h>

#include "formats/cells.h"
#include "formats/features_read.h"
#include "libcore/base/number.h"

#define MOST_COLUMNS 64

/* What a column may be. X to Z are the first point's, the next three the target's of pairs. */
typedef enum column { NAME, BODY, X, Y, Z, TX, TY, TZ, WEIGHT, FRAME, COLUMN_COUNT, OTHER } column;

static const struct {
    const char *word;
    column column;
} words[] = {
    {"name", NAME},
    {"label", NAME},
    {"landmark", NAME},
    {"body", BODY},
    {"segment", BODY},
    {"x", X},
    {"y", Y},
    {"z", Z},
    {"standard_x", X},
    {"standard_y", Y},
    {"standard_z", Z},
    {"target_x", TX},
    {"target_y", TY},
    {"target_z", TZ},
    {"weight", WEIGHT},
    {"frame", FRAME},
    {"target_frame", OTHER},
    {"source", OTHER},
    {"target_source", OTHER},
    {"defined", OTHER},
    {"selected", OTHER},
    {"visible", OTHER},
    {"locked", OTHER},
    {"description", OTHER},
    {"id", OTHER},
    {"l", X},
    {"p", Y},
    {"s", Z},
    {"r", X},
    {"a", Y},
};

static const char *const column_words[COLUMN_COUNT] = {"name",   "body",     "x",        "y",
                                                       "z",      "target_x", "target_y", "target_z",
                                                       "weight", "frame"};

struct framed {
    const char *body, *frame;
    int line;
};

typedef struct table {
    fb_feature_reader *r;
    fb_cells cells;
    int at[COLUMN_COUNT];  /* where the column is; -1: nowhere */
    bool slicer, ras;      /* columns l, p, s or r, a, s */
    struct framed *frames; /* the first frame of each body */
    size_t n_frames, capacity;
} table;

/* ---- the first line -------------------------------------------------------------------------- */

static bool is_number(const fb_cell *c) {
    double x;
    return c->n > 0 && fb_number_parse(c->text, c->n, &x);
}

/* A table without titles: name, x, y, z or name, body, x, y, z. */
static bool is_untitled(const fb_cell *list, int n) {
    int k = n == 4 ? 1 : 2;
    return n >= 4 && n <= 6 && !is_number(&list[0]) && is_number(&list[k]) &&
           is_number(&list[k + 1]) && is_number(&list[k + 2]);
}

static void take_title(table *t, int i, const fb_cell *cell, const char **others) {
    for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
        if (!fb_cell_is(cell, words[k].word)) {
            continue;
        }
        column c = words[k].column;
        if (strlen(words[k].word) == 1 && strchr("lpsra", words[k].word[0])) {
            t->slicer = true;
            t->ras |= words[k].word[0] == 'r';
        }
        if (c == OTHER) {
            return;
        }
        if (t->at[c] >= 0) {
            fb_feature_wrong(t->r, "the column '%s' is there twice", column_words[c]);
        }
        t->at[c] = i;
        return;
    }
    if (cell->n) {
        *others = fb_arena_printf(t->r->arena, "%s%s'%.*s'", *others, **others ? ", " : "",
                                  (int)(cell->n < 60 ? cell->n : 60), cell->text);
    }
}

static bool read_titles(table *t) {
    fb_feature_reader *r = t->r;
    fb_cell list[MOST_COLUMNS];
    const char *text, *others = "";
    size_t n;
    do {
        if (!fb_cells_line(&t->cells, &text, &n)) {
            fb_feature_wrong(r, "it holds no feature points");
            return false;
        }
    } while (*text == '#');
    r->line = t->cells.line;
    int count = fb_cells_split(&t->cells, text, n, list, MOST_COLUMNS);
    count = count < MOST_COLUMNS ? count : MOST_COLUMNS;
    if (!r->pairs && is_untitled(list, count)) {
        for (int c = NAME; c <= Z; c++) {
            t->at[c] = count > 4 ? c : c == BODY ? -1 : c == NAME ? 0 : c - 1;
        }
        t->at[WEIGHT] = count > 5 ? 5 : -1;
        fb_cells_begin(&t->cells, r->bytes, r->size); /* it is a point itself */
        return true;
    }
    for (int i = 0; i < count && !r->failed; i++) {
        take_title(t, i, &list[i], &others);
    }
    for (int c = NAME; c <= (r->pairs ? TZ : Z) && !r->failed; c++) {
        if (t->at[c] < 0 && c != BODY) {
            fb_feature_wrong(r, "there is no column '%s'%s%s", column_words[c],
                             *others ? "; there are " : "", others);
        }
    }
    if (!r->failed && *others) {
        fb_diag_add(r->diag, FB_WARNING, FB1411, (fb_place){r->file, r->line, NULL, NULL}, NULL,
                    "columns that are not used: %s", others);
    }
    return !r->failed;
}

/* ---- lines ----------------------------------------------------------------------------------- */

static double number_at(table *t, const fb_cell *list, int n, column c) {
    double x = FB_NAN;
    int i = t->at[c];
    if (i < 0 || (c == WEIGHT && (i >= n || list[i].n == 0))) {
        return 1; /* no weight is one */
    }
    if (i >= n || list[i].n == 0) {
        fb_feature_wrong(t->r, "there is no number in column '%s'", column_words[c]);
    } else if (!fb_number_parse(list[i].text, list[i].n, &x) || !isfinite(x)) {
        fb_feature_wrong(t->r, "column '%s' holds '%.*s', which is not a number", column_words[c],
                         (int)(list[i].n < 60 ? list[i].n : 60), list[i].text);
    }
    return x;
}

static const char *text_at(table *t, const fb_cell *list, int n, column c) {
    int i = t->at[c];
    return i >= 0 && i < n ? fb_cell_text(t->r->arena, &list[i]) : NULL;
}

/* Points of one body must be in one frame. */
static void check_frame(table *t, const char *body, const char *frame) {
    if (!body || !frame) {
        return;
    }
    for (size_t i = 0; i < t->n_frames; i++) {
        const struct framed *first = &t->frames[i];
        if (strcmp(first->body, body) == 0) {
            if (strcmp(first->frame, frame) != 0) {
                fb_diag_add(t->r->diag, FB_WARNING, FB1411,
                            (fb_place){t->r->file, t->r->line, NULL, NULL},
                            "they are taken as if they were in one",
                            "points of '%s' are in two frames, '%s' (line %d) and '%s'", body,
                            first->frame, first->line, frame);
            }
            return;
        }
    }
    struct framed own = {body, frame, t->r->line};
    FB_PUSH(t->r->arena, t->frames, t->n_frames, t->capacity, own);
}

static void read_line(table *t, const fb_cell *list, int n) {
    fb_feature_reader *r = t->r;
    double x[6];
    const char *name = text_at(t, list, n, NAME), *body = text_at(t, list, n, BODY);
    if (!name || !*name) {
        fb_feature_wrong(r, "a feature point without a name");
        return;
    }
    for (int k = 0; k < (r->pairs ? 6 : 3) && !r->failed; k++) {
        x[k] = number_at(t, list, n, (column)(X + k));
    }
    double weight = r->failed ? 1 : number_at(t, list, n, WEIGHT);
    if (r->failed) {
        return;
    }
    check_frame(t, body, text_at(t, list, n, FRAME));
    if (t->slicer && !r->pairs) {
        fb_feature_put_slicer(r, name, x, t->ras);
    } else {
        fb_feature_put(r, body, name, x, weight);
    }
}

void fb_features_read_table(fb_feature_reader *r) {
    table t = {.r = r};
    fb_cell list[MOST_COLUMNS];
    const char *text;
    size_t n;
    r->found->kind = "CSV";
    for (int c = 0; c < COLUMN_COUNT; c++) {
        t.at[c] = -1;
    }
    fb_cells_begin(&t.cells, r->bytes, r->size);
    if (!read_titles(&t)) {
        return;
    }
    if (t.slicer) {
        r->found->kind = "3D Slicer";
        r->said = FB_UNIT_MM;
        r->by_habit = true;
    }
    while (!r->failed && fb_cells_line(&t.cells, &text, &n)) {
        r->line = t.cells.line;
        if (*text == '#') {
            continue;
        }
        int count = fb_cells_split(&t.cells, text, n, list, MOST_COLUMNS);
        if (count > 0) {
            read_line(&t, list, count < MOST_COLUMNS ? count : MOST_COLUMNS);
        }
    }
}

/* ---- .fcsv ----------------------------------------------------------------------------------- */

/* What follows "word =" in a comment line; false if it is another. */
static bool setting(const char *text, size_t n, const char *word, const char **value, size_t *m) {
    const char *p = text + 1, *end = text + n;
    while (p < end && *p == ' ') {
        p++;
    }
    size_t length = strlen(word);
    if ((size_t)(end - p) < length || strncasecmp(p, word, length) != 0) {
        return false;
    }
    for (p += length; p < end && (*p == ' ' || *p == '='); p++) {
    }
    *value = p;
    *m = (size_t)(end - p);
    return true;
}

typedef struct fcsv {
    fb_feature_reader *r;
    fb_cells cells;
    bool ras;
    int x, label; /* columns */
} fcsv;

static void read_setting(fcsv *f, const char *text, size_t n) {
    const char *value;
    size_t m;
    if (setting(text, n, "CoordinateSystem", &value, &m)) {
        fb_cell c = {value, m, false};
        f->ras = fb_cell_is(&c, "RAS") || fb_cell_is(&c, "0");
        if (!f->ras && !fb_cell_is(&c, "LPS") && !fb_cell_is(&c, "1")) {
            fb_feature_wrong(f->r, "its CoordinateSystem is '%.*s', neither LPS (1) nor RAS (0)",
                             (int)(m < 60 ? m : 60), value);
        }
    } else if (setting(text, n, "columns", &value, &m)) {
        fb_cell list[MOST_COLUMNS];
        fb_cells own = {.separator = ','};
        int count = fb_cells_split(&own, value, m, list, MOST_COLUMNS);
        f->x = f->label = -1;
        for (int i = 0; i < count && i < MOST_COLUMNS; i++) {
            f->x = fb_cell_is(&list[i], "x") ? i : f->x;
            f->label = fb_cell_is(&list[i], "label") ? i : f->label;
        }
        if (f->x < 0 || f->label < 0) {
            fb_feature_wrong(f->r, "its columns have no x or no label");
        }
    }
}

static void read_fcsv_line(fcsv *f, const char *text, size_t n) {
    fb_cell list[MOST_COLUMNS];
    double x[3];
    int count = fb_cells_split(&f->cells, text, n, list, MOST_COLUMNS);
    count = count < MOST_COLUMNS ? count : MOST_COLUMNS;
    for (int k = 0; k < 3; k++) {
        int i = f->x + k;
        if (i >= count || !fb_number_parse(list[i].text, list[i].n, &x[k]) || !isfinite(x[k])) {
            fb_feature_wrong(f->r, "its point is not three numbers");
            return;
        }
    }
    if (f->label >= count || list[f->label].n == 0) {
        fb_feature_wrong(f->r, "a feature point without a label");
        return;
    }
    fb_feature_put_slicer(f->r, fb_cell_text(f->r->arena, &list[f->label]), x, f->ras);
}

void fb_features_read_fcsv(fb_feature_reader *r) {
    fcsv f = {.r = r, .ras = true, .x = 1, .label = 11}; /* as old versions that say nothing */
    const char *text;
    size_t n;
    r->found->kind = "3D Slicer";
    r->said = FB_UNIT_MM;
    r->by_habit = true;
    fb_cells_begin(&f.cells, r->bytes, r->size);
    f.cells.separator = ',';
    while (!r->failed && fb_cells_line(&f.cells, &text, &n)) {
        r->line = f.cells.line;
        if (*text == '#') {
            read_setting(&f, text, n);
        } else {
            read_fcsv_line(&f, text, n);
        }
    }
}
