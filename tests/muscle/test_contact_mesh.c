/* Contact of meshes: nearest points against a search through all faces and a count of solid angle,
 * forces against pressure integrals, their law and the energy that they store. */
#include "libcore/muscle/contact_mesh.h"
#include "tests/muscle/rig.h"

/* ---- meshes ---------------------------------------------------------------------------------- */

#define MOST 9000

typedef struct mesh {
    double vertices[MOST][3];
    int faces[MOST][3];
    fb_triangles triangles;
} mesh;

static void finish(mesh *m, int n_vertices, int n_faces) {
    m->triangles = (fb_triangles){(const double(*)[3])m->vertices, (const int(*)[3])m->faces,
                                  n_vertices, n_faces};
}

/* An octahedron whose faces are cut in four `levels` times, blown up to a ball; every face has
 * corners of its own, as in STL files. */
static mesh *ball(double radius, int levels) {
    static double v[2][MOST][3];
    static const double tips[6][3] = {{1, 0, 0},  {-1, 0, 0}, {0, 1, 0},
                                      {0, -1, 0}, {0, 0, 1},  {0, 0, -1}};
    mesh *m = calloc(1, sizeof *m);
    int n = 0;
    for (int i = 0; i < 8; i++) {
        int a = i & 1, b = 2 + (i >> 1 & 1), c = 4 + (i >> 2 & 1);
        bool odd = (a + b + c) % 2 != 0; /* the sense turns with each sign */
        fb_v3_copy(v[0][n++], tips[a]);
        fb_v3_copy(v[0][n++], tips[odd ? c : b]);
        fb_v3_copy(v[0][n++], tips[odd ? b : c]);
    }
    for (int level = 0; level < levels; level++) {
        double(*from)[3] = v[level % 2], (*to)[3] = v[(level + 1) % 2];
        int k = 0;
        for (int i = 0; i < n; i += 3) {
            double half[3][3];
            for (int j = 0; j < 3; j++) {
                fb_v3_add(half[j], from[i + j], from[i + (j + 1) % 3]);
                fb_v3_normalize(half[j]);
            }
            for (int j = 0; j < 3; j++) {
                fb_v3_copy(to[k++], from[i + j]);
                fb_v3_copy(to[k++], half[j]);
                fb_v3_copy(to[k++], half[(j + 2) % 3]);
            }
            for (int j = 0; j < 3; j++) {
                fb_v3_copy(to[k++], half[j]);
            }
        }
        n = k;
    }
    for (int i = 0; i < n; i++) {
        fb_v3_scale(m->vertices[i], radius, v[levels % 2][i]);
        m->faces[i / 3][i % 3] = i;
    }
    finish(m, n, n / 3);
    return m;
}

