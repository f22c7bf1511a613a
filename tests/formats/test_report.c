#include "formats/report.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "tests/help.h"

static fb_model *small_model(fb_diag *diag) {
    fb_model *model = fb_test_fb("{\"fb\": \"1.0\", \"bodies\": [{\"name\": \"a\", \"mass\": 1}, "
                                 "{\"name\": \"b\", \"mass\": 1}]}",
                                 diag, NULL);
    return fb_test_must(model, diag);
}

/* A diagnosis with one record of each kind, and texts that need escapes. */
static void fill(fb_diag *diag) {
    fb_diag_add(diag, FB_APPROXIMATED, FB2102, (fb_place){"a<b>.osim", 7, "/bodyset/a", "Body"},
                "an \"effect\"", "less < more & \"so\"");
    fb_diag_add(diag, FB_KEPT, FB2001, (fb_place){0}, NULL, "line\nbreak");
    fb_diag_add(diag, FB_IGNORED, FB2004, (fb_place){0}, NULL, "</td><script>alert(1)</script>");
    fb_diag_add(diag, FB_WARNING, FB2104, (fb_place){0}, NULL, "\xC3\xA9");
    fb_diag_add(diag, FB_ERROR, FB2201, (fb_place){"f", 3, NULL, NULL}, NULL, "e");
}

static json_t *report_of(const fb_model *model, const fb_diag *diag) {
    fb_text text;
    fb_text_init(&text, NULL);
    fb_report_json(&text, "osim2fb", "in \"put\".osim", model, diag);
    json_error_t error;
    json_t *report = json_loads(fb_text_string(&text), JSON_REJECT_DUPLICATES, &error);
    FB_TRUE(report != NULL, "the report is JSON: line %d: %s", error.line, error.text);
    fb_text_free(&text);
    return report;
}

static const char *member(const json_t *object, const char *key) {
    return json_string_value(json_object_get(object, key));
}

static void json_report_has_all_that_is_promised(void) {
    fb_diag diag;
    fb_model *model = small_model(&diag);
    fill(&diag);
    json_t *report = report_of(model, &diag), *counts = json_object_get(report, "counts"),
           *rows = json_object_get(report, "rows");
    FB_EQUAL_STR(member(report, "tool"), "osim2fb");
    FB_EQUAL_STR(member(report, "input"), "in \"put\".osim");
    FB_EQUAL_STR(member(report, "format_version"), "1.0");
    FB_TRUE(member(report, "version") != NULL, "a version");
    static const char *const words[] = {"approximated", "kept", "ignored", "warning", "error"};
    for (int i = 0; i < 5; i++) {
        FB_EQUAL_INT(json_integer_value(json_object_get(counts, words[i])), 1);
        FB_EQUAL_STR(member(json_array_get(rows, (size_t)i), "action"), words[i]);
    }
    FB_EQUAL_INT(json_integer_value(json_object_get(counts, "exact")),
                 fb_report_exact(model, &diag));
    FB_EQUAL_INT(json_array_size(rows), 5);
    const json_t *row = json_array_get(rows, 0);
    FB_EQUAL_STR(member(row, "path"), "/bodyset/a");
    FB_EQUAL_INT(json_integer_value(json_object_get(row, "line")), 7);
    FB_EQUAL_STR(member(row, "class"), "Body");
    FB_EQUAL_STR(member(row, "effect"), "an \"effect\"");
    FB_EQUAL_STR(member(row, "why"), "less < more & \"so\"");
    FB_EQUAL_STR(member(row, "id"), "FB2102");
    FB_TRUE(json_is_null(json_object_get(row, "unit")), "no unit");
    FB_TRUE(json_is_null(json_object_get(json_array_get(rows, 1), "path")), "no path");
    FB_EQUAL_STR(member(json_array_get(rows, 1), "why"), "line\nbreak");
    json_decref(report);
    fb_model_free(model);
    fb_diag_clear(&diag);
}

static void exact_counts_elements(void) {
    fb_diag diag;
    fb_model *model = small_model(&diag);
    long all = fb_report_exact(model, &diag);
    FB_TRUE(all >= 4, "the model, ground, two bodies: %ld", all);
    fb_diag_add(&diag, FB_WARNING, FB2104, (fb_place){0}, NULL, "w");
    FB_EQUAL_INT(fb_report_exact(model, &diag), all);
    fb_diag_add(&diag, FB_APPROXIMATED, FB2104, (fb_place){0}, NULL, "a");
    FB_EQUAL_INT(fb_report_exact(model, &diag), all - 1);
    for (int i = 0; i < 100; i++) {
        fb_diag_add(&diag, FB_APPROXIMATED, FB2104, (fb_place){0}, NULL, "a");
    }
    FB_EQUAL_INT(fb_report_exact(model, &diag), 0);
    FB_EQUAL_INT(fb_report_exact(NULL, &diag), 0);
    fb_model_free(model);
    fb_diag_clear(&diag);
}

static void a_report_without_a_model_is_one_too(void) {
    fb_diag diag;
    fb_diag_init(&diag);
    fill(&diag);
    json_t *report = report_of(NULL, &diag);
    FB_EQUAL_INT(json_integer_value(json_object_get(json_object_get(report, "counts"), "exact")),
                 0);
    json_decref(report);
    fb_diag_clear(&diag);
    report = report_of(NULL, &diag);
    FB_EQUAL_INT(json_array_size(json_object_get(report, "rows")), 0);
    json_decref(report);
    fb_diag_clear(&diag);
}

static void html_report_is_well_formed(void) {
    fb_diag diag;
    fb_model *model = small_model(&diag);
    for (int i = 0; i < 2; i++) {
        fb_text text;
        fb_text_init(&text, NULL);
        fb_report_html(&text, "osim2fb", "a & <b>.osim", model, &diag);
        const char *html = fb_text_string(&text);
        FB_TRUE(strstr(html, "<script") == NULL, "nothing from the input is markup");
        FB_HOLDS(html, "a &amp; &lt;b&gt;.osim");
        FB_HOLDS(html,
                 i ? "less &lt; more &amp; &quot;so&quot;" : "Every element was read exactly.");
        static const char *const pairs[][2] = {{"<table", "</table>"},
                                               {"<tr", "</tr>"},
                                               {"<td", "</td>"},
                                               {"<body", "</body>"}};
        for (int k = 0; k < 4; k++) {
            int open = 0, close = 0;
            for (const char *p = html; (p = strstr(p, pairs[k][0])) != NULL; p++) {
                open++;
            }
            for (const char *p = html; (p = strstr(p, pairs[k][1])) != NULL; p++) {
                close++;
            }
            FB_TRUE(open == close && open > 0, "%d %s, %d %s", open, pairs[k][0], close,
                    pairs[k][1]);
        }
        fb_text_free(&text);
        fill(&diag);
    }
    fb_model_free(model);
    fb_diag_clear(&diag);
}

static const fb_test tests[] = {
    FB_TEST(json_report_has_all_that_is_promised),
    FB_TEST(exact_counts_elements),
    FB_TEST(a_report_without_a_model_is_one_too),
    FB_TEST(html_report_is_well_formed),
    FB_TEST_END,
};

int main(int argc, char **argv) {
    return fb_test_main("report", tests, argc, argv);
}
