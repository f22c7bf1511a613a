#include <cairo.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/number.h"
#include "tests/tools/svg.h"

/* ---- ticks ----------------------------------------------------------------------------------- */

static void ticks_are_multiples_of_one_two_or_five(void) {
    unsigned long long seed = fb_test_seed();
    for (int k = 0; k < 2000; k++) {
        double low = ((double)(fb_random(&seed) % 2000001) - 1e6) / 1e3;
        double span = pow(10, (double)(fb_random(&seed) % 9000) / 1000 - 4);
        int most = 3 + (int)(fb_random(&seed) % 6);
        fb_plot_axis axis = {.low = low, .high = low + span};
        fb_plot_ticks(&axis, most);
        double mantissa = axis.step / pow(10, floor(log10(axis.step) + 1e-9));
        FB_TRUE(fabs(mantissa - 1) < 1e-6 || fabs(mantissa - 2) < 1e-6 || fabs(mantissa - 5) < 1e-6,
                "step %g over %g", axis.step, span);
        FB_TRUE(axis.n_ticks >= 2 && (axis.n_ticks <= most || axis.n_ticks <= 6),
                "%d ticks, %d at most", axis.n_ticks, most);
        double last = axis.first + (axis.n_ticks - 1) * axis.step, slack = 1e-6 * span;
        FB_TRUE(axis.first >= axis.low - slack && last <= axis.high + slack,
                "ticks from %g to %g in %g to %g", axis.first, last, axis.low, axis.high);
        FB_TRUE(axis.first - axis.step < axis.low + slack && last + axis.step > axis.high - slack,
                "no tick is left out");
        /* the numbers say what they stand at */
        for (int i = 0; i < axis.n_ticks; i++) {
            char text[64];
            fb_plot_tick_text(&axis, i, text, sizeof text);
            bool minus = strncmp(text, "\xE2\x88\x92", 3) == 0;
            double x = atof(minus ? text + 3 : text) * pow(10, axis.power) * (minus ? -1 : 1);
            FB_NEAR(x, axis.first + i * axis.step, 1e-6 * axis.step, 0);
        }
    }
}

