/* fbplot draws the tables of fbsim. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tools/svg.h"

/* What fbsim writes to standard output, and nothing to standard error. */
static fb_run computed(const char *const *args) {
    fb_run run = fb_test_run(fb_fbsim_main, NULL, args);
    FB_TRUE(run.status == 0, "fbsim: status %d: %s", run.status, run.err);
    return run;
}
#define FBSIM(...) computed((const char *const[]){"fbsim", "-q", __VA_ARGS__, NULL})
#define ELBOW "models/elbow/elbow.osim"

static int count_dashed(const svg *s) {
    int n = 0;
    for (int i = 0; i < count(s, "polyline"); i++) {
        n += fb_xml_attr(element(s, "polyline", i), "stroke-dasharray") != NULL;
    }
    return n;
}

/* The polyline of a column, by its title, or NULL; of several the k-th. */
static const fb_xml_node *curve_of(const svg *s, const char *title, int k) {
    for (int i = 0; i < count(s, "polyline"); i++) {
        const fb_xml_node *line = element(s, "polyline", i), *name = fb_xml_child(line, "title");
        if (name && name->text && strcmp(name->text, title) == 0 && k-- == 0) {
            return line;
        }
    }
    return NULL;
}

static void activations_are_curves_of_one_panel(void) {
    static const struct {
        const char *curve, *unit, *x, *y;
        int curves;
    } cases[] = {
        {"total", "normalized", "Normalised fibre length", "Normalised total force", 3},
        {"total", "si", "Fibre length (m)", "Total force (N)", 3},
        {"active", "normalized", "Normalised fibre length", "Normalised active force", 3},
        {"passive", "si", "Fibre length (m)", "Passive force (N)", 1},
        {"velocity", "normalized", "Normalised fibre velocity", "Normalised active force", 3},
        {"velocity", "si", "Fibre velocity (m/s)", "Active force (N)", 3},
        {"tendon", "normalized", "Tendon strain", "Normalised tendon force", 1},
        {"tendon", "si", "Tendon length (m)", "Tendon force (N)", 1},
        {"activation", "normalized", "Activation", "Normalised tendon force", 1},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        fb_run table = FBSIM("curves", ELBOW, "-m", "brachialis", "--curve", cases[k].curve,
                             "--unit", cases[k].unit);
        svg s = PLOT(table.out, NULL);
        FB_EQUAL_STR(s.run.err, "");
        check_text(&s, cases[k].x);
        check_text(&s, cases[k].y);
        check_text(&s, "brachialis");
        FB_EQUAL_INT(count(&s, "polyline"), cases[k].curves);
        if (cases[k].curves > 1) {
            check_text(&s, "activation 0.1");
            check_text(&s, "activation 0.5");
            check_text(&s, "activation 1");
        }
        end(&s);
        fb_run_free(&table);
    }
}

static void each_muscle_has_its_panel_of_activations(void) {
    fb_run table = FBSIM("curves", ELBOW, "-m", "biceps*", "--curve", "total");
    svg s = PLOT(table.out, NULL);
    FB_EQUAL_STR(s.run.err, "");
    check_text(&s, "biceps_long");
    check_text(&s, "biceps_short");
    static const char *const names[] = {"/forceset/biceps_long|total_force|0.5",
                                        "/forceset/biceps_short|total_force|0.5",
                                        "/forceset/biceps_long|total_force|1"};
    const fb_xml_node *a = curve_of(&s, names[0], 0), *b = curve_of(&s, names[1], 0),
                      *c = curve_of(&s, names[2], 0);
    if (FB_TRUE(a && b && c, "there are the curves")) {
        fb_point pa[200], pb[200], pc[200];
        FB_TRUE(points_of(a, pa, 200) > 20 && points_of(b, pb, 200) > 20 &&
                    points_of(c, pc, 200) > 20,
                "with their points");
        FB_EQUAL_STR(fb_xml_attr(a, "stroke"), fb_xml_attr(b, "stroke"));
        FB_SAME(pa[0].x, pc[0].x);
        FB_TRUE(pb[0].x > pa[0].x + 50, "two muscles have two panels");
    }
    end(&s);
    fb_run_free(&table);
}

