/* Which mesh files a skeleton's folder has, and which bodies they are; internal to formats. */
#ifndef FB_FORMATS_SKELETON_LIST_H
#define FB_FORMATS_SKELETON_LIST_H

#include "formats/skeleton.h"
#include "libcore/register/landmarks.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fb_mesh_entry {
    const char *file, *path, *body;
    fb_unit unit; /* DETECT: not said */
    bool guessed; /* the body */
    int line;
} fb_mesh_entry;

/* Zeroed but for the arena, the diagnosis and the options, it is empty. */
typedef struct fb_mesh_list {
    fb_arena *arena;
    fb_diag *diag;
    const fb_skeleton_options *options;
    fb_mesh_entry *items;
    size_t n, capacity;
    fb_unit unit; /* of all that say none */
    int left_out; /* bones that the standard body does not have */
    bool no_memory;
    const char *file; /* meshes.json; NULL: there is none */
    const char *folder;
    const char **names; /* of the folder's mesh files, sorted */
    size_t n_names, capacity_names;
} fb_mesh_list;

/* Reads meshes.json of a folder, or the .json file that `folder` is, or else lists the folder's
 * mesh files and guesses their bodies. False with an error for each thing that is wrong. */
bool fb_mesh_list_read(fb_mesh_list *list, const char *folder);
/* The body that a mesh file is by its name, in the arena; "" if its name does not say what it is,
 * NULL with an error at `line` of the list if it does and that is not clear. */
const char *fb_mesh_list_guess(fb_mesh_list *list, const char *file, int line);
/* The body that a mesh is by what its shape says; NULL with an error that names the candidates. */
const char *fb_mesh_list_by_shape(fb_mesh_list *list, const char *file, fb_bone_guess guess,
                                  int line);

#ifdef __cplusplus
}
#endif
#endif
