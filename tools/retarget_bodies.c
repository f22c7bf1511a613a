/* retarget: what each body of the standard becomes. */

#include <string.h>

#include "tools/retarget.h"

#define SAME 1e-10        /* a map that changes nothing: relative to 1 */
#define SAME_SURFACE 1e-7 /* m: surfaces that lie on each other */
#define CLOSE 1.15        /* a second place whose residual is less than so many times the best's */
#define NEAR 1.2          /* rad: as far as a bone may be turned from where its neighbour tells */
#define MIRRORED 0.6      /* a mirrored bone fits better than this part of the residual */
#define APART 0.01        /* m: points that are farther from where surfaces meet are told */
#define CERTAIN 1.7       /* a shape that is so many times nearer to one bone than to others */
#define LIKELY 1.1        /* the same of bones that do not fit */
#define MISSED 0.007      /* of its size: such a bone does not fit */
#define FAR 20            /* sizes of points and bones differ by more: another unit */
#define MOST_LEFT_OUT 64  /* points for which fits without one of them are made */
#define SAME_BONE 0.002   /* of its size: surfaces that fit so well need no joint centres */
#define UNLIKE 0.015      /* of its size: nearest points of such surfaces do not correspond */
#define CONTRADICTED 0.04 /* of its size: a landmark that is farther from where the map has it */
#define CENTER_WEIGHT 1.0 /* of joint centres that were found beside whole surfaces */
#define KNOWN_WEIGHT 0.1  /* of feature points beside whole surfaces */

static fb_place at(const char *file, int line) {
    return (fb_place){file, line, NULL, NULL};
}

/* The file of the new skeleton's feature points, for messages. */
static const char *points_file(const fb_retarget *r) {
    const char *pairs = fb_cli_value(r->cli, "pairs");
    return pairs ? pairs : fb_cli_value(r->cli, "features-target");
}

/* ---- which bone is which body ---------------------------------------------------------------- */

static bool same_bone(fb_bone_guess a, fb_bone_guess b) {
    bool foot = (a.kind == FB_BONE_CALCANEUS || a.kind == FB_BONE_FOOT) &&
                (b.kind == FB_BONE_CALCANEUS || b.kind == FB_BONE_FOOT);
    return a.kind != FB_BONE_UNKNOWN && (a.kind == b.kind || foot) &&
           (a.side == b.side || !a.side || !b.side);
}

static bool is_body(const fb_retarget_standard *s, const char *name) {
    for (int i = 0; i < s->n_bodies; i++) {
        if (strcmp(s->bodies[i].element->name, name) == 0) {
            return true;
        }
    }
    return false;
}

/* The new skeleton's bone of a body: of the same name, or one that can only be it. */
static const fb_skeleton_bone *target_bone(const fb_retarget *r, const fb_retarget_standard *s,
                                           const fb_retarget_body *body) {
    const fb_skeleton_bone *bone = fb_skeleton_find(&r->skeleton, body->element->name);
    for (size_t i = 0; !bone && i < r->skeleton.n; i++) {
        const fb_skeleton_bone *other = r->skeleton.bones + i;
        if (!is_body(s, other->body) && same_bone(body->guess, fb_bone_by_name(other->body))) {
            bone = other;
        }
    }
    return bone && bone->surface ? bone : NULL;
}

/* Kinds of bones of which one may have the shape of the other. */
static bool alike(fb_bone_kind a, fb_bone_kind b) {
    static const fb_bone_kind groups[][3] = {
        {FB_BONE_PELVIS, FB_BONE_HEMIPELVIS, FB_BONE_SACRUM},
        {FB_BONE_TIBIA, FB_BONE_FIBULA, FB_BONE_TIBIA},
        {FB_BONE_CALCANEUS, FB_BONE_FOOT, FB_BONE_TOES},
        {FB_BONE_ULNA, FB_BONE_RADIUS, FB_BONE_ULNA},
    };
    bool same = a == b;
    for (size_t i = 0; i < sizeof groups / sizeof *groups && !same; i++) {
        int n = 0;
        for (int k = 0; k < 3; k++) {
            n |= (groups[i][k] == a) | (groups[i][k] == b) << 1;
        }
        same = n == 3;
    }
    return same;
}

/* Whether a bone has the shape of another than the body it is given for: clearly, or somewhat if it
 * was laid on the standard's and does not fit. */
