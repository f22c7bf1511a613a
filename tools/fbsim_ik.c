/* Inverse kinematics over a table of markers. */
#include "tools/fbsim_ik.h"

#include <math.h>
#include <string.h>

#include "libcore/base/number.h"
#include "tools/fbsim.h"

#define DEGREES 57.29577951308232
#define GOOD_START 0.06 /* m, root mean square: no other start is tried */
#define FAR_UNITS 30.0  /* extents of model and data that differ so: other units */
#define POOR_FIT 0.04   /* m: what Hicks et al. 2015 advise markers to keep below */

/* "what 'name'", with the name that may be meant (NULL: none). */
static void warn(const fb_ik_job *job, const char *file, const char *effect, const char *what,
                 const char *name, const char *near) {
    fb_diag_add(&job->cli->diag, FB_WARNING, FB1416, (fb_place){file, 0, NULL, NULL}, effect,
                "%s '%s'%s%s%s", what, name, near ? "; did you mean '" : "", near ? near : "",
                near ? "'?" : "");
}

/* ---- names ----------------------------------------------------------------------------------- */

static const char *next_marker(const void *context, int i) {
    const fb_list *markers = context;
    return i < (int)markers->n ? fb_osim_name(markers->items[i]) : NULL;
}

static const char *next_track(const void *context, int i) {
    const fb_trc *trc = context;
    return i < trc->n_markers ? trc->names[i] : NULL;
}

static const char *next_coordinate(const void *context, int i) {
    const fb_system *s = context;
    return i < s->n_q ? fb_path_name(s->coordinates[i].path) : NULL;
}

static const fb_element *marker_named(const fb_model *model, const char *name) {
    const fb_list *markers = fb_model_items(model, "markers");
    for (size_t i = 0; i < markers->n; i++) {
        if (strcmp(fb_osim_name(markers->items[i]), name) == 0 ||
            (markers->items[i]->path && strcmp(markers->items[i]->path, name) == 0)) {
            return markers->items[i];
        }
    }
    return NULL;
}

static void add_target(fb_ik_job *job, const char *name, const char *track, double weight) {
    fb_ik_target target = {.name = name, .track = track, .weight = weight};
    FB_PUSH(&job->arena, job->targets, job->n_targets, job->target_capacity, target);
}

static void match_all(fb_ik_job *job) {
    const fb_list *markers = fb_model_items(job->model, "markers");
    for (int i = 0; i < job->trc.n_markers; i++) {
        const char *name = job->trc.names[i];
        if (marker_named(job->model, name)) {
            if (fb_trc_marker(&job->trc, name) == i) {
                add_target(job, name, name, 1);
            }
        } else {
            warn(job, job->trc.file, "it is not used", "the model has no marker", name,
                 fb_nearest_word(name, next_marker, markers));
        }
    }
}

/* Keeps the targets that model and table have, in the order of the table. */
static void match_targets(fb_ik_job *job) {
    const fb_list *markers = fb_model_items(job->model, "markers");
    fb_ik_target *old = job->targets;
    size_t n = job->n_targets;
    for (size_t i = 0; i < n; i++) {
        old[i].column = fb_trc_marker(&job->trc, old[i].track);
        if (!marker_named(job->model, old[i].name)) {
            warn(job, job->model->file, "its task has no effect", "the model has no marker",
                 old[i].name, fb_nearest_word(old[i].name, next_marker, markers));
            old[i].column = -1;
        } else if (old[i].column < 0) {
            warn(job, job->trc.file, "its task has no effect", "there is no marker '%s'%s%s%s",
                 old[i].track, fb_nearest_word(old[i].track, next_track, &job->trc));
        }
    }
    job->targets = NULL;
    job->n_targets = job->target_capacity = 0;
    for (int column = 0; column < job->trc.n_markers; column++) {
        for (size_t i = 0; i < n; i++) {
            if (old[i].column == column) {
                FB_PUSH(&job->arena, job->targets, job->n_targets, job->target_capacity, old[i]);
                break;
            }
        }
    }
}

