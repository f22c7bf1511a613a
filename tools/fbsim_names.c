/* fbsim: names and values on the command line, of coordinates, muscles and other paths. */
#include <fnmatch.h>
#include <math.h>
#include <string.h>

#include "libcore/base/number.h"
#include "tools/fbsim.h"

#define RADIANS (3.14159265358979323846 / 180)
#define LONGEST_NAME 1024

bool fb_fbsim_compat(const fb_cli *cli, bool *as_opensim4) {
    const char *compat = fb_cli_value(cli, "compat");
    if (!compat) {
        return true;
    }
    *as_opensim4 = strcmp(compat, "opensim4") == 0;
    if (!*as_opensim4 && strcmp(compat, "none") != 0) {
        fb_cli_say(cli, "--compat is 'opensim4' or 'none', not '%s'", compat);
        return false;
    }
    return true;
}

bool fb_fbsim_motion_files(const fb_cli *cli, const char *command, const char **motion,
                           const char **model) {
    *motion = fb_cli_value(cli, "coordinates");
    *model = cli->n_operands > 1 ? cli->operands[1] : "-";
    if (!*motion) {
        fb_cli_say(cli, "%s needs --coordinates FILE.mot", command);
        return false;
    }
    if (strcmp(*motion, "-") == 0 && strcmp(*model, "-") == 0) {
        fb_cli_say(cli, "standard input can be the model or the coordinates, not both");
        return false;
    }
    return true;
}

fb_motion fb_fbsim_motion(const fb_coordinate *c) {
    return c->element    ? fb_coordinate_motion(c->element)
           : c->slot < 3 ? FB_ROTATIONAL /* of an added free joint */
                         : FB_TRANSLATIONAL;
}

/* ---- coordinates ----------------------------------------------------------------------------- */

static const char *next_coordinate(const void *context, int i) {
    const fb_system *system = context;
    return i < system->n_q ? fb_path_name(system->coordinates[i].path) : NULL;
}

static int look_up(const fb_system *system, const char *name) {
    for (int i = 0; i < system->n_q; i++) {
        const char *path = system->coordinates[i].path;
        if (strcmp(name, path) == 0 || strcmp(name, fb_path_name(path)) == 0) {
            return i;
        }
    }
    return -1;
}

