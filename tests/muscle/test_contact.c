/* Forces that act at places of bodies: contact, actuators and given forces, against their formulas
 * worked by hand; what of them is not computed. */
#include "tests/muscle/rig.h"

/* ---- contact --------------------------------------------------------------------------------- */

/* Ground is y < 0: the half space x > 0 turned by -90 degrees about z. */
#define FLOOR \
    "{\"name\": \"floor\", \"type\": \"half_space\", \"frame\": \"ground\", \"orientation\": [0, " \
    "0, -1.5707963267948966]}"
#define BALL(NAME, FRAME, PLACE, RADIUS) \
    "{\"name\": \"" NAME "\", \"type\": \"sphere\", \"frame\": \"" FRAME \
    "\", \"location\": [" PLACE "], \"radius\": " RADIUS "}"
#define SHAPES_2 FLOOR "," BALL("ball", "a", "0.2, 0, 0", "0.1")
#define SHAPES_3 \
    FLOOR "," BALL("one", "a", "0.2, 0, 0", "0.5") "," BALL("two", "fb", "0, 0, 0", "0.4")
#define SHAPES_PAIR \
    BALL("left", "a", "-1, 0, 0", "0.1") "," BALL("right", "a", "1, 0, 0", "0.1") "," FLOOR
#define MATERIAL(SHAPE, STIFFNESS, DISSIPATION, FRICTION) \
    "{\"type\": \"hunt_crossley\", \"geometry\": [\"" SHAPE "\"], \"stiffness\": " STIFFNESS \
    ", \"dissipation\": " DISSIPATION ", " FRICTION "}"
#define FRICTION(S, D, V) \
    "\"static_friction\": " S ", \"dynamic_friction\": " D ", \"viscous_friction\": " V
#define CONTACT(SHAPES, MATERIALS) \
    "\"contact_geometry\": [" SHAPES "], \"contact_forces\": [{\"name\": \"h\", \"type\": " \
    "\"hunt_crossley\", \"transition_velocity\": 0.1, \"contact_parameters\": [" MATERIALS "]}]"

/* The first coordinate of body a: three rotations, then three translations. */
static int first_of_a(const rig *r) {
    return r->system->mobods[body_number(r, "/bodyset/a")].q;
}

static void put_a(rig *r, double y) {
    r->state->q[first_of_a(r) + 4] = y;
}

/* Two stiffnesses of 1e5 and 8e5: k1 = 1e5^(2/3), k2 = 4 k1, so s1 = 4/5 or 1/5. */
static void sphere_meets_floor(void) {
    rig r;
    rig_begin(&r,
              CONTACT(SHAPES_2,
                      MATERIAL("floor", "1e5", "0.5", FRICTION("0.8", "0.6", "0.2")) "," MATERIAL(
                          "ball", "8e5", "1", FRICTION("0.4", "0.3", "0.1"))),
              true);
    double depth = 0.02, k = pow(1e5, 2.0 / 3) * 0.8, c = 0.5 * 0.8 + 1 * 0.2;
    double hertz = 4.0 / 3 * k * depth * sqrt(0.1 * k * depth);
    int a = body_number(&r, "/bodyset/a"), vx = first_of_a(&r) + 3, vy = vx + 1;
    put_a(&r, 0.08);
    rig_apply(&r);
    FB_NEAR(r.external[a][4], hertz, 0, 1e-12);
    FB_NEAR(r.external[a][3], 0, 1e-9, 0);
    FB_NEAR(r.external[a][2], 0.2 * hertz, 0, 1e-9); /* at x = 0.2 */
    r.state->u[vy] = -0.3;                           /* coming down, sliding along x */
    r.state->u[vx] = 0.05;
    rig_apply(&r);
    double f = hertz * (1 + 1.5 * c * 0.3), v = 0.5, us = 2 * 0.8 * 0.4 / 1.2,
           ud = 2 * 0.6 * 0.3 / 0.9, uv = 2 * 0.2 * 0.1 / 0.3;
    double drag = f * (v * (ud + 2 * (us - ud) / (1 + v * v)) + uv * 0.05);
    FB_NEAR(r.external[a][4], f, 0, 1e-9);
    FB_NEAR(r.external[a][3], -drag, 0, 1e-9);
    /* the force acts where the softer floor gives way: 4/5 of the depth below its plane */
    FB_NEAR(r.external[a][2], 0.2 * f - -0.8 * 0.02 * -drag, 0, 1e-9);
    r.state->u[vy] = 5; /* parting faster than 2 / (3 c) */
    rig_apply(&r);
    FB_SAME(r.external[a][4], 0);
    FB_SAME(r.external[a][3], 0);
    balances(&r, 0.3, 0.1);
    rig_end(&r);
}

