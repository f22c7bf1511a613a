#include "formats/skeleton_list.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "formats/json.h"
#include "formats/mesh_read.h"
#include "libcore/register/landmarks.h"

#define CLEAR 1.7 /* a shape that is so many times nearer to one bone than to any other */

static void wrong(fb_mesh_list *list, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void wrong(fb_mesh_list *list, int line, const char *format, ...) {
    char text[600];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fb_diag_add(list->diag, FB_ERROR, FB1414,
                (fb_place){list->file ? list->file : list->folder, line, NULL, NULL}, NULL, "%s",
                text);
}

static bool same_path(const char *a, const char *b) {
    while (strncmp(a, "./", 2) == 0) {
        a += 2;
    }
    while (strncmp(b, "./", 2) == 0) {
        b += 2;
    }
    return strcmp(a, b) == 0;
}

/* ---- the folder ------------------------------------------------------------------------------ */

static int compare_names(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Names of the folder's mesh files; false with an error if there is no such folder. */
static bool list_folder(fb_mesh_list *list) {
    jmp_buf oom, *outer = list->arena->oom;
    DIR *const folder = opendir(*list->folder ? list->folder : ".");
    if (!folder) {
        wrong(list, 0,
              errno == ENOTDIR ? "it is neither a folder of meshes nor a list of them (.json)"
                               : "the folder cannot be opened: %s",
              strerror(errno));
        return false;
    }
    if (setjmp(oom)) {
        list->arena->oom = outer;
        closedir(folder);
        longjmp(*outer, 1);
    }
    list->arena->oom = &oom;
    for (struct dirent *e; (e = readdir(folder)) != NULL;) {
        if (e->d_name[0] != '.' && fb_is_mesh_file(e->d_name)) {
            const char *name = fb_arena_dup(list->arena, e->d_name);
            FB_PUSH(list->arena, list->names, list->n_names, list->capacity_names, name);
        }
    }
    list->arena->oom = outer;
    closedir(folder);
    if (list->n_names > 1) {
        qsort(list->names, list->n_names, sizeof *list->names, compare_names);
    }
    return true;
}

static const char *next_name(const void *context, int i) {
    const fb_mesh_list *list = context;
    return (size_t)i < list->n_names ? list->names[i] : NULL;
}

static const char *path_of(fb_mesh_list *list, const char *file) {
    return *file == '/' || !*list->folder
               ? file
               : fb_arena_printf(list->arena, "%s%s%s", list->folder,
                                 list->folder[strlen(list->folder) - 1] == '/' ? "" : "/", file);
}

/* ---- bodies ---------------------------------------------------------------------------------- */

static const char *next_body(const void *context, int i) {
    const fb_list *bodies = context;
    return (size_t)i < bodies->n ? bodies->items[i]->name : NULL;
}

/* Names of the standard's bodies, for messages. */
static const char *all_bodies(fb_mesh_list *list) {
    const fb_list *bodies = fb_model_items(list->options->standard, "bodies");
    const char *text = "";
    for (size_t i = 0; i < bodies->n && i < 12; i++) {
        text = fb_arena_printf(list->arena, "%s%s%s%s", text, i ? ", " : "", bodies->items[i]->name,
                               i == 11 && bodies->n > 12 ? ", .." : "");
    }
    return text;
}

/* A body that the list names must be one of the standard's. */
static bool check_body(fb_mesh_list *list, const char *body, int line) {
    if (!list->options->standard) {
        return true;
    }
    const fb_list *bodies = fb_model_items(list->options->standard, "bodies");
    for (size_t i = 0; i < bodies->n; i++) {
        if (strcmp(bodies->items[i]->name, body) == 0) {
            return true;
        }
    }
    const char *meant = fb_nearest_word(body, next_body, bodies);
    if (meant) {
        wrong(list, line, "the standard body has no body '%s'; is '%s' meant?", body, meant);
    } else {
        wrong(list, line, "the standard body has no body '%s'; it has %s", body, all_bodies(list));
    }
    return false;
}

/* ---- meshes.json ----------------------------------------------------------------------------- */

static bool read_unit(fb_mesh_list *list, const json_t *object, int line, fb_unit *unit) {
    const json_t *json = json_object_get(object, "unit");
    const char *word = json_string_value(json);
    if (json && (!word || (strcmp(word, "m") != 0 && strcmp(word, "mm") != 0))) {
        wrong(list, line, "a unit must be \"m\" or \"mm\"");
        return false;
    }
    *unit = !word ? FB_UNIT_DETECT : strcmp(word, "mm") == 0 ? FB_UNIT_MM : FB_UNIT_M;
    return true;
}

/* The file must be there, once. */
static bool check_file(fb_mesh_list *list, const fb_mesh_entry *e) {
    for (size_t i = 0; i < list->n; i++) {
        if (same_path(list->items[i].file, e->file)) {
            wrong(list, e->line, "the mesh '%s' is there already in line %d", e->file,
                  list->items[i].line);
            return false;
        }
    }
    if (fb_is_file(e->path)) {
        return true;
    }
    const char *meant = fb_nearest_word(e->file, next_name, list);
    wrong(list, e->line, "there is no mesh file '%s'%s%s%s", e->file, meant ? "; is '" : "",
          meant ? meant : "", meant ? "' meant?" : "");
    return false;
}

static bool read_entry(fb_mesh_list *list, const json_t *item, int line) {
    const char *file = json_string_value(json_object_get(item, "file"));
    const json_t *body = json_object_get(item, "body");
    fb_mesh_entry e = {.line = line};
    if (!file || !*file || (body && (!json_is_string(body) || !*json_string_value(body)))) {
        wrong(list, line, "each of the meshes must be an object with the texts 'file' and 'body'");
        return false;
    }
    char *name = fb_arena_dup(list->arena, file);
    for (char *p = name; *p; p++) {
        *p = *p == '\\' ? '/' : *p;
    }
    e.file = name;
    e.path = path_of(list, name);
    if (!read_unit(list, item, line, &e.unit) || !check_file(list, &e)) {
        return false;
    }
    e.guessed = !body;
    e.body = body ? fb_arena_dup(list->arena, json_string_value(body))
                  : fb_mesh_list_guess(list, e.file, line);
    if (!e.body || (body && !check_body(list, e.body, line))) {
        return false;
    }
    FB_PUSH(list->arena, list->items, list->n, list->capacity, e);
    return true;
}

/* Mesh files beside those of the list. */
static void tell_others(fb_mesh_list *list) {
    const char *others = "";
    int n = 0;
    for (size_t i = 0; i < list->n_names; i++) {
        bool there = false;
        for (size_t k = 0; k < list->n && !there; k++) {
            there = same_path(list->items[k].file, list->names[i]);
        }
        if (!there && ++n <= 5) {
            others = fb_arena_printf(list->arena, "%s%s%s", others, *others ? ", " : "",
                                     list->names[i]);
        }
    }
    if (n > 0) {
        fb_diag_add(list->diag, FB_WARNING, FB1414, (fb_place){list->file, 0, NULL, NULL},
                    "they are not used", "it does not name %d of the folder's meshes: %s%s", n,
                    others, n > 5 ? ", .." : "");
    }
}

static bool read_top(fb_mesh_list *list, const json_t *top, const char *bytes, size_t size) {
    const json_t *meshes = json_object_get(top, "meshes");
    size_t n = json_array_size(meshes);
    if (!json_is_array(meshes) || n == 0) {
        wrong(list, 1, "it must have a list 'meshes' that is not empty");
        return false;
    }
    bool good = read_unit(list, top, fb_json_line(bytes, size, "/unit"), &list->unit);
    int *lines = fb_arena_array(list->arena, n, sizeof *lines);
    fb_json_item_lines(bytes, size, "meshes", lines, n);
    for (size_t i = 0; i < n; i++) {
        good &= read_entry(list, json_array_get(meshes, i), lines[i]);
    }
    if (good) {
        tell_others(list);
    }
    return good;
}

static bool read_list(fb_mesh_list *list) {
    char *bytes;
    size_t size;
    jmp_buf oom, *outer = list->arena->oom;
    fb_status status = fb_read_file(list->file, FB_MAX_BYTES, &bytes, &size, list->diag);
    if (status != FB_OK) {
        list->no_memory = status == FB_E_MEMORY;
        return false;
    }
    char *const text = bytes;
    json_t *const top = fb_json_parse(bytes, size, list->file, list->diag);
    list->no_memory = !top && list->diag->out_of_memory;
    if (setjmp(oom)) {
        list->arena->oom = outer;
        json_decref(top);
        fb_free(text);
        longjmp(*outer, 1);
    }
    list->arena->oom = &oom;
    bool good = top && read_top(list, top, text, size);
    list->arena->oom = outer;
    json_decref(top);
    fb_free(text);
    return good;
}

/* ---- either ---------------------------------------------------------------------------------- */

/* One bone in two formats: the entry whose file's name differs in its ending only, or NULL. */
static const fb_mesh_entry *same_stem(const fb_mesh_list *list, const char *file) {
    size_t n = (size_t)(strrchr(file, '.') - file);
    for (size_t i = 0; i < list->n; i++) {
        const char *own = list->items[i].file, *dot = strrchr(own, '.');
        if ((size_t)(dot - own) == n && strncmp(own, file, n) == 0) {
            return &list->items[i];
        }
    }
    return NULL;
}

static bool guess_all(fb_mesh_list *list) {
    bool good = list->n_names > 0;
    if (!good) {
        wrong(list, 0,
              "the folder holds no mesh (.obj, .ply, .stl, .vtk, .vtp) and no meshes.json");
    }
    for (size_t i = 0; i < list->n_names; i++) {
        fb_mesh_entry e = {.file = list->names[i], .guessed = true};
        const fb_mesh_entry *same = same_stem(list, e.file);
        if (same) {
            fb_diag_add(list->diag, FB_WARNING, FB1414, (fb_place){list->folder, 0, NULL, NULL},
                        "it is left out", "'%s' is taken for the same mesh as '%s'", e.file,
                        same->file);
            continue;
        }
        int left_out = list->left_out;
        e.path = path_of(list, e.file);
        e.body = fb_mesh_list_guess(list, e.file, 0);
        good &= e.body != NULL || list->left_out > left_out;
        if (e.body) {
            FB_PUSH(list->arena, list->items, list->n, list->capacity, e);
        }
    }
    if (good && list->n == 0) {
        good = false;
        wrong(list, 0, "no mesh of the folder is a bone of the standard body, which has %s",
              all_bodies(list));
    }
    return good;
}

bool fb_mesh_list_read(fb_mesh_list *list, const char *folder) {
    list->folder = fb_arena_dup(list->arena, folder);
    if (fb_file_ends_with(folder, ".json")) {
        const char *slash = strrchr(folder, '/');
        list->file = list->folder;
        list->folder = slash ? fb_arena_text(list->arena, folder, (size_t)(slash + 1 - folder))
                             : "";
        return list_folder(list) && read_list(list);
    }
    if (!list_folder(list)) {
        return false;
    }
    const char *own = path_of(list, "meshes.json");
    if (fb_is_file(own)) {
        list->file = own;
        return read_list(list);
    }
    return guess_all(list);
}

/* ---- guesses --------------------------------------------------------------------------------- */

/* Kinds of bodies, the best first, of which a mesh of a kind may be. */
static const fb_bone_kind kinds_for[][4] = {
    {FB_BONE_HEMIPELVIS, FB_BONE_HEMIPELVIS, FB_BONE_PELVIS},
    {FB_BONE_SACRUM, FB_BONE_SACRUM, FB_BONE_PELVIS},
    {FB_BONE_FIBULA, FB_BONE_FIBULA, FB_BONE_TIBIA},
    {FB_BONE_CALCANEUS, FB_BONE_CALCANEUS, FB_BONE_FOOT},
    {FB_BONE_FOOT, FB_BONE_FOOT, FB_BONE_CALCANEUS},
    {FB_BONE_TOES, FB_BONE_TOES, FB_BONE_FOOT},
};

static fb_bone_kind kind_for(fb_bone_kind mesh, int choice) {
    for (size_t i = 0; i < sizeof kinds_for / sizeof *kinds_for; i++) {
        if (kinds_for[i][0] == mesh) {
            return choice < 3 ? kinds_for[i][choice + 1] : FB_BONE_UNKNOWN;
        }
    }
    return choice == 0 ? mesh : FB_BONE_UNKNOWN;
}

/* A file's name without its folders and ending. */
static char *stem_of(fb_mesh_list *list, const char *file) {
    const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;
    const char *dot = strrchr(name, '.');
    return fb_arena_text(list->arena, name, dot ? (size_t)(dot - name) : strlen(name));
}

/* A body's name stands in a file's as words of its own. */
static bool holds(const char *stem, const char *body) {
    size_t n = strlen(body);
    for (const char *p = stem; *p; p++) {
        size_t k = 0;
        while (k < n && p[k] && tolower((unsigned char)p[k]) == tolower((unsigned char)body[k])) {
            k++;
        }
        if (k == n && (p == stem || !isalnum((unsigned char)p[-1])) &&
            !isalnum((unsigned char)p[n])) {
            return true;
        }
    }
    return false;
}

/* The longest name of a body of the standard that stands in a file's name. */
static const char *body_in(const fb_list *bodies, const char *stem) {
    const char *best = NULL;
    for (size_t i = 0; i < bodies->n; i++) {
        const char *name = bodies->items[i]->name;
        if (holds(stem, name) && (!best || strlen(name) > strlen(best))) {
            best = name;
        }
    }
    return best;
}

/* Bodies of the standard that are of a kind, and of the side if both say one: how many, and the
 * first two. */
static int bodies_of(const fb_list *bodies, fb_bone_kind kind, char side, const char *found[2]) {
    int n = 0;
    for (size_t i = 0; i < bodies->n; i++) {
        fb_bone_guess own = fb_bone_by_name(bodies->items[i]->name);
        if (own.kind == kind && (!side || !own.side || side == own.side)) {
            if (n < 2) {
                found[n] = bodies->items[i]->name;
            }
            n++;
        }
    }
    return n;
}

/* A bone that the standard body does not have: of a folder it is passed over, of a list an error.
 */
static const char *leave_out(fb_mesh_list *list, int line, const char *why) {
    if (list->file) {
        wrong(list, line, "%s", why);
    } else {
        list->left_out++;
        fb_diag_add(list->diag, FB_WARNING, FB1414, (fb_place){list->folder, 0, NULL, NULL},
                    "it is left out", "%s", why);
    }
    return NULL;
}

static const char *cure_of(const fb_mesh_list *list) {
    return list->file ? "give its body" : "say it in meshes.json";
}

/* The one body that a bone of a known kind and side can be. */
static const char *body_of(fb_mesh_list *list, const char *file, fb_bone_guess guess, int line) {
    const fb_list *bodies = fb_model_items(list->options->standard, "bodies");
    const char *found[2] = {0};
    char side = !guess.side || !list->options->mirror ? guess.side : guess.side == 'r' ? 'l' : 'r';
    for (int choice = 0; kind_for(guess.kind, choice) != FB_BONE_UNKNOWN; choice++) {
        fb_bone_kind kind = kind_for(guess.kind, choice);
        int n = bodies_of(bodies, kind, side, found);
        if (n == 1) {
            return found[0];
        }
        if (n > 1) {
            wrong(list, line, "the mesh '%s' may be '%s' or '%s'; %s", file, found[0], found[1],
                  cure_of(list));
            return NULL;
        }
        if (side && bodies_of(bodies, kind, 0, found) > 0) {
            return leave_out(list, line,
                             fb_arena_printf(list->arena,
                                             "the mesh '%s' is of the %s side, and the standard "
                                             "body has only '%s'",
                                             file, guess.side == 'r' ? "right" : "left", found[0]));
        }
    }
    return leave_out(list, line,
                     fb_arena_printf(list->arena,
                                     "the mesh '%s' is a %s, which the standard body does not "
                                     "have; it has %s",
                                     file, fb_bone_word(guess.kind), all_bodies(list)));
}

const char *fb_mesh_list_by_shape(fb_mesh_list *list, const char *file, fb_bone_guess guess,
                                  int line) {
    if (guess.kind != FB_BONE_UNKNOWN && guess.certainty >= CLEAR) {
        const char *body = body_of(list, file, guess, line);
        return body ? fb_arena_dup(list->arena, body) : NULL;
    }
    fb_bone_kind other = guess.second;
    const char *first = guess.kind == FB_BONE_UNKNOWN ? "none that is known"
                                                      : fb_bone_word(guess.kind);
    wrong(list, line,
          "which body the mesh '%s' is does not follow from its name, and by its shape it may be "
          "'%s' or '%s'; %s (the standard body has %s)",
          file, first, other == FB_BONE_UNKNOWN ? "none that is known" : fb_bone_word(other),
          cure_of(list), all_bodies(list));
    return NULL;
}

static const char *guess_of_standard(fb_mesh_list *list, const char *file, const char *stem,
                                     int line) {
    const fb_list *bodies = fb_model_items(list->options->standard, "bodies");
    const char *named = list->options->mirror ? NULL : body_in(bodies, stem);
    fb_bone_guess guess = fb_bone_by_name(stem);
    if (named) {
        return named;
    }
    return guess.kind == FB_BONE_UNKNOWN ? "" : body_of(list, file, guess, line);
}

const char *fb_mesh_list_guess(fb_mesh_list *list, const char *file, int line) {
    const char *stem = stem_of(list, file);
    if (list->options->standard) {
        const char *body = guess_of_standard(list, file, stem, line);
        return body ? fb_arena_dup(list->arena, body) : NULL;
    }
    return stem;
}
