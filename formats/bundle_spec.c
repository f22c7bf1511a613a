#include "formats/bundle_spec.h"

#include <math.h>
#include <string.h>

#include "formats/json.h"
#include "formats/mesh_read.h"
#include "libcore/base/number.h"

#define MAX_POINTER 200
#define MOST_LINES 100 /* errors that are told with their line */
#define MOST_BUNDLES 1000000

/* ---- members: one table makes the reader, its messages and the schema -------------------------
 */

typedef enum kind {
    TEXT,
    NAMES,    /* a list of texts, not empty */
    POSITIVE, /* a number above 0, up to `most` */
    NUMBER,   /* from `least` to `most` */
    COUNT,    /* a whole number above 0, up to `most` */
    VECTOR,   /* three numbers, not all 0 */
    POINTS,   /* two or more lists of three numbers: a line */
    CORES,    /* a list of objects of core_members, not empty */
    OUTLINE,
    FASCICLES,
    NOTE /* a text for people, skipped */
} kind;

typedef struct member {
    const char *key;
    kind kind;
    size_t offset;
    double least, most;
    const char *unit; /* what a number out of bounds is told */
    const char *about;
} member;

#define IN_MUSCLE(FIELD) offsetof(fb_spec_muscle, FIELD)
#define IN_CORE(FIELD) offsetof(fb_spec_core, FIELD)

/* clang-format off */
static const member muscle_members[] = {
    {"name", TEXT, IN_MUSCLE(name), 0, 0, NULL,
     "the muscle: a name of one's own with lines or cores; else that of a line of the model, of lines that are one muscle, or an anatomical name"},
    {"lines", NAMES, IN_MUSCLE(lines), 0, 0, NULL, "the model's muscles that are its lines, instead of a guess"},
    {"cores", CORES, IN_MUSCLE(cores), 0, 0, NULL, "its cores, instead of one for each line"},
    {"heads", CORES, IN_MUSCLE(heads), 0, 0, NULL, "what is said of the cores of its lines"},
    {"volume", POSITIVE, IN_MUSCLE(volume), 0, 0.02, "m^3; 100 cm^3 are 0.0001", "of its belly, m^3"},
    {"specific_tension", NUMBER, IN_MUSCLE(specific_tension), 1e4, 1e7, "N/m^2; 60 N/cm^2 are 600000",
     "force over area, N/m^2, from which the volume follows if it is not given"},
    {"belly_length", POSITIVE, IN_MUSCLE(belly_length), 0, 2, "m", "m"},
    {"fiber_to_belly", NUMBER, IN_MUSCLE(fiber_to_belly), 0.01, 1, "1", "optimal fibre length over belly length"},
    {"ratio", NUMBER, IN_MUSCLE(ratio), 0.05, 1, "1", "height over width of its bundles at rest"},
    {"bundles", COUNT, IN_MUSCLE(bundles), 1, MOST_BUNDLES, "1", "how many, about"},
    {"outline", OUTLINE, IN_MUSCLE(outline), 0, 0, NULL, "of its section: round, flat, a polygon, or from a mesh"},
    {"twist", NUMBER, IN_MUSCLE(twist), -12.6, 12.6, "rad; 90 degrees are 1.5708",
     "of its section from origin to insertion, right-handed about the core, rad"},
    {"height_direction", VECTOR, IN_MUSCLE(height_direction), 0, 0, NULL,
     "from the bone to the skin, in ground in the pose"},
    {"fascicles", FASCICLES, IN_MUSCLE(fascicles), 0, 0, NULL, "measured ones, as lines: their length, pennation and place"},
    {"note", NOTE, 0, 0, 0, NULL, "for people"},
};
static const member core_members[] = {
    {"name", TEXT, IN_CORE(name), 0, 0, NULL, "of the head"},
    {"line", TEXT, IN_CORE(line), 0, 0, NULL, "the muscle of the model that it is"},
    {"points", POINTS, IN_CORE(course), 0, 0, NULL, "its course from origin to insertion, instead of the path's, m"},
    {"frame", TEXT, IN_CORE(course.frame), 0, 0, NULL, "in whose axes the points are; without it, ground in the pose"},
    {"share", NUMBER, IN_CORE(share), 1e-6, 1, "1", "of the muscle's force"},
    {"belly_length", POSITIVE, IN_CORE(belly_length), 0, 2, "m", "m"},
    {"tendon", NUMBER, IN_CORE(tendon), 0, 2, "m", "from the origin to where the belly begins, m"},
    {"note", NOTE, 0, 0, 0, NULL, "for people"},
};
static const member outline_members[] = {
    {"mesh", TEXT, offsetof(fb_outline, mesh), 0, 0, NULL, "a file of triangles of the muscle's surface"},
    {"frame", TEXT, offsetof(fb_outline, frame), 0, 0, NULL, "in whose axes it is; without it, ground"},
    {"insertion_frame", TEXT, offsetof(fb_outline, insertion_frame), 0, 0, NULL,
     "in whose axes it is as well, with which the insertion moves; without it, the muscle moves as one"},
    {"unit", TEXT, offsetof(fb_outline, unit), 0, 0, NULL, "of its coordinates and of these points: m, or mm"},
    {"origin", POINTS, offsetof(fb_outline, origin), 0, 0, NULL, "points of the origin in the mesh's axes; read, but nothing follows from them yet: the insertion alone tells which end is which"},
    {"insertion", POINTS, offsetof(fb_outline, insertion), 0, 0, NULL, "points of the insertion; without them, where the cores end"},
};
static const member fascicle_members[] = {
    {"points", POINTS, 0, 0, 0, NULL, "from origin to insertion, m"},
    {"frame", TEXT, offsetof(fb_spec_line, frame), 0, 0, NULL, "in whose axes they are; without it, ground in the pose"},
};
static const member top_members[] = {
    {"muscles", NOTE, 0, 0, 0, NULL, "the muscles"},
    {"note", NOTE, 0, 0, 0, NULL, "for people"},
    {"$schema", NOTE, 0, 0, 0, NULL, "where the schema is"},
};
/* clang-format on */

