/* fbgen: figures, and what is written beside the model and into it. */
#include <math.h>
#include <string.h>

#include "formats/bundle_stored.h"
#include "formats/fb.h"
#include "formats/layers.h"
#include "formats/mesh_write.h"
#include "libcore/base/number.h"
#include "libcore/base/spatial.h"
#include "tools/fbgen.h"

#define RADIANS (3.14159265358979323846 / 180)

/* ---- figures --------------------------------------------------------------------------------- */

static const char *coordinate_name(const fb_gen *gen, const fb_gen_muscle *m) {
    if (m->refusal || gen->build.straight || fb_cli_value(gen->cli, "no-arms") ||
        m->arms.coordinate < 0) {
        return NULL;
    }
    return fb_path_name(gen->s->system->coordinates[m->arms.coordinate].path);
}

void fb_gen_table(const fb_gen *gen, fb_text *out) {
    fb_text_puts(
        out,
        "muscle\tlines\theads\tbundles\tvolume_m3\tbundles_volume_m3\tspecific_tension\t"
        "belly_length_m\twidth_m\theight_m\tratio\ttendon_lower_m\ttendon_upper_m\t"
        "pennation_rad\tleast_length_m\tgreatest_length_m\tpenetration\tmean_gap\t"
        "worst_gap\tbetween_heads\tvolume_error\tlength_error\tratio_error\ttilt_rad\tline_mean_m\t"
        "line_greatest_m\tcoordinate\tarm_mean_m\tarm_worst_m\tarm_greatest_m\t"
        "arm_inside\tarm_poses\theight_direction\tbone\twhy_none\n");
    for (int i = 0; i < gen->n_muscles; i++) {
        const fb_gen_muscle *m = gen->muscles + i;
        const fb_recipe *r = m->recipe;
        fb_text_printf(out, "%s\t", r->name);
        for (int k = 0; k < r->n_lines; k++) {
            fb_text_printf(out, "%s%s", k ? "," : "", fb_gen_line_name(gen, r->lines[k]));
        }
        if (m->refusal) {
            fb_text_puts(out, "\t0\t0");
            for (int k = 0; k < 30; k++) {
                fb_text_puts(out, "\tnan");
            }
            fb_text_printf(out, "\t%s\n", m->refusal);
            continue;
        }
        const fb_body_measures *f = &m->measures;
        double tendon[2];
        fb_build_mean(&m->build, tendon, NULL);
        fb_text_printf(out, "\t%zu\t%zu", m->build.form.n_heads, m->body.n_bundles);
        const double numbers[] = {r->volume,
                                  f->volume,
                                  r->specific_tension,
                                  r->belly_length,
                                  m->width,
                                  m->height,
                                  m->body.bundles[0].ratio,
                                  tendon[0],
                                  tendon[1],
                                  r->pennation,
                                  m->length[0],
                                  m->length[1],
                                  f->penetration,
                                  f->gap,
                                  f->worst_gap,
                                  f->between_heads,
                                  f->volume_error,
                                  f->length_error,
                                  f->ratio_error,
                                  f->tilt,
                                  m->line.mean,
                                  m->line.greatest};
        for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
            fb_text_puts(out, "\t");
            fb_text_number(out, numbers[k]);
        }
        const char *coordinate = coordinate_name(gen, m);
        if (coordinate) {
            fb_text_printf(out, "\t%s\t%.6g\t%.6g\t%.6g\t%d\t%d", coordinate, m->arms.mean,
                           m->arms.worst, m->arms.greatest, m->arms.inside, m->arms.poses);
        } else {
            fb_text_puts(out, "\t-\tnan\tnan\tnan\t0\t0");
        }
        fb_text_printf(out, "\t%.6g,%.6g,%.6g\t%s\t-\n", r->up[0], r->up[1], r->up[2],
                       r->bone ? r->bone : "-");
    }
}

