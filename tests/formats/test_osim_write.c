#include <stdlib.h>
#include <string.h>

#include "libcore/model/check.h"
#include "tests/help.h"

static void done(fb_model *model, fb_diag *diag) {
    fb_model_free(model);
    fb_diag_clear(diag);
}

/* The text of a .fb document up to its steps, which tell how it was made. */
static void cut_steps(char *json) {
    char *steps = strstr(json, "\n  \"steps\": [");
    if (steps) {
        *steps = 0;
    }
}

/* What is read from a .fb gives the same .osim as the model that it was written from. */
static void check_by_fb(const char *fb, const char *osim, int version, const char *what) {
    fb_diag diag;
    fb_model *model = fb_test_must(fb_test_fb(fb, &diag, NULL), &diag);
    char *again = fb_test_to_osim(model, version);
    FB_TRUE(strcmp(osim, again) == 0, "%s: the same .osim from the .fb", what);
    free(again);
    done(model, &diag);
}

/* model -> .osim -> model gives the same .fb, and the same .osim again; so does .fb -> .osim. */
static void check_round_trip(const fb_model *model, int version, const char *what) {
    char *before = fb_test_to_fb(model), *osim = fb_test_to_osim(model, version);
    fb_diag diag;
    fb_status status;
    check_by_fb(before, osim, version, what);
    fb_model *again = fb_test_osim(osim, &diag, &status);
    FB_TRUE(again != NULL, "%s: what was written is read: %s", what,
            diag.n ? diag.records[0].message : "");
    if (again) {
        char *after = fb_test_to_fb(again), *twice = fb_test_to_osim(again, version);
        cut_steps(before);
        cut_steps(after);
        bool same = strcmp(before, after) == 0;
        size_t at = 0;
        while (!same && before[at] == after[at]) {
            at++;
        }
        FB_TRUE(same, "%s: first difference: '%.80s' became '%.80s'", what,
                before + (at > 30 ? at - 30 : 0), after + (at > 30 ? at - 30 : 0));
        FB_TRUE(strcmp(osim, twice) == 0, "%s: the same .osim the second time", what);
        free(after);
        free(twice);
    }
    free(before);
    free(osim);
    done(again, &diag);
}

static void roundtrip_models_of_the_gallery(void) {
    int n = 0;
    for (const char *file; (file = fb_test_glob("models/*/*.osim", n)) != NULL; n++) {
        size_t size;
        char *bytes = fb_test_read_file(file, &size);
        fb_model *model;
        fb_diag diag;
        fb_diag_init(&diag);
        FB_EQUAL_INT(fb_osim_read(&model, bytes, size, file, NULL, &diag), FB_OK);
        if (model) {
            check_round_trip(model, 40500, file);
            check_round_trip(model, 40000, file);
        }
        done(model, &diag);
    }
    FB_TRUE(n > 0, "there are models in models/");
}

/* Reads the body of a document, and checks the way there and back. */
static void round_trip(const char *inside) {
    char *text = fb_test_document(40500, inside);
    fb_diag diag;
    fb_model *model = fb_test_osim(text, &diag, NULL);
    FB_TRUE(model != NULL, "the model is read: %s", diag.n ? diag.records[0].message : inside);
    if (model) {
        check_round_trip(model, 40500, inside);
    }
    free(text);
    done(model, &diag);
}

static void roundtrip_texts_that_need_escapes(void) {
    round_trip("<credits>A &amp; B &lt;c&gt; \"d\" 'e' ]]&gt; \xC3\xA9 \xF0\x9F\x98\x80</credits>");
    round_trip("<BodySet><objects><Body name=\"&lt;b&gt; &quot;x&quot; 'y' "
               "\xC3\xA9\"><mass>1</mass></Body></objects></BodySet>");
    round_trip(
        "<BodySet><objects><Body name=\"a &amp; b\"><mass>1</mass></Body></objects></BodySet>");
    round_trip("<credits>line one\nline two\n\n\ttab &#13; return</credits>");
    round_trip("<BodySet><objects><Body "
               "name=\"tab&#9;newline&#10;return&#13;\"><mass>1</mass></Body></objects></BodySet>");
}

static void roundtrip_comments(void) {
    round_trip(
        "<!-- a --><BodySet><objects><!-- b --><Body name=\"x\"><!-- c - d --><mass>1</mass><!-- e "
        "&amp; < > --></Body>"
        "<!-- f --></objects><!-- g --></BodySet><!-- h -->");
}

static void roundtrip_kept_parts(void) {
    round_trip("<BodySet><objects><Body name=\"x\"><mass>1</mass><oddity a='1'>\r\n &lt; "
               "<![CDATA[<]]> <!-- in "
               "--></oddity></Body>"
               "</objects></BodySet><ForceSet><objects><OddForce "
               "name=\"o\"><x/></OddForce></objects></ForceSet>"
               "<odd>of the model</odd><components><OddComponent name=\"c\"/></components>");
}

