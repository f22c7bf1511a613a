#include "formats/trc.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#include "libcore/base/number.h"

#define MOST_HEADER_LINES 32
#define MOST_NAMES 4096 /* that are compared with each other */
#define MOST_BLANKS \
    1000000u             /* numbers that a file may leave out, besides 8 for each of its bytes */
#define LARGE_POINT 20.0 /* m: what is farther from the origin is no marker in a laboratory */

typedef struct span {
    const char *text;
    size_t n;
} span;

typedef struct reader {
    fb_trc *trc;
    fb_diag *diag;
    const char *begin, *p, *end;
    int line; /* the number of the line that was read last */
    int stated_rows, stated_markers;
    int names_line;
    size_t n_rows, row_capacity, point_capacity, n_points;
    int short_row; /* the first line that ends early; 0: none */
    int partial;   /* the first line with one or two numbers of a marker; 0: none */
} reader;

static fb_place at(const reader *r, int line) {
    return (fb_place){r->trc->file, line, NULL, NULL};
}

static fb_status refuse(const reader *r, const char *what) {
    fb_diag_add(r->diag, FB_ERROR, FB1401, at(r, r->line), NULL, "%s", what);
    return FB_E_INPUT;
}

/* ---- lines and cells ------------------------------------------------------------------------- */

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '"';
}

static span trimmed(span s) {
    while (s.n > 0 && is_blank(s.text[s.n - 1])) {
        s.n--;
    }
    while (s.n > 0 && is_blank(*s.text)) {
        s.text++;
        s.n--;
    }
    return s;
}

/* The next line, without its end; false past the last. Old Macintosh's \r alone ends one too. */
static bool next_line(reader *r, span *line) {
    if (r->p >= r->end) {
        return false;
    }
    const char *stop = r->p;
    while (stop < r->end && *stop != '\n' && *stop != '\r') {
        stop++;
    }
    *line = (span){r->p, (size_t)(stop - r->p)};
    stop += stop + 1 < r->end && stop[0] == '\r' && stop[1] == '\n';
    r->p = stop < r->end ? stop + 1 : r->end;
    r->line++;
    return true;
}

/* What stands between the cells of a line. */
static char separator_of(span line) {
    return memchr(line.text, '\t', line.n) ? '\t' : memchr(line.text, ',', line.n) ? ',' : ' ';
}

/* Takes the next cell off a line; false if nothing is left. Blanks in a row are one separator, tabs
 * and commas each begin a cell. */
static bool next_cell(span *line, char separator, span *cell) {
    if (separator == ' ') {
        *line = trimmed(*line);
    }
    if (line->n == 0 || !line->text) {
        return false;
    }
    size_t n = 0;
    while (n < line->n && line->text[n] != separator) {
        n++;
    }
    *cell = trimmed((span){line->text, n});
    if (n == line->n) {
        *line = (span){NULL, 0};
    } else {
        line->text += n + 1;
        line->n -= n + 1;
    }
    return true;
}

static bool says(span cell, const char *word) {
    return cell.n == strlen(word) && strncasecmp(cell.text, word, cell.n) == 0;
}

static bool number_of(span cell, double *x) {
    return cell.n > 0 && fb_number_parse(cell.text, cell.n, x);
}

/* ---- header ---------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    double meters;
} units[] = {{"mm", 1e-3},
             {"m", 1},
             {"cm", 1e-2},
             {"millimeters", 1e-3},
             {"meters", 1},
             {"meter", 1},
             {"centimeters", 1e-2},
             {"millimeter", 1e-3},
             {"um", 1e-6},
             {"in", 0.0254},
             {"inches", 0.0254},
             {"inch", 0.0254},
             {"ft", 0.3048},
             {"feet", 0.3048},
             {"km", 1e3}};

static void read_values(reader *r, span keys, span values) {
    char a = separator_of(keys), b = separator_of(values);
    span key, value;
    while (next_cell(&keys, a, &key) && next_cell(&values, b, &value)) {
        double x;
        if (says(key, "Units")) {
            r->trc->units = fb_arena_text(&r->trc->arena, value.text, value.n);
        } else if (number_of(value, &x)) {
            if (says(key, "DataRate") && x > 0) {
                r->trc->rate = x;
            } else if (says(key, "NumFrames") && fabs(x) < 1e9) {
                r->stated_rows = (int)x;
            } else if (says(key, "NumMarkers") && fabs(x) < 1e9) {
                r->stated_markers = (int)x;
            }
        }
    }
}

/* The names that follow Frame# and Time, wherever they stand. */
static void read_names(reader *r, span line) {
    fb_trc *t = r->trc;
    size_t n = 0, capacity = 0;
    char separator = separator_of(line);
    span cell;
    for (int k = 0; next_cell(&line, separator, &cell); k++) {
        if (k >= 2 && cell.n > 0) {
            FB_PUSH(&t->arena, t->names, n, capacity, fb_arena_text(&t->arena, cell.text, cell.n));
        }
    }
    t->n_markers = (int)n;
    r->names_line = r->line;
}