/* 2/5 f d = 8/15 k d^2 sqrt(R k d) */
static double hertz_energy(double k, double radius, double depth) {
    return depth > 0 ? 8.0 / 15 * k * depth * depth * sqrt(radius * k * depth) : 0;
}

static double contact_energy(rig *r) {
    double k = pow(1000, 2.0 / 3), p[3], q[3];
    point_of(r, "/bodyset/a", 0.2, 0, 0, p);
    point_of(r, "/fb", 0, 0, 0, q);
    return hertz_energy(k / 2, 0.5, 0.5 - p[1]) + hertz_energy(k / 2, 0.4, 0.4 - q[1]) +
           hertz_energy(k / 2, 0.5 * 0.4 / 0.9, 0.9 - fb_v3_distance(p, q));
}

static void contacts_store_energy(void) {
    for (int as_opensim4 = 0; as_opensim4 < 2; as_opensim4++) {
        rig r;
        rig_begin(&r,
                  CONTACT(SHAPES_3,
                          "{\"type\": \"hunt_crossley\", \"geometry\": [\"floor\", \"one\", "
                          "\"two\"], \"stiffness\": 1000}"),
                  as_opensim4 != 0);
        FB_EQUAL_INT(r.forces->n_skipped, 0);
        conserves(&r, contact_energy, 0.4, 8, 1e-5);
        balances(&r, 0.4, 0.1);
        rig_end(&r);
    }
}

/* Two balls on one body press into the floor; the first parts from it (the body turns). OpenSim
 * leaves out the second if it meets it later. */
static void opensim_stops_at_a_parting_contact(void) {
    double up[2];
    for (int as_opensim4 = 0; as_opensim4 < 2; as_opensim4++) {
        rig r;
        rig_begin(&r,
                  CONTACT(SHAPES_PAIR,
                          "{\"type\": \"hunt_crossley\", \"geometry\": [\"left\", \"right\", "
                          "\"floor\"], \"stiffness\": 1e5, "
                          "\"dissipation\": 1}"),
                  as_opensim4 != 0);
        put_a(&r, 0.09);
        r.state->u[first_of_a(&r) + 2] = -3; /* about z: the left one rises */
        rig_apply(&r);
        up[as_opensim4] = r.external[body_number(&r, "/bodyset/a")][4];
        rig_end(&r);
    }
    FB_TRUE(up[0] > 1, "the right one is pressed: %g", up[0]);
    FB_SAME(up[1], 0);
}

static void smooth_sphere_follows_its_formula(void) {
    rig r;
    rig_begin(&r,
              "\"contact_geometry\": [" FLOOR "," BALL(
                  "ball", "a", "0.2, 0, 0",
                  "0.1") "], \"contact_forces\": [{\"name\": \"h\", \"type\": "
                         "\"smooth_sphere_half_space\", "
                         "\"sphere\": \"ball\", \"half_space\": \"floor\", \"stiffness\": 1e6, "
                         "\"dissipation\": 2, \"static_friction\": 0.8, \"dynamic_friction\": 0.5, "
                         "\"viscous_friction\": 0.3, \"transition_velocity\": 0.2}]",
              true);
    int a = body_number(&r, "/bodyset/a");
    double d = 0.01, k = 0.5 * pow(1e6, 2.0 / 3), cf = 1e-5, bd = 300, bv = 50, c = 2, vn = 0.1;
    put_a(&r, 0.1 - d);
    r.state->u[first_of_a(&r) + 3] = 0.05;
    r.state->u[first_of_a(&r) + 4] = -vn;
    rig_apply(&r);
    double fh = 4.0 / 3 * k * sqrt(0.1 * k) * pow(sqrt(d * d + cf), 1.5) *
                (0.5 + 0.5 * tanh(bd * d));
    double f = fh * (1 + 1.5 * c * vn) * (0.5 + 0.5 * tanh(bv * (vn + 2 / (3 * c))));
    double slip = sqrt(0.05 * 0.05 + cf), v = slip / 0.2;
    double drag = f * (fmin(v, 1) * (0.5 + 2 * 0.3 / (1 + v * v)) + 0.3 * slip) * 0.05 / slip;
    FB_NEAR(r.external[a][4], f, 0, 1e-11);
    FB_NEAR(r.external[a][3], -drag, 0, 1e-10);
    FB_NEAR(r.external[a][2], 0.2 * f + -d / 2 * drag, 0, 1e-9);
    balances(&r, 0.3, 0.1);
    rig_end(&r);
}

