/* Landmarks of real bones: landmarks_corpus CORPUS, a folder that holds skeletons/ and Geometry/.
 *
 * Tables: joint centres and axes against an expert's, landmarks against those another program
 * picked, bones by name and by shape, and how far landmarks move when a bone is turned, mirrored,
 * roughened, coarsened or cut. Ends with the line `N passed, M failed`. */
#include <dirent.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "formats/mesh_read.h"
#include "libcore/base/spatial.h"
#include "libcore/register/landmarks.h"

static int passed, failed;

static void check(bool good, const char *what, const char *which) {
    passed += good;
    failed += !good;
    if (!good) {
        printf("failed: %s: %s\n", which, what);
    }
}

/* ---- meshes ---------------------------------------------------------------------------------- */

/* Vertices and faces of a file; fb_mesh_free. False: there is none, or it cannot be read. */
static bool read_mesh(fb_mesh_file *mesh, const char *file) {
    FILE *in = fopen(file, "rb");
    if (in == NULL) {
        return false;
    }
    fseek(in, 0, SEEK_END);
    size_t size = (size_t)ftell(in);
    rewind(in);
    char *bytes = fb_alloc(size + 1);
    size_t n = fread(bytes, 1, size, in);
    fclose(in);
    bytes[n] = 0;
    fb_diag diag;
    fb_diag_init(&diag);
    memset(mesh, 0, sizeof *mesh);
    bool good = fb_mesh_read(mesh, bytes, n, file, &diag) == FB_OK && mesh->n_faces > 0;
    fb_diag_clear(&diag);
    return good;
}

static fb_surface *make_surface(const fb_mesh_file *mesh, double scale, const char *name) {
    fb_diag diag;
    fb_surface *surface = NULL;
    fb_diag_init(&diag);
    if (fb_surface_new(&surface, (const double(*)[3])mesh->vertices, mesh->n_vertices,
                       (const int(*)[3])mesh->faces, mesh->n_faces, scale, name, &diag) != FB_OK) {
        surface = NULL;
    }
    fb_diag_clear(&diag);
    return surface;
}

static fb_surface *read_surface(const char *file, double scale) {
    fb_mesh_file mesh;
    if (!read_mesh(&mesh, file)) {
        return NULL;
    }
    fb_surface *surface = make_surface(&mesh, scale, file);
    fb_mesh_free(&mesh);
    return surface;
}

/* What fb_bone_landmarks found. */
typedef struct {
    int n; /* of fits; -1: refused */
    fb_features features;
    fb_bone_fit fits[FB_BONE_FITS];
    fb_bone_frame frame;
    char message[300];
    double seconds;
} found;

static void find(found *f, const fb_surface *surface, fb_bone_kind kind, char side) {
    fb_diag diag;
    fb_diag_init(&diag);
    memset(f, 0, sizeof *f);
    fb_features_init(&f->features);
    clock_t start = clock();
    f->n = fb_bone_landmarks(surface, kind, side, "bone", &f->frame, &f->features, f->fits, &diag);
    f->seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    if (diag.n > 0) {
        snprintf(f->message, sizeof f->message, "%s", diag.records[0].message);
    }
    fb_diag_clear(&diag);
}

static const fb_bone_fit *fit_named(const found *f, const char *name) {
    for (int i = 0; i < f->n; i++) {
        if (strcmp(f->fits[i].name, name) == 0) {
            return &f->fits[i];
        }
    }
    return NULL;
}

/* ---- joints and landmarks of the scans ------------------------------------------------------- */

/* The fields of a line of a CSV; how many. */
static int split(char *line, char **fields, int most) {
    int n = 0;
    for (char *p = strtok(line, ",\r\n"); p != NULL && n < most; p = strtok(NULL, ",\r\n")) {
        fields[n++] = p;
    }
    return n;
}

/* Centre and axis of a joint as the expert had it. */
static bool expert_joint(const char *folder, const char *joint, double *center, double *axis) {
    char path[700], line[1000], *fields[20];
    snprintf(path, sizeof path, "%s/joints.csv", folder);
    FILE *in = fopen(path, "r");
    bool there = false;
    while (in != NULL && fgets(line, sizeof line, in) != NULL) {
        if (split(line, fields, 20) >= 16 && strcmp(fields[0], joint) == 0 &&
            strcmp(fields[1], "expert") == 0) {
            for (int k = 0; k < 3; k++) {
                center[k] = strtod(fields[4 + k], NULL);
                axis[k] = strtod(fields[13 + k], NULL);
            }
            there = true;
        }
    }
    if (in != NULL) {
        fclose(in);
    }
    return there;
}

