#include "formats/features.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>
#include <strings.h>

#include "formats/features_read.h"
#include "formats/json.h"
#include "libcore/base/number.h"
#include "libcore/base/spatial.h"
#include "libcore/base/table.h"

#define MM_FROM 10 /* coordinates that reach farther are millimetres .. */
#define M_UP_TO 3  /* .. and metres if they do not reach so far */

/* ---- what is read ---------------------------------------------------------------------------- */

static const fb_feature_options no_options = {NULL, FB_UNIT_DETECT, FB_SLICER_MESH_LPS};

void fb_feature_wrong(fb_feature_reader *r, const char *format, ...) {
    char text[600];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fb_diag_add(r->diag, FB_ERROR, FB1411, (fb_place){r->file, r->line, NULL, NULL}, NULL, "%s",
                text);
    r->failed = true;
}

/* The body and the name of a point whose file may not say its body. */
static bool settle_body(fb_feature_reader *r, const char **body, const char **name) {
    const char *slash = strrchr(*name, '/');
    if (*body && **body) {
        return true;
    }
    if (slash && slash > *name && slash[1]) {
        *body = fb_arena_text(r->arena, *name, (size_t)(slash - *name));
        *name = slash + 1;
    } else if (r->options->body) {
        *body = r->options->body;
    } else {
        fb_feature_wrong(r,
                         "the feature point '%s' has no body; give the body of the file's points, "
                         "or name it 'BODY/%s'",
                         *name, *name);
        return false;
    }
    return true;
}

void fb_feature_put(fb_feature_reader *r, const char *body, const char *name, const double *x,
                    double weight) {
    if (!(weight >= 0)) {
        fb_feature_wrong(r, "the weight of feature point '%s' is below 0", name);
    } else if (settle_body(r, &body, &name)) {
        if (r->pairs) {
            fb_pair pair = {.name = name, .body = body, .weight = weight, .line = r->line};
            memcpy(pair.standard, x, sizeof pair.standard);
            memcpy(pair.target, x + 3, sizeof pair.target);
            fb_pairs_add(r->pairs, &pair);
        } else {
            fb_feature f = {.name = name, .body = body, .weight = weight, .line = r->line};
            memcpy(f.location, x, sizeof f.location);
            fb_features_add(r->features, &f);
        }
    }
}

void fb_feature_put_slicer(fb_feature_reader *r, const char *name, double *x, bool ras) {
    if (ras != (r->options->slicer == FB_SLICER_MESH_RAS)) {
        x[0] = -x[0];
        x[1] = -x[1];
        r->found->turned = true;
    }
    fb_feature_put(r, NULL, name, x, 1);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static bool read_vector(const json_t *json, double *x) {
    bool good = json_is_array(json) && json_array_size(json) == 3;
    for (size_t k = 0; good && k < 3; k++) {
        const json_t *number = json_array_get(json, k);
        x[k] = json_number_value(number);
        good = json_is_number(number) && isfinite(x[k]);
    }
    return good;
}

static const char *next_member(const void *context, int i) {
    static const char *const words[] = {"name",   "body",   "location", "standard",
                                        "target", "weight", NULL};
    (void)context;
    return words[i];
}

/* Members that nobody reads are as good as comments, but for one that is misspelt. */
static void tell_misspelt(fb_feature_reader *r, const json_t *item) {
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(size_t)item, key, value) {
        const char *meant = fb_nearest_word(key, next_member, NULL);
        if (meant && strcmp(meant, key) != 0 && !json_object_get(item, meant)) {
            fb_diag_add(r->diag, FB_WARNING, FB1411, (fb_place){r->file, r->line, NULL, NULL},
                        "it is passed over", "there is no member '%s'; is '%s' meant?", key, meant);
        }
    }
}

static void read_item(fb_feature_reader *r, const json_t *item) {
    const char *name = json_string_value(json_object_get(item, "name"));
    const json_t *body = json_object_get(item, "body"), *weight = json_object_get(item, "weight");
    double x[6];
    if (!json_is_object(item)) {
        fb_feature_wrong(r, "a feature point must be an object");
        return;
    }
    tell_misspelt(r, item);
    if (!name || !*name) {
        fb_feature_wrong(r, "a feature point without a name");
        return;
    }
    if ((body && !json_is_string(body)) || (weight && !json_is_number(weight))) {
        fb_feature_wrong(r, "the %s of feature point '%s' must be a %s",
                         body && !json_is_string(body) ? "body" : "weight", name,
                         body && !json_is_string(body) ? "text" : "number");
        return;
    }
    static const char *const keys[] = {"location", "standard", "target"};
    for (int k = 0; k < (r->pairs ? 2 : 1); k++) {
        const char *key = keys[r->pairs ? k + 1 : 0];
        if (!read_vector(json_object_get(item, key), x + 3 * k)) {
            fb_feature_wrong(r, "the %s of feature point '%s' must be a list of three numbers", key,
                             name);
            return;
        }
    }
    fb_feature_put(r, json_string_value(body), name, x, weight ? json_number_value(weight) : 1);
}

