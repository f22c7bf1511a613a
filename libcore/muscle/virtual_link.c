#include "libcore/muscle/virtual_link.h"

#include <math.h>
#include <string.h>

#include "libcore/base/number.h"

#define MOST_STEPS 200
#define MOST_TRIALS 40   /* of one step's length */
#define LARGEST_STEP 0.1 /* m, of any link at once */
#define TIGHT 1e-13      /* imbalance at which Newton's method may stop, of the largest tension */
#define BALANCE 1e-9     /* what counts as in balance, likewise */
#define NOTHING 1e-9     /* N: no tension */
#define H_PLACE 1e-6     /* m: half of the central differences over places, */
#define H_LENGTH 1e-6    /* m: and over lengths */
#define SOFTEST 1e-9     /* of the largest stiffness: added where nothing resists */

/* ---- compiling ------------------------------------------------------------------------------ */

static bool is_at(const fb_path *path, int link) {
    for (int k = 0; k < path->n_points; k++) {
        if (path->points[k].kind == FB_POINT_LINK && path->points[k].link == link) {
            return true;
        }
    }
    return false;
}

static void find_puller(fb_links *l, fb_wire *wire, fb_muscles *muscles) {
    const fb_element *owner = l->paths->paths[wire->path].owner;
    wire->force = fb_forces_find(l->forces, owner);
    wire->muscle = fb_muscles_find(muscles, owner);
    if (wire->muscle >= 0) {
        muscles->muscles[wire->muscle].exact = true;
    }
}

/* Wires join the groups of all links that they meet. */
static void join(fb_links *l, const fb_path *path, fb_wire *wire) {
    wire->group = -1;
    for (int i = 0; i < l->n; i++) {
        if (!is_at(path, i)) {
            continue;
        }
        int old = l->links[i].group;
        wire->group = wire->group < 0 ? old : wire->group;
        for (int k = 0; k < l->n; k++) {
            l->links[k].group = l->links[k].group == old ? wire->group : l->links[k].group;
        }
    }
}

/* Numbers the links of each group; returns the most links of one. */
static int number_links(fb_links *l) {
    int most = 0;
    for (int i = 0; i < l->n; i++) {
        fb_link *link = &l->links[i];
        for (int k = 0; k < i; k++) {
            link->slot += l->links[k].group == link->group;
        }
        most = link->slot + 1 > most ? link->slot + 1 : most;
    }
    return most;
}

/* The wires at each link, one list after the other. */
static void list_wires(fb_links *l) {
    int total = 0;
    for (int pass = 0; pass < 2; pass++) {
        total = 0;
        for (int i = 0; i < l->n; i++) {
            fb_link *link = &l->links[i];
            link->wires = total;
            link->n_wires = 0;
            for (int w = 0; w < l->n_wires; w++) {
                if (is_at(&l->paths->paths[l->wires[w].path], i)) {
                    if (pass) {
                        l->at[total] = w;
                    }
                    total++;
                    link->n_wires++;
                }
            }
        }
        if (!pass) {
            l->at = fb_arena_array(&l->arena, (size_t)total, sizeof *l->at);
        }
    }
}

