#include "formats/loads.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "formats/sto.h"
#include "formats/xml.h"
#include "libcore/base/number.h"

#define OLDEST 20301 /* before this version, the functions' names were those of the columns */

typedef struct reader {
    fb_loads_file *to;
    const fb_system *system;
    const char *file;
    fb_diag *diag;
    fb_sto table;
    const double *time;
    size_t max_bytes, n, capacity;
    fb_status failure; /* what a false means */
} reader;

/* A load as a document or a model has it: texts, "" for what is left out. */
typedef struct written {
    const char *name, *cls, *file;
    int line;
    const char *bodies[3];      /* that is pushed; in which force and point are expressed */
    const char *identifiers[3]; /* of force, point, torque */
} written;

static const char *const body_tags[] = {"applied_to_body", "force_expressed_in_body",
                                        "point_expressed_in_body"};
static const char *const identifier_tags[] = {"force_identifier", "point_identifier",
                                              "torque_identifier"};

static bool refuse(const reader *r, const written *w, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static bool refuse(const reader *r, const written *w, const char *format, ...) {
    va_list arguments;
    char text[1000];
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fb_diag_add(r->diag, FB_ERROR, FB1403, (fb_place){w->file, w->line, NULL, w->cls}, NULL,
                "%s%s%s%s", *w->name ? "'" : "", w->name, *w->name ? "': " : "", text);
    return false;
}

static written at(const reader *r, const fb_xml_node *node) {
    return (written){.name = node->name ? node->name : "",
                     .cls = node->tag,
                     .file = r->file,
                     .line = node->line};
}

/* The text of a child; "" if there is none, or it is "Unassigned". */
static const char *text_of(const fb_xml_node *node, const char *tag) {
    const fb_xml_node *child = fb_xml_child(node, tag);
    return child && strcasecmp(child->text, "Unassigned") != 0 ? child->text : "";
}

/* ---- the data -------------------------------------------------------------------------------- */

/* Where a document's <datafile> is: beside the document, else where it says. */
static const char *find_data(reader *r, const fb_xml_node *set) {
    const char *name = text_of(set, "datafile");
    const char *beside = fb_file_beside(&r->to->arena, r->file, name);
    return *name && fb_is_file(beside) ? beside : name;
}

static bool read_data(reader *r, const char *path, const written *w) {
    fb_arena *arena = &r->to->arena;
    r->to->data_file = fb_arena_dup(arena, path);
    char *bytes;
    size_t size;
    r->failure = fb_read_file(path, r->max_bytes, &bytes, &size, r->diag);
    if (r->failure != FB_OK) {
        return false;
    }
    r->failure = fb_sto_read(&r->table, bytes, size, path, r->diag);
    fb_free(bytes);
    if (r->failure != FB_OK) {
        return false;
    }
    r->failure = FB_E_INPUT;
    int n = r->table.n_rows;
    double *time = fb_arena_array(arena, (size_t)n + 1, sizeof *time);
    for (int i = 0; i < n; i++) {
        time[i] = fb_sto_value(&r->table, i, 0);
        if (!isfinite(time[i]) || (i > 0 && !(time[i] > time[i - 1]))) {
            return refuse(r, w, "the times of '%s' do not rise", path);
        }
    }
    if (n == 0) {
        return refuse(r, w, "'%s' has no rows", path);
    }
    r->time = time;
    r->to->loads.first = time[0];
    r->to->loads.last = time[n - 1];
    return true;
}

static bool make_function(reader *r, const written *w, fb_function *f, int column) {
    const fb_sto *t = &r->table;
    fb_arena *arena = &r->to->arena;
    double *y = fb_arena_array(arena, (size_t)t->n_rows, sizeof *y);
    for (int i = 0; i < t->n_rows; i++) {
        y[i] = fb_sto_value(t, i, column);
        if (!isfinite(y[i])) {
            return refuse(r, w, "not all numbers are finite in column '%s' of '%s'",
                          t->columns[column], r->to->data_file);
        }
    }
    if (t->n_rows >= 4) {
        return fb_function_series(f, 3, r->time, y, 1, t->n_rows, arena) ||
               refuse(r, w, "its data cannot be interpolated");
    }
    if (t->n_rows > 1) {
        fb_function_lines(f, r->time, y, t->n_rows, arena);
    } else {
        fb_function_constant(f, y[0], arena);
    }
    return true;
}

/* Force, point or torque: the three columns that begin with the identifier, in their order. */
static bool read_columns(reader *r, const written *w, int i, fb_load *load) {
    const char *identifier = w->identifiers[i];
    size_t n = strlen(identifier);
    int column[3], found = 0;
    if (n == 0) {
        return true;
    }
    for (int j = 1; j < r->table.n_columns; j++) {
        if (strncmp(r->table.columns[j], identifier, n) == 0) {
            if (found < 3) {
                column[found] = j;
            }
            found++;
        }
    }
    if (found != 3) {
        return refuse(r, w, "<%s>: the names of %d columns of '%s' begin with '%s', not of 3",
                      identifier_tags[i], found, r->to->data_file, identifier);
    }
    for (int k = 0; k < 3; k++) {
        if (!make_function(r, w, &load->functions[3 * i + k], column[k])) {
            return false;
        }
    }
    load->given[i] = true;
    return true;
}

/* ---- bodies ---------------------------------------------------------------------------------- */

/* A body or frame by name, old or new; ground if none is named, but for the one that is pushed. */
static bool find_body(reader *r, const written *w, int i, int *body, fb_pose *pose) {
    const fb_model *model = r->system->model;
    const char *name = w->bodies[i], *last = fb_path_name(name);
    const fb_element *element = NULL;
    if ((!*name && i > 0) || strcmp(last, "ground") == 0) {
        element = model->ground;
    } else if (*name) {
        element = fb_model_find(model, FB_BODY, name);
        element = element ? element : fb_model_find(model, FB_BODY, last);
        element = element ? element : fb_model_find(model, FB_FRAME, name);
    }
    *body = element ? fb_system_body(r->system, element, pose) : -1;
    return *body >= 0 || refuse(r, w, "<%s>: the model has no body '%s'", body_tags[i], name);
}

/* ---- loads ----------------------------------------------------------------------------------- */

static bool add_load(reader *r, const written *w) {
    fb_load load = {.name = fb_arena_dup(&r->to->arena, w->name)};
    if (!find_body(r, w, 0, &load.body, &load.frame) ||
        !find_body(r, w, 1, &load.force_body, &load.force_frame) ||
        !find_body(r, w, 2, &load.point_body, &load.point_frame)) {
        return false;
    }
    for (int i = 0; i < 3; i++) {
        if (!read_columns(r, w, i, &load)) {
            return false;
        }
    }
    if (!load.given[0] && (load.given[1] || !load.given[2])) {
        return refuse(r, w,
                      load.given[1] ? "it has a point but no force"
                                    : "it has neither a force nor a torque");
    }
    FB_PUSH(&r->to->arena, r->to->loads.loads, r->n, r->capacity, load);
    r->to->loads.n = (int)r->n;
    return true;
}

static bool is_off(const fb_xml_node *node) {
    return strcasecmp(text_of(node, "isDisabled"), "true") == 0 ||
           strcasecmp(text_of(node, "appliesForce"), "false") == 0;
}

static bool read_load(reader *r, const fb_xml_node *node) {
    written w = at(r, node);
    for (int i = 0; i < 3; i++) {
        w.bodies[i] = text_of(node, body_tags[i]);
        w.identifiers[i] = text_of(node, identifier_tags[i]);
    }
    return is_off(node) || add_load(r, &w);
}

static bool read_document(reader *r, const fb_xml *xml) {
    const fb_xml_node *set = strcmp(xml->root->tag, "ExternalLoads") == 0
                                 ? xml->root
                                 : fb_xml_child(xml->root, "ExternalLoads");
    const char *version = fb_xml_attr(xml->root, "Version");
    written w = at(r, set ? set : xml->root);
    if (!set) {
        return refuse(r, &w, "it holds no <ExternalLoads>");
    }
    double number = OLDEST;
    if (version && fb_number_parse(version, strlen(version), &number) && number < OLDEST) {
        return refuse(r, &w, "external loads of documents older than %d are not read", OLDEST);
    }
    const fb_xml_node *objects = fb_xml_child(set, "objects");
    for (const fb_xml_node *node = objects ? objects->first : NULL; node; node = node->next) {
        if (strcmp(node->tag, "ExternalForce") != 0) {
            w = at(r, node);
            return refuse(r, &w, "external loads are ExternalForce elements; this is a %s",
                          node->tag);
        }
    }
    const char *data = find_data(r, set);
    if (!*data) {
        return refuse(r, &w, "no <datafile> says where the measured forces are");
    }
    if (!read_data(r, data, &w)) {
        return false;
    }
    for (const fb_xml_node *node = objects ? objects->first : NULL; node; node = node->next) {
        if (!read_load(r, node)) {
            return false;
        }
    }
    return true;
}

/* ---- a model's own ExternalForce elements ---------------------------------------------------- */

static const char *name_of_target(const fb_element *element, const char *key) {
    const fb_value *value = fb_get(element, key);
    const fb_element *target = fb_get_target(element, key);
    const char *text = target && target->path  ? target->path
                       : value && value->n > 0 ? value->as.refs[0].text
                                               : NULL;
    return text ? text : "";
}

static const char *identifier_of(const fb_element *element, const char *key) {
    const char *text = fb_get_string(element, key);
    return text && strcasecmp(text, "Unassigned") != 0 ? text : "";
}

static bool read_model(reader *r) {
    static const char *const keys[] = {"body", "force_expressed_in", "point_expressed_in"};
    const fb_list *forces = fb_model_items(r->system->model, "forces");
    if (!read_data(r, r->file, &(written){.name = "", .file = r->file})) {
        return false;
    }
    for (size_t i = 0; forces && i < forces->n; i++) {
        const fb_element *e = forces->items[i];
        if (strcmp(e->cls->name, "ExternalForce") != 0 || !fb_get_bool(e, "enabled")) {
            continue;
        }
        written w = {.name = e->name ? e->name : "",
                     .cls = e->cls->name,
                     .file = e->file ? e->file : r->system->model->file,
                     .line = fb_element_line(e)};
        for (int k = 0; k < 3; k++) {
            w.bodies[k] = name_of_target(e, keys[k]);
            w.identifiers[k] = identifier_of(e, identifier_tags[k]);
        }
        if (!add_load(r, &w)) {
            return false;
        }
    }
    return r->n > 0 || refuse(r, &(written){.name = "", .file = r->file},
                              "the model has no ExternalForce that would take these data");
}

/* ---- any ------------------------------------------------------------------------------------- */

bool fb_loads_is_table(const char *file) {
    return !fb_file_ends_with(file, ".xml");
}

/* With memory that runs out as an error; `xml` NULL: a table for the model's own loads. */
static fb_status read_guarded(reader *r, const fb_xml *xml) {
    fb_status status;
    jmp_buf oom;
    if (setjmp(oom)) {
        status = FB_E_MEMORY;
        fb_diag_add(r->diag, FB_ERROR, FB1003, (fb_place){r->file, 0, NULL, NULL}, NULL,
                    "out of memory");
    } else {
        r->to->arena.oom = &oom;
        status = (xml ? read_document(r, xml) : read_model(r)) ? FB_OK : r->failure;
        r->to->arena.oom = NULL;
    }
    fb_sto_free(&r->table);
    if (status != FB_OK) {
        fb_loads_free(r->to);
    }
    return status;
}

fb_status fb_loads_read(fb_loads_file *loads, const char *file, const fb_system *system,
                        size_t max_bytes, fb_diag *diag) {
    reader r = {.to = loads,
                .system = system,
                .file = file,
                .diag = diag,
                .max_bytes = max_bytes,
                .failure = FB_E_INPUT};
    memset(loads, 0, sizeof *loads);
    fb_arena_init(&loads->arena);
    if (fb_loads_is_table(file)) {
        return read_guarded(&r, NULL);
    }
    fb_xml xml;
    char *bytes;
    size_t size;
    fb_status status = fb_read_file(file, max_bytes, &bytes, &size, diag);
    if (status == FB_OK) {
        status = fb_xml_parse(&xml, bytes, size, file, diag);
    }
    if (status == FB_OK) {
        status = read_guarded(&r, &xml);
        fb_xml_free(&xml);
    }
    return status;
}

void fb_loads_free(fb_loads_file *loads) {
    fb_arena_clear(&loads->arena);
    memset(loads, 0, sizeof *loads);
}
