#include "formats/meshes.h"

#include <string.h>

#include "formats/text.h"
#include "libcore/base/table.h"
#include "libcore/model/check.h"

const char *fb_mesh_find(fb_arena *arena, const fb_model *model, const char *name,
                         const char *const *folders, int n) {
    const char *file = model->file ? model->file : "";
    const char *own = fb_file_beside(arena, "", name), *path = fb_file_beside(arena, file, own);
    for (int i = -1; i <= n; i++) {
        if (fb_is_file(path)) {
            return path;
        }
        if (i == n || own[0] == '/') {
            break;
        }
        path = i < 0 ? fb_file_beside(arena, file, fb_arena_printf(arena, "Geometry/%s", own))
                     : fb_arena_printf(arena, "%s/%s", folders[i], own);
    }
    return NULL;
}

typedef struct search {
    fb_arena arena;
    const fb_model *model;
    const char *const *folders;
    int n;
    const char *places; /* all folders, for messages */
    fb_table seen;      /* file names that were looked for already */
    fb_diag *diag;
} search;

static void look_for(const fb_element *element, void *context) {
    search *s = context;
    const char *file = strcmp(element->cls->name, "Mesh") == 0 ? fb_get_string(element, "mesh")
                       : strcmp(element->cls->name, "ContactMesh") == 0
                           ? fb_get_string(element, "file")
                           : NULL;
    if (!file || !*file || fb_table_find(&s->seen, file)) {
        return;
    }
    fb_table_add(&s->seen, file, s);
    if (!fb_mesh_find(&s->arena, s->model, file, s->folders, s->n)) {
        fb_diag_add(s->diag, FB_WARNING, FB2304, fb_element_place(element), "it is not shown",
                    "the mesh '%s' is in none of: %s", file, s->places);
    }
}

/* The folders that are searched, with commas between. */
static const char *list_places(search *s) {
    const char *file = s->model->file ? s->model->file : "", *slash = strrchr(file, '/');
    const char *places = slash
                             ? fb_arena_printf(&s->arena, "%.*s, %.*s/Geometry",
                                               (int)(slash - file), file, (int)(slash - file), file)
                             : "., Geometry";
    for (int i = 0; i < s->n; i++) {
        places = fb_arena_printf(&s->arena, "%s, %s", places, s->folders[i]);
    }
    return places;
}

void fb_meshes_check(const fb_model *model, const char *const *folders, int n, fb_diag *diag) {
    search s = {.model = model, .folders = folders, .n = n, .diag = diag};
    fb_arena_init(&s.arena);
    jmp_buf oom;
    if (setjmp(oom)) {
        diag->out_of_memory = 1;
    } else {
        s.arena.oom = &oom;
        s.seen.arena = &s.arena;
        s.places = list_places(&s);
        fb_visit_model(model, look_for, &s);
    }
    fb_arena_clear(&s.arena);
}
