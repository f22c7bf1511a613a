/* Numbers as text, in the C locale whatever the process's: the shortest decimal that reads back to
 * the same double, and strict parsing.
 *
 * Method: a decimal with few digits is found and checked with exact small powers of ten (as in
 * W. Clinger, "How to read floating point numbers accurately", PLDI 1990: integers up to 2^53 and
 * powers up to 10^22 are exact doubles, so one division is correctly rounded); the rest goes
 * through the C library's correctly rounded conversions. */
#ifndef FB_BASE_NUMBER_H
#define FB_BASE_NUMBER_H

#include <math.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* As doubles: the C library has them as floats. */
#define FB_INFINITY ((double)INFINITY)
#define FB_NAN ((double)NAN)

#define FB_NUMBER_MAX 32 /* room for any number that fb_number_print writes, with the final 0 */

/* Writes x with the fewest digits that read back to the same double; "nan", "inf", "-inf" for
 * those. Returns the length. Integers get no point; -0 is "-0". */
int fb_number_print(char out[FB_NUMBER_MAX], double x);

/* Reads one number at *text (ending before `end`): optional sign, digits, point, exponent, or nan,
 * inf, infinity in any case. Moves *text past it. Returns 1 if there was one, else 0. Does not skip
 * white space. Decimal commas are not numbers. */
int fb_number_scan(const char **text, const char *end, double *x);

/* Reads a whole text as one number, white space allowed around it; 1 or 0. */
int fb_number_parse(const char *text, size_t n, double *x);

#ifdef __cplusplus
}
#endif
#endif
