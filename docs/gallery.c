/* Draws the pictures of docs/gallery: gallery FOLDER [FIGURE ..], and prints a row of measures for
 * each body in them, for docs/gallery.md. Run from the top folder. Or one of muscles that fbgen
 * made: gallery --layers MODEL LAYERS PNG. Exit status 0, 2: usage, 5: a picture could not be
 * drawn, 6: not written. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "docs/gallery.h"

static const struct {
    const char *name;
    fb_picture *(*make)(void);
} figures[] = {
#define FIGURE(number) \
    { "figure" #number, gallery_figure##number }
    FIGURE(02), FIGURE(03), FIGURE(04), FIGURE(05), FIGURE(06), FIGURE(07), FIGURE(08),
    FIGURE(09), FIGURE(10), FIGURE(12), FIGURE(15), FIGURE(16), FIGURE(17), FIGURE(18),
    FIGURE(19), FIGURE(20), FIGURE(21), FIGURE(22), FIGURE(23), FIGURE(24), FIGURE(25),
    FIGURE(26), FIGURE(27), FIGURE(28), FIGURE(29), FIGURE(30),
#undef FIGURE
};

void *gallery_memory(size_t bytes) {
    void *memory = fb_alloc(bytes);
    if (!memory) {
        fprintf(stderr, "gallery: out of memory\n");
        exit(5);
    }
    return memory;
}

fb_picture *gallery_picture(int width, int height) {
    fb_picture *picture = fb_picture_new(width, height, GALLERY_WHITE);
    if (!picture) {
        fprintf(stderr, "gallery: out of memory\n");
        exit(5);
    }
    return picture;
}

void gallery_must(const char *what, const char *why) {
    if (why) {
        fprintf(stderr, "gallery: %s: %s\n", what, why);
        exit(5);
    }
}

/* All of a picture or no file. */
static int write_picture(const fb_text *png, const char *file) {
    FILE *out = fopen(file, "wb");
    if (!out) {
        fprintf(stderr, "gallery: cannot write %s: %s\n", file, strerror(errno));
        return 6;
    }
    size_t written = fwrite(png->bytes, 1, png->n, out);
    if (fclose(out) != 0 || written != png->n) {
        fprintf(stderr, "gallery: cannot write %s: %s\n", file, strerror(errno));
        remove(file);
        return 6;
    }
    return 0;
}

/* Draws, writes and frees a picture. */
static int draw(fb_picture *picture, const char *file) {
    const char *wrong = fb_picture_render(picture);
    fb_text png;
    fb_text_init(&png, NULL);
    if (!wrong && (fb_picture_png(picture, true, &png) != FB_OK || png.failed)) {
        wrong = "out of memory";
    }
    int status = 5;
    if (wrong) {
        fprintf(stderr, "gallery: %s: %s\n", file, wrong);
    } else {
        status = write_picture(&png, file);
    }
    fb_text_free(&png);
    fb_picture_free(picture);
    return status;
}

static int draw_figure(size_t i, const char *folder) {
    char file[1024];
    if (snprintf(file, sizeof file, "%s/%s.png", folder, figures[i].name) >= (int)sizeof file) {
        fprintf(stderr, "gallery: the folder's name is too long\n");
        return 2;
    }
    return draw(figures[i].make(), file);
}

int main(int argc, char **argv) {
    if (argc == 5 && strcmp(argv[1], "--layers") == 0) {
        return draw(gallery_layers(argv[2], argv[3]), argv[4]);
    }
    if (argc < 2 || argv[1][0] == '-') {
        fprintf(stderr,
                "usage: gallery FOLDER [FIGURE ..], or gallery --layers MODEL LAYERS PNG\n");
        return 2;
    }
    const size_t n = sizeof figures / sizeof figures[0];
    for (int a = 2; a < argc; a++) {
        size_t i = 0;
        while (i < n && strcmp(argv[a], figures[i].name) != 0) {
            i++;
        }
        if (i == n) {
            fprintf(stderr, "gallery: there is no %s\n", argv[a]);
            return 2;
        }
    }
    int status = 0;
    for (size_t i = 0; i < n && status == 0; i++) {
        bool wanted = argc == 2;
        for (int a = 2; a < argc; a++) {
            wanted = wanted || strcmp(argv[a], figures[i].name) == 0;
        }
        status = wanted ? draw_figure(i, argv[1]) : 0;
    }
    return status;
}