static void compile(fb_links *l, fb_muscles *muscles) {
    fb_arena *arena = &l->arena;
    size_t n = (size_t)l->n, n_q = (size_t)l->paths->system->n_q;
    l->links = fb_arena_array(arena, n, sizeof *l->links);
    l->wires = fb_arena_array(arena, (size_t)l->paths->n_paths, sizeof *l->wires);
    for (int i = 0; i < l->n; i++) {
        fb_link *link = &l->links[i];
        fb_pose frame;
        double location[3] = {0, 0, 0};
        link->element = l->paths->links[i];
        link->group = i;
        link->body = fb_system_body(l->paths->system, fb_get_target(link->element, "frame"),
                                    &frame);
        if (link->body < 0) { /* joints in a circle; refused before */
            link->body = 0;
            fb_pose_identity(&frame);
        }
        fb_get_vector(link->element, "location", location, 3);
        fb_pose_point(link->begin, &frame, location);
        fb_v3_copy(link->last, link->begin);
    }
    for (int i = 0; i < l->paths->n_paths; i++) {
        fb_wire *wire = &l->wires[l->n_wires];
        join(l, &l->paths->paths[i], wire);
        if (wire->group >= 0) {
            wire->path = i;
            find_puller(l, wire, muscles);
            l->n_wires++;
        }
    }
    for (int w = 0; w < l->n_wires; w++) { /* groups may have grown together since */
        join(l, &l->paths->paths[l->wires[w].path], &l->wires[w]);
    }
    size_t m = 3 * (size_t)number_links(l);
    list_wires(l);
    for (int w = 0; w < l->n_wires; w++) {
        l->wires[w].gradient = fb_arena_array(arena, m, sizeof *l->wires[w].gradient);
    }
    l->place = fb_arena_array(arena, n, sizeof *l->place);
    l->velocity = fb_arena_array(arena, n, sizeof *l->velocity);
    l->rest = fb_arena_array(arena, n, sizeof *l->rest);
    l->force = fb_arena_array(arena, m, sizeof *l->force);
    l->step = fb_arena_array(arena, m, sizeof *l->step);
    l->from = fb_arena_array(arena, m, sizeof *l->from);
    l->hessian = fb_arena_array(arena, m * m, sizeof *l->hessian);
    l->factor = fb_arena_array(arena, m * m, sizeof *l->factor);
    l->shift = fb_arena_array(arena, (m + 2) * n_q + 1, sizeof *l->shift);
    l->course.points = fb_arena_array(arena, (size_t)l->paths->most_points + 2,
                                      sizeof *l->course.points);
}

/* A record for each link that begins nowhere. */
static fb_status check_begins(const fb_links *l, fb_diag *diag) {
    fb_status status = FB_OK;
    for (int i = 0; i < l->n; i++) {
        const fb_element *e = l->links[i].element;
        if (!isfinite(fb_v3_norm(l->links[i].begin))) {
            status = FB_E_INPUT;
            fb_diag_add(diag, FB_ERROR, FB2104, fb_element_place(e), NULL,
                        "virtual link '%s': where it begins must be finite numbers", e->name);
        }
    }
    return status;
}

fb_status fb_links_compile(fb_links **links, const fb_paths *paths, fb_muscles *muscles,
                           const fb_forces *forces, fb_diag *diag) {
    *links = NULL;
    if (paths->n_links == 0) {
        return FB_OK;
    }
    fb_links *l = fb_alloc(sizeof *l);
    if (!l) {
        return FB_E_MEMORY;
    }
    memset(l, 0, sizeof *l);
    fb_arena_init(&l->arena);
    l->paths = paths;
    l->muscles = muscles;
    l->forces = forces;
    l->n = paths->n_links;
    l->how = FB_EQUILIBRIUM_STATIC;
    jmp_buf oom;
    if (setjmp(oom)) {
        fb_diag_add(diag, FB_ERROR, FB1003, (fb_place){0}, NULL, "out of memory");
        fb_links_free(l);
        return FB_E_MEMORY;
    }
    l->arena.oom = &oom;
    compile(l, muscles);
    l->arena.oom = NULL;
    fb_status status = check_begins(l, diag);
    if (status != FB_OK) {
        fb_links_free(l);
        return status;
    }
    *links = l;
    return FB_OK;
}

void fb_links_free(fb_links *links) {
    if (!links) {
        return;
    }
    fb_arena_clear(&links->arena);
    fb_free(links);
}

int fb_links_group(const fb_links *links, int path) {
    for (int w = 0; w < links->n_wires; w++) {
        if (links->wires[w].path == path) {
            return links->wires[w].group;
        }
    }
    return -1;
}

/* ---- wires ---------------------------------------------------------------------------------- */

/* True if a muscle's fibers have a length that is given; without one it is in equilibrium. */
static bool is_held(const fb_links *l, int muscle) {
    return l->fibers_held && l->points[muscle].fiber_length > 0;
}

/* Tension at a length; `point`, unless NULL, gets what a muscle does there. */
static double tension_at(const fb_links *l, const fb_wire *wire, double length, double speed,
                         fb_muscle_point *point) {
    if (wire->force) {
        return fb_force_tension(l->forces, wire->force, l->controls, l->states, length, speed);
    }
    if (wire->muscle < 0 || !l->muscles->muscles[wire->muscle].enabled) {
        return 0;
    }
    const fb_muscle *m = &l->muscles->muscles[wire->muscle];
    const fb_muscle_point *given = &l->points[wire->muscle];
    fb_muscle_point made = {0};
    point = point ? point : &made;
    if (is_held(l, wire->muscle)) {
        fb_muscle_evaluate(m, l->activation[wire->muscle], length, speed, given->fiber_length,
                           given->fiber_velocity, point);
    } else {
        fb_muscle_equilibrate(m, l->activation[wire->muscle], length, speed, l->how, point);
    }
    return point->tendon_force;
}