/* ---- contact of points ------------------------------------------------------------------------
 */

/* A plane that is tilted and moved: its normal is its z axis, here ground's (0, 0.6, 0.8). */
static void exponential_contact_follows_its_formula(void) {
    rig r;
    rig_begin(&r,
              "\"contact_forces\": [{\"name\": \"x\", \"type\": \"exponential\", "
              "\"contact_plane_transform\": [-0.6435011087932844, 0, 0, 0, 0.1, 0.5], \"station\": "
              "{\"frame\": \"fa\", \"location\": [0.1, 0.2, 0.3]}, \"contact_parameters\": "
              "{\"type\": \"exponential\", \"normal_shape_parameters\": [0.01, 2, 30], "
              "\"normal_viscosity\": 0.4, \"max_normal_force\": 60, \"friction_viscosity\": 2, "
              "\"static_friction\": 0.9, \"dynamic_friction\": 0.6}}]",
              false);
    FB_EQUAL_INT(r.forces->n_skipped, 0);
    int a = body_number(&r, "/bodyset/a");
    unsigned long long seed = fb_test_seed();
    const double n[3] = {0, 0.6, 0.8};
    int capped = 0, slid = 0;
    for (int i = 0; i < 100; i++) {
        double p[3], v[3], along[3], want[3], moment[3];
        rig_random(&r, &seed, 0.2, i % 2 ? 1 : 0.2);
        rig_apply(&r);
        point_of(&r, "/fa", 0.1, 0.2, 0.3, p);
        fb_point_velocity(v, r.state, a, p);
        double z = 0.6 * (p[1] - 0.1) + 0.8 * (p[2] - 0.5), vz = fb_v3_dot(v, n);
        double fz = fmin(60, fmax(0, 2 * exp(-30 * (z - 0.01)) * (1 - 0.4 * vz)));
        fb_v3_copy(along, v);
        fb_v3_madd(along, -vz, n);
        double speed = fb_v3_norm(along), drag = fmin(2 * speed, 0.6 * fz);
        fb_v3_scale(want, fz, n);
        fb_v3_madd(want, -drag / speed, along);
        fb_v3_cross(moment, p, want);
        for (int k = 0; k < 3; k++) {
            FB_NEAR(r.external[a][3 + k], want[k], 1e-10, 1e-10);
            FB_NEAR(r.external[a][k], moment[k], 1e-10, 1e-10);
        }
        capped += fz == 60;
        slid += drag < 2 * speed;
    }
    FB_TRUE(capped > 0 && slid > 0 && slid < 100, "all cases: %d, %d", capped, slid);
    balances(&r, 0.2, 0.1);
    rig_end(&r);
}

/* A point of a at a height and with a velocity; the force on it. */
static void touch_ground(rig *r, double y, double vx, double vy, double *f) {
    memset(r->state->u, 0, N_Q * sizeof *r->state->u);
    put_a(r, y);
    r->state->u[first_of_a(r) + 3] = vx;
    r->state->u[first_of_a(r) + 4] = vy;
    rig_apply(r);
    fb_v3_copy(f, r->external[body_number(r, "/bodyset/a")] + 3);
}

#define STATION(TYPE, MORE) \
    "\"stations\": [{\"name\": \"p\", \"frame\": \"a\"}], \"contact_forces\": [{\"name\": \"x\", " \
    "\"type\": \"" TYPE "\", \"station\": \"p\"" MORE "}]"

