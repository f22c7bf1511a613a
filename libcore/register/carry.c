#include "libcore/register/carry.h"

#include <stdarg.h>
#include <stdio.h>

#include "libcore/base/number.h"
#include "libcore/register/carry_internal.h"

/* ---- what all use -----------------------------------------------------------------------------
 */

bool fb_carry_set(fb_carry_job *job, fb_element *element, const char *key, const double *x, int n) {
    int i = fb_class_field(element->cls, key);
    if (i < 0) {
        return false;
    }
    const fb_value *old = &element->values[i];
    bool number = element->cls->fields[i].type == FB_NUMBER;
    for (int k = 0; k < n; k++) {
        bool was = !old->present || old->n <= k ||
                   isfinite(number ? old->as.number : old->as.numbers[k]);
        if (was && !isfinite(x[k])) {
            fb_carry_tell(job, FB_ERROR, element, "'%s' would become a number that is not finite",
                          key);
            job->status = job->status == FB_OK ? FB_E_NUMERIC : job->status;
            return false;
        }
    }
    if (number) {
        fb_value_set_number(&element->values[i], x[0]);
    } else {
        fb_value_set_numbers(job->model, &element->values[i], x, n);
    }
    job->changed = true;
    return true;
}

void fb_carry_tell(fb_carry_job *job, fb_action action, const fb_element *element,
                   const char *format, ...) {
    char text[400];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    const fb_element *component = fb_element_component(element);
    fb_diag_add(job->diag, action, FB2601, fb_element_place(element), NULL, "%s '%s': %s",
                element->cls->name,
                element->name     ? element->name
                : component->name ? component->name
                                  : "",
                text);
}

void fb_carry_note(fb_carry_job *job, const fb_carried *item) {
    fb_carry_report *report = job->report;
    if (report) {
        FB_PUSH(&report->arena, report->items, report->n, report->capacity, *item);
    }
}

double fb_carry_bone_before(const fb_carry_job *job, int body, const double *p) {
    const fb_surface *bone = body < 0 || job->uniform ? NULL : job->maps[body].from;
    return bone ? fb_surface_nearest(bone, p, NULL, NULL, NULL) : FB_NAN;
}

double fb_carry_bone_after(const fb_carry_job *job, int body, const double *p, double *nearest,
                           double *normal) {
    const fb_surface *bone = body < 0 || job->uniform ? NULL : job->maps[body].to;
    if (!bone) {
        return FB_NAN;
    }
    const fb_pose *frame = &job->maps[body].frame;
    double there[3], at[3], n[3], d[3];
    fb_pose_point(there, frame, p);
    double distance = fb_surface_nearest(bone, there, at, n, NULL);
    if (nearest) {
        fb_v3_sub(d, at, frame->p);
        fb_m3_tmul_v3(nearest, frame->R, d);
    }
    if (normal) {
        fb_m3_tmul_v3(normal, frame->R, n);
    }
    return distance;
}

/* ---- the maps of bodies -----------------------------------------------------------------------
 */

/* The map of a body in its own frames, old and new. */
static void own_map(fb_carry_job *job, int i) {
    const fb_body_map *body = &job->maps[i];
    fb_pose back;
    if (body->identity || !body->given) {
        fb_transform_identity(&job->bodies[i]);
        return;
    }
    fb_pose_inverse(&back, &body->frame);
    fb_transform_after(&job->bodies[i], &body->map, back.R, back.p, &job->scratch);
    fb_carry_clean(&job->bodies[i]);
}

static int body_of(fb_carry_job *job, const fb_element *frame) {
    fb_pose pose;
    const fb_element *base = NULL;
    const fb_list *bodies = fb_model_items(job->model, "bodies");
    if (!frame || !fb_frame_pose(frame, &pose, &base)) {
        return -1;
    }
    for (size_t i = 0; i < bodies->n; i++) {
        if (bodies->items[i] == base) {
            return (int)i;
        }
    }
    return -1;
}

