/* Bundle specs and tables of measured muscles: what they say, and what is refused, with its line.
 */
#include "formats/bundle_spec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/help.h"

/* ---- specs ----------------------------------------------------------------------------------- */

static fb_status read_spec(fb_spec *spec, const char *text, fb_diag *diag) {
    size_t n = strlen(text);
    char *bytes = fb_test_bytes(text, n);
    for (size_t i = 0; i < n; i++) {
        bytes[i] = bytes[i] == '\'' ? '"' : bytes[i];
    }
    fb_diag_init(diag);
    fb_status status = fb_bundle_spec_read(spec, bytes, n, "spec.json", diag);
    fb_free(bytes);
    return status;
}

static void a_spec_is_read_whole(void) {
    fb_spec spec;
    fb_diag diag;
    FB_EQUAL_INT(
        read_spec(&spec,
                  "{'$schema': 'x', 'note': 'of an arm', 'muscles': [\n"
                  "{'name': 'BIC', 'lines': ['BIClong', 'BICshort'], 'volume': 0.000144, "
                  "'specific_tension': 508000, 'belly_length': 0.22, 'fiber_to_belly': 0.6, "
                  "'ratio': 0.6, 'bundles': 400, 'outline': 'round', 'twist': -0.5, "
                  "'height_direction': [1, 0, 0.5],\n"
                  "'heads': [{'name': 'long', 'line': 'BIClong', 'share': 0.6, 'tendon': 0.1},\n"
                  "{'line': 'BICshort', 'belly_length': 0.2, 'note': 'short'}],\n"
                  "'fascicles': [[[0, 0, 0], [0, -0.1, 0]], {'frame': 'humerus', 'points': [[0, 0, "
                  "0], [0, -0.1, 0], [0, -0.2, 0]]}]},\n"
                  "{'name': 'BRA', 'outline': [[-1, 0], [1, 0], [0, 0.5]], 'cores': [{'frame': "
                  "'humerus', 'points': [[0, 0, 0], [0, -0.1, 0]]}]},\n"
                  "{'name': 'PT', 'outline': {'mesh': 'pt.stl', 'frame': 'ulna', 'unit': 'mm', "
                  "'insertion_frame': 'radius', 'origin': [[1, 2, 3], [4, 5, 6]]}}]}",
                  &diag),
        FB_OK);
    FB_EQUAL_INT(spec.n_muscles, 3);
    const fb_spec_muscle *bic = &spec.muscles[0], *bra = &spec.muscles[1], *pt = &spec.muscles[2];
    FB_EQUAL_STR(bic->name, "BIC");
    FB_EQUAL_INT(bic->line_number, 2);
    FB_EQUAL_INT(bic->n_lines, 2);
    FB_EQUAL_STR(bic->lines[1], "BICshort");
    FB_SAME(bic->volume, 0.000144);
    FB_SAME(bic->specific_tension, 508000);
    FB_SAME(bic->belly_length, 0.22);
    FB_SAME(bic->fiber_to_belly, 0.6);
    FB_SAME(bic->ratio, 0.6);
    FB_SAME(bic->twist, -0.5);
    FB_SAME(bic->height_direction[2], 0.5);
    FB_EQUAL_INT(bic->bundles, 400);
    FB_EQUAL_INT(bic->outline.kind, FB_OUTLINE_ROUND);
    FB_EQUAL_INT(bic->n_heads, 2);
    FB_EQUAL_STR(bic->heads[0].name, "long");
    FB_SAME(bic->heads[0].share, 0.6);
    FB_SAME(bic->heads[0].tendon, 0.1);
    FB_TRUE(isnan(bic->heads[0].belly_length), "not said");
    FB_EQUAL_INT(bic->heads[1].line_number, 4);
    FB_SAME(bic->heads[1].belly_length, 0.2);
    FB_EQUAL_INT(bic->n_fascicles, 2);
    FB_TRUE(bic->fascicles[0].frame == NULL, "in ground");
    FB_EQUAL_INT(bic->fascicles[1].n_points, 3);
    FB_EQUAL_STR(bic->fascicles[1].frame, "humerus");
    FB_SAME(bic->fascicles[1].points[2][1], -0.2);
    FB_EQUAL_INT(bra->outline.kind, FB_OUTLINE_POLYGON);
    FB_SAME(bra->outline.polygon[2][1], 0.5);
    FB_EQUAL_STR(bra->cores[0].course.frame, "humerus");
    FB_EQUAL_INT(bra->cores[0].course.n_points, 2);
    FB_TRUE(isnan(bra->volume) && isnan(bra->twist) && isnan(bra->height_direction[0]) &&
                isnan(bra->cores[0].share) && bra->bundles == 0,
            "not said");
    FB_EQUAL_INT(pt->outline.kind, FB_OUTLINE_MESH);
    FB_EQUAL_STR(pt->outline.mesh, "pt.stl");
    FB_EQUAL_STR(pt->outline.frame, "ulna");
    FB_EQUAL_STR(pt->outline.unit, "mm");
    FB_EQUAL_STR(pt->outline.insertion_frame, "radius");
    FB_EQUAL_INT(pt->outline.origin.n_points, 2);
    FB_SAME(pt->outline.origin.points[1][2], 6); /* the mesh is not read yet */
    FB_EQUAL_INT(pt->outline.insertion.n_points, 0);
    FB_EQUAL_INT(diag.n, 0);
    fb_bundle_spec_free(&spec);
    fb_bundle_spec_free(&spec);
    fb_diag_clear(&diag);
}

