/* fbplot: what the columns of a table are, and in which unit. Only what the table says, or what its
 * kind makes certain, counts; the rest has no unit. */
#include <fnmatch.h>
#include <math.h>
#include <string.h>
#include <strings.h>

#include "tools/fbplot.h"

#define DEGREES (180 / M_PI)
#define MOST_RADIANS \
    20 /* beyond this, "radians" are degrees that an old program did not declare \
        */

/* Whether angles are in degrees. OpenSim before version 4 often wrote inDegrees=no over degrees, so
 * that "no" is believed of its newer column names only. */
typedef enum angles { UNKNOWN, IN_DEGREES, IN_RADIANS } angles;

typedef enum motion { NO_COORDINATE, TURNS, SLIDES, EITHER } motion;

typedef struct context {
    fb_plot_table *table;
    const fb_plot_hints *hints;
    fb_arena *arena;
    const char *kind; /* the table's name, "" if it has none */
    bool is_fbsim;
    const char *sliding, *coupled; /* of fbsim's header: names with commas between; or NULL */
    angles angles;
} context;

/* ---- small things about texts ---------------------------------------------------------------- */

static bool ends_with(const char *text, const char *end) {
    size_t n = strlen(text), m = strlen(end);
    return n > m && strcmp(text + n - m, end) == 0;
}

/* Without the last n bytes. */
static const char *without(const context *c, const char *text, size_t n) {
    return fb_arena_text(c->arena, text, strlen(text) - n);
}

const char *fb_plot_clean(fb_arena *arena, const char *text) {
    size_t n = strlen(text), used = 0;
    char *out = fb_arena_alloc(arena, 3 * n + 1);
    const unsigned char *p = (const unsigned char *)text;
    while (*p) {
        size_t more = *p < 0x80 ? 0 : *p >= 0xF0 ? 3 : *p >= 0xE0 ? 2 : 1;
        bool good = *p >= 0x20 && *p != 0x7F && !(*p >= 0x80 && *p < 0xC2) && *p < 0xF5;
        for (size_t i = 1; i <= more && good; i++) {
            good = (p[i] & 0xC0) == 0x80;
        }
        if (good && more == 2) { /* overlong, surrogates, U+FFFE and U+FFFF */
            good = !(p[0] == 0xE0 && p[1] < 0xA0) && !(p[0] == 0xED && p[1] >= 0xA0) &&
                   !(p[0] == 0xEF && p[1] == 0xBF && p[2] >= 0xBE);
        }
        if (good && more == 3) {
            good = !(p[0] == 0xF0 && p[1] < 0x90) && !(p[0] == 0xF4 && p[1] >= 0x90);
        }
        if (good) {
            memcpy(out + used, p, more + 1);
            used += more + 1;
            p += more + 1;
        } else {
            memcpy(out + used, "\xEF\xBF\xBD", 3);
            used += 3;
            p++;
        }
    }
    return out;
}

/* Whether the table has a column of this name. */
static bool has_column(const context *c, const char *name) {
    return fb_sto_column(&c->table->data, name) >= 0;
}

/* ---- coordinates ----------------------------------------------------------------------------- */

static motion motion_in_model(const fb_model *model, const char *name) {
    const fb_element *coordinate = fb_model_find(model, FB_COORDINATE, name);
    if (!coordinate) {
        return NO_COORDINATE;
    }
    fb_motion m = fb_coordinate_motion(coordinate);
    return m == FB_ROTATIONAL ? TURNS : m == FB_TRANSLATIONAL ? SLIDES : EITHER;
}

