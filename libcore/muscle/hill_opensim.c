/* Equilibrium as OpenSim 4.5.2 iterates to it.
 *
 * Where fibers and tendon balance at more than one length, or at none, or the iteration stops
 * early, the result depends on the way. These follow the steps of OpenSim 4.5.2: facts read in the
 * public source of its muscle classes; see docs/theory.md. */
#include <math.h>

#include "libcore/base/number.h"
#include "libcore/muscle/hill.h"

#define SIGNIFICANT 2.0e-14  /* what Simbody takes for a significant difference */
#define ROOT_EPSILON 0x1p-26 /* square root of the machine's precision */
#define TOLERANCE 1e-8       /* in greatest isometric forces; of De Groote's muscles 1e-10 */

/* ---- the older classes ----------------------------------------------------------------------- */

#define OLD_LIMIT 0.01        /* N: what the older classes take for balanced */
#define OLD_STEPS 100         /* after which they take what they have */
#define TENDON_MODULUS 1200.0 /* strain stiffness of tendon, in the stress below */
#define TENDON_STRESS 32.0

/* The older classes: steps by stiffnesses that are no more than estimates, and by interpolation
 * once the sign has changed, until 0.01 N are left. */
static double old_balance(const fb_muscle *m, double a, double path) {
    double L0 = m->optimal_length, slack = m->slack_length, fiber = L0, before = 0;
    if (slack < FB_HILL_NO_LENGTH) {
        return path / cos(atan(m->height / path));
    }
    if (path < slack) {
        return m->height;
    }
    if (m->kind == FB_MUSCLE_DELP) {
        fiber = path - slack;
    }
    double cosine = fb_hill_shape_at(m, path, fiber).cosine, tendon = path - fiber * cosine,
           error = 0;
    for (int i = 0; i <= OLD_STEPS; i++) {
        if (tendon < slack) {
            tendon = slack;
            cosine = cos(atan(m->height / (path - tendon)));
            fiber = (path - tendon) / cosine;
            if (i == 0 && !(fiber >= m->height)) {
                fiber = m->height;
            }
        }
        if (i == OLD_STEPS) {
            break;
        }
        fb_hill_shape s = fb_hill_shape_at(m, path, fiber);
        double fl = s.fl, fp = s.fp, force = fmax(0, fl * a) + fmax(0, fp);
        double ft = fb_hill_tendon_force(m, tendon / slack);
        double last = error;
        error = (ft - force * cosine) * m->max_force;
        if (fabs(error) <= OLD_LIMIT) {
            break;
        }
        if (i > 0 && (error < 0) != (last < 0)) {
            double part = fabs(error) / (fabs(error) + fabs(last)), back = before;
            before = fiber;
            fiber += part * (back - fiber);
        } else {
            double kt = fmax(ft, force * TENDON_MODULUS / TENDON_STRESS) * m->max_force / slack;
            double km = m->max_force / L0 * (fl + fp);
            double step = fmin(fabs(error / (km / cosine + kt)), 0.5 * L0);
            before = fiber;
            fiber += error > 0 ? step : -step;
        }
        cosine = fb_hill_shape_at(m, path, fiber).cosine;
        tendon = path - fiber * cosine;
    }
    return fiber;
}

/* ---- Thelen's and Millard's muscles ---------------------------------------------------------- */

#define THELEN_STEPS 20
#define MILLARD_STEPS 200
#define VELOCITY_STEPS 100
#define FIRST_STRETCH 1.01 /* tendon length / slack length from which the search begins */

typedef struct search {
    const fb_muscle *m;
    double a, path, speed;
    double tolerance; /* N */
} search;

/* One guess of the fiber length: forces in newtons, stiffnesses in N/m. */
typedef struct guess {
    double fiber, phi, cosine, tendon; /* lengths, m */
    double fl, fp, ft, fv;             /* normalised */
    double force;                      /* of the fibers; at first none */
    double km, km_along, kt, kt_fiber; /* d force along the tendon / d fiber, .. / d its part along;
                                          d tendon force / d tendon, .. / d fiber */
} guess;

static void set_length(const search *s, guess *g, double fiber) {
    fb_hill_shape shape = fb_hill_shape_at(s->m, s->path, fiber);
    g->fiber = fiber;
    g->phi = shape.phi;
    g->cosine = shape.cosine;
    g->tendon = s->path - fiber * shape.cosine;
    g->fl = shape.fl;
    g->fp = shape.fp;
    g->ft = shape.ft;
}

static void set_force(const search *s, guess *g) {
    g->force = (s->a * g->fl * g->fv + g->fp) * s->m->max_force;
}

