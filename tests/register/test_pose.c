/* The pose of a scan: scans are made of models in poses that are known. With $FB_CORPUS, a folder
 * of .osim files, of those too. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/motion/system.h"
#include "libcore/register/pose.h"
#include "tests/help.h"

typedef struct rig {
    fb_model *model;
    fb_system *system;
    fb_state *state;
    fb_scan_bone bones[400];
    int n;
    fb_pose ground; /* in the scan */
    fb_scan_fit fit;
    fb_diag diag;
} rig;

static bool begin(rig *r, const char *file) {
    size_t size;
    char *bytes = fb_test_read_file(file, &size);
    memset(r, 0, sizeof *r);
    fb_diag_init(&r->diag);
    if (fb_model_read(&r->model, bytes, size, file, 0, &r->diag) != FB_OK ||
        fb_system_compile(&r->system, r->model, &(fb_system_options){false}, &r->diag) != FB_OK) {
        return false;
    }
    r->state = fb_state_new(r->system);
    return r->system->n_q > 0 && r->system->n_body < 400 && !strstr(file, "numbers.osim");
}

static void end(rig *r) {
    fb_scan_fit_free(&r->fit);
    if (r->state) {
        fb_state_free(r->state);
    }
    fb_system_free(r->system);
    fb_model_free(r->model);
    fb_diag_clear(&r->diag);
}

/* Moves what can move, within its range and a radian or 0.1 m of the default, and assembles. */
static bool random_pose(rig *r, unsigned long long *seed) {
    fb_state_defaults(r->state);
    for (int i = 0; i < r->system->n_q; i++) {
        const fb_coordinate *c = &r->system->coordinates[i];
        bool slides = c->element && fb_coordinate_motion(c->element) == FB_TRANSLATIONAL;
        double reach = slides ? 0.1 : 1, q = c->initial;
        if (!c->locked && !c->prescribed) {
            double low = fmax(c->range[0], q - reach), high = fmin(c->range[1], q + reach);
            r->state->q[i] = low < high ? fb_random_between(seed, low, high) : q;
        }
    }
    bool ok = fb_assemble(r->state, 1e-13) == FB_OK;
    for (int i = 0; i < r->system->n_q; i++) { /* ranges are left only for much */
        const fb_coordinate *c = &r->system->coordinates[i];
        ok &= c->locked || c->prescribed ||
              (r->state->q[i] >= c->range[0] - 1e-9 && r->state->q[i] <= c->range[1] + 1e-9);
    }
    fb_state_position(r->state);
    return ok;
}

/* Every body as a bone of a scan whose frame is anywhere. */
static void scan(rig *r, unsigned long long *seed) {
    double angles[3];
    for (int k = 0; k < 3; k++) {
        angles[k] = fb_random_between(seed, -3, 3);
        r->ground.p[k] = fb_random_between(seed, -1, 1);
    }
    fb_m3_from_xyz(r->ground.R, angles);
    r->n = 0;
    int roots = 0;
    for (int i = 1; i < r->system->n_body; i++) {
        roots += r->system->branches[i].parent == 0;
    }
    if (roots > 1) { /* then where the trees stand is told by the ground only */
        r->bones[r->n].body = r->model->ground;
        r->bones[r->n++].pose = r->ground;
    }
    for (int i = 1; i < r->system->n_body; i++) {
        if (r->system->mobods[i].copy_of < 0) {
            r->bones[r->n].body = r->system->mobods[i].body;
            r->bones[r->n].weight = 0;
            fb_pose_mul(&r->bones[r->n++].pose, &r->ground, &r->state->pose[i]);
        }
    }
}

static bool find(rig *r) {
    fb_scan_fit_free(&r->fit);
    return fb_scan_pose(&r->fit, r->model, r->bones, r->n, &r->diag) == FB_OK;
}

