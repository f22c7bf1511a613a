#include "libcore/register/mirror.h"

#include <ctype.h>

#include "libcore/register/carry_internal.h"

typedef struct mirror {
    fb_carry_job job;
    const char *from, *to;
    fb_table copies; /* path of the element -> its copy; of owned components too */
    fb_table there;  /* path -> element, of all that the model had */
    fb_element **made;
    size_t n_made, capacity_made;
} mirror;

/* ---- names ------------------------------------------------------------------------------------
 */

static bool part_of_word(const char *text, size_t at, const char *word, size_t n) {
    bool before = isalnum((unsigned char)word[0]) && at > 0 && isalnum((unsigned char)text[at - 1]);
    bool after = isalnum((unsigned char)word[n - 1]) && isalnum((unsigned char)text[at + n]);
    return before || after;
}

/* The text with `to` wherever `from` stands as a part of a name; the text itself if nowhere. */
static const char *mirrored(const mirror *m, const char *text) {
    const char *out = NULL;
    size_t n = strlen(m->from), done = 0;
    for (size_t at = 0; text && text[at];) {
        if (strncmp(text + at, m->from, n) != 0 || part_of_word(text, at, m->from, n)) {
            at++;
            continue;
        }
        out = fb_arena_printf(&m->job.model->arena, "%s%.*s%s", out ? out : "", (int)(at - done),
                              text + done, m->to);
        done = at = at + n;
    }
    return out ? fb_arena_printf(&m->job.model->arena, "%s%s", out, text + done) : text;
}

/* ---- copies -----------------------------------------------------------------------------------
 */

static fb_element *copy(mirror *m, const fb_element *from, fb_element *owner) {
    fb_model *model = m->job.model;
    fb_element *to = fb_element_new(model, from->cls, NULL);
    to->name = mirrored(m, from->name);
    to->path = mirrored(m, from->path);
    to->owner = owner;
    to->order = from->order;
    to->line = from->line;
    to->file = from->file;
    to->kept = from->kept;
    if (from->extras) {
        fb_carry_tell(&m->job, FB_APPROXIMATED, from,
                      "its member '%s' is not given to the other side", from->extras->key);
    }
    if (from->path) {
        fb_table_add(&m->copies, from->path, to);
    }
    for (int i = 0; i < from->cls->n_fields; i++) {
        const fb_value *value = &from->values[i];
        fb_value *own = &to->values[i];
        *own = *value;
        if (!value->present) {
            continue;
        }
        switch (from->cls->fields[i].type) {
        case FB_OBJECT: own->as.object = copy(m, value->as.object, to); break;
        case FB_OBJECTS:
            own->as.objects = fb_arena_array(&model->arena, (size_t)value->n + 1,
                                             sizeof *own->as.objects);
            for (int k = 0; k < value->n; k++) {
                own->as.objects[k] = copy(m, value->as.objects[k], to);
            }
            break;
        case FB_STRINGS: {
            const char **texts = fb_arena_array(&model->arena, (size_t)value->n + 1, sizeof *texts);
            for (int k = 0; k < value->n; k++) {
                texts[k] = from->cls->family == FB_FUNCTION ? value->as.strings[k]
                                                            : mirrored(m, value->as.strings[k]);
            }
            own->as.strings = texts;
            break;
        }
        case FB_REF:
        case FB_REFS:
            own->as.refs = fb_arena_array(&model->arena, (size_t)value->n + 1,
                                          sizeof *own->as.refs);
            memcpy(own->as.refs, value->as.refs, (size_t)value->n * sizeof *own->as.refs);
            break;
        default: break;
        }
    }
    return to;
}

