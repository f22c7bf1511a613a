/* Landmarks of bones: the way from a surface to its bone's own file, and the side. */
#include "libcore/register/landmarks_internal.h"

#include <math.h>

#include "libcore/base/spatial.h"

static bool (*const finders[FB_BONE_KIND_COUNT])(fb_bone_work *) = {
    [FB_BONE_PELVIS] = fb_pelvis_landmarks, [FB_BONE_HEMIPELVIS] = fb_hemipelvis_landmarks,
    [FB_BONE_FEMUR] = fb_femur_landmarks,   [FB_BONE_TIBIA] = fb_tibia_landmarks,
    [FB_BONE_TALUS] = fb_talus_landmarks,   [FB_BONE_CALCANEUS] = fb_foot_landmarks,
    [FB_BONE_FOOT] = fb_foot_landmarks,     [FB_BONE_HUMERUS] = fb_humerus_landmarks,
    [FB_BONE_ULNA] = fb_ulna_landmarks,     [FB_BONE_RADIUS] = fb_radius_landmarks,
};

void fb_bone_add(fb_bone_work *work, const char *name, const double *point) {
    if (work->features != NULL) {
        fb_feature feature = {.name = name, .body = work->body, .weight = 1};
        fb_v3_copy(feature.location, point);
        fb_features_add(work->features, &feature);
    }
}

void fb_bone_add_fit(fb_bone_work *work, const char *name, const fb_bone_ball *ball, bool axis) {
    if (work->n_fits < FB_BONE_FITS && work->fits != NULL) {
        fb_bone_fit *fit = &work->fits[work->n_fits];
        *fit = (fb_bone_fit){.name = name, .radius = ball->radius, .rms = ball->rms, .n = ball->n};
        fb_v3_copy(fit->center, ball->center);
        if (axis) {
            fb_v3_copy(fit->axis, ball->axis);
        }
    }
    work->n_fits += work->n_fits < FB_BONE_FITS;
}

void fb_bone_set_frame(fb_bone_work *work, const double *origin) {
    fb_make_across(work->x, work->y);
    fb_v3_cross(work->z, work->x, work->y);
    for (int k = 0; k < 3; k++) {
        work->frame.axes[3 * k] = work->x[k];
        work->frame.axes[3 * k + 1] = work->y[k];
        work->frame.axes[3 * k + 2] = work->z[k];
    }
    fb_v3_copy(work->frame.origin, origin);
}

void fb_bone_judge_side(fb_bone_work *work, const double *lateral, double sure) {
    double right[3];
    fb_v3_cross(right, work->x, work->y);
    work->found = fb_v3_dot(lateral, right) > 0 ? 'r' : 'l';
    work->sure = sure;
}

