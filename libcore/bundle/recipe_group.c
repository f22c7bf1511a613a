/* Which lines of a model are one anatomical muscle. */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "libcore/bundle/recipe_internal.h"

#define NEAR_KNOWN 0.08  /* m, between attachments of heads whose muscle is known by name */
#define NEAR_GUESSED 0.5 /* of the shorter path, between those of lines with like names */

fb_recipe *fb_recipe_add(fb_recipe_maker *maker, const int *lines, int n, bool guessed) {
    fb_recipes *all = maker->recipes;
    all->recipes = fb_arena_grow(maker->arena, all->recipes, (size_t)all->n, &maker->capacity,
                                 sizeof *all->recipes);
    fb_recipe *recipe = &all->recipes[all->n++];
    memset(recipe, 0, sizeof *recipe);
    int *copy = fb_arena_array(maker->arena, (size_t)n + 1, sizeof *copy);
    for (int i = 0; i < n; i++) {
        copy[i] = lines[i];
        maker->lines[lines[i]].recipe = all->n - 1;
    }
    recipe->lines = copy;
    recipe->n_lines = n;
    recipe->guessed = guessed;
    if (n > 0) {
        const fb_line_name *name = &maker->lines[lines[0]].name;
        recipe->anatomy = name->known ? name->anatomy->muscle : NULL;
        recipe->side = name->side;
    }
    return recipe;
}

/* ---- likeness -------------------------------------------------------------------------------- */

/* How far apart an end of one line (0 origin, 1 insertion) is from an end of another. */
static double apart(const fb_muscle_line *a, int end, const fb_muscle_line *b, int other) {
    const double *p = a->core.points[end ? a->core.n_points - 1 : 0];
    const double *q = b->core.points[other ? b->core.n_points - 1 : 0];
    return fb_v3_distance(p, q);
}

/* Turns a line of which the origin is not known so that it lies along another. */
static void align(fb_recipe_maker *maker, const fb_muscle_line *a, fb_muscle_line *b) {
    double same = apart(a, 0, b, 0) + apart(a, 1, b, 1);
    double opposite = apart(a, 0, b, 1) + apart(a, 1, b, 0);
    if (!b->sure && opposite < same) {
        fb_recipe_turn_line(maker, b);
    }
}

/* Heads of a known muscle meet at an end or lie beside each other there; lines of which only the
 * names are alike must do so at both. */
static bool belong_together(fb_recipe_maker *maker, const fb_muscle_line *a, fb_muscle_line *b) {
    if (a->refusal || b->refusal || !fb_line_name_same(&a->name, &b->name)) {
        return false;
    }
    bool near[2], shared[2], known = a->name.known;
    double limit = known ? NEAR_KNOWN : NEAR_GUESSED * fb_lesser(a->core.length, b->core.length);
    if (known) {
        align(maker, a, b);
    }
    for (int end = 0; end < 2; end++) {
        shared[end] = a->body[end] == b->body[end];
        near[end] = apart(a, end, b, end) < limit;
    }
    if (known) {
        return shared[0] || shared[1] || near[0] || near[1];
    }
    return near[0] && near[1] && (shared[0] || shared[1]);
}

/* ---- names ----------------------------------------------------------------------------------- */

static bool is_taken(const fb_recipe_maker *maker, const char *name, const fb_recipe *but) {
    for (int i = 0; i < maker->recipes->n; i++) {
        const fb_recipe *other = &maker->recipes->recipes[i];
        if (other != but && other->name && strcmp(other->name, name) == 0) {
            return true;
        }
    }
    return false;
}

/* The beginning that all names of a recipe's lines share, without what parts names. */
static size_t common_beginning(const fb_recipe_maker *maker, const fb_recipe *recipe) {
    const char *first = maker->lines[recipe->lines[0]].element->name;
    size_t n = strlen(first);
    for (int i = 1; i < recipe->n_lines; i++) {
        const char *other = maker->lines[recipe->lines[i]].element->name;
        size_t k = 0;
        while (k < n && other[k] == first[k]) {
            k++;
        }
        n = k;
    }
    while (n && !isalnum((unsigned char)first[n - 1])) {
        n--;
    }
    return n;
}

