/* The lines of a model, and which end of each is the origin. */
#include <math.h>

#include "libcore/bundle/recipe_internal.h"

#define HEAVIER 3 /* times as much mass hangs on an origin as on an insertion */

/* ---- which end is the origin ----------------------------------------------------------------- */

void fb_recipe_way(const fb_recipe_maker *maker, int from, int to) {
    const fb_branch *branches = maker->state->system->branches;
    int *way = maker->way, n = maker->state->system->n_body, meeting = to;
    for (int i = 0; i < n; i++) {
        way[i] = -1;
    }
    for (int i = from;; i = branches[i].parent) {
        way[i] = i;
        if (i == 0) {
            break;
        }
    }
    for (; way[meeting] < 0; meeting = branches[meeting].parent) {
        way[meeting] = meeting;
    }
    for (int i = meeting; i != 0;) {
        i = branches[i].parent;
        way[i] = -1;
    }
    for (int i = 0; i < n; i++) { /* parents come first; what is not below the way is above it */
        if (way[i] < 0) {
            way[i] = i ? way[branches[i].parent] : meeting;
        }
    }
}

/* Whether a path ends at its origin: that is on the side that moves less, on ground or where much
 * more mass hangs. Nothing is known where neither body carries the other; paths begin at their
 * origins as a rule. */
static bool ends_at_origin(const fb_recipe_maker *maker, int first, int last, bool *sure) {
    const fb_system *system = maker->state->system;
    *sure = false;
    if (first < 0 || last < 0 || first == last) {
        return false;
    }
    fb_recipe_way(maker, first, last);
    int meeting = maker->way[0]; /* ground hangs on the body nearest to it */
    if (meeting != first && meeting != last) {
        return false;
    }
    double at_first = 0, at_last = 0;
    for (int i = 1; i < system->n_body; i++) {
        at_first += maker->way[i] == first ? system->mobods[i].mass : 0;
        at_last += maker->way[i] == last ? system->mobods[i].mass : 0;
    }
    double *fixed = meeting == first ? &at_first : &at_last;
    if (meeting == 0 || *fixed <= 0) { /* ground, or a frame without mass that is held by it */
        *fixed = HUGE_VAL;
    }
    *sure = at_last > HEAVIER * at_first || at_first > HEAVIER * at_last;
    return at_last > HEAVIER * at_first;
}

/* ---- lines ----------------------------------------------------------------------------------- */

void fb_recipe_turn_line(fb_recipe_maker *maker, fb_muscle_line *line) {
    fb_core *core = &line->core, turned = *core;
    int body = line->body[0];
    turned.capacity = 0;
    fb_core_set(&turned, maker->arena, core->points, core->n_points, true);
    turned.reversed = !core->reversed;
    *core = turned;
    line->body[0] = line->body[1];
    line->body[1] = body;
}

static void trace(fb_recipe_maker *maker, fb_muscle_line *line) {
    fb_tracer *tracer = maker->tracer;
    const fb_course *course = &tracer->course;
    line->refusal = fb_tracer_run(tracer, maker->paths, line->path, maker->state);
    if (line->refusal) {
        return;
    }
    line->body[0] = course->points[0].body;
    line->body[1] = course->points[course->n - 1].body;
    fb_core_set(&line->core, maker->arena, tracer->points, tracer->n, false);
    if (ends_at_origin(maker, line->body[0], line->body[1], &line->sure)) {
        fb_recipe_turn_line(maker, line);
    }
    if (course->inside >= 0) {
        line->note = "its path runs through a wrap object that holds one of its points";
    }
}

static void weigh(fb_recipe_maker *maker) {
    const fb_system *system = maker->state->system;
    maker->hanging = fb_arena_array(maker->arena, (size_t)system->n_body, sizeof *maker->hanging);
    for (int i = system->n_body - 1; i > 0; i--) { /* parents come before what they carry */
        maker->hanging[i] += system->mobods[i].mass;
        maker->hanging[system->branches[i].parent] += maker->hanging[i];
    }
}

void fb_recipe_trace(fb_recipe_maker *maker) {
    maker->way = fb_arena_array(maker->arena, (size_t)maker->state->system->n_body,
                                sizeof *maker->way);
    maker->between = fb_arena_array(maker->arena, (size_t)maker->state->system->n_body,
                                    sizeof *maker->between);
    maker->only = fb_arena_array(maker->arena, (size_t)maker->state->system->n_body,
                                 sizeof *maker->only);
    weigh(maker);
    for (int i = 0; i < maker->n_lines; i++) {
        fb_muscle_line *line = &maker->lines[i];
        line->path = fb_paths_find(maker->paths, line->element);
        line->core.muscle = i;
        line->core.path = line->path;
        line->core.name = line->element->name;
        line->core.max_force = fb_get_number(line->element, "max_isometric_force");
        line->core.optimal_length = fb_get_number(line->element, "optimal_fiber_length");
        line->core.slack_length = fb_get_number(line->element, "tendon_slack_length");
        line->core.pennation = fb_get_number(line->element, "pennation_angle");
        trace(maker, line);
    }
}
