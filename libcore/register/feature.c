#include "libcore/register/feature.h"

#include <ctype.h>
#include <string.h>

#include "libcore/base/spatial.h"
#include "libcore/base/table.h"

#define LONGEST 200 /* of a name and its body together, where they are compared */

/* ---- lists ----------------------------------------------------------------------------------- */

void fb_features_init(fb_features *features) {
    memset(features, 0, sizeof *features);
    fb_arena_init(&features->arena);
}

void fb_features_free(fb_features *features) {
    fb_arena_clear(&features->arena);
    fb_features_init(features);
}

void fb_features_add(fb_features *features, const fb_feature *feature) {
    fb_feature copy = *feature;
    copy.name = feature->name ? fb_arena_dup(&features->arena, feature->name) : NULL;
    copy.body = feature->body ? fb_arena_dup(&features->arena, feature->body) : NULL;
    FB_PUSH(&features->arena, features->items, features->n, features->capacity, copy);
}

void fb_pairs_init(fb_pairs *pairs) {
    memset(pairs, 0, sizeof *pairs);
    fb_arena_init(&pairs->arena);
}

void fb_pairs_free(fb_pairs *pairs) {
    fb_arena_clear(&pairs->arena);
    fb_pairs_init(pairs);
}

void fb_pairs_add(fb_pairs *pairs, const fb_pair *pair) {
    fb_pair copy = *pair;
    copy.name = pair->name ? fb_arena_dup(&pairs->arena, pair->name) : NULL;
    copy.body = pair->body ? fb_arena_dup(&pairs->arena, pair->body) : NULL;
    FB_PUSH(&pairs->arena, pairs->items, pairs->n, pairs->capacity, copy);
}

/* ---- names ----------------------------------------------------------------------------------- */

static bool is_blank(char c) {
    return c == ' ' || c == '_';
}

static bool same(const char *a, const char *b) {
    for (; *a && *b; a++, b++) {
        if (*a != *b && !(is_blank(*a) && is_blank(*b))) {
            return false;
        }
    }
    return *a == *b;
}

bool fb_feature_same_name(const char *a, const char *b) {
    return same(a ? a : "", b ? b : "");
}

const fb_feature *fb_features_find(const fb_features *features, const char *body,
                                   const char *name) {
    for (size_t i = 0; i < features->n; i++) {
        const fb_feature *f = &features->items[i];
        if (fb_feature_same_name(f->name, name) && (!body || fb_feature_same_name(f->body, body))) {
            return f;
        }
    }
    return NULL;
}

/* What a text has, in letters of the case that is there: the k-th letter of `word`. */
static char in_case_of(char c, char like) {
    return (char)(isupper((unsigned char)like) ? toupper((unsigned char)c) : c);
}

static size_t begins(const char *p, const char *word) {
    size_t n = 0;
    for (; word[n]; n++) {
        if (tolower((unsigned char)p[n]) != word[n]) {
            return 0;
        }
    }
    return n;
}

/* A single R or L says a side where it stands alone ("r_hip", "FEMUR_R"), or before capitals
 * ("RASI", "R.ASIS"). */
static bool is_side(const char *name, const char *p) {
    char c = (char)tolower((unsigned char)*p);
    bool first = p == name || !isalnum((unsigned char)p[-1]);
    bool last = !isalnum((unsigned char)p[1]);
    return (c == 'r' || c == 'l') && first &&
           (last || (p == name && isupper((unsigned char)p[0]) && isupper((unsigned char)p[1])));
}

bool fb_feature_other_side(const char *name, char *to, size_t room) {
    bool changed = false;
    size_t n = 0;
    for (const char *p = name; *p && n + 8 < room;) {
        bool at_word = p == name || !isalpha((unsigned char)p[-1]) ||
                       (isupper((unsigned char)p[0]) && islower((unsigned char)p[-1]));
        size_t right = at_word ? begins(p, "right") : 0, left = at_word ? begins(p, "left") : 0;
        if (right || left) {
            const char *word = right ? "left" : "right";
            for (size_t k = 0; word[k]; k++) {
                to[n++] = in_case_of(word[k], p[k < 1 ? 0 : 1]);
            }
            p += right + left;
            changed = true;
        } else if (is_side(name, p)) {
            to[n++] = in_case_of(tolower((unsigned char)*p) == 'r' ? 'l' : 'r', *p);
            p++;
            changed = true;
        } else {
            to[n++] = *p++;
        }
    }
    to[n] = 0;
    return changed;
}

/* ---- pairs ----------------------------------------------------------------------------------- */

/* One skeleton's points, found by body and name. */
typedef struct side {
    const fb_features *points;
    fb_table table; /* "body\nname" to fb_feature */
    bool *used, *again;
    const char *whose, *other;
} side;

typedef struct matcher {
    fb_arena arena;
    fb_pairs *pairs;
    fb_diag *diag;
    bool failed;
} matcher;

static const char *key_of(fb_arena *arena, const char *body, const char *name) {
    char *key = fb_arena_printf(arena, "%s\n%s", body ? body : "", name ? name : "");
    for (char *p = key; *p; p++) {
        *p = *p == ' ' ? '_' : *p;
    }
    return key;
}

static const fb_feature *find(matcher *m, const side *s, const char *body, const char *name) {
    return fb_table_find(&s->table, key_of(&m->arena, body, name));
}