static bool picked_landmark(const char *folder, const char *name, double *point) {
    char path[700], line[1000], *fields[20];
    snprintf(path, sizeof path, "%s/landmarks.csv", folder);
    FILE *in = fopen(path, "r");
    bool there = false;
    while (in != NULL && fgets(line, sizeof line, in) != NULL) {
        if (split(line, fields, 20) >= 5 && strcmp(fields[0], name) == 0) {
            for (int k = 0; k < 3; k++) {
                point[k] = strtod(fields[2 + k], NULL);
            }
            there = true;
        }
    }
    if (in != NULL) {
        fclose(in);
    }
    return there;
}

static const struct {
    const char *bone;
    fb_bone_kind kind;
    const char *fit, *joint;
    double bar; /* m, of the centre; 0: none is set */
} joints[] = {
    {"femur_r", FB_BONE_FEMUR, "hip_center", "hip_r", 0.001},
    {"pelvis_no_sacrum", FB_BONE_PELVIS, "hip_center_r", "hip_r", 0.001},
    {"femur_r", FB_BONE_FEMUR, "knee_axis", "knee_r", 0.0015},
    {"talus_r", FB_BONE_TALUS, "ankle_axis", "ankle_r", 0.001},
    {"talus_r", FB_BONE_TALUS, "subtalar_axis", "subtalar_r", 0},
};

/* Distance of the centres, and of the expert's centre from our axis; angle of the axes. */
static void compare_joints(const char *scans, const char *scan) {
    char folder[600], file[900];
    snprintf(folder, sizeof folder, "%s/%s", scans, scan);
    for (size_t i = 0; i < sizeof joints / sizeof *joints; i++) {
        double center[3], axis[3], d[3];
        snprintf(file, sizeof file, "%s/automatic_%s_Geometries/%s.obj", folder, scan,
                 joints[i].bone);
        fb_surface *surface = read_surface(file, 0.001);
        if (surface == NULL || !expert_joint(folder, joints[i].joint, center, axis)) {
            fb_surface_free(surface);
            continue;
        }
        found f;
        find(&f, surface, joints[i].kind, joints[i].kind == FB_BONE_PELVIS ? 0 : 'r');
        const fb_bone_fit *fit = fit_named(&f, joints[i].fit);
        if (fit == NULL) {
            printf("%-9s %-14s none: %s\n", scan, joints[i].fit, f.message);
            check(false, joints[i].fit, scan);
        } else {
            fb_v3_sub(d, fit->center, center);
            double distance = fb_v3_norm(d), away = distance, angle = 0;
            if (fb_v3_norm(fit->axis) > 0) {
                double along = fb_v3_dot(d, fit->axis);
                away = sqrt(fb_greater(distance * distance - along * along, 0));
                angle = 57.29578 * acos(fb_lesser(fabs(fb_v3_dot(fit->axis, axis)), 1));
            }
            printf("%-9s %-14s centre %6.2f mm  axis from expert's centre %5.2f mm  angle %5.2f  "
                   "radius %5.2f  rms %.2f mm  n %d\n",
                   scan, joints[i].fit, 1e3 * distance, 1e3 * away, angle, 1e3 * fit->radius,
                   1e3 * fit->rms, fit->n);
            if (joints[i].bar > 0) {
                check(distance <= joints[i].bar, joints[i].fit, scan);
            }
        }
        fb_features_free(&f.features);
        fb_surface_free(surface);
    }
}