/* Course, and dL/dp of the group's links (m numbers): away from the neighbours. */
static void follow_course(fb_links *l, const fb_wire *wire, int m, double *gradient) {
    l->course.links = l->place;
    l->course.link_velocity = l->moving ? l->velocity : l->rest;
    fb_path_course(l->paths, wire->path, l->state, &l->course);
    memset(gradient, 0, (size_t)m * sizeof *gradient);
    for (int k = 0; k < l->course.n; k++) {
        const fb_course_point *point = &l->course.points[k];
        for (int side = -1; side <= 1 && point->body < 0; side += 2) {
            if (k + side < 0 || k + side >= l->course.n) {
                continue;
            }
            double away[3];
            fb_v3_sub(away, point->place, l->course.points[k + side].place);
            fb_v3_normalize(away);
            double *to = gradient + 3 * l->links[-1 - point->body].slot;
            fb_v3_add(to, to, away);
        }
    }
}

/* Lengths, speeds, tensions and gradients of a group's wires at the places of its links, and the
 * force on the links (the energy's gradient). The largest tension; nan if something is not finite.
 */
static double evaluate(fb_links *l, int group, int m) {
    double largest = 0;
    memset(l->force, 0, (size_t)m * sizeof *l->force);
    for (int w = 0; w < l->n_wires; w++) {
        fb_wire *wire = &l->wires[w];
        if (wire->group != group) {
            continue;
        }
        follow_course(l, wire, m, wire->gradient);
        wire->length = l->course.length;
        wire->speed = l->moving ? fb_path_speed(l->paths, wire->path, l->state, &l->course) : 0;
        wire->tension = tension_at(l, wire, wire->length, wire->speed, NULL);
        if (!isfinite(wire->tension) || !isfinite(wire->length)) {
            return FB_NAN;
        }
        largest = fmax(largest, fabs(wire->tension));
        for (int i = 0; i < m; i++) {
            l->force[i] += wire->tension * wire->gradient[i];
        }
    }
    return largest;
}

/* The i-th of the coordinates of a group's links. */
static double *place_of(fb_links *l, int group, int i) {
    int link = 0;
    while (l->links[link].group != group || l->links[link].slot != i / 3) {
        link++;
    }
    return &l->place[link][i % 3];
}

/* Number of coordinates of a group's links. */
static int group_size(const fb_links *l, int group) {
    int m = 0;
    for (int i = 0; i < l->n; i++) {
        m += 3 * (l->links[i].group == group);
    }
    return m;
}

/* True if a link's coordinate moves a wire's points. */
static bool meets(const fb_wire *wire, int i) {
    const double *g = wire->gradient + 3 * (i / 3);
    return g[0] != 0 || g[1] != 0 || g[2] != 0;
}

/* ---- the energy's second derivatives --------------------------------------------------------- */

/* H = sum of k dL/dp dL/dp^T + T d2L/dp2, after evaluate. */
static void find_hessian(fb_links *l, int group, int m) {
    double *H = l->hessian, *ends = l->factor; /* the latter is not in use yet */
    memset(H, 0, (size_t)(m * m) * sizeof *H);
    for (int w = 0; w < l->n_wires; w++) {
        fb_wire *wire = &l->wires[w];
        if (wire->group != group) {
            continue;
        }
        wire->stiffness = (tension_at(l, wire, wire->length + H_LENGTH, wire->speed, NULL) -
                           tension_at(l, wire, wire->length - H_LENGTH, wire->speed, NULL)) /
                          (2 * H_LENGTH);
        for (int i = 0; i < m; i++) {
            for (int j = 0; j < m; j++) {
                H[i * m + j] += wire->stiffness * wire->gradient[i] * wire->gradient[j];
            }
        }
        for (int i = 0; i < m && wire->tension != 0; i++) {
            if (!meets(wire, i)) {
                continue;
            }
            double *x = place_of(l, group, i), middle = *x;
            *x = middle + H_PLACE;
            follow_course(l, wire, m, ends);
            *x = middle - H_PLACE;
            follow_course(l, wire, m, ends + m);
            *x = middle;
            for (int j = 0; j < m; j++) {
                double second = wire->tension * (ends[j] - ends[m + j]) / (2 * H_PLACE);
                H[i * m + j] += second / 2; /* made symmetric */
                H[j * m + i] += second / 2;
            }
        }
    }
}

