#include "libcore/bundle/build.h"

#include <math.h>
#include <string.h>

#include "libcore/base/arena.h"
#include "libcore/base/number.h"
#include "libcore/base/spatial.h"

#define PI 3.14159265358979323846
#define LEAST_SPREAD 0.3 /* of the width: cores nearer to each other do not turn the section */
#define CUT 0.9
#define STAGGERED 0.8 /* of the belly: bundles with longer bellies are not staggered */
#define STAGGERED_CUT 0.93
#define FIBRE_LAYERS 10 /* of a staggered bundle's belly, at least */
#define CURVED 0.2 /* half a width, of the radius: more, and height points away from the middle */
#define STEEP \
    0.35 /* tangent of the angle at which staggered bundles would lie: more, and they are not */
#define TWISTED \
    0.5 /* tangent of the angle at which the outermost bundles may wind about the core */
#define STRICT \
    0.9             /* cosine of the angle of rings and axes at which a smoother core is tried .. \
                     */
#define LENIENT 0.5 /* .. and with none left, the muscle is refused */
#define FAN_LENGTHS 2  /* cores' lengths: with others, heads are no fan */
#define EASINGS 4      /* attempts, along ever smoother cores, if sections cross */
#define BROAD 0.4      /* of the belly's length: wider muscles are sheets */
#define MOST_ASPECT 12 /* width over height of an outline that is chosen for its cores */
#define STRAIGHT_POINTS 129

fb_build_options fb_build_options_default(void) {
    return (fb_build_options){.layers = 24, .strength = FB_NAN, .twist = FB_NAN, .stretch = 1};
}

void fb_build_free(fb_build *build) {
    for (int i = 0; i < EASINGS; i++) {
        fb_section_layout_free(build->layouts + i);
    }
    fb_form_free(&build->form);
    fb_free(build->core);
    fb_free(build->tendon);
    fb_free(build->widest);
    memset(build, 0, sizeof *build);
}

/* The place of a core at -1 (lower end), 0 (where its belly is widest) or 1 (upper end). */
static void core_place(double *place, const fb_core *core, int where) {
    fb_core_point(core, where < 0 ? 0 : where > 0 ? core->length : core->widest, place, NULL);
}

/* The direction in which cores lie beside each other, square to z: that of the two furthest from
 * each other at both ends and in the middle, weighted with their distance. Returns the mean
 * distance of these pairs in the middle. */
static double spread_of(double *x, const fb_recipe *recipe) {
    double sum[3] = {0, 0, 0}, middle = 0;
    for (int where = -1; where <= 1; where++) {
        double far[3] = {0, 0, 0}, most = 0;
        for (int a = 0; a < recipe->n_cores; a++) {
            for (int b = a + 1; b < recipe->n_cores; b++) {
                double p[3], q[3], d[3];
                core_place(p, recipe->cores + a, where);
                core_place(q, recipe->cores + b, where);
                fb_v3_sub(d, q, p);
                fb_v3_madd(d, -fb_v3_dot(d, recipe->along), recipe->along);
                double l = fb_v3_norm(d);
                if (l > most) {
                    most = l;
                    fb_v3_copy(far, d);
                }
            }
        }
        if (fb_v3_dot(far, sum) < 0) {
            fb_v3_scale(far, -1, far);
        }
        fb_v3_add(sum, sum, far);
        middle = where == 0 ? most : middle;
    }
    fb_v3_copy(x, sum);
    return fb_v3_normalize(x) > 0 ? middle : 0;
}

/* Orders the cores along x by their places at the three places together. */
static void order_cores(int *order, const fb_recipe *recipe, const double *x) {
    for (int c = 0; c < recipe->n_cores; c++) {
        order[c] = c;
    }
    for (int i = 1; i < recipe->n_cores; i++) {
        for (int k = i; k > 0; k--) {
            double side = 0;
            for (int where = -1; where <= 1; where++) {
                double p[3], q[3];
                core_place(p, recipe->cores + order[k - 1], where);
                core_place(q, recipe->cores + order[k], where);
                side += fb_v3_dot(q, x) - fb_v3_dot(p, x);
            }
            if (side >= 0) {
                break;
            }
            int swap = order[k];
            order[k] = order[k - 1];
            order[k - 1] = swap;
        }
    }
}

