/* fbsim sweep: lengths, moment arms and forces of muscles over the range of a coordinate. */
#include <fnmatch.h>
#include <math.h>
#include <string.h>

#include "formats/sto.h"
#include "libcore/base/number.h"
#include "libcore/version.h"
#include "tools/fbsim.h"

#define ASSEMBLY 1e-10
#define HALF_TURN 3.14159265358979323846

typedef struct sweep {
    fb_cli *cli;
    fb_simulation *s;
    int coordinate, steps;
    double low, high;
    const char *glob;
    fb_sto table;
    double *coupling; /* n_q */
    double *moment;   /* of each group of virtual links */
    long unlinked;
} sweep;

static bool is_wanted(const sweep *w, const fb_muscle *m) {
    return !w->glob || fnmatch(w->glob, fb_path_name(m->element->path), 0) == 0;
}

/* The coordinate of a name or component path; -1 with a message if there is none. */
static int find_coordinate(fb_cli *cli, const fb_system *system, const char *name) {
    for (int i = 0; name && i < system->n_q; i++) {
        const fb_element *element = system->coordinates[i].element;
        if (element &&
            (strcmp(name, element->path) == 0 || strcmp(name, fb_path_name(element->path)) == 0)) {
            return i;
        }
    }
    if (name) {
        fb_cli_say(cli, "the model has no coordinate '%s'", name);
    } else {
        fb_cli_say(cli, "--coordinate NAME says what to sweep");
    }
    return -1;
}

/* Its range, or half a turn, or a metre, about the default where it has none. */
static void find_range(sweep *w) {
    const fb_coordinate *c = &w->s->system->coordinates[w->coordinate];
    w->low = c->range[0];
    w->high = c->range[1];
    if (!(w->high > w->low) || !isfinite(w->high - w->low) || w->high - w->low > 100) {
        double half = fb_coordinate_motion(c->element) == FB_ROTATIONAL ? HALF_TURN / 2 : 0.5;
        w->low = c->initial - half;
        w->high = c->initial + half;
    }
}

static void start_table(sweep *w) {
    static const char *const parts[] = {"length", "moment_arm", "tendon_force"};
    const fb_muscles *muscles = w->s->muscles;
    const char *name = fb_path_name(w->s->system->coordinates[w->coordinate].element->path);
    fb_sto_add_column(&w->table, name);
    for (int i = 0; i < muscles->n; i++) {
        for (size_t k = 0; k < 3 && is_wanted(w, &muscles->muscles[i]); k++) {
            fb_sto_add_column(&w->table,
                              fb_arena_printf(&w->table.arena, "%s|%s",
                                              muscles->muscles[i].element->path, parts[k]));
        }
    }
    fb_sto_add_column(&w->table, "strength_positive");
    fb_sto_add_column(&w->table, "strength_negative");
}

static double arm_of(const sweep *w, int path) {
    int n = w->s->system->n_q;
    double arm = 0;
    for (int k = 0; k < n; k++) {
        arm += w->coupling[k] * w->s->path_arms[(size_t)path * (size_t)n + (size_t)k];
    }
    return arm;
}

/* Muscles that meet at virtual links, and the other wires there, make one moment. */
static void add_links(sweep *w, double q, double *strength) {
    const fb_links *l = w->s->links;
    for (int i = 0; l && i < l->n_wires; i++) {
        const fb_wire *wire = &l->wires[i];
        if (wire->muscle < 0) {
            w->moment[wire->group] += arm_of(w, wire->path) * wire->tension;
        }
    }
    for (int i = 0; l && i < l->n; i++) {
        strength[w->moment[i] < 0] += w->moment[i];
        w->moment[i] = 0;
    }
    if (l) {
        fb_links_tell(l, w->table.columns[0], q, &w->cli->diag);
        w->unlinked += l->n_failed;
    }
}

/* One pose. Where constraints cannot be met, or a muscle finds no balance, the numbers are nan. */
static void put_row(sweep *w, double q) {
    fb_simulation *s = w->s;
    fb_state_defaults(s->state);
    s->state->q[w->coordinate] = q;
    bool met = fb_assemble_holding(s->state, w->coordinate, ASSEMBLY) == FB_OK;
    fb_simulation_move(s);
    fb_coordinate_coupling(s->state, w->coordinate, w->coupling);
    double *row = fb_sto_row(&w->table), *to = row + 1, strength[2] = {0, 0};
    row[0] = q;
    for (int i = 0; i < s->muscles->n; i++) {
        const fb_muscle *m = &s->muscles->muscles[i];
        if (!is_wanted(w, m)) {
            continue;
        }
        double arm = arm_of(w, m->path);
        int group = s->links ? fb_links_group(s->links, m->path) : -1;
        bool balanced = fb_simulation_equilibrate(s, i, FB_EQUILIBRIUM_STATIC);
        double force = met && balanced ? s->points[i].tendon_force : FB_NAN;
        to[0] = met ? s->path_length[m->path] : FB_NAN;
        to[1] = met ? arm : FB_NAN;
        to[2] = force;
        to += 3;
        *(group < 0 ? &strength[arm < 0] : &w->moment[group]) += isnan(force) ? 0 : arm * force;
    }
    add_links(w, q, strength);
    to[0] = strength[0];
    to[1] = strength[1];
}

static fb_status fill(sweep *w) {
    jmp_buf oom;
    fb_sto_start(&w->table, "sweep");
    if (setjmp(oom)) {
        return FB_E_MEMORY;
    }
    w->table.arena.oom = &oom;
    w->coupling = fb_arena_array(&w->table.arena, (size_t)w->s->system->n_q + 1,
                                 sizeof *w->coupling);
    w->moment = fb_arena_array(&w->table.arena, (size_t)w->s->paths->n_links, sizeof *w->moment);
    start_table(w);
    for (int i = 0; i < w->steps; i++) {
        put_row(w, w->low + (w->high - w->low) * i / (w->steps - 1));
    }
    return FB_OK;
}

int fb_fbsim_sweep(fb_cli *cli, fb_simulation *s) {
    sweep w = {.cli = cli, .s = s, .glob = fb_cli_value(cli, "muscle")};
    double steps, activation;
    if (!fb_cli_number(cli, "steps", 2, 1e6, 51, &steps) ||
        !fb_cli_number(cli, "activation", 0, 1, 1, &activation) ||
        (w.coordinate = find_coordinate(cli, s->system, fb_cli_value(cli, "coordinate"))) < 0) {
        return FB_EXIT_USAGE;
    }
    w.steps = (int)steps;
    find_range(&w);
    for (int i = 0; i < s->muscles->n; i++) {
        s->activation[i] = activation;
    }
    fb_status status = fill(&w);
    if (status == FB_OK) {
        char header[200];
        fb_output output;
        snprintf(header, sizeof header, "tool=fbsim %s\ngeometry=%s\n", FB_VERSION,
                 s->paths->as_opensim4 ? "as OpenSim 4.5.2" : "exact");
        status = fb_cli_open(cli, cli->output, &output);
        if (status == FB_OK) {
            fb_sto_write(&w.table, header, &output.text);
            status = fb_cli_close(cli, cli->output, &output, true);
        }
    }
    fb_sto_free(&w.table);
    if (status == FB_OK && w.unlinked) {
        return FB_EXIT_NUMERIC;
    }
    return fb_exit_of(status);
}