/* A box from -half to half, two faces a side; inside out if asked for. */
static mesh *box(double x, double y, double z, bool inside_out) {
    static const int faces[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6},
                                     {0, 1, 4}, {1, 5, 4}, {2, 6, 3}, {3, 6, 7},
                                     {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    mesh *m = calloc(1, sizeof *m);
    for (int i = 0; i < 8; i++) {
        fb_v3_set(m->vertices[i], i & 1 ? x : -x, i & 2 ? y : -y, i & 4 ? z : -z);
    }
    for (int i = 0; i < 12; i++) {
        for (int k = 0; k < 3; k++) {
            m->faces[i][k] = faces[i][inside_out && k ? 3 - k : k];
        }
    }
    finish(m, 8, 12);
    return m;
}

/* ---- nearest points -------------------------------------------------------------------------- */

/* The solid angle that the mesh fills from p, over 4 pi: 1 inside, 0 outside. (A. van Oosterom, J.
 * Strackee, IEEE Trans. Biomed. Eng. 30 (1983) 125.) */
static double winding(const fb_contact_mesh *m, const double *p) {
    double sum = 0;
    for (int i = 0; i < m->n_faces; i++) {
        double r[3][3], n[3], length[3];
        for (int k = 0; k < 3; k++) {
            fb_v3_sub(r[k], m->vertices[m->faces[i].vertex[k]], p);
            length[k] = fb_v3_norm(r[k]);
        }
        fb_v3_cross(n, r[1], r[2]);
        sum += 2 * atan2(fb_v3_dot(r[0], n),
                         length[0] * length[1] * length[2] + fb_v3_dot(r[0], r[1]) * length[2] +
                             fb_v3_dot(r[1], r[2]) * length[0] + fb_v3_dot(r[2], r[0]) * length[1]);
    }
    return sum / (4 * M_PI);
}

/* No point of any face is nearer: by many points of each face. */
static double least_distance(const fb_contact_mesh *m, const double *p) {
    enum { N = 12 };
    double least = HUGE_VAL;
    for (int i = 0; i < m->n_faces; i++) {
        const int *v = m->faces[i].vertex;
        for (int a = 0; a <= N; a++) {
            for (int b = 0; a + b <= N; b++) {
                double q[3] = {0, 0, 0};
                fb_v3_madd(q, (double)a / N, m->vertices[v[0]]);
                fb_v3_madd(q, (double)b / N, m->vertices[v[1]]);
                fb_v3_madd(q, (double)(N - a - b) / N, m->vertices[v[2]]);
                least = fmin(least, fb_v3_distance(p, q));
            }
        }
    }
    return least;
}

static void nearest_points_are_nearest(void) {
    mesh *meshes[] = {ball(0.5, 2), box(0.5, 0.2, 0.7, false), box(0.3, 0.6, 0.1, true)};
    unsigned long long seed = fb_test_seed();
    for (int i = 0; i < 3; i++) {
        fb_arena arena;
        const char *why = NULL;
        fb_arena_init(&arena);
        const fb_contact_mesh *m = fb_contact_mesh_new(&meshes[i]->triangles, &arena, &why);
        int inside = 0;
        if (!FB_TRUE(m != NULL, "%s", why)) {
            continue;
        }
        FB_EQUAL_INT(m->n_vertices, i == 0 ? 66 : 8);
        for (int k = 0; k < 300; k++) {
            double p[3], nearest[3];
            for (int j = 0; j < 3; j++) {
                p[j] = ((double)(fb_random(&seed) % 2001) / 1000 - 1) * 0.8;
                p[j] = k % 5 == 0 && j != k / 5 % 3 ? 0 : p[j]; /* on an axis: corners, edges */
            }
            bool in = fb_contact_mesh_nearest(m, p, nearest);
            double distance = fb_v3_distance(p, nearest), least = least_distance(m, p);
            FB_TRUE(distance <= least + 1e-12, "%g is farther than %g", distance, least);
            FB_NEAR(distance, least, 0.06, 0);
            if (distance > 1e-6) {
                FB_NEAR(winding(m, p), in ? 1 : 0, 1e-9, 0);
            }
            inside += in;
        }
        FB_TRUE(inside > 10 && inside < 290, "both sides: %d", inside);
        fb_arena_clear(&arena);
        free(meshes[i]);
    }
}

static void open_meshes_are_refused(void) {
    mesh *m = box(1, 1, 1, false);
    for (int kind = 0; kind < 3; kind++) {
        fb_arena arena;
        const char *why = NULL;
        int last[3];
        fb_arena_init(&arena);
        memcpy(last, m->faces[11], sizeof last);
        m->triangles.n_faces = kind == 0 ? 11 : kind == 2 ? 0 : 12;
        if (kind == 1) { /* one face is turned over */
            m->faces[11][0] = last[1];
            m->faces[11][1] = last[0];
        }
        FB_TRUE(fb_contact_mesh_new(&m->triangles, &arena, &why) == NULL, "it is open");
        FB_HOLDS(why, "not closed");
        memcpy(m->faces[11], last, sizeof last);
        fb_arena_clear(&arena);
    }
    free(m);
}

/* ---- forces ---------------------------------------------------------------------------------- */

/* Meshes by the names of the shapes: "ball", "box", "small". */
typedef struct shop {
    mesh *ball, *box, *small;
} shop;

static const char *triangles_of(void *context, const fb_element *shape, fb_triangles *result) {
    const shop *s = context;
    const char *name = fb_osim_name(shape);
    const mesh *m = strcmp(name, "ball") == 0  ? s->ball
                    : strcmp(name, "box") == 0 ? s->box
                                               : s->small;
    if (!m) {
        return "its mesh is not in the shop";
    }
    *result = m->triangles;
    return NULL;
}

#define SHAPE(NAME, TYPE, FRAME, MORE) \
    "{\"name\": \"" NAME "\", \"type\": \"" TYPE "\", \"frame\": \"" FRAME "\"" MORE "}"
/* y < 0 */
#define FLOOR \
    SHAPE("floor", "half_space", "ground", ", \"orientation\": [0, 0, -1.5707963267948966]")
#define FOUNDATION(SHAPES, PARAMETERS) \
    "\"contact_geometry\": [" SHAPES "], \"contact_forces\": [{\"name\": \"e\", \"type\": " \
    "\"elastic_foundation\", \"transition_velocity\": 0.1, \"contact_parameters\": [" PARAMETERS \
    "]}]"
#define OF(SHAPE, STIFFNESS, MORE) \
    "{\"type\": \"elastic_foundation\", \"geometry\": [" SHAPE "], \"stiffness\": " STIFFNESS MORE \
    "}"

static void begin(rig *r, shop *s, const char *lists) {
    fb_resources resources = {.context = s, .triangles = triangles_of};
    *s = (shop){ball(0.5, 4), box(0.5, 0.2, 0.7, false), ball(0.3, 2)};
    rig_begin_from(r, lists, false, &resources);
    FB_EQUAL_INT(r->forces->n_skipped, 0);
}

static void end(rig *r, shop *s) {
    rig_end(r);
    free(s->ball);
    free(s->box);
    free(s->small);
}

static int first_of_a(const rig *r) {
    return r->system->mobods[body_number(r, "/bodyset/a")].q;
}

/* How far a mesh's faces lie inside the ball that its corners are on. */
static double flatness(const mesh *m, double radius) {
    double least = radius;
    for (int i = 0; i < m->triangles.n_faces; i++) {
        double center[3] = {0, 0, 0};
        for (int k = 0; k < 3; k++) {
            fb_v3_madd(center, 1.0 / 3, m->vertices[m->faces[i][k]]);
        }
        least = fmin(least, fb_v3_norm(center));
    }
    return radius - least;
}

/* A ball sunk by d: k d / 2 on average on a cap of area 2 pi R d (Archimedes), so pi k R d^2. Its
 * faces are a little less deep. */
static void ball_on_floor_carries_the_integral(void) {
    rig r;
    shop s;
    begin(&r, &s,
          FOUNDATION(SHAPE("ball", "mesh", "a", "") "," FLOOR,
                     OF("\"ball\", \"floor\"", "1e6", "")));
    int a = body_number(&r, "/bodyset/a");
    static const double depths[] = {0.05, 0.1, 0.3, 0.5};
    for (int i = 0; i < 4; i++) {
        double d = depths[i];
        r.state->q[first_of_a(&r) + 3] = 0.2;
        r.state->q[first_of_a(&r) + 4] = 0.5 - d;
        rig_apply(&r);
        double least = M_PI * 1e6 * 0.5 * pow(d - flatness(s.ball, 0.5), 2);
        double middle = (M_PI * 1e6 * 0.5 * d * d + least) / 2;
        FB_NEAR(r.external[a][4], middle, middle - least, 0.003);
        FB_NEAR(least, middle, 0, 0.05); /* the band is narrow */
        FB_NEAR(r.external[a][3], 0, 1e-6, 0);
        FB_NEAR(r.external[a][2], 0.2 * r.external[a][4], 1e-6, 1e-9);
    }
    r.state->q[first_of_a(&r) + 4] = 0.501;
    rig_apply(&r);
    FB_SAME(r.external[a][4], 0);
    balances(&r, 0.3, 0.1);
    end(&r, &s);
}

/* A ball in the middle of a larger sphere's wall: the overlap of both integrated numerically. */
static void ball_in_sphere_carries_the_integral(void) {
    rig r;
    shop s;
    begin(&r, &s,
          FOUNDATION(SHAPE("ball", "mesh", "a", "") "," SHAPE("round", "sphere", "ground",
                                                              ", \"radius\": 0.8"),
                     OF("\"ball\", \"round\"", "1e6", "")));
    double distance = 1.1, force = 0;
    enum { N = 20000 };
    for (int i = 0; i < N;
         i++) { /* rings of equal area, by their height along the line of centres */
        double h = 0.5 * (2 * (i + 0.5) / N - 1), rho2 = 0.25 - h * h, x = distance - h;
        double from = sqrt(x * x + rho2);
        force += from < 0.8 ? 1e6 * M_PI / N * (0.8 - from) * x / from : 0;
    }
    r.state->q[first_of_a(&r) + 4] = distance;
    rig_apply(&r);
    FB_NEAR(r.external[body_number(&r, "/bodyset/a")][4], force, 0, 0.02);
    balances(&r, 0.3, 0.1);
    end(&r, &s);
}

/* A box lies flat: its bottom carries, all of it with one depth and speed. */
static void law_of_pressure_and_friction(void) {
    rig r;
    shop s;
    begin(&r, &s,
          FOUNDATION(
              SHAPE("box", "mesh", "a", "") "," FLOOR,
              OF("\"box\"", "2e5",
                 ", \"dissipation\": 0.5, \"static_friction\": 0.8, \"dynamic_friction\": 0.6, "
                 "\"viscous_friction\": 0.2") "," OF("\"floor\"", "1", "")));
    int a = body_number(&r, "/bodyset/a"), x = first_of_a(&r) + 3;
    double d = 0.02, area = 1.0 * 1.4, f = 2e5 * area * d * (1 + 0.5 * 0.3), v = 0.5;
    r.state->q[x + 1] = 0.2 - d;
    r.state->u[x + 1] = -0.3;
    r.state->u[x] = 0.05;
    rig_apply(&r);
    FB_NEAR(r.external[a][4], f, 0, 1e-10);
    FB_NEAR(r.external[a][3], -f * (v * (0.6 + 2 * 0.2 / (1 + v * v)) + 0.2 * 0.05), 0, 1e-10);
    r.state->u[x + 1] = 3; /* it parts faster than 1 / c */
    rig_apply(&r);
    FB_SAME(r.external[a][4], 0);
    FB_SAME(r.external[a][3], 0);
    end(&r, &s);
}

/* Half of the area counts for each of two meshes, and both push. */
static void two_boxes_share_the_load(void) {
    rig r;
    shop s;
    begin(&r, &s,
          FOUNDATION(SHAPE("box", "mesh", "a", "") "," SHAPE("table", "mesh", "ground",
                                                             ", \"location\": [0, -0.2, 0]"),
                     OF("\"box\", \"table\"", "2e5", "")));
    mesh *big = box(2, 0.2, 2, false);
    rig_end(&r);
    free(s.small);
    s.small = big; /* the table: its top's two faces have their centres under the box */
    fb_resources resources = {.context = &s, .triangles = triangles_of};
    rig_begin_from(&r,
                   FOUNDATION(SHAPE("box", "mesh", "a",
                                    "") "," SHAPE("table", "mesh", "ground",
                                                  ", \"location\": [0, -0.2, 0]"),
                              OF("\"box\"", "2e5", "") "," OF("\"table\"", "1e3", "")),
                   false, &resources);
    r.state->q[first_of_a(&r) + 4] = 0.2 - 0.01;
    rig_apply(&r);
    FB_NEAR(r.external[body_number(&r, "/bodyset/a")][4], 0.5 * 2e5 * 1.4 * 0.01, 0, 1e-9);
    end(&r, &s);
}

/* 1/2 k A d^2 for each face inside. */
static double stored(const rig *r, const fb_contact_mesh *m, const char *frame, double stiffness,
                     double share, double (*depth)(const rig *, const double *)) {
    double sum = 0;
    for (int i = 0; i < m->n_faces; i++) {
        const double *c = m->faces[i].center;
        double p[3];
        point_of(r, frame, c[0], c[1], c[2], p);
        double d = depth(r, p);
        sum += d > 0 ? share * stiffness / 2 * m->faces[i].area * d * d : 0;
    }
    return sum;
}

static const fb_contact_mesh *the_mesh(const rig *r, int shape) {
    return r->forces->forces[0].shapes[shape].mesh;
}

static double below(const rig *r, const double *p) {
    (void)r;
    return -p[1];
}

static double in_sphere_of_b(const rig *r, const double *p) {
    double center[3];
    point_of(r, "/fb", 0, 0, 0, center);
    return 0.4 - fb_v3_distance(p, center);
}

static double energy_of_small(rig *r) {
    return stored(r, the_mesh(r, 0), "/fa", 1000, 1, below) +
           stored(r, the_mesh(r, 0), "/fa", 1000, 1, in_sphere_of_b);
}

static void meshes_store_energy(void) {
    rig r;
    shop s;
    begin(&r, &s,
          FOUNDATION(SHAPE("small", "mesh", "fa", "") "," FLOOR "," SHAPE("round", "sphere", "fb",
                                                                          ", \"radius\": 0.4"),
                     OF("\"small\", \"floor\", \"round\"", "1000", "")));
    conserves(&r, energy_of_small, 0.4, 6, 1e-4);
    balances(&r, 0.4, 0.1);
    end(&r, &s);
}

/* Both meshes' springs, each against the other's surface. */
static double depth_in(const rig *r, int shape, const char *frame, const double *p) {
    fb_pose pose, ground, to;
    double local[3], nearest[3];
    int body = fb_system_body(r->system, fb_test_find(r->model, frame), &pose);
    fb_pose_mul(&ground, &r->state->pose[body], &pose);
    fb_pose_inverse(&to, &ground);
    fb_pose_point(local, &to, p);
    bool inside = fb_contact_mesh_nearest(the_mesh(r, shape), local, nearest);
    return inside ? fb_v3_distance(local, nearest) : 0;
}

static double in_box_of_b(const rig *r, const double *p) {
    return depth_in(r, 1, "/fb", p);
}

static double in_ball_of_a(const rig *r, const double *p) {
    return depth_in(r, 0, "/fa", p);
}

static double energy_of_two(rig *r) {
    return stored(r, the_mesh(r, 0), "/fa", 1000, 0.5, in_box_of_b) +
           stored(r, the_mesh(r, 1), "/fb", 500, 0.5, in_ball_of_a);
}

static void two_meshes_store_energy(void) {
    rig r;
    shop s;
    begin(&r, &s,
          FOUNDATION(SHAPE("small", "mesh", "fa", "") "," SHAPE("box", "mesh", "fb", ""),
                     OF("\"small\"", "1000", "") "," OF("\"box\"", "500", "")));
    conserves(&r, energy_of_two, 0.3, 4, 1e-4);
    balances(&r, 0.3, 0.1);
    end(&r, &s);
}

/* After the first time nothing is allocated. */
static void contact_does_not_allocate(void) {
    rig r;
    shop s;
    begin(&r, &s,
          FOUNDATION(SHAPE("ball", "mesh", "fa", "") "," SHAPE("box", "mesh", "fb", "") "," FLOOR,
                     OF("\"ball\", \"box\", \"floor\"", "1000", "")));
    rig_apply(&r);
    fb_alloc_fail_at(0);
    for (int i = 0; i < 20; i++) {
        r.state->q[first_of_a(&r) + 4] = 0.05 * i;
        rig_apply(&r);
    }
    FB_EQUAL_INT(fb_alloc_fail_at(0), 0);
    end(&r, &s);
}

static void meshes_that_are_missing_are_told(void) {
    rig r;
    shop s = {0};
    fb_resources resources = {.context = &s, .triangles = triangles_of};
    rig_begin_from(&r,
                   FOUNDATION(SHAPE("box", "mesh", "a", "") "," FLOOR,
                              OF("\"box\", \"floor\"", "1", "")),
                   false, &resources);
    FB_EQUAL_INT(r.forces->n_skipped, 1);
    const fb_record *record = FB_RECORD(&r.diag, FB_WARNING, FB2308, -1);
    FB_HOLDS(record ? record->message : "", "its mesh is not in the shop");
    rig_apply(&r);
    rig_end(&r);
}

static const fb_test tests[] = {
    FB_TEST(nearest_points_are_nearest),
    FB_TEST(open_meshes_are_refused),
    FB_TEST(ball_on_floor_carries_the_integral),
    FB_TEST(ball_in_sphere_carries_the_integral),
    FB_TEST(law_of_pressure_and_friction),
    FB_TEST(two_boxes_share_the_load),
    FB_TEST(meshes_store_energy),
    FB_TEST(two_meshes_store_energy),
    FB_TEST(contact_does_not_allocate),
    FB_TEST(meshes_that_are_missing_are_told),
    FB_TEST_END,
};

int main(int argc, char **argv) {
    return fb_test_main("contact_mesh", tests, argc, argv);
}
