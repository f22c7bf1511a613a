/* The parts of which recipes are made; internal to bundle. */
#ifndef FB_BUNDLE_RECIPE_INTERNAL_H
#define FB_BUNDLE_RECIPE_INTERNAL_H

#include "libcore/bundle/recipe.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- anatomy: what is known of a muscle by its name ------------------------------------------ */

typedef enum fb_limb { FB_LIMB_UNKNOWN, FB_LIMB_LEG, FB_LIMB_ARM, FB_LIMB_TRUNK } fb_limb;

typedef struct fb_anatomy {
    const char *muscle, *head; /* head NULL: the whole muscle */
    fb_limb limb;
    double ratio;       /* fibre length / belly length; 0: not known */
    double length;      /* of the belly, m; 0: not known */
    double proximal;    /* part of the tendon that lies between origin and belly */
    double most;        /* of the path, that the belly may take */
    const char *source; /* of ratio and length */
    const char *names;  /* by which models call it: lower-case letters and digits only */
} fb_anatomy;

#define FB_NAME_TOKENS 16
#define FB_NAME_LETTERS 24

/* A name of a line taken apart: "BIClong_r" is "bic", "long" and side 'r'. */
typedef struct fb_line_name {
    char tokens[FB_NAME_TOKENS][FB_NAME_LETTERS + 1];
    int n;
    int stem;                  /* so many tokens before words for heads and numbers; at least 1 */
    char side;                 /* 'r', 'l' or 0 */
    const fb_anatomy *anatomy; /* NULL: not known */
    bool known; /* what follows the name in the table are words for heads and numbers only */
} fb_line_name;

/* Takes a name apart. `side` if it is known otherwise ('l': the name begins with an L for left). */
void fb_line_name_parse(fb_line_name *name, const char *text, char side);
/* True if both are of the same muscle and side as far as names tell. */
bool fb_line_name_same(const fb_line_name *a, const fb_line_name *b);
/* True if a text is the name of that muscle: "gluteus maximus", "Gluteus_maximus". */
bool fb_anatomy_is(const fb_anatomy *anatomy, const char *text);

/* ---- courses as polylines -------------------------------------------------------------------- */

/* Working memory for one course at a time; the points of the last. */
typedef struct fb_tracer {
    fb_course course;
    double (*points)[3]; /* n of at most `most`, in ground */
    int n, most;
} fb_tracer;

void fb_tracer_new(fb_tracer *tracer, fb_arena *arena, const fb_paths *paths, double (*links)[3]);
/* The course of path i in a pose, with points on wrap objects so dense that it turns by at most 5
 * degrees at each; or a sentence that says why there is none. No allocation. */
const char *fb_tracer_run(fb_tracer *tracer, const fb_paths *paths, int i, const fb_state *state);
/* Gives a core its points, and lengths along it; points that coincide are dropped. Allocates if it
 * never had so many. */
void fb_core_set(fb_core *core, fb_arena *arena, double (*points)[3], int n, bool backwards);

/* ---- lines: the model's muscles -------------------------------------------------------------- */

typedef struct fb_muscle_line {
    const fb_element *element;
    fb_line_name name;
    int path;            /* number in fb_paths, -1 for none */
    fb_core core;        /* its course in the pose, from origin to insertion */
    const char *refusal; /* there is no course, and why */
    int body[2];         /* at origin and insertion; negative: a virtual link */
    const char *note;    /* there is one, but; NULL: nothing */
    bool sure;           /* which end is the origin is known from the bodies */
    int recipe;          /* of which it is a line; -1: none yet */
} fb_muscle_line;

typedef struct fb_recipe_maker {
    fb_recipes *recipes;
    fb_arena *arena; /* theirs */
    const fb_paths *paths;
    const fb_state *state;
    const fb_recipe_options *options;
    fb_diag *diag;
    fb_muscle_line *lines; /* n_lines, in the model's order */
    int n_lines;
    size_t capacity; /* of recipes */
    double *hanging; /* n_body: mass of each body and all that it carries, kg */
    bool *only;      /* n_body, all false but while one is looked at */
    bool *between;   /* n_body: bodies between the attachments of the recipe that is made */
    fb_tracer *tracer;
    int *way; /* n_body: see fb_recipe_way */
    fb_status status;
} fb_recipe_maker;

/* The course of each line; what cannot be computed gets a refusal. */
void fb_recipe_trace(fb_recipe_maker *maker);
/* Exchanges a line's origin and insertion. */
void fb_recipe_turn_line(fb_recipe_maker *maker, fb_muscle_line *line);
/* Finds the way between two bodies along the tree: maker->way[i] becomes the body of the way from
 * which body i hangs, which is i itself for those on it. */
void fb_recipe_way(const fb_recipe_maker *maker, int from, int to);
/* Which lines are one muscle: recipes with names and lines. */
void fb_recipe_group(fb_recipe_maker *maker);
fb_recipe *fb_recipe_add(fb_recipe_maker *maker, const int *lines, int n, bool guessed);

/* The number of a line by its name, or -1. */
int fb_recipe_find_line(const fb_recipe_maker *maker, const char *name);
/* True if a name is that of a recipe ("glut_max_r", "TRI"), or its anatomical name with its side or
 * without ("gluteus maximus", "gluteus_maximus_r"). */
bool fb_recipe_is_called(const fb_recipe *recipe, const char *name);
/* An error about the spec at a line of its file; the status becomes FB_E_INPUT. */
void fb_recipe_refuse_entry(fb_recipe_maker *maker, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The one core of a muscle whose surface is given, and its profile; or a refusal. False with an
 * error in the maker's diag if a frame is not there. */
bool fb_recipe_shape(fb_recipe_maker *maker, fb_recipe *recipe);
/* Both in another pose. */
void fb_recipe_move_profile(fb_recipe *recipe, const fb_state *state);

/* Volume, shares, mean fibre length and pennation; or a refusal. What the spec says of a core's
 * share waits in `share`, NaN for nothing. */
void fb_recipe_choose_volume(const fb_recipe_maker *maker, fb_recipe *recipe);
/* Bellies, tendons, width, or a refusal. What the spec says of a core's tendon and belly length
 * waits in `belly`, NaN for nothing. */
void fb_recipe_choose_belly(const fb_recipe_maker *maker, fb_recipe *recipe);
/* Width and height at the bellies' lengths. */
void fb_recipe_measure(fb_recipe *recipe, double packing);
/* The same axes in another pose, when its cores are there. */
void fb_recipe_follow(fb_recipe *recipe, const fb_state *state);
/* Height, width, twist of a recipe with cores. */
void fb_recipe_orient(const fb_recipe_maker *maker, fb_recipe *recipe);

/* A sentence about a recipe. */
void fb_recipe_note(const fb_recipe_maker *maker, fb_recipe *recipe, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#ifdef __cplusplus
}
#endif
/* What measured fascicles say beside their length: their mean angle to the cores is the pennation,
 * and from the first to the last along the core nearest to them lies its belly, unless its length
 * was given. */
void fb_recipe_follow_fascicles(fb_recipe *recipe);

#endif
