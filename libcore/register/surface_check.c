/* What is wrong with a file's triangles, and the mending of what can be mended: equal vertices are
 * welded, faces without area left out, neighbours made to agree on what is outside, pieces turned
 * outward, holes found. */
#include "libcore/base/spatial.h"
#include "libcore/register/surface_internal.h"

#include <limits.h>
#include <stdint.h>
#include <string.h>

#define FLAT 1e-9 /* volume of a piece that encloses none, relative to its area to the 3/2 */

/* A face's edge, filed under the lesser of its two vertices. */
typedef struct edge_use {
    int other; /* the greater vertex */
    int face, corner;
    bool forward; /* the face runs from the lesser to the greater */
} edge_use;

typedef struct edge_table {
    int *start; /* n_vertices + 1 */
    edge_use *uses;
} edge_table;

double fb_surface_volume6(const double *o, const double *a, const double *b, const double *c) {
    double u[3], v[3], w[3], n[3];
    fb_v3_sub(u, a, o);
    fb_v3_sub(v, b, o);
    fb_v3_sub(w, c, o);
    fb_v3_cross(n, u, v);
    return fb_v3_dot(n, w);
}

static uint64_t hash_place(const double *p) {
    uint64_t h = 0x9e3779b97f4a7c15u, bits;
    for (int k = 0; k < 3; k++) {
        memcpy(&bits, &p[k], sizeof bits);
        h = (h ^ bits) * 0xff51afd7ed558ccdu;
        h ^= h >> 32;
    }
    return h;
}

/* The first vertex at each one's place. `copy` gets the places in metres, -0 made 0. */
static void weld(int *first, double (*copy)[3], const double (*vertices)[3], size_t n, double scale,
                 fb_arena *scratch) {
    size_t size = 16;
    while (size < 2 * n) {
        size *= 2;
    }
    int *slots = fb_arena_array(scratch, size, sizeof *slots);
    for (size_t i = 0; i < n; i++) {
        for (int k = 0; k < 3; k++) {
            copy[i][k] = vertices[i][k] * scale + 0.0;
        }
        size_t slot = hash_place(copy[i]) & (size - 1);
        while (slots[slot] && memcmp(copy[slots[slot] - 1], copy[i], sizeof copy[i]) != 0) {
            slot = (slot + 1) & (size - 1);
        }
        if (!slots[slot]) {
            slots[slot] = (int)i + 1;
        }
        first[i] = slots[slot] - 1;
    }
}

static bool has_area(const double *a, const double *b, const double *c) {
    double u[3], v[3], n[3];
    fb_v3_sub(u, b, a);
    fb_v3_sub(v, c, a);
    fb_v3_cross(n, u, v);
    double longest = fb_greater(fb_v3_dot(u, u), fb_v3_dot(v, v));
    return fb_v3_norm(n) > 1e-12 * longest; /* far below what a file's digits can tell */
}

/* Copies the faces that have area, and the vertices that they use. */
static void gather(fb_surface *s, const double (*vertices)[3], size_t n_vertices,
                   const int (*faces)[3], size_t n_faces, double scale, fb_arena *scratch) {
    int *first = fb_arena_array(scratch, n_vertices, sizeof *first);
    int *number = fb_arena_array(scratch, n_vertices, sizeof *number);
    double(*copy)[3] = fb_arena_array(scratch, n_vertices, sizeof *copy);
    weld(first, copy, vertices, n_vertices, scale, scratch);
    s->faces = fb_arena_array(&s->arena, n_faces, sizeof *s->faces);
    s->vertices = fb_arena_array(&s->arena, n_vertices, sizeof *s->vertices);
    for (size_t f = 0; f < n_faces; f++) {
        int c[3] = {first[faces[f][0]], first[faces[f][1]], first[faces[f][2]]};
        if (c[0] == c[1] || c[1] == c[2] || c[2] == c[0] ||
            !has_area(copy[c[0]], copy[c[1]], copy[c[2]])) {
            s->n_degenerate++;
            continue;
        }
        for (int k = 0; k < 3; k++) {
            if (!number[c[k]]) {
                fb_v3_copy(s->vertices[s->n_vertices], copy[c[k]]);
                number[c[k]] = ++s->n_vertices;
            }
            s->faces[s->n_faces][k] = number[c[k]] - 1;
        }
        s->n_faces++;
    }
}