typedef struct members {
    const member *list;
    int n;
} members;
#define MEMBERS(LIST) \
    { LIST, (int)(sizeof LIST / sizeof *LIST) }
static const members of_muscle = MEMBERS(muscle_members), of_core = MEMBERS(core_members);
static const members of_outline = MEMBERS(outline_members);
static const members of_fascicle = MEMBERS(fascicle_members), of_top = MEMBERS(top_members);

/* ---- where we are ---------------------------------------------------------------------------- */

typedef struct reader {
    fb_arena *arena;
    fb_diag *diag;
    const char *bytes, *file;
    size_t size;
    char pointer[MAX_POINTER]; /* JSON pointer of what is being read */
    int errors;
    fb_status status;
} reader;

static size_t enter(reader *r, const char *key) {
    size_t n = strlen(r->pointer), m = strlen(key);
    if (n + m + 2 < MAX_POINTER) {
        r->pointer[n] = '/';
        memcpy(r->pointer + n + 1, key, m + 1);
    }
    return n;
}

static size_t enter_index(reader *r, size_t index) {
    char key[24];
    snprintf(key, sizeof key, "%zu", index);
    return enter(r, key);
}

static void leave(reader *r, size_t n) {
    r->pointer[n] = 0;
}

static int line_here(const reader *r) {
    return fb_json_line(r->bytes, r->size, r->pointer);
}

static void wrong(reader *r, const char *what) {
    r->status = FB_E_INPUT;
    int line = r->errors++ < MOST_LINES ? line_here(r) : 0;
    fb_diag_add(r->diag, FB_ERROR, FB1304, (fb_place){r->file, line, NULL, NULL}, NULL, "%s: %s",
                r->pointer[0] ? r->pointer : "the spec", what);
}

/* ---- values ---------------------------------------------------------------------------------- */

