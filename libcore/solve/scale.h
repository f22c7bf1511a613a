/* A model scaled to a subject as OpenSim's ScaleTool does it: factors along the axes of each body.
 *
 * What OpenSim scales, and no more: frames, markers, path points, wrap objects, translations of
 * joints, masses and inertias, and the lengths of muscles and springs by the lengths of their paths
 * in the default pose. Contact geometry, points of constraints and paths given by functions stay as
 * they are (each is told). register/carry.h carries a model to another skeleton by maps of any
 * kind, by rules of its own. (ModelScaler.cpp and scale() of each class in OpenSim 4.5.2;
 * docs/theory.md)
 */
#ifndef FB_SOLVE_SCALE_H
#define FB_SOLVE_SCALE_H

#include "libcore/model/model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fb_body_scale {
    const char *body; /* name */
    double factor[3]; /* along the body's axes, > 0 */
} fb_body_scale;

typedef struct fb_scale_options {
    double mass;                     /* kg, of the whole model; <= 0: as it comes */
    bool preserve_mass_distribution; /* masses keep their ratios, else they go with volumes */
    bool as_opensim4;                /* path lengths as OpenSim 4.5.2 has them */
} fb_scale_options;

/* Changes a linked model that nobody else reads meanwhile. Bodies that `scales` does not name keep
 * their size. FB_E_INPUT with an error in `diag` (a factor that is not positive, a model without
 * mechanics, bodies without mass that are to have one), FB_E_MEMORY. */
fb_status fb_scale_model(fb_model *model, const fb_body_scale *scales, int n,
                         const fb_scale_options *options, fb_diag *diag);

/* Inertia (xx yy zz xy xz yz about the centre of mass) of a body with mass m that is scaled: the
 * same shape if all factors are the same, else that of a cylinder, as OpenSim has it. `with_mass`:
 * the mass goes with the volume. */
void fb_scale_inertia(double *inertia, double mass, const double *factor, bool with_mass);

#ifdef __cplusplus
}
#endif
#endif