static void file_edges(edge_table *table, const fb_surface *s, fb_arena *scratch) {
    size_t n = (size_t)s->n_vertices;
    table->start = fb_arena_array(scratch, n + 2, sizeof *table->start);
    table->uses = fb_arena_array(scratch, 3 * (size_t)s->n_faces, sizeof *table->uses);
    int *start = table->start + 1; /* shifted while filling: ends up as the starts */
    for (int f = 0; f < s->n_faces; f++) {
        for (int k = 0; k < 3; k++) {
            int a = s->faces[f][k], b = s->faces[f][(k + 1) % 3];
            start[(a < b ? a : b) + 1]++;
        }
    }
    for (size_t i = 0; i < n; i++) {
        start[i + 1] += start[i];
    }
    for (int f = 0; f < s->n_faces; f++) {
        for (int k = 0; k < 3; k++) {
            int a = s->faces[f][k], b = s->faces[f][(k + 1) % 3];
            edge_use use = {a < b ? b : a, f, k, a < b};
            table->uses[start[a < b ? a : b]++] = use;
        }
    }
}

/* Sorts each vertex's few uses by the other end, so that one edge's uses stand together. */
static void sort_edges(edge_table *table, int n_vertices) {
    for (int v = 0; v < n_vertices; v++) {
        edge_use *use = table->uses + table->start[v];
        int n = table->start[v + 1] - table->start[v];
        for (int i = 1; i < n; i++) {
            edge_use one = use[i];
            int j = i;
            while (j > 0 && use[j - 1].other > one.other) {
                use[j] = use[j - 1];
                j--;
            }
            use[j] = one;
        }
    }
}

/* Neighbours over edges of two faces; counts the other kinds of edges. `against` (bits by corner)
 * tells over which edges the neighbour runs the same way, which neighbours that agree do not. */
static void neighbours(fb_surface *s, const edge_table *table, unsigned char *against) {
    s->n_open = s->n_non_manifold = 0;
    for (int v = 0; v < s->n_vertices; v++) {
        for (int i = table->start[v]; i < table->start[v + 1];) {
            const edge_use *a = &table->uses[i], *b = a + 1;
            int n = 1;
            while (i + n < table->start[v + 1] && a[n].other == a->other) {
                n++;
            }
            if (n == 2) {
                s->tree->beside[a->face][a->corner] = b->face;
                s->tree->beside[b->face][b->corner] = a->face;
                if (a->forward == b->forward) {
                    against[a->face] |= (unsigned char)(1 << a->corner);
                    against[b->face] |= (unsigned char)(1 << b->corner);
                }
            } else {
                for (int k = 0; k < n; k++) {
                    s->tree->beside[a[k].face][a[k].corner] = n == 1 ? -1 : -2;
                }
                s->n_open += n == 1;
                s->n_non_manifold += n > 2;
            }
            i += n;
        }
    }
}

/* Walks each piece (over edges of two faces), noting its number and whether each face must be
 * turned to agree with most of it. */
static int walk_pieces(fb_surface *s, const unsigned char *against, int *piece, bool *turn,
                       int *queue) {
    int n = 0;
    memset(piece, 0xff, (size_t)s->n_faces * sizeof *piece);
    for (int seed = 0; seed < s->n_faces; seed++) {
        if (piece[seed] >= 0) {
            continue;
        }
        int head = 0, tail = 0, turned = 0;
        queue[tail++] = seed;
        piece[seed] = n;
        while (head < tail) {
            int f = queue[head++];
            turned += turn[f];
            for (int k = 0; k < 3; k++) {
                int g = s->tree->beside[f][k];
                if (g >= 0 && piece[g] < 0) {
                    piece[g] = n;
                    turn[g] = turn[f] != ((against[f] >> k & 1) != 0);
                    queue[tail++] = g;
                }
            }
        }
        bool most = 2 * turned > tail;
        s->n_turned += most ? tail - turned : turned;
        for (int i = 0; most && i < tail; i++) {
            turn[queue[i]] = !turn[queue[i]];
        }
        n++;
    }
    return n;
}

static void turn_face(fb_surface *s, int f) {
    int *c = s->faces[f], *beside = s->tree->beside[f], keep = c[1];
    c[1] = c[2];
    c[2] = keep;
    /* edges 0-1, 1-2, 2-0 become 0-2, 2-1, 1-0 */
    keep = beside[0];
    beside[0] = beside[2];
    beside[2] = keep;
}