static void read_text(reader *r, const json_t *json, const char **text) {
    const char *string = json_string_value(json);
    if (!string || !*string) {
        wrong(r, "must be a text");
        return;
    }
    *text = fb_arena_dup(r->arena, string);
}

static void read_number(reader *r, const json_t *json, const member *m, double *number) {
    char what[200], got[FB_NUMBER_MAX], least[FB_NUMBER_MAX], most[FB_NUMBER_MAX];
    double x = json_is_number(json) ? json_number_value(json) : FB_NAN;
    bool positive = m->kind == POSITIVE;
    if (x >= m->least && x <= m->most && !(positive && x <= 0) &&
        !(m->kind == COUNT && x != floor(x))) {
        *number = x;
        return;
    }
    fb_number_print(least, m->least);
    fb_number_print(most, m->most);
    fb_number_print(got, x);
    snprintf(what, sizeof what, "must be a %snumber %s %s up to %s (%s)%s%s",
             m->kind == COUNT ? "whole " : "", positive ? "above" : "from", least, most, m->unit,
             json_is_number(json) ? ", got " : "", json_is_number(json) ? got : "");
    wrong(r, what);
}

static bool read_vector(reader *r, const json_t *json, double *v, size_t n) {
    bool good = json_is_array(json) && json_array_size(json) == n;
    for (size_t i = 0; good && i < n; i++) {
        const json_t *x = json_array_get(json, i);
        good = json_is_number(x) && isfinite(json_number_value(x));
        v[i] = json_number_value(x);
    }
    if (!good) {
        wrong(r, n == 2 ? "must be a list of two numbers" : "must be a list of three numbers");
    }
    return good;
}

static void read_points(reader *r, const json_t *json, fb_spec_line *line) {
    size_t n = json_array_size(json);
    if (!json_is_array(json) || n < 2) {
        wrong(r, "must be a list of two points or more");
        return;
    }
    line->points = fb_arena_array(r->arena, n, sizeof *line->points);
    for (size_t i = 0; i < n; i++) {
        size_t at = enter_index(r, i);
        bool good = read_vector(r, json_array_get(json, i), line->points[i], 3);
        leave(r, at);
        if (!good) {
            return;
        }
    }
    line->n_points = (int)n;
}

static void read_names(reader *r, const json_t *json, const char ***names, int *n) {
    size_t count = json_array_size(json);
    if (!json_is_array(json) || count == 0) {
        wrong(r, "must be a list of names");
        return;
    }
    const char **list = fb_arena_array(r->arena, count, sizeof *list);
    for (size_t i = 0; i < count; i++) {
        size_t at = enter_index(r, i);
        read_text(r, json_array_get(json, i), &list[i]);
        leave(r, at);
    }
    *names = list;
    *n = (int)count;
}

static void read_object(reader *r, const json_t *json, const members *all, void *object);

static void read_cores(reader *r, const json_t *json, fb_spec_core **cores, int *n) {
    size_t count = json_array_size(json);
    if (!json_is_array(json) || count == 0) {
        wrong(r, "must be a list of objects");
        return;
    }
    fb_spec_core *list = fb_arena_array(r->arena, count, sizeof *list);
    for (size_t i = 0; i < count; i++) {
        size_t at = enter_index(r, i);
        list[i].share = list[i].belly_length = list[i].tendon = FB_NAN;
        list[i].line_number = line_here(r);
        read_object(r, json_array_get(json, i), &of_core, &list[i]);
        leave(r, at);
    }
    *cores = list;
    *n = (int)count;
}

static void read_polygon(reader *r, const json_t *json, fb_outline *outline) {
    size_t n = json_array_size(json);
    if (n < 3) {
        wrong(r, "must be \"round\", \"flat\", a list of three points or more, or an object with a "
                 "mesh");
        return;
    }
    outline->polygon = fb_arena_array(r->arena, n, sizeof *outline->polygon);
    for (size_t i = 0; i < n; i++) {
        size_t at = enter_index(r, i);
        bool good = read_vector(r, json_array_get(json, i), outline->polygon[i], 2);
        leave(r, at);
        if (!good) {
            return;
        }
    }
    outline->n_polygon = (int)n;
    outline->kind = FB_OUTLINE_POLYGON;
}

