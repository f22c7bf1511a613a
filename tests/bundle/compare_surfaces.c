/* How near two closed surfaces lie to each other.
 *
 *     compare_surfaces A B        A and B: files of meshes, in metres, or FILE:mm in millimetres
 *     compare_surfaces spindle:VOLUME:X,Y,Z:X,Y,Z B
 *
 * A spindle is an ellipsoid of revolution of a volume (m^3) from one point to another: the plainest
 * body of a muscle.
 *
 * Prints one line with tabs: volume of A and B (cm^3), the mean distance of A's surface from B's
 * and of B's from A's, the mean of both, the 95 % Hausdorff distance (the greater of the two
 * distances that 95 % of either surface keep; mm), and the Dice coefficient 2 |A and B| / (|A| +
 * |B|) of what they enclose. Surfaces are sampled evenly, at a point in 4 square millimetres;
 * what they enclose is counted in cubes of 1.5 mm. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/mesh_read.h"
#include "formats/text.h"
#include "libcore/base/spatial.h"
#include "libcore/bundle/solid.h"

#define PI 3.14159265358979323846
#define CELL 0.006  /* m: of the grid in which triangles are looked for */
#define SAMPLE 4e-6 /* m^2 */
#define CUBE 0.0015 /* m */
#define SPINDLE_RINGS 48

typedef struct grid {
    fb_shell mesh;
    double low[3];
    int n[3];
    int *first, *items; /* triangles whose boxes meet each cell */
} grid;

typedef struct distances {
    double *d, mean;
    size_t n;
} distances;

static void *get(size_t n, size_t size) {
    void *p = calloc(n ? n : 1, size);
    if (!p) {
        fputs("compare_surfaces: out of memory\n", stderr);
        exit(70);
    }
    return p;
}

/* ---- meshes ---------------------------------------------------------------------------------- */

static fb_shell read_mesh(const char *name) {
    char file[1000];
    double scale = 1;
    snprintf(file, sizeof file, "%s", name);
    size_t length = strlen(file);
    if (length > 3 && strcmp(file + length - 3, ":mm") == 0) {
        file[length - 3] = 0;
        scale = 1e-3;
    }
    fb_diag diag;
    fb_mesh_file mesh;
    char *bytes = NULL;
    size_t size = 0;
    fb_diag_init(&diag);
    if (fb_read_file(file, (size_t)1 << 28, &bytes, &size, &diag) != FB_OK ||
        fb_mesh_read(&mesh, bytes, size, file, &diag) != FB_OK) {
        fprintf(stderr, "compare_surfaces: %s cannot be read\n", file);
        exit(3);
    }
    for (size_t v = 0; v < mesh.n_vertices; v++) {
        fb_v3_scale(mesh.vertices[v], scale, mesh.vertices[v]);
    }
    return (fb_shell){(const double(*)[3])mesh.vertices, (const int(*)[3])mesh.faces,
                      mesh.n_vertices, mesh.n_faces};
}

static fb_shell spindle(const char *text) {
    double volume, a[3], b[3], z[3], x[3] = {0, 0, 0}, y[3];
    if (sscanf(text, "spindle:%lf:%lf,%lf,%lf:%lf,%lf,%lf", &volume, a, a + 1, a + 2, b, b + 1,
               b + 2) != 7) {
        fprintf(stderr, "compare_surfaces: '%s' is no spindle\n", text);
        exit(2);
    }
    fb_v3_sub(z, b, a);
    double half = fb_v3_normalize(z) / 2, radius = sqrt(volume / (4 * PI / 3 * half));
    x[fb_v3_least(z)] = 1;
    fb_v3_madd(x, -fb_v3_dot(x, z), z);
    fb_v3_normalize(x);
    fb_v3_cross(y, z, x);
    int rings = SPINDLE_RINGS, sides = 2 * SPINDLE_RINGS;
    double(*v)[3] = get((size_t)((rings + 1) * sides), sizeof *v);
    int(*f)[3] = get((size_t)(2 * rings * sides), sizeof *f);
    for (int i = 0; i <= rings; i++) {
        for (int k = 0; k < sides; k++) {
            double t = PI * i / rings, turn = 2 * PI * k / sides;
            double *p = v[i * sides + k];
            fb_v3_copy(p, a);
            fb_v3_madd(p, half * (1 - cos(t)), z);
            fb_v3_madd(p, radius * sin(t) * cos(turn), x);
            fb_v3_madd(p, radius * sin(t) * sin(turn), y);
        }
    }
    int n = 0;
    for (int i = 0; i < rings; i++) {
        for (int k = 0; k < sides; k++) {
            int c[4] = {i * sides + k, i * sides + (k + 1) % sides, (i + 1) * sides + k,
                        (i + 1) * sides + (k + 1) % sides};
            memcpy(f[n++], (int[3]){c[0], c[1], c[3]}, sizeof *f);
            memcpy(f[n++], (int[3]){c[0], c[3], c[2]}, sizeof *f);
        }
    }
    return (fb_shell){(const double(*)[3])v, (const int(*)[3])f, (size_t)((rings + 1) * sides),
                      (size_t)n};
}