/* A sweep of two models, and one with a second coordinate, with numbers that can be told. */
#define PAIR_HEADER \
    "inDegrees=no\ntool=fbsim 0.1.0\nmodel=before\nfile=a/x.osim\nagainst=b/x.osim\n" \
    "against_model=after\ntranslational=\ncoupled=\n"
#define PAIR \
    STO("sweep", PAIR_HEADER, \
        "q\t/f/a|moment_arm\t/f/a|moment_arm|against\t/f/a|moment_arm|difference\t" \
        "/f/b|moment_arm\t/f/b|moment_arm|against\t/f/b|moment_arm|difference", \
        "0\t1\t2\t1\t3\t5\t2\n1\t1\t4\t3\t3\t3\t0\n")

static void two_models_of_a_sweep_are_solid_and_dashed(void) {
    svg s = PLOT(PAIR, NULL);
    FB_EQUAL_STR(s.run.err, "");
    check_text(&s, "before");
    check_text(&s, "after");
    check_text(&s, "q (rad)");
    check_text(&s, "Moment arm (m)");
    const fb_xml_node *a = curve_of(&s, "/f/a|moment_arm", 0),
                      *other = curve_of(&s, "/f/a|moment_arm|against", 0),
                      *b = curve_of(&s, "/f/b|moment_arm", 0);
    if (FB_TRUE(a && other && b, "there are the curves")) {
        fb_point p[2];
        FB_EQUAL_STR(fb_xml_attr(a, "stroke"), fb_xml_attr(other, "stroke"));
        FB_TRUE(strcmp(fb_xml_attr(a, "stroke"), fb_xml_attr(b, "stroke")) != 0, "two colours");
        FB_TRUE(!fb_xml_attr(a, "stroke-dasharray") && fb_xml_attr(other, "stroke-dasharray"),
                "the second model's is dashed");
        points_of(other, p, 2);
        FB_NEAR(p[0].y, place_y(&s, "2", "4", 2), 0.02, 0);
        FB_NEAR(p[1].y, place_y(&s, "2", "4", 4), 0.02, 0);
    }
    FB_TRUE(!curve_of(&s, "/f/a|moment_arm|difference", 0), "no differences");
    end(&s);
    s = PLOT(PAIR, "--columns", "*|difference");
    check_text(&s, "Difference of moment arm (m)");
    FB_TRUE(curve_of(&s, "/f/a|moment_arm|difference", 0) && !curve_of(&s, "/f/a|moment_arm", 0),
            "differences only");
    FB_EQUAL_INT(count_dashed(&s), 0);
    end(&s);
    s = PLOT(PAIR, "--columns", "b", "--label", "mine", "--label", "yours");
    FB_TRUE(curve_of(&s, "/f/b|moment_arm|against", 0) && !curve_of(&s, "/f/a|moment_arm", 0),
            "one muscle, in both models");
    check_text(&s, "mine");
    check_text(&s, "yours");
    end(&s);
    s = PLOT(PAIR, "--columns", "/f/a|moment_arm|against");
    check_text(&s, "a, after");
    FB_EQUAL_INT(count_dashed(&s), 0);
    end(&s);
}

static void models_of_one_name_are_told_by_their_files(void) {
    fb_run table = FBSIM("sweep", ELBOW, "-c", "elbow_flexion", "--against", ELBOW, "--steps", "3");
    svg s = PLOT(table.out, NULL);
    FB_EQUAL_STR(s.run.err, "");
    check_text(&s, "first model"); /* not even their files differ */
    check_text(&s, "second model");
    FB_EQUAL_INT(count_dashed(&s), 6 * 3 + 2);
    end(&s);
    char *text = strdup(table.out), *at = strstr(text, "against=models/elbow/elbow.osim");
    if (FB_TRUE(at != NULL, "the header names the other file")) {
        memcpy(at, "against=models/elbow/bloke.osim", 31);
        s = PLOT(text, NULL);
        check_text(&s, "elbow.osim");
        check_text(&s, "bloke.osim");
        end(&s);
    }
    free(text);
    fb_run_free(&table);
}

