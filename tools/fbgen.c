/* fbgen: muscles made of bundles. */
#include "tools/fbgen.h"

#include <fnmatch.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "formats/bones.h"
#include "formats/bundle_spec.h"
#include "formats/mesh_write.h"
#include "formats/resources.h"
#include "libcore/base/number.h"
#include "libcore/bundle/patent.h"

#define RADIANS (3.14159265358979323846 / 180)
#define PER_CM2 1e4
#define PENETRATION 0.01 /* of half-heights: what is aimed at */
#define GAP 0.01
#define WORST_GAP 0.03
#define TILT (15 * RADIANS) /* of a ring from square to its axis */
#define RATIO 0.01          /* of a bundle's height over width, relative */
#define MOST_JOBS 256
#define MOST_RINGS 6e6 /* rings of all bundles together that are kept at once */

static const fb_option options[] = {
    {'m', "muscle", "GLOB", "only muscles of that name, or with such a line; several times"},
    {'n', "bundles", "N", "about N bundles a muscle; 400 unless given, or as the spec has it"},
    {0, "layers-per-bundle", "N", "layers of the whole belly, 24 unless given; N,M: --rule patent"},
    {0, "spec", "FILE", "what is known of muscles: volumes, bellies, heads, .. (JSON)"},
    {0, "measured", "FILE", "a person's own table: name, volume, area, belly_length"},
    {0, "specific-tension", "X", "N/cm^2, for volumes from forces; 60 unless given"},
    {0, "ratio", "R", "height over width of bundles at rest; 0.5 unless given"},
    {0, "cut", "X",
     "how much of its half-ellipsoids a belly uses; 0.9, or 0.93 if bellies are staggered"},
    {0, "junction-curve", "X",
     "outer bellies reach X of the belly further into the tendons, where fibres are not staggered; "
     "0"},
    {0, "packing", "HOW", "'bundles' (the muscle's volume is theirs) or 'envelope' (with gaps)"},
    {0, "no-groups", NULL, "every line is a muscle of its own"},
    {0, "set", "NAME=VALUE", "a coordinate's value, as fbsim; several times"},
    {0, "strength", "S", "0 to 1: bundles' height over width is 0.5 + 0.5 S"},
    {0, "straight", NULL, "along a straight core, to look at the muscle by itself"},
    {0, "stretch", "K", "with --straight: the belly is K times as long"},
    {0, "bend-x", "DEG", "with --straight: bent about the width's axis"},
    {0, "bend-y", "DEG", "with --straight: bent about the height's axis"},
    {0, "twist", "DEG", "turns the section along the core, instead of what the lines have"},
    {0, "ends", "HOW", "'flush': bundles end together; 'free': each keeps its length"},
    {0, "rule", "RULE", "'touch' (the default), or 'patent' to compare, along straight cores"},
    {0, "layers", "FILE", "write the rings of all bundles as JSON lines"},
    {0, "mesh", "FILE", "write surfaces: .obj, .ply or .stl"},
    {0, "mesh-of", "WHAT", "'muscles' (the default), 'bundles' or 'both'"},
    {0, "sides", "N", "of a bundle's mesh; 8 unless given"},
    {0, "table", "FILE", "write the figures with tabs between"},
    {0, "motion", "FILE", "compare moment arms in the poses of a table; several times"},
    {0, "no-arms", NULL, "leave out the moment arms of the bundles"},
    {0, "jobs", "N", "threads; as many as the machine has unless given"},
    {'g', "geometry", "DIR", "look for files in DIR too; may be given several times"},
    {0, "max-size", "MB", "refuse larger files; 256 unless given"},
    {0, NULL, NULL, NULL},
};

static const fb_tool tool = {
    .name = "fbgen",
    .summary =
        "Gives the muscles of a model bodies of bundles: about 400 each, of the volume that their\n"
        "force and fibres imply, which touch without sinking into each other. Prints how right\n"
        "they are; writes the model with its bundles, and their rings and surfaces.",
    .operands = "[MODEL]",
    .max_operands = 1,
    .options = options,
    .examples =
        "  osim2fb arm.osim | fbgen --spec arm.json --mesh arm.obj -o arm.fb\n"
        "  fbgen --muscle 'soleus*' --bundles 1000 --layers soleus.jsonl leg.osim -o leg.fb\n"
        "  fbgen --muscle BIC* --straight --bend-x 90 --layers bent.jsonl arm.osim -o arm.fb\n",
};

