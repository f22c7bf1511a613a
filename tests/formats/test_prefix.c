/* Every prefix of a document is read or refused with a reason, from a block of exactly its size:
 * what a download that broke off, or a full disk, leaves behind. */
#include <stdlib.h>
#include <string.h>

#include "libcore/model/check.h"
#include "tests/help.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SLOW 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define SLOW 1
#endif
#ifndef SLOW
#define SLOW 0
#endif

#define SMALL 4096 /* bytes; of larger files only some prefixes are read */

typedef enum kind { OSIM, FB } kind;

/* Checks one reading of n bytes; false if something is wrong. */
static bool read_prefix(kind what, const char *text, size_t n, const char *file) {
    fb_model *model;
    fb_diag diag;
    fb_status status;
    fb_diag_init(&diag);
    char *bytes = fb_test_bytes(text, n);
    if (what == OSIM) {
        status = fb_osim_read(&model, bytes, n, file, NULL, &diag);
    } else {
        status = fb_document_read(&model, bytes, n, file, &diag);
        fb_free(bytes);
    }
    long errors = diag.counts[FB_ERROR];
    bool ok = status == FB_OK ? model != NULL && errors == 0
                              : status == FB_E_INPUT && model == NULL && errors > 0 && diag.n > 0;
    FB_TRUE(ok, "%s, the first %zu bytes: status %d, %s model, %ld errors: %s", file, n,
            (int)status, model ? "a" : "no", errors,
            diag.n ? diag.records[0].message : "no message");
    if (model) {
        fb_model_check(model, &diag);
    }
    fb_model_free(model);
    fb_diag_clear(&diag);
    return ok;
}

/* All prefixes, or every step-th and the last few. */
static long read_prefixes(kind what, const char *text, size_t size, const char *file) {
    bool quick = SLOW || fb_test_setting("FB_QUICK", 0) != 0;
    size_t step = size < SMALL ? 1 : 5;
    if (quick) {
        step = step * 5 + 1;
    }
    long runs = 0;
    int wrong = 0;
    for (size_t n = 0; n <= size && wrong < 3; n += n + 40 >= size ? 1 : step) {
        wrong += !read_prefix(what, text, n, file);
        runs++;
    }
    return runs;
}

static void reads_every_prefix_of_osim(void) {
    const char *file;
    long runs = 0;
    int i = 0;
    for (; (file = fb_test_glob("models/gallery/*.osim", i)) != NULL; i++) {
        size_t size;
        char *text = fb_test_read_file(file, &size);
        FB_TRUE(text != NULL, "%s can be read", file);
        if (text) {
            runs += read_prefixes(OSIM, text, size, file);
        }
        fb_free(text);
    }
    FB_TRUE(i >= 20, "the gallery has %d models", i);
    printf("    %ld prefixes of %d files\n", runs, i);
}

/* The model in a file as .fb, or NULL: free() it. */
static char *as_fb(const char *file) {
    size_t size;
    char *bytes = fb_test_read_file(file, &size), *json = NULL;
    fb_model *model;
    fb_diag diag;
    fb_diag_init(&diag);
    if (bytes && fb_osim_read(&model, bytes, size, file, NULL, &diag) == FB_OK) {
        json = fb_test_to_fb(model);
        fb_model_free(model);
    }
    fb_diag_clear(&diag);
    return json;
}

static void reads_every_prefix_of_fb(void) {
    const char *file;
    long runs = 0;
    for (int i = 0; (file = fb_test_glob("models/gallery/*.osim", i)) != NULL; i++) {
        char *json = as_fb(file);
        FB_TRUE(json != NULL, "%s can be read", file);
        if (json) {
            runs += read_prefixes(FB, json, strlen(json), file);
        }
        free(json);
    }
    printf("    %ld prefixes\n", runs);
}

/* Bytes that are no text at all, and text in other encodings. */
static void reads_short_odd_bytes(void) {
    static const struct {
        const char *bytes;
        size_t n;
    } odd[] = {{"", 0},
               {"\0", 1},
               {"\xFF\xFE", 2},
               {"\xFE\xFF", 2},
               {"\xEF\xBB\xBF", 3},
               {"\xEF", 1},
               {"\xFF\xFE<\0", 4},
               {"\xFE\xFF\0<", 4},
               {"<", 1},
               {"&", 1},
               {"\0<M/>", 5},
               {"<M/>\0", 5},
               {"<\0/>", 4},
               {"{", 1},
               {"\"", 1},
               {"{\"", 2},
               {"[", 1},
               {"\x1F\x8B", 2},
               {"PK\x03\x04", 4},
               {"\n\n\n", 3}};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        read_prefix(OSIM, odd[i].bytes, odd[i].n, "odd.osim");
        read_prefix(FB, odd[i].bytes, odd[i].n, "odd.fb");
    }
}

/* Either kind, told apart by content, with nothing behind the last byte. */
static void tells_prefixes_apart(void) {
    static const char *const texts[] = {"\xEF\xBB\xBF {\"fb\": \"1.0\"}",
                                        "\xEF\xBB\xBF<Model name=\"m\"/>", " \t\r\n[1]",
                                        " \t\r\n<Model/>"};
    for (int i = 0; i < 4; i++) {
        for (size_t n = 0; n <= strlen(texts[i]); n++) {
            fb_model *model;
            fb_diag diag;
            fb_diag_init(&diag);
            fb_status status = fb_model_read(&model, fb_test_bytes(texts[i], n), n, "test.osim",
                                             FB_MAX_BYTES, &diag);
            FB_TRUE(status == FB_OK || (status == FB_E_INPUT && diag.counts[FB_ERROR] > 0),
                    "text %d, %zu bytes: status %d", i, n, (int)status);
            fb_model_free(model);
            fb_diag_clear(&diag);
        }
    }
}

int main(int argc, char **argv) {
    static const fb_test tests[] = {
        FB_TEST(reads_every_prefix_of_osim),
        FB_TEST(reads_every_prefix_of_fb),
        FB_TEST(reads_short_odd_bytes),
        FB_TEST(tells_prefixes_apart),
        FB_TEST_END,
    };
    return fb_test_main("prefixes", tests, argc, argv);
}