static void a_muscle_without_a_moment_arm_is_left_out(void) {
    static const char table[] =
        STO("sweep", "tool=fbsim 0.1.0\ntranslational=\ncoupled=\n",
            "q\t/f/a|length\t/f/a|moment_arm\t/f/b|length\t/f/b|moment_arm\tstrength_positive",
            "0\t1\t0.05\t3\t1e-17\t0\n1\t1\t-0.02\t3\t-1e-17\t0\n");
    svg s = PLOT(table, NULL);
    FB_HOLDS(s.run.err, "note: 2 columns of muscles without a moment arm are left out");
    FB_TRUE(curve_of(&s, "/f/a|length", 0) && !curve_of(&s, "/f/b|length", 0), "a, not b");
    FB_TRUE(curve_of(&s, "strength_positive", 0) != NULL, "strengths are no muscles");
    end(&s);
    s = PLOT(table, "--columns", "b");
    FB_TRUE(curve_of(&s, "/f/b|moment_arm", 0) != NULL, "b is drawn if it is named");
    end(&s);
}

/* The curve at the k-th value of the other coordinate. */
static double grid_value(double x, double y) {
    return x + 10 * y;
}

/* A grid of 3 by n values: q1 = 0, 1, 2; q2 = 0, 0.5, .. */
static char *grid_table(int n) {
    char *text = malloc((size_t)n * 200 + 500), *p = text;
    p += sprintf(p, "sweep\ninDegrees=no\ntool=fbsim 0.1.0\ntranslational=q2\ncoupled=\nendheader\n"
                    "q1\tq2\t/f/a|moment_arm\t/f/a|moment_arm_about_q2\tstrength_positive\t"
                    "strength_positive_about_q2\n");
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < n; j++) {
            double v = grid_value(i, 0.5 * j);
            p += sprintf(p, "%d\t%g\t%g\t%g\t%g\t%g\n", i, 0.5 * j, v, -v, 2 * v, -2 * v);
        }
    }
    return text;
}

static void a_grid_has_a_curve_for_each_value(void) {
    char *table = grid_table(4);
    svg s = PLOT(table, NULL);
    FB_EQUAL_STR(s.run.err, "");
    check_text(&s, "q1 (rad)");
    check_text(&s, "q2"); /* before its values in the legend */
    check_text(&s, "0 m");
    check_text(&s, "0.5 m");
    check_text(&s, "1.5 m");
    check_text(&s, "Strength (N m)");
    check_text(&s, "Strength (N)"); /* q2 slides */
    check_text(&s, "q2, positive");
    FB_EQUAL_INT(count(&s, "polyline"), 4 * 4);
    end(&s);
    s = PLOT(table, "--columns", "/f/a|moment_arm", "--size", "120x100");
    check_text(&s, "Moment arm about q1 (m)");
    for (int k = 0; k < 4; k++) {
        char title[60];
        fb_point points[3];
        sprintf(title, "/f/a|moment_arm, q2 = %g m", 0.5 * k);
        FB_EQUAL_INT(points_of(curve_of(&s, title, 0), points, 3), 3);
        for (int i = 0; i < 3; i++) {
            FB_NEAR(points[i].x, place_x(&s, "0.0", "2.0", i), 0.02, 0);
            FB_NEAR(points[i].y, place_y(&s, "5", "10", grid_value(i, 0.5 * k)), 0.03, 0);
        }
    }
    end(&s);
    /* the other way round */
    s = PLOT(table, "--columns", "/f/a|moment_arm", "--x", "q2", "--degrees");
    check_text(&s, "q2 (m)");
    check_text(&s, "57.3°");
    FB_EQUAL_INT(count(&s, "polyline"), 3);
    end(&s);
    free(table);
}