/* From the last word of a name, sides left out: words that models use for nothing else. */
static motion motion_by_name(const char *name) {
    static const char *const turning[] = {
        "angle", "flexion",   "flex",      "extension", "ext",          "adduction",
        "add",   "abduction", "abd",       "rotation",  "rot",          "tilt",
        "list",  "bending",   "obliquity", "inversion", "eversion",     "supination",
        "elv",   "elev",      "pronation", "deviation", "dev",          "rx",
        "ry",    "rz",        "pro_sup",   "lat_bend",  "dorsiflexion", "plantarflexion",
    };
    static const char *const sliding[] = {"tx", "ty", "tz"};
    static const char *const sides[] = {"_r", "_l", "_R", "_L", "_right", "_left"};
    char word[64];
    size_t n = strlen(name);
    for (size_t i = 0; i < sizeof sides / sizeof sides[0]; i++) {
        if (ends_with(name, sides[i])) {
            n -= strlen(sides[i]);
            break;
        }
    }
    if (n >= sizeof word) {
        return EITHER;
    }
    memcpy(word, name, n);
    word[n] = 0;
    for (size_t i = 0; i < sizeof turning / sizeof turning[0]; i++) {
        size_t m = strlen(turning[i]);
        if (n >= m && strcasecmp(word + n - m, turning[i]) == 0 &&
            (n == m || strchr("_./", word[n - m - 1]))) {
            return TURNS;
        }
    }
    for (size_t i = 0; i < sizeof sliding / sizeof sliding[0]; i++) {
        if (n > 2 && strcmp(word + n - 2, sliding[i]) == 0 && strchr("_./", word[n - 3])) {
            return SLIDES;
        }
    }
    return EITHER;
}

/* Whether a name is one of a list with commas between. */
static bool is_listed(const context *c, const char *list, const char *name) {
    return strstr(fb_arena_printf(c->arena, ",%s,", list),
                  fb_arena_printf(c->arena, ",%s,", name)) != NULL;
}

static motion motion_of(const context *c, const char *name) {
    if (c->hints->model) {
        return motion_in_model(c->hints->model, name);
    }
    if (c->sliding && c->coupled) {
        return is_listed(c, c->sliding, name)   ? SLIDES
               : is_listed(c, c->coupled, name) ? EITHER
                                                : TURNS;
    }
    return motion_by_name(name);
}

/* Position, speed or acceleration of a coordinate: order 0, 1, 2. */
static void set_coordinate(const context *c, fb_plot_column *column, const char *coordinate,
                           int order) {
    static const char *const angle[] = {"angle", "angular velocity", "angular acceleration"};
    static const char *const place[] = {"translation", "velocity", "acceleration"};
    static const char *const either[] = {"coordinate value", "coordinate speed",
                                         "coordinate acceleration"};
    static const char *const degrees[] = {"°", "°/s", "°/s²"};
    static const char *const radians[] = {"rad", "rad/s", "rad/s²"};
    static const char *const metres[] = {"m", "m/s", "m/s²"};
    static const char *const any[] = {"rad or m", "rad/s or m/s", "rad/s² or m/s²"};
    motion m = motion_of(c, coordinate);
    column->object = fb_path_name(coordinate);
    column->quantity = (m == TURNS ? angle : m == SLIDES ? place : either)[order];
    if (m == SLIDES) {
        column->unit = metres[order];
    } else if (m == TURNS && c->angles != UNKNOWN) {
        column->unit = (c->angles == IN_DEGREES ? degrees : radians)[order];
    } else if (c->coupled && is_listed(c, c->coupled, coordinate)) {
        column->unit = any[order];
    }
}

/* Of a moment arm about a coordinate in fbsim's tables. */
static const char *arm_unit(const context *c, const char *coordinate) {
    motion m = motion_of(c, coordinate);
    return !c->is_fbsim ? NULL : m == TURNS ? "m" : m == SLIDES ? "" : c->coupled ? "m or 1" : NULL;
}

/* Of an entry of fbsim's mass matrix. */
static const char *mass_unit(const context *c, const char *one, const char *other) {
    motion a = motion_of(c, one), b = motion_of(c, other);
    bool known = (a == TURNS || a == SLIDES) && (b == TURNS || b == SLIDES);
    return !c->is_fbsim                 ? NULL
           : !known                     ? (c->coupled ? "kg, kg m or kg m²" : NULL)
           : a == TURNS && b == TURNS   ? "kg m²"
           : a == SLIDES && b == SLIDES ? "kg"
                                        : "kg m";
}

