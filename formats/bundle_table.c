/* A person's own table of volumes, areas and belly lengths. */
#include <ctype.h>
#include <stdarg.h>
#include <math.h>
#include <string.h>

#include "formats/bundle_spec.h"
#include "libcore/base/number.h"

#define MOST_COLUMNS 32

/* What a column may be called, and its unit in SI. */
static const struct column {
    const char *name;
    size_t offset;
    double unit, most;
    const char *advice;
} columns[] = {
#define IN(FIELD) offsetof(fb_measured_muscle, FIELD)
    {"volume", IN(volume), 1, 0.02, "m^3; the column volume_cm3 is in cm^3"},
    {"volume_m3", IN(volume), 1, 0.02, "m^3; the column volume_cm3 is in cm^3"},
    {"volume_cm3", IN(volume), 1e-6, 0.02, "cm^3"},
    {"volume_ml", IN(volume), 1e-6, 0.02, "ml"},
    {"area", IN(area), 1, 0.2, "m^2; the column area_cm2 is in cm^2"},
    {"area_m2", IN(area), 1, 0.2, "m^2; the column area_cm2 is in cm^2"},
    {"area_cm2", IN(area), 1e-4, 0.2, "cm^2"},
    {"area_mm2", IN(area), 1e-6, 0.2, "mm^2"},
    {"belly_length", IN(belly_length), 1, 2, "m; the column belly_length_mm is in mm"},
    {"belly_length_m", IN(belly_length), 1, 2, "m; the column belly_length_mm is in mm"},
    {"belly_length_cm", IN(belly_length), 1e-2, 2, "cm"},
    {"belly_length_mm", IN(belly_length), 1e-3, 2, "mm"},
    {"name", 0, 0, 0, NULL},
#undef IN
};
#define N_COLUMNS ((int)(sizeof columns / sizeof *columns))

typedef struct cell {
    const char *text;
    size_t n;
} cell;

typedef struct reader {
    fb_measured *measured;
    fb_diag *diag;
    const char *file;
    int line;
    char separator; /* ' ' for white space */
    const struct column *column[MOST_COLUMNS];
    int n_columns;
    size_t capacity;
    bool failed;
} reader;

