#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/number.h"
#include "tests/help.h"

static char *written(void (*write)(fb_text *out, const void *what), const void *what) {
    fb_text text;
    fb_text_init(&text, NULL);
    write(&text, what);
    char *copy = strdup(fb_text_string(&text));
    fb_text_free(&text);
    return copy;
}

static void write_string(fb_text *out, const void *what) {
    fb_json_string(out, what);
}

static void write_number(fb_text *out, const void *what) {
    fb_json_number(out, *(const double *)what);
}

static void strings_are_escaped(void) {
    static const struct {
        const char *text, *json;
    } cases[] = {{"", "\"\""},
                 {"plain", "\"plain\""},
                 {"a\"b\\c", "\"a\\\"b\\\\c\""},
                 {"\n\r\t", "\"\\n\\r\\t\""},
                 {"\x01\x1f", "\"\\u0001\\u001f\""},
                 {"\xC3\xA9/", "\"\xC3\xA9/\""},
                 {"\x7f", "\"\x7f\""}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *json = written(write_string, cases[i].text);
        FB_EQUAL_STR(json, cases[i].json);
        json_t *back = json_loads(json, JSON_DECODE_ANY, NULL);
        FB_EQUAL_STR(json_string_value(back), cases[i].text);
        json_decref(back);
        free(json);
    }
}