static const struct {
    const char *bone;
    fb_bone_kind kind;
    const char *name, *picked;
} picks[] = {
    {"pelvis_no_sacrum", FB_BONE_PELVIS, "asis_r", "RASI"},
    {"pelvis_no_sacrum", FB_BONE_PELVIS, "asis_l", "LASI"},
    {"pelvis_no_sacrum", FB_BONE_PELVIS, "psis_r", "RPSI"},
    {"pelvis_no_sacrum", FB_BONE_PELVIS, "psis_l", "LPSI"},
    {"pelvis_no_sacrum", FB_BONE_PELVIS, "pubic_symphysis", "SYMP"},
    {"femur_r", FB_BONE_FEMUR, "lateral_epicondyle", "RKNE"},
    {"femur_r", FB_BONE_FEMUR, "medial_epicondyle", "RMFC"},
    {"femur_r", FB_BONE_FEMUR, "greater_trochanter", "RTRO"},
    {"tibia_r", FB_BONE_TIBIA, "tibial_tuberosity", "RTTB"},
    {"tibia_r", FB_BONE_TIBIA, "medial_malleolus", "RMMA"},
    {"tibia_r", FB_BONE_TIBIA, "lateral_malleolus_tip", "RLM"},
    {"calcn_r", FB_BONE_FOOT, "heel", "RHEE"},
    {"calcn_r", FB_BONE_FOOT, "heel_bottom", "RHEEGROUND"},
    {"calcn_r", FB_BONE_FOOT, "metatarsal_head_5", "RD5M"},
};

/* Told only: the other program's definitions are not ours. */
static void compare_picks(const char *scans, const char *scan) {
    char folder[600], file[900];
    snprintf(folder, sizeof folder, "%s/%s", scans, scan);
    for (size_t i = 0; i < sizeof picks / sizeof *picks; i++) {
        double point[3];
        snprintf(file, sizeof file, "%s/automatic_%s_Geometries/%s.obj", folder, scan,
                 picks[i].bone);
        fb_surface *surface = read_surface(file, 0.001);
        if (surface == NULL || !picked_landmark(folder, picks[i].picked, point)) {
            fb_surface_free(surface);
            continue;
        }
        found f;
        find(&f, surface, picks[i].kind, picks[i].kind == FB_BONE_PELVIS ? 0 : 'r');
        const fb_feature *feature = fb_features_find(&f.features, NULL, picks[i].name);
        if (feature == NULL) {
            printf("%-9s %-22s none\n", scan, picks[i].name);
        } else {
            printf("%-9s %-22s %6.1f mm from the automatic pick %s\n", scan, picks[i].name,
                   1e3 * fb_v3_distance(feature->location, point), picks[i].picked);
        }
        fb_features_free(&f.features);
        fb_surface_free(surface);
    }
}

/* ---- names and shapes ------------------------------------------------------------------------ */

/* A kind that is as good for this bone: the foot is named after the heel bone, the halves of a
 * pelvis after the whole. */
static bool same_kind(fb_bone_kind a, fb_bone_kind b) {
    return a == b || (a == FB_BONE_CALCANEUS && b == FB_BONE_FOOT) ||
           (a == FB_BONE_PELVIS && b == FB_BONE_HEMIPELVIS);
}

static void compare_shape(const char *file, const char *name, double scale) {
    fb_surface *surface = read_surface(file, scale);
    fb_bone_guess said = fb_bone_by_name(name);
    if (surface == NULL) {
        return;
    }
    fb_bone_guess shape = fb_bone_by_shape(surface);
    fb_surface_free(surface);
    bool wrong = !same_kind(said.kind, shape.kind) && said.kind != FB_BONE_TRUNK;
    bool side = said.side != 0 && shape.side != 0 && said.side != shape.side && !wrong;
    /* an error is to be uncertain */
    bool good = !side && !(wrong && shape.certainty >= 1.5);
    if (said.kind != FB_BONE_UNKNOWN || !good) {
        printf("%-26s named %-10s %c  shape %-10s %c  certainty %5.2f  second %s%s\n", name,
               fb_bone_word(said.kind), said.side != 0 ? said.side : '-', fb_bone_word(shape.kind),
               shape.side != 0 ? shape.side : '-', shape.certainty, fb_bone_word(shape.second),
               wrong || side ? "  WRONG" : "");
    }
    check(good, "a wrong bone or side with certainty", name);
}

static int by_text(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void compare_folder(const char *folder, double scale) {
    DIR *dir = opendir(folder);
    char *names[1000];
    int n = 0;
    for (struct dirent *e; dir != NULL && n < 1000 && (e = readdir(dir)) != NULL;) {
        if (strstr(e->d_name, ".vtp") || strstr(e->d_name, ".obj") || strstr(e->d_name, ".stl") ||
            strstr(e->d_name, ".ply")) {
            names[n++] = strdup(e->d_name);
        }
    }
    if (dir != NULL) {
        closedir(dir);
    }
    qsort(names, (size_t)n, sizeof *names, by_text);
    for (int i = 0; i < n; i++) {
        char file[800];
        snprintf(file, sizeof file, "%s/%s", folder, names[i]);
        compare_shape(file, names[i], scale);
        free(names[i]);
    }
}

/* ---- repeatability --------------------------------------------------------------------------- */

static double uniform(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) / 9007199254740992.0;
}

