/* How much a muscle is and how long its belly: volumes, shares, bellies, tendons, widths. */
#include <math.h>
#include <string.h>

#include "libcore/base/number.h"
#include "libcore/bundle/recipe_internal.h"

#define PI 3.14159265358979323846
#define CUT 0.9 /* of a half-ellipsoid, at which it is cut */
/* The mean section of such a belly, of the widest: that of 1 - z^2/c^2 up to the cut. */
#define MEAN_SECTION (1 - CUT * CUT / 3)
#define LEAST_VOLUME 1e-9 /* m^3 */
#define MOST_VOLUME 0.02
#define LONGEST 0.99  /* of the path, to which a belly is lengthened */
#define CLIP 0.95     /* of the path, which a belly that is not given may take */
#define PROXIMAL 0.15 /* of the tendon, between origin and belly, where nothing is known */
#define BEYOND_FIBERS \
    1.1             /* a belly of which nothing is known is so much longer than its fibres \
                     */
#define PENNATE 0.9 /* fibres shorter than that of the belly are staggered */
#define FOLD (120 * PI / 180)

double fb_recipe_width(double volume, double belly_length, double ratio, double packing) {
    double area = volume / (belly_length * MEAN_SECTION * packing);
    return sqrt(4 * area / (PI * ratio));
}

/* ---- volumes and shares ---------------------------------------------------------------------- */

static double tension_of(const fb_recipe_maker *maker, const fb_recipe *recipe) {
    const fb_recipe_options *options = maker->options;
    if (recipe->spec && isfinite(recipe->spec->specific_tension)) {
        return recipe->spec->specific_tension;
    }
    const fb_anatomy *anatomy = recipe->n_lines > 0 ? maker->lines[recipe->lines[0]].name.anatomy
                                                    : NULL;
    bool arm = anatomy && anatomy->limb == FB_LIMB_ARM;
    return arm && isfinite(options->specific_tension_arm) ? options->specific_tension_arm
                                                          : options->specific_tension;
}

/* Volume of a core from its line's own parameters, NaN if they make none. */
static double own_volume(const fb_core *core, double tension) {
    double volume = core->max_force / tension * core->optimal_length;
    return volume > 0 && isfinite(volume) ? volume : FB_NAN;
}

/* What the lines make where cores of one's own do not: volume, and the means of fibre length and
 * pennation weighted with it. */
static void from_lines(const fb_recipe_maker *maker, fb_recipe *recipe) {
    double volume = 0, fibers = 0, pennation = 0;
    for (int i = 0; i < recipe->n_lines; i++) {
        const fb_core *core = &maker->lines[recipe->lines[i]].core;
        double own = own_volume(core, recipe->specific_tension);
        volume += own;
        fibers += own * core->optimal_length;
        pennation += own * core->pennation;
    }
    if (volume > 0) {
        recipe->volume = volume;
        recipe->fiber_length = fibers / volume;
        recipe->pennation = pennation / volume;
    }
}

/* The person's row for the muscle, or for one line of it. */
static const fb_measured_muscle *measured_for(const fb_recipe_maker *maker, const fb_recipe *recipe,
                                              const char *line) {
    const fb_measured *measured = maker->options->measured;
    for (int i = 0; measured && i < measured->n_muscles; i++) {
        const char *name = measured->muscles[i].name;
        if (line ? strcmp(line, name) == 0 : fb_recipe_is_called(recipe, name)) {
            return &measured->muscles[i];
        }
    }
    return NULL;
}

static double measured_volume(const fb_measured_muscle *row, double fiber_length) {
    if (!row) {
        return FB_NAN;
    }
    return isfinite(row->volume) ? row->volume : row->area * fiber_length;
}

/* Each core's volume, in volume_share; their sum. */
static double core_volumes(const fb_recipe_maker *maker, fb_recipe *recipe) {
    double sum = 0;
    recipe->volume_from = FB_FROM_MODEL;
    for (int i = 0; i < recipe->n_cores; i++) {
        fb_core *core = &recipe->cores[i];
        const fb_measured_muscle *row = core->muscle < 0 ? NULL
                                                         : measured_for(maker, recipe, core->name);
        double measured = recipe->n_lines > 1 ? measured_volume(row, core->optimal_length) : FB_NAN;
        core->volume_share = own_volume(core, recipe->specific_tension);
        if (measured > 0) {
            core->volume_share = measured;
            recipe->volume_from = FB_FROM_MEASURED;
        }
        sum += core->volume_share;
    }
    return sum;
}