void fb_gen_print(const fb_gen *gen, fb_text *out) {
    int widest = 6, made = 0;
    size_t bundles = 0;
    double volume = 0;
    for (int i = 0; i < gen->n_muscles; i++) {
        int n = (int)strlen(gen->muscles[i].recipe->name);
        widest = n > widest ? n : widest;
        made += !gen->muscles[i].refusal;
    }
    if (!made) {
        return;
    }
    fb_text_printf(
        out,
        "%-*s lines bundles volume belly width height  sink   gap worst heads  tilt  line"
        "  arms inside of coordinate\n"
        "%-*s                 cm^3    mm    mm     mm     %%     %%     %%   deg    mm"
        "    mm\n",
        widest, "muscle", widest, "");
    for (int i = 0; i < gen->n_muscles; i++) {
        const fb_gen_muscle *m = gen->muscles + i;
        if (m->refusal) {
            continue;
        }
        const fb_body_measures *f = &m->measures;
        fb_text_printf(out,
                       "%-*s %5d %7zu %6.1f %5.0f %5.1f %6.1f %5.2f %5.2f %5.2f %5.1f %5.1f %5.1f",
                       widest, m->recipe->name, m->recipe->n_lines, m->body.n_bundles,
                       1e6 * m->recipe->volume, 1e3 * m->recipe->belly_length, 1e3 * m->width,
                       1e3 * m->height, 100 * f->penetration, 100 * f->gap, 100 * f->worst_gap,
                       100 * f->between_heads, f->tilt / RADIANS, 1e3 * m->line.mean);
        const char *coordinate = coordinate_name(gen, m);
        if (coordinate) {
            fb_text_printf(out, " %5.1f %3d/%-3d %s", 1e3 * m->arms.mean, m->arms.inside,
                           m->arms.poses, coordinate);
        }
        fb_text_puts(out, "\n");
        bundles += m->body.n_bundles;
        volume += m->recipe->volume;
    }
    fb_text_printf(out,
                   "%d muscles, %zu bundles, %.1f cm^3; sink: greatest penetration, gap: mean "
                   "and worst pair's, of the half-height; line, arms: mean distances of the "
                   "bundles' mean from the model's\n",
                   made, bundles, 1e6 * volume);
}

/* ---- files ----------------------------------------------------------------------------------- */

static int write_text(fb_cli *cli, const char *file, const fb_text *text) {
    fb_output output;
    fb_status status = fb_cli_open(cli, file, &output);
    if (status == FB_OK) {
        fb_text_add(&output.text, text->bytes, text->n);
        status = fb_cli_close(cli, file, &output, !text->failed);
    }
    return text->failed ? fb_exit_of(FB_E_MEMORY) : fb_exit_of(status);
}

/* Colours of muscles, so that neighbours in a list differ. */
static void tint(fb_mesh *mesh, int number) {
    static const double shades[6][3] = {{1, 1, 1},      {0.86, 0.93, 1}, {1, 0.9, 0.8},
                                        {0.92, 1, 0.9}, {1, 0.85, 0.92}, {0.95, 0.9, 1}};
    for (size_t v = 0; v < mesh->n_vertices; v++) {
        for (int c = 0; c < 3; c++) {
            mesh->colours[v][c] *= shades[number % 6][c];
        }
    }
}

static int write_mesh(fb_gen *gen, const char *file) {
    size_t room = 2 * (size_t)gen->n_muscles, n = 0;
    const fb_mesh **list = fb_arena_array(&gen->arena, room, sizeof *list);
    fb_mesh *own = fb_arena_array(&gen->arena, (size_t)gen->n_muscles, sizeof *own);
    fb_status status = FB_OK;
    for (int i = 0; i < gen->n_muscles && status == FB_OK; i++) {
        fb_gen_muscle *m = gen->muscles + i;
        if (m->refusal) {
            continue;
        }
        if (m->envelope.mesh.n_faces) {
            tint(&m->envelope.mesh, i);
            list[n++] = &m->envelope.mesh;
        }
        for (size_t b = 0; gen->mesh_bundles && b < m->body.n_bundles && status == FB_OK; b++) {
            status = fb_mesh_add_bundle(own + i, &m->body, b, gen->mesh_sides);
        }
        if (own[i].n_faces) {
            own[i].name = fb_alloc(strlen(m->recipe->name) + 9);
            if (own[i].name) {
                sprintf(own[i].name, "%s_bundles", m->recipe->name);
            }
            tint(own + i, i);
            list[n++] = own + i;
        }
    }
    if (status == FB_OK && n == 0) { /* no muscle has a body, which was told */
        return FB_EXIT_OK;
    }
    fb_text text = {0}, materials = {0};
    const char *material_file = fb_mesh_materials_file(&gen->arena, file);
    if (status == FB_OK) {
        status = fb_mesh_write(&text, &materials, list, n, file, &gen->cli->diag);
    }
    for (int i = 0; i < gen->n_muscles; i++) {
        fb_mesh_clear(own + i);
    }
    int code = fb_exit_of(status);
    if (code == FB_EXIT_OK && material_file && materials.n) {
        code = write_text(gen->cli, material_file, &materials);
    }
    if (code == FB_EXIT_OK) {
        code = write_text(gen->cli, file, &text);
    }
    fb_text_free(&text);
    fb_text_free(&materials);
    return code;
}

