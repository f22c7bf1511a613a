#define _XOPEN_SOURCE 700
#include "tests/help.h"

#include <CUnit/Basic.h>
#include <dirent.h>
#include <ftw.h>
#include <glob.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- checks ---------------------------------------------------------------------------------- */

/* Counts one check, and prints what went wrong if it failed. */
static bool settle(bool ok, const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static bool settle(bool ok, const char *file, int line, const char *format, ...) {
    char message[2000];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    CU_assertImplementation(ok, (unsigned)line, message, file, "", CU_FALSE);
    return ok;
}

bool fb_check_near(const char *file, int line, const char *what, double got, double want,
                   double abs_tol, double rel_tol) {
    double off = fabs(got - want), allowed = abs_tol + rel_tol * fabs(want);
    bool ok = off <= allowed || (isnan(got) && isnan(want)) || (isinf(want) && got == want);
    return settle(ok, file, line, "%s: got %.17g, want %.17g, off by %.3g, allowed %.3g", what, got,
                  want, off, allowed);
}

bool fb_check_same(const char *file, int line, const char *what, double got, double want) {
    bool ok = memcmp(&got, &want, sizeof got) == 0 || (isnan(got) && isnan(want));
    return settle(ok, file, line, "%s: got %.17g, want the same double as %.17g", what, got, want);
}

bool fb_check_int(const char *file, int line, const char *what, long long got, long long want) {
    return settle(got == want, file, line, "%s: got %lld, want %lld", what, got, want);
}

bool fb_check_str(const char *file, int line, const char *what, const char *got, const char *want) {
    bool ok = got && want ? strcmp(got, want) == 0 : got == want;
    return settle(ok, file, line, "%s: got \"%.700s\", want \"%.700s\"", what, got ? got : "(NULL)",
                  want ? want : "(NULL)");
}

bool fb_check_holds(const char *file, int line, const char *what, const char *text,
                    const char *part) {
    bool ok = text && strstr(text, part);
    return settle(ok, file, line, "%s: want \"%.500s\" somewhere in \"%.1000s\"", what, part,
                  text ? text : "(NULL)");
}

bool fb_check_true(const char *file, int line, const char *what, bool condition, const char *format,
                   ...) {
    char more[1000];
    va_list args;
    va_start(args, format);
    vsnprintf(more, sizeof more, format, args);
    va_end(args);
    return settle(condition, file, line, "%s: %s", what, more);
}

/* All records as one text, for a failed check. */
static const char *list_records(const fb_diag *diag) {
    static char text[1500];
    size_t n = 0;
    text[0] = 0;
    for (size_t i = 0; i < diag->n && n + 200 < sizeof text; i++) {
        n += (size_t)snprintf(text + n, sizeof text - n, "\n      %d: %s %s %.150s",
                              diag->records[i].line, fb_action_word(diag->records[i].action),
                              fb_diag_name(diag->records[i].id), diag->records[i].message);
    }
    return n ? text : " none";
}

const fb_record *fb_check_record(const char *file, int line, const fb_diag *diag, fb_action action,
                                 fb_diag_id id, int record_line) {
    const fb_record *found = NULL;
    for (size_t i = 0; i < diag->n && !found; i++) {
        if (diag->records[i].id == id && diag->records[i].action == action &&
            (record_line < 0 || diag->records[i].line == record_line)) {
            found = &diag->records[i];
        }
    }
    settle(found != NULL, file, line, "want a record '%s' %s at line %d, got:%s",
           fb_action_word(action), fb_diag_name(id), record_line, found ? "" : list_records(diag));
    return found;
}

bool fb_check_no_record(const char *file, int line, const fb_diag *diag, fb_diag_id id) {
    bool found = false;
    for (size_t i = 0; i < diag->n; i++) {
        found = found || diag->records[i].id == id;
    }
    return settle(!found, file, line, "want no record %s, got:%s", fb_diag_name(id),
                  found ? list_records(diag) : "");
}

/* ---- suites ---------------------------------------------------------------------------------- */

int fb_test_main(const char *suite, const fb_test *tests, int argc, char **argv) {
    const char *filter = argc > 1 ? argv[1] : "";
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (CU_initialize_registry() != CUE_SUCCESS) {
        return 70;
    }
    CU_pSuite all = CU_add_suite(suite, NULL, NULL);
    for (const fb_test *test = tests; all && test->name; test++) {
        if (strstr(test->name, filter)) {
            CU_add_test(all, test->name, test->run);
        }
    }
    CU_basic_set_mode(CU_BRM_NORMAL);
    CU_basic_run_tests();
    unsigned failures = CU_get_number_of_failures();
    unsigned run = CU_get_number_of_tests_run();
    CU_cleanup_registry();
    if (run == 0) {
        fprintf(stderr, "no test of %s has '%s' in its name\n", suite, filter);
        return 2;
    }
    return failures < 99 ? (int)failures : 99;
}

long fb_test_setting(const char *name, long missing) {
    const char *text = getenv(name);
    return text && *text ? strtol(text, NULL, 10) : missing;
}

bool fb_test_is_fast(void) {
#if defined(__SANITIZE_ADDRESS__) || !defined(__OPTIMIZE__)
    return false;
#else
    const char *wrapper = getenv("FB_WRAPPER");
    return !wrapper || !*wrapper;
#endif
}

unsigned long long fb_test_seed(void) {
    static int said;
    const char *text = getenv("FB_SEED");
    unsigned long long seed = text && *text ? strtoull(text, NULL, 10) : 20240607;
    if (!said++) {
        printf("    FB_SEED=%llu\n", seed);
    }
    return seed ? seed : 1;
}

unsigned long long fb_random(unsigned long long *state) {
    unsigned long long x = *state; /* S. Vigna 2016, xorshift64* */
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    *state = x;
    return x * 2685821657736338717u;
}

double fb_random_between(unsigned long long *state, double low, double high) {
    return low + (high - low) * (double)(fb_random(state) % 1000003) / 1000003;
}

/* ---- models and documents -------------------------------------------------------------------- */

char *fb_test_bytes(const char *bytes, size_t n) {
    char *copy = fb_alloc(n);
    if (!copy) {
        abort();
    }
    if (n) {
        memcpy(copy, bytes, n);
    }
    return copy;
}

char *fb_test_quotes(char *text) {
    for (char *c = text; *c; c++) {
        *c = *c == '\'' ? '"' : *c;
    }
    return text;
}

fb_model *fb_test_osim(const char *text, fb_diag *diag, fb_status *status) {
    fb_model *model;
    fb_diag_init(diag);
    size_t n = strlen(text);
    fb_status s = fb_osim_read(&model, fb_test_bytes(text, n), n, "test.osim", NULL, diag);
    if (status) {
        *status = s;
    }
    return model;
}

fb_model *fb_test_fb(const char *text, fb_diag *diag, fb_status *status) {
    fb_model *model;
    fb_diag_init(diag);
    size_t n = strlen(text);
    char *bytes = fb_test_bytes(text, n);
    fb_status s = fb_document_read(&model, bytes, n, "test.fb", diag);
    fb_free(bytes);
    if (status) {
        *status = s;
    }
    return model;
}

/* A text's string as malloc'ed memory. */
static char *take_text(fb_text *text) {
    const char *string = fb_text_string(text);
    char *copy = strdup(string ? string : "");
    fb_text_free(text);
    return copy;
}

char *fb_test_to_fb(const fb_model *model) {
    fb_text text;
    fb_text_init(&text, NULL);
    fb_document_write(model, &text);
    char *json = take_text(&text);
    fb_test_store(json, strlen(json));
    return json;
}

char *fb_test_to_osim(const fb_model *model, int version) {
    fb_text text;
    fb_diag diag;
    fb_text_init(&text, NULL);
    fb_diag_init(&diag);
    FB_EQUAL_INT(fb_osim_write(model, version, &text, &diag), FB_OK);
    fb_diag_clear(&diag);
    return take_text(&text);
}

char *fb_test_document(int version, const char *inside) {
    size_t n = strlen(inside) + 200;
    char *text = malloc(n);
    if (!text) {
        abort();
    }
    snprintf(
        text, n,
        "<OpenSimDocument Version=\"%d\"><Model name=\"test\">\n%s\n</Model></OpenSimDocument>\n",
        version, inside);
    return text;
}

fb_model *fb_test_must(fb_model *model, const fb_diag *diag) {
    FB_TRUE(model != NULL, "the model is not read:%s", list_records(diag));
    return model ? model : fb_model_new();
}

/* An element that stands for one that is missing. */
static const fb_element *nothing(void) {
    static fb_class none = {"(none)", NULL, NULL, FB_ANY, NULL, 0, NULL};
    static fb_element element = {.cls = &none, .name = "(none)", .path = "(none)"};
    return &element;
}

const fb_element *fb_test_find(const fb_model *model, const char *path) {
    const fb_element *element = model ? fb_model_find(model, FB_ANY, path) : NULL;
    FB_TRUE(element != NULL, "there is no %s", path);
    return element ? element : nothing();
}

const fb_element *fb_test_item(const fb_element *element, const char *key, int i) {
    const fb_value *value = fb_get(element, key);
    bool there = value && i < value->n;
    FB_TRUE(there, "%s has no %s number %d", element->path ? element->path : element->cls->name,
            key, i);
    return there ? value->as.objects[i] : nothing();
}

const char *fb_test_target(const fb_element *element, const char *key) {
    const fb_element *target = fb_get_target(element, key);
    return target ? target->path : NULL;
}

static void store(const char *folder, const char *ending, const char *json, size_t n) {
    uint64_t h = 14695981039346656037u; /* FNV-1a: the same document has the same name */
    for (size_t i = 0; i < n; i++) {
        h = (h ^ (unsigned char)json[i]) * 1099511628211u;
    }
    char name[40];
    snprintf(name, sizeof name, "%016" PRIx64 "%s", h, ending);
    fb_test_write_file(fb_test_path(folder, name), json, n);
}

void fb_test_store(const char *json, size_t n) {
    const char *folder = getenv("FB_TEST_DOCUMENTS");
    if (folder && *folder) {
        store(folder, ".fb", json, n);
    }
}

void fb_test_store_as(const char *kind, const char *json, size_t n) {
    const char *folder = getenv("FB_TEST_DOCUMENTS");
    char own[1000];
    if (folder && *folder) {
        snprintf(own, sizeof own, "%s.%s", folder, kind);
        store(own, ".json", json, n);
    }
}

/* ---- tools ----------------------------------------------------------------------------------- */

static char *read_back(FILE *file, size_t *size) {
    size_t n = 0, capacity = 4096, got;
    char *text = malloc(capacity);
    rewind(file);
    while (text && (got = fread(text + n, 1, capacity - n - 1, file)) > 0) {
        n += got;
        if (n + 1 == capacity) {
            text = realloc(text, capacity *= 2);
        }
    }
    if (!text) {
        abort();
    }
    text[n] = 0;
    fclose(file);
    if (size) {
        *size = n;
    }
    return text;
}

fb_run fb_test_run(fb_tool_main *tool, const char *input, const char *const *args) {
    fb_run run = {0};
    char *argv[32];
    int argc = 0;
    for (; args[argc] && argc < 31; argc++) {
        argv[argc] = strdup(args[argc]);
    }
    argv[argc] = NULL;
    char *originals[32]; /* getopt moves the pointers about */
    memcpy(originals, argv, sizeof originals);
    FILE *in = tmpfile(), *out = tmpfile(), *err = tmpfile();
    if (!in || !out || !err) {
        abort();
    }
    if (input) {
        fwrite(input, 1, strlen(input), in);
    }
    rewind(in);
    run.status = tool(argc, argv, in, out, err);
    fclose(in);
    run.out = read_back(out, &run.n_out);
    run.err = read_back(err, NULL);
    for (int i = 0; i < argc; i++) {
        free(originals[i]);
    }
    if (run.status == 0 && strncmp(run.out, "{\n  \"fb\"", 8) == 0) {
        fb_test_store(run.out, run.n_out);
    }
    return run;
}

void fb_run_free(fb_run *run) {
    free(run->out);
    free(run->err);
    memset(run, 0, sizeof *run);
}

/* ---- files ----------------------------------------------------------------------------------- */

char *fb_test_read_file(const char *file, size_t *size) {
    fb_diag diag;
    char *bytes = NULL;
    fb_diag_init(&diag);
    if (fb_read_file(file, FB_MAX_BYTES, &bytes, size, &diag) != FB_OK) {
        bytes = NULL;
    }
    fb_diag_clear(&diag);
    return bytes;
}

void fb_test_write_file(const char *file, const char *bytes, size_t n) {
    FILE *out = fopen(file, "wb");
    bool ok = out && fwrite(bytes, 1, n, out) == n;
    if (out) {
        ok = fclose(out) == 0 && ok;
    }
    if (!ok) {
        fprintf(stderr, "tests: %s cannot be written\n", file);
    }
}

static char folders[64][64];
static int n_folders;
static pid_t owner; /* a child that ends must not remove the folders of its parent */

static int remove_one(const char *path, const struct stat *info, int type, struct FTW *at) {
    (void)info;
    (void)type;
    (void)at;
    return remove(path);
}

static void remove_folders(void) {
    if (getpid() != owner) {
        return;
    }
    for (int i = 0; i < n_folders; i++) {
        nftw(folders[i], remove_one, 8, FTW_DEPTH | FTW_PHYS);
    }
}

const char *fb_test_folder(void) {
    if (n_folders == 64) {
        abort();
    }
    if (n_folders == 0) {
        owner = getpid();
        atexit(remove_folders);
    }
    const char *base = getenv("TMPDIR");
    char *folder = folders[n_folders];
    snprintf(folder, sizeof folders[0], "%.40s/fbtest.XXXXXX", base && *base ? base : "/tmp");
    if (!mkdtemp(folder)) {
        abort();
    }
    n_folders++;
    return folder;
}

const char *fb_test_path(const char *folder, const char *name) {
    static char paths[8][1024];
    static int next;
    char *path = paths[next++ % 8];
    snprintf(path, sizeof paths[0], "%.700s/%.300s", folder, name);
    return path;
}

int fb_test_count_files(const char *folder) {
    DIR *dir = opendir(folder);
    int n = 0;
    for (struct dirent *entry; dir && (entry = readdir(dir)) != NULL;) {
        n += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    }
    if (dir) {
        closedir(dir);
    }
    return n;
}

const char *fb_test_glob(const char *pattern, int i) {
    static glob_t found;
    static char last[256];
    if (strcmp(last, pattern) != 0) {
        if (last[0]) {
            globfree(&found);
        }
        snprintf(last, sizeof last, "%s", pattern);
        if (glob(pattern, 0, NULL, &found) != 0) {
            found.gl_pathc = 0;
        }
    }
    return (size_t)i < found.gl_pathc ? found.gl_pathv[i] : NULL;
}