static void a_grid_of_many_values_is_thinned_evenly(void) {
    static const struct {
        int n, drawn;
        const char *last, *not_drawn;
    } cases[] = {{7, 7, "3 m", NULL},
                 {21, 6, "10 m", "0.5 m"},
                 {13, 7, "6 m", "0.5 m"},
                 {24, 7, "11.5 m", "0.5 m"},
                 {9, 5, "4 m", "0.5 m"}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        char *table = grid_table(cases[k].n), note[80];
        svg s = PLOT(table, "--columns", "/f/a|moment_arm");
        FB_EQUAL_INT(count(&s, "polyline"), cases[k].drawn);
        check_text(&s, "0 m");
        check_text(&s, cases[k].last);
        if (cases[k].not_drawn) {
            sprintf(note, "note: %d of the %d values of 'q2' are drawn", cases[k].drawn,
                    cases[k].n);
            check_no_text(&s, cases[k].not_drawn);
            FB_HOLDS(s.run.err, note);
        } else {
            FB_EQUAL_STR(s.run.err, "");
        }
        end(&s);
        free(table);
    }
}

static void grids_that_cannot_be_drawn_are_refused(void) {
    char *table = grid_table(4), *shorter = grid_table(3);
    fb_run run = RUN(table, "--x", "strength_positive");
    FB_EQUAL_INT(run.status, 2);
    FB_HOLDS(run.err, "holds a grid of two coordinates; --x is 'q1' or 'q2'");
    fb_run_free(&run);
    const char *folder = fb_test_folder(), *other = table_file(folder, "other.sto", shorter);
    run = RUN(table, "--against", other);
    FB_EQUAL_INT(run.status, 3);
    FB_HOLDS(run.err, "are no grids with the same values");
    fb_run_free(&run);
    other = table_file(folder, "same.sto", table);
    svg s = PLOT(table, "--against", other, "--columns", "/f/a|moment_arm");
    FB_EQUAL_INT(count_dashed(&s), 4);
    end(&s);
    *strrchr(table, '\n') = 0; /* without its last row */
    strrchr(table, '\n')[1] = 0;
    run = RUN(table, NULL);
    FB_EQUAL_INT(run.status, 3);
    FB_HOLDS(run.err, "no whole grid of 'q1' and 'q2'");
    FB_EQUAL_INT((int)run.n_out, 0);
    fb_run_free(&run);
    free(table);
    free(shorter);
}

/* All that fbsim writes of our models has its units, and nothing is to be told. */
static void tables_of_fbsim_need_no_help(void) {
    static const char *const models[] = {ELBOW, "models/quadriceps/quadriceps.fb"};
    static const char *const tables[] = {"body_pose",    "marker",      "com",
                                         "path_length",  "path_speed",  "moment_arm",
                                         "muscle",       "mass_matrix", "inverse_dynamics",
                                         "acceleration", "virtual_link"};
    for (int m = 0; m < 2; m++) {
        for (size_t k = 0; k < sizeof tables / sizeof tables[0]; k++) {
            if (m == 0 && strcmp(tables[k], "virtual_link") == 0) {
                continue;
            }
            fb_run table = FBSIM("eval", models[m], "--tables", tables[k]);
            svg s = PLOT(table.out, NULL);
            FB_TRUE(!strstr(s.run.err, "not known") && !strstr(s.run.err, "warning"), "%s: %s",
                    tables[k], s.run.err);
            end(&s);
            fb_run_free(&table);
        }
    }
    fb_run table = FBSIM("sweep", ELBOW, "-c", "elbow_flexion", "--and", "shoulder_flexion",
                         "--steps", "4");
    svg s = PLOT(table.out, NULL);
    FB_TRUE(!strstr(s.run.err, "not known") && !strstr(s.run.err, "warning"), "%s", s.run.err);
    check_text(&s, "−0.698 rad");
    check_text(&s, "triceps_lateral");
    end(&s);
    fb_run_free(&table);
    table = FBSIM("eval", "models/quadriceps/quadriceps.fb", "--tables", "virtual_link");
    s = PLOT(table.out, NULL);
    check_text(&s, "Tension of wire (N)");
    check_text(&s, "patellar_tendon");
    end(&s);
    fb_run_free(&table);
}

