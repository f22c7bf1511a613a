/* fbsim curves: the curves of Hill-type muscles. */
#include <math.h>
#include <string.h>

#include "libcore/base/number.h"
#include "tools/fbsim.h"

#define MOST_ACTIVATIONS 20
#define SHORTEST 0.2 /* optimal fiber lengths */
#define LONGEST 1.8
#define TENDON_FORCE 1.5 /* greatest isometric forces: so far the tendon is stretched */

enum { ACTIVE, PASSIVE, TENDON, VELOCITY, TOTAL, ACTIVATION, N_CURVES };

/* What each table is. */
static const struct {
    const char *name, *x, *x_si, *y;
    bool by_activation; /* a column for each activation */
} curves[N_CURVES] = {
    {"active", "normalized_fiber_length", "fiber_length", "active_force", true},
    {"passive", "normalized_fiber_length", "fiber_length", "passive_force", false},
    {"tendon", "tendon_strain", "tendon_length", "tendon_force", false},
    {"velocity", "normalized_fiber_velocity", "fiber_velocity", "active_force", true},
    {"total", "normalized_fiber_length", "fiber_length", "total_force", true},
    {"activation", "activation", "activation", "tendon_force", false},
};

typedef struct job {
    fb_cli *cli;
    const fb_simulation *s;
    bool wanted[N_CURVES];
    bool si, alone; /* alone: one table, which goes to -o or standard output */
    double activations[MOST_ACTIVATIONS];
    int n_activations, steps;
    const char *activation_text[MOST_ACTIVATIONS]; /* as they were given, not 0-terminated */
    int activation_length[MOST_ACTIVATIONS];
    const fb_muscle **muscles; /* those of --muscle */
    int n_muscles;
} job;

/* ---- what is asked for ----------------------------------------------------------------------- */

static bool choose_curves(job *j) {
    const char *name = fb_cli_value(j->cli, "curve");
    bool all = !name || strcmp(name, "all") == 0, any = all;
    for (int i = 0; i < N_CURVES; i++) {
        j->wanted[i] = all || strcmp(name, curves[i].name) == 0;
        any = any || j->wanted[i];
    }
    if (!any) {
        fb_cli_say(j->cli,
                   "--curve is 'active', 'passive', 'tendon', 'velocity', 'total', 'activation' or "
                   "'all', not '%s'",
                   name);
        return false;
    }
    return true;
}

static bool read_activations(job *j) {
    const char *text = fb_cli_value(j->cli, "activation");
    for (text = text ? text : "0.1,0.5,1";; text++) {
        size_t n = strcspn(text, ",");
        double a;
        if (!fb_number_parse(text, n, &a) || !(a >= 0 && a <= 1)) {
            fb_cli_say(j->cli, "--activation must be numbers from 0 to 1 with commas between");
            return false;
        }
        if (j->n_activations == MOST_ACTIVATIONS) {
            fb_cli_say(j->cli, "--activation takes up to %d numbers", MOST_ACTIVATIONS);
            return false;
        }
        j->activation_text[j->n_activations] = text;
        j->activation_length[j->n_activations] = (int)n;
        j->activations[j->n_activations++] = a;
        text += n;
        if (!*text) {
            return true;
        }
    }
}

static bool read_options(job *j) {
    const char *unit = fb_cli_value(j->cli, "unit");
    double steps;
    j->si = unit && strcmp(unit, "si") == 0;
    if (unit && !j->si && strcmp(unit, "normalized") != 0) {
        fb_cli_say(j->cli, "--unit is 'normalized' or 'si', not '%s'", unit);
        return false;
    }
    if (!fb_cli_value(j->cli, "muscle")) {
        fb_cli_say(j->cli, "--muscle NAME says of which muscle");
        return false;
    }
    if (!choose_curves(j) || !read_activations(j) ||
        !fb_cli_number(j->cli, "steps", 2, 1e6, 101, &steps)) {
        return false;
    }
    j->steps = (int)steps;
    return true;
}

/* ---- tables ---------------------------------------------------------------------------------- */

static bool has_curve(const fb_muscle *m, int curve) {
    if (m->lacking) {
        return false;
    }
    return curve == PASSIVE  ? fb_muscle_has_curve(m, FB_HILL_PASSIVE)
           : curve == TENDON ? fb_muscle_has_curve(m, FB_HILL_TENDON)
                             : true;
}

/* Fibers with no velocity. As in equilibrium, no part of them pushes: splines dip below zero. */
static double total_force(const fb_muscle *m, double a, double x) {
    double passive = has_curve(m, PASSIVE) ? fb_muscle_curve(m, FB_HILL_PASSIVE, a, x) : 0;
    return fmax(0, fb_muscle_curve(m, FB_HILL_ACTIVE, a, x)) + fmax(0, passive);
}