/* A single line's name; else what the lines' names share, or the anatomical name, and the side. */
static void name_recipe(fb_recipe_maker *maker, fb_recipe *recipe) {
    const char *first = maker->lines[recipe->lines[0]].element->name;
    if (recipe->n_lines == 1) {
        recipe->name = first;
        return;
    }
    size_t n = common_beginning(maker, recipe);
    char suffix[3] = {0, 0, 0};
    size_t length = strlen(first);
    if (recipe->side && length > 2 && first[length - 2] == '_' &&
        tolower((unsigned char)first[length - 1]) == recipe->side) {
        memcpy(suffix, first + length - 2, 2);
    }
    if (n < 2 && recipe->anatomy) {
        char *name = fb_arena_printf(maker->arena, "%s%s", recipe->anatomy, suffix);
        for (char *p = name; *p; p++) {
            *p = *p == ' ' ? '_' : *p;
        }
        recipe->name = name;
    } else {
        recipe->name = fb_arena_printf(maker->arena, "%.*s%s", (int)n, first, suffix);
    }
    if (!*recipe->name || is_taken(maker, recipe->name, recipe)) {
        recipe->name = first;
    }
}

/* ---- groups ---------------------------------------------------------------------------------- */

static void group_from(fb_recipe_maker *maker, int first, int *members) {
    int n = 0;
    members[n++] = first;
    maker->lines[first].recipe = maker->recipes->n; /* that it is going to be */
    for (int k = 0; k < n && maker->options->group; k++) {
        for (int i = first + 1; i < maker->n_lines; i++) {
            fb_muscle_line *line = &maker->lines[i];
            if (line->recipe < 0 && belong_together(maker, &maker->lines[members[k]], line)) {
                line->recipe = maker->recipes->n;
                members[n++] = i;
            }
        }
    }
    for (int i = 1; i < n; i++) { /* the model's order */
        for (int k = i; k > 0 && members[k] < members[k - 1]; k--) {
            int swap = members[k];
            members[k] = members[k - 1];
            members[k - 1] = swap;
        }
    }
    name_recipe(maker, fb_recipe_add(maker, members, n, n > 1));
}

static const char *next_line(const void *context, int i) {
    const fb_recipe_maker *maker = context;
    return i < maker->n_lines ? maker->lines[i].element->name : NULL;
}

int fb_recipe_find_line(const fb_recipe_maker *maker, const char *name) {
    for (int i = 0; i < maker->n_lines; i++) {
        if (strcmp(maker->lines[i].element->name, name) == 0) {
            return i;
        }
    }
    return -1;
}

void fb_recipe_refuse_entry(fb_recipe_maker *maker, int line, const char *format, ...) {
    char text[500];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fb_diag_add(maker->diag, FB_ERROR, FB1304,
                (fb_place){maker->options->spec->file, line, NULL, NULL}, NULL, "%s", text);
    maker->status = FB_E_INPUT;
}