static void points_meet_the_ground(void) {
    rig r;
    double f[3], up;
    rig_begin(&r,
              STATION("AckermannVanDenBogert2010",
                      ", \"stiffness\": 1e6, \"dissipation\": 2, \"friction_coefficient\": 0.8, "
                      "\"transition_velocity\": 0.1"),
              false);
    touch_ground(&r, -0.05, 0.07, -0.2, f);
    up = 1e6 * 0.05 * 0.05 * 0.05 * (1 + 2 * 0.2) + 0.05;
    FB_NEAR(f[1], up, 0, 1e-13);
    FB_NEAR(f[0], -0.8 * up * tanh(0.35), 0, 1e-13);
    touch_ground(&r, 0.3, 0, 0, f);
    FB_NEAR(f[1], -0.3, 0, 1e-13); /* 1 N/m wherever it is */
    balances(&r, 0.2, 0.1);
    rig_end(&r);
    rig_begin(&r,
              STATION("EspositoMiller2018",
                      ", \"stiffness\": 1e5, \"dissipation\": 2, \"friction_coefficient\": 0.8, "
                      "\"transition_velocity\": 0.1, \"depth_offset\": 0.01"),
              false);
    touch_ground(&r, -0.05, 0.07, -0.2, f);
    double soft = (sqrt(0.0025 + 0.0001) + 0.05) / 2;
    up = 1e5 * soft * soft * 1.4 + 0.05;
    FB_NEAR(f[1], up, 0, 1e-13);
    FB_NEAR(f[0], -0.8 * up * tanh(0.7), 0, 1e-13);
    rig_end(&r);
    /* heights (m) and forces (N) of OpenSim 4.5.2 with the default parameters */
    static const double y[] = {-0.02, -0.01, -0.005, -0.001, 0, 0.005, 0.01};
    static const double at[] = {190.0011,    90.0011,       40.0011003, 1.73395062,
                                0.046374366, 5.00000094e-4, 0};
    rig_begin(&r, STATION("MeyerFregly2016", ""), false);
    for (int i = 0; i < 7; i++) {
        touch_ground(&r, y[i], 0.1, -2, f);
        FB_NEAR(f[1], at[i] * (1 + 0.01 * 2), 1e-8, 1e-8);
        FB_NEAR(f[0], -f[1] * tanh(1), 1e-12, 1e-12);
    }
    touch_ground(&r, -1, 0, 0, f);          /* where cosh overflows OpenSim gives 0 */
    FB_NEAR(f[1], 1e4 * (1 - 0.001), 1, 0); /* linear beyond the bend at 1 mm */
    rig_end(&r);
    rig_begin(&r, STATION("MeyerFregly2016", ""), true);
    touch_ground(&r, -1, 0, 0, f);
    FB_SAME(f[1], 0);
    rig_end(&r);
}

/* ---- actuators ------------------------------------------------------------------------------- */

static int control_of(const rig *r, const char *path) {
    return fb_forces_control(r->forces, fb_test_find(r->model, path));
}

