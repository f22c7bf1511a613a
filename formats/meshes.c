#include "formats/meshes.h"

#include <string.h>
#include <sys/stat.h>

#include "libcore/base/table.h"
#include "libcore/model/check.h"

typedef struct search {
    fb_arena arena;
    const char **folders;
    int n;
    fb_table seen; /* file names that were looked for already */
    fb_diag *diag;
} search;

static bool exists(search *s, const char *folder, const char *name) {
    struct stat info;
    const char *path = *folder ? fb_arena_printf(&s->arena, "%s/%s", folder, name) : name;
    return path && stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

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
    char *name = fb_arena_dup(&s->arena, file);
    for (char *c = name; *c; c++) {
        if (*c == '\\') {
            *c = '/';
        }
    }
    char *places = fb_arena_dup(&s->arena, "");
    for (int i = 0; i < s->n; i++) {
        if (exists(s, name[0] == '/' ? "" : s->folders[i], name)) {
            return;
        }
        places = fb_arena_printf(&s->arena, "%s%s%s", places, i ? ", " : "",
                                 *s->folders[i] ? s->folders[i] : ".");
    }
    fb_diag_add(s->diag, FB_WARNING, FB2304, fb_element_place(element),
                "it is not shown", "the mesh '%s' is in none of: %s", file, places);
}

void fb_meshes_check(const fb_model *model, const char *const *folders, int n, fb_diag *diag) {
    search s = {.diag = diag};
    fb_arena_init(&s.arena);
    jmp_buf oom;
    if (setjmp(oom)) {
        diag->out_of_memory = 1;
    } else {
        s.arena.oom = &oom;
        s.seen.arena = &s.arena;
        s.folders = fb_arena_array(&s.arena, (size_t)n + 2, sizeof *s.folders);
        const char *file = model->file ? model->file : "", *slash = strrchr(file, '/');
        const char *folder = fb_arena_text(&s.arena, file, slash ? (size_t)(slash - file) : 0);
        s.folders[s.n++] = folder;
        s.folders[s.n++] = *folder ? fb_arena_printf(&s.arena, "%s/Geometry", folder) : "Geometry";
        for (int i = 0; i < n; i++) {
            s.folders[s.n++] = folders[i];
        }
        fb_visit_model(model, look_for, &s);
    }
    fb_arena_clear(&s.arena);
}