/* ---- the options ----------------------------------------------------------------------------- */

/* One of two words; false with a message for another. */
static bool choice(fb_cli *cli, const char *name, const char *first, const char *second,
                   bool *is_second) {
    const char *value = fb_cli_value(cli, name);
    *is_second = value && strcmp(value, second) == 0;
    if (value && !*is_second && strcmp(value, first) != 0) {
        fb_cli_say(cli, "--%s is '%s' or '%s', not '%s'", name, first, second, value);
        return false;
    }
    return true;
}

/* --layers-per-bundle N or N,M. */
static bool layers(fb_gen *gen) {
    const char *text = fb_cli_value(gen->cli, "layers-per-bundle");
    int n = 24, m = 0, end = 0;
    if (text && (sscanf(text, "%9d%n,%9d%n", &n, &end, &m, &end) < 1 || text[end] || n < 2 ||
                 n > 1024 || (m && (m < 2 || m > 1024)) || (!m && strchr(text, ',')))) {
        fb_cli_say(gen->cli,
                   "--layers-per-bundle is a number from 2 to 1024, or two with a comma; "
                   "got '%s'",
                   text);
        return false;
    }
    if (m && !gen->patent) {
        fb_cli_say(gen->cli, "bundles have different numbers of layers with --rule patent only");
        return false;
    }
    gen->build.layers = (size_t)n;
    gen->patent_layers[0] = (n + 1) / 2;
    gen->patent_layers[1] = ((m ? m : n) + 1) / 2;
    return true;
}

/* What is written beside the document, and where. */
static bool read_files(fb_gen *gen) {
    static const char *const files[] = {"layers", "mesh", "table", NULL};
    fb_cli *cli = gen->cli;
    const char *of = fb_cli_value(cli, "mesh-of"), *mesh = fb_cli_value(cli, "mesh");
    bool bundles = of && strcmp(of, "bundles") == 0, both = of && strcmp(of, "both") == 0;
    double sides;
    if (!fb_cli_number(cli, "sides", 3, 256, 8, &sides)) {
        return false;
    }
    if (of && !bundles && !both && strcmp(of, "muscles") != 0) {
        fb_cli_say(cli, "--mesh-of is 'muscles', 'bundles' or 'both', not '%s'", of);
        return false;
    }
    if (mesh && !fb_mesh_is_writable(mesh)) {
        fb_cli_say(cli, "--mesh is a file that ends in .obj, .ply or .stl, not '%s'", mesh);
        return false;
    }
    gen->mesh_muscles = mesh && !bundles;
    gen->mesh_bundles = mesh && (bundles || both);
    gen->mesh_sides = (int)sides;
    return fb_cli_separate(cli, files);
}