/* Height away from what the core bends around, if it bends so much that it matters: a muscle lies
 * flat on the bone that it wraps. */
static void face_outward(double *up, const fb_recipe *recipe) {
    double out[3] = {0, 0, 0}, belly = 0;
    for (int c = 0; c < recipe->n_cores; c++) {
        const fb_core *core = recipe->cores + c;
        double a[3], b[3], middle[3];
        fb_core_point(core, core->belly[0], a, NULL);
        fb_core_point(core, core->belly[1], b, NULL);
        fb_core_point(core, 0.5 * (core->belly[0] + core->belly[1]), middle, NULL);
        for (int i = 0; i < 3; i++) {
            out[i] += core->volume_share * (middle[i] - 0.5 * (a[i] + b[i]));
        }
        belly += core->volume_share * (core->belly[1] - core->belly[0]);
    }
    fb_v3_madd(out, -fb_v3_dot(out, recipe->along), recipe->along);
    double curvature = 8 * fb_v3_norm(out) / (belly * belly);
    if (curvature * recipe->width / 2 > CURVED && fb_v3_normalize(out) > 0) {
        fb_v3_copy(up, out);
    }
}

/* The outline that the recipe asks for, or one as wide as its cores lie apart. `pile`: how high
 * bundles pile up; `corners`: room for those of a profile. */
static void choose_outline(fb_lattice_outline *outline, const fb_recipe *recipe, double spread,
                           double pile, double bundles, double (*corners)[2]) {
    const fb_outline *asked = &recipe->outline;
    *outline = (fb_lattice_outline){.kind = FB_LATTICE_ROUND, .corner = 1};
    double aspect = asked->kind == FB_OUTLINE_FLAT ? 1.5 / recipe->ratio : 1 / recipe->ratio;
    if (recipe->n_cores > 1 && asked->kind != FB_OUTLINE_ROUND) {
        double width = spread * recipe->n_cores / (recipe->n_cores - 1);
        double area = PI / 4 * recipe->width * recipe->height;
        aspect = fb_greater(aspect, fb_lesser(PI / 4 * width * width / area, MOST_ASPECT));
    }
    if (recipe->n_cores > 2) { /* two columns for each head */
        double columns = 2 * recipe->n_cores;
        aspect = fb_greater(aspect, PI / 4 * columns * columns / (bundles * recipe->ratio * pile));
    }
    if (recipe->profile) {
        outline->kind = FB_LATTICE_POLYGON;
        outline->points = (const double(*)[2])corners;
        outline->n_points = FB_PROFILE_CORNERS;
        for (int i = 0; i < FB_PROFILE_CORNERS; i++) {
            corners[i][0] = recipe->profile->polygon[i][0] * recipe->width;
            corners[i][1] = recipe->profile->polygon[i][1] * 4 / PI *
                            recipe->profile->area[recipe->profile->widest] / recipe->width;
        }
    } else if (asked->kind == FB_OUTLINE_POLYGON) {
        outline->kind = FB_LATTICE_POLYGON;
        outline->points = (const double(*)[2])asked->polygon;
        outline->n_points = (size_t)asked->n_polygon;
    } else if (fabs(aspect * recipe->ratio * pile - 1) > 0.02) {
        outline->kind = FB_LATTICE_FLAT;
        outline->aspect = aspect * pile;
    }
}