static int root(int *parent, int i) {
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

/* Numbers the holes: rims that hang together, and their middles (weighted by length). */
static void find_rims(fb_surface *s, fb_arena *scratch) {
    fb_surface_tree *tree = s->tree;
    int *parent = fb_arena_array(scratch, (size_t)s->n_vertices, sizeof *parent);
    tree->rim_of = fb_arena_array(&s->arena, (size_t)s->n_vertices, sizeof *tree->rim_of);
    tree->rim = fb_arena_array(&s->arena, (size_t)s->n_vertices, sizeof *tree->rim);
    for (int i = 0; i < s->n_vertices; i++) {
        parent[i] = i;
        tree->rim_of[i] = -1;
    }
    for (int f = 0; f < s->n_faces; f++) {
        for (int k = 0; k < 3; k++) {
            if (tree->beside[f][k] == -1) {
                int a = s->faces[f][k], b = s->faces[f][(k + 1) % 3];
                tree->rim[a] = tree->rim[b] = 1;
                parent[root(parent, a)] = root(parent, b);
            }
        }
    }
    for (int i = 0; i < s->n_vertices; i++) {
        if (tree->rim[i] && root(parent, i) == i) {
            tree->rim_of[i] = tree->n_rims++;
        }
    }
    tree->rim_centers = fb_arena_array(&s->arena, (size_t)tree->n_rims + 1, 3 * sizeof(double));
    double *length = fb_arena_array(scratch, (size_t)tree->n_rims + 1, sizeof *length);
    for (int i = 0; i < s->n_vertices; i++) {
        if (tree->rim[i]) {
            tree->rim_of[i] = tree->rim_of[root(parent, i)];
        }
    }
    for (int f = 0; f < s->n_faces; f++) {
        for (int k = 0; k < 3; k++) {
            if (tree->beside[f][k] == -1) {
                int a = s->faces[f][k], b = s->faces[f][(k + 1) % 3], r = tree->rim_of[a];
                double l = fb_v3_distance(s->vertices[a], s->vertices[b]);
                fb_v3_madd(tree->rim_centers[r], 0.5 * l, s->vertices[a]);
                fb_v3_madd(tree->rim_centers[r], 0.5 * l, s->vertices[b]);
                length[r] += l;
            }
        }
    }
    for (int r = 0; r < tree->n_rims; r++) {
        fb_v3_scale(tree->rim_centers[r], 1 / length[r], tree->rim_centers[r]);
    }
}

/* Six times the volume under a face, and under the fans over its open edges. */
static double face_volume6(const fb_surface *s, const double *origin, int f) {
    const int *c = s->faces[f];
    double volume = fb_surface_volume6(origin, s->vertices[c[0]], s->vertices[c[1]],
                                       s->vertices[c[2]]);
    for (int k = 0; k < 3; k++) {
        if (s->tree->beside[f][k] == -1) {
            int a = c[k], b = c[(k + 1) % 3];
            volume += fb_surface_volume6(origin, s->vertices[b], s->vertices[a],
                                         s->tree->rim_centers[s->tree->rim_of[a]]);
        }
    }
    return volume;
}

/* How often a piece of the surface goes around a point (van Oosterom and Strackee 1983). */
static double winding_of_piece(const fb_surface *s, const int *piece, int which,
                               const double *point) {
    double sum = 0;
    for (int f = 0; f < s->n_faces; f++) {
        if (piece[f] != which) {
            continue;
        }
        double u[3][3], l[3], n[3];
        for (int k = 0; k < 3; k++) {
            fb_v3_sub(u[k], s->vertices[s->faces[f][k]], point);
            l[k] = fb_v3_norm(u[k]);
        }
        fb_v3_cross(n, u[0], u[1]);
        sum += atan2(fb_v3_dot(n, u[2]), l[0] * l[1] * l[2] + fb_v3_dot(u[0], u[1]) * l[2] +
                                             fb_v3_dot(u[1], u[2]) * l[0] +
                                             fb_v3_dot(u[2], u[0]) * l[1]);
    }
    return sum / (2 * M_PI);
}

/* Turns each piece outward. A piece within another that looks the other way is the wall of a
 * cavity and stays so. */
static void turn_outward(fb_surface *s, const int *piece, fb_arena *scratch) {
    size_t n = (size_t)s->n_pieces;
    double *volume = fb_arena_array(scratch, n, sizeof *volume);
    double *area = fb_arena_array(scratch, n, sizeof *area);
    int *seed = fb_arena_array(scratch, n, sizeof *seed);
    bool *turn = fb_arena_array(scratch, n, sizeof *turn);
    double total = 0;
    for (int f = s->n_faces; f-- > 0;) {
        seed[piece[f]] = f;
    }
    for (int f = 0; f < s->n_faces; f++) {
        /* a piece that ends at a wall has no rim there: seen from itself that matters least */
        const double *origin = s->vertices[s->faces[seed[piece[f]]][0]];
        const int *c = s->faces[f];
        double u[3], v[3], normal[3];
        fb_v3_sub(u, s->vertices[c[1]], s->vertices[c[0]]);
        fb_v3_sub(v, s->vertices[c[2]], s->vertices[c[0]]);
        fb_v3_cross(normal, u, v);
        area[piece[f]] += fb_v3_norm(normal);
        volume[piece[f]] += face_volume6(s, origin, f);
    }
    int greatest = 0;
    for (int i = 0; i < s->n_pieces; i++) {
        if (fabs(volume[i]) < FLAT * area[i] * sqrt(area[i])) {
            volume[i] = 0; /* a flat sheet has no inside: left as it is */
        }
        total += volume[i];
        greatest = fabs(volume[i]) > fabs(volume[greatest]) ? i : greatest;
    }
    s->inside_out = total < 0;
    for (int i = 0; i < s->n_pieces; i++) {
        turn[i] = volume[i] < 0;
        /* only the greatest piece is asked for cavities: bones are not nested deeper */
        if (i != greatest && (volume[i] < 0) != (volume[greatest] < 0)) {
            const double *inner = s->vertices[s->faces[seed[i]][0]];
            bool cavity = fabs(winding_of_piece(s, piece, greatest, inner)) > 0.5;
            turn[i] = cavity ? volume[i] > 0 : turn[i];
        }
    }
    for (int f = 0; f < s->n_faces; f++) {
        if (turn[piece[f]]) {
            turn_face(s, f);
        }
    }
}

bool fb_surface_clean(fb_surface *s, const double (*vertices)[3], size_t n_vertices,
                      const int (*faces)[3], size_t n_faces, double scale) {
    fb_arena scratch;
    fb_arena_init(&scratch);
    jmp_buf oom, *outer = s->arena.oom;
    if (setjmp(oom)) {
        fb_arena_clear(&scratch);
        longjmp(*outer, 1);
    }
    scratch.oom = &oom;
    s->arena.oom = &oom;
    gather(s, vertices, n_vertices, faces, n_faces, scale, &scratch);
    if (s->n_faces > 0) {
        size_t n = (size_t)s->n_faces;
        edge_table table;
        s->tree->beside = fb_arena_array(&s->arena, n, sizeof *s->tree->beside);
        unsigned char *against = fb_arena_array(&scratch, n, 1);
        bool *turn = fb_arena_array(&scratch, n, sizeof *turn);
        int *piece = fb_arena_array(&scratch, n, sizeof *piece);
        int *queue = fb_arena_array(&scratch, n, sizeof *queue);
        file_edges(&table, s, &scratch);
        sort_edges(&table, s->n_vertices);
        neighbours(s, &table, against);
        s->n_pieces = walk_pieces(s, against, piece, turn, queue);
        for (int f = 0; f < s->n_faces; f++) {
            if (turn[f]) {
                turn_face(s, f);
            }
        }
        find_rims(s, &scratch);
        turn_outward(s, piece, &scratch);
    }
    s->arena.oom = outer;
    fb_arena_clear(&scratch);
    return s->n_faces > 0;
}

static void tell(const char *name, fb_diag *diag, int n, const char *effect, const char *what) {
    if (n > 0) {
        fb_diag_add(diag, FB_WARNING, FB2312, (fb_place){name, 0, NULL, NULL}, effect, "%d %s", n,
                    what);
    }
}

void fb_surface_tell(const fb_surface *s, const char *name, fb_diag *diag) {
    tell(name, diag, s->n_open,
         "holes count as closed by fans for volume, mass and what is inside; close them in the "
         "program that made the mesh",
         "edges of the surface have one face: it is open");
    tell(name, diag, s->n_non_manifold,
         "what is inside is doubtful there; remove inner walls and doubled faces",
         "edges of the surface have more than two faces");
    tell(name, diag, s->n_degenerate, "they are left out", "faces of the surface have no area");
    tell(name, diag, s->n_turned, "they are turned; orient the faces of the mesh alike",
         "faces of the surface stood against their neighbours");
    if (s->inside_out) {
        fb_diag_add(diag, FB_WARNING, FB2312, (fb_place){name, 0, NULL, NULL},
                    "all are turned; if the mesh was mirrored, it is the other side's bone",
                    "the faces of the surface look inward");
    }
}
