/* Forces of muscles, and the balance of fibers and tendon.
 *
 * Normalised quantities: l = fiber length / optimal length, v = fiber velocity / (optimal length *
 * greatest velocity), e = tendon strain. a: activation, f: force / greatest isometric force. */
#include <math.h>

#include "libcore/base/number.h"
#include "libcore/muscle/hill.h"

#define TINY 1e-9
#define BALANCE 1e-8        /* what counts as in balance, in greatest isometric forces */
#define EXACT_BALANCE 1e-13 /* likewise, of muscles at virtual links */
#define MOST_STEPS 100
#define MOST_SCANS 400
#define ROOT_EPSILON 1.5e-8 /* square root of the machine's precision */
#define SIGNIFICANT 2.0e-14 /* what Simbody takes for a significant difference */

bool fb_hill_is_old(const fb_muscle *m) {
    return m->kind == FB_MUSCLE_THELEN_DEPRECATED || m->kind == FB_MUSCLE_SCHUTTE ||
           m->kind == FB_MUSCLE_DELP;
}

/* ---- pennation: a parallelogram of fixed width ----------------------------------------------- */

static double pennation_at(const fb_muscle *m, double fiber, double *cosine) {
    if (m->pennation < TINY || (fb_hill_is_old(m) && fiber < FB_HILL_NO_LENGTH)) {
        *cosine = 1;
        return 0;
    }
    double sine = fiber > 0 ? m->height / fiber : 1;
    double angle = sine < 1 ? asin(sine) : acos(0);
    if (fb_hill_is_old(m) || angle < m->max_pennation) {
        *cosine = sine < 1 ? sqrt((1 - sine) * (1 + sine)) : cos(angle);
        return angle;
    }
    *cosine = cos(m->max_pennation);
    return m->max_pennation;
}

double fb_hill_fiber_at(const fb_muscle *m, double path, double tendon) {
    double along = path - tendon;
    return along > 0 ? fmax(m->min_length, sqrt(m->height * m->height + along * along))
                     : m->min_length;
}

static double keep(double x, double low, double high) {
    return x < low ? low : x > high ? high : x;
}

static double activation_of(const fb_muscle *m, double a) {
    return m->minimum_activation < 0 ? a : keep(a, m->minimum_activation, 1);
}

/* ---- curves ---------------------------------------------------------------------------------- */

static double spline(const fb_muscle *m, int which, double x) {
    return fb_function_value(&m->curves->splines[which], x, NULL, NULL);
}

/* De Groote and others 2016, appendix: a sum of three bells. */
static double groote_active(const fb_muscle *m, double l) {
    static const double b[3][4] = {{.8150671134243542, 1.055033428970575, .162384573599574,
                                    .063303448465465},
                                   {.433004984392647, .716775413397760, -.029947116970696,
                                    .200356847296188},
                                   {.1, 1, .353553390593274, 0}};
    double x = (l - 1) / m->width_scale + 1, y = 0;
    for (int i = 0; i < 3; i++) {
        double z = (x - b[i][1]) / (b[i][2] + b[i][3] * x);
        y += b[i][0] * exp(-0.5 * z * z);
    }
    return y;
}

static double active_length(const fb_muscle *m, double l) {
    switch (m->kind) {
    case FB_MUSCLE_THELEN:
    case FB_MUSCLE_THELEN_DEPRECATED: return exp(-(l - 1) * (l - 1) / m->active_shape);
    case FB_MUSCLE_MILLARD:
    case FB_MUSCLE_MILLARD_ACCELERATION: return fb_curve_value(&m->curves->active, l, NULL);
    case FB_MUSCLE_DE_GROOTE_FREGLY: return groote_active(m, l);
    default: return spline(m, 1, l);
    }
}