/* The form with the cut and the outline that go with how its bellies lie. */
static const char *make_form(fb_build *build, fb_form_options *form, const fb_recipe *recipe,
                             double spread, double *width, double *height) {
    double corners[FB_PROFILE_CORNERS][2];
    form->cut = build->options.cut;
    if (form->cut <= 0) {
        form->cut = form->fibre_part < 1 ? STAGGERED_CUT : CUT;
    }
    choose_outline(&form->outline, recipe, spread, fb_form_pile(form->fibre_part, form->cut),
                   form->bundles, corners);
    const char *why = fb_form_make(&build->form, form);
    if (!why) {
        fb_form_size(&build->form, build->belly, FB_NAN, NULL, width, height);
    }
    return why;
}

/* How the width goes along the muscle, and as much twist as such a width bears. */
static void choose_law(fb_build *build, const fb_recipe *recipe, double spread, double width) {
    double shortest = recipe->cores[0].length, longest = shortest, length = 0;
    for (int h = 0; h < recipe->n_cores; h++) {
        shortest = fb_lesser(shortest, recipe->cores[h].length);
        longest = fb_greater(longest, recipe->cores[h].length);
        length += recipe->cores[h].volume_share * recipe->cores[h].length;
    }
    bool fan = recipe->n_cores > 2 && spread > 0.5 * width && longest < FAN_LENGTHS * shortest;
    bool sheet = build->form.fibre_part < 1 || width > BROAD * build->belly;
    build->law = fan ? FB_WIDTH_FAN : sheet ? FB_WIDTH_SHEET : FB_WIDTH_ROUND;
    double most = TWISTED * length / (0.75 * width);
    build->twist = fb_lesser(fb_greater(build->twist, -most), most);
}

const char *fb_build_make(fb_build *build, const fb_recipe *recipe,
                          const fb_build_options *options) {
    memset(build, 0, sizeof *build);
    if (recipe->refusal) {
        return recipe->refusal;
    }
    size_t heads = (size_t)recipe->n_cores;
    build->recipe = recipe;
    build->options = *options;
    build->core = fb_alloc(heads * sizeof *build->core);
    build->tendon = fb_alloc(heads * sizeof *build->tendon);
    build->widest = fb_alloc(heads * sizeof *build->widest);
    fb_form_head *head = fb_alloc(heads * sizeof *head);
    if (!build->core || !build->tendon || !build->widest || !head) {
        fb_free(head);
        fb_build_free(build);
        return "there is not enough memory";
    }
    double x[3], spread = spread_of(x, recipe); /* the direction of width at the belly's widest */
    fb_v3_copy(build->up, recipe->up);
    if (!recipe->up_given) {
        face_outward(build->up, recipe);
    }
    bool turned = spread > LEAST_SPREAD * recipe->width && !recipe->up_given;
    if (turned) { /* height is square to the cores' row, on the skin's side */
        fb_v3_cross(build->up, recipe->along, x);
        if (fb_v3_dot(build->up, recipe->up) < 0) {
            fb_v3_scale(build->up, -1, build->up);
        }
    }
    fb_v3_cross(x, build->up, recipe->along);
    order_cores(build->core, recipe, x);
    fb_form_options form = fb_form_options_default();
    form.name = recipe->name;
    form.volume = recipe->volume * (options->packing == FB_PACK_ENVELOPE ? PI / 4 : 1);
    form.ratio = recipe->ratio;
    form.curve = options->curve;
    form.bundles = options->bundles > 0  ? options->bundles
                   : recipe->bundles > 0 ? recipe->bundles
                                         : FB_LATTICE_DEFAULT;
    if (recipe->pennate && !recipe->profile &&
        recipe->fiber_length < STAGGERED * recipe->belly_length) {
        form.fibre_part = fb_lesser(recipe->fiber_length / recipe->belly_length, 1);
    }
    for (size_t h = 0; h < heads; h++) {
        const fb_core *core = recipe->cores + build->core[h];
        double belly = core->belly[1] - core->belly[0];
        head[h] = (fb_form_head){core->name, core->share, core->volume_share};
        build->tendon[h][0] = core->belly[0];
        build->tendon[h][1] = fb_greater(core->length - core->belly[1], 0);
        build->widest[h] = (core->widest - core->belly[0]) / belly;
        build->belly += core->volume_share * belly;
    }
    form.heads = head;
    form.n_heads = heads;
    build->twist = isnan(options->twist) ? recipe->twist : options->twist;
    double width, height;
    const char *why = make_form(build, &form, recipe, spread, &width, &height);
    double fibre = form.fibre_part * build->belly;
    if (!why && form.fibre_part < 1 && height / 2 > STEEP * fibre) {
        fb_form_free(&build->form);
        form.fibre_part = 1;
        why = make_form(build, &form, recipe, spread, &width, &height);
    }
    fb_free(head);
    if (!why) {
        choose_law(build, recipe, spread, width);
    }
    if (why) {
        fb_build_free(build);
    }
    return why;
}

