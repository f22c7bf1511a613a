#include "formats/loads.h"

#include <math.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

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
} reader;

static bool refuse(const reader *r, const fb_xml_node *node, const char *what, const char *detail) {
    fb_diag_add(r->diag, FB_ERROR, FB1403,
                (fb_place){r->file, node ? node->line : 0, NULL, node ? node->tag : NULL}, NULL,
                "%s%s%s%s%s", node && node->name ? "'" : "", node && node->name ? node->name : "",
                node && node->name ? "': " : "", what, detail);
    return false;
}

/* The text of a child; "" if there is none, or it is "Unassigned". */
static const char *text_of(const fb_xml_node *node, const char *tag) {
    const fb_xml_node *child = fb_xml_child(node, tag);
    return child && strcasecmp(child->text, "Unassigned") != 0 ? child->text : "";
}

/* ---- the data -------------------------------------------------------------------------------- */

static bool is_file(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

static bool read_data(reader *r, const fb_xml_node *set) {
    const char *name = text_of(set, "datafile"), *slash = strrchr(r->file, '/');
    fb_arena *arena = &r->to->arena;
    if (!*name) {
        return refuse(r, set, "no <datafile> says where the measured forces are", "");
    }
    const char *path = slash && name[0] != '/'
                           ? fb_arena_printf(arena, "%.*s/%s", (int)(slash - r->file), r->file,
                                             name)
                           : name;
    path = is_file(path) ? path : name;
    r->to->data_file = fb_arena_dup(arena, path);
    char *bytes;
    size_t size;
    if (fb_read_file(path, r->max_bytes, &bytes, &size, r->diag) != FB_OK) {
        return false;
    }
    fb_status status = fb_sto_read(&r->table, bytes, size, path, r->diag);
    fb_free(bytes);
    if (status != FB_OK) {
        return false;
    }
    int n = r->table.n_rows;
    double *time = fb_arena_array(arena, (size_t)n + 1, sizeof *time);
    for (int i = 0; i < n; i++) {
        time[i] = r->table.values[(size_t)i * (size_t)r->table.n_columns];
        if (!isfinite(time[i]) || (i > 0 && !(time[i] > time[i - 1]))) {
            return refuse(r, set, "the times of its data do not rise: ", path);
        }
    }
    if (n == 0) {
        return refuse(r, set, "its data have no rows: ", path);
    }
    r->time = time;
    r->to->loads.first = time[0];
    r->to->loads.last = time[n - 1];
    return true;
}

static bool make_function(reader *r, const fb_xml_node *node, fb_function *f, int column) {
    const fb_sto *t = &r->table;
    fb_arena *arena = &r->to->arena;
    double *y = fb_arena_array(arena, (size_t)t->n_rows, sizeof *y);
    for (int i = 0; i < t->n_rows; i++) {
        y[i] = t->values[(size_t)i * (size_t)t->n_columns + (size_t)column];
        if (!isfinite(y[i])) {
            return refuse(r, node, "not all its numbers are finite in column ", t->columns[column]);
        }
    }
    if (t->n_rows >= 4) {
        return fb_function_series(f, 3, r->time, y, 1, t->n_rows, arena) ||
               refuse(r, node, "its data cannot be interpolated", "");
    }
    if (t->n_rows > 1) {
        fb_function_lines(f, r->time, y, t->n_rows, arena);
    } else {
        *f = (fb_function){.kind = FB_FN_CONSTANT, .scale = 1, .n = 1, .dimension = 1, .c = y};
    }
    return true;
}

/* Force, point or torque: the three columns that begin with the identifier, in their order. */
static bool read_columns(reader *r, const fb_xml_node *node, const char *tag, fb_load *load,
                         int i) {
    const char *identifier = text_of(node, tag);
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
        fb_diag_add(r->diag, FB_ERROR, FB1403, (fb_place){r->file, node->line, NULL, node->tag},
                    NULL, "'%s': <%s>: the names of %d columns of '%s' begin with '%s', not of 3",
                    node->name ? node->name : "", tag, found, r->to->data_file, identifier);
        return false;
    }
    for (int k = 0; k < 3; k++) {
        if (!make_function(r, node, &load->functions[3 * i + k], column[k])) {
            return false;
        }
    }
    load->given[i] = true;
    return true;
}

/* ---- bodies ---------------------------------------------------------------------------------- */