static double passive_length(const fb_muscle *m, double l) {
    double k = m->passive_shape, e0 = m->fiber_strain;
    switch (m->kind) {
    case FB_MUSCLE_THELEN: return l > 1 ? expm1(k * (l - 1) / e0) * m->passive_scale : 0;
    case FB_MUSCLE_THELEN_DEPRECATED:
        return l > 1 + e0 ? 1 + k / e0 * (l - 1 - e0) : exp(k * (l - 1) / e0) / exp(k);
    case FB_MUSCLE_MILLARD:
    case FB_MUSCLE_MILLARD_ACCELERATION: return fb_curve_value(&m->curves->passive, l, NULL);
    case FB_MUSCLE_DE_GROOTE_FREGLY: {
        double low = exp(4 * (0.2 - 1) / e0);
        return e0 > 0 ? (exp(4 * (l - 1) / e0) - low) / (exp(4) - low) : 0;
    }
    case FB_MUSCLE_RIGID_TENDON: return keep(spline(m, 2, l), 0, 10);
    default: return m->curves->passive_by_formula ? exp(8 * (l - 1) - 4) : spline(m, 2, l);
    }
}

double fb_hill_tendon_force(const fb_muscle *m, double length) {
    double e = length - 1, e0 = m->tendon_strain;
    switch (m->kind) {
    case FB_MUSCLE_THELEN: {
        /* toe region up to a third of the force, then straight */
        double e3 = exp(3), toe = 99 * e0 * e3 / (166 * e3 - 67), slope = 0.67 / (e0 - toe);
        return e <= 0     ? 0
               : e <= toe ? 0.33 * expm1(3 * e / toe) / (e3 - 1)
                          : slope * (e - toe) + 0.33;
    }
    case FB_MUSCLE_THELEN_DEPRECATED: {
        double toe = 0.609 * e0;
        double f = e > toe ? 1.712 / e0 * (e - toe) + 0.333333
                   : e > 0 ? 0.333333 * expm1(3 * e / toe) / expm1(3)
                           : 0;
        return f + 0.001 * (1 + e);
    }
    case FB_MUSCLE_MILLARD:
    case FB_MUSCLE_MILLARD_ACCELERATION: return fb_curve_value(&m->curves->tendon, length, NULL);
    case FB_MUSCLE_DE_GROOTE_FREGLY: {
        double k = log(1.2 / 0.2) / e0;
        return 0.2 * exp(k * e) - 0.2;
    }
    default: return e < 0 ? 0 : spline(m, 0, e);
    }
}

double fb_hill_groote_tendon(const fb_muscle *m, double force) {
    return 1 + log((force + 0.2) / 0.2) / (log(1.2 / 0.2) / m->tendon_strain);
}

/* ---- force and velocity ---------------------------------------------------------------------- */

/* Thelen 2003, eq. 6 and 7: velocity from the fibers' active force f, and back. */
fb_thelen_law fb_thelen_law_at(const fb_muscle *m, double a, double isometric) {
    fb_thelen_law t = {.A = fb_greater(isometric, 1e-12), .Af = m->velocity_shape};
    t.top = m->max_lengthening_force * t.A;
    t.scale = 0.25 + 0.75 * a;
    t.k = (2 + 2 / t.Af) / (m->max_lengthening_force - 1);
    t.low_slope = t.scale / t.A * (1 + 1 / t.Af);
    t.high = m->threshold * t.top;
    double b = t.k * (t.top - t.high);
    t.high_v = t.scale * (t.high - t.A) / b;
    t.high_slope = t.scale * (1 / b + (t.high - t.A) * t.k / (b * b));
    return t;
}

double fb_thelen_velocity(const fb_thelen_law *t, double f) {
    if (f <= 0) {
        return -t->scale + t->low_slope * f;
    }
    if (f >= t->high) {
        return t->high_v + t->high_slope * (f - t->high);
    }
    return t->scale * (f - t->A) / (f <= t->A ? t->A + f / t->Af : t->k * (t->top - f));
}

double fb_thelen_force(const fb_thelen_law *t, double v) {
    if (v <= -t->scale) {
        return 0; /* OpenSim lets no active force push */
    }
    if (v >= t->high_v) {
        return t->high + (v - t->high_v) / t->high_slope;
    }
    return v <= 0 ? t->A * (t->scale + v) / (t->scale - v / t->Af)
                  : (t->scale * t->A + v * t->k * t->top) / (t->scale + v * t->k);
}

static const double groote_d[4] = {-.3211346127989808, -8.149, -.374, .8825327733249912};

