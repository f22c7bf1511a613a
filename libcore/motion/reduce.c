#include "libcore/motion/reduce.h"

#include <math.h>

#include "libcore/motion/joints.h"
#include "libcore/motion/solve.h"

/* ---- compiling ------------------------------------------------------------------------------ */

typedef struct plan {
    fb_system *s;
    fb_reduction *r;
    bool *gone;    /* n_q: eliminated */
    bool *used;    /* n_constraint: by an elimination */
    bool *nonzero; /* n_q x n_q: the mass matrix */
} plan;

static bool is_derivative(const fb_system *s, int coordinate) {
    return !fb_joint_has_angular_speeds(&s->mobods[s->coordinates[coordinate].mobod]);
}

/* A coupler between coordinates whose derivatives are speeds; for others it is no equation of the
 * accelerations one by one. */
static bool is_plain_coupler(const fb_system *s, const fb_constraint *c) {
    bool plain = c->kind == FB_CONSTRAINT_COUPLER && is_derivative(s, c->coordinate);
    for (int i = 0; plain && i < c->n_independent; i++) {
        plain = is_derivative(s, c->independent[i]) && c->independent[i] != c->coordinate;
        for (int k = 0; k < i; k++) { /* one that is named twice has one column */
            plain = plain && c->independent[k] != c->independent[i];
        }
    }
    return plain;
}

/* True if another coupler that is still to be used depends on the coordinate. */
static bool is_needed(const plan *p, int coordinate) {
    for (int i = 0; i < p->s->n_constraint; i++) {
        const fb_constraint *c = &p->s->constraints[i];
        for (int k = 0; !p->used[i] && is_plain_coupler(p->s, c) && !p->gone[c->coordinate] &&
                        k < c->n_independent;
             k++) {
            if (c->independent[k] == coordinate) {
                return true;
            }
        }
    }
    return false;
}

static void eliminate(plan *p, int i) {
    const fb_constraint *c = &p->s->constraints[i];
    p->used[i] = true;
    p->gone[c->coordinate] = true;
    p->r->eliminated[p->r->n_eliminated++] = c;
}

/* Couplers first, each before those that give what it depends on; then what is fixed. Those that go
 * in a circle, and a second one on a coordinate, are left. */
static void choose(plan *p) {
    bool any = true;
    while (any) {
        any = false;
        for (int i = 0; i < p->s->n_constraint; i++) {
            const fb_constraint *c = &p->s->constraints[i];
            if (!p->used[i] && is_plain_coupler(p->s, c) && !p->gone[c->coordinate] &&
                !is_needed(p, c->coordinate)) {
                eliminate(p, i);
                any = true;
            }
        }
    }
    for (int i = 0; i < p->s->n_constraint; i++) {
        const fb_constraint *c = &p->s->constraints[i];
        if (c->kind == FB_CONSTRAINT_FIXED && !p->gone[c->coordinate]) {
            eliminate(p, i);
        }
    }
}

/* Where the mass matrix has numbers: coordinates of which one moves the other's body; then what
 * eliminations add. */
static void find_nonzeros(plan *p) {
    const fb_branch *branches = p->s->branches;
    int n = p->s->n_q;
    for (int i = 1; i < p->s->n_body; i++) {
        for (int j = i; j > 0; j = branches[j].parent) {
            for (int a = branches[i].q; a < branches[i].end; a++) {
                for (int b = branches[j].q; b < branches[j].end; b++) {
                    p->nonzero[a * n + b] = p->nonzero[b * n + a] = true;
                }
            }
        }
    }
    for (int e = 0; e < p->r->n_eliminated; e++) {
        const fb_constraint *c = p->r->eliminated[e];
        for (int k = 0; k < c->n_independent; k++) {
            int to = c->independent[k];
            for (int j = 0; j < n; j++) {
                if (p->nonzero[c->coordinate * n + j]) {
                    p->nonzero[to * n + j] = p->nonzero[j * n + to] = true;
                }
            }
            p->nonzero[to * n + to] = true;
        }
    }
}

