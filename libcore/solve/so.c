#include "libcore/solve/so.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ASSEMBLED 1e-10

/* ---- actuators ------------------------------------------------------------------------------- */

static void bounds_of(fb_so_actuator *a, const fb_element *e) {
    double low = fb_get_number(e, "min_control"), high = fb_get_number(e, "max_control");
    a->low = isnan(low) ? -(double)INFINITY : low;
    a->high = isnan(high) ? (double)INFINITY : high;
}

static bool is_scalar(const fb_force *f) {
    switch (f->kind) {
    case FB_FORCE_COORDINATE_ACTUATOR:
    case FB_FORCE_PATH_ACTUATOR:
    case FB_FORCE_POINT_ACTUATOR:
    case FB_FORCE_TORQUE_ACTUATOR:
    case FB_FORCE_POINT_TO_POINT_ACTUATOR: return true;
    default: return false;
    }
}

typedef struct listed {
    fb_so_actuator a;
    int order;
} listed;

static int by_order(const void *a, const void *b) {
    const listed *x = a, *y = b;
    if (x->order != y->order) {
        return x->order < y->order ? -1 : 1;
    }
    int i = x->a.muscle >= 0 ? x->a.muscle : x->a.force;
    int k = y->a.muscle >= 0 ? y->a.muscle : y->a.force;
    return i - k;
}

/* Coordinates of the joint at ground that leaves its body free in space or in a plane: -1, -1 if
 * there is none. */
static void find_root(const fb_system *s, int *first, int *end) {
    *first = *end = -1;
    for (int i = 1; i < s->n_body; i++) {
        const fb_mobod *m = &s->mobods[i];
        int n = m->kind == FB_JOINT_FREE ? 3 : 0;
        for (int k = 0; m->kind == FB_JOINT_AXES && k < m->n_translations; k++) {
            n += !m->axes[m->n_rotations + k].constant;
        }
        if (m->parent == 0 && n >= 2 && (m->n_q == 6 || m->n_q == 3)) {
            *first = m->q;
            *end = m->q + m->n_q;
            return;
        }
    }
}

static void list_actuators(fb_so *so, fb_arena *arena) {
    const fb_simulation *s = so->simulation;
    const fb_system *system = s->system;
    int most = s->muscles->n + s->forces->n_forces + system->n_q, n = 0, first, end;
    listed *list = fb_arena_array(arena, (size_t)most, sizeof *list);
    for (int i = 0; i < s->muscles->n; i++) {
        const fb_muscle *m = &s->muscles->muscles[i];
        if (m->enabled && !m->lacking) {
            list[n] = (listed){
                {.name = fb_osim_name(m->element), .muscle = i, .force = -1, .coordinate = -1},
                m->element->order};
            bounds_of(&list[n++].a, m->element);
        }
    }
    for (int i = 0; i < s->forces->n_forces; i++) {
        const fb_force *f = &s->forces->forces[i];
        if (is_scalar(f)) {
            bool alone = f->kind == FB_FORCE_COORDINATE_ACTUATOR;
            list[n] = (listed){{.name = fb_osim_name(f->element),
                                .muscle = -1,
                                .force = i,
                                .coordinate = alone ? f->coordinate : -1,
                                .optimal = fb_get_number(f->element, "optimal_force")},
                               f->element->order};
            bounds_of(&list[n++].a, f->element);
        }
    }
    qsort(list, (size_t)n, sizeof *list, by_order);
    find_root(system, &first, &end);
    for (int k = 0; k < so->m; k++) {
        int i = so->equation[k];
        bool root = i >= first && i < end;
        double force = root ? so->options.residuals : so->options.reserves;
        if (force > 0) {
            const char *name = fb_arena_printf(arena, "%s_%s",
                                               fb_path_name(system->coordinates[i].path),
                                               root ? "residual" : "reserve");
            list[n++].a = (fb_so_actuator){.name = name,
                                           .muscle = -1,
                                           .force = -1,
                                           .coordinate = i,
                                           .low = -(double)INFINITY,
                                           .high = (double)INFINITY,
                                           .optimal = force};
        }
    }
    so->n = n;
    so->actuators = fb_arena_array(arena, (size_t)n, sizeof *so->actuators);
    for (int i = 0; i < n; i++) {
        so->actuators[i] = list[i].a;
    }
}

