/* ScaleTool of fbsim run: a model scaled by measured markers, and its markers placed. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/number.h"
#include "libcore/solve/scale.h"
#include "tools/fbsim_ik.h"
#include "tools/fbsim_run.h"

#define FAR_FACTOR 3.0 /* a measurement that differs so from the model's is told */

typedef struct scaling {
    fb_run *run;
    fb_model *model;
    fb_arena arena;
    fb_system *system; /* of the model before it is scaled */
    fb_state *state;
    fb_trc trc;
    fb_body_scale *scales;
    size_t n_scales, capacity;
    double range[2];
} scaling;

static void tell(const scaling *s, fb_action action, const fb_setup_node *node, const char *effect,
                 const char *what, const char *name) {
    char message[512]; /* `what` has one %s */
    const char *gap = strstr(what, "%s");
    snprintf(message, sizeof message, "%.*s%s%s", gap ? (int)(gap - what) : (int)strlen(what), what,
             gap ? name : "", gap ? gap + 2 : "");
    fb_diag_add(&s->run->cli->diag, action, FB1415,
                (fb_place){s->run->setup->file, node ? fb_setup_line(node) : 0, NULL, NULL}, effect,
                "%s", message);
}

/* ---- markers of the model -------------------------------------------------------------------- */

static fb_element *marker_of(const fb_model *model, const char *name) {
    const fb_list *markers = fb_model_items(model, "markers");
    for (size_t i = 0; i < markers->n; i++) {
        if (strcmp(fb_osim_name(markers->items[i]), name) == 0) {
            return markers->items[i];
        }
    }
    return NULL;
}

static void remove_marker(fb_model *model, const fb_element *marker) {
    fb_list *markers = fb_model_list(model, "markers");
    size_t kept = 0;
    for (size_t i = 0; i < markers->n; i++) {
        if (markers->items[i] != marker) {
            markers->items[kept++] = markers->items[i];
        }
    }
    markers->n = kept;
}

/* The frame that an old <body>NAME</body> or a socket names. */
static const fb_element *frame_named(const fb_model *model, const char *name) {
    const char *last = strrchr(name, '/');
    const fb_element *frame = fb_model_find(model, FB_FRAME, name);
    return frame ? frame : fb_model_find(model, FB_FRAME, last ? last + 1 : name);
}

static fb_status add_marker(scaling *s, fb_setup *set, fb_setup_node *node, int order) {
    const char *socket = fb_setup_text(node, "socket_parent_frame"),
               *body = socket ? socket : fb_setup_text(node, "body"), *name = fb_setup_name(node);
    double location[3] = {0, 0, 0};
    bool fixed = fb_setup_bool(set, node, "fixed", false);
    const fb_element *frame = body ? frame_named(s->model, body) : NULL;
    if (!frame && body && strcmp(body, "ground") == 0) {
        frame = s->model->ground;
    }
    if (fb_setup_numbers(set, node, "location", location, 3) != 3 || !frame) {
        fb_diag_add(&s->run->cli->diag, FB_ERROR, FB1415,
                    (fb_place){set->file, fb_setup_line(node), NULL, "Marker"}, NULL,
                    "marker '%s': %s%s", name,
                    frame ? "it has no location of three numbers" : "the model has no body ",
                    frame  ? ""
                    : body ? body
                           : "that it names");
        return FB_E_INPUT;
    }
    const fb_element *old = marker_of(s->model, name);
    if (old) {
        remove_marker(s->model, old);
    }
    fb_model *model = s->model;
    fb_element *marker = fb_element_new(model, fb_class_find("Marker"),
                                        fb_arena_dup(&model->arena, name));
    fb_element_defaults(model, marker);
    const char *path = frame->path;
    fb_value *ref = fb_value_of(marker, "frame");
    fb_value_set_refs(model, ref, &path, 1);
    ref->as.refs[0].target = frame;
    fb_value_set_numbers(model, fb_value_of(marker, "location"), location, 3);
    *fb_value_of(marker, "fixed") = (fb_value){.present = true, .n = 1, .as.truth = fixed};
    marker->order = order;
    fb_model_add(model, marker, NULL);
    return FB_OK;
}

