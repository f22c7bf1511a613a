/* Marker files: the oddities of the field, and what is refused. */
#include <math.h>
#include <string.h>

#include "formats/trc.h"
#include "libcore/base/number.h"
#include "tests/help.h"

#define KEYS "PathFileType\t4\t(X/Y/Z)\tx.trc\nDataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\n"

typedef struct read {
    fb_trc trc;
    fb_diag diag;
    fb_status status;
} read;

static read read_text(const char *text, size_t n) {
    read r;
    char *bytes = fb_test_bytes(text, n);
    fb_diag_init(&r.diag);
    r.status = fb_trc_read(&r.trc, bytes, n, "x.trc", &r.diag);
    fb_free(bytes);
    return r;
}

static void end(read *r) {
    fb_trc_free(&r->trc);
    fb_diag_clear(&r->diag);
}

/* Two markers, two rows, written in many ways: the same numbers. */
static void reads_every_way_to_write_it(void) {
    static const char *const ways[] = {
        KEYS "50\t50\t2\t2\tmm\nFrame#\tTime\tA b\t\t\tC\t\t\n\t\tX1\tY1\tZ1\tX2\tY2\tZ2\n\n"
             "1\t0\t1000\t2000\t3000\t4000\t5000\t6000\n2\t0.02\t1\t2\t3\t4\t5\t6\n",
        /* m, Windows' line ends, tabs at ends, a shifted line of names, no blank line */
        KEYS "50\t50\t2\t2\tm\t\t\r\nFrame#\tTime\t\tA b\t\tC\t\t\t\t\r\n\t\t\tX1\tY1\tZ1\r\n"
             "1\t0\t1\t2\t3\t4\t5\t6\t\t\r\n2\t0.02\t.001\t.002\t.003\t.004\t.005\t6e-3\t\r\n",
        /* padded numbers, cm, old line ends, a mark of Unicode */
        "\xef\xbb\xbf" KEYS " 50\t50\t  2\t 2\tcm\rFrame#\tTime\tA b \t\t\t C\r\r"
        "  1\t 0\t 100\t200 \t300\t 400\t500\t600\r2\t0.02\t1E-1\t.2\t.3\t.4\t.5\t.6\r",
    };
    for (size_t k = 0; k < sizeof ways / sizeof ways[0]; k++) {
        read r = read_text(ways[k], strlen(ways[k]));
        FB_TRUE(r.status == FB_OK && r.diag.n == 0, "way %zu: %s", k,
                r.diag.n ? r.diag.records[0].message : "");
        FB_EQUAL_INT(r.trc.n_markers, 2);
        FB_EQUAL_INT(r.trc.n_rows, 2);
        if (r.trc.n_markers == 2 && r.trc.n_rows == 2) {
            FB_EQUAL_STR(r.trc.names[0], "A b");
            FB_EQUAL_INT(fb_trc_marker(&r.trc, "C"), 1);
            FB_SAME(r.trc.time[1], 0.02);
            FB_SAME(r.trc.rate, 50);
            for (int i = 0; i < 6; i++) {
                FB_NEAR(r.trc.points[i], i + 1, 1e-12, 0);
                FB_NEAR(r.trc.points[6 + i], 0.001 * (i + 1), 1e-15, 0);
            }
        }
        end(&r);
    }
}

static void missing_markers_are_nan(void) {
    static const char text[] = KEYS
        "50\t50\t3\t2\tm\nFrame#\tTime\tA\t\t\tB\t\t\n\t\tX1\n"
        "1\t0\t\t\t\t4\t5\t6\n2\t0.02\tNaN\tnan\tNAN\t4\t5\t6\n3\t0.04\t1\t2\t3\n";
    read r = read_text(text, sizeof text - 1);
    FB_EQUAL_INT(r.status, FB_OK);
    for (int row = 0; row < r.trc.n_rows; row++) {
        FB_TRUE(isnan(fb_trc_point(&r.trc, row, row == 2)[0]), "row %d", row);
        FB_TRUE(isfinite(fb_trc_point(&r.trc, row, row != 2)[2]), "row %d", row);
    }
    const fb_record *record = FB_RECORD(&r.diag, FB_WARNING, FB1406, 8);
    FB_HOLDS(record ? record->message : "", "ends before the last marker");
    end(&r);
}