static void read_list(fb_feature_reader *r, const json_t *top, const char *key) {
    const json_t *list = json_object_get(top, key);
    const char *unit = json_string_value(json_object_get(top, "unit"));
    if (unit && strcmp(unit, "mm") != 0 && strcmp(unit, "m") != 0) {
        r->line = fb_json_line(r->bytes, r->size, "/unit");
        fb_feature_wrong(r, "its unit must be \"m\" or \"mm\", got '%s'", unit);
        return;
    }
    r->said = !unit ? FB_UNIT_DETECT : strcmp(unit, "mm") == 0 ? FB_UNIT_MM : FB_UNIT_M;
    r->found->kind = "JSON";
    if (!json_is_array(list)) {
        fb_feature_wrong(r, "'%s' must be a list", key);
        return;
    }
    size_t n = json_array_size(list);
    int *lines = fb_arena_array(r->arena, n + 1, sizeof *lines);
    fb_json_item_lines(r->bytes, r->size, key, lines, n);
    for (size_t i = 0; i < n && !r->failed; i++) {
        r->line = lines[i];
        read_item(r, json_array_get(list, i));
    }
}

/* 3D Slicer's: lists of control points, each in its frame. */
static void read_markups(fb_feature_reader *r, const json_t *top) {
    const json_t *lists = json_object_get(top, "markups");
    const char *schema = json_string_value(json_object_get(top, "@schema"));
    const char *version = schema ? strstr(schema, "-v") : NULL;
    char pointer[100];
    r->found->kind = "3D Slicer";
    r->said = FB_UNIT_MM;
    r->by_habit = true;
    if (version && strncmp(version, "-v1.", 4) != 0) {
        r->line = fb_json_line(r->bytes, r->size, "/@schema");
        fb_feature_wrong(r, "markups of version %.10s are not read; those of version 1 are",
                         version + 2);
    }
    for (size_t i = 0; i < json_array_size(lists) && !r->failed; i++) {
        const json_t *list = json_array_get(lists, i), *points;
        const char *frame = json_string_value(json_object_get(list, "coordinateSystem"));
        const char *unit = json_string_value(json_object_get(list, "coordinateUnits"));
        bool ras = frame && (strcasecmp(frame, "RAS") == 0 || strcmp(frame, "0") == 0);
        snprintf(pointer, sizeof pointer, "/markups/%zu/coordinateSystem", i);
        r->line = fb_json_line(r->bytes, r->size, pointer);
        if (frame && !ras && strcasecmp(frame, "LPS") != 0 && strcmp(frame, "1") != 0) {
            fb_feature_wrong(r, "its coordinateSystem is '%s', neither LPS nor RAS", frame);
        } else if (unit && strcmp(unit, "mm") != 0 && strcmp(unit, "m") != 0) {
            fb_feature_wrong(r, "its coordinateUnits are '%s', neither mm nor m", unit);
        }
        if (unit) { /* those of one file are alike */
            r->said = strcmp(unit, "m") == 0 ? FB_UNIT_M : FB_UNIT_MM;
        }
        points = json_object_get(list, "controlPoints");
        for (size_t k = 0; k < json_array_size(points) && !r->failed; k++) {
            const json_t *point = json_array_get(points, k);
            const char *status = json_string_value(json_object_get(point, "positionStatus"));
            const char *label = json_string_value(json_object_get(point, "label"));
            double x[3];
            snprintf(pointer, sizeof pointer, "/markups/%zu/controlPoints/%zu", i, k);
            r->line = fb_json_line(r->bytes, r->size, pointer);
            if (status && strcmp(status, "defined") != 0) {
                fb_diag_add(r->diag, FB_WARNING, FB1411, (fb_place){r->file, r->line, NULL, NULL},
                            "it is left out", "the point '%s' has not been placed (it is %s)",
                            label ? label : "", status);
            } else if (!label || !*label) {
                fb_feature_wrong(r, "a control point without a label");
            } else if (!read_vector(json_object_get(point, "position"), x)) {
                fb_feature_wrong(r, "the position of '%s' must be a list of three numbers", label);
            } else {
                fb_feature_put_slicer(r, label, x, ras);
            }
        }
    }
}

