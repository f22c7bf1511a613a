#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "libcore/base/number.h"
#include "tests/help.h"

static void done(fb_model *model, fb_diag *diag) {
    fb_model_free(model);
    fb_diag_clear(diag);
}

/* A document with a body b, on lines 1 to 3, and more members from line 4 on. */
static char *document(const char *more) {
    size_t n = strlen(more) + 200;
    char *text = malloc(n);
    snprintf(text, n,
             "{\"fb\": \"1.0\",\n\"name\": \"m\",\n\"bodies\": [{\"name\": \"b\", \"mass\": "
             "1}]%s%s\n}\n",
             *more ? ",\n" : "", more);
    return text;
}

static fb_model *accept_text(const char *text, fb_diag *diag) {
    fb_status status;
    fb_model *model = fb_test_fb(text, diag, &status);
    FB_EQUAL_INT(status, FB_OK);
    if (model) {
        free(fb_test_to_fb(model));
    }
    return fb_test_must(model, diag);
}

static fb_model *accept(const char *more, fb_diag *diag) {
    char *text = document(more);
    fb_model *model = accept_text(text, diag);
    free(text);
    return model;
}

static void refuse_text(const char *text, fb_diag_id id, int line, const char *message) {
    fb_diag diag;
    fb_status status;
    fb_model *model = fb_test_fb(text, &diag, &status);
    FB_TRUE(status == FB_E_INPUT, "status %d, want %d: %.60s", (int)status, FB_E_INPUT, text);
    FB_TRUE(model == NULL, "no model is given");
    const fb_record *record = FB_RECORD(&diag, FB_ERROR, id, line);
    if (record) {
        FB_HOLDS(record->message, message);
        FB_EQUAL_STR(record->file, "test.fb");
    }
    done(model, &diag);
}

/* Refuses more members, which begin on line 4. */
static void refuse(const char *more, fb_diag_id id, int line, const char *message) {
    char *text = document(more);
    refuse_text(text, id, line, message);
    free(text);
}

/* ---- documents ------------------------------------------------------------------------------- */

static void accepts_the_smallest_document(void) {
    fb_diag diag;
    fb_model *model = accept_text("{\"fb\": \"1.0\"}", &diag);
    FB_EQUAL_STR(model->root->name, "");
    FB_EQUAL_STR(model->ground->path, "/ground");
    double g[3] = {0};
    FB_TRUE(fb_get_vector(model->root, "gravity", g, 3), "there is gravity");
    FB_SAME(g[1], -9.80665);
    done(model, &diag);
}

static void accepts_newer_minor_versions_only(void) {
    fb_diag diag;
    fb_model *model = accept_text("{\"fb\": \"1.7\", \"name\": \"m\"}", &diag);
    done(model, &diag);
    refuse_text("{\n\"fb\": \"2.0\"}", FB1302, 2, "newer");
    refuse_text("{\n\n\"fb\": \"10.0\"}", FB1302, 3, "newer");
    refuse_text("{\"fb\": \"0.9\"}", FB1303, 1, "version");
    refuse_text("{\"fb\": \"x\"}", FB1303, 1, "version");
    refuse_text("{\"fb\": \"1\"}", FB1303, 1, "version");
    refuse_text("{\"fb\": 1.0}", FB1303, 1, "version");
    refuse_text("{\"fb\": null}", FB1303, 1, "version");
}

static void rejects_json_that_is_no_document(void) {
    refuse_text("{}", FB1201, 1, "no member \"fb\"");
    refuse_text("[]", FB1201, 1, "not a .fb document");
    refuse_text("3", FB1201, 1, "not a .fb document");
    refuse_text("\"fb\"", FB1201, 1, "not a .fb document");
    refuse_text("null", FB1201, 1, "not a .fb document");
}