static fb_status read_header(reader *r) {
    span line, cell, keys = {NULL, 0};
    r->trc->rate = FB_NAN;
    r->trc->units = "";
    r->stated_rows = r->stated_markers = -1;
    if (r->end - r->p >= 3 && memcmp(r->p, "\xef\xbb\xbf", 3) == 0) {
        r->p += 3;
    }
    while (r->line < MOST_HEADER_LINES && next_line(r, &line)) {
        span rest = line;
        if (keys.text) {
            read_values(r, keys, line);
            keys.text = NULL;
            continue;
        }
        if (!next_cell(&rest, separator_of(line), &cell)) {
            continue;
        }
        if (says(cell, "DataRate")) {
            keys = line;
        } else if (says(cell, "Frame#") || says(cell, "Frame")) {
            read_names(r, line);
            return r->trc->n_markers > 0 ? FB_OK : refuse(r, "no marker has a name");
        }
    }
    r->line = r->line > 0 ? r->line : 1;
    return refuse(r, "this is no .trc: there is no line of marker names that begins with Frame#");
}

/* ---- rows ------------------------------------------------------------------------------------ */

static fb_status read_time(reader *r, double frame, span cell) {
    fb_trc *t = r->trc;
    double time;
    if (cell.n == 0 && isfinite(t->rate)) { /* some leave it out */
        time = (frame - 1) / t->rate;
    } else if (!number_of(cell, &time) || !isfinite(time)) {
        return refuse(r, "the time is not a number");
    }
    if (r->n_rows > 0 && !(time > t->time[r->n_rows - 1])) {
        return refuse(r, "the time is not later than that of the row above");
    }
    FB_PUSH(&t->arena, t->time, r->n_rows, r->row_capacity, time);
    return FB_OK;
}

static fb_status read_points(reader *r, span line, char separator) {
    fb_trc *t = r->trc;
    size_t begin = r->n_points, wanted = 3 * (size_t)t->n_markers;
    span cell;
    while (next_cell(&line, separator, &cell)) {
        double x = FB_NAN;
        if (cell.n > 0 && !number_of(cell, &x)) {
            return refuse(r, "something that is not a number");
        }
        if (r->n_points - begin == wanted) {
            if (cell.n > 0) {
                return refuse(r, "there are more numbers than three for each marker");
            }
            continue;
        }
        FB_PUSH(&t->arena, t->points, r->n_points, r->point_capacity, isfinite(x) ? x : FB_NAN);
    }
    if (r->n_points - begin < wanted && !r->short_row) {
        r->short_row = r->line;
    }
    /* a table that claims far more than it holds would fill the memory */
    if (begin + wanted > MOST_BLANKS + 8 * (size_t)(r->end - r->begin)) {
        return refuse(r, "the rows hold far fewer numbers than the line of names asks for");
    }
    while (r->n_points - begin < wanted) {
        FB_PUSH(&t->arena, t->points, r->n_points, r->point_capacity, FB_NAN);
    }
    for (double *p = t->points + begin; p < t->points + r->n_points; p += 3) {
        int missing = isnan(p[0]) + isnan(p[1]) + isnan(p[2]);
        if (missing > 0) {
            r->partial = missing < 3 && !r->partial ? r->line : r->partial;
            p[0] = p[1] = p[2] = FB_NAN;
        }
    }
    return FB_OK;
}

static fb_status read_rows(reader *r) {
    span line, cell;
    fb_status status = FB_OK;
    while (status == FB_OK && next_line(r, &line)) {
        char separator = separator_of(line);
        span rest = line;
        double frame;
        if (trimmed(line).n == 0 || !next_cell(&rest, separator, &cell)) {
            continue;
        }
        if (!number_of(cell, &frame)) {
            /* the line of X1 Y1 Z1 */
            if (r->n_rows == 0 && (cell.n == 0 || *cell.text == 'X' || *cell.text == 'x')) {
                continue;
            }
            return refuse(r, "the frame is not a number");
        }
        if (!next_cell(&rest, separator, &cell)) {
            return refuse(r, "there is no time");
        }
        status = read_time(r, frame, cell);
        if (status == FB_OK) {
            status = read_points(r, rest, separator);
        }
    }
    r->trc->n_rows = (int)r->n_rows;
    return status;
}

/* ---- what does not fit ----------------------------------------------------------------------- */

static void warn(const reader *r, int line, const char *message) {
    fb_diag_add(r->diag, FB_WARNING, FB1406, at(r, line), NULL, "%s", message);
}

