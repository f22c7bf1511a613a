#include "libcore/base/number.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/help.h"

static bool same(double a, double b) {
    return memcmp(&a, &b, sizeof a) == 0;
}

/* How many digits a decimal has, leading and trailing zeros not counted. */
static int digits_of(const char *text) {
    int n = 0, zeros = 0;
    for (; *text && *text != 'e'; text++) {
        if (*text < '0' || *text > '9' || (n == 0 && *text == '0')) {
            continue;
        }
        zeros = *text == '0' ? zeros + 1 : 0;
        n++;
    }
    return n - zeros;
}

/* The fewest digits with which printf reads back. */
static int fewest_digits(double x) {
    char text[64];
    for (int n = 1; n < 17; n++) {
        snprintf(text, sizeof text, "%.*e", n - 1, x);
        if (same(strtod(text, NULL), x)) {
            return digits_of(text);
        }
    }
    return 17;
}

/* Checks one number: right length, reads back, and no shorter decimal does. At most a few failures
 * are printed. */
static int failures;
static void check_print(double x) {
    char text[FB_NUMBER_MAX];
    memset(text, 'x', sizeof text);
    int n = fb_number_print(text, x);
    double back = 0;
    bool fits = n > 0 && n < FB_NUMBER_MAX && text[n] == 0 && strlen(text) == (size_t)n;
    bool ours = fits && fb_number_parse(text, (size_t)n, &back) && same(back, x);
    bool library = fits && same(strtod(text, NULL), x);
    int want = x == 0 ? 0 : fewest_digits(x);
    bool shortest = !fits || digits_of(text) <= want;
    if ((!fits || !ours || !library || !shortest) && failures++ < 10) {
        FB_TRUE(false,
                "%a printed as '%.40s': length %d, reads back %d, strtod %d, %d digits, %d suffice",
                x, text, n, ours, library, digits_of(text), want);
    }
}