static void headers_say_what_does_not_turn(void) {
    static const char table[] = STO("acceleration",
                                    "tool=fbsim 0.1.0\ntranslational=a,c\ncoupled=d\n",
                                    "time\ta\tb\tc\td", "0\t1\t2\t3\t4\n1\t2\t3\t4\t5\n");
    svg s = PLOT(table, NULL);
    FB_EQUAL_STR(s.run.err, "");
    check_text(&s, "Acceleration (m/s²)");
    check_text(&s, "Angular acceleration (rad/s²)");
    FB_HOLDS(s.run.out, "rad/s² or m/s²");
    end(&s);
    static const char masses[] = STO("mass_matrix", "tool=fbsim 0.1.0\ntranslational=x\ncoupled=\n",
                                     "time\tx|x\ty|x\ty|y", "0\t1\t2\t3\n1\t2\t3\t4\n");
    s = PLOT(masses, NULL);
    FB_EQUAL_STR(s.run.err, "");
    check_text(&s, "Mass matrix (kg)");
    check_text(&s, "Mass matrix (kg m)");
    check_text(&s, "Mass matrix (kg m²)");
    end(&s);
}

static void lack_of_memory_is_an_internal_error(void) {
    const char *folder = fb_test_folder();
    char *grid = grid_table(9);
    const char *files[] = {table_file(folder, "grid.sto", grid),
                           table_file(folder, "pair.sto", PAIR)};
    for (int k = 0; k < 2; k++) {
        long asked = 1;
        for (long n = 1; asked >= n - 1 && n < 400; n++) { /* until none fails */
            FILE *in = tmpfile(), *out = tmpfile(), *err = tmpfile();
            char *argv[] = {(char *)(size_t) "fbplot", (char *)(size_t)files[k], NULL};
            fb_alloc_fail_at(n);
            int status = fb_fbplot_main(2, argv, in, out, err);
            asked = fb_alloc_fail_at(0);
            FB_TRUE(asked < n || status == FB_EXIT_INTERNAL, "allocation %ld fails: status %d", n,
                    status);
            fclose(in);
            fclose(out);
            fclose(err);
        }
    }
    free(grid);
}

static void other_paths_have_tensions(void) {
    fb_run table = FBSIM("sweep", "models/gallery/springs.osim", "-c", "bend");
    svg s = PLOT(table.out, NULL);
    FB_EQUAL_STR(s.run.err, "");
    check_text(&s, "Tension (N)");
    check_text(&s, "rubber_band");
    end(&s);
    fb_run_free(&table);
}

int main(int argc, char **argv) {
    static const fb_test tests[] = {
        FB_TEST(other_paths_have_tensions),
        FB_TEST(activations_are_curves_of_one_panel),
        FB_TEST(each_muscle_has_its_panel_of_activations),
        FB_TEST(two_models_of_a_sweep_are_solid_and_dashed),
        FB_TEST(models_of_one_name_are_told_by_their_files),
        FB_TEST(a_muscle_without_a_moment_arm_is_left_out),
        FB_TEST(a_grid_has_a_curve_for_each_value),
        FB_TEST(a_grid_of_many_values_is_thinned_evenly),
        FB_TEST(grids_that_cannot_be_drawn_are_refused),
        FB_TEST(tables_of_fbsim_need_no_help),
        FB_TEST(headers_say_what_does_not_turn),
        FB_TEST(lack_of_memory_is_an_internal_error),
        FB_TEST_END,
    };
    return fb_test_main("fbplot_fbsim", tests, argc, argv);
}