static fb_status check_shape(fb_retarget *r, const fb_retarget_body *b, bool fits) {
    if (!b->target || b->guess.kind == FB_BONE_UNKNOWN || r->fix || r->any_given) {
        return FB_OK;
    }
    fb_bone_guess shape = fb_bone_by_shape(b->target->surface);
    if (shape.kind == FB_BONE_UNKNOWN || shape.certainty < (fits ? CERTAIN : LIKELY) ||
        alike(shape.kind, b->guess.kind)) {
        return FB_OK;
    }
    if (b->standard) { /* a standard whose bone looks the same is no witness */
        fb_bone_guess own = fb_bone_by_shape(b->standard->surface);
        if (alike(own.kind, shape.kind)) {
            return FB_OK;
        }
    }
    const char *missed = fits ? ""
                              : fb_arena_printf(&r->arena, ", and fits only to %.1f mm",
                                                1e3 * b->similarity_surfaces);
    fb_diag_add(&r->cli->diag, FB_ERROR, FB1414, at(r->skeleton.file, b->target->line), NULL,
                "the bone '%s' has the shape of a %s%s: is it the mesh of another body? (--fix "
                "takes it as it is)",
                b->target->body, fb_bone_word(shape.kind), missed);
    return FB_E_INPUT;
}

static void match_bones(fb_retarget *r, fb_retarget_standard *s) {
    const fb_list *list = fb_model_items(s->original, "bodies");
    s->n_bodies = (int)list->n;
    s->bodies = fb_arena_array(&r->arena, list->n, sizeof *s->bodies);
    for (size_t i = 0; i < list->n; i++) {
        s->bodies[i].element = list->items[i];
        s->bodies[i].guess = fb_bone_by_name(list->items[i]->name);
        s->bodies[i].rms = s->bodies[i].similarity_rms = FB_NAN;
        s->bodies[i].similarity_surfaces = FB_NAN;
    }
    for (int i = 0; i < s->n_bodies; i++) {
        fb_retarget_body *body = s->bodies + i;
        const fb_skeleton_bone *own = fb_skeleton_find(&s->bones, body->element->name);
        body->standard = own && own->surface ? own : NULL;
        body->target = target_bone(r, s, body);
    }
    for (size_t k = 0; k < r->skeleton.n; k++) {
        bool used = false;
        for (int i = 0; i < s->n_bodies; i++) {
            used = used || s->bodies[i].target == r->skeleton.bones + k;
        }
        if (!used) {
            fb_diag_add(&r->cli->diag, FB_WARNING, FB1414,
                        at(r->skeleton.file, r->skeleton.bones[k].line), "it is not used",
                        "the bone '%s' is no body of %s", r->skeleton.bones[k].body, s->file);
        }
    }
}

/* ---- pairs of feature points ----------------------------------------------------------------- */

static const char *body_name(const void *context, int i) {
    const fb_retarget_standard *s = context;
    return i < s->n_bodies ? s->bodies[i].element->name : NULL;
}

static void add_pair(fb_retarget *r, fb_retarget_body *body, const fb_pair *pair) {
    size_t n = body->n, capacity[4];
    for (int i = 0; i < 4; i++) {
        capacity[i] = body->capacity;
    }
    body->names = fb_arena_grow(&r->arena, body->names, n, capacity, sizeof *body->names);
    body->from = fb_arena_grow(&r->arena, body->from, n, capacity + 1, sizeof *body->from);
    body->to = fb_arena_grow(&r->arena, body->to, n, capacity + 2, sizeof *body->to);
    body->weight = fb_arena_grow(&r->arena, body->weight, n, capacity + 3, sizeof *body->weight);
    body->capacity = capacity[0];
    body->names[n] = fb_arena_dup(&r->arena, pair->name);
    fb_v3_copy(body->from[n], pair->standard);
    fb_v3_copy(body->to[n], pair->target);
    body->weight[n] = pair->weight;
    body->n++;
}

/* Gives the pairs to their bodies. */
static fb_status sort_pairs(fb_retarget *r, fb_retarget_standard *s, const fb_pairs *pairs) {
    fb_status status = FB_OK;
    for (size_t k = 0; k < pairs->n; k++) {
        const fb_pair *pair = pairs->items + k;
        fb_retarget_body *body = NULL;
        for (int i = 0; i < s->n_bodies && !body; i++) {
            if (strcmp(s->bodies[i].element->name, pair->body) == 0) {
                body = s->bodies + i;
            }
        }
        if (body) {
            add_pair(r, body, pair);
            continue;
        }
        const char *near = fb_nearest_word(pair->body, body_name, s);
        fb_diag_add(&r->cli->diag, FB_ERROR, FB1412, at(points_file(r), pair->line), NULL,
                    "feature point '%s' is on '%s', which is no body of %s%s%s%s", pair->name,
                    pair->body, s->file, near ? "; is '" : "", near ? near : "",
                    near ? "' meant?" : "");
        status = FB_E_INPUT;
    }
    return status;
}