/* Shares that are given; the other cores part what is left of 1 in proportion to their forces. */
static void choose_shares(const fb_recipe_maker *maker, fb_recipe *recipe) {
    double given = 0, force = 0, others = 0;
    for (int i = 0; i < recipe->n_cores; i++) {
        const fb_core *core = &recipe->cores[i];
        bool is_given = isfinite(core->share);
        given += is_given ? core->share : 0;
        others += !is_given;
        force += is_given ? 0 : core->max_force;
    }
    double left = given < 1 ? 1 - given : 0;
    if (others > 0 && left <= 0) {
        fb_recipe_note(maker, recipe, "the shares that are given leave nothing for other cores");
    }
    double scale = others > 0 ? given + left : given;
    for (int i = 0; i < recipe->n_cores; i++) {
        fb_core *core = &recipe->cores[i];
        if (!isfinite(core->share)) {
            core->share = left * (force > 0 ? core->max_force / force : 1 / others);
        }
        core->share /= scale;
    }
}

/* Volumes in proportion to shares of force and fibre lengths, where they do not have their own. */
static void choose_volume_shares(fb_recipe *recipe, double sum, bool shares_given) {
    bool own = isfinite(sum) && sum > 0 && !shares_given;
    double total = 0;
    for (int i = 0; i < recipe->n_cores; i++) {
        fb_core *core = &recipe->cores[i];
        if (!own) {
            core->volume_share = core->share *
                                 (core->optimal_length > 0 ? core->optimal_length : 1);
        }
        total += core->volume_share;
    }
    for (int i = 0; i < recipe->n_cores; i++) {
        recipe->cores[i].volume_share /= total;
    }
}

static double weighted(const fb_recipe *recipe, size_t offset) {
    double sum = 0;
    for (int i = 0; i < recipe->n_cores; i++) {
        const fb_core *core = &recipe->cores[i];
        double value;
        memcpy(&value, (const char *)core + offset, sizeof value);
        sum += core->volume_share * value;
    }
    return sum;
}

void fb_recipe_choose_volume(const fb_recipe_maker *maker, fb_recipe *recipe) {
    const fb_spec_muscle *spec = recipe->spec;
    recipe->specific_tension = tension_of(maker, recipe);
    bool shares_given = false;
    for (int i = 0; i < recipe->n_cores; i++) {
        shares_given |= isfinite(recipe->cores[i].share);
    }
    double sum = core_volumes(maker, recipe);
    choose_shares(maker, recipe);
    recipe->volume = sum;
    choose_volume_shares(recipe, sum, shares_given);
    recipe->fiber_length = weighted(recipe, offsetof(fb_core, optimal_length));
    recipe->pennation = weighted(recipe, offsetof(fb_core, pennation));
    if (!isfinite(sum) || !isfinite(recipe->fiber_length)) {
        from_lines(maker, recipe);
    }
    double measured = measured_volume(measured_for(maker, recipe, NULL), recipe->fiber_length);
    if (spec && isfinite(spec->volume)) {
        recipe->volume = spec->volume;
        recipe->volume_from = FB_FROM_SPEC;
    } else if (measured > 0) {
        recipe->volume = measured;
        recipe->volume_from = FB_FROM_MEASURED;
    } else if (recipe->profile) {
        recipe->volume = recipe->profile->volume;
        recipe->volume_from = FB_FROM_MESH;
    }
    if (recipe->volume >= LEAST_VOLUME && recipe->volume <= MOST_VOLUME) {
        return;
    }
    if (recipe->volume > 0) {
        recipe->refusal = fb_arena_printf(maker->arena,
                                          "its volume of %.3g cm3 is that of no muscle",
                                          recipe->volume * 1e6);
        return;
    }
    for (int i = 0; i < recipe->n_cores; i++) {
        const fb_core *core = &recipe->cores[i];
        if (!(core->max_force > 0)) {
            recipe->refusal = "it has no force, and no volume is given";
        } else if (!(core->optimal_length > 0)) {
            recipe->refusal = "its fibres have no length, and no volume is given";
        }
    }
    recipe->refusal = recipe->refusal ? recipe->refusal : "it has no volume";
}

/* ---- bellies --------------------------------------------------------------------------------- */

static const fb_anatomy *anatomy_of(const fb_recipe_maker *maker, const fb_recipe *recipe,
                                    const fb_core *core) {
    int line = core->muscle >= 0 ? core->muscle : recipe->n_lines > 0 ? recipe->lines[0] : -1;
    return line < 0 ? NULL : maker->lines[line].name.anatomy;
}