/* ---- the nearest triangle -------------------------------------------------------------------- */

static int cell_of(const grid *g, double x, int k) {
    int i = (int)floor((x - g->low[k]) / CELL);
    return i < 0 ? 0 : i > g->n[k] - 1 ? g->n[k] - 1 : i;
}

static void box_of(const grid *g, size_t face, int *from, int *to) {
    for (int k = 0; k < 3; k++) {
        double low = HUGE_VAL, high = -HUGE_VAL;
        for (int c = 0; c < 3; c++) {
            double x = g->mesh.vertices[g->mesh.faces[face][c]][k];
            low = fmin(low, x);
            high = fmax(high, x);
        }
        from[k] = cell_of(g, low, k);
        to[k] = cell_of(g, high, k);
    }
}

static grid make_grid(fb_shell mesh) {
    grid g = {.mesh = mesh};
    double high[3];
    for (int k = 0; k < 3; k++) {
        g.low[k] = HUGE_VAL;
        high[k] = -HUGE_VAL;
        for (size_t v = 0; v < mesh.n_vertices; v++) {
            g.low[k] = fmin(g.low[k], mesh.vertices[v][k]);
            high[k] = fmax(high[k], mesh.vertices[v][k]);
        }
        g.n[k] = (int)((high[k] - g.low[k]) / CELL) + 1;
    }
    size_t cells = (size_t)g.n[0] * (size_t)g.n[1] * (size_t)g.n[2];
    g.first = get(cells + 1, sizeof *g.first);
    for (int fill = 0; fill < 2; fill++) { /* count, then put in */
        for (size_t f = 0; f < mesh.n_faces; f++) {
            int from[3], to[3];
            box_of(&g, f, from, to);
            for (int z = from[2]; z <= to[2]; z++) {
                for (int y = from[1]; y <= to[1]; y++) {
                    for (int x = from[0]; x <= to[0]; x++) {
                        size_t at = (size_t)((z * g.n[1] + y) * g.n[0] + x);
                        if (fill) {
                            g.items[--g.first[at]] = (int)f;
                        } else {
                            g.first[at]++;
                        }
                    }
                }
            }
        }
        for (size_t c = 1; !fill && c <= cells; c++) {
            g.first[c] += g.first[c - 1];
        }
        if (!fill) {
            g.items = get((size_t)g.first[cells], sizeof *g.items);
        }
    }
    return g;
}

/* Squared distance of a point from a triangle (C. Ericson, *Real-Time Collision Detection*, 2005,
 * section 5.1.5). */
static double from_triangle(const double *p, const double *a, const double *b, const double *c) {
    double ab[3], ac[3], ap[3], bp[3], cp[3], q[3];
    fb_v3_sub(ab, b, a);
    fb_v3_sub(ac, c, a);
    fb_v3_sub(ap, p, a);
    fb_v3_sub(bp, p, b);
    fb_v3_sub(cp, p, c);
    double d1 = fb_v3_dot(ab, ap), d2 = fb_v3_dot(ac, ap), d3 = fb_v3_dot(ab, bp);
    double d4 = fb_v3_dot(ac, bp), d5 = fb_v3_dot(ab, cp), d6 = fb_v3_dot(ac, cp);
    double va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2;
    double s = 0, t = 0;
    if (d1 <= 0 && d2 <= 0) {
    } else if (d3 >= 0 && d4 <= d3) {
        s = 1;
    } else if (vc <= 0 && d1 >= 0 && d3 <= 0) {
        s = d1 / (d1 - d3);
    } else if (d6 >= 0 && d5 <= d6) {
        t = 1;
    } else if (vb <= 0 && d2 >= 0 && d6 <= 0) {
        t = d2 / (d2 - d6);
    } else if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) {
        t = (d4 - d3) / (d4 - d3 + d5 - d6);
        s = 1 - t;
    } else {
        double sum = va + vb + vc;
        s = sum != 0 ? vb / sum : 0;
        t = sum != 0 ? vc / sum : 0;
    }
    fb_v3_copy(q, a);
    fb_v3_madd(q, s, ab);
    fb_v3_madd(q, t, ac);
    fb_v3_sub(q, p, q);
    return fb_v3_dot(q, q);
}