void fb_build_mean(const fb_build *build, double tendon[2], double *widest) {
    double sum = 0;
    tendon[0] = tendon[1] = 0;
    for (size_t h = 0; h < build->form.n_heads; h++) {
        double share = build->recipe->cores[build->core[h]].volume_share;
        tendon[0] += share * build->tendon[h][0];
        tendon[1] += share * build->tendon[h][1];
        sum += share * build->widest[h];
    }
    if (widest) {
        *widest = sum;
    }
}

/* The strip of a head whose belly is so long, at a strength. */
static void set_strip(fb_core_line *line, const fb_build *build, size_t head, double belly,
                      double strength) {
    line->left = build->form.strips[head].left;
    line->right = build->form.strips[head].right;
    fb_form_size(&build->form, belly, strength, &line->half_width, NULL, NULL);
}

/* A core of the recipe's length in a frame of its own, straight or bent. */
static const char *straight_sections(const fb_build *build, fb_sections *sections,
                                     fb_section_options *o, const fb_build_options *as) {
    double points[STRAIGHT_POINTS][3], tendon[2], widest;
    size_t heads = build->form.n_heads;
    fb_build_mean(build, tendon, &widest);
    double belly = build->belly * as->stretch, length = tendon[0] + belly + tendon[1];
    fb_core_bent(points, STRAIGHT_POINTS, length, as->bend[0], as->bend[1]);
    fb_core_line line = {.points = (const double(*)[3])points,
                         .n_points = STRAIGHT_POINTS,
                         .belly = {tendon[0], tendon[0] + belly},
                         .widest = tendon[0] + widest * belly};
    fb_core_line *lines = fb_alloc(heads * sizeof *lines);
    if (!lines) {
        return "there is not enough memory";
    }
    for (size_t h = 0; h < heads; h++) {
        lines[h] = line;
        set_strip(lines + h, build, h, belly, as->strength);
    }
    fb_v3_set(o->up, 0, 1, 0);
    o->radius = 0;
    const char *why = fb_sections_along(sections, lines, heads, o);
    fb_free(lines);
    return why;
}

static const char *path_sections(const fb_build *build, const fb_recipe *recipe,
                                 fb_sections *sections, fb_section_options *o, double strength) {
    size_t heads = build->form.n_heads;
    fb_core_line *lines = fb_alloc(heads * sizeof *lines);
    if (!lines) {
        return "there is not enough memory";
    }
    const char *why = recipe->n_cores == (int)heads ? NULL : "it has other cores in this pose";
    for (size_t h = 0; h < heads && !why; h++) {
        const fb_core *core = recipe->cores + build->core[h];
        double from = build->tendon[h][0], to = core->length - build->tendon[h][1];
        if (!(to > from)) {
            why = "its path is shorter than its tendons";
        }
        lines[h] = (fb_core_line){.points = (const double(*)[3])core->points,
                                  .n_points = core->n_points,
                                  .belly = {from, to},
                                  .widest = from + build->widest[h] * (to - from)};
        set_strip(lines + h, build, h, to - from, strength);
    }
    if (recipe != build->recipe) { /* height turns with the muscle's own bone */
        fb_v3_copy(o->up, recipe->up);
    }
    why = why ? why : fb_sections_along(sections, lines, heads, o);
    fb_free(lines);
    return why;
}