static void read_outline(reader *r, const json_t *json, fb_outline *outline) {
    const char *word = json_string_value(json);
    if (word && strcmp(word, "round") == 0) {
        outline->kind = FB_OUTLINE_ROUND;
    } else if (word && strcmp(word, "flat") == 0) {
        outline->kind = FB_OUTLINE_FLAT;
    } else if (json_is_object(json)) {
        read_object(r, json, &of_outline, outline);
        outline->kind = FB_OUTLINE_MESH;
        if (!outline->mesh && r->status == FB_OK) {
            wrong(r, "must have a mesh");
        }
        if (outline->unit && strcmp(outline->unit, "m") != 0 && strcmp(outline->unit, "mm") != 0) {
            wrong(r, "its unit must be \"m\" or \"mm\"");
        }
    } else {
        read_polygon(r, json, outline); /* complains of anything else */
    }
}

static void read_fascicles(reader *r, const json_t *json, fb_spec_line **lines, int *n) {
    size_t count = json_array_size(json);
    if (!json_is_array(json) || count == 0) {
        wrong(r, "must be a list of lines");
        return;
    }
    fb_spec_line *list = fb_arena_array(r->arena, count, sizeof *list);
    for (size_t i = 0; i < count; i++) {
        size_t at = enter_index(r, i);
        const json_t *one = json_array_get(json, i);
        if (json_is_object(one)) {
            read_object(r, one, &of_fascicle, &list[i]);
            if (list[i].n_points == 0 && r->status == FB_OK) {
                wrong(r, "must have points");
            }
        } else {
            read_points(r, one, &list[i]);
        }
        leave(r, at);
    }
    *lines = list;
    *n = (int)count;
}

static void read_member(reader *r, const json_t *json, const member *m, void *object) {
    void *at = (char *)object + m->offset;
    fb_spec_muscle *muscle = object; /* of the lists, which have their count beside them */
    double number = 0;
    switch (m->kind) {
    case TEXT: read_text(r, json, at); break;
    case NAMES: read_names(r, json, &muscle->lines, &muscle->n_lines); break;
    case POSITIVE:
    case NUMBER: read_number(r, json, m, at); break;
    case COUNT:
        read_number(r, json, m, &number);
        *(int *)at = (int)number;
        break;
    case VECTOR: {
        double v[3];
        if (read_vector(r, json, v, 3)) {
            if (v[0] == 0 && v[1] == 0 && v[2] == 0) {
                wrong(r, "must not be zero");
            }
            memcpy(at, v, sizeof v);
        }
        break;
    }
    case POINTS: read_points(r, json, at); break;
    case CORES:
        if (m->offset == IN_MUSCLE(cores)) {
            read_cores(r, json, &muscle->cores, &muscle->n_cores);
        } else {
            read_cores(r, json, &muscle->heads, &muscle->n_heads);
        }
        break;
    case OUTLINE: read_outline(r, json, at); break;
    case FASCICLES: read_fascicles(r, json, &muscle->fascicles, &muscle->n_fascicles); break;
    case NOTE: break;
    }
}

static const char *next_key(const void *context, int i) {
    const members *all = context;
    return i < all->n ? all->list[i].key : NULL;
}

static void refuse_key(reader *r, const char *key, const members *all) {
    const char *meant = fb_nearest_word(key, next_key, all);
    char what[300];
    size_t n = (size_t)snprintf(what, sizeof what, "there is no such member; ");
    if (meant) {
        snprintf(what + n, sizeof what - n, "is '%s' meant?", meant);
    } else {
        n += (size_t)snprintf(what + n, sizeof what - n, "there are");
        for (int i = 0; i < all->n && n < sizeof what; i++) {
            n += (size_t)snprintf(what + n, sizeof what - n, "%s%s", i ? ", " : " ",
                                  all->list[i].key);
        }
    }
    wrong(r, what);
}

