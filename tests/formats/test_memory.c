/* Memory that runs out: each allocation of a reader, a writer, a check or a comparison fails in
 * turn. Each time there must be an error status or a flag that says so, no crash, and (with
 * sanitizers) no leak. */
#include <stdlib.h>
#include <string.h>

#include "libcore/model/check.h"
#include "libcore/model/diff.h"
#include "tests/help.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define LEAKS 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define LEAKS 1
#endif
#ifdef LEAKS
#include <sanitizer/lsan_interface.h>
#endif

/* Small models of many kinds, old and new, one that includes other files, and a larger one. */
static const char *const files[] = {
    "models/gallery/include.osim",
    "models/gallery/plugin.osim",
    "models/gallery/comments.osim",
    "models/gallery/numbers.osim",
    "models/gallery/old_10500.osim",
    "models/gallery/old_20302.osim",
    "models/gallery/old_30516.osim",
    "models/gallery/functions.osim",
    "models/gallery/joints_special.osim",
    "models/gallery/muscles_old.osim",
    "models/gallery/paths.osim",
    "models/gallery/wraps.osim",
    "models/elbow/elbow.osim",
};
#define FILES ((int)(sizeof files / sizeof *files))

/* What an operation works on, made while there is memory. */
typedef struct subject {
    const char *file;
    char *osim, *json;
    size_t osim_size, json_size;
    fb_model *model, *other;
} subject;

typedef struct operation {
    const char *name;
    bool (*run)(const subject *s); /* false if it says that something failed */
} operation;

/* ---- operations ------------------------------------------------------------------------------ */

/* Only success has a model. A status other than FB_E_MEMORY will do if the flag is set. */
static bool settle(fb_status status, fb_model *model, fb_diag *diag) {
    bool ok = status == FB_OK && !diag->out_of_memory;
    if ((status == FB_OK) != (model != NULL)) {
        FB_TRUE(false, "status %d, but %s model", (int)status, model ? "a" : "no");
    }
    if (status != FB_OK && status != FB_E_MEMORY && !diag->out_of_memory) {
        FB_TRUE(false, "status %d: %s", (int)status,
                diag->n ? diag->records[0].message : "no message");
    }
    fb_model_free(model);
    fb_diag_clear(diag);
    return ok;
}

static char *osim_bytes; /* set before each run, taken over by the reader */

static bool read_osim(const subject *s) {
    fb_model *model;
    fb_diag diag;
    fb_diag_init(&diag);
    fb_status status = fb_osim_read(&model, osim_bytes, s->osim_size, s->file, NULL, &diag);
    return settle(status, model, &diag);
}

static bool read_json(const subject *s) {
    fb_model *model;
    fb_diag diag;
    fb_diag_init(&diag);
    fb_status status = fb_document_read(&model, s->json, s->json_size, s->file, &diag);
    return settle(status, model, &diag);
}

static bool write_osim_version(const subject *s, int version) {
    fb_text text;
    fb_diag diag;
    fb_text_init(&text, NULL);
    fb_diag_init(&diag);
    fb_status status = fb_osim_write(s->model, version, &text, &diag);
    bool ok = status == FB_OK && !text.failed && !diag.out_of_memory;
    fb_diag_clear(&diag);
    fb_text_free(&text);
    return ok;
}

static bool write_osim(const subject *s) {
    return write_osim_version(s, FB_OSIM_WRITTEN);
}

static bool write_osim_old(const subject *s) {
    return write_osim_version(s, 40000);
}

static bool write_json(const subject *s) {
    fb_text text;
    fb_text_init(&text, NULL);
    fb_document_write(s->model, &text);
    bool ok = !text.failed && fb_text_string(&text) != NULL;
    fb_text_free(&text);
    return ok;
}

static bool check(const subject *s) {
    fb_diag diag;
    fb_diag_init(&diag);
    fb_model_check(s->model, &diag);
    bool ok = !diag.out_of_memory;
    fb_diag_clear(&diag);
    return ok;
}