static fb_status add_marker_set(scaling *s, const char *file) {
    fb_setup set;
    int order = 1 << 28; /* after the model's own */
    fb_status status = fb_setup_read(&set, file, s->run->max_bytes, &s->run->cli->diag);
    fb_setup_node *objects = status == FB_OK ? fb_setup_child(set.tool, "objects") : NULL;
    for (fb_setup_node *n = fb_setup_first(objects ? objects : set.tool); status == FB_OK && n;
         n = fb_setup_after(n)) {
        if (strcmp(fb_setup_tag(n), "Marker") == 0) {
            status = add_marker(s, &set, n, order++);
        }
    }
    fb_setup_free(&set);
    return status;
}

static bool model_point(const scaling *s, const char *name, double *point) {
    const fb_element *marker = marker_of(s->model, name);
    fb_pose frame;
    double location[3], in_body[3];
    int body = marker ? fb_system_body(s->system, fb_get_target(marker, "frame"), &frame) : -1;
    if (body < 0 || !fb_get_vector(marker, "location", location, 3)) {
        return false;
    }
    fb_pose_point(in_body, &frame, location);
    fb_pose_point(point, &s->state->pose[body], in_body);
    return true;
}

/* ---- measurements ---------------------------------------------------------------------------- */

/* The mean distance of two markers in the range: from the last row at or before its begin to the
 * first at or after its end. nan if they are never seen together. */
static double measured(const scaling *s, int a, int b) {
    const fb_trc *t = &s->trc;
    int first = 0, last = t->n_rows - 1, n = 0;
    double sum = 0;
    while (first + 1 < t->n_rows && t->time[first + 1] <= s->range[0]) {
        first++;
    }
    while (last > first && t->time[last - 1] >= s->range[1]) {
        last--;
    }
    for (int row = first; row <= last; row++) {
        double d = fb_v3_distance(fb_trc_point(t, row, a), fb_trc_point(t, row, b));
        if (isfinite(d)) {
            sum += d;
            n++;
        }
    }
    return n > 0 ? sum / n : FB_NAN;
}

/* The factor of a pair; nan with a warning if a marker is missing. */
static double pair_factor(const scaling *s, const fb_setup_node *pair) {
    const char **names = fb_setup_words(s->run->setup, pair, "markers");
    double p[2][3];
    int column[2];
    for (int i = 0; i < 2; i++) {
        if (!names || !names[0] || !names[i]) {
            tell(s, FB_WARNING, pair, "its measurement is left out",
                 "a pair of markers needs two names%s", "");
            return FB_NAN;
        }
        column[i] = fb_trc_marker(&s->trc, names[i]);
        if (column[i] < 0 || !model_point(s, names[i], p[i])) {
            tell(s, FB_WARNING, pair, "its measurement is left out",
                 column[i] < 0 ? "the marker file has no '%s'" : "the model has no marker '%s'",
                 names[i]);
            return FB_NAN;
        }
    }
    double model = fb_v3_distance(p[0], p[1]), subject = measured(s, column[0], column[1]);
    if (!(model > 0) || !isfinite(subject)) {
        tell(s, FB_WARNING, pair, "its measurement is left out",
             model > 0 ? "'%s' and its partner are never seen together"
                       : "'%s' and its partner are in one place of the model",
             names[0]);
        return FB_NAN;
    }
    if (subject > FAR_FACTOR * model || model > FAR_FACTOR * subject) {
        tell(s, FB_WARNING, pair, NULL,
             "the markers of '%s' are at a very different distance than the model's: are names and "
             "units right?",
             names[0]);
    }
    return subject / model;
}

static double *factor_of(scaling *s, const char *body) {
    for (size_t i = 0; i < s->n_scales; i++) {
        if (strcmp(s->scales[i].body, body) == 0) {
            return s->scales[i].factor;
        }
    }
    fb_body_scale scale = {fb_arena_dup(&s->arena, body), {1, 1, 1}};
    FB_PUSH(&s->arena, s->scales, s->n_scales, s->capacity, scale);
    return s->scales[s->n_scales - 1].factor;
}

static bool is_body(const scaling *s, const char *name) {
    const fb_list *bodies = fb_model_items(s->model, "bodies");
    for (size_t i = 0; i < bodies->n; i++) {
        if (strcmp(fb_osim_name(bodies->items[i]), name) == 0) {
            return true;
        }
    }
    return false;
}