/* `inside` as the members of the one muscle of a spec, on line 2. */
static void refuse_muscle(const char *inside, const char *what) {
    fb_spec spec;
    fb_diag diag;
    char text[1000];
    snprintf(text, sizeof text, "{'muscles': [\n{'name': 'm', %s}]}", inside);
    FB_EQUAL_INT(read_spec(&spec, text, &diag), FB_E_INPUT);
    const fb_record *record = FB_RECORD(&diag, FB_ERROR, FB1304, 2);
    FB_HOLDS(record ? record->message : "", what);
    FB_EQUAL_STR(record ? record->file : "", "spec.json");
    FB_EQUAL_INT(spec.n_muscles, 0);
    fb_diag_clear(&diag);
}

static void wrong_members_are_refused(void) {
    refuse_muscle("'volum': 1", "/muscles/0/volum: there is no such member; is 'volume' meant?");
    refuse_muscle("'zzz': 1", "there are name, lines, cores");
    refuse_muscle("'volume': 144", "m^3; 100 cm^3 are 0.0001), got 144");
    refuse_muscle("'volume': 0", "must be a number above 0");
    refuse_muscle("'volume': '1'", "must be a number above 0");
    refuse_muscle("'specific_tension': 60", "60 N/cm^2 are 600000");
    refuse_muscle("'belly_length': 220", "got 220");
    refuse_muscle("'fiber_to_belly': 1.5", "from 0.01 up to 1");
    refuse_muscle("'twist': 90", "90 degrees are 1.5708");
    refuse_muscle("'bundles': 40.5", "whole number");
    refuse_muscle("'bundles': 1000001", "got 1000001");
    refuse_muscle("'bundles': 0", "from 1");
    refuse_muscle("'height_direction': [1, 0]", "three numbers");
    refuse_muscle("'height_direction': [0, 0, 0]", "must not be zero");
    refuse_muscle("'lines': []", "must be a list of names");
    refuse_muscle("'lines': [1]", "/muscles/0/lines/0: must be a text");
    refuse_muscle("'outline': 'oval'", "\"round\", \"flat\"");
    refuse_muscle("'outline': [[0, 1], [1, 0]]", "three points or more");
    refuse_muscle("'outline': [[0, 1], [1, 0], [1]]",
                  "/muscles/0/outline/2: must be a list of two");
    refuse_muscle("'outline': {'frame': 'x'}", "must have a mesh");
    refuse_muscle("'outline': {'mesh': 'x', 'unit': 'cm'}", "\"m\" or \"mm\"");
    refuse_muscle("'outline': {'mesh': 'x', 'origin': [[1, 2, 3]]}", "two points or more");
    refuse_muscle("'fascicles': [[[0, 0, 0]]]", "two points or more");
    refuse_muscle("'fascicles': [{'frame': 'x'}]", "must have points");
    refuse_muscle("'cores': [{}]", "must have a line or points");
    refuse_muscle("'cores': [{'line': 'x'}], 'heads': [{'line': 'x'}]", "not both");
    refuse_muscle("'heads': [{'share': 0.5}]", "must have a line");
    refuse_muscle("'heads': [{'line': 'x', 'tendons': 0.5}]", "is 'tendon' meant?");
    refuse_muscle("'heads': ['x']", "must be an object");
}