static void wrong(reader *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void wrong(reader *r, const char *format, ...) {
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fb_diag_add(r->diag, FB_ERROR, FB1304, (fb_place){r->file, r->line, NULL, NULL}, NULL, "%s",
                text);
    r->failed = true;
}

/* Splits a line into at most MOST_COLUMNS cells without blanks and quotes around them; how many
 * there are. */
static int split(const reader *r, const char *p, const char *end, cell *cells) {
    int n = 0;
    bool more = true;
    while (more) {
        while (p < end && isspace((unsigned char)*p) && *p != r->separator) {
            p++;
        }
        while (r->separator == ' ' && p < end && isspace((unsigned char)*p)) {
            p++;
        }
        if (p == end && r->separator == ' ') {
            break;
        }
        const char *start = p;
        bool quoted = p < end && *p == '"';
        if (quoted) {
            start = ++p;
            while (p < end && *p != '"') {
                p++;
            }
        }
        const char *stop = p;
        while (p < end && *p != r->separator && !(r->separator == ' ' && *p == '\t')) {
            p++;
        }
        if (!quoted) {
            for (stop = p; stop > start && isspace((unsigned char)stop[-1]); stop--) {
            }
        }
        if (n < MOST_COLUMNS) {
            cells[n] = (cell){start, (size_t)(stop - start)};
        }
        n++;
        more = p < end;
        p += more;
    }
    return n;
}

static const char *next_column(const void *context, int i) {
    (void)context;
    return i < N_COLUMNS ? columns[i].name : NULL;
}

static void read_names(reader *r, const char *p, const char *end) {
    static const char separators[] = "\t,;";
    r->separator = ' ';
    for (const char *s = separators; *s; s++) {
        if (memchr(p, *s, (size_t)(end - p))) {
            r->separator = *s;
            break;
        }
    }
    cell cells[MOST_COLUMNS];
    int n = split(r, p, end, cells), names = 0;
    if (n > MOST_COLUMNS) {
        wrong(r, "a table of muscles has at most %d columns", MOST_COLUMNS);
        return;
    }
    for (int i = 0; i < n && !r->failed; i++) {
        for (int k = 0; k < N_COLUMNS; k++) {
            if (strlen(columns[k].name) == cells[i].n &&
                memcmp(columns[k].name, cells[i].text, cells[i].n) == 0) {
                r->column[i] = &columns[k];
                names += columns[k].unit == 0;
            }
        }
        if (!r->column[i]) {
            char name[64] = "";
            memcpy(name, cells[i].text, cells[i].n < 63 ? cells[i].n : 63);
            const char *meant = fb_nearest_word(name, next_column, NULL);
            wrong(r, "a table of muscles has no column '%s'; %s%s", name,
                  meant ? "is it to be " : "it has name, volume, area, belly_length",
                  meant ? meant : "");
        }
    }
    if (!r->failed && names != 1) {
        wrong(r, "a table of muscles must have one column 'name', got %d", names);
    }
    r->n_columns = n;
}

static bool is_missing(const cell *c) {
    return c->n == 0 || (c->n == 1 && *c->text == '-') ||
           (c->n == 2 && memcmp(c->text, "NA", 2) == 0);
}

static void read_cell(reader *r, const cell *c, const struct column *column,
                      fb_measured_muscle *muscle) {
    if (column->unit == 0) {
        muscle->name = fb_arena_text(&r->measured->arena, c->text, c->n);
        if (c->n == 0) {
            wrong(r, "a muscle without a name");
        }
        return;
    }
    double x, *at = (double *)(void *)((char *)muscle + column->offset);
    if (is_missing(c)) {
        return;
    }
    if (!fb_number_parse(c->text, c->n, &x) || !isfinite(x)) {
        wrong(r, "%s: not a number: '%.*s'", column->name, (int)(c->n < 60 ? c->n : 60), c->text);
    } else if (!(x > 0) || x * column->unit > column->most) {
        wrong(r, "%s: must be above 0 and up to %g (%s), got %.*s", column->name,
              column->most / column->unit, column->advice, (int)(c->n < 60 ? c->n : 60), c->text);
    } else if (isfinite(*at)) {
        wrong(r, "%s: is given twice", column->name);
    } else {
        *at = x * column->unit;
    }
}

static void read_row(reader *r, const char *p, const char *end) {
    fb_measured *measured = r->measured;
    cell cells[MOST_COLUMNS];
    int n = split(r, p, end, cells);
    if (n != r->n_columns) {
        wrong(r, "must have %d cells like the line of column names, got %d", r->n_columns, n);
        return;
    }
    fb_measured_muscle muscle = {NULL, FB_NAN, FB_NAN, FB_NAN, r->line};
    for (int i = 0; i < n && !r->failed; i++) {
        read_cell(r, &cells[i], r->column[i], &muscle);
    }
    for (int i = 0; i < measured->n_muscles && !r->failed; i++) {
        if (strcmp(measured->muscles[i].name, muscle.name) == 0) {
            wrong(r, "'%s' stands in line %d already", muscle.name,
                  measured->muscles[i].line_number);
        }
    }
    if (!r->failed) {
        measured->muscles = fb_arena_grow(&measured->arena, measured->muscles,
                                          (size_t)measured->n_muscles, &r->capacity,
                                          sizeof *measured->muscles);
        measured->muscles[measured->n_muscles++] = muscle;
    }
}

static void read_table(reader *r, const char *bytes, size_t size) {
    const char *p = bytes, *end = bytes + size;
    while (p < end && !r->failed) {
        const char *stop = memchr(p, '\n', (size_t)(end - p)), *text = p;
        stop = stop ? stop : end;
        p = stop < end ? stop + 1 : end;
        r->line++;
        while (stop > text && (stop[-1] == '\r' || stop[-1] == ' ')) {
            stop--;
        }
        const char *first = text;
        while (first < stop && isspace((unsigned char)*first)) {
            first++;
        }
        if (first == stop || *first == '#') {
            continue;
        }
        if (memchr(text, 0, (size_t)(stop - text))) {
            wrong(r, "not a table of text: it has a byte 0");
        } else if (r->n_columns == 0) {
            read_names(r, text, stop);
        } else {
            read_row(r, text, stop);
        }
    }
    if (!r->failed && r->n_columns == 0) {
        wrong(r, "a table of muscles must begin with a line of column names");
    }
}

fb_status fb_bundle_table_read(fb_measured *measured, const char *bytes, size_t size,
                               const char *file, fb_diag *diag) {
    jmp_buf oom;
    memset(measured, 0, sizeof *measured);
    fb_arena_init(&measured->arena);
    if (setjmp(oom)) {
        fb_bundle_table_free(measured);
        fb_diag_add(diag, FB_ERROR, FB1003, (fb_place){file, 0, NULL, NULL}, NULL, "out of memory");
        return FB_E_MEMORY;
    }
    measured->arena.oom = &oom;
    measured->file = fb_arena_dup(&measured->arena, file ? file : "");
    reader r = {.measured = measured, .diag = diag, .file = file};
    read_table(&r, bytes, size);
    measured->arena.oom = NULL;
    if (r.failed) {
        fb_bundle_table_free(measured);
        return FB_E_INPUT;
    }
    return FB_OK;
}

void fb_bundle_table_free(fb_measured *measured) {
    fb_arena_clear(&measured->arena);
    memset(measured, 0, sizeof *measured);
    fb_arena_init(&measured->arena);
}
