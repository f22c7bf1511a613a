#include "tools/fbsim_motion.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#include "formats/csv.h"

#define RADIANS (M_PI / 180)
#define MOST_TOLD 3 /* columns that are nothing */
#define SLACK 0.05  /* of a coordinate's range: so far beyond is not worth a word */

static fb_place place_of(const fb_coordinates *c) {
    return (fb_place){c->file, 0, NULL, NULL};
}

static fb_status read_table(fb_sto *table, fb_cli *cli, const char *file, size_t max_bytes) {
    char *bytes = NULL;
    size_t size;
    bool standard = strcmp(file, "-") == 0;
    const char *name = standard ? "<stdin>" : file;
    fb_status status = standard
                           ? fb_read_stream(cli->in, name, max_bytes, &bytes, &size, &cli->diag)
                           : fb_read_file(file, max_bytes, &bytes, &size, &cli->diag);
    if (status == FB_OK) {
        status = (fb_file_ends_with(file, ".csv") ? fb_csv_read : fb_sto_read)(table, bytes, size,
                                                                               name, &cli->diag);
        fb_free(bytes);
    }
    return status;
}

static const char *next_coordinate(const void *context, int i) {
    const fb_system *s = context;
    return i < s->n_q ? fb_path_name(s->coordinates[i].path) : NULL;
}

/* The coordinate that a column is of: NAME, PATH or PATH/value; -1. */
static int coordinate_of(const fb_system *s, const char *column) {
    for (int i = 0; i < s->n_q; i++) {
        const char *path = s->coordinates[i].path;
        size_t n = strlen(path);
        if (strcmp(column, fb_path_name(path)) == 0 ||
            (strncmp(column, path, n) == 0 && (!column[n] || strcmp(column + n, "/value") == 0))) {
            return i;
        }
    }
    return -1;
}