/* Factoring from the last row up fills what two columns of a row have in common. */
static void find_factor(plan *p) {
    fb_reduction *r = p->r;
    int n = p->s->n_q, count = 0;
    for (int k = r->n - 1; k >= 0; k--) {
        for (int i = 0; i < k; i++) {
            for (int j = 0; p->nonzero[r->kept[k] * n + r->kept[i]] && j < k; j++) {
                if (p->nonzero[r->kept[k] * n + r->kept[j]]) {
                    p->nonzero[r->kept[i] * n + r->kept[j]] = true;
                }
            }
        }
    }
    r->begin = fb_arena_array(&p->s->arena, (size_t)r->n + 1, sizeof *r->begin);
    r->column = fb_arena_array(&p->s->arena, (size_t)(r->n * r->n) + 1, sizeof *r->column);
    for (int k = 0; k < r->n; k++) {
        r->begin[k] = count;
        for (int i = 0; i < k; i++) {
            if (p->nonzero[r->kept[k] * n + r->kept[i]]) {
                r->column[count++] = i;
            }
        }
    }
    r->begin[r->n] = count;
}

void fb_reduction_compile(fb_system *s) {
    size_t n = (size_t)s->n_q, m = (size_t)s->n_constraint;
    fb_reduction *r = fb_arena_alloc(&s->arena, sizeof *r);
    plan p = {.s = s,
              .r = r,
              .gone = fb_arena_array(&s->arena, n + 1, sizeof *p.gone),
              .used = fb_arena_array(&s->arena, m + 1, sizeof *p.used),
              .nonzero = fb_arena_array(&s->arena, n * n + 1, sizeof *p.nonzero)};
    r->eliminated = fb_arena_array(&s->arena, m + 1, sizeof *r->eliminated);
    r->kept = fb_arena_array(&s->arena, n + 1, sizeof *r->kept);
    r->rows = fb_arena_array(&s->arena, (size_t)s->n_row + 1, sizeof *r->rows);
    choose(&p);
    for (int i = 0; i < s->n_q; i++) {
        if (!p.gone[i]) {
            r->kept[r->n++] = i;
        }
    }
    for (int i = 0; i < s->n_constraint; i++) {
        for (int k = 0; !p.used[i] && k < s->constraints[i].n_rows; k++) {
            r->rows[r->m++] = s->constraints[i].row + k;
        }
    }
    find_nonzeros(&p);
    find_factor(&p);
    s->reduction = r;
}

size_t fb_reduction_work(const fb_system *system) {
    size_t n = (size_t)system->reduction->n, m = (size_t)system->reduction->m;
    return n * n + n + m * n + m * m + m + 1;
}

/* ---- solving -------------------------------------------------------------------------------- */

/* x_d = sum g_i x_i + k is put into all equations. */
static void substitute(const fb_system *s, const fb_constraint *c, double *M, double *G,
                       double *rhs, double *b) {
    const fb_reduction *r = s->reduction;
    int n = s->n_q, d = c->coordinate;
    const double *g = G + c->row * n;
    double k = -b[c->row];
    for (int j = 0; k != 0 && j < n; j++) {
        rhs[j] -= M[j * n + d] * k;
    }
    for (int a = 0; a < c->n_independent; a++) {
        int i = c->independent[a];
        double factor = g[i];
        rhs[i] += factor * rhs[d];
        for (int j = 0; j < n; j++) {
            M[j * n + i] += factor * M[j * n + d];
        }
        for (int j = 0; j < n; j++) {
            M[i * n + j] += factor * M[d * n + j];
        }
    }
    for (int a = 0; a < r->m; a++) {
        double *row = G + r->rows[a] * n, factor = row[d];
        b[r->rows[a]] -= factor * k;
        for (int q = 0; factor != 0 && q < c->n_independent; q++) {
            row[c->independent[q]] += factor * g[c->independent[q]];
        }
    }
}

/* A = L^T D L in place, L with ones on its diagonal, from the last row up. */
static bool factor(const fb_reduction *r, double *A) {
    int n = r->n;
    double largest = 0;
    for (int k = 0; k < n; k++) {
        largest = fb_greater(largest, A[k * n + k]);
    }
    for (int k = n - 1; k >= 0; k--) {
        double *row = A + k * n, inverse = 1 / row[k];
        const int *first = r->column + r->begin[k], *end = r->column + r->begin[k + 1];
        if (!(row[k] > FB_SMALL_PIVOT * largest)) {
            return false;
        }
        for (const int *i = end - 1; i >= first; i--) { /* rows below use row[*i] as it was */
            double l = row[*i] * inverse, *to = A + *i * n;
            for (const int *j = first; j <= i; j++) {
                to[*j] -= l * row[*j];
            }
            row[*i] = l;
        }
    }
    return true;
}