static void what_does_not_fit_is_told(void) {
    static const struct {
        const char *text, *part;
    } cases[] = {
        {KEYS "50\t50\t7\t1\tm\nFrame#\tTime\tA\n1\t0\t1\t2\t3\n2\t.02\t1\t2\t3\n",
         "promises 7 rows, but there are 2"},
        {KEYS "50\t50\t1\t9\tm\nFrame#\tTime\tA\n1\t0\t1\t2\t3\n", "promises 9 markers, but 1"},
        {KEYS "50\t50\t2\t1\tm\nFrame#\tTime\tA\n1\t0\t1\t2\t3\n2\t.5\t1\t2\t3\n",
         "the data rate is 50 Hz, but by the times it is 2"},
        {KEYS "50\t50\t1\t2\tm\nFrame#\tTime\tA\t\t\tA\n1\t0\t1\t2\t3\t1\t2\t3\n",
         "several markers 'A'"},
        {KEYS "50\t50\t1\t1\tm\nFrame#\tTime\tA\n1\t0\t1\t\t3\n", "only some of its three"},
        {KEYS "50\t50\t1\t1\t\nFrame#\tTime\tA\n1\t0\t1\t200\t3\n", "taken as mm"},
        {KEYS "50\t50\t1\t1\t\nFrame#\tTime\tA\n1\t0\t1\t2\t3\n", "taken as m"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        read r = read_text(cases[k].text, strlen(cases[k].text));
        FB_EQUAL_INT(r.status, FB_OK);
        FB_EQUAL_INT(r.diag.n, 1);
        FB_HOLDS(r.diag.n ? r.diag.records[0].message : "", cases[k].part);
        end(&r);
    }
}

static void rejects_what_is_no_table_of_markers(void) {
    static const struct {
        const char *text;
        int line;
        const char *part;
    } cases[] = {
        {"", 1, "no .trc"},
        {"time\tq\n0\t1\n", 2, "no .trc"},
        {KEYS "50\t50\t1\t1\tm\nFrame#\tTime\t\t\n1\t0\n", 4, "no marker has a name"},
        {KEYS "50\t50\t1\t1\tm\nFrame#\tTime\tA\n", 4, "no row"},
        {KEYS "50\t50\t1\t1\tm\nFrame#\tTime\tA\n1\t0\t1\t2\t3\t4\n", 5, "more numbers"},
        {KEYS "50\t50\t1\t1\tm\nFrame#\tTime\tA\n1\t0\t1\ttwo\t3\n", 5, "not a number"},
        {KEYS "50\t50\t1\t1\tm\nFrame#\tTime\tA\n1\tx\t1\t2\t3\n", 5, "time is not"},
        {KEYS "50\t50\t1\t1\tm\nFrame#\tTime\tA\n1\t0\t1\t2\t3\n2\t0\t1\t2\t3\n", 6, "not later"},
        {KEYS "50\t50\t1\t1\tyards\nFrame#\tTime\tA\n1\t0\t1\t2\t3\n", 3, "'yards' are not known"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        read r = read_text(cases[k].text, strlen(cases[k].text));
        FB_EQUAL_INT(r.status, FB_E_INPUT);
        const fb_record *record = FB_RECORD(&r.diag, FB_ERROR, FB1401, cases[k].line);
        FB_HOLDS(record ? record->message : "", cases[k].part);
        end(&r);
    }
}

static void takes_the_nearest_row(void) {
    static const char text[] = KEYS "3\t3\t3\t1\tm\nFrame#\tTime\tA\n1\t0\t1\t2\t3\n"
                                    "2\t0.25\t1\t2\t3\n3\t1\t1\t2\t3\n";
    read r = read_text(text, sizeof text - 1);
    FB_EQUAL_INT(fb_trc_nearest_row(&r.trc, -9), 0);
    FB_EQUAL_INT(fb_trc_nearest_row(&r.trc, 0.2), 1);
    FB_EQUAL_INT(fb_trc_nearest_row(&r.trc, 0.625), 1); /* the earlier of two */
    FB_EQUAL_INT(fb_trc_nearest_row(&r.trc, FB_INFINITY), 2);
    end(&r);
}

/* Every prefix, every byte changed, every allocation failing: no crash, and a record if refused. */
static void survives_damage(void) {
    static const char text[] = KEYS
        "50\t50\t2\t2\tmm\nFrame#\tTime\tA b\t\t\tC\t\t\n\t\tX1\tY1\tZ1\tX2\tY2\tZ2\n\n"
        "1\t0\t1000\t2000\t\t4000\t5000\t6000\n2\t0.02\t1\t2\t3\t4\t5\tnan\n";
    size_t n = sizeof text - 1;
    for (size_t k = 0; k <= n; k++) {
        read r = read_text(text, k);
        FB_TRUE((r.status == FB_OK) == (r.diag.counts[FB_ERROR] == 0), "prefix %zu", k);
        end(&r);
    }
    char changed[sizeof text];
    for (size_t k = 0; k < n; k++) {
        static const char with[] = "\0\t\n\r,9-e\xff";
        for (size_t j = 0; j < sizeof with; j++) {
            memcpy(changed, text, n);
            changed[k] = with[j];
            read r = read_text(changed, n);
            FB_TRUE((r.status == FB_OK) == (r.diag.counts[FB_ERROR] == 0), "byte %zu", k);
            end(&r);
        }
    }
    for (long fail = 1; fail < 50; fail++) {
        fb_diag diag;
        fb_trc trc;
        fb_diag_init(&diag);
        fb_alloc_fail_at(fail);
        fb_status status = fb_trc_read(&trc, text, n, "x.trc", &diag);
        fb_alloc_fail_at(0);
        FB_TRUE(status == FB_OK || status == FB_E_MEMORY, "allocation %ld: %d", fail, status);
        fb_trc_free(&trc);
        fb_diag_clear(&diag);
        if (status == FB_OK) {
            break;
        }
    }
}

/* A line of a million names over rows of two cells is no table, and takes no memory. */
static void refuses_to_be_filled_with_blanks(void) {
    size_t n = 0, size = 400000;
    char *text = fb_alloc(size);
    n += (size_t)sprintf(text, KEYS "50\t50\t1\t1\tm\nFrame#\tTime\t");
    while (n < size - 100000) {
        n += (size_t)sprintf(text + n, "A\t");
    }
    for (int i = 1; n < size - 100; i++) {
        n += (size_t)sprintf(text + n, "\n%d\t%d", i, i);
    }
    read r = read_text(text, n);
    FB_EQUAL_INT(r.status, FB_E_INPUT);
    FB_HOLDS(r.diag.n ? r.diag.records[0].message : "", "far fewer numbers");
    end(&r);
    fb_free(text);
}

int main(int argc, char **argv) {
    static const fb_test tests[] = {FB_TEST(reads_every_way_to_write_it),
                                    FB_TEST(missing_markers_are_nan),
                                    FB_TEST(what_does_not_fit_is_told),
                                    FB_TEST(rejects_what_is_no_table_of_markers),
                                    FB_TEST(takes_the_nearest_row),
                                    FB_TEST(survives_damage),
                                    FB_TEST(refuses_to_be_filled_with_blanks),
                                    FB_TEST_END};
    return fb_test_main("trc", tests, argc, argv);
}