static void take_from(fb_carry_job *job, int body, int neighbour) {
    static const double origin[3] = {0, 0, 0};
    const fb_transform *map = &job->bodies[neighbour];
    double s = cbrt(fabs(fb_carry_determinant(map, origin)));
    const fb_list *bodies = fb_model_items(job->model, "bodies");
    if (fb_carry_similar(map) && fabs(s - map->scale[0]) < 1e-12) {
        s = map->scale[0];
    }
    s = fb_carry_same(map) ? 1 : s;
    fb_carry_scaling(&job->bodies[body], s, map->mirrored);
    if (!fb_carry_same(&job->bodies[body])) {
        fb_carry_tell(job, FB_WARNING, bodies->items[body],
                      "nothing says what it becomes: it is scaled by %.4g%s as '%s' beside it", s,
                      map->mirrored ? " and mirrored" : "", fb_osim_name(bodies->items[neighbour]));
    }
}

/* Bodies of which nothing is known take the scale of the nearest that is: first along joints from
 * their parents, then from their children, then welded or not, any. */
static void fill_maps(fb_carry_job *job) {
    const fb_list *joints = fb_model_items(job->model, "joints");
    int n = job->n_maps;
    bool *known = fb_arena_array(&job->scratch, (size_t)n + 1, sizeof *known);
    int *next = fb_arena_array(&job->scratch, (size_t)n + 1, sizeof *next);
    for (int i = 0; i < n; i++) {
        known[i] = job->maps[i].given || job->maps[i].identity;
    }
    for (bool found = true; found;) {
        found = false;
        for (int i = 0; i < n; i++) {
            next[i] = -1;
        }
        for (int side = 0; side < 2; side++) {
            for (size_t j = 0; j < joints->n; j++) {
                int parent = body_of(job, fb_get_target(joints->items[j], "parent"));
                int child = body_of(job, fb_get_target(joints->items[j], "child"));
                int to = side == 0 ? child : parent, from = side == 0 ? parent : child;
                if (to >= 0 && from >= 0 && !known[to] && known[from] && next[to] < 0) {
                    next[to] = from;
                }
            }
        }
        for (int i = 0; i < n; i++) {
            if (next[i] >= 0) {
                take_from(job, i, next[i]);
                known[i] = found = true;
            }
        }
    }
}

/* ---- markers ----------------------------------------------------------------------------------
 */

static fb_element *marker_called(fb_carry_job *job, const char *name) {
    fb_list *markers = fb_model_list(job->model, "markers");
    for (size_t i = 0; i < markers->n; i++) {
        if (strcmp(fb_osim_name(markers->items[i]), name) == 0) {
            return markers->items[i];
        }
    }
    fb_element *marker = fb_element_new(job->model, fb_class_find("Marker"), name);
    fb_element_defaults(job->model, marker);
    marker->order = 1 << 28;
    fb_model_add(job->model, marker, NULL);
    return marker;
}

/* The new skeleton's feature points as markers of the same names. */
static void add_markers(fb_carry_job *job) {
    const fb_features *features = job->options ? job->options->target : NULL;
    const fb_list *bodies = fb_model_items(job->model, "bodies");
    for (size_t i = 0; features && i < features->n; i++) {
        const fb_feature *feature = &features->items[i];
        int at = -1;
        for (size_t b = 0; b < bodies->n; b++) {
            at = feature->body && strcmp(fb_osim_name(bodies->items[b]), feature->body) == 0
                     ? (int)b
                     : at;
        }
        if (at < 0) {
            fb_diag_add(
                job->diag, FB_WARNING, FB2601, (fb_place){0}, NULL,
                "feature point '%s' is on '%s', which the model lacks: it becomes no marker",
                feature->name, feature->body ? feature->body : "");
            continue;
        }
        char *name = fb_arena_dup(&job->model->arena, feature->name);
        for (char *c = name; *c; c++) { /* what names of components cannot hold */
            *c = *c == ' ' || *c == '/' ? '_' : *c;
        }
        const fb_pose *frame = &job->maps[at].frame;
        double d[3], p[3];
        fb_v3_sub(d, feature->location, frame->p);
        fb_m3_tmul_v3(p, frame->R, d);
        fb_element *marker = marker_called(job, name);
        const char *path = bodies->items[at]->path;
        fb_value *ref = fb_value_of(marker, "frame");
        fb_value_set_refs(job->model, ref, &path, 1);
        ref->as.refs[0].target = bodies->items[at];
        fb_carry_set(job, marker, "location", p, 3);
    }
}