/* ---- equations ------------------------------------------------------------------------------- */

static bool is_constrained(const fb_system *s, int coordinate) {
    for (int i = 0; i < s->n_constraint; i++) {
        const fb_constraint *c = &s->constraints[i];
        if ((c->kind == FB_CONSTRAINT_COUPLER || c->kind == FB_CONSTRAINT_FIXED) &&
            c->coordinate == coordinate) {
            return true;
        }
    }
    return s->coordinates[coordinate].locked || s->coordinates[coordinate].prescribed;
}

void fb_so_make(fb_so *so, fb_simulation *s, const fb_so_options *options, fb_arena *arena) {
    memset(so, 0, sizeof *so);
    so->simulation = s;
    so->options = *options;
    int n_q = s->system->n_q;
    so->equation = fb_arena_array(arena, (size_t)n_q, sizeof *so->equation);
    for (int i = 0; i < n_q; i++) {
        if (!is_constrained(s->system, i)) {
            so->equation[so->m++] = i;
        }
    }
    list_actuators(so, arena);
    size_t n = (size_t)so->n, m = (size_t)so->m, q = (size_t)n_q;
    so->A = fb_arena_array(arena, m * n, sizeof *so->A);
    so->R = fb_arena_array(arena, n * q, sizeof *so->R);
    so->b = fb_arena_array(arena, m, sizeof *so->b);
    so->tau = fb_arena_array(arena, q, sizeof *so->tau);
    so->udot = fb_arena_array(arena, q, sizeof *so->udot);
    so->W = fb_arena_array(arena, s->system->n_constraint ? q * q : 1, sizeof *so->W);
    double *low = fb_arena_array(arena, n, sizeof *low),
           *high = fb_arena_array(arena, n, sizeof *low);
    for (int i = 0; i < so->n; i++) {
        low[i] = so->actuators[i].low;
        high[i] = so->actuators[i].high;
    }
    so->problem = (fb_separable){.n = so->n,
                                 .m = so->m,
                                 .exponent = options->exponent,
                                 .A = so->A,
                                 .b = so->b,
                                 .low = low,
                                 .high = high};
    so->problem.x = fb_arena_array(arena, n, sizeof *so->problem.x);
    so->problem.multipliers = fb_arena_array(arena, m, sizeof *so->problem.multipliers);
    so->problem.residual = fb_arena_array(arena, m, sizeof *so->problem.residual);
    for (int k = 0; k < so->m; k++) {
        so->problem.multipliers[k] = 0;
    }
}

void fb_so_clear(fb_so *so) {
    fb_scratch_clear(&so->scratch);
}

static double muscle_unit(const fb_simulation *s, int i) {
    const fb_muscle *m = &s->muscles->muscles[i];
    return fb_muscle_stiff_force(m, 1, s->path_length[m->path], s->path_speed[m->path]);
}

/* Generalised forces (row) of an actuator for x = 1; s->tau are those without it. */
static void respond(fb_so *so, fb_so_actuator *a, double time, double *row) {
    fb_simulation *s = so->simulation;
    int n = s->system->n_q;
    a->unit = a->muscle < 0            ? a->optimal
              : so->options.physiology ? muscle_unit(s, a->muscle)
                                       : s->muscles->muscles[a->muscle].max_force;
    memset(row, 0, (size_t)n * sizeof *row);
    int path = a->muscle >= 0 ? s->muscles->muscles[a->muscle].path : -1;
    if (a->force >= 0 && s->forces->forces[a->force].kind == FB_FORCE_PATH_ACTUATOR) {
        path = s->forces->forces[a->force].path;
    }
    if (path >= 0) {
        const double *arms = s->path_arms + (size_t)path * (size_t)n;
        for (int j = 0; j < n; j++) {
            row[j] = arms[j] * a->unit;
        }
    } else if (a->coordinate >= 0) {
        row[a->coordinate] = a->unit;
    } else {
        int control = s->forces->forces[a->force].control;
        memcpy(so->tau, s->tau, (size_t)n * sizeof *so->tau);
        s->control[control] = 1;
        fb_simulation_forces(s, time);
        s->control[control] = 0;
        for (int j = 0; j < n; j++) {
            row[j] = s->tau[j] - so->tau[j];
        }
        memcpy(s->tau, so->tau, (size_t)n * sizeof *so->tau);
    }
}