static const member *find_member(const members *all, const char *key) {
    for (int i = 0; i < all->n; i++) {
        if (strcmp(all->list[i].key, key) == 0) {
            return &all->list[i];
        }
    }
    return NULL;
}

static void read_object(reader *r, const json_t *json, const members *all, void *object) {
    const char *key;
    json_t *value;
    if (!json_is_object(json)) {
        wrong(r, "must be an object");
        return;
    }
    json_object_foreach((json_t *)(size_t)json, key, value) {
        size_t at = enter(r, key);
        const member *m = find_member(all, key);
        if (!m) {
            refuse_key(r, key, all);
        } else if (object) {
            read_member(r, value, m, object);
        }
        leave(r, at);
    }
}

/* ---- the spec -------------------------------------------------------------------------------- */

static void check_muscle(reader *r, const fb_spec *spec, const fb_spec_muscle *muscle) {
    if (r->status != FB_OK) {
        return;
    }
    if (!muscle->name) {
        wrong(r, "must have a name");
        return;
    }
    if (muscle->n_cores > 0 && muscle->n_heads > 0) {
        wrong(r, "must have cores or heads, not both");
    }
    for (int i = 0; i < muscle->n_cores; i++) {
        const fb_spec_core *core = &muscle->cores[i];
        if (!core->line && core->course.n_points == 0) {
            wrong(r, "each of its cores must have a line or points");
            return;
        }
    }
    for (int i = 0; i < muscle->n_heads; i++) {
        if (!muscle->heads[i].line && !muscle->heads[i].name) {
            wrong(r, "each of its heads must have a line");
            return;
        }
    }
    for (const fb_spec_muscle *other = spec->muscles; other < muscle; other++) {
        if (other->name && strcmp(other->name, muscle->name) == 0) {
            char what[60];
            snprintf(what, sizeof what, "its name is taken by that of line %d", other->line_number);
            wrong(r, what);
            return;
        }
    }
}

static void read_muscle(reader *r, fb_spec *spec, const json_t *json, fb_spec_muscle *muscle) {
    muscle->volume = muscle->specific_tension = muscle->belly_length = FB_NAN;
    muscle->fiber_to_belly = muscle->ratio = muscle->twist = FB_NAN;
    for (int k = 0; k < 3; k++) {
        muscle->height_direction[k] = FB_NAN;
    }
    muscle->line_number = line_here(r);
    read_object(r, json, &of_muscle, muscle);
    check_muscle(r, spec, muscle);
}

static void read_spec(reader *r, fb_spec *spec, const json_t *json) {
    read_object(r, json, &of_top, NULL);
    const json_t *list = json_object_get(json, "muscles");
    if (r->status != FB_OK) {
        return;
    }
    if (!json_is_array(list)) {
        wrong(r, "must have a list 'muscles'");
        return;
    }
    size_t n = json_array_size(list);
    spec->muscles = fb_arena_array(r->arena, n + 1, sizeof *spec->muscles);
    size_t in_list = enter(r, "muscles");
    for (size_t i = 0; i < n; i++) {
        size_t at = enter_index(r, i);
        read_muscle(r, spec, json_array_get(list, i), &spec->muscles[i]);
        spec->n_muscles = (int)(i + 1);
        leave(r, at);
    }
    leave(r, in_list);
}

fb_status fb_bundle_spec_read(fb_spec *spec, const char *bytes, size_t size, const char *file,
                              fb_diag *diag) {
    jmp_buf oom;
    memset(spec, 0, sizeof *spec);
    fb_arena_init(&spec->arena);
    json_t *const json = fb_json_parse(bytes, size, file, diag);
    if (!json) {
        return diag->out_of_memory ? FB_E_MEMORY : FB_E_INPUT;
    }
    if (setjmp(oom)) {
        json_decref(json);
        fb_bundle_spec_free(spec);
        fb_diag_add(diag, FB_ERROR, FB1003, (fb_place){file, 0, NULL, NULL}, NULL, "out of memory");
        return FB_E_MEMORY;
    }
    spec->arena.oom = &oom;
    spec->file = fb_arena_dup(&spec->arena, file ? file : "");
    reader r = {.arena = &spec->arena, .diag = diag, .bytes = bytes, .file = file, .size = size};
    read_spec(&r, spec, json);
    spec->arena.oom = NULL;
    json_decref(json);
    if (r.status != FB_OK) {
        fb_bundle_spec_free(spec);
    }
    return r.status;
}