/* ---- all --------------------------------------------------------------------------------------
 */

static void carry_all(fb_carry_job *job, double mass) {
    fb_carry_frames(job);
    fb_carry_joints(job);
    fb_carry_masses(job, mass);
    fb_carry_geometry(job);
    fb_carry_points(job);
    if (!job->uniform) {
        fb_carry_wraps(job);
    }
    fb_carry_resting(job);
}

static void begin(fb_carry_job *job) {
    fb_arena_init(&job->scratch);
    job->frames.arena = job->sides.arena = job->factors.arena = job->done.arena = &job->scratch;
}

/* Everything by one scale, so that the height is met. */
static void meet_height(fb_carry_job *job, double wanted) {
    double height = fb_carry_height(job);
    if (!(height > 0)) {
        fb_carry_tell(job, FB_ERROR, job->model->root,
                      "it has neither bones nor markers by which its height could be measured");
        job->status = FB_E_INPUT;
        return;
    }
    fb_carry_job again = *job;
    const fb_carry_options *options = job->options;
    double k = wanted / height;
    memset(&again.frames, 0, sizeof again.frames);
    again.sides = again.factors = again.done = again.frames;
    again.frames.arena = again.sides.arena = again.factors.arena = again.done.arena =
        &again.scratch;
    again.uniform = true;
    again.report = NULL;
    fb_lengths_begin(&again.was, job->model);
    again.bodies = fb_arena_array(&again.scratch, (size_t)job->n_maps + 1, sizeof *again.bodies);
    for (int i = 0; i < job->n_maps; i++) {
        fb_carry_scaling(&again.bodies[i], k, false);
    }
    /* masses that were asked for stay; others go with the volume again */
    double mass = options->mass > 0 || isnan(options->mass) ? FB_NAN : 0;
    carry_all(&again, mass);
    fb_lengths_end(&again.was);
    job->scratch = again.scratch;
    job->status = again.status;
    if (job->report) {
        job->report->scale = k;
    }
}

fb_status fb_carry(fb_model *model, const fb_model *standard, const fb_body_map *maps, int n_maps,
                   const fb_carry_options *options, fb_carry_report *report, fb_diag *diag) {
    fb_carry_job job = {.model = model,
                        .maps = maps,
                        .n_maps = n_maps,
                        .options = options,
                        .report = report,
                        .diag = diag};
    jmp_buf oom, *outer = model->arena.oom;
    begin(&job);
    if (report) {
        fb_arena_init(&report->arena);
        report->items = NULL;
        report->n = report->capacity = 0;
        report->scale = 1;
    }
    if ((size_t)n_maps != fb_model_items(model, "bodies")->n) {
        fb_diag_add(diag, FB_ERROR, FB2601, (fb_place){0}, NULL, "there are %d maps for %zu bodies",
                    n_maps, fb_model_items(model, "bodies")->n);
        return FB_E_INPUT;
    }
    if (setjmp(oom)) {
        fb_diag_add(diag, FB_ERROR, FB1003, (fb_place){0}, NULL, "out of memory");
        job.status = FB_E_MEMORY;
    } else {
        model->arena.oom = job.scratch.oom = &oom;
        if (report) {
            report->arena.oom = &oom;
        }
        fb_lengths_begin(&job.was, standard);
        job.bodies = fb_arena_array(&job.scratch, (size_t)n_maps + 1, sizeof *job.bodies);
        for (int i = 0; i < n_maps; i++) {
            own_map(&job, i);
        }
        fill_maps(&job);
        carry_all(&job, options ? options->mass : 0);
        add_markers(&job);
        if (job.status == FB_OK && options && options->height > 0) {
            meet_height(&job, options->height);
        }
    }
    fb_lengths_end(&job.was);
    fb_arena_clear(&job.scratch);
    model->arena.oom = outer;
    if (report) {
        report->arena.oom = NULL;
    }
    return job.status;
}

void fb_carry_report_free(fb_carry_report *report) {
    fb_arena_clear(&report->arena);
    report->items = NULL;
    report->n = report->capacity = 0;
}
