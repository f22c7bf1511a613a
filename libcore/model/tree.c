#include "libcore/model/tree.h"

#include <stdlib.h>
#include <string.h>

const fb_set fb_sets[] = {
    {"BodySet", "/bodyset"},
    {"JointSet", "/jointset"},
    {"ConstraintSet", "/constraintset"},
    {"ForceSet", "/forceset"},
    {"ContactGeometrySet", "/contactgeometryset"},
    {"ControllerSet", "/controllerset"},
    {"ProbeSet", "/probeset"},
    {"MarkerSet", "/markerset"},
    {"ComponentSet", "/componentset"},
    {"components", ""},
    {NULL, NULL},
};

bool fb_owns_frames(const fb_element *element) {
    const char *name = element->cls->name;
    size_t n = strlen(name);
    return element->cls->family == FB_JOINT || strcmp(name, "WeldConstraint") == 0 ||
           (n >= 12 && strcmp(name + n - 12, "BushingForce") == 0);
}

static int by_order(const void *x, const void *y) {
    const fb_element *a = *(fb_element *const *)x, *b = *(fb_element *const *)y;
    return (a->order > b->order) - (a->order < b->order);
}

/* The path of an element's owner; of its list's usual set if the owner does not exist. */
static const char *parent_path(fb_tree *tree, const fb_table *paths, const fb_element *element) {
    const char *path = element->path;
    size_t n = (size_t)(fb_path_name(path) - path);
    char *parent = fb_arena_text(&tree->arena, path, n > 0 ? n - 1 : 0);
    for (const fb_set *set = fb_sets; set->tag; set++) {
        if (strcmp(set->path, parent) == 0) {
            return set->path;
        }
    }
    if (strcmp(parent, "/ground") == 0 || fb_table_find(paths, parent)) {
        return parent;
    }
    const char *suffix = "/wrapobjectset";
    if (n > strlen(suffix) && element->cls->family == FB_WRAP) {
        char *frame = fb_arena_text(&tree->arena, parent, n - 1 - strlen(suffix));
        if (strcmp(parent + strlen(frame), suffix) == 0 &&
            (strcmp(frame, "/ground") == 0 || fb_table_find(paths, frame))) {
            return parent;
        }
    }
    if (element->cls->family == FB_WRAP) {
        return "/ground/wrapobjectset";
    }
    return fb_list_set(element->cls->list);
}

fb_status fb_tree_init(fb_tree *tree, const fb_model *model) {
    memset(tree, 0, sizeof *tree);
    fb_arena_init(&tree->arena);
    jmp_buf oom;
    if (setjmp(oom)) {
        fb_tree_clear(tree);
        return FB_E_MEMORY;
    }
    tree->arena.oom = &oom;
    tree->children.arena = &tree->arena;
    fb_table paths = {.arena = &tree->arena};
    size_t n = 0;
    for (int i = 0; i < FB_LIST_COUNT; i++) {
        n += model->lists[i].n;
    }
    fb_element **all = fb_arena_array(&tree->arena, n, sizeof *all);
    n = 0;
    for (int i = 0; i < FB_LIST_COUNT; i++) {
        for (size_t j = 0; j < model->lists[i].n; j++) {
            all[n++] = model->lists[i].items[j];
            fb_table_add(&paths, model->lists[i].items[j]->path, model->lists[i].items[j]);
        }
    }
    if (n) {
        qsort(all, n, sizeof *all, by_order);
    }
    for (size_t i = 0; i < n; i++) {
        fb_table_add(&tree->children, parent_path(tree, &paths, all[i]), all[i]);
    }
    tree->arena.oom = NULL;
    return FB_OK;
}

void fb_tree_clear(fb_tree *tree) {
    fb_arena_clear(&tree->arena);
    memset(tree, 0, sizeof *tree);
}

fb_element *fb_tree_next(const fb_tree *tree, const char *path, const fb_table_entry **at) {
    return fb_table_next(&tree->children, path, at);
}