static void actuators_follow_their_controls(void) {
    rig r;
    rig_begin(
        &r,
        "\"actuators\": [{\"name\": \"c1\", \"type\": \"coordinate\", \"coordinate\": \"s\", "
        "\"optimal_force\": 50}, {\"name\": \"c2\", \"type\": \"activation_coordinate\", "
        "\"coordinate\": \"s\", \"optimal_force\": 8, \"activation_time_constant\": 0.02},"
        "{\"name\": \"off\", \"type\": \"coordinate\", \"coordinate\": \"s\", \"enabled\": false},"
        "{\"name\": \"p\", \"type\": \"path\", \"optimal_force\": 30, " ALONG_S "},"
        "{\"name\": \"k\", \"type\": \"mckibben\", \"number_of_turns\": 2, \"thread_length\": "
        "0.5, \"cord_length\": 0.1, " ALONG_S "},"
        "{\"name\": \"z\", \"type\": \"clutched_path_spring\", \"stiffness\": 100, "
        "\"dissipation\": 0.1, \"initial_stretch\": 0.2, \"relaxation_time_constant\": "
        "0.01, " ALONG_S "}]",
        true);
    int s = coordinate_s(&r),
        a = fb_forces_find(r.forces, fb_test_find(r.model, "/forceset/c2"))->state,
        z = fb_forces_find(r.forces, fb_test_find(r.model, "/forceset/z"))->state;
    double rates[2];
    FB_EQUAL_INT(r.forces->n_controls, 5);
    FB_EQUAL_INT(r.forces->n_states, 2);
    FB_EQUAL_INT(control_of(&r, "/forceset/off"), -1);
    FB_EQUAL_INT(fb_forces_find(r.forces, fb_test_find(r.model, "/forceset/c1"))->state, -1);
    set_s(&r, 0.5, 2); /* all controls 0, activation 0.5 */
    FB_NEAR(r.tau[s], 4, 0, 1e-14);
    FB_SAME(r.tension[0] + r.tension[1] + r.tension[2], 0);
    r.controls[control_of(&r, "/forceset/c1")] = -0.3;
    r.controls[control_of(&r, "/forceset/c2")] = 0.9;
    r.controls[control_of(&r, "/forceset/p")] = 2;
    r.controls[control_of(&r, "/forceset/k")] = 1000;
    r.controls[control_of(&r, "/forceset/z")] = 1.5; /* counts as 1 */
    rig_apply(&r);
    FB_NEAR(r.tau[s], -15 + 4, 0, 1e-13);
    FB_NEAR(r.tension[0], 60, 0, 1e-14);
    FB_NEAR(r.tension[1], 1000 / (16 * M_PI) * (3 * 1.4 * 1.4 - 0.25), 0, 1e-12);
    FB_NEAR(r.tension[2], 100 * 0.2 * (1 + 0.1 * 2), 0, 1e-13);
    fb_forces_rates(r.forces, r.controls, NULL, r.speed, rates);
    FB_NEAR(rates[a], (0.9 - 0.5) / 0.02, 0, 1e-13);
    FB_NEAR(rates[z], 2, 0, 1e-13);
    fb_forces_rates(r.forces, NULL, NULL, r.speed, rates);
    FB_NEAR(rates[a], -0.5 / 0.02, 0, 1e-13);
    FB_NEAR(rates[z], -0.2 / 0.01, 0, 1e-13);
    double own[2] = {0};
    own[a] = 0.25;
    own[z] = -0.1; /* it pushes: not floored */
    memset(r.tau, 0, sizeof r.tau);
    memset(r.tension, 0, sizeof r.tension);
    fb_forces_apply(r.forces, r.state, 0, r.controls, own, r.length, r.speed, r.tension, r.external,
                    r.tau);
    FB_NEAR(r.tau[s], -15 + 2, 0, 1e-13);
    FB_NEAR(r.tension[2], -12, 0, 1e-13);
    rig_end(&r);
}

/* A control's force on each body, at a pose at random. */
static void begin_actuator(rig *r, const char *text, double *controls, int n) {
    unsigned long long seed = fb_test_seed();
    rig_begin(r, text, true);
    rig_random(r, &seed, 0.7, 1);
    FB_EQUAL_INT(r->forces->n_controls, n);
    memcpy(r->controls, controls, (size_t)n * sizeof *controls);
    rig_apply(r);
}

static void check_force(const rig *r, int body, const double *point, const double *force,
                        const double *torque) {
    double moment[3];
    fb_v3_cross(moment, point, force);
    for (int k = 0; k < 3; k++) {
        FB_NEAR(r->external[body][k], moment[k] + torque[k], 1e-12, 1e-12);
        FB_NEAR(r->external[body][3 + k], force[k], 1e-12, 1e-12);
    }
}

static void rotate(const rig *r, const char *frame, const double *v, double *ground) {
    double origin[3], tip[3];
    point_of(r, frame, 0, 0, 0, origin);
    point_of(r, frame, v[0], v[1], v[2], tip);
    fb_v3_sub(ground, tip, origin);
}