static void rejects_what_is_no_json(void) {
    static const struct {
        const char *text;
        int line;
    } cases[] = {{"{\"fb\": \"1.0\",\n}", 2},
                 {"{\"fb\": \"1.0\"\n\"name\": 3}", 2},
                 {"{\"fb\": \"1.0\"} x", 1},
                 {"{\n\"fb\": '1.0'}", 2},
                 {"{\"fb\": \"1.0\", \"a\": 01}", 1},
                 {"{\"fb\": \"1.0\", \"a\": NaN}", 1},
                 {"{\"fb\": \"1.0\",\n\n\"a\": \"\xFF\"}", 3},
                 {"{\"fb\": \"1.0\", \"a\": 1e999}", 1},
                 {"{", 1},
                 {"{\"fb", 1},
                 {"{\"fb\": \"1.0\",\n\"a\": 1,\n\"a\": 2}", 3}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        refuse_text(cases[i].text, FB1301, cases[i].line, "not well-formed JSON");
    }
}

static void rejects_very_deep_json(void) {
    char *text = malloc(400000), *p = text;
    p += sprintf(p, "{\"fb\": \"1.0\", \"a\": ");
    memset(p, '[', 100000);
    p[100000] = 0;
    refuse_text(text, FB1301, 1, "not well-formed JSON");
    free(text);
}

/* ---- values of a wrong type ------------------------------------------------------------------ */

