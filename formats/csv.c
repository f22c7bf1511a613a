#include "formats/csv.h"

#include <string.h>
#include <strings.h>

#include "formats/cells.h"
#include "libcore/base/number.h"

typedef struct reader {
    fb_sto *table;
    fb_cells cells;
    const char *file;
    fb_diag *diag;
} reader;

static fb_status refuse(reader *r, const char *what) {
    fb_diag_add(r->diag, FB_ERROR, FB1401, (fb_place){r->file, r->cells.line, NULL, NULL}, NULL,
                "%s", what);
    return FB_E_INPUT;
}

static fb_status read_names(reader *r) {
    const char *text;
    size_t n;
    do {
        if (!fb_cells_line(&r->cells, &text, &n)) {
            return refuse(r, "not a table: there is no line of column names");
        }
    } while (*text == '#');
    r->cells.separator = fb_cells_separator(text, n);
    const char *end = text + n;
    size_t count = 0, capacity = 0;
    bool more = false;
    fb_cell c;
    fb_sto *t = r->table;
    while (fb_cells_next(&r->cells, &text, end, &c, &more)) {
        FB_PUSH(&t->arena, t->columns, count, capacity, fb_cell_text(&t->arena, &c));
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
    while (fb_cells_line(&r->cells, &text, &n)) {
        const char *end = text + n;
        bool more = false;
        fb_cell c;
        int k = 0;
        for (; fb_cells_next(&r->cells, &text, end, &c, &more); k++) {
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
    reader r = {.table = table, .file = file, .diag = diag};
    fb_cells_begin(&r.cells, bytes, size);
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