/* A body or frame by name, old or new; ground if nothing is named and `ground` allows it. */
static bool find_body(reader *r, const fb_xml_node *node, const char *tag, bool ground, int *body,
                      fb_pose *pose) {
    const fb_model *model = r->system->model;
    const char *name = text_of(node, tag), *last = fb_path_name(name);
    const fb_element *element = NULL;
    if ((!*name && ground) || strcmp(last, "ground") == 0) {
        element = model->ground;
    } else if (*name) {
        element = fb_model_find(model, FB_BODY, name);
        element = element ? element : fb_model_find(model, FB_BODY, last);
        element = element ? element : fb_model_find(model, FB_FRAME, name);
    }
    *body = element ? fb_system_body(r->system, element, pose) : -1;
    if (*body < 0) {
        fb_diag_add(r->diag, FB_ERROR, FB1403, (fb_place){r->file, node->line, NULL, node->tag},
                    NULL, "'%s': <%s>: the model has no body '%s'", node->name ? node->name : "",
                    tag, name);
    }
    return *body >= 0;
}

/* ---- loads ----------------------------------------------------------------------------------- */

static bool is_off(const fb_xml_node *node) {
    return strcasecmp(text_of(node, "isDisabled"), "true") == 0 ||
           strcasecmp(text_of(node, "appliesForce"), "false") == 0;
}

static bool read_load(reader *r, const fb_xml_node *node) {
    fb_load load = {.name = fb_arena_dup(&r->to->arena, node->name ? node->name : "")};
    if (strcmp(node->tag, "ExternalForce") != 0) {
        return refuse(r, node, "external loads are ExternalForce elements; this is a ", node->tag);
    }
    if (is_off(node)) {
        return true;
    }
    if (!find_body(r, node, "applied_to_body", false, &load.body, &load.frame) ||
        !find_body(r, node, "force_expressed_in_body", true, &load.force_body, &load.force_frame) ||
        !find_body(r, node, "point_expressed_in_body", true, &load.point_body, &load.point_frame) ||
        !read_columns(r, node, "force_identifier", &load, 0) ||
        !read_columns(r, node, "point_identifier", &load, 1) ||
        !read_columns(r, node, "torque_identifier", &load, 2)) {
        return false;
    }
    if (!load.given[0] && (load.given[1] || !load.given[2])) {
        return refuse(r, node,
                      load.given[1] ? "it has a point but no force"
                                    : "it has neither a force nor a torque",
                      "");
    }
    FB_PUSH(&r->to->arena, r->to->loads.loads, r->n, r->capacity, load);
    r->to->loads.n = (int)r->n;
    return true;
}

static bool read_document(reader *r, const fb_xml *xml) {
    const fb_xml_node *set = strcmp(xml->root->tag, "ExternalLoads") == 0
                                 ? xml->root
                                 : fb_xml_child(xml->root, "ExternalLoads");
    const char *version = fb_xml_attr(xml->root, "Version");
    if (!set) {
        return refuse(r, xml->root, "it holds no <ExternalLoads>", "");
    }
    double number = OLDEST;
    if (version && fb_number_parse(version, strlen(version), &number) && number < OLDEST) {
        return refuse(r, xml->root, "external loads of documents older than 20301 are not read",
                      "");
    }
    const fb_xml_node *objects = fb_xml_child(set, "objects");
    if (!read_data(r, set)) {
        return false;
    }
    for (const fb_xml_node *node = objects ? objects->first : NULL; node; node = node->next) {
        if (!read_load(r, node)) {
            return false;
        }
    }
    return true;
}

fb_status fb_loads_read(fb_loads_file *loads, const char *file, const fb_system *system,
                        size_t max_bytes, fb_diag *diag) {
    memset(loads, 0, sizeof *loads);
    fb_arena_init(&loads->arena);
    reader r = {.to = loads, .system = system, .file = file, .diag = diag, .max_bytes = max_bytes};
    fb_xml xml;
    char *bytes;
    size_t size;
    fb_status status = fb_read_file(file, max_bytes, &bytes, &size, diag);
    if (status == FB_OK) {
        status = fb_xml_parse(&xml, bytes, size, file, diag);
    }
    if (status != FB_OK) {
        return status;
    }
    jmp_buf oom;
    if (setjmp(oom)) {
        status = FB_E_MEMORY;
        fb_diag_add(diag, FB_ERROR, FB1003, (fb_place){file, 0, NULL, NULL}, NULL, "out of memory");
    } else {
        loads->arena.oom = &oom;
        status = read_document(&r, &xml) ? FB_OK : FB_E_INPUT;
        loads->arena.oom = NULL;
    }
    fb_sto_free(&r.table);
    fb_xml_free(&xml);
    if (status != FB_OK) {
        fb_loads_free(loads);
    }
    return status;
}

void fb_loads_free(fb_loads_file *loads) {
    fb_arena_clear(&loads->arena);
    memset(loads, 0, sizeof *loads);
}
