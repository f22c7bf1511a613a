#include <string.h>

#include "formats/sto.h"
#include "tests/help.h"

/* Whether a table with these header lines is in degrees. */
static bool is_in_degrees(const char *header) {
    char text[300];
    fb_sto table;
    fb_diag diag;
    bool degrees = false;
    int n = snprintf(text, sizeof text, "name\n%sendheader\ntime\tq\n0\t45\n", header);
    char *bytes = fb_test_bytes(text, (size_t)n);
    fb_diag_init(&diag);
    if (FB_TRUE(fb_sto_read(&table, bytes, (size_t)n, "t.mot", &diag) == FB_OK, "%s", header)) {
        degrees = table.in_degrees;
        FB_SAME(table.values[1], 45); /* as it stands in the file */
        fb_sto_free(&table);
    }
    fb_diag_clear(&diag);
    fb_free(bytes);
    return degrees;
}

static void headers_say_whether_angles_are_in_degrees(void) {
    static const struct {
        const char *header;
        bool degrees;
    } cases[] = {
        {"", false},
        {"inDegrees=yes\n", true},
        {"inDegrees=no\n", false},
        {"inDegrees=Y\r\n", true},
        {"version=0\nAngles are in degrees.\n", true},
        {"Angles are in degrees.\t\t\t\r\n", true},
        {"  angles are in degrees\n", true},
        {"Angles are in radians.\n", false},
        /* both lines, in either order: BodyKinematics of older versions, over degrees */
        {"inDegrees=no\nUnits are S.I. units (seconds, meters, Newtons, ...)\n"
         "Angles are in degrees.\n",
         true},
        {"Angles are in degrees.\ninDegrees=no\n", true},
        {"Angles are in\ndegrees\n", false},
        {"Not all angles are in degrees.\n", false},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        FB_TRUE(is_in_degrees(cases[k].header) == cases[k].degrees, "case %zu: %s", k,
                cases[k].header);
    }
}

static void fewer_rows_than_promised_are_told(void) {
    static const struct {
        const char *header;
        bool told;
    } cases[] = {{"nRows=2\n", false},    {"nRows=73\n", true},
                 {"nRows = 73\n", true},  {"datarows 73\nrange 0 1\n", true},
                 {"datarows 2\n", false}, {"nRows=1\n", false},
                 {"nRows=many\n", false}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        char text[300];
        fb_sto table;
        fb_diag diag;
        fb_diag_init(&diag);
        int n = snprintf(text, sizeof text, "name\n%sendheader\ntime\tq\n0\t4\n1\t5\n",
                         cases[k].header);
        char *bytes = fb_test_bytes(text, (size_t)n);
        FB_EQUAL_INT(fb_sto_read(&table, bytes, (size_t)n, "t.mot", &diag), FB_OK);
        FB_EQUAL_INT(table.n_rows, 2);
        if (cases[k].told) {
            const fb_record *record = FB_RECORD(&diag, FB_WARNING, FB1406, -1);
            FB_HOLDS(record ? record->message : "", "promises 73 rows, but there are 2");
        } else {
            FB_TRUE(diag.n == 0, "nothing is told of %s", cases[k].header);
        }
        fb_sto_free(&table);
        fb_diag_clear(&diag);
        fb_free(bytes);
    }
}

static void a_table_that_is_written_reads_the_same(void) {
    fb_sto made, read;
    fb_text text;
    fb_diag diag;
    jmp_buf oom;
    fb_sto_start(&made, "t");
    if (setjmp(oom)) {
        return;
    }
    made.arena.oom = &oom;
    made.in_degrees = true;
    fb_sto_add_column(&made, "time");
    fb_sto_add_column(&made, "a b");
    double *row = fb_sto_row(&made);
    row[0] = 0.1;
    row[1] = -1e-300;
    fb_text_init(&text, NULL);
    fb_diag_init(&diag);
    fb_sto_write(&made, "key=value\n", &text);
    const char *bytes = fb_text_string(&text);
    if (FB_TRUE(fb_sto_read(&read, bytes, strlen(bytes), "t", &diag) == FB_OK, "%s", bytes)) {
        FB_TRUE(read.in_degrees, "in degrees");
        FB_HOLDS(read.header, "key=value\n");
        FB_EQUAL_STR(read.columns[1], "a b");
        FB_SAME(read.values[0], 0.1);
        FB_SAME(read.values[1], -1e-300);
        fb_sto_free(&read);
    }
    fb_diag_clear(&diag);
    fb_text_free(&text);
    fb_sto_free(&made);
}

int main(int argc, char **argv) {
    static const fb_test tests[] = {
        FB_TEST(fewer_rows_than_promised_are_told),
        FB_TEST(headers_say_whether_angles_are_in_degrees),
        FB_TEST(a_table_that_is_written_reads_the_same),
        FB_TEST_END,
    };
    return fb_test_main("sto", tests, argc, argv);
}
