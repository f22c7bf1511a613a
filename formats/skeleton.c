#include "formats/skeleton.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "formats/mesh_read.h"
#include "formats/meshes.h"
#include "formats/skeleton_list.h"
#include "libcore/base/number.h"
#include "libcore/model/check.h"
#include "libcore/motion/system.h"

#define MM_FROM 10     /* a bone whose box is longer is in millimetres */
#define TOO_LARGE 3.   /* m: no bone is so long .. */
#define TOO_SMALL 2e-3 /* .. or so short */

/* A mesh file that has been read. */
typedef struct part {
    fb_mesh_file mesh;
    const char *file, *path, *body;
    const fb_element *element; /* the body, of models */
    fb_unit said;              /* its unit in the list */
    double scale[3];
    fb_pose frame;
    bool guessed;
    int line;
} part;

typedef struct reader {
    fb_skeleton *skeleton;
    fb_arena *arena;
    const fb_skeleton_options *options;
    const fb_model *model; /* the skeleton, if it is one */
    fb_diag *diag;
    part *parts;
    size_t n, capacity;
    bool failed, no_memory;
} reader;

static const fb_skeleton_options no_options;

static void wrong(reader *r, const char *file, int line, const char *what) {
    fb_diag_add(r->diag, FB_ERROR, FB1414, (fb_place){file, line, NULL, NULL}, NULL, "%s", what);
    r->failed = true;
}

/* ---- meshes ---------------------------------------------------------------------------------- */

/* Reads a part's file; false, with records in `diag`, if it cannot be read. */
static bool read_mesh(reader *r, part *p, fb_diag *diag) {
    char *bytes;
    size_t size, most = r->options->max_bytes ? r->options->max_bytes : FB_MAX_BYTES;
    fb_status status = fb_read_file(p->path, most, &bytes, &size, diag);
    if (status == FB_OK) {
        status = fb_mesh_read(&p->mesh, bytes, size, p->path, diag);
    }
    r->no_memory |= status == FB_E_MEMORY;
    return status == FB_OK;
}