/* ---- meshes ---------------------------------------------------------------------------------- */

/* A file's name beside the spec's. */
static const char *beside(fb_spec *spec, const char *name) {
    const char *slash = strrchr(spec->file, '/');
    return *name == '/' || !slash ? name
                                  : fb_arena_printf(&spec->arena, "%.*s/%s",
                                                    (int)(slash - spec->file), spec->file, name);
}

static fb_status read_mesh(fb_spec *spec, fb_outline *outline, size_t max_bytes, fb_diag *diag) {
    char *bytes = NULL;
    size_t size = 0;
    fb_mesh_file mesh;
    double scale = outline->unit && strcmp(outline->unit, "mm") == 0 ? 1e-3 : 1;
    const char *file = beside(spec, outline->mesh);
    fb_status status = fb_read_file(file, max_bytes, &bytes, &size, diag);
    if (status != FB_OK || (status = fb_mesh_read(&mesh, bytes, size, file, diag)) != FB_OK) {
        return status;
    }
    double(*vertices)[3] = fb_arena_array(&spec->arena, mesh.n_vertices, sizeof *vertices);
    int(*faces)[3] = fb_arena_array(&spec->arena, mesh.n_faces, sizeof *faces);
    memcpy(faces, mesh.faces, mesh.n_faces * sizeof *faces);
    for (size_t v = 0; v < mesh.n_vertices; v++) {
        for (int k = 0; k < 3; k++) {
            vertices[v][k] = scale * mesh.vertices[v][k];
        }
    }
    outline->surface = (fb_shell){(const double(*)[3])vertices, (const int(*)[3])faces,
                                  mesh.n_vertices, mesh.n_faces};
    fb_spec_line *lines[] = {&outline->origin, &outline->insertion};
    for (int i = 0; i < 2; i++) {
        for (int p = 0; p < lines[i]->n_points; p++) {
            for (int k = 0; k < 3; k++) {
                lines[i]->points[p][k] *= scale;
            }
        }
    }
    fb_mesh_free(&mesh);
    return FB_OK;
}

static fb_status read_meshes(fb_spec *spec, size_t max_bytes, fb_diag *diag) {
    fb_status status = FB_OK;
    for (int i = 0; i < spec->n_muscles && status == FB_OK; i++) {
        fb_outline *outline = &spec->muscles[i].outline;
        if (outline->kind == FB_OUTLINE_MESH && !outline->surface.n_faces) {
            status = read_mesh(spec, outline, max_bytes, diag);
        }
    }
    return status;
}

fb_status fb_bundle_spec_meshes(fb_spec *spec, size_t max_bytes, fb_diag *diag) {
    jmp_buf oom;
    if (setjmp(oom)) {
        spec->arena.oom = NULL;
        fb_diag_add(diag, FB_ERROR, FB1003, (fb_place){spec->file, 0, NULL, NULL}, NULL,
                    "out of memory");
        return FB_E_MEMORY;
    }
    spec->arena.oom = &oom;
    fb_status status = read_meshes(spec, max_bytes, diag);
    spec->arena.oom = NULL;
    return status;
}

void fb_bundle_spec_free(fb_spec *spec) {
    fb_arena_clear(&spec->arena);
    memset(spec, 0, sizeof *spec);
    fb_arena_init(&spec->arena);
}

/* ---- its schema ------------------------------------------------------------------------------ */

#define REF(NAME) "\"$ref\": \"#/$defs/" NAME "\""