/* Active force / isometric active force over normalised velocity. */
double fb_hill_velocity_force(const fb_muscle *m, double v) {
    if (m->kind == FB_MUSCLE_DE_GROOTE_FREGLY) {
        const double *d = groote_d;
        return d[0] * asinh(d[1] * v + d[2]) + d[3];
    }
    return m->kind == FB_MUSCLE_RIGID_TENDON ? spline(m, 3, v)
                                             : fb_curve_value(&m->curves->velocity, v, NULL);
}

/* The velocity at which active, passive and damping force balance the tendon: (a fl fv + fp + d v)
 * cos(phi) = ft. The left side rises with v if there is damping. */
static double balanced_velocity(const fb_muscle *m, double active, double passive, double tendon,
                                double cosine) {
    double wanted = tendon / cosine - passive;
    if (m->damping < 0.001) {
        return fb_curve_value(&m->curves->velocity_inverse, wanted / active, NULL);
    }
    const fb_curve *curve = &m->curves->velocity;
    int last = curve->n - 1;
    double low = curve->x[0][0], high = curve->x[last][5]; /* beyond them it is straight */
    double below = active * curve->y[0][0] + m->damping * low - wanted;
    double above = active * curve->y[last][5] + m->damping * high - wanted;
    if (below >= 0) {
        return low - below / (active * curve->slope[0] + m->damping);
    }
    if (above <= 0) {
        return high - above / (active * curve->slope[1] + m->damping);
    }
    double v =
        keep(fb_curve_value(&m->curves->velocity_inverse, wanted / fb_greater(active, 1e-4), NULL),
             low, high);
    for (int i = 0; i < MOST_STEPS; i++) {
        double slope, f = fb_curve_value(&m->curves->velocity, v, &slope);
        double error = active * f + m->damping * v - wanted;
        if (error > 0) {
            high = v;
        } else {
            low = v;
        }
        double next = v - error / (active * slope + m->damping);
        if (!(next > low && next < high)) {
            next = (low + high) / 2;
        } else if (fabs(next - v) < 1e-9 * (1 + fabs(v))) { /* what is left is its square */
            return next;
        }
        v = next;
    }
    return v;
}

/* De Groote's muscles, from the isometric active force A and what is left for the active fibers. */
static double groote_velocity(const fb_muscle *m, double A, double f) {
    const double *d = groote_d;
    double w = A > 1e-12 ? (sinh((f / A - d[3]) / d[0]) - d[2]) / d[1] : 0;
    w = keep(w, -1e3, 1e3); /* hardly active fibers can be driven at any speed */
    /* the damper takes its part; OpenSim leaves it out here */
    for (int i = 0; m->damping > 0 && !m->as_opensim4 && i < MOST_STEPS; i++) {
        double z = d[1] * w + d[2], slope = A * d[0] * d[1] / sqrt(z * z + 1) + m->damping;
        double step = (A * fb_hill_velocity_force(m, w) + m->damping * w - f) / slope;
        w -= step;
        if (fabs(step) < 1e-14 * (1 + fabs(w))) {
            break;
        }
    }
    return w;
}

/* The older Thelen muscle: velocity in greatest velocities at the activation, from the isometric
 * active force A and what is left for the active fibers, f. Straight on below no force and above
 * the threshold. */
static double old_thelen_velocity(const fb_muscle *m, double A, double f) {
    double Af = m->velocity_shape, d = m->damping, top = m->max_lengthening_force * A;
    double k = (2 + 2 / Af) / (m->max_lengthening_force - 1), high = m->threshold * top;
    if (f < 0) { /* slope there: d/df (f - A) / (A + f / Af + d) */
        return -A / (A + d) + f * (A + d + A / Af) / ((A + d) * (A + d));
    }
    if (f < A) {
        return (f - A) / (A + f / Af + d);
    }
    double b = k * (top - fmin(f, high)) + d, v = (fmin(f, high) - A) / b;
    return f <= high ? v : v + (f - high) * (b + k * (high - A)) / (b * b);
}

/* Schutte 1993, as in OpenSim: v in optimal lengths per time scale. */
static double schutte_velocity(const fb_muscle *m, double A, double f) {
    const double kv = 0.15, sk = 0.13, most = 1.4, d = m->damping;
    if (f < -d) {
        return f / d;
    }
    if (f < A) {
        double c = kv * (f - A) / d, b = -kv * (f / kv + A + d) / d;
        return (-b - sqrt(b * b - 4 * c)) / 2;
    }
    double c = -sk * kv / (d * (kv + 1)) * (f - A);
    double b = -(f / d - most * A / d - sk * kv / (kv + 1));
    return (-b + sqrt(b * b - 4 * c)) / 2;
}