static double error_of(const search *s, guess *g) {
    set_force(s, g);
    return g->force * g->cosine - g->ft * s->m->max_force;
}

/* Slopes of the curves: active, passive, tendon. */
static void slopes(const fb_muscle *m, const guess *g, double *d_fl, double *d_fp, double *d_ft) {
    double l = g->fiber / m->optimal_length, t = g->tendon / m->slack_length;
    if (m->kind == FB_MUSCLE_MILLARD) {
        fb_curve_value(&m->curves->active, l, d_fl);
        fb_curve_value(&m->curves->passive, l, d_fp);
        fb_curve_value(&m->curves->tendon, t, d_ft);
        return;
    }
    double e = t - 1, e0 = m->tendon_strain, e3 = exp(3), toe = 99 * e0 * e3 / (166 * e3 - 67);
    double k = m->passive_shape, strain = m->fiber_strain;
    *d_fl = -2 * (l - 1) / m->active_shape * g->fl;
    *d_fp = l > 1 ? k / strain * exp(k * (l - 1) / strain) / expm1(k) : 0;
    *d_ft = e <= 0     ? 0
            : e <= toe ? 0.33 * 3 / toe * exp(3 * e / toe) / (e3 - 1)
                       : 0.67 / (e0 - toe);
}

static void set_stiffness(const search *s, guess *g) {
    const fb_muscle *m = s->m;
    double d_fl, d_fp, d_ft, w = m->height / g->fiber;
    slopes(m, g, &d_fl, &d_fp, &d_ft);
    double d_phi = -w / g->fiber / sqrt(1 - w * w);
    if (m->kind == FB_MUSCLE_MILLARD && !(m->height > 0)) {
        d_phi = 0;
    }
    double km = (s->a * g->fv * d_fl + d_fp) * m->max_force / m->optimal_length;
    g->km = km * g->cosine - g->force * w * d_phi;
    g->km_along = g->km * g->cosine;
    g->kt = d_ft * m->max_force / m->slack_length;
    g->kt_fiber = g->kt * (-g->cosine + g->fiber * sin(g->phi) * d_phi);
}

/* Thelen's active force / isometric one at a normalised velocity, by Newton's method from 1 until
 * the velocity is right within the tolerance, which OpenSim gives in newtons. */
static double thelen_multiplier(const search *s, double fl, double v) {
    fb_thelen_law law = fb_thelen_law_at(s->m, s->a, s->a * fl);
    double f = law.A, error = s->tolerance;
    for (int i = 0; i < VELOCITY_STEPS && fabs(error) >= s->tolerance; i++) {
        double b = f <= law.A ? law.A + f / law.Af : law.k * (law.top - f);
        double bend = f <= law.A ? 1 / law.Af : -law.k;
        double slope = f <= 0          ? law.low_slope
                       : f >= law.high ? law.high_slope
                                       : law.scale * (1 - (f - law.A) / b * bend) / b;
        error = fb_thelen_velocity(&law, f) - v;
        f -= fabs(slope) > SIGNIFICANT ? error / slope : 0;
    }
    return fabs(error) < s->tolerance ? fmax(0, f / law.A) : FB_NAN;
}

/* Fiber and tendon share the path's speed by their stiffness. */
static void set_velocity(const search *s, guess *g) {
    const fb_muscle *m = s->m;
    if (m->kind == FB_MUSCLE_MILLARD) {
        return; /* OpenSim's call of it asks for a balance at rest */
    }
    bool shares = fabs(g->km_along + g->kt) > SIGNIFICANT && g->tendon > m->slack_length;
    double part = shares ? g->km_along / (g->km_along + g->kt) : 1;
    double v = s->speed * (1 - part) * g->cosine / (m->optimal_length * m->max_velocity);
    g->fv = thelen_multiplier(s, g->fl, v);
}

/* The error after a step, halved until the error gets smaller, or so small that it does not matter;
 * the velocity is held. */
static double step(const search *s, guess *g, double last) {
    double from = g->fiber, slope = g->km - g->kt_fiber, error = last;
    for (double h = 1; fabs(error) >= fabs(last); h /= 2) {
        double change = -h * last / slope;
        bool stuck = !(fabs(change) > SIGNIFICANT);
        if (stuck) { /* from the other side */
            change = change > 0 ? -ROOT_EPSILON : change < 0 ? ROOT_EPSILON : 0;
        }
        set_length(s, g, fmax(from + change, s->m->min_length));
        error = error_of(s, g);
        if (stuck || h <= ROOT_EPSILON) {
            break;
        }
    }
    return error;
}

