/* Prints the documents that follow from the tables in the code: generate
 * schema|bundles|classes|errors. */
#include <string.h>

#include "formats/bundle_spec.h"
#include "formats/fb.h"

static void write_errors(fb_text *out) {
    fb_text_puts(
        out,
        "# Messages\n\nEach message ends with an id in brackets, which does not change between "
        "versions. Made by `make docs`.\n\n| id | what it is about |\n|---|---|\n");
    for (int i = 0; i < FB_DIAG_ID_COUNT; i++) {
        fb_text_printf(out, "| %s | %s |\n", fb_diag_name((fb_diag_id)i),
                       fb_diag_text((fb_diag_id)i));
    }
}

int main(int argc, char **argv) {
    fb_text out;
    fb_text_init(&out, stdout);
    const char *what = argc == 2 ? argv[1] : "";
    if (strcmp(what, "schema") == 0) {
        fb_schema_write(&out);
    } else if (strcmp(what, "bundles") == 0) {
        fb_bundle_schema_write(&out);
    } else if (strcmp(what, "classes") == 0) {
        fb_classes_write(&out);
    } else if (strcmp(what, "errors") == 0) {
        write_errors(&out);
    } else {
        return 2;
    }
    int failed = fb_text_flush(&out) != FB_OK;
    fb_text_free(&out);
    return failed;
}