int fb_gen_write_files(fb_gen *gen) {
    const char *layers = fb_cli_value(gen->cli, "layers"), *mesh = fb_cli_value(gen->cli, "mesh");
    const char *table = fb_cli_value(gen->cli, "table");
    int code = FB_EXIT_OK;
    if (layers) {
        fb_text text = {0};
        for (int i = 0; i < gen->n_muscles; i++) {
            if (!gen->muscles[i].refusal) {
                fb_layers_write(&text, &gen->muscles[i].body);
            }
        }
        code = write_text(gen->cli, layers, &text);
        fb_text_free(&text);
    }
    if (table && code == FB_EXIT_OK) {
        fb_text text = {0};
        fb_gen_table(gen, &text);
        code = write_text(gen->cli, table, &text);
        fb_text_free(&text);
    }
    if (mesh && code == FB_EXIT_OK) {
        code = write_mesh(gen, mesh);
    }
    return code;
}

/* ---- the document ---------------------------------------------------------------------------- */

static void add_numbers(fb_text *out, const char *key, const double *x, int n) {
    fb_text_printf(out, ", \"%s\": [", key);
    for (int i = 0; i < n; i++) {
        fb_text_puts(out, i ? ", " : "");
        fb_json_number(out, x[i]);
    }
    fb_text_puts(out, "]");
}

static void add_number(fb_text *out, const char *key, double x) {
    fb_text_printf(out, ", \"%s\": ", key);
    fb_json_number(out, x);
}

static const char *body_name(const fb_gen *gen, int body) {
    const fb_element *element = gen->s->system->mobods[body].body;
    return element ? element->name : "ground";
}

/* The height in the axes of the body with which it turns. */
static void add_height_in_body(const fb_gen *gen, const fb_gen_muscle *m, fb_text *out) {
    double up[3];
    fb_m3_tmul_v3(up, gen->s->state->pose[m->recipe->up_body].R, m->build.up);
    fb_text_puts(out, ", \"height_body\": ");
    fb_json_string(out, body_name(gen, m->recipe->up_body));
    add_numbers(out, "height_in_body", up, 3);
}

/* A core's own course, in the axes of its body. */
static void add_course(const fb_gen *gen, const fb_core *core, fb_text *out) {
    fb_text_puts(out, ", \"frame\": ");
    fb_json_string(out, body_name(gen, core->own_body));
    fb_text_puts(out, ", \"points\": [");
    for (int i = 0; i < core->n_own; i++) {
        for (int k = 0; k < 3; k++) {
            fb_text_puts(out, k ? ", " : i ? ", [" : "[");
            fb_text_number(out, core->own[i][k]);
        }
        fb_text_puts(out, "]");
    }
    fb_text_puts(out, "]");
}

