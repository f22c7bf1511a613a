/* Reduced equations of motion beside the whole ones, solved densely: the same accelerations. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/motion/reduce.h"
#include "libcore/motion/solve.h"
#include "tests/help.h"

/* Two legs of four pins each on a slider; what stands in for @ are constraints. */
static const char *const body =
    "{'fb': '1.0', 'bodies': [@B{'name': 'p', 'mass': 5, 'inertia': [1, 1, 1, 0, 0, 0]}], "
    "'frames': [@F{'name': 'none', 'parent': 'p'}], 'joints': [{'name': 'root', 'type': 'planar', "
    "'parent': 'ground', 'child': 'p'}@J], 'constraints': [@C]}";

static void add(char *text, const char *more) {
    strcat(text, more);
}

/* The model's text: legs l and r of pins l0 .. l3, r0 .. r3. */
static char *model_text(const char *constraints) {
    char *text = calloc(1, 20000), bodies[4000] = "", frames[4000] = "", joints[4000] = "",
         one[500];
    for (int leg = 0; leg < 2; leg++) {
        char side = leg ? 'r' : 'l', parent[10] = "none";
        for (int i = 0; i < 4; i++) {
            snprintf(one, sizeof one,
                     "{'name': 'b%c%d', 'mass': %g, 'mass_center': [0.02, -0.2, 0.01], 'inertia': "
                     "[0.1, 0.2, 0.15, 0, 0, 0]}, ",
                     side, i, 1 + 0.3 * i);
            add(bodies, one);
            snprintf(one, sizeof one,
                     "{'name': 'f%c%d', 'parent': 'b%c%d', 'translation': [0, -0.4, 0], "
                     "'rotation_xyz': [%g, 0.2, 0]}, ",
                     side, i, side, i, 0.1 * i);
            add(frames, one);
            snprintf(one, sizeof one,
                     ", {'name': 'j%c%d', 'type': 'pin', 'parent': '%s', 'child': 'b%c%d', "
                     "'coordinates': [{'name': '%c%d', 'locked': %s}]}",
                     side, i, parent, side, i, side, i, leg == 1 && i == 2 ? "true" : "false");
            add(joints, one);
            snprintf(parent, sizeof parent, "f%c%d", side, i);
        }
    }
    for (const char *c = body; *c; c++) {
        const char *part = *c != '@'     ? NULL
                           : c[1] == 'B' ? bodies
                           : c[1] == 'F' ? frames
                           : c[1] == 'J' ? joints
                                         : constraints;
        if (part) {
            add(text, part);
            c++;
        } else {
            text[strlen(text)] = *c;
        }
    }
    fb_test_quotes(text);
    return text;
}

#define COUPLER(name, dependent, independent, a, b) \
    "{'name': '" name "', 'type': 'coordinate_coupler', 'function': {'type': 'polynomial', " \
    "'coefficients': [" #a ", " #b ", 0.1]}, 'independent_coordinates': ['" independent "'], " \
    "'dependent_coordinate': '" dependent "'}"

typedef struct sample {
    const char *what, *constraints;
    int eliminated, rows; /* by hand; rows that keep multipliers */
} sample;

static const sample samples[] = {
    {"a locked one alone", "", 1, 0},
    {"a coupler", COUPLER("c", "l1", "l0", -0.3, 0.5), 2, 0},
    {"a chain, told from its end",
     COUPLER("c", "l1", "l0", 0.4, 0) ", " COUPLER("d", "l2", "l1", 0.7, 0.1), 3, 0},
    {"a chain, told from its beginning",
     COUPLER("d", "l2", "l1", 0.7, 0.1) ", " COUPLER("c", "l1", "l0", 0.4, 0), 3, 0},
    {"across the legs", COUPLER("c", "l3", "r0", 0.4, 0) ", " COUPLER("d", "r1", "r0", -1, 0), 3,
     0},
    {"by what is locked", COUPLER("c", "l3", "r2", 0.4, 0), 2, 0},
    {"a circle", COUPLER("c", "l1", "l0", 0.4, 0) ", " COUPLER("d", "l0", "l1", 0.7, 0.1), 1, 2},
    {"two on one", COUPLER("c", "l1", "l0", 0.4, 0) ", " COUPLER("d", "l1", "r0", 0.7, 0.1), 2, 1},
    {"one named twice",
     "{'name': 'c', 'type': 'coordinate_coupler', 'function': {'type': 'multivariate_polynomial', "
     "'dimension': 2, 'order': 1, 'coefficients': [0, 0.4, 0.3]}, 'independent_coordinates': "
     "['l0', "
     "'l0'], 'dependent_coordinate': 'l1'}",
     1, 1},
    {"a point too",
     COUPLER("c", "l1", "l0", 0.4,
             0) ", {'name': 'k', 'type': 'constant_distance', 'body_1': 'bl3', "
                "'body_2': 'br3', 'location_1': [0, -0.1, 0.1], 'location_2': [0.3, 0, 0], "
                "'distance': 0.5}",
     2, 1},
};