/* Landmarks of both bones of a body, found by their shape, as pairs. */
static fb_status pair_landmarks(fb_retarget *r, fb_retarget_body *body) {
    fb_features found[2];
    fb_pairs pairs;
    fb_status status = FB_OK;
    const fb_skeleton_bone *bones[2] = {body->standard, body->target};
    fb_features_init(found);
    fb_features_init(found + 1);
    fb_pairs_init(&pairs);
    fb_diag quiet; /* a bone without landmarks is laid by its surface alone */
    fb_diag_init(&quiet);
    for (int side = 0; side < 2; side++) {
        fb_bone_frame frame;
        int n = fb_bone_landmarks(bones[side]->surface, body->guess.kind, body->guess.side,
                                  body->element->name, &frame, found + side, body->fits[side],
                                  &quiet);
        body->n_fits[side] = n > 0 ? n : 0;
    }
    if (body->n == 0 && r->automatic) {
        fb_diag_clear(&quiet);
        fb_diag_init(&quiet);
        status = fb_pairs_match(&pairs, found, found + 1, &quiet);
        for (size_t i = 0; status == FB_OK && i < pairs.n; i++) {
            add_pair(r, body, pairs.items + i);
        }
    }
    fb_diag_clear(&quiet);
    fb_pairs_free(&pairs);
    fb_features_free(found);
    fb_features_free(found + 1);
    return status == FB_E_MEMORY ? status : FB_OK;
}

/* Whether points of a body are of the size of its bone; with --fix they are made so. */
static fb_status check_size(fb_retarget *r, const fb_retarget_body *body, double (*points)[3],
                            const fb_skeleton_bone *bone, const char *whose) {
    if (!bone || body->n < 2) {
        return FB_OK;
    }
    double low[3], high[3];
    fb_v3_copy(low, points[0]);
    fb_v3_copy(high, points[0]);
    for (size_t i = 1; i < body->n; i++) {
        for (int k = 0; k < 3; k++) {
            low[k] = fb_lesser(low[k], points[i][k]);
            high[k] = fb_greater(high[k], points[i][k]);
        }
    }
    double size = fb_v3_distance(low, high);
    double bone_size = fb_v3_distance(bone->surface->low, bone->surface->high);
    double times = size / bone_size;
    if (times < FAR && times > 1. / (FAR * 10)) {
        return FB_OK;
    }
    double unit = times >= FAR ? 1e-3 : 1e3;
    if (r->fix && size * unit / bone_size < FAR && size * unit / bone_size > 1. / FAR) {
        for (size_t i = 0; i < body->n; i++) {
            fb_v3_scale(points[i], unit, points[i]);
        }
        fb_diag_add(&r->cli->diag, FB_APPROXIMATED, FB1412, at(NULL, 0), NULL,
                    "feature points of the %s's '%s' were taken to be in %s", whose, bone->body,
                    unit < 1 ? "millimetres" : "kilometres");
        return FB_OK;
    }
    fb_diag_add(&r->cli->diag, FB_ERROR, FB1412, at(points_file(r), 0), NULL,
                "feature points of the %s's '%s' span %.4g m, its bone %.4g m: one is in another "
                "unit (--fix, --unit)",
                whose, bone->body, size, bone_size);
    return FB_E_INPUT;
}

/* ---- maps ------------------------------------------------------------------------------------ */

static double residual(const fb_transform *map, const fb_retarget_body *b, double *each) {
    return fb_transform_residual(map, (const double(*)[3])b->from, (const double(*)[3])b->to,
                                 b->weight, b->n, NULL, each);
}

static fb_status fit(fb_retarget *r, const fb_retarget_body *b, fb_transform_kind kind,
                     fb_transform *map, fb_diag *diag) {
    return fb_transform_fit(map, kind, (const double(*)[3])b->from, (const double(*)[3])b->to,
                            b->weight, b->n, &r->fit, b->element->name, &r->arena, diag);
}

/* The residual at each point of a fit that is made without it. */
static void leave_out(fb_retarget *r, fb_retarget_body *b) {
    b->left_out = fb_arena_array(&r->arena, b->n, sizeof *b->left_out);
    fb_transform_kind kind = b->map.kind == FB_TRANSFORM_SURFACE ? FB_TRANSFORM_SIMILARITY
                                                                 : b->map.kind;
    for (size_t i = 0; i < b->n; i++) {
        fb_transform map;
        fb_diag quiet;
        double weight = b->weight[i], to[3];
        fb_diag_init(&quiet);
        b->left_out[i] = FB_NAN;
        fb_retarget_body rest = *b; /* the point goes to the end and is not counted */
        rest.from = fb_arena_array(&r->arena, b->n, sizeof *rest.from);
        rest.to = fb_arena_array(&r->arena, b->n, sizeof *rest.to);
        rest.weight = fb_arena_array(&r->arena, b->n, sizeof *rest.weight);
        rest.n = 0;
        for (size_t k = 0; k < b->n; k++) {
            if (k != i) {
                fb_v3_copy(rest.from[rest.n], b->from[k]);
                fb_v3_copy(rest.to[rest.n], b->to[k]);
                rest.weight[rest.n++] = b->weight[k];
            }
        }
        if (weight > 0 && fit(r, &rest, kind, &map, &quiet) == FB_OK) {
            fb_transform_point(&map, b->from[i], to);
            b->left_out[i] = fb_v3_distance(to, b->to[i]);
        }
        fb_diag_clear(&quiet);
    }
}