static const char *file_at(int i) {
    static const char *const patterns[] = {"models/*/*.osim", "models/*/*.fb"};
    char corpus[400] = "";
    for (int p = 0; p < 3; p++) {
        if (p == 2 && !getenv("FB_CORPUS")) {
            return NULL;
        }
        snprintf(corpus, sizeof corpus, "%.200s/*.osim",
                 getenv("FB_CORPUS") ? getenv("FB_CORPUS") : "");
        const char *pattern = p < 2 ? patterns[p] : corpus;
        int n = 0;
        while (fb_test_glob(pattern, n)) {
            n++;
        }
        if (i < n) {
            return fb_test_glob(pattern, i);
        }
        i -= n;
    }
    return NULL;
}

static void known_poses_come_back(void) {
    static rig r;
    const char *file;
    unsigned long long seed = fb_test_seed();
    int n = 0, missed = 0, tried = 0, elsewhere = 0;
    for (int i = 0; (file = file_at(i)) != NULL; i++) {
        bool ok = begin(&r, file);
        for (int round = 0; ok && round < 3; round++) {
            if (!random_pose(&r, &seed)) {
                continue;
            }
            scan(&r, &seed);
            tried++;
            if (!FB_TRUE(find(&r), "%s: %s", file, r.diag.n ? r.diag.records[0].message : "")) {
                continue;
            }
            double worst = 0;
            int which = 0;
            for (int k = 0; k < r.system->n_q; k++) {
                const fb_coordinate *c = &r.system->coordinates[k];
                double off = r.fit.coordinates[k].value - r.state->q[k];
                bool slides = c->element && fb_coordinate_motion(c->element) == FB_TRANSLATIONAL;
                off = slides ? off : remainder(off, 2 * M_PI);
                if (r.fit.coordinates[k].determined && fabs(off) > worst) {
                    worst = fabs(off);
                    which = k;
                }
                n += r.fit.coordinates[k].determined;
            }
            bool there = r.fit.distance <= 1e-8 && r.fit.angle <= 1e-8;
            elsewhere += there && worst > 1e-8;
            if (!there) {
                printf(
                    "%s: %d q, %d bones: off by %.2g (%s), residual %.2g m, %.2g rad, %d steps\n",
                    strrchr(file, '/'), r.system->n_q, r.n, worst,
                    r.system->coordinates[which].path, r.fit.distance, r.fit.angle,
                    r.fit.iterations);
                missed++;
            }
        }
        end(&r);
    }
    printf("%d of %d poses missed, %d by other angles; %d coordinates\n", missed, tried, elsewhere,
           n);
    FB_EQUAL_INT(missed, 0);
    /* three angles that turn about nearly the same axis have more than one set of values */
    FB_TRUE(elsewhere <= 1 + tried / 50, "%d of %d with other angles", elsewhere, tried);
    FB_TRUE(n > 100, "%d coordinates", n);
}

/* ---- what does not fit ----------------------------------------------------------------------- */

#define ARM25 "models/arm/arm25.osim"

static int number_of(const rig *r, const char *body) {
    for (int i = 0; i < r->n; i++) {
        if (strcmp(r->bones[i].body->name, body) == 0) {
            return i;
        }
    }
    FB_TRUE(false, "no body %s", body);
    return 0;
}

static const fb_record *told_of(const rig *r, const char *part) {
    for (size_t i = 0; i < r->diag.n; i++) {
        if (r->diag.records[i].id == FB4008 && strstr(r->diag.records[i].message, part)) {
            return &r->diag.records[i];
        }
    }
    return NULL;
}

/* A bone that lies half a turn round is named, wherever it is, and the others are not; where joints
 * out of their ranges take it up, those are told. */