static double gauss(uint64_t *state) {
    double u = uniform(state) + 1e-12, v = uniform(state);
    return sqrt(-2 * log(u)) * cos(6.283185307179586 * v);
}

typedef enum { TURNED, MIRRORED, NOISY, COARSE, CUT_BELOW, CHANGES } change;
static const char *const change_words[CHANGES] = {"turned, scaled", "mirrored", "noise 0.3 mm",
                                                  "grid 3 mm", "half cut off"};

/* Where a change takes a point (m). */
static void changed_point(change c, const double *p, double *out) {
    fb_v3_copy(out, p);
    if (c == TURNED) {
        const double axis[3] = {0.48, -0.6, 0.64}, shift[3] = {0.3, -1.2, 0.7};
        double r[9], q[3];
        fb_m3_rotation(r, axis, 2.1);
        fb_m3_mul_v3(q, r, p);
        fb_v3_scale(q, 1.2, q);
        fb_v3_add(out, q, shift);
    } else if (c == MIRRORED) {
        out[0] = -p[0];
    }
}

/* Vertices of a cell of a grid become one: their mean. */
static void coarsen(fb_mesh_file *mesh, double cell) {
    size_t n = mesh->n_vertices, slots = 4 * n + 1, kept = 0;
    size_t *table = calloc(slots, sizeof *table);
    size_t *to = calloc(n, sizeof *to), *count = calloc(n, sizeof *count);
    long(*keys)[3] = calloc(n, sizeof *keys);
    double(*means)[3] = calloc(n, sizeof *means);
    for (size_t i = 0; i < n; i++) {
        long key[3];
        for (int k = 0; k < 3; k++) {
            key[k] = (long)floor(mesh->vertices[i][k] / cell);
        }
        size_t h = ((size_t)key[0] * 73856093u ^ (size_t)key[1] * 19349663u ^
                    (size_t)key[2] * 83492791u) %
                   slots;
        while (table[h] != 0 && memcmp(keys[table[h] - 1], key, sizeof key) != 0) {
            h = (h + 1) % slots;
        }
        if (table[h] == 0) {
            memcpy(keys[kept], key, sizeof key);
            table[h] = ++kept;
        }
        to[i] = table[h] - 1;
        fb_v3_add(means[to[i]], means[to[i]], mesh->vertices[i]);
        count[to[i]]++;
    }
    for (size_t i = 0; i < kept; i++) {
        fb_v3_scale(mesh->vertices[i], 1.0 / (double)count[i], means[i]);
    }
    size_t m = 0;
    for (size_t f = 0; f < mesh->n_faces; f++) {
        int g[3];
        for (int k = 0; k < 3; k++) {
            g[k] = (int)to[mesh->faces[f][k]];
        }
        if (g[0] != g[1] && g[1] != g[2] && g[0] != g[2]) {
            memcpy(mesh->faces[m++], g, sizeof g);
        }
    }
    mesh->n_faces = m;
    mesh->n_vertices = kept;
    free(table);
    free(to);
    free(count);
    free(keys);
    free(means);
}

/* Applies a change to a mesh in m. `up` is the bone's y, `middle` the middle of it. */
static void change_mesh(fb_mesh_file *mesh, change c, const double *up, const double *middle) {
    uint64_t state = 12345;
    for (size_t i = 0; i < mesh->n_vertices && c < NOISY; i++) {
        double p[3];
        changed_point(c, mesh->vertices[i], p);
        fb_v3_copy(mesh->vertices[i], p);
    }
    for (size_t f = 0; f < mesh->n_faces && c == MIRRORED; f++) {
        int k = mesh->faces[f][0];
        mesh->faces[f][0] = mesh->faces[f][1];
        mesh->faces[f][1] = k;
    }
    for (size_t i = 0; i < mesh->n_vertices && c == NOISY; i++) {
        for (int k = 0; k < 3; k++) {
            mesh->vertices[i][k] += 0.0003 * gauss(&state);
        }
    }
    if (c == COARSE) {
        coarsen(mesh, 0.003);
    }
    size_t m = 0;
    for (size_t f = 0; f < mesh->n_faces && c == CUT_BELOW; f++) {
        double d[3];
        fb_v3_sub(d, mesh->vertices[mesh->faces[f][0]], middle);
        if (fb_v3_dot(d, up) > 0) {
            memmove(mesh->faces[m++], mesh->faces[f], sizeof mesh->faces[f]);
        }
    }
    if (c == CUT_BELOW) {
        mesh->n_faces = m;
    }
}