static void refuse_spec(const char *text, fb_diag_id id, int line, const char *what) {
    fb_spec spec;
    fb_diag diag;
    FB_EQUAL_INT(read_spec(&spec, text, &diag), FB_E_INPUT);
    const fb_record *record = FB_RECORD(&diag, FB_ERROR, id, line);
    FB_HOLDS(record ? record->message : "", what);
    fb_diag_clear(&diag);
}

static void wrong_specs_are_refused(void) {
    refuse_spec("{'muscles': [\n{'name': 'm'},\n{'name': 'm'}]}", FB1304, 3,
                "its name is taken by that of line 2");
    refuse_spec("{'muscles': [{'volume': 0.001}]}", FB1304, 1, "must have a name");
    refuse_spec("{'muscles': {}}", FB1304, 1, "must have a list 'muscles'");
    refuse_spec("{'muscle': []}", FB1304, 1, "is 'muscles' meant?");
    refuse_spec("{}", FB1304, 1, "must have a list 'muscles'");
    refuse_spec("[]", FB1304, 1, "must be an object");
    refuse_spec("{'muscles': [\n", FB1301, -1, "not well-formed");
    refuse_spec("", FB1301, -1, "not well-formed");
}

/* Every beginning of a spec is read or refused, in memory of just that size. */
static void beginnings_are_refused(void) {
    static const char text[] = "{'muscles': [{'name': 'a', 'heads': [{'line': 'x', 'share': 0.5}], "
                               "'fascicles': [[[0, 0, 0], [1, 2, 3]]], 'outline': [[0, 1], [1, 1], "
                               "[1, 0]]}]}";
    for (size_t n = 0; n < sizeof text - 1; n++) {
        char part[sizeof text];
        fb_spec spec;
        fb_diag diag;
        memcpy(part, text, n);
        part[n] = 0;
        FB_EQUAL_INT(read_spec(&spec, part, &diag), FB_E_INPUT);
        fb_diag_clear(&diag);
    }
}

static void memory_may_run_out_in_specs(void) {
    static const char text[] = "{\"muscles\": [{\"name\": \"a\", \"lines\": [\"b\"], \"heads\": "
                               "[{\"line\": \"b\"}]}]}";
    for (long n = 1;; n++) {
        fb_spec spec;
        fb_diag diag;
        fb_diag_init(&diag);
        fb_alloc_fail_at(n);
        fb_status status = fb_bundle_spec_read(&spec, text, sizeof text - 1, "spec.json", &diag);
        fb_alloc_fail_at(0);
        fb_bundle_spec_free(&spec);
        fb_diag_clear(&diag);
        if (status == FB_OK || !FB_TRUE(n < 200, "it ends")) {
            break;
        }
        FB_EQUAL_INT(status, FB_E_MEMORY);
    }
}

/* The schema is the same table, and so names the same members. */
static void the_schema_is_up_to_date(void) {
    fb_text out;
    size_t size;
    char *file = fb_test_read_file("docs/bundles.schema.json", &size);
    fb_text_init(&out, NULL);
    fb_bundle_schema_write(&out);
    FB_EQUAL_STR(file, fb_text_string(&out));
    fb_text_free(&out);
    fb_free(file);
}

/* ---- tables ---------------------------------------------------------------------------------- */

static fb_status read_table(fb_measured *measured, const char *text, fb_diag *diag) {
    size_t n = strlen(text);
    char *bytes = fb_test_bytes(text, n);
    fb_diag_init(diag);
    fb_status status = fb_bundle_table_read(measured, bytes, n, "own.tsv", diag);
    fb_free(bytes);
    return status;
}

