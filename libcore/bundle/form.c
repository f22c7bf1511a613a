#include "libcore/bundle/form.h"

#include <math.h>
#include <string.h>

#include "libcore/base/arena.h"
#include "libcore/base/number.h"
#include "libcore/base/spatial.h"

#define UPRIGHT 0.6    /* cosine of 53 degrees: sections cross */
#define LEAST_LAYERS 4 /* of a staggered bundle's belly */

fb_form_options fb_form_options_default(void) {
    return (fb_form_options){.name = "muscle",
                             .ratio = 0.5,
                             .bundles = FB_LATTICE_DEFAULT,
                             .outline = {.kind = FB_LATTICE_ROUND},
                             .cut = 0.9,
                             .fibre_part = 1};
}

void fb_form_free(fb_form *form) {
    for (size_t h = 0; h < form->n_heads && form->heads; h++) {
        fb_free(form->heads[h]);
    }
    fb_free(form->heads);
    fb_free(form->name);
    fb_free(form->strips);
    fb_free(form->cells);
    fb_free(form->rest);
    fb_lattice_free(&form->lattice);
    memset(form, 0, sizeof *form);
}

static size_t cells_in_column(const fb_lattice *lattice, int column) {
    size_t n = 0, wide = (size_t)lattice->size[0];
    for (int row = 0; row < lattice->size[1]; row++) {
        n += lattice->at[(size_t)row * wide + (size_t)(column - lattice->low[0])] != 0;
    }
    return n;
}

/* Gives each head neighbouring columns with its part of the cells, from left to right. */
static const char *share_out(fb_form *form, const fb_form_options *o) {
    const fb_lattice *lattice = &form->lattice;
    int column = lattice->low[0], end = column + lattice->size[0];
    size_t given = 0;
    double wanted = 0, total = 0;
    for (size_t h = 0; h < o->n_heads; h++) {
        total += o->heads[h].volume_share;
    }
    for (size_t h = 0; h < form->n_heads; h++) {
        int first = column;
        size_t before = given;
        wanted += o->n_heads ? o->heads[h].volume_share / total : 1;
        int left = (int)(form->n_heads - 1 - h); /* a column at least for each head after this */
        while (column < end - left) {
            size_t here = cells_in_column(lattice, column);
            double missing = wanted * (double)lattice->n - (double)given;
            if (column > first && left > 0 && (double)here > 2 * missing) {
                break;
            }
            given += here;
            column++;
        }
        if (column == first) {
            return "it has more heads than columns of bundles";
        }
        form->strips[h] = (fb_strip){2 * first, 2 * column};
        double share = (o->n_heads ? o->heads[h].share : 1) / (double)(given - before);
        for (size_t c = 0; c < lattice->n; c++) {
            if (lattice->cells[c].i >= first && lattice->cells[c].i < column) {
                form->cells[c].head[0] = form->cells[c].head[1] = (int)h;
                form->cells[c].share = share;
            }
        }
    }
    return NULL;
}

void fb_form_set_cells(fb_form *form) {
    for (size_t c = 0; c < form->lattice.n; c++) {
        const fb_cell *cell = form->lattice.cells + c;
        form->cells[c] = (fb_place_cell){.i = cell->i, .j = cell->j, .order = cell->order};
        int at[2] = {cell->i, cell->j};
        for (int m = 0; m < 2; m++) {
            int reach = at[m] >= 0 ? at[m] + 1 : -at[m];
            form->extent[m] = fb_greater(form->extent[m], 2 * reach);
        }
    }
}

const char *fb_form_make(fb_form *form, const fb_form_options *o) {
    memset(form, 0, sizeof *form);
    if (!(o->volume > 0 && o->volume < 1)) {
        return "its volume is not between 0 and 1 m^3";
    }
    if (!(o->ratio > 0.01 && o->ratio < 100)) {
        return "the ratio of its bundles' height and width is not between 0.01 and 100";
    }
    if (!(o->cut > 0.05 && o->cut < 0.999)) {
        return "the part of the half-ellipsoids that is used is not between 0.05 and 0.999";
    }
    if (!(o->fibre_part > 0 && o->fibre_part <= 1)) {
        return "its fibres are not longer than nothing and at most as long as the belly";
    }
    if (!(o->curve >= 0 && o->curve <= 1)) {
        return "the curve of its junctions is not from 0 to 1";
    }
    fb_lattice_outline outline = o->outline;
    outline.ratio = o->ratio;
    if (outline.kind ==
        FB_LATTICE_POLYGON) { /* in the muscle's axes: cells are as high as they pile up */
        outline.ratio *= fb_form_pile(o->fibre_part, o->cut);
    }
    const char *why = fb_lattice_for(&form->lattice, &outline, o->bundles);
    if (why) {
        return why;
    }
    size_t n = form->lattice.n;
    form->n_heads = o->n_heads ? o->n_heads : 1;
    form->volume = o->volume;
    form->ratio = o->ratio;
    form->cut = o->cut;
    form->upright = UPRIGHT;
    form->fibre_part = o->fibre_part;
    form->curve = o->fibre_part < 1 ? 0 : o->curve;
    form->name = fb_alloc_text(o->name);
    form->heads = fb_alloc(form->n_heads * sizeof *form->heads);
    form->strips = fb_alloc(form->n_heads * sizeof *form->strips);
    form->cells = fb_alloc(n * sizeof *form->cells);
    bool ok = form->name && form->heads && form->strips && form->cells;
    for (size_t h = 0; h < form->n_heads && form->heads; h++) {
        form->heads[h] = fb_alloc_text(o->n_heads ? o->heads[h].name : o->name);
        ok = ok && form->heads[h];
    }
    if (!ok) {
        fb_form_free(form);
        return "there is not enough memory for so many bundles";
    }
    fb_form_set_cells(form);
    why = share_out(form, o);
    if (why) {
        fb_form_free(form);
    }
    return why;
}