/* ---- evaluation ------------------------------------------------------------------------------ */

fb_hill_shape fb_hill_shape_at(const fb_muscle *m, double path, double fiber) {
    fb_hill_shape s = {.l = fiber / m->optimal_length};
    s.phi = pennation_at(m, fiber, &s.cosine);
    s.fl = active_length(m, s.l);
    s.fp = passive_length(m, s.l);
    s.ft = m->rigid ? 0 : fb_hill_tendon_force(m, (path - fiber * s.cosine) / m->slack_length);
    return s;
}

static void put(const fb_muscle *m, const fb_hill_shape *s, double fiber, double velocity,
                double active, double passive, double tendon, fb_muscle_point *p) {
    p->fiber_length = fiber;
    p->normalized_fiber_length = s->l;
    p->pennation = s->phi;
    p->fiber_velocity = velocity;
    p->active_fiber_force = m->max_force * active;
    p->passive_fiber_force = m->max_force * passive;
    p->tendon_force = m->max_force * tendon;
}

/* Where a tendon that does not stretch lets the fibers be. RigidTendonMuscle has no shortest fiber;
 * nor have De Groote's muscles in OpenSim, where fibers even push on from beyond a right angle. */
static fb_hill_shape rigid_shape(const fb_muscle *m, double path, double *fiber) {
    bool plain = m->kind == FB_MUSCLE_RIGID_TENDON;
    if (!plain && !(m->kind == FB_MUSCLE_DE_GROOTE_FREGLY && m->as_opensim4)) {
        *fiber = fb_hill_fiber_at(m, path, m->slack_length);
        return fb_hill_shape_at(m, path, *fiber);
    }
    double along = path - m->slack_length, height = m->height;
    if (plain) {
        along = fmax(0, along);
        height = height > ROOT_EPSILON ? height : 0;
    }
    *fiber = sqrt(along * along + height * height);
    fb_hill_shape s = fb_hill_shape_at(m, path, *fiber);
    s.cosine = *fiber > 0 && (height > 0 || !plain) ? along / *fiber : 1;
    s.phi = plain ? acos(s.cosine) : *fiber > 0 ? asin(height / *fiber) : 0;
    return s;
}

/* A tendon that does not stretch: the path's length and speed are all. */
static void evaluate_rigid(const fb_muscle *m, double a, double path, double speed,
                           fb_muscle_point *p) {
    double scale = m->optimal_length * m->max_velocity, fiber;
    bool plain = m->kind == FB_MUSCLE_RIGID_TENDON;
    bool pushes = plain || (m->kind == FB_MUSCLE_DE_GROOTE_FREGLY && m->as_opensim4);
    fb_hill_shape s = rigid_shape(m, path, &fiber);
    double v = plain ? speed : speed * s.cosine;
    bool slack = path - fiber * s.cosine < m->slack_length - SIGNIFICANT;
    if (!pushes && (slack || (fiber <= m->min_length && v <= 0))) {
        put(m, &s, fiber, 0, 0, 0, 0, p); /* the fiber rests on its shortest length */
        return;
    }
    double active = a * s.fl * fb_hill_velocity_force(m, v / scale);
    double passive = s.fp + (plain ? 0 : m->damping * v / scale);
    if (m->kind == FB_MUSCLE_MILLARD && active + passive < 0) {
        passive = -active; /* the damper does not push */
    }
    put(m, &s, fiber, v, active, passive, (active + passive) * s.cosine, p);
}

