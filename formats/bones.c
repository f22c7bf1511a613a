#include "formats/bones.h"

#include <math.h>
#include <string.h>

#include "formats/mesh_read.h"
#include "formats/meshes.h"
#include "formats/text.h"
#include "libcore/model/check.h"

#define TIE 1e-9 /* m: faces as near as that meet at the nearest point */

/* ---- reading --------------------------------------------------------------------------------- */

typedef struct reader {
    fb_bones *bones;
    const fb_system *system;
    const char *const *folders;
    int n_folders;
    size_t max_bytes;
    fb_diag *diag;
    bool no_memory;
} reader;

/* Six times the volume between the faces and the middle; negative if they look inward. */
static double signed_volume(const fb_bone *bone) {
    double sum = 0;
    for (int i = 0; i < bone->n_faces; i++) {
        double corner[3][3], normal[3];
        for (int k = 0; k < 3; k++) {
            fb_v3_sub(corner[k], bone->vertices[bone->faces[i][k]], bone->center);
        }
        fb_v3_cross(normal, corner[1], corner[2]);
        sum += fb_v3_dot(corner[0], normal);
    }
    return sum;
}

static void enclose(fb_bone *bone) {
    double low[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, high[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    for (int i = 0; i < bone->n_vertices; i++) {
        for (int k = 0; k < 3; k++) {
            low[k] = fb_lesser(low[k], bone->vertices[i][k]);
            high[k] = fb_greater(high[k], bone->vertices[i][k]);
        }
    }
    for (int k = 0; k < 3; k++) {
        bone->center[k] = (low[k] + high[k]) / 2;
    }
    for (int i = 0; i < bone->n_vertices; i++) {
        bone->radius = fb_greater(bone->radius, fb_v3_distance(bone->vertices[i], bone->center));
    }
    bone->sign = signed_volume(bone) < 0 ? -1 : 1;
}

/* A mesh file's triangles, scaled and placed in a body. */
static void add_bone(reader *r, const fb_mesh_file *mesh, const char *name, int body,
                     const double *scale, const fb_pose *pose) {
    fb_arena *arena = &r->bones->arena;
    fb_bone bone = {.name = fb_arena_dup(arena, name),
                    .body = body,
                    .n_vertices = (int)mesh->n_vertices,
                    .n_faces = (int)mesh->n_faces};
    int(*faces)[3] = fb_arena_array(arena, mesh->n_faces + 1, sizeof *faces);
    bone.vertices = fb_arena_array(arena, mesh->n_vertices + 1, sizeof *bone.vertices);
    for (size_t i = 0; i < mesh->n_vertices; i++) {
        double p[3];
        for (int k = 0; k < 3; k++) {
            p[k] = mesh->vertices[i][k] * scale[k];
        }
        fb_pose_point(bone.vertices[i], pose, p);
    }
    if (mesh->n_faces) {
        memcpy(faces, mesh->faces, mesh->n_faces * sizeof *faces);
    }
    bone.faces = (const int(*)[3])faces;
    enclose(&bone);
    if (bone.n_faces > 0 && isfinite(bone.radius)) {
        FB_PUSH(arena, r->bones->bones, r->bones->n, r->bones->capacity, bone);
    }
}

/* Reads a file and gives it to add_bone; frees it also if memory runs out on the way. */
static void read_file(reader *r, const fb_element *element, const char *path, int body,
                      const double *scale, const fb_pose *pose) {
    fb_mesh_file mesh;
    fb_diag own;
    char *bytes;
    size_t size;
    memset(&mesh, 0, sizeof mesh);
    fb_diag_init(&own);
    fb_status status = fb_read_file(path, r->max_bytes, &bytes, &size, &own);
    if (status != FB_OK || fb_mesh_read(&mesh, bytes, size, path, &own) != FB_OK) {
        const fb_record *why = own.n ? &own.records[0] : NULL;
        fb_diag_add(r->diag, FB_WARNING, FB1402, fb_element_place(element),
                    "it does not count as a bone", "its mesh '%s': %s", path,
                    why ? why->message : "cannot be read");
        fb_diag_clear(&own);
        return;
    }
    fb_diag_clear(&own);
    jmp_buf oom, *outer = r->bones->arena.oom;
    if (setjmp(oom)) {
        r->bones->arena.oom = outer;
        fb_mesh_free(&mesh);
        r->no_memory = true;
        return;
    }
    r->bones->arena.oom = &oom;
    add_bone(r, &mesh, fb_get_string(element, "mesh"), body, scale, pose);
    r->bones->arena.oom = outer;
    fb_mesh_free(&mesh);
}

static void look_at(const fb_element *element, void *context) {
    reader *r = context;
    const char *name = strcmp(element->cls->name, "Mesh") == 0 ? fb_get_string(element, "mesh")
                                                               : NULL;
    if (!name || !*name || r->no_memory) {
        return;
    }
    const fb_element *frame = fb_get_target(element, "frame");
    fb_pose pose;
    int body = fb_system_body(r->system, frame ? frame : element->owner, &pose);
    const char *path = fb_mesh_find(&r->bones->arena, r->system->model, name, r->folders,
                                    r->n_folders);
    double scale[3] = {1, 1, 1};
    fb_get_vector(element, "scale", scale, 3);
    if (!path) {
        r->bones->n_missing++;
    } else if (body >= 0) {
        read_file(r, element, path, body, scale, &pose);
    }
}

fb_status fb_bones_read(fb_bones *bones, const fb_system *system, const char *const *folders,
                        int n_folders, size_t max_bytes, fb_diag *diag) {
    memset(bones, 0, sizeof *bones);
    fb_arena_init(&bones->arena);
    reader r = {.bones = bones,
                .system = system,
                .folders = folders,
                .n_folders = n_folders,
                .max_bytes = max_bytes,
                .diag = diag};
    jmp_buf oom;
    if (setjmp(oom)) {
        fb_bones_free(bones);
        return FB_E_MEMORY;
    }
    bones->arena.oom = &oom;
    fb_visit_model(system->model, look_at, &r);
    bones->arena.oom = NULL;
    if (r.no_memory) {
        fb_bones_free(bones);
        return FB_E_MEMORY;
    }
    return FB_OK;
}

void fb_bones_free(fb_bones *bones) {
    fb_arena_clear(&bones->arena);
    memset(bones, 0, sizeof *bones);
    fb_arena_init(&bones->arena);
}

/* ---- nearest points -------------------------------------------------------------------------- */

static void nearest_of_edge(const double *a, const double *b, const double *p, double *nearest) {
    double d[3], r[3];
    fb_v3_sub(d, b, a);
    fb_v3_sub(r, p, a);
    double length2 = fb_v3_dot(d, d);
    double t = length2 > 0 ? fb_lesser(fb_greater(fb_v3_dot(r, d) / length2, 0), 1) : 0;
    fb_v3_copy(nearest, a);
    fb_v3_madd(nearest, t, d);
}

/* The nearest point of a triangle: the foot of the perpendicular if it is on the inner side of all
 * edges, else the nearest of the edges' nearest points. `normal` gets the face's, unit or 0. */
static void nearest_of_face(double (*const c)[3], const double *p, double *nearest,
                            double *normal) {
    double u[3], v[3], r[3], foot[3];
    fb_v3_sub(u, c[1], c[0]);
    fb_v3_sub(v, c[2], c[0]);
    fb_v3_cross(normal, u, v);
    bool within = fb_v3_normalize(normal) > 0;
    fb_v3_sub(r, p, c[0]);
    fb_v3_copy(foot, p);
    fb_v3_madd(foot, -fb_v3_dot(r, normal), normal);
    double least = HUGE_VAL;
    fb_v3_copy(nearest, c[0]);
    for (int k = 0; k < 3; k++) {
        double edge[3], across[3], q[3];
        fb_v3_sub(edge, c[(k + 1) % 3], c[k]);
        fb_v3_cross(across, normal, edge); /* towards the third corner */
        fb_v3_sub(r, foot, c[k]);
        within &= fb_v3_dot(r, across) >= 0;
        nearest_of_edge(c[k], c[(k + 1) % 3], p, q);
        double distance = fb_v3_distance(p, q);
        if (distance < least) {
            least = distance;
            fb_v3_copy(nearest, q);
        }
    }
    if (within) {
        fb_v3_copy(nearest, foot);
    }
}

/* Looks at one bone with a point in its body; the best so far is *least. Where faces meet at the
 * nearest point, the one that the point is farthest in front of, or behind, tells which side it is
 * on. */
static bool try_bone(const fb_bone *bone, const double *p, double *least, double *front,
                     double *nearest) {
    bool better = false;
    for (int i = 0; i < bone->n_faces; i++) {
        double corners[3][3], q[3], normal[3], r[3];
        for (int k = 0; k < 3; k++) {
            fb_v3_copy(corners[k], bone->vertices[bone->faces[i][k]]);
        }
        nearest_of_face(corners, p, q, normal);
        fb_v3_sub(r, p, q);
        double distance = fb_v3_norm(r), side = bone->sign * fb_v3_dot(r, normal);
        if (distance < *least - TIE) {
            better = true;
            *least = distance;
            *front = side;
            fb_v3_copy(nearest, q);
        } else if (better && distance <= *least + TIE && fabs(side) > fabs(*front)) {
            *front = side;
        }
    }
    return better;
}

bool fb_bones_nearest(void *context, const fb_state *state, const bool *bodies, const double *point,
                      double *nearest, bool *inside, const char **name) {
    const fb_bones *bones = context;
    double least = HUGE_VAL, front = 0;
    for (size_t i = 0; i < bones->n; i++) {
        const fb_bone *bone = &bones->bones[i];
        double p[3], d[3], q[3] = {0, 0, 0};
        if (!bodies[bone->body]) {
            continue;
        }
        fb_v3_sub(d, point, state->pose[bone->body].p);
        fb_m3_tmul_v3(p, state->pose[bone->body].R, d);
        if (fb_v3_distance(p, bone->center) - bone->radius < least &&
            try_bone(bone, p, &least, &front, q)) {
            fb_pose_point(nearest, &state->pose[bone->body], q);
            *name = bone->name;
        }
    }
    *inside = front < 0;
    return least < HUGE_VAL;
}