/* The tendon's force in equilibrium, on a path on which fibers have their optimal length at
 * activation 1. */
static double force_at_activation(const fb_muscle *m, double a) {
    fb_muscle_point point;
    bool balanced = fb_muscle_equilibrate(m, a, fb_muscle_optimal_path(m), 0, FB_EQUILIBRIUM_STATIC,
                                          &point);
    return !balanced || m->max_force == 0 ? FB_NAN : point.tendon_force / m->max_force;
}

/* A curve in greatest isometric forces. */
static double value_of(const fb_muscle *m, int curve, double a, double x) {
    switch (curve) {
    case ACTIVE: return fb_muscle_curve(m, FB_HILL_ACTIVE, a, x);
    case PASSIVE: return fb_muscle_curve(m, FB_HILL_PASSIVE, a, x);
    case TENDON: return fb_muscle_curve(m, FB_HILL_TENDON, a, x);
    case VELOCITY: return fb_muscle_curve(m, FB_HILL_VELOCITY, a, x);
    case TOTAL: return total_force(m, a, x);
    default: return force_at_activation(m, x);
    }
}

/* The strain at which a tendon carries TENDON_FORCE, or 1 if it does not before. */
static double tendon_end(const fb_muscle *m) {
    double low = 0, high = 1;
    for (int i = 0; i < 60; i++) {
        double middle = (low + high) / 2;
        if (fb_muscle_curve(m, FB_HILL_TENDON, 1, middle) < TENDON_FORCE) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return high;
}

/* Where a curve's x begins and ends, normalised. */
static void span(int curve, const fb_muscle *const *muscles, int n, double *low, double *high) {
    *low = curve == VELOCITY ? -1 : curve == TENDON || curve == ACTIVATION ? 0 : SHORTEST;
    *high = curve == VELOCITY || curve == ACTIVATION ? 1 : LONGEST;
    if (curve == TENDON) {
        *high = 0;
        for (int i = 0; i < n; i++) {
            *high = fmax(*high, has_curve(muscles[i], TENDON) ? tendon_end(muscles[i]) : 0);
        }
    }
}

static double in_si(const fb_muscle *m, int curve, double x) {
    switch (curve) {
    case TENDON: return (1 + x) * m->slack_length;
    case VELOCITY: return x * fb_muscle_velocity_unit(m);
    case ACTIVATION: return x;
    default: return x * m->optimal_length;
    }
}

/* Columns of the muscles that have the curve; how many do. */
static int add_columns(const job *j, fb_sto *t, int curve, const fb_muscle *const *muscles, int n) {
    int having = 0;
    fb_sto_add_column(t, j->si ? curves[curve].x_si : curves[curve].x);
    for (int i = 0; i < n; i++) {
        const char *path = muscles[i]->element->path, *y = curves[curve].y;
        if (!has_curve(muscles[i], curve)) {
            if (!j->cli->quiet) {
                fb_cli_say(j->cli, "%s '%s' has no %s curve here; it is left out",
                           muscles[i]->element->cls->name, fb_path_name(path), curves[curve].name);
            }
            continue;
        }
        having++;
        for (int k = 0; k < (curves[curve].by_activation ? j->n_activations : 1); k++) {
            fb_sto_add_column(t,
                              curves[curve].by_activation
                                  ? fb_arena_printf(&t->arena, "%s|%s|%.*s", path, y,
                                                    j->activation_length[k], j->activation_text[k])
                                  : fb_arena_printf(&t->arena, "%s|%s", path, y));
        }
    }
    return having;
}

static void add_rows(const job *j, fb_sto *t, int curve, const fb_muscle *const *muscles, int n) {
    double low, high;
    span(curve, muscles, n, &low, &high);
    for (int r = 0; r < j->steps; r++) {
        double x = low + (high - low) * r / (j->steps - 1), *to = fb_sto_row(t);
        *to++ = j->si ? in_si(muscles[0], curve, x) : x;
        for (int i = 0; i < n; i++) {
            if (!has_curve(muscles[i], curve)) {
                continue;
            }
            for (int k = 0; k < (curves[curve].by_activation ? j->n_activations : 1); k++) {
                *to++ = value_of(muscles[i], curve, j->activations[k], x) *
                        (j->si ? muscles[i]->max_force : 1);
            }
        }
    }
}

/* Numbers that are missing, for each muscle. */
static void tell_missing(const job *j, const fb_sto *t) {
    for (int c = 1; c < t->n_columns; c++) {
        int n = 0;
        for (int r = 0; r < t->n_rows; r++) {
            n += isnan(fb_sto_value(t, r, c)) != 0;
        }
        if (n && !j->cli->quiet) {
            fb_cli_say(j->cli, "warning: %s is nan in %d of %d rows: no balance", t->columns[c], n,
                       t->n_rows);
        }
    }
}

/* The file of a table; in SI of several muscles each has its own. */
static const char *file_of(const job *j, fb_arena *arena, int curve, const fb_muscle *m) {
    const char *folder = fb_cli_value(j->cli, "out");
    folder = folder ? folder : ".";
    if (!j->si || j->n_muscles == 1) {
        return fb_arena_printf(arena, "%s/%s.sto", folder, curves[curve].name);
    }
    bool unique = true;
    const char *name = fb_path_name(m->element->path);
    for (int i = 0; i < j->n_muscles; i++) {
        unique = unique && (j->muscles[i] == m ||
                            strcmp(fb_path_name(j->muscles[i]->element->path), name) != 0);
    }
    char *tail = fb_arena_dup(arena, unique ? name : m->element->path + 1);
    for (char *c = tail; *c; c++) {
        *c = *c == '/' ? '_' : *c;
    }
    return fb_arena_printf(arena, "%s/%s_%s.sto", folder, curves[curve].name, tail);
}

/* A table being made, with what stands around it. */
typedef struct product {
    fb_sto table;
    const char *header, *file;
    bool empty; /* none of the muscles has the curve */
} product;

/* One table of some muscles. */
static fb_status fill(const job *j, int curve, const fb_muscle *const *muscles, int n, product *p) {
    jmp_buf oom;
    if (setjmp(oom)) {
        return FB_E_MEMORY;
    }
    p->table.arena.oom = &oom;
    p->empty = add_columns(j, &p->table, curve, muscles, n) == 0;
    if (!p->empty) {
        add_rows(j, &p->table, curve, muscles, n);
        tell_missing(j, &p->table);
    }
    p->header = fb_arena_printf(
        &p->table.arena, "%sunits=%s\n", fb_fbsim_header(&p->table, j->s),
        j->si ? "m, m/s, N"
              : "normalized: forces by the greatest isometric one, lengths by the optimal fiber "
                "length or the tendon slack length, velocities by the greatest one");
    p->file = file_of(j, &p->table.arena, curve, muscles[0]);
    p->table.arena.oom = NULL;
    return FB_OK;
}

static fb_status write_tables(const job *j, int *written) {
    fb_status status = fb_fbsim_make_folder(j->cli);
    for (int curve = 0; curve < N_CURVES; curve++) {
        int each = j->si ? 1 : j->n_muscles; /* in SI muscles have no common x */
        for (int i = 0; j->wanted[curve] && i < j->n_muscles && status == FB_OK; i += each) {
            product p = {.empty = true};
            fb_sto_start(&p.table, curves[curve].name);
            status = fill(j, curve, j->muscles + i, each, &p);
            if (status == FB_OK && !p.empty) {
                status = fb_fbsim_write(j->cli, &p.table, p.header,
                                        j->alone ? j->cli->output : p.file);
                ++*written;
            }
            fb_sto_free(&p.table);
        }
    }
    return status;
}

int fb_fbsim_curves(fb_cli *cli, fb_simulation *s) {
    job j = {.cli = cli, .s = s};
    const char *file = cli->n_operands > 1 ? cli->operands[1] : "-";
    if (!read_options(&j) || !fb_fbsim_find_all(cli, s, NULL, file, false)) {
        return FB_EXIT_USAGE;
    }
    j.muscles = fb_alloc((size_t)s->muscles->n * sizeof(fb_muscle *));
    if (!j.muscles) {
        return fb_exit_of(FB_E_MEMORY);
    }
    for (int i = 0; i < s->muscles->n; i++) {
        if (fb_fbsim_is_wanted(cli, s, s->muscles->muscles[i].element)) {
            j.muscles[j.n_muscles++] = &s->muscles->muscles[i];
        }
    }
    int n_curves = 0, status = FB_EXIT_USAGE;
    for (int i = 0; i < N_CURVES; i++) {
        n_curves += j.wanted[i];
    }
    int n_tables = n_curves * (j.si ? j.n_muscles : 1);
    j.alone = n_tables == 1 && !fb_cli_value(cli, "out");
    if (j.n_muscles == 0) {
        fb_cli_say(cli, "the model has no muscles");
    } else if (cli->output && !j.alone) {
        fb_cli_say(cli, "--output is for one table; --out DIR is for %d", n_tables);
    } else {
        int written = 0;
        status = fb_exit_of(write_tables(&j, &written));
        status = status == FB_EXIT_OK && written == 0 ? FB_EXIT_NO : status;
    }
    fb_free(j.muscles);
    return status;
}
