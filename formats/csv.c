#include "formats/csv.h"

#include <string.h>
#include <strings.h>

#include "libcore/base/number.h"

typedef struct reader {
    fb_sto *table;
    const char *p, *end; /* what is left of the file */
    const char *file;
    fb_diag *diag;
    int line;
    char separator; /* ' ' for white space */
} reader;

/* One cell of a line. */
typedef struct cell {
    const char *text;
    size_t n;
} cell;

static fb_status refuse(reader *r, const char *what) {
    fb_diag_add(r->diag, FB_ERROR, FB1401, (fb_place){r->file, r->line, NULL, NULL}, NULL, "%s",
                what);
    return FB_E_INPUT;
}

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

/* The next line that is not blank, without blanks at its end. */
static bool next_line(reader *r, const char **text, size_t *n) {
    while (r->p < r->end) {
        const char *stop = memchr(r->p, '\n', (size_t)(r->end - r->p));
        *text = r->p;
        *n = (size_t)((stop ? stop : r->end) - r->p);
        r->p = stop ? stop + 1 : r->end;
        r->line++;
        while (*n > 0 && ((*text)[*n - 1] == '\r' || (*text)[*n - 1] == ' ')) {
            --*n;
        }
        for (size_t i = 0; i < *n; i++) {
            if (!is_blank((*text)[i])) {
                return true;
            }
        }
    }
    return false;
}

/* The cell at *text, which moves past it and its separator; false at the end of the line. *more
 * says that a separator followed. */
static bool next_cell(const reader *r, const char **text, const char *end, cell *c, bool *more) {
    const char *p = *text;
    while (p < end && is_blank(*p) && (*p != r->separator || r->separator == ' ')) {
        p++;
    }
    if (p == end && !*more) {
        return false;
    }
    const char *start = p;
    bool quoted = p < end && *p == '"';
    if (quoted) {
        start = ++p;
        while (p < end && (*p != '"' || (p + 1 < end && p[1] == '"'))) {
            p += *p == '"' ? 2 : 1; /* "" is a quote within quotes */
        }
        c->text = start;
        c->n = (size_t)(p - start);
        p += p < end;
    }
    while (p < end && *p != r->separator && !(r->separator == ' ' && *p == '\t')) {
        p++;
    }
    if (!quoted) {
        const char *stop = p;
        while (stop > start && is_blank(stop[-1])) {
            stop--;
        }
        c->text = start;
        c->n = (size_t)(stop - start);
    }
    *more = p < end && r->separator != ' ';
    *text = p < end ? p + 1 : p;
    return true;
}

/* A copy of a cell's text, in which "" becomes one quote. */
static const char *name_of(const reader *r, const cell *c) {
    char *name = fb_arena_text(&r->table->arena, c->text, c->n), *to = name;
    for (const char *from = name; *from; from++) {
        *to++ = *from;
        from += from[0] == '"' && from[1] == '"';
    }
    *to = 0;
    return name;
}

static char separator_of(const char *text, size_t n) {
    static const char order[] = "\t,;";
    for (const char *s = order; *s; s++) {
        if (memchr(text, *s, n)) {
            return *s;
        }
    }
    return ' ';
}

static fb_status read_names(reader *r) {
    const char *text;
    size_t n;
    do {
        if (!next_line(r, &text, &n)) {
            return refuse(r, "not a table: there is no line of column names");
        }
    } while (*text == '#');
    r->separator = separator_of(text, n);
    const char *end = text + n;
    size_t count = 0, capacity = 0;
    bool more = false;
    cell c;
    fb_sto *t = r->table;
    while (next_cell(r, &text, end, &c, &more)) {
        FB_PUSH(&t->arena, t->columns, count, capacity, name_of(r, &c));
    }
    while (count > 0 && !*t->columns[count - 1]) { /* separators at the end of the line */
        count--;
    }
    t->n_columns = (int)count;
    return count ? FB_OK : refuse(r, "not a table: there is no line of column names");
}

static fb_status read_rows(reader *r) {
    fb_sto *t = r->table;
    const char *text;
    size_t n, capacity = 0, count = 0;
    while (next_line(r, &text, &n)) {
        const char *end = text + n;
        bool more = false;
        cell c;
        int k = 0;
        for (; next_cell(r, &text, end, &c, &more); k++) {
            double x = FB_NAN;
            if (c.n > 0 && !(c.n == 2 && strncasecmp(c.text, "NA", 2) == 0) &&
                !fb_number_parse(c.text, c.n, &x)) {
                return refuse(r, "something that is not a number");
            }
            if (k >= t->n_columns) {
                if (c.n > 0) {
                    return refuse(r, "there are more numbers than columns");
                }
                continue;
            }
            FB_PUSH(&t->arena, t->values, count, capacity, x);
        }
        if (k < t->n_columns) {
            return refuse(r, "there are fewer numbers than columns");
        }
        t->n_rows++;
    }
    return FB_OK;
}

fb_status fb_csv_read(fb_sto *table, const char *bytes, size_t size, const char *file,
                      fb_diag *diag) {
    memset(table, 0, sizeof *table);
    fb_arena_init(&table->arena);
    table->name = "";
    reader r = {.table = table, .p = bytes, .end = bytes + size, .file = file, .diag = diag};
    if (size >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0) {
        r.p += 3;
    }
    fb_status status;
    jmp_buf oom;
    if (setjmp(oom)) {
        fb_diag_add(diag, FB_ERROR, FB1003, (fb_place){file, 0, NULL, NULL}, NULL, "out of memory");
        status = FB_E_MEMORY;
    } else {
        table->arena.oom = &oom;
        status = read_names(&r);
        if (status == FB_OK) {
            status = read_rows(&r);
        }
        table->arena.oom = NULL;
    }
    if (status != FB_OK) {
        fb_sto_free(table);
    }
    return status;
}