fb_hill_elements fb_hill_elements_at(const fb_muscle *m, const fb_hill_shape *s, double a,
                                     double velocity, double tendon_velocity) {
    double L0 = m->optimal_length, v = velocity / L0;
    double along = velocity / fmax(s->cosine, 1e-6);
    fb_hill_elements e = {.active = a * s->fl * fb_hill_velocity_force(m, v / m->max_velocity),
                          .damper = m->damping * v};
    double tendon = s->ft * (1 + m->tendon_damping * tendon_velocity / m->slack_length);
    double passive = s->fp * (1 + m->passive_damping * v);
    double compressed = fb_curve_value(&m->curves->compressive_length, s->l, NULL) *
                        (1 - m->length_damping * v);
    double turned = fb_curve_value(&m->curves->compressive_pennation, s->cosine, NULL) *
                    (1 - m->pennation_damping * along / (L0 * cos(m->pennation)));
    e.taut = tendon >= 0;
    e.pulls = passive >= 0;
    e.compresses = compressed >= 0;
    e.resists = turned >= 0;
    e.tendon = fmax(0, tendon);
    e.passive = fmax(0, passive);
    e.compressed = fmax(0, compressed);
    e.turned = fmax(0, turned);
    return e;
}

/* Force of such fibers along the tendon. */
static double elements_along(const fb_hill_elements *e, double cosine) {
    return (e->active + e->passive - e->compressed + e->damper) * cosine - e->turned;
}

void fb_muscle_evaluate(const fb_muscle *m, double activation, double path_length,
                        double path_speed, double fiber_length, double fiber_velocity,
                        fb_muscle_point *point) {
    double a = activation_of(m, activation), scale = m->optimal_length * m->max_velocity;
    if (m->lacking) {
        *point = (fb_muscle_point){FB_NAN, FB_NAN, FB_NAN, FB_NAN, FB_NAN, FB_NAN, FB_NAN};
        return;
    }
    if (m->rigid) {
        evaluate_rigid(m, a, path_length, path_speed, point);
        return;
    }
    bool clamps = m->kind == FB_MUSCLE_THELEN || m->kind == FB_MUSCLE_MILLARD;
    double fiber = clamps ? fb_greater(fiber_length, m->min_length) : fiber_length;
    fb_hill_shape s = fb_hill_shape_at(m, path_length, fiber);
    bool idle = m->as_opensim4 && !m->enabled && fb_hill_is_old(m);
    if (idle) {
        s.ft = 0; /* the older classes take the tendon's force from what the muscle applies */
    }
    double cosine = fb_greater(s.cosine, 1e-9), A = a * s.fl;
    double f = s.ft / cosine - s.fp; /* what is left for the active fibers */
    double v = 0, active = f, passive = s.fp, tendon = s.ft;
    switch (m->kind) {
    case FB_MUSCLE_THELEN: {
        fb_thelen_law law = fb_thelen_law_at(m, a, A);
        v = fb_thelen_velocity(&law, f) * scale;
        break;
    }
    case FB_MUSCLE_MILLARD: {
        double w = balanced_velocity(m, m->damping < 0.001 ? A : fb_greater(A, 0), s.fp, s.ft,
                                     cosine);
        v = w * scale;
        active = m->damping < 0.001 ? A * fb_hill_velocity_force(m, w) : f - m->damping * w;
        passive = s.fp + m->damping * w;
        break;
    }
    case FB_MUSCLE_DE_GROOTE_FREGLY: {
        double w = m->as_opensim4 && m->implicit ? path_speed * cosine / scale
                                                 : groote_velocity(m, A, f);
        v = w * scale;
        active = m->as_opensim4 && !m->implicit ? f : A * fb_hill_velocity_force(m, w);
        passive = s.fp + m->damping * w;
        break;
    }
    case FB_MUSCLE_THELEN_DEPRECATED: {
        double V = m->low_velocity + fmin(a, 1) * (m->max_velocity - m->low_velocity);
        v = old_thelen_velocity(m, fmax(a, 1e-6) * s.fl, f) * V * m->optimal_length;
        break;
    }
    case FB_MUSCLE_SCHUTTE:
        v = schutte_velocity(m, fmax(0, A), fmax(0, f)) * m->optimal_length / m->time_scale;
        break;
    case FB_MUSCLE_DELP: v = fiber_velocity; break;
    case FB_MUSCLE_MILLARD_ACCELERATION: {
        double pulled = path_speed - fiber_velocity / fmax(s.cosine, 1e-6);
        fb_hill_elements e = fb_hill_elements_at(m, &s, a, fiber_velocity, pulled);
        v = fiber_velocity;
        active = e.active;
        passive = e.passive - e.compressed - e.turned * s.cosine;
        passive += m->as_opensim4 ? 0 : e.damper; /* OpenSim counts no damper here */
        tendon = e.tendon;
        break;
    }
    case FB_MUSCLE_RIGID_TENDON: break;
    }
    if (clamps && fiber_length <= m->min_length && v <= 0) {
        v = active = passive = 0; /* the fiber rests on its shortest length */
    }
    if (idle) {
        v = 0;
    }
    put(m, &s, fiber, v, active, passive, tendon, point);
}

