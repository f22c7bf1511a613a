/* Tools to find places on bones: regions, extreme points, sections, spheres and cylinders. */
#include "libcore/register/landmarks_internal.h"

#include <float.h>
#include <stdint.h>

#include "libcore/base/spatial.h"

void fb_make_across(double *vector, const double *axis) {
    fb_v3_madd(vector, -fb_v3_dot(vector, axis), axis);
    fb_v3_normalize(vector);
}

/* ---- regions --------------------------------------------------------------------------------- */

void fb_region_start(fb_bone_region *region, const double *origin) {
    *region = (fb_bone_region){.n = 0};
    fb_v3_copy(region->origin, origin);
}

void fb_region_limit(fb_bone_region *region, const double *axis, double low, double high) {
    fb_v3_copy(region->axis[region->n], axis);
    region->low[region->n] = low;
    region->high[region->n++] = high;
}

void fb_region_face(fb_bone_region *region, const double *normal, double cosine) {
    region->facing = true;
    fb_v3_copy(region->normal, normal);
    region->cosine = cosine;
}

bool fb_region_has(const fb_bone_region *region, const double *point, const double *normal) {
    double d[3];
    fb_v3_sub(d, point, region->origin);
    for (int k = 0; k < region->n; k++) {
        double x = fb_v3_dot(d, region->axis[k]);
        if (x < region->low[k] || x > region->high[k]) {
            return false;
        }
    }
    return !region->facing || fb_v3_dot(normal, region->normal) >= region->cosine;
}

/* Whether a vertex is of the piece that is looked at, and in the region (NULL: everywhere). */
static bool looked_at(const fb_bone_work *work, const fb_bone_region *region, int i) {
    const fb_surface *s = work->surface;
    return (work->only < 0 || work->piece[i] == work->only) &&
           (region == NULL || fb_region_has(region, s->vertices[i], work->normals[i]));
}

int fb_region_vertices(fb_bone_work *work, const fb_bone_region *region) {
    const fb_surface *s = work->surface;
    int n = 0;
    for (int i = 0; i < s->n_vertices; i++) {
        if (looked_at(work, region, i)) {
            work->list[n++] = i;
        }
    }
    return n;
}

bool fb_bone_extreme(fb_bone_work *work, const fb_bone_region *region, const double *direction,
                     double *point) {
    const fb_surface *s = work->surface;
    int best = -1;
    double most = -HUGE_VAL;
    for (int i = 0; i < s->n_vertices; i++) {
        double h = fb_v3_dot(s->vertices[i], direction);
        if (h > most && looked_at(work, region, i)) {
            most = h;
            best = i;
        }
    }
    if (best < 0) {
        return false;
    }
    /* the cap's mean: of what is higher than a little below the top, around where the mean comes to
     * lie, so that the choice of the very highest vertex matters little */
    double depth = 0.004 * work->size, near = 0.04 * work->size, mean[3];
    fb_v3_copy(mean, s->vertices[best]);
    for (int round = 0; round < 5; round++) {
        double sum = 0, next[3] = {0, 0, 0};
        for (int i = 0; i < s->n_vertices; i++) {
            double h = fb_v3_dot(s->vertices[i], direction);
            if (h > most - depth && fb_v3_distance(s->vertices[i], mean) < near &&
                looked_at(work, region, i)) {
                double weight = s->area[i] * (h - (most - depth));
                fb_v3_madd(next, weight, s->vertices[i]);
                sum += weight;
            }
        }
        if (!(sum > 0)) {
            break;
        }
        fb_v3_scale(mean, 1 / sum, next);
    }
    /* as high as the top itself, so that coarse meshes change it least */
    fb_v3_madd(mean, most - fb_v3_dot(mean, direction), direction);
    fb_v3_copy(point, mean);
    return true;
}

bool fb_bone_mean(fb_bone_work *work, const fb_bone_region *region, double *point) {
    const fb_surface *s = work->surface;
    double sum = 0, mean[3] = {0, 0, 0};
    for (int i = 0; i < s->n_vertices; i++) {
        if (looked_at(work, region, i)) {
            fb_v3_madd(mean, s->area[i], s->vertices[i]);
            sum += s->area[i];
        }
    }
    if (!(sum > 0)) {
        return false;
    }
    fb_v3_scale(point, 1 / sum, mean);
    return true;
}