/* Fills a side's table; points that are there twice are told. */
static void enter(matcher *m, side *s) {
    s->table.arena = &m->arena;
    s->used = fb_arena_array(&m->arena, s->points->n + 1, sizeof *s->used);
    s->again = fb_arena_array(&m->arena, s->points->n + 1, sizeof *s->again);
    for (size_t i = 0; i < s->points->n; i++) {
        const fb_feature *f = &s->points->items[i];
        const char *key = key_of(&m->arena, f->body, f->name);
        const fb_feature *first = fb_table_find(&s->table, key);
        fb_place place = {s->points->file, f->line, NULL, NULL};
        if (!first) {
            fb_table_add(&s->table, key, &s->points->items[i]);
            continue;
        }
        s->again[i] = true;
        if (fb_v3_distance(first->location, f->location) > FB_FEATURE_TIE) {
            m->failed = true;
            fb_diag_add(m->diag, FB_ERROR, FB1412, place, NULL,
                        "the feature point '%s' of '%s' is there twice, at different places%s; one "
                        "of them must go, or have another name",
                        f->name, f->body ? f->body : "",
                        first->line > 0
                            ? fb_arena_printf(&m->arena, " (lines %d and %d)", first->line, f->line)
                            : "");
        } else {
            fb_diag_add(m->diag, FB_WARNING, FB1412, place, "it counts once",
                        "the feature point '%s' of '%s' is there twice", f->name,
                        f->body ? f->body : "");
        }
    }
}

/* Names of one side's points of a body (NULL: any) that have no partner yet. */
typedef struct names {
    const side *side;
    const char *body;
} names;

static const char *next_name(const void *context, int i) {
    const names *n = context;
    const fb_features *points = n->side->points;
    for (size_t k = 0; k < points->n; k++) {
        if (!n->side->used[k] && !n->side->again[k] &&
            (!n->body || fb_feature_same_name(points->items[k].body, n->body)) && i-- == 0) {
            return points->items[k].name;
        }
    }
    return NULL;
}

/* Tells of a point without a partner what may have been meant on the other side. */
static void tell_lonely(matcher *m, const side *mine, const side *other, const fb_feature *f) {
    char exchanged[LONGEST];
    const char *hint = "", *body = f->body ? f->body : "";
    names same_body = {other, f->body}, any = {other, NULL};
    bool sided = strlen(f->name) + 8 < LONGEST &&
                 fb_feature_other_side(f->name, exchanged, sizeof exchanged);
    const fb_feature *there = fb_features_find(other->points, NULL, f->name);
    const fb_feature *mirrored = sided ? fb_features_find(other->points, NULL, exchanged) : NULL;
    const char *near_name = fb_nearest_word(f->name, next_name, &same_body);
    if (there) {
        hint = fb_arena_printf(&m->arena, "; '%s' has one of that name", there->body);
    } else if (mirrored && !other->used[mirrored - other->points->items]) {
        hint = fb_arena_printf(&m->arena, "; '%s' is there: are left and right exchanged?",
                               mirrored->name);
    } else if (near_name || (near_name = fb_nearest_word(f->name, next_name, &any)) != NULL) {
        hint = fb_arena_printf(&m->arena, "; is '%s' meant?", near_name);
    }
    fb_diag_add(m->diag, FB_WARNING, FB1412, (fb_place){mine->points->file, f->line, NULL, NULL},
                "it is not used", "the feature point '%s' of '%s' %s has no partner %s%s", f->name,
                body, mine->whose, mine->other, hint);
}

static void match(matcher *m, const fb_features *standard, const fb_features *target) {
    side sides[2] = {
        {.points = standard, .whose = "of the standard", .other = "on the new skeleton"},
        {.points = target, .whose = "of the new skeleton", .other = "in the standard"}};
    enter(m, &sides[0]);
    enter(m, &sides[1]);
    for (size_t i = 0; i < standard->n; i++) {
        const fb_feature *s = &standard->items[i];
        const fb_feature *t = sides[0].again[i] ? NULL : find(m, &sides[1], s->body, s->name);
        if (!t) {
            continue;
        }
        sides[0].used[i] = sides[1].used[t - target->items] = true;
        fb_pair pair = {.name = s->name,
                        .body = s->body,
                        .weight = s->weight * t->weight,
                        .line = s->line};
        memcpy(pair.standard, s->location, sizeof pair.standard);
        memcpy(pair.target, t->location, sizeof pair.target);
        fb_pairs_add(m->pairs, &pair);
    }
    for (int k = 0; k < 2; k++) {
        for (size_t i = 0; i < sides[k].points->n; i++) {
            if (!sides[k].used[i] && !sides[k].again[i]) {
                tell_lonely(m, &sides[k], &sides[1 - k], &sides[k].points->items[i]);
            }
        }
    }
    if (!m->failed && m->pairs->n == 0) {
        m->failed = true;
        fb_diag_add(m->diag, FB_ERROR, FB1412, (fb_place){target->file, 0, NULL, NULL}, NULL,
                    "no feature point of the new skeleton (%zu) has the body and the name of one "
                    "of the standard (%zu)",
                    target->n, standard->n);
    }
}

fb_status fb_pairs_match(fb_pairs *pairs, const fb_features *standard, const fb_features *target,
                         fb_diag *diag) {
    matcher m = {.pairs = pairs, .diag = diag};
    jmp_buf oom, *outer = pairs->arena.oom;
    fb_arena_init(&m.arena);
    fb_status status = FB_OK;
    if (setjmp(oom)) {
        diag->out_of_memory = 1;
        status = FB_E_MEMORY;
    } else {
        m.arena.oom = pairs->arena.oom = &oom;
        match(&m, standard, target);
        status = m.failed ? FB_E_INPUT : FB_OK;
    }
    pairs->arena.oom = outer;
    fb_arena_clear(&m.arena);
    return status;
}