static void ticks_are_the_expected_ones(void) {
    static const struct {
        double low, high;
        int most;
        const char *texts;
    } cases[] = {
        {0, 10, 6, "0 2 4 6 8 10"},          {-1, 1, 5, "−1.0 −0.5 0.0 0.5 1.0"},
        {0.013, 0.047, 4, "0.02 0.03 0.04"}, {0, 4e6, 5, "0 1 2 3 4"},
        {-3e-5, 0, 4, "−3 −2 −1 0"},         {95, 105, 3, "95 100 105"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        fb_plot_axis axis = {.low = cases[k].low, .high = cases[k].high};
        fb_plot_ticks(&axis, cases[k].most);
        char all[400] = "", text[64];
        for (int i = 0; i < axis.n_ticks; i++) {
            fb_plot_tick_text(&axis, i, text, sizeof text);
            strcat(strcat(all, i ? " " : ""), text);
        }
        FB_EQUAL_STR(all, cases[k].texts);
    }
}

/* ---- points ---------------------------------------------------------------------------------- */

static void points_land_where_the_axes_say(void) {
    svg s = PLOT("x,y\n0,10\n2.5,17.5\n5,40\n10,20\n", NULL);
    fb_point points[8];
    FB_EQUAL_INT(count(&s, "polyline"), 1);
    FB_EQUAL_INT(points_of(element(&s, "polyline", 0), points, 8), 4);
    static const double x[] = {0, 2.5, 5, 10}, y[] = {10, 17.5, 40, 20};
    for (int i = 0; i < 4; i++) {
        FB_NEAR(points[i].x, place_x(&s, "2", "8", x[i]), 0.02, 0);
        FB_NEAR(points[i].y, place_y(&s, "10", "40", y[i]), 0.02, 0);
    }
    /* the right way up, and inside the page */
    FB_TRUE(points[2].y < points[0].y && points[3].x > points[0].x, "up is up, right is right");
    FB_NEAR(number(s.xml.root, "width"), 100, 1e-9, 0);
    end(&s);
}

static void a_page_has_the_size_that_is_asked_for(void) {
    static const char *const sizes[] = {"85x60", "8.5x6cm", "85x60mm"};
    for (int i = 0; i < 3; i++) {
        svg s = PLOT("x,y\n0,1\n1,2\n", "--size", sizes[i]);
        FB_EQUAL_STR(fb_xml_attr(s.xml.root, "width"), "85mm");
        FB_EQUAL_STR(fb_xml_attr(s.xml.root, "height"), "60mm");
        FB_EQUAL_STR(fb_xml_attr(s.xml.root, "viewBox"), "0 0 240.94 170.08");
        end(&s);
    }
}

static void dense_curves_keep_their_peaks(void) {
    const int rows = 50000, most = 40000;
    char *table = malloc((size_t)rows * 16 + 100), *p = table;
    p += sprintf(p, "x,y\n");
    for (int i = 0; i <= rows; i++) {
        p += sprintf(p, "%d,%d\n", i, i == 12345 ? 40 : i == 12346 ? -10 : i % 2);
    }
    svg s = PLOT(table, NULL);
    fb_point *points = malloc((size_t)most * sizeof *points);
    int n = points_of(element(&s, "polyline", 0), points, most);
    FB_TRUE(n > 1000 && n < 20000, "%d points", n);
    double top = FB_INFINITY, bottom = -FB_INFINITY, at = 0;
    for (int i = 0; i < n; i++) {
        at = points[i].y < top ? points[i].x : at;
        top = fmin(top, points[i].y);
        bottom = fmax(bottom, points[i].y);
        FB_TRUE(i == 0 || points[i].x >= points[i - 1].x, "point %d goes on", i);
    }
    FB_NEAR(top, place_y(&s, "0", "40", 40), 0.02, 0);
    FB_NEAR(bottom, place_y(&s, "0", "40", -10), 0.02, 0);
    FB_NEAR(at, place_x(&s, "10000", "20000", 12345), 0.11, 0);
    end(&s);
    free(points);
    free(table);
}

static void gaps_break_lines_and_are_told(void) {
    svg s = PLOT("x,y\n0,1\n1,2\n2,\n3,4\n4,5\n5,nan\n6,3\n7,inf\n8,1\n9,2\n", NULL);
    FB_EQUAL_INT(count(&s, "polyline"), 3);
    FB_EQUAL_INT(count(&s, "circle"), 1); /* a point between two gaps */
    FB_HOLDS(s.run.err, "3 points are missing (nan)");
    FB_HOLDS(s.run.err, "'y' of <stdin>");
    end(&s);
    fb_run quiet = RUN("x,y\n0,1\n1,\n", "-q");
    FB_EQUAL_STR(quiet.err, "");
    fb_run_free(&quiet);
}

static void extreme_numbers_have_ticks(void) {
    static const char *const tables[] = {
        "x,y\n0,0\n1,0\n",
        "x,y\n1,5\n1,5\n",
        "x,y\nnan,nan\n,\n",
        "x,y\n0,1e308\n1,-1e308\n",
        "x,y\n0,1e299\n1,-1e299\n",
        "x,y\n0,1e-320\n1,3e-320\n",
        "x,y\n0,1e-299\n1,2e-299\n",
        "x,y\n1e15,1\n1000000000000001,2\n",
        "x,y\n0,1\n1,1.0000000000000002\n",
    };
    for (size_t k = 0; k < sizeof tables / sizeof tables[0]; k++) {
        svg s = PLOT(tables[k], NULL);
        FB_TRUE(count(&s, "text") >= 5, "case %zu: %d texts", k, count(&s, "text"));
        FB_TRUE(!strstr(s.run.out, "nan") && !strstr(s.run.out, "inf"), "case %zu: %s", k,
                s.run.out);
        end(&s);
    }
}

/* A picture that fbplot made, for its pixels. */
typedef struct memory {
    const char *bytes;
    size_t at, n;
} memory;

static cairo_status_t give_bytes(void *context, unsigned char *to, unsigned n) {
    memory *m = context;
    if (m->at + n > m->n) {
        return CAIRO_STATUS_READ_ERROR;
    }
    memcpy(to, m->bytes + m->at, n);
    m->at += n;
    return CAIRO_STATUS_SUCCESS;
}

static unsigned pixel(cairo_surface_t *image, int x, int y) {
    const unsigned char *row = cairo_image_surface_get_data(image) +
                               (size_t)y * (size_t)cairo_image_surface_get_stride(image);
    unsigned rgb;
    memcpy(&rgb, row + 4 * x, 4);
    return rgb & 0xFFFFFF;
}

static void a_png_shows_what_the_svg_says(void) {
    static const char table[] = "x,a_l,a_r\n0,1,1\n10,1,3\n";
    static const char *const options[] = {"--size", "100x80", "--group", "a_*", "--unit", "x=s"};
    svg s = plot_args(table, (const char *const[]){"fbplot", options[0], options[1], options[2],
                                                   options[3], options[4], options[5], NULL});
    fb_run run = RUN(table, "--format", "png", "--dpi", "254", options[0], options[1], options[2],
                     options[3], options[4], options[5]);
    FB_EQUAL_INT(run.status, 0);
    memory m = {run.out, 0, run.n_out};
    cairo_surface_t *image = cairo_image_surface_create_from_png_stream(give_bytes, &m);
    FB_EQUAL_INT(cairo_surface_status(image), CAIRO_STATUS_SUCCESS);
    FB_EQUAL_INT(cairo_image_surface_get_width(image), 1000); /* 10 pixels a mm */
    FB_EQUAL_INT(cairo_image_surface_get_height(image), 800);
    fb_point points[2];
    for (int i = 0; i < 2; i++) { /* in the middle of each line, in its colour */
        const fb_xml_node *line = element(&s, "polyline", i);
        if (points_of(line, points, 2) == 2 && cairo_surface_status(image) == 0) {
            double x = (points[0].x + points[1].x) / 2, y = (points[0].y + points[1].y) / 2;
            unsigned want = (unsigned)strtoul(fb_xml_attr(line, "stroke") + 1, NULL, 16);
            unsigned got = pixel(image, (int)(x * 254 / 72), (int)(y * 254 / 72));
            FB_EQUAL_INT(got, want);
        }
    }
    FB_EQUAL_INT(pixel(image, 0, 0), 0xFFFFFF);
    FB_EQUAL_INT(pixel(image, 999, 799), 0xFFFFFF);
    cairo_surface_destroy(image);
    /* its chunk pHYs: 10000 pixels a metre */
    static const char phys[] = "pHYs\0\0\x27\x10\0\0\x27\x10\1";
    FB_TRUE(run.n_out > 60 && memcmp(run.out + 37, phys, 13) == 0, "the resolution is told");
    fb_run_free(&run);
    end(&s);
}

static void the_same_table_gives_the_same_bytes(void) {
    static const char table[] = "t,a_l,a_r,b\n0,1,1,5\n10,1,3,6\n20,4,2,2\n";
    for (int png = 0; png < 2; png++) {
        fb_run a = RUN(table, "--format", png ? "png" : "svg"),
               b = RUN(table, "--format", png ? "png" : "svg");
        FB_TRUE(a.n_out > 1000 && a.n_out == b.n_out && memcmp(a.out, b.out, a.n_out) == 0,
                "%zu and %zu bytes", a.n_out, b.n_out);
        fb_run_free(&a);
        fb_run_free(&b);
    }
}

/* ---- units and labels ------------------------------------------------------------------------ */

static void units_are_those_that_the_table_says(void) {
    static const struct {
        const char *table, *x, *y;
    } cases[] = {
        {STO("Coordinates", "inDegrees=yes\n", "time\thip_flexion_r", "0\t1\n1\t50\n"), "Time (s)",
         "Angle (°)"},
        {STO("Coordinates", "inDegrees=yes\n", "time\tpelvis_tx", "0\t1\n1\t2\n"), "Time (s)",
         "Translation (m)"},
        /* what it is called does not say whether it turns */
        {STO("Coordinates", "inDegrees=yes\n", "time\tknee_angle_r_beta", "0\t1\n1\t2\n"),
         "Time (s)", "Coordinate value"},
        /* old programs wrote inDegrees=no over degrees */
        {STO("Coordinates", "inDegrees=no\n", "time\thip_flexion_r", "0\t1\n1\t2\n"), "Time (s)",
         "Angle"},
        {STO("Coordinates", "Angles are in degrees.\n", "time\thip_flexion_r", "0\t1\n1\t2\n"),
         "Time (s)", "Angle (°)"},
        {STO("Speeds", "inDegrees=yes\n", "time\tknee_angle_l", "0\t1\n1\t2\n"), "Time (s)",
         "Angular velocity (°/s)"},
        {STO("states", "inDegrees=no\n", "time\t/jointset/k/knee_angle_l/value", "0\t1\n1\t2\n"),
         "Time (s)", "Angle (rad)"},
        {STO("states", "inDegrees=no\n", "time\t/jointset/k/knee_angle_l/value", "0\t1\n1\t52\n"),
         "Time (s)", "Angle"},
        {STO("s", "", "time\tvasti.activation", "0\t1\n1\t2\n"), "Time (s)", "Activation"},
        {STO("s", "", "time\t/forceset/vasti/fiber_length", "0\t1\n1\t2\n"), "Time (s)",
         "Fibre length (m)"},
        /* forces are no angles */
        {STO("grf", "inDegrees=yes\n", "time\tground_force_vy", "0\t1\n1\t2\n"), "Time (s)",
         "Force (N)"},
        {STO("grf", "inDegrees=yes\n", "time\tf1_2", "0\t1\n1\t2\n"), "Time (s)", "f1_2"},
        {STO("Inverse Dynamics Generalized Forces", "inDegrees=no\n", "time\tknee_angle_r_moment",
             "0\t1\n1\t2\n"),
         "Time (s)", "Moment (N m)"},
        {STO("ActuatorForces", "", "time\tvasti", "0\t1\n1\t2\n"), "Time (s)",
         "Actuator force (N or N m)"},
        {STO("sweep", "inDegrees=no\ntool=fbsim 0.1.0\n", "elbow_flexion\t/forceset/BRA|moment_arm",
             "0\t1\n1\t2\n"),
         "elbow_flexion (rad)", "Moment arm (m)"},
        /* the same words in a table that fbsim did not write */
        {STO("sweep", "inDegrees=no\n", "elbow_flexion\t/forceset/BRA|moment_arm", "0\t1\n1\t2\n"),
         "elbow_flexion", "Moment arm"},
        {STO("com", "tool=fbsim 0.1.0\n", "time\tkinetic_energy", "0\t1\n1\t2\n"), "Time (s)",
         "Kinetic energy (J)"},
        {"time,emg (mV)\n0,1\n1,2\n", "Time", "emg (mV)"},
        {"t [ms],angle [deg]\n0,1\n1,2\n", "t (ms)", "angle (°)"},
        {"phase (%),x (-)\n0,1\n1,2\n", "phase (%)", "x"},
        {"time,big (Pa)\n0,1e6\n1,5e6\n", "Time", "big (×10⁶ Pa)"},
        {"time,small\n0,1e-6\n1,5e-6\n", "Time", "small (×10⁻⁶)"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        svg s = PLOT(cases[k].table, NULL);
        check_text(&s, cases[k].x);
        check_text(&s, cases[k].y);
        end(&s);
    }
}

static void options_say_what_the_table_does_not(void) {
    static const char table[] = "time,f,g\n0,1,2\n1,2,3\n";
    svg s = PLOT(table, "--unit", "time=ms", "--unit", "f=kN", "--title", "A <title> & more");
    check_text(&s, "Time (ms)");
    check_text(&s, "f (kN)");
    check_text(&s, "g");
    check_text(&s, "A <title> & more");
    FB_HOLDS(s.run.err, "the units of 1 column are not known, the first is 'g'");
    end(&s);
    s = PLOT(table, "--xlabel", "Frames", "--ylabel", "Force (N)");
    check_text(&s, "Frames");
    check_text(&s, "Force (N)");
    FB_EQUAL_STR(s.run.err, "");
    end(&s);
    s = PLOT(table, "--x", "f", "--unit", "N");
    check_text(&s, "f");
    check_text(&s, "g (N)");
    end(&s);
}

static void degrees_are_drawn_on_demand(void) {
    static const char table[] = STO("sweep", "tool=fbsim 0.1.0\n",
                                    "elbow_flexion\tstrength_positive",
                                    "0\t1\n3.14159265358979\t2\n");
    svg s = PLOT(table, "--degrees");
    check_text(&s, "elbow_flexion (°)");
    check_text(&s, "Strength (N m)");
    fb_point points[2];
    if (points_of(element(&s, "polyline", 0), points, 2) == 2) {
        FB_NEAR(points[1].x, place_x(&s, "0", "100", 180), 0.02, 0);
    }
    end(&s);
}

static void a_model_says_what_turns(void) {
    const char *folder = fb_test_folder(), *model = fb_test_path(folder, "m.fb");
    static const char document[] =
        "{\"fb\": \"1.0\", \"name\": \"m\", \"bodies\": [{\"name\": \"a\", \"mass\": 1, "
        "\"inertia\": [1, 1, 1, 0, 0, 0]}, {\"name\": \"b\", \"mass\": 1, "
        "\"inertia\": [1, 1, 1, 0, 0, 0]}], \"joints\": [{\"name\": \"j\", \"type\": \"pin\", "
        "\"parent\": \"ground\", \"child\": \"a\", \"coordinates\": [{\"name\": \"depth\"}]}, "
        "{\"name\": \"k\", \"type\": \"slider\", \"parent\": \"a\", \"child\": \"b\", "
        "\"coordinates\": [{\"name\": \"tilt\"}]}]}";
    fb_test_write_file(model, document, sizeof document - 1);
    static const char table[] = STO("Coordinates", "inDegrees=yes\n", "time\tdepth\ttilt",
                                    "0\t1\t2\n1\t2\t3\n");
    svg s = PLOT(table, "--model", model);
    check_text(&s, "Angle (°)");
    check_text(&s, "Translation (m)");
    check_text(&s, "depth");
    end(&s);
}

static void odd_names_stay_well_formed(void) {
    svg s = PLOT("t,\xCE\xBC <&> \"x\",\xFF\xFE"
                 "bad\xC3,\xED\xA0\x80z\n0,1,2,1\n1,2,3,1\n",
                 NULL);
    check_text(&s, "μ <&> \"x\"");
    check_text(&s, "\xEF\xBF\xBD\xEF\xBF\xBD"
                   "bad\xEF\xBF\xBD");
    end(&s);
    fb_run run = RUN("t,\xE8\x82\x98\n0,1\n1,2\n", "--format", "png");
    FB_EQUAL_INT(run.status, 0);
    FB_HOLDS(run.err, "the font lacks characters of '\xE8\x82\x98'");
    fb_run_free(&run);
}

/* ---- panels ---------------------------------------------------------------------------------- */

static void columns_of_one_quantity_share_a_panel(void) {
    static const char table[] =
        STO("muscle", "tool=fbsim 0.1.0\n",
            "time\t/f/a|tendon_force\t/f/a|fiber_length\t/f/b|tendon_force\t/f/b|fiber_length",
            "0\t1\t2\t3\t4\n1\t2\t3\t4\t5\n");
    svg s = PLOT(table, NULL);
    FB_EQUAL_INT(count(&s, "polyline"), 4);
    check_text(&s, "Tendon force (N)");
    check_text(&s, "Fibre length (m)");
    check_text(&s, "a");
    check_text(&s, "b");
    /* a muscle has one colour in all panels */
    FB_EQUAL_STR(fb_xml_attr(element(&s, "polyline", 0), "stroke"),
                 fb_xml_attr(element(&s, "polyline", 2), "stroke"));
    FB_TRUE(strcmp(fb_xml_attr(element(&s, "polyline", 0), "stroke"),
                   fb_xml_attr(element(&s, "polyline", 1), "stroke")) != 0,
            "two muscles have two colours");
    end(&s);
}

static void both_sides_and_parts_of_vectors_share_a_panel(void) {
    svg s = PLOT("time,knee_r,knee_l,com_x,com_y,com_z,r_elbow,l_elbow,hip_r_reserve,"
                 "hip_l_reserve,head_r\n0,1,2,3,4,5,6,7,8,9,1\n1,2,3,4,5,6,7,8,9,1,2\n",
                 NULL);
    check_text(&s, "knee");
    check_text(&s, "com");
    check_text(&s, "elbow");
    check_text(&s, "hip_reserve");
    check_text(&s, "r");
    check_text(&s, "z");
    check_text(&s, "head_r"); /* its other side is not there */
    check_no_text(&s, "knee_r");
    FB_EQUAL_INT(count(&s, "polyline"), 10);
    end(&s);
}

/* A plain table of n columns beside the first. */
static char *wide_table(int n, const char *form) {
    char *text = malloc((size_t)n * 60 + 100), *p = text;
    p += sprintf(p, "t");
    for (int i = 0; i < n; i++) {
        p += sprintf(p, ",");
        p += sprintf(p, "%s%d", form, i);
    }
    for (int row = 0; row < 2; row++) {
        p += sprintf(p, "\n%d", row);
        for (int i = 0; i < n; i++) {
            p += sprintf(p, ",%d", i + row);
        }
    }
    sprintf(p, "\n");
    return text;
}

static void many_columns_become_many_panels(void) {
    char *table = wide_table(100, "column_");
    svg s = PLOT(table, NULL);
    FB_EQUAL_INT(count(&s, "polyline"), 100);
    check_text(&s, "column_0");
    check_text(&s, "column_99");
    /* no two lines in one place: each panel has one */
    for (int i = 0; i + 1 < 100; i++) {
        fb_point a[2], b[2];
        points_of(element(&s, "polyline", i), a, 2);
        points_of(element(&s, "polyline", i + 1), b, 2);
        FB_TRUE(a[1].x < b[0].x || fabs(a[0].y - b[0].y) > 20, "lines %d and %d are apart", i,
                i + 1);
    }
    end(&s);
    free(table);
    table = wide_table(300, "column_");
    fb_run run = RUN(table, "-q");
    FB_EQUAL_INT(run.status, 2);
    FB_HOLDS(run.err, "300 panels are too many");
    FB_EQUAL_INT((int)run.n_out, 0);
    fb_run_free(&run);
    s = PLOT(table, "--columns", "column_1?,column_2");
    FB_EQUAL_INT(count(&s, "polyline"), 11);
    end(&s);
    run = RUN(table, "--group", "column_*");
    FB_EQUAL_INT(run.status, 2);
    FB_HOLDS(run.err, "takes 300 columns; more than 14");
    fb_run_free(&run);
    free(table);
}

static void groups_are_panels(void) {
    svg s = PLOT("t,a,b,c,d\n0,1,2,3,4\n1,2,3,4,5\n", "--group", "a,b", "--group", "c");
    FB_EQUAL_INT(count(&s, "polyline"), 3);
    check_no_text(&s, "d");
    fb_point a[2], b[2], c[2];
    points_of(element(&s, "polyline", 0), a, 2);
    points_of(element(&s, "polyline", 1), b, 2);
    points_of(element(&s, "polyline", 2), c, 2);
    FB_SAME(a[0].x, b[0].x);
    FB_TRUE(c[0].x > a[1].x, "the second group has its own panel");
    end(&s);
}

static void a_name_that_is_not_there_is_told(void) {
    static const char table[] =
        STO("s", "", "time\t/jointset/hip/hip_flexion_r/value\tknee_angle_r", "0\t1\t2\n1\t2\t3\n");
    fb_run run = RUN(table, "--columns", "knee_angel_r");
    FB_EQUAL_INT(run.status, 2);
    FB_HOLDS(run.err, "<stdin> has no column 'knee_angel_r'; is 'knee_angle_r' meant?");
    fb_run_free(&run);
    run = RUN(table, "--group", "hip_flexion_l");
    FB_EQUAL_INT(run.status, 2);
    FB_HOLDS(run.err, "is 'hip_flexion_r' meant?");
    fb_run_free(&run);
    run = RUN(table, "--x", "tine");
    FB_EQUAL_INT(run.status, 2);
    FB_HOLDS(run.err, "is 'time' meant?");
    fb_run_free(&run);
    svg s = PLOT("t,\"a,b [N]\",c\n0,1,2\n1,2,3\n", "--columns", "a,b [N]");
    FB_EQUAL_INT(count(&s, "polyline"), 1);
    end(&s);
    s = PLOT(table, "--columns", "hip_flexion_r"); /* its short name will do */
    FB_EQUAL_INT(count(&s, "polyline"), 1);
    end(&s);
}

static void columns_of_one_name_keep_their_own_numbers(void) {
    svg s = PLOT("t,a,a\n0,1,1\n1,2,0\n", NULL);
    fb_point a[2], b[2];
    FB_EQUAL_INT(points_of(element(&s, "polyline", 0), a, 2), 2);
    FB_EQUAL_INT(points_of(element(&s, "polyline", 1), b, 2), 2);
    FB_TRUE(a[1].y < a[0].y && b[1].y > b[0].y, "one rises, one falls");
    end(&s);
}

static void panels_may_have_one_scale(void) {
    static const char table[] = "t,a (N),b (N)\n0,0,0\n1,1,100\n";
    fb_point a[2], b[2];
    svg s = PLOT(table, "--same-scale");
    points_of(element(&s, "polyline", 0), a, 2);
    points_of(element(&s, "polyline", 1), b, 2);
    FB_NEAR((a[0].y - a[1].y) / (b[0].y - b[1].y), 0.01, 0.001, 0);
    end(&s);
    s = PLOT(table, NULL);
    points_of(element(&s, "polyline", 0), a, 2);
    points_of(element(&s, "polyline", 1), b, 2);
    FB_NEAR((a[0].y - a[1].y) / (b[0].y - b[1].y), 1, 0.001, 0);
    end(&s);
}

/* ---- several tables -------------------------------------------------------------------------- */

static void another_table_is_drawn_dashed(void) {
    const char *folder = fb_test_folder();
    const char *other = table_file(folder, "other.csv", "t,b,c\n0.5,2,7\n1,3,8\n1.5,2,9\n");
    svg s = PLOT("t,a,b\n0,1,2\n2,2,5\n", "--against", other);
    FB_EQUAL_INT(count(&s, "polyline"), 3);
    int dashed = 0;
    for (int i = 0; i < 3; i++) {
        const fb_xml_node *line = element(&s, "polyline", i);
        if (line && fb_xml_attr(line, "stroke-dasharray")) {
            dashed++;
            FB_EQUAL_STR(fb_xml_attr(line, "stroke"),
                         fb_xml_attr(element(&s, "polyline", 1), "stroke"));
            fb_point points[3], solid[2];
            FB_EQUAL_INT(points_of(line, points, 3), 3);
            FB_EQUAL_INT(points_of(element(&s, "polyline", 1), solid, 2), 2);
            /* at its own times: 0.5, 1, 1.5 of 0 to 2; at 1 it is 3, as the solid line is at 2/3 */
            FB_NEAR(points[1].x, (solid[0].x + solid[1].x) / 2, 0.02, 0);
            FB_NEAR(points[1].y, solid[0].y + (solid[1].y - solid[0].y) / 3, 0.02, 0);
        }
    }
    FB_EQUAL_INT(dashed, 1);
    check_text(&s, "<stdin>");
    check_text(&s, "other.csv");
    FB_HOLDS(s.run.err, "other.csv lacks 1 of the columns drawn, or has them in other units; the "
                        "first is 'a'");
    FB_HOLDS(s.run.err, "1 columns of other.csv are not in <stdin>; the first is 'c'");
    end(&s);
}

static void units_of_both_tables_are_made_one(void) {
    const char *folder = fb_test_folder();
    const char *other = table_file(folder, "rad.sto",
                                   STO("Coordinates", "Angles are in radians\n",
                                       "time\thip_flexion_r", "0\t0\n1\t0.78539816339744828\n"));
    svg s = PLOT(STO("Coordinates", "inDegrees=yes\n", "time\thip_flexion_r", "0\t0\n1\t45\n"),
                 "--against", other);
    fb_point a[2], b[2];
    points_of(element(&s, "polyline", 0), a, 2);
    points_of(element(&s, "polyline", 1), b, 2);
    FB_NEAR(a[1].y, b[1].y, 0.011, 0);
    end(&s);
    other = table_file(folder, "ms.csv", "t (ms),a\n0,1\n1,2\n");
    fb_run run = RUN("t (s),a\n0,1\n1,2\n", "--against", other);
    FB_EQUAL_INT(run.status, 3);
    FB_HOLDS(run.err, "is in s, 't (ms)' of ms.csv in ms");
    fb_run_free(&run);
}

/* Three lines through (0, k) and (2, k + 2 k): means and deviations are known. */
static void a_mean_has_its_band(void) {
    const char *folder = fb_test_folder();
    const char *a = table_file(folder, "a.csv", "t,y\n0,1\n1,2\n2,3\n"),
               *b = table_file(folder, "b.csv", "t,y\n0,2\n2,6\n"),
               *c = table_file(folder, "c.csv", "t,y\n-1,0\n0,3\n2,9\n3,9\n");
    svg s = PLOT(NULL, a, b, c, "--mean", "--size", "100x80");
    fb_point line[8], band[16];
    FB_EQUAL_INT(count(&s, "polyline"), 1);
    FB_EQUAL_INT(points_of(element(&s, "polyline", 0), line, 8), 3);
    /* the legend's sample is an area too */
    int last = count(&s, "polygon") - 1;
    FB_EQUAL_INT(points_of(element(&s, "polygon", last), band, 16), 6);
    static const double mean[] = {2, 4, 6}, sd[] = {1, 2, 3};
    for (int i = 0; i < 3; i++) {
        FB_NEAR(line[i].x, place_x(&s, "0.0", "2.0", i), 0.02, 0);
        FB_NEAR(line[i].y, place_y(&s, "2", "8", mean[i]), 0.02, 0);
        FB_NEAR(band[i].y, place_y(&s, "2", "8", mean[i] + sd[i]), 0.02, 0);
        FB_NEAR(band[5 - i].y, place_y(&s, "2", "8", mean[i] - sd[i]), 0.02, 0);
    }
    check_text(&s, "mean ± SD, n = 3");
    end(&s);
    s = PLOT(NULL, a, c, "--mean", "--normalize", "--against", b, "--against", a);
    FB_EQUAL_INT(count(&s, "polyline"), 2);
    check_text(&s, "t (% of range)");
    check_text(&s, "100");
    check_text(&s, "a.csv ..: mean ± SD, n = 2");
    check_text(&s, "b.csv ..: mean ± SD, n = 2");
    end(&s);
}

static void means_need_axes_that_fit(void) {
    const char *folder = fb_test_folder();
    const char *a = table_file(folder, "a.csv", "t,y\n0,1\n1,2\n"),
               *back = table_file(folder, "back.csv", "t,y\n0,1\n1,2\n0.5,3\n"),
               *late = table_file(folder, "late.csv", "t,y\n5,1\n6,2\n"),
               *other = table_file(folder, "other.csv", "t,z\n0,1\n1,2\n");
    fb_run run = RUN(NULL, "--mean", a, back);
    FB_EQUAL_INT(run.status, 3);
    FB_HOLDS(run.err, "'t' does not increase in row 3");
    fb_run_free(&run);
    run = RUN(NULL, "--mean", a, late);
    FB_EQUAL_INT(run.status, 3);
    FB_HOLDS(run.err, "no range of 't' in common");
    fb_run_free(&run);
    run = RUN(NULL, "--mean", a, other);
    FB_EQUAL_INT(run.status, 3);
    FB_HOLDS(run.err, "the tables have no column in common");
    fb_run_free(&run);
}

static void columns_may_hold_a_band(void) {
    svg s = PLOT("t,knee_mean,knee_sd,hip_mean\n0,4,1,2\n1,6,2,4\n", "--band", "_mean,_sd",
                 "--columns", "knee*");
    fb_point line[4], band[8];
    FB_EQUAL_INT(count(&s, "polyline"), 1);
    FB_EQUAL_INT(points_of(element(&s, "polyline", 0), line, 4), 2);
    FB_EQUAL_INT(points_of(element(&s, "polygon", count(&s, "polygon") - 1), band, 8), 4);
    FB_NEAR(band[0].y, place_y(&s, "4", "6", 5), 0.02, 0);
    FB_NEAR(band[3].y, place_y(&s, "4", "6", 3), 0.02, 0);
    check_text(&s, "knee");
    check_text(&s, "± sd");
    end(&s);
    fb_run run = RUN("t,a\n0,1\n1,2\n", "--band", "_mean,_sd");
    FB_EQUAL_INT(run.status, 2);
    FB_HOLDS(run.err, "no columns are called NAME_mean and NAME_sd");
    fb_run_free(&run);
}

/* ---- what is refused ------------------------------------------------------------------------- */

static void bad_tables_are_refused(void) {
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "there is no line of column names"},
        {"a,b\n1,x\n", "<stdin>:2: error: something that is not a number"},
        {"s\nendheader\ntime\ta\n1\t2\t3\n", "more numbers than columns"},
        {"s\nendheader\ntime\ta\n", "there are no rows of numbers"},
        {"time\n1\n2\n", "has no column to draw over 'time'"},
    };
    const char *folder = fb_test_folder(), *file = fb_test_path(folder, "out.svg");
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        fb_run run = RUN(cases[k].text, "-o", file);
        FB_TRUE(run.status == 3, "case %zu: status %d", k, run.status);
        FB_HOLDS(run.err, cases[k].message);
        fb_run_free(&run);
        FB_EQUAL_INT(fb_test_count_files(folder), 0);
    }
    const char *sto = table_file(folder, "no.sto", "time\ta\n0\t1\n");
    fb_run run = RUN(NULL, sto);
    FB_EQUAL_INT(run.status, 3);
    FB_HOLDS(run.err, "there is no line 'endheader'");
    fb_run_free(&run);
}