static void rejects_wrong_types_with_their_line(void) {
    static const struct {
        const char *more;
        fb_diag_id id;
        int line;
        const char *message;
    } cases[] = {
        {"\"joints\": 5", FB1303, 4, "/joints: must be a list"},
        {"\"joints\": {}", FB1303, 4, "/joints: must be a list"},
        {"\"joints\": [\n3]", FB1303, 5, "/joints/0: must be an object"},
        {"\"joints\": [\n{\"name\": \"j\", \"type\": \"pim\"}]", FB1303, 5,
         "no such type among joints: 'pim'"},
        {"\"joints\": [\n{\"name\": \"j\"}]", FB1303, 5, "need a \"type\""},
        {"\"joints\": [\n{\"name\": \"j\", \"type\": 3}]", FB1303, 5, "type"},
        {"\"joints\": [\n{\"type\": \"pin\"}]", FB2204, 5, "must have a \"name\""},
        {"\"joints\": [\n{\"type\": \"pin\", \"name\": \"\"}]", FB2204, 5, "must have a \"name\""},
        {"\"gravity\":\n [0, 1]", FB2102, 5, "must be a list of 3 numbers"},
        {"\"gravity\": 9.81", FB2102, 4, "must be a list of 3 numbers"},
        {"\"gravity\": [0, \"x\",\n 0]", FB1303, 4, "must be a number"},
        {"\"gravity\": [0, 1, \n null]", FB1303, 5, "must be a number"},
        {"\"credits\": 7", FB1303, 4, "/credits: must be a string"},
        {"\"markers\": [{\"name\": \"k\", \"frame\": \"b\",\n \"fixed\": 1}]", FB1303, 5,
         "must be true or false"},
        {"\"markers\": [{\"name\": \"k\",\n \"frame\": 3}]", FB1303, 5, "must be a name"},
        {"\"markers\": [\n\n{\"name\": 4, \"frame\": \"b\"}]", FB2204, 6, "must have a \"name\""},
        {"\"groups\": [\n{\"name\": \"g\"}]", FB1303, 5, "a group must have"},
        {"\"groups\": [{\"name\": \"g\", \"members\": [1]}]", FB1303, 4, "strings"},
        {"\"property_comments\": {\"a\": 1}", FB1303, 4, "strings"},
        {"\"muscles\": [{\"name\": \"k\", \"type\": \"Thelen2003\",\n\"path\": 3}]", FB1303, 5,
         "must be an object"},
        {"\"muscles\": [{\"name\": \"k\", \"type\": \"Thelen2003\",\n\"path\": {\"points\": "
         "[\n{\"type\": "
         "\"odd\"}]}}]",
         FB1303, 6, "no path point has the type 'odd'"},
        {"\"muscles\": [{\"name\": \"k\", \"type\": \"Thelen2003\",\n\"path\": {\"type\": 3}}]",
         FB1303, 5, "\"type\" must be a string"},
        {"\"muscles\": [{\"name\": \"k\", \"type\": \"Thelen2003\",\n\"path\": {\n\"points\": 4}}]",
         FB1303, 6, "must be a list"},
        {"\"muscles\": [{\"name\": \"k\", \"type\": \"Thelen2003\",\n\"comments\": [{\"before\": "
         "\"x\"}]}]",
         FB1303, 5, "text"},
        {"\"muscles\": [{\"name\": \"k\", \"type\": \"Thelen2003\",\n\"kept\": [1]}]", FB1303, 5,
         "strings"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        refuse(cases[i].more, cases[i].id, cases[i].line, cases[i].message);
    }
}

/* A member that the document itself gives a meaning must not pass with another type: it would be
 * written a second time beside the real one. */
static void rejects_wrong_types_of_the_documents_own_members(void) {
    refuse_text("{\"fb\": \"1.0\",\n\"name\": 5}", FB1303, 2, "name");
    refuse("\"ground\": []", FB1303, 4, "ground");
    refuse("\"groups\": 5", FB1303, 4, "groups");
    refuse("\"steps\": {}", FB1303, 4, "steps");
    refuse("\"order\": []", FB1303, 4, "order");
    refuse("\"source\": 3", FB1303, 4, "source");
    refuse("\"property_comments\": []", FB1303, 4, "property_comments");
    refuse("\"model_kept\": 3", FB1303, 4, "model_kept");
    refuse("\"markers\": [{\"name\": \"k\", \"frame\": \"b\",\n\"kept\": 3}]", FB1303, 5, "kept");
    refuse("\"markers\": [{\"name\": \"k\", \"frame\": \"b\",\n\"comments\": 3}]", FB1303, 5,
           "comments");
}

static void rejects_integers_out_of_range(void) {
    refuse(
        "\"bodies_note\": 1,\n\"muscles\": [{\"name\": \"k\", \"type\": \"Thelen2003\", \"path\": "
        "{\"appearance\": {\"surface\":\n"
        "{\"type\": \"surface\", \"representation\": 4294967297}}}}]",
        FB1303, 6, "whole number");
    refuse("\"muscles\": [{\"name\": \"k\", \"type\": \"Thelen2003\", \"path\": {\"appearance\": "
           "{\"surface\":\n"
           "{\"type\": \"surface\", \"representation\": 1.5}}}}]",
           FB1303, 5, "whole number");
}

static void rejects_deep_objects(void) {
    char *more = malloc(100000), *p = more;
    p += sprintf(
        p, "\"joints\": [{\"name\": \"j\", \"type\": \"pin\", \"parent\": \"ground\", \"child\": "
           "\"b\", \"coordinates\": "
           "[{\"name\": \"q\", \"prescribed_function\": ");
    for (int i = 0; i < 1000; i++) {
        p += sprintf(p, "{\"type\": \"multiplier\", \"function\": ");
    }
    p += sprintf(p, "{\"type\": \"constant\"}");
    for (int i = 0; i < 1000; i++) {
        *p++ = '}';
    }
    strcpy(p, "}]}]");
    refuse(more, FB1303, 4, "nested too deeply");
    free(more);
}

static void rejects_references_to_nothing(void) {
    refuse("\"joints\": [{\"name\": \"j\", \"type\": \"pin\", \"parent\": \"ground\", \"child\": "
           "\"b\"},\n"
           "{\"name\": \"k\", \"type\": \"pin\", \"parent\": \"grond\", \"child\": \"b\"}]",
           FB2201, 5, "did you mean 'ground'?");
    refuse("\"joints\": [\n{\"name\": \"k\", \"type\": \"pin\", \"child\": \"b\"}]", FB2105, 5,
           "must be given");
    refuse(
        "\"virtual_links\": [{\"name\": \"knot\", \"frame\": \"ground\"}],\n\"springs\": "
        "[{\"name\": \"s\", \"type\": \"path\", \"path\": {\"points\": [{\"frame\": \"ground\"}, "
        "{\"type\": \"link\", \"virtual_link\": \"knob\"}]}}]",
        FB2201, 5, "names no virtual link: 'knob'; did you mean 'knot'?");
}

/* ---- values ---------------------------------------------------------------------------------- */

static void reads_numbers_of_every_kind(void) {
    fb_diag diag;
    fb_model *model = accept(
        "\"gravity\": [\"inf\", \"-inf\", \"nan\"],\n\"assembly_accuracy\": 3,"
        "\"frames\": [{\"name\": \"f\", \"parent\": \"b\", \"translation\": [-0.0, 1e-300, 0.1]}]",
        &diag);
    double x[3] = {0};
    FB_TRUE(fb_get_vector(model->root, "gravity", x, 3), "gravity");
    FB_SAME(x[0], FB_INFINITY);
    FB_SAME(x[1], -FB_INFINITY);
    FB_SAME(x[2], FB_NAN);
    FB_SAME(fb_get_number(model->root, "assembly_accuracy"), 3);
    FB_TRUE(fb_get_vector(fb_test_find(model, "f"), "translation", x, 3), "translation");
    FB_SAME(x[0], -0.0);
    FB_SAME(x[1], 1e-300);
    char *json = fb_test_to_fb(model);
    FB_HOLDS(json, "[\"inf\", \"-inf\", \"nan\"]");
    FB_HOLDS(json, "[-0.0, 1e-300, 0.1]");
    free(json);
    done(model, &diag);
    model =
        accept("\"frames\": [{\"name\": \"f\", \"parent\": \"b\", \"translation\": [-0, 0, 1]}]",
               &diag);
    FB_TRUE(fb_get_vector(fb_test_find(model, "f"), "translation", x, 3), "translation");
    FB_SAME(x[0], -0.0);
    FB_SAME(x[1], 0);
    done(model, &diag);
    refuse("\"gravity\": [0, \"Infinity\", 0]", FB1303, 4, "must be a number");
    refuse("\"gravity\": [0, \"1\", 0]", FB1303, 4, "must be a number");
}

static void null_is_no_value(void) {
    fb_diag diag;
    fb_model *model = accept("\"frames\": [{\"name\": \"f\", \"parent\": \"b\", \"translation\": "
                             "null}],\n\"credits\": null,"
                             "\"gravity\": null",
                             &diag);
    double x[3] = {9, 9, 9};
    FB_TRUE(fb_get_vector(fb_test_find(model, "f"), "translation", x, 3), "the default");
    FB_SAME(x[0], 0);
    FB_EQUAL_STR(fb_get_string(model->root, "credits"), NULL);
    done(model, &diag);
}

static void one_of_a_list_may_stand_alone(void) {
    fb_diag diag;
    fb_model *model =
        accept("\"joints\": [{\"name\": \"j\", \"type\": \"custom\", \"parent\": \"ground\", "
               "\"child\": \"b\", \"coordinates\": [{\"name\": \"q\"}],"
               "\"axes\": [{\"coordinate\": \"q\", \"axis\": [0, 0, 1]}, {\"coordinate\": "
               "[\"q\"], \"axis\": [0, 1, 0]}]}]",
               &diag);
    const fb_element *j = fb_test_find(model, "/jointset/j");
    FB_EQUAL_STR(fb_test_target(fb_test_item(j, "axes", 0), "coordinate"), "/jointset/j/q");
    FB_EQUAL_STR(fb_test_target(fb_test_item(j, "axes", 1), "coordinate"), "/jointset/j/q");
    done(model, &diag);
}

static void elements_get_their_usual_paths(void) {
    fb_diag diag;
    fb_model *model = accept(
        "\"wraps\": [{\"name\": \"w\", \"type\": \"sphere\", \"frame\": \"b\", \"radius\": 1}],"
        "\"markers\": [{\"name\": \"k\", \"frame\": \"b\"}, {\"name\": \"l\", \"frame\": "
        "\"ground\", "
        "\"component_path\": \"/odd/l\"}],"
        "\"frames\": [{\"name\": \"f\", \"parent\": \"b\"}]",
        &diag);
    FB_EQUAL_STR(fb_test_find(model, "w")->path, "/bodyset/b/wrapobjectset/w");
    FB_EQUAL_STR(fb_test_find(model, "b")->path, "/bodyset/b");
    FB_EQUAL_STR(fb_test_find(model, "k")->path, "/markerset/k");
    FB_EQUAL_STR(fb_test_find(model, "l")->path, "/odd/l");
    FB_EQUAL_STR(fb_test_find(model, "f")->path, "/f");
    done(model, &diag);
}

static void joints_are_completed(void) {
    fb_diag diag;
    fb_model *model = accept("\"joints\": [{\"name\": \"j\", \"type\": \"pin\", \"parent\": "
                             "\"ground\", \"child\": \"b\"}]",
                             &diag);
    const fb_element *q = fb_test_item(fb_test_find(model, "/jointset/j"), "coordinates", 0);
    FB_EQUAL_STR(q ? q->path : NULL, "/jointset/j/_coord_0");
    done(model, &diag);
}

static void order_decides_over_the_lists(void) {
    fb_diag diag;
    const char *more = "\"springs\": [{\"name\": \"s\", \"type\": \"path\", \"resting_length\": 1, "
                       "\"stiffness\": 1, \"dissipation\": 0}],"
                       "\"muscles\": [{\"name\": \"m\", \"type\": \"Thelen2003\"}]";
    fb_model *model = accept(more, &diag);
    FB_TRUE(fb_test_find(model, "m")->order < fb_test_find(model, "s")->order,
            "muscles come before springs");
    done(model, &diag);
    char longer[600];
    snprintf(longer, sizeof longer, "%s,\"order\": {\"/forceset\": [\"s\", \"m\"]}", more);
    model = accept(longer, &diag);
    FB_TRUE(fb_test_find(model, "m")->order > fb_test_find(model, "s")->order,
            "but for the order that is given");
    char *json = fb_test_to_fb(model);
    FB_HOLDS(json, "\"/forceset\": [\"s\", \"m\"]");
    free(json);
    done(model, &diag);
}

/* ---- what is carried along ------------------------------------------------------------------- */

static void keeps_unknown_members(void) {
    fb_diag diag;
    fb_model *model =
        accept("\"future\": {\"a\": [1, 2.5, \"x\", null, true]},\n\"markers\": [{\"name\": "
               "\"k\", \"frame\": \"b\", \"note\": "
               "\"\\u00e9 \\\"q\\\" \\n\", \"big\": 12345678901234567890123, \"tiny\": "
               "1e-7}],\n\"ground\": {\"colour\": \"blue\"}",
               &diag);
    FB_EQUAL_STR(fb_get_extra(model->root, "future"), "{\"a\": [1, 2.5, \"x\", null, true]}");
    FB_EQUAL_STR(fb_get_extra(fb_test_find(model, "k"), "note"), "\"\xC3\xA9 \\\"q\\\" \\n\"");
    FB_EQUAL_STR(fb_get_extra(model->ground, "colour"), "\"blue\"");
    FB_EQUAL_STR(fb_get_extra(fb_test_find(model, "k"), "none"), NULL);
    char *json = fb_test_to_fb(model);
    FB_HOLDS(json, "\"future\": {\"a\": [1, 2.5, \"x\", null, true]}");
    FB_HOLDS(json, "\"tiny\": 1e-7");
    FB_HOLDS(json, "\"colour\": \"blue\"");
    free(json);
    done(model, &diag);
}

static void keeps_steps_comments_and_kept_parts(void) {
    fb_diag diag;
    fb_model *model =
        accept("\"steps\": [{\"tool\": \"t\", \"x\": 1}],\n\"comments\": [{\"text\": \"of the "
               "model\"}],\n\"model_kept\": [\"<x/>\"],"
               "\"property_comments\": {\"Body.mass\": \"kg\"},"
               "\"kept\": [{\"name\": \"o\", \"component_path\": \"/forceset/o\", \"class\": "
               "\"Odd\", \"xml\": \"<Odd name=\\\"o\\\"/>\"}],"
               "\"markers\": [{\"name\": \"k\", \"frame\": \"b\", \"kept\": [\"<y/>\"], "
               "\"comments\": [{\"before\": \"location\", \"text\": \"c\"}]}]",
               &diag);
    FB_EQUAL_INT(model->n_steps, 1);
    FB_EQUAL_STR(model->steps[0], "{\"tool\": \"t\", \"x\": 1}");
    FB_EQUAL_STR(model->root->kept->xml, "<x/>");
    FB_EQUAL_STR(model->root->comments->text, "of the model");
    FB_EQUAL_STR(model->shared_comments->before, "Body.mass");
    const fb_element *k = fb_test_find(model, "k");
    FB_EQUAL_STR(k->kept->xml, "<y/>");
    FB_EQUAL_STR(k->comments->before, "location");
    FB_EQUAL_STR(fb_get_string(fb_test_find(model, "/forceset/o"), "xml"), "<Odd name=\"o\"/>");
    done(model, &diag);
}

static void what_is_kept_must_be_one_element(void) {
    static const char *const texts[] = {"",      "text",  "<a>",          "<a/><b/>",
                                        "<a/>b", " <a/>", "<a/><!--c-->", "<a></b>"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        char more[200];
        snprintf(more, sizeof more, "\"model_kept\": [\"%s\"]", texts[i]);
        refuse(more, FB1303, 4, "/model_kept: must be one well-formed XML element");
        snprintf(more, sizeof more,
                 "\"markers\": [{\"name\": \"k\", \"frame\": \"b\",\n\"kept\": [\"%s\"]}]",
                 texts[i]);
        refuse(more, FB1303, 5, "/markers/0/kept: must be one well-formed XML element");
        snprintf(more, sizeof more, "\"kept\": [\n{\"name\": \"o\", \"xml\": \"%s\"}]", texts[i]);
        refuse(more, FB1303, 5, "/kept/0: must be one well-formed XML element");
    }
    refuse("\"kept\": [\n{\"name\": \"o\", \"class\": \"Odd\"}]", FB1303, 5, "has no \"xml\"");
}

static void component_paths_must_be_paths(void) {
    static const char *const paths[] = {"foo", "/",     "/odd/",   "/odd//k",
                                        "",    "odd/k", "/odd/ k", "/odd /k"};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        char more[200];
        snprintf(more, sizeof more,
                 "\"markers\": [{\"name\": \"k\", \"frame\": \"b\",\n\"component_path\": \"%s\"}]",
                 paths[i]);
        refuse(more, FB1303, 5, "/markers/0/component_path: must be a path");
    }
}