/* The next poorer kind. */
static fb_transform_kind poorer(fb_transform_kind kind) {
    return kind == FB_TRANSFORM_SURFACE ? FB_TRANSFORM_SIMILARITY : (fb_transform_kind)(kind - 1);
}

/* The map from pairs; poorer than asked for with --fallback. */
static fb_status place_by_pairs(fb_retarget *r, fb_retarget_body *b, fb_transform_kind kind) {
    fb_status status = FB_E_INPUT;
    if (b->n < 3) {
        fb_diag_add(&r->cli->diag, FB_WARNING, FB2311, at(NULL, 0),
                    "it is scaled and placed as its neighbour",
                    "%s: %zu feature point%s, and three are needed", b->element->name, b->n,
                    b->n == 1 ? "" : "s");
        return FB_OK;
    }
    for (;;) {
        bool last = !r->fallback || kind == FB_TRANSFORM_RIGID;
        fb_diag quiet;
        fb_diag_init(&quiet);
        status = fit(r, b, kind, &b->map, last ? &r->cli->diag : &quiet);
        if (!last && status == FB_E_INPUT) {
            fb_diag_add(&r->cli->diag, FB_WARNING, FB2311, at(points_file(r), 0), NULL,
                        "%s: '%s' is taken instead of '%s' (--fallback): %s", b->element->name,
                        fb_transform_word(poorer(kind)), fb_transform_word(kind),
                        quiet.n ? quiet.records[0].message : "its points do not suffice");
        }
        fb_diag_clear(&quiet);
        if (status != FB_E_INPUT || last) {
            break;
        }
        kind = poorer(kind);
        b->fell_back = true;
    }
    b->placed = status == FB_OK;
    return status;
}

static void show(void *context, double part) {
    fb_retarget_progress(context, part);
}

/* Whether the place that was found is the only one, and not that of a mirrored bone. */
static fb_status check_place(fb_retarget *r, const fb_retarget_body *b) {
    const fb_align_result *found = &b->surfaces;
    if (found->mirrored < MIRRORED * found->residual && !r->fix) {
        fb_diag_add(&r->cli->diag, FB_ERROR, FB1414, at(r->skeleton.file, 0), NULL,
                    "the bone '%s' fits mirrored (%.2f mm) far better than as it is (%.2f mm): it "
                    "is of the other side, or its file is mirrored (--mirror, or --fix)",
                    b->target->body, 1e3 * found->mirrored, 1e3 * found->residual);
        return FB_E_INPUT;
    }
    const fb_surface *bone = b->target->surface;
    return b->similarity_surfaces > MISSED * fb_v3_distance(bone->low, bone->high)
               ? check_shape(r, b, false)
               : FB_OK;
}

/* Feature points that count beside the surfaces: a person's, or the centres of joints. */
static void known_points(fb_retarget *r, const fb_retarget_standard *s, fb_retarget_body *b,
                         fb_align_options *o) {
    size_t room = r->automatic ? FB_RETARGET_CENTERS : b->n;
    o->from = fb_arena_array(&r->arena, room + 1, sizeof *o->from);
    o->to = fb_arena_array(&r->arena, room + 1, sizeof *o->to);
    double *weight = fb_arena_array(&r->arena, room + 1, sizeof *weight), all = 0;
    if (r->automatic) {
        o->n = fb_retarget_centers(r, s, b, o->from, o->to);
    } else if (b->n > 0) {
        o->n = (int)b->n;
        memcpy(o->from, b->from, b->n * sizeof *o->from);
        memcpy(o->to, b->to, b->n * sizeof *o->to);
    }
    for (int i = 0; i < o->n; i++) {
        weight[i] = r->automatic ? 1 : b->weight[i];
        all += weight[i];
    }
    for (int i = 0; i < o->n; i++) {
        weight[i] *= all > 0 ? (r->automatic ? CENTER_WEIGHT : KNOWN_WEIGHT) / all : 0;
    }
    o->weight = weight;
}

