/* retarget: the new skeleton mirrored, and its meshes in the new model. */
#include <string.h>
#include <unistd.h>

#include "formats/meshes.h"
#include "libcore/base/number.h"
#include "tools/retarget.h"

/* ---- what was read ----------------------------------------------------------------------------
 */

void fb_retarget_tell_bones(fb_retarget *r) {
    for (size_t i = 0; i < r->skeleton.n; i++) {
        const fb_skeleton_bone *bone = r->skeleton.bones + i;
        for (size_t k = 0; k < bone->n && bone->guessed && !r->cli->quiet; k++) {
            size_t n = strlen(bone->body);
            const char *file = bone->meshes[k].file;
            if (strncmp(file, bone->body, n) != 0 || file[n] != '.') {
                fb_cli_say(r->cli, "'%s' is taken for '%s'", file, bone->body);
            }
        }
        if (bone->surface) {
            fb_surface_tell(bone->surface, bone->n == 1 ? bone->meshes[0].path : bone->body,
                            &r->cli->diag);
        }
    }
}

/* ---- mirrored skeletons ---------------------------------------------------------------------- */

/* The pose of a mesh in the mirrored frame, to be preceded by a mirrored mesh. */
static void mirror_pose(fb_pose *pose) {
    static const double sign[3] = {-1, 1, 1};
    for (int i = 0; i < 9; i++) {
        pose->R[i] *= sign[i / 3] * sign[i % 3];
    }
    pose->p[0] = -pose->p[0];
}

static fb_status mirror_bone(fb_skeleton_bone *bone, fb_diag *diag) {
    const fb_surface *old = bone->surface;
    size_t n = (size_t)old->n_vertices, n_faces = (size_t)old->n_faces;
    double(*vertices)[3] = fb_alloc(n * sizeof *vertices);
    int(*faces)[3] = fb_alloc(n_faces * sizeof *faces);
    fb_surface *surface = NULL;
    fb_status status = FB_E_MEMORY;
    if (vertices && faces) {
        for (size_t i = 0; i < n; i++) {
            fb_v3_set(vertices[i], -old->vertices[i][0], old->vertices[i][1], old->vertices[i][2]);
        }
        for (size_t i = 0; i < n_faces; i++) {
            faces[i][0] = old->faces[i][0];
            faces[i][1] = old->faces[i][2];
            faces[i][2] = old->faces[i][1];
        }
        status = fb_surface_new(&surface, (const double(*)[3])vertices, n, (const int(*)[3])faces,
                                n_faces, 1, bone->body, diag);
    }
    fb_free(vertices);
    fb_free(faces);
    if (status == FB_OK) {
        fb_surface_free(bone->surface);
        bone->surface = surface;
        for (size_t i = 0; i < bone->n; i++) {
            mirror_pose(&bone->meshes[i].frame);
            bone->meshes[i].scale[0] = -bone->meshes[i].scale[0];
        }
    }
    return status;
}

fb_status fb_retarget_mirror(fb_retarget *r) {
    fb_status status = FB_OK;
    for (size_t i = 0; i < r->skeleton.n && status == FB_OK; i++) {
        status = r->skeleton.bones[i].surface ? mirror_bone(r->skeleton.bones + i, &r->cli->diag)
                                              : FB_OK;
    }
    return status;
}

/* A name with its side exchanged; itself if it names none. */
static const char *other_side(fb_arena *arena, const char *name) {
    size_t room = strlen(name) + 9;
    char *to = fb_arena_array(arena, room, 1);
    return fb_feature_other_side(name, to, room) ? to : name;
}

fb_status fb_retarget_mirror_points(fb_retarget *r) {
    for (size_t i = 0; i < r->pairs.n; i++) {
        r->pairs.items[i].target[0] = -r->pairs.items[i].target[0];
    }
    for (size_t i = 0; i < r->target.n; i++) {
        fb_feature *f = r->target.items + i;
        f->location[0] = -f->location[0];
        if (!fb_skeleton_find(&r->skeleton, f->body)) {
            f->body = other_side(&r->arena, f->body);
            f->name = other_side(&r->arena, f->name);
        }
    }
    return FB_OK;
}

/* ---- names of files -------------------------------------------------------------------------- */

/* An absolute path without "." and "..", as its letters have it. */
static const char *absolute(fb_arena *arena, const char *path) {
    char folder[4096];
    if (*path != '/' && getcwd(folder, sizeof folder)) {
        path = fb_arena_printf(arena, "%s/%s", folder, path);
    }
    char *copy = fb_arena_dup(arena, path), *rest = NULL;
    const char *out = "";
    for (char *part = strtok_r(copy, "/", &rest); part; part = strtok_r(NULL, "/", &rest)) {
        if (strcmp(part, "..") == 0) {
            const char *slash = strrchr(out, '/');
            out = slash ? fb_arena_text(arena, out, (size_t)(slash - out)) : "";
        } else if (strcmp(part, ".") != 0) {
            out = fb_arena_printf(arena, "%s/%s", out, part);
        }
    }
    return out;
}