/* x = L^-T x */
static void solve_upper(const fb_reduction *r, const double *A, double *x) {
    for (int k = r->n - 1; k >= 0; k--) {
        const double *row = A + k * r->n;
        for (int a = r->begin[k]; a < r->begin[k + 1] && x[k] != 0; a++) {
            x[r->column[a]] -= row[r->column[a]] * x[k];
        }
    }
}

/* x = L^-1 x */
static void solve_lower(const fb_reduction *r, const double *A, double *x) {
    for (int k = 0; k < r->n; k++) {
        const double *row = A + k * r->n;
        double sum = x[k];
        for (int a = r->begin[k]; a < r->begin[k + 1]; a++) {
            sum -= row[r->column[a]] * x[r->column[a]];
        }
        x[k] = sum;
    }
}

/* Adds to y (= L^-T rhs) what the multipliers push: G M^-1 G^T lambda = b - G M^-1 rhs. W = G L^-1;
 * D is the factor's diagonal. */
static bool add_multipliers(const fb_reduction *r, const double *A, const double *W,
                            const double *b, double *y, double *S, double *lambda) {
    int n = r->n, m = r->m;
    for (int i = 0; i < m; i++) {
        const double *w = W + i * n;
        lambda[i] = b[r->rows[i]];
        for (int k = 0; k < n; k++) {
            lambda[i] -= w[k] * y[k] / A[k * n + k];
        }
        for (int j = 0; j <= i; j++) {
            double sum = 0;
            for (int k = 0; k < n; k++) {
                sum += w[k] * W[j * n + k] / A[k * n + k];
            }
            S[i * m + j] = sum;
        }
    }
    if (!fb_cholesky(m, S, FB_SMALL_CONSTRAINT)) {
        return false;
    }
    fb_cholesky_forward(m, S, lambda);
    fb_cholesky_backward(m, S, lambda);
    for (int i = 0; i < m; i++) {
        for (int k = 0; k < n; k++) {
            y[k] += W[i * n + k] * lambda[i];
        }
    }
    return true;
}

bool fb_reduction_solve(const fb_system *s, double *M, double *G, double *rhs, double *b, double *x,
                        double *work) {
    const fb_reduction *r = s->reduction;
    int n = r->n, m = r->m, all = s->n_q;
    double *A = work, *y = A + n * n, *W = y + n, *S = W + m * n, *lambda = S + m * m;
    for (int e = 0; e < r->n_eliminated; e++) {
        substitute(s, r->eliminated[e], M, G, rhs, b);
    }
    for (int i = 0; i < n; i++) {
        const double *row = M + r->kept[i] * all;
        y[i] = rhs[r->kept[i]];
        for (int j = 0; j <= i; j++) {
            A[i * n + j] = row[r->kept[j]];
        }
        for (int k = 0; k < m; k++) {
            W[k * n + i] = G[r->rows[k] * all + r->kept[i]];
        }
    }
    if (!factor(r, A)) {
        return false;
    }
    solve_upper(r, A, y);
    for (int k = 0; k < m; k++) {
        solve_upper(r, A, W + k * n);
    }
    if (m > 0 && !add_multipliers(r, A, W, b, y, S, lambda)) {
        return false;
    }
    for (int i = 0; i < n; i++) {
        y[i] /= A[i * n + i];
    }
    solve_lower(r, A, y);
    for (int i = 0; i < n; i++) {
        x[r->kept[i]] = y[i];
    }
    for (int e = r->n_eliminated - 1; e >= 0;
         e--) { /* each from those that were eliminated later */
        const fb_constraint *c = r->eliminated[e];
        const double *g = G + c->row * all;
        double sum = -b[c->row];
        for (int k = 0; k < c->n_independent; k++) {
            sum += g[c->independent[k]] * x[c->independent[k]];
        }
        x[c->coordinate] = sum;
    }
    return true;
}