static bool read_options(fb_gen *gen, double *megabytes) {
    fb_cli *cli = gen->cli;
    fb_build_options *b = &gen->build;
    fb_recipe_options *r = &gen->recipe_options;
    double tension = r->specific_tension / PER_CM2, jobs, angle[3];
    double machine = fb_lesser((double)sysconf(_SC_NPROCESSORS_ONLN), MOST_JOBS);
    bool envelope;
    *b = fb_build_options_default();
    bool ok = choice(cli, "rule", "touch", "patent", &gen->patent) && layers(gen) &&
              fb_cli_number(cli, "bundles", FB_LATTICE_LEAST, FB_LATTICE_MOST, 0, &b->bundles) &&
              fb_cli_number(cli, "specific-tension", 1, 1000, tension, &tension) &&
              fb_cli_number(cli, "ratio", 0.05, 20, r->ratio, &r->ratio) &&
              fb_cli_number(cli, "cut", 0.1, 0.99, 0, &b->cut) &&
              fb_cli_number(cli, "junction-curve", 0, 1, 0, &b->curve) &&
              fb_cli_number(cli, "strength", 0, 1, FB_NAN, &b->strength) &&
              fb_cli_number(cli, "stretch", 0.3, 3, 1, &b->stretch) &&
              fb_cli_number(cli, "bend-x", -180, 180, 0, angle) &&
              fb_cli_number(cli, "bend-y", -180, 180, 0, angle + 1) &&
              fb_cli_number(cli, "twist", -360, 360, FB_NAN, angle + 2) &&
              fb_cli_number(cli, "jobs", 1, MOST_JOBS, machine, &jobs) &&
              fb_cli_number(cli, "max-size", 0, 2000, 256, megabytes) &&
              choice(cli, "packing", "bundles", "envelope", &envelope) &&
              choice(cli, "ends", "flush", "free", &b->kept) && read_files(gen);
    if (!ok) {
        return false;
    }
    r->specific_tension = tension * PER_CM2;
    r->group = !fb_cli_value(cli, "no-groups");
    b->packing = envelope ? FB_PACK_ENVELOPE : FB_PACK_BUNDLES;
    b->bend[0] = angle[0] * RADIANS;
    b->bend[1] = angle[1] * RADIANS;
    b->twist = angle[2] * RADIANS;
    b->straight = fb_cli_value(cli, "straight") || gen->patent;
    if (b->straight && isnan(b->twist)) {
        b->twist = 0;
    }
    gen->jobs = (int)jobs;
    static const char *const straight[] = {"stretch", "bend-x", "bend-y"};
    for (int i = 0; i < 3; i++) {
        if (fb_cli_value(cli, straight[i]) && !b->straight) {
            fb_cli_say(cli,
                       "--%s is for --straight: along its path a muscle is as long and as bent "
                       "as the pose makes it (--set)",
                       straight[i]);
            return false;
        }
    }
    return true;
}

/* ---- bodies ---------------------------------------------------------------------------------- */

static const char no_memory[] = "there is not enough memory";

static const char *place_patent(fb_gen *gen, fb_gen_muscle *m) {
    fb_build *build = &m->build;
    double belly = build->belly * gen->build.stretch, tendon[2], widest;
    fb_build_mean(build, tendon, &widest);
    fb_shape shape = {.l1 = tendon[0],
                      .l2 = widest * belly,
                      .l3 = (1 - widest) * belly,
                      .l4 = tendon[1]};
    shape.c1 = shape.l2 / build->form.cut;
    shape.c2 = shape.l3 / build->form.cut;
    double ratio = isnan(gen->build.strength) ? build->form.ratio : 0.5 + 0.5 * gen->build.strength;
    fb_shape_from_belly(&shape, build->form.volume / (double)build->form.lattice.n, ratio);
    fb_patent_options o = {.layers = {gen->patent_layers[0], gen->patent_layers[1]}};
    const char *why = fb_patent_place(&m->body, &build->form.lattice, &shape, 1, &o);
    if (!why && !m->body.name) {
        m->body.name = fb_alloc_text(m->recipe->name);
        why = m->body.name ? NULL : no_memory;
    }
    return why;
}

/* How far the mean lines of the heads' bundles lie from their cores; false without memory. */
static bool measure_line(fb_gen_muscle *m) {
    double *shares = fb_alloc(m->body.n_bundles * sizeof *shares);
    int *core = fb_alloc(m->body.n_bundles * sizeof *core);
    bool ok = shares && core;
    for (size_t i = 0; ok && i < m->body.n_bundles; i++) {
        shares[i] = m->body.bundles[i].share;
        core[i] = m->build.core[m->body.bundles[i].head[0]];
    }
    for (int k = 0; ok && k < m->recipe->n_cores; k++) {
        fb_line_distance one = fb_body_mean_line(&m->body, m->recipe, shares, core, k, 0);
        m->line.mean += m->recipe->cores[k].share * one.mean;
        m->line.greatest = fb_greater(m->line.greatest, one.greatest);
    }
    fb_free(core);
    fb_free(shares);
    return ok;
}

