/* libFuzzer: bytes as an .osim. What is read must survive being checked, written as .osim and as
 * .fb, and both must be read again. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/fb.h"
#include "formats/osim.h"
#include "libcore/model/check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const fb_osim_options options = {
    .max_bytes = 1024 * 1024}; /* of included files, such as /dev/zero */

static char *copy_of(const void *data, size_t size) {
    char *bytes = fb_alloc(size);
    if (!bytes) {
        abort();
    }
    if (size) {
        memcpy(bytes, data, size);
    }
    return bytes;
}

static void expect(bool ok, const char *what, const fb_diag *diag) {
    if (ok) {
        return;
    }
    fprintf(stderr, "fuzz: %s\n", what);
    for (size_t i = 0; i < diag->n; i++) {
        if (diag->records[i].action == FB_ERROR) {
            fprintf(stderr, "fuzz: line %d: %s\n", diag->records[i].line, diag->records[i].message);
        }
    }
    abort();
}

/* Reads what was written; it must be accepted. */
static void read_osim_again(const fb_text *text) {
    fb_model *model;
    fb_diag diag;
    fb_diag_init(&diag);
    fb_status status = fb_osim_read(&model, copy_of(text->bytes, text->n), text->n, "written.osim",
                                    &options, &diag);
    expect(status == FB_OK, "the .osim that was written is refused", &diag);
    fb_model_free(model);
    fb_diag_clear(&diag);
}

static void read_fb_again(const fb_text *text) {
    fb_model *model;
    fb_diag diag;
    fb_diag_init(&diag);
    char *bytes = copy_of(text->bytes, text->n); /* exactly sized */
    expect(fb_document_read(&model, bytes, text->n, "written.fb", &diag) == FB_OK,
           "the .fb that was written is refused", &diag);
    fb_free(bytes);
    fb_model_free(model);
    fb_diag_clear(&diag);
}

static void write_and_read(const fb_model *model, fb_diag *diag) {
    fb_text text;
    fb_text_init(&text, NULL);
    expect(fb_osim_write(model, FB_OSIM_WRITTEN, &text, diag) == FB_OK,
           "it cannot be written as .osim", diag);
    read_osim_again(&text);
    fb_text_free(&text);
    fb_document_write(model, &text);
    expect(!text.failed, "it cannot be written as .fb", diag);
    read_fb_again(&text);
    fb_text_free(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fb_model *model;
    fb_diag diag;
    fb_diag_init(&diag);
    if (fb_osim_read(&model, copy_of(data, size), size, "fuzz.osim", &options, &diag) == FB_OK) {
        fb_model_check(model, &diag);
        write_and_read(model, &diag);
    } else {
        expect(model == NULL, "refused, but there is a model", &diag);
        expect(diag.counts[FB_ERROR] > 0, "refused without a reason", &diag);
    }
    fb_model_free(model);
    fb_diag_clear(&diag);
    return 0;
}