/* A force on a coordinate. */
static void set_generalized_force(const context *c, fb_plot_column *column,
                                  const char *coordinate) {
    motion m = motion_of(c, coordinate);
    column->quantity = m == TURNS ? "moment" : m == SLIDES ? "force" : "generalised force";
    column->unit = m == TURNS ? "N m" : m == SLIDES ? "N" : "N or N m";
}

/* ---- rules, one for each kind of name -------------------------------------------------------- */

/* A name and what it says. */
typedef struct meaning {
    const char *word, *quantity, *unit;
} meaning;

static bool find_meaning(const meaning *list, const char *word, fb_plot_column *column) {
    for (; list->word; list++) {
        if (strcmp(list->word, word) == 0) {
            column->quantity = list->quantity;
            column->unit = list->unit;
            return true;
        }
    }
    return false;
}

/* "NAME (UNIT)" or "NAME [UNIT]", as plain tables have it. */
static bool says_unit(const context *c, fb_plot_column *column) {
    size_t n = strlen(column->name);
    char close = n ? column->name[n - 1] : 0, open = close == ')' ? '(' : close == ']' ? '[' : 0;
    const char *begin = open ? strrchr(column->name, open) : NULL;
    if (!begin || begin == column->name || (size_t)(column->name + n - begin) > 16 ||
        begin + 2 == column->name + n) {
        return false;
    }
    column->unit = fb_arena_text(c->arena, begin + 1, (size_t)(column->name + n - begin) - 2);
    if (strcasecmp(column->unit, "deg") == 0 || strcasecmp(column->unit, "degrees") == 0) {
        column->unit = "°";
    } else if (strcmp(column->unit, "-") == 0 || strcmp(column->unit, "1") == 0) {
        column->unit = "";
    }
    size_t m = (size_t)(begin - column->name);
    while (m > 0 && column->name[m - 1] == ' ') {
        m--;
    }
    column->object = fb_arena_text(c->arena, column->name, m);
    return true;
}

/* "/bodyset/pelvis|px": what fbsim's tables call OBJECT|WORD. */
static bool is_part_name(const context *c, fb_plot_column *column) {
    static const meaning words[] = {
        {"length", "length", "m"},
        {"moment_arm", "moment arm", NULL},
        {"tendon_force", "tendon force", "N"},
        {"tension", "tension", "N"},
        {"fiber_length", "fibre length", "m"},
        {"fiber_velocity", "fibre velocity", "m/s"},
        {"pennation", "pennation angle", "rad"},
        {"active_fiber_force", "active fibre force", "N"},
        {"passive_fiber_force", "passive fibre force", "N"},
        {"normalized_fiber_length", "normalised fibre length", ""},
        {"residual", "residual of tensions", "N"},
        {NULL, NULL, NULL},
    };
    static const char about[] = "moment_arm_about_";
    const char *bar = strrchr(column->name, '|');
    if (!bar || bar == column->name || !bar[1]) {
        return false;
    }
    const char *path = fb_arena_text(c->arena, column->name, (size_t)(bar - column->name));
    const char *word = bar + 1;
    column->object = fb_path_name(path);
    if (strcmp(c->kind, "moment_arm") == 0) {
        column->quantity = fb_arena_printf(c->arena, "moment arm, %s", word);
        column->unit = arm_unit(c, word);
    } else if (strcmp(c->kind, "mass_matrix") == 0) {
        column->quantity = "mass matrix";
        column->object = path;
        column->part = word;
        column->unit = mass_unit(c, path, word);
    } else if (strcmp(c->kind, "virtual_link") == 0 && *word == '/') {
        column->quantity = "tension of wire";
        column->curve = fb_path_name(word);
        column->unit = c->is_fbsim ? "N" : NULL;
    } else if (c->is_fbsim && strncmp(word, about, strlen(about)) == 0) {
        column->quantity = fb_arena_printf(c->arena, "moment arm about %s", word + strlen(about));
        column->unit = arm_unit(c, word + strlen(about));
    } else if (strlen(word) == 2 && word[0] == 'p' && strchr("xyz", word[1])) {
        column->quantity = "position";
        column->part = word + 1;
        column->unit = c->is_fbsim ? "m" : NULL;
    } else if (strlen(word) == 1 && strchr("xyz", word[0])) {
        column->quantity = "position";
        column->part = word;
        column->unit = c->is_fbsim ? "m" : NULL;
    } else if (strlen(word) == 3 && word[0] == 'r' && strspn(word + 1, "012") == 2) {
        column->quantity = "rotation matrix";
        column->part = word;
        column->unit = "";
    } else if (!find_meaning(words, word, column)) {
        column->quantity = word;
    } else if (!c->is_fbsim) {
        column->unit = NULL;
    } else if (strcmp(word, "moment_arm") == 0) { /* of a sweep, about the first column */
        const char *first = c->table->data.columns[0];
        column->unit = arm_unit(c, first);
        if (c->table->is_grid) {
            column->quantity = fb_arena_printf(c->arena, "moment arm about %s", first);
        }
    }
    return true;
}