static void check_table(const char *text) {
    fb_measured measured;
    fb_diag diag;
    FB_EQUAL_INT(read_table(&measured, text, &diag), FB_OK);
    if (FB_EQUAL_INT(measured.n_muscles, 2)) {
        const fb_measured_muscle *a = &measured.muscles[0], *b = &measured.muscles[1];
        FB_EQUAL_STR(a->name, "BIC");
        FB_NEAR(a->volume, 144e-6, 0, 1e-15);
        FB_TRUE(isnan(a->area), "not said");
        FB_NEAR(a->belly_length, 0.22, 0, 1e-15);
        FB_EQUAL_STR(b->name, "BRA");
        FB_TRUE(isnan(b->volume), "not said");
        FB_NEAR(b->area, 7e-4, 0, 1e-15);
    }
    fb_bundle_table_free(&measured);
    fb_diag_clear(&diag);
}

static void tables_are_read_in_every_form(void) {
    check_table("name\tvolume\tarea\tbelly_length\nBIC\t0.000144\t-\t0.22\nBRA\t\t0.0007\tNA\n");
    check_table("# of a man\nname,volume_cm3,area_cm2,belly_length_cm\r\n\r\nBIC, 144 ,,22\r\n"
                "# and\r\n\"BRA\",NA,7,\r\n");
    check_table("belly_length_mm;area_mm2;name;volume_ml\n220;;BIC;144\n;700;BRA;\n");
    check_table("name volume area belly_length\nBIC 0.000144 - 0.22\n  BRA   -   0.0007  -");
}

static void refuse_table(const char *text, int line, const char *what) {
    fb_measured measured;
    fb_diag diag;
    FB_EQUAL_INT(read_table(&measured, text, &diag), FB_E_INPUT);
    const fb_record *record = FB_RECORD(&diag, FB_ERROR, FB1304, line);
    FB_HOLDS(record ? record->message : "", what);
    FB_EQUAL_INT(measured.n_muscles, 0);
    fb_diag_clear(&diag);
}

static void wrong_tables_are_refused(void) {
    refuse_table("", 0, "must begin with a line of column names");
    refuse_table("# only\n", 1, "must begin with a line of column names");
    refuse_table("muscle\tvolume\n", 1, "no column 'muscle'");
    refuse_table("name\tvolume_cm\n", 1, "is it to be volume_cm3");
    refuse_table("volume\tarea\n", 1, "one column 'name'");
    refuse_table("name\tname\n", 1, "one column 'name'");
    refuse_table("name\tvolume\nBIC\n", 2, "must have 2 cells");
    refuse_table("name\tvolume\nBIC\t1\t2\n", 2, "must have 2 cells");
    refuse_table("name\tvolume\n\nBIC\t144\n", 3, "volume_cm3 is in cm^3");
    refuse_table("name\tvolume_cm3\nBIC\t-144\n", 2, "must be above 0");
    refuse_table("name\tvolume_cm3\nBIC\t14,4\n", 2, "not a number: '14,4'");
    refuse_table("name\tvolume_cm3\nBIC\tinf\n", 2, "not a number");
    refuse_table("name\tvolume_cm3\n\t144\n", 2, "without a name");
    refuse_table("name\tvolume_cm3\nBIC\t144\nBIC\t145\n", 3, "stands in line 2 already");
    refuse_table("name\tvolume_cm3\tvolume_ml\nBIC\t144\t144\n", 2, "given twice");
}

int main(int argc, char **argv) {
    static const fb_test tests[] = {
        FB_TEST(a_spec_is_read_whole),
        FB_TEST(wrong_members_are_refused),
        FB_TEST(wrong_specs_are_refused),
        FB_TEST(beginnings_are_refused),
        FB_TEST(memory_may_run_out_in_specs),
        FB_TEST(the_schema_is_up_to_date),
        FB_TEST(tables_are_read_in_every_form),
        FB_TEST(wrong_tables_are_refused),
        FB_TEST_END,
    };
    return fb_test_main("bundle spec", tests, argc, argv);
}