static void numbers_read_back(void) {
    static const struct {
        double x;
        const char *json;
    } cases[] = {{0, "0"},
                 {-0.0, "-0.0"},
                 {1, "1"},
                 {0.1, "0.1"},
                 {1e-7, "1e-7"},
                 {1e300, "1e300"},
                 {FB_NAN, "\"nan\""},
                 {FB_INFINITY, "\"inf\""},
                 {-FB_INFINITY, "\"-inf\""},
                 {123456789012, "123456789012"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *json = written(write_number, &cases[i].x);
        FB_EQUAL_STR(json, cases[i].json);
        free(json);
    }
    unsigned long long state = fb_test_seed();
    int wrong = 0;
    for (int i = 0; i < 20000; i++) { /* also through a JSON library */
        double x;
        unsigned long long bits = fb_random(&state);
        memcpy(&x, &bits, sizeof x);
        if (!isfinite(x)) {
            continue;
        }
        char *json = written(write_number, &x);
        json_t *back = json_loads(json, JSON_DECODE_ANY, NULL);
        if (!back || json_number_value(back) != x) {
            wrong++;
        }
        json_decref(back);
        free(json);
    }
    FB_EQUAL_INT(wrong, 0);
}

/* Reads a document and writes it again. */
static char *rewrite(const char *text) {
    fb_diag diag;
    fb_model *model = fb_test_fb(text, &diag, NULL);
    char *json = model ? fb_test_to_fb(model) : strdup("");
    FB_TRUE(model != NULL, "it is read: %s", diag.n ? diag.records[0].message : "");
    fb_model_free(model);
    fb_diag_clear(&diag);
    return json;
}

static void version_and_name_come_first(void) {
    char *json = rewrite("{\"name\": \"m\", \"bodies\": [], \"fb\": \"1.0\"}");
    FB_TRUE(strncmp(json, "{\n  \"fb\": \"1.0\",\n  \"name\": \"m\",\n", 32) == 0,
            "it begins: %.60s", json);
    FB_HOLDS(json, "\"bodies\": []");
    FB_HOLDS(json, "\"joints\": []");
    FB_HOLDS(json, "\"muscles\": []");
    FB_TRUE(strstr(json, "\"markers\"") == NULL, "other empty lists are left out");
    FB_TRUE(json[strlen(json) - 1] == '\n', "it ends with a line end");
    free(json);
}

static void brief_defaults_are_left_out(void) {
    char *json = rewrite("{\"fb\": \"1.0\", \"muscles\": [{\"name\": \"a\", \"type\": "
                         "\"Thelen2003\", \"enabled\": true},"
                         "{\"name\": \"b\", \"type\": \"Thelen2003\", \"enabled\": false}]}");
    FB_TRUE(strstr(json, "\"enabled\": true") == NULL, "the default");
    FB_HOLDS(json, "\"enabled\": false");
    FB_HOLDS(json, "\"max_isometric_force\": 1000");
    free(json);
}

static void references_are_unique_names(void) {
    char *json = rewrite("{\"fb\": \"1.0\", \"bodies\": [{\"name\": \"b\", \"mass\": 1}, "
                         "{\"name\": \"c\", \"mass\": 1}],"
                         "\"markers\": [{\"name\": \"m\", \"frame\": \"/bodyset/c\"}]}");
    FB_HOLDS(json, "\"frame\": \"c\"");
    free(json);
}

static void writing_twice_gives_the_same_bytes(void) {
    for (int n = 0; fb_test_glob("models/*/*.osim", n); n++) {
        const char *file = fb_test_glob("models/*/*.osim", n);
        size_t size;
        char *bytes = fb_test_read_file(file, &size);
        fb_model *model;
        fb_diag diag;
        fb_diag_init(&diag);
        FB_EQUAL_INT(fb_osim_read(&model, bytes, size, file, NULL, &diag), FB_OK);
        if (model) {
            char *first = fb_test_to_fb(model), *second = rewrite(first);
            bool same = strcmp(first, second) == 0;
            size_t at = 0;
            while (!same && first[at] == second[at]) {
                at++;
            }
            FB_TRUE(same, "%s: '%.100s' became '%.100s'", file, first + (at > 40 ? at - 40 : 0),
                    second + (at > 40 ? at - 40 : 0));
            free(first);
            free(second);
        }
        fb_model_free(model);
        fb_diag_clear(&diag);
    }
}

/* Functions in one another may be nested as deeply as XML is: what is written must be readable. */
static void deep_functions_can_be_read_back(void) {
    enum { DEEP = 80 };
    char *inside = malloc(20000), *p = inside;
    p +=
        sprintf(p,
                "<BodySet><objects><Body "
                "name=\"b\"><mass>1</mass></Body></objects></BodySet><JointSet><objects><PinJoint "
                "name=\"j\">"
                "<socket_parent_frame>/ground</socket_parent_frame><socket_child_frame>/bodyset/b</"
                "socket_child_frame>"
                "<coordinates><Coordinate name=\"q\"><prescribed_function>");
    for (int i = 0; i < DEEP; i++) {
        p += sprintf(p, "<MultiplierFunction><function>");
    }
    p += sprintf(p, "<Constant><value>1</value></Constant>");
    for (int i = 0; i < DEEP; i++) {
        p += sprintf(p, "</function></MultiplierFunction>");
    }
    sprintf(p, "</prescribed_function></Coordinate></coordinates></PinJoint></objects></JointSet>");
    char *text = fb_test_document(40500, inside);
    fb_diag diag;
    fb_status status;
    fb_model *model = fb_test_osim(text, &diag, &status);
    if (model) { /* refusing it would do as well */
        char *json = fb_test_to_fb(model);
        free(rewrite(json));
        free(json);
    } else {
        FB_EQUAL_INT(status, FB_E_INPUT);
        FB_TRUE(diag.counts[FB_ERROR] > 0, "it says why");
    }
    fb_model_free(model);
    fb_diag_clear(&diag);
    free(text);
    free(inside);
}

static void schema_and_classes_are_written(void) {
    fb_text text;
    fb_text_init(&text, NULL);
    fb_schema_write(&text);
    json_t *schema = json_loads(fb_text_string(&text), 0, NULL);
    FB_TRUE(schema != NULL, "the schema is JSON");
    FB_EQUAL_STR(json_string_value(json_object_get(schema, "$schema")),
                 "https://json-schema.org/draft/2020-12/schema");
    json_decref(schema);
    size_t size;
    char *stored = fb_test_read_file("docs/fb.schema.json", &size);
    FB_TRUE(stored && strcmp(stored, fb_text_string(&text)) == 0,
            "docs/fb.schema.json is up to date (make docs)");
    fb_free(stored);
    fb_text_free(&text);
    fb_text_init(&text, NULL);
    fb_classes_write(&text);
    for (int i = 0; fb_class_at(i); i++) {
        if (!strstr(fb_text_string(&text), fb_class_at(i)->name)) {
            FB_HOLDS(fb_text_string(&text), fb_class_at(i)->name);
        }
    }
    stored = fb_test_read_file("docs/classes.md", &size);
    FB_TRUE(stored && strcmp(stored, fb_text_string(&text)) == 0,
            "docs/classes.md is up to date (make docs)");
    fb_free(stored);
    fb_text_free(&text);
}

static void a_full_disk_is_an_output_error(void) {
    FILE *full = fopen("/dev/full", "wb");
    if (!full) {
        return;
    }
    fb_diag diag;
    fb_model *model = fb_test_fb("{\"fb\": \"1.0\"}", &diag, NULL);
    setvbuf(full, NULL, _IONBF, 0);
    fb_text text;
    fb_text_init(&text, full);
    fb_document_write(model, &text);
    FB_EQUAL_INT(fb_text_flush(&text), FB_E_OUTPUT);
    fb_text_free(&text);
    fclose(full);
    fb_model_free(model);
    fb_diag_clear(&diag);
}

static const fb_test tests[] = {
    FB_TEST(strings_are_escaped),
    FB_TEST(numbers_read_back),
    FB_TEST(version_and_name_come_first),
    FB_TEST(brief_defaults_are_left_out),
    FB_TEST(references_are_unique_names),
    FB_TEST(writing_twice_gives_the_same_bytes),
    FB_TEST(deep_functions_can_be_read_back),
    FB_TEST(schema_and_classes_are_written),
    FB_TEST(a_full_disk_is_an_output_error),
    FB_TEST_END,
};

int main(int argc, char **argv) {
    return fb_test_main("fb_write", tests, argc, argv);
}