/* The columns of fbsim curves: "normalized_fiber_length", then "PATH|total_force|0.1", with the
 * activation behind where a curve depends on it. */
static bool is_curve_name(const context *c, fb_plot_column *column, int index) {
    static const char *const kinds[] = {"active",   "passive", "tendon",
                                        "velocity", "total",   "activation"};
    static const meaning axes[] = {
        {"normalized_fiber_length", "normalised fibre length", ""},
        {"fiber_length", "fibre length", "m"},
        {"tendon_strain", "tendon strain", ""},
        {"tendon_length", "tendon length", "m"},
        {"normalized_fiber_velocity", "normalised fibre velocity", ""},
        {"fiber_velocity", "fibre velocity", "m/s"},
        {"activation", "activation", ""},
        {NULL, NULL, NULL},
    };
    static const meaning forces[] = {
        {"active_force", "active force", "N"},
        {"passive_force", "passive force", "N"},
        {"total_force", "total force", "N"},
        {"tendon_force", "tendon force", "N"},
        {NULL, NULL, NULL},
    };
    bool is_curve = false;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        is_curve = is_curve || (c->is_fbsim && strcmp(c->kind, kinds[i]) == 0);
    }
    if (!is_curve) {
        return false;
    }
    if (index == 0) {
        if (find_meaning(axes, column->name, column)) {
            column->object = column->quantity;
        }
        return true;
    }
    const char *rest = column->name, *bar = strrchr(rest, '|');
    if (bar && bar[1] && strspn(bar + 1, "0123456789.eE+-") == strlen(bar + 1)) {
        column->curve = fb_arena_printf(c->arena, "activation %s", bar + 1);
        rest = fb_arena_text(c->arena, rest, (size_t)(bar - rest));
        bar = strrchr(rest, '|');
    }
    if (!bar || !find_meaning(forces, bar + 1, column)) {
        column->curve = NULL;
        return false;
    }
    column->object = fb_path_name(fb_arena_text(c->arena, rest, (size_t)(bar - rest)));
    if (strstr(c->table->data.header, "\nunits=normalized")) {
        column->quantity = fb_arena_printf(c->arena, "normalised %s", column->quantity);
        column->unit = "";
    }
    return true;
}