/* The map from whole surfaces, begun from `expected` if it is not NULL, else from pairs if there
 * are enough. */
static fb_status place_by_surfaces(fb_retarget *r, const fb_retarget_standard *s,
                                   fb_retarget_body *b, fb_transform_kind kind,
                                   const fb_transform *expected) {
    fb_transform start, similar;
    fb_diag quiet;
    fb_diag_init(&quiet);
    bool begun = expected ||
                 (b->n >= 3 && fit(r, b, FB_TRANSFORM_SIMILARITY, &start, &quiet) == FB_OK);
    fb_diag_clear(&quiet);
    if (expected) {
        start = *expected;
    }
    fb_align_options o = {.kind = FB_TRANSFORM_SIMILARITY,
                          .start = begun ? &start : NULL,
                          .mirror = !begun,
                          .trim = 0.1,
                          .progress = show,
                          .context = r};
    known_points(r, s, b, &o);
    fb_align_result result = {.second = FB_INFINITY, .mirrored = FB_INFINITY};
    const char *name = b->element->name;
    fb_status status = fb_align(&similar, &result, b->standard->surface, b->target->surface, &o,
                                name, &r->arena, &r->cli->diag);
    if (status != FB_OK) {
        return status;
    }
    const fb_surface *bone = b->target->surface;
    double size = fb_v3_distance(bone->low, bone->high);
    if (r->automatic && o.n > 0 && result.residual < UNLIKE * size) {
        /* a model's centre may lie beside the head: the same bone fits better without it */
        fb_align_options alone = o;
        fb_align_result other;
        fb_transform map;
        alone.start = &similar;
        alone.mirror = false;
        alone.n = 0;
        status = fb_align(&map, &other, b->standard->surface, bone, &alone, name, &r->arena,
                          &r->cli->diag);
        if (status != FB_OK) {
            return status;
        }
        if (other.residual < SAME_BONE * size) {
            similar = map;
            o.n = 0;
            result.residual = other.residual;
            result.largest = other.largest;
        }
    }
    b->aligned = b->placed = true;
    b->surfaces = result;
    b->similarity_surfaces = result.residual;
    b->map = b->similar = similar;
    status = check_place(r, b);
    b->doubtful = result.second < CLOSE * result.residual && result.residual > SAME_SURFACE;
    if (status != FB_OK || kind == FB_TRANSFORM_SIMILARITY || result.residual < SAME_SURFACE ||
        (b->doubtful && !r->fix)) {
        return status;
    }
    if (r->default_kind && result.residual > UNLIKE * size) {
        fb_diag_add(&r->cli->diag, FB_WARNING, FB2313, at(r->skeleton.file, b->target->line),
                    "it is only turned and scaled (--transform surface deforms it all the same)",
                    "%s: the surfaces are %.1f mm apart at best, too far to deform one into the "
                    "other",
                    name, 1e3 * result.residual);
        return status;
    }
    o.kind = kind;
    o.start = &similar;
    o.mirror = false;
    double second = result.second, mirrored = result.mirrored;
    status = fb_align(&b->map, &b->surfaces, b->standard->surface, b->target->surface, &o, name,
                      &r->arena, &r->cli->diag);
    b->surfaces.second = second;
    b->surfaces.mirrored = mirrored;
    return status;
}

/* Feature points of a bone that is known by its surface alone: the standard's farthest vertices
 * along its principal axes, and where the map has them. They tell others where the new bone lies.
 */
static void name_points(fb_retarget *r, fb_retarget_body *b) {
    static const char *const ends[] = {"first", "second", "third"};
    const fb_surface *s = b->standard->surface;
    double axes[9], deviation[3];
    fb_surface_axes(s, axes, deviation);
    for (int k = 0; k < 6; k++) {
        const double *axis = axes + 3 * (k / 2);
        double sign = k % 2 ? -1 : 1, most = -FB_INFINITY;
        int found = 0;
        for (int i = 0; i < s->n_vertices; i++) {
            double along = sign * fb_v3_dot(axis, s->vertices[i]);
            if (along > most) {
                most = along;
                found = i;
            }
        }
        fb_pair pair = {.weight = 1};
        pair.name = fb_arena_printf(&r->arena, "%s_%s_axis_%s", b->element->name, ends[k / 2],
                                    k % 2 ? "end" : "start");
        fb_v3_copy(pair.standard, s->vertices[found]);
        fb_transform_point(&b->map, pair.standard, pair.target);
        add_pair(r, b, &pair);
    }
}