/* The shape of a bundle whose belly is so long below and above its widest section. */
static fb_shape shape_of(const fb_form *form, double below, double above, double strength) {
    fb_shape shape = {.c1 = below / form->cut, .c2 = above / form->cut, .l2 = below, .l3 = above};
    double ratio = isnan(strength) ? form->ratio : 0.5 + 0.5 * strength;
    fb_shape_from_belly(&shape, form->volume / (double)form->lattice.n, ratio);
    return shape;
}

double fb_form_pile(double fibre_part, double cut) {
    return fibre_part < 1 ? fibre_part * (1 - cut * cut / 3) + (1 - fibre_part) * (1 - cut * cut)
                          : 1;
}

void fb_form_size(const fb_form *form, double belly, double strength, double *a, double *width,
                  double *height) {
    double part = belly * form->fibre_part / 2;
    fb_shape shape = shape_of(form, part, part, strength);
    if (a) {
        *a = shape.a;
    }
    if (width) {
        *width = 2 * form->extent[0] * shape.a;
    }
    if (height) {
        *height = 2 * form->extent[1] * shape.b * fb_form_pile(form->fibre_part, form->cut);
    }
}

/* Lets the belly of a cell reach into the tendons, the further the further it is from y = 0. */
static void lengthen(const fb_form *form, fb_place_cell *cell, const fb_section_head *head) {
    double y = (2 * cell->j + 1) / form->extent[1];
    double layers = (double)(head->upper - head->lower);
    size_t more = (size_t)floor(form->curve * layers * y * y + 0.5);
    size_t room[2] = {head->lower - head->first, head->last - head->upper};
    size_t by[2] = {more < room[0] ? more : room[0], more < room[1] ? more : room[1]};
    fb_shape shape = cell->shape;
    double volume = fb_shape_belly_volume(&shape), ratio = shape.b / shape.a;
    shape.l2 *= 1 + (double)by[0] / (double)(cell->widest - cell->lower);
    shape.l3 *= 1 + (double)by[1] / (double)(cell->upper - cell->widest);
    shape.c1 = shape.l2 / form->cut;
    shape.c2 = shape.l3 / form->cut;
    fb_shape_from_belly(&shape, volume, ratio);
    cell->shape = shape;
    cell->lower -= by[0];
    cell->upper += by[1];
}

/* The width that all bundles have in a section if their bellies are of different lengths: as thick
 * as they are in the mean. So rows of one thickness lie on each other. */
static double *mean_widths(const fb_form *form, const fb_sections *s) {
    double *width = fb_alloc(s->n_heads * s->n * sizeof *width);
    for (size_t i = 0; width && i < s->n_heads * s->n; i++) {
        int head = (int)(i / s->n);
        size_t k = i % s->n;
        double sum = 0, n = 0;
        for (size_t c = 0; c < form->lattice.n; c++) {
            const fb_place_cell *cell = form->cells + c;
            if (cell->head[1] != head) {
                continue;
            }
            double z = (double)k - (double)cell->widest;
            double half = (double)(z < 0 ? cell->widest - cell->lower : cell->upper - cell->widest);
            double part = fb_lesser(fabs(z) / half, 1) * form->cut;
            sum += 1 - part * part;
            n++;
        }
        width[i] = sqrt(sum / n);
    }
    return width;
}