static void body_actuators_push(void) {
    static const double none[3] = {0, 0, 0}, d[3] = {0.6, 0, 0.8}, p[3] = {0.1, 0.2, 0.3};
    double controls[6] = {2, 0, 0, 0, 0, 0}, six[6] = {1, 2, 3, 4, 5, 6}, force[3], point[3], t[3];
    rig r; /* in the frame; the direction is made a unit vector */
    begin_actuator(&r,
                   "\"actuators\": [{\"name\": \"p\", \"type\": \"point\", \"body\": \"fa\", "
                   "\"point\": [0.1, 0.2, 0.3], \"direction\": [3, 0, 4], \"optimal_force\": 10}]",
                   controls, 1);
    rotate(&r, "/fa", d, force);
    fb_v3_scale(force, 20, force);
    point_of(&r, "/fa", 0.1, 0.2, 0.3, point);
    check_force(&r, body_number(&r, "/bodyset/a"), point, force, none);
    rig_end(&r);
    begin_actuator(&r,
                   "\"actuators\": [{\"name\": \"p\", \"type\": \"point\", \"body\": \"a\", "
                   "\"point\": [0.1, 0.2, 0.3], \"direction\": [3, 0, 4], \"optimal_force\": 10, "
                   "\"point_is_global\": true, \"force_is_global\": true}]",
                   controls, 1);
    fb_v3_scale(force, 20, d);
    check_force(&r, body_number(&r, "/bodyset/a"), p, force, none);
    rig_end(&r);
    begin_actuator(&r,
                   "\"actuators\": [{\"name\": \"p\", \"type\": \"torque\", \"body_a\": \"a\", "
                   "\"body_b\": \"b\", \"axis\": [3, 0, 4], \"torque_is_global\": false, "
                   "\"optimal_force\": 10}]",
                   controls, 1);
    rotate(&r, "/bodyset/a", d, t);
    fb_v3_scale(t, 20, t);
    check_force(&r, body_number(&r, "/bodyset/a"), none, none, t);
    fb_v3_scale(t, -1, t);
    check_force(&r, body_number(&r, "/bodyset/b"), none, none, t);
    rig_end(&r);
    begin_actuator(&r,
                   "\"actuators\": [{\"name\": \"p\", \"type\": \"body\", \"body\": \"b\", "
                   "\"point\": [0.1, 0.2, 0.3]}]",
                   six, 6);
    point_of(&r, "/bodyset/b", 0.1, 0.2, 0.3, point);
    check_force(&r, body_number(&r, "/bodyset/b"), point, six + 3, six);
    rig_end(&r);
    begin_actuator(&r,
                   "\"actuators\": [{\"name\": \"p\", \"type\": \"body\", \"body\": \"b\", "
                   "\"point\": [0.1, 0.2, 0.3], \"spatial_force_is_global\": false}]",
                   six, 6);
    rotate(&r, "/bodyset/b", six, t);
    rotate(&r, "/bodyset/b", six + 3, force);
    check_force(&r, body_number(&r, "/bodyset/b"), point, force, t);
    rig_end(&r);
}

static void point_to_point_actuators_push_apart(void) {
    static const double none[3] = {0, 0, 0};
    double controls[1] = {1.5}, a[3], b[3], force[3];
    rig r;
    begin_actuator(&r,
                   "\"actuators\": [{\"name\": \"p\", \"type\": \"point_to_point\", \"body_a\": "
                   "\"a\", \"body_b\": \"b\", \"point_a\": [0.1, 0.2, 0.3], \"point_b\": [0.5, "
                   "-0.3, 0.1], \"optimal_force\": 4}]",
                   controls, 1);
    point_of(&r, "/bodyset/a", 0.1, 0.2, 0.3, a);
    point_of(&r, "/bodyset/b", 0.5, -0.3, 0.1, b);
    fb_v3_sub(force, a, b);
    fb_v3_scale(force, 6 / fb_v3_norm(force), force);
    check_force(&r, body_number(&r, "/bodyset/a"), a, force, none);
    fb_v3_scale(force, -1, force);
    check_force(&r, body_number(&r, "/bodyset/b"), b, force, none);
    balances(&r, 1, 1);
    rig_end(&r);
}

/* ---- given forces ---------------------------------------------------------------------------- */

/* Three functions: c[0] t + c[1], a constant, a formula in t. */
#define THREE(KEY, A, B, C) \
    "\"" KEY "\": [{\"type\": \"polynomial\", \"coefficients\": [" A \
    "]}, {\"type\": \"constant\", \"value\": " B \
    "}, {\"type\": \"expression\", \"expression\": \"" C "\", \"variables\": [\"t\"]}]"
#define PUSH THREE("force_functions", "3, 0", "2", "exp(t)")
#define AT THREE("point_functions", "0.1, 0", "1", "t^2")
#define TURN THREE("torque_functions", "0.5, 0", "3", "-t")