/* One muscle from its recipe to its figures. */
static void make_muscle(fb_gen *gen, fb_gen_muscle *m, fb_scratch *scratch) {
    m->refusal = fb_build_make(&m->build, m->recipe, &gen->build);
    if (m->refusal) {
        return;
    }
    m->refusal = gen->patent ? place_patent(gen, m)
                             : fb_build_place(&m->build, m->recipe, &m->body, scratch);
    if (m->refusal) {
        fb_body_free(&m->body);
        return;
    }
    m->belly = m->recipe->belly_length * gen->build.stretch;
    fb_form_size(&m->build.form, m->belly, gen->build.strength, NULL, &m->width, &m->height);
    if (fb_body_measure(&m->measures, &m->body, 0, -1) != FB_OK) {
        m->refusal = "there is not enough memory to measure it";
        return;
    }
    m->length[0] = m->length[1] = m->body.bundles[0].length;
    for (size_t i = 1; i < m->body.n_bundles; i++) {
        m->length[0] = fb_lesser(m->length[0], m->body.bundles[i].length);
        m->length[1] = fb_greater(m->length[1], m->body.bundles[i].length);
    }
    if (!gen->build.straight && !measure_line(m)) {
        m->refusal = no_memory;
        return;
    }
    fb_envelope_options o = {0};
    if (gen->mesh_muscles && fb_body_envelope(&m->envelope, &m->body, &o) != FB_OK) {
        m->refusal = "its surface could not be made";
    }
}

typedef struct worker {
    fb_gen *gen;
    int *next;
    pthread_mutex_t *lock;
} worker;

static void *work(void *context) {
    worker *w = context;
    fb_scratch scratch = {0};
    for (;;) {
        pthread_mutex_lock(w->lock);
        int i = (*w->next)++;
        pthread_mutex_unlock(w->lock);
        if (i >= w->gen->n_muscles) {
            break;
        }
        make_muscle(w->gen, w->gen->muscles + i, &scratch);
    }
    fb_scratch_clear(&scratch);
    return NULL;
}

static void make_all(fb_gen *gen) {
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_t threads[MOST_JOBS];
    int next = 0, started = 0;
    worker w = {gen, &next, &lock};
    while (started < gen->jobs - 1 && started < gen->n_muscles - 1 &&
           pthread_create(&threads[started], NULL, work, &w) == 0) {
        started++;
    }
    work(&w);
    while (started > 0) {
        pthread_join(threads[--started], NULL);
    }
}

/* ---- which muscles --------------------------------------------------------------------------- */

const char *fb_gen_line_name(const fb_gen *gen, int line) {
    return fb_model_items(gen->s->system->model, "muscles")->items[line]->name;
}

static bool matches(const fb_gen *gen, const fb_recipe *recipe, const char *glob) {
    bool found = fnmatch(glob, recipe->name, 0) == 0 ||
                 (recipe->anatomy && fnmatch(glob, recipe->anatomy, 0) == 0);
    for (int i = 0; i < recipe->n_lines && !found; i++) {
        found = fnmatch(glob, fb_gen_line_name(gen, recipe->lines[i]), 0) == 0;
    }
    return found;
}

/* Picks the muscles of --muscle, or all. */
static int choose(fb_gen *gen) {
    const char *glob;
    gen->muscles = fb_arena_array(&gen->arena, (size_t)gen->recipes->n, sizeof *gen->muscles);
    for (int i = 0; (glob = fb_cli_values(gen->cli, "muscle", i)); i++) {
        bool any = false;
        for (int k = 0; k < gen->recipes->n; k++) {
            any = any || matches(gen, gen->recipes->recipes + k, glob);
        }
        if (!any) {
            fb_cli_say(gen->cli, "no muscle is called '%s', and none has a line of that name",
                       glob);
            return FB_EXIT_USAGE;
        }
    }
    double rings = 0;
    for (int k = 0; k < gen->recipes->n; k++) {
        const fb_recipe *recipe = gen->recipes->recipes + k;
        bool wanted = !fb_cli_value(gen->cli, "muscle");
        for (int i = 0; (glob = fb_cli_values(gen->cli, "muscle", i)); i++) {
            wanted = wanted || matches(gen, recipe, glob);
        }
        if (wanted) {
            gen->muscles[gen->n_muscles++].recipe = recipe;
            double n = gen->build.bundles > 0 ? gen->build.bundles
                       : recipe->bundles > 0  ? recipe->bundles
                                              : FB_LATTICE_DEFAULT;
            rings += n * (double)(gen->build.layers + 8);
        }
    }
    if (rings > MOST_RINGS) {
        fb_cli_say(gen->cli,
                   "%.0f million rings are more than the %.0f million that are kept in "
                   "memory at once: take fewer bundles, layers or muscles",
                   rings / 1e6, MOST_RINGS / 1e6);
        return FB_EXIT_USAGE;
    }
    return FB_EXIT_OK;
}