/* Cholesky's factor of H + shift I; false if that is not positive definite. */
static bool factorize(fb_links *l, int m, double shift) {
    double *L = l->factor;
    memcpy(L, l->hessian, (size_t)(m * m) * sizeof *L);
    for (int j = 0; j < m; j++) {
        double pivot = L[j * m + j] + shift;
        for (int k = 0; k < j; k++) {
            pivot -= L[j * m + k] * L[j * m + k];
        }
        if (!(pivot > 1e-14 * (fabs(l->hessian[j * m + j]) + shift))) {
            return false;
        }
        L[j * m + j] = sqrt(pivot);
        for (int i = j + 1; i < m; i++) {
            double x = L[i * m + j];
            for (int k = 0; k < j; k++) {
                x -= L[i * m + k] * L[j * m + k];
            }
            L[i * m + j] = x / L[j * m + j];
        }
    }
    return true;
}

/* Factors the nearest positive definite matrix of that form. */
static void factorize_shifted(fb_links *l, int m) {
    double largest = 1e-3; /* N/m: where all is slack */
    for (int i = 0; i < m; i++) {
        largest = fmax(largest, fabs(l->hessian[i * m + i]));
    }
    double shift = 0;
    while (!factorize(l, m, shift) && shift < 1e6 * largest) {
        shift = shift == 0 ? SOFTEST * largest : 10 * shift;
    }
}

/* x becomes the solution of (H + shift I) x' = x; its numbers are `stride` apart. */
static void back_substitute(const fb_links *l, int m, double *x, int stride) {
    const double *L = l->factor;
    for (int i = 0; i < m; i++) {
        for (int k = 0; k < i; k++) {
            x[i * stride] -= L[i * m + k] * x[k * stride];
        }
        x[i * stride] /= L[i * m + i];
    }
    for (int i = m - 1; i >= 0; i--) {
        for (int k = i + 1; k < m; k++) {
            x[i * stride] -= L[k * m + i] * x[k * stride];
        }
        x[i * stride] /= L[i * m + i];
    }
}

/* ---- equilibrium ----------------------------------------------------------------------------- */

static double largest_of(const double *x, int m) {
    double largest = 0;
    for (int i = 0; i < m; i++) {
        if (isnan(x[i])) {
            return FB_NAN;
        }
        largest = fmax(largest, fabs(x[i]));
    }
    return largest;
}

