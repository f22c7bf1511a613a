#include "libcore/bundle/stored.h"

#include <math.h>
#include <string.h>

#include "libcore/base/arena.h"
#include "libcore/base/number.h"
#include "libcore/base/spatial.h"

#define SAME_POSE 1e-12       /* differences of unit vectors that are rounding */
#define LEAST_FIBER_PART 1e-3 /* of the belly; bundles have more layers the shorter it is */

static const char *const no_memory = "there is not enough memory for so many bundles";

/* ---- sense ----------------------------------------------------------------------------------- */

static const char *check_cores(const fb_stored *s) {
    double shares = 0, volumes = 0;
    for (int h = 0; h < s->n_cores; h++) {
        const fb_stored_core *core = s->cores + h;
        if (!(core->share >= 0 && core->volume_share > 0 && core->tendon[0] >= 0 &&
              core->tendon[1] >= 0 && core->widest > 0 && core->widest < 1)) {
            return "a share, a tendon or the widest place of a core is not possible";
        }
        bool found = !core->line;
        for (int i = 0; i < s->n_lines; i++) {
            found |= core->line && strcmp(core->line, s->lines[i]) == 0;
        }
        if (!found) {
            return "a core is of a line that is not among the muscle's";
        }
        if (!core->line && core->course.n_points < 2) {
            return "a core has neither a line nor points";
        }
        shares += core->share;
        volumes += core->volume_share;
    }
    return fabs(shares - 1) < 1e-6 && fabs(volumes - 1) < 1e-6
               ? NULL
               : "the shares of its cores are not 1 together";
}

const char *fb_stored_check(const fb_stored *s) {
    if (!(s->volume > 0 && s->volume < 1 && s->ratio > 0.01 && s->ratio < 100 && s->cut > 0.05 &&
          s->cut < 0.999 && s->fiber_part > LEAST_FIBER_PART && s->fiber_part <= 1 &&
          s->curve >= 0 && s->curve <= 1)) {
        return "its volume, ratio, cut, curve or part of fibers is not possible";
    }
    if (s->strength < 0 || s->strength > 1) { /* NaN: none */
        return "its strength is not possible";
    }
    if (!(s->belly_length > 0 && fabs(s->twist) < 100 && s->layers >= 2 && s->layers <= 4096)) {
        return "its belly_length, twist or number of layers is not possible";
    }
    if (!(fb_v3_norm(s->height_direction) > 0.5) ||
        (s->height_body && !(fb_v3_norm(s->height_in_body) > 0.5))) {
        return "its height has no direction";
    }
    if (s->n_cores < 1 || s->n_cells < FB_LATTICE_LEAST || s->n_cells > FB_LATTICE_MOST) {
        return "it has no cores, or fewer than 4 or more than a million cells";
    }
    for (size_t c = 0; c < s->n_cells; c++) {
        const int *cell = s->cells[c];
        if (cell[0] < -FB_LATTICE_MOST || cell[0] > FB_LATTICE_MOST || cell[1] < -FB_LATTICE_MOST ||
            cell[1] > FB_LATTICE_MOST || cell[2] < 0 || cell[2] >= s->n_cores) {
            return "a cell is far off, or of a core that it does not have";
        }
    }
    return check_cores(s);
}

/* ---- recipes --------------------------------------------------------------------------------- */

static bool own_courses(const fb_stored *stored) {
    bool own = false;
    for (int h = 0; h < stored->n_cores; h++) {
        own |= stored->cores[h].course.n_points > 0;
    }
    return own;
}

void fb_stored_spec(fb_spec *spec, const fb_stored *stored, int n) {
    spec->muscles = fb_arena_array(&spec->arena, (size_t)n, sizeof *spec->muscles);
    spec->n_muscles = n;
    for (int i = 0; i < n; i++) {
        const fb_stored *s = stored + i;
        fb_spec_muscle *m = spec->muscles + i;
        *m = (fb_spec_muscle){.name = s->muscle,
                              .lines = s->lines,
                              .n_lines = s->n_lines,
                              .volume = s->volume,
                              .specific_tension = FB_NAN,
                              .belly_length = FB_NAN,
                              .fiber_to_belly = FB_NAN,
                              .ratio = s->ratio,
                              .twist = s->twist_given ? s->twist : FB_NAN,
                              .bundles = (int)s->n_cells};
        fb_v3_copy(m->height_direction, s->height_direction);
        if (!own_courses(s)) {
            continue;
        }
        m->n_cores = s->n_cores;
        m->cores = fb_arena_array(&spec->arena, (size_t)s->n_cores, sizeof *m->cores);
        for (int h = 0; h < s->n_cores; h++) {
            m->cores[h] = (fb_spec_core){.name = s->cores[h].name,
                                         .line = s->cores[h].line,
                                         .course = s->cores[h].course,
                                         .share = s->cores[h].share,
                                         .belly_length = FB_NAN,
                                         .tendon = FB_NAN};
        }
    }
}

