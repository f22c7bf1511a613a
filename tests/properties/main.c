#include "tests/properties/properties.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/fb.h"

#define MOST_TOLD 5   /* of what does not hold, for a property of a model */
#define MOST_TRIES 30 /* to find a pose that meets the constraints */

FILE *jump_list;

bool claim(subject *it, bool holds, const char *format, ...) {
    if (holds) {
        return true;
    }
    if (it->bad++ < MOST_TOLD) {
        va_list args;
        va_start(args, format);
        printf("properties: %s: ", it->name);
        vprintf(format, args);
        printf("\n");
        va_end(args);
    }
    return false;
}

double between(subject *it, double low, double high) {
    unsigned long long x = it->seed; /* S. Vigna 2016, xorshift64* */
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    it->seed = x;
    return low + (high - low) * (double)(x * 2685821657736338717u % 1000003) / 1000003;
}

double *numbers(int n) {
    double *x = calloc((size_t)n + 1, sizeof *x);
    if (!x) {
        fprintf(stderr, "properties: out of memory\n");
        exit(5);
    }
    return x;
}

const char *coordinate_name(const subject *it, int i) {
    const fb_element *e = it->s->system->coordinates[i].element;
    return e && e->name ? e->name : "(a coordinate without a name)";
}

const char *path_name(const subject *it, int i) {
    const fb_element *e = it->s->paths->paths[i].owner;
    return e && e->name ? e->name : "(a path without a name)";
}

void move(subject *it) {
    fb_simulation_move(it->s);
}

/* ---- poses -------------------------------------------------------------------------------------
 */

void usual_range(const subject *it, int i, double *range) {
    const fb_coordinate *c = &it->s->system->coordinates[i];
    double at = fabs(c->initial) < 1e6 ? c->initial : 0; /* a gallery model starts far away */
    memcpy(range, c->range, 2 * sizeof *range);
    if (!(range[1] >= range[0]) || range[1] - range[0] > 7) {
        range[0] = at - 1;
        range[1] = at + 1;
    }
}

bool held(const subject *it, int i) {
    const fb_coordinate *c = &it->s->system->coordinates[i];
    return c->locked || c->prescribed;
}

bool random_pose(subject *it, double speed) {
    fb_state *state = it->s->state;
    for (int try = 0; try < MOST_TRIES; try++) {
        double part = try < MOST_TRIES / 2 ? 1 : 0.1; /* near the default pose, if all else fails */
        fb_state_defaults(state);
        for (int i = 0; i < it->n; i++) {
            double range[2], here = fabs(state->q[i]) < 1e6 ? state->q[i] : 0;
            usual_range(it, i, range);
            if (!held(it, i)) {
                state->q[i] = here + part * (between(it, range[0], range[1]) - here);
            }
            state->u[i] = held(it, i) ? 0 : between(it, -speed, speed);
        }
        if (it->m > 0 && fb_assemble(state, 1e-10) != FB_OK) {
            continue;
        }
        fb_state_position(state);
        fb_state_velocity(state);
        if (it->m > 0) {
            fb_project_velocity(state);
            fb_state_velocity(state);
        }
        return true;
    }
    return claim(it, false, "no pose was found that meets the constraints");
}

/* ---- models ------------------------------------------------------------------------------------
 */

static const struct {
    const char *name;
    void (*check)(subject *it);
} properties[] = {
    {"mass matrix", mass_matrix}, {"forward and inverse dynamics", there_and_back},
    {"free flight", free_flight}, {"turned world", turned_world},
    {"speeds and arms", rates},   {"shortest courses", shortest},
    {"continuous", continuous},   {"no allocation", allocations},
    {"recipes", recipes},
};

static bool open_subject(subject *it, const char *file) {
    char *bytes;
    size_t size;
    const char *slash = strrchr(file, '/');
    static char name[200];
    memset(it, 0, sizeof *it);
    snprintf(name, sizeof name, "%s", slash ? slash + 1 : file);
    if (strlen(name) > 5 && strcmp(name + strlen(name) - 5, ".osim") == 0) {
        name[strlen(name) - 5] = 0;
    }
    it->name = name;
    it->seed = 20240607;
    fb_diag_init(&it->diag);
    if (fb_read_file(file, FB_MAX_BYTES, &bytes, &size, &it->diag) == FB_OK &&
        fb_model_read(&it->model, bytes, size, file, FB_MAX_BYTES, &it->diag) == FB_OK &&
        fb_simulation_new(&it->s, it->model, false, &it->diag) == FB_OK) {
        it->n = it->s->system->n_q;
        it->m = it->s->system->n_row;
        return true;
    }
    return false;
}

/* A refusal must have said why. */
static bool refused_with_reason(const subject *it) {
    for (size_t i = 0; i < it->diag.n; i++) {
        if (it->diag.records[i].action == FB_ERROR) {
            printf("properties: %s: not checked: %s\n", it->name, it->diag.records[i].message);
            return true;
        }
    }
    printf("properties: %s: refused without a reason\n", it->name);
    return false;
}

static void close_subject(subject *it) {
    fb_simulation_free(it->s);
    if (it->model) {
        fb_model_free(it->model);
    }
    fb_diag_clear(&it->diag);
}

int main(int argc, char **argv) {
    const char *only = getenv("FB_PROPERTY"), *list = getenv("FB_JUMPS");
    int passed = 0, failed = 0;
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (argc == 5 && strcmp(argv[1], "--beside") == 0) {
        subject it;
        if (open_subject(&it, argv[4])) {
            beside(&it, argv[2], argv[3]);
        }
        close_subject(&it);
        return it.bad > 0;
    }
    if (list && *list && !(jump_list = fopen(list, "w"))) {
        fprintf(stderr, "properties: %s cannot be written\n", list);
        return 6;
    }
    if (!only || strstr("shapes", only)) {
        subject it = {.name = "shapes", .seed = 20240607};
        shapes(&it);
        passed += it.bad == 0;
        failed += it.bad != 0;
    }
    for (int i = 1; i < argc; i++) {
        subject it;
        bool compiled = open_subject(&it, argv[i]);
        if (!compiled) {
            bool told = refused_with_reason(&it);
            passed += told;
            failed += !told;
        }
        for (size_t k = 0; compiled && k < sizeof properties / sizeof *properties; k++) {
            if (only && !strstr(properties[k].name, only)) {
                continue;
            }
            it.bad = 0;
            it.seed = 20240607;
            properties[k].check(&it);
            if (it.bad > MOST_TOLD) {
                printf("properties: %s: %s: and %d more\n", it.name, properties[k].name,
                       it.bad - MOST_TOLD);
            }
            passed += it.bad == 0;
            failed += it.bad != 0;
        }
        close_subject(&it);
    }
    if (plane_courses > 0) {
        printf("properties: %d courses over ellipsoids, which are plane and so not the shortest, "
               "have arms "
               "up to %.2g m off -dL/dq\n",
               plane_courses, plane_difference);
    }
    if (unsettled_courses > 0) {
        printf("properties: %d of %d courses over several surfaces do not settle\n",
               unsettled_courses, all_courses + unsettled_courses);
    }
    if (touched_twice > 0) {
        printf("properties: %d courses touch a torus once that would touch it twice, and enter it "
               "by up "
               "to %.2g m\n",
               touched_twice, touched_depth);
    }
    if (longer_tori > 0) {
        printf("properties: %d courses over tori are geodesics, but up to %.2g m longer than a "
               "thread\n",
               longer_tori, longer_most);
    }
    if (jump_list) {
        fclose(jump_list);
    }
    printf("properties: %d passed, %d failed\n", passed, failed);
    return failed > 0;
}