static void prescribed_forces_follow_time(void) {
    double f[3] = {6, 2, exp(2)}, p[3] = {0.2, 1, 4}, t[3] = {1, 3, -2}, point[3], force[3],
           torque[3];
    rig r;
    rig_begin(&r,
              "\"forces\": [{\"name\": \"p\", \"type\": \"prescribed\", \"frame\": \"fb\", "
              "\"force_is_global\": false, " PUSH ", " AT ", " TURN "}, {\"name\": \"q\", "
              "\"type\": \"prescribed\", \"frame\": \"fa\", " PUSH "}]",
              true);
    unsigned long long seed = fb_test_seed();
    rig_random(&r, &seed, 0.7, 1);
    r.time = 2;
    rig_apply(&r);
    rotate(&r, "/fb", f, force);
    rotate(&r, "/fb", t, torque);
    point_of(&r, "/fb", p[0], p[1], p[2], point);
    check_force(&r, body_number(&r, "/bodyset/b"), point, force, torque);
    memset(torque, 0, sizeof torque);
    point_of(&r, "/fa", 0, 0, 0, point); /* no point: at the frame's origin, in ground axes */
    check_force(&r, body_number(&r, "/bodyset/a"), point, f, torque);
    rig_end(&r);
}

/* ---- what is left out ------------------------------------------------------------------------ */

static void forces_that_are_not_computed_are_told(void) {
    rig r;
    rig_begin(
        &r,
        "\"contact_geometry\": [" FLOOR "," BALL(
            "ball", "a", "0, 0, 0",
            "0.1") ", {\"name\": \"m\", \"type\": \"mesh\", \"frame\": \"a\", \"file\": "
                   "\"x.obj\"}, {\"name\": \"o\", \"type\": \"ellipsoid\", \"frame\": \"a\"}],"
                   "\"contact_forces\": [{\"name\": \"e\", \"type\": \"elastic_foundation\", "
                   "\"contact_parameters\": [{\"type\": \"elastic_foundation\", \"geometry\": "
                   "[\"m\"]}]},"
                   "{\"name\": \"h\", \"type\": \"hunt_crossley\", \"contact_parameters\": "
                   "[{\"type\": \"hunt_crossley\", \"geometry\": "
                   "[\"floor\", \"ball\", \"m\", \"o\"], \"stiffness\": 1e5}]}],"
                   "\"forces\": [{\"name\": \"plate\", \"type\": \"external\", \"body\": \"a\"}],"
                   "\"kept\": [{\"name\": \"k\", \"component_path\": \"/forceset/k\", \"class\": "
                   "\"Unheard\", \"xml\": "
                   "\"<Unheard name='k'/>\"}, {\"name\": \"n\", \"component_path\": "
                   "\"/controllerset/n\", "
                   "\"class\": "
                   "\"Other\", \"xml\": \"<Other name='n'/>\"}]",
        true);
    FB_EQUAL_INT(r.forces->n_skipped, 4);
    FB_EQUAL_INT(r.diag.counts[FB_WARNING], 4);
    FB_RECORD(&r.diag, FB_WARNING, FB2308, -1);
    bool kept = false;
    for (size_t i = 0; i < r.diag.n; i++) {
        FB_EQUAL_INT(r.diag.records[i].id, FB2308);
        kept |= strstr(r.diag.records[i].message, "Unheard 'k'") != NULL;
    }
    FB_TRUE(kept, "the kept element is named by its class");
    FB_EQUAL_INT(r.forces->n_forces, 2);
    put_a(&r, 0.05); /* the floor and the ball still meet */
    rig_apply(&r);
    FB_TRUE(r.external[body_number(&r, "/bodyset/a")][4] > 1, "they push");
    rig_end(&r);
}

static const fb_test tests[] = {
    FB_TEST(sphere_meets_floor),
    FB_TEST(contacts_store_energy),
    FB_TEST(opensim_stops_at_a_parting_contact),
    FB_TEST(smooth_sphere_follows_its_formula),
    FB_TEST(exponential_contact_follows_its_formula),
    FB_TEST(points_meet_the_ground),
    FB_TEST(actuators_follow_their_controls),
    FB_TEST(body_actuators_push),
    FB_TEST(point_to_point_actuators_push_apart),
    FB_TEST(prescribed_forces_follow_time),
    FB_TEST(forces_that_are_not_computed_are_told),
    FB_TEST_END,
};

int main(int argc, char **argv) {
    return fb_test_main("contact", tests, argc, argv);
}