/* The recipe's core that a stored one is: in the same order if they have their own courses, else in
 * that of the lines. -1: none. */
static int core_of(const fb_recipe *recipe, const fb_stored *stored, int h) {
    int k = h;
    if (!own_courses(stored)) {
        k = 0;
        while (k < stored->n_lines && strcmp(stored->lines[k], stored->cores[h].line) != 0) {
            k++;
        }
    }
    return k < recipe->n_cores ? k : -1;
}

static int body_called(const fb_system *system, const char *name) {
    for (int i = 0; i < system->n_body; i++) {
        const fb_element *body = system->mobods[i].body;
        if (body && strcmp(body->name, name) == 0) {
            return i;
        }
    }
    return 0;
}

/* The recipe as it was made, where a spec does not reach. */
static void restore_recipe(fb_recipe *recipe, const fb_build *build, const fb_stored *stored,
                           const fb_state *state) {
    for (int h = 0; h < stored->n_cores; h++) {
        const fb_stored_core *from = stored->cores + h;
        fb_core *core = recipe->cores + build->core[h];
        core->share = from->share;
        core->volume_share = from->volume_share;
        core->belly[0] = from->tendon[0];
        core->belly[1] = fb_greater(core->length - from->tendon[1], from->tendon[0]);
        core->widest = core->belly[0] + from->widest * (core->belly[1] - core->belly[0]);
        core->tendon[0] = core->belly[0];
        core->tendon[1] = core->length - core->belly[1];
        core->rest = core->belly[1] - core->belly[0];
        core->stretch = 1;
    }
    recipe->belly_length = stored->belly_length;
    recipe->ratio = stored->ratio;
    recipe->twist = stored->twist;
    recipe->twist_given = stored->twist_given;
    fb_v3_copy(recipe->up, stored->height_direction);
    if (stored->height_body) {
        double up[3];
        recipe->up_body = body_called(state->system, stored->height_body);
        fb_v3_copy(recipe->up_rest, stored->height_in_body);
        fb_m3_mul_v3(up, state->pose[recipe->up_body].R, recipe->up_rest);
        if (fb_v3_distance(up, recipe->up) > SAME_POSE) { /* else the very numbers, unrounded */
            fb_v3_copy(recipe->up, up);
        }
    }
    fb_v3_cross(recipe->across, recipe->up, recipe->along);
    recipe->up_given = true;
}

/* ---- the form -------------------------------------------------------------------------------- */

static const char *make_lattice(fb_lattice *lattice, const fb_stored *s) {
    int high[2];
    for (int m = 0; m < 2; m++) {
        lattice->low[m] = high[m] = s->cells[0][m];
        for (size_t c = 0; c < s->n_cells; c++) {
            lattice->low[m] = s->cells[c][m] < lattice->low[m] ? s->cells[c][m] : lattice->low[m];
            high[m] = s->cells[c][m] > high[m] ? s->cells[c][m] : high[m];
        }
        lattice->size[m] = high[m] - lattice->low[m] + 1;
    }
    size_t places = (size_t)lattice->size[0] * (size_t)lattice->size[1];
    if (places > FB_LATTICE_PLACES) {
        return "its cells are too far from each other";
    }
    lattice->half_width = 0.5;
    lattice->cells = fb_alloc(s->n_cells * sizeof *lattice->cells);
    lattice->at = fb_alloc(places * sizeof *lattice->at);
    if (!lattice->cells || !lattice->at) {
        return no_memory;
    }
    memset(lattice->at, 0, places * sizeof *lattice->at);
    for (size_t c = 0; c < s->n_cells; c++) {
        int i = s->cells[c][0], j = s->cells[c][1];
        size_t *at = lattice->at + (size_t)(j - lattice->low[1]) * (size_t)lattice->size[0] +
                     (size_t)(i - lattice->low[0]);
        if (*at) {
            return "two of its bundles have one cell";
        }
        *at = c + 1;
        lattice->cells[c] = (fb_cell){i, j, (int)c + 1};
        lattice->n = c + 1;
    }
    return NULL;
}

