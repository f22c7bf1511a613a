#include "libcore/base/number.h"

#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXACT_POWER 22               /* 10^22 is the largest power of ten that is a double */
#define EXACT_INT 9007199254740992.0 /* 2^53 */

static const double power10[EXACT_POWER + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/* Writes an integer's digits; returns how many. */
static int print_digits(char *out, uint64_t m) {
    char reversed[24];
    int n = 0;
    do {
        reversed[n++] = (char)('0' + m % 10);
        m /= 10;
    } while (m);
    for (int i = 0; i < n; i++) {
        out[i] = reversed[n - 1 - i];
    }
    return n;
}

/* Writes m / 10^decimals, 0 <= decimals, in plain or scientific notation; returns the length.
 */
static int print_decimal(char *out, uint64_t m, int decimals) {
    char digits[24];
    while (decimals > 0 && m % 10 == 0) {
        m /= 10;
        decimals--;
    }
    int n = print_digits(digits, m);
    char *p = out;
    int point = n - decimals; /* where the decimal point stands in the digits */
    if (point > 0 || point > -5) {
        if (point <= 0) {
            *p++ = '0';
            *p++ = '.';
            for (int i = point; i < 0; i++) {
                *p++ = '0';
            }
            memcpy(p, digits, (size_t)n);
            p += n;
        } else {
            memcpy(p, digits, (size_t)point);
            p += point;
            if (decimals > 0) {
                *p++ = '.';
                memcpy(p, digits + point, (size_t)decimals);
                p += decimals;
            }
        }
        return (int)(p - out);
    }
    *p++ = digits[0];
    if (n > 1) {
        *p++ = '.';
        memcpy(p, digits + 1, (size_t)n - 1);
        p += n - 1;
    }
    *p++ = 'e';
    *p++ = '-';
    p += print_digits(p, (uint64_t)(1 - point));
    return (int)(p - out);
}

/* x > 0 as a decimal of at most 17 digits through extended precision: the digits of m and the
 * number of decimals such that m / 10^decimals reads back to x; 0 if that is not certain. */
static int find_decimal(double x, uint64_t *m, int *decimals) {
    for (int k = 0; k <= EXACT_POWER; k++) {
        double scaled = x * power10[k];
        if (scaled >= EXACT_INT) {
            break;
        }
        double r = nearbyint(scaled);
        if (r / power10[k] == x) { /* both exact: the quotient is correctly rounded */
            *m = (uint64_t)r;
            *decimals = k;
            return 1;
        }
    }
    return 0;
}

__extension__ typedef unsigned __int128 wide;

/* x > 0 that takes more than 15 digits: 16 if they read back, else 17, in exact integer arithmetic.
 * With x = f 2^e, x 10^k = f 5^k 2^(e + k); a decimal D 10^-k reads back if it is less than half a
 * unit of f away, 2 |D 2^-(e + k) - f 5^k| < 5^k. 0 if 15 digits do, or x is out of range. */
static int find_long(double x, uint64_t *m, int *decimals) {
    int e;
    uint64_t f = (uint64_t)ldexp(frexp(x, &e), 53), found = 0;
    e -= 53;
    int top = 0; /* x is of [10^top, 10^(top + 1)) */
    while (top < EXACT_POWER && x >= power10[top + 1]) {
        top++;
    }
    while (top > -10 && x < 1 && x * power10[-top] < 1) {
        top--;
    }
    uint64_t five = 1;
    int k = 14 - top;
    if (k < 0 || k > 24 || e + k + 2 >= 0 || f == (uint64_t)1 << 52) {
        return 0;
    }
    for (int i = 0; i < k; i++) {
        five *= 5;
    }
    for (int digits = 15; digits <= 17; digits++, k++, five *= 5) {
        int shift = -(e + k);
        wide exact = (wide)f * five, unit = (wide)1 << shift;
        wide rest = exact & (unit - 1);
        found = (uint64_t)(exact >> shift);
        bool up = 2 * rest > unit || (2 * rest == unit && found % 2 == 1);
        found += up;
        if (2 * (up ? unit - rest : rest) < five) {
            *m = found;
            *decimals = k;
            return digits > 15;
        }
    }
    return 0;
}

/* Tidies what %.*e wrote: "1.50000000e-07" becomes "1.5e-7"; plain notation where it is as short.
 */
static int print_slow(char out[FB_NUMBER_MAX], double x) {
    char text[40];
    for (int precision = fabs(x) < 1e-300 ? 0 : 14; precision <= 16; precision++) {
        snprintf(text, sizeof text, "%.*e", precision, x);
        if (strtod(text, NULL) == x) {
            break;
        }
    }
    char *e = strchr(text, 'e');
    int exponent = atoi(e + 1);
    uint64_t m = 0;
    int n = 0; /* digits */
    for (char *c = text; c < e; c++) {
        if (*c >= '0' && *c <= '9') {
            m = m * 10 + (uint64_t)(*c - '0');
            n++;
        }
    }
    while (n > 1 && m % 10 == 0) {
        m /= 10;
        n--;
    }
    int decimals = n - 1 - exponent;
    if (decimals >= 0 && exponent > -6) {
        return print_decimal(out, m, decimals);
    }
    char *p = out;
    char digits[24];
    n = print_digits(digits, m);
    if (decimals < 0 && n - decimals <= 17) { /* an integer with trailing zeros */
        memcpy(p, digits, (size_t)n);
        memset(p + n, '0', (size_t)-decimals);
        return n - decimals;
    }
    *p++ = digits[0];
    if (n > 1) {
        *p++ = '.';
        memcpy(p, digits + 1, (size_t)n - 1);
        p += n - 1;
    }
    p += sprintf(p, "e%d", exponent);
    return (int)(p - out);
}

int fb_number_print(char out[FB_NUMBER_MAX], double x) {
    int n = 0;
    if (isnan(x)) {
        n = sprintf(out, "nan");
    } else if (isinf(x)) {
        n = sprintf(out, x > 0 ? "inf" : "-inf");
    } else {
        if (signbit(x)) {
            out[n++] = '-';
            x = -x;
        }
        uint64_t m;
        int decimals;
        if (x == 0) {
            out[n++] = '0';
        } else if (x < 1e16 && x > 1e-9 &&
                   (find_long(x, &m, &decimals) || find_decimal(x, &m, &decimals))) {
            n += print_decimal(out + n, m, decimals);
        } else {
            n += print_slow(out + n, x);
        }
    }
    out[n] = 0;
    return n;
}

static int scan_word(const char **text, const char *end, const char *word) {
    size_t n = strlen(word);
    if ((size_t)(end - *text) < n) {
        return 0;
    }
    for (size_t i = 0; i < n; i++) {
        if (((*text)[i] | 32) != word[i]) {
            return 0;
        }
    }
    *text += n;
    return 1;
}

/* The C library's conversion of a token that is known to be a number; its decimal point is the
 * locale's. */
static double convert_slow(const char *token, size_t n) {
    char small[128];
    char *copy = n < sizeof small ? small : malloc(n + 1);
    if (!copy) {
        return FB_NAN;
    }
    memcpy(copy, token, n);
    copy[n] = 0;
    char *point = strchr(copy, '.');
    if (point) {
        *point = localeconv()->decimal_point[0];
    }
    double x = strtod(copy, NULL);
    if (copy != small) {
        free(copy);
    }
    return x;
}

int fb_number_scan(const char **text, const char *end, double *x) {
    const char *p = *text;
    int negative = 0;
    if (p < end && (*p == '-' || *p == '+')) {
        negative = *p++ == '-';
    }
    if (scan_word(&p, end, "infinity") || scan_word(&p, end, "inf")) {
        *x = negative ? -FB_INFINITY : FB_INFINITY;
        *text = p;
        return 1;
    }
    if (scan_word(&p, end, "nan")) {
        *x = FB_NAN;
        *text = p;
        return 1;
    }
    uint64_t m = 0;
    int digits = 0, significant = 0, exponent = 0, seen_point = 0, inexact = 0;
    for (; p < end; p++) {
        if (*p >= '0' && *p <= '9') {
            digits++;
            if (significant || *p != '0') {
                significant++;
            }
            if (significant <= 19) {
                m = m * 10 + (uint64_t)(*p - '0');
            } else {
                inexact |= *p != '0';
                exponent++;
            }
            if (seen_point) {
                exponent--;
            }
        } else if (*p == '.' && !seen_point) {
            seen_point = 1;
        } else {
            break;
        }
    }
    if (digits == 0) {
        return 0;
    }
    if (p < end && (*p == 'e' || *p == 'E')) {
        const char *q = p + 1;
        int minus = 0, e = 0;
        if (q < end && (*q == '-' || *q == '+')) {
            minus = *q++ == '-';
        }
        if (q < end && *q >= '0' && *q <= '9') {
            for (; q < end && *q >= '0' && *q <= '9'; q++) {
                if (e < 100000) {
                    e = e * 10 + (*q - '0');
                }
            }
            exponent += minus ? -e : e;
            p = q;
        }
    }
    /* drop trailing zeros, so that 1.80000000000000000000 takes the exact way */
    while (m > 0 && m % 10 == 0) {
        m /= 10;
        exponent++;
    }
    double value;
    if (m == 0) {
        value = 0;
    } else if (!inexact && m <= (uint64_t)EXACT_INT && exponent >= -EXACT_POWER &&
               exponent <= EXACT_POWER) {
        value = exponent < 0 ? (double)m / power10[-exponent] : (double)m * power10[exponent];
    } else {
        value = fabs(convert_slow(*text, (size_t)(p - *text)));
    }
    *x = negative ? -value : value;
    *text = p;
    return 1;
}

int fb_number_parse(const char *text, size_t n, double *x) {
    const char *p = text, *end = text + n;
    while (p < end && (*p == ' ' || *p == '\t' || *p == '\n' || *p == '\r')) {
        p++;
    }
    if (!fb_number_scan(&p, end, x)) {
        return 0;
    }
    while (p < end && (*p == ' ' || *p == '\t' || *p == '\n' || *p == '\r')) {
        p++;
    }
    return p == end;
}
