#include "formats/text.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "libcore/base/number.h"

#define FLUSH_BYTES ((size_t)256 * 1024)

void fb_text_init(fb_text *text, FILE *file) {
    memset(text, 0, sizeof *text);
    text->file = file;
}

void fb_text_free(fb_text *text) {
    fb_free(text->bytes);
    fb_text_init(text, NULL);
}

/* Hands the text over to the file; 0, or -1 if that fails. */
static int write_out(fb_text *text) {
    errno = 0;
    if (fwrite(text->bytes, 1, text->n, text->file) != text->n) {
        text->failed = 1;
        text->error = errno;
    }
    text->n = 0;
    return text->failed ? -1 : 0;
}

/* Room for n more bytes; 0 if there is none. */
static int reserve(fb_text *text, size_t n) {
    if (text->failed) {
        return 0;
    }
    if (text->file && text->n >= FLUSH_BYTES) {
        if (write_out(text) != 0) {
            return 0;
        }
    }
    if (text->n + n <= text->size) {
        return 1;
    }
    size_t size = text->size ? text->size : 4096;
    while (size < text->n + n) {
        size *= 2;
    }
    char *grown = fb_realloc(text->bytes, size);
    if (!grown) {
        text->failed = 2;
        return 0;
    }
    text->bytes = grown;
    text->size = size;
    return 1;
}

void fb_text_add(fb_text *text, const char *bytes, size_t n) {
    if (n == 0 || !reserve(text, n)) {
        return;
    }
    memcpy(text->bytes + text->n, bytes, n);
    text->n += n;
}

void fb_text_puts(fb_text *text, const char *string) {
    fb_text_add(text, string, strlen(string));
}

void fb_text_number(fb_text *text, double x) {
    if (reserve(text, FB_NUMBER_MAX)) {
        text->n += (size_t)fb_number_print(text->bytes + text->n, x);
    }
}

void fb_text_printf(fb_text *text, const char *format, ...) {
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (n >= 0 && reserve(text, (size_t)n + 1)) {
        vsnprintf(text->bytes + text->n, (size_t)n + 1, format, again);
        text->n += (size_t)n;
    }
    va_end(again);
}

fb_status fb_text_flush(fb_text *text) {
    if (!text->failed && text->file && text->n) {
        write_out(text);
    }
    return text->failed == 2 ? FB_E_MEMORY : text->failed ? FB_E_OUTPUT : FB_OK;
}

const char *fb_text_string(fb_text *text) {
    if (!reserve(text, 1)) {
        return NULL;
    }
    text->bytes[text->n] = 0;
    return text->bytes;
}

static fb_status refuse(fb_diag *diag, fb_diag_id id, const char *name, const char *why) {
    fb_diag_add(diag, FB_ERROR, id, (fb_place){name, 0, NULL, NULL}, NULL, "%s", why);
    return id == FB1003 ? FB_E_MEMORY : FB_E_INPUT;
}

static fb_status too_large(fb_diag *diag, const char *name, size_t max_bytes) {
    fb_diag_add(diag, FB_ERROR, FB1002, (fb_place){name, 0, NULL, NULL}, NULL,
                "the file is larger than %.3g MB; --max-size MB allows more",
                ((double)max_bytes + 0.5) / (1024 * 1024));
    return FB_E_INPUT;
}

fb_status fb_read_stream(FILE *in, const char *name, size_t max_bytes, char **bytes, size_t *size,
                         fb_diag *diag) {
    struct stat info;
    size_t capacity = 64 * 1024, n = 0;
    if (fstat(fileno(in), &info) == 0) {
        if (S_ISDIR(info.st_mode)) {
            return refuse(diag, FB1001, name, "this is a directory, not a file");
        }
        if (S_ISREG(info.st_mode)) {
            if ((unsigned long long)info.st_size > max_bytes) {
                return too_large(diag, name, max_bytes);
            }
            capacity = (size_t)info.st_size + 1;
        }
    }
    char *buffer = fb_alloc(capacity);
    if (!buffer) {
        return refuse(diag, FB1003, name, "out of memory");
    }
    for (;;) {
        n += fread(buffer + n, 1, capacity - n, in);
        if (ferror(in)) {
            int error = errno;
            fb_free(buffer);
            return refuse(diag, FB1001, name, strerror(error));
        }
        if (n > max_bytes) {
            fb_free(buffer);
            return too_large(diag, name, max_bytes);
        }
        if (feof(in) && n < capacity) {
            break;
        }
        if (n < capacity) {
            continue;
        }
        char *grown = fb_realloc(buffer, capacity * 2);
        if (!grown) {
            fb_free(buffer);
            return refuse(diag, FB1003, name, "out of memory");
        }
        buffer = grown;
        capacity *= 2;
    }
    buffer[n] = 0;
    *bytes = buffer;
    *size = n;
    return FB_OK;
}

fb_status fb_read_file(const char *file, size_t max_bytes, char **bytes, size_t *size,
                       fb_diag *diag) {
    FILE *in = fopen(file, "rb");
    if (!in) {
        return refuse(diag, FB1001, file, strerror(errno));
    }
    fb_status status = fb_read_stream(in, file, max_bytes, bytes, size, diag);
    fclose(in);
    return status;
}

bool fb_is_file(const char *file) {
    struct stat info;
    return stat(file, &info) == 0 && S_ISREG(info.st_mode);
}

bool fb_file_ends_with(const char *file, const char *ending) {
    size_t n = strlen(file), m = strlen(ending);
    return n >= m && strcasecmp(file + n - m, ending) == 0;
}

char *fb_file_beside(fb_arena *arena, const char *file, const char *name) {
    const char *slash = strrchr(file, '/');
    char *path = name[0] == '/' || !slash
                     ? fb_arena_dup(arena, name)
                     : fb_arena_printf(arena, "%.*s/%s", (int)(slash - file), file, name);
    for (char *c = path; *c; c++) {
        *c = *c == '\\' ? '/' : *c;
    }
    return path;
}