/* Strips of neighbouring columns, and the cells in them with their cores' shares. */
static const char *make_strips(fb_form *form, const fb_stored *s) {
    int column = form->lattice.low[0];
    for (int h = 0; h < s->n_cores; h++) {
        int first = column, end = column;
        size_t own = 0;
        for (size_t c = 0; c < s->n_cells; c++) {
            if (s->cells[c][2] == h) {
                own++;
                end = s->cells[c][0] + 1 > end ? s->cells[c][0] + 1 : end;
                if (s->cells[c][0] < first) {
                    return "its cores do not follow each other from left to right";
                }
            }
        }
        if (own == 0) {
            return "a core of it has no cells";
        }
        form->strips[h] = (fb_strip){2 * first, 2 * end};
        for (size_t c = 0; c < s->n_cells; c++) {
            if (s->cells[c][2] == h) {
                form->cells[c].head[0] = form->cells[c].head[1] = h;
                form->cells[c].share = s->cores[h].share / (double)own;
            }
        }
        column = end;
    }
    return NULL;
}

static const char *make_form(fb_form *form, const fb_stored *s) {
    form->volume = s->volume;
    form->ratio = s->ratio;
    form->cut = s->cut;
    form->fibre_part = s->fiber_part;
    form->curve = s->curve;
    form->n_heads = (size_t)s->n_cores;
    form->name = fb_alloc_text(s->muscle);
    form->heads = fb_alloc(form->n_heads * sizeof *form->heads);
    form->strips = fb_alloc(form->n_heads * sizeof *form->strips);
    form->cells = fb_alloc(s->n_cells * sizeof *form->cells);
    bool ok = form->name && form->heads && form->strips && form->cells;
    for (int h = 0; h < s->n_cores && form->heads; h++) {
        form->heads[h] = fb_alloc_text(s->cores[h].name);
        ok = ok && form->heads[h];
    }
    if (!ok) {
        return no_memory;
    }
    const char *why = make_lattice(&form->lattice, s);
    if (!why) {
        fb_form_set_cells(form);
    }
    return why ? why : make_strips(form, s);
}

const char *fb_stored_build(fb_build *build, fb_recipe *recipe, const fb_stored *stored,
                            const fb_state *state) {
    memset(build, 0, sizeof *build);
    const char *why = recipe->refusal ? recipe->refusal : fb_stored_check(stored);
    if (why) {
        return why;
    }
    size_t heads = (size_t)stored->n_cores;
    build->recipe = recipe;
    build->options = fb_build_options_default();
    build->options.layers = stored->layers;
    build->options.cut = stored->cut;
    build->options.strength = stored->strength;
    build->options.twist = stored->twist;
    build->options.kept = stored->free_ends;
    build->core = fb_alloc(heads * sizeof *build->core);
    build->tendon = fb_alloc(heads * sizeof *build->tendon);
    build->widest = fb_alloc(heads * sizeof *build->widest);
    why = build->core && build->tendon && build->widest ? NULL : no_memory;
    for (int h = 0; h < stored->n_cores && !why; h++) {
        build->core[h] = core_of(recipe, stored, h);
        why = build->core[h] < 0 || recipe->n_cores != stored->n_cores
                  ? "its lines have other cores in the model"
                  : NULL;
        memcpy(build->tendon[h], stored->cores[h].tendon, sizeof build->tendon[h]);
        build->widest[h] = stored->cores[h].widest;
    }
    why = why ? why : make_form(&build->form, stored);
    if (why) {
        fb_build_free(build);
        return why;
    }
    restore_recipe(recipe, build, stored, state);
    build->belly = stored->belly_length;
    build->twist = stored->twist;
    build->law = stored->law;
    fb_v3_copy(build->up, recipe->up);
    return NULL;
}