/* {"muscle": .., "lines": [..], .., "cores": [..], "cells": [..], "a": [..], "b": [..]} */
static void describe(const fb_gen *gen, const fb_gen_muscle *m, fb_text *out) {
    const fb_recipe *r = m->recipe;
    const fb_form *form = &m->build.form;
    fb_text_puts(out, "{\"muscle\": ");
    fb_json_string(out, r->name);
    fb_text_puts(out, ", \"lines\": [");
    for (int k = 0; k < r->n_lines; k++) {
        fb_text_puts(out, k ? ", " : "");
        fb_json_string(out, fb_gen_line_name(gen, r->lines[k]));
    }
    fb_text_puts(out, "]");
    add_number(out, "volume", form->volume);
    add_number(out, "ratio", form->ratio);
    add_number(out, "belly_length", m->build.belly);
    add_number(out, "fiber_part", form->fibre_part);
    if (form->curve > 0) {
        add_number(out, "junction_curve", form->curve);
    }
    add_number(out, "cut", form->cut);
    add_number(out, "twist", m->build.twist);
    if (r->twist_given) {
        fb_text_puts(out, ", \"twist_given\": true");
    }
    add_numbers(out, "height_direction", m->build.up, 3);
    add_height_in_body(gen, m, out);
    fb_text_printf(out, ", \"layers\": %zu, \"width_law\": \"%s\"", gen->build.layers,
                   fb_width_law_names[m->build.law]);
    if (!isnan(gen->build.strength)) {
        add_number(out, "strength", gen->build.strength);
    }
    if (gen->build.kept) {
        fb_text_puts(out, ", \"ends\": \"free\"");
    }
    fb_text_puts(out, ", \"cores\": [");
    for (size_t h = 0; h < form->n_heads; h++) {
        const fb_core *core = r->cores + m->build.core[h];
        fb_text_puts(out, h ? ", {\"name\": " : "{\"name\": ");
        fb_json_string(out, core->name);
        if (core->muscle >= 0) {
            fb_text_puts(out, ", \"line\": ");
            fb_json_string(out, fb_gen_line_name(gen, core->muscle));
        }
        add_number(out, "share", core->share);
        add_number(out, "volume_share", core->volume_share);
        add_numbers(out, "tendon", m->build.tendon[h], 2);
        add_number(out, "widest", m->build.widest[h]);
        if (core->n_own > 0) {
            add_course(gen, core, out);
        }
        fb_text_puts(out, "}");
    }
    fb_text_puts(out, "], \"cells\": [");
    for (size_t c = 0; c < form->lattice.n; c++) {
        const fb_place_cell *cell = form->cells + c;
        fb_text_printf(out, "%s[%d, %d, %d]", c ? ", " : "", cell->i, cell->j, cell->head[0]);
    }
    fb_text_puts(out, "]");
    for (int which = 0; which < 2; which++) { /* at the widest ring, in this pose */
        fb_text_printf(out, ", \"%s\": [", which ? "b" : "a");
        for (size_t c = 0; c < m->body.n_bundles; c++) {
            const fb_bundle *b = m->body.bundles + c;
            double widest = 0;
            for (size_t k = 0; k < b->rings; k++) {
                const fb_ring *ring = m->body.rings + b->first + k;
                widest = fb_greater(widest, fb_v3_norm(which ? ring->w : ring->u));
            }
            fb_text_printf(out, "%s%.6g", c ? ", " : "", widest);
        }
        fb_text_puts(out, "]");
    }
    fb_text_puts(out, "}");
}

/* Adds a member to a muscle, and empties its text; false without memory. */
static bool add_member(fb_model *model, int line, fb_text *text) {
    const fb_list *lines = fb_model_items(model, "muscles");
    const char *json = fb_text_string(text);
    bool ok = json;
    if (ok) {
        fb_element_add_extra(model, lines->items[line], "bundles", json);
    }
    fb_text_free(text);
    return ok;
}

fb_status fb_gen_add_bundles(const fb_gen *gen, fb_model *model) {
    bool ok = true;
    for (int i = 0; i < gen->n_muscles && !gen->patent; i++) {
        const fb_gen_muscle *m = gen->muscles + i;
        if (m->refusal || m->recipe->n_lines == 0) {
            continue;
        }
        fb_text text = {0};
        describe(gen, m, &text);
        ok = add_member(model, m->recipe->lines[0], &text) && ok;
        for (int k = 1; k < m->recipe->n_lines; k++) { /* the others say where it is */
            fb_text_puts(&text, "{\"of\": ");
            fb_json_string(&text, fb_gen_line_name(gen, m->recipe->lines[0]));
            fb_text_puts(&text, "}");
            ok = add_member(model, m->recipe->lines[k], &text) && ok;
        }
    }
    return ok ? FB_OK : FB_E_MEMORY;
}