/* ---- equilibrium ----------------------------------------------------------------------------- */

typedef struct balance {
    const fb_muscle *m;
    double a, path, speed;
    bool shared; /* fiber and tendon share the speed by their stiffness */
    bool held;   /* the tendon keeps its length: the fibers take all of the speed */
    double v;    /* m/s, of the fibers */
} balance;

/* Force of the fibers along the tendon at a fiber length and velocity. */
static double along_tendon(const balance *b, double fiber, double v) {
    const fb_muscle *m = b->m;
    fb_hill_shape s = fb_hill_shape_at(m, b->path, fiber);
    double w = v / (m->optimal_length * m->max_velocity), active = b->a * s.fl;
    switch (m->kind) {
    case FB_MUSCLE_THELEN: {
        fb_thelen_law law = fb_thelen_law_at(m, b->a, active);
        active = fb_thelen_force(&law, w);
        break;
    }
    case FB_MUSCLE_MILLARD:
    case FB_MUSCLE_DE_GROOTE_FREGLY:
        active = active * fb_hill_velocity_force(m, w) + m->damping * w;
        break;
    case FB_MUSCLE_MILLARD_ACCELERATION: {
        fb_hill_elements e = fb_hill_elements_at(m, &s, b->a, v,
                                                 b->speed - v / fmax(s.cosine, 1e-6));
        return elements_along(&e, s.cosine);
    }
    default: /* the older classes: at rest, and no part pushes (their splines dip below zero) */
        return (fmax(0, active) + fmax(0, s.fp)) * s.cosine;
    }
    return (active + s.fp) * s.cosine;
}

static double tendon_at(const balance *b, double fiber) {
    const fb_muscle *m = b->m;
    double cosine;
    pennation_at(m, fiber, &cosine);
    return fb_hill_tendon_force(m, (b->path - fiber * cosine) / m->slack_length);
}

/* Fibers less tendon, in greatest isometric forces; finds the fibers' velocity on the way. */
static double imbalance(balance *b, double fiber) {
    const fb_muscle *m = b->m;
    double cosine, phi = pennation_at(m, fiber, &cosine);
    b->v = b->held ? b->speed * cosine : 0;
    if (b->shared && b->path - fiber * cosine > m->slack_length) {
        /* Km / (Km + Kt) of the path's speed is the tendon's; Km depends on the velocity */
        double h = 1e-6 * m->optimal_length, x[2] = {fiber - h, fiber + h};
        double c[2];
        pennation_at(m, x[0], &c[0]);
        pennation_at(m, x[1], &c[1]);
        double run = x[1] * c[1] - x[0] * c[0];
        double kt = (tendon_at(b, x[0]) - tendon_at(b, x[1])) / run;
        for (int i = 0; i < MOST_STEPS; i++) {
            double km = (along_tendon(b, x[1], b->v) - along_tendon(b, x[0], b->v)) / run;
            double part = fabs(km + kt) > 1e-12 ? km / (km + kt) : 1;
            double v = b->speed * (1 - part) * cosine, change = v - b->v;
            b->v = i < 8 ? v : b->v + 0.5 * change; /* damped if it does not settle by itself */
            if (fabs(change) < 1e-13) {
                break;
            }
        }
    }
    double tendon = tendon_at(b, fiber);
    if (m->kind == FB_MUSCLE_MILLARD_ACCELERATION) {
        fb_hill_shape s = fb_hill_shape_at(m, b->path, fiber);
        fb_hill_elements e = fb_hill_elements_at(m, &s, b->a, b->v,
                                                 b->speed - b->v / fmax(cosine, 1e-6));
        double turn = fiber > 0 ? -b->v / fiber * tan(phi) : 0; /* d phi / dt */
        return elements_along(&e, cosine) - e.tendon -
               fiber * turn * turn * m->mass / (m->max_force * cosine);
    }
    return along_tendon(b, fiber, b->v) - tendon;
}