/* The tables of fbsim with plain names. */
static bool is_fbsim_name(const context *c, fb_plot_column *column, int index) {
    static const meaning com[] = {
        {"com_x", "centre of mass", "m"},
        {"com_y", "centre of mass", "m"},
        {"com_z", "centre of mass", "m"},
        {"vcom_x", "velocity of centre of mass", "m/s"},
        {"vcom_y", "velocity of centre of mass", "m/s"},
        {"vcom_z", "velocity of centre of mass", "m/s"},
        {"kinetic_energy", "kinetic energy", "J"},
        {NULL, NULL, NULL},
    };
    if (!c->is_fbsim) {
        return false;
    }
    if (strcmp(c->kind, "sweep") == 0) {
        if (index <= c->table->is_grid) {
            set_coordinate(c, column, column->name, 0);
            return true;
        }
        if (strncmp(column->name, "strength_", 9) == 0) {
            const char *about = strstr(column->name, "_about_");
            const char *name = about ? about + strlen("_about_") : c->table->data.columns[0];
            set_generalized_force(c, column, name);
            column->quantity = "strength";
            column->object = about ? fb_arena_text(c->arena, column->name + 9,
                                                   (size_t)(about - column->name - 9))
                                   : column->name + 9;
            if (c->table->is_grid) {
                column->object = fb_arena_printf(c->arena, "%s, %s", name, column->object);
            }
            return true;
        }
        return false;
    }
    if (index == 0) {
        return false;
    }
    bool length = strcmp(c->kind, "path_length") == 0, speed = strcmp(c->kind, "path_speed") == 0;
    if (length || speed) {
        column->quantity = length ? "path length" : "path lengthening speed";
        column->unit = length ? "m" : "m/s";
        column->object = fb_path_name(column->name);
        return true;
    }
    if (strcmp(c->kind, "acceleration") == 0) {
        set_coordinate(c, column, column->name, 2);
        return true;
    }
    if (strcmp(c->kind, "inverse_dynamics") == 0) {
        set_generalized_force(c, column, column->name);
        return true;
    }
    return strcmp(c->kind, "com") == 0 && find_meaning(com, column->name, column);
}

/* "/jointset/hip_r/hip_flexion_r/value", "soleus_r.activation": states and the like. */
static bool is_state_name(const context *c, fb_plot_column *column) {
    static const meaning words[] = {
        {"activation", "activation", ""},
        {"excitation", "excitation", ""},
        {"fiber_length", "fibre length", "m"},
        {"fiber_velocity", "fibre velocity", "m/s"},
        {"normalized_tendon_force", "normalised tendon force", ""},
        {NULL, NULL, NULL},
    };
    const char *slash = strrchr(column->name, '/');
    if (slash && slash != column->name) {
        const char *path = fb_arena_text(c->arena, column->name, (size_t)(slash - column->name));
        int order = strcmp(slash, "/value") == 0          ? 0
                    : strcmp(slash, "/speed") == 0        ? 1
                    : strcmp(slash, "/acceleration") == 0 ? 2
                                                          : -1;
        if (order >= 0 && *column->name == '/') {
            context known = *c; /* such names came with OpenSim 4: inDegrees=no is true */
            if (known.angles == UNKNOWN && c->table->data.header &&
                strcasestr(c->table->data.header, "inDegrees=no")) {
                known.angles = IN_RADIANS;
            }
            set_coordinate(&known, column, path, order);
            return true;
        }
        if (find_meaning(words, slash + 1, column)) {
            column->object = fb_path_name(path);
            return true;
        }
        return false;
    }
    const char *dot = strrchr(column->name, '.');
    if (dot && dot != column->name && find_meaning(words, dot + 1, column)) {
        column->object = fb_arena_text(c->arena, column->name, (size_t)(dot - column->name));
        return true;
    }
    if (ends_with(column->name, "_u") &&
        (has_column(c, without(c, column->name, 2)) ||
         (c->hints->model && motion_of(c, without(c, column->name, 2)) != NO_COORDINATE))) {
        set_coordinate(c, column, without(c, column->name, 2), 1);
        return true;
    }
    if (has_column(c, fb_arena_printf(c->arena, "%s_u", column->name))) {
        set_coordinate(c, column, column->name, 0);
        return true;
    }
    return false;
}

/* "pelvis_X", "pelvis_Ox": OpenSim's BodyKinematics, of order 0, 1, 2. */
static bool is_body_name(const context *c, fb_plot_column *column, int order) {
    static const char *const place[] = {"position", "velocity", "acceleration"};
    static const char *const angle[] = {"orientation", "angular velocity", "angular acceleration"};
    static const char *const metres[] = {"m", "m/s", "m/s²"};
    static const char *const degrees[] = {"°", "°/s", "°/s²"};
    static const char *const radians[] = {"rad", "rad/s", "rad/s²"};
    size_t n = strlen(column->name);
    if (n > 2 && column->name[n - 2] == '_' && strchr("XYZ", column->name[n - 1])) {
        column->object = without(c, column->name, 2);
        column->part = column->name + n - 1;
        column->quantity = place[order];
        column->unit = metres[order];
        return true;
    }
    if (n > 3 && strncmp(column->name + n - 3, "_O", 2) == 0 &&
        strchr("xyz", column->name[n - 1])) {
        column->object = without(c, column->name, 3);
        column->part = column->name + n - 1;
        column->quantity = angle[order];
        column->unit = c->angles == IN_DEGREES   ? degrees[order]
                       : c->angles == IN_RADIANS ? radians[order]
                                                 : NULL;
        return true;
    }
    return false;
}

