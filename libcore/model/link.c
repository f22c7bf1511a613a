/* Linking: unique names, and references from text to elements. */
#include <string.h>
#include <strings.h>

#include "libcore/base/table.h"
#include "libcore/model/model.h"

typedef struct linker {
    fb_model *model;
    fb_diag *diag;
    fb_arena scratch;
    fb_table paths;    /* every element with a component path, under it */
    fb_table names;    /* the same, under the last segment */
    fb_table tails;    /* every tail of every path, counted */
    fb_table repeated; /* under paths that came more than once: the next number to try, an int */
    fb_table given;    /* elements under the unique name that they came with */
    fb_status status;
    int missing; /* references to nothing so far */
} linker;

#define MOST_GUESSES 50 /* references to nothing for which a name is looked up that was meant */

static void visit(linker *l, fb_element *element, void (*act)(linker *, fb_element *)) {
    act(l, element);
    for (int i = 0; i < element->cls->n_fields; i++) {
        fb_value *value = &element->values[i];
        if (!value->present) {
            continue;
        }
        if (element->cls->fields[i].type == FB_OBJECT) {
            visit(l, value->as.object, act);
        } else if (element->cls->fields[i].type == FB_OBJECTS) {
            for (int j = 0; j < value->n; j++) {
                visit(l, value->as.objects[j], act);
            }
        }
    }
}

static void visit_all(linker *l, void (*act)(linker *, fb_element *)) {
    fb_model *model = l->model;
    visit(l, model->root, act);
    visit(l, model->ground, act);
    for (int i = 0; i < FB_LIST_COUNT; i++) {
        for (size_t j = 0; j < model->lists[i].n; j++) {
            visit(l, model->lists[i].items[j], act);
        }
    }
}

/* Later components of one path get _0, _1, .. behind it, as in OpenSim. */
static void make_path_unique(linker *l, fb_element *element) {
    const char *path = element->path;
    if (!fb_table_find(&l->paths, path)) {
        return;
    }
    int *number = fb_table_find(&l->repeated, path);
    if (!number) {
        number = fb_arena_alloc(&l->scratch, sizeof *number);
        *number = 0;
        fb_table_add(&l->repeated, path, number);
    }
    do {
        element->path = fb_arena_printf(&l->model->arena, "%s_%d", path, (*number)++);
    } while (fb_table_find(&l->paths, element->path));
    fb_diag_add(l->diag, FB_WARNING, FB2203, fb_element_place(element),
                "references by name find the first",
                "two components have the path %s: the later one becomes %s", path,
                fb_path_name(element->path));
}

static void enter(linker *l, fb_element *element) {
    if (element->owner && element->cls->family == FB_COORDINATE) {
        element->path = fb_arena_printf(&l->model->arena, "%s/%s", element->owner->path,
                                        element->path   ? fb_path_name(element->path)
                                        : element->name ? fb_path_name(element->name)
                                                        : "");
    }
    if (!element->path || element == l->model->root) {
        return;
    }
    make_path_unique(l, element);
    fb_table_add(&l->paths, element->path, element);
    fb_table_add(&l->names, fb_path_name(element->path), element);
    if (element->name) {
        fb_table_add(&l->given, element->name, element);
    }
}

static fb_family space(const fb_element *element) {
    return fb_family_namespace(element->cls->family);
}

/* How many elements of the same namespace share a tail of a path, as far as 2. */
static int sharers(linker *l, const char *tail, fb_family family) {
    const fb_table_entry *at = NULL;
    int n = 0;
    fb_element *element;
    while (n < 2 && (element = fb_table_next(&l->tails, tail, &at)) != NULL) {
        n += space(element) == family;
    }
    return n;
}

/* All longer tails of paths whose last segment is not unique. */
static void enter_tails(linker *l, fb_element *element) {
    if (!element->path || element == l->model->root) {
        return;
    }
    const fb_table_entry *at = NULL;
    int n = 0;
    fb_element *other;
    const char *name = fb_path_name(element->path);
    while (n < 2 && (other = fb_table_next(&l->names, name, &at)) != NULL) {
        n += space(other) == space(element);
    }
    if (n < 2) {
        return;
    }
    for (const char *tail = name; tail > element->path; tail--) {
        if (tail[-1] == '/') {
            fb_table_add(&l->tails, tail, element);
        }
    }
}