static void wraps_go_where_their_frame_is(void) {
    static const char *const paths[] = {"/bodyset/c/wrapobjectset/w", "/odd/w",
                                        "/bodyset/b/wrapobjectset/w", "/bodyset/bb/w"};
    for (int i = 0; i < 4; i++) {
        char more[300];
        snprintf(more, sizeof more,
                 "\"wraps\": [{\"name\": \"w\", \"type\": \"sphere\", \"frame\": \"b\", "
                 "\"radius\": 1, \"component_path\": \"%s\"}]",
                 paths[i]);
        fb_diag diag;
        fb_model *model = accept(more, &diag);
        const fb_element *w = fb_test_find(model, "w");
        FB_EQUAL_STR(w->path, "/bodyset/b/wrapobjectset/w");
        FB_EQUAL_STR(fb_test_target(w, "frame"), "/bodyset/b");
        done(model, &diag);
    }
}

/* Finding a line takes a walk through the text, which must not be taken for every one of them. */
static void many_errors_take_no_time(void) {
    enum { MANY = 60000 };
    if (!fb_test_is_fast()) {
        return;
    }
    char *text = malloc(100 + 60 * MANY), *p = text;
    p += sprintf(p, "{\"fb\": \"1.0\", \"name\": \"m\", \"bodies\": [");
    for (int i = 0; i < MANY; i++) {
        p += sprintf(p, "%s\n{\"name\": \"b%d\", \"mass\": \"x\"}", i ? "," : "", i);
    }
    sprintf(p, "]}");
    fb_diag diag;
    fb_status status;
    clock_t start = clock();
    fb_model *model = fb_test_fb(text, &diag, &status);
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    FB_EQUAL_INT(status, FB_E_INPUT);
    FB_EQUAL_INT(diag.counts[FB_ERROR], MANY);
    FB_RECORD(&diag, FB_ERROR, FB1303, 2);
    FB_RECORD(&diag, FB_ERROR, FB1303, 101);
    FB_TRUE(seconds < 1, "%d errors take %.2f s", MANY, seconds);
    free(text);
    done(model, &diag);
}

