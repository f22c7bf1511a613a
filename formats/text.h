/* A growing text that is written in one go: output is complete or not at all. Reading files, and
 * their names. */
#ifndef FB_FORMATS_TEXT_H
#define FB_FORMATS_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "libcore/base/arena.h"
#include "libcore/base/diag.h"

#ifdef __cplusplus
extern "C" {
#endif

#define FB_MAX_BYTES ((size_t)256 * 1024 * 1024) /* the default of --max-size */

/* Text goes to `file` in large pieces if there is one, else it stays in `bytes`. */
typedef struct fb_text {
    char *bytes; /* not 0-terminated until fb_text_string */
    size_t n, size;
    FILE *file;
    int failed; /* memory ran out or writing failed; all later calls do nothing */
    int error;  /* errno of the write that failed */
} fb_text;

void fb_text_init(fb_text *text, FILE *file);
void fb_text_free(fb_text *text);
void fb_text_add(fb_text *text, const char *bytes, size_t n);
void fb_text_puts(fb_text *text, const char *string);
void fb_text_number(fb_text *text, double x);
void fb_text_printf(fb_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Writes what is left to the file; FB_E_OUTPUT or FB_E_MEMORY if anything failed. */
fb_status fb_text_flush(fb_text *text);
/* The text as a C string, owned by `text`; NULL if memory ran out. Only without a file. */
const char *fb_text_string(fb_text *text);

/* All bytes of a file, or of standard input for "-", with a 0 after them: *bytes from fb_alloc.
 * Fails with one clear record in `diag`: no such file, a directory, no permission, larger than
 * max_bytes (found before reading, for files), memory. */
fb_status fb_read_file(const char *file, size_t max_bytes, char **bytes, size_t *size,
                       fb_diag *diag);
fb_status fb_read_stream(FILE *in, const char *name, size_t max_bytes, char **bytes, size_t *size,
                         fb_diag *diag);

/* True for a plain file that is there. */
bool fb_is_file(const char *file);
/* True if a file's name ends so (".xml"), in letters of either case. */
bool fb_file_ends_with(const char *file, const char *ending);
/* The file `name` that another one names: relative to that one's folder, with '\' as '/'. In the
 * arena. */
char *fb_file_beside(fb_arena *arena, const char *file, const char *name);

#ifdef __cplusplus
}
#endif
#endif