/* What a person says; NaN: nothing. */
static double given_belly(const fb_recipe_maker *maker, const fb_recipe *recipe, fb_core *core) {
    const fb_spec_muscle *spec = recipe->spec;
    core->belly_from = FB_FROM_SPEC;
    if (isfinite(core->belly[1])) { /* of a head in the spec */
        return core->belly[1];
    }
    if (spec && isfinite(spec->belly_length)) {
        return spec->belly_length;
    }
    core->belly_from = FB_FROM_MEASURED;
    const fb_measured_muscle *row = measured_for(maker, recipe, core->name);
    if (!row || !isfinite(row->belly_length)) {
        row = measured_for(maker, recipe, NULL);
    }
    if (row && isfinite(row->belly_length)) {
        return row->belly_length;
    }
    core->belly_from = FB_FROM_SPEC;
    double fibers = core->optimal_length > 0 ? core->optimal_length : recipe->fiber_length;
    return spec ? fibers / spec->fiber_to_belly : FB_NAN;
}

/* From the table: fibres over their ratio to the belly, but no longer than measured bellies unless
 * the model's fibres are; else a fraction of the path. */
static double likely_belly(const fb_recipe_maker *maker, const fb_recipe *recipe, fb_core *core) {
    const fb_anatomy *anatomy = anatomy_of(maker, recipe, core);
    double fibers = core->optimal_length > 0 ? core->optimal_length : recipe->fiber_length;
    if (anatomy && anatomy->ratio > 0 && fibers > 0) {
        double belly = fibers / anatomy->ratio;
        core->belly_from = FB_FROM_TABLE;
        core->belly_source = anatomy->source;
        return anatomy->length > fibers ? fb_lesser(belly, anatomy->length) : belly;
    }
    double belly = maker->options->belly_fraction * core->length;
    core->belly_from = FB_FROM_FRACTION;
    return fibers > 0 ? fb_greater(belly, BEYOND_FIBERS * fibers) : belly;
}

static void place_belly(const fb_recipe_maker *maker, const fb_recipe *recipe, fb_core *core,
                        double belly, double tendon) {
    const fb_anatomy *anatomy = anatomy_of(maker, recipe, core);
    double rest = core->length - belly;
    if (!isfinite(tendon)) {
        tendon = rest * (anatomy ? anatomy->proximal : PROXIMAL);
    }
    core->belly[0] = fb_lesser(tendon, rest);
    core->belly[1] = core->belly[0] + belly;
    core->widest = core->belly[0] + belly / 2;
}

static void choose_belly(const fb_recipe_maker *maker, fb_recipe *recipe, fb_core *core) {
    if (recipe->profile) { /* all of it is within the surface */
        core->belly_from = FB_FROM_MESH;
        core->belly[0] = 0;
        core->belly[1] = core->length;
        core->widest = core->length * (recipe->profile->widest + 0.5) / FB_PROFILE_SECTIONS;
        return;
    }
    double tendon = core->belly[0], belly = given_belly(maker, recipe, core), most = 1;
    bool given = isfinite(belly);
    if (!given) {
        belly = likely_belly(maker, recipe, core);
        const fb_anatomy *anatomy = anatomy_of(maker, recipe, core);
        most = anatomy ? anatomy->most : CLIP;
    }
    if (belly > most * core->length) {
        if (given) {
            fb_recipe_note(maker, recipe,
                           "%s: a belly of %.0f mm is longer than the path of %.0f mm: cut to it",
                           core->name, belly * 1e3, core->length * 1e3);
        }
        belly = most * core->length;
    }
    if (tendon >= core->length) {
        recipe->refusal = fb_arena_printf(
            maker->arena, "its line %s, %.4g m in this pose, is shorter than its tendon of %.4g m",
            core->name, core->length, tendon);
        return;
    }
    if (isfinite(tendon) && tendon + belly > core->length) {
        fb_recipe_note(maker, recipe,
                       "%s: tendon and belly of %.0f mm are longer than the path of %.0f mm: the "
                       "tendon is shortened",
                       core->name, (tendon + belly) * 1e3, core->length * 1e3);
    }
    place_belly(maker, recipe, core, belly, tendon);
}

static double mean_belly(const fb_recipe *recipe) {
    double sum = 0;
    for (int i = 0; i < recipe->n_cores; i++) {
        const fb_core *core = &recipe->cores[i];
        sum += core->volume_share * (core->belly[1] - core->belly[0]);
    }
    return sum;
}