static void name_uniquely(linker *l, fb_element *element) {
    if (!element->path || element == l->model->root) {
        return;
    }
    const char *tail = fb_path_name(element->path);
    while (sharers(l, tail, space(element)) > 1 && tail > element->path + 1) {
        tail--; /* the '/' */
        while (tail > element->path && tail[-1] != '/') {
            tail--;
        }
    }
    element->name = tail;
}

/* Joins a relative component path to the path of the element that has it, resolving "." and "..".
 */
static const char *absolute_path(linker *l, const char *base, const char *relative) {
    fb_arena *arena = &l->scratch;
    char *path = fb_arena_alloc(arena, strlen(base) + strlen(relative) + 3);
    size_t n = 0;
    if (relative[0] != '/') {
        n = strlen(base);
        memcpy(path, base, n);
        if (n == 1) {
            n = 0; /* the root "/" */
        }
    }
    for (const char *p = relative; *p;) {
        size_t length = strcspn(p, "/");
        if (length == 2 && p[0] == '.' && p[1] == '.') {
            while (n > 0 && path[n - 1] != '/') {
                n--;
            }
            if (n > 0) {
                n--;
            }
        } else if (length > 0 && !(length == 1 && p[0] == '.')) {
            path[n++] = '/';
            memcpy(path + n, p, length);
            n += length;
        }
        p += length;
        p += *p == '/';
    }
    path[n] = 0;
    return n ? path : "/";
}

static bool fits(const fb_element *element, fb_family family) {
    return family == FB_ANY || space(element) == fb_family_namespace(family) ||
           (family == FB_STATION && element->cls->family == FB_MARKER);
}

static fb_element *find(const fb_table *t, const char *text, fb_family family) {
    const fb_table_entry *at = NULL;
    fb_element *element;
    while ((element = fb_table_next(t, text, &at)) != NULL) {
        if (fits(element, family)) {
            return element;
        }
    }
    return NULL;
}

/* The component path that an element's references are relative to. */
static const char *base_path(const fb_element *element) {
    while (element && !element->path) {
        element = element->owner;
    }
    return element ? element->path : "/";
}

typedef struct names_of {
    const fb_table *t;
    fb_family family;
    size_t *next; /* the slot to go on from: names are asked for in order */
} names_of;

static const char *next_name(const void *context, int i) {
    const names_of *names = context;
    if (i == 0) {
        *names->next = 0;
    }
    while (*names->next < names->t->size) {
        const fb_table_slot *slot = &names->t->slots[(*names->next)++];
        if (slot->text && find(names->t, slot->text, names->family)) {
            return slot->text;
        }
    }
    return NULL;
}

static void report_missing(linker *l, const fb_element *element, const fb_field *field,
                           const char *text) {
    const fb_element *component = fb_element_component(element);
    size_t next = 0;
    names_of names = {&l->names, field->family, &next};
    bool help = l->missing++ < MOST_GUESSES;
    const char *meant = help ? fb_nearest_word(fb_path_name(text), next_name, &names) : NULL;
    bool needed = (field->flags & FB_REQUIRED) != 0;
    if (needed) {
        l->status = FB_E_INPUT;
    }
    fb_diag_add(l->diag, needed ? FB_ERROR : FB_WARNING, FB2201, fb_element_place(element),
                needed ? NULL : "the name is kept as it is", "%s '%s': %s names no %s: '%s'%s%s%s",
                element->cls->name,
                element->name && *element->name ? element->name
                : component->name               ? component->name
                                                : "",
                field->tag, fb_family_word(field->family), text, meant ? "; did you mean '" : "",
                meant ? meant : "", meant ? "'?" : "");
}

/* A reference that is not given. Nothing can be done with a joint or a point that is nowhere; a
 * force that acts on nothing is only useless. */
static void report_absent(linker *l, const fb_element *element, const fb_field *field) {
    bool needed = element->cls->family != FB_FORCE && element->cls->family != FB_CONSTRAINT;
    const fb_element *component = fb_element_component(element);
    if (needed) {
        l->status = FB_E_INPUT;
    }
    fb_diag_add(l->diag, needed ? FB_ERROR : FB_WARNING, FB2105, fb_element_place(element),
                needed ? NULL : "OpenSim refuses such a model", "%s '%s': %s must be given",
                element->cls->name, component->name ? component->name : "", field->tag);
}