static void apply_measurement(scaling *s, fb_setup_node *m) {
    double sum = 0;
    int n = 0;
    if (!fb_setup_bool(s->run->setup, m, "apply", true)) {
        return;
    }
    for (fb_setup_node *p = fb_setup_objects(m, "MarkerPairSet"); p; p = fb_setup_after(p)) {
        if (strcmp(fb_setup_tag(p), "MarkerPair") == 0) {
            sum += pair_factor(s, p);
            n++;
        }
    }
    double factor = n > 0 ? sum / n : FB_NAN;
    if (!isfinite(factor)) {
        tell(s, FB_WARNING, m, "its bodies keep their size", "measurement '%s' gives no factor",
             fb_setup_name(m));
        return;
    }
    if (s->run->cli->verbose) {
        fb_cli_say(s->run->cli, "measurement '%s': %.6g", fb_setup_name(m), factor);
    }
    for (fb_setup_node *b = fb_setup_objects(m, "BodyScaleSet"); b; b = fb_setup_after(b)) {
        const char **axes = fb_setup_words(s->run->setup, b, "axes");
        if (strcmp(fb_setup_tag(b), "BodyScale") != 0) {
            continue;
        }
        if (!is_body(s, fb_setup_name(b))) {
            tell(s, FB_WARNING, b, "it has no effect", "the model has no body '%s'",
                 fb_setup_name(b));
            continue;
        }
        double *f = factor_of(s, fb_setup_name(b));
        for (int i = 0; axes && axes[i]; i++) {
            int axis = (axes[i][0] | 32) - 'x';
            if (axis >= 0 && axis < 3) {
                f[axis] = factor;
            }
        }
    }
}

static void apply_manual(scaling *s, fb_setup_node *scale) {
    const char *segment = fb_setup_text(scale, "segment");
    double x[3];
    if (!fb_setup_bool(s->run->setup, scale, "apply", true)) {
        return;
    }
    if (!segment || fb_setup_numbers(s->run->setup, scale, "scales", x, 3) != 3) {
        tell(s, FB_WARNING, scale, "it has no effect",
             "a Scale needs a <segment> and three <scales>%s", "");
    } else if (!is_body(s, segment)) {
        tell(s, FB_WARNING, scale, "it has no effect", "the model has no body '%s'", segment);
    } else {
        memcpy(factor_of(s, segment), x, sizeof x);
    }
}

/* ---- results --------------------------------------------------------------------------------- */

static fb_status write_text(fb_run *run, const fb_text *text, const char *name) {
    fb_output output;
    fb_status status = fb_run_open(run, name, false, &output);
    if (status == FB_OK) {
        fb_text_add(&output.text, text->bytes, text->n);
        status = fb_cli_close(run->cli, fb_run_place(run, name, false), &output, true);
    }
    return status;
}

static fb_status write_model(scaling *s, const char *name) {
    fb_text text;
    fb_text_init(&text, NULL);
    fb_status status = fb_osim_write(s->model, FB_OSIM_WRITTEN, &text, &s->run->cli->diag);
    if (status == FB_OK) {
        status = write_text(s->run, &text, name);
    }
    fb_text_free(&text);
    return status;
}

static fb_status write_scales(scaling *s, const char *name) {
    fb_text text;
    fb_text_init(&text, NULL);
    fb_text_printf(&text,
                   "<?xml version=\"1.0\" encoding=\"UTF-8\" ?>\n<OpenSimDocument "
                   "Version=\"%d\">\n\t<ScaleSet name=\"\">\n\t\t<objects>\n",
                   FB_OSIM_WRITTEN);
    const fb_list *bodies = fb_model_items(s->model, "bodies");
    for (size_t i = 0; i < bodies->n; i++) {
        const char *body = fb_osim_name(bodies->items[i]);
        const double *f = factor_of(s, body);
        fb_text_puts(&text, "\t\t\t<Scale>\n\t\t\t\t<scales>");
        for (int k = 0; k < 3; k++) {
            fb_text_puts(&text, k ? " " : "");
            fb_text_number(&text, f[k]);
        }
        fb_text_printf(&text,
                       "</scales>\n\t\t\t\t<segment>%s</segment>\n\t\t\t\t<apply>true"
                       "</apply>\n\t\t\t</Scale>\n",
                       body);
    }
    fb_text_puts(&text, "\t\t</objects>\n\t\t<groups />\n\t</ScaleSet>\n</OpenSimDocument>\n");
    fb_status status = write_text(s->run, &text, name);
    fb_text_free(&text);
    return status;
}

/* ---- scaling --------------------------------------------------------------------------------- */