/* ---- messages -------------------------------------------------------------------------------- */

/* Tells which aims of the default rule the muscle misses. */
static void tell_misses(const fb_gen *gen, const fb_gen_muscle *m) {
    const fb_body_measures *f = &m->measures;
    const char *name = m->recipe->name;
    if (f->penetration > PENETRATION || f->gap > GAP || f->worst_gap > WORST_GAP) {
        fb_cli_say(gen->cli,
                   "%s: penetration %.2f %%, mean gap %.2f %%, worst gap %.2f %% of the "
                   "half-height, beyond %g, %g and %g %%",
                   name, 100 * f->penetration, 100 * f->gap, 100 * f->worst_gap, 100 * PENETRATION,
                   100 * GAP, 100 * WORST_GAP);
    }
    if (f->between_heads > PENETRATION) {
        fb_cli_say(gen->cli, "%s: its heads sink into each other by %.1f %% of the half-height",
                   name, 100 * f->between_heads);
    }
    if (f->tilt > TILT) {
        fb_cli_say(gen->cli,
                   "%s: rings lean by up to %.1f degrees from square to their axis, "
                   "beyond %g",
                   name, f->tilt / RADIANS, TILT / RADIANS);
    }
    if (f->ratio_error > RATIO) {
        fb_cli_say(gen->cli, "%s: bundles' height over width is off by up to %.1f %%, beyond %g %%",
                   name, 100 * f->ratio_error, 100 * RATIO);
    }
}

/* Tells what was refused and what misses its aim; returns the exit status. */
static int tell(const fb_gen *gen) {
    int refused = 0;
    for (int i = 0; i < gen->n_muscles; i++) {
        const fb_gen_muscle *m = gen->muscles + i;
        if (m->refusal) {
            fb_cli_say(gen->cli, "%s has no bundles: %s", m->recipe->name, m->refusal);
            refused++;
            continue;
        }
        for (int k = 0; k < m->recipe->n_notes && gen->cli->verbose; k++) {
            fb_cli_say(gen->cli, "%s: %s", m->recipe->name, m->recipe->notes[k]);
        }
        if (!gen->patent && !gen->cli->quiet) {
            tell_misses(gen, m);
        }
        if (m->recipe->n_lines == 0 && !gen->cli->quiet) {
            fb_cli_say(gen->cli,
                       "%s is no line of the model: its bundles are not in the document, but in "
                       "--layers, --mesh and --table",
                       m->recipe->name);
        }
        if (m->build.ease && !gen->cli->quiet) {
            static const char *const cores[] = {"", "a core with rounder corners", "a parabola",
                                                "a straight core"};
            fb_cli_say(gen->cli,
                       "%s is laid along %s: along its path it is too thick to bend so; the "
                       "mean line of its bundles is %.1f mm from the path",
                       m->recipe->name, cores[m->build.ease], 1e3 * m->line.mean);
        }
        if (m->width > m->belly / 2 * (1 + 1e-6) && !gen->cli->quiet) {
            fb_cli_say(gen->cli, "%s is wider (%.0f mm) than half its belly length (%.0f mm)",
                       m->recipe->name, 1e3 * m->width, 1e3 * m->belly);
        }
    }
    if (refused && refused == gen->n_muscles) {
        return FB_EXIT_NO;
    }
    return refused && gen->cli->strict ? FB_EXIT_UNSUPPORTED : FB_EXIT_OK;
}

/* ---- the tool -------------------------------------------------------------------------------- */

/* Reads a whole file for one of the readers of bundle_spec.h. */
static fb_status read_file(fb_gen *gen, const char *file, size_t max_bytes, fb_spec *spec,
                           fb_measured *measured) {
    char *bytes = NULL;
    size_t size = 0;
    fb_status status = fb_read_file(file, max_bytes, &bytes, &size, &gen->cli->diag);
    if (status == FB_OK) {
        status = spec ? fb_bundle_spec_read(spec, bytes, size, file, &gen->cli->diag)
                      : fb_bundle_table_read(measured, bytes, size, file, &gen->cli->diag);
    }
    fb_free(bytes);
    return status;
}