static double dot(const double *a, const double *b, int m) {
    double sum = 0;
    for (int i = 0; i < m; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

static void go(fb_links *l, int group, int m, double part) {
    for (int i = 0; i < m; i++) {
        *place_of(l, group, i) = l->from[i] + part * l->step[i];
    }
}

/* Goes along the step as far as the energy falls: where its slope has hardly turned. The largest
 * tension there, nan if there is no such place. */
static double search(fb_links *l, int group, int m, double slope) {
    double part = 1, size;
    for (int i = 0; i < MOST_TRIALS; i++) {
        go(l, group, m, part);
        size = evaluate(l, group, m);
        double end = dot(l->force, l->step, m);
        if (isfinite(size) && end <= 0.5 * fabs(slope)) {
            return size;
        }
        double secant = isfinite(size) ? slope / (slope - end) : 0.1;
        part *= fmin(fmax(secant, 0.05), 0.8);
    }
    go(l, group, m, 0);
    evaluate(l, group, m);
    return FB_NAN;
}

/* Newton's method from where the group's links are. */
static bool settle(fb_links *l, int group, int m) {
    double size = evaluate(l, group, m), before = FB_INFINITY;
    for (int i = 0; i < MOST_STEPS && isfinite(size); i++) {
        double error = largest_of(l->force, m);
        if (error <= TIGHT * size + 1e-3 * NOTHING ||
            (error <= BALANCE / 10 * size + NOTHING / 10 && error > before / 2)) {
            return true; /* as good as it gets */
        }
        before = error;
        find_hessian(l, group, m);
        factorize_shifted(l, m);
        for (int k = 0; k < m; k++) {
            l->from[k] = *place_of(l, group, k);
            l->step[k] = -l->force[k];
        }
        back_substitute(l, m, l->step, 1);
        double far = largest_of(l->step, m);
        if (!isfinite(far)) {
            break;
        }
        for (int k = 0; k < m && far > LARGEST_STEP; k++) {
            l->step[k] *= LARGEST_STEP / far;
        }
        double found = search(l, group, m, dot(l->force, l->step, m));
        if (isnan(found)) {
            break; /* no part of the step lowers the energy */
        }
        size = found;
    }
    return isfinite(size) && largest_of(l->force, m) <= BALANCE * size + NOTHING;
}

static void put_begin(fb_links *l, int group) {
    for (int i = 0; i < l->n; i++) {
        if (l->links[i].group == group) {
            fb_pose_point(l->place[i], &l->state->pose[l->links[i].body], l->links[i].begin);
        }
    }
}

/* True if no wire of a group pulls. */
static bool is_slack(const fb_links *l, int group) {
    for (int w = 0; w < l->n_wires; w++) {
        if (l->wires[w].group == group && fabs(l->wires[w].tension) > NOTHING) {
            return false;
        }
    }
    return true;
}

/* From the last equilibrium; if that leads to none, or to one of many, from where links begin. */
static bool settle_anyhow(fb_links *l, int group, int m) {
    bool found = settle(l, group, m);
    if (!found || is_slack(l, group)) {
        put_begin(l, group);
        found = settle(l, group, m);
    }
    if (!isfinite(largest_of(l->force, m))) {
        put_begin(l, group);
        evaluate(l, group, m);
        found = false;
    }
    return found;
}

/* ---- velocities ------------------------------------------------------------------------------ */

/* Shortening speed of a muscle's fibers along its path while they are held to a state. */
static double fiber_speed(fb_links *l, const fb_wire *wire) {
    fb_muscle_point point = {0};
    if (wire->muscle < 0 || !is_held(l, wire->muscle) || l->muscles->muscles[wire->muscle].rigid ||
        !l->muscles->muscles[wire->muscle].enabled) {
        return 0;
    }
    tension_at(l, wire, wire->length, wire->speed, &point);
    return point.fiber_velocity / fmax(cos(point.pennation), 1e-6);
}

/* How the equilibrium at rest moves on: H dp/dt = -dF/dt with links held. */
static void find_velocity(fb_links *l, int group, int m) {
    double *rate = l->step;
    find_hessian(l, group, m);
    factorize_shifted(l, m);
    memset(rate, 0, (size_t)m * sizeof *rate);
    for (int w = 0; w < l->n_wires; w++) {
        fb_wire *wire = &l->wires[w];
        if (wire->group != group) {
            continue;
        }
        follow_course(l, wire, m, l->from);
        double speed = fb_path_speed(l->paths, wire->path, l->state, &l->course) -
                       fiber_speed(l, wire);
        for (int i = 0; i < m; i++) {
            rate[i] -= wire->stiffness * wire->gradient[i] * speed;
            if (wire->tension == 0 || !meets(wire, i)) {
                continue;
            }
            double *x = place_of(l, group, i), middle = *x, ends[2];
            for (int k = 0; k < 2; k++) {
                *x = middle + (k ? -H_PLACE : H_PLACE);
                follow_course(l, wire, m, l->from);
                ends[k] = fb_path_speed(l->paths, wire->path, l->state, &l->course);
            }
            *x = middle;
            rate[i] -= wire->tension * (ends[0] - ends[1]) / (2 * H_PLACE);
        }
    }
    back_substitute(l, m, rate, 1);
    for (int i = 0; i < l->n; i++) {
        if (l->links[i].group == group && is_slack(l, group)) {
            fb_point_velocity(l->velocity[i], l->state, l->links[i].body, l->place[i]);
        } else if (l->links[i].group == group) {
            fb_v3_copy(l->velocity[i], rate + 3 * l->links[i].slot);
        }
    }
}

static bool is_moving(const fb_links *l) {
    double fastest = largest_of(l->state->u, l->paths->system->n_q);
    return fastest != 0 || l->fibers_held;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static bool solve_group(fb_links *l, int group) {
    int m = group_size(l, group);
    l->moving = false;
    bool found = settle_anyhow(l, group, m);
    if (found && is_moving(l)) {
        find_velocity(l, group, m);
        l->moving = true;
        found = settle(l, group, m);
        l->moving = false;
    }
    for (int i = 0; i < l->n; i++) {
        fb_link *link = &l->links[i];
        if (link->group != group) {
            continue;
        }
        const fb_pose *pose = &l->state->pose[link->body];
        double in_ground[3];
        link->failed = !found;
        link->slack = is_slack(l, group);
        link->residual = fb_v3_norm(l->force + 3 * link->slot);
        fb_v3_sub(in_ground, l->place[i], pose->p);
        fb_m3_tmul_v3(link->last, pose->R, in_ground);
        if (!found) {
            fb_v3_copy(link->last, link->begin);
            l->n_failed++;
        }
    }
    return found;
}

bool fb_links_solve(fb_links *l, const fb_state *state, const double *activation,
                    const fb_muscle_point *points) {
    bool found = true;
    l->state = state;
    l->activation = activation;
    l->points = points;
    l->n_failed = 0;
    memset(l->velocity, 0, (size_t)l->n * sizeof *l->velocity);
    for (int i = 0; i < l->n; i++) {
        fb_pose_point(l->place[i], &state->pose[l->links[i].body], l->links[i].last);
    }
    for (int i = 0; i < l->n; i++) {
        if (l->links[i].slot == 0) {
            found &= solve_group(l, l->links[i].group);
        }
    }
    return found;
}

/* shift (m x n_q): dp/dq of a group, where H dp/dq = -dF/dq with links held. `arms` are the wires'
 * with links held: -dL/dq. */
static void find_shift(fb_links *l, int group, int m, const double *arms) {
    int n = l->paths->system->n_q;
    double *shift = l->shift, *ends = l->shift + (size_t)m * (size_t)n;
    l->moving = true;
    find_hessian(l, group, m);
    memset(shift, 0, (size_t)(m * n) * sizeof *shift);
    for (int w = 0; w < l->n_wires; w++) {
        const fb_wire *wire = &l->wires[w];
        const double *held = arms + (size_t)wire->path * (size_t)n;
        for (int i = 0; i < m && wire->group == group; i++) {
            for (int j = 0; j < n; j++) {
                shift[i * n + j] += wire->stiffness * wire->gradient[i] * held[j];
            }
            if (wire->tension == 0 || !meets(wire, i)) {
                continue;
            }
            double *x = place_of(l, group, i), middle = *x;
            for (int k = 0; k < 2; k++) {
                *x = middle + (k ? -H_PLACE : H_PLACE);
                follow_course(l, wire, m, l->from);
                fb_path_moment_arms(l->paths, wire->path, l->state, &l->course, ends + k * n);
            }
            *x = middle;
            for (int j = 0; j < n; j++) {
                shift[i * n + j] += wire->tension * (ends[j] - ends[n + j]) / (2 * H_PLACE);
            }
        }
    }
    l->moving = false;
    factorize_shifted(l, m);
    for (int j = 0; j < n; j++) {
        back_substitute(l, m, shift + j, n);
    }
}

void fb_links_follow(fb_links *l, const fb_state *state, double *path_arms) {
    int n = l->paths->system->n_q;
    l->state = state;
    for (int k = 0; k < l->n; k++) {
        int group = l->links[k].group, m = group_size(l, group);
        if (l->links[k].slot != 0 || n == 0) {
            continue;
        }
        find_shift(l, group, m, path_arms);
        for (int w = 0; w < l->n_wires; w++) {
            const fb_wire *wire = &l->wires[w];
            double *arms = path_arms + (size_t)wire->path * (size_t)n;
            for (int i = 0; i < m && wire->group == group; i++) {
                for (int j = 0; j < n; j++) {
                    arms[j] -= wire->gradient[i] * l->shift[i * n + j];
                }
            }
        }
    }
}

void fb_links_tell(const fb_links *l, const char *variable, double value, fb_diag *diag) {
    for (int i = 0; i < l->n; i++) {
        const fb_link *link = &l->links[i];
        fb_place place = fb_element_place(link->element);
        if (link->failed) {
            fb_diag_add(diag, FB_WARNING, FB4004, place, "what comes nearest is used",
                        "virtual link '%s': no equilibrium at %s %g: %.3g N are left of the "
                        "tensions of its %d wires",
                        link->element->name, variable, value, link->residual, link->n_wires);
        } else if (link->slack) {
            fb_diag_add(diag, FB_WARNING, FB4004, place, "it is near where it begins",
                        "virtual link '%s': no wire pulls at it at %s %g", link->element->name,
                        variable, value);
        }
    }
}