static void forget(const fb_difference *difference, void *context) {
    (void)difference;
    (void)context;
}

static bool diff(const subject *s) {
    return fb_model_diff(s->model, s->other, 0, forget, NULL) >= 0;
}

/* ---- the loop -------------------------------------------------------------------------------- */

static bool prepare(subject *s, const char *file, const char *other) {
    fb_diag diag;
    size_t size;
    *s = (subject){.file = file};
    s->osim = fb_test_read_file(file, &s->osim_size);
    char *bytes = fb_test_read_file(other, &size);
    if (!s->osim || !bytes) {
        return false;
    }
    fb_diag_init(&diag);
    fb_osim_read(&s->model, fb_test_bytes(s->osim, s->osim_size), s->osim_size, file, NULL, &diag);
    fb_osim_read(&s->other, bytes, size, other, NULL, &diag);
    fb_diag_clear(&diag);
    if (!s->model || !s->other) {
        return false;
    }
    s->json = fb_test_to_fb(s->model);
    s->json_size = strlen(s->json);
    return true;
}

static void clear(subject *s) {
    fb_model_free(s->model);
    fb_model_free(s->other);
    fb_free(s->osim);
    free(s->json);
}

/* Runs an operation with its n-th allocation, and all after it, refused. Returns false when it
 * asked for fewer than n. */
static bool run_failing(const operation *op, const subject *s, long n) {
    bool reads = op->run == read_osim;
    osim_bytes = reads ? fb_test_bytes(s->osim, s->osim_size) : NULL;
    fb_alloc_fail_at(n);
    bool ok = op->run(s);
    long asked = fb_alloc_fail_at(0);
    bool refused = asked >= n;
    FB_TRUE(ok == !refused, "%s of %s: allocation %ld of %ld %s, it says it %s", op->name, s->file,
            n, asked, refused ? "refused" : "not refused", ok ? "succeeded" : "failed");
    return refused;
}

static void fail_in_turn(const operation *op, const subject *s) {
    long step = s->osim_size < 16 * 1024 ? 1 : 7, n = 1;
    while (run_failing(op, s, n)) {
        n += step;
    }
    if (fb_test_setting("FB_VERBOSE", 0)) {
        printf("    %s of %s: %ld allocations\n", op->name, s->file, n - 1);
    }
}

static void all_files(const char *name, bool (*run)(const subject *)) {
    operation op = {name, run};
    for (int i = 0; i < FILES; i++) {
        subject s;
        bool ready = prepare(&s, files[i], files[(i + 1) % FILES]);
        FB_TRUE(ready, "%s can be read", files[i]);
        if (ready) {
            fail_in_turn(&op, &s);
        }
        clear(&s);
    }
#ifdef LEAKS
    FB_TRUE(__lsan_do_recoverable_leak_check() == 0, "%s leaks", name);
#endif
}

static void reading_osim(void) {
    all_files("fb_osim_read", read_osim);
}
static void reading_json(void) {
    all_files("fb_document_read", read_json);
}
static void writing_osim(void) {
    all_files("fb_osim_write", write_osim);
}
static void writing_osim_of_an_old_version(void) {
    all_files("fb_osim_write to 40000", write_osim_old);
}
static void writing_json(void) {
    all_files("fb_document_write", write_json);
}
static void checking(void) {
    all_files("fb_model_check", check);
}
static void comparing(void) {
    all_files("fb_model_diff", diff);
}

int main(int argc, char **argv) {
    static const fb_test tests[] = {
        FB_TEST(reading_osim), FB_TEST(reading_json),
        FB_TEST(writing_osim), FB_TEST(writing_osim_of_an_old_version),
        FB_TEST(writing_json), FB_TEST(checking),
        FB_TEST(comparing),    FB_TEST_END,
    };
    return fb_test_main("memory", tests, argc, argv);
}