static void wrong_usage_is_told(void) {
    static const struct {
        const char *a, *b, *message;
    } cases[] = {
        {"-o", "figure.pdf", "neither .svg nor .png"},
        {"--format", "pdf", "--format is 'svg' or 'png'"},
        {"--size", "big", "--size is WIDTHxHEIGHT"},
        {"--size", "100x", "--size is WIDTHxHEIGHT"},
        {"--size", "100x5000", "--size is WIDTHxHEIGHT"},
        {"--size", "12x12", "--size is too small for 1 panel"},
        {"--dpi", "1", "--dpi must be a number from 10 to 2400"},
        {"--band", "_mean", "--band is the ends of two names"},
        {"--mean", NULL, "--mean is of two tables or more"},
        {"a.csv", "b.csv", "several tables"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        fb_run run = RUN("t,a\n0,1\n1,2\n", cases[k].a, cases[k].b);
        FB_TRUE(run.status == 2, "%s: status %d", cases[k].a, run.status);
        FB_HOLDS(run.err, cases[k].message);
        fb_run_free(&run);
    }
    fb_run run = RUN("t,a\n0,1\n1,2\n", "--format", "png", "--size", "3000x3000", "--dpi", "2400");
    FB_EQUAL_INT(run.status, 2);
    FB_HOLDS(run.err, "is too large");
    fb_run_free(&run);
}

static void files_appear_whole(void) {
    const char *folder = fb_test_folder(), *file = fb_test_path(folder, "a.png");
    fb_run run = RUN("t,a\n0,1\n1,2\n", "-q", "-o", file);
    FB_EQUAL_INT(run.status, 0);
    FB_EQUAL_INT(fb_test_count_files(folder), 1);
    size_t n = 0;
    char *bytes = fb_test_read_file(file, &n);
    FB_TRUE(bytes && n > 100 && memcmp(bytes, "\x89PNG", 4) == 0, "it is a PNG");
    FB_TRUE(bytes && n > 100 && memcmp(bytes + n - 8, "IEND", 4) == 0, "with its end");
    fb_free(bytes);
    fb_run_free(&run);
    run = RUN("t,a\n0,1\n1,2\n", "-q", "-o", "/no/such/folder/a.svg");
    FB_EQUAL_INT(run.status, 6);
    fb_run_free(&run);
}

static void lack_of_memory_is_an_internal_error(void) {
    const char *folder = fb_test_folder();
    const char *file = table_file(folder, "t.sto",
                                  STO("Coordinates", "inDegrees=yes\n", "time\thip_r\thip_l\ttilt",
                                      "0\t1\t2\t3\n1\t2\t3\t4\n"));
    for (int png = 0; png < 2; png++) {
        long asked = 1;
        for (long n = 1; asked >= n - 1 && n < 400; n++) { /* until none fails */
            FILE *in = tmpfile(), *out = tmpfile(), *err = tmpfile();
            char *argv[] = {(char *)(size_t) "fbplot", (char *)(size_t) "--format",
                            (char *)(size_t)(png ? "png" : "svg"), (char *)(size_t)file, NULL};
            fb_alloc_fail_at(n);
            int status = fb_fbplot_main(4, argv, in, out, err);
            asked = fb_alloc_fail_at(0);
            FB_TRUE(asked < n || status == FB_EXIT_INTERNAL, "allocation %ld fails: status %d", n,
                    status);
            fclose(in);
            fclose(out);
            fclose(err);
        }
    }
}

int main(int argc, char **argv) {
    static const fb_test tests[] = {
        FB_TEST(ticks_are_multiples_of_one_two_or_five),
        FB_TEST(ticks_are_the_expected_ones),
        FB_TEST(points_land_where_the_axes_say),
        FB_TEST(a_page_has_the_size_that_is_asked_for),
        FB_TEST(dense_curves_keep_their_peaks),
        FB_TEST(gaps_break_lines_and_are_told),
        FB_TEST(extreme_numbers_have_ticks),
        FB_TEST(a_png_shows_what_the_svg_says),
        FB_TEST(the_same_table_gives_the_same_bytes),
        FB_TEST(units_are_those_that_the_table_says),
        FB_TEST(options_say_what_the_table_does_not),
        FB_TEST(degrees_are_drawn_on_demand),
        FB_TEST(a_model_says_what_turns),
        FB_TEST(odd_names_stay_well_formed),
        FB_TEST(columns_of_one_quantity_share_a_panel),
        FB_TEST(both_sides_and_parts_of_vectors_share_a_panel),
        FB_TEST(many_columns_become_many_panels),
        FB_TEST(groups_are_panels),
        FB_TEST(a_name_that_is_not_there_is_told),
        FB_TEST(columns_of_one_name_keep_their_own_numbers),
        FB_TEST(panels_may_have_one_scale),
        FB_TEST(another_table_is_drawn_dashed),
        FB_TEST(units_of_both_tables_are_made_one),
        FB_TEST(a_mean_has_its_band),
        FB_TEST(means_need_axes_that_fit),
        FB_TEST(columns_may_hold_a_band),
        FB_TEST(bad_tables_are_refused),
        FB_TEST(wrong_usage_is_told),
        FB_TEST(files_appear_whole),
        FB_TEST(lack_of_memory_is_an_internal_error),
        FB_TEST_END,
    };
    return fb_test_main("fbplot", tests, argc, argv);
}