int fb_fbsim_coordinate(const fb_cli *cli, const fb_simulation *s, const char *file,
                        const char *name) {
    int found = look_up(s->system, name);
    if (found < 0) {
        const char *near = fb_nearest_word(name, next_coordinate, s->system);
        fb_cli_say(cli, "%s has no coordinate '%s'%s%s%s", file, name,
                   near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    }
    return found;
}

bool fb_fbsim_coordinate_value(const fb_cli *cli, const fb_coordinate *c, const char *text,
                               size_t n, bool degrees, double *value) {
    bool stated = n > 3 && strncmp(text + n - 3, "deg", 3) == 0;
    degrees = degrees || stated;
    if (degrees && fb_fbsim_motion(c) == FB_TRANSLATIONAL) {
        fb_cli_say(cli, "'%s' does not turn: its values are in metres, not degrees",
                   fb_path_name(c->path));
        return false;
    }
    if (!fb_number_parse(text, stated ? n - 3 : n, value) || !isfinite(*value)) {
        fb_cli_say(cli,
                   "a value of '%s' must be a number, with 'deg' behind it if in degrees; got "
                   "'%.*s'",
                   fb_path_name(c->path), (int)n, text);
        return false;
    }
    *value *= degrees ? RADIANS : 1;
    return true;
}

void fb_fbsim_tell_held(const fb_cli *cli, fb_simulation *s, const char *file, int coordinate) {
    fb_coordinate *c = &s->system->coordinates[coordinate];
    const char *name = fb_path_name(c->path);
    if ((c->locked || c->prescribed) && !cli->quiet) {
        fb_cli_say(cli, "note: '%s' is %s in %s; it is moved all the same", name,
                   c->prescribed ? "prescribed" : "locked", file);
    }
    c->prescribed = false; /* then it counts as locked: right where it is */
    for (int i = 0; i < s->system->n_constraint && !cli->quiet; i++) {
        const fb_constraint *k = &s->system->constraints[i];
        if (k->kind == FB_CONSTRAINT_COUPLER && k->coordinate == coordinate) {
            fb_cli_say(cli, "note: '%s' depends on other coordinates in %s; they follow it", name,
                       file);
        }
    }
}

bool fb_fbsim_set(const fb_cli *cli, fb_simulation *s, const char *file, bool must, int *held,
                  int *n_held) {
    const char *text;
    for (int i = 0; (text = fb_cli_values(cli, "set", i)); i++) {
        size_t n = strcspn(text, "=");
        char name[LONGEST_NAME];
        double value;
        snprintf(name, sizeof name, "%.*s", (int)n, text);
        if (!text[n] || n == 0) {
            fb_cli_say(cli, "--set must be NAME=VALUE; got '%s'", text);
            return false;
        }
        int found = look_up(s->system, name);
        if (found < 0 && !must) { /* of the second model by its name alone */
            found = look_up(s->system, fb_path_name(name));
        }
        if (found < 0 && must) {
            fb_fbsim_coordinate(cli, s, file, name);
            return false;
        }
        if (found < 0) {
            if (!cli->quiet) {
                fb_cli_say(cli, "note: %s has no coordinate '%s' to set", file, name);
            }
            continue;
        }
        if (!fb_fbsim_coordinate_value(cli, &s->system->coordinates[found], text + n + 1,
                                       strlen(text + n + 1), false, &value)) {
            return false;
        }
        int at = 0;
        while (at < *n_held && held[at] != found) {
            at++;
        }
        if (at == *n_held) {
            held[(*n_held)++] = found;
            fb_fbsim_tell_held(cli, s, file, found);
        }
        s->system->coordinates[found].initial = value;
    }
    return true;
}

const char *fb_fbsim_set_line(fb_arena *arena, const fb_simulation *s, const int *held,
                              int n_held) {
    const char *line = "";
    char number[FB_NUMBER_MAX];
    for (int i = 0; i < n_held; i++) {
        const fb_coordinate *c = &s->system->coordinates[held[i]];
        fb_number_print(number, c->initial);
        line = fb_arena_printf(arena, "%s%s%s=%s", line,
                               i ? "," : "set=", fb_fbsim_plain(arena, fb_path_name(c->path)),
                               number);
    }
    return n_held ? fb_arena_printf(arena, "%s\n", line) : "";
}

/* ---- muscles and other paths ----------------------------------------------------------------- */

/* The next of several names with commas between; false past the last. */
static bool next_name(const char **list, char *name) {
    size_t n = strcspn(*list, ",");
    if (!**list) {
        return false;
    }
    snprintf(name, LONGEST_NAME, "%.*s", (int)n, *list);
    *list += n + ((*list)[n] == ',');
    return true;
}

/* By its name, its component path, or the name of a group of the model that it is in. */
static bool selects(const fb_simulation *s, const char *glob, const fb_element *element) {
    const fb_model *model = s->system->model;
    const char *path = element->path, *name = fb_path_name(path);
    if (fnmatch(glob, name, 0) == 0 || fnmatch(glob, path, 0) == 0) {
        return true;
    }
    for (size_t i = 0; i < model->n_groups; i++) {
        const fb_group *group = &model->groups[i];
        size_t n = strlen(group->set);
        if (!group->name || strncmp(path, group->set, n) != 0 || path[n] != '/' ||
            fnmatch(glob, group->name, 0) != 0) {
            continue;
        }
        for (int k = 0; k < group->n_members; k++) {
            if (strcmp(group->members[k], path + n + 1) == 0) {
                return true;
            }
        }
    }
    return false;
}

bool fb_fbsim_is_wanted(const fb_cli *cli, const fb_simulation *s, const fb_element *element) {
    const char *list;
    char name[LONGEST_NAME];
    for (int i = 0; (list = fb_cli_values(cli, "muscle", i)); i++) {
        while (next_name(&list, name)) {
            if (selects(s, name, element)) {
                return true;
            }
        }
    }
    return !fb_cli_value(cli, "muscle");
}

static bool is_muscle(const fb_simulation *s, int path) {
    for (int i = 0; i < s->muscles->n; i++) {
        if (s->muscles->muscles[i].path == path) {
            return true;
        }
    }
    return false;
}

/* The first path that a name selects, or -1. */
static int selected(const fb_simulation *s, const char *name, bool paths) {
    for (int i = 0; i < s->paths->n_paths; i++) {
        if ((paths || is_muscle(s, i)) && selects(s, name, s->paths->paths[i].owner)) {
            return i;
        }
    }
    return -1;
}

/* Names that may be meant: of muscles or all paths, and of groups. */
typedef struct candidates {
    const fb_simulation *s;
    bool paths;
} candidates;

static const char *next_candidate(const void *context, int i) {
    const candidates *c = context;
    const fb_model *model = c->s->system->model;
    int n = c->paths ? c->s->paths->n_paths : c->s->muscles->n;
    if (i < n) {
        return fb_path_name(c->paths ? c->s->paths->paths[i].owner->path
                                     : c->s->muscles->muscles[i].element->path);
    }
    return i - n < (int)model->n_groups ? model->groups[i - n].name : NULL;
}

static void tell_unknown(const fb_cli *cli, const fb_simulation *s, const char *file,
                         const char *name, bool paths) {
    const candidates known = {s, paths};
    const char *near = strpbrk(name, "*?[") ? NULL : fb_nearest_word(name, next_candidate, &known);
    int other = paths ? -1 : selected(s, name, true);
    if (other >= 0) {
        const fb_element *owner = s->paths->paths[other].owner;
        fb_cli_say(cli, "%s has no muscle '%s'; it is a %s%s", file, name, owner->cls->name,
                   strcmp(cli->operands[0], "sweep") == 0 ? ": --paths sweeps it" : "");
    } else {
        fb_cli_say(cli, "%s has no %s '%s'%s%s%s", file, paths ? "muscle or other path" : "muscle",
                   name, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    }
}

bool fb_fbsim_find_all(const fb_cli *cli, const fb_simulation *first, const fb_simulation *second,
                       const char *file, bool paths) {
    const char *list;
    char name[LONGEST_NAME];
    for (int i = 0; (list = fb_cli_values(cli, "muscle", i)); i++) {
        while (next_name(&list, name)) {
            if (selected(first, name, paths) < 0 &&
                (!second || selected(second, name, paths) < 0)) {
                tell_unknown(cli, first, file, name, paths);
                return false;
            }
        }
    }
    return true;
}