/* References of a copy to what is on the same side go to the other. */
static void turn_refs(mirror *m, fb_element *element) {
    for (int i = 0; i < element->cls->n_fields; i++) {
        fb_value *value = &element->values[i];
        fb_type type = element->cls->fields[i].type;
        for (int k = 0; value->present && k < value->n; k++) {
            if (type == FB_OBJECT) {
                turn_refs(m, value->as.object);
            } else if (type == FB_OBJECTS) {
                turn_refs(m, value->as.objects[k]);
            } else if (type == FB_REF || type == FB_REFS) {
                fb_ref *ref = &value->as.refs[k];
                const char *path = ref->target ? ref->target->path : NULL;
                const fb_element *other = path ? fb_table_find(&m->copies, path) : NULL;
                other = other || !path ? other : fb_table_find(&m->there, mirrored(m, path));
                ref->text = other ? other->path : mirrored(m, ref->text);
                ref->target = other ? other : ref->target;
            }
        }
    }
}

static void enter_there(mirror *m, fb_element *element) {
    if (element->path) {
        fb_table_add(&m->there, element->path, element);
    }
    const fb_value *owned = fb_get(element, "coordinates");
    for (int k = 0; element->cls->family == FB_JOINT && owned && k < owned->n; k++) {
        enter_there(m, owned->as.objects[k]);
    }
}

static void copy_all(mirror *m) {
    fb_model *model = m->job.model;
    enter_there(m, model->ground);
    for (int l = 0; l < FB_LIST_COUNT; l++) {
        for (size_t i = 0; i < model->lists[l].n; i++) {
            enter_there(m, model->lists[l].items[i]);
        }
    }
    for (int l = 0; l < FB_LIST_COUNT; l++) {
        fb_list *list = &model->lists[l];
        size_t n = list->n;
        for (size_t i = 0; i < n; i++) {
            fb_element *from = list->items[i];
            const char *path = from->path ? mirrored(m, from->path) : NULL;
            if (!path || path == from->path || fb_table_find(&m->there, path)) {
                continue;
            }
            if (from->cls == &fb_class_kept) {
                fb_carry_tell(&m->job, FB_IGNORED, from,
                              "it is kept word for word and cannot be mirrored");
                continue;
            }
            fb_element *to = copy(m, from, NULL);
            to->order = from->order + (1 << 28); /* behind all that is there */
            FB_PUSH(&model->arena, list->items, list->n, list->capacity, to);
            FB_PUSH(&m->job.scratch, m->made, m->n_made, m->capacity_made, to);
        }
    }
    for (size_t i = 0; i < m->n_made; i++) {
        turn_refs(m, m->made[i]);
    }
}

/* ---- places -----------------------------------------------------------------------------------
 */

/* Maps of all frames: of copies, their own mirror image; of those in the middle, which stay, the
 * mirror image about their body's xy plane. */
static void enter_frames(mirror *m, const fb_list *list) {
    for (size_t i = 0; i < list->n; i++) {
        const fb_element *element = list->items[i], *base = NULL;
        fb_carry_frame *frame = fb_arena_alloc(&m->job.scratch, sizeof *frame);
        bool made = fb_table_find(&m->there, element->path) != element;
        frame->element = element;
        fb_pose_identity(&frame->before);
        if (!made && fb_frame_pose(element, &frame->before, &base)) {
            frame->after = frame->before;
            fb_transform plane;
            fb_carry_scaling(&plane, 1, true);
            fb_carry_frame_map(&m->job, frame, &plane);
        } else {
            frame->after = frame->before;
            fb_carry_scaling(&frame->map, 1, true);
            fb_carry_frame_finish(frame);
        }
        fb_table_add(&m->job.frames, element->path, frame);
    }
}

static void place_offset(mirror *m, fb_element *element) {
    const fb_carry_frame *parent = fb_carry_frame_of(&m->job, fb_get_target(element, "parent"));
    double t[3] = {0, 0, 0}, moved[3], angles[3] = {0, 0, 0};
    if (!parent || !fb_get(element, "translation")) {
        return;
    }
    fb_get_vector(element, "translation", t, 3);
    fb_get_vector(element, "rotation_xyz", angles, 3);
    fb_transform_point(&parent->map, t, moved);
    fb_carry_set(&m->job, element, "translation", moved, 3);
    if (fb_carry_turn_xyz(&parent->map, t, angles)) {
        fb_carry_set(&m->job, element, "rotation_xyz", angles, 3);
    }
}