/* Where each bundle's belly lies, and its shape, along sections. */
static void shape_cells(fb_form *form, const fb_sections *s, double strength) {
    int low = form->lattice.low[1], high = low + form->lattice.size[1] - 1;
    for (size_t c = 0; c < form->lattice.n; c++) {
        fb_place_cell *cell = form->cells + c;
        const fb_section_head *head = s->heads + cell->head[1];
        size_t layers = head->upper - head->lower, own = layers, below = head->widest - head->lower;
        double length = head->below + head->above, lower = head->below, upper = head->above;
        if (form->fibre_part < 1) {
            own = (size_t)floor(form->fibre_part * (double)layers + 0.5);
            own = own < LEAST_LAYERS ? LEAST_LAYERS : own;
            own = own > layers ? layers : own;
        }
        if (own < layers) {
            below = own / 2;
            lower = length * (double)below / (double)layers;
            upper = length * (double)(own - below) / (double)layers;
        }
        /* fibres from an aponeurosis in the middle to one on either side: inner bellies lie lower
         */
        int row = cell->j >= 0 ? cell->j : -1 - cell->j, rows = cell->j >= 0 ? high : -1 - low;
        double along = rows > 0 ? (double)row / rows : 0.5;
        cell->shape = shape_of(form, lower, upper, strength);
        cell->first = head->first;
        cell->lower = head->lower + (size_t)floor(along * (double)(layers - own) + 0.5);
        cell->widest = cell->lower + below;
        cell->upper = cell->lower + own;
        cell->last = head->last;
        if (form->curve > 0) {
            lengthen(form, cell, head);
        }
    }
}

/* Room in a body for all bundles and rings, and its names. */
static const char *make_room(fb_body *body, const fb_form *form, const fb_placing *p) {
    fb_bundle *bundles = fb_realloc(body->bundles, p->n_cells * sizeof *bundles);
    body->bundles = bundles ? bundles : body->bundles;
    fb_ring *rings = fb_realloc(body->rings, fb_place_rings(p) * sizeof *rings);
    body->rings = rings ? rings : body->rings;
    bool ok = bundles && rings;
    if (ok && !body->name) {
        body->time = FB_NAN;
        body->name = fb_alloc_text(form->name);
        body->heads = fb_alloc(form->n_heads * sizeof *body->heads);
        ok = body->name && body->heads;
        for (size_t h = 0; ok && h < form->n_heads; h++) {
            body->heads[h] = fb_alloc_text(form->heads[h]);
            ok = body->heads[h];
            body->n_heads = h + 1;
        }
    }
    if (!ok) {
        fb_body_free(body);
        return "there is not enough memory for so many bundles";
    }
    return NULL;
}

static const char *place(fb_body *body, fb_form *form, const fb_sections *s, bool flush,
                         fb_scratch *scratch) {
    fb_placing p = {.n_cells = form->lattice.n,
                    .cells = form->cells,
                    .n_sections = s->n,
                    .base = s->base,
                    .n_heads = s->n_heads,
                    .frames = s->frames,
                    .width = s->width,
                    .area = s->area,
                    .bow = s->bow,
                    .upright = form->upright,
                    .flush = flush};
    const char *why = make_room(body, form, &p);
    double *width = NULL;
    if (!why && form->curve > 0 && !s->width) {
        p.width = width = mean_widths(form, s);
        why = width ? NULL : "there is not enough memory for its sections";
    }
    why = why ? why : fb_place_body(body, &p, scratch);
    fb_free(width);
    return why;
}

const char *fb_form_place(fb_body *body, fb_form *form, const fb_sections *sections,
                          double strength, fb_scratch *scratch) {
    shape_cells(form, sections, strength);
    return place(body, form, sections, true, scratch);
}

const char *fb_form_keep(fb_form *form, const fb_body *body) {
    fb_shape *rest = fb_realloc(form->rest, form->lattice.n * sizeof *rest);
    if (!rest) {
        return "there is not enough memory for so many bundles";
    }
    form->rest = rest;
    for (size_t c = 0; c < form->lattice.n; c++) {
        const fb_bundle *b = body->bundles + c;
        fb_shape *shape = form->rest + c;
        *shape = form->cells[c].shape;
        double k = (b->belly[1] - b->belly[0]) / (shape->l2 + shape->l3);
        *shape = fb_shape_stretched(shape, k);
        shape->l1 = b->belly[0];
        shape->l4 = b->length - b->belly[1];
    }
    return NULL;
}

const char *fb_form_place_kept(fb_body *body, fb_form *form, const fb_sections *sections,
                               double strength, double k, fb_scratch *scratch) {
    shape_cells(form, sections, strength);
    for (size_t c = 0; c < form->lattice.n; c++) {
        form->cells[c].shape = fb_shape_stretched(form->rest + c, k);
        if (!isnan(strength)) {
            form->cells[c].shape = fb_shape_strengthened(&form->cells[c].shape, strength);
        }
    }
    return place(body, form, sections, false, scratch);
}