static fb_element *resolve(linker *l, const fb_element *element, const fb_field *field,
                           const char *text) {
    const fb_family family = field->family;
    bool plain = strchr(text, '/') == NULL;
    fb_element *found = NULL;
    /* names of .fb documents are unique names; OpenSim's plain-name properties are bare names */
    if (!(field->flags & FB_SOCKET) || text[0] != '/') {
        found = find(&l->given, text, family);
        if (found && plain && !(field->flags & FB_SOCKET)) {
            return found;
        }
    }
    if (!plain || field->flags & FB_SOCKET) {
        fb_element *by_path = find(&l->paths, absolute_path(l, base_path(element), text), family);
        if (!by_path && text[0] != '/') { /* relative to the owner: joints, paths */
            by_path = find(&l->paths,
                           absolute_path(l, absolute_path(l, base_path(element), ".."), text),
                           family);
        }
        if (by_path) {
            return by_path;
        }
    }
    if (found) {
        return found;
    }
    /* "../../bodyset/x" counted from a part that has no path of its own */
    const char *rest = text;
    while (strncmp(rest, "../", 3) == 0) {
        rest += 3;
    }
    if (rest != text) {
        found = find(&l->paths, absolute_path(l, "/", rest), family);
        if (found) {
            return found;
        }
    }
    /* otherwise by the bare name, as OpenSim looks up names of old documents */
    found = find(&l->names, fb_path_name(text), family);
    /* "../../calcn" is how beta versions of 4.0 wrote a bare name */
    if (found && strchr(rest, '/')) {
        fb_diag_add(l->diag, FB_WARNING, FB2202, fb_element_place(element), NULL,
                    "%s '%s' does not exist; '%s' is taken, which has that name", field->tag, text,
                    found->path);
    }
    return found;
}

static void link_element(linker *l, fb_element *element) {
    for (int i = 0; i < element->cls->n_fields; i++) {
        const fb_field *field = &element->cls->fields[i];
        fb_value *value = &element->values[i];
        if (field->type != FB_REF && field->type != FB_REFS) {
            continue;
        }
        if (!value->present && field->flags & FB_REQUIRED) {
            report_absent(l, element, field);
        }
        for (int j = 0; value->present && j < value->n; j++) {
            fb_ref *ref = &value->as.refs[j];
            if (field->family == FB_ANY || ref->target || strcasecmp(ref->text, "all") == 0) {
                continue; /* names of what fbtools has no elements for, or already linked */
            }
            ref->target = resolve(l, element, field, ref->text);
            if (!ref->target) {
                report_missing(l, element, field, ref->text);
            }
        }
    }
}

fb_status fb_model_link(fb_model *model, fb_diag *diag) {
    linker l = {.model = model, .diag = diag};
    fb_arena_init(&l.scratch);
    l.paths.arena = l.names.arena = l.tails.arena = l.given.arena = l.repeated.arena = &l.scratch;
    jmp_buf oom;
    jmp_buf *outer = model->arena.oom;
    if (setjmp(oom)) {
        l.status = FB_E_MEMORY;
        fb_diag_add(diag, FB_ERROR, FB1003, (fb_place){0}, NULL, "out of memory");
    } else {
        model->arena.oom = l.scratch.oom = &oom;
        visit_all(&l, enter);
        visit_all(&l, link_element);
        visit_all(&l, enter_tails);
        visit_all(&l, name_uniquely);
        model->linked = true;
    }
    model->arena.oom = outer;
    fb_arena_clear(&l.scratch);
    return l.status;
}

const fb_element *fb_model_find(const fb_model *model, fb_family family, const char *name) {
    if (fits(model->ground, family) &&
        (strcmp(name, "ground") == 0 || strcmp(name, "/ground") == 0)) {
        return model->ground;
    }
    const fb_element *bare = NULL;
    for (int i = 0; i < FB_LIST_COUNT; i++) {
        for (size_t j = 0; j < model->lists[i].n; j++) {
            const fb_element *element = model->lists[i].items[j];
            const fb_value *owned = fb_get(element, "coordinates");
            int n = element->cls->family == FB_JOINT && owned ? owned->n : 0;
            for (int k = -1; k < n; k++) {
                const fb_element *candidate = k < 0 ? element : owned->as.objects[k];
                if (!fits(candidate, family)) {
                    continue;
                }
                if ((candidate->name && strcmp(candidate->name, name) == 0) ||
                    (candidate->path && strcmp(candidate->path, name) == 0)) {
                    return candidate;
                }
                if (!bare && candidate->path && strcmp(fb_path_name(candidate->path), name) == 0) {
                    bare = candidate;
                }
            }
        }
    }
    return bare;
}