/* Puts the model into the pose of --set. */
static fb_status pose(fb_gen *gen, fb_states *states) {
    states->cli = gen->cli;
    states->s = gen->s;
    fb_status status = fb_states_find(states, gen->s, &gen->arena);
    if (status == FB_OK) {
        fb_states_set(states, 0, 0);
        fb_simulation_move(gen->s);
    }
    return status;
}

static int generate(fb_gen *gen, fb_model *model, fb_states *states) {
    fb_status status = pose(gen, states);
    gen->recipe_options.links = gen->s->course.links;
    if (status == FB_OK) {
        status = fb_recipes_make(&gen->recipes, gen->s->paths, gen->s->state, &gen->recipe_options,
                                 &gen->cli->diag);
    }
    if (status != FB_OK) {
        return fb_exit_of(status);
    }
    if (gen->recipes->n == 0) {
        fb_cli_say(gen->cli, "the model has no muscles");
        return FB_EXIT_NO;
    }
    int code = choose(gen);
    if (code != FB_EXIT_OK) {
        return code;
    }
    make_all(gen);
    if (!gen->build.straight && !fb_cli_value(gen->cli, "no-arms")) {
        status = fb_gen_arms(gen);
        status = status == FB_OK ? pose(gen, states) : status;
        if (status != FB_OK) {
            return fb_exit_of(status);
        }
    }
    code = tell(gen);
    if (!gen->cli->quiet) {
        fb_text page = {0};
        fb_gen_print(gen, &page);
        if (page.n > 0) {
            fwrite(page.bytes, 1, page.n, gen->cli->err);
        }
        fb_text_free(&page);
    }
    int written = fb_gen_write_files(gen);
    gen->unwritten = written != FB_EXIT_OK;
    if (fb_gen_add_bundles(gen, model) != FB_OK) {
        return fb_exit_of(FB_E_MEMORY);
    }
    return written != FB_EXIT_OK ? written : code;
}

#define MOST_MOTIONS 16

/* Reads the tables of --motion. Returns an exit status. */
static int read_motions(fb_gen *gen, fb_states *tables, size_t max_bytes) {
    const char *file;
    gen->motions = tables;
    while ((file = fb_cli_values(gen->cli, "motion", gen->n_motions))) {
        if (gen->n_motions == MOST_MOTIONS) {
            fb_cli_say(gen->cli, "at most %d tables of poses can be given", MOST_MOTIONS);
            return FB_EXIT_USAGE;
        }
        int code = fb_states_read_file(tables + gen->n_motions, gen->cli, file, max_bytes);
        if (code != FB_EXIT_OK) {
            return code;
        }
        gen->n_motions++;
    }
    return FB_EXIT_OK;
}

/* Writes the model with its bundles. */
static int write_model(fb_gen *gen, fb_model *model, const char *input, const char *sha) {
    fb_output output;
    fb_cli_add_step(gen->cli, model, input, sha);
    fb_status status = fb_cli_open(gen->cli, gen->cli->output, &output);
    if (status == FB_OK) {
        fb_document_write(model, &output.text);
    }
    return fb_exit_of(status == FB_OK ? fb_cli_close(gen->cli, gen->cli->output, &output, true)
                                      : status);
}

/* The meshes of the bodies, from which height points away; one message for those that lack. */
static fb_status read_bones(fb_gen *gen, fb_bones *bones, const char *const *folders, int n,
                            size_t max_bytes) {
    fb_diag said;
    fb_diag_init(&said);
    fb_status status = fb_bones_read(bones, gen->s->system, folders, n, max_bytes, &said);
    int lacking = bones->n_missing + (int)said.counts[FB_WARNING];
    if (lacking > 0 && status == FB_OK && !gen->cli->quiet) {
        fb_cli_say(
            gen->cli,
            "note: %d of the model's meshes are not found or not read, so that %s tell where "
            "bones are",
            lacking, bones->n > 0 ? "the others" : "lines between joints");
    }
    gen->recipe_options.bone = bones->n > 0 ? fb_bones_nearest : NULL;
    gen->recipe_options.bone_context = bones;
    fb_diag_clear(&said);
    return status;
}