/* Tables whose first line says what OpenSim wrote: its analyses and tools. */
static bool is_of_kind(const context *c, fb_plot_column *column) {
    static const meaning kinds[] = {
        {"ActuatorForces", "actuator force", "N or N m"},
        {"ActuatorPowers", "actuator power", "W"},
        {"ActuatorSpeeds", "actuator speed", "m/s or rad/s"},
        {"controls", "control", ""},
        {"PositionErrors", "position error", NULL},
        {"Inverse Dynamics", "generalised force", "N or N m"},
        {"Length", "muscle-tendon length", "m"},
        {"FiberLength", "fibre length", "m"},
        {"NormalizedFiberLength", "normalised fibre length", ""},
        {"TendonLength", "tendon length", "m"},
        {"FiberVelocity", "fibre velocity", "m/s"},
        {"NormFiberVelocity", "normalised fibre velocity", ""},
        {"TendonForce", "tendon force", "N"},
        {"FiberForce", "fibre force", "N"},
        {"ActiveFiberForce", "active fibre force", "N"},
        {"PassiveFiberForce", "passive fibre force", "N"},
        {"ActiveFiberForceAlongTendon", "active fibre force along tendon", "N"},
        {"PassiveFiberForceAlongTendon", "passive fibre force along tendon", "N"},
        {"FiberActivePower", "active fibre power", "W"},
        {"FiberPassivePower", "passive fibre power", "W"},
        {"TendonPower", "tendon power", "W"},
        {NULL, NULL, NULL},
    };
    static const char *const motions[] = {"Coordinates", "Speeds", "Accelerations"};
    static const char *const bodies[] = {"Positions", "Velocities", "Accelerations"};
    for (int order = 0; order < 3; order++) {
        if (strcmp(c->kind, bodies[order]) == 0 && is_body_name(c, column, order)) {
            return true;
        }
        if (strcmp(c->kind, motions[order]) == 0) {
            set_coordinate(c, column, column->name, order);
            return true;
        }
    }
    if (strcmp(c->kind, "Inverse Dynamics Generalized Forces") == 0) {
        bool moment = ends_with(column->name, "_moment");
        if (moment || ends_with(column->name, "_force")) {
            column->quantity = moment ? "moment" : "force";
            column->unit = moment ? "N m" : "N";
            column->object = without(c, column->name, strlen(column->quantity) + 1);
            return true;
        }
    }
    return find_meaning(kinds, c->kind, column);
}

/* "1_ground_force_vx", "ground_torque_y": external loads as OpenSim's models use them, in SI. */
static bool is_load_name(const context *c, fb_plot_column *column) {
    size_t n = strlen(column->name);
    if (n < 9 || !strchr("xyz", column->name[n - 1])) {
        return false;
    }
    column->part = column->name + n - 1;
    char kind = column->name[n - 2];
    const char *stem = without(c, column->name, 3);
    if (column->name[n - 3] == '_' && (kind == 'v' || kind == 'p') && ends_with(stem, "_force")) {
        column->quantity = kind == 'v' ? "force" : "point of application";
        column->unit = kind == 'v' ? "N" : "m";
        column->object = stem;
        return true;
    }
    if (kind == '_' && ends_with(without(c, column->name, 2), "_torque")) {
        column->quantity = "torque";
        column->unit = "N m";
        column->object = without(c, column->name, 2);
        return true;
    }
    column->part = NULL;
    return false;
}