/* ---- either kind ----------------------------------------------------------------------------- */

static void model_read_tells_kinds_apart_by_content(void) {
    static const struct {
        const char *text;
        fb_status status;
        const char *name;
    } cases[] = {{"{\"fb\": \"1.0\", \"name\": \"j\"}", FB_OK, "j"},
                 {" \n\t{\"fb\": \"1.0\", \"name\": \"j\"}", FB_OK, "j"},
                 {"\xEF\xBB\xBF{\"fb\": \"1.0\", \"name\": \"j\"}", FB_OK, "j"},
                 {"<Model name=\"x\"/>", FB_OK, "x"},
                 {"\xEF\xBB\xBF<Model name=\"x\"/>", FB_OK, "x"},
                 {"[1]", FB_E_INPUT, NULL},
                 {"hello", FB_E_INPUT, NULL},
                 {"", FB_E_INPUT, NULL},
                 {" ", FB_E_INPUT, NULL},
                 {"\xEF\xBB\xBF", FB_E_INPUT, NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        fb_model *model;
        fb_diag diag;
        fb_diag_init(&diag);
        size_t n = strlen(cases[i].text);
        FB_EQUAL_INT(fb_model_read(&model, fb_test_bytes(cases[i].text, n), n, "x", FB_MAX_BYTES,
                                   &diag),
                     cases[i].status);
        FB_EQUAL_STR(model ? model->root->name : NULL, cases[i].name);
        FB_EQUAL_INT(diag.counts[FB_ERROR], cases[i].status == FB_OK ? 0 : 1);
        done(model, &diag);
    }
}

static const fb_test tests[] = {
    FB_TEST(accepts_the_smallest_document),
    FB_TEST(accepts_newer_minor_versions_only),
    FB_TEST(rejects_json_that_is_no_document),
    FB_TEST(rejects_what_is_no_json),
    FB_TEST(rejects_very_deep_json),
    FB_TEST(rejects_wrong_types_with_their_line),
    FB_TEST(rejects_wrong_types_of_the_documents_own_members),
    FB_TEST(rejects_integers_out_of_range),
    FB_TEST(rejects_deep_objects),
    FB_TEST(rejects_references_to_nothing),
    FB_TEST(reads_numbers_of_every_kind),
    FB_TEST(null_is_no_value),
    FB_TEST(one_of_a_list_may_stand_alone),
    FB_TEST(elements_get_their_usual_paths),
    FB_TEST(joints_are_completed),
    FB_TEST(order_decides_over_the_lists),
    FB_TEST(keeps_unknown_members),
    FB_TEST(keeps_steps_comments_and_kept_parts),
    FB_TEST(model_read_tells_kinds_apart_by_content),
    FB_TEST(what_is_kept_must_be_one_element),
    FB_TEST(component_paths_must_be_paths),
    FB_TEST(wraps_go_where_their_frame_is),
    FB_TEST(many_errors_take_no_time),
    FB_TEST_END,
};

int main(int argc, char **argv) {
    return fb_test_main("fb_read", tests, argc, argv);
}