/* The number that stands for a vertex's piece (union-find, halving the paths). */
static int piece_root(int *parent, int i) {
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

/* Numbers the connected pieces of the surface by their area, the greatest first. */
static void find_pieces(fb_bone_work *work, fb_arena *arena) {
    const fb_surface *s = work->surface;
    size_t n = (size_t)s->n_vertices;
    int *parent = fb_arena_array(arena, n, sizeof *parent);
    double *area = fb_arena_array(arena, n, sizeof *area);
    work->piece = fb_arena_array(arena, n, sizeof *work->piece);
    work->only = -1;
    for (int i = 0; i < s->n_vertices; i++) {
        parent[i] = i;
        work->piece[i] = -1;
    }
    for (int f = 0; f < s->n_faces; f++) {
        int a = piece_root(parent, s->faces[f][0]);
        for (int k = 1; k < 3; k++) {
            int b = piece_root(parent, s->faces[f][k]);
            parent[b] = a;
        }
    }
    for (int i = 0; i < s->n_vertices; i++) {
        area[piece_root(parent, i)] += s->area[i];
    }
    /* the greatest few by name, the rest as one more */
    enum { NUMBERED = 16 };
    for (int k = 0; k < NUMBERED; k++) {
        int most = -1;
        for (int i = 0; i < s->n_vertices; i++) {
            if (area[i] > 0 && (most < 0 || area[i] > area[most])) {
                most = i;
            }
        }
        if (most < 0) {
            break;
        }
        area[most] = 0;
        work->piece[most] = k;
        work->n_pieces = k + 1;
    }
    for (int i = 0; i < s->n_vertices; i++) {
        int root = piece_root(parent, i);
        work->list[i] = work->piece[root] >= 0 ? work->piece[root] : NUMBERED;
    }
    for (int i = 0; i < s->n_vertices; i++) {
        work->piece[i] = work->list[i];
    }
}

/* Normals that roughness of a fine mesh changes less: each vertex's, averaged over its neighbours'
 * as often as makes the average about 0.6 % of the bone wide. */
static void smooth_normals(fb_bone_work *work, fb_arena *arena) {
    enum { MOST_ROUNDS = 8 };
    const fb_surface *s = work->surface;
    size_t n = (size_t)s->n_vertices;
    double(*sums)[3] = fb_arena_array(arena, n, sizeof *sums);
    work->normals = fb_arena_array(arena, n, sizeof *work->normals);
    memcpy(work->normals, s->normals, n * sizeof *sums);
    double edge = sqrt(2.3 * s->total_area / fb_greater(s->n_faces, 1));
    double rounds = pow(0.006 * work->size / edge, 2);
    for (int round = 0; round < MOST_ROUNDS && round + 0.5 < rounds; round++) {
        memset(sums, 0, n * sizeof *sums);
        for (int f = 0; f < s->n_faces; f++) {
            const int *v = s->faces[f];
            double sum[3];
            fb_v3_add(sum, work->normals[v[0]], work->normals[v[1]]);
            fb_v3_add(sum, sum, work->normals[v[2]]);
            for (int k = 0; k < 3; k++) {
                fb_v3_add(sums[v[k]], sums[v[k]], sum);
            }
        }
        for (size_t i = 0; i < n; i++) {
            if (fb_v3_normalize(sums[i]) > 0) {
                fb_v3_copy(work->normals[i], sums[i]);
            }
        }
    }
}

/* The extent along the principal axes, and the pieces. */
static bool start_work(fb_bone_work *work, const fb_surface *surface, fb_arena *arena) {
    double deviation[3];
    work->surface = surface;
    fb_surface_axes(surface, work->axes, deviation);
    for (int k = 0; k < 3; k++) {
        work->low[k] = HUGE_VAL;
        work->high[k] = -HUGE_VAL;
        for (int i = 0; i < surface->n_vertices; i++) {
            double d[3];
            fb_v3_sub(d, surface->vertices[i], surface->center);
            double h = fb_v3_dot(d, work->axes + 3 * k);
            work->low[k] = fb_lesser(work->low[k], h);
            work->high[k] = fb_greater(work->high[k], h);
        }
        work->size = fb_greater(work->size, work->high[k] - work->low[k]);
    }
    size_t n = (size_t)surface->n_vertices;
    work->list = fb_arena_array(arena, n, sizeof *work->list);
    work->kept = fb_arena_array(arena, n, sizeof *work->kept);
    work->points = fb_arena_array(arena, n, sizeof *work->points);
    find_pieces(work, arena);
    smooth_normals(work, arena);
    return work->size > 0;
}

static const char *side_word(char side) {
    return side == 'r' ? "right" : side == 'l' ? "left" : "";
}

/* The work of fb_bone_landmarks, with memory that lasts for the call. */
static int find_landmarks(fb_bone_work *work, const fb_surface *surface, fb_bone_kind kind,
                          fb_diag *diag, fb_arena *arena) {
    const fb_place place = {NULL, 0, work->body, NULL};
    if (kind >= FB_BONE_KIND_COUNT || finders[kind] == NULL) {
        fb_m3_identity(work->frame.axes); /* a kind without landmarks */
        fb_v3_copy(work->frame.origin, surface->center);
        return 0;
    }
    if (!start_work(work, surface, arena) || !finders[kind](work)) {
        fb_diag_add(diag, FB_ERROR, FB2310, place, NULL, "the surface of '%s' is no %s: %s",
                    work->body, fb_bone_word(kind),
                    work->failure != NULL ? work->failure : "it has no extent");
        return -1;
    }
    if (work->side != 0 && work->found != 0 && work->found != work->side && work->sure >= 1.5) {
        fb_diag_add(diag, FB_ERROR, FB2310, place, NULL,
                    "the surface of '%s' is a %s %s, not a %s one: it is mirrored, or the sides "
                    "are exchanged",
                    work->body, side_word(work->found), fb_bone_word(kind), side_word(work->side));
        return -1;
    }
    return work->n_fits;
}

int fb_bone_landmarks(const fb_surface *surface, fb_bone_kind kind, char side, const char *body,
                      fb_bone_frame *frame, fb_features *features, fb_bone_fit *fits,
                      fb_diag *diag) {
    fb_arena arena;
    jmp_buf oom;
    fb_bone_work work = {.body = body, .side = side, .fits = fits};
    fb_features found; /* added only if all went well */
    fb_features_init(&found);
    fb_arena_init(&arena);
    volatile int n = -1;
    if (setjmp(oom) != 0) {
        fb_diag_add(diag, FB_ERROR, FB1003, (fb_place){0}, NULL, "memory ran out");
    } else {
        arena.oom = &oom;
        found.arena.oom = &oom;
        work.features = &found;
        n = find_landmarks(&work, surface, kind, diag, &arena);
        for (size_t i = 0; n >= 0 && i < found.n && features != NULL; i++) {
            fb_features_add(features, &found.items[i]);
        }
        if (n >= 0 && frame != NULL) {
            *frame = work.frame;
        }
    }
    fb_features_free(&found);
    fb_arena_clear(&arena);
    return n;
}

int fb_bone_side(const fb_surface *surface, fb_bone_kind kind, char *side, double *sure) {
    fb_arena arena;
    jmp_buf oom;
    fb_bone_work work = {.body = ""};
    volatile int found = -1;
    *side = 0;
    *sure = 1;
    if (finders[kind] == NULL) {
        return -1;
    }
    fb_arena_init(&arena);
    if (setjmp(oom) == 0) {
        arena.oom = &oom;
        found = start_work(&work, surface, &arena) && finders[kind](&work);
        if (found && work.found != 0) {
            *side = work.found;
            *sure = work.sure;
        }
    }
    fb_arena_clear(&arena);
    return found;
}