static void schema_of(fb_text *out, const member *m) {
    switch (m->kind) {
    case NOTE:
        fb_text_puts(out, strcmp(m->key, "muscles") == 0 ? "" : "\"type\": \"string\"");
        break;
    case TEXT: fb_text_puts(out, "\"type\": \"string\", \"minLength\": 1"); break;
    case NAMES:
        fb_text_puts(out, "\"type\": \"array\", \"minItems\": 1, \"items\": {\"type\": \"string\", "
                          "\"minLength\": 1}");
        break;
    case POSITIVE:
    case NUMBER:
    case COUNT:
        fb_text_printf(out, "\"type\": \"%s\", \"%s\": ", m->kind == COUNT ? "integer" : "number",
                       m->kind == POSITIVE ? "exclusiveMinimum" : "minimum");
        fb_text_number(out, m->least);
        fb_text_puts(out, ", \"maximum\": ");
        fb_text_number(out, m->most);
        break;
    case VECTOR: fb_text_puts(out, REF("vector")); break;
    case POINTS: fb_text_puts(out, REF("points")); break;
    case CORES:
        fb_text_puts(out, "\"type\": \"array\", \"minItems\": 1, \"items\": {" REF("core") "}");
        break;
    case OUTLINE: fb_text_puts(out, REF("outline")); break;
    case FASCICLES:
        fb_text_puts(out, "\"type\": \"array\", \"minItems\": 1, \"items\": {\"anyOf\": [{" REF(
                              "points") "}, {" REF("fascicle") "}]}");
        break;
    }
}

static void schema_object(fb_text *out, const members *all, const char *required,
                          const char *indent) {
    fb_text_printf(out, "\"type\": \"object\", \"additionalProperties\": false,\n%s", indent);
    if (required) {
        fb_text_printf(out, "\"required\": [\"%s\"],\n%s", required, indent);
    }
    fb_text_puts(out, "\"properties\": {\n");
    for (int i = 0; i < all->n; i++) {
        const member *m = &all->list[i];
        fb_text_printf(out, "%s  \"%s\": {\"description\": ", indent, m->key);
        fb_json_string(out, m->about);
        fb_text_puts(out, ", ");
        if (m->kind == NOTE && strcmp(m->key, "muscles") == 0) {
            fb_text_puts(out, "\"type\": \"array\", \"items\": {" REF("muscle") "}");
        }
        schema_of(out, m);
        fb_text_puts(out, i + 1 < all->n ? "},\n" : "}\n");
    }
    fb_text_printf(out, "%s}", indent);
}

void fb_bundle_schema_write(fb_text *out) {
    fb_text_puts(out, "{\n  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n"
                      "  \"title\": \"bundle spec\",\n"
                      "  \"description\": \"what muscles' bodies are to be, in SI units and "
                      "radians\",\n  ");
    schema_object(out, &of_top, "muscles", "  ");
    fb_text_puts(
        out,
        ",\n  \"$defs\": {\n    \"vector\": {\"type\": \"array\", \"items\": "
        "{\"type\": \"number\"}, \"minItems\": 3, \"maxItems\": 3},\n"
        "    \"points\": {\"type\": \"array\", \"minItems\": 2, \"items\": {" REF(
            "vector") "}},\n"
                      "    \"outline\": {\"anyOf\": [{\"enum\": [\"round\", \"flat\"]}, "
                      "{\"type\": \"array\", \"minItems\": 3, \"items\": {\"type\": \"array\", "
                      "\"items\": {\"type\": \"number\"}, \"minItems\": 2, \"maxItems\": 2}}, {");
    schema_object(out, &of_outline, "mesh", "      ");
    fb_text_puts(out, "}]},\n    \"fascicle\": {");
    schema_object(out, &of_fascicle, "points", "      ");
    fb_text_puts(out, "},\n    \"core\": {");
    schema_object(out, &of_core, NULL, "      ");
    fb_text_puts(out, "},\n    \"muscle\": {");
    schema_object(out, &of_muscle, "name", "      ");
    fb_text_puts(out, "}\n  }\n}\n");
}
