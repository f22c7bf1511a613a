#include "formats/storage.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

__extension__ typedef unsigned __int128 wide;

#define MOST_DECIMALS 20 /* 10^20 < 2^67, and a mantissa has 53 bits: products fit in 128 */

/* |x| in units of 10^-decimals, rounded half to even as printf does; false if it does not fit in
 * 64 bits. */
static bool scaled(double x, int decimals, uint64_t *units) {
    int exponent;
    double fraction = frexp(fabs(x), &exponent); /* |x| = fraction 2^exponent */
    wide product = (uint64_t)ldexp(fraction, 53);
    int right = 53 - exponent; /* |x| = product / 2^right */
    for (int i = 0; i < decimals; i++) {
        product *= 10;
    }
    if (right < 0) {
        return false;
    }
    if (right >= 128) { /* below half a unit: the product has at most 120 bits */
        *units = 0;
        return true;
    }
    wide whole = product >> right;
    if (right > 0) {
        wide rest = product - (whole << right), half = (wide)1 << (right - 1);
        whole += rest > half || (rest == half && (whole & 1));
    }
    *units = (uint64_t)whole;
    return whole >> 64 == 0;
}

int fb_storage_number(char out[FB_STORAGE_NUMBER_MAX], double x, int decimals) {
    char digits[32];
    uint64_t units;
    int width = decimals + 8, n = 0, end = sizeof digits;
    if (!isfinite(x) || decimals > MOST_DECIMALS || !scaled(x, decimals, &units)) {
        return snprintf(out, FB_STORAGE_NUMBER_MAX, "%*.*f", width, decimals, x);
    }
    for (int k = 0; k <= decimals || units > 0; k++) {
        if (k == decimals && decimals > 0) {
            digits[--end] = '.';
        }
        digits[--end] = (char)('0' + units % 10);
        units /= 10;
    }
    if (signbit(x)) {
        digits[--end] = '-';
    }
    int length = (int)sizeof digits - end;
    for (; n < width - length; n++) {
        out[n] = ' ';
    }
    memcpy(out + n, digits + end, (size_t)length);
    out[n + length] = 0;
    return n + length;
}

void fb_storage_write(const fb_sto *table, const char *description, int decimals, fb_text *out) {
    fb_text_printf(out, "%s\nversion=1\nnRows=%d\nnColumns=%d\ninDegrees=%s\n", table->name,
                   table->n_rows, table->n_columns, table->in_degrees ? "yes" : "no");
    if (description) {
        bool close = description[0] == ' ';
        fb_text_printf(out, "%s%s\n", close ? "" : "\n", description + close);
    }
    fb_text_puts(out, "endheader\n");
    for (int j = 0; j < table->n_columns; j++) {
        fb_text_add(out, "\t", j > 0);
        fb_text_puts(out, table->columns[j]);
    }
    fb_text_puts(out, "\n");
    for (int i = 0; i < table->n_rows; i++) {
        const double *row = table->values + (size_t)i * (size_t)table->n_columns;
        for (int j = 0; j < table->n_columns; j++) {
            char text[FB_STORAGE_NUMBER_MAX];
            int n = fb_storage_number(text, row[j], decimals);
            fb_text_add(out, "\t", j > 0);
            fb_text_add(out, text, (size_t)n);
        }
        fb_text_puts(out, "\n");
    }
}