/* A column of states that a motion does without. */
static bool is_other_state(const char *column) {
    static const char *const ends[] = {"/speed",        "_u",
                                       "/activation",   ".activation",
                                       "/fiber_length", ".fiber_length"};
    size_t n = strlen(column);
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        size_t m = strlen(ends[i]);
        if (n > m && strcmp(column + n - m, ends[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* Columns that are no coordinates, with the nearest names; past the first few they are only
 * counted. FB_E_INPUT if none is one. */
static fb_status tell_unknown(const fb_coordinates *c, fb_cli *cli, const fb_sto *t) {
    bool none = c->series.n_columns == 0;
    int unknown = 0;
    for (int j = 1; j < t->n_columns; j++) {
        if (coordinate_of(c->system, t->columns[j]) >= 0 || is_other_state(t->columns[j])) {
            continue;
        }
        const char *near = fb_nearest_word(t->columns[j], next_coordinate, c->system);
        if (++unknown <= (none ? 1 : MOST_TOLD)) {
            fb_diag_add(&cli->diag, none ? FB_ERROR : FB_WARNING, FB1404, place_of(c),
                        none ? NULL : "it is not used", "%s'%s'%s%s%s%s",
                        none ? "no column is a coordinate of the model; the first is " : "column ",
                        t->columns[j], none ? "" : " is no coordinate of the model",
                        near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
        }
    }
    if (none && unknown == 0) {
        fb_diag_add(&cli->diag, FB_ERROR, FB1404, place_of(c), NULL,
                    "no column is a coordinate of the model");
    } else if (unknown > MOST_TOLD && !none) {
        fb_diag_add(&cli->diag, FB_WARNING, FB1404, place_of(c), "they are not used",
                    "%d more columns are no coordinates", unknown - MOST_TOLD);
    }
    return none ? FB_E_INPUT : FB_OK;
}

/* Columns and coordinates find each other; what does not is told. */
static fb_status match(fb_coordinates *c, fb_cli *cli, const fb_sto *t, int *from) {
    const fb_system *s = c->system;
    int matched = 0;
    for (int i = 0; i < s->n_q; i++) {
        c->column[i] = -1;
    }
    for (int j = 1; j < t->n_columns; j++) {
        int i = coordinate_of(s, t->columns[j]);
        if (i >= 0 && c->column[i] < 0) {
            from[matched] = j;
            c->column[i] = matched++;
        }
    }
    c->series.n_columns = matched;
    return tell_unknown(c, cli, t);
}

static void tell_missing(const fb_coordinates *c, fb_cli *cli) {
    const fb_system *s = c->system;
    char names[200] = "";
    int n = 0;
    for (int i = 0; i < s->n_q; i++) {
        size_t used = strlen(names);
        if (c->column[i] < 0) {
            n++;
            snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "",
                     fb_path_name(s->coordinates[i].path));
        }
    }
    if (n) {
        fb_diag_add(&cli->diag, FB_WARNING, FB1404, place_of(c), "they stay at their defaults",
                    "%d coordinate%s of the model %s no column: %s%s", n, n == 1 ? "" : "s",
                    n == 1 ? "has" : "have", names,
                    strlen(names) + 1 == sizeof names ? ", .." : "");
    }
}

/* Coordinates that leave their ranges, and those that would not with the other sign. */
static void tell_ranges(const fb_coordinates *c, fb_cli *cli) {
    const fb_system *s = c->system;
    for (int i = 0; i < s->n_q; i++) {
        const fb_coordinate *q = &s->coordinates[i];
        if (c->column[i] < 0 || !q->element || !(q->range[1] > q->range[0])) {
            continue;
        }
        double slack = SLACK * (q->range[1] - q->range[0]), most = 0, worst = 0;
        int outside = 0, turned = 0;
        for (int k = 0; k < c->series.n; k++) {
            double x = c->series.y[(size_t)k * (size_t)c->series.n_columns + (size_t)c->column[i]];
            double off = fmax(q->range[0] - x, x - q->range[1]);
            outside += off > slack;
            turned += fmax(q->range[0] + x, -x - q->range[1]) > slack;
            if (off > slack && off > most) {
                most = off;
                worst = x;
            }
        }
        bool angle = fb_fbsim_motion(q) == FB_ROTATIONAL;
        double unit = angle ? 1 / RADIANS : 1;
        if (outside) {
            const char *turn = 2 * outside > c->series.n && turned == 0
                                   ? "; with the other sign it would be within: is the motion of "
                                     "another model?"
                                   : "";
            fb_diag_add(&cli->diag, FB_WARNING, FB1404, place_of(c), NULL,
                        "'%s' is outside its range, %g to %g%s, in %d of %d rows; the furthest is "
                        "%g%s",
                        fb_path_name(q->path), q->range[0] * unit, q->range[1] * unit,
                        angle ? " degrees" : "", outside, c->series.n, worst * unit, turn);
        }
    }
}

static fb_status fill(fb_coordinates *c, fb_cli *cli, const fb_sto *t, const int *from) {
    fb_signal_start(&c->series, t->n_rows, c->series.n_columns, &c->arena);
    for (int k = 0; k < t->n_rows; k++) {
        c->series.time[k] = fb_sto_value(t, k, 0);
        bool finite = isfinite(c->series.time[k]);
        int bad = 0;
        for (int j = 0; j < c->series.n_columns && finite; j++) {
            double x = fb_sto_value(t, k, from[j]);
            finite = isfinite(x);
            bad = from[j];
            c->series.y[(size_t)k * (size_t)c->series.n_columns + (size_t)j] = x;
        }
        if (!finite) {
            fb_diag_add(&cli->diag, FB_ERROR, FB1404, place_of(c), NULL,
                        "row %d has no number for '%s'", k + 1, t->columns[bad]);
            return FB_E_INPUT;
        }
    }
    for (int i = 0; i < c->system->n_q && t->in_degrees; i++) {
        bool angle = fb_fbsim_motion(&c->system->coordinates[i]) == FB_ROTATIONAL;
        for (int k = 0; k < t->n_rows && angle && c->column[i] >= 0; k++) {
            c->series.y[(size_t)k * (size_t)c->series.n_columns + (size_t)c->column[i]] *= RADIANS;
        }
    }
    int row;
    if (!fb_signal_rises(&c->series, &row)) {
        fb_diag_add(&cli->diag, FB_ERROR, FB1404, place_of(c), NULL,
                    "time does not rise from row %d (%g s) to row %d (%g s)", row,
                    c->series.time[row - 1], row + 1, c->series.time[row]);
        return FB_E_INPUT;
    }
    return FB_OK;
}

static fb_status smooth(fb_coordinates *c, fb_cli *cli, double frequency) {
    c->first = c->series.time[0];
    c->last = c->series.time[c->series.n - 1];
    c->frequency = frequency > 0 ? frequency : 0;
    bool good = true;
    if (c->frequency > 0) {
        good = fb_signal_pad(&c->series, c->series.n / 2) &&
               fb_signal_lowpass_iir(&c->series, &c->frequency);
    }
    if (!good || !fb_splines_make(&c->splines, 5, &c->series, &c->arena)) {
        fb_diag_add(&cli->diag, FB_ERROR, FB1404, place_of(c), NULL,
                    "its %d rows are too few for accelerations", c->series.n);
        return FB_E_INPUT;
    }
    if (c->frequency > 0 && c->frequency != frequency) {
        fb_diag_add(&cli->diag, FB_WARNING, FB1404, place_of(c), NULL,
                    "it is sampled too slowly to be filtered at %g Hz; %g Hz is used", frequency,
                    c->frequency);
    }
    return FB_OK;
}

/* All after reading, with memory that may run out. */
static fb_status take(fb_coordinates *c, fb_cli *cli, const fb_sto *t, double frequency) {
    c->column = fb_arena_array(&c->arena, (size_t)c->system->n_q, sizeof *c->column);
    int *from = fb_arena_array(&c->arena, (size_t)c->system->n_q, sizeof *from);
    if (strcasecmp(t->columns[0], "time") != 0 || t->n_rows == 0) {
        fb_diag_add(&cli->diag, FB_ERROR, FB1404, place_of(c), NULL,
                    t->n_rows ? "the first column of a motion must be 'time', not '%s'"
                              : "there are no rows of numbers below '%s'",
                    t->columns[0]);
        return FB_E_INPUT;
    }
    if (match(c, cli, t, from) != FB_OK || fill(c, cli, t, from) != FB_OK) {
        return FB_E_INPUT;
    }
    tell_missing(c, cli);
    tell_ranges(c, cli);
    return smooth(c, cli, frequency);
}

fb_status fb_coordinates_read(fb_coordinates *c, fb_cli *cli, const char *file, size_t max_bytes,
                              const fb_system *system, double frequency) {
    fb_sto table;
    jmp_buf oom;
    memset(c, 0, sizeof *c);
    fb_arena_init(&c->arena);
    c->file = strcmp(file, "-") == 0 ? "<stdin>" : file;
    c->system = system;
    fb_status read = read_table(&table, cli, file, max_bytes);
    if (read != FB_OK) {
        return read;
    }
    if (setjmp(oom)) {
        cli->diag.out_of_memory = 1;
        c->arena.oom = NULL;
        fb_sto_free(&table);
        return FB_E_MEMORY;
    }
    c->arena.oom = &oom;
    fb_status status = take(c, cli, &table, frequency);
    c->arena.oom = NULL;
    fb_sto_free(&table);
    return status;
}

void fb_coordinates_free(fb_coordinates *c) {
    fb_arena_clear(&c->arena);
}

static int nearest(const fb_signal *s, double time) {
    int best = 0;
    for (int i = 1; i < s->n; i++) {
        best = fabs(s->time[i] - time) < fabs(s->time[best] - time) ? i : best;
    }
    return best;
}

fb_status fb_coordinates_rows(const fb_coordinates *c, fb_cli *cli, const double range[2],
                              bool beyond, int *first, int *last) {
    double low = fmax(range[0], c->first), high = fmin(range[1], c->last);
    if (!(low <= high)) {
        fb_diag_add(&cli->diag, FB_ERROR, FB1404, place_of(c), NULL,
                    "its times, %g to %g s, have nothing in common with %g to %g s", c->first,
                    c->last, range[0], range[1]);
        return FB_E_INPUT;
    }
    bool from = beyond && isfinite(range[0]), to = beyond && isfinite(range[1]);
    *first = nearest(&c->series, from ? range[0] : low);
    *last = nearest(&c->series, to ? range[1] : high);
    double step = (c->last - c->first) / 1e3;
    if (c->series.time[*first] < c->first - step || c->series.time[*last] > c->last + step) {
        fb_diag_add(&cli->diag, FB_WARNING, FB1404, place_of(c),
                    "rows outside come from the padding of the filter, as in OpenSim",
                    "it is known from %g to %g s; %g to %g s are asked for", c->first, c->last,
                    c->series.time[*first], c->series.time[*last]);
    }
    return FB_OK;
}