void fb_recipe_measure(fb_recipe *recipe, double packing) {
    recipe->belly_length = mean_belly(recipe);
    recipe->width = fb_recipe_width(recipe->volume, recipe->belly_length, recipe->ratio, packing);
    recipe->height = recipe->ratio * recipe->width;
}

static void measure(const fb_recipe_maker *maker, fb_recipe *recipe) {
    fb_recipe_measure(recipe, maker->options->packing);
    if (recipe->profile) {
        recipe->width = recipe->profile->width[recipe->profile->widest];
        recipe->height = recipe->profile->height[recipe->profile->widest];
        return;
    }
    recipe->wide = recipe->width > recipe->belly_length / 2 * (1 + 1e-9);
}

static bool is_given(const fb_core *core) {
    return core->belly_from == FB_FROM_SPEC || core->belly_from == FB_FROM_MEASURED;
}

/* Lengthens bellies that are not given until the muscle is no wider than half its belly: the width
 * goes with the root of 1 / length, so length^3/2 is to grow by 2 width / length. */
static void lengthen(const fb_recipe_maker *maker, fb_recipe *recipe) {
    double before = recipe->belly_length;
    for (int pass = 0; pass < 8 && recipe->wide; pass++) {
        double factor = pow(2 * recipe->width / recipe->belly_length, 2.0 / 3) * (1 + 1e-9);
        for (int i = 0; i < recipe->n_cores; i++) {
            fb_core *core = &recipe->cores[i];
            double belly = core->belly[1] - core->belly[0];
            double longer = fb_lesser(belly * factor, LONGEST * core->length);
            if (is_given(core) || longer <= belly) {
                continue;
            }
            double rest = core->length - belly;
            double tendon = rest > 0 ? core->belly[0] / rest * (core->length - longer) : 0;
            place_belly(maker, recipe, core, longer, tendon);
            core->belly_from = FB_FROM_WIDENING;
        }
        measure(maker, recipe);
    }
    if (recipe->belly_length > before * (1 + 1e-6)) {
        fb_recipe_note(maker, recipe,
                       "its belly of %.0f mm was lengthened to %.0f mm, for it was wider than half "
                       "of it",
                       before * 1e3, recipe->belly_length * 1e3);
    }
}

/* ---- what cannot be -------------------------------------------------------------------------- */

/* True if a core turns back within its own height (in a tendon, that of the cut). */
static bool folds(const fb_recipe *recipe, const fb_core *core) {
    for (int i = 0; i + 1 < core->n_points; i++) {
        double a[3], b[3];
        fb_v3_sub(a, core->points[i + 1], core->points[i]);
        for (int j = i + 1; j + 1 < core->n_points; j++) {
            double middle = (core->at[i + 1] + core->at[j]) / 2;
            bool in_belly = middle > core->belly[0] && middle < core->belly[1];
            double height = recipe->height * (in_belly ? 1 : sqrt(1 - CUT * CUT));
            if (core->at[j] - core->at[i + 1] > height * sqrt(core->volume_share)) {
                break;
            }
            fb_v3_sub(b, core->points[j + 1], core->points[j]);
            if (fb_v3_dot(a, b) < cos(FOLD) * fb_v3_norm(a) * fb_v3_norm(b)) {
                return true;
            }
        }
    }
    return false;
}

void fb_recipe_choose_belly(const fb_recipe_maker *maker, fb_recipe *recipe) {
    recipe->ratio = recipe->spec && isfinite(recipe->spec->ratio) ? recipe->spec->ratio
                                                                  : maker->options->ratio;
    for (int i = 0; i < recipe->n_cores; i++) {
        choose_belly(maker, recipe, &recipe->cores[i]);
    }
    if (recipe->refusal) {
        return;
    }
    if (!recipe->profile) {
        fb_recipe_follow_fascicles(recipe);
    }
    measure(maker, recipe);
    if (recipe->wide) {
        lengthen(maker, recipe);
    }
    if (!(recipe->fiber_length > 0)) {
        recipe->fiber_length = recipe->belly_length;
    }
    recipe->pennation = isfinite(recipe->pennation) ? recipe->pennation : 0;
    recipe->pennate = recipe->fiber_length * cos(recipe->pennation) <
                      PENNATE * recipe->belly_length;
    for (int i = 0; i < recipe->n_cores; i++) {
        if (folds(recipe, &recipe->cores[i])) {
            recipe->refusal =
                fb_arena_printf(maker->arena,
                                "its line %s turns back within the muscle's own height",
                                recipe->cores[i].name);
            return;
        }
    }
}