static fb_status find_scale(reader *r) {
    fb_trc *t = r->trc;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (strcasecmp(units[i].name, t->units) == 0) {
            t->scale = units[i].meters;
            return FB_OK;
        }
    }
    if (*t->units) {
        r->line = 0;
        fb_diag_add(r->diag, FB_ERROR, FB1401, at(r, 3), NULL,
                    "the units '%s' are not known; mm, cm and m are", t->units);
        return FB_E_INPUT;
    }
    t->scale = 1; /* no units: by what can stand in a laboratory */
    for (size_t i = 0; i < r->n_points; i++) {
        t->scale = fabs(t->points[i]) > LARGE_POINT ? 1e-3 : t->scale;
    }
    fb_diag_add(r->diag, FB_WARNING, FB1401, at(r, 0), NULL,
                "it names no units: they are taken as %s", t->scale < 1 ? "mm" : "m");
    return FB_OK;
}

static void tell_counts(const reader *r) {
    const fb_trc *t = r->trc;
    if (r->stated_rows >= 0 && r->stated_rows != t->n_rows) {
        fb_diag_add(r->diag, FB_WARNING, FB1406, at(r, 0), NULL,
                    "the header promises %d rows, but there are %d", r->stated_rows, t->n_rows);
    }
    if (r->stated_markers >= 0 && r->stated_markers != t->n_markers) {
        fb_diag_add(r->diag, FB_WARNING, FB1406, at(r, r->names_line), NULL,
                    "the header promises %d markers, but %d have names", r->stated_markers,
                    t->n_markers);
    }
    if (r->short_row) {
        warn(r, r->short_row, "the row ends before the last marker: what it lacks is missing");
    }
    if (r->partial) {
        warn(r, r->partial, "a marker has only some of its three numbers: it counts as missing");
    }
    if (t->n_rows > 1 && isfinite(t->rate)) {
        double rate = (t->n_rows - 1) / (t->time[t->n_rows - 1] - t->time[0]);
        if (fabs(rate / t->rate - 1) > 0.05) {
            fb_diag_add(r->diag, FB_WARNING, FB1406, at(r, 0), "the times are used",
                        "the data rate is %g Hz, but by the times it is %.6g", t->rate, rate);
        }
    }
    for (int i = 0; i < t->n_markers && t->n_markers <= MOST_NAMES; i++) {
        if (fb_trc_marker(t, t->names[i]) != i) {
            fb_diag_add(r->diag, FB_WARNING, FB2203, at(r, r->names_line), "the first is used",
                        "there are several markers '%s'", t->names[i]);
        }
    }
}

/* ---- interface ------------------------------------------------------------------------------- */

fb_status fb_trc_read(fb_trc *trc, const char *bytes, size_t size, const char *file,
                      fb_diag *diag) {
    jmp_buf oom;
    reader r = {.trc = trc, .diag = diag, .begin = bytes, .p = bytes, .end = bytes + size};
    memset(trc, 0, sizeof *trc);
    fb_arena_init(&trc->arena);
    trc->file = file;
    if (setjmp(oom)) {
        diag->out_of_memory = 1;
        fb_trc_free(trc);
        return FB_E_MEMORY;
    }
    trc->arena.oom = &oom;
    fb_status status = read_header(&r);
    if (status == FB_OK) {
        status = read_rows(&r);
    }
    if (status == FB_OK && trc->n_rows == 0) {
        status = refuse(&r, "there is no row of marker positions");
    }
    if (status == FB_OK) {
        status = find_scale(&r);
    }
    if (status == FB_OK) {
        for (size_t i = 0; i < r.n_points; i++) {
            trc->points[i] *= trc->scale;
        }
        tell_counts(&r);
    }
    trc->arena.oom = NULL;
    if (status != FB_OK) {
        fb_trc_free(trc);
    }
    return status;
}

fb_status fb_trc_read_file(fb_trc *trc, const char *file, size_t max_bytes, fb_diag *diag) {
    char *bytes;
    size_t size;
    memset(trc, 0, sizeof *trc);
    fb_status status = fb_read_file(file, max_bytes, &bytes, &size, diag);
    if (status == FB_OK) {
        status = fb_trc_read(trc, bytes, size, file, diag);
        fb_free(bytes);
    }
    return status;
}

void fb_trc_free(fb_trc *trc) {
    fb_arena_clear(&trc->arena);
    memset(trc, 0, sizeof *trc);
}

int fb_trc_marker(const fb_trc *trc, const char *name) {
    for (int i = 0; i < trc->n_markers; i++) {
        if (strcmp(trc->names[i], name) == 0) {
            return i;
        }
    }
    return -1;
}

int fb_trc_nearest_row(const fb_trc *trc, double time) {
    int best = trc->n_rows > 0 ? 0 : -1;
    if (best == 0 && time >= trc->time[trc->n_rows - 1]) {
        return trc->n_rows - 1;
    }
    for (int i = 1; i < trc->n_rows; i++) {
        if (fabs(trc->time[i] - time) < fabs(trc->time[best] - time)) {
            best = i;
        }
    }
    return best;
}
