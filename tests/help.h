/* What all tests share, over CUnit: checks that print both values, a main function for one suite,
 * models from inline text, tools run in the test's own process, files and folders.
 *
 * A check that fails is counted and the test goes on; it prints file, line, expression, the value
 * got and the value wanted. */
#ifndef FB_TESTS_HELP_H
#define FB_TESTS_HELP_H

#include <stdbool.h>
#include <stdio.h>

#include "formats/fb.h"
#include "formats/osim.h"

/* ---- checks ---------------------------------------------------------------------------------- */

/* |got - want| <= abs_tol + rel_tol * |want|; nan equals nan. */
#define FB_NEAR(GOT, WANT, ABS_TOL, REL_TOL) \
    fb_check_near(__FILE__, __LINE__, #GOT, (GOT), (WANT), (ABS_TOL), (REL_TOL))
/* The same double, bit for bit; any nan equals any other. */
#define FB_SAME(GOT, WANT) fb_check_same(__FILE__, __LINE__, #GOT, (GOT), (WANT))
#define FB_EQUAL_INT(GOT, WANT) \
    fb_check_int(__FILE__, __LINE__, #GOT, (long long)(GOT), (long long)(WANT))
/* Two strings, either of which may be NULL. */
#define FB_EQUAL_STR(GOT, WANT) fb_check_str(__FILE__, __LINE__, #GOT, (GOT), (WANT))
/* `part` stands somewhere in a text. */
#define FB_HOLDS(TEXT, PART) fb_check_holds(__FILE__, __LINE__, #TEXT, (TEXT), (PART))
/* A condition, and a printf text that says more if it is false. */
#define FB_TRUE(CONDITION, ...) \
    fb_check_true(__FILE__, __LINE__, #CONDITION, (CONDITION), __VA_ARGS__)
/* A diagnosis has a record of that action, id and line (-1: any line). The record, or NULL. */
#define FB_RECORD(DIAG, ACTION, ID, LINE) \
    fb_check_record(__FILE__, __LINE__, (DIAG), (ACTION), (ID), (LINE))
/* A diagnosis has no record with that id. */
#define FB_NO_RECORD(DIAG, ID) fb_check_no_record(__FILE__, __LINE__, (DIAG), (ID))

/* Each returns whether the check held. */
bool fb_check_near(const char *file, int line, const char *what, double got, double want,
                   double abs_tol, double rel_tol);
bool fb_check_same(const char *file, int line, const char *what, double got, double want);
bool fb_check_int(const char *file, int line, const char *what, long long got, long long want);
bool fb_check_str(const char *file, int line, const char *what, const char *got, const char *want);
bool fb_check_holds(const char *file, int line, const char *what, const char *text,
                    const char *part);
bool fb_check_true(const char *file, int line, const char *what, bool condition, const char *format,
                   ...) __attribute__((format(printf, 5, 6)));
const fb_record *fb_check_record(const char *file, int line, const fb_diag *diag, fb_action action,
                                 fb_diag_id id, int record_line);
bool fb_check_no_record(const char *file, int line, const fb_diag *diag, fb_diag_id id);

/* ---- suites ---------------------------------------------------------------------------------- */

typedef struct fb_test {
    const char *name;
    void (*run)(void);
} fb_test;

#define FB_TEST(FUNCTION) \
    { #FUNCTION, FUNCTION }
#define FB_TEST_END \
    { NULL, NULL }

/* Runs the tests (ending with a NULL name) whose names hold argv[1], or all; prints CUnit's
 * summary. Returns the number of failed checks, at most 99: what main is to return. */
int fb_test_main(const char *suite, const fb_test *tests, int argc, char **argv);

/* The seed of random tests: $FB_SEED or a fixed one; printed once. */
unsigned long long fb_test_seed(void);
/* The next number of a sequence (xorshift64*). */
unsigned long long fb_random(unsigned long long *state);
/* The same as a number from low up to high. */
double fb_random_between(unsigned long long *state, double low, double high);
/* $NAME as a number, or `missing`. */
long fb_test_setting(const char *name, long missing);
/* False under sanitizers, coverage and wrappers, where times mean nothing and less is to be tried.
 */
bool fb_test_is_fast(void);

/* ---- models and documents -------------------------------------------------------------------- */

/* n bytes from fb_alloc, exactly, without a 0 behind them, so that sanitizers see one byte too far.
 */
char *fb_test_bytes(const char *bytes, size_t n);
/* Every ' of a text becomes ", so that documents in C are easier to read. Returns the text. */
char *fb_test_quotes(char *text);
/* A model from the text of an .osim or a .fb; `diag` is initialised here, to be cleared by the
 * caller. NULL if it is refused; the status goes to *status unless NULL. The file is called
 * "test.osim". */
fb_model *fb_test_osim(const char *text, fb_diag *diag, fb_status *status);
fb_model *fb_test_fb(const char *text, fb_diag *diag, fb_status *status);
/* The model as .fb, as .osim of a version: free() it. Documents are stored (fb_test_store). */
char *fb_test_to_fb(const fb_model *model);
char *fb_test_to_osim(const fb_model *model, int version);
/* `inside` as the members of a Model named "test" in a document of a version: free() it. On line 2.
 */
char *fb_test_document(int version, const char *inside);
/* A model that must have been read: fails the test if it is NULL, and gives an empty one instead.
 */
fb_model *fb_test_must(fb_model *model, const fb_diag *diag);
/* An element by its component path; fails the test if there is none, and gives one without values.
 */
const fb_element *fb_test_find(const fb_model *model, const char *path);
/* An item of a list of owned objects; likewise if there are not so many. */
const fb_element *fb_test_item(const fb_element *element, const char *key, int i);
/* The text of a reference's target's path, or NULL. */
const char *fb_test_target(const fb_element *element, const char *key);

/* Keeps a .fb document in $FB_TEST_DOCUMENTS, if set, to be validated against the schema. */
void fb_test_store(const char *json, size_t n);
/* The same of another kind of document, against docs/KIND.schema.json: "features", .. */
void fb_test_store_as(const char *kind, const char *json, size_t n);

/* ---- tools ----------------------------------------------------------------------------------- */

typedef int fb_tool_main(int argc, char **argv, FILE *in, FILE *out, FILE *err);

typedef struct fb_run {
    int status;
    char *out, *err; /* 0-terminated */
    size_t n_out;
} fb_run;

/* Runs a tool with that standard input (NULL: empty) and arguments, of which argv[0] is the tool's
 * name and the last is followed by NULL. What it writes as a .fb document is stored. */
fb_run fb_test_run(fb_tool_main *tool, const char *input, const char *const *args);
#define FB_RUN(TOOL, INPUT, ...) \
    fb_test_run((TOOL), (INPUT), (const char *const[]){__VA_ARGS__, NULL})
void fb_run_free(fb_run *run);

/* ---- files ----------------------------------------------------------------------------------- */

/* All of a file, from fb_alloc, with a 0 after it; NULL if it cannot be read. */
char *fb_test_read_file(const char *file, size_t *size);
void fb_test_write_file(const char *file, const char *bytes, size_t n);
/* A new empty folder, removed with all in it when the program ends. */
const char *fb_test_folder(void);
/* "folder/name" in a static buffer of several. */
const char *fb_test_path(const char *folder, const char *name);
/* How many files a folder holds. */
int fb_test_count_files(const char *folder);
/* The i-th file of a shell pattern below the repository, sorted; NULL past the last. */
const char *fb_test_glob(const char *pattern, int i);

#endif