/* Newton's method with a slope by differences and halved steps; as OpenSim begins, the tendon 1 %
 * longer than slack. Then, if that fails, the first change of sign from there on shorter fibers. */
static bool find_balance(balance *b, double low, double high, double *fiber) {
    double x = keep(*fiber, low, high), error = imbalance(b, x);
    double enough = b->m->exact ? EXACT_BALANCE : BALANCE;
    for (int i = 0; i < MOST_STEPS && fabs(error) > enough; i++) {
        double h = 1e-7 * b->m->optimal_length;
        double slope = (imbalance(b, x + h) - imbalance(b, x - h)) / (2 * h);
        double step = slope != 0 ? -error / slope : 0, next = x, next_error = error;
        for (int half = 0; half < 30; half++, step /= 2) {
            next = keep(x + step, low, high);
            next_error = imbalance(b, next);
            if (fabs(next_error) < fabs(error)) {
                break;
            }
        }
        if (!(fabs(next_error) < fabs(error))) {
            break;
        }
        x = next;
        error = next_error;
    }
    *fiber = x;
    if (fabs(error) <= 1e-8) {
        imbalance(b, x);
        return true;
    }
    double upper = high, e_upper = imbalance(b, upper);
    for (int i = MOST_SCANS - 1; i >= 0; i--) {
        double lower = low + (high - low) * i / MOST_SCANS, e_lower = imbalance(b, lower);
        if (e_lower == 0 || (e_lower < 0) != (e_upper < 0)) {
            for (int k = 0; k < 200 && upper - lower > 1e-16; k++) {
                double middle = (lower + upper) / 2, e = imbalance(b, middle);
                if ((e < 0) == (e_lower < 0)) {
                    lower = middle;
                } else {
                    upper = middle;
                }
            }
            *fiber = lower;
            return fabs(imbalance(b, lower)) <= 1e-6;
        }
        upper = lower;
        e_upper = e_lower;
    }
    *fiber = e_upper > 0 ? low : high; /* pulls even at its shortest, or not at all */
    imbalance(b, *fiber);
    return false;
}

bool fb_muscle_equilibrate(const fb_muscle *m, double activation, double path_length,
                           double path_speed, fb_equilibrium how, fb_muscle_point *point) {
    if (m->rigid || m->lacking) {
        fb_muscle_evaluate(m, activation, path_length, path_speed, 0, 0, point);
        return true;
    }
    balance b = {.m = m,
                 .a = activation_of(m, activation),
                 .path = path_length,
                 .speed = path_speed};
    bool by_class = how == FB_EQUILIBRIUM_OPENSIM4;
    bool old = fb_hill_is_old(m);
    b.held = m->kind == FB_MUSCLE_DE_GROOTE_FREGLY && how != FB_EQUILIBRIUM_STATIC;
    b.shared = !b.held && !old && how != FB_EQUILIBRIUM_STATIC &&
               !(by_class && m->kind == FB_MUSCLE_MILLARD);
    double low = m->min_length;
    if (old) {
        low = fmax(m->height, low);
    }
    double high = fmax(low, fb_hill_fiber_at(m, path_length, m->slack_length));
    double fiber = fmax(low, fb_hill_fiber_at(m, path_length, 1.01 * m->slack_length));
    if (m->kind == FB_MUSCLE_DE_GROOTE_FREGLY) {
        low = fmax(low, 0.2 * m->optimal_length); /* its curves hold from there on */
        fiber = fmax(fiber, low);
        high = fmax(low, fb_hill_fiber_at(m, path_length, 0.9 * m->slack_length));
    }
    double other, v = 0;
    bool found = m->as_opensim4 && by_class && !m->exact &&
                 fb_hill_opensim_balance(m, b.a, path_length, path_speed, &other, &v);
    if (found) {
        fiber = other;
    } else {
        found = find_balance(&b, low, high, &fiber);
        v = m->kind == FB_MUSCLE_DELP ? 0 : b.v;
    }
    fb_muscle_evaluate(m, activation, path_length, path_speed, fiber, v, point);
    return found || fiber <= low; /* the fiber may rest on its shortest length */
}