/* The longest side of a mesh's box, in its file's units. */
static double length_of(const part *p) {
    double low[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, high[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    for (size_t i = 0; i < p->mesh.n_vertices; i++) {
        for (int k = 0; k < 3; k++) {
            low[k] = fb_lesser(low[k], p->mesh.vertices[i][k]);
            high[k] = fb_greater(high[k], p->mesh.vertices[i][k]);
        }
    }
    return fb_greater(high[0] - low[0], fb_greater(high[1] - low[1], high[2] - low[2]));
}

/* Copies a part's vertices, placed and scaled, and its faces behind those that are there. */
static void add_part(const part *p, double (*vertices)[3], int (*faces)[3], size_t *n,
                     size_t *n_faces) {
    for (size_t i = 0; i < p->mesh.n_vertices; i++) {
        double x[3];
        for (int k = 0; k < 3; k++) {
            x[k] = p->mesh.vertices[i][k] * p->scale[k];
        }
        fb_pose_point(vertices[*n + i], &p->frame, x);
    }
    for (size_t i = 0; i < p->mesh.n_faces; i++) {
        for (int k = 0; k < 3; k++) {
            faces[*n_faces + i][k] = p->mesh.faces[i][k] + (int)*n;
        }
    }
    *n += p->mesh.n_vertices;
    *n_faces += p->mesh.n_faces;
}

static bool is_of(const part *p, const fb_skeleton_bone *bone) {
    return strcmp(p->body, bone->body) == 0;
}

/* All meshes of a bone as one surface. */
static void make_surface(reader *r, fb_skeleton_bone *bone) {
    size_t n = 0, n_faces = 0, at = 0, at_face = 0;
    const char *names = "";
    for (size_t i = 0; i < r->n; i++) {
        if (is_of(&r->parts[i], bone)) {
            n += r->parts[i].mesh.n_vertices;
            n_faces += r->parts[i].mesh.n_faces;
            names = fb_arena_printf(r->arena, "%s%s%s", names, *names ? ", " : "",
                                    r->parts[i].file);
        }
    }
    double(*vertices)[3] = fb_alloc(n * sizeof *vertices);
    int(*faces)[3] = fb_alloc(n_faces * sizeof *faces);
    if (vertices && faces && n < INT_MAX) {
        for (size_t i = 0; i < r->n; i++) {
            if (is_of(&r->parts[i], bone)) {
                add_part(&r->parts[i], vertices, faces, &at, &at_face);
            }
        }
        fb_status status = fb_surface_new(&bone->surface, (const double(*)[3])vertices, n,
                                          (const int(*)[3])faces, n_faces, 1, names, r->diag);
        r->no_memory |= status == FB_E_MEMORY;
        r->failed |= status != FB_OK;
    } else {
        r->no_memory = true;
    }
    fb_free(vertices);
    fb_free(faces);
}

static fb_skeleton_bone *bone_of(reader *r, const part *p) {
    fb_skeleton *s = r->skeleton;
    for (size_t i = 0; i < s->n; i++) {
        if (is_of(p, &s->bones[i])) {
            return &s->bones[i];
        }
    }
    fb_skeleton_bone bone = {.body = p->body,
                             .guessed = p->guessed,
                             .line = p->line,
                             .element = p->element};
    FB_PUSH(r->arena, s->bones, s->n, s->capacity, bone);
    return &s->bones[s->n - 1];
}

static void make_bones(reader *r) {
    fb_skeleton *s = r->skeleton;
    for (size_t i = 0; i < r->n; i++) {
        const part *p = &r->parts[i];
        fb_skeleton_bone *bone = bone_of(r, p);
        fb_skeleton_mesh mesh = {.file = p->file,
                                 .path = p->path,
                                 .frame = p->frame,
                                 .n_vertices = p->mesh.n_vertices,
                                 .n_faces = p->mesh.n_faces};
        memcpy(mesh.scale, p->scale, sizeof mesh.scale);
        bone->guessed |= p->guessed;
        FB_PUSH(r->arena, bone->meshes, bone->n, bone->capacity, mesh);
    }
    for (size_t i = 0; i < s->n && !r->failed && !r->no_memory; i++) {
        make_surface(r, &s->bones[i]);
    }
    for (size_t i = 0; i < s->n && !r->failed && !r->no_memory; i++) {
        const fb_surface *surface = s->bones[i].surface;
        for (int k = 0; k < 3; k++) {
            s->largest = fb_greater(s->largest, surface->high[k] - surface->low[k]);
        }
    }
}

/* ---- units ----------------------------------------------------------------------------------- */

/* Bones are neither metres nor micrometres long. */
static void check_length(reader *r, const part *p, double length) {
    double m = length * p->scale[0];
    if (m >= TOO_SMALL && m <= TOO_LARGE) {
        return;
    }
    double other = p->scale[0] == 1 ? length / 1000 : length;
    bool mend = other >= TOO_SMALL && other <= TOO_LARGE;
    wrong(r, p->path, 0,
          fb_arena_printf(r->arena, "the bone is %.3g m long if its numbers are %s%s", m,
                          p->scale[0] == 1 ? "metres" : "millimetres",
                          !mend              ? "; are they of another unit, or is it no bone?"
                          : p->scale[0] == 1 ? "; give its unit as mm"
                                             : "; give its unit as m"));
}

static void settle_units(reader *r) {
    double largest = 0;
    fb_skeleton *s = r->skeleton;
    for (size_t i = 0; i < r->n; i++) {
        largest = fb_greater(largest, length_of(&r->parts[i]));
    }
    s->detected = s->unit == FB_UNIT_DETECT;
    if (s->detected) {
        s->unit = largest > MM_FROM ? FB_UNIT_MM : FB_UNIT_M;
    }
    for (size_t i = 0; i < r->n; i++) {
        part *p = &r->parts[i];
        fb_unit unit = p->said != FB_UNIT_DETECT ? p->said : s->unit;
        for (int k = 0; k < 3; k++) {
            p->scale[k] = unit == FB_UNIT_MM ? 1e-3 : 1;
        }
        check_length(r, p, length_of(p));
    }
}

/* ---- a folder -------------------------------------------------------------------------------- */

/* Reads the meshes of a list. */
static void read_parts(reader *r, const fb_mesh_list *list) {
    r->parts = fb_arena_array(r->arena, list->n + 1, sizeof *r->parts);
    for (size_t i = 0; i < list->n && !r->no_memory; i++) {
        const fb_mesh_entry *e = &list->items[i];
        part p = {.file = e->file,
                  .path = e->path,
                  .body = e->body,
                  .said = e->unit,
                  .guessed = e->guessed,
                  .line = e->line};
        fb_pose_identity(&p.frame);
        if (read_mesh(r, &p, r->diag)) {
            r->parts[r->n++] = p;
        } else {
            r->failed = true;
        }
    }
}

/* Meshes whose names say nothing are known by their shape, or not at all. */
static void know_by_shape(reader *r, fb_mesh_list *list) {
    size_t kept = 0;
    for (size_t i = 0; i < r->n && !r->no_memory; i++) {
        part *p = &r->parts[i];
        if (!*p->body) {
            fb_surface *surface = NULL;
            fb_status status = fb_surface_new(&surface, (const double(*)[3])p->mesh.vertices,
                                              p->mesh.n_vertices, (const int(*)[3])p->mesh.faces,
                                              p->mesh.n_faces, p->scale[0], p->path, r->diag);
            int left_out = list->left_out;
            fb_bone_guess guess = {0};
            if (status == FB_OK) {
                guess = fb_bone_by_shape(surface);
                fb_surface_free(surface);
            }
            r->no_memory |= status == FB_E_MEMORY;
            p->body = status == FB_OK ? fb_mesh_list_by_shape(list, p->file, guess, p->line) : NULL;
            r->failed |= !p->body && list->left_out == left_out;
        }
        if (p->body) {
            part keep = *p;
            r->parts[i] = r->parts[kept];
            r->parts[kept++] = keep;
        } else {
            fb_mesh_free(&p->mesh);
        }
    }
    r->n = r->no_memory ? r->n : kept;
    if (r->n == 0 && !r->failed) {
        wrong(r, list->folder, 0, "no mesh of the folder is a bone of the standard body");
    }
}

static void read_folder(reader *r, const char *folder) {
    fb_skeleton *s = r->skeleton;
    fb_mesh_list list = {.arena = r->arena, .diag = r->diag, .options = r->options};
    s->file = fb_arena_dup(r->arena, folder);
    if (!fb_mesh_list_read(&list, folder)) {
        r->failed = true;
        r->no_memory = list.no_memory;
        return;
    }
    s->unit = r->options->unit != FB_UNIT_DETECT ? r->options->unit : list.unit;
    read_parts(r, &list);
    if (!r->failed && !r->no_memory) {
        settle_units(r);
    }
    if (!r->failed && !r->no_memory) {
        know_by_shape(r, &list);
    }
    if (!r->failed && !r->no_memory) {
        make_bones(r);
    }
}

/* ---- a model --------------------------------------------------------------------------------- */

/* A mesh that is not there, or cannot be read, is left out. */
static void leave_out(reader *r, const fb_element *element, const char *path, const fb_diag *why) {
    if (!path) {
        r->skeleton->n_missing++;
        fb_diag_add(r->diag, FB_WARNING, FB2304, fb_element_place(element),
                    "it does not count as a bone", "the mesh '%s' is not there",
                    fb_get_string(element, "mesh"));
    } else {
        fb_diag_add(r->diag, FB_WARNING, FB1402, fb_element_place(element),
                    "it does not count as a bone", "the mesh '%s': %s", path,
                    why->n ? why->records[0].message : "cannot be read");
    }
}

static void look_at(const fb_element *element, void *context) {
    reader *r = context;
    const fb_element *body = NULL, *frame = fb_get_target(element, "frame");
    const char *name = strcmp(element->cls->name, "Mesh") == 0 ? fb_get_string(element, "mesh")
                                                               : NULL;
    part p = {.file = name, .scale = {1, 1, 1}};
    if (!name || !*name || r->no_memory ||
        !fb_frame_pose(frame ? frame : element->owner, &p.frame, &body) || !body ||
        strcmp(body->cls->name, "Body") != 0) {
        return;
    }
    fb_get_vector(element, "scale", p.scale, 3);
    p.path = fb_mesh_find(r->arena, r->model, name, r->options->folders, r->options->n_folders);
    p.file = fb_arena_dup(r->arena, name);
    p.body = fb_arena_dup(r->arena, body->name);
    p.element = body;
    fb_diag own;
    fb_diag_init(&own);
    if (!p.path || !read_mesh(r, &p, &own)) {
        leave_out(r, element, p.path, &own);
        fb_diag_clear(&own);
        return;
    }
    fb_diag_clear(&own);
    jmp_buf oom, *outer = r->arena->oom;
    fb_mesh_file *const mesh = &p.mesh; /* not yet where it will be freed */
    if (setjmp(oom)) {
        r->arena->oom = outer;
        fb_mesh_free(mesh);
        longjmp(*outer, 1);
    }
    r->arena->oom = &oom;
    FB_PUSH(r->arena, r->parts, r->n, r->capacity, p);
    r->arena->oom = outer;
}

static void read_model(reader *r) {
    fb_skeleton *s = r->skeleton;
    s->file = r->model->file ? fb_arena_dup(r->arena, r->model->file) : NULL;
    s->unit = FB_UNIT_M;
    fb_visit_model(r->model, look_at, r);
    if (r->no_memory) {
        return;
    }
    if (r->n == 0) {
        wrong(r, s->file, 0,
              s->n_missing ? fb_arena_printf(r->arena,
                                             "no body has a mesh that can be read: %d are not "
                                             "there; name the folder that holds them",
                                             s->n_missing)
                           : "no body of the model has a mesh");
        return;
    }
    make_bones(r);
}

/* ---- either ---------------------------------------------------------------------------------- */

static fb_status run(reader *r, const char *folder) {
    jmp_buf oom;
    fb_skeleton *s = r->skeleton;
    memset(s, 0, sizeof *s);
    fb_arena_init(&s->arena);
    r->arena = &s->arena;
    if (setjmp(oom)) {
        r->no_memory = true;
    } else {
        s->arena.oom = &oom;
        if (r->model) {
            read_model(r);
        } else {
            read_folder(r, folder);
        }
    }
    s->arena.oom = NULL;
    for (size_t i = 0; i < r->n; i++) {
        fb_mesh_free(&r->parts[i].mesh);
    }
    fb_status status = r->no_memory ? FB_E_MEMORY : r->failed ? FB_E_INPUT : FB_OK;
    if (r->no_memory && r->diag->counts[FB_ERROR] == 0) {
        fb_diag_add(r->diag, FB_ERROR, FB1003, (fb_place){folder, 0, NULL, NULL}, NULL,
                    "out of memory");
    }
    if (status != FB_OK) {
        fb_skeleton_free(s);
    }
    return status;
}

fb_status fb_skeleton_read_folder(fb_skeleton *skeleton, const char *folder,
                                  const fb_skeleton_options *options, fb_diag *diag) {
    reader r = {.skeleton = skeleton, .options = options ? options : &no_options, .diag = diag};
    return run(&r, folder);
}

fb_status fb_skeleton_read_model(fb_skeleton *skeleton, const fb_model *model,
                                 const fb_skeleton_options *options, fb_diag *diag) {
    reader r = {.skeleton = skeleton,
                .options = options ? options : &no_options,
                .model = model,
                .diag = diag};
    return run(&r, NULL);
}

void fb_skeleton_free(fb_skeleton *skeleton) {
    for (size_t i = 0; i < skeleton->n; i++) {
        fb_surface_free(skeleton->bones[i].surface);
    }
    fb_arena_clear(&skeleton->arena);
    memset(skeleton, 0, sizeof *skeleton);
    fb_arena_init(&skeleton->arena);
}

const fb_skeleton_bone *fb_skeleton_find(const fb_skeleton *skeleton, const char *body) {
    for (size_t i = 0; i < skeleton->n; i++) {
        if (strcmp(skeleton->bones[i].body, body) == 0) {
            return &skeleton->bones[i];
        }
    }
    return NULL;
}