/* A vector by its siblings: NAMEx, NAMEy and NAMEz are all there. */
static void find_part(const context *c, fb_plot_column *column) {
    size_t n = strlen(column->name);
    if (column->part || n < 2 || strcmp(column->object, column->name) != 0) {
        return;
    }
    static const char *const letters[] = {"xyz", "XYZ", "123"};
    for (size_t k = 0; k < 3; k++) {
        if (!strchr(letters[k], column->name[n - 1])) {
            continue;
        }
        char *sibling = fb_arena_dup(c->arena, column->name);
        bool all = true;
        for (int i = 0; i < 3 && all; i++) {
            sibling[n - 1] = letters[k][i];
            all = has_column(c, sibling);
        }
        if (all && k == 2) { /* numbers that go on count things, no axes */
            sibling[n - 1] = '0';
            all = !has_column(c, sibling);
            sibling[n - 1] = '4';
            all = all && !has_column(c, sibling) && n > 2 && column->name[n - 2] == '_';
        }
        if (all) {
            column->part = column->name + n - 1;
            column->object = without(c, column->name, n > 2 && column->name[n - 2] == '_' ? 2 : 1);
        }
    }
}

/* ---- all of it ------------------------------------------------------------------------------- */

static void describe(const context *c, fb_plot_column *column, int index) {
    bool is_time = index == 0 && strcasecmp(column->name, "time") == 0;
    if (says_unit(c, column)) {
        return;
    }
    if (is_time) {
        column->quantity = "time";
        column->unit = c->table->is_csv ? NULL : "s";
        return;
    }
    if (c->table->is_csv) {
        if (!is_part_name(c, column)) {
            find_part(c, column);
        }
        return;
    }
    if (!is_curve_name(c, column, index) && !is_part_name(c, column) &&
        !is_fbsim_name(c, column, index) && !is_state_name(c, column) && !is_of_kind(c, column) &&
        !is_load_name(c, column)) {
        if (*column->name == '/') {
            column->object = fb_path_name(column->name);
        }
        find_part(c, column);
    }
}

/* The columns of fbsim sweep --against: "X|against" and "X|difference" are of the quantity of X. */
static void describe_pair(const context *c, fb_plot_column *column, int index) {
    const char *name = column->name;
    bool against = ends_with(name, "|against"), difference = ends_with(name, "|difference");
    if (!c->is_fbsim || strcmp(c->kind, "sweep") != 0 || (!against && !difference)) {
        describe(c, column, index);
        return;
    }
    column->role = against ? FB_PLOT_AGAINST : FB_PLOT_DIFFERENCE;
    column->base = without(c, name, strlen(strrchr(name, '|')));
    column->name = column->object = column->base;
    describe(c, column, index);
    column->name = name;
    if (difference && column->quantity) {
        column->quantity = fb_arena_printf(c->arena, "difference of %s", column->quantity);
    }
}

/* The value of a header's line "KEY=value", or NULL. */
static const char *header_value(const context *c, const char *key) {
    const char *header = c->table->data.header;
    const char *at = header ? strstr(header, fb_arena_printf(c->arena, "\n%s=", key)) : NULL;
    if (!at) {
        return NULL;
    }
    at += strlen(key) + 2;
    return fb_plot_clean(c->arena, fb_arena_text(c->arena, at, strcspn(at, "\r\n")));
}

/* What to call the two models of a sweep: as they are named, or else by their files. */
static void name_models(const context *c) {
    const char *const keys[2][2] = {{"model", "against_model"}, {"file", "against"}};
    for (int k = 0; k < 2; k++) {
        const char *a = header_value(c, keys[k][0]), *b = header_value(c, keys[k][1]);
        bool good = a && b && *a && *b;
        if (good && k == 1 && strcmp(fb_path_name(a), fb_path_name(b)) != 0) {
            a = fb_path_name(a);
            b = fb_path_name(b);
        }
        if (good && strcmp(a, b) != 0) {
            c->table->models[0] = strcmp(a, "-") == 0 ? "<stdin>" : a;
            c->table->models[1] = strcmp(b, "-") == 0 ? "<stdin>" : b;
            return;
        }
    }
    c->table->models[0] = "first model";
    c->table->models[1] = "second model";
}