static fb_status match_wishes(fb_ik_job *job) {
    for (size_t i = 0; i < job->n_wishes; i++) {
        fb_ik_wish *wish = &job->wishes[i];
        wish->coordinate = -1;
        for (int k = 0; k < job->system->n_q; k++) {
            const char *path = job->system->coordinates[k].path;
            if (strcmp(wish->name, path) == 0 || strcmp(wish->name, fb_path_name(path)) == 0) {
                wish->coordinate = k;
            }
        }
        if (wish->coordinate < 0) {
            const char *near = fb_nearest_word(wish->name, next_coordinate, job->system);
            fb_diag_add(&job->cli->diag, FB_ERROR, FB1416,
                        (fb_place){job->model->file, 0, NULL, NULL}, NULL,
                        "the model has no coordinate '%s', which a task names%s%s%s", wish->name,
                        near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
            return FB_E_INPUT;
        }
        if (wish->kind == FB_IK_FROM_FILE) {
            const char *path = job->system->coordinates[wish->coordinate].path;
            wish->column = fb_sto_column(&job->coordinates, fb_path_name(path));
            if (wish->column < 0) {
                wish->column = fb_sto_column(&job->coordinates,
                                             fb_arena_printf(&job->arena, "%s/value", path));
            }
            if (wish->column < 0) {
                fb_diag_add(&job->cli->diag, FB_ERROR, FB1416, (fb_place){NULL, 0, NULL, NULL},
                            NULL, "the coordinate file has no column '%s', which a task wants",
                            wish->name);
                return FB_E_INPUT;
            }
        }
    }
    return FB_OK;
}

fb_status fb_ik_job_match(fb_ik_job *job) {
    jmp_buf oom;
    if (setjmp(oom)) {
        job->cli->diag.out_of_memory = 1;
        job->arena.oom = NULL;
        return FB_E_MEMORY;
    }
    job->arena.oom = &oom;
    if (job->n_targets == 0) {
        match_all(job);
    }
    match_targets(job);
    fb_status status = match_wishes(job);
    if (status == FB_OK && job->n_targets == 0) {
        fb_diag_add(&job->cli->diag, FB_ERROR, FB1416, (fb_place){job->trc.file, 0, NULL, NULL},
                    NULL, "none of its %d markers is one of the model's %zu", job->trc.n_markers,
                    fb_model_items(job->model, "markers")->n);
        status = FB_E_INPUT;
    }
    job->arena.oom = NULL;
    return status;
}

/* ---- set-ups --------------------------------------------------------------------------------- */

static fb_status add_task(fb_ik_job *job, fb_setup *setup, fb_setup_node *task) {
    const char *tag = fb_setup_tag(task), *name = fb_setup_name(task);
    double weight = fb_setup_number(setup, task, "weight", 1);
    bool apply = fb_setup_bool(setup, task, "apply", true);
    bool coordinate = strcmp(tag, "IKCoordinateTask") == 0;
    const char *kind = fb_setup_text(task, "value_type");
    double value = fb_setup_number(setup, task, "value", 0);
    if (!(weight >= 0)) {
        fb_diag_add(&job->cli->diag, FB_ERROR, FB1415,
                    (fb_place){setup->file, fb_setup_line(task), NULL, tag}, NULL,
                    "the weight of '%s' is negative", name);
        return FB_E_INPUT;
    }
    if (!coordinate && strcmp(tag, "IKMarkerTask") != 0) {
        fb_diag_add(&job->cli->diag, FB_WARNING, FB1415,
                    (fb_place){setup->file, fb_setup_line(task), NULL, NULL}, "it has no effect",
                    "<%s> is no task of inverse kinematics", tag);
        return FB_OK;
    }
    if (!apply) {
        return FB_OK;
    }
    name = fb_arena_dup(&job->arena, name);
    if (!coordinate) {
        add_target(job, name, name, weight);
        return FB_OK;
    }
    fb_ik_wish wish = {.name = name, .weight = weight, .value = value};
    wish.kind = !kind || strcmp(kind, "default_value") == 0 ? FB_IK_DEFAULT
                : strcmp(kind, "manual_value") == 0         ? FB_IK_MANUAL
                                                            : FB_IK_FROM_FILE;
    if (wish.kind == FB_IK_FROM_FILE && strcmp(kind, "from_file") != 0) {
        fb_diag_add(&job->cli->diag, FB_ERROR, FB1415,
                    (fb_place){setup->file, fb_setup_line(task), NULL, tag}, NULL,
                    "<value_type> is default_value, manual_value or from_file, not '%s'", kind);
        return FB_E_INPUT;
    }
    FB_PUSH(&job->arena, job->wishes, job->n_wishes, job->wish_capacity, wish);
    return FB_OK;
}

fb_status fb_ik_job_tasks(fb_ik_job *job, fb_setup *setup, const fb_setup_node *node) {
    jmp_buf oom;
    if (setjmp(oom)) {
        job->cli->diag.out_of_memory = 1;
        job->arena.oom = NULL;
        return FB_E_MEMORY;
    }
    job->arena.oom = &oom;
    fb_status status = FB_OK;
    for (fb_setup_node *t = fb_setup_objects(node, "IKTaskSet"); t && status == FB_OK;
         t = fb_setup_after(t)) {
        if (strcmp(fb_setup_tag(t), "objects") != 0 && strcmp(fb_setup_tag(t), "groups") != 0) {
            status = add_task(job, setup, t);
        }
    }
    job->arena.oom = NULL;
    return status;
}

fb_status fb_ik_job_coordinates(fb_ik_job *job, fb_setup *setup, const fb_setup_node *node,
                                size_t max_bytes) {
    bool wanted = false;
    for (size_t i = 0; i < job->n_wishes; i++) {
        wanted = wanted || job->wishes[i].kind == FB_IK_FROM_FILE;
    }
    const char *file = fb_setup_file(setup, node, "coordinate_file", wanted);
    if (!wanted) {
        return FB_OK;
    }
    if (!file) {
        fb_diag_add(&job->cli->diag, FB_ERROR, FB1415, (fb_place){setup->file, 0, NULL, NULL}, NULL,
                    "a task takes its value from_file, but no <coordinate_file> is there");
        return FB_E_INPUT;
    }
    char *bytes;
    size_t size;
    fb_status status = fb_read_file(file, max_bytes, &bytes, &size, &job->cli->diag);
    if (status == FB_OK) {
        status = fb_sto_read(&job->coordinates, bytes, size, file, &job->cli->diag);
        fb_free(bytes);
    }
    return status;
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* Quintic splines through the table, as OpenSim's. */
static fb_status make_splines(fb_ik_job *job) {
    const fb_sto *t = &job->coordinates;
    if (t->n_rows == 0) {
        return FB_OK;
    }
    fb_signal_start(&job->series, t->n_rows, t->n_columns, &job->arena);
    for (int i = 0; i < t->n_rows; i++) {
        job->series.time[i] = fb_sto_value(t, i, 0);
    }
    memcpy(job->series.y, t->values, (size_t)t->n_rows * (size_t)t->n_columns * sizeof *t->values);
    job->from_file = fb_arena_array(&job->arena, (size_t)t->n_columns, sizeof *job->from_file);
    if (t->n_rows > 2 && !fb_splines_make(&job->splines, 5, &job->series, &job->arena)) {
        fb_diag_add(&job->cli->diag, FB_ERROR, FB1416, (fb_place){t->name, 0, NULL, NULL}, NULL,
                    "the times of the coordinate file do not rise");
        return FB_E_INPUT;
    }
    return FB_OK;
}

/* A coordinate's value in the table. */
static double from_file(const fb_ik_job *job, const fb_ik_wish *wish, double time) {
    const fb_sto *t = &job->coordinates;
    double value = fb_sto_value(t, 0, wish->column);
    if (t->n_rows > 2) {
        fb_splines_value(&job->splines, time, job->from_file, NULL, NULL);
        value = job->from_file[wish->column];
    } else if (t->n_rows == 2) { /* too few for a spline */
        double t0 = fb_sto_value(t, 0, 0), t1 = fb_sto_value(t, 1, 0);
        value += t1 > t0 ? (fb_sto_value(t, 1, wish->column) - value) * (time - t0) / (t1 - t0) : 0;
    }
    bool turns = fb_fbsim_motion(&job->system->coordinates[wish->coordinate]) == FB_ROTATIONAL;
    return t->in_degrees && turns ? value / DEGREES : value;
}

static double wished(const fb_ik_job *job, const fb_ik_wish *wish, double time) {
    return wish->kind == FB_IK_DEFAULT  ? job->system->coordinates[wish->coordinate].initial
           : wish->kind == FB_IK_MANUAL ? wish->value
                                        : from_file(job, wish, time);
}

/* The largest distance of points from their middle. */
static double extent(int n, const double *points) {
    double middle[3] = {0}, largest = 0;
    int seen = 0;
    for (int i = 0; i < n; i++) {
        if (isfinite(points[3 * i])) {
            fb_v3_add(middle, middle, points + 3 * i);
            seen++;
        }
    }
    for (int i = 0; i < n; i++) {
        double r[3];
        for (int k = 0; k < 3; k++) {
            r[k] = points[3 * i + k] - middle[k] / seen;
        }
        largest = isfinite(r[0]) ? fmax(largest, fb_v3_dot(r, r)) : largest;
    }
    return sqrt(largest);
}

/* Wrong units: FB_E_INPUT, with a guess. */
static fb_status check_units(const fb_ik_job *job, const double *measured, const double *points) {
    int n = (int)job->n_targets;
    double model = extent(n, points), data = extent(n, measured);
    if (n < 3 || !(model > 0) || !(data > 0) ||
        (data < FAR_UNITS * model && model < FAR_UNITS * data)) {
        return FB_OK;
    }
    fb_diag_add(&job->cli->diag, FB_ERROR, FB1416, (fb_place){job->trc.file, 0, NULL, NULL}, NULL,
                "its markers lie %.3g m around their middle, the model's %.3g m: its units "
                "('%s') are wrong, by %s",
                data, model, job->trc.units, data > model ? "1000 too large" : "1000 too small");
    return FB_E_INPUT;
}

static void start_tables(fb_ik_job *job) {
    const fb_system *s = job->system;
    fb_sto *all[] = {&job->motion, &job->errors, &job->places};
    static const char *const names[] = {"Coordinates", "Model Marker Errors from IK",
                                        "Model Marker Locations from IK"};
    for (int i = 0; i < 3; i++) {
        fb_sto_start(all[i], names[i]);
        all[i]->arena.oom = job->arena.oom;
        fb_sto_add_column(all[i], "time");
    }
    job->motion.in_degrees = true;
    for (int i = 0; i < s->n_q; i++) {
        fb_sto_add_column(&job->motion, fb_path_name(s->coordinates[s->file_order[i]].path));
    }
    fb_sto_add_column(&job->errors, "total_squared_error");
    fb_sto_add_column(&job->errors, "marker_error_RMS");
    fb_sto_add_column(&job->errors, "marker_error_max");
    for (size_t i = 0; i < job->n_targets; i++) {
        for (int k = 0; k < 3; k++) {
            fb_sto_add_column(&job->places, fb_arena_printf(&job->arena, "%s_t%c",
                                                            job->targets[i].name, 'x' + k));
        }
    }
}

static void add_row(fb_ik_job *job, int row, const double *measured, const double *points) {
    const fb_system *s = job->system;
    double time = job->trc.time[row], sum = 0, worst = 0, *to = fb_sto_row(&job->motion);
    *to++ = time;
    for (int i = 0; i < s->n_q; i++) {
        int c = s->file_order[i];
        double q = job->ik->state->q[c];
        *to++ = fb_fbsim_motion(&s->coordinates[c]) == FB_ROTATIONAL ? q * DEGREES : q;
    }
    for (size_t i = 0; i < job->n_targets; i++) {
        fb_ik_target *target = &job->targets[i];
        double r[3];
        fb_v3_sub(r, points + 3 * i, measured + 3 * i);
        double square = fb_v3_dot(r, r);
        if (isfinite(square)) {
            sum += square;
            worst = fmax(worst, square);
            target->square_sum += square;
            target->n_seen++;
            if (sqrt(square) > target->worst) {
                target->worst = sqrt(square);
                target->worst_row = row;
            }
        }
    }
    if (job->want_errors) {
        to = fb_sto_row(&job->errors);
        to[0] = time;
        to[1] = sum;
        to[2] = sqrt(sum / (double)job->n_targets);
        to[3] = sqrt(worst);
    }
    if (job->want_places) {
        to = fb_sto_row(&job->places);
        to[0] = time;
        memcpy(to + 1, points, 3 * job->n_targets * sizeof *points);
    }
}

/* What stays where it is, for lack of markers; frames that did not come out. */
static void tell(fb_ik_job *job) {
    const fb_system *s = job->system;
    for (int i = 0; i < s->n_q; i++) {
        if (fb_ik_is_idle(job->ik, i)) {
            warn(job, job->model->file, "it keeps its value", "no marker moves with the coordinate",
                 fb_path_name(s->coordinates[i].path), NULL);
        }
    }
    for (size_t i = 0; i < job->n_targets; i++) {
        if (job->targets[i].n_seen == 0) {
            warn(job, job->trc.file, NULL, "missing in all frames is", job->targets[i].name, NULL);
        }
    }
    if (job->n_failed > 0) {
        fb_diag_add(&job->cli->diag, FB_WARNING, FB4002, (fb_place){job->trc.file, 0, NULL, NULL},
                    "their rows hold the nearest pose that was found",
                    "in %d frame%s, the first at %g s, no pose meets the constraints and the "
                    "coordinates' ranges",
                    job->n_failed, job->n_failed == 1 ? "" : "s", job->failed_time);
    }
    if (job->n_unsettled > 0) {
        fb_diag_add(&job->cli->diag, FB_WARNING, FB4002, (fb_place){job->trc.file, 0, NULL, NULL},
                    NULL, "in %d frame%s the pose had not settled", job->n_unsettled,
                    job->n_unsettled == 1 ? "" : "s");
    }
}

static fb_status solve_rows(fb_ik_job *job, int first, int last) {
    size_t n = job->n_targets;
    double *measured = fb_arena_array(&job->arena, 3 * n + 1, sizeof *measured);
    double *points = fb_arena_array(&job->arena, 3 * n + 1, sizeof *points);
    double *values = fb_arena_array(&job->arena, job->n_wishes + 1, sizeof *values);
    bool checked = false;
    double last_rms = 0;
    for (int row = first; row <= last; row++) {
        fb_ik_result result;
        double time = job->trc.time[row];
        int seen = 0;
        for (size_t i = 0; i < n; i++) {
            memcpy(measured + 3 * i, fb_trc_point(&job->trc, row, job->targets[i].column),
                   3 * sizeof *measured);
            seen += isfinite(measured[3 * i]) != 0;
        }
        for (size_t i = 0; i < job->n_wishes; i++) {
            values[i] = wished(job, &job->wishes[i], time);
        }
        job->ik->state->time = time;
        if (!checked && seen >= 3) {
            fb_ik_cost(job->ik, measured, values);
            fb_ik_marker_points(job->ik, points);
            fb_status status = check_units(job, measured, points);
            if (status != FB_OK) {
                return status;
            }
        }
        fb_status status = fb_ik_solve(job->ik, measured, values, &result);
        double rms = fb_ik_rms(job->ik); /* of the first frame, or one that jumps: another start */
        if (seen >= 3 && (status == FB_E_NUMERIC || (rms > GOOD_START && rms > 2 * last_rms))) {
            status = fb_ik_solve_first(job->ik, measured, values, GOOD_START, &result);
            rms = fb_ik_rms(job->ik);
        }
        last_rms = rms;
        checked = checked || seen >= 3;
        if (status == FB_E_MEMORY) {
            return status;
        }
        if (status != FB_OK) {
            job->failed_time = job->n_failed++ == 0 ? time : job->failed_time;
        } else {
            job->n_unsettled += !result.settled;
        }
        fb_ik_marker_points(job->ik, points);
        add_row(job, row, measured, points);
    }
    return FB_OK;
}

static fb_status prepare(fb_ik_job *job) {
    fb_ik_marker *markers = fb_arena_array(&job->arena, job->n_targets + 1, sizeof *markers);
    fb_ik_task *tasks = fb_arena_array(&job->arena, job->n_wishes + 1, sizeof *tasks);
    for (size_t i = 0; i < job->n_targets; i++) {
        const fb_element *element = marker_named(job->model, job->targets[i].name);
        fb_pose frame;
        double location[3] = {0, 0, 0};
        markers[i].body = fb_system_body(job->system, fb_get_target(element, "frame"), &frame);
        fb_get_vector(element, "location", location, 3);
        markers[i].weight = job->targets[i].weight;
        if (markers[i].body < 0) { /* one that hangs on nothing */
            markers[i].body = 0;
            markers[i].weight = 0;
            continue;
        }
        fb_pose_point(markers[i].point, &frame, location);
    }
    for (size_t i = 0; i < job->n_wishes; i++) {
        tasks[i] = (fb_ik_task){job->wishes[i].coordinate, job->wishes[i].weight};
    }
    job->ik = fb_ik_new(job->system, markers, (int)job->n_targets, tasks, (int)job->n_wishes,
                        &job->options);
    return job->ik ? FB_OK : FB_E_MEMORY;
}

fb_status fb_ik_job_run(fb_ik_job *job) {
    jmp_buf oom;
    if (setjmp(oom)) {
        job->cli->diag.out_of_memory = 1;
        job->arena.oom = job->motion.arena.oom = job->errors.arena.oom = job->places.arena.oom =
            NULL;
        return FB_E_MEMORY;
    }
    job->arena.oom = &oom;
    int first = fb_trc_nearest_row(&job->trc, fmax(job->range[0], job->trc.time[0]));
    int last = fb_trc_nearest_row(&job->trc,
                                  fmin(job->range[1], job->trc.time[job->trc.n_rows - 1]));
    fb_status status = FB_OK;
    if (job->range[0] > job->range[1] || job->range[0] > job->trc.time[job->trc.n_rows - 1] ||
        job->range[1] < job->trc.time[0]) {
        fb_diag_add(&job->cli->diag, FB_ERROR, FB1416, (fb_place){job->trc.file, 0, NULL, NULL},
                    NULL, "its times, %g to %g s, have nothing in common with %g to %g s",
                    job->trc.time[0], job->trc.time[job->trc.n_rows - 1], job->range[0],
                    job->range[1]);
        status = FB_E_INPUT;
    }
    start_tables(job);
    if (status == FB_OK) {
        status = prepare(job);
    }
    if (status == FB_OK) {
        status = make_splines(job);
    }
    if (status == FB_OK) {
        status = solve_rows(job, first, last);
    }
    if (status == FB_OK) {
        tell(job);
    }
    job->arena.oom = job->motion.arena.oom = job->errors.arena.oom = job->places.arena.oom = NULL;
    return status;
}

void fb_ik_job_summary(const fb_ik_job *job) {
    double sum = 0;
    int n = 0;
    const fb_ik_target *worst = NULL;
    for (size_t i = 0; i < job->n_targets; i++) {
        const fb_ik_target *t = &job->targets[i];
        sum += t->square_sum;
        n += t->n_seen;
        worst = t->n_seen > 0 && (!worst || t->worst > worst->worst) ? t : worst;
    }
    if (!job->cli->quiet && worst) {
        fb_cli_say(job->cli,
                   "%d frames, %zu markers: %.2f cm root mean square, at worst %.2f cm ('%s' at "
                   "%g s)%s",
                   job->motion.n_rows, job->n_targets, 100 * sqrt(sum / n), 100 * worst->worst,
                   worst->name, job->trc.time[worst->worst_row],
                   worst->worst > POOR_FIT ? "; below 4 cm is advised" : "");
    }
}

void fb_ik_job_free(fb_ik_job *job) {
    fb_ik_free(job->ik);
    fb_sto_free(&job->motion);
    fb_sto_free(&job->errors);
    fb_sto_free(&job->places);
    fb_sto_free(&job->coordinates);
    fb_trc_free(&job->trc);
    fb_system_free(job->system);
    fb_arena_clear(&job->arena);
}
