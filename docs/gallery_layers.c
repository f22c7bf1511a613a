/* A picture of what fbgen wrote: muscles of --layers on the bones of their model. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "docs/gallery.h"
#include "formats/bones.h"
#include "formats/fb.h"
#include "formats/layers.h"
#include "libcore/base/arena.h"
#include "libcore/muscle/simulation.h"

#define MAX_BYTES (1024U << 20)
enum { WIDTH = 1000, HEIGHT = 1000, SIDES = 6 };

static void must(const fb_diag *diag, const char *file, fb_status status) {
    if (status != FB_OK) {
        gallery_must(file, diag->n ? diag->records[diag->n - 1].message : "cannot be read");
    }
}

/* The camera looking along a direction that has all muscles in sight, in panels of one scale. */
static fb_camera camera_for(const fb_body *bodies, size_t n, const float look[3]) {
    double low[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, high[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < bodies[i].n_rings; k++) {
            for (int m = 0; m < 3; m++) {
                low[m] = fmin(low[m], bodies[i].rings[k].c[m]);
                high[m] = fmax(high[m], bodies[i].rings[k].c[m]);
            }
        }
    }
    double width = fmax(high[0] - low[0], high[2] - low[2]), height = high[1] - low[1];
    fb_camera camera = gallery_camera(look[0], look[1], look[2], 0, 1, 0);
    if (n > 0) {
        double across = 0.85 * (WIDTH / 2) / width,
               up = 0.85 * (HEIGHT - FB_CAPTION_HEIGHT) / height;
        camera.scale = (float)fmin(across, up);
    }
    for (int m = 0; m < 3 && n > 0; m++) {
        camera.centre[m] = (float)(0.5 * (low[m] + high[m]));
    }
    return camera;
}

fb_picture *gallery_layers(const char *model_file, const char *layers_file) {
    static const char *const captions[] = {"from the front", "from the side"};
    static const float looks[2][3] = {{-1, 0, 0}, {0, 0, -1}};
    fb_diag diag;
    fb_model *model;
    fb_simulation *simulation;
    fb_bones bones = {0};
    fb_body *bodies;
    char *bytes;
    size_t size, n;
    fb_diag_init(&diag);
    must(&diag, model_file, fb_read_file(model_file, MAX_BYTES, &bytes, &size, &diag));
    must(&diag, model_file, fb_model_read(&model, bytes, size, model_file, MAX_BYTES, &diag));
    must(&diag, model_file, fb_simulation_new(&simulation, model, false, &diag));
    fb_simulation_move(simulation);
    must(&diag, model_file, fb_bones_read(&bones, simulation->system, NULL, 0, MAX_BYTES, &diag));
    must(&diag, layers_file, fb_read_file(layers_file, MAX_BYTES, &bytes, &size, &diag));
    must(&diag, layers_file, fb_layers_read(&bodies, &n, bytes, size, layers_file, &diag));
    fb_free(bytes);
    fb_picture *picture = gallery_picture(WIDTH, HEIGHT);
    for (int i = 0; i < 2; i++) {
        fb_scene *scene = fb_picture_cell(picture, 2, 1, i, captions[i]);
        fb_camera camera = camera_for(bodies, n, looks[i]);
        fb_scene_set_camera(scene, &camera);
        gallery_draw_bones(scene, &bones, simulation->state);
        for (size_t m = 0; m < n; m++) {
            gallery_draw_body(scene, bodies + m,
                              &(gallery_style){.sides = SIDES, .belly = gallery_colour((int)m)});
        }
    }
    fb_layers_free(bodies, n);
    fb_bones_free(&bones);
    fb_simulation_free(simulation);
    fb_model_free(model);
    fb_diag_clear(&diag);
    return picture;
}
