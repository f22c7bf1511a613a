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
    int n = 0, missed = 0, tried = 0;
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
            if (worst > 1e-8 || r.fit.distance > 1e-8 || r.fit.angle > 1e-8) {
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
    printf("%d of %d poses missed, %d coordinates\n", missed, tried, n);
    FB_EQUAL_INT(missed, 0);
    FB_TRUE(n > 100, "%d coordinates", n);
}

static const fb_test tests[] = {
    FB_TEST(known_poses_come_back),
    FB_TEST_END,
};

int main(int argc, char **argv) {
    return fb_test_main("pose", tests, argc, argv);
}