static void check_sample(const sample *p) {
    fb_model *model;
    fb_diag diag;
    fb_system *system = NULL;
    char *text = model_text(p->constraints);
    model = fb_test_must(fb_test_fb(text, &diag, NULL), &diag);
    free(text);
    if (!FB_TRUE(model && fb_system_compile(&system, model, NULL, &diag) == FB_OK, "%s: %s",
                 p->what, diag.n ? diag.records[0].message : "")) {
        return;
    }
    fb_state *s = fb_state_new(system);
    int n = system->n_q, m = system->n_row;
    FB_EQUAL_INT(system->reduction->n_eliminated, p->eliminated);
    FB_EQUAL_INT(system->reduction->m, p->rows);
    FB_EQUAL_INT(system->reduction->n, n - p->eliminated);
    unsigned long long seed = fb_test_seed();
    double M[121], G[121], error[11], b[11], rhs[11], tau[11], bias[11], want[11], got[11];
    for (int round = 0; round < 20 && n <= 11 && m <= 11; round++) {
        for (int k = 0; k < n; k++) {
            s->q[k] = (double)(fb_random(&seed) % 1000) / 1000 - 0.5;
            s->u[k] = (double)(fb_random(&seed) % 1000) / 500 - 1;
            tau[k] = (double)(fb_random(&seed) % 1000) / 50 - 10;
        }
        fb_state_position(s);
        fb_state_velocity(s);
        fb_mass_matrix(s, M);
        fb_inverse_dynamics(s, NULL, NULL, bias);
        fb_constraint_position(s, error, G);
        fb_constraint_bias(s, b);
        for (int k = 0; k < n; k++) {
            rhs[k] = tau[k] - bias[k];
        }
        for (int k = 0; k < m; k++) {
            b[k] = -b[k];
        }
        FB_EQUAL_INT(fb_solve_constrained(s->scratch, n, m, M, G, rhs, b, want), FB_OK);
        FB_EQUAL_INT(fb_forward_dynamics(s, tau, got), FB_OK);
        for (int k = 0; k < n; k++) {
            FB_TRUE(fabs(got[k] - want[k]) <= 1e-9 * (1 + fabs(want[k])),
                    "%s: %d: %.15g, not %.15g", p->what, k, got[k], want[k]);
        }
        /* couplings one by one, and all at once */
        double U[121], u[11];
        fb_coordinate_couplings(s, U);
        for (int i = 0; i < n; i++) {
            double most = 1;
            fb_coordinate_coupling(s, i, u);
            for (int k = 0; k < n; k++) {
                most = fmax(most, fabs(u[k]));
            }
            for (int k = 0; k < n; k++) {
                FB_TRUE(fabs(U[i * n + k] - u[k]) <= 1e-7 * most * most,
                        "%s: %d with %d: %.15g, not %.15g", p->what, k, i, U[i * n + k], u[k]);
            }
        }
        /* it was not the dense way that answered */
        fb_mass_matrix(s, M);
        fb_constraint_position(s, error, G);
        double *work = fb_scratch_take(s->scratch, fb_reduction_work(system), sizeof *work);
        FB_TRUE(fb_reduction_solve(system, M, G, rhs, b, got, work), "%s: reduced", p->what);
        fb_scratch_give(s->scratch, work);
    }
    fb_state_free(s);
    fb_system_free(system);
    fb_model_free(model);
    fb_diag_clear(&diag);
}

static void reduced_equations_are_the_whole_ones(void) {
    for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++) {
        check_sample(&samples[i]);
    }
}

/* The factor has no more numbers than the tree: legs do not meet. */
static void factor_is_sparse(void) {
    fb_diag diag;
    fb_system *system;
    char *text = model_text("");
    fb_model *model = fb_test_must(fb_test_fb(text, &diag, NULL), &diag);
    free(text);
    FB_EQUAL_INT(fb_system_compile(&system, model, NULL, &diag), FB_OK);
    const fb_reduction *r = system->reduction;
    /* of 10: root 0 + 1 + 2, left leg 3 .. 6, right leg without the locked one 3 .. 5 */
    FB_EQUAL_INT(r->n, 10);
    FB_EQUAL_INT(r->begin[r->n], 0 + 1 + 2 + 3 + 4 + 5 + 6 + 3 + 4 + 5);
    fb_system_free(system);
    fb_model_free(model);
    fb_diag_clear(&diag);
}

static const fb_test tests[] = {
    FB_TEST(reduced_equations_are_the_whole_ones),
    FB_TEST(factor_is_sparse),
    FB_TEST_END,
};

int main(int argc, char **argv) {
    return fb_test_main("motion", tests, argc, argv);
}