/* The landmark's name on a mirrored pelvis. */
static void mirrored_name(char *out, size_t size, const char *name, bool mirrored) {
    snprintf(out, size, "%s", name);
    size_t n = strlen(out);
    if (mirrored && n > 2 && out[n - 2] == '_' && (out[n - 1] == 'r' || out[n - 1] == 'l')) {
        out[n - 1] = out[n - 1] == 'r' ? 'l' : 'r';
    }
}

static void repeat(const char *file, double scale, fb_bone_kind kind, char side) {
    const char *name = strrchr(file, '/') + 1;
    fb_mesh_file mesh;
    if (!read_mesh(&mesh, file)) {
        return;
    }
    for (size_t i = 0; i < mesh.n_vertices; i++) {
        fb_v3_scale(mesh.vertices[i], scale, mesh.vertices[i]);
    }
    fb_surface *surface = make_surface(&mesh, 1, file);
    fb_mesh_free(&mesh);
    found before;
    find(&before, surface, kind, side);
    check(before.n >= 0 && before.features.n > 0, "it has no landmarks", name);
    check(before.seconds < 1, "it took longer than 1 s", name);
    double middle[3];
    for (int k = 0; k < 3; k++) {
        middle[k] = (surface->low[k] + surface->high[k]) / 2;
    }
    const double *a = before.frame.axes, up[3] = {a[1], a[4], a[7]};
    for (change c = 0; c < CHANGES && before.n >= 0; c++) {
        if (c == CUT_BELOW && kind != FB_BONE_FEMUR) {
            continue;
        }
        if (!read_mesh(&mesh, file)) {
            return;
        }
        for (size_t i = 0; i < mesh.n_vertices; i++) {
            fb_v3_scale(mesh.vertices[i], scale, mesh.vertices[i]);
        }
        change_mesh(&mesh, c, up, middle);
        fb_surface *other = make_surface(&mesh, 1, file);
        fb_mesh_free(&mesh);
        found after;
        find(&after, other, kind, side == 0 || c != MIRRORED ? side : side == 'r' ? 'l' : 'r');
        double mean = 0, worst = 0;
        int n = 0, gone = 0;
        char worst_name[80] = "";
        for (size_t i = 0; i < before.features.n; i++) {
            const fb_feature *p = &before.features.items[i];
            char other_name[80];
            double want[3];
            mirrored_name(other_name, sizeof other_name, p->name, c == MIRRORED);
            const fb_feature *q = fb_features_find(&after.features, NULL, other_name);
            if (q == NULL) {
                gone++;
                continue;
            }
            changed_point(c, p->location, want);
            double d = fb_v3_distance(want, q->location);
            mean += d;
            n++;
            if (d > worst) {
                worst = d;
                snprintf(worst_name, sizeof worst_name, "%s", p->name);
            }
        }
        mean /= n > 0 ? n : 1;
        printf("%-22s %-15s %6d vertices  %2d landmarks, %2d gone  mean %6.2f  worst %6.2f mm %s "
               "%s\n",
               name, change_words[c], other->n_vertices, n, gone, 1e3 * mean, 1e3 * worst,
               worst_name, after.message);
        static const double means[CHANGES] = {5e-5, 5e-5, 0.0015, 0.002, 0.001};
        check(mean <= means[c] && (n > 0 || c == CUT_BELOW), change_words[c], name);
        if (c == MIRRORED && side != 0) { /* called by the wrong side it must be refused */
            found wrong;
            find(&wrong, other, kind, side);
            bool refused = wrong.n < 0 && strstr(wrong.message, "mirrored") != NULL;
            if (kind == FB_BONE_FEMUR || kind == FB_BONE_TIBIA || kind == FB_BONE_HEMIPELVIS ||
                kind == FB_BONE_FOOT || kind == FB_BONE_HUMERUS) {
                check(refused, "a mirrored bone is taken for a proper one", name);
            }
            fb_features_free(&wrong.features);
        }
        fb_features_free(&after.features);
        fb_surface_free(other);
    }
    printf("%-22s %.3f s for %d faces\n", name, before.seconds, surface->n_faces);
    fb_features_free(&before.features);
    fb_surface_free(surface);
}