/* Numbers the children of a path, then those of each. */
static void number(const fb_tree *tree, fb_arena *scratch, const char *path, int *order) {
    const fb_table_entry *at = NULL;
    fb_element *element;
    while ((element = fb_tree_next(tree, path, &at)) != NULL) {
        element->order = (*order)++;
    }
    at = NULL;
    while ((element = fb_tree_next(tree, path, &at)) != NULL) {
        number(tree, scratch, element->path, order);
        number(tree, scratch, fb_arena_printf(scratch, "%s/wrapobjectset", element->path), order);
    }
}

/* Where a comment stands: before the element, before each property in the order of the class,
 * before other tags by their names, at the end. */
static int comment_rank(const fb_class *cls, const fb_comment *comment) {
    if (!comment->before) {
        return -1;
    }
    if (!*comment->before) {
        return 100000;
    }
    int index = fb_class_tag(cls, comment->before);
    return index >= 0 ? index : 1000;
}

static int compare_comments(const fb_class *cls, const fb_comment *a, const fb_comment *b) {
    int x = comment_rank(cls, a), y = comment_rank(cls, b);
    if (x != y) {
        return x < y ? -1 : 1;
    }
    return x == 1000 ? strcmp(a->before, b->before) : 0;
}

/* A stable insertion sort: comments are few. */
static void sort_comments(fb_element *element) {
    fb_comment *sorted = NULL;
    for (fb_comment *c = element->comments, *next; c; c = next) {
        next = c->next;
        fb_comment **at = &sorted;
        while (*at && compare_comments(element->cls, *at, c) <= 0) {
            at = &(*at)->next;
        }
        c->next = *at;
        *at = c;
    }
    element->comments = sorted;
}

static void sort_all_comments(fb_element *element) {
    sort_comments(element);
    for (int i = 0; i < element->cls->n_fields; i++) {
        fb_value *value = &element->values[i];
        if (!value->present) {
            continue;
        }
        if (element->cls->fields[i].type == FB_OBJECT) {
            sort_all_comments(value->as.object);
        } else if (element->cls->fields[i].type == FB_OBJECTS) {
            for (int j = 0; j < value->n; j++) {
                sort_all_comments(value->as.objects[j]);
            }
        }
    }
}

static int set_rank(const char *path) {
    int i = 0;
    while (fb_sets[i].tag && strcmp(fb_sets[i].path, path) != 0) {
        i++;
    }
    return i;
}

fb_status fb_model_sort(fb_model *model) {
    fb_tree tree;
    if (fb_tree_init(&tree, model) != FB_OK) {
        return FB_E_MEMORY;
    }
    fb_status status = FB_OK;
    jmp_buf oom;
    if (setjmp(oom)) {
        status = FB_E_MEMORY;
    } else {
        tree.arena.oom = &oom;
        int order = 0;
        number(&tree, &tree.arena, "/ground", &order);
        number(&tree, &tree.arena, "/ground/wrapobjectset", &order);
        for (const fb_set *set = fb_sets; set->tag; set++) {
            number(&tree, &tree.arena, set->path, &order);
        }
        number(&tree, &tree.arena, fb_list_set("virtual_links"), &order);
        sort_all_comments(model->root);
        sort_all_comments(model->ground);
        for (int i = 0; i < FB_LIST_COUNT; i++) {
            fb_list *list = &model->lists[i];
            if (list->n) {
                qsort(list->items, list->n, sizeof *list->items, by_order);
            }
            for (size_t j = 0; j < list->n; j++) {
                sort_all_comments(list->items[j]);
            }
        }
        for (size_t i = 1; i < model->n_groups; i++) { /* stable: insertion */
            for (size_t j = i;
                 j > 0 && set_rank(model->groups[j].set) < set_rank(model->groups[j - 1].set);
                 j--) {
                fb_group swap = model->groups[j];
                model->groups[j] = model->groups[j - 1];
                model->groups[j - 1] = swap;
            }
        }
    }
    fb_tree_clear(&tree);
    return status;
}