#define AXIS(INSIDE) \
    "<BodySet><objects><Body name=\"b\"><mass>1</mass></Body></objects></BodySet><JointSet>" \
    "<objects><CustomJoint name=\"j\"><socket_parent_frame>/ground</socket_parent_frame>" \
    "<socket_child_frame>/bodyset/b</socket_child_frame><coordinates><Coordinate name=\"q\"/>" \
    "</coordinates><SpatialTransform><TransformAxis name=\"rotation1\"><coordinates>q" \
    "</coordinates><axis>0 0 1</axis>" INSIDE \
    "</TransformAxis></SpatialTransform></CustomJoint></objects></JointSet>"

static void roundtrip_unknown_classes_of_object_properties(void) {
    round_trip(AXIS("<MyFunction name=\"function\"><x>1</x></MyFunction>"));
    round_trip(AXIS("<MyFunction name=\"function\"/>"));
    round_trip(AXIS("<function><MyFunction><x>1</x></MyFunction></function>"));
    round_trip(AXIS("<function><MyFunction name=\"f\"><x name=\"function\"/></MyFunction>"
                    "</function>"));
    round_trip(AXIS("<function><MyFunction name=\"f\"/><Another/></function>"));
    round_trip("<ForceSet><objects><Millard2012EquilibriumMuscle name=\"m\"><MyCurve "
               "name=\"ActiveForceLengthCurve\"><x/></MyCurve></Millard2012EquilibriumMuscle>"
               "</objects></ForceSet>");
}

static void roundtrip_comments_that_begin_like_our_own(void) {
    round_trip("<!--fbtools {--><BodySet><objects><!--fbtools { by hand--><Body name=\"b\"><mass>1"
               "</mass></Body></objects></BodySet></Model><!--fbtools {-->"
               "<Model name=\"left out\">");
}

static void roundtrip_notes_of_11_megabytes(void) {
    const size_t n = 11 << 20;
    char *text = malloc(n + 100);
    size_t begin = (size_t)sprintf(text, "{\"fb\": \"1.0\", \"name\": \"m\", \"note\": \"");
    memset(text + begin, 'n', n);
    strcpy(text + begin + n, "\"}");
    fb_diag diag, diag2;
    fb_model *model = fb_test_must(fb_test_fb(text, &diag, NULL), &diag);
    char *osim = fb_test_to_osim(model, 40500);
    fb_model *again = fb_test_must(fb_test_osim(osim, &diag2, NULL), &diag2);
    const char *note = fb_get_extra(again->root, "note");
    FB_TRUE(note && strlen(note) == n + 2 && memcmp(note, text + begin - 1, n + 2) == 0,
            "the note is as it was");
    free(text);
    free(osim);
    done(model, &diag);
    done(again, &diag2);
}

static void roundtrip_special_numbers(void) {
    round_trip(
        "<BodySet><objects><Body name=\"x\"><mass>NaN</mass><mass_center>Inf -Inf -0</mass_center>"
        "<inertia>5e-324 1.7976931348623157e308 0.1 0.30000000000000004 -1e-300 "
        "123456789012345678</inertia></Body>"
        "</objects></BodySet>");
}

static void writes_numbers_in_osims_words(void) {
    fb_diag diag;
    char *text = fb_test_document(
        40500, "<BodySet><objects><Body name=\"x\"><mass>nan</mass><mass_center>inf -inf -0"
               "</mass_center></Body></objects></BodySet>");
    fb_model *model = fb_test_osim(text, &diag, NULL);
    if (model) {
        char *osim = fb_test_to_osim(model, 40500);
        FB_HOLDS(osim, "<mass>NaN</mass>");
        FB_HOLDS(osim, "<mass_center>Inf -Inf -0</mass_center>");
        FB_HOLDS(osim, "<OpenSimDocument Version=\"40500\">");
        free(osim);
        osim = fb_test_to_osim(model, 40000);
        FB_HOLDS(osim, "<OpenSimDocument Version=\"40000\">");
        free(osim);
    }
    free(text);
    done(model, &diag);
}

