/* models/standard: are they legs? Moment arms against those measured, left as right, fibres where
 * they can pull, paths without leaps, bones closed and turned outwards. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/mesh_read.h"
#include "tests/tools/tables.h"
#include "tools/cli.h"

#define LEGS "models/standard/legs.osim"
#define LINES 43
#define RUN(...) FB_RUN(fb_fbsim_main, NULL, "fbsim", __VA_ARGS__)

static bool sweep(fb_sto *table, const char *coordinate, const char *range, const char *set) {
    char option[60];
    snprintf(option, sizeof option, "--range=%s", range);
    fb_run run = RUN("sweep", LEGS, "-q", "-c", coordinate, option, "--set", set, "--steps", "61");
    FB_EQUAL_INT(run.status, 0);
    FB_EQUAL_STR(run.err, "");
    bool ok = fb_test_table(table, run.out, strlen(run.out), coordinate);
    fb_run_free(&run);
    return ok;
}

/* Bands in mm at an angle in degrees; flexion of the hip, adduction, extension of the knee and
 * dorsiflexion positive. The hip after W. Dostal, G. Soderberg, J. Andrews, Phys. Ther. 66 (1986)
 * 351; the knee after W. Buford and others, IEEE Trans. Rehabil. Eng. 5 (1997) 367; the ankle after
 * C. Maganaris, Clin. Anat. 17 (2004) 59. From memory of these and wide: they tell a slip of a sign
 * or of a point, not a millimetre. */
static void moment_arms_are_those_measured(void) {
    static const struct {
        const char *coordinate, *range, *line;
        double degrees, low, high;
    } rows[] = {
        {"hip_flexion_r", "-30deg,120deg", "psoas_r", 0, 15, 50},
        {"hip_flexion_r", "-30deg,120deg", "iliacus_r", 0, 15, 50},
        {"hip_flexion_r", "-30deg,120deg", "rect_fem_r", 0, 25, 60},
        {"hip_flexion_r", "-30deg,120deg", "glut_max2_r", 0, -75, -30},
        {"hip_flexion_r", "-30deg,120deg", "glut_max2_r", 90, -55, -15},
        {"hip_flexion_r", "-30deg,120deg", "semiten_r", 0, -75, -40},
        {"hip_adduction_r", "-40deg,30deg", "glut_med2_r", 0, -70, -35},
        {"hip_adduction_r", "-40deg,30deg", "add_long_r", 0, 50, 85},
        {"knee_angle_r", "-120deg,10deg", "rect_fem_r", -20, 35, 58},
        {"knee_angle_r", "-120deg,10deg", "vas_lat_r", -90, 15, 40},
        {"knee_angle_r", "-120deg,10deg", "semimem_r", -60, -55, -20},
        {"knee_angle_r", "-120deg,10deg", "bifemlh_r", -60, -45, -15},
        {"knee_angle_r", "-120deg,10deg", "med_gas_r", -20, -35, -10},
        {"ankle_angle_r", "-40deg,30deg", "soleus_r", 0, -60, -35},
        {"ankle_angle_r", "-40deg,30deg", "tib_ant_r", 0, 28, 55},
        {"ankle_angle_r", "-40deg,30deg", "per_long_r", 0, -20, -3},
        {"subtalar_angle_r", "-20deg,20deg", "tib_post_r", 0, 10, 35},
        {"subtalar_angle_r", "-20deg,20deg", "per_long_r", 0, -40, -15},
    };
    fb_sto table;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!sweep(&table, rows[i].coordinate, rows[i].range, "pelvis_tx=0")) {
            return;
        }
        double angle = rows[i].degrees * 3.14159265358979 / 180;
        int row = 0, column = fb_sto_column(&table, rows[i].coordinate);
        for (int k = 0; k < table.n_rows; k++) {
            double d = fb_sto_value(&table, k, column) - angle;
            row = fabs(d) < fabs(fb_sto_value(&table, row, column) - angle) ? k : row;
        }
        char name[100];
        snprintf(name, sizeof name, "/forceset/%s|moment_arm", rows[i].line);
        double arm = 1e3 * fb_test_cell(&table, row, name);
        FB_TRUE(arm > rows[i].low && arm < rows[i].high, "%s, %s at %g degrees: %g mm",
                rows[i].line, rows[i].coordinate, rows[i].degrees, arm);
        fb_sto_free(&table);
    }
}

/* Over each range, others at 0, no path is longer or shorter by more than the turn can give: 0.11 m
 * times the step. A path that slips to the other side of its cylinder leaps further. */
