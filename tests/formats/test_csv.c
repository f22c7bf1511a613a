#include <math.h>
#include <string.h>

#include "formats/csv.h"
#include "libcore/base/number.h"
#include "tests/help.h"

/* Reads a text that stands in a block of exactly its size. */
static fb_status read_text(fb_sto *table, const char *text, fb_diag *diag) {
    size_t n = strlen(text);
    char *bytes = fb_test_bytes(text, n);
    fb_diag_init(diag);
    fb_status status = fb_csv_read(table, bytes, n, "test.csv", diag);
    fb_free(bytes);
    return status;
}

static void check_refused(const char *text, int line, const char *what) {
    fb_sto table;
    fb_diag diag;
    FB_EQUAL_INT(read_text(&table, text, &diag), FB_E_INPUT);
    const fb_record *record = FB_RECORD(&diag, FB_ERROR, FB1401, line);
    if (record) {
        FB_HOLDS(record->message, what);
    }
    fb_diag_clear(&diag);
}

static void accepts_each_separator(void) {
    static const char *const texts[] = {
        "a,b c,d\n1,2,3\n4,5,6\n",
        "a\tb c\td\r\n1\t2\t3\r\n4\t5\t6",
        "a;b c;d\n1;2;3\n\n4; 5 ;6\n",
        "\xEF\xBB\xBF"
        "a, \"b c\" ,d\n 1,\"2\",3\n4,5,6\n",
        "# made by hand\na,b c,d\n1,2,3\n4,5,6\n",
        "a,b c,d,,\n1,2,3,,\n4,5,6,,\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        fb_sto table;
        fb_diag diag;
        FB_EQUAL_INT(read_text(&table, texts[i], &diag), FB_OK);
        FB_EQUAL_INT(table.n_columns, 3);
        FB_EQUAL_INT(table.n_rows, 2);
        if (table.n_columns == 3 && table.n_rows == 2) {
            FB_EQUAL_STR(table.columns[0], "a");
            FB_EQUAL_STR(table.columns[1], "b c");
            FB_EQUAL_STR(table.columns[2], "d");
            for (int k = 0; k < 6; k++) {
                FB_SAME(table.values[k], k + 1);
            }
        }
        fb_sto_free(&table);
        fb_diag_clear(&diag);
    }
}

static void accepts_white_space_between_cells(void) {
    fb_sto table;
    fb_diag diag;
    FB_EQUAL_INT(read_text(&table, "  x   y\n 1   -2.5e3\n", &diag), FB_OK);
    FB_EQUAL_INT(table.n_columns, 2);
    FB_EQUAL_INT(table.n_rows, 1);
    if (table.n_rows == 1 && table.n_columns == 2) {
        FB_SAME(table.values[1], -2500);
    }
    fb_sto_free(&table);
    fb_diag_clear(&diag);
}

static void quotes_protect_separators(void) {
    fb_sto table;
    fb_diag diag;
    FB_EQUAL_INT(read_text(&table, "\"a,b\",\"say \"\"c\"\"\"\n1,2\n", &diag), FB_OK);
    FB_EQUAL_INT(table.n_columns, 2);
    if (table.n_columns == 2) {
        FB_EQUAL_STR(table.columns[0], "a,b");
        FB_EQUAL_STR(table.columns[1], "say \"c\"");
    }
    fb_sto_free(&table);
    fb_diag_clear(&diag);
}

static void missing_cells_are_nan(void) {
    fb_sto table;
    fb_diag diag;
    FB_EQUAL_INT(read_text(&table, "t,a,b\n0,,1\n1,NA,2\n2,nan,\n", &diag), FB_OK);
    static const double want[] = {0, NAN, 1, 1, NAN, 2, 2, NAN, NAN};
    for (int k = 0; k < 9 && table.n_rows == 3; k++) {
        FB_SAME(table.values[k], want[k]);
    }
    FB_EQUAL_INT(table.n_rows, 3);
    fb_sto_free(&table);
    fb_diag_clear(&diag);
}

static void rejects_what_is_no_table(void) {
    check_refused("", 0, "no line of column names");
    check_refused("\n \n", 2, "no line of column names");
    check_refused("# only a comment\n", 1, "no line of column names");
    check_refused("a,b\n1,2\n3\n", 3, "fewer numbers");
    check_refused("a,b\n1,2,3\n", 2, "more numbers");
    check_refused("a;b\n1,5;2\n", 2, "not a number");
    check_refused("a,b\n1,x\n", 2, "not a number");
    check_refused("<?xml version=\"1.0\"?>\n<a>\n", 2, "not a number");
}

static void every_prefix_is_read_or_refused(void) {
    static const char text[] = "time,\"a\"\"b\",c\n0,1.5e2,\n1,\"2\",3\n";
    for (size_t n = 0; n < sizeof text; n++) {
        char *bytes = fb_test_bytes(text, n);
        fb_sto table;
        fb_diag diag;
        fb_diag_init(&diag);
        fb_status status = fb_csv_read(&table, bytes, n, "test.csv", &diag);
        FB_TRUE(status == FB_OK || diag.counts[FB_ERROR] == 1, "%zu bytes: status %d", n,
                (int)status);
        if (status == FB_OK) {
            fb_sto_free(&table);
        }
        fb_free(bytes);
        fb_diag_clear(&diag);
    }
}

int main(int argc, char **argv) {
    static const fb_test tests[] = {
        FB_TEST(accepts_each_separator),
        FB_TEST(accepts_white_space_between_cells),
        FB_TEST(quotes_protect_separators),
        FB_TEST(missing_cells_are_nan),
        FB_TEST(rejects_what_is_no_table),
        FB_TEST(every_prefix_is_read_or_refused),
        FB_TEST_END,
    };
    return fb_test_main("csv", tests, argc, argv);
}
