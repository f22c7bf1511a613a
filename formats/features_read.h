/* What the readers of files of feature points share; internal to formats. */
#ifndef FB_FORMATS_FEATURES_READ_H
#define FB_FORMATS_FEATURES_READ_H

#include "formats/features.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Reads into `features` or `pairs`, the other is NULL. Coordinates stay in the file's unit until
 * the end. */
typedef struct fb_feature_reader {
    fb_features *features;
    fb_pairs *pairs;
    fb_arena *arena; /* theirs */
    const char *bytes, *file;
    size_t size;
    const fb_feature_options *options;
    fb_feature_file *found; /* two, of pairs */
    fb_unit said;           /* the unit that the file states; DETECT: none */
    bool by_habit;          /* it is only what such files usually are in */
    fb_diag *diag;
    int line; /* where it is */
    bool failed;
} fb_feature_reader;

/* Adds an error at the reader's line. */
void fb_feature_wrong(fb_feature_reader *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Adds a point; without a body (NULL or "") that of the options, or that of a name "body/name". An
 * error if there is none. */
void fb_feature_put(fb_feature_reader *r, const char *body, const char *name, const double *x,
                    double weight);
/* Adds a point of a 3D Slicer file, in RAS or LPS, turned to the mesh's frame. */
void fb_feature_put_slicer(fb_feature_reader *r, const char *name, double *x, bool ras);

/* CSV of points or pairs; .fcsv; markers of models and marker sets. */
void fb_features_read_table(fb_feature_reader *r);
void fb_features_read_fcsv(fb_feature_reader *r);
void fb_features_read_markers(fb_feature_reader *r);

#ifdef __cplusplus
}
#endif
#endif
