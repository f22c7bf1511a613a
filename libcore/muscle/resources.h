/* What files hold that a model names, as compiling a simulation asks for it. Reading files is not
 * this library's part: formats/resources.h has callbacks that do. */
#ifndef FB_MUSCLE_RESOURCES_H
#define FB_MUSCLE_RESOURCES_H

#include "libcore/motion/function.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A surface of triangles, whose corners run anticlockwise seen from outside. */
typedef struct fb_triangles {
    const double (*vertices)[3]; /* m, in the frame of the shape */
    const int (*faces)[3];       /* numbers of vertices */
    int n_vertices, n_faces;
} fb_triangles;

/* A function of time with a name, such as a column of a table. */
typedef struct fb_series {
    const char *name;
    fb_function function;
} fb_series;

/* Each callback fills its result and returns NULL, or returns a reason that completes a sentence
 * ("its file 'x' cannot be found"). Results and reasons live as long as the context. A callback may
 * be NULL: then there are no such files. */
typedef struct fb_resources {
    void *context;
    /* The triangles of a ContactMesh. */
    const char *(*triangles)(void *context, const fb_element *mesh, fb_triangles *result);
    /* The n controls over time of a controller's controls_file, named by their actuators. */
    const char *(*controls)(void *context, const fb_element *controller, const fb_series **result,
                            int *n);
    /* The caller applies the model's ExternalForces, as fb_loads, from their data. */
    bool has_external_forces;
} fb_resources;

#ifdef __cplusplus
}
#endif
#endif