static bool newton_balance(const search *s, double *fiber) {
    const fb_muscle *m = s->m;
    int steps = m->kind == FB_MUSCLE_MILLARD ? MILLARD_STEPS : THELEN_STEPS;
    guess g = {.fv = 1};
    set_length(s, &g, fb_hill_fiber_at(m, s->path, FIRST_STRETCH * m->slack_length));
    if (m->kind == FB_MUSCLE_MILLARD) {
        set_force(s, &g); /* of Thelen's muscle it still counts as 0 in the first stiffness */
    }
    set_stiffness(s, &g);
    set_velocity(s, &g);
    double error = error_of(s, &g);
    set_stiffness(s, &g);
    for (int i = 0; i < steps && fabs(error) > s->tolerance; i++) {
        error = step(s, &g, error);
        set_stiffness(s, &g);
        set_velocity(s, &g);
    }
    *fiber = g.fiber;
    return isfinite(g.fv) && (fabs(error) < s->tolerance || g.fiber <= m->min_length);
}

/* ---- De Groote's muscles --------------------------------------------------------------------- */

#define GROOTE_STEPS 100
#define GROOTE_MOST 5.0 /* tendon force */
#define GROOTE_TOLERANCE 1e-10

/* Tendon less fibers, while the tendon's length stays. */
static double groote_error(const search *s, double force, double *fiber) {
    const fb_muscle *m = s->m;
    double along = s->path - fb_hill_groote_tendon(m, force) * m->slack_length;
    *fiber = sqrt(along * along + m->height * m->height);
    double cosine = along / *fiber;
    double v = s->speed * cosine / (m->optimal_length * m->max_velocity);
    fb_hill_shape shape = fb_hill_shape_at(m, s->path, *fiber);
    double fibers = s->a * shape.fl * fb_hill_velocity_force(m, v) + shape.fp + m->damping * v;
    return force - fibers * cosine;
}

static bool bisect_tendon_force(const search *s, double *fiber) {
    double low = 0, high = GROOTE_MOST, middle = 0, unused;
    bool rises = groote_error(s, high, &unused) > 0;
    if ((groote_error(s, low, &unused) > 0) == rises) {
        return false;
    }
    for (int i = 0; i < GROOTE_STEPS && high - low >= GROOTE_TOLERANCE; i++) {
        middle = (low + high) / 2;
        if ((groote_error(s, middle, &unused) > 0) == rises) {
            high = middle;
        } else {
            low = middle;
        }
    }
    groote_error(s, middle, fiber);
    return s->path > fb_hill_groote_tendon(s->m, middle) * s->m->slack_length;
}

/* ---- Millard 2012 acceleration --------------------------------------------------------------- */

#define ACCELERATION_STEPS 500
#define STEP_FRACTION 0.75
#define MOST_AT_SHORTEST 10

/* How the forces of the elements change with the fiber's length, per m, and with the tendon's. */
typedef struct element_slopes {
    double along, tendon;       /* of the fibers along the tendon / d fiber; of it / d tendon */
    double d_phi, turn, d_turn; /* d phi / d fiber; d phi / dt; d of that / d fiber */
} element_slopes;

static element_slopes slopes_of(const search *s, const fb_hill_shape *h, const fb_hill_elements *e,
                                double fiber, double velocity, double tendon_velocity) {
    const fb_muscle *m = s->m;
    const fb_muscle_curves *c = m->curves;
    double L0 = m->optimal_length, sine = sin(h->phi), w = m->height / fiber;
    double fl, fp, ft, fk, fc, tendon = (s->path - fiber * h->cosine) / m->slack_length;
    element_slopes d = {0};
    if (m->height > 0) {
        d.d_phi = -w / fiber / sqrt(1 - w * w);
        d.turn = -velocity / fiber * tan(h->phi);
        d.d_turn = velocity / fiber * (tan(h->phi) / fiber - d.d_phi / (h->cosine * h->cosine));
    }
    fb_curve_value(&c->active, h->l, &fl);
    fb_curve_value(&c->passive, h->l, &fp);
    fb_curve_value(&c->tendon, tendon, &ft);
    fb_curve_value(&c->compressive_length, h->l, &fk);
    double push = fb_curve_value(&c->compressive_pennation, h->cosine, &fc);
    double fv = fb_hill_velocity_force(m, velocity / (L0 * m->max_velocity));
    double scale = L0 * cos(m->pennation), v = velocity / L0;
    double along = (velocity * h->cosine - fiber * sine * d.turn) / scale;
    double d_along = (-velocity * sine * d.d_phi - sine * d.turn -
                      fiber * (h->cosine * d.d_phi * d.turn + sine * d.d_turn)) /
                     scale;
    double passive = e->pulls ? fp / L0 * (1 + m->passive_damping * v) : 0;
    double compressed = e->compresses ? fk / L0 * (1 - m->length_damping * v) : 0;
    double turned = e->resists ? -fc * sine * d.d_phi * (1 - m->pennation_damping * along) -
                                     push * d_along * m->pennation_damping
                               : 0;
    d.along = (s->a * fl / L0 * fv + passive - compressed) * h->cosine -
              (e->active + e->passive - e->compressed + e->damper) * sine * d.d_phi - turned;
    d.tendon = e->taut ? ft / m->slack_length *
                             (1 + m->tendon_damping * tendon_velocity / m->slack_length)
                       : 0;
    return d;
}