static const char *sections_of(fb_build *build, const fb_recipe *recipe, fb_sections *sections,
                               const fb_build_options *as, int ease) {
    size_t fine = (size_t)ceil(FIBRE_LAYERS / build->form.fibre_part);
    fb_section_options o = {.layers = build->form.fibre_part < 1 && as->layers < fine ? fine
                                                                                      : as->layers,
                            .twist = build->twist,
                            .cut = build->form.cut,
                            .pile = fb_form_pile(build->form.fibre_part, build->form.cut),
                            .law = build->law};
    if (recipe->profile && !as->straight) { /* bundles run from end to end of the surface */
        return fb_sections_of_profile(sections, recipe->profile, o.layers,
                                      as->kept ? 0.75 * build->belly : 0);
    }
    double width, height;
    fb_form_size(&build->form, build->belly * as->stretch, as->strength, NULL, &width, &height);
    o.span = 0.5 * width;
    o.shape = ease < 2 ? FB_CORE_ROUNDED : ease < 3 ? FB_CORE_ARC : FB_CORE_CHORD;
    o.layout = as->straight || as->kept ? NULL : build->layouts + ease;
    o.together = build->law == FB_WIDTH_FAN || ease > 2;
    o.radius = (ease ? 2 : 1) * 0.5 * fb_greater(height, fb_lesser(width, 2 * height));
    o.more = as->kept ? 0.75 * build->belly * as->stretch : 0;
    fb_v3_copy(o.up, build->up);
    return as->straight ? straight_sections(build, sections, &o, as)
                        : path_sections(build, recipe, sections, &o, as->strength);
}

/* One attempt, along cores as they are (0) to ever smoother ones, with less twist. */
static const char *attempt(fb_build *build, const fb_recipe *recipe, fb_body *body, int ease,
                           fb_scratch *scratch) {
    fb_sections sections;
    const fb_build_options *as = &build->options;
    double twist = build->twist;
    const char *why;
    if (as->kept && !build->form.rest) {
        fb_build_options rest = *as;
        rest.kept = false;
        rest.stretch = 1;
        rest.strength = FB_NAN;
        rest.bend[0] = rest.bend[1] = 0;
        build->twist = isnan(as->twist) ? twist : as->straight ? 0 : build->recipe->twist;
        why = sections_of(build, build->recipe, &sections, &rest, ease);
        build->twist = twist;
        if (!why) {
            why = fb_form_place(body, &build->form, &sections, rest.strength, scratch);
            why = why ? why : fb_form_keep(&build->form, body);
            fb_sections_free(&sections);
        }
        if (why) {
            return why;
        }
    }
    build->twist = ease < 2 ? twist / (1 + ease) : 0;
    why = sections_of(build, recipe, &sections, as, ease);
    build->twist = twist;
    if (!why) {
        why = as->kept ? fb_form_place_kept(body, &build->form, &sections, as->strength,
                                            as->stretch, scratch)
                       : fb_form_place(body, &build->form, &sections, as->strength, scratch);
        fb_sections_free(&sections);
    }
    return why;
}

const char *fb_build_place(fb_build *build, const fb_recipe *recipe, fb_body *body,
                           fb_scratch *scratch) {
    const char *why = NULL;
    for (build->ease = build->least_ease; build->ease < EASINGS; build->ease++) {
        build->form.upright = build->ease + 1 < EASINGS && !build->options.straight ? STRICT
                                                                                    : LENIENT;
        why = attempt(build, recipe, body, build->ease, scratch);
        if (!why || build->options.straight) {
            build->least_ease = why ? build->least_ease : build->ease;
            break;
        }
    }
    return why;
}
