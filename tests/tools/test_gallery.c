/* docs/gallery: its pictures are drawn, and what it prints of the bodies in them is what the bundle
 * model promises. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libcore/base/arena.h"
#include "tests/help.h"

#define MOST_BYTES 150000

/* The program beside this one's build, with arguments of a shell; its output in `out`. */
static int run(const char *arguments, char *out, size_t size) {
    char self[512], command[1200];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    self[n > 0 ? n : 0] = '\0';
    char *tests = strstr(self, "/tests/tools/");
    if (!FB_TRUE(tests, "no build folder in %s", self)) {
        return -1;
    }
    *tests = '\0';
    /* Mesa and fontconfig keep memory to the end */
    snprintf(command, sizeof command, "ASAN_OPTIONS=detect_leaks=0 %s/docs/gallery %s 2>&1", self,
             arguments);
    FILE *pipe = popen(command, "r");
    size_t got = fread(out, 1, size - 1, pipe);
    out[got] = '\0';
    int status = pclose(pipe);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* A PNG of that size in pixels, and not too large a file. */
static void check_picture(const char *file, unsigned width, unsigned height) {
    size_t bytes = 0;
    char *png = fb_test_read_file(file, &bytes);
    const unsigned char *head = (const unsigned char *)png;
    if (FB_TRUE(png && bytes > 2000 && bytes <= MOST_BYTES && memcmp(png, "\x89PNG", 4) == 0,
                "%s, %zu bytes", file, bytes)) {
        FB_EQUAL_INT(head[18] << 8 | head[19], width);
        FB_EQUAL_INT(head[22] << 8 | head[23], height);
    }
    fb_free(png);
}

/* The sinking (0), gap (1), and errors of volume (4), length (5) and R (6) that a row tells, %. */
static double told(const char *out, const char *name, int column) {
    char start[32];
    snprintf(start, sizeof start, "| %s |", name);
    const char *at = strstr(out, start);
    for (int i = 0; at && i < column + 2; i++) {
        at = strchr(at + 1, '|');
    }
    return at ? strtod(at + 1, NULL) : 1e9;
}

static void draws_and_measures(void) {
    const char *folder = fb_test_folder();
    char arguments[600], out[4096];
    snprintf(arguments, sizeof arguments, "%s figure08 figure10 figure22", folder);
    FB_EQUAL_INT(run(arguments, out, sizeof out), 0);
    check_picture(fb_test_path(folder, "figure08.png"), 1200, 500);
    check_picture(fb_test_path(folder, "figure10.png"), 1200, 540);
    check_picture(fb_test_path(folder, "figure22.png"), 1080, 680);
    FB_EQUAL_INT(fb_test_count_files(folder), 3);
    static const char *const ours[] = {"10 (d)", "22 (a)", "22 (b)", "22 (c)"};
    for (int i = 0; i < 4; i++) {
        FB_TRUE(told(out, ours[i], 0) <= 1, "%s: sinking", ours[i]);
        FB_TRUE(told(out, ours[i], 1) <= 1, "%s: gap", ours[i]);
        FB_TRUE(told(out, ours[i], 4) <= 0.1, "%s: volume", ours[i]);
        FB_TRUE(told(out, ours[i], 5) <= 0.5, "%s: length", ours[i]);
        FB_TRUE(told(out, ours[i], 6) <= 1, "%s: R", ours[i]);
    }
    FB_NEAR(told(out, "10 (c)", 0), 14.3, 0.5, 0); /* the table of docs/theory.md: 0.143 */
}

static void refuses(void) {
    char out[512];
    FB_EQUAL_INT(run("", out, sizeof out), 2);
    FB_HOLDS(out, "usage: gallery FOLDER");
    FB_EQUAL_INT(run("/tmp figure99", out, sizeof out), 2);
    FB_HOLDS(out, "there is no figure99");
    FB_EQUAL_INT(run("/nonexistent figure03", out, sizeof out), 6);
    FB_HOLDS(out, "cannot write /nonexistent/figure03.png");
}

/* The page shows every picture in docs/gallery, and those are small. */
static void page_has_all(void) {
    size_t size = 0;
    char *page = fb_test_read_file("docs/gallery.md", &size);
    int shown = 0;
    for (const char *at = page; at && (at = strstr(at, "(gallery/figure")); at++) {
        char file[64];
        struct stat about;
        snprintf(file, sizeof file, "docs/%.*s", (int)strcspn(at + 1, ")"), at + 1);
        FB_TRUE(stat(file, &about) == 0 && about.st_size <= MOST_BYTES, "%s", file);
        shown++;
    }
    FB_TRUE(shown >= 20, "%d pictures", shown);
    for (int i = 0; page && i < 100; i++) {
        char file[64];
        snprintf(file, sizeof file, "docs/gallery/figure%02d.png", i);
        FB_TRUE(access(file, F_OK) != 0 || strstr(page, file + 5), "%s is not shown", file);
    }
    fb_free(page);
}

int main(int argc, char **argv) {
    static const fb_test tests[] = {FB_TEST(draws_and_measures), FB_TEST(refuses),
                                    FB_TEST(page_has_all), FB_TEST_END};
    return fb_test_main("gallery", tests, argc, argv);
}