static double from_bits(uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static void print_random_doubles_shortest(void) {
    unsigned long long state = fb_test_seed();
    long n = fb_test_setting("FB_NUMBERS", fb_test_is_fast() ? 200000 : 5000);
    failures = 0;
    for (long i = 0; i < n; i++) { /* any bits */
        double x = from_bits(fb_random(&state));
        if (isfinite(x)) {
            check_print(x);
        }
    }
    FB_EQUAL_INT(failures, 0);
}

static void print_everyday_numbers_shortest(void) {
    unsigned long long state = fb_test_seed();
    failures = 0;
    for (long i = 0; i < (fb_test_is_fast() ? 60000 : 2000);
         i++) { /* few digits, and results of arithmetic on such */
        double whole = (double)(int64_t)(fb_random(&state) % 2000000) - 1e6;
        double x = whole / pow(10, (double)(fb_random(&state) % 8));
        check_print(x);
        check_print(x * 3.14159265358979323846 / 180);
        check_print(x / 3);
        check_print(x * 1e-9);
        check_print(x * 1e10);
    }
    FB_EQUAL_INT(failures, 0);
}

static void print_denormals_shortest(void) {
    unsigned long long state = fb_test_seed();
    failures = 0;
    for (uint64_t i = 1; i < 2000; i++) {
        check_print(from_bits(i));
    }
    for (int i = 0; i < 5000; i++) {
        check_print(from_bits(fb_random(&state) >> (12 + fb_random(&state) % 50)));
    }
    check_print(DBL_MIN);
    check_print(nextafter(DBL_MIN, 0));
    check_print(DBL_MAX);
    FB_EQUAL_INT(failures, 0);
}

static void print_powers_shortest(void) {
    failures = 0;
    for (int e = -1074; e < 1024; e++) {
        double x = ldexp(1, e);
        check_print(x);
        check_print(-x);
        check_print(nextafter(x, FB_INFINITY));
        check_print(nextafter(x, 0));
    }
    for (int e = -323; e <= 308; e++) {
        char text[16];
        snprintf(text, sizeof text, "1e%d", e);
        double x = strtod(text, NULL);
        check_print(x);
        check_print(nextafter(x, FB_INFINITY));
        check_print(nextafter(x, 0));
    }
    for (int i = -50; i < 100; i += 2) { /* about 2^53 */
        check_print(9007199254740992.0 + i);
    }
    FB_EQUAL_INT(failures, 0);
}

static void print_uses_plain_forms(void) {
    static const struct {
        double x;
        const char *text;
    } cases[] = {
        {0, "0"},
        {-0.0, "-0"},
        {1, "1"},
        {-1, "-1"},
        {100, "100"},
        {0.1, "0.1"},
        {-0.25, "-0.25"},
        {1.5, "1.5"},
        {9.80665, "9.80665"},
        {0.001, "0.001"},
        {1e-300, "1e-300"},
        {1e22, "1e22"},
        {1.5e-7, "1.5e-7"},
        {FB_NAN, "nan"},
        {-FB_NAN, "nan"},
        {FB_INFINITY, "inf"},
        {-FB_INFINITY, "-inf"},
        {123456789, "123456789"},
        {5e-324, "5e-324"},
        {1.7976931348623157e308, "1.7976931348623157e308"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[FB_NUMBER_MAX];
        FB_EQUAL_INT(fb_number_print(text, cases[i].x), strlen(cases[i].text));
        FB_EQUAL_STR(text, cases[i].text);
    }
}

static int parses(const char *text, double *x) {
    return fb_number_parse(text, strlen(text), x);
}

static void parse_reads_what_it_should(void) {
    static const struct {
        const char *text;
        double x;
    } cases[] = {
        {"1", 1},
        {"-1", -1},
        {"+1", 1},
        {"1.", 1},
        {".5", 0.5},
        {"-.5", -0.5},
        {"1e3", 1000},
        {"1E3", 1000},
        {"1e+3", 1000},
        {"1e-3", 0.001},
        {" 2 ", 2},
        {"\n\t2\r\n", 2},
        {"00012", 12},
        {"0", 0},
        {"-0", -0.0},
        {"nan", FB_NAN},
        {"NaN", FB_NAN},
        {"-nan", FB_NAN},
        {"inf", FB_INFINITY},
        {"-Inf", -FB_INFINITY},
        {"INFINITY", FB_INFINITY},
        {"1e400", FB_INFINITY},
        {"-1e400", -FB_INFINITY},
        {"1e-400", 0},
        {"1e99999999999999", FB_INFINITY},
        {"1e-99999999999999", 0},
        {"0e99999999999999", 0},
        {"1.80000000000000000000", 1.8},
        {"0.30000000000000004", 0.30000000000000004},
        {"9007199254740993", 9007199254740992.0},
        {"2.2250738585072011e-308", 2.2250738585072011e-308},
        {"179769313486231580793728971405301e276", DBL_MAX},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double x = 42;
        FB_TRUE(parses(cases[i].text, &x), "'%s' is a number", cases[i].text);
        FB_SAME(x, cases[i].x);
    }
}

static void parse_rejects_what_is_no_number(void) {
    static const char *const texts[] = {"1,5",   "",      "e5",   "0x10",    " ",   ".",
                                        "-",     "+",     "1 2",  "--1",     "+-1", "1e5x",
                                        "1.2.3", "abc",   "in",   "infinit", "n",   "na",
                                        "nanx",  "1_000", "1e",   "1e+",     "1f",  "\xE2\x88\x92",
                                        "1;",    "-.e1",  "infx", "1d5"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        double x;
        FB_TRUE(!parses(texts[i], &x), "'%s' is no number", texts[i]);
    }
    double x;
    FB_TRUE(!fb_number_parse("1\0", 2, &x), "a 0 byte is no number");
}

static void scan_moves_past_the_number(void) {
    static const struct {
        const char *text;
        int length;
    } cases[] = {{"1.5 2", 3}, {"1,5", 1},      {"1e5e6", 3}, {"1e", 1}, {"1e+x", 1},
                 {"inf 3", 3}, {"infinity", 8}, {"nan)", 3},  {"7", 1},  {"-2]", 2}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *p = cases[i].text;
        double x;
        FB_TRUE(fb_number_scan(&p, p + strlen(p), &x), "'%s'", cases[i].text);
        FB_EQUAL_INT(p - cases[i].text, cases[i].length);
    }
    const char *text = " 1", *p = text;
    double x;
    FB_TRUE(!fb_number_scan(&p, text + 2, &x) && p == text, "white space is not skipped");
}

static void scan_stops_at_the_end_given(void) {
    const char *text = "123456e10";
    static const double want[] = {1, 12, 123, 1234, 12345, 123456, 123456, 123456e1, 123456e10};
    for (int n = 1; n <= 9; n++) { /* exactly sized: sanitizers see one byte too far */
        char *bytes = fb_test_bytes(text, (size_t)n);
        const char *p = bytes;
        double x = 0;
        FB_TRUE(fb_number_scan(&p, bytes + n, &x), "%d bytes", n);
        FB_SAME(x, want[n - 1]);
        fb_free(bytes);
    }
    double x;
    FB_TRUE(!fb_number_parse(text, 0, &x), "nothing");
}

/* A random text that is a number, with many or few digits. */
static void random_number_text(char *out, unsigned long long *state) {
    int n = 0;
    if (fb_random(state) % 3 == 0) {
        out[n++] = "+-"[fb_random(state) % 2];
    }
    int digits = (int)(fb_random(state) % 25) + 1, point = (int)(fb_random(state) % 28);
    for (int i = 0; i < digits; i++) {
        if (i == point) {
            out[n++] = '.';
        }
        out[n++] = (char)('0' + fb_random(state) % 10);
    }
    if (fb_random(state) % 2) {
        n += sprintf(out + n, "e%d", (int)(fb_random(state) % 700) - 350);
    }
    out[n] = 0;
}

static void parse_agrees_with_strtod(void) {
    unsigned long long state = fb_test_seed();
    int wrong = 0;
    for (int i = 0; i < 100000; i++) {
        char text[64];
        random_number_text(text, &state);
        double x = 0, want = strtod(text, NULL);
        if ((!parses(text, &x) || !same(x, want)) && wrong++ < 10) {
            FB_TRUE(false, "'%s' reads as %a, strtod says %a", text, x, want);
        }
    }
    FB_EQUAL_INT(wrong, 0);
}

static void parse_agrees_with_strtod_on_printed_doubles(void) {
    unsigned long long state = fb_test_seed();
    int wrong = 0;
    for (int i = 0; i < 50000; i++) {
        char text[800];
        double x = 0, want = from_bits(fb_random(&state));
        if (!isfinite(want)) {
            continue;
        }
        snprintf(text, sizeof text, i % 100 ? "%.*e" : "%.*f", (int)(fb_random(&state) % 30), want);
        if ((!parses(text, &x) || !same(x, strtod(text, NULL))) && wrong++ < 10) {
            FB_TRUE(false, "'%.60s' reads as %a, strtod says %a", text, x, strtod(text, NULL));
        }
    }
    FB_EQUAL_INT(wrong, 0);
}

static void parse_reads_very_long_numbers(void) {
    char text[3000];
    memset(text, '0', sizeof text);
    text[1] = '.';
    text[2000] = '5';
    text[2001] = 0;
    double x = 1;
    FB_TRUE(parses(text, &x), "0.00..05");
    FB_SAME(x, 0);
    memset(text, '9', 2500);
    text[2500] = 0;
    FB_TRUE(parses(text, &x), "999..");
    FB_SAME(x, FB_INFINITY);
    memcpy(text + 2500, "e-2490", 7);
    FB_TRUE(parses(text, &x), "999..e-2490");
    FB_SAME(x, 1e10);
}

/* Makes a locale with a decimal comma; false if this system cannot. */
static bool decimal_comma(void) {
    static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "fr_FR"};
    for (int i = 0; i < 4; i++) {
        if (setlocale(LC_NUMERIC, names[i]) && strtod("1,5", NULL) == 1.5) {
            return true;
        }
    }
    char command[300];
    const char *folder = fb_test_folder();
    snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 >/dev/null 2>&1",
             folder);
    if (system(command) < 0) {
        return false;
    }
    setenv("LOCPATH", folder, 1);
    bool ok = setlocale(LC_NUMERIC, "de_DE.UTF-8") && strtod("1,5", NULL) == 1.5;
    unsetenv("LOCPATH");
    return ok;
}