static void half_turns_are_named(void) {
    static rig r;
    unsigned long long seed = fb_test_seed();
    if (!FB_TRUE(begin(&r, ARM25), ARM25)) {
        return;
    }
    int named = 0, others = 0, told = 0, tried = 0;
    for (int body = 1; body < r.system->n_body; body++) {
        for (int axis = 0; axis < 3; axis++) {
            double turn[9], direction[3] = {0, 0, 0}, R[9];
            random_pose(&r, &seed);
            scan(&r, &seed);
            int k = number_of(&r, r.system->mobods[body].body->name);
            direction[axis] = 1;
            fb_m3_rotation(turn, direction, M_PI);
            memcpy(R, r.bones[k].pose.R, sizeof R);
            fb_m3_mul(r.bones[k].pose.R, R, turn);
            fb_diag_clear(&r.diag);
            fb_diag_init(&r.diag);
            FB_TRUE(find(&r), "it is found");
            for (int i = 0; i < r.fit.n_bones; i++) {
                named += i == k && r.fit.bones[i].angle > M_PI / 2;
                others += i != k && r.fit.bones[i].angle > M_PI / 2;
            }
            FB_TRUE(r.fit.bones[k].angle < M_PI / 2 || told_of(&r, r.bones[k].body->name) != NULL,
                    "it is told");
            tried++;
            bool is_told = false;
            for (size_t i = 0; i < r.diag.n; i++) {
                const fb_record *record = &r.diag.records[i];
                is_told |= strstr(record->message, "half a turn round") ||
                           (record->effect && strstr(record->effect, "half a turn round"));
            }
            told += is_told;
        }
    }
    printf("%d of %d half turns named, %d others; %d told\n", named, tried, others, told);
    FB_TRUE(told >= tried - 1, "%d of %d told", told, tried);
    /* at a joint of three axes, or two such joints in a row, it can be made by the joints */
    FB_TRUE(named >= tried * 9 / 10 && others <= 1, "%d of %d named", named, tried);
    end(&r);
}

/* Bones that do not meet in their joint: the gap is what they are apart. */
static void gaps_are_measured(void) {
    static rig r;
    unsigned long long seed = fb_test_seed();
    if (!FB_TRUE(begin(&r, ARM25), ARM25)) {
        return;
    }
    random_pose(&r, &seed);
    scan(&r, &seed);
    int last = r.n - 1;
    double shift[3] = {0.003, 0, 0.004};
    fb_v3_add(r.bones[last].pose.p, r.bones[last].pose.p, shift);
    FB_TRUE(find(&r), "it is found");
    double gap = 0;
    for (int i = 0; i < r.fit.n_joints; i++) {
        gap = fmax(gap, r.fit.joints[i].gap);
    }
    FB_NEAR(gap, 0.005, 1e-3, 0);
    FB_TRUE(r.fit.distance > 5e-4 && r.fit.distance < 5e-3, "%g", r.fit.distance);
    end(&r);
}

static void bad_scans_are_refused(void) {
    static rig r;
    unsigned long long seed = fb_test_seed();
    if (!FB_TRUE(begin(&r, ARM25), ARM25)) {
        return;
    }
    random_pose(&r, &seed);
    scan(&r, &seed);
    r.bones[0].pose.p[1] = (double)NAN;
    FB_EQUAL_INT(fb_scan_pose(&r.fit, r.model, r.bones, r.n, &r.diag), FB_E_INPUT);
    FB_RECORD(&r.diag, FB_ERROR, FB4008, -1);
    fb_scan_fit_free(&r.fit);
    FB_EQUAL_INT(fb_scan_pose(&r.fit, r.model, r.bones, 0, &r.diag), FB_E_INPUT);
    fb_scan_fit_free(&r.fit);
    scan(&r, &seed);
    long n = 1;
    for (;; n += 3) {
        fb_alloc_fail_at(n);
        fb_status status = fb_scan_pose(&r.fit, r.model, r.bones, r.n, &r.diag);
        fb_alloc_fail_at(0);
        fb_scan_fit_free(&r.fit);
        if (status == FB_OK) {
            break;
        }
        FB_EQUAL_INT(status, FB_E_MEMORY);
    }
    FB_TRUE(n > 5, "%ld", n);
    end(&r);
}

static const fb_test tests[] = {
    FB_TEST(half_turns_are_named),
    FB_TEST(gaps_are_measured),
    FB_TEST(bad_scans_are_refused),
    FB_TEST(known_poses_come_back),
    FB_TEST_END,
};

int main(int argc, char **argv) {
    return fb_test_main("pose", tests, argc, argv);
}