static double nearest(const grid *g, const double *p) {
    double best = HUGE_VAL;
    int at[3], most = g->n[0] + g->n[1] + g->n[2];
    for (int k = 0; k < 3; k++) {
        at[k] = cell_of(g, p[k], k);
    }
    for (int r = 0; r <= most; r++) { /* shells of cells; those beyond the best are not looked at */
        double least = (r - 1) * CELL;
        if (least > 0 && least * least > best) {
            break;
        }
        for (int z = at[2] - r; z <= at[2] + r; z++) {
            for (int y = at[1] - r; y <= at[1] + r; y++) {
                bool face = abs(z - at[2]) == r || abs(y - at[1]) == r;
                for (int x = at[0] - r; x <= at[0] + r; x += face ? 1 : r ? 2 * r : 1) {
                    if (x < 0 || y < 0 || z < 0 || x >= g->n[0] || y >= g->n[1] || z >= g->n[2]) {
                        continue;
                    }
                    size_t cell = (size_t)((z * g->n[1] + y) * g->n[0] + x);
                    for (int i = g->first[cell]; i < g->first[cell + 1]; i++) {
                        const int *f = g->mesh.faces[g->items[i]];
                        best = fmin(best,
                                    from_triangle(p, g->mesh.vertices[f[0]], g->mesh.vertices[f[1]],
                                                  g->mesh.vertices[f[2]]));
                    }
                }
            }
        }
    }
    return sqrt(best);
}

/* ---- measures -------------------------------------------------------------------------------- */

/* Distances of even samples of a surface from another; each triangle's samples are as many as its
 * area has, the remainders carried to the next. */
static distances from_surface(const fb_shell *a, const grid *b) {
    distances r = {0};
    double area = 0, carry = 0, sum = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t f = 0; f < a->n_faces; f++) {
            const double *p = a->vertices[a->faces[f][0]], *q = a->vertices[a->faces[f][1]];
            const double *s = a->vertices[a->faces[f][2]];
            double u[3], v[3], n[3];
            fb_v3_sub(u, q, p);
            fb_v3_sub(v, s, p);
            fb_v3_cross(n, u, v);
            double own = fb_v3_norm(n) / 2 / SAMPLE;
            area += pass ? 0 : own;
            carry += pass ? own : 0;
            for (int i = 0; pass && carry >= 0.5; i++, carry -= 1) { /* R2 sequence */
                double s1 = fmod(0.5 + i * 0.7548776662466927, 1);
                double s2 = fmod(0.5 + i * 0.5698402909980532, 1), point[3];
                if (s1 + s2 > 1) {
                    s1 = 1 - s1;
                    s2 = 1 - s2;
                }
                if (i == 0) { /* the middle */
                    s1 = s2 = 1.0 / 3;
                }
                fb_v3_copy(point, p);
                fb_v3_madd(point, s1, u);
                fb_v3_madd(point, s2, v);
                r.d[r.n] = nearest(b, point);
                sum += r.d[r.n++];
            }
        }
        if (!pass) {
            r.d = get((size_t)area + 16, sizeof *r.d);
        }
    }
    r.mean = sum / (double)r.n;
    return r;
}

static int ascending(const void *a, const void *b) {
    double x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

static double percentile95(distances *r) {
    qsort(r->d, r->n, sizeof *r->d, ascending);
    return r->d[(size_t)(0.95 * (double)(r->n - 1))];
}

/* Both solids have their cubes at multiples of CUBE from the same place. */
static double dice(const fb_shell *a, const fb_shell *b) {
    fb_solid solid[2];
    const fb_shell *mesh[2] = {a, b};
    for (int i = 0; i < 2; i++) {
        const char *why = fb_solid_make(&solid[i], mesh[i], CUBE);
        if (why) {
            fprintf(stderr, "compare_surfaces: %s\n", why);
            exit(3);
        }
    }
    size_t both = 0;
    const fb_solid *s = &solid[0], *t = &solid[1];
    size_t all = (size_t)s->n[0] * (size_t)s->n[1] * (size_t)s->n[2];
    for (size_t c = 0; c < all; c++) {
        double p[3];
        int at[3];
        bool in = s->inside[c];
        fb_solid_centre(s, c, p);
        for (int k = 0; k < 3; k++) {
            at[k] = (int)floor((p[k] - t->low[k]) / CUBE + 0.5);
            in = in && at[k] >= 0 && at[k] < t->n[k];
        }
        both += in &&
                t->inside[((size_t)at[2] * (size_t)t->n[1] + (size_t)at[1]) * (size_t)t->n[0] +
                          (size_t)at[0]];
    }
    return 2 * (double)both / (double)(s->count + t->count);
}

int main(int argc, char **argv) {
    if (argc != 3) {
        fputs("usage: compare_surfaces A B\n", stderr);
        return 2;
    }
    fb_shell a = strncmp(argv[1], "spindle:", 8) == 0 ? spindle(argv[1]) : read_mesh(argv[1]);
    fb_shell b = read_mesh(argv[2]);
    grid ga = make_grid(a), gb = make_grid(b);
    distances ab = from_surface(&a, &gb), ba = from_surface(&b, &ga);
    printf("%.2f\t%.2f\t%.3f\t%.3f\t%.3f\t%.2f\t%.4f\n", 1e6 * fb_shell_volume(&a),
           1e6 * fb_shell_volume(&b), 1e3 * ab.mean, 1e3 * ba.mean, 500 * (ab.mean + ba.mean),
           1e3 * fmax(percentile95(&ab), percentile95(&ba)), dice(&a, &b));
    return 0;
}