static fb_status find_factors(scaling *s, fb_setup_node *node) {
    fb_setup *setup = s->run->setup;
    fb_system_options options = {.as_opensim4 = s->run->as_opensim4};
    const char **order = fb_setup_words(setup, node, "scaling_order");
    static const char *usual[] = {"measurements", "manualScale", NULL};
    bool measures = false;
    order = order ? order : usual;
    for (int i = 0; order[i]; i++) {
        measures = measures || strcmp(order[i], "measurements") == 0;
    }
    s->range[0] = -FB_INFINITY;
    s->range[1] = FB_INFINITY;
    fb_setup_numbers(setup, node, "time_range", s->range, 2);
    fb_setup_node *first = fb_setup_objects(node, "MeasurementSet");
    const char *file = measures && first ? fb_setup_file(setup, node, "marker_file", true)
                                         : fb_setup_text(node, "marker_file");
    fb_status status = FB_OK;
    if (measures && first) {
        if (!file) {
            tell(s, FB_ERROR, node, NULL, "its measurements need a <marker_file>%s", "");
            return FB_E_INPUT;
        }
        status = fb_trc_read_file(&s->trc, file, s->run->max_bytes, &s->run->cli->diag);
    }
    if (status == FB_OK) {
        status = fb_system_compile(&s->system, s->model, &options, &s->run->cli->diag);
    }
    if (status == FB_OK && !(s->state = fb_state_new(s->system))) {
        status = FB_E_MEMORY;
    }
    if (status != FB_OK) {
        return status;
    }
    fb_state_position(s->state);
    for (int i = 0; order[i]; i++) {
        bool manual = strcmp(order[i], "manualScale") == 0;
        fb_setup_node *n = manual ? fb_setup_objects(node, "ScaleSet") : first;
        if (!manual && strcmp(order[i], "measurements") != 0) {
            tell(s, FB_ERROR, node, NULL,
                 "<scaling_order> holds measurements and manualScale, not '%s'", order[i]);
            return FB_E_INPUT;
        }
        for (; n; n = fb_setup_after(n)) {
            if (manual && strcmp(fb_setup_tag(n), "Scale") == 0) {
                apply_manual(s, n);
            } else if (!manual && strcmp(fb_setup_tag(n), "Measurement") == 0) {
                apply_measurement(s, n);
            }
        }
    }
    return FB_OK;
}

static fb_status scale(scaling *s, fb_setup_node *node) {
    fb_setup *setup = s->run->setup;
    if (!node || !fb_setup_bool(setup, node, "apply", true)) {
        return FB_OK;
    }
    fb_scale_options options = {.mass = fb_setup_number(setup, s->run->tool, "mass", -1),
                                .preserve_mass_distribution =
                                    fb_setup_bool(setup, node, "preserve_mass_distribution", false),
                                .as_opensim4 = s->run->as_opensim4};
    fb_status status = find_factors(s, node);
    if (status == FB_OK) {
        status = fb_scale_model(s->model, s->scales, (int)s->n_scales, &options,
                                &s->run->cli->diag);
    }
    const char *model = fb_setup_text(node, "output_model_file"),
               *scales = fb_setup_text(node, "output_scale_file");
    if (status == FB_OK && *setup->name) {
        s->model->root->name = fb_arena_dup(&s->model->arena, setup->name);
    }
    if (status == FB_OK && model) {
        status = write_model(s, model);
    }
    return status == FB_OK && scales ? write_scales(s, scales) : status;
}

/* ---- placing markers ------------------------------------------------------------------------- */

/* The mean of each marker over the rows in a range, as a table of one row. With `any`, over the
 * rows where it is seen; else nan if it is missing in one. */
static void average(scaling *s, const fb_trc *trc, const double *range, bool any, double *points) {
    for (int m = 0; m < trc->n_markers; m++) {
        double sum[3] = {0, 0, 0};
        int n = 0;
        bool missing = false;
        for (int row = 0; row < trc->n_rows; row++) {
            const double *p = fb_trc_point(trc, row, m);
            if (trc->time[row] < range[0] || trc->time[row] > range[1]) {
                continue;
            }
            if (isfinite(p[0])) {
                fb_v3_add(sum, sum, p);
                n++;
            } else {
                missing = true;
            }
        }
        for (int k = 0; k < 3; k++) {
            points[3 * m + k] = n > 0 && (any || !missing) ? sum[k] / n : FB_NAN;
        }
    }
    (void)s;
}