static void place_all(mirror *m) {
    fb_model *model = m->job.model;
    fb_element *ground = model->ground;
    fb_transform plane;
    fb_carry_scaling(&plane, 1, true);
    enter_frames(m, &(fb_list){&ground, 1, 1});
    enter_frames(m, fb_model_items(model, "bodies"));
    enter_frames(m, fb_model_items(model, "frames"));
    for (size_t i = 0; i < m->n_made; i++) {
        fb_element *element = m->made[i];
        switch (element->cls->family) {
        case FB_BODY:
            fb_carry_mass_of(&m->job, element, &plane, 1);
            fb_carry_geometry_of(&m->job, element, fb_carry_frame_of(&m->job, element));
            break;
        case FB_FRAME:
            place_offset(m, element);
            fb_carry_geometry_of(&m->job, element, fb_carry_frame_of(&m->job, element));
            break;
        case FB_JOINT: fb_carry_mirror_joint(&m->job, element); break;
        default: fb_carry_element(&m->job, element); break;
        }
    }
}

/* ---- groups -----------------------------------------------------------------------------------
 */

static bool holds(const fb_group *group, const char *member) {
    for (int i = 0; i < group->n_members; i++) {
        if (strcmp(group->members[i], member) == 0) {
            return true;
        }
    }
    return false;
}

static fb_group *group_called(fb_model *model, const fb_group *like, const char *name) {
    for (size_t g = 0; g < model->n_groups; g++) {
        if (strcmp(model->groups[g].set, like->set) == 0 &&
            strcmp(model->groups[g].name, name) == 0) {
            return &model->groups[g];
        }
    }
    fb_group group = {.set = like->set, .name = name};
    FB_PUSH(&model->arena, model->groups, model->n_groups, model->capacity_groups, group);
    return &model->groups[model->n_groups - 1];
}

/* Mirror images of members go to the group of the other side, or the same if it has no side. */
static void mirror_groups(mirror *m) {
    fb_model *model = m->job.model;
    size_t n = model->n_groups;
    for (size_t g = 0; g < n; g++) {
        const fb_group like = model->groups[g];
        const char *name = mirrored(m, like.name);
        fb_group *group = NULL;
        for (int i = 0; i < like.n_members; i++) {
            const char *member = mirrored(m, like.members[i]);
            if (member == like.members[i]) {
                continue;
            }
            group = group ? group : group_called(model, &like, name);
            if (holds(group, member)) {
                continue;
            }
            const char **members = fb_arena_array(&model->arena, (size_t)group->n_members + 1,
                                                  sizeof *members);
            if (group->n_members > 0) {
                memcpy(members, group->members, (size_t)group->n_members * sizeof *members);
            }
            members[group->n_members++] = member;
            group->members = members;
        }
    }
}

/* ---- the other side left out ------------------------------------------------------------------
 */

typedef struct forget {
    mirror m;
    fb_table there, gone;
} forget;

/* References to what is gone are resolved anew, by their texts, when the model is linked. */
static void loosen(const forget *f, fb_element *element) {
    for (int i = 0; i < element->cls->n_fields; i++) {
        fb_value *value = &element->values[i];
        fb_type type = element->cls->fields[i].type;
        for (int k = 0; value->present && k < value->n; k++) {
            if (type == FB_OBJECT) {
                loosen(f, value->as.object);
            } else if (type == FB_OBJECTS) {
                loosen(f, value->as.objects[k]);
            } else if (type == FB_REF || type == FB_REFS) {
                fb_ref *ref = &value->as.refs[k];
                const char *path = ref->target ? ref->target->path : NULL;
                if (path && fb_table_find(&f->gone, path)) {
                    ref->text = path;
                    ref->target = NULL;
                }
            }
        }
    }
}