/* Moves all there is, and applies all forces but the actuators'. */
static fb_status move(fb_so *so, double time) {
    fb_simulation *s = so->simulation;
    fb_status status = FB_OK;
    if (s->system->n_constraint > 0) {
        status = fb_assemble(s->state, ASSEMBLED);
        fb_state_position(s->state);
        fb_project_velocity(s->state);
    }
    fb_simulation_move(s);
    for (int i = 0; i < s->muscles->n; i++) {
        s->points[i].tendon_force = 0;
    }
    memset(s->control, 0, (size_t)s->forces->n_controls * sizeof *s->control);
    for (int i = 0; i < s->forces->n_forces; i++) {
        const fb_force *f = &s->forces->forces[i];
        if (is_scalar(f) && f->state >= 0) {
            s->force_state[f->state] = 0;
        }
    }
    fb_simulation_forces(s, time);
    return status;
}

/* Equations in generalised forces: what inverse dynamics wants, less what acts. */
static void balance_forces(fb_so *so, const double *udot) {
    fb_simulation *s = so->simulation;
    int n_q = s->system->n_q;
    fb_inverse_dynamics(s->state, udot, NULL, so->tau);
    for (int k = 0; k < so->m; k++) {
        int c = so->equation[k];
        so->b[k] = so->tau[c] - s->tau[c];
        for (int i = 0; i < so->n; i++) {
            so->A[(size_t)k * (size_t)so->n + (size_t)i] =
                so->R[(size_t)i * (size_t)n_q + (size_t)c];
        }
    }
}

/* The same in accelerations, where constraints give forces of their own. */
static fb_status balance_accelerations(fb_so *so, const double *udot) {
    fb_simulation *s = so->simulation;
    size_t n_q = (size_t)s->system->n_q;
    fb_status status = fb_forward_dynamics(s->state, s->tau, so->udot);
    for (size_t j = 0; status == FB_OK && j < n_q; j++) {
        memcpy(so->tau, s->tau, n_q * sizeof *so->tau);
        so->tau[j] += 1;
        status = fb_forward_dynamics(s->state, so->tau, so->W + j * n_q);
        for (size_t k = 0; k < n_q; k++) {
            so->W[j * n_q + k] -= so->udot[k];
        }
    }
    for (int k = 0; k < so->m; k++) {
        size_t c = (size_t)so->equation[k];
        so->b[k] = udot[c] - so->udot[c];
        for (int i = 0; i < so->n; i++) {
            double sum = 0;
            for (size_t j = 0; j < n_q; j++) {
                sum += so->R[(size_t)i * n_q + j] * so->W[j * n_q + c];
            }
            so->A[(size_t)k * (size_t)so->n + (size_t)i] = sum;
        }
    }
    return status;
}

fb_status fb_so_at(fb_so *so, double time, const double *udot) {
    fb_simulation *s = so->simulation;
    s->state->time = time;
    fb_status status = move(so, time);
    for (int i = 0; i < so->n; i++) {
        respond(so, &so->actuators[i], time, so->R + (size_t)i * (size_t)s->system->n_q);
    }
    if (status == FB_OK && s->system->n_constraint > 0) {
        status = balance_accelerations(so, udot);
    } else if (status == FB_OK) {
        balance_forces(so, udot);
    }
    if (status != FB_OK) {
        for (int i = 0; i < so->n; i++) {
            so->problem.x[i] = (double)NAN;
        }
        return status;
    }
    return fb_separable_solve(&so->problem, &so->scratch);
}

int fb_so_weakest(const fb_so *so, double *lack) {
    int worst = -1;
    double most = -1;
    for (int k = 0; k < so->m; k++) {
        double size = 0;
        for (int i = 0; i < so->n; i++) {
            size += fabs(so->A[(size_t)k * (size_t)so->n + (size_t)i]);
        }
        double share = fabs(so->problem.residual[k]) / fmax(size, 1e-9);
        if (share > most) {
            most = share;
            worst = so->equation[k];
            *lack = so->problem.residual[k];
        }
    }
    return worst;
}