static void paths_do_not_leap(void) {
    static const char *const coordinates[][2] = {{"hip_flexion_r", "-30deg,120deg"},
                                                 {"hip_adduction_r", "-35deg,30deg"},
                                                 {"hip_rotation_r", "-40deg,40deg"},
                                                 {"knee_angle_r", "-120deg,10deg"},
                                                 {"ankle_angle_r", "-40deg,30deg"}};
    static const char *const sets[] = {"hip_flexion_l=0", "hip_flexion_r=60deg"};
    fb_sto table;
    for (int k = 0; k < 10; k++) {
        const char *coordinate = coordinates[k / 2][0];
        if ((k == 1) || !sweep(&table, coordinate, coordinates[k / 2][1], sets[k % 2])) {
            continue;
        }
        int at = fb_sto_column(&table, coordinate), n = 0;
        double step = fb_sto_value(&table, 1, at) - fb_sto_value(&table, 0, at);
        for (int c = 0; c < table.n_columns; c++) {
            const char *bar = strrchr(table.columns[c], '|');
            if (!bar || strcmp(bar, "|length") != 0) {
                continue;
            }
            n++;
            for (int i = 0; i + 1 < table.n_rows; i++) {
                double change = fb_sto_value(&table, i + 1, c) - fb_sto_value(&table, i, c);
                FB_TRUE(fabs(change) < 0.11 * step, "%s over %s, step %d: %g m", table.columns[c],
                        coordinate, i, change);
            }
        }
        FB_EQUAL_INT(n, 2 * LINES);
        fb_sto_free(&table);
    }
}

/* In the default pose each muscle has found its balance, its fibres between half and 1.3 of their
 * optimal length, and the left's are the right's. */
static void muscles_balance_and_left_is_right(void) {
    fb_run run = RUN("eval", LEGS, "--tables", "muscle");
    FB_EQUAL_INT(run.status, 0);
    FB_EQUAL_STR(run.err, "");
    fb_sto table;
    if (!fb_test_table(&table, run.out, strlen(run.out), "muscle")) {
        return;
    }
    int n = 0;
    for (int c = 0; c < table.n_columns; c++) {
        char name[100];
        snprintf(name, sizeof name, "%s", table.columns[c]);
        char *bar = strstr(name, "_r|");
        if (!bar) {
            continue;
        }
        double right = fb_sto_value(&table, 0, c);
        bar[1] = 'l';
        FB_NEAR(fb_test_cell(&table, 0, name), right, 1e-9, 1e-6);
        if (strcmp(bar + 2, "|normalized_fiber_length") == 0) {
            n++;
            FB_TRUE(right > 0.5 && right < 1.3, "%s: %g", table.columns[c], right);
        }
    }
    FB_EQUAL_INT(n, LINES);
    fb_sto_free(&table);
    fb_run_free(&run);
}

static int compare_edges(const void *a, const void *b) {
    return memcmp(a, b, 2 * sizeof(int));
}

/* Closed: each edge once this way and once that. Outwards: the volume is positive. */
static void bones_are_closed_and_turn_outwards(void) {
    int n = 0;
    for (const char *file; (file = fb_test_glob("models/standard/Geometry/*.obj", n)); n++) {
        fb_mesh_file mesh;
        fb_diag diag;
        size_t size;
        char *bytes = fb_test_read_file(file, &size);
        fb_diag_init(&diag);
        FB_EQUAL_INT(fb_mesh_read(&mesh, bytes, size, file, &diag), FB_OK);
        int(*there)[2] = calloc(3 * mesh.n_faces + 1, sizeof *there), (*back)[2];
        back = calloc(3 * mesh.n_faces + 1, sizeof *back);
        double volume = 0;
        for (size_t i = 0; i < mesh.n_faces; i++) {
            const int *f = mesh.faces[i];
            const double *a = mesh.vertices[f[0]], *b = mesh.vertices[f[1]],
                         *c = mesh.vertices[f[2]];
            volume += (a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
                       a[2] * (b[0] * c[1] - b[1] * c[0])) /
                      6;
            for (size_t k = 0; k < 3; k++) {
                there[3 * i + k][0] = back[3 * i + k][1] = f[k];
                there[3 * i + k][1] = back[3 * i + k][0] = f[(k + 1) % 3];
            }
        }
        qsort(there, 3 * mesh.n_faces, sizeof *there, compare_edges);
        qsort(back, 3 * mesh.n_faces, sizeof *back, compare_edges);
        FB_TRUE(memcmp(there, back, 3 * mesh.n_faces * sizeof *there) == 0, "%s is open", file);
        FB_TRUE(volume > 5e-6 && volume < 7e-4, "%s: %g m^3", file, volume);
        free(there);
        free(back);
        fb_mesh_free(&mesh);
        fb_diag_clear(&diag);
    }
    FB_EQUAL_INT(n, 18);
}

int main(int argc, char **argv) {
    static const fb_test tests[] = {FB_TEST(moment_arms_are_those_measured),
                                    FB_TEST(paths_do_not_leap),
                                    FB_TEST(muscles_balance_and_left_is_right),
                                    FB_TEST(bones_are_closed_and_turn_outwards), FB_TEST_END};
    return fb_test_main("legs", tests, argc, argv);
}
