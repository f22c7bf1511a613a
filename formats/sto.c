#include "formats/sto.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#include "libcore/base/number.h"

typedef struct lines {
    const char *p, *end;
    int number;
} lines;

/* The next line without its end; false past the last. */
static bool next_line(lines *l, const char **start, size_t *n) {
    if (l->p >= l->end) {
        return false;
    }
    const char *stop = memchr(l->p, '\n', (size_t)(l->end - l->p));
    *start = l->p;
    *n = (size_t)((stop ? stop : l->end) - l->p);
    l->p = stop ? stop + 1 : l->end;
    while (*n > 0 &&
           ((*start)[*n - 1] == '\r' || (*start)[*n - 1] == ' ' || (*start)[*n - 1] == '\t')) {
        --*n;
    }
    l->number++;
    return true;
}

static fb_status refuse(fb_diag *diag, const char *file, int line, const char *what) {
    fb_diag_add(diag, FB_ERROR, FB1401, (fb_place){file, line, NULL, NULL}, NULL, "%s", what);
    return FB_E_INPUT;
}

static bool begins(const char *text, size_t n, const char *start) {
    size_t m = strlen(start);
    return n >= m && strncasecmp(text, start, m) == 0;
}

/* "Angles are in degrees.", as OpenSim wrote it before there was inDegrees. It holds even beside
 * inDegrees=no, which the same programs wrote over degrees: BodyKinematics tables have both. */
static bool is_old_degrees(const char *text, size_t n) {
    while (n > 0 && (*text == ' ' || *text == '\t')) {
        text++;
        n--;
    }
    return begins(text, n, "angles are in degrees");
}

/* The number behind "nRows=", or "datarows " as SIMM wrote it; -1 if a line has neither. */
static double stated_rows(const char *text, size_t n) {
    const char *end = text + n;
    double rows;
    size_t m = begins(text, n, "nRows") ? 5 : begins(text, n, "datarows") ? 8 : 0;
    text += m;
    while (m && text < end && (*text == ' ' || *text == '\t' || *text == '=')) {
        text++;
    }
    return m && fb_number_scan(&text, end, &rows) ? rows : -1;
}

static bool is_gap(char c) {
    return c == '\t' || c == ' ' || c == ',';
}

/* Column names: by tabs if there are any, else by white space. */
static void read_columns(fb_sto *t, const char *text, size_t n) {
    size_t capacity = 0, count = 0;
    bool tabs = memchr(text, '\t', n) != NULL;
    for (size_t i = 0; i < n;) {
        size_t start = i;
        while (i < n && (tabs ? text[i] != '\t' : !is_gap(text[i]))) {
            i++;
        }
        size_t end = i;
        while (end > start && text[end - 1] == ' ') {
            end--;
        }
        while (start < end && text[start] == ' ') {
            start++;
        }
        if (end > start) {
            FB_PUSH(&t->arena, t->columns, count, capacity,
                    fb_arena_text(&t->arena, text + start, end - start));
        }
        while (i < n && (tabs ? text[i] == '\t' : is_gap(text[i]))) {
            i++;
        }
    }
    t->n_columns = (int)count;
}

static fb_status read_rows(fb_sto *t, lines *l, const char *file, fb_diag *diag) {
    size_t capacity = 0, n = 0;
    const char *text;
    size_t length;
    while (next_line(l, &text, &length)) {
        const char *end = text + length;
        int k = 0;
        while (text < end && is_gap(*text)) {
            text++;
        }
        if (text == end) {
            continue;
        }
        for (; text < end; k++) {
            double x;
            if (k == t->n_columns) {
                return refuse(diag, file, l->number, "there are more numbers than columns");
            }
            if (!fb_number_scan(&text, end, &x) || (text < end && !is_gap(*text))) {
                return refuse(diag, file, l->number, "something that is not a number");
            }
            FB_PUSH(&t->arena, t->values, n, capacity, x);
            while (text < end && is_gap(*text)) {
                text++;
            }
        }
        if (k < t->n_columns) {
            return refuse(diag, file, l->number, "there are fewer numbers than columns");
        }
        t->n_rows++;
    }
    return FB_OK;
}

static fb_status read_table(fb_sto *t, const char *bytes, size_t size, const char *file,
                            fb_diag *diag) {
    lines l = {bytes, bytes + size, 0};
    const char *text;
    size_t n;
    bool header = false, says_yes = false, says_degrees = false;
    double rows = -1;
    if (size >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0) {
        l.p += 3;
    }
    while (next_line(&l, &text, &n)) {
        if (!t->name) {
            t->name = fb_arena_text(&t->arena, text, n);
        }
        if (begins(text, n, "inDegrees=")) {
            says_yes = begins(text + 10, n - 10, "y");
        }
        says_degrees = says_degrees || is_old_degrees(text, n);
        rows = fmax(rows, stated_rows(text, n));
        if (begins(text, n, "endheader")) {
            header = true;
            break;
        }
    }
    t->in_degrees = says_yes || says_degrees;
    t->header = fb_arena_text(&t->arena, bytes, (size_t)(l.p - bytes));
    if (!header) {
        return refuse(diag, file, 0, "not a table: there is no line 'endheader'");
    }
    while (next_line(&l, &text, &n) && n == 0) {
        ;
    }
    read_columns(t, text, n);
    if (t->n_columns == 0) {
        return refuse(diag, file, l.number, "there are no column names after 'endheader'");
    }
    fb_status status = read_rows(t, &l, file, diag);
    if (status == FB_OK && t->n_rows < rows) {
        fb_diag_add(diag, FB_WARNING, FB1406, (fb_place){file, 0, NULL, NULL},
                    "the file may have been cut short",
                    "the header promises %.17g rows, but there are %d", rows, t->n_rows);
    }
    return status;
}