bool fb_bone_range(fb_bone_work *work, const fb_bone_region *region, const double *origin,
                   const double *direction, double *low, double *high) {
    const fb_surface *s = work->surface;
    *low = HUGE_VAL;
    *high = -HUGE_VAL;
    for (int i = 0; i < s->n_vertices; i++) {
        if (looked_at(work, region, i)) {
            double d[3];
            fb_v3_sub(d, s->vertices[i], origin);
            double h = fb_v3_dot(d, direction);
            *low = fb_lesser(*low, h);
            *high = fb_greater(*high, h);
        }
    }
    return *low <= *high;
}

int fb_bone_slice(fb_bone_work *work, const double *origin, const double *axis, double height,
                  double half, const double *u, const double *v, double *center, double *spread) {
    const fb_surface *s = work->surface;
    double sum = 0, mean[3] = {0, 0, 0}, squares[2] = {0, 0};
    int n = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < s->n_vertices; i++) {
            double d[3];
            fb_v3_sub(d, s->vertices[i], origin);
            if (fabs(fb_v3_dot(d, axis) - height) > half || !looked_at(work, NULL, i)) {
                continue;
            }
            if (pass == 0) {
                fb_v3_madd(mean, s->area[i], s->vertices[i]);
                sum += s->area[i];
                n++;
            } else {
                fb_v3_sub(d, s->vertices[i], center);
                double x = fb_v3_dot(d, u), y = fb_v3_dot(d, v);
                squares[0] += s->area[i] * x * x / sum;
                squares[1] += s->area[i] * y * y / sum;
            }
        }
        if (pass == 0) {
            if (n < 3 || !(sum > 0)) {
                return 0;
            }
            fb_v3_scale(center, 1 / sum, mean);
            if (spread == NULL) {
                return n;
            }
        }
    }
    spread[0] = sqrt(squares[0]);
    spread[1] = sqrt(squares[1]);
    return n;
}

/* Each face that the plane cuts gives a directed piece of the outline, the inside on its left; the
 * outline's area and moments are sums over the pieces (Green), so they need no order. */
bool fb_bone_section(const fb_bone_work *work, const double *origin, const double *axis,
                     double height, const double *u, const double *v, double *center, double *area,
                     double *moments) {
    const fb_surface *s = work->surface;
    double a = 0, first[2] = {0, 0}, second[3] = {0, 0, 0}, gap[2] = {0, 0}, length = 0;
    for (int f = 0; f < s->n_faces; f++) {
        if (!looked_at(work, NULL, s->faces[f][0])) {
            continue;
        }
        double h[3], ends[2][2];
        for (int k = 0; k < 3; k++) {
            double d[3];
            fb_v3_sub(d, s->vertices[s->faces[f][k]], origin);
            h[k] = fb_v3_dot(d, axis) - height;
        }
        if ((h[0] < 0) == (h[1] < 0) && (h[1] < 0) == (h[2] < 0)) {
            continue;
        }
        for (int k = 0; k < 3; k++) {
            int j = (k + 1) % 3;
            if ((h[k] < 0) == (h[j] < 0)) {
                continue;
            }
            const double *p = s->vertices[s->faces[f][k]], *q = s->vertices[s->faces[f][j]];
            double t = h[k] / (h[k] - h[j]), d[3];
            for (int i = 0; i < 3; i++) {
                d[i] = p[i] + t * (q[i] - p[i]) - origin[i];
            }
            /* an edge that rises ends the piece, one that falls starts it */
            double *e = ends[h[k] < 0];
            e[0] = fb_v3_dot(d, u);
            e[1] = fb_v3_dot(d, v);
        }
        double x0 = ends[0][0], y0 = ends[0][1], x1 = ends[1][0], y1 = ends[1][1];
        double cross = x0 * y1 - x1 * y0;
        a += cross / 2;
        first[0] += cross * (x0 + x1) / 6;
        first[1] += cross * (y0 + y1) / 6;
        second[0] += cross * (x0 * x0 + x0 * x1 + x1 * x1) / 12;
        second[1] += cross * (y0 * y0 + y0 * y1 + y1 * y1) / 12;
        second[2] += cross * (x0 * y1 + 2 * x0 * y0 + 2 * x1 * y1 + x1 * y0) / 24;
        gap[0] += x1 - x0;
        gap[1] += y1 - y0;
        length += fb_length2(x1 - x0, y1 - y0);
    }
    /* open outlines do not come back to where they started */
    if (!(length > 0) || fb_length2(gap[0], gap[1]) > 0.02 * length || a == 0) {
        return false;
    }
    if (a < 0) {
        a = -a;
        first[0] = -first[0];
        first[1] = -first[1];
        for (int k = 0; k < 3; k++) {
            second[k] = -second[k];
        }
    }
    double x = first[0] / a, y = first[1] / a;
    fb_v3_copy(center, origin);
    fb_v3_madd(center, height, axis);
    fb_v3_madd(center, x, u);
    fb_v3_madd(center, y, v);
    *area = a;
    if (moments != NULL) {
        moments[0] = second[0] / a - x * x;
        moments[1] = second[1] / a - y * y;
        moments[2] = second[2] / a - x * y;
    }
    return a > 1e-6 * length * length;
}