static void numbers_do_not_depend_on_the_locale(void) {
    if (!decimal_comma()) {
        puts("    (no locale with a decimal comma here: skipped)");
        return;
    }
    static const double samples[] = {0.1,     1.5,        1e-10,     123456.789,
                                     2.5e300, -3.25e-200, 0.1 + 0.2, M_PI};
    static const char *const texts[] = {"0.1",
                                        "1.5",
                                        "1e-10",
                                        "123456.789",
                                        "2.5e300",
                                        "-3.25e-200",
                                        "0.30000000000000004",
                                        "3.141592653589793"};
    for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++) {
        char text[FB_NUMBER_MAX];
        fb_number_print(text, samples[i]);
        FB_EQUAL_STR(text, texts[i]);
        double x = 0;
        FB_TRUE(parses(texts[i], &x), "%s", texts[i]);
        FB_SAME(x, samples[i]);
    }
    setlocale(LC_NUMERIC, "C");
}

static const fb_test tests[] = {
    FB_TEST(print_random_doubles_shortest),
    FB_TEST(print_everyday_numbers_shortest),
    FB_TEST(print_denormals_shortest),
    FB_TEST(print_powers_shortest),
    FB_TEST(print_uses_plain_forms),
    FB_TEST(parse_reads_what_it_should),
    FB_TEST(parse_rejects_what_is_no_number),
    FB_TEST(scan_moves_past_the_number),
    FB_TEST(scan_stops_at_the_end_given),
    FB_TEST(parse_agrees_with_strtod),
    FB_TEST(parse_agrees_with_strtod_on_printed_doubles),
    FB_TEST(parse_reads_very_long_numbers),
    FB_TEST(numbers_do_not_depend_on_the_locale),
    FB_TEST_END,
};

int main(int argc, char **argv) {
    return fb_test_main("number", tests, argc, argv);
}