static void roundtrip_degrees_exactly(void) {
    unsigned long long state = fb_test_seed();
    for (int i = 0; i < 300; i++) {
        char inside[1500];
        double limit = (double)(fb_random(&state) % 3600000) / 10000 - 180,
               stiffness = (double)(fb_random(&state) % 100000) / 1000;
        snprintf(
            inside, sizeof inside,
            "<BodySet><objects><Body "
            "name=\"b\"><mass>1</mass></Body></objects></BodySet><JointSet><objects><PinJoint "
            "name=\"j\">"
            "<socket_parent_frame>/ground</socket_parent_frame><socket_child_frame>/bodyset/b</"
            "socket_child_frame>"
            "<coordinates><Coordinate "
            "name=\"q\"/></coordinates></PinJoint></objects></JointSet><ForceSet><objects>"
            "<CoordinateLimitForce "
            "name=\"f\"><coordinate>q</coordinate><upper_limit>%.17g</upper_limit>"
            "<upper_stiffness>%.17g</upper_stiffness></CoordinateLimitForce></objects></ForceSet>",
            limit, stiffness);
        char *text = fb_test_document(40500, inside), want[80];
        fb_diag diag;
        fb_model *model = fb_test_osim(text, &diag, NULL);
        char *osim = model ? fb_test_to_osim(model, 40500) : strdup("");
        fb_text number;
        fb_text_init(&number, NULL);
        fb_text_number(&number, limit);
        snprintf(want, sizeof want, "<upper_limit>%s</upper_limit>", fb_text_string(&number));
        if (!strstr(osim, want)) {
            FB_HOLDS(osim, want);
        }
        fb_text_free(&number);
        fb_text_number(&number, stiffness);
        snprintf(want, sizeof want, "<upper_stiffness>%s</upper_stiffness>",
                 fb_text_string(&number));
        if (!strstr(osim, want)) {
            FB_HOLDS(osim, want);
        }
        fb_text_free(&number);
        free(osim);
        free(text);
        done(model, &diag);
    }
}

static void tells_what_an_older_version_lacks(void) {
    char *text = fb_test_document(
        40600, "<BodySet><objects><Body name=\"b\"><mass>1</mass></Body></objects></BodySet>\n"
               "<ContactGeometrySet><objects><ContactSphere "
               "name=\"s\"><radius>1</radius><socket_frame>/ground</socket_frame></ContactSphere>"
               "<ContactTorus "
               "name=\"t\"><socket_frame>/ground</socket_frame></ContactTorus></objects></"
               "ContactGeometrySet>");
    fb_diag diag;
    fb_model *model = fb_test_osim(text, &diag, NULL);
    if (FB_TRUE(model != NULL, "the model is read")) {
        fb_text out;
        fb_diag cost;
        fb_text_init(&out, NULL);
        fb_diag_init(&cost);
        FB_EQUAL_INT(fb_osim_write(model, 40500, &out, &cost), FB_OK);
        const fb_record *record = FB_RECORD(&cost, FB_APPROXIMATED, FB2501, 3);
        FB_HOLDS(record ? record->message : NULL, "40600");
        FB_EQUAL_INT(cost.n, 1);
        fb_text_free(&out);
        fb_diag_clear(&cost);
    }
    free(text);
    done(model, &diag);
}

static void models_made_by_programs_can_be_written(void) {
    fb_model *model = fb_model_new();
    fb_element *body = fb_element_new(model, fb_class_find("Body"), "arm");
    fb_value_set_number(fb_value_of(body, "mass"), 2.5);
    fb_element_defaults(model, body);
    fb_model_add(model, body, NULL);
    fb_element *joint = fb_element_new(model, fb_class_find("WeldJoint"), "root");
    const char *parent = "ground", *child = "arm";
    fb_value_set_refs(model, fb_value_of(joint, "parent"), &parent, 1);
    fb_value_set_refs(model, fb_value_of(joint, "child"), &child, 1);
    fb_element_defaults(model, joint);
    fb_model_add(model, joint, NULL);
    fb_element_defaults(model, model->root);
    fb_element_defaults(model, model->ground);
    fb_diag diag;
    fb_diag_init(&diag);
    FB_EQUAL_INT(fb_model_link(model, &diag), FB_OK);
    FB_EQUAL_INT(diag.n, 0);
    FB_NEAR(fb_total_mass(model), 2.5, 0, 0);
    check_round_trip(model, 40500, "made by a program");
    done(model, &diag);
}

static const fb_test tests[] = {
    FB_TEST(roundtrip_models_of_the_gallery),
    FB_TEST(roundtrip_texts_that_need_escapes),
    FB_TEST(roundtrip_comments),
    FB_TEST(roundtrip_kept_parts),
    FB_TEST(roundtrip_special_numbers),
    FB_TEST(writes_numbers_in_osims_words),
    FB_TEST(roundtrip_degrees_exactly),
    FB_TEST(tells_what_an_older_version_lacks),
    FB_TEST(models_made_by_programs_can_be_written),
    FB_TEST(roundtrip_unknown_classes_of_object_properties),
    FB_TEST(roundtrip_comments_that_begin_like_our_own),
    FB_TEST(roundtrip_notes_of_11_megabytes),
    FB_TEST_END,
};

int main(int argc, char **argv) {
    return fb_test_main("osim_write", tests, argc, argv);
}