/* ---- spheres and cylinders ------------------------------------------------------------------- */

/* Numbers that look random and are the same everywhere (xorshift). */
static uint32_t next_random(uint32_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

enum { TRIES = 1500, SCORED = 1000 };

/* Two vertices that may lie on one ball: not farther from each other than its width. */
static bool pick_two(const fb_surface *s, const int *list, int n, double width, uint32_t *state,
                     int *i, int *j) {
    *i = list[next_random(state) % (uint32_t)n];
    for (int k = 0; k < 60; k++) {
        *j = list[next_random(state) % (uint32_t)n];
        if (*j != *i && fb_v3_distance(s->vertices[*i], s->vertices[*j]) < width) {
            return true;
        }
    }
    return false;
}

/* Whether a vertex lies on a ball: near its surface, and its normal points away from the centre
 * (to it, of hollow ones). */
static bool on_sphere(const fb_bone_work *work, int i, const fb_bone_ball *ball, int sign,
                      double tolerance) {
    double d[3];
    fb_v3_sub(d, work->surface->vertices[i], ball->center);
    double distance = fb_v3_norm(d);
    return fabs(distance - ball->radius) < tolerance &&
           sign * fb_v3_dot(d, work->normals[i]) > 0.87 * distance;
}

/* The part of the sphere that lies on the surface there. */
static double sphere_cover(const fb_bone_work *work, const int *list, int n,
                           const fb_bone_ball *ball, int sign, double tolerance) {
    double area = 0;
    for (int i = 0; i < n; i++) {
        if (on_sphere(work, list[i], ball, sign, tolerance)) {
            area += work->surface->area[list[i]];
        }
    }
    return area / (4 * 3.14159265358979 * ball->radius * ball->radius);
}

bool fb_refit_sphere(fb_bone_work *work, const int *list, int n, int sign, double tolerance,
                     fb_bone_ball *ball) {
    const fb_surface *s = work->surface;
    for (int round = 0; round < 20; round++) {
        int m = 0;
        for (int i = 0; i < n; i++) {
            if (on_sphere(work, list[i], ball, sign, tolerance * ball->radius)) {
                fb_v3_copy(work->points[m++], s->vertices[list[i]]);
            }
        }
        double center[3], radius;
        double rms = fb_fit_sphere((const double(*)[3])work->points, m, center, &radius);
        if (!isfinite(rms)) {
            return false;
        }
        double moved = fb_v3_distance(center, ball->center) + fabs(radius - ball->radius);
        fb_v3_copy(ball->center, center);
        ball->radius = radius;
        ball->rms = rms;
        ball->n = m;
        if (moved < 1e-5 * radius) {
            break;
        }
    }
    ball->cover = sphere_cover(work, list, n, ball, sign, tolerance * ball->radius);
    return true;
}

/* At most SCORED of the vertices, evenly; how many. */
static int spread_few(const int *list, int n, int *few) {
    int m = n < SCORED ? n : SCORED;
    for (int k = 0; k < m; k++) {
        few[k] = list[(long)k * n / m];
    }
    return m;
}

/* Candidates come from two vertices and their normals; those that are nearly as good as the best so
 * far are refitted before they are compared (Chum et al. 2003: locally optimised RANSAC). */
bool fb_find_sphere(fb_bone_work *work, const int *list, int n, double low, double high, int sign,
                    double cover, fb_bone_ball *ball) {
    const fb_surface *s = work->surface;
    uint32_t state = 2463534242u;
    int few[SCORED], m = spread_few(list, n, few);
    double share = (double)n / (m > 0 ? m : 1), best = 0, rough = 0;
    for (int k = 0; k < TRIES && n > 8; k++) {
        int i, j;
        if (!pick_two(s, list, n, 2 * high, &state, &i, &j)) {
            continue;
        }
        const double *a = work->normals[i], *b = work->normals[j];
        double d[3], ab = fb_v3_dot(a, b);
        fb_v3_sub(d, s->vertices[j], s->vertices[i]);
        if (fabs(ab) > 0.95) {
            continue;
        }
        /* where the lines along both normals come nearest to each other */
        double da = fb_v3_dot(d, a), db = fb_v3_dot(d, b), rest = 1 - ab * ab;
        double t = (da - ab * db) / rest, u = (ab * da - db) / rest;
        double radius = -sign * (t + u) / 2;
        if (radius < low || radius > high || fabs(t - u) > 0.2 * radius) {
            continue;
        }
        fb_bone_ball tried = {.radius = radius};
        for (int c = 0; c < 3; c++) {
            tried.center[c] = (s->vertices[i][c] + t * a[c] + s->vertices[j][c] + u * b[c]) / 2;
        }
        tried.cover = share * sphere_cover(work, few, m, &tried, sign, 0.1 * radius);
        if (tried.cover < 0.7 * rough) {
            continue;
        }
        rough = fb_greater(rough, tried.cover);
        if (!fb_refit_sphere(work, few, m, sign, 0.12, &tried) || tried.radius < low ||
            tried.radius > high) {
            continue;
        }
        tried.cover = share * sphere_cover(work, few, m, &tried, sign, 0.06 * tried.radius);
        if (tried.cover > best) {
            best = tried.cover;
            *ball = tried;
        }
    }
    return best > 0 && fb_refit_sphere(work, list, n, sign, 0.1, ball) &&
           fb_refit_sphere(work, list, n, sign, 0.06, ball) && ball->radius >= low &&
           ball->radius <= high && ball->cover >= cover;
}

bool fb_on_cylinder(const fb_bone_work *work, int i, const fb_bone_ball *ball, int sign,
                    double tolerance) {
    double d[3];
    fb_v3_sub(d, work->surface->vertices[i], ball->center);
    fb_v3_madd(d, -fb_v3_dot(d, ball->axis), ball->axis);
    double distance = fb_v3_norm(d);
    return fabs(distance - ball->radius) < tolerance &&
           sign * fb_v3_dot(d, work->normals[i]) > 0.85 * distance;
}

bool fb_refit_cylinder(fb_bone_work *work, const int *list, int n, int sign, double tolerance,
                       fb_bone_ball *ball) {
    const fb_surface *s = work->surface;
    for (int round = 0; round < 30; round++) {
        int m = 0;
        for (int i = 0; i < n; i++) {
            if (fb_on_cylinder(work, list[i], ball, sign, tolerance * ball->radius)) {
                fb_v3_copy(work->points[m++], s->vertices[list[i]]);
            }
        }
        fb_bone_ball next = *ball;
        next.rms = fb_fit_cylinder((const double(*)[3])work->points, m, next.center, next.axis,
                                   &next.radius);
        if (!isfinite(next.rms)) {
            return false;
        }
        next.n = m;
        double moved = fb_v3_distance(next.axis, ball->axis) * ball->radius +
                       fabs(next.radius - ball->radius);
        *ball = next;
        if (moved < 1e-5 * ball->radius) {
            break;
        }
    }
    double area = 0;
    for (int i = 0; i < n; i++) {
        if (fb_on_cylinder(work, list[i], ball, sign, tolerance * ball->radius)) {
            area += s->area[list[i]];
        }
    }
    ball->cover = area / (ball->radius * ball->radius);
    return true;
}

void fb_cylinder_ends(fb_bone_work *work, const int *list, int n, const fb_bone_ball *ball,
                      double tolerance, double *low, double *high) {
    enum { BINS = 400 };
    const fb_surface *s = work->surface;
    double bins[BINS] = {0}, all = 0, reach = 4 * ball->radius;
    for (int i = 0; i < n; i++) {
        if (fb_on_cylinder(work, list[i], ball, 1, tolerance)) {
            double d[3];
            fb_v3_sub(d, s->vertices[list[i]], ball->center);
            double part = (fb_v3_dot(d, ball->axis) + reach) / (2 * reach);
            if (part >= 0 && part < 1) {
                bins[(int)(part * BINS)] += s->area[list[i]];
                all += s->area[list[i]];
            }
        }
    }
    double sum = 0;
    *low = *high = 0;
    for (int k = 0; k < BINS; k++) {
        double h = (2 * (k + 0.5) / BINS - 1) * reach, next = sum + bins[k];
        if (sum < 0.03 * all && next >= 0.03 * all) {
            *low = h;
        }
        if (sum < 0.97 * all && next >= 0.97 * all) {
            *high = h;
        }
        sum = next;
    }
}

/* Area of the few vertices on a cylinder. */
static double cylinder_area(const fb_bone_work *work, const int *list, int n,
                            const fb_bone_ball *ball, double tolerance) {
    double area = 0;
    for (int i = 0; i < n; i++) {
        if (fb_on_cylinder(work, list[i], ball, 1, tolerance)) {
            area += work->surface->area[list[i]];
        }
    }
    return area;
}

/* As fb_find_sphere; the axis is across both normals. */
bool fb_find_cylinder(fb_bone_work *work, const int *list, int n, double low, double high,
                      const double *near, double cosine, fb_bone_ball *ball) {
    const fb_surface *s = work->surface;
    uint32_t state = 2463534242u;
    int few[SCORED], count = spread_few(list, n, few);
    double best = 0, rough = 0;
    for (int k = 0; k < 2 * TRIES && n > 12; k++) {
        int i, j;
        if (!pick_two(s, list, n, 4 * high, &state, &i, &j)) {
            continue;
        }
        const double *a = work->normals[i], *b = work->normals[j];
        fb_bone_ball tried = {.radius = 0};
        fb_v3_cross(tried.axis, a, b);
        if (fb_v3_normalize(tried.axis) < 0.3 || fabs(fb_v3_dot(tried.axis, near)) < cosine) {
            continue;
        }
        double d[3], ab = fb_v3_dot(a, b);
        fb_v3_sub(d, s->vertices[j], s->vertices[i]);
        double da = fb_v3_dot(d, a), db = fb_v3_dot(d, b), rest = 1 - ab * ab;
        double t = (da - ab * db) / rest, u = (ab * da - db) / rest;
        tried.radius = -(t + u) / 2;
        if (tried.radius < low || tried.radius > high || fabs(t - u) > 0.2 * tried.radius) {
            continue;
        }
        for (int c = 0; c < 3; c++) {
            tried.center[c] = (s->vertices[i][c] + t * a[c] + s->vertices[j][c] + u * b[c]) / 2;
        }
        double area = cylinder_area(work, few, count, &tried, 0.1 * tried.radius);
        if (area < 0.75 * rough) {
            continue;
        }
        rough = fb_greater(rough, area);
        if (!fb_refit_cylinder(work, few, count, 1, 0.12, &tried) || tried.radius < low ||
            tried.radius > high || fabs(fb_v3_dot(tried.axis, near)) < cosine) {
            continue;
        }
        area = cylinder_area(work, few, count, &tried, 0.06 * tried.radius);
        if (area > best) {
            best = area;
            *ball = tried;
        }
    }
    return best > 0 && fb_refit_cylinder(work, list, n, 1, 0.08, ball) && ball->radius >= low &&
           ball->radius <= high;
}