static void read_object(fb_feature_reader *r, const json_t *top) {
    const char *mine = r->pairs ? "pairs" : "features", *other = r->pairs ? "features" : "pairs";
    if (json_object_get(top, mine)) {
        read_list(r, top, mine);
    } else if (!r->pairs && json_object_get(top, "markups")) {
        read_markups(r, top);
    } else if (!r->pairs && json_object_get(top, "fb")) {
        fb_features_read_markers(r);
    } else {
        r->line = 1;
        fb_feature_wrong(r,
                         json_object_get(top, other) ? "it holds '%s', and '%s' are wanted"
                                                     : "it holds no list '%s'",
                         json_object_get(top, other) ? other : mine, mine);
    }
}

static void read_json(fb_feature_reader *r) {
    size_t mark = r->size >= 3 && memcmp(r->bytes, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    r->bytes += mark;
    r->size -= mark;
    json_t *const top = fb_json_parse(r->bytes, r->size, r->file, r->diag);
    jmp_buf oom, *outer = r->arena->oom;
    if (!top) {
        r->failed = true;
        return;
    }
    if (setjmp(oom)) {
        r->arena->oom = outer;
        json_decref(top);
        longjmp(*outer, 1);
    }
    r->arena->oom = &oom;
    read_object(r, top);
    r->arena->oom = outer;
    json_decref(top);
}

/* ---- units ----------------------------------------------------------------------------------- */

static size_t count_of(const fb_feature_reader *r) {
    return r->pairs ? r->pairs->n : r->features->n;
}

static double *place_of(fb_feature_reader *r, size_t i, int side) {
    return !r->pairs ? r->features->items[i].location
           : side    ? r->pairs->items[i].target
                     : r->pairs->items[i].standard;
}

static fb_unit detect(fb_feature_reader *r, int side, double largest) {
    const char *whose = !r->pairs ? "" : side ? "the targets' " : "the standard's ";
    fb_place place = {r->file, 0, NULL, NULL};
    fb_unit unit = largest > MM_FROM || (largest > M_UP_TO && r->by_habit) ? FB_UNIT_MM : FB_UNIT_M;
    if (unit == FB_UNIT_MM && !r->by_habit) {
        fb_diag_add(r->diag, FB_WARNING, FB1411, place, "give the unit if that is wrong",
                    "%scoordinates reach %.4g: they are taken as millimetres", whose, largest);
    } else if (unit == FB_UNIT_M && (largest > M_UP_TO || r->by_habit)) {
        fb_diag_add(r->diag, FB_WARNING, FB1411, place, "give the unit if that is wrong",
                    "%scoordinates reach %.4g: they are taken as metres", whose, largest);
    }
    r->found[side].detected = !r->by_habit || unit == FB_UNIT_M;
    return unit;
}

static void settle_unit(fb_feature_reader *r, int side) {
    double largest = 0;
    size_t n = count_of(r);
    for (size_t i = 0; i < n; i++) {
        for (int k = 0; k < 3; k++) {
            largest = fmax(largest, fabs(place_of(r, i, side)[k]));
        }
    }
    fb_unit unit = r->options->unit != FB_UNIT_DETECT         ? r->options->unit
                   : r->said == FB_UNIT_DETECT || r->by_habit ? detect(r, side, largest)
                                                              : r->said;
    r->found[side].unit = unit;
    r->found[side].kind = r->found[0].kind;
    for (size_t i = 0; unit == FB_UNIT_MM && i < n; i++) {
        for (int k = 0; k < 3; k++) {
            place_of(r, i, side)[k] /= 1000;
        }
    }
}

/* ---- any file -------------------------------------------------------------------------------- */

/* Moves a point to another number. */
static void move_to(fb_feature_reader *r, size_t to, size_t from) {
    if (r->pairs) {
        r->pairs->items[to] = r->pairs->items[from];
    } else {
        r->features->items[to] = r->features->items[from];
    }
}

/* A second point of one name and body: at the same place it counts once. */
static void check_again(fb_feature_reader *r, size_t first, size_t i, const char *name,
                        const char *body) {
    int line = r->pairs ? r->pairs->items[first].line : r->features->items[first].line;
    bool same = true;
    for (int side = 0; side < (r->pairs ? 2 : 1); side++) {
        same &= fb_v3_distance(place_of(r, first, side), place_of(r, i, side)) <= FB_FEATURE_TIE;
    }
    if (!same) {
        fb_feature_wrong(r, "'%s' of '%s' is there twice, at different places (lines %d and %d)",
                         name, body, line, r->line);
    } else {
        fb_diag_add(r->diag, FB_WARNING, FB1411, (fb_place){r->file, r->line, NULL, NULL},
                    "it counts once", "'%s' of '%s' is there already in line %d", name, body, line);
    }
}

/* Each name once in each body. */
static void check_names(fb_feature_reader *r) {
    fb_table seen = {.arena = r->arena};
    size_t n = count_of(r), left = 0;
    for (size_t i = 0; i < n && !r->failed; i++) {
        const char *name = r->pairs ? r->pairs->items[i].name : r->features->items[i].name;
        const char *body = r->pairs ? r->pairs->items[i].body : r->features->items[i].body;
        char *key = fb_arena_printf(r->arena, "%s\n%s", body, name);
        for (char *p = key; *p; p++) {
            *p = *p == ' ' ? '_' : *p;
        }
        const size_t *first = fb_table_find(&seen, key);
        r->line = r->pairs ? r->pairs->items[i].line : r->features->items[i].line;
        if (first) {
            check_again(r, *first, i, name, body);
            continue;
        }
        size_t *number = fb_arena_alloc(r->arena, sizeof *number);
        *number = left;
        fb_table_add(&seen, key, number);
        move_to(r, left++, i);
    }
    if (r->pairs) {
        r->pairs->n = left;
    } else {
        r->features->n = left;
    }
}

static void read_any(fb_feature_reader *r) {
    static const char *const tables[] = {".csv", ".tsv", ".txt"};
    const char *file = r->file ? r->file : "";
    bool table = false;
    for (int i = 0; i < 3; i++) {
        table |= fb_file_ends_with(file, tables[i]);
    }
    if (r->size == 0) {
        fb_feature_wrong(r, "the file is empty");
    } else if (table) {
        fb_features_read_table(r);
    } else if (fb_file_ends_with(file, ".json")) {
        read_json(r);
    } else if (!r->pairs && fb_file_ends_with(file, ".fcsv")) {
        fb_features_read_fcsv(r);
    } else if (!r->pairs && (fb_file_ends_with(file, ".osim") || fb_file_ends_with(file, ".xml") ||
                             fb_file_ends_with(file, ".fb"))) {
        fb_features_read_markers(r);
    } else {
        fb_feature_wrong(r, r->pairs ? "pairs are read from .json and .csv"
                                     : "feature points are read from .json, .csv, .mrk.json, "
                                       ".fcsv, .osim, .xml and .fb");
    }
    r->line = 0;
    if (!r->failed && count_of(r) == 0) {
        fb_feature_wrong(r, "it holds no %s",
                         r->pairs                                 ? "pairs"
                         : r->found->kind && r->said == FB_UNIT_M ? "markers"
                                                                  : "feature points");
    }
    for (int side = 0; side < (r->pairs ? 2 : 1) && !r->failed; side++) {
        settle_unit(r, side);
    }
    check_names(r);
}

static fb_status read_guarded(fb_feature_reader *r) {
    jmp_buf oom;
    if (setjmp(oom)) {
        r->arena->oom = NULL;
        fb_diag_add(r->diag, FB_ERROR, FB1003, (fb_place){r->file, 0, NULL, NULL}, NULL,
                    "out of memory");
        r->diag->out_of_memory = 1;
        return FB_E_MEMORY;
    }
    r->arena->oom = &oom;
    const char *name = r->file ? fb_arena_dup(r->arena, r->file) : NULL;
    if (r->pairs) {
        r->pairs->file = name;
    } else {
        r->features->file = name;
    }
    read_any(r);
    r->arena->oom = NULL;
    return !r->failed ? FB_OK : r->diag->out_of_memory ? FB_E_MEMORY : FB_E_INPUT;
}

fb_status fb_features_read(fb_features *features, const char *bytes, size_t size, const char *file,
                           const fb_feature_options *options, fb_feature_file *found,
                           fb_diag *diag) {
    fb_feature_file own;
    fb_features_init(features);
    fb_feature_reader r = {.features = features,
                           .arena = &features->arena,
                           .bytes = bytes,
                           .size = size,
                           .file = file,
                           .options = options ? options : &no_options,
                           .found = found ? found : &own,
                           .diag = diag};
    memset(r.found, 0, sizeof *r.found);
    fb_status status = read_guarded(&r);
    if (status != FB_OK) {
        fb_features_free(features);
    }
    return status;
}

fb_status fb_pairs_read(fb_pairs *pairs, const char *bytes, size_t size, const char *file,
                        const fb_feature_options *options, fb_feature_file found[2],
                        fb_diag *diag) {
    fb_feature_file own[2];
    fb_pairs_init(pairs);
    fb_feature_reader r = {.pairs = pairs,
                           .arena = &pairs->arena,
                           .bytes = bytes,
                           .size = size,
                           .file = file,
                           .options = options ? options : &no_options,
                           .found = found ? found : own,
                           .diag = diag};
    memset(r.found, 0, sizeof own);
    fb_status status = read_guarded(&r);
    if (status != FB_OK) {
        fb_pairs_free(pairs);
    }
    return status;
}

/* ---- writing --------------------------------------------------------------------------------- */

static void write_vector(fb_text *out, const double *x, const char *between) {
    for (int k = 0; k < 3; k++) {
        fb_text_puts(out, k ? between : "");
        fb_text_number(out, x[k]);
    }
}

/* A cell, in quotes if it must be; a new line becomes a blank. */
static void write_cell(fb_text *out, const char *text) {
    bool plain = *text && !strpbrk(text, "\",;\t\r\n") && *text != ' ' && *text != '#' &&
                 text[strlen(text) - 1] != ' ';
    fb_text_puts(out, plain ? "" : "\"");
    for (const char *p = text; *p; p++) {
        fb_text_add(out, *p == '\n' || *p == '\r' ? " " : p, 1);
        if (*p == '"') {
            fb_text_add(out, p, 1);
        }
    }
    fb_text_puts(out, plain ? "" : "\"");
}

static void write_csv(fb_text *out, const char *name, const char *body, const double *x,
                      const double *target, double weight, bool weights) {
    write_cell(out, name);
    fb_text_puts(out, ",");
    write_cell(out, body);
    fb_text_puts(out, ",");
    write_vector(out, x, ",");
    if (target) {
        fb_text_puts(out, ",");
        write_vector(out, target, ",");
    }
    if (weights) {
        fb_text_puts(out, ",");
        fb_text_number(out, weight);
    }
    fb_text_puts(out, "\n");
}

static void write_json(fb_text *out, const char *name, const char *body, const char *key,
                       const double *x, const double *target, double weight) {
    fb_text_puts(out, "  {\"name\": ");
    fb_json_string(out, name);
    fb_text_puts(out, ", \"body\": ");
    fb_json_string(out, body);
    fb_text_printf(out, ", \"%s\": [", key);
    write_vector(out, x, ", ");
    if (target) {
        fb_text_puts(out, "], \"target\": [");
        write_vector(out, target, ", ");
    }
    fb_text_puts(out, "]");
    if (weight != 1) {
        fb_text_puts(out, ", \"weight\": ");
        fb_text_number(out, weight);
    }
    fb_text_puts(out, "}");
}

static bool is_csv(const char *file) {
    return file && fb_file_ends_with(file, ".csv");
}

void fb_features_write(fb_text *out, const fb_features *features, const char *file) {
    bool csv = is_csv(file), weights = false;
    for (size_t i = 0; i < features->n; i++) {
        weights |= features->items[i].weight != 1;
    }
    fb_text_puts(out, !csv      ? "{\"features\": [\n"
                      : weights ? "name,body,x,y,z,weight\n"
                                : "name,body,x,y,z\n");
    for (size_t i = 0; i < features->n; i++) {
        const fb_feature *f = &features->items[i];
        const char *body = f->body ? f->body : "";
        if (csv) {
            write_csv(out, f->name, body, f->location, NULL, f->weight, weights);
        } else {
            write_json(out, f->name, body, "location", f->location, NULL, f->weight);
            fb_text_puts(out, i + 1 < features->n ? ",\n" : "\n");
        }
    }
    fb_text_puts(out, csv ? "" : "]}\n");
}

void fb_pairs_write(fb_text *out, const fb_pairs *pairs, const char *file) {
    bool csv = is_csv(file), weights = false;
    for (size_t i = 0; i < pairs->n; i++) {
        weights |= pairs->items[i].weight != 1;
    }
    fb_text_puts(out, !csv      ? "{\"pairs\": [\n"
                      : weights ? "name,body,x,y,z,target_x,target_y,target_z,weight\n"
                                : "name,body,x,y,z,target_x,target_y,target_z\n");
    for (size_t i = 0; i < pairs->n; i++) {
        const fb_pair *p = &pairs->items[i];
        const char *body = p->body ? p->body : "";
        if (csv) {
            write_csv(out, p->name, body, p->standard, p->target, p->weight, weights);
        } else {
            write_json(out, p->name, body, "standard", p->standard, p->target, p->weight);
            fb_text_puts(out, i + 1 < pairs->n ? ",\n" : "\n");
        }
    }
    fb_text_puts(out, csv ? "" : "]}\n");
}
