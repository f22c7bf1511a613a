/* Whether a mesh is closed and manifold, for the tests of surfaces and mesh files. */
#ifndef FB_TESTS_BUNDLE_CLOSED_H
#define FB_TESTS_BUNDLE_CLOSED_H

#include <stdlib.h>

#include "libcore/bundle/surface.h"

typedef struct closed {
    long open;    /* directed edges that stand twice, or without their opposite */
    long pinched; /* vertices whose faces are not one fan */
    long euler;   /* vertices - edges + faces */
    long unused;  /* vertices without a face */
} closed;

typedef struct directed {
    int from, to, face;
} directed;

static inline int by_edge(const void *p, const void *q) {
    const directed *a = p, *b = q;
    return a->from != b->from ? (a->from > b->from) - (a->from < b->from)
                              : (a->to > b->to) - (a->to < b->to);
}

static inline int corners_of(const int *face) {
    return face[3] >= 0 ? 4 : 3;
}

/* The corner before `at` in a face. */
static inline int corner_before(const int *face, int at) {
    int n = corners_of(face), k = 0;
    while (face[k] != at) {
        k++;
    }
    return face[(k + n - 1) % n];
}

static inline closed closed_of(const fb_mesh *mesh) {
    closed result = {0, 0, 0, 0};
    size_t n = 0;
    directed *edges = malloc((4 * mesh->n_faces + 1) * sizeof *edges);
    for (size_t i = 0; i < mesh->n_faces; i++) {
        int m = corners_of(mesh->faces[i]);
        for (int k = 0; k < m; k++) {
            edges[n++] = (directed){mesh->faces[i][k], mesh->faces[i][(k + 1) % m], (int)i};
        }
    }
    qsort(edges, n, sizeof *edges, by_edge);
    for (size_t i = 0; i < n; i++) {
        const directed back = {edges[i].to, edges[i].from, 0};
        result.open += i > 0 && by_edge(&edges[i - 1], &edges[i]) == 0;
        result.open += !bsearch(&back, edges, n, sizeof *edges, by_edge);
    }
    size_t used = 0;
    for (size_t i = 0; i < n && result.open == 0;) { /* around each vertex, from face to face */
        size_t end = i, turned = 0;
        while (end < n && edges[end].from == edges[i].from) {
            end++;
        }
        directed at = edges[i];
        do {
            const directed key = {at.from, corner_before(mesh->faces[at.face], at.from), 0};
            at = *(const directed *)bsearch(&key, edges, n, sizeof *edges, by_edge);
            turned++;
        } while (at.face != edges[i].face && turned <= end - i);
        result.pinched += turned != end - i;
        used++;
        i = end;
    }
    result.unused = (long)mesh->n_vertices - (long)used;
    result.euler = (long)used - (long)(n / 2) + (long)mesh->n_faces;
    free(edges);
    return result;
}

#endif