int main(int argc, char **argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: landmarks_corpus CORPUS\n");
        return 2;
    }
    char path[700], scans[500];
    const char *corpus = argv[1];
    static const char *const names[] = {"LHDL_CT", "TLEM2_CT"};
    snprintf(scans, sizeof scans, "%s/skeletons/scans", corpus);
    printf("-- joints against the expert's\n");
    for (int i = 0; i < 2; i++) {
        compare_joints(scans, names[i]);
    }
    printf("-- landmarks against another program's\n");
    for (int i = 0; i < 2; i++) {
        compare_picks(scans, names[i]);
    }
    printf("-- bones by name and by shape\n");
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s/automatic_%s_Geometries", scans, names[i], names[i]);
        compare_folder(path, 0.001);
    }
    static const char *const folders[] = {"tlem2/bones", "lhdl/bones", "osc_pair/Geometry"};
    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s/skeletons/%s", corpus, folders[i]);
        compare_folder(path, i == 2 ? 1 : 0.001);
    }
    snprintf(path, sizeof path, "%s/Geometry", corpus);
    compare_folder(path, 1);
    printf("-- repeated on changed surfaces\n");
    static const struct {
        const char *file;
        double scale;
        fb_bone_kind kind;
        char side;
    } bones[] = {
        {"skeletons/scans/LHDL_CT/automatic_LHDL_CT_Geometries/pelvis_no_sacrum.obj", 0.001,
         FB_BONE_PELVIS, 0},
        {"skeletons/scans/LHDL_CT/automatic_LHDL_CT_Geometries/femur_r.obj", 0.001, FB_BONE_FEMUR,
         'r'},
        {"skeletons/scans/TLEM2_CT/automatic_TLEM2_CT_Geometries/femur_r.obj", 0.001, FB_BONE_FEMUR,
         'r'},
        {"skeletons/osc_pair/Geometry/subject_femur_r.obj", 1, FB_BONE_FEMUR, 'r'},
        {"Geometry/femur_r.vtp", 1, FB_BONE_FEMUR, 'r'},
        {"skeletons/scans/LHDL_CT/automatic_LHDL_CT_Geometries/tibia_r.obj", 0.001, FB_BONE_TIBIA,
         'r'},
        {"skeletons/scans/TLEM2_CT/automatic_TLEM2_CT_Geometries/tibia_r.obj", 0.001, FB_BONE_TIBIA,
         'r'},
        {"skeletons/lhdl/bones/tibia_r.ply", 0.001, FB_BONE_TIBIA, 'r'},
        {"skeletons/lhdl/bones/hip_r.ply", 0.001, FB_BONE_HEMIPELVIS, 'r'},
        {"skeletons/lhdl/bones/hip_l.ply", 0.001, FB_BONE_HEMIPELVIS, 'l'},
        {"skeletons/scans/LHDL_CT/automatic_LHDL_CT_Geometries/talus_r.obj", 0.001, FB_BONE_TALUS,
         'r'},
        {"skeletons/scans/TLEM2_CT/automatic_TLEM2_CT_Geometries/talus_r.obj", 0.001, FB_BONE_TALUS,
         'r'},
        {"skeletons/scans/LHDL_CT/automatic_LHDL_CT_Geometries/calcn_r.obj", 0.001, FB_BONE_FOOT,
         'r'},
        {"skeletons/scans/TLEM2_CT/automatic_TLEM2_CT_Geometries/calcn_r.obj", 0.001, FB_BONE_FOOT,
         'r'},
        {"Geometry/arm_r_humerus.vtp", 1, FB_BONE_HUMERUS, 'r'},
        {"Geometry/arm_r_ulna.vtp", 1, FB_BONE_ULNA, 'r'},
        {"Geometry/arm_r_radius.vtp", 1, FB_BONE_RADIUS, 'r'},
    };
    for (size_t i = 0; i < sizeof bones / sizeof *bones; i++) {
        snprintf(path, sizeof path, "%s/%s", corpus, bones[i].file);
        repeat(path, bones[i].scale, bones[i].kind, bones[i].side);
    }
    printf("%d passed, %d failed\n", passed, failed);
    return failed > 0;
}
