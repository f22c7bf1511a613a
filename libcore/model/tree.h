/* A model's lists as OpenSim's tree of components: which element is owned by which. */
#ifndef FB_MODEL_TREE_H
#define FB_MODEL_TREE_H

#include "libcore/base/table.h"
#include "libcore/model/model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fb_tree {
    fb_arena arena;
    fb_table children; /* parent path -> elements, in their order */
} fb_tree;

/* Builds the tree of a model whose elements have their paths. Elements whose owner does not exist
 * count as members of their list's usual set. FB_E_MEMORY if memory runs out. */
fb_status fb_tree_init(fb_tree *tree, const fb_model *model);
void fb_tree_clear(fb_tree *tree);
/* The next child of a path ("/forceset", "/bodyset/femur", "" for the model's own components). */
fb_element *fb_tree_next(const fb_tree *tree, const char *path, const fb_table_entry **at);

/* The sets of a model in the order in which an .osim holds them: {"BodySet", "/bodyset"}, ..;
 * "components" has the path "". Ends with NULL. */
typedef struct fb_set {
    const char *tag, *path;
} fb_set;
extern const fb_set fb_sets[];

/* True if components of that owner stand in its property <frames>, not <components>. */
bool fb_owns_frames(const fb_element *element);

/* Sorts the lists, and numbers the elements, into the order in which an .osim is written: the same
 * for every file that holds the same things. Also sorts groups and comments. */
fb_status fb_model_sort(fb_model *model);

#ifdef __cplusplus
}
#endif
#endif
