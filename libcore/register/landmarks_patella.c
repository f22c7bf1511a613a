/* Landmarks of the patella: flat from front to back, pointed below. Its side is not told by its
 * shape surely enough: the edges are named only if the side is given. */
#include "libcore/register/landmarks_internal.h"

#include <math.h>

#include "libcore/base/spatial.h"

/* Forward, of both ways along the flat direction: away from the ridge between the joint facets. The
 * surface's tail is longer there. */
static bool find_forward(fb_bone_work *work) {
    const fb_surface *s = work->surface;
    const double *flat = work->axes + 6;
    double cubes = 0, squares = 0;
    for (int i = 0; i < s->n_vertices; i++) {
        double d[3];
        fb_v3_sub(d, s->vertices[i], s->center);
        double h = fb_v3_dot(d, flat);
        cubes += s->area[i] * h * h * h / s->total_area;
        squares += s->area[i] * h * h / s->total_area;
    }
    double skew = cubes / pow(squares, 1.5);
    fb_v3_scale(work->x, skew > 0 ? -1 : 1, flat);
    return fabs(skew) > 0.05;
}

/* Down: the way along the blade to where it is narrowest for its distance. */
static void find_down(fb_bone_work *work, double *down) {
    const fb_surface *s = work->surface;
    double most = -INFINITY;
    for (int k = 0; k < 72; k++) {
        double a = k * 3.14159265358979 / 36, d[3], along[2] = {0, 0};
        for (int c = 0; c < 3; c++) {
            d[c] = cos(a) * work->axes[c] + sin(a) * work->axes[3 + c];
        }
        /* third moment of the surface along it */
        for (int i = 0; i < s->n_vertices; i++) {
            double e[3];
            fb_v3_sub(e, s->vertices[i], s->center);
            double h = fb_v3_dot(e, d);
            along[0] += s->area[i] * h * h * h;
            along[1] += s->area[i] * h * h;
        }
        double skew = along[0] / s->total_area / pow(along[1] / s->total_area, 1.5);
        if (skew > most) {
            most = skew;
            fb_v3_copy(down, d);
        }
    }
}

bool fb_patella_landmarks(fb_bone_work *work) {
    double down[3], point[3], lateral[3];
    if (work->high[2] - work->low[2] > 0.75 * work->size) {
        work->failure = "it is not flat";
        return false;
    }
    if (!find_forward(work)) {
        work->failure = "its front and its back are alike";
        return false;
    }
    find_down(work, down);
    fb_v3_scale(work->y, -1, down);
    fb_bone_set_frame(work, work->surface->center);
    if (fb_bone_extreme(work, NULL, down, point)) {
        fb_bone_add(work, "patella_apex", point);
    }
    if (fb_bone_extreme(work, NULL, work->y, point)) {
        fb_bone_add(work, "patella_base", point);
    }
    if (fb_bone_extreme(work, NULL, work->x, point)) {
        fb_bone_add(work, "patella_front", point);
    }
    for (int k = 0; k < 2 && work->side != 0; k++) {
        fb_v3_scale(lateral, (work->side == 'r') == (k == 0) ? 1 : -1, work->z);
        if (fb_bone_extreme(work, NULL, lateral, point)) {
            fb_bone_add(work, k == 0 ? "patella_lateral" : "patella_medial", point);
        }
    }
    return true;
}
