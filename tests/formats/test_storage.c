/* Tables as OpenSim writes them: numbers against printf's. */
#include <math.h>
#include <string.h>

#include "formats/storage.h"
#include "libcore/base/number.h"
#include "tests/help.h"

static void same_as_printf(double x, int decimals) {
    char got[FB_STORAGE_NUMBER_MAX], want[FB_STORAGE_NUMBER_MAX];
    int n = fb_storage_number(got, x, decimals);
    snprintf(want, sizeof want, "%*.*f", decimals + 8, decimals, x);
    FB_EQUAL_STR(got, want);
    FB_EQUAL_INT(n, strlen(want));
}

static void numbers_are_those_of_printf(void) {
    static const double values[] = {0,
                                    -0.0,
                                    1,
                                    -1,
                                    0.5,
                                    2.5,
                                    1e-9,
                                    5e-9,
                                    1.5e-8,
                                    0.125,
                                    1e15,
                                    123456.789,
                                    -99.995,
                                    1e22,
                                    1e300,
                                    1e-300,
                                    4.9e-324,
                                    0.00390625,
                                    9.999999995,
                                    1 - 1e-16,
                                    18446744073709551616.0,
                                    184467440737.09551616};
    unsigned long long seed = fb_test_seed();
    for (int decimals = 0; decimals <= 20; decimals++) {
        for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
            same_as_printf(values[i], decimals);
        }
    }
    for (int i = 0; i < 20000; i++) {
        double x = fb_random_between(&seed, -1, 1) * pow(10, fb_random_between(&seed, -12, 6));
        same_as_printf(x, 8 + 4 * (i % 3));
        same_as_printf(nearbyint(x * 1024) / 1024, 8); /* halves between two decimals */
        same_as_printf(nearbyint(x * 1024) / 1024, 2);
    }
    same_as_printf(FB_NAN, 8);
    same_as_printf(-FB_INFINITY, 8);
    same_as_printf(1.5, 30);
}

static void a_table_has_their_header(void) {
    fb_sto table;
    fb_text text;
    fb_sto_start(&table, "Coordinates");
    fb_sto_add_column(&table, "time");
    fb_sto_add_column(&table, "q");
    double *row = fb_sto_row(&table);
    row[0] = 0.5;
    row[1] = -2;
    table.in_degrees = true;
    fb_text_init(&text, NULL);
    fb_storage_write(&table, "Words.\n", 3, &text);
    FB_EQUAL_STR(
        fb_text_string(&text),
        "Coordinates\nversion=1\nnRows=1\nnColumns=2\ninDegrees=yes\n\nWords.\n\nendheader\n"
        "time\tq\n      0.500\t     -2.000\n");
    fb_text_free(&text);
    fb_sto_free(&table);
}

int main(int argc, char **argv) {
    static const fb_test tests[] = {FB_TEST(numbers_are_those_of_printf),
                                    FB_TEST(a_table_has_their_header), FB_TEST_END};
    return fb_test_main("storage", tests, argc, argv);
}
