/* retarget: pairs, parameters, meshes, reports and the model, as files. */
#include <string.h>
#include <sys/stat.h>

#include "formats/mesh_write.h"
#include "libcore/base/number.h"
#include "tools/retarget.h"

static fb_status write_text(fb_cli *cli, const char *file, const fb_text *text) {
    fb_output output;
    fb_status status = fb_cli_open(cli, file, &output);
    if (status != FB_OK) {
        return status;
    }
    fb_text_add(&output.text, text->bytes, text->n);
    return fb_cli_close(cli, file, &output, true);
}

static fb_status write_pairs(fb_retarget *r) {
    const char *file = fb_cli_value(r->cli, "features-out");
    fb_pairs pairs;
    fb_text text;
    if (!file) {
        return FB_OK;
    }
    fb_pairs_init(&pairs);
    fb_text_init(&text, NULL);
    fb_retarget_all_pairs(r->standard, &pairs);
    fb_pairs_write(&text, &pairs, file);
    fb_status status = write_text(r->cli, file, &text);
    fb_text_free(&text);
    fb_pairs_free(&pairs);
    return status;
}

static fb_status write_parameters(fb_retarget *r) {
    const char *file = fb_cli_value(r->cli, "params-out");
    const fb_retarget_standard *s = r->standard;
    fb_transforms all;
    fb_text text;
    if (!file) {
        return FB_OK;
    }
    fb_transforms_init(&all);
    fb_text_init(&text, NULL);
    for (int i = 0; i < s->n_bodies; i++) {
        const fb_retarget_body *b = s->bodies + i;
        if (b->placed) {
            fb_body_transform one = {.body = b->element->name,
                                     .transform = b->map,
                                     .framed = true,
                                     .frame = b->frame,
                                     .residual = b->aligned ? b->surfaces.residual : b->rms,
                                     .n_points = (int)b->n};
            fb_transforms_add(&all, &one);
        }
    }
    for (int i = 0; i < s->n_sites; i++) {
        const fb_joint_site *site = s->sites + i;
        fb_joint_place place = {.joint = site->joint->name,
                                .in_parent = site->in_parent,
                                .in_child = site->in_child};
        fb_v3_copy(place.parent, site->parent);
        fb_v3_copy(place.child, site->child);
        fb_v3_copy(place.axis_parent, site->axis_parent);
        fb_v3_copy(place.axis_child, site->axis_child);
        fb_transforms_add_joint(&all, &place);
    }
    fb_transforms_write(&text, &all);
    fb_status status = write_text(r->cli, file, &text);
    fb_text_free(&text);
    fb_transforms_free(&all);
    return status;
}

/* One bone of the new skeleton, in its body's frame, as STL. */
static fb_status write_bone(fb_retarget *r, const fb_retarget_body *b, const char *folder) {
    const fb_surface *surface = b->target->surface;
    fb_mesh mesh = {0};
    fb_text text;
    fb_pose inverse;
    fb_pose_inverse(&inverse, &b->frame);
    fb_text_init(&text, NULL);
    mesh.n_vertices = (size_t)surface->n_vertices;
    mesh.n_faces = (size_t)surface->n_faces;
    mesh.vertices = fb_arena_array(&r->arena, mesh.n_vertices, sizeof *mesh.vertices);
    mesh.faces = fb_arena_array(&r->arena, mesh.n_faces, sizeof *mesh.faces);
    mesh.normals = fb_arena_array(&r->arena, mesh.n_vertices, sizeof *mesh.normals);
    for (size_t i = 0; i < mesh.n_vertices; i++) {
        fb_pose_point(mesh.vertices[i], &inverse, surface->vertices[i]);
        fb_m3_mul_v3(mesh.normals[i], inverse.R, surface->normals[i]);
    }
    for (size_t i = 0; i < mesh.n_faces; i++) {
        for (int k = 0; k < 4; k++) {
            mesh.faces[i][k] = k < 3 ? surface->faces[i][k] : -1;
        }
    }
    const fb_mesh *one = &mesh;
    const char *file = fb_arena_printf(&r->arena, "%s/%s", folder, fb_retarget_mesh_name(r, b));
    fb_status status = fb_mesh_write(&text, NULL, &one, 1, file, &r->cli->diag);
    status = status == FB_OK ? write_text(r->cli, file, &text) : status;
    fb_text_free(&text);
    return status;
}

static fb_status write_bones(fb_retarget *r) {
    const char *folder = fb_cli_value(r->cli, "meshes-out");
    fb_status status = FB_OK;
    if (folder && !fb_retarget_is_folder(folder) && mkdir(folder, 0777) != 0) {
        fb_diag_add(&r->cli->diag, FB_ERROR, FB3001, (fb_place){folder, 0, NULL, NULL}, NULL,
                    "the folder cannot be made");
        return FB_E_OUTPUT;
    }
    for (int i = 0; folder && i < r->standard->n_bodies && status == FB_OK; i++) {
        const fb_retarget_body *b = r->standard->bodies + i;
        status = b->placed && b->target ? write_bone(r, b, folder) : FB_OK;
    }
    return status;
}

static fb_status write_report(fb_retarget *r) {
    const char *file = r->cli->report, *preview = fb_cli_value(r->cli, "preview");
    bool page = file && fb_file_ends_with(file, ".html");
    fb_text picture, text;
    fb_status status = FB_OK;
    fb_text_init(&picture, NULL);
    fb_text_init(&text, NULL);
    bool drawn = (preview || page) && fb_retarget_preview(r, &picture);
    if (preview) {
        status = drawn ? write_text(r->cli, preview, &picture) : FB_E_OUTPUT;
    }
    if (file && status == FB_OK) {
        if (page) {
            fb_retarget_html(r, drawn ? &picture : NULL, &text);
        } else {
            fb_retarget_json(r, &text);
        }
        status = write_text(r->cli, file, &text);
    }
    fb_text_free(&text);
    fb_text_free(&picture);
    return status;
}

static fb_status write_model(fb_retarget *r) {
    fb_output output;
    fb_cli_add_step(r->cli, r->standard->model, r->standard->file, r->standard->sha);
    fb_status status = fb_cli_open(r->cli, r->cli->output, &output);
    if (status != FB_OK) {
        return status;
    }
    fb_document_write(r->standard->model, &output.text);
    return fb_cli_close(r->cli, r->cli->output, &output, true);
}

fb_status fb_retarget_write(fb_retarget *r) {
    fb_status status = write_pairs(r);
    status = status == FB_OK ? write_parameters(r) : status;
    status = status == FB_OK ? write_bones(r) : status;
    status = status == FB_OK ? write_report(r) : status;
    return status == FB_OK ? write_model(r) : status;
}