/* The length at which fibers that share the path's speed by stiffness do not accelerate. */
static bool rest_acceleration(const search *s, double *fiber, double *velocity) {
    const fb_muscle *m = s->m;
    double unit = m->max_force / m->mass, l = *fiber, tendon_velocity = 0;
    fb_hill_shape h = fb_hill_shape_at(m, s->path, l);
    double v = s->speed * h.cosine, error = 1;
    h.ft = fb_hill_tendon_force(m, FIRST_STRETCH);
    int at_shortest = 0;
    for (int i = 0; i < ACCELERATION_STEPS && at_shortest < MOST_AT_SHORTEST; i++) {
        if (m->height > 0 && !(l > m->height)) {
            return false; /* an error in OpenSim */
        }
        fb_hill_elements e = fb_hill_elements_at(m, &h, s->a, v, tendon_velocity);
        element_slopes d = slopes_of(s, &h, &e, l, v, tendon_velocity);
        double sine = sin(h.phi), stretch = 1 / (h.cosine - l * sine * d.d_phi);
        double lack = e.tendon -
                      ((e.active + e.passive - e.compressed + e.damper) * h.cosine - e.turned);
        error = unit * lack * h.cosine + l * d.turn * d.turn;
        if (!(fabs(error) > s->tolerance)) {
            break;
        }
        double slope = unit * ((d.tendon * (-h.cosine + l * sine * d.d_phi) - d.along) * h.cosine -
                               lack * sine * d.d_phi) +
                       d.turn * d.turn + 2 * l * d.turn * d.d_turn;
        if (!(fabs(slope) > SIGNIFICANT)) {
            return false; /* OpenSim goes on from a random length */
        }
        l -= STEP_FRACTION * error / slope;
        if (l < m->height) {
            at_shortest++;
            l = m->height;
        }
        h = fb_hill_shape_at(m, s->path, l);
        double km = d.along * stretch, tendon = s->path - l * h.cosine;
        bool shares = fabs(km + d.tendon) * m->max_force > SIGNIFICANT && tendon > m->slack_length;
        /* not a number just after the tendon was slack: it ends the iteration */
        tendon_velocity = shares ? 1 / d.tendon * (km * d.tendon / (km + d.tendon)) * s->speed
                                 : s->speed;
        v = (s->speed - tendon_velocity) * h.cosine;
    }
    bool found = fabs(error) < s->tolerance;
    *fiber = found ? l : m->height; /* at its shortest */
    *velocity = found ? v : 0;
    return found || !isfinite(error) || at_shortest == MOST_AT_SHORTEST;
}

/* ---------------------------------------------------------------------------------------------- */

bool fb_hill_opensim_balance(const fb_muscle *m, double a, double path, double speed, double *fiber,
                             double *velocity) {
    search s = {m, a, path, speed, fmax(TOLERANCE * m->max_force, 10 * SIGNIFICANT)};
    *velocity = 0;
    switch (m->kind) {
    case FB_MUSCLE_THELEN_DEPRECATED:
    case FB_MUSCLE_SCHUTTE:
    case FB_MUSCLE_DELP: *fiber = old_balance(m, a, path); return true;
    case FB_MUSCLE_THELEN:
    case FB_MUSCLE_MILLARD: return newton_balance(&s, fiber);
    case FB_MUSCLE_DE_GROOTE_FREGLY: return bisect_tendon_force(&s, fiber);
    case FB_MUSCLE_MILLARD_ACCELERATION: {
        double along = path - FIRST_STRETCH * m->slack_length;
        *fiber = along > 0 ? sqrt(along * along + m->height * m->height) : m->height;
        return rest_acceleration(&s, fiber, velocity);
    }
    case FB_MUSCLE_RIGID_TENDON: break;
    }
    return false;
}