static void forget_path(forget *f, fb_element *element) {
    if (element->path) {
        fb_table_add(&f->gone, element->path, element);
    }
    const fb_value *owned = fb_get(element, "coordinates");
    for (int k = 0; element->cls->family == FB_JOINT && owned && k < owned->n; k++) {
        forget_path(f, owned->as.objects[k]);
    }
}

static void forget_all(forget *f, fb_model *model) {
    for (int l = 0; l < FB_LIST_COUNT; l++) {
        for (size_t i = 0; i < model->lists[l].n; i++) {
            if (model->lists[l].items[i]->path) {
                fb_table_add(&f->there, model->lists[l].items[i]->path, model);
            }
        }
    }
    for (int l = 0; l < FB_LIST_COUNT; l++) {
        fb_list *list = &model->lists[l];
        size_t kept = 0;
        for (size_t i = 0; i < list->n; i++) {
            fb_element *element = list->items[i];
            const char *path = element->path ? mirrored(&f->m, element->path) : NULL;
            if (path && path != element->path && element->cls != &fb_class_kept &&
                fb_table_find(&f->there, path)) {
                forget_path(f, element);
            } else {
                list->items[kept++] = element;
            }
        }
        list->n = kept;
    }
    for (int l = 0; l < FB_LIST_COUNT; l++) {
        for (size_t i = 0; i < model->lists[l].n; i++) {
            loosen(f, model->lists[l].items[i]);
        }
    }
}

fb_status fb_mirror_forget(fb_model *model, const char *from, const char *to) {
    forget f = {.m = {.job = {.model = model}, .from = to, .to = from}};
    jmp_buf oom, *outer = model->arena.oom;
    fb_arena *const scratch = &f.m.job.scratch;
    fb_arena_init(scratch);
    f.there.arena = f.gone.arena = scratch;
    if (setjmp(oom)) {
        model->arena.oom = outer;
        fb_arena_clear(scratch);
        return FB_E_MEMORY;
    }
    model->arena.oom = scratch->oom = &oom;
    forget_all(&f, model);
    model->arena.oom = outer;
    fb_arena_clear(scratch);
    return FB_OK;
}

/* ---- all --------------------------------------------------------------------------------------
 */

fb_status fb_mirror_missing(fb_model *model, const char *from, const char *to, fb_diag *diag) {
    mirror m = {.job = {.model = model, .diag = diag, .uniform = true}, .from = from, .to = to};
    jmp_buf oom, *outer = model->arena.oom;
    fb_arena_init(&m.job.scratch);
    m.job.frames.arena = m.job.sides.arena = m.job.factors.arena = m.job.done.arena =
        m.copies.arena = m.there.arena = &m.job.scratch;
    if (setjmp(oom)) {
        fb_diag_add(diag, FB_ERROR, FB1003, (fb_place){0}, NULL, "out of memory");
        m.job.status = FB_E_MEMORY;
    } else if (!*from || !*to) {
        fb_diag_add(diag, FB_ERROR, FB2601, (fb_place){0}, NULL,
                    "the names of both sides must be given, such as _r and _l");
        m.job.status = FB_E_INPUT;
    } else {
        model->arena.oom = m.job.scratch.oom = &oom;
        copy_all(&m);
        if (m.n_made == 0) {
            fb_diag_add(diag, FB_ERROR, FB2601, (fb_place){0}, NULL,
                        "nothing has '%s' in its name without having a twin with '%s': there is "
                        "nothing to be mirrored",
                        from, to);
            m.job.status = FB_E_INPUT;
        } else {
            place_all(&m);
            mirror_groups(&m);
            if (m.job.status == FB_OK) {
                m.job.status = fb_model_link(model, diag);
            }
        }
    }
    model->arena.oom = outer;
    fb_arena_clear(&m.job.scratch);
    return m.job.status;
}
