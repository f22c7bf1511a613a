/* Tables that tools wrote, for their tests. */
#ifndef FB_TESTS_TABLES_H
#define FB_TESTS_TABLES_H

#include "formats/sto.h"
#include "tests/help.h"

/* Reads a table; false, and a failed assertion, if it is none. */
static inline bool fb_test_table(fb_sto *table, const char *bytes, size_t size, const char *name) {
    fb_diag diag;
    fb_diag_init(&diag);
    bool ok = bytes && fb_sto_read(table, bytes, size, name, &diag) == FB_OK;
    FB_TRUE(ok, "%s is a table: %.200s", name, diag.n ? diag.records[0].message : "");
    fb_diag_clear(&diag);
    return ok;
}

/* The same from FOLDER/NAME.sto. */
static inline bool fb_test_table_of(fb_sto *table, const char *folder, const char *name) {
    char file[2000];
    size_t size;
    snprintf(file, sizeof file, "%s/%s.sto", folder, name);
    char *bytes = fb_test_read_file(file, &size);
    bool ok = fb_test_table(table, bytes, size, file);
    fb_free(bytes);
    return ok;
}

/* A number by its row and the column's name. */
static inline double fb_test_cell(const fb_sto *table, int row, const char *column) {
    int i = fb_sto_column(table, column);
    FB_TRUE(i >= 0, "there is a column %s", column);
    return i < 0 ? 0 : fb_sto_value(table, row, i);
}

#endif