/* A muscle of the spec that names its lines, is named as one line is, or has cores of its own. */
static void take_entry(fb_recipe_maker *maker, const fb_spec_muscle *entry, int *members) {
    int n = 0;
    const char *own[1] = {entry->name};
    bool single = entry->n_lines == 0 && fb_recipe_find_line(maker, entry->name) >= 0;
    const char *const *names = single ? own : entry->lines;
    for (int i = 0; i < (single ? 1 : entry->n_lines); i++) {
        int line = fb_recipe_find_line(maker, names[i]);
        if (line < 0) {
            const char *meant = fb_nearest_word(names[i], next_line, maker);
            fb_recipe_refuse_entry(maker, entry->line_number,
                                   "muscle '%s': the model has no muscle '%s'%s%s%s", entry->name,
                                   names[i], meant ? "; is '" : "", meant ? meant : "",
                                   meant ? "' meant?" : "");
            return;
        }
        if (maker->lines[line].recipe == maker->recipes->n) {
            fb_recipe_refuse_entry(maker, entry->line_number, "muscle '%s': '%s' is named twice",
                                   entry->name, names[i]);
            return;
        }
        if (maker->lines[line].recipe >= 0) {
            fb_recipe_refuse_entry(maker, entry->line_number,
                                   "muscle '%s': '%s' is already a line of '%s'", entry->name,
                                   names[i],
                                   maker->recipes->recipes[maker->lines[line].recipe].name);
            return;
        }
        maker->lines[line].recipe = maker->recipes->n;
        members[n++] = line;
    }
    if (n > 0) {
        fb_recipe *recipe = fb_recipe_add(maker, members, n, false);
        recipe->spec = entry;
        recipe->name = entry->name;
    }
}

bool fb_recipe_is_called(const fb_recipe *recipe, const char *name) {
    if (strcmp(recipe->name, name) == 0) {
        return true;
    }
    if (!recipe->anatomy) {
        return false;
    }
    fb_anatomy anatomy = {.muscle = recipe->anatomy};
    size_t n = strlen(name);
    char side = n > 2 && name[n - 2] == '_' ? name[n - 1] : 0;
    if (fb_anatomy_is(&anatomy, name)) {
        return true;
    }
    char text[100];
    if (side != recipe->side || !side || n - 2 >= sizeof text) {
        return false;
    }
    memcpy(text, name, n - 2);
    text[n - 2] = 0;
    return fb_anatomy_is(&anatomy, text);
}

static const char *next_recipe(const void *context, int i) {
    const fb_recipe_maker *maker = context;
    return i < maker->recipes->n ? maker->recipes->recipes[i].name : NULL;
}

static void match_entries(fb_recipe_maker *maker) {
    const fb_spec *spec = maker->options->spec;
    for (int e = 0; e < spec->n_muscles; e++) {
        const fb_spec_muscle *entry = &spec->muscles[e];
        bool used = false;
        for (int i = 0; i < maker->recipes->n; i++) {
            used |= maker->recipes->recipes[i].spec == entry;
        }
        for (int i = 0; !used && i < maker->recipes->n; i++) {
            fb_recipe *recipe = &maker->recipes->recipes[i];
            if (!recipe->spec && fb_recipe_is_called(recipe, entry->name)) {
                recipe->spec = entry;
            }
        }
        for (int i = 0; i < maker->recipes->n; i++) {
            used |= maker->recipes->recipes[i].spec == entry;
        }
        if (!used && entry->n_cores > 0 && entry->cores[0].course.n_points > 0) {
            fb_recipe *recipe = fb_recipe_add(maker, NULL, 0, false);
            recipe->name = entry->name;
            recipe->spec = entry;
        } else if (!used) {
            const char *meant = fb_nearest_word(entry->name, next_recipe, maker);
            fb_diag_add(maker->diag, FB_WARNING, FB1304,
                        (fb_place){spec->file, entry->line_number, NULL, NULL},
                        "the entry is not used", "the model has no muscle '%s'%s%s%s", entry->name,
                        meant ? "; is '" : "", meant ? meant : "", meant ? "' meant?" : "");
        }
    }
}

void fb_recipe_group(fb_recipe_maker *maker) {
    int *members = fb_arena_array(maker->arena, (size_t)maker->n_lines + 1, sizeof *members);
    const fb_spec *spec = maker->options->spec;
    for (int i = 0; spec && i < spec->n_muscles && maker->status == FB_OK; i++) {
        take_entry(maker, &spec->muscles[i], members);
    }
    if (maker->status != FB_OK) {
        return;
    }
    for (int i = 0; i < maker->n_lines; i++) {
        if (maker->lines[i].recipe < 0) {
            group_from(maker, i, members);
        }
    }
    if (spec) {
        match_entries(maker);
    }
}