static void move_markers(const scaling *s, const fb_ik_job *job, const double *points,
                         double limit) {
    fb_list *markers = fb_model_list(s->model, "markers");
    for (size_t i = 0; i < markers->n; i++) {
        fb_element *marker = markers->items[i];
        int column = fb_trc_marker(&job->trc, fb_osim_name(marker));
        fb_pose frame, inverse;
        int body = fb_system_body(job->system, fb_get_target(marker, "frame"), &frame);
        if (column < 0 || body < 0 || fb_get_bool(marker, "fixed") ||
            !isfinite(points[3 * column])) {
            continue;
        }
        double in_body[3], location[3], old[3] = {0, 0, 0};
        fb_pose_inverse(&inverse, &job->ik->state->pose[body]);
        fb_pose_point(in_body, &inverse, points + 3 * column);
        fb_pose_inverse(&inverse, &frame);
        fb_pose_point(location, &inverse, in_body);
        fb_get_vector(marker, "location", old, 3);
        if (limit > 0 && fb_v3_distance(old, location) > limit) {
            tell(s, FB_WARNING, NULL, "it is moved all the same, as in OpenSim",
                 "marker '%s' moves farther than <max_marker_movement>", fb_osim_name(marker));
        }
        fb_value_set_numbers(s->model, fb_value_of(marker, "location"), location, 3);
    }
}

/* All states, as OpenSim has them in a static pose. */
static fb_status write_pose(scaling *s, const fb_ik_job *job, double time, const char *file) {
    fb_sto table;
    jmp_buf oom;
    fb_sto_start(&table, "static pose");
    if (setjmp(oom)) {
        fb_sto_free(&table);
        return FB_E_MEMORY;
    }
    table.arena.oom = &oom;
    const fb_system *system = job->system;
    const fb_list *muscles = fb_model_items(s->model, "muscles");
    for (int pass = 0; pass < 2; pass++) { /* columns, then their numbers */
        double *row = pass ? fb_sto_row(&table) : NULL;
        int n = 0;
        if (!pass) {
            fb_sto_add_column(&table, "time");
        } else {
            row[n++] = time;
        }
        for (int i = 0; i < system->n_q; i++) {
            int c = system->file_order[i];
            const char *path = system->coordinates[c].path;
            if (!pass) {
                fb_sto_add_column(&table, fb_arena_printf(&table.arena, "%s/value", path));
                fb_sto_add_column(&table, fb_arena_printf(&table.arena, "%s/speed", path));
            } else {
                row[n++] = job->ik->state->q[c];
                row[n++] = system->coordinates[c].initial_speed;
            }
        }
        for (size_t i = 0; i < muscles->n; i++) {
            static const char *const states[][3] = {{"activation", "ignore_activation_dynamics",
                                                     "default_activation"},
                                                    {"fiber_length", "ignore_tendon_compliance",
                                                     "default_fiber_length"}};
            const fb_element *f = muscles->items[i];
            for (int k = 0; fb_class_field(f->cls, "optimal_fiber_length") >= 0 && k < 2; k++) {
                double value = fb_get_number(f, states[k][2]);
                if (fb_get_bool(f, states[k][1]) || !isfinite(value)) {
                    continue;
                }
                if (!pass) {
                    fb_sto_add_column(&table, fb_arena_printf(&table.arena, "%s/%s", f->path,
                                                              states[k][0]));
                } else {
                    row[n++] = value;
                }
            }
        }
    }
    table.arena.oom = NULL;
    fb_status status = fb_run_write(s->run, &table, NULL, FB_STORAGE_DECIMALS, file, false);
    fb_sto_free(&table);
    return status;
}

static void drop_unmeasured(const scaling *s, const fb_trc *trc) {
    fb_list *markers = fb_model_list(s->model, "markers");
    size_t kept = 0;
    for (size_t i = 0; i < markers->n; i++) {
        if (fb_trc_marker(trc, fb_osim_name(markers->items[i])) >= 0) {
            markers->items[kept++] = markers->items[i];
        } else {
            tell(s, FB_WARNING, NULL, "it is deleted, as in OpenSim",
                 "the static trial lacks the model's marker '%s'", fb_osim_name(markers->items[i]));
        }
    }
    markers->n = kept;
}