static void distrust_radians(const context *c, fb_plot_column *column, int index) {
    const fb_sto *data = &c->table->data;
    if (c->is_fbsim || !column->unit || strcmp(column->unit, "rad") != 0) {
        return;
    }
    for (int i = 0; i < data->n_rows; i++) {
        if (fabs(fb_sto_value(data, i, index)) > MOST_RADIANS) {
            column->unit = NULL;
        }
    }
}

/* --unit GLOB=UNIT, or UNIT for all but the first column. */
static void apply_units(const context *c, fb_plot_column *column, int index) {
    const char *text;
    for (int i = 0; (text = fb_cli_values(c->hints->cli, "unit", i)) != NULL; i++) {
        const char *equals = strrchr(text, '=');
        const char *glob = equals ? fb_arena_text(c->arena, text, (size_t)(equals - text)) : "*";
        if ((equals || index != c->table->x) &&
            (fnmatch(glob, column->name, 0) == 0 || fnmatch(glob, column->object, 0) == 0)) {
            column->unit = fb_plot_clean(c->arena, equals ? equals + 1 : text);
        }
    }
}

static void apply_degrees(fb_plot_column *column) {
    static const char *const pairs[][2] = {{"rad", "°"}, {"rad/s", "°/s"}, {"rad/s²", "°/s²"}};
    for (int i = 0; i < 3 && column->unit; i++) {
        if (strcmp(column->unit, pairs[i][0]) == 0) {
            column->unit = pairs[i][1];
            column->factor = DEGREES;
        }
    }
}

void fb_plot_describe(fb_plot_table *table, const fb_plot_hints *hints, fb_arena *arena) {
    const char *header = table->data.header ? table->data.header : "";
    context c = {.table = table, .hints = hints, .arena = arena};
    c.kind = table->data.name ? table->data.name : "";
    c.is_fbsim = strstr(header, "\ntool=fbsim ") != NULL;
    c.angles = table->data.in_degrees                                      ? IN_DEGREES
               : c.is_fbsim || strcasestr(header, "angles are in radians") ? IN_RADIANS
                                                                           : UNKNOWN;
    if (c.is_fbsim) {
        c.sliding = header_value(&c, "translational");
        c.coupled = header_value(&c, "coupled");
        name_models(&c);
        table->is_sweep = strcmp(c.kind, "sweep") == 0;
        table->is_grid = table->is_sweep && table->data.n_columns > 1 &&
                         !strchr(table->data.columns[1], '|') &&
                         strncmp(table->data.columns[1], "strength_", 9) != 0;
    }
    table->columns = fb_arena_array(arena, (size_t)table->data.n_columns, sizeof *table->columns);
    for (int i = 0; i < table->data.n_columns; i++) {
        fb_plot_column *column = &table->columns[i];
        column->factor = 1;
        column->name = fb_plot_clean(arena, table->data.columns[i]);
        if (!*column->name) {
            column->name = fb_arena_printf(arena, "column %d", i + 1);
        }
        column->object = column->name;
        describe_pair(&c, column, i);
        distrust_radians(&c, column, i);
        apply_units(&c, column, i);
        if (hints->degrees) {
            apply_degrees(column);
        }
    }
}

bool fb_plot_same(const char *a, const char *b) {
    return a == b || (a && b && strcmp(a, b) == 0);
}

double fb_plot_convert(const char *from, const char *to) {
    static const char *const degrees[] = {"°", "°/s", "°/s²"};
    static const char *const radians[] = {"rad", "rad/s", "rad/s²"};
    if (!from || !to || strcmp(from, to) == 0) {
        return 1;
    }
    for (int i = 0; i < 3; i++) {
        if (strcmp(from, radians[i]) == 0 && strcmp(to, degrees[i]) == 0) {
            return DEGREES;
        }
        if (strcmp(from, degrees[i]) == 0 && strcmp(to, radians[i]) == 0) {
            return 1 / DEGREES;
        }
    }
    return 0;
}