/* A file's path as seen from the folder of another. */
static const char *beside(fb_arena *arena, const char *path, const char *file) {
    const char *to = absolute(arena, path), *from = absolute(arena, file), *up = "";
    size_t common = 0;
    for (size_t i = 0; to[i] && to[i] == from[i]; i++) {
        common = to[i] == '/' ? i + 1 : common;
    }
    for (const char *rest = strchr(from + common, '/'); rest; rest = strchr(rest + 1, '/')) {
        up = fb_arena_printf(arena, "%s../", up);
    }
    return fb_arena_printf(arena, "%s%s", up, to + common);
}

const char *fb_retarget_mesh_name(fb_retarget *r, const fb_retarget_body *b) {
    char *name = fb_arena_printf(&r->arena, "%s.stl", b->element->name);
    for (char *c = name; *c; c++) {
        *c = *c == '/' ? '_' : *c;
    }
    return name;
}

/* ---- meshes of the new model ----------------------------------------------------------------- */

/* What OpenSim makes of the meshes as they are. */
static void tell_meshes(fb_retarget *r, const char *foreign) {
    if (foreign) {
        fb_diag_add(&r->cli->diag, FB_WARNING, FB2304, (fb_place){r->skeleton.file, 0, NULL, NULL},
                    "--meshes-out writes STL", "OpenSim does not show meshes like '%s'", foreign);
    }
    if (r->mirror) {
        fb_diag_add(&r->cli->diag, FB_WARNING, FB2304, (fb_place){r->skeleton.file, 0, NULL, NULL},
                    "--meshes-out writes them mirrored",
                    "the new model mirrors the meshes by a negative scale factor");
    }
}

/* A file in the folder to which names of meshes are relative: that of the new model, or where the
 * tool is run. */
static const char *home(const fb_retarget *r) {
    const char *output = r->cli->output;
    return output && strcmp(output, "-") != 0 ? output : "./-";
}

/* Meshes of the standard that stay are to be found from the new model too. */
static void keep_meshes(fb_retarget *r, const fb_element *frame) {
    const fb_retarget_standard *s = r->standard;
    const fb_value *geometry = fb_get(frame, "geometry");
    for (int k = 0; geometry && k < geometry->n; k++) {
        fb_element *mesh = geometry->as.objects[k];
        const char *name = strcmp(mesh->cls->name, "Mesh") == 0 ? fb_get_string(mesh, "mesh")
                                                                : NULL;
        const char *path = name && *name && *name != '/'
                               ? fb_mesh_find(&r->arena, s->original, name, r->folders,
                                              r->n_folders)
                               : NULL;
        if (path) {
            fb_value_set_string(s->model, fb_value_of(mesh, "mesh"),
                                beside(&r->arena, path, home(r)));
        }
    }
}

int fb_retarget_meshes(fb_retarget *r, fb_new_mesh **meshes) {
    const fb_retarget_standard *s = r->standard;
    const char *folder = fb_cli_value(r->cli, "meshes-out"), *foreign = NULL;
    const char *output = home(r);
    size_t most = (size_t)s->n_bodies + 1;
    for (size_t i = 0; i < r->skeleton.n; i++) {
        most += r->skeleton.bones[i].n;
    }
    for (int l = 0; l < 2; l++) {
        const fb_list *frames = fb_model_items(s->model, l ? "frames" : "bodies");
        for (size_t i = 0; i < frames->n; i++) {
            keep_meshes(r, frames->items[i]);
        }
    }
    *meshes = fb_arena_array(&r->arena, most, sizeof **meshes);
    int n = 0;
    for (int i = 0; i < s->n_bodies; i++) {
        const fb_retarget_body *b = s->bodies + i;
        if (!b->placed || !b->target) {
            continue;
        }
        const fb_element *body = fb_retarget_same(s, "bodies", b->element);
        if (folder) { /* written in the body's own frame */
            const char *file = fb_arena_printf(&r->arena, "%s/%s", folder,
                                               fb_retarget_mesh_name(r, b));
            (*meshes)[n++] = (fb_new_mesh){.body = body,
                                           .file = beside(&r->arena, file, output),
                                           .in_target = b->frame,
                                           .scale = {1, 1, 1}};
            continue;
        }
        for (size_t k = 0; k < b->target->n; k++) {
            const fb_skeleton_mesh *old = b->target->meshes + k;
            fb_new_mesh mesh = {.body = body,
                                .file = beside(&r->arena, old->path, output),
                                .in_target = old->frame};
            fb_v3_copy(mesh.scale, old->scale);
            (*meshes)[n++] = mesh;
            foreign = fb_file_ends_with(old->file, ".ply") || fb_file_ends_with(old->file, ".vtk")
                          ? old->file
                          : foreign;
        }
    }
    if (!folder && n) {
        tell_meshes(r, foreign);
    }
    return n;
}