/* A person's points that are not where the surfaces meet. */
static void tell_apart(fb_retarget *r, const fb_retarget_body *b) {
    if (b->aligned && !r->automatic && b->n && b->rms > APART &&
        b->rms > 3 * b->surfaces.residual) {
        fb_diag_add(&r->cli->diag, FB_WARNING, FB1412, at(points_file(r), 0), NULL,
                    "feature points of '%s' are %.1f mm apart where its surfaces are %.2f mm: are "
                    "they of this bone, in its frame, and not of the other side?",
                    b->element->name, 1e3 * b->rms, 1e3 * b->surfaces.residual);
    }
}

/* Leaves out landmarks that were found by shape, but that the surfaces contradict. */
static void drop_contradicted(fb_retarget *r, fb_retarget_body *b) {
    const fb_surface *bone = b->target->surface;
    double most = CONTRADICTED * fb_v3_distance(bone->low, bone->high);
    size_t kept = 0;
    for (size_t i = 0; i < b->n; i++) {
        double at_target[3];
        fb_transform_point(&b->map, b->from[i], at_target);
        if (fb_v3_distance(at_target, b->to[i]) <= most) {
            b->names[kept] = b->names[i];
            fb_v3_copy(b->from[kept], b->from[i]);
            fb_v3_copy(b->to[kept], b->to[i]);
            b->weight[kept++] = b->weight[i];
        }
    }
    if (kept < b->n) {
        fb_diag_add(&r->cli->diag, FB_WARNING, FB1412, at(r->skeleton.file, b->target->line),
                    "they are left out",
                    "%s: %zu of %zu feature points that were found by the bones' shapes are not "
                    "where the surfaces have them",
                    b->element->name, b->n - kept, b->n);
    }
    b->n = kept;
}

static fb_status place_body(fb_retarget *r, const fb_retarget_standard *s, fb_retarget_body *b,
                            const fb_transform *expected) {
    const fb_body_transform *given = fb_transforms_find(&r->given, b->element->name);
    bool bones = b->standard && b->target;
    fb_status status = FB_OK;
    if (given) {
        b->map = given->transform;
        b->placed = true;
    } else if (r->any_given) {
        return FB_OK;
    } else {
        fb_transform_kind kind = !r->default_kind ? r->kind
                                 : bones          ? FB_TRANSFORM_SURFACE
                                                  : FB_TRANSFORM_SIMILARITY;
        if (bones) {
            status = check_size(r, b, b->from, b->standard, "standard");
        }
        status = status == FB_OK ? check_size(r, b, b->to, b->target, "new skeleton") : status;
        bool by_pairs = kind == FB_TRANSFORM_TPS || kind == FB_TRANSFORM_ANISOTROPIC ||
                        (!r->automatic && kind != FB_TRANSFORM_SURFACE);
        if (status != FB_OK || (!bones && b->n == 0)) {
            return status;
        }
        if (bones && (!by_pairs || b->n < 3)) { /* too few points: the surfaces tell */
            kind = b->n < 3 && by_pairs ? FB_TRANSFORM_SIMILARITY : kind;
            status = place_by_surfaces(r, s, b, kind, expected);
        } else {
            status = place_by_pairs(r, b,
                                    kind == FB_TRANSFORM_SURFACE ? FB_TRANSFORM_SIMILARITY : kind);
        }
    }
    if (status != FB_OK || !b->placed) {
        return status;
    }
    fb_transform similar;
    fb_diag quiet;
    fb_diag_init(&quiet);
    if (r->automatic && b->aligned && !b->doubtful) {
        drop_contradicted(r, b);
    }
    if (b->n) { /* given or found, not those that are named below */
        b->each = fb_arena_array(&r->arena, b->n, sizeof *b->each);
        b->rms = residual(&b->map, b, b->each);
        fb_spread_of(&b->spread, b->from[0], 3, b->n);
        if (fit(r, b, FB_TRANSFORM_SIMILARITY, &similar, &quiet) == FB_OK) {
            b->similar = b->aligned ? b->similar : similar;
            b->similarity_rms = residual(&similar, b, NULL);
        }
        if (b->n > 3 && b->n <= MOST_LEFT_OUT) {
            leave_out(r, b);
        }
    }
    fb_diag_clear(&quiet);
    tell_apart(r, b);
    if ((b->aligned || (given && bones)) && b->n < 4 && !b->doubtful) {
        name_points(r, b);
        b->each = fb_arena_array(&r->arena, b->n, sizeof *b->each);
        residual(&b->map, b, b->each); /* of those that were added, none */
    }
    if (given && given->framed) {
        b->frame = given->frame;
    } else {
        /* as the best similarity has it: the linear part of a spline may be far from any */
        bool own = b->map.kind <= FB_TRANSFORM_SIMILARITY || b->similar.scale[0] == 0;
        const fb_transform *by = own ? &b->map : &b->similar;
        memcpy(b->frame.R, by->rotation, sizeof b->frame.R);
        fb_v3_copy(b->frame.p, by->translation);
    }
    return FB_OK;
}