static fb_status place_pose(scaling *s, fb_ik_job *job, fb_setup_node *node) {
    fb_setup *setup = s->run->setup;
    double limit = fb_setup_number(setup, node, "max_marker_movement", -1);
    job->range[0] = -FB_INFINITY;
    job->range[1] = FB_INFINITY;
    fb_setup_numbers(setup, node, "time_range", job->range, 2);
    size_t n = 3 * (size_t)job->trc.n_markers;
    double *seen = fb_arena_array(&s->arena, n, sizeof *seen),
           *always = fb_arena_array(&s->arena, n, sizeof *always);
    double begin = fmax(job->range[0], job->trc.time[0]);
    average(s, &job->trc, job->range, true, seen);
    average(s, &job->trc, job->range, false, always);
    drop_unmeasured(s, &job->trc);
    memcpy(job->trc.points, always, n * sizeof *always); /* one row is left: the mean */
    job->trc.n_rows = 1;
    job->trc.time[0] = begin;
    job->range[0] = -FB_INFINITY;
    job->range[1] = FB_INFINITY;
    fb_system_options options = {.as_opensim4 = s->run->as_opensim4};
    fb_status status = fb_ik_job_tasks(job, setup, node);
    if (status == FB_OK) {
        status = fb_ik_job_coordinates(job, setup, node, s->run->max_bytes);
    }
    if (status == FB_OK) {
        status = fb_system_compile(&job->system, s->model, &options, &s->run->cli->diag);
    }
    if (status == FB_OK) {
        status = fb_ik_job_match(job);
    }
    if (status == FB_OK) {
        status = fb_ik_job_run(job);
    }
    const char *motion = fb_setup_text(node, "output_motion_file"),
               *model = fb_setup_text(node, "output_model_file");
    bool move = fb_setup_bool(setup, node, "move_model_markers", true);
    if (status == FB_OK && move) {
        move_markers(s, job, seen, limit);
    }
    if (status == FB_OK && motion) {
        status = write_pose(s, job, begin, motion);
    }
    if (status == FB_OK && model) {
        status = write_model(s, model);
    }
    if (status == FB_OK) {
        fb_ik_job_summary(job);
    }
    return status;
}

static fb_status place(scaling *s, fb_setup_node *node) {
    fb_ik_job job;
    if (!node || !fb_setup_bool(s->run->setup, node, "apply", true)) {
        return FB_OK;
    }
    const char *file = fb_setup_file(s->run->setup, node, "marker_file", true);
    if (!file) {
        if (!fb_setup_text(node, "marker_file")) {
            tell(s, FB_ERROR, node, NULL, "MarkerPlacer needs a <marker_file>%s", "");
        }
        return FB_E_INPUT;
    }
    memset(&job, 0, sizeof job);
    fb_arena_init(&job.arena);
    job.cli = s->run->cli;
    job.model = s->model;
    job.options = fb_ik_options_default();
    fb_status status = fb_trc_read_file(&job.trc, file, s->run->max_bytes, &s->run->cli->diag);
    if (status == FB_OK) {
        status = place_pose(s, &job, node);
    }
    fb_ik_job_free(&job);
    return status;
}

/* ---- the tool -------------------------------------------------------------------------------- */

static fb_status scale_all(scaling *s) {
    fb_run *run = s->run;
    fb_setup_node *tool = run->tool, *maker = fb_setup_child(tool, "GenericModelMaker");
    static const char *const idle[] = {"height", "age", "notes"};
    for (size_t i = 0; i < sizeof idle / sizeof *idle; i++) {
        fb_setup_text(tool, idle[i]); /* OpenSim makes nothing of them either */
    }
    run->tool = maker ? maker : tool;
    fb_status status = fb_run_model(run, NULL);
    run->tool = tool;
    s->model = run->model;
    const char *set = fb_setup_text(maker, "marker_set_file");
    if (status == FB_OK && set) {
        set = fb_setup_file(run->setup, maker, "marker_set_file", true);
        status = set ? add_marker_set(s, set) : FB_E_INPUT;
    }
    if (status == FB_OK) {
        status = scale(s, fb_setup_child(tool, "ModelScaler"));
    }
    if (status == FB_OK) {
        status = place(s, fb_setup_child(tool, "MarkerPlacer"));
    }
    return status;
}

int fb_run_scale(fb_run *run) {
    scaling s = {.run = run};
    jmp_buf oom;
    fb_status status;
    fb_arena_init(&s.arena);
    if (setjmp(oom)) {
        run->cli->diag.out_of_memory = 1;
        status = FB_E_MEMORY;
    } else {
        s.arena.oom = &oom;
        status = scale_all(&s);
    }
    s.arena.oom = NULL;
    fb_state_free(s.state);
    fb_system_free(s.system);
    fb_trc_free(&s.trc);
    fb_arena_clear(&s.arena);
    return fb_exit_of(status);
}
