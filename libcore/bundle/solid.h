/* A closed surface as the cubes of a grid whose centres are inside it. */
#ifndef FB_BUNDLE_SOLID_H
#define FB_BUNDLE_SOLID_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Triangles of a surface, somebody else's; closed, or nearly. */
typedef struct fb_shell {
    const double (*vertices)[3]; /* m */
    const int (*faces)[3];       /* checked numbers of vertices, all the same way round */
    size_t n_vertices, n_faces;
} fb_shell;

typedef struct fb_solid {
    double low[3], h; /* centre of cube (0, 0, 0), m; side of a cube, m */
    int n[3];
    unsigned char *inside; /* [n[2]][n[1]][n[0]]: 1 or 0; the outermost cubes are 0 */
    size_t count;          /* of cubes that are inside */
} fb_solid;

/* The volume that they enclose, m^3: of either way round, by the divergence theorem. */
double fb_shell_volume(const fb_shell *mesh);

/* Fills `solid`, to be freed with fb_solid_free: a cube is inside if a line along z from far below
 * to its centre crosses the surface an odd number of times. h > 0. Returns NULL, or a sentence
 * (static): no memory, more cubes than 50 million, nothing inside. */
const char *fb_solid_make(fb_solid *solid, const fb_shell *mesh, double h);
void fb_solid_free(fb_solid *solid);

/* The centre of the cube with a number in `inside`. */
void fb_solid_centre(const fb_solid *solid, size_t cube, double *place);

#ifdef __cplusplus
}
#endif
#endif