/* ---- bones that fit in two ways -------------------------------------------------------------- */

/* Poses of a model's bodies in its default pose, by the name of each of the standard's; NULL
 * without a model: the bones of a folder have one frame. */
static bool default_pose(const fb_system *system, const char *body, fb_pose *pose,
                         const fb_state *state) {
    if (!system) {
        fb_pose_identity(pose);
        return true;
    }
    const fb_element *element = fb_model_find(system->model, FB_FRAME, body);
    int number = element ? fb_system_body(system, element, NULL) : -1;
    if (number >= 0) {
        *pose = state->pose[number];
    }
    return number >= 0;
}

/* How many joints lie between two bodies; a large number if none connects them. */
static int steps_between(const fb_system *system, const fb_element *a, const fb_element *b) {
    int x = fb_system_body(system, a, NULL), y = fb_system_body(system, b, NULL), n = 0;
    while (x != y && x >= 0 && y >= 0) {
        if (x > y) {
            x = system->mobods[x].parent;
        } else {
            y = system->mobods[y].parent;
        }
        n++;
    }
    return x == y ? n : 1000;
}

/* Where a bone is to be expected: turned as the nearest body that is placed, both models being in
 * their default poses, with its scale, the middles on each other. */
static bool expect(fb_retarget *r, fb_retarget_standard *s, const fb_retarget_body *b,
                   const fb_system *systems[2], fb_state *states[2], fb_transform *start) {
    const fb_retarget_body *near = NULL;
    int least = 1000;
    for (int i = 0; i < s->n_bodies; i++) {
        const fb_retarget_body *other = s->bodies + i;
        int steps = other->placed && !other->doubtful
                        ? steps_between(systems[0], b->element, other->element)
                        : 1000;
        if (steps < least) {
            least = steps;
            near = other;
        }
    }
    fb_pose own[2], others[2];
    if (!near || !default_pose(systems[0], b->element->name, own, states[0]) ||
        !default_pose(systems[1], b->target->body, own + 1, states[1]) ||
        !default_pose(systems[0], near->element->name, others, states[0]) ||
        !default_pose(systems[1], near->target ? near->target->body : near->element->name,
                      others + 1, states[1])) {
        return false;
    }
    /* from the standard's ground to the target's, as the neighbour has it; then for this body */
    double a[9], g[9], c[9];
    fb_m3_mul(a, others[1].R, near->map.rotation);
    fb_m3_mult(g, a, others[0].R);
    fb_m3_tmul(a, own[1].R, g);
    fb_m3_mul(c, a, own[0].R);
    fb_transform_identity(start);
    start->kind = FB_TRANSFORM_SIMILARITY;
    double scale = cbrt(near->map.scale[0] * near->map.scale[1] * near->map.scale[2]), at[3];
    for (int i = 0; i < 9; i++) {
        start->rotation[i] = c[i];
        start->linear[i] = scale * c[i];
    }
    fb_v3_set(start->scale, scale, scale, scale);
    fb_m3_mul_v3(at, start->linear, b->standard->surface->center);
    fb_v3_sub(start->translation, b->target->surface->center, at);
    (void)r;
    return true;
}

static double angle_between(const double *a, const double *b) {
    double m[9];
    fb_m3_tmul(m, a, b);
    return acos(fb_greater(-1, fb_lesser(1, (m[0] + m[4] + m[8] - 1) / 2)));
}

/* Places the bones that wait, and the doubtful ones, as their neighbours tell; an error for those
 * that fit in two ways and of which nothing tells. */