void fb_muscle_at_default(const fb_muscle *m, double activation, double path_length,
                          double path_speed, fb_muscle_point *point) {
    double fiber = m->default_fiber_length;
    if (m->kind == FB_MUSCLE_DE_GROOTE_FREGLY) {
        double tendon = fb_hill_groote_tendon(m, m->default_tendon_force) * m->slack_length;
        fiber = sqrt(m->height * m->height + (path_length - tendon) * (path_length - tendon));
    }
    fb_muscle_evaluate(m, activation, path_length, path_speed, fiber, m->default_fiber_velocity,
                       point);
}

/* ---- curves, for those who look at them ------------------------------------------------------ */

bool fb_muscle_has_curve(const fb_muscle *m, fb_hill_curve curve) {
    if (m->lacking) {
        return false;
    }
    switch (curve) {
    case FB_HILL_ACTIVE:
    case FB_HILL_VELOCITY: return true;
    case FB_HILL_PASSIVE: return m->kind != FB_MUSCLE_DE_GROOTE_FREGLY || m->fiber_strain > 0;
    case FB_HILL_TENDON: return !m->rigid && m->slack_length > 0;
    }
    return false;
}

double fb_muscle_velocity_unit(const fb_muscle *m) {
    return m->kind == FB_MUSCLE_SCHUTTE ? m->optimal_length / m->time_scale
                                        : m->optimal_length * m->max_velocity;
}

/* The inverse of the deprecated Thelen law in fb_muscle_evaluate, with its damper; v in optimal
 * lengths per second. */
static double deprecated_force(const fb_muscle *m, double a, double v) {
    double V = fmax(m->low_velocity + a * (m->max_velocity - m->low_velocity), TINY);
    double d = m->damping;
    fb_thelen_law law = fb_thelen_law_at(m, 1, a);
    if (v <= 0) {
        return fmax(0, (law.A + v * (law.A / V + d)) / (1 - v / (law.Af * V)));
    }
    double b = law.k * (law.top - law.high);
    double f = (law.A + v * (law.k * law.top / V + d)) / (1 + v * law.k / V);
    return f <= law.high ? f : law.A + v * (b / V + d);
}

/* The inverse of schutte_velocity. */
static double schutte_force(const fb_muscle *m, double A, double v) {
    const double kv = 0.15, sk = 0.13, most = 1.4, d = m->damping, s = sk * kv / (kv + 1);
    return d * v + (v <= -1  ? 0
                    : v <= 0 ? kv * A * (1 + v) / (kv - v)
                             : A * (most * v + s) / (v + s));
}

static double velocity_curve(const fb_muscle *m, double a, double v) {
    switch (m->kind) {
    case FB_MUSCLE_THELEN: {
        fb_thelen_law law = fb_thelen_law_at(m, a, a);
        return fb_thelen_force(&law, v);
    }
    case FB_MUSCLE_THELEN_DEPRECATED: return deprecated_force(m, a, v * m->max_velocity);
    case FB_MUSCLE_SCHUTTE: return schutte_force(m, a, v);
    case FB_MUSCLE_DELP: return a * spline(m, 3, v);
    default: return a * fb_hill_velocity_force(m, v);
    }
}

double fb_muscle_curve(const fb_muscle *m, fb_hill_curve curve, double activation, double x) {
    switch (curve) {
    case FB_HILL_ACTIVE: return activation_of(m, activation) * active_length(m, x);
    case FB_HILL_PASSIVE: return passive_length(m, x);
    case FB_HILL_TENDON: return fb_hill_tendon_force(m, 1 + x);
    case FB_HILL_VELOCITY: return velocity_curve(m, activation_of(m, activation), x);
    }
    return 0;
}

double fb_muscle_optimal_path(const fb_muscle *m) {
    double cosine = cos(m->pennation), tendon = m->slack_length;
    if (fb_muscle_has_curve(m, FB_HILL_TENDON)) {
        double wanted = (active_length(m, 1) + fmax(0, passive_length(m, 1))) * cosine;
        double low = 0, high = 1;
        for (int i = 0; i < 60; i++) {
            double middle = (low + high) / 2;
            if (fb_hill_tendon_force(m, 1 + middle) < wanted) {
                low = middle;
            } else {
                high = middle;
            }
        }
        tendon *= 1 + high;
    }
    return tendon + m->optimal_length * cosine;
}