static int run(fb_cli *cli) {
    fb_gen gen = {.cli = cli, .recipe_options = fb_recipe_options_default()};
    const char *mesh = fb_cli_value(cli, "mesh");
    double megabytes;
    if (!read_options(&gen, &megabytes)) {
        return FB_EXIT_USAGE;
    }
    if (mesh && !fb_mesh_is_writable(mesh)) {
        fb_cli_say(cli, "meshes are written as .obj, .ply or .stl, not as '%s'", mesh);
        return FB_EXIT_UNSUPPORTED;
    }
    size_t max_bytes = (size_t)(megabytes * 1024 * 1024);
    const char *folders[64], *input = cli->n_operands ? cli->operands[0] : "-";
    int n_folders = 0;
    while (n_folders < 64 && (folders[n_folders] = fb_cli_values(cli, "geometry", n_folders))) {
        n_folders++;
    }
    char sha[65];
    fb_model *model = NULL;
    fb_spec spec = {0};
    fb_measured measured = {0};
    fb_states states = {0}, motions[MOST_MOTIONS] = {{0}};
    fb_file_resources files = {0};
    fb_bones bones = {0};
    fb_status status = fb_cli_read_model(cli, input, max_bytes, &model, sha);
    const char *spec_file = fb_cli_value(cli, "spec"), *table = fb_cli_value(cli, "measured");
    if (status == FB_OK && spec_file) {
        status = read_file(&gen, spec_file, max_bytes, &spec, NULL);
        gen.recipe_options.spec = &spec;
        status = status == FB_OK ? fb_bundle_spec_meshes(&spec, max_bytes, &cli->diag) : status;
    }
    if (status == FB_OK && table) {
        status = read_file(&gen, table, max_bytes, NULL, &measured);
        gen.recipe_options.measured = &measured;
    }
    if (status == FB_OK) {
        fb_file_resources_init(&files, model, folders, n_folders, max_bytes);
        status = fb_simulation_new_from(&gen.s, model, false, &files.resources, &cli->diag);
    }
    if (status == FB_OK) {
        status = read_bones(&gen, &bones, folders, n_folders, max_bytes);
    }
    int code = fb_exit_of(status);
    code = code == FB_EXIT_OK ? read_motions(&gen, motions, max_bytes) : code;
    jmp_buf oom;
    if (code == FB_EXIT_OK) {
        if (!fb_fbsim_set(cli, gen.s, input, true, states.held, &states.n_held)) {
            code = FB_EXIT_USAGE;
        } else if (setjmp(oom)) {
            code = fb_exit_of(FB_E_MEMORY);
        } else {
            gen.arena.oom = &oom;
            model->arena.oom = &oom;
            code = generate(&gen, model, &states);
            if (!gen.unwritten && (code == FB_EXIT_OK || code == FB_EXIT_UNSUPPORTED)) {
                int written = write_model(&gen, model, input, sha);
                code = written != FB_EXIT_OK ? written : code;
            }
        }
        model->arena.oom = NULL;
    }
    for (int i = 0; i < gen.n_muscles; i++) {
        fb_build_free(&gen.muscles[i].build);
        fb_body_free(&gen.muscles[i].body);
        fb_mesh_clear(&gen.muscles[i].envelope.mesh);
    }
    fb_recipes_free(gen.recipes);
    fb_states_free(&states);
    for (int i = 0; i < gen.n_motions; i++) {
        fb_states_free(motions + i);
    }
    fb_bones_free(&bones);
    fb_simulation_free(gen.s);
    fb_file_resources_clear(&files);
    fb_bundle_spec_free(&spec);
    fb_bundle_table_free(&measured);
    fb_arena_clear(&gen.arena);
    code = fb_cli_report(cli, model, code);
    fb_model_free(model);
    return code;
}

int fb_fbgen_main(int argc, char **argv, FILE *in, FILE *out, FILE *err) {
    fb_cli cli;
    int status = fb_cli_begin(&cli, &tool, argc, argv, in, out, err);
    return fb_cli_end(&cli, status >= 0 ? status : run(&cli));
}