static fb_status place_doubtful(fb_retarget *r, fb_retarget_standard *s) {
    fb_system *systems[2] = {NULL, NULL};
    fb_state *states[2] = {NULL, NULL};
    fb_diag quiet;
    fb_status status = FB_OK;
    fb_diag_init(&quiet);
    bool posed =
        fb_system_compile(systems, s->original, &(fb_system_options){0}, &quiet) == FB_OK &&
        (!r->skeleton_model || fb_system_compile(systems + 1, r->skeleton_model,
                                                 &(fb_system_options){0}, &quiet) == FB_OK);
    for (int i = 0; i < 2 && posed; i++) {
        states[i] = systems[i] ? fb_state_new(systems[i]) : NULL;
        posed = !systems[i] || states[i];
        if (states[i]) {
            fb_state_position(states[i]);
        }
    }
    for (int i = 0; i < s->n_bodies && status == FB_OK; i++) {
        fb_retarget_body *b = s->bodies + i;
        fb_transform start;
        if (!b->doubtful && !b->waits) {
            continue;
        }
        const fb_system *known[2] = {systems[0], systems[1]};
        bool told = posed && expect(r, s, b, known, states, &start);
        double one = 1e3 * b->surfaces.residual, other = 1e3 * b->surfaces.second;
        b->placed = false;
        status = told ? place_body(r, s, b, &start) : FB_OK;
        if (told && angle_between(b->map.rotation, start.rotation) < NEAR) {
            b->doubtful = b->waits = false;
            continue;
        }
        if (b->waits) { /* no neighbour tells: it is sought everywhere */
            b->waits = b->placed = false;
            status = status == FB_OK ? place_body(r, s, b, NULL) : status;
            one = 1e3 * b->surfaces.residual;
            other = 1e3 * b->surfaces.second;
        }
        if (status == FB_OK && b->doubtful) {
            fb_diag_add(&r->cli->diag, FB_ERROR, FB1414, at(r->skeleton.file, 0), NULL,
                        "the bone '%s' fits in two ways almost alike (%.2f mm, and %.2f mm turned "
                        "by more than 30 degrees), and its neighbours do not tell: give feature "
                        "points, or --fix to take the better",
                        b->target->body, one, other);
            status = FB_E_INPUT;
        }
    }
    for (int i = 0; i < 2; i++) {
        fb_state_free(states[i]);
        fb_system_free(systems[i]);
    }
    fb_diag_clear(&quiet);
    return status;
}

fb_status fb_retarget_maps(fb_retarget *r, fb_retarget_standard *s) {
    match_bones(r, s);
    fb_status status = sort_pairs(r, s, &r->pairs);
    int placed = 0, doubtful = 0;
    for (int i = 0; i < s->n_bodies; i++) {
        /* where a person gave points, their residuals tell */
        fb_status one = s->bodies[i].n < 3 ? check_shape(r, s->bodies + i, true) : FB_OK;
        status = status == FB_OK ? one : status;
    }
    for (int i = 0; i < s->n_bodies && status == FB_OK; i++) {
        const fb_retarget_body *b = s->bodies + i;
        bool bones = b->standard && b->target, needed = r->automatic || b->n < 3;
        bool joints = b->guess.kind == FB_BONE_FEMUR || b->guess.kind == FB_BONE_TALUS ||
                      b->guess.kind == FB_BONE_HUMERUS;
        status = bones && (!r->any_given || r->automatic) && (needed || joints)
                     ? pair_landmarks(r, s->bodies + i)
                     : FB_OK;
    }
    bool with_points = false;
    for (int i = 0; i < s->n_bodies; i++) {
        with_points = with_points || (!r->automatic && s->bodies[i].n >= 3);
    }
    for (int i = 0; i < s->n_bodies && status == FB_OK; i++) {
        r->step = i;
        r->n_steps = s->n_bodies;
        fb_retarget_progress(r, 0);
        fb_retarget_body *b = s->bodies + i;
        /* beside bodies for which a person gave points, the others are placed as these tell */
        b->waits = with_points && b->n < 3 && b->standard && b->target && !r->any_given;
        status = b->waits ? FB_OK : place_body(r, s, b, NULL);
        placed += b->placed || b->waits;
        doubtful += b->waits || (b->doubtful && !r->fix);
    }
    status = status == FB_OK && doubtful ? place_doubtful(r, s) : status;
    fb_retarget_progress(r, 1);
    if (status == FB_OK && placed == 0) {
        fb_diag_add(&r->cli->diag, FB_ERROR, FB1412, at(r->skeleton.file, 0), NULL,
                    "no body of %s has a partner in it: name its bones as the model's bodies, or "
                    "give feature points",
                    s->file);
        status = FB_E_INPUT;
    }
    return status;
}

bool fb_retarget_is_identity(const fb_retarget_body *b) {
    if (!b->placed || b->map.n) {
        return false;
    }
    double same = 0;
    for (int i = 0; i < 9; i++) {
        same = fb_greater(same, fabs(b->map.linear[i] - b->frame.R[i]));
    }
    return same < SAME && fb_v3_distance(b->map.translation, b->frame.p) < SAME;
}

void fb_retarget_all_pairs(const fb_retarget_standard *s, fb_pairs *pairs) {
    for (int i = 0; i < s->n_bodies; i++) {
        const fb_retarget_body *b = s->bodies + i;
        for (size_t k = 0; k < b->n; k++) {
            fb_pair pair = {.name = b->names[k], .body = b->element->name, .weight = b->weight[k]};
            fb_v3_copy(pair.standard, b->from[k]);
            fb_v3_copy(pair.target, b->to[k]);
            fb_pairs_add(pairs, &pair);
        }
    }
}