fb_status fb_sto_read(fb_sto *table, const char *bytes, size_t size, const char *file,
                      fb_diag *diag) {
    memset(table, 0, sizeof *table);
    fb_arena_init(&table->arena);
    fb_status status;
    jmp_buf oom;
    if (setjmp(oom)) {
        fb_diag_add(diag, FB_ERROR, FB1003, (fb_place){file, 0, NULL, NULL}, NULL, "out of memory");
        status = FB_E_MEMORY;
    } else {
        table->arena.oom = &oom;
        status = read_table(table, bytes, size, file, diag);
        table->arena.oom = NULL;
    }
    if (status != FB_OK) {
        fb_sto_free(table);
    }
    return status;
}

void fb_sto_free(fb_sto *table) {
    fb_arena_clear(&table->arena);
    memset(table, 0, sizeof *table);
}

int fb_sto_column(const fb_sto *table, const char *name) {
    for (int i = 0; i < table->n_columns; i++) {
        if (strcmp(table->columns[i], name) == 0) {
            return i;
        }
    }
    return -1;
}

/* ---- writing -------------------------------------------------------------------------------- */

void fb_sto_start(fb_sto *table, const char *name) {
    memset(table, 0, sizeof *table);
    fb_arena_init(&table->arena);
    table->name = name;
}

void fb_sto_add_column(fb_sto *table, const char *name) {
    size_t n = (size_t)table->n_columns;
    FB_PUSH(&table->arena, table->columns, n, table->capacity_columns,
            fb_arena_dup(&table->arena, name));
    table->n_columns = (int)n;
}

void fb_sto_reserve(fb_sto *table, int n_rows) {
    table->capacity_values = (size_t)n_rows * (size_t)table->n_columns;
    table->values = fb_arena_array(&table->arena, table->capacity_values, sizeof *table->values);
}

double *fb_sto_row(fb_sto *table) {
    size_t n = (size_t)table->n_rows * (size_t)table->n_columns, begin = n;
    for (int i = 0; i < table->n_columns; i++) {
        FB_PUSH(&table->arena, table->values, n, table->capacity_values, 0);
    }
    table->n_rows++;
    return table->values + begin;
}

void fb_sto_drop_zeros(fb_sto *table, double rounding) {
    size_t old = (size_t)table->n_columns, kept = 0;
    int *from = fb_arena_array(&table->arena, old, sizeof *from);
    double least = 0;
    for (size_t i = 0; i < (size_t)table->n_rows * old; i++) {
        if (i % old != 0 && fabs(table->values[i]) > least) {
            least = fabs(table->values[i]);
        }
    }
    least *= rounding;
    for (size_t j = 0; j < old; j++) {
        bool zero = j > 0;
        for (size_t i = 0; i < (size_t)table->n_rows && zero; i++) {
            zero = fabs(table->values[i * old + j]) <= least;
        }
        if (!zero) {
            from[kept++] = (int)j;
        }
    }
    for (size_t j = 0; j < kept; j++) {
        table->columns[j] = table->columns[from[j]];
    }
    for (size_t i = 0; i < (size_t)table->n_rows; i++) {
        for (size_t j = 0; j < kept; j++) {
            table->values[i * kept + j] = table->values[i * old + (size_t)from[j]];
        }
    }
    table->n_columns = (int)kept;
}

void fb_sto_write(const fb_sto *table, const char *header, fb_text *out) {
    fb_text_printf(out, "%s\nversion=1\nnRows=%d\nnColumns=%d\ninDegrees=%s\n%sendheader\n",
                   table->name, table->n_rows, table->n_columns, table->in_degrees ? "yes" : "no",
                   header);
    for (int j = 0; j < table->n_columns; j++) {
        fb_text_printf(out, "%s%s", j ? "\t" : "", table->columns[j]);
    }
    fb_text_puts(out, "\n");
    for (int i = 0; i < table->n_rows; i++) {
        const double *row = table->values + (size_t)i * (size_t)table->n_columns;
        for (int j = 0; j < table->n_columns; j++) {
            char text[FB_NUMBER_MAX];
            int n = fb_number_print(text, row[j]);
            fb_text_add(out, "\t", j > 0);
            fb_text_add(out, text, (size_t)n);
        }
        fb_text_puts(out, "\n");
    }
}
